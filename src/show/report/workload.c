/* The work of a launch: a line of text, and every number in JSON. */
#include "show/report/writers.h"

/* --- Text ------------------------------------------------------------------------------------- */

/* "A's elements are loaded 32 times each, B's 32 times". */
static void append_loads(const struct smc_work *work, struct smc_text *line)
{
    const char *gap = "";
    for (size_t i = 0; i < work->access_count; i++) {
        const struct smc_global_access *access = &work->access[i];
        double times = access->elements / access->array_elements;
        if (access->store)
            continue;
        smc_text_printf(line,
                        *gap ? "%s%s's %.4g" SMC_TIE "times"
                             : "%s%s's elements are loaded %.4g" SMC_TIE "times each",
                        gap, access->name, times);
        gap = ", ";
    }
}

void smc_text_append_work(const struct smc_answer *answer, struct smc_text *line)
{
    const struct smc_work *work = &answer->work;
    const struct smc_workload *workload = &answer->workload;
    bool integers = answer->query.params.value[SMC_PARAM_DTYPE] == SMC_INT32;
    const char *flop = integers ? "operations" : "flop";
    double reuse =
        work->global_load_bytes > 0 ? work->untiled_load_bytes / work->global_load_bytes : 1;
    append_loads(work, line);
    if (reuse > 1.05)
        smc_text_printf(line, ", 1/%.3g of the untiled", reuse);
    if (work->flops > 0)
        smc_text_printf(line, "\n%.3g %s, %.3g for each byte loaded", work->flops, flop,
                        workload->flops_per_load_byte);
    else
        smc_text_printf(line, "\n%.4g" SMC_TIE "B loaded", work->global_load_bytes);
    if (workload->has_wall && answer->time.basis == SMC_TIME_UNKNOWN) /* a time says more */
        smc_text_printf(line,
                        "\nshared memory allows %.0f" SMC_TIE "%% of the theoretical FMA peak",
                        100 * smc_workload_peak_share(workload));
}

/* --- JSON ------------------------------------------------------------------------------------- */

/* A ratio of 0 is not known. */
static struct smc_value ratio_of(double ratio)
{
    return SMC_VALUE_IF(ratio != 0, ratio);
}

struct workload_access {
    const struct smc_global_access *global;
    bool has_sectors; /* CC 1.x serves half warps in segments of other sizes */
};

#define ACCESS_FIELDS(FIELD)                                                                       \
    FIELD("array", NULL, "", "the array", item->global->name)                                      \
    FIELD("operation", NULL, "", "load or store", item->global->store ? "store" : "load")          \
    FIELD("elements", NULL, "elements", "accessed by all threads",                                 \
          smc_value_count(item->global->elements))                                                 \
    FIELD("times_per_element", NULL, "", "how often each element is accessed",                     \
          item->global->elements / item->global->array_elements)                                   \
    FIELD("requests", NULL, "requests", "instructions of a warp",                                  \
          smc_value_count(item->global->requests))                                                 \
    FIELD("sectors", NULL, "sectors", "of 32 bytes, counted for each request; null on CC 1.x",     \
          SMC_VALUE_IF(item->has_sectors, smc_value_count(item->global->sectors)))
SMC_FIELD_TABLE(access_fields, struct workload_access, ACCESS_FIELDS)

#define SHARED_FIELDS(FIELD)                                                                       \
    FIELD("loads.instructions", NULL, "instructions", "loads as compiled",                         \
          smc_value_count(item->loads.instructions))                                               \
    FIELD("loads.wavefronts", NULL, "wavefronts", "in which these loads are served",               \
          smc_value_count(item->loads.wavefronts))                                                 \
    FIELD("stores.instructions", NULL, "instructions", "stores",                                   \
          smc_value_count(item->stores.instructions))                                              \
    FIELD("stores.wavefronts", NULL, "wavefronts", "in which these stores are served",             \
          smc_value_count(item->stores.wavefronts))                                                \
    FIELD("written_loads.instructions", NULL, "instructions", "loads as in the source",            \
          smc_value_count(item->written_loads.instructions))                                       \
    FIELD("written_loads.wavefronts", NULL, "wavefronts", "in which these loads are served",       \
          smc_value_count(item->written_loads.wavefronts))
SMC_FIELD_TABLE(shared_fields, struct smc_shared_work, SHARED_FIELDS)

#define WALL_FIELDS(FIELD)                                                                         \
    FIELD("fma_cycles_per_step", NULL, "clocks", "clocks of the FMA lanes",                        \
          item->fma_cycles_per_step)                                                               \
    FIELD("shared_cycles_per_step", NULL, "clocks", "clocks of the banks",                         \
          item->shared_cycles_per_step)                                                            \
    FIELD("peak_percent", NULL, "percent",                                                         \
          "the share of the theoretical FMA peak that shared memory allows",                       \
          100 * smc_workload_peak_share(item))
SMC_FIELD_TABLE(wall_fields, struct smc_workload, WALL_FIELDS)

static struct smc_value accesses_of(const struct smc_answer *answer)
{
    json_t *list = json_array();
    for (size_t i = 0; i < answer->work.access_count; i++) {
        const struct workload_access access = {&answer->work.access[i],
                                               answer->query.device.sm.global_sector_bytes > 0};
        json_array_append_new(list, smc_fields_object(&access_fields, &access));
    }
    return smc_value_json(list);
}

#define WORK_FIELDS(FIELD)                                                                         \
    FIELD("flops", NULL, "operations", "floating-point operations", item->work.flops)              \
    FIELD("global_load_bytes", NULL, "bytes", "loaded from global memory",                         \
          item->work.global_load_bytes)                                                            \
    FIELD("global_store_bytes", NULL, "bytes", "stored to global memory",                          \
          item->work.global_store_bytes)                                                           \
    FIELD("untiled_load_bytes", NULL, "bytes", "what the algorithm loads without shared memory",   \
          item->work.untiled_load_bytes)                                                           \
    FIELD("minimum_bytes", NULL, "bytes", "every input and output once", item->work.minimum_bytes) \
    FIELD("flops_per_load", NULL, "",                                                              \
          "CGMA: operations for each element that a thread loads from global memory",              \
          ratio_of(item->workload.flops_per_load))                                                 \
    FIELD("flops_per_load_byte", NULL, "", "operations for each byte loaded",                      \
          ratio_of(item->workload.flops_per_load_byte))                                            \
    FIELD("flops_per_moved_byte", NULL, "", "operations for each byte loaded or stored",           \
          ratio_of(item->workload.flops_per_moved_byte))                                           \
    FIELD("global_accesses", NULL, "", "an element for each array", accesses_of(item))             \
    FIELD("shared_accesses", NULL, "", "the accesses of shared memory",                            \
          SMC_VALUE_IF(item->workload.has_shared,                                                  \
                       smc_fields_object(&shared_fields, &item->workload.shared)))                 \
    FIELD("shared_wall", NULL, "",                                                                 \
          "for products of floats: clocks of an SM for one step of a warp",                        \
          SMC_VALUE_IF(item->workload.has_wall, smc_fields_object(&wall_fields, &item->workload)))
SMC_FIELD_TABLE(work_fields, struct smc_answer, WORK_FIELDS)

const struct smc_field_table smc_workload_tables[] = {
    {"workload", &work_fields},
    {"global_accesses", &access_fields},
    {"shared_accesses", &shared_fields},
    {"shared_wall", &wall_fields},
    {NULL, NULL},
};

json_t *smc_json_workload(const struct smc_answer *answer)
{
    return answer->has_work ? smc_fields_object(&work_fields, answer) : json_null();
}
