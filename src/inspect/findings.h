/* What a check reports: a gate, a comparison of two builds, a requirement. Each finding is about
   one kernel, in the words of one line, and is written as text, markdown, JUnit or SARIF. */
#ifndef SMC_INSPECT_FINDINGS_H
#define SMC_INSPECT_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum smc_finding_level {
    SMC_FINDING_NOTE,    /* for information: an improvement, an allowed violation */
    SMC_FINDING_WARNING, /* worse, but no limit is broken */
    SMC_FINDING_ERROR,   /* a violation or a regression: exit status 1 */
};

/* The strings are owned by the list of findings. */
struct smc_finding {
    const char *rule; /* a constant of the program, such as "registers": the rule's name in SARIF */
    enum smc_finding_level level;
    char *file;    /* the source of the kernel if known, else the file that was inspected */
    uint32_t line; /* of the kernel in that file; 0: unknown */
    char *kernel;  /* demangled, safe for a terminal */
    char *device;  /* "compute capability 9.0", "NVIDIA H100 PCIe", or "" */
    char *message; /* one line without file, kernel and device */
};

/* Start from {0}. */
struct smc_findings {
    struct smc_finding *item;
    size_t count, capacity;
};

/* Adds a copy. False: out of memory. */
bool smc_findings_add(struct smc_findings *findings, const struct smc_finding *finding);

/* How many have this level. */
size_t smc_findings_count(const struct smc_findings *findings, enum smc_finding_level level);

void smc_findings_free(struct smc_findings *findings);

/* "note", "warning", "error": as in SARIF. */
const char *smc_finding_level_name(enum smc_finding_level level);

#endif
