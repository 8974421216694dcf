/// @file
/// Which loads of constant memory are held to be uniform loads, as ptxas 13.0 makes them for sm_90: a form that it makes into one beside each form that
/// it does not.
#include <gtest/gtest.h>

#include <string>

#include "simgpu/lower/code.hpp"
#include "simgpu/lower/program.hpp"
#include "simgpu/ptx/module.hpp"

namespace simgpu::lower {
namespace {

/// Pieces of 8 bytes that uniform registers hold, of a loop over a table of float4 in %f1 to %f4 that does @p use with them.
/// @param turns_end sets %p, whether another turn comes; %k counts turns, %t is the thread.
unsigned pieces_of(const std::string& use, const std::string& turns_end = "setp.lt.u32 %p, %k, %n;",
                   const std::string& address = "[%a]", const std::string& step = "16",
                   const std::string& pragma = "") {
  const std::string text = R"(.version 9.0
.target sm_90
.address_size 64
.const .align 16 .b8 table[768];
.visible .entry k(.param .u64 out, .param .u32 turns) {
.reg .pred %p; .reg .b32 %k, %t, %n; .reg .b64 %a, %o; .reg .f32 %f<5>, %s, %x;
ld.param.u64 %o, [out]; ld.param.u32 %n, [turns]; mov.u32 %t, %tid.x; cvt.rn.f32.u32 %x, %t; mov.f32 %s, 0f00000000;
mov.u32 %k, 0; mov.u64 %a, table;
again: )" + pragma + " ld.const.v4.f32 {%f1, %f2, %f3, %f4}, " +
                           address + "; " + use + R"(
add.s64 %a, %a, )" + step + "; add.u32 %k, %k, 1; " +
                           turns_end + R"(
@%p bra again;
st.global.f32 [%o], %s; ret; })";
  const ptx::ParseResult parsed = ptx::parse(text);
  EXPECT_TRUE(parsed.module) << parsed.error->message;
  const LowerResult lowered =
      lower(*parsed.module, [](std::string_view) -> std::uint64_t { return 1 << 20; });
  EXPECT_TRUE(lowered.program) << lowered.error->message;
  unsigned pieces = 0;
  for (const MemoryOp& m : lowered.program->kernels()[0].code->memory_ops) pieces += m.uniform_pieces;
  return pieces;
}

TEST(UniformConstants, EachUsedByItself) {
  EXPECT_EQ(pieces_of("sub.f32 %x, %x, %f1; sub.f32 %x, %x, %f2; add.f32 %s, %s, %f3; "
                      "fma.rn.f32 %s, %x, %f4, %s;"),
            2u);
}
TEST(UniformConstants, AnInstructionHasRoomForOne) {
  EXPECT_EQ(
      pieces_of("sub.f32 %x, %x, %f1; sub.f32 %x, %x, %f2; mul.f32 %f3, %f3, %f3; add.f32 %s, %s, %f4;"), 1u);
  EXPECT_EQ(pieces_of("fma.rn.f32 %s, %s, %f1, %f2; add.f32 %s, %s, %f3;"), 1u);
  EXPECT_EQ(pieces_of("fma.rn.f32 %s, %s, 0f3F000000, %f1; add.f32 %s, %s, %f3;"), 1u);
}
TEST(UniformConstants, AStoreTakesNone) {
  EXPECT_EQ(pieces_of("st.global.f32 [%o], %f1; add.f32 %s, %s, %f3;"), 1u);
}
TEST(UniformConstants, LanesThatLeaveOneByOneHaveNone) {
  EXPECT_EQ(pieces_of("add.f32 %s, %s, %f1; add.f32 %s, %s, %f3;", "setp.lt.u32 %p, %k, %t;"), 0u);
}
TEST(UniformConstants, NorDoPlacesByLane) {
  EXPECT_EQ(pieces_of("add.f32 %s, %s, %f1; mul.wide.u32 %a, %t, 16;"), 0u);
}
TEST(UniformConstants, APlaceInTheInstructionIsNoLoad) {
  EXPECT_EQ(pieces_of("add.f32 %s, %s, %f1; add.f32 %s, %s, %f3;", "setp.lt.u32 %p, %k, %n;", "[table+16]"),
            0u);
}
TEST(UniformConstants, ALoopThatCountsToAConstantIsUnrolledToItsEnd) {
  const std::string use = "add.f32 %s, %s, %f1; add.f32 %s, %s, %f3;", ends = "setp.lt.u32 %p, %k, 48;";
  EXPECT_EQ(pieces_of(use, ends), 0u);
  EXPECT_EQ(pieces_of(use, ends, "[%a]", "16", ".pragma \"nounroll\";"), 2u);
}
/// So many instructions that take a constant each.
std::string additions(int count) {
  std::string use;
  for (int n = 0; n < count; ++n) use += n % 2 == 0 ? "add.f32 %s, %s, %f1; " : "add.f32 %s, %s, %f3; ";
  return use;
}
TEST(UniformConstants, LongerTurnsAreUnrolledWhereAllOfThemAreFewer) {
  EXPECT_EQ(pieces_of(additions(90), "setp.ne.s32 %p, %k, 125;"), 0u);
  EXPECT_EQ(pieces_of(additions(125), "setp.ne.s32 %p, %k, 32;"), 0u);
  const std::string load = "ld.global.f32 %x, [%o]; ";  // holds warps up, each for itself
  EXPECT_EQ(pieces_of(load + additions(125), "setp.ne.s32 %p, %k, 125;"), 2u);
  EXPECT_EQ(pieces_of(load + additions(200), "setp.ne.s32 %p, %k, 8;"), 2u);
}
TEST(UniformConstants, ALoopThatBeginsAtANumberOfTheLaunchIsLeft) {
  EXPECT_EQ(
      pieces_of("add.f32 %s, %s, %f1; add.f32 %s, %s, %f3;", "add.s32 %n, %n, -4; setp.ne.s32 %p, %n, 0;"),
      2u);
}
TEST(UniformConstants, TurnsOf128BytesDoNotWait) {
  std::string use = additions(2);
  for (int n = 1; n < 8; ++n)
    use += "ld.const.v4.f32 {%f1, %f2, %f3, %f4}, [%a+" + std::to_string(16 * n) + "]; " + additions(2);
  EXPECT_EQ(pieces_of(use, "setp.lt.u32 %p, %k, %n;", "[%a]", "128"), 0u);
}
TEST(UniformConstants, TurnsOfALineWaitAndLongerOnesDoNot) {
  const std::string use = "add.f32 %s, %s, %f1; add.f32 %s, %s, %f3;";
  EXPECT_EQ(pieces_of(use, "setp.lt.u32 %p, %k, %n;", "[%a]", "64"), 2u);
  EXPECT_EQ(pieces_of(use, "setp.lt.u32 %p, %k, %n;", "[%a]", "72"), 0u);
}
TEST(UniformConstants, WarpsThatCalculateForLongStayTogether) {
  EXPECT_EQ(pieces_of(additions(20)), 2u);
  EXPECT_EQ(pieces_of(additions(40)), 0u);
  EXPECT_EQ(pieces_of("ld.global.f32 %x, [%o]; " + additions(40)), 2u);
}
TEST(UniformConstants, WhatNoFormOfTheirsTakesIsOrdinary) {
  EXPECT_EQ(pieces_of("div.rn.f32 %s, %s, %f1; add.f32 %s, %s, %f3;"), 1u);
  EXPECT_EQ(pieces_of("div.rn.f32 %s, %f1, %s; add.f32 %s, %s, %f3;"), 2u);
  EXPECT_EQ(pieces_of("sqrt.rn.f32 %f1, %f1; add.f32 %s, %s, %f3;"), 1u);
}
TEST(UniformConstants, ANumbersProductThatGoesIntoTheirSumLeavesNoRoom) {
  EXPECT_EQ(pieces_of("mul.f32 %x, %s, 0f3F000000; sub.f32 %s, %f1, %x; add.f32 %s, %s, %f3;"), 1u);
  EXPECT_EQ(pieces_of("mul.rn.f32 %x, %s, 0f3F000000; sub.f32 %s, %f1, %x; add.f32 %s, %s, %f3;"), 2u);
}
TEST(UniformConstants, ATableIsGoneThroughUpwards) {
  EXPECT_EQ(pieces_of("add.f32 %s, %s, %f1; add.f32 %s, %s, %f3;", "setp.lt.u32 %p, %k, %n;", "[%a]", "-16"),
            0u);
}

}  // namespace
}  // namespace simgpu::lower
