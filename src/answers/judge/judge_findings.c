/* The list of findings. */
#include "answers/judge_findings.h"

#include <stdlib.h>

#include "base/memory.h"

/* --- Paths ------------------------------------------------------------------------------------ */

static char *judge_findings_copy_of(const char *text)
{
    return smc_strdup(text ? text : "");
}

static bool copy_path(const struct smc_check_path *from, struct smc_check_path *to)
{
    to->thread = judge_findings_copy_of(from->thread);
    to->place = smc_calloc(from->places + 1, sizeof *to->place);
    bool copied = to->thread && to->place;
    for (size_t i = 0; copied && i < from->places; i++) {
        struct smc_check_place *place = &to->place[to->places++];
        *place =
            (struct smc_check_place){.file = judge_findings_copy_of(from->place[i].file),
                                     .line = from->place[i].line,
                                     .function = judge_findings_copy_of(from->place[i].function)};
        copied = place->file && place->function;
    }
    return copied;
}

static bool copy_paths(const struct smc_check_finding *from, struct smc_check_finding *to)
{
    to->path = NULL;
    to->paths = 0;
    if (from->paths == 0)
        return true;
    to->path = smc_calloc(from->paths, sizeof *to->path);
    bool copied = to->path != NULL;
    while (copied && to->paths < from->paths) {
        copied = copy_path(&from->path[to->paths], &to->path[to->paths]);
        to->paths++;
    }
    return copied;
}

/* --- The list --------------------------------------------------------------------------------- */

static void free_finding(struct smc_check_finding *finding)
{
    free(finding->file);
    free(finding->kernel);
    free(finding->device);
    free(finding->message);
    free(finding->subject);
    for (size_t i = 0; i < finding->paths; i++) {
        struct smc_check_path *path = &finding->path[i];
        for (size_t k = 0; k < path->places; k++) {
            free(path->place[k].file);
            free(path->place[k].function);
        }
        free(path->place);
        free(path->thread);
    }
    free(finding->path);
}

bool smc_findings_add(struct smc_findings *findings, const struct smc_check_finding *finding)
{
    struct smc_check_finding added = *finding;
    added.file = judge_findings_copy_of(finding->file);
    added.kernel = judge_findings_copy_of(finding->kernel);
    added.device = judge_findings_copy_of(finding->device);
    added.message = judge_findings_copy_of(finding->message);
    added.subject = judge_findings_copy_of(finding->subject);
    bool copied = copy_paths(finding, &added);
    if (!copied || !added.subject || !added.file || !added.kernel || !added.device ||
        !added.message ||
        !smc_make_room(&findings->item, findings->count, &findings->capacity,
                       sizeof *findings->item)) {
        free_finding(&added);
        return false;
    }
    findings->item[findings->count++] = added;
    return true;
}

size_t smc_findings_count(const struct smc_findings *findings, enum smc_finding_level level)
{
    size_t count = 0;
    for (size_t i = 0; i < findings->count; i++)
        count += findings->item[i].level == level;
    return count;
}

void smc_findings_free(struct smc_findings *findings)
{
    for (size_t i = 0; i < findings->count; i++)
        free_finding(&findings->item[i]);
    free(findings->item);
    *findings = (struct smc_findings){0};
}

bool smc_judgements_add(struct smc_judgements *judgements, const char *file, const char *kernel,
                        const char *device)
{
    if (!smc_make_room(&judgements->item, judgements->count, &judgements->capacity,
                       sizeof *judgements->item))
        return false;
    judgements->item[judgements->count++] = (struct smc_judged){file, kernel, device};
    return true;
}

void smc_judgements_free(struct smc_judgements *judgements)
{
    free(judgements->item);
    *judgements = (struct smc_judgements){0};
}

const struct smc_check_rule_words smc_check_rules[SMC_CHECK_COUNT] = {
#define RULE(id, name, description) {name, description},
#include "answers/judge/finding_rules.def"
};

const char *smc_finding_level_name(enum smc_finding_level level)
{
    static const char *const names[] = {
        [SMC_FINDING_NOTE] = "note",
        [SMC_FINDING_WARNING] = "warning",
        [SMC_FINDING_ERROR] = "error",
    };
    return names[level];
}
