/// @file
/// See drive_front.hpp. The device is small, so that an input costs little: 1 MiB of memory, and kernels of few instructions.
#include "simgpu/tests/fuzz/drive_front.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "simgpu/device/front.hpp"
#include "simgpu/observe/races.hpp"
#include "simgpu/observe/traffic.hpp"
#include "simgpu/observe/uninitialised.hpp"
#include "simgpu/timing/cards.hpp"

namespace simgpu::fuzz {
namespace {

constexpr std::uint64_t kMemory = 1 << 20, kInstructions = 10'000;
constexpr std::size_t kStaging = 1 << 16, kHead = 24;

// Its kernels do nothing, read memory and write a variable, set a condition, and wait for memory to change.
// make_conversations.py loads it by its length.
constexpr const char* kModule = R"(
.version 8.0
.target sm_90
.address_size 64
.global .u32 seen;
.visible .entry one() { ret; }
.visible .entry two(.param .u64 p)
{
  .reg .b32 %r<2>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [p];
  ld.global.u32 %r1, [%rd1];
  st.global.u32 [seen], %r1;
  ret;
}
.extern .func cudaGraphSetConditional (.param .b64 handle, .param .b32 value);
.visible .entry three(.param .u64 p)
{
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [p];
  {
    .param .b64 handle;
    st.param.b64 [handle], %rd1;
    .param .b32 value;
    st.param.b32 [value], 1;
    call.uni cudaGraphSetConditional, (handle, value);
  }
  ret;
}
.visible .entry four(.param .u64 p)
{
  .reg .pred %q<2>;
  .reg .b32 %r<2>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [p];
again:
  ld.volatile.global.u32 %r1, [%rd1];
  setp.eq.u32 %q1, %r1, 0;
  @%q1 bra again;
  ret;
}
)";

}  // namespace

Driven drive_front(std::string_view bytes) {
  timing::Device card = *timing::card_named("h200");
  card.memory_bytes = kMemory;
  device::Gpu gpu(card);
  gpu.settings.warp_instruction_limit = kInstructions;
  std::vector<std::byte> staging(kStaging);
  // A load whose code lies at the beginning of these pages finds a module there.
  std::memcpy(staging.data(), kModule, std::strlen(kModule));
  bool told = false;
  device::Front front(gpu, staging,
                      {.send =
                           [&](const queue::Message& message) {
                             const auto* const end = std::get_if<queue::Ended>(&message.body);
                             if (end == nullptr) return;
                             if (!end->why.starts_with("Record ") || !end->why.ends_with(".")) std::abort();
                             told = true;
                           },
                       .listen = [] { return false; },
                       .threads = [] { return 1; }});
  front.set_devices(2);
  Driven done;
  while (!bytes.empty() && !front.ended()) {
    // As the ring gives them: whole records, or the head alone of what is none.
    std::uint32_t size = 0;
    if (bytes.size() >= sizeof size) std::memcpy(&size, bytes.data(), sizeof size);
    const std::size_t length = std::min<std::size_t>(bytes.size(), std::max<std::size_t>(size, kHead));
    std::vector<std::byte> record(length);
    std::memcpy(record.data(), bytes.data(), length);
    bytes.remove_prefix(length);
    front.take(record);
    for (int i = 0; i < 4 && front.someone_waits(); ++i) front.look_again();
    done.records += !front.ended();
  }
  front.end_all();
  done.launches = gpu.take_report().launches.size();
  if (front.ended() && !told && done.records == 0) std::abort();
  return done;
}

}  // namespace simgpu::fuzz
