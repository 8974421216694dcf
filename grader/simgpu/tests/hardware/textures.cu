/// @file
/// Texture fetches and surface accesses of every sort, the same samples on a real GPU and on the simulated one:
///
///     textures [--all]
///
/// One line a configuration: its name, the first samples (four channels each, as bits), a hash over all; `--all`: all samples.
#include <cuda_fp16.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "check.cuh"

constexpr int kSamples = 512;
static bool print_all = false;

// ---------------------------------------------------------------------------------------------------------------- kernels

enum Geometry { k1d, k2d, k3d, kA1d, kA2d, kCube, kACube, kFetch, k2dInteger, kGather, kLevel, kGradient };

// One fetch of four values of a type: its PTX name and the constraint of its registers.
#define FETCHES(T, type, constraint)                                                                         \
  __device__ void fetch(int geometry, int channel, unsigned long long texture, float4 c, int layer, T* r) {  \
    const int x = static_cast<int>(c.x), y = static_cast<int>(c.y);                                          \
    switch (geometry) {                                                                                      \
      case k1d:                                                                                              \
        ONE("tex.1d.v4." type ".f32", "[%4, {%5}]", constraint, "f"(c.x));                                   \
        break;                                                                                               \
      case k2d:                                                                                              \
        ONE("tex.2d.v4." type ".f32", "[%4, {%5, %6}]", constraint, "f"(c.x), "f"(c.y));                     \
        break;                                                                                               \
      case k3d:                                                                                              \
        ONE("tex.3d.v4." type ".f32", "[%4, {%5, %6, %7, %7}]", constraint, "f"(c.x), "f"(c.y), "f"(c.z));   \
        break;                                                                                               \
      case kA1d:                                                                                             \
        ONE("tex.a1d.v4." type ".f32", "[%4, {%5, %6}]", constraint, "r"(layer), "f"(c.x));                  \
        break;                                                                                               \
      case kA2d:                                                                                             \
        ONE("tex.a2d.v4." type ".f32", "[%4, {%5, %6, %7, %7}]", constraint, "r"(layer), "f"(c.x),           \
            "f"(c.y));                                                                                       \
        break;                                                                                               \
      case kCube:                                                                                            \
        ONE("tex.cube.v4." type ".f32", "[%4, {%5, %6, %7, %7}]", constraint, "f"(c.x), "f"(c.y), "f"(c.z)); \
        break;                                                                                               \
      case kACube:                                                                                           \
        ONE("tex.acube.v4." type ".f32", "[%4, {%5, %6, %7, %8}]", constraint, "r"(layer), "f"(c.x),         \
            "f"(c.y), "f"(c.z));                                                                             \
        break;                                                                                               \
      case kFetch:                                                                                           \
        ONE("tex.1d.v4." type ".s32", "[%4, {%5}]", constraint, "r"(x));                                     \
        break;                                                                                               \
      case k2dInteger:                                                                                       \
        ONE("tex.2d.v4." type ".s32", "[%4, {%5, %6}]", constraint, "r"(x), "r"(y));                         \
        break;                                                                                               \
      case kLevel:                                                                                           \
        ONE("tex.level.2d.v4." type ".f32", "[%4, {%5, %6}], %7", constraint, "f"(c.x), "f"(c.y), "f"(c.w)); \
        break;                                                                                               \
      case kGradient:                                                                                        \
        ONE("tex.grad.2d.v4." type ".f32", "[%4, {%5, %6}], {%7, %8}, {%8, %7}", constraint, "f"(c.x),       \
            "f"(c.y), "f"(c.z), "f"(c.w));                                                                   \
        break;                                                                                               \
      default:                                                                                               \
        if (channel == 0)                                                                                    \
          ONE("tld4.r.2d.v4." type ".f32", "[%4, {%5, %6}]", constraint, "f"(c.x), "f"(c.y));                \
        if (channel == 1)                                                                                    \
          ONE("tld4.g.2d.v4." type ".f32", "[%4, {%5, %6}]", constraint, "f"(c.x), "f"(c.y));                \
        if (channel == 2)                                                                                    \
          ONE("tld4.b.2d.v4." type ".f32", "[%4, {%5, %6}]", constraint, "f"(c.x), "f"(c.y));                \
        if (channel == 3)                                                                                    \
          ONE("tld4.a.2d.v4." type ".f32", "[%4, {%5, %6}]", constraint, "f"(c.x), "f"(c.y));                \
    }                                                                                                        \
  }
#define ONE(opcode, place, constraint, ...)                                             \
  asm volatile(opcode " {%0, %1, %2, %3}, " place ";"                                   \
               : constraint(r[0]), constraint(r[1]), constraint(r[2]), constraint(r[3]) \
               : "l"(texture), __VA_ARGS__)
FETCHES(float, "f32", "=f")
FETCHES(unsigned, "u32", "=r")
FETCHES(int, "s32", "=r")

template <class T>
__global__ void sample(int geometry, int channel, cudaTextureObject_t texture, const float4* coordinates,
                       const int* layers, uint4* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  T r[4] = {};
  fetch(geometry, channel, texture, coordinates[i], layers[i], r);
  uint4 bits;
  memcpy(&bits, r, 16);
  out[i] = bits;
}

// Surface accesses: a load of the element at the sample's place, after a store that the same thread made there or beside it.
#define SURFACE(name, ...)                                                            \
  __global__ void name(cudaSurfaceObject_t surface, const int4* places, uint4* out) { \
    const int i = blockIdx.x * blockDim.x + threadIdx.x;                              \
    const int4 p = places[i];                                                         \
    uint4 r = make_uint4(i * 0x01010101u, ~i, i << 16, 0x3F800000u + i);              \
    (void)p;                                                                          \
    __VA_ARGS__                                                                       \
    out[i] = r;                                                                       \
  }
#define LOAD(opcode, coordinates)                                     \
  asm volatile(opcode " %0, [%1, " coordinates "];"                   \
               : "=r"(r.x)                                            \
               : "l"(surface), "r"(p.x), "r"(p.y), "r"(p.z), "r"(p.w) \
               : "memory")
#define LOAD4(opcode, coordinates)                                    \
  asm volatile(opcode " {%0, %1, %2, %3}, [%4, " coordinates "];"     \
               : "=r"(r.x), "=r"(r.y), "=r"(r.z), "=r"(r.w)           \
               : "l"(surface), "r"(p.x), "r"(p.y), "r"(p.z), "r"(p.w) \
               : "memory")
#define STORE(opcode, coordinates)                                                                          \
  asm volatile(opcode " [%1, " coordinates "], %0;" ::"r"(r.x), "l"(surface), "r"(p.x), "r"(p.y), "r"(p.z), \
               "r"(p.w)                                                                                     \
               : "memory")
#define STORE4(opcode, coordinates)                                                                         \
  asm volatile(opcode " [%4, " coordinates "], {%0, %1, %2, %3};" ::"r"(r.x), "r"(r.y), "r"(r.z), "r"(r.w), \
               "l"(surface), "r"(p.x), "r"(p.y), "r"(p.z), "r"(p.w)                                         \
               : "memory")
SURFACE(load_1d_clamp, LOAD("suld.b.1d.b32.clamp", "{%2}");)
SURFACE(load_1d_zero, LOAD("suld.b.1d.b32.zero", "{%2}");)
SURFACE(load_2d_clamp, LOAD("suld.b.2d.b32.clamp", "{%2, %3}");)
SURFACE(load_2d_zero, LOAD("suld.b.2d.b32.zero", "{%2, %3}");)
SURFACE(load_3d_clamp, LOAD("suld.b.3d.b32.clamp", "{%2, %3, %4, %4}");)
SURFACE(load_3d_zero, LOAD("suld.b.3d.b32.zero", "{%2, %3, %4, %4}");)
SURFACE(load_a1d_clamp, LOAD("suld.b.a1d.b32.clamp", "{%5, %2}");)
SURFACE(load_a1d_zero, LOAD("suld.b.a1d.b32.zero", "{%5, %2}");)
SURFACE(load_a2d_clamp, LOAD("suld.b.a2d.b32.clamp", "{%5, %2, %3, %3}");)
SURFACE(load_a2d_zero, LOAD("suld.b.a2d.b32.zero", "{%5, %2, %3, %3}");)
SURFACE(load_2d_v4_clamp, LOAD4("suld.b.2d.v4.b32.clamp", "{%5, %6}");)
SURFACE(load_2d_v4_zero, LOAD4("suld.b.2d.v4.b32.zero", "{%5, %6}");)
SURFACE(store_2d_clamp, STORE("sust.b.2d.b32.clamp", "{%2, %3}");)
SURFACE(store_2d_zero, STORE("sust.b.2d.b32.zero", "{%2, %3}");)
SURFACE(store_3d_zero, STORE("sust.b.3d.b32.zero", "{%2, %3, %4, %4}");)
SURFACE(store_a2d_zero, STORE("sust.b.a2d.b32.zero", "{%5, %2, %3, %3}");)
SURFACE(store_2d_v4_zero, STORE4("sust.b.2d.v4.b32.zero", "{%5, %6}");)
SURFACE(store_texels_zero, STORE4("sust.p.2d.v4.b32.zero", "{%5, %6}");)
SURFACE(reduce_zero, STORE("sured.b.add.2d.u32.zero", "{%2, %3}");)
SURFACE(reduce_texels_zero, STORE("sured.p.max.2d.b32.zero", "{%2, %3}");)
SURFACE(reduce_signed_zero, STORE("sured.b.min.2d.s32.zero", "{%2, %3}");)

__global__ void queries(cudaTextureObject_t texture, cudaSurfaceObject_t surface, unsigned* out) {
  unsigned n = 0;
#define QUERY(opcode, object) asm volatile(opcode " %0, [%1];" : "=r"(out[n++]) : "l"(object))
  QUERY("txq.width.b32", texture);
  QUERY("txq.height.b32", texture);
  QUERY("txq.depth.b32", texture);
  QUERY("suq.width.b32", surface);
  QUERY("suq.height.b32", surface);
  QUERY("suq.depth.b32", surface);
}

// ------------------------------------------------------------------------------------------------------------------- host

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {  // splitmix64
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15ull;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ z >> 27) * 0x94D049BB133111EBull;
    return z ^ z >> 31;
  }
  unsigned below(unsigned n) { return static_cast<unsigned>(next() % n); }
  /// In [0, 1), of 16 random bits: exact in float.
  float unit() { return static_cast<float>(below(65536)) / 65536.0f; }

 private:
  std::uint64_t state_;
};

struct Format {
  const char* name;
  int bits, channels;  ///< of each channel; number of them
  cudaChannelFormatKind kind;
};
constexpr Format kFormats[] = {
    {"u8x1", 8, 1, cudaChannelFormatKindUnsigned},   {"u8x2", 8, 2, cudaChannelFormatKindUnsigned},
    {"u8x4", 8, 4, cudaChannelFormatKindUnsigned},   {"s8x4", 8, 4, cudaChannelFormatKindSigned},
    {"u16x1", 16, 1, cudaChannelFormatKindUnsigned}, {"u16x4", 16, 4, cudaChannelFormatKindUnsigned},
    {"s16x2", 16, 2, cudaChannelFormatKindSigned},   {"f16x1", 16, 1, cudaChannelFormatKindFloat},
    {"f16x4", 16, 4, cudaChannelFormatKindFloat},    {"f32x1", 32, 1, cudaChannelFormatKindFloat},
    {"f32x2", 32, 2, cudaChannelFormatKindFloat},    {"f32x4", 32, 4, cudaChannelFormatKindFloat},
    {"u32x1", 32, 1, cudaChannelFormatKindUnsigned}, {"s32x4", 32, 4, cudaChannelFormatKindSigned}};

const Format& format_named(const char* name) {
  for (const Format& f : kFormats)
    if (!std::strcmp(f.name, name)) return f;
  std::exit(2);
}
cudaChannelFormatDesc describe(const Format& f) {
  return {f.bits, f.channels > 1 ? f.bits : 0, f.channels > 2 ? f.bits : 0, f.channels > 2 ? f.bits : 0,
          f.kind};
}

std::vector<unsigned char> texels(const Format& f, std::size_t count, std::uint64_t seed) {
  Random random(seed);
  std::vector<unsigned char> data(count * f.channels * f.bits / 8);
  for (std::size_t i = 0; i < count * f.channels; ++i) {
    if (f.kind == cudaChannelFormatKindFloat && f.bits == 32) {
      const float v = static_cast<float>(static_cast<int>(random.below(1 << 20)) - (1 << 19)) / 65536.0f;
      std::memcpy(&data[4 * i], &v, 4);
    } else if (f.kind == cudaChannelFormatKindFloat) {
      const auto h = static_cast<unsigned short>(random.below(0x4800) | random.below(2) << 15);  // up to 8
      std::memcpy(&data[2 * i], &h, 2);
    } else {
      const std::uint64_t v = random.next();
      std::memcpy(&data[i * f.bits / 8], &v, f.bits / 8);
    }
  }
  return data;
}

struct Shape {
  int geometry;
  const char* name;
  int width, height, depth;  ///< texels; 0 where there is no such dimension; depth counts layers, too
  unsigned flags;
};
constexpr Shape kShapes[] = {{k1d, "1d", 16, 0, 0, 0},
                             {k2d, "2d", 16, 8, 0, 0},
                             {k3d, "3d", 8, 8, 4, 0},
                             {kA1d, "a1d", 16, 0, 3, cudaArrayLayered},
                             {kA2d, "a2d", 8, 8, 3, cudaArrayLayered},
                             {kCube, "cube", 8, 8, 6, cudaArrayCubemap},
                             {kACube, "acube", 4, 4, 12, cudaArrayCubemap | cudaArrayLayered}};

cudaArray_t make_array(const Shape& s, const Format& f, unsigned more_flags = 0) {
  cudaArray_t array;
  const cudaChannelFormatDesc d = describe(f);
  CHECK(cudaMalloc3DArray(&array, &d, make_cudaExtent(s.width, s.height, s.depth), s.flags | more_flags));
  const std::size_t w = s.width, h = s.height ? s.height : 1, z = s.depth ? s.depth : 1;
  std::vector<unsigned char> data = texels(f, w * h * z, 77);
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(data.data(), w * f.channels * f.bits / 8, w, h);
  copy.dstArray = array;
  copy.extent = make_cudaExtent(w, h, z);
  copy.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3D(&copy));
  return array;
}

float4* coordinates;
int* layers;
uint4* results;
std::vector<uint4> host_results(kSamples);

/// Coordinates in texels (or, normalised, divided by the size), on a grid of 1/512, at random, exactly between, and odd ones.
void make_coordinates(const Shape& s, bool normalized, std::uint64_t seed) {
  Random random(seed);
  std::vector<float4> c(kSamples);
  std::vector<int> z(kSamples);
  const int size[3] = {s.width, s.height ? s.height : 1, s.depth ? s.depth : 1};
  const float odd[] = {0.0f,   -0.0f,  INFINITY, -INFINITY, NAN,   1e30f,
                       -1e30f, 1e-30f, 0.5f,     0.25f,     -0.5f, 1.0f};
  for (int i = 0; i < kSamples; ++i) {
    float v[3];
    for (int d = 0; d < 3; ++d) {
      const int n = size[d];
      const int whole = static_cast<int>(random.below(4 * n)) - 3 * n / 2;
      const float within = i % 8 < 4   ? static_cast<float>(random.below(512)) / 512.0f
                           : i % 8 < 6 ? random.unit()
                                       : static_cast<float>(random.below(2)) * 0.5f;
      v[d] = static_cast<float>(i % 2 ? static_cast<int>(random.below(n)) : whole) + within;
      if (i % 32 == 31) v[d] = d == static_cast<int>(random.below(3)) ? odd[i / 32 % 12] : v[d];
      if (normalized && i % 32 != 31) v[d] /= static_cast<float>(n);
      if (s.geometry == kCube || s.geometry == kACube) {
        v[d] = static_cast<float>(static_cast<int>(random.below(1025)) - 512) / 512.0f;
        if (i % 16 == 15) v[d] = v[d] < -0.3f ? -1.0f : v[d] > 0.3f ? 1.0f : 0.0f;
      }
    }
    c[i] = make_float4(v[0], v[1], v[2], 0);
    z[i] = static_cast<int>(random.below(16)) - 2;
    if (i % 64 == 5) z[i] = -2000000000;
    if (i % 64 == 6) z[i] = 70000;
  }
  CHECK(cudaMemcpy(coordinates, c.data(), sizeof(float4) * kSamples, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(layers, z.data(), sizeof(int) * kSamples, cudaMemcpyHostToDevice));
}

std::uint64_t hash_of(const void* data, std::size_t bytes) {
  std::uint64_t h = 0xCBF29CE484222325ull;
  for (std::size_t i = 0; i < bytes; ++i)
    h = (h ^ static_cast<const unsigned char*>(data)[i]) * 0x100000001B3ull;
  return h;
}

void print(const std::string& name, const std::vector<uint4>& values) {
  std::printf("%s :", name.c_str());
  const std::size_t shown = print_all ? values.size() : 12;
  for (std::size_t i = 0; i < shown && i < values.size(); ++i) {
    const uint4 v = values[i];
    std::printf(" %x,%x,%x,%x", v.x, v.y, v.z, v.w);
  }
  std::printf(" #%016llx\n",
              static_cast<unsigned long long>(hash_of(values.data(), values.size() * sizeof(uint4))));
}

void fetch_and_print(const std::string& name, int geometry, int channel, cudaTextureObject_t texture,
                     char result) {
  CHECK(cudaMemset(results, 0xEE, sizeof(uint4) * kSamples));
  if (result == 'f')
    sample<float><<<kSamples / 128, 128>>>(geometry, channel, texture, coordinates, layers, results);
  if (result == 'u')
    sample<unsigned><<<kSamples / 128, 128>>>(geometry, channel, texture, coordinates, layers, results);
  if (result == 's')
    sample<int><<<kSamples / 128, 128>>>(geometry, channel, texture, coordinates, layers, results);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemcpy(host_results.data(), results, sizeof(uint4) * kSamples, cudaMemcpyDeviceToHost));
  print(name, host_results);
}

struct Mode {
  cudaTextureAddressMode address = cudaAddressModeClamp;
  cudaTextureFilterMode filter = cudaFilterModePoint;
  cudaTextureReadMode read = cudaReadModeElementType;
  bool normalized = false, srgb = false, seamless = false;
};
constexpr const char* kAddressNames[] = {"wrap", "clamp", "mirror", "border"};

cudaTextureDesc describe(const Mode& m) {
  cudaTextureDesc d = {};
  for (auto& a : d.addressMode) a = m.address;
  d.filterMode = m.filter;
  d.readMode = m.read;
  d.normalizedCoords = m.normalized;
  d.sRGB = m.srgb;
  d.seamlessCubemap = m.seamless;
  const float border[4] = {0.25f, -1.5f, 3.0f, 0.75f};
  std::memcpy(d.borderColor, border, sizeof border);
  return d;
}
std::string name_of(const Mode& m) {
  std::string name =
      std::string(" ") + kAddressNames[m.address] + (m.filter == cudaFilterModeLinear ? " linear" : " point");
  if (m.read == cudaReadModeNormalizedFloat) name += " unit";
  if (m.normalized) name += " normalised";
  if (m.srgb) name += " srgb";
  if (m.seamless) name += " seamless";
  return name;
}
cudaTextureObject_t texture_of(cudaArray_t array, const Mode& m) {
  cudaResourceDesc r = {};
  r.resType = cudaResourceTypeArray;
  r.res.array.array = array;
  const cudaTextureDesc d = describe(m);
  cudaTextureObject_t t;
  CHECK(cudaCreateTextureObject(&t, &r, &d, nullptr));
  return t;
}
char result_of(const Format& f, const Mode& m) {
  if (f.kind == cudaChannelFormatKindFloat || m.read == cudaReadModeNormalizedFloat) return 'f';
  return f.kind == cudaChannelFormatKindUnsigned ? 'u' : 's';
}

void one(const Shape& s, const Format& f, cudaArray_t array, const Mode& m, int geometry, int channel = 0,
         const char* what = nullptr) {
  const cudaTextureObject_t t = texture_of(array, m);
  fetch_and_print(std::string(what ? what : s.name) + " " + f.name + name_of(m), geometry, channel, t,
                  result_of(f, m));
  CHECK(cudaDestroyTextureObject(t));
}

void address_modes_and_filters() {
  for (const Shape& s : kShapes)
    for (const char* name : {"f32x1", "u8x4"}) {
      const Format& f = format_named(name);
      const cudaArray_t array = make_array(s, f);
      for (int normalized = 0; normalized < 2; ++normalized) {
        if ((s.geometry == kCube || s.geometry == kACube) && !normalized) continue;
        make_coordinates(s, normalized, 5 + normalized);
        for (int address = 0; address < 4; ++address)
          for (int linear = 0; linear < 2; ++linear)
            for (int seamless = 0; seamless < (s.flags & cudaArrayCubemap ? 2 : 1); ++seamless) {
              Mode m;
              m.address = static_cast<cudaTextureAddressMode>(address);
              m.filter = linear ? cudaFilterModeLinear : cudaFilterModePoint;
              m.read = f.bits == 8 ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
              m.normalized = normalized;
              m.seamless = seamless;
              one(s, f, array, m, s.geometry);
            }
      }
      CHECK(cudaFreeArray(array));
    }
}

void formats() {
  const Shape& s = kShapes[1];
  for (const Format& f : kFormats) {
    const cudaArray_t array = make_array(s, f, cudaArrayTextureGather);
    make_coordinates(s, false, 9);
    for (int read = 0; read < 2; ++read) {
      Mode m;
      m.read = read ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
      if (read && (f.bits == 32 || f.kind == cudaChannelFormatKindFloat)) continue;
      one(s, f, array, m, k2d);
      m.address = cudaAddressModeBorder;
      one(s, f, array, m, k2d);
      one(s, f, array, m, k2dInteger, 0, "2d by integers");
      if (result_of(f, m) == 'f') {
        m.filter = cudaFilterModeLinear;
        one(s, f, array, m, k2d);
        if (f.bits == 8 && f.kind == cudaChannelFormatKindUnsigned) {
          m.srgb = true;
          one(s, f, array, m, k2d);
          m.filter = cudaFilterModePoint;
          one(s, f, array, m, k2d);
          m.srgb = false;
        }
      }
      m.filter = cudaFilterModePoint;
      for (int channel = 0; channel < 4; ++channel)
        one(s, f, array, m, kGather, channel, ("gather " + std::string(1, "rgba"[channel])).c_str());
    }
    CHECK(cudaFreeArray(array));
  }
  // Infinities and NaNs beside numbers: do weights of 0 hide them?
  const Format& f = format_named("f32x1");
  const cudaArray_t array = make_array(s, f);
  std::vector<float> odd(16 * 8, 1.0f);
  for (int i = 0; i < 16 * 8; i += 5) odd[i] = i % 3 == 0 ? INFINITY : i % 3 == 1 ? NAN : -0.0f;
  CHECK(cudaMemcpy2DToArray(array, 0, 0, odd.data(), 64, 64, 8, cudaMemcpyHostToDevice));
  Mode m;
  one(s, f, array, m, k2d, 0, "2d with infinities");
  m.filter = cudaFilterModeLinear;
  one(s, f, array, m, k2d, 0, "2d with infinities");
  CHECK(cudaFreeArray(array));
}

/// Linear and pitched memory, and integer coordinates.
void linear_memory() {
  for (const char* name : {"u8x4", "f32x1", "s16x2", "f32x4"}) {
    const Format& f = format_named(name);
    const std::size_t bytes = f.channels * f.bits / 8;
    std::vector<unsigned char> data = texels(f, 64 * 8, 77);
    unsigned char* memory;
    CHECK(cudaMalloc(&memory, data.size()));
    CHECK(cudaMemcpy(memory, data.data(), data.size(), cudaMemcpyHostToDevice));
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = memory;
    r.res.linear.desc = describe(f);
    r.res.linear.sizeInBytes = 50 * bytes;
    Mode m;
    cudaTextureDesc d = describe(m);
    cudaTextureObject_t t;
    CHECK(cudaCreateTextureObject(&t, &r, &d, nullptr));
    make_coordinates({kFetch, "fetch", 50, 0, 0, 0}, false, 11);
    fetch_and_print(std::string("fetch ") + name, kFetch, 0, t, result_of(f, m));
    CHECK(cudaDestroyTextureObject(t));
    r = {};
    r.resType = cudaResourceTypePitch2D;
    r.res.pitch2D.devPtr = memory;
    r.res.pitch2D.desc = describe(f);
    r.res.pitch2D.width = 64 / bytes > 16 ? 16 : 64 / bytes;
    r.res.pitch2D.height = 8;
    r.res.pitch2D.pitchInBytes = 64;
    for (int k = 0; k < 4; ++k) {
      m.normalized = k & 1;
      m.address = k & 1 ? cudaAddressModeWrap : cudaAddressModeBorder;
      m.filter = (k & 2) && f.kind == cudaChannelFormatKindFloat ? cudaFilterModeLinear : cudaFilterModePoint;
      d = describe(m);
      CHECK(cudaCreateTextureObject(&t, &r, &d, nullptr));
      make_coordinates({k2d, "pitched", static_cast<int>(r.res.pitch2D.width), 8, 0, 0}, m.normalized, 12);
      fetch_and_print(std::string("pitched ") + name + name_of(m), k2d, 0, t, result_of(f, m));
      CHECK(cudaDestroyTextureObject(t));
    }
    CHECK(cudaFree(memory));
  }
}

/// Weights: coordinates in fine steps between texels, at the start, in the middle and at the end of a row.
void weights() {
  for (int normalized = 0; normalized < 2; ++normalized)
    for (int step = 0; step < 6; ++step) {
      const Shape s = {k1d, "1d", 64, 0, 0, 0};
      const Format& f = format_named("f32x1");
      const cudaArray_t array = make_array(s, f);
      std::vector<float> ramp(64);
      for (int i = 0; i < 64; ++i) ramp[i] = i % 2 ? 1.0f : 0.0f;
      CHECK(cudaMemcpy2DToArray(array, 0, 0, ramp.data(), 256, 256, 1, cudaMemcpyHostToDevice));
      std::vector<float4> c(kSamples);
      const float begin[] = {0.5f, 0.5f, 13.0f, 62.5f, -1.0f, 31.4f},
                  steps[] = {512, 16384, 1024, 512, 256, 4096};
      for (int i = 0; i < kSamples; ++i) {
        c[i] = make_float4(begin[step] + static_cast<float>(i) / steps[step], 0, 0, 0);
        if (normalized) c[i].x /= 64;
      }
      CHECK(cudaMemcpy(coordinates, c.data(), sizeof(float4) * kSamples, cudaMemcpyHostToDevice));
      Mode m;
      m.filter = cudaFilterModeLinear;
      m.normalized = normalized;
      one(s, f, array, m, k1d, 0, ("weights " + std::to_string(step)).c_str());
      CHECK(cudaFreeArray(array));
    }
}

void levels() {
  const Format& f = format_named("f32x1");
  const cudaChannelFormatDesc d = describe(f);
  cudaMipmappedArray_t array;
  CHECK(cudaMallocMipmappedArray(&array, &d, make_cudaExtent(16, 16, 0), 5));
  for (int level = 0; level < 5; ++level) {
    cudaArray_t a;
    CHECK(cudaGetMipmappedArrayLevel(&a, array, level));
    const int n = 16 >> level;
    const std::vector<unsigned char> data = texels(f, n * n, 100 + level);
    CHECK(cudaMemcpy2DToArray(a, 0, 0, data.data(), 4 * n, 4 * n, n, cudaMemcpyHostToDevice));
  }
  for (int k = 0; k < 16; ++k) {
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeMipmappedArray;
    r.res.mipmap.mipmap = array;
    Mode m;
    m.address = k & 8 ? cudaAddressModeMirror : cudaAddressModeWrap;
    m.normalized = true;
    m.filter = k & 1 ? cudaFilterModeLinear : cudaFilterModePoint;
    cudaTextureDesc td = describe(m);
    td.mipmapFilterMode = k & 2 ? cudaFilterModeLinear : cudaFilterModePoint;
    td.mipmapLevelBias = k & 4 ? 0.75f : 0.0f;
    td.minMipmapLevelClamp = k & 4 ? 0.5f : 0.0f;
    td.maxMipmapLevelClamp = k & 4 ? 3.25f : 10.0f;
    cudaTextureObject_t t;
    CHECK(cudaCreateTextureObject(&t, &r, &td, nullptr));
    Random random(33);
    std::vector<float4> c(kSamples);
    for (int i = 0; i < kSamples; ++i) {
      const float level = static_cast<float>(static_cast<int>(random.below(64 * 8)) - 64) / 64.0f;
      c[i] = make_float4(random.unit() * 2 - 0.5f, random.unit() * 2 - 0.5f, 0, i == 7 ? NAN : level);
    }
    CHECK(cudaMemcpy(coordinates, c.data(), sizeof(float4) * kSamples, cudaMemcpyHostToDevice));
    const std::string name = name_of(m) + (k & 2 ? " between" : "") + (k & 4 ? " biased" : "");
    fetch_and_print("level" + name, kLevel, 0, t, 'f');
    for (int i = 0; i < kSamples; ++i) {
      c[i].z = std::ldexp(1.0f + random.unit(), static_cast<int>(random.below(7)) - 5) * (i % 3 ? 1 : -1);
      c[i].w = i % 4 ? 0.0f : std::ldexp(1.0f + random.unit(), static_cast<int>(random.below(7)) - 5);
    }
    CHECK(cudaMemcpy(coordinates, c.data(), sizeof(float4) * kSamples, cudaMemcpyHostToDevice));
    fetch_and_print("gradient" + name, kGradient, 0, t, 'f');
    CHECK(cudaDestroyTextureObject(t));
  }
  CHECK(cudaFreeMipmappedArray(array));
}

using SurfaceKernel = void (*)(cudaSurfaceObject_t, const int4*, uint4*);

void surfaces() {
  struct Access {
    const char* name;
    SurfaceKernel kernel;
    int shape;
    const char* format;
    int unit;  ///< bytes that x is a multiple of; 0: texels
    bool stores;
  };
  const Access all[] = {{"load 1d clamp", load_1d_clamp, 0, "f32x1", 4, false},
                        {"load 1d zero", load_1d_zero, 0, "f32x1", 4, false},
                        {"load 2d clamp", load_2d_clamp, 1, "u8x4", 4, false},
                        {"load 2d zero", load_2d_zero, 1, "u8x4", 4, false},
                        {"load 2d clamp of wider texels", load_2d_clamp, 1, "f32x4", 4, false},
                        {"load 3d clamp", load_3d_clamp, 2, "f32x1", 4, false},
                        {"load 3d zero", load_3d_zero, 2, "f32x1", 4, false},
                        {"load a1d clamp", load_a1d_clamp, 3, "f32x1", 4, false},
                        {"load a1d zero", load_a1d_zero, 3, "f32x1", 4, false},
                        {"load a2d clamp", load_a2d_clamp, 4, "f32x1", 4, false},
                        {"load a2d zero", load_a2d_zero, 4, "f32x1", 4, false},
                        {"load 2d v4 clamp", load_2d_v4_clamp, 1, "f32x4", 16, false},
                        {"load 2d v4 zero", load_2d_v4_zero, 1, "f32x4", 16, false},
                        {"store 2d clamp", store_2d_clamp, 1, "f32x1", 4, true},
                        {"store 2d zero", store_2d_zero, 1, "u8x4", 4, true},
                        {"store 3d zero", store_3d_zero, 2, "f32x1", 4, true},
                        {"store a2d zero", store_a2d_zero, 4, "f32x1", 4, true},
                        {"store 2d v4 zero", store_2d_v4_zero, 1, "f32x4", 16, true},
                        {"store texels u8x4", store_texels_zero, 1, "u8x4", 0, true},
                        {"store texels s8x4", store_texels_zero, 1, "s8x4", 0, true},
                        {"store texels u16x4", store_texels_zero, 1, "u16x4", 0, true},
                        {"store texels s16x2", store_texels_zero, 1, "s16x2", 0, true},
                        {"store texels f16x4", store_texels_zero, 1, "f16x4", 0, true},
                        {"store texels f32x1", store_texels_zero, 1, "f32x1", 0, true},
                        {"store texels f32x4", store_texels_zero, 1, "f32x4", 0, true},
                        {"store texels s32x4", store_texels_zero, 1, "s32x4", 0, true},
                        {"reduce add", reduce_zero, 1, "u32x1", 4, true},
                        {"reduce texels max", reduce_texels_zero, 1, "u32x1", 0, true},
                        {"reduce min", reduce_signed_zero, 1, "u32x1", 4, true}};
  int4* places;
  CHECK(cudaMalloc(&places, sizeof(int4) * kSamples));
  for (const Access& a : all) {
    const Shape& s = kShapes[a.shape];
    const Format& f = format_named(a.format);
    const int texel = f.channels * f.bits / 8;
    const cudaArray_t array = make_array(s, f, cudaArraySurfaceLoadStore);
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = array;
    cudaSurfaceObject_t surface;
    CHECK(cudaCreateSurfaceObject(&surface, &r));
    std::vector<int4> p(kSamples);
    Random random(3);
    const int row = a.unit ? s.width * texel : s.width, unit = a.unit ? a.unit : 1;
    const int height = s.height ? s.height : 1, depth = s.depth ? s.depth : 1, cells = row / unit;
    const bool clamp = std::strstr(a.name, "clamp") != nullptr;
    for (int i = 0; i < kSamples; ++i) {
      p[i].x = (static_cast<int>(random.below(row * 2)) - row / 2) / unit * unit;
      p[i].y = static_cast<int>(random.below(height * 2)) - height / 2;
      p[i].z = static_cast<int>(random.below(depth * 2)) - depth / 2;
      p[i].w = static_cast<int>(random.below(depth * 2)) - depth / 2;
      if (a.stores && std::strncmp(a.name, "reduce", 6)) {  // every place at most once
        const int k = i % (cells * height);
        p[i] = make_int4(k % cells * unit, k / cells, i / (cells * height), i / (cells * height));
        if (i >= cells * height * depth) p[i].x = i % 2 ? -unit : (clamp ? -unit : row);
        if (clamp && i >= cells * height * depth) p[i].y = -5;
      }
    }
    CHECK(cudaMemcpy(places, p.data(), sizeof(int4) * kSamples, cudaMemcpyHostToDevice));
    // Clamped stores all meet at one place: those of one thread only.
    a.kernel<<<1, clamp && a.stores ? cells * height + 1 : kSamples>>>(surface, places, results);
    CHECK(cudaDeviceSynchronize());
    if (a.stores) {
      std::vector<uint4> back((static_cast<std::size_t>(s.width) * height * depth * texel + 15) / 16);
      cudaMemcpy3DParms copy = {};
      copy.srcArray = array;
      copy.dstPtr = make_cudaPitchedPtr(back.data(), s.width * texel, s.width, height);
      copy.extent = make_cudaExtent(s.width, height, depth);
      copy.kind = cudaMemcpyDeviceToHost;
      CHECK(cudaMemcpy3D(&copy));
      print(a.name, back);
    } else {
      CHECK(cudaMemcpy(host_results.data(), results, sizeof(uint4) * kSamples, cudaMemcpyDeviceToHost));
      print(a.name, host_results);
    }
    CHECK(cudaDestroySurfaceObject(surface));
    CHECK(cudaFreeArray(array));
  }
  CHECK(cudaFree(places));
}

void ask() {
  for (const Shape& s : {kShapes[0], kShapes[1], kShapes[2], kShapes[4]}) {
    const cudaArray_t array = make_array(s, format_named("u16x4"), cudaArraySurfaceLoadStore);
    const cudaTextureObject_t t = texture_of(array, {});
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = array;
    cudaSurfaceObject_t surface;
    CHECK(cudaCreateSurfaceObject(&surface, &r));
    CHECK(cudaMemset(results, 0, 64));
    queries<<<1, 1>>>(t, surface, reinterpret_cast<unsigned*>(results));
    CHECK(cudaDeviceSynchronize());
    std::vector<uint4> out(2);
    CHECK(cudaMemcpy(out.data(), results, 32, cudaMemcpyDeviceToHost));
    print(std::string("queries ") + s.name, out);
    CHECK(cudaDestroyTextureObject(t));
    CHECK(cudaDestroySurfaceObject(surface));
    CHECK(cudaFreeArray(array));
  }
}

int main(int argc, char** argv) {
  print_all = argc > 1 && !std::strcmp(argv[1], "--all");
  CHECK(cudaMalloc(&coordinates, sizeof(float4) * kSamples));
  CHECK(cudaMalloc(&layers, sizeof(int) * kSamples));
  CHECK(cudaMalloc(&results, sizeof(uint4) * kSamples));
  CHECK(cudaMemset(layers, 0, sizeof(int) * kSamples));
  address_modes_and_filters();
  formats();
  linear_memory();
  weights();
  levels();
  surfaces();
  ask();
  return 0;
}
