/* lesson: every page fits and has numbers that other methods of counting confirm; every question is
   answered by the model. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "share.h"
#include "show/lesson/lesson_blocks.h"
#include "show/lesson/lesson_scene.h"
#include "unit.h"

enum { WIDEST = 200, WIDEST_SUMMARY = 65, SHARE_OF_DEVICES = 24 };

static struct smc_lesson_setting setting_of(const struct smc_device *device, unsigned columns)
{
    return (struct smc_lesson_setting){
        .device = device, .compile = {.no_nvrtc = true}, .columns = columns};
}

/* The lesson at the index; it stays open until the next one is. */
static const struct smc_lesson *lesson_at(size_t index, enum smc_language language)
{
    static struct smc_lesson lesson;
    struct smc_error error = {""};
    smc_lesson_free(&lesson);
    if (smc_lesson_open(index, language, &lesson, &error) != SMC_OK)
        printf("%s\n", error.message);
    return &lesson;
}

static const struct smc_lesson *lesson_named(const char *name)
{
    return lesson_at(smc_lesson_find(name), SMC_LANGUAGE_ENGLISH);
}

/* Boards, then compute capabilities without a board. */
static size_t device_count(void)
{
    return smc_device_count() + smc_capability_count();
}

static void device_at(size_t index, struct smc_device *device)
{
    struct smc_capability capability;
    if (index < smc_device_count()) {
        smc_device_at(index, device);
        return;
    }
    smc_capability_at(index - smc_device_count(), &capability);
    smc_device_of_capability(&capability, device);
}

/* --- How pages look ----------------------------------------------------------------------------*/

/* Returns what is wrong with a text that is to be shown; `lines` gets the number of its lines. */
static unsigned faults_of(const char *text, unsigned columns, unsigned *lines)
{
    unsigned faults = strpbrk(text, "{}\x1f\x1b") != NULL;
    faults += strstr(text, "\n\n\n") != NULL || *text == '\n' || strstr(text, " \n");
    faults += !*text || text[strlen(text) - 1] != '\n';
    for (*lines = 0; *text; ++*lines) {
        size_t length = strcspn(text, "\n");
        char line[1024];
        snprintf(line, sizeof line, "%.*s", (int)length, text);
        faults += smc_utf8_string_columns(line) > (int)columns;
        text += length + (text[length] == '\n');
    }
    return faults;
}

static unsigned faults_of_pages(const struct smc_lesson *lesson,
                                const struct smc_lesson_setting *setting)
{
    unsigned faults = 0, lines;
    for (size_t page = 0; page <= lesson->page_count; page++) {
        struct smc_text text = {0};
        enum smc_status status = page < lesson->page_count
                                     ? smc_lesson_page(lesson, page, setting, &text, NULL)
                                     : smc_lesson_question(lesson, setting, &text, NULL);
        unsigned here = faults_of(smc_text_string(&text), setting->columns, &lines);
        here += status != SMC_OK;
        here += setting->columns == SMC_LESSON_COLUMNS && lines > SMC_LESSON_LINES;
        if (here)
            printf("%s, page %zu, %u columns, %u lines:\n%s", lesson->name, page + 1,
                   setting->columns, lines, smc_text_string(&text));
        faults += here;
        smc_text_free(&text);
    }
    return faults;
}

static void test_every_width(void)
{
    unsigned faults = 0;
    for (size_t i = 0; i < SMC_LANGUAGE_COUNT * smc_lesson_count(); i++)
        for (unsigned columns = SMC_LESSON_LEAST_COLUMNS; columns <= WIDEST; columns++) {
            if (!share_takes(columns % 16 == i % 16 || columns == SMC_LESSON_LEAST_COLUMNS ||
                             columns == SMC_LESSON_COLUMNS || columns == WIDEST))
                continue;
            struct smc_lesson_setting setting = setting_of(NULL, columns);
            setting.utf8 = columns % 2;
            faults += faults_of_pages(
                lesson_at(i / SMC_LANGUAGE_COUNT, (enum smc_language)(i % SMC_LANGUAGE_COUNT)),
                &setting);
        }
    CU_ASSERT_EQUAL(faults, 0);
}

static void test_every_device(void)
{
    static const unsigned widths[] = {SMC_LESSON_LEAST_COLUMNS, SMC_LESSON_COLUMNS};
    unsigned faults = 0, accepted = 0;
    for (size_t i = 0; i < smc_lesson_count(); i++)
        for (size_t d = 0; d < device_count(); d++) {
            const enum smc_language language = (enum smc_language)(d % SMC_LANGUAGE_COUNT);
            const struct smc_lesson *lesson = lesson_at(i, language);
            struct smc_device device;
            device_at(d, &device);
            if (smc_lesson_accepts(lesson, &device, NULL) != SMC_OK ||
                !share_has(d / SMC_LANGUAGE_COUNT + i, SHARE_OF_DEVICES))
                continue;
            accepted++;
            for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
                struct smc_lesson_setting setting = setting_of(&device, widths[w]);
                faults += faults_of_pages(lesson, &setting);
            }
        }
    CU_ASSERT_EQUAL(faults, 0);
    CU_ASSERT(accepted > 300 / SHARE_OF_DEVICES);
}

static void test_list(void)
{
    CU_ASSERT(smc_lesson_count() >= 8);
    for (size_t i = 0; i < SMC_LANGUAGE_COUNT * smc_lesson_count(); i++) {
        const enum smc_language language = (enum smc_language)(i % SMC_LANGUAGE_COUNT);
        const struct smc_lesson *lesson = lesson_at(i / SMC_LANGUAGE_COUNT, language);
        struct smc_lesson_head head;
        smc_lesson_head_at(i / SMC_LANGUAGE_COUNT, language, &head);
        CU_ASSERT_EQUAL(smc_lesson_find(lesson->name), i / SMC_LANGUAGE_COUNT);
        CU_ASSERT_STRING_EQUAL(head.name, lesson->name);
        CU_ASSERT_STRING_EQUAL(head.title, lesson->title);
        CU_ASSERT_STRING_EQUAL(head.summary, lesson->summary);
        CU_ASSERT(lesson->page_count >= 3 && lesson->page_count <= 6);
        CU_ASSERT(*lesson->title && smc_utf8_string_columns(lesson->title) <= SMC_LESSON_COLUMNS);
        CU_ASSERT(*lesson->summary && smc_utf8_string_columns(lesson->summary) <= WIDEST_SUMMARY);
        for (size_t page = 0; page < lesson->page_count; page++)
            CU_ASSERT(smc_utf8_string_columns(lesson->page[page].heading) <
                      SMC_LESSON_LEAST_COLUMNS);
    }
    CU_ASSERT_EQUAL(smc_lesson_find("8800-GTX"), 0);
    CU_ASSERT_EQUAL(smc_lesson_find("8800"), smc_lesson_count());
}

/* --- Both languages ----------------------------------------------------------------------------*/

static int compare_texts(const void *a, const void *b)
{
    return strcmp(a, b);
}

enum { MOST_NUMBERS = 512, NUMBER_CHARS = 32 };

/* The numbers of a text, sorted: words have another order in another language. */
static size_t numbers_of(const char *text, char numbers[MOST_NUMBERS][NUMBER_CHARS])
{
    size_t count = 0;
    while (*(text += strcspn(text, "0123456789")) && count < MOST_NUMBERS) {
        size_t length = strspn(text, "0123456789.");
        snprintf(numbers[count++], NUMBER_CHARS, "%.*s",
                 (int)(text[length - 1] == '.' ? length - 1 : length), text);
        text += length;
    }
    qsort(numbers, count, NUMBER_CHARS, compare_texts);
    return count;
}

static void write_page(size_t index, enum smc_language language, size_t page,
                       const struct smc_device *device, struct smc_text *text)
{
    struct smc_lesson_setting setting = setting_of(device, WIDEST);
    const struct smc_lesson *lesson = lesson_at(index, language);
    enum smc_status status = page < lesson->page_count
                                 ? smc_lesson_page(lesson, page, &setting, text, NULL)
                                 : smc_lesson_question(lesson, &setting, text, NULL);
    CU_ASSERT_EQUAL(status, SMC_OK);
}

static bool has_same_figures(size_t index, size_t page, const struct smc_device *device)
{
    static char numbers[SMC_LANGUAGE_COUNT][MOST_NUMBERS][NUMBER_CHARS];
    struct smc_text text[SMC_LANGUAGE_COUNT] = {{0}};
    size_t count[SMC_LANGUAGE_COUNT];
    for (int i = 0; i < SMC_LANGUAGE_COUNT; i++) {
        write_page(index, (enum smc_language)i, page, device, &text[i]);
        count[i] = numbers_of(smc_text_string(&text[i]), numbers[i]);
    }
    bool same = count[0] == count[1];
    for (size_t i = 0; i < count[0] && same; i++)
        same = strcmp(numbers[0][i], numbers[1][i]) == 0;
    if (!same)
        printf("%zu numbers and %zu:\n%s%s", count[0], count[1], smc_text_string(&text[0]),
               smc_text_string(&text[1]));
    for (int i = 0; i < SMC_LANGUAGE_COUNT; i++)
        smc_text_free(&text[i]);
    return same;
}

static void test_same_figures(void)
{
    static const char *const devices[] = {"NVIDIA H200", "7.5", "RTX 4090"};
    for (size_t i = 0; i < smc_lesson_count(); i++)
        for (size_t d = 0; d < sizeof devices / sizeof *devices; d++) {
            struct smc_device device;
            char note[256];
            CU_ASSERT_EQUAL_FATAL(smc_device_find(devices[d], &device, note, NULL), SMC_OK);
            const struct smc_lesson *lesson = lesson_at(i, SMC_LANGUAGE_CHINESE);
            const size_t pages = lesson->page_count;
            const bool one_device = lesson->one_device;
            CU_ASSERT_EQUAL(pages, lesson_at(i, SMC_LANGUAGE_ENGLISH)->page_count);
            for (size_t page = 0; page <= pages; page++)
                CU_ASSERT(has_same_figures(i, page, one_device ? NULL : &device));
        }
}

static void test_language(void)
{
    static const struct {
        const char *name;
        bool known;
        enum smc_language language;
    } cases[] = {
        {"zh", true, SMC_LANGUAGE_CHINESE}, {"zh_CN.UTF-8", true, SMC_LANGUAGE_CHINESE},
        {"en", true, SMC_LANGUAGE_ENGLISH}, {"zhuang", false, SMC_LANGUAGE_ENGLISH},
        {"C", false, SMC_LANGUAGE_ENGLISH},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        enum smc_language language;
        CU_ASSERT_EQUAL(smc_language_find(cases[i].name, &language), cases[i].known);
        CU_ASSERT_EQUAL(language, cases[i].language);
    }
}

/* --- What pages say ----------------------------------------------------------------------------*/

/* Whether a page contains all the words, with any blanks and line ends between them. */
static bool says(const char *name, size_t page, const char *device, const char *words)
{
    const struct smc_lesson *lesson = lesson_named(name);
    struct smc_lesson_setting setting = setting_of(NULL, WIDEST);
    struct smc_device chosen;
    struct smc_text text = {0};
    char note[256], joined[8192];
    size_t length = 0;
    if (device && smc_device_find(device, &chosen, note, NULL) == SMC_OK)
        setting.device = &chosen;
    enum smc_status status = smc_lesson_page(lesson, page - 1, &setting, &text, NULL);
    for (const char *c = smc_text_string(&text); *c && length + 1 < sizeof joined; c++) {
        bool blank = *c == ' ' || *c == '\n';
        if (!blank || length == 0 || joined[length - 1] != ' ')
            joined[length++] = blank ? ' ' : *c;
    }
    joined[length] = '\0';
    bool found = status == SMC_OK && strstr(joined, words);
    if (!found)
        printf("%s, page %zu does not say '%s':\n%s", name, page, words, smc_text_string(&text));
    smc_text_free(&text);
    return found;
}

/* The figures of the textbooks. */
static void test_8800(void)
{
    CU_ASSERT(says("8800-gtx", 1, NULL,
                   "warps 24 (768 threads) registers 8192 shared memory 16384 "
                   "B block slots 8"));
    CU_ASSERT(says("8800-gtx", 2, NULL, "16 x 16 = 256 threads, which are 8 warps"));
    CU_ASSERT(says("8800-gtx", 2, NULL, "2048 B together"));
    CU_ASSERT(says("8800-gtx", 2, NULL, "3 blocks, 768 threads, occupancy 100 %"));
    CU_ASSERT(says("8800-gtx", 3, NULL, "256 x 11 = 2816"));
    CU_ASSERT(says("8800-gtx", 3, NULL, "2 blocks: 512 threads, occupancy 66.7 %"));
    CU_ASSERT(says("8800-gtx", 3, NULL, "1 to 10 3 100.0 %"));
    CU_ASSERT(says("8800-gtx", 4, NULL, "1024 threads, and this GPU refuses more than 512"));
    CU_ASSERT(says("8800-gtx", 4, NULL, "22 484 1 66.7 %"));
    CU_ASSERT(says("8800-gtx", 5, NULL, "33 to 40 6 75.0 %"));
}

/* A product of N x N, N = 1024: N loads of each element, N / T with tiles; 2 operations for two
   loads of 4 bytes. H200: 66.9 TFLOP/s and 4814 GB/s. */
static void test_tiling(void)
{
    CU_ASSERT(says("tiling", 1, NULL, "loaded 1024 times. The threads ask for 8.59 GB"));
    CU_ASSERT(says("tiling", 2, NULL, "its CGMA is 1, or 0.25 operations per byte"));
    CU_ASSERT(says("tiling", 2, NULL, "4814 x 0.25 = 1204 GFLOP/s"));
    CU_ASSERT(says("tiling", 3, NULL, "each is loaded 64 times instead of 1024"));
    CU_ASSERT(says("tiling", 3, NULL, "registers per thread (table nvrtc"));
    CU_ASSERT(says("tiling", 4, NULL, "8 128 8 2 "));
    CU_ASSERT(says("tiling", 4, NULL, "32 32 32 8 "));
    CU_ASSERT(says("tiling", 4, NULL, "ridge is at 13.9 operations per byte"));
    CU_ASSERT(says("tiling", 2, "9.0", "no bandwidth is known"));
    CU_ASSERT(says("tiling", 3, "2.0", "registers per thread (assumed"));
}

static unsigned greatest_common_divisor(unsigned a, unsigned b)
{
    return b ? greatest_common_divisor(b, a % b) : a;
}

static void test_banks(void)
{
    static const unsigned strides[] = {1, 2, 3, 4, 8, 16, 31, 32, 33};
    for (size_t i = 0; i < sizeof strides / sizeof *strides; i++) {
        char row[32];
        snprintf(row, sizeof row, " %u %u #", strides[i], greatest_common_divisor(strides[i], 32));
        CU_ASSERT(says("banks", 2, NULL, row));
    }
    CU_ASSERT(says("banks", 3, NULL, "It takes 32 wavefronts, where 1 would do"));
    CU_ASSERT(says("banks", 4, NULL, "float tile[32][33]"));
    CU_ASSERT(says("banks", 4, NULL, "it takes 1 wavefront, and a row 1 wavefront"));
    CU_ASSERT(says("banks", 4, NULL, "from 4096 B to 4224 B"));
    CU_ASSERT(says("banks", 5, NULL, "1 wavefront for a column, 1 wavefront for a row"));
}

/* The output of ptxas 13.0, and what an H200 accepted and refused. */
static void test_shared_memory(void)
{
    CU_ASSERT(says("shared-memory", 1, NULL, "4120 B"));
    CU_ASSERT(says("shared-memory", 2, NULL, "52096 B. stencil-static does not compile: ptxas"));
    CU_ASSERT(says("shared-memory", 2, NULL, "0xcb80 bytes where 0xc000 is the most"));
    CU_ASSERT(says("shared-memory", 2, NULL, "Radius 5632 is the largest"));
    CU_ASSERT(
        says("shared-memory", 3, NULL, "52096 B is refused, because a block gets at most 48 KB"));
    CU_ASSERT(says("shared-memory", 3, NULL, "an SM runs 2 blocks, occupancy 100 %"));
    CU_ASSERT(says("shared-memory", 4, NULL, "driver reserves 1024 bytes of every block"));
    CU_ASSERT(says("shared-memory", 5, NULL, "Its blocks are resident together"));
    CU_ASSERT(says("shared-memory", 5, "8.0", "This device has no clusters"));
    CU_ASSERT(says("shared-memory", 4, "7.5", "Here the driver reserves nothing"));
    for (unsigned blocks = 1; blocks <= 4; blocks++) {
        char row[64];
        snprintf(row, sizeof row, " %u %u 233472 ", blocks, 233472 / blocks / 128 * 128 - 1024);
        CU_ASSERT(says("shared-memory", 4, NULL, row));
    }
}

/* Two loads for each FMA without register tiles, 2 / edge with them; 128 lanes execute a warp's FMA
   in a quarter of a clock, 64 in half of one. */
static void test_occupancy(void)
{
    CU_ASSERT(says("occupancy", 2, NULL, "takes 0.25 clocks"));
    CU_ASSERT(says("occupancy", 2, "8.0", "takes 0.5 clocks"));
    CU_ASSERT(says("occupancy", 3, NULL, " 1 2 1 2.00 12.5 % "));
    CU_ASSERT(says("occupancy", 3, NULL, " 4 8 16 0.50 50.0 % "));
    CU_ASSERT(says("occupancy", 3, NULL, " 8 16 64 0.25 100.0 % "));
    CU_ASSERT(says("occupancy", 3, "8.0", " 4 8 16 0.50 100.0 % "));
    CU_ASSERT(says("occupancy", 4, NULL, " 8 104 2 25.0 % 100.0 %"));
    CU_ASSERT(says("occupancy", 5, NULL, "16 warps x 64 = 1024"));
}

static void test_memory(void)
{
    CU_ASSERT(says("memory", 3, NULL, "256 KB in registers and at most 228 KB"));
    CU_ASSERT(says("memory", 3, NULL, "if it opts in 232448 B"));
    CU_ASSERT(says("memory", 3, "9.0", "shared memory per SM 233472 B A register"));
    CU_ASSERT(says("memory", 4, NULL, "2048 B of shared memory"));
}

static void test_carveout(void)
{
    CU_ASSERT(says("carveout", 1, NULL, "H200 256 KB"));
    CU_ASSERT(says("carveout", 2, NULL, " 29 to 43 100 KB 156 KB "));
    CU_ASSERT(says("carveout", 3, NULL, "carve-out of 15 % is enough"));
    CU_ASSERT(says("carveout", 4, NULL, "0 asks for 0 KB, which is raised to 8 KB"));
    CU_ASSERT(says("carveout", 4, "7.5", "0 asks for 32 KB, which is enough for it"));
}

/* An H200: 658 clocks or 332.8 ns to DRAM, 4467 GB/s, 132 SMs of 4 x 16 warps. 16 x 4 / (4 + 658) =
   9.7 %; 4467 x 332.8 / 132 = 11263 bytes, 88 times 128; 8 warps of 128 bytes are 9 % of them. 289
   blocks are 54.7 % of two waves of 264. */
static void test_time(void)
{
    CU_ASSERT(says("time", 1, NULL, "arrives 658 clocks (333 ns) after its request. The"));
    CU_ASSERT(says("time", 1, NULL, " 4 9.7 % #"));
    CU_ASSERT(says("time", 1, NULL, " 16 38.0 % #"));
    CU_ASSERT(says("time", 1, "RTX 4090", "(as measured on an NVIDIA H200; on this board it"));
    CU_ASSERT(says("time", 1, "8.9", "(compute capability 8.9 is no board: the numbers are"));
    CU_ASSERT(says("time", 2, NULL, "DRAM 4467 333 11263 "));
    CU_ASSERT(says("time", 2, NULL, "For DRAM an SM needs 88 such warps; it can hold 64."));
    CU_ASSERT(says("time", 2, NULL, "22 are enough"));
    CU_ASSERT(says("time", 3, NULL, " 8 12.5 % 9 % 36 % 100 % "));
    CU_ASSERT(says("time", 3, NULL, " 64 100.0 % 73 % 100 % 100 % "));
    CU_ASSERT(says("time", 3, "T4", " 4 12.5 % "));
    CU_ASSERT(says("time", 4, NULL, "occupies the FMA lanes for 0.25 clocks"));
    CU_ASSERT(says("time", 4, NULL, "No time can be predicted here."));
    CU_ASSERT(says("time", 5, NULL, "2 blocks on each of the 132 SMs of the NVIDIA H200: 264 at"));
    CU_ASSERT(says("time", 5, NULL, " 512 256 1 97.0 % "));
    CU_ASSERT(says("time", 5, NULL, " 544 289 2 54.7 % "));
}

/* --- Questions ---------------------------------------------------------------------------------*/

static bool is_right(const struct smc_lesson *lesson, const struct smc_lesson_setting *setting,
                     const char *given)
{
    struct smc_text reply = {0};
    unsigned lines;
    bool right = false;
    CU_ASSERT_EQUAL(smc_lesson_check(lesson, setting, given, &right, &reply, NULL), SMC_OK);
    CU_ASSERT_EQUAL(faults_of(smc_text_string(&reply), setting->columns, &lines), 0);
    CU_ASSERT_EQUAL(strncmp(smc_text_string(&reply), "Right. ", 7) == 0, right);
    smc_text_free(&reply);
    return right;
}

/* The right answer, as the user would type it. */
static void solve(const struct smc_lesson *lesson, const struct smc_lesson_setting *setting,
                  struct smc_text *answer)
{
    struct smc_scene scene;
    double tolerance;
    smc_scene_open(lesson, setting, &scene);
    double right = smc_lesson_expected(&scene, &lesson->question.answer, &tolerance);
    CU_ASSERT_EQUAL(smc_scene_close(&scene, NULL), SMC_OK);
    if (lesson->question.choice_count > 0)
        smc_text_append_char(answer, (char)('a' + (int)right), 1);
    else
        smc_text_printf(answer, "%.0f", right);
}

/* The correct answer is accepted, and all others near it are rejected. */
static void check_question(const struct smc_lesson *lesson,
                           const struct smc_lesson_setting *setting)
{
    struct smc_text answer = {0};
    char given[32];
    solve(lesson, setting, &answer);
    CU_ASSERT(is_right(lesson, setting, smc_text_string(&answer)));
    int right = atoi(smc_text_string(&answer));
    bool letter = strchr("abc", smc_text_string(&answer)[0]) != NULL;
    for (int i = 0; i < 9; i++) {
        snprintf(given, sizeof given, letter ? "%c" : "%d", letter ? 'a' + i % 3 : right + i - 4);
        CU_ASSERT_EQUAL(is_right(lesson, setting, given),
                        strcmp(given, smc_text_string(&answer)) == 0);
    }
    smc_text_free(&answer);
}

static void test_questions(void)
{
    for (size_t i = 0; i < smc_lesson_count(); i++) {
        struct smc_lesson_setting setting = setting_of(NULL, SMC_LESSON_LEAST_COLUMNS);
        check_question(lesson_at(i, SMC_LANGUAGE_ENGLISH), &setting);
        for (size_t d = 0; d < device_count(); d++) {
            struct smc_device device;
            device_at(d, &device);
            setting.device = &device;
            const struct smc_lesson *lesson = lesson_at(i, SMC_LANGUAGE_ENGLISH);
            if (smc_lesson_accepts(lesson, &device, NULL) == SMC_OK &&
                share_has(d + i, SHARE_OF_DEVICES))
                check_question(lesson, &setting);
        }
    }
}

static bool answer_is(const char *name, const char *device, const char *expected)
{
    struct smc_lesson_setting setting = setting_of(NULL, SMC_LESSON_COLUMNS);
    struct smc_device chosen;
    char note[256];
    if (device && smc_device_find(device, &chosen, note, NULL) == SMC_OK)
        setting.device = &chosen;
    return is_right(lesson_named(name), &setting, expected);
}

/* The answers, calculated by hand. */
static void test_answers(void)
{
    CU_ASSERT(answer_is("8800-gtx", NULL, "8"));      /* slots; 12 by threads */
    CU_ASSERT(answer_is("tiling", NULL, "2"));        /* 16 / 8 bytes */
    CU_ASSERT(answer_is("banks", NULL, "4"));         /* gcd(36, 32) */
    CU_ASSERT(answer_is("shared-memory", NULL, "c")); /* (256 + 12000) x 4 = 49024 */
    CU_ASSERT(answer_is("shared-memory", NULL, "C"));
    CU_ASSERT(answer_is("occupancy", NULL, "3"));  /* 36 / 12 */
    CU_ASSERT(answer_is("memory", NULL, "4096"));  /* 64 x 64 */
    CU_ASSERT(answer_is("time", NULL, "44"));      /* 17 x 660 / (32 x 8) = 43.8 */
    CU_ASSERT(answer_is("carveout", NULL, "8"));   /* 32 KB: above 7 % of 228 */
    CU_ASSERT(answer_is("carveout", "7.5", "0"));  /* 32 KB is the smallest size */
    CU_ASSERT(answer_is("carveout", "8.6", "17")); /* 32 KB: above 16 % of 100 */
}

static void test_unreadable(void)
{
    static const struct {
        const char *lesson, *given, *message;
    } cases[] = {
        {"banks", "", "'' is not a number"},
        {"banks", "0x4", "'0x4' is not a number"},
        {"banks", "four", "'four' is not a number"},
        {"banks", "4 ", "'4 ' is not a number"},
        {"banks", "1e999", "'1e999' is not a number"},
        {"shared-memory", "", "'' is not a letter from a to c"},
        {"shared-memory", "d", "'d' is not a letter from a to c"},
        {"shared-memory", "cc", "'cc' is not a letter from a to c"},
        {"shared-memory", "\xc3", "'\xc3' is not a letter from a to c"},
    };
    struct smc_lesson_setting setting = setting_of(NULL, SMC_LESSON_COLUMNS);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct smc_error error = {""};
        struct smc_text reply = {0};
        bool right = true;
        CU_ASSERT_EQUAL(smc_lesson_check(lesson_named(cases[i].lesson), &setting, cases[i].given,
                                         &right, &reply, &error),
                        SMC_USAGE);
        CU_ASSERT_FALSE(right);
        CU_ASSERT_EQUAL(reply.length, 0);
        char expected[128];
        snprintf(expected, sizeof expected, "%s", cases[i].message);
        smc_utf8_make_safe(expected);
        CU_ASSERT_STRING_EQUAL(error.message, expected);
    }
}

/* --- Devices, launches, failures ---------------------------------------------------------------*/

static void test_devices(void)
{
    struct smc_lesson_setting setting = setting_of(NULL, SMC_LESSON_COLUMNS);
    struct smc_device device;
    struct smc_error error = {""};
    struct smc_text text = {0};
    char note[256];
    CU_ASSERT_EQUAL_FATAL(smc_device_find("6.1", &device, note, NULL), SMC_OK);
    setting.device = &device;
    CU_ASSERT_EQUAL(smc_lesson_page(lesson_named("carveout"), 0, &setting, &text, &error),
                    SMC_USAGE);
    CU_ASSERT_STRING_EQUAL(error.message,
                           "the lesson carveout needs compute capability 7.0 or above, not 6.1");
    CU_ASSERT_EQUAL(smc_lesson_page(lesson_named("8800-gtx"), 0, &setting, &text, &error),
                    SMC_USAGE);
    CU_ASSERT_STRING_EQUAL(error.message,
                           "the lesson 8800-gtx is about the GeForce 8800 GTX alone");
    CU_ASSERT_EQUAL(smc_lesson_page(lesson_named("banks"), 0, &setting, &text, &error), SMC_OK);
    smc_text_free(&text);
}

/* The launch for the explorer, and the command for a shell. */
static void test_launches(void)
{
    struct smc_lesson_setting setting = setting_of(NULL, SMC_LESSON_COLUMNS);
    struct smc_text command = {0};
    struct smc_query query;
    struct smc_answer answer;
    const struct smc_lesson *lesson = lesson_named("8800-gtx");
    CU_ASSERT_FALSE(smc_lesson_launch(lesson, 0, &setting, &query));
    CU_ASSERT_FATAL(smc_lesson_launch(lesson, 2, &setting, &query));
    CU_ASSERT_STRING_EQUAL(query.device.name, "GeForce 8800 GTX");
    CU_ASSERT_EQUAL(query.params.value[SMC_PARAM_TILE], 16);
    CU_ASSERT_EQUAL(query.params.given, 1u << SMC_PARAM_TILE);
    CU_ASSERT_EQUAL(smc_query_answer(&query, &answer, NULL, NULL), SMC_OK);
    CU_ASSERT_EQUAL(answer.occupancy.blocks_per_sm, 2);
    CU_ASSERT_EQUAL(smc_lesson_try(lesson, 0, &setting, &command, NULL), SMC_OK);
    CU_ASSERT_EQUAL(command.length, 0);
    CU_ASSERT_EQUAL(smc_lesson_try(lesson, 2, &setting, &command, NULL), SMC_OK);
    CU_ASSERT(
        smc_ends(smc_text_string(&command), " --tile 16 --regs 11 --device \"GeForce 8800 GTX\""));
    smc_text_free(&command);

    lesson = lesson_named("banks");
    CU_ASSERT_FALSE(smc_lesson_launch(lesson, 2, &setting, &query));
    CU_ASSERT_EQUAL(smc_lesson_try(lesson, 2, &setting, &command, NULL), SMC_OK);
    CU_ASSERT(smc_ends(smc_text_string(&command), " banks --expr '(tx*32 + ty)*4' --block 32x32"));
    smc_text_free(&command);
}

/* A kernel that cannot be compiled: pages that need its registers give the reason, the others are
   shown; no page is shown in part. */
static void test_failures(void)
{
    unsigned failed = 0, shown = 0;
    for (size_t i = 0; i < smc_lesson_count(); i++)
        for (size_t page = 0; page < lesson_at(i, SMC_LANGUAGE_ENGLISH)->page_count; page++) {
            struct smc_lesson_setting setting = setting_of(NULL, SMC_LESSON_COLUMNS);
            struct smc_error error = {""};
            struct smc_text text = {0};
            setting.compile = (struct smc_compile_options){
                .no_cache = true, .no_nvrtc = true, .kernel_dir = "/nowhere"};
            enum smc_status status =
                smc_lesson_page(lesson_at(i, SMC_LANGUAGE_ENGLISH), page, &setting, &text, &error);
            CU_ASSERT_EQUAL(status == SMC_OK, text.length > 0);
            CU_ASSERT_EQUAL(status == SMC_OK, !error.message[0]);
            failed += status != SMC_OK;
            shown += status == SMC_OK;
            smc_text_free(&text);
        }
    CU_ASSERT(failed > 5);
    CU_ASSERT(shown > 5);
}

/* --- A teacher's file --------------------------------------------------------------------------*/

#define HEAD "---\ntitle: T\n---\n"

static enum smc_status show(const char *file, struct smc_text *out, struct smc_error *error)
{
    struct smc_lesson_setting setting = setting_of(NULL, SMC_LESSON_COLUMNS);
    struct smc_lesson lesson;
    enum smc_status status = smc_lesson_parse("my/own.md", file, strlen(file), &lesson, error);
    for (size_t page = 0; page < lesson.page_count && status == SMC_OK; page++)
        status = smc_lesson_page(&lesson, page, &setting, out, error);
    if (status == SMC_OK && lesson.question.text.text)
        status = smc_lesson_question(&lesson, &setting, out, error);
    smc_lesson_free(&lesson);
    return status;
}

static void test_faults(void)
{
    static const struct {
        const char *file, *message;
    } cases[] = {
        {"# A page\n", "my/own.md:1: a lesson begins with a line '---'"},
        {"---\ntitle: T\n", "my/own.md:2: the head does not end in a line '---'"},
        {"---\n---\n# A\n", "my/own.md:2: the head has no title"},
        {"---\ntitle: T\ncolour: red\n---\n",
         "my/own.md:3: 'colour: red': the head has title, summary, device, needs, language and "
         "exercise"},
        {"---\ntitle: T\nneeds: new\n---\n",
         "my/own.md:3: 'new': not 'this device' or a compute capability such as 7.0"},
        {HEAD "text\n", "my/own.md:4: 'text': a page begins with a line '# HEADING'"},
        {HEAD, "my/own.md: the lesson has no page: a line '# HEADING'"},
        {HEAD "# A\n```smemcalc table\na | b\n",
         "my/own.md:5: 'table': the block does not end in a line '```'"},
        {HEAD "# A\n```smemcalc tables\na | b\n```\n",
         "my/own.md:6: 'tables': the blocks are names, try, table, curve, limits, banks, rows and "
         "question"},
        {HEAD "# A\none\ntwo {= blockz}\n",
         "my/own.md:6: no value 'blockz' in the answer to '--threads 32 --regs 16'"},
        {HEAD "# A\n{= 1 + }\n", "my/own.md:5: no value before ''"},
        {HEAD "# A\n{= --tile 99 : blocks_per_sm}\n",
         "my/own.md:5: option --tile: '99' is not between 1 and 32"},
        {HEAD "# A\n{= 1\n", "my/own.md:5: '{=' is not closed"},
        {HEAD "# A\n{? 1}\n", "my/own.md:5: '{?' has no ' : ' after its condition"},
        {HEAD "# A\n{= trace -- sh : x}\n",
         "my/own.md:5: 'trace': a lesson asks query, banks, carveout, limits or run"},
        {HEAD "# A\n{= --tile 8 --plot x.svg : x}\n",
         "my/own.md:5: option --plot: not in a lesson"},
        {HEAD "```smemcalc names\na = b\nb = a\n```\n# A\n{= a}\n",
         "my/own.md:6: nested too deep, or a name that is defined by itself"},
        {HEAD "```smemcalc names\na b\n```\n# A\n",
         "my/own.md:5: 'a b': not 'NAME: QUESTION' or 'NAME = EXPRESSION'"},
        {HEAD "# A\n```smemcalc table\nfor tile 8: --tile 8\n```\n",
         "my/own.md:6: not 'for NAME in VALUES: QUESTION' or 'for each LIST: QUESTION'"},
        {HEAD "# A\n```smemcalc question\nWhy?\nanswer: 1\nright: R\n```\n",
         "my/own.md:5: the question has no line 'hint: ...'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct smc_error error = {""};
        struct smc_text out = {0};
        CU_ASSERT_EQUAL(show(cases[i].file, &out, &error), SMC_USAGE);
        if (strcmp(error.message, cases[i].message) != 0)
            printf("%s\ninstead of %s\n", error.message, cases[i].message);
        CU_ASSERT_STRING_EQUAL(error.message, cases[i].message);
        smc_text_free(&out);
    }
}

/* What a teacher may write, and what is shown. */
static void test_elements(void)
{
    static const struct {
        const char *file, *shown;
    } cases[] = {
        {"one\ntwo\n\n- a **b**\n- c\n\n2. d\n", "one two\n\n- a b\n- c\n2. d\n"},
        {"{= 2 * (3 + 4) - 1} {= 7 / 2} {= 1e4 / 3} {= 7 / 2 | .2} {= 48 | hex}\n",
         "13 3.5 3333 3.50 0x30\n"},
        {"{= 1 | block(s)}, {= 2 | block(s)}, {= 12.34 | %}\n", "1 block, 2 blocks, 12.3 %\n"},
        {"{? 1 < 2 and not 0 : yes {= 5} | no}{? 0 : yes}{? 'a' == 'b' : x | y}\n", "yes 5y\n"},
        {"{= max(3, min(9, 5))} {= floor(2.7)} {= ceil(2.1)} {= round(2.5)} {= 1 / 0}\n",
         "5 2 3 3 unknown\n"},
        {"{= --tile 16 --device H200 : blocks_per_sm * threads_per_block}\n", "2048\n"},
        {"{= [a](https://b.c) {x}\n", NULL},
        {"see [the guide](https://b.c)\n", "see the guide (https://b.c)\n"},
        {"```smemcalc table\nn | twice\nfor n in 1..3 10: --tile 8\n{= n} | {= 2 * n}\n```\n",
         " n  twice\n 1      2\n 2      4\n 3      6\n10     20\n"},
        {"```smemcalc curve\nregs | blocks\nfor r in 30..34: --threads 256 --regs {= r}\n{= r} | "
         "{= "
         "blocks_per_sm}\n```\n",
         "    regs  blocks\n30 to 32       8\n33 to 34       6\n"},
        {"```smemcalc banks 2\nbanks --stride 2\n```\n",
         "bank    0       8       16      24\nlane 0  #...............................\n"
         "lane 1  ..#.............................\n"},
        {"```smemcalc rows next\n--tile 16 --regs 32\n```\n", "next"},
        {"```\na  {= 1}\n```\n", "a  {= 1}\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct smc_error error = {""};
        struct smc_text file = {0}, out = {0};
        smc_text_printf(&file, HEAD "# A\n%s", cases[i].file);
        enum smc_status status = show(smc_text_string(&file), &out, &error);
        CU_ASSERT_EQUAL(status, cases[i].shown ? SMC_OK : SMC_USAGE);
        const char *shown = cases[i].shown ? cases[i].shown : "";
        if (strncmp(smc_text_string(&out), shown, strlen(shown)) != 0)
            printf("%s%s\ninstead of\n%s", smc_text_string(&out), error.message, shown);
        CU_ASSERT_EQUAL(strncmp(smc_text_string(&out), shown, strlen(shown)), 0);
        smc_text_free(&file);
        smc_text_free(&out);
    }
}

/* Tolerances, choices and foreseen answers. */
static void test_own_question(void)
{
    static const char file[] = HEAD "# A\n```smemcalc question\nHow many?\nanswer: 200 within 5 %\n"
                                    "right: Yes.\nnot 20: Ten times\nas many.\nhint: Count.\n```\n";
    static const struct {
        const char *given, *reply;
    } cases[] = {
        {"200", "Right. Yes.\n"},
        {"209.9", "Right. Yes.\n"},
        {"211", "Not 211. Count.\n"},
        {"20", "Not 20. Ten times as many.\n"},
    };
    struct smc_lesson_setting setting = setting_of(NULL, SMC_LESSON_COLUMNS);
    struct smc_lesson lesson;
    CU_ASSERT_EQUAL(smc_lesson_parse("own.md", file, strlen(file), &lesson, NULL), SMC_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct smc_text reply = {0};
        bool right;
        CU_ASSERT_EQUAL(smc_lesson_check(&lesson, &setting, cases[i].given, &right, &reply, NULL),
                        SMC_OK);
        CU_ASSERT_STRING_EQUAL(smc_text_string(&reply), cases[i].reply);
        CU_ASSERT_EQUAL(right, i < 2);
        smc_text_free(&reply);
    }
    smc_lesson_free(&lesson);
}

/* Every lesson as a page for a browser: nothing from elsewhere, and no text that ends a tag. */
static void test_html(void)
{
    for (size_t i = 0; i < SMC_LANGUAGE_COUNT * smc_lesson_count(); i++) {
        const struct smc_lesson *lesson =
            lesson_at(i / SMC_LANGUAGE_COUNT, (enum smc_language)(i % SMC_LANGUAGE_COUNT));
        struct smc_lesson_setting setting = setting_of(NULL, SMC_LESSON_COLUMNS);
        struct smc_text html = {0};
        CU_ASSERT_EQUAL(smc_lesson_html(lesson, &setting, &html, NULL), SMC_OK);
        CU_ASSERT_PTR_NOT_NULL(strstr(smc_text_string(&html), "data-answer="));
        CU_ASSERT_PTR_NULL(strstr(smc_text_string(&html), "src="));
        CU_ASSERT_PTR_NULL(strstr(smc_text_string(&html), "url("));
        CU_ASSERT_PTR_NULL(strchr(smc_text_string(&html), '\x1f'));
        smc_text_free(&html);
    }
}

CU_TestInfo tests_lesson[] = {
    {"names, titles and headings", test_list},
    {"every page fits every width", test_every_width},
    {"every page holds for every device", test_every_device},
    {"the 8800 GTX as in the textbooks", test_8800},
    {"loads and CGMA of tiles", test_tiling},
    {"wavefronts of strides and tiles", test_banks},
    {"the wall, the opt-in, the reserve", test_shared_memory},
    {"the shared-memory wall and register tiles", test_occupancy},
    {"kinds of memory", test_memory},
    {"sizes of the carve-out", test_carveout},
    {"latency, Little's law, the wall and waves", test_time},
    {"right answers are accepted, others refused", test_questions},
    {"answers worked out by hand", test_answers},
    {"answers that cannot be read", test_unreadable},
    {"devices a lesson cannot be about", test_devices},
    {"launches for the explorer, commands for a shell", test_launches},
    {"both languages have the same figures", test_same_figures},
    {"names of languages", test_language},
    {"a teacher's file: faults are named by line", test_faults},
    {"a teacher's file: elements", test_elements},
    {"a teacher's file: tolerances and hints", test_own_question},
    {"pages for a browser", test_html},
    {"kernels that cannot be compiled", test_failures},
    CU_TEST_INFO_NULL,
};
