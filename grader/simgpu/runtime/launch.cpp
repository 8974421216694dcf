/// @file
/// Launching a kernel.
#include "simgpu/runtime/launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "simgpu/observe/races.hpp"
#include "simgpu/observe/traffic.hpp"
#include "simgpu/observe/uninitialised.hpp"
#include "simgpu/runtime/device_services.hpp"
#include "simgpu/runtime/graph.hpp"
#include "simgpu/runtime/module.hpp"
#include "simgpu/runtime/notices.hpp"
#include "simgpu/runtime/report_fill.hpp"
#include "simgpu/timing/model.hpp"
#include "simgpu/timing/occupancy.hpp"

namespace simgpu::runtime {
namespace {

/// Blocks whose time the scoreboard samples, about; enough for a mean, few enough to cost little.
constexpr std::uint64_t kSampledBlocks = 24;

observe::Dim3 dim(const dim3& d) {
  return {d.x, d.y, d.z};
}

std::uint64_t round_down(std::uint64_t value, std::uint64_t unit) {
  return value / unit * unit;
}

std::uint32_t largest_block(const timing::Device& device, std::uint32_t registers) {
  std::uint64_t threads = device.threads_per_block_max;
  while (threads > 32 &&
         timing::occupancy(device, {.threads = threads, .registers_per_thread = registers, .shared_bytes = 0})
                 .blocks_per_sm == 0) {
    threads = round_down(threads - 1, 32);
  }
  return static_cast<std::uint32_t>(threads);
}

/// The checks that the hardware's runtime makes before a kernel starts. What they return was observed on an H200 with CUDA 13.0,
/// which answers a bad grid or block with cudaErrorInvalidValue, where older toolkits said cudaErrorInvalidConfiguration.
struct Checked {
  cudaError_t error = cudaSuccess;
  timing::Occupancy occupancy;
};

Checked check(Runtime& runtime, const KernelEntry& entry, const lower::Kernel& kernel,
              const Footprint& footprint, const LaunchRequest& request) {
  const timing::Device& device = runtime.device;
  const auto refuse = [&](cudaError_t error, std::string why) {
    return Checked{runtime.explain(error, std::move(why), entry.name), {}};
  };
  const observe::Dim3 grid = dim(request.grid), block = dim(request.block);
  const std::uint64_t threads = block.count();
  if (grid.count() == 0) {
    return refuse(cudaErrorInvalidValue,
                  "The grid has no blocks: each of its three sizes must be at least 1.");
  }
  if (grid.x > 2147483647u || grid.y > 65535 || grid.z > 65535) {
    return refuse(
        cudaErrorInvalidValue,
        fmt::format("A grid of ({}, {}, {}) blocks is too large: y and z go up to 65535, x to 2147483647.",
                    grid.x, grid.y, grid.z));
  }
  if (threads == 0) {
    return refuse(cudaErrorInvalidValue,
                  "The block has no threads: each of its three sizes must be at least 1.");
  }
  if (block.x > 1024 || block.y > 1024 || block.z > 64 || threads > device.threads_per_block_max) {
    return refuse(
        cudaErrorInvalidValue,
        fmt::format(
            "A block of ({}, {}, {}) = {} threads is too large: at most 1024 threads, and z up to 64.",
            block.x, block.y, block.z, threads));
  }
  if (kernel.required_threads && !(*kernel.required_threads == block)) {
    return refuse(cudaErrorInvalidValue, "The kernel was compiled for another block size (__block_size__).");
  }
  if (kernel.max_threads && threads > kernel.max_threads->count()) {
    return refuse(cudaErrorInvalidValue,
                  fmt::format("A block of {} threads is larger than the kernel's __launch_bounds__ of {}.",
                              threads, kernel.max_threads->count()));
  }
  const std::size_t dynamic_most = max_dynamic_shared(runtime, entry, footprint);
  if (request.dynamic_shared > dynamic_most) {
    return refuse(
        cudaErrorInvalidValue,
        fmt::format(
            "{} bytes of dynamic and {} bytes of static shared memory a block are too much: this "
            "kernel may have {} bytes of dynamic shared memory{}.",
            request.dynamic_shared, footprint.static_shared, dynamic_most,
            entry.max_dynamic_shared < 0 && device.shared_per_block_optin > device.shared_per_block_default
                ? fmt::format(", or up to {} KB in all after cudaFuncSetAttribute(..., "
                              "cudaFuncAttributeMaxDynamicSharedMemorySize, bytes)",
                              device.shared_per_block_optin / 1024)
                : ""));
  }
  const timing::BlockNeeds needs{.threads = threads,
                                 .registers_per_thread = footprint.registers,
                                 .shared_bytes = footprint.static_shared + request.dynamic_shared};
  Checked checked{cudaSuccess, timing::occupancy(device, needs)};
  if (checked.occupancy.blocks_per_sm == 0) {
    return refuse(cudaErrorLaunchOutOfResources,
                  fmt::format("{} threads with {} registers each need more than the {} registers of an SM.",
                              threads, footprint.registers, device.registers_per_sm));
  }
  const std::uint64_t resident = std::uint64_t{checked.occupancy.blocks_per_sm} * device.sm_count;
  if (request.cooperative && grid.count() > resident) {
    return refuse(cudaErrorCooperativeLaunchTooLarge,
                  fmt::format("A cooperative launch of {} blocks: only {} fit on the device at once.",
                              grid.count(), resident));
  }
  const observe::Dim3 cluster = request.cluster           ? dim(*request.cluster)
                                : kernel.required_cluster ? *kernel.required_cluster
                                                          : observe::Dim3{};
  if (cluster.count() != 1) {
    if (device.arch() < 90) {
      return refuse(cudaErrorNotSupported,
                    fmt::format("Clusters need compute capability 9.0, and this card ({}) has {}.{}.",
                                device.name, device.major, device.minor));
    }
    const std::uint64_t most = entry.non_portable_cluster ? 16 : 8;
    if (cluster.count() == 0 || cluster.count() > most || grid.x % cluster.x != 0 ||
        grid.y % cluster.y != 0 || grid.z % cluster.z != 0) {
      return refuse(cudaErrorInvalidClusterSize,
                    fmt::format("A grid of ({}, {}, {}) blocks cannot be cut into clusters of ({}, {}, {}).",
                                grid.x, grid.y, grid.z, cluster.x, cluster.y, cluster.z));
    }
  }
  return checked;
}

std::vector<std::byte> parameter_image(const lower::Kernel& kernel, void** args) {
  std::vector<std::byte> image(kernel.parameter_bytes);
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
    const lower::Parameter& parameter = kernel.parameters[i];
    std::memcpy(image.data() + parameter.offset, args[i], parameter.bytes);
  }
  return image;
}

/// For those who ask a graph what its nodes do.
std::shared_ptr<KernelDetail> detail_of(KernelEntry& entry, const LaunchRequest& request,
                                        const lower::Kernel& kernel, const std::vector<std::byte>& image) {
  auto detail = std::make_shared<KernelDetail>();
  detail->entry = &entry;
  detail->function = request.function != nullptr ? request.function : &entry;
  detail->grid = request.grid;
  detail->block = request.block;
  detail->dynamic_shared = request.dynamic_shared;
  detail->cluster = request.cluster;
  detail->cooperative = request.cooperative;
  detail->hints = request.hints;
  for (const lower::Parameter& parameter : kernel.parameters) {
    const auto from = image.begin() + static_cast<std::ptrdiff_t>(parameter.offset);
    detail->arguments.emplace_back(from, from + static_cast<std::ptrdiff_t>(parameter.bytes));
  }
  for (auto& argument : detail->arguments) detail->pointers.push_back(argument.data());
  return detail;
}

bool starts_early(const LaunchRequest& request) {
  const auto it = request.hints.find(cudaLaunchAttributeProgrammaticStreamSerialization);
  return it != request.hints.end() && it->second.programmaticStreamSerializationAllowed != 0;
}

/// The edges from kernels to @p node allow it to start before they end.
void mark_programmatic(const Graph& graph, GraphNode& node) {
  for (const std::size_t before : node.after) {
    if (graph.nodes[before].type != cudaGraphNodeTypeKernel) continue;
    cudaGraphEdgeData edge{};
    edge.from_port = cudaGraphKernelNodePortProgrammatic;
    edge.type = cudaGraphDependencyTypeProgrammatic;
    node.edges[before] = edge;
  }
}

/// The CUDA error that hardware would give for what stopped a launch.
cudaError_t fault_of(const observe::Findings& findings) {
  using observe::FindingKind;
  cudaError_t error = cudaErrorLaunchFailure;
  for (const observe::Finding& finding : findings.all()) {
    if (finding.warning) continue;
    switch (finding.kind) {
      case FindingKind::out_of_bounds:
      case FindingKind::use_after_free:
      case FindingKind::stack_overflow:
        return cudaErrorIllegalAddress;  // as an H200 says
      case FindingKind::misaligned:
        return cudaErrorMisalignedAddress;
      case FindingKind::assertion:
        return cudaErrorAssert;
      case FindingKind::illegal_instruction:
        return cudaErrorIllegalInstruction;
      case FindingKind::unsupported_instruction:
        return cudaErrorNotSupported;
      case FindingKind::deadlock:
      case FindingKind::runaway:
        return cudaErrorLaunchTimeout;
      case FindingKind::trap:
      case FindingKind::divergent_barrier:
        return cudaErrorLaunchFailure;
      default:
        break;  // races and uninitialised reads do not stop a kernel
    }
  }
  return error;
}

/// Everything about a launch that is known before it runs. Kept by a graph's node.
struct Prepared {
  KernelEntry* entry = nullptr;
  exec::Launch launch;
  Footprint footprint;
  timing::Occupancy occupancy;
  std::optional<cudaAccessPolicyWindow> window;  ///< in force for it
  const char* window_set_by = "stream";
};

/// The launch's own window, or else its stream's. A window of no bytes is none.
void find_window(Prepared& prepared, const LaunchRequest& request, const Stream& stream) {
  constexpr auto which = cudaLaunchAttributeAccessPolicyWindow;
  if (const auto it = request.hints.find(which); it != request.hints.end()) {
    prepared.window = it->second.accessPolicyWindow;
    prepared.window_set_by = "launch";
  } else if (const auto of_stream = stream.attributes.find(which); of_stream != stream.attributes.end()) {
    prepared.window = of_stream->second.accessPolicyWindow;
  }
  if (prepared.window && prepared.window->num_bytes == 0) prepared.window.reset();
}

/// Memory that an unobserved kernel may have written counts as written: no false alarms later.
void assume_all_written(Runtime& runtime) {
  for (const auto& [base, info] : runtime.allocations) {
    if (const memory::Allocation* allocation = runtime.memory.find(base)) {
      runtime.uninitialised->mark_initialised(base, allocation->bytes);
    }
  }
}

cudaError_t run(Runtime& runtime, const Prepared& prepared, Stream& stream) {
  DeviceState& state = runtime.device_of(stream);
  exec::Launch launch = prepared.launch;
  launch.order = runtime.config.order;
  launch.warp_instruction_limit = runtime.config.warp_instruction_limit;
  const std::uint64_t blocks = launch.grid.count();
  launch.scoreboard_every =
      runtime.config.timing
          ? static_cast<std::uint32_t>(std::min<std::uint64_t>(blocks / kSampledBlocks + 1, 1u << 30))
          : 0;

  std::vector<observe::Observer*> observers{state.traffic.get()};
  if (runtime.config.checks) {
    observers.push_back(runtime.races.get());
    observers.push_back(runtime.uninitialised.get());
  }
  if (observe::Observer* const other = runtime.stream_checks.kernel_begins(stream))
    observers.push_back(other);
  const bool pages = !runtime.managed_pages.empty();
  if (pages) {
    runtime.managed_pages.kernel_begins();
    observers.push_back(&runtime.managed_pages);
  }
  // Findings of this launch alone tell why it stopped; afterwards they join the others.
  observe::Findings earlier = runtime.findings;
  runtime.findings.clear();
  const exec::Result result =
      exec::run(launch, runtime.memory, observers, runtime.findings,
                device_services(runtime, stream.device, prepared.entry->name, blocks));
  if (!result.ok) {
    state.pending_fault = fault_of(runtime.findings);
    notice_fault(runtime, runtime.findings);
  }
  for (const observe::Finding& finding : runtime.findings.all()) earlier.add(finding);
  runtime.findings = std::move(earlier);
  runtime.stream_checks.kernel_ends(stream, prepared.entry->name, result.ok);
  if (!runtime.config.checks) assume_all_written(runtime);

  timing::Work work = work_of(launch, result, *state.traffic, runtime.device);
  if (pages) {
    const ManagedPages::Demand demand = runtime.managed_pages.kernel_ends(stream.device);
    runtime.ledger.demanded(demand.faulted_bytes, demand.in_place_bytes);
    work.fault_bytes = static_cast<double>(demand.faulted_bytes);
    work.host_link_bytes += static_cast<double>(demand.in_place_bytes);
    state.timeline.wait(stream.id, demand.arrival);
  }
  const timing::KernelTime time = timing::kernel_time(runtime.device, work);
  const double fills =
      static_cast<double>(blocks) / (static_cast<double>(launch.resident_blocks_per_sm) * launch.sm_count);
  state.timeline.enqueue(stream.id, timing::Engine::compute, time.total, std::min(1.0, fills),
                         prepared.entry->name);

  report::LaunchReport entry;
  entry.mangled = prepared.entry->name;
  entry.grid = launch.grid;
  entry.block = launch.block;
  entry.static_shared_bytes = prepared.footprint.static_shared;
  entry.dynamic_shared_bytes = launch.dynamic_shared_bytes;
  if (prepared.footprint.known_registers) {
    entry.registers = prepared.footprint.known_registers;
    entry.spill_bytes = prepared.footprint.spill_bytes;
    entry.stack_frame_bytes = prepared.footprint.stack_bytes;
  }
  entry.local_bytes = launch.kernel->local_bytes;
  entry.ok = result.ok;
  entry.warp_instructions = result.mix.warp_instructions;
  entry.device = static_cast<std::uint32_t>(stream.device);
  entry.counters = counters_of(*state.traffic, result);
  entry.timing = timing_report(time, prepared.occupancy);
  entry.sites = sites_of(*state.traffic);
  entry.buffers = buffers_of(runtime, *state.traffic, entry.buffers_omitted);
  runtime.ledger.launched();
  if (prepared.window) runtime.ledger.window(runtime, prepared.window_set_by, *prepared.window, 1);
  runtime.report.launches.push_back(std::move(entry));
  return cudaSuccess;
}

}  // namespace

std::optional<Footprint> footprint(Runtime& runtime, KernelEntry& entry) {
  const lower::Kernel* kernel = entry.module->kernel(runtime.current(), entry.name);
  if (kernel == nullptr) return std::nullopt;
  Footprint f;
  f.registers = timing::kAssumedRegisters;
  f.static_shared = kernel->static_shared_bytes;
  f.local_bytes = kernel->local_bytes;
  if (const auto resources = entry.module->resources(entry.name)) {
    f.registers = std::max(resources->registers, 1u);
    f.known_registers = resources->registers;
    f.spill_bytes = resources->spill_store_bytes + resources->spill_load_bytes;
    f.stack_bytes = resources->stack_bytes;
    f.local_bytes = std::max(f.local_bytes, resources->stack_bytes);
  }
  f.max_threads = largest_block(runtime.device, f.registers);
  if (kernel->max_threads) {
    f.max_threads =
        std::min<std::uint32_t>(f.max_threads, static_cast<std::uint32_t>(kernel->max_threads->count()));
  }
  return f;
}

std::size_t max_dynamic_shared(const Runtime& runtime, const KernelEntry& entry, const Footprint& footprint) {
  if (entry.max_dynamic_shared >= 0) {
    // Asking for less than the default does not take the default away.
    const std::size_t standard = runtime.device.shared_per_block_default -
                                 std::min(runtime.device.shared_per_block_default, footprint.static_shared);
    return std::max<std::size_t>(static_cast<std::size_t>(entry.max_dynamic_shared), standard);
  }
  return runtime.device.shared_per_block_default -
         std::min(runtime.device.shared_per_block_default, footprint.static_shared);
}

cudaError_t launch(Runtime& runtime, KernelEntry& entry, const LaunchRequest& request, void** args,
                   Stream& stream) {
  if (stream.device != runtime.current()) {
    return runtime.explain(
        cudaErrorInvalidResourceHandle,
        fmt::format("The stream belongs to device {}, but the current device is {}: a kernel goes only into "
                    "a stream of the current device (call cudaSetDevice first).",
                    stream.device, runtime.current()),
        entry.name);
  }
  if (const cudaError_t error = entry.module->load(runtime, stream.device); error != cudaSuccess) {
    notice(runtime, entry.module->problem());
    return runtime.explain(error, entry.module->problem(), entry.name);
  }
  const lower::Kernel* kernel = entry.module->kernel(stream.device, entry.name);
  if (kernel == nullptr) {
    return runtime.explain(cudaErrorInvalidDeviceFunction, "The kernel is not in the program's device code.",
                           entry.name);
  }
  const std::optional<Footprint> print = footprint(runtime, entry);
  if (!print) return cudaErrorInvalidDeviceFunction;
  const Checked checked = check(runtime, entry, *kernel, *print, request);
  if (checked.error != cudaSuccess) return checked.error;
  if (!kernel->parameters.empty() && args == nullptr) return cudaErrorInvalidValue;

  Prepared prepared;
  prepared.entry = &entry;
  prepared.footprint = *print;
  prepared.occupancy = checked.occupancy;
  exec::Launch& launch = prepared.launch;
  launch.kernel = kernel;
  launch.grid = dim(request.grid);
  launch.block = dim(request.block);
  launch.cluster = request.cluster            ? dim(*request.cluster)
                   : kernel->required_cluster ? *kernel->required_cluster
                                              : observe::Dim3{};
  launch.dynamic_shared_bytes = static_cast<std::uint32_t>(request.dynamic_shared);
  launch.parameters = parameter_image(*kernel, args);
  launch.sm_count = runtime.device.sm_count;
  launch.resident_blocks_per_sm = checked.occupancy.blocks_per_sm;
  launch.cooperative = request.cooperative;
  launch.frameless = prepared.footprint.known_registers && prepared.footprint.stack_bytes == 0;

  // A grid that cannot fill the SMs is limited by nothing but itself.
  const std::uint64_t per_sm = (launch.grid.count() + launch.sm_count - 1) / launch.sm_count;
  if (per_sm < prepared.occupancy.blocks_per_sm) {
    prepared.occupancy.fraction *= static_cast<double>(per_sm) / prepared.occupancy.blocks_per_sm;
    prepared.occupancy.limiter = timing::Limiter::grid;
  }
  find_window(prepared, request, stream);
  const cudaError_t error = runtime.submit(stream, cudaGraphNodeTypeKernel, [prepared, &runtime](Stream& on) {
    return run(runtime, prepared, on);
  });
  if (stream.capture != nullptr && error == cudaSuccess) {
    GraphNode& node = stream.capture->nodes.back();
    node.kernel = detail_of(entry, request, *kernel, launch.parameters);
    if (starts_early(request)) mark_programmatic(*stream.capture, node);
  }
  return error;
}

}  // namespace simgpu::runtime
