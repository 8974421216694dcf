/// @file
/// Reductions, scans and sorting, by blocks that meet at barriers. Part of fresh.cu.
#pragma once

#include "fresh.cuh"

namespace {

__global__ void sum_of_squares(const float* in, double* sum, std::size_t n) {
  __shared__ float part[512];
  float mine = 0;
  for (std::size_t i = global_index(); i < n; i += stride()) mine += in[i] * in[i];
  part[threadIdx.x] = mine;
  __syncthreads();
  for (unsigned d = 256; d > 0; d /= 2) {
    if (threadIdx.x < d) part[threadIdx.x] += part[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(sum, static_cast<double>(part[0]));
}
__global__ void first_greatest(const float4* in, unsigned long long* best, std::size_t n) {
  unsigned long long mine = 0;
  for (std::size_t i = global_index(); i < n; i += stride()) {
    const float4 v = in[i];
    const float values[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const unsigned long long key = static_cast<unsigned long long>(__float_as_uint(values[k])) << 32 |
                                     ~static_cast<unsigned>(4 * i + k);
      mine = key > mine ? key : mine;
    }
  }
  for (int d = 16; d > 0; d /= 2) {
    const unsigned long long other = __shfl_down_sync(~0u, mine, d);
    mine = other > mine ? other : mine;
  }
  if (threadIdx.x % 32 == 0) atomicMax(best, mine);
}
__global__ void scan_tiles(const int4* in, int4* out) {
  __shared__ int totals[8];
  const std::size_t i = global_index();
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int4 v = in[i];
  v.y += v.x, v.z += v.y, v.w += v.z;
  int sum = v.w;
#pragma unroll
  for (int d = 1; d < 32; d *= 2) {
    const int left = __shfl_up_sync(~0u, sum, d);
    if (lane >= d) sum += left;
  }
  if (lane == 31) totals[warp] = sum;
  __syncthreads();
  int before = sum - v.w;
  for (unsigned w = 0; w < warp; ++w) before += totals[w];
  out[i] = make_int4(v.x + before, v.y + before, v.z + before, v.w + before);
}
__global__ void spans_of_rows(const float* in, float* out, std::size_t rows) {
  const std::size_t row = global_index() / 32;
  if (row >= rows) return;
  float least = 1e30f, most = -1e30f;
  for (int c = threadIdx.x % 32; c < 200; c += 32) {
    const float v = in[row * 200 + c];
    least = fminf(least, v), most = fmaxf(most, v);
  }
  for (int d = 16; d > 0; d /= 2) {
    least = fminf(least, __shfl_xor_sync(~0u, least, d));
    most = fmaxf(most, __shfl_xor_sync(~0u, most, d));
  }
  if (threadIdx.x % 32 == 0) out[row] = most - least;
}
__global__ void column_moments(const float* in, float* out, int width, int rows_each) {
  __shared__ float part[2][8][32];
  const int x = blockIdx.x * 32 + threadIdx.x;
  float sum = 0, squares = 0;
  for (int r = threadIdx.y; r < rows_each; r += 8) {
    const float v = in[std::size_t(blockIdx.y * rows_each + r) * width + x];
    sum += v, squares += v * v;
  }
  part[0][threadIdx.y][threadIdx.x] = sum, part[1][threadIdx.y][threadIdx.x] = squares;
  __syncthreads();
  if (threadIdx.y < 2) {
    float total = 0;
    for (int r = 0; r < 8; ++r) total += part[threadIdx.y][r][threadIdx.x];
    atomicAdd(&out[threadIdx.y * width + x], total);
  }
}
__global__ void partition(const unsigned* in, unsigned* out, unsigned* count, std::size_t n) {
  __shared__ unsigned offsets[8], base;
  const std::size_t i = global_index();
  const unsigned v = i < n ? in[i] : 1, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const bool keep = (v & 3) == 0;
  const unsigned kept = __ballot_sync(~0u, keep);
  if (lane == 0) offsets[warp] = __popc(kept);
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned sum = 0;
    for (int w = 0; w < 8; ++w) {
      const unsigned mine = offsets[w];
      offsets[w] = sum, sum += mine;
    }
    base = atomicAdd(count, sum);
  }
  __syncthreads();
  if (keep) out[base + offsets[warp] + __popc(kept & ((1u << lane) - 1))] = v;
}
__global__ void merge_step(const unsigned* in, unsigned* out, std::size_t pairs, unsigned d) {
  const std::size_t t = global_index();
  if (t >= pairs) return;
  const std::size_t a = t / d * 2 * d + t % d, b = a + d;
  const unsigned u = in[a], v = in[b];
  out[a] = min(u, v), out[b] = max(u, v);
}
__global__ void digit_counts(const uint4* in, unsigned* out, int shift) {
  __shared__ unsigned counters[16][257];
  for (int d = 0; d < 16; ++d) counters[d][threadIdx.x] = 0;
  for (int k = 0; k < 4; ++k) {
    const uint4 v = in[(blockIdx.x * std::size_t{4} + k) * 256 + threadIdx.x];
    ++counters[v.x >> shift & 15][threadIdx.x];
    ++counters[v.y >> shift & 15][threadIdx.x];
    ++counters[v.z >> shift & 15][threadIdx.x];
    ++counters[v.w >> shift & 15][threadIdx.x];
  }
  __syncthreads();
  for (int d = threadIdx.x / 32; d < 16; d += 8) {
    unsigned sum = 0;
    for (int t = threadIdx.x % 32; t < 256; t += 32) sum += counters[d][t];
    sum = __reduce_add_sync(~0u, sum);
    if (threadIdx.x % 32 == 0) out[d * std::size_t{gridDim.x} + blockIdx.x] = sum;
  }
}

void Fresh::reductions() {
  run(
      "sum of squares", one, [&] { sum_of_squares<<<sms * 4, 512>>>(in, reinterpret_cast<double*>(out), n); },
      [&] {
        const double mean = 0.5 + 6.5535 / 2, squares = mean * mean + 6.5535 * 6.5535 / 12;
        return near(Checked::at(reinterpret_cast<const double*>(out), 0) / static_cast<double>(n), squares,
                    0.01);
      });
  run(
      "first greatest", one,
      [&] {
        first_greatest<<<resident, 256>>>(reinterpret_cast<float4*>(in),
                                          reinterpret_cast<unsigned long long*>(out), n / 4);
      },
      [&] {
        std::size_t best = 0;
        for (std::size_t i = 0; i < std::min(n, std::size_t{1} << 22); ++i)
          if (float_of(i) > float_of(best)) best = i;
        return number(0) == ~static_cast<unsigned>(best);
      });
  run(
      "scan of tiles", two,
      [&] {
        scan_tiles<<<static_cast<unsigned>(n / 1024), 256>>>(reinterpret_cast<int4*>(words),
                                                             reinterpret_cast<int4*>(out));
      },
      [&] {
        return each(n, [&](std::size_t i) {
          unsigned sum = 0;
          for (std::size_t k = i / 1024 * 1024; k <= i; ++k) sum += word_of(k);
          return number(i) == sum;
        });
      });
  run(
      "spans of rows of 200", one, [&] { spans_of_rows<<<blocks(n / 200 * 32), 256>>>(in, out, n / 200); },
      [&] {
        return each(n / 200, [&](std::size_t row) {
          float least = 1e30f, most = -1e30f;
          for (std::size_t k = row * 200; k < row * 200 + 200; ++k)
            least = std::min(least, float_of(k)), most = std::max(most, float_of(k));
          return near(value(row), most - least);
        });
      });
  {
    const int rows_each = 128, chunks = std::max(1, height / rows_each), rows = std::min(height, rows_each);
    run(
        "moments of columns", 4.0 * width * rows * chunks,
        [&] {
          column_moments<<<dim3(width / 32, static_cast<unsigned>(chunks)), dim3(32, 8)>>>(in, out, width,
                                                                                           rows);
        },
        [&] {
          double sum = 0;
          for (int y = 0; y < rows * chunks; ++y) sum += float_of(std::size_t(y) * width + 17);
          return near(value(17), sum, 2e-3);
        });
  }
  unsigned* count = nullptr;
  ladder::check(cudaMalloc(&count, 4), "cudaMalloc");
  run(
      "partition by blocks", 1.25 * one,
      [&] {
        cudaMemsetAsync(count, 0, 4);
        partition<<<blocks(n), 256>>>(words, numbers, count, n);
      },
      [&] {
        const unsigned kept = Checked::at(count, 0);
        return near(kept, static_cast<double>(n) / 4, 0.02) &&
               each(kept, [&](std::size_t i) { return (number(i) & 3) == 0; });
      });
  run(
      "merge step", two, [&] { merge_step<<<blocks(n / 2), 256>>>(words, numbers, n / 2, 8192); },
      [&] {
        return each(n / 16384 * 16384, [&](std::size_t i) {
          const std::size_t o = i ^ 8192;
          const unsigned a = word_of(i), b = word_of(o);
          return number(i) == (i < o ? std::min(a, b) : std::max(a, b));
        });
      });
  run(
      "digits counted by blocks", one,
      [&] {
        digit_counts<<<static_cast<unsigned>(n / 4096), 256>>>(reinterpret_cast<uint4*>(words), numbers, 8);
      },
      [&] {
        unsigned want = 0;
        for (std::size_t i = 4096; i < 8192; ++i) want += (word_of(i) >> 8 & 15) == 5;
        return number(5 * (n / 4096) + 1) == want;
      });
}

}  // namespace
