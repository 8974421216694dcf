/// @file
/// A report with one of everything, made by hand.
#pragma once

#include "simgpu/report/report.hpp"

namespace simgpu::report::testing {

inline Report sample() {
  Report report;
  report.device = {"Simulated H200, 1/12 slice", 11, 12, 1.98e9, 5242880, 4.012e11, 3.49e11};
  LaunchReport launch;
  launch.mangled = "_Z9transposePKfPfi";
  launch.grid = {128, 128, 1};
  launch.block = {32, 8, 1};
  launch.static_shared_bytes = 4096;
  launch.registers = 18;
  launch.spill_bytes = 0;
  launch.warp_instructions = 123456;
  launch.counters = {{"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", 4096},
                     {"dram__bytes_read.sum", 1500000},
                     {"dram__bytes_write.sum", 500000}};
  launch.timing = {20e-6, "dram", 2e-6, 18e-6, 4e-6, 10e-6, 1e-6, 5e-6, 0.75, 6, "shared memory"};
  launch.sites = {
      {"/home/me/transpose.cu", 14, "st.global.f32", observe::Memory::global, observe::AccessKind::store,
       4096, 131072, 524288, 131072, 16384, 0, 0},
      {"/home/me/transpose.cu", 12, "ld.shared.f32", observe::Memory::shared, observe::AccessKind::load, 1000,
       32000, 128000, 0, 0, 32000, 1000},
      {"/home/me/transpose.cu", 9, "ld.global.f32", observe::Memory::global, observe::AccessKind::load, 4096,
       131072, 524288, 16384, 16384, 4096, 4096},
      {"/home/me/transpose.cu", 20, "ld.local.f32", observe::Memory::local, observe::AccessKind::load, 10,
       320, 1280, 40, 40, 0, 0},
  };
  BufferReport buffer;
  buffer.allocation = 3;
  buffer.base = 0x400000000200;
  buffer.bytes = 4096;
  buffer.memory = buffer.kind = "device";
  buffer.load = {32, 1024, 4096, 128};
  buffer.texture = {1, 32, 128, 4};
  buffer.bulk_load.bytes = 512;
  launch.buffers = {buffer};
  launch.stack_frame_bytes = 0;
  report.launches = {launch, launch};
  observe::Finding finding;
  finding.kind = observe::FindingKind::race;
  finding.kernel = "_Z9transposePKfPfi";
  finding.file = "/home/me/transpose.cu";
  finding.line = 12;
  finding.instruction = "ld.shared.f32";
  finding.block = {0, 0, 0};
  finding.thread = {33, 0, 0};
  finding.memory = observe::Memory::shared;
  finding.address = 0x104;
  finding.message =
      "Thread (33,0,0) reads shared word 0x104 at line 12 that thread (65,0,0) wrote at line 10, and no "
      "__syncthreads lies "
      "between them.";
  finding.other_line = 10;
  finding.other_block = {0, 0, 0};
  finding.other_thread = {65, 0, 0};
  finding.occurrences = 12;
  report.findings = {finding};
  report.api = {{"cudaMalloc", 2}, {"cudaLaunchKernel", 2}};
  report.copies.host_to_device_bytes = 1048576;
  CopyGroupReport copies;
  copies.direction = "host to device";
  copies.from = "pinned";
  copies.to = "device";
  copies.to_device = 0;
  report.copies.groups = {copies};
  report.events.recorded = 1;
  report.events.records = {{0, 0, 1, 2, 1e-5}};
  report.persistence.windows = {{"stream", 3, 0, 4096, 1.0, "persisting", "streaming", 2}};
  report.allocations = {2, 2097152, 0, {{"device", 2, 2097152, 0, 0, 2, 2097152}}};
  report.unsupported = {"cudaGraphAddNode"};
  report.elapsed_seconds = 41.5e-6;
  report.timeline.operations = {
      {0, 1, "copy to device", "copy", 524288, 0, 10e-6},
      {0, 2, "copy to device", "copy", 524288, 10e-6, 20e-6},
      {0, 1, "kernel", "_Z9transposePKfPfi", 0, 10e-6, 30e-6},
      {0, 2, "kernel", "_Z9transposePKfPfi", 0, 20e-6, 40e-6},
  };
  return report;
}

}  // namespace simgpu::report::testing
