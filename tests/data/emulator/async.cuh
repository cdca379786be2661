// What the kernels of async.cu, late.cu and practice.cu share: asynchronous operations and barriers as
// macros, so that their lines are those of the kernels.
#include <cstdint>

__device__ uint32_t at(const void *p)
{
    return (uint32_t)__cvta_generic_to_shared(p);
}

#define FENCE_SHARED() asm volatile("fence.proxy.async.shared::cta;" ::: "memory")
#define FENCE_GLOBAL() asm volatile("fence.proxy.async.global;" ::: "memory")
#define COMMIT()       asm volatile("cp.async.bulk.commit_group;" ::: "memory")
#define WAIT_READ(n)   asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(n) : "memory")
#define WAIT_STORE(n)  asm volatile("cp.async.bulk.wait_group %0;" ::"n"(n) : "memory")
#define STORE(to, from, bytes)                                                                      \
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to),           \
                 "r"(at(from)), "r"(bytes)                                                          \
                 : "memory")
#define INIT(object, count)                                                                         \
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(at(object)), "r"(count) : "memory")
#define EXPECT(object, bytes)                                                                       \
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at(object)),        \
                 "r"(bytes)                                                                         \
                 : "memory")
#define LOAD(to, from, bytes, object)                                                               \
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], "   \
                 "%2, [%3];" ::"r"(at(to)),                                                         \
                 "l"(from), "r"(bytes), "r"(at(object))                                             \
                 : "memory")
#define ARRIVE(object)                                                                              \
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(at(object)) : "memory")
#define WAIT(object, parity)                                                                        \
    asm volatile("{ .reg .pred p; L: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;"         \
                 "@!p bra L; }" ::"r"(at(object)),                                                  \
                 "r"((uint32_t)(parity))                                                            \
                 : "memory")
#define WGMMA_FENCE()   asm volatile("wgmma.fence.sync.aligned;" ::: "memory")
#define WGMMA_COMMIT()  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory")
#define WGMMA_WAIT(n)   asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(n) : "memory")
#define WGMMA(d, a)                                                                                 \
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.s8 {%0, %1, %2, %3}, %4, %5, 1;"     \
                 : "+r"((d)[0]), "+r"((d)[1]), "+r"((d)[2]), "+r"((d)[3])                           \
                 : "l"(descriptor(a, 1024)), "l"(descriptor((a) + A_BYTES, 128))                    \
                 : "memory")
// The compiler keeps uses of the sums behind it.
#define KEEP(d)                                                                                     \
    asm volatile("" : "+r"((d)[0]), "+r"((d)[1]), "+r"((d)[2]), "+r"((d)[3])::"memory")
#define NAMED(id, n) asm volatile("bar.sync %0, %1;" ::"n"(id), "n"(n) : "memory")
#define KERNEL(name, fault)                                                                         \
    extern "C" __global__ void name##_##fault(int *out, int *in)                                    \
    {                                                                                               \
        name<fault>(out, in);                                                                       \
    }
#define CLUSTER_KERNEL(name, fault)                                                                 \
    extern "C" __global__ void __cluster_dims__(2, 1, 1) name##_##fault(int *out, int *in)          \
    {                                                                                               \
        name<fault>(out + blockIdx.x * WORDS, in);                                                  \
    }
#define CLUSTER_ARRIVE()  asm volatile("barrier.cluster.arrive.aligned;" ::: "memory")
#define CLUSTER_WAIT()    asm volatile("barrier.cluster.wait.aligned;" ::: "memory")
#define CLUSTER_SYNC()    do { CLUSTER_ARRIVE(); CLUSTER_WAIT(); } while (0)
#define MULTICAST(to, from, bytes, object)                                                          \
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::"    \
                 "cluster [%0], [%1], %2, [%3], %4;" ::"r"(at(to)),                                 \
                 "l"(from), "r"(bytes), "r"(at(object)), "h"((uint16_t)3)                           \
                 : "memory")
#define WAIT_CLUSTER(object, parity)                                                                \
    asm volatile("{ .reg .pred p; L: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, "  \
                 "[%0], %1; @!p bra L; }" ::"r"(at(object)),                                        \
                 "r"((uint32_t)(parity))                                                            \
                 : "memory")
#define COPY(to, from) asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at(to)), "l"(from) : "memory")
#define COPY_COMMIT()  asm volatile("cp.async.commit_group;" ::: "memory")
#define COPY_WAIT(n)   asm volatile("cp.async.wait_group %0;" ::"n"(n) : "memory")
#define COPY_ARRIVE(object)                                                                         \
    asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(at(object)) : "memory")
#define ARRIVE_IN(object, rank)                                                                     \
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(              \
                     in_block(object, rank))                                                        \
                 : "memory")
