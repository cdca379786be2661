/* compile_commands.json: the words of a command, and the options that are kept; inputs that stand
   for the same kernels. */
#include "config.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "code/readers/compile_commands.h"
#include "code/readers/doubles.h"
#include "unit.h"

static void join(char *const *word, size_t count, struct smc_text *text)
{
    for (size_t i = 0; i < count; i++)
        smc_text_printf(text, "%s[%s]", i ? " " : "", word[i]);
}

static void test_words(void)
{
    static const struct {
        const char *command, *words;
    } cases[] = {
        {"nvcc -c x.cu", "[nvcc] [-c] [x.cu]"},
        {"  a\t b\n", "[a] [b]"},
        {"-DA=\\\"x\\\" '-DB=a b' \"-DC=\\\"c d\\\"\"", "[-DA=\"x\"] [-DB=a b] [-DC=\"c d\"]"},
        {"a'b c'd \"\" ''", "[ab cd] [] []"},
        {"a\\ b \"\\x\" c\\", "[a b] [\\x] [c\\]"},
        {"\v\f a", "[\v\f] [a]"}, /* no blanks for a shell */
        {"'open", NULL},
        {"\"open\\\"", NULL},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct smc_words words;
        struct smc_text text = {0};
        bool split = smc_words_split(cases[i].command, &words);
        CU_ASSERT_EQUAL(split, cases[i].words != NULL);
        join(words.word, words.count, &text);
        CU_ASSERT_STRING_EQUAL(smc_text_string(&text), split ? cases[i].words : "");
        smc_text_free(&text);
        smc_words_free(&words);
    }
}

static void test_options(void)
{
    static const struct {
        const char *command, *options, *targets;
    } cases[] = {
        {"nvcc -arch=sm_90a -I inc -I/usr/x -isystem=y -DX=1 -D Y -std=c++17 -c x.cu -o x.o",
         "[-I/d/inc] [-I/usr/x] [-I/d/y] [-DX=1] [-DY] [-std=c++17]", "90a"},
        {"/opt/bin/nvcc -gencode arch=compute_80,code=sm_80 -gencode "
         "arch=compute_90,code=compute_90 "
         "--generate-code=arch=compute_120f,code=[compute_120f,sm_120f] -dc x.cu",
         "[-rdc=true]", "80 90 120f"},
        {"nvcc --use_fast_math -maxrregcount 64 -G -Xcompiler -fPIC -Xptxas=-v -MD -MT x.o -MF x.d "
         "-x cu x.cu",
         "[--use_fast_math] [-maxrregcount] [64] [-G] [-Xcompiler=-fPIC]", "*"},
        {"/nowhere/cuda-12.4/bin/nvcc -c x.cu", "", "52"},
        {"/nowhere/cuda/11.8/bin/nvcc -c x.cu", "", "52"},
        {"ccache /nowhere/cuda-13.0/bin/nvcc -DX -c x.cu", "[-DX]", "75"},
        {"/nowhere/cuda-12.4/bin/nvcc -arch=native -c x.cu", "", ""},
        {"/nowhere/cuda-10.2/bin/nvcc -c x.cu", "", ""},
        {"clang++ -c x.cu", "", ""},
        {"nvcc --options-file a.rsp -optf b.rsp -include c.h -o=x.o x.cu",
         "[--options-file=/d/a.rsp] [--options-file=/d/b.rsp] [--pre-include=/d/c.h]", ""},
        {"clang++ --cuda-gpu-arch=sm_86 -O3 -Wall -fPIC -Iinc -DX -std=c++20 -x cuda x.cu",
         "[-I/d/inc] [-DX] [-std=c++20]", "86"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct smc_text json = {0}, faults = {0}, options = {0}, targets = {0};
        struct smc_inputs inputs = {0};
        struct smc_error error = {""};
        size_t others;
        smc_text_printf(&json, "[{\"directory\": \"/d\", \"file\": \"x.cu\", \"command\": \"%s\"}]",
                        cases[i].command);
        CU_ASSERT_TRUE(smc_compile_commands_is(&json));
        CU_ASSERT_EQUAL(
            smc_compile_commands_read("c.json", &json, &inputs, &others, &faults, &error), SMC_OK);
        CU_ASSERT_EQUAL_FATAL(inputs.count, 1);
        const struct smc_input *input = &inputs.item[0];
        join(input->argument, input->argument_count, &options);
        for (size_t k = 0; k < input->target_count; k++)
            smc_text_printf(&targets, "%s%u%.1s", k ? " " : "", input->target[k].cc,
                            &input->target[k].suffix);
        CU_ASSERT_STRING_EQUAL(input->file, "/d/x.cu");
        CU_ASSERT_STRING_EQUAL(smc_text_string(&options), cases[i].options);
        if (strcmp(cases[i].targets, "*") != 0) /* the default of the nvcc here */
            CU_ASSERT_STRING_EQUAL(smc_text_string(&targets), cases[i].targets);
        smc_text_free(&json);
        smc_text_free(&options);
        smc_text_free(&targets);
        smc_inputs_free(&inputs);
    }
}

/* --- Many inputs ------------------------------------------------------------------------------ */

/* Each is compared with few others: a comparison of all with all takes minutes. */
enum { MANY = 200000, MOST_SECONDS = 20 };

static double seconds_since(clock_t begin)
{
    return (double)(clock() - begin) / CLOCKS_PER_SEC;
}

static void test_many_places(void)
{
    struct smc_double_places places = {0};
    const clock_t begin = clock();
    size_t index, wrong = 0;
    CU_ASSERT_FALSE(smc_double_places_find(&places, 1, 0, NULL));
    for (size_t i = 0; i < MANY; i++)
        wrong += smc_double_places_find(&places, i % 3, i, NULL) ||
                 !smc_double_places_add(&places, i % 3, i, i);
    for (size_t i = 0; i < MANY; i++)
        wrong += !smc_double_places_find(&places, i % 3, i, &index) || index != i ||
                 smc_double_places_find(&places, i % 3 + 1, i, NULL);
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT(seconds_since(begin) < MOST_SECONDS);
    smc_double_places_free(&places);
}

static void add_input(struct smc_inputs *inputs, const char *file, enum smc_input_content content)
{
    struct smc_input *input = smc_inputs_add(inputs, file);
    CU_ASSERT_PTR_NOT_NULL_FATAL(input);
    input->content = content;
}

static void test_replaced(void)
{
    static const struct {
        const char *file;
        enum smc_input_content content, expected;
    } cases[] = {
        {"a/scan.cu", SMC_CONTENT_SOURCE, SMC_CONTENT_NONE},
        {"b/scan.ptx", SMC_CONTENT_PTX, SMC_CONTENT_NONE},
        {"scan.cu.o", SMC_CONTENT_CODE, SMC_CONTENT_CODE},
        {"sort.cu", SMC_CONTENT_SOURCE, SMC_CONTENT_NONE},
        {"sort.ptx", SMC_CONTENT_PTX, SMC_CONTENT_PTX},
        {"sorted.cu", SMC_CONTENT_SOURCE, SMC_CONTENT_SOURCE},
        {"so.cu", SMC_CONTENT_SOURCE, SMC_CONTENT_SOURCE},
        {"x.cuh", SMC_CONTENT_HEADER, SMC_CONTENT_NONE},
        {"sort.log", SMC_CONTENT_LOG, SMC_CONTENT_LOG},
    };
    enum { CASES = sizeof cases / sizeof *cases };
    struct smc_inputs inputs = {0};
    size_t count;
    add_input(&inputs, "sorted.o", SMC_CONTENT_CODE); /* before `begin` */
    for (size_t i = 0; i < CASES; i++)
        add_input(&inputs, cases[i].file, cases[i].content);
    CU_ASSERT(smc_inputs_leave_out(&inputs, 1, &count));
    CU_ASSERT_EQUAL(count, 4);
    for (size_t i = 0; i < CASES; i++)
        CU_ASSERT_EQUAL(inputs.item[i + 1].content, cases[i].expected);
    smc_inputs_free(&inputs);
    add_input(&inputs, "x.cuh", SMC_CONTENT_HEADER); /* alone it is read */
    CU_ASSERT(smc_inputs_leave_out(&inputs, 0, &count));
    CU_ASSERT_EQUAL(count, 0);
    smc_inputs_free(&inputs);
}

static void test_many_replaced(void)
{
    struct smc_inputs inputs = {0};
    size_t count;
    const clock_t begin = clock();
    for (size_t i = 0; i < MANY; i++) {
        char name[32];
        snprintf(name, sizeof name, i % 2 ? "k%zu.cu" : "k%zu.o", i / 2);
        add_input(&inputs, name, i % 2 ? SMC_CONTENT_SOURCE : SMC_CONTENT_CODE);
    }
    CU_ASSERT(smc_inputs_leave_out(&inputs, 0, &count));
    CU_ASSERT_EQUAL(count, MANY / 2);
    CU_ASSERT(seconds_since(begin) < MOST_SECONDS);
    smc_inputs_free(&inputs);
}

CU_TestInfo tests_compile_commands[] = {
    {"a command's words, as a shell splits them", test_words},
    {"the options that a source is compiled with", test_options},
    {"many places on disk", test_many_places},
    {"files that others replace", test_replaced},
    {"many files that others replace", test_many_replaced},
    CU_TEST_INFO_NULL,
};
