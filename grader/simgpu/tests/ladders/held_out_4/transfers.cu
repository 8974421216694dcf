/// @file
/// Between host and device, all of it less on a slice: down beside a kernel, pinned rows to a wider picture,
/// rows of the host's memory by number, up and down in two streams.
#include "held_out_4.hpp"

namespace held_out_4 {
namespace {

__global__ void far_along(const float* in, float* out, unsigned rounds, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  float v = in[i];
#pragma unroll 1
  for (unsigned k = 0; k < rounds; ++k) v = v * 0.9f + 0.2f;
  out[i] = v;
}
double far_from(double v, unsigned rounds) {
  for (unsigned k = 0; k < rounds; ++k) v = v * 0.9 + 0.2;
  return v;
}
__global__ void hosts_rows(const unsigned* which, const float* there, float* out, unsigned rows,
                           std::size_t m) {
  const std::size_t row = global_index() / 32, lane = threadIdx.x % 32;
  if (row < m) out[row * 32 + lane] = there[place_of(which[row], rows) * std::size_t{32} + lane];
}

}  // namespace

void transfers(Set& s) {
  const std::size_t n = s.n, m = n / 64;
  cudaStream_t streams[2];
  cudaEvent_t begun, done;
  for (cudaStream_t& stream : streams)
    ladder::check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
  ladder::check(cudaEventCreateWithFlags(&begun, cudaEventDisableTiming), "event");
  ladder::check(cudaEventCreateWithFlags(&done, cudaEventDisableTiming), "event");
  // What is timed begins and ends in the default stream.
  const auto in_both = [&](const std::function<void()>& work) {
    cudaEventRecord(begun, nullptr);
    for (const cudaStream_t stream : streams) cudaStreamWaitEvent(stream, begun, 0);
    work();
    for (const cudaStream_t stream : streams) {
      cudaEventRecord(done, stream);
      cudaStreamWaitEvent(nullptr, done, 0);
    }
  };
  float *pinned = nullptr, *down = nullptr;
  ladder::check(cudaHostAlloc(&pinned, m * 4, cudaHostAllocMapped), "cudaHostAlloc");
  ladder::check(cudaMallocHost(&down, m * 4), "cudaMallocHost");
  for (std::size_t i = 0; i < m; ++i) pinned[i] = float_of(i + 9), down[i] = 0;
  const auto arrived = [&](const std::function<double(std::size_t)>& want) {
    const bool right = Set::each(m, [&](std::size_t i) { return Set::near(down[i], want(i)); });
    std::fill(down, down + m, 0.0f);
    return right;
  };
  s.run(
      "down in one stream, a kernel in another", 12.0 * real(m),
      [&] {
        in_both([&] {
          cudaMemcpyAsync(down, s.in, m * 4, cudaMemcpyDeviceToHost, streams[0]);
          far_along<<<Set::blocks(m), 256, 0, streams[1]>>>(s.other, s.out, 1000, m);
        });
      },
      [&] {
        return arrived([](std::size_t i) { return double{float_of(i)}; }) &&
               floats(s, m, [](std::size_t i) { return far_from(other_of(i), 1000); });
      });
  constexpr std::size_t kWidth = 256, kWider = 320;
  s.run(
      "pinned rows to a wider picture", 4.0 * real(m),
      [&] {
        cudaMemcpy2DAsync(s.out, kWider * 4, pinned, kWidth * 4, kWidth * 4, m / kWidth,
                          cudaMemcpyHostToDevice);
      },
      [&] {
        return Set::each(m, [&](std::size_t i) {
          return s.value(i / kWidth * kWider + i % kWidth) == float_of(i + 9) && s.value(kWidth) == 0;
        });
      });
  const unsigned rows = as_number(m / 32);
  const std::size_t wanted = n / 256 / 32;
  s.run(
      "rows of the host's memory by number", 8.0 * 32 * real(wanted),
      [&] { hosts_rows<<<Set::blocks(wanted, 8), 256>>>(s.words, pinned, s.out, rows, wanted); },
      [&] {
        return within(s, 32 * wanted, 0, [&](std::size_t i) {
          return double{float_of(place_of(word_of(i / 32), rows) * std::size_t{32} + i % 32 + 9)};
        });
      });
  const std::size_t half = m / 2;
  s.run(
      "up, worked on and down in two streams", 16.0 * real(m),
      [&] {
        in_both([&] {
          for (std::size_t k = 0; k < 2; ++k) {
            float *there = s.out + k * half, *then = s.out + n / 2 + k * half;
            cudaMemcpyAsync(there, pinned + k * half, half * 4, cudaMemcpyHostToDevice, streams[k]);
            far_along<<<Set::blocks(half), 256, 0, streams[k]>>>(there, then, 5, half);
            cudaMemcpyAsync(down + k * half, then, half * 4, cudaMemcpyDeviceToHost, streams[k]);
          }
        });
      },
      [&] { return arrived([](std::size_t i) { return far_from(float_of(i + 9), 5); }); });
  for (const cudaStream_t stream : streams) cudaStreamDestroy(stream);
  cudaEventDestroy(begun), cudaEventDestroy(done);
  cudaFreeHost(pinned), cudaFreeHost(down);
}

}  // namespace held_out_4
