/// @file
/// Counters of small kernels against counts by hand: by allocation, by hint, by kind of fetch, by block, by barrier.
#include "door.hpp"

namespace {

using door::json;

struct Counts : door::Kernels {
  static void expect_road(const json& road, int requests, int lanes, int bytes, int sectors) {
    EXPECT_EQ(road, json({{"requests", requests}, {"lanes", lanes}, {"bytes", bytes}, {"sectors", sectors}}));
  }
  static const json& counter(const json& launch, const std::string& name) {
    return launch["counters"]["simgpu__" + name];
  }
};

TEST_F(Counts, EachAllocationHasItsOwnTraffic) {
  float *in = floats(1000), *out = floats(1000);
  call("count_copy", static_cast<const float*>(in), out, 1000);  // 31 full warps and one of 8 lanes
  const json l = launch();
  ASSERT_EQ(l["buffers"].size(), 3u);
  expect_road(buffer(l, in)["load"], 32, 1000, 4000, 125);
  expect_road(buffer(l, in)["store"], 0, 0, 0, 0);
  expect_road(buffer(l, out)["store"], 32, 1000, 4000, 125);
  EXPECT_EQ(buffer(l, in)["bytes"], 4000);
  EXPECT_EQ(buffer(l, in)["memory"], "device");
  EXPECT_EQ(buffer(l, in)["kind"], "device");
  EXPECT_EQ(std::stoull(buffer(l, in)["base"].get<std::string>(), nullptr, 16),
            reinterpret_cast<std::uintptr_t>(in));
  EXPECT_EQ(buffer(l, in)["loaded_bytes"], 4000);
  EXPECT_EQ(buffer(l, in)["stored_bytes"], 0);
  for (const json& each : l["buffers"]) {
    if (each["kind"] != "variable") continue;
    EXPECT_NE(each["name"].get<std::string>().find("hits"), std::string::npos);
    expect_road(each["atomic"], 32, 1000, 4000, 32);
  }
}

TEST_F(Counts, ARequestToTwoAllocationsCountsInBoth) {
  float *even = floats(32), *odd = floats(32), *out = floats(32);
  call("count_zip", static_cast<const float*>(even), static_cast<const float*>(odd), out);
  const json l = launch();
  expect_road(buffer(l, even)["load"], 1, 16, 64, 4);
  expect_road(buffer(l, odd)["load"], 1, 16, 64, 4);
  expect_road(buffer(l, out)["store"], 1, 32, 128, 4);
}

TEST_F(Counts, HostMemoryIsToldFromTheDevices) {
  void *mapped = nullptr, *managed = nullptr;
  static float own[1024];
  ASSERT_EQ(cudaHostAlloc(&mapped, 4000, cudaHostAllocMapped), cudaSuccess);
  ASSERT_EQ(cudaMallocManaged(&managed, 4000), cudaSuccess);
  call("count_copy", static_cast<const float*>(mapped), static_cast<float*>(managed), 1000);
  json l = launch();
  EXPECT_EQ(buffer(l, mapped)["memory"], "mapped");
  EXPECT_EQ(buffer(l, mapped)["kind"], "pinned");
  EXPECT_EQ(buffer(l, mapped)["load"]["bytes"], 4000);
  EXPECT_EQ(buffer(l, managed)["memory"], "managed");
  EXPECT_EQ(buffer(l, managed)["store"]["bytes"], 4000);
  ASSERT_EQ(cudaHostRegister(own, sizeof own, cudaHostRegisterMapped), cudaSuccess);
  call("count_copy", static_cast<const float*>(own), static_cast<float*>(managed), 1000);
  l = launch();
  EXPECT_EQ(buffer(l, own)["kind"], "registered");
  EXPECT_TRUE(buffer(l, own)["base"].is_null()) << "it changes from run to run";
  EXPECT_EQ(buffer(l, own)["load"]["bytes"], 4000);
  cudaHostUnregister(own);
}

TEST_F(Counts, PagesOfManagedMemoryComeByFaultsOrBefore) {
  constexpr int kPages = 3, kFloats = kPages * 1024;
  float *in = nullptr, *out = floats(kFloats);
  ASSERT_EQ(cudaMallocManaged(reinterpret_cast<void**>(&in), kFloats * sizeof(float)), cudaSuccess);
  in[0] = in[1024] = 1;  // the host's first touch; nobody's page is made where it is wanted
  const auto copied = [&] {
    call("count_copy", static_cast<const float*>(in), out, kFloats);
    return report();
  };
  const auto managed = [](const json& r, const char* name) { return r["managed"][name].get<int>(); };
  json r = copied();
  EXPECT_EQ(managed(r, "faulted_bytes"), 2 * 4096);
  const auto seconds = [&r] { return r["launches"][0]["timing"]["seconds"].get<double>(); };
  const double with_faults = seconds();
  r = copied();
  EXPECT_NEAR(with_faults - seconds(), 60e-6 + 2 * 4096 / (7.5e9 / 12), 2e-7)
      << "a slice has a twelfth of the card's rate, and all of what the first fault takes";
  EXPECT_EQ(managed(r, "faulted_bytes"), 0) << "they are the device's now";

  const cudaMemLocation gpu{cudaMemLocationTypeDevice, 0}, host{cudaMemLocationTypeHost, 0};
  ASSERT_EQ(cudaMemPrefetchAsync(in, 4096, host, 0, nullptr), cudaSuccess);
  EXPECT_EQ(managed(copied(), "faulted_bytes"), 4096);
  ASSERT_EQ(cudaMemPrefetchAsync(in, 4096, host, 0, nullptr), cudaSuccess);
  ASSERT_EQ(cudaMemPrefetchAsync(in + 1023, 8, gpu, 0, nullptr), cudaSuccess);  // whole pages go
  r = copied();
  EXPECT_EQ(managed(r, "faulted_bytes"), 0);
  EXPECT_EQ(managed(r, "prefetched_to_device_bytes"), 8);

  ASSERT_EQ(cudaMemPrefetchAsync(in, kPages * 4096, host, 0, nullptr), cudaSuccess);
  ASSERT_EQ(cudaMemAdvise(in, 4096, cudaMemAdviseSetAccessedBy, gpu), cudaSuccess);
  ASSERT_EQ(cudaMemAdvise(in + 1024, 4096, cudaMemAdviseSetPreferredLocation, host), cudaSuccess);
  r = copied();
  EXPECT_EQ(managed(r, "in_place_bytes"), 2 * 4096) << "mapped, and reached over the link";
  EXPECT_EQ(managed(r, "faulted_bytes"), 4096);
  EXPECT_EQ(managed(copied(), "in_place_bytes"), 2 * 4096) << "and again: nothing has moved";
  ASSERT_EQ(cudaMemAdvise(in, 4096, cudaMemAdviseUnsetAccessedBy, gpu), cudaSuccess);
  EXPECT_EQ(managed(copied(), "faulted_bytes"), 4096);
}

TEST_F(Counts, PagesComeHomeWhenTheHostTouchesThem) {
  constexpr int kFloats = 32 * 1024, kHalf = kFloats / 2;  // twice 64 kB
  float *in = nullptr, *out = floats(kFloats);
  ASSERT_EQ(cudaMallocManaged(reinterpret_cast<void**>(&in), kFloats * sizeof(float)), cudaSuccess);
  std::fill(in, in + kFloats, 1.0f);
  const auto copied = [&](int first = 0, int n = 32 * 1024) {
    call("count_copy", static_cast<const float*>(in + first), out, n);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    return report()["managed"];
  };
  const auto waits = [&] {  // of the host
    cudaEvent_t begin = nullptr, end = nullptr;
    cudaEventCreate(&begin), cudaEventCreate(&end);
    cudaEventRecord(begin);
    const volatile float touched = in[kHalf + 5];
    static_cast<void>(touched);
    cudaEventRecord(end), cudaEventSynchronize(end);
    float milliseconds = 0;
    cudaEventElapsedTime(&milliseconds, begin, end);
    cudaEventDestroy(begin), cudaEventDestroy(end);
    return milliseconds * 1e-3;
  };
  json managed = copied();
  EXPECT_EQ(managed["came_home_bytes"], 0) << "the host had them";
  EXPECT_EQ(managed["faulted_bytes"], 2 * 65536);
  EXPECT_EQ(copied()["faulted_bytes"], 0);

  EXPECT_NEAR(waits(), 20e-6 + 65536 / 5.5e9, 2e-6) << "one touch takes as long on a slice";
  EXPECT_LT(waits(), 2e-6) << "they are the host's now";
  managed = copied();
  EXPECT_EQ(managed["came_home_bytes"], 65536) << "around what was touched";
  EXPECT_EQ(managed["faulted_bytes"], 65536) << "and back again";
  EXPECT_EQ(in[kHalf + 5], 1.0f) << "nothing is lost when pages are asked for anew";

  const cudaMemLocation gpu{cudaMemLocationTypeDevice, 0}, host{cudaMemLocationTypeHost, 0};
  ASSERT_EQ(cudaMemPrefetchAsync(in, kFloats * sizeof(float), host, 0, nullptr), cudaSuccess);
  EXPECT_LT(waits(), 2e-6) << "a prefetch has brought them back before";
  ASSERT_EQ(cudaMemAdvise(in, kFloats * sizeof(float), cudaMemAdviseSetReadMostly, gpu), cudaSuccess);
  EXPECT_EQ(copied()["faulted_bytes"], 2 * 65536);
  EXPECT_LT(waits(), 2e-6) << "each side has its own";
  EXPECT_EQ(copied()["faulted_bytes"], 0);
  in[kHalf + 5] = 2, in[kHalf + 6] = 2;
  managed = copied();
  EXPECT_EQ(managed["came_home_bytes"], 4096)
      << "of the page that was changed the device's copy is worth nothing";
  EXPECT_EQ(managed["faulted_bytes"], 4096);
  ASSERT_EQ(cudaMemAdvise(in, kFloats * sizeof(float), cudaMemAdviseUnsetReadMostly, gpu), cudaSuccess);

  // To and fro, each time within half a millisecond: such pages stay with the host.
  int faults = 0;
  for (int turn = 0; turn < 20; ++turn) {
    in[kHalf] += 1;
    managed = copied(kHalf, 1024);
    if (managed["faulted_bytes"] == 4096) ++faults;
  }
  EXPECT_GE(faults, 6);
  EXPECT_LE(faults, 8);
  EXPECT_EQ(managed["in_place_bytes"], 4096);
}

TEST_F(Counts, HintsAreCountedByBytes) {
  float *stream = floats(32), *policy = floats(32), *table = floats(4), *out = floats(32);
  call("count_hinted", static_cast<const float*>(stream), static_cast<const float*>(policy),
       static_cast<const float*>(table), out);
  const json l = launch();
  EXPECT_EQ(buffer(l, stream)["hinted_bytes"], 128);
  EXPECT_EQ(buffer(l, policy)["hinted_bytes"], 128) << "a cache policy made by createpolicy";
  EXPECT_EQ(buffer(l, table)["hinted_bytes"], 0);
  EXPECT_EQ(buffer(l, out)["hinted_bytes"], 128);
  EXPECT_EQ(counter(l, "hinted_bytes_op_ld.sum"), 256);
  EXPECT_EQ(counter(l, "hinted_bytes_op_st.sum"), 128);
  int streaming = 0, non_coherent = 0;
  for (const json& site : l["sites"]) {
    if (site["hint"] == "cs") streaming += site["hinted_bytes"].get<int>();
    if (site["non_coherent"] == true) non_coherent += site["bytes_requested"].get<int>();
  }
  EXPECT_EQ(streaming, 256);
  EXPECT_EQ(non_coherent, 128);
}

TEST_F(Counts, FetchesAreToldApart) {
  float *line = floats(64), *out = floats(32);
  call("count_fetches", line, out);
  const json l = launch();
  EXPECT_EQ(counter(l, "texture_fetches.sum"), 128);
  EXPECT_EQ(counter(l, "texture_fetches_filtered.sum"), 32);
  EXPECT_EQ(counter(l, "texture_fetches_gather.sum"), 32);
  EXPECT_EQ(counter(l, "texture_fetches_point.sum"), 64)
      << "by point filter, and by index from linear memory";
  EXPECT_EQ(counter(l, "texture_fetches_surface.sum"), 0);
  const json linear = buffer(l, line);
  EXPECT_EQ(linear["texture_lanes"], 32);
  EXPECT_EQ(linear["texture_bytes"], 128);
  EXPECT_EQ(linear["texture_sectors"], 4);
  EXPECT_EQ(linear["loaded_bytes"], 128);
  int arrays = 0;
  for (const json& each : l["buffers"]) {
    if (each["texture_lanes"] != 96) continue;
    ++arrays;
    EXPECT_EQ(each["texture_bytes"], (4 + 4 + 1) * 32 * 4) << "four texels, four texels, one";
  }
  EXPECT_EQ(arrays, 1);
}

TEST_F(Counts, LocalMemoryInBytes) {
  call("count_local", floats(32));
  const json l = launch();
  EXPECT_EQ(counter(l, "local_bytes_requested_op_st.sum"), 128);
  EXPECT_EQ(counter(l, "local_bytes_requested_op_ld.sum"), 128);
}

TEST_F(Counts, LocalMemoryOfPtxThatPtxasKeepsInRegistersIsNone) {
  call("count_frameless", static_cast<const float*>(floats(1024)), floats(1024));
  const json l = launch();
  ASSERT_GT(l["local_bytes"], 0) << "PTX has the array in local memory";
  if (l["stack_frame_bytes"] != 0) GTEST_SKIP() << "this ptxas has no registers for it, or there is none";
  EXPECT_EQ(counter(l, "local_bytes_requested_op_st.sum"), 0);
  EXPECT_EQ(counter(l, "local_bytes_requested_op_ld.sum"), 0);
  for (const json& site : l["sites"]) EXPECT_NE(site["memory"], "local");
}

TEST_F(Counts, HitsAreKnownBySite) {
  float *in = floats(1024), *out = floats(1024);
  call("count_copy", static_cast<const float*>(in), out, 1024);
  launch();
  call("count_copy", static_cast<const float*>(in), out, 1024);
  const json l = launch();
  for (const json& site : l["sites"]) {
    if (site["kind"] != "load") continue;
    EXPECT_EQ(site["sectors"], 128);
    EXPECT_EQ(site["l1_hit_sectors"], 0);
    EXPECT_EQ(site["l2_hit_sectors"], 128) << "the L2 outlives a launch";
  }
}

TEST_F(Counts, BytesInFlightAtTheFirstWait) {
  const float* in = floats(512);
  float* out = floats(512);
  const std::pair<const char*, int> cases[] = {{"count_one", 4}, {"count_four", 16}, {"count_two_fours", 32}};
  for (const auto& [name, bytes] : cases) {
    call(name, in, out);
    const json l = launch();
    EXPECT_EQ(counter(l, "load_waiting_threads.sum"), 64) << name;
    EXPECT_EQ(counter(l, "load_bytes_in_flight.sum"), 64 * bytes) << name;
  }
}

TEST_F(Counts, BlocksAtWorkAndTheirBarriers) {
  call("count_meet", static_cast<const float*>(floats(96)), floats(192));
  const json l = launch();
  EXPECT_EQ(counter(l, "blocks.sum"), 3);
  EXPECT_EQ(counter(l, "threads.sum"), 288);
  EXPECT_EQ(counter(l, "blocks_touching_global.sum"), 2);
  EXPECT_EQ(counter(l, "threads_per_touching_block.min"), 96);
  EXPECT_EQ(counter(l, "warps_touching_global.sum"), 6);
  EXPECT_EQ(counter(l, "warps_touching_global_per_block.min"), 3);
  EXPECT_EQ(counter(l, "warps_storing_shared.sum"), 6);
  EXPECT_EQ(counter(l, "block_barriers.sum"), 6);
  EXPECT_EQ(counter(l, "block_barriers_per_block.min"), 0);
  EXPECT_EQ(counter(l, "block_barriers_per_block.max"), 3);
  EXPECT_EQ(counter(l, "block_barrier_warps.sum"), 18);
  EXPECT_EQ(counter(l, "shared_bytes_requested_op_ld.sum"), 2 * 96 * 4 * 2);
  EXPECT_EQ(counter(l, "shared_bytes_requested_op_ld_per_block.min"), 96 * 4 * 2);
}

// Only launches on that stream count, also when the window was given to it before the report began.
TEST_F(Counts, LaunchesWithAWindowInForce) {
  const float *stream = floats(32), *policy = floats(32), *table = floats(32);
  float* out = floats(32);
  cudaStreamAttrValue value{};
  value.accessPolicyWindow.base_ptr = const_cast<float*>(table);
  value.accessPolicyWindow.num_bytes = 128;
  value.accessPolicyWindow.hitRatio = 1;
  value.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
  value.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
  cudaStream_t idle = nullptr;
  ASSERT_EQ(cudaStreamCreate(&idle), cudaSuccess);
  ASSERT_EQ(cudaStreamSetAttribute(idle, cudaStreamAttributeAccessPolicyWindow, &value), cudaSuccess);
  call("count_hinted", stream, policy, table, out);
  const json given = report()["l2_persistence"]["windows"];
  ASSERT_EQ(given.size(), 1u);
  EXPECT_EQ(given[0]["launches"], 0) << "of a stream that does nothing";

  ASSERT_EQ(cudaStreamSetAttribute(nullptr, cudaStreamAttributeAccessPolicyWindow, &value), cudaSuccess);
  report();
  call("count_hinted", stream, policy, table, out);
  call("count_hinted", stream, policy, table, out);
  const json used = report()["l2_persistence"]["windows"];
  ASSERT_EQ(used.size(), 1u);
  EXPECT_EQ(used[0]["launches"], 2);
  EXPECT_EQ(used[0]["bytes"], 128);

  value.accessPolicyWindow.num_bytes = 0;
  ASSERT_EQ(cudaStreamSetAttribute(nullptr, cudaStreamAttributeAccessPolicyWindow, &value), cudaSuccess);
  report();
  call("count_hinted", stream, policy, table, out);
  EXPECT_TRUE(report()["l2_persistence"]["windows"].empty()) << "taken back";
}

TEST_F(Counts, ABlockOfWhichOneWarpWorks) {
  call("count_one_warp", floats(32));
  const json l = launch();
  EXPECT_EQ(counter(l, "blocks_touching_global.sum"), 2);
  EXPECT_EQ(counter(l, "warps_touching_global.sum"), 2);
  EXPECT_EQ(counter(l, "warps_touching_global_per_block.min"), 1);
  EXPECT_EQ(counter(l, "warps_storing_shared.sum"), 2);
  EXPECT_EQ(counter(l, "shared_atomic_lanes.sum"), 192);
}

TEST_F(Counts, CopyGroupsInFlight) {
  const float* in = floats(256);
  float* out = floats(64);
  for (const int stages : {1, 2}) {
    call("count_groups", in, out, stages);
    const json l = launch();
    EXPECT_EQ(counter(l, "async_copy_bytes.sum"), 1024);
    EXPECT_EQ(buffer(l, in)["async_bytes"], 1024);
    EXPECT_EQ(buffer(l, in)["load"]["bytes"], 1024);
    EXPECT_EQ(counter(l, "async_waits.sum"), 3) << "four tiles, the last wait left out";
    EXPECT_EQ(counter(l, "async_bytes_outstanding.sum"), (stages - 1) * 3 * 256)
        << "a tile ahead at each wait";
    EXPECT_EQ(counter(l, "async_bytes_outstanding.max"), (stages - 1) * 256);
    EXPECT_EQ(counter(l, "async_copies_outstanding.sum"), (stages - 1) * 3 * 64);
  }
}

TEST_F(Counts, CopyGroupsBegunAfterTheWait) {
  const float* in = floats(256);
  float* out = floats(64);
  for (const bool in_time : {false, true}) {
    call("count_asked_after_wait", in, out, in_time);
    const json l = launch();
    EXPECT_EQ(counter(l, "async_copy_bytes.sum"), 1024);
    EXPECT_EQ(counter(l, "async_waits.sum"), 3) << "four tiles, the last wait left out";
    EXPECT_EQ(counter(l, "async_bytes_outstanding.sum"), in_time ? 3 * 256 : 0)
        << "what is begun before the tile is read is on its way while it is used";
    EXPECT_EQ(counter(l, "async_copies_outstanding.sum"), in_time ? 3 * 64 : 0);
  }
}

TEST_F(Counts, BulkCopiesAndTheirBarriers) {
  const float* in = floats(640);
  float* out = floats(64);
  for (const char* order : {"forward", "reversed"}) {  // the warp that begins the copies comes last, or first
    ASSERT_EQ(simgpu_configure((R"({"order": ")" + std::string(order) + "\"}").c_str()), 0);
    call("count_bulk", in, out, 5);
    const json l = launch();
    EXPECT_EQ(counter(l, "mbarriers.sum"), 2);
    EXPECT_EQ(counter(l, "mbarrier_inits.sum"), 2);
    EXPECT_EQ(counter(l, "mbarrier_inits.max"), 1);
    EXPECT_EQ(counter(l, "mbarrier_arrivals.sum"), 5);
    EXPECT_EQ(counter(l, "mbarrier_expect_bytes.sum"), 5 * 512);
    EXPECT_EQ(counter(l, "mbarrier_completions.sum"), 5);
    EXPECT_EQ(counter(l, "mbarrier_completions.min"), 2);
    EXPECT_EQ(counter(l, "bulk_bytes_load.sum"), 5 * 512);
    EXPECT_EQ(counter(l, "tensor_bytes_load.sum"), 0);
    EXPECT_EQ(counter(l, "bulk_bytes_delivered.sum"), 5 * 512);
    EXPECT_EQ(counter(l, "async_waits.sum"), 4) << order;
    EXPECT_EQ(counter(l, "async_bytes_outstanding.sum"), 4 * 512) << order;
    EXPECT_EQ(counter(l, "async_copies_outstanding.sum"), 4) << order;
    const json b = buffer(l, in);
    EXPECT_EQ(b["bulk_load_bytes"], 5 * 512);
    EXPECT_EQ(b["bulk_load_sectors"], 5 * 16);
    EXPECT_EQ(b["load"]["bytes"], 0);
    EXPECT_EQ(b["loaded_bytes"], 5 * 512);
  }
  ASSERT_EQ(simgpu_configure(R"({"order": "forward"})"), 0);
}

TEST_F(Counts, WaitsOfManyBlocksAreCountedOnce) {
  const float* in = floats(640);
  float* out = floats(64);
  constexpr int blocks = 1000;  // several live in each place, one after the other
  call("count_bulk_in_blocks", in, out, 5, blocks);
  const json l = launch();
  EXPECT_EQ(counter(l, "async_waits.sum"), 4 * blocks);
  EXPECT_EQ(counter(l, "async_bytes_outstanding.sum"), 4 * 512 * blocks);
}

TEST_F(Counts, ARingWithAProducerIsFullWhicheverWarpRunsAhead) {
  constexpr int tiles = 24;
  const float* in = floats(tiles * 128);
  float* out = floats(64);
  for (const char* order : {"forward", "reversed"}) {
    ASSERT_EQ(simgpu_configure((R"({"order": ")" + std::string(order) + "\"}").c_str()), 0);
    call("count_producer", in, out, tiles);
    const json l = launch();
    EXPECT_EQ(counter(l, "async_waits.sum"), tiles - 1) << order;
    // Three boxes beside the one that is used, and fewer at the end; the producer may come too late for one of them.
    EXPECT_GE(counter(l, "async_copies_outstanding.sum"), 2 * (tiles - 1) - 1) << order;
    EXPECT_LE(counter(l, "async_copies_outstanding.sum"), 3 * (tiles - 1)) << order;
    EXPECT_LE(counter(l, "async_bytes_outstanding.max"), 3 * 512) << order;
  }
  ASSERT_EQ(simgpu_configure(R"({"order": "forward"})"), 0);
}

TEST_F(Counts, TilesThatAreAllWaitedForBeforeOneIsUsed) {
  const float* in = floats(3 * 512);
  float* out = floats(64);
  for (const char* order : {"forward", "reversed"}) {
    ASSERT_EQ(simgpu_configure((R"({"order": ")" + std::string(order) + "\"}").c_str()), 0);
    for (const bool meet : {false, true}) {
      call("count_four_at_once", in, out, 3, meet);
      const json l = launch();
      EXPECT_EQ(counter(l, "async_waits.sum"), 11) << order << meet;
      EXPECT_EQ(counter(l, "async_copies_outstanding.sum"), 0)
          << "nothing comes while the four are used " << order << meet;
    }
  }
  ASSERT_EQ(simgpu_configure(R"({"order": "forward"})"), 0);
}

TEST_F(Counts, AMulticastLoadsOnceAndDeliversTwice) {
  const float* in = floats(64);
  ASSERT_EQ((call<cudaError_t>("count_share", in, floats(64))), cudaSuccess);
  const json l = launch();
  EXPECT_EQ(counter(l, "multicast_bytes_requested.sum"), 256);
  EXPECT_EQ(counter(l, "multicast_bytes_delivered.sum"), 512);
  EXPECT_EQ(counter(l, "bulk_bytes_load.sum"), 256);
  EXPECT_EQ(counter(l, "bulk_bytes_delivered.sum"), 512);
  EXPECT_EQ(buffer(l, in)["bulk_load_bytes"], 256);
  EXPECT_EQ(counter(l, "remote_shared_bytes_op_ld.sum"), 2 * 32 * 4);
}

TEST_F(Counts, TensorCopiesApart) {
  float* in = floats(128);
  ASSERT_EQ((call<int>("count_box", in, floats(128))), 0);
  const json l = launch();
  EXPECT_EQ(counter(l, "tensor_bytes_load.sum"), 512);
  EXPECT_EQ(counter(l, "tensor_swizzle_bytes_load.min"), 128);
  EXPECT_EQ(counter(l, "tensor_row_bytes_load.min"), 128);
  EXPECT_EQ(counter(l, "tensor_row_bytes_store.min"), 0);
  EXPECT_EQ(buffer(l, in)["tensor_load_bytes"], 512);
  EXPECT_EQ(buffer(l, in)["bulk_load_bytes"], 0);
}

}  // namespace
