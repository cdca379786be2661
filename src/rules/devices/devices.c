/* The table of boards, and finding a board or compute capability from what the user types. */
#include "rules/devices.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/parse.h"
#include "base/text.h"

/* What messages refer to. */
#ifdef SMC_LIBRARY
#define LISTS_DEVICES      "smc_device_at"
#define LISTS_CAPABILITIES "smc_capability_at"
#define DESCRIBES          "a struct smc_sm"
#else
#define LISTS_DEVICES      "'smemcalc devices'"
#define LISTS_CAPABILITIES LISTS_DEVICES
#define DESCRIBES          "--device-file"
#endif

/* --- The table -------------------------------------------------------------------------------- */

/* The columns of data/devices.csv. */
struct board_row {
    const char *name;
    const char *other_names; /* joined by ';' */
    const char *chip, *compute_capability;
    uint32_t sm_count;
    double boost_sm_clock_mhz, reported_clock_mhz;
    uint32_t memory_bus_bits;
    double memory_bandwidth_gbs;
    uint64_t l2_bytes;
    uint64_t global_mem_bytes; /* as marketed: 80 GB, although a driver reports slightly less */
    uint64_t global_mem_reported_bytes;
    uint32_t fp32_lanes_per_sm;
    double fp32_peak_tflops;
    const char *uncertain_cells, *source;
    const char *sm_groups; /* "16x5 18x2 8": five of 16 SMs, two of 18 and one of 8; or "" */
};

static const struct board_row rows[] = {
#include "rules/devices/boards.inc"
};

size_t smc_device_count(void)
{
    return sizeof rows / sizeof *rows;
}

uint16_t smc_device_cc_at(size_t index)
{
    uint16_t cc = 0;
    smc_capability_parse(rows[index].compute_capability, &cc);
    return cc;
}

static void devices_read_groups(const char *text, struct smc_sm_groups *groups)
{
    while (*text) {
        char *end;
        unsigned long sms = strtoul(text, &end, 10), times = 1;
        if (*end == 'x')
            times = strtoul(end + 1, &end, 10);
        for (; times > 0 && groups->count < SMC_MOST_SM_GROUPS; times--)
            groups->sms[groups->count++] = (uint16_t)sms;
        text = end + strspn(end, " ");
    }
}

void smc_device_at(size_t index, struct smc_device *out)
{
    const struct board_row *row = &rows[index];
    struct smc_capability capability = {0};
    smc_capability_find(smc_device_cc_at(index), &capability);
    smc_device_of_capability(&capability, out);
    snprintf(out->name, sizeof out->name, "%s", row->name);
    snprintf(out->chip, sizeof out->chip, "%s", row->chip);
    out->sm_count = row->sm_count;
    devices_read_groups(row->sm_groups, &out->sm_groups);
    out->sm_clock_khz = (uint32_t)(row->boost_sm_clock_mhz * 1000);
    out->memory_bus_bits = row->memory_bus_bits;
    out->memory_bytes_per_s = (double)(uint64_t)(row->memory_bandwidth_gbs * 1e9 + 0.5);
    out->l2_bytes = row->l2_bytes;
    out->global_mem_bytes =
        row->global_mem_reported_bytes ? row->global_mem_reported_bytes : row->global_mem_bytes;
    out->sm.fp32_lanes_per_sm = row->fp32_lanes_per_sm;
    out->fp32_peak_tflops = row->fp32_peak_tflops;
    out->uncertain = row->uncertain_cells;
    out->sources = row->source;
}

void smc_device_of_capability(const struct smc_capability *capability, struct smc_device *out)
{
    *out = (struct smc_device){
        .sm = capability->sm,
        .source = SMC_DEVICE_TABLE,
        .gpu_index = -1,
        .family = capability->family,
        .uncertain = capability->uncertain,
        .sources = capability->sources,
    };
    snprintf(out->name, sizeof out->name, "compute capability %d.%d", capability->sm.cc / 10,
             capability->sm.cc % 10);
}

/* --- Finding ---------------------------------------------------------------------------------- */

enum { WORDS = 128, GIB = 1 << 30 };

/* How well a board matches the text; only the boards with the best match are considered. */
enum fit {
    FIT_NONE,
    FIT_VARIANT, /* as below, but the board is a Ti or SUPER and the text names neither */
    FIT_WORDS,   /* each word is one of the name's: "A100 80GB" in "NVIDIA A100-SXM4-80GB" */
    FIT_OTHER,   /* another name of the board */
    FIT_MODEL,   /* the name without its brand words */
    FIT_NAME,    /* the whole name */
};

/* --- Names as words --- */

/* The length of these letters if the text begins with them, else 0. Most texts differ in the first
   one already. */
static size_t devices_length_of(const char *at, const char *letters)
{
    size_t length = *at == *letters ? strlen(letters) : 0;
    return length && strncmp(at, letters, length) == 0 ? length : 0;
}

/* Whether the text begins with this word, and no letter or digit follows. */
static bool devices_is_word(const char *at, const char *word)
{
    size_t length = devices_length_of(at, word);
    return length && !isalnum((unsigned char)at[length]);
}

/* The length of a word that may follow a number without a space, as in "4090laptop" and "a100pcie";
   0 if the text does not begin with one. */
static size_t variant_length(const char *at)
{
    static const char *const words[] = {"laptop", "mobile", "notebook", "desktop", "max q",
                                        "maxq",   "super",  "sxm",      "pcie",    "nvl"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (devices_length_of(at, words[i]))
            return devices_length_of(at, words[i]);
    size_t ti = devices_length_of(at, "ti");
    const char *next = at + ti;
    return ti && (!isalnum((unsigned char)*next) || devices_is_word(next, "s") ||
                  variant_length(next))
               ? ti
               : 0;
}

/* The length of "rtx" in "rtx4090", and of its like; 0 if no number follows such letters. */
static size_t series_length(const char *at)
{
    static const char *const series[] = {"rtx", "gtx", "gts", "gt"};
    for (size_t i = 0; i < sizeof series / sizeof *series; i++) {
        size_t length = devices_length_of(at, series[i]);
        if (length && isdigit((unsigned char)at[length]))
            return length;
    }
    return 0;
}

/* The length of " gb", "g" and their like, which follow a number as its unit; else 0. */
static size_t unit_length(const char *at)
{
    static const char *const units[] = {"gb", "gib", "g"};
    size_t gap = *at == ' ';
    if (devices_length_of(at, "ghbm")) /* "144G HBM3e" without spaces */
        return 1;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (devices_is_word(at + gap, units[i]))
            return gap + strlen(units[i]);
    return 0;
}

static size_t devices_append_word(char to[WORDS], size_t n, const char *from, size_t length)
{
    for (size_t i = 0; i < length && n + 1 < WORDS; i++)
        to[n++] = from[i];
    return n;
}

/* Separates words that are often written together ("rtx4090", "3070ti") and joins those that are
   one: "80 gb" and "80g" become "80gb", "max q" becomes "maxq". The S of "4070S" and "4070 TiS",
   but not of "L40S", is how vendors shorten SUPER. */
static void reshape_words(const char *from, char to[WORDS])
{
    size_t n = 0, digits = 0;
    bool after_variant = false;
    for (size_t i = 0; from[i];) {
        bool starts = i == 0 || from[i - 1] == ' ';
        bool after_digit = i > 0 && isdigit((unsigned char)from[i - 1]);
        digits = after_digit ? digits + 1 : 0;
        bool super = (digits == 4 || after_variant) && devices_is_word(from + i, "s");
        size_t series = starts ? series_length(from + i) : 0;
        size_t unit = after_digit ? unit_length(from + i) : 0;
        size_t variant = starts || after_digit || after_variant ? variant_length(from + i) : 0;
        size_t length = series ? series : unit ? unit : variant ? variant : 1;
        if ((variant || super) && !unit && !starts)
            n = devices_append_word(to, n, " ", 1);
        if (unit)
            n = devices_append_word(to, n, "gb", 2);
        else if (super)
            n = devices_append_word(to, n, "super", 5);
        else if (variant && devices_is_word(from + i, "max q"))
            n = devices_append_word(to, n, "maxq", 4);
        else
            n = devices_append_word(to, n, from + i, length);
        if (series)
            n = devices_append_word(to, n, " ", 1);
        after_variant = variant != 0;
        i += length;
    }
    to[n] = '\0';
}

/* Converts to lower case, with one space for each run of other characters than letters and
   digits. */
static void split_words(const char *from, size_t length, char to[WORDS])
{
    char words[WORDS];
    size_t n = 0;
    for (size_t i = 0; i < length && n + 1 < WORDS; i++) {
        unsigned char c = (unsigned char)from[i];
        if (isalnum(c) || c >= 0x80) /* of any alphabet */
            words[n++] = (char)tolower(c);
        else if (n > 0 && words[n - 1] != ' ')
            words[n++] = ' ';
    }
    while (n > 0 && words[n - 1] == ' ')
        n--;
    words[n] = '\0';
    reshape_words(words, to);
}

/* Skips words that are among the first `count` brands of the list. */
static const char *skip_brands(const char *words, size_t count)
{
    static const char *const brands[] = {"nvidia ", "geforce ", "tesla ", "quadro "};
    for (size_t i = 0; i < count && i < sizeof brands / sizeof *brands; i++) {
        size_t length = strlen(brands[i]), same = 0;
        while (same < length && tolower((unsigned char)words[same]) == brands[i][same])
            same++;
        if (same == length)
            words += length;
    }
    return words;
}

static const char *without_brand(const char *words)
{
    return skip_brands(words, SIZE_MAX);
}

/* Whether both have the same letters and digits, ignoring spaces. */
static bool same_letters(const char *a, const char *b)
{
    for (;; a++, b++) {
        a += strspn(a, " ");
        b += strspn(b, " ");
        if (*a != *b || !*a)
            return *a == *b;
    }
}

/* Where `wanted`, of `length`, ends in the words if they begin with it, ignoring spaces; else
   NULL. */
static const char *skip_letters(const char *words, const char *wanted, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (wanted[i] == ' ')
            continue;
        words += *words == ' ';
        if (*words++ != wanted[i])
            return NULL;
    }
    return words;
}

/* Whether `wanted`, of `length`, is one word or several neighbouring ones, ignoring spaces:
   "rtx4090" in "geforce rtx 4090", but not "h200" in "gh200". */
static bool has_run(const char *words, const char *wanted, size_t length)
{
    for (const char *start = words; start; start = strchr(start, ' ')) {
        const char *end = skip_letters(start += *start == ' ', wanted, length);
        if (end && (*end == ' ' || !*end))
            return true;
    }
    return false;
}

/* Whether a word such as "80gb" is the size of the board's memory. */
static bool is_memory(const char *word, size_t length, uint64_t bytes)
{
    char *end;
    unsigned long gigabytes = strtoul(word, &end, 10);
    return end > word && end + 2 == word + length && strncmp(end, "gb", 2) == 0 &&
           gigabytes == (bytes + GIB / 2) / GIB;
}

/* Whether one of the words is these letters and a number: "sxm4" for "sxm". */
static bool has_numbered(const char *words, const char *letters)
{
    size_t length = strlen(letters);
    for (const char *at = words; at; at = strchr(at, ' ')) {
        at += *at == ' ';
        size_t digits = strncmp(at, letters, length) == 0 ? strspn(at + length, "0123456789") : 0;
        if (digits && !isalnum((unsigned char)at[length + digits]))
            return true;
    }
    return false;
}

/* Whether the words name a laptop's GPU: "rtx 3070 laptop gpu", "gtx 1060 mobile", "gtx 960m",
   "quadro m2000m", "940mx", "mx150"; but not "tesla k20m". */
static bool is_mobile(const char *words)
{
    if (has_run(words, "laptop", 6) || has_run(words, "mobile", 6) ||
        (has_run(words, "maxq", 4) && has_run(words, "design", 6)) || has_numbered(words, "mx"))
        return true;
    const char *digit = words - 1 + strlen(words);
    for (; digit > words && strncmp(words, "tesla ", 6) != 0; digit--)
        if (isdigit((unsigned char)*digit) &&
            (devices_is_word(digit + 1, "m") || devices_is_word(digit + 1, "mx")))
            return true;
    return false;
}

/* Whether the board whose name has `words` is what this single word says. */
static bool is_said(const char *words, const char *word, uint64_t memory_bytes)
{
    if (devices_is_word(word, "laptop") || devices_is_word(word, "mobile") ||
        devices_is_word(word, "notebook"))
        return is_mobile(words);
    if (devices_is_word(word, "desktop"))
        return !is_mobile(words);
    if (devices_is_word(word, "maxq"))
        return has_run(words, "laptop", 6);
    if (devices_is_word(word, "sxm") || devices_is_word(word, "nvl"))
        return has_numbered(words, devices_is_word(word, "sxm") ? "sxm" : "nvl");
    return devices_is_word(word, "gpu") || devices_is_word(word, "card") ||
           devices_is_word(word, "graphics") || is_memory(word, strcspn(word, " "), memory_bytes);
}

static bool has_words(const char *words, const char *wanted, uint64_t memory_bytes)
{
    if (!*wanted || has_run(words, wanted, strlen(wanted)))
        return *wanted;
    while (*wanted) {
        size_t length = strcspn(wanted, " ");
        if (!has_run(words, wanted, length) && !is_said(words, wanted, memory_bytes))
            return false;
        wanted += length + (wanted[length] == ' ');
    }
    return true;
}

/* --- How well a board fits --- */

/* The text, and its words with and without brand. */
struct wanted_board {
    const char *typed;
    char words[WORDS];
    const char *model;
};

static void devices_make_ready(const char *typed, struct wanted_board *wanted)
{
    wanted->typed = typed;
    split_words(typed, strlen(typed), wanted->words);
    wanted->model = without_brand(wanted->words);
}

/* A Ti or SUPER is a separate product: "RTX 3070 Laptop" is not the RTX 3070 Ti Laptop GPU. */
static bool names_variant(const char *words, const struct wanted_board *wanted)
{
    static const char *const variants[] = {"ti", "super"};
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
        size_t length = strlen(variants[i]);
        if (has_run(words, variants[i], length) && !has_run(wanted->words, variants[i], length))
            return true;
    }
    return false;
}

static enum fit fit_of(const char *name, uint64_t memory_bytes, const struct wanted_board *wanted)
{
    char words[WORDS];
    split_words(name, strlen(name), words);
    if (!wanted->words[0])
        return FIT_NONE;
    if (same_letters(words, wanted->words))
        return FIT_NAME;
    if (*wanted->model && same_letters(without_brand(words), wanted->model))
        return FIT_MODEL;
    if (!has_words(words, *wanted->model ? wanted->model : wanted->words, memory_bytes))
        return FIT_NONE;
    return names_variant(words, wanted) ? FIT_VARIANT : FIT_WORDS;
}

/* The best fit of the board's name and its other names. */
static enum fit fit_of_board(size_t index, const struct wanted_board *wanted)
{
    uint64_t memory_bytes = rows[index].global_mem_bytes;
    enum fit best = fit_of(rows[index].name, memory_bytes, wanted);
    char other[WORDS];
    for (const char *at = rows[index].other_names; *at && best < FIT_OTHER;) {
        size_t length = strcspn(at, ";");
        snprintf(other, sizeof other, "%.*s", (int)length, at);
        enum fit fit = fit_of(other, memory_bytes, wanted);
        fit = fit > FIT_OTHER ? FIT_OTHER : fit;
        best = fit > best ? fit : best;
        at += length + (at[length] == ';');
    }
    if (best == FIT_NONE && rows[index].other_names[0]) {
        /* "H100 SXM5 80GB HBM3" has words of both. */
        char all[2 * WORDS];
        snprintf(all, sizeof all, "%s %s", rows[index].name, rows[index].other_names);
        best = fit_of(all, memory_bytes, wanted);
    }
    return best;
}

const char *smc_device_model(const struct smc_device *device)
{
    enum { ALL_BUT_QUADRO = 3 }; /* another generation also has an RTX 6000 */
    return skip_brands(device->name, ALL_BUT_QUADRO);
}

bool smc_device_has_name(const struct smc_device *device, const char *typed,
                         enum smc_name_match match)
{
    char words[WORDS];
    struct wanted_board wanted;
    devices_make_ready(typed, &wanted);
    if (match != SMC_NAME_PART)
        return fit_of(device->name, device->global_mem_bytes, &wanted) >=
               (match == SMC_NAME_WHOLE ? FIT_MODEL : FIT_VARIANT);
    split_words(device->name, strlen(device->name), words);
    for (const char *at = words; *at && wanted.words[0]; at++)
        if (skip_letters(at, wanted.words, strlen(wanted.words)))
            return true;
    return false;
}

bool smc_board_is_called(size_t index, const char *name)
{
    struct wanted_board wanted;
    devices_make_ready(name, &wanted);
    return fit_of_board(index, &wanted) >= FIT_OTHER;
}

/* Every board's fit, and the best of them. */
struct board_candidates {
    const struct wanted_board *wanted;
    enum fit fit;
    unsigned char fits[sizeof rows / sizeof *rows];
    size_t count, chosen;
};

static void find_candidates(const struct wanted_board *wanted, struct board_candidates *candidates)
{
    *candidates = (struct board_candidates){.wanted = wanted};
    for (size_t i = 0; i < smc_device_count(); i++) {
        enum fit fit = fit_of_board(i, wanted);
        candidates->fits[i] = (unsigned char)fit;
        candidates->fit = fit > candidates->fit ? fit : candidates->fit;
    }
}

bool smc_device_limits_vary(const char *typed, const struct smc_device *chosen)
{
    struct wanted_board wanted;
    struct board_candidates candidates;
    devices_make_ready(typed, &wanted);
    find_candidates(&wanted, &candidates);
    enum fit least = candidates.fit > FIT_WORDS ? FIT_WORDS : candidates.fit;
    for (size_t i = 0; i < smc_device_count() && least > FIT_NONE; i++)
        if (candidates.fits[i] >= least && smc_device_cc_at(i) != chosen->sm.cc)
            return true;
    return false;
}

/* --- "Did you mean" --- */

/* "rtx", 4, "4090": the letters before the first number of a model, and that number. */
struct series {
    char letters[16];
    size_t digits;
    const char *number; /* NULL: it has none */
};

static void find_series(const char *words, struct series *series)
{
    size_t n = 0;
    *series = (struct series){.number = strpbrk(words, "0123456789")};
    for (; series->number && words < series->number; words++)
        if (*words != ' ' && n + 1 < sizeof series->letters)
            series->letters[n++] = *words;
    series->digits = series->number ? strspn(series->number, "0123456789") : 0;
}

/* Whether the letters tell the generation, as the K of a Quadro K4000 and the H of an H100 do. That
   of a GeForce is told by the first digits of its number. */
static bool letters_tell(const struct series *series)
{
    static const char *const letters[] = {"mx", "gh", "gb", "gp", "gv", "rtxa"};
    return SMC_ANY(smc_is_same, series->letters, letters) ||
           (series->letters[0] && !series->letters[1]);
}

static bool is_round(const struct series *series)
{
    return series->digits == 4 && strncmp(series->number + 2, "00", 2) == 0;
}

/* Whether both are of one series, and their numbers have the same first digits. GeForce RTX 4090
   and RTX 4000 Ada share digits, but those of a GeForce do not end in 00. */
static bool same_series(const struct series *typed, const char *model, bool quadro, size_t first)
{
    struct series board;
    find_series(model, &board);
    if (!typed->number || !board.number)
        return !typed->number;
    if (board.digits < first || strncmp(typed->number, board.number, first) != 0)
        return false;
    if (letters_tell(typed) || letters_tell(&board))
        return strcmp(typed->letters, board.letters) == 0;
    if (typed->digits == 4)
        return board.digits == 4 && (quadro || is_round(typed)) == is_round(&board);
    return strcmp(typed->letters, board.letters) == 0 &&
           (typed->digits == 2 ? is_round(&board) == quadro : board.digits == typed->digits);
}

/* Considers a model name and its beginnings that contain a number, such as "a100" for "a100 sxm4
   40gb". `nearest` is set if one of them is nearer than the best so far. */
static void consider_model(struct smc_suggestion *suggestion, char *words, char nearest[WORDS])
{
    for (char *gap = words; gap; gap = strrchr(words, ' ')) {
        if (gap != words)
            *gap = '\0';
        size_t before = suggestion->best ? suggestion->distance : SIZE_MAX;
        if (gap == words || strpbrk(words, "0123456789"))
            smc_suggest_consider(suggestion, words);
        if (suggestion->best && suggestion->distance < before)
            snprintf(nearest, WORDS, "%s", words);
    }
}

/* The first board whose model is exactly these words, else the first that begins with them: "rtx
   4080" is the RTX 4080, not the RTX 4080 SUPER. */
static const char *board_of(const char *nearest)
{
    const char *first = NULL;
    char words[WORDS];
    size_t length = strlen(nearest);
    for (size_t i = 0; i < smc_device_count(); i++) {
        const char *name = rows[i].name;
        split_words(name, strlen(name), words);
        const char *model = without_brand(words);
        if (strcmp(model, nearest) == 0)
            return name;
        if (!first && strncmp(model, nearest, length) == 0 && model[length] == ' ')
            first = name;
    }
    return first;
}

struct near {
    struct smc_suggestion suggestion;
    char nearest[WORDS];
    uint16_t major; /* of the boards that were considered */
    bool mixed;     /* they are of several architectures */
};

static void consider_series(const struct wanted_board *wanted, const struct series *typed,
                            size_t first, struct near *near)
{
    char words[WORDS];
    bool quadro = strstr(wanted->words, "quadro ") != NULL;
    for (size_t i = 0; i < smc_device_count(); i++) {
        const char *name = rows[i].name;
        split_words(name, strlen(name), words);
        char *model = words + (without_brand(words) - words);
        if (!same_series(typed, model, quadro, first))
            continue;
        uint16_t major = smc_device_cc_at(i) / 10;
        near->mixed |= near->major && near->major != major;
        near->major = major;
        consider_model(&near->suggestion, model, near->nearest);
    }
}

/* The board with the nearest name among those of the same architecture: of the series, or of its
   boards with more of the same first digits if the series has several architectures (GTX 750 and
   760). NULL if the architecture is unknown, or if no name is near enough. */
static const char *find_near(const struct wanted_board *wanted)
{
    struct series typed;
    find_series(wanted->model, &typed);
    size_t first = letters_tell(&typed) || typed.digits < 2 ? 0
                   : typed.digits == 2                      ? 2
                                                            : typed.digits - 2;
    do {
        struct near near = {.suggestion = {.typed = wanted->model}};
        consider_series(wanted, &typed, first, &near);
        if (!near.mixed || !typed.number)
            return near.nearest[0] ? board_of(near.nearest) : NULL;
    } while (++first < typed.digits);
    return NULL;
}

/* The RTX 3090 for "RTX 3090 SXM": the board that is left without the last word, if its name means
   one architecture. */
static const char *find_without_last_word(const struct wanted_board *wanted)
{
    char words[WORDS];
    struct wanted_board shorter;
    struct smc_device device;
    snprintf(words, sizeof words, "%s", wanted->model);
    char *gap = strrchr(words, ' ');
    if (!gap)
        return NULL;
    *gap = '\0';
    devices_make_ready(words, &shorter);
    for (size_t i = 0; i < smc_device_count(); i++) {
        if (fit_of(rows[i].name, rows[i].global_mem_bytes, &shorter) < FIT_MODEL)
            continue;
        smc_device_at(i, &device);
        return smc_device_limits_vary(words, &device) ? NULL : rows[i].name;
    }
    return NULL;
}

static enum smc_status devices_fail_unknown(const struct wanted_board *wanted,
                                            struct smc_error *error)
{
    const char *plain = find_without_last_word(wanted);
    const char *near = plain ? plain : find_near(wanted);
    return smc_fail(error, SMC_USAGE,
                    "unknown device '%.64s'; %s%s%s" LISTS_DEVICES " lists them, or give a compute "
                    "capability such as 9.0",
                    wanted->typed, near ? "did you mean '" : "", near ? near : "",
                    near ? "'? " : "");
}

/* The compute capabilities of an architecture such as "hopper", with the first board of each. */
static void list_architecture(const struct wanted_board *wanted, struct smc_text *list)
{
    char words[WORDS];
    for (size_t i = 0; i < smc_capability_count() && *wanted->words; i++) {
        struct smc_capability capability;
        struct smc_device board;
        size_t first = 0;
        smc_capability_at(i, &capability);
        split_words(capability.family, strcspn(capability.family, "("), words);
        if (!has_run(words, wanted->words, strlen(wanted->words)))
            continue;
        while (first < smc_device_count() && smc_device_cc_at(first) != capability.sm.cc)
            first++;
        smc_text_printf(list, "%s%u.%u", list->length ? ", " : "", capability.sm.cc / 10,
                        capability.sm.cc % 10);
        if (first == smc_device_count())
            continue;
        smc_device_at(first, &board);
        smc_text_printf(list, " (%s)", smc_device_model(&board));
    }
}

/* --- Choosing among boards --- */

static bool same_chip(const struct smc_device *a, const struct smc_device *b)
{
    size_t length = strcspn(a->chip, " ");
    return length == strcspn(b->chip, " ") && strncmp(a->chip, b->chip, length) == 0;
}

/* What a name has beyond the text that was typed, without brands and series such as "RTX". */
struct surplus {
    size_t words;
    size_t memory; /* words about memory: "80gb", "hbm3" */
};

static struct surplus surplus_of(const char *name, const struct wanted_board *wanted)
{
    char words[WORDS];
    struct surplus surplus = {0, 0};
    split_words(name, strlen(name), words);
    for (const char *at = without_brand(words); *at;) {
        size_t length = strcspn(at, " ");
        bool series = devices_is_word(at, "rtx") || devices_is_word(at, "gtx") ||
                      devices_is_word(at, "gts") || devices_is_word(at, "gt") ||
                      devices_is_word(at, "jetson");
        bool memory = strncmp(at, "hbm", 3) == 0 ||
                      (isdigit((unsigned char)*at) && strncmp(at + length - 2, "gb", 2) == 0);
        if (!series && !has_run(wanted->words, at, length))
            *(memory ? &surplus.memory : &surplus.words) += 1;
        at += length + (at[length] == ' ');
    }
    return surplus;
}

/* Below 0 if `a` is plainer: "RTX 3060" before "RTX 3060 8GB" before "RTX 3060 Laptop GPU". */
static int compare_surplus(struct surplus a, struct surplus b)
{
    size_t left = a.words != b.words ? a.words : a.memory;
    size_t right = a.words != b.words ? b.words : b.memory;
    return left < right ? -1 : left > right;
}

/* Chooses the plainest board; of several, the one with the most SMs. False if these are of several
   compute capabilities, or of chips with different numbers of SMs. */
static bool devices_choose(struct board_candidates *candidates)
{
    struct smc_device best = {0}, device;
    struct surplus least = {0, 0};
    bool one_kind = true;
    for (size_t i = 0; i < smc_device_count(); i++) {
        if (candidates->fits[i] != candidates->fit)
            continue;
        struct surplus surplus = surplus_of(rows[i].name, candidates->wanted);
        int compared = candidates->count++ ? compare_surplus(surplus, least) : -1;
        if (compared > 0)
            continue;
        smc_device_at(i, &device);
        one_kind =
            compared < 0 || (one_kind && best.sm.cc == device.sm.cc &&
                             (same_chip(&best, &device) || best.sm_count == device.sm_count));
        if (compared < 0 || device.sm_count > best.sm_count) {
            best = device;
            least = surplus;
            candidates->chosen = i;
        }
    }
    return one_kind;
}

/* Lists the candidates except `left_out`, as many as fit into `most` characters. */
static void devices_list_candidates(const struct board_candidates *candidates, enum fit least,
                                    size_t left_out, size_t most, struct smc_text *list)
{
    struct smc_device device;
    size_t more = 0;
    for (size_t i = 0; i < smc_device_count(); i++) {
        if (i == left_out || candidates->fits[i] < least)
            continue;
        smc_device_at(i, &device);
        if (more || (list->length > 0 && list->length + strlen(device.name) > most))
            more++;
        else
            smc_text_printf(list, "%s%s", list->length > 0 ? ", " : "", device.name);
    }
    if (more)
        smc_text_printf(list, " and %zu more", more);
}

/* Reports that no board matches, that several do, or that the text names an architecture. */
static enum smc_status fail_to_find(const struct board_candidates *candidates,
                                    struct smc_error *error)
{
    enum { LIST = 160 };
    const struct wanted_board *wanted = candidates->wanted;
    smc_auto_text list = {0};
    list_architecture(wanted, &list);
    if (list.length)
        smc_fail(error, SMC_USAGE, "'%.64s' is an architecture, not a device; choose %s%s",
                 wanted->typed, strchr(smc_text_string(&list), ',') ? "one of " : "",
                 smc_text_string(&list));
    else if (candidates->fit == FIT_NONE)
        devices_fail_unknown(wanted, error);
    else {
        devices_list_candidates(candidates, candidates->fit, SIZE_MAX, LIST, &list);
        smc_fail(error, SMC_USAGE, "'%s' matches several devices: %s", wanted->typed,
                 smc_text_string(&list));
    }
    return SMC_USAGE;
}

/* Whether the table has the same name with another chip after it: drivers print "GeForce GT 730"
   for the "GeForce GT 730 GF108" too. */
static bool has_namesake(const char *name)
{
    size_t length = strlen(name);
    for (size_t i = 0; i < smc_device_count(); i++)
        if (strncmp(rows[i].name, name, length) == 0 && rows[i].name[length] == ' ' &&
            strcmp(rows[i].name + length + 1, rows[i].chip) == 0)
            return true;
    return false;
}

/* "RTX 6000" is the model name of the Quadro RTX 6000, but three newer boards are called that
   too. */
static bool leaves_doubt(const struct board_candidates *candidates, const struct smc_device *chosen)
{
    if (has_namesake(chosen->name))
        return true;
    if (candidates->fit != FIT_MODEL)
        return candidates->fit < FIT_MODEL || candidates->count > 1;
    char words[WORDS];
    split_words(chosen->name, strlen(chosen->name), words);
    return strncmp(words, "quadro ", 7) == 0 && !strstr(candidates->wanted->words, "quadro");
}

static void write_note(const struct board_candidates *candidates, const struct smc_device *chosen,
                       char note[256])
{
    enum { LIST = 90 };
    smc_auto_text list = {0};
    bool exact = candidates->fit >= FIT_MODEL;
    devices_list_candidates(candidates, exact ? FIT_WORDS : candidates->fit, candidates->chosen,
                            LIST, &list);
    if (!exact || list.length > 0)
        snprintf(note, 256, "closest match for '%.32s': %.60s (%u SM%s)%s%s",
                 candidates->wanted->typed, chosen->name, chosen->sm_count,
                 smc_text_plural(chosen->sm_count), list.length > 0 ? "; also " : "",
                 smc_text_string(&list));
}

/* The board that is called exactly so, which is by far the quickest to find; false if there is
   none, or another one that is meant as well. */
static bool find_exact(const char *typed, struct smc_device *out)
{
    for (size_t i = 0; i < smc_device_count(); i++)
        if (strcmp(rows[i].name, typed) == 0) {
            smc_device_at(i, out);
            return !has_namesake(typed);
        }
    return false;
}

static enum smc_status find_named_board(const char *typed, struct smc_device *out, char note[256],
                                        struct smc_error *error)
{
    if (find_exact(typed, out))
        return SMC_OK;
    struct wanted_board wanted;
    devices_make_ready(typed, &wanted);
    struct board_candidates candidates;
    find_candidates(&wanted, &candidates);
    if (candidates.fit == FIT_NONE || !devices_choose(&candidates))
        return fail_to_find(&candidates, error);
    smc_device_at(candidates.chosen, out);
    if (leaves_doubt(&candidates, out))
        write_note(&candidates, out, note);
    return SMC_OK;
}

/* --- Compute capabilities --- */

bool smc_capability_named(const char *text, uint16_t *cc)
{
    struct smc_capability capability;
    size_t digits = strspn(text, "0123456789");
    const char *suffix = text + digits;
    if (smc_capability_parse(text, cc))
        return true;
    if (digits < 2 || digits > 3)
        return false;
    *cc = (uint16_t)atoi(text);
    return smc_capability_find(*cc, &capability) &&
           (!*suffix || ((*suffix == 'a' || *suffix == 'f') && !suffix[1]));
}

/* Text that is meant as a compute capability but is malformed: "9.0x", "90b", "sm90". */
static bool is_capability_like(const char *text)
{
    struct smc_capability capability;
    size_t digits = strspn(text, "0123456789");
    const char *rest = text + digits;
    if (digits == 0)
        return (strncmp(text, "sm", 2) == 0 || strncmp(text, "compute", 7) == 0) &&
               strpbrk(text, "0123456789");
    if (*rest == '.')
        return true;
    return digits >= 2 && digits <= 3 && isalpha((unsigned char)*rest) && !rest[1] &&
           smc_capability_find((uint16_t)atoi(text), &capability);
}

/* "sm90", "SM_90a", "cc 9.0": a compute capability after its letters. */
static bool is_compact_capability(const char *text, uint16_t *cc)
{
    static const char *const letters[] = {"sm", "compute", "cc"};
    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++) {
        size_t length = strlen(letters[i]);
        if (strncasecmp(text, letters[i], length) == 0)
            return smc_capability_named(text + length + strspn(text + length, "_- "), cc);
    }
    return false;
}

enum smc_status smc_device_find(const char *text, struct smc_device *out, char note[256],
                                struct smc_error *error)
{
    uint16_t cc;
    struct smc_capability capability;
    note[0] = '\0';
    if (smc_capability_named(text, &cc)) {
        if (!smc_capability_find(cc, &capability))
            return smc_capability_fail(
                cc, LISTS_CAPABILITIES " lists those it has; " DESCRIBES " describes others",
                SMC_USAGE, error);
        smc_device_of_capability(&capability, out);
        return SMC_OK;
    }
    if (is_compact_capability(text, &cc))
        return smc_fail(error, SMC_USAGE, "unknown device '%s'; did you mean '%u.%u'?", text,
                        cc / 10, cc % 10);
    if (is_capability_like(text))
        return smc_fail(error, SMC_USAGE,
                        "'%s' is not a compute capability; write it as 9.0, 9.0a, 90, sm_90 or "
                        "sm_90a",
                        text);
    return find_named_board(text, out, note, error);
}

const char *smc_device_source_name(enum smc_device_source source)
{
    static const char *const names[] = {
        [SMC_DEVICE_TABLE] = "table",
        [SMC_DEVICE_LIVE] = "live",
        [SMC_DEVICE_FILE] = "file",
    };
    return names[source];
}
