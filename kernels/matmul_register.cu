/* C = A B with TM x TN outputs in the registers of each thread: few warps on an SM, and still fast.

   A is M x K, B is K x N, C is M x N, all row-major. Rows lie lda, ldb and ldc elements apart, so
   that each matrix may be a part of a larger one. A block computes a BM x BN tile of C. It walks
   along K in steps of BK, and keeps a panel of A and a panel of B for each of STAGES steps in
   shared memory: while one is multiplied, the next ones are fetched.

   Why it is fast, from the outside in:
   - A panel of A serves BN columns, one of B serves BM rows, so little global memory is read; and
     blocks that run at the same time are close to each other, in 8 rows, to share it in L2.
   - cp.async (CC 8.0 and newer) copies to shared memory without registers, and no thread waits.
   - A thread loads TM elements of A and TN of B from shared memory for TM x TN multiplications:
     for 16 x 8, six loads of 16 bytes for 128 of them. With one output per thread, two for one.
   - Lanes 2n and 2n + 1 load the same elements of A, lanes n and n + 2 the same of B: a load of 16
     bytes then takes two wavefronts instead of four.
   - The fragments of the next k are loaded while those of this one are multiplied, and the copies
     of the next panels are mixed in as well: they have predicates in place of branches, so that the
     compiler may put multiplications between them. At a branch a warp waits for all that it has
     loaded; so blocks whose panels are all whole have loops of their own, with few branches.
   - Even registers are one bank and odd ones another. Each bank gives one register a clock, and a
     multiplication reads three. The operand cache keeps one register of each bank, for each place
     of an operand. So the order goes along a row of outputs, and back in the next: the element of A
     stays in the cache, and what is left to read, an element of B and a sum, may be in two banks.
   - The compiler numbers the sums accordingly, but for stores of 16 bytes four of them must be
     neighbours. The multiplication after the loop moves them: it costs nothing, and inside the loop
     they may have any numbers.
   - The loop over k moves two pointers; all else that addresses need is constant, or is kept in
     registers from before the loop.
   With this many registers one block of 8 warps fits on an SM. Independent multiplications in each
   thread hide the latency instead of many warps: occupancy is not the aim.

   The ideas are public: Volkov, "Better Performance at Lower Occupancy" (GTC 2010); CUTLASS,
   "Efficient GEMM in CUDA"; CUDA C++ Programming Guide, "Asynchronous Data Copies".

   -DBM=n -DBN=n -DBK=n  rows and columns of a block's tile of C; step along K, even
   -DTM=n -DTN=n         of a thread's; BM is a multiple of 8 TM and BN of 4 TN, which is a warp's
                         tile, and both are multiples of 16 bytes of elements
   -DSTAGES=n            panels of each matrix, 2 or more
   -DELEMENT=type        float or double
   Grid: x counts the tiles of C. Dynamic shared memory: STAGES x BK x (BM + VECTOR + BN) elements.
 */

#define THREADS (BM / TM * (BN / TN))
#define VECTOR  (int)(16 / sizeof(ELEMENT)) /* elements in the widest access */
#define VECTORS (BN / VECTOR)
#define A_ROW   (BM + VECTOR) /* a panel of A is transposed: padding spreads its stores */
#define LANES_M 8             /* how a warp's 32 threads cover its tile */
#define LANES_N 4
#define GROUP   8 /* rows of tiles that neighbouring blocks share */

struct __align__(16) vector
{
    ELEMENT element[VECTOR];
};

/* Where a block works. */
struct place {
    const ELEMENT *A, *B;   /* its first row, its first column */
    unsigned rows, columns; /* of the matrices from there on */
    unsigned K, lda, ldb;
};

/* What is known of a block's panels, or of a copy, when they are compiled. */
struct whole_panels {
    enum { are_whole = true };
};
struct any_panels {
    enum { are_whole = false };
};
template <unsigned n> struct number {
    enum { value = n };
};

/* Elements of one k that a thread multiplies. */
struct fragments {
    ELEMENT a[TM], b[TN];
};

/* `offset` is a part of the instruction: added to the address before, it would take one of its own
   for each copy. */
template <unsigned offset>
static __device__ __forceinline__ void copy_vector(ELEMENT *to, const ELEMENT *from, bool wanted)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("{ .reg .pred wanted;\n"
                 "setp.ne.u32 wanted, %2, 0;\n"
                 "@wanted cp.async.cg.shared.global [%0+%3], [%1], 16; }" ::"r"(
                     (unsigned)__cvta_generic_to_shared(to)),
                 "l"(from), "r"((unsigned)wanted), "n"(offset * sizeof(ELEMENT)));
#else
    if (wanted)
        *(vector *)(to + offset) = *(const vector *)from;
#endif
}

template <unsigned offset>
static __device__ __forceinline__ void copy(ELEMENT *to, const ELEMENT *from, bool wanted)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("{ .reg .pred wanted;\n"
                 "setp.ne.u32 wanted, %2, 0;\n"
                 "@wanted cp.async.ca.shared.global [%0+%3], [%1], %4; }" ::"r"(
                     (unsigned)__cvta_generic_to_shared(to)),
                 "l"(from), "r"((unsigned)wanted), "n"(offset * sizeof(ELEMENT)),
                 "n"(sizeof(ELEMENT)));
#else
    if (wanted)
        to[offset] = *from;
#endif
}

/* Elements outside count as 0 and change no sum. */
static __device__ __forceinline__ void copy_inside(ELEMENT *to, const ELEMENT *from, bool inside)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(
                     (unsigned)__cvta_generic_to_shared(to)),
                 "l"(from), "n"(sizeof(ELEMENT)), "r"(inside ? (int)sizeof(ELEMENT) : 0));
#else
    *to = inside ? *from : 0;
#endif
}

/* The copies since the last call are one group. */
static __device__ __forceinline__ void end_group()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/* All groups but the newest STAGES - 2 have arrived, for every thread. */
static __device__ __forceinline__ void wait_for_panels()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
#endif
    __syncthreads();
}

/* Element i + threadIdx.x of rows of n: its row and its column. Usually i is a multiple of n, and a
   thread stays in its column. */
static __device__ __forceinline__ unsigned row_of(unsigned i, unsigned n)
{
    return i % n ? (i + threadIdx.x) / n : i / n + threadIdx.x / n;
}

static __device__ __forceinline__ unsigned column_of(unsigned i, unsigned n)
{
    return i % n ? (i + threadIdx.x) % n : threadIdx.x % n;
}

/* Offsets are 64 bits wide: a matrix may have more than 2^31 elements. */
static __device__ __forceinline__ const ELEMENT *at_row(const ELEMENT *first, unsigned row,
                                                        unsigned leading)
{
    return first + (unsigned long long)row * leading;
}

/* The same value, but the compiler cannot compute it again for each panel instead of keeping it. */
static __device__ __forceinline__ unsigned keep(unsigned value)
{
    asm volatile("" : "+r"(value));
    return value;
}

/* Calls f for [first, end), each of them a constant: loops have none, and recursion by halves does
   not go deep. */
template <unsigned first, unsigned end, typename F>
static __device__ __forceinline__ void for_each(const F &f)
{
    if constexpr (end - first > 1) {
        for_each<first, (first + end) / 2>(f);
        for_each<(first + end) / 2, end>(f);
    } else {
        f(number<first>());
    }
}

/* Panels that lie inside A and B, rows of B at multiples of 16 bytes. The pointers are to the first
   elements that this thread copies; the others lie constant distances from them, if the thread
   stays in its column. No branch. */
static __device__ __forceinline__ void fetch_whole(const place &at, const ELEMENT *from_a,
                                                   const ELEMENT *from_b, ELEMENT *to_a,
                                                   ELEMENT *to_b, bool wanted)
{
    for_each<0, (BM * BK + THREADS - 1) / THREADS>([&](auto n) {
        constexpr unsigned i = n.value * THREADS, offset = i % BK ? 0 : i / BK;
        const unsigned rows = row_of(i, BK) - row_of(0, BK);
        const int steps = column_of(i, BK) - column_of(0, BK);
        const bool exists = i + THREADS <= BM * BK || row_of(i, BK) < BM;
        copy<offset>(to_a + steps * A_ROW + (int)(rows - offset),
                     at_row(from_a, rows, at.lda) + steps, wanted && exists);
    });
    for_each<0, (BK * VECTORS + THREADS - 1) / THREADS>([&](auto n) {
        constexpr unsigned i = n.value * THREADS, offset = i % VECTORS ? 0 : i / VECTORS * BN;
        const unsigned steps = row_of(i, VECTORS) - row_of(0, VECTORS);
        const int columns = (column_of(i, VECTORS) - column_of(0, VECTORS)) * VECTOR;
        const bool exists = i + THREADS <= BK * VECTORS || row_of(i, VECTORS) < BK;
        copy_vector<offset>(to_b + (int)(steps * BN - offset) + columns,
                            at_row(from_b, steps, at.ldb) + columns, wanted && exists);
    });
}

/* Any others, an element at a time. */
static __device__ __forceinline__ void fetch_inside(const place &at, unsigned k, ELEMENT *a_panel,
                                                    ELEMENT *b_panel)
{
#pragma unroll 1
    for (unsigned e = threadIdx.x; e < BM * BK; e += THREADS) {
        const unsigned row = e / BK, step = e % BK;
        const bool inside = row < at.rows && k + step < at.K;
        copy_inside(&a_panel[step * A_ROW + row],
                    inside ? at_row(at.A, row, at.lda) + k + step : at.A, inside);
    }
#pragma unroll 1
    for (unsigned e = threadIdx.x; e < BK * BN; e += THREADS) {
        const unsigned column = e % BN, step = e / BN;
        const bool inside = column < at.columns && k + step < at.K;
        copy_inside(&b_panel[e], inside ? at_row(at.B, k + step, at.ldb) + column : at.B, inside);
    }
}

/* `a` and `b` point to this thread's first elements of one k. Its vectors are a warp's lanes
   apart. */
static __device__ __forceinline__ void load(fragments &next, const ELEMENT *a, const ELEMENT *b)
{
#pragma unroll
    for (int j = 0; j < TN; j += VECTOR)
        *(vector *)&next.b[j] = *(const vector *)&b[j * LANES_N];
#pragma unroll
    for (int i = 0; i < TM; i += VECTOR)
        *(vector *)&next.a[i] = *(const vector *)&a[i * LANES_M];
}

static __device__ __forceinline__ void multiply(const fragments &now, ELEMENT (&sum)[TM][TN])
{
#pragma unroll
    for (int i = 0; i < TM; i++)
#pragma unroll
        for (int n = 0; n < TN; n++) {
            const int j = i % 2 ? TN - 1 - n : n;
            sum[i][j] += now.a[i] * now.b[j];
        }
}

extern "C" __global__ void __launch_bounds__(THREADS, 1)
    matmul_register(const ELEMENT *A, const ELEMENT *B, ELEMENT *C, int M, int N, int K, int lda,
                    int ldb, int ldc)
{
    extern __shared__ vector panels[];
    ELEMENT *const a_panels = (ELEMENT *)panels;              /* [STAGES][BK][A_ROW] */
    ELEMENT *const b_panels = a_panels + STAGES * BK * A_ROW; /* [STAGES][BK][BN] */

    /* Which tile of C: down a group of rows of tiles first, then along it. */
    const unsigned down = (M + BM - 1u) / BM, across = (N + BN - 1u) / BN;
    const unsigned first = blockIdx.x / (GROUP * across) * GROUP;
    const unsigned rows = min(down - first, (unsigned)GROUP);
    const unsigned within = blockIdx.x % (GROUP * across);
    const unsigned block_row = (first + within % rows) * BM, block_column = within / rows * BN;

    /* Which part of it: lanes count n0 m0 n1 m1 m2, from the lowest bit up. */
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps_m = BM / (LANES_M * TM);
    const unsigned m = warp % warps_m * (LANES_M * TM) + (lane / 2 % 2 + lane / 8 * 2) * VECTOR;
    const unsigned n = warp / warps_m * (LANES_N * TN) + (lane % 2 + lane / 4 % 2 * 2) * VECTOR;

    const place at = {A + (long long)block_row * lda,
                      B + block_column,
                      M - block_row,
                      N - block_column,
                      (unsigned)K,
                      (unsigned)lda,
                      (unsigned)ldb};
    const bool is_whole = at.rows >= BM && at.columns >= BN;
    const bool b_is_aligned = ldb % VECTOR == 0 && (size_t)B % 16 == 0;
    const unsigned steps = (K + BK - 1u) / BK;
    const unsigned whole_steps = is_whole && b_is_aligned ? K / BK : 0;

    /* Copied by this thread first: in whole panels, from where and, in stage 0, to where. */
    const unsigned a_row = row_of(0, BK), a_step = column_of(0, BK);
    const unsigned b_step = row_of(0, VECTORS), b_column = column_of(0, VECTORS) * VECTOR;
    const ELEMENT *from_a = at_row(at.A, a_row, at.lda) + a_step;
    const ELEMENT *from_b = at_row(at.B, b_step, at.ldb) + b_column;
    ELEMENT *const to_a = a_panels + keep(a_step * A_ROW + a_row);
    ELEMENT *const to_b = b_panels + keep(b_step * BN + b_column);
    const ELEMENT *const a_first = a_panels + keep(m), *const b_first = b_panels + keep(n);

    ELEMENT sum[TM][TN] = {};
    const auto multiply_all = [&](auto panels) {
        unsigned refilled = 0; /* the stage of the panels that are fetched next */
        const auto fetch = [&](unsigned s) {
            fetch_whole(at, from_a, from_b, to_a + refilled * BK * A_ROW, to_b + refilled * BK * BN,
                        s < whole_steps);
        };
        const auto end_fetch = [&](unsigned s) {
            if (!panels.are_whole && s >= whole_steps && s < steps)
                fetch_inside(at, s * BK, a_panels + refilled * BK * A_ROW,
                             b_panels + refilled * BK * BN);
            end_group();
            from_a += BK;
            from_b = at_row(from_b, BK, at.ldb);
            if (++refilled == STAGES)
                refilled = 0;
        };

        fragments f[2];
        for (unsigned s = 0; s < STAGES; s++) {
            fetch(s);
            end_fetch(s);
        }
        wait_for_panels();
        const ELEMENT *a = a_first, *b = b_first;
        load(f[0], a, b);
        for (unsigned s = 0, stage = 0;;) {
#pragma unroll 1
            for (int k = 0; k < BK - 2; k += 2) {
                load(f[1], a + A_ROW, b + BN);
                multiply(f[0], sum);
                load(f[0], a + 2 * A_ROW, b + 2 * BN);
                multiply(f[1], sum);
                a += 2 * A_ROW;
                b += 2 * BN;
            }
            load(f[1], a + A_ROW, b + BN);
            multiply(f[0], sum);
            a += 2 * A_ROW;
            b += 2 * BN;
            if (++s == steps)
                break;
            wait_for_panels(); /* also: no thread still reads what is refilled now */
            if (++stage == STAGES) {
                stage = 0;
                a = a_first;
                b = b_first;
            }
            load(f[0], a, b);
            fetch(s + STAGES - 1);
            if (panels.are_whole)
                end_fetch(s + STAGES - 1);
            multiply(f[1], sum);
            if (!panels.are_whole)
                end_fetch(s + STAGES - 1);
        }
        multiply(f[1], sum);
    };
    if (whole_steps == steps)
        multiply_all(whole_panels());
    else
        multiply_all(any_panels());

    ELEMENT *const c = C + (long long)block_row * ldc + block_column;
    const bool c_is_aligned = ldc % VECTOR == 0 && (size_t)C % 16 == 0;
#pragma unroll
    for (int i = 0; i < TM; i++) {
        const unsigned row = m + i / VECTOR * (LANES_M * VECTOR) + i % VECTOR;
#pragma unroll
        for (int j = 0; j < TN; j += VECTOR) {
            const unsigned column = n + j * LANES_N;
            ELEMENT *const to = &c[(long long)row * ldc + column];
            if (is_whole && c_is_aligned)
                *(vector *)to = *(const vector *)&sum[i][j];
            else
#pragma unroll
                for (int v = 0; v < VECTOR; v++)
                    if (row < at.rows && column + v < at.columns)
                        to[v] = sum[i][j + v];
        }
    }
}
