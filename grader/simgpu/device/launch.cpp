/// @file
/// Launches: run, counts, time, report.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "simgpu/device/executor.hpp"
#include "simgpu/device/modules.hpp"
#include "simgpu/device/report_fill.hpp"
#include "simgpu/device/services.hpp"
#include "simgpu/lower/code.hpp"
#include "simgpu/observe/traffic.hpp"
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
    if (finding.warning || finding.passed) continue;
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

/// What stopped a launch, with its place in the source. Empty for an assertion, which has spoken for itself.
std::string sentence_of(const observe::Findings& findings) {
  for (const observe::Finding& finding : findings.all()) {
    if (finding.warning || finding.kind == observe::FindingKind::assertion) continue;
    const std::string_view path = finding.file;
    return path.empty()
               ? finding.message
               : fmt::format("{}:{}: {}", path.substr(path.rfind('/') + 1), finding.line, finding.message);
  }
  return {};
}

/// Memory that an unobserved kernel may have written counts as written: no false alarms later.
void assume_all_written(Gpu& gpu) {
  for (const auto& [base, facts] : gpu.facts) {
    if (const memory::Allocation* allocation = gpu.memory.find(base)) {
      gpu.uninitialised->mark_initialised(base, allocation->bytes);
    }
  }
}

/// The clocks of a kernel that begins at @p begin and reads one.
exec::ClockRates clock_of(const timing::Device& card, timing::Instant begin) {
  const timing::ModelConstants constants;
  exec::ClockRates clock;
  clock.hz = card.clock_hz;
  clock.begin = begin * card.clock_hz;
  clock.fp32_cycles = 4 / card.fp32_warps();
  clock.fp64_cycles = 4 / card.fp64_warps();
  clock.tensor_cycles = card.tensor_cycles();
  clock.l2_bytes = constants.l2_bytes_per_cycle_sm;
  clock.dram_bytes = card.dram_one_way() / card.clock_hz;
  clock.cluster_barrier = constants.cluster_barrier_cycles;
  clock.remote_line = card.remote_line_cycles;
  clock.remote_store_line = card.remote_store_line_cycles;
  clock.remote_lane = card.remote_lane_cycles;
  clock.remote_turn = card.remote_turn_cycles;
  clock.remote_latency = card.remote_latency_cycles;
  clock.block_interval = constants.block_start_interval * card.clock_hz;
  clock.block_turnover = constants.block_turnover_seconds * card.clock_hz;
  clock.warp_turnover = constants.warp_turnover_seconds * card.clock_hz;
  return clock;
}

/// What ptxas spilled of a kernel that has run.
timing::Spills spills_of(const Footprint& footprint, const exec::Launch& launch, const exec::Result& result,
                         const observe::Traffic& traffic) {
  timing::Spills spills;
  spills.bytes = footprint.spill_bytes;
  if (footprint.spill_bytes == 0) return spills;
  const lower::Code& code = *launch.kernel->code;
  const auto& entry = code.kernels[launch.kernel->entry];
  // It is where most values are alive, so among what runs: parts of the text that nobody comes to are for other cases.
  double text = 0;
  for (std::uint32_t n = entry.first; n < entry.last; ++n)
    for (std::uint32_t pc = code.functions[n].entry; pc < code.functions[n].end; ++pc)
      if (const std::uint32_t site = code.instructions[pc].site; site < result.site_executions.size())
        text += result.site_executions[site] > 0 ? 1 : 0;
  const double threads = static_cast<double>(launch.block.count());
  const double warps = static_cast<double>(launch.grid.count()) * std::ceil(threads / 32);
  spills.passes = static_cast<double>(result.mix.warp_instructions) / std::max(1.0, warps * text);
  spills.frame_bytes = std::max<double>(
      4, static_cast<double>(footprint.stack_bytes) - static_cast<double>(launch.kernel->local_bytes));
  spills.threads_per_block = threads;
  spills.l1_bytes = static_cast<double>(traffic.l1_bytes());
  return spills;
}

/// How often each block comes to the barrier of the whole grid: one of its threads adds to a word of the system's then.
double grid_barriers_of(const exec::Launch& launch, const observe::Traffic& traffic) {
  if (!launch.cooperative) return 0;
  double arrivals = 0;
  for (const observe::BufferCounters& buffer : traffic.buffers())
    if (buffer.allocation->name == exec::kGridWorkspace) arrivals += static_cast<double>(buffer.atomic.lanes);
  return arrivals / static_cast<double>(launch.grid.count());
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

std::unique_ptr<Kernel> Executor::prepare(const queue::Launch& command, const Stream& stream,
                                          Status& status) const {
  const FoundKernel found = find_kernel(gpu_, command.module, command.kernel);
  status = Status::invalid_device_function;
  if (found.kernel == nullptr) return nullptr;
  const timing::Device& card = gpu_.card;
  auto kernel = std::make_unique<Kernel>();
  kernel->stream = stream;
  kernel->name = found.kernel->name;
  kernel->footprint = *found.footprint;
  kernel->window = command.window;
  kernel->module = command.module;
  const Footprint& footprint = kernel->footprint;
  exec::Launch& launch = kernel->launch;
  launch.kernel = found.kernel;
  launch.grid = dim(command.grid);
  launch.block = dim(command.block);
  launch.cluster = dim(command.cluster);
  launch.dynamic_shared_bytes = command.shared;
  launch.parameters = command.parameters.inside;
  launch.sm_count = card.sm_count;
  launch.cooperative = command.cooperative;
  launch.frameless = footprint.known_registers && footprint.stack_bytes == 0;
  kernel->needs = {.threads = launch.block.count(),
                   .registers_per_thread = footprint.registers,
                   .shared_bytes = footprint.static_shared + std::uint64_t{command.shared}};
  timing::Occupancy& occupancy = kernel->occupancy;
  occupancy = timing::occupancy(card, kernel->needs);
  status = Status::invalid_value;
  if (!fits(card, launch, occupancy)) return nullptr;
  launch.resident_blocks_per_sm = occupancy.blocks_per_sm;
  // A grid that cannot fill the SMs is limited by nothing but itself.
  const std::uint64_t blocks = launch.grid.count();
  const std::uint64_t per_sm = (blocks + launch.sm_count - 1) / launch.sm_count;
  if (per_sm < occupancy.blocks_per_sm) {
    occupancy.fraction *= static_cast<double>(per_sm) / occupancy.blocks_per_sm;
    occupancy.limiter = timing::Limiter::grid;
  }
  kernel->fills = std::min(1.0, static_cast<double>(blocks) /
                                    (static_cast<double>(launch.resident_blocks_per_sm) * launch.sm_count));
  launch.order = gpu_.settings.order;
  launch.keep_going = gpu_.settings.keep_going;
  launch.warp_instruction_limit = gpu_.settings.warp_instruction_limit;
  launch.scoreboard_every =
      gpu_.settings.timing
          ? static_cast<std::uint32_t>(std::min<std::uint64_t>(blocks / kSampledBlocks + 1, 1u << 30))
          : 0;
  status = Status::success;
  return kernel;
}

Status Executor::carry_out(const queue::Launch& command, const Stream& stream) {
  Status status = Status::success;
  std::unique_ptr<Kernel> kernel = prepare(command, stream, status);
  if (kernel == nullptr) return status;
  if (!kernels_.empty()) kernel->launch.places = std::max<std::uint64_t>(1, places_beside(*kernel));

  Unit& unit = gpu_.unit(stream.device);
  kernel->launch.clock = clock_of(gpu_.card, unit.timeline.next_begin(stream.id));
  std::vector<observe::Observer*> observers{unit.traffic.get()};
  if (gpu_.settings.checks.races) observers.push_back(gpu_.races.get());
  if (gpu_.settings.checks.uninitialised) observers.push_back(gpu_.uninitialised.get());
  kernel->watched = gpu_.stream_checks.kernel_begins(stream, command.early,
                                                     kernel->launch.kernel->code->launches_dependents);
  if (kernel->watched.touched) observers.push_back(kernel->watched.touched.get());
  if (kernel->watched.early) observers.push_back(kernel->watched.early.get());
  kernel->pages = !gpu_.managed_pages.empty();
  if (kernel->pages) observers.push_back(&gpu_.managed_pages);
  exec::Services services =
      device::services(gpu_, unasked_, stream.device, kernel->name, kernel->launch.grid.count());
  let_begin(services, *kernel);
  kernel->run = std::make_unique<exec::Run>(kernel->launch, gpu_.memory, std::move(observers), gpu_.findings,
                                            std::move(services));
  turn(*kernel, exec::Run::Patience::brief);
  if (kernel->ended) return Status::success;
  if (!kernel->run->looks_at_memory()) {
    give_up(*kernel, {});
    return Status::success;
  }
  Kernel& waiting = *kernel;
  park(std::move(kernel));
  // Its node comes before others, which are sent as soon as this call returns.
  if (gpu_.stream_checks.in_graph()) await([&waiting, this] { return !is_parked(waiting); });
  return Status::success;
}

void Executor::turn(Kernel& kernel, exec::Run::Patience patience) {
  // Findings of this launch alone tell why it stopped; afterwards they join the others.
  observe::Findings earlier = std::exchange(gpu_.findings, {});
  if (kernel.pages) gpu_.managed_pages.kernel_begins();
  const bool ended = kernel.run->go_on(patience) == exec::Run::State::ended;
  after_turn(kernel, ended, std::move(earlier));
}

void Executor::give_up(Kernel& kernel, const std::string& why, bool warning) {
  observe::Findings earlier = std::exchange(gpu_.findings, {});
  if (kernel.pages) gpu_.managed_pages.kernel_begins();
  kernel.run->give_up(why, warning);
  after_turn(kernel, true, std::move(earlier));
}

void Executor::stop(int device, Status status, std::string sentence) {
  Status& stopped = gpu_.unit(device).stopped;
  if (!ending_ && stopped == Status::success && status != Status::not_supported) stopped = status;
  unasked_.fault(
      {static_cast<std::uint32_t>(device), static_cast<std::uint32_t>(status), std::move(sentence)});
}

void Executor::after_turn(Kernel& kernel, bool ended, observe::Findings earlier) {
  if (kernel.pages) {
    const ManagedPages::Demand demand = gpu_.managed_pages.kernel_ends(
        kernel.stream.device, gpu_.unit(kernel.stream.device).timeline.record(kernel.stream.id));
    kernel.demand.faulted_bytes += demand.faulted_bytes;
    kernel.demand.fault_runs += demand.fault_runs;
    kernel.demand.in_place_bytes += demand.in_place_bytes;
    kernel.demand.late_bytes += demand.late_bytes;
    kernel.demand.arrival = std::max(kernel.demand.arrival, demand.arrival);
  }
  exec::Result result;
  Status status = Status::success;
  if (ended) {
    result = kernel.run->take_result();
    if (!result.ok) status = fault_of(gpu_.findings);
    if (!result.ok || kernel.launch.keep_going)
      stop(kernel.stream.device, status, sentence_of(gpu_.findings));
  }
  for (const observe::Finding& finding : gpu_.findings.all()) earlier.add(finding);
  gpu_.findings = std::move(earlier);
  if (ended) {
    kernel.ended = true;
    finish(kernel, result);
    // An instruction that is not simulated ends the launch that met it, and nothing else.
    if (!result.ok) ++faults_;
    if (!result.ok && status != Status::not_supported) drop(kernel.stream.device);
    if (result.ok) run_children(kernel);
  } else {
    gpu_.stream_checks.kernel_waits(kernel.watched);
  }
}

/// A kernel has ended: its time, its place in the report.
void Executor::finish(Kernel& kernel, exec::Result& result) {
  const Stream& stream = kernel.stream;
  const exec::Launch& launch = kernel.launch;
  const timing::Device& card = gpu_.card;
  Unit& unit = gpu_.unit(stream.device);
  const observe::Traffic& traffic = kernel.traffic ? *kernel.traffic : *unit.traffic;
  gpu_.stream_checks.kernel_ends(stream, kernel.name, result.ok, kernel.watched);
  if (!gpu_.settings.checks.uninitialised) assume_all_written(gpu_);

  timing::Work work = work_of(launch, result, traffic, card);
  timing::add_spills(work, card, spills_of(kernel.footprint, launch, result, traffic));
  if (kernel.pages) {
    gpu_.ledger.demanded(kernel.demand.faulted_bytes, kernel.demand.in_place_bytes, kernel.demand.late_bytes);
    work.fault_bytes = static_cast<double>(kernel.demand.faulted_bytes);
    work.fault_runs = static_cast<double>(kernel.demand.fault_runs);
    work.host_link_bytes += static_cast<double>(kernel.demand.in_place_bytes);
    unit.timeline.wait(stream.id, kernel.demand.arrival);
  }
  // What its own clocks have shown to pass has passed. If it stood still, its leaps are added when it ends.
  work.clock_cycles = result.clock_cycles;
  if (result.clock_cycles > 0 && !kernel.stood_still)
    work.clock_cycles += static_cast<double>(kernel.run->cycles_leapt());
  work.grid_barriers = grid_barriers_of(launch, traffic);
  // A graph's nodes follow each other more closely than launches do.
  const bool node = gpu_.stream_checks.in_graph();
  timing::Device place = card;
  if (node) place.launch_seconds = card.host.graph_node;
  if (launch.cooperative) place.launch_seconds += card.host.cooperative_launch;
  if (result.slept_seconds > 0) {  // beside what the same warps wait for awake
    timing::Work awake = work;
    awake.clock_cycles = 0;
    const double seconds = result.slept_seconds + timing::kernel_time(place, awake).latency;
    work.clock_cycles = std::max(work.clock_cycles, seconds * card.clock_hz);
  }
  timing::KernelTime time = timing::kernel_time(place, work);
  if (node) {
    const observe::Counters& c = traffic.counters();
    const bool alone = c.l2_read_sectors + c.l2_write_sectors == 0;
    time.total = std::max(time.total, alone ? card.host.graph_node_least_alone : card.host.graph_node_least);
  }
  if (!kernel.stood_still) {
    unit.timeline.enqueue(stream.id, timing::Engine::compute, time.total, kernel.fills, kernel.name, 0,
                          timing::use_of(card, time, launch.grid.count()));
    if (depth_ == 0) host_calls(stream, card.host.launch_call);
  } else {
    // What it did after its release takes the part of its time that it is of its instructions.
    const auto all = static_cast<double>(std::max<std::uint64_t>(1, result.mix.warp_instructions));
    const double rest = static_cast<double>(kernel.run->instructions() - kernel.at_release) / all;
    const double leapt = static_cast<double>(kernel.run->cycles_leapt()) / card.clock_hz;
    kernel.released =
        unit.timeline.close(stream.id, kernel.begin,
                            kernel.released == 0 ? 0 : kernel.released + time.total * std::min(1.0, rest),
                            time.total + leapt, kernel.name);
  }

  report::LaunchReport entry;
  entry.mangled = kernel.name;
  entry.grid = launch.grid;
  entry.block = launch.block;
  entry.static_shared_bytes = kernel.footprint.static_shared;
  entry.dynamic_shared_bytes = launch.dynamic_shared_bytes;
  if (kernel.footprint.known_registers) {
    entry.registers = kernel.footprint.known_registers;
    entry.spill_bytes = kernel.footprint.spill_bytes;
    entry.stack_frame_bytes = kernel.footprint.stack_bytes;
  }
  entry.local_bytes = launch.kernel->local_bytes;
  entry.ok = result.ok;
  entry.warp_instructions = result.mix.warp_instructions;
  entry.device = static_cast<std::uint32_t>(stream.device);
  entry.counters = counters_of(traffic, result);
  entry.timing = timing_report(time, kernel.occupancy);
  entry.sites = sites_of(traffic);
  entry.buffers = buffers_of(gpu_, traffic, entry.buffers_omitted);
  if (depth_ == 0) gpu_.ledger.launched();
  if (kernel.window) gpu_.ledger.window(gpu_, *kernel.window, 1);
  gpu_.launches.push_back(std::move(entry));
}

}  // namespace simgpu::device
