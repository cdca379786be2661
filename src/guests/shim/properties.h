/* struct cudaDeviceProp, as versions 12 and 13 of the runtime lay it out. */
#ifndef SMC_GUESTS_PROPERTIES_H
#define SMC_GUESTS_PROPERTIES_H

#include <stddef.h>

struct shim_properties {
    char name[256];
    char uuid[16];
    char luid[8];
    unsigned luid_mask;
    size_t global_mem_bytes, smem_per_block_bytes;
    int regs_per_block, warp_size;
    size_t pitch;
    int threads_per_block, block[3], grid[3];
#if SHIM_RUNTIME < 13
    int clock_khz;
#endif
    size_t const_bytes;
    int major, minor;
    size_t texture_align, texture_pitch_align;
#if SHIM_RUNTIME < 13
    int overlaps;
#endif
    int sm_count;
#if SHIM_RUNTIME < 13
    int has_timeout;
#endif
    int integrated, maps_host_memory;
#if SHIM_RUNTIME < 13
    int compute_mode;
#endif
    int texture_1d, texture_1d_mipmap;
#if SHIM_RUNTIME < 13
    int texture_1d_linear;
#endif
    int textures[23]; /* sizes of textures of more dimensions, then of surfaces */
    int surfaces[14];
    size_t surface_align;
    int concurrent_kernels, ecc, pci_bus, pci_device, pci_domain, tcc, engines, unified_addressing;
#if SHIM_RUNTIME < 13
    int memory_clock_khz;
#endif
    int memory_bus_bits, l2_bytes, persisting_l2_bytes, threads_per_sm, stream_priorities;
    int global_l1, local_l1;
    size_t smem_per_sm_bytes;
    int regs_per_sm, managed_memory, multi_gpu_board, board_group, host_atomics;
#if SHIM_RUNTIME < 13
    int fp64_ratio;
#endif
    int pageable_access, concurrent_managed, preemption, host_pointer_for_registered;
    int cooperative_launch;
#if SHIM_RUNTIME < 13
    int cooperative_multi_device;
#endif
    size_t smem_per_block_optin_bytes;
    int host_page_tables, direct_managed, blocks_per_sm, access_window;
    size_t smem_reserved_per_block_bytes;
    int host_register, sparse_arrays, host_register_read_only, timeline_semaphores, memory_pools;
    int rdma;
    unsigned rdma_flush;
    int rdma_order;
    unsigned pool_handles;
    int deferred_arrays, ipc_events, clusters, function_pointers;
    int rest[63];
};

#endif
