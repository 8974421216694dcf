/// @file
/// Ordinary kernels, compiled by nvcc when the tests are built, run and compared with the host's answer.
#include <cmath>
#include <numeric>

#include "simgpu/exec/tests/device.hpp"

namespace simgpu::exec::testing {
namespace {

class Kernels : public ::testing::Test {
 protected:
  void SetUp() override { d.load(read_text(SIMGPU_KERNELS_PTX)); }
  Device d;
  static std::vector<float> ramp(std::size_t n) {
    std::vector<float> v(n);
    for (std::size_t i = 0; i < n; ++i) v[i] = static_cast<float>((i * 7 + 3) % 101) * 0.25f;
    return v;
  }
};

TEST_F(Kernels, VectorAddWithATail) {
  const int n = 1000;
  const auto a = ramp(n), b = std::vector<float>(n, 2);
  const auto pa = d.upload(a), pb = d.upload(b), pc = d.upload(std::vector<float>(n));
  ASSERT_TRUE(d.run("vector_add", {4}, {256}, pa, pb, pc, n).ok) << d.messages();
  const auto c = d.download<float>(pc, n);
  for (int i = 0; i < n; ++i) ASSERT_EQ(c[i], a[i] + 2) << i;
}
TEST_F(Kernels, BlockSum) {
  const int n = 10000;
  const auto a = ramp(n);
  const auto pa = d.upload(a), out = d.upload(std::vector<float>{0});
  d.launch.resident_blocks_per_sm = 4;
  ASSERT_TRUE(d.run("block_sum", {(n + 255) / 256}, {256}, pa, out, n).ok) << d.messages();
  EXPECT_EQ(d.download<float>(out, 1)[0], std::accumulate(a.begin(), a.end(), 0.0f));
}
// The machine shuffles in all groups at once, though each names only its own lanes.
TEST_F(Kernels, GroupsOfAWarpShuffleTogether) {
  const auto a = ramp(32);
  std::uint64_t executed[2];
  for (int apart : {0, 1}) {
    const auto pa = d.upload(a), out = d.upload(std::vector<float>(32));
    ASSERT_TRUE(d.run("sums_of_eight", {1}, {32}, pa, out, apart).ok) << d.messages();
    executed[apart] = d.result.mix.warp_instructions;
    const auto sums = d.download<float>(out, 32);
    for (int i = 0; i < 32; ++i)
      EXPECT_EQ(sums[i], std::accumulate(a.begin() + i / 8 * 8, a.begin() + i / 8 * 8 + 8, 0.0f)) << i;
  }
  EXPECT_EQ(executed[0], executed[1]);
}
TEST_F(Kernels, TransposeInBothOrders) {
  const int n = 128;
  const auto a = ramp(n * n);
  for (Order order : {Order::forward, Order::reversed}) {
    d.launch.order = order;
    const auto pa = d.upload(a), out = d.upload(std::vector<float>(n * n));
    ASSERT_TRUE(d.run("transpose", {4, 4}, {32, 8}, pa, out, n).ok) << d.messages();
    const auto c = d.download<float>(out, n * n);
    for (int i = 0; i < n * n; ++i) ASSERT_EQ(c[i], a[(i % n) * n + i / n]) << i;
  }
}
TEST_F(Kernels, StencilWithDynamicShared) {
  const int n = 1000;
  const auto a = ramp(n);
  const auto pa = d.upload(a), out = d.upload(std::vector<float>(n));
  d.launch.dynamic_shared_bytes = (256 + 6) * 4;
  ASSERT_TRUE(d.run("stencil", {4}, {256}, pa, out, n).ok) << d.messages();
  const auto c = d.download<float>(out, n);
  for (int i = 3; i < n - 3; ++i) {
    float s = 0;
    for (int k = -3; k <= 3; ++k) s += a[i + k];
    ASSERT_EQ(c[i], s) << i;
  }
}
TEST_F(Kernels, WarpSum) {
  const int n = 5000;
  const auto a = ramp(n);
  const auto pa = d.upload(a), out = d.upload(std::vector<float>{0});
  ASSERT_TRUE(d.run("warp_sum", {8}, {128}, pa, out, n).ok) << d.messages();
  EXPECT_EQ(d.download<float>(out, 1)[0], std::accumulate(a.begin(), a.end(), 0.0f));
}
TEST_F(Kernels, TiledMatmul) {
  const int n = 64;
  const auto a = ramp(n * n), b = ramp(n * n);
  const auto pa = d.upload(a), pb = d.upload(b), pc = d.upload(std::vector<float>(n * n));
  ASSERT_TRUE(d.run("matmul_body", {2, 2}, {32, 32}, pa, pb, pc, n).ok) << d.messages();
  const auto c = d.download<float>(pc, n * n);
  for (int y = 0; y < n; ++y)
    for (int x = 0; x < n; ++x) {
      float s = 0;
      for (int k = 0; k < n; ++k) s = std::fma(a[y * n + k], b[k * n + x], s);
      ASSERT_EQ(c[y * n + x], s);
    }
}
TEST_F(Kernels, SpinLockInOneWarpFinishes) {
  const auto lock = d.upload(std::vector<int>{0}), counter = d.upload(std::vector<int>{0});
  d.launch.warp_instruction_limit = 5'000'000;
  ASSERT_TRUE(d.run("spin_lock", {3}, {64}, lock, counter).ok) << d.messages();
  EXPECT_EQ(d.download<int>(counter, 1)[0], 3 * 64);
}
TEST_F(Kernels, Histogram) {
  const int n = 20000;
  std::vector<unsigned char> in(n);
  std::vector<unsigned> expected(256);
  for (int i = 0; i < n; ++i) ++expected[in[i] = static_cast<unsigned char>(i * i >> 3)];
  const auto p = d.upload(in), bins = d.upload(std::vector<unsigned>(256));
  ASSERT_TRUE(d.run("histogram", {7}, {256}, p, bins, n).ok) << d.messages();
  EXPECT_EQ(d.download<unsigned>(bins, 256), expected);
}
TEST_F(Kernels, Printf) {
  ASSERT_TRUE(d.run("print", {1}, {2}, 3).ok) << d.messages();
  EXPECT_EQ(d.printed,
            "thread 0 of 2: 1.50 text 1099511627776 x%\nthread 1 of 2: 1.50 text 1099511627776 x%\n");
}
TEST_F(Kernels, AssertNamesTheThread) {
  EXPECT_FALSE(d.run("check", {1}, {40}, 33).ok);
  ASSERT_EQ(d.findings.all().size(), 1u);
  EXPECT_EQ(d.findings.all()[0].kind, observe::FindingKind::assertion);
  EXPECT_EQ(d.findings.all()[0].thread, (observe::Dim3{33, 0, 0}));
}
TEST_F(Kernels, RecursionAndDivergence) {
  const auto out = d.upload(std::vector<int>(64));
  ASSERT_TRUE(d.run("recursive", {1}, {64}, out).ok) << d.messages();
  const int fib[] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89};
  const auto r = d.download<int>(out, 64);
  for (int i = 0; i < 64; ++i) ASSERT_EQ(r[i], fib[i % 12]) << i;
}
TEST_F(Kernels, FunctionPointersFromATable) {
  const auto out = d.upload(std::vector<int>(64));
  ASSERT_TRUE(d.run("pointers", {1}, {64}, out).ok) << d.messages();
  const auto r = d.download<int>(out, 64);
  for (int i = 0; i < 64; ++i) ASSERT_EQ(r[i], i & 1 ? i * i : 2 * i) << i;
}
TEST_F(Kernels, Mathematics) {
  const int n = 256;
  std::vector<float> in(n);
  for (int i = 0; i < n; ++i) in[i] = (i - 128) * 0.173f;
  const auto p = d.upload(in), out = d.upload(std::vector<float>(8 * n));
  ASSERT_TRUE(d.run("mathematics", {2}, {128}, p, out, n).ok) << d.messages();
  const auto r = d.download<float>(out, 8 * n);
  for (int i = 0; i < n; ++i) {
    const double x = in[i];
    const double e[] = {std::sin(x),
                        std::exp(x),
                        std::log(std::fabs(x) + 1),
                        std::pow(std::fabs(x), 1.5),
                        std::sqrt(std::fabs(x)),
                        std::sin(x * 1e5),
                        std::tanh(x),
                        std::erf(x)};
    for (int k = 0; k < 8; ++k)
      ASSERT_NEAR(r[8 * i + k], e[k], 4e-6 * std::max(1.0, std::fabs(e[k]))) << i << " " << k;
  }
}
TEST_F(Kernels, HalfPairs) {
  std::vector<float> in = {0.5f, 1.5f, -2.25f, 1000.0f};
  const auto p = d.upload(in), out = d.upload(std::vector<float>(4));
  ASSERT_TRUE(d.run("halves", {1}, {2}, p, out).ok) << d.messages();
  const auto r = d.download<float>(out, 4);
  EXPECT_EQ(r[0], 1.25f);
  EXPECT_EQ(r[1], 3.25f);
  EXPECT_EQ(r[2], 6.0625f);
  EXPECT_TRUE(std::isinf(r[3]));
}
TEST_F(Kernels, LocalArrays) {
  const auto out = d.upload(std::vector<int>(64));
  const int k = 5;
  ASSERT_TRUE(d.run("dynamic_local", {1}, {64}, out, k).ok) << d.messages();
  const auto r = d.download<int>(out, 64);
  for (unsigned t = 0; t < 64; ++t) {
    unsigned a[16], s = 0;
    for (unsigned i = 0; i < 16; ++i) a[i] = i * t;
    for (unsigned i = 0; i < 16; ++i) a[(i * k) & 15] += a[(i + k) & 15];
    for (unsigned v : a) s = s * 31 + v;
    ASSERT_EQ(static_cast<unsigned>(r[t]), s);
  }
}
TEST_F(Kernels, LastBlockTicket) {
  const int n = 5000;
  const auto a = ramp(n);
  for (Order order : {Order::forward, Order::reversed}) {
    d.launch.order = order;
    const auto p = d.upload(a), partial = d.upload(std::vector<float>(16)),
               count = d.upload(std::vector<unsigned>{0}), out = d.upload(std::vector<float>{0});
    ASSERT_TRUE(d.run("ticket", {16}, {128}, p, partial, count, out, n).ok) << d.messages();
    EXPECT_EQ(d.download<float>(out, 1)[0], std::accumulate(a.begin(), a.end(), 0.0f));
  }
}
TEST_F(Kernels, EarlyReturnBeforeABarrierIsAllowed) {
  const auto out = d.upload(std::vector<int>(64));
  ASSERT_TRUE(d.run("early_return", {1}, {64}, out, 40).ok) << d.messages();
  EXPECT_EQ(d.download<int>(out, 64)[39], 1);
  EXPECT_TRUE(d.findings.all().empty()) << d.messages();
}
TEST_F(Kernels, BarrierThatHalfAWarpSkips) {
  const auto out = d.upload(std::vector<int>(64));
  EXPECT_FALSE(d.run("divergent", {1}, {64}, out, 48).ok);
  ASSERT_EQ(d.findings.all().size(), 1u);
  EXPECT_EQ(d.findings.all()[0].kind, observe::FindingKind::divergent_barrier) << d.messages();
  EXPECT_GT(d.findings.all()[0].line, 0u);
  EXPECT_EQ(d.findings.all()[0].thread, (observe::Dim3{32, 0, 0}));
}
TEST_F(Kernels, EndlessLoopIsStoppedAndNamed) {
  const auto flag = d.upload(std::vector<int>{0}), out = d.upload(std::vector<int>{0});
  d.launch.warp_instruction_limit = 100'000;
  EXPECT_FALSE(d.run("forever", {2}, {32}, flag, out).ok);
  ASSERT_EQ(d.findings.all().size(), 1u);
  EXPECT_EQ(d.findings.all()[0].kind, observe::FindingKind::runaway);
  EXPECT_NE(d.findings.all()[0].message.find("basic.cu:"), std::string::npos) << d.messages();
}

}  // namespace
}  // namespace simgpu::exec::testing
