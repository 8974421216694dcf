/// @file
/// Straight stretches: rows that a launch fills once, shapes that accesses with one address register share, and loads of shared memory that
/// the interpreter counts for an observer. Each must leave everything as if warps executed one instruction after the other.
#include <cstring>
#include <type_traits>

#include "simgpu/exec/tests/device.hpp"
#include "simgpu/observe/traffic.hpp"

namespace simgpu::exec::testing {
namespace {

std::string text_of(const std::string& body) {
  return R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 k_p, .param .u32 k_n)
{
.reg .pred %q<10>;
.reg .b32 %r<40>;
.reg .f32 %f<40>;
.reg .b64 %d<10>;
.shared .align 16 .b8 tile[1024];
)" + body +
         "\nret;\n}\n";
}

// What all blocks have in common, and what only looks like it: a register that is written twice, one that is written under a guard, and
// one that a block's number goes into.
const char* const kCommon = R"(
ld.param.u64 %d1, [k_p];
ld.param.u32 %r1, [k_n];
mov.u32 %r2, %tid.x;
mov.u32 %r3, %tid.y;
mov.u32 %r4, %ntid.x;
mad.lo.s32 %r5, %r3, %r4, %r2;
mov.u32 %r6, %ctaid.x;
mov.u32 %r7, %ntid.y;
mul.lo.s32 %r8, %r4, %r7;
mad.lo.s32 %r9, %r6, %r8, %r5;
mov.u32 %r10, 7;
setp.lt.u32 %q1, %r6, 2;
@%q1 add.s32 %r10, %r10, 100;
mov.u32 %r11, 0;
@%q1 mov.u32 %r11, %r1;
add.s32 %r12, %r10, %r11;
shl.b32 %r13, %r5, 4;
add.s32 %r12, %r12, %r13;
cvta.to.global.u64 %d2, %d1;
mul.wide.u32 %d3, %r9, 4;
add.s64 %d4, %d2, %d3;
st.global.u32 [%d4], %r12;
)";

TEST(KeptRows, HoldWhatEachWarpWouldCompute) {
  constexpr unsigned kX = 7, kY = 5, kBlocks = 30, kThreads = kX * kY,
                     kN = 1000;                     // two warps, one of three threads
  for (const std::uint32_t every : {0u, 1u, 3u}) {  // warps that are timed execute everything themselves
    Device d;
    d.load(text_of(kCommon));
    const std::uint64_t array = d.upload(std::vector<std::uint32_t>(kBlocks * kThreads));
    d.launch.scoreboard_every = every;
    d.run("k", {kBlocks}, {kX, kY}, array, std::uint32_t{kN});
    EXPECT_TRUE(d.result.ok) << d.messages();
    EXPECT_EQ(d.result.mix.warp_instructions, kBlocks * 2 * 23);
    const auto out = d.download<std::uint32_t>(array, kBlocks * kThreads);
    for (unsigned b = 0; b < kBlocks; ++b)
      for (unsigned t = 0; t < kThreads; ++t)
        ASSERT_EQ(out[b * kThreads + t], 7 + (b < 2 ? 100 + kN : 0) + 16 * t)
            << "block " << b << ", thread " << t;
  }
}

// The launches of one kernel differ in their parameters.
TEST(KeptRows, AreEachLaunchsOwn) {
  Device d;
  d.load(text_of(kCommon));
  const std::uint64_t array = d.upload(std::vector<std::uint32_t>(32));
  for (const std::uint32_t n : {1u, 50u}) {
    d.run("k", {1}, {32}, array, n);
    EXPECT_EQ(d.download<std::uint32_t>(array, 32)[3], 107 + n + 48);
  }
}

/// Is told every access, and tells Traffic, which cannot have any counted.
class OneByOne final : public observe::Observer {
 public:
  explicit OneByOne(observe::Traffic& to) : to_(to) {}
  void launch_begin(const observe::LaunchInfo& info) override { to_.launch_begin(info); }
  void launch_end() override { to_.launch_end(); }
  void block_begin(const observe::WarpId& w) override { to_.block_begin(w); }
  void block_end(const observe::WarpId& w) override { to_.block_end(w); }
  void block_barrier(const observe::WarpId& w) override { to_.block_barrier(w); }
  void block_barrier_arrival(const observe::WarpId& w) override { to_.block_barrier_arrival(w); }
  void access(const observe::Access& a) override {
    ++told;
    to_.access(a);
  }
  std::uint64_t told = 0;

 private:
  observe::Traffic& to_;
};
/// Counts what it is told.
class Listener final : public observe::Observer {
 public:
  void access(const observe::Access&) override { ++told; }
  std::uint64_t told = 0;
};

// Loads of a tile with one address register and with another one, under a guard between them, whose lanes lie in another way in every
// third turn, and a store of parts of sectors on either side, whose way to the L2 a load in between decides.
const std::string kTiles = [] {
  std::string body = R"(
ld.param.u64 %d1, [k_p];
mov.u32 %r1, %tid.x;
mov.u32 %r20, tile;
mov.u32 %r21, 0;
mov.f32 %f20, 0f00000000;
mul.wide.u32 %d3, %r1, 64;
add.s64 %d4, %d1, %d3;
turn:
rem.u32 %r22, %r21, 3;
setp.eq.s32 %q2, %r22, 0;
selp.b32 %r23, 4, 8, %q2;
and.b32 %r24, %r1, 31;
mul.lo.s32 %r25, %r24, %r23;
add.s32 %r26, %r20, %r25;
and.b32 %r28, %r24, 16;
add.s32 %r27, %r20, %r28;
st.shared.f32 [%r26], %f20;
bar.sync 0;
st.global.f32 [%d4], %f20;
)";
  for (int n = 0; n < 8; ++n) {
    const std::string k = std::to_string(n);
    body += "ld.shared.f32 %f" + k + ", [%r26+" + std::to_string(16 * n) + "];\n";
    body += "ld.shared.f32 %f1" + k + ", [%r20+" + std::to_string(4 * n) + "];\n";
    body += "fma.rn.f32 %f20, %f" + k + ", %f1" + k + ", %f20;\n";
    if (n % 3 == 0)
      body += "ld.shared.v4.f32 {%f30, %f31, %f32, %f33}, [%r27+" + std::to_string(16 * n) +
              "];\nadd.f32 %f20, %f20, %f33;\n";
    if (n == 5) body += "@%q2 ld.shared.f32 %f20, [%r26+8];\n";
  }
  return body + R"(
st.global.f32 [%d4+8], %f20;
bar.sync 0;
add.s32 %r21, %r21, 1;
setp.lt.s32 %q1, %r21, 20;
@%q1 bra turn;
)";
}();

template <class T>
void expect_same(const T& a, const T& b) {
  static_assert(std::is_trivially_copyable_v<T>);
  EXPECT_EQ(std::memcmp(&a, &b, sizeof a), 0);
}

TEST(CountedLoads, CountAsThoseThatAreTold) {
  for (const unsigned blocks : {8u, 200u}) {  // of few all are watched closely, of many most are not
    observe::Traffic told, counted;
    OneByOne one_by_one(told);
    Listener beside;
    std::uint64_t heard[3] = {};
    std::vector<std::uint32_t> results[3];  // bit by bit
    for (int way = 0; way < 3; ++way) {
      Device d;
      d.load(text_of(kTiles));
      observe::Traffic again;
      if (way == 0)
        d.observers = {&one_by_one};
      else if (way == 1)
        d.observers = {&counted};
      else
        d.observers = {&again, &beside};
      const std::uint64_t array = d.upload(std::vector<float>(64 * 16));
      d.run("k", {blocks}, {64}, array, 0u);
      ASSERT_TRUE(d.result.ok) << d.messages();
      results[way] = d.download<std::uint32_t>(array, 64 * 16);
      const observe::Traffic& seen = way == 0 ? told : way == 1 ? counted : again;
      heard[way] = way == 0 ? one_by_one.told : beside.told;
      if (way == 0) continue;
      expect_same(seen.counters(), told.counters());
      ASSERT_EQ(seen.sms().size(), told.sms().size());
      for (std::size_t n = 0; n < seen.sms().size(); ++n) expect_same(seen.sms()[n], told.sms()[n]);
      ASSERT_EQ(seen.sites().size(), told.sites().size());
      for (std::size_t n = 0; n < seen.sites().size(); ++n) {
        observe::SiteCounters a = seen.sites()[n], b = told.sites()[n];
        a.site = b.site = nullptr;
        expect_same(a, b);
        EXPECT_GT(a.requests, 0u);
      }
    }
    EXPECT_EQ(results[0], results[1]);
    EXPECT_EQ(heard[2], heard[0]);  // whoever cannot count is told of all
  }
}

// One of them goes beyond the block's memory: the launch ends there, and says so.
TEST(CountedLoads, FindTheOneThatIsOutOfBounds) {
  const auto run = [](Device& d, const std::string& beyond) {
    d.load(text_of(R"(
mov.u32 %r1, %tid.x;
shl.b32 %r2, %r1, 2;
mov.u32 %r3, tile;
add.s32 %r4, %r3, %r2;
ld.shared.f32 %f1, [%r4];
ld.shared.f32 %f2, [%r4+4];
ld.shared.f32 %f3, [%r4+8];
ld.shared.f32 %f4, [%r4+)" +
                   beyond + R"(];
ld.shared.f32 %f5, [%r4+12];
ld.shared.f32 %f6, [%r4+16];
)"));
    d.run("k", {3}, {32}, std::uint64_t{0}, 0u);
  };
  observe::Traffic traffic;
  Device sound;
  sound.observers = {&traffic};
  run(sound, "896");
  EXPECT_TRUE(sound.result.ok) << sound.messages();
  EXPECT_EQ(sound.result.mix.warp_instructions, 3u * 11);
  Device wrong;
  wrong.observers = {&traffic};
  run(wrong, "900");
  EXPECT_FALSE(wrong.result.ok);
  ASSERT_EQ(wrong.findings.all().size(), 1u) << wrong.messages();
  EXPECT_EQ(wrong.findings.all()[0].kind, observe::FindingKind::out_of_bounds);
  EXPECT_NE(wrong.messages().find("Thread (31,0,0) of block (0,0,0)"), std::string::npos) << wrong.messages();
  EXPECT_EQ(wrong.result.mix.warp_instructions, 8u);  // up to the one that is wrong
}

/// Threads sum up one word of each of kArrays arrays that lie one behind the other, and store the sum at twice its place: %d3 is where
/// a thread's words lie in each. All addresses are worked out before the first is used, and @p filler instructions come before that.
constexpr unsigned kArrays = 40;
std::string sums_of_arrays(unsigned filler, unsigned words, const std::string& place,
                           const std::string& between) {
  std::string body = R"(
.reg .b64 %b<50>;
.reg .b64 %s<50>;
.reg .b32 %v<50>;
ld.param.u64 %d1, [k_p];
cvta.to.global.u64 %d2, %d1;
mov.u32 %r1, %tid.x;
mov.u32 %r2, %ctaid.x;
mov.u32 %r3, %ntid.x;
mad.lo.s32 %r4, %r2, %r3, %r1;
mov.u32 %r6, %r4;
)" + place + "mul.wide.u32 %d3, %r5, 4;\n";
  for (unsigned n = 0; n < filler; ++n) body += "add.s32 %r6, %r6, 3;\n";
  for (unsigned n = 0; n < kArrays; ++n) {
    const std::string k = std::to_string(n);
    body += "add.s64 %b" + k + ", %d2, " + std::to_string(4 * words * n) + ";\n";
    body += n % 2 ? "add.s64 %s" + k + ", %b" + k + ", %d3;\n" : "add.s64 %s" + k + ", %d3, %b" + k + ";\n";
  }
  body += between;
  for (unsigned n = 0; n < kArrays; ++n)
    body += "ld.global.u32 %v" + std::to_string(n) + ", [%s" + std::to_string(n) + "];\n";
  body += "mov.u32 %r7, 0;\n";
  for (unsigned n = 0; n < kArrays; ++n) body += "add.s32 %r7, %r7, %v" + std::to_string(n) + ";\n";
  body += "mul.wide.u32 %d5, %r4, 8;\nadd.s64 %b41, %d2, " + std::to_string(4 * words * kArrays) +
          ";\nadd.s64 %s41, %b41, %d5;\nst.global.u32 [%s41], %r7;\n";
  return text_of(body);
}

/// Says of one load that nobody wrote what it reads: from there on instructions are looked at one by one.
class SaysUnwritten final : public observe::Observer {
 public:
  explicit SaysUnwritten(unsigned at) : at_(at) {}
  void access(const observe::Access& a) override {
    if (a.unwritten == nullptr || a.kind != observe::AccessKind::load || ++loads_ != at_) return;
    a.unwritten->lanes = 1;
    a.unwritten->bytes[0] = 0xF;
  }

 private:
  unsigned at_, loads_ = 0;
};

struct FoldedSums : public ::testing::Test {
  static constexpr unsigned kBlocks = 6, kThreads = 80,
                            kAll = kBlocks * kThreads;  // the last warp of a block is half full
  void expect_sums(Device& d, const std::string& text, const std::vector<unsigned>& places,
                   const std::string& what) {
    std::vector<std::uint32_t> data(kAll * (kArrays + 2));
    for (std::size_t n = 0; n < data.size(); ++n) data[n] = static_cast<std::uint32_t>(n * 2654435761u);
    d.load(text);
    const std::uint64_t array = d.upload(data);
    d.run("k", {kBlocks}, {kThreads}, array, std::uint32_t{0});
    ASSERT_TRUE(d.result.ok) << what << d.messages();
    const auto out = d.download<std::uint32_t>(array, data.size());
    for (unsigned t = 0; t < kAll; ++t) {
      std::uint32_t sum = 0;
      for (unsigned n = 0; n < kArrays; ++n) sum += data[kAll * n + places[t]];
      ASSERT_EQ(out[kAll * kArrays + 2 * t], sum) << what << "thread " << t;
    }
  }
};

// A turn ends after 256 instructions, wherever that is.
TEST_F(FoldedSums, AreThereWhereAStretchIsCut) {
  std::vector<unsigned> places(kAll);
  for (unsigned t = 0; t < kAll; ++t) places[t] = t;
  for (unsigned filler = 100; filler < 260; filler += 7) {
    Device d;
    expect_sums(d, sums_of_arrays(filler, kAll, "mov.u32 %r5, %r4;\n", ""), places,
                std::to_string(filler) + " before: ");
  }
}

TEST_F(FoldedSums, AreThereWhereInstructionsAreLookedAtOneByOne) {
  std::vector<unsigned> places(kAll);
  for (unsigned t = 0; t < kAll; ++t) places[t] = t;
  for (unsigned at = 1; at < 4 * kArrays; at += 3) {
    Device d;
    SaysUnwritten observer(at);
    d.observers = {&observer};
    expect_sums(d, sums_of_arrays(0, kAll, "mov.u32 %r5, %r4;\n", ""), places,
                "load " + std::to_string(at) + ": ");
  }
}

// Lanes all over the array, in another way in each warp; and all at one place.
TEST_F(FoldedSums, AreThereWhereLanesLieAnyhow) {
  std::vector<unsigned> places(kAll), none(kAll);
  for (unsigned t = 0; t < kAll; ++t) places[t] = t * 7919u * (t / 32 + 1) % kAll;
  const std::string scatter =
      "shr.u32 %r8, %r4, 5;\nadd.s32 %r8, %r8, 1;\nmul.lo.s32 %r9, %r4, 7919;\nmul.lo.s32 %r9, %r9, "
      "%r8;\nrem.u32 %r5, %r9, " +
      std::to_string(kAll) + ";\n";
  Device d, e;
  expect_sums(d, sums_of_arrays(0, kAll, scatter, ""), places, "scattered: ");
  expect_sums(e, sums_of_arrays(0, kAll, "mov.u32 %r5, 0;\n", ""), none, "together: ");
}

// What lanes add has another value by then; or the sum itself is asked for.
TEST_F(FoldedSums, AreWorkedOutWhereTheyMustBe) {
  std::vector<unsigned> places(kAll);
  for (unsigned t = 0; t < kAll; ++t) places[t] = t;
  Device d, e;
  expect_sums(d, sums_of_arrays(0, kAll, "mov.u32 %r5, %r4;\n", "mul.wide.u32 %d3, %r5, 400;\n"), places,
              "overwritten: ");
  expect_sums(
      e,
      sums_of_arrays(0, kAll, "mov.u32 %r5, %r4;\n", "sub.s64 %d6, %s7, %s5;\nst.shared.u64 [tile], %d6;\n"),
      places, "asked for: ");
}

TEST_F(FoldedSums, TellTheAddressThatIsWrong) {
  Device d;
  d.load(sums_of_arrays(0, 1 << 20, "mov.u32 %r5, %r4;\n", ""));
  const std::uint64_t array = d.upload(std::vector<std::uint32_t>(kAll));
  d.run("k", {kBlocks}, {kThreads}, array, std::uint32_t{0});
  EXPECT_FALSE(d.result.ok);
  ASSERT_EQ(d.findings.all().size(), 1u);
  EXPECT_EQ(d.findings.all()[0].kind, observe::FindingKind::out_of_bounds);
  EXPECT_EQ(d.findings.all()[0].address, array + (4u << 20));
}

}  // namespace
}  // namespace simgpu::exec::testing
