/// @file
/// Accesses outside, beside, too early and too late, and reads of what nobody wrote, in every space.
#include <cstdlib>
#include <vector>

#include "mutants.hpp"

__global__ void scale(float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) x[i] = 2.0f;  //! one_beyond
}
void one_beyond() {
  scale<<<2, 64>>>(filled<float>(100), 100);
}

__global__ void shift(int* x) {
  x[static_cast<int>(threadIdx.x) - 1] = threadIdx.x;  //! one_before
}
void one_before() {
  shift<<<1, 32>>>(filled<int>(32));
}

__global__ void shift_unsigned(int* x) {
  x[threadIdx.x - 1] = threadIdx.x;  //! below_zero
}
void below_zero() {
  shift_unsigned<<<1, 32>>>(filled<int>(32));
}

__global__ void far_write(int* x) {
  x[threadIdx.x + (1 << 28)] = 1;  //! far_away
}
void far_away() {
  far_write<<<1, 32>>>(filled<int>(32));
}

__global__ void column(float* m, int pitch, int rows) {
  m[threadIdx.x * pitch + pitch] = 1;  //! next_row
}
void next_row() {
  column<<<1, 8>>>(filled<float>(64), 8, 8);
}

__global__ void add_one(int* x) {
  x[threadIdx.x] += 1;  //! add_one
}
void use_after_free() {
  int* x = filled<int>(32);
  cudaFree(x);
  add_one<<<1, 32>>>(x);
}
void use_after_free_async() {
  int* x = nullptr;
  cudaMallocAsync(&x, 128, 0);
  cudaMemsetAsync(x, 0, 128, 0);
  cudaFreeAsync(x, 0);
  add_one<<<1, 32>>>(x);
}
void host_pointer() {
  static int on_host[32];
  add_one<<<1, 32>>>(on_host);
}
void null_pointer() {
  add_one<<<1, 32>>>(nullptr);
}
void unpinned_heap() {
  add_one<<<1, 32>>>(static_cast<int*>(std::malloc(128)));
}

__global__ void misalign(const float* x, float* y) {
  const float4 v = reinterpret_cast<const float4*>(x + 1)[threadIdx.x];  //! misaligned_vector
  y[threadIdx.x] = v.x + v.y + v.z + v.w;
}
void misaligned_vector() {
  misalign<<<1, 8>>>(filled<float>(64), filled<float>(64));
}

__global__ void misalign_word(const char* bytes, int* y) {
  y[threadIdx.x] = *reinterpret_cast<const int*>(bytes + threadIdx.x);  //! misaligned_word
}
void misaligned_word() {
  misalign_word<<<1, 8>>>(filled<char>(64), filled<int>(64));
}

__global__ void shared_static(int* y, int k) {
  __shared__ int s[64];
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  y[threadIdx.x] = s[threadIdx.x + k];  //! shared_beyond
}
void shared_beyond() {
  shared_static<<<1, 64>>>(filled<int>(64), 1);
}
void shared_before() {
  shared_static<<<1, 64>>>(filled<int>(64), -1);
}

__global__ void shared_dynamic(int* y) {
  extern __shared__ int d[];
  d[threadIdx.x] = threadIdx.x;  //! dynamic_too_small
  __syncthreads();
  y[threadIdx.x] = d[63 - threadIdx.x];
}
void dynamic_too_small() {
  shared_dynamic<<<1, 64, 64>>>(filled<int>(64));
}
void dynamic_forgotten() {
  shared_dynamic<<<1, 64>>>(filled<int>(64));
}

__global__ void shared_misaligned(int* y) {
  __shared__ alignas(16) char s[256];
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  y[threadIdx.x] = *reinterpret_cast<int*>(&s[threadIdx.x + 1]);  //! misaligned_shared
}
void misaligned_shared() {
  shared_misaligned<<<1, 64>>>(filled<int>(64));
}

__global__ void local_array(int* y, int k) {
  int a[8];
  for (int i = 0; i < 8; ++i) a[(i * k) & 7] = i;
  y[threadIdx.x] = a[threadIdx.x + k];  //! local_beyond
}
void local_beyond() {
  local_array<<<1, 32>>>(filled<int>(32), 1);
}

__constant__ int table[16];
__global__ void constant_read(int* y, int k) {
  y[threadIdx.x] = table[threadIdx.x + k];  //! constant_beyond
}
void constant_beyond() {
  constant_read<<<1, 32>>>(filled<int>(32), 0);
}
void sound_constant_written() {
  void* p = nullptr;
  cudaGetSymbolAddress(&p, table);
  add_one<<<1, 8>>>(static_cast<int*>(p));
}

__device__ int counters[10];
__global__ void count_in(int k) {
  atomicAdd(&counters[threadIdx.x + k], 1);  //! variable_beyond
}
void variable_beyond() {
  count_in<<<1, 16>>>(0);
}

__global__ void heap_block(int* y) {
  int* p = static_cast<int*>(malloc(16));
  p[4] = threadIdx.x;  //! heap_beyond
  y[threadIdx.x] = p[4];
  free(p);
}
void heap_beyond() {
  heap_block<<<1, 1>>>(filled<int>(32));
}
__global__ void heap_stale(int* y) {
  int* volatile p = static_cast<int*>(malloc(16));
  p[0] = 1;
  free(p);
  y[threadIdx.x] = p[0];  //! heap_after_free
}
void heap_after_free() {
  heap_stale<<<1, 1>>>(filled<int>(32));
}
__global__ void heap_twice() {
  int* volatile p = static_cast<int*>(malloc(16));
  free(p);
  free(p);  //! heap_double_free
}
void heap_double_free() {
  heap_twice<<<1, 1>>>();
}

__global__ void surface_write(cudaSurfaceObject_t s) {
  surf2Dwrite(1.0f, s, threadIdx.x * 4, blockIdx.x);  //! surface_beyond
}
void surface_beyond() {
  const cudaChannelFormatDesc d = cudaCreateChannelDesc<float>();
  cudaArray_t a;
  cudaMallocArray(&a, &d, 16, 16, cudaArraySurfaceLoadStore);
  cudaResourceDesc r{};
  r.resType = cudaResourceTypeArray;
  r.res.array.array = a;
  cudaSurfaceObject_t s;
  cudaCreateSurfaceObject(&s, &r);
  surface_write<<<16, 32>>>(s);
}

// Reads of what nobody wrote.
__global__ void sum_of(const float* x, float* y, int n) {
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) sum += x[i];  //! never_filled
  y[threadIdx.x] = sum;
}
void never_filled() {
  float* x;
  cudaMalloc(&x, 4096);
  sum_of<<<1, 32>>>(x, filled<float>(32), 1024);
}
void half_filled() {
  float* x;
  cudaMalloc(&x, 4096);
  cudaMemset(x, 0, 1024);
  sum_of<<<1, 32>>>(x, filled<float>(32), 1024);
}
__global__ void copy_of(const float* x, float* y) {
  y[threadIdx.x] = x[threadIdx.x];  //! copied_never_filled
}
void copied_never_filled() {
  float* x;
  cudaMalloc(&x, 4096);
  copy_of<<<1, 32>>>(x, filled<float>(32));
}
__global__ void staged(const float* x, float* y) {
  __shared__ float s[64];
  s[threadIdx.x] = x[threadIdx.x];  //! staged_never_filled
  __syncthreads();
  y[threadIdx.x] = s[63 - threadIdx.x] + 1;
}
void staged_never_filled() {
  float* x;
  cudaMalloc(&x, 4096);
  staged<<<1, 64>>>(x, filled<float>(64));
}
__global__ void blur(const float* x, float* y) {
  __shared__ float s[66];
  s[threadIdx.x + 1] = x[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = s[threadIdx.x] + s[threadIdx.x + 1] + s[threadIdx.x + 2];  //! halo_not_loaded
}
void halo_not_loaded() {
  blur<<<1, 64>>>(filled<float>(64), filled<float>(64));
}
__global__ void partly(int* y, int n) {
  int a[16];
  for (int i = 0; i < n; ++i) a[i] = i;
  int sum = 0;
  for (int i = 0; i < 16; ++i) sum += a[(i + n) & 15];  //! local_not_set
  y[threadIdx.x] = sum;
}
void local_not_set() {
  partly<<<1, 32>>>(filled<int>(32), 10);
}
struct Particle {
  float position, velocity;
};
__global__ void place(Particle* p) {
  p[threadIdx.x].position = 1;
}
__global__ void move(Particle* p) {
  p[threadIdx.x].position += p[threadIdx.x].velocity;  //! field_not_set
}
void field_not_set() {
  Particle* p;
  cudaMalloc(&p, 32 * sizeof(Particle));
  place<<<1, 32>>>(p);
  move<<<1, 32>>>(p);
}
__global__ void branch_on(const int* x, int* y) {
  if (x[threadIdx.x] > 3) y[threadIdx.x] = 1;  //! branch_never_filled
}
void branch_never_filled() {
  int* x;
  cudaMalloc(&x, 128);
  branch_on<<<1, 32>>>(x, filled<int>(32));
}
__global__ void gather_from(const int* index, const float* x, float* y) {
  y[threadIdx.x] = x[index[threadIdx.x] & 31];  //! index_never_filled
}
void index_never_filled() {
  int* index;
  cudaMalloc(&index, 128);
  gather_from<<<1, 32>>>(index, filled<float>(32), filled<float>(32));
}
__global__ void count_up(int* counter) {
  atomicAdd(counter, 1);  //! counter_not_cleared
}
void counter_not_cleared() {
  int* counter;
  cudaMalloc(&counter, 4);
  count_up<<<1, 32>>>(counter);
}

// Sound, though they read or copy what nobody wrote: nothing depends on it.
struct Padded {
  char a;
  double b;
  short c;
};
struct alignas(16) Three {
  float x, y, z;
};
__global__ void fill_padded(Padded* p, Three* t) {
  p[threadIdx.x] = {1, 2.0, 3};
  t[threadIdx.x].x = t[threadIdx.x].y = t[threadIdx.x].z = 1;
}
__global__ void copy_padded(const Padded* p, Padded* q, const Three* t, Three* u) {
  __shared__ Padded s[32];
  s[threadIdx.x] = p[threadIdx.x];
  __syncthreads();
  q[threadIdx.x] = s[31 - threadIdx.x];
  u[threadIdx.x] = t[threadIdx.x];
}
__global__ void vector_tail(const float4* x, float* y, int n) {
  const float4 v = x[threadIdx.x];
  const int i = 4 * threadIdx.x;
  float sum = v.x;
  if (i + 1 < n) sum += v.y;
  if (i + 2 < n) sum += v.z;
  if (i + 3 < n) sum += v.w;
  y[threadIdx.x] = sum;
}
__global__ void loaded_ahead(const int* x, int* y, int n) {
  __shared__ int s[64];
  if (threadIdx.x < n) s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  const int next = s[threadIdx.x + 1];  // of the last one: nobody's
  const bool take = threadIdx.x + 1 < n && next > 0;
  y[threadIdx.x] = take ? next : -1;
}
void sound_padding() {
  Padded *p, *q;
  Three *t, *u;
  cudaMalloc(&p, 32 * sizeof(Padded));
  cudaMalloc(&q, 32 * sizeof(Padded));
  cudaMalloc(&t, 32 * sizeof(Three));
  cudaMalloc(&u, 32 * sizeof(Three));
  fill_padded<<<1, 32>>>(p, t);
  copy_padded<<<1, 32>>>(p, q, t, u);
}
// Of structs that are aligned to a line, most is padding; of a table with rows as long, a row that nobody wrote is none.
struct alignas(128) Line {
  int x;
  char c;
};
template <int filled>
__global__ void copy_lines(Line* p, Line* q) {
  if (threadIdx.x < filled) {
    p[threadIdx.x].x = threadIdx.x;
    p[threadIdx.x].c = 1;
  }
  q[threadIdx.x] = p[threadIdx.x];  //! lines_unwritten
}
__global__ void swap_lines(Line* p) {
  if (threadIdx.x >= 16) return;
  const Line other = p[31 - threadIdx.x];
  p[31 - threadIdx.x] = p[threadIdx.x];
  p[threadIdx.x] = other;
}
__global__ void sum_of_line(const int* p, int* y) {
  int sum = 0;
  for (int k = 0; k < 32; ++k) sum += p[32 * threadIdx.x + k];  //! padding_summed
  y[threadIdx.x] = sum;
}
template <int filled>
Line* lines() {
  Line *p, *q;
  cudaMalloc(&p, 32 * sizeof(Line));
  cudaMalloc(&q, 32 * sizeof(Line));
  copy_lines<filled><<<1, 32>>>(p, q);
  return q;
}
void sound_lines() {
  swap_lines<<<1, 32>>>(lines<32>());
}
void lines_unwritten() {
  lines<20>();
}
void padding_summed() {
  sum_of_line<<<1, 32>>>(reinterpret_cast<int*>(lines<32>()), filled<int>(32));
}
// To the host go all bytes of such structs, padding too; but not elements and members that were forgotten.
struct alignas(64) Spot {
  float4 place;
};
struct Wide {  // padding in the middle
  float4 place;
  alignas(64) float4 speed[3];
  int id;
};
enum class Fill { all, some, tail, half_rows };
template <Fill fill>
__global__ void fill_structs(Spot* p, Line* q, Wide* w, float* rows) {
  const int t = threadIdx.x;
  if (fill == Fill::some && t == 20) return;
  if (fill != Fill::tail) p[t].place = float4{1, 2, 3, 4};
  q[t].x = t;
  w[t].place = float4{1, 2, 3, 4};
  for (int k = 0; k < 3; ++k) w[t].speed[k] = float4{};
  w[t].id = t;
  if (fill == Fill::tail) reinterpret_cast<float4*>(p + t)[2] = float4{};  // not what comes first
  if (fill == Fill::half_rows && t >= 16) return;
  for (int k = 0; k < 32; ++k) rows[32 * k + t] = k;
}
template <class T>
void bring(const T* from) {
  std::vector<T> all(32);
  cudaMemcpy(all.data(), from, 32 * sizeof(T), cudaMemcpyDeviceToHost);
}
template <Fill fill>
void structs_to_host() {
  Spot* p;
  Line* q;
  Wide* w;
  float* rows;
  cudaMalloc(&p, 32 * sizeof(Spot));
  cudaMalloc(&q, 32 * sizeof(Line));
  cudaMalloc(&w, 32 * sizeof(Wide));
  cudaMalloc(&rows, 32 * 32 * sizeof(float));
  fill_structs<fill><<<1, 32>>>(p, q, w, rows);
  if (fill != Fill::half_rows) bring(p);
  if (fill == Fill::all) {
    bring(q);
    bring(w);
  }
  if (fill == Fill::all || fill == Fill::half_rows) bring(reinterpret_cast<const Line*>(rows));
}
void sound_structs_to_host() {
  structs_to_host<Fill::all>();
}
void struct_forgotten() {
  structs_to_host<Fill::some>();
}
void members_forgotten() {
  structs_to_host<Fill::tail>();
}
void half_rows_forgotten() {
  structs_to_host<Fill::half_rows>();
}
void sound_vector_tail() {
  float* x;
  cudaMalloc(&x, 256);
  cudaMemset(x, 0, 200);
  vector_tail<<<1, 13>>>(reinterpret_cast<float4*>(x), filled<float>(32), 50);
}
void sound_loaded_ahead() {
  loaded_ahead<<<1, 32>>>(filled<int>(32), filled<int>(32), 20);
}

// The compiler may map an address early, of a block that the cluster does not have: only who uses it is wrong.
template <bool uses>
__global__ void __cluster_dims__(4) mapped_rank(int* x, unsigned rank) {
  __shared__ int mine;
  mine = threadIdx.x;
  unsigned address;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
               : "=r"(address)
               : "r"(static_cast<unsigned>(__cvta_generic_to_shared(&mine))), "r"(rank));
  int value = mine;
  if (uses)
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(address));  //! beyond_the_cluster
  x[blockIdx.x] = value;
}
void sound_mapped_beyond_the_cluster() {
  mapped_rank<false><<<4, 1>>>(filled<int>(4), 4);
}
void beyond_the_cluster() {
  mapped_rank<true><<<4, 1>>>(filled<int>(4), 4);
}
void far_beyond_the_cluster() {
  mapped_rank<true><<<4, 1>>>(filled<int>(4), 255);
}

#define CASE(name) \
  { #name, name }
const Case cases[] = {
    CASE(one_beyond),
    CASE(one_before),
    CASE(below_zero),
    CASE(far_away),
    CASE(next_row),
    CASE(use_after_free),
    CASE(use_after_free_async),
    CASE(host_pointer),
    CASE(null_pointer),
    CASE(unpinned_heap),
    CASE(misaligned_vector),
    CASE(misaligned_word),
    CASE(shared_beyond),
    CASE(shared_before),
    CASE(dynamic_too_small),
    CASE(dynamic_forgotten),
    CASE(misaligned_shared),
    CASE(local_beyond),
    CASE(constant_beyond),
    CASE(sound_constant_written),
    CASE(variable_beyond),
    CASE(heap_beyond),
    CASE(heap_after_free),
    CASE(heap_double_free),
    CASE(surface_beyond),
    CASE(never_filled),
    CASE(half_filled),
    CASE(copied_never_filled),
    CASE(staged_never_filled),
    CASE(halo_not_loaded),
    CASE(local_not_set),
    CASE(field_not_set),
    CASE(branch_never_filled),
    CASE(index_never_filled),
    CASE(counter_not_cleared),
    CASE(sound_padding),
    CASE(sound_lines),
    CASE(lines_unwritten),
    CASE(padding_summed),
    CASE(sound_structs_to_host),
    CASE(struct_forgotten),
    CASE(members_forgotten),
    CASE(half_rows_forgotten),
    CASE(sound_vector_tail),
    CASE(sound_loaded_ahead),
    CASE(sound_mapped_beyond_the_cluster),
    CASE(beyond_the_cluster),
    CASE(far_beyond_the_cluster),
};

int main(int argc, char** argv) {
  return run_case(cases, argc, argv);
}
