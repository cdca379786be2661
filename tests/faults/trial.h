/* Typical commands, each run as a process of its own in a folder of the test's, and what is left
   of it: outputs, files, descriptors, children. */
#ifndef TESTS_FAULTS_TRIAL_H
#define TESTS_FAULTS_TRIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "plan.h"

struct trial_command {
    const char *name;
    const char *words;  /* split at blanks */
    const char *input;  /* standard input; NULL: none */
    const char *output; /* a file that it writes; NULL: none */
    bool starts_cold;   /* with an empty cache */
    bool streams;       /* writes whole rows before its end */
    bool leaves_out;    /* of several inputs, those that cannot be read, with a line for each */
    bool runs_program;  /* whose output and exit status are its own */
    bool shows_sources; /* its screens say what they are made of */
    bool on_fake_gpu;
    const char *varies; /* lines with this hold times or paths: they are not compared */
};

/* Their names. */
extern const char *const fault_names[FAULT_COUNT];

extern const struct trial_command trial_commands[];
extern const size_t trial_command_count;

struct trial_bytes {
    char *text; /* NULL: there is no such file */
    size_t count;
};

/* What a run left. */
struct trial {
    int status; /* as returned by wait */
    struct trial_bytes out, err, output;
    char strays[512]; /* files that should not be there; "": none */
    int open_at_end;  /* file descriptors; with a plan only */
    double seconds;
};

/* Makes the folder and enters it. `program` is the absolute path of smemcalc, `build` the folder
   with the libraries of the test. */
void trial_begin(const char *program, const char *build);
void trial_end(void);

/* Whether this build can run it. */
bool trial_can_run(const struct trial_command *command);

/* The plan that the runs share. */
struct fault_plan *trial_plan(void);

/* Removes what earlier runs wrote; with `old` the output file exists already. */
void trial_prepare(const struct trial_command *command, bool old);

/* Starts the command; `limit` is called in the child. Without `faulty` nothing is preloaded. */
struct trial_start {
    bool faulty;
    void (*limit)(void);
    bool own_group;
};
struct trial_process {
    pid_t child;
    int out, err;
    double started;
};
struct trial_process trial_start(const struct trial_command *command, struct trial_start how);
void trial_finish(const struct trial_command *command, struct trial_process *process,
                  struct trial *trial);
void trial_run(const struct trial_command *command, struct trial_start how, struct trial *trial);
void trial_free(struct trial *trial);

/* The old content of an output file. */
extern const char trial_old[];

bool trial_equal(const struct trial_bytes *a, const struct trial_bytes *b);

/* Same exit status, standard output and file. */
bool trial_same(const struct trial *usual, const struct trial *trial);

/* Standard error is the usual one and notes and warnings. */
bool trial_adds_notes(const struct trial *usual, const struct trial *trial);

/* One line more that says why it failed, besides notes and warnings. */
bool trial_adds_reason(const struct trial_command *command, const struct trial *usual,
                       const struct trial *trial);

/* Standard output is absent, or whole rows of a stream. */
bool trial_out_uncut(const struct trial_command *command, const struct trial *usual,
                     const struct trial *trial);

/* The output file is whole, absent or the old one. */
bool trial_output_uncut(const struct trial *usual, const struct trial *trial);

/* A program's records are incomplete, or it was not observed: the report says so, and nothing else
   differs. */
bool trial_reports_loss(const struct trial *usual, const struct trial *trial);

/* There is text, and its last line is whole. */
bool trial_ends(const struct trial_bytes *bytes);

/* How it ended, in words. */
const char *trial_ending(const struct trial *trial);

double trial_now(void);

/* From --seed N, else the same each time; printed. */
unsigned long trial_seed(int argc, char **argv);
double trial_random(void); /* 0 to 1, without 1 */

#endif
