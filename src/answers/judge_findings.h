/* What a check reports: a gate, a comparison of two builds, a requirement. Each finding is
   one line about one kernel, and is written as text, markdown, JUnit or SARIF. */
#ifndef SMC_ANSWERS_JUDGE_FINDINGS_H
#define SMC_ANSWERS_JUDGE_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum smc_finding_level {
    SMC_FINDING_NOTE,    /* for information: an improvement, an allowed violation */
    SMC_FINDING_WARNING, /* worse, but no limit is broken */
    SMC_FINDING_ERROR,   /* a violation or a regression: exit status 1 */
};

/* The rules of findings. */
enum smc_check_rule {
#define RULE(id, name, description) SMC_CHECK_##id,
#include "answers/judge/finding_rules.def"
    SMC_CHECK_COUNT
};

struct smc_check_place {
    char *file;    /* "": unknown */
    uint32_t line; /* 0: unknown */
    char *function;
};

/* How a thread came to a place: the place, from where its function was called, and so on. */
struct smc_check_path {
    char *thread; /* "block (0,0,0), thread (1,0,0)" */
    struct smc_check_place *place;
    size_t places;
};

/* The strings and the paths are owned by the list of findings. */
struct smc_check_finding {
    const char *rule; /* a constant of the program, such as "registers": of smc_check_rules */
    enum smc_finding_level level;
    char *file;    /* the source of the kernel if known, else the file that was inspected */
    uint32_t line; /* of the kernel in that file; 0: unknown */
    char *kernel;  /* demangled, safe for a terminal */
    char *device;  /* "compute capability 9.0", "NVIDIA H100 PCIe", or "" */
    char *message; /* one line without file, kernel and device */
    /* Of what was found in a kernel that ran. */
    char *subject; /* distinguishes findings of a rule in a kernel; not a line number; or "" */
    struct smc_check_path *path; /* of the thread, and of the other one of a race */
    size_t paths;
};

/* Start from {0}. */
struct smc_findings {
    struct smc_check_finding *item;
    size_t count, capacity;
};

/* Adds a copy. False: out of memory. */
bool smc_findings_add(struct smc_findings *findings, const struct smc_check_finding *finding);

/* How many have this level. */
size_t smc_findings_count(const struct smc_findings *findings, enum smc_finding_level level);

void smc_findings_free(struct smc_findings *findings);

/* "registers" ...; its description. */
struct smc_check_rule_words {
    const char *name, *description;
};
extern const struct smc_check_rule_words smc_check_rules[SMC_CHECK_COUNT];

/* "note", "warning", "error": as in SARIF. */
const char *smc_finding_level_name(enum smc_finding_level level);

/* A kernel that was checked, with or without findings: some reports also list what passed. The
   strings belong to the caller, and equal those of its findings. */
struct smc_judged {
    const char *file, *kernel, *device;
};

/* Start from {0}. */
struct smc_judgements {
    struct smc_judged *item;
    size_t count, capacity;
};

/* False: out of memory. */
bool smc_judgements_add(struct smc_judgements *judgements, const char *file, const char *kernel,
                        const char *device);

void smc_judgements_free(struct smc_judgements *judgements);

#endif
