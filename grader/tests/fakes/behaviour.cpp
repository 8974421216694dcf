/// @file
/// A hand-in that sums floats on the host and, as BEHAVIOUR says, misbehaves: one plugin for each of the
/// things that a worker and its judge must survive.
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstddef>
#include <cstdint>
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
#define TRIES_DOORS 21

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

#if BEHAVIOUR == TRIES_DOORS
int open_doors = 0;

/// Tells of a door that should be shut.
void shut(const char* door, bool opened) {
  if (!opened) return;
  std::printf("open: %s\n", door);
  ++open_doors;
}

/// What a hostile program would try. All of it fails on both devices, Landlock or not.
void try_doors() {
  const pid_t judge = ::getppid();
  rlimit none{};
  shut("kill", ::kill(judge, 0) == 0);
  shut("limits", ::prlimit(judge, RLIMIT_CPU, nullptr, &none) == 0);
  shut("priority", ::setpriority(PRIO_PROCESS, static_cast<id_t>(judge), 19) == 0);
  cpu_set_t processors;
  CPU_ZERO(&processors);
  CPU_SET(0, &processors);
  shut("affinity", ::sched_setaffinity(judge, sizeof processors, &processors) == 0);
  shut("tracing", ::ptrace(PTRACE_SEIZE, judge, nullptr, nullptr) == 0);
  shut("owner of a descriptor", ::fcntl(3, F_SETOWN, judge) == 0);
  shut("owner, with a bit above the int",
       ::syscall(SYS_fcntl, 3, (std::uint64_t{1} << 32) | F_SETOWN, judge) == 0);
  shut("death with the parent", ::prctl(PR_SET_PDEATHSIG, 0) == 0);
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  shut("fork", child > 0);
  shut("socket", ::socket(AF_INET, SOCK_STREAM, 0) >= 0);
  shut("local socket", ::socket(AF_UNIX, SOCK_STREAM, 0) >= 0);
  shut("new file", ::open("/tmp/course-behaviour", O_CREAT | O_WRONLY, 0600) >= 0);
  shut("nameless file", ::open("/tmp", O_TMPFILE | O_WRONLY, 0600) >= 0);
  shut("rights", ::chmod(RESULT_FILE, 0600) == 0);
  shut("rights of a descriptor", ::fchmod(1, 0600) == 0);
  shut("newest chmod", ::syscall(452, AT_FDCWD, RESULT_FILE, 0600, 0) == 0);
  shut("owner", ::chown(RESULT_FILE, ::getuid(), ::getgid()) == 0);
  shut("times", ::utimes(RESULT_FILE, nullptr) == 0);
  shut("link", ::link(RESULT_FILE, RESULT_FILE ".link") == 0);
  shut("renaming", ::rename(RESULT_FILE, RESULT_FILE ".old") == 0);
  shut("removing", ::unlink(RESULT_FILE ".old") == 0);
  shut("namespace", ::unshare(CLONE_NEWUSER) == 0);
  shut("io_uring", ::syscall(SYS_io_uring_setup, 1, nullptr) >= 0 || errno != EPERM);
  shut("memory without end", ::mmap(nullptr, std::size_t{64} << 40, PROT_READ | PROT_WRITE,
                                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) != MAP_FAILED);
}
#endif

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
#elif BEHAVIOUR == TRIES_DOORS
  try_doors();
  std::fflush(stdout);
  if (open_doors > 0) std::abort();
#elif BEHAVIOUR == ABORTS
  std::abort();
#elif BEHAVIOUR == EXITS_IN_CALL
  std::_Exit(0);
#endif
  *out = static_cast<float>(sum);
}
