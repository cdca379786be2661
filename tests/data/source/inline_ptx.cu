// Inline PTX, clusters, warp intrinsics, volatile, bit fields.
#include <cstdint>
#include <cstdio>
#include <string_view>
struct Flags { uint32_t a : 4, b : 28; };
static __device__ __inline__ uint32_t laneId() { uint32_t r; asm("mov.u32 %0, %%laneid;" : "=r"(r)); return r; }
template <int kBits> __device__ uint32_t rotate(uint32_t x) { return (x << kBits) | (x >> (32 - kBits)); }
__global__ void __cluster_dims__(2, 1, 1) hash(uint32_t *x, Flags f)
{
    uint32_t v = x[laneId()] + f.a;
    asm volatile("barrier.cluster.arrive;\n\tbarrier.cluster.wait;" ::: "memory");
    x[laneId()] = rotate<7>(v) ^ rotate<13>(v >> 3);
}
constexpr std::string_view title = "hash";
int main() { hash<<<2, 32>>>(nullptr, Flags{1, 2}); std::printf("%s", title.data()); }
