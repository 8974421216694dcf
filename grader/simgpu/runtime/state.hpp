/// @file
/// The client's side of the cut: handles, the last error, captures, kernels and variables as host code names them, pools, and the calls
/// of the API. What carries work out is the device's side (device/), to which all goes as commands of the queue.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "simgpu/device/place.hpp"
#include "simgpu/device/status.hpp"
#include "simgpu/device/unasked.hpp"
#include "simgpu/memory/device_memory.hpp"
#include "simgpu/observe/observer.hpp"
#include "simgpu/queue/answer.hpp"
#include "simgpu/queue/command.hpp"
#include "simgpu/report/client_part.hpp"
#include "simgpu/runtime/allocations.hpp"
#include "simgpu/runtime/api_mutex.hpp"
#include "simgpu/runtime/connection.hpp"
#include "simgpu/runtime/host_view.hpp"
#include "simgpu/runtime/turns.hpp"
#include "simgpu/timing/device.hpp"
#include "simgpu/timing/timeline.hpp"

namespace simgpu::runtime {

class GraphMemory;
class Module;
struct Graph;

using device::Place;
using queue::Footprint;

/// A call that is to fail: simgpu_configure's "fail".
struct PlannedFailure {
  std::string call;
  std::uint64_t nth = 1;   ///< counted from the configuration on, from 1
  std::uint64_t seen = 0;  ///< so far
  cudaError_t error = cudaErrorUnknown;
};

/// What simgpu_configure() sets.
struct Config {
  std::vector<PlannedFailure> failures;
  device::Settings settings;  ///< of the device
};

/// A CUDA stream. The legacy default stream of a device and the per-thread default streams are streams as well.
struct Stream {
  int device = 0;
  timing::StreamId id = 0;
  unsigned flags = 0;
  int priority = 0;
  bool built_in = false;                  ///< cannot be destroyed
  std::shared_ptr<Graph> capture;         ///< set while the stream is being captured into a graph
  std::vector<std::size_t> capture_tail;  ///< nodes on which the next captured node will depend
  bool capture_origin = false;
  std::map<int, cudaLaunchAttributeValue>
      attributes;  ///< set by cudaStreamSetAttribute; they change no result
  /// Its name in the queue.
  queue::Id name() const {
    return id == 0 ? queue::kLegacyStreams + static_cast<queue::Id>(device) : static_cast<queue::Id>(id);
  }
};

/// A CUDA event.
struct Event {
  int device = 0;
  unsigned flags = 0;
  bool recorded = false;
  std::shared_ptr<Graph> capture;  ///< recorded in a capturing stream: nodes that it stands for
  std::vector<std::size_t> capture_nodes;
  bool stale = false;  ///< last recorded in a capture that has ended
  queue::Id id = 0;    ///< its name in the queue: from 1, in order of creation
};

/// A kernel as host code names it.
struct KernelEntry {
  Module* module = nullptr;
  std::string name;             ///< mangled
  int max_dynamic_shared = -1;  ///< cudaFuncAttributeMaxDynamicSharedMemorySize; -1: not set
  int carveout = -1;
  bool non_portable_cluster = false;
  observe::Dim3 required_cluster{0, 0, 0};
};

/// A `__device__`, `__constant__` or `__managed__` variable as host code names it.
struct VariableEntry {
  Module* module = nullptr;
  std::string name;
  std::size_t bytes = 0;
  bool constant = false, managed = false;
  void** managed_pointer = nullptr;  ///< host variable that receives the managed variable's address
};

/// A memory pool. Allocations come from the device all the same; a pool counts. [bytes]
struct Pool {
  int device = 0;
  bool host = false;       ///< gives pinned memory
  std::uint64_t most = 0;  ///< 0: as much as there is
  std::uint64_t release_threshold = 0;
  int reuse_follow = 1, reuse_opportunistic = 1, reuse_internal = 1;
  std::uint64_t used = 0, used_high = 0;
  std::uint64_t reserved = 0, reserved_high = 0;  ///< taken from the device, in chunks
  /// What hardware reserves for @p bytes. Saturates.
  static std::uint64_t chunks(std::uint64_t bytes) {
    constexpr std::uint64_t kChunk = 32u << 20;
    return bytes > UINT64_MAX - kChunk ? UINT64_MAX / kChunk * kChunk
                                       : (bytes + kChunk - 1) / kChunk * kChunk;
  }
};

/// What graphs took of a device's memory. [bytes]
struct GraphMemoryUse {
  std::uint64_t used = 0, used_high = 0;          ///< between an allocation node and the release
  std::uint64_t reserved = 0, reserved_high = 0;  ///< kept for the next launch until cudaDeviceGraphMemTrim
};

/// One simulated device, as the client sees it.
struct DeviceState {
  std::unique_ptr<Stream> legacy;
  Pool default_pool;
  Pool* pool = &default_pool;
  GraphMemoryUse graph_memory;
  device::Status stopped_by = device::Status::success;  ///< of a kernel; not yet seen by the host
  cudaError_t fault = cudaSuccess;                      ///< seen: every call fails until cudaDeviceReset
  std::set<int> peers;
  std::map<int, std::size_t> limits;
  unsigned flags = 0;
  int cache_preference = 0;  ///< cudaDeviceSetCacheConfig
};

/// What the client knows of an allocation that the program asked for, beyond what the device does.
struct AllocationInfo {
  int device = 0;
  unsigned flags = 0;  ///< of cudaHostAlloc / cudaMallocManaged
  Pool* pool = nullptr;
  GraphMemory* graph = nullptr;  ///< set for memory that nodes of graphs allocate
  cudaMemLocation preferred{cudaMemLocationTypeInvalid,
                            cudaInvalidDeviceId};  ///< cudaMemAdviseSetPreferredLocation
  cudaMemLocation last_prefetch{cudaMemLocationTypeInvalid, cudaInvalidDeviceId};
  bool read_mostly = false;
  std::set<int> accessed_by;
};

/// A device's answer as the API gives it.
cudaError_t error_of(device::Status status);
cudaError_t error_of(const queue::Answer& answer);

class Runtime {
 public:
  /// Made at the first call, often from a constructor of the program; never destroyed, since calls may come during exit.
  static Runtime& get();
  ~Runtime();

  ApiMutex mutex;
  std::vector<PlannedFailure> failures;
  const timing::Device card;  ///< what the device is a slice of
 private:
  const std::unique_ptr<Connection> connection_;

 public:
  Connection& connection;             ///< to the device
  HostView view{connection.pages()};  ///< of what it shares with the device
  Allocations memory{&view};          ///< all that the program or its modules have, or had
  std::vector<std::unique_ptr<DeviceState>> devices;
  std::map<std::uint64_t, AllocationInfo> allocations;  ///< by base address
  std::set<Stream*> streams;
  std::set<Event*> events;
  std::set<Pool*> pools;
  Pool host_pool;
  std::vector<std::unique_ptr<Module>> modules;
  std::unordered_map<const void*, KernelEntry*> kernels_by_host;
  std::set<const void*> kernel_handles;
  std::vector<std::unique_ptr<KernelEntry>> kernels;
  std::unordered_map<const void*, VariableEntry> variables_by_host;
  report::ClientPart part;  ///< of the report: calls and what they returned
  queue::Id events_made = 0, modules_made = 0;
  bool reports_elsewhere =
      false;  ///< the program itself takes reports or configures the simulator: no notices
  std::set<std::string, std::less<>> notices;  ///< printed so far

  /// The program takes reports or configures the simulator itself.
  void say_nothing();

  // --- errors ---
  void set_last_error(cudaError_t error);
  cudaError_t last_error() const;
  /// Makes a kernel's fault known to the host. @return the sticky error of the current device, or cudaSuccess.
  cudaError_t surface_fault();
  /// Adds a sentence about a call that the program got wrong, and @return @p error.
  cudaError_t explain(cudaError_t error, std::string message, std::string kernel = {});

  // --- the calling thread's device ---
  int current() const;
  void set_current(int index);
  DeviceState& current_device() { return *devices[static_cast<std::size_t>(current())]; }
  /// Simulates @p count devices from now on. @return false if there are to be fewer and one that would go is in use.
  bool set_device_count(int count);
  bool valid_device(int index) const { return index >= 0 && index < static_cast<int>(devices.size()); }

  // --- streams ---
  /// Resolves a handle, the two special handles included. @return nullptr if it names no stream.
  Stream* stream(cudaStream_t handle);
  DeviceState& device_of(const Stream& stream) { return *devices[static_cast<std::size_t>(stream.device)]; }
  /// @param of_thread a thread's default stream
  Stream* new_stream(unsigned flags, int priority, bool of_thread = false);
  void drop_stream(Stream* stream);
  /// @return nullptr if the handle names no event.
  Event* event(cudaEvent_t handle);

  // --- the device ---
  /// Says @p command to the device. @return how it went.
  cudaError_t tell(queue::Body command) { return error_of(connection.ask(std::move(command))); }
  /// Asks for what the answer to @p command holds. @return nothing, and @p error is set, if it went wrong.
  template <typename T>
  std::optional<T> ask(queue::Body command, cudaError_t& error) {
    queue::Answer answer = connection.ask(std::move(command));
    error = error_of(answer);
    T* const body = std::get_if<T>(&answer.body);
    return body != nullptr ? std::optional<T>(std::move(*body)) : std::nullopt;
  }

  /// Sends @p work to the device now, or puts it into the graph that @p stream is captured into.
  cudaError_t submit(Stream& stream, cudaGraphNodeType type, queue::Work work);
  /// Sends @p work to the device, in @p stream.
  cudaError_t send(const Stream& stream, queue::Work work);

  // --- kernels that stand still, and what stands in line behind them ---
  /// A call of the API, from begin to end: kernels that stand still get their turn.
  class Call {
   public:
    Call(Runtime& runtime, const char* name);
    ~Call();
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

   private:
    Runtime& runtime_;
    const char* outer_;
  };
  /// What the device is to call when a stream comes to a marker. @return the marker's token.
  std::uint64_t add_host_function(std::function<void()> function);
  void drop_host_function(std::uint64_t token) { host_functions_.erase(token); }

  /// The host waits until all streams of the current device are done, as before memory is freed. @param asked that is what the
  /// program called for; else the ledger is told here.
  void wait_for_device(bool asked = false);

  // --- memory ---
  /// @param wish what it is for, and in which order of which stream; the rest is filled in here.
  const memory::Allocation* allocate(std::size_t bytes, memory::AllocationKind kind, AllocationInfo info,
                                     std::uint64_t align = 256, queue::Allocate wish = {});
  /// @param in_order the stream in whose order it goes, with the function's number; by default at once.
  bool release(std::uint64_t base, queue::Free in_order = {});
  /// The device has taken it back by itself.
  void forget(std::uint64_t base);
  AllocationInfo* info_of(const memory::Allocation& allocation);
  const AllocationInfo* info_of(const memory::Allocation& allocation) const;
  /// The program has waited: pools give back what they hold beyond their thresholds.
  void shrink_pools();

  // --- modules ---
  KernelEntry* kernel(const void* function);

  // --- report ---
  void failed(const char* call, cudaError_t error);
  void count_call(const char* name);
  /// @return the error that the program under test has planned for this call of @p name, or cudaSuccess.
  cudaError_t planned_failure(const char* name);
  void note_unsupported(const char* name);
  /// Takes the client's part of a report: what was seen since the last call, and what there is now.
  report::ClientPart take_part();

 private:
  Runtime();
  void add_device();
  device::Unasked unasked();
  Connection::Ahead ahead();
  /// Lets the program's other threads act. @return whether there are any that do not wait here as well.
  bool give_way();
  Turns turns_;
  const char* call_ = "";                                                    ///< that runs now
  int giving_way_ = 0;                                                       ///< threads
  std::unordered_map<std::uint64_t, std::function<void()>> host_functions_;  ///< by token
  std::uint64_t next_token_ = 1;
  std::unordered_map<std::string_view, std::size_t> api_index_;
  std::set<std::string> unsupported_printed_;
  timing::StreamId next_stream_ = 1;
};

}  // namespace simgpu::runtime
