/// @file
/// The runtime's state: made once, shared by all API files.
#include "simgpu/runtime/state.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <type_traits>
#include <utility>
#include <variant>

#include "simgpu/device/host_fault.hpp"
#include "simgpu/queue/codec.hpp"
#include "simgpu/runtime/capture.hpp"
#include "simgpu/runtime/exit_report.hpp"
#include "simgpu/runtime/graph.hpp"
#include "simgpu/runtime/module.hpp"
#include "simgpu/runtime/notices.hpp"
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
device::Settings chosen_settings() {
  device::Settings config;
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

/// The command as it comes out of a record. One that breaks the grammar would end the connection to another process.
queue::Work through_record(std::uint64_t sequence, queue::Work work) {
  std::vector<std::byte> record;
  const queue::Body body =
      std::visit([](auto&& command) { return queue::Body(std::move(command)); }, std::move(work));
  const bool fits = queue::encode({.sequence = sequence, .spent = 0, .body = body}, record);
  queue::Decoded read = queue::decode(record);
  if (!fits || !read.problem.empty()) {
    std::fprintf(stderr, "simgpu: %s\n",
                 fits ? read.problem.c_str() : "A command is longer than a record may be.");
    std::abort();
  }
  std::visit(
      [&](auto&& command) {
        if constexpr (std::is_constructible_v<queue::Work, decltype(command)>) work = std::move(command);
      },
      std::move(read.command.body));
  return work;
}

}  // namespace

// The device speaks of errors by their numbers, without a CUDA header.
static_assert(static_cast<int>(device::Status::success) == cudaSuccess);
static_assert(static_cast<int>(device::Status::invalid_value) == cudaErrorInvalidValue);
static_assert(static_cast<int>(device::Status::invalid_device_function) == cudaErrorInvalidDeviceFunction);
static_assert(static_cast<int>(device::Status::invalid_resource_handle) == cudaErrorInvalidResourceHandle);
static_assert(static_cast<int>(device::Status::illegal_address) == cudaErrorIllegalAddress);
static_assert(static_cast<int>(device::Status::launch_timeout) == cudaErrorLaunchTimeout);
static_assert(static_cast<int>(device::Status::assertion) == cudaErrorAssert);
static_assert(static_cast<int>(device::Status::illegal_instruction) == cudaErrorIllegalInstruction);
static_assert(static_cast<int>(device::Status::misaligned_address) == cudaErrorMisalignedAddress);
static_assert(static_cast<int>(device::Status::launch_failure) == cudaErrorLaunchFailure);
static_assert(static_cast<int>(device::Status::not_supported) == cudaErrorNotSupported);

cudaError_t error_of(device::Status status) {
  return static_cast<cudaError_t>(status);
}

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

Runtime::~Runtime() = default;

Runtime::Runtime() : gpu(chosen_device()), executor_(gpu, answers()) {
  gpu.settings = chosen_settings();
  gpu.memory.set_capacity(gpu.card.memory_bytes * static_cast<std::uint64_t>(std::max(1, device_count())));
  if (const char* text = std::getenv("SIMGPU_QUEUE")) through_records_ = text == std::string_view("records");
  for (int i = device_count(); i > 0; --i) add_device();
  host_pool.host = true;
  pools.insert(&host_pool);
  device::install_host_fault_handler(gpu.memory);
  register_exit_report();
}

device::Answers Runtime::answers() {
  return {.reached =
              [this](std::uint64_t token) {
                const auto it = host_functions_.find(token);
                if (it == host_functions_.end()) return;
                const std::function<void()> function = it->second;  // it may forget itself meanwhile
                function();
              },
          .fault = [this](const observe::Findings& findings) { notice_fault(*this, findings); }};
}

void Runtime::add_device() {
  const int index = static_cast<int>(devices.size());
  auto state = std::make_unique<DeviceState>();
  state->legacy = std::make_unique<Stream>();
  state->legacy->device = index;
  state->legacy->built_in = true;
  state->default_pool.device = index;
  pools.insert(&state->default_pool);
  gpu.add_unit();
  devices.push_back(std::move(state));
}

bool Runtime::set_device_count(int count) {
  if (count < 1 || count > kMaxDevices) return false;
  const auto goes = [&](int index) { return index >= count; };
  const bool in_use =
      std::any_of(gpu.facts.begin(), gpu.facts.end(),
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
    gpu.drop_last_unit();
  }
  while (static_cast<int>(devices.size()) < count) add_device();
  gpu.memory.set_capacity(gpu.card.memory_bytes * static_cast<std::uint64_t>(count));
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
  device::Status& pending = gpu.unit(current()).fault;
  if (state.fault == cudaSuccess && pending == device::Status::not_supported) {
    // An instruction that is not simulated ends the launch that met it, and nothing else.
    pending = device::Status::success;
    set_last_error(cudaErrorNotSupported);
    return cudaErrorNotSupported;
  }
  if (state.fault == cudaSuccess) state.fault = error_of(pending);
  if (state.fault != cudaSuccess) set_last_error(state.fault);
  return state.fault;
}

cudaError_t Runtime::explain(cudaError_t error, std::string message, std::string kernel) {
  observe::Finding finding;
  finding.kind = observe::FindingKind::bad_call;
  finding.warning = true;  // the error code is the program's to handle; the sentence only says why
  finding.kernel = std::move(kernel);
  finding.message = std::move(message);
  gpu.findings.add(std::move(finding));
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
      stream = new_stream(cudaStreamDefault, 0, /*of_thread=*/true);
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

Stream* Runtime::new_stream(unsigned flags, int priority, bool of_thread) {
  using Kind = queue::MakeStream::Kind;
  auto* stream = new Stream;
  stream->device = current();
  stream->id = next_stream_++;
  stream->flags = flags;
  stream->priority = priority;
  stream->built_in = of_thread;
  streams.insert(stream);
  gpu.make_stream({.id = stream->name(),
                   .device = static_cast<std::uint32_t>(stream->device),
                   .kind = of_thread                              ? Kind::of_thread
                           : (flags & cudaStreamNonBlocking) != 0 ? Kind::non_blocking
                                                                  : Kind::blocking,
                   .priority = static_cast<std::uint32_t>(-priority)});
  return stream;
}

void Runtime::drop_stream(Stream* stream) {
  gpu.drop_stream(stream->name());
  streams.erase(stream);
  delete stream;
}

void Runtime::wait_for_device(bool asked) {
  timing::Timeline& timeline = gpu.unit(current()).timeline;
  timeline.host_wait(timeline.all_done());
  gpu.stream_checks.host_waits_for_device(current());
  if (!asked) gpu.ledger.waited_unasked();
}

cudaError_t Runtime::submit(Stream& stream, cudaGraphNodeType type, queue::Work work) {
  if (stream.capture == nullptr) {
    if (const cudaError_t error = refuse_legacy(*this, stream); error != cudaSuccess) return error;
    const StreamChecks::Inside inside(gpu.stream_checks);
    return send(stream, std::move(work));
  }
  if (is_spoilt(stream)) return cudaErrorStreamCaptureInvalidated;
  const std::size_t node = add_node(*stream.capture, type, std::move(work), stream.capture_tail);
  stream.capture_tail = {node};
  return cudaSuccess;
}

cudaError_t Runtime::send(const Stream& stream, queue::Work work) {
  std::visit([&](auto& command) { command.stream = stream.name(); }, work);
  if (through_records_) work = through_record(++sequence_, std::move(work));
  return error_of(executor_.carry_out(work));
}

std::uint64_t Runtime::add_host_function(std::function<void()> function) {
  host_functions_[next_token_] = std::move(function);
  return next_token_++;
}

// ------------------------------------------------------------------------------------------------------------- memory

const memory::Allocation* Runtime::allocate(std::size_t bytes, memory::AllocationKind kind,
                                            AllocationInfo info, std::uint64_t align) {
  using Origin = device::Facts::Origin;
  const Origin origin = info.array             ? Origin::array
                        : info.of_graph        ? Origin::graph
                        : info.pool != nullptr ? Origin::pool
                                               : Origin::plain;
  const memory::Allocation* allocation =
      gpu.allocate(bytes, kind, {.device = info.device, .origin = origin}, align);
  if (allocation != nullptr) allocations[allocation->base] = std::move(info);
  return allocation;
}

bool Runtime::release(std::uint64_t base) {
  const memory::Allocation* allocation = gpu.memory.find(base);
  if (!gpu.release(base)) return false;
  if (const AllocationInfo* info = info_of(*allocation); info != nullptr && info->pool != nullptr)
    info->pool->used -= std::min(info->pool->used, allocation->bytes);
  allocations.erase(base);
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
  for (PlannedFailure& failure : failures)
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

void Runtime::failed(const char* call, cudaError_t error) {
  if (report.errors.calls++ == 0) {
    report.errors.first = error;
    report.errors.first_call = call;
  }
  report.errors.largest = std::max(report.errors.largest, static_cast<int>(error));
}

report::Report Runtime::take_report() {
  report::Report taken = std::move(report);
  report = {};
  api_index_.clear();
  gpu.take_report(taken);
  for (const auto& state : devices) {
    const auto limit = state->limits.find(cudaLimitPersistingL2CacheSize);
    if (limit == state->limits.end()) continue;
    taken.persistence.limit_bytes = std::max<std::uint64_t>(taken.persistence.limit_bytes, limit->second);
  }
  taken.live.streams = static_cast<std::uint64_t>(
      std::count_if(streams.begin(), streams.end(), [](const Stream* stream) { return !stream->built_in; }));
  taken.live.events = events.size();
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
