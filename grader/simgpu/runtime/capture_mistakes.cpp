/// @file
/// See capture_mistakes.hpp.
#include "simgpu/runtime/capture_mistakes.hpp"

#include <string_view>

namespace simgpu::runtime {

std::string capture_mistake(const char* call, cudaError_t error) {
  const std::string_view name = call;
  if (name.starts_with("cudaStreamIsCapturing") || name.starts_with("cudaStreamGetCaptureInfo")) return {};
  switch (error) {
    case cudaErrorStreamCaptureUnsupported:
      if (name == "cudaStreamBeginCapture") {
        return "cudaStreamBeginCapture was given the default stream, which cannot be captured: take one of "
               "cudaStreamCreate.";
      }
      return std::string(call) +
             " cannot be part of a graph, and was called while a stream was being captured; that spoils the "
             "capture. Call it before cudaStreamBeginCapture or behind cudaStreamEndCapture.";
    case cudaErrorStreamCaptureImplicit:
      return std::string(call) +
             " uses the default stream, which waits for the stream that is being captured; that spoils the "
             "capture. Give it the captured stream, or call it before cudaStreamBeginCapture or behind "
             "cudaStreamEndCapture.";
    case cudaErrorStreamCaptureUnjoined:
      return "The capture took in a second stream, and the first does not wait for it in the end: record an "
             "event behind the second's work, and let the first wait for it (cudaStreamWaitEvent) before "
             "cudaStreamEndCapture.";
    case cudaErrorStreamCaptureUnmatched:
      return std::string(call) +
             " ends a capture on a stream that was drawn into it later: give it the stream of "
             "cudaStreamBeginCapture.";
    case cudaErrorStreamCaptureWrongThread:
      return std::string(call) +
             " ends a capture that another host thread began: end it in the same thread, or begin it with "
             "cudaStreamCaptureModeRelaxed.";
    default:  // cudaErrorStreamCaptureInvalidated: the call that spoilt it has been named
      return {};
  }
}

}  // namespace simgpu::runtime
