/// @file
/// Reads options, filters an image, checks it. The C++ compiler knows nothing of CUDA here.
#include <getopt.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "filter.h"

int main(int argc, char** argv) {
  int width = 100, height = 60, radius = 2;
  const option options[] = {{"width", required_argument, nullptr, 'w'},
                            {"height", required_argument, nullptr, 'h'},
                            {"radius", required_argument, nullptr, 'r'},
                            {nullptr, 0, nullptr, 0}};
  for (int c; (c = getopt_long(argc, argv, "w:h:r:", options, nullptr)) != -1;) {
    if (c == 'w') width = std::atoi(optarg);
    if (c == 'h') height = std::atoi(optarg);
    if (c == 'r') radius = std::atoi(optarg);
    if (c == '?') {
      std::fprintf(stderr, "usage: %s [--width N] [--height N] [--radius N]\n", argv[0]);
      return 2;
    }
  }
  std::vector<unsigned char> image(static_cast<size_t>(width) * height), blurred(image.size());
  for (size_t i = 0; i < image.size(); ++i) image[i] = static_cast<unsigned char>(i * 31 % 251);
  float milliseconds = 0;
  if (box_blur(image.data(), blurred.data(), width, height, radius, &milliseconds) != 0) return 1;
  std::printf("%d x %d, radius %d: %.3f ms\n", width, height, radius, milliseconds);
  int wrong = 0;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      int sum = 0;
      for (int dy = -radius; dy <= radius; ++dy)
        for (int dx = -radius; dx <= radius; ++dx)
          sum += image[std::clamp(y + dy, 0, height - 1) * width + std::clamp(x + dx, 0, width - 1)];
      wrong += blurred[y * width + x] != sum / ((2 * radius + 1) * (2 * radius + 1));
    }
  std::puts(wrong == 0 ? "PASSED" : "FAILED");
  return wrong != 0;
}
