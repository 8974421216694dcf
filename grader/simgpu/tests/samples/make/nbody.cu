/// @file
/// Gravity among all pairs, bodies tile by tile in shared memory; the momentum stays.
#include <cmath>

#include "buffer.cuh"

constexpr int kThreads = 64;

__global__ void step(const float4* from, float4* to, float3* velocity, int n, float dt) {
  __shared__ float4 tile[kThreads];
  const int i = blockIdx.x * kThreads + threadIdx.x;
  const float4 me = from[i];
  float3 force = make_float3(0, 0, 0);
  for (int first = 0; first < n; first += kThreads) {
    tile[threadIdx.x] = from[first + threadIdx.x];
    __syncthreads();
#pragma unroll 8
    for (int j = 0; j < kThreads; ++j) {
      const float dx = tile[j].x - me.x, dy = tile[j].y - me.y, dz = tile[j].z - me.z;
      const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
      const float s = tile[j].w * inverse * inverse * inverse;
      force.x += s * dx;
      force.y += s * dy;
      force.z += s * dz;
    }
    __syncthreads();
  }
  float3 v = velocity[i];
  v = make_float3(v.x + dt * force.x, v.y + dt * force.y, v.z + dt * force.z);
  velocity[i] = v;
  to[i] = make_float4(me.x + dt * v.x, me.y + dt * v.y, me.z + dt * v.z, me.w);
}

int main() {
  const int n = 256;
  std::vector<float4> bodies(n);
  for (int i = 0; i < n; ++i)
    bodies[i] = make_float4(std::sin(i * 1.0f), std::cos(i * 2.0f), std::sin(i * 3.0f), 1.0f / n);
  Buffer<float4> a(bodies), b(n);
  Buffer<float3> velocity(n);
  velocity.clear();
  for (int s = 0; s < 5; ++s) {
    step<<<n / kThreads, kThreads>>>(a, b, velocity, n, 0.01f);
    swap(a, b);
  }
  CHECK_LAUNCH();
  double momentum[3] = {}, speed = 0;
  for (const float3& v : velocity.host()) {
    momentum[0] += v.x;
    momentum[1] += v.y;
    momentum[2] += v.z;
    speed += std::fabs(v.x);
  }
  std::printf("momentum %.2e %.2e %.2e\n", momentum[0], momentum[1], momentum[2]);
  return verdict(speed > 0.1 && std::fabs(momentum[0]) < 1e-4 && std::fabs(momentum[1]) < 1e-4 &&
                 std::fabs(momentum[2]) < 1e-4);
}
