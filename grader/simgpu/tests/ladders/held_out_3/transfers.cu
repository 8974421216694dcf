/// @file
/// Between host and device: many small pageable copies, columns of a pinned picture, memory of the host written by a kernel, managed
/// memory fetched ahead, an answer fetched after each kernel, memory of a pool between kernels.
#include "held_out_3.hpp"

namespace held_out_3 {
namespace {

__global__ void tripled(const float* in, float* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i < m) out[i] = 3.0f * in[i];
}
__global__ void add_to_first(float* out) {
  if (threadIdx.x == 0) out[0] += 1.0f;
}

}  // namespace

void transfers(Set& s) {
  const std::size_t n = s.n, words = n / 64;
  constexpr std::size_t kPiece = 65536;
  std::vector<float> pageable(8 * kPiece);
  for (std::size_t i = 0; i < pageable.size(); ++i) pageable[i] = float_of(i + 3);
  s.run_whole(
      "256 kB of pageable memory up, eight times", 32.0 * kPiece,
      [&] {
        for (std::size_t k = 0; k < 8; ++k)
          cudaMemcpy(s.out + k * kPiece, pageable.data() + k * kPiece, kPiece * 4, cudaMemcpyHostToDevice);
      },
      [&] {
        return floats(
            s, 8 * kPiece, [](std::size_t i) { return double{float_of(i + 3)}; }, 0);
      });
  float* pinned = nullptr;
  ladder::check(cudaHostAlloc(&pinned, words * 4, cudaHostAllocMapped), "cudaHostAlloc");
  std::fill(pinned, pinned + words, 0.0f);
  const auto arrived = [&](double factor, std::size_t width, std::size_t pitch) {
    const bool right = Set::each(words, [&](std::size_t i) {
      return Set::near(pinned[i], factor * float_of(i / width * pitch + i % width));
    });
    std::fill(pinned, pinned + words, 0.0f);
    return right;
  };
  constexpr std::size_t kWidth = 512;
  s.run(
      "half of each row to pinned memory", 4.0 * real(words),
      [&] {
        cudaMemcpy2DAsync(pinned, kWidth * 4, s.in, kWidth * 8, kWidth * 4, words / kWidth,
                          cudaMemcpyDeviceToHost);
      },
      [&] { return arrived(1, kWidth, 2 * kWidth); });
  s.run(
      "memory of the host written by a kernel", 8.0 * real(words),
      [&] { tripled<<<Set::blocks(words), 256>>>(s.in, pinned, words); },
      [&] { return arrived(3, words, words); });

  float* managed = nullptr;
  ladder::check(cudaMallocManaged(&managed, words * 4), "cudaMallocManaged");
  for (std::size_t i = 0; i < words; ++i) managed[i] = float_of(i);
  const cudaMemLocation card{cudaMemLocationTypeDevice, 0}, host{cudaMemLocationTypeHost, 0};
  s.run(
      "managed memory fetched ahead, read and fetched back", 16.0 * real(words),
      [&] {
        cudaMemPrefetchAsync(managed, words * 4, card, 0, nullptr);
        tripled<<<Set::blocks(words), 256>>>(managed, s.out, words);
        cudaMemPrefetchAsync(managed, words * 4, host, 0, nullptr);
      },
      [&] { return floats(s, words, [](std::size_t i) { return 3.0 * float_of(i); }); });
  float answer = 0;
  s.run_whole(
      "an answer of a word after each of 20 kernels", 20 * 4,
      [&] {
        for (int k = 0; k < 20; ++k) {
          add_to_first<<<1, 32>>>(s.out);
          cudaMemcpy(&answer, s.out, 4, cudaMemcpyDeviceToHost);
        }
      },
      [&] { return answer == 20; });
  s.run(
      "kernels with memory of a pool", 4 * 16.0 * real(words),
      [&] {
        for (std::size_t k = 0; k < 4; ++k) {
          float* between = nullptr;
          cudaMallocAsync(&between, words * 4, nullptr);
          tripled<<<Set::blocks(words), 256>>>(s.in + k * words, between, words);
          tripled<<<Set::blocks(words), 256>>>(between, s.out + k * words, words);
          cudaFreeAsync(between, nullptr);
        }
      },
      [&] { return floats(s, 4 * words, [](std::size_t i) { return 9.0 * float_of(i); }); });
  cudaFree(managed), cudaFreeHost(pinned);
}

}  // namespace held_out_3
