/* One query answered at many points: one or two of its values are varied. */
#ifndef SMC_ANSWERS_SWEEP_H
#define SMC_ANSWERS_SWEEP_H

#include <stdbool.h>
#include <stdint.h>

#include "answers/query.h"
#include "base/parse.h"
#include "base/status.h"
#include "base/text.h"

enum smc_axis_id {
#define AXIS(id, option, label, unit) SMC_AXIS_##id,
#include "answers/query/axes.def"
    SMC_AXIS_COUNT
};

struct smc_axis_info {
    const char *option; /* the command line's name without the dashes */
    const char *label;
    const char *unit;
};

extern const struct smc_axis_info smc_axis_info[SMC_AXIS_COUNT];

/* The axis that varies an option; false if there is none. */
bool smc_axis_find(const char *option, enum smc_axis_id *id);

struct smc_axis {
    enum smc_axis_id id;
    struct smc_range range; /* of a device axis: indices of `devices` */
};

enum { SMC_MOST_AXES = 2, SMC_MOST_POINTS = 1000000 };

struct smc_sweep {
    struct smc_query query; /* what does not vary */
    size_t axis_count;      /* 1 or 2; the last one varies fastest */
    struct smc_axis axis[SMC_MOST_AXES];
    const struct smc_device *devices;           /* of a device axis; owned by the caller */
    const struct smc_file_kernel *file_kernels; /* of a device axis and a kernel of a file: one for
                                                   each device; owned by the caller; or NULL */
    bool times; /* also predict the time at each point, which takes some milliseconds */
    const struct smc_ceilings *ceilings; /* for the times of a device axis: one for each device;
                                            owned by the caller; or NULL */
};

/* Values of one axis, and points of the whole sweep. */
uint64_t smc_axis_values(const struct smc_axis *axis);
uint64_t smc_sweep_points(const struct smc_sweep *sweep);

/* The position of a point on an axis. */
uint64_t smc_sweep_position(const struct smc_sweep *sweep, size_t axis, uint64_t point);

/* "32", "48K", "NVIDIA H200": the value at a position, for people. */
void smc_sweep_label(const struct smc_sweep *sweep, size_t axis, uint64_t position,
                     struct smc_text *out);

/* The query at one point. */
void smc_sweep_ask(const struct smc_sweep *sweep, uint64_t point, struct smc_query *query);

/* What is stored about a point, for tables and charts. */
struct smc_sweep_point {
    uint32_t threads_per_block;
    uint32_t regs_per_thread; /* SMC_UNLIMITED: unknown */
    uint64_t smem_bytes_per_block;
    uint32_t blocks_per_sm;
    uint32_t warps_per_sm;
    double percent;
    uint8_t limiters;    /* bit n: limit n binds */
    uint8_t source;      /* enum smc_resource_source of the registers */
    uint16_t nvrtc;      /* 100 x major + minor */
    uint8_t bound_by;    /* enum smc_time_term; valid with a predicted time */
    double predicted_ms; /* 0: not predicted */
    enum {
        SMC_POINT_UNASKED, /* the sweep ended before this point */
        SMC_POINT_LAUNCHES,
        SMC_POINT_REFUSED,  /* has an answer: 0 blocks */
        SMC_POINT_NO_ANSWER /* the value is meaningless at this point */
    } state;
};

struct smc_sweep_result {
    const struct smc_sweep *sweep;
    struct smc_sweep_point *point; /* all of them, in order */
    uint64_t answered;             /* number of points that were reached */
    char no_time[200];             /* why a point that launches has no predicted time, or "" */
    uint64_t refused;              /* the first point that is refused, */
    char refusal[256];             /* and why; "": none is */
};

void smc_sweep_keep(const struct smc_answer *answer, const char *why,
                    struct smc_sweep_point *point);

/* The highest percentage of the points that launch; -1 if none does. */
double smc_sweep_best(const struct smc_sweep_result *result);

/* The shortest predicted time of the points; -1 if none has one. */
double smc_sweep_fastest_ms(const struct smc_sweep_result *result);

/* Receives each answer in order. `why` is NULL, or one line that says why this point has no answer;
   then only answer->query is set. Returning false ends the sweep. */
struct smc_sweep_visitor {
    bool (*visit)(void *context, uint64_t point, const struct smc_answer *answer, const char *why);
    void *context;
    bool wants_whole_answers; /* including work and next steps, which take far longer than the
                                 rest */
};

/* Answers every point. A kernel is compiled once for each set of parameters and architecture. A
   point without an answer (more registers than its device has) does not end the sweep, unless no
   point has one: then SMC_USAGE with the first reason. Other failures end it. */
enum smc_status smc_sweep_answer(const struct smc_sweep *sweep,
                                 const struct smc_sweep_visitor *visitor, struct smc_text *warnings,
                                 struct smc_error *error);

#endif
