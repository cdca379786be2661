/* The predicted time of a launch: its line of text, what would make it shorter, its arithmetic, and
   every number in JSON. */

#include <stdio.h>
#include <string.h>

#include "machine/rates.h"
#include "show/report/writers.h"

/* --- Words ------------------------------------------------------------------------------------ */

double smc_words_time_unit(double ms, const char **name)
{
    *name = ms >= 1000 ? "s" : ms >= 0.1 ? "ms" : "us";
    return ms >= 1000 ? 1e-3 : ms >= 0.1 ? 1 : 1e3;
}

/* Three digits, never as 1.2e+03. */
static void append_three_digits(double value, struct smc_text *out)
{
    int decimals = value >= 99.95 ? 0 : value >= 9.995 ? 1 : value >= 0.9995 ? 2 : 3;
    smc_text_printf(out, "%.*f", decimals, value);
}

void smc_words_time(double ms, struct smc_text *out)
{
    const char *unit;
    append_three_digits(ms * smc_words_time_unit(ms, &unit), out);
    smc_text_printf(out, SMC_TIE "%s", unit);
}

void smc_words_time_range(const struct smc_time *time, struct smc_text *out)
{
    const char *unit;
    double per_ms = smc_words_time_unit(time->predicted_ms, &unit);
    append_three_digits(time->predicted_ms * per_ms, out);
    smc_text_printf(out, SMC_TIE "%s (", unit);
    append_three_digits(time->low_ms * per_ms, out);
    smc_text_append(out, " to ");
    append_three_digits(time->high_ms * per_ms, out);
    smc_text_append(out, ")");
}

void smc_words_time_cell(double ms, char text[24])
{
    snprintf(text, 24, "-");
    if (ms > 0)
        snprintf(text, 24, "%.*f",
                 ms >= 99.95     ? 0
                 : ms >= 0.9995  ? 2
                 : ms >= 0.0995  ? 3
                 : ms >= 0.00995 ? 4
                                 : 5,
                 ms);
}

char smc_words_time_letter(enum smc_time_term term)
{
    static const char letters[SMC_TIME_TERM_COUNT] = {
        [SMC_TIME_ISSUE] = 'i',   [SMC_TIME_FMA] = 'f',     [SMC_TIME_FP64] = 'p',
        [SMC_TIME_INTEGER] = 'n', [SMC_TIME_SPECIAL] = 'u', [SMC_TIME_SHARED] = 's',
        [SMC_TIME_L1] = 'c',      [SMC_TIME_L2] = 'm',      [SMC_TIME_DRAM] = 'd',
        [SMC_TIME_LATENCY] = 'w', [SMC_TIME_LAUNCH] = 'k',  [SMC_TIME_TENSOR] = 't',
        [SMC_TIME_ATOMICS] = 'a',
    };
    return letters[term];
}

/* --- What follows from the prediction --------------------------------------------------------- */

/* Operations per second of the whole launch; 0: unknown, or it computes nothing. */
static double time_flops_per_s(const struct smc_answer *answer)
{
    return smc_time_is_known(&answer->time)
               ? smc_query_flops(answer) / answer->time.predicted_ms * 1e3
               : 0;
}

static double dram_bytes_per_s(const struct smc_time *time)
{
    return smc_time_is_known(time) ? time->dram_bytes / time->predicted_ms * 1e3 : 0;
}

/* ", 69 % of the measured FMA ceiling"; nothing for integers, or if neither is known. */
static void time_append_share(const struct smc_answer *answer, double rate, struct smc_text *out)
{
    const struct smc_query *query = &answer->query;
    const enum smc_ceiling ceiling =
        smc_query_dtype(answer) == SMC_DOUBLE ? SMC_CEILING_DOUBLE : SMC_CEILING_FLOAT;
    double most = smc_ceiling_or_peak(ceiling, &query->ceilings, &query->device);
    if (smc_query_dtype(answer) == SMC_INT32 || most <= 0)
        return;
    smc_text_printf(out, ", %.0f" SMC_TIE "%% of the %s", 100 * rate / most,
                    query->ceilings.value[ceiling] > 0 ? "measured FMA ceiling"
                                                       : "theoretical FMA peak");
}

static void append_rate(double per_s, const char *unit, struct smc_text *out)
{
    bool tera = per_s >= 999.5e9;
    append_three_digits(per_s / (tera ? 1e12 : 1e9), out);
    smc_text_printf(out, SMC_TIE "%c%s", tera ? 'T' : 'G', unit);
}

/* "46.2 TFLOP/s, 71 % of the measured FMA ceiling". */
static void append_flops(const struct smc_answer *answer, struct smc_text *out)
{
    double rate = time_flops_per_s(answer);
    if (rate <= 0)
        return;
    smc_text_append(out, "\n");
    append_rate(rate, smc_query_dtype(answer) == SMC_INT32 ? "op/s" : "FLOP/s", out);
    time_append_share(answer, rate, out);
}

static double tensor_flops_per_s(const struct smc_time *time)
{
    return time->tensor_flops / time->predicted_ms * 1e3;
}

/* "tensor cores 605 TFLOP/s, 61 % of the FP16 roof". */
static void append_tensor_share(const struct smc_time *time, struct smc_text *out)
{
    smc_text_append(out, "\ntensor cores ");
    append_rate(tensor_flops_per_s(time), time->tensor_is_integer ? "op/s" : "FLOP/s", out);
    smc_text_printf(out, ", %.0f" SMC_TIE "%% of the %s roof",
                    100 * tensor_flops_per_s(time) / time->tensor_roof_flops_per_s,
                    time->tensor_type);
}

/* Whether the rate of DRAM says more than that of operations. */
static bool moves_more(const struct smc_answer *answer)
{
    const struct smc_time *time = &answer->time;
    return time->bound_by == SMC_TIME_DRAM || time_flops_per_s(answer) <= 0 ||
           (smc_query_dtype(answer) == SMC_INT32 && time->next == SMC_TIME_DRAM);
}

/* "DRAM 3.9 TB/s, 92 % of a copy". */
static void append_bytes(const struct smc_answer *answer, struct smc_text *out)
{
    double rate = dram_bytes_per_s(&answer->time);
    double copy = answer->query.ceilings.value[SMC_CEILING_COPY];
    if (rate <= 0 || rate < 0.01 * copy)
        return;
    smc_text_append(out, "\nDRAM ");
    append_rate(rate, "B/s", out);
    if (copy > 0)
        smc_text_printf(out, ", %.0f" SMC_TIE "%% of a copy", 100 * rate / copy);
}

/* --- Text ------------------------------------------------------------------------------------- */

/* Below it the launch is not mentioned. */
static const double launch_share = 0.1;

static void time_append_prediction(const struct smc_answer *answer, struct smc_text *out)
{
    const struct smc_time *time = &answer->time;
    const double *term = time->term_ms;
    smc_words_time_range(time, out);
    smc_text_printf(out, ", bound by %s", smc_time_term_info[time->bound_by].label);
    if (term[time->next] > 0) {
        smc_text_printf(out, ", then %s (", smc_time_term_info[time->next].label);
        smc_words_time(term[time->next], out);
        smc_text_append(out, ")");
    }
    double launch = term[SMC_TIME_LAUNCH] / time->predicted_ms;
    if (time->bound_by != SMC_TIME_LAUNCH && launch >= launch_share)
        smc_text_printf(out, "\nthe launch takes %.0f" SMC_TIE "%%", 100 * launch);
    if (time->tensor_type)
        append_tensor_share(time, out);
    if (moves_more(answer))
        append_bytes(answer, out);
    else if (!time->tensor_type)
        append_flops(answer, out);
    if (time->basis == SMC_TIME_SPECIFICATIONS)
        smc_text_append(out, "\nestimated from specifications");
}

/* Of a kernel of the catalog that launches, so that a time would be expected. */
static bool is_missed(const struct smc_answer *answer)
{
    const struct smc_kernel *kernel = answer->query.kernel;
    return kernel && !kernel->is_probe && answer->outcome == SMC_LAUNCHES && answer->time.reason[0];
}

void smc_text_time_line(const struct smc_answer *answer, struct smc_text *out)
{
    struct smc_text line = {0};
    if (smc_time_is_known(&answer->time))
        time_append_prediction(answer, &line);
    smc_text_join_items(&line);
    smc_layout_line(out, "time", &line);
}

void smc_text_no_time(const struct smc_answer *answer, struct smc_text *line)
{
    if (!smc_time_is_known(&answer->time) && is_missed(answer))
        smc_text_printf(line, "not predicted: %s", answer->time.reason);
}

/* --- Text: what would make it shorter --------------------------------------------------------- */

#define BIT(term) (1u << SMC_TIME_##term)

enum {
    MEMORY_TERMS =
        1u << SMC_TIME_L1 | 1u << SMC_TIME_L2 | 1u << SMC_TIME_LATENCY | 1u << SMC_TIME_DRAM,
    ALL_BUT_MOVING = ~(1u << SMC_TIME_DRAM | 1u << SMC_TIME_LAUNCH),
};

/* What a kernel of the catalog can do about a term. The first that applies is shown. */
static const struct {
    const char *kernel; /* a name, or how names begin */
    uint32_t terms;
    const char *text;
} reliefs[] = {
    {"matmul-naive", MEMORY_TERMS | BIT(ISSUE), "matmul-tiled loads an element once for a tile"},
    {"aat-naive", MEMORY_TERMS | BIT(ISSUE), "aat-padded loads an element once for a tile"},
    {"aat-conflict", BIT(SHARED), "aat-padded and aat-swizzled have no bank conflicts"},
    {"matmul-register", BIT(SHARED) | BIT(ISSUE),
     "more outputs in each thread: a larger --thread-m or --thread-n"},
    {"matmul-register", BIT(L2) | BIT(DRAM), "larger tiles: --block-m, --block-n"},
    {"matmul-register", BIT(LATENCY),
     "panels loaded earlier: --stages 3; or smaller tiles, for more blocks"},
    {"matmul-", BIT(SHARED) | BIT(ISSUE) | BIT(L1) | BIT(LATENCY),
     "matmul-register uses each value of a tile for many outputs"},
    {"matmul-", BIT(L2) | BIT(DRAM), "a larger --tile, or matmul-register"},
    {"stencil-naive", MEMORY_TERMS | BIT(ISSUE), "stencil-window loads and adds each element once"},
    {"stencil-window", BIT(ISSUE), "fewer instructions for each result"},
    {"stencil-", ALL_BUT_MOVING, "stencil-window, whose work does not grow with the radius"},
};

void smc_text_relief(const struct smc_answer *answer, struct smc_text *items)
{
    const struct smc_time *time = &answer->time;
    const struct smc_kernel *kernel = answer->query.kernel;
    if (!smc_time_is_known(time))
        return;
    for (size_t i = 0; kernel && i < sizeof reliefs / sizeof *reliefs; i++)
        if (strncmp(kernel->name, reliefs[i].kernel, strlen(reliefs[i].kernel)) == 0 &&
            reliefs[i].terms & 1u << time->bound_by) {
            smc_text_append(items, reliefs[i].text);
            return;
        }
    smc_text_append(items, smc_time_term_info[time->bound_by].relief);
    for (int i = 0; time->bound_by == SMC_TIME_TENSOR && i < SMC_PRODUCT_TYPES; i++)
        if (strcmp(smc_product_info[i].label, time->tensor_type) == 0)
            smc_text_append(items, smc_product_info[i].relief);
}

/* --- Text: the arithmetic --------------------------------------------------------------------- */

/* Clocks of all SMs in a millisecond; 0: unknown. */
static double sm_clocks_per_ms(const struct smc_query *query)
{
    double khz = query->ceilings.value[SMC_CEILING_CLOCK];
    return query->device.sm_count * (khz > 0 ? khz : query->device.sm_clock_khz);
}

/* What was counted for a term: "4.19e+07 instructions, 3.6 a clock". Nothing where there
   is no count. */
static void time_append_count(const struct smc_answer *answer, enum smc_time_term term,
                              struct smc_text *out)
{
    const struct smc_time *time = &answer->time;
    const struct {
        enum smc_time_term term;
        double count;
        const char *what;
    } counts[] = {
        {SMC_TIME_ISSUE, time->instructions, "instructions"},
        {SMC_TIME_FMA, time->fma_flops, "operations"},
        {SMC_TIME_TENSOR, time->tensor_flops, "operations"},
        {SMC_TIME_SHARED, time->shared_wavefronts, "wavefronts"},
        {SMC_TIME_L1, time->l1_sectors, "sectors requested"},
        {SMC_TIME_L2, time->l2_sectors, "sectors requested"},
        {SMC_TIME_ATOMICS, time->atomics, "atomics, one by one"},
        {SMC_TIME_DRAM, time->dram_bytes, "B"},
    };
    double clocks = sm_clocks_per_ms(&answer->query) * time->term_ms[term];
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        if (counts[i].term != term || counts[i].count <= 0)
            continue;
        smc_text_printf(out, "%.4g" SMC_TIE "%s", counts[i].count, counts[i].what);
        if (clocks > 0)
            smc_text_printf(out, ", %.3g" SMC_TIE "a clock", counts[i].count / clocks);
    }
    if (term == SMC_TIME_LATENCY)
        smc_text_append(out, "warps wait for memory or for each other");
    if (term == SMC_TIME_LAUNCH)
        smc_text_append(out, time->empty_launch_measured ? "an empty launch, as timed here"
                                                         : "an empty launch");
}

static void append_term(const struct smc_answer *answer, enum smc_time_term term, size_t indent,
                        struct smc_text *out)
{
    smc_auto_text label = {0}, count = {0};
    const struct smc_time *time = &answer->time;
    double ms = time->term_ms[term];
    if (ms <= 0)
        return;
    smc_text_append_char(&label, ' ', indent);
    smc_text_printf(&label, "%-21s %c%8.*f ms", smc_time_term_info[term].label,
                    term == time->bound_by ? '>' : ' ',
                    ms >= 99.95    ? 1
                    : ms >= 0.0995 ? 3
                                   : 5,
                    ms);
    time_append_count(answer, term, &count);
    smc_layout_paragraph(out, smc_text_string(&label), label.length + 2, smc_text_string(&count),
                         out->style->columns);
}

static const char *tensor_rates_of(const struct smc_answer *answer)
{
    const char *type = answer->time.tensor_type;
    return type && smc_product_is_measured(type, &answer->query.ceilings) ? "measured"
                                                                          : "published";
}

static const char *words_of_basis(enum smc_time_basis basis)
{
    switch (basis) {
    case SMC_TIME_CALIBRATED:
        return "rates measured on this GPU by 'calibrate'";
    case SMC_TIME_SPECIFICATIONS:
        return "rates estimated from published clocks, widths and bandwidths";
    default:
        return "rates of the built-in table of measured boards";
    }
}

static const char *words_of_products(const struct smc_answer *answer)
{
    bool published = answer->time.tensor_type && answer->time.basis != SMC_TIME_SPECIFICATIONS &&
                     !smc_product_is_measured(answer->time.tensor_type, &answer->query.ceilings);
    return published ? ", of tensor cores as published" : "";
}

void smc_text_explain_time(const struct smc_answer *answer, size_t indent, struct smc_text *out)
{
    const struct smc_time *time = &answer->time;
    struct smc_text line = {0};
    if (!smc_time_is_known(time))
        return;
    smc_text_printf(
        &line,
        "work counted in %s; %s%s; each term is how long the launch would take if "
        "nothing else bounded it, with the work of all warps, and of one SM in a clock:",
        time->code, words_of_basis(time->basis), words_of_products(answer));
    smc_layout_paragraph(out, "time", indent, smc_text_string(&line), out->style->columns);
    for (int i = 0; i < SMC_TIME_TERM_COUNT; i++)
        append_term(answer, (enum smc_time_term)i, indent, out);
    line.length = 0;
    smc_text_append(&line, "what overlaps counts once, what waits is added: ");
    smc_words_time_range(time, &line);
    smc_layout_text(out, indent, &line);
}

/* --- JSON ------------------------------------------------------------------------------------- */

/* A prediction, and what was measured. */
struct timed {
    const struct smc_answer *answer;
    const struct smc_time *time; /* the answer's */
    double measured_ms;          /* 0: not measured */
};

static const char *time_key_of(enum smc_time_term term)
{
    return smc_time_term_info[term].key;
}

static struct smc_value terms_of(const struct smc_time *time)
{
    json_t *object = json_object();
    for (int i = 0; i < SMC_TIME_TERM_COUNT; i++)
        smc_json_real(object, time_key_of((enum smc_time_term)i), time->term_ms[i]);
    return smc_value_json(object);
}

static struct smc_value if_measured(const struct timed *timed, double value)
{
    return timed->measured_ms > 0 ? smc_value_real(value)
                                  : (struct smc_value){.kind = SMC_VALUE_ABSENT};
}

static struct smc_value if_tensor(const struct smc_time *time, struct smc_value value)
{
    return time->tensor_type ? value : (struct smc_value){.kind = SMC_VALUE_ABSENT};
}

#define TIME_FIELDS(FIELD)                                                                         \
    FIELD("predicted_ms", NULL, "ms", "how long one launch takes", item->time->predicted_ms)       \
    FIELD("low_ms", NULL, "ms", "it takes at least as long", item->time->low_ms)                   \
    FIELD("high_ms", NULL, "ms", "it takes at most as long", item->time->high_ms)                  \
    FIELD("measured_ms", NULL, "ms",                                                               \
          "the median of the launches; only in run, where they were timed",                        \
          if_measured(item, item->measured_ms))                                                    \
    FIELD("error_percent", NULL, "percent",                                                        \
          "by how much the prediction is longer; only beside measured_ms",                         \
          if_measured(item,                                                                        \
                      100 * (item->time->predicted_ms - item->measured_ms) / item->measured_ms))   \
    FIELD("bound_by", NULL, "", "the largest term: a name of terms_ms",                            \
          smc_value_text(time_key_of(item->time->bound_by)))                                       \
    FIELD("next", NULL, "", "the term behind it", smc_value_text(time_key_of(item->time->next)))   \
    FIELD("terms_ms", NULL, "ms",                                                                  \
          "for each term how long the launch would take if nothing else bounded it",               \
          terms_of(item->time))                                                                    \
    FIELD("empty_launch_ms", NULL, "ms", "of which an empty launch takes",                         \
          item->time->empty_launch_ms)                                                             \
    FIELD("empty_launch_measured", NULL, "",                                                       \
          "whether run timed it on this GPU, as the launch itself; otherwise it is from ceilings", \
          item->time->empty_launch_measured)                                                       \
    FIELD("ceilings", NULL, "", "where the rates are from: table, calibrated or specifications",   \
          smc_time_basis_name(item->time->basis))                                                  \
    FIELD("flops_per_s", NULL, "operations per second",                                            \
          "the operations of workload, or without it those of counts, in that time",               \
          SMC_VALUE_IF(time_flops_per_s(item->answer) > 0, time_flops_per_s(item->answer)))        \
    FIELD("tensor_flops_per_s", NULL, "operations per second",                                     \
          "those of counts by tensor cores, in that time; absent where there are none",            \
          if_tensor(item->time, smc_value_real(tensor_flops_per_s(item->time))))                   \
    FIELD("tensor_type", NULL, "",                                                                 \
          "the type that takes most of the tensor cores' time, such as FP16",                      \
          if_tensor(item->time, smc_value_string(item->time->tensor_type)))                        \
    FIELD("tensor_roof_flops_per_s", NULL, "operations per second",                                \
          "what tensor cores do at most of these types: as published, a clock",                    \
          if_tensor(item->time, smc_value_real(item->time->tensor_roof_flops_per_s)))              \
    FIELD("tensor_rates", NULL, "", "where the rate of that type is from: measured or published",  \
          if_tensor(item->time, smc_value_text(tensor_rates_of(item->answer))))                    \
    FIELD("dram_bytes_per_s", NULL, "bytes per second", "the bytes of counts in that time",        \
          dram_bytes_per_s(item->time))                                                            \
    FIELD("code", NULL, "", "what the instructions were counted in", item->time->code)             \
    FIELD("contents_change", NULL, "",                                                             \
          "whether what decides what is executed is stored by other blocks of the launch",         \
          item->time->contents_change)                                                             \
    FIELD("outside_arrays", NULL, "",                                                              \
          "whether accesses lie outside the arguments and the module's variables",                 \
          item->time->outside_arrays)                                                              \
    FIELD("unfollowed", NULL, "",                                                                  \
          "the first branch of the machine code that warps could not follow, and why, or null",    \
          SMC_VALUE_IF(item->time->unfollowed[0] != 0, item->time->unfollowed))                    \
    FIELD("counts.warp_instructions", NULL, "instructions", "executed by the warps of the launch", \
          smc_value_count(item->time->instructions))                                               \
    FIELD("counts.fma_flops", NULL, "operations",                                                  \
          "floating-point operations, two of a multiply-add, in each lane",                        \
          smc_value_count(item->time->fma_flops))                                                  \
    FIELD("counts.tensor_flops", NULL, "operations", "of tensor cores, two of a multiply-add",     \
          smc_value_count(item->time->tensor_flops))                                               \
    FIELD("counts.shared_wavefronts", NULL, "wavefronts", "in shared memory",                      \
          smc_value_count(item->time->shared_wavefronts))                                          \
    FIELD("counts.l1_sectors", NULL, "sectors", "of 32 bytes requested from L1",                   \
          smc_value_count(item->time->l1_sectors))                                                 \
    FIELD("counts.l2_sectors", NULL, "sectors", "of 32 bytes requested from L2",                   \
          smc_value_count(item->time->l2_sectors))                                                 \
    FIELD("counts.dram_bytes", NULL, "bytes", "to and from DRAM",                                  \
          smc_value_count(item->time->dram_bytes))
SMC_FIELD_TABLE(time_fields, struct timed, TIME_FIELDS)

const struct smc_field_table smc_time_tables[] = {{"time", &time_fields}, {NULL, NULL}};

json_t *smc_json_time(const struct smc_answer *answer, double measured_ms)
{
    const struct timed timed = {answer, &answer->time, measured_ms};
    return smc_time_is_known(&answer->time) ? smc_fields_object(&time_fields, &timed) : json_null();
}
