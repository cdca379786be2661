/* What this build is, for reports of bugs: nothing here depends on when or in which folder it was
   built. */
#include "config.h"

#include "hardware/doctor.h"

static const char commit[] =
#include "hardware/doctor/commit.inc"
    "";

#ifdef __clang__
static const char compiler[] = __VERSION__;
#else
static const char compiler[] = "gcc " __VERSION__;
#endif

void smc_doctor_build(struct smc_text *out)
{
    smc_text_append(out, PACKAGE_STRING "\n");
    if (commit[0])
        smc_text_printf(out, "commit      %s\n", commit);
    smc_text_printf(out, "compiler    %s%s\n", compiler,
#ifdef __OPTIMIZE__
                    ""
#else
                    ", not optimized"
#endif
    );
    smc_text_append(out, "hardening   " SMC_HARDENING "\n");
    smc_text_append(out, "CUDA        "
#ifdef HAVE_CUDA
                         "runtime built in\n"
#else
                         "runtime not built in\n"
#endif
    );
    smc_text_append(out, "libraries   " SMC_LIBRARIES "\n");
}
