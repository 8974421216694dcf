/// @file
/// Commands that are no work of a stream: memory, code, objects, questions.
#include <algorithm>
#include <type_traits>
#include <utility>
#include <variant>

#include "simgpu/device/executor.hpp"
#include "simgpu/device/modules.hpp"
#include "simgpu/memory/textures.hpp"
#include "simgpu/observe/uninitialised.hpp"
#include "simgpu/timing/links.hpp"

namespace simgpu::device {
namespace {

queue::Answer only(Status status) {
  return {static_cast<std::uint32_t>(status), {}};
}
template <typename T>
queue::Answer with(T body) {
  return {0, std::move(body)};
}

memory::AllocationKind kind_of(queue::Allocate::Kind kind) {
  using Kind = queue::Allocate::Kind;
  return kind == Kind::pinned    ? memory::AllocationKind::pinned
         : kind == Kind::managed ? memory::AllocationKind::managed
                                 : memory::AllocationKind::device;
}

Facts::Origin origin_of(queue::Allocate::Use use) {
  using Use = queue::Allocate::Use;
  return use == Use::array   ? Facts::Origin::array
         : use == Use::graph ? Facts::Origin::graph
         : use == Use::pool  ? Facts::Origin::pool
                             : Facts::Origin::plain;
}

memory::Image image_of(const queue::Texels& texels, const memory::Allocation& allocation) {
  memory::Image image;
  image.allocation = &allocation;
  image.base = texels.address;
  image.format = {static_cast<std::uint8_t>(texels.channel_bytes), static_cast<std::uint8_t>(texels.channels),
                  static_cast<memory::ChannelKind>(texels.kind)};
  image.dimensions = static_cast<std::uint8_t>(texels.dimensions);
  image.layered = texels.layered;
  image.cube = texels.cube;
  image.tiled = texels.tiled;
  image.linear = texels.linear;
  image.width = texels.width;
  image.height = texels.height;
  image.depth = texels.depth;
  image.layers = texels.layers;
  image.pitch = texels.pitch;
  image.slice = texels.slice;
  return image;
}

/// Whether allocations take the host's time. Not under a grader: a sample is one call on an idle device that the host has waited for, on
/// data of a slice's size, and would be made of what a pool has to get anew; on a card the data are larger, and that hardly counts.
bool allocations_take_time(const Gpu& gpu) {
  return gpu.program_file.empty();
}

/// What memory of the host, or of both sides, takes of the host when it is had, and as much when it ends. A slice's data are an N-th of the card's.
double shared_seconds(const timing::Device& card, const memory::Allocation& memory) {
  const auto locked = [&](const timing::LockCosts& costs) {
    return costs.call + costs.byte * static_cast<double>(memory.bytes) * card.slice;
  };
  switch (memory.kind) {
    case memory::AllocationKind::managed:
      return card.host.managed_call;
    case memory::AllocationKind::pinned:
      return locked(card.host.lock);
    case memory::AllocationKind::registered:
      return locked(card.host.lock_own);
    default:
      return 0;
  }
}

memory::Sampler sampler_of(const queue::Sampling& sampling) {
  memory::Sampler s;
  for (std::size_t d = 0; d < s.address.size(); ++d)
    s.address[d] = static_cast<memory::AddressMode>(sampling.edges[d]);
  s.linear_filter = sampling.linear;
  s.normalized_coordinates = sampling.normalized_coordinates;
  s.normalized_float = sampling.normalized_values;
  s.srgb = sampling.srgb;
  s.seamless = sampling.seamless;
  s.border = sampling.border;
  s.linear_between_levels = sampling.linear_between_levels;
  s.level_bias = sampling.level_bias;
  s.level_min = sampling.level_min;
  s.level_max = sampling.level_max;
  return s;
}

}  // namespace

queue::Answer Executor::answer(const queue::Body& body) {
  return std::visit(
      [this](const auto& command) -> queue::Answer {
        if constexpr (std::is_constructible_v<queue::Work, decltype(command)>) {
          return only(carry_out(queue::Work(command)));
        } else {
          return reply(command);
        }
      },
      body);
}

// ------------------------------------------------------------------------------------------------------------ streams

queue::Answer Executor::reply(const queue::MakeStream& command) {
  if (command.device >= gpu_.units.size()) return only(Status::invalid_value);
  gpu_.make_stream(command);
  gpu_.unit(static_cast<int>(command.device)).timeline.host_spend(gpu_.card.host.stream_call);
  return {};
}

queue::Answer Executor::reply(const queue::StreamGone& command) {
  if (const Stream* const stream = gpu_.stream(command.id))
    in_order(*stream, [this, id = command.id] { gpu_.drop_stream(id); });
  return {};
}

queue::Answer Executor::reply(const queue::EventGone& command) {
  gpu_.events.erase(command.event);
  return {};
}

queue::Answer Executor::reply(const queue::Hold& command) {
  gpu_.ledger.window(gpu_, command.window);
  return {};
}

// ------------------------------------------------------------------------------------------------------------- memory

queue::Answer Executor::reply(const queue::Allocate& command) {
  if (command.device >= gpu_.units.size()) return only(Status::invalid_value);
  const memory::Allocation* const made = gpu_.allocate(
      command.bytes, kind_of(command.kind),
      {.device = static_cast<int>(command.device), .origin = origin_of(command.use)}, command.align);
  if (made == nullptr) return only(Status::memory_allocation);
  if (command.kind == queue::Allocate::Kind::device)
    host_takes(command, made->base);
  else
    host_shares(*made);
  // Surface writes are not followed byte by byte: no alarms about what an array holds.
  if (command.use == queue::Allocate::Use::array)
    gpu_.uninitialised->mark_initialised(made->base, made->bytes);
  if (const Stream* const stream = gpu_.stream(command.stream); command.stream != 0 && stream != nullptr)
    in_use(*stream, command.call, *made, false);
  return with(queue::Allocated{made->base, made->id});
}

queue::Answer Executor::reply(const queue::Free& command) {
  const memory::Allocation* const allocation = gpu_.memory.find(command.address);
  const Stream* const stream = command.stream == 0 ? nullptr : gpu_.stream(command.stream);
  if (allocation == nullptr || !allocation->live || allocation->base != command.address)
    return only(Status::invalid_value);
  host_gives_back(*allocation, stream != nullptr);
  if (stream == nullptr) return only(gpu_.release(command.address) ? Status::success : Status::invalid_value);
  in_use(*stream, command.call, *allocation, true);
  in_order(*stream, [this, base = allocation->base] { gpu_.release(base); });
  return {};
}

queue::Answer Executor::reply(const queue::Lease& command) {
  const memory::Allocation* const allocation = gpu_.memory.find(command.address);
  const Stream* const stream = gpu_.stream(command.stream);
  if (allocation == nullptr || !allocation->live || stream == nullptr) return only(Status::invalid_value);
  in_use(*stream, command.call, *allocation, command.ends);
  return {};
}

/// @p memory begins, or ends, to be in use when @p stream comes to that.
void Executor::in_use(const Stream& stream, queue::Call call, const memory::Allocation& memory, bool ends) {
  in_order(stream, [this, lane = stream, call, base = memory.base, bytes = memory.bytes, ends] {
    gpu_.stream_checks.allocated(lane, queue::name_of_call(call), base, bytes, ends);
  });
}

/// What an allocation of device memory takes of the host. A graph's own was made with the graph.
void Executor::host_takes(const queue::Allocate& command, std::uint64_t base) {
  Unit& unit = gpu_.unit(static_cast<int>(command.device));
  const timing::HostCosts& host = gpu_.card.host;
  if (command.use == queue::Allocate::Use::graph || !allocations_take_time(gpu_)) return;
  if (command.use != queue::Allocate::Use::pool) {
    // A slice's data are an N-th of the card's.
    const std::uint64_t bytes = command.bytes * gpu_.card.slice;
    const bool asks = unit.slabs.take(base, bytes);
    return unit.timeline.host_spend(asks ? host.allocate + host.allocate_byte * static_cast<double>(bytes)
                                         : host.slab_call);
  }
  unit.timeline.host_spend(host.pool_call + (unit.pools.take(command.bytes) ? host.pool_grow : 0));
}

/// ... and its end.
void Executor::host_gives_back(const memory::Allocation& allocation, bool in_stream) {
  const Facts* const facts = gpu_.facts_of(allocation);
  host_shares(allocation);
  if (allocation.kind != memory::AllocationKind::device || facts == nullptr || !allocations_take_time(gpu_))
    return;
  Unit& unit = gpu_.unit(facts->device);
  const bool of_pool = facts->origin == Facts::Origin::pool;
  if (of_pool) unit.pools.give_back(allocation.bytes);
  if (!of_pool && facts->origin != Facts::Origin::plain && facts->origin != Facts::Origin::array) return;
  const timing::HostCosts& host = gpu_.card.host;
  if (of_pool || in_stream) return unit.timeline.host_spend(host.pool_call);
  const std::uint64_t bytes = allocation.bytes * gpu_.card.slice;
  const bool returns = unit.slabs.give_back(allocation.base, bytes);
  unit.timeline.host_spend(returns ? host.free + host.free_byte * static_cast<double>(bytes)
                                   : host.slab_call);
}

/// Memory that the host has, too, begins or ends.
void Executor::host_shares(const memory::Allocation& allocation) {
  const Facts* const facts = gpu_.facts_of(allocation);
  if (facts == nullptr || !allocations_take_time(gpu_)) return;
  gpu_.unit(facts->device).timeline.host_spend(shared_seconds(gpu_.card, allocation));
}

/// The host waits for what ends at @p end on @p device. Meanwhile pools give back what they may not keep.
void Executor::host_waits(int device, timing::Instant end) {
  Unit& unit = gpu_.unit(device);
  unit.timeline.host_spend(gpu_.card.host.wait_call);
  unit.timeline.host_wait(end);
  if (unit.pools.trim()) unit.timeline.host_spend(gpu_.card.host.pool_trim);
}

queue::Answer Executor::reply(const queue::Map& command) {
  const memory::Allocation* const made = gpu_.memory.adopt(reinterpret_cast<void*>(command.address),
                                                           command.bytes, memory::AllocationKind::registered);
  if (made == nullptr) return only(Status::already_registered);
  gpu_.adopted(*made, static_cast<int>(command.device));
  host_shares(*made);
  return with(queue::Allocated{made->base, made->id});
}

queue::Answer Executor::reply(const queue::Unmap& command) {
  if (const memory::Allocation* const there = gpu_.memory.find(command.address)) host_shares(*there);
  return only(gpu_.release(command.address) ? Status::success : Status::invalid_value);
}

queue::Answer Executor::reply(const queue::Advise& command) {
  using What = queue::Advise::What;
  const int place =
      command.place == queue::Move::kHost ? ManagedPages::kHost : static_cast<int>(command.place);
  switch (command.what) {
    case What::read_mostly:
      gpu_.managed_pages.read_mostly(command.address, command.bytes, true);
      break;
    case What::read_mostly_no_more:
      gpu_.managed_pages.read_mostly(command.address, command.bytes, false);
      return {};
    case What::prefer:
      gpu_.managed_pages.prefer(command.address, command.bytes, place);
      break;
    case What::map:
      gpu_.managed_pages.map_for(command.address, command.bytes, place, true);
      break;
    case What::prefer_none:
      gpu_.managed_pages.prefer(command.address, command.bytes, ManagedPages::kNobody);
      return {};
    case What::unmap:
      gpu_.managed_pages.map_for(command.address, command.bytes, place, false);
      return {};
  }
  // The others say what to do at a fault, and the fault comes all the same.
  const bool covers = command.what == What::map && place != ManagedPages::kHost;
  gpu_.ledger.advised(command.address, command.bytes, covers);
  return {};
}

// ------------------------------------------------------------------------------------------------------ code and objects

queue::Answer Executor::reply(const queue::Load& command) {
  return load(gpu_, command);
}

queue::Answer Executor::reply(const queue::Unload& command) {
  unload(gpu_, command.id);
  return {};
}

queue::Answer Executor::reply(const queue::Needs& command) {
  const FoundKernel found = find_kernel(gpu_, command.module, command.kernel);
  if (found.kernel == nullptr) return only(Status::invalid_device_function);
  return with(*found.footprint);
}

queue::Answer Executor::reply(const queue::Object& command) {
  memory::Texture texture{.levels = {}, .sampler = sampler_of(command.sampling)};
  for (const queue::Texels& level : command.levels) {
    const memory::Allocation* const allocation = gpu_.memory.find(level.address);
    if (allocation == nullptr) return only(Status::invalid_value);
    texture.levels.push_back(image_of(level, *allocation));
  }
  if (texture.levels.empty()) return only(Status::invalid_value);
  memory::TextureTable& table = gpu_.memory.textures();
  return with(queue::Handle{command.what == queue::Object::What::surface
                                ? table.add_surface(std::move(texture.levels.front()))
                                : table.add(std::move(texture))});
}

queue::Answer Executor::reply(const queue::ObjectGone& command) {
  memory::TextureTable& table = gpu_.memory.textures();
  const bool there = command.what == queue::Object::What::surface ? table.remove_surface(command.handle)
                                                                  : table.remove_texture(command.handle);
  return only(there ? Status::success : Status::invalid_value);
}

queue::Answer Executor::reply(const queue::Graph& command) {
  using Step = queue::Graph::Step;
  if (command.step == Step::begin) {
    const Stream* const stream = gpu_.stream(command.stream);
    if (stream == nullptr) return only(Status::invalid_resource_handle);
    StreamChecks& checks = gpu_.stream_checks;
    timing::Timeline& timeline = gpu_.unit(stream->device).timeline;
    if (graphs_.empty()) timeline.begin_graph(stream->id);
    graphs_.emplace_back(
        new RunningGraph{StreamChecks::Inside(checks), StreamChecks::GraphRun(checks, *stream, command.node),
                         timing::GraphTurns(timeline, stream->id, command.node, gpu_.card.host)});
    return {};
  }
  if (graphs_.empty()) return only(Status::invalid_value);
  StreamChecks::GraphRun& order = graphs_.back()->order;
  switch (command.step) {
    case Step::begin:
      break;
    case Step::place: {
      const std::vector<std::size_t> after(command.after.begin(), command.after.end());
      order.begin(command.node, after);
      graphs_.back()->turns.begin(command.node, after);
      break;
    }
    case Step::enter:
      order.enter(command.node);
      break;
    case Step::leave:
      order.leave(command.node);
      break;
    case Step::end:
      graphs_.back()->turns.end();
      graphs_.pop_back();
      if (const Stream* const stream = gpu_.stream(command.stream); graphs_.empty() && stream != nullptr)
        gpu_.unit(stream->device).timeline.host_spend(gpu_.card.host.graph_call);
      break;
  }
  return {};
}

queue::Answer Executor::reply(const queue::Condition& command) {
  using What = queue::Condition::What;
  if (command.what == What::assign) {
    conditions_[command.id] = command.value;
    return {};
  }
  const auto it = conditions_.find(command.id);
  if (it == conditions_.end()) return only(Status::invalid_value);
  if (command.what == What::ask) return with(queue::Value{it->second});
  conditions_.erase(it);
  return {};
}

// ---------------------------------------------------------------------------------------------------------- the clock

queue::Answer Executor::reply(const queue::Query& command) {
  if (command.what == queue::Query::What::stream) {
    const Stream* const stream = gpu_.stream(command.id);
    if (stream == nullptr) return only(Status::invalid_resource_handle);
    timing::Timeline& timeline = gpu_.unit(stream->device).timeline;
    timeline.host_polls();
    const bool waits = pending(*stream);
    if (waits) asked_in_vain();
    const bool done = !waits && timeline.record(stream->id) <= timeline.host_now();
    gpu_.ledger.queried(done);
    if (done) gpu_.stream_checks.host_waits(*stream);
    return with(queue::Ready{done});
  }
  if (pending_event(command.id)) {
    asked_in_vain();
    gpu_.ledger.queried(false);
    return with(queue::Ready{false});
  }
  const auto event = gpu_.events.find(command.id);
  if (event == gpu_.events.end()) return with(queue::Ready{true});
  timing::Timeline& timeline = gpu_.unit(event->second.device).timeline;
  timeline.host_polls();
  const bool done = event->second.instant <= timeline.host_now();
  gpu_.ledger.queried(done);
  if (done) gpu_.stream_checks.host_waits(event->second.order);
  return with(queue::Ready{done});
}

queue::Answer Executor::reply(const queue::Synchronise& command) {
  using What = queue::Synchronise::What;
  switch (command.what) {
    case What::stream: {
      const Stream* const stream = gpu_.stream(command.id);
      if (stream == nullptr) return only(Status::invalid_resource_handle);
      await(*stream);
      host_waits(stream->device, gpu_.unit(stream->device).timeline.record(stream->id));
      gpu_.stream_checks.host_waits(*stream);
      gpu_.ledger.waited(Ledger::Wait::stream);
      return {};
    }
    case What::event: {
      await_event(command.id);
      if (const auto event = gpu_.events.find(command.id); event != gpu_.events.end()) {
        host_waits(event->second.device, event->second.instant);
        gpu_.stream_checks.host_waits(event->second.order);
      }
      gpu_.ledger.waited(Ledger::Wait::event);
      return {};
    }
    case What::device: {
      if (command.id >= gpu_.units.size()) return only(Status::invalid_value);
      const int device = static_cast<int>(command.id);
      await_device(device);
      host_waits(device, gpu_.unit(device).timeline.all_done());
      gpu_.stream_checks.host_waits_for_device(device);
      if (command.asked) {
        gpu_.ledger.waited(Ledger::Wait::device);
      } else {
        gpu_.ledger.waited_unasked();
      }
      return {};
    }
  }
  return only(Status::invalid_value);
}

queue::Answer Executor::reply(const queue::Elapsed& command) {
  if (pending_event(command.begin) || pending_event(command.end)) return only(Status::not_ready);
  const auto begin = gpu_.events.find(command.begin), end = gpu_.events.find(command.end);
  if (begin == gpu_.events.end() || end == gpu_.events.end()) return only(Status::invalid_resource_handle);
  const timing::Instant now = gpu_.unit(end->second.device).timeline.host_now();
  if (begin->second.instant > now || end->second.instant > now) return only(Status::not_ready);
  return with(queue::Seconds{end->second.instant - begin->second.instant});
}

// ------------------------------------------------------------------------------------------------------------- others

queue::Answer Executor::reply(const queue::Limit& command) {
  using Which = queue::Limit::Which;
  if (command.device >= gpu_.units.size()) return only(Status::invalid_value);
  if (command.which == Which::heap) gpu_.unit(static_cast<int>(command.device)).heap_limit = command.value;
  if (command.which == Which::persisting_l2) gpu_.ledger.persisting_limit(command.value);
  if (command.which == Which::pool) gpu_.unit(static_cast<int>(command.device)).pools.keep(command.value);
  return {};
}

queue::Answer Executor::reply(const queue::Reset& command) {
  if (command.device >= gpu_.units.size()) return only(Status::invalid_value);
  drop(static_cast<int>(command.device));
  gpu_.reset(static_cast<int>(command.device));
  return {};
}

queue::Answer Executor::reply(const queue::Note& command) {
  observe::Finding finding;
  finding.kind = observe::FindingKind::bad_call;
  finding.warning = true;  // the error code is the program's to handle; the sentence only says why
  finding.kernel = command.kernel;
  finding.message = command.message;
  gpu_.findings.add(std::move(finding));
  return {};
}

queue::Answer Executor::reply(const queue::Touched& command) {
  gpu_.stream_checks.touched(command);
  return {};
}

/// The host waits for each page that has to come home, and for nothing where a page is its own.
queue::Answer Executor::reply(const queue::Visited& command) {
  if (gpu_.units.empty()) return {};
  const ManagedPages::Homecoming come = gpu_.managed_pages.visited(command, gpu_.unit(0).timeline.host_now());
  if (come.bytes == 0) return {};
  gpu_.ledger.came_home(come.bytes);
  gpu_.unit(come.from).timeline.host_spend(
      timing::homecoming_seconds(gpu_.card, come.as_it_is, come.of_a_slice));
  return {};
}

// What one process need not say; of two, the device's loop (server.cpp) carries it out.
queue::Answer Executor::reply(const queue::Hello&) {
  return only(Status::not_supported);
}
queue::Answer Executor::reply(const queue::Peer&) {
  return only(Status::not_supported);
}
queue::Answer Executor::reply(const queue::Done&) {
  return only(Status::not_supported);
}
queue::Answer Executor::reply(const queue::Bye&) {
  return only(Status::not_supported);
}
queue::Answer Executor::reply(const queue::Pass&) {
  return only(Status::not_supported);
}
queue::Answer Executor::reply(const queue::Settle&) {
  return {};
}
queue::Answer Executor::reply(const queue::Fetch&) {
  return only(Status::not_supported);
}

}  // namespace simgpu::device
