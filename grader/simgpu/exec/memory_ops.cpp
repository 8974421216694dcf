/// @file
/// Loads and stores: once the bytes are located and observers are told, the data move.
#include "simgpu/exec/access.hpp"
#include "simgpu/exec/unwritten.hpp"
#include "simgpu/memory/device_memory.hpp"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace simgpu::exec::SIMGPU_ISA {
namespace {

/// One register of a load. @tparam M as in memory; @tparam R as in the row.
template <class M, class R>
inline void gather(R* d, const u64* host, u32 offset, u32 mask) {
  if (mask == kFull) {
    SIMGPU_LANES d[l] = static_cast<R>(*reinterpret_cast<const M*>(host[l] + offset));
  } else {
    each_lane(mask, [&](u32 l) { d[l] = static_cast<R>(*reinterpret_cast<const M*>(host[l] + offset)); });
  }
}
template <class M, class R>
inline void scatter(const R* s, const u64* host, u32 offset, u32 mask) {
  if (mask == kFull) {
    for (u32 l = 0; l < 32; ++l) *reinterpret_cast<M*>(host[l] + offset) = static_cast<M>(s[l]);
  } else {
    each_lane(mask, [&](u32 l) { *reinterpret_cast<M*>(host[l] + offset) = static_cast<M>(s[l]); });
  }
}
template <class R>
inline void broadcast(Warp& w, Operand d, u32 mask, R v) {
  R* const row = w.row<R>(d);
  if (mask == kFull) [[likely]] {
    SIMGPU_LANES row[l] = v;
    return;
  }
  each_lane(mask, [=](u32 l) { row[l] = v; });
}
template <class R>
void load_element(Warp& w, const MemoryOp& m, u32 k, const u64* host, u32 mask) {
  R* d = w.row<R>(m.registers[k]);
  const u32 offset = k * m.element_bytes;
  const bool is_signed = lower::is_signed(m.type);
  switch (m.element_bytes) {
    case 1:
      is_signed ? gather<signed char>(d, host, offset, mask) : gather<unsigned char>(d, host, offset, mask);
      break;
    case 2:
      is_signed ? gather<s16>(d, host, offset, mask) : gather<u16>(d, host, offset, mask);
      break;
    case 4:
      is_signed ? gather<s32>(d, host, offset, mask) : gather<u32>(d, host, offset, mask);
      break;
    default:
      gather<u64>(d, host, offset, mask);
      break;
  }
  if (sizeof(R) == 4 && is_signed && (m.registers_half >> k & 1))
    each_lane(mask, [&](u32 l) { d[l] &= 0xFFFF; });
}

/// Each row of 8 lanes of a full warp reads one place after the other, or all the same.
template <class R>
inline void load_rows(R* d, const LaneShape& s, u64 first) {
  for (u32 k = 0; k < 4; ++k, d += 8) {
    const auto* from = reinterpret_cast<const R*>(first + static_cast<u64>(s.eights[k]));
    if (s.sames >> k & 1) {
      const R v = *from;
      for (int l = 0; l < 8; ++l) d[l] = v;
    } else {
      std::memcpy(d, from, 8 * sizeof(R));
    }
  }
}

/// One word of each lane, of which nothing is to be converted: most accesses.
inline bool is_one_word(const MemoryOp& m) {
  return m.count == 1 && m.element_bytes == 4 && m.registers_wide == 0;
}
// Eight words at a time; the compiler would do it by fours, or one by one.
inline void copy_eight(u32* to, const u32* from) {
#if defined(__AVX2__)
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to),
                      _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
#else
  std::memcpy(to, from, 32);
#endif
}
inline void fill_eight(u32* to, u32 v) {
#if defined(__AVX2__)
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm256_set1_epi32(static_cast<int>(v)));
#else
  for (int l = 0; l < 8; ++l) to[l] = v;
#endif
}

/// Loads words of a full warp whose first lane's lies at @p first. Not for Way::scattered.
inline void load_words(u32* d, const LaneShape& s, u64 first) {
  using Way = LaneShape::Way;
  const auto at = [&](u32 k) { return reinterpret_cast<const u32*>(first + static_cast<u64>(s.eights[k])); };
  switch (s.way) {
    case Way::run: {
      const u32* const from = reinterpret_cast<const u32*>(first);
      for (u32 k = 0; k < 32; k += 8) copy_eight(d + k, from + k);
      return;
    }
    case Way::same: {
      const u32 v = *reinterpret_cast<const u32*>(first);
      for (u32 k = 0; k < 32; k += 8) fill_eight(d + k, v);
      return;
    }
    case Way::runs:
#pragma GCC unroll 4
      for (u32 k = 0; k < 4; ++k) copy_eight(d + 8 * k, at(k));
      return;
    case Way::sames:
#pragma GCC unroll 4
      for (u32 k = 0; k < 4; ++k) fill_eight(d + 8 * k, *at(k));
      return;
    default:
      return load_rows(d, s, first);
  }
}
inline void store_words(u64 first, const u32* s) {
  for (u32 k = 0; k < 32; k += 8) copy_eight(reinterpret_cast<u32*>(first) + k, s + k);
}

void load_data(Warp& w, const MemoryOp& m, Addresses& a) {
  const bool words = m.element_bytes == 4 && m.registers_wide == 0;  // straight into 4-byte rows
  const bool doubles = m.element_bytes == 8;
  if (a.contiguous && m.count == 1) {
    if (words) {
      std::memcpy(w.row<u32>(m.registers[0]), reinterpret_cast<const void*>(a.host[0]), 128);
      return;
    }
    if (doubles) {
      std::memcpy(w.row<u64>(m.registers[0]), reinterpret_cast<const void*>(a.host[0]), 256);
      return;
    }
  }
  if (a.uniform && words) {
    const u64 host = a.host[a.shape ? 0 : __builtin_ctz(a.mask)];
    for (u32 k = 0; k < m.count; ++k)
      broadcast(w, m.registers[k], a.mask, *reinterpret_cast<const u32*>(host + 4 * k));
    return;
  }
  if (a.shape && (a.shape->sames == 0xF || (m.count == 1 && (a.shape->sames | a.shape->runs) == 0xF))) {
    if (words) {
      for (u32 k = 0; k < m.count; ++k) load_rows(w.row<u32>(m.registers[k]), *a.shape, a.host[0] + 4 * k);
      return;
    }
    if (doubles) {
      for (u32 k = 0; k < m.count; ++k) load_rows(w.row<u64>(m.registers[k]), *a.shape, a.host[0] + 8 * k);
      return;
    }
  }
  expand_hosts(m, a);
  const u64* host = a.host;
  if (m.count == 4 && words && a.mask == kFull) {
    u32 *x = w.row<u32>(m.registers[0]), *y = w.row<u32>(m.registers[1]), *z = w.row<u32>(m.registers[2]),
        *t = w.row<u32>(m.registers[3]);
    for (u32 l = 0; l < 32; ++l) {
      const u32* s = reinterpret_cast<const u32*>(host[l]);
      x[l] = s[0], y[l] = s[1], z[l] = s[2], t[l] = s[3];
    }
    return;
  }
  if (m.element_bytes == 16) {
    for (u32 k = 0; k < m.count; ++k)
      each_lane(a.mask, [&](u32 l) {
        std::memcpy(w.row<u64>(m.registers[k]) + 2 * l, reinterpret_cast<const void*>(host[l] + 16 * k), 16);
      });
    return;
  }
  for (u32 k = 0; k < m.count; ++k)
    if (m.registers_wide >> k & 1)
      load_element<u64>(w, m, k, host, a.mask);
    else
      load_element<u32>(w, m, k, host, a.mask);
}

template <class R>
void store_element(Warp& w, const MemoryOp& m, u32 k, const u64* host, u32 mask) {
  const R* s = w.row<R>(m.registers[k]);
  const u32 offset = k * m.element_bytes;
  switch (m.element_bytes) {
    case 1:
      scatter<unsigned char>(s, host, offset, mask);
      break;
    case 2:
      scatter<u16>(s, host, offset, mask);
      break;
    case 4:
      scatter<u32>(s, host, offset, mask);
      break;
    default:
      scatter<u64>(s, host, offset, mask);
      break;
  }
}

void store_data(Warp& w, const MemoryOp& m, Addresses& a) {
  if (a.contiguous && m.count == 1 && m.registers_wide == (m.element_bytes == 8)) {
    if (m.element_bytes == 4) {
      std::memcpy(reinterpret_cast<void*>(a.host[0]), w.row<u32>(m.registers[0]), 128);
      return;
    }
    if (m.element_bytes == 8) {
      std::memcpy(reinterpret_cast<void*>(a.host[0]), w.row<u64>(m.registers[0]), 256);
      return;
    }
  }
  expand_hosts(m, a);
  const u64* host = a.host;
  if (m.element_bytes == 16) {
    for (u32 k = 0; k < m.count; ++k)
      each_lane(a.mask, [&](u32 l) {
        std::memcpy(reinterpret_cast<void*>(host[l] + 16 * k), w.row<u64>(m.registers[k]) + 2 * l, 16);
      });
    return;
  }
  for (u32 k = 0; k < m.count; ++k)
    if (m.registers_wide >> k & 1)
      store_element<u64>(w, m, k, host, a.mask);
    else
      store_element<u32>(w, m, k, host, a.mask);
}

template <bool is_load>
void move_data(Warp& w, const MemoryOp& m, Addresses& a) {
  if (is_load)
    load_data(w, m, a);
  else
    store_data(w, m, a);
}

/// The registers that a store writes to memory.
class Values final : public observe::StoredValues {
 public:
  Values(const Warp& w, const MemoryOp& m, const Addresses& a) : w_(w), m_(m), a_(a) {}
  void stored(u32 lane, std::byte* to) const override {
    for (u32 k = 0; k < m_.count; ++k) {
      const std::byte* row = w_.row<std::byte>(m_.registers[k]);
      const u32 step = m_.element_bytes == 16 ? 16 : (m_.registers_wide >> k & 1) ? 8 : 4;
      std::memcpy(to + k * m_.element_bytes, row + lane * step, m_.element_bytes);
    }
  }
  void present(u32 lane, std::byte* to) const override {
    u64 host = a_.host[lane];
    if (a_.shape)
      host = a_.host[0] + a_.shape->offset(lane);
    else if (a_.contiguous)
      host = a_.host[0] + (a_.at[lane] - a_.at[__builtin_ctz(a_.mask)]);
    std::memcpy(to, reinterpret_cast<const void*>(host), m_.total_bytes);
  }

 private:
  const Warp& w_;
  const MemoryOp& m_;
  const Addresses& a_;
};

/// The same of words side by side, all 32.
class StoredWords final : public observe::StoredValues {
 public:
  StoredWords(const u32* row, u64 first) : row_(row), first_(first) {}
  void stored(u32 lane, std::byte* to) const override { std::memcpy(to, row_ + lane, 4); }
  void present(u32 lane, std::byte* to) const override {
    std::memcpy(to, reinterpret_cast<const u32*>(first_) + lane, 4);
  }

 private:
  const u32* row_;
  u64 first_;
};

/// Tells every observer, and follows values that nobody wrote from memory to registers and back.
template <bool is_load>
inline void tell_values(Warp& w, const Ins& i, const MemoryOp& m, Addresses& a, observe::Memory space) {
  Machine& machine = *w.machine;
  if (!machine.any_observer || a.mask == a.missed) return;
  // Nothing of it changes from one execution to the next but what is filled in here.
  observe::Access& access = machine.prepared[i.aux - machine.first_prepared];
  if (m.has_policy) access.evict_first = m.evict_first || evicts_first(w, i, a.mask);
  if (is_load) {
    observe::Unwritten unwritten;
    tell(w, a, access, space, &unwritten, nullptr);
    if (unwritten.lanes) [[unlikely]]
      begin_unwritten(w, i, m, access.address, space, unwritten);
  } else {
    observe::Unwritten unwritten;
    const bool any = w.unwritten && w.unwritten->store(w, i, m, space, a.mask & ~a.missed, unwritten);
    if (w.undefined) [[unlikely]] {
      observe::Unwritten none;
      w.undefined->store(w, i, m, space, a.mask & ~a.missed, none);
    }
    const Values values(w, m, a);
    tell(w, a, access, space, any ? &unwritten : nullptr, &values);
  }
}

/// What is left of an access of known shape.
template <bool is_load>
[[gnu::noinline]] void move_known(Warp& w, const Ins& i, const MemoryOp& m, const LaneShape& s, u64 first,
                                  u64 host, observe::Memory space) {
  Addresses a;
  place(s, first, host, a);
  if (space == observe::Memory::shared && w.block->pending_copies) check_pending_copies(w, i, m, a);
  tell_values<is_load>(w, i, m, a, space);
  move_data<is_load>(w, m, a);
  if (is_load && m.spin_hint) spin_hint(w);
}

template <bool is_load>
[[gnu::noinline]] void global_anew(Warp& w, const Ins& i, const MemoryOp& m, u32 mask) {
  Addresses a;
  compute_addresses(w, i, m, mask, a);
  if (!locate_global(w, i, m, a)) return;
  tell_values<is_load>(w, i, m, a, observe::Memory::global);
  move_data<is_load>(w, m, a);
  if (is_load && m.spin_hint) spin_hint(w);
}

/// Asks the host's caches for what will be moved, before observers are told: they take about as long as its memory does. Of a shape that
/// is wider than two of the host's lines, only for the ends. And for what the warp after the next one asks for, if it goes on behind this one.
template <bool is_load>
inline void prefetch_on_host(const LaneShape& s, u64 host) {
  const u64 low = host + s.low;
  for (const u64 at : {low, low + 2 * s.span}) {
    __builtin_prefetch(reinterpret_cast<const void*>(at), !is_load);
    __builtin_prefetch(reinterpret_cast<const void*>(at + s.span - 1), !is_load);
  }
}

template <bool is_load>
inline void global_in_shape(Warp& w, const Ins& i, u32 mask, const LaneShape* s, u64 first) {
  const MemoryOp& m = w.machine->code.memory_ops[i.aux];
  const SiteCache& cache = w.machine->caches[i.site];
  if (!s || !cache.holds(first + s->low, s->span)) [[unlikely]]
    return global_anew<is_load>(w, i, m, mask);
  const u64 host = first + cache.delta;
  prefetch_on_host<is_load>(*s, host);
  move_known<is_load>(w, i, m, *s, first, host, observe::Memory::global);
}
template <bool is_load>
void global(Warp& w, const Ins& i, u32 mask) {
  u64 first;
  const LaneShape* s = shape_of(w, i, w.machine->code.memory_ops[i.aux], mask, first);
  global_in_shape<is_load>(w, i, mask, s, first);
}

/// Whether [first + low, ...) lies in @p size bytes from @p begin.
inline bool within(const LaneShape& s, u64 first, u64 begin, u64 size) {
  return s.span <= size && first + s.low - begin <= size - s.span;
}

template <bool is_load>
[[gnu::noinline]] void shared_anew(Warp& w, const Ins& i, const MemoryOp& m, u32 mask) {
  Addresses a;
  compute_addresses(w, i, m, mask, a);
  if (!locate_shared(w, i, m, a)) return;
  if (w.block->pending_copies) check_pending_copies(w, i, m, a);
  tell_values<is_load>(w, i, m, a, observe::Memory::shared);
  move_data<is_load>(w, m, a);
  if (is_load && m.spin_hint) spin_hint(w);
}

/// @param s the shape; nullptr: not known
template <bool is_load>
inline void shared_in_shape(Warp& w, const Ins& i, u32 mask, const LaneShape* s, u64 first) {
  const MemoryOp& m = w.machine->code.memory_ops[i.aux];
  if (!s || !within(*s, first, 0, w.machine->shared_bytes)) [[unlikely]]
    return shared_anew<is_load>(w, i, m, mask);
  const u64 host = first + reinterpret_cast<u64>(w.block->shared.data());
  move_known<is_load>(w, i, m, *s, first, host, observe::Memory::shared);
}
template <bool is_load>
void shared(Warp& w, const Ins& i, u32 mask) {
  u64 first;
  const LaneShape* s = shape_of(w, i, w.machine->code.memory_ops[i.aux], mask, first);
  shared_in_shape<is_load>(w, i, mask, s, first);
}

template <bool is_load, bool is_shared>
[[gnu::noinline]] void word_in_shape(Warp& w, const Ins& i, u32 mask, const LaneShape* s, u64 first) {
  if (is_shared)
    shared_in_shape<is_load>(w, i, mask, s, first);
  else
    global_in_shape<is_load>(w, i, mask, s, first);
}

/// Tells observers, but @p knowing, of an access in a straight stretch. @param host where its first byte is
template <bool is_load, bool is_shared>
inline void tell_word(Warp& w, const Ins& i, const LaneShape& s, u64 first, u64 host,
                      const observe::Observer* knowing = nullptr) {
  Machine& machine = *w.machine;
  observe::Access& access = machine.stretch_accesses[i.b];
  access.site = machine.site_of(i);
  access.warp = &w.id;
  access.shape = s.id;
  access.address = addresses_of(s, first, machine.lanes.data());
  const auto tell_all = [&] {
    for (observe::Observer* o : machine.observers)
      if (o != knowing) o->access(access);
  };
  if (is_load) {
    observe::Unwritten unwritten;
    access.unwritten = &unwritten;
    tell_all();
    if (unwritten.lanes) [[unlikely]]
      begin_unwritten(w, i, machine.code.memory_ops[i.aux], access.address,
                      is_shared ? observe::Memory::shared : observe::Memory::global, unwritten);
  } else {
    const StoredWords values(w.row<u32>(i.d), host);
    access.values = &values;
    tell_all();
  }
}

/// Most accesses: one word of each lane, in a straight stretch. If the warp is full, the shape known, all in place, and nothing to be
/// looked at but what observers see, then nothing of the instruction is needed but what straight.cpp has put into @p i.
template <bool is_load, bool is_shared>
void word(Warp& w, const Ins& i, u32 mask) {
  using Way = LaneShape::Way;
  Machine& machine = *w.machine;
  u64 first;
  const LaneShape* const s = shape_in_stretch<is_shared>(w, i, mask, first);
  u64 host = first;
  bool in_place = s != nullptr &&
                  (is_load ? s->way != Way::scattered : s->way == Way::run && !w.unwritten && !w.undefined);
  if (is_shared) {
    in_place = in_place && within(*s, first, 0, machine.shared_bytes) && w.block->pending_copies == 0;
    host += reinterpret_cast<u64>(w.block->shared.data());
  } else {
    const SiteCache& cache = machine.caches[i.site];
    in_place = in_place && cache.holds(first + s->low, s->span);
    host += cache.delta;
  }
  if (!in_place) [[unlikely]] {
    if (!is_shared && (i.aux2 & kPlusUniform)) {  // the text's own two instructions
      const Ins &sum = machine.code.instructions[i.e], &access = machine.code.instructions[i.f];
      machine.handlers[static_cast<std::size_t>(sum.op)](w, sum, mask);
      return word_in_shape<is_load, is_shared>(w, access, mask, s, first);
    }
    return word_in_shape<is_load, is_shared>(w, i, mask, s, first);
  }
  if (!is_shared) prefetch_on_host<is_load>(*s, host);
  u32* const row = w.row<u32>(i.d);
  if (machine.any_observer) tell_word<is_load, is_shared>(w, i, *s, first, host);
  if (is_load)
    load_words(row, *s, host);
  else
    store_words(host, row);
}

/// What few counted loads need stands by itself, so that the others save no registers for it.
[[gnu::noinline]] void tell_counted(Warp& w, const Ins& i, const LaneShape& s, u64 first, u64 host) {
  tell_word<true, true>(w, i, s, first, host, w.machine->counted.observer);
}
[[gnu::noinline]] void load_vectors(Warp& w, const Ins& i, const LaneShape& s, u64 host) {
  const MemoryOp& m = w.machine->code.memory_ops[i.aux];
  for (u32 k = 0; k < m.count; ++k) load_words(w.row<u32>(m.registers[k]), s, host + 4 * k);
}

/// If a load of shared memory is like its instruction's latest, and lies like the one before with the same address register, counts it.
/// @return whether it was, and its data have moved.
inline bool count_load(Warp& w, const Ins& i) {
  Machine& machine = *w.machine;
  CountedLoads& counted = machine.counted;
  SiteCache& cache = machine.caches[i.site];
  const LaneShape* const s = machine.stretch_shapes[i.aux2 % kShapeSlots];
  if (!counted.by || !s || s != cache.shapes.recent[0]) return false;
  using Way = LaneShape::Way;
  const u32 bytes = i.aux2 / kLaneBytes;
  const bool moves = bytes == 4 ? s->way != Way::scattered : s->way == Way::same || s->way == Way::sames;
  const u64 first = (i.aux2 & kWideWordAddress) ? *w.row<u64>(i.a) + static_cast<u64>(i.imm)
                                                : *w.row<u32>(i.a) + static_cast<u32>(i.imm);
  if (!moves || (first & (bytes - 1)) != 0 || !within(*s, first, 0, machine.shared_bytes) ||
      w.block->pending_copies)
    return false;
  if (const u32 loads = i.aux2 / kMachineLoads % 256; loads != 0) {
    observe::RepeatedLoad* const repeated = cache.repeated;
    if (!repeated || repeated->shape != s->id) return false;
    repeated->executions += loads;
    counted.wavefronts += u64{loads} * repeated->wavefronts;
    counted.bytes += u64{loads} * repeated->bytes;
  }
  counted.any = true;
  cache.shapes.misses = 0;
  const u64 host = first + reinterpret_cast<u64>(w.block->shared.data());
  if (counted.others) tell_counted(w, i, *s, first, host);
  if (bytes == 4)
    load_words(w.row<u32>(i.d), *s, host);
  else
    load_vectors(w, i, *s, host);
  return true;
}
[[gnu::noinline]] void count_or_tell_load(Warp& w, const Ins& i, u32 mask) {
  Machine& machine = *w.machine;
  if (i.aux2 & kBeginsCount) machine.counted.begin(w.id, machine.observers);
  if (!(i.aux2 & kFollowsShape) || !count_load(w, i)) {
    if (i.aux2 / kLaneBytes == 4) {
      word<true, true>(w, i, mask);
    } else {
      u64 first;
      const LaneShape* const s = shape_in_stretch<true>(w, i, mask, first);
      shared_in_shape<true>(w, i, mask, s, first);
    }
    if (machine.counted.by) machine.caches[i.site].repeated = machine.counted.by->of(i.site);
  }
  if (i.aux2 & kEndsCount) machine.counted.end(w.id);
}
/// One of several loads of shared memory that nothing else stands between of which observers are told.
void counted_load(Warp& w, const Ins& i, u32 mask) {
  if ((i.aux2 & (kFollowsShape | kBeginsCount | kEndsCount)) == kFollowsShape && count_load(w, i)) [[likely]]
    return;
  count_or_tell_load(w, i, mask);
}

/// An access of known shape in generic or constant space.
bool quick_any(Warp& w, const Ins& i, const MemoryOp& m, u32 mask, Addresses& a, observe::Memory& space) {
  using lower::AddressSpace;
  if (m.of_cluster) return false;
  u64 first;
  const LaneShape* s = shape_of(w, i, m, mask, first);
  if (!s) return false;
  const bool generic = m.space == AddressSpace::generic;
  if (generic || m.space == AddressSpace::constant) {
    const SiteCache& cache = w.machine->caches[i.site];
    if (cache.holds(first + s->low, s->span)) {
      space = generic ? observe::Memory::global : observe::Memory::constant;
      place(*s, first, first + cache.delta, a);
      return true;
    }
  }
  if (generic && within(*s, first, memory::kSharedWindow, w.machine->shared_bytes)) {
    space = observe::Memory::shared;
    first -= memory::kSharedWindow;
    place(*s, first, first + reinterpret_cast<u64>(w.block->shared.data()), a);
    return true;
  }
  return false;
}

template <bool is_load>
void any(Warp& w, const Ins& i, u32 mask) {
  const MemoryOp& m = w.machine->code.memory_ops[i.aux];
  while (mask) {
    Addresses a;
    observe::Memory space;
    u32 part = mask;
    if (!quick_any(w, i, m, mask, a, space)) {
      compute_addresses(w, i, m, mask, a);
      if (may_mix_windows(m)) {
        part = same_window(m, a, mask);
        if (part != mask) compute_addresses(w, i, m, part, a);
      }
      if (!locate(w, i, m, a, !is_load, space)) return;
    }
    if (space == observe::Memory::shared && (a.owner ? a.owner : w.block)->pending_copies)
      check_pending_copies(w, i, m, a);
    tell_values<is_load>(w, i, m, a, space);
    move_data<is_load>(w, m, a);
    mask &= ~part;
  }
  if (is_load && m.spin_hint) spin_hint(w);
}

/// One that is no single word or pair of words.
[[gnu::noinline]] void load_param_in_parts(Warp& w, const MemoryOp& m, u32 mask, u64 host) {
  Addresses a;
  a.mask = mask;
  a.uniform = true;
  for (u64& h : a.host) h = host;
  load_data(w, m, a);
}
/// A kernel parameter at a fixed place: the same for all lanes, an operand rather than an access.
void load_param(Warp& w, const Ins& i, u32 mask) {
  const MemoryOp& m = w.machine->code.memory_ops[i.aux];
  const auto& image = w.machine->launch.parameters;
  if (static_cast<u64>(i.imm) + m.total_bytes > image.size()) [[unlikely]] {
    memory_fault(w, i, m, static_cast<u32>(__builtin_ctz(mask)), static_cast<u64>(i.imm), m.total_bytes,
                 observe::Memory::param);
    return;
  }
  const std::byte* const place =
      image.data() + static_cast<u64>(i.imm);  // at any alignment, in a wrong program
  const u64 host = reinterpret_cast<u64>(place);
  if (m.count == 1 && m.element_bytes == 8) {
    u64 value;
    std::memcpy(&value, place, sizeof value);
    return broadcast(w, m.registers[0], mask, value);
  }
  if (is_one_word(m)) {
    u32 value;
    std::memcpy(&value, place, sizeof value);
    return broadcast(w, m.registers[0], mask, value);
  }
  load_param_in_parts(w, m, mask, host);
}

/// Parameters of functions: bytes in the frame's parameter area, lane after lane.
template <bool is_load>
void frame_param(Warp& w, const Ins& i, u32 mask) {
  const MemoryOp& m = w.machine->code.memory_ops[i.aux];
  const lower::Function& f = *w.frame->function;
  Addresses a;
  a.mask = mask;
  for (u32 l = 0; l < 32; ++l)
    a.host[l] =
        reinterpret_cast<u64>(w.frame->rows) + f.param_base + l * f.param_stride + static_cast<u64>(i.imm);
  move_data<is_load>(w, m, a);
}

void fence(Warp& w, const Ins& i, u32 mask) {
  if (i.imm == -2 || i.imm == -4) proxy_fence(w);
  if (i.imm == -2 || i.imm == -3)
    for (observe::Observer* o : w.machine->observers) o->proxy_fence(w.id, mask);
  if (i.imm < 0) return;
  for (observe::Observer* o : w.machine->observers) o->fence(w.id, mask, static_cast<observe::Scope>(i.imm));
}

}  // namespace

void register_memory(Table& t) {
  t[Op::ld_global] = global<true>;
  t[Op::st_global] = global<false>;
  t[Op::ld_shared] = shared<true>;
  t[Op::st_shared] = shared<false>;
  t[Op::ld_any] = any<true>;
  t[Op::st_any] = any<false>;
  t[Op::ld_param] = load_param;
  t[Op::ld_frame_param] = frame_param<true>;
  t[Op::st_frame_param] = frame_param<false>;
  t.words[static_cast<std::size_t>(WordAccess::ld_global)] = word<true, false>;
  t.words[static_cast<std::size_t>(WordAccess::st_global)] = word<false, false>;
  t.words[static_cast<std::size_t>(WordAccess::ld_shared)] = word<true, true>;
  t.words[static_cast<std::size_t>(WordAccess::st_shared)] = word<false, true>;
  t.words[static_cast<std::size_t>(WordAccess::counted_ld_shared)] = counted_load;
  t[Op::fence] = fence;
  t[Op::prefetch] = [](Warp&, const Ins&, u32) {};
}

}  // namespace simgpu::exec::SIMGPU_ISA
