/// @file
/// A claim about the unit of memory traffic: what one isolated read of 4 bytes makes memory hand out.
#include "claims/device.hpp"
#include "claims/kernels/kernels.hpp"

namespace course::claims {
namespace {

constexpr int kThreads = 256;
constexpr int kReads = 8;  // independent, in flight together

/// Every `stride`-th float is read; nothing is written unless a sum is impossible.
__global__ void read_strided(const float* in, float* sink, std::size_t count, std::size_t stride) {
  const std::size_t first = std::size_t(blockIdx.x) * blockDim.x * kReads + threadIdx.x;
  float sum = 0;
#pragma unroll
  for (int k = 0; k < kReads; ++k) {
    const std::size_t i = first + std::size_t(k) * blockDim.x;
    if (i < count) sum += in[i * stride];
  }
  if (sum == 1e30F) *sink = sum;
}

std::function<void()> reading(const floats& in, const floats& sink, std::size_t stride) {
  const std::size_t count = in.count() / stride;
  const auto blocks = static_cast<unsigned>((count + kThreads * kReads - 1) / (kThreads * kReads));
  return
      [=, from = in.get(), to = sink.get()] { read_strided<<<blocks, kThreads>>>(from, to, count, stride); };
}

}  // namespace

outcome isolated_read(device& on) {
  const floats in(2 * on.array()), sink(1);
  const double dense = 4.0 * static_cast<double>(in.count()) / on.seconds(reading(in, sink, 1));
  // As many bytes as memory could have handed out in the time of one read.
  const auto bytes_a_read = [&](std::size_t stride) {
    return dense * on.seconds(reading(in, sink, stride)) * static_cast<double>(stride) /
           static_cast<double>(in.count());
  };
  const double alone = bytes_a_read(64);
  return {{"what the text says", 128, "B"},
          {"a read of 4 bytes, 256 bytes from the next", alone, "B"},
          alone,
          {{"128 bytes from the next", bytes_a_read(32), "B"},
           {"64 bytes from the next", bytes_a_read(16), "B"},
           {"32 bytes from the next", bytes_a_read(8), "B"}},
          "Inferred from time: what a dense read would have brought meanwhile. Requests are cut into sectors "
          "of 32 bytes, and DRAM has a unit of its own."};
}

outcome sectors_of_a_read(device& on) {
  const floats in(64 * 1024), sink(1);
  const auto count = [&](const char* counter) { return on.count(counter, reading(in, sink, 64)); };
  const double sectors = count("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum");
  const double reads = static_cast<double>(in.count()) / 64;
  return {{"what the text says", 128, "B"},
          {"a read of 4 bytes, 256 bytes from the next", 32 * sectors / reads, "B"},
          32 * sectors / reads,
          {},
          "Counted where the SM asks L2. The line has 128 bytes, and only the sectors that are asked for "
          "travel."};
}

}  // namespace course::claims
