/// @file
/// Kernels from a plugin that nvcc made, through the whole simulator.
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <simgpu/simgpu.h>

#include <nlohmann/json.hpp>
#include <numeric>
#include <vector>

namespace {

using json = nlohmann::json;

struct Launch : testing::Test {
  static void SetUpTestSuite() {
    plugin_ = dlopen(SIMGPU_PLUGIN, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(plugin_, nullptr) << dlerror();
  }
  void SetUp() override {
    simgpu_take_report();
    cudaGetLastError();
  }
  void TearDown() override { cudaDeviceReset(); }

  template <typename R, typename... A>
  static auto function(const char* name) {
    return reinterpret_cast<R (*)(A...)>(dlsym(plugin_, name));
  }
  static float* floats(std::size_t n) {
    void* p = nullptr;
    EXPECT_EQ(cudaMalloc(&p, 4 * n), cudaSuccess);
    return static_cast<float*>(p);
  }
  static json report() { return json::parse(simgpu_take_report()); }
  static json only_finding(const json& report, const std::string& kind) {
    for (const json& finding : report["findings"]) {
      if (finding["kind"] == kind) return finding;
    }
    ADD_FAILURE() << "no finding of kind " << kind << " in " << report["findings"].dump(1);
    return {};
  }
  inline static void* plugin_ = nullptr;
};

TEST_F(Launch, ComputesAndCounts) {
  constexpr int n = 10000;
  std::vector<float> in(n), out(n);
  std::iota(in.begin(), in.end(), 0.0f);
  float *d_in = floats(n), *d_out = floats(n);
  cudaMemcpy(d_in, in.data(), 4 * n, cudaMemcpyHostToDevice);
  function<void, const float*, float*, int>("run_scale")(d_in, d_out, n);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  cudaMemcpy(out.data(), d_out, 4 * n, cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; ++i) ASSERT_EQ(out[i], 2.0f * i) << i;
  const json r = report();
  ASSERT_EQ(r["launches"].size(), 1u);
  const json& launch = r["launches"][0];
  EXPECT_EQ(launch["grid"], json({40, 1, 1}));
  EXPECT_EQ(launch["counters"]["l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"], (n + 31) / 32);
  EXPECT_EQ(launch["counters"]["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"], n / 8);
  EXPECT_GT(launch["timing"]["seconds"].get<double>(), 2.2e-6);
  EXPECT_EQ(r["findings"].size(), 0u) << r["findings"].dump(1);
  EXPECT_EQ(r["copies"]["host_to_device_bytes"], 4 * n);
}

TEST_F(Launch, TheSameProgramGivesTheSameReport) {
  const auto once = [&] {
    float *d_in = floats(1000), *d_out = floats(1000);
    cudaMemset(d_in, 0, 4000);
    simgpu_take_report();
    function<void, const float*, float*, int>("run_scale")(d_in, d_out, 1000);
    cudaDeviceSynchronize();
    json r = report();
    cudaFree(d_in), cudaFree(d_out);
    // Both runs are one program, in which addresses and numbers of allocations go on.
    for (json& launch : r["launches"]) {
      for (json& buffer : launch["buffers"]) buffer.erase("base"), buffer.erase("allocation");
    }
    return r["launches"].dump();
  };
  EXPECT_EQ(once(), once());
}

TEST_F(Launch, VariablesOfAllKinds) {
  EXPECT_EQ(function<int>("read_managed")(), 11);
  function<void>("run_bump")();
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(function<int>("read_counter")(), 6);
  EXPECT_EQ(function<int>("read_managed")(), 12);
  function<void, float>("set_scale")(-1.0f);
  float *in = floats(32), *out = floats(32);
  std::vector<float> host(32, 3.0f);
  cudaMemcpy(in, host.data(), 128, cudaMemcpyHostToDevice);
  function<void, const float*, float*, int>("run_scale")(in, out, 32);
  cudaMemcpy(host.data(), out, 128, cudaMemcpyDeviceToHost);
  EXPECT_EQ(host[31], -3.0f);
}

TEST_F(Launch, AFaultIsReportedByTheNextCallAndStays) {
  auto* p = reinterpret_cast<int*>(floats(16));
  function<void, int*, long long>("run_write_at")(p, 16);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess) << "the launch itself went well";
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  void* q = nullptr;
  EXPECT_EQ(cudaMalloc(&q, 4), cudaErrorIllegalAddress);
  const json finding = only_finding(report(), "out_of_bounds");
  EXPECT_EQ(finding["severity"], "error");
  EXPECT_GT(finding["line"].get<int>(), 0);
  EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
  EXPECT_EQ(cudaMalloc(&q, 4), cudaSuccess);
}

TEST_F(Launch, AMisalignedAccessHasItsOwnError) {
  function<void, char*>("run_misaligned")(reinterpret_cast<char*>(floats(16)));
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorMisalignedAddress);
}

TEST_F(Launch, AnEndlessKernelIsStopped) {
  ASSERT_EQ(simgpu_configure(R"({"warp_instruction_limit": 100000})"), 0);
  int* p = reinterpret_cast<int*>(floats(1));
  cudaMemset(p, 0, 4);
  function<void, int*>("run_forever")(p);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorLaunchTimeout);
  only_finding(report(), "runaway");
  ASSERT_EQ(simgpu_configure(R"({"warp_instruction_limit": 4000000000})"), 0);
}

TEST_F(Launch, ARaceIsFoundWithBothLines) {
  function<void, float*>("run_race")(floats(128));
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess) << "hardware would not notice either";
  const json finding = only_finding(report(), "race");
  EXPECT_NE(finding["line"], finding["other_line"]);
}

TEST_F(Launch, UninitialisedMemoryIsFound) {
  function<void, const float*, float*, int>("run_scale")(floats(32), floats(32), 32);
  cudaDeviceSynchronize();
  only_finding(report(), "uninitialised_read");
}

TEST_F(Launch, WhatNobodyWroteAndTheHostIsGivenIsAWarning) {
  std::vector<float> host(1024);
  const auto copied = [&](const void* from, std::size_t bytes) {
    EXPECT_EQ(cudaMemcpy(host.data(), from, bytes, cudaMemcpyDeviceToHost), cudaSuccess);
    return report()["findings"];
  };
  float* const half = floats(1024);
  cudaMemset(half, 0, 2048);
  EXPECT_EQ(copied(half, 2048).size(), 0u) << "all of this was written";
  const json findings = copied(half, 4096);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0]["kind"], "uninitialised_read");
  EXPECT_EQ(findings[0]["severity"], "warning");
  EXPECT_NE(findings[0]["message"].get<std::string>().find("byte 2048 of an allocation of 4096 bytes"),
            std::string::npos)
      << findings[0]["message"];
  // Padding: four bytes in each eight.
  float* const records = floats(1024);
  cudaMemset2D(records, 8, 0, 4, 512);
  EXPECT_EQ(copied(records, 4096).size(), 0u) << "padding is no mistake";
  // Of rows, only what is copied counts.
  float* const rows = floats(1024);
  cudaMemset2D(rows, 256, 0, 64, 16);
  EXPECT_EQ(cudaMemcpy2D(host.data(), 64, rows, 256, 64, 16, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(report()["findings"].size(), 0u);
  EXPECT_EQ(copied(floats(1), 4).size(), 1u) << "a single number";
}

TEST_F(Launch, LimitsOfALaunch) {
  float* out = floats(1024);
  const auto shared = function<cudaError_t, float*, int, bool>("run_big_shared");
  EXPECT_EQ(shared(out, 48 * 1024, false), cudaSuccess);
  EXPECT_EQ(shared(out, 48 * 1024 + 1, false), cudaErrorInvalidValue);
  EXPECT_EQ(shared(out, 232448, true), cudaSuccess);
  EXPECT_EQ(shared(out, 232449, true), cudaErrorInvalidValue);
  cudaGetLastError();  // cudaFuncSetAttribute's refusal is still the last error
  const auto shape = function<cudaError_t, float*, unsigned, unsigned>("run_shape");
  EXPECT_EQ(shape(out, 1, 128), cudaSuccess);
  EXPECT_NE(shape(out, 0, 128), cudaSuccess);
  EXPECT_NE(shape(out, 1, 0), cudaSuccess);
  EXPECT_NE(shape(out, 1, 1025), cudaSuccess);
  EXPECT_EQ(shape(out, 1, 256), cudaErrorInvalidValue) << "more than __launch_bounds__";
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess) << "a refused launch harms nothing";
}

TEST_F(Launch, OccupancyIsTheHardwares) {
  const auto occupancy = function<int, int>("occupancy_of_scale");
  EXPECT_EQ(occupancy(256), 8);
  EXPECT_EQ(occupancy(1024), 2);
  EXPECT_EQ(occupancy(32), 32);
}

TEST_F(Launch, PrintfReachesStdout) {
  testing::internal::CaptureStdout();
  function<void>("run_hello")();
  cudaDeviceSynchronize();
  fflush(stdout);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "hello from thread 0\nhello from thread 1\n");
}

TEST_F(Launch, TensorMapFromTheDriverEntryPoint) {
  std::vector<float> in(256), out(64);
  std::iota(in.begin(), in.end(), 0.0f);
  float *d_in = floats(256), *d_out = floats(64);
  cudaMemcpy(d_in, in.data(), 1024, cudaMemcpyHostToDevice);
  const auto run = function<int, float*, float*, unsigned long long>("run_copy_tile");
  EXPECT_EQ(run(d_in, d_out, 68), 1);  // CUDA_ERROR_INVALID_VALUE: no multiple of 16
  ASSERT_EQ(run(d_in, d_out, 64), 0);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  cudaMemcpy(out.data(), d_out, 256, cudaMemcpyDeviceToHost);
  for (int k = 0; k < 64; ++k) ASSERT_EQ(out[k], (k / 8 + 2) * 16 + k % 8 + 4);
  const json r = report();
  EXPECT_NE(only_finding(r, "bad_call")["message"].get<std::string>().find("multiple of 16"),
            std::string::npos);
  ASSERT_EQ(r["launches"].size(), 1u);
  EXPECT_EQ(r["launches"][0]["counters"]["simgpu__bulk_bytes_load.sum"], 256);
}

TEST_F(Launch, SleepTakesTime) {
  void *out = nullptr, *flag = nullptr;
  ASSERT_EQ(cudaMalloc(&out, 4096), cudaSuccess);
  ASSERT_EQ(cudaMalloc(&flag, 4), cudaSuccess);
  ASSERT_EQ(cudaMemset(flag, 0, 4), cudaSuccess);
  const auto naps = function<void, int*, int, int, int>("run_naps");
  naps(static_cast<int*>(out), 1, 32, 0);
  naps(static_cast<int*>(out), 1, 32, 200);
  naps(static_cast<int*>(out), 22, 1024, 200);      // as many as have room at a time
  naps(static_cast<int*>(out), 4 * 22, 1024, 200);  // four waves
  function<void, int*, int*>("run_waits_with_naps")(static_cast<int*>(out), static_cast<int*>(flag));
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  const json r = report();
  EXPECT_EQ(r["findings"].size(), 0u) << r["findings"].dump(1);
  ASSERT_EQ(r["launches"].size(), 5u);
  const auto ms = [&](int n) { return r["launches"][n]["timing"]["seconds"].get<double>() * 1e3; };
  EXPECT_LT(ms(0), 0.02);
  EXPECT_NEAR(ms(1), 2, 0.05);
  EXPECT_NEAR(ms(2), 2, 0.05);
  EXPECT_NEAR(ms(3), 8, 0.2);
  // How often a waiting warp looks, and sleeps, is the simulator's affair.
  EXPECT_LT(ms(4), 0.3);
}

TEST_F(Launch, BlocksOfAClusterReachEachOther) {
  void* out = nullptr;
  ASSERT_EQ(cudaMalloc(&out, 64), cudaSuccess);
  const auto run = function<cudaError_t, int*, unsigned, unsigned>("run_exchange");
  ASSERT_EQ(run(static_cast<int*>(out), 16, 8), cudaSuccess);
  int got[16];
  ASSERT_EQ(cudaMemcpy(got, out, 64, cudaMemcpyDeviceToHost), cudaSuccess);
  for (int b = 0; b < 16; ++b) EXPECT_EQ(got[b], b / 8 * 8 + (b + 1) % 8);
  EXPECT_EQ(run(static_cast<int*>(out), 16, 3), cudaErrorInvalidClusterSize);
  cudaGetLastError();
  EXPECT_TRUE(report()["launches"].size() == 1);
}

}  // namespace
