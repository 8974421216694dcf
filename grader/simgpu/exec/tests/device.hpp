/// @file
/// A device in a few lines, for tests: PTX text in, memory to look at and findings out.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "simgpu/exec/executor.hpp"
#include "simgpu/lower/program.hpp"
#include "simgpu/memory/device_memory.hpp"
#include "simgpu/ptx/module.hpp"

namespace simgpu::exec::testing {

class Device {
 public:
  memory::DeviceMemory memory{1ull << 32};
  observe::Findings findings;
  std::vector<observe::Observer*> observers;
  std::string printed;
  Launch launch;
  Result result;

  /// Parses and lowers a module and allocates its variables; a failure fails the test.
  void load(const std::string& text) {
    ptx::ParseResult parsed = ptx::parse(text);
    ASSERT_TRUE(parsed.module) << "line " << parsed.error->line << ": " << parsed.error->message;
    for (const ptx::Variable& v : parsed.module->variables) {
      if (v.space != ptx::Space::global && v.space != ptx::Space::constant) continue;
      const auto* a = memory.allocate(
          std::max<std::size_t>(v.bytes, 1),
          v.space == ptx::Space::global ? memory::AllocationKind::global : memory::AllocationKind::constant,
          std::max<std::size_t>(v.align, 1), v.name);
      std::memset(a->host, 0, v.bytes);
      if (v.initializer && !v.initializer->bytes.empty())
        std::memcpy(a->host, v.initializer->bytes.data(), std::min(v.bytes, v.initializer->bytes.size()));
      if (v.initializer)
        for (const auto& r : v.initializer->relocations)
          if (const std::uint64_t f = lower::function_address(*parsed.module, r.symbol))
            std::memcpy(a->host + r.byte_offset, &f, r.size);
    }
    lower::LowerResult lowered = lower::lower(*parsed.module, [&](std::string_view name) -> std::uint64_t {
      for (const auto* a : memory.all())
        if (a->name == name) return a->base;
      return 0;
    });
    ASSERT_TRUE(lowered.program) << lowered.error->message;
    program_.emplace(std::move(*lowered.program));
  }
  const lower::Program& program() const { return *program_; }

  template <class T>
  std::uint64_t upload(const std::vector<T>& data) {
    const auto* a =
        memory.allocate(std::max<std::size_t>(data.size() * sizeof(T), 1), memory::AllocationKind::device);
    std::memcpy(a->host, data.data(), data.size() * sizeof(T));
    return a->base;
  }
  template <class T>
  std::vector<T> download(std::uint64_t address, std::size_t count) {
    const auto* a = memory.find(address);
    std::vector<T> out(count);
    std::memcpy(out.data(), a->host + (address - a->base), count * sizeof(T));
    return out;
  }

  /// Runs kernel @p name (its whole name, or a part that only it has) with @p arguments laid out as its
  /// parameters.
  template <class... Args>
  const Result& run(const std::string& name, observe::Dim3 grid, observe::Dim3 block,
                    const Args&... arguments) {
    launch.kernel = nullptr;
    for (const auto& k : program_->kernels())
      if (k.name.find(name) != std::string::npos) launch.kernel = &k;
    if (!launch.kernel) {
      ADD_FAILURE() << "no kernel " << name;
      return result;
    }
    launch.grid = grid;
    launch.block = block;
    launch.parameters.assign(launch.kernel->parameter_bytes, std::byte{0});
    std::size_t n = 0;
    (place(n++, &arguments, sizeof arguments), ...);
    Services services;
    services.print = [this](std::string_view text) { printed += text; };
    services.device_malloc = [this](std::uint64_t bytes) {
      const auto* a = memory.allocate(bytes, memory::AllocationKind::device);
      return a ? a->base : 0;
    };
    services.device_free = [this](std::uint64_t address) { memory.free(address); };
    result = exec::run(launch, memory, observers, findings, services);
    return result;
  }
  std::string messages() const {
    std::string all;
    for (const auto& f : findings.all())
      all +=
          std::string(observe::name_of(f.kind)) + " line " + std::to_string(f.line) + ": " + f.message + "\n";
    return all;
  }

 private:
  void place(std::size_t n, const void* data, std::size_t bytes) {
    const auto& p = launch.kernel->parameters.at(n);
    ASSERT_LE(bytes, p.bytes);
    std::memcpy(launch.parameters.data() + p.offset, data, bytes);
  }
  std::optional<lower::Program> program_;
};

inline std::string read_text(const std::string& path) {
  std::ifstream in(path);
  std::stringstream all;
  all << in.rdbuf();
  return all.str();
}

}  // namespace simgpu::exec::testing
