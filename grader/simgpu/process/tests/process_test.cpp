/// @file
/// The device in a process of its own, through the real door: either side killed, a program that forks, leaves or says nonsense; nothing is
/// left behind, and nobody hangs.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "simgpu/link/channel.hpp"
#include "simgpu/link/port.hpp"
#include "simgpu/memory/shared_pages.hpp"
#include "simgpu/process/grader_channel.hpp"
#include "simgpu/queue/answer_codec.hpp"
#include "simgpu/queue/codec.hpp"

namespace simgpu {
namespace {

namespace fs = std::filesystem;
using std::chrono::steady_clock;

/// @return what can be read: a process that ends while its entry of /proc is open has nothing more to tell, which is no failure
std::string read(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

template <typename Condition>
bool within(std::chrono::seconds most, Condition holds) {
  for (const auto until = steady_clock::now() + most; steady_clock::now() < until;) {
    if (holds()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return holds();
}

/// A program on a device of its own, with a mark in its environment by which all that it leaves behind is known.
class ProcessTest : public testing::Test {
 protected:
  void SetUp() override {
    mark_ = "SIMGPU_TEST_MARK=" + std::to_string(getpid()) + "." +
            testing::UnitTest::GetInstance()->current_test_info()->name();
    scratch_ = testing::TempDir() + "simgpu_" + mark_.substr(mark_.find('=') + 1);
  }
  void TearDown() override {
    EXPECT_TRUE(within(std::chrono::seconds(10), [&] { return devices().empty(); })) << "a device is left";
    for (const pid_t each : devices()) ::kill(each, SIGKILL);
    for (const char* end : {".out", ".err", ".json"}) fs::remove(scratch_ + end);
  }

  /// Starts it. @param variables further ones
  void start(const char* what, std::vector<std::string> variables = {}) {
    program_ = ::fork();
    if (program_ != 0) return;
    ::putenv(mark_.data());
    ::setenv("LD_LIBRARY_PATH", DROPIN_FOLDER, 1);
    ::setenv("SIMGPU_DEVICE", "process", 1);
    ::setenv("SIMGPU_REPORT", ("json:" + scratch_ + ".json").c_str(), 1);
    for (std::string& each : variables) ::putenv(::strdup(each.c_str()));
    if (std::freopen((scratch_ + ".out").c_str(), "w", stdout) == nullptr ||
        std::freopen((scratch_ + ".err").c_str(), "w", stderr) == nullptr)
      ::_exit(99);
    ::execl(DOOR, DOOR, what, nullptr);
    ::_exit(99);
  }
  bool is_ready() const {
    return within(std::chrono::seconds(20), [&] { return output().find("ready\n") != std::string::npos; });
  }
  /// Waits for its end. @return its status, or -1 if it hangs: then it is killed.
  int ends() {
    int status = 0;
    const bool ended =
        within(std::chrono::seconds(20), [&] { return ::waitpid(program_, &status, WNOHANG) == program_; });
    if (ended) return status;
    ::kill(program_, SIGKILL);
    ::waitpid(program_, &status, 0);
    return -1;
  }
  int exit_code(int status) { return status >= 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1; }

  std::string output() const { return read(scratch_ + ".out"); }
  std::string errors() const { return read(scratch_ + ".err"); }
  nlohmann::json report() const { return nlohmann::json::parse(read(scratch_ + ".json"), nullptr, false); }

  /// Devices that a program with our mark has started. A dead one that nobody has reaped has no environment.
  std::vector<pid_t> devices() const {
    std::vector<pid_t> all;
    std::error_code error;
    for (const auto& each : fs::directory_iterator("/proc", error)) {
      const pid_t id = std::atoi(each.path().filename().c_str());
      if (id <= 0 || !read(each.path() / "comm").starts_with("simgpu-device")) continue;
      if (read(each.path() / "environ").find(mark_) != std::string::npos) all.push_back(id);
    }
    return all;
  }

  std::string mark_, scratch_;
  pid_t program_ = 0;
};

TEST_F(ProcessTest, LongCopiesGoThroughInPieces) {
  start("bulk");
  EXPECT_EQ(exit_code(ends()), 0) << errors();
}

TEST_F(ProcessTest, AKilledDeviceEndsTheProgramWithASentence) {
  start("works");
  ASSERT_TRUE(is_ready()) << errors();
  const auto all = devices();
  ASSERT_EQ(all.size(), 1u);
  ::kill(all[0], SIGKILL);
  EXPECT_EQ(exit_code(ends()), 125);
  EXPECT_NE(errors().find("has ended before the program"), std::string::npos) << errors();
}

TEST_F(ProcessTest, AKilledProgramEndsItsDeviceWhichStillReports) {
  start("waits");
  ASSERT_TRUE(is_ready()) << errors();
  ASSERT_EQ(devices().size(), 1u);
  ::kill(program_, SIGKILL);
  ends();
  ASSERT_TRUE(within(std::chrono::seconds(10), [&] { return devices().empty(); }));
  EXPECT_EQ(report().value("/launches"_json_pointer, nlohmann::json::array()).size(), 1u);
}

TEST_F(ProcessTest, AKilledProgramWhoseKernelRunsEndsItsDevice) {
  start("hangs");
  ASSERT_TRUE(is_ready()) << errors();
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  ::kill(program_, SIGKILL);
  ends();
  EXPECT_TRUE(within(std::chrono::seconds(15), [&] { return devices().empty(); }));
}

TEST_F(ProcessTest, AProgramThatLeavesWithoutAWordIsReported) {
  start("leaves");
  EXPECT_EQ(exit_code(ends()), 0);
  ASSERT_TRUE(within(std::chrono::seconds(10), [&] { return devices().empty(); }));
  EXPECT_EQ(report().value("/launches"_json_pointer, nlohmann::json::array()).size(), 1u);
}

TEST_F(ProcessTest, AChildHasNoDeviceOfItsParents) {
  start("forks");
  EXPECT_EQ(exit_code(ends()), 0) << errors();
  EXPECT_EQ(report().value("/launches"_json_pointer, nlohmann::json::array()).size(), 2u);
}

TEST_F(ProcessTest, AChildMayHaveADeviceOfItsOwn) {
  start("forks_before");
  EXPECT_EQ(exit_code(ends()), 0) << errors();
}

TEST_F(ProcessTest, ChildrenEndWellWhateverTheirParentsThreadsDo) {
  start("forks_among_threads");
  EXPECT_EQ(exit_code(ends()), 0) << output() << errors();
}

TEST_F(ProcessTest, AProgramThatTakesThePlaceHasADeviceOfItsOwn) {
  start("execs");
  EXPECT_EQ(exit_code(ends()), 0) << errors();
}  // TearDown sees both devices end

TEST_F(ProcessTest, AnAbortedProgramIsReported) {
  start("aborts");
  const int status = ends();
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT) << status;
  ASSERT_TRUE(within(std::chrono::seconds(10), [&] { return devices().empty(); }));
  EXPECT_EQ(report().value("/launches"_json_pointer, nlohmann::json::array()).size(), 1u);
}

TEST_F(ProcessTest, DestructorsMayLaunchKernels) {
  start("ends_late");
  EXPECT_EQ(exit_code(ends()), 0) << errors();
  EXPECT_NE(output().find("late: 0"), std::string::npos) << output();
}

/// The rules are the same with the device in the program's process.
TEST_F(ProcessTest, ForkAndExitWithTheDeviceInside) {
  for (const char* const what :
       {"forks", "forks_before", "forks_among_threads", "execs", "ends_late", "spins"}) {
    start(what, {"SIMGPU_DEVICE=inside"});
    EXPECT_EQ(exit_code(ends()), 0) << what << output() << errors();
  }
}

TEST_F(ProcessTest, NonsenseEndsTheConnectionAndIsTheProgramsFault) {
  start("scribbles");
  EXPECT_EQ(exit_code(ends()), 0) << output();
  EXPECT_NE(errors().find("breaks the grammar"), std::string::npos) << errors();
  const std::string text = report().dump();
  EXPECT_NE(text.find("breaks the grammar"), std::string::npos) << text;
}

TEST_F(ProcessTest, APlaceBeyondTheRingIsNonsense) {
  start("scribbles", {"BEYOND=1"});
  EXPECT_EQ(exit_code(ends()), 0) << output();
  EXPECT_NE(errors().find("beyond what the ring can hold"), std::string::npos) << errors();
}

TEST_F(ProcessTest, AHostFunctionRunsWhileTheProgramMakesNoCall) {
  start("spins");
  EXPECT_EQ(exit_code(ends()), 0) << errors();
}

TEST_F(ProcessTest, AThreadOfTheLibrarysIsNobodyWhoCouldAct) {
  start("stands");
  EXPECT_EQ(exit_code(ends()), 0) << output() << errors();
}

TEST_F(ProcessTest, FiguresAreWithinReach) {
  for (const char* const kind : {"figures", "figures_pinned", "figures_mapped", "figures_managed"}) {
    start(kind);
    EXPECT_EQ(exit_code(ends()), 0) << errors();
    std::printf("%s", output().c_str());
  }
}

/// A client of the test's own, which can say what no library says.
class RawClientTest : public ProcessTest {
 protected:
  void SetUp() override {
    ProcessTest::SetUp();
    start_device({.card = "h200", .slice = 12, .devices = 1, .settings = {}, .report = ""});
  }
  /// @param child it is, and stays, a child of ours, and is given `own_` as the grader's pages
  void start_device(const process::Start& start, bool child = false) {
    door_ = *link::connected_sockets();
    grader_ = *link::connected_sockets();
    program_ = ::fork();
    if (program_ == 0) {
      ::putenv(mark_.data());
      const int door = ::dup(door_.theirs), grader = ::dup(grader_.theirs);
      ::dup2(door, 3);
      ::dup2(grader, 4);
      ::execl(DEVICE, DEVICE, child ? "--child" : nullptr, nullptr);
      ::_exit(99);
    }
    if (!child) {
      ASSERT_EQ(exit_code(ends()), 0);
    }
    ::close(door_.theirs);
    ::close(grader_.theirs);
    std::string problem;
    pages_.emplace(*link::Pages::make(problem));
    const std::vector<int> own(own_ < 0 ? 0 : 1, own_);
    ASSERT_TRUE(link::send_text(grader_.ours, process::text_of({0, start}), own));
    shared_.emplace(*memory::SharedPages::make());
    const int descriptors[] = {pages_->descriptor(), shared_->descriptor()};
    ASSERT_TRUE(link::send_text(door_.ours, "pages", descriptors));
    ASSERT_TRUE(link::receive_text(grader_.ours));
    port_.emplace(*pages_, link::Side::client, door_.ours, queue::kMostMessageBytes);
  }
  void TearDown() override {
    ::close(door_.ours);
    ::close(grader_.ours);
    ProcessTest::TearDown();
  }
  void say(queue::Body body, bool quiet = false) {
    std::vector<std::byte> record;
    ASSERT_TRUE(queue::encode({++sequence_, 0, std::move(body), quiet}, record));
    ASSERT_TRUE(port_->send(record));
  }
  queue::Message hear() {
    std::vector<std::byte> record;
    const bool came = within(std::chrono::seconds(10), [&] { return port_->receive(record); });
    EXPECT_TRUE(came);
    return came ? queue::decode_message(record).message : queue::Message{};
  }
  std::string ended() {
    const queue::Message message = hear();
    const auto* const end = std::get_if<queue::Ended>(&message.body);
    return end != nullptr ? end->why : "it has not ended";
  }

  link::Sockets door_, grader_;
  int own_ = -1;  ///< pages of the grader
  std::optional<link::Pages> pages_;
  std::optional<memory::SharedPages> shared_;
  std::optional<link::Port> port_;
  std::uint64_t sequence_ = 0;
};

/// As a judge has it: the device is its child, and what the program says is carried out between go and hold.
class GradedClientTest : public RawClientTest {
 protected:
  void SetUp() override {
    ProcessTest::SetUp();
    own_ = ::memfd_create("grader", MFD_CLOEXEC);
    ASSERT_EQ(::ftruncate(own_, kOwn), 0);
    own_bytes_ = static_cast<char*>(::mmap(nullptr, kOwn, PROT_READ | PROT_WRITE, MAP_SHARED, own_, 0));
    start_device({.card = "", .slice = 0, .devices = 1, .settings = {}, .report = "", .client = ::getpid()},
                 /*child=*/true);
    say(queue::Hello{.devices = 1, .slice = 12});
    hear();
    say(queue::Allocate{.bytes = 64});
    memory_ = std::get<queue::Allocated>(std::get<queue::Answer>(hear().body).body).address;
  }
  void TearDown() override {
    ::munmap(own_bytes_, kOwn);
    ::close(own_);
    RawClientTest::TearDown();
    int status = 0;
    ::waitpid(program_, &status, 0);
  }
  nlohmann::json ask(decltype(process::Request::body) body) {
    EXPECT_TRUE(link::send_text(grader_.ours, process::text_of({0, std::move(body)})));
    const auto answer = link::receive_text(grader_.ours);
    return nlohmann::json::parse(answer.value_or(""), nullptr, false);
  }
  std::string copy(bool in, process::Transfer::Stretch one) {
    return ask(process::Transfer{.to_device = in, .stretches = {std::move(one)}})
        .value("problem", "no answer");
  }

  static constexpr std::size_t kOwn = 4096;
  char* own_bytes_ = nullptr;
  std::uint64_t memory_ = 0;
};

TEST_F(GradedClientTest, NothingIsCarriedOutWhileItIsHeld) {
  const auto still = ask(process::Hold{});
  EXPECT_EQ(still.value("idle", false), true);
  EXPECT_EQ(still.value("launches", -1), 0);
  say(queue::Free{.address = memory_});
  std::vector<std::byte> record;
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_FALSE(port_->receive(record));
  EXPECT_EQ(ask(process::TakeReport{}).at("allocations").at("live_count"), 1);
  ask(process::Go{});
  hear();
  EXPECT_EQ(ask(process::TakeReport{}).at("allocations").at("live_count"), 0);
}

TEST_F(GradedClientTest, WhatHasComeIsCarriedOutBeforeItIsHeld) {
  for (int i = 0; i < 100; ++i) say(queue::Allocate{.bytes = 16});
  ask(process::Hold{});
  EXPECT_EQ(ask(process::TakeReport{}).at("allocations").at("live_count"), 101);
}

TEST_F(GradedClientTest, BytesComeAndGoByTheGradersPages) {
  ask(process::Hold{});
  std::strcpy(own_bytes_ + 8, "in its place");
  EXPECT_EQ(copy(true, {memory_, 16, 1, 0, 8, "device"}), "");
  EXPECT_EQ(copy(false, {memory_ + 3, 4, 3, 4, 1024, "device"}), "");
  EXPECT_EQ(std::string(own_bytes_ + 1024, 9), "its place");
}

TEST_F(GradedClientTest, PlacesAreHeldAgainstWhatThereIs) {
  ask(process::Hold{});
  EXPECT_NE(copy(true, {memory_ + 60, 5, 1, 0, 0, ""}).find("smaller"), std::string::npos);
  EXPECT_NE(copy(true, {memory_, 8, 3, 30, 0, ""}).find("smaller"), std::string::npos);
  EXPECT_NE(copy(true, {memory_, 8, ~std::uint64_t{0}, 8, 0, ""}).find("no place"), std::string::npos);
  EXPECT_NE(copy(true, {memory_, 8, 1, 0, kOwn, ""}).find("no place"), std::string::npos);
  EXPECT_NE(copy(false, {memory_ + 4096, 1, 1, 0, 0, ""}).find("no such memory"), std::string::npos);
  EXPECT_NE(copy(false, {memory_, 8, 1, 0, 0, "managed"}).find("device, and not managed"), std::string::npos);
}

TEST_F(GradedClientTest, RequestsMayBeSentBeforeTheFirstIsAnswered) {
  for (int i = 0; i < 3; ++i)
    ASSERT_TRUE(link::send_text(grader_.ours, process::text_of({0, process::Hold{}})));
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(link::receive_text(grader_.ours));
}

TEST_F(RawClientTest, SaysHelloAndBye) {
  say(queue::Hello{.devices = 1, .slice = 12});
  EXPECT_EQ(hear().sequence, 1u);
  say(queue::Allocate{.bytes = 64});
  const queue::Message made = hear();
  EXPECT_TRUE(std::holds_alternative<queue::Allocated>(std::get<queue::Answer>(made.body).body));
  say(queue::Note{"Nobody answers this.", ""}, /*quiet=*/true);
  say(queue::Bye{});
  EXPECT_EQ(hear().sequence, 4u);
}

TEST_F(RawClientTest, IsToldWhatIsWrongAndTheGraderStillHasItsReport) {
  say(queue::Hello{.devices = 1, .slice = 12});
  hear();
  say(queue::Launch{.stream = queue::kLegacyStreams, .module = 7});
  const std::string why = ended();
  EXPECT_NE(why.find("Record 2 (launch) breaks the grammar: there is no module 7."), std::string::npos)
      << why;
  ASSERT_TRUE(link::send_text(grader_.ours, process::text_of({99, process::TakeReport{}})));
  const auto report = link::receive_text(grader_.ours);
  ASSERT_TRUE(report);
  EXPECT_NE(report->find("there is no module 7"), std::string::npos);
}

TEST_F(RawClientTest, DevicesThatThereAreNotAreRefused) {
  say(queue::Hello{.devices = 2, .slice = 12});
  EXPECT_NE(ended().find("there are 1 devices, not 2"), std::string::npos);
}

TEST_F(RawClientTest, NoiseIsRefused) {
  std::vector<std::byte> noise(4096);
  for (std::size_t i = 0; i < noise.size(); ++i) noise[i] = static_cast<std::byte>(i * 179 + 83);
  ASSERT_TRUE(port_->send(noise));
  EXPECT_NE(ended().find("breaks the grammar"), std::string::npos);
}

TEST_F(RawClientTest, HalfARecordHangsNobody) {
  say(queue::Hello{.devices = 1, .slice = 12});
  hear();
  std::vector<std::byte> record;
  ASSERT_TRUE(queue::encode({2, 0, queue::Settle{}}, record));
  ASSERT_TRUE(port_->send(std::span(record).first(8)));
}  // TearDown sees the device end

}  // namespace
}  // namespace simgpu
