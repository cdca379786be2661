/* Lesson: static and dynamic shared memory, the 48 KB limit, the opt-in and the driver's
   reserve. */
#include <inttypes.h>

#include "rules/headroom.h"
#include "show/lesson/scene.h"

enum { ROOMS_SHOWN = 4, KB = 1024 };

static const struct smc_lesson_launch small = {
    .kernel = "stencil-static", .block = 1024, .radius = 3};
static const struct smc_lesson_launch walled = {
    .kernel = "stencil-static", .block = 1024, .radius = 6000};
static const struct smc_lesson_launch dynamic = {
    .kernel = "stencil-dynamic", .block = 1024, .radius = 6000};
static const struct smc_lesson_launch not_opted_in = {
    .kernel = "stencil-dynamic", .block = 1024, .radius = 6000, .not_opted_in = true};

/* If a page only needs bytes, the registers do not matter and nothing is compiled. */
static const struct smc_lesson_launch asked_static = {
    .kernel = "stencil-static", .block = 256, .radius = 6000, .regs = 16, .not_opted_in = true};
static const struct smc_lesson_launch asked_dynamic = {
    .kernel = "stencil-dynamic", .block = 256, .radius = 6000, .regs = 16, .not_opted_in = true};

static void set_hexadecimal(struct smc_scene *scene, const char *name, uint32_t number)
{
    smc_text_printf(smc_scene_value(scene, name), "0x%x", number);
}

static uint64_t static_bytes(const struct smc_query *query, int64_t radius)
{
    struct smc_params params = query->params;
    struct smc_plan plan;
    params.value[SMC_PARAM_RADIUS] = radius;
    query->kernel->plan(query->kernel, &params, &plan);
    return plan.static_smem_bytes;
}

/* The largest radius that needs at most `most_bytes` of static shared memory. */
static int64_t largest_radius(const struct smc_query *query, uint32_t most_bytes)
{
    int64_t fits = 0, fails = smc_param_info[SMC_PARAM_RADIUS].highest + 1;
    while (fails - fits > 1) {
        int64_t middle = (fits + fails) / 2;
        if (static_bytes(query, middle) <= most_bytes)
            fits = middle;
        else
            fails = middle;
    }
    return fits;
}

static void fill_two_ways(struct smc_scene *scene)
{
    struct smc_answer answer;
    if (!smc_scene_ask(scene, &small, &answer))
        return;
    smc_scene_number(scene, "block", small.block);
    smc_scene_number(scene, "radius", small.radius);
    smc_scene_bytes(scene, "bytes", answer.launch.static_smem_bytes);
    smc_scene_text(scene, "code",
                   "__shared__ int window[BLOCK + 2*RADIUS];\n"
                   "\n"
                   "extern __shared__ int window[];\n"
                   "stencil<<<grid, block, bytes>>>(...);\n");
}

static void lesson_shared_memory_fill_wall(struct smc_scene *scene)
{
    struct smc_answer answer;
    if (!smc_scene_ask(scene, &walled, &answer))
        return;
    uint32_t bytes = answer.launch.static_smem_bytes;
    uint32_t most = answer.query.device.sm.smem_per_block_default_bytes;
    smc_scene_number(scene, "block", walled.block);
    smc_scene_number(scene, "radius", walled.radius);
    smc_scene_bytes(scene, "bytes", bytes);
    smc_scene_bytes(scene, "most", most);
    smc_scene_number(scene, "most_kb", most / KB);
    set_hexadecimal(scene, "hex", bytes);
    set_hexadecimal(scene, "most_hex", most);
    smc_scene_text(scene, "outcome",
                   answer.outcome == SMC_CANNOT_COMPILE ? "does not compile" : "compiles");
    smc_scene_number(scene, "largest", largest_radius(&answer.query, most));
}

static void fill_opt_in(struct smc_scene *scene)
{
    struct smc_answer refused, answer;
    if (!smc_scene_ask(scene, &not_opted_in, &refused) || !smc_scene_ask(scene, &dynamic, &answer))
        return;
    const struct smc_sm *sm = &answer.query.device.sm;
    char source[128];
    smc_resources_describe(&answer.resources, source);
    smc_scene_number(scene, "radius", dynamic.radius);
    smc_scene_bytes(scene, "bytes", answer.launch.dynamic_smem_bytes);
    smc_scene_number(scene, "default_kb", sm->smem_per_block_default_bytes / KB);
    smc_scene_bytes(scene, "optin", sm->smem_per_block_optin_bytes);
    smc_scene_text(scene, "device", answer.query.device.name);
    smc_scene_text(scene, "code",
                   "cudaFuncSetAttribute(stencil,\n"
                   "    cudaFuncAttributeMaxDynamicSharedMemorySize,\n"
                   "    bytes);\n");
    smc_scene_text(scene, "without", refused.outcome == SMC_LAUNCHES ? "starts" : "is refused");
    smc_scene_count(scene, "blocks", answer.occupancy.blocks_per_sm, "block");
    smc_scene_number(scene, "regs", answer.launch.regs_per_thread);
    smc_scene_text(scene, "source", source);
    smc_scene_percent(scene, "occupancy", answer.occupancy_percent);
}

static void append_rooms(const struct smc_headroom *headroom, const struct smc_sm *sm,
                         struct smc_text *table)
{
    smc_text_append(table, "blocks  bytes each   of an SM's\n");
    for (uint32_t i = 0; i < headroom->count && i < ROOMS_SHOWN; i++)
        smc_text_printf(table, "%6u%12u%13u\n", headroom->level[i].blocks_per_sm,
                        headroom->level[i].dynamic_smem_bytes, sm->smem_per_sm_bytes);
}

static void fill_reserve(struct smc_scene *scene)
{
    struct smc_lesson_launch launch = {.threads = 128, .regs = 16};
    struct smc_answer answer;
    struct smc_headroom headroom;
    if (!smc_scene_ask(scene, &launch, &answer))
        return;
    const struct smc_sm *sm = &answer.query.device.sm;
    smc_headroom_find(sm, &answer.launch, (struct smc_fixed){.regs = true}, &headroom);
    append_rooms(&headroom, sm, smc_scene_value(scene, "headroom"));
    smc_scene_bytes(scene, "optin", sm->smem_per_block_optin_bytes);
    smc_scene_bytes(scene, "sm", sm->smem_per_sm_bytes);
    smc_scene_text(scene, "device", answer.query.device.name);
    struct smc_text *reserve = smc_scene_value(scene, "reserve");
    if (sm->smem_reserved_per_block_bytes)
        smc_text_printf(reserve,
                        "The difference is not lost: on this architecture the driver keeps %u "
                        "bytes of every block for itself. A kernel does not see them, ptxas does "
                        "not count them, and yet they decide how many blocks fit.",
                        sm->smem_reserved_per_block_bytes);
    else
        smc_text_append(reserve, "Here the driver reserves nothing. From compute "
                                 "capability 8.0 on it keeps some bytes of every block, which a "
                                 "kernel does not see and ptxas does not count.");
    smc_scene_number(scene, "unit", sm->smem_alloc_unit_bytes);
}

/* A histogram of BINS counters of 4 bytes, which the blocks of a cluster share. */
enum { BINS = 49152, HISTOGRAM_THREADS = 256, HISTOGRAM_REGS = 32 };

static void append_cluster(struct smc_scene *scene, int64_t size, struct smc_text *table)
{
    const struct smc_lesson_launch launch = {.threads = HISTOGRAM_THREADS,
                                             .regs = HISTOGRAM_REGS,
                                             .dynamic_smem_bytes = BINS / size * 4,
                                             .cluster = size};
    struct smc_answer answer;
    if (!smc_scene_ask(scene, &launch, &answer))
        return;
    const struct smc_occupancy *occupancy = &answer.occupancy;
    const uint64_t copies = size > 1 ? occupancy->resident_clusters : occupancy->resident_blocks;
    smc_text_printf(table, "%7d%10d%11u", (int)size, (int)launch.dynamic_smem_bytes,
                    occupancy->blocks_per_sm);
    if (copies > 0)
        smc_text_printf(table, "%5s%7" PRIu64, occupancy->clusters_are_bound ? "<=" : "", copies);
    smc_text_append(table, "\n");
}

static void fill_cluster(struct smc_scene *scene)
{
    static const int64_t sizes[] = {1, 2, 8, 16};
    struct smc_answer answer;
    const struct smc_lesson_launch launch = {.threads = HISTOGRAM_THREADS, .regs = HISTOGRAM_REGS};
    if (!smc_scene_ask(scene, &launch, &answer))
        return;
    const struct smc_sm *sm = &answer.query.device.sm;
    struct smc_text *table = smc_scene_value(scene, "table");
    smc_text_append(table, "cluster    B each  blocks/SM  histograms\n");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        append_cluster(scene, sizes[i], table);
    smc_scene_text(scene, "code",
                   "atomicAdd(cluster.map_shared_rank(\n"
                   "  &own[bin % share], bin / share), 1);\n");
    smc_scene_number(scene, "bins", BINS);
    smc_scene_number(scene, "bytes", (int64_t)BINS * 4);
    smc_scene_number(scene, "threads", HISTOGRAM_THREADS);
    smc_scene_text(scene, "device", answer.query.device.name);
    smc_scene_text(scene, "has",
                   sm->cluster_max_portable > 0
                       ? "Its blocks are resident together, in one group of SMs, or not at all."
                       : "This device has no clusters: they exist from compute capability 9.0 on.");
}

static const struct smc_lesson_page pages[] = {
    {
        .heading = "Two ways to ask for it",
        .text = "The stencil kernels add up each element of an array and its neighbours, `radius` "
                "on both sides. A block first fetches all that its threads need, its own "
                "elements and a margin left and right, into shared memory. There are two ways to "
                "ask for it: stencil-static and stencil-dynamic.\n"
                "{code}\n"
                "Static: the size is part of the kernel, and the compiler knows it. Dynamic: the "
                "size is the launch's third number, in bytes, and one compiled kernel serves "
                "every radius. A block can have both, and what counts is their sum. With "
                "{block} threads and radius {radius} it is little: {bytes}.",
        .fill = fill_two_ways,
        .launch = &small,
    },
    {
        .heading = "The wall",
        .text = "With radius {radius} the window has {block} + 2 x {radius} elements of 4 bytes: "
                "{bytes}. stencil-static {outcome}: ptxas, which makes the machine code, reports "
                "{hex} bytes where {most_hex} is the most.\n"
                "In decimal {most_hex} is {most}, or {most_kb} KB. The limit is the same on every "
                "architecture since Fermi, however much more its SMs have: what compiles for one "
                "of them compiles for all. Radius {largest} is the largest that passes.",
        .fill = lesson_shared_memory_fill_wall,
        .launch = &walled,
    },
    {
        .heading = "Opting in",
        .text =
            "stencil-dynamic compiles, since no size is written in it. But its launch with "
            "{bytes} {without}, because a block gets at most {default_kb} KB by default. More must "
            "be requested first, once for each kernel:\n"
            "{code}\n"
            "On {device} that may be up to {optin} per block. Then radius {radius} launches: "
            "with {regs} registers per thread ({source}) an SM runs {blocks}, occupancy "
            "{occupancy}.\n"
            "Without that call the launch fails and the output is never written: call "
            "cudaGetLastError() after every launch.",
        .fill = fill_opt_in,
        .launch = &dynamic,
    },
    {
        .heading = "What the driver keeps",
        .text =
            "An SM of {device} can use {sm} as shared memory, and one block may ask for "
            "{optin}. {reserve}\n"
            "The most dynamic shared memory that each block may have, by resident blocks per SM:\n"
            "{headroom}\n"
            "Sizes are rounded up to a multiple of {unit} bytes.",
        .fill = fill_reserve,
        .launch = &dynamic,
    },
    {
        .heading = "The shared memory of a cluster",
        .text =
            "A histogram of {bins} bins needs {bytes} bytes of counters. The blocks of a cluster "
            "can divide them, and add to each other's through distributed shared memory, between "
            "one cluster.sync() and another:\n"
            "{code}\n"
            "{table}\n"
            "{device}, {threads} threads: a larger cluster has smaller blocks, and more of them on "
            "an SM. {has}",
        .fill = fill_cluster,
    },
};

enum { NEITHER, DYNAMIC_ALONE, BOTH };

static void lesson_shared_memory_fill_question(struct smc_scene *scene,
                                               struct smc_lesson_solution *solution)
{
    struct smc_answer fixed, chosen;
    if (!smc_scene_ask(scene, &asked_static, &fixed) ||
        !smc_scene_ask(scene, &asked_dynamic, &chosen))
        return;
    bool static_starts = fixed.outcome == SMC_LAUNCHES;
    bool dynamic_starts = chosen.outcome == SMC_LAUNCHES;
    solution->right = static_starts ? BOTH : dynamic_starts ? DYNAMIC_ALONE : NEITHER;
    solution->trap = DYNAMIC_ALONE;
    smc_scene_number(scene, "block", asked_static.block);
    smc_scene_number(scene, "radius", asked_static.radius);
    smc_scene_bytes(scene, "bytes", fixed.launch.static_smem_bytes);
    smc_scene_bytes(scene, "most", fixed.query.device.sm.smem_per_block_default_bytes);
}

static const char *const choices[] = {
    [NEITHER] = "neither",
    [DYNAMIC_ALONE] = "stencil-dynamic alone",
    [BOTH] = "stencil-static and stencil-dynamic",
    NULL,
};

static const struct smc_lesson_question question = {
    .text = "Radius {radius} again, but blocks of {block} threads. cudaFuncSetAttribute "
            "is not called. Which of the two kernels can be compiled and launched?",
    .choices = choices,
    .right = "A smaller block has a smaller window: ({block} + 2 x {radius}) x 4 = {bytes}, and "
             "{most} is the limit of both ways.",
    .wrong = "Work out how many bytes a block takes now, and compare them with {most}.",
    .trap = "Both ways have the same limit as long as the kernel does not opt in. Work out how "
            "many bytes a "
            "block takes now, and compare them with {most}.",
    .fill = lesson_shared_memory_fill_question,
};

const struct smc_lesson smc_lesson_about_shared_memory = {
    .name = "shared-memory",
    .title = "Static and dynamic shared memory, and the 48 KB wall",
    .summary = "static and dynamic, the wall at 48 KB, and the opt-in",
    .device = "NVIDIA H200",
    .least_cc = 70,
    .page_count = sizeof pages / sizeof *pages,
    .page = pages,
    .question = &question,
};
