/// @file
/// Structs: particles that fall and bounce, points turned by quaternions, one field of many summed,
/// triangles' areas through indices of their corners.
#include "held_out_6.hpp"

namespace held_out_6 {
namespace {

struct Ball {
  float x, y, z, radius, vx, vy, vz, mass;
};
__global__ void fall(const Ball* in, Ball* out, float step, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  Ball ball = in[i];
  ball.vz -= 9.81f * step;
  ball.x += ball.vx * step, ball.y += ball.vy * step, ball.z += ball.vz * step;
  if (ball.z < ball.radius) {
    ball.z = 2.0f * ball.radius - ball.z;
    ball.vz = -0.9f * ball.vz;
  }
  out[i] = ball;
}
struct Quaternion {
  float w, x, y, z;
};
struct Point {
  float x, y, z;
};
__device__ __forceinline__ Point cross(const Point& a, const Point& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
__global__ void turn(const Quaternion* by, const Point* in, Point* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  Quaternion q = by[i];
  const float scale = rsqrtf(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
  q.w *= scale, q.x *= scale, q.y *= scale, q.z *= scale;
  const Point p = in[i], axis{q.x, q.y, q.z};
  Point t = cross(axis, p);
  t.x *= 2, t.y *= 2, t.z *= 2;
  const Point u = cross(axis, t);
  out[i] = {p.x + q.w * t.x + u.x, p.y + q.w * t.y + u.y, p.z + q.w * t.z + u.z};
}
/// What a reading of a station is: only one field is asked for.
struct Reading {
  unsigned station, hour;
  float temperature, pressure, wind;
};
__global__ void warmest(const Reading* in, float* out, std::size_t m) {
  float most = 0;
  for (std::size_t i = global_index(); i < m; i += stride()) most = fmaxf(most, in[i].temperature);
  for (int d = 16; d > 0; d /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, d));
  if (threadIdx.x % 32 == 0) atomicMax(reinterpret_cast<int*>(out), __float_as_int(most));
}
struct Triangle {
  unsigned a, b, c;
};
__global__ void areas(const Triangle* triangles, const Point* corners, float* out, unsigned many,
                      std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const Triangle t = triangles[i];
  const Point a = corners[ladder::place_of(t.a, many)], b = corners[ladder::place_of(t.b, many)],
              c = corners[ladder::place_of(t.c, many)];
  const Point n = cross({b.x - a.x, b.y - a.y, b.z - a.z}, {c.x - a.x, c.y - a.y, c.z - a.z});
  out[i] = 0.5f * sqrtf(n.x * n.x + n.y * n.y + n.z * n.z);
}

}  // namespace

void structs(Set& s) {
  const std::size_t n = s.n, balls = n / 64, points = n / 32;
  s.run(
      "balls that fall and bounce", 64.0 * real(balls),
      [&] {
        fall<<<Set::blocks(balls, 128), 128>>>(reinterpret_cast<Ball*>(s.in), reinterpret_cast<Ball*>(s.out),
                                               0.125f, balls);
      },
      [&] {
        return within(s, balls * 8, 1e-3, [](std::size_t i) {
          double b[8];
          for (std::size_t k = 0; k < 8; ++k) b[k] = float_of(i / 8 * 8 + k);
          b[6] -= 9.81 * 0.125;
          for (int k = 0; k < 3; ++k) b[k] += b[4 + k] * 0.125;
          if (b[2] < b[3]) b[2] = 2 * b[3] - b[2], b[6] *= -0.9;
          return b[i % 8];
        });
      });
  s.run(
      "points turned by quaternions", 40.0 * real(points),
      [&] {
        turn<<<Set::blocks(points), 256>>>(reinterpret_cast<Quaternion*>(s.other),
                                           reinterpret_cast<Point*>(s.in), reinterpret_cast<Point*>(s.out),
                                           points);
      },
      [&] {
        return within(s, points * 3, 1e-3, [](std::size_t i) {
          const std::size_t k = i / 3;
          double q[4], p[3], length = 0;
          for (std::size_t j = 0; j < 4; ++j) q[j] = other_of(4 * k + j), length += q[j] * q[j];
          for (double& v : q) v /= std::sqrt(length);
          for (std::size_t j = 0; j < 3; ++j) p[j] = float_of(3 * k + j);
          const double w = q[0], x = q[1], y = q[2], z = q[3];
          const double rows[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                                     {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                                     {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
          const auto& r = rows[i % 3];
          return r[0] * p[0] + r[1] * p[1] + r[2] * p[2];
        });
      });
  const std::size_t readings = n / 20;
  s.run(
      "greatest of one field in five", 4.0 * 5 * real(readings),
      [&] {
        cudaMemsetAsync(s.out, 0, 4);
        warmest<<<s.sms * 8, 256>>>(reinterpret_cast<Reading*>(s.in), s.out, readings);
      },
      [&] {
        float most = 0;
        for (std::size_t i = 0; i < readings; ++i) most = std::max(most, float_of(5 * i + 2));
        return s.value(0) == most;
      });
  const std::size_t triangles = n / 64;
  const unsigned corners = as_number(n / 256);
  s.run(
      "areas of triangles through corners", 52.0 * real(triangles),
      [&] {
        areas<<<Set::blocks(triangles), 256>>>(reinterpret_cast<Triangle*>(s.words),
                                               reinterpret_cast<Point*>(s.in), s.out, corners, triangles);
      },
      [&] {
        return within(s, triangles, 5e-3, [&](std::size_t i) {
          double p[3][3];
          for (std::size_t k = 0; k < 3; ++k)
            for (std::size_t j = 0; j < 3; ++j)
              p[k][j] = float_of(std::size_t{3} * place_of(word_of(3 * i + k), corners) + j);
          double u[3], v[3];
          for (int j = 0; j < 3; ++j) u[j] = p[1][j] - p[0][j], v[j] = p[2][j] - p[0][j];
          const double x = u[1] * v[2] - u[2] * v[1], y = u[2] * v[0] - u[0] * v[2],
                       z = u[0] * v[1] - u[1] * v[0];
          return 0.5 * std::sqrt(x * x + y * y + z * z);
        });
      });
}

}  // namespace held_out_6
