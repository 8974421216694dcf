/// @file
/// Kernels that wait inside the SM or for one place in L2, not for DRAM: look-ups, histograms, matrix products, filtered
/// textures. fixtures/h200_inside.csv has what an H200 needed for kernels of these descriptions.
#include <cuda_runtime.h>

#include "data.hpp"
#include "ladder.hpp"

namespace {

using ladder::global_index;

std::uint32_t blocks(std::size_t threads, unsigned of) {
  return static_cast<std::uint32_t>((threads + of - 1) / of);
}

// --- data ---

enum class Bytes { random, mostly_one, sorted, constant };

__global__ void fill_bytes(uint4* to, std::size_t n, Bytes kind) {
  const std::size_t i = global_index();
  if (i >= n) return;
  std::uint32_t words[4];
  for (std::uint32_t w = 0; w < 4; ++w) {
    std::uint32_t word = 0;
    for (std::uint32_t b = 0; b < 4; ++b) {
      const std::size_t at = i * 16 + w * 4 + b;
      std::uint32_t h = static_cast<std::uint32_t>(at) * 0x9E37'79B9u;
      h = (h ^ h >> 15) * 0x85EB'CA6Bu;
      h = (h ^ h >> 13) * 0xC2B2'AE35u;
      h ^= h >> 16;
      std::uint32_t v = 7;
      if (kind == Bytes::random || (kind == Bytes::mostly_one && h % 10 == 0)) v = h >> 8 & 255;
      if (kind == Bytes::sorted) v = static_cast<std::uint32_t>(at * 256 / (n * 16));
      word |= v << 8 * b;
    }
    words[w] = word;
  }
  to[i] = make_uint4(words[0], words[1], words[2], words[3]);
}

// --- look-up in a table of 256 bytes ---

__constant__ unsigned char constant_table[256];

template <class Table>
__device__ std::uint32_t four(std::uint32_t v, Table table) {
  return table[v & 255] | table[v >> 8 & 255] << 8 | table[v >> 16 & 255] << 16 | table[v >> 24] << 24;
}
template <class Table>
__device__ uint4 sixteen(uint4 v, Table table) {
  return make_uint4(four(v.x, table), four(v.y, table), four(v.z, table), four(v.w, table));
}

__global__ void constant_vectors(const uint4* in, uint4* out, std::size_t n) {
  const std::size_t i = global_index();
  if (i < n) out[i] = sixteen(in[i], constant_table);
}
__global__ void constant_bytes(const unsigned char* in, unsigned char* out, std::size_t n) {
  const std::size_t i = global_index();
  if (i < n) out[i] = constant_table[in[i]];
}
__global__ void shared_vectors(const uint4* in, uint4* out, std::size_t n, const unsigned char* values) {
  __shared__ unsigned char table[256];
  table[threadIdx.x] = values[threadIdx.x];
  __syncthreads();
  const std::size_t i = global_index();
  if (i < n) out[i] = sixteen(in[i], table);
}
__global__ void global_vectors(const uint4* in, uint4* out, std::size_t n, const unsigned char* values) {
  const std::size_t i = global_index();
  if (i < n) out[i] = sixteen(in[i], values);
}

// --- histogram of bytes ---

__global__ void histogram_global(const unsigned char* in, unsigned* bins, std::size_t n) {
  const std::size_t i = global_index();
  if (i < n) atomicAdd(&bins[in[i]], 1u);
}
__global__ void histogram_bytes(const unsigned char* in, unsigned* bins, std::size_t n) {
  __shared__ unsigned own[256];
  own[threadIdx.x] = 0;
  __syncthreads();
  for (std::size_t i = global_index(); i < n; i += gridDim.x * 256ull) atomicAdd(&own[in[i]], 1u);
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}
__global__ void histogram_vectors(const uint4* in, unsigned* bins, std::size_t n) {
  __shared__ unsigned own[256];
  own[threadIdx.x] = 0;
  __syncthreads();
  const auto add = [&](unsigned v) {
    for (int b = 0; b < 32; b += 8) atomicAdd(&own[v >> b & 255], 1u);
  };
  for (std::size_t i = global_index(); i < n; i += gridDim.x * 256ull) {
    const uint4 v = in[i];
    add(v.x), add(v.y), add(v.z), add(v.w);
  }
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}

// --- matrix products ---

template <int T>
__global__ void product_naive(const float* a, const float* b, float* c, int n, int k) {
  const int row = blockIdx.y * T + threadIdx.y, column = blockIdx.x * T + threadIdx.x;
  float sum = 0;
  for (int i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + column];
  c[row * n + column] = sum;
}
template <int T>
__global__ void product_tiled(const float* a, const float* b, float* c, int n, int k) {
  __shared__ float as[T][T], bs[T][T];
  const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * T + y, column = blockIdx.x * T + x;
  float sum = 0;
  for (int t = 0; t < k; t += T) {
    as[y][x] = a[row * k + t + x];
    bs[y][x] = b[(t + y) * n + column];
    __syncthreads();
    for (int i = 0; i < T; ++i) sum += as[y][i] * bs[i][x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

// --- filtered textures ---

__global__ void resize(cudaTextureObject_t image, float* out, int width, int height, float scale) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x < width && y < height)
    out[std::size_t(y) * width + x] = tex2D<float>(image, (x + 0.5f) * scale, (y + 0.5f) * scale);
}
__global__ void resize_four(cudaTextureObject_t image, float4* out, int width, int height, float scale) {
  const int x = 4 * (blockIdx.x * 32 + threadIdx.x), y = blockIdx.y * 8 + threadIdx.y;
  if (x >= width || y >= height) return;
  const float v = (y + 0.5f) * scale;
  out[(std::size_t(y) * width + x) / 4] =
      make_float4(tex2D<float>(image, (x + 0.5f) * scale, v), tex2D<float>(image, (x + 1.5f) * scale, v),
                  tex2D<float>(image, (x + 2.5f) * scale, v), tex2D<float>(image, (x + 3.5f) * scale, v));
}

void look_ups(const ladder::Bench& bench) {
  const std::size_t bytes = bench.array_bytes / 4096 * 4096, vectors = bytes / 16;
  auto* in = bench.array<uint4>(bytes);
  auto* out = bench.array<uint4>(bytes);
  auto* values = bench.array<unsigned char>(256);
  unsigned char table[256];
  for (int i = 0; i < 256; ++i) table[i] = static_cast<unsigned char>(255 - i);
  ladder::check(cudaMemcpyToSymbol(constant_table, table, sizeof table), "cudaMemcpyToSymbol");
  const double moved = 2.0 * static_cast<double>(bytes);
  for (const bool sorted : {false, true}) {
    const std::string tail = sorted ? ", sorted" : ", random";
    if (!bench.wants_any_of("look-up")) continue;
    fill_bytes<<<blocks(vectors, 256), 256>>>(in, vectors, sorted ? Bytes::sorted : Bytes::random);
    bench.run("look-up, constant, 16-byte loads" + tail, moved,
              [&] { constant_vectors<<<blocks(vectors, 256), 256>>>(in, out, vectors); });
    bench.run("look-up, constant, byte loads" + tail, moved, [&] {
      constant_bytes<<<blocks(bytes, 256), 256>>>(reinterpret_cast<const unsigned char*>(in),
                                                  reinterpret_cast<unsigned char*>(out), bytes);
    });
    bench.run("look-up, shared, 16-byte loads" + tail, moved,
              [&] { shared_vectors<<<blocks(vectors, 256), 256>>>(in, out, vectors, values); });
    bench.run("look-up, global, 16-byte loads" + tail, moved,
              [&] { global_vectors<<<blocks(vectors, 256), 256>>>(in, out, vectors, values); });
  }
  cudaFree(in), cudaFree(out), cudaFree(values);
}

void histograms(const ladder::Bench& bench) {
  const std::size_t bytes = bench.array_bytes / 4096 * 4096, vectors = bytes / 16;
  auto* in = bench.array<uint4>(bytes);
  // Far more than they need, so that they begin at a kilobyte: which of the L2's units share a table depends on that.
  auto* bins = bench.array<unsigned>(std::size_t{2} << 20);
  const std::uint32_t resident = static_cast<std::uint32_t>(bench.sms) * 8;
  const std::size_t few = (std::size_t{16} << 20) / static_cast<std::size_t>(bench.slice);
  struct Kind {
    const char* name;
    Bytes bytes;
  };
  for (const Kind& kind : {Kind{", uniform", Bytes::random}, Kind{", 90 % one value", Bytes::mostly_one},
                           Kind{", sorted", Bytes::sorted}, Kind{", constant", Bytes::constant}}) {
    if (!bench.wants_any_of("histogram")) continue;
    fill_bytes<<<blocks(vectors, 256), 256>>>(in, vectors, kind.bytes);
    const auto* single = reinterpret_cast<const unsigned char*>(in);
    if (kind.bytes != Bytes::sorted)
      bench.run(std::string("histogram, global atomics") + kind.name, static_cast<double>(few),
                [&] { histogram_global<<<blocks(few, 256), 256>>>(single, bins, few); });
    bench.run(std::string("histogram, shared, byte loads") + kind.name, static_cast<double>(bytes),
              [&] { histogram_bytes<<<resident, 256>>>(single, bins, bytes); });
    bench.run(std::string("histogram, shared, 16-byte loads") + kind.name, static_cast<double>(bytes),
              [&] { histogram_vectors<<<resident, 256>>>(in, bins, vectors); });
  }
  cudaFree(in), cudaFree(bins);
}

void products(const ladder::Bench& bench) {
  // The card: 4096 x 4096 x 4096. A slice: a twelfth of the rows, and shorter sums of fewer columns, at the same rate.
  const int n = bench.simulated ? 2048 : 4096, k = bench.simulated ? 512 : 4096;
  const int rows = static_cast<int>(4096 / bench.slice) / 32 * 32 + (bench.simulated ? 32 : 0);
  auto* a = bench.array<float>(std::size_t(rows) * k * 4);
  auto* b = bench.array<float>(std::size_t(k) * n * 4);
  auto* c = bench.array<float>(std::size_t(rows) * n * 4);
  const double flops = 2.0 * rows * n * k;  // "GB/s" are GFLOPS here
  bench.run("product, naive, 32x32 threads", flops,
            [&] { product_naive<32><<<dim3(n / 32, rows / 32), dim3(32, 32)>>>(a, b, c, n, k); });
  bench.run("product, naive, 16x16 threads", flops,
            [&] { product_naive<16><<<dim3(n / 16, rows / 16), dim3(16, 16)>>>(a, b, c, n, k); });
  bench.run("product, tile 16", flops,
            [&] { product_tiled<16><<<dim3(n / 16, rows / 16), dim3(16, 16)>>>(a, b, c, n, k); });
  bench.run("product, tile 32", flops,
            [&] { product_tiled<32><<<dim3(n / 32, rows / 32), dim3(32, 32)>>>(a, b, c, n, k); });
  cudaFree(a), cudaFree(b), cudaFree(c);
}

// An image of @p in_width x @p in_height of the whole card, resized to @p width x @p height; a slice has a part of the rows.
void textures(const ladder::Bench& bench, const std::string& name, int in_width, int in_height, int width,
              int height) {
  if (!bench.wants_any_of("texture")) return;
  const auto part = [&](int h) { return static_cast<int>(h / bench.slice) / 8 * 8; };
  const int own_in = part(in_height), own = part(height);
  cudaArray_t array;
  const auto format = cudaCreateChannelDesc<float>();
  ladder::check(cudaMallocArray(&array, &format, in_width, own_in), "cudaMallocArray");
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc description{};
  description.addressMode[0] = description.addressMode[1] = cudaAddressModeClamp;
  description.filterMode = cudaFilterModeLinear;
  cudaTextureObject_t texture;
  ladder::check(cudaCreateTextureObject(&texture, &resource, &description, nullptr),
                "cudaCreateTextureObject");
  auto* out = bench.array<float>(std::size_t(own) * width * 4);
  const double moved = 4.0 * (double(in_width) * own_in + double(width) * own);
  const float scale = static_cast<float>(in_width) / static_cast<float>(width);
  bench.run("texture, " + name + ", one fetch", moved,
            [&] { resize<<<dim3(width / 32, own / 8), dim3(32, 8)>>>(texture, out, width, own, scale); });
  bench.run("texture, " + name + ", four fetches", moved, [&] {
    resize_four<<<dim3(width / 128, own / 8), dim3(32, 8)>>>(texture, reinterpret_cast<float4*>(out), width,
                                                             own, scale);
  });
  cudaDestroyTextureObject(texture);
  cudaFreeArray(array);
  cudaFree(out);
}

}  // namespace

int main(int argc, char** argv) {
  const ladder::Bench bench(argc, argv);
  look_ups(bench);
  histograms(bench);
  products(bench);
  textures(bench, "larger", 8192, 8192, 16384, 16384);
  textures(bench, "same size", 16384, 8192, 16384, 8192);
  textures(bench, "smaller", 16384, 16384, 8192, 8192);
}
