/// @file
/// Records and places written: structs of 28 bytes moved on, marks at random, charges shared among cells.
#include "held_out_4.hpp"

namespace held_out_4 {
namespace {

struct Ball {
  float x, y, z, vx, vy, vz, mass;
};
__host__ __device__ __forceinline__ Ball moved_on(Ball b) {
  const float pull = -0.01f * b.mass;
  b.vx += pull * b.x, b.vy += pull * b.y, b.vz += pull * b.z - 0.098f;
  b.x += 0.01f * b.vx, b.y += 0.01f * b.vy, b.z += 0.01f * b.vz;
  return b;
}
__global__ void move_balls(const Ball* in, Ball* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i < m) out[i] = moved_on(in[i]);
}
__global__ void mark(const unsigned* in, unsigned char* out, unsigned places, std::size_t m) {
  const std::size_t i = global_index();
  if (i < m) out[place_of(in[i], places)] = 1;
}
constexpr unsigned kRecordsWidth = 512;
/// A charge goes to the four cells around it, by how near they are.
__global__ void share_out(const float2* in, float* cells, unsigned height, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const float2 at = in[i];
  const float x = at.x * 72.0f, y = at.y / 7.1f * static_cast<float>(height - 1);
  const unsigned cx = static_cast<unsigned>(x), cy = static_cast<unsigned>(y);
  const float fx = x - static_cast<float>(cx), fy = y - static_cast<float>(cy);
  float* cell = cells + cy * kRecordsWidth + cx;
  atomicAdd(cell, (1 - fx) * (1 - fy));
  atomicAdd(cell + 1, fx * (1 - fy));
  atomicAdd(cell + kRecordsWidth, (1 - fx) * fy);
  atomicAdd(cell + kRecordsWidth + 1, fx * fy);
}

}  // namespace

void records(Set& s) {
  const std::size_t n = s.n, balls = n / 64;
  s.run(
      "records of 28 bytes moved on", 56.0 * real(balls),
      [&] {
        move_balls<<<Set::blocks(balls), 256>>>(reinterpret_cast<Ball*>(s.in), reinterpret_cast<Ball*>(s.out),
                                                balls);
      },
      [&] {
        return within(s, 7 * balls, 1e-4, [](std::size_t i) {
          float v[7];
          for (std::size_t k = 0; k < 7; ++k) v[k] = float_of(i / 7 * 7 + k);
          Ball ball;
          std::memcpy(&ball, v, sizeof ball);
          ball = moved_on(ball);
          std::memcpy(v, &ball, sizeof ball);
          return double{v[i % 7]};
        });
      });
  const unsigned places = as_number(n / 4);
  const std::size_t marks = n / 64;
  s.run(
      "marks of a byte at random", 5.0 * real(marks),
      [&] {
        mark<<<Set::blocks(marks), 256>>>(s.words, reinterpret_cast<unsigned char*>(s.out), places, marks);
      },
      [&] {
        std::vector<bool> want(places);
        for (std::size_t i = 0; i < marks; ++i) want[place_of(word_of(i), places)] = true;
        return Set::each(places - 256, [&](std::size_t first) {
          unsigned some = 0;
          const auto got = taken(reinterpret_cast<unsigned char*>(s.out) + first, 256);
          for (std::size_t k = 0; k < 256; ++k) {
            if (got[k] != (want[first + k] ? 1 : 0)) return false;
            some += got[k];
          }
          return some > 0;
        });
      });
  const unsigned height = as_number(n >> 17);
  const std::size_t charges = n / 128;
  s.run(
      "charges shared among four cells", 40.0 * real(charges),
      [&] {
        cudaMemsetAsync(s.out, 0, height * kRecordsWidth * std::size_t{4});
        share_out<<<Set::blocks(charges), 256>>>(reinterpret_cast<float2*>(s.in), s.out, height, charges);
      },
      [&] {
        std::vector<double> want(height * std::size_t{kRecordsWidth});
        for (std::size_t i = 0; i < charges; ++i) {
          const float x = float_of(2 * i) * 72.0f,
                      y = float_of(2 * i + 1) / 7.1f * static_cast<float>(height - 1);
          const unsigned cx = static_cast<unsigned>(x), cy = static_cast<unsigned>(y);
          const double fx = double{x} - cx, fy = double{y} - cy;
          double* cell = want.data() + cy * kRecordsWidth + cx;
          cell[0] += (1 - fx) * (1 - fy), cell[1] += fx * (1 - fy);
          cell[kRecordsWidth] += (1 - fx) * fy, cell[kRecordsWidth + 1] += fx * fy;
        }
        // All of them: columns at the sides have none.
        const std::vector<float> got = taken(s.out, want.size());
        double sum = 0;
        for (std::size_t i = 0; i < want.size(); ++i) {
          sum += double{got[i]};
          if (std::abs(got[i] - want[i]) > 0.01) return false;
        }
        return Set::near(sum, real(charges));
      });
}

}  // namespace held_out_4
