/// @file
/// The variants of the API for programs built with --default-stream per-thread: stream 0 is the calling thread's own.
#include "simgpu/runtime/per_thread_stream.hpp"
#include "simgpu/runtime/api.hpp"

using simgpu::runtime::PerThreadScope;

// The header declares these names only where it renames the plain ones.
#define SIMGPU_PER_THREAD(variant, name, parameters, arguments) \
  extern "C" cudaError_t variant parameters {                   \
    const PerThreadScope scope;                                 \
    return name arguments;                                      \
  }

// clang-format off
SIMGPU_PER_THREAD(cudaEventRecordWithFlags_ptsz, cudaEventRecordWithFlags,
  (cudaEvent_t event, cudaStream_t stream, unsigned int flags),
  (event, stream, flags))
SIMGPU_PER_THREAD(cudaEventRecord_ptsz, cudaEventRecord,
  (cudaEvent_t event, cudaStream_t stream),
  (event, stream))
SIMGPU_PER_THREAD(cudaFreeAsync_ptsz, cudaFreeAsync,
  (void *devPtr, cudaStream_t hStream),
  (devPtr, hStream))
SIMGPU_PER_THREAD(cudaGetDriverEntryPointByVersion_ptsz, cudaGetDriverEntryPointByVersion,
  (const char *symbol, void **funcPtr, unsigned int cudaVersion, unsigned long long flags, cudaDriverEntryPointQueryResult *driverStatus),
  (symbol, funcPtr, cudaVersion, flags, driverStatus))
SIMGPU_PER_THREAD(cudaGetDriverEntryPoint_ptsz, cudaGetDriverEntryPoint,
  (const char *symbol, void **funcPtr, unsigned long long flags, cudaDriverEntryPointQueryResult *driverStatus),
  (symbol, funcPtr, flags, driverStatus))
SIMGPU_PER_THREAD(cudaGraphLaunch_ptsz, cudaGraphLaunch,
  (cudaGraphExec_t graphExec, cudaStream_t stream),
  (graphExec, stream))
SIMGPU_PER_THREAD(cudaGraphUpload_ptsz, cudaGraphUpload,
  (cudaGraphExec_t graphExec, cudaStream_t stream),
  (graphExec, stream))
SIMGPU_PER_THREAD(cudaLaunchCooperativeKernel_ptsz, cudaLaunchCooperativeKernel,
  (const void *func, dim3 gridDim, dim3 blockDim, void **args, size_t sharedMem, cudaStream_t stream),
  (func, gridDim, blockDim, args, sharedMem, stream))
SIMGPU_PER_THREAD(cudaLaunchHostFunc_ptsz, cudaLaunchHostFunc,
  (cudaStream_t stream, cudaHostFn_t fn, void *userData),
  (stream, fn, userData))
SIMGPU_PER_THREAD(cudaLaunchKernelExC_ptsz, cudaLaunchKernelExC,
  (const cudaLaunchConfig_t *config, const void *func, void **args),
  (config, func, args))
SIMGPU_PER_THREAD(cudaLaunchKernel_ptsz, cudaLaunchKernel,
  (const void *func, dim3 gridDim, dim3 blockDim, void **args, size_t sharedMem, cudaStream_t stream),
  (func, gridDim, blockDim, args, sharedMem, stream))
SIMGPU_PER_THREAD(cudaMallocAsync_ptsz, cudaMallocAsync,
  (void **devPtr, size_t size, cudaStream_t hStream),
  (devPtr, size, hStream))
SIMGPU_PER_THREAD(cudaMallocFromPoolAsync_ptsz, cudaMallocFromPoolAsync,
  (void **ptr, size_t size, cudaMemPool_t memPool, cudaStream_t stream),
  (ptr, size, memPool, stream))
SIMGPU_PER_THREAD(cudaMemPrefetchAsync_ptsz, cudaMemPrefetchAsync,
  (const void *devPtr, size_t count, cudaMemLocation location, unsigned int flags, cudaStream_t stream),
  (devPtr, count, location, flags, stream))
SIMGPU_PER_THREAD(cudaMemcpy2DAsync_ptsz, cudaMemcpy2DAsync,
  (void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t stream),
  (dst, dpitch, src, spitch, width, height, kind, stream))
SIMGPU_PER_THREAD(cudaMemcpy2D_ptds, cudaMemcpy2D,
  (void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height, cudaMemcpyKind kind),
  (dst, dpitch, src, spitch, width, height, kind))
SIMGPU_PER_THREAD(cudaMemcpy2DArrayToArray_ptds, cudaMemcpy2DArrayToArray,
  (cudaArray_t dst, size_t xd, size_t yd, cudaArray_const_t src, size_t xs, size_t ys, size_t width, size_t height, cudaMemcpyKind kind),
  (dst, xd, yd, src, xs, ys, width, height, kind))
SIMGPU_PER_THREAD(cudaMemcpy2DToArray_ptds, cudaMemcpy2DToArray,
  (cudaArray_t dst, size_t x, size_t y, const void *src, size_t pitch, size_t width, size_t height, cudaMemcpyKind kind),
  (dst, x, y, src, pitch, width, height, kind))
SIMGPU_PER_THREAD(cudaMemcpy2DToArrayAsync_ptsz, cudaMemcpy2DToArrayAsync,
  (cudaArray_t dst, size_t x, size_t y, const void *src, size_t pitch, size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t stream),
  (dst, x, y, src, pitch, width, height, kind, stream))
SIMGPU_PER_THREAD(cudaMemcpy2DFromArray_ptds, cudaMemcpy2DFromArray,
  (void *dst, size_t pitch, cudaArray_const_t src, size_t x, size_t y, size_t width, size_t height, cudaMemcpyKind kind),
  (dst, pitch, src, x, y, width, height, kind))
SIMGPU_PER_THREAD(cudaMemcpy2DFromArrayAsync_ptsz, cudaMemcpy2DFromArrayAsync,
  (void *dst, size_t pitch, cudaArray_const_t src, size_t x, size_t y, size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t stream),
  (dst, pitch, src, x, y, width, height, kind, stream))
SIMGPU_PER_THREAD(cudaMemcpy3DAsync_ptsz, cudaMemcpy3DAsync,
  (const cudaMemcpy3DParms *p, cudaStream_t stream),
  (p, stream))
SIMGPU_PER_THREAD(cudaMemcpy3D_ptds, cudaMemcpy3D,
  (const cudaMemcpy3DParms *p),
  (p))
SIMGPU_PER_THREAD(cudaMemcpyAsync_ptsz, cudaMemcpyAsync,
  (void *dst, const void *src, size_t count, cudaMemcpyKind kind, cudaStream_t stream),
  (dst, src, count, kind, stream))
SIMGPU_PER_THREAD(cudaMemcpyBatchAsync_ptsz, cudaMemcpyBatchAsync,
  (void *const *dsts, const void *const *srcs, const size_t *sizes, size_t count, cudaMemcpyAttributes *attrs, size_t *attrsIdxs, size_t numAttrs, cudaStream_t stream),
  (dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs, stream))
SIMGPU_PER_THREAD(cudaMemcpyFromSymbolAsync_ptsz, cudaMemcpyFromSymbolAsync,
  (void *dst, const void *symbol, size_t count, size_t offset, cudaMemcpyKind kind, cudaStream_t stream),
  (dst, symbol, count, offset, kind, stream))
SIMGPU_PER_THREAD(cudaMemcpyFromSymbol_ptds, cudaMemcpyFromSymbol,
  (void *dst, const void *symbol, size_t count, size_t offset, cudaMemcpyKind kind),
  (dst, symbol, count, offset, kind))
SIMGPU_PER_THREAD(cudaMemcpyToSymbolAsync_ptsz, cudaMemcpyToSymbolAsync,
  (const void *symbol, const void *src, size_t count, size_t offset, cudaMemcpyKind kind, cudaStream_t stream),
  (symbol, src, count, offset, kind, stream))
SIMGPU_PER_THREAD(cudaMemcpyToSymbol_ptds, cudaMemcpyToSymbol,
  (const void *symbol, const void *src, size_t count, size_t offset, cudaMemcpyKind kind),
  (symbol, src, count, offset, kind))
SIMGPU_PER_THREAD(cudaMemcpy_ptds, cudaMemcpy,
  (void *dst, const void *src, size_t count, cudaMemcpyKind kind),
  (dst, src, count, kind))
SIMGPU_PER_THREAD(cudaMemset2DAsync_ptsz, cudaMemset2DAsync,
  (void *devPtr, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream),
  (devPtr, pitch, value, width, height, stream))
SIMGPU_PER_THREAD(cudaMemset2D_ptds, cudaMemset2D,
  (void *devPtr, size_t pitch, int value, size_t width, size_t height),
  (devPtr, pitch, value, width, height))
SIMGPU_PER_THREAD(cudaMemset3DAsync_ptsz, cudaMemset3DAsync,
  (cudaPitchedPtr pitchedDevPtr, int value, cudaExtent extent, cudaStream_t stream),
  (pitchedDevPtr, value, extent, stream))
SIMGPU_PER_THREAD(cudaMemset3D_ptds, cudaMemset3D,
  (cudaPitchedPtr pitchedDevPtr, int value, cudaExtent extent),
  (pitchedDevPtr, value, extent))
SIMGPU_PER_THREAD(cudaMemsetAsync_ptsz, cudaMemsetAsync,
  (void *devPtr, int value, size_t count, cudaStream_t stream),
  (devPtr, value, count, stream))
SIMGPU_PER_THREAD(cudaMemset_ptds, cudaMemset,
  (void *devPtr, int value, size_t count),
  (devPtr, value, count))
SIMGPU_PER_THREAD(cudaStreamAddCallback_ptsz, cudaStreamAddCallback,
  (cudaStream_t stream, cudaStreamCallback_t callback, void *userData, unsigned int flags),
  (stream, callback, userData, flags))
SIMGPU_PER_THREAD(cudaStreamAttachMemAsync_ptsz, cudaStreamAttachMemAsync,
  (cudaStream_t stream, void *devPtr, size_t length, unsigned int flags),
  (stream, devPtr, length, flags))
SIMGPU_PER_THREAD(cudaStreamBeginCapture_ptsz, cudaStreamBeginCapture,
  (cudaStream_t stream, cudaStreamCaptureMode mode),
  (stream, mode))
SIMGPU_PER_THREAD(cudaStreamCopyAttributes_ptsz, cudaStreamCopyAttributes,
  (cudaStream_t dstStream, cudaStream_t srcStream),
  (dstStream, srcStream))
SIMGPU_PER_THREAD(cudaStreamEndCapture_ptsz, cudaStreamEndCapture,
  (cudaStream_t stream, cudaGraph_t *pGraph),
  (stream, pGraph))
SIMGPU_PER_THREAD(cudaStreamGetAttribute_ptsz, cudaStreamGetAttribute,
  (cudaStream_t stream, cudaStreamAttrID attr, cudaStreamAttrValue *value),
  (stream, attr, value))
SIMGPU_PER_THREAD(cudaStreamGetDevice_ptsz, cudaStreamGetDevice,
  (cudaStream_t hStream, int *device),
  (hStream, device))
SIMGPU_PER_THREAD(cudaStreamGetFlags_ptsz, cudaStreamGetFlags,
  (cudaStream_t hStream, unsigned int *flags),
  (hStream, flags))
SIMGPU_PER_THREAD(cudaStreamGetId_ptsz, cudaStreamGetId,
  (cudaStream_t hStream, unsigned long long *streamId),
  (hStream, streamId))
SIMGPU_PER_THREAD(cudaStreamGetPriority_ptsz, cudaStreamGetPriority,
  (cudaStream_t hStream, int *priority),
  (hStream, priority))
SIMGPU_PER_THREAD(cudaStreamIsCapturing_ptsz, cudaStreamIsCapturing,
  (cudaStream_t stream, cudaStreamCaptureStatus *pCaptureStatus),
  (stream, pCaptureStatus))
SIMGPU_PER_THREAD(cudaStreamQuery_ptsz, cudaStreamQuery,
  (cudaStream_t stream),
  (stream))
SIMGPU_PER_THREAD(cudaStreamSetAttribute_ptsz, cudaStreamSetAttribute,
  (cudaStream_t stream, cudaStreamAttrID attr, const cudaStreamAttrValue *param),
  (stream, attr, param))
SIMGPU_PER_THREAD(cudaStreamSynchronize_ptsz, cudaStreamSynchronize,
  (cudaStream_t stream),
  (stream))
SIMGPU_PER_THREAD(cudaStreamWaitEvent_ptsz, cudaStreamWaitEvent,
  (cudaStream_t stream, cudaEvent_t event, unsigned int flags),
  (stream, event, flags))
SIMGPU_PER_THREAD(cudaMemcpy3DPeer_ptds, cudaMemcpy3DPeer,
  (const cudaMemcpy3DPeerParms *p),
  (p))
SIMGPU_PER_THREAD(cudaMemcpy3DPeerAsync_ptsz, cudaMemcpy3DPeerAsync,
  (const cudaMemcpy3DPeerParms *p, cudaStream_t stream),
  (p, stream))
SIMGPU_PER_THREAD(cudaMemcpyToArray_ptds, cudaMemcpyToArray,
  (cudaArray_t dst, size_t x, size_t y, const void *src, size_t count, cudaMemcpyKind kind),
  (dst, x, y, src, count, kind))
SIMGPU_PER_THREAD(cudaMemcpyToArrayAsync_ptsz, cudaMemcpyToArrayAsync,
  (cudaArray_t dst, size_t x, size_t y, const void *src, size_t count, cudaMemcpyKind kind, cudaStream_t stream),
  (dst, x, y, src, count, kind, stream))
SIMGPU_PER_THREAD(cudaMemcpyFromArray_ptds, cudaMemcpyFromArray,
  (void *dst, cudaArray_const_t src, size_t x, size_t y, size_t count, cudaMemcpyKind kind),
  (dst, src, x, y, count, kind))
SIMGPU_PER_THREAD(cudaMemcpyFromArrayAsync_ptsz, cudaMemcpyFromArrayAsync,
  (void *dst, cudaArray_const_t src, size_t x, size_t y, size_t count, cudaMemcpyKind kind, cudaStream_t stream),
  (dst, src, x, y, count, kind, stream))
SIMGPU_PER_THREAD(cudaMemcpyArrayToArray_ptds, cudaMemcpyArrayToArray,
  (cudaArray_t dst, size_t xd, size_t yd, cudaArray_const_t src, size_t xs, size_t ys, size_t count, cudaMemcpyKind kind),
  (dst, xd, yd, src, xs, ys, count, kind))
SIMGPU_PER_THREAD(cudaStreamGetCaptureInfo_ptsz, cudaStreamGetCaptureInfo,
  (cudaStream_t stream, cudaStreamCaptureStatus *status, unsigned long long *id, cudaGraph_t *graph,
   const cudaGraphNode_t **nodes, const cudaGraphEdgeData **edges, size_t *count),
  (stream, status, id, graph, nodes, edges, count))
SIMGPU_PER_THREAD(cudaStreamUpdateCaptureDependencies_ptsz, cudaStreamUpdateCaptureDependencies,
  (cudaStream_t stream, cudaGraphNode_t *nodes, const cudaGraphEdgeData *edges, size_t count, unsigned int flags),
  (stream, nodes, edges, count, flags))
SIMGPU_PER_THREAD(cudaStreamBeginCaptureToGraph_ptsz, cudaStreamBeginCaptureToGraph,
  (cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t *nodes, const cudaGraphEdgeData *edges, size_t count,
   cudaStreamCaptureMode mode),
  (stream, graph, nodes, edges, count, mode))
SIMGPU_PER_THREAD(cudaGraphInstantiateWithParams_ptsz, cudaGraphInstantiateWithParams,
  (cudaGraphExec_t *instance, cudaGraph_t graph, cudaGraphInstantiateParams *parameters),
  (instance, graph, parameters))
SIMGPU_PER_THREAD(cudaMemPrefetchBatchAsync_ptsz, cudaMemPrefetchBatchAsync,
  (void **pointers, size_t *sizes, size_t count, cudaMemLocation *locations, size_t *first, size_t location_count,
   unsigned long long flags, cudaStream_t stream),
  (pointers, sizes, count, locations, first, location_count, flags, stream))
SIMGPU_PER_THREAD(cudaMemDiscardBatchAsync_ptsz, cudaMemDiscardBatchAsync,
  (void **pointers, size_t *sizes, size_t count, unsigned long long flags, cudaStream_t stream),
  (pointers, sizes, count, flags, stream))
SIMGPU_PER_THREAD(cudaMemDiscardAndPrefetchBatchAsync_ptsz, cudaMemDiscardAndPrefetchBatchAsync,
  (void **pointers, size_t *sizes, size_t count, cudaMemLocation *locations, size_t *first, size_t location_count,
   unsigned long long flags, cudaStream_t stream),
  (pointers, sizes, count, locations, first, location_count, flags, stream))
// clang-format on
