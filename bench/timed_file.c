/* Launches and their times as a CSV file, and the errors of many launches summed up. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/parse.h"
#include "timed_launch.h"

/* --- The file --------------------------------------------------------------------------------- */

static void write_head(struct smc_text *text)
{
    smc_text_append(text, "kernel");
    for (int p = 0; p < SMC_PARAM_COUNT; p++)
        smc_text_printf(text, ",%s", smc_param_info[p].option);
    smc_text_append(text, ",carveout,device,predicted_ms,low_ms,high_ms,bound_by,next,roofline_ms,"
                          "naive_ms,median_ms,fastest_ms,slowest_ms,launches,sm_clock_khz,note");
    for (int t = 0; t < SMC_TIME_TERM_COUNT; t++)
        smc_text_printf(text, ",%s_ms", smc_time_term_info[t].key);
    smc_text_append(text, ",instructions,shared_wavefronts,l1_sectors,l2_sectors,dram_bytes\n");
}

static void write_number(struct smc_text *text, double value)
{
    smc_text_append_char(text, ',', 1);
    if (value > 0)
        smc_text_printf(text, "%.9g", value);
}

static void write_prediction(struct smc_text *text, const struct bench_launch *launch)
{
    const struct smc_time *time = &launch->time;
    bool known = time->basis != SMC_TIME_UNKNOWN;
    write_number(text, time->predicted_ms);
    write_number(text, time->low_ms);
    write_number(text, time->high_ms);
    smc_text_printf(text, ",%s,%s", known ? smc_time_term_info[time->bound_by].key : "",
                    known ? smc_time_term_info[time->next].key : "");
    write_number(text, launch->ms[BENCH_ROOFLINE]);
    write_number(text, launch->ms[BENCH_NAIVE]);
}

static void write_launch(struct smc_text *text, const struct bench_launch *launch)
{
    smc_text_append(text, launch->kernel->name);
    for (int p = 0; p < SMC_PARAM_COUNT; p++) {
        int64_t value = launch->params.value[p];
        if (!(launch->kernel->params >> p & 1))
            smc_text_append_char(text, ',', 1);
        else if (p == SMC_PARAM_DTYPE)
            smc_text_printf(text, ",%s", smc_dtype_name((enum smc_dtype)value));
        else
            smc_text_printf(text, ",%lld", (long long)value);
    }
    smc_text_append_char(text, ',', 1);
    if (launch->carveout_percent != SMC_CARVEOUT_DEFAULT)
        smc_text_printf(text, "%d", launch->carveout_percent);
    smc_text_printf(text, ",%s", launch->device);
    write_prediction(text, launch);
    const double measured[] = {launch->median_ms, launch->fastest_ms, launch->slowest_ms,
                               launch->launches, launch->sm_clock_khz};
    for (size_t i = 0; i < sizeof measured / sizeof *measured; i++)
        write_number(text, measured[i]);
    smc_text_printf(text, ",%s", launch->note);
    for (int t = 0; t < SMC_TIME_TERM_COUNT; t++)
        write_number(text, launch->time.term_ms[t]);
    const double counted[] = {launch->time.instructions, launch->time.shared_wavefronts,
                              launch->time.l1_sectors, launch->time.l2_sectors,
                              launch->time.dram_bytes};
    for (size_t i = 0; i < sizeof counted / sizeof *counted; i++)
        write_number(text, counted[i]);
    smc_text_append_char(text, '\n', 1);
}

enum smc_status bench_write_csv(const char *path, const struct bench_launch *launch, size_t count,
                                struct smc_error *error)
{
    struct smc_text text = {0};
    write_head(&text);
    for (size_t i = 0; i < count; i++)
        write_launch(&text, &launch[i]);
    enum smc_status status = smc_file_write(path, true, &text, error);
    smc_text_free(&text);
    return status;
}

enum { MOST_COLUMNS = 128, MOST_FILE_BYTES = 64 << 20 };

/* Cuts the line at commas; the file has no quotes. */
static size_t split(char *line, char *field[MOST_COLUMNS])
{
    size_t count = 0;
    line[strcspn(line, "\r")] = '\0';
    for (char *at = line; at && count < MOST_COLUMNS;) {
        field[count++] = at;
        at = strchr(at, ',');
        if (at)
            *at++ = '\0';
    }
    return count;
}

struct reading {
    const char *path;
    const struct smc_kernel *const *kernels;
    char *head[MOST_COLUMNS];
    size_t columns, line;
};

/* NULL: no such column, or an empty field. */
static const char *field_of(const struct reading *reading, char *const *field, const char *name)
{
    for (size_t i = 0; i < reading->columns; i++)
        if (strcmp(reading->head[i], name) == 0)
            return field[i][0] ? field[i] : NULL;
    return NULL;
}

static double number_of(const struct reading *reading, char *const *field, const char *name)
{
    const char *text = field_of(reading, field, name);
    return text ? strtod(text, NULL) : 0;
}

static enum smc_status fail_value(const struct reading *reading, const char *column,
                                  const char *value, struct smc_error *error)
{
    return smc_fail(error, SMC_USAGE, "%s:%zu: column %s: '%s' is not one of its values",
                    reading->path, reading->line, column, value ? value : "");
}

static enum smc_status read_params(const struct reading *reading, char *const *field,
                                   struct bench_launch *launch, struct smc_error *error)
{
    for (int p = 0; p < SMC_PARAM_COUNT; p++) {
        const struct smc_param_info *info = &smc_param_info[p];
        const char *text = field_of(reading, field, info->option);
        enum smc_dtype dtype;
        if (!text || !(launch->kernel->params >> p & 1))
            continue;
        if (p == SMC_PARAM_DTYPE && smc_dtype_parse(text, &dtype))
            launch->params.value[p] = dtype;
        else if (!smc_parse_integer(text, info->lowest, info->highest, &launch->params.value[p]))
            return fail_value(reading, info->option, text, error);
    }
    return SMC_OK;
}

static enum smc_status read_launch(const struct reading *reading, char *const *field,
                                   struct bench_launch *launch, struct smc_error *error)
{
    const char *name = field_of(reading, field, "kernel");
    const char *device = field_of(reading, field, "device");
    const char *carveout = field_of(reading, field, "carveout");
    int64_t percent = SMC_CARVEOUT_DEFAULT;
    for (size_t i = 0; name && reading->kernels[i]; i++)
        if (strcmp(reading->kernels[i]->name, name) == 0)
            launch->kernel = reading->kernels[i];
    if (!launch->kernel)
        return fail_value(reading, "kernel", name, error);
    if (!device)
        return fail_value(reading, "device", device, error);
    if (carveout && !smc_parse_integer(carveout, SMC_CARVEOUT_DEFAULT, 100, &percent))
        return fail_value(reading, "carveout", carveout, error);
    launch->carveout_percent = (int)percent;
    snprintf(launch->device, sizeof launch->device, "%s", device);
    launch->median_ms = number_of(reading, field, "median_ms");
    launch->fastest_ms = number_of(reading, field, "fastest_ms");
    launch->slowest_ms = number_of(reading, field, "slowest_ms");
    launch->launches = (uint32_t)number_of(reading, field, "launches");
    launch->sm_clock_khz = (uint32_t)number_of(reading, field, "sm_clock_khz");
    smc_params_init(launch->kernel, &launch->params);
    return read_params(reading, field, launch, error);
}

static enum smc_status read_line(struct reading *reading, char *line, struct bench_launch *launch,
                                 struct smc_error *error)
{
    char *field[MOST_COLUMNS];
    size_t count = split(line, field);
    if (count != reading->columns)
        return smc_fail(error, SMC_USAGE, "%s:%zu: %zu columns instead of %zu", reading->path,
                        reading->line, count, reading->columns);
    return read_launch(reading, field, launch, error);
}

static enum smc_status read_lines(struct reading *reading, char *text, struct bench_launch **launch,
                                  size_t *count, struct smc_error *error)
{
    char *next = NULL, *line = strtok_r(text, "\n", &next);
    size_t room = 0;
    reading->line = 1;
    reading->columns = line ? split(line, reading->head) : 0;
    while (line && (line = strtok_r(NULL, "\n", &next)) != NULL) {
        reading->line++;
        if (*count == room) {
            room = 2 * room + 64;
            struct bench_launch *larger = smc_realloc(*launch, room * sizeof *larger);
            if (!larger)
                return smc_out_of_memory(error);
            *launch = larger;
        }
        (*launch)[*count] = (struct bench_launch){0};
        enum smc_status status = read_line(reading, line, &(*launch)[*count], error);
        if (status != SMC_OK)
            return status;
        ++*count;
    }
    return SMC_OK;
}

enum smc_status bench_read_csv(const char *path, const struct smc_kernel *const *kernels,
                               struct bench_launch **launch, size_t *count, struct smc_error *error)
{
    struct reading reading = {.path = path, .kernels = kernels};
    struct smc_text text = {0};
    *launch = NULL;
    *count = 0;
    enum smc_status status = smc_file_read(path, "file of launches", MOST_FILE_BYTES, &text, error);
    if (status == SMC_OK) {
        char *copy = smc_strdup(smc_text_string(&text));
        status = copy ? read_lines(&reading, copy, launch, count, error) : smc_out_of_memory(error);
        free(copy);
    }
    smc_text_free(&text);
    return status;
}

/* --- Sums ------------------------------------------------------------------------------------- */

struct errors {
    size_t count;
    double mean, median, p95, worst; /* percent */
};

/* Which launches are summed up: those of a kernel, or that a term bounds, or all. */
struct group {
    const struct smc_kernel *kernel;
    int term; /* negative: any */
};

static bool is_in(const struct group *group, const struct bench_launch *launch)
{
    return (!group->kernel || group->kernel == launch->kernel) &&
           (group->term < 0 || group->term == (int)launch->time.bound_by);
}

static struct errors sum_up(const struct bench_launch *launch, size_t count,
                            const struct group *group, enum bench_model model, double *room)
{
    struct errors errors = {0};
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        double error = is_in(group, &launch[i]) ? bench_error(&launch[i], model) : -1;
        if (error < 0)
            continue;
        room[errors.count++] = 100 * error;
        sum += 100 * error;
    }
    if (errors.count == 0)
        return errors;
    smc_numbers_sort(room, errors.count);
    errors.mean = sum / (double)errors.count;
    errors.median = smc_numbers_median(room, errors.count);
    errors.p95 = room[(errors.count * 95 + 99) / 100 - 1]; /* the nearest rank */
    errors.worst = room[errors.count - 1];
    return errors;
}

static void print_errors(const char *name, const struct errors *errors, json_t *list)
{
    if (errors->count == 0)
        return;
    printf("%-28s %5zu  %7.1f %7.1f %7.1f %8.1f\n", name, errors->count, errors->mean,
           errors->median, errors->p95, errors->worst);
    json_array_append_new(list, json_pack("{ss sI sf sf sf sf}", "name", name, "launches",
                                          (json_int_t)errors->count, "mean_percent", errors->mean,
                                          "median_percent", errors->median, "p95_percent",
                                          errors->p95, "worst_percent", errors->worst));
}

static void print_group(const char *name, const struct bench_launch *launch, size_t count,
                        const struct group *group, enum bench_model model, double *room,
                        json_t *list)
{
    struct errors errors = sum_up(launch, count, group, model, room);
    print_errors(name, &errors, list);
}

static bool is_first_of_kernel(const struct bench_launch *launch, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (launch[i].kernel == launch[at].kernel)
            return false;
    return true;
}

/* The share of measured times within the predicted range. */
static double within_percent(const struct bench_launch *launch, size_t count)
{
    size_t measured = 0, within = 0;
    for (size_t i = 0; i < count; i++) {
        if (bench_error(&launch[i], BENCH_MODEL) < 0)
            continue;
        measured++;
        within += launch[i].median_ms >= launch[i].time.low_ms &&
                  launch[i].median_ms <= launch[i].time.high_ms;
    }
    return measured ? 100.0 * (double)within / (double)measured : 0;
}

static size_t left_out(const struct bench_launch *launch, size_t count)
{
    size_t out = 0;
    for (size_t i = 0; i < count; i++)
        out += launch[i].note[0] != '\0';
    return out;
}

static json_t *sums(const struct bench_launch *launch, size_t count, json_t *models,
                    json_t *kernels, json_t *terms)
{
    return json_pack("{so so so sf sI sI}", "models", models, "kernels", kernels, "terms", terms,
                     "within_percent", within_percent(launch, count), "launches", (json_int_t)count,
                     "left_out", (json_int_t)left_out(launch, count));
}

/* The model's errors by kernel and by term. */
static void print_parts(const struct bench_launch *launch, size_t count, double *room,
                        json_t *kernels, json_t *terms)
{
    printf("the model, by kernel\n");
    for (size_t i = 0; i < count; i++)
        if (is_first_of_kernel(launch, i))
            print_group(launch[i].kernel->name, launch, count,
                        &(struct group){launch[i].kernel, -1}, BENCH_MODEL, room, kernels);
    printf("the model, by what bounds the launch\n");
    for (int t = 0; t < SMC_TIME_TERM_COUNT; t++)
        print_group(smc_time_term_info[t].label, launch, count, &(struct group){NULL, t},
                    BENCH_MODEL, room, terms);
    printf("%.1f %% of the measured times lie in the predicted range\n",
           within_percent(launch, count));
}

json_t *bench_print_errors(const struct bench_launch *launch, size_t count)
{
    double *room = smc_calloc(count + 1, sizeof *room);
    json_t *models = json_array(), *kernels = json_array(), *terms = json_array();
    bool is_measured = false;
    for (size_t i = 0; i < count && room; i++)
        is_measured |= bench_error(&launch[i], BENCH_MODEL) >= 0;
    if (is_measured) {
        printf("%-28s %5s  %7s %7s %7s %8s\n", "error, percent", "", "mean", "median", "p95",
               "worst");
        for (int m = 0; m < BENCH_MODELS; m++)
            print_group(bench_model_name[m], launch, count, &(struct group){NULL, -1},
                        (enum bench_model)m, room, models);
        print_parts(launch, count, room, kernels, terms);
    }
    printf("%zu launches%s, %zu left out\n", count, is_measured ? "" : ", none of them measured",
           left_out(launch, count));
    free(room);
    return sums(launch, count, models, kernels, terms);
}

void bench_print_launch(const struct bench_launch *launch, FILE *out)
{
    double error = bench_error(launch, BENCH_MODEL);
    fprintf(out, "%-16s", launch->kernel->name);
    for (int p = 0; p < SMC_PARAM_COUNT; p++)
        if (p == SMC_PARAM_DTYPE)
            fprintf(out, " %s", smc_dtype_name((enum smc_dtype)launch->params.value[p]));
        else if (launch->kernel->params >> p & 1)
            fprintf(out, " %s %lld", smc_param_info[p].option, (long long)launch->params.value[p]);
    if (launch->carveout_percent != SMC_CARVEOUT_DEFAULT)
        fprintf(out, " carveout %d", launch->carveout_percent);
    if (launch->note[0])
        fprintf(out, ": left out: %s", launch->note);
    else
        fprintf(out, ": %.5f ms predicted, bound by %s", launch->ms[BENCH_MODEL],
                smc_time_term_info[launch->time.bound_by].label);
    if (error >= 0)
        fprintf(out, "; %.5f ms measured, %.1f %% off", launch->median_ms, 100 * error);
    fputc('\n', out);
}
