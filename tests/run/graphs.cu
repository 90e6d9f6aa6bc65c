/* Graphs that are made node by node, with kernels by their addresses, and a launch by an address. */
#include <cuda_runtime.h>
#include "check.h"

enum { COUNT = 64, LAUNCHES = 3 };

__global__ void add(const float *one, const float *other, float *sum, int count)
{
    const int i = threadIdx.x;
    if (i < count) sum[i] = one[i] + other[i];
}

template <class T> __global__ void scale(T *x, double by)
{
    x[threadIdx.x] *= (T)by;
}

struct heard {
    float *values;
    double sum;
    int calls;
};

static void listen(void *data)
{
    heard *about = (heard *)data;
    about->calls++;
    for (int i = 0; i < COUNT; i++) about->sum += about->values[i];
}

static cudaGraphNode_t kernel_node(cudaGraph_t graph, const cudaGraphNode_t *before, size_t count, void *kernel,
                                   void **arguments)
{
    cudaGraphNode_t node;
    cudaKernelNodeParams how = {0};
    how.func = kernel;
    how.gridDim = dim3(1);
    how.blockDim = dim3(COUNT);
    how.kernelParams = arguments;
    CHECK(cudaGraphAddKernelNode(&node, graph, before, count, &how));
    return node;
}

/* sum = 3 * in + 1.5, and what is heard of it */
static cudaGraph_t build(float *in, float *device, heard *about)
{
    cudaGraph_t graph;
    cudaGraphNode_t copied, filled, joined, added, back, told, sides[2];
    float *ones = device + COUNT, *sum = ones + COUNT;
    int count = COUNT;
    double by = 3.0;
    cudaMemsetParams fill = {0};
    fill.dst = ones;
    fill.value = 0x3fc00000; /* 1.5f */
    fill.elementSize = 4;
    fill.width = COUNT;
    fill.height = 1;
    void *of_scale[] = {&device, &by}, *of_add[] = {&device, &ones, &sum, &count};
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphAddMemcpyNode1D(&copied, graph, NULL, 0, device, in, COUNT * sizeof *in, cudaMemcpyHostToDevice));
    CHECK(cudaGraphAddMemsetNode(&filled, graph, NULL, 0, &fill));
    sides[0] = kernel_node(graph, &copied, 1, (void *)scale<float>, of_scale);
    sides[1] = filled;
    CHECK(cudaGraphAddEmptyNode(&joined, graph, sides, 2));
    added = kernel_node(graph, &joined, 1, (void *)&add, of_add);
    cudaMemcpy3DParms copy = {0};
    copy.srcPtr = make_cudaPitchedPtr(sum, COUNT * sizeof *sum, COUNT, 1);
    copy.dstPtr = make_cudaPitchedPtr(about->values, COUNT * sizeof *sum, COUNT, 1);
    copy.extent = make_cudaExtent(COUNT * sizeof *sum, 1, 1);
    copy.kind = cudaMemcpyDeviceToHost;
    CHECK(cudaGraphAddMemcpyNode(&back, graph, &added, 1, &copy));
    const cudaHostNodeParams call = {listen, about};
    CHECK(cudaGraphAddHostNode(&told, graph, &back, 1, &call));
    return graph;
}

/* A graph of a fill, a kernel behind it, and a call of the host; changed as it is, by a graph of its form, and not. */
static cudaGraph_t changed(float *x, double by, heard *about, cudaGraphNode_t *nodes)
{
    cudaGraph_t graph;
    cudaMemsetParams fill = {0};
    fill.dst = x, fill.value = 0x3fc00000, fill.elementSize = 4, fill.width = COUNT, fill.height = 1;
    void *of_scale[] = {&x, &by};
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphAddMemsetNode(&nodes[0], graph, NULL, 0, &fill));
    nodes[1] = kernel_node(graph, &nodes[0], 1, (void *)scale<float>, of_scale);
    const cudaHostNodeParams call = {listen, about};
    CHECK(cudaGraphAddHostNode(&nodes[2], graph, &nodes[1], 1, &call));
    return graph;
}

static int changes(float *x)
{
    heard about = {x, 0.0, 0}, other = {x, 0.0, 0};
    cudaGraphNode_t nodes[3], others[3];
    cudaGraphExec_t executable, untouched;
    cudaGraphExecUpdateResultInfo info;
    cudaKernelNodeParams how = {0};
    double by = 10.0;
    void *arguments[] = {&x, &by};
    cudaGraph_t graph = changed(x, 2.0, &about, nodes), same = changed(x, 4.0, &other, others), longer;
    how.func = (void *)scale<float>, how.gridDim = dim3(1), how.blockDim = dim3(COUNT), how.kernelParams = arguments;
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    CHECK(cudaGraphInstantiate(&untouched, graph, 0));
    CHECK(cudaGraphExecKernelNodeSetParams(executable, nodes[1], &how));
    int right = cudaGraphExecKernelNodeSetParams(executable, nodes[0], &how) == cudaErrorInvalidValue &&
                cudaGraphExecKernelNodeSetParams(executable, others[1], &how) == cudaErrorInvalidValue;
    CHECK(cudaGraphLaunch(executable, 0));
    CHECK(cudaGraphLaunch(untouched, 0));
    CHECK(cudaDeviceSynchronize());
    right &= near_enough("a changed node, and one as it was", 0, about.sum, COUNT * 1.5 * (10.0 + 2.0));
    by = 0.5;
    CHECK(cudaGraphExecKernelNodeSetParams(executable, nodes[1], &how)); /* once more, by the node of the graph */
    CHECK(cudaGraphLaunch(executable, 0));
    CHECK(cudaGraphExecUpdate(executable, same, &info));
    CHECK(cudaGraphLaunch(executable, 0));
    CHECK(cudaDeviceSynchronize());
    right &= near_enough("changed again", 0, about.sum, COUNT * 1.5 * (10.0 + 2.0 + 0.5));
    right &= near_enough("by another graph", 0, other.sum, COUNT * 1.5 * 4.0);
    CHECK(cudaGraphClone(&longer, same));
    CHECK(cudaGraphAddEmptyNode(&others[0], longer, NULL, 0));
    right &= cudaGraphExecUpdate(executable, longer, &info) == cudaErrorGraphExecUpdateFailure &&
             info.result == cudaGraphExecUpdateErrorTopologyChanged;
    CHECK(cudaGraphExecDestroy(executable));
    CHECK(cudaGraphExecDestroy(untouched));
    for (cudaGraph_t each : {graph, same, longer}) CHECK(cudaGraphDestroy(each));
    return right;
}

int main()
{
    float *in, *device, *out;
    cudaGraphExec_t first, second;
    cudaGraph_t clone;
    cudaGraphNode_t late;
    size_t nodes = 0, cloned = 0;
    double wanted = 0.0, by = 2.0;
    CHECK(cudaMallocHost((void **)&in, COUNT * sizeof *in));
    CHECK(cudaMallocHost((void **)&out, COUNT * sizeof *out));
    CHECK(cudaMalloc((void **)&device, 3 * COUNT * sizeof *device));
    for (int i = 0; i < COUNT; i++) wanted += 3.0 * (in[i] = (float)(i % 9)) + 1.5;
    heard about = {out, 0.0, 0};
    cudaGraph_t graph = build(in, device, &about);
    CHECK(cudaGraphInstantiate(&first, graph, NULL, NULL, 0));
    CHECK(cudaGraphClone(&clone, graph));
    CHECK(cudaGraphAddEmptyNode(&late, graph, NULL, 0)); /* neither the first nor the clone has it */
    CHECK(cudaGraphGetNodes(graph, NULL, &nodes));
    CHECK(cudaGraphGetNodes(clone, NULL, &cloned));
    CHECK(cudaGraphInstantiate(&second, clone, 0));
    CHECK(cudaGraphDestroy(graph));
    for (int i = 0; i < LAUNCHES; i++) {
        CHECK(cudaGraphLaunch(first, 0));
        CHECK(cudaGraphLaunch(second, 0));
    }
    CHECK(cudaDeviceSynchronize());
    int right = near_enough("nodes", 0, (double)nodes, 8) & near_enough("cloned nodes", 0, (double)cloned, 7);
    right &= near_enough("calls", 0, about.calls, 2 * LAUNCHES) & near_enough("sum", 0, about.sum, 6 * wanted);
    const void *which = (const void *)scale<float>;
    void *arguments[] = {&device, &by};
    CHECK(cudaMemcpy(device, in, COUNT * sizeof *in, cudaMemcpyHostToDevice));
    CHECK(cudaLaunchKernel(which, dim3(1), dim3(COUNT), arguments, 0, 0));
    CHECK(cudaMemcpy(out, device, COUNT * sizeof *out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < COUNT; i++) right &= near_enough("by an address", i, out[i], 2.0 * in[i]);
    if (cudaGraphAddEmptyNode(&late, clone, &late, 1) != cudaErrorInvalidValue) right = 0; /* of another graph */
    right &= changes(out);
    CHECK(cudaGraphExecDestroy(first));
    CHECK(cudaGraphExecDestroy(second));
    CHECK(cudaGraphDestroy(clone));
    puts(right ? "right" : "wrong");
    return !right;
}
