/// @file
/// Arrays read and written from one end to the other: y = a x + y in several widths and blocks, sums of three, halves and bytes, fills.
#include "held_out_2.hpp"

namespace held_out_2 {
namespace {

__global__ void saxpy(float a, const float* x, const float* y, float* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i < m) out[i] = a * x[i] + y[i];
}
__global__ void saxpy_pairs(float a, const float2* x, const float2* y, float2* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const float2 p = x[i], q = y[i];
  out[i] = make_float2(a * p.x + q.x, a * p.y + q.y);
}
__global__ void saxpy_fours(float a, const float4* x, const float4* y, float4* out, std::size_t m) {
  for (std::size_t i = global_index(); i < m; i += stride()) {
    const float4 p = x[i], q = y[i];
    out[i] = make_float4(a * p.x + q.x, a * p.y + q.y, a * p.z + q.z, a * p.w + q.w);
  }
}
/// Each thread has four neighbours of its own, one after the other.
__global__ void saxpy_by_runs(float a, const float* x, const float* y, float* out, std::size_t m) {
  const std::size_t first = 4 * global_index();
#pragma unroll 1
  for (std::size_t i = first; i < first + 4 && i < m; ++i) out[i] = a * x[i] + y[i];
}
__global__ void scale_shorts(const unsigned short* in, unsigned short* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i < m) out[i] = static_cast<unsigned short>(in[i] * 3 + 1);
}
__global__ void invert_bytes(const unsigned char* in, unsigned char* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i < m) out[i] = static_cast<unsigned char>(~in[i]);
}
__global__ void count_up(unsigned* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i < m) out[i] = static_cast<unsigned>(i) + 7;
}
__global__ void to_doubles(const float* in, double* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i < m) out[i] = in[i] * 0.1;
}

}  // namespace

void streams(Set& s) {
  const std::size_t n = s.n;
  const auto right = [&](std::size_t count) {
    return floats(s, count, [](std::size_t i) { return 2.5 * float_of(i) + other_of(i); });
  };
  s.run(
      "saxpy, blocks of 128", 3 * s.one / 2,
      [&] { saxpy<<<Set::blocks(n / 2, 128), 128>>>(2.5f, s.in, s.other, s.out, n / 2); },
      [&] { return right(n / 2); });
  s.run(
      "saxpy, blocks of 1024", 3 * s.one / 4,
      [&] { saxpy<<<Set::blocks(n / 4, 1024), 1024>>>(2.5f, s.in, s.other, s.out, n / 4); },
      [&] { return right(n / 4); });
  s.run(
      "saxpy, blocks of 32", 3 * s.one / 8,
      [&] { saxpy<<<Set::blocks(n / 8, 32), 32>>>(2.5f, s.in, s.other, s.out, n / 8); },
      [&] { return right(n / 8); });
  s.run(
      "saxpy of float2, blocks of 512", 3 * s.one,
      [&] {
        saxpy_pairs<<<Set::blocks(n / 2, 512), 512>>>(2.5f, reinterpret_cast<float2*>(s.in),
                                                      reinterpret_cast<float2*>(s.other),
                                                      reinterpret_cast<float2*>(s.out), n / 2);
      },
      [&] { return right(n); });
  s.run(
      "saxpy of float4, four blocks an SM", 3 * s.one,
      [&] {
        saxpy_fours<<<s.sms * 4, 256>>>(2.5f, reinterpret_cast<float4*>(s.in),
                                        reinterpret_cast<float4*>(s.other), s.vectors(), n / 4);
      },
      [&] { return right(n); });
  s.run(
      "saxpy, four neighbours a thread", 3 * s.one / 8,
      [&] { saxpy_by_runs<<<Set::blocks(n / 32), 256>>>(2.5f, s.in, s.other, s.out, n / 8); },
      [&] { return right(n / 8); });
  s.run(
      "16-bit words scaled", s.one / 2,
      [&] {
        scale_shorts<<<Set::blocks(n / 2), 256>>>(reinterpret_cast<unsigned short*>(s.words),
                                                  reinterpret_cast<unsigned short*>(s.out), n / 2);
      },
      [&] {
        return Set::each(n / 2, [&](std::size_t i) {
          const unsigned w = word_of(i / 2) >> 16 * (i % 2) & 0xffff;
          return Checked::at(reinterpret_cast<unsigned short*>(s.out), i) == ((w * 3 + 1) & 0xffff);
        });
      });
  s.run(
      "bytes inverted, one a thread", s.one / 2,
      [&] {
        invert_bytes<<<Set::blocks(n), 256>>>(reinterpret_cast<unsigned char*>(s.words),
                                              reinterpret_cast<unsigned char*>(s.out), n);
      },
      [&] { return Set::each(n, [&](std::size_t i) { return s.byte(i) == (~byte_of(i) & 255); }); });
  s.run(
      "numbers written", s.one, [&] { count_up<<<Set::blocks(n), 256>>>(s.numbers(), n); },
      [&] { return numbers(s, n, [](std::size_t i) { return static_cast<unsigned>(i) + 7; }); });
  s.run(
      "floats to doubles", 1.5 * s.one,
      [&] { to_doubles<<<Set::blocks(n / 2), 256>>>(s.in, reinterpret_cast<double*>(s.out), n / 2); },
      [&] {
        return Set::each(n / 2, [&](std::size_t i) {
          return Set::near(Checked::at(reinterpret_cast<double*>(s.out), i), 0.1 * float_of(i));
        });
      });
  s.run(
      "fill by cudaMemset", s.one, [&] { cudaMemsetAsync(s.out, 0x5a, s.bytes); },
      [&] { return numbers(s, n, [](std::size_t) { return 0x5a5a5a5au; }); });
  s.run(
      "copy on the device by cudaMemcpy", 2 * s.one,
      [&] { cudaMemcpyAsync(s.out, s.in, s.bytes, cudaMemcpyDeviceToDevice); },
      [&] {
        return floats(
            s, n, [](std::size_t i) { return float_of(i); }, 0);
      });
}

}  // namespace held_out_2
