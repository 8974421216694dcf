/// @file
/// Atomics: products by loops of compare and swap, floats of whole warps to one place each, records changed
/// under locks of their own.
#include "held_out_7.hpp"

namespace held_out_7 {
namespace {

__global__ void set_all(float* v, float to, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) v[i] = to;
}
__device__ void multiply_at(float* place, float by) {
  auto* bits = reinterpret_cast<unsigned*>(place);
  unsigned seen = *bits, before;
  do {
    before = seen;
    seen = atomicCAS(bits, before, __float_as_uint(__uint_as_float(before) * by));
  } while (seen != before);
}
__host__ __device__ __forceinline__ float factor_of(unsigned word) {
  return 1.0f + (static_cast<float>(word & 15) - 7.5f) / 128;
}
__global__ void products_of_classes(const unsigned* words, float* products, unsigned places, unsigned m) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < m; i += gridDim.x * blockDim.x)
    multiply_at(&products[ladder::place_of(words[i], places)], factor_of(words[i]));
}

/// All lanes of a warp have the same sum.
__global__ void __launch_bounds__(512) one_place_a_warp(const float* values, float* sums, unsigned places) {
  const std::size_t i = global_index();
  atomicAdd(sums + scrambled(static_cast<unsigned>(i / 32)) % places, values[i]);
}

struct Record {
  int lock, count;
  unsigned total, largest;
};
__global__ void change_records(const unsigned* keys, Record* records, unsigned held, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  const unsigned key = keys[i];
  Record* r = records + ladder::place_of(key, held);
  bool done = false;
  while (!done) {
    if (atomicCAS(&r->lock, 0, 1) != 0) continue;
    __threadfence();
    volatile Record* mine = r;
    mine->count = mine->count + 1;
    mine->total = mine->total + (key & 0xfff);
    if (key > mine->largest) mine->largest = key;
    __threadfence();
    atomicExch(&r->lock, 0);
    done = true;
  }
}

}  // namespace

void atomics(Set& s) {
  const std::size_t n = s.n;
  const unsigned m = as_number(n / 32), places = as_number(n / 512);
  s.run(
      "products of classes by compare and swap", 4.0 * m,
      [&] {
        set_all<<<Set::blocks(places), 256>>>(s.out, 1.0f, places);
        products_of_classes<<<s.sms * 4, 256>>>(s.words, s.out, places, m);
      },
      [&] {
        std::vector<double> want(places, 1.0);
        for (std::size_t i = 0; i < m; ++i) want[place_of(word_of(i), places)] *= factor_of(word_of(i));
        return floats(s, places, [&](std::size_t k) { return want[k]; });
      });
  const std::size_t added = n / 16 / 512 * 512;
  const unsigned sums = as_number(n / 10752);
  s.run(
      "warps that add all their lanes to one place", 4.0 * real(added),
      [&] {
        cudaMemsetAsync(s.out, 0, sums * std::size_t{4});
        one_place_a_warp<<<as_number(added / 512), 512>>>(s.in, s.out, sums);
      },
      [&] {
        std::vector<double> want(sums);
        for (std::size_t i = 0; i < added; ++i)
          want[scrambled(static_cast<unsigned>(i / 32)) % sums] += float_of(i);
        return floats(s, sums, [&](std::size_t k) { return want[k]; });
      });
  const unsigned held = as_number(n / 1024), changes = as_number(n / 256);
  auto* records = reinterpret_cast<Record*>(s.out);
  s.run(
      "records changed under a lock each", 4.0 * changes,
      [&] {
        cudaMemsetAsync(records, 0, held * sizeof(Record));
        change_records<<<Set::blocks(changes, 64), 64>>>(s.words, records, held, changes);
      },
      [&] {
        std::vector<Record> want(held);
        for (std::size_t i = 0; i < changes; ++i) {
          Record& r = want[place_of(word_of(i), held)];
          ++r.count, r.total += word_of(i) & 0xfff, r.largest = std::max(r.largest, word_of(i));
        }
        const auto got = taken(records, held);
        for (std::size_t k = 0; k < held; ++k)
          if (got[k].count != want[k].count || got[k].total != want[k].total ||
              got[k].largest != want[k].largest || got[k].lock != 0)
            return false;
        return true;
      });
}

}  // namespace held_out_7
