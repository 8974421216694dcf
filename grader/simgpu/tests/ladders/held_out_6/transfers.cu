/// @file
/// Copied and sent: the inside of a volume, results of a kernel to pinned memory, managed memory that only
/// the device writes.
#include "held_out_6.hpp"

namespace held_out_6 {
namespace {

__global__ void cubes(const float* in, float* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i < m) out[i] = in[i] * in[i] * in[i];
}

}  // namespace

void transfers(Set& s) {
  const std::size_t n = s.n;
  constexpr std::size_t kWide = 256, kHigh = 128;
  const std::size_t depth = n / 8 / (kWide * kHigh);
  s.run(
      "the inside of a volume copied", 8.0 * 192 * 96 * real(depth),
      [&] {
        cudaMemcpy3DParms copy{};
        copy.srcPtr = make_cudaPitchedPtr(s.in, kWide * 4, kWide, kHigh);
        copy.srcPos = make_cudaPos(32 * 4, 16, 0);
        copy.dstPtr = make_cudaPitchedPtr(s.out, 192 * 4, 192, 96);
        copy.extent = make_cudaExtent(192 * 4, 96, depth);
        copy.kind = cudaMemcpyDeviceToDevice;
        cudaMemcpy3DAsync(&copy);
      },
      [&] {
        return floats(s, depth * 192 * 96, [](std::size_t i) {
          return double{float_of((i / (192 * 96) * kHigh + i / 192 % 96 + 16) * kWide + i % 192 + 32)};
        });
      });
  const std::size_t m = n / 128;
  float* pinned = nullptr;
  ladder::check(cudaMallocHost(&pinned, m * 4), "cudaMallocHost");
  const auto cubed = [](const float* got, std::size_t count) {
    return Set::each(count,
                     [&](std::size_t i) { return Set::near(got[i], std::pow(double{float_of(i)}, 3)); });
  };
  s.run(
      "cubes brought to pinned memory", 12.0 * real(m),
      [&] {
        cubes<<<Set::blocks(m), 256>>>(s.in, s.out, m);
        cudaMemcpyAsync(pinned, s.out, m * 4, cudaMemcpyDeviceToHost);
      },
      [&] { return cubed(pinned, m); });
  cudaFreeHost(pinned);
  float* managed = nullptr;
  ladder::check(cudaMallocManaged(&managed, n / 16 * 4), "cudaMallocManaged");
  // The first launch, which is not timed, has it come to the device.
  s.run(
      "managed memory that only the device writes", 12.0 * real(n / 16),
      [&] {
        cubes<<<Set::blocks(n / 16), 256>>>(s.in, managed, n / 16);
        cudaMemcpyAsync(s.out, managed, n / 16 * 4, cudaMemcpyDeviceToDevice);
      },
      [&] { return floats(s, n / 16, [](std::size_t i) { return std::pow(double{float_of(i)}, 3); }); });
  cudaFree(managed);
}

}  // namespace held_out_6
