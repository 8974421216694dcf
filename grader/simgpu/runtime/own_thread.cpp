/// @file
/// See own_thread.hpp.
#include "simgpu/runtime/own_thread.hpp"

#include <pthread.h>
#include <signal.h>

#include <thread>
#include <utility>

#include "simgpu/link/threads.hpp"

namespace simgpu::runtime {

void begin_own_thread(std::function<void()> run) {
  // Signals are for the program's own threads.
  sigset_t all, before;
  sigfillset(&all);
  sigdelset(&all, SIGSEGV);  // but this one: pages that are closed to the host are opened in its handler
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread thread(std::move(run));
  // Named here and not by itself: from now on nobody counts it.
  pthread_setname_np(thread.native_handle(), link::kOwnThread);
  thread.detach();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace simgpu::runtime
