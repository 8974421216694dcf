/// @file
/// Asynchronous instructions: which does what, addresses within a cluster, and threads that wait.
#include "simgpu/exec/asynchronous.hpp"

namespace simgpu::exec {

using namespace asynchronous;

namespace {

/// Beyond any cluster, and an address that is no negative one of 32 bits.
constexpr u32 kNoRank = 126;

void cluster_address(Warp& w, const Ins& i, u32 mask) {
  each_lane(mask, [&](u32 l) {
    if (w.machine->stop) return;
    u64 v = i.aux ? w.row<u64>(i.a)[l] : w.row<u32>(i.a)[l];
    const u64 base = i.imm ? 0 : memory::kSharedWindow;
    if (!i.imm && v - base >= memory::kSharedWindowSize) {
      illegal(w, i, l,
              fmt::format("maps address {:#x} to another block, which does not lie in shared memory.", v));
      return;
    }
    v -= base;
    const u64 rank = v >> memory::kClusterShift;
    if (i.op == Op::getctarank) {
      w.row<u32>(i.d)[l] = rank ? static_cast<u32>(rank - 1) : w.block->rank;
      return;
    }
    // The compiler may ask for an address that nobody uses then, of a block that there is not: it is the access that fails.
    const u32 target = std::min(w.row<u32>(i.b)[l], kNoRank);
    const u64 mapped = base + (u64{target + 1} << memory::kClusterShift) + (v & kOffsetMask);
    if (i.aux)
      w.row<u64>(i.d)[l] = mapped;
    else
      w.row<u32>(i.d)[l] = static_cast<u32>(mapped);
  });
}

/// Runs f with the registers of a split that is not the current one.
template <class F>
auto with_split(Warp& w, const Split& s, F f) {
  std::byte* const rows = w.base[0];
  w.base[0] = s.frame->rows;
  const auto result = f(w.machine->code.instructions[s.pc]);
  w.base[0] = rows;
  return result;
}

void wake(Warp& w) {
  if (w.status == Warp::Status::blocked || w.current >= w.splits.size()) {
    w.current = kNoRpc;
    merge_splits(w);
    choose_split(w);
  }
}

}  // namespace

bool async_instruction(Warp& w, const Ins& i, u32 mask) {
  const auto lanes = [&](void (*f)(Warp&, const Ins&, u32)) {
    each_lane(mask, [&](u32 l) {
      if (!w.machine->stop) f(w, i, l);
    });
  };
  switch (i.op) {
    case Op::mbarrier_test_wait:
    case Op::mbarrier_try_wait:
      wait(w, i, mask);
      return true;
    case Op::mbarrier_init:
      init(w, i, mask);
      break;
    case Op::mbarrier_inval:
      inval(w, i, mask);
      break;
    case Op::mbarrier_arrive:
      arrive(w, i, mask);
      break;
    case Op::mbarrier_expect_tx:
    case Op::mbarrier_complete_tx:
      transactions(w, i, mask);
      break;
    case Op::mbarrier_pending_count:
      each_lane(mask, [&](u32 l) { w.row<u32>(i.d)[l] = Mbarrier::pending_of(w.row<u64>(i.b)[l]); });
      break;
    case Op::cp_async_mbarrier:
      cp_async_arrive(w, i, mask);
      break;
    case Op::bulk_load:
      lanes(bulk_load_lane);
      break;
    case Op::bulk_store:
      lanes(bulk_store_lane);
      break;
    case Op::store_async:
      lanes(store_async_lane);
      break;
    case Op::bulk_commit:
      w.bulk_stores.commit(mask);
      for (observe::Observer* o : w.machine->observers) o->bulk_commit(w.id, mask);
      break;
    case Op::bulk_wait:
      if (!op_of(w, i).reads_only)
        for (observe::Observer* o : w.machine->observers) o->bulk_wait(w.id, mask, static_cast<u32>(i.imm));
      w.block->pending_copies -= static_cast<u32>(
          w.bulk_stores.wait(mask, static_cast<u32>(i.imm), op_of(w, i).reads_only, w.block->shared.data()));
      break;
    case Op::mapa:
    case Op::getctarank:
      cluster_address(w, i, mask);
      break;
    default:
      return false;
  }
  ++w.pc;
  return true;
}

void poll_waiting(Warp& w) {
  bool any = false, woken = false;
  for (Split& s : w.splits) {
    if (s.state != Split::State::waiting) continue;
    const bool go = with_split(w, s, [&](const Ins& i) {
      return i.op == Op::barrier_cluster_wait ? cluster_wait_over(w, s.mask) : over(w, i, s.mask) != 0;
    });
    if (w.machine->stop) return;
    any |= !go;
    if (!go) continue;
    s.state = Split::State::running;
    woken = true;
  }
  w.waits = any;
  if (woken) wake(w);
}

bool time_out(Warp& w) {
  bool woken = false;
  for (Split& s : w.splits)
    if (s.state == Split::State::waiting && w.machine->code.instructions[s.pc].op == Op::mbarrier_try_wait) {
      s.state = Split::State::running;
      s.timed_out = woken = true;
    }
  if (woken) wake(w);
  return woken;
}

std::string waits_for(Warp& w, const Split& s) {
  if (w.machine->code.instructions[s.pc].op == Op::barrier_cluster_wait) {
    u32 live = 0;
    for (const Block* b : w.block->cluster->blocks) live += b->live_threads;
    return fmt::format(" at the cluster's barrier for {} threads, of which {} have come.", live,
                       w.block->cluster->arrived);
  }
  return with_split(w, s, [&](const Ins& i) {
    const u32 lane = static_cast<u32>(__builtin_ctz(s.mask));
    const u32 offset = static_cast<u32>(address_of(w, i, op_of(w, i), AsyncOp::kTo, lane)) & kOffsetMask;
    const Mbarrier* b = w.block->async->mbarriers.find(offset);
    if (!b) return std::string(" at an mbarrier.");
    std::string text =
        fmt::format(" at the mbarrier at shared memory offset {}, whose phase {} ", offset, b->phase);
    if (b->pending == 0 && b->bytes <= 0)
      text += "has all its arrivals";
    else
      text += "lacks ";
    if (b->pending) text += fmt::format("{} of {} arrivals", b->pending, b->expected);
    if (b->bytes > 0)
      text += fmt::format("{}{} bytes that were announced (expect_tx) and that no copy brings",
                          b->pending ? " and " : "", b->bytes);
    if (b->bytes < 0)
      text += fmt::format("; copies brought {} bytes more than were announced (expect_tx)", -b->bytes);
    u64 coming = 0;
    for (const Load& l : w.block->async->loads)
      if (l.mbarrier == offset) coming += l.bytes;
    if (coming) text += fmt::format("; copies of {} bytes are under way to it", coming);
    if (i.flags & lower::kTwo && !b->ended_parity(w.row<u32>(i.b)[lane]) && b->pending == b->expected &&
        b->phase)
      text +=
          ". If that phase was not to be waited for, the wait's parity was not flipped after the phase "
          "before";
    return text + ".";
  });
}

}  // namespace simgpu::exec
