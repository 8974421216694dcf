/// @file
/// Error codes: last error, names, sentences.
#include "simgpu/runtime/api.hpp"

using namespace simgpu::runtime;

namespace {

struct ErrorText {
  int code;
  const char* name;
  const char* text;
};

// Names and sentences as the CUDA runtime gives them.
constexpr ErrorText kErrors[] = {
#define E(code, name, text) {code, name, text},
#include "simgpu/runtime/error_texts.def"
#undef E
};

const ErrorText* find(cudaError_t code) {
  for (const ErrorText& error : kErrors) {
    if (error.code == code) return &error;
  }
  return nullptr;
}

}  // namespace

extern "C" {

cudaError_t cudaGetLastError(void) {
  Runtime& runtime = Runtime::get();
  const std::lock_guard lock(runtime.mutex);
  runtime.count_call("cudaGetLastError");
  const cudaError_t error = runtime.last_error();
  // Cleared even after a fault of a kernel: it is the next call to the device that reports the fault again.
  runtime.set_last_error(cudaSuccess);
  return error;
}

cudaError_t cudaPeekAtLastError(void) {
  Runtime& runtime = Runtime::get();
  const std::lock_guard lock(runtime.mutex);
  runtime.count_call("cudaPeekAtLastError");
  return runtime.last_error();
}

const char* cudaGetErrorName(cudaError_t error) {
  const ErrorText* known = find(error);
  return known != nullptr ? known->name : "unrecognized error code";
}

// The driver's own log of what went wrong. The simulator says it elsewhere, so this one stays empty.
cudaError_t cudaLogsRegisterCallback(cudaLogsCallback_t callback, void*, cudaLogsCallbackHandle* handle) {
  return api("cudaLogsRegisterCallback", [&](Runtime&) -> cudaError_t {
    if (callback == nullptr) return cudaErrorInvalidValue;
    if (handle != nullptr) *handle = nullptr;
    return cudaSuccess;
  });
}

cudaError_t cudaLogsUnregisterCallback(cudaLogsCallbackHandle) {
  return api("cudaLogsUnregisterCallback", [&](Runtime&) -> cudaError_t { return cudaSuccess; });
}

cudaError_t cudaLogsCurrent(cudaLogIterator* iterator, unsigned int flags) {
  return api("cudaLogsCurrent", [&](Runtime&) -> cudaError_t {
    if (iterator == nullptr || flags != 0) return cudaErrorInvalidValue;
    *iterator = 0;
    return cudaSuccess;
  });
}

cudaError_t cudaLogsDumpToMemory(cudaLogIterator*, char* buffer, size_t* bytes, unsigned int flags) {
  return api("cudaLogsDumpToMemory", [&](Runtime&) -> cudaError_t {
    if (buffer == nullptr || bytes == nullptr || *bytes == 0 || flags != 0) return cudaErrorInvalidValue;
    *buffer = '\0';
    *bytes = 0;
    return cudaSuccess;
  });
}

const char* cudaGetErrorString(cudaError_t error) {
  const ErrorText* known = find(error);
  return known != nullptr ? known->text : "unrecognized error code";
}

}  // extern "C"
