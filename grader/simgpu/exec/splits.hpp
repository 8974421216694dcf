/// @file
/// Splits of a warp and the places where they meet again: what calls, branches and gathering instructions do to them.
/// What everybody needs of this (save_split, choose_split, ...) is in state.hpp.
#pragma once

#include <utility>

#include "simgpu/exec/state.hpp"

namespace simgpu::exec {

/// Puts @p r into a free entry of `meets`. @return its index.
s32 new_meet(Warp& warp, const Reconvergence& r);
/// Lanes @p mask go on at @p pc as a split of their own, below entry @p parent (-1: none).
void add_split(Warp& warp, u32 pc, u32 mask, s32 parent, Frame* frame);
/// If all lanes of entry @p index have come, they go on as one split.
void complete_if_full(Warp& warp, s32 index);
void remove_current(Warp& warp);
/// Lanes leave the entries from @p index up (to the nearest call's entry if @p to_call), never to arrive there.
/// @return that entry, or -1.
s32 leave(Warp& warp, s32 index, u32 lanes, bool to_call);
/// The current split has come to its reconvergence point.
void arrive(Warp& warp);
/// Replaces the current split by @p count (up to 33) groups of {pc, lanes}, which meet again at @p meet (kNoPc: only when
/// they end).
void diverge(Warp& warp, u32 meet, const std::pair<u32, u32>* groups, std::size_t count);
/// The current split keeps @p keep; lanes @p other form a split of their own at @p pc.
void cut(Warp& warp, u32 keep, u32 other, u32 pc);
/// The warp's turn is over: another split has the next one.
void end_turn(Warp& warp);

// calls.cpp
void call(Warp& warp, const Ins& ins, u32 mask);
void ret(Warp& warp, u32 mask);

// gather.cpp
/// A *.sync instruction: runs once all the lanes that its mask names have come.
void gather(Warp& warp, const Ins& ins, u32 mask);
/// @return lanes that have come to meet those of @p split, which waits at a *.sync instruction; itself included.
u32 gathered(const Warp& warp, const Split& split);

}  // namespace simgpu::exec
