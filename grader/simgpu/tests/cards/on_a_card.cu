/// @file
/// What a program sees of the simulated card: its limits, and the error for what it lacks. Built as three programs, since PTX decides what
/// loads at all: for compute capability 7.5, for 7.5 with cp.async in inline PTX, and for 9.0 alone.
///
/// usage: on_a_card NAME MAJOR MINOR THREADS_PER_SM SHARED_OPTIN_BYTES CLUSTERS EXPECTED_STATUS
///   EXPECTED_STATUS of the first launch: 0, or the number of a cudaError_t
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

int failures = 0;

void expect(bool well, const char* what, long long got, long long want) {
  if (well) return;
  std::printf("FAILED: %s: got %lld, wanted %lld\n", what, got, want);
  ++failures;
}

void expect_equal(const char* what, long long got, long long want) {
  expect(got == want, what, got, want);
}

__global__ void add(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef WITH_CP_ASYNC
  __shared__ alignas(16) float staged[256];
  const auto to = static_cast<unsigned>(__cvta_generic_to_shared(&staged[threadIdx.x]));
  if (i < n) asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(a + i) : "memory");
  asm volatile("cp.async.wait_all;" ::: "memory");
  if (i < n) c[i] = staged[threadIdx.x] + b[i];
#else
  if (i < n) c[i] = a[i] + b[i];
#endif
}

__global__ void reverse_block(float* data) {
  extern __shared__ float tile[];
  tile[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 8) return 2;
  const int major = std::atoi(argv[2]), minor = std::atoi(argv[3]), threads = std::atoi(argv[4]);
  const int optin = std::atoi(argv[5]), clusters = std::atoi(argv[6]), expected = std::atoi(argv[7]);

  cudaDeviceProp p;
  expect_equal("cudaGetDeviceProperties", cudaGetDeviceProperties(&p, 0), cudaSuccess);
  expect(std::strstr(p.name, argv[1]) != nullptr, p.name, 0, 1);
  expect_equal("major", p.major, major);
  expect_equal("minor", p.minor, minor);
  expect_equal("threads of an SM", p.maxThreadsPerMultiProcessor, threads);
  expect_equal("shared memory by opt-in", static_cast<long long>(p.sharedMemPerBlockOptin), optin);
  expect_equal("clusters", p.clusterLaunch, clusters);
  int attribute = -1;
  cudaDeviceGetAttribute(&attribute, cudaDevAttrComputeCapabilityMajor, 0);
  expect_equal("major, as attribute", attribute, major);

  constexpr int n = 1000;
  std::vector<float> a(n), b(n), c(n);
  for (int i = 0; i < n; ++i) a[i] = static_cast<float>(i), b[i] = static_cast<float>(2 * i);
  float *da = nullptr, *db = nullptr, *dc = nullptr;
  cudaMalloc(&da, n * sizeof(float)), cudaMalloc(&db, n * sizeof(float)), cudaMalloc(&dc, n * sizeof(float));
  cudaMemcpy(da, a.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(db, b.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  add<<<(n + 255) / 256, 256>>>(da, db, dc, n);
  const cudaError_t status = cudaGetLastError();
  expect_equal("the first launch", status, expected);
  if (status == cudaSuccess) {
    expect_equal("the kernel", cudaMemcpy(c.data(), dc, n * sizeof(float), cudaMemcpyDeviceToHost),
                 cudaSuccess);
    expect_equal("the last sum", static_cast<long long>(c[n - 1]), 3 * (n - 1));

    // What the card allows, and one byte more.
    expect_equal("opting in",
                 cudaFuncSetAttribute(reverse_block, cudaFuncAttributeMaxDynamicSharedMemorySize, optin),
                 cudaSuccess);
    expect_equal("opting in too far",
                 cudaFuncSetAttribute(reverse_block, cudaFuncAttributeMaxDynamicSharedMemorySize, optin + 1),
                 cudaErrorInvalidValue);
    cudaGetLastError();
    reverse_block<<<1, 256, optin>>>(da);
    expect_equal("a block with all of it", cudaDeviceSynchronize(), cudaSuccess);
    int blocks = 0;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, reverse_block, 256, 1024);
    expect_equal("resident blocks", blocks, threads / 256);

    cudaLaunchConfig_t config{};
    config.gridDim = dim3(2);
    config.blockDim = dim3(256);
    config.dynamicSmemBytes = 1024;
    cudaLaunchAttribute cluster{};
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = 2, cluster.val.clusterDim.y = 1, cluster.val.clusterDim.z = 1;
    config.attrs = &cluster;
    config.numAttrs = 1;
    expect_equal("a launch in clusters", cudaLaunchKernelEx(&config, reverse_block, da),
                 clusters ? cudaSuccess : cudaErrorNotSupported);
    cudaGetLastError();
    cudaDeviceSynchronize();
  }
  if (failures == 0) std::printf("%s: as expected\n", p.name);
  return failures != 0;
}
