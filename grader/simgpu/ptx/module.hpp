/// @file
/// What the parser makes of a PTX text: directives, variables, functions and instructions, as they were
/// written.
///
/// This room knows PTX *syntax* only. It does not know what an instruction means: an instruction is an opcode
/// word, its modifiers and its operands, each kept as written, so that an unknown instruction still parses
/// and can be named with its source line by whoever has to execute it (`lower`).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace simgpu::ptx {

/// State spaces as PTX names them. `none` is the generic address space (no space word on the instruction).
enum class Space : std::uint8_t { none, reg, sreg, param, global, shared, local, constant };

/// Fundamental types as PTX names them. `none` means that no type was written.
enum class Type : std::uint8_t {
  none,
  pred,
  b8,
  b16,
  b32,
  b64,
  b128,
  u8,
  u16,
  u32,
  u64,
  s8,
  s16,
  s32,
  s64,
  f16,
  f16x2,
  bf16,
  bf16x2,
  tf32,
  f32,
  f64,
};

/// Size of one value of @p type. @return bytes; 0 for `none` and `pred`.
std::size_t size_of(Type type) noexcept;

/// The word of a type as written in PTX, without the dot ("f32").
std::string_view name_of(Type type) noexcept;

/// Reads a type word without its dot. @return `Type::none` if @p word names no type.
Type type_from(std::string_view word) noexcept;

/// A place in the student's source, from `.loc`. `line == 0` means unknown.
struct SourceLocation {
  std::uint32_t file = 0;  ///< key into `Module::files` (the number that `.file` declared)
  std::uint32_t line = 0;  ///< 1-based
  bool operator==(const SourceLocation&) const = default;
};

/// A `.file` directive.
struct File {
  std::uint32_t number = 0;
  std::string path;
};

/// One operand of an instruction.
///
/// | kind | written as | fields used |
/// |---|---|---|
/// | reg | `%r1`, `%tid.x`, `%p1` | `name` (with %, special registers with their suffix), `negated` for `!%p`
/// | | integer | `-3`, `0x1F`, `5U` | `bits` (two's complement, 64 bits) | | floating | `0f3F800000`,
/// `0d...`, `1.5` | `bits` (IEEE bit pattern), `floating_bytes` 4 or 8 (8 for `1.5`, whatever the
/// instruction) | | symbol | `smem`, `func`, `sym+8`, label `$L__BB0_2` | `name`, `offset` | | address |
/// `[%rd1+8]`, `[smem+4]`, `[16]` | `name` (register or symbol, may be empty), `offset` | | vector | `{%f1,
/// %f2}` | `elements` | | texture | `[tex, {%f1,%f2}]` | `name` the handle, `elements` the coordinates,
/// `pipe` the sampler of `[tex, samp, {...}]` | | list | `(a, b)` of a `call` | `elements` | | discard | `_`
/// | none |
///
/// `pipe` holds the second destination of `p|q` pairs (as in `setp...  %p1|%p2` or `shfl.sync ... %r1|%p1`),
/// else empty. A register that was declared without % (`.reg .b32 t;` in inline assembly) is a `reg` too.
/// `WARP_SZ` is the integer 32.
struct Operand {
  enum class Kind : std::uint8_t { reg, integer, floating, symbol, address, vector, texture, list, discard };
  Kind kind = Kind::discard;
  bool negated = false;
  std::uint8_t floating_bytes = 0;
  std::string name;
  std::string pipe;
  std::int64_t offset = 0;
  std::uint64_t bits = 0;
  std::vector<Operand> elements;
};

/// One instruction, as written.
struct Instruction {
  std::string opcode;  ///< up to the first dot: "ld", "cp", "mbarrier"
  std::vector<std::string>
      modifiers;      ///< words between dots, in order: {"global","nc","v4","f32"}; "shared::cta" is one word
  std::string guard;  ///< predicate register of `@%p1`, empty if none
  bool guard_negated = false;  ///< `@!%p1`
  bool no_unroll = false;  ///< behind `.pragma "nounroll"`: ptxas leaves the loop that begins here as it is
  std::vector<Operand> operands;
  SourceLocation location;     ///< from the last `.loc`
  std::uint32_t ptx_line = 0;  ///< line in the PTX text, 1-based, for messages about broken PTX

  /// The instruction word with its modifiers: "ld.global.nc.v4.f32".
  std::string full_name() const;
};

/// `.reg` declarations; `%r<10>` declares %r0..%r9 as ten names with a shared prefix.
struct RegisterDeclaration {
  Type type = Type::none;
  std::string name;         ///< with %; the prefix where `count` is set
  std::uint32_t count = 0;  ///< 0: one register called `name`; else registers name0 .. name(count-1)
};

/// A value in an initialiser: a number's bytes or an address of a symbol.
struct Initializer {
  std::vector<std::byte> bytes;  ///< little endian image of the whole variable, zero where symbols go
  struct Relocation {
    std::size_t byte_offset = 0;  ///< where in the image
    std::size_t size = 8;         ///< bytes
    std::string symbol;
    std::int64_t addend = 0;
    bool generic = false;     ///< written as generic(symbol)
    std::uint32_t shift = 0;  ///< bits by which the address is shifted right first, as in `0xFF00(symbol)`
  };
  std::vector<Relocation> relocations;
};

/// A variable or parameter.
struct Variable {
  std::string name;
  Space space = Space::none;
  Type type = Type::none;
  std::size_t align = 0;  ///< bytes; natural alignment when not written
  std::size_t bytes = 0;  ///< whole size, arrays included; 0 for `extern .shared x[]`
  bool is_extern = false, visible = false, weak = false, managed = false;
  bool is_array = false;
  std::optional<Initializer> initializer;
  std::uint32_t ptx_line = 0;
};

/// A label and the index of the instruction that it precedes (may equal `instructions.size()`).
struct Label {
  std::string name;
  std::size_t instruction = 0;
};

/// `.branchtargets`, `.calltargets` or `.callprototype` with the label in front of it.
struct NamedList {
  std::string label;
  std::string directive;                      ///< "branchtargets", "calltargets", "callprototype"
  std::vector<std::string> names;             ///< targets
  std::vector<Variable> parameters, results;  ///< of a prototype
};

/// `.entry` or `.func`. Registers and variables of inner `{ }` scopes are hoisted to the function: the parser
/// renames a name that is declared twice, in declaration and use, by appending "$scopeN".
struct Function {
  std::string name;
  bool is_entry = false, visible = false, is_extern = false, weak = false, noreturn = false;
  bool has_body = false;
  std::vector<Variable> parameters, results;
  std::vector<RegisterDeclaration> registers;
  std::vector<Variable> variables;  ///< .local, .shared, .param (call argument) variables declared inside
  std::vector<Instruction> instructions;
  std::vector<Label> labels;
  std::vector<NamedList> lists;
  std::optional<std::uint32_t> maxntid[3], reqntid[3];
  std::optional<std::uint32_t> minnctapersm, maxnreg;
  std::optional<std::uint32_t> reqnctapercluster[3];
  bool explicit_cluster = false;
  std::uint32_t ptx_line = 0;
};

/// `.alias name, target;`: a second name of a function.
struct Alias {
  std::string name, target;
};

/// A whole PTX text.
struct Module {
  std::uint32_t version_major = 0, version_minor = 0;
  std::string target;               ///< "sm_90"
  std::uint32_t address_size = 64;  ///< bits
  std::vector<File> files;
  std::vector<Variable> variables;  ///< module scope
  std::vector<Function> functions;  ///< a prototype is left out where the function itself follows
  std::vector<Alias> aliases;

  /// @return the path that `.file number` gave, or "" if there is none.
  std::string_view file_path(std::uint32_t number) const noexcept;
};

/// Why a text is not PTX.
struct ParseError {
  std::uint32_t line = 0;    ///< 1-based line of the PTX text
  std::uint32_t column = 0;  ///< 1-based
  std::string message;       ///< a sentence; names the offending word
};

/// Result of parse(): exactly one of the two is set.
struct ParseResult {
  std::optional<Module> module;
  std::optional<ParseError> error;
};

/// Parses a PTX text. Never throws, never crashes, whatever the text; nesting and sizes are bounded.
/// Accepts what nvcc 12.4 to 13.x and clang's NVPTX back end write.
ParseResult parse(std::string_view text);

}  // namespace simgpu::ptx
