/// @file
/// One tiny test for each line of the opcode table: a kernel of that one instruction, cases in its lanes,
/// results from instructions.txt (made by make_instructions.py, which computes them a second time, in
/// Python).
#include <bit>
#include <cstdlib>
#include <unordered_set>

#include "simgpu/exec/tests/device.hpp"
#include "simgpu/lower/builder.hpp"

namespace simgpu::exec::testing {
namespace {

struct Case {
  std::vector<std::uint64_t> in, out;
};
struct Row {
  std::string spelling, signature;
  std::vector<Case> cases;
};

std::vector<std::uint64_t> numbers(const std::string& text) {
  std::vector<std::uint64_t> all;
  std::stringstream in(text);
  for (std::string word; std::getline(in, word, ',');) all.push_back(std::stoull(word, nullptr, 16));
  return all;
}

std::vector<Row> read_rows() {
  std::vector<Row> rows;
  std::stringstream file(read_text(SIMGPU_INSTRUCTIONS));
  for (std::string line; std::getline(file, line);) {
    std::stringstream in(line);
    Row row;
    in >> row.spelling >> row.signature;
    for (std::string word; in >> word;) {
      const std::size_t arrow = word.find('>');
      row.cases.push_back({numbers(word.substr(0, arrow)), numbers(word.substr(arrow + 1))});
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string root_of(const std::string& spelling) {
  return spelling.substr(0, spelling.find('.'));
}
bool has_word(const std::string& spelling, const std::string& word) {
  return ("." + spelling + ".").find("." + word + ".") != std::string::npos;
}

/// The spelling with the modifiers that PTX demands and the table leaves out.
std::string legal(const std::string& spelling) {
  const std::string root = root_of(spelling), rest = spelling.substr(root.size());
  const bool real = spelling.find(".f16") != std::string::npos ||
                    spelling.find(".bf16") != std::string::npos || has_word(spelling, "f32") ||
                    has_word(spelling, "f64");
  if (!real) return spelling;
  if (root == "rsqrt" || root == "sin" || root == "cos" || root == "lg2" || root == "ex2" || root == "tanh")
    return root + ".approx" + (root == "ex2" && spelling.find("bf16") != std::string::npos ? ".ftz" : "") +
           rest;
  if (root == "fma" || root == "mad" || root == "div" || root == "sqrt" || root == "rcp")
    return root + ".rn" + rest;
  return spelling;
}

/// Bits of operand @p k (0: destination).
unsigned operand_bits(const Row& row, std::size_t k) {
  const std::string& s = row.spelling;
  const char c = row.signature[k];
  if (c == 'x' || c == 'g') return 64;
  if (c == 'f') return 32;
  const std::string root = root_of(s), type = s.substr(s.rfind('.') + 1);
  if (root == "cvt") {
    const std::string to = s.substr(4, s.rfind('.') - 4);
    return static_cast<unsigned>(std::stoul((k == 0 ? to : type).substr(1)));
  }
  if (root == "slct")
    return type == "f32" || k == 3
               ? (k == 3                                                                          ? 32
                  : s.substr(5, 3) == "b16" || s.substr(5, 3) == "u16" || s.substr(5, 3) == "s16" ? 16
                                                                                                  : 32)
               : (s.find("16.") != std::string::npos ? 16 : 32);
  if (type == "b8") return 16;
  if (type.size() >= 2 && type.substr(type.size() - 2) == "16" && type.find("x2") == std::string::npos) {
    if (has_word(s, "wide")) return k == 1 || k == 2 ? 16 : 32;
    if ((root == "shl" || root == "shr") && k == 2) return 32;
    if (root == "prmt") return 32;
    return 16;
  }
  return 32;
}

/// A module whose kernel executes the row's instruction on inputs at p + 64 * lane, results at +48 and +56.
std::string module_for(const Row& row, std::uint64_t literal) {
  std::string text =
      ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 k_p)\n{\n.reg .b32 %t, "
      "%u, %cy; .reg .b64 %p, %cz;\n.reg .pred %q0, %q1, %q2, %q3;\n";
  std::string load, operands, store;
  std::size_t input = 0;
  for (std::size_t k = 0; k < row.signature.size(); ++k) {
    const char c = row.signature[k];
    const std::string name = "%o" + std::to_string(k);
    if (c == 'K' || c == 'k' || c == 'B') {
      const bool borrow = row.spelling.compare(0, 3, "sub") == 0;
      if (c != 'K') {
        load += "ld.global.u32 %u, [%p+" + std::to_string(8 * input++) + "];\n";
        load += borrow ? "sub.cc.u32 %u, 0, %u;\n" : "add.cc.u32 %u, %u, -1;\n";
      }
      if (c != 'k')
        store += borrow ? "subc.u32 %cy, 0, 0; and.b32 %cy, %cy, 1; st.global.u32 [%p+56], %cy;\n"
                        : "addc.u32 %cy, 0, 0; st.global.u32 [%p+56], %cy;\n";
      continue;
    }
    if (c == 'i') {
      operands += ", " + std::to_string(literal);
      continue;
    }
    if (c == 'p') {
      const std::string p = "%q" + std::to_string(k);
      operands += (k ? ", " : " ") + p;
      if (k)
        load += "ld.global.u32 %u, [%p+" + std::to_string(8 * input++) + "]; setp.ne.u32 " + p + ", %u, 0;\n";
      else
        store = "selp.b32 %u, 1, 0, %q0; st.global.u32 [%p+48], %u;\n" + store;
      continue;
    }
    const unsigned bits = std::max(16u, operand_bits(row, k));
    text += ".reg .b" + std::to_string(bits) + " " + name + ";\n";
    operands += (k ? ", " : " ") + name;
    const std::string type = (row.spelling == "never" ? "f" : "b") + std::to_string(bits);
    if (k)
      load += "ld.global." + type + " " + name + ", [%p+" + std::to_string(8 * input++) + "];\n";
    else
      store = "st.global." + type + " [%p+48], " + name + ";\n" + store;
  }
  // Carries must be set by the instruction just before: predicates and values first, in order, is what `load`
  // does.
  return text + "ld.param.u64 %p, [k_p];\nmov.u32 %t, %tid.x;\nmad.wide.u32 %p, %t, 64, %p;\n" + load +
         legal(row.spelling) + operands + ";\n" + store + "ret;\n}\n";
}

/// Units in the last place by which the approximate functions may differ.
std::uint64_t tolerance(const std::string& spelling) {
  const std::string root = root_of(spelling);
  return root == "sin" || root == "cos" || root == "lg2" || root == "ex2" || root == "tanh" || root == "rsqrt"
             ? 4
             : 0;
}

TEST(Instructions, EveryLineOfTheTableHasCases) {
  std::unordered_set<std::string> tested;
  for (const Row& row : read_rows())
    if (row.cases.size() >= 2) tested.insert(row.spelling);
  for (std::size_t i = 0; i < lower::kOpCount; ++i) {
    std::stringstream spellings(lower::info_of(static_cast<lower::Op>(i)).spellings);
    for (std::string s; spellings >> s;)
      EXPECT_TRUE(tested.count(s)) << s << ": run make_instructions.py again";
  }
}

TEST(Instructions, GiveTheManualsResults) {
  const char* keep = std::getenv("SIMGPU_KEEP_PTX");  // a folder: the modules, to be given to ptxas
  for (const Row& row : read_rows()) {
    const bool literal = row.signature.find('i') != std::string::npos;
    const std::size_t runs = literal ? row.cases.size() : 1;
    for (std::size_t n = 0; n < runs; ++n) {
      const std::string text = module_for(row, literal ? row.cases[n].in.back() : 0);
      if (keep) std::ofstream(std::string(keep) + "/" + row.spelling + ".ptx") << text;
      Device d;
      d.load(text);
      if (::testing::Test::HasFatalFailure()) FAIL() << row.spelling << "\n" << text;
      std::vector<std::uint64_t> data(32 * 8, 0);
      for (std::size_t c = 0; c < row.cases.size(); ++c)
        for (std::size_t k = 0; k < row.cases[c].in.size(); ++k) data[c * 8 + k] = row.cases[c].in[k];
      const auto p = d.upload(data);
      ASSERT_TRUE(d.run("k", {1}, {32}, p).ok) << d.messages() << text;
      const auto r = d.download<std::uint64_t>(p, data.size());
      // The build for any host gives the same bits, where libm is not asked for them.
      const auto q = d.upload(data);
      d.launch.lanes = LaneBuild::baseline;
      ASSERT_TRUE(d.run("k", {1}, {32}, q).ok) << d.messages() << text;
      const auto baseline = d.download<std::uint64_t>(q, data.size());
      for (std::size_t k = 0; k < r.size(); ++k) {
        const std::uint64_t off = r[k] > baseline[k] ? r[k] - baseline[k] : baseline[k] - r[k];
        EXPECT_LE(off, tolerance(row.spelling))
            << row.spelling << " case " << k / 8 << std::hex << ": " << r[k] << " here, " << baseline[k]
            << " in the baseline build\n"
            << text;
      }
      for (std::size_t c = literal ? n : 0; c < (literal ? n + 1 : row.cases.size()); ++c) {
        const std::uint64_t got = r[c * 8 + 6], want = row.cases[c].out[0];
        const std::uint64_t off = got > want ? got - want : want - got;
        EXPECT_LE(off, tolerance(row.spelling))
            << row.spelling << " case " << c << std::hex << ": got " << got << ", want " << want << "\n"
            << text;
        if (row.cases[c].out.size() > 1) {
          EXPECT_EQ(r[c * 8 + 7], row.cases[c].out[1]) << row.spelling << " carry, case " << c;
        }
      }
    }
  }
}

/// Runs a snippet on one block of a warp: %a is the address of the lane's 8-byte slot, %t the lane.
std::vector<std::uint64_t> lanes_of(const std::string& body, const std::string& declarations = "") {
  Device d;
  d.load(".version 8.0\n.target sm_90\n.address_size 64\n" + declarations +
         "\n.visible .entry k(.param .u64 k_p)\n{\n.reg .pred %q<8>; .reg .b16 %h<8>; .reg .b32 %t, %r<16>; "
         ".reg .f32 %f<8>; .reg .f64 %g<8>; .reg .b64 %p, %a, %d<8>;\n"
         "ld.param.u64 %p, [k_p]; mov.u32 %t, %tid.x; mad.wide.u32 %a, %t, 8, %p; mov.u64 %d0, 0;\n" +
         body + "\nst.global.u64 [%a], %d0; ret;\n}\n");
  const auto p = d.upload(std::vector<std::uint64_t>(32));
  EXPECT_TRUE(d.run("k", {1}, {32}, p).ok) << body << "\n" << d.messages();
  return d.download<std::uint64_t>(p, 32);
}
std::uint64_t one(const std::string& body, const std::string& declarations = "") {
  return lanes_of(body, declarations)[5];
}
std::string give32(const std::string& body) {
  return body + " cvt.u64.u32 %d0, %r0;";
}
std::uint64_t flag(const std::string& body) {
  return one(body + " selp.u64 %d0, 1, 0, %q0;");
}

TEST(Instructions, Conversions) {
  auto to32 = [](const std::string& s) { return one(give32(s)); };
  EXPECT_EQ(to32("mov.f32 %f1, 0fC0200000; cvt.rni.s32.f32 %r0, %f1;"), 0xFFFFFFFEull);  // -2.5 to even
  EXPECT_EQ(to32("mov.f32 %f1, 0fC0200000; cvt.rmi.s32.f32 %r0, %f1;"), 0xFFFFFFFDull);
  EXPECT_EQ(to32("mov.f32 %f1, 0fC0200000; cvt.rpi.s32.f32 %r0, %f1;"), 0xFFFFFFFEull);
  EXPECT_EQ(to32("mov.f32 %f1, 0fC0200000; cvt.rzi.u32.f32 %r0, %f1;"), 0u);
  EXPECT_EQ(to32("mov.f32 %f1, 0f7FC00000; cvt.rzi.s32.f32 %r0, %f1;"), 0u);
  EXPECT_EQ(to32("mov.f32 %f1, 0f7F800000; cvt.rzi.s32.f32 %r0, %f1;"), 0x7FFFFFFFu);
  EXPECT_EQ(one("mov.f64 %g1, 0d7FF8000000000000; cvt.rzi.s64.f64 %d0, %g1;"), 1ull << 63);
  EXPECT_EQ(to32("mov.u32 %r1, 16777217; cvt.rn.f32.u32 %f1, %r1; mov.b32 %r0, %f1;"), 0x4B800000u);
  EXPECT_EQ(to32("mov.u32 %r1, 16777217; cvt.rp.f32.u32 %f1, %r1; mov.b32 %r0, %f1;"), 0x4B800001u);
  EXPECT_EQ(to32("mov.u32 %r1, 300; cvt.sat.u8.u32 %h1, %r1; cvt.u32.u16 %r0, %h1;"), 255u);
  EXPECT_EQ(to32("mov.u32 %r1, 200; cvt.s8.s32 %h1, %r1; cvt.s32.s16 %r0, %h1;"), 0xFFFFFFC8u);
  EXPECT_EQ(to32("mov.u32 %r1, 200; cvt.u32.u8 %r0, %r1;"), 200u);
  EXPECT_EQ(to32("mov.f32 %f1, 0f3F800001; cvt.rn.f16.f32 %h1, %f1; cvt.u32.u16 %r0, %h1;"), 0x3C00u);
  EXPECT_EQ(to32("mov.f32 %f1, 0f477FF000; cvt.rn.f16.f32 %h1, %f1; cvt.u32.u16 %r0, %h1;"), 0x7C00u);
  EXPECT_EQ(to32("mov.f32 %f1, 0f33000001; cvt.rn.f16.f32 %h1, %f1; cvt.u32.u16 %r0, %h1;"),
            1u);  // just above half of the least
  EXPECT_EQ(to32("mov.b16 %h1, 0x0001; cvt.f32.f16 %f1, %h1; mov.b32 %r0, %f1;"), 0x33800000u);
  EXPECT_EQ(to32("mov.f32 %f1, 0f3F808000; cvt.rn.bf16.f32 %h1, %f1; cvt.u32.u16 %r0, %h1;"), 0x3F80u);
  EXPECT_EQ(to32("mov.f32 %f1, 0f40000000; mov.f32 %f2, 0f3F800000; cvt.rn.f16x2.f32 %r0, %f1, %f2;"),
            0x40003C00u);
  EXPECT_EQ(to32("mov.f32 %f1, 0fC0E00000; cvt.sat.f32.f32 %f2, %f1; mov.b32 %r0, %f2;"), 0u);
  EXPECT_EQ(to32("mov.f32 %f1, 0f3FC00000; cvt.rni.f32.f32 %f2, %f1; mov.b32 %r0, %f2;"), 0x40000000u);
  EXPECT_EQ(to32("mov.f64 %g1, 0d3FF0000010000000; cvt.rn.f32.f64 %f2, %g1; mov.b32 %r0, %f2;"), 0x3F800000u);
  EXPECT_EQ(to32("mov.f64 %g1, 0d3FF0000010000000; cvt.rp.f32.f64 %f2, %g1; mov.b32 %r0, %f2;"), 0x3F800001u);
}
TEST(Instructions, RoundedArithmeticAndFlags) {
  auto f = [](const std::string& s) { return one(give32(s + " mov.b32 %r0, %f0;")); };
  EXPECT_EQ(f("mov.f32 %f1, 0f3F800000; mov.f32 %f2, 0f33000000; add.rn.f32 %f0, %f1, %f2;"), 0x3F800000u);
  EXPECT_EQ(f("mov.f32 %f1, 0f3F800000; mov.f32 %f2, 0f33000000; add.rp.f32 %f0, %f1, %f2;"), 0x3F800001u);
  EXPECT_EQ(f("mov.f32 %f1, 0f3F800000; mov.f32 %f2, 0f40400000; div.rz.f32 %f0, %f1, %f2;"), 0x3EAAAAAAu);
  EXPECT_EQ(f("mov.f32 %f1, 0f3F800000; mov.f32 %f2, 0f40400000; div.rn.f32 %f0, %f1, %f2;"), 0x3EAAAAABu);
  EXPECT_EQ(f("mov.f32 %f1, 0f00000001; add.ftz.f32 %f0, %f1, %f1;"), 0u);
  EXPECT_EQ(f("mov.f32 %f1, 0f40000000; add.sat.f32 %f0, %f1, %f1;"), 0x3F800000u);
  EXPECT_EQ(f("mov.f32 %f1, 0f7FC00000; mov.f32 %f2, 0f3F800000; min.NaN.f32 %f0, %f1, %f2;"), 0x7FFFFFFFu);
}
TEST(Instructions, Comparisons) {
  const std::string nan = "mov.f32 %f1, 0f7FC00000; mov.f32 %f2, 0f3F800000; ";
  for (const char* c : {"eq", "ne", "lt", "le", "gt", "ge", "num"})
    EXPECT_EQ(flag(nan + "setp." + c + ".f32 %q0, %f1, %f2;"), 0u) << c;
  for (const char* c : {"equ", "neu", "ltu", "leu", "gtu", "geu", "nan"})
    EXPECT_EQ(flag(nan + "setp." + c + ".f32 %q0, %f1, %f2;"), 1u) << c;
  const std::string pair = "mov.u32 %r1, -1; mov.u32 %r2, 1; ";
  EXPECT_EQ(flag(pair + "setp.lt.s32 %q0, %r1, %r2;"), 1u);
  EXPECT_EQ(flag(pair + "setp.lt.u32 %q0, %r1, %r2;"), 0u);
  EXPECT_EQ(flag(pair + "setp.hi.u32 %q0, %r1, %r2;"), 1u);
  EXPECT_EQ(flag(pair + "setp.ls.u32 %q0, %r1, %r2;"), 0u);
  EXPECT_EQ(flag("mov.b16 %h1, -1; mov.b16 %h2, 1; setp.lt.s16 %q0, %h1, %h2;"), 1u);
  EXPECT_EQ(flag("mov.b16 %h1, 0xC000; mov.b16 %h2, 0x3C00; setp.lt.f16 %q0, %h1, %h2;"), 1u);
  EXPECT_EQ(flag(pair + "setp.eq.s32 %q1, %r1, %r1; setp.lt.and.s32 %q0|%q2, %r1, %r2, !%q1;"), 0u);
  EXPECT_EQ(flag(pair + "setp.eq.s32 %q1, %r1, %r1; setp.gt.and.s32 %q2|%q0, %r1, %r2, %q1;"), 1u);
  EXPECT_EQ(one(give32(pair + "set.lt.u32.s32 %r0, %r1, %r2;")), 0xFFFFFFFFu);
  EXPECT_EQ(one(give32(pair + "set.lt.f32.s32 %f0, %r1, %r2; mov.b32 %r0, %f0;")), 0x3F800000u);
  EXPECT_EQ(
      one(give32("mov.u32 %r1, 0x3C004000; mov.u32 %r2, 0x40004000; set.eq.f16x2.f16x2 %r0, %r1, %r2;")),
      0x00003C00u);
}
TEST(Instructions, PackAndUnpack) {
  EXPECT_EQ(one("mov.u32 %r1, 0x11112222; mov.u32 %r2, 0x33334444; mov.b64 %d0, {%r1, %r2};"),
            0x3333444411112222u);
  EXPECT_EQ(one(give32("mov.u64 %d1, 0x3333444411112222; mov.b64 {%r1, %r0}, %d1;")), 0x33334444u);
  EXPECT_EQ(one(give32("mov.b16 %h1, 0x1234; mov.b16 %h2, 0x5678; mov.b32 %r0, {%h1, %h2};")), 0x56781234u);
  EXPECT_EQ(one(give32("mov.u32 %r1, 0x56781234; mov.b32 {_, %h2}, %r1; cvt.u32.u16 %r0, %h2;")), 0x5678u);
}
TEST(Instructions, WarpWide) {
  const auto up = lanes_of(give32("shfl.sync.up.b32 %r0|%q1, %t, 3, 0, -1;"));
  EXPECT_EQ(up[2], 2u);
  EXPECT_EQ(up[3], 0u);
  EXPECT_EQ(up[31], 28u);
  const auto down = lanes_of(give32("shfl.sync.down.b32 %r0, %t, 1, 0x181F, -1;"));  // width 8
  EXPECT_EQ(down[7], 7u);
  EXPECT_EQ(down[8], 9u);
  const auto index = lanes_of(give32("shfl.sync.idx.b32 %r0, %t, 3, 0x181F, -1;"));
  EXPECT_EQ(index[12], 11u);
  EXPECT_EQ(one(give32("setp.lt.u32 %q1, %t, 4; vote.sync.ballot.b32 %r0, %q1, -1;")), 15u);
  EXPECT_EQ(flag("setp.lt.u32 %q1, %t, 4; vote.sync.any.pred %q0, %q1, -1;"), 1u);
  EXPECT_EQ(flag("setp.lt.u32 %q1, %t, 4; vote.sync.all.pred %q0, %q1, -1;"), 0u);
  EXPECT_EQ(flag("setp.lt.u32 %q1, %t, 4; vote.sync.uni.pred %q0, %q1, -1;"), 0u);
  EXPECT_EQ(one(give32("and.b32 %r1, %t, 3; match.any.sync.b32 %r0, %r1, -1;")), 0x22222222u);
  EXPECT_EQ(one(give32("match.all.sync.b32 %r0|%q1, %t, -1;")), 0u);
  EXPECT_EQ(one(give32("redux.sync.add.s32 %r0, %t, -1;")), 496u);
  EXPECT_EQ(one(give32("neg.s32 %r1, %t; redux.sync.min.s32 %r0, %r1, -1;")), 0xFFFFFFE1u);
  EXPECT_EQ(one(give32("setp.gt.u32 %q1, %t, 3; @!%q1 bra out; activemask.b32 %r0; out:")), 0xFFFFFFF0u);
  EXPECT_EQ(one(give32("elect.sync %r0|%q1, -1;")), 0u);
  EXPECT_EQ(one(give32("setp.lt.u32 %q1, %t, 7; bar.red.popc.u32 %r0, 0, %q1;")), 7u);
  EXPECT_EQ(flag("setp.lt.u32 %q1, %t, 7; bar.red.or.pred %q0, 0, %q1;"), 1u);
}
TEST(Instructions, Atomics) {
  const std::string v = ".global .align 16 .b8 v[64];";
  auto lane = [&](const std::string& s) { return lanes_of(give32("mov.u64 %d1, v; " + s), v); };
  EXPECT_EQ(lane("atom.global.add.u32 %r0, [%d1], 2;")[5], 10u);
  EXPECT_EQ(lane("atom.global.inc.u32 %r0, [%d1], 3;")[6], 2u);
  EXPECT_EQ(lane("atom.global.dec.u32 %r0, [%d1], 3;")[1], 3u);
  EXPECT_EQ(lane("atom.global.exch.b32 %r0, [%d1], %t;")[9], 8u);
  EXPECT_EQ(lane("atom.global.cas.b32 %r0, [%d1], %t, 7;")[1], 7u);
  EXPECT_EQ(lane("neg.s32 %r1, %t; atom.global.min.s32 %r0, [%d1], %r1;")[2], 0xFFFFFFFFu);
  EXPECT_EQ(lane("mov.f32 %f1, 0f3F000000; atom.global.add.f32 %f0, [%d1], %f1; mov.b32 %r0, %f0;")[2],
            0x3F800000u);
  EXPECT_EQ(lane("red.global.add.u32 [%d1], 1; bar.sync 0; ld.global.u32 %r0, [%d1];")[0], 32u);
  EXPECT_EQ(lane("mov.u32 %r1, 0x3C003C00; atom.global.add.noftz.f16x2 %r0, [%d1], %r1;")[3], 0x42004200u);
}
TEST(Instructions, MemoryWidthsAndSpaces) {
  const std::string v = ".global .align 16 .b8 v[64]; .shared .align 16 .b8 s[64];";
  auto run = [&](const std::string& s) { return one(s, v); };
  EXPECT_EQ(run(give32("mov.u64 %d1, v; mov.u32 %r1, -2; st.global.u8 [%d1], %r1; ld.global.s8 %r0, [%d1];")),
            0xFFFFFFFEu);
  EXPECT_EQ(
      run(give32("mov.u64 %d1, v; mov.u32 %r1, -2; st.global.u8 [%d1+1], %r1; ld.global.u16 %r0, [%d1];")),
      0xFE00u);
  EXPECT_EQ(run("mov.u64 %d1, v; mov.u32 %r1, 1; mov.u32 %r2, 2; st.global.v2.u32 [%d1+8], {%r1, %r2}; "
                "ld.global.u64 %d0, [%d1+8];"),
            0x200000001u);
  EXPECT_EQ(run(give32("mov.u64 %d1, s; cvta.shared.u64 %d2, %d1; mov.u32 %r1, 9; st.u32 [%d2+4], %r1; "
                       "ld.shared.u32 %r0, [s+4]; isspacep.shared %q1, %d2; @!%q1 trap;")),
            9u);
  EXPECT_EQ(run(give32("cvta.param.u64 %d2, k_p; ld.u32 %r0, [%d2]; mov.b64 %d3, %p; cvt.u32.u64 %r1, %d3; "
                       "sub.u32 %r0, %r0, %r1;")),
            0u);
  const auto local =
      lanes_of(give32(".local .align 8 .b8 l[16]; mov.u64 %d1, l; cvta.local.u64 %d2, %d1; st.local.u32 "
                      "[%d1+4], %t; ld.u32 %r0, [%d2+4];"));
  EXPECT_EQ(local[17], 17u);
}

}  // namespace
}  // namespace simgpu::exec::testing
