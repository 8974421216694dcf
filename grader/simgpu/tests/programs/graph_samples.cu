// Graphs as the samples use them: captured and built by hand, Jacobi with updates, memory nodes, attributes, edges with data.
#include <cooperative_groups.h>
#include <algorithm>
#include <cstring>
#include "program.hpp"
namespace cg = cooperative_groups;
__global__ void reduce(const float* in, double* out, size_t n, unsigned blocks) {
  extern __shared__ double tmp[];
  cg::thread_block b = cg::this_thread_block();
  size_t i = blockIdx.x * blockDim.x + threadIdx.x;
  double t = 0;
  for (; i < n; i += gridDim.x * blockDim.x) t += in[i];
  tmp[b.thread_rank()] = t;
  cg::sync(b);
  cg::thread_block_tile<32> w = cg::tiled_partition<32>(b);
  double v = t;
  for (int o = w.size() / 2; o > 0; o >>= 1) {
    if (w.thread_rank() < o) {
      v += tmp[b.thread_rank() + o];
      tmp[b.thread_rank()] = v;
    }
    cg::sync(w);
  }
  cg::sync(b);
  if (b.thread_rank() == 0 && blockIdx.x < blocks) {
    v = 0;
    for (int k = 0; k < blockDim.x; k += 32) v += tmp[k];
    out[blockIdx.x] = v;
  }
}
__global__ void reduce_final(const double* in, double* out, size_t n) {
  __shared__ double tmp[256];
  cg::thread_block b = cg::this_thread_block();
  double t = 0;
  for (size_t i = threadIdx.x; i < n; i += blockDim.x) t += in[i];
  tmp[threadIdx.x] = t;
  cg::sync(b);
  if (threadIdx.x == 0) {
    double s = 0;
    for (int k = 0; k < blockDim.x; ++k) s += tmp[k];
    *out = s;
  }
}
struct Data {
  const char* name;
  double* data;
  int calls = 0;
};
static void CUDART_CB host_node(void* p) {
  Data* d = (Data*)p;
  ++d->calls;
  *d->data *= 1;
}
void simple_graphs() {
  const size_t n = 1 << 18;
  const unsigned blocks = 64;
  float* in;
  CHECK(cudaMallocHost(&in, n * 4));
  double want = 0;
  for (size_t i = 0; i < n; ++i) in[i] = (i % 255) / 255.0f, want += in[i];
  float* din;
  double *dout, *dres;
  CHECK(cudaMalloc(&din, n * 4));
  CHECK(cudaMalloc(&dout, blocks * 8));
  CHECK(cudaMalloc(&dres, 8));
  {
    cudaStream_t s;
    cudaGraph_t g;
    cudaGraphNode_t cpy, fill1, fill2, k1, k2, down, host;
    double res = 0;
    CHECK(cudaStreamCreate(&s));
    std::vector<cudaGraphNode_t> deps;
    CHECK(cudaGraphCreate(&g, 0));
    cudaMemcpy3DParms mp = {};
    mp.srcPtr = make_cudaPitchedPtr(in, 4 * n, n, 1);
    mp.dstPtr = make_cudaPitchedPtr(din, 4 * n, n, 1);
    mp.extent = make_cudaExtent(4 * n, 1, 1);
    mp.kind = cudaMemcpyHostToDevice;
    CHECK(cudaGraphAddMemcpyNode(&cpy, g, nullptr, 0, &mp));
    cudaMemsetParams ms = {};
    ms.dst = dout;
    ms.elementSize = 4;
    ms.width = blocks * 2;
    ms.height = 1;
    CHECK(cudaGraphAddMemsetNode(&fill1, g, nullptr, 0, &ms));
    deps = {cpy, fill1};
    size_t nn = n;
    unsigned bb = blocks;
    void* a1[] = {&din, &dout, &nn, &bb};
    cudaKernelNodeParams kp = {(void*)reduce, dim3(blocks), dim3(256), 256 * 8, a1, nullptr};
    CHECK(cudaGraphAddKernelNode(&k1, g, deps.data(), 2, &kp));
    ms.dst = dres;
    ms.width = 2;
    CHECK(cudaGraphAddMemsetNode(&fill2, g, nullptr, 0, &ms));
    deps = {k1, fill2};
    size_t b2 = blocks;
    void* a2[] = {&dout, &dres, &b2};
    kp = {(void*)reduce_final, dim3(1), dim3(256), 0, a2, nullptr};
    CHECK(cudaGraphAddKernelNode(&k2, g, deps.data(), 2, &kp));
    mp = {};
    mp.srcPtr = make_cudaPitchedPtr(dres, 8, 1, 1);
    mp.dstPtr = make_cudaPitchedPtr(&res, 8, 1, 1);
    mp.extent = make_cudaExtent(8, 1, 1);
    mp.kind = cudaMemcpyDeviceToHost;
    CHECK(cudaGraphAddMemcpyNode(&down, g, &k2, 1, &mp));
    static Data hd;
    hd = {"x", &res};
    cudaHostNodeParams hp = {host_node, &hd};
    CHECK(cudaGraphAddHostNode(&host, g, &down, 1, &hp));
    size_t cnt;
    CHECK(cudaGraphGetNodes(g, nullptr, &cnt));
    EXPECT(cnt == 7);
    cudaGraphExec_t x, xc;
    CHECK(cudaGraphInstantiate(&x, g, nullptr, nullptr, 0));
    cudaGraph_t c;
    CHECK(cudaGraphClone(&c, g));
    CHECK(cudaGraphInstantiate(&xc, c, nullptr, nullptr, 0));
    for (int i = 0; i < 3; ++i) CHECK(cudaGraphLaunch(x, s));
    CHECK(cudaStreamSynchronize(s));
    EXPECT(close(res, want, 1e-9));
    res = 0;
    for (int i = 0; i < 3; ++i) CHECK(cudaGraphLaunch(xc, s));
    CHECK(cudaStreamSynchronize(s));
    EXPECT(close(res, want, 1e-9));
    EXPECT(hd.calls == 6);
    CHECK(cudaGraphDebugDotPrint(g, "simgpu_graph.dot", cudaGraphDebugDotFlagsVerbose));
    CHECK(cudaGraphExecDestroy(x));
    CHECK(cudaGraphExecDestroy(xc));
    CHECK(cudaGraphDestroy(g));
    CHECK(cudaGraphDestroy(c));
    CHECK(cudaStreamDestroy(s));
  }
  {
    cudaStream_t s1, s2, s3, sl;
    cudaEvent_t f, e2, e3;
    double res = 0;
    for (auto s : {&s1, &s2, &s3, &sl}) CHECK(cudaStreamCreate(s));
    for (auto e : {&f, &e2, &e3}) CHECK(cudaEventCreate(e));
    CHECK(cudaStreamBeginCapture(s1, cudaStreamCaptureModeGlobal));
    CHECK(cudaEventRecord(f, s1));
    CHECK(cudaStreamWaitEvent(s2, f, 0));
    CHECK(cudaStreamWaitEvent(s3, f, 0));
    CHECK(cudaMemcpyAsync(din, in, n * 4, cudaMemcpyDefault, s1));
    CHECK(cudaMemsetAsync(dout, 0, blocks * 8, s2));
    CHECK(cudaEventRecord(e2, s2));
    CHECK(cudaMemsetAsync(dres, 0, 8, s3));
    CHECK(cudaEventRecord(e3, s3));
    CHECK(cudaStreamWaitEvent(s1, e2, 0));
    reduce<<<blocks, 256, 2048, s1>>>(din, dout, n, blocks);
    CHECK(cudaStreamWaitEvent(s1, e3, 0));
    reduce_final<<<1, 256, 0, s1>>>(dout, dres, blocks);
    CHECK(cudaMemcpyAsync(&res, dres, 8, cudaMemcpyDefault, s1));
    static Data hd;
    hd = {"y", &res};
    CHECK(cudaLaunchHostFunc(s1, host_node, &hd));
    cudaGraph_t g;
    CHECK(cudaStreamEndCapture(s1, &g));
    size_t cnt, ec, roots;
    CHECK(cudaGraphGetNodes(g, nullptr, &cnt));
    CHECK(cudaGraphGetEdges(g, nullptr, nullptr, nullptr, &ec));
    CHECK(cudaGraphGetRootNodes(g, nullptr, &roots));
    EXPECT(cnt == 7 && ec == 6 && roots == 3);
    cudaGraphExec_t x;
    CHECK(cudaGraphInstantiate(&x, g, 0));
    CHECK(cudaGraphDestroy(g));
    for (int i = 0; i < 3; ++i) CHECK(cudaGraphLaunch(x, sl));
    CHECK(cudaStreamSynchronize(sl));
    EXPECT(close(res, want, 1e-9) && hd.calls == 3);
    CHECK(cudaGraphExecDestroy(x));
    for (auto s : {s1, s2, s3, sl}) CHECK(cudaStreamDestroy(s));
    for (auto e : {f, e2, e3}) CHECK(cudaEventDestroy(e));
  }
  cudaFreeHost(in);
  cudaFree(din);
  cudaFree(dout);
  cudaFree(dres);
}
// --- Jacobi: graph with kernel parameters exchanged, and update by re-capture
__global__ void jacobi(const float* A, const double* b, float conv, int iter, double* x, double* xn,
                       double* sum, int n) {
  cg::thread_block cta = cg::this_thread_block();
  __shared__ double xs[128];
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  double acc = 0, diff = 0;
  for (int c0 = 0; c0 < n; c0 += 128) {
    for (int k = threadIdx.x; k < 128; k += blockDim.x) xs[k] = x[c0 + k];
    cg::sync(cta);
    if (r < n)
      for (int k = 0; k < 128; ++k) acc += (double)A[r * n + c0 + k] * xs[k];
    cg::sync(cta);
  }
  if (r < n) {
    double nx = (b[r] - acc) / A[r * n + r] + x[r];
    xn[r] = nx;
    diff = fabs(nx - x[r]);
  }
  cg::thread_block_tile<32> t = cg::tiled_partition<32>(cta);
  for (int o = 16; o > 0; o /= 2) diff += t.shfl_down(diff, o);
  if (t.thread_rank() == 0) atomicAdd(sum, diff);
}
void jacobis() {
  const int n = 256;
  std::vector<float> A(n * n);
  std::vector<double> b(n);
  for (int i = 0; i < n; ++i) {
    b[i] = 2;
    for (int j = 0; j < n; ++j) A[i * n + j] = i == j ? n : 1.0f / (1 + (i + j) % 5);
  }
  float* dA = to_device(A);
  double *db = to_device(b), *x, *xn, *ds, sum = 0;
  CHECK(cudaMalloc(&x, n * 8));
  CHECK(cudaMalloc(&xn, n * 8));
  CHECK(cudaMalloc(&ds, 8));
  CHECK(cudaStreamSynchronize(nullptr));  // the copies of A and b, which the stream below would not wait for
  cudaStream_t s;
  CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  std::vector<double> first;
  for (int method = 0; method < 3; ++method) {
    CHECK(cudaMemsetAsync(x, 0, n * 8, s));
    CHECK(cudaMemsetAsync(xn, 0, n * 8, s));
    CHECK(cudaStreamSynchronize(s));
    cudaGraph_t g;
    cudaGraphExec_t ex = nullptr;
    cudaGraphNode_t k;
    float conv = 1e-2f;
    int nn = n;
    double *p0 = x, *p1 = xn;
    int it = 0;
    double fin = 0;
    if (method == 0) {
      CHECK(cudaGraphCreate(&g, 0));
      cudaGraphNode_t fill, cp;
      cudaMemsetParams ms = {};
      ms.dst = ds;
      ms.elementSize = 4;
      ms.width = 2;
      ms.height = 1;
      CHECK(cudaGraphAddMemsetNode(&fill, g, nullptr, 0, &ms));
      void* a[] = {&dA, &db, &conv, &it, &p0, &p1, &ds, &nn};
      cudaKernelNodeParams kp = {(void*)jacobi, dim3(n / 64), dim3(64), 0, a, nullptr};
      CHECK(cudaGraphAddKernelNode(&k, g, &fill, 1, &kp));
      CHECK(cudaGraphAddMemcpyNode1D(&cp, g, &k, 1, &sum, ds, 8, cudaMemcpyDeviceToHost));
      CHECK(cudaGraphInstantiate(&ex, g, 0));
      for (it = 0; it < 50; ++it) {
        p0 = it % 2 ? xn : x;
        p1 = it % 2 ? x : xn;
        CHECK(cudaGraphExecKernelNodeSetParams(ex, k, &kp));
        CHECK(cudaGraphLaunch(ex, s));
        CHECK(cudaStreamSynchronize(s));
        if (sum <= 1e-6) break;
      }
      fin = sum;
      CHECK(cudaGraphDestroy(g));
    } else if (method == 1) {
      for (it = 0; it < 50; ++it) {
        CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
        CHECK(cudaMemsetAsync(ds, 0, 8, s));
        jacobi<<<n / 64, 64, 0, s>>>(dA, db, conv, it, it % 2 ? xn : x, it % 2 ? x : xn, ds, n);
        CHECK(cudaMemcpyAsync(&sum, ds, 8, cudaMemcpyDeviceToHost, s));
        CHECK(cudaStreamEndCapture(s, &g));
        if (!ex)
          CHECK(cudaGraphInstantiate(&ex, g, 0));
        else {
          cudaGraphExecUpdateResultInfo info;
          CHECK(cudaGraphExecUpdate(ex, g, &info));
          EXPECT(info.result == cudaGraphExecUpdateSuccess);
        }
        CHECK(cudaGraphDestroy(g));
        CHECK(cudaGraphLaunch(ex, s));
        CHECK(cudaStreamSynchronize(s));
        if (sum <= 1e-6) break;
      }
      fin = sum;
    } else {
      for (it = 0; it < 50; ++it) {
        CHECK(cudaMemsetAsync(ds, 0, 8, s));
        jacobi<<<n / 64, 64, 0, s>>>(dA, db, conv, it, it % 2 ? xn : x, it % 2 ? x : xn, ds, n);
        CHECK(cudaMemcpyAsync(&sum, ds, 8, cudaMemcpyDeviceToHost, s));
        CHECK(cudaStreamSynchronize(s));
        if (sum <= 1e-6) break;
      }
      fin = sum;
    }
    if (ex) CHECK(cudaGraphExecDestroy(ex));
    auto r = to_host(x, n);
    EXPECT(it < 50 && fin <= 1e-6);
    if (first.empty()) first = r;
    for (int i = 0; i < n; ++i) EXPECT(std::fabs(first[i] - r[i]) < 1e-9);
  }
  CHECK(cudaStreamDestroy(s));
  cudaFree(dA), cudaFree(db), cudaFree(x), cudaFree(xn), cudaFree(ds);
}
// --- memory nodes
__global__ void square_all(const float* in, float* out, int n) {
  for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += blockDim.x * gridDim.x)
    out[i] = in[i] * in[i];
}
__global__ void negate(const float* in, float* out, int n) {
  for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += blockDim.x * gridDim.x) out[i] = -in[i];
}
__global__ void check(const float* a, const float* b, int* bad, int n) {
  for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += blockDim.x * gridDim.x)
    if (a[i] != -b[i] * b[i]) atomicAdd(bad, 1);
}
void memory_nodes() {
  const int n = 5000;
  std::vector<float> h(n);
  for (int i = 0; i < n; ++i) h[i] = i % 100;
  float* in = to_device(h);
  int* bad;
  CHECK(cudaMallocManaged(&bad, 4));
  cudaStream_t s;
  CHECK(cudaStreamCreate(&s));
  for (int way = 0; way < 4; ++way) {
    *bad = 0;
    cudaGraph_t g;
    float *sq,
        *ng;  // way 0, 1: freed in the graph (by hand / captured); 2: freed outside; 3: freed in another graph
    if (way == 0) {
      CHECK(cudaGraphCreate(&g, 0));
      cudaGraphNode_t a1, a2, k1, k2, k3, f1, f2;
      cudaMemAllocNodeParams ap = {};
      ap.bytesize = n * 4;
      ap.poolProps.allocType = cudaMemAllocationTypePinned;
      ap.poolProps.location = {cudaMemLocationTypeDevice, 0};
      CHECK(cudaGraphAddMemAllocNode(&a1, g, nullptr, 0, &ap));
      sq = (float*)ap.dptr;
      CHECK(cudaGraphAddMemAllocNode(&a2, g, nullptr, 0, &ap));
      ng = (float*)ap.dptr;
      int nn = n;
      void* p1[] = {&in, &sq, &nn};
      void* p2[] = {&sq, &ng, &nn};
      void* p3[] = {&ng, &in, &bad, &nn};
      cudaKernelNodeParams kp = {(void*)square_all, dim3(20), dim3(128), 0, p1, nullptr};
      CHECK(cudaGraphAddKernelNode(&k1, g, &a1, 1, &kp));
      kp.func = (void*)negate;
      kp.kernelParams = p2;
      cudaGraphNode_t d[] = {k1, a2};
      CHECK(cudaGraphAddKernelNode(&k2, g, d, 2, &kp));
      CHECK(cudaGraphAddMemFreeNode(&f1, g, &k2, 1, sq));
      kp.func = (void*)check;
      kp.kernelParams = p3;
      CHECK(cudaGraphAddKernelNode(&k3, g, &k2, 1, &kp));
      CHECK(cudaGraphAddMemFreeNode(&f2, g, &k3, 1, ng));
      cudaMemAllocNodeParams q;
      CHECK(cudaGraphMemAllocNodeGetParams(a1, &q));
      EXPECT(q.dptr == sq && q.bytesize == n * 4);
    } else {
      CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
      CHECK(cudaMallocAsync(&sq, n * 4, s));
      CHECK(cudaMallocAsync(&ng, n * 4, s));
      square_all<<<20, 128, 0, s>>>(in, sq, n);
      negate<<<20, 128, 0, s>>>(sq, ng, n);
      CHECK(cudaFreeAsync(sq, s));
      check<<<20, 128, 0, s>>>(ng, in, bad, n);
      if (way == 1) CHECK(cudaFreeAsync(ng, s));
      CHECK(cudaStreamEndCapture(s, &g));
    }
    cudaGraphExec_t x;
    CHECK(cudaGraphInstantiate(&x, g, 0));
    CHECK(cudaGraphDestroy(g));
    if (way < 2) {
      for (int i = 0; i < 3; ++i) CHECK(cudaGraphLaunch(x, s));
    } else if (way == 2) {
      for (int i = 0; i < 3; ++i) {
        CHECK(cudaGraphLaunch(x, s));
        negate<<<1, 64, 0, s>>>(ng, ng, 64);
        CHECK(cudaFreeAsync(ng, s));
      }
      CHECK(cudaGraphLaunch(x, s));
      CHECK(cudaStreamSynchronize(s));
      CHECK(cudaFree(ng));
    } else {
      cudaGraph_t g2;
      cudaGraphExec_t x2;
      CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
      check<<<20, 128, 0, s>>>(ng, in, bad, n);
      CHECK(cudaFreeAsync(ng, s));
      CHECK(cudaStreamEndCapture(s, &g2));
      CHECK(cudaGraphInstantiate(&x2, g2, 0));
      for (int i = 0; i < 2; ++i) {
        CHECK(cudaGraphLaunch(x, s));
        CHECK(cudaGraphLaunch(x2, s));
      }
      CHECK(cudaStreamSynchronize(s));
      CHECK(cudaGraphExecDestroy(x2));
      CHECK(cudaGraphDestroy(g2));
    }
    CHECK(cudaStreamSynchronize(s));
    EXPECT(*bad == 0);
    CHECK(cudaGraphExecDestroy(x));
  }
  unsigned long long v;
  CHECK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &v));
  EXPECT(v == 0);
  CHECK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrReservedMemCurrent, &v));
  EXPECT(v > 0);
  CHECK(cudaDeviceGraphMemTrim(0));
  CHECK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrReservedMemCurrent, &v));
  EXPECT(v == 0);
  {
    cudaGraph_t g;
    float* a;
    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    CHECK(cudaMallocAsync(&a, 4096, s));
    CHECK(cudaMemsetAsync(a, 0, 4096, s));
    CHECK(cudaStreamEndCapture(s, &g));
    cudaGraphExec_t x;
    CHECK(cudaGraphInstantiate(&x, g, cudaGraphInstantiateFlagAutoFreeOnLaunch));
    for (int i = 0; i < 3; ++i) CHECK(cudaGraphLaunch(x, s));
    CHECK(cudaStreamSynchronize(s));
    CHECK(cudaGraphExecDestroy(x));
    CHECK(cudaGraphDestroy(g));
    CHECK(cudaFree(a));
  }
  CHECK(cudaStreamDestroy(s));
  cudaFree(in);
  cudaFree(bad);
}
// --- cooperative and cluster kernels captured, attributes kept, programmatic launch
__global__ void coop(int* p, int n) {
  auto g = cg::this_grid();
  for (int i = g.thread_rank(); i < n; i += g.size()) p[i] = i;
  g.sync();
  for (int i = g.thread_rank(); i < n; i += g.size()) atomicAdd(&p[n], p[n - 1 - i]);
}
__global__ void clustered(int* p) {
  auto c = cg::this_cluster();
  __shared__ int v;
  if (threadIdx.x == 0) v = blockIdx.x;
  c.sync();
  if (threadIdx.x == 0) p[blockIdx.x] = *c.map_shared_rank(&v, c.block_rank() ^ 1);
  c.sync();
}
__global__ void first(int* p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] = i + 5;
  cudaTriggerProgrammaticLaunchCompletion();
}
__global__ void second(const int* p, int* q, int n) {
  cudaGridDependencySynchronize();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) q[i] = p[i] * 2;
}
void launches_in_graphs() {
  cudaStream_t s;
  CHECK(cudaStreamCreate(&s));
  int *p, *q;
  const int n = 512;
  CHECK(cudaMalloc(&p, 4096));
  CHECK(cudaMalloc(&q, 4096));
  CHECK(cudaMemset(p, 0, 4096));
  cudaGraph_t g;
  cudaGraphExec_t x;
  CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
  CHECK(cudaMemsetAsync(p + n, 0, 4, s));
  int nn = n;
  void* a[] = {&p, &nn};
  CHECK(cudaLaunchCooperativeKernel((void*)coop, dim3(4), dim3(64), a, 0, s));
  cudaLaunchConfig_t c = {};
  cudaLaunchAttribute at[2] = {};
  c.gridDim = 8;
  c.blockDim = 32;
  c.stream = s;
  c.attrs = at;
  c.numAttrs = 1;
  at[0].id = cudaLaunchAttributeClusterDimension;
  at[0].val.clusterDim = {2, 1, 1};
  CHECK(cudaLaunchKernelEx(&c, clustered, q));
  CHECK(cudaStreamEndCapture(s, &g));
  CHECK(cudaGraphInstantiate(&x, g, 0));
  CHECK(cudaGraphLaunch(x, s));
  CHECK(cudaGraphLaunch(x, s));
  CHECK(cudaStreamSynchronize(s));
  EXPECT(to_host(p, n + 1)[n] == n * (n - 1) / 2);
  EXPECT(to_host(q, 8)[4] == 5);
  cudaGraphNode_t nodes[3];
  size_t cnt = 3;
  CHECK(cudaGraphGetNodes(g, nodes, &cnt));
  cudaKernelNodeAttrValue v;
  CHECK(cudaGraphKernelNodeGetAttribute(nodes[1], cudaLaunchAttributeCooperative, &v));
  EXPECT(v.cooperative == 1);
  CHECK(cudaGraphKernelNodeGetAttribute(nodes[2], cudaLaunchAttributeClusterDimension, &v));
  EXPECT(v.clusterDim.x == 2);
  CHECK(cudaGraphExecDestroy(x));
  CHECK(cudaGraphDestroy(g));
  CHECK(cudaGraphCreate(&g, 0));
  cudaKernelNodeParams kp = {(void*)coop, dim3(4), dim3(64), 0, a, nullptr};
  cudaGraphNode_t k;
  CHECK(cudaGraphAddKernelNode(&k, g, nullptr, 0, &kp));
  v = {};
  v.cooperative = 1;
  CHECK(cudaGraphKernelNodeSetAttribute(k, cudaLaunchAttributeCooperative, &v));
  CHECK(cudaGraphInstantiate(&x, g, 0));
  CHECK(cudaMemset(p, 0, 4096));
  CHECK(cudaGraphLaunch(x, s));
  CHECK(cudaStreamSynchronize(s));
  EXPECT(to_host(p, n + 1)[n] == n * (n - 1) / 2);
  CHECK(cudaGraphExecDestroy(x));
  CHECK(cudaGraphDestroy(g));
  for (int cap = 0; cap < 2; ++cap) {
    if (cap) CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    c = {};
    c.gridDim = 4;
    c.blockDim = 128;
    c.stream = s;
    c.attrs = at;
    first<<<4, 128, 0, s>>>(p, n);
    at[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    at[0].val.programmaticStreamSerializationAllowed = 1;
    at[1].id = cudaLaunchAttributePriority;
    at[1].val.priority = -1;
    c.numAttrs = 2;
    CHECK(cudaLaunchKernelEx(&c, second, (const int*)p, q, n));
    if (cap) {
      CHECK(cudaStreamEndCapture(s, &g));
      cudaGraphEdgeData ed[1];
      cudaGraphNode_t fr[1], to[1];
      size_t ec = 1;
      CHECK(cudaGraphGetEdges(g, fr, to, ed, &ec));
      EXPECT(ed[0].type == cudaGraphDependencyTypeProgrammatic);
      CHECK(cudaGraphInstantiate(&x, g, 0));
      CHECK(cudaGraphLaunch(x, s));
      CHECK(cudaGraphExecDestroy(x));
      CHECK(cudaGraphDestroy(g));
    }
    CHECK(cudaStreamSynchronize(s));
    EXPECT(to_host(q, n)[n - 1] == 2 * (n + 4));
  }
  CHECK(cudaStreamDestroy(s));
  cudaFree(p);
  cudaFree(q);
}
int main() {
  simple_graphs();
  jacobis();
  memory_nodes();
  launches_in_graphs();
  return ok();
}
