/// @file
/// Lesson 3, "records or arrays": records of four floats are taken apart. One word at the
/// struct decides whether a lane asks for its record in four requests or in one. Checks both.
#include "../../chapter2_shared_memory/listings/check.cuh"

// [structs]
/// One weather report: 16 bytes. The compiler knows only that it begins at a multiple of 4.
struct report {
  float temperature, pressure, humidity, wind;
};

/// The same 16 bytes, and the promise that each begins at a multiple of 16.
struct alignas(16) aligned_report {
  float temperature, pressure, humidity, wind;
};
// [structs]

// [kernel]
/// Takes reports apart.
/// Launch contract: at least n threads.
template <typename Report>
__global__ void take_apart(const Report* in, float* temperature, float* pressure,
                           float* humidity, float* wind, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const Report r = in[i];  // four requests of 4 bytes a lane, or one of 16?
  temperature[i] = r.temperature;
  pressure[i] = r.pressure;
  humidity[i] = r.humidity;
  wind[i] = r.wind;
}
// [kernel]

template <typename Report>
bool right(int n) {
  std::vector<Report> in(n);
  const std::vector<float> values = different_values(std::size_t{4} * n);
  for (int i = 0; i < n; ++i)
    in[i] = {values[4 * i], values[4 * i + 1], values[4 * i + 2], values[4 * i + 3]};
  device_array<Report> from(in);
  device_array<float> t(n), p(n), h(n), w(n);
  take_apart<<<(n + 255) / 256, 256>>>(from.data(), t.data(), p.data(), h.data(), w.data(), n);
  const std::vector<float> fields[] = {t.to_host(), p.to_host(), h.to_host(), w.to_host()};
  bool well = true;
  for (int i = 0; i < n; ++i)
    for (int f = 0; f < 4; ++f) well = well && fields[f][i] == values[4 * i + f];
  return well;
}

int main() {
  bool all = true;
  for (const int n : {1, 255, 2048}) all = all && right<report>(n) && right<aligned_report>(n);
  return verdict("reports taken apart in two ways", all);
}
