/// @file
/// Records and streams: drops of ten words that fall and dry, as structs and as arrays; floats rounded to
/// halves, bytes held between limits, one channel in eight of doubles, pairs of halves turned by angles.
#include "held_out_9.hpp"

namespace held_out_9 {
namespace {

struct Drop {
  float x, y, z, dx, dy, dz, mass, heat, age, charge;
};
constexpr unsigned kFields = sizeof(Drop) / sizeof(float);
/// A step of a hundredth: it falls, is slowed by the air, dries as it is warm.
__host__ __device__ __forceinline__ Drop stepped(Drop d) {
  constexpr float kStep = 0.01f;
  const float slowed = 1.0f - kStep * 0.4f / d.mass;
  d.dx *= slowed, d.dy *= slowed;
  d.dz = d.dz * slowed - kStep * 9.81f;
  d.x += kStep * d.dx, d.y += kStep * d.dy, d.z += kStep * d.dz;
  d.mass -= kStep * 0.05f * d.heat;
  d.heat += kStep * (3.0f - d.heat);
  d.age += kStep;
  d.charge *= 0.999f;
  return d;
}
__global__ void drops_as_structs(const Drop* in, Drop* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) out[i] = stepped(in[i]);
}
/// Field after field, each of all drops.
__global__ void drops_as_arrays(const float* in, float* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  const Drop d = stepped({in[i], in[m + i], in[2 * m + i], in[3 * m + i], in[4 * m + i], in[5 * m + i],
                          in[6 * m + i], in[7 * m + i], in[8 * m + i], in[9 * m + i]});
  out[i] = d.x, out[m + i] = d.y, out[2 * m + i] = d.z;
  out[3 * m + i] = d.dx, out[4 * m + i] = d.dy, out[5 * m + i] = d.dz;
  out[6 * m + i] = d.mass, out[7 * m + i] = d.heat, out[8 * m + i] = d.age, out[9 * m + i] = d.charge;
}

struct alignas(8) FourHalves {
  __half2 low, high;
};
__global__ void floats_to_halves(const float4* in, FourHalves* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  const float4 v = in[i];
  out[i] = {__floats2half2_rn(v.x, v.y), __floats2half2_rn(v.z, v.w)};
}

constexpr unsigned kLeastByte = 16, kGreatestByte = 235;
/// What video signals allow.
__global__ void hold_between(const uint4* in, uint4* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  const auto held = [](unsigned four) {
    return __vminu4(__vmaxu4(four, kLeastByte * 0x01010101u), kGreatestByte * 0x01010101u);
  };
  const uint4 v = in[i];
  out[i] = make_uint4(held(v.x), held(v.y), held(v.z), held(v.w));
}

constexpr unsigned kChannels = 8, kChannel = 3;
__global__ void one_channel(const double* in, double* out, double gain, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) out[i] = gain * in[std::size_t{i} * kChannels + kChannel];
}

constexpr unsigned kPairsOfHead = 32, kPositions = 1024;
/// As networks tell where a token is: a head's pairs are turned by angles of its place.
__global__ void turn_pairs(const __half2* in, const float2* turns, __half2* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  const float2 turn = turns[i % (kPositions * kPairsOfHead)], v = __half22float2(in[i]);
  out[i] = __floats2half2_rn(v.x * turn.x - v.y * turn.y, v.x * turn.y + v.y * turn.x);
}

}  // namespace

void records(Set& s) {
  const std::size_t n = s.n;
  const unsigned drops = as_number(n / 64);
  const auto field_of = [](const Drop& d, std::size_t k) {
    float all[kFields];
    std::memcpy(all, &d, sizeof d);
    return double{all[k]};
  };
  s.run(
      "drops of 40 bytes that fall and dry", 80.0 * drops,
      [&] {
        drops_as_structs<<<Set::blocks(drops), 256>>>(reinterpret_cast<const Drop*>(s.in),
                                                      reinterpret_cast<Drop*>(s.out), drops);
      },
      [&] {
        return within(s, std::size_t{kFields} * drops, 1e-4, [&](std::size_t i) {
          const std::size_t base = i / kFields * kFields;
          float all[kFields];
          for (std::size_t k = 0; k < kFields; ++k) all[k] = float_of(base + k);
          Drop d;
          std::memcpy(&d, all, sizeof d);
          return field_of(stepped(d), i - base);
        });
      });
  s.run(
      "drops of ten arrays that fall and dry", 80.0 * drops,
      [&] { drops_as_arrays<<<Set::blocks(drops), 256>>>(s.in, s.out, drops); },
      [&] {
        return within(s, std::size_t{kFields} * drops, 1e-4, [&](std::size_t i) {
          float all[kFields];
          for (std::size_t k = 0; k < kFields; ++k) all[k] = float_of(k * drops + i % drops);
          Drop d;
          std::memcpy(&d, all, sizeof d);
          return field_of(stepped(d), i / drops);
        });
      });

  const unsigned fours = as_number(n / 16);
  s.run(
      "floats rounded to halves, four a thread", 24.0 * fours,
      [&] {
        floats_to_halves<<<Set::blocks(fours), 256>>>(reinterpret_cast<const float4*>(s.in),
                                                      reinterpret_cast<FourHalves*>(s.out), fours);
      },
      [&] {
        return Set::each(4 * std::size_t{fours}, [&](std::size_t i) {
          const __half got = Checked::at(reinterpret_cast<const __half*>(s.out), i);
          return __half2float(got) == __half2float(__float2half_rn(float_of(i)));
        });
      });
  const unsigned sixteens = as_number(n / 32);
  s.run(
      "bytes held between two limits, sixteen a thread", 32.0 * sixteens,
      [&] {
        hold_between<<<Set::blocks(sixteens), 256>>>(reinterpret_cast<const uint4*>(s.words),
                                                     reinterpret_cast<uint4*>(s.out), sixteens);
      },
      [&] {
        return Set::each(16 * std::size_t{sixteens}, [&](std::size_t i) {
          return s.byte(i) == std::clamp(byte_of(i), kLeastByte, kGreatestByte);
        });
      });
  const unsigned taken_out = as_number(n / 32);
  s.run(
      "one channel in eight of doubles", 40.0 * taken_out,
      [&] {
        one_channel<<<Set::blocks(taken_out), 256>>>(reinterpret_cast<const double*>(s.in),
                                                     reinterpret_cast<double*>(s.out), 1.25, taken_out);
      },
      [&] {
        return doubles(s, taken_out,
                       [](std::size_t i) { return 1.25 * double_of(i * kChannels + kChannel); });
      });
  std::vector<float2> turns(kPositions * kPairsOfHead);
  for (std::size_t k = 0; k < turns.size(); ++k) {
    const double angle = real(k / kPairsOfHead) * std::pow(10000.0, -real(k % kPairsOfHead) / kPairsOfHead);
    turns[k] = make_float2(static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle)));
  }
  float2* d_turns = kept(turns);
  const unsigned pairs = as_number(n / 8);
  s.run(
      "pairs of halves turned by angles of their place", 8.0 * pairs,
      [&] {
        turn_pairs<<<Set::blocks(pairs), 256>>>(reinterpret_cast<const __half2*>(s.halves), d_turns,
                                                reinterpret_cast<__half2*>(s.out), pairs);
      },
      [&] {
        return Set::each(2 * std::size_t{pairs}, [&](std::size_t i) {
          const std::size_t pair = i / 2;
          const float2 turn = turns[pair % turns.size()];
          const double x = half_of(2 * pair), y = half_of(2 * pair + 1);
          const double want = i % 2 == 0 ? x * turn.x - y * turn.y : x * turn.y + y * turn.x;
          const __half got = Checked::at(reinterpret_cast<const __half*>(s.out), i);
          return std::abs(double{__half2float(got)} - want) < 2e-3;
        });
      });
  cudaFree(d_turns);
}

}  // namespace held_out_9
