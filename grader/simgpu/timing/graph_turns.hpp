/// @file
/// When the nodes of a graph have their turns: each after those that it waits for, so that branches run side by side. Nodes are carried out
/// one after the other in the graph's stream, whose clock is set for each to where its turn is.
///
/// Measured on an H200: what is on top of the longest chain is 1 us for each chain beside the first that waits for nothing (2 to 8 chains of 4
/// and 5 small kernels), but 0.28 us for each of 2 to 16 kernels that wait for the same one (HostCosts::graph_root, graph_fork, graph_join).
#pragma once

#include <cstddef>
#include <vector>

#include "simgpu/timing/timeline.hpp"

namespace simgpu::timing {

class GraphTurns {
 public:
  /// @param timeline of the graph's stream
  GraphTurns(Timeline& timeline, StreamId stream, std::size_t nodes, const HostCosts& costs)
      : timeline_(timeline),
        stream_(stream),
        root_(costs.graph_root),
        fork_(costs.graph_fork),
        join_(costs.graph_join),
        start_(timeline.turn(stream)),
        latest_(start_),
        nodes_(nodes) {
    timeline_.enter_graph();
  }
  ~GraphTurns() { timeline_.leave_graph(); }
  GraphTurns(const GraphTurns&) = delete;
  GraphTurns& operator=(const GraphTurns&) = delete;

  /// What comes now is node @p index, which waits for nodes @p after: of each of them begun and ended before.
  void begin(std::size_t index, const std::vector<std::size_t>& after) {
    end_node();
    Timeline::Turn turn = start_;
    if (after.empty()) turn.at += root_ * static_cast<double>(followers_++);
    for (const std::size_t before : after) {
      Node& node = nodes_[before];
      Timeline::Turn then = node.done;
      then.at += fork_ * static_cast<double>(node.followers++);
      if (then.at > turn.at) turn = then;
    }
    if (after.size() > 1) turn.at += join_;
    running_ = index;
    timeline_.set_turn(stream_, turn);
  }

  /// All have been carried out: the stream goes on when the last one has ended.
  void end() {
    end_node();
    timeline_.set_turn(stream_, latest_);
  }

 private:
  struct Node {
    Timeline::Turn done;
    std::size_t followers = 0;  ///< that have begun
  };
  static constexpr std::size_t kNone = ~std::size_t{0};

  void end_node() {
    if (running_ == kNone) return;
    const Timeline::Turn done = timeline_.turn(stream_);
    nodes_[running_].done = done;
    if (done.at > latest_.at) latest_ = done;
    running_ = kNone;
  }

  Timeline& timeline_;
  StreamId stream_;
  double root_, fork_, join_;  ///< [seconds]
  Timeline::Turn start_, latest_;
  std::vector<Node> nodes_;
  std::size_t followers_ = 0;  ///< of the graph's begin
  std::size_t running_ = kNone;
};

}  // namespace simgpu::timing
