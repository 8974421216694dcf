/// @file
/// What is said about an access that hits nothing, or the wrong thing: for somebody who sees it for the first
/// time.
#include <fmt/format.h>

#include <cstring>
#include <optional>
#include <utility>

#include "simgpu/exec/host_memory.hpp"
#include "simgpu/exec/state.hpp"
#include "simgpu/memory/device_memory.hpp"

namespace simgpu::exec {
namespace {

std::string name_of(const memory::Allocation& a) {
  const u64 n = a.bytes;
  const std::string size = fmt::format("{} byte{}", n, n == 1 ? "" : "s");
  if (!a.name.empty()) return fmt::format("the variable {} ({})", a.name, size);
  return fmt::format("allocation #{} ({})", a.id, size);
}

const char* verb(observe::AccessKind kind) {
  return kind == observe::AccessKind::load    ? "reads"
         : kind == observe::AccessKind::store ? "writes"
                                              : "updates";
}

/// Where something begins that lies @p distance bytes after an end.
std::string beyond(u64 distance) {
  return distance == 0 ? std::string("just beyond the end")
                       : fmt::format("{} byte{} beyond the end", distance, distance == 1 ? "" : "s");
}

/// The allocation that @p address would hit if an unsigned 32-bit index had not gone below zero; nullptr if none.
const memory::Allocation* below_zero(const memory::DeviceMemory& memory, u64 address) {
  constexpr u64 kFew = 4096;  // elements
  for (const u64 element : {1, 2, 4, 8, 16}) {
    const u64 wrap = element << 32;
    if (address < wrap) continue;
    for (u64 n = 1; n <= kFew; ++n) {
      const memory::Allocation* a = memory.find(address - wrap + n * element);
      if (a && a->live) return a;
    }
  }
  return nullptr;
}

}  // namespace

std::string Machine::name_of(observe::Dim3 d) {
  return fmt::format("({},{},{})", d.x, d.y, d.z);
}

std::string Machine::who(const Warp& w, u32 lane) {
  return "Thread " + name_of(w.machine->thread_of(w, lane)) + " of block " + name_of(w.id.block);
}

observe::Dim3 Machine::thread_of(const Warp& w, u32 lane) const {
  const u32 t = w.thread_index(lane), nx = launch.block.x, ny = launch.block.y;
  return {t % nx, t / nx % ny, t / nx / ny};
}

observe::Finding Machine::finding(const Warp& w, const Ins& ins, observe::FindingKind kind, u32 lane,
                                  std::string message, observe::Memory space, u64 address) const {
  observe::Finding f;
  f.kind = kind;
  f.kernel = launch.kernel->name;
  if (const observe::Site* s = site_of(ins)) {
    f.file = s->file;
    f.line = s->line;
    f.instruction = s->name;
  }
  f.block = w.id.block;
  f.thread = thread_of(w, lane);
  f.memory = space;
  f.address = address;
  f.message = std::move(message);
  return f;
}

void Machine::end(Warp& w) {
  stop = attention = true;
  result.ok = false;
  w.forfeited += w.budget;
  w.budget = 0;
}

void Machine::fault(Warp& w, const Ins& ins, observe::FindingKind kind, u32 lane, std::string message,
                    observe::Memory space, u64 address, bool warning, u64 allocation) {
  observe::Finding f = finding(w, ins, kind, lane, std::move(message), space, address);
  f.allocation = allocation;
  f.warning = warning;
  findings.add(std::move(f));
  if (!warning) end(w);
}

bool Machine::passes(Warp& w, const Ins& ins, observe::FindingKind kind, u32 lane, std::string message,
                     observe::Memory space, u64 address, u64 allocation) {
  observe::Finding f = finding(w, ins, kind, lane, std::move(message), space, address);
  f.allocation = allocation;
  f.passed = launch.keep_going;
  findings.add(std::move(f));
  if (!launch.keep_going) end(w);
  return launch.keep_going;
}

void Machine::undefined(const Warp& w, const Ins& ins, observe::FindingKind kind, u32 lane,
                        std::string message) {
  const observe::Site* const site = site_of(ins);
  if (site && findings.again(kind, observe::Memory::global, launch.kernel->name, *site)) return;
  observe::Finding f = finding(w, ins, kind, lane, std::move(message), observe::Memory::global, 0);
  f.passed = true;
  findings.add(std::move(f));
}

std::byte* Machine::nowhere(u32 lane) {
  auto& bytes = lost_bytes[lane];
  for (std::size_t n = 0; n < bytes.size(); n += sizeof kNothing)
    std::memcpy(&bytes[n], &kNothing, sizeof kNothing);
  return bytes.data();
}

bool memory_fault(Warp& w, const Ins& ins, const MemoryOp& m, u32 lane, u64 address, u32 bytes,
                  observe::Memory space, u32 align, bool may_pass) {
  using Kind = observe::FindingKind;
  if (align == 0) align = bytes;
  Machine& machine = *w.machine;
  const bool in_memory = space == observe::Memory::global || space == observe::Memory::constant;
  const memory::Allocation* a = in_memory ? machine.memory.find(address) : nullptr;
  const Kind kind = address & (align - 1) ? Kind::misaligned
                    : a && !a->live       ? Kind::use_after_free
                                          : Kind::out_of_bounds;
  const observe::Site* const site = machine.site_of(ins);
  if (may_pass && site && machine.findings.again(kind, space, machine.launch.kernel->name, *site))
    return true;
  const memory::Allocation* named = nullptr;
  const auto say = [&](std::string text, std::optional<u64> at) {
    const u64 begin = named ? named->base : 0;
    if (may_pass) return machine.passes(w, ins, kind, lane, std::move(text), space, at.value_or(0), begin);
    machine.fault(w, ins, kind, lane, std::move(text), space, at.value_or(0), false, begin);
    return false;
  };
  const std::string start =
      fmt::format("{} {} {} byte{}", Machine::who(w, lane), verb(m.kind), bytes, bytes == 1 ? "" : "s");
  if (kind == Kind::misaligned) {
    std::string text = fmt::format(
        "{} at {}{:#x}, which is not a multiple of {}: an access of {} bytes needs an address aligned to {}.",
        start,
        space == observe::Memory::shared  ? "shared memory offset "
        : space == observe::Memory::local ? "local memory offset "
                                          : "address ",
        address, align, bytes, align);
    return say(std::move(text), address);
  }
  if (space == observe::Memory::shared) {
    const u64 size = machine.shared_bytes, rank = address >> memory::kClusterShift;
    const u64 offset = address & ((u64{1} << memory::kClusterShift) - 1),
              blocks = w.block->cluster->blocks.size();
    if (rank > blocks && offset + bytes <= size) {  // an index does not lead there
      return say(
          fmt::format("{} of the shared memory of the block of rank {}, but its cluster has {} block{}.",
                      start, rank - 1, blocks, blocks == 1 ? "" : "s"),
          address);
    }
    const s64 signed_address = static_cast<s64>(address),
              as_int = static_cast<std::int32_t>(static_cast<u32>(address));
    const s64 at = address <= 0xFFFF'FFFFull ? as_int : signed_address;
    std::string where = at < 0           ? fmt::format("{} bytes before the start", -at)
                        : address < size ? fmt::format("{} bytes beyond the end", address + bytes - size)
                                         : beyond(address - size);
    return say(
        fmt::format("{} of shared memory {} of the block's {} bytes ({} static, {} dynamic).", start, where,
                    size, machine.launch.kernel->static_shared_bytes, machine.launch.dynamic_shared_bytes),
        address);
  }
  if (space == observe::Memory::local)
    return say(fmt::format(
                   "{} of local memory at offset {}, outside its {} bytes: an index runs past a local array.",
                   start, static_cast<s64>(address), machine.local_bytes),
               address);
  if (space == observe::Memory::param)
    return say(
        fmt::format("{} of the kernel's parameters at offset {}, which it may not touch.", start, address),
        address);
  if (kind == Kind::use_after_free) {
    named = a;
    return say(
        fmt::format("{} at byte {} of {}, which has been freed.", start, address - a->base, name_of(*a)),
        address);
  }
  if (address < 4096 && !a)
    return say(
        fmt::format("{} at address {:#x}: a null pointer, or an index applied to one.", start, address),
        address);
  constexpr u64 kNear = 1ull << 20;
  if (!a) a = machine.memory.nearest(address);
  std::string where;
  named = a;
  if (a && address >= a->base && address < a->end()) {
    where = fmt::format("which overlaps the end of {} by {} bytes", name_of(*a), address + bytes - a->end());
  } else if (a && address >= a->end() && address - a->end() < kNear) {
    where = fmt::format("{} of {}{}", beyond(address - a->end()), a->live ? "" : "the freed ", name_of(*a));
  } else if (a && address < a->base && a->base - address < kNear) {
    const u64 before = a->base - address;
    where = fmt::format("{} byte{} before the start of {}{}", before, before == 1 ? "" : "s",
                        a->live ? "" : "the freed ", name_of(*a));
  } else if (const memory::Allocation* meant = below_zero(machine.memory, address)) {
    named = meant;
    where = fmt::format("far from any allocation: an unsigned index into {} may have gone below zero",
                        name_of(*meant));
  } else if (named = nullptr;
             is_of_host(address)) {  // its address is another one in each run, so it is not told
    return say(fmt::format("{} at an address of the host's own memory, which a kernel cannot reach: give it "
                           "device memory (cudaMalloc and cudaMemcpy), or memory from cudaMallocManaged or "
                           "cudaMallocHost.",
                           start),
               std::nullopt);
  } else if (constexpr u64 kIntsReach = 16ull << 31;
             a && address < a->base && a->base - address <= kIntsReach) {
    return say(
        fmt::format("{} at address {:#x}, {:.3g} GB before the first memory of the program: an index of type "
                    "int may have gone below zero.",
                    start, address, static_cast<double>(a->base - address) * 1e-9),
        address);
  } else {
    where = "far from any allocation: is the pointer set, and the index not far too large";
    return say(fmt::format("{} at address {:#x}, {}?", start, address, where), address);
  }
  return say(fmt::format("{} at address {:#x}, {}.", start, address, where), address);
}

}  // namespace simgpu::exec
