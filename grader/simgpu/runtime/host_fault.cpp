/// @file
/// The handler: async-signal-safe, and gone after its first use.
#include "simgpu/runtime/host_fault.hpp"

#include <signal.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>

#include "simgpu/runtime/closed_pages.hpp"
#include "simgpu/runtime/exchanged_pages.hpp"

namespace simgpu::runtime {
namespace {

using memory::AllocationKind;

const Allocations* watched = nullptr;
std::atomic_flag told = ATOMIC_FLAG_INIT;
struct sigaction previous_segv;
struct sigaction previous_bus;

char missing_driver_function[64] = "";  // the last one

// Whether the fault is a call of a null pointer.
bool called_nothing(const void* context) {
#if defined(__x86_64__)
  return static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP] == 0;
#else
  static_cast<void>(context);
  return false;
#endif
}

void write_line(const char* text, std::size_t length) {
  while (length > 0) {
    const ssize_t written = ::write(STDERR_FILENO, text, length);
    if (written <= 0) return;
    text += written;
    length -= static_cast<std::size_t>(written);
  }
}

bool was_write(const void* context) {
#if defined(__x86_64__)
  constexpr long kWrite = 2;
  return (static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_ERR] & kWrite) != 0;
#else
  static_cast<void>(context);
  return true;
#endif
}

void on_fault(int signal, siginfo_t* info, void* context) {
  if (signal == SIGSEGV && info->si_code == SEGV_ACCERR) {
    const auto address = reinterpret_cast<std::uint64_t>(info->si_addr);
    const bool writes = was_write(context);
    const int before = errno;
    const bool is_none = open_for_host(address, writes) || (writes && wait_for_exchange(address));
    errno = before;
    if (is_none) return;
  }
  if (!told.test_and_set()) {
    char sentence[640] = "simgpu: ";
    constexpr std::size_t kPrefix = 8;
    std::size_t length = explain_host_fault(*watched, reinterpret_cast<std::uint64_t>(info->si_addr),
                                            sentence + kPrefix, sizeof sentence - kPrefix - 1);
    if (length == 0 && missing_driver_function[0] != '\0' && called_nothing(context))
      length = static_cast<std::size_t>(
          std::snprintf(sentence + kPrefix, sizeof sentence - kPrefix - 1,
                        "Host code called a null pointer. It has asked for the driver's function %s, which "
                        "the simulated GPU does not have: "
                        "of the driver's it has cuTensorMapEncodeTiled, cuTensorMapReplaceAddress, "
                        "cuGetErrorName, cuGetErrorString and "
                        "cuGetProcAddress. Use what the runtime (cuda...) has for this, and look at the "
                        "answer of cudaGetDriverEntryPoint().",
                        missing_driver_function));
    if (length > 0) {
      length = std::min(length, sizeof sentence - kPrefix - 2) + kPrefix;
      sentence[length++] = '\n';
      write_line(sentence, length);
    }
  }
  // Hand over: whoever was there before, else the default, when the instruction faults again.
  ::sigaction(signal, signal == SIGSEGV ? &previous_segv : &previous_bus, nullptr);
}

const char* article_of(AllocationKind kind) noexcept {
  switch (kind) {
    case AllocationKind::device:
      return "device memory";
    case AllocationKind::global:
      return "a __device__ variable";
    case AllocationKind::constant:
      return "a __constant__ variable";
    case AllocationKind::pinned:
      return "pinned host memory";
    case AllocationKind::registered:
      return "registered host memory";
    case AllocationKind::managed:
      return "managed memory";
  }
  return "memory";
}

bool in_host_ranges(std::uint64_t address) noexcept {
  return (address >= memory::kPinnedBase &&
          address - memory::kPinnedBase < memory::kMaxDevices * memory::kHostRange) ||
         memory::is_managed_address(address);
}

}  // namespace

void note_missing_driver_function(const char* name) noexcept {
  std::snprintf(missing_driver_function, sizeof missing_driver_function, "%s", name);
}

bool host_faults_come_here() {
  struct sigaction now;
  return ::sigaction(SIGSEGV, nullptr, &now) == 0 && (now.sa_flags & SA_SIGINFO) != 0 &&
         now.sa_sigaction == on_fault;
}

void install_host_fault_handler(const Allocations& known) {
  watched = &known;
  if (host_faults_come_here()) return;  // it would hand over to itself
  struct sigaction action;
  std::memset(&action, 0, sizeof action);
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  ::sigaction(SIGSEGV, &action, &previous_segv);
  ::sigaction(SIGBUS, &action, &previous_bus);
}

std::size_t explain_host_fault(const Allocations& known, std::uint64_t address, char* buffer,
                               std::size_t size) noexcept {
  if (size == 0) return 0;
  buffer[0] = '\0';
  int length = 0;
  const memory::Allocation* a = known.find(address);
  if (memory::is_device_address(address)) {
    if (a != nullptr && a->live) {
      const bool named = !a->name.empty();
      length = std::snprintf(buffer, size,
                             "Host code dereferenced the device pointer 0x%" PRIx64 " (byte %" PRIu64
                             " of %" PRIu64
                             " bytes of %s%s%s): only kernels can read or write it; use cudaMemcpy%s.",
                             address, address - a->base, a->bytes, article_of(a->kind), named ? " " : "",
                             named ? a->name.c_str() : "", named ? "FromSymbol or cudaMemcpyToSymbol" : "");
    } else if (a != nullptr) {
      length = std::snprintf(buffer, size,
                             "Host code dereferenced the device pointer 0x%" PRIx64
                             ", which was freed already; and only kernels could ever read or write it.",
                             address);
    } else {
      length = std::snprintf(buffer, size,
                             "Host code dereferenced 0x%" PRIx64
                             ", an address in device memory that belongs to no allocation.",
                             address);
    }
  } else if (in_host_ranges(address)) {
    if (a != nullptr && !a->live) {
      length = std::snprintf(buffer, size,
                             "Host code touched 0x%" PRIx64 ", byte %" PRIu64 " of %" PRIu64
                             " bytes of %s that was freed already.",
                             address, address - a->base, a->bytes, article_of(a->kind));
    } else if (a == nullptr) {
      a = known.nearest(address);
      if (a != nullptr && address >= a->end()) {
        length = std::snprintf(buffer, size,
                               "Host code touched 0x%" PRIx64 ", %" PRIu64 " bytes beyond the end of %" PRIu64
                               " bytes of %s.",
                               address, address - a->end() + 1, a->bytes, article_of(a->kind));
      } else {
        length = std::snprintf(buffer, size,
                               "Host code touched 0x%" PRIx64
                               ", an address for pinned or managed memory that belongs to no allocation.",
                               address);
      }
    }
  }
  if (length <= 0) return 0;
  return std::min(static_cast<std::size_t>(length), size - 1);
}

}  // namespace simgpu::runtime
