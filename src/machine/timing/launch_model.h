/* The model of one launch. */
#ifndef SMC_MACHINE_LAUNCH_MODEL_H
#define SMC_MACHINE_LAUNCH_MODEL_H

#include "machine/timing.h"
#include "machine/timing/module_values.h"
#include "machine/timing/panels.h"
#include "machine/timing/traces.h"

/* The part of a launch that is executed: these blocks of one SM, and so much of their warps. */
struct sample {
    uint64_t first; /* block, and then every block so many SMs further */
    uint32_t blocks;
    size_t kept, entries; /* of a warp's trace: of the one measured, at most */
    uint64_t loop_entries;
    uint64_t length; /* instructions of the warp measured, at least */
    uint64_t budget; /* entries of all its warps, half of what they may take */
    bool is_whole;   /* nothing is left out of the warp measured, though loops are long */
};

enum {
    SMC_SAMPLE_BUDGET = 32000, /* instructions of all warps together that are executed one by one */
    SMC_MOST_LOOP_ENTRIES = 4096, /* kept of a loop */
    SMC_LEAST_LOOP_ENTRIES = 64,
    SMC_MOST_ENTRIES = 20000 /* of a warp */
};

/* What an SM does for its blocks. */
struct work {
    double clocks, issued, held, flops, unknown; /* held: at dispatch, in clocks */
    double busy[SMC_PIPE_COUNT];
    double products;                          /* multiply-adds of tensor cores */
    double product_clocks[SMC_PRODUCT_TYPES]; /* they take at their peak, in a sub-partition */
    double data_wavefronts, shared_wavefronts, texture_clocks;
    double load_sectors, l2_sectors, store_sectors;
    double load_pieces, store_pieces, load_slots, store_slots, divergent, atomics, atomic_slots;
    double hottest_share; /* of the atomics, how many are in the piece that has the most */
    double store_requests, load_requests; /* of lines, by warps; as in struct smc_sm_result */
    double hottest_stores, hottest_loads; /* shares of them in the piece that has the most */
    double local_pieces;
    double hottest_clocks, first_hottest, first_atomic, atomic_clocks, atomics_window,
        busiest_unit;        /* as in struct smc_sm_result */
    uint64_t loaded, stored; /* arrays, as in struct smc_sm_result */
    double clocks_per_block; /* from one block to the next while as many as can reside do */
};

struct model {
    const struct smc_time_launch *launch;
    const struct smc_time_arguments *arguments; /* with the module's variables */
    struct smc_machine_launch machine;
    struct smc_machine_program program;
    struct smc_rates rates;
    struct smc_time *time;
    uint64_t blocks, sms;
    struct smc_sm_dram dram[SMC_TIME_MOST_ARGUMENTS + 2]; /* as in struct smc_sm_launch */
    struct smc_sm_traffic traffic[SMC_TIME_MOST_ARGUMENTS + 2];
    /* Which places of an array the blocks access that run at a time; 0: not known, or all blocks
       run at a time. The span is that of their first iterations. */
    struct smc_panels panels[SMC_TIME_MOST_ARGUMENTS];
    /* The share of an array that the blocks that run at a time access, if of a part of each row
       (row_parts.h); 0: not known. */
    double part[SMC_TIME_MOST_ARGUMENTS];
    double resident_warps;     /* at most, on all SMs */
    double local_bytes;        /* of all threads that reside */
    double dram_clocks;        /* of all that comes from and goes to DRAM */
    double sleep_clocks;       /* the longest interval of the timer that sleeping warps wait for */
    bool sms_share;            /* several SMs load the same from DRAM */
    double atomics_clocks;     /* of those in the piece that has the most */
    double hot_clocks;         /* of loads or stores in the one that has the most */
    struct smc_warp_path path; /* of the first warp of the sample */
    struct sample sample;
    struct smc_contents contents;
    struct smc_survey survey; /* of the whole grid, where its warps differ */
    struct smc_traces traces;
    struct work work;         /* of the SM with the most blocks */
    struct smc_traced traced; /* of the sample */
    bool turns, cut;          /* as in struct smc_sm_launch */
};

/* Of an SM. */
static inline uint64_t smc_most_blocks(const struct model *model)
{
    return (model->blocks + model->sms - 1) / model->sms;
}

/* As many SMs as if all had the blocks of the one with the most: from that SM to the launch. */
static inline double smc_busy_sms(const struct model *model)
{
    return (double)model->blocks / (double)smc_most_blocks(model);
}

/* Arrays that decide what is executed change during the launch. */
static inline bool smc_decides_and_changes(const struct smc_survey *survey)
{
    return (survey->decides & survey->changed) != 0;
}

/* They do so for other blocks than the one that stores: their words, not only the arrays. */
static inline bool smc_contents_change(const struct smc_survey *survey)
{
    return (survey->decides & survey->changed & survey->meets) != 0;
}

/* The share of the SM's time for which issue or a pipe is busy, whichever is longer. */
double smc_model_busy(const struct model *model);

/* How an SM executes a sample: smc_sm_run or smc_sm_access. */
typedef enum smc_status smc_execute_blocks(const struct smc_sm_launch *launch,
                                           struct smc_sm_result *result, struct smc_error *error);

enum smc_status smc_model_run_sample(struct model *model, smc_execute_blocks *execute,
                                     struct work *work, struct smc_error *error);

/* Corrects the clocks of `work` where traces leave out iterations. */
enum smc_status smc_model_time_long_loops(struct model *model, struct smc_error *error);

/* The sample with so much of each loop. Most warps need no more entries than the one measured.
   `cut`: not all of it was kept. */
enum smc_status smc_sample_measure(const struct model *model, uint64_t kept, struct sample *sample,
                                   bool *cut, struct smc_error *error);

/* Sets the sample, whose first block is set: blocks of the SM with the most, up to twelve rounds,
   fewer if their traces do not fit, no more than three if they leave something out. The more blocks
   reside, the longer it takes until they have drifted apart. */
enum smc_status smc_sample_choose(struct model *model, struct smc_error *error);

/* Where nothing is left out of the warp that was measured, others that execute more need as much
   room, or what they do last would be lost: at the corner of an image, whose blocks are matched
   with half as many others and fewer, a warp executes 14.9 thousand instructions, inside 24.6
   thousand, and adds to the result after that. They would also wait for all others, and hold their
   block's place meanwhile. Then there are fewer rounds, if there is not as much room for all. Where
   warps are walked alone, what one does not need is left to the next, so that rounds are fewer only
   if warps are that long on average. */
void smc_sample_keep_last(struct model *model, struct smc_traced *traced);

/* Where several blocks of each SM all start at once, the launch lasts as long as the SM that gets
   the most to execute: the units that are busy have as much more to do than with the sample. */
void smc_model_wait_for_longest(struct model *model);

struct smc_alone {
    double clocks; /* 0: the block cannot be followed */
    bool whole;    /* nothing of it was left out */
};

/* How long a block takes alone, which sees what others stored but for `overwritten` (struct
   smc_traced). SMC_MACHINE. */
enum smc_status smc_model_run_alone(const struct model *model, uint64_t block, uint64_t overwritten,
                                    struct smc_alone *ran, struct smc_error *error);

/* How long a grid takes in which the blocks of a survey follow one another. */
struct smc_survey_times {
    double blocks, warps_per_block;
    double resident; /* blocks */
    double clocks;   /* of all blocks, if all had as many instructions */
    double clocks_per_instruction;
};

/* When the last of the longest blocks ends, in clocks, if each starts when those before it have
   ended that do not reside. Of a grid that was not walked as a whole, there are more blocks as long
   as the longest one of the survey, as many as there are in the grid for each one walked, somewhere
   among the places of the longest ones; the last of these counts. 0: no block was walked. */
double smc_survey_end(const struct smc_survey *survey, const struct smc_survey_times *times);

/* Where blocks differ, the launch ends no sooner than its longest one, which takes no less than it
   does alone. Of blocks of which one loads 128 words a thread one after the other, and the others
   one word, a launch of 20000 takes 19.0 us if the long one is the first, 19.3 at a quarter of the
   grid, 20.2 at half, 23.3 at three quarters and 24.6 at the end, and as long with four of them;
   with none 19.1, and the long one alone 12.6 (H200, CUDA 13.0, driver 580.159.04, 2026-12-01). */
enum smc_status smc_model_end_with_longest(struct model *model, struct smc_error *error);

/* Sets the terms, what bounds the time, the time and its range. `times`: the work of the launch as
   a multiple of that of `model->work`. */
void smc_model_set_time(const struct model *model, double times, struct smc_time *time);

/* Whether L2 does not hold all memory of the launch. */
bool smc_model_needs_dram(const struct model *model);

/* Whether any array that L2 does not hold is accessed in no order, as `traffic` shows. */
bool smc_model_exceeds_l2_in_no_order(const struct model *model);

/* Sets `dram`, `dram_clocks`, `sms_share` and the bytes of the time from `traffic`, which may be of
   blocks that were drawn from the whole grid. */
void smc_model_find_dram(struct model *model, bool drawn);

/* Sets the rate of bulk copies, by whether the traced blocks copy what others do, too (l2.c). */
void smc_model_set_bulk_rate(struct model *model);

/* Surveys blocks again that race, as the survey of them one after the other shows, which ended with
   `status`: all at the same time if they all reside and that takes no more steps than allowed; the
   first ones of the grid if blocks depend only on the stores of the next one. Fails as the first
   survey did, or where the order of blocks matters. */
enum smc_status smc_model_survey_races(struct model *model, enum smc_status status,
                                       struct smc_error *error);

/* By how much what other blocks store may make a launch longer, as a share: loops become longer. */
#define SMC_UNCERTAIN_CHANGES 2

/* SMC_USAGE with the reason if an instruction has no rate. */
enum smc_status smc_model_check_rates(const struct model *model, struct smc_error *error);

/* Sets sleep_clocks. SMC_USAGE: how long traced warps sleep is not known. */
enum smc_status smc_model_find_sleeps(struct model *model, struct smc_error *error);

#endif
