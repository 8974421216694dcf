// An assertion that fails is an error that stays; so is a trap. Each in a process of its own.
#include <sys/wait.h>
#include <unistd.h>

#include <cassert>
#include <cstring>

#include "program.hpp"

__global__ void fails(int n) {
  assert(int(threadIdx.x) < n);
}
__global__ void traps(int* p) {
  if (threadIdx.x == 3) __trap();
  if (p) *p = 1;
}

static int child(bool trap) {
  if (trap)
    traps<<<1, 32>>>(nullptr);
  else
    fails<<<1, 32>>>(7);
  const cudaError_t error = cudaDeviceSynchronize();
  if (error != (trap ? cudaErrorLaunchFailure : cudaErrorAssert)) return 2;
  void* p = nullptr;
  return cudaMalloc(&p, 16) == error ? 0 : 3;  // sticky
}

int main() {
  for (const bool trap : {false, true}) {
    const pid_t pid = fork();
    if (pid == 0) _exit(child(trap));
    int status = -1;
    EXPECT(waitpid(pid, &status, 0) == pid);
    EXPECT(WIFEXITED(status));
    EXPECT(WEXITSTATUS(status) == 0);
  }
  std::printf("ok\n");
  return 0;
}
