/// @file
/// Streams of several widths and types, and the runtime's own copies of parts.
#include "blind.hpp"

namespace blind {
namespace {

__global__ void split_stereo(const short2* in, float* left, float* right, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const short2 frame = in[i];
  left[i] = frame.x * (1.0f / 32768);
  right[i] = frame.y * (1.0f / 32768);
}
__global__ void copy_two_doubles(const double2* in, double2* out, std::size_t m) {
  const std::size_t i = blockIdx.x * std::size_t{1024} + threadIdx.x;
  if (i + 512 < m) {
    const double2 a = in[i], b = in[i + 512];
    out[i] = a;
    out[i + 512] = b;
  } else if (i < m) {
    out[i] = in[i];
  }
}
__global__ void blend(const uchar4* a, const uchar4* b, uchar4* out, std::size_t m, unsigned alpha) {
  for (std::size_t i = global_index(); i < m; i += stride()) {
    const uchar4 p = a[i], q = b[i];
    const auto mix = [alpha](unsigned u, unsigned v) {
      return static_cast<unsigned char>((u * alpha + v * (256 - alpha)) >> 8);
    };
    out[i] = make_uchar4(mix(p.x, q.x), mix(p.y, q.y), mix(p.z, q.z), mix(p.w, q.w));
  }
}
__global__ void take_field(const float* records, float2* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i < m) out[i] = *reinterpret_cast<const float2*>(records + 12 * i + 4);
}
__global__ void decay_in_place(float4* data, std::size_t m, float keep) {
  const std::size_t i = blockIdx.x * std::size_t{1024} + threadIdx.x;
  if (i >= m) return;
  float4 v = data[i];
  v.x = v.x * keep + 1, v.y = v.y * keep + 2, v.z = v.z * keep + 3, v.w = v.w * keep + 4;
  data[i] = v;
}
/// The step of an optimiser that keeps two averages of each gradient.
__global__ void step_of_adam(float* weight, float* mean, float* square, const float* gradient, std::size_t m,
                             float rate) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const float g = gradient[i], a = 0.9f * mean[i] + 0.1f * g, b = 0.999f * square[i] + 0.001f * g * g;
  mean[i] = a;
  square[i] = b;
  weight[i] -= rate * a / (sqrtf(b) + 1e-6f);
}
__global__ void running_mean(const float* in, float* out, std::size_t m) {
  const std::size_t i = (blockIdx.x * std::size_t{96} + threadIdx.x) * 4;
  if (i + 8 > m) return;
  const float4 u = *reinterpret_cast<const float4*>(in + i), v = *reinterpret_cast<const float4*>(in + i + 4);
  *reinterpret_cast<float4*>(out + i) =
      make_float4(0.25f * (u.x + u.y + u.z + u.w), 0.25f * (u.y + u.z + u.w + v.x),
                  0.25f * (u.z + u.w + v.x + v.y), 0.25f * (u.w + v.x + v.y + v.z));
}

}  // namespace

void streams(Set& s) {
  const std::size_t n = s.n, rows = n / 4096;
  s.run(
      "stereo to planes", 1.5 * s.one,
      [&] {
        split_stereo<<<Set::blocks(n / 2, 128), 128>>>(reinterpret_cast<short2*>(s.words), s.out,
                                                       s.out + n / 2, n / 2);
      },
      [&] {
        return Set::each(n / 2, [&](std::size_t i) {
          return Set::near(s.value(n / 2 + i), static_cast<short>(word_of(i) >> 16) / 32768.0);
        });
      });
  s.run(
      "copy of double2, two a thread", 2 * s.one,
      [&] {
        copy_two_doubles<<<Set::blocks(n / 4, 1024), 512>>>(reinterpret_cast<double2*>(s.in),
                                                            reinterpret_cast<double2*>(s.out), n / 4);
      },
      [&] { return Set::each(n, [&](std::size_t i) { return s.value(i) == float_of(i); }); });
  s.run(
      "two pictures blended", 1.5 * s.one,
      [&] {
        blend<<<s.sms * 6, 320>>>(reinterpret_cast<uchar4*>(s.words),
                                  reinterpret_cast<uchar4*>(s.words + n / 2),
                                  reinterpret_cast<uchar4*>(s.out), n / 2, 77);
      },
      [&] {
        return Set::each(2 * n, [&](std::size_t i) {
          return s.byte(i) == (byte_of(i) * 77 + byte_of(2 * n + i) * 179) >> 8;
        });
      });
  s.run(
      "two fields of records of 48 bytes", 16.0 * static_cast<double>(n / 12),
      [&] { take_field<<<Set::blocks(n / 12), 256>>>(s.in, reinterpret_cast<float2*>(s.out), n / 12); },
      [&] {
        return Set::each(n / 12, [&](std::size_t i) { return s.value(2 * i + 1) == float_of(12 * i + 5); });
      });
  s.run(
      "in place, blocks of 1024", 2 * s.one,
      [&] { decay_in_place<<<Set::blocks(n / 4, 1024), 1024>>>(s.vectors(), n / 4, 0.5f); },
      [&] {
        return Set::each(n, [&](std::size_t i) { return s.value(i) == 1.0f + static_cast<float>(i % 4); });
      });
  s.run(
      "step of an optimiser", 7 * s.one / 4,
      [&] {
        step_of_adam<<<Set::blocks(n / 4), 256>>>(s.out, s.out + n / 4, s.out + n / 2, s.in, n / 4, 0.01f);
      },
      [&] {
        return Set::each(n / 4, [&](std::size_t i) {
          return Set::near(s.value(n / 4 + i), 0.1 * float_of(i)) &&
                 Set::near(s.value(i), -0.01 * 0.1 / std::sqrt(0.001));
        });
      });
  s.run(
      "mean of four neighbours in registers", 2 * s.one,
      [&] { running_mean<<<Set::blocks(n / 4, 96), 96>>>(s.in, s.out, n); },
      [&] {
        return Set::each(n - 8, [&](std::size_t i) {
          return Set::near(
              s.value(i), 0.25 * (double{float_of(i)} + float_of(i + 1) + float_of(i + 2) + float_of(i + 3)));
        });
      });
  s.run(
      "memset of parts of rows", 12288.0 * static_cast<double>(rows),
      [&] { cudaMemset2DAsync(s.out, 16384, 0x3c, 12288, rows); },
      [&] {
        return Set::each(rows, [&](std::size_t y) {
          return s.number(y * 4096 + 3071) == 0x3c3c3c3cu && s.number(y * 4096 + 3072) == 0;
        });
      });
  s.run(
      "copy from an odd word", 2 * (s.one - s.one / 4096),
      [&] { cudaMemcpyAsync(s.out, s.in + 1, s.bytes - s.bytes / 4096, cudaMemcpyDeviceToDevice); },
      [&] { return Set::each(n - n / 4096, [&](std::size_t i) { return s.value(i) == float_of(i + 1); }); });
  s.run(
      "narrow columns copied", 512.0 * static_cast<double>(n / 1024),
      [&] { cudaMemcpy2DAsync(s.out, 256, s.in, 4096, 256, n / 1024, cudaMemcpyDeviceToDevice); },
      [&] {
        return Set::each(n / 16,
                         [&](std::size_t i) { return s.value(i) == float_of(i / 64 * 1024 + i % 64); });
      });
}

}  // namespace blind
