/// @file
/// The frame of every API function: one lock, a count by name, the sticky error, the last error.
#pragma once

#include <cuda_runtime_api.h>

#include <mutex>
#include <string>
#include <utility>

#include "simgpu/runtime/capture_mistakes.hpp"
#include "simgpu/runtime/handle_mistakes.hpp"
#include "simgpu/runtime/state.hpp"

namespace simgpu::runtime {

/// When a fault of an earlier kernel comes to light in a call.
enum class Faults : std::uint8_t {
  surface,  ///< the call reports it (nearly all calls)
  ignore,   ///< the call works on (queries that never touch a device)
};

/// Runs the body of API function @p name.
/// @param body called with the runtime, locked; returns a cudaError_t.
template <typename Body>
cudaError_t api(const char* name, Body&& body, Faults faults = Faults::surface) {
  Runtime& runtime = Runtime::get();
  const std::lock_guard lock(runtime.mutex);
  runtime.count_call(name);
  const Runtime::Call call(runtime, name);
  if (faults == Faults::surface) {
    if (const cudaError_t sticky = runtime.surface_fault(); sticky != cudaSuccess) {
      runtime.failed(name, sticky);
      return sticky;
    }
  }
  forget_missed_handles();
  cudaError_t error = runtime.planned_failure(name);
  if (error == cudaSuccess) error = std::forward<Body>(body)(runtime);
  if (faults == Faults::surface && (error == cudaSuccess || runtime.connection.hears_late()) &&
      runtime.connection.take_waited()) {
    if (const cudaError_t sticky = runtime.surface_fault(); sticky != cudaSuccess) error = sticky;
  }
  if (error != cudaSuccess && error != cudaErrorNotReady) {
    if (std::string mistake = capture_mistake(name, error); !mistake.empty())
      runtime.explain(error, std::move(mistake));
    else if (mistake = handle_mistake(name); !mistake.empty())
      runtime.explain(error, std::move(mistake));
    runtime.failed(name, error);
    runtime.set_last_error(error);
  }
  return error;
}

}  // namespace simgpu::runtime
