/// @file
/// What the worker runs on, in the words of `hello`.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace course::worker {

/// Starts the device (context, driver threads) and describes it.
/// @param measure_link also measures the host link, which takes some milliseconds and page-locked memory.
/// @return {device, reason} and, when there is a device, {properties, simulated, link_bytes_per_second}.
nlohmann::json start_device(bool measure_link);

/// Takes back what a program may have set to keep its data in L2: the persisting part, and the stream's
/// access window. Errors are ignored: not every device has these.
void reset_persisting_l2(void* stream);

}  // namespace course::worker
