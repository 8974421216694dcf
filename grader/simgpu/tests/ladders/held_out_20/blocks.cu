/// @file
/// Blocks and clusters: three diagonals solved by halving, running sums down columns by clusters, planes that come
/// ahead, determinants by lanes.
#include <cooperative_groups.h>
#include <cuda_pipeline.h>

#include "held_out_20.hpp"

namespace held_out_20 {
namespace {

constexpr unsigned kUnknowns = 256;
constexpr float kUnknownsDiagonal = 16.0f;
/// What is before, at, behind and on the right of an equation.
struct Equation {
  float before, at, behind, right;
};
/// Each step takes the unknowns near by out of all equations, and those twice as far come in.
__global__ void __launch_bounds__(kUnknowns)
    halve_systems(const float* before, const float* at, const float* behind, const float* right, float* out) {
  __shared__ Equation held[2][kUnknowns];
  const unsigned t = threadIdx.x;
  const std::size_t i = std::size_t{blockIdx.x} * kUnknowns + t;
  Equation own{t == 0 ? 0.0f : before[i], at[i] + kUnknownsDiagonal, t == kUnknowns - 1 ? 0.0f : behind[i],
               right[i]};
  unsigned now = 0;
  for (unsigned d = 1; d < kUnknowns; d *= 2) {
    held[now][t] = own;
    __syncthreads();  // two buffers: nobody writes to what is read until the next but one
    constexpr Equation kNothing{0.0f, 1.0f, 0.0f, 0.0f};
    const Equation low = t >= d ? held[now][t - d] : kNothing,
                   high = t + d < kUnknowns ? held[now][t + d] : kNothing;
    const float of_low = own.before / low.at, of_high = own.behind / high.at;
    own = {-low.before * of_low, own.at - low.behind * of_low - high.before * of_high, -high.behind * of_high,
           own.right - low.right * of_low - high.right * of_high};
    now = 1 - now;
  }
  out[i] = own.right / own.at;
}

constexpr unsigned kDownCluster = 8, kDownColumns = 128, kDownRows = 24;
constexpr std::size_t kOfDownBlock = std::size_t{kDownColumns} * kDownRows,
                      kOfDown = kOfDownBlock * kDownCluster;
/// A block keeps its rows in registers until it knows what is above them.
__global__ void __cluster_dims__(kDownCluster, 1, 1) __launch_bounds__(kDownColumns)
    sums_down_columns(const float* in, float* out) {
  __shared__ float totals[kDownColumns];
  const auto cluster = cooperative_groups::this_cluster();
  const unsigned t = threadIdx.x;
  const std::size_t first = blockIdx.x * kOfDownBlock + t;
  float v[kDownRows], sum = 0.0f;
#pragma unroll
  for (unsigned row = 0; row < kDownRows; ++row) v[row] = in[first + row * kDownColumns];
#pragma unroll
  for (unsigned row = 0; row < kDownRows; ++row) {
    sum += v[row];
    v[row] = sum;
  }
  totals[t] = sum;
  cluster.sync();
  float above = 0.0f;
  for (unsigned rank = 0; rank < cluster.block_rank(); ++rank)
    above += cluster.map_shared_rank(totals, rank)[t];
#pragma unroll
  for (unsigned row = 0; row < kDownRows; ++row) out[first + row * kDownColumns] = above + v[row];
  cluster.sync();  // nobody leaves while others read
}

constexpr unsigned kDeepPlane = 2048, kDeepPlanes = 32, kDeepRing = 8, kDeepAhead = 5, kDeepThreads = 128;
constexpr std::size_t kOfDeep = std::size_t{kDeepPlane} * kDeepPlanes;
/// A thread has four floats of each plane, and only itself reads what it has asked for.
__global__ void __launch_bounds__(kDeepThreads) differences_down(const float4* in, float4* out) {
  __shared__ float4 ring[kDeepRing][kDeepThreads];
  const unsigned t = threadIdx.x;
  in += blockIdx.y * kOfDeep + blockIdx.x * kDeepThreads + t;
  out += blockIdx.y * kOfDeep + blockIdx.x * kDeepThreads + t;
  const auto fetch = [&](unsigned z) {
    if (z < kDeepPlanes)
      __pipeline_memcpy_async(&ring[z % kDeepRing][t], in + std::size_t{z} * kDeepPlane, sizeof(float4));
    __pipeline_commit();
  };
  for (unsigned z = 0; z < kDeepAhead; ++z) fetch(z);
  for (unsigned z = 0; z < kDeepPlanes; ++z) {
    fetch(z + kDeepAhead);
    __pipeline_wait_prior(kDeepAhead - 1);
    const unsigned low = z == 0 ? 0 : z - 1, high = z + 1 < kDeepPlanes ? z + 1 : z;
    const float4 u = ring[low % kDeepRing][t], v = ring[high % kDeepRing][t];
    const float scale = high - low == 2 ? 0.5f : 1.0f;
    out[std::size_t{z} * kDeepPlane] =
        make_float4(scale * (v.x - u.x), scale * (v.y - u.y), scale * (v.z - u.z), scale * (v.w - u.w));
  }
}

constexpr unsigned kDeterminant = 16, kOfDeterminant = kDeterminant * kDeterminant, kDeterminantThreads = 128,
                   kDeterminants = kDeterminantThreads / kDeterminant;
constexpr float kDeterminantDiagonal = 32.0f;
/// A lane has a row in registers.
__global__ void __launch_bounds__(kDeterminantThreads)
    determinants_by_lanes(const float4* in, float* out, unsigned m) {
  const unsigned lane = threadIdx.x % kDeterminant,
                 wanted = blockIdx.x * kDeterminants + threadIdx.x / kDeterminant,
                 matrix = min(wanted, m - 1);
  float row[kDeterminant];
#pragma unroll
  for (unsigned k = 0; k < kDeterminant / 4; ++k) {
    const float4 v = in[(std::size_t{matrix} * kDeterminant + lane) * (kDeterminant / 4) + k];
    row[4 * k] = v.x, row[4 * k + 1] = v.y, row[4 * k + 2] = v.z, row[4 * k + 3] = v.w;
  }
#pragma unroll
  for (unsigned k = 0; k < kDeterminant; ++k)
    if (lane == k) row[k] += kDeterminantDiagonal;
  float product = 1.0f;
#pragma unroll
  for (unsigned k = 0; k < kDeterminant; ++k) {
    const float pivot = __shfl_sync(~0u, row[k], static_cast<int>(k), kDeterminant);
    product *= pivot;
    const float by = lane > k ? row[k] / pivot : 0.0f;
#pragma unroll
    for (unsigned j = k + 1; j < kDeterminant; ++j)
      row[j] -= by * __shfl_sync(~0u, row[j], static_cast<int>(k), kDeterminant);
  }
  if (lane == 0 && wanted < m) out[matrix] = product;
}

}  // namespace

void blocks(Set& s) {
  const std::size_t n = s.n;
  const unsigned systems = as_number(n / 14 / kUnknowns), equations = systems * kUnknowns;
  s.run(
      "three diagonals of 256 unknowns solved by halving, a thread an equation", 20.0 * equations,
      [&] {
        halve_systems<<<systems, kUnknowns>>>(s.in, s.in + equations, s.other, s.other + equations, s.out);
      },
      [&] {
        std::vector<double> want(equations), behind(kUnknowns);
        for (std::size_t first = 0; first < equations; first += kUnknowns) {
          double last_behind = 0, last = 0;
          for (std::size_t k = 0; k < kUnknowns; ++k) {
            const double before = k == 0 ? 0.0 : float_of(first + k);
            const double at =
                double{float_of(equations + first + k)} + double{kUnknownsDiagonal} - before * last_behind;
            last_behind = behind[k] = other_of(first + k) / at;
            last = want[first + k] = (other_of(equations + first + k) - before * last) / at;
          }
          for (std::size_t k = kUnknowns - 1; k-- > 0;) want[first + k] -= behind[k] * want[first + k + 1];
        }
        return near_everywhere(s, want.size(), 1e-5, [&](std::size_t i) { return want[i]; });
      });

  const unsigned downs = as_number(n / 7 / kOfDown);
  s.run(
      "running sums down columns of 192 x 128 by clusters of eight, kept in registers",
      8.0 * real(kOfDown) * downs,
      [&] { sums_down_columns<<<kDownCluster * downs, kDownColumns>>>(s.in, s.out); },
      [&] {
        std::vector<double> sums(kDownColumns);
        return near_everywhere(s, kOfDown * downs, 1e-5, [&](std::size_t i) {
          double& sum = sums[i % kDownColumns];
          sum = (i % kOfDown < kDownColumns ? 0 : sum) + float_of(i);
          return sum;
        });
      });

  const unsigned deep = as_number(n / 14 / kOfDeep);
  s.run(
      "differences down volumes of 32 planes, five ahead by cp.async, a thread its own",
      32.0 * real(kOfDeep) * deep,
      [&] {
        differences_down<<<dim3(kDeepPlane / kDeepThreads, deep), kDeepThreads>>>(
            reinterpret_cast<const float4*>(s.in), s.vectors());
      },
      [&] {
        constexpr std::size_t kPlane = 4 * std::size_t{kDeepPlane};
        return near_everywhere(s, 4 * kOfDeep * deep, 1e-6, [](std::size_t i) {
          const std::size_t z = i / kPlane % kDeepPlanes, low = z == 0 ? i : i - kPlane,
                            high = z + 1 < kDeepPlanes ? i + kPlane : i;
          return (double{float_of(high)} - float_of(low)) / (high - low == kPlane ? 1 : 2);
        });
      });

  const unsigned determinants = as_number(n / 8 / kOfDeterminant);
  s.run(
      "determinants of matrices of 16 x 16, a lane has a row in registers",
      (4.0 * kOfDeterminant + 4.0) * determinants,
      [&] {
        determinants_by_lanes<<<Set::blocks(determinants, kDeterminants), kDeterminantThreads>>>(
            reinterpret_cast<const float4*>(s.in), s.out, determinants);
      },
      [&] {
        return near_everywhere(s, determinants, 1e-4, [](std::size_t i) {
          double rows[kDeterminant][kDeterminant], product = 1;
          for (std::size_t k = 0; k < kOfDeterminant; ++k)
            rows[k / kDeterminant][k % kDeterminant] =
                double{float_of(i * kOfDeterminant + k)} +
                (k % (kDeterminant + 1) == 0 ? double{kDeterminantDiagonal} : 0);
          for (std::size_t k = 0; k < kDeterminant; ++k) {
            product *= rows[k][k];
            for (std::size_t y = k + 1; y < kDeterminant; ++y)
              for (std::size_t x = kDeterminant; x-- > k;) rows[y][x] -= rows[y][k] / rows[k][k] * rows[k][x];
          }
          return product;
        });
      });
}

}  // namespace held_out_20
