/// @file
/// See worker_process.hpp.
#include "judge/worker_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>
#include <vector>

#include "judge/spawn.hpp"
#include "protocol/names.hpp"

namespace course {
namespace {

constexpr std::size_t kOutputKept = 64 * 1024;
constexpr std::size_t kPrintedKept = 4096;
constexpr int kMostStarved = 4;  // times what an answer may take: who is never let run ends, too
constexpr int kPipeBytes =
    1 << 20;  // a flood of text must not stop a program in its printf: it would look endless

// What a worker needs to find a driver, and nothing else.
std::vector<std::string> small_environment(const std::string& private_folder,
                                           const worker_process::device_access& device) {
  std::vector<std::string> variables{"PATH=/usr/local/bin:/usr/bin:/bin",
                                     "LC_ALL=C",
                                     "HOME=" + private_folder,
                                     "TMPDIR=" + private_folder,
                                     "CUDA_CACHE_DISABLE=1",  // a worker writes no files
                                     "CUDA_MODULE_LOADING=EAGER"};
  inherit(variables,
          {"LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER", "NVIDIA_VISIBLE_DEVICES",
           "NVIDIA_DRIVER_CAPABILITIES", "ASAN_OPTIONS", "UBSAN_OPTIONS"});
  // The simulated card that `course grade --card` asks for.
  if (const char* const card = std::getenv("COURSE_CARD"))
    variables.push_back(std::string("SIMGPU_CARD=") + card);
  if (device.door >= 0) {
    variables.push_back(fmt::format("SIMGPU_DOOR={}", protocol::kDoorDescriptor));
    variables.push_back(fmt::format("SIMGPU_DEVICES={}", device.devices));
    // Host tables of a program's own, made anew in each case, page by page: latency_ladder's took half of its grading. In large pages they
    // take a hundredth. Not beside a real device, where what a copy costs depends on the pages it comes from.
    variables.emplace_back("GLIBC_TUNABLES=glibc.malloc.hugetlb=1");
  }
  return variables;
}

// How long a process has been ready to run and had no processor, since it began. Zero where the kernel does not say.
protocol::clock::duration starved(int process) {
  std::ifstream told(fmt::format("/proc/{}/schedstat", process));
  std::int64_t ran = 0, waited = 0;
  if (!(told >> ran >> waited)) return {};
  return std::chrono::duration_cast<protocol::clock::duration>(std::chrono::nanoseconds(waited));
}

}  // namespace

void printed_text::add(std::string_view piece) {
  bytes += piece.size();
  lines += static_cast<std::size_t>(std::count(piece.begin(), piece.end(), '\n'));
  head += piece.substr(0, kPrintedKept - head.size());
}

std::vector<std::string> printed_text::first_lines(std::size_t most) const {
  constexpr std::size_t kLongest = 200;
  std::vector<std::string> found;
  std::istringstream in(head);
  for (std::string line; found.size() < most && std::getline(in, line);) {
    for (char& c : line) {
      if (static_cast<unsigned char>(c) < ' ') c = ' ';  // nobody's terminal is to be steered
    }
    found.push_back(line.substr(0, kLongest));
  }
  return found;
}

worker_process::~worker_process() {
  kill();
  if (output_descriptor_ >= 0) ::close(output_descriptor_);
}

std::string worker_process::start(const std::filesystem::path& program, const device_access& device) {
  device_ = device;
  if (auto problem = folder_.make(); !problem.empty()) return problem;
  if (!arena_.create()) return std::string("no shared memory: ") + std::strerror(errno);

  std::array<int, 2> sockets{}, pipes{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets.data()) != 0)
    return std::string("no socket: ") + std::strerror(errno);
  if (::pipe2(pipes.data(), O_CLOEXEC) != 0) {
    ::close(sockets[0]);
    ::close(sockets[1]);
    return std::string("no pipe: ") + std::strerror(errno);
  }
  channel_ = protocol::channel(sockets[0]);
  output_descriptor_ = pipes[0];
  ::fcntl(output_descriptor_, F_SETFL, O_NONBLOCK);
  ::fcntl(output_descriptor_, F_SETPIPE_SZ, kPipeBytes);

  auto problem = spawn(program, {}, small_environment(folder_.path(), device),
                       {{pipes[1], 1},
                        {pipes[1], 2},
                        {sockets[1], protocol::kSocketDescriptor},
                        {arena_.descriptor(), protocol::kArenaDescriptor},
                        {device.door, protocol::kDoorDescriptor}},
                       process_);
  ::close(sockets[1]);
  ::close(pipes[1]);
  return problem;
}

reply worker_process::ask(protocol::json request, std::chrono::duration<double> patience) {
  send(std::move(request), patience);
  return wait();
}

void worker_process::forget_printed() {
  drain();
  printed_ = {};
}

void worker_process::send(protocol::json request, std::chrono::duration<double> patience) {
  if (device_.door < 0) forget_printed();
  // Where nothing that the worker says decides, nothing in its memory need be secret: questions are numbered.
  nonce_ = device_.door < 0 ? protocol::fresh_nonce() : std::to_string(++questions_);
  request["nonce"] = nonce_;
  sent_ = protocol::clock::now();
  deadline_ = sent_ + std::chrono::duration_cast<protocol::clock::duration>(patience);
  starved_before_.reset();
  channel_.send(request);  // if this fails, wait() finds out why
}

reply worker_process::wait() {
  reply result;
  if (!running()) return result;
  const auto patience = deadline_ - sent_;
  for (;;) {
    drain();
    // Short slices: the output pipe must be emptied, or a talkative program would stop in its printf.
    const auto slice = std::min(deadline_, protocol::clock::now() + std::chrono::milliseconds(10));
    auto [status, box] = channel_.receive(slice);
    protocol::json& message = *box;
    result.judge_seconds = std::chrono::duration<double>(protocol::clock::now() - sent_).count();
    if (status == protocol::receive_status::timed_out) {
      // Asked for after the first slice, which most answers need not: a slice is nothing beside any patience.
      if (!starved_before_) starved_before_ = starved(process_) + starved(device_.process);
      if (protocol::clock::now() < deadline_) continue;
    }
    switch (status) {
      case protocol::receive_status::ok: {
        const auto nonce = message.find("nonce");
        if (nonce == message.end() || *nonce != nonce_) {
          kill();
          result.status = reply_status::forged;
          return result;
        }
        const auto good = message.find("ok");
        result.status = good != message.end() && good->is_boolean() && good->get<bool>()
                            ? reply_status::ok
                            : reply_status::refused;
        const auto error = message.find("error");
        if (error != message.end() && error->is_string()) result.error = error->get<std::string>();
        result.body = std::move(box);
        return result;
      }
      case protocol::receive_status::closed:
        reap(std::chrono::milliseconds(2000));
        result.status = reply_status::exited;
        return result;
      case protocol::receive_status::timed_out:
        // Ready to run and without a processor: a busy machine makes no program endless.
        deadline_ = sent_ + patience +
                    std::min(starved(process_) + starved(device_.process) - *starved_before_,
                             kMostStarved * patience);
        if (deadline_ > protocol::clock::now()) continue;
        if (look_) look_();
        kill();
        result.status = reply_status::timed_out;
        return result;
      case protocol::receive_status::malformed:
        kill();
        result.status = reply_status::forged;
        return result;
    }
  }
}

void worker_process::drain() {
  std::array<char, 4096> piece;
  for (;;) {
    const auto count = output_descriptor_ >= 0 ? ::read(output_descriptor_, piece.data(), piece.size()) : 0;
    if (count <= 0) return;
    output_.append(piece.data(), static_cast<std::size_t>(count));
    printed_.add({piece.data(), static_cast<std::size_t>(count)});
    if (output_.size() > 2 * kOutputKept) output_.erase(0, output_.size() - kOutputKept);
  }
}

const printed_text& worker_process::printed() {
  drain();
  return printed_;
}

std::string worker_process::output() {
  drain();
  auto text = output_;
  if (text.size() > kOutputKept) text.erase(0, text.find('\n', text.size() - kOutputKept) + 1);
  return text;
}

void worker_process::reap(std::chrono::milliseconds patience) {
  if (process_ <= 0) return;
  const auto until = protocol::clock::now() + patience;
  int status = 0;
  pid_t ended = 0;
  while ((ended = ::waitpid(process_, &status, WNOHANG)) == 0 && protocol::clock::now() < until) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  if (ended == 0) {
    ::kill(-process_, SIGKILL);
    ::kill(process_, SIGKILL);
    ::waitpid(process_, &status, 0);
  } else {
    ::kill(-process_, SIGKILL);  // what it may have left behind
  }
  end_ = process_end::of(status);
  process_ = -1;
  drain();
}

bool worker_process::ends_within(std::chrono::milliseconds patience) {
  const auto until = protocol::clock::now() + patience;
  while (process_ > 0) {
    siginfo_t how{};
    const auto whom = static_cast<id_t>(process_);
    if (::waitid(P_PID, whom, &how, WEXITED | WNOHANG | WNOWAIT) == 0 && how.si_pid == process_) {
      reap({});
    } else if (protocol::clock::now() >= until) {
      return false;
    } else {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  return true;
}

void worker_process::kill() {
  if (process_ <= 0) return;
  ::kill(-process_, SIGKILL);
  ::kill(process_, SIGKILL);
  reap(std::chrono::milliseconds(5000));
  channel_.close();
}

void worker_process::finish() {
  if (!running()) return;
  ask({{"op", protocol::op::kFinish}}, std::chrono::seconds(2));
  reap(std::chrono::milliseconds(1000));
  channel_.close();
}

}  // namespace course
