/// @file
/// What each thread has for itself, without `thread_local`: things that are declared so are gone in the main thread before the program's static
/// destructors run, and those may make calls.
#pragma once

#include <pthread.h>

namespace simgpu::runtime {

/// The calling thread's @p T, made when it is first asked for; goes with the thread, but with the main thread not before the process.
/// @tparam Owner whoever asks: tells things of one type from each other
template <typename T, typename Owner>
T& of_thread() {
  static const pthread_key_t key = [] {
    pthread_key_t made = 0;
    pthread_key_create(&made, [](void* thing) { delete static_cast<T*>(thing); });
    return made;
  }();
  auto* thing = static_cast<T*>(pthread_getspecific(key));
  if (thing == nullptr) pthread_setspecific(key, thing = new T());
  return *thing;
}

}  // namespace simgpu::runtime
