/// @file
/// Stream capture, and what is forbidden meanwhile.
#pragma once

#include "answers.hpp"

#define BEGIN P(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal))
#define END                                                                                              \
  do {                                                                                                   \
    cudaGraph_t gx = nullptr;                                                                            \
    cudaError_t e_ = cudaStreamEndCapture(s, &gx);                                                       \
    size_t c_ = 0;                                                                                       \
    if (gx) cudaGraphGetNodes(gx, nullptr, &c_);                                                         \
    cudaError_t l_ = cudaGetLastError();                                                                 \
    printf("end capture -> %s last %s graph %d nodes %zu\n", cudaGetErrorName(e_), cudaGetErrorName(l_), \
           gx != nullptr, c_);                                                                           \
    if (gx) cudaGraphDestroy(gx);                                                                        \
    cudaGetLastError();                                                                                  \
  } while (0)

void capture() {
  int *d, *d2;
  static int h[1024];
  cudaMalloc(&d, 4096);
  cudaMalloc(&d2, 4096);
  cudaStream_t s, t;
  cudaStreamCreate(&s);
  cudaStreamCreate(&t);
  cudaGraph_t g = nullptr;
  cudaEvent_t e, f;
  cudaEventCreate(&e);
  cudaEventCreate(&f);
  cudaStreamCaptureStatus st;
  unsigned long long id;
  const cudaGraphNode_t* deps;
  size_t nd;
  cudaGraph_t gg;
  const cudaGraphEdgeData* ed;
  P(cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal));
  P(cudaStreamEndCapture(s, &g));
  BEGIN;
  BEGIN;
  END;
  BEGIN;
  P(cudaStreamIsCapturing(s, &st));
  V(st);
  P(cudaStreamIsCapturing(0, &st));
  P(cudaStreamGetCaptureInfo(s, &st, &id, &gg, &deps, &ed, &nd));
  V(nd);
  V(id > 0);
  adds<<<1, 32, 0, s>>>(d, 32);
  P(cudaStreamGetCaptureInfo(s, &st, &id, &gg, &deps, &ed, &nd));
  V(nd);
  P(cudaStreamGetCaptureInfo(s, &st, &id));
  P(cudaStreamGetCaptureInfo(t, &st, &id));
  V(st);
  END;
  BEGIN;
  P(cudaStreamSynchronize(s));
  P(cudaStreamIsCapturing(s, &st));
  V(st);
  adds<<<1, 32, 0, s>>>(d, 32);
  P(cudaGetLastError());
  END;
  BEGIN;
  P(cudaDeviceSynchronize());
  END;
  BEGIN;
  P(cudaStreamQuery(s));
  END;
  BEGIN;
  void* v;
  P(cudaMalloc(&v, 64));
  END;
  BEGIN;
  P(cudaFree(d2));
  END;
  cudaMalloc(&d2, 4096);
  BEGIN;
  P(cudaMemcpy(d, h, 16, cudaMemcpyHostToDevice));
  END;
  BEGIN;
  P(cudaMemset(d, 0, 16));
  END;
  BEGIN;
  P(cudaMemcpyAsync(d, h, 16, cudaMemcpyHostToDevice, 0));
  END;
  BEGIN;
  adds<<<1, 32>>>(d, 32);
  P(cudaGetLastError());
  END;
  BEGIN;
  P(cudaMemcpyAsync(d, h, 16, cudaMemcpyHostToDevice, t));
  P(cudaStreamSynchronize(t));
  END;
  BEGIN;
  P(cudaEventRecord(e, t));
  P(cudaEventQuery(e));
  P(cudaEventSynchronize(e));
  END;
  BEGIN;
  P(cudaEventRecord(e, s));
  P(cudaEventQuery(e));
  END;
  BEGIN;
  P(cudaEventRecord(e, s));
  P(cudaEventSynchronize(e));
  END;
  P(cudaEventQuery(e));
  P(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
  P(cudaMalloc(&v, 64));
  END;
  P(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
  P(cudaMalloc(&v, 64));
  P(cudaFree(v));
  P(cudaStreamSynchronize(t));
  P(cudaMemset(d, 0, 16));
  P(cudaDeviceSynchronize());
  END;
  BEGIN;
  adds<<<1, 32, 0, s>>>(d, 32);
  P(cudaEventRecord(e, s));
  P(cudaStreamWaitEvent(t, e, 0));
  adds<<<1, 32, 0, t>>>(d2, 32);
  P(cudaEventRecord(f, t));
  P(cudaStreamWaitEvent(s, f, 0));
  adds<<<1, 32, 0, s>>>(d, 32);
  P(cudaStreamEndCapture(t, &g));
  END;
  BEGIN;
  P(cudaEventRecord(e, s));
  P(cudaStreamWaitEvent(t, e, 0));
  adds<<<1, 32, 0, t>>>(d2, 32);
  P(cudaStreamIsCapturing(t, &st));
  V(st);
  END;
  P(cudaStreamIsCapturing(t, &st));
  V(st);
  BEGIN;
  P(cudaStreamWaitEvent(s, f, 0));
  END;
  BEGIN;
  P(cudaEventRecord(f, t));
  P(cudaStreamWaitEvent(s, f, 0));
  END;
  BEGIN;
  int n = 0;
  P(cudaStreamAddCallback(s, cb, &n, 0));
  END;
  BEGIN;
  P(cudaLaunchHostFunc(s, hostfn, &n));
  V(n);
  END;
  V(n);
  BEGIN;
  P(cudaMallocAsync(&v, 256, s));
  P(cudaMemsetAsync(v, 0, 256, s));
  P(cudaMemcpyAsync(h, v, 256, cudaMemcpyDeviceToHost, s));
  P(cudaFreeAsync(v, s));
  END;
  BEGIN;
  P(cudaMemcpyToSymbolAsync(dvar, h, 40, 0, cudaMemcpyHostToDevice, s));
  P(cudaMemset2DAsync(d, 64, 1, 32, 4, s));
  P(cudaMemcpy2DAsync(h, 64, d, 64, 32, 4, cudaMemcpyDeviceToHost, s));
  P(cudaMemcpyPeerAsync(d, 0, d2, 0, 64, s));
  END;
  BEGIN;
  P(cudaStreamDestroy(s));
  cudaStreamCreate(&s);
  P(cudaStreamIsCapturing(s, &st));
  V(st);
  END;
  BEGIN;
  cudaFuncAttributes fa;
  P(cudaFuncGetAttributes(&fa, nop));
  int dev;
  P(cudaGetDevice(&dev));
  size_t fr, to;
  P(cudaMemGetInfo(&fr, &to));
  int o;
  P(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&o, nop, 32, 0));
  P(cudaFuncSetAttribute(dyn, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536));
  P(cudaPointerGetAttributes((cudaPointerAttributes*)&fa, d));
  END;
  BEGIN;
  P(cudaMallocManaged(&v, 64));
  END;
  BEGIN;
  nop<<<1, 2000, 0, s>>>();
  P(cudaGetLastError());
  adds<<<1, 32, 0, s>>>(d, 32);
  P(cudaGetLastError());
  END;
  cudaStream_t w;
  cudaStreamCreateWithFlags(&w, cudaStreamNonBlocking);
  P(cudaStreamBeginCapture(w, cudaStreamCaptureModeGlobal));
  adds<<<1, 32>>>(d, 32);
  P(cudaGetLastError());
  P(cudaMemcpyAsync(d, h, 16, cudaMemcpyHostToDevice, 0));
  P(cudaStreamEndCapture(w, &g));
  cudaStreamCaptureMode m = cudaStreamCaptureModeRelaxed;
  P(cudaThreadExchangeStreamCaptureMode(&m));
  V(m);
  BEGIN;
  P(cudaMalloc(&v, 64));
  END;
  P(cudaThreadExchangeStreamCaptureMode(&m));
  V(m);
  P(cudaStreamBeginCapture(cudaStreamPerThread, cudaStreamCaptureModeGlobal));
  P(cudaStreamEndCapture(cudaStreamPerThread, &g));
  cudaGraph_t into;
  cudaGraphCreate(&into, 0);
  P(cudaStreamBeginCaptureToGraph(s, into, nullptr, nullptr, 0, cudaStreamCaptureModeGlobal));
  adds<<<1, 32, 0, s>>>(d, 32);
  P(cudaStreamEndCapture(s, &g));
  V(g == into);
  size_t c1;
  cudaGraphGetNodes(into, nullptr, &c1);
  V(c1);
}
