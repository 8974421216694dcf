/// @file
/// Streams of elements, of mixed types too; a stride, rows that begin anywhere; particles whose velocities
/// alone are changed, as structs and as arrays.
#include "held_out_11.hpp"

namespace held_out_11 {
namespace {

__host__ __device__ __forceinline__ float faded(float a, float b, unsigned part) {
  return a + (b - a) * (static_cast<float>(part) * (1.0f / 255));
}
__global__ void fade(const float4* a, const float4* b, const uchar4* parts, float4* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const float4 x = a[i], y = b[i];
  const uchar4 p = parts[i];
  out[i] =
      make_float4(faded(x.x, y.x, p.x), faded(x.y, y.y, p.y), faded(x.z, y.z, p.z), faded(x.w, y.w, p.w));
}

__global__ void halves_by_floats(const __half* a, const float* b, double* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i < m) out[i] = double{__half2float(a[i])} * b[i] + 1.0;
}

constexpr unsigned kEleven = 11;
__global__ void halve_each_eleventh(const double* in, double* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i < m) out[kEleven * i] = 0.5 * in[kEleven * i];
}

constexpr unsigned kRotatedRow = 77, kRotatedBy = 5;
__global__ void rotate_rows(const float* in, float* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  const unsigned row = i / kRotatedRow, x = i % kRotatedRow;
  const unsigned from = x + kRotatedBy < kRotatedRow ? x + kRotatedBy : x + kRotatedBy - kRotatedRow;
  out[i] = in[row * kRotatedRow + from];
}

constexpr float kDrag = 0.1f;
struct Dragged {
  float x, y, z, mass, u, v, w, age;
};
__global__ void drag_structs(Dragged* all, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const float by = 1.0f - kDrag / all[i].mass;
  all[i].u *= by;
  all[i].v *= by;
  all[i].w *= by;
}
__global__ void drag_arrays(const float* mass, float* u, float* v, float* w, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const float by = 1.0f - kDrag / mass[i];
  u[i] *= by;
  v[i] *= by;
  w[i] *= by;
}

}  // namespace

void streams(Set& s) {
  const std::size_t n = s.n;
  const std::size_t fours = n / 32;
  s.run(
      "floats faded into others by parts of bytes", 52.0 * real(fours),
      [&] {
        fade<<<Set::blocks(fours), 256>>>(
            reinterpret_cast<const float4*>(s.in), reinterpret_cast<const float4*>(s.other),
            reinterpret_cast<const uchar4*>(s.words), reinterpret_cast<float4*>(s.out), fours);
      },
      [&] {
        return floats(s, 4 * fours, [](std::size_t i) {
          return float_of(i) + (double{other_of(i)} - float_of(i)) * byte_of(i) / 255;
        });
      });
  const std::size_t mixed = n / 8;
  s.run(
      "halves by floats, kept as doubles", 14.0 * real(mixed),
      [&] {
        halves_by_floats<<<Set::blocks(mixed), 256>>>(s.halves, s.in, reinterpret_cast<double*>(s.out),
                                                      mixed);
      },
      [&] {
        return doubles(s, mixed, [](std::size_t i) { return double{half_of(i)} * float_of(i) + 1.0; });
      });
  const std::size_t elevenths = n / 44;
  s.run(
      "each eleventh double halved", 16.0 * real(elevenths),
      [&] {
        halve_each_eleventh<<<Set::blocks(elevenths), 256>>>(reinterpret_cast<const double*>(s.in),
                                                             reinterpret_cast<double*>(s.out), elevenths);
      },
      [&] {
        const auto* got = reinterpret_cast<const double*>(s.out);
        return Set::each(elevenths, [&](std::size_t i) {
          return Set::near(Checked::at(got, kEleven * i), 0.5 * double_of(kEleven * i), 1e-12) &&
                 Checked::at(got, kEleven * i + 1) == 0;
        });
      });
  const unsigned rotated = as_number(n / 4 / kRotatedRow * kRotatedRow);
  s.run(
      "rows of 77 floats rotated by five places", 8.0 * rotated,
      [&] { rotate_rows<<<Set::blocks(rotated), 256>>>(s.in, s.out, rotated); },
      [&] {
        return floats(s, rotated, [](std::size_t i) {
          const std::size_t x = i % kRotatedRow;
          return double{float_of(i - x + (x + kRotatedBy) % kRotatedRow)};
        });
      });

  const std::size_t structs = n / 32;
  auto* all = room<Dragged>(structs);
  ladder::check(cudaMemcpy(all, s.in, structs * sizeof(Dragged), cudaMemcpyDeviceToDevice), "copy");
  s.run(
      "particles of 32 bytes slowed by drag", 28.0 * real(structs),
      [&] { drag_structs<<<Set::blocks(structs), 256>>>(all, structs); },
      [&] {
        return Set::each(structs, [&](std::size_t i) {
          const Dragged got = Checked::at(all, i);
          const double by = 1 - double{kDrag} / float_of(8 * i + 3);
          return got.z == float_of(8 * i + 2) && got.age == float_of(8 * i + 7) &&
                 Set::near(got.u, by * float_of(8 * i + 4), 1e-5) &&
                 Set::near(got.w, by * float_of(8 * i + 6), 1e-5);
        });
      });
  cudaFree(all);
  const std::size_t apart = n / 16;
  float* arrays = room<float>(4 * apart);
  ladder::check(cudaMemcpy(arrays, s.in, 4 * apart * sizeof(float), cudaMemcpyDeviceToDevice), "copy");
  s.run(
      "particles of four arrays slowed by drag", 28.0 * real(apart),
      [&] {
        drag_arrays<<<Set::blocks(apart), 256>>>(arrays, arrays + apart, arrays + 2 * apart,
                                                 arrays + 3 * apart, apart);
      },
      [&] {
        return Set::each(3 * apart, [&](std::size_t i) {
          const double by = 1 - double{kDrag} / float_of(i % apart);
          return Set::near(Checked::at(arrays, apart + i), by * float_of(apart + i), 1e-5);
        });
      });
  cudaFree(arrays);
}

}  // namespace held_out_11
