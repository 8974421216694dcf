/// @file
/// How many instructions of the machine the clock counts for some of the text, and how busy they keep units of the SM. The numbers
/// are those of ptxas 13.0 for sm_90.
#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "simgpu/exec/tests/device.hpp"

namespace simgpu::exec {
namespace {

/// What warps execute whose text is @p body, beside what it needs to load and to store: %rd20 and %r20 are stored.
InstructionMix mix_of(const std::string& body, std::uint32_t warps = 1) {
  testing::Device device;
  device.load(R"(.version 9.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 a, .param .u64 b, .param .u32 n, .param .f32 x) {
  .local .align 8 .b8 kept[16];
  .reg .pred %p<8>;
  .reg .b32 %r<40>;
  .reg .b64 %rd<40>;
  .reg .f32 %f<8>;
  .reg .f64 %d<8>;
  .reg .b16 %h<8>;
  ld.param.u64 %rd1, [a];
  ld.param.u64 %rd2, [b];
  ld.param.u32 %r1, [n];
  ld.param.u32 %r2, [n];
  ld.param.f32 %f1, [x];
  )" + body + R"(
  ret;
})");
  device.run("k", {1, 1, 1}, {32 * warps, 1, 1}, std::uint64_t{5}, std::uint64_t{9}, std::uint32_t{3}, 2.0f);
  EXPECT_TRUE(device.result.ok) << device.messages();
  return device.result.mix;
}
std::int64_t instructions_of(const std::string& body) {
  const InstructionMix mix = mix_of(body);
  return static_cast<std::int64_t>(mix.warp_instructions) + mix.expanded;
}

struct Case {
  const char* name;
  const char* body;
  int stores;  ///< that are part of it
  int count;   ///< machine instructions without them
};
void PrintTo(const Case& c, std::ostream* out) {
  *out << c.name;
}
class MachineInstructions : public ::testing::TestWithParam<Case> {};

TEST_P(MachineInstructions, AreThoseOfPtxas) {
  const Case& c = GetParam();
  EXPECT_EQ(instructions_of(c.body) - instructions_of("") - c.stores, c.count) << c.body;
}

#define LONG(r) "st.volatile.local.u64 [kept], %rd" #r ";"
#define WORD(r) "st.volatile.local.u32 [kept+8], %r" #r ";"
INSTANTIATE_TEST_SUITE_P(
    SixtyFourBits, MachineInstructions,
    ::testing::Values(
        Case{"sum", "add.s64 %rd20, %rd1, %rd2;" LONG(20), 1, 2},
        Case{"difference", "sub.s64 %rd20, %rd1, %rd2;" LONG(20), 1, 2},
        Case{"sum_whose_low_half_is_used", "add.s64 %rd20, %rd1, %rd2; cvt.u32.u64 %r20, %rd20;" WORD(20), 1,
             1},
        Case{"comparison", "setp.lt.u64 %p1, %rd1, %rd2; selp.b32 %r20, 1, 2, %p1;" WORD(20), 1, 3},
        Case{"greatest", "max.u64 %rd20, %rd1, %rd2;" LONG(20), 1, 4},
        Case{"logic", "xor.b64 %rd20, %rd1, %rd2;" LONG(20), 1, 2},
        Case{"logic_of_three", "xor.b64 %rd21, %rd1, %rd2; and.b64 %rd20, %rd21, %rd2;" LONG(20), 1, 2},
        Case{"mask_of_one_half", "and.b64 %rd20, %rd1, 255;" LONG(20), 1, 1},
        Case{"shift", "shl.b64 %rd20, %rd1, 3;" LONG(20), 1, 2},
        Case{"shift_by_a_half", "shr.u64 %rd20, %rd1, 32; cvt.u32.u64 %r20, %rd20;" WORD(20), 1, 0},
        Case{"shift_and_sum", "shl.b64 %rd21, %rd1, 3; add.s64 %rd20, %rd21, %rd2;" LONG(20), 1, 2},
        Case{"shift_for_two_sums",
             "shl.b64 %rd21, %rd1, 3; add.s64 %rd20, %rd21, %rd2; add.s64 %rd22, %rd21, %rd1;" LONG(20)
                 LONG(22),
             2, 6},
        Case{"product_and_sum", "mul.wide.u32 %rd21, %r1, 4; add.s64 %rd20, %rd21, %rd2;" LONG(20), 1, 1},
        Case{"product_for_two_sums",
             "mul.wide.u32 %rd21, %r1, 4; add.s64 %rd20, %rd21, %rd2; add.s64 %rd22, %rd21, %rd1;" LONG(20)
                 LONG(22),
             2, 2},
        Case{"product_that_is_used_otherwise",
             "mul.wide.u32 %rd21, %r1, 4; add.s64 %rd20, %rd21, %rd2;" LONG(20) LONG(21), 2, 3},
        Case{"comparison_of_low_halves",
             "and.b64 %rd21, %rd1, 15; setp.eq.s64 %p1, %rd21, 3; selp.b32 %r20, 1, 2, %p1;" WORD(20), 1, 3},
        Case{"distances_of_a_shuffle",
             "mov.b32 %r21, 31; mov.b32 %r22, -1; shfl.sync.down.b32 %r20, %r1, 1, %r21, %r22;" WORD(20), 1,
             1},
        Case{"number", "mov.b32 %r20, 31;" WORD(20), 1, 1},
        Case{"address_of_local_memory",
             "mov.b64 %rd21, kept; add.s64 %rd20, %rd21, %rd1; ld.volatile.local.u8 %r20, [%rd20];" WORD(20),
             2, 2},
        Case{"product", "mul.lo.s64 %rd20, %rd1, %rd2;" LONG(20), 1, 4},
        Case{"high_half_of_a_product_of_words",
             "cvt.u64.u32 %rd21, %r1; mul.lo.s64 %rd22, %rd21, 12345; shr.u64 %rd23, %rd22, 32;"
             "cvt.u32.u64 %r20, %rd23;" WORD(20),
             1, 1},
        Case{"loop_around_a_sum",
             "mov.b64 %rd20, %rd1; mov.b32 %r20, 0; L: add.s64 %rd20, %rd20, 64; add.s32 %r20, %r20, 1;"
             "setp.lt.s32 %p1, %r20, 3; @%p1 bra L;" LONG(20),
             1, 2 + 3 * 5},
        Case{"turn_by_a_half",
             "shl.b64 %rd21, %rd1, 32; shr.u64 %rd22, %rd1, 32; or.b64 %rd20, %rd21, %rd22;" LONG(20), 1, 0},
        Case{"low_half_of_a_shift_by_a_number_of_the_launch",
             "shr.u64 %rd21, %rd1, %r1; cvt.u32.u64 %r20, %rd21;" WORD(20), 1, 1},
        Case{"wider_with_zeros", "cvt.u64.u32 %rd20, %r1;" LONG(20), 1, 0},
        Case{"division_by_the_same_again", "div.u32 %r21, %r1, %r2; div.u32 %r20, %r21, %r2;" WORD(20), 1,
             19 + 13}),
    [](const auto& info) { return std::string(info.param.name); });
// Eight turns of a product and what counts them; the last number is written by the instructions before the loop.
#define TURNS(pragma, step, bound)               \
  "mov.b32 %r20, 5; mov.b32 %r21, 0; L: " pragma \
  " mul.lo.s32 %r20, %r20, %r1;"                 \
  "add.s32 %r21, %r21, " step "; setp.lt.u32 %p1, %r21, " bound "; @%p1 bra L;" WORD(20)
#define FOUR                                                                                              \
  "mul.lo.s32 %r20, %r20, %r1; mul.lo.s32 %r20, %r20, %r2; mul.lo.s32 %r20, %r20, %r1; mul.lo.s32 %r20, " \
  "%r20, %r2;"
#define UNTIL                                                                                            \
  "mov.b32 %r20, 1; mov.b32 %r21, 0; L: mul.lo.s32 %r20, %r20, %r1; add.s32 %r21, %r21, 1; setp.lt.u32 " \
  "%p1, %r21, 8; setp.lt.u32 %p2, %r20, 100000000; and.pred %p3, %p2, %p1; @%p3 bra L;"
#define WAY_OUT                                                                                          \
  "mov.b32 %r20, 1; mov.b32 %r21, 0; L: mul.lo.s32 %r20, %r20, %r1; add.s32 %r21, %r21, 1; setp.eq.u32 " \
  "%p1, %r21, 8; @%p1 bra M; bra.uni L; M:"
#define NOBODY "mov.b32 %r20, 5; setp.eq.u32 %p1, %r1, 77; @%p1 bra M;"
INSTANTIATE_TEST_SUITE_P(
    Words, MachineInstructions,
    ::testing::Values(
        Case{"logic_that_is_tested",
             "and.b32 %r21, %r1, %r2; setp.ne.s32 %p1, %r21, 0; selp.b32 %r20, 1, 2, %p1;" WORD(20), 1, 2},
        Case{"logic_that_is_compared",
             "and.b32 %r21, %r1, %r2; setp.ne.s32 %p1, %r21, 5; selp.b32 %r20, 1, 2, %p1;" WORD(20), 1, 3},
        Case{"shift_to_the_right_and_sum", "shr.u32 %r21, %r1, 5; add.s32 %r20, %r21, %r2;" WORD(20), 1, 1},
        Case{"counted_choice",
             "setp.lt.u32 %p1, %r1, %r2; selp.b32 %r21, 1, 0, %p1; add.s32 %r20, %r1, %r21;" WORD(20), 1, 3},
        Case{"choice_of_what_is_used_otherwise",
             "setp.lt.u32 %p1, %r1, 9; xor.b32 %r21, %r1, 77; selp.b32 %r20, %r21, %r1, %p1;" WORD(20)
                 WORD(1),
             2, 3}),
    [](const auto& info) { return std::string(info.param.name); });
INSTANTIATE_TEST_SUITE_P(
    Numbers, MachineInstructions,
    ::testing::Values(
        Case{"of_64_bits",
             "mov.b64 %d1, %rd1; fma.rn.f64 %d2, %d1, %d1, 0d3FB999999999999A; mov.b64 %rd20, %d2;" LONG(20),
             1, 3},
        Case{"of_64_bits_with_room",
             "mov.b64 %d1, %rd1; fma.rn.f64 %d2, %d1, %d1, 0d3FF8000000000000; mov.b64 %rd20, %d2;" LONG(20),
             1, 1},
        Case{"of_64_bits_in_a_register",
             "mov.b64 %d1, %rd1; mov.f64 %d3, 0d3FB999999999999A; mul.rn.f64 %d2, %d1, %d3; mov.b64 %rd20, "
             "%d2;" LONG(20),
             1, 3},
        Case{"atomic_of_all_lanes", ".shared .align 4 .b32 total; red.shared.add.u32 [total], %r1;", 0, 10},
        Case{"halves_of_two_floats",
             "cvt.rn.f16.f32 %h1, %f1; add.rn.f32 %f2, %f1, %f1; cvt.rn.f16.f32 %h2, %f2; mov.b32 %r20, "
             "{%h1, %h2};" WORD(20),
             1, 2},
        Case{"halves_of_numbers",
             "mov.f32 %f2, 0f3E800000; cvt.rn.f16.f32 %h1, %f2; mov.b32 %r21, {%h1, %h1}; xor.b32 %r20, "
             "%r21, %r1;" WORD(20),
             1, 1}),
    [](const auto& info) { return std::string(info.param.name); });
INSTANTIATE_TEST_SUITE_P(
    Branches, MachineInstructions,
    ::testing::Values(
        Case{"way_to_the_end",
             "setp.eq.u32 %p1, %r1, 77; @%p1 bra E; mov.b32 %r20, 5;" FOUR FOUR FOUR FOUR FOUR WORD(20) "E:",
             1, 2 + 20 + 1},
        Case{"turns_by_fours_down_to_nought",
             "and.b32 %r22, %r1, 3; sub.s32 %r21, 35, %r22; mov.b32 %r20, 5; L: mul.lo.s32 %r20, %r20, %r1;"
             "add.s32 %r21, %r21, -4; setp.ne.s32 %p1, %r21, 0; @%p1 bra L;" WORD(20),
             1, 3 + 8 + 2 * 3},
        Case{"turns_side_by_side", TURNS("", "1", "8"), 1, 2 + 8 + 2 * 3},
        Case{"turns_kept_apart", TURNS(".pragma \"nounroll\";", "1", "8"), 1, 2 + 8 * 5},
        Case{"turns_by_a_number_of_the_launch", TURNS("", "%r2", "24"), 1, 2 + 8 * 5},
        Case{"turns_up_to_a_number_of_the_launch", TURNS("", "1", "%r2"), 1, 2 + 3 * 5},
        Case{"turns_that_may_end_sooner", UNTIL WORD(21), 1, 2 + 8 * 4},
        Case{"way_out_before_the_way_back", WAY_OUT WORD(20), 1, 2 + 8 * 5 - 1},
        Case{"short_way", NOBODY FOUR FOUR FOUR FOUR "M:" WORD(20), 1, 2 + 16},
        Case{"long_way", NOBODY FOUR FOUR FOUR FOUR FOUR "M:" WORD(20), 1, 3 + 20 + 2},
        Case{"two_long_ways_of_which_one_begins_with_a_jump",
             NOBODY "bra.uni N; M:" FOUR FOUR FOUR FOUR FOUR "bra.uni E; N:" FOUR FOUR FOUR "E:" WORD(20), 1,
             3 + 12 + 2}),
    [](const auto& info) { return std::string(info.param.name); });
#define SINGLE(r) "st.volatile.local.f32 [kept], %f" #r ";"
INSTANTIATE_TEST_SUITE_P(
    Floats, MachineInstructions,
    ::testing::Values(
        Case{"division", "div.rn.f32 %f2, %f1, 0f40400000;" SINGLE(2), 1, 12},
        Case{"root", "sqrt.rn.f32 %f2, %f1;" SINGLE(2), 1, 13},
        Case{"product_in_a_sum", "mul.f32 %f2, %f1, %f1; add.f32 %f3, %f2, 0f40400000;" SINGLE(3), 1, 1},
        Case{"product_in_two_sums",
             "mul.f32 %f2, %f1, %f1; add.f32 %f3, %f2, 0f40400000; sub.f32 %f4, %f1, %f2;" SINGLE(3)
                 SINGLE(4),
             2, 2},
        Case{"two_products_in_a_sum",
             "mul.f32 %f2, %f1, %f1; mul.f32 %f3, %f1, 0f40400000; add.f32 %f4, %f2, %f3;" SINGLE(4), 1, 2},
        Case{"product_that_is_rounded_as_said",
             "mul.rn.f32 %f2, %f1, %f1; add.f32 %f3, %f2, 0f40400000;" SINGLE(3), 1, 2},
        Case{"product_that_is_kept",
             "mul.f32 %f2, %f1, %f1; add.f32 %f3, %f2, 0f40400000;" SINGLE(2) SINGLE(3), 2, 2},
        Case{"sign_and_size", "neg.f32 %f2, %f1; abs.f32 %f3, %f1; mul.f32 %f4, %f2, %f3;" SINGLE(4), 1, 1},
        Case{"copy", "mov.b32 %r20, %f1; mov.b32 %f2, %r20; add.f32 %f3, %f2, %f1;" SINGLE(3), 1, 1},
        Case{"sum_under_a_predicate",
             "setp.gt.f32 %p1, %f1, 0f40000000; add.f32 %f2, %f1, 0f40400000; add.f32 %f3, %f2, %f1;"
             "selp.f32 %f4, %f3, %f2, %p1;" SINGLE(4),
             1, 3}),
    [](const auto& info) { return std::string(info.param.name); });
// Catches lanes that go their own ways for all of a loop, since a way out of it keeps the ways of a branch in it from meeting before: eight turns of
// twelve instructions that all lanes share, and of seven or four that half of them execute.
TEST(Splits, OfALoopWithTwoWaysOutBeginEachTurnTogether) {
  const std::string shared = FOUR FOUR
      "mul.lo.s32 %r20, %r20, %r1; mul.lo.s32 %r20, %r20, %r2; mul.lo.s32 "
      "%r20, %r20, %r1;";
  const auto instructions = [](const std::string& body) { return mix_of(body).warp_instructions; };
  const std::string begin =
      "mov.u32 %r3, %laneid; and.b32 %r3, %r3, 1; setp.eq.u32 %p1, %r3, 0; mov.b32 %r20, 1; mov.b32 %r21, 0;";
  const std::string loop = "L:" + shared +
                           "@%p1 bra A; add.s32 %r4, %r21, 3; setp.gt.u32 %p2, %r4, 1000; @%p2 bra OUT; "
                           "bra.uni B; A: add.s32 %r20, %r20, 5; B: add.s32 %r21, %r21, 1; "
                           "setp.lt.u32 %p3, %r21, 8; @%p3 bra L; OUT:";
  EXPECT_EQ(instructions(begin + loop + WORD(20)) - instructions(begin + WORD(20)), 8u * (12 + 7 + 4));
}

// Catches a part of a matrix that is taken for one instruction: ptxas loads it register by register, but from shared memory by one LDSM, and
// exchanges halves among lanes (MOVM) where they lie across.
TEST(Fragments, AreLoadedByPiecesAndPutAcross) {
  const auto count = [](const std::string& layout, const std::string& space) {
    return instructions_of(R"({
  .shared .align 32 .b8 tile[1024];
  .reg .b32 %q<9>;
  mov.u32 %r3, tile;
  cvta.shared.u64 %rd3, tile;
  mov.u32 %r4, 16;
  wmma.load.b.sync.aligned.)" +
                           layout + ".m16n16k16" + space + ".bf16 {%q1, %q2, %q3, %q4}, [" +
                           (space.empty() ? "%rd3" : "%r3") + "], %r4;}");
  };
  EXPECT_GE(count("col", "") - count("col", ".shared"), 2);  // three, and one for the address
  EXPECT_EQ(count("row", "") - count("col", ""), 4);
  EXPECT_EQ(count("row", ".shared"), count("col", ".shared"));
}

// It takes a reciprocal and a look at both operands: 20 cycles of the special unit, while a scheduler has issued twelve instructions.
TEST(Divisions, OfFloatsKeepTheSpecialUnitBusyForLongerThanTheScheduler) {
  const InstructionMix mix = mix_of("div.rn.f32 %f2, %f1, 0f40400000; st.volatile.local.f32 [kept], %f2;", 8);
  EXPECT_EQ(mix.special, 8 * 18 / 8);
}
TEST(Products, OfWordsThatAreAddedToAnAddressAreTheMultipliers) {
  const InstructionMix mix =
      mix_of("mul.wide.u32 %rd21, %r1, 4; add.s64 %rd20, %rd21, %rd2; st.volatile.local.u64 [kept], %rd20;");
  EXPECT_EQ(mix.multiply, 2u);
  EXPECT_EQ(mix.integer, 1u);  // ... for as long as one of them
}

/// Cycles that @p times of @p body wait for operands, with %f2 to %f5 out of memory.
std::uint64_t bank_waits_of(const std::string& body, int times = 100) {
  std::string all =
      "ld.volatile.local.f32 %f2, [kept]; ld.volatile.local.f32 %f3, [kept]; "
      "ld.volatile.local.f32 %f4, [kept]; ld.volatile.local.f32 %f5, [kept]; ";
  for (int n = 0; n < times; ++n) all += body;
  return mix_of(all + "st.volatile.local.f32 [kept], %f2; st.volatile.local.f32 [kept], %f5;").bank_waits;
}
TEST(RegisterBanks, AChainOfThreeRegistersWaitsForOneOfThem) {
  EXPECT_GE(bank_waits_of("fma.rn.f32 %f2, %f2, %f3, %f4;"), 70u);
  EXPECT_LE(bank_waits_of("fma.rn.f32 %f2, %f2, %f3, %f4;"), 100u);
}
TEST(RegisterBanks, ANumberOrAParameterIsNoneOfThem) {
  EXPECT_EQ(bank_waits_of("fma.rn.f32 %f2, %f2, %f3, 0f3F800000;"), 0u);
  EXPECT_EQ(bank_waits_of("fma.rn.f32 %f2, %f2, %f3, %f1;"), 0u);
  EXPECT_EQ(bank_waits_of("fma.rn.f32 %f2, %f2, %f2, %f3;"), 0u);
}
TEST(RegisterBanks, NeighboursThatShareOperandsHardlyWait) {
  const std::uint64_t waits = bank_waits_of("fma.rn.f32 %f2, %f2, %f3, %f4; fma.rn.f32 %f5, %f5, %f3, %f4;");
  EXPECT_GE(waits, 15u);
  EXPECT_LE(waits, 30u);
}
TEST(RegisterBanks, OtherInstructionsLeaveThemTheTime) {
  EXPECT_EQ(bank_waits_of("fma.rn.f32 %f2, %f2, %f3, %f4; xor.b32 %r3, %r3, 5; xor.b32 %r4, %r4, 9;"), 0u);
}

#undef LONG
#undef WORD

}  // namespace
}  // namespace simgpu::exec
