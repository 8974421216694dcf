/// @file
/// From what a finished launch left behind to its entry in the report, and to the input of the timing model.
#pragma once

#include "simgpu/device/gpu.hpp"
#include "simgpu/exec/executor.hpp"
#include "simgpu/observe/traffic.hpp"
#include "simgpu/report/report.hpp"
#include "simgpu/timing/model.hpp"
#include "simgpu/timing/occupancy.hpp"

namespace simgpu::device {

/// @param result of the executor, @param traffic complete for that launch.
timing::Work work_of(const exec::Launch& launch, const exec::Result& result, const observe::Traffic& traffic,
                     const timing::Device& device);

report::TimingReport timing_report(const timing::KernelTime& time, const timing::Occupancy& occupancy);

/// Counters in the report's order.
std::vector<report::Counter> counters_of(const observe::Traffic& traffic, const exec::Result& result);

std::vector<report::SiteReport> sites_of(const observe::Traffic& traffic);

/// Allocations that the launch touched. Those that kernels made with malloc() are one entry.
/// @param omitted set to the number of those beyond report::kMostBuffers.
std::vector<report::BufferReport> buffers_of(const Gpu& gpu, const observe::Traffic& traffic,
                                             std::uint64_t& omitted);

}  // namespace simgpu::device
