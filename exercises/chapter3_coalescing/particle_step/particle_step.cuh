/// @file
/// Contract of particle_step: the five functions that `particle_step.cu` provides, and the record in which particles
/// come and go. Never edited: the grader puts its own copy on the include path. No CUDA header is included, so
/// that nvcc and a host compiler both read it.
#pragma once

#include <cstddef>

/// The CUDA runtime's stream handle; declared here so that no CUDA header is needed.
typedef struct CUstream_st* cudaStream_t;

/// One particle as the rest of the program knows it: six floats side by side, 24 bytes, no padding.
struct particle {
  float x, y, z;     ///< position
  float vx, vy, vz;  ///< velocity
};
static_assert(sizeof(particle) == 24, "six floats and nothing between them");

/// Where your particles live between the calls, in the layout of your choice. You define it in your file.
struct particle_step_state;

extern "C" {

/// @brief Gets memory for @p n particles. Not timed. Several states may live at once, each with its own particles.
/// @param[in] n Number of particles. [records] 0 is legal.
/// @return the state that all other functions get.
particle_step_state* particle_step_setup(std::size_t n);

/// @brief Takes a batch of particles over, in place of those that the state had before. Not timed; kernels are
/// welcome.
///
/// @param[in,out] state     What particle_step_setup() returned.
/// @param[in]     particles Records. Device memory, shape @p n records of 24 bytes, particles[0] aligned to 128 bytes.
///                          Read only: must be unchanged afterwards. They may change or go when this call's work is
///                          done, so keep no pointer to them.
/// @param[in]     n         Number of particles, as in set-up. [records]
/// @param[in]     stream    Stream on which all work is queued. The call may return before the work is done.
void particle_step_load(particle_step_state* state, const particle* particles, std::size_t n,
                        cudaStream_t stream);

/// @brief Moves all particles by one step: x = x + vx dt, y = y + vy dt, z = z + vz dt. Timed. Velocities stay as
/// they are. Called any number of times between loading and storing, and after storing again.
///
/// Predicted traffic: 24 @p n bytes read and 12 @p n bytes written, each once; the grader counts 36 @p n. The step
/// happens here: a call that asks for less than 0.95 of these bytes, or for more than 1.1 of them, does not pass.
///
/// @param[in,out] state  What particle_step_setup() returned, with particles loaded.
/// @param[in]     dt     Length of the step: one float in ordinary host memory, any finite number, also negative. Read
///                       it before you return: the next call may find another value in the same place.
/// @param[in]     n      Number of particles, as in set-up. [records] 0 is legal.
/// @param[in]     stream Stream on which all work is queued. The call may return before the work is done.
/// @note Cases with huge and tiny values allow 2^-22 of |x| + |vx dt| (and so on) for each step. In all others the
///       numbers are such that the sum is exact, fused or not, and positions and velocities are compared bit for bit.
void particle_step_run(particle_step_state* state, const float* dt, std::size_t n, cudaStream_t stream);

/// @brief Gives the particles out as records. Not timed. The state keeps them: further steps may follow.
///
/// @param[in]  state     What particle_step_setup() returned, with particles loaded.
/// @param[out] particles Records. Device memory, shape @p n records of 24 bytes, particles[0] aligned to 128 bytes.
///                       Holds arbitrary values before the call. Not where they were loaded from.
/// @param[in]  n         Number of particles, as in set-up. [records] 0 is legal: nothing is written.
/// @param[in]  stream    Stream on which all work is queued. The call may return before the work is done.
void particle_step_store(particle_step_state* state, particle* particles, std::size_t n, cudaStream_t stream);

/// @brief Frees what particle_step_setup() made. Called once a state, when all of its work is done.
/// @param[in] state What particle_step_setup() returned.
void particle_step_teardown(particle_step_state* state);

}  // extern "C"
