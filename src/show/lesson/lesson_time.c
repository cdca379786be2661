/* Lesson: what a kernel's time consists of: latency and what hides it, Little's law, the wall, the
   last wave. */
#include <math.h>
#include <stdio.h>

#include "show/lesson/scene.h"
#include "show/words/paragraphs.h"

enum {
    LANES = 32,
    LOAD_BYTES = 4,
    WIDE_BYTES = 16,
    MANY_BYTES = 64,
    ASKED_BYTES = 8,
    SIZE = 4096, /* of the products whose times are compared */
};

static const char measured[] = "NVIDIA H200"; /* for what is unknown of a device */

static const struct smc_lesson_launch tiled = {.kernel = "matmul-tiled", .tile = 32};
static const struct smc_lesson_launch compared[] = {
    {.kernel = "matmul-naive", .tile = 32, .size = SIZE},
    {.kernel = "matmul-tiled", .tile = 32, .size = SIZE},
    {.kernel = "matmul-register", .size = SIZE},
};

/* --- The device's rates and latencies --------------------------------------------------------- */

struct level {
    double bytes_per_s; /* of the whole device; 0: unknown */
    double latency_ns;
};

struct rates {
    struct smc_device device; /* whose they are */
    bool latency_borrowed;    /* of another board, since this one's was not measured */
    double clock_hz;
    struct level dram, l2, shared;
};

static bool is_board(const struct smc_device *device)
{
    return device->sm_count && device->memory_bytes_per_s > 0 && device->sm_clock_khz;
}

/* Measured, else published; latencies that were not measured are those of `measured`. A compute
   capability alone has no rates: all are those of `measured`. */
static void find_rates(const struct smc_device *device, struct rates *rates)
{
    struct smc_ceilings own, other;
    char note[256];
    *rates = (struct rates){.device = *device};
    smc_ceilings_of_board(measured, &other);
    if (!is_board(device))
        smc_device_find(measured, &rates->device, note, NULL);
    const struct smc_device *of = &rates->device;
    smc_ceilings_of_board(of->name, &own);
    rates->latency_borrowed = own.source == SMC_CEILINGS_UNKNOWN;
    const struct smc_ceilings *latencies = rates->latency_borrowed ? &other : &own;
    rates->clock_hz = smc_ceiling_or_peak(SMC_CEILING_CLOCK, &own, of) * 1e3;
    rates->dram = (struct level){smc_ceiling_or_peak(SMC_CEILING_READ, &own, of),
                                 latencies->value[SMC_CEILING_DRAM_NS]};
    rates->l2 = (struct level){own.value[SMC_CEILING_L2], latencies->value[SMC_CEILING_L2_NS]};
    rates->shared = (struct level){smc_ceiling_or_peak(SMC_CEILING_SHARED, &own, of) *
                                       of->sm_count * rates->clock_hz,
                                   latencies->value[SMC_CEILING_SHARED_NS]};
}

/* Bytes that must be in flight for an SM. */
static double under_way(const struct rates *rates, const struct level *level)
{
    return level->bytes_per_s * level->latency_ns * 1e-9 / rates->device.sm_count;
}

static double latency_clocks(const struct rates *rates)
{
    return rates->dram.latency_ns * 1e-9 * rates->clock_hz;
}

static int64_t warps_for(double bytes, double bytes_per_thread)
{
    return (int64_t)ceil(bytes / (bytes_per_thread * LANES));
}

/* Says whose numbers a page shows if they are not the device's own. */
static void lesson_time_set_source(struct smc_scene *scene, const struct rates *rates)
{
    struct smc_text *text = smc_scene_value(scene, "source");
    if (!is_board(&scene->device))
        smc_text_printf(text, " (%s is no board: the numbers are those of the %s)",
                        scene->device.name, rates->device.name);
    else if (rates->latency_borrowed)
        smc_text_printf(text, " (as measured on an %s; on this board it was not)", measured);
}

/* --- Latency ---------------------------------------------------------------------------------- */

static void fill_latency(struct smc_scene *scene)
{
    static const unsigned between[] = {4, 16, 64};
    struct rates rates;
    find_rates(&scene->device, &rates);
    const struct smc_sm *sm = &rates.device.sm;
    double clocks = latency_clocks(&rates);
    unsigned warps = sm->max_warps_per_sm / sm->subpartitions;
    smc_scene_number(scene, "clocks", (int64_t)round(clocks));
    smc_scene_number(scene, "ns", (int64_t)round(rates.dram.latency_ns));
    smc_scene_number(scene, "parts", sm->subpartitions);
    smc_scene_number(scene, "warps", warps);
    smc_scene_text(scene, "device", rates.device.name);
    lesson_time_set_source(scene, &rates);
    struct smc_text *table = smc_scene_value(scene, "table");
    smc_text_append(table, "instructions   slots used\n");
    for (size_t i = 0; i < sizeof between / sizeof *between; i++) {
        double share = fmin(warps * between[i] / (between[i] + clocks), 1);
        size_t begin = table->length;
        smc_text_printf(table, "%12u%11.1f %%", between[i], 100 * share);
        smc_figure_bar(scene, share, (unsigned)(table->length - begin), table);
    }
}

/* --- Little's law ----------------------------------------------------------------------------- */

static void append_level(const struct rates *rates, const char *name, const struct level *level,
                         struct smc_text *table)
{
    if (level->bytes_per_s > 0)
        smc_text_printf(table, "%-8s%8.0f%8.3g%12.0f\n", name, level->bytes_per_s / 1e9,
                        level->latency_ns, under_way(rates, level));
}

static void fill_little(struct smc_scene *scene)
{
    struct rates rates;
    find_rates(&scene->device, &rates);
    double bytes = under_way(&rates, &rates.dram);
    struct smc_text *table = smc_scene_value(scene, "table");
    smc_text_append(table, "            GB/s      ns  bytes an SM\n");
    append_level(&rates, "DRAM", &rates.dram, table);
    append_level(&rates, "L2", &rates.l2, table);
    append_level(&rates, "shared", &rates.shared, table);
    smc_scene_text(scene, "device", rates.device.name);
    lesson_time_set_source(scene, &rates);
    smc_scene_number(scene, "load", LOAD_BYTES);
    smc_scene_number(scene, "wide", WIDE_BYTES);
    smc_scene_number(scene, "warp_bytes", (int64_t)LOAD_BYTES * LANES);
    smc_scene_number(scene, "warps", warps_for(bytes, LOAD_BYTES));
    smc_scene_number(scene, "wide_warps", warps_for(bytes, WIDE_BYTES));
    smc_scene_number(scene, "most", rates.device.sm.max_warps_per_sm);
}

/* --- Two factors ------------------------------------------------------------------------------ */

/* The share of the DRAM's bandwidth. */
static double bandwidth_share(const struct rates *rates, uint32_t warps, int bytes_per_thread)
{
    return fmin((double)warps * bytes_per_thread * LANES / under_way(rates, &rates->dram), 1);
}

static void fill_factors(struct smc_scene *scene)
{
    struct rates rates;
    find_rates(&scene->device, &rates);
    uint32_t most = rates.device.sm.max_warps_per_sm, least = most / 8;
    struct smc_text *table = smc_scene_value(scene, "table");
    smc_text_append(table, "warps  occupancy     4 B   16 B   64 B\n");
    for (uint32_t warps = least; warps <= most; warps *= 2)
        smc_text_printf(table, "%5u%9.1f %%%6.0f %%%5.0f %%%5.0f %%\n", warps, 100.0 * warps / most,
                        100 * bandwidth_share(&rates, warps, LOAD_BYTES),
                        100 * bandwidth_share(&rates, warps, WIDE_BYTES),
                        100 * bandwidth_share(&rates, warps, MANY_BYTES));
    smc_scene_text(scene, "device", rates.device.name);
    lesson_time_set_source(scene, &rates);
    smc_scene_percent(scene, "low", 100.0 * least / most);
    smc_scene_percent(scene, "few", 100 * bandwidth_share(&rates, least, MANY_BYTES));
    smc_scene_percent(scene, "all", 100 * bandwidth_share(&rates, most, LOAD_BYTES));
}

/* --- The wall --------------------------------------------------------------------------------- */

/* The predicted times as a table; or a sentence why there are none. */
static void set_times(struct smc_scene *scene)
{
    struct smc_text *times = smc_scene_value(scene, "times");
    for (size_t i = 0; i < sizeof compared / sizeof *compared; i++) {
        struct smc_answer answer;
        if (!smc_scene_ask(scene, &compared[i], &answer))
            return;
        scene->status = smc_query_find_time(&answer, &scene->error);
        if (answer.time.basis == SMC_TIME_UNKNOWN) {
            times->length = 0;
            smc_text_printf(times, "No time can be predicted here: %s.",
                            *answer.time.reason ? answer.time.reason
                                                : "the device's rates are not known");
            return;
        }
        if (i == 0)
            smc_text_append(times, "kernel          occ.      ms bound by\n");
        smc_text_printf(times, "%-15s%4.0f %%%8.3g %s\n", compared[i].kernel,
                        answer.occupancy_percent, answer.time.predicted_ms,
                        smc_time_term_info[answer.time.bound_by].label);
    }
}

static void lesson_time_fill_wall(struct smc_scene *scene)
{
    struct smc_answer answer;
    if (!smc_scene_ask(scene, &tiled, &answer))
        return;
    const struct smc_workload *workload = &answer.workload;
    struct smc_text *wall = smc_scene_value(scene, "wall");
    smc_scene_number(scene, "size", SIZE);
    if (workload->has_wall) {
        smc_text_printf(wall,
                        "For one step of the inner product a warp of matmul-tiled occupies the FMA "
                        "lanes for %.3g clocks and shared memory for %.3g: at most ",
                        workload->fma_cycles_per_step, workload->shared_cycles_per_step);
        smc_layout_percent(wall, 100 * smc_workload_peak_share(workload));
        smc_text_append(wall, " of the theoretical FMA peak, with any number of warps.");
    } else {
        smc_text_append(wall, "How many FMA lanes an SM has is not known here.");
    }
    set_times(scene);
}

/* --- The last wave ---------------------------------------------------------------------------- */

static void fill_waves(struct smc_scene *scene)
{
    static const int64_t sizes[] = {512, 544, 768, 1024, 4096};
    struct smc_lesson_launch launch = tiled;
    struct smc_text *table = smc_scene_value(scene, "table");
    if (!scene->device.sm_count)
        launch.device = measured;
    smc_text_append(table, "    n  blocks  waves   in use\n");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct smc_answer answer;
        launch.size = sizes[i];
        if (!smc_scene_ask(scene, &launch, &answer))
            return;
        const struct smc_waves *waves = &answer.waves;
        double all = (double)waves->waves * (double)waves->resident_blocks;
        double share = all > 0 ? (double)waves->grid_blocks / all : 0;
        size_t begin = table->length;
        smc_text_printf(table, "%5d%8u%7u%7.1f %%", (int)sizes[i], (unsigned)waves->grid_blocks,
                        (unsigned)waves->waves, 100 * share);
        smc_figure_bar(scene, share, (unsigned)(table->length - begin), table);
        if (i > 0)
            continue;
        smc_scene_number(scene, "resident", (int64_t)waves->resident_blocks);
        smc_scene_number(scene, "sms", answer.query.device.sm_count);
        smc_scene_count(scene, "blocks", answer.occupancy.blocks_per_sm, "block");
        smc_scene_text(scene, "device", answer.query.device.name);
        smc_scene_number(scene, "tile", launch.tile);
    }
}

static const struct smc_lesson_page pages[] = {
    {
        .heading = "Waiting costs nothing while others work",
        .text = "On the {device} a value from DRAM arrives {clocks} clocks ({ns} ns) after its "
                "request{source}. The warp that needs it waits, the SM does not: in each clock, "
                "each of its {parts} sub-partitions issues an instruction of any warp that is "
                "ready.\n"
                "Issue slots that {warps} warps of a sub-partition use if each waits after every "
                "load, by the number of instructions between two loads:\n"
                "{table}\n"
                "With few instructions for each load no number of warps fills the slots: the "
                "kernel is as fast as the memory lets it be.",
        .fill = fill_latency,
    },
    {
        .heading = "Little's law",
        .text = "Bytes in flight = rate x latency. The law holds for cars on a road, too. To reach "
                "the full rate of each memory of the {device}, this many bytes must be in flight "
                "for an SM{source}:\n"
                "{table}\n"
                "A warp whose 32 threads each wait for {load} bytes has {warp_bytes} bytes in "
                "flight. For DRAM an SM needs {warps} such warps; it can hold {most}. With {wide} "
                "bytes for each thread (a float4, or four loads that do not depend on each other) "
                "{wide_warps} are enough.",
        .fill = fill_little,
    },
    {
        .heading = "Occupancy is one of two factors",
        .text = "Bytes in flight = warps x bytes that each has requested. More occupancy raises "
                "the first factor; more independent loads in a thread raise the second. The share "
                "of the {device}'s DRAM bandwidth, by bytes in flight for each thread{source}:\n"
                "{table}\n"
                "{low} occupancy with 64 bytes for each thread allows {few} of the bandwidth; full "
                "occupancy with 4 bytes allows only {all}. So a kernel can be slow at full "
                "occupancy and fast "
                "with an eighth of it; `smemcalc best --plot` draws both for every size.",
        .fill = fill_factors,
    },
    {
        .heading = "The wall",
        .text = "Latency can be hidden, work cannot. Every unit of an SM has a rate; the unit that "
                "needs longest for its share of the work is a wall, and more warps only wait in "
                "front of it. {wall}\n"
                "Less work for that unit moves the wall: matmul-register reads each value from "
                "shared memory once for several results. Products of {size} x {size}:\n"
                "{times}\n"
                "`smemcalc --roofline` shows how far a kernel is from every wall.",
        .fill = lesson_time_fill_wall,
        .launch = &tiled,
    },
    {
        .heading = "The last wave",
        .text = "A launch runs in waves. matmul-tiled with tile {tile} has {blocks} on each of the "
                "{sms} SMs of the {device}: {resident} at a time. If blocks take equally long, the "
                "last wave takes as long as the others, however few blocks it has:\n"
                "{table}\n"
                "So time grows in steps. Small launches lose most; after many waves the last one "
                "hardly counts. Blocks that each do less make the steps smaller, but load more.",
        .fill = fill_waves,
        .launch = &tiled,
    },
};

static void lesson_time_fill_question(struct smc_scene *scene, struct smc_lesson_solution *solution)
{
    struct rates rates;
    find_rates(&scene->device, &rates);
    double per_clock = round(rates.dram.bytes_per_s / rates.clock_hz / rates.device.sm_count);
    per_clock = fmax(per_clock, 1);
    double clocks = round(latency_clocks(&rates));
    solution->right = warps_for(per_clock * clocks, ASKED_BYTES);
    solution->trap = (int64_t)ceil(per_clock * clocks / ASKED_BYTES);
    smc_scene_text(scene, "device", rates.device.name);
    smc_scene_number(scene, "per_clock", (int64_t)per_clock);
    smc_scene_number(scene, "clocks", (int64_t)clocks);
    smc_scene_number(scene, "bytes", ASKED_BYTES);
    smc_scene_number(scene, "under_way", (int64_t)(per_clock * clocks));
    smc_scene_number(scene, "warp_bytes", (int64_t)ASKED_BYTES * LANES);
}

static const struct smc_lesson_question question = {
    .text = "The DRAM of the {device} can give each SM {per_clock} bytes in every clock, {clocks} "
            "clocks after they were requested. Each thread of a kernel has one load of {bytes} "
            "bytes in flight at a time. How many warps must be resident on an SM at least, so "
            "that the DRAM is never idle?",
    .right = "{per_clock} x {clocks} = {under_way} bytes must be in flight, and a warp has 32 x "
             "{bytes} = {warp_bytes}; round up.",
    .wrong = "Little's law: how many bytes must be in flight for an SM, and how many does one warp "
             "have in flight?",
    .trap = "That is how many threads it takes. A warp has 32 of them.",
    .fill = lesson_time_fill_question,
};

const struct smc_lesson smc_lesson_about_time = {
    .name = "time",
    .title = "What a kernel's time consists of",
    .summary = "hidden latency, Little's law, the wall, the last wave",
    .device = "NVIDIA H200",
    .least_cc = 70,
    .page_count = sizeof pages / sizeof *pages,
    .page = pages,
    .question = &question,
};
