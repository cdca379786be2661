/* Records what the GPU tests find. */
#include "config.h"

#include "results.h"

#include <stdio.h>
#include <time.h>

#include "base/numbers.h"
#include "code/compile.h"
#include "hardware/executor/gpu.h"

static json_t *sections; /* of the program's only run */

static json_t *section_of(const char *name, json_t *(*make)(void))
{
    if (!sections)
        sections = json_object();
    json_t *section = json_object_get(sections, name);
    if (!section) {
        section = make();
        json_object_set_new(sections, name, section);
    }
    return section;
}

void gpu_result_item(const char *section, json_t *item)
{
    json_array_append_new(section_of(section, json_array), item);
}

json_t *gpu_result_object(const char *section)
{
    return section_of(section, json_object);
}

void gpu_result_number(const char *section, const char *key, double value)
{
    json_object_set_new(gpu_result_object(section), key,
                        smc_number_is_whole(value) ? json_integer((json_int_t)value)
                                                   : json_real(value));
}

/* --- On what it was seen ---------------------------------------------------------------------- */

const char *gpu_driver(void)
{
    static char version[SMC_GPU_VERSION_CHARS];
    smc_gpu_driver_release(version);
    return version;
}

static json_t *describe(const struct smc_device *device)
{
    char date[32], uuid[SMC_GPU_UUID_CHARS], cuda[SMC_GPU_VERSION_CHARS],
        runtime[SMC_GPU_VERSION_CHARS], cc[16];
    struct smc_nvrtc_info nvrtc;
    struct tm utc;
    time_t now = time(NULL);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    snprintf(cc, sizeof cc, "%u.%u", device->sm.cc / 10, device->sm.cc % 10);
    smc_gpu_versions(cuda, runtime);
    json_t *head = json_pack("{ss ss ss s{ss ss si} ss ss}", "schema", "smemcalc-results/1",
                             "program", PACKAGE_NAME " " PACKAGE_VERSION, "date", date, "gpu",
                             "name", device->name, "compute_capability", cc, "sms",
                             (int)device->sm_count, "cuda", cuda, "runtime", runtime);
    smc_gpu_uuid(device->gpu_index, uuid);
    if (uuid[0])
        json_object_set_new(json_object_get(head, "gpu"), "uuid", json_string(uuid));
    if (gpu_driver()[0])
        json_object_set_new(head, "driver", json_string(gpu_driver()));
    if (smc_nvrtc_describe(&nvrtc, NULL) == SMC_OK)
        json_object_set_new(head, "nvrtc", json_sprintf("%d.%d", nvrtc.major, nvrtc.minor));
    return head;
}

bool gpu_results_write(const char *path, const struct smc_device *device)
{
    json_t *all = describe(device);
    if (sections)
        json_object_update(all, sections);
    bool written = json_dump_file(all, path, JSON_INDENT(1)) == 0;
    if (!written)
        printf("%s: the results cannot be written\n", path);
    json_decref(all);
    json_decref(sections);
    sections = NULL;
    return written;
}
