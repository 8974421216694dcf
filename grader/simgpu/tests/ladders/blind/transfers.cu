/// @file
/// Copies to and from the host. A slice of a card has its share of the link, too, so they are counted like all else; the small
/// copies within the device have a price each, whatever the card, and stay as many.
#include <cstdlib>

#include "blind.hpp"

namespace blind {
namespace {

__global__ void sum_of_mapped(const float4* in, float* out, std::size_t m) {
  for (std::size_t i = global_index(); i < m; i += stride()) {
    const float4 v = in[i];
    out[i] = v.x + v.y + v.z + v.w;
  }
}

}  // namespace

void transfers(Set& s) {
  const char* part = std::getenv("LADDER_PART");
  const std::size_t size = (std::size_t{24} << 20) / (part != nullptr ? std::max(1, std::atoi(part)) : 1);
  const std::size_t words = size / 4;
  const auto moved = static_cast<double>(size);
  float* pinned = nullptr;
  ladder::check(cudaHostAlloc(&pinned, 2 * size, cudaHostAllocMapped), "cudaHostAlloc");
  for (std::size_t i = 0; i < 2 * words; ++i) pinned[i] = float_of(i + 5);
  std::vector<float> pageable(words);
  for (std::size_t i = 0; i < words; ++i) pageable[i] = float_of(i + 9);
  const auto holds = [&](std::size_t from) {
    return Set::each(words, [&](std::size_t i) { return s.value(i) == float_of(i + from); });
  };
  s.run(
      "pinned memory to the device", moved,
      [&] { cudaMemcpyAsync(s.out, pinned, size, cudaMemcpyHostToDevice); }, [&] { return holds(5); });
  s.run(
      "pageable memory to the device", moved,
      [&] { cudaMemcpy(s.out, pageable.data(), size, cudaMemcpyHostToDevice); }, [&] { return holds(9); });
  s.run(
      "device to pinned memory", moved,
      [&] { cudaMemcpyAsync(pinned + words, s.in, size, cudaMemcpyDeviceToHost); },
      [&] { return Set::each(words, [&](std::size_t i) { return pinned[words + i] == float_of(i); }); });
  cudaStream_t up, down;
  ladder::check(cudaStreamCreate(&up), "stream");
  ladder::check(cudaStreamCreate(&down), "stream");
  s.run(
      "pinned memory up and down at once", 2 * moved,
      [&] {
        cudaMemcpyAsync(s.out, pinned, size, cudaMemcpyHostToDevice, up);
        cudaMemcpyAsync(pinned + words, s.in, size, cudaMemcpyDeviceToHost, down);
      },
      [&] { return holds(5) && pinned[2 * words - 1] == float_of(words - 1); });
  float* mapped = nullptr;
  ladder::check(cudaHostGetDevicePointer(&mapped, pinned, 0), "cudaHostGetDevicePointer");
  s.run(
      "mapped memory read by a kernel", moved,
      [&] { sum_of_mapped<<<s.sms * 4, 256>>>(reinterpret_cast<float4*>(mapped), s.out, words / 4); },
      [&] {
        return Set::each(words / 4, [&](std::size_t i) {
          return Set::near(s.value(i), double{float_of(4 * i + 5)} + float_of(4 * i + 6) +
                                           float_of(4 * i + 7) + float_of(4 * i + 8));
        });
      });
  s.run_whole(
      "thirty-two copies of 64 kB", 2.0 * 32 * 65536,
      [&] {
        for (std::size_t k = 0; k < 32; ++k)
          cudaMemcpyAsync(s.out + k * 16384, s.in + (31 - k) * 16384, 65536, cudaMemcpyDeviceToDevice);
      },
      [&] {
        return Set::each(std::size_t{32} * 16384, [&](std::size_t i) {
          return s.value(i) == float_of((31 - i / 16384) * 16384 + i % 16384);
        });
      });
  cudaStreamDestroy(up), cudaStreamDestroy(down);
  cudaFreeHost(pinned);
}

}  // namespace blind
