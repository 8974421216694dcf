/// @file
/// See run_ptx.hpp.
#include "simgpu/tests/fuzz/run_ptx.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "simgpu/async/tensor_map.hpp"
#include "simgpu/exec/executor.hpp"
#include "simgpu/lower/program.hpp"
#include "simgpu/memory/device_memory.hpp"
#include "simgpu/memory/textures.hpp"
#include "simgpu/observe/races.hpp"
#include "simgpu/observe/traffic.hpp"
#include "simgpu/observe/uninitialised.hpp"
#include "simgpu/ptx/module.hpp"

namespace simgpu::fuzz {
namespace {

constexpr std::uint64_t kDeviceBytes = 64ull << 20;
constexpr std::uint64_t kBufferBytes = 4096;
/// A launch allocates a warp's registers and local memory for every resident warp: a few are enough.
constexpr std::uint32_t kMostLocalBytes = 1u << 16;
constexpr std::uint64_t kInstructionLimit = 20'000;

[[noreturn]] void broken(const std::string& what) {
  std::fprintf(stderr, "simgpu fuzzing: %s\n", what.c_str());
  std::abort();
}

std::string located(std::uint32_t line, const std::string& message, std::string_view text) {
  const auto lines = static_cast<std::uint32_t>(std::count(text.begin(), text.end(), '\n')) + 1;
  if (line > lines)
    broken("an error is located at line " + std::to_string(line) + " of " + std::to_string(lines));
  if (message.size() < 8) broken("an error says only '" + message + "'");
  return "PTX line " + std::to_string(line) + ": " + message;
}

/// The launch that a text asks for in its first line.
struct Choices {
  unsigned bits = 0;

  explicit Choices(std::string_view text) {
    if (!text.starts_with("//@ ")) return;
    for (char c : text.substr(4, 4)) {
      const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
      if (digit < 0) break;
      bits = bits * 16 + static_cast<unsigned>(digit);
    }
  }
  unsigned take(unsigned count) {
    const unsigned value = bits & ((1u << count) - 1);
    bits >>= count;
    return value;
  }
};

/// A device with a few things for kernels to work on.
struct Device {
  memory::DeviceMemory memory{kDeviceBytes};
  observe::Findings findings;
  observe::Races races{findings};
  observe::Uninitialised uninitialised{memory, findings};
  std::vector<std::uint64_t> buffers, textures, surfaces;

  Device() {
    for (int n = 0; n < 3; ++n) buffers.push_back(buffer()->base);
    for (const bool linear : {false, true})
      for (std::uint8_t dimensions = 1; dimensions <= 3; ++dimensions) {
        memory::Image image = picture(dimensions);
        image.layered = linear && dimensions == 2;
        if (image.layered) image.layers = 2;
        memory::Texture texture;
        texture.levels.push_back(image);
        texture.sampler.linear_filter = linear;
        texture.sampler.normalized_coordinates = linear;
        texture.sampler.address.fill(linear ? memory::AddressMode::mirror : memory::AddressMode::border);
        textures.push_back(memory.textures().add(std::move(texture)));
        surfaces.push_back(memory.textures().add_surface(image));
      }
  }

  const memory::Allocation* buffer() {
    const memory::Allocation* a = memory.allocate(kBufferBytes, memory::AllocationKind::device);
    for (std::uint64_t at = 0; at < a->bytes; at += 4) {
      const auto value = static_cast<std::uint32_t>(at / 4 % 61);
      std::memcpy(a->host + at, &value, 4);
    }
    uninitialised.mark_initialised(a->base, a->bytes);
    return a;
  }

  memory::Image picture(std::uint8_t dimensions) {
    memory::Image image;
    image.allocation = buffer();
    image.base = image.allocation->base;
    image.dimensions = dimensions;
    image.width = 16;
    image.height = dimensions > 1 ? 8 : 1;
    image.depth = dimensions > 2 ? 4 : 1;
    image.pitch = 64;
    image.slice = 512;
    return image;
  }

  void tensor_map(std::uint32_t rank, std::byte* out) {
    const std::uint64_t sizes[] = {16, 8, 4, 2, 1}, strides[] = {64, 512, 2048, 2048};
    const std::uint32_t box[] = {8, 4, 2, 1, 1}, steps[] = {1, 1, 1, 1, 1};
    async::TensorMapRequest request;
    request.type = static_cast<std::uint32_t>(async::TensorType::f32);
    request.rank = rank;
    request.address = buffers[0];
    request.sizes = sizes;
    request.strides = strides;
    request.box = box;
    request.element_strides = steps;
    alignas(64) std::byte map[async::kTensorMapBytes];
    if (const std::string problem = async::encode(request, map); !problem.empty()) broken(problem);
    std::memcpy(out, map, sizeof map);
  }
};

void launch_all(Device& device, const lower::Program& program, Choices choices) {
  observe::Traffic traffic({.l1_shared_bytes = 256 * 1024, .l2_bytes = 128 * 1024});
  const unsigned cluster = choices.take(2), reversed = choices.take(1), cooperative = choices.take(1),
                 block = choices.take(2), shared = choices.take(1), sampled = choices.take(1),
                 kind = choices.take(2), rank = choices.take(3), unobserved = choices.take(1);
  const bool swapped = choices.take(1);
  constexpr std::uint32_t kClusters[] = {1, 2, 4, 1};
  constexpr observe::Dim3 kBlocks[] = {{32, 1, 1}, {40, 2, 1}, {96, 1, 1}, {7, 3, 2}};
  std::size_t launched = 0;
  for (const lower::Kernel& kernel : program.kernels()) {
    if (++launched > 4 || kernel.local_bytes > kMostLocalBytes) break;
    exec::Launch launch;
    launch.kernel = &kernel;
    launch.grid = {4, 1, 1};
    launch.cluster = {kClusters[cluster], 1, 1};
    launch.block = kBlocks[block];
    launch.dynamic_shared_bytes = shared ? 0 : 1024;
    launch.sm_count = 2;
    launch.resident_blocks_per_sm = 2;
    launch.cooperative = cooperative;
    launch.order = reversed ? exec::Order::reversed : exec::Order::forward;
    launch.warp_instruction_limit = kInstructionLimit;
    launch.scoreboard_every = sampled ? 0 : 1;
    launch.parameters.assign(kernel.parameter_bytes, std::byte{0});
    std::size_t n = 0;
    for (const lower::Parameter& parameter : kernel.parameters) {
      std::byte* const place = launch.parameters.data() + parameter.offset;
      if (parameter.bytes == async::kTensorMapBytes) {
        device.tensor_map(rank % async::kMostDimensions + 1, place);
      } else if (parameter.bytes == 4) {
        const std::uint32_t value = 64;
        std::memcpy(place, &value, 4);
      } else if (parameter.bytes >= 8) {
        const bool image = kind != 0 && (n % 2 == 0) != swapped;
        const auto& from = !image      ? device.buffers
                           : kind == 1 ? device.textures
                           : kind == 2 ? device.surfaces
                           : n % 4 < 2 ? device.textures
                                       : device.surfaces;
        const std::uint64_t value = from[(kind ? n / 2 + rank : n) % from.size()];
        std::memcpy(place, &value, 8);
        ++n;
      }
    }
    std::uint64_t heap = 1 << 16;
    exec::Services services;
    services.print = [](std::string_view) {};
    services.device_malloc = [&](std::uint64_t bytes) -> std::uint64_t {
      if (bytes == 0 || bytes > heap) return 0;
      heap -= bytes;
      const memory::Allocation* a = device.memory.allocate(bytes, memory::AllocationKind::device, 16);
      return a != nullptr ? a->base : 0;
    };
    services.device_free = [&](std::uint64_t address) {
      // Only what is no image of a texture, as in the runtime.
      const memory::Allocation* a = device.memory.find(address);
      if (a != nullptr && a->live && a->bytes != kBufferBytes) device.memory.free(address);
    };
    device.findings.clear();
    const std::vector<observe::Observer*> observers =
        unobserved ? std::vector<observe::Observer*>{}
                   : std::vector<observe::Observer*>{&traffic, &device.races, &device.uninitialised};
    const exec::Result result = exec::run(launch, device.memory, observers, device.findings, services);
    if (!result.ok && !device.findings.any_error()) broken("a launch failed and nothing says why");
    for (const observe::Finding& finding : device.findings.all())
      if (finding.message.size() < 8) broken("a finding says only '" + finding.message + "'");
  }
}

}  // namespace

std::string lower_text(std::string_view text) {
  ptx::ParseResult parsed = ptx::parse(text);
  if (parsed.error) return located(parsed.error->line, parsed.error->message, text);
  const lower::LowerResult lowered =
      lower::lower(*parsed.module, [](std::string_view) -> std::uint64_t { return memory::kDeviceBase; });
  return lowered.error ? located(lowered.error->ptx_line, lowered.error->message, text) : std::string();
}

std::string execute_text(std::string_view text) {
  ptx::ParseResult parsed = ptx::parse(text);
  if (parsed.error) return located(parsed.error->line, parsed.error->message, text);
  Device device;
  std::vector<std::pair<std::string, const memory::Allocation*>> variables;
  for (const ptx::Variable& v : parsed.module->variables) {
    if (v.space != ptx::Space::global && v.space != ptx::Space::constant) continue;
    const memory::Allocation* a = device.memory.allocate(
        std::max<std::size_t>(v.bytes, 1),
        v.space == ptx::Space::global ? memory::AllocationKind::global : memory::AllocationKind::constant,
        std::max<std::size_t>(v.align, 1), v.name);
    if (a == nullptr) return "No room for the variable " + v.name + ".";
    if (v.initializer)
      std::memcpy(a->host, v.initializer->bytes.data(),
                  std::min<std::size_t>(a->bytes, v.initializer->bytes.size()));
    variables.emplace_back(v.name, a);
  }
  const lower::LowerResult lowered =
      lower::lower(*parsed.module, [&](std::string_view name) -> std::uint64_t {
        for (const auto& [known, a] : variables)
          if (known == name) return a->base;
        return 0;
      });
  if (lowered.error) return located(lowered.error->ptx_line, lowered.error->message, text);
  launch_all(device, *lowered.program, Choices(text));
  return {};
}

}  // namespace simgpu::fuzz
