/// @file
/// Contract of transform_points: the three functions that `transform_points.cu` provides. Never edited: the grader
/// puts its own copy on the include path. No CUDA header is included, so that nvcc and a host compiler both
/// read it.
#pragma once

#include <cstddef>

/// The CUDA runtime's stream handle; declared here so that no CUDA header is needed.
typedef struct CUstream_st* cudaStream_t;

/// Four floats, 16 bytes, as CUDA defines it.
struct float4;

extern "C" {

/// @brief Takes the eight matrices of a motion. Called before the first run, and again when they change. Not timed.
///
/// Launches no kernel. All runs that follow use these matrices, until the next call.
///
/// @param[in] matrices Device memory, shape 8 x 4 x 4 floats, aligned to 256 bytes: matrices[16 k + 4 r + c] is row r,
///                     column c of matrix k (row-major). Any values between -1 and 1, without symmetry. Read only: must
///                     be unchanged afterwards. They stay there until the next call of this function; then the same
///                     address may hold others.
/// @param[in] stream   Stream on which the work is queued; the runs that follow use it too, or wait for it.
void transform_points_setup(const float* matrices, cudaStream_t stream);

/// @brief Moves each point, each at a time of its own. Timed.
///
/// in[i] is a place and a time, (x, y, z, t). With M_k for matrix k,
///
///     out[i] = (M_0 + t M_1 + t^2 M_2 + ... + t^7 M_7) (x, y, z, 1)
///
/// where t^0 is 1 for every t, and component r of the product is row r times the column vector (x, y, z, 1).
///
/// Predicted traffic: 16 @p n bytes read and 16 @p n bytes written, each once; the grader counts 32 @p n bytes as
/// moved. At most 4 requests to load from global memory for each 32 points, none to anything but the points, none to
/// shared memory. Where a line reads `__constant__` memory, all lanes ask for the same word.
///
/// @param[in]  in     Points. Device memory, shape @p n elements of 16 bytes, aligned to 256 bytes. x, y and z are any
///                    finite values up to 2^100 in magnitude, t is between -1 and 1, both included. Read only: must be
///                    unchanged afterwards.
/// @param[out] out    Moved points, shaped and aligned like @p in. Holds arbitrary values before the call. Does not
///                    overlap @p in.
/// @param[in]  n      Number of points. 0 is legal: nothing is written.
/// @param[in]  stream Stream on which all work is queued. The call may return before the work is done.
/// @note Compared with double precision. Each component may be off by 2^-18 of the sum of its 32 products' magnitudes
///       |t^k m x|, the largest such sum of the point's four components, and by 2^-140 where they vanish. Single
///       precision keeps that in any order of the terms, with the powers multiplied up one by one or by Horner's rule.
void transform_points_run(const float4* in, float4* out, std::size_t n, cudaStream_t stream);

/// @brief Hands the matrices back that runs use at present, in the order in which they came. Not timed.
///
/// @param[out] matrices Device memory, shape 8 x 4 x 4 floats, aligned to 256 bytes. Holds arbitrary values before the
///                      call.
/// @param[in]  stream   Stream on which all work is queued. The call may return before the work is done.
/// @note Compared bit for bit.
void transform_points_matrices(float* matrices, cudaStream_t stream);

}  // extern "C"
