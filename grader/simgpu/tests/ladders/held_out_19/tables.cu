/// @file
/// Filters whose constants all threads go over, products of bytes by tables of logarithms, the middle of
/// what an array of each thread keeps in order.
#include <algorithm>

#include "held_out_19.hpp"

namespace held_out_19 {
namespace {

constexpr unsigned kSections = 8, kSamples = 32;
/// Three weights of what comes, two of what has gone.
constexpr unsigned kOfSection = 5;
__constant__ float sections_of_all[kSections][kOfSection];
std::vector<float> sections_of_host() {
  std::vector<float> all(std::size_t{kSections} * kOfSection);
  for (unsigned k = 0; k < all.size(); ++k)
    all[k] = k % kOfSection < 3 ? 0.2f + 0.2f * half_of(k) : 0.4f * (half_of(k) - 0.5f);
  return all;
}
/// A thread has a channel; the channels' samples of one time lie side by side.
__global__ void __launch_bounds__(128) filter_channels(const float* in, float* out, unsigned channels) {
  const unsigned channel = blockIdx.x * blockDim.x + threadIdx.x;
  if (channel >= channels) return;
  float first[kSections] = {}, second[kSections] = {};
  for (unsigned time = 0; time < kSamples; ++time) {
    float v = in[std::size_t{time} * channels + channel];
#pragma unroll
    for (unsigned k = 0; k < kSections; ++k) {
      const float(&weights)[kOfSection] = sections_of_all[k];
      const float next = weights[0] * v + first[k];
      first[k] = weights[1] * v - weights[3] * next + second[k];
      second[k] = weights[2] * v - weights[4] * next;
      v = next;
    }
    out[std::size_t{time} * channels + channel] = v;
  }
}

constexpr unsigned kFieldSize = 256, kFieldPolynomial = 0x11d, kFieldThreads = 256;
/// Powers of two in the field, twice, and what power a byte is.
struct FieldTables {
  unsigned char powers[2 * kFieldSize], logarithms[kFieldSize];
};
FieldTables tables_of_field() {
  FieldTables tables{};
  for (unsigned k = 0, power = 1; k < 2 * kFieldSize; ++k) {
    tables.powers[k] = static_cast<unsigned char>(power);
    if (k < kFieldSize - 1) tables.logarithms[power] = static_cast<unsigned char>(k);
    power <<= 1;
    if (power >= kFieldSize) power ^= kFieldPolynomial;
  }
  return tables;
}
__global__ void __launch_bounds__(kFieldThreads)
    multiply_in_field(const uint4* a, const uint4* b, uint4* out, const FieldTables* tables, unsigned m) {
  __shared__ FieldTables held;
  for (unsigned k = threadIdx.x; k < 2 * kFieldSize; k += kFieldThreads) held.powers[k] = tables->powers[k];
  for (unsigned k = threadIdx.x; k < kFieldSize; k += kFieldThreads)
    held.logarithms[k] = tables->logarithms[k];
  __syncthreads();
  const auto multiply = [](unsigned u, unsigned v) {
    unsigned products = 0;
#pragma unroll
    for (unsigned k = 0; k < 32; k += 8) {
      const unsigned x = u >> k & 255, y = v >> k & 255;
      const unsigned product = held.powers[held.logarithms[x] + held.logarithms[y]];
      products |= (x == 0 || y == 0 ? 0 : product) << k;
    }
    return products;
  };
  for (unsigned i = blockIdx.x * kFieldThreads + threadIdx.x; i < m; i += gridDim.x * kFieldThreads) {
    const uint4 u = a[i], v = b[i];
    out[i] = make_uint4(multiply(u.x, v.x), multiply(u.y, v.y), multiply(u.z, v.z), multiply(u.w, v.w));
  }
}

constexpr unsigned kInOrder = 15, kLookedBack = 40, kMiddles = kLookedBack - kInOrder + 1;
/// A thread has a channel. The oldest value is sought; the new one moves from its place to where it belongs.
__global__ void __launch_bounds__(128) running_middles(const float* in, float* out, unsigned channels) {
  const unsigned channel = blockIdx.x * blockDim.x + threadIdx.x;
  if (channel >= channels) return;
  float v[kInOrder];
  for (unsigned time = 0; time < kLookedBack; ++time) {
    const float comes = in[std::size_t{time} * channels + channel];
    unsigned place = time;
    if (time >= kInOrder) {
      const float goes = in[std::size_t{time - kInOrder} * channels + channel];
      place = 0;
      while (v[place] != goes) ++place;
    }
    const unsigned count = min(time + 1, kInOrder);
    for (; place > 0 && v[place - 1] > comes; --place) v[place] = v[place - 1];
    for (; place + 1 < count && v[place + 1] < comes; ++place) v[place] = v[place + 1];
    v[place] = comes;
    if (time + 1 >= kInOrder) out[std::size_t{time + 1 - kInOrder} * channels + channel] = v[kInOrder / 2];
  }
}

}  // namespace

void tables(Set& s) {
  const std::size_t n = s.n;
  const std::vector<float> sections = sections_of_host();
  ladder::check(cudaMemcpyToSymbol(sections_of_all, sections.data(), sizeof sections_of_all), "constants");
  const unsigned channels = as_number(n / 320);
  s.run(
      "eight filters of second order one after another, weights in constant memory, a channel a thread",
      8.0 * kSamples * channels,
      [&] { filter_channels<<<Set::blocks(channels, 128), 128>>>(s.in, s.out, channels); },
      [&] {
        // A filter after the other for the host, each with what came and went twice before.
        std::vector<double> want(std::size_t{kSamples} * channels);
        for (std::size_t channel = 0; channel < channels; ++channel) {
          double v[kSamples];
          for (std::size_t time = 0; time < kSamples; ++time) v[time] = float_of(time * channels + channel);
          for (std::size_t k = 0; k < sections.size(); k += kOfSection) {
            double x1 = 0, x2 = 0, y1 = 0, y2 = 0;
            for (double& each : v) {
              const double y = sections[k] * each + sections[k + 1] * x1 + sections[k + 2] * x2 -
                               sections[k + 3] * y1 - sections[k + 4] * y2;
              x2 = x1, x1 = each;
              y2 = y1, y1 = y;
              each = y;
            }
          }
          for (std::size_t time = 0; time < kSamples; ++time) want[time * channels + channel] = v[time];
        }
        return near_everywhere(s, want.size(), 1e-4, [&](std::size_t i) { return want[i]; });
      });

  FieldTables* tables_there = kept(std::vector<FieldTables>{tables_of_field()});
  const unsigned multiplied = as_number(n / 48);
  s.run(
      "bytes multiplied in a field of 256 by tables of logarithms in shared memory, sixteen a thread",
      48.0 * multiplied,
      [&] {
        multiply_in_field<<<s.sms * 8, kFieldThreads>>>(
            reinterpret_cast<const uint4*>(s.words), reinterpret_cast<const uint4*>(s.words) + multiplied,
            reinterpret_cast<uint4*>(s.out), tables_there, multiplied);
      },
      [&] {
        // Bit by bit for the host.
        return same_everywhere<unsigned char>(
            s, 16 * std::size_t{multiplied},
            [&](std::size_t i) {
              unsigned x = byte_of(i), product = 0;
              for (unsigned y = byte_of(16 * std::size_t{multiplied} + i); y != 0; y >>= 1) {
                if (y & 1) product ^= x;
                x = x << 1 ^ (x >> 7 ? kFieldPolynomial : 0);
              }
              return product;
            },
            3);
      });
  cudaFree(tables_there);

  const unsigned looked_back = as_number(n / 768);
  s.run(
      "middles of the last fifteen values, kept in order in an array of a thread",
      4.0 * (kLookedBack + kMiddles) * looked_back,
      [&] { running_middles<<<Set::blocks(looked_back, 128), 128>>>(s.in, s.out, looked_back); },
      [&] {
        return same_everywhere<float>(
            s, std::size_t{kMiddles} * looked_back,
            [&](std::size_t i) {
              float v[kInOrder];
              for (std::size_t k = 0; k < kInOrder; ++k) v[k] = float_of(k * looked_back + i);
              std::nth_element(v, v + kInOrder / 2, v + kInOrder);
              return v[kInOrder / 2];
            },
            3);
      });
}

}  // namespace held_out_19
