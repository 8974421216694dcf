/// @file
/// What the parts of fresh.cu have in common: arrays whose every element is known, and the names that their cases use.
#pragma once

#include <cooperative_groups.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>

#include <cstdint>

#include "../bulk.hpp"
#include "../checked.hpp"
#include "../data.hpp"
#include "../fill.hpp"

namespace {

namespace cg = cooperative_groups;
using ladder::Checked;
using ladder::global_index, ladder::half_of, ladder::place_of, ladder::scrambled, ladder::stride,
    ladder::word_of;

__host__ __device__ __forceinline__ float float_of(std::size_t i) {
  return static_cast<float>(word_of(i) & 0xffff) * 1e-4f + 0.5f;
}
__host__ __device__ __forceinline__ float other_of(std::size_t i) {
  return float_of(i + 77777);
}
/// Where a chain of such places ends.
inline unsigned end_of_chain(unsigned at, unsigned size, int steps) {
  for (int k = 0; k < steps; ++k) at = place_of(word_of(at), size);
  return at;
}

__global__ void fill_floats(float* out, std::size_t n, std::size_t from) {
  for (std::size_t i = global_index(); i < n; i += stride()) out[i] = float_of(i + from);
}
__host__ __device__ __forceinline__ unsigned char smooth_of(std::size_t i) {
  return static_cast<unsigned char>(i / 11 + i / 4096 * 3);
}
__global__ void fill_smooth(unsigned char* out, std::size_t n) {
  for (std::size_t i = global_index(); i < n; i += stride()) out[i] = smooth_of(i);
}

cudaTextureObject_t image_of(const void* data, cudaChannelFormatDesc format, int width, int height,
                             std::size_t pitch, bool linear, bool normalised) {
  cudaResourceDesc what{};
  what.resType = cudaResourceTypePitch2D;
  what.res.pitch2D.devPtr = const_cast<void*>(data);
  what.res.pitch2D.desc = format;
  what.res.pitch2D.width = static_cast<std::size_t>(width);
  what.res.pitch2D.height = static_cast<std::size_t>(height);
  what.res.pitch2D.pitchInBytes = pitch;
  cudaTextureDesc how{};
  how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
  how.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
  how.readMode = normalised ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
  cudaTextureObject_t image = 0;
  ladder::check(cudaCreateTextureObject(&image, &what, &how, nullptr), "cudaCreateTextureObject");
  return image;
}
cudaTextureObject_t table_of(const float* data, std::size_t n) {
  cudaResourceDesc what{};
  what.resType = cudaResourceTypeLinear;
  what.res.linear.devPtr = const_cast<float*>(data);
  what.res.linear.desc = cudaCreateChannelDesc<float>();
  what.res.linear.sizeInBytes = n * 4;
  cudaTextureDesc how{};
  how.readMode = cudaReadModeElementType;
  cudaTextureObject_t table = 0;
  ladder::check(cudaCreateTextureObject(&table, &what, &how, nullptr), "cudaCreateTextureObject");
  return table;
}

/// The ladder: each class of kernels is a function in a file of its own.
class Fresh {
 public:
  Fresh(int argc, char** argv) : bench(argc, argv) {
    ladder::fill_words<<<resident, 256>>>(words, n);
    fill_floats<<<resident, 256>>>(in, n, 0);
    fill_floats<<<resident, 256>>>(other, n, 77777);
    ladder::fill_halves<<<resident, 256>>>(halves, 2 * n);
    fill_smooth<<<resident, 256>>>(smooth, bytes / 4);
    ladder::check(cudaDeviceSynchronize(), "fill");
  }
  int wrong() const { return bench.wrong(); }

  void streams();
  void bits();
  void arithmetic();
  void matrices();
  void reductions();
  void atomics();
  void local();
  void random();
  void textures();
  void copies();
  void clusters();
  void tails();
  void stencils();

 private:
  static unsigned blocks(std::size_t threads, unsigned of = 256) {
    return static_cast<unsigned>((threads + of - 1) / of);
  }
  void run(const char* name, double moved, const std::function<void()>& launch,
           const std::function<bool()>& right) {
    bench.run(name, moved, out, bytes, launch, right);
  }
  static bool each(std::size_t count, const std::function<bool(std::size_t)>& right) {
    return Checked::each(count, right);
  }
  static bool near(double got, double want, double tolerance = 1e-3) {
    const bool good = Checked::near(got, want, tolerance);
    if (!good) std::printf("  %g, not %g\n", got, want);
    return good;
  }
  float value(std::size_t i) const { return Checked::at(out, i); }
  unsigned number(std::size_t i) const { return Checked::at(numbers, i); }
  unsigned char byte(std::size_t i) const {
    return Checked::at(reinterpret_cast<const unsigned char*>(out), i);
  }

  Checked bench;
  const std::size_t bytes = bench.bench().array_bytes, n = bytes / 4;
  const unsigned sms = static_cast<unsigned>(bench.bench().sms), resident = sms * 8;
  unsigned* const words = bench.bench().array<unsigned>(bytes);
  float* const in = bench.bench().array<float>(bytes);
  float* const other = bench.bench().array<float>(bytes);
  __half* const halves = bench.bench().array<__half>(bytes);
  unsigned char* const smooth = bench.bench().array<unsigned char>(bytes / 4);
  float* const out = bench.bench().array<float>(bytes);
  unsigned* const numbers = reinterpret_cast<unsigned*>(out);
  float4* const vectors = reinterpret_cast<float4*>(out);
  double* const doubles = reinterpret_cast<double*>(other);
  const double one = static_cast<double>(bytes), two = 2 * one;
  const unsigned table = static_cast<unsigned>(n / 21);  // 24 MB of a card's L2, 2 MB of a slice's
  const int width = 4096, height = static_cast<int>(n / width);
};

}  // namespace
