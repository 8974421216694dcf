/// @file
/// Sparse rows: a sweep of Jacobi a thread a row, entries of doubles in any order. Lists of work: chains of
/// unlike length drawn by warps, numbers that pass from list to list.
#include <cooperative_groups.h>

#include "held_out_11.hpp"

namespace held_out_11 {
namespace {

/// The first entry of a row is its diagonal.
__global__ void sweep_rows(const unsigned* begins, const unsigned* columns, const float* values,
                           const float* right, const float* x, float* better, unsigned rows) {
  const unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const unsigned begin = begins[row], end = begins[row + 1];
  float rest = right[row];
  for (unsigned k = begin + 1; k < end; ++k) rest -= values[k] * x[columns[k]];
  better[row] = rest / values[begin];
}

struct EntryAnywhere {
  double value;
  unsigned row, column;
};
__host__ __device__ __forceinline__ EntryAnywhere entry_anywhere(std::size_t e, unsigned rows) {
  return {0.25 + half_of(e + 3), place_of(word_of(e), rows), place_of(word_of(e + 7654321), rows)};
}
__global__ void make_entries(EntryAnywhere* entries, unsigned rows, unsigned m) {
  const unsigned e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e < m) entries[e] = entry_anywhere(e, rows);
}
__global__ void add_entries(const EntryAnywhere* entries, const float* x, double* y, unsigned m) {
  const unsigned e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= m) return;
  const EntryAnywhere entry = entries[e];
  atomicAdd(y + entry.row, entry.value * x[entry.column]);
}

constexpr unsigned kMostSteps = 1024;
__host__ __device__ __forceinline__ unsigned steps_until_small(unsigned state) {
  unsigned steps = 0;
  do {
    state = state * 1664525u + 1013904223u;
    ++steps;
  } while (state >> 26 != 0 && steps < kMostSteps);
  return steps;
}
__global__ void chains_by_warps(const unsigned* words, unsigned* drawn, unsigned* out, unsigned m) {
  const unsigned lane = threadIdx.x % 32;
  while (true) {
    unsigned first = 0;
    if (lane == 0) first = atomicAdd(drawn, 32u);
    first = __shfl_sync(~0u, first, 0);
    if (first >= m) break;
    if (first + lane < m) out[first + lane] = steps_until_small(words[first + lane]);
  }
}

constexpr unsigned kSieves = 6;
constexpr unsigned kSievePrimes[kSieves] = {3, 5, 7, 11, 13, 17};
__global__ void list_odd_numbers(unsigned* list, unsigned* count, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) list[i] = 2 * i + 1;
  if (i == 0) *count = m;
}
__global__ void pass_sieve(const unsigned* list, const unsigned* count, unsigned* next, unsigned* next_count,
                           unsigned prime) {
  const unsigned all = *count;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < all; i += gridDim.x * blockDim.x) {
    const unsigned number = list[i];
    if (number % prime == 0) continue;
    const auto together = cooperative_groups::coalesced_threads();
    unsigned at = 0;
    if (together.thread_rank() == 0) at = atomicAdd(next_count, together.size());
    next[together.shfl(at, 0) + together.thread_rank()] = number;
  }
}

}  // namespace

void sparse(Set& s) {
  const std::size_t n = s.n;
  const unsigned rows = as_number(n / 128);
  std::vector<unsigned> begins(rows + 1), columns;
  std::vector<float> values;
  for (unsigned row = 0; row < rows; ++row) {
    const unsigned others = 2 + word_of(row + 17) % 10;
    columns.push_back(row), values.push_back(12.0f);
    for (unsigned k = 0; k < others; ++k) {
      const unsigned word = word_of(std::size_t{row} * 16 + k);
      columns.push_back(k == 0 ? place_of(word, rows) : (row + word % 4096) % rows);
      values.push_back(0.25f + half_of(values.size()));
    }
    begins[row + 1] = as_number(values.size());
  }
  unsigned *d_begins = kept(begins), *d_columns = kept(columns);
  float* d_values = kept(values);
  s.run(
      "a sweep of Jacobi over sparse rows, a thread each", 8.0 * real(values.size()) + 16.0 * rows,
      [&] {
        sweep_rows<<<Set::blocks(rows), 256>>>(d_begins, d_columns, d_values, s.other, s.in, s.out, rows);
      },
      [&] {
        return within(s, rows, 1e-4, [&](std::size_t row) {
          double rest = other_of(row);
          for (std::size_t k = begins[row] + 1; k < begins[row + 1]; ++k)
            rest -= double{values[k]} * float_of(columns[k]);
          return rest / 12;
        });
      });
  cudaFree(d_begins), cudaFree(d_columns), cudaFree(d_values);

  const unsigned loose_rows = as_number(n / 256), loose = as_number(n / 32);
  auto* entries = room<EntryAnywhere>(loose);
  make_entries<<<Set::blocks(loose), 256>>>(entries, loose_rows, loose);
  ladder::check(cudaDeviceSynchronize(), "entries");
  s.run(
      "entries of doubles in any order added to their rows", 28.0 * loose,
      [&] {
        add_entries<<<Set::blocks(loose), 256>>>(entries, s.in, reinterpret_cast<double*>(s.out), loose);
      },
      [&] {
        std::vector<double> want(loose_rows);
        for (std::size_t e = 0; e < loose; ++e) {
          const EntryAnywhere entry = entry_anywhere(e, loose_rows);
          want[entry.row] += entry.value * float_of(entry.column);
        }
        return doubles(s, loose_rows, [&](std::size_t row) { return want[row]; });
      });
  cudaFree(entries);

  const unsigned chains = as_number(n / 128);
  auto* drawn = room<unsigned>(1);
  s.run(
      "chains of unlike length drawn by warps", 8.0 * chains,
      [&] {
        cudaMemsetAsync(drawn, 0, sizeof(unsigned));
        chains_by_warps<<<s.sms * 4, 256>>>(s.words, drawn, s.numbers(), chains);
      },
      [&] { return numbers(s, chains, [](std::size_t i) { return steps_until_small(word_of(i)); }); });
  cudaFree(drawn);

  const unsigned sieved = as_number(n / 16);
  unsigned* lists[2] = {room<unsigned>(sieved), room<unsigned>(sieved)};
  auto* counts = room<unsigned>(kSieves + 1);
  s.run(
      "odd numbers passed through six sieves by lists", 24.0 * sieved,
      [&] {
        cudaMemsetAsync(counts, 0, (kSieves + 1) * sizeof(unsigned));
        list_odd_numbers<<<Set::blocks(sieved), 256>>>(lists[0], counts, sieved);
        for (unsigned k = 0; k < kSieves; ++k)
          pass_sieve<<<s.sms * 8, 256>>>(lists[k % 2], counts + k, lists[(k + 1) % 2], counts + k + 1,
                                         kSievePrimes[k]);
      },
      [&] {
        std::vector<unsigned> want;
        for (unsigned i = 0; i < sieved; ++i) {
          bool passes = true;
          for (const unsigned prime : kSievePrimes) passes = passes && (2 * i + 1) % prime != 0;
          if (passes) want.push_back(2 * i + 1);
        }
        if (Checked::at(counts, kSieves) != want.size()) return false;
        auto got = taken(lists[kSieves % 2], want.size());
        std::sort(got.begin(), got.end());
        return got == want;
      });
  cudaFree(lists[0]), cudaFree(lists[1]), cudaFree(counts);
}

}  // namespace held_out_11
