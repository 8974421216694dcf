/// @file
/// Uses the shared library from host code.
#include <cstdlib>
#include <cstring>
#include <iostream>

#include "filters.h"

int main(int argc, char** argv) {
  unsigned char level = 128;
  for (int i = 1; i + 1 < argc; ++i)
    if (std::strcmp(argv[i], "--level") == 0) level = static_cast<unsigned char>(std::atoi(argv[i + 1]));
  std::vector<unsigned char> image(1000);
  for (size_t i = 0; i < image.size(); ++i) image[i] = static_cast<unsigned char>(i);
  const auto result = threshold(image, level);
  bool right = true;
  for (size_t i = 0; i < image.size(); ++i) right = right && result[i] == (image[i] >= level ? 255 : 0);
  std::cout << (right ? "PASSED" : "FAILED") << std::endl;
  return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
