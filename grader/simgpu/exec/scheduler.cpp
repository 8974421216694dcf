/// @file
/// One launch: blocks take their places on the SMs and take turns, in a fixed order. Between two rounds of turns it can stand still,
/// and be continued.
#include <algorithm>
#include <map>
#include <new>
#include <optional>
#include <string_view>
#include <utility>

#include "simgpu/exec/handlers.hpp"
#include "simgpu/exec/kept_rows.hpp"
#include "simgpu/exec/polled_words.hpp"
#include "simgpu/exec/run.hpp"
#include "simgpu/exec/scoreboard.hpp"
#include "simgpu/exec/state.hpp"
#include "simgpu/exec/straight.hpp"
#include "simgpu/exec/unwritten.hpp"
#include "simgpu/exec/warp_clock.hpp"
#include "simgpu/lower/builder.hpp"

namespace simgpu::exec {

namespace baseline {
const Handler* handlers();
}
#if SIMGPU_HAVE_V3
namespace v3 {
const Handler* handlers();
}
#endif

const Handler* handlers_of([[maybe_unused]] LaneBuild lanes) {
#if SIMGPU_HAVE_V3
  static const bool v3_host =
      __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
  if (v3_host && lanes == LaneBuild::best) return v3::handlers();
#endif
  return baseline::handlers();
}

Warp::Warp() = default;
Warp::~Warp() = default;
Block::Block() = default;
Block::~Block() = default;

Machine::Machine(const Launch& l, memory::DeviceMemory& m, std::vector<observe::Observer*>& o,
                 observe::Findings& f, const Services& s)
    : launch(l),
      memory(m),
      observers(o),
      findings(f),
      services(s),
      code(*l.kernel->code),
      sites(*l.kernel->code->sites),
      entry(l.kernel->code->functions[l.kernel->code->kernels[l.kernel->entry].first]) {}

observe::Access Machine::access_of(const Ins& i, const MemoryOp& m) const {
  observe::Access access;
  access.site = site_of(i);
  access.memory = m.space == lower::AddressSpace::shared     ? observe::Memory::shared
                  : m.space == lower::AddressSpace::local    ? observe::Memory::local
                  : m.space == lower::AddressSpace::constant ? observe::Memory::constant
                                                             : observe::Memory::global;
  access.kind = m.kind;
  access.hint = m.hint;
  access.ordering = m.ordering;
  access.scope = m.scope;
  access.bytes = m.total_bytes;
  access.non_coherent = m.non_coherent;
  access.evict_first = m.evict_first;
  access.asynchronous = i.op == Op::cp_async;
  access.uniform = m.uniform;
  access.one_address = m.one_address;
  access.indexed = (i.uses & lower::kFieldA) && !(i.a & lower::kPoolBit) && !m.address_in_text;
  access.uniform_pieces = m.uniform_pieces;
  access.machine = m.regrouped ? &m.machine : nullptr;
  access.cost = cost;
  return access;
}

void Machine::prepare_accesses() {
  const auto& kernel = code.kernels[launch.kernel->entry];
  const auto each = [&](auto&& f) {
    for (u32 n = kernel.first; n < kernel.last; ++n)
      for (u32 pc = code.functions[n].entry; pc < code.functions[n].end; ++pc) {
        const Ins& i = code.instructions[pc];
        if (i.flags & lower::kVector) f(i);
      }
  };
  u32 first = ~0u, end = 0;
  each([&](const Ins& i) {
    first = std::min(first, i.aux);
    end = std::max(end, i.aux + 1);
  });
  if (end == 0) return;
  first_prepared = first;
  prepared.resize(end - first);
  each([&](const Ins& i) { prepared[i.aux - first] = access_of(i, code.memory_ops[i.aux]); });
}

namespace {

/// Instructions that a warp executes at most before another one gets its turn; it has to wait for memory sooner, as a rule
/// (lower/waits.cpp). What is left then is kept for its next turn: lanes that went different ways change over only when it
/// is used up. [warp instructions]
constexpr s64 kQuantum = 256;
constexpr u64 kLargestCluster = 16;
/// Times that a try_wait may give up while nothing happens.
constexpr u32 kTimeouts = 32;
/// Local memory of all resident threads. [bytes of this process]
constexpr u64 kMostLocalBytes = u64{8} << 30;
/// Between two calls of the progress service. [warp instructions]
constexpr u64 kProgressEvery = 1 << 22;
/// How long all may wait for a change before it counts as never coming. [rounds of all warps; warp instructions]
constexpr u64 kWaitingRounds = 1024, kWaitingInstructions = 8'000'000;
/// As kWaitingRounds, of a kernel that has stood still before and can do so again. In so many rounds each warp uses up a turn, at
/// two instructions a round at least.
constexpr u64 kShortRounds = 128;
/// After so many rounds of waiting begins what is not counted, should somebody else end it; with more warps than that, only when
/// each has used up a turn.
constexpr u64 kCountedRounds = 16, kFewWarps = 64;
/// A kernel that looks at the clock while nothing else can happen sees it leap, the first time so far and then twice as far each,
/// up to a sum. [cycles]
constexpr u64 kFirstLeap = 1 << 14, kMostLeaps = u64{1} << 41;
/// Bytes of the barrier that cooperative groups keep for a whole grid.
constexpr u64 kGridWorkspaceBytes = 256;

/// What had been counted when all began to wait.
struct Account {
  u64 changes = 0;
  std::vector<u64> executions, per_scheduler;
  std::vector<std::pair<Scoreboard*, Scoreboard>> boards;
};

/// Runs blocks; owns them.
class Scheduler {
 public:
  explicit Scheduler(Machine& machine)
      : m_(machine),
        total_(machine.launch.grid.count()),
        reversed_(machine.launch.order == Order::reversed) {}

  void begin() {
    sms_ = std::max(1u, m_.launch.sm_count);
    size_ = static_cast<u32>(m_.launch.cluster.count());
    const u32 slots = std::max(std::max(1u, m_.launch.resident_blocks_per_sm), (size_ + sms_ - 1) / sms_);
    u64 places = std::min<u64>(u64{sms_} * slots, total_);
    if (m_.launch.places != 0) places = std::min(places, std::max<u64>(m_.launch.places, size_));
    places_.resize(places);
    per_scheduler_.assign(std::size_t{sms_} * kSchedulers, 0);
    warps_begun_ = per_scheduler_;
    free_ = places_.size();
  }

  Run::State go_on(Run::Patience patience) {
    patience_ = patience;
    window_ = stood_still_ && patience == Run::Patience::brief ? kShortRounds : kWaitingRounds;
    leap_ = kFirstLeap;
    parked_ = false;
    begin_waiting_anew();
    bool busy = true;
    while (busy && !m_.stop && !parked_) {
      busy = false;
      all_wait_ = true;
      for (std::size_t n = 0; n < places_.size() && !m_.stop; ++n) {
        const std::size_t at = reversed_ ? places_.size() - 1 - n : n;
        if (!places_[at]) {
          if (next_ >= total_ || free_ < size_) continue;
          start_cluster(at, sms_);
        }
        busy = true;
        if (places_[at]->live_warps) turn(*places_[at]);
        if (places_[at]->live_warps == 0 && !m_.stop) end_cluster(*places_[at]->cluster);
      }
      if (busy && !m_.stop) watch_for_waiting();
    }
    return parked_ && !m_.stop ? Run::State::waiting : Run::State::ended;
  }

  /// Of the busiest of the SMs' schedulers, as if each had as many warps as the others: only what data make of them is unlike.
  u64 most_instructions() const {
    u64 most = 0;
    for (std::size_t first = 0; first < per_scheduler_.size(); first += kSchedulers) {
      u64 all = 0;
      for (u32 n = 0; n < kSchedulers; ++n) all += warps_begun_[first + n];
      for (u32 n = 0; n < kSchedulers; ++n)
        if (const u64 fair = kSchedulers * warps_begun_[first + n])
          most = std::max(most, per_scheduler_[first + n] * std::min(all, fair) / fair);
    }
    return most;
  }

  /// Of one warp, the most that any has executed, what it did while it waited for others apart.
  u64 longest_warp() const { return longest_warp_; }

  /// Whether somebody has changed a word that a run which stands still is looking at.
  bool seen_a_change() const { return polled_.changed(m_.memory); }
  bool looks_at_memory() const { return polled_.any(); }
  bool looks_at_clock() const { return looks_at_clock_; }

  /// What a kernel did while it waited for somebody else is not counted, as far as that can be told.
  void forget_waiting() {
    if (!account_) return;
    m_.executions = std::move(account_->executions);
    per_scheduler_ = std::move(account_->per_scheduler);
    for (auto& [place, board] : account_->boards) *place = std::move(board);
    account_.reset();
  }

  /// Blocks that are resident, per SM.
  std::vector<u32> resident() const {
    std::vector<u32> blocks(sms_, 0);
    for (const auto& b : places_)
      if (b) ++blocks[b->sm];
    return blocks;
  }

 private:
  /// The next cluster's blocks take the first free places from @p first on, round the end.
  void start_cluster(std::size_t first, u32 sms) {
    const observe::Dim3 size = m_.launch.cluster, grid = m_.launch.grid;
    const auto blocks = static_cast<u32>(size.count());
    const u64 order = next_ / blocks, count = total_ / blocks;
    const u64 linear = reversed_ ? count - 1 - order : order;
    const u32 nx = grid.x / size.x, ny = grid.y / size.y;
    const observe::Dim3 corner{static_cast<u32>(linear % nx) * size.x,
                               static_cast<u32>(linear / nx % ny) * size.y,
                               static_cast<u32>(linear / nx / ny) * size.z};
    Cluster* cluster = nullptr;
    std::size_t place = first;
    for (u32 rank = 0; rank < blocks; ++rank) {
      while (places_[place]) place = (place + 1) % places_.size();
      const observe::Dim3 index{corner.x + rank % size.x, corner.y + rank / size.x % size.y,
                                corner.z + rank / size.x / size.y};
      start_block(place, static_cast<u32>(place % sms), static_cast<u32>(place / sms), index);
      Block& b = *places_[place];
      if (rank == 0) {
        cluster = &b.own_cluster;
        cluster->blocks.clear();
        cluster->arrived = cluster->idle_turns = cluster->timeouts = 0;
        cluster->generation = 0;
        cluster->latest = 0;
      }
      b.cluster = cluster;
      b.rank = rank;
      cluster->blocks.push_back(&b);
    }
    const u32 own = m_.launch.kernel->static_shared_bytes + m_.launch.dynamic_shared_bytes;
    for (Block* b : cluster->blocks)
      for (observe::Observer* o : m_.observers) {
        o->block_begin(b->warps[0]->id);
        if (m_.shared_bytes > own) o->shared_filled(b->warps[0]->id, own, m_.shared_bytes - own);
      }
  }

  void start_block(std::size_t place, u32 sm, u32 slot, observe::Dim3 index) {
    if (pool_.empty()) {
      places_[place] = std::make_unique<Block>();
    } else {
      places_[place] = std::move(pool_.back());
      pool_.pop_back();
    }
    --free_;
    Block& b = *places_[place];
    const u64 order = next_++;
    const observe::Dim3 grid = m_.launch.grid;
    b.linear = index.x + (index.y + u64{index.z} * grid.y) * grid.x;
    b.index = index;
    b.place = place;
    b.sm = sm;
    b.slot = slot;
    b.live_threads = static_cast<u32>(m_.launch.block.count());
    b.warp_count = b.live_warps = (b.live_threads + 31) / 32;
    b.pending_copies = m_.uses_bulk_stores;
    b.pending_words.clear();
    b.barriers.fill(Barrier{});
    b.barriers_waited_at = 0;
    b.settled = {};
    if (m_.uses_async) {
      if (!b.async) b.async = std::make_unique<async::BlockAsync>();
      b.async->mbarriers.clear();
      b.async->loads.clear();
      b.async->begun_bytes = b.async->begun_copies = 0;
      b.async->arrivals.clear();
      b.async->proxy.reset(m_.uses_bulk_stores ? m_.shared_bytes : 0, b.warp_count);
    }
    if (m_.shared_bytes) {
      b.shared.assign(m_.shared_bytes, std::byte{0xCD});
      const u32 own = m_.launch.kernel->static_shared_bytes + m_.launch.dynamic_shared_bytes;
      std::fill(b.shared.begin() + own, b.shared.end(), std::byte{0});  // the system's
    }
    b.sampled = m_.launch.scoreboard_every && order % m_.launch.scoreboard_every == 0;
    while (b.warps.size() < b.warp_count) b.warps.push_back(std::make_unique<Warp>());
    if (b.sampled)
      while (b.scoreboards.size() < b.warp_count) b.scoreboards.push_back(std::make_unique<Scoreboard>());
    const u64 most = most_steps(b);
    b.traced = b.sampled && (most <= steps_left_ || steps_left_ == kMostSteps);
    if (b.traced) steps_left_ -= most;
    if (m_.clocks)
      while (b.clocks.size() < b.warp_count) b.clocks.push_back(std::make_unique<WarpClock>());
    const double time = m_.clocks ? m_.clocks->begin_block(place, sm) : 0;
    for (u32 n = 0; n < b.warp_count; ++n) {
      Warp& w = *b.warps[n];
      if (n + 1 < b.warp_count) b.warps[n + 1]->expect_turn();
      start_warp(m_, b, w, n);
      ++warps_begun_[scheduler_of(b, n)];
      w.scoreboard = b.sampled ? b.scoreboards[n].get() : nullptr;
      if (w.scoreboard) w.scoreboard->start(m_.entry, b.traced ? most_steps_of_warp(b.warp_count) : 0);
      w.clock = m_.clocks ? b.clocks[n].get() : nullptr;
      if (w.clock) w.clock->start(*m_.clocks, m_.entry, n, sm, time);
      w.timed = w.scoreboard || w.clock;
    }
  }

  /// If all its blocks have ended: their places become free, all at once.
  void end_cluster(Cluster& cluster) {
    for (const Block* b : cluster.blocks)
      if (b->live_warps) return;
    const std::vector<Block*> blocks = cluster.blocks;
    for (Block* b : blocks) {
      if (b->async) finish_async(*b);
      if (m_.stop) return;
      if (b->sampled) {
        m_.result.sampled_blocks.push_back(Scoreboard::finish(*b));
        if (b->traced) give_back(*b);
      }
      for (observe::Observer* o : m_.observers) o->block_end(b->warps[0]->id);
    }
    if (m_.clocks) end_clocks(blocks);
    add_sleep(blocks);
    for (Block* b : blocks) pool_.push_back(std::move(places_[b->place]));
    free_ += blocks.size();
  }

  /// Blocks that have one place after the other sleep one after the other.
  void add_sleep(const std::vector<Block*>& blocks) {
    u64 longest = 0;
    for (const Block* b : blocks)
      for (u32 n = 0; n < b->warp_count; ++n) longest = std::max(longest, b->warps[n]->slept);
    if (longest == 0) return;
    slept_.resize(places_.size());
    for (const Block* b : blocks) {
      u64& slept = slept_[b->place] += longest;
      m_.result.slept_seconds = std::max(m_.result.slept_seconds, static_cast<double>(slept) * 1e-9);
    }
  }

  /// A cluster's places become free together.
  void end_clocks(const std::vector<Block*>& blocks) {
    double time = 0, spun = 0, shown = 0;
    for (const Block* b : blocks)
      for (u32 n = 0; n < b->warp_count; ++n) {
        time = std::max(time, b->clocks[n]->now());
        spun = std::max(spun, b->clocks[n]->spun());
        shown = std::max(shown, b->clocks[n]->shown());
      }
    for (const Block* b : blocks) m_.clocks->end_block(b->place, time, b->warp_count, spun, shown);
  }

  /// What the block's warps were granted of steps and did not need.
  void give_back(const Block& b) {
    u64 kept = 0;
    for (const WarpTrace& warp : m_.result.sampled_blocks.back().trace.warps) kept += warp.steps.size();
    const u64 most = most_steps(b);
    steps_left_ += most - std::min(kept, most);
  }

  /// Steps that a block's warps are granted.
  static u64 most_steps(const Block& b) {
    return std::min(u64{b.warp_count} * most_steps_of_warp(b.warp_count), kMostSteps);
  }

  /// Tells the host's caches which registers the warp's turn begins with: since its last one, those of all other warps went by.
  [[gnu::always_inline]] void expect_rows(const Warp& next) const {
    if (next.status != Warp::Status::ready) return;
    const Ins& first = m_.code.instructions[next.pc];
    constexpr u32 kHostLine = 64;
    for (const Operand o : {first.a, first.b})
      for (u32 line = 0; line < 2; ++line) __builtin_prefetch(next.row<char>(o) + kHostLine * line);
  }

  /// Each warp of the block has one turn.
  void turn(Block& b) {
    bool any = false;
    for (u32 n = 0; n < b.warp_count && !m_.stop; ++n) {
      Warp& w = *b.warps[reversed_ ? b.warp_count - 1 - n : n];
      if (n + 2 < b.warp_count) b.warps[reversed_ ? b.warp_count - 3 - n : n + 2]->expect_turn();
      if (n + 1 < b.warp_count) expect_rows(*b.warps[reversed_ ? b.warp_count - 2 - n : n + 1]);
      if (w.waits) poll_waiting(w);
      if (w.status != Warp::Status::ready) continue;
      any = true;
      if (w.budget <= 0) {
        w.budget = kQuantum;
        w.hints = 0;
      }
      w.turn = w.budget;
      w.forfeited = 0;
      run_warp(w);
      if (w.budget <= 0) all_wait_ &= w.hints > 0;
      const u64 done = static_cast<u64>(w.turn - w.budget - w.forfeited);
      m_.instructions += done;
      per_scheduler_[scheduler_of(b, n)] += done;
      if (w.hints == 0) longest_warp_ = std::max(longest_warp_, w.executed += done);
    }
    if (m_.stop) return;
    if (any)
      b.cluster->idle_turns = 0;
    else if (b.live_warps && ++b.cluster->idle_turns >= 2 * b.cluster->blocks.size() - 1)
      stuck(*b.cluster);
    if (const u64 limit = m_.launch.warp_instruction_limit) {
      if (snapshot_.empty() && m_.instructions > limit - limit / 8) {
        m_.straight->add_to(m_.executions, m_.code);
        snapshot_ = m_.executions;
      }
      if (m_.instructions > limit) report_runaway(b);
    }
    if (m_.instructions >= note_at_) {
      note_at_ = m_.instructions + kProgressEvery;
      if (m_.services.progress) m_.services.progress(m_.instructions, next_);
    }
  }

  /// No warp of the cluster can run. First lanes that wait for others of their warp where their ways meet go on alone,
  /// then every try_wait gives up once, as on hardware after a while; if that has not helped, it is a deadlock.
  void stuck(Cluster& cluster) {
    cluster.idle_turns = 0;
    bool helped = false;
    for (Block* b : cluster.blocks)
      for (u32 n = 0; n < b->warp_count; ++n) helped |= release_reconverging(*b->warps[n]);
    if (helped || m_.stop) return;
    if (cluster.timeouts < kTimeouts) {
      ++cluster.timeouts;
      for (Block* b : cluster.blocks)
        for (u32 n = 0; n < b->warp_count; ++n) helped |= time_out(*b->warps[n]);
    }
    if (!helped) report_deadlock(cluster);
  }

  /// Instructions by which something may change that others wait for; a compare-and-swap or exchange may be waiting itself.
  u64 changes() {
    m_.straight->add_to(m_.executions, m_.code);
    u64 n = next_;
    const auto& kernel = m_.code.kernels[m_.launch.kernel->entry];
    for (u32 f = kernel.first; f < kernel.last; ++f)
      for (u32 pc = m_.code.functions[f].entry; pc < m_.code.functions[f].end; ++pc) {
        const Ins& i = m_.code.instructions[pc];
        switch (i.op) {
          case Op::atom:
            if (m_.code.memory_ops[i.aux].spin_hint) break;
            [[fallthrough]];
          case Op::st_global:
          case Op::st_shared:
          case Op::st_any:
          case Op::bar_sync:
          case Op::bar_arrive:
          case Op::bar_red:
          case Op::barrier_cluster_arrive:
          case Op::mbarrier_arrive:
          case Op::mbarrier_expect_tx:
          case Op::mbarrier_complete_tx:
          case Op::cp_async_mbarrier:
          case Op::bulk_load:
          case Op::bulk_store:
          case Op::store_async:
          case Op::surface_store:
          case Op::exit:
          case Op::ret:
            n += m_.executions[i.site];
            break;
          default:
            break;
        }
      }
    return n;
  }

  /// In each round in which every warp that ran has looked at some word as waiting loops do: whether anything has changed
  /// since such rounds began. If nothing has for long, nothing ever will, but by somebody else.
  void watch_for_waiting() {
    if (!all_wait_) {
      if (waiting_rounds_ >= kCountedRounds) begin_waiting_anew();
      waiting_rounds_ = 0;
      return;
    }
    if (waiting_rounds_++ == 0) {
      waiting_since_ = m_.instructions;
      return;
    }
    if (waiting_rounds_ == kCountedRounds ? few_warps() : waiting_rounds_ == kShortRounds && !few_warps())
      remember_account();
    if (waiting_rounds_ == window_ / 2) listen(true);
    if (waiting_rounds_ % window_) return;
    m_.straight->add_to(m_.executions, m_.code);
    const u64 now = changes(), looks_at_clock = clock_reads();
    if (waiting_rounds_ == window_ || changes_before_ != now) {
      if (waiting_rounds_ != window_) remember_account();
      changes_before_ = now;
      clock_before_ = looks_at_clock;
      waiting_since_ = m_.instructions;
      looks_before_ = m_.executions;
      polled_.remember(m_.memory);
      return;
    }
    looks_at_clock_ = looks_at_clock != clock_before_;
    clock_before_ = looks_at_clock;
    if (patience_ == Run::Patience::brief && polled_.any()) return stand_still();
    const bool leaps = patience_ == Run::Patience::full || !polled_.any();
    if (leaps && looks_at_clock_ && m_.clock_ahead < kMostLeaps) {
      waiting_since_ = m_.instructions;
      m_.clock_ahead += leap_;
      leap_ *= 2;
      return;
    }
    if (m_.instructions - waiting_since_ >= kWaitingInstructions) stand_still();
  }

  void stand_still() {
    listen(false);
    if (account_ && account_->changes != changes()) account_.reset();
    stood_still_ = parked_ = true;
  }

  void begin_waiting_anew() {
    waiting_rounds_ = 0;
    account_.reset();
    listen(false);
    polled_.clear();
  }

  /// Whether the words that loads look at are noted.
  void listen(bool on) {
    if (on == listening_) return;
    listening_ = on;
    if (on) {
      m_.observers.push_back(&polled_);
    } else {
      std::erase(m_.observers, &polled_);
    }
    m_.any_observer = !m_.observers.empty();
  }

  bool few_warps() const {
    u64 warps = 0;
    for (const auto& b : places_)
      if (b && (warps += b->live_warps) > kFewWarps) return false;
    return true;
  }

  void remember_account() {
    m_.straight->add_to(m_.executions, m_.code);
    account_.emplace();
    account_->changes = changes();
    account_->executions = m_.executions;
    account_->per_scheduler = per_scheduler_;
    for (const auto& b : places_) {
      if (!b || !b->sampled) continue;
      for (u32 n = 0; n < b->warp_count; ++n)
        account_->boards.emplace_back(b->scoreboards[n].get(), *b->scoreboards[n]);
    }
  }

  /// Executions of instructions that read a clock.
  u64 clock_reads() const {
    u64 n = 0;
    const auto& kernel = m_.code.kernels[m_.launch.kernel->entry];
    for (u32 f = kernel.first; f < kernel.last; ++f)
      for (u32 pc = m_.code.functions[f].entry; pc < m_.code.functions[f].end; ++pc) {
        const Ins& i = m_.code.instructions[pc];
        if (lower::reads_clock(i)) n += m_.executions[i.site];
      }
    return n;
  }

 public:
  /// The instruction at which most have looked since nothing changes any more; nullptr: there is none.
  const Ins* most_looked_at() const {
    const Ins* most = nullptr;
    u64 looks = 0;
    if (looks_before_.empty()) return most;
    const auto& kernel = m_.code.kernels[m_.launch.kernel->entry];
    for (u32 f = kernel.first; f < kernel.last; ++f)
      for (u32 pc = m_.code.functions[f].entry; pc < m_.code.functions[f].end; ++pc) {
        const Ins& i = m_.code.instructions[pc];
        const bool looks_here =
            (i.op == Op::ld_global || i.op == Op::ld_shared || i.op == Op::ld_any || i.op == Op::atom) &&
            m_.code.memory_ops[i.aux].spin_hint;
        if (!looks_here || m_.executions[i.site] - looks_before_[i.site] <= looks) continue;
        looks = m_.executions[i.site] - looks_before_[i.site];
        most = &i;
      }
    return most;
  }

  /// The line at which a run that stands still waits; 0: not known.
  std::pair<std::string, u32> place() const {
    const Ins* const at = most_looked_at();
    const observe::Site* const site = at ? m_.site_of(*at) : nullptr;
    return site ? std::pair(site->file, site->line) : std::pair(std::string(), 0u);
  }

  /// Names the place where most have looked since nothing changes any more, and who does. @param more is said behind that.
  void report_waiting(const std::string& more, bool warning) {
    if (report_endless()) return;
    const Ins* const most = most_looked_at();
    u64 blocks = 0, warps = 0;
    Warp* first = nullptr;
    for (const auto& b : places_) {
      if (!b || b->live_warps == 0) continue;
      ++blocks;
      for (u32 n = 0; n < b->warp_count; ++n) {
        if (b->warps[n]->status == Warp::Status::done) continue;
        ++warps;
        if (!first && b->warps[n]->status == Warp::Status::ready) first = b->warps[n].get();
      }
    }
    if (!first) return;
    const Ins& place = most ? *most : m_.code.instructions[first->pc];
    const observe::Site* site = m_.site_of(place);
    const auto lane = static_cast<u32>(first->mask ? __builtin_ctz(first->mask) : 0);
    const bool alone = warps == 1;
    std::string text =
        "Deadlock: " + std::to_string(warps) + (alone ? " warp" : " warps") + " of " +
        std::to_string(blocks) + (blocks == 1 ? " block" : " blocks") +
        (alone ? " waits in a loop" : " wait in loops") +
        (site && site->line ? " (line " + std::to_string(site->line) + ")" : std::string()) +
        " for a word to change, and no thread is running that could still change it; for example thread " +
        Machine::name_of(m_.thread_of(*first, lane)) + " of block " + Machine::name_of(first->block->index) +
        ".";
    if (next_ < total_)
      text +=
          " " + std::to_string(total_ - next_) + " of the grid's " + std::to_string(total_) +
          " blocks have not begun: they find no place before others end, so a block must not wait for them.";
    text += more;
    m_.fault(*first, place, observe::FindingKind::deadlock, lane, std::move(text), observe::Memory::global, 0,
             warning);
  }

 private:
  /// Names a thread in a loop that holds nothing and has no way out, if there is one: whatever else waits, this cannot end. Such loops come
  /// from waiting for a plain variable, which compilers read once, before the loop.
  bool report_endless() {
    for (const auto& b : places_) {
      if (!b || b->live_warps == 0) continue;
      for (u32 n = 0; n < b->warp_count; ++n) {
        Warp& w = *b->warps[n];
        if (w.status != Warp::Status::ready) continue;
        save_split(w);
        for (const Split& s : w.splits) {
          if (s.mask == 0 || s.state != Split::State::running || s.pc >= m_.code.instructions.size())
            continue;
          const Ins& i = m_.code.instructions[s.pc];
          if (i.op != Op::bra || i.aux != s.pc) continue;
          const auto lane = static_cast<u32>(__builtin_ctz(s.mask));
          const observe::Site* const site = m_.site_of(i);
          std::string text = Machine::who(w, lane) + " is in a loop" +
                             (site && site->line ? " (line " + std::to_string(site->line) + ")" : "") +
                             " that never ends: it holds no instruction and no way out. If it waits for a "
                             "variable that another thread or the host changes, the compiler has read that "
                             "once, before the loop: make the variable volatile, or read it by "
                             "cuda::atomic_ref.";
          m_.fault(w, i, observe::FindingKind::runaway, lane, std::move(text), observe::Memory::global);
          return true;
        }
      }
    }
    return false;
  }

  /// Names the source line that has been executed most of late.
  void report_runaway(Block& b) {
    m_.straight->add_to(m_.executions, m_.code);
    std::map<std::pair<std::string_view, u32>, u64> lines;
    for (std::size_t s = 0; s < m_.sites.size(); ++s) {
      const u64 recent = m_.executions[s] - (snapshot_.empty() ? 0 : snapshot_[s]);
      if (recent) lines[{m_.sites[s].file, m_.sites[s].line}] += recent;
    }
    std::pair<std::string_view, u32> most;
    u64 count = 0;
    for (const auto& [line, n] : lines)
      if (n > count) most = line, count = n;
    std::string file(most.first);
    if (const std::size_t slash = file.rfind('/'); slash != std::string::npos) file.erase(0, slash + 1);
    observe::Finding f;
    f.kind = observe::FindingKind::runaway;
    f.kernel = m_.launch.kernel->name;
    f.file = most.first;
    f.line = most.second;
    f.block = b.index;
    f.thread = {0, 0, 0};
    f.message = "The kernel was stopped after " + std::to_string(m_.instructions) +
                " warp instructions: it loops without end" +
                (file.empty() ? std::string(".") : " near " + file + ":" + std::to_string(most.second) + ".");
    m_.findings.add(std::move(f));
    m_.stop = m_.attention = true;
    m_.result.ok = false;
  }

  Machine& m_;
  u64 total_, next_ = 0;
  bool reversed_;
  std::vector<std::unique_ptr<Block>> places_, pool_;
  std::vector<u64> slept_;  ///< by place [ns]
  std::size_t free_ = 0;    ///< places
  static std::size_t scheduler_of(const Block& b, u32 warp) {
    return std::size_t{b.sm} * kSchedulers + (b.slot * b.warp_count + warp) % kSchedulers;
  }
  std::vector<u64> per_scheduler_, warps_begun_, snapshot_;
  u64 longest_warp_ = 0;
  u64 note_at_ = kProgressEvery;
  u64 steps_left_ = kMostSteps;  ///< that warps of sampled blocks may still keep
  bool all_wait_ = true;         ///< in this round
  u64 waiting_rounds_ = 0, waiting_since_ = 0, changes_before_ = 0, clock_before_ = 0;
  std::vector<u64> looks_before_;
  u32 sms_ = 1, size_ = 1;  ///< SMs; blocks of a cluster
  Run::Patience patience_ = Run::Patience::full;
  u64 window_ = kWaitingRounds, leap_ = kFirstLeap;
  bool parked_ = false, stood_still_ = false;  ///< now; ever
  bool listening_ = false, looks_at_clock_ = false;
  PolledWords polled_;
  std::optional<Account> account_;
};

/// Divisions, roots and special functions. @return whether it is one.
bool add_sequence(InstructionMix& mix, const Ins& ins, u64 n, bool other_way = false) {
  const Sequence s = sequence_of(ins, other_way);
  if (s.issues <= 1 && s.multiply <= 1) return false;
  mix.integer += s.integer * n;
  mix.adder += s.either * n;
  mix.multiply += s.multiply * n;
  mix.conversion += s.conversion * n;
  mix.special += s.special_cycles() * n / kSpecialCycles;
  mix.fp32 += s.fp32 * n;
  mix.fp64 += s.fp64 * n;
  mix.expanded += static_cast<s64>((s.issues - 1) * n);
  return true;
}

void add_mix(Machine& m) {
  InstructionMix& mix = m.result.mix;
  const std::vector<u64> off = m.straight->off();
  const auto& kernel = m.code.kernels[m.launch.kernel->entry];
  for (u32 f = kernel.first; f < kernel.last; ++f)
    for (u32 pc = m.code.functions[f].entry; pc < m.code.functions[f].end; ++pc) {
      const Ins& i = m.code.instructions[pc];
      if (i.flags & lower::kHidden) continue;
      u64 n = m.executions[i.site];
      mix.warp_instructions += n;
      const u64 nullified = off[pc - m.straight->first()];
      if (nullified != 0 && (i.flags & lower::kMerged) == 0) {
        n += nullified;
        mix.off += nullified;
        mix.off_memory += i.cls == lower::Class::memory ? nullified : 0;
        mix.expanded += static_cast<s64>(nullified);
      }
      if (i.flags & lower::kOncePerTurns) {
        const u64 done = n - n / lower::kTurnsSideBySide;
        mix.expanded -= static_cast<s64>(done);
        n -= done;
      }
      if (i.flags & lower::kMerged) {
        // A way out before the way back stands for the slot behind the loop's branch.
        if (i.op != Op::bra || i.aux > pc) mix.expanded -= static_cast<s64>(n);
        continue;
      }
      if (has_two_ways(i)) {
        const u64 other = m.other_way(i.site, n);
        add_sequence(mix, i, other, true);
        add_sequence(mix, i, n - other);
        continue;
      }
      if (add_sequence(mix, i, n)) continue;
      if (is_either(i)) {
        mix.adder += n;
        continue;
      }
      switch (carried_out_as(i)) {
        case lower::Class::fp32:
          mix.fp32 += is_half_arithmetic(i.op) ? 2 * n : n;
          if (waits_for_operands(i)) mix.bank_waits += n;
          break;
        case lower::Class::fp64:
          mix.fp64 += n;
          break;
        case lower::Class::integer:
          mix.integer += n;
          break;
        case lower::Class::multiply:
          mix.multiply += n;
          break;
        case lower::Class::divide:  // a sequence
          break;
        case lower::Class::special:
          mix.special += n;
          break;
        case lower::Class::conversion:
          mix.conversion += n;
          break;
        case lower::Class::memory:
          mix.memory += n;
          if ((i.flags & lower::kVector) && m.code.memory_ops[i.aux].regrouped)
            mix.expanded += (s64{m.code.memory_ops[i.aux].machine.count} - 1) * static_cast<s64>(n);
          if (is_combined_atomic(m.code, i)) mix.expanded += static_cast<s64>(kCombineIssues * n);
          if (is_fragment_access(i))
            mix.expanded += (s64{m.code.matrix_ops[i.aux2].issues()} - 1) * static_cast<s64>(n);
          break;
        case lower::Class::control:
          mix.control += n;
          // The branch of a loop's turn, and the slot that a scheduler may lose behind it.
          if (i.op == Op::bra && i.aux <= pc && i.imm <= 1) mix.expanded += static_cast<s64>(n);
          if (is_branch_forward(i)) mix.expanded += static_cast<s64>(kBranchForwardIssues * n);
          break;
        case lower::Class::shuffle:
          mix.shuffle += n;
          break;
        case lower::Class::tensor:
          mix.tensor += static_cast<u64>(i.imm) * n;
          break;
        case lower::Class::other:
          mix.other += n;
          break;
      }
    }
}

void number_threads(Machine& m) {
  const observe::Dim3 block = m.launch.block;
  const auto warps = static_cast<u32>((block.count() + 31) / 32);
  m.thread_rows.resize(96 * warps);
  for (u32 t = 0; t < 32 * warps; ++t) {
    u32* row = m.thread_rows.data() + t / 32 * 96 + t % 32;
    row[0] = t % block.x;
    row[32] = t / block.x % block.y;
    row[64] = t / block.x / block.y;
  }
}

void refuse(Machine& m, std::string message, observe::FindingKind kind) {
  observe::Finding f;
  f.kind = kind;
  f.kernel = m.launch.kernel->name;
  f.block = f.thread = {0, 0, 0};
  f.message = std::move(message);
  m.findings.add(std::move(f));
  m.result.ok = false;
}

}  // namespace

struct Run::Impl {
  Impl(Launch l, memory::DeviceMemory& memory, std::vector<observe::Observer*> o, observe::Findings& findings,
       Services s)
      : launch(std::move(l)),
        observers(std::move(o)),
        services(std::move(s)),
        m(launch, memory, observers, findings, services),
        scheduler(m) {}
  ~Impl() {
    if (workspace) m.memory.free(workspace->base);
  }

  bool begin();
  void end();

  Launch launch;
  std::vector<observe::Observer*> observers;
  Services services;
  Machine m;
  KeptRows kept;
  StraightRuns straight;
  std::unique_ptr<Clocks> clocks;
  observe::AccessCost cost;
  Scheduler scheduler;
  const memory::Allocation* workspace = nullptr;
  bool begun = false, ended = false;
};

/// @return false if it is refused.
bool Run::Impl::begin() {
  m.handlers = handlers_of(launch.lanes);
  m.executions.assign(m.code.site_count + 1, 0);
  m.caches.assign(m.code.site_count + 1, SiteCache{});
  m.any_observer = !m.observers.empty();
  m.shared_bytes = launch.kernel->static_shared_bytes + launch.dynamic_shared_bytes;
  m.local_bytes = launch.kernel->local_bytes;
  // Of a recursive kernel ptxas cannot tell the frames.
  m.local_in_registers = launch.frameless && !m.code.kernels[launch.kernel->entry].recursive;
  const u64 threads = launch.block.count(), blocks = launch.grid.count();
  if (threads == 0 || threads > 1024 || blocks == 0) {
    refuse(m, "A block has 1 to 1024 threads and a grid at least one block.", observe::FindingKind::bad_call);
    return false;
  }
  const observe::Dim3 cluster = launch.cluster;
  if (cluster.count() == 0 || cluster.count() > kLargestCluster || launch.grid.x % cluster.x ||
      launch.grid.y % cluster.y || launch.grid.z % cluster.z) {
    refuse(m,
           "A cluster has 1 to 16 blocks, and a grid must be a whole number of clusters in each direction.",
           observe::FindingKind::bad_call);
    return false;
  }
  const auto& reached = m.code.kernels[launch.kernel->entry];
  bool uses_reserved = false;
  for (u32 f = reached.first; f < reached.last; ++f)
    for (u32 pc = m.code.functions[f].entry; pc < m.code.functions[f].end; ++pc) {
      const Op op = m.code.instructions[pc].op;
      m.uses_bulk_stores |= op == Op::bulk_store;
      m.uses_copies |= op >= Op::cp_async && op <= Op::store_async;
      m.uses_async |= op >= Op::cp_async_mbarrier && op <= Op::store_async;
      if (op == Op::special_register) {
        const auto which = static_cast<lower::Special>(m.code.instructions[pc].imm);
        uses_reserved |=
            which >= lower::Special::reserved_smem_begin && which <= lower::Special::reserved_smem_end;
      }
    }
  if (uses_reserved) m.shared_bytes = (m.shared_bytes + 15) / 16 * 16 + lower::kReservedShared;
  if (launch.cooperative && blocks > u64{launch.sm_count} * launch.resident_blocks_per_sm) {
    refuse(m,
           "A cooperative launch of " + std::to_string(blocks) + " blocks does not fit: only " +
               std::to_string(u64{launch.sm_count} * launch.resident_blocks_per_sm) +
               " can be resident at once.",
           observe::FindingKind::bad_call);
    return false;
  }
  const u64 resident = std::min<u64>(blocks, u64{launch.sm_count} * launch.resident_blocks_per_sm);
  if (const u64 local = resident * ((threads + 31) / 32 * 32) * m.local_bytes; local > kMostLocalBytes) {
    refuse(m,
           "The " + std::to_string(m.local_bytes) + " bytes of local memory a thread come to " +
               std::to_string(local >> 30) +
               " GiB for the threads that are resident together; the simulated GPU has " +
               std::to_string(kMostLocalBytes >> 30) +
               " GiB for that. Use smaller arrays, or smaller blocks.",
           observe::FindingKind::stack_overflow);
    return false;
  }
  if (launch.cooperative) {
    workspace = m.memory.allocate(kGridWorkspaceBytes, memory::AllocationKind::global, 256, kGridWorkspace);
    if (workspace) {
      std::memset(workspace->host, 0, kGridWorkspaceBytes);
      m.grid_workspace = workspace->base;
    }
  }
  if (m.any_observer) {
    observe::LaunchInfo info;
    info.kernel = launch.kernel->name;
    info.grid = launch.grid;
    info.block = launch.block;
    info.cluster = launch.cluster;
    info.shared_bytes = m.shared_bytes;
    info.static_shared_bytes = launch.kernel->static_shared_bytes;
    info.reserved_shared_bytes = uses_reserved ? lower::kReservedShared : 0;
    info.shared_variables = launch.kernel->shared_variables;
    info.local_bytes = m.local_bytes;
    info.site_count = static_cast<std::uint32_t>(m.code.site_count);
    info.local_in_registers = m.local_in_registers;
    info.sm_count = launch.sm_count;
    info.resident_blocks_per_sm = launch.resident_blocks_per_sm;
    for (observe::Observer* o : m.observers) o->launch_begin(info);
  }
  number_threads(m);
  if (m.code.kernels[launch.kernel->entry].reads_clock) {
    clocks = std::make_unique<Clocks>(launch);
    m.clocks = clocks.get();
    m.cost = &cost;
  }
  m.prepare_accesses();  // also where nobody looks on yet: who watches waiting warps comes later
  kept.prepare(m);
  m.kept = &kept;
  straight.prepare(m);
  m.straight = &straight;
  scheduler.begin();
  return true;
}

void Run::Impl::end() {
  ended = true;
  m.result.max_warp_instructions_per_scheduler = scheduler.most_instructions();
  m.result.max_warp_instructions = scheduler.longest_warp();
  if (clocks) m.result.clock_cycles = clocks->longest_shown + static_cast<double>(m.clock_ahead);
  straight.add_to(m.executions, m.code);
  for (observe::Observer* o : observers) o->launch_end();
  if (workspace) m.memory.free(workspace->base);
  workspace = nullptr;
  add_mix(m);
  m.executions.resize(m.code.site_count);
  m.result.site_executions = std::move(m.executions);
}

Run::Run(Launch launch, memory::DeviceMemory& memory, std::vector<observe::Observer*> observers,
         observe::Findings& findings, Services services)
    : impl_(std::make_unique<Impl>(std::move(launch), memory, std::move(observers), findings,
                                   std::move(services))) {}
Run::~Run() = default;

Run::State Run::go_on(Patience patience) {
  Impl& impl = *impl_;
  Machine& m = impl.m;
  if (impl.ended) return State::ended;
  if (!std::exchange(impl.begun, true)) {
    if (!impl.begin()) {
      impl.ended = true;
      return State::ended;
    }
  } else {
    // Meanwhile memory may have come and gone.
    for (SiteCache& cache : m.caches) cache.forget_allocation();
    if (patience == Patience::brief) impl.scheduler.forget_waiting();
  }
  try {
    if (impl.scheduler.go_on(patience) == State::waiting) return State::waiting;
  } catch (const std::bad_alloc&) {
    refuse(m, "This machine has too little memory for the launch: run fewer or smaller blocks.",
           observe::FindingKind::stack_overflow);
  }
  impl.end();
  return State::ended;
}

bool Run::may_go_on() const {
  return !impl_->ended && impl_->scheduler.seen_a_change();
}

bool Run::looks_at_memory() const {
  return impl_->scheduler.looks_at_memory();
}

void Run::give_up(const std::string& more, bool warning) {
  if (impl_->ended) return;
  impl_->scheduler.report_waiting(more, warning);
  impl_->end();
}

std::vector<std::uint32_t> Run::resident_blocks() const {
  return impl_->scheduler.resident();
}

bool Run::looks_at_clock() const {
  return impl_->scheduler.looks_at_clock();
}

void Run::leap(std::uint64_t cycles) {
  impl_->m.clock_ahead += cycles;
}

std::uint64_t Run::cycles_leapt() const {
  return impl_->m.clock_ahead;
}

std::pair<std::string, std::uint32_t> Run::place() const {
  return impl_->scheduler.place();
}

std::uint64_t Run::instructions() const {
  return impl_->m.instructions;
}

Result Run::take_result() {
  return std::move(impl_->m.result);
}

Result run(const Launch& launch, memory::DeviceMemory& memory,
           const std::vector<observe::Observer*>& observers, observe::Findings& findings,
           const Services& services) {
  Run whole(launch, memory, observers, findings, services);
  if (whole.go_on(Run::Patience::full) == Run::State::waiting) whole.give_up({});
  return whole.take_result();
}

}  // namespace simgpu::exec
