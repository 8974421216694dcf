/// @file
/// A stencil of seven points, marching along z with the column in registers.
#include "buffer.cuh"

__global__ void stencil(const float* in, float* out, int nx, int ny, int nz) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
  if (x >= nx - 1 || y >= ny - 1) return;
  const int plane = nx * ny;
  int i = y * nx + x;
  float below = in[i], here = in[i + plane];
  for (int z = 1; z < nz - 1; ++z) {
    i += plane;
    const float above = in[i + plane];
    out[i] = below + above + in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] - 6.0f * here;
    below = here;
    here = above;
  }
}

int main() {
  const int nx = 34, ny = 20, nz = 12;
  std::vector<float> values(nx * ny * nz);
  for (int z = 0; z < nz; ++z)
    for (int y = 0; y < ny; ++y)
      for (int x = 0; x < nx; ++x)
        values[(z * ny + y) * nx + x] = static_cast<float>(x * x + 2 * y * y - z * z);
  Buffer<float> in(values), out(values.size());
  out.clear();
  stencil<<<dim3(divide_up(nx - 2, 32), divide_up(ny - 2, 4)), dim3(32, 4)>>>(in, out, nx, ny, nz);
  CHECK_LAUNCH();
  const auto result = out.host();
  bool right = true;  // the Laplacian of x^2 + 2 y^2 - z^2 is 4
  for (int z = 1; z < nz - 1; ++z)
    for (int y = 1; y < ny - 1; ++y)
      for (int x = 1; x < nx - 1; ++x) right = right && result[(z * ny + y) * nx + x] == 4.0f;
  return verdict(right);
}
