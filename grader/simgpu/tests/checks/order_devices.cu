/// @file
/// What orders the work of two devices: the host's waits, events, and copies between the two that wait for both. Default streams of
/// different devices do not wait for each other. With one device there is nothing to see.
#include "order.hpp"

constexpr int kCount = 1 << 10;
constexpr int kBytes = kCount * sizeof(int);

__global__ void number(int* y, int offset) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = i + offset;  //~ numbered
}
__global__ void add_one(int* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] += 1;  //! numbered
}

/// Memory of each of two devices, that see each other's; goes once both are done.
struct Two {
  Two() {
    for (int device = 0; device < 2; ++device) {
      cudaSetDevice(device);
      cudaDeviceEnablePeerAccess(1 - device, 0);
      cudaMalloc(&of[device], kBytes);
      cudaMemset(of[device], 0, kBytes);
      cudaDeviceSynchronize();
    }
    cudaSetDevice(0);
  }
  ~Two() {
    for (int device = 0; device < 2; ++device) {
      cudaSetDevice(device);
      cudaDeviceSynchronize();
      cudaFree(of[device]);
      cudaDeviceDisablePeerAccess(1 - device);
    }
    cudaSetDevice(0);
  }
  int* of[2];
};

bool is_alone() {
  int devices = 0;
  cudaGetDeviceCount(&devices);
  return devices < 2;
}

void number_on(int device, int* y) {
  cudaSetDevice(device);
  number<<<kCount / 256, 256>>>(y, 1);
}
void add_on(int device, int* y) {
  cudaSetDevice(device);
  add_one<<<kCount / 256, 256>>>(y);
}
bool is(const int* y, int offset) {
  std::vector<int> all(kCount);
  cudaMemcpy(all.data(), y, kBytes, cudaMemcpyDeviceToHost);
  for (int i = 0; i < kCount; ++i)
    if (all[i] != i + offset) return false;
  return true;
}

// Two kernels on the two default streams.
template <typename Between>
bool two_default_streams(Between between) {
  if (is_alone()) return true;
  Two memory;
  number_on(0, memory.of[0]);
  between();
  add_on(1, memory.of[0]);
  cudaDeviceSynchronize();
  return is(memory.of[0], 2);
}
bool sound_host_waits_for_the_first_device() {
  return two_default_streams([] { cudaDeviceSynchronize(); });
}
bool sound_event_of_the_other_device() {
  cudaEvent_t event;
  cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
  const bool right = two_default_streams([&] {
    cudaEventRecord(event);
    cudaSetDevice(1);
    cudaStreamWaitEvent(nullptr, event, 0);
  });
  cudaEventDestroy(event);
  return right;
}
bool default_streams_of_two_devices() {
  return two_default_streams([] {});
}
bool host_waits_for_the_wrong_device() {
  return two_default_streams([] {
    cudaSetDevice(1);
    cudaDeviceSynchronize();
  });
}

// A copy between the two comes after all that both have been given, and before all that they are given later, in whichever streams.
template <typename Copy>
bool copied_between(Copy copy, unsigned flags = cudaStreamNonBlocking) {
  if (is_alone()) return true;
  Two memory;
  {
    Streams s(flags);  // of device 0
    number<<<kCount / 256, 256, 0, s.a>>>(memory.of[0], 1);
    number_on(1, memory.of[1]);
    copy(memory.of[1], memory.of[0]);
    add_on(1, memory.of[1]);
    cudaSetDevice(0);
    add_one<<<kCount / 256, 256, 0, s.b>>>(memory.of[0]);
  }
  cudaSetDevice(1);
  cudaDeviceSynchronize();
  return is(memory.of[0], 2) && is(memory.of[1], 2);
}
bool sound_peer_copy() {
  return copied_between([](int* to, const int* from) { cudaMemcpyPeer(to, 1, from, 0, kBytes); });
}
bool sound_plain_copy() {
  return copied_between(
      [](int* to, const int* from) { cudaMemcpy(to, from, kBytes, cudaMemcpyDeviceToDevice); });
}
bool sound_peer_copy_by_the_other_device() {
  return copied_between([](int* to, const int* from) {
    cudaSetDevice(0);
    cudaMemcpyPeer(to, 1, from, 0, kBytes);
  });
}
bool sound_box_copy() {
  return copied_between([](int* to, const int* from) {
    cudaMemcpy3DPeerParms box = {};
    box.srcPtr = make_cudaPitchedPtr(const_cast<int*>(from), kBytes, kBytes, 1);
    box.dstPtr = make_cudaPitchedPtr(to, kBytes, kBytes, 1);
    box.dstDevice = 1;
    box.extent = make_cudaExtent(kBytes, 1, 1);
    cudaMemcpy3DPeer(&box);
  });
}
// The asynchronous one is in the order of its stream only.
bool asynchronous_peer_copy() {
  if (is_alone()) return true;
  Two memory;
  number_on(0, memory.of[0]);
  cudaSetDevice(1);
  cudaMemcpyPeerAsync(memory.of[1], 1, memory.of[0], 0, kBytes, nullptr);
  cudaDeviceSynchronize();
  return true;
}
// Memory is freed once its own device has done with it, whichever the calling thread's is.
bool sound_freed_from_the_other_device() {
  if (is_alone()) return true;
  int* y;
  cudaMalloc(&y, kBytes);
  number_on(0, y);
  cudaSetDevice(1);
  cudaFree(y);
  cudaMalloc(&y, kBytes);
  number_on(1, y);
  cudaDeviceSynchronize();
  const bool right = is(y, 1);
  cudaFree(y);
  return right;
}

const Case cases[] = {
    CASE(sound_host_waits_for_the_first_device),
    CASE(sound_event_of_the_other_device),
    CASE(default_streams_of_two_devices),
    CASE(host_waits_for_the_wrong_device),
    CASE(sound_peer_copy),
    CASE(sound_plain_copy),
    CASE(sound_peer_copy_by_the_other_device),
    CASE(sound_box_copy),
    CASE(asynchronous_peer_copy),
    CASE(sound_freed_from_the_other_device),
};

int main(int argc, char** argv) {
  return run_cases(cases, argc, argv);
}
