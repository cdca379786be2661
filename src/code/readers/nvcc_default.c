/* The architecture for which nvcc compiles if no option names one: data/nvcc_defaults.csv. */
#include "config.h"

#include "code/readers/nvcc_default.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "code/tools.h"

static const struct {
    unsigned cuda_major;
    uint16_t compute_capability;
    const char *source;
} defaults[] = {
#include "code/readers/nvcc_defaults.inc"
};

/* The default of the CUDA Toolkit of this major version; 0: unknown. */
static uint16_t nvcc_default_of(unsigned cuda_major)
{
    for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++)
        if (defaults[i].cuda_major == cuda_major)
            return defaults[i].compute_capability;
    return 0;
}

/* From the header of the toolkit in whose folder "bin" nvcc is; 0: none. */
static unsigned major_of_header(const char *nvcc)
{
    char path[PATH_MAX + 32], line[256];
    const char *slash = strrchr(nvcc, '/');
    unsigned version = 0;
    if (!slash || snprintf(path, sizeof path, "%.*s/../include/cuda.h", (int)(slash - nvcc),
                           nvcc) >= (int)sizeof path)
        return 0;
    smc_auto_file FILE *header = fopen(path, "r");
    while (header && version == 0 && fgets(line, sizeof line, header))
        if (sscanf(line, "#define CUDA_VERSION %u", &version) != 1)
            version = 0;
    return version / 1000;
}

/* "/usr/local/cuda-12.4/bin/nvcc", "/opt/cuda/12.4/bin/nvcc": the last such number. */
static unsigned major_of_path(const char *path)
{
    unsigned major = 0;
    for (const char *at = path; (at = strstr(at, "cuda"));) {
        at += strlen("cuda");
        char *end;
        unsigned long number = *at == '-' || *at == '/' ? strtoul(at + 1, &end, 10) : 0;
        if (number > 0 && number < 100 && (*end == '.' || *end == '/' || *end == '-'))
            major = (unsigned)number;
    }
    return major;
}

static unsigned major_of(const char *nvcc)
{
    char real[PATH_MAX];
    const bool is_here = realpath(nvcc, real) != NULL;
    unsigned major = is_here ? major_of_header(real) : 0;
    if (major == 0 && is_here) /* a link in a folder "bin", next to which the headers are */
        major = major_of_header(nvcc);
    if (major == 0 && is_here)
        major = major_of_path(real);
    return major ? major : major_of_path(nvcc);
}

uint16_t smc_nvcc_default(const char *nvcc)
{
    char path[SMC_TOOL_PATH];
    unsigned major = strchr(nvcc, '/') ? major_of(nvcc) : 0;
    if (major == 0 && smc_tool_find("nvcc", path))
        major = major_of(path);
    return nvcc_default_of(major);
}
