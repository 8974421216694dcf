/// @file
/// Words written where data say. Atomics: readings added to a dozen totals, tickets whose answers are used,
/// bytes added to by compare and swap of their words, vectors of four floats added at once. Stores at random
/// and by a permutation. Histograms in shared memory: two counters a word, runs of equal letters joined.
#include "held_out_8.hpp"

namespace held_out_8 {
namespace {

constexpr unsigned kApart = 32;  ///< words between totals
__global__ void __launch_bounds__(256)
    add_to_few_totals(const float* readings, float* totals, unsigned count) {
  atomicAdd(totals + blockIdx.x % count * kApart, readings[global_index()]);
}

__global__ void draw_tickets(const unsigned* words, unsigned* counters, unsigned* tickets, unsigned count,
                             unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) tickets[i] = atomicAdd(&counters[ladder::place_of(words[i], count)], 1u);
}

/// What many write who need an atomic of a byte.
__device__ void add_to_byte(unsigned char* place, unsigned by) {
  const auto address = reinterpret_cast<std::uintptr_t>(place);
  auto* word = reinterpret_cast<unsigned*>(address & ~std::uintptr_t{3});
  const unsigned shift = 8 * static_cast<unsigned>(address & 3);
  unsigned seen = *word, before;
  do {
    before = seen;
    const unsigned sum = ((before >> shift & 255) + by & 255) << shift;
    seen = atomicCAS(word, before, before & ~(255u << shift) | sum);
  } while (seen != before);
}
__global__ void add_to_bytes(const unsigned* words, unsigned char* bytes, unsigned count, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  const unsigned w = words[i];
  add_to_byte(bytes + ladder::place_of(w, count), 1 + (w & 3));
}

/// Messages along the edges of a graph, added up at the nodes where they end.
__global__ void add_messages(const unsigned* words, const float4* messages, float4* nodes, unsigned count,
                             unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) atomicAdd(&nodes[ladder::place_of(words[i], count)], messages[i]);
}

__global__ void store_by_steps(const unsigned* words, unsigned* out, unsigned step, unsigned first,
                               unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) out[(static_cast<unsigned long long>(i) * step + first) % m] = words[i];
}

constexpr unsigned kPage = 4096;
/// A place in a page for each place of it.
__host__ __device__ __forceinline__ unsigned shuffled_place(unsigned i) {
  const unsigned page = i / kPage;
  unsigned at = (i * 1477 + page * 611) % kPage;
  at ^= at >> 6;
  at = at * 2749 % kPage;
  at ^= at >> 5;
  return page * kPage + at;
}
__global__ void shuffle_pages(const __half* in, __half* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) out[shuffled_place(i)] = in[i];
}

constexpr unsigned kClasses = 1024;
/// No block sees 65536 words, so a counter has sixteen bits.
__global__ void __launch_bounds__(512)
    count_in_half_words(const unsigned* words, unsigned* counts, std::size_t m) {
  __shared__ unsigned mine[kClasses / 2];
  for (unsigned k = threadIdx.x; k < kClasses / 2; k += blockDim.x) mine[k] = 0;
  __syncthreads();
  for (std::size_t i = global_index(); i < m; i += stride()) {
    const unsigned c = words[i] >> 22;
    atomicAdd(&mine[c / 2], 1u << (16 * (c & 1)));
  }
  __syncthreads();
  for (unsigned k = threadIdx.x; k < kClasses / 2; k += blockDim.x) {
    const unsigned both = mine[k];
    if ((both & 0xffff) != 0) atomicAdd(&counts[2 * k], both & 0xffff);
    if (both >> 16 != 0) atomicAdd(&counts[2 * k + 1], both >> 16);
  }
}

constexpr unsigned kLetters = 32, kLettersOfThread = 32;
__host__ __device__ __forceinline__ unsigned letter_at(std::size_t i) {
  return ladder::word_of(i / 11 + 5000) >> 9 & (kLetters - 1);
}
__global__ void write_letters(unsigned char* text, std::size_t m) {
  for (std::size_t i = global_index(); i < m; i += stride())
    text[i] = static_cast<unsigned char>(letter_at(i));
}
/// A thread has letters in a row and adds a run of equal ones at once.
__global__ void __launch_bounds__(256)
    count_runs_of_letters(const unsigned char* text, unsigned* counts, std::size_t m) {
  __shared__ unsigned mine[kLetters];
  if (threadIdx.x < kLetters) mine[threadIdx.x] = 0;
  __syncthreads();
  const std::size_t begin = global_index() * kLettersOfThread;
  unsigned run = 0;
  int last = -1;
  for (std::size_t i = begin; i < begin + kLettersOfThread && i < m; ++i) {
    const int letter = text[i];
    if (letter == last) {
      ++run;
      continue;
    }
    if (run > 0) atomicAdd(&mine[last], run);
    run = 1;
    last = letter;
  }
  if (run > 0) atomicAdd(&mine[last], run);
  __syncthreads();
  if (threadIdx.x < kLetters && mine[threadIdx.x] > 0) atomicAdd(&counts[threadIdx.x], mine[threadIdx.x]);
}

}  // namespace

void scatters(Set& s) {
  const std::size_t n = s.n;
  const unsigned totals = s.sms / 11, readings = as_number(n / 64 / 256);
  s.run(
      "readings added to a dozen totals", 4.0 * 256 * readings,
      [&] {
        cudaMemsetAsync(s.out, 0, totals * kApart * std::size_t{4});
        add_to_few_totals<<<readings, 256>>>(s.in, s.out, totals);
      },
      [&] {
        std::vector<double> want(totals);
        for (std::size_t i = 0; i < std::size_t{256} * readings; ++i) want[i / 256 % totals] += float_of(i);
        for (std::size_t k = 0; k < totals; ++k)
          if (!Set::near(s.value(k * kApart), want[k])) return false;
        return true;
      });
  const unsigned drawn = as_number(n / 32), counters = s.sms * 64;
  unsigned* counts = s.numbers() + n / 2;
  s.run(
      "tickets drawn from a counter of each class", 8.0 * drawn,
      [&] {
        cudaMemsetAsync(counts, 0, counters * std::size_t{4});
        draw_tickets<<<Set::blocks(drawn), 256>>>(s.words, counts, s.numbers(), counters, drawn);
      },
      [&] {
        // Each class gave out each ticket from nought on once.
        std::vector<std::vector<bool>> given(counters);
        const auto all = taken(counts, counters), got = taken(s.numbers(), drawn);
        std::size_t sum = 0;
        for (std::size_t c = 0; c < counters; ++c) {
          sum += all[c];
          if (all[c] > drawn) return false;
          given[c].resize(all[c]);
        }
        if (sum != drawn) return false;
        for (std::size_t i = 0; i < drawn; ++i) {
          auto& its = given[place_of(word_of(i), counters)];
          if (got[i] >= its.size() || its[got[i]]) return false;
          its[got[i]] = true;
        }
        return true;
      });
  const unsigned bytes = as_number(n / 32), added = as_number(n / 64);
  auto* sums = reinterpret_cast<unsigned char*>(s.out);
  s.run(
      "bytes added to by compare and swap of their words", 4.0 * added + bytes,
      [&] {
        cudaMemsetAsync(sums, 0, bytes);
        add_to_bytes<<<Set::blocks(added, 128), 128>>>(s.words, sums, bytes, added);
      },
      [&] {
        std::vector<unsigned char> want(bytes);
        for (std::size_t i = 0; i < added; ++i) {
          unsigned char& its = want[place_of(word_of(i), bytes)];
          its = static_cast<unsigned char>(its + 1 + (word_of(i) & 3));
        }
        return taken(sums, bytes) == want;
      });
  const unsigned messages = as_number(n / 64), nodes = as_number(n / 512);
  s.run(
      "messages of four floats added at their nodes", 20.0 * messages + 16.0 * nodes,
      [&] {
        cudaMemsetAsync(s.out, 0, nodes * std::size_t{16});
        add_messages<<<Set::blocks(messages), 256>>>(s.words, reinterpret_cast<const float4*>(s.in),
                                                     s.vectors(), nodes, messages);
      },
      [&] {
        std::vector<double> want(4 * std::size_t{nodes});
        for (std::size_t i = 0; i < messages; ++i)
          for (std::size_t k = 0; k < 4; ++k)
            want[4 * place_of(word_of(i), nodes) + k] += float_of(4 * i + k);
        return floats(s, want.size(), [&](std::size_t i) { return want[i]; });
      });
  const unsigned stored = as_number(n / 8);
  unsigned step = static_cast<unsigned>(0.6180339887 * stored) | 1;
  while (step % 3 == 0 || step % 7 == 0) step += 2;  // nothing in common with how many there are
  s.run(
      "words stored a golden part further each", 8.0 * stored,
      [&] { store_by_steps<<<Set::blocks(stored), 256>>>(s.words, s.numbers(), step, 12345, stored); },
      [&] {
        return Set::each(stored,
                         [&](std::size_t i) { return s.number((i * step + 12345) % stored) == word_of(i); });
      });
  const unsigned shuffled = as_number(n / 4 / kPage * kPage);
  s.run(
      "halves shuffled within pages of 8 kB", 4.0 * shuffled,
      [&] {
        shuffle_pages<<<Set::blocks(shuffled), 256>>>(s.halves, reinterpret_cast<__half*>(s.out), shuffled);
      },
      [&] {
        return Set::each(shuffled, [&](std::size_t i) {
          const __half got =
              Checked::at(reinterpret_cast<const __half*>(s.out), shuffled_place(static_cast<unsigned>(i)));
          return __half2float(got) == half_of(i);
        });
      });
  const std::size_t counted = n / 8;
  s.run(
      "1024 classes in half words of shared memory", 4.0 * real(counted),
      [&] {
        cudaMemsetAsync(s.out, 0, kClasses * 4);
        count_in_half_words<<<s.sms * 4, 512>>>(s.words, s.numbers(), counted);
      },
      [&] {
        std::vector<unsigned> want(kClasses);
        for (std::size_t i = 0; i < counted; ++i) ++want[word_of(i) >> 22];
        return taken(s.numbers(), kClasses) == want;
      });
  const std::size_t letters = n / 4;
  auto* text = room<unsigned char>(letters);
  write_letters<<<s.sms * 4, 256>>>(text, letters);
  s.run(
      "letters counted by runs of equal ones", real(letters),
      [&] {
        cudaMemsetAsync(s.out, 0, kLetters * 4);
        count_runs_of_letters<<<Set::blocks(letters / kLettersOfThread), 256>>>(text, s.numbers(), letters);
      },
      [&] {
        std::vector<unsigned> want(kLetters);
        for (std::size_t i = 0; i < letters; ++i) ++want[letter_at(i)];
        return taken(s.numbers(), kLetters) == want;
      });
  cudaFree(text);
}

}  // namespace held_out_8
