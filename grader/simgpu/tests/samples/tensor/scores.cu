/// @file
/// Attention scores of a few heads, written as libraries write them: ldmatrix, mma.sync, and a softmax over the lanes that share a row.
#include <cuda_fp16.h>

#include <cmath>

#include "buffer.cuh"

constexpr int kKeys = 16, kQueries = 16, kWidth = 32;  // of one head

__device__ unsigned shared_address(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}
__device__ void load_four(unsigned (&r)[4], const __half* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(shared_address(row)));
}
__device__ void multiply(float (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, "
      "%1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
__device__ float of_row(float v, bool maximum) {
  for (int step = 1; step < 4; step *= 2) {
    const float other = __shfl_xor_sync(0xFFFFFFFF, v, step);
    v = maximum ? fmaxf(v, other) : v + other;
  }
  return v;
}

/// A warp for each head: softmax of queries times keys.
__global__ void scores(const __half* queries, const __half* keys, float* out) {
  __shared__ __align__(16) __half q[kQueries][kWidth], k[kKeys][kWidth];
  const int lane = threadIdx.x, head = blockIdx.x;
  for (int i = lane; i < kQueries * kWidth; i += 32) {
    q[i / kWidth][i % kWidth] = queries[head * kQueries * kWidth + i];
    k[i / kWidth][i % kWidth] = keys[head * kKeys * kWidth + i];
  }
  __syncwarp();
  float d[2][4] = {};
  for (int step = 0; step < kWidth; step += 16) {
    unsigned a[4], b[4];
    load_four(a, &q[lane % 16][step + lane / 16 * 8]);
    load_four(b, &k[lane % 8 + lane / 16 * 8][step + lane / 8 % 2 * 8]);
    multiply(d[0], a, b[0], b[1]);
    multiply(d[1], a, b[2], b[3]);
  }
  for (int half = 0; half < 2; ++half) {  // row lane / 4, and the one eight further
    float* own[4] = {&d[0][2 * half], &d[0][2 * half + 1], &d[1][2 * half], &d[1][2 * half + 1]};
    float most = *own[0], sum = 0;
    for (float* v : own) most = fmaxf(most, *v);
    most = of_row(most, true);
    for (float* v : own) sum += * v = expf(*v - most);
    sum = of_row(sum, false);
    for (int i = 0; i < 4; ++i)
      out[(head * kQueries + lane / 4 + 8 * half) * kKeys + i / 2 * 8 + lane % 4 * 2 + i % 2] = *own[i] / sum;
  }
}

int main() {
  const int heads = 6;
  std::vector<__half> q(heads * kQueries * kWidth), k(heads * kKeys * kWidth);
  for (std::size_t i = 0; i < q.size(); ++i)
    q[i] = __float2half(static_cast<float>(i * 37 % 101) / 100 - 0.5f);
  for (std::size_t i = 0; i < k.size(); ++i)
    k[i] = __float2half(static_cast<float>(i * 53 % 103) / 100 - 0.5f);
  Buffer<__half> d_q(q), d_k(k);
  Buffer<float> d_out(heads * kQueries * kKeys);
  scores<<<heads, 32>>>(d_q, d_k, d_out);
  CHECK_LAUNCH();
  const auto out = d_out.host();
  bool right = true;
  for (int row = 0; row < heads * kQueries; ++row) {
    const int head = row / kQueries;
    double score[kKeys], most = -1e9, sum = 0;
    for (int j = 0; j < kKeys; ++j) {
      score[j] = 0;
      for (int l = 0; l < kWidth; ++l)
        score[j] += static_cast<double>(__half2float(q[row * kWidth + l])) *
                    __half2float(k[(head * kKeys + j) * kWidth + l]);
      most = std::fmax(most, score[j]);
    }
    for (double& s : score) sum += s = std::exp(s - most);
    for (int j = 0; j < kKeys; ++j) right = right && std::fabs(out[row * kKeys + j] - score[j] / sum) < 1e-5;
  }
  return verdict(right);
}
