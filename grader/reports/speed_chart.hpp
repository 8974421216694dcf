/// @file
/// How fast each attempt was, under the roof that the memory sets: one bar an attempt.
///
/// A classic roofline has floating-point operations a byte on its lower axis. Memory kernels have next to none, and nobody counts them here,
/// so this one shows what is known: the bytes that the task needs, a second (the filled part), and on top of them the bytes that crossed the
/// memory bus besides (hatched). The roof bounds both together. What is between a bar and the roof is time in which the bus waited.
#pragma once

#include <string>
#include <vector>

#include "records/attempts.hpp"
#include "reports/outcome.hpp"

namespace course::reports {

/// SVG of one benchmark's attempts, with the reference, its pass gate and limit mark, and the memory's roof where bytes are counted. Attempts
/// on another kind of device are left out: their roof is another.
/// @param[in] attempts all of them, the oldest first; numbers in the picture are places in this list, from 1.
/// @param[in] id unique in the page.
/// @return empty if nothing was timed.
std::string speed_chart(const result& r, const measurement& m, const std::vector<attempt>& attempts,
                        const std::string& id);

}  // namespace course::reports
