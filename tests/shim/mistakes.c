/* A program of CUDA's runtime with one mistake, or with what looks like one, for tests/shim.sh: the
   case is its argument. It registers kernels as nvcc's code does, but needs no nvcc. */
#include "tests/shim/calls.h"

static const char ptx[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n.file 1 \"mistakes.cu\"\n"
    ".func (.param .b32 r) plus(.param .b32 x) { .reg .b32 %r<2>; ld.param.b32 %r1, [x];\n"
    "add.s32 %r1, %r1, 1; st.param.b32 [r], %r1; ret; }\n"
    ".func (.param .b32 r) thrice(.param .b32 x) { .reg .b32 %r<2>; ld.param.b32 %r1, [x];\n"
    "mul.lo.s32 %r1, %r1, 3; st.param.b32 [r], %r1; ret; }\n"
    ".func (.param .b32 r) hidden(.param .b32 x) { .reg .b32 %r<2>; ld.param.b32 %r1, [x];\n"
    "sub.s32 %r1, %r1, 7; st.param.b32 [r], %r1; ret; }\n"
    ".global .align 8 .u64 table[2] = {plus, thrice};\n"
    /* to[i] += from[i] for i < n */
    ".visible .entry add(.param .u64 to, .param .u64 from, .param .u32 n) {\n"
    ".reg .pred %q; .reg .b32 %r<5>; .reg .b64 %d<4>;\n"
    "ld.param.u64 %d1, [to]; ld.param.u64 %d2, [from]; ld.param.u32 %r1, [n];\n"
    "mov.u32 %r2, %tid.x; setp.ge.u32 %q, %r2, %r1; @%q bra END; mul.wide.u32 %d3, %r2, 4;\n"
    "add.s64 %d1, %d1, %d3; add.s64 %d2, %d2, %d3; ld.global.u32 %r3, [%d2];\n"
    "ld.global.u32 %r4, [%d1]; add.s32 %r3, %r3, %r4; st.global.u32 [%d1], %r3; END: ret; }\n"
    /* to[i] = i for i < n, by bytes */
    ".visible .entry number(.param .u64 to, .param .u32 n) {\n"
    ".reg .pred %q; .reg .b16 %h<2>; .reg .b32 %r<3>; .reg .b64 %d<3>;\n"
    "ld.param.u64 %d1, [to]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x;\n"
    "setp.ge.u32 %q, %r2, %r1; @%q bra END; cvt.u64.u32 %d2, %r2; add.s64 %d1, %d1, %d2;\n"
    "cvt.u16.u32 %h1, %r2; st.global.u8 [%d1], %h1; END: ret; }\n"
    ".visible .entry count(.param .u64 to) { .reg .b64 %d<2>; ld.param.u64 %d1, [to];\n"
    "red.global.add.u32 [%d1], 1; ret; }\n"
    /* to[i] = from[i] for structures of 16 bytes; *sum += the third word of each */
    ".visible .entry pad(.param .u64 to, .param .u64 from, .param .u64 sum) {\n"
    ".reg .b32 %r<6>; .reg .b64 %d<5>; ld.param.u64 %d1, [to]; ld.param.u64 %d2, [from];\n"
    "ld.param.u64 %d4, [sum]; mov.u32 %r5, %tid.x; mul.wide.u32 %d3, %r5, 16;\n"
    "add.s64 %d1, %d1, %d3; add.s64 %d2, %d2, %d3;\n"
    "ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%d2];\n"
    "st.global.v4.u32 [%d1], {%r1, %r2, %r3, %r4}; red.global.add.u32 [%d4], %r3; ret; }\n"
    ".visible .entry fetch(.param .u64 to, .param .u64 from) {\n"
    ".reg .b32 %r<2>; .reg .f32 %f<5>; .reg .b64 %d<3>; ld.param.u64 %d1, [to];\n"
    "ld.param.u64 %d2, [from]; mov.u32 %r1, %tid.x;\n"
    "tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%d2, {%r1}]; st.global.f32 [%d1], %f1; ret; }\n"
    ".extern .shared .align 4 .b8 dynamic[];\n"
    ".visible .entry _Z5largePi(.param .u64 to) .maxntid 128, 1, 1 { .reg .b32 %r<3>;\n"
    "mov.u32 %r1, dynamic; mov.u32 %r2, 1; st.shared.u32 [%r1], %r2; ret; }\n"
    /* *to = hidden; a function that is in no table */
    ".visible .entry choose(.param .u64 to) { .reg .b64 %d<3>; ld.param.u64 %d1, [to];\n"
    "mov.u64 %d2, hidden; st.global.u64 [%d1], %d2; ret; }\n"
    /* *to = f(*to) */
    ".visible .entry apply(.param .u64 f, .param .u64 to) {\n"
    ".reg .b32 %r<2>; .reg .b64 %d<3>; ld.param.u64 %d1, [f]; ld.param.u64 %d2, [to];\n"
    "ld.global.u32 %r1, [%d2];\n{\n.param .b32 x; .param .b32 r; st.param.b32 [x], %r1;\n"
    "P: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
    "call (r), %d1, (x), P;\nld.param.b32 %r1, [r];\n}\nst.global.u32 [%d2], %r1; ret; }\n"
    /* the same with a function that memory holds */
    ".visible .entry apply_at(.param .u64 f, .param .u64 to) {\n"
    ".reg .b32 %r<2>; .reg .b64 %d<3>; ld.param.u64 %d1, [f]; ld.global.u64 %d1, [%d1];\n"
    "ld.param.u64 %d2, [to]; ld.global.u32 %r1, [%d2];\n"
    "{\n.param .b32 x; .param .b32 r; st.param.b32 [x], %r1;\n"
    "P: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
    "call (r), %d1, (x), P;\nld.param.b32 %r1, [r];\n}\nst.global.u32 [%d2], %r1; ret; }\n"
    ".extern .func (.param .b32 r) vprintf(.param .b64 format, .param .b64 values);\n"
    ".extern .func __assertfail(.param .b64 what, .param .b64 file, .param .b32 line,\n"
    ".param .b64 function, .param .b64 bytes);\n"
    ".global .align 1 .b8 text[8] = {115, 117, 109, 32, 37, 100, 10, 0};\n" /* "sum %d\n" */
    ".visible .entry print(.param .u64 to) {\n"
    ".local .align 8 .b8 values[8]; .reg .b32 %r<3>; .reg .b64 %d<3>;\n"
    "mov.u32 %r1, 42; mov.u64 %d1, values; st.local.u32 [%d1], %r1; cvta.local.u64 %d1, %d1;\n"
    "mov.u64 %d2, text; cvta.global.u64 %d2, %d2;\n"
    "{\n.param .b64 a; .param .b64 b; .param .b32 r; st.param.b64 [a], %d2;\n"
    "st.param.b64 [b], %d1; call (r), vprintf, (a, b);\nld.param.b32 %r2, [r];\n}\nret; }\n"
    ".visible .entry check(.param .u64 to) { .reg .b32 %r<2>; .reg .b64 %d<3>;\n"
    "mov.u64 %d1, text; cvta.global.u64 %d1, %d1; mov.u64 %d2, 1; mov.u32 %r1, 3;\n"
    "{\n.param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e;\n"
    "st.param.b64 [a], %d1; st.param.b64 [b], %d1; st.param.b32 [c], %r1;\n"
    "st.param.b64 [d], %d1; st.param.b64 [e], %d2;\n"
    "call __assertfail, (a, b, c, d, e);\n}\nret; }\n"
    /* a barrier of two warps that the second one does not come to */
    ".visible .entry wait(.param .u64 to) { .reg .pred %q; .reg .b32 %r<2>;\n"
    "mov.u32 %r1, %tid.x; setp.gt.u32 %q, %r1, 31; @%q bra END; bar.sync 1, 64; END: ret; }\n"
    ".func deeper(.param .b32 x) { .reg .b32 %r<2>; ld.param.b32 %r1, [x]; add.s32 %r1, %r1, 1;\n"
    "{\n.param .b32 y; st.param.b32 [y], %r1; call deeper, (y);\n}\nret; }\n"
    ".visible .entry descend(.param .u64 to) { .reg .b32 %r<2>; mov.u32 %r1, 0;\n"
    "{\n.param .b32 y; st.param.b32 [y], %r1; call deeper, (y);\n}\nret; }\n"
    ".func beyond(.param .b64 x) { .reg .b32 %r<2>; .reg .b64 %d<2>; ld.param.b64 %d1, [x];\n"
    "mov.u32 %r1, 5;\n.loc 1 2 0\nst.global.u32 [%d1+4], %r1; ret; }\n"
    ".visible .entry reach(.param .u64 to) { .reg .b64 %d<2>; ld.param.u64 %d1, [to];\n"
    ".loc 1 7 0\n"
    "{\n.param .b64 y; st.param.b64 [y], %d1; call beyond, (y);\n}\nret; }\n";

enum { TO_DEVICE = 1, TO_HOST, ON_DEVICE };
enum {
    ADD,
    NUMBER,
    COUNT,
    LARGE,
    CHOOSE,
    APPLY,
    APPLY_AT,
    PAD,
    FETCH,
    PRINT,
    CHECK,
    WAIT,
    DESCEND,
    REACH,
    KERNELS
};

static char stub[KERNELS], table_shadow;

struct dim {
    uint32_t x, y, z;
};

static void start(void)
{
    static const char *const names[KERNELS] = {
        "add", "number", "count", "_Z5largePi", "choose", "apply",   "apply_at",
        "pad", "fetch",  "print", "check",      "wait",   "descend", "reach"};
    void **(*register_binary)(const void *);
    void *symbol;
    library = dlopen("libcudart.so.13", RTLD_NOW);
    if (!library) {
        puts(dlerror());
        exit(99);
    }
    symbol = dlsym(library, "__cudaRegisterFatBinary");
    memcpy(&register_binary, &symbol, sizeof symbol);
    void **handle = register_binary(ptx);
    for (int i = 0; i < KERNELS; i++)
        find("__cudaRegisterFunction")(handle, &stub[i], &stub[i], names[i], -1, NULL, NULL, NULL,
                                       NULL, NULL);
    find("__cudaRegisterVar")(handle, &table_shadow, "table", "table", 0, SIZE(16), 0, 0);
    find("__cudaRegisterFatBinaryEnd")(handle);
}

static void *memory(size_t bytes)
{
    void *at = NULL;
    CALL(cudaSuccess, cudaMalloc, &at, bytes);
    return at;
}

/* As <<<1, block, smem>>> does, without looking at what is returned. */
static void launch_block(int kernel, struct dim block, size_t smem, void **arguments)
{
    struct dim blocks = {1, 1, 1};
    void *stream;
    find("__cudaPushCallConfiguration")(blocks, block, smem, NULL);
    find("__cudaPopCallConfiguration")(&blocks, &block, &smem, &stream);
    find("cudaLaunchKernel")(&stub[kernel], blocks, block, arguments, smem, stream);
}

static void launch(int kernel, uint32_t threads, size_t smem, void **arguments)
{
    const struct dim block = {threads, 1, 1};
    launch_block(kernel, block, smem, arguments);
}

static void add(void *to, void *from, uint32_t n)
{
    void *arguments[] = {&to, &from, &n};
    launch(ADD, 64, 0, arguments);
}

/* --- Memory that nothing has written ---------------------------------------------------------- */

static void not_copied(void)
{
    void *to = memory(256), *from = memory(256);
    CALL(cudaSuccess, cudaMemset, to, 0, SIZE(256));
    add(to, from, 64);
}

static void copied_in_part(void)
{
    char host[256] = {0};
    void *to = memory(256), *from = memory(256);
    CALL(cudaSuccess, cudaMemset, to, 0, SIZE(256));
    CALL(cudaSuccess, cudaMemcpy, from, host, SIZE(64), TO_DEVICE);
    add(to, from, 64);
}

static void counted(void)
{
    void *to = memory(4), *arguments[] = {&to};
    launch(COUNT, 1, 0, arguments);
}

static void made_by_kernel(void)
{
    void *to = memory(256), *from = memory(256);
    uint32_t n = 255;
    void *arguments[] = {&from, &n};
    CALL(cudaSuccess, cudaMemset, to, 0, SIZE(256));
    launch(NUMBER, 256, 0, arguments); /* all bytes but the last one */
    add(to, from, 64);
}

/* Each part of the memory is written in another way. */
static void all_written(void)
{
    char host[256] = {0};
    void *to = memory(254), *from = memory(256), *third = memory(256);
    uint32_t n = 100;
    void *arguments[] = {&to, &n};
    launch(NUMBER, 128, 0, arguments);
    CALL(cudaSuccess, cudaMemcpy, (char *)to + 100, host, SIZE(57), TO_DEVICE);
    CALL(cudaSuccess, cudaMemset, (char *)to + 157, 3, SIZE(43));
    CALL(cudaSuccess, cudaMemcpy, third, host, SIZE(256), TO_DEVICE);
    CALL(cudaSuccess, cudaMemcpy, from, third, SIZE(256), ON_DEVICE);
    add(to, from, 50);
    add(from, to, 50);
    CALL(cudaSuccess, cudaFree, third);
}

/* Copies 4 structures of 16 bytes whose bytes from `first` on are written: `bytes` of them. */
static void copy_padded(uint32_t first, size_t bytes)
{
    char host[16] = {0};
    char *to = memory(64), *from = memory(64);
    void *sum = memory(4), *arguments[] = {&to, &from, &sum};
    CALL(cudaSuccess, cudaMemset, sum, 0, SIZE(4));
    for (int i = 0; i < 4; i++)
        CALL(cudaSuccess, cudaMemcpy, from + 16 * i + first, host, bytes, TO_DEVICE);
    launch(PAD, 4, 0, arguments);
}

static void padding_copied(void)
{
    copy_padded(9, 3);
}

static void padding_added(void)
{
    copy_padded(0, 8);
}

/* 32 floats by a texture object, of which `bytes` are written. */
static void fetch_texels(size_t bytes)
{
    const struct {
        int type;
        void *address;
        int bits[4], format;
        size_t bytes;
    } linear = {2, memory(128), {32, 0, 0, 0}, 2, 128};
    const char texture[128] = {0};
    char host[128] = {0}, resource[128] = {0};
    uint64_t object = 0;
    void *to = memory(4), *arguments[] = {&to, &object};
    memcpy(resource, &linear, sizeof linear);
    CALL(cudaSuccess, cudaMemcpy, linear.address, host, bytes, TO_DEVICE);
    CALL(cudaSuccess, cudaCreateTextureObject, &object, resource, texture, NULL);
    launch(FETCH, 32, 0, arguments);
}

static void texels(void)
{
    fetch_texels(100);
}

static void texels_written(void)
{
    fetch_texels(128);
}

/* --- Memory that was freed -------------------------------------------------------------------- */

static void freed(void)
{
    void *to = memory(256), *from = memory(256);
    CALL(cudaSuccess, cudaMemset, to, 0, SIZE(256));
    CALL(cudaSuccess, cudaMemset, from, 0, SIZE(256));
    CALL(cudaSuccess, cudaFree, from);
    add(to, from, 64);
}

static void given_out_again(void)
{
    void *to = memory(256), *from = memory(256);
    CALL(cudaSuccess, cudaFree, from);
    from = memory(256);
    CALL(cudaSuccess, cudaMemset, to, 0, SIZE(256));
    CALL(cudaSuccess, cudaMemset, from, 0, SIZE(256));
    add(to, from, 64);
}

/* --- Errors ----------------------------------------------------------------------------------- */

static void refused(void)
{
    void *to = memory(4), *arguments[] = {&to};
    launch(LARGE, 64, 64 << 10, arguments);
    CALL(cudaSuccess, cudaDeviceSynchronize, );
}

static void refused_threads(void)
{
    void *to = memory(4), *arguments[] = {&to};
    launch(LARGE, 256, 0, arguments);
}

static void refused_depth(void)
{
    const struct dim block = {1, 1, 65};
    void *to = memory(4), *arguments[] = {&to};
    launch_block(LARGE, block, 0, arguments);
}

static void refused_size(void)
{
    void *to = memory(4), *arguments[] = {&to};
    launch(LARGE, 64, 256 << 10, arguments);
}

static void refused_and_seen(void)
{
    void *to = memory(4), *arguments[] = {&to};
    launch(LARGE, 64, 64 << 10, arguments);
    CALL(cudaErrorInvalidValue, cudaGetLastError, );
}

/* What a call returns is seen, or not, by the program alone. */
static void refused_by_call(void)
{
    const struct dim blocks = {1, 1, 1}, block = {64, 1, 1};
    void *to = memory(4), *arguments[] = {&to};
    IS(cudaErrorInvalidValue,
       find("cudaLaunchKernel")(&stub[LARGE], blocks, block, arguments, SIZE(64 << 10), NULL));
}

static void failed(void)
{
    void *to = memory(4);
    CALL(cudaSuccess, cudaFree, to);
    find("cudaFree")(to);
}

static void failed_and_seen(void)
{
    void *to = memory(4);
    CALL(cudaSuccess, cudaFree, to);
    const int error = find("cudaFree")(to);
    (void)find("cudaGetErrorString")(error);
}

static void failed_and_told(void)
{
    void *to = memory(4);
    CALL(cudaSuccess, cudaFree, to);
    exit(find("cudaFree")(to) != 0 ? 3 : 0);
}

/* --- Functions whose addresses pass from kernel to kernel ------------------------------------- */

static void functions(void)
{
    uint64_t host[2];
    int value = 5;
    void *to = memory(4), *chosen = memory(8);
    void *with_first[] = {&host[0], &to}, *with_second[] = {&host[1], &to};
    void *to_chosen[] = {&chosen}, *with_chosen[] = {&chosen, &to};
    CALL(cudaSuccess, cudaMemcpy, to, &value, SIZE(4), TO_DEVICE);
    CALL(cudaSuccess, cudaMemcpyFromSymbol, host, &table_shadow, SIZE(16), SIZE(0), TO_HOST);
    launch(APPLY, 1, 0, with_first);
    launch(APPLY, 1, 0, with_second);
    launch(CHOOSE, 1, 0, to_chosen);
    launch(APPLY_AT, 1, 0, with_chosen);
    CALL(cudaSuccess, cudaMemcpy, &value, to, SIZE(4), TO_HOST);
    IS((5 + 1) * 3 - 7, value);
}

/* --- What a kernel prints, and what ends it --------------------------------------------------- */

/* `error`: that of the context after the launch of two warps. */
static void ends_with(int error, int kernel)
{
    void *to = memory(4), *arguments[] = {&to};
    launch(kernel, 64, 0, arguments);
    CALL(error, cudaDeviceSynchronize, );
}

static void printed(void)
{
    void *to = memory(4), *arguments[] = {&to};
    launch(PRINT, 1, 0, arguments);
    CALL(cudaSuccess, cudaDeviceSynchronize, );
}

static void asserted(void)
{
    ends_with(cudaErrorAssert, CHECK);
}

static void deadlocked(void)
{
    ends_with(cudaErrorLaunchTimeout, WAIT);
}

static void recursive(void)
{
    ends_with(cudaErrorHardwareStackError, DESCEND);
}

static void beyond_in_function(void)
{
    ends_with(cudaSuccess, REACH); /* within the page */
}

static void no_function(void)
{
    uint64_t function = 0x1234;
    int value = 5;
    void *to = memory(4), *arguments[] = {&function, &to};
    CALL(cudaSuccess, cudaMemcpy, to, &value, SIZE(4), TO_DEVICE);
    launch(APPLY, 1, 0, arguments);
    CALL(cudaErrorInvalidPc, cudaDeviceSynchronize, );
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*make)(void);
    } cases[] = {{"not_copied", not_copied},
                 {"copied_in_part", copied_in_part},
                 {"counted", counted},
                 {"made_by_kernel", made_by_kernel},
                 {"all_written", all_written},
                 {"texels", texels},
                 {"texels_written", texels_written},
                 {"padding_copied", padding_copied},
                 {"padding_added", padding_added},
                 {"freed", freed},
                 {"given_out_again", given_out_again},
                 {"refused", refused},
                 {"refused_threads", refused_threads},
                 {"refused_depth", refused_depth},
                 {"refused_size", refused_size},
                 {"refused_and_seen", refused_and_seen},
                 {"refused_by_call", refused_by_call},
                 {"failed", failed},
                 {"failed_and_seen", failed_and_seen},
                 {"failed_and_told", failed_and_told},
                 {"functions", functions},
                 {"printed", printed},
                 {"asserted", asserted},
                 {"deadlocked", deadlocked},
                 {"recursive", recursive},
                 {"beyond_in_function", beyond_in_function},
                 {"no_function", no_function}};
    start();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (argc == 2 && strcmp(argv[1], cases[i].name) == 0) {
            cases[i].make();
            return failures > 0 ? 99 : 0;
        }
    puts("usage: mistakes CASE");
    return 98;
}
