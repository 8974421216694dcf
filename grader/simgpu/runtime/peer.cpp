/// @file
/// Peer access between simulated devices (SIMGPU_DEVICES).
#include "simgpu/runtime/api.hpp"

using namespace simgpu::runtime;

extern "C" {

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  return api("cudaDeviceCanAccessPeer", [&](Runtime& runtime) -> cudaError_t {
    if (can == nullptr) return cudaErrorInvalidValue;
    if (!runtime.valid_device(device) || !runtime.valid_device(peer)) return cudaErrorInvalidDevice;
    *can = device != peer ? 1 : 0;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags) {
  return api("cudaDeviceEnablePeerAccess", [&](Runtime& runtime) -> cudaError_t {
    if (!runtime.valid_device(peer)) return cudaErrorInvalidDevice;
    if (flags != 0) return cudaErrorInvalidValue;
    if (peer == runtime.current()) return cudaErrorPeerAccessUnsupported;
    return runtime.current_device().peers.insert(peer).second ? cudaSuccess
                                                              : cudaErrorPeerAccessAlreadyEnabled;
  });
}

cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  return api("cudaDeviceDisablePeerAccess", [&](Runtime& runtime) -> cudaError_t {
    if (!runtime.valid_device(peer)) return cudaErrorInvalidDevice;
    return runtime.current_device().peers.erase(peer) != 0 ? cudaSuccess : cudaErrorPeerAccessNotEnabled;
  });
}

cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr attribute, int from, int to) {
  return api("cudaDeviceGetP2PAttribute", [&](Runtime& runtime) -> cudaError_t {
    if (value == nullptr) return cudaErrorInvalidValue;
    if (!runtime.valid_device(from) || !runtime.valid_device(to) || from == to) return cudaErrorInvalidDevice;
    switch (attribute) {
      case cudaDevP2PAttrPerformanceRank:
        *value = 0;
        return cudaSuccess;
      case cudaDevP2PAttrAccessSupported:
      case cudaDevP2PAttrNativeAtomicSupported:
        *value = 1;
        return cudaSuccess;
      case cudaDevP2PAttrCudaArrayAccessSupported:
        *value = 0;
        return cudaSuccess;
      default:
        return cudaErrorInvalidValue;
    }
  });
}

}  // extern "C"
