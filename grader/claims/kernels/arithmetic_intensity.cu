/// @file
/// Claims about arithmetic a byte: what an element-wise kernel has, and where compute takes over from memory.
#include "claims/device.hpp"
#include "claims/kernels/kernels.hpp"

namespace course::claims {
namespace {

constexpr int kThreads = 256;
constexpr int kChains = 8;  // independent ones, so that no multiply-add waits

__global__ void add(const float* a, const float* b, float* c, std::size_t n) {
  const std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

__global__ void multiply_add(float* sink, float a, float b, int turns) {
  float x[kChains];
#pragma unroll
  for (int k = 0; k < kChains; ++k) x[k] = static_cast<float>(threadIdx.x + k);
#pragma unroll 4
  for (int t = 0; t < turns; ++t) {
#pragma unroll
    for (int k = 0; k < kChains; ++k) x[k] = x[k] * a + b;
  }
  float sum = 0;
#pragma unroll
  for (int k = 0; k < kChains; ++k) sum += x[k];
  if (sum == 1e30F) *sink = sum;
}

__global__ void copy(const float4* in, float4* out, std::size_t count) {
  const std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) out[i] = in[i];
}

}  // namespace

outcome elementwise_intensity(device& on) {
  const std::size_t n = 32 * 1024;
  const floats a(n), b(n), c(n);
  const auto launch = [&] { add<<<n / kThreads, kThreads>>>(a.get(), b.get(), c.get(), n); };
  const double bytes = on.count("simgpu__global_bytes_requested_op_ld.sum", launch) +
                       on.count("simgpu__global_bytes_requested_op_st.sum", launch);
  const double intensity = static_cast<double>(n) / bytes;
  return {{"what the text says, at least", 1, "FLOP/B"},
          {"a vector add", intensity, "FLOP/B"},
          intensity,
          {{"bytes of an addition", bytes / static_cast<double>(n), "B"}},
          "One addition, two elements read, one written: memory limits it by far on every card."};
}

outcome ridge_point(device& on) {
  const int blocks = on.simulated() ? 2 : 8 * on.properties().multiProcessorCount,
            turns = on.simulated() ? 8 : 4000;
  const floats in(on.array()), out(in.count()), sink(1);
  const double flops = 2.0 * kChains * kThreads * blocks * turns / on.seconds([&] {
    multiply_add<<<blocks, kThreads>>>(sink.get(), 0.999F, 0.5F, turns);
  });
  const std::size_t count = in.count() / 4;
  const double bytes = 32.0 * static_cast<double>(count) / on.seconds([&] {
    copy<<<static_cast<unsigned>(count / kThreads), kThreads>>>(reinterpret_cast<const float4*>(in.get()),
                                                                reinterpret_cast<float4*>(out.get()), count);
  });
  return {{"what the text says", 312.5, "FLOP/B"},
          {"single precision, without tensor cores", flops / bytes, "FLOP/B"},
          flops / bytes,
          {{"multiply-adds", flops, "FLOP/s"}, {"a copy", bytes, "B/s"}},
          "The text divides 2.5e15 by 8e12, which is right for the tensor cores of the card it means. Every "
          "precision and every card has a ridge of its own."};
}

}  // namespace course::claims
