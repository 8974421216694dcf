/// @file
/// The runtime's state: made once, shared by all API files.
#include "simgpu/runtime/state.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "simgpu/observe/races.hpp"
#include "simgpu/observe/traffic.hpp"
#include "simgpu/observe/uninitialised.hpp"
#include "simgpu/runtime/capture.hpp"
#include "simgpu/runtime/exit_report.hpp"
#include "simgpu/runtime/graph.hpp"
#include "simgpu/runtime/host_fault.hpp"
#include "simgpu/runtime/module.hpp"
#include "simgpu/runtime/per_thread_stream.hpp"
#include "simgpu/runtime/stubs.hpp"
#include "simgpu/timing/cards.hpp"

namespace simgpu::runtime {
namespace {

thread_local cudaError_t last_error_of_thread = cudaSuccess;
thread_local int device_of_thread = 0;
thread_local bool per_thread_scope = false;

constexpr int kMaxDevices = 16;

/// Number of simulated devices: SIMGPU_DEVICES, else one.
int device_count() {
  const char* text = std::getenv("SIMGPU_DEVICES");
  if (text == nullptr) return 1;
  return std::clamp(std::atoi(text), 0, kMaxDevices);
}

/// The simulated device: a slice of the card that SIMGPU_CARD names (an H200 unless it does), as large as SIMGPU_SLICE asks for: one part in
/// that many, a divisor of its SMs. 1 is the whole card, for launches whose grid depends on the number of SMs; its L2 and DRAM lessons
/// then need whole-card sizes.
timing::Device chosen_device() {
  const char* card = std::getenv("SIMGPU_CARD");
  auto device = timing::card_named(card == nullptr || *card == '\0' ? "h200" : card);
  if (!device) {
    std::fprintf(stderr, "simgpu: SIMGPU_CARD=%s is none of %s: using h200\n", card,
                 fmt::format("{}", fmt::join(timing::card_names(), ", ")).c_str());
    device = timing::card_named("h200");
  }
  const char* text = std::getenv("SIMGPU_SLICE");
  if (text == nullptr) return *device;
  const int slice = std::atoi(text);
  const auto cut =
      slice < 1 ? std::nullopt : timing::card_named(device->card, static_cast<std::uint32_t>(slice));
  if (!cut) {
    std::fprintf(stderr, "simgpu: SIMGPU_SLICE=%s is no divisor of %u: using %u\n", text,
                 device->sm_count * device->slice, device->slice);
    return *device;
  }
  return *cut;
}

/// What the environment says of checks and order; a program that calls simgpu_configure() may change it.
Config chosen_config() {
  Config config;
  const auto is_one_of = [](const char* text, std::string_view a, std::string_view b) {
    return text == a || text == b;
  };
  if (const char* text = std::getenv("SIMGPU_CHECKS")) {
    config.checks = !is_one_of(text, "off", "0");
    if (config.checks && !is_one_of(text, "on", "1"))
      std::fprintf(stderr, "simgpu: SIMGPU_CHECKS=%s is neither on nor off: using on\n", text);
  }
  if (const char* text = std::getenv("SIMGPU_ORDER")) {
    if (text == std::string_view("reversed")) {
      config.order = exec::Order::reversed;
    } else if (text != std::string_view("forward")) {
      std::fprintf(stderr, "simgpu: SIMGPU_ORDER=%s is neither forward nor reversed: using forward\n", text);
    }
  }
  return config;
}

}  // namespace

PerThreadScope::PerThreadScope() : before_(per_thread_scope) {
  per_thread_scope = true;
}
PerThreadScope::~PerThreadScope() {
  per_thread_scope = before_;
}
bool PerThreadScope::active() {
  return per_thread_scope;
}

Runtime& Runtime::get() {
  static Runtime* const runtime = new Runtime;
  return *runtime;
}

DeviceState::DeviceState(const timing::Device& device) : timeline(device) {}
DeviceState::~DeviceState() = default;
Runtime::~Runtime() = default;

Runtime::Runtime()
    : config(chosen_config()),
      device(chosen_device()),
      memory(device.memory_bytes * static_cast<std::uint64_t>(std::max(1, device_count()))) {
  for (int i = device_count(); i > 0; --i) add_device();
  host_pool.host = true;
  pools.insert(&host_pool);
  races = std::make_unique<observe::Races>(findings);
  uninitialised = std::make_unique<observe::Uninitialised>(memory, findings);
  install_host_fault_handler(memory);
  register_exit_report();
}

void Runtime::add_device() {
  const int index = static_cast<int>(devices.size());
  auto state = std::make_unique<DeviceState>(device);
  state->traffic = std::make_unique<observe::Traffic>(observe::TrafficConfig{
      .l1_shared_bytes = device.l1_and_shared_bytes, .l2_bytes = device.l2_bytes, .memory = &memory});
  state->legacy = std::make_unique<Stream>();
  state->legacy->device = index;
  state->legacy->built_in = true;
  state->default_pool.device = index;
  pools.insert(&state->default_pool);
  stream_checks.device_added(index);
  devices.push_back(std::move(state));
}

bool Runtime::set_device_count(int count) {
  if (count < 1 || count > kMaxDevices) return false;
  const auto goes = [&](int index) { return index >= count; };
  const bool in_use =
      std::any_of(allocations.begin(), allocations.end(),
                  [&](const auto& each) { return goes(each.second.device); }) ||
      std::any_of(streams.begin(), streams.end(),
                  [&](const Stream* stream) { return goes(stream->device); }) ||
      std::any_of(events.begin(), events.end(), [&](const Event* event) { return goes(event->device); }) ||
      std::any_of(modules.begin(), modules.end(),
                  [&](const auto& module) { return module->loaded_from(count); });
  if (in_use || goes(current())) return false;
  while (static_cast<int>(devices.size()) > count) {
    pools.erase(&devices.back()->default_pool);
    devices.pop_back();
  }
  while (static_cast<int>(devices.size()) < count) add_device();
  memory.set_capacity(device.memory_bytes * static_cast<std::uint64_t>(count));
  return true;
}

// ------------------------------------------------------------------------------------------------------------- errors

void Runtime::set_last_error(cudaError_t error) {
  last_error_of_thread = error;
}
cudaError_t Runtime::last_error() const {
  return last_error_of_thread;
}

cudaError_t Runtime::surface_fault() {
  if (devices.empty()) return cudaSuccess;
  DeviceState& state = current_device();
  if (state.fault == cudaSuccess && state.pending_fault == cudaErrorNotSupported) {
    // An instruction that is not simulated ends the launch that met it, and nothing else.
    state.pending_fault = cudaSuccess;
    set_last_error(cudaErrorNotSupported);
    return cudaErrorNotSupported;
  }
  if (state.fault == cudaSuccess && state.pending_fault != cudaSuccess) state.fault = state.pending_fault;
  if (state.fault != cudaSuccess) set_last_error(state.fault);
  return state.fault;
}

cudaError_t Runtime::explain(cudaError_t error, std::string message, std::string kernel) {
  observe::Finding finding;
  finding.kind = observe::FindingKind::bad_call;
  finding.warning = true;  // the error code is the program's to handle; the sentence only says why
  finding.kernel = std::move(kernel);
  finding.message = std::move(message);
  findings.add(std::move(finding));
  return error;
}

// ------------------------------------------------------------------------------------------------------------ devices

int Runtime::current() const {
  return device_of_thread;
}
void Runtime::set_current(int index) {
  device_of_thread = index;
}

// ------------------------------------------------------------------------------------------------------------ streams

Stream* Runtime::stream(cudaStream_t handle) {
  if (devices.empty()) return nullptr;
  if (handle == nullptr && PerThreadScope::active()) handle = cudaStreamPerThread;
  if (handle == nullptr || handle == cudaStreamLegacy) return current_device().legacy.get();
  if (handle == cudaStreamPerThread) {
    thread_local std::map<int, Stream*> mine;
    Stream*& stream = mine[current()];
    if (stream == nullptr) {
      stream = new_stream(cudaStreamDefault, 0);
      stream->built_in = true;
    }
    return stream;
  }
  Stream* stream = reinterpret_cast<Stream*>(handle);
  if (streams.contains(stream)) return stream;
  for (const auto& state : devices) {  // a graph's node that runs in a legacy stream names it so
    if (state->legacy.get() == stream) return stream;
  }
  return nullptr;
}

Stream* Runtime::new_stream(unsigned flags, int priority) {
  auto* stream = new Stream;
  stream->device = current();
  stream->id = next_stream_++;
  stream->flags = flags;
  stream->priority = priority;
  streams.insert(stream);
  current_device().timeline.add_stream(stream->id, (flags & cudaStreamNonBlocking) == 0);
  stream_checks.stream_added(*stream);
  return stream;
}

void Runtime::wait_for_device(bool asked) {
  timing::Timeline& timeline = current_device().timeline;
  timeline.host_wait(timeline.all_done());
  stream_checks.host_waits_for_device(current());
  if (!asked) ledger.waited_unasked();
}

cudaError_t Runtime::submit(Stream& stream, cudaGraphNodeType type,
                            std::function<cudaError_t(Stream&)> operation) {
  if (stream.capture == nullptr) {
    if (const cudaError_t error = refuse_legacy(*this, stream); error != cudaSuccess) return error;
    const StreamChecks::Inside inside(stream_checks);
    return operation(stream);
  }
  if (is_spoilt(stream)) return cudaErrorStreamCaptureInvalidated;
  const std::size_t node = add_node(*stream.capture, type, std::move(operation), stream.capture_tail);
  stream.capture_tail = {node};
  return cudaSuccess;
}

// ------------------------------------------------------------------------------------------------------------- memory

const memory::Allocation* Runtime::allocate(std::size_t bytes, memory::AllocationKind kind,
                                            AllocationInfo info, std::uint64_t align) {
  const memory::Allocation* allocation = memory.allocate(bytes, kind, align);
  if (allocation != nullptr) {
    if (kind == memory::AllocationKind::pinned || kind == memory::AllocationKind::managed)
      stream_checks.shares_memory();
    if (kind == memory::AllocationKind::managed) managed_pages.made(allocation->base, allocation->bytes);
    ledger.made(*allocation, info);
    allocations[allocation->base] = std::move(info);
  }
  return allocation;
}

bool Runtime::release(std::uint64_t base) {
  const memory::Allocation* allocation = memory.find(base);
  if (allocation == nullptr || allocation->base != base || !allocation->live) return false;
  const std::uint64_t bytes = allocation->bytes;
  stream_checks.released(base, bytes);
  if (!memory.free(base)) return false;
  if (const AllocationInfo* info = info_of(*allocation)) {
    ledger.freed(*allocation, *info);
    if (info->pool != nullptr) info->pool->used -= std::min(info->pool->used, bytes);
  }
  uninitialised->forget(base, bytes);
  for (const auto& state : devices) state->traffic->invalidate_l2(base, bytes);
  allocations.erase(base);
  managed_pages.freed(base);
  return true;
}

AllocationInfo* Runtime::info_of(const memory::Allocation& allocation) {
  const auto it = allocations.find(allocation.base);
  return it == allocations.end() ? nullptr : &it->second;
}

const AllocationInfo* Runtime::info_of(const memory::Allocation& allocation) const {
  const auto it = allocations.find(allocation.base);
  return it == allocations.end() ? nullptr : &it->second;
}

void Runtime::shrink_pools() {
  for (Pool* pool : pools) {
    pool->reserved =
        std::max(Pool::chunks(pool->used), std::min(pool->reserved, Pool::chunks(pool->release_threshold)));
  }
}

void Runtime::written(std::uint64_t address, std::uint64_t bytes) {
  uninitialised->mark_initialised(address, bytes);
  for (const auto& state : devices) state->traffic->invalidate_l2(address, bytes);
}

// ------------------------------------------------------------------------------------------------------------ modules

KernelEntry* Runtime::kernel(const void* function) {
  const auto it = kernels_by_host.find(function);
  if (it != kernels_by_host.end()) return it->second;
  // cudaKernel_t and cudaFunction_t handles may be given wherever a host function may.
  if (kernel_handles.contains(function)) return static_cast<KernelEntry*>(const_cast<void*>(function));
  return nullptr;
}

// ------------------------------------------------------------------------------------------------------------- report

void Runtime::count_call(const char* name) {
  const auto [it, fresh] = api_index_.try_emplace(name, report.api.size());
  if (fresh) report.api.push_back({name, 0});
  ++report.api[it->second].calls;
}

cudaError_t Runtime::planned_failure(const char* name) {
  for (PlannedFailure& failure : config.failures)
    if (failure.call == name && ++failure.seen == failure.nth) return failure.error;
  return cudaSuccess;
}

void Runtime::note_unsupported(const char* name) {
  if (std::find(report.unsupported.begin(), report.unsupported.end(), name) == report.unsupported.end()) {
    report.unsupported.emplace_back(name);
  }
  if (unsupported_printed_.insert(name).second) {
    fmt::print(stderr, "simgpu: {} is not simulated; it returns cudaErrorNotSupported.\n", name);
  }
}

report::Report Runtime::take_report() {
  stream_checks.tell_touches();
  report::Report taken = std::move(report);
  report = {};
  api_index_.clear();
  taken.device.name = fmt::format("Simulated {}, 1/{} slice", device.name, device.slice);
  taken.device.sm_count = device.sm_count;
  taken.device.slice = device.slice;
  taken.device.clock_hz = device.clock_hz;
  taken.device.l2_bytes = device.l2_bytes;
  taken.device.dram_bytes_per_second = device.dram_peak();
  taken.device.copy_bytes_per_second = device.copy_ceiling();
  taken.findings = findings.all();
  findings.clear();
  taken.device_count = static_cast<std::uint32_t>(devices.size());
  ledger.take(*this, taken, last_report_);
  timing::Instant now = 0;
  for (const auto& state : devices) now = std::max(now, state->timeline.all_done());
  taken.elapsed_seconds = now - last_report_;
  for (std::size_t d = 0; d < devices.size(); ++d) {
    std::uint64_t omitted = 0;
    for (timing::Operation& op : devices[d]->timeline.take_operations(omitted)) {
      taken.timeline.operations.push_back({static_cast<std::uint32_t>(d), op.stream,
                                           std::string(timing::name_of(op.engine)), std::move(op.name),
                                           op.bytes, op.begin - last_report_, op.end - last_report_});
    }
    taken.timeline.omitted += omitted;
  }
  last_report_ = now;
  return taken;
}

int unsupported_call(const char* name) {
  Runtime& runtime = Runtime::get();
  const std::lock_guard lock(runtime.mutex);
  runtime.count_call(name);
  runtime.note_unsupported(name);
  runtime.set_last_error(cudaErrorNotSupported);
  return cudaErrorNotSupported;
}

}  // namespace simgpu::runtime
