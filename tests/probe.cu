__global__ void probe(int *p)
{
    *p = 1;
}
