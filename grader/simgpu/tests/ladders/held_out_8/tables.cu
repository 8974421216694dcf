/// @file
/// Tables. Constant memory: samples that all lanes look at together, codons that each lane looks up for
/// itself. Arrays of a thread at places known as it runs: permutations told by their number, letters moved to
/// the front. Gathers: segments read in bit-reversed order, a field between its nodes where particles are.
#include "held_out_8.hpp"

namespace held_out_8 {
namespace {

constexpr unsigned kSamples = 256;
/// A frequency (x, y, z) and how strong it is.
__constant__ float4 samples[kSamples];

__global__ void __launch_bounds__(256)
    voxels_from_samples(const float* x, const float* y, const float* z, float2* image, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  const float px = x[i], py = y[i], pz = z[i];
  float re = 0.0f, im = 0.0f;
  for (unsigned k = 0; k < kSamples; k++) {
    const float4 f = samples[k];
    float sine, cosine;
    __sincosf(f.x * px + f.y * py + f.z * pz, &sine, &cosine);
    re += f.w * cosine;
    im += f.w * sine;
  }
  image[i] = make_float2(re, im);
}

constexpr unsigned kCodons = 64;
__constant__ unsigned masses[kCodons];
__host__ unsigned mass_of(std::size_t codon) {
  return 57 + word_of(codon + 900) % 130;
}
/// Five codons of two bits a letter lie in each word.
__global__ void masses_of_codons(const uint4* letters, unsigned* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  const uint4 v = letters[i];
  unsigned mass = 0;
#pragma unroll
  for (unsigned k = 0; k < 30; k += 6)
    mass += masses[v.x >> k & 63] + masses[v.y >> k & 63] + masses[v.z >> k & 63] + masses[v.w >> k & 63];
  out[i] = mass;
}

constexpr unsigned kItems = 12, kOrders = 479001600;  // 12!
/// The first eight of the permutation that a number tells, four bits each, and the last four.
__host__ __device__ __forceinline__ uint2 permutation_of(unsigned number) {
  unsigned char items[kItems];
  for (unsigned k = 0; k < kItems; ++k) items[k] = static_cast<unsigned char>(k);
  uint2 packed = {0, 0};
#pragma unroll 1
  for (unsigned left = kItems; left > 0; --left) {
    const unsigned at = number % left;
    number /= left;
    const unsigned slot = kItems - left;
    if (slot < 8)
      packed.x |= static_cast<unsigned>(items[at]) << (4 * slot);
    else
      packed.y |= static_cast<unsigned>(items[at]) << (4 * (slot - 8));
    for (unsigned k = at; k + 1 < left; ++k) items[k] = items[k + 1];
  }
  return packed;
}
__global__ void permutations_by_number(const unsigned* words, uint2* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) out[i] = permutation_of(words[i] % kOrders);
}

/// Each letter of four bits becomes its place among the letters seen last.
__host__ __device__ __forceinline__ void move_to_front(const unsigned (&in)[4], unsigned (&out)[4]) {
  int recent[16];
  for (int k = 0; k < 16; ++k) recent[k] = k;
#pragma unroll
  for (int w = 0; w < 4; ++w) {
    unsigned packed = 0;
#pragma unroll 1
    for (int k = 0; k < 32; k += 4) {
      const int letter = static_cast<int>(in[w] >> k & 15);
      int at = 0;
      while (recent[at] != letter) ++at;
      packed |= static_cast<unsigned>(at) << k;
      for (; at > 0; --at) recent[at] = recent[at - 1];
      recent[0] = letter;
    }
    out[w] = packed;
  }
}
__global__ void __launch_bounds__(128) letters_to_front(const uint4* in, uint4* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  const uint4 v = in[i];
  const unsigned letters[4] = {v.x, v.y, v.z, v.w};
  unsigned places[4];
  move_to_front(letters, places);
  out[i] = make_uint4(places[0], places[1], places[2], places[3]);
}

constexpr unsigned kSegmentBits = 16, kSegment = 1u << kSegmentBits;
__global__ void bits_reversed(const float* in, float* out) {
  const unsigned k = blockIdx.x * blockDim.x + threadIdx.x;
  const std::size_t base = blockIdx.y * std::size_t{kSegment};
  out[base + k] = in[base + (__brev(k) >> (32 - kSegmentBits))];
}

constexpr unsigned kNodesWide = 1024;
/// Particles lie anywhere; the nodes of a plane hold two parts of a force.
__global__ void force_at_particles(const uint2* particles, const float2* nodes, float2* force, unsigned high,
                                   unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  const uint2 p = particles[i];
  const unsigned x0 = p.x >> 22, y0 = ladder::place_of(p.y, high - 1), x1 = (x0 + 1) % kNodesWide;
  const float u = static_cast<float>(p.x & 0xffff) * (1.0f / 65536),
              v = static_cast<float>(p.y & 0xff) * (1.0f / 256);
  const float2 a = nodes[y0 * kNodesWide + x0], b = nodes[y0 * kNodesWide + x1],
               c = nodes[(y0 + 1) * kNodesWide + x0], d = nodes[(y0 + 1) * kNodesWide + x1];
  const float wa = (1 - u) * (1 - v), wb = u * (1 - v), wc = (1 - u) * v, wd = u * v;
  force[i] =
      make_float2(wa * a.x + wb * b.x + wc * c.x + wd * d.x, wa * a.y + wb * b.y + wc * c.y + wd * d.y);
}

}  // namespace

void tables(Set& s) {
  const std::size_t n = s.n;
  std::vector<float4> all(kSamples);
  const auto frequency = [](std::size_t k) { return (half_of(k) - 0.5f) * 0.25f; };
  for (std::size_t k = 0; k < kSamples; ++k)
    all[k] = make_float4(frequency(4 * k), frequency(4 * k + 1), frequency(4 * k + 2), half_of(4 * k + 3));
  ladder::check(cudaMemcpyToSymbol(samples, all.data(), sizeof samples), "samples");
  const unsigned voxels = as_number(n / 256);
  s.run(
      "voxels from 256 samples of constant memory", 20.0 * voxels,
      [&] {
        voxels_from_samples<<<Set::blocks(voxels), 256>>>(s.in, s.in + voxels, s.other,
                                                          reinterpret_cast<float2*>(s.out), voxels);
      },
      [&] {
        return within(s, 2 * std::size_t{voxels}, 2e-3, [&](std::size_t i) {
          const std::size_t v = i / 2;
          double sum = 0;
          for (const float4& f : all) {
            const double phase =
                double{f.x} * float_of(v) + double{f.y} * float_of(v + voxels) + double{f.z} * other_of(v);
            sum += f.w * (i % 2 == 0 ? std::cos(phase) : std::sin(phase));
          }
          return sum;
        });
      });
  std::vector<unsigned> all_masses(kCodons);
  for (std::size_t k = 0; k < kCodons; ++k) all_masses[k] = mass_of(k);
  ladder::check(cudaMemcpyToSymbol(masses, all_masses.data(), sizeof masses), "masses");
  const unsigned pieces = as_number(n / 32);
  s.run(
      "codons weighed by a table of constants", 20.0 * pieces,
      [&] {
        masses_of_codons<<<Set::blocks(pieces), 256>>>(reinterpret_cast<const uint4*>(s.words), s.numbers(),
                                                       pieces);
      },
      [&] {
        return numbers(s, pieces, [](std::size_t i) {
          unsigned mass = 0;
          for (std::size_t w = 4 * i; w < 4 * i + 4; ++w)
            for (unsigned k = 0; k < 30; k += 6) mass += mass_of(word_of(w) >> k & 63);
          return mass;
        });
      });
  const unsigned orders = as_number(n / 64);
  s.run(
      "permutations of twelve told by their number", 12.0 * orders,
      [&] {
        permutations_by_number<<<Set::blocks(orders), 256>>>(s.words, reinterpret_cast<uint2*>(s.out),
                                                             orders);
      },
      [&] {
        return Set::each(orders, [&](std::size_t i) {
          const uint2 want = permutation_of(word_of(i) % kOrders);
          return s.number(2 * i) == want.x && s.number(2 * i + 1) == want.y;
        });
      });
  const unsigned texts = as_number(n / 128);
  s.run(
      "32 letters a thread moved to the front", 32.0 * texts,
      [&] {
        letters_to_front<<<Set::blocks(texts, 128), 128>>>(reinterpret_cast<const uint4*>(s.words),
                                                           reinterpret_cast<uint4*>(s.out), texts);
      },
      [&] {
        return Set::each(texts, [&](std::size_t i) {
          const unsigned letters[4] = {word_of(4 * i), word_of(4 * i + 1), word_of(4 * i + 2),
                                       word_of(4 * i + 3)};
          unsigned want[4];
          move_to_front(letters, want);
          for (std::size_t k = 0; k < 4; ++k)
            if (s.number(4 * i + k) != want[k]) return false;
          return true;
        });
      });
  const unsigned segments = as_number(n / 8 / kSegment);
  s.run(
      "segments of 65536 in bit-reversed order", 8.0 * kSegment * segments,
      [&] { bits_reversed<<<dim3(kSegment / 256, segments), 256>>>(s.in, s.out); },
      [&] {
        return floats(s, std::size_t{kSegment} * segments, [](std::size_t i) {
          std::size_t from = 0;
          for (unsigned bit = 0; bit < kSegmentBits; ++bit)
            from |= (i >> bit & 1) << (kSegmentBits - 1 - bit);
          return double{float_of(i / kSegment * kSegment + from)};
        });
      });
  const unsigned high = as_number(n / 64 / kNodesWide), particles = as_number(n / 32);
  s.run(
      "force at particles between four nodes", 16.0 * particles + 8.0 * kNodesWide * high,
      [&] {
        force_at_particles<<<Set::blocks(particles), 256>>>(
            reinterpret_cast<const uint2*>(s.words), reinterpret_cast<const float2*>(s.in),
            reinterpret_cast<float2*>(s.out), high, particles);
      },
      [&] {
        return floats(s, 2 * std::size_t{particles}, [&](std::size_t i) {
          const unsigned px = word_of(i / 2 * 2), py = word_of(i / 2 * 2 + 1);
          const std::size_t x = px >> 22, y = place_of(py, high - 1);
          const double u = (px & 0xffff) / 65536.0, v = (py & 0xff) / 256.0;
          const auto at = [&](std::size_t dx, std::size_t dy) {
            return double{float_of(2 * ((y + dy) * kNodesWide + (x + dx) % kNodesWide) + i % 2)};
          };
          return (1 - v) * ((1 - u) * at(0, 0) + u * at(1, 0)) + v * ((1 - u) * at(0, 1) + u * at(1, 1));
        });
      });
}

}  // namespace held_out_8
