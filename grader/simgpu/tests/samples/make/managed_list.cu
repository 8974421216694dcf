/// @file
/// A list in unified memory, made by the host and walked by a kernel; classes with a new of their own.
#include "check.cuh"

struct Managed {
  void* operator new(size_t bytes) {
    void* memory = nullptr;
    CHECK(cudaMallocManaged(&memory, bytes));
    CHECK(cudaDeviceSynchronize());
    return memory;
  }
  void operator delete(void* memory) {
    cudaDeviceSynchronize();
    cudaFree(memory);
  }
};

struct Node : Managed {
  int value = 0;
  Node* next = nullptr;
};

__managed__ int sum;

__global__ void walk(Node* head) {
  int total = 0;
  for (Node* node = head; node != nullptr; node = node->next) {
    total += node->value;
    node->value *= 2;
  }
  sum = total;
}

int main() {
  Node* head = nullptr;
  for (int i = 1; i <= 50; ++i) {
    Node* node = new Node;
    node->value = i;
    node->next = head;
    head = node;
  }
  walk<<<1, 1>>>(head);
  CHECK_LAUNCH();
  bool right = sum == 1275;
  for (int expected = 100; head != nullptr; expected -= 2) {
    right = right && head->value == expected;
    Node* next = head->next;
    delete head;
    head = next;
  }
  return verdict(right);
}
