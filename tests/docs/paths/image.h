/* a call of blur, a filter that the including file defines with its table, of a picture of 40 x 2048 floats */
int main(void)
{
    float *in, *out;
    CMK_CHECK(cudaMalloc((void **)&in, 40 * 2048 * sizeof *in));
    CMK_CHECK(cudaMalloc((void **)&out, 40 * 2048 * sizeof *out));
    CMK_CHECK(cudaMemset(in, 0, 40 * 2048 * sizeof *in));
    CMK_CHECK(CMK_TABLE_UPLOAD(weights, values, 0, sizeof values / sizeof *values));
    CMK_CHECK(blur(in, 2048, out, 2048, 40, 2048, weights, 0));
    return 0;
}
