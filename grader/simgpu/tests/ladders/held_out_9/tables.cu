/// @file
/// Tables. Constant memory: a place and a step for each coefficient of a block, planes that all lanes look at
/// together, small trees through which each lane goes its own way. Arrays of a thread at places known as it
/// runs: steps back through a trellis, corners of a polygon that is clipped.
#include "held_out_9.hpp"

namespace held_out_9 {
namespace {

constexpr unsigned kBlockOfPicture = 64;
__constant__ unsigned zigzag[kBlockOfPicture];
__constant__ float steps_of_places[kBlockOfPicture];
/// As pictures are unpacked: coefficients come in the order of their diagonals.
__global__ void unpack_coefficients(const short* in, float* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  const unsigned place = zigzag[i % kBlockOfPicture];
  out[i / kBlockOfPicture * kBlockOfPicture + place] = static_cast<float>(in[i]) * steps_of_places[place];
}

constexpr unsigned kCameras = 16;
/// Six planes of each camera: a direction inwards and how far it is from the origin.
__constant__ float4 camera_planes[kCameras * 6];
__global__ void __launch_bounds__(256) spheres_seen(const float4* spheres, unsigned* seen, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  const float4 ball = spheres[i];
  unsigned mask = 0;
#pragma unroll 1
  for (unsigned c = 0; c < kCameras; ++c) {
    bool inside = true;
#pragma unroll
    for (unsigned p = 0; p < 6; ++p) {
      const float4 plane = camera_planes[c * 6 + p];
      inside &= plane.x * ball.x + plane.y * ball.y + plane.z * ball.z + plane.w >= -0.25f * ball.w;
    }
    if (inside) mask |= 1u << c;
  }
  seen[i] = mask;
}

constexpr unsigned kTrees = 16, kDepth = 4, kNodes = 15, kLeaves = 16, kFeatures = 8;
struct TreeNode {
  float limit;
  unsigned feature;
};
__constant__ TreeNode tree_nodes[kTrees * kNodes];
__constant__ float tree_leaves[kTrees * kLeaves];
/// Features lie one behind the other, each of all samples.
__global__ void __launch_bounds__(256) ask_forest(const float* features, float* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  float sum = 0.0f;
  for (unsigned tree = 0; tree < kTrees; ++tree) {
    unsigned at = 0;
#pragma unroll
    for (unsigned level = 0; level < kDepth; ++level) {
      const TreeNode node = tree_nodes[tree * kNodes + at];
      at = 2 * at + (features[node.feature * m + i] < node.limit ? 1 : 2);
    }
    sum += tree_leaves[tree * kLeaves + at - kNodes];
  }
  out[i] = sum;
}

constexpr unsigned kSymbols = 32;
__host__ __device__ __forceinline__ unsigned odd_bits(unsigned of) {
  return (of ^ of >> 1 ^ of >> 2) & 1;
}
/// The likeliest 32 bits behind as many pairs of bits of the code (7, 5), with four states.
__host__ __device__ __forceinline__ unsigned decoded(uint2 heard) {
  unsigned char came_from[kSymbols][4];
  unsigned far[4] = {0, 99, 99, 99};
#pragma unroll 1
  for (unsigned t = 0; t < kSymbols; ++t) {
    const unsigned pair = (t < 16 ? heard.x : heard.y) >> (2 * (t % 16)) & 3;
    unsigned next[4];
#pragma unroll
    for (unsigned state = 0; state < 4; ++state) {
      unsigned cost[2];
#pragma unroll
      for (unsigned x = 0; x < 2; ++x) {
        const unsigned before = (state << 1 & 2) | x, bits = (state >> 1) << 2 | before;
        const unsigned wrong = pair ^ (odd_bits(bits) << 1 | odd_bits(bits & 5));
        cost[x] = far[before] + (wrong & 1) + (wrong >> 1);
      }
      const unsigned better = cost[1] < cost[0] ? 1 : 0;
      next[state] = better == 1 ? cost[1] : cost[0];
      came_from[t][state] = static_cast<unsigned char>((state << 1 & 2) | better);
    }
#pragma unroll
    for (unsigned state = 0; state < 4; ++state) far[state] = next[state];
  }
  unsigned state = 0, least = far[0];
#pragma unroll
  for (unsigned k = 1; k < 4; ++k)
    if (far[k] < least) least = far[k], state = k;
  unsigned bits = 0;
#pragma unroll 1
  for (unsigned t = kSymbols; t-- > 0;) {
    bits |= (state >> 1) << t;
    state = came_from[t][state];
  }
  return bits;
}
__global__ void __launch_bounds__(128) decode_trellis(const uint2* heard, unsigned* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) out[i] = decoded(heard[i]);
}

constexpr float kBoxLow = 1.5f, kBoxHigh = 5.5f;
/// How far @p p is inside of the edge: left, right, lower, upper.
__host__ __device__ __forceinline__ float inside_of(float2 p, int edge) {
  const float along = edge < 2 ? p.x : p.y;
  return edge % 2 == 0 ? along - kBoxLow : kBoxHigh - along;
}
/// The area of a triangle that lies in the box, by Sutherland's and Hodgman's way.
__host__ __device__ __forceinline__ float clipped_area(float2 a, float2 b, float2 c) {
  float2 corners[8], kept_corners[8];
  corners[0] = a, corners[1] = b, corners[2] = c;
  int count = 3;
#pragma unroll 1
  for (int edge = 0; edge < 4; ++edge) {
    int left = 0;
    for (int k = 0; k < count; ++k) {
      const float2 p = corners[k], q = corners[k + 1 < count ? k + 1 : 0];
      const float from = inside_of(p, edge), to = inside_of(q, edge);
      if (from >= 0) kept_corners[left++] = p;
      if ((from >= 0) != (to >= 0)) {
        const float part = from / (from - to);
        kept_corners[left++] = make_float2(p.x + part * (q.x - p.x), p.y + part * (q.y - p.y));
      }
    }
    for (int k = 0; k < left; ++k) corners[k] = kept_corners[k];
    count = left;
  }
  float twice = 0.0f;
  for (int k = 0; k < count; ++k) {
    const float2 p = corners[k], q = corners[k + 1 < count ? k + 1 : 0];
    twice += p.x * q.y - p.y * q.x;
  }
  return 0.5f * fabsf(twice);
}
__global__ void __launch_bounds__(128) clip_triangles(const float2* corners, float* areas, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) areas[i] = clipped_area(corners[3 * i], corners[3 * i + 1], corners[3 * i + 2]);
}

}  // namespace

void tables(Set& s) {
  const std::size_t n = s.n;
  std::vector<unsigned> order;
  for (unsigned diagonal = 0; diagonal < 15; ++diagonal)
    for (unsigned k = 0; k <= diagonal; ++k) {
      const unsigned x = diagonal % 2 == 0 ? k : diagonal - k, y = diagonal - x;
      if (x < 8 && y < 8) order.push_back(8 * y + x);
    }
  std::vector<float> steps(kBlockOfPicture);
  for (std::size_t k = 0; k < kBlockOfPicture; ++k) steps[k] = 0.125f * (8.0f + static_cast<float>(k % 37));
  ladder::check(cudaMemcpyToSymbol(zigzag, order.data(), sizeof zigzag), "zigzag");
  ladder::check(cudaMemcpyToSymbol(steps_of_places, steps.data(), sizeof steps_of_places), "steps");
  const unsigned coefficients = as_number(n / 8 / kBlockOfPicture * kBlockOfPicture);
  s.run(
      "coefficients of 8 x 8 put in their places and scaled", 6.0 * coefficients,
      [&] {
        unpack_coefficients<<<Set::blocks(coefficients), 256>>>(reinterpret_cast<const short*>(s.words),
                                                                s.out, coefficients);
      },
      [&] {
        return Set::each(coefficients, [&](std::size_t i) {
          const std::size_t place = order[i % kBlockOfPicture];
          const auto half_word = static_cast<short>(word_of(i / 2) >> (16 * (i % 2)) & 0xffff);
          return s.value(i / kBlockOfPicture * kBlockOfPicture + place) ==
                 static_cast<float>(half_word) * steps[place];
        });
      });

  std::vector<float4> planes(kCameras * 6);
  for (std::size_t k = 0; k < planes.size(); ++k)
    planes[k] = make_float4(half_of(3 * k) - 0.5f, half_of(3 * k + 1) - 0.5f, half_of(3 * k + 2) - 0.5f,
                            2.0f * half_of(k + 700));
  ladder::check(cudaMemcpyToSymbol(camera_planes, planes.data(), sizeof camera_planes), "planes");
  const unsigned balls = as_number(n / 128);
  s.run(
      "spheres seen by sixteen cameras", 20.0 * balls,
      [&] {
        spheres_seen<<<Set::blocks(balls), 256>>>(reinterpret_cast<const float4*>(s.in), s.numbers(), balls);
      },
      [&] {
        unsigned some = 0;
        const auto got = taken(s.numbers(), balls);
        for (std::size_t i = 0; i < balls; i += 1 + balls / 500) {
          some |= got[i];
          for (std::size_t c = 0; c < kCameras; ++c) {
            double least = 1e9;
            for (std::size_t p = 0; p < 6; ++p) {
              const float4 plane = planes[c * 6 + p];
              least = std::min(
                  least, double{plane.x} * float_of(4 * i) + double{plane.y} * float_of(4 * i + 1) +
                             double{plane.z} * float_of(4 * i + 2) + plane.w + 0.25 * float_of(4 * i + 3));
            }
            if (std::abs(least) < 1e-5) continue;  // rounded either way
            if ((got[i] >> c & 1) != (least > 0 ? 1u : 0u)) return false;
          }
        }
        return some != 0;
      });

  std::vector<TreeNode> nodes(kTrees * kNodes);
  for (std::size_t k = 0; k < nodes.size(); ++k)
    nodes[k] = {1.5f + 4.0f * half_of(k + 50), word_of(k + 60) % kFeatures};
  std::vector<float> leaves(kTrees * kLeaves);
  for (std::size_t k = 0; k < leaves.size(); ++k) leaves[k] = half_of(k + 70);
  ladder::check(cudaMemcpyToSymbol(tree_nodes, nodes.data(), sizeof tree_nodes), "nodes");
  ladder::check(cudaMemcpyToSymbol(tree_leaves, leaves.data(), sizeof tree_leaves), "leaves");
  const unsigned samples = as_number(n / 256);
  s.run(
      "forest of sixteen trees in constant memory", 4.0 * (kFeatures + 1) * samples,
      [&] { ask_forest<<<Set::blocks(samples), 256>>>(s.in, s.out, samples); },
      [&] {
        return floats(s, samples, [&](std::size_t i) {
          double sum = 0;
          for (std::size_t tree = 0; tree < kTrees; ++tree) {
            std::size_t at = 0;
            while (at < kNodes) {
              const TreeNode& node = nodes[tree * kNodes + at];
              at = 2 * at + (float_of(std::size_t{node.feature} * samples + i) < node.limit ? 1 : 2);
            }
            sum += leaves[tree * kLeaves + at - kNodes];
          }
          return sum;
        });
      });

  const unsigned messages = as_number(n / 256);
  s.run(
      "32 bits a thread by Viterbi's way", 12.0 * messages,
      [&] {
        decode_trellis<<<Set::blocks(messages, 128), 128>>>(reinterpret_cast<const uint2*>(s.words),
                                                            s.numbers(), messages);
      },
      [&] {
        return numbers(s, messages,
                       [](std::size_t i) { return decoded(make_uint2(word_of(2 * i), word_of(2 * i + 1))); });
      });
  const unsigned triangles = as_number(n / 128);
  s.run(
      "triangles clipped by a box", 28.0 * triangles,
      [&] {
        clip_triangles<<<Set::blocks(triangles, 128), 128>>>(reinterpret_cast<const float2*>(s.in), s.out,
                                                             triangles);
      },
      [&] {
        return within(s, triangles, 1e-3, [](std::size_t i) {
          const auto corner = [&](std::size_t k) {
            return make_float2(float_of(6 * i + 2 * k), float_of(6 * i + 2 * k + 1));
          };
          return double{clipped_area(corner(0), corner(1), corner(2))};
        });
      });
}

}  // namespace held_out_9
