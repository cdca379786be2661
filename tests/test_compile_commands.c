/* compile_commands.json: the words of a command, and the options that are kept. */
#include "config.h"

#include <string.h>

#include "inspect/compile_commands.h"
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

CU_TestInfo tests_compile_commands[] = {
    {"a command's words, as a shell splits them", test_words},
    {"the options that a source is compiled with", test_options},
    CU_TEST_INFO_NULL,
};
