/// @file
/// Driver entry points, libraries, what is rarely called, reset.
#pragma once

#include "answers.hpp"

void misc() {
  void* f;
  cudaDriverEntryPointQueryResult q;
  P(cudaGetDriverEntryPointByVersion("cuGetErrorString", &f, 12000, cudaEnableDefault, &q));
  V(q);
  P(cudaGetDriverEntryPointByVersion("cuNonsense", &f, 12000, cudaEnableDefault, &q));
  V(q);
  V(f == nullptr);
  P(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &f, 11000, cudaEnableDefault, &q));
  V(q);
  P(cudaGetDriverEntryPointByVersion("cuMemAlloc", &f, 99000, cudaEnableDefault, &q));
  V(q);
  cudaIpcMemHandle_t ih;
  int* d;
  cudaMalloc(&d, 64);
  P(cudaIpcGetMemHandle(&ih, d));
  P(cudaIpcGetMemHandle(&ih, &hostvar));
  cudaEvent_t e;
  cudaEventCreateWithFlags(&e, cudaEventInterprocess | cudaEventDisableTiming);
  cudaIpcEventHandle_t eh;
  P(cudaIpcGetEventHandle(&eh, e));
  const char* ptx =
      ".version 9.0\n.target sm_90\n.address_size 64\n.visible .global .align 4 .u32 gv;\n.visible .entry "
      "k(.param .u64 p){ .reg .b64 %rd<3>; .reg .b32 %r<2>; ld.param.u64 %rd1,[p]; cvta.to.global.u64 "
      "%rd2,%rd1; mov.u32 %r1, 42; st.global.u32 [%rd2], %r1; ret; }\n";
  cudaLibrary_t lib;
  P(cudaLibraryLoadData(&lib, ptx, nullptr, nullptr, 0, nullptr, nullptr, 0));
  cudaKernel_t k;
  P(cudaLibraryGetKernel(&k, lib, "k"));
  P(cudaLibraryGetKernel(&k, lib, "nope"));
  P(cudaLibraryGetKernel(&k, lib, "k"));
  void* args[] = {&d};
  P(cudaLaunchKernel((void*)k, dim3(1), dim3(1), args, 0, 0));
  int v = 0;
  P(cudaMemcpy(&v, d, 4, cudaMemcpyDeviceToHost));
  V(v);
  void* gp;
  size_t gs;
  P(cudaLibraryGetGlobal(&gp, &gs, lib, "gv"));
  V(gs);
  P(cudaLibraryGetGlobal(&gp, &gs, lib, "nope"));
  P(cudaLibraryGetManaged(&gp, &gs, lib, "gv"));
  unsigned c;
  P(cudaLibraryGetKernelCount(&c, lib));
  V(c);
  cudaKernel_t ks[2];
  P(cudaLibraryEnumerateKernels(ks, 2, lib));
  P(cudaKernelSetAttributeForDevice(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536, 0));
  const char* nm;
  P(cudaFuncGetName(&nm, (const void*)k));
  printf("%s\n", nm);
  P(cudaLibraryUnload(lib));
  P(cudaLibraryLoadData(&lib, "garbage", nullptr, nullptr, 0, nullptr, nullptr, 0));
  P(cudaLibraryLoadData(
      &lib, ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(){ bogus.u32 %r1; }\n", nullptr,
      nullptr, 0, nullptr, nullptr, 0));
  P(cudaLibraryLoadFromFile(&lib, "/nonexistent.cubin", nullptr, nullptr, 0, nullptr, nullptr, 0));
  P(cudaLibraryLoadData(&lib, nullptr, nullptr, nullptr, 0, nullptr, nullptr, 0));
  cudaExternalMemory_t em;
  cudaExternalMemoryHandleDesc hd = {};
  P(cudaImportExternalMemory(&em, &hd));
  cudaGraphicsResource_t r;
  (void)r;
  P(cudaGraphicsMapResources(0, nullptr, 0));
  P(cudaGraphicsUnregisterResource(nullptr));
  cudaLogIterator li;
  P(cudaLogsCurrent(&li, 0));
  char buf[64];
  size_t bs = 64;
  P(cudaLogsDumpToMemory(&li, buf, &bs, 0));
  int at;
  P(cudaDeviceGetAttribute(&at, cudaDevAttrClockRate, 0));
  cudaAtomicOperation ops[1] = {cudaAtomicOperationIntegerAdd};
  unsigned cap[1];
  P(cudaDeviceGetHostAtomicCapabilities(cap, ops, 1, 0));
  void* nn;
  P(cudaDeviceGetNvSciSyncAttributes(&nn, 0, 0));
  cudaArray_t arr;
  cudaChannelFormatDesc cd = cudaCreateChannelDesc<float>();
  P(cudaMallocArray(&arr, &cd, 64, 64));
  cudaArrayMemoryRequirements mr;
  P(cudaArrayGetMemoryRequirements(&mr, arr, 0));
  cudaArraySparseProperties sp;
  P(cudaArrayGetSparseProperties(&sp, arr));
  cudaArray_t pl;
  P(cudaArrayGetPlane(&pl, arr, 0));
  P(cudaFreeArray(arr));
  P(cudaDeviceReset());
  P(cudaMemcpy(&v, d, 4, cudaMemcpyDeviceToHost));
  P(cudaMalloc(&d, 64));
  writes<<<1, 16>>>(d, 16);
  P(cudaDeviceSynchronize());
  P(cudaMemcpy(&v, d + 15, 4, cudaMemcpyDeviceToHost));
  V(v);
  P(cudaMemcpyFromSymbol(&v, dvar, 4));
  V(v);
  P(cudaDeviceReset());
  P(cudaDeviceReset());
}
