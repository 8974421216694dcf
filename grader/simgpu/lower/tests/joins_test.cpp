/// @file
/// Accesses as the machine makes them: each rule by itself, and whole kernels (kernels/joins.cu) with what was worked out by
/// hand for them. At the end, what is counted when some of them run.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

#include "simgpu/exec/tests/device.hpp"
#include "simgpu/lower/code.hpp"
#include "simgpu/observe/traffic.hpp"

namespace simgpu::lower {
namespace {

/// Accesses of a kernel's text: by memory and kind, how many of how many bits. "shared load 4x128 16x32; shared store 2x32".
std::string widths_of(const Kernel& kernel) {
  constexpr const char* kSpaces[] = {"generic", "global", "shared", "local", "constant", "param"};
  std::map<std::string, std::map<int, int, std::greater<>>> counts;
  const auto& range = kernel.code->kernels[kernel.entry];
  for (std::uint32_t f = range.first; f < range.last; ++f) {
    const Function& function = kernel.code->functions[f];
    for (std::uint32_t pc = function.entry; pc < function.end; ++pc) {
      const Ins& ins = kernel.code->instructions[pc];
      if (ins.op != Op::ld_global && ins.op != Op::ld_shared && ins.op != Op::ld_any &&
          ins.op != Op::st_global && ins.op != Op::st_shared && ins.op != Op::st_any)
        continue;
      const MemoryOp& m = kernel.code->memory_ops[ins.aux];
      auto& widths = counts[std::string(kSpaces[static_cast<int>(m.space)]) +
                            (m.kind == observe::AccessKind::load ? " load" : " store")];
      if (!m.regrouped)
        ++widths[8 * m.total_bytes];
      else
        for (unsigned n = 0; n < m.machine.count; ++n) ++widths[8 * m.machine.parts[n].bytes];
    }
  }
  std::string all;
  for (const auto& [what, widths] : counts) {
    if (widths.empty()) continue;
    all += (all.empty() ? "" : "; ") + what;
    for (const auto& [bits, count] : widths) all += " " + std::to_string(count) + "x" + std::to_string(bits);
  }
  return all;
}

/// The same in a fixed order. @param left_out the part that is of no interest.
std::string sorted(const std::string& widths, const std::string& left_out = {}) {
  std::map<std::string, std::map<int, std::string, std::greater<>>> parts;
  std::stringstream in(widths);
  for (std::string part; std::getline(in, part, ';');) {
    std::stringstream words(part);
    std::string space, kind;
    words >> space >> kind;
    for (std::string count; words >> count;)
      parts[space + " " + kind][std::stoi(count.substr(count.find('x') + 1))] = count;
  }
  std::string all;
  for (const auto& [what, counts] : parts) {
    if (what == left_out) continue;
    all += (all.empty() ? "" : "; ") + what;
    for (const auto& [bits, count] : counts) all += " " + count;
  }
  return all;
}

struct Rule {
  const char* name;
  const char*
      body;  ///< %r1: the thread's number; %r2: not known at all; %f1 ...: floats; %s: where results go
  const char* widths;
};
void PrintTo(const Rule& r, std::ostream* out) {
  *out << r.name;
}

class Joins : public testing::TestWithParam<Rule> {};

TEST_P(Joins, FollowTheRule) {
  const std::string text = std::string(R"(.version 9.0
.target sm_90
.address_size 64
.extern .shared .align 4 .b8 dynamic[];
.visible .entry k(.param .u64 p, .param .u32 n) {
  .reg .pred %p<4>;
  .reg .b16 %h<12>;
  .reg .b32 %r<40>;
  .reg .f32 %f<40>;
  .reg .b64 %rd<20>;
  .reg .f64 %d<8>;
  .shared .align 4 .b8 word[4];
  .shared .align 4 .b8 tile[4096];
  .shared .align 16 .b8 aligned[4096];
  .shared .align 8 .b8 pair[8];
  .shared .align 4 .b8 late[4096];
  mov.u32 %r1, %tid.x;
  ld.param.u32 %r2, [n];
  ld.param.u64 %rd1, [p];
  cvta.to.global.u64 %rd2, %rd1;
  shl.b32 %r3, %r1, 4;
  mov.u32 %r4, aligned;
  add.s32 %r5, %r4, %r3;
  setp.eq.s32 %p1, %r2, 7;
)") + GetParam().body + R"(
  ret;
})";
  exec::testing::Device device;
  device.load(text);
  // Results go out by a volatile store each, which is left alone.
  EXPECT_EQ(sorted(widths_of(device.program().kernels().at(0)), "local store"), GetParam().widths)
      << GetParam().body;
}

// Results are used by volatile stores to local memory, whose counts are cut off.
#define USE1 "st.volatile.local.f32 [0], %f1;"
#define USE2 USE1 "st.volatile.local.f32 [0], %f2;"
#define USE3 USE2 "st.volatile.local.f32 [0], %f3;"
#define USE4 USE3 "st.volatile.local.f32 [0], %f4;"
#define LD(n, offset) "ld.shared.f32 %f" #n ", [%r5+" #offset "];"
#define ST(n, offset) "st.shared.f32 [%r5+" #offset "], %f" #n ";"

struct Atomic {
  const char* name;
  const char* body;  ///< as a Merge's
  bool one;          ///< the lanes of a warp go as one
};
void PrintTo(const Atomic& a, std::ostream* out) {
  *out << a.name;
}
class Atomics : public testing::TestWithParam<Atomic> {};

// Catches atomics on one word that count as a lane each, and those that ptxas sends lane by lane and are taken for one.
TEST_P(Atomics, OfOneWordGoAsTheMachineSendsThem) {
  exec::testing::Device device;
  device.load(std::string(R"(.version 9.0
.target sm_90
.address_size 64
.visible .entry k(.param .u32 n) {
  .reg .b32 %r<9>;
  .reg .f32 %f<3>;
  .reg .b64 %rd<3>;
  .shared .align 8 .b8 word[256];
  mov.u32 %r1, %tid.x;
  cvt.rn.f32.u32 %f1, %r1;
  cvt.u64.u32 %rd1, %r1;
  shl.b32 %r2, %r1, 2;
  mov.u32 %r3, word;
  add.s32 %r4, %r3, %r2;
)") + GetParam().body +
              R"(
  st.volatile.local.u32 [0], %r5;
  ret;
})");
  const Kernel& kernel = device.program().kernels().at(0);
  int found = 0;
  for (const Ins& ins : kernel.code->instructions) {
    if (ins.op != Op::atom) continue;
    ++found;
    EXPECT_EQ(kernel.code->memory_ops[ins.aux].one_address, GetParam().one) << GetParam().body;
  }
  EXPECT_EQ(found, 1);
}

INSTANTIATE_TEST_SUITE_P(
    Rules, Atomics,
    testing::Values(Atomic{"Sum", "red.shared.add.u32 [word], %r1;", true},
                    Atomic{"SumThatIsRead", "atom.shared.add.u32 %r5, [word], %r1;", false},
                    Atomic{"CountThatIsRead", "atom.shared.add.u32 %r5, [word], 1;", true},
                    Atomic{"Greatest", "red.shared.max.u32 [word], %r1;", true},
                    Atomic{"Floats", "red.shared.add.f32 [word], %f1;", false},
                    Atomic{"LongSum", "red.shared.add.u64 [word], %rd1;", false},
                    Atomic{"LongCount", "red.shared.add.u64 [word], 1;", true},
                    Atomic{"Exchange", "atom.shared.exch.b32 %r5, [word], %r1;", false},
                    Atomic{"EachItsOwn", "red.shared.add.u32 [%r4], %r1;", false}),
    [](const auto& info) { return std::string(info.param.name); });

struct Merge {
  const char* name;
  const char* body;  ///< as a Rule's; %r20 and on are of its own
  int merged;        ///< instructions that cost nothing
};
void PrintTo(const Merge& m, std::ostream* out) {
  *out << m.name;
}
class Merges : public testing::TestWithParam<Merge> {};

TEST_P(Merges, AreThoseOfTheMachine) {
  exec::testing::Device device;
  device.load(std::string(R"(.version 9.0
.target sm_90
.address_size 64
.visible .entry k(.param .u32 n) {
  .reg .pred %p<8>;
  .reg .b32 %r<40>;
  ld.param.u32 %r1, [n];
  ld.param.u32 %r2, [n];
  ld.param.u32 %r3, [n];
)") + GetParam().body +
              R"(
  st.volatile.local.u32 [0], %r20;
  ret;
})");
  const Kernel& kernel = device.program().kernels().at(0);
  int merged = 0;
  for (const Ins& ins : kernel.code->instructions) merged += (ins.flags & kMerged) != 0;
  EXPECT_EQ(merged, GetParam().merged) << GetParam().body;
}

#define STORE(r) "st.volatile.local.u32 [4], %r" #r ";"
INSTANTIATE_TEST_SUITE_P(
    Integers, Merges,
    testing::Values(
        Merge{"logic_of_three", "xor.b32 %r21, %r1, %r2; and.b32 %r20, %r21, %r3;", 1},
        Merge{"logic_of_four_is_two",
              "xor.b32 %r21, %r1, %r2; and.b32 %r22, %r21, %r3; or.b32 %r20, %r22, 5;", 1},
        Merge{"sum_of_three", "add.s32 %r21, %r1, %r2; sub.s32 %r20, %r21, %r3;", 1},
        Merge{"shift_and_sum", "shl.b32 %r21, %r1, 3; add.s32 %r20, %r21, %r2;", 1},
        Merge{"shift_by_a_register", "shl.b32 %r21, %r1, %r3; add.s32 %r20, %r21, %r2;", 0},
        Merge{"product_and_sum", "mul.lo.u32 %r21, %r1, %r2; add.u32 %r20, %r21, %r3;", 1},
        Merge{"both_halves_of_a_product",
              "mul.hi.u32 %r21, %r1, %r2; mul.lo.u32 %r22, %r1, %r2; shr.u32 %r20, %r21, %r22;", 1},
        Merge{"halves_of_two_products",
              "mul.hi.u32 %r21, %r1, %r2; mul.lo.u32 %r22, %r1, %r3; shr.u32 %r20, %r21, %r22;", 0},
        Merge{"logic_and_sum_are_two", "xor.b32 %r21, %r1, %r2; add.s32 %r20, %r21, %r3;", 0},
        Merge{"used_twice", "xor.b32 %r21, %r1, %r2; and.b32 %r20, %r21, %r3;" STORE(21), 0},
        Merge{
            "guarded",
            "setp.eq.s32 %p1, %r1, 3; mov.u32 %r20, 0; xor.b32 %r21, %r1, %r2; @%p1 and.b32 %r20, %r21, %r3;",
            0},
        Merge{"two_comparisons",
              "setp.lt.s32 %p1, %r1, 3; setp.lt.s32 %p2, %r2, 3; and.pred %p3, %p1, %p2; selp.b32 %r20, 1, "
              "2, %p3;",
              1}),
    [](const auto& info) { return std::string(info.param.name); });
#undef STORE

INSTANTIATE_TEST_SUITE_P(
    Loads, Joins,
    testing::Values(
        Rule{"four", LD(1, 0) LD(2, 4) LD(3, 8) LD(4, 12) USE4, "shared load 1x128"},
        Rule{"any_order", LD(1, 12) LD(2, 4) LD(3, 8) LD(4, 0) USE4, "shared load 1x128"},
        Rule{"three_with_a_gap", LD(1, 0) LD(2, 4) LD(3, 12) USE3, "shared load 1x128"},
        Rule{"pair", LD(1, 0) LD(2, 4) USE2, "shared load 1x64"},
        Rule{"no_pair_in_the_middle", LD(1, 4) LD(2, 8) USE2, "shared load 2x32"},
        Rule{"no_pair_apart", LD(1, 0) LD(2, 8) USE2, "shared load 2x32"},
        Rule{"not_across_chunks", LD(1, 12) LD(2, 16) USE2, "shared load 2x32"},
        Rule{"types_may_differ", LD(1, 0) "ld.shared.u32 %r9, [%r5+4]; st.volatile.local.u32 [0], %r9;" USE1,
             "shared load 1x64"},
        Rule{"sizes_may_not", LD(1, 0) "ld.shared.f64 %d1, [%r5+8]; st.volatile.local.f64 [0], %d1;" USE1,
             "shared load 1x64 1x32"},
        Rule{"doubles",
             "ld.shared.f64 %d1, [%r5]; ld.shared.f64 %d2, [%r5+8]; st.volatile.local.f64 [0], %d1;"
             "st.volatile.local.f64 [0], %d2;",
             "shared load 1x128"},
        Rule{"halves",
             "ld.shared.b16 %h1, [%r5]; ld.shared.b16 %h2, [%r5+2]; ld.shared.b16 %h3, [%r5+4];"
             "ld.shared.b16 %h4, [%r5+6]; ld.shared.b16 %h5, [%r5+8]; add.s16 %h6, %h1, %h2; add.s16 %h6, "
             "%h6, %h3;"
             "add.s16 %h6, %h6, %h4; add.s16 %h6, %h6, %h5; st.volatile.local.b16 [0], %h6;",
             "shared load 1x64 1x16"},
        Rule{"widened_halves",
             "ld.shared.u16 %r8, [%r5]; ld.shared.u16 %r9, [%r5+2]; add.s32 %r9, %r9, %r8;"
             "st.volatile.local.u32 [0], %r9;",
             "shared load 2x16"},
        Rule{"bytes",
             "ld.shared.u8 %h1, [%r5]; ld.shared.u8 %h2, [%r5+1]; add.s16 %h1, %h1, %h2;"
             "st.volatile.local.b16 [0], %h1;",
             "shared load 2x8"},
        Rule{"nobody_uses_it", LD(1, 0) LD(2, 4) USE1, "shared load 1x32"},
        Rule{"used_by_what_nobody_uses", LD(1, 0) LD(2, 4) "add.f32 %f9, %f2, %f2;" USE1, "shared load 1x32"},
        Rule{"loaded_twice", LD(1, 0) LD(2, 0) USE2, "shared load 1x32"},
        Rule{"predicated", LD(1, 0) "@%p1 ld.shared.f32 %f2, [%r5+4];" USE2, "shared load 2x32"},
        Rule{"relaxed_in_the_block", LD(1, 0) "ld.relaxed.cta.shared.f32 %f2, [%r5+4];" USE2,
             "shared load 1x64"},
        Rule{"volatile_word", LD(1, 0) "ld.volatile.shared.f32 %f2, [%r5+4];" USE2, "shared load 2x32"}));

INSTANTIATE_TEST_SUITE_P(
    Vectors, Joins,
    testing::Values(Rule{"x", "ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd2];" USE1, "global load 1x32"},
                    Rule{"xz", "ld.global.v4.f32 {%f1, %f3, %f2, %f4}, [%rd2];" USE2, "global load 2x32"},
                    Rule{"zw", "ld.global.v4.f32 {%f3, %f4, %f1, %f2}, [%rd2];" USE2, "global load 1x64"},
                    Rule{"xyz", "ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd2];" USE3, "global load 1x128"},
                    Rule{"left_out", "ld.global.v4.f32 {%f1, _, _, %f2}, [%rd2];" USE2, "global load 2x32"},
                    Rule{"volatile_vector", "ld.volatile.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd2];" USE1,
                         "global load 1x128"},
                    Rule{"promise",
                         "ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd2]; ld.global.f32 %f5, [%rd2+16];"
                         "ld.global.f32 %f6, [%rd2+20]; add.f32 %f1, %f5, %f6;" USE4,
                         "global load 1x128 1x64"}));

INSTANTIATE_TEST_SUITE_P(
    Stores, Joins,
    testing::Values(Rule{"all_four", ST(1, 0) ST(2, 4) ST(3, 8) ST(4, 12), "shared store 1x128"},
                    Rule{"three", ST(1, 0) ST(2, 4) ST(3, 8), "shared store 1x64 1x32"},
                    Rule{"another_chunk_between", ST(1, 0) ST(2, 16) ST(3, 4) ST(4, 20), "shared store 4x32"},
                    Rule{"a_load_between", ST(1, 0) LD(5, 64) ST(2, 4) "st.volatile.local.f32 [0], %f5;",
                         "shared load 1x32; shared store 2x32"},
                    Rule{"predicated_store", ST(1, 0) "@%p1 " ST(2, 4), "shared store 2x32"},
                    Rule{"a_barrier_between", ST(1, 0) "bar.sync 0;" ST(2, 4), "shared store 2x32"}));

INSTANTIATE_TEST_SUITE_P(
    Ends, Joins,
    testing::Values(
        Rule{"store", LD(1, 0) ST(1, 256) LD(2, 4) USE2, "shared load 2x32; shared store 1x32"},
        Rule{"store_elsewhere", LD(1, 0) "st.global.f32 [%rd2], %f1;" LD(2, 4) USE2,
             "global store 1x32; shared load 1x64"},
        Rule{"generic_store", LD(1, 0) "st.f32 [%rd1], %f1;" LD(2, 4) USE2,
             "generic store 1x32; shared load 2x32"},
        Rule{"atomic", LD(1, 0) "red.shared.add.u32 [%r5], 1;" LD(2, 4) USE2, "shared load 2x32"},
        Rule{"atomic_elsewhere", LD(1, 0) "red.global.add.u32 [%rd2], 1;" LD(2, 4) USE2, "shared load 1x64"},
        Rule{"block_barrier", LD(1, 0) "bar.sync 0;" LD(2, 4) USE2, "shared load 2x32"},
        Rule{"warp_barrier", LD(1, 0) "bar.warp.sync -1;" LD(2, 4) USE2, "shared load 2x32"},
        Rule{"fence", LD(1, 0) "membar.cta;" LD(2, 4) USE2, "shared load 2x32"},
        Rule{"copy_wait", LD(1, 0) "cp.async.wait_all;" LD(2, 4) USE2, "shared load 2x32"},
        Rule{"division", LD(1, 0) "div.rn.f32 %f9, %f1, %f1; st.volatile.local.f32 [0], %f9;" LD(2, 4) USE2,
             "shared load 2x32"},
        Rule{"approximate_division",
             LD(1, 0) "div.approx.f32 %f9, %f1, %f1; st.volatile.local.f32 [0], %f9;" LD(2, 4) USE2,
             "shared load 1x64"},
        Rule{"root", LD(1, 0) "sqrt.rn.f32 %f9, %f1; st.volatile.local.f32 [0], %f9;" LD(2, 4) USE2,
             "shared load 2x32"},
        Rule{"reciprocal", LD(1, 0) "rcp.rn.f32 %f9, %f1; st.volatile.local.f32 [0], %f9;" LD(2, 4) USE2,
             "shared load 2x32"},
        Rule{"integer_division",
             LD(1, 0) "div.u32 %r9, %r1, %r2; st.volatile.local.u32 [0], %r9;" LD(2, 4) USE2,
             "shared load 1x64"},
        Rule{"vote", LD(1, 0) "vote.sync.any.pred %p2, %p1, -1;" LD(2, 4) USE2, "shared load 1x64"},
        Rule{"read_only_ignores_stores",
             "and.b64 %rd3, %rd2, -16; ld.global.nc.f32 %f1, [%rd3]; st.global.f32 [%rd2], %f1;"
             "ld.global.nc.f32 %f2, [%rd3+4];" USE2,
             "global load 1x64; global store 1x32"}));

#define AT(register, code) \
  code "ld.shared.f32 %f1, [" register "]; ld.shared.f32 %f2, [" register "+4];" \
       "ld.shared.f32 %f3, [" register "+8]; ld.shared.f32 %f4, [" register "+12];" USE4

INSTANTIATE_TEST_SUITE_P(
    Alignment, Joins,
    testing::Values(
        Rule{"sixteen", AT("%r9", "shl.b32 %r9, %r1, 4;"), "shared load 1x128"},
        Rule{"eight", AT("%r9", "shl.b32 %r9, %r1, 3;"), "shared load 2x64"},
        Rule{"four_bytes", AT("%r9", "shl.b32 %r9, %r1, 2;"), "shared load 4x32"},
        Rule{"parameter", AT("%r2", ""), "shared load 4x32"},
        Rule{"mask", AT("%r9", "and.b32 %r9, %r2, -16;"), "shared load 1x128"},
        Rule{"product", AT("%r9", "mul.lo.s32 %r9, %r2, 48;"), "shared load 1x128"},
        Rule{"multiply_add", AT("%r9", "mad.lo.s32 %r9, %r2, 48, %r3;"), "shared load 1x128"},
        Rule{"choice", AT("%r9", "selp.b32 %r9, %r3, 64, %p1;"), "shared load 1x128"},
        Rule{"poor_choice", AT("%r9", "selp.b32 %r9, %r3, 8, %p1;"), "shared load 2x64"},
        Rule{"remainder", AT("%r9", "rem.u32 %r9, %r3, 160;"), "shared load 1x128"},
        Rule{"bit_field", AT("%r9", "bfi.b32 %r9, %r2, %r3, 4, 4;"), "shared load 1x128"},
        Rule{"permutation", AT("%r9", "prmt.b32 %r9, %r3, 0, 0x3210;"), "shared load 4x32"},
        Rule{"or_is_no_distance",
             "or.b32 %r9, %r3, 4; ld.shared.f32 %f1, [%r3]; ld.shared.f32 %f2, [%r9];" USE2,
             "shared load 2x32"},
        Rule{"unknown_product_of_an_odd_number",
             "ld.shared.f32 %f1, [%r5]; mad.lo.s32 %r9, %r1, 16, %r4; ld.shared.f32 %f2, [%r9+4];" USE2,
             "shared load 2x32"},
        Rule{"after_four_bytes",
             "mov.u32 %r8, tile; add.s32 %r9, %r8, %r3; ld.shared.f32 %f1, [%r9]; ld.shared.f32 %f2, [%r9+4];"
             "ld.shared.f32 %f7, [word]; st.volatile.local.f32 [0], %f7;" USE2,
             "shared load 3x32"},
        Rule{"after_eight_bytes",
             "mov.u32 %r8, late; add.s32 %r9, %r8, %r3; ld.shared.f32 %f1, [%r9+4]; ld.shared.f32 %f2, "
             "[%r9+8];"
             "ld.shared.f32 %f3, [%r9+12]; ld.shared.f64 %d1, [pair]; st.volatile.local.f64 [0], %d1;" USE3,
             "shared load 2x64 1x32"},
        Rule{"dynamic", AT("%r9", "mov.u32 %r8, dynamic; add.s32 %r9, %r8, %r3;"), "shared load 1x128"},
        Rule{"pointer", "ld.global.f32 %f1, [%rd2]; ld.global.f32 %f2, [%rd2+4];" USE2, "global load 2x32"},
        Rule{"masked_pointer",
             "and.b64 %rd3, %rd2, -16; ld.global.f32 %f1, [%rd3]; ld.global.f32 %f2, [%rd3+4];" USE2,
             "global load 1x64"},
        Rule{"loop", R"(mov.u32 %r9, aligned;
$again: ld.shared.f32 %f1, [%r9]; ld.shared.f32 %f2, [%r9+4]; ld.shared.f32 %f3, [%r9+8]; ld.shared.f32 %f4, [%r9+12];
)" USE4 "add.s32 %r9, %r9, 32; setp.lt.s32 %p2, %r9, %r2; @%p2 bra $again;",
             "shared load 1x128"},
        Rule{"loop_by_eight", R"(mov.u32 %r9, aligned;
$again: ld.shared.f32 %f1, [%r9]; ld.shared.f32 %f2, [%r9+4]; ld.shared.f32 %f3, [%r9+8]; ld.shared.f32 %f4, [%r9+12];
)" USE4 "add.s32 %r9, %r9, 8; setp.lt.s32 %p2, %r9, %r2; @%p2 bra $again;",
             "shared load 2x64"},
        Rule{"moved_on_between", R"(mov.u32 %r9, aligned; @%p1 mov.u32 %r9, dynamic;
ld.shared.f32 %f1, [%r9]; add.s32 %r9, %r9, 16; ld.shared.f32 %f2, [%r9+4];)" USE2,
             "shared load 2x32"}));

INSTANTIATE_TEST_SUITE_P(
    Blocks, Joins,
    testing::Values(
        Rule{"across_a_short_branch", LD(1, 0) "@%p1 bra $over; add.f32 %f1, %f1, %f1; $over:" LD(2, 4) USE2,
             "shared load 1x64"},
        Rule{"into_it", LD(1, 0) "@%p1 bra $over;" LD(2, 4) "st.volatile.local.f32 [0], %f2; $over:" USE1,
             "shared load 1x64"},
        Rule{"not_from_one_arm",
             "@%p1 bra $over;" LD(1, 0) "st.volatile.local.f32 [0], %f1; $over:" LD(2, 4) USE2,
             "shared load 2x32"},
        Rule{"a_barrier_in_it", LD(1, 0) "@%p1 bra $over; bar.sync 0; $over:" LD(2, 4) USE2,
             "shared load 2x32"},
        Rule{"not_into_a_loop",
             LD(1, 0) "mov.u32 %r9, 0; $again:" LD(2, 4) "add.s32 %r9, %r9, 1; setp.lt.s32 %p2, %r9, %r2;"
                                                         "@%p2 bra $again;" USE2,
             "shared load 2x32"}));

#ifdef SIMGPU_JOINS_PTX
/// Expectations by kernel, from the comments before each.
std::map<std::string, std::string> expectations() {
  std::map<std::string, std::string> all;
  std::ifstream in(SIMGPU_JOINS_SOURCE);
  std::string widths;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("//= ")) widths = line.substr(4);
    constexpr std::string_view kBegin = "__global__ void ";
    if (!line.starts_with(kBegin)) continue;
    all[line.substr(kBegin.size(), line.find('(') - kBegin.size())] = widths;
    widths.clear();
  }
  return all;
}

TEST(WholeKernels, HaveTheAccessesOfTheRules) {
  exec::testing::Device device;
  device.load(exec::testing::read_text(SIMGPU_JOINS_PTX));
  const auto expected = expectations();
  EXPECT_GE(expected.size(), 60u);
  ASSERT_EQ(device.program().kernels().size(), expected.size());
  for (const auto& [name, widths] : expected) {
    const Kernel* kernel = nullptr;
    for (const Kernel& k : device.program().kernels())
      if (k.name.starts_with("_Z" + std::to_string(name.size()) + name)) kernel = &k;
    ASSERT_NE(kernel, nullptr) << name;
    EXPECT_EQ(widths_of(*kernel), sorted(widths)) << name;
  }
}

/// Runs a product of n x n with blocks of @p x by @p y threads: what was counted.
observe::Counters product(const char* name, unsigned n, unsigned tile, unsigned x, unsigned y) {
  exec::testing::Device device;
  device.load(exec::testing::read_text(SIMGPU_JOINS_PTX));
  observe::Traffic traffic;
  device.observers.push_back(&traffic);
  std::vector<float> a(n * n), b(n * n);
  for (std::size_t i = 0; i < a.size(); ++i)
    a[i] = static_cast<float>(i % 7), b[i] = static_cast<float>(i % 5);
  const auto pa = device.upload(a), pb = device.upload(b), pc = device.upload(std::vector<float>(n * n));
  device.run(name, {n / tile, n / tile, 1}, {x, y, 1}, pa, pb, pc, static_cast<int>(n));
  EXPECT_TRUE(device.findings.all().empty()) << device.messages();
  const auto c = device.download<float>(pc, n * n);
  for (unsigned at : {0u, n * n / 2 + 3, n * n - 1}) {
    float sum = 0;
    for (unsigned k = 0; k < n; ++k) sum += a[at / n * n + k] * b[k * n + at % n];
    EXPECT_EQ(c[at], sum) << at;
  }
  return traffic.counters();
}

// An H200 reads 12.3 M wavefronts of a tiled product of 512 x 512 in tiles of 16: (16 + 4 * 2) for each 32 loads of the text.
TEST(Products, CountTheWavefrontsOfTheCard) {
  const auto counted = product("product_tile16", 64, 16, 16, 16);
  const std::uint64_t steps = 4 * 4 * 8 * 4;  // blocks, warps, tiles along k
  EXPECT_EQ(counted.shared_load_requests, steps * (16 + 4));
  EXPECT_EQ(counted.shared_load_wavefronts, steps * (16 + 4 * 2));
  EXPECT_EQ(counted.shared_load_conflicts, 0u);
  EXPECT_EQ(counted.shared_store_requests, steps * 2);
}

// With 4 x 4 outputs a thread: a vector of each tile a step, 2 + 4 wavefronts, and nothing in each other's way.
TEST(Products, InRegistersHaveNoConflicts) {
  const auto counted = product("product_registers4", 64, 64, 16, 16);
  const std::uint64_t steps = 8 * 64;  // warps, k
  EXPECT_EQ(counted.shared_load_requests, steps * 2);
  EXPECT_EQ(counted.shared_load_wavefronts, steps * (2 + 4));
  EXPECT_EQ(counted.shared_load_conflicts, 0u);
}
#endif

}  // namespace
}  // namespace simgpu::lower
