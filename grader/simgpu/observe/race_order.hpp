/// @file
/// Which of two accesses comes first for certain: the part of race detection that knows barriers, fences and flags.
///
/// Time is a counter of synchronising events. Every warp has a clock: the time of the last event that some of its lanes took
/// part in. An *actor* is a warp between two of its events; accesses are remembered by actor and lane. What they did comes
/// before what a thread does now if the thread *knows* them until a later time (race_knowledge.hpp). Knowledge is passed on
///
/// - by a barrier to those who wait there, from those who arrive: of a block or of some of its threads, of a cluster, an
///   mbarrier, and `__syncwarp()` for the lanes of its mask. Shuffles and votes pass on nothing of what the lanes did
///   themselves, only what they have learnt of others: cooperative groups let one lane acquire and then shuffle;
/// - by a word of memory: from a thread that executes a fence and then a strong write (atomic, volatile, relaxed), or a
///   release, to one that reads that word by a strong read and then executes a fence, or by an acquire. Each of the four has a
///   scope, and no order comes about unless each scope holds both threads;
/// - by the copy engine: what a bulk copy did is known to who has waited for it, at its mbarrier or for its group.
///
/// Barriers do a little more than the memory model says: a fence before a barrier counts for a flag that another thread
/// writes after it, and so on the reader's side. Hardware does it, and many programs are written like this.
///
/// One thing more is in order: a write that comes after somebody's *read* was signalled by a strong store without a fence,
/// with a barrier of the reader's block between the read and the store. By then the value has been used (the signal mostly
/// depends on it), and no hardware gives a load that has returned a later value. The decoupled look-back of CUB and Thrust
/// compacts in place by this.
///
/// And one for the toolkit's own libraries, in the shared memory that is reserved for them: a lane's write comes after a read by
/// another lane of its warp if both have met at a shuffle or a vote in between. The collectives of cooperative groups' tiles of more
/// than 32 threads are built on this (all lanes take the last result from their warp's slot, sum up the next by shuffles, and write
/// it there); a warp's requests to shared memory are served in the order in which they were issued, so the read is over. Memory of
/// the program's own has no such rule: nothing keeps the compiler from moving a plain load behind a shuffle there.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "simgpu/observe/observer.hpp"
#include "simgpu/observe/race_knowledge.hpp"

namespace simgpu::observe {

/// A warp between two of its synchronising events; or a bulk copy. Stores that warp w began are of warp kCopies + w, loads of
/// kLoads, where lanes stand for the mbarriers on which they complete.
struct Actor {
  std::uint32_t block = 0;
  std::uint32_t warp = 0;
  Time clock = 0;
};
inline constexpr std::uint32_t kLoads = 64;

/// How an access stands to an earlier one.
enum class Relation : std::uint8_t {
  ordered,
  presumed,  ///< in order by all appearances, but the memory model promises it only if a fence follows the reader's atomic
  racing,
};

/// Scopes that order device threads differently: block, cluster, device.
inline constexpr std::size_t kScopes = 3;

/// What some threads know, beside what the last barrier of their block and sync of their warp tell them.
struct View {
  /// What was known at a thread's last fence: what its flags pass on.
  struct Fenced {
    Known knows;
    Time barrier = 0, sync = 0,
         self = 0;      ///< the block's and the warp's last one before it; the fence itself
    bool used = false;  ///< a strong write has come after it
    bool any() const noexcept { return knows || self != 0; }
  };
  Known knows;
  Known presumed;  ///< see Relation
  Known over;      ///< reads that are over, see above
  Known
      met;  ///< what was done before a relaxed arrival at a meeting: over, but nothing says that its effects are seen
  std::array<Known, kScopes> seen;     ///< seen in a flag: known as soon as a fence of that scope follows
  std::array<Fenced, kScopes> fenced;  ///< by scope; a wider one is also a narrower one
  Known last_seen;                     ///< the flag's that was looked at last: mostly the same again

  bool empty() const noexcept;
  void join(const View& other);
};

/// Lanes of a warp with one view.
struct LaneGroup {
  std::uint32_t lanes = kAllLanes;
  View view;
};

/// Lanes that have met at a shuffle or a vote.
struct LanesMet {
  std::uint32_t lanes = 0;
  Time until = 0;
};

/// A resident warp.
struct WarpClock {
  Time clock = 0;
  Time synced = 0;                  ///< what its lanes did before comes before what they do now
  std::uint32_t actor = 0;          ///< 0: none for this clock yet
  std::vector<LaneGroup> groups;    ///< share out all lanes; none: no lane has a view
  bool took_reserved = false;       ///< has read reserved shared memory, and not met as a whole since
  std::vector<LanesMet> exchanges;  ///< behind such reads, the latest of each set of lanes
};

/// Threads that meet, and go on at different times.
struct Meeting {
  View coming;                           ///< of those that have arrived in this phase
  View ended;                            ///< of those that had in the last one
  std::vector<Knowledge::Entry> copies;  ///< that complete in this phase
};

/// A resident block.
struct BlockClock {
  std::uint32_t block = 0, cluster = 0;
  Time last_barrier = 0;
  bool partial =
      false;  ///< anything but barriers of all its threads and syncs of whole warps has ordered some of it
  bool aware = false;    ///< some lane has a view
  bool changed = false;  ///< ... that it did not take from the last barrier, like all the others
  std::vector<WarpClock> warps;
  std::unordered_map<std::uint32_t, View> arrived;       ///< at its barriers, by number, without waiting
  std::unordered_map<std::uint32_t, Meeting> mbarriers;  ///< by offset in its shared memory
  std::unordered_map<std::uint32_t, std::vector<Time>>
      groups;  ///< of bulk stores, by thread: when each was closed
};

/// The clocks of a launch.
class RaceOrder {
 public:
  /// Forgets everything: what was before the launch is ordered.
  /// @return false if actor numbers start anew, so that remembered ones mean nothing any more.
  bool begin_launch();
  void begin_block(BlockClock& block, std::uint64_t block_linear, std::uint32_t cluster, std::uint32_t warps);

  /// All threads of the block meet.
  void barrier(BlockClock& block);
  /// So do some; those that have only arrived at this barrier are told by barrier_arrive() before.
  void partial_barrier(BlockClock& block, std::uint32_t id, const BarrierPart* parts, std::size_t count);
  void barrier_arrive(BlockClock& block, std::uint32_t warp, std::uint32_t lanes, std::uint32_t id);
  void warp_sync(BlockClock& block, std::uint32_t warp, std::uint32_t lanes);
  void warp_exchange(BlockClock& block, std::uint32_t warp, std::uint32_t lanes);
  void fence(BlockClock& block, std::uint32_t warp, std::uint32_t lanes, Scope scope);

  /// A fence that shows ordinary writes to global memory to the copy engine: those of these lanes, and those that they know of.
  void proxy_fence(BlockClock& block, std::uint32_t warp, std::uint32_t lanes);
  bool is_shown_to_copies(std::uint32_t actor, std::uint32_t lane) const noexcept {
    const Actor& a = at(actor);
    return shown_to_copies_ && (shown_to_copies_->lanes(a.block, a.warp, a.clock) >> lane & 1);
  }

  /// An atomic, volatile or otherwise strong access of lanes to one word.
  struct Strong {
    std::uint64_t word = 0;
    bool reads = false;  ///< sees what the word holds
    bool writes = false;
    bool replaces = false;  ///< a store: what the word passed on before is gone
    bool signals = false;   ///< says that reads are over
    bool by_this = false;   ///< what its lanes have behind a fence was announced by this very access
    Ordering ordering = Ordering::relaxed;
    Scope scope = Scope::gpu;
  };
  void strong(BlockClock& block, std::uint32_t warp, std::uint32_t lanes, const Strong& access);
  /// So many flags have been raised in this launch that all words count as one: strong() may be called once for all.
  bool crowded() const noexcept;
  /// @return whether strong() can do anything at present, for a warp of this block.
  bool anything_to_pass_on(const BlockClock& block) const noexcept { return !flags_.empty() || block.aware; }

  /// Lanes arrive where others will learn of what they did. @param coming what those who have arrived pass on
  void arrive(View& coming, BlockClock& block, std::uint32_t warp, std::uint32_t lanes);
  /// They pass on only what their last fence of this scope covers.
  void arrive_relaxed(View& coming, BlockClock& block, std::uint32_t warp, std::uint32_t lanes, Scope scope);
  void end_phase(Meeting& meeting);
  /// @param relaxed they learn of it by a fence that follows.
  void wait(Meeting& meeting, BlockClock& block, std::uint32_t warp, std::uint32_t lanes,
            bool relaxed = false);
  /// They pass on that what they did is over, and no more. For arrive_relaxed(), and for lanes that end.
  void arrive_met(View& coming, BlockClock& block, std::uint32_t warp, std::uint32_t lanes);
  Meeting& of_cluster(std::uint32_t cluster) { return clusters_[cluster]; }

  /// @return the actor of a bulk copy begun now. @param warp see Actor.
  std::uint32_t begin_copy(BlockClock& block, std::uint32_t warp);
  /// What the entry says is over: lanes have waited for it.
  void learn(BlockClock& block, std::uint32_t warp, std::uint32_t lanes, const Knowledge::Entry& entry);
  /// @return the time of an event of its own.
  Time event() noexcept { return ++now_; }

  /// @return whether the thread has a fence behind it whose scope holds that block, too.
  bool has_fenced(const BlockClock& mine, std::uint32_t warp, std::uint32_t lane, std::uint32_t block,
                  std::uint32_t cluster) const noexcept;

  /// @return the number of the warp's present actor; numbers only grow.
  std::uint32_t actor(BlockClock& block, std::uint32_t warp) {
    WarpClock& w = block.warps[warp];
    const Time clock = w.clock > block.last_barrier ? w.clock : block.last_barrier;
    if (w.actor < floor_ || clock != w.clock || w.actor == 0) return new_actor(block, warp, clock);
    return w.actor;
  }
  const Actor& at(std::uint32_t actor) const noexcept { return actors_[actor - floor_]; }
  /// Actors below this number are of the past, and ordered before everything.
  std::uint32_t floor() const noexcept { return floor_; }
  std::uint32_t next_actor() const noexcept { return floor_ + static_cast<std::uint32_t>(actors_.size()); }

  /// How an access by @p lane of a warp stands now to an earlier one by @p earlier_lane (another thread).
  /// @param whole set if the answer is the same for all lanes of both.
  Relation relation(std::uint32_t earlier, std::uint32_t earlier_lane, const BlockClock& block,
                    std::uint32_t warp, std::uint32_t lane, bool& whole) const noexcept;
  /// A lane for "several others of this lane's warp", where the cell does not say which: one that comes before if there is any, since
  /// a tile's lanes have met and those of the next tile have not read the word. Where none does, they mostly come in a row.
  std::uint32_t other_lane(std::uint32_t earlier, const BlockClock& block, std::uint32_t warp,
                           std::uint32_t lane) const noexcept;
  /// @return the lanes of that actor of which some thread of the block knows that what they did is over, however little else.
  std::uint32_t known_to_any(std::uint32_t earlier, const BlockClock& block) const noexcept;
  /// The same for one thread.
  bool is_over(std::uint32_t earlier, std::uint32_t earlier_lane, const BlockClock& block, std::uint32_t warp,
               std::uint32_t lane) const noexcept;
  /// Whether an earlier read is known to be over before this lane writes now, though relation() knows no order.
  bool read_is_over(std::uint32_t earlier, std::uint32_t earlier_lane, const BlockClock& block,
                    std::uint32_t warp, std::uint32_t lane) const noexcept;
  /// The warp reads shared memory that is reserved for libraries.
  void takes_reserved(BlockClock& block, std::uint32_t warp) noexcept {
    block.warps[warp].took_reserved = true;
  }
  /// Whether a lane of the same warp that read such memory has met with this one since, at a shuffle or a vote.
  bool exchanged_since(std::uint32_t earlier, std::uint32_t earlier_lane, const BlockClock& block,
                       std::uint32_t warp, std::uint32_t lane) const noexcept;

 private:
  /// What a word passes on.
  struct Record {
    Known knows, over;
    std::uint32_t block = 0, cluster = 0;  ///< of the writer
    std::uint8_t scope = 0;                ///< for whom the writer has made it known, see kScopes
    bool mixed = false;                    ///< several blocks'
  };
  using Flag = std::vector<Record>;

  std::uint32_t new_actor(BlockClock& block, std::uint32_t warp, Time clock);
  Time new_interval(WarpClock& warp);
  void make_room();
  /// Views of these lanes, and of no others, are about to change: @return the warp's groups.
  std::vector<LaneGroup>& separate(BlockClock& block, std::uint32_t warp, std::uint32_t lanes);
  void merge(WarpClock& warp, std::uint32_t lanes, View view);
  /// What lanes of a group pass on at a meeting: all that they know, and what they did before @p until.
  View passed_on(const BlockClock& block, std::uint32_t warp, std::uint32_t lanes, const View& view,
                 Time until) const;
  Known fenced(const BlockClock& block, std::uint32_t warp, std::uint32_t lanes, const View::Fenced& f) const;
  void look(BlockClock& block, std::uint32_t warp, std::uint32_t lanes, const Strong& access,
            const Flag& flag);
  void raise(BlockClock& block, std::uint32_t warp, std::uint32_t lanes, const Strong& access);
  /// @return whether any of the lanes has a fence of such a scope behind it: whether its atomics pass anything on.
  static bool has_fenced(const WarpClock& warp, std::uint32_t lanes, Scope scope) noexcept;
  static std::size_t needed(const Record& r, const BlockClock& block) noexcept;
  void note(Flag& flag, Record record) const;
  void join_flags();
  static const View& view_of(const WarpClock& warp, std::uint32_t lane) noexcept;

  Time now_ = 1;
  bool exhausted_ = false;  // no actor numbers left: everything counts as ordered until the launch ends
  std::uint32_t floor_ = 1;
  std::vector<Actor> actors_;
  std::unordered_map<std::uint64_t, Flag> flags_;  // by word
  std::unordered_map<std::uint32_t, Meeting> clusters_;
  Known shown_to_copies_;
  std::uint32_t one_by_one_ = 0;  // atomics whose lanes were told apart
  std::uint32_t raised_ = 0;      // flags, by lanes of one view each
  bool joined_flags_ = false;     // see crowded()
};

}  // namespace simgpu::observe
