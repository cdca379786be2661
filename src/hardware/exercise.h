/* Exercises: tasks whose solutions, kernels that students write, are judged on the emulator. An
   exercise is a folder; man/smemcalc-formats.5 describes its files.

     smc_exercise_read       a built-in exercise, or a folder -> the task
     smc_exercise_prepare    a submission -> compiled for each case
     smc_exercise_judge      -> a verdict
     smc_exercise_judge_apart  both, in a process of its own */
#ifndef SMC_HARDWARE_EXERCISE_H
#define SMC_HARDWARE_EXERCISE_H

#include "hardware/user.h"

/* --- The task --------------------------------------------------------------------------------- */

enum {
    SMC_EXERCISE_MOST_NAMES = 8,
    SMC_EXERCISE_MOST_EXTENTS = 3,
    SMC_EXERCISE_MOST_ARGUMENTS = 12,
    SMC_EXERCISE_MOST_CASES = 6,
    SMC_EXERCISE_MOST_GOALS = 8,
    SMC_EXERCISE_MOST_SOLUTIONS = 4,
};

/* What a goal is about. */
enum smc_exercise_figure {
#define FIGURE(id, ...) SMC_EXERCISE_##id,
#include "hardware/exercise/exercise_figures.def"
    SMC_EXERCISE_FIGURES
};

struct smc_exercise_figure_info {
    const char *key, *label, *unit;
};
extern const struct smc_exercise_figure_info smc_exercise_figure_info[SMC_EXERCISE_FIGURES];

enum smc_exercise_relation { SMC_EXERCISE_AT_MOST, SMC_EXERCISE_AT_LEAST, SMC_EXERCISE_EQUALS };

/* "time <= 110 % of tiled", "conflicts = 0". */
struct smc_exercise_goal {
    enum smc_exercise_figure figure;
    enum smc_exercise_relation relation;
    const char *bound; /* an expression of the case's names */
    int solution;      /* the bound is a percentage of this solution's; -1: of none */
    const char *hint;  /* for those who miss it; or "" */
};

/* A parameter of the kernel. */
struct smc_exercise_argument {
    const char *name;
    const char *type;                              /* "f32" */
    const char *contents;                          /* of an array, as for --arg; of a number, an
                                                      expression */
    const char *extent[SMC_EXERCISE_MOST_EXTENTS]; /* expressions */
    size_t extents;                                /* 0: a number */
};

/* A launch that is judged: a value for each name of the exercise. */
struct smc_exercise_case {
    int64_t value[SMC_EXERCISE_MOST_NAMES];
};

/* The texts are parts of `task`. */
struct smc_exercise {
    char *folder; /* NULL: it is built in */
    const char *name, *title, *kernel, *device;
    const char
        *reference;   /* "reference": of the file reference.cu, which gives the right results */
    const char *text; /* the task in words, Markdown */
    const char *block, *grid, *smem;
    double tolerance; /* of a float, as a share of the largest one of the result */
    bool has_result;
    size_t result; /* index of the argument that is compared */
    size_t names, arguments, cases, goals, solutions;
    const char *variable[SMC_EXERCISE_MOST_NAMES];
    struct smc_exercise_argument argument[SMC_EXERCISE_MOST_ARGUMENTS];
    struct smc_exercise_case one[SMC_EXERCISE_MOST_CASES];
    struct smc_exercise_case timed; /* for which the times are predicted */
    struct smc_exercise_goal goal[SMC_EXERCISE_MOST_GOALS];
    const char *solution[SMC_EXERCISE_MOST_SOLUTIONS]; /* "tiled": of the file tiled.cu */
    struct smc_text task;
    char *own_name;
};

/* The built-in exercises in the recommended order; NULL after the last. */
const char *smc_exercise_name(size_t index);

/* A built-in exercise, or a folder that has a task.md. SMC_USAGE: there is none, or its line is
   wrong: "mine/task.md:3: ...". Free `exercise` in any case. */
enum smc_status smc_exercise_read(const char *name, struct smc_exercise *exercise,
                                  struct smc_error *error);
void smc_exercise_free(struct smc_exercise *exercise);

/* Appends a file of the exercise, such as "skeleton.cu". SMC_USAGE: it has none. */
enum smc_status smc_exercise_read_file(const struct smc_exercise *exercise, const char *file,
                                       struct smc_text *text, struct smc_error *error);

/* --- What is wrong with a result -------------------------------------------------------------- */

/* A likely cause of a wrong result. Each was tried: the whole result is as the cause makes it. */
enum smc_wrong_cause {
#define WRONG(id, name) SMC_WRONG_##id,
#include "hardware/exercise/wrong_causes.def"
    SMC_WRONG_CAUSES
};
extern const char *const smc_wrong_cause_names[SMC_WRONG_CAUSES];

struct smc_wrong_result {
    uint64_t elements, wrong, first; /* `first`: the index of the first wrong one */
    size_t extents;
    uint64_t extent[SMC_EXERCISE_MOST_EXTENTS], index[SMC_EXERCISE_MOST_EXTENTS];
    char got[32], expected[32];
    enum smc_wrong_cause cause;
    char array[32]; /* the argument that the cause is about, */
    char other[32]; /* and a second one */
    size_t axis;    /* the dimension of the array that it is about */
    size_t axes;    /* of so many */
    int64_t number; /* what the cause is about: an offset, a value, an index */
    int64_t right;  /* and the right one, or the end of what the cause is about */
    int64_t period; /* in which it is repeated */
    uint64_t from[SMC_EXERCISE_MOST_EXTENTS]; /* of each axis: where wrong elements begin */
    double factor;
    bool is_unwritten; /* the wrong elements hold what they held before the launch */
};

/* --- The verdict ------------------------------------------------------------------------------ */

enum smc_exercise_outcome {
#define OUTCOME(id, name) SMC_EXERCISE_##id,
#include "hardware/exercise/exercise_outcomes.def"
    SMC_EXERCISE_OUTCOMES
};
extern const char *const smc_exercise_outcome_names[SMC_EXERCISE_OUTCOMES];

struct smc_exercise_times {
    double ms, low_ms, high_ms; /* 0: unknown */
};

/* It has no pointers to anything, so that a process can send it to another. */
struct smc_exercise_verdict {
    enum smc_exercise_outcome outcome;
    char why[512];                          /* why it was not judged or did not run; else "" */
    size_t passed;                          /* cases with the right result, */
    int64_t value[SMC_EXERCISE_MOST_NAMES]; /* and the names' values of the last one looked at */
    uint32_t grid[3], block[3], smem_bytes; /* of its launch */
    struct smc_emulated_run emulated;       /* of its launch */
    uint32_t barrier_after[2];              /* as in struct smc_user_run */
    struct smc_wrong_result wrong;          /* with SMC_EXERCISE_WRONG */
    bool has_figures;                       /* the result is right, and all below is known */
    double figure[SMC_EXERCISE_FIGURES];    /* NaN: unknown */
    double bound[SMC_EXERCISE_MOST_GOALS];
    bool met[SMC_EXERCISE_MOST_GOALS];
    struct smc_exercise_times own, solution[SMC_EXERCISE_MOST_SOLUTIONS];
};

/* SMC_OK: solved. SMC_USAGE: it does not compile, or is not a kernel of the task. SMC_MACHINE.
   SMC_SHORTFALL: everything else. */
enum smc_status smc_exercise_status(const struct smc_exercise_verdict *verdict);

/* The first goal that is not met; the number of goals: all are. */
size_t smc_exercise_next_goal(const struct smc_exercise *exercise,
                              const struct smc_exercise_verdict *verdict);

/* --- Judging ---------------------------------------------------------------------------------- */

struct smc_exercise_request {
    const struct smc_exercise *exercise;
    const char *file; /* the submission */
    struct smc_device device;
    struct smc_ceilings ceilings;
    const struct smc_run_settings *settings; /* the emulator's */
    struct smc_builds *builds;
    bool no_cache;
};

/* The compiled launches of one submission, and of what it is compared with. */
struct smc_exercise_attempt;

/* SMC_USAGE: the submission cannot be read, does not compile or is not a kernel of the task. NULL
   after a failure. */
enum smc_status smc_exercise_prepare(const struct smc_exercise_request *request,
                                     struct smc_exercise_attempt **attempt,
                                     struct smc_text *warnings, struct smc_error *error);

/* Fails only as smc_user_launch does for reasons that are not the submission's. */
enum smc_status smc_exercise_judge(struct smc_exercise_attempt *attempt,
                                   struct smc_exercise_verdict *verdict, struct smc_text *warnings,
                                   struct smc_error *error);
void smc_exercise_attempt_free(struct smc_exercise_attempt *attempt);

/* --- References by name ----------------------------------------------------------------------- */

/* What --expect accepts instead of a file: "matmul", "matmul:m=64,a=@2", or the folder of an
   exercise instead of the name. The exercise's reference computes the array from the launch's
   other arrays: those of the task are the launch's in their order, unless NAME=@N tells otherwise,
   and their sizes follow from theirs, as far as they do. */

/* Whether the text, up to a ':', names a reference. */
bool smc_named_reference_is(const char *text);

/* Appends "matmul, transpose or reverse": the references of the program. */
void smc_named_reference_list(struct smc_text *out);

/* Compiles the references of run->request.expected, after smc_user_prepare. SMC_USAGE: the arrays
   of the launch do not fit one. */
enum smc_status smc_named_references_prepare(struct smc_user_run *run, struct smc_error *error);

/* --- A class ---------------------------------------------------------------------------------- */

/* A submission that was judged. */
struct smc_exercise_submission {
    const struct smc_exercise *exercise;
    const char *file; /* as the user named it */
    char device[128]; /* its name */
    struct smc_exercise_verdict verdict;
};

enum { SMC_EXERCISE_MOST_JOBS = 256 };

/* Judges request[i] as submission[i], each in a process of its own, in the sandbox and with a time
   limit, which does not end this one whatever the submission is; up to `jobs` at a time, from 1 to
   SMC_EXERCISE_MOST_JOBS. Not to be called while other threads run. */
void smc_exercise_judge_apart(const struct smc_exercise_request *request,
                              struct smc_exercise_submission *submission, size_t count,
                              size_t jobs);

#endif
