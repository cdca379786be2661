/* What explains a wrong result. A cause is named only if the whole result is as it makes it: each
   is applied to the right result, to what the array held before, or to the arguments of the
   reference, which is then launched again. */
#include "hardware/exercise/wrong_result.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

const char *const smc_wrong_cause_names[SMC_WRONG_CAUSES] = {
#define WRONG(id, name) [SMC_WRONG_##id] = name,
#include "hardware/exercise/wrong_causes.def"
};

/* --- Numbers ---------------------------------------------------------------------------------- */

/* A result as numbers, and those that it is compared with. */
struct numbers {
    enum smc_user_type type;
    uint64_t count;
    double slack; /* how far a number may be from the right one */
    double *own, *right, *before, *trial;
};

static double *read_numbers(const struct numbers *numbers, const void *data)
{
    double *out = smc_malloc(numbers->count * sizeof *out);
    for (uint64_t i = 0; out && i < numbers->count; i++)
        out[i] = smc_user_any_number(numbers->type, data, i);
    return out;
}

static bool is_close(const struct numbers *numbers, double a, double b)
{
    return smc_user_is_close(a, b, numbers->slack);
}

static bool is_wrong(const struct numbers *numbers, uint64_t i)
{
    return !is_close(numbers, numbers->own[i], numbers->right[i]);
}

/* Whether the whole result is the trial. */
static bool is_trial(const struct numbers *numbers)
{
    for (uint64_t i = 0; i < numbers->count; i++)
        if (!is_close(numbers, numbers->own[i], numbers->trial[i]))
            return false;
    return true;
}

static double slack_of(const struct smc_exercise *exercise, const struct smc_user_memory *right)
{
    return smc_user_slack(right->argument, right->after_emulated, exercise->tolerance);
}

/* --- The comparison --------------------------------------------------------------------------- */

static void index_of(const struct smc_wrong_result *wrong, uint64_t i,
                     uint64_t index[SMC_EXERCISE_MOST_EXTENTS])
{
    for (size_t d = wrong->extents; d-- > 0; i /= wrong->extent[d])
        index[d] = i % wrong->extent[d];
}

void smc_exercise_compare(const struct smc_exercise_comparison *comparison,
                          struct smc_wrong_result *wrong)
{
    const struct smc_exercise *exercise = comparison->exercise;
    const struct smc_user_memory *own = smc_exercise_memory(comparison->own, exercise->result);
    const struct smc_user_memory *right =
        smc_exercise_memory(comparison->reference, exercise->result);
    const struct numbers numbers = {.slack = slack_of(exercise, right)};
    const enum smc_user_type type = own->argument->type;
    *wrong = (struct smc_wrong_result){
        .elements = own->argument->elements,
        .extents = exercise->argument[exercise->result].extents,
        .is_unwritten = true,
    };
    memcpy(wrong->extent, comparison->own->extent[exercise->result], sizeof wrong->extent);
    for (uint64_t i = wrong->elements; i-- > 0;) {
        const double value = smc_user_any_number(type, own->after_emulated, i);
        if (is_close(&numbers, value, smc_user_any_number(type, right->after_emulated, i)))
            continue;
        wrong->wrong++;
        wrong->first = i;
        wrong->is_unwritten &= value == smc_user_any_number(type, own->before, i);
    }
    index_of(wrong, wrong->first, wrong->index);
    smc_user_show(type, own->after_emulated, wrong->first, wrong->got);
    smc_user_show(type, right->after_emulated, wrong->first, wrong->expected);
}

/* --- Causes that the result itself shows ------------------------------------------------------ */

/* What was tried, on which numbers; `wrong` receives what is found. */
struct search {
    const struct smc_exercise_comparison *comparison;
    struct numbers numbers;
    struct smc_wrong_result *wrong;
    struct smc_text *warnings;
};

static bool cause_found(struct search *search, enum smc_wrong_cause cause)
{
    search->wrong->cause = cause;
    return true;
}

static bool find_nothing_written(struct search *search)
{
    const struct numbers *numbers = &search->numbers;
    for (uint64_t i = 0; i < numbers->count; i++)
        if (numbers->own[i] != numbers->before[i])
            return false;
    return cause_found(search, SMC_WRONG_NOTHING_WRITTEN);
}

static bool find_added(struct search *search)
{
    const struct numbers *numbers = &search->numbers;
    for (uint64_t i = 0; i < numbers->count; i++)
        numbers->trial[i] = numbers->right[i] + numbers->before[i];
    return is_trial(numbers) && cause_found(search, SMC_WRONG_ADDED);
}

static bool find_transposed(struct search *search)
{
    const struct numbers *numbers = &search->numbers;
    const uint64_t rows = search->wrong->extent[0], columns = search->wrong->extent[1];
    if (search->wrong->extents != 2 || rows < 2 || columns < 2)
        return false;
    for (uint64_t i = 0; i < numbers->count; i++)
        numbers->trial[i % columns * rows + i / columns] = numbers->right[i];
    return is_trial(numbers) && cause_found(search, SMC_WRONG_TRANSPOSED);
}

static bool find_reversed(struct search *search)
{
    const struct numbers *numbers = &search->numbers;
    for (uint64_t i = 0; i < numbers->count; i++)
        numbers->trial[i] = numbers->right[numbers->count - 1 - i];
    return is_trial(numbers) && cause_found(search, SMC_WRONG_REVERSED);
}

/* The elements that have no neighbour at that distance are not looked at. */
static bool find_shifted(struct search *search)
{
    static const int offsets[] = {1, -1};
    const struct numbers *numbers = &search->numbers;
    for (size_t k = 0; k < sizeof offsets / sizeof *offsets && numbers->count > 2; k++) {
        memcpy(numbers->trial, numbers->own, numbers->count * sizeof *numbers->trial);
        for (uint64_t i = 1; i + 1 < numbers->count; i++)
            numbers->trial[i] = numbers->right[i + (uint64_t)(int64_t)offsets[k]];
        search->wrong->number = offsets[k];
        if (is_trial(numbers))
            return cause_found(search, SMC_WRONG_SHIFTED);
    }
    return false;
}

/* Of a matrix: element [r][c] holds what belongs at [r ^ c][c], at [r][c ^ r], or is moved on by
   its other index, as in a tile of which only one access is swizzled. */
static bool find_swizzled(struct search *search)
{
    const struct numbers *numbers = &search->numbers;
    const uint64_t rows = search->wrong->extent[0], columns = search->wrong->extent[1];
    if (search->wrong->extents != 2 || rows != columns || (rows & (rows - 1)) != 0)
        return false;
    for (int way = 0; way < 6; way++) {
        for (uint64_t i = 0; i < numbers->count; i++) {
            const uint64_t r = i / columns, c = i % columns, with = way < 3 ? r : c,
                           by = way < 3 ? c : r;
            const uint64_t moved = (way % 3 == 0   ? with ^ by
                                    : way % 3 == 1 ? with + by
                                                   : with - by) &
                                   (rows - 1);
            numbers->trial[i] = numbers->right[way < 3 ? moved * columns + c : r * columns + moved];
        }
        if (is_trial(numbers))
            return cause_found(search, SMC_WRONG_SWIZZLED);
    }
    return false;
}

/* The factor of the largest number. */
static bool find_scaled(struct search *search)
{
    const struct numbers *numbers = &search->numbers;
    uint64_t largest = 0;
    for (uint64_t i = 0; i < numbers->count; i++)
        if (fabs(numbers->right[i]) > fabs(numbers->right[largest]))
            largest = i;
    const double factor = numbers->own[largest] / numbers->right[largest];
    if (!isfinite(factor))
        return false;
    for (uint64_t i = 0; i < numbers->count; i++)
        numbers->trial[i] = numbers->right[i] * factor;
    search->wrong->factor = factor;
    return (numbers->count > 1 || factor == round(factor)) && is_trial(numbers) &&
           cause_found(search, SMC_WRONG_SCALED);
}

/* --- Causes that the reference shows with other arguments ------------------------------------- */

static const char *argument_name(const struct search *search, size_t argument)
{
    return search->comparison->exercise->argument[argument].name;
}

static void wrong_name_array(struct search *search, size_t argument)
{
    snprintf(search->wrong->array, sizeof search->wrong->array, "%s",
             argument_name(search, argument));
}

static bool is_input_array(const struct search *search, size_t argument)
{
    const struct smc_exercise *exercise = search->comparison->exercise;
    return argument != exercise->result && exercise->argument[argument].extents > 0;
}

static struct smc_user_memory *input_of(const struct search *search, size_t argument)
{
    return smc_exercise_memory(search->comparison->reference, argument);
}

/* Whether the reference gives the wrong result with its arguments as they are now. */
static bool reference_is_wrong_alike(struct search *search)
{
    struct smc_exercise_launch *reference = search->comparison->reference;
    const struct smc_user_memory *result = input_of(search, search->comparison->exercise->result);
    const struct numbers *numbers = &search->numbers;
    struct smc_error ignored = {""};
    if (smc_exercise_launch_again(reference, search->warnings, &ignored) != SMC_OK ||
        !reference->run.result.emulated.finish.succeeded)
        return false;
    for (uint64_t i = 0; i < numbers->count; i++)
        numbers->trial[i] = smc_user_any_number(numbers->type, result->after_emulated, i);
    return is_trial(numbers);
}

static char *copy_input(const struct smc_user_memory *input)
{
    char *copy = smc_malloc(input->bytes);
    if (copy)
        memcpy(copy, input->before, input->bytes);
    return copy;
}

/* The same with an input that was changed: `kept` is what it was before, put back, and freed. */
static bool try_changed(struct search *search, size_t argument, char *kept)
{
    const struct smc_user_memory *input = input_of(search, argument);
    const bool is_alike = reference_is_wrong_alike(search);
    memcpy(input->before, kept, input->bytes);
    free(kept);
    wrong_name_array(search, argument);
    return is_alike;
}

static bool find_copied(struct search *search)
{
    const struct numbers *numbers = &search->numbers;
    for (size_t a = 0; a < search->comparison->exercise->arguments; a++) {
        if (!is_input_array(search, a))
            continue;
        const struct smc_user_memory *input = input_of(search, a);
        if (input->argument->elements != numbers->count)
            continue;
        for (uint64_t i = 0; i < numbers->count; i++)
            numbers->trial[i] = smc_user_any_number(input->argument->type, input->before, i);
        wrong_name_array(search, a);
        if (is_trial(numbers))
            return cause_found(search, SMC_WRONG_COPIED);
    }
    return false;
}

/* Whether the result lacks element i + offset of the input everywhere, or has it once too often;
   elements outside of the input are 0. */
static bool try_term(const struct search *search, const double *input, int64_t offset, double sign)
{
    const struct numbers *numbers = &search->numbers;
    for (uint64_t i = 0; i < numbers->count; i++) {
        const uint64_t at = i + (uint64_t)offset;
        const double term = at < numbers->count ? input[at] : 0;
        if (!is_close(numbers, numbers->own[i], numbers->right[i] + sign * term))
            return false;
    }
    return true;
}

static bool find_term_of(struct search *search, size_t argument, const double *input)
{
    const int64_t most = (int64_t)search->numbers.count - 1;
    for (int64_t offset = -most; offset <= most; offset++)
        for (int sign = -1; sign <= 1; sign += 2)
            if (try_term(search, input, offset, sign)) {
                wrong_name_array(search, argument);
                search->wrong->number = offset;
                return cause_found(search,
                                   sign < 0 ? SMC_WRONG_MISSING_TERM : SMC_WRONG_EXTRA_TERM);
            }
    return false;
}

/* Of sums over an array with one index, such as stencils. */
static bool find_term(struct search *search)
{
    const struct smc_exercise *exercise = search->comparison->exercise;
    bool is_found = false;
    for (size_t a = 0; a < exercise->arguments && !is_found; a++) {
        if (!is_input_array(search, a) || search->wrong->extents != 1)
            continue;
        const struct smc_user_memory *input = input_of(search, a);
        if (input->argument->type != search->numbers.type ||
            input->argument->elements != search->numbers.count || search->numbers.count < 3)
            continue;
        smc_auto_free double *values = read_numbers(&search->numbers, input->before);
        is_found = values && find_term_of(search, a, values);
    }
    return is_found;
}

/* Element i of the input becomes element source(i), if there is one. */
typedef uint64_t source_of(const uint64_t *extent, uint64_t i, int64_t offset);

static uint64_t transposed_source(const uint64_t *extent, uint64_t i, int64_t offset)
{
    (void)offset;
    return i % extent[1] * extent[0] + i / extent[1];
}

/* Within each tile of an edge. */
static uint64_t tile_transposed_source(const uint64_t *extent, uint64_t i, int64_t offset)
{
    const uint64_t edge = (uint64_t)offset, row = i / extent[1], column = i % extent[1];
    const uint64_t from_row = row - row % edge + column % edge,
                   from_column = column - column % edge + row % edge;
    return from_row < extent[0] && from_column < extent[1] ? from_row * extent[1] + from_column
                                                           : UINT64_MAX;
}

static uint64_t shifted_source(const uint64_t *extent, uint64_t i, int64_t offset)
{
    (void)extent;
    return i + (uint64_t)offset;
}

/* Launches the reference with an input rearranged. */
static bool try_rearranged(struct search *search, size_t argument, source_of *source,
                           int64_t offset)
{
    const struct smc_user_memory *input = input_of(search, argument);
    const uint64_t *extent = search->comparison->reference->extent[argument];
    const size_t width = smc_user_types[input->argument->type].bytes;
    char *kept = copy_input(input);
    if (!kept)
        return false;
    for (uint64_t i = 0; i < input->argument->elements; i++) {
        const uint64_t from = source(extent, i, offset);
        if (from < input->argument->elements)
            memcpy((char *)input->before + i * width, kept + from * width, width);
    }
    const bool is_alike = try_changed(search, argument, kept);
    search->wrong->number = offset;
    return is_alike;
}

static bool find_input_rearranged(struct search *search)
{
    const struct smc_exercise *exercise = search->comparison->exercise;
    for (size_t a = 0; a < exercise->arguments; a++)
        if (is_input_array(search, a) && exercise->argument[a].extents == 2 &&
            try_rearranged(search, a, transposed_source, 0))
            return cause_found(search, SMC_WRONG_INPUT_TRANSPOSED);
    const uint32_t edge = search->comparison->own->request.block[0];
    for (size_t a = 0; a < exercise->arguments; a++)
        if (is_input_array(search, a) && exercise->argument[a].extents == 2 && edge > 1 &&
            try_rearranged(search, a, tile_transposed_source, edge))
            return cause_found(search, SMC_WRONG_INPUT_TILES_TRANSPOSED);
    for (size_t a = 0; a < exercise->arguments; a++)
        for (int64_t offset = -1; offset <= 1; offset += 2)
            if (is_input_array(search, a) && try_rearranged(search, a, shifted_source, offset))
                return cause_found(search, SMC_WRONG_INPUT_SHIFTED);
    return false;
}

/* The elements of an input that count: along an axis, those whose index modulo the period is at
   least `first` and below `end`. */
struct kept_part {
    size_t axis;
    uint64_t period, first, end;
};

/* Launches the reference with an input that is 0 elsewhere. */
static bool try_part(struct search *search, size_t argument, struct kept_part part)
{
    const size_t extents = search->comparison->exercise->argument[argument].extents;
    const struct smc_user_memory *input = input_of(search, argument);
    const uint64_t *extent = search->comparison->reference->extent[argument];
    const size_t width = smc_user_types[input->argument->type].bytes;
    uint64_t after = 1; /* elements from one index of the axis to the next */
    for (size_t d = part.axis + 1; d < extents; d++)
        after *= extent[d];
    if (part.first >= part.end || part.period > extent[part.axis])
        return false;
    char *kept = copy_input(input);
    if (!kept)
        return false;
    for (uint64_t i = 0; i < input->argument->elements; i++) {
        const uint64_t at = i / after % extent[part.axis] % part.period;
        if (at < part.first || at >= part.end)
            memset((char *)input->before + i * width, 0, width);
    }
    const bool is_alike = try_changed(search, argument, kept);
    search->wrong->axis = part.axis;
    search->wrong->axes = extents;
    search->wrong->number = (int64_t)part.first;
    search->wrong->right = (int64_t)part.end;
    search->wrong->period = (int64_t)part.period;
    return is_alike;
}

/* A number of the launch that is used as the limit of an axis although it is not the axis's. */
static bool find_cut_at_number(struct search *search, size_t argument, size_t axis)
{
    const struct smc_exercise *exercise = search->comparison->exercise;
    const uint64_t extent = search->comparison->reference->extent[argument][axis];
    for (size_t a = 0; a < exercise->arguments; a++) {
        const struct smc_user_argument *number =
            &search->comparison->reference->run.request.argument[a];
        if (exercise->argument[a].extents > 0 ||
            smc_user_types[number->type].class == SMC_USER_FLOAT)
            continue;
        const double end = smc_user_any_number(number->type, &number->bits, 0);
        if (end < 1 || end >= (double)extent ||
            !try_part(search, argument, (struct kept_part){axis, extent, 0, (uint64_t)end}))
            continue;
        snprintf(search->wrong->other, sizeof search->wrong->other, "%s", argument_name(search, a));
        return cause_found(search, SMC_WRONG_INPUT_CUT);
    }
    return false;
}

/* The last, partial step of a loop over blocks or warps, a whole last step, all but the first, or
   the last element. */
static bool find_cut_on(struct search *search, size_t argument, size_t axis)
{
    const uint32_t *block = search->comparison->own->request.block;
    const uint64_t extent = search->comparison->reference->extent[argument][axis];
    const uint64_t edges[] = {block[0], block[1], SMC_WARP_LANES};
    uint64_t ends[3 * sizeof edges / sizeof *edges + 1] = {extent - 1};
    size_t count = 1;
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) {
        const uint64_t of_edge[] = {extent - extent % edges[i],
                                    extent > edges[i] ? extent - edges[i] : 0, edges[i]};
        for (size_t k = 0; k < sizeof of_edge / sizeof *of_edge; k++)
            ends[count++] = edges[i] > 1 && of_edge[k] < extent ? of_edge[k] : 0;
    }
    for (size_t i = 0; i < count; i++) {
        bool is_tried = ends[i] == 0;
        for (size_t k = 0; k < i; k++)
            is_tried |= ends[k] == ends[i];
        if (!is_tried && try_part(search, argument, (struct kept_part){axis, extent, 0, ends[i]}))
            return cause_found(search, SMC_WRONG_INPUT_CUT);
    }
    return find_cut_at_number(search, argument, axis);
}

/* Only the last step of a loop over blocks counts, or all but the first element. */
static bool find_begun_on(struct search *search, size_t argument, size_t axis)
{
    const uint32_t *block = search->comparison->own->request.block;
    const uint64_t extent = search->comparison->reference->extent[argument][axis];
    for (int i = 0; i < 3; i++) {
        const uint64_t edge = i < 2 ? block[i] : 0;
        const uint64_t begin = edge < 2        ? (i == 2 ? 1 : 0)
                               : extent % edge ? extent - extent % edge
                                               : extent - (edge < extent ? edge : extent);
        if (begin > 0 &&
            try_part(search, argument, (struct kept_part){axis, extent, begin, extent}))
            return cause_found(search, SMC_WRONG_INPUT_BEGUN);
    }
    return false;
}

/* Half of each pair, warp or block: a reduction that begins or ends one step too late or early. */
static bool find_half_on(struct search *search, size_t argument, size_t axis)
{
    const uint64_t periods[] = {2, SMC_WARP_LANES, search->comparison->own->request.block[0]};
    for (size_t i = 0; i < sizeof periods / sizeof *periods; i++) {
        const uint64_t period = periods[i], half = period / 2;
        if (try_part(search, argument, (struct kept_part){axis, period, 0, half}) ||
            try_part(search, argument, (struct kept_part){axis, period, half, period}))
            return cause_found(search, SMC_WRONG_INPUT_HALF);
    }
    return false;
}

static bool find_input_part(struct search *search)
{
    const struct smc_exercise *exercise = search->comparison->exercise;
    search->wrong->other[0] = '\0'; /* of what was tried before */
    for (size_t a = 0; a < exercise->arguments; a++)
        for (size_t axis = 0; is_input_array(search, a) && axis < exercise->argument[a].extents;
             axis++)
            if (find_cut_on(search, a, axis) || find_begun_on(search, a, axis) ||
                find_half_on(search, a, axis))
                return true;
    return false;
}

static bool try_swapped(struct search *search, size_t a, size_t b)
{
    struct smc_user_memory *first = input_of(search, a), *second = input_of(search, b);
    if (first->argument->type != second->argument->type || first->bytes != second->bytes)
        return false;
    void *kept = first->before;
    first->before = second->before;
    second->before = kept;
    const bool is_alike = reference_is_wrong_alike(search);
    second->before = first->before;
    first->before = kept;
    wrong_name_array(search, a);
    snprintf(search->wrong->other, sizeof search->wrong->other, "%s", argument_name(search, b));
    return is_alike;
}

static bool find_swapped(struct search *search)
{
    const size_t arguments = search->comparison->exercise->arguments;
    for (size_t a = 0; a < arguments; a++)
        for (size_t b = a + 1; b < arguments; b++)
            if (is_input_array(search, a) && is_input_array(search, b) && try_swapped(search, a, b))
                return cause_found(search, SMC_WRONG_INPUTS_SWAPPED);
    return false;
}

static bool try_number(struct search *search, size_t argument, int64_t right, int64_t other)
{
    struct smc_user_argument *number =
        &search->comparison->reference->run.request.argument[argument];
    const uint64_t kept = number->bits;
    if (other == right || other < 0)
        return false;
    number->bits = (uint64_t)other;
    const bool is_alike = reference_is_wrong_alike(search);
    number->bits = kept;
    wrong_name_array(search, argument);
    search->wrong->number = other;
    search->wrong->right = right;
    return is_alike;
}

/* One less or more, without the rest of a division by an edge of the block, or the threads of the
   launch. */
static bool find_number(struct search *search)
{
    const struct smc_exercise *exercise = search->comparison->exercise;
    const struct smc_user_request *reference = &search->comparison->reference->run.request;
    const uint32_t *block = search->comparison->own->request.block;
    const int64_t threads = (int64_t)search->comparison->own->request.grid[0] * block[0];
    for (size_t a = 0; a < exercise->arguments; a++) {
        const struct smc_user_argument *number = &reference->argument[a];
        if (exercise->argument[a].extents > 0 ||
            smc_user_types[number->type].class == SMC_USER_FLOAT)
            continue;
        const int64_t right = (int64_t)smc_user_any_number(number->type, &number->bits, 0);
        const int64_t others[] = {right - 1, right + 1, right - right % block[0],
                                  right - right % block[1], threads < right ? threads : right};
        for (size_t i = 0; i < sizeof others / sizeof *others; i++)
            if (try_number(search, a, right, others[i]))
                return cause_found(search, SMC_WRONG_OTHER_NUMBER);
    }
    return false;
}

/* The reference's result of the elements of an input from `first` on, added to the trial. */
static bool wrong_add_rest(struct search *search, size_t input, struct smc_user_argument *number,
                           uint64_t first)
{
    struct smc_exercise_launch *reference = search->comparison->reference;
    const struct smc_user_memory *memory = input_of(search, input),
                                 *result = input_of(search, search->comparison->exercise->result);
    const size_t width = smc_user_types[memory->argument->type].bytes;
    const uint64_t elements = memory->argument->elements, kept_bits = number->bits;
    struct numbers *numbers = &search->numbers;
    struct smc_error ignored = {""};
    char *kept = copy_input(memory);
    if (!kept)
        return false;
    memmove(memory->before, kept + first * width, (elements - first) * width);
    number->bits = elements - first;
    const bool ran = smc_exercise_launch_again(reference, search->warnings, &ignored) == SMC_OK &&
                     reference->run.result.emulated.finish.succeeded;
    memcpy(memory->before, kept, memory->bytes);
    number->bits = kept_bits;
    free(kept);
    for (uint64_t i = 0; i < numbers->count; i++)
        numbers->trial[i] +=
            smc_user_any_number(numbers->type, result->after_emulated, i) - numbers->before[i];
    return ran;
}

/* Sums to which each block adds all elements from its own first one on: the loop's stride is that
   of one block. Of a list whose length is an argument. */
static bool find_counted_again(struct search *search)
{
    enum { MOST_BLOCKS = 64 };
    const struct smc_exercise *exercise = search->comparison->exercise;
    struct smc_exercise_launch *reference = search->comparison->reference;
    const struct smc_user_request *own = &search->comparison->own->request;
    struct numbers *numbers = &search->numbers;
    for (size_t a = 0; a < exercise->arguments; a++)
        for (size_t n = 0; n < exercise->arguments; n++) {
            struct smc_user_argument *number = &reference->run.request.argument[n];
            if (!is_input_array(search, a) || exercise->argument[a].extents != 1 ||
                exercise->argument[n].extents > 0 || own->grid[0] > MOST_BLOCKS ||
                number->bits != input_of(search, a)->argument->elements)
                continue;
            bool ran = true;
            memcpy(numbers->trial, numbers->before, numbers->count * sizeof *numbers->trial);
            for (uint64_t block = 0; block < own->grid[0] && ran; block++)
                if (block * own->block[0] < number->bits)
                    ran = wrong_add_rest(search, a, number, block * own->block[0]);
            wrong_name_array(search, a);
            if (ran && is_trial(numbers))
                return cause_found(search, SMC_WRONG_COUNTED_AGAIN);
        }
    return false;
}

/* --- Where the wrong elements are ------------------------------------------------------------- */

/* Of each axis, the index after the last one that has a right element. */
static void find_wrong_from(const struct search *search, uint64_t from[SMC_EXERCISE_MOST_EXTENTS])
{
    const struct smc_wrong_result *wrong = search->wrong;
    uint64_t index[SMC_EXERCISE_MOST_EXTENTS] = {0};
    memset(from, 0, SMC_EXERCISE_MOST_EXTENTS * sizeof *from);
    for (uint64_t i = 0; i < wrong->elements; i++) {
        index_of(wrong, i, index);
        for (size_t axis = 0; axis < wrong->extents && !is_wrong(&search->numbers, i); axis++)
            if (index[axis] >= from[axis])
                from[axis] = index[axis] + 1;
    }
}

/* Whether all elements from some index of an axis on are wrong, and no others. */
static bool is_wrong_from(const struct search *search, const uint64_t *from)
{
    const struct smc_wrong_result *wrong = search->wrong;
    uint64_t right = 1;
    for (size_t axis = 0; axis < wrong->extents; axis++)
        right *= from[axis];
    return right > 0 && wrong->wrong == wrong->elements - right;
}

static bool find_tail(struct search *search)
{
    struct smc_wrong_result *wrong = search->wrong;
    const uint32_t *block = search->comparison->own->request.block;
    bool is_tail = true, is_first = true;
    find_wrong_from(search, wrong->from);
    if (!is_wrong_from(search, wrong->from))
        return false;
    for (size_t axis = 0; axis < wrong->extents; axis++) {
        const uint64_t edge = block[wrong->extents - 1 - axis], extent = wrong->extent[axis];
        const bool is_whole = wrong->from[axis] == extent;
        is_tail &= is_whole || (edge > 1 && wrong->from[axis] == extent - extent % edge);
        is_first &= is_whole || wrong->from[axis] == edge;
    }
    return (is_tail && cause_found(search, SMC_WRONG_TAIL)) ||
           (is_first && cause_found(search, SMC_WRONG_FIRST_BLOCK));
}

/* Of a matrix in tiles as large as the block, or as it is wide: whether exactly the tiles on the
   diagonal are right. */
static bool find_diagonal(struct search *search)
{
    const struct smc_wrong_result *wrong = search->wrong;
    const uint64_t edge = search->comparison->own->request.block[0];
    uint64_t index[SMC_EXERCISE_MOST_EXTENTS] = {0};
    if (wrong->extents != 2 || edge < 2 || wrong->extent[0] <= edge || wrong->extent[1] <= edge)
        return false;
    for (uint64_t i = 0; i < wrong->elements; i++) {
        index_of(wrong, i, index);
        if (is_wrong(&search->numbers, i) == (index[0] / edge == index[1] / edge))
            return false;
    }
    search->wrong->number = (int64_t)edge;
    return cause_found(search, SMC_WRONG_DIAGONAL);
}

/* Of an array with one index, cut into pieces of a length: whether only elements near the ends of
   the pieces are wrong, by less than a quarter of a block. */
static bool find_wrong_ends(struct search *search, uint64_t length, enum smc_wrong_cause cause)
{
    struct smc_wrong_result *wrong = search->wrong;
    const uint64_t edge = search->comparison->own->request.block[0];
    uint64_t reach = 0;
    if (wrong->extents != 1 || wrong->elements < 2 * edge)
        return false;
    for (uint64_t i = 0; i < wrong->elements; i++) {
        const uint64_t at = i % length, inside = at < length - 1 - at ? at : length - 1 - at;
        if (is_wrong(&search->numbers, i) && inside + 1 > reach)
            reach = inside + 1;
    }
    wrong->number = (int64_t)reach;
    return 4 * reach < edge && cause_found(search, cause);
}

static bool find_array_ends(struct search *search)
{
    return find_wrong_ends(search, search->wrong->elements, SMC_WRONG_ARRAY_ENDS);
}

static bool find_block_ends(struct search *search)
{
    const uint64_t edge = search->comparison->own->request.block[0];
    if (!find_wrong_ends(search, edge, SMC_WRONG_BLOCK_ENDS))
        return false;
    search->wrong->right = (int64_t)edge;
    return true;
}

static bool find_unwritten(struct search *search)
{
    return search->wrong->is_unwritten && cause_found(search, SMC_WRONG_UNWRITTEN);
}

/* --- All -------------------------------------------------------------------------------------- */

static void search_causes(struct search *search)
{
    static bool (*const causes[])(struct search *) = {
        find_nothing_written, find_added,      find_transposed,
        find_reversed,        find_shifted,    find_scaled,
        find_swizzled,        find_copied,     find_term,
        find_number,          find_swapped,    find_input_rearranged,
        find_input_part,      find_tail,       find_diagonal,
        find_array_ends,      find_block_ends, find_unwritten,
        find_counted_again,
    };
    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++)
        if (causes[i](search))
            return;
}

enum smc_status smc_exercise_find_cause(const struct smc_exercise_comparison *comparison,
                                        struct smc_wrong_result *wrong, struct smc_text *warnings,
                                        struct smc_error *error)
{
    const size_t result = comparison->exercise->result;
    const struct smc_user_memory *own = smc_exercise_memory(comparison->own, result);
    const struct smc_user_memory *right = smc_exercise_memory(comparison->reference, result);
    struct search search = {.comparison = comparison, .wrong = wrong, .warnings = warnings};
    struct numbers *numbers = &search.numbers;
    numbers->type = own->argument->type;
    numbers->count = own->argument->elements;
    numbers->slack = slack_of(comparison->exercise, right);
    numbers->own = read_numbers(numbers, own->after_emulated);
    numbers->right = read_numbers(numbers, right->after_emulated);
    numbers->before = read_numbers(numbers, own->before);
    numbers->trial = smc_malloc(numbers->count * sizeof *numbers->trial);
    const bool has_all = numbers->own && numbers->right && numbers->before && numbers->trial;
    if (has_all)
        search_causes(&search);
    free(numbers->own);
    free(numbers->right);
    free(numbers->before);
    free(numbers->trial);
    return has_all ? SMC_OK : smc_out_of_memory(error);
}
