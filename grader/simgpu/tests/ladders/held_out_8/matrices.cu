/// @file
/// Matrices. Sparse: products laid out in shared memory before rows are summed, coordinates summed by warps
/// with flags. Vectors: rows of bytes by four at once, many small matrices. Products: second factor by rows
/// as loops write it, factors passed on by shuffles, tensor cores fed by copies under way and with the depth
/// split among warps. Axes changed: elements of sixteen bytes, heads and tokens of a network.
#include <cuda_pipeline.h>
#include <mma.h>

#include "held_out_8.hpp"

namespace held_out_8 {
namespace {

constexpr unsigned kRowsOfBlock = 64, kLongestRow = 24;
/// Threads multiply entries as they lie; then a thread a row sums.
__global__ void __launch_bounds__(128) products_first(const unsigned* begins, const unsigned* columns,
                                                      const float* values, const float* x, float* y) {
  __shared__ float products[kRowsOfBlock * kLongestRow];
  const unsigned row0 = blockIdx.x * kRowsOfBlock, begin = begins[row0], end = begins[row0 + kRowsOfBlock];
  for (unsigned k = begin + threadIdx.x; k < end; k += blockDim.x)
    products[k - begin] = values[k] * x[columns[k]];
  __syncthreads();
  if (threadIdx.x >= kRowsOfBlock) return;
  float sum = 0.0f;
  const unsigned last = begins[row0 + threadIdx.x + 1] - begin;
  for (unsigned k = begins[row0 + threadIdx.x] - begin; k < last; ++k) sum += products[k];
  y[row0 + threadIdx.x] = sum;
}
constexpr unsigned kEntriesOfWarp = 256;
/// Lanes with the same row are summed by flags; the last lane of each row adds what there is.
__global__ void __launch_bounds__(256)
    coordinates_by_warps(const unsigned* rows, const unsigned* columns, const float* values, const float* x,
                         float* y, unsigned entries) {
  const unsigned lane = threadIdx.x % 32, warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  for (unsigned step = 0; step < kEntriesOfWarp; step += 32) {
    const unsigned k = warp * kEntriesOfWarp + step + lane;
    const bool is = k < entries;
    const unsigned row = is ? rows[k] : ~0u;
    float sum = is ? values[k] * x[columns[k]] : 0.0f;
    for (unsigned d = 1; d < 32; d *= 2) {
      const float its = __shfl_up_sync(~0u, sum, d);
      const unsigned its_row = __shfl_up_sync(~0u, row, d);
      if (lane >= d && its_row == row) sum += its;
    }
    const unsigned next = __shfl_down_sync(~0u, row, 1);
    if (is && (lane == 31 || next != row)) atomicAdd(&y[row], sum);
  }
}

constexpr unsigned kRowOfBytes = 2048;
/// Weights of a byte and a scale a row; a warp has a row.
__global__ void __launch_bounds__(256)
    bytes_by_vector(const int4* weights, const int4* vector, const float* scales, float* y, unsigned rows) {
  const unsigned row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  const int4* mine = weights + row * std::size_t{kRowOfBytes / 16};
  int sum = 0;
#pragma unroll
  for (unsigned k = lane; k < kRowOfBytes / 16; k += 32) {
    const int4 w = mine[k], v = __ldg(&vector[k]);
    sum = __dp4a(w.x, v.x, sum);
    sum = __dp4a(w.y, v.y, sum);
    sum = __dp4a(w.z, v.z, sum);
    sum = __dp4a(w.w, v.w, sum);
  }
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
  if (lane == 0) y[row] = scales[row] * static_cast<float>(sum);
}

constexpr unsigned kSmall = 48;
/// Kept by columns; a thread has a row, a block a matrix.
__global__ void __launch_bounds__(64) small_by_vectors(const float* matrices, const float* x, float* y) {
  __shared__ float vector[kSmall];
  const unsigned row = threadIdx.x;
  if (row < kSmall) vector[row] = x[blockIdx.x * kSmall + row];
  __syncthreads();
  if (row >= kSmall) return;
  const float* mine = matrices + blockIdx.x * std::size_t{kSmall * kSmall} + row;
  float sum = 0.0f;
#pragma unroll 8
  for (unsigned c = 0; c < kSmall; ++c) sum += mine[c * kSmall] * vector[c];
  y[blockIdx.x * kSmall + row] = sum;
}

constexpr unsigned kInner = 256, kOuter = 256;
/// Both factors lie by rows of what is summed over, as layers keep their weights.
__global__ void second_by_rows(const float* a, const float* b, float* c) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0.0f;
  for (unsigned k = 0; k < kInner; ++k) sum += a[y * kInner + k] * b[x * kInner + k];
  c[y * kOuter + x] = sum;
}
constexpr unsigned kNarrow = 128;
/// A warp has four rows of the product; its lanes keep 32 elements of each row of the first factor and pass
/// them on.
__global__ void __launch_bounds__(256) passed_by_shuffles(const float* a, const float* b, float* c) {
  const unsigned lane = threadIdx.x % 32, y0 = (blockIdx.x * 8 + threadIdx.x / 32) * 4;
  float4 sum[4];
#pragma unroll
  for (auto& each : sum) each = make_float4(0, 0, 0, 0);
  for (unsigned k0 = 0; k0 < kInner; k0 += 32) {
    float mine[4];
#pragma unroll
    for (unsigned r = 0; r < 4; ++r) mine[r] = a[(y0 + r) * kInner + k0 + lane];
#pragma unroll 8
    for (unsigned k = 0; k < 32; ++k) {
      const float4 right = reinterpret_cast<const float4*>(b + (k0 + k) * kNarrow)[lane];
#pragma unroll
      for (unsigned r = 0; r < 4; ++r) {
        const float left = __shfl_sync(~0u, mine[r], k);
        sum[r].x += left * right.x;
        sum[r].y += left * right.y;
        sum[r].z += left * right.z;
        sum[r].w += left * right.w;
      }
    }
  }
#pragma unroll
  for (unsigned r = 0; r < 4; ++r) reinterpret_cast<float4*>(c + (y0 + r) * kNarrow)[lane] = sum[r];
}

namespace wmma = nvcuda::wmma;
constexpr unsigned kWideA = 32 + 8, kWideB = kNarrow + 8;  ///< rows in shared memory [halves]
/// 64 x 128 a block; the next 32 of the depth are copied while these are multiplied.
__global__ void __launch_bounds__(256) tensor_tiles_copied(const __half* a, const __half* b, float* c) {
  __shared__ alignas(16) __half as[2][64 * kWideA], bs[2][32 * kWideB];
  const unsigned t = threadIdx.x, warp = t / 32;
  const __half* rows = a + blockIdx.x * std::size_t{64 * kInner};
  const auto ask = [&](unsigned k0, unsigned buffer) {
    __pipeline_memcpy_async(&as[buffer][t / 4 * kWideA + t % 4 * 8], rows + t / 4 * kInner + k0 + t % 4 * 8,
                            16);
#pragma unroll
    for (unsigned half = 0; half < 2; ++half) {
      const unsigned r = t / 16 + 16 * half, col = t % 16 * 8;
      __pipeline_memcpy_async(&bs[buffer][r * kWideB + col], b + (k0 + r) * kNarrow + col, 16);
    }
    __pipeline_commit();
  };
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[4];
#pragma unroll
  for (auto& each : sum) wmma::fill_fragment(each, 0.0f);
  ask(0, 0);
  for (unsigned step = 0; step < kInner / 32; ++step) {
    if (step + 1 < kInner / 32) {
      ask(32 * (step + 1), (step + 1) % 2);
      __pipeline_wait_prior(1);
    } else {
      __pipeline_wait_prior(0);
    }
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < 32; k += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> left;
      wmma::load_matrix_sync(left, &as[step % 2][warp / 2 * 16 * kWideA + k], kWideA);
#pragma unroll
      for (unsigned j = 0; j < 4; ++j) {
        wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> right;
        wmma::load_matrix_sync(right, &bs[step % 2][k * kWideB + (warp % 2 * 4 + j) * 16], kWideB);
        wmma::mma_sync(sum[j], left, right, sum[j]);
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (unsigned j = 0; j < 4; ++j)
    wmma::store_matrix_sync(
        c + (blockIdx.x * 64 + warp / 2 * 16) * std::size_t{kNarrow} + (warp % 2 * 4 + j) * 16, sum[j],
        kNarrow, wmma::mem_row_major);
}
constexpr unsigned kDeep = 1024;
/// Sixteen rows of weights by sixteen requests; each of eight warps has an eighth of the depth.
__global__ void __launch_bounds__(256)
    depth_split_among_warps(const __half* weights, const __half* requests, float* out) {
  __shared__ alignas(32) float parts[8][256];
  const unsigned warp = threadIdx.x / 32;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
#pragma unroll
  for (unsigned k = warp * (kDeep / 8); k < (warp + 1) * (kDeep / 8); k += 16) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> right;
    wmma::load_matrix_sync(left, weights + blockIdx.x * std::size_t{16 * kDeep} + k, kDeep);
    wmma::load_matrix_sync(right, requests + k, kDeep);
    wmma::mma_sync(sum, left, right, sum);
  }
  wmma::store_matrix_sync(parts[warp], sum, 16, wmma::mem_row_major);
  __syncthreads();
  float whole = 0.0f;
#pragma unroll
  for (const auto& part : parts) whole += part[threadIdx.x];
  out[blockIdx.x * std::size_t{256} + threadIdx.x] = whole;
}

constexpr unsigned kFoursWide = 256;
/// A matrix of vectors of four floats, turned as it is read.
__global__ void turn_fours(const float4* in, float4* out, unsigned high) {
  const unsigned x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  out[x * std::size_t{high} + y] = in[y * std::size_t{kFoursWide} + x];
}
constexpr unsigned kTokens = 128, kHeads = 12, kHead = 64;
/// (token, head, 64) to (head, token, 64) in each text; four floats a thread.
__global__ void heads_before_tokens(const float4* in, float4* out) {
  const unsigned part = threadIdx.x, head = threadIdx.y, token = blockIdx.x;
  const std::size_t text = blockIdx.y * std::size_t{kTokens * kHeads};
  out[(text + head * kTokens + token) * (kHead / 4) + part] =
      in[(text + token * kHeads + head) * (kHead / 4) + part];
}

}  // namespace

void matrices(Set& s) {
  const std::size_t n = s.n;
  const unsigned rows = as_number(n / 256 / kRowsOfBlock * kRowsOfBlock);
  std::vector<unsigned> begins(rows + std::size_t{1}), row_of;
  for (std::size_t r = 0; r < rows; ++r) {
    begins[r + 1] = begins[r] + 3 + word_of(r + 17) % (kLongestRow - 2);
    row_of.resize(begins[r + 1], static_cast<unsigned>(r));
  }
  const unsigned entries = begins.back();
  std::vector<unsigned> columns(entries);
  for (std::size_t k = 0; k < entries; ++k) columns[k] = place_of(word_of(k + 40), rows);
  unsigned *d_begins = kept(begins), *d_columns = kept(columns), *d_rows = kept(row_of);
  const auto by_rows = [&](std::size_t r) {
    double sum = 0;
    for (std::size_t k = begins[r]; k < begins[r + 1]; ++k) sum += double{float_of(k)} * other_of(columns[k]);
    return sum;
  };
  s.run(
      "sparse rows by products in shared memory", 8.0 * entries + 12.0 * rows,
      [&] { products_first<<<rows / kRowsOfBlock, 128>>>(d_begins, d_columns, s.in, s.other, s.out); },
      [&] { return floats(s, rows, by_rows); });
  s.run(
      "entries by coordinates summed by warps with flags", 12.0 * entries + 8.0 * rows,
      [&] {
        cudaMemsetAsync(s.out, 0, rows * std::size_t{4});
        coordinates_by_warps<<<Set::blocks(entries, 8 * kEntriesOfWarp), 256>>>(d_rows, d_columns, s.in,
                                                                                s.other, s.out, entries);
      },
      [&] { return floats(s, rows, by_rows); });
  for (unsigned* each : {d_begins, d_columns, d_rows}) cudaFree(each);

  const unsigned byte_rows = as_number(n / 4 * 4 / kRowOfBytes);
  const std::size_t vector_at = n / 2;
  s.run(
      "rows of 2048 bytes by a vector", (kRowOfBytes + 8.0) * byte_rows,
      [&] {
        bytes_by_vector<<<Set::blocks(byte_rows * std::size_t{32}), 256>>>(
            reinterpret_cast<const int4*>(s.words), reinterpret_cast<const int4*>(s.words + vector_at),
            s.other, s.out, byte_rows);
      },
      [&] {
        return within(s, byte_rows, 1.0, [&](std::size_t r) {
          double sum = 0;
          for (std::size_t k = 0; k < kRowOfBytes; ++k)
            sum += static_cast<signed char>(byte_of(r * kRowOfBytes + k)) *
                   static_cast<signed char>(byte_of(4 * vector_at + k));
          return sum * other_of(r);
        });
      });
  const unsigned small = as_number(n / 8 / (kSmall * kSmall));
  s.run(
      "matrices of 48 x 48 by vectors of their own", 4.0 * (kSmall + 2) * kSmall * small,
      [&] { small_by_vectors<<<small, 64>>>(s.in, s.other, s.out); },
      [&] {
        return floats(s, std::size_t{kSmall} * small, [](std::size_t i) {
          const std::size_t matrix = i / kSmall;
          double sum = 0;
          for (std::size_t c = 0; c < kSmall; ++c)
            sum +=
                double{float_of((matrix * kSmall + c) * kSmall + i % kSmall)} * other_of(matrix * kSmall + c);
          return sum;
        });
      });

  const unsigned high = s.sms * 32;
  s.run(
      "product whose second factor lies by rows", 4.0 * high * (kInner + kOuter),
      [&] { second_by_rows<<<dim3(kOuter / 16, high / 16), dim3(16, 16)>>>(s.in, s.other, s.out); },
      [&] {
        return floats(s, std::size_t{high} * kOuter, [](std::size_t i) {
          double sum = 0;
          for (std::size_t k = 0; k < kInner; ++k)
            sum += double{float_of(i / kOuter * kInner + k)} * other_of(i % kOuter * kInner + k);
          return sum;
        });
      });
  const unsigned passed = s.sms * 128;
  s.run(
      "product of 128 columns passed on by shuffles", 4.0 * passed * (kInner + kNarrow),
      [&] { passed_by_shuffles<<<passed / 32, 256>>>(s.in, s.other, s.out); },
      [&] {
        return floats(s, std::size_t{passed} * kNarrow, [](std::size_t i) {
          double sum = 0;
          for (std::size_t k = 0; k < kInner; ++k)
            sum += double{float_of(i / kNarrow * kInner + k)} * other_of(k * kNarrow + i % kNarrow);
          return sum;
        });
      });
  const unsigned tensor_rows = s.sms * 512;
  const __half* second = s.halves + n;
  s.run(
      "halves by tensor cores with tiles copied ahead", (2.0 * kInner + 4.0 * kNarrow) * tensor_rows,
      [&] { tensor_tiles_copied<<<tensor_rows / 64, 256>>>(s.halves, second, s.out); },
      [&] {
        return floats(s, std::size_t{tensor_rows} * kNarrow, [n](std::size_t i) {
          double sum = 0;
          for (std::size_t k = 0; k < kInner; ++k)
            sum += double{half_of(i / kNarrow * kInner + k)} * half_of(n + k * kNarrow + i % kNarrow);
          return sum;
        });
      });
  const unsigned weights = as_number(n / 2 / (16 * kDeep));
  s.run(
      "weights by sixteen requests by tensor cores", (32.0 * kDeep + 1024.0) * weights,
      [&] { depth_split_among_warps<<<weights, 256>>>(s.halves, second, s.out); },
      [&] {
        return floats(s, std::size_t{256} * weights, [n](std::size_t i) {
          double sum = 0;
          for (std::size_t k = 0; k < kDeep; ++k)
            sum += double{half_of(i / 16 * kDeep + k)} * half_of(n + i % 16 * kDeep + k);
          return sum;
        });
      });

  const unsigned fours = as_number(n / 32 / kFoursWide / 16 * 16);
  s.run(
      "vectors of four floats turned without a tile", 32.0 * kFoursWide * fours,
      [&] {
        turn_fours<<<dim3(kFoursWide / 16, fours / 16), dim3(16, 16)>>>(reinterpret_cast<const float4*>(s.in),
                                                                        s.vectors(), fours);
      },
      [&] {
        return floats(s, std::size_t{4} * kFoursWide * fours, [fours](std::size_t i) {
          const std::size_t x = i / 4 / fours, y = i / 4 % fours;
          return double{float_of((y * kFoursWide + x) * 4 + i % 4)};
        });
      });
  const unsigned texts = as_number(n / 8 / (kTokens * kHeads * kHead));
  s.run(
      "heads put before tokens", 8.0 * kTokens * kHeads * kHead * texts,
      [&] {
        heads_before_tokens<<<dim3(kTokens, texts), dim3(kHead / 4, kHeads)>>>(
            reinterpret_cast<const float4*>(s.in), s.vectors());
      },
      [&] {
        return floats(s, std::size_t{kTokens * kHeads * kHead} * texts, [](std::size_t i) {
          const std::size_t text = i / (kTokens * kHeads * kHead), head = i / (kTokens * kHead) % kHeads,
                            token = i / kHead % kTokens;
          return double{float_of(((text * kTokens + token) * kHeads + head) * kHead + i % kHead)};
        });
      });
}

}  // namespace held_out_8
