/// @file
/// Accesses at random: gathers and scatters, a table behind a texture. Part of fresh.cu.
#pragma once

#include "fresh.cuh"

namespace {

__global__ void permute_records(const unsigned* index, const float4* in, float4* out, std::size_t records) {
  const std::size_t t = global_index(), record = t / 3;
  if (record >= records) return;
  const std::size_t from = place_of(index[record], static_cast<unsigned>(records));
  out[t] = in[from * 3 + t % 3];
}
__global__ void scatter_bytes(const unsigned* index, unsigned char* out, std::size_t n, unsigned size) {
  const std::size_t i = global_index();
  if (i < n) out[place_of(index[i], size)] = 7;
}
__global__ void sample_table(const unsigned* where, const unsigned* there, const float* table, float* out,
                             std::size_t n, unsigned rows) {
  const std::size_t i = global_index();
  if (i >= n) return;
  const unsigned a = where[i], x = place_of(a, 1023), y = place_of(there[i], rows - 1);
  const float fx = static_cast<float>(a & 255) * (1.0f / 256), *p = &table[y * std::size_t{1024} + x];
  const float u = p[0] + fx * (p[1] - p[0]), v = p[1024] + fx * (p[1025] - p[1024]);
  out[i] = 0.5f * (u + v);
}
__global__ void fetch_table(cudaTextureObject_t table, const unsigned* index, float* out, std::size_t n,
                            unsigned size) {
  const std::size_t i = global_index();
  if (i < n) out[i] = tex1Dfetch<float>(table, static_cast<int>(place_of(index[i], size)));
}
__global__ void follow_links(const unsigned* next, unsigned* out, unsigned size, int steps) {
  unsigned at = place_of(scrambled(static_cast<unsigned>(global_index())), size);
#pragma unroll 1
  for (int k = 0; k < steps; ++k) at = place_of(next[at], size);
  out[global_index()] = at;
}

void Fresh::random() {
  run(
      "records permuted", two,
      [&] {
        permute_records<<<blocks(n / 4, 192), 192>>>(words, reinterpret_cast<float4*>(in), vectors, n / 12);
      },
      [&] {
        const std::size_t records = n / 12;
        return each(records, [&](std::size_t r) {
          return near(value(r * 12 + 7),
                      float_of(place_of(word_of(r), static_cast<unsigned>(records)) * std::size_t{12} + 7));
        });
      });
  run(
      "bytes scattered", 5.0 * static_cast<double>(n / 32),
      [&] {
        scatter_bytes<<<blocks(n / 32), 256>>>(words, reinterpret_cast<unsigned char*>(out), n / 32,
                                               static_cast<unsigned>(bytes));
      },
      [&] {
        return each(n / 32, [&](std::size_t i) {
          return byte(place_of(word_of(i), static_cast<unsigned>(bytes))) == 7;
        });
      });
  run(
      "table between points", 12.0 * static_cast<double>(n / 8),
      [&] { sample_table<<<blocks(n / 8), 256>>>(words, words + n / 2, in, out, n / 8, table / 1024); },
      [&] {
        return each(n / 8, [&](std::size_t i) {
          const unsigned a = word_of(i);
          const std::size_t p =
              place_of(word_of(n / 2 + i), table / 1024 - 1) * std::size_t{1024} + place_of(a, 1023);
          const double f = (a & 255) / 256.0, u = float_of(p) + f * (float_of(p + 1) - float_of(p)),
                       v = float_of(p + 1024) + f * (float_of(p + 1025) - float_of(p + 1024));
          return near(value(i), 0.5 * (u + v));
        });
      });
  {
    const cudaTextureObject_t texture = table_of(in, table);
    run(
        "table by texture fetches", 8.0 * static_cast<double>(n / 4),
        [&] { fetch_table<<<blocks(n / 4), 256>>>(texture, words, out, n / 4, table); },
        [&] {
          return each(n / 4,
                      [&](std::size_t i) { return near(value(i), float_of(place_of(word_of(i), table))); });
        });
  }
  run(
      "links in L2, 64 threads an SM", 4.0 * 64 * sms * 64,
      [&] { follow_links<<<sms, 64>>>(words, numbers, table, 64); },
      [&] {
        return each(std::size_t{64} * sms, [&](std::size_t i) {
          return number(i) == end_of_chain(place_of(word_of(i), table), table, 64);
        });
      });
}

}  // namespace
