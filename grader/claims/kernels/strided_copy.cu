/// @file
/// Claims about strided and chunked access: what a warp pays whose lanes do not read side by side.
#include "claims/device.hpp"
#include "claims/kernels/kernels.hpp"

namespace course::claims {
namespace {

constexpr int kThreads = 256;
constexpr int kStride = 32;  // floats: 128 bytes

__global__ void copy_strided(const float* in, float* out, std::size_t count, std::size_t stride) {
  const std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) out[i * stride] = in[i * stride];
}

__global__ void copy_wide(const float4* in, float4* out, std::size_t count) {
  const std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) out[i] = in[i];
}

template <int Chunk>
__global__ void copy_chunks(const float* in, float* out, std::size_t chunks) {
  const std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= chunks) return;
#pragma unroll 1
  for (int k = 0; k < Chunk; ++k) out[i * Chunk + k] = in[i * Chunk + k];
}

unsigned blocks_for(std::size_t threads) {
  return static_cast<unsigned>((threads + kThreads - 1) / kThreads);
}

/// Useful bytes a second, read and written.
double strided(const device& on, const floats& in, const floats& out, std::size_t stride) {
  const std::size_t count = in.count() / stride;
  return 8.0 * static_cast<double>(count) / on.seconds([&] {
    copy_strided<<<blocks_for(count), kThreads>>>(in.get(), out.get(), count, stride);
  });
}

double wide(const device& on, const floats& in, const floats& out) {
  const std::size_t count = in.count() / 4;
  return 32.0 * static_cast<double>(count) / on.seconds([&] {
    copy_wide<<<blocks_for(count), kThreads>>>(reinterpret_cast<const float4*>(in.get()),
                                               reinterpret_cast<float4*>(out.get()), count);
  });
}

template <int Chunk>
double chunked(const device& on, const floats& in, const floats& out) {
  const std::size_t chunks = in.count() / Chunk;
  return 8.0 * static_cast<double>(chunks * Chunk) / on.seconds([&] {
    copy_chunks<Chunk><<<blocks_for(chunks), kThreads>>>(in.get(), out.get(), chunks);
  });
}

}  // namespace

outcome strided_copy(device& on) {
  const floats in(on.array()), out(in.count());
  const double dense = strided(on, in, out, 1), slow = strided(on, in, out, kStride);
  return {
      {"a copy with stride 32", slow, "B/s"},
      {"a copy with stride 1", dense, "B/s"},
      dense / slow,
      {{"stride 8", strided(on, in, out, 8), "B/s"}, {"stride 1, 16 bytes a lane", wide(on, in, out), "B/s"}},
      ""};
}

outcome chunk_walk(device& on) {
  const floats in(on.array()), out(in.count());
  const double best = wide(on, in, out), slow = chunked<128>(on, in, out);
  return {{"each thread walks 128 floats", slow, "B/s"},
          {"a copy with 16 bytes a lane", best, "B/s"},
          best / slow,
          {{"each thread walks 8 floats", chunked<8>(on, in, out), "B/s"}},
          "The length of the chunk decides: what a lane does not use of a sector at once, the L1 may still "
          "hold for its next step."};
}

}  // namespace course::claims
