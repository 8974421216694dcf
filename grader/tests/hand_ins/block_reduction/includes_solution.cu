// expect: compile_error forbidden_include
/// @file
/// Finds the solution by its path from the contract's folder, which is on the include path.
#include "block_reduction.cuh"

#include <../../../solutions/chapter2_shared_memory/block_reduction/block_reduction.cu>
