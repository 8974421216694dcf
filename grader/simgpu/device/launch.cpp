/// @file
/// Launches: run, counts, time, report.
#include <algorithm>

#include "simgpu/device/executor.hpp"
#include "simgpu/device/report_fill.hpp"
#include "simgpu/device/services.hpp"
#include "simgpu/observe/races.hpp"
#include "simgpu/observe/traffic.hpp"
#include "simgpu/observe/uninitialised.hpp"
#include "simgpu/timing/model.hpp"
#include "simgpu/timing/occupancy.hpp"

namespace simgpu::device {
namespace {

/// Blocks whose time the scoreboard samples, about; enough for a mean, few enough to cost little.
constexpr std::uint64_t kSampledBlocks = 24;

observe::Dim3 dim(const queue::Dim& d) {
  return {d[0], d[1], d[2]};
}

/// The CUDA error that hardware would give for what stopped a launch.
Status fault_of(const observe::Findings& findings) {
  using observe::FindingKind;
  for (const observe::Finding& finding : findings.all()) {
    if (finding.warning) continue;
    switch (finding.kind) {
      case FindingKind::out_of_bounds:
      case FindingKind::use_after_free:
      case FindingKind::stack_overflow:
        return Status::illegal_address;  // as an H200 says
      case FindingKind::misaligned:
        return Status::misaligned_address;
      case FindingKind::assertion:
        return Status::assertion;
      case FindingKind::illegal_instruction:
        return Status::illegal_instruction;
      case FindingKind::unsupported_instruction:
        return Status::not_supported;
      case FindingKind::deadlock:
      case FindingKind::runaway:
        return Status::launch_timeout;
      case FindingKind::trap:
      case FindingKind::divergent_barrier:
        return Status::launch_failure;
      default:
        break;  // races and uninitialised reads do not stop a kernel
    }
  }
  return Status::launch_failure;
}

/// Memory that an unobserved kernel may have written counts as written: no false alarms later.
void assume_all_written(Gpu& gpu) {
  for (const auto& [base, facts] : gpu.facts) {
    if (const memory::Allocation* allocation = gpu.memory.find(base)) {
      gpu.uninitialised->mark_initialised(base, allocation->bytes);
    }
  }
}

/// A kernel of a module, with what it needs. @return nullptr for both if there is none, or nobody has said what it needs.
struct Found {
  const lower::Kernel* kernel = nullptr;
  const Footprint* footprint = nullptr;
};
Found kernel_of(const Gpu& gpu, queue::Id id, std::uint32_t number) {
  const auto module = gpu.modules.find(id);
  if (module == gpu.modules.end() || number >= module->second.footprints.size()) return {};
  const auto& footprint = module->second.footprints[number];
  if (!footprint) return {};
  return {&module->second.program->kernels()[number], &*footprint};
}

/// A launch that fits the device. The client has checked and explained all this; it is checked again because the client is not trusted.
bool fits(const timing::Device& card, const exec::Launch& launch, const timing::Occupancy& occupancy) {
  const observe::Dim3 &grid = launch.grid, &cluster = launch.cluster;
  return grid.count() != 0 && launch.block.count() != 0 &&
         launch.block.count() <= card.threads_per_block_max &&
         launch.parameters.size() == launch.kernel->parameter_bytes && occupancy.blocks_per_sm != 0 &&
         (!launch.cooperative || grid.count() <= std::uint64_t{occupancy.blocks_per_sm} * card.sm_count) &&
         cluster.count() != 0 && grid.x % cluster.x == 0 && grid.y % cluster.y == 0 &&
         grid.z % cluster.z == 0;
}

}  // namespace

Status Executor::carry_out(const queue::Launch& command, const Stream& stream) {
  const Found found = kernel_of(gpu_, command.module, command.kernel);
  if (found.kernel == nullptr) return Status::invalid_device_function;
  const Footprint footprint = *found.footprint;
  const std::string& name = found.kernel->name;
  const timing::Device& card = gpu_.card;
  exec::Launch launch;
  launch.kernel = found.kernel;
  launch.grid = dim(command.grid);
  launch.block = dim(command.block);
  launch.cluster = dim(command.cluster);
  launch.dynamic_shared_bytes = command.shared;
  launch.parameters = command.parameters.inside;
  launch.sm_count = card.sm_count;
  launch.cooperative = command.cooperative;
  launch.frameless = footprint.known_registers && footprint.stack_bytes == 0;
  timing::Occupancy occupancy =
      timing::occupancy(card, {.threads = launch.block.count(),
                               .registers_per_thread = footprint.registers,
                               .shared_bytes = footprint.static_shared + std::uint64_t{command.shared}});
  if (!fits(card, launch, occupancy)) return Status::invalid_value;
  launch.resident_blocks_per_sm = occupancy.blocks_per_sm;
  // A grid that cannot fill the SMs is limited by nothing but itself.
  const std::uint64_t blocks = launch.grid.count();
  const std::uint64_t per_sm = (blocks + launch.sm_count - 1) / launch.sm_count;
  if (per_sm < occupancy.blocks_per_sm) {
    occupancy.fraction *= static_cast<double>(per_sm) / occupancy.blocks_per_sm;
    occupancy.limiter = timing::Limiter::grid;
  }
  launch.order = gpu_.settings.order;
  launch.warp_instruction_limit = gpu_.settings.warp_instruction_limit;
  launch.scoreboard_every =
      gpu_.settings.timing
          ? static_cast<std::uint32_t>(std::min<std::uint64_t>(blocks / kSampledBlocks + 1, 1u << 30))
          : 0;

  Unit& unit = gpu_.unit(stream.device);
  std::vector<observe::Observer*> observers{unit.traffic.get()};
  if (gpu_.settings.checks) {
    observers.push_back(gpu_.races.get());
    observers.push_back(gpu_.uninitialised.get());
  }
  if (observe::Observer* const other = gpu_.stream_checks.kernel_begins(stream)) observers.push_back(other);
  const bool pages = !gpu_.managed_pages.empty();
  if (pages) {
    gpu_.managed_pages.kernel_begins();
    observers.push_back(&gpu_.managed_pages);
  }
  // Findings of this launch alone tell why it stopped; afterwards they join the others.
  observe::Findings earlier = gpu_.findings;
  gpu_.findings.clear();
  const exec::Result result =
      exec::run(launch, gpu_.memory, observers, gpu_.findings, services(gpu_, stream.device, name, blocks));
  if (!result.ok) {
    unit.fault = fault_of(gpu_.findings);
    answers_.fault(gpu_.findings);
  }
  for (const observe::Finding& finding : gpu_.findings.all()) earlier.add(finding);
  gpu_.findings = std::move(earlier);
  gpu_.stream_checks.kernel_ends(stream, name, result.ok);
  if (!gpu_.settings.checks) assume_all_written(gpu_);

  timing::Work work = work_of(launch, result, *unit.traffic, card);
  if (pages) {
    const ManagedPages::Demand demand = gpu_.managed_pages.kernel_ends(stream.device);
    gpu_.ledger.demanded(demand.faulted_bytes, demand.in_place_bytes);
    work.fault_bytes = static_cast<double>(demand.faulted_bytes);
    work.host_link_bytes += static_cast<double>(demand.in_place_bytes);
    unit.timeline.wait(stream.id, demand.arrival);
  }
  const timing::KernelTime time = timing::kernel_time(card, work);
  const double fills =
      static_cast<double>(blocks) / (static_cast<double>(launch.resident_blocks_per_sm) * launch.sm_count);
  unit.timeline.enqueue(stream.id, timing::Engine::compute, time.total, std::min(1.0, fills), name);

  report::LaunchReport entry;
  entry.mangled = name;
  entry.grid = launch.grid;
  entry.block = launch.block;
  entry.static_shared_bytes = footprint.static_shared;
  entry.dynamic_shared_bytes = launch.dynamic_shared_bytes;
  if (footprint.known_registers) {
    entry.registers = footprint.known_registers;
    entry.spill_bytes = footprint.spill_bytes;
    entry.stack_frame_bytes = footprint.stack_bytes;
  }
  entry.local_bytes = launch.kernel->local_bytes;
  entry.ok = result.ok;
  entry.warp_instructions = result.mix.warp_instructions;
  entry.device = static_cast<std::uint32_t>(stream.device);
  entry.counters = counters_of(*unit.traffic, result);
  entry.timing = timing_report(time, occupancy);
  entry.sites = sites_of(*unit.traffic);
  entry.buffers = buffers_of(gpu_, *unit.traffic, entry.buffers_omitted);
  gpu_.ledger.launched();
  if (command.window) gpu_.ledger.window(gpu_, *command.window, 1);
  gpu_.launches.push_back(std::move(entry));
  return Status::success;
}

}  // namespace simgpu::device
