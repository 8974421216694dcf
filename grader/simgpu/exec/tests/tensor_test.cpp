/// @file
/// Tensor cores, in kernels that nvcc compiles: products of small whole numbers, which are exact on a card and here, against the host's;
/// and what is said about wrong ones.
#include <functional>

#include "simgpu/exec/half.hpp"
#include "simgpu/exec/tests/device.hpp"
#include "simgpu/observe/races.hpp"
#include "simgpu/observe/traffic.hpp"
#include "simgpu/observe/uninitialised.hpp"

namespace simgpu::exec::testing {
namespace {

using observe::FindingKind;
using std::uint16_t;

class Tensor : public ::testing::TestWithParam<LaneBuild> {
 protected:
  void SetUp() override {
    d.load(read_text(SIMGPU_TENSOR_PTX));
    d.observers = {&traffic, &races, &uninitialised};
    d.launch.lanes = GetParam();
    d.launch.warp_instruction_limit = 5'000'000;
  }
  template <class T>
  std::uint64_t give(const std::vector<T>& data) {
    const std::uint64_t a = d.upload(data);
    uninitialised.mark_initialised(a, data.size() * sizeof(T));
    return a;
  }
  /// Whole numbers from low to high, of no pattern that a transposed matrix would have, too.
  template <class T>
  static std::vector<T> whole(std::size_t n, int low, int high, unsigned seed) {
    std::vector<T> v(n);
    for (T& x : v)
      x = static_cast<T>(low +
                         static_cast<int>((seed = seed * 1664525 + 1013904223) >> 8) % (high - low + 1));
    return v;
  }
  void expect_sound() {
    EXPECT_TRUE(d.result.ok);
    EXPECT_TRUE(d.findings.all().empty()) << d.messages();
  }
  void expect(FindingKind kind, const std::string& words) {
    ASSERT_FALSE(d.findings.all().empty());
    const observe::Finding& f = d.findings.all()[0];
    EXPECT_EQ(f.kind, kind) << d.messages();
    EXPECT_NE(f.message.find(words), std::string::npos) << d.messages();
    EXPECT_GT(f.line, 0u);
  }
  /// A 16 x K times K x 8 product of @p kernel.
  template <class T>
  void product(const std::string& kernel, int depth, int low, int high,
               std::function<long(long, long)> times = {}) {
    const auto a = whole<T>(16 * depth, low, high, 1), b = whole<T>(depth * 8, low, high, 2);
    const auto out = give(std::vector<T>(128));
    d.run(kernel, {1}, {32}, give(a), give(b), out);
    expect_sound();
    const auto got = d.download<T>(out, 128);
    for (int m = 0; m < 16; ++m)
      for (int n = 0; n < 8; ++n) {
        long sum = 0;
        for (int k = 0; k < depth; ++k) {
          const long x = static_cast<long>(a[m * depth + k]), y = static_cast<long>(b[k * 8 + n]);
          sum += times ? times(x, y) : x * y;
        }
        ASSERT_EQ(got[m * 8 + n], static_cast<T>(sum)) << kernel << " " << m << " " << n;
      }
  }
  /// d = a b + d of one fragment, in all layouts.
  template <class T, class Sum>
  void layouts(const std::string& kernel, int M, int N, int K, int low, int high, std::function<T(int)> in,
               std::function<Sum(int)> sum_in, std::function<long(Sum)> sum_out) {
    for (int which = 0; which < 8; ++which) {
      const int da = which & 1, db = which >> 1 & 1, dd = which >> 2;
      const auto a = whole<int>(M * K, low, high, 3), b = whole<int>(K * N, low, high, 4),
                 c = whole<int>(M * N, 0, 9, 5);
      std::vector<T> ta(a.size()), tb(b.size());
      std::vector<Sum> tc(c.size());
      for (int m = 0; m < M; ++m)
        for (int k = 0; k < K; ++k) ta[da ? k * M + m : m * K + k] = in(a[m * K + k]);
      for (int k = 0; k < K; ++k)
        for (int n = 0; n < N; ++n) tb[db ? n * K + k : k * N + n] = in(b[k * N + n]);
      for (int m = 0; m < M; ++m)
        for (int n = 0; n < N; ++n) tc[dd ? n * M + m : m * N + n] = sum_in(c[m * N + n]);
      const auto out = give(tc);
      d.run(kernel, {1}, {32}, give(ta), give(tb), out, da, db, dd);
      expect_sound();
      const auto got = d.download<Sum>(out, tc.size());
      for (int m = 0; m < M; ++m)
        for (int n = 0; n < N; ++n) {
          long sum = c[m * N + n];
          for (int k = 0; k < K; ++k) sum += long{a[m * K + k]} * b[k * N + n];
          ASSERT_EQ(sum_out(got[dd ? n * M + m : m * N + n]), sum)
              << kernel << " layout " << which << ": " << m << " " << n;
        }
    }
  }
  Device d;
  observe::Traffic traffic;
  observe::Races races{d.findings};
  observe::Uninitialised uninitialised{d.memory, d.findings};
};

TEST_P(Tensor, ProductsOfFloats) {
  for (const char* kernel : {"by_hand_f16", "by_hand_bf16", "by_hand_tf32", "by_hand_f64"})
    product<float>(kernel, 16, -20, 20);
  product<float>("by_hand_sums_f16", 16, -8, 8);
}
TEST_P(Tensor, ProductsOfWholeNumbers) {
  product<int>("by_hand_s8", 32, -128, 127);
  product<int>("by_hand_u8", 32, 0, 255);
  product<int>("by_hand_s4", 64, -8, 7);
  product<int>("by_hand_u4", 64, 0, 15);
  product<int>("by_hand_xor", 256, 0, 1, [](long x, long y) { return x ^ y; });
  product<int>("by_hand_and", 256, 0, 1, [](long x, long y) { return x & y; });
}
TEST_P(Tensor, FourProductsOfEightLanes) {
  const auto a = whole<float>(128, -9, 9, 6), b = whole<float>(128, -9, 9, 7);
  const auto out = give(std::vector<float>(256));
  d.run("by_hand_quads", {1}, {32}, give(a), give(b), out);
  expect_sound();
  const auto got = d.download<float>(out, 256);
  for (int q = 0; q < 4; ++q)
    for (int m = 0; m < 8; ++m)
      for (int n = 0; n < 8; ++n) {
        float sum = 0;
        for (int k = 0; k < 4; ++k) sum += a[q * 32 + m * 4 + k] * b[q * 32 + k * 8 + n];
        ASSERT_EQ(got[q * 64 + m * 8 + n], sum) << q << " " << m << " " << n;
      }
}
TEST_P(Tensor, FragmentsInAllLayouts) {
  const auto half = [](int v) { return to_half(v); };
  const auto bfloat = [](int v) { return to_bfloat(v); };
  const auto same = [](auto v) { return static_cast<long>(v); };
  layouts<uint16_t, float>("wmma_f16_16", 16, 16, 16, -20, 20, half, same, same);
  layouts<uint16_t, float>("wmma_f16_32", 32, 8, 16, -20, 20, half, same, same);
  layouts<uint16_t, float>("wmma_f16_8", 8, 32, 16, -20, 20, half, same, same);
  layouts<uint16_t, uint16_t>("wmma_f16_f16", 16, 16, 16, -8, 8, half, half,
                              [](uint16_t v) { return static_cast<long>(from_half(v)); });
  layouts<uint16_t, float>("wmma_bf16_16", 16, 16, 16, -20, 20, bfloat, same, same);
  layouts<uint16_t, float>("wmma_bf16_32", 32, 8, 16, -20, 20, bfloat, same, same);
  layouts<uint16_t, float>("wmma_bf16_8", 8, 32, 16, -20, 20, bfloat, same, same);
  layouts<signed char, int>("wmma_s8_16", 16, 16, 16, -128, 127, same, same, same);
  layouts<signed char, int>("wmma_s8_32", 32, 8, 16, -128, 127, same, same, same);
  layouts<unsigned char, int>("wmma_u8_8", 8, 32, 16, 0, 255, same, same, same);
  layouts<double, double>("wmma_f64", 8, 8, 4, -1000, 1000, same, same, same);
}
TEST_P(Tensor, ElementsOfFragmentsKeepTheirPlaces) {
  const auto a = whole<int>(256, -9, 9, 8), b = whole<int>(256, -9, 9, 9);
  const auto c = whole<float>(256, -9, 9, 10);
  std::vector<uint16_t> ta(256), tb(256);
  for (int i = 0; i < 256; ++i) {
    ta[i] = to_half(a[i]);
    tb[i] = to_half(b[i]);
  }
  const auto out = give(c);
  d.run("wmma_shared_scaled", {1}, {32}, give(ta), give(tb), out);
  expect_sound();
  const auto got = d.download<float>(out, 256);
  for (int m = 0; m < 16; ++m)
    for (int n = 0; n < 16; ++n) {
      float sum = 3 * c[m * 16 + n];
      for (int k = 0; k < 16; ++k) sum += static_cast<float>(a[k * 16 + m] * b[k * 16 + n]);
      ASSERT_EQ(got[m * 16 + n], sum) << m << " " << n;
    }
  // Both matrices as ldmatrix brings them, four of 8 x 8 at once; their rows of 32 bytes cover every bank twice.
  EXPECT_EQ(traffic.counters().shared_load_wavefronts, 2u * 8);
}
TEST_P(Tensor, LoadBeyondTheMatrix) {
  const auto a = give(std::vector<uint16_t>(256)), out = give(std::vector<float>(1));
  d.run("wrong_beyond", {1}, {32}, a, out, 0);
  expect_sound();
  d.run("wrong_beyond", {1}, {32}, a, out, 1);
  expect(FindingKind::out_of_bounds, "");
}
TEST_P(Tensor, StoreBeyondTheMatrix) {
  const auto out = give(std::vector<float>(256));
  d.run("wrong_store_beyond", {1}, {32}, out, 16);
  expect_sound();
  d.run("wrong_store_beyond", {1}, {32}, out, 20);
  expect(FindingKind::out_of_bounds, "");
}
TEST_P(Tensor, RaceOnTheTileOfAnLdmatrix) {
  const auto a = give(std::vector<uint16_t>(256)), out = give(std::vector<unsigned>(128));
  d.run("shared_rows", {1}, {64}, a, out, 1);
  expect_sound();
  d.run("shared_rows", {1}, {64}, a, out, 0);
  ASSERT_FALSE(d.findings.all().empty());
  EXPECT_TRUE(std::any_of(d.findings.all().begin(), d.findings.all().end(), [](const auto& f) {
    return f.kind == FindingKind::race;
  })) << d.messages();
}
TEST_P(Tensor, TileThatNobodyWrote) {
  d.run("unwritten_rows", {1}, {32}, give(std::vector<unsigned>(32)));
  expect(FindingKind::uninitialised_read, "");
}
TEST_P(Tensor, RowsThatNobodyWrote) {
  const std::uint64_t a = d.upload(std::vector<unsigned>(128)), out = d.upload(std::vector<float>(128));
  uninitialised.mark_initialised(a, 10 * 8 * sizeof(unsigned));
  d.run("product_of_some_rows", {1}, {32}, a, out, 10);
  expect_sound();
  d.run("product_of_some_rows", {1}, {32}, a, out, 11);
  expect(FindingKind::uninitialised_read, "");
}
TEST_P(Tensor, LanesThatHaveEnded) {
  const auto out = give(std::vector<float>(32));
  d.run("some_lanes", {1}, {32}, out, 32);
  expect_sound();
  d.run("some_lanes", {1}, {32}, out, 31);
  expect(FindingKind::undefined_mask, "have ended");
}
TEST_P(Tensor, BlockOfLessThanAWarp) {
  d.run("some_lanes", {1}, {16}, give(std::vector<float>(32)), 32);
  expect(FindingKind::undefined_mask, "never were");
}
TEST_P(Tensor, HalfAWarpWaitsForTheOther) {
  d.run("wrong_half_warp", {1}, {32}, give(std::vector<float>(32)));
  EXPECT_FALSE(d.result.ok);
  ASSERT_FALSE(d.findings.all().empty());
  const FindingKind kind = d.findings.all()[0].kind;
  EXPECT_TRUE(kind == FindingKind::deadlock || kind == FindingKind::divergent_barrier) << d.messages();
}
TEST_P(Tensor, LanesThatNameDifferentMatrices) {
  d.run("wrong_addresses", {1}, {32}, give(std::vector<uint16_t>(1024)), give(std::vector<float>(32)));
  expect(FindingKind::undefined_mask, "have to give the same");
}

INSTANTIATE_TEST_SUITE_P(Builds, Tensor, ::testing::Values(LaneBuild::best, LaneBuild::baseline));

}  // namespace
}  // namespace simgpu::exec::testing
