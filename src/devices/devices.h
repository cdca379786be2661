/* The built-in tables of compute capabilities and boards, and looking a device up.
   The tables are data/compute_capabilities.csv and data/devices.csv, built into the program;
   data/README.md tells where sources disagree. Structs are the caller's; the texts that those of
   the tables point at are constants. */
#ifndef SMC_DEVICES_DEVICES_H
#define SMC_DEVICES_DEVICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../base/status.h"
#include "../model/sm.h"

enum smc_device_source {
    SMC_DEVICE_TABLE, /* the built-in table */
    SMC_DEVICE_LIVE,  /* read from a GPU of this machine */
    SMC_DEVICE_FILE,  /* read from a user's file */
};

struct smc_capability {
    struct smc_sm sm;
    const char *family;    /* "Hopper (GH100)" */
    const char *uncertain; /* cells that the sources do not settle, or "" */
    const char *sources;
};

struct smc_device {
    char name[128];
    char chip[64]; /* "GH100"; "" where unknown */
    struct smc_sm sm;
    enum smc_device_source source;
    int gpu_index;             /* of a live device; -1 otherwise */
    uint32_t sm_count;         /* 0: unknown, a bare compute capability */
    uint32_t sm_clock_khz;     /* boost; on CC 1.x and 2.x the shader clock; 0: unknown */
    uint32_t memory_bus_bits;  /* 0: unknown */
    double memory_bytes_per_s; /* 0: unknown */
    uint64_t l2_bytes;
    uint64_t global_mem_bytes;
    double fp32_peak_tflops; /* 0: unknown */
    const char *family;      /* never NULL */
    const char *uncertain;   /* never NULL; "" where all is settled */
    const char *sources;     /* never NULL */
    const char *file;        /* of a device from a file: its path; else NULL */
};

/* Compute capabilities, ascending; `index` is below the count. */
size_t smc_capability_count(void);
void smc_capability_at(size_t index, struct smc_capability *out);

/* `cc` is 10 x major + minor. False where the table has no such compute capability. */
bool smc_capability_find(uint16_t cc, struct smc_capability *out);

/* Fails with `status`, for a compute capability that the table does not have: "compute capability
   10.9 is newer than this table; MORE", or "is not in this table" where newer ones of its
   generation are. */
enum smc_status smc_capability_fail(uint16_t cc, const char *more, enum smc_status status,
                                    struct smc_error *error);

/* "9.0", "9.0a", "compute capability 9.0", "sm_90", "sm_90a", "compute_90" -> 90. False where the
   text is of none of these forms. */
bool smc_capability_parse(const char *text, uint16_t *cc);

/* The same, and "90", "90a" and "90f" where the table has that compute capability. */
bool smc_capability_named(const char *text, uint16_t *cc);

/* Boards, in the order of the table: by compute capability, then as released; `index` is below the
   count. The compute capability alone is found without filling the rest. */
size_t smc_device_count(void);
uint16_t smc_device_cc_at(size_t index);
void smc_device_at(size_t index, struct smc_device *out);

/* A device that is nothing but a compute capability: no SM count, clocks or memory. */
void smc_device_of_capability(const struct smc_capability *capability, struct smc_device *out);

/* Looks up a board or a compute capability. Case, spaces, hyphens and brand words do not count in a
   board's name ("h200", "rtx4090", "a100-80gb"). Text that is not a board's whole name must consist
   of words of it; of several boards of one chip the one with the most SMs is chosen, and otherwise
   the only one with the plainest name. `note` then names the choice and the other boards; it is ""
   where the name is exact. Fails with SMC_USAGE: unknown or ambiguous; the message has no prefix
   naming an option. `error` may be NULL. */
enum smc_status smc_device_find(const char *text, struct smc_device *out, char note[256],
                                struct smc_error *error);

/* What a text has to be of a device's name; each accepts what the ones before it accept. Case,
   punctuation and brand words ("NVIDIA GeForce") do not count. */
enum smc_name_match {
    SMC_NAME_WHOLE,
    SMC_NAME_WORDS, /* whole words of it */
    SMC_NAME_PART,  /* any part of it, for a search while typing */
};

bool smc_device_has_name(const struct smc_device *device, const char *typed,
                         enum smc_name_match match);

/* Whether the board at `index` of the table has this name, or has it among its other names. */
bool smc_board_is_called(size_t index, const char *name);

/* The name without "NVIDIA", "GeForce" and "Tesla": "RTX 4090" of "NVIDIA GeForce RTX 4090". Points
   into it. */
const char *smc_device_model(const struct smc_device *device);

/* "table", "live", "file". */
const char *smc_device_source_name(enum smc_device_source source);

#endif
