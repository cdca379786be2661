/* report: one answer fits one screen, JSON keeps its contract, CSV has as many fields as columns.
 */
#include <stdio.h>
#include <string.h>

#include <jansson.h>

#include "share.h"
#include "show/report/report.h"
#include "show/words/paragraphs.h"
#include "unit.h"

enum { COLUMNS = 80, ROWS = 24 };

static const struct smc_report_style ascii = {.columns = COLUMNS};
static const struct smc_report_style unicode = {.columns = COLUMNS, .utf8 = true};

/* An answer that depends only on the program. */
static enum smc_status answer(const char *kernel, enum smc_param param, int64_t value, int64_t regs,
                              const struct smc_device *device, struct smc_answer *out)
{
    struct smc_query query;
    smc_query_init(&query);
    query.device = *device;
    query.regs_per_thread = regs;
    query.compile.no_nvrtc = true;
    query.compile.no_cache = true;
    query.kernel = smc_kernel_find(kernel);
    smc_params_init(query.kernel, &query.params);
    query.params.value[param] = value;
    query.params.given = 1u << param;
    return smc_query_answer(&query, out, NULL, NULL);
}

static struct smc_device device_named(const char *name)
{
    struct smc_device device = {0};
    char note[256];
    CU_ASSERT_EQUAL(smc_device_find(name, &device, note, NULL), SMC_OK);
    return device;
}

/* Characters, not bytes: continuation bytes do not count. */
static bool fits(const char *text, size_t rows)
{
    size_t lines = 0, column = 0, widest = 0;
    for (; *text; text++) {
        if (*text == '\n') {
            lines++;
            column = 0;
        } else if (((unsigned char)*text & 0xc0) != 0x80 && ++column > widest) {
            widest = column;
        }
    }
    return column == 0 && lines > 0 && lines <= rows && widest <= COLUMNS;
}

/* A prediction with the longest words. */
static void set_time(struct smc_answer *answer)
{
    struct smc_time *time = &answer->time;
    if (answer->outcome != SMC_LAUNCHES)
        return;
    *time = (struct smc_time){
        .basis = SMC_TIME_SPECIFICATIONS,
        .predicted_ms = 0.123,
        .low_ms = 0.101,
        .high_ms = 0.151,
        .bound_by = SMC_TIME_SPECIAL,
        .next = SMC_TIME_ISSUE,
    };
    for (int i = 0; i < SMC_TIME_TERM_COUNT; i++)
        time->term_ms[i] = i == SMC_TIME_SPECIAL ? 0.12 : 0.1;
}

static bool answer_fits(const struct smc_answer *one, const struct smc_report_style *style)
{
    struct smc_text text = {.style = style};
    smc_writer_text.answers(one, 1, &text);
    bool good = !text.failed && fits(smc_text_string(&text), ROWS);
    if (!good)
        printf("%s", smc_text_string(&text));
    smc_text_free(&text);
    return good;
}

static void test_one_screen(void)
{
    static const int64_t counts[] = {0, 10, 33, 63};
    size_t answered = 0, too_large = 0;
    for (size_t d = 0; d < smc_device_count(); d++) {
        struct smc_device device;
        smc_device_at(d, &device);
        for (int64_t tile = 1 + (int64_t)(d % 3); tile <= 32; tile += 3) { /* all, over 3 boards */
            for (size_t r = 0; r < sizeof counts / sizeof *counts; r++) {
                struct smc_answer one;
                if (!share_has(d + (size_t)tile + r, 24))
                    continue;
                if (answer("matmul-tiled", SMC_PARAM_TILE, tile, counts[r], &device, &one))
                    continue;
                answered++;
                too_large += !answer_fits(&one, r % 2 ? &ascii : &unicode);
                set_time(&one);
                too_large += !answer_fits(&one, r % 2 ? &ascii : &unicode);
            }
        }
    }
    CU_ASSERT(answered > 500);
    CU_ASSERT_EQUAL(too_large, 0);
}

static void test_one_screen_of_a_stencil(void)
{
    static const int64_t radii[] = {0, 1, 3, 100, 5000, 6000, 1000000};
    size_t too_large = 0;
    for (size_t d = 0; d < smc_device_count(); d++) {
        struct smc_device device;
        smc_device_at(d, &device);
        device.sources = "";
        for (size_t r = 0; r < sizeof radii / sizeof *radii; r++) {
            if (!share_has(d + r, 5))
                continue;
            static const char *const kernels[] = {"stencil-static", "stencil-dynamic"};
            for (size_t k = 0; k < 2; k++) {
                struct smc_answer one;
                enum smc_status status =
                    answer(kernels[k], SMC_PARAM_RADIUS, radii[r], 24, &device, &one);
                too_large += status == SMC_OK && !answer_fits(&one, &ascii);
                if (status == SMC_OK)
                    set_time(&one);
                too_large += status == SMC_OK && !answer_fits(&one, &ascii);
            }
        }
    }
    CU_ASSERT_EQUAL(too_large, 0);
}

static char *text_of(const struct smc_writer *writer, const struct smc_answer *answers,
                     size_t count, const struct smc_report_style *style, struct smc_text *text)
{
    *text = (struct smc_text){.style = style};
    writer->answers(answers, count, text);
    CU_ASSERT(!text->failed && text->data);
    return text->data;
}

static void test_refused_launch(void)
{
    struct smc_device device = device_named("GeForce 8800 GTX");
    struct smc_answer one;
    struct smc_text text;
    CU_ASSERT_EQUAL(answer("matmul-tiled", SMC_PARAM_TILE, 32, 10, &device, &one), SMC_OK);
    const char *shown = text_of(&smc_writer_text, &one, 1, &ascii, &text);
    CU_ASSERT_EQUAL(
        strncmp(shown, "cannot launch: a block of 1024 threads; this device allows 512", 62), 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(shown, "shared memory      2    8192 B"));
    CU_ASSERT_PTR_NOT_NULL(strstr(shown, "--tile 16 (256 threads)"));
    smc_text_free(&text);
}

static void test_refused_compilation(void)
{
    struct smc_device device = device_named("NVIDIA H200");
    struct smc_answer one;
    struct smc_text text;
    CU_ASSERT_EQUAL(answer("stencil-static", SMC_PARAM_RADIUS, 6256, 20, &device, &one), SMC_OK);
    const char *shown = text_of(&smc_writer_text, &one, 1, &ascii, &text);
    CU_ASSERT_PTR_NOT_NULL(strstr(shown, "cannot compile: 51072 bytes (0xc780) of static shared"));
    CU_ASSERT_PTR_NOT_NULL(strstr(shown, "49152\n(0xc000)"));
    CU_ASSERT_PTR_NOT_NULL(strstr(shown, "smemcalc --kernel stencil-dynamic --radius 6256"));
    smc_text_free(&text);
}

/* The textbook case: one register more costs a block. */
static void test_explanation(void)
{
    static const struct {
        int64_t regs;
        const char *lines[4];
    } cases[] = {
        {10,
         {"16384 B per SM / 2048 B, rounded down = 8 blocks", "= 3 blocks (768 threads / 256)",
          "8192 registers per SM / 2560, rounded down = 3 blocks",
          "3 x 256 threads = 768 of 768 threads"}},
        {11,
         {"16384 B per SM / 2048 B, rounded down = 8 blocks", "= 3 blocks (768 threads / 256)",
          "8192 registers per SM / 2816, rounded down = 2 blocks",
          "2 x 256 threads = 512 of 768 threads"}},
    };
    struct smc_device device = device_named("GeForce 8800 GTX");
    struct smc_report_style style = ascii;
    style.explain = true;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct smc_answer one;
        struct smc_text text;
        CU_ASSERT_EQUAL(answer("matmul-tiled", SMC_PARAM_TILE, 16, cases[i].regs, &device, &one),
                        SMC_OK);
        const char *shown = text_of(&smc_writer_text, &one, 1, &style, &text);
        for (size_t k = 0; k < 4; k++)
            CU_ASSERT_PTR_NOT_NULL(strstr(shown, cases[i].lines[k]));
        CU_ASSERT(fits(shown, 60));
        smc_text_free(&text);
    }
}

/* The type whose operations take longer; float where a kernel has none of either. */
static void test_dtype(void)
{
    static struct smc_answer answer;
    CU_ASSERT_EQUAL(smc_query_dtype(&answer), SMC_FLOAT);
    answer.time.term_ms[SMC_TIME_FP64] = 1;
    CU_ASSERT_EQUAL(smc_query_dtype(&answer), SMC_DOUBLE);
    answer.time.term_ms[SMC_TIME_FMA] = 2;
    CU_ASSERT_EQUAL(smc_query_dtype(&answer), SMC_FLOAT);
}

static void test_json(void)
{
    struct smc_device device = device_named("NVIDIA H200");
    struct smc_answer answers[2];
    struct smc_text text;
    CU_ASSERT_EQUAL(answer("matmul-tiled", SMC_PARAM_TILE, 32, 31, &device, &answers[0]), SMC_OK);
    answers[1] = answers[0];
    json_t *root = json_loads(text_of(&smc_writer_json, answers, 1, &ascii, &text), 0, NULL);
    const char *schema = "", *name = "", *limiter = "";
    json_int_t sms, registers_limit, carveout;
    double percent;
    json_t *unlimited;
    CU_ASSERT_EQUAL(json_unpack(root, "{s:s,s:{s:s,s:I},s:{s:F,s:[s,s],s:{s:I,s:o},s:I}}", "schema",
                                &schema, "device", "name", &name, "sm_count", &sms, "occupancy",
                                "percent", &percent, "limiters", &limiter, &limiter, "limits",
                                "registers", &registers_limit, "virtual_resources", &unlimited,
                                "carveout_bytes", &carveout),
                    0);
    CU_ASSERT_STRING_EQUAL(schema, "smemcalc/1");
    CU_ASSERT_STRING_EQUAL(name, "NVIDIA H200");
    CU_ASSERT_STRING_EQUAL(limiter, "registers");
    CU_ASSERT(sms == 132 && registers_limit == 2 && carveout == 233472 && percent == 100.0);
    CU_ASSERT(json_is_null(unlimited));
    json_decref(root);
    smc_text_free(&text);

    root = json_loads(text_of(&smc_writer_json, answers, 2, &ascii, &text), 0, NULL);
    CU_ASSERT_EQUAL(json_array_size(json_object_get(root, "answers")), 2);
    json_decref(root);
    smc_text_free(&text);
}

static size_t count_fields(const char *line)
{
    size_t fields = 1;
    bool quoted = false;
    for (; *line && *line != '\n'; line++) {
        quoted ^= *line == '"';
        fields += *line == ',' && !quoted;
    }
    return fields;
}

static void test_csv(void)
{
    struct smc_device device = device_named("NVIDIA H200");
    snprintf(device.name, sizeof device.name, "A \"quoted\", board");
    struct smc_answer one;
    struct smc_text text;
    CU_ASSERT_EQUAL(answer("matmul-tiled", SMC_PARAM_TILE, 32, 31, &device, &one), SMC_OK);
    const char *shown = text_of(&smc_writer_csv, &one, 1, &ascii, &text);
    const char *row = strchr(shown, '\n') + 1;
    CU_ASSERT_EQUAL(count_fields(shown), count_fields(row));
    CU_ASSERT_EQUAL(strncmp(row, "\"A \"\"quoted\"\", board\",matmul-tiled,32,float,", 44), 0);
    CU_ASSERT_PTR_NOT_NULL(
        strstr(row, ",2,64,100,warps+registers,2,32,2,25,64,32768,9216,,,,,,,,0,\n"));
    smc_text_free(&text);
}

static void test_confirmation(void)
{
    struct smc_device device = device_named("NVIDIA H200");
    static struct smc_confirmed_run runs[2];
    struct smc_confirmed_run *one = &runs[0];
    one->result = (struct smc_run_result){.driver = "13.0", .runtime = "13.0"};
    one->confirmation = (struct smc_confirmation){
        .row_count = 4,
        .row = {{.quantity = "blocks_per_sm",
                 .label = "blocks per SM",
                 .unit = "",
                 .predicted = {true, 2},
                 .api = {true, 2},
                 .measured = {true, 3},
                 .verdict = SMC_DIFFERS,
                 .note = "seen more"},
                {.quantity = "launches",
                 .label = "launches",
                 .unit = "",
                 .predicted = {true, 1},
                 .measured = {true, 1},
                 .verdict = SMC_CONFIRMED},
                {.quantity = "time_ms",
                 .label = "time",
                 .unit = "ms",
                 .measured = {true, 0.25},
                 .verdict = SMC_INFORMATION,
                 .note = "no prediction yet"},
                {.quantity = "binding_limits",
                 .label = "binding limits",
                 .unit = "",
                 .words = "warps+registers",
                 .verdict = SMC_INFORMATION}},
        .confirmed = 1,
        .differing = 1,
    };
    struct smc_text text = {.style = &ascii};
    CU_ASSERT_EQUAL(answer("matmul-tiled", SMC_PARAM_TILE, 32, 31, &device, &one->answer), SMC_OK);
    runs[1] = *one;
    smc_writer_text.runs(runs, 1, &text);
    CU_ASSERT(fits(smc_text_string(&text), ROWS));
    CU_ASSERT_EQUAL(strncmp(smc_text_string(&text), "differs: 1 confirmed, 1 differs", 31), 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(smc_text_string(&text), "yes"));
    CU_ASSERT_PTR_NOT_NULL(strstr(smc_text_string(&text), "binding limits         warps+reg"));
    smc_text_free(&text);

    smc_writer_json.runs(runs, 2, &text);
    json_t *root = json_loads(smc_text_string(&text), 0, NULL);
    json_t *first = json_array_get(json_object_get(root, "confirmation"), 0);
    CU_ASSERT_EQUAL(json_integer_value(json_object_get(first, "measured")), 3);
    CU_ASSERT(json_is_null(json_object_get(first, "emulated")));
    CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(first, "verdict")), "differs");
    json_t *last = json_array_get(json_object_get(root, "confirmation"), 3);
    CU_ASSERT(json_is_null(json_object_get(last, "predicted")));
    CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(last, "predicted_text")),
                           "warps+registers");
    json_t *besides = json_object_get(root, "besides");
    CU_ASSERT_EQUAL(json_array_size(besides), 1);
    CU_ASSERT_PTR_NOT_NULL(json_object_get(json_array_get(besides, 0), "confirmation"));
    json_decref(root);
    smc_text_free(&text);

    smc_writer_csv.runs(runs, 2, &text);
    CU_ASSERT_EQUAL(strncmp(smc_text_string(&text), "kernel,quantity,unit,predicted,", 31), 0);
    unsigned lines = 0;
    for (const char *c = smc_text_string(&text); *c; c++)
        lines += *c == '\n';
    CU_ASSERT_EQUAL(lines, 1 + 2 * 4);
    CU_ASSERT_PTR_NOT_NULL(
        strstr(smc_text_string(&text), ",binding_limits,,warps+registers,,,,information,,,\n"));
    smc_text_free(&text);
}

static void test_colour_is_a_second_cue(void)
{
    struct smc_device device = device_named("NVIDIA H200");
    struct smc_report_style colour = ascii;
    colour.colour = true;
    struct smc_answer one;
    struct smc_text plain, coloured, stripped = {0};
    CU_ASSERT_EQUAL(answer("matmul-tiled", SMC_PARAM_TILE, 32, 31, &device, &one), SMC_OK);
    text_of(&smc_writer_text, &one, 1, &ascii, &plain);
    for (const char *c = text_of(&smc_writer_text, &one, 1, &colour, &coloured); *c; c++) {
        if (*c == '\x1b')
            c += strcspn(c, "m");
        else
            smc_text_append_char(&stripped, *c, 1);
    }
    CU_ASSERT_PTR_NULL(strchr(plain.data, '\x1b'));
    CU_ASSERT_PTR_NOT_NULL(strchr(coloured.data, '\x1b'));
    CU_ASSERT_STRING_EQUAL(smc_text_string(&stripped), plain.data);
    smc_text_free(&plain);
    smc_text_free(&coloured);
    smc_text_free(&stripped);
}

/* The least share has a mark, the whole has no gap, and no share has neither. */
static void test_bars(void)
{
    static const struct {
        double share;
        bool utf8;
        const char *bar;
    } cases[] = {
        {0, false, "...."},
        {1e-9, false, "#..."},
        {0.5, false, "##.."},
        {1, false, "####"},
        {0, true, "    "},
        {1e-9, true, "\xe2\x96\x8f   "},
        {0.5, true, "\xe2\x96\x88\xe2\x96\x88  "},
        {0.99, true, "\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct smc_text bar = {0};
        smc_layout_bar(&bar, cases[i].share, 4, cases[i].utf8);
        CU_ASSERT_STRING_EQUAL(smc_text_string(&bar), cases[i].bar);
        smc_text_free(&bar);
    }
}

CU_TestInfo tests_report[] = {
    {"an answer fits 80 x 24 on every board at every tile", test_one_screen},
    {"the type that a kernel computes with", test_dtype},
    {"so does a stencil's at any radius", test_one_screen_of_a_stencil},
    {"a launch that cannot happen says why, and what would fit", test_refused_launch},
    {"a kernel that cannot compile names the one that can", test_refused_compilation},
    {"the explanation derives 768 threads, and 512 with a register more", test_explanation},
    {"JSON has the keys and types of the contract", test_json},
    {"CSV quotes, and a row has a field for each column", test_csv},
    {"a confirmation shows its rows", test_confirmation},
    {"without colour nothing is lost", test_colour_is_a_second_cue},
    {"bars", test_bars},
    CU_TEST_INFO_NULL,
};
