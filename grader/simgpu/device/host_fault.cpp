/// @file
/// The handler: async-signal-safe, and gone after its first use.
#include "simgpu/device/host_fault.hpp"

#include <signal.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "simgpu/device/host_guard.hpp"
#include "simgpu/memory/host_fault.hpp"

namespace simgpu::device {
namespace {

const memory::DeviceMemory* watched = nullptr;
std::atomic_flag told = ATOMIC_FLAG_INIT;
struct sigaction previous_segv;
struct sigaction previous_bus;

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
  if (signal == SIGSEGV && info->si_code == SEGV_ACCERR &&
      open_for_host(reinterpret_cast<std::uint64_t>(info->si_addr), was_write(context))) {
    return;
  }
  if (!told.test_and_set()) {
    char sentence[512] = "simgpu: ";
    constexpr std::size_t kPrefix = 8;
    std::size_t length = memory::explain_host_fault(*watched, reinterpret_cast<std::uint64_t>(info->si_addr),
                                                    sentence + kPrefix, sizeof sentence - kPrefix - 1);
    if (length > 0) {
      length = std::min(length, sizeof sentence - kPrefix - 2) + kPrefix;
      sentence[length++] = '\n';
      write_line(sentence, length);
    }
  }
  // Hand over: whoever was there before, else the default, when the instruction faults again.
  ::sigaction(signal, signal == SIGSEGV ? &previous_segv : &previous_bus, nullptr);
}

}  // namespace

bool host_faults_come_here() {
  struct sigaction now;
  return ::sigaction(SIGSEGV, nullptr, &now) == 0 && (now.sa_flags & SA_SIGINFO) != 0 &&
         now.sa_sigaction == on_fault;
}

void install_host_fault_handler(const memory::DeviceMemory& memory) {
  watched = &memory;
  struct sigaction action;
  std::memset(&action, 0, sizeof action);
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  ::sigaction(SIGSEGV, &action, &previous_segv);
  ::sigaction(SIGBUS, &action, &previous_bus);
}

}  // namespace simgpu::device
