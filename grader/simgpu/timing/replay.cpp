/// @file
/// See replay.hpp. A scheduler serves a warp when its operands are there and its unit has room: of the oldest block that has such warps the one
/// that it has not served for longest. What all schedulers share is a queue with one server.
#include "simgpu/timing/replay.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>

#include "simgpu/timing/earliest.hpp"
#include "simgpu/timing/model.hpp"
#include "simgpu/timing/units.hpp"

namespace simgpu::timing {
namespace {

using exec::Step;
using exec::Unit;

constexpr std::uint64_t kMostReplayed = 60'000;  // steps, about
using exec::kSchedulers;
/// Fences of an SM follow each other, each after this part of what one takes ("meeting at ..." of tests/ladders/rows.cu, 1 to 32 warps of an H100).
constexpr double kFenceTurn = 0.02;
/// A barrier holds back what comes behind it in the text, but arithmetic: that goes on until the warp comes to something else. (Eight multiply-adds that
/// need one another take a warp of an H100 39 cycles a turn, with a barrier among them or without; a barrier after a barrier 12 more.)
bool goes_on_behind_barrier(const Step& s) {
  return s.issues == 0 || exec::is_arithmetic(s);
}

/// Of a load's executions: those that wait for the L2 or beyond; for DRAM.
struct Shares {
  double l1 = 0, l2 = 0;
};

double part_of(double x) {
  return x - std::floor(x);
}

/// Of each sampled block's warps: is_steady.
using Steady = std::vector<std::vector<bool>>;
/// Of each sampled block's warps: steps that are replayed, if they are others than those that were kept, or 0.
using Lengths = std::vector<std::vector<std::uint64_t>>;

/// Has a warp of which only the first steps were kept come to a loop's turns that are all alike? What its last quarter does, it has done before. (A
/// turn that is unrolled may be longer than a quarter.)
bool is_steady(const exec::WarpTrace& warp) {
  if (warp.instructions <= warp.steps.size()) return false;
  const std::size_t last = warp.steps.size() * 3 / 4;
  const auto sites = [&](std::size_t begin, std::size_t end) {
    std::vector<std::uint32_t> found;
    for (std::size_t n = begin; n < end; ++n) found.push_back(warp.steps[n].site);
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
  };
  const std::vector<std::uint32_t> before = sites(0, last), now = sites(last, warp.steps.size());
  std::vector<std::uint32_t> again;
  std::set_intersection(before.begin(), before.end(), now.begin(), now.end(), std::back_inserter(again));
  return 20 * again.size() >= 19 * now.size();
}

/// Where data decide how often a warp takes its loop's turns, those of a block end one after the other, and the last are by themselves. The kept
/// steps tell nothing of it: all have as many. So some end sooner, and others take the second half of them again, all together as many as before.
Lengths lengths_of(const Replay& in, const Steady& steady, std::uint64_t kept, std::uint64_t executed) {
  constexpr double kUneven = 1.2;  // the longest, against the mean
  Lengths lengths;
  std::uint64_t longest = 0, warps = 0;
  for (std::size_t b = 0; b < in.blocks.size(); ++b) {
    lengths.emplace_back();
    for (std::size_t n = 0; n < in.blocks[b]->warps.size(); ++n) {
      const exec::WarpTrace& w = in.blocks[b]->warps[n];
      const auto meets = [](const Step& s) { return s.unit == Unit::barrier; };
      if (!steady[b][n] || std::any_of(w.steps.begin(), w.steps.end(), meets)) return {};
      const double part = static_cast<double>(w.instructions) / static_cast<double>(executed);
      lengths.back().push_back(
          std::max<std::uint64_t>(1, static_cast<std::uint64_t>(part * static_cast<double>(kept))));
      longest = std::max(longest, w.instructions), ++warps;
    }
  }
  const bool uneven = static_cast<double>(longest * warps) > kUneven * static_cast<double>(executed);
  return uneven ? lengths : Lengths{};
}

/// Units on the two sides of a scheduler: what one side has is a cycle later for the other (ptxas' stall counts: four cycles, and five).
enum class Side : std::uint8_t { none, integers, products };
Side side_of(Unit unit) {
  switch (unit) {
    case Unit::integer:
      return Side::integers;
    case Unit::fp32:
    case Unit::multiply:
    case Unit::adder:
      return Side::products;
    default:
      return Side::none;
  }
}
/// When a step's result is there, and where it comes from.
struct Done {
  double time = 0;
  Side side = Side::none;
};

struct Warp {
  const Step* at = nullptr;
  const Step* end = nullptr;
  const exec::WarpTrace* trace = nullptr;
  const Step* half = nullptr;  ///< of the steps that were kept
  double began = 0, half_way = 0;
  bool goes_on = false;  ///< it has executed more than was kept, like its second half
  const Step* again =
      nullptr;  ///< where its second half begins; nullptr: it ends with the last step that was kept
  std::uint64_t left = 0, length = 0;  ///< steps of it until it ends, if there is an `again`; and in all
  std::uint32_t place = 0, scheduler = 0;
  double first = 0;                  // when the first of its step's machine instructions was issued
  std::uint32_t parts = 0;           // ... and how many of them were
  std::uint64_t served = 0;          // when its scheduler served it last
  const Step* at_barrier = nullptr;  // that it has come to, and that its block has not met at yet
  bool stands = false;               // ... since what comes next waits for that
  double released = 0;               // when the block had met at the latest
  double accepted = 0;        // when the load-store unit takes its latest access: a warp does not end before
  std::vector<Done> done;     // by number of the step
  std::vector<Shares> carry;  // by load with shares: what the next execution adds to
};

struct Place {
  double began = 0;
  std::uint64_t order = 0;  // of its block among all: older ones go first
  std::uint32_t alive = 0, arrived = 0;
  double met = 0;
};

/// Which of the sampled blocks is the n-th. They lie all over the grid in its order: neighbours may be long or short together, so they are taken from all
/// over it.
std::size_t block_at(const Replay& in, std::uint64_t n) {
  const std::uint64_t size = in.blocks.size();
  std::uint64_t step = std::max<std::uint64_t>(1, size * 5 / 13);
  while (std::gcd(step, size) != 1) ++step;
  return static_cast<std::size_t>(n * step % size);
}

class Sm {
 public:
  /// @param shared false: every warp has an SM of its own.
  Sm(const Replay& in, const Steady& steady, const Lengths& lengths, bool shared)
      : in_(in), steady_(steady), lengths_(lengths), shared_(shared), drawn_(in.sites.size(), kNever) {
    for (const exec::BlockTrace* b : in.blocks)
      warps_per_block_ = std::max(warps_per_block_, b->warps.size());
    warps_.resize(warps_per_block_ * in.resident);
    for (std::size_t n = 0; n < in.sites.size(); ++n)
      if (const double l1 = in.sites[n].beyond_l1, l2 = in.sites[n].beyond_l2;
          (l1 > 0 && l1 < 1) || (l2 > 0 && l2 < 1)) {
        drawn_[n] = static_cast<std::uint32_t>(shares_.size());
        shares_.push_back({l1, l2});
      }
    places_.resize(in.resident);
  }

  /// @param count blocks. @return when all of them have ended.
  double run(std::uint64_t count) {
    left_ = count;
    total_ = count;
    schedulers_.resize(shared_ ? kSchedulers : warps_.size());
    queue_ = Earliest(schedulers_.size());
    for (std::uint32_t p = 0; p < in_.resident && left_ > 0; ++p) start(p, 0);
    for (;;) {
      for (const std::uint32_t k : changed_) {
        schedulers_[k].changed = false;
        choose(k);
      }
      changed_.clear();
      if (queue_.empty()) break;
      const Earliest::Entry e = queue_.top();
      serve(e.number, e.time);
    }
    return last_;
  }

  /// How long one more block takes: as long as the SM is full. The last blocks have it for themselves, and before the first one has ended they go in step.
  double each() const {
    const Progress from = 4 * first_end_.steps < 3 * last_start_.steps ? first_end_ : Progress{};
    const double steps = static_cast<double>(last_start_.steps - from.steps);
    if (steps <= 0) return last_ / static_cast<double>(total_);
    return (last_start_.time - from.time) / steps * static_cast<double>(steps_) / static_cast<double>(total_);
  }

  /// How long one of @p instructions takes, more than any that was replayed, if it goes on as the longest of those does.
  double longest(double instructions) const {
    return longest_.cycles + std::max(0.0, instructions - longest_.instructions) * longest_.each;
  }

  /// How long the second half of a warp's steps takes, by the mean of both.
  double later_half() const { return all_steps_ > 0 ? 2 * later_steps_ / all_steps_ : 1; }

 private:
  static constexpr std::uint32_t kNever = ~0u;
  /// @return when a unit that is free from @p free on begins with what comes at @p time and keeps it busy for so long.
  double take(double& free, double time, double cycles) const {
    if (!shared_) return time;
    const double begin = std::max(time, free);
    free = begin + cycles;
    return begin;
  }

  /// A warp that has come to its next step, or will.
  struct Waiting {
    std::uint64_t order = 0, served = 0;  ///< of its block among all; when its scheduler served it last
    double ready = 0;                     ///< its step's operands are there
    const Step* step = nullptr;
    std::uint32_t warp = 0;
    bool goes_before(const Waiting& other) const {
      return order != other.order ? order < other.order : served < other.served;
    }
  };
  struct Scheduler {
    std::vector<Waiting> issue;  ///< ... that takes a slot; who goes first stands first
    std::vector<Waiting> pass;   ///< ... that takes none
    double free = 0;             ///< its next slot
    Units units;
    std::uint32_t last = kNever;  ///< the warp that it served last
    bool changed = false;         ///< it is among changed_
    Waiting next;
  };
  /// Where a warp that has come to a step stands, by whether its scheduler chooses when it is served.
  std::vector<Waiting>& line_for(Scheduler& k, const Step& s) const {
    return shared_ && s.issues > 0 && s.unit != Unit::barrier ? k.issue : k.pass;
  }
  void wait(Scheduler& k, const Waiting& who) const {
    std::vector<Waiting>& line = line_for(k, *who.step);
    auto at = line.end();
    while (at != line.begin() && who.goes_before(*std::prev(at))) --at;
    line.insert(at, who);
  }
  static void leave(std::vector<Waiting>& line, std::uint32_t warp) {
    line.erase(std::find_if(line.begin(), line.end(), [&](const Waiting& w) { return w.warp == warp; }));
  }

  /// Whom a scheduler serves next, and when: of those that can be served first the warp that it served last, as long as that multiplies in every cycle;
  /// of the oldest block; not served for longest.
  void choose(std::uint32_t number) {
    Scheduler& k = schedulers_[number];
    double best = std::numeric_limits<double>::infinity();
    const Waiting* chosen = nullptr;
    const auto whole = [](double time) { return static_cast<double>(static_cast<std::int64_t>(time + 0.5)); };
    const auto served_at = [&](const Waiting& w) {
      return whole(std::max({w.ready, k.free, k.units.room(*w.step, in_)}));
    };
    if (k.last != kNever && warps_[k.last].at != nullptr && warps_[k.last].at->unit == Unit::fp32)
      for (const Waiting& w : k.issue)
        if (w.warp == k.last && w.ready <= k.free) {
          best = served_at(w);
          chosen = &w;
        }
    const bool goes_on = chosen != nullptr;
    const double slot = whole(k.free);  // nobody can be served before
    for (const Waiting& w : k.issue) {
      if (best <= slot) break;
      if (w.ready + 0.5 >= best) continue;  // neither can its whole cycle be before
      if (const double at = served_at(w); at < best) best = at, chosen = &w;
    }
    for (const Waiting& w : k.pass)
      if (w.ready < best || (w.ready == best && !goes_on && w.goes_before(*chosen)))
        best = w.ready, chosen = &w;
    if (chosen == nullptr) return queue_.remove(number);
    k.next = *chosen;
    queue_.push({best, number});
  }

  void start(std::uint32_t p, double time) {
    const std::uint64_t order = total_ - left_;
    const std::size_t which = block_at(in_, order);
    const exec::BlockTrace& block = *in_.blocks[which];
    --left_;
    time = std::max(time, next_start_);
    if (shared_) next_start_ = time + (order < in_.resident ? in_.first_interval : in_.start_interval);
    places_[p] = {};
    places_[p].began = time;
    places_[p].order = order;
    for (std::uint32_t n = 0; n < block.warps.size(); ++n) {
      if (block.warps[n].steps.empty()) continue;
      const std::uint32_t index = static_cast<std::uint32_t>(p * warps_per_block_ + n);
      Warp& w = warps_[index];
      w.trace = &block.warps[n];
      w.at = w.trace->steps.data();
      w.end = w.at + block.warps[n].steps.size();
      w.half = w.at + block.warps[n].steps.size() / 2;
      w.began = w.half_way = time;
      w.goes_on = steady_[which][n];
      w.again = lengths_.empty() ? nullptr : w.half;
      w.left = lengths_.empty() ? 0 : lengths_[which][n];
      w.length = lengths_.empty() ? w.trace->steps.size() : w.left;
      w.place = p;
      w.scheduler = shared_ ? index % kSchedulers : index;
      w.served = 0;
      w.at_barrier = nullptr;
      w.stands = false;
      w.released = 0;
      w.carry.clear();
      for (const Shares& s : shares_)
        w.carry.push_back(
            {part_of(static_cast<double>(order) * s.l1), part_of(static_cast<double>(order) * s.l2)});
      w.accepted = 0;
      w.done.assign(block.warps[n].steps.size() + 1, Done{});
      ++places_[p].alive;
      come(index, time);
    }
  }

  void meet(std::uint32_t p) {
    Place& place = places_[p];
    if (place.arrived == 0 || place.arrived < place.alive) return;
    place.arrived = 0;
    take(barriers_, place.met, in_.barrier_of_block_cycles);
    take(load_store_, place.met,
         in_.barrier_met_cycles * static_cast<double>(std::min<std::size_t>(kSchedulers, warps_per_block_)));
    for (std::uint32_t n = 0; n < warps_per_block_; ++n) {
      const std::uint32_t index = static_cast<std::uint32_t>(p * warps_per_block_ + n);
      Warp& w = warps_[index];
      if (w.at == nullptr || w.at_barrier == nullptr) continue;
      w.released = place.met + w.at_barrier->latency;
      w.at_barrier = nullptr;
      if (!w.stands) continue;
      w.stands = false;
      if (w.at == w.end)
        finish(index, w.released);
      else
        come(index, w.released);
    }
    place.met = 0;
  }

  void note_longest(const Warp& w, double time) {
    const auto kept = static_cast<double>(w.trace->steps.size()), length = static_cast<double>(w.length);
    const double all = time - w.began, later = w.half == nullptr ? time - w.half_way : 0;
    longest_ = {static_cast<double>(w.trace->instructions), length, all,
                length > kept / 2 && later > 0 ? later / (length - kept / 2) : all / std::max(1.0, length)};
  }

  void finish(std::uint32_t index, double time) {
    Warp& w = warps_[index];
    Place& place = places_[w.place];
    time = std::max({time, w.accepted, place.began + in_.shortest_block});
    w.at = nullptr;
    if (static_cast<double>(w.trace->instructions) > longest_.of) note_longest(w, time);
    if (w.goes_on) {
      all_steps_ += time - w.began;
      later_steps_ += time - w.half_way;
    }
    last_ = std::max(last_, time);
    if (--place.alive > 0) {
      meet(w.place);
      return;
    }
    if (++ended_ == 1) first_end_ = {time, steps_};
    if (left_ == 1) last_start_ = {time, steps_};
    if (left_ > 0) start(w.place, time + in_.turnover);
  }

  /// Some executions of a load wait, by its site's shares. A warp's are those at the same places in all warps of its block: they come together to what
  /// was not there yet, and where one waits, all do at the next barrier. Blocks begin at different places.
  static bool draw(double& carry, double share) {
    carry += share;
    if (carry < 1 - 1e-9) return false;
    carry -= 1;
    return true;
  }

  double memory_latency(Warp& w, const Step& s, const SiteCost& cost) {
    const std::uint32_t drawn = s.site < drawn_.size() ? drawn_[s.site] : kNever;
    bool far = cost.beyond_l2 >= 1, beyond = cost.beyond_l1 >= 1;
    if (drawn != kNever) {
      far = draw(w.carry[drawn].l2, cost.beyond_l2);
      beyond = draw(w.carry[drawn].l1, cost.beyond_l1);
    }
    const double dram = in_.dram_latency + cost.of_host * (in_.host_latency - in_.dram_latency);
    return s.latency + cost.look_back + (far ? dram : beyond ? in_.l2_latency : in_.l1_latency);
  }

  /// The warp has its turn for its next step from @p now on.
  void come(std::uint32_t index, double now) {
    Warp& w = warps_[index];
    const Step& s = *w.at;
    if (!goes_on_behind_barrier(s)) {
      if (w.at_barrier != nullptr) {
        w.stands = true;
        return;
      }
      now = std::max(now, w.released);
    }
    const Side side = side_of(s.unit);
    for (const std::uint32_t n : s.after) {
      if (n == 0) continue;
      const Side from = w.done[n].side;
      const bool crosses = side != Side::none && from != Side::none && from != side;
      now = std::max(now, w.done[n].time + s.behind + (crosses ? 1 : 0));
    }
    w.parts = 0;
    wait(schedulers_[w.scheduler], {places_[w.place].order, w.served, now, &s, index});
    change(w.scheduler);
  }

  /// The scheduler has to choose anew before anybody is served.
  void change(std::uint32_t number) {
    if (!std::exchange(schedulers_[number].changed, true)) changed_.push_back(number);
  }

  /// It comes to a barrier.
  void arrive(std::uint32_t index, double now) {
    Warp& w = warps_[index];
    Place& place = places_[w.place];
    ++place.arrived;
    place.met = std::max(place.met, take(barriers_, now, in_.barrier_cycles) + in_.barrier_cycles);
    w.at_barrier = w.at++;
    const bool last = w.at == w.end;
    w.stands = last;
    meet(w.place);
    if (!last) come(index, now);  // by now the place of one that is at its end may be another block's
  }

  /// Slots that a scheduler loses behind one of a step's machine instructions. @param part which of them
  static double lost_behind(const Step& s, std::uint32_t part) {
    if (s.turns_back) return kBehindBranch;
    return s.unit == Unit::special && part == 0 && s.issues <= kApproximateIssues ? kBehindSpecial : 0;
  }

  /// A scheduler's next machine instruction, at the time that was found.
  void serve(std::uint32_t number, double at) {
    Scheduler& k = schedulers_[number];
    const std::uint32_t index = k.next.warp;
    Warp& w = warps_[index];
    const Step& s = *w.at;
    change(number);
    leave(line_for(k, s), index);
    if (s.unit == Unit::barrier) return arrive(index, at);
    if (w.parts == 0) w.first = at;
    if (s.issues > 0) {
      occupy(k.free, at, 1 + lost_behind(s, w.parts));
      k.last = index;
      w.served = ++turns_;
      if (shared_) k.units.keep_busy(s, at, in_);
      if (++w.parts < s.issues) return wait(k, {k.next.order, w.served, at + 1, &s, index});
    }
    go_on(index, complete(w, s, at));
  }

  /// All of a step's machine instructions are issued, the last at @p at. @return when its warp comes to the next.
  double complete(Warp& w, const Step& s, double at) {
    static const SiteCost kOther;
    ++steps_;
    double done = std::max(w.first + s.latency, at + std::min<double>(s.latency, 4));
    double next = at;
    const SiteCost& cost = s.site < in_.sites.size() ? in_.sites[s.site] : kOther;
    switch (s.unit) {
      case Unit::shuffle: {
        w.accepted = take(load_store_, at, std::max<double>(1, s.keeps));
        done = w.accepted + s.latency;
        break;
      }
      case Unit::shared:
      case Unit::load:
      case Unit::store: {
        const double cycles =
            s.keeps +
            (s.unit == Unit::shared
                 ? cost.wavefronts
                 : std::max(cost.wavefronts + line_cycles_of(cost.line, cost.lines, cost.wavefronts),
                            cost.tags));
        w.accepted = take(load_store_, at, cycles);
        done = w.accepted + std::max(0.0, cycles - 1) +
               (s.unit == Unit::load    ? memory_latency(w, s, cost)
                : s.unit == Unit::store ? in_.l2_latency  // a fence waits until the L2 has it
                                        : s.latency);
        if (cost.remote > 0) {
          w.accepted = take(remote_, w.accepted, cost.remote) + cost.remote;
          done = w.accepted + in_.remote_latency + cost.remote_wait;
          if (cost.remote_loop) next = done;
        }
        break;
      }
      case Unit::fence: {
        w.accepted = take(fences_, at, kFenceTurn * in_.fence_cycles);
        const double stored = s.after[0] != 0 ? std::min(in_.l2_latency, in_.fence_cycles) : 0;
        next = w.accepted + in_.fence_cycles - stored;  // what was stored has been waited for
        break;
      }
      case Unit::asynchronous:
        next += in_.copy_latency;
        break;
      default:
        break;
    }
    w.done[s.number] = {done, side_of(s.unit)};
    return next + (s.issues > 0 ? 1 : 0) + s.pause;
  }

  /// To its next step, or to its end.
  void go_on(std::uint32_t index, double now) {
    Warp& w = warps_[index];
    if (w.half != nullptr && w.at >= w.half) {
      w.half_way = now;
      w.half = nullptr;
    }
    ++w.at;
    if (w.again != nullptr) {
      if (--w.left == 0) return finish(index, std::max(now, w.released));
      if (w.at == w.end) w.at = w.again;
    } else if (w.at == w.end) {
      if (w.at_barrier != nullptr)
        w.stands = true;
      else
        finish(index, std::max(now, w.released));
      return;
    }
    come(index, now);
  }

  const Replay& in_;
  const Steady& steady_;
  const Lengths& lengths_;
  bool shared_;
  std::size_t warps_per_block_ = 0;
  std::vector<Warp> warps_;
  std::vector<Place> places_;
  Earliest queue_{0};                   // of schedulers
  std::vector<Scheduler> schedulers_;   ///< where nobody stands in another's way, each warp has its own
  std::vector<std::uint32_t> changed_;  ///< schedulers that have to choose anew
  std::uint64_t turns_ = 0;
  double load_store_ = 0, barriers_ = 0, fences_ = 0, remote_ = 0, next_start_ = 0, last_ = 0;
  double all_steps_ = 0, later_steps_ = 0;
  struct Progress {
    double time = 0;
    std::uint64_t steps = 0;
  } first_end_, last_start_;  ///< of blocks
  std::uint64_t steps_ = 0;
  /// Of those that have ended, the warp with the most instructions.
  struct Longest {
    double of = 0;            ///< all that it executed
    double instructions = 0;  ///< ... of which were replayed
    double cycles = 0;        ///< that these took
    double each = 0;          ///< and one of the second half of them
  } longest_;
  std::vector<std::uint32_t>
      drawn_;  // by site: its place in shares_; kNever: all of its executions wait alike
  std::vector<Shares> shares_;
  std::uint64_t left_ = 0, total_ = 0, ended_ = 0;
};

}  // namespace

Replayed replay(const Replay& input) {
  if (input.blocks.empty() || input.blocks_per_sm == 0) return {};
  std::uint64_t kept = 0, executed = 0, longest_kept = 0, longest_executed = 0;
  Steady steady;
  for (const exec::BlockTrace* b : input.blocks) {
    steady.emplace_back();
    std::uint64_t of_longest = 0, longest = 0;
    for (const exec::WarpTrace& w : b->warps) {
      steady.back().push_back(is_steady(w));
      std::uint64_t of_warp = 0;
      for (const exec::Step& s : w.steps) of_warp += s.extra ? 0 : 1;
      kept += of_warp;
      executed += w.instructions;
      if (w.instructions > longest) longest = w.instructions, of_longest = of_warp;
    }
    longest_kept += of_longest;
    longest_executed += longest;
  }
  const std::uint64_t steps = kept / input.blocks.size();
  if (steps == 0) return {};
  // Whole waves of those that are resident together, and two at least: blocks begin in the places of others while the SM is full.
  const std::uint64_t waves = 2 * std::uint64_t{std::max(1u, input.resident)};
  const std::uint64_t affordable = (kMostReplayed / steps + waves - 1) / waves * waves;
  const std::uint64_t count = std::min(input.blocks_per_sm, std::max(affordable, waves));
  // Only the beginning of long warps was kept: the rest goes on like its second half, where what comes before a loop is over by then. Units have all
  // warps' work to do; who waits for nobody's unit waits for the longest warp of a block, though the others may have done little.
  const auto ratio = [](std::uint64_t all, std::uint64_t some) {
    return std::max(1.0, static_cast<double>(all) / static_cast<double>(std::max<std::uint64_t>(1, some)));
  };
  const Lengths lengths = lengths_of(input, steady, kept, executed);
  const double longer = ratio(executed, kept);
  const double longest = lengths.empty() ? ratio(longest_executed, longest_kept) : longer;
  // Where data decide how long a block is, those that are replayed may be longer or shorter than all are.
  double replayed = 0;
  for (std::uint64_t n = 0; n < count; ++n)
    for (const exec::WarpTrace& w : input.blocks[block_at(input, n)]->warps)
      replayed += static_cast<double>(w.instructions);
  const double of_all = input.instructions_per_block * static_cast<double>(count);
  const double correct = of_all > 0 && replayed > 0 ? std::clamp(of_all / replayed, 0.4, 2.5) : 1;
  struct Cycles {
    double kept;          // of the steps that were kept
    double later;         // of the second half of a warp's, by the mean of both
    double longest_warp;  // of the launch, from its beginning to its end
  };
  const auto cycles = [&](bool shared) {
    Sm sm(input, steady, lengths, shared);
    const double all = sm.run(count);
    const double more = static_cast<double>(input.blocks_per_sm - count);
    return Cycles{correct * (all + (more > 0 ? sm.each() * more : 0)), sm.later_half(),
                  sm.longest(input.longest_warp)};
  };
  // How a warp's second half goes on is seen where it waits for nobody: elsewhere blocks that came later stand until others have ended.
  const Cycles together = cycles(true), alone = cycles(false);
  const double beyond = together.kept * (longer - 1) * alone.later;
  const double alone_beyond = alone.kept * (longest - 1) * alone.later;
  return {std::max(together.kept + std::max(beyond, alone_beyond), alone.longest_warp),
          std::max(alone.kept + alone_beyond, alone.longest_warp)};
}

}  // namespace simgpu::timing
