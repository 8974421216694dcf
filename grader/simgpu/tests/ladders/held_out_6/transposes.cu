/// @file
/// Axes changed: many small matrices turned, channels of pictures to channels of pixels, a big matrix
/// turned by words of four rows.
#include "held_out_6.hpp"

namespace held_out_6 {
namespace {

constexpr unsigned kTransposesHigh = 24, kTransposesWide = 40;

/// A block has a matrix of 24 x 40.
__global__ void __launch_bounds__(kTransposesHigh* kTransposesWide)
    small_matrices(const float* in, float* out) {
  __shared__ float tile[kTransposesHigh][kTransposesWide + 1];
  const std::size_t first = blockIdx.x * std::size_t{kTransposesHigh * kTransposesWide};
  tile[threadIdx.y][threadIdx.x] = in[first + threadIdx.y * kTransposesWide + threadIdx.x];
  __syncthreads();
  const unsigned t = threadIdx.y * kTransposesWide + threadIdx.x;
  out[first + t] = tile[t % kTransposesHigh][t / kTransposesHigh];
}
constexpr unsigned kPixels = 1024, kChannels = 16;
/// Channels outside to channels inside: an element a thread, writes along rows.
__global__ void channels_last(const float* in, float* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const std::size_t c = i % kChannels, pixel = i / kChannels % kPixels, picture = i / kChannels / kPixels;
  out[i] = in[(picture * kChannels + c) * kPixels + pixel];
}
constexpr unsigned kColumns = 2048;
/// A thread reads four rows' words of a column and writes them as one.
__global__ void four_rows_a_thread(const float* in, float4* out, unsigned rows) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = (blockIdx.y * blockDim.y + threadIdx.y) * 4;
  const float* from = in + y * std::size_t{kColumns} + x;
  out[(x * std::size_t{rows} + y) / 4] =
      make_float4(from[0], from[kColumns], from[2 * kColumns], from[3 * kColumns]);
}

}  // namespace

void transposes(Set& s) {
  const std::size_t n = s.n, m = n / 8;
  const unsigned matrices = as_number(m / (kTransposesHigh * kTransposesWide));
  s.run(
      "matrices of 24 x 40 turned, a block each", 8.0 * kTransposesHigh * kTransposesWide * matrices,
      [&] { small_matrices<<<matrices, dim3(kTransposesWide, kTransposesHigh)>>>(s.in, s.out); },
      [&] {
        return floats(s, matrices * std::size_t{kTransposesHigh * kTransposesWide}, [](std::size_t i) {
          const std::size_t at = i % (kTransposesHigh * kTransposesWide);
          return double{float_of(i - at + at % kTransposesHigh * kTransposesWide + at / kTransposesHigh)};
        });
      });
  const std::size_t pixels = m / (kPixels * kChannels) * (kPixels * kChannels);
  s.run(
      "sixteen channels to the last place", 8.0 * real(pixels),
      [&] { channels_last<<<Set::blocks(pixels), 256>>>(s.in, s.out, pixels); },
      [&] {
        return floats(s, pixels, [](std::size_t i) {
          return double{float_of((i / kChannels / kPixels * kChannels + i % kChannels) * kPixels +
                                 i / kChannels % kPixels)};
        });
      });
  const unsigned height = as_number(n / 16 / kColumns / 16 * 16);
  s.run(
      "four words of a column made one", 8.0 * kColumns * height,
      [&] {
        four_rows_a_thread<<<dim3(kColumns / 64, height / 4 / 4), dim3(64, 4)>>>(s.in, s.vectors(), height);
      },
      [&] {
        return floats(s, std::size_t{kColumns} * height,
                      [&](std::size_t i) { return double{float_of(i % height * kColumns + i / height)}; });
      });
}

}  // namespace held_out_6
