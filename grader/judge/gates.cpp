/// @file
/// See gates.hpp.
#include "judge/gates.hpp"

#include <algorithm>
#include <string_view>

#include "judge/device_report.hpp"
#include "judge/problem.hpp"

namespace course::metrics {
namespace {

double atomics_per_block(const device_report& report, const problem&) {
  // Lanes, not requests: a warp of atomics on one address is one request and still 32 increments to one
  // place.
  return report.counter("simgpu__global_atomic_lanes.sum") /
         static_cast<double>(std::max<std::size_t>(1, report.blocks()));
}

double load_sectors(const device_report& report, const problem& asked) {
  const double ideal = static_cast<double>((asked.input_bytes() + 31) / 32);
  return report.counter("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum") / std::max(1.0, ideal);
}

double wasted_sectors(const device_report& report, const problem&) {
  double wasted = 0, requests = 0;
  for (const auto& launch : report.launches()) {
    for (const auto& site : launch.sites) {
      if (site.memory != "global" || (site.kind != "load" && site.kind != "store")) continue;
      wasted += site.sectors - site.ideal_sectors;
      requests += site.requests;
    }
  }
  return wasted / std::max(1.0, requests);
}

double excess_of_kind(const device_report& report, std::string_view kind) {
  double excess = 0, requests = 0;
  for (const auto& launch : report.launches()) {
    for (const auto& site : launch.sites) {
      if (site.memory != "shared" || site.kind != kind) continue;
      excess += site.wavefronts - site.ideal_wavefronts;
      requests += site.requests;
    }
  }
  return excess / std::max(1.0, requests);
}

double excess_wavefronts(const device_report& report, const problem&) {
  // Loads and stores apart: a tile is filled and read about equally often, and the clean half must not hide
  // the other.
  return std::max(excess_of_kind(report, "load"), excess_of_kind(report, "store"));
}

double local(const device_report& report, const problem&) {
  return report.counter("l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum") +
         report.counter("l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum");
}

}  // namespace

const metric global_atomics_per_block{"atomics per block", atomics_per_block};
const metric load_sectors_over_ideal{"x ideal", load_sectors};
const metric wasted_sectors_per_request{"sectors per request", wasted_sectors};
const metric excess_wavefronts_per_request{"wavefronts per request", excess_wavefronts};
const metric local_sectors{"sectors", local};

}  // namespace course::metrics
