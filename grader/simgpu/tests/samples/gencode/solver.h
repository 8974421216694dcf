/// @file
/// A solver behind a class: its header shows nothing of CUDA.
#pragma once

#include <memory>
#include <vector>

class Solver {
 public:
  explicit Solver(std::vector<double> temperature);
  ~Solver();
  void advance(int steps);
  std::vector<double> temperature() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};
