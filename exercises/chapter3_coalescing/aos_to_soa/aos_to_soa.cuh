/// @file
/// Contract of aos_to_soa: the two functions that `aos_to_soa.cu` provides, and the record that they take apart
/// and put together. Never edited: the grader puts its own copy on the include path. No CUDA header is included,
/// so that nvcc and a host compiler both read it.
#pragma once

#include <cstddef>

/// The CUDA runtime's stream handle; declared here so that no CUDA header is needed.
typedef struct CUstream_st* cudaStream_t;

/// One particle of an array of structures: six floats side by side, 24 bytes, no padding.
struct particle {
  float x, y, z;     ///< position
  float vx, vy, vz;  ///< velocity
};
static_assert(sizeof(particle) == 24, "six floats and nothing between them");

extern "C" {

/// @brief Takes records apart: x[i] = records[i].x, y[i] = records[i].y, and so on for all six fields.
///
/// Predicted traffic: 24 @p n bytes read and 24 @p n bytes written, each once; the grader counts 48 @p n bytes as
/// moved. Of the bytes of all sectors that the kernels load, at least nine tenths are asked for; the same for
/// what they store. Kernels of this file do the work: copies of the runtime do not count.
///
/// @param[in]  records Particles. Device memory, shape @p n records of 24 bytes. records[0] is aligned to 128
///                     bytes, so every record is aligned to 8. Read only: must be unchanged afterwards.
/// @param[out] x       Field x of each particle. Device memory, shape @p n floats, aligned to 128 bytes. Holds
///                     arbitrary values before the call. No two of the seven arrays overlap.
/// @param[out] y       Field y, as @p x.
/// @param[out] z       Field z, as @p x.
/// @param[out] vx      Field vx, as @p x.
/// @param[out] vy      Field vy, as @p x.
/// @param[out] vz      Field vz, as @p x.
/// @param[in]  n       Number of particles. [records] 0 is legal: nothing is written.
/// @param[in]  stream  Stream on which all work is queued. The call may return before the work is done.
/// @note Compared bit for bit.
void aos_to_soa_to_soa(const particle* records, float* x, float* y, float* z, float* vx, float* vy, float* vz,
                       std::size_t n, cudaStream_t stream);

/// @brief Puts records together: records[i] = {x[i], y[i], z[i], vx[i], vy[i], vz[i]}.
///
/// Predicted traffic and counts as for aos_to_soa_to_soa().
///
/// @param[in]  x       Field x of each particle. Device memory, shape @p n floats, aligned to 128 bytes. Read
///                     only: must be unchanged afterwards. No two of the seven arrays overlap.
/// @param[in]  y       Field y, as @p x.
/// @param[in]  z       Field z, as @p x.
/// @param[in]  vx      Field vx, as @p x.
/// @param[in]  vy      Field vy, as @p x.
/// @param[in]  vz      Field vz, as @p x.
/// @param[out] records Particles. Device memory, shape @p n records of 24 bytes, records[0] aligned to 128 bytes.
///                     Holds arbitrary values before the call.
/// @param[in]  n       Number of particles. [records] 0 is legal: nothing is written.
/// @param[in]  stream  Stream on which all work is queued. The call may return before the work is done.
/// @note Compared bit for bit.
void aos_to_soa_to_aos(const float* x, const float* y, const float* z, const float* vx, const float* vy,
                       const float* vz, particle* records, std::size_t n, cudaStream_t stream);

}  // extern "C"
