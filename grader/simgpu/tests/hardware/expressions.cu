/// @file
/// Sums, differences and products as nvcc writes them and the assembler makes them one instruction, on a real GPU and on the simulated one:
/// 120 kernels drawn at random, a line each with a hash over the results of 2048 threads. (products.txt beside has the single cases.)
#include <cuda_fp16.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "check.cuh"

constexpr int kThreads = 2048, kInputs = 6, kResults = 2, kTurns = 5;

__device__ __half number(float f) {
  return __float2half(f);
}

template <int which>
struct Expression;  // its type, and a function for one thread

#define x in[0 * kThreads]
#define y in[1 * kThreads]
#define z in[2 * kThreads]
#define u in[3 * kThreads]
#define v in[4 * kThreads]
#define w in[5 * kThreads]
#define EXPRESSION(which, type, ...)                                                              \
  template <>                                                                                     \
  struct Expression<which> {                                                                      \
    using T = type;                                                                               \
    static constexpr const char* name = #type;                                                    \
    static __device__ void compute(const T* in, T* o, [[maybe_unused]] int turns) { __VA_ARGS__ } \
  };
EXPRESSION(0, float, o[0] = (((x + z) * (x * y)) - ((u + v) * -(w * y)));)
EXPRESSION(
    1, float,
    o[0] = (((((w * u) - (y * z)) * (w * (1.1f + z))) * (((y * y) + (y * x)) * ((v - w) * (0.5f * v)))) *
            ((-((z - 1.1f) - x) - (-(z * 1.1f) + u)) * (((v * 0.3f) + -(u + y)) * ((x * v) + (0.3f - z)))));)
EXPRESSION(2, float, T t = ((z - z) - v), s = 0.3f; o[0] = t * s - z; o[1] = t - s;)
EXPRESSION(3, float,
           o[0] = ((((w - z) + -(0.3f + v)) - ((z * w) - (y - z))) + (y * ((0.3f * x) * (1.1f * z))));)
EXPRESSION(4, float,
           o[0] = -(((z - -((z * 3.25f) * (u - u))) - ((v - (v * y)) - ((0.3f - v) * -(x * w)))) -
                    ((((0.3f * y) - (z - u)) * ((v * u) * (x * v))) -
                     ((w - (w - 0.5f)) + ((v - x) + (w - u)))));)
EXPRESSION(5, float, o[0] = (u - (((u * y) * (u * u)) + ((v * 0.5f) * (z + x))));)
EXPRESSION(6, float, T t = ((u * 0.3f) * (1.1f * w)), s = ((x * w) - z); o[0] = t * s - z; o[1] = s * x - t;)
EXPRESSION(7, float, T t = x; for (int k = 0; k < turns; ++k) t = t * y - z; o[0] = t;)
EXPRESSION(8, float, T t = ((w * u) - (u * v)), s = (-(z - 0.3f) * (w * y)); o[0] = t * s - x;
           o[1] = s * x - t;)
EXPRESSION(9, float, T t = ((y + y) * (x + z)), s = ((v * x) - (v * v)); o[0] = t * s - z; o[1] = s * x - t;)
EXPRESSION(10, float, o[0] = ((x * (v * w)) * ((0.5f - w) * (1.1f + v)));)
EXPRESSION(11, float, T t = ((y * 3.25f) + (x * u)), s = (z * (u + w)); o[0] = t * s - y; o[1] = s * x - t;)
EXPRESSION(12, float, T t = x; for (int k = 0; k < turns; ++k) t = t * t - y; o[0] = t;)
EXPRESSION(13, float, o[0] = -((y * 0.5f) - (u + x));)
EXPRESSION(14, float, T t = x; for (int k = 0; k < turns; ++k) t = t * y - z * u; o[0] = t;)
EXPRESSION(15, float, T t = ((u - y) * w), s = ((v - w) * y); o[0] = t * s - x; o[1] = t - s;)
EXPRESSION(16, float,
           o[0] = ((((y + w) * (u * w)) * ((z - x) + (y * x))) -
                   (((u * x) - (0.5f * 0.5f)) - ((x - v) * (x * v))));)
EXPRESSION(17, float, T t = x; for (int k = 0; k < turns; ++k) t = -(t * y) - z; o[0] = t;)
EXPRESSION(18, float, o[0] = -((3.25f - (u * y)) * (-(z * x) - (w - x)));)
EXPRESSION(19, float, T t = x; for (int k = 0; k < turns; ++k) t = t * t - y; o[0] = t;)
EXPRESSION(20, float, T t = ((u - x) - (x * u)), s = ((u - v) - (y + z)); o[0] = t * s - y; o[1] = t;)
EXPRESSION(21, float, T t = ((y * z) * (0.3f + u)), s = -((x * z) - (u - u)); o[0] = t * s - y; o[1] = t - s;)
EXPRESSION(22, float, T t = u, s = ((z - v) * y); o[0] = t * s - y; o[1] = t;)
EXPRESSION(23, float, o[0] = ((v * 3.25f) * -(w * z));)
EXPRESSION(24, float, T t = x; for (int k = 0; k < turns; ++k) t = (t - x) * y - t * z; o[0] = t;)
EXPRESSION(25, float, T t = x; for (int k = 0; k < turns; ++k) t = -(t * y) - z; o[0] = t;)
EXPRESSION(26, float,
           o[0] = (((3.25f * (1.1f * x)) * ((x * x) * (u * 0.3f))) + (y - ((u - z) * (0.3f - w))));)
EXPRESSION(27, float, T t = ((x - w) + (x + v)), s = ((x * v) + (1.1f * 0.3f)); o[0] = t * s - x; o[1] = t;)
EXPRESSION(28, float, o[0] = (((y - v) * -(x - u)) * -((w + 0.3f) - (z + w)));)
EXPRESSION(29, float, T t = x; for (int k = 0; k < turns; ++k) t = t * y - z; o[0] = t;)
EXPRESSION(30, float, T t = x; for (int k = 0; k < turns; ++k) t = (t * y - z) * u; o[0] = t;)
EXPRESSION(31, float, o[0] = ((u * v) + (w - y));)
EXPRESSION(32, float, T t = y, s = (x * -(z + w)); o[0] = t * s - y; o[1] = t - s;)
EXPRESSION(33, float, T t = w, s = -((y + y) + -(z + y)); o[0] = t * s - z; o[1] = t - s;)
EXPRESSION(34, float, T t = x; for (int k = 0; k < turns; ++k) t = z - t * y; o[0] = t;)
EXPRESSION(35, float, o[0] = z;)
EXPRESSION(36, float, o[0] = ((3.25f + (y - u)) - (-(w * x) - v));)
EXPRESSION(37, float, T t = x; for (int k = 0; k < turns; ++k) t = t * y - z; o[0] = t;)
EXPRESSION(38, float, T t = ((x + w) - -(y - v)), s = ((x * v) - (w - y)); o[0] = t * s - y; o[1] = t - s;)
EXPRESSION(39, float, o[0] = ((((y * 0.3f) - (v * y)) + ((z * u) * (0.5f - y))) * (v - ((x - w) * v)));)
EXPRESSION(40, float,
           o[0] = ((((y - w) + -(z * 1.1f)) + ((0.3f * y) * (0.3f + y))) *
                   -(((w + y) + (0.3f - u)) * ((w - v) - (y * u))));)
EXPRESSION(41, float,
           o[0] = (((((v - z) - (y + u)) + -((v * x) + (y * z))) -
                    (((u + z) + (w - x)) + -((v + y) - (z - x)))) *
                   ((((z - y) + x) - ((w * 0.5f) * (z - 0.5f))) * 1.1f));)
EXPRESSION(42, float,
           o[0] = (((((0.5f * u) * (u * y)) - ((v - x) - (z * u))) *
                    (((0.5f * y) * (x * z)) - ((v + x) * (x * v)))) *
                   x);)
EXPRESSION(43, float,
           o[0] = -(((((w - y) * (x * v)) * (-(y + y) * (u - 0.3f))) *
                     (-((u * z) - (1.1f - y)) * ((v * x) - (x - v)))) *
                    ((((v + u) * (v - w)) * -((y * v) * x)) +
                     (((0.3f - y) + (u - x)) * ((w + y) - (1.1f * x)))));)
EXPRESSION(44, float, T t = x; for (int k = 0; k < turns; ++k) t = t * y - z * u; o[0] = t;)
EXPRESSION(45, float,
           o[0] = ((((z * u) - -(0.5f * x)) - ((1.1f * v) * -(z * x))) -
                   (((v * u) - (v - 0.5f)) * ((v * x) + u)));)
EXPRESSION(46, float,
           o[0] = (((-((v * u) * (u + v)) * u) - (((u * 0.5f) - (u - v)) - ((v + 0.3f) - (0.3f * u)))) +
                   ((((z - y) - (w * y)) - ((v * u) * (y - u))) +
                    (((w - v) * (x * 0.5f)) - ((w + x) * (y - 3.25f)))));)
EXPRESSION(47, float, T t = x; for (int k = 0; k < turns; ++k) t = (t - x) * y - t * z; o[0] = t;)
EXPRESSION(48, float, o[0] = ((x * 0.5f) * (0.3f * u));)
EXPRESSION(49, float, T t = ((u + v) + (0.3f * x)), s = ((u * v) - -(z * 0.3f)); o[0] = t * s - y;
           o[1] = s * x - t;)
EXPRESSION(50, float, o[0] = 0.3f;)
EXPRESSION(51, float,
           o[0] = ((((y - (u - v)) * ((x * x) + (y * x))) -
                    (((w - z) + (x + w)) * -((z - u) * -(0.5f - 3.25f)))) *
                   ((((w * u) * -(1.1f - 0.3f)) - ((v - 0.5f) - (x * z))) +
                    (((x - w) - (x * v)) - ((y * z) - (w - v)))));)
EXPRESSION(52, float, T t = ((u * v) * (y * v)), s = ((v * w) - (y - z)); o[0] = t * s - y; o[1] = t - s;)
EXPRESSION(53, float, o[0] = (((1.1f - x) * (y - z)) - ((3.25f - x) * (z * x)));)
EXPRESSION(54, float, T t = x; for (int k = 0; k < turns; ++k) t = (t - x) * y - t * z; o[0] = t;)
EXPRESSION(55, float, o[0] = (v * (y - 1.1f));)
EXPRESSION(56, float,
           o[0] = ((z * ((v - z) - (w * 1.1f))) * -(((x * 0.5f) * (0.5f * w)) - ((v * x) * (0.3f * y))));)
EXPRESSION(57, float,
           o[0] = (y * ((((x * x) * (v + 1.1f)) - ((w - w) + -(u * w))) *
                        ((1.1f - (u * z)) - (1.1f - (w * y)))));)
EXPRESSION(58, float, T t = ((x - x) - (z - 0.3f)), s = -((3.25f + y) * (w + u)); o[0] = t * s - y;
           o[1] = t - s;)
EXPRESSION(59, float, T t = x; for (int k = 0; k < turns; ++k) t = t * y - z; o[0] = t;)
EXPRESSION(60, double, o[0] = (-(y * u) * (x * w));)
EXPRESSION(61, double, T t = x; for (int k = 0; k < turns; ++k) t = t * t - y; o[0] = t;)
EXPRESSION(62, double, T t = x; for (int k = 0; k < turns; ++k) t = z - t * y; o[0] = t;)
EXPRESSION(63, double, T t = x; for (int k = 0; k < turns; ++k) t = (t - x) * y - t * z; o[0] = t;)
EXPRESSION(64, double,
           o[0] = (((-(z - z) - (x + v)) + -((u * v) - (w - v))) - -(((w - x) - 1.1) * ((x - w) * (u + z))));)
EXPRESSION(65, double, o[0] = (-((x * (x * w)) + 0.3) * (-((1.1 + v) * (w * w)) - (w * (v + v))));)
EXPRESSION(66, double, T t = x; for (int k = 0; k < turns; ++k) t = t * t - y; o[0] = t;)
EXPRESSION(67, double, T t = x; for (int k = 0; k < turns; ++k) t = t * y - z; o[0] = t;)
EXPRESSION(68, double, T t = ((x * z) * -(v - z)), s = ((x * y) * (x * u)); o[0] = t * s - x; o[1] = t - s;)
EXPRESSION(69, double, T t = w, s = ((v * x) * (1.1 + 3.25)); o[0] = t * s - x; o[1] = s * x - t;)
EXPRESSION(70, double, T t = x; for (int k = 0; k < turns; ++k) t = (t - x) * y - t * z; o[0] = t;)
EXPRESSION(71, double, o[0] = ((-(w - u) + (1.1 * 3.25)) - ((w + w) - (0.5 - v)));)
EXPRESSION(72, double, T t = x; for (int k = 0; k < turns; ++k) t = t * y - z; o[0] = t;)
EXPRESSION(73, double,
           o[0] = (((((v - x) * (w + v)) * 0.3) - (1.1 - (-(w - x) * (0.3 - u)))) -
                   (((-(0.3 - u) - 1.1) - ((y - y) * (z * u))) *
                    (((v * w) * -(x * 3.25)) * ((z * 3.25) * -(z + z)))));)
EXPRESSION(74, double, o[0] = ((x * 3.25) - (w * v));)
EXPRESSION(75, double, o[0] = ((3.25 * u) + (w + v));)
EXPRESSION(76, double, T t = x; for (int k = 0; k < turns; ++k) t = t * y - z; o[0] = t;)
EXPRESSION(77, double, o[0] = ((w * z) * (0.3 * v));)
EXPRESSION(78, double, o[0] = (((w * v) * (x - u)) * (-(y - w) - (z * u)));)
EXPRESSION(79, double, T t = x; for (int k = 0; k < turns; ++k) t = -(t * y) - z; o[0] = t;)
EXPRESSION(80, double, T t = (y * (x * z)), s = ((u * 3.25) * (y * v)); o[0] = t * s - x; o[1] = s * x - t;)
EXPRESSION(81, double, o[0] = (v * ((w - (u * v)) * ((y * w) + (u - y))));)
EXPRESSION(82, double, T t = x; for (int k = 0; k < turns; ++k) t = -(t * y) - z; o[0] = t;)
EXPRESSION(83, double,
           o[0] = (((((0.5 - w) + -(w * w)) + x) * (((w * x) * (u - v)) - ((y * z) - (z * v)))) +
                   ((((w * u) * (1.1 - y)) * ((y - u) - (u * v))) *
                    (-((u - y) - (z * 3.25)) * (-(u * v) * (w + y)))));)
EXPRESSION(84, double,
           o[0] = (((-(y + x) - (z * z)) - (z - (y * y))) *
                   (((x - w) * (3.25 * v)) + ((1.1 * 0.5) + -(z * u))));)
EXPRESSION(85, double, o[0] = (((((y * u) * v) * ((y - w) - v)) - 0.3) * u);)
EXPRESSION(86, double,
           o[0] = (((((z - u) * w) + ((1.1 - u) - (x * y))) * (((x * v) - (v * y)) * ((v - u) * (y - u)))) *
                   u);)
EXPRESSION(87, double, o[0] = z;)
EXPRESSION(88, double, T t = x; for (int k = 0; k < turns; ++k) t = (t - x) * y - t * z; o[0] = t;)
EXPRESSION(89, double, T t = z, s = ((x - 3.25) - (z - y)); o[0] = t * s - y; o[1] = s * x - t;)
EXPRESSION(90, __half, o[0] = (((x + z) * (w - v)) * ((number(3.25) + y) * (y * x)));)
EXPRESSION(91, __half, o[0] = number(1.1);)
EXPRESSION(92, __half, T t = x; for (int k = 0; k < turns; ++k) t = t * y - z * u; o[0] = t;)
EXPRESSION(93, __half, T t = ((w * w) * (w * v)), s = ((v - v) + -(z * w)); o[0] = t * s - z; o[1] = t - s;)
EXPRESSION(94, __half, o[0] = ((w * z) - (v * u));)
EXPRESSION(95, __half,
           o[0] = (((-(y * v) + u) * ((w - v) + x)) * (((number(0.5) + y) * (v * y)) - -(v * (z * y))));)
EXPRESSION(96, __half, o[0] = ((number(3.25) - v) - (number(3.25) + y));)
EXPRESSION(97, __half, o[0] = ((v - v) - (y * w));)
EXPRESSION(98, __half,
           o[0] = ((((u * w) - (u * number(1.1))) * (-(u * x) - (y - u))) *
                   -(-((y - x) - (v * x)) * ((u + y) + number(1.1))));)
EXPRESSION(99, __half, o[0] = (w * ((y * y) * w));)
EXPRESSION(100, __half, o[0] = (-((y - y) * (v * number(3.25))) + u);)
EXPRESSION(101, __half, T t = w, s = ((v * w) * (u * y)); o[0] = t * s - y; o[1] = t;)
EXPRESSION(102, __half,
           o[0] = (-((((z - number(1.1)) - -(u * y)) * ((u * z) * (z + u))) -
                     ((y - (x * number(0.3))) * ((z - number(1.1)) * (z * z)))) -
                   ((((u * number(0.5)) + (z * x)) * ((w * x) + v)) + w));)
EXPRESSION(103, __half, T t = (x * (number(0.5) * u)), s = ((y - v) - (number(1.1) - number(3.25)));
           o[0] = t * s - x; o[1] = s * x - t;)
EXPRESSION(104, __half, T t = ((w - number(1.1)) - -(w * x)), s = ((w * y) - (x - w)); o[0] = t * s - x;
           o[1] = t - s;)
EXPRESSION(105, __half,
           o[0] = -(((u + ((number(3.25) * v) - w)) + ((w - (number(3.25) * number(0.3))) * u)) * u);)
EXPRESSION(106, __half, T t = w, s = ((u * number(1.1)) + (z * z)); o[0] = t * s - y; o[1] = t;)
EXPRESSION(107, __half,
           o[0] = ((w + w) - (((w - -(y * y)) + -((x * u) - (u - v))) *
                              (-(-(y * v) * (w - u)) - ((w - u) - (x * number(0.5))))));)
EXPRESSION(108, __half, o[0] = (v * (u * number(0.3)));)
EXPRESSION(109, __half, T t = x; for (int k = 0; k < turns; ++k) t = t * t - y; o[0] = t;)
EXPRESSION(110, __half, T t = (-(y - u) - number(0.3)), s = ((number(0.3) - v) * (x - y)); o[0] = t * s - y;
           o[1] = s * x - t;)
EXPRESSION(111, __half, o[0] = ((u - w) * (w * w));)
EXPRESSION(112, __half,
           o[0] = ((((number(0.5) + x) - (number(0.5) - z)) * ((u * u) - (y * z))) -
                   (((x - x) * (u - v)) + (y * (w * y))));)
EXPRESSION(113, __half,
           o[0] = ((((y - u) - (y * number(0.5))) - ((w * number(1.1)) * (x * number(0.5)))) -
                   ((-(u * v) - y) * ((v * u) * (number(0.3) - y))));)
EXPRESSION(114, __half,
           o[0] = (z * (-(((x - number(3.25)) - w) - w) * (((v * u) - (z * z)) + (v * (u * number(0.5))))));)
EXPRESSION(115, __half, T t = ((w - w) + (number(3.25) + number(1.1))), s = ((z * v) - (x * v));
           o[0] = t * s - y; o[1] = t - s;)
EXPRESSION(116, __half,
           o[0] = (((((x - z) * (z - z)) * ((y - z) * (z + x))) -
                    (((w * y) - number(0.5)) * ((x * x) - (y * w)))) *
                   ((((y - number(1.1)) * (u + y)) * -((number(3.25) * z) - (x * y))) -
                    (((z * u) * (number(1.1) * y)) * -((z + u) * (number(1.1) * number(3.25))))));)
EXPRESSION(117, __half, T t = (w + -(u - x)), s = (-(v * number(1.1)) - (w * v)); o[0] = t * s - z; o[1] = t;)
EXPRESSION(118, __half, o[0] = (z + (y * x));)
EXPRESSION(119, __half, o[0] = z;)
constexpr int kExpressions = 120;
#undef x
#undef y
#undef z
#undef u
#undef v
#undef w

template <int which>
__global__ void kernel(const typename Expression<which>::T* in, typename Expression<which>::T* out,
                       int turns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  typename Expression<which>::T o[kResults] = {0, 0};
  Expression<which>::compute(in + i, o, turns);
  for (int k = 0; k < kResults; ++k) out[k * kThreads + i] = o[k];
}

template <int which>
void run() {
  using T = typename Expression<which>::T;
  std::vector<T> in(kInputs * kThreads), out(kResults * kThreads);
  std::uint32_t state = 1234 + which;
  for (T& value : in) {
    state = state * 1664525u + 1013904223u;
    value = static_cast<T>(((state >> 8) & 0xffff) / 8192.0f - 4.0f + (state & 255) * 1e-5f);
  }
  T *inputs, *results;
  CHECK(cudaMalloc(&inputs, in.size() * sizeof(T)));
  CHECK(cudaMalloc(&results, out.size() * sizeof(T)));
  CHECK(cudaMemcpy(inputs, in.data(), in.size() * sizeof(T), cudaMemcpyHostToDevice));
  kernel<which><<<kThreads / 128, 128>>>(inputs, results, kTurns);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(out.data(), results, out.size() * sizeof(T), cudaMemcpyDeviceToHost));
  std::uint64_t hash = 1469598103934665603u;
  for (std::size_t k = 0; k < out.size() * sizeof(T); ++k)
    hash = (hash ^ reinterpret_cast<const unsigned char*>(out.data())[k]) * 1099511628211u;
  std::printf("%s %d : #%016llx\n", Expression<which>::name, which, static_cast<unsigned long long>(hash));
  CHECK(cudaFree(inputs));
  CHECK(cudaFree(results));
  if constexpr (which + 1 < kExpressions) run<which + 1>();
}

int main() {
  run<0>();
}
