/* inspect: names of kernels, patterns, order and filters of many kernels. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answers/inspect.h"
#include "answers/selection.h"
#include "code/names.h"
#include "code/user_kernels.h"
#include "show/words/kernel_names.h"
#include "unit.h"

/* --- Names ------------------------------------------------------------------------------------ */

static void test_parts(void)
{
    static const struct {
        const char *shown, *whole, *last, *arguments, *bare;
    } cases[] = {
        {"k", "k", "k", "", "k"},
        {"_Z1kv", "_Z1kv", "_Z1kv", "", "_Z1kv"},
        {"void a::b<int>::k<1, c<2> >(int)", "a::b<int>::k<1, c<2> >", "k<1, c<2> >", "<1, c<2> >",
         "a::b::k"},
        {"void (anonymous namespace)::k<(b::E)1>(int (*)(int))",
         "(anonymous namespace)::k<(b::E)1>", "k<(b::E)1>", "<(b::E)1>",
         "(anonymous namespace)::k"},
        {"void k<(anonymous namespace)::f>((anonymous namespace)::f)",
         "k<(anonymous namespace)::f>", "k<(anonymous namespace)::f>", "<(anonymous namespace)::f>",
         "k"},
        {"void k<&(a::operator<(int, int))>(int)", "k<&(a::operator<(int, int))>",
         "k<&(a::operator<(int, int))>", "<&(a::operator<(int, int))>", "k"},
        {"void k<(1)>(2), ((3)<(4))>(int)", "k<(1)>", "k<(1)>", "<(1)>", "k"},
        {"void k<((1)>(2)), ((3)<(4))>(int)", "k<((1)>(2)), ((3)<(4))>", "k<((1)>(2)), ((3)<(4))>",
         "<((1)>(2)), ((3)<(4))>", "k"},
        {"operator<(a, b)", "operator<", "operator<", "", "operator<"},
        {"bool a::operator<< <int>(int)", "a::operator<< <int>", "operator<< <int>", "<int>",
         "a::operator<< "},
        {"void k<f(int)::{lambda(int)#1}>(f(int)::{lambda(int)#1})", "k<f(int)::{lambda(int)#1}>",
         "k<f(int)::{lambda(int)#1}>", "<f(int)::{lambda(int)#1}>", "k"},
        {"std::enable_if<(1>0), void>::type ns::k<-1>(int)", "", "", "", ""},
        {"std::enable_if<true, void>::type ns::k<-1>(int)", "ns::k<-1>", "k<-1>", "<-1>", "ns::k"},
        {"void k[abi:v1]<int>(int) [clone .1]", "k[abi:v1]<int>", "k[abi:v1]<int>", "<int>",
         "k[abi:v1]"},
        {"k<", "k<", "k<", "", "k"},
        {")", ")", ")", "", ")"},
        {"", "", "", "", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct smc_name name;
        char whole[128], last[128], arguments[128], bare[128] = "";
        smc_name_parse(cases[i].shown, &name);
        if (!cases[i].whole[0] && cases[i].shown[0])
            continue; /* any parts: only that nothing beyond the name is read */
        snprintf(whole, sizeof whole, "%.*s", (int)name.length, name.begin);
        snprintf(last, sizeof last, "%.*s", (int)(name.length - name.last), name.begin + name.last);
        snprintf(arguments, sizeof arguments, "%.*s", (int)(name.length - name.arguments),
                 name.begin + name.arguments);
        smc_name_bare(&name, bare, sizeof bare);
        CU_ASSERT_STRING_EQUAL(whole, cases[i].whole);
        CU_ASSERT_STRING_EQUAL(last, cases[i].last);
        CU_ASSERT_STRING_EQUAL(arguments, cases[i].arguments);
        CU_ASSERT_STRING_EQUAL(bare, cases[i].bare);
    }
}

/* Names from a file may be anything. */
static void test_hostile_names(void)
{
    static const char letters[] = "ab:<>()[]{} ,*&-operator";
    uint64_t state = 12345;
    for (int i = 0; i < 20000; i++) {
        char text[40], bare[16];
        size_t length = i % (sizeof text - 1);
        for (size_t n = 0; n < length; n++) {
            state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
            text[n] = letters[(state >> 33) % (sizeof letters - 1)];
        }
        text[length] = '\0';
        char *exact = malloc(length + 1); /* so that sanitizers see what is read beyond it */
        CU_ASSERT_PTR_NOT_NULL_FATAL(exact);
        memcpy(exact, text, length + 1);
        struct smc_name name;
        smc_name_parse(exact, &name);
        CU_ASSERT(name.begin >= exact && name.begin + name.length <= exact + length);
        CU_ASSERT(name.last <= name.arguments && name.arguments <= name.length);
        CU_ASSERT(smc_name_bare(&name, bare, sizeof bare) < sizeof bare);
        struct smc_text shown = {0};
        smc_kernel_name_brief(exact, &shown);
        smc_kernel_name_shorten(exact, &shown);
        smc_text_free(&shown);
        free(exact);
    }
    char deep[2000];
    struct smc_name name;
    memset(deep, '<', sizeof deep - 1);
    deep[0] = 'k';
    deep[sizeof deep - 1] = '\0';
    smc_name_parse(deep, &name);
    CU_ASSERT_EQUAL(name.length, sizeof deep - 1);
}

static void test_brief_names(void)
{
    static const struct {
        const char *name, *brief;
    } cases[] = {
        {"k", "k"},
        {"void a::b::k<int>(int*)", "k<int>"},
        {"void cub::R::DeviceReduceKernel<cub::policy_hub<float, int>::Policy1000, float const*, "
         "cuda::std::__4::plus<void> >(int)",
         "DeviceReduceKernel<Policy1000, float const*, plus<..>>"},
        {"void k<(a::E)1, (anonymous namespace)::f>(int)", "k<(E)1, f>"},
        {"void k<void (*)(a::b)>(int)", "k<void (*)(b)>"},
        {"void k<a::f(b::T&, int)::{lambda(float)#1}, int>(int)", "k<f::{lambda#1}, int>"},
        {"void k<a::add<float>::operator()(b::T&)::{lambda(float, float)#2}>(int)",
         "k<add<..>::operator()::{lambda#2}>"},
        {"void k<a::f(b::T&)::{lambda()#3}::operator()() const::{lambda()#7}::operator()() "
         "const::{lambda(float)#1}, c::d>(int)",
         "k<f::{lambda#3}::{lambda#7}::{lambda#1}, d>"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct smc_text text = {0};
        smc_kernel_name_brief(cases[i].name, &text);
        CU_ASSERT_STRING_EQUAL(smc_text_string(&text), cases[i].brief);
        smc_text_free(&text);
    }
}

static uint64_t family_of(const char *shown)
{
    struct smc_name name;
    smc_name_parse(shown, &name);
    return smc_name_family(&name);
}

static void test_families(void)
{
    CU_ASSERT_EQUAL(family_of("void a::k<int>(int)"), family_of("void a::k<float>(float)"));
    CU_ASSERT_EQUAL(family_of("void a<1>::k(int)"), family_of("void a<2>::k(int)"));
    CU_ASSERT_NOT_EQUAL(family_of("void a::k<int>(int)"), family_of("void b::k<int>(int)"));
    CU_ASSERT_NOT_EQUAL(family_of("k"), family_of("l"));
}

static bool matches(const char *shown, const char *pattern)
{
    char mangled[] = "_Z4name";
    const struct smc_inspect_kernel kernel = {.name = mangled, .shown = (char *)shown};
    return smc_name_matches_kernel(&kernel, pattern);
}

static void test_patterns(void)
{
    static const char gemm[] = "void ns::gemm<float, 4>(float*)";
    static const struct {
        const char *shown, *pattern;
        bool matches;
    } cases[] = {
        {gemm, "gemm", true},
        {gemm, "emm<float", true},
        {gemm, "gemm*", true},
        {gemm, "gem?", true},
        {gemm, "ns::gemm", true},
        {gemm, "ns::*", true},
        {gemm, "*<float, 4>", true},
        {gemm, "gemm<float,*>", true},
        {gemm, "ns::gemm<*", true},
        {gemm, "[f-h]emm", true},
        {gemm, "[f-h]em[!m]", false},
        {gemm, "[f-h]emm*", true},
        {gemm, "[!g]emm*", false},
        {gemm, "gem", true},
        {gemm, "ge*x", false},
        {gemm, "emm*", false},
        {gemm, "_Z4name", true},
        {gemm, "_Z4*", true},
        {gemm, "*", true},
        {gemm, "", true},
        {gemm, "[", false},
        {gemm, "[g", false},
        {gemm, "[!", false},
        {gemm, "***gemm***", true},
        {"(anonymous namespace)::k(int)", "(anonymous namespace)::k", true},
        {"(anonymous namespace)::k(int)", "(anonymous*::k", true},
        {"(anonymous namespace)::k(int)", "k*", true},
        {"void (anonymous namespace)::k<1>(int)", "k*", true},
        {"void k<&a::operator< >(int)", "k*", true},
        {"void k<int*>(int*)", "k<int\\*>", true},
        {"void k<intx>(int)", "k<int\\*>", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool found = matches(cases[i].shown, cases[i].pattern);
        CU_ASSERT_EQUAL(found, cases[i].matches);
    }
}

/* Matching needs nothing from the heap, so that it cannot fail. */
static void test_patterns_without_memory(void)
{
    char shown[3000] = "void ";
    for (size_t i = 5; i + 1 < sizeof shown; i++)
        shown[i] = i % 2 ? 'a' : 'b';
    CU_ASSERT(matches(shown, "*ab*"));
    CU_ASSERT(!matches(shown, "c*"));
}

/* --- Order, filters, summary ------------------------------------------------------------------ */

static const char *const files[] = {"a.cu", "b.cu"};

/* A kernel of 9.0 and its row; 0 threads: unknown. */
struct sample {
    const char *name;
    uint32_t regs, spilled, threads;
    int file;
};

static const struct sample samples[] = {
    {"full", 32, 0, 256, 0},     {"spills", 32, 64, 256, 0}, {"low", 255, 0, 256, 1},
    {"refused", 80, 0, 2048, 1}, {"unknown", 168, 8, 0, 1},
};
enum { SAMPLES = sizeof samples / sizeof *samples };

static void answer(struct smc_inspect_kernels *kernels, struct smc_inspect_rows *rows)
{
    struct smc_stated threads[SAMPLES];
    struct smc_inspect_request request = {.threads_per_block = SMC_NOT_GIVEN,
                                          .stated[SMC_STATED_THREADS].item = threads,
                                          .settings = SMC_LAUNCH_INIT};
    for (size_t i = 0; i < SAMPLES; i++) {
        const struct sample *s = &samples[i];
        struct smc_inspect_kernel kernel = {.file = files[s->file],
                                            .cc = 90,
                                            .has_spills = true,
                                            .resources = {.regs_per_thread = s->regs,
                                                          .spill_store_bytes = s->spilled / 2,
                                                          .spill_load_bytes = s->spilled / 2}};
        CU_ASSERT_FATAL(smc_user_kernels_add(kernels, s->name, strlen(s->name), &kernel));
        if (s->threads)
            threads[request.stated[SMC_STATED_THREADS].count++] =
                (struct smc_stated){.pattern = (char *)s->name, .number = s->threads};
    }
    CU_ASSERT_EQUAL_FATAL(smc_inspect_answer(kernels, &request, rows, NULL), SMC_OK);
    CU_ASSERT_EQUAL_FATAL(rows->count, SAMPLES);
}

/* The names in the order of the rows, joined by blanks. */
static const char *names_of(const struct smc_inspect_rows *rows)
{
    static char names[256];
    size_t length = 0;
    names[0] = '\0';
    for (size_t i = 0; i < rows->count; i++)
        length += (size_t)snprintf(names + length, sizeof names - length, "%s%s", i ? " " : "",
                                   rows->item[i].kernel->shown);
    return names;
}

static void select_names(enum smc_inspect_order order, size_t top, const char *only,
                         const char *wanted)
{
    struct smc_inspect_kernels kernels = {0};
    struct smc_inspect_rows rows = {0};
    struct smc_inspect_selection selection = {.order = order, .top = top};
    answer(&kernels, &rows);
    if (only)
        CU_ASSERT_EQUAL(smc_selection_filter_add(&selection.only, only, NULL), SMC_OK);
    CU_ASSERT_EQUAL(smc_selection_apply(&rows, &selection, NULL), SMC_OK);
    CU_ASSERT_STRING_EQUAL(names_of(&rows), wanted);
    smc_inspect_rows_free(&rows);
    smc_user_kernels_free(&kernels);
}

static void test_order(void)
{
    select_names(SMC_ORDER_FILE, 0, NULL, "full spills low refused unknown");
    select_names(SMC_ORDER_OCCUPANCY, 0, NULL, "refused low unknown spills full");
    select_names(SMC_ORDER_REGISTERS, 0, NULL, "low unknown refused spills full");
    select_names(SMC_ORDER_SPILLS, 0, NULL, "spills unknown refused low full");
    select_names(SMC_ORDER_THREADS, 0, NULL, "refused low spills full unknown");
    select_names(SMC_ORDER_NAME, 0, NULL, "full low refused spills unknown");
    select_names(SMC_ORDER_OCCUPANCY, 2, NULL, "refused low");
    select_names(SMC_ORDER_FILE, 9, NULL, "full spills low refused unknown");
}

static void test_filters(void)
{
    select_names(SMC_ORDER_FILE, 0, "failing", "refused");
    select_names(SMC_ORDER_FILE, 0, "spilling", "spills unknown");
    select_names(SMC_ORDER_FILE, 0, "unknown", "unknown");
    select_names(SMC_ORDER_FILE, 0, "spilling,unknown", "unknown");
    select_names(SMC_ORDER_FILE, 0, "below=50", "low refused unknown");
    select_names(SMC_ORDER_FILE, 0, "below=50,below=13", "low refused");
    select_names(SMC_ORDER_FILE, 0, "limited-by=registers", "full spills low refused unknown");
    select_names(SMC_ORDER_FILE, 0, "limited-by=registers,failing", "refused");
    select_names(SMC_ORDER_FILE, 0, "limited-by=registers,limited-by=warps", "full spills refused");
    select_names(SMC_ORDER_OCCUPANCY, 1, "spilling", "unknown");
    select_names(SMC_ORDER_FILE, 0, "limited-by=barriers", "");
    struct smc_inspect_filter filter = {0};
    struct smc_error error = {""};
    CU_ASSERT_EQUAL(smc_selection_filter_add(&filter, "bad", &error), SMC_USAGE);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.message, "'bad' is not failing, spilling"));
    CU_ASSERT_EQUAL(smc_selection_filter_add(&filter, "below=0", &error), SMC_USAGE);
    CU_ASSERT_EQUAL(smc_selection_filter_add(&filter, "limited-by=luck", &error), SMC_USAGE);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.message, "registers"));
    CU_ASSERT_EQUAL(smc_selection_filter_add(&filter, "", &error), SMC_USAGE);
}

static void test_summary(void)
{
    struct smc_inspect_kernels kernels = {0};
    struct smc_inspect_rows rows = {0};
    struct smc_inspect_selection selection = {.top = 1};
    answer(&kernels, &rows);
    CU_ASSERT_STRING_EQUAL(rows.item[4].kernel->shown, "unknown"); /* 12 of 64 warps */
    CU_ASSERT_EQUAL(smc_selection_highest_percent(&rows.item[4]), 18.75);
    CU_ASSERT_EQUAL(smc_selection_apply(&rows, &selection, NULL), SMC_OK);
    const struct smc_inspect_summary *summary = &rows.summary;
    CU_ASSERT_EQUAL(summary->kernels, SAMPLES);
    CU_ASSERT_EQUAL(summary->files, 2);
    CU_ASSERT_EQUAL(summary->spilling, 2);
    CU_ASSERT_EQUAL(summary->low, 2);
    CU_ASSERT_EQUAL(summary->failing, 1);
    CU_ASSERT_EQUAL(summary->unknown, 1);
    CU_ASSERT_STRING_EQUAL(summary->worst->shown, "refused");
    CU_ASSERT(!summary->worst_launches);
    smc_inspect_rows_free(&rows);
    smc_user_kernels_free(&kernels);
}

CU_TestInfo tests_selection[] = {
    {"the parts of a C++ name", test_parts},
    {"names that are no C++ names", test_hostile_names},
    {"brief names", test_brief_names},
    {"instances of one template", test_families},
    {"patterns that name kernels", test_patterns},
    {"patterns and long names", test_patterns_without_memory},
    {"the order of kernels", test_order},
    {"only some kernels", test_filters},
    {"the summary is of all kernels", test_summary},
    CU_TEST_INFO_NULL,
};
