/* The choice of a block size in JSON: every size, best first, and the rules. */
#include "report/json_parts.h"
#include "report/words.h"

/* What the rules saw, and why it is not the proposal. */
static void add_reasons(json_t *object, const struct smc_best *best,
                        const struct smc_candidate *candidate)
{
    const struct smc_answer *answer = &candidate->answer;
    enum smc_rule rule = candidate->choice.dropped_by;
    struct smc_text reason = {0};
    smc_json_integer(object, "idle_lanes", smc_best_idle_lanes(answer));
    smc_json_known_integer(object, "row_bytes", smc_best_row_bytes(answer));
    smc_json_set(object, "wave_fill_percent",
                 answer->has_waves ? json_real(100 * smc_best_fill(answer)) : json_null());
    smc_json_set(object, "dropped_by",
                 rule == SMC_RULE_COUNT ? json_null() : json_string(smc_rule_info[rule].name));
    smc_words_why_not(best, candidate, &reason);
    smc_words_untie(&reason);
    smc_json_set(object, "reason",
                 reason.length ? json_string(smc_text_string(&reason)) : json_null());
    smc_text_free(&reason);
}

static json_t *candidate_object(const struct smc_best *best, const struct smc_candidate *candidate)
{
    const struct smc_answer *answer = &candidate->answer;
    json_t *object = json_object();
    smc_json_integer(object, "size", (uint64_t)candidate->size);
    smc_json_integer(object, "threads_per_block", answer->launch.threads_per_block);
    smc_json_set(object, "registers_per_thread",
                 smc_words_regs_known(answer) ? json_integer(answer->launch.regs_per_thread)
                                              : json_null());
    smc_json_integer(object, "static_smem_bytes", answer->launch.static_smem_bytes);
    smc_json_integer(object, "dynamic_smem_bytes", answer->launch.dynamic_smem_bytes);
    smc_json_string(object, "outcome", smc_outcome_name(answer->outcome));
    smc_json_integer(object, "blocks_per_sm", answer->occupancy.blocks_per_sm);
    smc_json_real(object, "percent", answer->occupancy_percent);
    smc_json_set(object, "waves",
                 answer->has_waves ? json_integer((json_int_t)answer->waves.waves) : json_null());
    smc_json_real(object, "use_percent", 100 * candidate->use);
    smc_json_set(object, "global_bytes",
                 answer->has_work ? json_real(smc_best_moved_bytes(answer)) : json_null());
    smc_json_integer(object, "architectures", candidate->architectures);
    add_reasons(object, best, candidate);
    return object;
}

json_t *smc_json_best(const struct smc_best *best)
{
    const struct smc_candidate *proposal = smc_best_proposal(best);
    json_t *root = json_object(), *rules = json_array(), *list = json_array();
    for (int rule = 0; rule < SMC_RULE_COUNT; rule++) {
        const struct smc_rule_info *info = &smc_rule_info[rule];
        json_t *object = json_object();
        smc_json_string(object, "name", info->name);
        smc_json_real(object, "within_percent", info->percent);
        smc_json_string(object, "text", info->text);
        json_array_append_new(rules, object);
    }
    for (size_t rank = 0; rank < best->count; rank++)
        json_array_append_new(list, candidate_object(best, &best->candidate[best->order[rank]]));
    smc_json_string(root, "option", best->option);
    smc_json_set(root, "proposal", proposal ? json_integer(proposal->size) : json_null());
    smc_json_integer(root, "architectures_asked", best->architectures);
    smc_json_set(root, "rules", rules);
    smc_json_set(root, "candidates", list);
    return root;
}
