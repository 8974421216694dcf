/// @file
/// What tests through the real door share: a plugin's functions, a fresh report for each test, allocations by a short name.
#pragma once

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <simgpu/simgpu.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace door {

using json = nlohmann::json;

/// A test that begins with an empty report and leaves nothing on the device.
struct Door : testing::Test {
  void SetUp() override {
    simgpu_take_report();
    cudaGetLastError();
  }
  void TearDown() override { cudaDeviceReset(); }

  /// @return memory whose bytes count as written.
  static float* floats(std::size_t n) {
    void* p = nullptr;
    EXPECT_EQ(cudaMalloc(&p, 4 * n), cudaSuccess);
    EXPECT_EQ(cudaMemset(p, 0, 4 * n), cudaSuccess);
    return static_cast<float*>(p);
  }
  static json report() { return json::parse(simgpu_take_report()); }
  /// The only launch since the last report, once it is done.
  static json launch() {
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    const json all = report();
    EXPECT_EQ(all["launches"].size(), 1u);
    return all["launches"].empty() ? json::object() : all["launches"][0];
  }
  static json buffer(const json& launch, const void* pointer) {
    for (const json& each : launch["buffers"])
      if (each["allocation"] == simgpu_allocation_of(pointer)) return each;
    ADD_FAILURE() << "the launch did not touch that allocation: " << launch["buffers"].dump(1);
    return {};
  }
};

/// Functions of the plugin of kernels.
struct Kernels : Door {
  static void SetUpTestSuite() {
    plugin_ = dlopen(SIMGPU_COUNTS, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(plugin_, nullptr) << dlerror();
  }
  template <typename R = void, typename... A>
  static R call(const char* name, A... arguments) {
    return reinterpret_cast<R (*)(A...)>(dlsym(plugin_, name))(arguments...);
  }
  inline static void* plugin_ = nullptr;
};

}  // namespace door
