/// @file
/// See stream_checks.hpp.
#include "simgpu/device/stream_checks.hpp"

#include <fmt/format.h>

#include <utility>

#include "simgpu/device/gpu.hpp"
#include "simgpu/device/ledger.hpp"
#include "simgpu/device/place.hpp"
#include "simgpu/report/report.hpp"

namespace simgpu::device {
namespace {

using observe::Lane;
using observe::Touched;
using observe::Work;

/// Lanes of streams begin here; below lie the devices' legacy default streams.
constexpr Lane kStreams = 16;

/// Kernels that one may begin before, since those between did not wait for them.
constexpr std::size_t kMostPredecessors = 8;

Lane legacy_lane(int device) {
  return static_cast<Lane>(device);
}

/// The instruction of @p work that has most likely been at @p address: of those that do what is asked for, else of all, since an
/// atomic reads as well. The narrowest range says most.
const Touched::Place* place_at(const Work& work, std::uint64_t address, bool writes) {
  const Touched::Place* best = nullptr;
  for (const Touched::Place& place : work.touched.places) {
    if (address < place.begin || address >= place.end) continue;
    const bool fits = place.writes == writes;
    const bool best_fits = best != nullptr && best->writes == writes;
    if (best == nullptr || fits > best_fits ||
        (fits == best_fits && place.end - place.begin < best->end - best->begin))
      best = &place;
  }
  return best;
}

std::string_view base_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

/// "kernel scale (scale.cu:7, on stream 2)"
std::string party(const Work& work, const Touched::Place* place) {
  if (work.kind != Work::Kind::kernel) return fmt::format("{} (on {})", work.name, work.on);
  const std::string at =
      place != nullptr && place->line != 0 ? fmt::format("{}:{}, ", base_name(place->file), place->line) : "";
  return fmt::format("kernel {} ({}on {})", short_name(work.name), at, work.on);
}

/// What the first of two does with memory, as the second's "it".
std::string deed(const Work& work, bool writes, std::string_view memory) {
  if (work.kind == Work::Kind::allocation) return fmt::format("provides {}", memory);
  if (work.kind == Work::Kind::release) return fmt::format("gives {} back", memory);
  return fmt::format("{} {}", writes ? "writes" : "reads", memory);
}

/// Whether a kernel may have told the host something: a flag in memory that both have.
bool tells_the_host(const Touched& touched) {
  // Memory of both sides lies below the devices', and what the program has registered where it likes.
  static constexpr std::uint64_t kBehind = memory::kDeviceBase + memory::kMaxDevices * memory::kDeviceRange;
  static const observe::ByteSet kBelow = observe::ByteSet::of(0, memory::kDeviceBase),
                                kAbove = observe::ByteSet::of(kBehind, (1ull << 48) - kBehind);
  const auto meets = [](const observe::ByteSet& bytes) { return bytes.meets(kBelow) || bytes.meets(kAbove); };
  return meets(touched.strong_writes) || (touched.fences && meets(touched.writes));
}

/// The plain writes of a kernel, which no flag has told the host of.
Touched shown_by(const Touched& touched) {
  Touched shown;
  shown.writes = touched.writes;
  return shown;
}

/// What would order them.
std::string cure(const Work& a, const Work& b) {
  constexpr const char* kEvent =
      "wait for an event that is recorded behind the first "
      "(cudaEventRecord, cudaStreamWaitEvent), or use one stream for both.";
  if (a.in_graph && b.in_graph) return "Draw an edge from one to the other.";
  if (a.device != b.device) {
    return "Two devices do not wait for each other, nor do their default streams: let the host wait for the "
           "first (cudaSetDevice, cudaDeviceSynchronize), or let the second's stream wait for an event that "
           "is "
           "recorded behind it (cudaEventRecord, cudaStreamWaitEvent).";
  }
  if (a.legacy != b.legacy) {
    return std::string(
               "A non-blocking stream and the default stream do not wait for each other: let the host "
               "wait between the two, or let the second's stream ") +
           kEvent;
  }
  return std::string("To have the second come second, let its stream ") + kEvent;
}

}  // namespace

std::string short_name(const std::string& mangled) {
  std::string name = report::demangle(mangled);
  static constexpr std::string_view kUnnamed = "(anonymous namespace)::";
  for (std::size_t at; (at = name.find(kUnnamed)) != std::string::npos;) name.erase(at, kUnnamed.size());
  int depth = 0;
  std::string out;
  for (const char c : name) {
    if (c == '<') ++depth;
    if (depth == 0) {
      if (c == '(') break;
      out += c;
    }
    if (c == '>') --depth;
  }
  if (const std::size_t space = out.rfind(' '); space != std::string::npos) out.erase(0, space + 1);
  return out.empty() ? name : out;
}

StreamChecks::StreamChecks(Gpu& gpu) : gpu_(gpu), pending_(gpu.findings), guard_(gpu.memory) {}

bool StreamChecks::on() const {
  // With one device's default stream alone, and no memory that the host can touch, everything is in order.
  return gpu_.settings.checks.streams &&
         (gpu_.units.size() > 1 || gpu_.has_own_streams() || shares_memory_ || !pending_.empty());
}

Lane StreamChecks::lane_of(const Stream& stream) const {
  if (in_branch_) return branch_;
  return stream.id == 0 ? legacy_lane(stream.device) : kStreams + stream.id;
}

std::string StreamChecks::words_for(const Stream& stream) const {
  std::string words = stream.id == 0     ? "the default stream"
                      : stream.of_thread ? "the thread's default stream"
                                         : fmt::format("stream {}", stream.id);
  if (gpu_.units.size() > 1) words += fmt::format(" of device {}", stream.device);
  if (in_branch_) words = "a branch of a graph in " + words;
  return words;
}

void StreamChecks::device_added(int device) {
  order_.add_lane(legacy_lane(device), device, /*blocking=*/true, /*legacy=*/true);
}

void StreamChecks::stream_added(const Stream& stream) {
  order_.add_lane(lane_of(stream), stream.device, stream.blocking);
}

void StreamChecks::stream_removed(const Stream& stream) {
  order_.remove_lane(lane_of(stream));
}

StreamChecks::Kernel StreamChecks::kernel_begins(const Stream& stream, bool early, bool lets_next) {
  Kernel kernel;
  kernel.tick = tick_ = order_.begin(lane_of(stream));
  kernel.in_branch = in_branch_;
  kernel.branch = branch_;
  const bool programmatic = gpu_.settings.checks.streams && (early || lets_next);
  if (!on() && !programmatic) return kernel;
  kernel.watched_by_next = programmatic && lets_next;
  if (programmatic && early && predecessors_.contains(lane_of(stream)))
    kernel.early = std::make_unique<observe::EarlyTouched>();
  else if (!predecessors_.empty())
    predecessors_.erase(lane_of(stream));  // it has waited for them
  kernel.touched = std::move(touched_);
  if (kernel.touched == nullptr) kernel.touched = std::make_unique<observe::TouchedObserver>(pending_);
  return kernel;
}

void StreamChecks::kernel_ends(const Stream& stream, const std::string& name, bool ended_well,
                               Kernel& kernel) {
  const Outside outside(*this);
  in_branch_ = kernel.in_branch;
  branch_ = kernel.branch;
  tick_ = kernel.tick;
  if (!ended_well) {  // no call will wait for anything any more
    guard_.open_all();
    using_.clear();
  }
  if (kernel.touched == nullptr) return;
  observe::Touched touched = kernel.touched->take();
  touched_ = std::move(kernel.touched);
  if (touched.fences) order_.wait(lane_of(stream), kernel.heard);
  const Lane lane = lane_of(stream);
  const auto as_work = [&](const Touched& some) {
    Work work;
    work.name = name;
    work.on = words_for(stream);
    work.device = stream.device;
    work.lane = lane;
    work.touched = some;
    return work;
  };
  if (kernel.early != nullptr && ended_well) hold_against_predecessors(as_work(kernel.early->take()));
  if (kernel.early == nullptr || kernel.early->has_waited()) predecessors_.erase(lane);
  if (kernel.watched_by_next && ended_well && touched.lets_next) {
    std::vector<Work>& all = predecessors_[lane];
    if (all.size() >= kMostPredecessors) all.erase(all.begin());
    all.push_back(as_work(touched));
  }
  if (ended_well) finish(stream, Work::Kind::kernel, name, std::move(touched));
}

void StreamChecks::kernel_hears(const Stream& stream, Kernel& kernel, const Stream& by) {
  if (kernel.touched == nullptr) return order_.wait(lane_of(stream), order_.record(lane_of(by)));
  const observe::StreamOrder::Heard heard = order_.heard_of(lane_of(by));
  if (heard.of_kernel)
    kernel.heard.join(heard.clock);
  else
    order_.wait(lane_of(stream), heard.clock);
}

void StreamChecks::hold_against_predecessors(const Work& early) {
  const auto it = predecessors_.find(early.lane);
  if (it == predecessors_.end()) return;
  for (const Work& before : it->second)
    observe::compare(before, early, [this](const observe::Unordered& pair) { report_early(pair); });
}

void StreamChecks::kernel_waits(const Kernel& kernel) {
  if (kernel.touched == nullptr || !kernel.touched->told_host()) return;
  guard_.open_all();
  using_.clear();
}

void StreamChecks::finish(const Stream& stream, Work::Kind kind, std::string name, Touched touched,
                          bool waited, std::vector<PendingCopies::Id> copies) {
  if (kind != Work::Kind::kernel) predecessors_.erase(lane_of(stream));  // what follows waits for this
  Work work;
  work.kind = kind;
  work.name = std::move(name);
  work.on = words_for(stream);
  work.device = stream.device;
  work.legacy = stream.id == 0;
  work.in_graph = in_branch_;
  work.lane = lane_of(stream);
  work.tick = tick_;
  // What the host is told of is open to it: all that came before, and what the work itself did, but for what no fence has shown it.
  const bool tells = !waited && tells_the_host(touched), unfenced = tells && touched.tells_unfenced;
  if (tells) {
    guard_.open_all();
    using_.clear();
  }
  if (!waited && (!tells || unfenced) && kind != Work::Kind::allocation && kind != Work::Kind::release &&
      (unfenced ? guard_.close(tick_, shown_by(touched)) : guard_.close(tick_, touched))) {
    Using& entry = using_[tick_];
    entry.work = work;
    entry.work.touched.places = touched.places;
    entry.work.touched.tells_unfenced = unfenced;
    entry.copies = copies;
  }
  if (!copies.empty() || using_.contains(tick_)) {
    work.known = [this, id = tick_, copies = std::move(copies)] {
      guard_.open(id);
      using_.erase(id);
      for (const PendingCopies::Id copy : copies) pending_.finished(copy);
    };
  }
  work.touched = std::move(touched);
  order_.finish(std::move(work), [this](const observe::Unordered& pair) { report(pair); });
}

void StreamChecks::released(std::uint64_t address, std::uint64_t bytes) {
  pending_.forget(address, bytes);
  guard_.forget(address, bytes);
}

void StreamChecks::host_waits(const Stream& stream) {
  const Inside inside(*this);
  predecessors_.erase(lane_of(stream));
  order_.host_waits(lane_of(stream));
}

void StreamChecks::host_waits(const observe::LaneClock& clock) {
  const Inside inside(*this);
  predecessors_.clear();
  order_.host_waits(clock);
}

void StreamChecks::host_waits_for_device(int device) {
  const Inside inside(*this);
  predecessors_.clear();
  order_.host_waits_for_device(device);
}

void StreamChecks::touched(const queue::Touched& touch) {
  if (!guard_.touched(touch.id, touch.address, touch.writes)) return;
  const auto it = using_.find(touch.id);
  if (it == using_.end()) return;
  const Work& work = it->second.work;
  for (const PendingCopies::Id copy : it->second.copies)
    if (touch.writes) pending_.excuse(copy);
  const Touched::Place* const place = place_at(work, touch.address, true);
  const bool written = place != nullptr && place->writes;
  observe::Finding finding;
  finding.kind = observe::FindingKind::race;
  if (!is_own_memory(touch.address)) finding.address = touch.address;
  if (work.kind == Work::Kind::kernel) finding.kernel = work.name;
  if (place != nullptr) {
    finding.file = place->file;
    finding.line = place->line;
    finding.instruction = place->instruction;
  }
  finding.message = fmt::format(
      "The host {} {}, which {} {}, before it has waited for that: which comes first is chance. Wait first "
      "(cudaDeviceSynchronize, cudaStreamSynchronize, cudaEventSynchronize{}){}.",
      touch.writes ? "writes" : "reads", memory_at(touch.address), party(work, place),
      work.kind == Work::Kind::copy ? "uses"
      : written                     ? "writes"
                                    : "reads",
      host_has_acted_ ? "; in a host function none of these is allowed: there its stream waits, by "
                        "cudaStreamWaitEvent"
                      : "",
      work.touched.tells_unfenced ? ", or raise the flag that the host looks at behind a "
                                    "__threadfence_system() (one of the device is "
                                    "too narrow)"
                                  : "");
  gpu_.findings.add(std::move(finding));
}

void StreamChecks::copy_begins(const Place& to, const Place& from, std::uint64_t to_address,
                               std::uint64_t from_address, const queue::Shape& shape) {
  if (pending_.empty()) return;
  if (!from.on_device()) pending_.device_touches(from_address, shape.from_extent(), false);
  if (!to.on_device()) pending_.device_touches(to_address, shape.to_extent(), true);
}

void StreamChecks::copied(const Stream& stream, const char* name, const Place& to, const Place& from,
                          std::uint64_t to_address, std::uint64_t from_address, const queue::Shape& shape,
                          bool waited) {
  tick_ = order_.begin(lane_of(stream));
  if (!gpu_.settings.checks.streams) {
    if (waited) host_waits(stream);
    return;
  }
  Touched touched;
  // Pageable memory goes through a buffer of the driver's.
  if (!from.pageable()) {
    touched.reads = observe::ByteSet::of(from_address, shape.width, shape.height, shape.depth,
                                         shape.from_pitch, shape.from_slice);
  }
  if (!to.pageable()) {
    touched.writes = observe::ByteSet::of(to_address, shape.width, shape.height, shape.depth, shape.to_pitch,
                                          shape.to_slice);
  }
  if (const auto both = touched.reads.meets(touched.writes); both && from_address != to_address) {
    observe::Finding finding;
    finding.kind = observe::FindingKind::race;
    finding.memory = observe::Memory::global;
    if (!is_own_memory(*both)) finding.address = *both;
    finding.message = fmt::format(
        "{} (on {}) reads and writes {}: its source and its destination overlap, and in which order it goes "
        "through them is chance. Copy by way of other memory.",
        name, words_for(stream), memory_at(*both));
    gpu_.findings.add(std::move(finding));
  }
  std::vector<PendingCopies::Id> pending;
  if (!waited && from.pinned()) {
    pending.push_back(pending_.guard({from.bytes, from_address, shape.width, shape.height, shape.depth,
                                      shape.from_pitch, shape.from_slice},
                                     name, words_for(stream)));
  }
  if (!waited && to.pinned()) {
    pending.push_back(pending_.hide(
        {to.bytes, to_address, shape.width, shape.height, shape.depth, shape.to_pitch, shape.to_slice}));
  }
  finish(stream, Work::Kind::copy, name, std::move(touched), waited, std::move(pending));
  if (waited) host_waits(stream);
}

void StreamChecks::filled(const Stream& stream, const char* name, std::uint64_t address,
                          const queue::Shape& shape) {
  pending_.device_touches(address, shape.to_extent(), true);
  tick_ = order_.begin(lane_of(stream));
  if (!gpu_.settings.checks.streams) return;
  Touched touched;
  touched.writes =
      observe::ByteSet::of(address, shape.width, shape.height, shape.depth, shape.to_pitch, shape.to_slice);
  finish(stream, Work::Kind::fill, name, std::move(touched));
}

void StreamChecks::allocated(const Stream& stream, const char* name, std::uint64_t address,
                             std::uint64_t bytes, bool released) {
  tick_ = order_.begin(lane_of(stream));
  if (!gpu_.settings.checks.streams) return;
  Touched touched;
  touched.writes = observe::ByteSet::of(address, bytes);
  finish(stream, released ? Work::Kind::release : Work::Kind::allocation, name, std::move(touched));
}

void StreamChecks::host_function(const Stream& stream) {
  host_waits(stream);
}

/// Where that lies is chance, and a report is not.
bool StreamChecks::is_own_memory(std::uint64_t address) const {
  const memory::Allocation* const allocation = gpu_.memory.find(address);
  return allocation != nullptr && allocation->kind == memory::AllocationKind::registered;
}

/// "byte 4 of an allocation of 400 bytes of device memory"
std::string StreamChecks::memory_at(std::uint64_t address) const {
  const memory::Allocation* const allocation = gpu_.memory.find(address);
  if (allocation == nullptr) return "memory";
  const std::uint64_t at = address - allocation->base;
  if (!allocation->name.empty()) return fmt::format("byte {} of {}", at, allocation->name);
  return fmt::format("byte {} of an allocation of {} bytes of {} memory", at, allocation->bytes,
                     gpu_.kind_of(*allocation));
}

void StreamChecks::report(const observe::Unordered& pair) {
  const Work &now = *pair.later, &before = *pair.earlier;
  const Touched::Place* const here = place_at(now, pair.address, pair.later_writes);
  const Touched::Place* const there = place_at(before, pair.address, pair.earlier_writes);
  observe::Finding finding;
  finding.kind = observe::FindingKind::race;
  finding.memory = observe::Memory::global;
  finding.address = pair.address;
  const bool of_now = now.kind == Work::Kind::kernel;
  const Work& kernel = of_now ? now : before;
  if (kernel.kind == Work::Kind::kernel) {
    finding.kernel = kernel.name;
    if (const Touched::Place* place = of_now ? here : there) {
      finding.file = place->file;
      finding.line = place->line;
      finding.instruction = place->instruction;
    }
    if (of_now && there != nullptr) finding.other_line = there->line;
  }
  const std::string where = memory_at(pair.address);
  std::string message =
      fmt::format("{} {}, and {} {}, with nothing that orders the two: which comes first is chance. ",
                  party(before, there), deed(before, pair.earlier_writes, where), party(now, here),
                  deed(now, pair.later_writes, "it"));
  if (before.kind == Work::Kind::kernel) message[0] = 'K';
  // Who called cudaMemcpy believes that it waits.
  if (before.kind == Work::Kind::copy && !before.name.ends_with("Async"))
    message += fmt::format(
        "{} returned before the bytes were there: from ordinary host memory it waits only until the driver "
        "has "
        "them, and within the device not at all. ",
        before.name);
  message += cure(before, now);
  finding.message = std::move(message);
  gpu_.findings.add(std::move(finding));
}

void StreamChecks::report_early(const observe::Unordered& pair) {
  const Work &now = *pair.later, &before = *pair.earlier;
  const Touched::Place* const here = place_at(now, pair.address, pair.later_writes);
  const Touched::Place* const there = place_at(before, pair.address, pair.earlier_writes);
  observe::Finding finding;
  finding.kind = observe::FindingKind::race;
  finding.memory = observe::Memory::global;
  finding.address = pair.address;
  finding.kernel = now.name;
  if (here != nullptr) {
    finding.file = here->file;
    finding.line = here->line;
    finding.instruction = here->instruction;
  }
  if (there != nullptr) finding.other_line = there->line;
  std::string message = fmt::format(
      "{} {} {}, which {} {}: it was launched to begin before that one has ended "
      "(cudaLaunchAttributeProgrammaticStreamSerialization), and has not waited for it. Call "
      "cudaGridDependencySynchronize() (griddepcontrol.wait) first.",
      party(now, here), pair.later_writes ? "writes" : "reads", memory_at(pair.address), party(before, there),
      pair.earlier_writes ? "writes" : "reads");
  message[0] = 'K';
  finding.message = std::move(message);
  gpu_.findings.add(std::move(finding));
}

StreamChecks::GraphRun::GraphRun(StreamChecks& checks, const Stream& stream, std::size_t nodes)
    : checks_(checks),
      outer_(checks.lane_of(stream)),
      outer_is_branch_(checks.in_branch_),
      start_(checks.order_.record(outer_)),
      nodes_(nodes) {}

StreamChecks::GraphRun::~GraphRun() {
  checks_.in_branch_ = outer_is_branch_;
  checks_.branch_ = outer_;
  for (const Node& node : nodes_) checks_.order_.wait(outer_, node.done);
  for (const Lane lane : lanes_) {
    checks_.order_.remove_lane(lane);
    checks_.predecessors_.erase(lane);
  }
}

void StreamChecks::GraphRun::begin(std::size_t index, const std::vector<std::size_t>& after) {
  Node& node = nodes_[index];
  node.done = start_;
  for (const std::size_t before : after) {
    node.done.join(nodes_[before].done);
    if (node.lane != 0 || nodes_[before].lane == 0) continue;
    // The first to follow goes on where that one was.
    node.lane = std::exchange(nodes_[before].lane, 0);
  }
}

void StreamChecks::GraphRun::enter(std::size_t index) {
  Node& node = nodes_[index];
  if (node.lane == 0) {
    node.lane = checks_.order_.branch(outer_);
    lanes_.push_back(node.lane);
  }
  checks_.order_.wait(node.lane, node.done);
  checks_.in_branch_ = true;
  checks_.branch_ = node.lane;
}

void StreamChecks::GraphRun::leave(std::size_t index) {
  nodes_[index].done = checks_.order_.record(nodes_[index].lane);
  checks_.in_branch_ = outer_is_branch_;
  checks_.branch_ = outer_;
}

}  // namespace simgpu::device
