/* What the emulator found in a kernel: as text, as JSON, and as findings of a check. */
#include "show/report/emulator_findings.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "code/source_tree.h"
#include "show/report/writers.h"

static const char *name_at(const struct smc_emulated_run *emulated, uint16_t at)
{
    return emulated->names + at;
}

/* --- In words --------------------------------------------------------------------------------- */

/* The access itself is described elsewhere: a stack says more if that is not in the kernel. */
static bool says_more(const struct smc_run_stack *stack)
{
    return stack->frames > 1 || (stack->frames == 1 && !stack->is_complete);
}

/* "in deep, called from outer at sum.cu:9, from kernel at sum.cu:24". `with_place`: the place of
   the access, too. */
static void emulator_findings_append_stack(const struct smc_emulated_run *emulated,
                                           const struct smc_run_stack *stack, bool with_place,
                                           struct smc_text *out)
{
    for (size_t i = 0; i < stack->frames; i++) {
        const struct smc_run_frame *frame = &stack->frame[i];
        const char *file = name_at(emulated, frame->file), *slash = strrchr(file, '/');
        const char *function = name_at(emulated, frame->function);
        smc_text_append(out, i == 0 ? "in " : i == 1 ? ", called from " : ", from ");
        smc_text_append(out, function[0] ? function : "an unknown function");
        if ((i > 0 || with_place) && frame->line > 0)
            smc_text_printf(out, " at %s:%u", slash ? slash + 1 : file, frame->line);
    }
    if (stack->frames > 1 && !stack->is_complete)
        smc_text_append(out, ", from ...");
}

static void append_stacks(const struct smc_emulated_run *emulated,
                          const struct smc_run_finding *found, const char *between, bool with_place,
                          struct smc_text *out)
{
    bool has_first = says_more(&found->stack);
    if (has_first)
        emulator_findings_append_stack(emulated, &found->stack, with_place, out);
    if (!found->finding.has_other || !says_more(&found->other_stack))
        return;
    smc_text_printf(out, "%sthe other access ", has_first ? between : "");
    emulator_findings_append_stack(emulated, &found->other_stack, false, out);
}

bool smc_findings_have_stacks(const struct smc_emulated_run *emulated)
{
    for (size_t i = 0; i < emulated->finding_count; i++) {
        const struct smc_run_finding *found = &emulated->finding[i];
        if (says_more(&found->stack) ||
            (found->finding.has_other && says_more(&found->other_stack)))
            return true;
    }
    return false;
}

static void append_finding(const struct smc_emulated_run *emulated, size_t i, struct smc_text *out)
{
    struct smc_text stacks = {0};
    smc_layout_paragraph(out, "", 4, emulated->finding[i].text, out->style->columns);
    append_stacks(emulated, &emulated->finding[i], "; ", false, &stacks);
    smc_layout_text(out, 8, &stacks);
}

void smc_text_findings(const struct smc_emulated_run *emulated, struct smc_text *out)
{
    for (size_t i = 0; i < emulated->finding_count; i++)
        append_finding(emulated, i, out);
}

/* The first race, because what is unwritten or wrong may follow from it; else the first finding
   that is more than a note. The count if there is none. */
static size_t find_lead(const struct smc_emulated_run *emulated)
{
    size_t lead = emulated->finding_count;
    for (size_t i = emulated->finding_count; i-- > 0;) {
        const struct smc_finding *finding = &emulated->finding[i].finding;
        bool leads = lead == emulated->finding_count || smc_finding_is_race(finding) ||
                     !smc_finding_is_race(&emulated->finding[lead].finding);
        if (!finding->is_note && leads)
            lead = i;
    }
    return lead;
}

void smc_text_leading_findings(const struct smc_emulated_run *emulated, const char *advice,
                               struct smc_text *out)
{
    const size_t lead = find_lead(emulated);
    if (lead < emulated->finding_count)
        append_finding(emulated, lead, out);
    if (*advice)
        smc_layout_paragraph(out, "", 4, advice, out->style->columns);
    for (size_t i = 0; i < emulated->finding_count; i++)
        if (i != lead)
            append_finding(emulated, i, out);
}

void smc_words_barrier_advice(const uint32_t after[2], struct smc_text *out)
{
    if (after[0] == 0)
        return;
    smc_text_printf(out, "add __syncthreads() after line%s %" PRIu32, after[1] > 0 ? "s" : "",
                    after[0]);
    if (after[1] > 0)
        smc_text_printf(out, " and %" PRIu32, after[1]);
    smc_text_printf(out, ": a run with %s has no race", after[1] > 0 ? "both" : "it");
}

/* The nearest line in the kernel's own file: one in a header of CUDA says nothing without its
   file. */
static uint32_t find_own_line(const struct smc_emulated_run *emulated,
                              const struct smc_run_stack *stack)
{
    if (stack->frames == 0)
        return 0;
    const char *own = emulated->names + stack->frame[stack->frames - 1].file;
    size_t i = 0;
    while (stack->is_complete && strcmp(emulated->names + stack->frame[i].file, own) != 0)
        i++;
    return stack->frame[i].line;
}

void smc_words_headline(const struct smc_emulated_run *emulated, struct smc_text *out)
{
    const size_t lead = find_lead(emulated);
    if (lead == emulated->finding_count)
        return;
    const struct smc_run_finding *found = &emulated->finding[lead];
    const char *name =
        smc_finding_is_race(&found->finding) ? "race" : smc_finding_name(found->finding.kind);
    const uint32_t line = find_own_line(emulated, &found->stack);
    for (; *name; name++)
        smc_text_append_char(out, *name == '_' ? ' ' : (char)toupper((unsigned char)*name), 1);
    if (found->finding.array[0])
        smc_text_printf(out, " on %s", found->finding.array);
    if (line > 0)
        smc_text_printf(out, ", line %" PRIu32, line);
    smc_text_append(out, "; ");
}

void smc_words_findings(const struct smc_emulated_run *emulated, struct smc_text *out)
{
    uint64_t findings = emulated->findings_total;
    size_t places = 0;
    for (size_t i = 0; i < emulated->finding_count; i++)
        places += !emulated->finding[i].finding.is_note;
    const size_t notes = emulated->finding_count - places;
    if (findings == 0)
        smc_text_append(out, "no findings");
    else
        smc_text_printf(out, "%" PRIu64 " finding%s in %zu place%s", findings,
                        smc_text_plural(findings), places, smc_text_plural(places));
    if (notes > 0)
        smc_text_printf(out, ", %zu note%s", notes, smc_text_plural(notes));
}

/* "the results, an address and a branch". */
static void append_reached(const struct smc_fidelity *fidelity, struct smc_text *out)
{
    const char *reached[3];
    size_t count = 0;
    if (fidelity->reaches_result)
        reached[count++] = "the results";
    if (fidelity->reaches_address)
        reached[count++] = "an address";
    if (fidelity->reaches_branch)
        reached[count++] = "a branch";
    smc_text_append(out, count ? "; their values may have reached "
                               : "; their values reached neither the results nor an address or a "
                                 "branch");
    for (size_t i = 0; i < count; i++)
        smc_text_printf(out, "%s%s", i == 0 ? "" : i + 1 == count ? " and " : ", ", reached[i]);
}

void smc_words_fidelity(const struct smc_fidelity *fidelity, struct smc_text *out)
{
    const uint64_t all = fidelity->exact + fidelity->approximate + fidelity->not_modelled;
    if (fidelity->approximate > 0) {
        smc_text_printf(out,
                        "%" PRIu64 " of %" PRIu64
                        " instructions of warps are approximate: a GPU may return other last bits",
                        fidelity->approximate, all);
        append_reached(fidelity, out);
    }
    if (fidelity->not_modelled > 0)
        smc_text_printf(out, "%s%" PRIu64 " have no effect here", fidelity->approximate ? "; " : "",
                        fidelity->not_modelled);
}

/* --- JSON ------------------------------------------------------------------------------------- */

static json_t *triple(const uint32_t index[3])
{
    return json_pack("[iii]", (int)index[0], (int)index[1], (int)index[2]);
}

static void add_place(json_t *object, const struct smc_emulated_run *emulated,
                      const struct smc_run_frame *frame)
{
    smc_json_known_string(object, "function", name_at(emulated, frame->function));
    smc_json_known_string(object, "file", name_at(emulated, frame->file));
    smc_json_known_integer(object, "line", frame->line);
}

/* Where an access is, and from where its function was called. */
static void add_stack(json_t *object, const struct smc_emulated_run *emulated,
                      const struct smc_run_stack *stack)
{
    const struct smc_run_frame unknown = {0};
    json_t *callers = json_array();
    add_place(object, emulated, stack->frames ? &stack->frame[0] : &unknown);
    for (size_t i = 1; i < stack->frames; i++) {
        json_t *caller = smc_json_add_object(callers);
        add_place(caller, emulated, &stack->frame[i]);
        smc_json_set(caller, "inlined", json_boolean(stack->frame[i - 1].is_inlined));
    }
    smc_json_set(object, "called_from", callers);
    smc_json_set(object, "callers_known", json_boolean(stack->is_complete));
}

/* The other access of a race; null for other findings. */
static json_t *other_side(const struct smc_emulated_run *emulated,
                          const struct smc_run_finding *found)
{
    const struct smc_finding *finding = &found->finding;
    if (!finding->has_other)
        return json_null();
    json_t *object = json_object();
    add_stack(object, emulated, &found->other_stack);
    smc_json_set(object, "block",
                 triple(finding->between_blocks ? finding->other_block : finding->block));
    smc_json_set(object, "thread", triple(finding->other_thread));
    return object;
}

static json_t *finding_object(const struct smc_emulated_run *emulated,
                              const struct smc_run_finding *found)
{
    const struct smc_finding *finding = &found->finding;
    json_t *object = json_object();
    smc_json_string(object, "kind", smc_finding_name(finding->kind));
    add_stack(object, emulated, &found->stack);
    smc_json_set(object, "block", triple(finding->block));
    smc_json_set(object, "thread", triple(finding->thread));
    smc_json_set(object, "other", other_side(emulated, found));
    smc_json_known_string(object, "array", finding->array);
    smc_json_integer(object, "times", finding->times);
    smc_json_string(object, "text", found->text);
    return object;
}

json_t *smc_json_fidelity(const struct smc_fidelity *fidelity)
{
    json_t *object = json_object();
    smc_json_integer(object, "exact", fidelity->exact);
    smc_json_integer(object, "approximate", fidelity->approximate);
    smc_json_integer(object, "not_modelled", fidelity->not_modelled);
    smc_json_set(object, "reaches_result", json_boolean(fidelity->reaches_result));
    smc_json_set(object, "reaches_address", json_boolean(fidelity->reaches_address));
    smc_json_set(object, "reaches_branch", json_boolean(fidelity->reaches_branch));
    return object;
}

json_t *smc_json_findings(const struct smc_emulated_run *emulated)
{
    json_t *list = json_array();
    for (size_t i = 0; i < emulated->finding_count; i++)
        json_array_append_new(list, finding_object(emulated, &emulated->finding[i]));
    return list;
}

void smc_json_sanitized(const struct smc_sanitized *runs, size_t count, struct smc_text *out)
{
    json_t *root = smc_json_begin(), *kernels = json_array();
    for (size_t i = 0; i < count; i++) {
        json_t *object = json_object();
        smc_json_string(object, "kernel", runs[i].kernel);
        smc_json_string(object, "file", runs[i].file);
        smc_json_string(object, "device", runs[i].device);
        smc_json_set(object, "finished", json_boolean(!smc_is_lost(&runs[i].emulated->finish)));
        smc_json_integer(object, "findings_total", runs[i].emulated->findings_total);
        smc_json_set(object, "findings", smc_json_findings(runs[i].emulated));
        json_array_append_new(kernels, object);
    }
    smc_json_set(root, "kernels", kernels);
    smc_json_finish(root, out);
}

/* --- As findings of a check ------------------------------------------------------------------- */

enum { THREAD_CHARS = 96 };

static void word_thread(const uint32_t block[3], const uint32_t thread[3], char text[THREAD_CHARS])
{
    snprintf(text, THREAD_CHARS, "block (%u,%u,%u), thread (%u,%u,%u)", block[0], block[1],
             block[2], thread[0], thread[1], thread[2]);
}

/* The path of an access, whose places point into `place` and `emulated`. */
static struct smc_check_path path_of(const struct smc_sanitized *run,
                                     const struct smc_run_stack *stack,
                                     struct smc_check_place place[SMC_MAX_FRAMES], char *thread)
{
    for (size_t i = 0; i < stack->frames; i++) {
        const struct smc_run_frame *frame = &stack->frame[i];
        place[i] = (struct smc_check_place){
            .file = (char *)name_at(run->emulated, frame->file),
            .line = frame->line,
            .function = (char *)name_at(run->emulated, frame->function),
        };
    }
    return (struct smc_check_path){.thread = thread, .place = place, .places = stack->frames};
}

/* The innermost place outside the CUDA Toolkit, whose headers no annotation reaches; the access if
   there is none. */
static size_t find_own_place(const struct smc_check_path *path)
{
    size_t i = 0;
    while (i < path->places && smc_source_is_of_toolkit(path->place[i].file))
        i++;
    return i < path->places && path->place[i].line > 0 ? i : 0;
}

/* What distinguishes findings of one kind in one kernel, whatever their lines: the array and the
   functions of the accesses. */
static void append_subject(const struct smc_finding *finding, const struct smc_check_path *path,
                           size_t paths, struct smc_text *out)
{
    smc_text_append(out, finding->array);
    for (size_t k = 0; k < paths; k++)
        for (size_t i = 0; i < path[k].places; i++)
            smc_text_printf(out, "%c%s", i ? ' ' : '\n', path[k].place[i].function);
}

static bool add_finding(const struct smc_sanitized *run, const struct smc_run_finding *found,
                        struct smc_findings *findings)
{
    const struct smc_finding *finding = &found->finding;
    const uint32_t *other = finding->between_blocks ? finding->other_block : finding->block;
    struct smc_check_place places[2][SMC_MAX_FRAMES];
    char thread[2][THREAD_CHARS];
    word_thread(finding->block, finding->thread, thread[0]);
    word_thread(other, finding->other_thread, thread[1]);
    struct smc_check_path path[2] = {path_of(run, &found->stack, places[0], thread[0]),
                                     path_of(run, &found->other_stack, places[1], thread[1])};
    size_t paths = finding->has_other ? 2 : 1;
    const char *what = strstr(found->text, ": "); /* after the place */
    const size_t own = find_own_place(&path[0]);
    const struct smc_check_place *place = &places[0][own];
    bool has_place = path[0].places > 0 && place->file[0] && place->line > 0;
    smc_auto_text message = {0}, subject = {0};
    smc_text_append(&message,
                    has_place && what
                        ? what + 2
                        : found->text); /* without a place the text begins "PTX line 9: " */
    if (says_more(&found->stack) || (paths > 1 && says_more(&found->other_stack)))
        smc_text_append(&message, "; ");
    append_stacks(run->emulated, found, "; ", own > 0, &message);
    append_subject(finding, path, paths, &subject);
    return !message.failed && !subject.failed &&
           smc_findings_add(findings,
                            &(struct smc_check_finding){
                                .rule = smc_finding_name(finding->kind),
                                .level = finding->is_note ? SMC_FINDING_NOTE : SMC_FINDING_ERROR,
                                .file = has_place ? place->file : (char *)run->file,
                                .line = has_place ? place->line : 0,
                                .kernel = (char *)run->kernel,
                                .device = (char *)run->device,
                                .message = (char *)smc_text_string(&message),
                                .subject = (char *)smc_text_string(&subject),
                                .path = path,
                                .paths = paths,
                            });
}

/* Without it, a kernel in which nothing was found would have passed. */
static bool add_unfinished(const struct smc_sanitized *run, struct smc_findings *findings)
{
    return smc_findings_add(findings, &(struct smc_check_finding){
                                          .rule = smc_check_rules[SMC_CHECK_NOT_FINISHED].name,
                                          .level = SMC_FINDING_ERROR,
                                          .file = (char *)run->file,
                                          .kernel = (char *)run->kernel,
                                          .device = (char *)run->device,
                                          .message = (char *)run->emulated->finish.message,
                                          .subject = (char *)"",
                                      });
}

bool smc_findings_of_run(const struct smc_sanitized *run, struct smc_findings *findings)
{
    bool added = !smc_is_lost(&run->emulated->finish) || add_unfinished(run, findings);
    for (size_t i = 0; added && i < run->emulated->finding_count; i++)
        added = add_finding(run, &run->emulated->finding[i], findings);
    return added;
}
