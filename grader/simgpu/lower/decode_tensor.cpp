/// @file
/// Decoding of what tensor cores do for one warp: wmma.load, .store, .mma, and mma.sync. Those of four warps (wgmma) and of sparse
/// matrices are not simulated.
#include <algorithm>
#include <charconv>

#include "simgpu/lower/builder.hpp"
#include "simgpu/lower/fragments.hpp"

namespace simgpu::lower {
namespace {

bool matrix_type_from(std::string_view word, MatrixType& type) {
  constexpr std::pair<std::string_view, MatrixType> kTypes[] = {
      {"f16", MatrixType::f16},   {"bf16", MatrixType::bf16}, {"tf32", MatrixType::tf32},
      {"f32", MatrixType::f32},   {"f64", MatrixType::f64},   {"e4m3", MatrixType::e4m3},
      {"e5m2", MatrixType::e5m2}, {"s8", MatrixType::s8},     {"u8", MatrixType::u8},
      {"s4", MatrixType::s4},     {"u4", MatrixType::u4},     {"b1", MatrixType::b1},
      {"s32", MatrixType::s32}};
  for (const auto& [name, t] : kTypes)
    if (word == name) return type = t, true;
  return false;
}

/// "m16n8k16"
bool shape_from(std::string_view word, MatrixOp& op) {
  std::uint16_t* const numbers[] = {&op.m, &op.n, &op.k};
  const char *at = word.data(), *const end = at + word.size();
  for (std::size_t n = 0; n < 3; ++n) {
    if (at == end || *at != "mnk"[n]) return false;
    const auto [next, error] = std::from_chars(at + 1, end, *numbers[n]);
    if (error != std::errc{}) return false;
    at = next;
  }
  return at == end;
}

/// Depths that the manual names for operands of a type. A shape that passes has whole tiles, and registers as counted.
bool is_shape(const MatrixOp& op, bool wmma) {
  const auto is = [&](unsigned m, unsigned n, std::initializer_list<unsigned> depths) {
    return op.m == m && op.n == n && std::find(depths.begin(), depths.end(), op.k) != depths.end();
  };
  switch (op.type[0]) {
    case MatrixType::f16:
    case MatrixType::bf16:
      return wmma ? is(16, 16, {16}) || is(32, 8, {16}) || is(8, 32, {16}) : is(16, 8, {8, 16});
    case MatrixType::tf32:
      return wmma ? is(16, 16, {8}) : is(16, 8, {4, 8});
    case MatrixType::f64:
      return is(8, 8, {4}) || (!wmma && is(16, 8, {4, 8, 16}));
    case MatrixType::e4m3:
    case MatrixType::e5m2:
      return !wmma && is(16, 8, {16, 32});
    case MatrixType::s8:
    case MatrixType::u8:
      return wmma ? is(16, 16, {16}) || is(32, 8, {16}) || is(8, 32, {16})
                  : is(8, 8, {16}) || is(16, 8, {16, 32});
    case MatrixType::s4:
    case MatrixType::u4:
      return is(8, 8, {32}) || (!wmma && is(16, 8, {32, 64}));
    case MatrixType::b1:
      return is(8, 8, {128}) || (!wmma && is(16, 8, {128, 256}));
    default:
      return false;
  }
}

// One warp's tile of 16 x 8 keeps its scheduler's tensor core for 5.0 cycles at a depth of 8 halves and for 7.3 at 16: a part that does not
// depend on the depth, and 64 multiply-adds in 0.147 cycles. TF32 and whole numbers of 8 bits fit the same two; doubles take 16.7 cycles
// for 8 x 8 x 4 (tests/fixtures/h200_mma.txt). Whole numbers of 4 bits are taken as twice as fast as those of 8, as on cards that have
// them; Hopper works them out otherwise, in 294 cycles for a depth of 64.
constexpr std::int64_t kWorkOfTile = 18, kWorkOfDouble = 28;

/// How much of a tensor core's time a product takes, in 64 multiply-adds of halves.
std::int64_t work_of(const MatrixOp& op) {
  const std::int64_t products = std::int64_t{op.m} * op.n * op.k;
  const unsigned bits = bits_of(op.type[0]);
  if (bits == 64) return std::max<std::int64_t>(1, products * kWorkOfDouble / 64);
  const std::int64_t tiles = std::max(1, op.m * op.n / 128);
  // Single bits are and-ed and counted at the pace of 16 of them for a half.
  return kWorkOfTile * tiles + products * (bits == 1 ? 1 : bits) / 16 / 64;
}

/// What ptxas 13.0 makes of a fragment's load or store for sm_90, as 84 of them came out of it: halves of A and B in shared memory are
/// brought four tiles at once (LDSM); else a tile is an access, and where it lies across, halves change lanes (MOVM), bytes are loaded one
/// by one and put together, and sums go one by one.
void count_accesses(const Fragment& fragment, bool loads_shared, MatrixOp& op) {
  const auto tiles = static_cast<std::uint8_t>(fragment.tiles());
  const bool lines = fragment.bits == 16 || (fragment.bits <= 8 && !op.by_column);
  if (op.part != MatrixPart::sum && loads_shared && lines) {
    op.accesses = static_cast<std::uint8_t>((tiles + 3) / 4);
    return;
  }
  op.accesses = tiles;
  if (!op.by_column) return;
  if (fragment.bits == 16)
    op.exchanges = tiles;
  else
    op.accesses = static_cast<std::uint8_t>(tiles * fragment.per_lane());
  if (fragment.bits == 8) op.packings = static_cast<std::uint8_t>(3 * tiles);
}

}  // namespace

void FunctionLowering::decode_tensor() {
  MatrixOp op;
  bool shaped = false;
  for (const std::string& m : in_->modifiers) shaped |= shape_from(m, op);
  if (!shaped || has("sp") || has_prefix("sp::") || has("block_scale")) fail("not simulated");
  // All lanes of the warp execute it.
  ins_.flags |= kGather;
  set(kFieldE, pool_.row(0xFFFF'FFFFu, 4), kUse);
  op.saturates = has("satfinite");
  if (in_->opcode == "wmma" && (has("load") || has("store"))) return decode_fragment_access(op);
  decode_product(op);
}

/// wmma.load.{a,b,c} {registers}, [address]{, stride}; wmma.store.d [address], {registers}{, stride}.
void FunctionLowering::decode_fragment_access(MatrixOp& op) {
  const bool load = has("load");
  const MatrixPart part = has("a") ? MatrixPart::a : has("b") ? MatrixPart::b : MatrixPart::sum;
  MatrixType type{};
  if (!matrix_type_from(in_->modifiers.back(), type)) fail("this type of a matrix is not simulated");
  op.type.fill(type);
  op.part = part;
  if (part == MatrixPart::sum) {  // the shape alone says how it is held
    if (type != MatrixType::f16 && type != MatrixType::f32 && type != MatrixType::f64 &&
        type != MatrixType::s32)
      fail("this type of a matrix is not simulated");
    if (op.m % 8 != 0 || op.n % 8 != 0 || op.m * op.n > 256) fail("this shape of a matrix is not simulated");
  } else if (!is_shape(op, true)) {
    fail("this shape of a matrix is not simulated");
  }
  op.by_column = part == MatrixPart::b ? has("row") : has("col");  // B is held by its columns
  const Fragment fragment = fragment_of(op, part);
  if (fragment.bits < 8 && op.by_column) fail("this layout of a matrix is not simulated");
  MemoryOp m;
  m.kind = load ? observe::AccessKind::load : observe::AccessKind::store;
  m.space = has_prefix("shared") ? AddressSpace::shared
            : has("global")      ? AddressSpace::global
                                 : AddressSpace::generic;
  const unsigned width = fragment.bits == 64 ? 8 : 4;
  const ptx::Operand& registers = operand(load ? 0 : 1);
  const std::size_t count =
      registers.kind == ptx::Operand::Kind::vector ? registers.elements.size() : std::size_t{1};
  // Halves of A and B are there once or more: the number of registers does not depend on the shape.
  const bool fits = type == MatrixType::f16 && part != MatrixPart::sum
                        ? count % std::max(1u, fragment.registers()) == 0
                        : count == fragment.registers();
  if (!fits || count == 0 || count > m.registers.size()) fail("its matrix and its registers do not agree");
  m.count = static_cast<std::uint8_t>(count);
  m.element_bytes = static_cast<std::uint8_t>(width);
  // What a lane moves in all; one access after the other does it.
  m.total_bytes = static_cast<std::uint8_t>(std::min(32u, fragment.registers() * width));
  const auto values_of = values(registers, count);
  for (unsigned i = 0; i < count; ++i) {
    if (width == 8) m.registers_wide |= static_cast<std::uint8_t>(1u << i);
    m.registers[i] = load ? destination(values_of[i], width) : source(values_of[i], width, true);
  }
  address(operand(load ? 1 : 0), m);
  if (in_->operands.size() > 2)
    set(kFieldB, source(operand(2), 4), kUse);
  else  // rows or columns lie side by side
    set(kFieldB, pool_.row(op.by_column ? fragment.outer : fragment.inner, 4), kUse);
  count_accesses(fragment, load && m.space == AddressSpace::shared, op);
  ins_.op = load ? Op::wmma_load : Op::wmma_store;
  ins_.cls = Class::memory;
  ins_.flags |= kVector;
  ins_.aux2 = static_cast<std::uint32_t>(code_.matrix_ops.size());
  code_.matrix_ops.push_back(std::move(op));
  attach_memory(m);
  emit();
}

/// wmma.mma and mma: {d}, {a}, {b}, {c}.
void FunctionLowering::decode_product(MatrixOp& op) {
  const bool wmma = in_->opcode == "wmma";
  std::vector<MatrixType> types;
  for (const std::string& word : in_->modifiers) {
    MatrixType t;
    if (matrix_type_from(word, t)) types.push_back(t);
  }
  if (types.size() == 2) types = {types[0], MatrixType::f16, MatrixType::f16, types[1]};
  if (types.size() != 4) fail("its types are missing");
  op.type = {types[1], types[2], types[3], types[0]};
  if (has("popc")) op.bits = has("and") ? MatrixOp::Bits::and_ : MatrixOp::Bits::xor_;
  const auto is_sum_type = [&](MatrixType t) {
    switch (op.type[0]) {
      case MatrixType::f16:
      case MatrixType::e4m3:
      case MatrixType::e5m2:
        return t == MatrixType::f16 || t == MatrixType::f32;
      case MatrixType::bf16:
      case MatrixType::tf32:
        return t == MatrixType::f32;
      case MatrixType::f64:
        return t == MatrixType::f64;
      default:
        return t == MatrixType::s32;
    }
  };
  if (bits_of(op.type[0]) != bits_of(op.type[1]) || !is_sum_type(op.type[2]) || !is_sum_type(op.type[3]))
    fail("these types of matrices are not simulated");
  std::vector<std::string_view> layouts;
  for (const std::string& word : in_->modifiers)
    if (word == "row" || word == "col") layouts.push_back(word);
  op.quads = !wmma && op.m == 8 && op.n == 8 && op.k == 4 && op.type[0] == MatrixType::f16;
  if (layouts.size() == 2) {
    op.a_by_column = layouts[0] == "col";
    op.b_by_column = layouts[1] == "col";
  }
  if (!op.quads && !is_shape(op, wmma)) fail("this shape of a product is not simulated");
  if (op.type[0] == MatrixType::b1 && op.bits == MatrixOp::Bits::none) fail("this product is not simulated");
  const auto registers_of = [&](MatrixPart part) -> std::size_t {
    if (!op.quads) return fragment_of(op, part).registers();
    if (part == MatrixPart::a || part == MatrixPart::b) return 2;
    return op.type[static_cast<std::size_t>(part)] == MatrixType::f16 ? 4 : 8;
  };
  const auto each = [&](std::size_t index, MatrixPart part, auto&& take) {
    const ptx::Operand& o = operand(index);
    const std::size_t count = o.kind == ptx::Operand::Kind::vector ? o.elements.size() : std::size_t{1};
    const std::size_t held = registers_of(part);
    const bool twice = wmma && op.type[0] == MatrixType::f16 && part < MatrixPart::c;
    if (twice ? count % held != 0 || count > 8 : count != held)
      fail("its matrices and its registers do not agree");
    const auto all = values(o, count);
    const unsigned width = bits_of(op.type[static_cast<std::size_t>(part)]) == 64 ? 8 : 4;
    for (std::size_t n = 0; n < held; ++n) take(all[n], width);
  };
  constexpr MatrixPart kParts[] = {MatrixPart::a, MatrixPart::b, MatrixPart::c};
  for (std::size_t p = 0; p < 3; ++p)
    each(p + 1, kParts[p], [&](const ptx::Operand& o, unsigned width) {
      op.sources.push_back(source(o, width, true));
      ++op.counts[p];
    });
  each(0, MatrixPart::sum,
       [&](const ptx::Operand& o, unsigned width) { op.results.push_back(destination(o, width)); });
  ins_.op = Op::mma;
  ins_.cls = Class::tensor;
  ins_.flags |= kMatrix;
  ins_.imm = work_of(op);
  // From use to use: 27 cycles at half the depth, 34 at the whole (h200_mma.txt), or what takes as long.
  const std::int64_t alone = bits_of(op.type[0]) == 64 || ins_.imm < kWorkOfTile + 32 ? 27 : 34;
  ins_.latency = static_cast<std::uint8_t>(std::clamp<std::int64_t>(ins_.imm / 7 + 20, alone, 250));
  ins_.aux2 = static_cast<std::uint32_t>(code_.matrix_ops.size());
  code_.matrix_ops.push_back(std::move(op));
  emit();
}

}  // namespace simgpu::lower
