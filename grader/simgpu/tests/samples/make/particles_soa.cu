/// @file
/// Particles under gravity, as arrays in a struct and as a struct of arrays: the same way, bit by bit.
#include "buffer.cuh"

struct Particle {
  float x, y, vx, vy;
};
struct Particles {
  float *x, *y, *vx, *vy;
};

__global__ void move(Particle* p, int n, float dt) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  p[i].vy -= 9.81f * dt;
  p[i].x += p[i].vx * dt;
  p[i].y += p[i].vy * dt;
}
__global__ void move(Particles p, int n, float dt) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  p.vy[i] -= 9.81f * dt;
  p.x[i] += p.vx[i] * dt;
  p.y[i] += p.vy[i] * dt;
}

int main() {
  const int n = 1000;
  std::vector<Particle> start(n);
  std::vector<float> x(n), y(n), vx(n), vy(n);
  for (int i = 0; i < n; ++i) {
    start[i] = {i * 0.1f, 0, i * 0.01f, 20.0f};
    x[i] = start[i].x, y[i] = start[i].y, vx[i] = start[i].vx, vy[i] = start[i].vy;
  }
  Buffer<Particle> together(start);
  Buffer<float> d_x(x), d_y(y), d_vx(vx), d_vy(vy);
  for (int step = 0; step < 5; ++step) {
    move<<<divide_up(n, 256), 256>>>(together, n, 0.01f);
    move<<<divide_up(n, 256), 256>>>(Particles{d_x, d_y, d_vx, d_vy}, n, 0.01f);
  }
  CHECK_LAUNCH();
  bool right = true;
  const auto a = together.host();
  x = d_x.host(), y = d_y.host();
  for (int i = 0; i < n; ++i) right = right && a[i].x == x[i] && a[i].y == y[i] && y[i] > 0.9f;
  return verdict(right);
}
