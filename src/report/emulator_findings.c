/* What the emulator found in a kernel: as text and as JSON. */
#include "report/emulator_findings.h"

#include <inttypes.h>
#include <string.h>

#include "report/json_parts.h"
#include "report/layout.h"

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

static void append_name(const char *name, struct smc_text *out)
{
    smc_text_append(out, name[0] ? name : "an unknown function");
}

/* "in deep, called from outer at sum.cu:9, from kernel at sum.cu:24". */
static void append_stack(const struct smc_emulated_run *emulated, const struct smc_run_stack *stack,
                         struct smc_text *out)
{
    for (size_t i = 0; i < stack->frames; i++) {
        const struct smc_run_frame *frame = &stack->frame[i];
        const char *file = name_at(emulated, frame->file), *slash = strrchr(file, '/');
        smc_text_append(out, i == 0 ? "in " : i == 1 ? ", called from " : ", from ");
        append_name(name_at(emulated, frame->function), out);
        if (i > 0 && frame->line > 0)
            smc_text_printf(out, " at %s:%u", slash ? slash + 1 : file, frame->line);
    }
    if (stack->frames > 1 && !stack->is_complete)
        smc_text_append(out, ", from ...");
}

static void append_stacks(const struct smc_emulated_run *emulated,
                          const struct smc_run_finding *found, const char *between,
                          struct smc_text *out)
{
    bool has_first = says_more(&found->stack);
    if (has_first)
        append_stack(emulated, &found->stack, out);
    if (!found->finding.has_other || !says_more(&found->other_stack))
        return;
    smc_text_printf(out, "%sthe other access ", has_first ? between : "");
    append_stack(emulated, &found->other_stack, out);
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

void smc_text_findings(const struct smc_emulated_run *emulated,
                       const struct smc_report_style *style, struct smc_text *out)
{
    for (size_t i = 0; i < emulated->finding_count; i++) {
        struct smc_text stacks = {0};
        smc_layout_paragraph(out, "", 4, emulated->finding[i].text, style->columns);
        append_stacks(emulated, &emulated->finding[i], "; ", &stacks);
        if (stacks.length > 0)
            smc_layout_paragraph(out, "", 8, smc_text_string(&stacks), style->columns);
        out->failed |= stacks.failed;
        smc_text_free(&stacks);
    }
}

void smc_words_findings(const struct smc_emulated_run *emulated, struct smc_text *out)
{
    uint64_t findings = emulated->findings_total;
    if (findings == 0)
        smc_text_append(out, "no findings");
    else
        smc_text_printf(out, "%" PRIu64 " finding%s in %zu place%s", findings,
                        smc_text_plural(findings), emulated->finding_count,
                        smc_text_plural(emulated->finding_count));
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
        json_t *caller = json_object();
        add_place(caller, emulated, &stack->frame[i]);
        smc_json_set(caller, "inlined", json_boolean(stack->frame[i - 1].is_inlined));
        json_array_append_new(callers, caller);
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

json_t *smc_json_findings(const struct smc_emulated_run *emulated)
{
    json_t *list = json_array();
    for (size_t i = 0; i < emulated->finding_count; i++)
        json_array_append_new(list, finding_object(emulated, &emulated->finding[i]));
    return list;
}
