/// @file
/// Matrices in constant memory that each corner picks for itself, words sorted in an array of each thread.
#include <algorithm>
#include <utility>

#include "held_out_17.hpp"

namespace held_out_17 {
namespace {

constexpr unsigned kPoses = 24;
__constant__ float4 poses_of_all[3 * kPoses];
/// Rows of matrices of three by four.
std::vector<float4> poses_of_host() {
  std::vector<float4> rows(3 * kPoses);
  for (unsigned k = 0; k < rows.size(); ++k)
    rows[k] = make_float4(half_of(4 * k) - 0.5f, half_of(4 * k + 1) - 0.5f, half_of(4 * k + 2) - 0.5f,
                          half_of(4 * k + 3) * 4.0f);
  return rows;
}
/// A word tells two matrices and how much the first counts.
struct Bones {
  unsigned first, second;
  float of_first;

  __host__ __device__ explicit Bones(unsigned word)
      : first((word & 0xff) % kPoses),
        second((word >> 8 & 0xff) % kPoses),
        of_first(static_cast<float>(word >> 16 & 0xff) * (1.0f / 256)) {}
};
__global__ void __launch_bounds__(128)
    move_corners(const float4* corners, const unsigned* words, float4* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  const float4 corner = corners[i];
  const Bones bones(words[i]);
  const auto row = [&](unsigned of, unsigned k) {
    const float4 v = poses_of_all[3 * of + k];
    return v.x * corner.x + v.y * corner.y + v.z * corner.z + v.w;
  };
  float moved[3];
#pragma unroll
  for (unsigned k = 0; k < 3; ++k)
    moved[k] = bones.of_first * row(bones.first, k) + (1.0f - bones.of_first) * row(bones.second, k);
  out[i] = make_float4(moved[0], moved[1], moved[2], corner.w);
}

constexpr int kQuickWords = 40;
/// Parts greater than what they are held against are put off.
__global__ void __launch_bounds__(128) sort_quickly(const unsigned* in, unsigned* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  unsigned v[kQuickWords];
  unsigned char firsts[kQuickWords], lasts[kQuickWords];
  for (int k = 0; k < kQuickWords; ++k) v[k] = in[std::size_t(k) * m + i];
  int waiting = 0, first = 0, last = kQuickWords - 1;
  for (;;) {
    while (first < last) {
      const unsigned middle = v[(first + last) / 2];
      int low = first, high = last;
      while (low <= high) {
        while (v[low] < middle) ++low;
        while (v[high] > middle) --high;
        if (low <= high) {
          const unsigned was = v[low];
          v[low++] = v[high];
          v[high--] = was;
        }
      }
      if (low < last) {
        firsts[waiting] = static_cast<unsigned char>(low);
        lasts[waiting++] = static_cast<unsigned char>(last);
      }
      last = high;
    }
    if (waiting == 0) break;
    first = firsts[--waiting];
    last = lasts[waiting];
  }
  for (int k = 0; k < kQuickWords; ++k) out[std::size_t(k) * m + i] = v[k];
}

}  // namespace

void tables(Set& s) {
  const std::size_t n = s.n;
  const std::vector<float4> poses = poses_of_host();
  ladder::check(cudaMemcpyToSymbol(poses_of_all, poses.data(), sizeof poses_of_all), "constants");
  const unsigned corners = as_number(n / 64);
  s.run(
      "corners moved by two of twenty-four matrices of constant memory, each its own", 36.0 * corners,
      [&] {
        move_corners<<<Set::blocks(corners, 128), 128>>>(reinterpret_cast<const float4*>(s.in), s.words,
                                                         s.vectors(), corners);
      },
      [&] {
        return within(s, 4 * std::size_t{corners}, 1e-3, [&](std::size_t i) {
          const std::size_t corner = i / 4 * 4;
          if (i % 4 == 3) return double{float_of(i)};
          const Bones bones(word_of(i / 4));
          const auto row = [&](unsigned of) {
            const float4& v = poses[3 * std::size_t{of} + i % 4];
            return double{v.x} * float_of(corner) + double{v.y} * float_of(corner + 1) +
                   double{v.z} * float_of(corner + 2) + double{v.w};
          };
          return double{bones.of_first} * row(bones.first) + (1 - double{bones.of_first}) * row(bones.second);
        });
      });

  const unsigned sorted = as_number(n / 256);
  s.run(
      "forty words sorted in an array of a thread, greater parts put off", 8.0 * kQuickWords * sorted,
      [&] { sort_quickly<<<Set::blocks(sorted, 128), 128>>>(s.words, s.numbers(), sorted); },
      [&] {
        return numbers(s, std::size_t(kQuickWords) * sorted, [&](std::size_t i) {
          std::vector<unsigned> v(kQuickWords);
          for (std::size_t k = 0; k < v.size(); ++k) v[k] = word_of(k * sorted + i % sorted);
          std::sort(v.begin(), v.end());
          return v[i / sorted];
        });
      });
}

}  // namespace held_out_17
