/// @file
/// Atomics: bits of a filter turned on, elements added to their nodes, least and greatest by class, a
/// counter that wraps.
#include "held_out_6.hpp"

namespace held_out_6 {
namespace {

/// A Bloom filter: three bits a key.
constexpr unsigned kBits = 1 << 22;
__global__ void three_bits(const unsigned* keys, unsigned* bits, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  unsigned h = keys[i];
#pragma unroll
  for (int k = 0; k < 3; ++k) {
    h = h * 0x9e3779b1u + 12345u;
    const unsigned at = h >> 10;
    atomicOr(&bits[at / 32], 1u << at % 32);
  }
}
constexpr unsigned kNodes = 16384;
/// What four corners of an element give to the nodes.
__global__ void to_nodes(const uint2* corners, const float* in, float* nodes, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const uint2 c = corners[i];
  const float v = in[i];
  atomicAdd(&nodes[c.x % kNodes], 0.5f * v), atomicAdd(&nodes[(c.x >> 16) % kNodes], 0.25f * v);
  atomicAdd(&nodes[c.y % kNodes], 0.125f * v), atomicAdd(&nodes[(c.y >> 16) % kNodes], 0.125f * v);
}
__global__ void least_and_greatest(const unsigned* classes, const unsigned* in, unsigned* least,
                                   unsigned* most, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const unsigned c = classes[i] & 1023, v = in[i];
  const volatile unsigned *least_so_far = least, *most_so_far = most;
  if (v < least_so_far[c]) atomicMin(&least[c], v);
  if (v > most_so_far[c]) atomicMax(&most[c], v);
}
/// A ring of 1024 places that all write to: only how often is known.
__global__ void ring_of_places(unsigned* head, unsigned* used, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const unsigned at = atomicInc(head, 1023u);
  atomicAdd(&used[at], 1u);
}

}  // namespace

void atomics(Set& s) {
  const std::size_t n = s.n;
  s.run(
      "three bits of a filter a key", 4.0 * real(n / 64),
      [&] {
        cudaMemsetAsync(s.out, 0, kBits / 8);
        three_bits<<<Set::blocks(n / 64), 256>>>(s.words, s.numbers(), n / 64);
      },
      [&] {
        std::vector<unsigned> want(kBits / 32);
        for (std::size_t i = 0; i < n / 64; ++i) {
          unsigned h = word_of(i);
          for (int k = 0; k < 3; ++k) {
            h = h * 0x9e3779b1u + 12345u;
            want[(h >> 10) / 32] |= 1u << (h >> 10) % 32;
          }
        }
        return taken(s.numbers(), kBits / 32) == want;
      });
  s.run(
      "elements added to their four nodes", 12.0 * real(n / 128),
      [&] {
        cudaMemsetAsync(s.out, 0, kNodes * 4);
        to_nodes<<<Set::blocks(n / 128), 256>>>(reinterpret_cast<uint2*>(s.words), s.in, s.out, n / 128);
      },
      [&] {
        std::vector<double> want(kNodes);
        for (std::size_t i = 0; i < n / 128; ++i) {
          const unsigned x = word_of(2 * i), y = word_of(2 * i + 1);
          const double v = float_of(i);
          want[x % kNodes] += 0.5 * v, want[(x >> 16) % kNodes] += 0.25 * v;
          want[y % kNodes] += 0.125 * v, want[(y >> 16) % kNodes] += 0.125 * v;
        }
        return floats(s, kNodes, [&](std::size_t k) { return want[k]; });
      });
  s.run(
      "least and greatest of classes, asked before", 8.0 * real(n / 32),
      [&] {
        cudaMemsetAsync(s.out, 255, 4096), cudaMemsetAsync(s.out + 1024, 0, 4096);
        least_and_greatest<<<Set::blocks(n / 32), 256>>>(s.words, s.words + n / 2, s.numbers(),
                                                         s.numbers() + 1024, n / 32);
      },
      [&] {
        std::vector<unsigned> want(2048);
        std::fill(want.begin(), want.begin() + 1024, ~0u);
        for (std::size_t i = 0; i < n / 32; ++i) {
          unsigned &least = want[word_of(i) & 1023], &most = want[1024 + (word_of(i) & 1023)];
          least = std::min(least, word_of(n / 2 + i)), most = std::max(most, word_of(n / 2 + i));
        }
        return taken(s.numbers(), 2048) == want;
      });
  const std::size_t turns = n / 512 / 1024 * 1024;
  s.run(
      "places of a ring by a counter that wraps", 4.0 * real(turns),
      [&] {
        cudaMemsetAsync(s.out, 0, 1025 * 4);
        ring_of_places<<<Set::blocks(turns), 256>>>(s.numbers() + 1024, s.numbers(), turns);
      },
      [&] {
        const auto got = taken(s.numbers(), 1025);
        for (std::size_t k = 0; k < 1024; ++k)
          if (got[k] != turns / 1024) return false;
        return got[1024] == 0;
      });
}

}  // namespace held_out_6
