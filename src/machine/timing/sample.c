/* Which blocks of an SM are executed, and how much of their loops. */
#include "machine/timing/launch_model.h"

enum {
    WHOLE_BUDGET = 500000, /* as SMC_SAMPLE_BUDGET, of all blocks of an SM, if nothing is left out,
                              or of one or two rounds of them if arrays have contents */
    FOLLOWED_BUDGET = 1000000, /* likewise, of FEW_ROUNDS of them */
    ROUNDS_BUDGET = 200000,    /* likewise, of other whole rounds */
    LONGEST_BUDGET = 1000000,  /* likewise, where some warps execute more than the one measured */
    FEW_ROUNDS = 3,            /* of blocks that reside: one that follows others and is followed */
    MANY_ROUNDS = 12,          /* so many blocks later they have drifted apart */
    /* Of blocks that reside, up to FEW the budget shows how they drift apart; it grows with their
       number up to MANY. */
    FEW_BLOCKS = 8,
    MANY_BLOCKS = 32
};

enum smc_status smc_sample_measure(const struct model *model, uint64_t kept, struct sample *sample,
                                   bool *cut, struct smc_error *error)
{
    struct smc_trace_size size = {.loop_entries = kept, .most = SMC_MOST_ENTRIES};
    enum smc_status status =
        smc_traces_take_turns(&model->program)
            ? smc_traces_measure_turns(&model->machine, sample->first, &size, error)
            : smc_traces_measure(&model->path, &size, error);
    sample->loop_entries = kept;
    sample->kept = size.entries;
    sample->length = size.length;
    sample->entries = size.entries + size.entries / 4 + 64;
    *cut = size.cut;
    return status;
}

/* How much of each loop is kept so that the traces of so many blocks fit into the budget. `sample`
   has been measured with the least. */
static enum smc_status choose_entries(const struct model *model, struct sample *sample,
                                      struct smc_error *error)
{
    uint64_t warps = (uint64_t)sample->blocks * smc_traces_warps(&model->machine);
    const uint64_t budget = sample->budget;
    uint64_t kept = budget / warps;
    const struct sample least = *sample;
    enum smc_status status = SMC_OK;
    bool cut;
    for (int pass = 0; pass < 2 && status == SMC_OK; pass++) {
        kept = kept > SMC_MOST_LOOP_ENTRIES ? SMC_MOST_LOOP_ENTRIES : kept;
        if (kept <= SMC_LEAST_LOOP_ENTRIES) {
            *sample = least;
            break;
        }
        status = smc_sample_measure(model, kept, sample, &cut, error);
        if (sample->kept * warps <= budget)
            break;
        kept = kept * budget / (sample->kept * warps);
    }
    return status;
}

/* How many entries all warps may have of so many rounds; `is_all`: of all blocks of the SM. */
static uint64_t whole_budget(uint64_t rounds, bool is_all, bool has_contents)
{
    if (is_all)
        return WHOLE_BUDGET;
    if (!has_contents || rounds > FEW_ROUNDS)
        return ROUNDS_BUDGET;
    return rounds == FEW_ROUNDS ? FOLLOWED_BUDGET : WHOLE_BUDGET;
}

/* Blocks with nothing left out: all of the SM if there are several, but few enough, else as many
   rounds as the budget has room for. What the first iterations of loops do not show is then in it:
   where later ones access memory, warps that drift apart until some end long before others or wait
   for the same lines of L1, and stores that wait for each other. Of one-dimensional stencils with
   400 to 4000 neighbours, the first iterations take 1.1 to 1.16 clocks of an SM for each load of a
   warp, whole rounds 1.16 to 1.5 as measured. Nor does the first round show what later ones take:
   its blocks start together, and all wait where later ones wait while others work. Of products
   with 4-bit weights, blocks in their only round take 5.3 thousand clocks of an SM each, those of
   three rounds 3.9, as measured. So three rounds may be twice as long: hashes, each of 9130
   instructions between loads and stores, take 0.895 ms at the rate of a single round, in which all
   load and store at once, and 0.578 ms at that of three; measured 0.585. The second of two is not
   followed by another: of a kernel whose blocks differ they gave 3.05 ms, one, three and six rounds
   2.29, 2.34 and 2.34; measured 2.19 (H200, CUDA 13.0, driver 580.159.04, 2026-11-30). */
static enum smc_status choose_whole(const struct model *model, struct sample *sample,
                                    bool *is_whole, struct smc_error *error)
{
    const uint64_t most = smc_most_blocks(model), warps = smc_traces_warps(&model->machine);
    const uint64_t resident = model->launch->blocks_per_sm;
    const bool has_contents = model->machine.contents;
    enum smc_status status = SMC_OK;
    *is_whole = false;
    for (uint64_t rounds = MANY_ROUNDS; rounds > 0 && status == SMC_OK && !*is_whole; rounds--) {
        const uint64_t blocks = rounds * resident < most ? rounds * resident : most;
        const bool is_all = blocks == most && most > 1;
        const uint64_t budget = whole_budget(rounds, is_all, has_contents);
        const uint64_t entries = budget / (blocks * warps);
        struct sample whole = *sample;
        bool cut = true;
        if ((rounds - 1) * resident >= most || entries <= SMC_LEAST_LOOP_ENTRIES ||
            sample->length > entries)
            continue;
        whole.blocks = (uint32_t)blocks;
        status = smc_sample_measure(model, entries, &whole, &cut, error);
        *is_whole = !cut && whole.kept <= entries;
        whole.is_whole = *is_whole;
        if (*is_whole)
            *sample = whole;
    }
    return status;
}

enum smc_status smc_sample_choose(struct model *model, struct smc_error *error)
{
    uint32_t resident = model->launch->blocks_per_sm;
    uint64_t most = smc_most_blocks(model), warps = smc_traces_warps(&model->machine);
    const uint64_t apart = resident < FEW_BLOCKS    ? 1
                           : resident < MANY_BLOCKS ? resident / FEW_BLOCKS
                                                    : MANY_BLOCKS / FEW_BLOCKS;
    struct sample least = {.first = model->sample.first, .budget = SMC_SAMPLE_BUDGET * apart},
                  *sample = &model->sample;
    bool cut = false, is_whole = false;
    enum smc_status status = smc_sample_measure(model, SMC_LEAST_LOOP_ENTRIES, &least, &cut, error);
    *sample = least;
    if (status == SMC_OK)
        status = choose_whole(model, sample, &is_whole, error);
    for (uint32_t rounds = FEW_ROUNDS; rounds > 0 && status == SMC_OK && !is_whole; rounds--) {
        *sample = least;
        sample->blocks = most < (uint64_t)rounds * resident ? (uint32_t)most : rounds * resident;
        bool fits = sample->entries * sample->blocks * warps <= 2 * sample->budget;
        if (cut && (fits || sample->blocks <= resident))
            status = choose_entries(model, sample, error);
        fits = sample->entries * sample->blocks * warps <= 2 * sample->budget;
        if (fits || sample->blocks <= resident)
            break;
    }
    return status;
}

void smc_sample_keep_last(struct model *model, struct smc_traced *traced)
{
    enum { MARGIN = 2 };
    const double longest = model->survey.longest[0].length, margin = 1.25;
    const bool alone = !smc_traces_together(&model->machine);
    const double of_block =
        (alone ? MARGIN * model->survey.length : longest) * smc_traces_warps(&model->machine);
    const uint32_t resident = model->launch->blocks_per_sm;
    const size_t room =
        traced->loop_entries < traced->entries ? traced->loop_entries : traced->entries;
    if (!model->sample.is_whole || model->survey.warps == 0 || longest <= (double)room)
        return;
    while (traced->blocks > resident && of_block * traced->blocks > LONGEST_BUDGET)
        traced->blocks = (traced->blocks - 1) / resident * resident;
    model->sample.blocks = traced->blocks;
    if (of_block * traced->blocks > LONGEST_BUDGET)
        return;
    traced->entries = traced->loop_entries = (size_t)(margin * longest);
    traced->room = (size_t)(margin * LONGEST_BUDGET);
}
