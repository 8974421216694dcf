/// @file
/// What is bound by DRAM: streams of several widths and numbers. Part of fresh.cu.
#pragma once

#include "fresh.cuh"

namespace {

__global__ void copy_pairs(const uint2* in, uint2* out, std::size_t n) {
  for (std::size_t i = global_index(); i < n; i += stride()) out[i] = in[i];
}
__global__ void pixels_to_floats(const uchar4* in, float4* out, std::size_t n) {
  const std::size_t i = global_index();
  if (i >= n) return;
  const uchar4 p = in[i];
  constexpr float kScale = 1.0f / 255;
  out[i] = make_float4(p.x * kScale, p.y * kScale, p.z * kScale, p.w * kScale);
}
__global__ void sum_of_eight(const float* in, float* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 8; ++k) sum += in[i + k * m];
  out[i] = sum;
}
__global__ void interleave(const float* planes, float* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  out[3 * i] = planes[i];
  out[3 * i + 1] = planes[i + m];
  out[3 * i + 2] = planes[i + 2 * m];
}
__global__ void grey(const unsigned char* rgb, unsigned char* out, std::size_t n) {
  const std::size_t i = global_index();
  if (i >= n) return;
  const unsigned r = rgb[3 * i], g = rgb[3 * i + 1], b = rgb[3 * i + 2];
  out[i] = static_cast<unsigned char>((77 * r + 150 * g + 29 * b) >> 8);
}
__global__ void set_vectors(float4* out, std::size_t n, float v) {
  const std::size_t i = global_index();
  if (i < n) out[i] = make_float4(v, v + 1, v + 2, v + 3);
}
__global__ void axpby_halves(const uint4* x, const uint4* y, uint4* out, std::size_t n, float a, float b) {
  const std::size_t i = global_index();
  if (i >= n) return;
  uint4 u = x[i], v = y[i];
  auto* hu = reinterpret_cast<__half2*>(&u);
  auto* hv = reinterpret_cast<__half2*>(&v);
  const __half2 ha = __float2half2_rn(a), hb = __float2half2_rn(b);
#pragma unroll
  for (int k = 0; k < 4; ++k) hu[k] = __hfma2(ha, hu[k], __hmul2(hb, hv[k]));
  out[i] = u;
}
__global__ void reverse(const float* in, float* out, std::size_t n) {
  const std::size_t i = global_index();
  if (i < n) out[n - 1 - i] = in[i];
}
__global__ void multiply_complex(const float2* a, const float2* b, float2* out, std::size_t n) {
  for (std::size_t i = global_index(); i < n; i += stride()) {
    const float2 u = a[i], v = b[i];
    out[i] = make_float2(u.x * v.x - u.y * v.y, u.x * v.y + u.y * v.x);
  }
}
__global__ void add_outer_product(const float* in, const float* u, const float* v, float* out, int width,
                                  int height) {
  const int x = blockIdx.x * 256 + threadIdx.x, y0 = blockIdx.y * 4;
  const float c = v[x];
#pragma unroll
  for (int r = 0; r < 4; ++r) {
    const int y = y0 + r;
    if (y < height) out[std::size_t(y) * width + x] = in[std::size_t(y) * width + x] + u[y] * c;
  }
}
__global__ void every_fifth(const float* in, float* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i < m) out[i] = in[5 * i + 2];
}

void Fresh::streams() {
  run(
      "pairs, four blocks an SM", two,
      [&] {
        copy_pairs<<<sms * 4, 256>>>(reinterpret_cast<uint2*>(words), reinterpret_cast<uint2*>(out), n / 2);
      },
      [&] { return each(n, [&](std::size_t i) { return number(i) == word_of(i); }); });
  run(
      "pixels to floats", 1.25 * one,
      [&] { pixels_to_floats<<<blocks(n / 4), 256>>>(reinterpret_cast<uchar4*>(words), vectors, n / 4); },
      [&] {
        return each(n, [&](std::size_t i) {
          return near(value(i), (word_of(i / 4) >> (8 * (i % 4)) & 255) / 255.0);
        });
      });
  run(
      "sum of eight arrays", 9 * one / 8, [&] { sum_of_eight<<<blocks(n / 8), 256>>>(in, out, n / 8); },
      [&] {
        return each(n / 8, [&](std::size_t i) {
          double sum = 0;
          for (int k = 0; k < 8; ++k) sum += float_of(i + k * (n / 8));
          return near(value(i), sum);
        });
      });
  run(
      "planes to pixels", two, [&] { interleave<<<blocks(n / 3), 256>>>(in, out, n / 3); },
      [&] {
        return each(n, [&](std::size_t i) { return near(value(i), float_of(i / 3 + i % 3 * (n / 3))); });
      });
  run(
      "grey pixels", one,
      [&] {
        grey<<<blocks(n), 256>>>(reinterpret_cast<unsigned char*>(words),
                                 reinterpret_cast<unsigned char*>(out), n);
      },
      [&] {
        return each(n, [&](std::size_t i) {
          const auto of = [&](std::size_t b) { return word_of(b / 4) >> (8 * (b % 4)) & 255; };
          return byte(i) == (77 * of(3 * i) + 150 * of(3 * i + 1) + 29 * of(3 * i + 2)) >> 8;
        });
      });
  run(
      "vectors set", one, [&] { set_vectors<<<blocks(n / 4), 256>>>(vectors, n / 4, 3.0f); },
      [&] {
        return each(n, [&](std::size_t i) { return near(value(i), 3.0 + static_cast<double>(i % 4)); });
      });
  run(
      "memset", one, [&] { cudaMemsetAsync(out, 0x5a, bytes); },
      [&] { return each(n, [&](std::size_t i) { return number(i) == 0x5a5a5a5au; }); });
  run(
      "copy of a pitched image", 2.0 * 4000 * 4 * height,
      [&] {
        cudaMemcpy2DAsync(out, 16384, in, 16384, 16000, static_cast<std::size_t>(height),
                          cudaMemcpyDeviceToDevice);
      },
      [&] {
        return each(static_cast<std::size_t>(height), [&](std::size_t y) {
          return near(value(y * width + 3999), float_of(y * width + 3999)) && number(y * width + 4000) == 0;
        });
      });
  run(
      "axpby of halves", 3 * one,
      [&] {
        axpby_halves<<<blocks(n / 4), 256>>>(reinterpret_cast<uint4*>(halves),
                                             reinterpret_cast<uint4*>(halves), reinterpret_cast<uint4*>(out),
                                             n / 4, 2.0f, 0.5f);
      },
      [&] {
        return each(2 * n, [&](std::size_t i) {
          return near(__half2float(Checked::at(reinterpret_cast<const __half*>(out), i)), 2.5 * half_of(i),
                      4e-3);
        });
      });
  run(
      "reverse", two, [&] { reverse<<<blocks(n), 256>>>(in, out, n); },
      [&] { return each(n, [&](std::size_t i) { return near(value(i), float_of(n - 1 - i)); }); });
  run(
      "complex products", 3 * one,
      [&] {
        multiply_complex<<<resident, 256>>>(reinterpret_cast<float2*>(in), reinterpret_cast<float2*>(other),
                                            reinterpret_cast<float2*>(out), n / 2);
      },
      [&] {
        return each(n / 2, [&](std::size_t i) {
          return near(value(2 * i + 1), double{float_of(2 * i)} * other_of(2 * i + 1) +
                                            double{float_of(2 * i + 1)} * other_of(2 * i));
        });
      });
  run(
      "outer product added", two,
      [&] {
        add_outer_product<<<dim3(width / 256, (height + 3) / 4), 256>>>(in, other, other + n / 2, out, width,
                                                                        height);
      },
      [&] {
        return each(std::size_t(width) * height, [&](std::size_t i) {
          return near(value(i), float_of(i) + double{other_of(i / width)} * other_of(n / 2 + i % width));
        });
      });
  run(
      "every fifth", 8.0 * static_cast<double>(n / 5),
      [&] { every_fifth<<<blocks(n / 5), 256>>>(in, out, n / 5); },
      [&] { return each(n / 5, [&](std::size_t i) { return near(value(i), float_of(5 * i + 2)); }); });
}

}  // namespace
