/// @file
/// Set, copied, sent: bytes set, copies within the card, pinned memory in four streams, pageable memory up
/// and down, the host's vector added where it lies, managed memory once it has come.
#include "held_out_5.hpp"

namespace held_out_5 {
namespace {

__global__ void add_both(const float* there, const float* here, float* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i < m) out[i] = there[i] + here[i];
}
__global__ void squares_of(const float* managed, float* out, std::size_t m) {
  for (std::size_t i = global_index(); i < m; i += stride()) out[i] = managed[i] * managed[i];
}

}  // namespace

void transfers(Set& s) {
  const std::size_t n = s.n, m = n / 128;
  s.run(
      "bytes set to seven", 4.0 * real(n / 4), [&] { cudaMemsetAsync(s.out, 7, n); },
      [&] { return numbers(s, n / 4, [](std::size_t) { return 0x07070707u; }); });
  s.run(
      "four copies within the card", 8.0 * real(n / 8),
      [&] {
        for (std::size_t k = 0; k < 4; ++k)
          cudaMemcpyAsync(s.out + k * (n / 32), s.in + (3 - k) * (n / 32), n / 32 * 4,
                          cudaMemcpyDeviceToDevice);
      },
      [&] {
        return floats(s, n / 8, [n](std::size_t i) {
          return double{float_of((3 - i / (n / 32)) * (n / 32) + i % (n / 32))};
        });
      });
  float* pinned = nullptr;
  ladder::check(cudaHostAlloc(&pinned, m * 4, cudaHostAllocMapped), "cudaHostAlloc");
  for (std::size_t i = 0; i < m; ++i) pinned[i] = float_of(i + 4);
  cudaStream_t streams[4];
  cudaEvent_t begun, done;
  for (cudaStream_t& stream : streams)
    ladder::check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
  ladder::check(cudaEventCreateWithFlags(&begun, cudaEventDisableTiming), "event");
  ladder::check(cudaEventCreateWithFlags(&done, cudaEventDisableTiming), "event");
  s.run(
      "pinned memory up in four streams", 4.0 * real(m),
      [&] {
        cudaEventRecord(begun, nullptr);
        for (std::size_t k = 0; k < 4; ++k) {
          cudaStreamWaitEvent(streams[k], begun, 0);
          cudaMemcpyAsync(s.out + k * (m / 4), pinned + k * (m / 4), m, cudaMemcpyHostToDevice, streams[k]);
          cudaEventRecord(done, streams[k]);
          cudaStreamWaitEvent(nullptr, done, 0);
        }
      },
      [&] { return floats(s, m / 4 * 4, [](std::size_t i) { return double{float_of(i + 4)}; }); });
  std::vector<float> pageable(n / 512), back(n / 512);
  for (std::size_t i = 0; i < pageable.size(); ++i) pageable[i] = float_of(i + 8);
  s.run(
      "pageable memory up and back down", 8.0 * real(pageable.size()),
      [&] {
        cudaMemcpy(s.out, pageable.data(), pageable.size() * 4, cudaMemcpyHostToDevice);
        cudaMemcpy(back.data(), s.out, pageable.size() * 4, cudaMemcpyDeviceToHost);
      },
      [&] { return back == pageable; });
  s.run(
      "the host's vector added where it lies", 12.0 * real(n / 256),
      [&] { add_both<<<Set::blocks(n / 256), 256>>>(pinned, s.in, s.out, n / 256); },
      [&] {
        return floats(s, n / 256, [](std::size_t i) { return double{float_of(i + 4)} + float_of(i); });
      });
  float* managed = nullptr;
  ladder::check(cudaMallocManaged(&managed, n / 16 * 4), "cudaMallocManaged");
  for (std::size_t i = 0; i < n / 16; ++i) managed[i] = float_of(i);
  // The first launch, which is not timed, brings it: afterwards nobody else asks for it.
  s.run(
      "managed memory where it came to lie", 8.0 * real(n / 16),
      [&] { squares_of<<<s.sms * 8, 256>>>(managed, s.out, n / 16); },
      [&] { return floats(s, n / 16, [](std::size_t i) { return double{float_of(i)} * float_of(i); }); });
  cudaFree(managed), cudaFreeHost(pinned);
  for (const cudaStream_t stream : streams) cudaStreamDestroy(stream);
  cudaEventDestroy(begun), cudaEventDestroy(done);
}

}  // namespace held_out_5
