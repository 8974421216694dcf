/// @file
/// A worker: loads one plugin and runs it on one device, because a student's code may crash, hang or lie, and
/// then only this process does. The same objects are linked twice: with the CUDA runtime (worker-gpu) and
/// with the simulated one (worker-sim).
#include <unistd.h>

#include <cstdio>

#include "protocol/names.hpp"
#include "worker/hardening.hpp"
#include "worker/session.hpp"
#include "worker/simulator.hpp"

int main() {
  course::worker::detach_from_parent();
  course::worker::find_simulator();
  const int status =
      course::worker::session(course::protocol::kSocketDescriptor, course::protocol::kArenaDescriptor)
          .serve();
  // Neither the plugin's destructors nor the runtime's are worth running: the judge has what it needs.
  std::fflush(nullptr);
  ::_exit(status);
}
