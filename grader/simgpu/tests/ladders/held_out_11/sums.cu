/// @file
/// Sums of rows by groups of lanes, two sums at once, running sums of 4096 through shared memory; counts in
/// many and in few bins; a network that sorts 512 floats.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "held_out_11.hpp"

namespace held_out_11 {
namespace {

namespace groups_of = cooperative_groups;

constexpr unsigned kGroup = 16, kGroupRow = 96;
__global__ void __launch_bounds__(256) rows_by_groups(const float* in, float* out, unsigned rows) {
  const auto group = groups_of::tiled_partition<kGroup>(groups_of::this_thread_block());
  const unsigned row = blockIdx.x * (256 / kGroup) + group.meta_group_rank();
  if (row >= rows) return;
  float sum = 0.0f;
  for (unsigned k = group.thread_rank(); k < kGroupRow; k += kGroup)
    sum += in[std::size_t{row} * kGroupRow + k];
  sum = groups_of::reduce(group, sum, groups_of::plus<float>());
  if (group.thread_rank() == 0) out[row] = sum;
}

__global__ void __launch_bounds__(256)
    two_sums(const float* values, const float* weights, double* both, std::size_t m) {
  __shared__ double products_of[8], weights_of[8];
  double product = 0.0, weight = 0.0;
  for (std::size_t i = global_index(); i < m; i += stride()) {
    const float w = weights[i];
    product += double{w * values[i]};
    weight += double{w};
  }
  for (int d = 16; d > 0; d /= 2) {
    product += __shfl_down_sync(~0u, product, d);
    weight += __shfl_down_sync(~0u, weight, d);
  }
  if (threadIdx.x % 32 == 0) products_of[threadIdx.x / 32] = product, weights_of[threadIdx.x / 32] = weight;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (unsigned k = 1; k < 8; ++k) product += products_of[k], weight += weights_of[k];
  atomicAdd(both, product);
  atomicAdd(both + 1, weight);
}

constexpr unsigned kRunning = 4096, kRunners = 512, kOfRunner = kRunning / kRunners;
/// A word is left free after each 32, so that neighbours' shares begin in different banks.
__device__ __forceinline__ unsigned spaced(unsigned k) {
  return k + k / 32;
}
__global__ void __launch_bounds__(kRunners) running_sums_of_4096(const float* in, float* out) {
  __shared__ float line[kRunning + kRunning / 32];
  __shared__ float of_warp[kRunners / 32];
  const unsigned t = threadIdx.x, lane = t % 32, warp = t / 32;
  const std::size_t base = blockIdx.x * std::size_t{kRunning};
  for (unsigned k = t; k < kRunning; k += kRunners) line[spaced(k)] = in[base + k];
  __syncthreads();
  float upto[kOfRunner], sum = 0.0f;
#pragma unroll
  for (unsigned k = 0; k < kOfRunner; ++k) upto[k] = sum += line[spaced(t * kOfRunner + k)];
  float whole = sum;
  for (unsigned d = 1; d < 32; d *= 2) {
    const float before = __shfl_up_sync(~0u, whole, d);
    if (lane >= d) whole += before;
  }
  if (lane == 31) of_warp[warp] = whole;
  __syncthreads();
  float ahead = whole - sum;
  for (unsigned w = 0; w < warp; ++w) ahead += of_warp[w];
#pragma unroll
  for (unsigned k = 0; k < kOfRunner; ++k) line[spaced(t * kOfRunner + k)] = upto[k] + ahead;
  __syncthreads();
  for (unsigned k = t; k < kRunning; k += kRunners) out[base + k] = line[spaced(k)];
}

__global__ void count_degrees(const uint2* edges, unsigned* degrees, unsigned nodes, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  const uint2 edge = edges[i];
  atomicAdd(degrees + place_of(edge.x, nodes), 1u);
  atomicAdd(degrees + place_of(edge.y, nodes), 1u);
}

constexpr unsigned kGrades = 5;
__host__ __device__ __forceinline__ unsigned grade_of(unsigned word) {
  const unsigned points = word % 100;
  return points < 10 ? 0 : points < 30 ? 1 : points < 70 ? 2 : points < 90 ? 3 : 4;
}
__global__ void __launch_bounds__(256) count_grades(const unsigned* words, unsigned* counts, std::size_t m) {
  __shared__ unsigned of_warp[8][kGrades];
  const unsigned t = threadIdx.x;
  if (t < 8 * kGrades) of_warp[t / kGrades][t % kGrades] = 0;
  __syncthreads();
  for (std::size_t i = global_index(); i < m; i += stride())
    atomicAdd(of_warp[t / 32] + grade_of(words[i]), 1u);
  __syncthreads();
  if (t >= kGrades) return;
  unsigned sum = 0;
  for (unsigned w = 0; w < 8; ++w) sum += of_warp[w][t];
  atomicAdd(counts + t, sum);
}

constexpr unsigned kNetwork = 512;
/// Sorted runs of a length are merged to ones of twice that, by pairs that come ever nearer.
__global__ void __launch_bounds__(kNetwork / 2) sort_by_network(const float* in, float* out) {
  __shared__ float key[kNetwork];
  const unsigned t = threadIdx.x;
  const std::size_t base = blockIdx.x * std::size_t{kNetwork};
  key[t] = in[base + t];
  key[t + kNetwork / 2] = in[base + t + kNetwork / 2];
  for (unsigned run = 1; run < kNetwork; run *= 2)
    for (unsigned apart = run; apart > 0; apart /= 2) {
      __syncthreads();
      const unsigned a = t / apart * 2 * apart + t % apart + apart % run, b = a + apart;
      if (b < kNetwork && a / (2 * run) == b / (2 * run) && key[a] > key[b]) {
        const float greater = key[a];
        key[a] = key[b];
        key[b] = greater;
      }
    }
  __syncthreads();
  out[base + t] = key[t];
  out[base + t + kNetwork / 2] = key[t + kNetwork / 2];
}

}  // namespace

void sums(Set& s) {
  const std::size_t n = s.n;
  const unsigned rows = as_number(n / 8 / kGroupRow);
  s.run(
      "rows of 96 added up by groups of sixteen lanes", (4.0 * kGroupRow + 4.0) * rows,
      [&] { rows_by_groups<<<Set::blocks(rows, 256 / kGroup), 256>>>(s.in, s.out, rows); },
      [&] {
        return floats(s, rows, [](std::size_t i) {
          double sum = 0;
          for (std::size_t k = 0; k < kGroupRow; ++k) sum += float_of(i * kGroupRow + k);
          return sum;
        });
      });
  const std::size_t weighed = n / 4;
  auto* both = reinterpret_cast<double*>(s.out);
  s.run(
      "weighted mean by two sums at once", 8.0 * real(weighed),
      [&] { two_sums<<<s.sms * 8, 256>>>(s.in, s.other, both, weighed); },
      [&] {
        double product = 0, weight = 0;
        for (std::size_t i = 0; i < weighed; ++i)
          product += double{other_of(i)} * float_of(i), weight += other_of(i);
        return Set::near(Checked::at(both, 0), product, 1e-5) &&
               Set::near(Checked::at(both, 1), weight, 1e-5);
      });
  const unsigned lines = as_number(n / 8 / kRunning);
  s.run(
      "running sums of 4096, eight a thread", 8.0 * kRunning * lines,
      [&] { running_sums_of_4096<<<lines, kRunners>>>(s.in, s.out); },
      [&] {
        return floats(s, std::size_t{kRunning} * lines, [](std::size_t i) {
          double sum = 0;
          for (std::size_t k = i / kRunning * kRunning; k <= i; ++k) sum += float_of(k);
          return sum;
        });
      });

  const unsigned nodes = as_number(n / 32), edges = as_number(n / 16);
  s.run(
      "degrees of nodes counted from a list of edges", 16.0 * edges,
      [&] {
        count_degrees<<<Set::blocks(edges), 256>>>(reinterpret_cast<const uint2*>(s.words), s.numbers(),
                                                   nodes, edges);
      },
      [&] {
        std::vector<unsigned> want(nodes);
        for (std::size_t i = 0; i < 2 * std::size_t{edges}; ++i) ++want[place_of(word_of(i), nodes)];
        return taken(s.numbers(), nodes) == want;
      });
  const std::size_t graded = n / 8;
  s.run(
      "five grades counted, counters a warp", 4.0 * real(graded),
      [&] { count_grades<<<s.sms * 8, 256>>>(s.words, s.numbers(), graded); },
      [&] {
        std::vector<unsigned> want(kGrades);
        for (std::size_t i = 0; i < graded; ++i) ++want[grade_of(word_of(i))];
        return taken(s.numbers(), kGrades) == want;
      });
  const unsigned networks = as_number(n / 32 / kNetwork);
  s.run(
      "512 floats sorted by a network of merges", 8.0 * kNetwork * networks,
      [&] { sort_by_network<<<networks, kNetwork / 2>>>(s.in, s.out); },
      [&] {
        for (const std::size_t at : {std::size_t{0}, std::size_t{networks} / 2, std::size_t{networks} - 1}) {
          std::vector<float> want(kNetwork);
          for (std::size_t k = 0; k < kNetwork; ++k) want[k] = float_of(at * kNetwork + k);
          std::sort(want.begin(), want.end());
          if (taken(s.out + at * kNetwork, kNetwork) != want) return false;
        }
        return true;
      });
}

}  // namespace held_out_11
