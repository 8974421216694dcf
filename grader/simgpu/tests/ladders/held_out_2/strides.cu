/// @file
/// Streams that leave gaps or begin beside a line's start, and the same records kept as structs and as arrays.
#include "held_out_2.hpp"

namespace held_out_2 {
namespace {

__global__ void read_every(const float* in, float* out, std::size_t m, int step) {
  const std::size_t i = global_index();
  if (i < m) out[i] = in[i * step] + 1.0f;
}
__global__ void write_every(const float* in, float* out, std::size_t m, int step) {
  const std::size_t i = global_index();
  if (i < m) out[i * step] = in[i] + 1.0f;
}
__global__ void shifted(const float* in, float* out, std::size_t m, int by) {
  const std::size_t i = global_index();
  if (i < m) out[i] = in[i + by] * 2.0f;
}
__global__ void reversed(const float* in, float* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i < m) out[i] = in[m - 1 - i];
}
struct Particle {
  float x, y, z, vx, vy, vz, mass;
};
__global__ void move_structs(const Particle* in, Particle* out, std::size_t m, float dt) {
  const std::size_t i = global_index();
  if (i >= m) return;
  Particle p = in[i];
  p.x += p.vx * dt, p.y += p.vy * dt, p.z += p.vz * dt;
  out[i] = p;
}
__global__ void move_arrays(const float* in, float* out, std::size_t m, float dt) {
  const std::size_t i = global_index();
  if (i >= m) return;
#pragma unroll
  for (int k = 0; k < 3; ++k) {
    const float v = in[(k + 3) * m + i];
    out[k * m + i] = in[k * m + i] + v * dt;
    out[(k + 3) * m + i] = v;
  }
  out[6 * m + i] = in[6 * m + i];
}

}  // namespace

void strides(Set& s) {
  const std::size_t n = s.n;
  for (const auto& [step, name] :
       {std::pair{2, "every second word read"}, std::pair{5, "every fifth word read"},
        std::pair{32, "every 32nd word read"}}) {
    const std::size_t m = n / 32;
    s.run(
        name, 8.0 * real(m), [&, step = step] { read_every<<<Set::blocks(m), 256>>>(s.in, s.out, m, step); },
        [&, step = step] { return floats(s, m, [&](std::size_t i) { return float_of(i * step) + 1.0; }); });
  }
  s.run(
      "every fourth word written", s.one / 2,
      [&] { write_every<<<Set::blocks(n / 16), 256>>>(s.in, s.out, n / 16, 4); },
      [&] {
        return Set::each(n / 16, [&](std::size_t i) { return Set::near(s.value(4 * i), float_of(i) + 1.0); });
      });
  s.run(
      "begun at the eleventh word", s.one,
      [&] { shifted<<<Set::blocks(n / 2), 256>>>(s.in, s.out, n / 2, 11); },
      [&] { return floats(s, n / 2, [](std::size_t i) { return 2.0 * float_of(i + 11); }); });
  s.run(
      "from the end to the start", s.one, [&] { reversed<<<Set::blocks(n / 2), 256>>>(s.in, s.out, n / 2); },
      [&] { return floats(s, n / 2, [&](std::size_t i) { return float_of(n / 2 - 1 - i); }); });
  const std::size_t particles = n / 16;
  s.run(
      "particles as structs", 56.0 * real(particles),
      [&] {
        move_structs<<<Set::blocks(particles), 256>>>(reinterpret_cast<Particle*>(s.in),
                                                      reinterpret_cast<Particle*>(s.out), particles, 0.25f);
      },
      [&] {
        return floats(s, 7 * particles,
                      [](std::size_t i) { return float_of(i) + (i % 7 < 3 ? 0.25 * float_of(i + 3) : 0.0); });
      });
  s.run(
      "particles as arrays", 56.0 * real(particles),
      [&] { move_arrays<<<Set::blocks(particles), 256>>>(s.in, s.out, particles, 0.25f); },
      [&] {
        return floats(s, 7 * particles, [&](std::size_t i) {
          return float_of(i) + (i < 3 * particles ? 0.25 * float_of(i + 3 * particles) : 0.0);
        });
      });
}

}  // namespace held_out_2
