/* Compares matmul-register with cuBLAS SGEMM on GPU 0: medians of launches after a warm-up,
   alternating so that clock and temperature are the same for both, and the difference between the
   results. All in single precision, without TF32.

     sgemm_speed [--cublas LIBRARY] [--json FILE] [SIZE...]
                                          square matrices, 4096 and 8192 if none is given

   cuBLAS is found by the loader or in the folder of NVRTC; without it only matmul-register is
   measured. Exit status: 0 measured; 1 results too far apart; 2 a size below 1;
   4 the GPU failed, or FILE cannot be written; 77 no GPU. */
#include <dlfcn.h>
#include <float.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu_bench.h"

enum { A = 0, B, C };

/* Of cuBLAS, in percent: up to 8192, and beyond. */
static int bar_of(int size)
{
    enum { LARGE = 8192, BAR = 102, BAR_BEYOND = 100 };
    return size <= LARGE ? BAR : BAR_BEYOND;
}

/* --- cuBLAS, loaded at run time --------------------------------------------------------------- */

typedef void *cublas_handle;

struct cublas {
    void *library;
    cublas_handle handle;
    char name[1100];
    int (*create)(cublas_handle *handle);
    int (*destroy)(cublas_handle handle);
    int (*set_math_mode)(cublas_handle handle, int mode);
    int (*sgemm)(cublas_handle handle, int op_a, int op_b, int m, int n, int k, const float *alpha,
                 const float *a, int lda, const float *b, int ldb, const float *beta, float *c,
                 int ldc);
};

enum { CUBLAS_NOT_TRANSPOSED = 0, CUBLAS_PEDANTIC = 2 };

static bool find_symbol(struct cublas *cublas, const char *name, void *function)
{
    void *found = dlsym(cublas->library, name);
    memcpy(function, &found, sizeof found);
    return found != NULL;
}

static bool load(struct cublas *cublas, const char *name)
{
    cublas->library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    snprintf(cublas->name, sizeof cublas->name, "%s", name);
    return cublas->library && find_symbol(cublas, "cublasCreate_v2", &cublas->create) &&
           find_symbol(cublas, "cublasDestroy_v2", &cublas->destroy) &&
           find_symbol(cublas, "cublasSetMathMode", &cublas->set_math_mode) &&
           find_symbol(cublas, "cublasSgemm_v2", &cublas->sgemm);
}

/* By name, and in the folders where toolkit and wheels put it beside NVRTC. */
static bool find_library(struct cublas *cublas)
{
    static const char *const names[] = {"libcublas.so.13", "libcublas.so.12", "libcublas.so.11"};
    static const char *const folders[] = {"", "/../../cublas/lib"};
    struct smc_nvrtc_info info;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (load(cublas, names[i]))
            return true;
    if (smc_nvrtc_describe(&info, NULL) != SMC_OK || !strrchr(info.path, '/'))
        return false;
    *strrchr(info.path, '/') = '\0';
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (size_t f = 0; f < sizeof folders / sizeof *folders; f++) {
            char path[1100];
            snprintf(path, sizeof path, "%s%s/%s", info.path, folders[f], names[i]);
            if (load(cublas, path))
                return true;
        }
    return false;
}

static bool open_cublas(struct cublas *cublas, const char *wanted)
{
    if (!(wanted ? load(cublas, wanted) : find_library(cublas))) {
        const char *why = wanted ? dlerror() : NULL;
        printf("cuBLAS: not found%s%s\n", why ? ": " : "", why ? why : "");
        return false;
    }
    int code = cublas->create(&cublas->handle);
    if (code == 0)
        code = cublas->set_math_mode(cublas->handle, CUBLAS_PEDANTIC);
    printf("cuBLAS: %s%s\n", cublas->name, code ? ", which does not start" : "");
    return code == 0;
}

/* --- One size --------------------------------------------------------------------------------- */

struct contest {
    const struct cublas *cublas; /* NULL: none */
    struct bench_kernel bench;
    float *other; /* cuBLAS's C, on the device */
    int size;
    json_t *figures; /* a list, of one for each size */
};

static cudaError_t multiply(void *contest)
{
    return bench_launch(&((struct contest *)contest)->bench);
}

/* cuBLAS is column-major and C is row-major, so this multiplies the transposes in reverse order. */
static cudaError_t multiply_by_cublas(void *context)
{
    const struct contest *contest = context;
    void *const *device = contest->bench.buffers.device;
    const float one = 1, zero = 0;
    int n = contest->size;
    int code = contest->cublas->sgemm(contest->cublas->handle, CUBLAS_NOT_TRANSPOSED,
                                      CUBLAS_NOT_TRANSPOSED, n, n, n, &one, device[B], n, device[A],
                                      n, &zero, contest->other, n);
    return code == 0 ? cudaSuccess : cudaErrorUnknown;
}

/* Sorts the times and prints the TFLOP/s for one size: of the median launch, the slowest and the
   fastest. */
static double report(const char *name, int size, double ms[BENCH_ROUNDS])
{
    double flops = 2.0 * size * size * size;
    double median_ms = bench_median(ms), median = flops / median_ms / 1e9;
    printf("%5d  %-16s %9.3f ms  %6.2f TFLOP/s  (%.2f to %.2f)\n", size, name, median_ms, median,
           flops / ms[BENCH_ROUNDS - 1] / 1e9, flops / ms[0] / 1e9);
    return median;
}

static cudaError_t ask_clock(struct contest *contest, uint32_t *khz)
{
    cudaError_t code = cudaSuccess;
    for (int i = 0; i < BENCH_WARM_UPS && code == cudaSuccess; i++)
        code = multiply(contest);
    *khz = smc_gpu_sm_clock_khz(0); /* while they run */
    return bench_wait(code);
}

/* Alternates the two multiplications. */
static cudaError_t race(struct contest *contest)
{
    double ours[BENCH_ROUNDS], theirs[BENCH_ROUNDS];
    cudaError_t code = cudaSuccess;
    uint32_t clock_khz = 0;
    for (int round = -BENCH_WARM_UPS; round < BENCH_ROUNDS && code == cudaSuccess; round++) {
        int at = round < 0 ? 0 : round;
        code = bench_time(&contest->bench, multiply, contest, &ours[at]);
        if (code == cudaSuccess && contest->cublas)
            code = bench_time(&contest->bench, multiply_by_cublas, contest, &theirs[at]);
    }
    if (code == cudaSuccess)
        code = ask_clock(contest, &clock_khz);
    if (code != cudaSuccess)
        return code;
    double mine = report("matmul-register", contest->size, ours);
    json_t *figures = json_pack("{si sf}", "size", contest->size, "ours_tflops", mine);
    json_array_append_new(contest->figures, figures);
    if (contest->cublas) {
        double other = report("cuBLAS SGEMM", contest->size, theirs), percent = 100 * mine / other;
        json_object_set_new(figures, "cublas_tflops", json_real(other));
        json_object_set_new(figures, "percent", json_real(percent));
        printf("%5d  matmul-register reaches %.1f %% of cuBLAS; the bar of %d %% is %s\n",
               contest->size, percent, bar_of(contest->size),
               percent >= bar_of(contest->size) ? "met" : "missed");
    }
    if (clock_khz) {
        json_object_set_new(figures, "sm_clock_mhz", json_integer(clock_khz / 1000));
        printf("%5d  SM clock while matmul-register runs: %u MHz\n", contest->size,
               clock_khz / 1000);
    }
    return code;
}

/* Compares both results element by element, after one launch each into poisoned memory. */
static cudaError_t compare(struct contest *contest, bool *agree)
{
    size_t bytes = contest->bench.buffers.bytes[C], elements = bytes / sizeof(float), unequal = 0;
    const float *mine = contest->bench.buffers.host[C];
    float *theirs = malloc(bytes), largest = 0;
    bool finite = true;
    cudaError_t code = theirs ? cudaSuccess : cudaErrorMemoryAllocation;
    if (code == cudaSuccess)
        code = cudaMemcpy(contest->bench.buffers.host[C], contest->bench.buffers.device[C], bytes,
                          cudaMemcpyDeviceToHost);
    if (code == cudaSuccess)
        code = cudaMemcpy(theirs, contest->other, bytes, cudaMemcpyDeviceToHost);
    for (size_t i = 0; i < elements && code == cudaSuccess; i++) {
        float difference = fabsf(mine[i] - theirs[i]);
        unequal += difference != 0;
        finite &= difference <= FLT_MAX; /* not NaN: the poison */
        largest = difference > largest ? difference : largest;
    }
    free(theirs);
    if (code != cudaSuccess)
        return code;
    *agree = finite && largest <= (float)contest->size * FLT_EPSILON;
    printf("%5d  largest difference %.3g, %zu of %zu elements differ%s\n", contest->size, largest,
           unequal, elements, *agree ? "" : ": WRONG");
    return code;
}

static cudaError_t hold(struct contest *contest, bool *agree)
{
    size_t bytes = contest->bench.buffers.bytes[C];
    cudaError_t code = cudaSuccess;
    if (contest->cublas)
        code = cudaMalloc((void **)&contest->other, bytes);
    if (code == cudaSuccess && contest->cublas)
        code = cudaMemset(contest->other, smc_dtype_poison(SMC_FLOAT), bytes);
    if (code == cudaSuccess)
        code = race(contest);
    if (code == cudaSuccess && contest->cublas)
        code = compare(contest, agree);
    return code;
}

/* Exit status. */
static int measure(int size, const struct smc_device *device, const struct cublas *cublas,
                   json_t *figures)
{
    const struct smc_kernel *kernel = smc_kernel_find("matmul-register"); /* its default shape */
    struct contest contest = {.cublas = cublas, .size = size, .figures = figures};
    struct smc_params params;
    struct smc_error error = {""};
    bool agree = true;
    smc_params_init(kernel, &params);
    for (enum smc_param p = SMC_PARAM_M; p <= SMC_PARAM_K; p++)
        params.value[p] = size;
    enum smc_status status = bench_open(kernel, &params, device, &contest.bench, &error);
    if (status == SMC_OK)
        printf("%5d  %u registers, %u B of shared memory, %u threads, %llu blocks\n", size,
               contest.bench.resources.regs_per_thread, contest.bench.dynamic_smem_bytes,
               contest.bench.plan.threads_per_block,
               (unsigned long long)contest.bench.plan.grid_blocks);
    if (status == SMC_OK) {
        cudaError_t code = hold(&contest, &agree);
        if (code != cudaSuccess)
            status = smc_gpu_fail(&error, code, "the measurement");
    }
    cudaFree(contest.other);
    bench_close(&contest.bench);
    if (status != SMC_OK)
        printf("%5d  %s\n", size, error.message);
    fflush(stdout);
    return status != SMC_OK ? 4 : agree ? 0 : 1;
}

/* Options come first. The index of the first size. */
static int read_options(int argc, char **argv, const char **library, const char **json)
{
    int at = 1;
    for (; at + 1 < argc; at += 2)
        if (strcmp(argv[at], "--cublas") == 0)
            *library = argv[at + 1];
        else if (strcmp(argv[at], "--json") == 0)
            *json = argv[at + 1];
        else
            break;
    return at;
}

int main(int argc, char **argv)
{
    static const int usual[] = {4096, 8192};
    struct smc_device device;
    struct cublas cublas = {0};
    const char *library = NULL, *json = NULL;
    int at = read_options(argc, argv, &library, &json), worst = 0;
    int unusable = bench_use_gpu(&device);
    if (unusable)
        return unusable;
    printf("%s, CC %u.%u\n", device.name, device.sm.cc / 10, device.sm.cc % 10);
    bool has_cublas = open_cublas(&cublas, library);
    json_t *figures = json_array();
    int sizes = at < argc ? argc - at : 2;
    for (int i = 0; i < sizes; i++) {
        int size = at < argc ? atoi(argv[at + i]) : usual[i];
        int status = size > 0 ? measure(size, &device, has_cublas ? &cublas : NULL, figures) : 2;
        worst = status > worst ? status : worst;
    }
    if (cublas.handle)
        cublas.destroy(cublas.handle);
    int written = bench_write_figures("sgemm", figures, json);
    return written > worst ? written : worst;
}
