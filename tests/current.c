/* Lists the compute capabilities that an NVRTC supports and the table lacks: one line for each
   library, and exit status 1 if there are any. Usage: current [LIBNVRTC...]; by default the NVRTC
   that the program finds. Exit status 77 without one. */
#include <stdio.h>

#include "code/compile.h"
#include "code/nvrtc.h"
#include "rules/devices.h"

static bool is_covered(const struct smc_nvrtc_info *info)
{
    struct smc_capability capability;
    size_t unknown = 0;
    printf("NVRTC %d.%d compiles for", info->major, info->minor);
    for (size_t i = 0; i < info->cc_count; i++)
        printf(" %u.%u", info->cc[i] / 10, info->cc[i] % 10);
    for (size_t i = 0; i < info->cc_count; i++)
        if (!smc_capability_find(info->cc[i], &capability))
            printf("%s %u.%u", unknown++ ? "," : "; not in the table:", info->cc[i] / 10,
                   info->cc[i] % 10);
    puts(unknown ? "" : "; the table has them all");
    return unknown == 0;
}

int main(int argc, char **argv)
{
    struct smc_nvrtc_info info;
    struct smc_nvrtc nvrtc;
    struct smc_error error = {""};
    bool covered = true;
    if (argc == 1 && smc_nvrtc_describe(&info, &error) != SMC_OK) {
        puts(error.message);
        return 77;
    }
    if (argc == 1)
        return !is_covered(&info);
    for (int i = 1; i < argc; i++) {
        if (smc_nvrtc_open(argv[i], &nvrtc, &info, &error) != SMC_OK) {
            printf("%s: %s\n", argv[i], error.message);
            return 77;
        }
        covered &= is_covered(&info);
    }
    return !covered;
}
