/// @file
/// Structs: accounts of a double and two small fields, particles in packs of eight.
#include "held_out_7.hpp"

namespace held_out_7 {
namespace {

struct Account {
  double balance;
  unsigned kind;
  bool frozen;
  unsigned char branch;
};
__global__ void pay_interest(const Account* accounts, Account* out, int m) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  Account a = accounts[i];
  if (!a.frozen) {
    switch (a.kind) {
      case 0:
        a.balance *= 1.01;
        break;
      case 1:
        a.balance = a.balance * 1.02 + 5.0;
        break;
      case 2:
        a.balance -= 12.5;
        break;
      default:
        a.balance += sqrt(a.balance);
        break;
    }
  }
  a.branch += 1;
  out[i] = a;
}

struct Pack {
  float x[8], y[8], z[8], vx[8], vy[8], vz[8];
};
/// Walls turn velocities over.
__global__ void step_packs(const Pack* packs, Pack* out, float dt, std::size_t particles) {
  const std::size_t p = global_index();
  if (p >= particles) return;
  const Pack& from = packs[p / 8];
  Pack& to = out[p / 8];
  const unsigned k = p % 8;
  float vx = from.vx[k], vy = from.vy[k];
  const float vz = from.vz[k] - 9.81f * dt;
  const float x = from.x[k] + dt * vx, y = from.y[k] + dt * vy, z = from.z[k] + dt * vz;
  if (x > 5.0f) vx = -vx;
  if (y > 5.0f) vy = -vy;
  to.x[k] = x, to.y[k] = y, to.z[k] = z;
  to.vx[k] = vx, to.vy[k] = vy, to.vz[k] = vz;
}

}  // namespace

void structs(Set& s) {
  const std::size_t m = s.n / 16;
  std::vector<Account> accounts(m);
  for (std::size_t i = 0; i < m; ++i) {
    const unsigned w = word_of(i);
    accounts[i] = {static_cast<double>(w >> 8 & 0xffff) + 100.25, w % 4, (w >> 28) % 8 == 0,
                   static_cast<unsigned char>(i % 200)};
  }
  Account* there = kept(accounts);
  auto* paid = reinterpret_cast<Account*>(s.out);
  s.run(
      "interest paid to accounts of four kinds", 32.0 * real(m),
      [&] { pay_interest<<<Set::blocks(m), 256>>>(there, paid, static_cast<int>(m)); },
      [&] {
        return Set::each(m, [&](std::size_t i) {
          const Account got = Checked::at(paid, i), &was = accounts[i];
          const double b = was.balance, by_kind[] = {b * 1.01, b * 1.02 + 5, b - 12.5, b + std::sqrt(b)};
          return Set::near(got.balance, was.frozen ? b : by_kind[was.kind], 1e-12) && got.kind == was.kind &&
                 got.frozen == was.frozen && got.branch == was.branch + 1;
        });
      });
  cudaFree(there);
  const std::size_t packs = s.n / 4 / 48;
  s.run(
      "particles in packs of eight stepped", 2 * 192.0 * real(packs),
      [&] {
        step_packs<<<Set::blocks(8 * packs, 320), 320>>>(reinterpret_cast<const Pack*>(s.in),
                                                         reinterpret_cast<Pack*>(s.out), 0.0625f, 8 * packs);
      },
      [&] {
        return within(s, 48 * packs, 1e-4, [](std::size_t i) {
          const std::size_t pack = i / 48 * 48, field = i % 48 / 8, k = i % 8;
          const auto at = [&](std::size_t f) { return double{float_of(pack + f * 8 + k)}; };
          const auto speed = [&](std::size_t f) { return f == 5 ? at(f) - 9.81 * 0.0625 : at(f); };
          if (field < 3) return at(field) + 0.0625 * speed(field + 3);
          const bool hit = field < 5 && at(field - 3) + 0.0625 * speed(field) > 5;
          return hit ? -speed(field) : speed(field);
        });
      });
}

}  // namespace held_out_7
