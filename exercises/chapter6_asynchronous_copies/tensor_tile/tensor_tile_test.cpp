/// @file
/// How tensor_tile is graded: an image cut into tiles, bit for bit, whose elements come as boxes of a tensor. In single and in half
/// precision, with padding between the rows, and tiles that stick out of the image.
#include "tensor_tile.cuh"

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "judge/exercise.hpp"

namespace {

using course::shape;

// Shares of the reference's speed on an H200: plain, a tile of 4 KB a block, 0.97; a ring of ten tiles a block 0.82.
constexpr double kPass = 0.80, kLimit = 0.95;

const course::gate kLoadedByTensorCopies = course::idea(
    course::metrics::tensor_loads, course::at_least(0.99),
    "let tensor_load() bring each tile as one box; a copy of bytes in a row knows nothing of images");
// A box of 8 x 256 floats has as many bytes as one of 32 x 64, in requests of a sector each.
const course::gate kLongRows =
    course::idea(course::metrics::tensor_row, course::at_least(tensor_tile_row_bytes),
                 "keep the box's inner row long: a tile's row has 128 bytes, and can come as one");
// Boxes that stick out of the timed image count as a whole: 1.02 with a tile's boxes, 1.12 with the widest, of 256 columns. Who loads
// the image a second time, past the boxes, has 2.
const course::gate kLoadedOnce =
    course::idea(course::metrics::load_bytes, course::at_most(1.3),
                 "use the elements that the boxes bring: nothing needs to be loaded a second time");

// 32 lanes that initialise one barrier do it 32 times. A barrier that has served may be initialised anew.
const course::gate kMadeOnce = course::idea(
    course::metrics::repeated_inits, course::at_most(0),
    "let one thread initialise a barrier, once: a second time wipes out what the first has begun");

/// {width, height, pitch in bytes, address modulo 256} of an image whose rows have @p padding times 16 bytes more than they need.
template <class T>
shape image_of(std::size_t width, std::size_t height, std::size_t padding, std::size_t offset = 0) {
  return {width, height, (width * sizeof(T) + 15) / 16 * 16 + 16 * padding, offset};
}

template <class T>
course::problem tiles_of(const shape& sizes) {
  constexpr std::size_t row = tensor_tile_row_bytes / sizeof(T), rows = tensor_tile_rows;
  const std::size_t width = sizes[0], height = sizes[1], pitch = sizes[2], stride = pitch / sizeof(T);
  const std::size_t across = (width + row - 1) / row, down = (height + rows - 1) / rows;
  const bool empty = width == 0 || height == 0;
  const std::size_t in_memory =
      empty ? 0 : (height - 1) * stride + width;  // the last row ends without padding
  const std::size_t in_tiles = empty ? 0 : across * down * row * rows;
  course::problem p;
  const auto image =
      p.input<T>("image", in_memory,
                 {.filled_with = course::distinct, .row_length = stride, .shift = sizes[3] / sizeof(T)});
  const auto tiles = p.output<T>("tiles", in_tiles, {.row_length = row, .alignment = 16});
  const auto state = p.before(COURSE_FUNCTION(tensor_tile_setup), image, width, height, pitch, sizeof(T));
  p.timed(COURSE_FUNCTION(tensor_tile_run), state, tiles, width, height, sizeof(T), course::stream);
  p.after(COURSE_FUNCTION(tensor_tile_teardown), state);
  p.before_launches_no_kernel();
  p.teardown_frees_all();
  p.work({.read = static_cast<double>(width * height * sizeof(T)),
          .written = static_cast<double>(in_tiles * sizeof(T))});
  const auto expected = [=](const course::host_inputs& inputs, std::size_t i) {
    const std::size_t tile = i / (row * rows), within = i % (row * rows);
    const std::size_t x = tile % across * row + within % row, y = tile / across * rows + within / row;
    return x < width && y < height ? inputs[image][y * stride + x] : T{};
  };
  const auto affected = [=](std::size_t i) -> course::index_range {
    const std::size_t x = i % stride, y = i / stride;
    if (x >= width) return {0, 0};  // padding
    return {((y / rows * across + x / row) * rows + y % rows) * row + x % row, 1};
  };
  p.expects(tiles, course::each_element(expected, affected), course::exact());
  return p;
}

template <class T>
shape drawn_image(course::random_source& draw, std::size_t least, std::size_t most) {
  const std::size_t width = draw.between(least, most), height = draw.between(least, most);
  const std::size_t padding = draw.between(0, 5);
  return image_of<T>(width, height, padding, 16 * draw.between(0, 15));
}

/// An image of about @p bytes / 2, with sides that are no multiples of a tile's.
template <class T>
shape timed_image(std::size_t bytes) {
  const auto side =
      static_cast<std::size_t>(std::sqrt(static_cast<double>(bytes) / (2 * sizeof(T)))) / 64 * 64;
  return image_of<T>(side + 10, side - 6, 2);
}

/// First an image of several tiles with padding, so that what is told is not the edge; then another one of the same shape elsewhere. Then
/// around a tile, long and narrow, the ends of what the contract allows.
std::vector<shape> float_images() {
  const auto one = [](std::size_t width, std::size_t height, std::size_t padding, std::size_t offset = 0) {
    return image_of<float>(width, height, padding, offset);
  };
  return {one(150, 70, 2),  one(150, 70, 2, 48), one(1, 1, 0),     one(4, 1, 0, 240), one(0, 5, 1),
          one(5, 0, 0),     one(31, 32, 0),      one(32, 31, 0),   one(32, 32, 0),    one(32, 32, 1, 16),
          one(33, 32, 0),   one(32, 33, 0, 128), one(33, 33, 3),   one(64, 64, 0),    one(63, 129, 0, 80),
          one(100, 36, 0),  one(127, 257, 0),    one(1, 1009, 0),  one(1009, 1, 0),   one(3, 70, 40),
          one(260, 129, 0), one(2049, 40, 1),    one(40, 2049, 0), one(65'536, 2, 0), one(2, 65'536, 1)};
}
std::vector<shape> half_images() {
  const auto one = [](std::size_t width, std::size_t height, std::size_t padding, std::size_t offset = 0) {
    return image_of<course::half>(width, height, padding, offset);
  };
  return {one(150, 70, 0),     one(1, 1, 0),     one(0, 3, 0),   one(63, 32, 0, 16),
          one(64, 32, 0),      one(65, 33, 1),   one(32, 32, 0), one(127, 64, 3),
          one(1, 257, 0, 112), one(1009, 31, 0), one(8, 1009, 0)};
}

}  // namespace

COURSE_EXERCISE(tensor_tile) {
  return {
      .asks = tiles_of<float>,
      .size_names = {"width", "height", "pitch", "offset"},
      .cases = float_images(),
      .also = {{.name = "half precision",
                .asks = tiles_of<course::half>,
                .cases = half_images(),
                .drawn =
                    [](course::random_source& draw) { return drawn_image<course::half>(draw, 1, 300); }}},
      .drawn = [](course::random_source& draw) { return drawn_image<float>(draw, 1, 300); },
      .hidden = [](course::random_source& draw) { return drawn_image<float>(draw, 1'100, 1'300); },
      .benchmarks = {{.name = "floats",
                      .on_sim = image_of<float>(1'610, 1'690, 2),
                      .on_gpu = [](std::size_t bytes,
                                   const course::facts&) { return timed_image<float>(bytes); },
                      .modelled_time_decides = false},
                     {.name = "halves",
                      .asks = tiles_of<course::half>,
                      .on_sim = image_of<course::half>(2'314, 2'330, 1),
                      .on_gpu = [](std::size_t bytes,
                                   const course::facts&) { return timed_image<course::half>(bytes); },
                      .modelled_time_decides = false}},
      .gates = {course::pass(course::at_least(kPass)), course::limit(course::at_least(kLimit)),
                kLoadedByTensorCopies, kLongRows, kLoadedOnce, kMadeOnce},
  };
}
