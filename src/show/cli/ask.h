/* From arguments to questions: which launch, on which devices, in which format. */
#ifndef SMC_SHOW_ASK_H
#define SMC_SHOW_ASK_H

#include "answers/inspect.h"
#include "answers/query.h"
#include "rules/device_file.h"
#include "show/cli/options.h"
#include "show/report/report.h"

const struct smc_writer *smc_ask_writer(const struct smc_arguments *arguments);

/* --- The launch (ask_kernel.c). SMC_USAGE with a message that names the option. --- */

/* Everything but the device. */
enum smc_status smc_ask_query(const struct smc_arguments *arguments, struct smc_query *query,
                              struct smc_error *error);

/* The same about this kernel of the catalog, whatever --kernel names, without the parameters of
   the mask `ignored`. */
enum smc_status smc_ask_query_of(const struct smc_arguments *arguments,
                                 const struct smc_kernel *kernel, uint32_t ignored,
                                 struct smc_query *query, struct smc_error *error);

/* Only the numbers of the launch, without a kernel; `query` is initialised. */
void smc_ask_launch(const struct smc_arguments *arguments, struct smc_query *query);

/* The grid, if one is given. */
enum smc_status smc_ask_grid(const struct smc_arguments *arguments, struct smc_query *query,
                             struct smc_error *error);

/* Carve-out, cluster and the other settings of a launch. */
void smc_ask_settings(const struct smc_arguments *arguments, struct smc_launch *settings);

/* The shape that an option was given; unchanged if it was given only a number, or nothing. */
void smc_ask_shape(const struct smc_arguments *arguments, int option, uint32_t shape[3]);

/* The kernel of --kernel, or the one that --tile alone means. */
enum smc_status smc_ask_named_kernel(const struct smc_arguments *arguments,
                                     const struct smc_kernel **kernel, struct smc_error *error);

/* A kernel of the catalog: sets query->kernel and query->params. */
enum smc_status smc_ask_kernel(const struct smc_arguments *arguments, struct smc_query *query,
                               struct smc_error *error);

/* --- The devices (ask_devices.c) --- */

struct smc_chosen_device {
    struct smc_device device;
    char note[256]; /* how the name was understood if several match, or "" */
};

/* Owns the texts of the devices. Start from {0}; to be freed whatever the status. */
struct smc_chosen_devices {
    struct smc_chosen_device *chosen;
    size_t count; /* 0: no device was named */
    struct smc_device_file file[SMC_MAX_DEVICES];
    size_t file_count;
};

void smc_chosen_devices_free(struct smc_chosen_devices *devices);

/* First what each --device names, in order: a device of a file by its whole name, then the GPUs and
   the table, then a part of a name in a file. Then the devices of those files that no --device
   picked from. SMC_USAGE if that is more than `most`. */
enum smc_status smc_ask_devices(const struct smc_arguments *arguments, size_t most,
                                struct smc_chosen_devices *devices, struct smc_error *error);

/* Reads the files alone, to look up names in them with smc_ask_device_in. */
enum smc_status smc_ask_device_files(const struct smc_arguments *arguments,
                                     struct smc_chosen_devices *devices, struct smc_error *error);

/* One name, looked up as by smc_ask_devices: of --device, or (the message without a prefix) from
   elsewhere. */
enum smc_status smc_ask_device_in(const struct smc_chosen_devices *devices, const char *typed,
                                  struct smc_chosen_device *chosen, struct smc_error *error);
enum smc_status smc_find_device_in(const struct smc_chosen_devices *devices, const char *typed,
                                   struct smc_chosen_device *chosen, struct smc_error *error);

/* The one device that --device names, else the only one of the files; without one the count stays
   0. SMC_USAGE if several are named. */
enum smc_status smc_ask_named_device(const struct smc_arguments *arguments,
                                     struct smc_chosen_devices *devices, struct smc_error *error);

/* For commands about one device: SMC_USAGE if several are named. Prints the note, if any. */
enum smc_status smc_ask_one_device(const struct smc_arguments *arguments,
                                   struct smc_chosen_devices *devices, struct smc_query *query,
                                   struct smc_error *error);

/* Gives the query the device at `index`, or the default one if none was named. */
enum smc_status smc_ask_query_device(const struct smc_chosen_devices *devices, size_t index,
                                     struct smc_query *query, struct smc_error *error);

/* The device that is assumed if none was named and no GPU was found; the query says so. */
enum smc_status smc_ask_assumed_device(struct smc_query *query, struct smc_error *error);

/* Adds the target of a name ("" or as for --device) once: boards of one architecture share a
   compilation. */
void smc_ask_add_target(const char *typed, uint16_t cc, struct smc_inspect_target *targets,
                        size_t *count);

/* SMC_USAGE if both `file`, which holds rows, and a device file are standard input. */
enum smc_status smc_ask_standard_input(const struct smc_arguments *arguments, const char *file,
                                       struct smc_error *error);

/* Gives each query the measured ceilings of its device: the user's, else the table's. A damaged
   file is reported in a warning and ignored. */
void smc_ask_ceilings(struct smc_query *queries, size_t count);
void smc_ask_device_ceilings(const struct smc_device *device, struct smc_ceilings *ceilings);

/* One question on each device. Start from {0}; to be freed whatever the status. */
struct smc_questions {
    struct smc_query *query; /* one for each device named, or for the default one */
    struct smc_answer *answer;
    size_t count;
    struct smc_chosen_devices devices; /* own the texts */
};

void smc_questions_free(struct smc_questions *questions);

/* Asks `query` on each device. Notes how their names were understood, except for JSON, which holds
   it, and warns of options that have no effect there. */
enum smc_status smc_ask_questions(const struct smc_arguments *arguments,
                                  const struct smc_query *query, struct smc_questions *questions,
                                  struct smc_error *error);

enum smc_status smc_answer_questions(struct smc_questions *questions, struct smc_error *error);

/* --- A kernel of a file (ask_file.c) --- */

/* Before the files of the command line are read: fewer rights, but compilers where they may be
   needed (base/sandbox.h). */
void smc_ask_sandbox(const struct smc_arguments *arguments);

/* The kernels of the command's FILE that --entry names, each on each device. Start from {0}; to be
   freed whatever the status. Does not move: the queries point into it. */
struct smc_asked_file {
    struct smc_chosen_devices chosen;
    struct smc_inspect_kernels kernels;
    struct smc_entries entries;
    char **short_name; /* of each entry */
    char *shown_file;  /* its name, safe for a terminal */
    size_t device_count;
    struct smc_query *query;             /* entry e on device d: [e * device_count + d] */
    struct smc_file_kernel *file_kernel; /* the same order */
    struct smc_text ptx;                 /* of the file if it was compiled; for one device */
    bool damaged;    /* parts of the file could not be read, and were reported: exit status 2 */
    bool incomplete; /* a device was left out because no compiler supports it: exit status 3 */
};

/* Says why the device has no answer, if source was compiled only for others and no kernel loads on
   it; false: it has one. */
bool smc_ask_is_unsupported(const struct smc_inspect_notes *notes,
                            const struct smc_inspect_kernels *kernels,
                            const struct smc_device *device);

/* Whether a FILE is given, which may not be combined with options about other kernels. SMC_USAGE
   names the first of these, or an option that needs a FILE. */
enum smc_status smc_ask_whether_file(const struct smc_arguments *arguments, bool *asks_file,
                                     struct smc_error *error);

/* Reads the file for the devices: those named, else the one that a query would be about, or if that
   is only assumed and cannot load the code, what the code was compiled for. Reports what was
   noticed. With `one` there must be exactly one entry. `devices`: NULL for those of --device. The
   block size stays SMC_NOT_GIVEN without --threads. */
struct smc_file_devices {
    const struct smc_device *device;
    size_t count; /* 0: none is named */
};
enum smc_status smc_ask_file(const struct smc_arguments *arguments,
                             const struct smc_file_devices *devices, bool one,
                             struct smc_asked_file *asked, struct smc_error *error);

/* Gives each query of a kernel without --threads a block size: that of its launch bounds, else the
   one that `best` proposes on the first device; a note says so. */
enum smc_status smc_ask_file_threads(struct smc_asked_file *asked, struct smc_error *error);

/* The whole of a command about a launch, or about those of a FILE: asks, answers and reports. The
   text about a file is written a kernel at a time, and of not more than a reader wants to see. */
typedef enum smc_status smc_answers_report(const struct smc_arguments *arguments,
                                           const struct smc_answer *answers, size_t count,
                                           struct smc_text *out, struct smc_error *error);
enum smc_status smc_answer_launches(const struct smc_arguments *arguments,
                                    smc_answers_report *report, struct smc_text *out,
                                    struct smc_error *error);

/* Frees it. Returns SMC_USAGE if the answer is fine but the file was damaged, SMC_UNAVAILABLE if it
   lacks a device, else `status`. */
enum smc_status smc_asked_file_end(struct smc_asked_file *asked, enum smc_status status);

/* --- Accesses to shared memory (cmd_banks.c) --- */

/* The pattern of --expr, --stride or a kernel, without a device. Its texts are the arguments'. */
enum smc_status smc_ask_banks(const struct smc_arguments *arguments, struct smc_banks_query *query,
                              struct smc_error *error);

/* --- Options without effect on some devices (idle_options.c) --- */

enum { SMC_IDLE_COUNT = 11 };

/* For each rule the devices on which its option has no effect. Start from {0}. */
struct smc_idle_options {
    struct smc_text devices[SMC_IDLE_COUNT];
};

/* Once for each device of the call. */
void smc_idle_consider(const struct smc_arguments *arguments, const struct smc_device *device,
                       struct smc_idle_options *idle);

/* Warns of each option that has no effect on some device; frees what was gathered. */
void smc_idle_warn(struct smc_idle_options *idle);

/* Both, for a call about one device. */
void smc_idle_warn_of(const struct smc_arguments *arguments, const struct smc_device *device);

#endif
