/// @file
/// Lesson 5, "a CPU stage": frames are summed on the GPU, two in flight, and a function of the
/// host notes each sum when it has come down. Checks that the host was called once a frame, in
/// each stream's order, with the right sum.
#include "../../chapter2_shared_memory/listings/check.cuh"

constexpr int frame_length = 1024, frames = 6, slots = 2;

/// *sum = sum of one frame.
/// Launch contract: one block of 32 threads.
__global__ void frame_sum(const int* frame, int* sum) {
  int own = 0;
  for (int i = threadIdx.x; i < frame_length; i += 32) own += frame[i];
  for (int d = 16; d > 0; d /= 2) own += __shfl_xor_sync(0xffffffffu, own, d);
  if (threadIdx.x == 0) *sum = own;
}

// [slot]
/// All that one frame in flight needs. Nobody but this stream touches it.
struct slot {
  cudaStream_t stream = nullptr;
  int* device_frame = nullptr;
  int* device_sum = nullptr;
  int* sum = nullptr;      // page-locked
  std::vector<long> seen;  // what the host's stage has noted
};

/// The host's stage. The runtime calls it, in a thread of its own, when all before it on the
/// stream is done.
void note(void* data) {
  slot& mine = *static_cast<slot*>(data);
  mine.seen.push_back(*mine.sum);  // no CUDA call in here: it could wait for itself
}
// [slot]

// [loop]
/// Takes the frames in turn. Frame k uses slot k % slots, and the stream keeps a slot's frames
/// apart.
void run_frames(const int* source, slot* all) {
  for (int k = 0; k < frames; ++k) {
    slot& mine = all[k % slots];
    cudaMemcpyAsync(mine.device_frame, source + k * frame_length, frame_length * sizeof(int),
                    cudaMemcpyHostToDevice, mine.stream);
    frame_sum<<<1, 32, 0, mine.stream>>>(mine.device_frame, mine.device_sum);
    cudaMemcpyAsync(mine.sum, mine.device_sum, sizeof(int), cudaMemcpyDeviceToHost,
                    mine.stream);
    cudaLaunchHostFunc(mine.stream, note, &mine);
  }
}
// [loop]

int main() {
  int* source = nullptr;
  must(cudaHostAlloc(&source, frames * frame_length * sizeof(int), cudaHostAllocDefault),
       "cudaHostAlloc");
  long expected[frames] = {};
  for (int i = 0; i < frames * frame_length; ++i) {
    source[i] = i * 37 % 101 - 50;
    expected[i / frame_length] += source[i];
  }
  slot all[slots];
  for (slot& one : all) {
    must(cudaStreamCreateWithFlags(&one.stream, cudaStreamNonBlocking), "stream");
    must(cudaMalloc(&one.device_frame, frame_length * sizeof(int)), "cudaMalloc");
    must(cudaMalloc(&one.device_sum, sizeof(int)), "cudaMalloc");
    must(cudaHostAlloc(&one.sum, sizeof(int), cudaHostAllocDefault), "cudaHostAlloc");
  }
  run_frames(source, all);
  must(cudaDeviceSynchronize(), "all frames");

  bool right = true;
  for (int s = 0; s < slots; ++s) right = right && all[s].seen.size() == frames / slots;
  for (int k = 0; right && k < frames; ++k)
    right = all[k % slots].seen[k / slots] == expected[k];
  for (slot& one : all) {
    cudaStreamDestroy(one.stream);
    cudaFree(one.device_frame);
    cudaFree(one.device_sum);
    cudaFreeHost(one.sum);
  }
  cudaFreeHost(source);
  return verdict("frames summed, each noted once and in order", right);
}
