/// @file
/// Neighbours: a chip that power warms, weights of each point's own, middle ones of a volume, taps back along
/// time.
#include <algorithm>

#include "held_out_20.hpp"

namespace held_out_20 {
namespace {

constexpr int kChipWide = 1024, kChipX = 32, kChipY = 8;
constexpr float kChipStep = 0.1f, kChipAlong = 0.8f, kChipDown = 0.5f, kChipLoss = 0.05f, kChipAir = 2.0f;
/// At the edges a point is its own neighbour.
__global__ void __launch_bounds__(kChipX* kChipY)
    warm_chip(const float* heat, const float* power, float* out, int high) {
  __shared__ float held[kChipY + 2][kChipX + 2];
  const int tx = static_cast<int>(threadIdx.x), ty = static_cast<int>(threadIdx.y);
  const int x0 = static_cast<int>(blockIdx.x) * kChipX, y0 = static_cast<int>(blockIdx.y) * kChipY;
  for (int k = ty * kChipX + tx; k < (kChipY + 2) * (kChipX + 2); k += kChipX * kChipY) {
    const int x = min(max(x0 + k % (kChipX + 2) - 1, 0), kChipWide - 1),
              y = min(max(y0 + k / (kChipX + 2) - 1, 0), high - 1);
    held[k / (kChipX + 2)][k % (kChipX + 2)] = heat[std::size_t(y) * kChipWide + std::size_t(x)];
  }
  const std::size_t i = std::size_t(y0 + ty) * kChipWide + std::size_t(x0 + tx);
  const float comes = power[i];
  __syncthreads();
  const float v = held[ty + 1][tx + 1];
  out[i] = v + kChipStep * (comes + kChipAlong * (held[ty + 1][tx] + held[ty + 1][tx + 2] - 2.0f * v) +
                            kChipDown * (held[ty][tx + 1] + held[ty + 2][tx + 1] - 2.0f * v) -
                            kChipLoss * (v - kChipAir));
}

constexpr unsigned kOwnWide = 512, kOwnX = 128, kOwnY = 2, kOwnWeights = 9;
/// The weights' planes lie behind one another. The edges stay as they were.
__global__ void __launch_bounds__(kOwnX* kOwnY)
    weigh_by_own(const float* __restrict__ in, const float* __restrict__ weights, float* __restrict__ out,
                 unsigned high) {
  const unsigned x = blockIdx.x * kOwnX + threadIdx.x, y = blockIdx.y * kOwnY + threadIdx.y;
  if (y >= high) return;
  const std::size_t i = std::size_t{y} * kOwnWide + x, plane = std::size_t{high} * kOwnWide;
  if (x == 0 || y == 0 || x == kOwnWide - 1 || y == high - 1) {
    out[i] = in[i];
    return;
  }
  float sum = 0.0f;
#pragma unroll
  for (unsigned k = 0; k < kOwnWeights; ++k)
    sum += weights[k * plane + i] * in[i + k / 3 * kOwnWide + k % 3 - kOwnWide - 1];
  out[i] = sum;
}

constexpr int kMidX = 128, kMidY = 64, kMidZ = 32, kMidThreadsX = 64, kMidThreadsY = 4;
constexpr std::size_t kOfMid = std::size_t{kMidX} * kMidY * kMidZ;
__device__ __forceinline__ void order_two(float& a, float& b) {
  const float less = fminf(a, b);
  b = fmaxf(a, b);
  a = less;
}
/// The middle one of seven by thirteen exchanges.
__device__ __forceinline__ float middle_of_seven(float (&v)[7]) {
  order_two(v[0], v[5]);
  order_two(v[0], v[3]);
  order_two(v[1], v[6]);
  order_two(v[2], v[4]);
  order_two(v[0], v[1]);
  order_two(v[3], v[5]);
  order_two(v[2], v[6]);
  order_two(v[2], v[3]);
  order_two(v[3], v[6]);
  order_two(v[4], v[5]);
  order_two(v[1], v[4]);
  order_two(v[1], v[3]);
  order_two(v[3], v[4]);
  return v[3];
}
/// A thread goes down a column, with three planes' values in registers; beyond the edges the edge goes on.
__global__ void __launch_bounds__(kMidThreadsX* kMidThreadsY) middles_of_volume(const float* in, float* out) {
  const int x = static_cast<int>(blockIdx.x) * kMidThreadsX + static_cast<int>(threadIdx.x),
            y = static_cast<int>(blockIdx.y) * kMidThreadsY + static_cast<int>(threadIdx.y);
  in += blockIdx.z * kOfMid;
  out += blockIdx.z * kOfMid;
  const int here = y * kMidX + x, left = y * kMidX + max(x - 1, 0), right = y * kMidX + min(x + 1, kMidX - 1),
            above = max(y - 1, 0) * kMidX + x, below = min(y + 1, kMidY - 1) * kMidX + x;
  float before = in[here], now = before;
  for (int z = 0; z < kMidZ; ++z) {
    const float* plane = in + z * (kMidX * kMidY);
    const float next = z + 1 < kMidZ ? plane[kMidX * kMidY + here] : now;
    float v[7] = {before, plane[left], plane[above], now, plane[right], plane[below], next};
    out[z * (kMidX * kMidY) + here] = middle_of_seven(v);
    before = now;
    now = next;
  }
}

constexpr unsigned kPastChannels = 256, kPastTimes = 16, kPastTaps = 4;
/// A thread has a channel for sixteen times; channels lie side by side, and there is nothing before the first
/// time.
__global__ void __launch_bounds__(kPastChannels)
    look_back_along_time(const float* in, const float* taps, float* out) {
  const unsigned channel = threadIdx.x, from = blockIdx.x * kPastTimes;
  float weights[kPastTaps], v[kPastTaps] = {};
#pragma unroll
  for (unsigned k = 0; k < kPastTaps; ++k) weights[k] = taps[k * kPastChannels + channel];
  if (from > 0)
#pragma unroll
    for (unsigned k = 1; k < kPastTaps; ++k)
      v[k] = in[std::size_t{from + k - kPastTaps} * kPastChannels + channel];
#pragma unroll
  for (unsigned time = 0; time < kPastTimes; ++time) {
#pragma unroll
    for (unsigned k = 1; k < kPastTaps; ++k) v[k - 1] = v[k];
    const std::size_t i = std::size_t{from + time} * kPastChannels + channel;
    v[kPastTaps - 1] = in[i];
    float sum = 0.0f;
#pragma unroll
    for (unsigned k = 0; k < kPastTaps; ++k) sum += weights[k] * v[k];
    out[i] = sum / (1.0f + __expf(-sum));
  }
}

}  // namespace

void stencils(Set& s) {
  const std::size_t n = s.n;
  const unsigned chip = as_number(n / 12 / kChipWide / kChipY * kChipY);
  s.run(
      "heat of a chip that power warms and air cools, tiles of 32 x 8 with their rims",
      12.0 * kChipWide * chip,
      [&] {
        warm_chip<<<dim3(kChipWide / kChipX, chip / kChipY), dim3(kChipX, kChipY)>>>(s.in, s.other, s.out,
                                                                                     static_cast<int>(chip));
      },
      [&] {
        return near_everywhere(s, std::size_t{kChipWide} * chip, 1e-5, [&](std::size_t i) {
          const std::size_t x = i % kChipWide, y = i / kChipWide;
          const double v = float_of(i), left = float_of(x == 0 ? i : i - 1),
                       right = float_of(x + 1 == kChipWide ? i : i + 1),
                       above = float_of(y == 0 ? i : i - kChipWide),
                       below = float_of(y + 1 == chip ? i : i + kChipWide);
          return v + double{kChipStep} *
                         (double{other_of(i)} + double{kChipAlong} * (left + right - 2 * v) +
                          double{kChipDown} * (above + below - 2 * v) - double{kChipLoss} * (v - kChipAir));
        });
      });

  const unsigned own = as_number(n / 24 / kOwnWide);
  s.run(
      "nine points of a plane, each point with nine weights of its own in nine planes", 44.0 * kOwnWide * own,
      [&] {
        weigh_by_own<<<dim3(kOwnWide / kOwnX, Set::blocks(own, kOwnY)), dim3(kOwnX, kOwnY)>>>(s.in, s.other,
                                                                                              s.out, own);
      },
      [&] {
        const std::size_t plane = std::size_t{kOwnWide} * own;
        return near_everywhere(s, plane, 1e-5, [&](std::size_t i) -> double {
          const std::size_t x = i % kOwnWide, y = i / kOwnWide;
          if (x == 0 || y == 0 || x == kOwnWide - 1 || y == own - 1) return float_of(i);
          double sum = 0;
          for (std::size_t k = 0; k < kOwnWeights; ++k)
            sum += double{other_of(k * plane + i)} * float_of(i + k / 3 * kOwnWide + k % 3 - kOwnWide - 1);
          return sum;
        });
      });

  const unsigned volumes = as_number(n / 3 / kOfMid);
  s.run(
      "middle ones of a point and its six neighbours in volumes, a thread a column",
      8.0 * real(kOfMid) * volumes,
      [&] {
        middles_of_volume<<<dim3(kMidX / kMidThreadsX, kMidY / kMidThreadsY, volumes),
                            dim3(kMidThreadsX, kMidThreadsY)>>>(s.in, s.out);
      },
      [&] {
        return same_everywhere<float>(
            s, kOfMid * volumes,
            [](std::size_t i) {
              const std::size_t first = i / kOfMid * kOfMid;
              const int x = static_cast<int>(i % kMidX), y = static_cast<int>(i / kMidX % kMidY),
                        z = static_cast<int>(i / kMidX / kMidY % kMidZ);
              const auto at = [&](int u, int v, int w) {
                return float_of(
                    first +
                    std::size_t((std::clamp(w, 0, kMidZ - 1) * kMidY + std::clamp(v, 0, kMidY - 1)) * kMidX +
                                std::clamp(u, 0, kMidX - 1)));
              };
              float v[] = {at(x, y, z),     at(x - 1, y, z), at(x + 1, y, z), at(x, y - 1, z),
                           at(x, y + 1, z), at(x, y, z - 1), at(x, y, z + 1)};
              std::nth_element(v, v + 3, v + 7);
              return v[3];
            },
            3);
      });

  const unsigned past = as_number(n / 8 / kPastChannels / kPastTimes) * kPastTimes;
  s.run(
      "four taps back along time for each of 256 channels, sixteen times a thread",
      8.0 * kPastChannels * past,
      [&] { look_back_along_time<<<past / kPastTimes, kPastChannels>>>(s.in, s.other, s.out); },
      [&] {
        return near_everywhere(s, std::size_t{kPastChannels} * past, 1e-5, [](std::size_t i) {
          const std::size_t channel = i % kPastChannels, time = i / kPastChannels;
          double sum = 0;
          for (std::size_t k = 0; k < kPastTaps; ++k)
            if (time + k + 1 >= kPastTaps)
              sum += double{other_of(k * kPastChannels + channel)} *
                     float_of((time + k + 1 - kPastTaps) * kPastChannels + channel);
          return sum / (1 + std::exp(-sum));
        });
      });
}

}  // namespace held_out_20
