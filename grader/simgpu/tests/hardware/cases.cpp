/// @file
/// Reading, expanding and compiling the cases; see cases.hpp for the language.
#include "cases.hpp"

#include <cmath>
#include <fstream>
#include <stdexcept>

namespace hardware {
namespace {

/// Registers that every kernel declares for the use of a case, ten of each.
constexpr const char* kRegisters =
    ".reg .b16 %h<10>; .reg .b32 %r<10>; .reg .b64 %d<10>; .reg .f32 %f<10>; .reg .f64 %g<10>; .reg .pred "
    "%q<10>;\n"
    ".reg .b128 %x<10>;\n"
    ".reg .b64 %in, %out, %ga, %w; .reg .b32 %t, %lane, %warp, %sa, %sw, %s0, %u;\n"
    ".local .align 16 .b8 loc[64];\n.shared .align 128 .b8 sha[8192];\n";

const char* register_type(const std::string& type) {
  if (type == "b16" || type == "f16" || type == "bf16") return ".b16";
  if (type == "b64") return ".b64";
  if (type == "b128") return ".b128";
  if (type == "f32") return ".f32";
  if (type == "f64") return ".f64";
  if (type == "pred") return ".pred";
  if (type == "b32" || type == "f16x2" || type == "bf16x2" || type == "n") return ".b32";
  return nullptr;
}

/// Replaces the first group of choices by each of them, and so on for the others. Parentheses without a choice stay.
void expand(const std::string& text, std::vector<std::string>& all) {
  std::size_t open = 0, close = 0;
  do {
    open = text.find('(', close);
    if (open == std::string::npos) return all.push_back(text);
    close = text.find(')', open);
    if (close == std::string::npos) throw std::runtime_error("a '(' is never closed");
  } while (text.find('|', open) > close);
  for (std::size_t from = open + 1; from <= close;) {
    std::size_t to = text.find('|', from);
    if (to == std::string::npos || to > close) to = close;
    expand(text.substr(0, open) + text.substr(from, to - from) + text.substr(close + 1), all);
    from = to + 1;
  }
}

std::vector<Placeholder> placeholders_of(const std::string& text) {
  std::vector<Placeholder> all;
  for (std::size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at + 1)) {
    const std::size_t end = text.find('>', at);
    if (end == std::string::npos) throw std::runtime_error("a '<' is never closed");
    Placeholder p;
    p.type = text.substr(at + 1, end - at - 1);
    if (!p.type.empty() && p.type[0] == '=') p.result = true, p.type.erase(0, 1);
    if (!register_type(p.type)) throw std::runtime_error("no such class of value: " + p.type);
    all.push_back(p);
  }
  return all;
}

/// The case's text with the names of its registers in place of the placeholders.
std::string with_registers(const Case& c) {
  std::string out;
  unsigned next = 0;
  for (std::size_t i = 0; i < c.text.size(); ++i) {
    if (c.text[i] == '<') {
      out += "%p" + std::to_string(next++);
      i = c.text.find('>', i);
    } else if (c.text[i] == '$') {
      out += "%p";
    } else {
      out += c.text[i];
      if (c.text[i] == ';') out += '\n';
    }
  }
  return out;
}

std::string place(const char* base, std::size_t row) {
  return std::string("[") + base + "+" + std::to_string(row * kThreads * 8) + "]";
}

std::string load(const Placeholder& p, const std::string& name, std::size_t row) {
  const std::string from = place("%in", row);
  const std::string type = register_type(p.type);
  if (type == ".pred") return "ld.global.b32 %u, " + from + "; setp.ne.b32 " + name + ", %u, 0;\n";
  if (type == ".b128")
    return "ld.global.b64 %w, " + from + "; ld.global.b64 %d9, " + place("%in", row + 1) + "; mov.b128 " +
           name + ", {%w, %d9};\n";
  return "ld.global" + type + " " + name + ", " + from + ";\n";
}

std::string store(const Placeholder& p, const std::string& name, std::size_t row) {
  const std::string to = place("%out", row);
  const std::string type = register_type(p.type);
  if (type == ".pred") return "selp.b64 %w, 1, 0, " + name + "; st.global.b64 " + to + ", %w;\n";
  if (type == ".b16") return "cvt.u64.u16 %w, " + name + "; st.global.b64 " + to + ", %w;\n";
  if (type == ".b32") return "cvt.u64.u32 %w, " + name + "; st.global.b64 " + to + ", %w;\n";
  if (type == ".f32") return "mov.b32 %u, " + name + "; cvt.u64.u32 %w, %u; st.global.b64 " + to + ", %w;\n";
  if (type == ".f64") return "mov.b64 %w, " + name + "; st.global.b64 " + to + ", %w;\n";
  if (type == ".b128")
    return "mov.b128 {%w, %d9}, " + name + "; st.global.b64 " + to + ", %w; st.global.b64 " +
           place("%out", row + 1) + ", %d9;\n";
  return "st.global.b64 " + to + ", " + name + ";\n";
}

/// Functions that cases may call.
constexpr const char* kFunctions = R"(
.func (.param .b32 r) sum_of(.param .b32 a, .param .b64 b)
{
.reg .b32 %r<4>; .reg .b64 %d<2>;
ld.param.b32 %r0, [a]; ld.param.b64 %d0, [b]; cvt.u32.u64 %r1, %d0; add.u32 %r2, %r0, %r1; st.param.b32 [r], %r2;
ret;
}
.func (.param .b32 r) difference_of(.param .b32 a, .param .b64 b)
{
.reg .b32 %r<4>; .reg .b64 %d<2>;
ld.param.b32 %r0, [a]; ld.param.b64 %d0, [b]; cvt.u32.u64 %r1, %d0; sub.u32 %r2, %r0, %r1; st.param.b32 [r], %r2;
ret;
}
.func (.param .align 16 .b8 r[16]) reversed(.param .align 16 .b8 a[16])
{
.reg .b32 %r<4>;
ld.param.v4.b32 {%r0, %r1, %r2, %r3}, [a]; st.param.v2.b32 [r], {%r3, %r2}; st.param.b32 [r+8], %r1; st.param.b32 [r+12], %r0;
ret;
}
.func (.param .b32 r) factorial(.param .b32 a)
{
.reg .b32 %r<4>; .reg .pred %q;
ld.param.b32 %r0, [a]; setp.gt.u32 %q, %r0, 1; @!%q bra base; sub.u32 %r1, %r0, 1;
{ .param .b32 x; .param .b32 y; st.param.b32 [x], %r1; call.uni (y), factorial, (x); ld.param.b32 %r2, [y]; }
mul.lo.u32 %r3, %r0, %r2; st.param.b32 [r], %r3; ret;
base: st.param.b32 [r], 1;
ret;
}
)";

class Random {
 public:
  explicit Random(const std::string& seed) {
    for (const char c : seed) state_ = (state_ ^ static_cast<unsigned char>(c)) * 0x100000001B3ull;
  }
  std::uint64_t next() {  // splitmix64
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15ull;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ z >> 27) * 0x94D049BB133111EBull;
    return z ^ z >> 31;
  }
  std::uint64_t below(std::uint64_t n) { return next() % n; }

 private:
  std::uint64_t state_ = 0xCBF29CE484222325ull;
};

using Words = std::vector<std::uint64_t>;

const Words kIntegers = {0,          1,          2,          3,          5,          7,          8,
                         15,         16,         31,         32,         33,         63,         64,
                         100,        0x7F,       0x80,       0xFF,       0x3210,     0x7FFF,     0x8000,
                         0xFFFF,     0x10000,    0x12345678, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFE,
                         0xFFFFFFFF, 0x00FF00FF, 0x80FF7F01};
const Words kWide = {0x100000000,        0x7FFFFFFFFFFFFFFF, 0x8000000000000000, 0x8000000000000001,
                     0xFFFFFFFFFFFFFFFF, 0xFFFFFFFFFFFFFFFE, 0xFFFFFFFF00000000, 0x0123456789ABCDEF,
                     0x20000000000001,   0xFFFFFFFF80000000};
// Zeros, ones, ties, ends of integer ranges, subnormals, infinities, NaNs of either sign, quiet and signalling.
const Words kSingles = {0,          0x80000000, 0x3F800000, 0xBF800000, 0x3F000000, 0xBF000000, 0x3FC00000,
                        0x40200000, 0xC0200000, 0x40400000, 0x3DCCCCCD, 0x447A0000, 0x7F800000, 0xFF800000,
                        0x7FFFFFFF, 0x7FC00000, 0xFFC00000, 0x7F800001, 0xFF812345, 0x00000001, 0x80000001,
                        0x007FFFFF, 0x00800000, 0x80800000, 0x7F7FFFFF, 0xFF7FFFFF, 0x3EFFFFFF, 0x3F000001,
                        0x4B000001, 0x4AFFFFFF, 0x4F000000, 0xCF000000, 0x4F7FFFFF, 0x4F800000, 0x5F000000,
                        0xDF000000, 0x5F800000, 0x437F8000, 0x437E8000, 0x42FF0000, 0xC3008000, 0x477FE000,
                        0x477FEFFF, 0x477FF000, 0x33000000, 0x33000001, 0x33800000, 0x387FC000, 0x387FE000,
                        0x38800000, 0x43E00000, 0x43E80000, 0x3B000000, 0x3A800000, 0x40490FDB, 0x42FC0000,
                        0x43000000, 0xC2FC0000, 0xC3160000, 0x1E3CE508, 0x60AD78EC};
const Words kDoubles = {0,
                        0x8000000000000000,
                        0x3FF0000000000000,
                        0xBFF0000000000000,
                        0x3FE0000000000000,
                        0x3FF8000000000000,
                        0x4004000000000000,
                        0xC004000000000000,
                        0x4008000000000000,
                        0x3FB999999999999A,
                        0x7FF0000000000000,
                        0xFFF0000000000000,
                        0x7FF8000000000000,
                        0xFFF8000000000000,
                        0x7FFFFFFFFFFFFFFF,
                        0x7FF0000000000001,
                        0xFFF4123456789ABC,
                        1,
                        0x8000000000000001,
                        0x000FFFFFFFFFFFFF,
                        0x0010000000000000,
                        0x7FEFFFFFFFFFFFFF,
                        0x41E0000000000000,
                        0xC1E0000000000000,
                        0x41DFFFFFFFC00000,
                        0x41EFFFFFFFE00000,
                        0x41F0000000000000,
                        0x43E0000000000000,
                        0xC3E0000000000000,
                        0x43F0000000000000,
                        0x3FF0000010000000,
                        0x3FF0000030000000,
                        0x47EFFFFFE0000000,
                        0x47EFFFFFF0000000,
                        0x36A0000000000000,
                        0x3690000000000000,
                        0x3690000000000001,
                        0x380FFFFFE0000000,
                        0x4330000000000001,
                        0x433FFFFFFFFFFFFF,
                        0x40EFFFC000000000,
                        0x40EFFE0000000000};
const Words kHalves = {0,      0x8000, 0x3C00, 0xBC00, 0x3800, 0x3E00, 0x4000, 0x4200, 0x4100, 0xC100,
                       0x0001, 0x8001, 0x03FF, 0x0400, 0x7BFF, 0xFBFF, 0x7C00, 0xFC00, 0x7E00, 0xFE00,
                       0x7FFF, 0x7C01, 0xFD55, 0x5644, 0x63D0, 0x2E00, 0x77FF, 0x5BF8, 0x5800};
const Words kBfloats = {0,      0x8000, 0x3F80, 0xBF80, 0x3F00, 0x3FC0, 0x4000, 0x4040, 0x4020, 0xC020,
                        0x0001, 0x8001, 0x007F, 0x0080, 0x7F7F, 0xFF7F, 0x7F80, 0xFF80, 0x7FC0, 0xFFC0,
                        0x7FFF, 0x7F81, 0xFF92, 0x42C8, 0x447A, 0x3DC0, 0x4F00, 0xCF00, 0x437F};

std::uint64_t random_float(Random& random, unsigned fraction, unsigned exponent_bits) {
  const std::uint64_t bias = (1ull << (exponent_bits - 1)) - 1;
  const std::uint64_t sign = random.below(2) << (fraction + exponent_bits);
  const std::uint64_t exponent =
      random.below(2) ? bias - 6 + random.below(12) : random.below(1ull << exponent_bits);
  return sign | exponent << fraction | (random.next() & ((1ull << fraction) - 1));
}

std::uint64_t pick(Random& random, const Words& specials, std::uint64_t otherwise, unsigned thread,
                   bool in_order) {
  if (in_order && thread < specials.size()) return specials[thread];
  return random.below(3) ? specials[random.below(specials.size())] : otherwise;
}

/// @param in_order the only input of a case: goes through all special values first.
std::uint64_t value(Random& random, const std::string& type, unsigned thread, bool in_order) {
  const std::uint64_t any = random.next();
  if (type == "pred") return any & 1;
  if (type == "n") return any % 40;
  if (type == "b16") return pick(random, kIntegers, any, thread, in_order) & 0xFFFF;
  if (type == "b32") return pick(random, kIntegers, any, thread, in_order) & 0xFFFFFFFF;
  if (type == "b64" || type == "b128")
    return random.below(2) ? pick(random, kIntegers, any, thread, in_order)
                           : pick(random, kWide, any, thread, in_order);
  if (type == "f32") return pick(random, kSingles, random_float(random, 23, 8), thread, in_order);
  if (type == "f64") return pick(random, kDoubles, random_float(random, 52, 11), thread, in_order);
  if (type == "f16") return pick(random, kHalves, random_float(random, 10, 5), thread, in_order);
  if (type == "bf16") return pick(random, kBfloats, random_float(random, 7, 8), thread, in_order);
  const bool brain = type == "bf16x2";
  const Words& specials = brain ? kBfloats : kHalves;
  const std::uint64_t low =
      pick(random, specials, random_float(random, brain ? 7 : 10, brain ? 8 : 5), thread, in_order);
  const std::uint64_t high =
      pick(random, specials, random_float(random, brain ? 7 : 10, brain ? 8 : 5), thread, false);
  return high << 16 | low;
}

}  // namespace

unsigned words_of(const Placeholder& p) {
  return p.type == "b128" ? 2 : 1;
}

std::size_t Case::inputs() const {
  std::size_t n = 0;
  for (const Placeholder& p : placeholders) n += p.result ? 0 : words_of(p);
  return n;
}

std::size_t Case::results() const {
  std::size_t n = 0;
  for (const Placeholder& p : placeholders) n += p.result ? words_of(p) : 0;
  return n;
}

std::vector<Case> read_cases(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw std::runtime_error("cannot open " + path);
  std::vector<Case> all;
  std::string whole;
  unsigned number = 0, first = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (const std::size_t comment = line.find('#'); comment != std::string::npos) line.erase(comment);
    while (!line.empty() && line.back() == ' ') line.pop_back();
    if (whole.empty()) first = number;
    const std::size_t begin = line.find_first_not_of(' ');
    if (begin != std::string::npos) whole += (whole.empty() ? "" : " ") + line.substr(begin);
    if (!whole.empty() && whole.back() == '\\') {
      whole.pop_back();
      while (!whole.empty() && whole.back() == ' ') whole.pop_back();
      continue;
    }
    if (whole.empty()) continue;
    try {
      int tolerance = 0;
      double absolute = 0;
      const bool cluster = whole[0] == '@';
      if (cluster) whole.erase(0, whole.find_first_not_of("@ "));
      if (whole[0] == '~') {
        const std::size_t space = whole.find(' ');
        const std::string amount = whole.substr(1, space - 1);
        if (amount.compare(0, 2, "2^") == 0)
          absolute = std::ldexp(1.0, std::stoi(amount.substr(2)));
        else
          tolerance = std::stoi(amount);
        whole.erase(0, space + 1);
      }
      std::vector<std::string> texts;
      expand(whole, texts);
      for (const std::string& text : texts)
        all.push_back({text, cluster, tolerance, absolute, first, placeholders_of(text)});
    } catch (const std::exception& e) {
      throw std::runtime_error(path + ":" + std::to_string(first) + ": " + e.what());
    }
    whole.clear();
  }
  return all;
}

std::string module_for(const std::vector<Case>& cases) {
  std::string text = ".version 9.0\n.target sm_90\n.address_size 64\n.const .align 16 .b8 con[64] = {";
  for (int i = 0; i < 64; ++i) text += (i ? "," : "") + std::to_string(i);
  text += "};\n";
  for (const Case& c : cases)
    if (c.text.find("call") != std::string::npos) {
      text += kFunctions;
      break;
    }
  for (std::size_t n = 0; n < cases.size(); ++n) {
    const Case& c = cases[n];
    std::string before, after;
    std::size_t input = 0, result = 0;
    text += "// " + c.text + "\n.visible .entry k" + std::to_string(n) +
            "(.param .u64 in, .param .u64 out, .param .u64 scratch)\n";
    if (c.cluster) text += ".explicitcluster .reqnctapercluster 1, 1, 1\n";
    text += "{\n";
    text += kRegisters;
    for (std::size_t k = 0; k < c.placeholders.size(); ++k) {
      const Placeholder& p = c.placeholders[k];
      const std::string name = "%p" + std::to_string(k);
      text += std::string(".reg ") + register_type(p.type) + " " + name + ";\n";
      std::size_t& row = p.result ? result : input;
      (p.result ? after : before) += p.result ? store(p, name, row) : load(p, name, row);
      row += words_of(p);
    }
    text +=
        "mov.u32 %t, %tid.x; mov.u32 %lane, %laneid; shr.u32 %warp, %t, 5;\n"
        "ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; ld.param.u64 %ga, [scratch];\n"
        "mad.wide.u32 %in, %t, 8, %in; mad.wide.u32 %out, %t, 8, %out; mad.wide.u32 %ga, %t, 64, %ga;\n"
        "mov.u32 %s0, sha; mad.lo.u32 %sa, %t, 32, %s0; mad.lo.u32 %sw, %warp, 1024, %s0;\n";
    text += before + with_registers(c) + "\n" + after + "ret;\n}\n";
  }
  return text;
}

std::vector<std::uint64_t> inputs_for(const Case& c) {
  Random random(c.text);
  std::vector<std::uint64_t> all;
  const bool only = c.inputs() == 1;
  for (const Placeholder& p : c.placeholders)
    for (unsigned word = 0; !p.result && word < words_of(p); ++word)
      for (unsigned t = 0; t < kThreads; ++t) all.push_back(value(random, p.type, t, only));
  return all;
}

}  // namespace hardware
