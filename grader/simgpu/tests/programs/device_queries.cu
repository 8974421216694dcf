// deviceQuery, topologyQuery, occupancy, attributes and clocks
#include <cooperative_groups.h>
#include <curand_kernel.h>
#include <cstring>
#include <string>
#include "program.hpp"
namespace cg = cooperative_groups;
__global__ void square(float* p, int n) {
  extern __shared__ float s[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    s[threadIdx.x] = p[i];
    p[i] = s[threadIdx.x] * s[threadIdx.x];
  }
}
__global__ void timed(const float* in, float* out, clock_t* t) {
  extern __shared__ float sh[];
  int tid = threadIdx.x, bid = blockIdx.x;
  if (tid == 0) t[bid] = clock();
  sh[tid] = in[tid];
  sh[tid + blockDim.x] = in[tid + blockDim.x];
  for (int d = blockDim.x; d > 0; d /= 2) {
    __syncthreads();
    if (tid < d) {
      float a = sh[tid], b = sh[tid + d];
      if (b < a) sh[tid] = b;
    }
  }
  if (tid == 0) out[bid] = sh[0];
  __syncthreads();
  if (tid == 0) t[bid + gridDim.x] = clock();
}
__global__ void attrs(int* o) {
  if (blockIdx.x != 0 || threadIdx.x != 0) return;
  o[0] = warpSize;
  o[1] = gridDim.x;
  unsigned sm, ns, wid, nw;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  asm volatile("mov.u32 %0, %%nsmid;" : "=r"(ns));
  asm volatile("mov.u32 %0, %%warpid;" : "=r"(wid));
  asm volatile("mov.u32 %0, %%nwarpid;" : "=r"(nw));
  o[2] = sm;
  o[3] = ns;
  o[4] = wid;
  o[5] = nw;
  unsigned lm;
  asm("mov.u32 %0, %%lanemask_gt;" : "=r"(lm));
  o[6] = lm;
#ifdef __CUDA_ARCH__
  o[7] = __CUDA_ARCH__;
#endif
  unsigned long long gt;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(gt));
  o[8] = gt > 0;
}
__global__ void rng(float* o, unsigned long long seed) {
  curandState st;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  curand_init(seed, i, 0, &st);
  double s = 0;
  for (int k = 0; k < 50; ++k) s += curand_uniform(&st);
  o[i] = s / 50;
  curandStatePhilox4_32_10_t ph;
  curand_init(seed, i, 0, &ph);
  float4 f = curand_normal4(&ph);
  o[i] += 0 * f.x;
}
struct FourBytesEach {
  __host__ __device__ std::size_t operator()(int threads) const { return 4 * std::size_t(threads); }
};

int main() {
  int n;
  CHECK(cudaGetDeviceCount(&n));
  EXPECT(n == 2);
  for (int d = 0; d < n; ++d) {
    CHECK(cudaSetDevice(d));
    cudaDeviceProp p;
    CHECK(cudaGetDeviceProperties(&p, d));
    int drv, rt;
    CHECK(cudaDriverGetVersion(&drv));
    CHECK(cudaRuntimeGetVersion(&rt));
    EXPECT(drv >= rt);
    printf("%s %d.%d %zu MB %d SMs l2 %d warp %d pci %04x:%02x:%02x.0\n", p.name, p.major, p.minor,
           p.totalGlobalMem >> 20, p.multiProcessorCount, p.l2CacheSize, p.warpSize, p.pciDomainID,
           p.pciBusID, p.pciDeviceID);
    int v;
    auto get = [&](cudaDeviceAttr a) {
      CHECK(cudaDeviceGetAttribute(&v, a, d));
      return v;
    };
    EXPECT(get(cudaDevAttrClockRate) > 1000000);
    EXPECT(get(cudaDevAttrMemoryClockRate) > 1000000);
    printf(
        "compute mode %d kernel timeout %d coop %d single-double ratio %d tcc %d direct managed %d pageable "
        "%d host native atomics %d\n",
        get(cudaDevAttrComputeMode), get(cudaDevAttrKernelExecTimeout), get(cudaDevAttrCooperativeLaunch),
        get(cudaDevAttrSingleToDoublePrecisionPerfRatio), get(cudaDevAttrTccDriver),
        get(cudaDevAttrDirectManagedMemAccessFromHost), get(cudaDevAttrPageableMemoryAccess),
        get(cudaDevAttrHostNativeAtomicSupported));
    double bw = 2.0 * get(cudaDevAttrMemoryClockRate) * (get(cudaDevAttrGlobalMemoryBusWidth) / 8) / 1e6;
    printf("theoretical %.1f GB/s\n", bw);
    EXPECT(bw > 100);
    for (int a = 1; a < 150; ++a) {
      if (cudaDeviceGetAttribute(&v, (cudaDeviceAttr)a, d) != cudaSuccess) printf("attr %d unknown\n", a);
      cudaGetLastError();
    }
    char bus[20];
    int back;
    CHECK(cudaDeviceGetPCIBusId(bus, 20, d));
    CHECK(cudaDeviceGetByPCIBusId(&back, bus));
    EXPECT(back == d);
    for (int e = 0; e < n; ++e)
      if (e != d) {
        int x;
        CHECK(cudaDeviceCanAccessPeer(&x, d, e));
        EXPECT(x == 1);
        CHECK(cudaDeviceGetP2PAttribute(&x, cudaDevP2PAttrPerformanceRank, d, e));
        CHECK(cudaDeviceGetP2PAttribute(&x, cudaDevP2PAttrAccessSupported, d, e));
        EXPECT(x == 1);
        CHECK(cudaDeviceGetP2PAttribute(&x, cudaDevP2PAttrNativeAtomicSupported, d, e));
        CHECK(cudaDeviceGetP2PAttribute(&x, cudaDevP2PAttrCudaArrayAccessSupported, d, e));
      }
  }
  CHECK(cudaSetDevice(0));
  int bs, mg, act;
  CHECK(cudaOccupancyMaxPotentialBlockSize(&mg, &bs, square, 0, 0));
  CHECK(cudaOccupancyMaxPotentialBlockSizeVariableSMem(&mg, &bs, square, FourBytesEach{}, 0));
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&act, square, bs, bs * 4));
  cudaDeviceProp p;
  CHECK(cudaGetDeviceProperties(&p, 0));
  double occ = (double)act * bs / p.maxThreadsPerMultiProcessor;
  printf("block %d grid %d occupancy %.2f\n", bs, mg, occ);
  EXPECT(occ == 1);
  EXPECT(mg == p.multiProcessorCount * act);
  std::vector<float> in(512);
  for (int i = 0; i < 512; ++i) in[i] = (i * 37) % 512 + 1;
  float *di = to_device(in), *dout;
  clock_t* t;
  CHECK(cudaMalloc(&dout, 256));
  CHECK(cudaMalloc(&t, 2 * 64 * sizeof(clock_t)));
  timed<<<64, 256, 2 * 256 * 4>>>(di, dout, t);
  auto ht = to_host(t, 128);
  double avg = 0;
  for (int i = 0; i < 64; ++i) {
    EXPECT(ht[64 + i] > ht[i]);
    avg += ht[64 + i] - ht[i];
  }
  printf("average clocks %.1f\n", avg / 64);
  EXPECT(to_host(dout, 64)[63] == 1);
  int* o;
  CHECK(cudaMalloc(&o, 64));
  attrs<<<3, 32>>>(o);
  auto h = to_host(o, 9);
  EXPECT(h[0] == 32 && h[1] == 3 && h[3] >= p.multiProcessorCount && h[2] < h[3] && h[5] == 64 &&
         h[7] == 900 && h[8] == 1);
  float* r;
  CHECK(cudaMalloc(&r, 512 * 4));
  rng<<<4, 128>>>(r, 1234);
  auto hr = to_host(r, 512);
  double m = 0;
  for (float x : hr) m += x;
  EXPECT(std::fabs(m / 512 - 0.5) < 0.02);
  cudaFree(di), cudaFree(dout), cudaFree(t), cudaFree(o), cudaFree(r);
  return ok();
}
