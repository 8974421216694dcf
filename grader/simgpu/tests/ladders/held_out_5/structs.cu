/// @file
/// Structs of eight words: stepped whole, the same as eight arrays, and one field of them.
#include "held_out_5.hpp"

namespace held_out_5 {
namespace {

struct Body {
  float x, y, z, mass, vx, vy, vz, age;
};
__global__ void step_structs(const Body* in, Body* out, float dt, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  Body b = in[i];
  b.vz -= 9.81f * dt;
  b.x += b.vx * dt, b.y += b.vy * dt, b.z += b.vz * dt;
  b.age += dt;
  out[i] = b;
}
/// Field f of body i lies at f * m + i.
__global__ void step_arrays(const float* in, float* out, float dt, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const float vx = in[4 * m + i], vy = in[5 * m + i], vz = in[6 * m + i] - 9.81f * dt;
  out[i] = in[i] + vx * dt;
  out[m + i] = in[m + i] + vy * dt;
  out[2 * m + i] = in[2 * m + i] + vz * dt;
  out[3 * m + i] = in[3 * m + i];
  out[4 * m + i] = vx, out[5 * m + i] = vy, out[6 * m + i] = vz;
  out[7 * m + i] = in[7 * m + i] + dt;
}
__global__ void momenta(const Body* in, float* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i < m) out[i] = in[i].mass * in[i].vx;
}
/// Field @p f after a step of 0.01; @p at tells where a field was.
double stepped(std::size_t f, const std::function<double(std::size_t)>& at) {
  const double dt = 0.01, fall = f == 2 || f == 6 ? 9.81 * dt : 0;
  if (f < 3) return at(f) + (at(f + 4) - fall) * dt;
  return f == 3 ? at(3) : f == 7 ? at(7) + dt : at(f) - fall;
}

}  // namespace

void structs(Set& s) {
  const std::size_t n = s.n, m = n / 64;
  s.run(
      "structs of eight words stepped whole", 64.0 * real(m),
      [&] {
        step_structs<<<Set::blocks(m), 256>>>(reinterpret_cast<Body*>(s.in), reinterpret_cast<Body*>(s.out),
                                              0.01f, m);
      },
      [&] {
        return within(s, 8 * m, 1e-4, [](std::size_t i) {
          return stepped(i % 8, [i](std::size_t f) { return double{float_of(i / 8 * 8 + f)}; });
        });
      });
  s.run(
      "eight arrays stepped", 64.0 * real(m),
      [&] { step_arrays<<<Set::blocks(m), 256>>>(s.in, s.out, 0.01f, m); },
      [&] {
        return within(s, 8 * m, 1e-4, [m](std::size_t i) {
          return stepped(i / m, [i, m](std::size_t f) { return double{float_of(f * m + i % m)}; });
        });
      });
  s.run(
      "momenta of structs of eight words", 12.0 * real(2 * m),
      [&] { momenta<<<Set::blocks(2 * m, 128), 128>>>(reinterpret_cast<Body*>(s.in), s.out, 2 * m); },
      [&] {
        return floats(s, 2 * m,
                      [](std::size_t i) { return double{float_of(8 * i + 3)} * float_of(8 * i + 4); });
      });
}

}  // namespace held_out_5
