// Zero-copy, registered, managed with prefetch and advice, managed variables, pools, constant memory, symbols, attributes.
#include "program.hpp"

__managed__ int shared_counter = 5;
__constant__ float coefficients[8];
__device__ int table[4] = {1, 2, 3, 4};

__global__ void touch(int* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] = data[i] * 2 + 1;
  if (i == 0) atomicAdd(&shared_counter, 1);
}
__global__ void polynomial(const float* x, float* y, int n) {
  const int i = threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  for (int k = 7; k >= 0; --k) sum = sum * x[i] + coefficients[k];
  y[i] = sum + table[i % 4];
}

int main() {
  const int n = 1000;
  int *mapped = nullptr, *view = nullptr;
  CHECK(cudaHostAlloc(&mapped, n * sizeof(int), cudaHostAllocMapped));
  for (int i = 0; i < n; ++i) mapped[i] = i;
  CHECK(cudaHostGetDevicePointer(&view, mapped, 0));
  touch<<<4, 256>>>(view, n);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < n; ++i) EXPECT(mapped[i] == 2 * i + 1);
  EXPECT(shared_counter == 6);
  cudaPointerAttributes attributes;
  CHECK(cudaPointerGetAttributes(&attributes, mapped));
  EXPECT(attributes.type == cudaMemoryTypeHost);
  CHECK(cudaFreeHost(mapped));

  alignas(
      4096) static int own[4096];  // at a page's begin in each run, so that each run touches the same sectors
  CHECK(cudaHostRegister(own, sizeof own, cudaHostRegisterMapped));
  CHECK(cudaHostGetDevicePointer(&view, own, 0));
  touch<<<16, 256>>>(view, 4096);
  CHECK(cudaDeviceSynchronize());
  for (int v : own) EXPECT(v == 1);
  CHECK(cudaHostUnregister(own));

  int* managed = nullptr;
  CHECK(cudaMallocManaged(&managed, n * sizeof(int)));
  for (int i = 0; i < n; ++i) managed[i] = -i;
  cudaMemLocation here = {cudaMemLocationTypeDevice, 0}, host = {cudaMemLocationTypeHost, 0};
  CHECK(cudaMemAdvise(managed, n * sizeof(int), cudaMemAdviseSetPreferredLocation, here));
  CHECK(cudaMemAdvise(managed, n * sizeof(int), cudaMemAdviseSetReadMostly, here));
  CHECK(cudaMemPrefetchAsync(managed, n * sizeof(int), here, 0, nullptr));
  touch<<<4, 256>>>(managed, n);
  CHECK(cudaMemPrefetchAsync(managed, n * sizeof(int), host, 0, nullptr));
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < n; ++i) EXPECT(managed[i] == -2 * i + 1);
  int last = -5;
  CHECK(cudaMemRangeGetAttribute(&last, sizeof last, cudaMemRangeAttributeLastPrefetchLocation, managed,
                                 n * sizeof(int)));
  EXPECT(last == cudaCpuDeviceId);
  CHECK(cudaFree(managed));
  shared_counter = 40;
  touch<<<1, 32>>>(view = nullptr, 0);
  CHECK(cudaDeviceSynchronize());
  EXPECT(shared_counter == 41);

  const float c[8] = {1, -2, 0.5f, 3, 0, 0.25f, -1, 2};
  CHECK(cudaMemcpyToSymbol(coefficients, c, sizeof c));
  const float three = 3;
  CHECK(cudaMemcpyToSymbol(coefficients, &three, sizeof three, 4 * sizeof(float)));
  int changed[4] = {10, 20, 30, 40}, *table_address = nullptr;
  CHECK(cudaGetSymbolAddress((void**)&table_address, table));
  CHECK(cudaMemcpy(table_address, changed, sizeof changed, cudaMemcpyHostToDevice));
  std::size_t bytes = 0;
  CHECK(cudaGetSymbolSize(&bytes, coefficients));
  EXPECT(bytes == 32);
  std::vector<float> x(32);
  for (int i = 0; i < 32; ++i) x[i] = i / 32.0f;
  float *dx = to_device(x), *dy = nullptr;
  CHECK(cudaMalloc(&dy, 32 * sizeof(float)));
  polynomial<<<1, 32>>>(dx, dy, 32);
  const auto y = to_host(dy, 32);
  for (int i = 0; i < 32; ++i) {
    double sum = 0;
    for (int k = 7; k >= 0; --k) sum = sum * x[i] + (k == 4 ? 3 : c[k]);
    EXPECT(close(y[i], sum + changed[i % 4]));
  }
  int read[4];
  CHECK(cudaMemcpyFromSymbol(read, table, sizeof read));
  EXPECT(read[3] == 40);

  // Stream-ordered pools.
  cudaMemPool_t pool, own_pool;
  CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
  unsigned long long threshold = ~0ull, used = 0;
  CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
  cudaMemPoolProps properties = {};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
  CHECK(cudaMemPoolCreate(&own_pool, &properties));
  int *a = nullptr, *b = nullptr;
  CHECK(cudaMallocAsync(&a, 4000, nullptr));
  CHECK(cudaMallocFromPoolAsync(&b, 4000, own_pool, nullptr));
  CHECK(cudaMemsetAsync(a, 0, 4000));
  touch<<<4, 256>>>(a, 1000);
  CHECK(cudaMemcpyAsync(b, a, 4000, cudaMemcpyDeviceToDevice));
  EXPECT(to_host(b, 1000)[999] == 1);
  CHECK(cudaMemPoolGetAttribute(own_pool, cudaMemPoolAttrUsedMemCurrent, &used));
  EXPECT(used >= 4000);
  CHECK(cudaFreeAsync(a, nullptr));
  CHECK(cudaFreeAsync(b, nullptr));
  CHECK(cudaStreamSynchronize(nullptr));
  CHECK(cudaMemPoolTrimTo(pool, 0));
  CHECK(cudaMemPoolDestroy(own_pool));
  std::size_t free = 0, total = 0;
  CHECK(cudaMemGetInfo(&free, &total));
  EXPECT(free > 0 && free <= total);
  return ok();
}
