/* The accesses of a file's kernel to shared memory and their bank conflicts, found without running
   it: as text, JSON and CSV. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report/banks.h"
#include "report/csv_parts.h"
#include "report/fields.h"
#include "report/json_parts.h"
#include "report/layout.h"
#include "report/text_parts.h"
#include "report/words.h"

/* --- Fields ----------------------------------------------------------------------------------- */

struct row {
    const struct smc_kernel_banks *banks;
    const struct smc_bank_access *access;
};

/* The numbers of an access that was followed at least in part. */
static bool is_counted(const struct smc_bank_access *access)
{
    return access->verdict == SMC_BANK_KNOWN || access->verdict == SMC_BANK_IF_ALL_ACTIVE ||
           access->verdict == SMC_BANK_DEPENDS;
}

static struct smc_value count_of(const struct smc_bank_access *access, uint64_t count)
{
    return smc_value_if(is_counted(access), smc_value_integer(count));
}

static struct smc_value remedy_of(bool found, const struct smc_rearrangement *remedy)
{
    struct smc_text words = {0};
    if (found)
        smc_words_rearrangement(remedy, &words);
    struct smc_value value =
        smc_value_json(found && !words.failed ? json_string(words.data) : json_null());
    smc_text_free(&words);
    return value;
}

#define ITEM struct row
#define ROW_FIELDS(FIELD)                                                                          \
    FIELD(kernel, NULL, "kernel", "", "the kernel's name",                                         \
          smc_value_text(item->banks->query->file_kernel->name))                                   \
    FIELD(device, NULL, "device", "", "the device",                                                \
          smc_value_text(item->banks->query->device.name))                                         \
    FIELD(file, "file", "file", "", "the source, if the PTX has a line table",                     \
          smc_value_string(item->access->file))                                                    \
    FIELD(line, "line", "line", "", "the line in it", smc_value_known(item->access->line))         \
    FIELD(ptx_line, "ptx_line", "ptx_line", "", "the line in the PTX",                             \
          smc_value_integer(item->access->ptx_line))                                               \
    FIELD(operation, "operation", "operation", "", "such as ld.shared.f32",                        \
          smc_value_string(item->access->operation))                                               \
    FIELD(width, "width_bytes", "width", "bytes", "what each lane accesses",                       \
          smc_value_integer(item->access->width_bytes))                                            \
    FIELD(array, "array", "array", "", "the shared variable",                                      \
          smc_value_string(item->access->array))                                                   \
    FIELD(verdict, "verdict", "verdict", "", "whether it could be followed",                       \
          smc_value_text(smc_bank_verdict_name(item->access->verdict)))                            \
    FIELD(reason, "reason", "reason", "", "why not", smc_value_string(item->access->reason))       \
    FIELD(executions, "executions", "executions", "", "by the warps of a block",                   \
          count_of(item->access, item->access->executions))                                        \
    FIELD(wavefronts, "wavefronts", "wavefronts", "", "of these executions",                       \
          count_of(item->access, item->access->wavefronts))                                        \
    FIELD(conflicts, "conflicts", "conflicts", "", "wavefronts above the least possible",          \
          count_of(item->access, item->access->wavefronts - item->access->least))                  \
    FIELD(most, "most_conflicts", "most_conflicts", "", "of one execution",                        \
          count_of(item->access, item->access->most_conflicts))                                    \
    FIELD(stride, "stride_bytes", "stride", "bytes", "between neighbouring lanes",                 \
          smc_value_if(item->access->has_stride,                                                   \
                       smc_value_real((double)item->access->stride_bytes)))                        \
    FIELD(padding, "padding", NULL, "", "the padding that removes the conflicts",                  \
          remedy_of(item->access->has_padding, &item->access->padding))                            \
    FIELD(swizzle, "swizzle", NULL, "", "the swizzle that removes the conflicts",                  \
          remedy_of(item->access->has_swizzle, &item->access->swizzle))
SMC_FIELD_TABLE(row_fields, ROW_FIELDS)
#undef ITEM

const struct smc_field_table smc_bank_accesses_tables[] = {
    {"bank_accesses", row_fields},
    {NULL, NULL},
};

/* --- Text ------------------------------------------------------------------------------------- */

enum { SOURCE_CHARS = 22, OPERATION_CHARS = 20, REMARK_INDENT = 4 };

static size_t count_conflicting(const struct smc_bank_accesses *accesses)
{
    size_t conflicting = 0;
    for (size_t i = 0; i < accesses->count; i++)
        conflicting += is_counted(&accesses->item[i]) &&
                       accesses->item[i].wavefronts > accesses->item[i].least;
    return conflicting;
}

/* "transpose: 248 bank conflicts per block, in 1 of 2 accesses to shared memory". */
static void append_verdict(const struct smc_kernel_banks *banks,
                           const struct smc_report_style *style, struct smc_text *out)
{
    const struct smc_bank_accesses *accesses = banks->accesses;
    const size_t unknown = accesses->counted - accesses->followed;
    uint64_t conflicts = accesses->wavefronts - accesses->least;
    struct smc_text line = {0};
    smc_text_printf(&line, "%s: ", banks->query->file_kernel->short_name);
    if (accesses->count == 0)
        smc_text_append(&line, "no access to shared memory");
    else if (accesses->followed == 0)
        smc_text_append(&line, "no access to shared memory could be followed");
    else if (conflicts == 0)
        smc_text_printf(&line, "no bank conflict in %zu access%s to shared memory",
                        accesses->followed, accesses->followed == 1 ? "" : "es");
    else
        smc_text_printf(&line,
                        "%s%" PRIu64 " bank conflict%s per block, in %zu of %zu access%s to shared "
                        "memory",
                        accesses->counts_are_exact ? "" : "at least ", conflicts,
                        smc_text_plural(conflicts), count_conflicting(accesses), accesses->count,
                        accesses->count == 1 ? "" : "es");
    if (accesses->followed > 0 && accesses->counted > accesses->followed)
        smc_text_printf(&line, "; %zu could not be followed", unknown);
    smc_layout_verdict(out, style, conflicts ? SMC_BAD : SMC_GOOD, &line);
    smc_text_append_char(out, '\n', 1);
}

static void append_block(const struct smc_kernel_banks *banks, const struct smc_report_style *style,
                         struct smc_text *out)
{
    const struct smc_bank_accesses *accesses = banks->accesses;
    const uint32_t *block = accesses->block;
    struct smc_text line = {0};
    smc_text_printf(&line, "%ux%ux%u: %u warp%s", block[0], block[1], block[2], accesses->warps,
                    smc_text_plural(accesses->warps));
    smc_text_append(&line, banks->block_source);
    smc_layout_line(out, style, "block", &line);
}

/* What the row cannot hold: the lanes' distance, the remedy, or why there are no numbers. */
static void append_remark(const struct smc_bank_access *access,
                          const struct smc_report_style *style, struct smc_text *out)
{
    struct smc_text remark = {0};
    if (access->verdict != SMC_BANK_KNOWN)
        smc_text_append(&remark,
                        access->reason ? access->reason : smc_bank_verdict_words(access->verdict));
    if (is_counted(access) && access->most_conflicts > 0) {
        if (access->has_stride)
            smc_text_printf(&remark, "%slanes are %" PRId64 SMC_TIE "B apart",
                            remark.length ? "; " : "", access->stride_bytes);
        if (access->has_padding || access->has_swizzle) {
            smc_text_append(&remark, remark.length ? "; " : "");
            smc_words_rearrangement(access->has_padding ? &access->padding : &access->swizzle,
                                    &remark);
        }
    }
    if (remark.length)
        smc_layout_paragraph(out, "", REMARK_INDENT, smc_text_string(&remark), style->columns);
    out->failed |= remark.failed;
    smc_text_free(&remark);
}

/* "x.cu:12", the end of a long path; without a line table the line of the PTX. */
static void append_source(const struct smc_bank_access *access, struct smc_text *line)
{
    char source[512];
    if (access->file && access->line)
        snprintf(source, sizeof source, "%.480s:%" PRIu32, access->file, access->line);
    else
        snprintf(source, sizeof source, "PTX:%" PRIu32, access->ptx_line);
    size_t length = strlen(source);
    const char *end = length > SOURCE_CHARS ? source + length - SOURCE_CHARS : source;
    smc_text_printf(line, "%-*s", SOURCE_CHARS, end);
}

static void append_access(const struct smc_bank_access *access,
                          const struct smc_report_style *style, struct smc_text *out)
{
    struct smc_text line = {0};
    bool conflicts = is_counted(access) && access->wavefronts > access->least;
    append_source(access, &line);
    smc_text_printf(&line, " %-*.*s", OPERATION_CHARS, OPERATION_CHARS, access->operation);
    if (is_counted(access))
        smc_text_printf(&line, " %10" PRIu64 " %10" PRIu64 " %10" PRIu64, access->executions,
                        access->wavefronts, access->wavefronts - access->least);
    else
        smc_text_printf(&line, " %10s %10s %10s", "-", "-", "-");
    smc_layout_begin(out, style, conflicts ? SMC_BAD : SMC_PLAIN);
    smc_layout_row(out, &line);
    smc_layout_end(out, style);
    append_remark(access, style, out);
}

void smc_text_kernel_banks(const struct smc_kernel_banks *banks,
                           const struct smc_report_style *style, struct smc_text *out)
{
    const struct smc_answer answer = {.query = *banks->query};
    const struct smc_bank_accesses *accesses = banks->accesses;
    append_verdict(banks, style, out);
    smc_text_kernel_line(&answer, style, out);
    append_block(banks, style, out);
    smc_text_device_line(&answer, style, out);
    if (accesses->count == 0)
        return;
    smc_text_printf(out, "\n%-*s %-*s %10s %10s %10s\n", SOURCE_CHARS, "line", OPERATION_CHARS,
                    "access", "executions", "wavefronts", "conflicts");
    for (size_t i = 0; i < accesses->count; i++)
        append_access(&accesses->item[i], style, out);
    smc_text_append_char(out, '\n', 1);
    smc_layout_paragraph(out, "", 0,
                         "Of one block, found in the PTX without running it; ptxas may join "
                         "neighbouring scalar accesses into wider ones.",
                         style->columns);
}

/* --- JSON and CSV ----------------------------------------------------------------------------- */

void smc_json_kernel_banks(json_t *object, const struct smc_kernel_banks *banks)
{
    const struct smc_bank_accesses *accesses = banks->accesses;
    json_t *summary = json_object(), *block = json_array(), *list = json_array();
    for (int i = 0; i < 3; i++)
        json_array_append_new(block, json_integer(accesses->block[i]));
    for (size_t i = 0; i < accesses->count; i++) {
        const struct row row = {banks, &accesses->item[i]};
        json_array_append_new(list, smc_fields_object(row_fields, &row));
    }
    smc_json_set(object, "device", smc_json_device(&banks->query->device));
    smc_json_string(summary, "kernel", banks->query->file_kernel->name);
    smc_json_string(summary, "file", banks->query->file_kernel->file);
    smc_json_set(summary, "block", block);
    smc_json_integer(summary, "warps_per_block", accesses->warps);
    smc_json_integer(summary, "wavefronts", accesses->wavefronts);
    smc_json_integer(summary, "conflicts", accesses->wavefronts - accesses->least);
    smc_json_integer(summary, "followed", accesses->followed);
    smc_json_set(summary, "exact", json_boolean(accesses->counts_are_exact));
    smc_json_set(object, "banks", summary);
    smc_json_set(object, "accesses", list);
}

void smc_csv_kernel_banks(const struct smc_kernel_banks *banks,
                          const struct smc_report_style *style, struct smc_text *out)
{
    (void)style;
    smc_fields_csv_head(row_fields, out);
    for (size_t i = 0; i < banks->accesses->count; i++) {
        const struct row row = {banks, &banks->accesses->item[i]};
        smc_fields_csv_row(row_fields, &row, out);
    }
}
