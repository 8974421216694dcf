/// @file
/// Between host and device: pinned and pageable memory, both ways, and pieces that overlap with work on them.
#include "held_out_2.hpp"

namespace held_out_2 {
namespace {

constexpr int kPieces = 8;

__global__ void square(float* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i < m) out[i] *= out[i];
}

}  // namespace

void transfers(Set& s) {
  const std::size_t words = s.n / 21 / kPieces * kPieces, size = words * 4;  // 24 MiB on a card
  const auto moved = static_cast<double>(size);
  float *pinned = nullptr, *back = nullptr;
  ladder::check(cudaMallocHost(&pinned, size), "cudaMallocHost");
  ladder::check(cudaMallocHost(&back, size), "cudaMallocHost");
  std::vector<float> pageable(words), taken(words);
  for (std::size_t i = 0; i < words; ++i) pinned[i] = pageable[i] = float_of(i + 11), back[i] = 0;
  const auto arrived = [&] {
    return floats(
        s, words, [](std::size_t i) { return float_of(i + 11); }, 0);
  };
  s.run(
      "pinned memory up", moved, [&] { cudaMemcpyAsync(s.out, pinned, size, cudaMemcpyHostToDevice); },
      arrived);
  s.run(
      "pageable memory up", moved, [&] { cudaMemcpy(s.out, pageable.data(), size, cudaMemcpyHostToDevice); },
      arrived);
  s.run(
      "down to pageable memory", moved,
      [&] { cudaMemcpy(taken.data(), s.other, size, cudaMemcpyDeviceToHost); },
      [&] { return Set::each(words, [&](std::size_t i) { return taken[i] == other_of(i); }); });
  cudaStream_t streams[2];
  cudaEvent_t begun, done;
  for (cudaStream_t& stream : streams)
    ladder::check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
  ladder::check(cudaEventCreateWithFlags(&begun, cudaEventDisableTiming), "event");
  ladder::check(cudaEventCreateWithFlags(&done, cudaEventDisableTiming), "event");
  const auto squared = [&] {
    const bool right = Set::each(words, [&](std::size_t i) {
      return Set::near(back[i], double{float_of(i + 11)} * float_of(i + 11));
    });
    std::fill(back, back + words, 0.0f);
    return right;
  };
  s.run(
      "up, squared and down", 2 * moved,
      [&] {
        cudaMemcpyAsync(s.out, pinned, size, cudaMemcpyHostToDevice);
        square<<<Set::blocks(words), 256>>>(s.out, words);
        cudaMemcpyAsync(back, s.out, size, cudaMemcpyDeviceToHost);
      },
      squared);
  s.run(
      "up, squared and down in eight pieces", 2 * moved,
      [&] {
        cudaEventRecord(begun, nullptr);
        for (const cudaStream_t stream : streams) cudaStreamWaitEvent(stream, begun, 0);
        const std::size_t piece = words / kPieces;
        for (std::size_t k = 0; k < kPieces; ++k) {
          const cudaStream_t stream = streams[k % 2];
          cudaMemcpyAsync(s.out + k * piece, pinned + k * piece, piece * 4, cudaMemcpyHostToDevice, stream);
          square<<<Set::blocks(piece), 256, 0, stream>>>(s.out + k * piece, piece);
          cudaMemcpyAsync(back + k * piece, s.out + k * piece, piece * 4, cudaMemcpyDeviceToHost, stream);
        }
        for (const cudaStream_t stream : streams) {
          cudaEventRecord(done, stream);
          cudaStreamWaitEvent(nullptr, done, 0);
        }
      },
      squared);
  s.run_whole(
      "a word up a hundred times", 400,
      [&] {
        for (std::size_t k = 0; k < 100; ++k)
          cudaMemcpyAsync(s.out + k, pinned + k, 4, cudaMemcpyHostToDevice);
      },
      [&] {
        return floats(
            s, 100, [](std::size_t i) { return float_of(i + 11); }, 0);
      });
  for (const cudaStream_t stream : streams) cudaStreamDestroy(stream);
  cudaEventDestroy(begun), cudaEventDestroy(done);
  cudaFreeHost(pinned), cudaFreeHost(back);
}

}  // namespace held_out_2
