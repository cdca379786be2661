/* The operations that decoders choose from: arithmetic, and the steps for everything else. */
#ifndef SMC_MACHINE_EMULATOR_STEPS_H
#define SMC_MACHINE_EMULATOR_STEPS_H

#include "machine/emulator/emulator_program.h"

/* --- Arithmetic: tables by type, NULL for a type without the operation ------------------------ */

typedef smc_alu *const smc_alu_by_type[SMC_PTX_TYPE_COUNT];

/* Defines the function whose result is `expression` of x, y and z, a lane of the sources, which may
   be in the registers of the result. */
#define SMC_DEFINE_ALU(attributes, name, d_t, a_t, b_t, c_t, expression)                           \
    attributes void name(SMC_ALU_PARAMETERS)                                                       \
    {                                                                                              \
        d_t *result = d;                                                                           \
        const a_t *first = a;                                                                      \
        const b_t *second = b;                                                                     \
        const c_t *third = c;                                                                      \
        EACH_LANE(i) {                                                                             \
            const a_t x = first[i];                                                                \
            const b_t y = second[i];                                                               \
            const c_t z = third[i];                                                                \
            (void)x, (void)y, (void)z;                                                             \
            result[i] = expression;                                                                \
        }                                                                                          \
    }

/* ops_integer.c */
extern smc_alu_by_type smc_integer_add, smc_integer_sub, smc_integer_mul_lo, smc_integer_mul_hi,
    smc_integer_mul_wide, smc_integer_mad_lo, smc_integer_mad_hi, smc_integer_mad_wide,
    smc_integer_div, smc_integer_rem, smc_integer_min, smc_integer_max, smc_integer_abs,
    smc_integer_neg, smc_integer_sad, smc_integer_min_relu, smc_integer_max_relu;
extern smc_alu smc_integer_add_sat, smc_integer_sub_sat, smc_integer_mad_hi_sat;
/* These add the carry in predicate c; smc_carry_* compute the carry out. */
extern smc_alu_by_type smc_add_carry, smc_sub_borrow, smc_carry_of_add, smc_borrow_of_sub;

extern smc_alu_by_type smc_bits_and, smc_bits_or, smc_bits_xor, smc_bits_not, smc_bits_cnot,
    smc_bits_shl, smc_bits_shr, smc_bits_bfe, smc_bits_bfi, smc_bits_bfind, smc_bits_bfind_shift,
    smc_bits_brev, smc_bits_clz, smc_bits_popc;
extern smc_alu smc_bits_lop3, smc_bits_shf_l_wrap, smc_bits_shf_l_clamp, smc_bits_shf_r_wrap,
    smc_bits_shf_r_clamp, smc_bits_prmt, smc_bits_dp4a_uu, smc_bits_dp4a_us, smc_bits_dp4a_su,
    smc_bits_dp4a_ss;

extern smc_alu smc_bits_bmsk_clamp, smc_bits_bmsk_wrap, smc_bits_szext_clamp_u,
    smc_bits_szext_wrap_u, smc_bits_szext_clamp_s, smc_bits_szext_wrap_s, smc_bits_fns,
    smc_bits_not_zero;
extern smc_alu smc_dp2a; /* immediate: of enum smc_dp2a_flags */
enum smc_dp2a_flags { SMC_DP2A_FIRST_SIGNED = 1, SMC_DP2A_SECOND_SIGNED = 2, SMC_DP2A_HIGH = 4 };
extern smc_alu_by_type smc_mul24_lo, smc_mul24_hi;

/* ops_video.c. immediate: a struct smc_video. */
enum smc_video_function {
    SMC_VIDEO_ADD,
    SMC_VIDEO_SUB,
    SMC_VIDEO_AVERAGE,
    SMC_VIDEO_ABSDIFF,
    SMC_VIDEO_MIN,
    SMC_VIDEO_MAX,
    SMC_VIDEO_SHL,
    SMC_VIDEO_SHR,
    SMC_VIDEO_SET,
};
enum smc_video_comparison {
    SMC_VIDEO_EQ,
    SMC_VIDEO_NE,
    SMC_VIDEO_LT,
    SMC_VIDEO_LE,
    SMC_VIDEO_GT,
    SMC_VIDEO_GE,
};
enum smc_video_second {
    SMC_VIDEO_NOTHING,
    SMC_VIDEO_THEN_ADD,
    SMC_VIDEO_THEN_MIN,
    SMC_VIDEO_THEN_MAX,
};
struct smc_video {
    unsigned function : 4, comparison : 4, second : 2; /* vmad: its shift is in `comparison` */
    unsigned a_signed : 1, b_signed : 1, d_signed : 1, wraps : 1;
    unsigned d_select : 4; /* of parts; of elements: the mask */
    unsigned : 14;
    uint16_t a_select, b_select;
};
extern smc_alu smc_video_scalar, smc_video_mad;
extern smc_alu smc_video_elements; /* vector: how many there are in a word */

/* ops_compare.c */
extern smc_alu smc_move_predicate, smc_not_predicate, smc_move_32, smc_move_64, smc_pack_32,
    smc_pack_16, smc_unpack_low, smc_unpack_high, smc_unpack_low_16, smc_unpack_high_16,
    smc_select_32, smc_select_64;
extern smc_alu_by_type smc_select_by_sign, smc_select_by_float_sign;
static inline bool smc_op_is_move(const struct smc_op *op)
{
    return op->alu == smc_move_32 || op->alu == smc_move_64;
}

/* Compares a and b, and combines the result with predicate c as `immediate` specifies. */
enum { SMC_COMPARE_NEGATED = 1, SMC_COMBINE_AND = 2, SMC_COMBINE_OR = 4, SMC_COMBINE_XOR = 8 };
smc_alu *smc_compare(const char *name, size_t bytes, enum smc_ptx_type type, bool *negated);

/* ops_float.c: round to nearest; smc_float_modified adds other modifiers around `inner`. */
extern smc_alu_by_type smc_float_add, smc_float_sub, smc_float_mul, smc_float_div, smc_float_min,
    smc_float_max, smc_float_min_nan, smc_float_max_nan, smc_float_abs, smc_float_neg,
    smc_float_sqrt, smc_float_rcp, smc_float_copysign, smc_float_min_xor, smc_float_max_xor,
    smc_float_min_nan_xor, smc_float_max_nan_xor;
/* .approx, and div.full: as the special-function unit computes them. */
extern smc_alu_by_type smc_approximate_rcp, smc_approximate_rsqrt, smc_approximate_sqrt,
    smc_approximate_lg2, smc_approximate_ex2, smc_approximate_sin, smc_approximate_cos,
    smc_approximate_tanh, smc_approximate_div, smc_approximate_div_full;
extern smc_alu smc_float_modified;
extern smc_alu smc_float_pair;  /* two of single precision, each as smc_float_modified */
extern smc_alu smc_float_flush; /* for single precision: subnormal numbers become 0 */
/* a * b + c; with `minus`, the product or the addend is negated first. */
struct smc_fma_signs {
    bool minus_product, minus_addend;
};
smc_alu *smc_float_fma(enum smc_ptx_type type, struct smc_fma_signs minus);
smc_alu *smc_half_fused(enum smc_ptx_type type, struct smc_fma_signs minus);
smc_alu *smc_float_testp(const char *name, size_t bytes, enum smc_ptx_type type);

/* ops_half.c: half precision and bfloat16, alone and in pairs, with flushes, saturates and finish.
 */
extern smc_alu_by_type smc_half_add, smc_half_sub, smc_half_mul, smc_half_fma, smc_half_min,
    smc_half_max, smc_half_abs, smc_half_neg, smc_half_ex2, smc_half_tanh;
extern smc_alu_by_type smc_half_widen; /* to single precision; immediate: from this bit on */
/* cvt with two sources or of pairs, and to tf32. */
extern smc_alu smc_narrow_pair, smc_convert_pair, smc_to_tf32;

/* cvt. op->type: to, op->immediate: from, d_kind and v_kind[0]: the width of the lanes. */
extern smc_alu smc_convert;
/* A faster conversion with the same result, or NULL. */
smc_alu *smc_convert_fast(const struct smc_op *op);

/* --- Steps ------------------------------------------------------------------------------------ */

/* Loads and stores. a: the address, immediate: its offset, v: the elements. */
smc_step smc_step_load, smc_step_store;
/* Atomic operations. d: the old value, or SMC_SLOT_NONE; b, c: the operands. */
smc_step smc_step_atomic;
/* cp.async. a: the destination, b: the source, c: how many bytes of it; of a wait, immediate: how
   many groups may still be pending. */
#define SMC_WAIT_FOR_ALL UINT64_MAX /* also for copies that are not in a group yet */
smc_step smc_step_copy, smc_step_commit, smc_step_wait;
/* Control flow and barriers. */
smc_step smc_step_branch, smc_step_indexed_branch, smc_step_exit, smc_step_trap, smc_step_barrier,
    smc_step_arrive, smc_step_sync_warp, smc_step_fence, smc_step_clock;
/* fence.proxy.async. immediate: the spaces (proxies.h). */
smc_step smc_step_proxy_fence;
/* mbarrier.c. a: the address; of init, b: the count; of an arrival, b: its count, c: the
   transactions it expects, d: the state before it; of a wait, b: the state or the parity, d:
   whether its phase is complete. */
smc_step smc_step_mbarrier_init, smc_step_mbarrier_arrive, smc_step_mbarrier_transactions,
    smc_step_mbarrier_wait;
smc_alu smc_mbarrier_pending;
/* cp.async.mbarrier.arrive: an arrival; its phase also waits for the lanes' copies. */
smc_step smc_step_copies_arrive;
/* bulk_copies.c, tensor_copies.c: cp.async.bulk and cp.reduce.async.bulk. a: the destination in
   op->space, b: the source, v[0]: the number of bytes; of tensors, a: the address of the map, b:
   that of shared memory, list: the coordinates. c: the object that counts the bytes; v[1]: a mask
   of blocks; reduction and type: of a reduction; immediate: of enum smc_bulk_flags. */
enum smc_bulk_flags { SMC_BULK_FROM_GLOBAL = 1, SMC_BULK_COMPLETES = 2, SMC_BULK_MULTICAST = 4 };
smc_step smc_step_bulk_copy, smc_step_tensor_copy;
/* cp.async.bulk.commit_group and .wait_group. immediate: how many groups may still be pending;
   is_narrow: only their reads are waited for. */
smc_step smc_step_bulk_commit, smc_step_bulk_wait;
/* st.async, red.async: as a store or an atomic operation, and c: the address of the object. */
smc_step smc_step_store_async;
/* Combines two values of op->type; a value with the one at `host`. */
uint64_t smc_reduced(const struct smc_op *op, uint64_t a, uint64_t b);
void smc_atomic_update(struct smc_worker *worker, const struct smc_op *op, char *host, uint64_t b);
/* cluster_barrier.c, cluster_ranks.c */
smc_step smc_step_cluster_arrive, smc_step_cluster_wait, smc_step_map_shared, smc_step_shared_rank;
/* calls.c. Of alloca, a: bytes, d: the address, immediate: its alignment. */
smc_step smc_step_call, smc_step_return, smc_step_allocate, smc_step_save_stack,
    smc_step_restore_stack;
/* textures.c. a: the object; list: what is written, the coordinates, and of a store the values;
   immediate: a struct smc_texture_access. Of a query, `dimensions` is which extent it is. */
enum smc_boundary { SMC_BOUNDARY_TRAP, SMC_BOUNDARY_CLAMP, SMC_BOUNDARY_ZERO };
struct smc_texture_access {
    unsigned dimensions : 2, is_layered : 1, is_integer : 1; /* the coordinates */
    unsigned channel : 2;                                    /* of tld4 */
    unsigned elements : 3, bytes : 4, boundary : 2;          /* of surfaces */
    unsigned : 17;
};
smc_step smc_step_texture, smc_step_gather_texels, smc_step_query_texture, smc_step_load_surface,
    smc_step_store_surface;
/* unwritten.c: an op of a program with tracked registers. */
smc_step smc_step_tracked;
/* Only in programs that were read leniently, and never run: an instruction that is not supported
   writes d. */
smc_step smc_step_opaque;
/* ldmatrix and stmatrix access `vector` times 8 rows, whose addresses the lanes hold. */
smc_step smc_step_load_rows, smc_step_store_rows;
/* Operations across the lanes of a warp. immediate: the function; b, c: its operands; v[0]: the
   member mask. */
smc_step smc_step_shuffle, smc_step_vote, smc_step_active_mask, smc_step_match, smc_step_reduce,
    smc_step_elect;

enum smc_shuffle { SMC_SHUFFLE_INDEX, SMC_SHUFFLE_UP, SMC_SHUFFLE_DOWN, SMC_SHUFFLE_BUTTERFLY };

#endif
