/// @file
/// Bands whose edges lie in constant memory, checks of four bytes a step by four tables, the cheapest order of
/// products by a table of each thread.
#include <algorithm>

#include "held_out_20.hpp"

namespace held_out_20 {
namespace {

constexpr unsigned kSpectrum = 128, kBands = 24;
/// Where a band begins, where its top is and where it ends; the next one begins at the top.
__constant__ unsigned band_edges[kBands + 2];
std::vector<unsigned> edges_of_bands() {
  std::vector<unsigned> edges(kBands + 2);
  for (unsigned k = 0; k < edges.size(); ++k) edges[k] = 2 * k + k * k * 75 / ((kBands + 1) * (kBands + 1));
  return edges;
}
/// A thread has a frame; the frames' values of one tone lie side by side.
__global__ void __launch_bounds__(128) strengths_of_bands(const float* in, float* out, unsigned frames) {
  const unsigned frame = blockIdx.x * blockDim.x + threadIdx.x;
  if (frame >= frames) return;
  for (unsigned band = 0; band < kBands; ++band) {
    const unsigned begin = band_edges[band], top = band_edges[band + 1], end = band_edges[band + 2];
    const float up = 1.0f / static_cast<float>(top - begin), down = 1.0f / static_cast<float>(end - top);
    float sum = 0.0f;
    for (unsigned k = begin; k < top; ++k)
      sum += static_cast<float>(k - begin) * up * in[std::size_t{k} * frames + frame];
    for (unsigned k = top; k < end; ++k)
      sum += static_cast<float>(end - k) * down * in[std::size_t{k} * frames + frame];
    out[std::size_t{band} * frames + frame] = logf(sum);
  }
}

constexpr unsigned kCheckTables = 4, kCheckVectors = 6, kCheckPolynomial = 0x82f63b78, kCheckThreads = 256;
/// The k-th table is for a byte with k more behind it.
std::vector<unsigned> tables_of_checks() {
  std::vector<unsigned> all(kCheckTables * 256);
  for (unsigned byte = 0; byte < 256; ++byte) {
    unsigned v = byte;
    for (unsigned k = 0; k < kCheckTables * 8; ++k) {
      v = v >> 1 ^ (v & 1 ? kCheckPolynomial : 0);
      if (k % 8 == 7) all[k / 8 * 256 + byte] = v;
    }
  }
  return all;
}
/// A thread has 96 bytes.
__global__ void __launch_bounds__(kCheckThreads)
    checks_by_four_tables(const uint4* in, const unsigned* tables, unsigned* out, unsigned m) {
  __shared__ unsigned held[kCheckTables][256];
#pragma unroll
  for (unsigned k = 0; k < kCheckTables; ++k) held[k][threadIdx.x] = tables[k * 256 + threadIdx.x];
  __syncthreads();
  const unsigned i = blockIdx.x * kCheckThreads + threadIdx.x;
  if (i >= m) return;
  unsigned check = ~0u;
  const auto take = [&](unsigned word) {
    check ^= word;
    check =
        held[3][check & 255] ^ held[2][check >> 8 & 255] ^ held[1][check >> 16 & 255] ^ held[0][check >> 24];
  };
#pragma unroll
  for (unsigned k = 0; k < kCheckVectors; ++k) {
    const uint4 v = in[std::size_t{i} * kCheckVectors + k];
    take(v.x);
    take(v.y);
    take(v.z);
    take(v.w);
  }
  out[i] = ~check;
}

constexpr unsigned kChained = 9, kChainSides = kChained + 1;
__host__ __device__ __forceinline__ unsigned side_of_chain(unsigned word) {
  return 1 + word % 50;
}
/// Costs of a product of so many matrices, for all pieces of it. A thread has a product; the sides of all lie
/// side by side.
__global__ void __launch_bounds__(128) cheapest_orders(const unsigned* in, unsigned* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  unsigned sides[kChainSides], costs[kChained][kChained];
  for (unsigned k = 0; k < kChainSides; ++k) sides[k] = side_of_chain(in[std::size_t{k} * m + i]);
  for (unsigned k = 0; k < kChained; ++k) costs[k][k] = 0;
  for (unsigned length = 1; length < kChained; ++length)
    for (unsigned first = 0; first + length < kChained; ++first) {
      const unsigned last = first + length;
      unsigned least = ~0u;
      for (unsigned k = first; k < last; ++k)
        least =
            min(least, costs[first][k] + costs[k + 1][last] + sides[first] * sides[k + 1] * sides[last + 1]);
      costs[first][last] = least;
    }
  out[i] = costs[0][kChained - 1];
}
/// By what is left and right of the last product, for the host.
unsigned cheapest_of(const unsigned* sides, unsigned first, unsigned last, std::vector<unsigned>& known) {
  if (first == last) return 0;
  unsigned& cost = known[first * kChained + last];
  if (cost != 0) return cost;
  unsigned least = ~0u;
  for (unsigned k = first; k < last; ++k)
    least = std::min(least, cheapest_of(sides, first, k, known) + cheapest_of(sides, k + 1, last, known) +
                                sides[first] * sides[k + 1] * sides[last + 1]);
  return cost = least;
}

}  // namespace

void tables(Set& s) {
  const std::size_t n = s.n;
  const std::vector<unsigned> edges = edges_of_bands();
  ladder::check(cudaMemcpyToSymbol(band_edges, edges.data(), sizeof band_edges), "constants");
  const unsigned frames = as_number(n / 8 / kSpectrum);
  s.run(
      "24 bands of spectra that overlap, edges in constant memory, a spectrum a thread",
      4.0 * (edges.back() + kBands) * frames,
      [&] { strengths_of_bands<<<Set::blocks(frames, 128), 128>>>(s.in, s.out, frames); },
      [&] {
        return near_everywhere(s, std::size_t{kBands} * frames, 1e-5, [&](std::size_t i) {
          const std::size_t band = i / frames;
          const double begin = edges[band], top = edges[band + 1], end = edges[band + 2];
          double sum = 0;
          for (std::size_t k = edges[band]; k < edges[band + 2]; ++k)
            sum += float_of(k * frames + i % frames) *
                   std::min((real(k) - begin) / (top - begin), (end - real(k)) / (end - top));
          return std::log(sum);
        });
      });

  unsigned* tables_there = kept(tables_of_checks());
  const unsigned checked = as_number(n / 72);
  s.run(
      "checks of 96 bytes, four bytes a step by four tables in shared memory",
      (16.0 * kCheckVectors + 4.0) * checked,
      [&] {
        checks_by_four_tables<<<Set::blocks(checked, kCheckThreads), kCheckThreads>>>(
            reinterpret_cast<const uint4*>(s.words), tables_there, s.numbers(), checked);
      },
      [&] {
        // Bit by bit for the host.
        return same_everywhere(
            s, checked,
            [](std::size_t i) {
              unsigned check = ~0u;
              for (std::size_t k = 0; k < 4 * kCheckVectors; ++k) {
                check ^= word_of(i * 4 * kCheckVectors + k);
                for (unsigned bit = 0; bit < 32; ++bit)
                  check = check >> 1 ^ (check & 1 ? kCheckPolynomial : 0);
              }
              return ~check;
            },
            7);
      });
  cudaFree(tables_there);

  const unsigned chains = as_number(n / 240);
  s.run(
      "cheapest orders of products of nine matrices, a table of 81 a thread",
      4.0 * (kChainSides + 1) * chains,
      [&] { cheapest_orders<<<Set::blocks(chains, 128), 128>>>(s.words, s.numbers(), chains); },
      [&] {
        return same_everywhere(
            s, chains,
            [&](std::size_t i) {
              unsigned sides[kChainSides];
              for (std::size_t k = 0; k < kChainSides; ++k) sides[k] = side_of_chain(word_of(k * chains + i));
              std::vector<unsigned> known(std::size_t{kChained} * kChained);
              return cheapest_of(sides, 0, kChained - 1, known);
            },
            7);
      });
}

}  // namespace held_out_20
