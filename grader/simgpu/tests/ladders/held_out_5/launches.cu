/// @file
/// Grids that do not fill the card, and many small ones: one block, blocks on four of eleven SMs, a wave and
/// an eleventh, a chain as a graph, two streams that wait for each other.
#include "held_out_5.hpp"

namespace held_out_5 {
namespace {

__global__ void scale_all(const float* in, float* out, std::size_t m) {
  for (std::size_t i = global_index(); i < m; i += stride()) out[i] = 1.25f * in[i];
}
__global__ void __launch_bounds__(1024, 2) long_polynomial(const float* in, float* out) {
  const std::size_t i = global_index();
  const float x = 0.1f * in[i];
  float v = x;
#pragma unroll 8
  for (unsigned k = 0; k < 2048; ++k) v = v * x + 0.2f;
  out[i] = v;
}
__global__ void add_small(const float* in, float* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i < m) out[i] += in[i];
}

}  // namespace

void launches(Set& s) {
  const std::size_t n = s.n;
  constexpr std::size_t kFew = 131072;
  s.run_whole(
      "one block of 1024 scales 131072", 8.0 * kFew, [&] { scale_all<<<1, 1024>>>(s.in, s.out, kFew); },
      [&] { return floats(s, kFew, [](std::size_t i) { return 1.25 * float_of(i); }); });
  s.run(
      "blocks on four of eleven SMs", 8.0 * real(n / 64),
      [&] { scale_all<<<s.sms / 11 * 4, 1024>>>(s.in, s.out, n / 64); },
      [&] { return floats(s, n / 64, [](std::size_t i) { return 1.25 * float_of(i); }); });
  const unsigned blocks = s.sms * 2 + s.sms / 11 * 2;
  s.run(
      "a wave and an eleventh of polynomials", 8.0 * 1024 * blocks,
      [&] { long_polynomial<<<blocks, 1024>>>(s.in, s.out); },
      [&] {
        return floats(s, std::size_t{1024} * blocks, [](std::size_t i) {
          const double x = 0.1 * float_of(i);
          double v = x;
          for (unsigned k = 0; k < 2048; ++k) v = v * x + 0.2;
          return v;
        });
      });
  constexpr std::size_t kSmall = 8192;
  cudaStream_t streams[2];
  cudaEvent_t begun, turn;
  for (cudaStream_t& stream : streams)
    ladder::check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
  ladder::check(cudaEventCreateWithFlags(&begun, cudaEventDisableTiming), "event");
  ladder::check(cudaEventCreateWithFlags(&turn, cudaEventDisableTiming), "event");
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t ready = nullptr;
  ladder::check(cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeThreadLocal), "capture");
  cudaMemsetAsync(s.out, 0, kSmall * 4, streams[0]);
  for (unsigned k = 0; k < 16; ++k) add_small<<<kSmall / 256, 256, 0, streams[0]>>>(s.in, s.out, kSmall);
  ladder::check(cudaStreamEndCapture(streams[0], &graph), "capture");
  ladder::check(cudaGraphInstantiate(&ready, graph, 0), "graph");
  const auto right = [&] { return floats(s, kSmall, [](std::size_t i) { return 16.0 * float_of(i); }); };
  s.run_whole(
      "graph of sixteen sums in a chain", 16 * 12.0 * kSmall, [&] { cudaGraphLaunch(ready, nullptr); },
      right);
  s.run_whole(
      "two streams in turn by events", 16 * 12.0 * kSmall,
      [&] {
        cudaMemsetAsync(s.out, 0, kSmall * 4, nullptr);
        cudaEventRecord(begun, nullptr);
        for (const cudaStream_t stream : streams) cudaStreamWaitEvent(stream, begun, 0);
        for (unsigned k = 0; k < 16; ++k) {
          if (k > 0) cudaStreamWaitEvent(streams[k % 2], turn, 0);
          add_small<<<kSmall / 256, 256, 0, streams[k % 2]>>>(s.in, s.out, kSmall);
          cudaEventRecord(turn, streams[k % 2]);
        }
        cudaStreamWaitEvent(nullptr, turn, 0);
      },
      right);
  cudaGraphExecDestroy(ready), cudaGraphDestroy(graph);
  for (const cudaStream_t stream : streams) cudaStreamDestroy(stream);
  cudaEventDestroy(begun), cudaEventDestroy(turn);
}

}  // namespace held_out_5
