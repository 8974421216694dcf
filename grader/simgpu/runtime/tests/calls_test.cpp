/// @file
/// What the report says of a program's calls: copies, waits, events, allocations, managed memory, errors; and calls that are made
/// to fail.
#include <utility>
#include <vector>

#include "door.hpp"

namespace {

using door::json;

struct Calls : door::Door {
  static void* device(std::size_t bytes) {
    void* p = nullptr;
    EXPECT_EQ(cudaMalloc(&p, bytes), cudaSuccess);
    return p;
  }
  static void* pinned(std::size_t bytes) {
    void* p = nullptr;
    EXPECT_EQ(cudaMallocHost(&p, bytes), cudaSuccess);
    return p;
  }
  static cudaStream_t stream() {
    cudaStream_t made = nullptr;
    EXPECT_EQ(cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking), cudaSuccess);
    return made;
  }
  static json kind(const json& report, const std::string& name) {
    for (const json& each : report["allocations"]["kinds"])
      if (each["kind"] == name) return each;
    return {};
  }
};

TEST_F(Calls, CopiesByKindAndWaitsBetweenThem) {
  std::vector<char> host(4096);
  void *there = device(4096), *locked = pinned(4096);
  const cudaStream_t s = stream();
  cudaMemcpy(there, host.data(), 400, cudaMemcpyHostToDevice);  // waits
  cudaMemcpyAsync(there, locked, 256, cudaMemcpyHostToDevice, s);
  cudaMemcpyAsync(there, locked, 256, cudaMemcpyHostToDevice, s);
  cudaStreamSynchronize(s);                                     // waits
  cudaMemcpy(host.data(), there, 100, cudaMemcpyDeviceToHost);  // waits, but after the last copy was begun
  cudaMemset(there, 0, 64);
  const json r = report();
  ASSERT_EQ(r["copies"]["groups"].size(), 3u);
  EXPECT_EQ(r["copies"]["groups"][1], (json{{"direction", "host to device"},
                                            {"from", "pinned"},
                                            {"to", "device"},
                                            {"from_device", nullptr},
                                            {"to_device", 0},
                                            {"asynchronous", true},
                                            {"copies", 2},
                                            {"bytes", 512},
                                            {"streams", 1},
                                            {"in_own_stream", 2}}));
  EXPECT_EQ(r["copies"]["groups"][0]["from"], "pageable");
  EXPECT_EQ(r["copies"]["groups"][0]["asynchronous"], false);
  EXPECT_EQ(r["copies"]["groups"][2]["direction"], "device to host");
  EXPECT_EQ(r["copies"]["host_to_device_bytes"], 912);
  EXPECT_EQ(r["copies"]["device_to_host_bytes"], 100);
  EXPECT_EQ(r["memsets"], (json{{"calls", 1}, {"bytes", 64}}));
  EXPECT_EQ(r["host_waits"]["total"], 3);
  EXPECT_EQ(r["host_waits"]["by_copy"], 2);
  EXPECT_EQ(r["host_waits"]["by_stream"], 1);
  EXPECT_EQ(r["host_waits"]["between_copies"], 2);
}

TEST_F(Calls, WaitsBetweenCopiesThatNobodyAskedFor) {
  void *there = device(256), *locked = pinned(256), *scratch = device(16), *more = device(16);
  const cudaStream_t s = stream();
  cudaMemcpyAsync(there, locked, 256, cudaMemcpyHostToDevice, s);
  cudaFree(scratch);
  cudaLaunchHostFunc(
      s, [](void*) {}, nullptr);
  cudaMemcpyAsync(locked, there, 256, cudaMemcpyDeviceToHost, s);
  cudaFree(more);  // behind the last copy
  const json waits = report()["host_waits"];
  EXPECT_EQ(waits["unasked_between_copies"], 2);
  EXPECT_EQ(waits["between_copies"], 0);
  EXPECT_EQ(waits["total"], 0);
}

TEST_F(Calls, AskingAgainAndAgainIsWaiting) {
  void *there = device(1 << 20), *locked = pinned(1 << 20);
  const cudaStream_t s = stream();
  cudaEvent_t done = nullptr;
  cudaEventCreate(&done);
  cudaMemcpyAsync(there, locked, 1 << 20, cudaMemcpyHostToDevice, s);
  cudaEventRecord(done, s);
  while (cudaEventQuery(done) == cudaErrorNotReady) cudaGetLastError();
  EXPECT_EQ(report()["host_waits"]["by_queries"], 1);
  cudaMemcpyAsync(there, locked, 1 << 20, cudaMemcpyHostToDevice, s);
  cudaEventRecord(done, s);
  cudaEventQuery(done);
  cudaMemcpyAsync(there, locked, 1 << 20, cudaMemcpyHostToDevice, s);
  cudaEventQuery(done);
  EXPECT_EQ(report()["host_waits"]["total"], 0) << "one look between two pieces of work is none";
}

TEST_F(Calls, ManagedMemoryThatWasSpokenOf) {
  void* p = nullptr;
  ASSERT_EQ(cudaMallocManaged(&p, 8192), cudaSuccess);
  const cudaMemLocation gpu{cudaMemLocationTypeDevice, 0};
  cudaMemPrefetchAsync(p, 4096, gpu, 0, nullptr);
  cudaMemPrefetchAsync(p, 4096, gpu, 0, nullptr);
  cudaMemAdvise(static_cast<char*>(p) + 2048, 4096, cudaMemAdviseSetAccessedBy, gpu);
  // These two name no byte more: a fault comes all the same.
  cudaMemAdvise(p, 8192, cudaMemAdviseSetReadMostly, gpu);
  cudaMemAdvise(p, 8192, cudaMemAdviseSetPreferredLocation, {cudaMemLocationTypeHost, 0});
  EXPECT_EQ(report()["managed"], (json{{"prefetched_to_device_bytes", 8192},
                                       {"prefetched_to_host_bytes", 0},
                                       {"advised_bytes", 4096 + 2 * 8192},
                                       {"covered_bytes", 6144},
                                       {"faulted_bytes", 0},
                                       {"came_home_bytes", 0},
                                       {"in_place_bytes", 0},
                                       {"late_bytes", 0}}));
}

TEST_F(Calls, EventsInTheOrderOfTheirStreams) {
  void *there = device(1 << 20), *locked = pinned(1 << 20);
  const cudaStream_t s = stream();
  cudaEvent_t events[2];
  for (cudaEvent_t& event : events) cudaEventCreate(&event);
  cudaEventRecord(events[0], s);
  cudaMemcpyAsync(there, locked, 1 << 20, cudaMemcpyHostToDevice, s);
  cudaEventRecord(events[1], s);
  const json r = report();
  EXPECT_EQ(r["events"]["recorded"], 2);
  const json &first = r["events"]["records"][0], &second = r["events"]["records"][1];
  EXPECT_EQ(first["operations_before"], 0);
  EXPECT_EQ(second["operations_before"], 1);
  EXPECT_EQ(second["event"].get<int>(), first["event"].get<int>() + 1);
  EXPECT_EQ(first["stream"], second["stream"]);
  EXPECT_DOUBLE_EQ(second["seconds"].get<double>(),
                   r["timeline"]["operations"][0]["end_seconds"].get<double>());
}

TEST_F(Calls, AllocationsByKind) {
  void* gone = device(100);
  cudaFree(gone);
  device(200);
  pinned(4096);
  static char own[64];
  cudaHostRegister(own, sizeof own, cudaHostRegisterDefault);
  void* pooled = nullptr;
  cudaMallocAsync(&pooled, 300, nullptr);
  const cudaChannelFormatDesc format{32, 0, 0, 0, cudaChannelFormatKindFloat};
  cudaArray_t array = nullptr;
  cudaMallocArray(&array, &format, 64, 8, 0);
  stream();
  const json r = report();
  EXPECT_EQ(kind(r, "device"), (json{{"kind", "device"},
                                     {"made_count", 2},
                                     {"made_bytes", 300},
                                     {"freed_count", 1},
                                     {"freed_bytes", 100},
                                     {"live_count", 1},
                                     {"live_bytes", 200}}));
  EXPECT_EQ(kind(r, "pinned")["live_bytes"], 4096);
  EXPECT_EQ(kind(r, "registered")["live_bytes"], 64);
  EXPECT_EQ(kind(r, "pool")["live_bytes"], 300);
  EXPECT_EQ(kind(r, "array")["live_count"], 1);
  EXPECT_EQ(r["allocations"]["page_locked_bytes"], 4096 + 64);
  EXPECT_EQ(r["allocations"]["live_count"], 5);
  EXPECT_EQ(r["live"]["streams"], 1);
  cudaHostUnregister(own);
}

TEST_F(Calls, WhatIsSetAsideOfTheL2) {
  void* table = device(1 << 20);
  const cudaStream_t s = stream();
  cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 1 << 20);
  cudaStreamAttrValue value{};
  value.accessPolicyWindow.base_ptr = static_cast<char*>(table) + 4096;
  value.accessPolicyWindow.num_bytes = 8192;
  value.accessPolicyWindow.hitRatio = 0.5f;
  value.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
  value.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
  ASSERT_EQ(cudaStreamSetAttribute(s, cudaStreamAttributeAccessPolicyWindow, &value), cudaSuccess);
  const json r = report()["l2_persistence"];
  EXPECT_EQ(r["limit_bytes"], 1 << 20);
  ASSERT_EQ(r["windows"].size(), 1u);
  EXPECT_EQ(r["windows"][0], (json{{"set_by", "stream"},
                                   {"allocation", simgpu_allocation_of(table)},
                                   {"offset", 4096},
                                   {"bytes", 8192},
                                   {"hit_ratio", 0.5},
                                   {"hit", "persisting"},
                                   {"miss", "streaming"},
                                   {"launches", 0}}));
}

TEST_F(Calls, CopiesThatOverlap) {
  constexpr std::size_t kBytes = 1 << 20;
  void *in = device(kBytes), *out = device(kBytes), *up = pinned(kBytes), *down = pinned(kBytes);
  const cudaStream_t a = stream(), b = stream();
  report();
  cudaMemcpyAsync(in, up, kBytes, cudaMemcpyHostToDevice, a);
  cudaMemcpyAsync(down, out, kBytes, cudaMemcpyDeviceToHost, a);
  const json apart = report()["overlap"];
  EXPECT_GT(apart["copy_seconds"].get<double>(), 0);
  EXPECT_EQ(apart["overlapped_seconds"].get<double>(), 0);
  cudaDeviceSynchronize();
  report();
  cudaMemcpyAsync(in, up, kBytes, cudaMemcpyHostToDevice, a);
  cudaMemcpyAsync(down, out, kBytes, cudaMemcpyDeviceToHost, b);
  const json both = report()["overlap"];
  EXPECT_GT(both["overlapped_seconds"].get<double>(), 0.5 * both["copy_seconds"].get<double>());
  EXPECT_LE(both["overlapped_seconds"].get<double>(), both["copy_seconds"].get<double>());
}

TEST_F(Calls, APlannedCallFails) {
  ASSERT_EQ(
      simgpu_configure(
          R"({"fail": [{"call": "cudaMalloc", "nth": 2, "error": 2}, {"call": "cudaFree", "error": 4}]})"),
      0);
  void *first = nullptr, *second = nullptr, *third = nullptr;
  EXPECT_EQ(cudaMalloc(&first, 16), cudaSuccess);
  EXPECT_EQ(cudaMalloc(&second, 16), cudaErrorMemoryAllocation);
  EXPECT_EQ(second, nullptr) << "it does nothing";
  EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaMalloc(&third, 16), cudaSuccess);
  EXPECT_EQ(cudaFree(first), cudaErrorCudartUnloading);
  EXPECT_EQ(cudaFree(first), cudaSuccess);
  EXPECT_EQ(report()["errors"],
            (json{{"calls", 2}, {"largest", 4}, {"first", 2}, {"first_call", "cudaMalloc"}}));
  ASSERT_EQ(simgpu_configure(R"({"fail": []})"), 0);
  EXPECT_EQ(cudaFree(third), cudaSuccess);
  for (const char* wrong :
       {R"({"fail": 1})", R"({"fail": [{"nth": 1}]})", R"({"fail": [{"call": "cudaFree", "nth": 0}]})",
        R"({"fail": [{"call": "cudaFree", "error": 0}]})", R"({"devices": 0})", R"({"devices": 17})"})
    EXPECT_EQ(simgpu_configure(wrong), -1) << wrong;
}

TEST_F(Calls, TwoDevices) {
  ASSERT_EQ(simgpu_configure(R"({"devices": 2})"), 0);
  int count = 0;
  ASSERT_EQ(cudaGetDeviceCount(&count), cudaSuccess);
  ASSERT_EQ(count, 2);
  void* here = device(4096);
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  void* there = device(4096);
  ASSERT_EQ(cudaMemcpyPeerAsync(there, 1, here, 0, 1024, nullptr), cudaSuccess);
  ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
  EXPECT_EQ(simgpu_configure(R"({"devices": 1})"), -1) << "the second one holds memory";
  const json r = report();
  EXPECT_EQ(r["device_count"], 2);
  EXPECT_EQ(r["copies"]["peer_bytes"], 1024);
  const json group = r["copies"]["groups"][0];
  EXPECT_EQ(group["direction"], "peer");
  EXPECT_EQ(group["from_device"], 0);
  EXPECT_EQ(group["to_device"], 1);
  cudaFree(there);
  ASSERT_EQ(simgpu_configure(R"({"devices": 1})"), 0);
  ASSERT_EQ(cudaGetDeviceCount(&count), cudaSuccess);
  EXPECT_EQ(count, 1);
}

}  // namespace
