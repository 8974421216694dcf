// Every combination of geometry (1D, 2D, 3D), filter, address mode and coordinates, against a formula on the host.
#include "program.hpp"

constexpr int kWidth = 13, kHeight = 7, kDepth = 5, kPoints = 512;

__global__ void fetch(cudaTextureObject_t texture, int dimensions, const float* x, const float* y,
                      const float* z, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (dimensions == 1) out[i] = tex1D<float>(texture, x[i]);
  if (dimensions == 2) out[i] = tex2D<float>(texture, x[i], y[i]);
  if (dimensions == 3) out[i] = tex3D<float>(texture, x[i], y[i], z[i]);
}

struct Mode {
  int dimensions;
  bool linear, normalized;
  cudaTextureAddressMode address;
};

static std::vector<float> texels;

static float at(const Mode& m, const long* index) {
  const long size[3] = {kWidth, kHeight, kDepth};
  long i[3] = {0, 0, 0};
  for (int d = 0; d < m.dimensions; ++d) {
    long n = size[d], k = index[d];
    cudaTextureAddressMode mode = m.address;
    if (!m.normalized && (mode == cudaAddressModeWrap || mode == cudaAddressModeMirror))
      mode = cudaAddressModeClamp;
    if (mode == cudaAddressModeClamp) k = k < 0 ? 0 : k >= n ? n - 1 : k;
    if (mode == cudaAddressModeWrap) k = ((k % n) + n) % n;
    if (mode == cudaAddressModeMirror) {
      k = ((k % (2 * n)) + 2 * n) % (2 * n);
      if (k >= n) k = 2 * n - 1 - k;
    }
    if (k < 0 || k >= n) return 0;
    i[d] = k;
  }
  return texels[(i[2] * kHeight + i[1]) * kWidth + i[0]];
}

static float expected(const Mode& m, const float* u) {
  const long size[3] = {kWidth, kHeight, kDepth};
  double x[3];
  for (int d = 0; d < 3; ++d) x[d] = d < m.dimensions ? (m.normalized ? double(u[d]) * size[d] : u[d]) : 0;
  long first[3] = {0, 0, 0};
  double weight[3] = {0, 0, 0};
  if (!m.linear) {
    for (int d = 0; d < m.dimensions; ++d) first[d] = long(std::floor(x[d]));
    return at(m, first);
  }
  for (int d = 0; d < m.dimensions; ++d) {
    const double b = x[d] - 0.5;
    first[d] = long(std::floor(b));
    weight[d] = std::floor((b - first[d]) * 256 + 0.5) / 256;
  }
  double sum = 0;
  for (int corner = 0; corner < 1 << m.dimensions; ++corner) {
    double w = 1;
    long i[3];
    for (int d = 0; d < 3; ++d) {
      const int next = corner >> d & 1;
      i[d] = first[d] + next;
      if (d < m.dimensions) w *= next ? weight[d] : 1 - weight[d];
    }
    sum += w * at(m, i);
  }
  // To the hardware, a row lies in a plane of height 1: a linear filter takes half from the border above it (black here).
  if (m.dimensions == 1 && m.address == cudaAddressModeBorder) sum /= 2;
  return float(sum);
}

int main() {
  texels.resize(kWidth * kHeight * kDepth);
  unsigned state = 1;
  auto random = [&] { return (state = state * 1664525u + 1013904223u) >> 8; };
  for (float& t : texels) t = float(random() % 1000) / 10;

  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t arrays[4] = {};
  CHECK(cudaMallocArray(&arrays[1], &format, kWidth));
  CHECK(
      cudaMemcpy2DToArray(arrays[1], 0, 0, texels.data(), kWidth * 4, kWidth * 4, 1, cudaMemcpyHostToDevice));
  CHECK(cudaMallocArray(&arrays[2], &format, kWidth, kHeight));
  CHECK(cudaMemcpy2DToArray(arrays[2], 0, 0, texels.data(), kWidth * 4, kWidth * 4, kHeight,
                            cudaMemcpyHostToDevice));
  CHECK(cudaMalloc3DArray(&arrays[3], &format, make_cudaExtent(kWidth, kHeight, kDepth)));
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(texels.data(), kWidth * 4, kWidth, kHeight);
  copy.dstArray = arrays[3];
  copy.extent = make_cudaExtent(kWidth, kHeight, kDepth);
  copy.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3D(&copy));

  float* out = nullptr;
  CHECK(cudaMalloc(&out, kPoints * sizeof(float)));
  int combinations = 0;
  for (int dimensions = 1; dimensions <= 3; ++dimensions)
    for (int linear = 0; linear < 2; ++linear)
      for (int normalized = 0; normalized < 2; ++normalized)
        for (const auto address :
             {cudaAddressModeWrap, cudaAddressModeClamp, cudaAddressModeMirror, cudaAddressModeBorder}) {
          const Mode m{dimensions, linear != 0, normalized != 0, address};
          cudaResourceDesc resource = {};
          resource.resType = cudaResourceTypeArray;
          resource.res.array.array = arrays[dimensions];
          cudaTextureDesc description = {};
          for (auto& a : description.addressMode) a = address;
          description.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
          description.readMode = cudaReadModeElementType;
          description.normalizedCoords = normalized;
          cudaTextureObject_t texture = 0;
          CHECK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));

          const int size[3] = {kWidth, kHeight, kDepth};
          std::vector<float> u[3];
          for (int d = 0; d < 3; ++d) {
            u[d].resize(kPoints);
            for (float& v : u[d]) {
              // Places a sixty-fourth of a texel apart, off the edges between texels and between weights.
              const double texel = -2.0 * size[d] + (random() % (5u * size[d] * 64)) / 64.0 + 1.0 / 1024;
              v = float(normalized ? texel / size[d] : texel);
            }
          }
          float *x = to_device(u[0]), *y = to_device(u[1]), *z = to_device(u[2]);
          fetch<<<(kPoints + 127) / 128, 128>>>(texture, dimensions, x, y, z, out, kPoints);
          CHECK(cudaGetLastError());
          const std::vector<float> got = to_host(out, kPoints);
          for (int i = 0; i < kPoints; ++i) {
            const float place[3] = {u[0][i], u[1][i], u[2][i]};
            const float want = expected(m, place);
            // Linear: a coordinate may be rounded to the neighbouring weight; texels differ by at most 100.
            const float tolerance = linear ? 100.0f / 256 * dimensions + 0.01f : 0;
            if (std::fabs(got[i] - want) > tolerance) {
              std::printf("%dD linear %d normalized %d address %d at (%g, %g, %g): %g, expected %g\n",
                          dimensions, linear, normalized, int(address), place[0], place[1], place[2], got[i],
                          want);
              return 1;
            }
          }
          CHECK(cudaFree(x));
          CHECK(cudaFree(y));
          CHECK(cudaFree(z));
          CHECK(cudaDestroyTextureObject(texture));
          ++combinations;
        }
  EXPECT(combinations == 48);
  for (int d = 1; d <= 3; ++d) CHECK(cudaFreeArray(arrays[d]));
  CHECK(cudaFree(out));
  return ok();
}
