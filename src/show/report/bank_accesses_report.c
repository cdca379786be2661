/* The bank conflicts that were found in a kernel's PTX without running it: in a line, as a table,
   JSON and CSV. */

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "show/report/banks_report.h"
#include "show/report/text_table.h"
#include "show/report/writers.h"

/* --- Words ------------------------------------------------------------------------------------ */

enum { MOST_CALLEES = 3 };

static void append_place(const struct smc_bank_access *access, struct smc_text *out)
{
    if (access->file)
        smc_text_printf(out, "%s:%u", smc_last_part(access->file), access->line);
    else
        smc_text_printf(out, "PTX line %u", access->ptx_line);
}

static const char *bank_accesses_kind_of(const struct smc_bank_access *access)
{
    static const char *const others[] = {
        [SMC_BANK_BY_CALL] = "call",
        [SMC_BANK_BY_DESCRIPTOR] = "wgmma",
        [SMC_BANK_BY_ENGINE] = "copy engine",
        [SMC_BANK_BY_UNKNOWN] = "unknown",
    };
    const bool is_atomic = access->verdict == SMC_BANK_ATOMIC ||
                           (access->op >= SMC_BANK_ATOM && access->op <= SMC_BANK_RED_ONE);
    return access->kind != SMC_BANK_BY_LANES ? others[access->kind]
           : is_atomic                       ? "atomic"
                                             : smc_words_bank_op(access->op);
}

/* ": pad each row ...", after something else; `all`: or how to swap columns. */
static void bank_accesses_append_remedy(const struct smc_bank_access *access, bool all,
                                        struct smc_text *out)
{
    smc_auto_text advice = {0};
    if (access->advice)
        smc_words_array_advice(access->advice, true, all || !access->advice->layout.has_padding,
                               &advice);
    if (advice.length)
        smc_text_printf(out, "%s%s", out->length ? ": " : "", smc_text_string(&advice));
}

static void bank_accesses_append_worst(const struct smc_bank_access *access, struct smc_text *out)
{
    smc_text_printf(out, "%u bank conflict%s per warp at ", access->most_conflicts,
                    smc_text_plural(access->most_conflicts));
    append_place(access, out);
    smc_text_printf(out, ", a %s", bank_accesses_kind_of(access));
    if (access->has_stride)
        smc_text_printf(out, " with a stride of %" PRId64 SMC_TIE "B", access->stride_bytes);
    if (access->verdict == SMC_BANK_IF_ALL_ACTIVE)
        smc_text_append(out, " (if all lanes are active)");
    bank_accesses_append_remedy(access, false, out);
}

/* ", 2 of them calls of get, put". */
static void append_callees(const struct smc_bank_accesses *accesses, struct smc_text *out)
{
    size_t named = 0;
    if (accesses->calls == 0)
        return;
    smc_text_printf(out, ", %zu of them %s", accesses->calls,
                    accesses->calls == 1 ? "a call" : "calls");
    for (size_t i = 0; i < accesses->count; i++) {
        const char *callee = accesses->item[i].callee;
        bool again = accesses->item[i].verdict != SMC_BANK_NOT_FOLLOWED;
        for (size_t k = 0; k < i && callee; k++)
            again |= accesses->item[k].callee && strcmp(accesses->item[k].callee, callee) == 0;
        if (callee && !again && named < MOST_CALLEES)
            smc_text_printf(out, "%s%s", named++ ? ", " : " of ", callee);
    }
}

void smc_words_bank_accesses(const struct smc_bank_accesses *accesses, struct smc_text *out)
{
    size_t missing = accesses->counted - accesses->followed;
    if (accesses->count == 0)
        return;
    if (accesses->worst < accesses->count)
        bank_accesses_append_worst(&accesses->item[accesses->worst], out);
    else if (accesses->followed > 0)
        smc_text_printf(out, "no bank conflicts in %zu access%s", accesses->followed,
                        accesses->followed == 1 ? "" : "es");
    else if (accesses->counted == 0)
        smc_text_append(out, "shared memory is accessed by atomics alone");
    if (missing > 0)
        smc_text_printf(out, "%s%zu of %zu accesses to shared memory cannot be followed",
                        accesses->followed ? "; " : "", missing, accesses->counted);
    append_callees(accesses, out);
}

/* --- Text ------------------------------------------------------------------------------------- */

enum { REMARK_INDENT = 6 };

/* Accesses that one row shows: unrolled copies of one line. */
static bool is_alike(const struct smc_bank_access *a, const struct smc_bank_access *b)
{
    bool same_file = a->file == b->file || (a->file && b->file && strcmp(a->file, b->file) == 0);
    return a->line > 0 && a->line == b->line && same_file && a->verdict == b->verdict &&
           a->op == b->op && a->width_bytes == b->width_bytes &&
           a->most_conflicts == b->most_conflicts && a->fewest_conflicts == b->fewest_conflicts &&
           a->advice == b->advice && a->kind == b->kind;
}

static bool is_first(const struct smc_bank_accesses *accesses, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (is_alike(&accesses->item[k], &accesses->item[i]))
            return false;
    return true;
}

static size_t count_alike(const struct smc_bank_accesses *accesses, size_t i)
{
    size_t count = 0;
    for (size_t k = i; k < accesses->count; k++)
        count += is_alike(&accesses->item[i], &accesses->item[k]) || k == i;
    return count;
}

static const struct smc_text_column access_columns[] = {
    {"place", 2, -22, false},
    {"access", 1, -14, false},
    {"PTX", 0, 5, false},
    {"wavefronts", 0, 11, false},
    {"conflicts", 0, 10, false},
    {"worst", 0, 7, false},
    {0},
};

static void bank_accesses_append_row(const struct smc_bank_access *access, size_t alike,
                                     struct smc_text *out)
{
    const double executions = (double)access->executions;
    const double numbers[] = {(double)access->wavefronts / executions,
                              (double)(access->wavefronts - access->least) / executions,
                              access->most_conflicts};
    struct smc_text row = {0}, place = {0};
    struct smc_cells cells = {access_columns, &row};
    append_place(access, &place);
    smc_cells_text(&cells, &place);
    if (access->kind == SMC_BANK_BY_LANES)
        smc_cells_printf(&cells, "%s %u B", bank_accesses_kind_of(access), access->width_bytes);
    else
        smc_cells_add(&cells, bank_accesses_kind_of(access));
    smc_cells_printf(&cells, "%zu", alike);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (access->executions > 0)
            smc_cells_printf(&cells, "%.*f", numbers[i] == (double)(uint64_t)numbers[i] ? 0 : 1,
                             numbers[i]);
        else
            smc_cells_add(&cells, "-");
    smc_layout_row(out, &row);
}

static void bank_accesses_append_remark(const struct smc_bank_access *access, struct smc_text *out)
{
    smc_auto_text line = {0};
    if (access->verdict != SMC_BANK_KNOWN)
        smc_text_append(&line, smc_bank_verdict_words(access->verdict));
    if (access->reason)
        smc_text_printf(&line, ": %s", access->reason);
    if (access->most_conflicts > 0 && access->has_stride)
        smc_text_printf(&line, "%sstride %" PRId64 SMC_TIE "B", line.length ? "; " : "",
                        access->stride_bytes);
    if (access->most_conflicts > 0)
        bank_accesses_append_remedy(access, true, &line);
    if (line.length > 0)
        smc_layout_paragraph(out, "", REMARK_INDENT, smc_text_string(&line), out->style->columns);
}

static void append_sums(const struct smc_bank_accesses *accesses, struct smc_text *out)
{
    smc_auto_text line = {0};
    smc_text_append_char(out, '\n', 1);
    smc_text_printf(&line, "%zu of %zu accesses followed", accesses->followed, accesses->counted);
    if (accesses->count > accesses->counted)
        smc_text_printf(&line, ", besides %zu atomic%s", accesses->count - accesses->counted,
                        smc_text_plural(accesses->count - accesses->counted));
    if (accesses->executions > 0)
        smc_text_printf(&line, "; %s %" PRIu64 " wavefronts, %" PRIu64 " of them bank conflicts",
                        accesses->counts_are_exact && accesses->followed == accesses->counted
                            ? "one block takes"
                            : "in what was followed",
                        accesses->wavefronts, accesses->wavefronts - accesses->least);
    smc_text_append(&line, ". Wavefronts and conflicts are those of one warp on average, as the "
                           "PTX has the accesses: ptxas may join loads.");
    smc_layout_paragraph(out, "", 0, smc_text_string(&line), out->style->columns);
}

/* A row for each place in the source, with its reason or remedy. */
static void bank_accesses_append_table(const char *kernel, const struct smc_bank_accesses *accesses,
                                       struct smc_text *out)
{
    struct smc_text line = {0};
    const uint32_t *block = accesses->block;
    smc_text_printf(&line, "%s, block %ux%ux%u", kernel, block[0], block[1], block[2]);
    smc_layout_verdict(out, SMC_STRONG, &line);
    if (accesses->count == 0) {
        smc_text_append(out, "  no access to shared memory\n");
        return;
    }
    smc_text_append_char(out, '\n', 1);
    smc_cells_headings((struct smc_cells){access_columns, out});
    for (size_t i = 0; i < accesses->count; i++) {
        if (!is_first(accesses, i))
            continue;
        bank_accesses_append_row(&accesses->item[i], count_alike(accesses, i), out);
        bank_accesses_append_remark(&accesses->item[i], out);
    }
    append_sums(accesses, out);
}

/* --- Fields ----------------------------------------------------------------------------------- */

struct bank_accesses_row {
    const char *kernel;
    const struct smc_bank_access *access;
};

static struct smc_value remedy_of(const struct smc_bank_access *access, bool padding)
{
    smc_auto_text text = {0};
    if (access->advice && !access->advice->layout.is_hopeless)
        smc_words_array_advice(access->advice, padding, !padding, &text);
    struct smc_value value =
        smc_value_json(text.length ? json_string(smc_text_string(&text)) : json_null());
    return value;
}

static struct smc_value bank_accesses_counted(const struct smc_bank_access *access, uint64_t count)
{
    return SMC_VALUE_IF(access->executions > 0, count);
}

#define ACCESS_FIELDS(FIELD)                                                                       \
    FIELD(NULL, "kernel", "", "its name", smc_value_text(item->kernel))                            \
    FIELD("file", "file", "", "of the source", item->access->file)                                 \
    FIELD("line", "line", "", "in the source", smc_value_known(item->access->line))                \
    FIELD("ptx_line", "ptx_line", "", "in the PTX", item->access->ptx_line)                        \
    FIELD("operation", "operation", "", "the instruction", item->access->operation)                \
    FIELD("kind", "kind", "", "load, store, atomic, call, wgmma, copy engine or unknown",          \
          bank_accesses_kind_of(item->access))                                                     \
    FIELD("width_bytes", "width_bytes", "bytes", "of one lane",                                    \
          smc_value_known(item->access->width_bytes))                                              \
    FIELD("array", "array", "", "the shared variable", item->access->array)                        \
    FIELD("callee", "callee", "", "the function that is called", item->access->callee)             \
    FIELD("verdict", "verdict", "", "what is known", smc_bank_verdict_name(item->access->verdict)) \
    FIELD("reason", "reason", "", "why it is not known", item->access->reason)                     \
    FIELD("executions", "executions", "", "by warps, as far as followed",                          \
          bank_accesses_counted(item->access, item->access->executions))                           \
    FIELD("wavefronts", "wavefronts", "", "of these",                                              \
          bank_accesses_counted(item->access, item->access->wavefronts))                           \
    FIELD("bank_conflicts", "bank_conflicts", "", "wavefronts above the least possible",           \
          bank_accesses_counted(item->access, item->access->wavefronts - item->access->least))     \
    FIELD("fewest_conflicts", "fewest_conflicts", "", "of one execution",                          \
          bank_accesses_counted(item->access, item->access->fewest_conflicts))                     \
    FIELD("most_conflicts", "most_conflicts", "", "of one execution",                              \
          bank_accesses_counted(item->access, item->access->most_conflicts))                       \
    FIELD("stride_bytes", "stride_bytes", "bytes", "between neighbouring lanes",                   \
          SMC_VALUE_IF(item->access->has_stride, (uint64_t)item->access->stride_bytes))            \
    FIELD("padding", NULL, "", "a padding without conflicts", remedy_of(item->access, true))       \
    FIELD("swizzle", NULL, "", "a swizzle without conflicts", remedy_of(item->access, false))
SMC_FIELD_TABLE(access_fields, struct bank_accesses_row, ACCESS_FIELDS)

const struct smc_field_table smc_bank_accesses_tables[] = {
    {"bank_accesses", &access_fields},
    {NULL, NULL},
};

json_t *smc_json_bank_accesses(const struct smc_bank_accesses *accesses)
{
    if (!accesses)
        return json_null();
    json_t *object = json_object(), *list = json_array(), *block = json_array();
    for (int i = 0; i < 3; i++)
        json_array_append_new(block, json_integer(accesses->block[i]));
    smc_json_set(object, "block", block);
    smc_json_set(object, "exact_counts", json_boolean(accesses->counts_are_exact));
    smc_json_integer(object, "counted", accesses->counted);
    smc_json_integer(object, "followed", accesses->followed);
    smc_json_integer(object, "executions", accesses->executions);
    smc_json_integer(object, "wavefronts", accesses->wavefronts);
    smc_json_integer(object, "bank_conflicts", accesses->wavefronts - accesses->least);
    for (size_t i = 0; i < accesses->count; i++) {
        const struct bank_accesses_row row = {"", &accesses->item[i]};
        json_array_append_new(list, smc_fields_object(&access_fields, &row));
    }
    smc_json_set(object, "accesses", list);
    return object;
}

/* --- The answer of smemcalc banks FILE -------------------------------------------------------- */

void smc_text_kernel_banks(const struct smc_kernel_banks *banks, struct smc_text *out)
{
    const struct smc_answer answer = {.query = *banks->query};
    const struct smc_bank_accesses *accesses = banks->accesses;
    struct smc_text line = {0};
    smc_text_printf(&line, "%s: ", banks->query->file_kernel->short_name);
    if (accesses->count == 0)
        smc_text_append(&line, "no access to shared memory");
    smc_words_bank_accesses(accesses, &line);
    smc_layout_verdict(out, accesses->worst < accesses->count ? SMC_BAD : SMC_GOOD, &line);
    smc_text_append_char(out, '\n', 1);
    smc_text_kernel_line(&answer, out);
    const uint32_t *block = banks->accesses->block;
    smc_layout_say(out, "block", "%ux%ux%u, %u warp%s%s", block[0], block[1], block[2],
                   banks->accesses->warps, smc_text_plural(banks->accesses->warps),
                   banks->block_source);
    smc_text_device_line(&answer, out);
    if (banks->accesses->count == 0)
        return;
    smc_text_append_char(out, '\n', 1);
    bank_accesses_append_table(banks->query->file_kernel->short_name, banks->accesses, out);
}

void smc_json_kernel_banks(json_t *object, const struct smc_kernel_banks *banks)
{
    json_t *kernel = json_object();
    smc_json_set(object, "device", smc_json_device(&banks->query->device));
    smc_json_string(kernel, "name", banks->query->file_kernel->name);
    smc_json_string(kernel, "file", banks->query->file_kernel->file);
    smc_json_set(object, "kernel", kernel);
    smc_json_set(object, "banks", smc_json_bank_accesses(banks->accesses));
}

void smc_csv_kernel_banks(const struct smc_kernel_banks *banks, struct smc_text *out)
{
    smc_fields_csv_head(&access_fields, out);
    for (size_t i = 0; i < banks->accesses->count; i++) {
        const struct bank_accesses_row row = {banks->query->file_kernel->name,
                                              &banks->accesses->item[i]};
        smc_fields_csv_row(&access_fields, &row, out);
    }
}
