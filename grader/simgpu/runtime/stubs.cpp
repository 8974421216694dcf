/// @file
/// A weak stand-in for every symbol that the real library exports, so that any program loads. Where this room defines the
/// function, that definition wins; where it does not, the call is recorded and answered with cudaErrorNotSupported.
///
/// No CUDA header is included: each stub is declared without parameters, which the calling convention allows and the real
/// prototype would not.
#include "simgpu/runtime/stubs.hpp"

#define SIMGPU_SYMBOL(name)                          \
  extern "C" __attribute__((weak)) int name() {      \
    return simgpu::runtime::unsupported_call(#name); \
  }
#include "simgpu/runtime/symbols.def"
#undef SIMGPU_SYMBOL
