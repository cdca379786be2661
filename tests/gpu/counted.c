/* Sums of the counts of the model, the emulator and the GPU's counters. */
#include "counted.h"

#include <math.h>

#include "results.h"

static json_t *member(json_t *object, const char *key)
{
    json_t *found = json_object_get(object, key);
    if (!found) {
        found = json_object();
        json_object_set_new(object, key, found);
    }
    return found;
}

static double number(json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

static void add(json_t *object, const char *key, double value)
{
    json_object_set_new(object, key, json_integer((json_int_t)(number(object, key) + value)));
}

static void add_to_metric(const struct gpu_counted *counted, json_t *metric)
{
    double off = fabs(counted->counter - counted->emulator);
    double percent = off > 0 ? 100 * off / fmax(counted->emulator, 1) : 0;
    json_object_set_new(metric, "label", json_string(counted->label));
    add(metric, "launches", 1);
    add(metric, "equal", off == 0);
    add(metric, "within_2_percent", percent <= 2);
    json_object_set_new(metric, "worst_percent",
                        json_real(fmax(percent, number(metric, "worst_percent"))));
    json_t *residues = member(metric, "residues");
    if (counted->residue)
        add(residues, counted->residue, 1);
}

static void add_to_kernel(const struct gpu_counted *counted, json_t *kernel)
{
    json_t *sums = member(kernel, counted->metric);
    add(sums, "launches", 1);
    add(sums, "model", counted->model);
    add(sums, "emulator", counted->emulator);
    add(sums, "counter", counted->counter);
}

void gpu_count(const struct gpu_counted *counted)
{
    json_t *all = gpu_result_object("counters");
    add_to_metric(counted, member(member(all, "metrics"), counted->metric));
    add_to_kernel(counted, member(member(all, "kernels"), counted->kernel));
}
