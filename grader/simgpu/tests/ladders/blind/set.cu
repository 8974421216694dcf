/// @file
/// The data of a blind set, filled once on the device: held_out_2 has the same.
#include "../fill.hpp"
#include "blind.hpp"

namespace blind {
namespace {

__global__ void fill_floats(float* out, std::size_t n, std::size_t from) {
  for (std::size_t i = global_index(); i < n; i += stride()) out[i] = float_of(i + from);
}

}  // namespace

Set::Set(int argc, char** argv)
    : bench(argc, argv),
      bytes(bench.bench().array_bytes),
      n(bytes / 4),
      sms(static_cast<unsigned>(bench.bench().sms)),
      one(static_cast<double>(bytes)),
      table(static_cast<unsigned>(n / 21)),
      words(bench.bench().array<unsigned>(bytes)),
      in(bench.bench().array<float>(bytes)),
      other(bench.bench().array<float>(bytes)),
      out(bench.bench().array<float>(bytes)),
      halves(bench.bench().array<__half>(bytes)) {
  ladder::fill_words<<<sms * 8, 256>>>(words, n);
  fill_floats<<<sms * 8, 256>>>(in, n, 0);
  fill_floats<<<sms * 8, 256>>>(other, n, 33331);
  ladder::fill_halves<<<sms * 8, 256>>>(halves, 2 * n);
  ladder::check(cudaDeviceSynchronize(), "fill");
}

}  // namespace blind
