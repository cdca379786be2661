/* annotation: counts by source line, from short PTX with a line table, and how they are shown.
   Expected counts were derived from the PTX by hand. */
#include <stdio.h>
#include <string.h>

#include "machine/emulator.h"
#include "show/report/writers.h"
#include "unit.h"

/* Two warps. Line 3 stores with a stride of two words: two wavefronts each. Line 4 makes one of the
   warps diverge. helper.h stores once for the 7 lanes that took the branch. */
static const char ptx[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
                          ".visible .entry k()\n{\n"
                          ".reg .pred %p<4>;\n.reg .b32 %r<16>;\n"
                          ".shared .align 4 .b8 s[1024];\n"
                          "mov.u32 %r1, %tid.x;\n"
                          ".loc 1 3 5\n"
                          "shl.b32 %r2, %r1, 3;\nmov.u32 %r3, s;\nadd.s32 %r2, %r2, %r3;\n"
                          "st.shared.u32 [%r2], %r1;\n"
                          ".loc 1 4 5\n"
                          "setp.ge.u32 %p1, %r1, 7;\n@%p1 bra END;\n"
                          ".loc 2 12 1, function_name L, inlined_at 1 4 9\n"
                          "st.shared.u32 [%r2], %r1;\n"
                          ".loc 1 6 1\n"
                          "END:\nmov.u32 %r4, 0;\nret;\n}\n"
                          ".file 1 \"/some/folder/k.cu\"\n.file 2 \"inc\033[31m/helper.h\"\n";

static const char source[] = "// k\n"
                             "__global__ void k() {\r\n"
                             "\ts[2 * x] = x;\n"
                             "\tif (x < 7) \033[31mred();\n"
                             "\n"
                             "}";

static void annotate(const char *name, const char *text, struct smc_annotation *annotation)
{
    struct smc_program *program;
    struct smc_error error = {""};
    struct smc_emulation emulation = {0};
    CU_ASSERT_EQUAL_FATAL(smc_program_read(ptx, strlen(ptx), NULL, &program, &error), SMC_OK);
    struct smc_emulation_request request = {.program = program,
                                            .grid = {1, 1, 1},
                                            .block = {64, 1, 1},
                                            .banks = {32, 32, 1, false, true}};
    CU_ASSERT_EQUAL_FATAL(smc_emulate(&request, &emulation, &error), SMC_OK);
    CU_ASSERT_EQUAL_FATAL(smc_annotate(program, &emulation, name, text, annotation, &error),
                          SMC_OK);
    smc_emulation_free(&emulation);
    smc_program_free(program);
}

static void test_lines(void)
{
    struct smc_annotation annotation = {0};
    annotate("k.cu", source, &annotation);
    CU_ASSERT_EQUAL_FATAL(annotation.lines, 8);
    for (uint32_t i = 0; i < 6; i++) {
        CU_ASSERT_EQUAL(annotation.line[i].line, i + 1);
        CU_ASSERT_STRING_EQUAL(annotation.line[i].file, "k.cu");
    }
    CU_ASSERT_STRING_EQUAL(annotation.line[1].text, "__global__ void k() {");
    CU_ASSERT_STRING_EQUAL(annotation.line[2].text, "    s[2 * x] = x;");
    CU_ASSERT_STRING_EQUAL(annotation.line[3].text, "    if (x < 7) ?[31mred();");
    CU_ASSERT_STRING_EQUAL(annotation.line[5].text, "}");

    const struct smc_annotated_line *store = &annotation.line[2], *branch = &annotation.line[3];
    CU_ASSERT_EQUAL(annotation.line[0].instructions, 0);
    CU_ASSERT_EQUAL(store->instructions, 4);
    CU_ASSERT_EQUAL(store->count.executions, 8);
    CU_ASSERT_EQUAL(store->count.lanes, 256);
    CU_ASSERT_EQUAL(store->count.shared_stores, 2);
    CU_ASSERT_EQUAL(smc_emulated_wavefronts(&store->count), 4);
    CU_ASSERT_EQUAL(smc_emulated_conflicts(&store->count), 2);
    CU_ASSERT_EQUAL(store->heat, 12);
    CU_ASSERT_EQUAL(branch->count.divergent, 1);
    CU_ASSERT_EQUAL(branch->heat, 4);

    const struct smc_annotated_line *helper = &annotation.line[6], *none = &annotation.line[7];
    CU_ASSERT_STRING_EQUAL(helper->file, "inc?[31m/helper.h");
    CU_ASSERT_EQUAL(helper->line, 12);
    CU_ASSERT_PTR_NULL(helper->text);
    CU_ASSERT_EQUAL(helper->count.lanes, 7);
    CU_ASSERT_EQUAL(helper->heat, 2);
    CU_ASSERT_PTR_NULL(none->file);
    CU_ASSERT_EQUAL(none->count.executions, 2);

    CU_ASSERT_EQUAL(annotation.hottest_count, 5);
    CU_ASSERT_PTR_EQUAL(annotation.hottest[0], store);
    CU_ASSERT_PTR_EQUAL(annotation.hottest[1], branch);
    CU_ASSERT_EQUAL(annotation.heat, 12 + 4 + 4 + 2 + 2);
    smc_annotation_free(&annotation);
}

/* A line table that refers to lines missing from the text, as after an edit: they are named. */
static void test_other_text(void)
{
    struct smc_annotation annotation = {0};
    annotate("k.cu", "// shorter\n\n", &annotation);
    CU_ASSERT_EQUAL(annotation.lines, 2 + 5);
    CU_ASSERT_PTR_NULL(annotation.line[3].text);
    annotate("C:\\folder\\k.cu", source, &annotation);
    CU_ASSERT_EQUAL(annotation.lines, 8);
    annotate("other.cu", "", &annotation);
    CU_ASSERT_EQUAL(annotation.lines, 5);
    CU_ASSERT_STRING_EQUAL(annotation.line[0].file, "/some/folder/k.cu");
    smc_annotation_free(&annotation);
}

static size_t widest(const char *text)
{
    size_t most = 0;
    for (; *text; text += *text == '\n') {
        size_t columns = 0;
        for (; *text && *text != '\n'; text++)
            columns += (*text & 0xc0) != 0x80;
        most = columns > most ? columns : most;
    }
    return most;
}

static void test_text(void)
{
    static const char expected[] =
        "\n  heat instr lanes shared confl split line  hottest lines\n"
        ">  50%     8    32      4     2     -    3  s[2 * x] = x;\n"
        ">  17%     4  30.2      -     -     1    4  if (x < 7) ?[31mred();\n"
        ">  17%     4    32      -     -     -    6  }\n"
        ">   8%     1     7      1     -     -   12  inc?[31m/helper.h\n"
        ">   8%     2    32      -     -     -    -  no line of any file\n"
        "\n  heat instr lanes shared confl split line  k.cu\n"
        "                                         1  // k\n"
        "                                         2  __global__ void k() {\n"
        ">  50%     8    32      4     2     -    3    s[2 * x] = x;\n"
        ">  17%     4  30.2      -     -     1    4    if (x < 7) ?[31mred();\n"
        "                                         5\n"
        ">  17%     4    32      -     -     -    6  }\n"
        "\n  heat instr lanes shared confl split line  inc?[31m/helper.h\n"
        ">   8%     1     7      1     -     -   12\n"
        "\n  heat instr lanes shared confl split line  elsewhere\n"
        ">   8%     2    32      -     -     -    -  no line of any file\n"
        "\n  heat: ";
    struct smc_annotation annotation = {0};
    struct smc_report_style style = {.columns = 80};
    struct smc_text out = {.style = &style};
    annotate("k.cu", source, &annotation);
    smc_text_annotation(&annotation, &out);
    CU_ASSERT_NSTRING_EQUAL(smc_text_string(&out), expected, sizeof expected - 1);
    if (strncmp(smc_text_string(&out), expected, sizeof expected - 1) != 0)
        printf("%s", smc_text_string(&out));
    smc_text_free(&out);
    smc_annotation_free(&annotation);
}

static void append_letters(struct smc_text *out, const char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        if (text[i] != ' ' && text[i] != '\t')
            smc_text_append_char(out, text[i], 1);
}

/* The source text of the first of the hottest lines, without its blanks. */
static void read_hottest(const char *report, struct smc_text *letters)
{
    const char *head = report + 1, *title = strstr(report, "hottest lines\n");
    CU_ASSERT_PTR_NOT_NULL_FATAL(title);
    size_t column = (size_t)(title - head);
    const char *row = strchr(title, '\n') + 1;
    do {
        size_t bytes = strcspn(row, "\n");
        CU_ASSERT_FATAL(bytes > column);
        append_letters(letters, row + column, bytes - column);
        row += bytes + 1;
    } while (*row == ' ');
}

/* For any source, no row is wider than the terminal, and no character of a counted line is lost. */
static void test_width(void)
{
    static const char *const lines[] = {
        ("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
         "a"
         "aaaaaaaa"),
        "                                                                         if (x) { y(); }",
        "\t\t\t\t\t\t\t\t\t\t\t\xc3\xa4\xc3\xb6 = 1 + 2 + 3 + 4 + 5 + 6 + 7 + 8 + 9 + 10;  ",
    };
    for (unsigned columns = 80; columns <= 120; columns++)
        for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
            struct smc_annotation annotation = {0};
            struct smc_report_style style = {.columns = columns, .utf8 = i == 2};
            struct smc_text text = {0}, out = {.style = &style}, expected = {0}, seen = {0};
            smc_text_printf(&text, "%s\n%s\n%s\n", lines[i], lines[i], lines[i]);
            annotate("k.cu", smc_text_string(&text), &annotation);
            smc_text_annotation(&annotation, &out);
            CU_ASSERT(widest(smc_text_string(&out)) <= columns);
            append_letters(&expected, lines[i], strlen(lines[i]));
            read_hottest(smc_text_string(&out), &seen);
            CU_ASSERT_STRING_EQUAL(smc_text_string(&seen), smc_text_string(&expected));
            smc_text_free(&text);
            smc_text_free(&out);
            smc_text_free(&expected);
            smc_text_free(&seen);
            smc_annotation_free(&annotation);
        }
}

static void test_scripts(void)
{
    struct smc_annotation annotation = {0};
    struct smc_text out = {0};
    annotate("k.cu", source, &annotation);
    smc_csv_annotation_head(&out);
    smc_csv_annotation("k,1", &annotation, &out);
    static const char expected[] =
        "kernel,file,line,heat,instructions,executions,active_lanes,shared_loads,"
        "shared_load_wavefronts,shared_stores,shared_store_wavefronts,bank_conflicts,"
        "global_requests,global_sectors,global_bytes,divergent_branches,source\n"
        "\"k,1\",k.cu,3,12,4,8,256,0,0,2,4,2,0,0,0,0,    s[2 * x] = x;\n";
    CU_ASSERT_NSTRING_EQUAL(smc_text_string(&out), expected, sizeof expected - 1);
    CU_ASSERT_PTR_NOT_NULL(strstr(smc_text_string(&out), "\n\"k,1\",,,2,1,2,64,"));
    smc_text_free(&out);

    json_t *list = smc_json_annotation(&annotation);
    CU_ASSERT_EQUAL_FATAL(json_array_size(list), 5);
    const json_t *first = json_array_get(list, 0), *last = json_array_get(list, 4);
    CU_ASSERT_EQUAL(json_integer_value(json_object_get(first, "line")), 3);
    CU_ASSERT_EQUAL(json_integer_value(json_object_get(first, "bank_conflicts")), 2);
    CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(first, "source")),
                           "    s[2 * x] = x;");
    CU_ASSERT(json_is_null(json_object_get(last, "file")));
    CU_ASSERT(json_is_null(json_object_get(last, "line")));
    json_decref(list);
    smc_annotation_free(&annotation);
}

CU_TestInfo tests_annotation[] = {
    {"counts by line", test_lines}, {"another text", test_other_text}, {"as text", test_text},
    {"at every width", test_width}, {"for scripts", test_scripts},     CU_TEST_INFO_NULL,
};
