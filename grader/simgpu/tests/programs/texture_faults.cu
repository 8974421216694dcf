// What goes wrong with textures and surfaces is an error of the launch, not a wrong value. Each in a process of its own.
#include <sys/wait.h>
#include <unistd.h>

#include "program.hpp"

__global__ void write_beyond(cudaSurfaceObject_t s, int x) {
  surf2Dwrite(1, s, x * 4, 0);
}
__global__ void fetch(cudaTextureObject_t t, int* out) {
  *out = tex2D<int>(t, 0.5f, 0.5f);
}

static int child(int which) {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
  cudaArray_t array = nullptr;
  CHECK(cudaMallocArray(&array, &format, 8, 8, cudaArraySurfaceLoadStore));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaSurfaceObject_t s = 0;
  CHECK(cudaCreateSurfaceObject(&s, &resource));
  cudaTextureDesc description = {};
  cudaTextureObject_t t = 0;
  CHECK(cudaCreateTextureObject(&t, &resource, &description, nullptr));
  int* out = nullptr;
  CHECK(cudaMalloc(&out, sizeof(int)));
  if (which == 0) write_beyond<<<1, 1>>>(s, 8);  // the ninth texel of a row of eight
  if (which == 1) {
    CHECK(cudaDestroyTextureObject(t));
    fetch<<<1, 1>>>(t, out);
  }
  if (which == 2) {
    CHECK(cudaFreeArray(array));
    fetch<<<1, 1>>>(t, out);
  }
  if (which == 3) {
    write_beyond<<<1, 1>>>(s, 7);
    fetch<<<1, 1>>>(t, out);
    return cudaDeviceSynchronize() == cudaSuccess ? 0 : 2;
  }
  return cudaDeviceSynchronize() != cudaSuccess ? 0 : 1;
}

int main() {
  for (int which = 0; which < 4; ++which) {
    const pid_t pid = fork();
    if (pid == 0) _exit(child(which));
    int status = -1;
    EXPECT(waitpid(pid, &status, 0) == pid);
    EXPECT(WIFEXITED(status));
    EXPECT(WEXITSTATUS(status) == 0);
  }
  std::printf("ok\n");
  return 0;
}
