/// @file
/// simgpu-device: the simulated device in a process of its own. Started by the client's library, or by a grader (`--child`: it stays the
/// grader's child, dies with it, and is its to kill); never by hand.
///
/// It finds two sockets: descriptor 3 leads to the client, 4 to the grader. The grader says what the device is, the client's side hands
/// over the pages of the queue. Then it is nobody's child: a program that waits for its children does not meet it. It ends when the
/// program ends.
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "simgpu/device/gpu.hpp"
#include "simgpu/exec/host_memory.hpp"
#include "simgpu/link/channel.hpp"
#include "simgpu/link/pages.hpp"
#include "simgpu/memory/shared_pages.hpp"
#include "simgpu/process/grader_channel.hpp"
#include "simgpu/process/loop.hpp"
#include "simgpu/timing/cards.hpp"

namespace {

constexpr int kDoor = 3, kGrader = 4;

int complain(const char* what) {
  std::fprintf(stderr, "simgpu-device: %s\n", what);
  return 125;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace simgpu;
  if (fcntl(kDoor, F_GETFD) < 0 || fcntl(kGrader, F_GETFD) < 0)
    return complain("this is started by a program that runs on the simulated GPU, not by hand.");
  if (argc > 1 && std::string_view(argv[1]) == "--child") {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    // Where memory runs out, the system is to end this and not the grader, but the program first; and nobody reads this one's memory, not
    // even who could read other processes' of the same user.
    if (std::FILE* const file = std::fopen("/proc/self/oom_score_adj", "w")) {
      std::fputs("900", file);
      std::fclose(file);
    }
    prctl(PR_SET_DUMPABLE, 0);
  } else if (const pid_t child = ::fork(); child != 0) {
    // The parent reaps the one that ends here; the session is its own, so that signals to the program's group are the program's.
    ::_exit(child < 0 ? 125 : 0);
  }
  ::setsid();
  prctl(PR_SET_NAME, "simgpu-device");
  // Who is woken must not take the core from who wakes it: a launch would return only when the kernel is done.
  const sched_param none{};
  ::sched_setscheduler(0, SCHED_BATCH, &none);
  // Whoever reads the program's output must not wait for the device, nor who is at the other end of anything that the program
  // has open.
  ::syscall(SYS_close_range, kGrader + 1, ~0u, 0);
  if (const int nothing = ::open("/dev/null", O_RDWR); nothing >= 0) {
    ::dup2(nothing, STDIN_FILENO);
    ::dup2(nothing, STDOUT_FILENO);
    if (nothing > kGrader) ::close(nothing);
  }
  for (const int each : {kDoor, kGrader}) fcntl(each, F_SETFD, FD_CLOEXEC);

  std::vector<int> from_grader;
  const auto text = link::receive_text(kGrader, &from_grader);
  const auto request = text ? process::request_of(*text) : std::nullopt;
  const auto* const start = request ? std::get_if<process::Start>(&request->body) : nullptr;
  if (start == nullptr) return complain("nobody said what the device is to be.");
  // A grader that names none means the one that a program has that names none.
  const auto card = timing::card_named(start->card.empty() ? "h200" : start->card, start->slice);
  if (!card) return complain("there is no such card.");
  // Before the program's first word. What is looked up of the program is opened first: later it may not be.
  if (start->client != 0) exec::program_is(start->client);
  const auto measures = process::enter(start->cage, start->client);
  // Descriptors that come with this text: the queue's pages, and those of memory that host and device share.
  std::vector<int> descriptors;
  const auto hello = link::receive_text(kDoor, &descriptors);
  if (!hello || descriptors.size() != 2) return complain("the client has handed over no pages.");
  std::string problem;
  const auto pages = link::Pages::open(descriptors[0], problem);
  if (!pages) return complain(problem.c_str());
  const auto shared = memory::SharedPages::of(descriptors[1]);
  if (!shared) return complain("the client has handed over no file for memory that both sides map.");

  device::Gpu gpu(*card, &*shared);
  if (start->cage.allocated_bytes != 0) gpu.memory.set_limit(start->cage.allocated_bytes);
  process::GraderPages grader_pages(from_grader.empty() ? -1 : from_grader.front());
  process::Loop loop(*start, gpu, *pages, kDoor, kGrader, std::move(grader_pages));
  link::send_text(kGrader, process::answer_to_start(measures));
  loop.run();
  std::fflush(nullptr);
  ::_exit(0);  // the thread that watches the sockets is still there
}
