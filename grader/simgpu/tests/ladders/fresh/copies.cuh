/// @file
/// cp.async and bulk copies. Part of fresh.cu.
#pragma once

#include "fresh.cuh"

namespace {

__global__ void ring_of_four(const float4* in, float4* out, std::size_t n) {
  __shared__ alignas(16) float4 ring[4][128];
  const std::size_t step = stride();
  std::size_t ahead = global_index();
  for (int s = 0; s < 3; ++s, ahead += step) {
    if (ahead < n) __pipeline_memcpy_async(&ring[s][threadIdx.x], &in[ahead], 16);
    __pipeline_commit();
  }
  int at = 0;
  for (std::size_t i = global_index(); i < n; i += step, ahead += step) {
    if (ahead < n) __pipeline_memcpy_async(&ring[(at + 3) % 4][threadIdx.x], &in[ahead], 16);
    __pipeline_commit();
    __pipeline_wait_prior(3);
    float4 v = ring[at][threadIdx.x];
    v.x = v.x * v.x + v.y, v.z = v.z * v.z + v.w;
    out[i] = v;
    at = (at + 1) % 4;
  }
}
__global__ void nine_of_a_line(const float* in, float* out, std::size_t n) {
  __shared__ float line[256 + 8];
  const std::size_t first = blockIdx.x * std::size_t{256};
  for (unsigned k = threadIdx.x; k < 256 + 8; k += 256) {
    if (first + k < n)
      __pipeline_memcpy_async(&line[k], &in[first + k], 4);
    else
      line[k] = 0;
  }
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 9; ++k) sum += line[threadIdx.x + k];
  if (first + threadIdx.x < n) out[first + threadIdx.x] = sum;
}
/// A ring of three buffers of 4 kB that bulk copies fill.
__global__ void ring_of_bulk_copies(const float* in, float* out, std::size_t chunks) {
  __shared__ alignas(128) float ring[3][1024];
  __shared__ std::uint64_t full[3];
  if (threadIdx.x == 0) {
    for (int s = 0; s < 3; ++s) ladder::init_barrier(&full[s], 1);
    ladder::publish_barriers();
  }
  __syncthreads();
  if (threadIdx.x == 0)
    for (unsigned s = 0; s < 3; ++s) {
      const std::size_t chunk = blockIdx.x + s * std::size_t{gridDim.x};
      if (chunk < chunks) ladder::bulk_load(ring[s], in + chunk * 1024, 4096, &full[s]);
    }
  unsigned at = 0, phase = 0;
  for (std::size_t chunk = blockIdx.x; chunk < chunks; chunk += gridDim.x) {
    ladder::wait_for(&full[at], phase);
    for (unsigned k = threadIdx.x; k < 1024; k += blockDim.x) out[chunk * 1024 + k] = 2 * ring[at][k] + 1;
    __syncthreads();
    const std::size_t ahead = chunk + 3 * std::size_t{gridDim.x};
    if (threadIdx.x == 0 && ahead < chunks) ladder::bulk_load(ring[at], in + ahead * 1024, 4096, &full[at]);
    if (++at == 3) at = 0, phase ^= 1;
  }
}
__global__ void store_in_bulk(const float4* in, float4* out, std::size_t tiles) {
  __shared__ alignas(128) float4 tile[2][128];
  unsigned at = 0;
  for (std::size_t t = blockIdx.x; t < tiles; t += gridDim.x, at ^= 1) {
    float4 v = in[t * 128 + threadIdx.x];
    v.x += 1, v.y += 2;
    tile[at][threadIdx.x] = v;
    ladder::publish_stores();
    __syncthreads();
    if (threadIdx.x == 0) {
      ladder::bulk_store(out + t * 128, tile[at], 2048);
      asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) ladder::wait_until_stored();
}

void Fresh::copies() {
  run(
      "ring of four stages", two,
      [&] { ring_of_four<<<sms * 8, 128>>>(reinterpret_cast<float4*>(in), vectors, n / 4); },
      [&] {
        return each(n / 4, [&](std::size_t i) {
          return near(value(4 * i), double{float_of(4 * i)} * float_of(4 * i) + float_of(4 * i + 1)) &&
                 near(value(4 * i + 3), float_of(4 * i + 3));
        });
      });
  run(
      "nine of a line, copied by words", two, [&] { nine_of_a_line<<<blocks(n), 256>>>(in, out, n); },
      [&] {
        return each(n - 8, [&](std::size_t i) {
          double sum = 0;
          for (std::size_t k = 0; k < 9; ++k) sum += float_of(i + k);
          return near(value(i), sum);
        });
      });
  run(
      "ring of bulk copies", two, [&] { ring_of_bulk_copies<<<sms * 4, 128>>>(in, out, n / 1024); },
      [&] { return each(n, [&](std::size_t i) { return near(value(i), 2.0 * float_of(i) + 1); }); });
  run(
      "stored in bulk", two,
      [&] { store_in_bulk<<<sms * 8, 128>>>(reinterpret_cast<float4*>(in), vectors, n / 512); },
      [&] {
        return each(n / 4, [&](std::size_t i) { return near(value(4 * i + 1), float_of(4 * i + 1) + 2.0); });
      });
}

}  // namespace
