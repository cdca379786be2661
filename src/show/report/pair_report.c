/* Two of the user's kernels compared: a row for each quantity of either, as text, JSON and CSV. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "show/report/writers.h"

/* A quantity, and what is known of it for each of the two kernels. */
struct pair_row {
    const struct smc_row *row[SMC_PAIR]; /* NULL: it has no such row */
    const struct smc_reading *seen[SMC_PAIR];
};

/* The last source of a row that has a value: measured before emulated before predicted. */
static const struct smc_reading *best_reading(const struct smc_row *row)
{
    for (int source = SMC_SOURCE_COUNT - 1; row && source >= 0; source--)
        if (smc_row_reading(row, source)->present)
            return smc_row_reading(row, source);
    return NULL;
}

static const struct smc_row *find_row(const struct smc_confirmation *confirmation, const char *name)
{
    for (size_t i = 0; i < confirmation->row_count; i++)
        if (strcmp(confirmation->row[i].quantity, name) == 0)
            return &confirmation->row[i];
    return NULL;
}

/* The rows that have numbers, of the first kernel and then those of the second alone. False after
   the last one. */
static bool next_row(const struct smc_user_pair *pair, size_t *at, struct pair_row *out)
{
    const struct smc_confirmation *first = &pair->confirmation[0], *second = &pair->confirmation[1];
    while (*at < first->row_count + second->row_count) {
        bool is_first = *at < first->row_count;
        const struct smc_row *row =
            is_first ? &first->row[*at] : &second->row[*at - first->row_count];
        ++*at;
        if (!is_first && find_row(first, row->quantity))
            continue;
        out->row[0] = is_first ? row : NULL;
        out->row[1] = is_first ? find_row(second, row->quantity) : row;
        out->seen[0] = best_reading(out->row[0]);
        out->seen[1] = best_reading(out->row[1]);
        if (out->seen[0] || out->seen[1])
            return true;
    }
    return false;
}

static const struct smc_row *any_row(const struct pair_row *pair)
{
    return pair->row[0] ? pair->row[0] : pair->row[1];
}

/* "twice of a.cu", safe for a terminal. */
static void pair_words_kernel(const struct smc_user_pair *pair, int index, struct smc_text *out)
{
    const struct smc_user_run *run = pair->run[index];
    smc_text_printf(out, "%s of %s", run->row.kernel->shown, run->request.file);
    if (out->data)
        smc_utf8_make_safe(out->data);
}

/* --- Text ------------------------------------------------------------------------------------- */

/* A ratio closer to 1 is printed as 1 with three digits. */
#define PAIR_LEAST_DIFFERENCE 0.005

/* "the second kernel is 3.21 times as fast as the first: 1.24 ms and 0.386 ms measured". */
static void words_verdict(const struct smc_user_pair *pair, struct smc_text *out)
{
    double ratio = pair->speed_up;
    if (ratio <= 0) {
        smc_text_append(out, "neither time is known");
        return;
    }
    if (pair->is_measured && !pair->exceeds_noise)
        smc_text_append(out, "no difference beyond the noise: ");
    else if (!pair->is_measured && fabs(ratio - 1) < PAIR_LEAST_DIFFERENCE)
        smc_text_append(out, "no difference: ");
    else
        smc_text_printf(
            out, "the %s kernel is %.3g times as fast as the %s: ", ratio >= 1 ? "second" : "first",
            ratio >= 1 ? ratio : 1 / ratio, ratio >= 1 ? "first" : "second");
    smc_words_time(pair->ms[0], out);
    smc_text_append(out, " and ");
    smc_words_time(pair->ms[1], out);
    smc_text_append(out, pair->is_measured ? " measured" : " predicted");
}

static void pair_append_results(const struct smc_user_pair *pair, struct smc_text *out)
{
    for (size_t i = 0; pair->compares_results && i < pair->run[0]->memory_count; i++) {
        struct smc_agreement same;
        struct smc_text line = {0};
        smc_user_pair_result(pair, i, &same);
        if (same.differing == 0)
            smc_text_append(&line, "the same after both, bit for bit");
        else
            smc_text_printf(
                &line, "%" PRIu64 " of %" PRIu64 " elements differ, from element %" PRIu64 " on",
                same.differing, same.elements, same.first);
        smc_layout_line(out, pair->run[0]->memory[i].name, &line);
    }
}

enum { PAIR_LABEL = 28, PAIR_CELL = 16 };

static void append_cells(const struct pair_row *pair, struct smc_text *out)
{
    struct smc_text line = {0};
    smc_text_printf(&line, "%-*s", PAIR_LABEL, any_row(pair)->label);
    for (int i = 0; i < SMC_PAIR; i++) {
        char text[SMC_ROW_WORDS] = "-";
        if (pair->seen[i])
            smc_words_source(pair->row[i], pair->seen[i], text);
        smc_text_printf(&line, " %*s", PAIR_CELL, text);
    }
    smc_layout_row(out, &line);
}

void smc_text_pair(const struct smc_user_pair *pair, struct smc_text *out)
{
    static const char *const labels[SMC_PAIR] = {"first", "second"};
    const struct smc_user_run *run = pair->run[0];
    struct smc_text verdict = {0};
    struct pair_row row;
    words_verdict(pair, &verdict);
    smc_layout_verdict(out, SMC_PLAIN, &verdict);
    smc_text_append_char(out, '\n', 1);
    for (int i = 0; i < SMC_PAIR; i++) {
        struct smc_text kernel = {0};
        pair_words_kernel(pair, i, &kernel);
        smc_layout_line(out, labels[i], &kernel);
    }
    smc_text_run_device_line(&run->request.device, run->result.driver, run->result.runtime, NULL,
                             out);
    smc_text_machine_line(run->result.host_name, run->result.gpu_uuid, out);
    smc_text_printf(out, "\n%*s %*s %*s\n", PAIR_LABEL, "", PAIR_CELL, labels[0], PAIR_CELL,
                    labels[1]);
    for (size_t at = 0; next_row(pair, &at, &row);)
        append_cells(&row, out);
    smc_text_append_char(out, '\n', 1);
    pair_append_results(pair, out);
}

/* --- JSON and CSV ----------------------------------------------------------------------------- */

void smc_json_pair(json_t *object, const struct smc_user_pair *pair)
{
    json_t *kernels = json_array(), *comparison = json_object(), *results = json_array();
    for (int i = 0; i < SMC_PAIR; i++) {
        json_t *kernel = smc_json_add_object(kernels);
        smc_json_user(kernel, pair->run[i], &pair->confirmation[i]);
    }
    for (size_t i = 0; pair->compares_results && i < pair->run[0]->memory_count; i++) {
        struct smc_agreement same;
        json_t *result = smc_json_add_object(results);
        smc_user_pair_result(pair, i, &same);
        smc_json_string(result, "name", pair->run[0]->memory[i].name);
        smc_json_integer(result, "elements", same.elements);
        smc_json_integer(result, "differing", same.differing);
    }
    smc_json_known_real(comparison, "speed_up", pair->speed_up);
    smc_json_set(comparison, "measured", json_boolean(pair->is_measured));
    smc_json_set(comparison, "exceeds_noise",
                 pair->is_measured ? json_boolean(pair->exceeds_noise) : json_null());
    smc_json_set(comparison, "results",
                 pair->compares_results ? json_incref(results) : json_null());
    json_decref(results);
    smc_json_set(object, "kernels", kernels);
    smc_json_set(object, "comparison", comparison);
}

void smc_csv_pair(const struct smc_user_pair *pair, struct smc_text *out)
{
    struct pair_row row;
    smc_text_append(out, "quantity,unit,first,second\n");
    for (size_t at = 0; next_row(pair, &at, &row);) {
        smc_text_printf(out, "%s,%s", any_row(&row)->quantity, any_row(&row)->unit);
        for (int i = 0; i < SMC_PAIR; i++) {
            smc_text_append(out, ",");
            if (row.seen[i])
                smc_csv_number(row.seen[i]->value, out);
        }
        smc_text_append(out, "\n");
    }
}
