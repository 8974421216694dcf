// Launches that nobody waits for, on memory that the host shares. The host touches it before it has waited, which is a race each time and
// meant here; and each time it sees what the kernel has written. Memory that no kernel knows of can be given to the system meanwhile.
#include "program.hpp"

#include <unistd.h>

#include <thread>

namespace {

constexpr int kCount = 1 << 12, kRounds = 4;

struct Node {
  int value;
  Node* next;
  char rest[4096 - 16];
};

__global__ void add(int* p, int value) {
  p[blockIdx.x * blockDim.x + threadIdx.x] += value;
}

__global__ void add_by_table(int* const* table, int which, int value) {
  table[which][blockIdx.x * blockDim.x + threadIdx.x] += value;
}

__global__ void add_to_list(Node* node, int value) {
  for (; node != nullptr; node = node->next) {
    node->value += value;
    for (char& each : node->rest) each = 1;
  }
}

void managed() {
  int* p = nullptr;
  CHECK(cudaMallocManaged(&p, kCount * sizeof *p));
  for (int i = 0; i < kCount; ++i) p[i] = 0;
  for (int round = 1; round <= kRounds; ++round) {
    add<<<kCount / 256, 256>>>(p, 1);
    if (round % 2 == 0) EXPECT(p[kCount - 1] == round);  // too early
    CHECK(cudaDeviceSynchronize());
    EXPECT(p[0] == round);
  }
  // By another thread, while this one waits.
  add<<<kCount / 256, 256>>>(p, 1);
  std::thread other([&] { EXPECT(p[1] == kRounds + 1); });
  other.join();
  CHECK(cudaFree(p));
}

void by_table() {
  int *first = nullptr, *second = nullptr, **table = nullptr;
  CHECK(cudaMallocHost(&first, kCount * sizeof *first));
  CHECK(cudaMallocHost(&second, kCount * sizeof *second));
  CHECK(cudaMalloc(&table, 2 * sizeof *table));
  int* const both[] = {first, second};
  CHECK(cudaMemcpy(table, both, sizeof both, cudaMemcpyHostToDevice));
  for (int i = 0; i < kCount; ++i) first[i] = second[i] = 0;
  for (int round = 1; round <= kRounds; ++round) {
    add_by_table<<<kCount / 256, 256>>>(table, 0, 1);
    if (round == kRounds) EXPECT(first[0] == round);  // too early
    CHECK(cudaStreamSynchronize(nullptr));
    EXPECT(first[kCount - 1] == round);
  }
  CHECK(cudaFreeHost(first));
  CHECK(cudaFreeHost(second));
  CHECK(cudaFree(table));
}

void list() {
  Node *a = nullptr, *b = nullptr;
  CHECK(cudaMallocManaged(&a, sizeof *a));
  CHECK(cudaMallocManaged(&b, sizeof *b));
  a->value = b->value = 0;
  a->next = b;
  b->next = nullptr;
  for (int round = 1; round <= kRounds; ++round) {
    add_to_list<<<1, 1>>>(a, 1);
    if (round == 3) EXPECT(b->value == round);  // too early, and its address is no parameter
    CHECK(cudaDeviceSynchronize());
    EXPECT(a->value == round && b->value == round);
  }
  CHECK(cudaFree(a));
  CHECK(cudaFree(b));
}

/// Staging memory on its way to a file while kernels work on other memory.
void beside() {
  int *device = nullptr, *staging = nullptr;
  CHECK(cudaMalloc(&device, kCount * sizeof *device));
  CHECK(cudaMemset(device, 0, kCount * sizeof *device));
  CHECK(cudaMallocHost(&staging, kCount * sizeof *staging));
  staging[0] = 7;
  int through[2], got = 0;
  EXPECT(pipe(through) == 0);
  for (int round = 0; round < kRounds; ++round) {
    add<<<kCount / 256, 256>>>(device, 1);
    EXPECT(write(through[1], staging, sizeof got) == sizeof got);
    EXPECT(read(through[0], staging + 1, sizeof got) == sizeof got);
    EXPECT(staging[1] == 7);
  }
  close(through[0]);
  close(through[1]);
  CHECK(cudaMemcpy(staging, device, kCount * sizeof *device, cudaMemcpyDeviceToHost));
  EXPECT(staging[0] == kRounds);
  CHECK(cudaFree(device));
  CHECK(cudaFreeHost(staging));
}

}  // namespace

int main() {
  managed();
  by_table();
  list();
  beside();
  return ok();
}
