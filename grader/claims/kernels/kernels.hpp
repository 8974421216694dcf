/// @file
/// The measurements of this folder's files, one for each claim of list.cpp.
#pragma once

#include "claims/claim.hpp"

namespace course::claims {

// matrix_product.cu
outcome tiled_matrix_product(device& on);
outcome laptop_matrix_product(device& on);
outcome tile_accesses(device& on);
// strided_copy.cu
outcome strided_copy(device& on);
outcome chunk_walk(device& on);
// isolated_read.cu
outcome isolated_read(device& on);
outcome sectors_of_a_read(device& on);
// shared_against_global.cu
outcome shared_latency(device& on);
outcome shared_bandwidth(device& on);
outcome arithmetic_latency(device& on);
// stencil_reuse.cu
outcome stencil_reuse(device& on);
// bank_conflicts.cu
outcome conflicts_in_a_kernel(device& on);
outcome conflicts_alone(device& on);
// occupancy.cu
outcome occupancy_doubled(device& on);
// arithmetic_intensity.cu
outcome elementwise_intensity(device& on);
outcome ridge_point(device& on);
// host_link.cu
outcome pinned_upload(device& on);
// bulk_copies.cu
outcome bulk_instructions(device& on);

}  // namespace course::claims
