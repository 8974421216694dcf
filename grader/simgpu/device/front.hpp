/// @file
/// Where records of a client become work of the device: each is read, held against the rules, carried out and answered. It knows no
/// transport, so that tests and a fuzzer can drive it; what the client says, in whatever order, changes nothing but the device's state,
/// and what breaks a rule ends the connection with one sentence.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "simgpu/device/executor.hpp"
#include "simgpu/device/gpu.hpp"
#include "simgpu/queue/answer.hpp"
#include "simgpu/queue/command.hpp"
#include "simgpu/queue/session.hpp"

namespace simgpu::device {

class Front {
 public:
  /// What the front needs of the loop around it.
  struct World {
    std::function<void(const queue::Message&)> send;
    /// A stream stands still until the client has run a function: waits for a record and gives it to take(). @return false: there will be
    /// none any more.
    std::function<bool()> listen;
    /// Threads that the client has.
    std::function<int()> threads;
  };

  /// @param staging pages that both sides map
  Front(Gpu& gpu, std::span<std::byte> staging, World world);

  /// A record has come.
  void take(std::span<const std::byte> record);
  /// What has come is no record. @param why a sentence
  void end(std::string why);
  /// The connection ends: the client has said bye, or broken the grammar.
  bool ended() const noexcept { return ended_; }
  /// Why, if it is the client's fault.
  const std::string& why() const noexcept { return why_; }
  /// Sequence of the last command that was taken.
  std::uint64_t taken() const noexcept { return taken_; }

  // --- Kernels that stand still: the loop gives them their turn. ---
  bool idle() const { return executor_.idle(); }
  /// Whether a thread of the client waits for something that is not done.
  bool someone_waits() const { return !waits_.empty(); }
  /// Whether the client has threads that do not wait.
  bool others_may_act() const;
  /// Lets go on what can, and answers who need not wait any longer.
  void look_again();

  // --- The grader's. ---
  void set_devices(std::uint32_t count);
  /// A copy between the grader's memory and an allocation of the program's, `rows` of `width` bytes, which lie `pitch` apart there.
  struct Transfer {
    bool to_device = false;
    std::uint64_t address = 0, width = 0, rows = 1, pitch = 0;
    std::string
        kind;  ///< that the allocation has to be of (Gpu::kind_of), or one of several with | between; empty: any
  };
  /// @param here the grader's side, row behind row @return why not, or nothing.
  std::string transfer(const Transfer& wish, std::byte* here);
  /// The program has ended: nobody can act for kernels that stand still.
  void end_all() { executor_.end_all(); }

 private:
  /// A command whose answer has to wait.
  struct Wait {
    std::uint64_t sequence = 0;
    queue::Body body;
    Executor::Pending pending;
    bool quiet = false;
    std::vector<std::byte> bytes;    ///< that it takes or brings in pieces
    std::optional<std::size_t> out;  ///< where in them those begin that it brings
  };

  void carry_out(queue::Command& command);
  std::optional<queue::Answer> refused(const queue::Body& body) const;
  std::optional<queue::Answer> own(const queue::Body& body);
  void find_bytes(Wait& wait);
  void find_bytes(queue::Bytes& bytes);
  void answer(const Wait& wait, queue::Answer answer);
  void brought(Wait& wait);
  void note(const queue::Body& body, const queue::Answer& answer);
  void reached(const queue::Reached& now);
  std::optional<int> device_of(const queue::Body& body) const;
  std::string calling() const;

  Gpu& gpu_;
  std::span<std::byte> staging_;
  World world_;
  queue::Session session_;
  Executor executor_;
  std::uint64_t taken_ = 0;
  bool ended_ = false;
  std::string why_;
  std::size_t graphs_ = 0;  ///< that run
  std::list<Wait> waits_;
  const queue::Body* now_ = nullptr;  ///< that is carried out, or for which the client waits
  std::set<std::uint64_t> done_;      ///< tokens whose function the client has run
  std::vector<std::byte> passed_;
  std::map<std::uint64_t, std::vector<std::byte>> brought_;  ///< by copies, to be fetched
  std::map<std::uint64_t, std::size_t> fetched_;
};

}  // namespace simgpu::device
