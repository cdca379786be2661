/* Makes the page of GPU results (results/README.md) from a results file of the GPU tests
   ("smemcalc-results/1", tests/gpu/results.h).

     results_page RESULTS            prints the page
     results_page RESULTS PAGE       prints the file PAGE with the page between its two markers

   A part that the file does not have is left out. Exit status: 0; 1 with a line on standard error.
 */
#include "config.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char begin_marker[] = "<!-- results: written by `make update-results-page` -->";
static const char end_marker[] = "<!-- end of results -->";

static const char *text(const json_t *object, const char *key)
{
    const char *found = json_string_value(json_object_get(object, key));
    return found ? found : "";
}

static double number(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

static long long count(const json_t *object, const char *key)
{
    return (long long)number(object, key);
}

/* --- On what, and when ------------------------------------------------------------------------ */

/* "2026-11-21T20:15:00Z" as "21 November 2026". */
static void print_date(const char *iso)
{
    static const char *const months[] = {"January",   "February", "March",    "April",
                                         "May",       "June",     "July",     "August",
                                         "September", "October",  "November", "December"};
    int year, month, day;
    if (sscanf(iso, "%d-%d-%d", &year, &month, &day) == 3 && month >= 1 && month <= 12)
        printf("%d %s %d", day, months[month - 1], year);
}

static void print_head(const json_t *all)
{
    const json_t *gpu = json_object_get(all, "gpu");
    printf("## Seen on a GPU\n\n%s, CC %s, %lld SMs", text(gpu, "name"),
           text(gpu, "compute_capability"), count(gpu, "sms"));
    if (*text(all, "driver"))
        printf("; driver %s", text(all, "driver"));
    printf("; CUDA %s, NVRTC %s; %s; ", text(all, "cuda"), text(all, "nvrtc"),
           text(all, "program"));
    print_date(text(all, "date"));
    printf(".\n`make update-results-page` writes this page from what one run of the folder that\n"
           "`make gpu-bundle` makes wrote there.\n");
}

/* --- The catalog ------------------------------------------------------------------------------ */

static void print_kernels(const json_t *kernels)
{
    long long sets = 0, confirmed = 0, refused = 0;
    size_t i;
    const json_t *kernel;
    if (!kernels)
        return;
    printf(
        "\nEvery kernel runs with sets of parameters drawn from a fixed seed: tiles, blocks, types "
        "and paddings;\nsizes of 1, primes, and one more and one less than a block computes; "
        "gaps between rows; radii above\nblock and array; and once an array of more than 2^31 "
        "bytes, where the kernel can have one. A set is\nconfirmed if the result, the "
        "registers, the shared memory and the resident blocks are all as\npredicted, or if "
        "the launch fails as predicted.\n\n"
        "| kernel | sets | confirmed | of these fail as predicted |\n|---|---:|---:|---:|\n");
    json_array_foreach(kernels, i, kernel)
    {
        const char *name = text(kernel, "kernel");
        sets += count(kernel, "sets");
        confirmed += count(kernel, "confirmed");
        refused += count(kernel, "refused_as_predicted");
        printf("| `%s`%s | %lld | %lld | %lld |\n", name,
               strstr(name, "racy") ? ", except its result" : "", count(kernel, "sets"),
               count(kernel, "confirmed"), count(kernel, "refused_as_predicted"));
    }
    printf("| all | %lld | %lld | %lld |\n", sets, confirmed, refused);
}

/* --- Sources ---------------------------------------------------------------------------------- */

static void print_residency(const json_t *residency)
{
    if (!residency)
        return;
    long long launches = count(residency, "launches");
    printf(
        "| resident blocks per SM, random launches | %lld | %lld | the driver's answer equals the "
        "model's on %lld; with a carve-out, which is a hint, more blocks were resident on %lld of "
        "%lld |\n",
        launches, count(residency, "equal_probe"), count(residency, "equal_api"),
        count(residency, "beyond_carveout_hint"), count(residency, "with_carveout"));
    printf("| launches that fail, as the model says | %lld | %lld | |\n",
           count(residency, "refusals"), count(residency, "refused_as_predicted"));
}

static void print_failures(const json_t *failures)
{
    long long confirmed = 0;
    size_t i;
    const json_t *failure;
    if (!failures)
        return;
    json_array_foreach(failures, i, failure) confirmed +=
        json_is_true(json_object_get(failure, "confirmed"));
    printf("| predicted failures after which the GPU still works | %zu | %lld | |\n",
           json_array_size(failures), confirmed);
}

static void print_sources(const json_t *all)
{
    const json_t *api = json_object_get(all, "api"), *banks = json_object_get(all, "banks");
    const json_t *ptx = json_object_get(all, "ptx"), *emulator = json_object_get(all, "emulator");
    printf("\n| | tried | as predicted | |\n|---|---:|---:|---|\n");
    print_residency(json_object_get(all, "residency"));
    print_failures(json_object_get(all, "failures"));
    if (api)
        printf("| answers of the driver's occupancy call | %lld | %lld | |\n",
               count(api, "questions"), count(api, "questions") - count(api, "differing"));
    if (banks)
        printf("| random accesses to shared memory: wavefronts | %lld | %lld | %lld "
               "of them loads of 16 bytes with inactive lanes |\n",
               count(banks, "patterns"), count(banks, "equal"), count(banks, "wide_masked_loads"));
    if (ptx)
        printf("| PTX instructions, emulated | %lld | %lld | %lld results; approximations within "
               "their stated error |\n",
               count(ptx, "instructions"),
               count(ptx, "instructions") - count(ptx, "differing") -
                   count(ptx, "known_differences") - count(ptx, "for_newer_gpus"),
               count(ptx, "results"));
    if (emulator)
        printf("| launches of all kernels, emulated: results equal bit for bit | %lld | %lld | "
               "%lld more, "
               "of the racy kernel, are not judged |\n",
               count(emulator, "equal_results") + count(emulator, "other_results"),
               count(emulator, "equal_results"), count(emulator, "racy"));
}

/* --- Counters --------------------------------------------------------------------------------- */

/* `older`: what runs until 2026-11-29 counted instead. */
static const struct {
    const char *metric, *older, *heading;
} columns[] = {
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
     "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", "wavefronts, loads"},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
     "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum", "wavefronts, stores"},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "", "sectors, loads"},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "", "sectors, stores"},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

static void print_sums(const json_t *sums)
{
    long long model = count(sums, "model"), emulator = count(sums, "emulator");
    long long counter = count(sums, "counter");
    if (model == emulator && emulator == counter)
        printf(" %lld |", model);
    else
        printf(" %lld / %lld / %lld (%+.2f %%) |", model, emulator, counter,
               100.0 * (double)(counter - model) / fmax((double)model, 1));
}

static void print_counted_kernels(const json_t *kernels)
{
    const char *name;
    const json_t *kernel;
    printf("\nModel, emulator and the GPU's counters (CUPTI), summed over the launches of each "
           "kernel: one\nnumber if all three are equal, else model / emulator / counter.\n\n"
           "| kernel |");
    for (size_t c = 0; c < COLUMNS; c++)
        printf(" %s |", columns[c].heading);
    printf("\n|---|---:|---:|---:|---:|\n");
    json_object_foreach((json_t *)kernels, name, kernel)
    {
        printf("| `%s` |", name);
        for (size_t c = 0; c < COLUMNS; c++) {
            const json_t *sums = json_object_get(kernel, columns[c].metric);
            print_sums(sums ? sums : json_object_get(kernel, columns[c].older));
        }
        printf("\n");
    }
}

static void print_residues(const json_t *residues)
{
    const char *name, *comma = "";
    const json_t *launches;
    json_object_foreach((json_t *)residues, name, launches)
    {
        printf("%s %s (%lld)", comma, name, (long long)json_integer_value(launches));
        comma = ";";
    }
}

static void print_metrics(const json_t *metrics)
{
    const char *name;
    const json_t *metric;
    printf("\n| counter | launches | equal | within 2 %% | largest difference | where they differ "
           "(launches) |\n"
           "|---|---:|---:|---:|---:|---|\n");
    json_object_foreach((json_t *)metrics, name, metric)
    {
        printf("| `%s` | %lld | %lld | %lld | %.2g %% |", name, count(metric, "launches"),
               count(metric, "equal"), count(metric, "within_2_percent"),
               number(metric, "worst_percent"));
        print_residues(json_object_get(metric, "residues"));
        printf(" |\n");
    }
}

/* --- Speed ------------------------------------------------------------------------------------ */

static const char *bar(double percent, double wanted)
{
    return percent >= wanted ? "met" : "missed";
}

static void print_sgemm(const json_t *list)
{
    size_t i;
    const json_t *one;
    json_array_foreach(list, i, one)
    {
        long long size = count(one, "size");
        printf("| `matmul-register` | %lld x %lld x %lld | %.2f TFLOP/s |", size, size, size,
               number(one, "ours_tflops"));
        if (json_object_get(one, "cublas_tflops"))
            printf(" cuBLAS SGEMM %.2f | %.1f %% | 90 %%: %s |\n", number(one, "cublas_tflops"),
                   number(one, "percent"), bar(number(one, "percent"), 90));
        else
            printf(" | | not measured |\n");
    }
}

static void print_stencils(const json_t *list)
{
    size_t i;
    const json_t *one;
    json_array_foreach(list, i, one) printf(
        "| `stencil-window` | radius %lld, block %lld | %.0f GB/s | a copy %.0f | %.1f %% | "
        "97 %%: %s |\n",
        count(one, "radius"), count(one, "block"), number(one, "gb_per_s"),
        number(one, "copy_gb_per_s"), number(one, "percent"), bar(number(one, "percent"), 97));
}

static void print_speed(const json_t *speed)
{
    if (!speed)
        return;
    printf("\nTwo kernels are written for speed. They alternate with what they are compared with "
           "(medians of 15\nlaunches, random data).\n\n"
           "| kernel | | reached | compared with | | bar |\n|---|---|---:|---:|---:|---|\n");
    print_sgemm(json_object_get(speed, "sgemm"));
    print_stencils(json_object_get(speed, "stencil"));
}

static void print_page(const json_t *all)
{
    const json_t *counters = json_object_get(all, "counters");
    print_head(all);
    print_kernels(json_object_get(all, "kernels"));
    print_sources(all);
    if (counters) {
        print_counted_kernels(json_object_get(counters, "kernels"));
        print_metrics(json_object_get(counters, "metrics"));
    }
    print_speed(json_object_get(all, "speed"));
}

/* --- Into a document -------------------------------------------------------------------------- */

static int fail(const char *path, const char *why)
{
    fprintf(stderr, "results_page: %s: %s\n", path, why);
    return 1;
}

static int print_document(const char *path, const json_t *all)
{
    char line[4096];
    enum { BEFORE, WITHIN, AFTER } place = BEFORE;
    FILE *file = fopen(path, "r");
    if (!file)
        return fail(path, "cannot be read");
    while (fgets(line, sizeof line, file)) {
        if (place == WITHIN && strncmp(line, end_marker, sizeof end_marker - 1) == 0)
            place = AFTER;
        if (place != WITHIN)
            fputs(line, stdout);
        if (place == BEFORE && strncmp(line, begin_marker, sizeof begin_marker - 1) == 0) {
            print_page(all);
            place = WITHIN;
        }
    }
    fclose(file);
    return place == AFTER ? 0 : fail(path, "it lacks the two markers of the page");
}

int main(int argc, char **argv)
{
    json_error_t error;
    if (argc < 2 || argc > 3)
        return fail("usage", "results_page RESULTS [PAGE]");
    json_t *all = json_load_file(argv[1], 0, &error);
    if (!all)
        return fail(argv[1], error.text);
    int status = 0;
    if (strcmp(text(all, "schema"), "smemcalc-results/1") != 0)
        status = fail(argv[1], "not of the schema smemcalc-results/1");
    else if (argc == 3)
        status = print_document(argv[2], all);
    else
        print_page(all);
    json_decref(all);
    return status;
}
