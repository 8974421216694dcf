/// @file
/// The runtime's state: made once, shared by all API files.
#include "simgpu/runtime/state.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <pthread.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <type_traits>
#include <utility>
#include <variant>

#include "simgpu/link/threads.hpp"
#include "simgpu/runtime/capture.hpp"
#include "simgpu/runtime/closed_pages.hpp"
#include "simgpu/runtime/environment.hpp"
#include "simgpu/runtime/exit_report.hpp"
#include "simgpu/runtime/graph.hpp"
#include "simgpu/runtime/handle_mistakes.hpp"
#include "simgpu/runtime/host_fault.hpp"
#include "simgpu/runtime/module.hpp"
#include "simgpu/runtime/notices.hpp"
#include "simgpu/runtime/of_thread.hpp"
#include "simgpu/runtime/per_thread_stream.hpp"
#include "simgpu/runtime/settler.hpp"
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
  return whole_number_of("SIMGPU_DEVICES", 0, kMaxDevices, 1);
}

/// The simulated device: a slice of the card that SIMGPU_CARD names (an H200 unless it does), as large as SIMGPU_SLICE asks for: one part in
/// that many, a divisor of its SMs. 1 is the whole card, for launches whose grid depends on the number of SMs; its L2 and DRAM lessons
/// then need whole-card sizes.
timing::Device chosen_device() {
  const char* card = variable("SIMGPU_CARD");
  auto device = timing::card_named(card == nullptr ? "h200" : card);
  if (!device) {
    std::fprintf(stderr, "simgpu: SIMGPU_CARD=%s is none of %s: using h200\n", card,
                 fmt::format("{}", fmt::join(timing::card_names(), ", ")).c_str());
    device = timing::card_named("h200");
  }
  const char* text = variable("SIMGPU_SLICE");
  if (text == nullptr) return *device;
  const auto slice = whole_number(text);
  const auto cut = !slice || *slice < 1 ? std::nullopt : timing::card_named(device->card, *slice);
  if (!cut) {
    std::fprintf(stderr, "simgpu: SIMGPU_SLICE=%s is no divisor of %u: using %u\n", text,
                 device->sm_count * device->slice, device->slice);
    return *device;
  }
  return *cut;
}

/// What the environment says of checks, errors and order; a program that calls simgpu_configure() may change it.
device::Settings chosen_settings() {
  device::Settings config;
  if (const char* text = variable("SIMGPU_CHECKS")) {
    const auto checks = device::checks_of(text);
    if (!checks)
      std::fprintf(stderr, "simgpu: SIMGPU_CHECKS=%s is none of %s: using on\n", text,
                   device::checks_known().c_str());
    config.checks = checks.value_or(device::Checks{});
  }
  config.keep_going =
      one_of<bool>("SIMGPU_KEEP_GOING", {{"off", false}, {"0", false}, {"on", true}, {"1", true}});
  config.order = one_of<exec::Order>(
      "SIMGPU_ORDER", {{"forward", exec::Order::forward}, {"reversed", exec::Order::reversed}});
  return config;
}

bool goes_through_records() {
  return one_of<bool>("SIMGPU_QUEUE", {{"direct", false}, {"records", true}});
}

/// A socket to a device that a grader has started; below 0: there is none.
int door_of_grader() {
  const char* const text = variable("SIMGPU_DOOR");
  const auto number = text == nullptr ? std::nullopt : whole_number(text);
  return number ? static_cast<int>(*number) : -1;
}

bool has_own_process() {
  return one_of<bool>("SIMGPU_DEVICE", {{"inside", false}, {"process", true}});
}

}  // namespace

// The device speaks of errors by their numbers, without a CUDA header.
static_assert(static_cast<int>(device::Status::success) == cudaSuccess);
static_assert(static_cast<int>(device::Status::invalid_value) == cudaErrorInvalidValue);
static_assert(static_cast<int>(device::Status::memory_allocation) == cudaErrorMemoryAllocation);
static_assert(static_cast<int>(device::Status::invalid_device_function) == cudaErrorInvalidDeviceFunction);
static_assert(static_cast<int>(device::Status::no_kernel_image) == cudaErrorNoKernelImageForDevice);
static_assert(static_cast<int>(device::Status::invalid_ptx) == cudaErrorInvalidPtx);
static_assert(static_cast<int>(device::Status::not_ready) == cudaErrorNotReady);
static_assert(static_cast<int>(device::Status::already_registered) == cudaErrorHostMemoryAlreadyRegistered);
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
cudaError_t error_of(const queue::Answer& answer) {
  return static_cast<cudaError_t>(answer.status);
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

Runtime::Runtime()
    : card(chosen_device()),
      connection_(door_of_grader() >= 0 || has_own_process()
                      ? Connection::to_process(card, chosen_settings(), unasked(), ahead(), door_of_grader())
                      : Connection::in_process(card, chosen_settings(), unasked(), goes_through_records())),
      connection(*connection_) {
  install_host_fault_handler(memory);
  pthread_atfork([] { Runtime::get().mutex.before_fork(); }, [] { Runtime::get().mutex.after_fork(); },
                 [] { Runtime::get().mutex.after_fork_in_child(); });
  const int count = device_count();
  for (int i = 0; i < count; ++i) add_device();
  host_pool.host = true;
  pools.insert(&host_pool);
  register_exit_report();
}

device::Unasked Runtime::unasked() {
  return {.reached =
              [this](const queue::Reached& now) {
                const auto it = host_functions_.find(now.token);
                if (it == host_functions_.end()) return;
                const std::function<void()> function = it->second;  // it may forget itself meanwhile
                function();
              },
          .said = [](const queue::Said& now) { std::fwrite(now.text.data(), 1, now.text.size(), stdout); },
          .fault =
              [this](const queue::Fault& now) {
                if (now.status != 0)
                  devices[now.device]->stopped_by = static_cast<device::Status>(now.status);
                notice_fault(*this, now.why);
              },
          .closed = [this](const queue::Closed& now) { close_pages(now, memory); },
          .give_way = [this] { return give_way(); },
          .calling = [this] { return std::string(call_); }};
}

Connection::Ahead Runtime::ahead() {
  return {.close =
              [this](std::span<const std::byte> parameters) {
                begin_settler(*this);
                return close_ahead(parameters, memory);
              },
          .open = [this] { open_ahead(memory); }};
}

Runtime::Call::Call(Runtime& runtime, const char* name) : runtime_(runtime), outer_(runtime.call_) {
  runtime.call_ = name;
  runtime.connection.pump();
}

Runtime::Call::~Call() {
  runtime_.call_ = outer_;
  if (runtime_.connection.wants_turns()) runtime_.turns_.watch(runtime_);
}

bool Runtime::give_way() {
  const bool others = link::threads_of_program() > giving_way_ + 1;
  const char* const call = call_;
  ++giving_way_;
  const int depth = mutex.release();
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  mutex.retake(depth);
  --giving_way_;
  call_ = call;
  return others;
}

void Runtime::say_nothing() {
  device::Settings settings = connection.settings();
  reports_elsewhere = settings.quiet = true;
  connection.configure(settings);
}

void Runtime::add_device() {
  const int index = static_cast<int>(devices.size());
  auto state = std::make_unique<DeviceState>();
  state->legacy = std::make_unique<Stream>();
  state->legacy->device = index;
  state->legacy->built_in = true;
  state->default_pool.device = index;
  pools.insert(&state->default_pool);
  devices.push_back(std::move(state));
  connection.set_devices(index + 1);
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
  connection.set_devices(static_cast<int>(devices.size()));
  while (static_cast<int>(devices.size()) < count) add_device();
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
  if (const auto lost = static_cast<cudaError_t>(connection.lost()); lost != cudaSuccess) {
    set_last_error(lost);
    return lost;
  }
  if (devices.empty()) return cudaSuccess;
  DeviceState& state = current_device();
  device::Status& pending = state.stopped_by;
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
  tell(queue::Note{.message = std::move(message), .kernel = std::move(kernel)});
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
    Stream*& stream = of_thread<std::map<int, Stream*>, Runtime>()[current()];
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
  handle_missed(Handle::stream, handle);
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
  handle_made(Handle::stream, stream);
  tell(queue::MakeStream{.id = stream->name(),
                         .device = static_cast<std::uint32_t>(stream->device),
                         .kind = of_thread                              ? Kind::of_thread
                                 : (flags & cudaStreamNonBlocking) != 0 ? Kind::non_blocking
                                                                        : Kind::blocking,
                         .priority = static_cast<std::uint32_t>(-priority)});
  return stream;
}

void Runtime::drop_stream(Stream* stream) {
  tell(queue::StreamGone{.id = stream->name()});
  streams.erase(stream);
  handle_destroyed(Handle::stream, stream);
  delete stream;
}

void Runtime::wait_for_device(bool asked) {
  tell(queue::Synchronise{
      .what = queue::Synchronise::What::device, .id = static_cast<std::uint32_t>(current()), .asked = asked});
}

cudaError_t Runtime::submit(Stream& stream, cudaGraphNodeType type, queue::Work work) {
  if (stream.capture == nullptr) {
    if (const cudaError_t error = refuse_legacy(*this, stream); error != cudaSuccess) return error;
    return send(stream, std::move(work));
  }
  if (is_spoilt(stream)) return cudaErrorStreamCaptureInvalidated;
  const std::size_t node = add_node(*stream.capture, type, std::move(work), stream.capture_tail);
  stream.capture_tail = {node};
  return cudaSuccess;
}

cudaError_t Runtime::send(const Stream& stream, queue::Work work) {
  std::visit([&](auto& command) { command.stream = stream.name(); }, work);
  return std::visit([&](auto& command) { return tell(std::move(command)); }, work);
}

std::uint64_t Runtime::add_host_function(std::function<void()> function) {
  host_functions_[next_token_] = std::move(function);
  return next_token_++;
}

// ------------------------------------------------------------------------------------------------------------- memory

const memory::Allocation* Runtime::allocate(std::size_t bytes, memory::AllocationKind kind,
                                            AllocationInfo info, std::uint64_t align, queue::Allocate wish) {
  using Kind = queue::Allocate::Kind;
  wish.device = static_cast<std::uint32_t>(info.device);
  wish.kind = kind == memory::AllocationKind::pinned    ? Kind::pinned
              : kind == memory::AllocationKind::managed ? Kind::managed
                                                        : Kind::device;
  wish.bytes = bytes;
  wish.align = align;
  cudaError_t error = cudaSuccess;
  const auto made = ask<queue::Allocated>(wish, error);
  if (!made) return nullptr;
  allocations[made->address] = std::move(info);
  return memory.add(*made, bytes, kind);
}

bool Runtime::release(std::uint64_t base, queue::Free in_order) {
  const memory::Allocation* allocation = memory.find(base);
  if (allocation == nullptr || allocation->base != base || !allocation->live) return false;
  in_order.address = base;
  const bool registered = allocation->kind == memory::AllocationKind::registered;
  if (tell(registered ? queue::Body(queue::Unmap{base}) : queue::Body(in_order)) != cudaSuccess) return false;
  forget(base);
  return true;
}

void Runtime::forget(std::uint64_t base) {
  const memory::Allocation* allocation = memory.find(base);
  if (allocation == nullptr) return;
  if (const AllocationInfo* info = info_of(*allocation); info != nullptr && info->pool != nullptr)
    info->pool->used -= std::min(info->pool->used, allocation->bytes);
  allocations.erase(base);
  memory.free(base);
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

Event* Runtime::event(cudaEvent_t handle) {
  Event* event = reinterpret_cast<Event*>(handle);
  if (events.contains(event)) return event;
  handle_missed(Handle::event, handle);
  return nullptr;
}

KernelEntry* Runtime::kernel(const void* function) {
  const auto it = kernels_by_host.find(function);
  if (it != kernels_by_host.end()) return it->second;
  // cudaKernel_t and cudaFunction_t handles may be given wherever a host function may.
  if (kernel_handles.contains(function)) return static_cast<KernelEntry*>(const_cast<void*>(function));
  handle_missed(Handle::kernel, function);
  return nullptr;
}

// ------------------------------------------------------------------------------------------------------------- report

void Runtime::count_call(const char* name) {
  const auto [it, fresh] = api_index_.try_emplace(name, part.api.size());
  if (fresh) part.api.push_back({name, 0});
  ++part.api[it->second].calls;
}

cudaError_t Runtime::planned_failure(const char* name) {
  for (PlannedFailure& failure : failures)
    if (failure.call == name && ++failure.seen == failure.nth) return failure.error;
  return cudaSuccess;
}

void Runtime::note_unsupported(const char* name) {
  if (std::find(part.unsupported.begin(), part.unsupported.end(), name) == part.unsupported.end()) {
    part.unsupported.emplace_back(name);
  }
  if (unsupported_printed_.insert(name).second) {
    fmt::print(stderr, "simgpu: {} is not simulated; it returns cudaErrorNotSupported.\n", name);
  }
}

void Runtime::failed(const char* call, cudaError_t error) {
  if (part.errors.calls++ == 0) {
    part.errors.first = error;
    part.errors.first_call = call;
  }
  part.errors.largest = std::max(part.errors.largest, static_cast<int>(error));
}

report::ClientPart Runtime::take_part() {
  report::ClientPart taken = std::exchange(part, {});
  api_index_.clear();
  for (const auto& state : devices) {
    const auto limit = state->limits.find(cudaLimitPersistingL2CacheSize);
    if (limit == state->limits.end()) continue;
    taken.persisting_limit = std::max<std::uint64_t>(taken.persisting_limit, limit->second);
  }
  taken.streams = static_cast<std::uint64_t>(
      std::count_if(streams.begin(), streams.end(), [](const Stream* stream) { return !stream->built_in; }));
  taken.events = events.size();
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
