/// @file
/// See traffic.hpp. The hot path is access(): find the pattern's cost, then walk its lines through the
/// caches.
#include "simgpu/observe/traffic.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <deque>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "simgpu/memory/device_memory.hpp"
#include "simgpu/observe/activity.hpp"
#include "simgpu/observe/address_counts.hpp"
#include "simgpu/observe/arrivals.hpp"
#include "simgpu/observe/banks.hpp"
#include "simgpu/observe/caches.hpp"
#include "simgpu/observe/coalescing.hpp"
#include "simgpu/observe/exchange.hpp"
#include "simgpu/observe/link_bytes.hpp"
#include "simgpu/observe/look_back.hpp"
#include "simgpu/observe/patterns.hpp"
#include "simgpu/observe/store_queue.hpp"
#include "simgpu/observe/texture_unit.hpp"

namespace simgpu::observe {
namespace {

// Where the model puts local memory: far from all device addresses.
constexpr std::uint64_t kLocalLines = 0x0000'0700'0000'0000ull / kLineBytes;
// ... and host memory that kernels reach.
constexpr std::uint64_t kHostLines = 0x0000'0600'0000'0000ull / kLineBytes;

// The L2 has units for atomics. How long one is busy with a request, in hundredths of a cycle: in each sector with each lane on its busiest
// address, as far as they cannot be combined; a sector all of whose words take part is quicker. From an H200 (tests/fixtures/h200_probes.json,
// h200_probes_single.csv): one address, 1.17 G lanes/s if results are used, 1.36 G of integers, 0.57 G of floats; 16, 32 or 64 words in
// order, 13.3 G; 16 to 1024 words at random, 5.3, 4.4, 3.4, 5.2, 3.9, 6.4, 11.3 G. A sector in which no address has two lanes: thousands of
// counters (unseen.cu, fresh.cu).
constexpr std::uint64_t kReturnedLane = 169, kIntegerLane = 145, kLoneLanes = 127, kOtherLane = 358,
                        kWholeSector = 119;
constexpr std::uint32_t kWordsOfSector = kSectorBytes / 4;

// Which unit a line belongs to: two neighbouring lines share one, and so do the first and the third quarter of a kilobyte. (In order, 64 words are no
// faster than 32 and 256 no faster than 128; 512 are twice as fast.)
std::uint64_t atomic_unit_of(std::uint64_t line) noexcept {
  return line / 8 * 2 + line / 2 % 2;
}

// A line that the nearest cache of constants lacks takes as long as so many passes: 39 cycles a warp of 24 bytes at random in 24 kB, of
// which 1.8 lines are missing since other warps come between (ladders/blind/constants.cu).
constexpr std::uint32_t kConstantMiss = 8;

bool is_on_device(std::uint64_t address) noexcept {
  return memory::is_device_address(address) || memory::is_managed_address(address);
}

// Sectors whose neighbour in the same 64 bytes is not asked for.
std::uint32_t lone_sectors_of(std::uint8_t sectors) noexcept {
  return count_sectors((sectors ^ sectors >> 1) & 0b0101u);
}

// Names for lines of host memory. Its addresses change from one run of a program to the next, and reports
// must not: so its pages are numbered in the order of their first use.
class HostLines {
 public:
  std::uint64_t name_of(std::uint64_t line) {
    const auto number = static_cast<std::uint64_t>(pages_.size());
    const std::uint64_t page = pages_.try_emplace(line / kLinesPerPage, number).first->second;
    return kHostLines + page * kLinesPerPage + line % kLinesPerPage;
  }

 private:
  static constexpr std::uint64_t kLinesPerPage = 4096 / kLineBytes;
  std::unordered_map<std::uint64_t, std::uint64_t> pages_;
};

// One instruction on one kind of memory.
struct Stream {
  SiteCounters counts;
  std::uint32_t index = 0;             // among all streams of the launch
  bool copies_asynchronously = false;  // cp.async
  bool takes_turns = false;    // atomics whose equal addresses cannot be combined: floating point, cas, exch
  bool always_uniform = true;  // atomics: every request went to a single address
  bool one_address = false;    // ... and the compiler knew it
  // Of a line of L2, for each lane at an address that others have, too.
  std::uint64_t lane_cost() const noexcept {
    return takes_turns ? kOtherLane : counts.kind == AccessKind::reduction ? kIntegerLane : kReturnedLane;
  }
  std::uint64_t hit_sectors = 0, l2_hit_sectors = 0;
  bool went_beyond_l1 = false;           // the latest load: as a rule, the next will, too
  BufferTable::Entry* buffer = nullptr;  // global: where the latest request lay, if in one allocation
  std::uint64_t scattered_low = ~std::uint64_t{0}, scattered_high = 0;  // lines that gathers went to
  PatternMemo memo;
};

// What a site's latest access was: while the next ones are the same, nothing else of the site is looked at. (A kernel's sites
// together then stay in the host's nearest cache.)
struct alignas(64) Latest : RepeatedLoad {  // its executions are not yet added to the cost's
  Stream* stream = nullptr;
  PatternCost* cost = nullptr;
  std::uint64_t in_buffer =
      0;  // of them: requests to the stream's buffer that are not yet added to its counters
  std::uint32_t remainder = 0;
  Memory memory = Memory::global;
  AccessKind kind = AccessKind::load;

  bool is_like(const Access& a, std::uint64_t a_remainder) const noexcept {
    return remainder == a_remainder && differs_by_remainder(a);
  }
  bool differs_by_remainder(const Access& a) const noexcept {
    return shape == a.shape && shape != 0 && memory == a.memory && kind == a.kind;
  }
  void settle() noexcept {
    settle_buffer();
    if (executions != 0) cost->executions += executions;
    executions = 0;
    shape = 0;
  }
  // What the accesses from now on cost, of the same shape.
  void go_on_with(PatternCost& now, std::uint32_t at) noexcept {
    settle_buffer();
    cost->executions += executions;
    executions = 0;
    cost = &now;
    remainder = at;
    wavefronts = now.wavefronts;
    bytes = now.bytes;
  }
  void settle_buffer() noexcept {
    if (in_buffer == 0) return;
    RoadCounters& n = kind == AccessKind::store ? stream->buffer->store : stream->buffer->load;
    n.requests += in_buffer;
    n.lanes += in_buffer * cost->lanes;
    n.bytes += in_buffer * cost->bytes;
    n.sectors += in_buffer * cost->sectors;
    in_buffer = 0;
  }
};
static_assert(sizeof(Latest) == 64);

RoadCounters BufferCounters::*road_of(const BulkAccess& b) {
  if (b.kind == AccessKind::load) return b.tensor ? &BufferCounters::tensor_load : &BufferCounters::bulk_load;
  return b.tensor ? &BufferCounters::tensor_store : &BufferCounters::bulk_store;
}

bool contains(std::string_view text, std::string_view word) {
  return text.find(word) != std::string_view::npos;
}

/// @p line is one that a request touches: is it written in the main in parts of sectors?
void add_parts(PatternCost& cost, const TouchedLine& line) {
  const std::uint32_t sectors = count_sectors(line.sectors);
  if (2 * count_sectors(line.partial) < sectors) return;
  cost.part_lines += 1;
  cost.part_sectors += sectors;
}

}  // namespace

struct Traffic::Impl {
  // What launches that run beside one another have in common.
  struct Device {
    L2Cache l2;
    HostLines host_lines;
  };
  std::shared_ptr<Device> device;
  L2Cache& l2;
  HostLines& host_lines;
  TrafficConfig config;
  LaunchInfo launch;
  Counters counters;
  double link_bytes = 0;  ///< link_bytes.hpp
  std::vector<SmTraffic> sms;
  std::vector<L1Cache> l1;
  std::vector<L1Cache>
      often;  // by SM: what is asked for so often that it is found in spite of part_of_table()
  std::vector<StoreQueue> stores;
  DramTraffic dram;
  std::uint64_t l1_bytes = 0;
  std::uint64_t local_lines_per_warp = 0, warps_per_block = 1, slots = 1;
  std::deque<Stream> streams;
  std::size_t streams_used = 0;
  std::vector<Latest> latest;  // by site
  std::vector<std::vector<Stream*>> by_site;
  std::vector<SiteCounters> sites;
  AddressCounts atomic_units;  // `lanes`: how long each is busy
  std::uint64_t busiest_atomic_unit = 0, all_atomic_units = 0, sum_of_atomic_units = 0, atomic_units_used = 0;
  static constexpr std::size_t kConstantLines = 32, kConstantLineBytes = 64;
  std::vector<std::array<std::uint64_t, kConstantLines>> constant_lines;  // by SM
  std::vector<std::uint64_t> served_lines;  // of shared memory, to other blocks of a cluster; by rank
  AddressCounts remote_loop_words;  // where loops of compare and swap go in other blocks' shared memory
  std::unordered_map<std::uint64_t, std::uint64_t> remote_loops;  // ... lanes on the busiest word, by block
  Footprint footprint;
  Activity activity;
  Exchange exchange;
  LookBack look_back;
  BufferTable buffers;
  std::vector<BufferCounters> buffer_list;

  Impl(const TrafficConfig& c, std::shared_ptr<Device> shared)
      : device(std::move(shared)),
        l2(device->l2),
        host_lines(device->host_lines),
        config(c),
        buffers(c.memory) {}
  static std::shared_ptr<Device> device_of(const TrafficConfig& c) {
    const auto usable = static_cast<std::uint64_t>(static_cast<double>(c.l2_bytes) * c.l2_usable);
    return std::make_shared<Device>(Device{L2Cache(usable), HostLines()});
  }

  Stream& stream_of(const Access& a) {
    const std::uint32_t id = a.site->id;
    if (id < latest.size()) {
      const Latest& l = latest[id];
      if (l.stream != nullptr && l.memory == a.memory && l.kind == a.kind) return *l.stream;
    }
    return other_stream_of(a);
  }
  Stream& other_stream_of(const Access& a);
  static Stream& take(Latest& latest, Stream& stream) {
    latest.settle();
    latest.stream = &stream;
    latest.memory = stream.counts.memory;
    latest.kind = stream.counts.kind;
    return stream;
  }
  // The cost of an access, which is counted.
  template <class Analyse>
  PatternCost& cost_of(Stream& stream, const Access& a, std::uint64_t first, std::uint32_t remainder,
                       Analyse&& analyse) {
    Latest& l = latest[a.site->id];
    if (l.is_like(a, remainder)) {
      ++l.executions;
      return *l.cost;
    }
    l.settle();
    PatternCost& cost = stream.memo.cost_of(a, first, remainder, analyse,
                                            [&](PatternCost& old) { add_executions(stream, old); });
    ++cost.executions;
    l.cost = &cost;
    l.shape = cost.remembered ? a.shape : 0;
    l.remainder = remainder;
    l.wavefronts = cost.wavefronts;
    l.bytes = cost.bytes;
    return cost;
  }
  void add_executions(Stream& stream, PatternCost& cost);
  void take_lines(PatternCost& cost, std::uint64_t first_line);

  void count_buffer(const Access& a, Stream& stream, const PatternCost& cost, std::uint64_t first_line);
  void count_texture_buffers(const TextureAccess& a, const std::uint64_t* sectors, std::size_t count);
  void count_remote(const Access& a);
  void count(const Access& a);
  void count_machine(const Access& a);
  void global(const Access& a, Stream& stream);
  void global_atomic(const Access& a, Stream& stream);
  // @return for how long, of the line that is busiest with it. [hundredths of a cycle]
  std::uint64_t occupy_lines(const Access& a, const Stream& stream);
  // What belongs to the place (SM and slot) of the access before this one: as a rule the next comes from there, too. Forgotten
  // whenever a block begins or ends.
  struct Here {
    std::uint32_t sm = ~0u, slot = ~0u;
    SmTraffic* traffic = nullptr;
    L1Cache* l1 = nullptr;
    StoreQueue* stores = nullptr;
    Activity::Marks* marks = nullptr;
    Exchange::Words* words = nullptr;
    std::uint32_t wave = 0;  // of blocks that are resident together, counted over all launches
  };
  Here latest_here;
  std::uint32_t waves_before = 0, waves_after = 0;  // of earlier launches; this one's, too
  Arrivals arrivals;
  const Here& here(const WarpId& warp) {
    if (latest_here.sm != warp.sm || latest_here.slot != warp.slot) [[unlikely]]
      find_here(warp);
    return latest_here;
  }
  void find_here(const WarpId& warp);
  void any_access(const Access& a);
  bool shared_quickly(const Access& a);
  bool shared_again(const Access& a);
  bool global_quickly(const Access& a);
  void global_access(const Access& a);
  std::uint64_t part_of_table(Stream& stream, const PatternCost& cost, std::uint64_t first_line,
                              const WarpId& warp);
  // What the lines of a load or store find in the caches. @param place the SM's. @param part as part_of_table() says.
  void load_lines(const PatternCost& cost, std::uint64_t first_line, std::uint32_t sm, SmTraffic& place,
                  Stream& stream, bool in_l1, bool evict_first, bool on_device, std::uint64_t part,
                  Moment now);
  bool ask_l2(std::uint32_t tag, std::uint8_t missing, bool evict_first, std::uint32_t sm, Stream& stream,
              Moment now);
  void load_whole_line(std::uint64_t line, const Here& place, Stream& stream, Moment now);
  void store_whole_line(const TouchedLine& touched, std::uint64_t line, const Here& place);
  void store_lines(const PatternCost& cost, std::uint64_t first_line, std::uint32_t sm, SmTraffic& place,
                   StoreQueue::Merged merged, bool evict_first, bool on_device);
  void shared(const Access& a, Stream& stream);
  void local(const Access& a, Stream& stream);
  void constant(const Access& a, Stream& stream);
  void texture(const TextureAccess& a, SmTraffic& sm, Stream& stream);
  void count_bulk(const BulkAccess& b);

  template <class Count>
  void tell_cost(AccessCost& to, const Access& a, Count&& count_it);

  std::uint64_t name_of(std::uint64_t line, bool on_device) {
    return on_device ? line : host_lines.name_of(line);
  }
  std::uint32_t tag_passes(const PatternCost& cost, std::uint64_t first_line, bool on_device = true);
  SmTraffic& sm_of(const Access& a) {
    if (a.warp != nullptr) return *here(*a.warp).traffic;
    return sms.empty() ? new_sm(0) : sms[0];
  }
  SmTraffic& new_sm(std::uint32_t sm);
  std::uint64_t rank_of(const WarpId& warp) const;
  std::uint32_t constant_misses(const Access& a);
  void sum_up();
};

Traffic::Traffic(const TrafficConfig& config)
    : impl_(std::make_unique<Impl>(config, Impl::device_of(config))) {}
Traffic::Traffic(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
std::unique_ptr<Traffic> Traffic::beside() const {
  return std::unique_ptr<Traffic>(new Traffic(std::make_unique<Impl>(impl_->config, impl_->device)));
}
Traffic::~Traffic() = default;

const Counters& Traffic::counters() const noexcept {
  return impl_->counters;
}
const std::vector<SiteCounters>& Traffic::sites() const noexcept {
  return impl_->sites;
}
const std::vector<SmTraffic>& Traffic::sms() const noexcept {
  return impl_->sms;
}
const std::vector<BufferCounters>& Traffic::buffers() const noexcept {
  return impl_->buffer_list;
}
double Traffic::busiest_atomic_line_cycles() const noexcept {
  return static_cast<double>(impl_->busiest_atomic_unit) / 100;
}
AtomicUnits Traffic::atomic_units() const noexcept {
  return {impl_->atomic_units_used, impl_->atomic_units_used == 0
                                        ? 0
                                        : static_cast<double>(impl_->sum_of_atomic_units) / 100 /
                                              static_cast<double>(impl_->atomic_units_used)};
}
double Traffic::all_atomic_cycles() const noexcept {
  return static_cast<double>(impl_->all_atomic_units) / 100;
}
std::uint64_t Traffic::busiest_rank_served_lines() const noexcept {
  const auto& served = impl_->served_lines;
  return served.empty() ? 0 : *std::max_element(served.begin(), served.end());
}
double Traffic::remote_loop_lanes() const noexcept {
  double lanes = 0;
  for (const auto& [block, most] : impl_->remote_loops) lanes += static_cast<double>(most);
  return impl_->remote_loops.empty() ? 0 : lanes / static_cast<double>(impl_->remote_loops.size());
}
double Traffic::link_bytes() const noexcept {
  return impl_->link_bytes;
}
std::uint64_t Traffic::dram_row_openings() const noexcept {
  return impl_->dram.row_openings;
}
std::uint64_t Traffic::l1_bytes() const noexcept {
  return impl_->l1_bytes;
}
void Traffic::clear_l2() {
  impl_->l2.clear();
}

void Traffic::invalidate_l2(std::uint64_t address, std::uint64_t bytes) {
  if (bytes == 0) return;
  const std::uint64_t first = address / kLineBytes, last = (address + bytes - 1) / kLineBytes;
  if (last - first >= 4 * impl_->l2.lines()) {  // quicker, and nothing else would survive such a copy either
    impl_->l2.clear();
    return;
  }
  for (std::uint64_t line = first; line <= last; ++line) impl_->l2.invalidate(line_tag(line));
}

void Traffic::launch_begin(const LaunchInfo& info) {
  Impl& m = *impl_;
  m.launch = info;
  m.counters = {};
  m.link_bytes = 0;
  m.dram = {};
  m.sites.clear();
  m.atomic_units.clear();
  m.busiest_atomic_unit = m.all_atomic_units = m.sum_of_atomic_units = m.atomic_units_used = 0;
  m.served_lines.clear();
  m.remote_loop_words.clear();
  m.remote_loops.clear();
  m.constant_lines.clear();
  for (auto& list : m.by_site) list.clear();
  m.latest.reserve(info.site_count);  // RepeatedLoads::of() promises that none moves
  std::fill(m.latest.begin(), m.latest.end(), Latest{});
  m.streams_used = 0;

  m.slots = std::max(1u, info.resident_blocks_per_sm);
  m.warps_per_block = (info.block.count() + kWarpLanes - 1) / kWarpLanes;
  m.local_lines_per_warp = (info.local_bytes + 3) / 4;
  m.activity.launch_begin(info);
  m.exchange.launch_begin(info);
  m.look_back.launch_begin();
  m.buffers.clear();
  m.buffer_list.clear();
  m.l1_bytes = l1_bytes_beside(info.shared_bytes, m.slots, m.config.l1_shared_bytes);
  m.sms.assign(std::max(1u, info.sm_count), SmTraffic{});
  m.latest_here = {};
  m.waves_before = m.waves_after;
  m.waves_after +=
      1 + static_cast<std::uint32_t>(info.grid.count() / (m.slots * std::max(1u, info.sm_count)));
  m.l1.resize(m.sms.size());
  m.stores.assign(m.sms.size(), StoreQueue{});
  for (L1Cache& l1 : m.l1) l1.reset(m.l1_bytes);
  m.often.assign(m.sms.size(), L1Cache{});
}

void Traffic::launch_end() {
  Impl& m = *impl_;
  DramTraffic flushed;
  m.l2.flush(flushed);
  m.counters.dram_flushed_bytes = flushed.write_bytes;
  m.dram.read_bytes += flushed.read_bytes;
  m.dram.write_bytes += flushed.write_bytes;
  m.dram.isolated += flushed.isolated;
  m.dram.row_openings += flushed.row_openings;
  m.activity.launch_end(m.counters);
  m.exchange.launch_end(m.counters);
  for (Latest& l : m.latest) l.settle_buffer();
  m.buffer_list = m.buffers.all();
  m.sum_up();
}

void Traffic::block_begin(const WarpId& block) {
  impl_->activity.block_begin(block);
  impl_->exchange.block_begin(block);
  impl_->latest_here = {};
}
void Traffic::block_end(const WarpId& block) {
  impl_->activity.block_end(block);
  impl_->exchange.block_end(block);
  impl_->latest_here = {};
}
void Traffic::block_barrier(const WarpId& any) {
  impl_->activity.barrier(any);
}
void Traffic::partial_barrier(const WarpId& any, std::uint32_t, const BarrierPart*, std::size_t) {
  impl_->activity.barrier(any);
}
void Traffic::block_barrier_arrival(const WarpId& warp) {
  impl_->activity.barrier_arrival(warp);
}
void Traffic::mbarrier_init(const WarpId& owner, std::uint32_t offset) {
  impl_->activity.mbarrier_init(owner, offset);
}
void Traffic::mbarrier_arrivals(const WarpId&, std::uint32_t, std::uint32_t count) {
  impl_->activity.mbarrier_arrivals(count);
}
void Traffic::mbarrier_expect(const WarpId& owner, std::uint32_t offset, std::uint32_t bytes) {
  impl_->activity.mbarrier_expect(owner, offset, bytes);
}
void Traffic::mbarrier_phase(const WarpId& owner, std::uint32_t offset) {
  impl_->activity.mbarrier_phase(owner, offset);
}
void Traffic::copies_landed(const WarpId& warp, std::uint64_t bytes, std::uint64_t copies) {
  impl_->activity.landed(warp, bytes, copies);
}
void Traffic::mbarrier_landed(const WarpId& owner, std::uint32_t offset) {
  impl_->activity.mbarrier_landed(owner, offset);
}
void Traffic::mbarrier_passed(const WarpId& warp, std::uint32_t offset, std::uint64_t bytes,
                              std::uint64_t copies) {
  impl_->activity.mbarrier_passed(warp, offset, bytes, copies);
}
void Traffic::shared_filled(const WarpId& owner, std::uint32_t offset, std::uint32_t bytes) {
  impl_->exchange.filled(owner, offset, bytes);
}
void Traffic::remote_copy(const WarpId&, std::uint64_t bytes) {
  impl_->counters.remote_copy_bytes += bytes;
}

// All that shared_quickly() does beyond counting is for whom this says no.
bool Traffic::may_count(const WarpId& warp) {
  return impl_->here(warp).words == nullptr && !impl_->activity.follows_copies();
}
RepeatedLoad* Traffic::of(std::uint32_t site) {
  return site < impl_->latest.size() ? &impl_->latest[site] : nullptr;
}
void Traffic::counted(const WarpId& warp, std::uint64_t wavefronts, std::uint64_t bytes) {
  const Impl::Here& place = impl_->here(warp);
  place.stores->pause();
  place.traffic->data_wavefronts += wavefronts;
  if (place.marks != nullptr) place.marks->shared_loaded += bytes;
}

void Traffic::access(const Access& a) {
  if (a.mask == 0 || a.memory == Memory::param) return;
  if (a.memory == Memory::global) return impl_->global_access(a);
  if (a.memory == Memory::shared && impl_->shared_quickly(a)) return;
  impl_->any_access(a);
}

[[gnu::noinline]] void Traffic::Impl::any_access(const Access& a) {
  if (a.memory == Memory::local && launch.local_in_registers) return;
  if (a.memory == Memory::shared) exchange.access(a);
  const auto count_it = [&] {
    if (a.machine != nullptr)
      count_machine(a);
    else
      count(a);
  };
  if (a.cost == nullptr) [[likely]]
    return count_it();
  tell_cost(*a.cost, a, count_it);
}

[[gnu::noinline]] void Traffic::Impl::find_here(const WarpId& warp) {
  SmTraffic* const traffic = warp.sm < sms.size() ? &sms[warp.sm] : &new_sm(warp.sm);
  const std::uint64_t together = slots * std::max(1u, launch.sm_count);
  latest_here = {warp.sm,
                 warp.slot,
                 traffic,
                 &l1[warp.sm],
                 &stores[warp.sm],
                 activity.marks_of(&warp),
                 exchange.words_of(warp),
                 waves_before + static_cast<std::uint32_t>(warp.block_linear / together)};
}

// What is counted meanwhile of the SM's work is what the access costs: so nothing has to be noted where it is counted.
template <class Count>
void Traffic::Impl::tell_cost(AccessCost& to, const Access& a, Count&& count_it) {
  const Stream& stream = stream_of(a);
  const std::uint64_t held = stream.l2_hit_sectors, read = dram.read_bytes,
                      texture_passes = stream.counts.wavefronts, remote_lanes = stream.counts.remote_lanes,
                      remote_lines = stream.counts.remote_lines, remote_turns = stream.counts.remote_turns;
  const SmTraffic before = sm_of(a);
  count_it();
  const SmTraffic& after = sm_of(a);
  const auto grown = [&](std::uint64_t SmTraffic::*what) {
    return static_cast<std::uint32_t>(after.*what - before.*what);
  };
  const std::uint32_t wavefronts = grown(&SmTraffic::data_wavefronts) + grown(&SmTraffic::local_store_passes),
                      fetched = grown(&SmTraffic::fill_sectors), sent = grown(&SmTraffic::store_sectors);
  switch (a.memory) {
    case Memory::shared:
      to.shared_wavefronts += wavefronts;
      if (a.owner == nullptr) return;
      to.remote = true;
      to.remote_lanes += static_cast<std::uint32_t>(stream.counts.remote_lanes - remote_lanes);
      to.remote_lines += static_cast<std::uint32_t>(stream.counts.remote_lines - remote_lines);
      to.remote_turns += static_cast<std::uint32_t>(stream.counts.remote_turns - remote_turns);
      return;
    case Memory::constant:
      to.constant_passes += std::max(1u, grown(&SmTraffic::constant_passes));
      return;
    case Memory::texture:
      to.wavefronts += static_cast<std::uint32_t>(stream.counts.wavefronts - texture_passes);
      break;
    default:
      to.wavefronts += wavefronts;
      break;
  }
  to.lines +=
      grown(&SmTraffic::load_lines) + grown(&SmTraffic::texture_lines) + grown(&SmTraffic::store_lines);
  to.l2_sectors += std::max(fetched, sent);  // of an atomic both, and the same
  if (a.kind == AccessKind::load)
    to.dram_sectors += fetched - static_cast<std::uint32_t>(stream.l2_hit_sectors - held);
  else if (a.kind != AccessKind::store && dram.read_bytes != read)
    to.dram_sectors += sent;
}

void Traffic::Impl::count(const Access& a) {
  if (a.memory == Memory::shared) {
    if (a.kind == AccessKind::store) activity.stores_shared(a.warp);
    if (a.kind == AccessKind::load)
      activity.reads_shared(a.warp, std::uint64_t{count_lanes(a.mask)} * a.bytes);
    if (a.owner != nullptr) [[unlikely]]
      count_remote(a);
    if (shared_again(a)) return;
  } else if (a.memory == Memory::global) {
    if (a.warp != nullptr) {
      if (Activity::Marks* const marks = here(*a.warp).marks) {
        const std::uint32_t bit = 1u << (a.warp->warp & 31);
        marks->touching |= bit;
        if (a.kind != AccessKind::load) marks->writing |= bit;
      }
    }
    if (a.ordering != Ordering::weak) [[unlikely]]
      look_back.access(a);
    if (a.asynchronous) [[unlikely]] {
      const auto lanes = std::uint64_t{count_lanes(a.mask)};
      activity.begins_copies(a.warp, lanes * a.bytes, lanes);
    }
  }
  Stream& stream = stream_of(a);
  switch (a.memory) {
    case Memory::global:
      if (a.kind == AccessKind::load || a.kind == AccessKind::store) {
        global(a, stream);
      } else {
        global_atomic(a, stream);
      }
      break;
    case Memory::shared:
      shared(a, stream);
      break;
    case Memory::local:
      local(a, stream);
      break;
    case Memory::constant:
      constant(a, stream);
      break;
    case Memory::param:
    case Memory::texture:  // comes through texture()
      break;
  }
}

// The accesses that the machine makes in this one's place.
void Traffic::Impl::count_machine(const Access& a) {
  const MachineAccesses& machine = *a.machine;
  if (machine.count == 0) return;
  bool alike = true;
  for (std::uint32_t n = 1; n < machine.count; ++n) alike &= machine.parts[n].bytes == machine.parts[0].bytes;
  Access part = a;
  part.machine = nullptr;
  if (!alike) part.shape = 0;  // a shape's number stands for one width
  std::array<std::uint64_t, kWarpLanes> room;
  unsigned left = a.uniform_pieces;
  for (std::uint32_t n = 0; n < machine.count; ++n) {
    part.bytes = machine.parts[n].bytes;
    part.uniform_pieces = static_cast<std::uint8_t>(std::min<unsigned>(left, (part.bytes + 7u) / 8));
    left -= part.uniform_pieces;
    part.address = a.address.moved(machine.parts[n].offset, room.data());
    count(part);
  }
}

void Traffic::texture(const TextureAccess& a) {
  if (a.mask == 0) return;
  Impl& m = *impl_;
  Access as_access;
  as_access.site = a.site;
  as_access.warp = a.warp;
  as_access.memory = Memory::texture;
  as_access.kind = a.kind;
  m.activity.touches_global(a.warp);
  if (a.kind != AccessKind::load) m.activity.writes_global(a.warp);
  const auto count_it = [&] { m.texture(a, m.sm_of(as_access), m.stream_of(as_access)); };
  if (a.cost == nullptr) return count_it();
  a.cost->texels += count_lanes(a.mask);
  m.tell_cost(*a.cost, as_access, count_it);
}

// The copy engine asks the L2 for whole lines, past the L1.
void Traffic::bulk_access(const BulkAccess& b) {
  Impl& m = *impl_;
  const bool load = b.kind == AccessKind::load;
  (load ? m.counters.bulk_load_bytes : m.counters.bulk_store_bytes) += b.bytes;
  m.activity.touches_global(b.warp);
  if (!load) m.activity.writes_global(b.warp);
  if (b.bytes != 0) m.count_bulk(b);
  const std::uint32_t index = b.warp != nullptr && b.warp->sm < m.sms.size() ? b.warp->sm : 0;
  SmTraffic& sm = m.sms[index];
  for (std::size_t n = 0; n < b.span_count; ++n) {
    const std::uint64_t begin = b.spans[n].address, end = begin + b.spans[n].bytes;
    const bool on_device = is_on_device(begin);
    BufferTable::Entry* const buffer = b.bytes != 0 ? m.buffers.find(begin) : nullptr;
    RoadCounters* const road = buffer != nullptr ? &(buffer->*road_of(b)) : nullptr;
    if (road != nullptr) {
      road->requests += n == 0 ? 1 : 0;
      road->bytes += b.spans[n].bytes;
    }
    for (std::uint64_t at = begin; at < end;) {
      TouchedLine line;
      line.line = at / kLineBytes;
      const std::uint64_t line_end = std::min(end, (line.line + 1) * kLineBytes);
      while (at < line_end) {
        const auto sector = static_cast<std::uint32_t>(at % kLineBytes / kSectorBytes);
        const std::uint64_t sector_end = std::min(line_end, at / kSectorBytes * kSectorBytes + kSectorBytes);
        const std::uint32_t count = static_cast<std::uint32_t>(sector_end - at);
        line.sectors |= static_cast<std::uint8_t>(1u << sector);
        if (count < kSectorBytes) line.partial |= static_cast<std::uint8_t>(1u << sector);
        line.bytes[sector] |= (count == kSectorBytes ? ~0u : (1u << count) - 1) << at % kSectorBytes;
        at = sector_end;
      }
      const auto sectors = count_sectors(line.sectors);
      if (road != nullptr) road->sectors += sectors;
      const std::uint32_t tag = line_tag(line.line);
      if (!on_device) {
        (load ? m.counters.host_link_read_bytes : m.counters.host_link_write_bytes) +=
            std::uint64_t{kSectorBytes} * sectors;
        m.link_bytes += load ? link_read_bytes(sectors) : link_write_bytes(line);
      } else if (load) {
        sm.fill_sectors += b.bytes ? sectors : 0;
        m.counters.l2_read_sectors += sectors;
        const auto held = count_sectors(m.l2.load(tag, line.sectors, false, index, m.dram));
        m.counters.l2_read_hit_sectors += held;
        if (b.cost != nullptr) b.cost->dram_sectors += sectors - held;
      } else if (b.kind == AccessKind::store) {
        sm.store_sectors += sectors;
        m.counters.l2_write_sectors += sectors;
        m.l2.store(tag, line, false, m.dram);
      } else {
        sm.store_sectors += sectors;
        m.counters.l2_reduction_sectors += sectors;
        m.l2.atomic(tag, line.sectors, m.dram);
      }
    }
  }
}

Stream& Traffic::Impl::other_stream_of(const Access& a) {
  const std::uint32_t id = a.site->id;
  if (id >= by_site.size()) {
    by_site.resize(id + 1);
    latest.resize(id + 1);
  }
  for (Stream* s : by_site[id]) {
    if (s->counts.memory == a.memory && s->counts.kind == a.kind) return take(latest[id], *s);
  }
  if (streams_used == streams.size()) streams.emplace_back();
  Stream& s = streams[streams_used];
  s.counts = {};
  s.counts.site = a.site;
  s.counts.memory = a.memory;
  s.counts.kind = a.kind;
  s.counts.hint = a.hint;
  s.counts.non_coherent = a.non_coherent;
  s.index = static_cast<std::uint32_t>(streams_used++);
  s.always_uniform = true;
  s.one_address = s.counts.one_address = a.one_address;
  s.hit_sectors = s.l2_hit_sectors = 0;
  s.went_beyond_l1 = false;
  s.buffer = nullptr;
  s.scattered_low = ~std::uint64_t{0}, s.scattered_high = 0;
  const std::string_view name = a.site->name;
  s.copies_asynchronously = name.starts_with("cp.");
  s.takes_turns = contains(name, ".cas") || contains(name, ".exch") || contains(name, ".f32") ||
                  contains(name, ".f64") || contains(name, ".f16") || contains(name, ".bf16");
  s.memo.clear();
  by_site[id].push_back(&s);
  return take(latest[id], s);
}

void Traffic::Impl::add_executions(Stream& stream, PatternCost& cost) {
  const std::uint64_t n = cost.executions;
  stream.counts.requests += n;
  stream.counts.lanes += n * cost.lanes;
  stream.counts.bytes_requested += n * cost.bytes;
  stream.counts.sectors += n * cost.sectors;
  stream.counts.ideal_sectors += n * cost.ideal_sectors;
  stream.counts.wavefronts += n * cost.wavefronts;
  stream.counts.ideal_wavefronts += n * cost.ideal_wavefronts;
  stream.counts.turns += n * cost.turns;
  stream.counts.passes += n * cost.bank_passes;
  cost.executions = 0;
}

void Traffic::Impl::take_lines(PatternCost& cost, std::uint64_t first_line) {
  cost.lines.assign(footprint.lines.begin(), footprint.lines.begin() + footprint.line_count);
  std::int64_t low = 0, high = 0;
  cost.partial = false;
  cost.part_lines = cost.part_sectors = 0;
  for (TouchedLine& line : cost.lines) {
    cost.partial |= line.partial != 0;
    add_parts(cost, line);
    line.line -= first_line;
    low = std::min(low, static_cast<std::int64_t>(line.line));
    high = std::max(high, static_cast<std::int64_t>(line.line));
  }
  cost.low_line = static_cast<std::uint64_t>(low);
  cost.high_line = static_cast<std::uint64_t>(high);
  cost.sectors = footprint.sectors;
  cost.ideal_sectors = footprint.ideal_sectors();
  cost.one_line = cost.lines.size() == 1;
  cost.whole_line = cost.one_line && cost.sectors == kSectorsPerLine && !cost.partial;
  cost.in_a_row = cost.high_line - cost.low_line + 1 == cost.lines.size();
}

SmTraffic& Traffic::Impl::new_sm(std::uint32_t sm) {
  latest_here = {};
  const std::size_t before = sms.size();
  sms.resize(sm + 1);
  l1.resize(sm + 1);
  stores.resize(sm + 1);
  for (std::size_t i = before; i <= sm; ++i) l1[i].reset(l1_bytes);
  often.resize(sm + 1);
  return sms[sm];
}

std::uint32_t Traffic::Impl::tag_passes(const PatternCost& cost, std::uint64_t first_line, bool on_device) {
  std::array<std::uint32_t, 4> in_bank{};
  for (const TouchedLine& line : cost.lines) {
    const std::uint64_t l = name_of(line.line + first_line, on_device);
    ++in_bank[(l ^ (l >> 2) ^ (l >> 4) ^ (l >> 6) ^ (l >> 8)) & 3];
  }
  return std::max(std::max(in_bank[0], in_bank[1]), std::max(in_bank[2], in_bank[3]));
}

// Which allocation a load or store went to. Most lie well within the one that the instruction's latest went to.
void Traffic::Impl::count_buffer(const Access& a, Stream& stream, const PatternCost& cost,
                                 std::uint64_t first_line) {
  const auto road = a.kind == AccessKind::store ? &BufferCounters::store : &BufferCounters::load;
  BufferTable::Entry* const b = stream.buffer;
  Latest& l = latest[a.site->id];
  if (b == nullptr || !b->holds_lines(first_line + cost.low_line, first_line + cost.high_line)) {
    l.settle_buffer();
    stream.buffer = buffers.count(a, road, b);
    return;
  }
  if (a.evict_first) b->hinted_bytes += cost.bytes;
  if (a.asynchronous) b->async_bytes += cost.bytes;
  if (&cost == l.cost && l.shape != 0) {
    ++l.in_buffer;
    return;
  }
  RoadCounters& n = b->*road;
  n.requests += 1;
  n.lanes += cost.lanes;
  n.bytes += cost.bytes;
  n.sectors += cost.sectors;
}

void Traffic::Impl::count_texture_buffers(const TextureAccess& a, const std::uint64_t* sectors,
                                          std::size_t count) {
  const auto road = a.kind == AccessKind::store ? &BufferCounters::surface_store : &BufferCounters::texture;
  BufferTable::Entry* b = buffers.find(a.address[0]);
  if (b != nullptr) {
    (b->*road).requests += 1;
    (b->*road).lanes += count_lanes(a.mask);
  }
  const auto move_to = [&](std::uint64_t address) {
    if (b == nullptr || !b->allocation->contains(address, 1)) b = buffers.find(address);
    return b != nullptr;
  };
  for (std::uint32_t t = 0; t < a.texels; ++t)
    if (move_to(a.address[t])) (b->*road).bytes += a.bytes;
  for (std::size_t i = 0; i < count; ++i)
    if (move_to(sectors[i] * kSectorBytes)) (b->*road).sectors += 1;
}

// A block's place in its cluster.
std::uint64_t Traffic::Impl::rank_of(const WarpId& warp) const {
  const Dim3 &at = warp.block, &of = launch.cluster;
  const auto in = [](std::uint64_t n, std::uint64_t size) { return n % std::max<std::uint64_t>(1, size); };
  return in(at.x, of.x) + of.x * (in(at.y, of.y) + std::uint64_t{of.y} * in(at.z, of.z));
}

// Shared memory of another block of the cluster.
void Traffic::Impl::count_remote(const Access& a) {
  std::array<std::uint64_t, kWarpLanes> address;
  std::uint32_t lanes = 0;
  for (std::uint32_t rest = a.mask; rest != 0; rest &= rest - 1)
    address[lanes++] = a.address[static_cast<std::uint32_t>(std::countr_zero(rest))];
  std::sort(address.begin(), address.begin() + lanes);
  Stream& stream = stream_of(a);
  SiteCounters& site = stream.counts;
  if (stream.takes_turns && contains(a.site->name, ".add")) {
    constexpr std::uint64_t kSharedBytes = 1u << 20;  // more than any block has
    std::uint64_t& most = remote_loops[a.owner->block_linear];
    for (std::uint32_t i = 0; i < lanes; ++i)
      if (const AddressCounts::Entry* word = remote_loop_words.add(
              a.owner->block_linear * kSharedBytes + address[i] % kSharedBytes, 1, stream.index))
        most = std::max(most, word->lanes);
  }
  site.remote_requests += 1;
  site.remote_lanes += lanes;
  std::uint64_t lines = 0;
  for (std::uint32_t i = 0; i < lanes; ++lines) {
    const std::uint64_t line = address[i] / kLineBytes;
    std::uint32_t most = 1;
    std::uint64_t sector = ~std::uint64_t{0};
    while (i < lanes && address[i] / kLineBytes == line) {
      const std::uint32_t first = i;
      if (address[i] / kSectorBytes != sector) ++site.remote_sectors;
      sector = (address[i] + a.bytes - 1) / kSectorBytes;
      if (sector != address[i] / kSectorBytes) ++site.remote_sectors;
      while (i < lanes && address[i] == address[first]) ++i;
      most = std::max(most, i - first);
    }
    site.remote_turns += most - 1;
  }
  site.remote_lines += lines;
  const std::uint64_t rank = rank_of(*a.owner);
  if (rank >= served_lines.size()) served_lines.resize(rank + 1);
  served_lines[rank] += lines;
  const std::uint64_t bytes = std::uint64_t{count_lanes(a.mask)} * a.bytes;
  (a.kind == AccessKind::load    ? counters.remote_load_bytes
   : a.kind == AccessKind::store ? counters.remote_store_bytes
                                 : counters.remote_atomic_bytes) += bytes;
}

void Traffic::Impl::count_bulk(const BulkAccess& b) {
  Counters& c = counters;
  const bool load = b.kind == AccessKind::load;
  if (load) {
    c.bulk_delivered_bytes += b.bytes * b.targets;
    if (b.multicast) {
      c.multicast_bytes += b.bytes;
      c.multicast_delivered_bytes += b.bytes * b.targets;
    }
  }
  if (!b.tensor) return;
  std::uint64_t& bytes = load ? c.tensor_load_bytes : c.tensor_store_bytes;
  std::uint64_t& swizzle = load ? c.tensor_load_swizzle : c.tensor_store_swizzle;
  std::uint64_t& row = load ? c.tensor_load_row : c.tensor_store_row;
  swizzle = bytes == 0 ? b.swizzle_bytes : std::min<std::uint64_t>(swizzle, b.swizzle_bytes);
  row = bytes == 0 ? b.row_bytes : std::min<std::uint64_t>(row, b.row_bytes);
  bytes += b.bytes;
}

void Traffic::Impl::global(const Access& a, Stream& stream) {
  const std::uint64_t first = a.first();
  const std::uint64_t first_line = first / kLineBytes;
  PatternCost& cost = cost_of(stream, a, first, first % kLineBytes, [&](PatternCost& c) {
    footprint_of(a.address, a.mask, a.bytes, footprint);
    take_lines(c, first_line);
    const Wavefronts w = wavefronts_of(a.address, a.mask, a.bytes, BankRule::plain);
    c.wavefronts = w.taken;
    c.ideal_wavefronts = w.ideal;
    c.bank_passes = 0;
    if (a.kind == AccessKind::store)
      for (const TouchedLine& line : c.lines) c.bank_passes += count_sectors(line.partial);
  });

  if (buffers.counts()) count_buffer(a, stream, cost, first_line);
  if (a.evict_first) stream.counts.hinted_bytes += cost.bytes;

  SmTraffic& sm = sm_of(a);
  const std::uint32_t sm_index = a.warp != nullptr ? a.warp->sm : 0;
  const bool on_device = is_on_device(first);
  sm.data_wavefronts += cost.wavefronts;
  const std::uint32_t tags = cost.lines.size() == 1 ? 1 : tag_passes(cost, first_line, on_device);
  sm.tag_wavefronts += tags;
  const bool evict_first = a.hint == CacheHint::streaming || a.hint == CacheHint::last_use;
  if (a.kind == AccessKind::store) {
    store_lines(cost, first_line, sm_index, sm, stores[sm_index].merge(a, cost, first_line), evict_first,
                on_device);
  } else {
    const bool in_l1 = a.hint != CacheHint::l2_only && a.hint != CacheHint::uncached;
    stores[sm_index].load(cost.lines.size());
    sm.load_tags += tags;
    stream.counts.tag_passes += tags;
    const std::uint64_t part = in_l1 && on_device && a.shape == 0 && a.warp != nullptr
                                   ? part_of_table(stream, cost, first_line, *a.warp)
                                   : 0;
    const Moment now = a.warp != nullptr ? Moment{here(*a.warp).wave, a.warp->turn} : Moment{};
    load_lines(cost, first_line, sm_index, sm, stream, in_l1, evict_first, on_device, part, now);
  }
  if (!cost.remembered) add_executions(stream, cost);
}

// A slice's caches of single SMs are as large as the card's, but a table that shrinks with the slice is not: it would be found in the L1 far too
// often. Of one that is gathered from, and is large, each block has a part of the card's in sight, and what all blocks ask for is found in a small
// part of the L1. Each of both is half as likely to have a line of many as the card's L1 is.
// @return what to add to the numbers of lines, so that other parts are other lines; 0: nothing.
std::uint64_t Traffic::Impl::part_of_table(Stream& stream, const PatternCost& cost, std::uint64_t first_line,
                                           const WarpId& warp) {
  constexpr std::uint64_t kLarge = (32 * 1024) / kLineBytes, kApart = 8;  // lines, lines of one request
  if (config.slice == 1 || cost.lines.size() < kApart) return 0;
  stream.scattered_low = std::min(stream.scattered_low, first_line + cost.low_line);
  stream.scattered_high = std::max(stream.scattered_high, first_line + cost.high_line);
  if (stream.scattered_high - stream.scattered_low < kLarge) return 0;
  if (often[warp.sm].empty()) often[warp.sm].reset(l1_bytes / (2 * config.slice));
  const std::uint64_t mixed = (warp.block_linear * 0x9E37'79B9u) >> 16;
  return (mixed % (2 * config.slice)) << 40;
}

// Sectors of a line that the L1 lacks, from device memory. @return whether they come from DRAM, or are still on their way from there.
[[gnu::always_inline]] inline bool Traffic::Impl::ask_l2(std::uint32_t tag, std::uint8_t missing,
                                                         bool evict_first, std::uint32_t sm, Stream& stream,
                                                         Moment now) {
  counters.l2_read_sectors += count_sectors(missing);
  const std::uint8_t held = l2.load(tag, missing, evict_first, sm, dram);
  stream.l2_hit_sectors += count_sectors(held);
  if (held == missing) return arrivals.is_on_its_way(tag, now);
  arrivals.add(tag, now);
  return true;
}

[[gnu::always_inline]] inline void Traffic::Impl::load_lines(const PatternCost& cost,
                                                             std::uint64_t first_line, std::uint32_t sm,
                                                             SmTraffic& place, Stream& stream, bool in_l1,
                                                             bool evict_first, bool on_device,
                                                             std::uint64_t part, Moment now) {
  bool beyond_l1 = false, beyond_l2 = false, of_host = false;
  L1Cache& own = l1[sm];
  place.load_lines += cost.lines.size();
  for (const TouchedLine& line : cost.lines) {
    const std::uint32_t tag = line_tag(name_of(first_line + line.line, on_device));
    std::uint8_t missing = line.sectors;
    Arrival* came = nullptr;
    if (in_l1) {
      std::uint8_t hit = 0;
      if (part == 0) [[likely]]
        hit = own.load(tag, line.sectors, evict_first, came);
      else
        hit = own.load(line_tag(first_line + line.line + part), line.sectors, evict_first) |
              often[sm].load(tag, line.sectors, evict_first);
      missing = static_cast<std::uint8_t>(missing & ~hit);
      stream.hit_sectors += count_sectors(hit);
    }
    if (missing == 0) {
      if (came == nullptr) continue;
      if (came->is_on_its_way(now)) {
        beyond_l1 = true;
        beyond_l2 |= came->far();
      } else if (!came->is_of(now)) {
        *came = {};
      }
      continue;
    }
    const auto sectors = count_sectors(missing);
    place.fill_sectors += sectors;
    place.lone_sectors += lone_sectors_of(missing);
    ++stream.counts.fills;
    beyond_l1 = true;
    bool far = true;
    if (on_device) {
      far = ask_l2(tag, missing, evict_first, sm, stream, now);
    } else {
      counters.host_link_read_bytes += std::uint64_t{kSectorBytes} * sectors;
      link_bytes += link_read_bytes(sectors);
      of_host = true;
    }
    beyond_l2 |= far;
    if (came != nullptr) *came = Arrival(now, far);
  }
  stream.went_beyond_l1 = beyond_l1;
  stream.counts.beyond_l1_requests += beyond_l1 ? 1 : 0;
  stream.counts.beyond_l2_requests += beyond_l2 ? 1 : 0;
  stream.counts.host_requests += of_host ? 1 : 0;
}

// @param merged what leaves the L1 with stores before.
[[gnu::always_inline]] inline void Traffic::Impl::store_lines(const PatternCost& cost,
                                                              std::uint64_t first_line, std::uint32_t sm,
                                                              SmTraffic& place, StoreQueue::Merged merged,
                                                              bool evict_first, bool on_device) {
  const std::uint32_t sent = cost.sectors - merged.sectors;
  const auto lines = static_cast<std::uint32_t>(cost.lines.size());
  place.store_sectors += sent;
  const auto share = [](std::uint64_t n, std::uint32_t left, std::uint32_t all) {
    return left == all ? n : n * left / std::max(1u, all);
  };
  place.store_lines += lines - merged.lines;
  place.part_lines += share(cost.part_lines, lines - merged.lines, lines);
  place.part_sectors += share(cost.part_sectors, sent, cost.sectors);
  if (!on_device) {
    counters.host_link_write_bytes += std::uint64_t{kSectorBytes} * cost.sectors;
    for (const TouchedLine& line : cost.lines) link_bytes += link_write_bytes(line);
    return;
  }
  counters.l2_write_sectors += sent;
  for (const TouchedLine& line : cost.lines) {
    const std::uint32_t tag = line_tag(first_line + line.line);
    l1[sm].store(tag, evict_first);
    l2.store(tag, line, evict_first, dram);
  }
}

// What load_lines() does of a plain load of one line of the device, all of it; ...
[[gnu::always_inline]] inline void Traffic::Impl::load_whole_line(std::uint64_t line, const Here& place,
                                                                  Stream& stream, Moment now) {
  SmTraffic& sm = *place.traffic;
  ++sm.load_lines;
  const std::uint32_t tag = line_tag(line);
  Arrival* came = nullptr;
  const std::uint8_t hit = place.l1->load(tag, kAllSectors, false, came);
  bool far = false;
  if (hit == kAllSectors) {
    stream.hit_sectors += kSectorsPerLine;
    stream.went_beyond_l1 = came->is_on_its_way(now);
    if (stream.went_beyond_l1)
      far = came->far();
    else if (!came->is_of(now))
      *came = {};
  } else {
    const auto missing = static_cast<std::uint8_t>(kAllSectors & ~hit);
    const auto sectors = count_sectors(missing);
    stream.hit_sectors += kSectorsPerLine - sectors;
    sm.fill_sectors += sectors;
    if (hit != 0) sm.lone_sectors += lone_sectors_of(missing);
    ++stream.counts.fills;
    far = ask_l2(tag, missing, false, place.sm, stream, now);
    stream.went_beyond_l1 = true;
    if (came != nullptr) *came = Arrival(now, far);
  }
  stream.counts.beyond_l1_requests += stream.went_beyond_l1 ? 1 : 0;
  stream.counts.beyond_l2_requests += far ? 1 : 0;
}

// ... and what store_lines() does of such a store.
[[gnu::always_inline]] inline void Traffic::Impl::store_whole_line(const TouchedLine& touched,
                                                                   std::uint64_t line, const Here& place) {
  place.traffic->store_sectors += kSectorsPerLine;
  ++place.traffic->store_lines;
  counters.l2_write_sectors += kSectorsPerLine;
  const std::uint32_t tag = line_tag(line);
  place.l1->store(tag, false);
  l2.store(tag, touched, false, dram);
}

// A plain load or store like its site's latest, in the same allocation of the device: most of what kernels do with global memory.
// @return false if it is none, and nothing has been counted.
[[gnu::always_inline]] inline bool Traffic::Impl::global_quickly(const Access& a) {
  if (a.shape == 0 || a.cost != nullptr || a.machine != nullptr || a.warp == nullptr || a.asynchronous ||
      a.evict_first || a.hint != CacheHint::normal || a.kind > AccessKind::store)
    return false;
  const std::uint32_t id = a.site->id;
  if (id >= latest.size()) return false;
  Latest& l = latest[id];
  const std::uint64_t first = a.first(), first_line = first / kLineBytes;
  if (!l.differs_by_remainder(a)) return false;
  Stream& stream = *l.stream;
  if (const std::uint32_t remainder = first % kLineBytes; l.remainder != remainder) {
    // Rows of a tile half as wide as a line begin at two places in turns.
    PatternCost* const known = stream.memo.known(a.shape, remainder);
    if (known == nullptr) return false;
    l.go_on_with(*known, remainder);
  }
  const PatternCost& cost = *l.cost;
  if (stream.buffer == nullptr || !is_on_device(first) ||
      !stream.buffer->holds_lines(first_line + cost.low_line, first_line + cost.high_line))
    return false;
  const Here& place = here(*a.warp);
  ++l.executions;
  ++l.in_buffer;
  SmTraffic& sm = *place.traffic;
  sm.data_wavefronts += cost.wavefronts;
  const std::uint32_t tags = cost.one_line ? 1 : tag_passes(cost, first_line);
  sm.tag_wavefronts += tags;
  const bool load = a.kind == AccessKind::load;
  if (place.marks != nullptr) {
    const std::uint32_t bit = 1u << (a.warp->warp & 31);
    place.marks->touching |= bit;
    if (!load) place.marks->writing |= bit;
  }
  // The next warp asks for the line behind, as a rule, and the model's own tables are larger than the host's nearest cache.
  const std::uint32_t behind = line_tag(first_line + cost.high_line + 1);
  if (load) {
    if (stream.went_beyond_l1 && cost.in_a_row) l2.expect(behind, place.sm);
    place.stores->load(cost.lines.size());
    sm.load_tags += tags;
    stream.counts.tag_passes += tags;
    const Moment now{place.wave, a.warp->turn};
    if (cost.whole_line)
      load_whole_line(first_line, place, stream, now);
    else
      load_lines(cost, first_line, place.sm, sm, stream, true, false, true, 0, now);
    return true;
  }
  if (cost.in_a_row) l2.expect_at_home(behind);
  if (cost.whole_line) {
    place.stores->let_pass(1);
    store_whole_line(cost.lines[0], first_line, place);
  } else {
    store_lines(cost, first_line, place.sm, sm, place.stores->merge(a, cost, first_line), false, true);
  }
  return true;
}

void Traffic::Impl::global_access(const Access& a) {
  if (!global_quickly(a)) any_access(a);
}

void Traffic::Impl::global_atomic(const Access& a, Stream& stream) {
  const std::uint64_t first = a.first();
  const auto lanes = count_lanes(a.mask);
  footprint_of(a.address, a.mask, a.bytes, footprint);
  const Wavefronts w = wavefronts_of(a.address, a.mask, a.bytes, BankRule::plain);
  SiteCounters& c = stream.counts;
  c.requests += 1;
  c.lanes += lanes;
  c.bytes_requested += std::uint64_t{lanes} * a.bytes;
  c.sectors += footprint.sectors;
  c.ideal_sectors += footprint.ideal_sectors();
  c.wavefronts += w.taken;
  c.ideal_wavefronts += w.ideal;
  if (buffers.counts()) stream.buffer = buffers.count(a, &BufferCounters::atomic, stream.buffer);

  const bool on_device = is_on_device(first);
  if (!on_device)
    for (std::uint32_t i = 0; i < footprint.line_count; ++i)
      footprint.lines[i].line = host_lines.name_of(footprint.lines[i].line);
  SmTraffic& sm = sm_of(a);
  sm.data_wavefronts += w.taken;
  sm.tag_wavefronts += tag_wavefronts_of(footprint);
  sm.load_lines += footprint.line_count;
  sm.load_tags += footprint.line_count;  // each goes on to the L2
  c.tag_passes += footprint.line_count;
  sm.store_sectors += footprint.sectors;
  if (a.kind == AccessKind::atomic) sm.fill_sectors += footprint.sectors;

  const std::uint64_t* const at = a.address;
  for (std::uint32_t rest = a.mask; rest != 0 && stream.always_uniform; rest &= rest - 1) {
    stream.always_uniform = at[std::countr_zero(rest)] == first;
  }
  const std::uint64_t busy = occupy_lines(a, stream);
  if (a.cost != nullptr) a.cost->line_cycles = std::max(a.cost->line_cycles, static_cast<double>(busy) / 100);

  if (!on_device) {
    counters.host_link_read_bytes += std::uint64_t{kSectorBytes} * footprint.sectors;
    counters.host_link_write_bytes += std::uint64_t{kSectorBytes} * footprint.sectors;
    link_bytes += 2 * link_read_bytes(1) * footprint.sectors;  // there and back
    return;
  }
  (a.kind == AccessKind::atomic ? counters.l2_atomic_sectors : counters.l2_reduction_sectors) +=
      footprint.sectors;
  L1Cache& own = l1[a.warp != nullptr ? a.warp->sm : 0];
  for (std::uint32_t i = 0; i < footprint.line_count; ++i) {
    const TouchedLine& line = footprint.lines[i];
    const std::uint32_t tag = line_tag(line.line);
    own.drop(tag, line.sectors);
    stream.l2_hit_sectors += count_sectors(l2.atomic(tag, line.sectors, dram));
  }
}

std::uint64_t Traffic::Impl::occupy_lines(const Access& a, const Stream& stream) {
  const std::uint64_t lane_cost = stream.lane_cost();
  std::array<std::uint64_t, kWarpLanes> address;
  std::uint32_t lanes = 0;
  const std::uint64_t* const at = a.address;
  for (std::uint32_t rest = a.mask; rest != 0; rest &= rest - 1)
    address[lanes++] = at[std::countr_zero(rest)];
  std::sort(address.begin(), address.begin() + lanes);
  std::uint64_t longest = 0;
  for (std::uint32_t i = 0; i < lanes;) {
    const std::uint64_t unit = atomic_unit_of(address[i] / kLineBytes);
    AddressCounts::Entry* const entry = atomic_units.add(unit, 1, stream.index);
    std::uint64_t busy = 0;
    while (i < lanes && atomic_unit_of(address[i] / kLineBytes) == unit) {
      const std::uint64_t sector = address[i] / kSectorBytes;
      std::uint32_t addresses = 0, most = 0;
      while (i < lanes && address[i] / kSectorBytes == sector) {
        const std::uint32_t first = i;
        while (i < lanes && address[i] == address[first]) ++i;
        most = std::max(most, i - first);
        ++addresses;
      }
      const bool whole = addresses * std::max<std::uint32_t>(a.bytes, 4) >= kWordsOfSector * 4;
      busy += whole                     ? most * kWholeSector
              : most == 1 && !a.uniform ? kLoneLanes
                                        : most * (stream.takes_turns ? kIntegerLane : lane_cost);
      // Of floats, a second lane on an address begins when the first one's sum is there; so does another warp's on the one address that all go
      // to (a lane of each warp: 1.76 ns on an H100, ladders/held_out_6/solvers.cu).
      if (stream.takes_turns && (most > 1 || a.uniform))
        busy += std::max(lane_cost * std::max(1u, most - 1), most * kIntegerLane) - most * kIntegerLane;
    }
    if (entry != nullptr) entry->lanes += busy - 1;
    all_atomic_units += stream.one_address && !stream.takes_turns ? lane_cost : busy;
    longest = std::max(longest, busy);
  }
  return longest;
}

// @return whether it is another one like the site's latest.
bool Traffic::Impl::shared_again(const Access& a) {
  const std::uint32_t id = a.site->id;
  if (id >= latest.size() || !latest[id].is_like(a, a.first() % 4)) return false;
  ++latest[id].executions;
  sm_of(a).data_wavefronts += latest[id].wavefronts;
  if (a.kind == AccessKind::load) stores[a.warp != nullptr ? a.warp->sm : 0].pause();
  return true;
}

// The same for the access as a whole, the machine's parts of it included: of kernels with tiles, by far most.
inline bool Traffic::Impl::shared_quickly(const Access& a) {
  if (a.shape == 0 || a.owner != nullptr || a.cost != nullptr || a.warp == nullptr) return false;
  std::uint32_t parts = 1;
  if (a.machine != nullptr) {
    if (!a.machine->alike) return false;
    parts = a.machine->count;
  }
  const std::uint32_t id = a.site->id;
  if (id >= latest.size() || activity.follows_copies()) return false;
  Latest& l = latest[id];
  if (parts != 0 && !l.is_like(a, a.first() % 4)) return false;
  const Here& place = here(*a.warp);
  if (place.words != nullptr) exchange.watched(a, *place.words);
  if (a.kind == AccessKind::load) place.stores->pause();
  l.executions += parts;
  place.traffic->data_wavefronts += std::uint64_t{parts} * l.wavefronts;
  if (place.marks == nullptr || parts == 0) return true;
  if (a.kind == AccessKind::load) place.marks->shared_loaded += std::uint64_t{parts} * l.bytes;
  if (a.kind == AccessKind::store) place.marks->storing |= 1u << (a.warp->warp & 31);
  return true;
}

void Traffic::Impl::shared(const Access& a, Stream& stream) {
  const std::uint64_t first = a.first();
  BankRule rule = BankRule::plain;
  switch (a.kind) {
    case AccessKind::load:
      rule = BankRule::shared_load;
      break;
    case AccessKind::store:
      rule = stream.copies_asynchronously ? BankRule::each_lane : BankRule::plain;
      break;
    case AccessKind::atomic:
    case AccessKind::reduction:
      rule = a.adds_one ? BankRule::plain : BankRule::each_lane;
      break;
  }
  // Conflicts depend on the shape only, so that offsets within a word are all that a result is kept for.
  PatternCost& cost = cost_of(stream, a, first, first % 4, [&](PatternCost& c) {
    c.lines.clear();
    c.sectors = c.ideal_sectors = 0;
    const bool atomic = is_atomic(a.kind);
    if (atomic && a.bytes <= 4 && each_bank_once(a.address, a.mask)) {  // a column for each lane
      c.turns = c.bank_passes = c.wavefronts = c.ideal_wavefronts = 1;
      return;
    }
    const Wavefronts w = wavefronts_of(a.address, a.mask, a.bytes, rule);
    if (atomic) {
      c.turns = most_on_one_address(a.address, a.mask);
      c.bank_passes = rule == BankRule::plain
                          ? w.taken
                          : wavefronts_of(a.address, a.mask, a.bytes, BankRule::plain).taken;
    }
    c.wavefronts = w.taken;
    c.ideal_wavefronts = w.ideal;
  });
  sm_of(a).data_wavefronts += cost.wavefronts;
  if (a.kind == AccessKind::load) stores[a.warp != nullptr ? a.warp->sm : 0].pause();
  if (!cost.remembered) add_executions(stream, cost);
}

void Traffic::Impl::local(const Access& a, Stream& stream) {
  // Words of one offset of all 32 lanes lie side by side: word w of lane l at line w, bytes 4 l and on.
  const std::uint64_t first = a.first();
  const std::uint64_t first_word = first / 4;
  PatternCost& cost = cost_of(stream, a, first, first % 4, [&](PatternCost& c) {
    // Each word of the access is a footprint of its own; together they touch `words` lines a distinct offset.
    c.lines.clear();
    c.sectors = c.part_lines = c.part_sectors = 0;
    c.bank_passes = 0;
    std::uint32_t distinct_bytes = 0;
    const std::uint32_t words = std::max(1u, a.bytes / 4u), part = std::min<std::uint32_t>(a.bytes, 4);
    std::array<std::uint64_t, kWarpLanes> place{};
    for (std::uint32_t w = 0; w < words; ++w) {
      for (std::uint32_t lane = 0; lane < kWarpLanes; ++lane) {
        if ((a.mask >> lane & 1) == 0) continue;
        const std::uint64_t offset = a.address[lane] + 4ull * w;
        place[lane] = offset / 4 * kLineBytes + 4ull * lane + offset % 4;
      }
      footprint_of(place.data(), a.mask, part, footprint);
      distinct_bytes += footprint.distinct_bytes;
      for (std::uint32_t i = 0; i < footprint.line_count; ++i) {
        TouchedLine line = footprint.lines[i];
        c.sectors += count_sectors(line.sectors);
        add_parts(c, line);
        line.line -= first_word;
        c.lines.push_back(line);
      }
    }
    c.ideal_sectors = (distinct_bytes + kSectorBytes - 1) / kSectorBytes;
    // A lane's words always lie in the lane's own bank.
    c.wavefronts = c.ideal_wavefronts = words;
  });

  const std::uint32_t sm_index = a.warp != nullptr ? a.warp->sm : 0;
  const std::uint64_t slot = a.warp != nullptr ? a.warp->slot : 0,
                      warp = a.warp != nullptr ? a.warp->warp : 0;
  const std::uint64_t first_line =
      kLocalLines + ((sm_index * slots + slot) * warps_per_block + warp) * local_lines_per_warp + first_word;
  SmTraffic& sm = sm_of(a);
  sm.data_wavefronts += cost.wavefronts;
  const std::uint32_t tags = cost.lines.size() == 1 ? 1 : tag_passes(cost, first_line);
  sm.tag_wavefronts += tags;
  if (a.kind == AccessKind::load) {
    sm.load_lines += cost.lines.size();
    sm.load_tags += tags;
    stream.counts.tag_passes += tags;
  }
  std::uint32_t passes = 0;
  for (const TouchedLine& line : cost.lines) {
    const std::uint32_t tag = line_tag(first_line + line.line);
    const std::uint8_t hit = l1[sm_index].load(tag, line.sectors, false);
    if (a.kind == AccessKind::store) {
      const auto sectors = count_sectors(line.sectors);
      passes += count_sectors(line.partial);
      sm.store_sectors += sectors;
      counters.l2_write_sectors += sectors;
      l2.store(tag, line, false, dram);
      continue;
    }
    stream.hit_sectors += count_sectors(hit);
    const auto missing = static_cast<std::uint8_t>(line.sectors & ~hit);
    if (missing == 0) continue;
    const auto sectors = count_sectors(missing);
    sm.fill_sectors += sectors;
    sm.lone_sectors += lone_sectors_of(missing);
    ++stream.counts.fills;
    counters.l2_read_sectors += sectors;
    stream.l2_hit_sectors += count_sectors(l2.load(tag, missing, false, sm_index, dram));
  }
  sm.local_store_passes += passes;
  if (a.kind == AccessKind::store) {
    sm.part_lines += cost.part_lines;
    sm.part_sectors += cost.part_sectors;
  }
  stream.counts.passes += passes;
  if (!cost.remembered) add_executions(stream, cost);
}

/// Lines that the SM's nearest cache of constants does not hold. It is small; what lies in one of its lines stays until another line
/// comes there.
std::uint32_t Traffic::Impl::constant_misses(const Access& a) {
  const std::uint32_t index = a.warp != nullptr ? a.warp->sm : 0;
  if (index >= constant_lines.size()) constant_lines.resize(index + 1);
  auto& lines = constant_lines[index];
  std::uint32_t misses = 0;
  const auto touch = [&](std::uint64_t address) {
    const std::uint64_t line = address / kConstantLineBytes + 1;
    std::uint64_t& held = lines[line % kConstantLines];
    misses += held != line;
    held = line;
  };
  const std::uint64_t first = a.first();
  touch(first);
  if (a.bytes > 4) touch(first + a.bytes - 1);
  for (std::uint32_t rest = a.mask & (a.mask - 1); rest != 0; rest &= rest - 1) {
    const std::uint64_t address = a.address[static_cast<std::uint32_t>(std::countr_zero(rest))];
    if (address / kConstantLineBytes != first / kConstantLineBytes) touch(address);
  }
  return misses;
}

void Traffic::Impl::constant(const Access& a, Stream& stream) {
  const std::uint64_t first = a.first();
  PatternCost& cost = cost_of(stream, a, first, first % 4, [&](PatternCost& c) {
    c.lines.clear();
    c.sectors = c.ideal_sectors = c.bank_passes = 0;
    c.wavefronts = constant_passes_of(a.address, a.mask);
    c.ideal_wavefronts = 1;
  });
  // An address that stands in the instruction costs nothing; one in a register is a load.
  if (cost.wavefronts > 1 || a.indexed) sm_of(a).constant_passes += cost.wavefronts;
  if (a.uniform_pieces == 0) {
    sm_of(a).constant_passes += kConstantMiss * constant_misses(a);
  } else if (cost.wavefronts == 1) {
    SmTraffic& sm = sm_of(a);
    sm.uniform_pieces += a.uniform_pieces;
    sm.uniform_begin = std::min(sm.uniform_begin, first);
    sm.uniform_end = std::max(sm.uniform_end, first + a.bytes);
  }
  if (!cost.remembered) add_executions(stream, cost);
}

// Adds up the instructions of the launch.
/// Approximate: texels are looked up in the same cache as loads, the tiles are an assumption (memory/textures.hpp), and the four
/// texture units of an SM take four lanes a cycle.
void Traffic::Impl::texture(const TextureAccess& a, SmTraffic& sm, Stream& stream) {
  const std::uint32_t sm_index = a.warp != nullptr ? a.warp->sm : 0;
  L1Cache& own = l1[sm_index];
  const auto lanes = count_lanes(a.mask);
  SiteCounters& c = stream.counts;
  c.requests += 1;
  c.lanes += lanes;
  c.bytes_requested += std::uint64_t{a.texels} * a.bytes;
  const std::uint32_t passes = (lanes + 3) / 4;
  c.wavefronts += passes;
  c.ideal_wavefronts += passes;
  if (a.kind == AccessKind::store) {
    counters.surface_store_bytes += std::uint64_t{a.texels} * a.bytes;
  } else {
    const auto filtered = static_cast<std::uint32_t>(std::popcount(a.filtered));
    counters.texture_bytes += std::uint64_t{a.texels} * a.bytes;
    counters.texture_filtered += filtered;
    (a.surface   ? counters.surface_loads
     : a.gathers ? counters.texture_gathers
                 : counters.texture_point) += lanes - filtered;
  }
  const std::uint64_t unit_cycles = texture_unit_cycles(a, lanes);
  sm.texture_cycles += unit_cycles;
  c.texture_cycles += unit_cycles;
  if (a.texels == 0) return;  // all outside

  // Distinct sectors; a texel may not straddle two.
  std::array<std::uint64_t, 1024> sectors;
  std::size_t count = 0;
  for (std::uint32_t t = 0; t < a.texels && count < sectors.size(); ++t) {
    const std::uint64_t sector = a.address[t] / kSectorBytes;
    if (count == 0 || sectors[count - 1] != sector) sectors[count++] = sector;
  }
  std::sort(sectors.begin(), sectors.begin() + static_cast<std::ptrdiff_t>(count));
  count = static_cast<std::size_t>(
      std::unique(sectors.begin(), sectors.begin() + static_cast<std::ptrdiff_t>(count)) - sectors.begin());
  c.sectors += count;
  c.ideal_sectors += count;
  if (buffers.counts()) count_texture_buffers(a, sectors.data(), count);
  const bool store = a.kind == AccessKind::store;
  const bool in_parts = store && std::uint64_t{a.texels} * a.bytes < count * kSectorBytes;
  const bool on_device = is_on_device(a.address[0]);
  for (std::size_t i = 0; i < count;) {
    TouchedLine line;
    line.line = sectors[i] / kSectorsPerLine;
    for (; i < count && sectors[i] / kSectorsPerLine == line.line; ++i)
      line.sectors = static_cast<std::uint8_t>(line.sectors | 1u << (sectors[i] % kSectorsPerLine));
    const std::uint32_t tag = line_tag(name_of(line.line, on_device));
    ++sm.tag_wavefronts;
    ++sm.texture_lines;
    std::uint8_t missing = line.sectors;
    if (store) {
      sm.store_sectors += count_sectors(missing);
      ++sm.store_lines;
      line.bytes.fill(~0u);
      if (in_parts) {
        ++sm.part_lines;
        sm.part_sectors += count_sectors(missing);
      }
    } else {
      const std::uint8_t hit = own.load(tag, line.sectors, false);
      missing = static_cast<std::uint8_t>(missing & ~hit);
      stream.hit_sectors += count_sectors(hit);
      if (missing == 0) continue;
      sm.fill_sectors += count_sectors(missing);
      sm.lone_sectors += lone_sectors_of(missing);
      ++c.fills;
    }
    const auto moved = count_sectors(missing);
    if (!on_device) {
      (store ? counters.host_link_write_bytes : counters.host_link_read_bytes) +=
          std::uint64_t{kSectorBytes} * moved;
      link_bytes += link_read_bytes(moved);
    } else if (store) {
      counters.l2_write_sectors += moved;
      l2.store(tag, line, false, dram);
    } else {
      counters.l2_read_sectors += moved;
      stream.l2_hit_sectors += count_sectors(l2.load(tag, missing, false, sm_index, dram));
    }
  }
}

void Traffic::Impl::sum_up() {
  Counters& c = counters;
  for (Latest& l : latest) l.settle();
  for (std::size_t i = 0; i < streams_used; ++i) {
    Stream& s = streams[i];
    s.memo.for_each([&](PatternCost& cost) { add_executions(s, cost); });
    s.counts.l1_hit_sectors = s.hit_sectors;
    s.counts.l2_hit_sectors = s.l2_hit_sectors;
    if (s.counts.memory == Memory::global && s.counts.kind == AccessKind::load)
      s.counts.looks = look_back.of(s.counts.site->id);
    const SiteCounters& n = s.counts;
    if (n.kind == AccessKind::load) c.l2_read_hit_sectors += s.l2_hit_sectors;
    const std::uint64_t conflicts = n.wavefronts - n.ideal_wavefronts;
    switch (n.memory) {
      case Memory::global:
        switch (n.kind) {
          case AccessKind::load:
            c.global_load_requests += n.requests;
            c.global_load_sectors += n.sectors;
            c.global_load_hit_sectors += s.hit_sectors;
            c.global_load_bytes += n.bytes_requested;
            c.global_load_wavefronts += n.wavefronts;
            c.hinted_load_bytes += n.hinted_bytes;
            if (s.copies_asynchronously) c.async_copy_bytes += n.bytes_requested;
            break;
          case AccessKind::store:
            c.global_store_requests += n.requests;
            c.global_store_sectors += n.sectors;
            c.global_store_bytes += n.bytes_requested;
            c.global_store_wavefronts += n.wavefronts;
            c.hinted_store_bytes += n.hinted_bytes;
            break;
          case AccessKind::atomic:
            c.global_atomic_requests += n.requests;
            c.global_atomic_sectors += n.sectors;
            c.global_atomic_lanes += s.always_uniform && !s.takes_turns ? n.requests : n.lanes;
            break;
          case AccessKind::reduction:
            c.global_reduction_requests += n.requests;
            c.global_reduction_sectors += n.sectors;
            c.global_atomic_lanes += s.always_uniform && !s.takes_turns ? n.requests : n.lanes;
            break;
        }
        break;
      case Memory::shared:
        switch (n.kind) {
          case AccessKind::load:
            c.shared_load_requests += n.requests;
            c.shared_load_wavefronts += n.wavefronts;
            c.shared_load_conflicts += conflicts;
            c.shared_load_bytes += n.bytes_requested;
            break;
          case AccessKind::store:
            if (s.copies_asynchronously) {
              // The profiler books cp.async's writes under no shared store counter, and three empty shared loads that
              // accompany each of them as executed (fixtures/h200_micro.csv, cp_async_ca).
              c.shared_load_requests += 3 * n.requests;
              c.async_copy_wavefronts += n.wavefronts;
              break;
            }
            c.shared_store_requests += n.requests;
            c.shared_store_wavefronts += n.wavefronts;
            c.shared_store_conflicts += conflicts;
            c.shared_store_bytes += n.bytes_requested;
            break;
          case AccessKind::atomic:
          case AccessKind::reduction:
            c.shared_atomic_requests += n.requests;
            c.shared_atomic_lanes += n.lanes;
            c.shared_atomic_wavefronts += n.wavefronts;
            c.shared_atomic_conflicts += conflicts;
            break;
        }
        break;
      case Memory::local:
        if (n.kind == AccessKind::store) {
          c.local_store_requests += n.requests;
          c.local_store_sectors += n.sectors;
          c.local_store_bytes += n.bytes_requested;
        } else {
          c.local_load_requests += n.requests;
          c.local_load_sectors += n.sectors;
          c.local_load_bytes += n.bytes_requested;
        }
        break;
      case Memory::constant:
        c.constant_requests += n.requests;
        c.constant_passes += n.wavefronts;
        break;
      case Memory::texture:
        if (n.kind == AccessKind::store) {
          c.surface_store_requests += n.requests;
          c.surface_store_sectors += n.sectors;
        } else {
          c.texture_requests += n.requests;
          c.texture_fetches += n.lanes;
          c.texture_sectors += n.sectors;
          c.texture_hit_sectors += s.hit_sectors;
        }
        break;
      case Memory::param:
        break;
    }
    if (n.requests > 0) sites.push_back(n);
  }
  std::sort(sites.begin(), sites.end(), [](const SiteCounters& a, const SiteCounters& b) {
    if (a.site->id != b.site->id) return a.site->id < b.site->id;
    return a.memory != b.memory ? a.memory < b.memory : a.kind < b.kind;
  });
  for (const SmTraffic& sm : sms) c.tag_wavefronts += sm.tag_wavefronts;
  c.dram_read_bytes = dram.read_bytes;
  c.dram_write_bytes = dram.write_bytes;
  c.dram_isolated_accesses = static_cast<std::uint64_t>(std::max<std::int64_t>(0, dram.isolated));
  atomic_units.for_each([&](const AddressCounts::Entry& e) {
    const Stream& owner = streams[e.owner];
    const bool combined = owner.one_address && !owner.takes_turns;
    const std::uint64_t busy = combined ? e.combined * owner.lane_cost() : e.lanes;
    busiest_atomic_unit = std::max(busiest_atomic_unit, busy);
    sum_of_atomic_units += busy;
    ++atomic_units_used;
  });
}

}  // namespace simgpu::observe
