/// @file
/// Asynchronous copies, mbarriers and clusters, in kernels that nvcc compiles: results of sound ones, with all checks
/// on, and what is said about wrong ones.
#include <cmath>
#include <numeric>

#include "simgpu/async/tensor_map.hpp"
#include "simgpu/exec/tests/device.hpp"
#include "simgpu/observe/races.hpp"
#include "simgpu/observe/traffic.hpp"
#include "simgpu/observe/uninitialised.hpp"

namespace simgpu::exec::testing {
namespace {

using observe::FindingKind;

struct Map {
  alignas(64) unsigned char bytes[async::kTensorMapBytes] = {};
};

class Async : public ::testing::TestWithParam<Order> {
 protected:
  void SetUp() override {
    d.load(read_text(SIMGPU_ASYNC_PTX));
    d.observers = {&traffic, &races, &uninitialised};
    d.launch.order = GetParam();
    d.launch.warp_instruction_limit = 5'000'000;
  }
  template <class T>
  std::uint64_t give(const std::vector<T>& data) {
    const std::uint64_t a = d.upload(data);
    uninitialised.mark_initialised(a, data.size() * sizeof(T));
    return a;
  }
  static std::vector<float> floats(std::size_t n) {
    std::vector<float> v(n);
    for (std::size_t i = 0; i < n; ++i) v[i] = static_cast<float>(i * 7 % 101);
    return v;
  }
  static std::vector<int> ints(std::size_t n) {
    std::vector<int> v(n);
    std::iota(v.begin(), v.end(), 0);
    return v;
  }
  void expect_sound() {
    EXPECT_TRUE(d.result.ok);
    EXPECT_TRUE(d.findings.all().empty()) << d.messages();
  }
  void expect(FindingKind kind, const std::string& words) {
    EXPECT_FALSE(d.result.ok);
    ASSERT_FALSE(d.findings.all().empty());
    const observe::Finding& f = d.findings.all()[0];
    EXPECT_EQ(f.kind, kind) << d.messages();
    EXPECT_NE(f.message.find(words), std::string::npos) << d.messages();
    EXPECT_GT(f.line, 0u);
  }
  Map map_of(async::TensorType type, std::uint64_t address, std::vector<std::uint64_t> sizes,
             std::vector<std::uint64_t> strides, std::vector<std::uint32_t> box, async::Swizzle swizzle,
             bool nan = false) {
    Map m;
    const std::vector<std::uint32_t> steps(sizes.size(), 1);
    async::TensorMapRequest r;
    r.type = static_cast<std::uint32_t>(type);
    r.rank = static_cast<std::uint32_t>(sizes.size());
    r.address = address;
    r.sizes = sizes.data();
    r.strides = strides.data();
    r.box = box.data();
    r.element_strides = steps.data();
    r.swizzle = static_cast<std::uint32_t>(swizzle);
    r.oob_fill = nan;
    EXPECT_EQ(async::encode(r, m.bytes), "");
    return m;
  }
  Device d;
  observe::Traffic traffic;
  observe::Races races{d.findings};
  observe::Uninitialised uninitialised{d.memory, d.findings};
};

TEST_P(Async, RingOfStages) {
  const int tiles = 10;
  const auto v = floats(3 * tiles * 256);
  const auto in = give(v), out = give(std::vector<float>(3));
  d.run("ring_sum", {3}, {64}, in, out, tiles);
  expect_sound();
  const auto sums = d.download<float>(out, 3);
  for (int b = 0; b < 3; ++b)
    EXPECT_EQ(sums[b], std::accumulate(v.begin() + b * tiles * 256, v.begin() + (b + 1) * tiles * 256, 0.0f));
  const observe::Counters& c = traffic.counters();
  EXPECT_EQ(c.bulk_load_bytes, 3u * tiles * 1024);
  EXPECT_EQ(c.global_load_requests, 0u);  // past the L1
  EXPECT_EQ(c.l2_read_sectors, 3u * tiles * 32);
}
TEST_P(Async, ParityThatIsNeverFlippedIsFound) {
  const auto in = give(floats(2560)), out = give(std::vector<float>(1));
  d.run("wrong_parity", {1}, {64}, in, out, 10);
  expect(FindingKind::missing_wait, "parity");
}
TEST_P(Async, MissingWaitIsFound) {
  const auto in = give(floats(2560)), out = give(std::vector<float>(1));
  d.run("wrong_no_wait", {1}, {64}, in, out, 10);
  expect(FindingKind::missing_wait, "is still writing");
}
TEST_P(Async, BytesThatNobodyAnnouncedAreFound) {
  const auto in = give(floats(2560)), out = give(std::vector<float>(1));
  d.run("wrong_not_announced", {1}, {64}, in, out, 10);
  expect(FindingKind::missing_wait, "announce");
}
TEST_P(Async, NobodyArrives) {
  const auto in = give(floats(256)), out = give(std::vector<float>(64));
  d.run("wrong_nobody_arrives", {1}, {64}, in, out);
  expect(FindingKind::deadlock, "whose phase 0 lacks 1 of 1 arrivals; copies of 1024 bytes are under way");
}
TEST_P(Async, MoreBytesAnnouncedThanCopied) {
  const auto in = give(floats(256)), out = give(std::vector<float>(64));
  d.run("wrong_too_many_bytes", {1}, {64}, in, out);
  expect(FindingKind::deadlock, "lacks 1024 bytes that were announced");
}
TEST_P(Async, MbarrierWithoutInit) {
  const auto out = give(std::vector<float>(1));
  d.run("wrong_no_init", {1}, {1}, out);
  expect(FindingKind::illegal_instruction, "has not been initialised");
}

TEST_P(Async, BulkStores) {
  const auto out = give(std::vector<float>(512));
  d.run("bulk_store_sound", {1}, {64}, out);
  expect_sound();
  const auto v = d.download<float>(out, 512);
  for (int k = 0; k < 512; ++k) ASSERT_EQ(v[k], k % 256 + 1000 * (k / 256));
  EXPECT_EQ(traffic.counters().bulk_store_bytes, 2048u);
  EXPECT_EQ(traffic.counters().l2_write_sectors, 64u);
}
TEST_P(Async, MissingProxyFenceIsFound) {
  const auto out = give(std::vector<float>(512));
  d.run("wrong_no_fence", {1}, {64}, out);
  expect(FindingKind::missing_fence, "fence.proxy.async");
}
TEST_P(Async, SourceWrittenTooEarlyIsFound) {
  const auto out = give(std::vector<float>(512));
  d.run("wrong_reuse", {1}, {64}, out);
  expect(FindingKind::missing_wait, "has not read yet");
}
TEST_P(Async, StoreNotWaitedForIsFound) {
  const auto out = give(std::vector<float>(512));
  d.run("wrong_store_no_wait", {1}, {64}, out);
  expect(FindingKind::missing_wait, "without having waited for its bulk store");
}
TEST_P(Async, BulkReduction) {
  const auto out = give(std::vector<int>(256, 5));
  d.run("bulk_add", {3}, {64}, out);
  expect_sound();
  const auto v = d.download<int>(out, 256);
  for (int k = 0; k < 256; ++k) ASSERT_EQ(v[k], 5 + 3 * k);
}

TEST_P(Async, SwizzledTiles) {
  using async::Swizzle;
  for (const Swizzle s : {Swizzle::none, Swizzle::span_32, Swizzle::span_64, Swizzle::span_128}) {
    const std::uint32_t row = s == Swizzle::none ? 64 : async::span_of(s), rows = 1024 / row;
    const std::uint32_t width = 256, height = 80;
    std::vector<unsigned char> v(width * height);
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = static_cast<unsigned char>(i * 31 + i / 256);
    const auto in = give(v), out = give(std::vector<unsigned char>(1024));
    const Map m = map_of(async::TensorType::u8, in, {width, height}, {width}, {row, rows}, s);
    d.run("tile_1024", {1}, {128}, m, 32, 5, out);
    expect_sound();
    const auto got = d.download<unsigned char>(out, 1024);
    for (std::uint32_t y = 0; y < rows; ++y)
      for (std::uint32_t x = 0; x < row; ++x) {
        // address bits 4-6 exclusive-or bits 7-9, as many as the span has chunks
        const std::uint32_t chunks = s == Swizzle::none ? 1 : row / 16, line = (y * row + x) / 128;
        const std::uint32_t at = y * row + ((x / 16 ^ line % chunks) * 16 + x % 16);
        ASSERT_EQ(got[at], v[(y + 5) * width + x + 32]) << row << " " << y << " " << x;
      }
  }
}
TEST_P(Async, TilesBeyondTheEdges) {
  const std::vector<float> v = floats(20 * 20);
  const auto in = give(v);
  for (const bool nan : {false, true}) {
    const auto out = give(std::vector<float>(256));
    const Map m = map_of(async::TensorType::f32, in, {18, 20}, {80}, {16, 16}, async::Swizzle::none, nan);
    d.run("tile_1024", {1}, {64}, m, -4, 12, out);
    expect_sound();
    const auto got = d.download<float>(out, 256);
    for (int y = 0; y < 16; ++y)
      for (int x = 0; x < 16; ++x) {
        const int gx = x - 4, gy = y + 12;
        if (gx >= 0 && gx < 18 && gy < 20)
          ASSERT_EQ(got[y * 16 + x], v[gy * 20 + gx]);
        else if (nan)
          ASSERT_TRUE(std::isnan(got[y * 16 + x]));
        else
          ASSERT_EQ(got[y * 16 + x], 0.0f);
      }
    EXPECT_EQ(traffic.counters().bulk_load_bytes, 1024u);  // those outside count for the mbarrier too
  }
}
TEST_P(Async, TileTransposedAndStored) {
  const std::vector<float> v = floats(40 * 36);
  const auto in = give(v), out = give(std::vector<float>(36 * 40, -1));
  const Map from = map_of(async::TensorType::f32, in, {36, 40}, {144}, {16, 16}, async::Swizzle::none);
  const Map to = map_of(async::TensorType::f32, out, {40, 36}, {160}, {16, 16}, async::Swizzle::none);
  d.run("tile_transpose", {1}, {256}, from, to, 24, 32);  // reaches over both edges: nothing is stored there
  expect_sound();
  const auto got = d.download<float>(out, 36 * 40);
  for (int y = 0; y < 36; ++y)
    for (int x = 0; x < 40; ++x) ASSERT_EQ(got[y * 40 + x], x >= 32 && y >= 24 ? v[x * 36 + y] : -1.0f);
}
TEST_P(Async, ThreeDimensions) {
  std::vector<float> v(8 * 6 * 5);
  std::iota(v.begin(), v.end(), 0.0f);
  const auto in = give(v), out = give(std::vector<float>(24));
  const Map m = map_of(async::TensorType::f32, in, {8, 6, 5}, {32, 192}, {4, 3, 2}, async::Swizzle::none);
  d.run("tile_3d", {1}, {32}, m, out);
  expect_sound();
  const auto got = d.download<float>(out, 24);
  for (int k = 0; k < 24; ++k) ASSERT_EQ(got[k], (k / 12 + 1) * 48 + (k / 4 % 3 + 1) * 8 + k % 4 + 4);
}
TEST_P(Async, TilesStartAtMultiplesOf16Bytes) {
  const auto in = give(floats(20 * 20)), out = give(std::vector<float>(256));
  const Map m = map_of(async::TensorType::f32, in, {18, 20}, {80}, {16, 16}, async::Swizzle::none);
  d.run("tile_1024", {1}, {64}, m, 3, 0, out);
  expect(FindingKind::illegal_instruction, "multiples of 16 bytes");
}
TEST_P(Async, ForeignTensorMapIsFound) {
  const auto out = give(std::vector<float>(256));
  d.run("tile_1024", {1}, {64}, Map{}, 0, 0, out);
  expect(FindingKind::illegal_instruction, "cuTensorMapEncodeTiled");
}

TEST_P(Async, TensorMapInLocalMemoryIsNamed) {
  const auto in = give(floats(20 * 20)), out = give(std::vector<float>(256));
  const Map m = map_of(async::TensorType::f32, in, {18, 20}, {80}, {16, 16}, async::Swizzle::none);
  d.run("wrong_local_map", {1}, {64}, m, 0, 0, out);
  expect(FindingKind::illegal_instruction, "__grid_constant__");
}

TEST_P(Async, Multicast) {
  d.launch.cluster = {4};
  const auto v = ints(256);
  const auto in = give(v), out = give(std::vector<int>(4 * 256));
  d.run("multicast", {4}, {64}, in, out);
  expect_sound();
  const auto got = d.download<int>(out, 4 * 256);
  for (int k = 0; k < 4 * 256; ++k) ASSERT_EQ(got[k], k % 256);
  EXPECT_EQ(traffic.counters().l2_read_sectors, 32u);  // read once for all
}
TEST_P(Async, ClusterHistogram) {
  d.launch.cluster = {4};
  d.launch.dynamic_shared_bytes = 64 * 4;
  std::vector<int> v(3000), want(256);
  for (std::size_t i = 0; i < v.size(); ++i) ++want[v[i] = static_cast<int>(i * 2654435761u >> 9) & 255];
  const auto in = give(v), bins = give(std::vector<int>(256));
  d.run("cluster_histogram", {8}, {64}, in, 3000, bins, 64);
  expect_sound();
  EXPECT_EQ(d.download<int>(bins, 256), want);
}
TEST_P(Async, ClusterRegisters) {
  d.launch.cluster = {2, 2};
  const auto out = give(std::vector<int>(8 * 24));
  d.run("cluster_ids", {6, 4}, {32}, out);
  expect_sound();
  const auto v = d.download<int>(out, 8 * 24);
  for (int y = 0; y < 4; ++y)
    for (int x = 0; x < 6; ++x) {
      const int* o = v.data() + 8 * (y * 6 + x);
      EXPECT_EQ(std::vector<int>(o, o + 8),
                (std::vector<int>{y % 2 * 2 + x % 2, 4, x % 2, y % 2, 2, x / 2, y / 2, 3}));
    }
}
TEST_P(Async, PeerThatHasEndedIsFound) {
  d.launch.cluster = {2};
  const auto out = give(std::vector<int>(32));
  d.run("wrong_peer_gone", {2}, {32}, out);
  expect(FindingKind::out_of_bounds, "already ended");
}
TEST_P(Async, MissingClusterSyncIsARace) {
  d.launch.cluster = {2};
  const auto out = give(std::vector<int>(64));
  d.run("wrong_no_cluster_sync", {2}, {32}, out);
  bool found = false;
  for (const auto& f : d.findings.all())
    found |= (f.kind == FindingKind::race || f.kind == FindingKind::uninitialised_read) &&
             f.memory == observe::Memory::shared;
  EXPECT_TRUE(found) << d.messages();
}
TEST_P(Async, RemoteArrivalsAndStores) {
  d.launch.cluster = {2};
  const auto out = give(std::vector<int>(64));
  d.run("remote_arrive", {2}, {32}, out);
  expect_sound();
  const auto v = d.download<int>(out, 64);
  for (int k = 0; k < 64; ++k) ASSERT_EQ(v[k], k % 32 + (k < 32 ? 100 : 0));
}

TEST_P(Async, LibcuBarrier) {
  const auto in = give(ints(512)), out = give(std::vector<int>(128));
  d.run("libcu_barrier", {1}, {128}, in, out);
  expect_sound();
  const auto v = d.download<int>(out, 128);
  for (int k = 0; k < 128; ++k) ASSERT_EQ(v[k], 4 * (127 - k) + 128 * 6);
}
TEST_P(Async, LibcuMemcpyAsync) {
  const auto in = give(ints(256)), out = give(std::vector<int>(128));
  d.run("libcu_memcpy_async", {1}, {128}, in, out);
  expect_sound();
  const auto v = d.download<int>(out, 128);
  for (int k = 0; k < 128; ++k) ASSERT_EQ(v[k], (k ^ 1) + 128 + (k ^ 2));
}
TEST_P(Async, LibcuPipeline) {
  const auto in = give(ints(128 * 7)), out = give(std::vector<int>(128));
  d.run("libcu_pipeline", {1}, {128}, in, out, 7);
  expect_sound();
  const auto v = d.download<int>(out, 128);
  for (int k = 0; k < 128; ++k) ASSERT_EQ(v[k], 7 * (127 - k) + 128 * 21);
}
TEST_P(Async, LibcuPipelineWithRoles) {
  const auto in = give(ints(64 * 9)), out = give(std::vector<int>(64));
  d.run("libcu_roles", {1}, {128}, in, out, 9);
  expect_sound();
  const auto v = d.download<int>(out, 64);
  for (int k = 0; k < 64; ++k) ASSERT_EQ(v[k], 9 * (63 - k) + 64 * 36);
}
TEST_P(Async, LibcuPtx) {
  const auto in = give(ints(128)), out = give(std::vector<int>(128));
  d.run("libcu_ptx", {1}, {128}, in, out);
  expect_sound();
  const auto v = d.download<int>(out, 128);
  for (int k = 0; k < 128; ++k) ASSERT_EQ(v[k], k + 1);
}
TEST_P(Async, ArriveAndDrop) {
  const auto out = give(std::vector<int>(32));
  d.run("drop", {1}, {64}, out);
  expect_sound();
  const auto v = d.download<int>(out, 32);
  for (int k = 0; k < 32; ++k) EXPECT_EQ(v[k], 32 - k);
}
TEST_P(Async, MbarriersOrderThreads) {
  const auto out = give(std::vector<int>(64));
  d.run("handshake_sound", {1}, {64}, out);
  expect_sound();
  EXPECT_EQ(d.download<int>(out, 1)[0], 63);
}
TEST_P(Async, MissingWaitForThreadsIsARace) {
  const auto out = give(std::vector<int>(64));
  d.run("wrong_handshake", {1}, {64}, out);
  bool found = false;
  for (const auto& f : d.findings.all()) found |= f.kind == FindingKind::race && !f.warning;
  EXPECT_TRUE(found) << d.messages();
}
TEST_P(Async, SplitClusterBarrier) {
  d.launch.cluster = {2};
  const auto out = give(std::vector<int>(2 * 3 * 64));
  d.run("split_barrier", {2}, {32}, out);
  expect_sound();
  const auto v = d.download<int>(out, 2 * 3 * 64);
  for (int b = 0; b < 2; ++b)
    for (int r = 0; r < 3; ++r)
      for (int t = 0; t < 32; ++t) ASSERT_EQ(v[(b * 3 + r) * 64 + t], (1 - b) * 100 + t + r);
}
TEST_P(Async, ElectAndGridDependency) {
  const auto out = give(std::vector<int>(32));
  d.run("elect_and_depend", {1}, {32}, out);
  expect_sound();
  const auto v = d.download<int>(out, 32);
  EXPECT_EQ(std::accumulate(v.begin(), v.end(), 0), 1);
}
TEST_P(Async, LanesOfOneWarpWaitForEachOther) {
  const auto out = give(std::vector<int>(32));
  d.run("same_warp", {1}, {32}, out);
  expect_sound();
  EXPECT_EQ(d.download<int>(out, 1)[0], 7);
}

INSTANTIATE_TEST_SUITE_P(Orders, Async, ::testing::Values(Order::forward, Order::reversed),
                         [](const auto& info) {
                           return info.param == Order::forward ? "forward" : "reversed";
                         });

}  // namespace
}  // namespace simgpu::exec::testing
