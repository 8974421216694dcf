/// @file
/// A claim about the way from the host: what page-locked memory gains over memory that the driver has to stage.
#include <algorithm>
#include <cstdlib>
#include <memory>

#include "claims/device.hpp"
#include "claims/kernels/kernels.hpp"

namespace course::claims {
namespace {

struct free_host {
  void operator()(float* memory) const { cudaFreeHost(memory); }
};
struct free_pages {
  void operator()(float* memory) const { std::free(memory); }
};

}  // namespace

outcome pinned_upload(device& on) {
  // Memory of the host: 256 MiB at most, touched once, so that no page is missing.
  const std::size_t count =
      on.simulated() ? on.array() : std::min<std::size_t>(on.array(), std::size_t{64} << 20);
  const std::size_t bytes = count * sizeof(float);
  const floats there(count);
  const std::unique_ptr<float, free_pages> pageable(static_cast<float*>(std::malloc(bytes)));
  if (!pageable) throw device_error("the host has too little memory");
  float* locked = nullptr;
  check(cudaMallocHost(reinterpret_cast<void**>(&locked), bytes), "cudaMallocHost");
  const std::unique_ptr<float, free_host> pinned(locked);
  for (std::size_t i = 0; i < count; ++i) pageable.get()[i] = pinned.get()[i] = static_cast<float>(i % 1021);

  const auto rate = [&](float* host, cudaMemcpyKind kind) {
    float* const device_side = there.get();
    const bool up = kind == cudaMemcpyHostToDevice;
    return static_cast<double>(bytes) / on.seconds([=] {
      check(cudaMemcpyAsync(up ? device_side : host, up ? host : device_side, bytes, kind),
            "cudaMemcpyAsync");
    });
  };
  const double slow = rate(pageable.get(), cudaMemcpyHostToDevice),
               fast = rate(pinned.get(), cudaMemcpyHostToDevice);
  return {{"up from pageable memory", slow, "B/s"},
          {"up from pinned memory", fast, "B/s"},
          fast / slow,
          {{"down to pageable memory", rate(pageable.get(), cudaMemcpyDeviceToHost), "B/s"},
           {"down to pinned memory", rate(pinned.get(), cudaMemcpyDeviceToHost), "B/s"}},
          "True, and the text gives no figure. A core of the host has to carry pageable bytes to where the "
          "copy engine may read them, so the factor is the host's as much as the card's."};
}

}  // namespace course::claims
