/// @file
/// A hand-in that sums floats on the host and, as BEHAVIOUR says, misbehaves: one plugin for each of the
/// things that a worker and its judge must survive.
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>

#define GOOD 0
#define EXITS_IN_CONSTRUCTOR 1
#define SEGFAULTS 2
#define LOOPS 3
#define FORGES_ANSWER 4
#define KILLS_PARENT 5
#define FORKS_CHILD 6
#define LEAVES_THREAD 7
#define TALKS 8
#define MISSING_FUNCTION 9
#define UNDEFINED_SYMBOL 10
#define CACHES_BY_POINTER 11
#define WRITES_INPUT 12
#define WRITES_NOTHING 13
#define GIVES_NAN 14
#define WRITES_BESIDE 15
#define OVERWRITES_FILE 16
#define ABORTS 17
#define EXITS_IN_CALL 18
#define SHRINKS_ARENA 19
#define WRITES_ONCE 20

#if BEHAVIOUR == EXITS_IN_CONSTRUCTOR
struct leave {
  leave() { std::_Exit(0); }
} leave_at_once;
#endif
#if BEHAVIOUR == UNDEFINED_SYMBOL
extern "C" void nobody_has_this();
#endif

namespace {

[[maybe_unused]] void* spin(void*) {
  for (;;) ::usleep(1000);
}

}  // namespace

#if BEHAVIOUR == MISSING_FUNCTION
#define fake_sum_run another_name
#endif

extern "C" void fake_sum_run(const float* in, float* out, std::size_t n, struct CUstream_st*) {
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += in[i];
#if BEHAVIOUR == SEGFAULTS
  *reinterpret_cast<volatile int*>(n + 1) = 1;
#elif BEHAVIOUR == LOOPS
  for (volatile bool always = true; always;) {
  }
#elif BEHAVIOUR == FORGES_ANSWER
  const char answer[] =
      "{\"ok\": true, \"nonce\": \"guess\", \"copied_back\": true, \"call_error\": null, \"sync_error\": "
      "null}\n";
  if (::write(3, answer, sizeof answer - 1) < 0) std::abort();
#elif BEHAVIOUR == KILLS_PARENT
  ::kill(::getppid(), SIGKILL);
  ::kill(-1, SIGTERM);
#elif BEHAVIOUR == FORKS_CHILD
  if (::fork() == 0) {
    ::setsid();
    for (;;) ::pause();
  }
#elif BEHAVIOUR == LEAVES_THREAD
  pthread_t thread;
  ::pthread_create(&thread, nullptr, spin, nullptr);
#elif BEHAVIOUR == TALKS
  for (int line = 0; line < 100'000; ++line) std::printf("line %d of a talkative program\n", line);
  std::fflush(stdout);
  std::abort();
#elif BEHAVIOUR == UNDEFINED_SYMBOL
  nobody_has_this();
#elif BEHAVIOUR == CACHES_BY_POINTER
  static std::map<const float*, double> answers;
  sum = answers.emplace(in, sum).first->second;
#elif BEHAVIOUR == WRITES_INPUT
  if (n) const_cast<float*>(in)[n - 1] = 0;
#elif BEHAVIOUR == WRITES_ONCE
  static std::set<const float*> done;
  if (!done.insert(in).second) return;
#elif BEHAVIOUR == WRITES_NOTHING
  return;
#elif BEHAVIOUR == GIVES_NAN
  sum = std::nan("");
#elif BEHAVIOUR == WRITES_BESIDE
  out[1] = 1;
#elif BEHAVIOUR == SHRINKS_ARENA
  if (::ftruncate(4, 0) == 0) std::abort();
#elif BEHAVIOUR == OVERWRITES_FILE
  if (std::FILE* const file = std::fopen(RESULT_FILE, "w")) std::fclose(file);
#elif BEHAVIOUR == ABORTS
  std::abort();
#elif BEHAVIOUR == EXITS_IN_CALL
  std::_Exit(0);
#endif
  *out = static_cast<float>(sum);
}
