/// @file
/// The API without kernels. Expected answers were observed on an H200 with CUDA 13.0.
#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>
#include <simgpu/simgpu.h>

#include <cstring>
#include <numeric>
#include <vector>

namespace {

constexpr std::size_t kBytes = 1 << 20;

struct Api : testing::Test {
  void SetUp() override {
    cudaGetLastError();
    ASSERT_EQ(cudaMalloc(&device_, kBytes), cudaSuccess);
  }
  void TearDown() override { EXPECT_EQ(cudaFree(device_), cudaSuccess); }
  void* device_ = nullptr;
  char host_[4096] = {};
};

TEST_F(Api, CopiesThereAndBack) {
  std::vector<int> in(1000), out(1000);
  std::iota(in.begin(), in.end(), 7);
  ASSERT_EQ(cudaMemcpy(device_, in.data(), 4000, cudaMemcpyHostToDevice), cudaSuccess);
  void* other = nullptr;
  ASSERT_EQ(cudaMalloc(&other, 4000), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(other, device_, 4000, cudaMemcpyDeviceToDevice), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(out.data(), other, 4000, cudaMemcpyDefault), cudaSuccess);
  EXPECT_EQ(in, out);
  EXPECT_EQ(cudaFree(other), cudaSuccess);
}

TEST_F(Api, CopiesRowsWithPitches) {
  std::vector<char> in(10 * 7), out(10 * 9, 'x');
  std::iota(in.begin(), in.end(), 0);
  ASSERT_EQ(cudaMemcpy2D(device_, 512, in.data(), 10, 7, 7, cudaMemcpyHostToDevice), cudaSuccess);
  ASSERT_EQ(cudaMemcpy2D(out.data(), 9, device_, 512, 7, 7, cudaMemcpyDeviceToHost), cudaSuccess);
  for (int row = 0; row < 7; ++row) EXPECT_EQ(std::memcmp(&in[row * 10], &out[row * 9], 7), 0) << row;
  EXPECT_EQ(out[7], 'x');
  EXPECT_EQ(cudaMemcpy2D(device_, 100, in.data(), 200, 128, 4, cudaMemcpyHostToDevice),
            cudaErrorInvalidPitchValue);
}

TEST_F(Api, RefusesWhatHardwareRefuses) {
  char* const d = static_cast<char*>(device_);
  EXPECT_EQ(cudaMemcpy(d, d + 40, 2 * kBytes, cudaMemcpyDeviceToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(host_, d, 64, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(d, host_, 64, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(host_, host_ + 64, 64, cudaMemcpyDeviceToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(host_, host_ + 64, 64, cudaMemcpyDefault), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(host_, d, 64, static_cast<cudaMemcpyKind>(9)), cudaErrorInvalidMemcpyDirection);
  EXPECT_EQ(cudaMemcpy(nullptr, d, 64, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(d, nullptr, 64, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQ(cudaMemset(host_, 0, 64), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemset(d, 0, 2 * kBytes), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(d + 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(host_), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(nullptr), cudaSuccess);
  EXPECT_EQ(cudaFreeHost(host_), cudaErrorInvalidValue);
  void* p = host_;
  EXPECT_EQ(cudaMalloc(&p, 0), cudaSuccess);
  EXPECT_EQ(p, nullptr);
  EXPECT_EQ(cudaMalloc(&p, std::size_t{1} << 50), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaSetDevice(7), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaStreamDestroy(nullptr), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventDestroy(nullptr), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaDeviceEnablePeerAccess(0, 0), cudaErrorPeerAccessUnsupported);
  EXPECT_EQ(cudaGetLastError(), cudaErrorPeerAccessUnsupported);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(Api, TellsWhatAPointerIs) {
  cudaPointerAttributes a;
  ASSERT_EQ(cudaPointerGetAttributes(&a, host_), cudaSuccess);
  EXPECT_EQ(a.type, cudaMemoryTypeUnregistered);
  EXPECT_EQ(a.device, -2);
  ASSERT_EQ(cudaPointerGetAttributes(&a, static_cast<char*>(device_) + 12), cudaSuccess);
  EXPECT_EQ(a.type, cudaMemoryTypeDevice);
  EXPECT_EQ(a.hostPointer, nullptr);
  void* pinned = nullptr;
  ASSERT_EQ(cudaMallocHost(&pinned, 100), cudaSuccess);
  std::memset(pinned, 1, 100);
  ASSERT_EQ(cudaPointerGetAttributes(&a, pinned), cudaSuccess);
  EXPECT_EQ(a.type, cudaMemoryTypeHost);
  EXPECT_EQ(a.devicePointer, pinned);
  ASSERT_EQ(cudaFreeHost(pinned), cudaSuccess);
  void* managed = nullptr;
  ASSERT_EQ(cudaMallocManaged(&managed, 100, cudaMemAttachGlobal), cudaSuccess);
  std::memset(managed, 1, 100);
  ASSERT_EQ(cudaPointerGetAttributes(&a, managed), cudaSuccess);
  EXPECT_EQ(a.type, cudaMemoryTypeManaged);
  ASSERT_EQ(cudaFree(managed), cudaSuccess);
}

TEST_F(Api, RegistersHostMemoryOnce) {
  EXPECT_EQ(cudaHostRegister(host_, 4096, 0), cudaSuccess);
  EXPECT_EQ(cudaHostRegister(host_, 4096, 0), cudaErrorHostMemoryAlreadyRegistered);
  void* mapped = nullptr;
  EXPECT_EQ(cudaHostGetDevicePointer(&mapped, host_, 0), cudaSuccess);
  EXPECT_EQ(cudaHostUnregister(host_), cudaSuccess);
  EXPECT_EQ(cudaHostUnregister(host_), cudaErrorHostMemoryNotRegistered);
  EXPECT_EQ(cudaHostRegister(host_, 4096, 0), cudaSuccess) << "registered a second time after its release";
  EXPECT_EQ(cudaHostUnregister(host_), cudaSuccess);
}

TEST_F(Api, EventsReadTheModelledClock) {
  cudaEvent_t begin, end, untimed;
  ASSERT_EQ(cudaEventCreate(&begin), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&end), cudaSuccess);
  ASSERT_EQ(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming), cudaSuccess);
  float ms = -1;
  EXPECT_EQ(cudaEventElapsedTime(&ms, begin, end), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventQuery(begin), cudaSuccess);
  void* pinned = nullptr;
  ASSERT_EQ(cudaMallocHost(&pinned, kBytes), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(begin, nullptr), cudaSuccess);
  ASSERT_EQ(cudaMemcpyAsync(device_, pinned, kBytes, cudaMemcpyHostToDevice, nullptr), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(end, nullptr), cudaSuccess);
  EXPECT_EQ(cudaEventElapsedTime(&ms, begin, end), cudaErrorNotReady);
  EXPECT_EQ(cudaEventQuery(end), cudaErrorNotReady);
  ASSERT_EQ(cudaEventSynchronize(end), cudaSuccess);
  ASSERT_EQ(cudaEventElapsedTime(&ms, begin, end), cudaSuccess);
  EXPECT_NEAR(ms, 1e3 * 12 * kBytes / 55.0e9, 0.01);  // the slice has a twelfth of the link
  ASSERT_EQ(cudaEventRecord(untimed, nullptr), cudaSuccess);
  EXPECT_EQ(cudaEventElapsedTime(&ms, begin, untimed), cudaErrorInvalidResourceHandle);
  for (const cudaEvent_t event : {begin, end, untimed}) EXPECT_EQ(cudaEventDestroy(event), cudaSuccess);
  EXPECT_EQ(cudaFreeHost(pinned), cudaSuccess);
}

TEST_F(Api, TwoStreamsOverlapBothDirectionsOfTheLink) {
  cudaStream_t up, down;
  ASSERT_EQ(cudaStreamCreateWithFlags(&up, cudaStreamNonBlocking), cudaSuccess);
  ASSERT_EQ(cudaStreamCreateWithFlags(&down, cudaStreamNonBlocking), cudaSuccess);
  cudaEvent_t begin, end, joined;
  for (cudaEvent_t* event : {&begin, &end, &joined}) ASSERT_EQ(cudaEventCreate(event), cudaSuccess);
  // Large, since the second call comes as much later as the first one takes the host.
  constexpr std::size_t kLarge = 16 * kBytes;
  char *pinned = nullptr, *memory = nullptr;
  ASSERT_EQ(cudaMallocHost(reinterpret_cast<void**>(&pinned), kLarge), cudaSuccess);
  ASSERT_EQ(cudaMalloc(reinterpret_cast<void**>(&memory), kLarge), cudaSuccess);
  cudaDeviceSynchronize();
  cudaEventRecord(begin, up);
  cudaMemcpyAsync(memory, pinned, kLarge / 2, cudaMemcpyHostToDevice, up);
  cudaMemcpyAsync(pinned + kLarge / 2, memory + kLarge / 2, kLarge / 2, cudaMemcpyDeviceToHost, down);
  cudaEventRecord(joined, down);
  cudaStreamWaitEvent(up, joined, 0);
  cudaEventRecord(end, up);
  cudaEventSynchronize(end);
  float ms = 0;
  ASSERT_EQ(cudaEventElapsedTime(&ms, begin, end), cudaSuccess);
  const double one_way = 1e3 * 12 * (kLarge / 2) / 55.1e9;
  EXPECT_NEAR(ms / one_way, 1.094, 0.03);
  EXPECT_EQ(cudaFreeHost(pinned), cudaSuccess);
  EXPECT_EQ(cudaFree(memory), cudaSuccess);
  cudaStreamDestroy(up), cudaStreamDestroy(down);
  for (const cudaEvent_t event : {begin, end, joined}) cudaEventDestroy(event);
}

TEST_F(Api, HostFunctionsRunInOrder) {
  cudaStream_t stream;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  char seen = 0;
  struct Job {
    char* host;
    char* seen;
  } job{host_, &seen};
  cudaMemsetAsync(device_, 42, 16, stream);
  cudaMemcpyAsync(host_, device_, 16, cudaMemcpyDeviceToHost, stream);
  ASSERT_EQ(cudaLaunchHostFunc(
                stream, [](void* p) { *static_cast<Job*>(p)->seen = *static_cast<Job*>(p)->host; }, &job),
            cudaSuccess);
  cudaStreamSynchronize(stream);
  EXPECT_EQ(seen, 42);
  cudaStreamDestroy(stream);
}

TEST_F(Api, ACapturedCopyRunsWhenTheGraphIsLaunched) {
  cudaStream_t stream;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  void* pinned = nullptr;
  ASSERT_EQ(cudaMallocHost(&pinned, 16), cudaSuccess);
  std::memset(pinned, 0, 16);
  cudaMemset(device_, 9, 16);
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
  ASSERT_EQ(cudaMemcpyAsync(pinned, device_, 16, cudaMemcpyDeviceToHost, stream), cudaSuccess);
  EXPECT_EQ(static_cast<char*>(pinned)[0], 0);
  cudaGraph_t graph;
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  cudaGraphExec_t instance;
  ASSERT_EQ(cudaGraphInstantiate(&instance, graph, 0), cudaSuccess);
  ASSERT_EQ(cudaGraphLaunch(instance, stream), cudaSuccess);
  cudaStreamSynchronize(stream);
  EXPECT_EQ(static_cast<char*>(pinned)[0], 9);
  cudaGraphExecDestroy(instance), cudaGraphDestroy(graph), cudaStreamDestroy(stream), cudaFreeHost(pinned);
}

TEST_F(Api, ACaptureThatHasNowhereToGoEndsAllTheSame) {
  cudaStream_t stream;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  EXPECT_EQ(cudaStreamEndCapture(stream, nullptr), cudaErrorInvalidValue);
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
  ASSERT_EQ(cudaMemsetAsync(device_, 1, 16, stream), cudaSuccess);
  EXPECT_EQ(cudaStreamEndCapture(stream, nullptr), cudaErrorInvalidValue);
  cudaStreamCaptureStatus status;
  ASSERT_EQ(cudaStreamIsCapturing(stream, &status), cudaSuccess);
  EXPECT_EQ(status, cudaStreamCaptureStatusNone);
  // Into a graph that the program has, it needs no handle.
  cudaGraph_t graph;
  ASSERT_EQ(cudaGraphCreate(&graph, 0), cudaSuccess);
  ASSERT_EQ(cudaStreamBeginCaptureToGraph(stream, graph, nullptr, nullptr, 0, cudaStreamCaptureModeGlobal),
            cudaSuccess);
  ASSERT_EQ(cudaMemsetAsync(device_, 1, 16, stream), cudaSuccess);
  EXPECT_EQ(cudaStreamEndCapture(stream, nullptr), cudaSuccess);
  std::size_t count = 0;
  ASSERT_EQ(cudaGraphGetNodes(graph, nullptr, &count), cudaSuccess);
  EXPECT_EQ(count, 1u);
  cudaGraphDestroy(graph), cudaStreamDestroy(stream);
  cudaGetLastError();
}

TEST_F(Api, DescribesAnH200Slice) {
  cudaDeviceProp p;
  ASSERT_EQ(cudaGetDeviceProperties(&p, 0), cudaSuccess);
  EXPECT_EQ(p.major * 10 + p.minor, 90);
  EXPECT_EQ(p.multiProcessorCount, 11);
  EXPECT_EQ(p.l2CacheSize, 5 << 20);
  EXPECT_EQ(p.sharedMemPerBlockOptin, 232448u);
  int value = 0;
  ASSERT_EQ(cudaDeviceGetAttribute(&value, cudaDevAttrMaxThreadsPerMultiProcessor, 0), cudaSuccess);
  EXPECT_EQ(value, 2048);
  EXPECT_EQ(cudaDeviceGetAttribute(&value, static_cast<cudaDeviceAttr>(5000), 0), cudaErrorInvalidValue);
}

TEST_F(Api, PoolsAllocateInStreamOrder) {
  void* p = nullptr;
  ASSERT_EQ(cudaMallocAsync(&p, 1000, nullptr), cudaSuccess);
  ASSERT_EQ(cudaMemsetAsync(p, 0, 1000, nullptr), cudaSuccess);
  cudaMemPool_t pool;
  ASSERT_EQ(cudaDeviceGetDefaultMemPool(&pool, 0), cudaSuccess);
  std::uint64_t used = 0;
  ASSERT_EQ(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used), cudaSuccess);
  EXPECT_EQ(used, 1000u);
  ASSERT_EQ(cudaFreeAsync(p, nullptr), cudaSuccess);
  EXPECT_EQ(cudaFreeAsync(p, nullptr), cudaErrorInvalidValue) << "a second free must not pass";
}

TEST_F(Api, DriverEntryPointsAreNotFound) {
  void* function = &function;
  cudaDriverEntryPointQueryResult result;
  EXPECT_EQ(cudaGetDriverEntryPointByVersion("cuMemAlloc", &function, 12000, 0, &result), cudaSuccess);
  EXPECT_EQ(function, nullptr);
  EXPECT_EQ(result, cudaDriverEntryPointSymbolNotFound);
}

TEST_F(Api, SayInASentenceWhatWasWrong) {
  simgpu_take_report();
  cudaMemcpy(host_, device_, 64, cudaMemcpyHostToDevice);
  const std::string report = simgpu_take_report();
  EXPECT_NE(report.find("Are the arguments in the right order?"), std::string::npos) << report;
}

TEST(Errors, HaveNamesAndSentences) {
  EXPECT_STREQ(cudaGetErrorName(cudaErrorIllegalAddress), "cudaErrorIllegalAddress");
  EXPECT_STREQ(cudaGetErrorString(cudaErrorIllegalAddress), "an illegal memory access was encountered");
  EXPECT_STREQ(cudaGetErrorString(static_cast<cudaError_t>(12345)), "unrecognized error code");
}

TEST(HostFault, ReadingADevicePointerOnTheHostIsExplained) {
  int* device = nullptr;
  ASSERT_EQ(cudaMalloc(reinterpret_cast<void**>(&device), 400), cudaSuccess);
  EXPECT_DEATH(
      {
        volatile int x = device[3];
        (void)x;
      },
      "device");
  cudaFree(device);
}

TEST(Configure, AcceptsWhatIsDocumentedAndNothingElse) {
  EXPECT_EQ(simgpu_configure(
                R"({"checks": false, "order": "reversed", "warp_instruction_limit": 4e9, "timing": true})"),
            0);
  EXPECT_EQ(simgpu_configure(R"({"order": "sideways"})"), -1);
  EXPECT_EQ(simgpu_configure(R"({"cheks": true})"), -1);
  EXPECT_EQ(simgpu_configure("[]"), -1);
  EXPECT_EQ(simgpu_configure("{"), -1);
  EXPECT_EQ(simgpu_configure(nullptr), -1);
  EXPECT_EQ(simgpu_configure(R"({"checks": true, "order": "forward"})"), 0);
}

}  // namespace
