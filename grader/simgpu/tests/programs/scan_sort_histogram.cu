// Block scan with carries, bitonic sort, radix sort by bits, histograms with shared atomics, and a transpose.
#include <algorithm>

#include "program.hpp"

__global__ void scan_block(const unsigned* in, unsigned* out, unsigned* totals, int n) {
  __shared__ unsigned buffer[2][256];
  const int i = blockIdx.x * 256 + threadIdx.x, t = threadIdx.x;
  buffer[0][t] = i < n ? in[i] : 0;
  __syncthreads();
  int from = 0;
  for (int d = 1; d < 256; d *= 2) {
    buffer[1 - from][t] = buffer[from][t] + (t >= d ? buffer[from][t - d] : 0);
    from = 1 - from;
    __syncthreads();
  }
  if (i < n) out[i] = buffer[from][t];
  if (t == 255) totals[blockIdx.x] = buffer[from][t];
}

__global__ void add_carries(unsigned* out, const unsigned* totals, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (blockIdx.x > 0 && i < n) out[i] += totals[blockIdx.x - 1];
}

static void scan(const unsigned* in, unsigned* out, int n) {
  const int blocks = (n + 255) / 256;
  unsigned* totals = nullptr;
  CHECK(cudaMalloc(&totals, blocks * sizeof(unsigned)));
  scan_block<<<blocks, 256>>>(in, out, totals, n);
  if (blocks > 1) {
    scan(totals, totals, blocks);
    add_carries<<<blocks, 256>>>(out, totals, n);
  }
  CHECK(cudaFree(totals));
}

__global__ void bitonic_step(unsigned* data, unsigned j, unsigned k) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, other = i ^ j;
  if (other <= i) return;
  const unsigned a = data[i], b = data[other];
  if (((i & k) == 0) == (a > b)) data[i] = b, data[other] = a;
}

__global__ void zero_flags(const unsigned* in, unsigned* flags, int bit, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) flags[i] = !(in[i] >> bit & 1);
}
__global__ void scatter(const unsigned* in, const unsigned* sums, unsigned* out, int bit, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const bool zero = !(in[i] >> bit & 1);
  out[zero ? sums[i] - 1 : sums[n - 1] + i - sums[i]] = in[i];
}

__global__ void histogram(const unsigned char* in, unsigned* bins, int n) {
  __shared__ unsigned local[256];
  local[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&local[in[i]], 1u);
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

__global__ void transpose(const unsigned* in, unsigned* out, int w, int h) {
  __shared__ unsigned tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8)
    if (x < w && y + k < h) tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * w + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8)
    if (x < h && y + k < w) out[(y + k) * h + x] = tile[threadIdx.x][threadIdx.y + k];
}

int main() {
  const int n = 4096;
  std::vector<unsigned> in(n);
  unsigned state = 7;
  for (unsigned& v : in) v = (state = state * 1664525u + 1013904223u) >> 12;
  unsigned *d = to_device(in), *out = nullptr, *flags = nullptr;
  CHECK(cudaMalloc(&out, n * 4));
  CHECK(cudaMalloc(&flags, n * 4));
  scan(d, out, n);
  auto got = to_host(out, n);
  unsigned sum = 0;
  for (int i = 0; i < n; ++i) EXPECT(got[i] == (sum += in[i]));

  auto sorted = in;
  std::sort(sorted.begin(), sorted.end());
  CHECK(cudaMemcpy(out, d, n * 4, cudaMemcpyDeviceToDevice));
  for (unsigned k = 2; k <= n; k *= 2)
    for (unsigned j = k / 2; j > 0; j /= 2) bitonic_step<<<n / 256, 256>>>(out, j, k);
  EXPECT(to_host(out, n) == sorted);

  unsigned *a = d, *b = out, *sums = nullptr;
  CHECK(cudaMalloc(&sums, n * 4));
  for (int bit = 0; bit < 20; ++bit) {
    zero_flags<<<n / 256, 256>>>(a, flags, bit, n);
    scan(flags, sums, n);
    scatter<<<n / 256, 256>>>(a, sums, b, bit, n);
    std::swap(a, b);
  }
  EXPECT(to_host(a, n) == sorted);

  std::vector<unsigned char> bytes(70001);
  std::vector<unsigned> bins(256);
  for (std::size_t i = 0; i < bytes.size(); ++i) ++bins[bytes[i] = static_cast<unsigned char>(i * i / 3)];
  unsigned char* dbytes = to_device(bytes);
  unsigned* dbins = nullptr;
  CHECK(cudaMalloc(&dbins, 1024));
  CHECK(cudaMemset(dbins, 0, 1024));
  histogram<<<16, 256>>>(dbytes, dbins, int(bytes.size()));
  EXPECT(to_host(dbins, 256) == bins);

  transpose<<<dim3(3, 2), dim3(32, 8)>>>(b, out == b ? flags : out, 70, 50);
  const auto before = to_host(b, 3500), after = to_host(out == b ? flags : out, 3500);
  for (int y = 0; y < 50; ++y)
    for (int x = 0; x < 70; ++x) EXPECT(after[x * 50 + y] == before[y * 70 + x]);
  return ok();
}
