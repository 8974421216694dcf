/// @file
/// Filters for grey images in host memory.
#pragma once

#include <vector>

/// 255 where a value is @p level or more, else 0.
std::vector<unsigned char> threshold(const std::vector<unsigned char>& image, unsigned char level);
