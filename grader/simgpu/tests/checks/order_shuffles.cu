/// @file
/// Shuffles that ask lanes which take no part: what comes is undefined, and no mistake as long as it is thrown away. Sums, scans and
/// differences in a warp that is not full are written like this.
#include <cooperative_groups.h>

#include "order.hpp"

namespace cg = cooperative_groups;

constexpr unsigned kFull = 0xFFFF'FFFFu;
constexpr int kThere = 20;  // lanes; the others have ended

// Sums by halves: the value is added only where there is one.
template <bool guarded>
__global__ void sum_of_some(int* y) {
  const int lane = threadIdx.x;
  if (lane >= kThere) return;
  int sum = lane + 1;
  for (int d = 16; d > 0; d /= 2) {
    const int other = __shfl_down_sync(kFull, sum, d);  //! sum_of_some
    if (!guarded || lane + d < kThere) sum += other;
  }
  if (lane == 0) *y = sum;
}
template <bool guarded>
bool sums_some() {
  Array<int> y(1);
  sum_of_some<guarded><<<1, 32>>>(y);
  return y.is([](int) { return kThere * (kThere + 1) / 2; });
}
bool sound_sum_of_some() {
  return sums_some<true>();
}
bool sum_of_more_than_there_are() {
  return sums_some<false>();
}

// The difference to the next one, which the last has not.
enum class Last {
  thrown_away,
  times_nothing,
  stored,
  branched_on,
  address,
  added_atomically,
  voted_on,
  reduced
};

template <Last last>
__global__ void difference(const int* x, int* y) {
  const int lane = threadIdx.x;
  if (lane >= kThere) return;
  const int value = lane * lane;
  const int next = __shfl_down_sync(kFull, value, 1);  //! difference
  const bool is_last = lane == kThere - 1;
  if (last == Last::thrown_away) y[lane] = is_last ? -1 : next - value;
  if (last == Last::times_nothing) y[lane] = (next - value) * !is_last - is_last;
  if (last == Last::stored) y[lane] = next - value;
  if (last == Last::branched_on) {
    if (next > 100)
      y[lane] = 1;
    else
      y[31 - lane] = 2;
  }
  if (last == Last::address) y[lane] = x[next & 31];
  if (last == Last::added_atomically) atomicAdd(y, next);
  if (last == Last::voted_on) y[lane] = __any_sync(kFull, next == -5);
  if (last == Last::reduced) y[lane] = __reduce_max_sync(kFull, next);
}
template <Last last>
bool differs() {
  Array<int> x(32), y(32);
  difference<last><<<1, 32>>>(x, y);
  return y.is([](int i) { return i < kThere - 1 ? 2 * i + 1 : i == kThere - 1 ? -1 : 0; });
}
bool sound_difference_thrown_away() {
  return differs<Last::thrown_away>();
}
bool sound_difference_times_nothing() {
  return differs<Last::times_nothing>();
}
bool difference_stored() {
  return differs<Last::stored>();
}
bool difference_branched_on() {
  return differs<Last::branched_on>();
}
bool difference_as_address() {
  return differs<Last::address>();
}
bool difference_added_atomically() {
  return differs<Last::added_atomically>();
}
bool difference_voted_on() {
  return differs<Last::voted_on>();
}
bool difference_reduced() {
  return differs<Last::reduced>();
}

// Both neighbours, one of which each end lacks: the conditions decide before the values do.
__global__ void ends(const int* x, int* y) {
  const int lane = threadIdx.x;
  if (lane >= kThere) return;
  const int value = x[lane];
  const int before = __shfl_up_sync(kFull, value, 1), behind = __shfl_down_sync(kFull, value, 1);
  const bool first = lane == 0 || before != value, last = lane == kThere - 1 || behind != value;
  y[lane] = first + 2 * last;
}
bool sound_ends_of_runs() {
  Array<int> x(kThere), y(kThere);
  ends<<<1, 32>>>(x, y);
  return y.is([](int i) { return (i == 0) + 2 * (i == kThere - 1); });
}

// Passed on by a second shuffle: of a lane that had got nothing, or of another.
template <int from>
__global__ void passed_on(int* y) {
  const int lane = threadIdx.x;
  if (lane >= kThere) return;
  const int next = __shfl_down_sync(kFull, lane, 1);  //! passed_on
  y[lane] = __shfl_sync(kFull, next, from);
}
template <int from>
bool passes_on() {
  Array<int> y(kThere);
  passed_on<from><<<1, 32>>>(y);
  return y.is([](int) { return from + 1; });
}
bool sound_other_lane_passed_on() {
  return passes_on<3>();
}
bool nothing_passed_on() {
  return passes_on<kThere - 1>();
}

// In both arms, and lanes of each ask those of the other.
template <bool thrown_away>
__global__ void in_arms(int* y) {
  const int lane = threadIdx.x;
  if (lane >= kThere) return;
  int value;
  if (lane & 1)
    value = __shfl_down_sync(kFull, lane, 1) * 2;  //! in_arms
  else
    value = __shfl_down_sync(kFull, lane + 100, 1) + 1;
  if (thrown_away && lane == kThere - 1) value = 7;
  y[lane] = value;
}
template <bool thrown_away>
bool goes_by_arms() {
  Array<int> y(kThere);
  in_arms<thrown_away><<<1, 32>>>(y);
  return y.is([](int i) { return i == kThere - 1 ? 7 : i & 1 ? 2 * (i + 101) : i + 2; });
}
bool sound_thrown_away_in_arms() {
  return goes_by_arms<true>();
}
bool used_in_arms() {
  return goes_by_arms<false>();
}

// A group of those that are there, as a library writes it.
__global__ void group_scan(int* y) {
  if (threadIdx.x >= kThere) return;
  const cg::coalesced_group group = cg::coalesced_threads();
  int sum = 1;
  for (unsigned d = 1; d < group.size(); d *= 2) {
    const int before = group.shfl_up(sum, d), behind = group.shfl_down(sum, d);
    if (group.thread_rank() >= d) sum += before;
    if (behind < 0 && group.thread_rank() + d < group.size()) sum = 0;
  }
  y[threadIdx.x] = sum;
}
bool sound_group_scan() {
  Array<int> y(kThere);
  group_scan<<<1, 32>>>(y);
  return y.is([](int i) { return i + 1; });
}

const Case cases[] = {
    CASE(sound_sum_of_some),      CASE(sound_difference_thrown_away), CASE(sound_difference_times_nothing),
    CASE(sound_ends_of_runs),     CASE(sound_other_lane_passed_on),   CASE(sound_thrown_away_in_arms),
    CASE(sound_group_scan),       CASE(sum_of_more_than_there_are),   CASE(difference_stored),
    CASE(difference_branched_on), CASE(difference_as_address),        CASE(difference_added_atomically),
    CASE(difference_voted_on),    CASE(difference_reduced),           CASE(nothing_passed_on),
    CASE(used_in_arms),
};

int main(int argc, char** argv) {
  return run_cases(cases, argc, argv);
}
