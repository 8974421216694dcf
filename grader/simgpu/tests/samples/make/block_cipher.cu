/// @file
/// A toy cipher of the shape of AES: bytes are substituted, rows turned, columns mixed; decoding gives the text again.
#include "buffer.cuh"

__constant__ unsigned char box[256], inverse_box[256];

__device__ void turn_rows(unsigned char* s, int sign) {
  unsigned char t[16];
  for (int c = 0; c < 4; ++c)
    for (int r = 0; r < 4; ++r) t[4 * c + r] = s[4 * ((c + sign * r + 4) % 4) + r];
  for (int i = 0; i < 16; ++i) s[i] = t[i];
}

__global__ void crypt(unsigned char* data, int blocks, unsigned key, bool encode) {
  const int b = blockIdx.x * blockDim.x + threadIdx.x;
  if (b >= blocks) return;
  unsigned char s[16];
  *reinterpret_cast<uint4*>(s) = reinterpret_cast<const uint4*>(data)[b];
  for (int round = 0; round < 10; ++round) {
    const int r = encode ? round : 9 - round;
    if (encode) {
      for (auto& byte : s) byte = box[byte];
      turn_rows(s, 1);
    }
    for (int i = 0; i < 16; ++i) s[i] ^= static_cast<unsigned char>(key >> (8 * (i % 4)) ^ r * 29);
    if (!encode) {
      turn_rows(s, -1);
      for (auto& byte : s) byte = inverse_box[byte];
    }
  }
  reinterpret_cast<uint4*>(data)[b] = *reinterpret_cast<const uint4*>(s);
}

int main() {
  unsigned char table[256], inverse[256];
  for (int i = 0; i < 256; ++i)
    inverse[table[i] = static_cast<unsigned char>(i * 167 + 13)] = static_cast<unsigned char>(i);
  CHECK(cudaMemcpyToSymbol(box, table, 256));
  CHECK(cudaMemcpyToSymbol(inverse_box, inverse, 256));
  const int blocks = 300;
  std::vector<unsigned char> text(blocks * 16);
  for (size_t i = 0; i < text.size(); ++i) text[i] = static_cast<unsigned char>(i * i);
  Buffer<unsigned char> data(text);
  crypt<<<divide_up(blocks, 64), 64>>>(data, blocks, 0xC0DEF00Du, true);
  const auto secret = data.host();
  crypt<<<divide_up(blocks, 64), 64>>>(data, blocks, 0xC0DEF00Du, false);
  CHECK_LAUNCH();
  return verdict(secret != text && data.host() == text);
}
