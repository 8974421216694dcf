/// @file
/// Each kind of fault is found, named for a beginner with its place, and ends the launch; and its sound
/// neighbour passes.
#include <cstdlib>

#include "simgpu/exec/tests/device.hpp"

namespace simgpu::exec::testing {
namespace {

using observe::FindingKind;

/// A kernel `k(.u64 p, .u32 n)` with @p body; %tid.x is in %t, p in %p64, n in %n, and p + 4 * tid in %a.
std::string kernel(const std::string& body, const std::string& declarations = "") {
  return ".version 8.0\n.target sm_90\n.address_size 64\n.file 1 \"/home/me/x.cu\"\n" + declarations +
         "\n.visible .entry k(.param .u64 k_p, .param .u32 k_n)\n{\n"
         ".reg .pred %q<10>;\n.reg .b16 %h<10>;\n.reg .b32 %t, %n, %r<20>;\n.reg .f32 %f<10>;\n.reg .b64 "
         "%p64, %a, %d<10>;\n"
         ".loc 1 7 1\nld.param.u64 %p64, [k_p];\nld.param.u32 %n, [k_n];\nmov.u32 %t, %tid.x;\nmad.wide.u32 "
         "%a, %t, 4, %p64;\n.loc 1 12 3\n" +
         body + "\nret;\n}\n";
}

class Faults : public ::testing::Test {
 protected:
  Device d;
  /// Runs @p body in one block of @p threads on an array of 64 ints.
  void run(const std::string& body, unsigned threads = 32, unsigned n = 0,
           const std::string& declarations = "", unsigned blocks = 1) {
    d.load(kernel(body, declarations));
    array = d.upload(std::vector<int>(64));
    d.run("k", {blocks}, {threads}, array, n);
  }
  void expect(FindingKind kind, const std::string& words) {
    ASSERT_EQ(d.findings.all().size(), 1u) << d.messages();
    const observe::Finding& f = d.findings.all()[0];
    EXPECT_EQ(f.kind, kind) << d.messages();
    EXPECT_EQ(f.line, 12u);
    EXPECT_EQ(f.file, "/home/me/x.cu");
    EXPECT_NE(f.message.find(words), std::string::npos) << f.message;
    EXPECT_FALSE(d.result.ok);
  }
  /// An error after which the kernel has gone on.
  void expect_passed(FindingKind kind, const std::string& words) {
    ASSERT_EQ(d.findings.all().size(), 1u) << d.messages();
    const observe::Finding& f = d.findings.all()[0];
    EXPECT_EQ(f.kind, kind) << d.messages();
    EXPECT_FALSE(f.warning);
    EXPECT_TRUE(f.passed);
    EXPECT_NE(f.message.find(words), std::string::npos) << f.message;
    EXPECT_TRUE(d.result.ok);
  }
  void expect_none() {
    EXPECT_TRUE(d.result.ok);
    EXPECT_TRUE(d.findings.all().empty()) << d.messages();
  }
  std::uint64_t array = 0;
};

TEST_F(Faults, StoreToTheLastElementIsFine) {
  run("st.global.u32 [%a+128], 1;");
  expect_none();
}
TEST_F(Faults, StoreOneBeyondTheEnd) {
  run("st.global.u32 [%a+132], 1;");
  expect(FindingKind::out_of_bounds, "Thread (31,0,0) of block (0,0,0) writes 4 bytes");
  EXPECT_NE(d.messages().find("just beyond the end of allocation #0 (256 bytes)"), std::string::npos)
      << d.messages();
}
TEST_F(Faults, LoadBeforeTheStart) {
  run("ld.global.u32 %r1, [%a+-4];");
  expect(FindingKind::out_of_bounds, "4 bytes before the start of allocation #0");
}
TEST_F(Faults, NullPointer) {
  run("mov.u64 %d1, 0; ld.global.u32 %r1, [%d1];");
  expect(FindingKind::out_of_bounds, "null pointer");
}
TEST_F(Faults, Misaligned) {
  run("ld.global.v2.f32 {%f1, %f2}, [%a+4];");
  expect(FindingKind::misaligned, "not a multiple of 8");
}
TEST_F(Faults, UseAfterFree) {
  d.load(kernel("ld.global.u32 %r1, [%a];"));
  array = d.upload(std::vector<int>(64));
  d.memory.free(array);
  d.run("k", {1}, {32}, array, 0u);
  expect(FindingKind::use_after_free, "has been freed");
}
TEST_F(Faults, SharedBeyondTheEnd) {
  run("mov.u32 %r1, s; mad.lo.u32 %r1, %t, 4, %r1; st.shared.u32 [%r1+4], 0;", 32, 0,
      ".shared .align 4 .b8 s[128];");
  expect(FindingKind::out_of_bounds,
         "shared memory just beyond the end of the block's 128 bytes (128 static, 0 dynamic)");
}
TEST_F(Faults, SharedBeforeTheStart) {
  run("mov.u32 %r1, s; mad.lo.s32 %r1, %t, -4, %r1; st.shared.u32 [%r1], 0;", 32, 0,
      ".shared .align 4 .b8 s[128];");
  expect(FindingKind::out_of_bounds, "4 bytes before the start");
}
TEST_F(Faults, StoreToConstantThroughItsAddressIsFine) {
  run("mov.u64 %d1, c; st.global.u32 [%d1], 1;", 32, 0, ".const .align 4 .b8 c[16];");
  expect_none();
}
TEST_F(Faults, UnknownInstructionOnlyWhenExecuted) {
  const std::string body =
      "setp.eq.u32 %q1, %n, 0; @%q1 bra done; .loc 1 12 3\n frobnicate.rn.f32 %f1, %f2; done:";
  run(body, 32, 0);
  expect_none();
  d.run("k", {1}, {32}, array, 1u);
  expect(FindingKind::unsupported_instruction, "frobnicate.rn.f32");
}
TEST_F(Faults, Trap) {
  run("trap;");
  expect(FindingKind::trap, "trap");
}
TEST_F(Faults, BarrierInABranchOfAWarp) {
  run("setp.lt.u32 %q1, %t, 16; @!%q1 bra past; bar.sync 0; past: st.global.u32 [%a], 1;");
  expect(FindingKind::divergent_barrier, "__syncthreads()");
}
TEST_F(Faults, WarpsAtTwoBarriersDeadlock) {
  run("setp.lt.u32 %q1, %t, 32; @%q1 bra one; bar.sync 2; bra end; one: bar.sync 1; end:", 64);
  expect(FindingKind::deadlock,
         "32 threads (first: (0,0,0)) wait at x.cu:12 at barrier 1 for 64 threads, of which 32 have come");
}
TEST_F(Faults, NamedBarrierWithACountPasses) {
  run("setp.lt.u32 %q1, %t, 64; @!%q1 bra end; bar.sync 3, 64; end: bar.sync 0;", 96);
  expect_none();
}
TEST_F(Faults, WarpThatExitedDropsOutOfTheBarrier) {
  run("setp.ge.u32 %q1, %t, 32; @%q1 ret; bar.sync 0; st.global.u32 [%a], 1;", 64);
  expect_none();
}
TEST_F(Faults, ShuffleWaitsForLanesOfAnotherBranch) {
  // Both halves come to the same shuffle one after the other.
  run("setp.lt.u32 %q1, %t, 16; mov.u32 %r1, 5; @%q1 bra low; mov.u32 %r1, 7; low: shfl.sync.bfly.b32 "
      "%r2|%q2, %r1, 16, 31, -1; st.global.u32 [%a], %r2;");
  expect_none();
  const auto r = d.download<int>(array, 32);
  EXPECT_EQ(r[0], 7);
  EXPECT_EQ(r[31], 5);
}
// A sum or a maximum that asks lanes which have ended, and takes what comes for 0, must not come out right.
TEST_F(Faults, ShuffleFromALaneThatHasEndedIsNotZero) {
  run("st.global.u32 [%a], 1; setp.ge.u32 %q1, %t, 9; @%q1 ret; mov.u32 %r1, 1; "
      "shfl.sync.bfly.b32 %r2|%q2, %r1, 8, 31, -1; st.global.u32 [%a], %r2;");
  const auto r = d.download<int>(array, 32);
  EXPECT_EQ(r[0], 1);  // of lane 8, which is there
  for (int lane = 1; lane < 8; ++lane) EXPECT_GT(std::abs(r[static_cast<std::size_t>(lane)]), 1 << 20);
}
TEST_F(Faults, ShuffleWhoseMaskLacksTheLane) {
  // All are told once, nobody is waited for, and who is not named gets what a lane beside it has.
  run("mad.lo.u32 %r1, %t, 3, 0; shfl.sync.up.b32 %r2|%q2, %r1, 16, 0, 65535; st.global.u32 [%a], %r2;");
  expect_passed(FindingKind::undefined_mask, "member mask does not name its own lane");
  const auto r = d.download<int>(array, 32);
  for (int t = 0; t < 32; ++t) EXPECT_EQ(r[static_cast<std::size_t>(t)], 3 * (t < 16 ? t : t - 16)) << t;
}
TEST_F(Faults, BallotsOfTheLanesBelow) {
  // Each has a mask of its own and is in none of them.
  run("mov.u32 %r1, %lanemask_lt; and.b32 %r2, %t, 1; setp.ne.u32 %q1, %r2, 0; "
      "vote.sync.ballot.b32 %r1, %q1, %r1; st.global.u32 [%a], %r1;");
  expect_passed(FindingKind::undefined_mask, "Thread (0,0,0) of block (0,0,0) executes");
  const auto r = d.download<int>(array, 32);
  for (int t = 0; t < 32; ++t)
    EXPECT_EQ(static_cast<unsigned>(r[static_cast<std::size_t>(t)]), 0xAAAA'AAAAu & ((1u << t) - 1)) << t;
}
TEST_F(Faults, LanesOutsideTheMaskGoOnWhereThoseWithinWait) {
  // The lower half waits for lanes 16 to 19, which come by another way. Lanes 20 to 31 are with it, and not named.
  run("sub.u32 %r1, %t, 16; setp.ge.u32 %q1, %r1, 4; @%q1 bra all; "
      "shfl.sync.idx.b32 %r2, %t, 5, 31, 1048575; bra end; all: shfl.sync.idx.b32 %r2, %t, 3, 31, 1048575; "
      "end: "
      "st.global.u32 [%a], %r2;");
  expect_passed(FindingKind::undefined_mask, "Thread (20,0,0)");
  const auto r = d.download<int>(array, 32);
  for (int t = 0; t < 32; ++t) EXPECT_EQ(r[static_cast<std::size_t>(t)], t >= 16 && t < 20 ? 5 : 3) << t;
}
TEST_F(Faults, CopyUsedBeforeTheWait) {
  const std::string body =
      "mov.u32 %r1, s; mad.lo.u32 %r1, %t, 4, %r1; cp.async.ca.shared.global [%r1], [%a], 4; "
      "cp.async.commit_group;";
  const std::string use = "ld.shared.u32 %r2, [%r1]; st.global.u32 [%a+128], %r2;";
  const std::string shared = ".shared .align 4 .b8 s[128];";
  run(body + "cp.async.wait_group 0;" + use, 32, 0, shared);
  expect_none();
  run(body + use, 32, 0, shared);
  expect(FindingKind::missing_wait, "has not been waited for");
}
TEST_F(Faults, IndirectCallThroughGarbage) {
  run("mov.u64 %d1, 1234; call %d1, (), proto;", 32, 0);
  ASSERT_FALSE(d.findings.all().empty());
}
TEST_F(Faults, EndlessRecursion) {
  run("call.uni f, ();", 32, 0, ".func f () { call.uni f, (); ret; }");
  ASSERT_EQ(d.findings.all().size(), 1u) << d.messages();
  EXPECT_EQ(d.findings.all()[0].kind, FindingKind::stack_overflow) << d.messages();
}
TEST_F(Faults, TooManyCooperativeBlocks) {
  d.launch.cooperative = true;
  run("", 32, 0, "", 100);
  ASSERT_EQ(d.findings.all().size(), 1u);
  EXPECT_EQ(d.findings.all()[0].kind, FindingKind::bad_call);
}
TEST_F(Faults, SchedulesAreRepeatable) {
  std::vector<int> first;
  for (int pass = 0; pass < 2; ++pass) {
    d.load(kernel("atom.global.add.u32 %r1, [%p64], 1; st.global.u32 [%a+4], %r1;"));
    array = d.upload(std::vector<int>(64));
    d.run("k", {5}, {48}, array, 0u);
    if (pass == 0)
      first = d.download<int>(array, 64);
    else
      EXPECT_EQ(d.download<int>(array, 64), first);
  }
}

}  // namespace
}  // namespace simgpu::exec::testing
