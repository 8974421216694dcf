/// @file
/// Reads whose places come from data: corners of triangles, bags of rows, keys at one of two places.
#include "held_out_4.hpp"

namespace held_out_4 {
namespace {

constexpr unsigned kReach = 1024;

/// A triangle's corners are points not far from each other; the normal is as long as the area says.
__global__ void normals(const unsigned* corners, const float* points, float* out, std::size_t m) {
  const std::size_t t = global_index();
  if (t >= m) return;
  float3 p[3];
#pragma unroll
  for (unsigned c = 0; c < 3; ++c) {
    const float* at = points + 3 * (t / 2 + corners[3 * t + c] % kReach);
    p[c] = make_float3(at[0], at[1], at[2]);
  }
  const float3 u = make_float3(p[1].x - p[0].x, p[1].y - p[0].y, p[1].z - p[0].z),
               v = make_float3(p[2].x - p[0].x, p[2].y - p[0].y, p[2].z - p[0].z);
  out[3 * t] = u.y * v.z - u.z * v.y;
  out[3 * t + 1] = u.z * v.x - u.x * v.z;
  out[3 * t + 2] = u.x * v.y - u.y * v.x;
}
constexpr unsigned kBag = 8, kGathersWide = 64;
/// A warp a bag: the mean of eight rows of 64 halves.
__global__ void bags(const unsigned* which, const __half2* rows, float2* out, unsigned count, std::size_t m) {
  const std::size_t bag = global_index() / 32, lane = threadIdx.x % 32;
  if (bag >= m) return;
  float2 sum = make_float2(0, 0);
#pragma unroll
  for (unsigned k = 0; k < kBag; ++k) {
    const std::size_t row = place_of(which[bag * kBag + k], count);
    const float2 v = __half22float2(rows[row * (kGathersWide / 2) + lane]);
    sum.x += v.x, sum.y += v.y;
  }
  out[bag * (kGathersWide / 2) + lane] = make_float2(sum.x / kBag, sum.y / kBag);
}
__host__ __device__ __forceinline__ unsigned first_place(unsigned key, unsigned places) {
  return place_of(scrambled(key ^ 0x51ed270bu), places);
}
__host__ __device__ __forceinline__ unsigned second_place(unsigned key, unsigned places) {
  return place_of(scrambled(key + 0x9e3779b9u), places);
}
__global__ void ask_two_places(const unsigned* keys, const uint2* table, unsigned* out, unsigned places,
                               std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const unsigned key = keys[i + 1];
  const uint2 a = table[first_place(key, places)], b = table[second_place(key, places)];
  out[i] = a.x == key ? a.y : b.x == key ? b.y : 1u;
}
}  // namespace

void gathers(Set& s) {
  const std::size_t n = s.n, triangles = n / 64;
  s.run(
      "normals of triangles", 24.0 * real(triangles),
      [&] { normals<<<Set::blocks(triangles), 256>>>(s.words, s.in, s.out, triangles); },
      [&] {
        return within(s, 3 * triangles, 1e-3, [](std::size_t i) {
          double p[3][3];
          for (std::size_t c = 0; c < 3; ++c)
            for (std::size_t k = 0; k < 3; ++k)
              p[c][k] = float_of(3 * (i / 3 / 2 + word_of(i / 3 * 3 + c) % kReach) + k);
          const std::size_t a = (i + 1) % 3, b = (i + 2) % 3;
          return (p[1][a] - p[0][a]) * (p[2][b] - p[0][b]) - (p[1][b] - p[0][b]) * (p[2][a] - p[0][a]);
        });
      });
  const unsigned rows = s.table / (kGathersWide / 2);
  const std::size_t count = n / 1024;
  s.run(
      "means of eight rows of halves", (kBag * 128.0 + 256 + 32) * real(count),
      [&] {
        bags<<<Set::blocks(count, 8), 256>>>(s.words, reinterpret_cast<__half2*>(s.halves),
                                             reinterpret_cast<float2*>(s.out), rows, count);
      },
      [&] {
        return floats(s, count * kGathersWide, [&](std::size_t i) {
          double sum = 0;
          for (std::size_t k = 0; k < kBag; ++k)
            sum += half_of(place_of(word_of(i / kGathersWide * kBag + k), rows) * std::size_t{kGathersWide} +
                           i % kGathersWide);
          return sum / kBag;
        });
      });
  // Two fifths of the places are taken; who comes later sends the other to its second place.
  const unsigned places = s.table / 4;
  const std::size_t keys = places / 5 * 2;
  std::vector<uint2> filled(places, make_uint2(0, 0));
  for (std::size_t i = 1; i <= keys; ++i) {
    uint2 one = make_uint2(word_of(i), as_number(i));
    unsigned at = first_place(one.x, places);
    for (int tries = 0; tries < 200; ++tries) {
      std::swap(one, filled[at]);
      if (one.x == 0) break;
      const unsigned first = first_place(one.x, places);
      at = at == first ? second_place(one.x, places) : first;
    }
  }
  uint2* table = kept(filled);
  s.run(
      "keys asked for at two places", 24.0 * 2 * real(keys),
      [&] { ask_two_places<<<Set::blocks(2 * keys), 256>>>(s.words, table, s.numbers(), places, 2 * keys); },
      [&] {
        return numbers(s, 2 * keys, [&](std::size_t i) {
          const unsigned key = word_of(i + 1);
          const uint2 a = filled[first_place(key, places)], b = filled[second_place(key, places)];
          return a.x == key ? a.y : b.x == key ? b.y : 1u;
        });
      });
  cudaFree(table);
}

}  // namespace held_out_4
