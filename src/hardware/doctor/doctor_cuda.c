/* The driver, the GPUs and their counters; NVRTC, which must compile a kernel; nvcc and ptxas. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/platform.h"
#include "code/nvrtc.h"
#include "code/tools.h"
#include "hardware/doctor/subjects.h"
#include "hardware/executor.h"

/* --- The driver and the GPUs ------------------------------------------------------------------ */

static const char on_emulator[] = "smemcalc run --on emulator --device H200";

/* "580.95.05" out of "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.95.05  Tue ..."; "" where
   no kernel module is loaded. */
static void find_module(char release[SMC_GPU_VERSION_CHARS])
{
    char line[256] = "";
    release[0] = '\0';
    smc_auto_file FILE *file = smc_platform_open_nvidia_version();
    const char *at = file && fgets(line, sizeof line, file) ? line : "";
    for (; *at; at += strcspn(at, " "), at += strspn(at, " ")) {
        size_t length = strspn(at, "0123456789.");
        if (length > 3 && at[length] == ' ' && length < SMC_GPU_VERSION_CHARS)
            snprintf(release, SMC_GPU_VERSION_CHARS, "%.*s", (int)length, at);
    }
}

/* Whether the machine has a device of NVIDIA's: its kernel driver may be missing. */
static bool has_board(void)
{
    SMC_AUTO(smc_folder_matches_free) struct smc_folder_matches found = {0};
    bool has = false;
    smc_folder_match("/sys/bus/pci/devices/*/vendor", &found);
    for (size_t i = 0; i < found.count && !has; i++) {
        char id[16] = "";
        smc_auto_file FILE *file = fopen(found.path[i], "re");
        has = file && fgets(id, sizeof id, file) && strncmp(id, "0x10de", 6) == 0;
    }
    return has;
}

static void tell_no_driver(const char *module, struct smc_doctor *doctor)
{
    struct smc_doctor_row *row;
    if (module[0]) {
        row = smc_doctor_add(doctor, SMC_DOCTOR_NOTE, "driver",
                             "the kernel has NVIDIA's module %s, but libcuda.so.1 is not found: a "
                             "container started without its GPUs?",
                             module);
        smc_doctor_mend(row, "%s", on_emulator);
    } else if (has_board()) {
        row = smc_doctor_add(doctor, SMC_DOCTOR_NOTE, "driver",
                             "none, although the machine has an NVIDIA device");
        smc_doctor_mend_package(row, "nvidia-driver");
    } else {
        row = smc_doctor_add(doctor, SMC_DOCTOR_NOTE, "driver",
                             "none, and no NVIDIA GPU: kernels run on the emulator");
        smc_doctor_mend(row, "%s", on_emulator);
    }
}

static void tell_driver(const struct smc_driver *driver, struct smc_doctor *doctor)
{
    char module[SMC_GPU_VERSION_CHARS];
    struct smc_doctor_row *row;
    find_module(module);
    switch (driver->state) {
    case SMC_DRIVER_NOT_BUILT:
        row = smc_doctor_add(doctor, SMC_DOCTOR_NOTE, "driver", "%s%s; %s",
                             module[0] ? "kernel module " : "", module[0] ? module : "no module",
                             driver->why.message);
        smc_doctor_mend(row, "%s", on_emulator);
        return;
    case SMC_DRIVER_ABSENT:
        tell_no_driver(module, doctor);
        return;
    case SMC_DRIVER_OUTDATED:
        row = smc_doctor_add(doctor, SMC_DOCTOR_BROKEN, "driver", "%s", driver->why.message);
        smc_doctor_mend_package(row, "nvidia-driver");
        return;
    case SMC_DRIVER_FAILING:
        row = smc_doctor_add(doctor, SMC_DOCTOR_BROKEN, "driver", "%s", driver->why.message);
        smc_doctor_mend(row, "nvidia-smi");
        return;
    case SMC_DRIVER_NO_GPU:
        row = smc_doctor_add(doctor, SMC_DOCTOR_NOTE, "driver", "%s", driver->why.message);
        smc_doctor_mend(row, "%s",
                        smc_folder_variable("CUDA_VISIBLE_DEVICES") ? "unset CUDA_VISIBLE_DEVICES"
                                                                    : on_emulator);
        return;
    case SMC_DRIVER_WORKS:
        break;
    }
    smc_doctor_add(doctor, SMC_DOCTOR_OK, "driver", "%s%sfor CUDA %s; %d GPU%s", module,
                   module[0] ? ", " : "", driver->cuda, driver->gpus,
                   smc_text_plural((uint64_t)driver->gpus));
}

static void tell_counters(int gpu, struct smc_doctor *doctor)
{
    struct smc_error why = {""};
    bool found;
    if (smc_gpu_examine_counters(gpu, &found, &why) == SMC_OK) {
        smc_doctor_add(doctor, SMC_DOCTOR_OK, "counters", "CUPTI may read those of GPU %d", gpu);
        return;
    }
    struct smc_doctor_row *row =
        smc_doctor_add(doctor, SMC_DOCTOR_NOTE, "counters", "%s", why.message);
    if (!found)
        smc_doctor_mend_wheel(row, "nvidia-cuda-cupti");
    else if (geteuid() != 0)
        smc_doctor_mend(row, "sudo smemcalc run --gpu %d", gpu);
}

static void tell_gpu(int gpu, struct smc_doctor *doctor)
{
    struct smc_device device;
    struct smc_error why = {""};
    if (smc_gpu_examine(gpu, &device, &why) == SMC_OK) {
        smc_doctor_add(doctor, SMC_DOCTOR_OK, "GPU", "%d: %s, CC %d.%d, %u SMs, %" PRIu64 " MB",
                       gpu, device.name, device.sm.cc / 10, device.sm.cc % 10, device.sm_count,
                       device.global_mem_bytes >> 20);
        tell_counters(gpu, doctor);
        return;
    }
    struct smc_doctor_row *row =
        smc_doctor_add(doctor, SMC_DOCTOR_BROKEN, "GPU", "%d: %s", gpu, why.message);
    smc_doctor_mend(row, "nvidia-smi -q -i %d", gpu);
}

void smc_doctor_gpus(const struct smc_doctor_request *request, struct smc_doctor *doctor)
{
    (void)request;
    struct smc_driver driver;
    smc_gpu_examine_driver(&driver);
    tell_driver(&driver, doctor);
    for (int gpu = 0; gpu < driver.gpus; gpu++)
        tell_gpu(gpu, doctor);
}

/* --- NVRTC ------------------------------------------------------------------------------------ */

static const char nvrtc_wheel[] = "nvidia-cuda-nvrtc";

static void find_range(const struct smc_nvrtc_info *info, uint16_t *lowest, uint16_t *highest)
{
    *lowest = *highest = info->cc[0];
    for (size_t i = 0; i < info->cc_count; i++) {
        *lowest = info->cc[i] < *lowest ? info->cc[i] : *lowest;
        *highest = info->cc[i] > *highest ? info->cc[i] : *highest;
    }
}

/* The first compute capability of the table that the newest CUDA compiles for, but no library on
   this machine; 0: none. `other`: the first library with compute capabilities that `first` lacks,
   if there is one. */
static uint16_t find_lacking(const struct smc_nvrtc_info *first, struct smc_cache *cache,
                             struct smc_nvrtc_search *search, struct smc_nvrtc_info *other)
{
    for (size_t i = 0; i < smc_capability_count(); i++) {
        struct smc_capability capability;
        smc_capability_at(i, &capability);
        if (capability.last_cuda_major != 0 || smc_nvrtc_supports(first, capability.sm.cc))
            continue;
        const struct smc_nvrtc_place *place = smc_nvrtc_find(cache, capability.sm.cc, search);
        if (!place)
            return capability.sm.cc;
        if (other->cc_count == 0)
            *other = place->info;
    }
    return 0;
}

/* A library that can be opened may still lack its other half, libnvrtc-builtins. */
static bool compiles(const struct smc_nvrtc_info *info, struct smc_text *log)
{
    struct smc_nvrtc nvrtc;
    struct smc_nvrtc_info again;
    SMC_AUTO(smc_nvrtc_output_free) struct smc_nvrtc_output output = {0};
    struct smc_error why = {""};
    char options[64];
    if (smc_nvrtc_open(info->path, &nvrtc, &again, &why) != SMC_OK) {
        smc_text_append(log, why.message);
        return false;
    }
    snprintf(options, sizeof options, "--gpu-architecture=sm_%u\n", info->cc[info->cc_count - 1]);
    bool done = smc_nvrtc_compile(&nvrtc, "__global__ void f(int *a) { *a = threadIdx.x; }\n",
                                  "doctor.cu", options, &output) == SMC_NVRTC_COMPILED;
    if (!done)
        smc_text_append(log,
                        output.log.length ? smc_text_string(&output.log) : "it compiles no kernel");
    return done;
}

/* `lacking`: as for find_lacking. */
static void tell_library(const struct smc_nvrtc_info *info, uint16_t lacking,
                         struct smc_doctor *doctor)
{
    smc_auto_text log = {0};
    uint16_t lowest, highest;
    find_range(info, &lowest, &highest);
    if (!compiles(info, &log)) {
        struct smc_doctor_row *row = smc_doctor_add(
            doctor, SMC_DOCTOR_BROKEN, "NVRTC", "%d.%d (%s): %.*s", info->major, info->minor,
            info->path, (int)strcspn(smc_text_string(&log), "\n"), smc_text_string(&log));
        smc_doctor_mend_wheel(row, nvrtc_wheel);
    } else {
        char without[48] = "";
        if (lacking)
            snprintf(without, sizeof without, ", but not for %d.%d, which smemcalc knows",
                     lacking / 10, lacking % 10);
        struct smc_doctor_row *row = smc_doctor_add(
            doctor, lacking ? SMC_DOCTOR_NOTE : SMC_DOCTOR_OK, "NVRTC",
            "%d.%d, compiles for CC %d.%d to %d.%d%s (%s)", info->major, info->minor, lowest / 10,
            lowest % 10, highest / 10, highest % 10, without, info->path);
        if (lacking)
            smc_doctor_mend_wheel(row, "--upgrade nvidia-cuda-nvrtc");
    }
}

void smc_doctor_nvrtc(const struct smc_doctor_request *request, struct smc_doctor *doctor)
{
    (void)request;
    struct smc_cache cache;
    static struct smc_nvrtc_search search;
    smc_cache_open(&cache, true, NULL); /* what it remembers may be what is wrong */
    const struct smc_nvrtc_place *place = smc_nvrtc_find(&cache, 0, &search);
    const bool has_problem = search.problem[0] != '\0';
    if (has_problem) {
        struct smc_doctor_row *row =
            smc_doctor_add(doctor, SMC_DOCTOR_BROKEN, "NVRTC", "%s", search.problem);
        if (!search.failure)
            smc_doctor_mend(row, "unset SMEMCALC_NVRTC");
        else if (search.failure == ENOMEM)
            smc_doctor_mend(row, "ulimit -v unlimited");
    }
    if (place) {
        const struct smc_nvrtc_info first = place->info;
        struct smc_nvrtc_info other = {.cc_count = 0};
        tell_library(&first, find_lacking(&first, &cache, &search, &other), doctor);
        if (other.cc_count > 0)
            tell_library(&other, 0, doctor);
    } else if (!has_problem) {
        struct smc_doctor_row *row = smc_doctor_add(
            doctor, SMC_DOCTOR_NOTE, "NVRTC",
            "none: registers come from the built-in table, sources are not compiled");
        smc_doctor_mend_wheel(row, nvrtc_wheel);
    }
}

/* --- nvcc and ptxas --------------------------------------------------------------------------- */

/* "13.0" out of "... release 13.0, V13.0.88"; "" if it does not answer so. False, with the reason,
   if it could not be run. */
static bool doctor_cuda_find_release(const char *path, char release[SMC_GPU_VERSION_CHARS],
                                     struct smc_error *error)
{
    const char *const argv[] = {path, "--version", NULL};
    char folder[SMC_TOOL_PATH];
    smc_auto_text output = {0};
    bool succeeded = false;
    release[0] = '\0';
    if (smc_tool_folder_make(folder, error) != SMC_OK)
        return false;
    enum smc_status status = smc_tool_run(argv, folder, &output, &succeeded, error);
    smc_tool_folder_remove(folder);
    const char *at = strstr(smc_text_string(&output), "release ");
    if (status == SMC_OK && succeeded && at)
        snprintf(release, SMC_GPU_VERSION_CHARS, "%.*s",
                 (int)strspn(at + strlen("release "), "0123456789."), at + strlen("release "));
    return status == SMC_OK;
}

void smc_doctor_compilers(const struct smc_doctor_request *request, struct smc_doctor *doctor)
{
    static const char *const names[] = {"nvcc", "ptxas"};
    (void)request;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[SMC_TOOL_PATH], release[SMC_GPU_VERSION_CHARS];
        struct smc_doctor_row *row;
        if (!smc_tool_find(names[i], path)) {
            row = smc_doctor_add(doctor, SMC_DOCTOR_NOTE, names[i],
                                 "none: sources and PTX are compiled by NVRTC alone");
            smc_doctor_mend_package(row, "nvidia-cuda-toolkit");
            continue;
        }
        struct smc_error error = {""};
        bool ran = doctor_cuda_find_release(path, release, &error);
        if (release[0]) {
            smc_doctor_add(doctor, SMC_DOCTOR_OK, names[i], "%s (%s)", release, path);
            continue;
        }
        if (!ran) {
            smc_doctor_add(doctor, SMC_DOCTOR_BROKEN, names[i], "%s cannot be run: %s", path,
                           error.message);
            continue;
        }
        row = smc_doctor_add(doctor, SMC_DOCTOR_BROKEN, names[i],
                             "%s does not answer with its release", path);
        smc_doctor_mend(row, "%s --version", path);
    }
}
