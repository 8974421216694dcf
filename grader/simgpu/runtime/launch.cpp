/// @file
/// Launching a kernel.
#include "simgpu/runtime/launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "simgpu/runtime/graph.hpp"
#include "simgpu/runtime/module.hpp"
#include "simgpu/timing/occupancy.hpp"

namespace simgpu::runtime {
namespace {

observe::Dim3 dim(const dim3& d) {
  return {d.x, d.y, d.z};
}
observe::Dim3 dim(const queue::Dim& d) {
  return {d[0], d[1], d[2]};
}

/// The checks that the hardware's runtime makes before a kernel starts. What they return was observed on an H200 with CUDA 13.0,
/// which answers a bad grid or block with cudaErrorInvalidValue, where older toolkits said cudaErrorInvalidConfiguration.
cudaError_t check(Runtime& runtime, const KernelEntry& entry, const queue::Loaded::Kernel& kernel,
                  const Footprint& footprint, const LaunchRequest& request) {
  const timing::Device& device = runtime.card;
  const auto refuse = [&](cudaError_t error, std::string why) {
    return runtime.explain(error, std::move(why), entry.name);
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
  if (kernel.exact_threads && !(dim(*kernel.exact_threads) == block)) {
    return refuse(cudaErrorInvalidValue, "The kernel was compiled for another block size (__block_size__).");
  }
  if (kernel.most_threads && threads > dim(*kernel.most_threads).count()) {
    return refuse(cudaErrorInvalidValue,
                  fmt::format("A block of {} threads is larger than the kernel's __launch_bounds__ of {}.",
                              threads, dim(*kernel.most_threads).count()));
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
  const timing::Occupancy occupancy = timing::occupancy(device, needs);
  if (occupancy.blocks_per_sm == 0) {
    return refuse(cudaErrorLaunchOutOfResources,
                  fmt::format("{} threads with {} registers each need more than the {} registers of an SM.",
                              threads, footprint.registers, device.registers_per_sm));
  }
  const std::uint64_t resident = std::uint64_t{occupancy.blocks_per_sm} * device.sm_count;
  if (request.cooperative && grid.count() > resident) {
    return refuse(cudaErrorCooperativeLaunchTooLarge,
                  fmt::format("A cooperative launch of {} blocks: only {} fit on the device at once.",
                              grid.count(), resident));
  }
  const observe::Dim3 cluster = request.cluster  ? dim(*request.cluster)
                                : kernel.cluster ? dim(*kernel.cluster)
                                                 : observe::Dim3{};
  if (cluster.count() != 1) {
    if (device.arch() < 90) {
      return refuse(cudaErrorNotSupported,
                    fmt::format("Clusters need compute capability 9.0, and this card ({}) has {}.{}.",
                                device.name, device.major, device.minor));
    }
    const std::uint64_t most = entry.non_portable_cluster ? 16 : 8;
    if (cluster.count() > most) {
      return refuse(cudaErrorInvalidClusterSize,
                    fmt::format("A cluster of {} blocks is too large: {}.", cluster.count(),
                                entry.non_portable_cluster
                                    ? "16 are the most"
                                    : "8 are the most that every card can do; up to 16 only after "
                                      "cudaFuncSetAttribute(kernel, "
                                      "cudaFuncAttributeNonPortableClusterSizeAllowed, 1)"));
    }
    if (cluster.count() == 0 || grid.x % cluster.x != 0 || grid.y % cluster.y != 0 ||
        grid.z % cluster.z != 0) {
      return refuse(cudaErrorInvalidClusterSize,
                    fmt::format("A grid of ({}, {}, {}) blocks cannot be cut into clusters of ({}, {}, {}).",
                                grid.x, grid.y, grid.z, cluster.x, cluster.y, cluster.z));
    }
  }
  return cudaSuccess;
}

std::vector<std::byte> parameter_image(const queue::Loaded::Kernel& kernel, void** args) {
  std::vector<std::byte> image(kernel.parameter_bytes);
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
    const queue::Loaded::Parameter& parameter = kernel.parameters[i];
    std::memcpy(image.data() + parameter.offset, args[i], parameter.bytes);
  }
  return image;
}

/// For those who ask a graph what its nodes do.
std::shared_ptr<KernelDetail> detail_of(KernelEntry& entry, const LaunchRequest& request,
                                        const queue::Loaded::Kernel& kernel,
                                        const std::vector<std::byte>& image) {
  auto detail = std::make_shared<KernelDetail>();
  detail->entry = &entry;
  detail->function = request.function != nullptr ? request.function : &entry;
  detail->grid = request.grid;
  detail->block = request.block;
  detail->dynamic_shared = request.dynamic_shared;
  detail->cluster = request.cluster;
  detail->cooperative = request.cooperative;
  detail->hints = request.hints;
  for (const queue::Loaded::Parameter& parameter : kernel.parameters) {
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

/// The edges from kernels to @p node allow it to start before they end; with other nodes before it, or none, it waits for those.
void mark_programmatic(const Graph& graph, GraphNode& node) {
  for (const std::size_t before : node.after) {
    if (graph.nodes[before].type != cudaGraphNodeTypeKernel) continue;
    cudaGraphEdgeData edge{};
    edge.from_port = cudaGraphKernelNodePortProgrammatic;
    edge.type = cudaGraphDependencyTypeProgrammatic;
    node.edges[before] = edge;
    if (node.after.size() == 1 && node.work) std::get<queue::Launch>(*node.work).early = true;
  }
}

queue::Window::Hold hold_of(cudaAccessProperty property) {
  switch (property) {
    case cudaAccessPropertyStreaming:
      return queue::Window::Hold::streaming;
    case cudaAccessPropertyPersisting:
      return queue::Window::Hold::persisting;
    default:
      return queue::Window::Hold::normal;
  }
}

/// The launch's own window, or else its stream's. A window of no bytes is none.
std::optional<queue::Window> window_for(const LaunchRequest& request, const Stream& stream) {
  constexpr auto which = cudaLaunchAttributeAccessPolicyWindow;
  std::optional<queue::Window> window;
  if (const auto it = request.hints.find(which); it != request.hints.end()) {
    window = window_of(it->second.accessPolicyWindow, queue::Window::SetBy::launch);
  } else if (const auto of_stream = stream.attributes.find(which); of_stream != stream.attributes.end()) {
    window = window_of(of_stream->second.accessPolicyWindow, queue::Window::SetBy::stream);
  }
  if (window && window->bytes == 0) window.reset();
  return window;
}

queue::Dim words(const dim3& d) {
  return {d.x, d.y, d.z};
}

}  // namespace

queue::Window window_of(const cudaAccessPolicyWindow& window, queue::Window::SetBy set_by) {
  const auto address = reinterpret_cast<std::uint64_t>(window.base_ptr);
  // Nobody has checked a launch's own window: the queue takes numbers, and ranges that end before the last address.
  return {.address = address,
          .bytes = std::min<std::uint64_t>(window.num_bytes, ~address),
          .hit_ratio = std::isnan(window.hitRatio) ? 0 : window.hitRatio,
          .hit = hold_of(window.hitProp),
          .miss = hold_of(window.missProp),
          .set_by = set_by};
}

std::optional<Footprint> footprint(Runtime& runtime, KernelEntry& entry) {
  return entry.module->footprint(runtime, runtime.current(), entry.name);
}

std::size_t max_dynamic_shared(const Runtime& runtime, const KernelEntry& entry, const Footprint& footprint) {
  if (entry.max_dynamic_shared >= 0) {
    // Asking for less than the default does not take the default away.
    const std::size_t standard = runtime.card.shared_per_block_default -
                                 std::min(runtime.card.shared_per_block_default, footprint.static_shared);
    return std::max<std::size_t>(static_cast<std::size_t>(entry.max_dynamic_shared), standard);
  }
  return runtime.card.shared_per_block_default -
         std::min(runtime.card.shared_per_block_default, footprint.static_shared);
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
  if (const cudaError_t error = entry.module->load(runtime, stream.device); error != cudaSuccess)
    return runtime.explain(error, entry.module->problem(), entry.name);  // it has been said on stderr
  const queue::Loaded::Kernel* kernel = entry.module->kernel(stream.device, entry.name);
  if (kernel == nullptr) {
    return runtime.explain(cudaErrorInvalidDeviceFunction, "The kernel is not in the program's device code.",
                           entry.name);
  }
  const std::optional<Footprint> print = footprint(runtime, entry);
  if (!print) return cudaErrorInvalidDeviceFunction;
  if (const cudaError_t error = check(runtime, entry, *kernel, *print, request); error != cudaSuccess)
    return error;
  if (!kernel->parameters.empty() && args == nullptr) return cudaErrorInvalidValue;

  const Module::KernelName name = entry.module->name_of(stream.device, *kernel);
  queue::Launch command{.module = name.module, .kernel = name.kernel};
  command.grid = words(request.grid);
  command.block = words(request.block);
  command.cluster = request.cluster   ? words(*request.cluster)
                    : kernel->cluster ? *kernel->cluster
                                      : queue::Dim{1, 1, 1};
  command.shared = static_cast<std::uint32_t>(request.dynamic_shared);
  command.cooperative = request.cooperative;
  command.early = stream.capture == nullptr && starts_early(request);
  command.parameters.inside = parameter_image(*kernel, args);
  command.window = window_for(request, stream);
  std::shared_ptr<KernelDetail> detail;
  if (stream.capture != nullptr) detail = detail_of(entry, request, *kernel, command.parameters.inside);
  const cudaError_t error = runtime.submit(stream, cudaGraphNodeTypeKernel, std::move(command));
  if (stream.capture != nullptr && error == cudaSuccess) {
    GraphNode& node = stream.capture->nodes.back();
    node.kernel = std::move(detail);
    if (starts_early(request)) mark_programmatic(*stream.capture, node);
  }
  return error;
}

}  // namespace simgpu::runtime
