/// @file
/// See mutator.hpp. A text is a list of lines; compilers write one statement a line.
#include "simgpu/tests/fuzz/mutator.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <random>
#include <vector>

namespace simgpu::fuzz {
namespace {

/// Registers that instructions made here use, beside those of the text. Declared in every function that gets one.
constexpr std::string_view kRegisters =
    ".reg .pred %zp<4>; .reg .b16 %zh<4>; .reg .b32 %zr<6>; .reg .b64 %zd<6>; .reg .b128 %zq<3>;";

/// Spellings and signatures of the opcode table.
struct TableEntry {
  std::string_view spellings, signature;
};
enum Class { fp32, fp64, integer, special, conversion, memory, control, shuffle, other };
constexpr TableEntry kTable[] = {
#define OP(id, spellings, signature, ...) {spellings, signature},
#include "simgpu/lower/opcodes.def"
#undef OP
};

/// The instructions that the table does not describe. `(a|b)` is a choice; `<r>` a register of 32 bits (d 64, h 16, q 128,
/// p predicate), `<i>` a number, `<L>` a label, `<a>` an address, `<v>` a vector of 32-bit registers, `<4>` one of four,
/// `<s>` a symbol.
constexpr std::string_view kForms[] = {
    "ld(|.volatile|.relaxed.gpu|.acquire.sys|.relaxed.cluster)(|.global|.shared|.local|.param|.const|.shared:"
    ":cluster|.global.nc)(.b8|.s8|.u16|.b32|.f32|.b64|.f64) (<r>|<d>|<h>), <a>",
    "ld(|.global|.shared|.local|.global.nc|.global.cg)(.v2|.v4|.v8)(.b32|.f32|.b16|.u8) <v>, <a>",
    "ld(|.global|.shared|.local).b128 <q>, <a>",
    "st(|.volatile|.release.gpu|.relaxed.cta)(|.global|.shared|.local|.param|.shared::cluster)(.b8|.b16|.b32|"
    ".f32|.b64) <a>, (<r>|<d>|<h>|<i>)",
    "st(|.global|.shared|.local)(.v2|.v4|.v8)(.b32|.f32|.b8|.b64) <a>, <v>",
    "st(|.global|.shared|.local).b128 <a>, (<q>|<i>)",
    "atom(|.acq_rel|.relaxed)(|.cta|.cluster|.gpu|.sys)(|.global|.shared|.shared::cluster)(.add|.min|.max|."
    "and|.or|.xor|.inc|.dec|.exch)(.u32|.s32|.b32|.f32|.u64|.f16x2|.bf16|.noftz.f16|.f64|.b16|.b128) "
    "(<r>|<d>|<h>|_|<q>), <a>, (<r>|<d>|<i>|<h>|<q>)",
    "atom(|.global|.shared).cas(.b16|.b32|.b64|.b128) (<r>|<d>|<h>|<q>), <a>, (<r>|<d>|<h>|<i>|<q>), "
    "(<r>|<d>|<i>|<h>|<q>)",
    "atom.global(.v2|.v4).f32.add <v>, <a>, <v>",
    "red(|.release)(|.gpu|.sys)(|.global|.shared)(.add|.min|.max|.and|.or|.xor|.inc|.dec)(.u32|.s32|.b32|."
    "f32|.u64|.f64|.f16x2|.noftz.bf16x2) <a>, (<r>|<d>|<i>)",
    "red.global(.v2|.v4|.v8)(.f32|.noftz.f16|.f16x2).add <a>, <v>",
    "mov(.b32|.u32|.f32) <r>, "
    "(<r>|<i>|<s>|%tid.x|%laneid|%ctaid.x|%clock|%smid|%cluster_ctarank|%dynamic_smem_size|%total_smem_size|%"
    "lanemask_lt)",
    "mov(.b64|.u64) <d>, (<d>|<i>|<s>|%clock64|%globaltimer|%gridid|{<r>, <r>}|{<h>, <h>, <h>, <h>})",
    "mov.b32 {<h>, <h>}, <r>",
    "mov.b64 {<r>, <r>}, <d>",
    "mov.b128 <q>, (<q>|<i>|{<d>, <d>})",
    "mov.b128 {<d>, <d>}, <q>",
    "mov.pred <p>, (<p>|<i>|%is_explicit_cluster)",
    "setp(.eq|.ne|.lt|.le|.gt|.ge|.lo|.hs|.equ|.nan|.num|.ltu)(|.and|.or|.xor)(|.ftz)(.u32|.s32|.f32|.b32|."
    "u64|.f64|.f16|.bf16|.f16x2|.s16) <p>(||\\|<p>), (<r>|<d>|<h>), (<r>|<d>|<h>|<i>)(|, <p>|, !<p>)",
    "set(.eq|.ne|.lt|.gtu)(|.and)(.u32|.f32|.f16x2|.bf16|.s32)(.f32|.u32|.f16x2|.bf16|.s64) <r>, (<r>|<d>), "
    "(<r>|<d>|<i>)(|, <p>)",
    "selp(.b32|.b64|.f32|.b16) (<r>|<d>|<h>), (<r>|<d>|<i>), (<r>|<d>|<i>), <p>",
    "slct(.b32|.u64|.f32)(.s32|.f32) (<r>|<d>), (<r>|<d>), (<r>|<d>), <r>",
    "cvt(|.rn|.rz|.rm|.rp|.rni|.rzi|.rmi|.rpi)(|.ftz)(|.sat)(|.relu)(.u8|.s8|.u16|.s16|.u32|.s32|.u64|.s64|."
    "f16|.bf16|.f32|.f64|.f16x2|.bf16x2)(.u8|.s8|.u16|.s16|.u32|.s32|.u64|.s64|.f16|.bf16|.f32|.f64) "
    "(<r>|<d>|<h>), (<r>|<d>|<h>|<i>)(|, <r>)",
    "cvta(|.to)(.global|.shared|.local|.const|.param|.shared::cluster).u64 <d>, (<d>|<s>)",
    "isspacep(.global|.shared|.local|.const|.param|.shared::cluster) <p>, <d>",
    "bra(|.uni) <L>",
    "ret",
    "exit",
    "trap",
    "brkpt",
    "call <s>, ()",
    "call (<s>), <s>, (<s>, <s>)",
    "bar.sync <i>(|, <i>)",
    "bar.sync (<r>|0)",
    "barrier(|.cta)(.sync|.arrive)(|.aligned) (<r>|<i>)(|, <i>|, <r>)",
    "bar.arrive <i>, <i>",
    "bar.red(.popc.u32 <r>|.and.pred <p>|.or.pred <p>), (<i>|<r>)(|, <i>), <p>",
    "bar.warp.sync (<r>|<i>|-1)",
    "barrier.cluster(.arrive|.wait)(|.aligned|.release|.acquire)",
    "shfl.sync(.up|.down|.bfly|.idx).b32 <r>(|\\|<p>), <r>, (<r>|<i>), (<r>|<i>|31), (<r>|<i>|-1)",
    "shfl(.up|.down|.bfly|.idx).b32 <r>(|\\|<p>), <r>, <i>, <i>",
    "vote.sync(.all|.any|.uni).pred <p>, <p>, (<r>|-1)",
    "vote.sync.ballot.b32 <r>, (<p>|!<p>), (<r>|-1)",
    "match(.any|.all).sync(.b32|.b64) <r>(|\\|<p>), (<r>|<d>|<i>), (<r>|-1)",
    "redux.sync(.add|.min|.max|.and|.or|.xor)(.u32|.s32|.b32) <r>, <r>, (<r>|-1)",
    "elect.sync <r>\\|<p>, (<r>|-1)",
    "activemask.b32 <r>",
    "(membar|fence)(.gl|.sc.gpu|.acq_rel.cta|.cta|.sys|.proxy.async|.proxy.alias|.mbarrier_init.release."
    "cluster)",
    "cp.async(.ca|.cg).shared.global <a>, <a>, (4|8|16|<i>)(|, <r>|, 4)",
    "cp.async.commit_group",
    "cp.async.wait_all",
    "cp.async.wait_group <i>",
    "cp.async.mbarrier.arrive(|.noinc)(|.shared).b64 <a>",
    "mbarrier.init(|.shared).b64 <a>, (<i>|<r>)",
    "mbarrier.inval(|.shared).b64 <a>",
    "mbarrier(.arrive|.arrive_drop)(|.noComplete|.expect_tx)(|.release.cta)(|.shared|.shared::cluster).b64 "
    "(<d>|_), <a>(|, <i>|, <r>)",
    "mbarrier(.test_wait|.try_wait)(|.parity)(|.shared).b64 <p>, <a>, (<d>|<r>|<i>)(|, <i>)",
    "mbarrier(.expect_tx|.complete_tx)(|.relaxed.cta).shared.b64 <a>, (<i>|<r>)",
    "mbarrier.pending_count.b64 <r>, <d>",
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes(|.multicast::cluster) <a>, <a>, "
    "(<i>|<r>), <a>(|, <r>)",
    "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes <a>, <a>, (<i>|<r>), <a>",
    "cp.async.bulk.global.shared::cta.bulk_group <a>, <a>, (<i>|<r>)",
    "cp.async.bulk.prefetch.L2.global <a>, (<i>|<r>)",
    "cp.reduce.async.bulk.global.shared::cta.bulk_group(.add|.min|.max|.inc|.and)(.u32|.f32|.f16|.u64|.s32|."
    "bf16|.f64|.b32) <a>, <a>, (<i>|<r>)",
    "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes(.add|.min|.xor)(.u32|.s32|"
    ".u64) <a>, <a>, (<i>|<r>), <a>",
    "cp.async.bulk.commit_group",
    "cp.async.bulk.wait_group(|.read) <i>",
    "cp.async.bulk.tensor(.1d|.2d|.3d|.4d|.5d).shared::cluster.global(|.tile).mbarrier::complete_tx::bytes(|."
    "multicast::cluster) <a>, [(<d>|<s>), (<v>|{<r>}|{<i>, <i>})], <a>(|, <r>)",
    "cp.async.bulk.tensor(.1d|.2d|.3d).global.shared::cta.bulk_group [(<d>|<s>), (<v>|{<r>}|{<i>, <i>})], "
    "<a>",
    "cp.reduce.async.bulk.tensor(.1d|.2d|.3d).global.shared::cta(.add|.min|.or).bulk_group [(<d>|<s>), "
    "(<v>|{<i>, <i>})], <a>",
    "cp.async.bulk.prefetch.tensor(.1d|.2d|.3d).L2.global [(<d>|<s>), (<v>|{<i>, <i>})]",
    "st.async(|.weak).shared::cluster.mbarrier::complete_tx::bytes(|.v2|.v4)(.b32|.u64|.f32) <a>, "
    "(<r>|<d>|<v>), <a>",
    "red.async.relaxed.cluster(.add|.inc|.max).shared::cluster.mbarrier::complete_tx::bytes(.u32|.s32|.u64) "
    "<a>, (<r>|<d>), <a>",
    "mapa(|.shared::cluster)(.u32|.u64) (<r>|<d>), (<r>|<d>|<s>), (<r>|<i>)",
    "getctarank(|.shared::cluster)(.u32|.u64) <r>, (<r>|<d>|<s>)",
    "tex(|.level|.grad|.base)(.1d|.2d|.3d|.a1d|.a2d|.cube|.acube).v4(.f32|.s32|.u32|.f16)(.f32|.s32) <4>, "
    "[(<d>), (<4>|<v>|{<r>})](|, <r>|, <4>, <4>)",
    "tld4(.r|.g|.b|.a).2d.v4(.f32|.s32).f32 <4>, [<d>, {<r>, <r>}]",
    "suld.b(.1d|.2d|.3d|.a1d|.a2d)(|.v2|.v4)(.b8|.b16|.b32|.b64)(.trap|.clamp|.zero) (<r>|<v>|<d>), [<d>, "
    "(<4>|<v>|{<r>})]",
    "sust(.b|.p)(.1d|.2d|.3d|.a2d)(|.v2|.v4)(.b8|.b16|.b32|.b64)(.trap|.clamp|.zero) [<d>, (<4>|<v>|{<r>})], "
    "(<r>|<v>|<d>)",
    "ldmatrix.sync.aligned.m8n8(.x1|.x2|.x4)(|.trans)(|.shared).b16 (<v>|<4>|<r>), <a>",
    "stmatrix.sync.aligned.m8n8(.x1|.x2|.x4)(|.trans).shared.b16 <a>, (<v>|<4>|<r>)",
    "movmatrix.sync.aligned.m8n8.trans.b16 <r>, <r>",
    "prefetch.global.L2 <a>",
    "nanosleep.u32 (<r>|<i>)",
    "brx.idx <r>, <L>",
    "griddepcontrol.wait",
    "discard.global.L2 <a>, 128",
};

constexpr std::string_view kNumbers[] = {"0",
                                         "1",
                                         "2",
                                         "3",
                                         "4",
                                         "8",
                                         "16",
                                         "31",
                                         "32",
                                         "33",
                                         "63",
                                         "64",
                                         "127",
                                         "128",
                                         "255",
                                         "256",
                                         "1023",
                                         "1024",
                                         "4095",
                                         "4096",
                                         "65535",
                                         "65536",
                                         "1048575",
                                         "16777216",
                                         "2147483647",
                                         "-1",
                                         "-8",
                                         "4294967295",
                                         "4294967296",
                                         "9223372036854775807",
                                         "18446744073709551615",
                                         "0x7FF",
                                         "0x10000",
                                         "0f7F800000",
                                         "0f00000001",
                                         "0fFFC00000",
                                         "0d7FF0000000000000",
                                         "1.5"};

constexpr std::string_view kWords[] = {
    ".b8",      ".b16",      ".b32",     ".b64",      ".b128",      ".u8",      ".u16",   ".u32",
    ".u64",     ".s8",       ".s16",     ".s32",      ".s64",       ".f16",     ".f16x2", ".bf16",
    ".bf16x2",  ".f32",      ".f64",     ".pred",     ".global",    ".shared",  ".local", ".param",
    ".const",   ".v2",       ".v4",      ".v8",       ".wide",      ".lo",      ".hi",    ".sat",
    ".ftz",     ".rz",       ".rm",      ".rp",       ".rn",        ".approx",  ".cc",    ".sync",
    ".aligned", ".volatile", ".relaxed", ".acquire",  ".release",   ".cluster", ".gpu",   ".sys",
    ".cta",     ".nc",       ".reg",     ".align 16", ".align 4096"};

using Lines = std::vector<std::string>;

class Mutator {
 public:
  std::size_t below(std::size_t limit) { return limit == 0 ? 0 : random_() % limit; }
  template <class List>
  auto one_of(const List& list) {
    return *std::next(std::begin(list), static_cast<std::ptrdiff_t>(below(std::size(list))));
  }

  Mutator(std::string_view text, unsigned seed) : random_(seed) {
    for (std::size_t begin = 0; begin <= text.size();) {
      std::size_t end = text.find('\n', begin);
      if (end == std::string_view::npos) end = text.size();
      lines_.emplace_back(text.substr(begin, end - begin));
      begin = end + 1;
    }
    look_round();
  }

  std::string text() const {
    std::string out;
    for (const std::string& line : lines_) out += line, out += '\n';
    if (!out.empty()) out.pop_back();
    return out;
  }

  void change() {
    switch (below(12)) {
      case 0:
      case 1:
      case 2:
        return insert(made());
      case 3:
        return change_opcode();
      case 4:
      case 5:
        return change_operand();
      case 6:
        return change_number();
      case 7:
        return change_word();
      case 8:
        return move_line();
      case 9:
        return change_guard();
      case 10:
        return change_launch();
      default:
        return change_directive();
    }
  }

  /// @p line before some instruction.
  void insert(std::string line) {
    if (instructions_.empty()) return;
    lines_.insert(lines_.begin() + static_cast<std::ptrdiff_t>(one_of(instructions_)), std::move(line));
    look_round();
    declare();
  }

  Lines instructions() const {
    Lines found;
    for (const std::size_t n : instructions_) found.push_back(lines_[n]);
    return found;
  }

 private:
  static bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '%' || c == '$';
  }
  static std::size_t first_of(const std::string& line) {
    const std::size_t at = line.find_first_not_of(" \t");
    return at == std::string::npos ? line.size() : at;
  }

  void look_round() {
    instructions_.clear();
    labels_.clear();
    names_.clear();
    registers_.clear();
    for (std::size_t n = 0; n < lines_.size(); ++n) {
      const std::string& line = lines_[n];
      const std::size_t at = first_of(line);
      if (at == line.size()) continue;
      if (line.back() == ':') {
        labels_.push_back(line.substr(at, line.size() - at - 1));
      } else if ((line[at] == '@' || std::isalpha(static_cast<unsigned char>(line[at]))) &&
                 line.back() == ';') {
        instructions_.push_back(n);
        for (std::size_t p = line.find('%'); p != std::string::npos; p = line.find('%', p + 1)) {
          std::size_t end = p + 1;
          while (end < line.size() && is_word(line[end]) && line[end] != '%') ++end;
          if (end < line.size() && line[end] == '.') continue;
          registers_.push_back(line.substr(p, end - p));
        }
      } else if (line[at] == '.' && line.compare(at, 4, ".reg") != 0) {
        // Names that are declared: the word before `[`, `;`, `,`, `(`, `=` or the end.
        std::size_t end = line.find_first_of("[;,(=", at);
        if (end == std::string::npos) end = line.size();
        while (end > at && line[end - 1] == ' ') --end;
        std::size_t begin = end;
        while (begin > at && is_word(line[begin - 1])) --begin;
        if (end > begin && line[begin - (begin > at)] != '.')
          names_.push_back(line.substr(begin, end - begin));
      }
    }
  }

  /// Puts the declarations of kRegisters into every function body.
  void declare() {
    bool head = false;
    for (std::size_t n = 0; n < lines_.size(); ++n) {
      const std::string& line = lines_[n];
      if (line.find(".entry") != std::string::npos || line.find(".func") != std::string::npos) head = true;
      if (!head || line.find('{') == std::string::npos) continue;
      head = false;
      if (n + 1 < lines_.size() && lines_[n + 1] == kRegisters) continue;
      if (line.back() != '{') continue;
      lines_.insert(lines_.begin() + static_cast<std::ptrdiff_t>(n + 1), std::string(kRegisters));
    }
    look_round();
  }

  std::string numbered(std::string_view prefix, std::size_t count) {
    return std::string(prefix) + std::to_string(below(count));
  }
  /// A register of a kind: a made one, or one of the text whose name looks like nvcc's for that kind.
  std::string register_of(char kind) {
    if (below(3) != 0) {
      const std::string_view prefix = kind == 'd'   ? "%rd"
                                      : kind == 'h' ? "%rs"
                                      : kind == 'p' ? "%p"
                                      : kind == 'q' ? "%rq"
                                                    : (below(3) ? "%r" : "%f");
      for (int attempt = 0; attempt < 8 && !registers_.empty(); ++attempt) {
        std::string name = one_of(registers_);
        if (name.compare(0, prefix.size(), prefix) == 0 && name.size() > prefix.size() &&
            std::isdigit(static_cast<unsigned char>(name[prefix.size()])))
          return name;
      }
    }
    switch (kind) {
      case 'd':
        return numbered("%zd", 6);
      case 'h':
        return numbered("%zh", 4);
      case 'p':
        return numbered("%zp", 4);
      case 'q':
        return numbered("%zq", 3);
      default:
        return numbered("%zr", 6);
    }
  }
  std::string number() { return below(3) ? std::to_string(below(130)) : std::string(one_of(kNumbers)); }
  std::string symbol() { return names_.empty() || below(12) == 0 ? std::string("nowhere") : one_of(names_); }
  std::string address() {
    std::string base;
    switch (below(6)) {
      case 0:
        base = number();
        break;
      case 1:
      case 2:
        base = symbol();
        break;
      case 3:
        base = register_of('r');
        break;
      default:
        base = register_of('d');
        break;
    }
    return "[" + base + (below(2) ? "" : "+" + std::to_string(below(40) * (below(2) ? 4 : 16))) + "]";
  }
  std::string vector(std::size_t count, char kind) {
    std::string out = "{";
    for (std::size_t n = 0; n < count; ++n) out += (n ? ", " : "") + register_of(kind);
    return out + "}";
  }

  /// Expands a form: see kForms.
  std::string expand(std::string_view form) {
    std::string out;
    for (std::size_t at = 0; at < form.size(); ++at) {
      const char c = form[at];
      if (c == '\\') {
        out += form[++at];
      } else if (c == '(' && form.find('|', at) != std::string_view::npos && form.substr(at, 2) != "()" &&
                 closing(form, at) != std::string_view::npos) {
        const std::size_t end = closing(form, at);
        out += expand(choice(form.substr(at + 1, end - at - 1)));
        at = end;
      } else if (c == '<' && at + 2 < form.size() && form[at + 2] == '>') {
        switch (form[at + 1]) {
          case 'i':
            out += number();
            break;
          case 'L':
            out += labels_.empty() ? "nowhere" : one_of(labels_);
            break;
          case 'a':
            out += address();
            break;
          case 's':
            out += symbol();
            break;
          case 'v':
            out += vector(1 + below(5), below(6) ? 'r' : 'd');
            break;
          case '4':
            out += vector(4, 'r');
            break;
          default:
            out += register_of(form[at + 1]);
            break;
        }
        at += 2;
      } else {
        out += c;
      }
    }
    return out;
  }
  static std::size_t closing(std::string_view form, std::size_t open) {
    int depth = 0;
    for (std::size_t at = open; at < form.size(); ++at) {
      if (form[at] == '\\') {
        ++at;
        continue;
      }
      if (form[at] == '(') ++depth;
      if (form[at] == ')' && --depth == 0) return at;
    }
    return std::string_view::npos;
  }
  std::string_view choice(std::string_view all) {
    std::vector<std::string_view> parts;
    std::size_t begin = 0;
    for (std::size_t at = 0; at <= all.size(); ++at) {
      if (at < all.size() && all[at] == '\\') {
        ++at;
        continue;
      }
      if (at == all.size() || all[at] == '|') parts.push_back(all.substr(begin, at - begin)), begin = at + 1;
    }
    return one_of(parts);
  }

  std::string_view spelling() {
    for (;;) {
      std::string_view all = one_of(kTable).spellings;
      if (all.empty()) continue;
      std::vector<std::string_view> words;
      for (std::size_t end; !all.empty(); all = end == std::string_view::npos ? "" : all.substr(end + 1)) {
        end = all.find(' ');
        words.push_back(all.substr(0, end));
      }
      return one_of(words);
    }
  }

  /// An instruction out of nothing.
  std::string made() {
    std::string line;
    if (below(5) == 0) line = "@" + std::string(below(2) ? "!" : "") + register_of('p') + " ";
    if (below(3)) return line + expand(one_of(kForms)) + ";";
    const TableEntry entry = one_of(kTable);
    if (entry.spellings.empty()) return line + expand(one_of(kForms)) + ";";
    line += entry.spellings.substr(0, entry.spellings.find(' '));
    bool first = true;
    for (const char c : entry.signature) {
      if (c == 'K' || c == 'k' || c == 'B' || c == '*') continue;
      line += first ? " " : ", ";
      if (!first && c != 'p' && below(5) == 0)
        line += number();
      else
        line += c == 'i' ? number() : register_of(c == 'x' || c == 'g' ? 'd' : c == 'p' ? 'p' : 'r');
      first = false;
    }
    return line + ";";
  }

  std::string* instruction() { return instructions_.empty() ? nullptr : &lines_[one_of(instructions_)]; }

  void change_opcode() {
    std::string* const line = instruction();
    if (line == nullptr) return;
    std::size_t begin = first_of(*line);
    if ((*line)[begin] == '@') begin = std::min(line->find(' ', begin), line->size() - 1) + 1;
    const std::size_t end = std::min(line->find_first_of(" ;", begin), line->size());
    if (begin < end) line->replace(begin, end - begin, spelling());
  }

  /// One word of an instruction's operands for another: a register, a name or a number.
  void change_operand() {
    std::string* const line = instruction();
    if (line == nullptr) return;
    std::vector<std::pair<std::size_t, std::size_t>> words;
    for (std::size_t at = line->find(' '); at != std::string::npos && at < line->size(); ++at) {
      if (!is_word((*line)[at])) continue;
      const std::size_t begin = at;
      while (at < line->size() && is_word((*line)[at])) ++at;
      words.emplace_back(begin, at - begin);
    }
    if (words.empty()) return;
    const auto [at, size] = one_of(words);
    std::string other;
    if ((*line)[at] == '%' && !registers_.empty() && below(4))
      other = one_of(registers_);
    else if (below(2))
      other = number();
    else if (below(2))
      other = symbol();
    else
      other = register_of("rdhpq"[below(5)]);
    line->replace(at, size, other);
  }

  void replace_number(std::string& line) {
    std::vector<std::pair<std::size_t, std::size_t>> found;
    for (std::size_t at = 0; at < line.size(); ++at) {
      if (!std::isdigit(static_cast<unsigned char>(line[at])) || (at && is_word(line[at - 1]))) continue;
      const std::size_t begin = at;
      while (at < line.size() && is_word(line[at])) ++at;
      found.emplace_back(begin, at - begin);
    }
    if (found.empty()) return;
    const auto [at, size] = one_of(found);
    line.replace(at, size, one_of(kNumbers));
  }
  void change_number() {
    if (std::string* const line = below(3) ? instruction() : &lines_[below(lines_.size())])
      replace_number(*line);
    look_round();
  }

  /// `.b32` for `.s16`, `.global` for `.shared`, ...
  void change_word() {
    std::string& line = lines_[below(lines_.size())];
    std::vector<std::pair<std::size_t, std::size_t>> found;
    for (std::size_t at = line.find('.'); at != std::string::npos; at = line.find('.', at + 1)) {
      std::size_t end = at + 1;
      while (end < line.size() && (is_word(line[end]) || line[end] == ':')) ++end;
      found.emplace_back(at, end - at);
    }
    if (found.empty()) return;
    const auto [at, size] = one_of(found);
    switch (below(4)) {
      case 0:
        line.erase(at, size);
        break;
      case 1:
        line.insert(at, one_of(kWords));
        break;
      default:
        line.replace(at, size, one_of(kWords));
        break;
    }
    look_round();
  }

  void move_line() {
    const std::size_t from = below(lines_.size());
    std::string line = lines_[from];
    if (below(3)) lines_.erase(lines_.begin() + static_cast<std::ptrdiff_t>(from));
    if (below(3))
      lines_.insert(lines_.begin() + static_cast<std::ptrdiff_t>(below(lines_.size() + 1)), std::move(line));
    if (lines_.empty()) lines_.emplace_back();
    look_round();
  }

  void change_guard() {
    std::string* const line = instruction();
    if (line == nullptr) return;
    const std::size_t at = first_of(*line);
    if ((*line)[at] == '@') {
      const std::size_t end = line->find(' ', at);
      if (end != std::string::npos) line->erase(at, end + 1 - at);
    } else {
      line->insert(at, "@" + std::string(below(2) ? "!" : "") + register_of('p') + " ");
    }
    declare();
  }

  void change_launch() {
    constexpr char kHex[] = "0123456789abcdef";
    if (!lines_[0].starts_with("//@ ") || lines_[0].size() < 8) {
      lines_.insert(lines_.begin(), "//@ 0000");
      look_round();
    }
    lines_[0][4 + below(4)] = kHex[below(16)];
  }

  void change_directive() {
    constexpr std::string_view kMade[] = {".shared .align 16 .b8 zs[256];",
                                          ".local .align 8 .b8 zl[64];",
                                          ".reg .b32 %r<64>;",
                                          ".extern .shared .align 16 .b8 ze[];",
                                          ".shared .align 8 .b64 zb;",
                                          ".param .b64 zparam;",
                                          ".pragma \"nounroll\";",
                                          ".loc 1 7 0",
                                          ".reg .pred %p<8>;",
                                          ".shared .align 128 .b8 zt[2048];",
                                          "$Lz:",
                                          "$Lz2: .branchtargets $Lz;",
                                          "{",
                                          "}",
                                          ".reg .b64 %rd<64>;"};
    std::string line(one_of(kMade));
    if (below(4) == 0) replace_number(line);
    const std::size_t at = instructions_.empty() ? below(lines_.size()) : one_of(instructions_);
    lines_.insert(lines_.begin() + static_cast<std::ptrdiff_t>(at), std::move(line));
    look_round();
  }

  std::mt19937 random_;
  Lines lines_;
  std::vector<std::size_t> instructions_;
  Lines labels_, names_, registers_;
};

}  // namespace

std::string mutate(std::string_view text, unsigned seed) {
  Mutator mutator(text, seed);
  for (std::size_t n = mutator.below(4) + 1; n-- > 0;) mutator.change();
  return mutator.text();
}

std::string cross(std::string_view text, std::string_view donor, unsigned seed) {
  Mutator mutator(text, seed);
  const Lines from = Mutator(donor, seed).instructions();
  if (from.empty()) return mutator.text();
  std::size_t at = mutator.below(from.size());
  for (std::size_t n = mutator.below(6) + 1; n-- > 0 && at < from.size(); ++at) mutator.insert(from[at]);
  return mutator.text();
}

}  // namespace simgpu::fuzz
