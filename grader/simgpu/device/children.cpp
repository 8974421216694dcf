/// @file
/// Kernels that kernels launch. A grid's children are carried out when it has ended, one after the other in its stream, in the order of
/// their launches, each with its own children; then those for its tail. Nothing that comes later in the stream begins before.
#include <optional>

#include "simgpu/device/executor.hpp"
#include "simgpu/device/modules.hpp"

namespace simgpu::device {
namespace {

constexpr std::uint64_t kTailStream = 3;  // cudaStreamTailLaunch
constexpr std::uint32_t kDeepest = 24;
constexpr std::size_t kMostChildren = std::size_t{1} << 20;  // of a grid: a bound for this process's memory
constexpr std::uint32_t kInvalidConfiguration = 9, kTooDeep = 65, kTooMany = 69;  // of a cudaError_t

/// The kernel at an address; the module may have been unloaded while one of its kernels stood still.
std::optional<std::uint32_t> number_of(const Gpu& gpu, queue::Id module, std::uint64_t function) {
  const auto it = gpu.modules.find(module);
  if (it == gpu.modules.end()) return std::nullopt;
  const auto& kernels = it->second.program.kernels();
  for (std::uint32_t n = 0; n < kernels.size(); ++n)
    if (kernels[n].address == function) return n;
  return std::nullopt;
}

queue::Dim words(const observe::Dim3& d) {
  return {d.x, d.y, d.z};
}

}  // namespace

void Executor::let_begin(exec::Services& services, Kernel& kernel) {
  services.device = kernel.stream.device;
  services.devices = static_cast<int>(gpu_.units.size());
  services.parameter_bytes = [this, &kernel](std::uint64_t function) -> std::optional<std::size_t> {
    const auto number = number_of(gpu_, kernel.module, function);
    if (!number) return std::nullopt;
    return gpu_.modules.at(kernel.module).program.kernels()[*number].parameter_bytes;
  };
  services.set_condition = [this](std::uint64_t handle, std::uint32_t value) {
    const auto it = conditions_.find(handle);
    if (it == conditions_.end()) return false;
    it->second = value;
    return true;
  };
  services.begin_child = [this, &kernel](exec::ChildWork work) -> std::uint32_t {
    if (depth_ >= kDeepest) return kTooDeep;
    if (kernel.children.size() >= kMostChildren) return kTooMany;
    const auto stream = static_cast<queue::Id>(kernel.stream.id);
    if (auto* const copy = std::get_if<exec::ChildCopy>(&work)) {
      if (copy->bytes == 0) return 0;
      const queue::Shape shape{copy->bytes, 1, 1, copy->bytes, copy->bytes, copy->bytes, copy->bytes};
      const auto place = [this](std::uint64_t address) {
        const memory::Allocation* const a = gpu_.memory.find(address);
        const bool host = a != nullptr && a->kind >= memory::AllocationKind::pinned;
        return queue::Place{host ? queue::Place::Kind::pages : queue::Place::Kind::device, address};
      };
      const auto is_there = [&](std::uint64_t address) {
        const memory::Allocation* const a = gpu_.memory.find(address);
        return a != nullptr && a->live && a->contains(address, copy->bytes);
      };
      if (!is_there(copy->to) || (!copy->fills && !is_there(copy->from)))
        return static_cast<std::uint32_t>(Status::invalid_value);
      if (copy->fills)
        kernel.children.push_back(
            {queue::Set{stream, 1, copy->value, queue::call_named("cudaMemsetAsync"), copy->to, shape},
             copy->stream == kTailStream});
      else
        kernel.children.push_back({queue::Copy{stream, queue::call_named("cudaMemcpyAsync"), place(copy->to),
                                               place(copy->from), shape, false},
                                   copy->stream == kTailStream});
      return 0;
    }
    auto& child = std::get<exec::ChildLaunch>(work);
    const auto number = number_of(gpu_, kernel.module, child.function);
    if (!number) return static_cast<std::uint32_t>(Status::invalid_device_function);
    queue::Launch launch;
    launch.stream = stream;
    launch.module = kernel.module;
    launch.kernel = *number;
    launch.grid = words(child.grid);
    launch.block = words(child.block);
    launch.shared = child.shared_bytes;
    launch.parameters.inside = std::move(child.parameters);
    Status status = Status::success;
    if (prepare(launch, kernel.stream, status) == nullptr) return kInvalidConfiguration;
    kernel.children.push_back({std::move(launch), child.stream == kTailStream});
    return 0;
  };
}

void Executor::run_children(Kernel& kernel) {
  if (kernel.children.empty()) return;
  const std::vector<Kernel::Child> children = std::exchange(kernel.children, {});
  const Stream stream = kernel.stream;  // the kernel may be gone once others have run
  const std::uint64_t faults = faults_;
  ++depth_;
  for (const bool tail : {false, true})
    for (const Kernel::Child& child : children)
      if (child.tail == tail && faults_ == faults) carry_out_now(child.work, stream);
  --depth_;
}

}  // namespace simgpu::device
