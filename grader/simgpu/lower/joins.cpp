/// @file
/// Which accesses the machine makes. PTX has them as the front end wrote them; ptxas splits plain loads and stores into the
/// elements whose registers are used, and makes wide accesses of those that lie side by side. What a card counts follows the
/// result: so each MemoryOp is given the accesses that the machine makes in its place.
///
/// Only counting changes. An instruction still moves its own bytes, at its own place and under its own line.
///
/// The rules were found by compiling small kernels with ptxas 13.0 at -O3 for sm_90; each is named where it is applied. Not
/// followed: loops with a known number of turns that ptxas itself unrolls (the front end unrolls most of them before).
#include <algorithm>
#include <bit>
#include <map>
#include <string>
#include <tuple>

#include "simgpu/lower/builder.hpp"
#include "simgpu/lower/dominators.hpp"
#include "simgpu/lower/low_bits.hpp"

namespace simgpu::lower {
namespace {

/// Memory whose runs of loads end together. Read-only loads of global memory are a kind of their own: stores do not end them.
enum Kind : std::uint8_t {
  kGlobal = 1,
  kShared = 2,
  kLocal = 4,
  kGeneric = 8,
  kReadOnly = 16,
  kConstant = 32,
  kWritable = kGlobal | kShared | kLocal | kGeneric,
  kAll = 63,
};

/// Lanes converge soon behind a short branch: ptxas makes predicates of it, and joins across it. [instructions]
constexpr std::uint32_t kShortBranch = 32;

constexpr std::uint32_t kAbsolute = 0xFFFF'FFFFu;  ///< root of an address that is a number

/// An address: a register's value, and a distance that is known.
struct Address {
  std::uint32_t root = kAbsolute;
  std::uint32_t version = 0;  ///< of a register that is written in several places: which of its values
  std::int64_t offset = 0;
};

/// Accesses can only be joined within a group.
struct GroupKey {
  bool store = false;
  std::uint8_t kind = 0;  ///< Kind
  std::uint8_t size = 0;  ///< of an element [bytes]
  observe::CacheHint hint = observe::CacheHint::normal;
  std::uint32_t root = kAbsolute, version = 0;
  auto tie() const { return std::tie(store, kind, size, hint, root, version); }
  bool operator<(const GroupKey& o) const { return tie() < o.tie(); }
};

/// One register's worth of an access.
struct Element {
  std::uint32_t instruction = 0, block = 0;
  std::int64_t offset = 0;  ///< from the root
};

struct Group {
  GroupKey key;
  std::vector<Element> elements;
};

Kind kind_of(const MemoryOp& m) {
  switch (m.space) {
    case AddressSpace::global:
      return m.non_coherent ? kReadOnly : kGlobal;
    case AddressSpace::shared:
      return kShared;
    case AddressSpace::local:
      return kLocal;
    case AddressSpace::constant:
      return kConstant;
    default:
      return kGeneric;
  }
}

bool is_load_or_store(const Ins& ins) {
  return ins.op == Op::ld_global || ins.op == Op::ld_shared || ins.op == Op::ld_any ||
         ins.op == Op::st_global || ins.op == Op::st_shared || ins.op == Op::st_any;
}

/// Kinds that an access of this memory may touch, too.
std::uint8_t may_touch(const MemoryOp& m) {
  const Kind kind = kind_of(m);
  return kind == kGeneric ? kWritable : kind | kGeneric;
}

/// Weak, or relaxed within the block, which is the same to ptxas.
bool is_plain(const MemoryOp& m) {
  const bool weak = m.ordering == observe::Ordering::weak ||
                    (m.ordering == observe::Ordering::relaxed && m.scope == observe::Scope::cta);
  return weak && !m.of_cluster && m.space != AddressSpace::param;
}

/// Elements of 4 and 8 bytes, and of 2 in registers of 16 bits; never bytes, nor halves that are widened by the load.
bool can_be_split(const MemoryOp& m) {
  if (m.element_bytes == 4 || m.element_bytes == 8) return m.count <= 4;
  return m.element_bytes == 2 && m.count <= 4 && m.registers_half == (1u << m.count) - 1;
}

/// The widest access that elements of this size are joined to. [bytes]
std::uint32_t widest(std::uint8_t kind, std::uint8_t size) {
  return kind == kConstant || size == 2 ? 8 : 16;
}

}  // namespace

/// Works on one function, before its registers have places.
class AccessJoiner {
 public:
  AccessJoiner(FunctionLowering& function, const std::vector<FunctionLowering::Block>& blocks)
      : f_(function), blocks_(blocks), dominators_(successors(blocks)) {
    std::uint64_t alignment = 8;  // of local memory: at least 8 bytes
    for (const ptx::Variable& v : f_.function_.variables)
      if (v.space == ptx::Space::local) alignment = std::max<std::uint64_t>(alignment, v.align);
    local_bits_.known = static_cast<std::uint8_t>(std::min<int>(std::countr_zero(alignment), LowBits::kMost));
    bits_ = low_bits_of(f_.body_, f_.code_, f_.registers_.size(), alignment);
    find_writers();
    find_used();
  }

  void run() {
    for (std::uint32_t b = 0; b < blocks_.size(); ++b)
      if (dominators_.immediate(b) == Dominators::kNone) visit_tree(b);
    for (Group& g : groups_)
      for (const std::vector<Element>& part : by_dominance(g)) join(g, part);
    settle();
  }

 private:
  /// What is known where a block begins, from the blocks that lead to it.
  struct State {
    std::uint32_t region = 0;                         ///< first block of those that are looked at together
    std::map<GroupKey, std::uint32_t> open;           ///< groups of loads
    std::map<std::uint32_t, std::uint32_t> versions;  ///< registers written several times: where last
    std::map<std::uint32_t, Address> addresses;       ///< registers computed from those
  };

  static std::vector<std::vector<std::uint32_t>> successors(
      const std::vector<FunctionLowering::Block>& blocks) {
    std::vector<std::vector<std::uint32_t>> next;
    for (const auto& b : blocks) next.push_back(b.next);
    return next;
  }

  void find_writers() {
    writers_.resize(f_.registers_.size());
    for (std::uint32_t i = 0; i < f_.body_.size(); ++i)
      f_.visit_registers(f_.body_[i], [&](Operand& o, bool def) {
        if (def && (writers_[o].empty() || writers_[o].back() != i)) writers_[o].push_back(i);
      });
  }

  /// Whether nothing is lost if nobody needs what the instruction computes.
  bool only_computes(const Ins& ins) const {
    switch (ins.cls) {
      case Class::fp32:
      case Class::fp64:
      case Class::integer:
      case Class::special:
      case Class::conversion:
        return true;
      case Class::other:
        return ins.op == Op::special_register;
      case Class::memory: {
        if (ins.op == Op::ld_param) return true;
        if (!is_load_or_store(ins)) return false;
        const MemoryOp& m = f_.code_.memory_ops[ins.aux];
        return m.kind == observe::AccessKind::load && is_plain(m);
      }
      default:
        return false;
    }
  }

  /// Registers on which something depends that is seen: memory, control, other lanes.
  void find_used() {
    used_.resize(f_.registers_.size());
    std::vector<std::uint8_t> needed(f_.body_.size());
    std::vector<std::uint32_t> work;
    for (std::uint32_t i = 0; i < f_.body_.size(); ++i)
      if (!only_computes(f_.body_[i])) needed[i] = 1, work.push_back(i);
    const auto use = [&](std::uint32_t r) {
      if (used_[r]) return;
      used_[r] = 1;
      for (const std::uint32_t i : writers_[r])
        if (!needed[i]) needed[i] = 1, work.push_back(i);
    };
    while (!work.empty()) {
      Ins& ins = f_.body_[work.back()];
      work.pop_back();
      if (ins.guard != kNoGuard) use(ins.guard / 2);
      f_.visit_registers(ins, [&](Operand& o, bool def) {
        if (!def) use(o);
      });
    }
  }

  // --- addresses ---

  bool written_once(std::uint32_t r) const {
    return writers_[r].size() == 1 && f_.body_[writers_[r][0]].guard == kNoGuard;
  }

  std::uint32_t version_of(const State& s, std::uint32_t r) const {
    const auto it = s.versions.find(r);
    return it != s.versions.end() ? it->second : 0x8000'0000u | s.region;
  }

  /// One step from a register towards its root: through moves, and sums with a number.
  /// @return false if it is a root itself.
  bool step(const Ins& ins, Operand& next, std::int64_t& offset) const {
    const auto number = [&](Operand o, unsigned width, std::uint64_t& value) {
      for (int moves = 0; moves < 8; ++moves) {
        if (constant_of(f_.code_, o, width, value)) return true;
        if (o >= writers_.size() || !written_once(o)) return false;
        const Ins& from = f_.body_[writers_[o][0]];
        if (from.op != Op::mov_b32 && from.op != Op::mov_b64) return false;
        o = from.a;
      }
      return false;
    };
    std::uint64_t value;
    switch (ins.op) {
      case Op::mov_b32:
      case Op::mov_b64:
        next = ins.a;
        return true;
      case Op::cvta_window:
        next = ins.a;
        offset += ins.imm;
        return true;
      case Op::add_b32:
      case Op::add_b64: {
        const unsigned width = ins.op == Op::add_b32 ? 4 : 8;
        if (number(ins.b, width, value))
          next = ins.a;
        else if (number(ins.a, width, value))
          next = ins.b;
        else
          return false;
        offset += static_cast<std::int64_t>(value);
        return true;
      }
      case Op::sub_b32:
      case Op::sub_b64:
        if (!number(ins.b, ins.op == Op::sub_b32 ? 4 : 8, value)) return false;
        next = ins.a;
        offset -= static_cast<std::int64_t>(value);
        return true;
      default:
        return false;
    }
  }

  Address fold(const State& s, Operand o, unsigned width) const {
    Address address;
    std::uint64_t value;
    // A register that is computed from itself (a loop that the front end would never write, but PTX may) has no last step.
    constexpr int kMostSteps = 256;
    for (int steps = 0; steps < kMostSteps; ++steps) {
      if (constant_of(f_.code_, o, width, value)) {
        address.offset += static_cast<std::int64_t>(value);
        return address;
      }
      address.root = o;
      if (!written_once(o)) {
        address.version = version_of(s, o);
        return address;
      }
      if (const auto it = s.addresses.find(o); it != s.addresses.end()) {
        Address known = it->second;
        known.offset += address.offset;
        return known;
      }
      const Ins& ins = f_.body_[writers_[o][0]];
      if (ins.op == Op::local_address) return {kAbsolute, 0, address.offset + ins.imm};
      Operand next = kNoOperand;
      std::int64_t offset = address.offset;
      if (!step(ins, next, offset)) return address;
      if (!(next & kPoolBit) && !written_once(next)) return address;  // its value may have changed since
      address.root = kAbsolute;
      address.offset = offset;
      o = next;
      width = 8;
      if (ins.op == Op::mov_b32 || ins.op == Op::add_b32 || ins.op == Op::sub_b32) width = 4;
    }
    address.root = o;
    address.version = version_of(s, o);
    return address;
  }

  /// Keeps what an address computation amounts to now, where later the registers that it comes from may be others.
  void note_writes(State& s, std::uint32_t i) {
    Ins& ins = f_.body_[i];
    if ((ins.defs & kFieldD) && written_once(ins.d)) {
      Operand next = kNoOperand;
      std::int64_t offset = 0;
      if (step(ins, next, offset) && !(next & kPoolBit) && next < writers_.size() &&
          (!written_once(next) || s.addresses.count(next) != 0)) {
        Address from = fold(s, next, 8);
        from.offset += offset;
        s.addresses[ins.d] = from;
      }
    }
    f_.visit_registers(ins, [&](Operand& o, bool def) {
      if (def && !written_once(o)) s.versions[o] = i;
    });
  }

  /// What is proved of the address at @p offset from a group's root.
  LowBits proved(const GroupKey& key, std::int64_t offset) const {
    LowBits root = LowBits::of(0);
    if (key.root != kAbsolute)
      root = bits_[key.root];
    else if (key.kind == kLocal)
      root = local_bits_;
    LowBits distance = LowBits::of(static_cast<std::uint64_t>(offset));
    if (is_symbol_address(static_cast<std::uint64_t>(offset))) {
      if (key.kind != kConstant) distance = {};  // ptxas lays out constants, but not global memory
    }
    LowBits here = root + distance;
    // A native vector was promised to be aligned, and so is everything at a known distance from it.
    if (const auto it = promised_.find({key.root, key.version}); it != promised_.end()) {
      const LowBits other = it->second + LowBits::of(static_cast<std::uint64_t>(offset));
      if (other.known > here.known) here = other;
    }
    return here;
  }

  void note_promise(const GroupKey& key, std::int64_t offset, std::uint32_t bytes) {
    LowBits root;
    root.known = static_cast<std::uint8_t>(std::countr_zero(bytes));
    root = root.with(0ull - static_cast<std::uint64_t>(offset));
    LowBits& known = promised_[{key.root, key.version}];
    if (root.known > known.known) known = root;
  }

  // --- runs ---

  /// Kinds of memory whose loads after the instruction are not joined with those before it.
  std::uint8_t ends_loads(const Ins& ins) const {
    if (has_slow_path(ins) || holds_accesses_back(ins.op)) return kAll;
    switch (ins.op) {
      case Op::unsupported:
        return kAll;
      case Op::ldmatrix:
      case Op::wmma_load:
      case Op::ld_param:
      case Op::ld_frame_param:
      case Op::st_frame_param:
      case Op::tex:
      case Op::tex_gradient_level:
      case Op::image_query:
      case Op::surface_load:
      case Op::surface_store:
      case Op::prefetch:
        return 0;
      default:
        break;
    }
    if (ins.cls != Class::memory) return 0;
    if (!is_load_or_store(ins) && ins.op != Op::atom && ins.op != Op::stmatrix && ins.op != Op::wmma_store)
      return kAll;  // asynchronous copies
    const MemoryOp& m = f_.code_.memory_ops[ins.aux];
    if (m.ordering == observe::Ordering::acquire || m.ordering == observe::Ordering::acq_rel ||
        m.ordering == observe::Ordering::release)
      return kAll;
    if (m.kind == observe::AccessKind::load && (is_plain(m) || m.space == AddressSpace::param)) return 0;
    return may_touch(m) & kWritable;
  }

  /// A native access, if it can be taken apart.
  bool takes_part(const Ins& ins) const {
    if (ins.guard != kNoGuard || !is_load_or_store(ins)) return false;
    const MemoryOp& m = f_.code_.memory_ops[ins.aux];
    // A constant at a fixed place is an operand of the instruction that uses it.
    return is_plain(m) && can_be_split(m) && !(m.space == AddressSpace::constant && (ins.a & kPoolBit) != 0);
  }

  void visit_tree(std::uint32_t root) {
    std::vector<std::pair<std::uint32_t, State>> stack;
    stack.push_back({root, State{.region = root, .open = {}, .versions = {}, .addresses = {}}});
    while (!stack.empty()) {
      auto [block, state] = std::move(stack.back());
      stack.pop_back();
      visit_block(block, state);
      const auto& children = dominators_.children(block);
      for (std::size_t n = children.size(); n-- > 0;)
        stack.push_back({children[n], inherited(block, children[n], state)});
    }
  }

  /// What holds at the begin of @p child of what held at the end of @p block, which dominates it.
  State inherited(std::uint32_t block, std::uint32_t child, const State& state) {
    const State fresh{.region = child, .open = {}, .versions = {}, .addresses = {}};
    if (dominators_.loop(block) != dominators_.loop(child) || dominators_.loop(child) == child) return fresh;
    if (state.open.empty() && state.addresses.empty()) return fresh;
    if (state.open.size() + state.addresses.size() + state.versions.size() > kMostCarried) return fresh;
    // Blocks on the ways between.
    std::vector<std::uint32_t> between;
    std::uint32_t instructions = 0;
    const auto add = [&](std::uint32_t b) {
      if (b == block || std::find(between.begin(), between.end(), b) != between.end()) return;
      between.push_back(b);
      instructions += blocks_[b].last - blocks_[b].first;
    };
    for (const std::uint32_t p : dominators_.before(child)) add(p);
    for (std::size_t n = 0; n < between.size() && instructions <= kShortBranch; ++n)
      for (const std::uint32_t p : dominators_.before(between[n])) add(p);
    if (instructions > kShortBranch) return fresh;
    State next = state;
    for (const std::uint32_t b : between) {
      if (dominators_.loop(b) != dominators_.loop(block)) return fresh;
      for (std::uint32_t i = blocks_[b].first; i < blocks_[b].last; ++i) {
        end_loads(next, ends_loads(f_.body_[i]));
        note_writes(next, i);
      }
    }
    return next;
  }

  static void end_loads(State& s, std::uint8_t kinds) {
    if (kinds == 0) return;
    std::erase_if(s.open, [&](const auto& entry) { return (entry.first.kind & kinds) != 0; });
  }

  void visit_block(std::uint32_t block, State& state) {
    std::map<std::uint8_t, std::uint32_t> stores;  // the open run of stores of each kind: its group
    for (std::uint32_t i = blocks_[block].first; i < blocks_[block].last; ++i) {
      const Ins& ins = f_.body_[i];
      const std::uint8_t ends = ends_loads(ins);
      end_loads(state, ends);
      if (ends == kAll) stores.clear();
      const bool touches = ins.cls == Class::memory &&
                           (is_load_or_store(ins) || ins.op == Op::atom || ins.op == Op::ldmatrix ||
                            ins.op == Op::stmatrix || ins.op == Op::wmma_load || ins.op == Op::wmma_store);
      if (takes_part(ins)) {
        take(state, stores, i, block);
      } else if (touches) {
        const std::uint8_t touched = may_touch(f_.code_.memory_ops[ins.aux]);
        std::erase_if(stores, [&](const auto& run) { return (run.first & touched) != 0; });
      }
      note_writes(state, i);
    }
  }

  void take(State& state, std::map<std::uint8_t, std::uint32_t>& stores, std::uint32_t i,
            std::uint32_t block) {
    const Ins& ins = f_.body_[i];
    MemoryOp& m = f_.code_.memory_ops[ins.aux];
    const Address address = fold(state, ins.a, m.wide_address ? 8 : 4);
    const std::int64_t first = address.offset + ins.imm;
    GroupKey key;
    key.store = m.kind == observe::AccessKind::store;
    key.kind = kind_of(m);
    key.size = m.element_bytes;
    key.hint = m.hint;
    key.root = address.root;
    key.version = address.version;
    if (m.count > 1) note_promise(key, first, m.total_bytes);
    taken_.push_back(i);
    starts_[i] = first;
    // Any access to the same memory beyond the sixteen bytes of a run of stores ends it.
    const std::uint8_t touched = may_touch(m);
    std::erase_if(stores, [&](const auto& run) {
      if ((run.first & touched) == 0) return false;
      const Group& g = groups_[run.second];
      GroupKey alike = key;
      alike.store = true;
      return alike < g.key || g.key < alike ||
             chunk_of(key, first) != chunk_of(key, g.elements.front().offset);
    });
    std::uint32_t group;
    if (key.store) {
      const auto [run, fresh] = stores.try_emplace(key.kind, static_cast<std::uint32_t>(groups_.size()));
      if (fresh) groups_.push_back({key, {}});
      group = run->second;
    } else {
      const auto [run, fresh] = state.open.try_emplace(key, static_cast<std::uint32_t>(groups_.size()));
      if (fresh) groups_.push_back({key, {}});
      group = run->second;
    }
    for (unsigned n = 0; n < m.count; ++n) {
      if (!key.store && !used_[m.registers[n]]) continue;
      groups_[group].elements.push_back({i, block, first + n * m.element_bytes});
    }
  }

  /// Bytes that accesses at this alignment can be joined to.
  std::uint32_t chunk_bytes(const GroupKey& key, std::int64_t offset) const {
    return std::min(widest(key.kind, key.size), 1u << proved(key, offset).known);
  }
  /// The begin of the chunk in which @p offset lies, from the root.
  std::int64_t chunk_of(const GroupKey& key, std::int64_t offset) const {
    const std::uint32_t bytes = chunk_bytes(key, offset);
    if (bytes <= key.size) return offset;
    return offset - (proved(key, offset).value & (bytes - 1));
  }

  // --- joining ---

  /// Elements of a group, those together that one instruction comes before all others of: the machine makes the access there.
  std::vector<std::vector<Element>> by_dominance(const Group& g) const {
    std::vector<std::vector<Element>> parts;
    std::map<std::int64_t, std::vector<std::size_t>> of_chunk;
    for (const Element& e : g.elements) {
      auto& here = of_chunk[chunk_of(g.key, e.offset)];
      const auto part = std::find_if(here.begin(), here.end(), [&](std::size_t p) {
        return dominators_.dominates(parts[p].front().block, e.block);
      });
      if (part != here.end()) {
        parts[*part].push_back(e);
      } else {
        here.push_back(parts.size());
        parts.push_back({e});
      }
    }
    return parts;
  }

  /// Makes accesses of the elements of one chunk.
  void join(const Group& g, const std::vector<Element>& elements) {
    const std::uint32_t size = g.key.size;
    const std::uint32_t slots =
        std::max<std::uint32_t>(chunk_bytes(g.key, elements.front().offset), size) / size;
    const std::int64_t begin = chunk_of(g.key, elements.front().offset);
    std::uint32_t filled = 0;
    for (const Element& e : elements) filled |= 1u << ((e.offset - begin) / size);
    const auto add = [&](std::uint32_t from, std::uint32_t count) {
      const auto first = std::find_if(elements.begin(), elements.end(), [&](const Element& e) {
        const auto slot = static_cast<std::uint32_t>((e.offset - begin) / size);
        return slot >= from && slot < from + count;
      });
      pieces_[first->instruction].push_back({begin + from * size, count * size});
    };
    // Three of four are read as four; nothing may be written that the text does not write.
    if (slots == 4 && (filled == 15 || (!g.key.store && std::popcount(filled) == 3))) return add(0, 4);
    for (std::uint32_t at = 0; at < slots; at += 2) {
      const std::uint32_t pair = filled >> at & 3;
      if (pair == 3) {
        add(at, 2);
      } else {
        if (pair & 1) add(at, 1);
        if (pair & 2) add(at + 1, 1);
      }
    }
  }

  /// Hands out what was found.
  void settle() {
    for (const std::uint32_t i : taken_) {
      MemoryOp& m = f_.code_.memory_ops[f_.body_[i].aux];
      const auto found = pieces_.find(i);
      const std::size_t count = found == pieces_.end() ? 0 : found->second.size();
      if (count > m.machine.parts.size()) continue;
      m.machine.count = static_cast<std::uint8_t>(count);
      for (std::size_t n = 0; n < count; ++n) {
        const Piece& p = found->second[n];
        m.machine.parts[n] = {static_cast<std::int32_t>(p.offset - starts_.at(i)),
                              static_cast<std::uint8_t>(p.bytes)};
        m.machine.alike &=
            m.machine.parts[n].bytes == m.machine.parts[0].bytes && m.machine.parts[n].offset % 4 == 0;
      }
      m.regrouped = count != 1 || m.machine.parts[0].offset != 0 || m.machine.parts[0].bytes != m.total_bytes;
    }
  }

  static constexpr std::size_t kMostCarried = 300;  ///< facts that are carried from block to block

  struct Piece {
    std::int64_t offset;  ///< from the root
    std::uint32_t bytes;
  };

  FunctionLowering& f_;
  const std::vector<FunctionLowering::Block>& blocks_;
  Dominators dominators_;
  std::vector<LowBits> bits_;
  LowBits local_bits_;
  std::vector<std::vector<std::uint32_t>> writers_;  ///< of each register
  std::vector<std::uint8_t> used_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, LowBits> promised_;  ///< of roots, by native vectors
  std::vector<Group> groups_;
  std::vector<std::uint32_t> taken_;  ///< instructions that were taken apart
  std::map<std::uint32_t, std::int64_t> starts_;
  std::map<std::uint32_t, std::vector<Piece>> pieces_;  ///< by the instruction that stands for them
};

void FunctionLowering::join_accesses(const std::vector<Block>& blocks) {
  AccessJoiner(*this, blocks).run();
}

}  // namespace simgpu::lower
