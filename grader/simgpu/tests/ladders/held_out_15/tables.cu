/// @file
/// Doubles of constant memory for which eight lanes ask together, decks of cards in arrays of a thread.
#include "held_out_15.hpp"

namespace held_out_15 {
namespace {

constexpr unsigned kNotes = 256, kNotesTogether = 8;
__constant__ double notes_of_all[kNotes];
double note_of(std::size_t k) {
  return 0.001 * static_cast<double>(word_of(k + 99) % 100000);
}
__global__ void __launch_bounds__(256) add_up_notes(const unsigned* words, double* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  const unsigned w = words[i / kNotesTogether];
  double sum = 0;
#pragma unroll
  for (unsigned k = 0; k < 4; ++k) sum += notes_of_all[w >> (8 * k) & 255];
  out[i] = sum;
}

constexpr unsigned kCards = 52;
/// The four cards on top after a deck was mixed.
__host__ __device__ __forceinline__ unsigned cards_on_top(unsigned word) {
  unsigned char deck[kCards];
#ifdef __CUDA_ARCH__
#pragma unroll 1
#endif
  for (unsigned k = 0; k < kCards; ++k) deck[k] = static_cast<unsigned char>(k + 1);
#ifdef __CUDA_ARCH__
#pragma unroll 1
#endif
  for (unsigned k = kCards - 1; k > 0; --k) {
    word = word * 1664525u + 1013904223u;
    const unsigned with = place_of(word, k + 1);
    const unsigned char card = deck[with];
    deck[with] = deck[k];
    deck[k] = card;
  }
  return deck[0] | unsigned{deck[1]} << 8 | unsigned{deck[2]} << 16 | unsigned{deck[3]} << 24;
}
__global__ void __launch_bounds__(128) mix_decks(const unsigned* words, unsigned* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) out[i] = cards_on_top(words[i]);
}

}  // namespace

void tables(Set& s) {
  const std::size_t n = s.n;
  std::vector<double> notes(kNotes);
  for (std::size_t k = 0; k < kNotes; ++k) notes[k] = note_of(k);
  ladder::check(cudaMemcpyToSymbol(notes_of_all, notes.data(), sizeof notes_of_all), "constants");
  const unsigned added = as_number(n / 16);
  s.run(
      "four doubles of constant memory added up, the same for eight lanes", 8.5 * added,
      [&] { add_up_notes<<<Set::blocks(added), 256>>>(s.words, reinterpret_cast<double*>(s.out), added); },
      [&] {
        return doubles(s, added, [](std::size_t i) {
          double sum = 0;
          for (unsigned k = 0; k < 4; ++k) sum += note_of(word_of(i / kNotesTogether) >> (8 * k) & 255);
          return sum;
        });
      });

  const unsigned decks = as_number(n / 256);
  s.run(
      "decks of 52 bytes mixed, an array of each thread", 8.0 * decks,
      [&] { mix_decks<<<Set::blocks(decks, 128), 128>>>(s.words, s.numbers(), decks); },
      [&] { return numbers(s, decks, [](std::size_t i) { return cards_on_top(word_of(i)); }); });
}

}  // namespace held_out_15
