/// @file
/// What kind of memory a place is.
#include "simgpu/device/place.hpp"

namespace simgpu::device {

using memory::AllocationKind;

bool Place::on_device() const {
  return allocation != nullptr &&
         (allocation->kind == AllocationKind::device || allocation->kind == AllocationKind::global ||
          allocation->kind == AllocationKind::constant);
}
bool Place::pinned() const {
  return allocation != nullptr &&
         (allocation->kind == AllocationKind::pinned || allocation->kind == AllocationKind::registered);
}
bool Place::managed() const {
  return allocation != nullptr && allocation->kind == AllocationKind::managed;
}
queue::Place::Kind Place::kind() const {
  if (pageable()) return queue::Place::Kind::staging;
  return on_device() ? queue::Place::Kind::device : queue::Place::Kind::pages;
}

}  // namespace simgpu::device
