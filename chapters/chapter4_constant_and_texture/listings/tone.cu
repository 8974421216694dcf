/// @file
/// Lesson 4, "why is this program slow": each pixel looks its new tone up in a table of 256
/// bytes. The table lies in constant memory; then it is read with an index that all lanes
/// share. Checks both, with random and with sorted pixels.
#include "../../chapter2_shared_memory/listings/check.cuh"

// [table]
__constant__ unsigned char tone[256];

/// out[i] = tone[in[i]].
/// Launch contract: at least n threads.
__global__ void retone(const unsigned char* in, unsigned char* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = tone[in[i]];
}
// [table]

// [uniform]
/// The same table, one tone for the whole picture: all lanes read the same place.
/// Launch contract: at least n threads.
__global__ void brighten(const unsigned char* in, unsigned char* out, int n, int level) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] / 2 + tone[level] / 2;
}
// [uniform]

int main() {
  constexpr int n = 1 << 16, level = 77;
  std::vector<unsigned char> tones(256), random(n), sorted(n);
  for (int i = 0; i < 256; ++i) tones[i] = static_cast<unsigned char>(i * 167 + 13);
  unsigned int state = 1;
  for (int i = 0; i < n; ++i) {
    state = state * 1664525u + 1013904223u;
    random[i] = static_cast<unsigned char>(state >> 24);
    sorted[i] = static_cast<unsigned char>(i / 256);
  }
  must(cudaMemcpyToSymbol(tone, tones.data(), sizeof(tone)), "table");
  bool right = true;
  for (const std::vector<unsigned char>& in : {random, sorted}) {
    device_array<unsigned char> from(in), to(n);
    retone<<<n / 256, 256>>>(from.data(), to.data(), n);
    const std::vector<unsigned char> toned = to.to_host();
    brighten<<<n / 256, 256>>>(from.data(), to.data(), n, level);
    const std::vector<unsigned char> bright = to.to_host();
    for (int i = 0; i < n; ++i)
      right = right && toned[i] == tones[in[i]] && bright[i] == in[i] / 2 + tones[level] / 2;
  }
  return verdict("pixels looked up in constant memory", right);
}
