/* The work of a launch in JSON. */
#include "query/workload.h"
#include "report/json_parts.h"

/* Counts are whole, but beyond 2^53 only as exact as a double. */
static void add_count(json_t *object, const char *key, double count)
{
    bool whole = count < 9007199254740992.0;
    smc_json_set(object, key, whole ? json_integer((json_int_t)count) : json_real(count));
}

/* CC 1.x serves half warps in segments of other sizes. */
static json_t *access_object(const struct smc_global_access *access, const struct smc_sm *sm)
{
    json_t *object = json_object();
    smc_json_string(object, "array", access->name);
    smc_json_string(object, "operation", access->store ? "store" : "load");
    add_count(object, "elements", access->elements);
    smc_json_real(object, "times_per_element", access->elements / access->array_elements);
    add_count(object, "requests", access->requests);
    if (sm->global_sector_bytes)
        add_count(object, "sectors", access->sectors);
    else
        smc_json_set(object, "sectors", json_null());
    return object;
}

static json_t *count_object(const struct smc_shared_count *count)
{
    json_t *object = json_object();
    add_count(object, "instructions", count->instructions);
    add_count(object, "wavefronts", count->wavefronts);
    return object;
}

static json_t *shared_object(const struct smc_workload *workload)
{
    if (!workload->has_shared)
        return json_null();
    json_t *object = json_object();
    smc_json_set(object, "loads", count_object(&workload->shared.loads));
    smc_json_set(object, "stores", count_object(&workload->shared.stores));
    smc_json_set(object, "written_loads", count_object(&workload->shared.written_loads));
    return object;
}

static json_t *wall_object(const struct smc_workload *workload)
{
    if (!workload->has_wall)
        return json_null();
    json_t *object = json_object();
    smc_json_real(object, "fma_cycles_per_step", workload->fma_cycles_per_step);
    smc_json_real(object, "shared_cycles_per_step", workload->shared_cycles_per_step);
    smc_json_real(object, "peak_percent", 100 * smc_workload_peak_share(workload));
    return object;
}

json_t *smc_json_workload(const struct smc_answer *answer)
{
    if (!answer->has_work)
        return json_null();
    const struct smc_work *work = &answer->work;
    const struct smc_workload *workload = &answer->workload;
    json_t *object = json_object(), *list = json_array();
    smc_json_real(object, "flops", work->flops);
    smc_json_real(object, "global_load_bytes", work->global_load_bytes);
    smc_json_real(object, "global_store_bytes", work->global_store_bytes);
    smc_json_real(object, "untiled_load_bytes", work->untiled_load_bytes);
    smc_json_real(object, "minimum_bytes", work->minimum_bytes);
    smc_json_known_real(object, "flops_per_load", workload->flops_per_load);
    smc_json_known_real(object, "flops_per_load_byte", workload->flops_per_load_byte);
    smc_json_known_real(object, "flops_per_moved_byte", workload->flops_per_moved_byte);
    for (size_t i = 0; i < work->access_count; i++)
        json_array_append_new(list, access_object(&work->access[i], &answer->query.device.sm));
    smc_json_set(object, "global_accesses", list);
    smc_json_set(object, "shared_accesses", shared_object(workload));
    smc_json_set(object, "shared_wall", wall_object(workload));
    return object;
}
