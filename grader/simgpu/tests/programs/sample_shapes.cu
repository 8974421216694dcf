// Finite differences in 3D, an N-body step with double buffering, mergesort by binary search, and a segmented Mandelbrot: shapes
// of kernels that the toolkit's samples have.
#include <algorithm>
#include <utility>

#include "program.hpp"

__global__ void stencil(const float* in, float* out, int n) {
  __shared__ float plane[18][18];
  const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y, tx = threadIdx.x + 1,
            ty = threadIdx.y + 1;
  auto at = [&](int i, int j, int k) {
    return i >= 0 && i < n && j >= 0 && j < n && k >= 0 && k < n ? in[(k * n + j) * n + i] : 0.0f;
  };
  float below = 0, here = at(x, y, 0), above;
  for (int z = 0; z < n; ++z) {
    above = at(x, y, z + 1);
    __syncthreads();
    plane[ty][tx] = here;
    if (tx == 1) plane[ty][0] = at(x - 1, y, z);
    if (tx == 16) plane[ty][17] = at(x + 1, y, z);
    if (ty == 1) plane[0][tx] = at(x, y - 1, z);
    if (ty == 16) plane[17][tx] = at(x, y + 1, z);
    __syncthreads();
    out[(z * n + y) * n + x] = below + above + plane[ty][tx - 1] + plane[ty][tx + 1] + plane[ty - 1][tx] +
                               plane[ty + 1][tx] - 6 * here;
    below = here;
    here = above;
  }
}

__global__ void bodies(const float4* in, float4* force, int n) {
  extern __shared__ float4 tile[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float4 me = in[i];
  float3 sum = {0, 0, 0};
  for (int base = 0; base < n; base += blockDim.x) {
    tile[threadIdx.x] = in[base + threadIdx.x];
    __syncthreads();
#pragma unroll 8
    for (int k = 0; k < blockDim.x; ++k) {
      const float4 o = tile[k];
      const float dx = o.x - me.x, dy = o.y - me.y, dz = o.z - me.z,
                  d = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
      const float s = o.w * d * d * d;
      sum.x += dx * s, sum.y += dy * s, sum.z += dz * s;
    }
    __syncthreads();
  }
  force[i] = make_float4(sum.x, sum.y, sum.z, 0);
}

__global__ void merge(const int* in, int* out, int run, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int pair = i / (2 * run) * 2 * run, middle = min(pair + run, n), end = min(pair + 2 * run, n);
  const bool left = i < middle;
  int lo = left ? middle : pair, hi = left ? end : middle;
  const int first = lo, v = in[i];
  while (lo < hi) {
    const int m = (lo + hi) / 2;
    if (left ? in[m] < v : in[m] <= v)
      lo = m + 1;
    else
      hi = m;
  }
  out[pair + (i - (left ? pair : middle)) + (lo - first)] = v;
}

__global__ void mandelbrot(unsigned char* out, int w, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  const double cx = -2 + 3.0 * x / w, cy = -1 + 2.0 * y / h;
  double a = 0, b = 0;
  int k = 0;
  for (; k < 100 && a * a + b * b < 4; ++k) {
    const double t = __dadd_rn(__dsub_rn(__dmul_rn(a, a), __dmul_rn(b, b)), cx);
    b = __dadd_rn(__dmul_rn(2 * a, b), cy);
    a = t;
  }
  out[y * w + x] = static_cast<unsigned char>(k);
}

int main() {
  const int n = 32;
  std::vector<float> grid(n * n * n);
  for (std::size_t i = 0; i < grid.size(); ++i) grid[i] = float((i * 31) % 57);
  float *in = to_device(grid), *out = nullptr;
  CHECK(cudaMalloc(&out, grid.size() * sizeof(float)));
  stencil<<<dim3(2, 2), dim3(16, 16)>>>(in, out, n);
  const auto laplace = to_host(out, grid.size());
  auto at = [&](int i, int j, int k) {
    return i >= 0 && i < n && j >= 0 && j < n && k >= 0 && k < n ? grid[(k * n + j) * n + i] : 0.0f;
  };
  for (int z = 0; z < n; ++z)
    for (int y = 0; y < n; ++y)
      for (int x = 0; x < n; ++x)
        EXPECT(laplace[(z * n + y) * n + x] == at(x - 1, y, z) + at(x + 1, y, z) + at(x, y - 1, z) +
                                                   at(x, y + 1, z) + at(x, y, z - 1) + at(x, y, z + 1) -
                                                   6 * at(x, y, z));

  std::vector<float4> points(256);
  for (int i = 0; i < 256; ++i) points[i] = make_float4(std::sin(i), std::cos(3 * i), i / 256.0f, 1 + i % 3);
  float4 *dp = to_device(points), *df = nullptr;
  CHECK(cudaMalloc(&df, 256 * sizeof(float4)));
  bodies<<<4, 64, 64 * sizeof(float4)>>>(dp, df, 256);
  const auto force = to_host(df, 256);
  for (int i = 0; i < 256; ++i) {
    double s[3] = {};
    for (const float4& o : points) {
      const double dx = o.x - points[i].x, dy = o.y - points[i].y, dz = o.z - points[i].z;
      const double d = std::pow(dx * dx + dy * dy + dz * dz + 0.01f, -1.5) * o.w;
      s[0] += dx * d, s[1] += dy * d, s[2] += dz * d;
    }
    EXPECT(close(force[i].x, s[0], 1e-3) && close(force[i].y, s[1], 1e-3) && close(force[i].z, s[2], 1e-3));
  }

  std::vector<int> keys(3000);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = int(i * 7919 % 1009);
  int *a = to_device(keys), *b = nullptr;
  CHECK(cudaMalloc(&b, keys.size() * sizeof(int)));
  for (int run = 1; run < int(keys.size()); run *= 2) {
    merge<<<12, 256>>>(a, b, run, int(keys.size()));
    std::swap(a, b);
  }
  std::sort(keys.begin(), keys.end());
  EXPECT(to_host(a, keys.size()) == keys);

  unsigned char* picture = nullptr;
  CHECK(cudaMalloc(&picture, 90 * 60));
  mandelbrot<<<dim3(6, 8), dim3(16, 8)>>>(picture, 90, 60);
  const auto counts = to_host(picture, 90 * 60);
  for (int y = 0; y < 60; ++y)
    for (int x = 0; x < 90; ++x) {
      const double cx = -2 + 3.0 * x / 90, cy = -1 + 2.0 * y / 60;
      volatile double p = 0, q = 0;
      int k = 0;
      for (; k < 100 && p * p + q * q < 4; ++k) {
        volatile double pp = p * p, qq = q * q, pq = 2 * p;
        volatile double difference = pp - qq, product = pq * q;
        p = difference + cx;
        q = product + cy;
      }
      EXPECT(std::abs(counts[y * 90 + x] - k) <= 1);
    }
  return ok();
}
