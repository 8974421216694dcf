/// @file
/// Streams of elements of 8 and 16 bytes, a stride, rows that begin anywhere, and structs: points of twelve
/// bytes turned, records of twenty of which a few are changed.
#include "held_out_10.hpp"

namespace held_out_10 {
namespace {

__global__ void greater_of_two(const float2* a, const float2* b, float2* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const float2 x = a[i], y = b[i];
  out[i] = make_float2(fmaxf(x.x, y.x), fmaxf(x.y, y.y));
}

constexpr double kDivisor = 3.7;
__global__ void divide_doubles(const double2* in, double2* out, double by, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const double2 v = in[i];
  out[i] = make_double2(v.x / by, v.y / by);
}

constexpr unsigned kSeventh = 7;
__global__ void square_each_seventh(const float* in, float* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const float v = in[kSeventh * i];
  out[i] = v * v;
}

constexpr unsigned kRowOfSource = 131, kFirstColumn = 17, kWindow = 100;
__global__ void cut_window(const float* in, float* out, unsigned rows) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < kWindow && y < rows)
    out[std::size_t{y} * kWindow + x] = in[std::size_t{y} * kRowOfSource + kFirstColumn + x];
}

struct PointInSpace {
  float x, y, z;
};
__global__ void turn_points(const PointInSpace* in, PointInSpace* out, float sine, float cosine,
                            std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const PointInSpace p = in[i];
  out[i] = {cosine * p.x - sine * p.y, sine * p.x + cosine * p.y, p.z + 1.0f};
}

struct LoanRecord {
  unsigned due, times, kind;
  float paid, rate;
};
constexpr unsigned kEachDue = 8;
__global__ void count_up_due(LoanRecord* records, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  if (records[i].due % kEachDue == 0) records[i].times += 1;
}

}  // namespace

void streams(Set& s) {
  const std::size_t n = s.n;
  const std::size_t pairs = n / 8;
  s.run(
      "greater floats of two arrays, eight bytes a thread", 24.0 * real(pairs),
      [&] {
        greater_of_two<<<Set::blocks(pairs), 256>>>(reinterpret_cast<const float2*>(s.in),
                                                    reinterpret_cast<const float2*>(s.other),
                                                    reinterpret_cast<float2*>(s.out), pairs);
      },
      [&] { return floats(s, 2 * pairs, [](std::size_t i) { return std::max(float_of(i), other_of(i)); }); });
  const std::size_t twos = n / 16;
  s.run(
      "doubles divided by a number, two a thread", 32.0 * real(twos),
      [&] {
        divide_doubles<<<Set::blocks(twos), 256>>>(reinterpret_cast<const double2*>(s.in),
                                                   reinterpret_cast<double2*>(s.out), kDivisor, twos);
      },
      [&] { return doubles(s, 2 * twos, [](std::size_t i) { return double_of(i) / kDivisor; }); });
  const std::size_t sevenths = n / 16;
  s.run(
      "squares of each seventh float side by side", 32.0 * real(sevenths),
      [&] { square_each_seventh<<<Set::blocks(sevenths), 256>>>(s.in, s.out, sevenths); },
      [&] {
        return floats(s, sevenths, [](std::size_t i) { return std::pow(double{float_of(kSeventh * i)}, 2); });
      });
  const unsigned rows = as_number(n / 4 / kRowOfSource);
  s.run(
      "windows of 100 columns cut out of rows of 131", 8.0 * kWindow * rows,
      [&] { cut_window<<<dim3(4, Set::blocks(rows, 8)), dim3(32, 8)>>>(s.in, s.out, rows); },
      [&] {
        return floats(s, std::size_t{kWindow} * rows, [](std::size_t i) {
          return double{float_of(i / kWindow * kRowOfSource + kFirstColumn + i % kWindow)};
        });
      });

  const std::size_t points = n / 12;
  const float sine = std::sin(0.4f), cosine = std::cos(0.4f);
  s.run(
      "points of twelve bytes turned around an axis", 24.0 * real(points),
      [&] {
        turn_points<<<Set::blocks(points), 256>>>(reinterpret_cast<const PointInSpace*>(s.in),
                                                  reinterpret_cast<PointInSpace*>(s.out), sine, cosine,
                                                  points);
      },
      [&] {
        return within(s, 3 * points, 1e-4, [&](std::size_t i) {
          const double x = float_of(i / 3 * 3), y = float_of(i / 3 * 3 + 1), z = float_of(i / 3 * 3 + 2);
          return i % 3 == 0 ? cosine * x - sine * y : i % 3 == 1 ? sine * x + cosine * y : z + 1.0;
        });
      });
  const std::size_t loans = n / 16;
  auto* records = room<LoanRecord>(loans);
  ladder::check(cudaMemcpy(records, s.words, loans * sizeof(LoanRecord), cudaMemcpyDeviceToDevice), "copy");
  s.run(
      "records of twenty bytes counted up where they are due", 24.0 * real(loans),
      [&] { count_up_due<<<Set::blocks(loans), 256>>>(records, loans); },
      [&] {
        const auto got = taken(records, loans);
        for (std::size_t i = 0; i < loans; i += 1 + loans / 1000) {
          const unsigned due = word_of(5 * i), times = word_of(5 * i + 1);
          if (got[i].due != due || got[i].times != times + (due % kEachDue == 0 ? 1 : 0)) return false;
        }
        return true;
      });
  cudaFree(records);
}

}  // namespace held_out_10
