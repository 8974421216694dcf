/// @file
/// What the kernels of the twentieth held-out set share. Arrays, frame and helpers are the earlier sets'; so
/// is the rule that work and what is counted of it are factors of Set::n or Set::sms. Tables that a problem
/// fixes stay as they are; what a launch costs does not shrink: run_whole counts it. Each file has a class or
/// a few of kernels; main.cu runs them.
#pragma once

#include "../set_helpers.hpp"

namespace held_out_20 {

using namespace set_helpers;

#include "../set_groups.hpp"

}  // namespace held_out_20
