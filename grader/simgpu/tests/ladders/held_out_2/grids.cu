/// @file
/// How work is given out: few blocks that stay, a wave and a little, one block, many small launches, the same as a graph, two streams.
#include "held_out_2.hpp"

namespace held_out_2 {
namespace {

__device__ __forceinline__ float worked(float v, int rounds) {
#pragma unroll 1
  for (int k = 0; k < rounds; ++k) v = v * 0.9f + 0.05f;
  return v;
}
__global__ void work_all(const float* in, float* out, std::size_t m, int rounds) {
  for (std::size_t i = global_index(); i < m; i += stride()) out[i] = worked(in[i], rounds);
}
/// Blocks take the next tile of 1024 when they have done one; the last of all sets the counter back.
__global__ void take_tiles(const float* in, float* out, unsigned tiles, unsigned* next) {
  __shared__ unsigned tile;
  for (;;) {
    __syncthreads();
    if (threadIdx.x == 0) tile = atomicAdd(next, 1u);
    __syncthreads();
    if (tile >= tiles) break;
    for (unsigned k = threadIdx.x; k < 1024; k += 256)
      out[tile * std::size_t{1024} + k] =
          worked(in[tile * std::size_t{1024} + k], static_cast<int>(tile % 8) * 4);
  }
}
__global__ void add_one(float* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i < m) out[i] += 1.0f;
}
double worked_on_host(std::size_t i, int rounds) {
  double v = float_of(i);
  for (int k = 0; k < rounds; ++k) v = v * 0.9 + 0.05;
  return v;
}

}  // namespace

void grids(Set& s) {
  const std::size_t n = s.n;
  const auto all_worked = [&](std::size_t m, int rounds) {
    return floats(s, m, [&](std::size_t i) { return worked_on_host(i, rounds); });
  };
  s.run(
      "a block an SM goes over all", s.one / 2, [&] { work_all<<<s.sms, 256>>>(s.in, s.out, n / 4, 2); },
      [&] { return all_worked(n / 4, 2); });
  s.run(
      "two blocks of 1024 an SM go over all", s.one / 2,
      [&] { work_all<<<s.sms * 2, 1024>>>(s.in, s.out, n / 4, 2); }, [&] { return all_worked(n / 4, 2); });
  for (const unsigned more : {0u, 1u}) {
    const unsigned blocks = s.sms * (8 + more);
    s.run(
        more == 0 ? "one wave of 256" : "a wave of 256 and a block more an SM", 8.0 * 256 * blocks,
        [&, blocks] { work_all<<<blocks, 256>>>(s.in, s.out, blocks * std::size_t{256}, 2000); },
        [&, blocks] { return all_worked(blocks * std::size_t{256}, 2000); });
  }
  const auto tiles = static_cast<unsigned>(n / 8 / 1024);
  unsigned* next = s.numbers() + n - 1;
  s.run(
      "tiles taken from a counter", s.one / 4,
      [&] {
        cudaMemsetAsync(next, 0, 4);
        take_tiles<<<s.sms * 4, 256>>>(s.in, s.out, tiles, next);
      },
      [&] {
        return floats(s, tiles * std::size_t{1024},
                      [](std::size_t i) { return worked_on_host(i, static_cast<int>(i / 1024 % 8) * 4); });
      });
  s.run_whole(
      "one block over 64 kB", 2.0 * 65536, [&] { work_all<<<1, 256>>>(s.in, s.out, 16384, 4); },
      [&] { return all_worked(16384, 4); });

  // All of these take what a launch takes, and a little.
  constexpr std::size_t kSmall = 16384;
  const auto counted = [&](float upto) {
    return floats(
        s, kSmall, [upto](std::size_t) { return double{upto}; }, 0);
  };
  s.run_whole(
      "chain of fifty launches", 50 * 8.0 * kSmall,
      [&] {
        for (int k = 0; k < 50; ++k) add_one<<<64, 256>>>(s.out, kSmall);
      },
      [&] { return counted(50); });
  s.run_whole(
      "fifty launches of one warp", 50 * 8.0 * 32,
      [&] {
        for (int k = 0; k < 50; ++k) add_one<<<1, 32>>>(s.out, 32);
      },
      [&] { return s.value(0) == 50 && s.value(31) == 50; });
  cudaStream_t one, two;
  ladder::check(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking), "stream");
  ladder::check(cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking), "stream");
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t whole = nullptr;
  ladder::check(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal), "capture");
  for (int k = 0; k < 50; ++k) add_one<<<64, 256, 0, one>>>(s.out, kSmall);
  ladder::check(cudaStreamEndCapture(one, &graph), "capture");
  ladder::check(cudaGraphInstantiate(&whole, graph, 0), "graph");
  s.run_whole(
      "graph of fifty launches", 50 * 8.0 * kSmall, [&] { cudaGraphLaunch(whole, nullptr); },
      [&] { return counted(50); });

  // Half of the SMs' places each: one after the other, then at the same time.
  cudaEvent_t begun, done;
  ladder::check(cudaEventCreateWithFlags(&begun, cudaEventDisableTiming), "event");
  ladder::check(cudaEventCreateWithFlags(&done, cudaEventDisableTiming), "event");
  const std::size_t half = s.sms * std::size_t{512};
  const auto one_half = [&](std::size_t k, cudaStream_t stream) {
    work_all<<<s.sms * 2, 256, 0, stream>>>(s.in + k * half, s.out + k * half, half, 4000);
  };
  s.run(
      "two halves in one stream", 16.0 * real(half), [&] { one_half(0, nullptr), one_half(1, nullptr); },
      [&] { return all_worked(2 * half, 4000); });
  s.run(
      "two halves in two streams", 16.0 * real(half),
      [&] {
        cudaEventRecord(begun, nullptr);
        for (const cudaStream_t stream : {one, two}) cudaStreamWaitEvent(stream, begun, 0);
        one_half(0, one), one_half(1, two);
        for (const cudaStream_t stream : {one, two}) {
          cudaEventRecord(done, stream);
          cudaStreamWaitEvent(nullptr, done, 0);
        }
      },
      [&] { return all_worked(2 * half, 4000); });
  cudaEventDestroy(begun), cudaEventDestroy(done);
  cudaGraphExecDestroy(whole), cudaGraphDestroy(graph);
  cudaStreamDestroy(one), cudaStreamDestroy(two);
}

}  // namespace held_out_2
