/// @file
/// Kernels that go through the toolkit's libraries: CUB, cooperative groups, pipelines, libcu++ atomics,
/// device malloc.
#include <algorithm>
#include <numeric>

#include "simgpu/exec/tests/device.hpp"

namespace simgpu::exec::testing {
namespace {

class Library : public ::testing::Test {
 protected:
  void SetUp() override { d.load(read_text(SIMGPU_LIBRARY_PTX)); }
  Device d;
  static std::vector<int> numbers(std::size_t n) {
    std::vector<int> v(n);
    for (std::size_t i = 0; i < n; ++i) v[i] = static_cast<int>(i * 2654435761u >> 7) % 1000 - 500;
    return v;
  }
};

TEST_F(Library, CubBlockReduce) {
  const auto in = d.upload(std::vector<float>(512, 0.5f)), out = d.upload(std::vector<float>{0});
  ASSERT_TRUE(d.run("cubsum", {4}, {128}, in, out).ok) << d.messages();
  EXPECT_EQ(d.download<float>(out, 1)[0], 256.0f);
}
TEST_F(Library, CubBlockScan) {
  auto v = numbers(128);
  const auto in = d.upload(v), out = d.upload(std::vector<int>(128));
  ASSERT_TRUE(d.run("cubscan", {1}, {128}, in, out).ok) << d.messages();
  std::partial_sum(v.begin(), v.end(), v.begin());
  EXPECT_EQ(d.download<int>(out, 128), v);
}
TEST_F(Library, CubBlockRadixSort) {
  auto v = numbers(512);
  const auto io = d.upload(v);
  ASSERT_TRUE(d.run("cubsort", {1}, {128}, io).ok) << d.messages();
  std::sort(v.begin(), v.end());
  EXPECT_EQ(d.download<int>(io, 512), v);
}
TEST_F(Library, GridSync) {
  for (Order order : {Order::forward, Order::reversed}) {
    d.launch.order = order;
    d.launch.cooperative = true;
    d.launch.warp_instruction_limit = 10'000'000;
    const auto a = d.upload(std::vector<int>(6 * 64)), out = d.upload(std::vector<int>(6 * 64));
    ASSERT_TRUE(d.run("gridsync", {6}, {64}, a, out).ok) << d.messages();
    EXPECT_EQ(d.download<int>(out, 6 * 64), std::vector<int>(6 * 64, 21));
  }
}
TEST_F(Library, CooperativeGroupsReduce) {
  const auto v = numbers(64);
  const auto in = d.upload(v), out = d.upload(std::vector<int>(2));
  ASSERT_TRUE(d.run("cgreduce", {1}, {64}, in, out).ok) << d.messages();
  EXPECT_EQ(d.download<int>(out, 2), (std::vector<int>{std::accumulate(v.begin(), v.end(), 0), 22}));
}
TEST_F(Library, PipelinedCopies) {
  std::vector<float> v(512);
  std::iota(v.begin(), v.end(), 0.0f);
  const auto in = d.upload(v), out = d.upload(std::vector<float>(512));
  ASSERT_TRUE(d.run("pipeline", {1}, {128}, in, out).ok) << d.messages();
  const auto r = d.download<float>(out, 512);
  for (int i = 0; i < 512; ++i) ASSERT_EQ(r[i], i / 128 * 128 + 127 - i % 128) << i;
}
TEST_F(Library, AtomicsOfLibcu) {
  const auto a = d.upload(std::vector<int>{0}), b = d.upload(std::vector<std::uint64_t>{0}),
             c = d.upload(std::vector<double>{0});
  d.launch.resident_blocks_per_sm = 2;
  d.launch.warp_instruction_limit = 10'000'000;
  ASSERT_TRUE(d.run("atomics", {4}, {64}, a, b, c).ok) << d.messages();
  EXPECT_EQ(d.download<int>(a, 1)[0], 256);
  EXPECT_EQ(d.download<std::uint64_t>(b, 1)[0], 63u);
  EXPECT_EQ(d.download<double>(c, 1)[0], 128.0);
}
TEST_F(Library, Bfloat) {
  const auto in = d.upload(std::vector<float>(32, 1.5f)), out = d.upload(std::vector<float>(32));
  ASSERT_TRUE(d.run("bf", {1}, {32}, in, out).ok) << d.messages();
  EXPECT_EQ(d.download<float>(out, 32)[7], 3.25f);
}
TEST_F(Library, DeviceMalloc) {
  const auto slots = d.upload(std::vector<std::uint64_t>(64));
  ASSERT_TRUE(d.run("heap", {1}, {64}, slots).ok) << d.messages();
}

}  // namespace
}  // namespace simgpu::exec::testing
