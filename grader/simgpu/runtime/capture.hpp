/// @file
/// What a program must not do while streams are being captured. A wrong call spoils the capture: nothing can be added to it any more,
/// and cudaStreamEndCapture gives no graph.
#pragma once

#include "simgpu/runtime/state.hpp"

namespace simgpu::runtime {

/// For calls that could wait for, or depend on, captured work unseen: allocation, release, waiting, queries.
/// @return cudaErrorStreamCaptureUnsupported if a capture forbids them to this thread, which spoils it; else cudaSuccess.
cudaError_t refuse_unsafe(Runtime& runtime);

/// For work in a device's legacy default stream, which would have to wait for captured work of blocking streams.
/// @return cudaErrorStreamCaptureImplicit if there is such a capture; else cudaSuccess.
cudaError_t refuse_legacy(Runtime& runtime, const Stream& stream, bool spoils = true);

/// Spoils every capture on the current device. @return whether there was one.
bool spoil_captures_of_device(Runtime& runtime);

/// Spoils the capture of @p stream, if it is in one, when @p error is one. @return @p error.
cudaError_t spoil_on(cudaError_t error, Stream& stream);

/// The program destroys @p stream. If it was in a capture, its work there has to be joined all the same; and the capture that began with
/// it ends, without a graph, as on an H200.
/// @return whether that is lost
bool leave_capture(Runtime& runtime, const Stream& stream);

/// @return whether nothing can be added to the capture of @p stream any more.
bool is_spoilt(const Stream& stream);

}  // namespace simgpu::runtime
