/// @file
/// Arithmetic and ways apart: neurons that fire, numbers of one to four bytes, turns half way between others,
/// fractions near to numbers.
#include <algorithm>

#include "held_out_20.hpp"

namespace held_out_20 {
namespace {

constexpr unsigned kNeuronSteps = 40;
/// Every operation is rounded as it is told here, for a neuron that fires on the host fires on the device.
struct Neuron {
  float height, rest;

  /// Does it fire?
  __host__ __device__ bool step(float comes) {
    const float bent = fmaf(0.04f * height, height, fmaf(5.0f, height, 140.0f)), off = comes - rest;
    height = fmaf(0.5f, bent + off, height);
    rest = fmaf(0.01f, fmaf(0.2f, height, -rest), rest);
    if (height < 30.0f) return false;
    height = -65.0f;
    rest += 8.0f;
    return true;
  }
};
__host__ __device__ __forceinline__ unsigned times_fired(float first, float other) {
  Neuron neuron{fmaf(-4.0f, first, -50.0f), -13.0f};
  const float comes = 4.0f * other;
  unsigned fired = 0;
#ifdef __CUDA_ARCH__
#pragma unroll 1
#endif
  for (unsigned k = 0; k < kNeuronSteps; ++k)
    if (neuron.step(comes)) fired += 1u + (k << 8);
  return fired + 1;
}
/// How often they fire, and in the upper bits the sum of the steps when they do.
__global__ void __launch_bounds__(256)
    let_neurons_fire(const float* first, const float* others, unsigned* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) out[i] = times_fired(first[i], others[i]);
}

constexpr unsigned kOfList = 32;
/// A thread has a list. The upper bit of a byte says that more come; a number is told by how much it is more than
/// the one before.
__global__ void __launch_bounds__(128)
    read_lists(const unsigned* begins, const unsigned char* bytes, unsigned* out, unsigned lists) {
  const unsigned list = blockIdx.x * blockDim.x + threadIdx.x;
  if (list >= lists) return;
  unsigned at = begins[list], number = 0;
  for (unsigned k = 0; k < kOfList; ++k) {
    unsigned more = 0, shift = 0, byte;
    do {
      byte = bytes[at++];
      more |= (byte & 127) << shift;
      shift += 7;
    } while (byte & 128);
    number += more;
    out[std::size_t{k} * lists + list] = number;
  }
}

constexpr float kTurnMiddle = 3.7f, kTurnPart = 0.3f;
__device__ __forceinline__ float4 as_turn(float4 v) {
  v = make_float4(v.x - kTurnMiddle, v.y - kTurnMiddle, v.z - kTurnMiddle, v.w - kTurnMiddle);
  const float scale = rsqrtf(v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w);
  return make_float4(scale * v.x, scale * v.y, scale * v.z, scale * v.w);
}
/// Along the arc from one turn to the other, the shorter way.
__global__ void __launch_bounds__(192)
    turns_between(const float4* from, const float4* to, float4* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  const float4 u = as_turn(from[i]), v = as_turn(to[i]);
  const float dot = u.x * v.x + u.y * v.y + u.z * v.z + u.w * v.w, cosine = fabsf(dot);
  float of_u = 1.0f - kTurnPart, of_v = kTurnPart;
  if (cosine < 0.9995f) {
    const float angle = acosf(cosine), scale = 1.0f / sinf(angle);
    of_u = scale * sinf((1.0f - kTurnPart) * angle);
    of_v = scale * sinf(kTurnPart * angle);
  }
  of_v = copysignf(of_v, dot);
  out[i] = make_float4(of_u * u.x + of_v * v.x, of_u * u.y + of_v * v.y, of_u * u.z + of_v * v.z,
                       of_u * u.w + of_v * v.w);
}

constexpr unsigned kFractionLimit = 65535;
/// The last fraction with a small denominator on the way to a word's part of all words; 0 and 1 are the first
/// ones.
__global__ void __launch_bounds__(256) fractions_near(const unsigned* in, unsigned* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  unsigned long long whole = 1ull << 32, part = in[i];
  unsigned above = 0, below = 1, above_before = 1, below_before = 0;
  while (part != 0) {
    const unsigned long long times = whole / part;
    const unsigned long long next = times * below + below_before;
    if (next > kFractionLimit) break;
    const auto next_above = static_cast<unsigned>(times * above + above_before);
    below_before = below;
    below = static_cast<unsigned>(next);
    above_before = above;
    above = next_above;
    const unsigned long long rest = whole - times * part;
    whole = part;
    part = rest;
  }
  out[i] = above << 16 | below;
}
/// The steps' quotients first and the fraction from the last one back, for the host.
unsigned fraction_near(unsigned word) {
  std::vector<unsigned long long> quotients;
  unsigned long long whole = 1ull << 32, part = word, above = 0, below = 1;
  while (part != 0) {
    quotients.push_back(whole / part);
    unsigned long long u = 0, v = 1;
    for (std::size_t k = quotients.size(); k-- > 0;) {
      const unsigned long long lower = quotients[k] * v + u;
      u = v;
      v = lower;
    }
    if (v > kFractionLimit) break;
    above = u;
    below = v;
    const unsigned long long rest = whole % part;
    whole = part;
    part = rest;
  }
  return static_cast<unsigned>(above << 16 | below);
}

}  // namespace

void loops(Set& s) {
  const std::size_t n = s.n;
  const unsigned neurons = as_number(n / 30);
  s.run(
      "neurons of two quantities stepped forty times, some of which fire", 12.0 * neurons,
      [&] { let_neurons_fire<<<Set::blocks(neurons), 256>>>(s.in, s.other, s.numbers(), neurons); },
      [&] {
        return same_everywhere(
            s, neurons, [](std::size_t i) { return times_fired(float_of(i), other_of(i)); }, 5);
      });

  const unsigned lists = as_number(n / 640);
  std::vector<unsigned> list_begins(lists + std::size_t{1}), numbers_of_lists(std::size_t{kOfList} * lists);
  std::vector<unsigned char> list_bytes;
  for (std::size_t list = 0; list < lists; ++list) {
    unsigned number = 0;
    for (std::size_t k = 0; k < kOfList; ++k) {
      const unsigned word = word_of(list * kOfList + k + 91);
      unsigned more = word >> 6 >> word % 4 * 7;  // of four to 26 bits
      number += more;
      numbers_of_lists[k * lists + list] = number;
      for (; more > 127; more >>= 7) list_bytes.push_back(static_cast<unsigned char>(more % 128 | 128));
      list_bytes.push_back(static_cast<unsigned char>(more));
    }
    list_begins[list + 1] = as_number(list_bytes.size());
  }
  unsigned* list_begins_there = kept(list_begins);
  unsigned char* list_bytes_there = kept(list_bytes);
  s.run(
      "lists of 32 numbers told by steps of one to four bytes, a thread each",
      real(list_bytes.size()) + (4.0 * kOfList + 4.0) * lists,
      [&] {
        read_lists<<<Set::blocks(lists, 128), 128>>>(list_begins_there, list_bytes_there, s.numbers(), lists);
      },
      [&] { return taken(s.numbers(), numbers_of_lists.size()) == numbers_of_lists; });
  cudaFree(list_begins_there), cudaFree(list_bytes_there);

  const unsigned turns = as_number(n / 32);
  s.run(
      "turns a third of the way along the arc from one quaternion to another", 48.0 * turns,
      [&] {
        turns_between<<<Set::blocks(turns, 192), 192>>>(reinterpret_cast<const float4*>(s.in),
                                                        reinterpret_cast<const float4*>(s.other), s.vectors(),
                                                        turns);
      },
      [&] {
        return right_everywhere<float4>(s, turns, 1, [](std::size_t i, float4 got) {
          double u[4], v[4], of_u = 0, of_v = 0, dot = 0;
          for (std::size_t k = 0; k < 4; ++k) {
            u[k] = double{float_of(4 * i + k)} - double{kTurnMiddle};
            v[k] = double{other_of(4 * i + k)} - double{kTurnMiddle};
            of_u += u[k] * u[k], of_v += v[k] * v[k], dot += u[k] * v[k];
          }
          dot /= std::sqrt(of_u * of_v);
          if (std::abs(dot) < 1e-5) return true;  // either way is as short
          const double angle = std::acos(std::min(std::abs(dot), 1.0)), part = kTurnPart;
          const double near = std::max(angle, 1e-9), all[4] = {got.x, got.y, got.z, got.w};
          of_u = std::sin((1 - part) * near) / std::sin(near) / std::sqrt(of_u);
          of_v = std::copysign(std::sin(part * near) / std::sin(near), dot) / std::sqrt(of_v);
          for (std::size_t k = 0; k < 4; ++k)
            if (!(std::abs(all[k] - of_u * u[k] - of_v * v[k]) < 1e-3)) return false;
          return true;
        });
      });

  const unsigned fractions = as_number(n / 48);
  s.run(
      "fractions of 16 bits near to words as parts of one, by Euclid's steps", 8.0 * fractions,
      [&] { fractions_near<<<Set::blocks(fractions), 256>>>(s.words, s.numbers(), fractions); },
      [&] {
        return same_everywhere(
            s, fractions, [](std::size_t i) { return fraction_near(word_of(i)); }, 3);
      });
}

}  // namespace held_out_20
