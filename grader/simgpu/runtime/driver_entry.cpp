/// @file
/// Driver entry points by name. The simulator has no driver library: every name is answered with "not found", which is
/// how libraries learn to do without. (cuTensorMapEncodeTiled will be found here once tensor maps are simulated.)
#include "simgpu/runtime/api.hpp"

using namespace simgpu::runtime;

namespace {

cudaError_t not_found(Runtime&, const char* symbol, void** function, cudaDriverEntryPointQueryResult* result) {
  if (symbol == nullptr || function == nullptr) return cudaErrorInvalidValue;
  *function = nullptr;
  if (result != nullptr) *result = cudaDriverEntryPointSymbolNotFound;
  return cudaSuccess;
}

}  // namespace

extern "C" {

cudaError_t cudaGetDriverEntryPointByVersion(const char* symbol, void** function, unsigned int, unsigned long long,
                                             cudaDriverEntryPointQueryResult* result) {
  return api("cudaGetDriverEntryPointByVersion",
             [&](Runtime& runtime) { return not_found(runtime, symbol, function, result); });
}

// Not declared by the header of CUDA 13 any more, but exported by its library.
cudaError_t cudaGetDriverEntryPoint(const char* symbol, void** function, unsigned long long,
                                    cudaDriverEntryPointQueryResult* result) {
  return api("cudaGetDriverEntryPoint",
             [&](Runtime& runtime) { return not_found(runtime, symbol, function, result); });
}

}  // extern "C"
