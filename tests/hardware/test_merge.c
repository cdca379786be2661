/* merge: texts with several documents, and how machines are compared. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hardware/merge.h"
#include "unit.h"

static void test_documents(void)
{
    static const struct {
        const char *text, *documents[4];
        size_t line[4];
    } cases[] = {
        {"", {NULL}, {0}},
        {" \n\t\r\n", {NULL}, {0}},
        {"{}", {"{}"}, {1}},
        {"{}{}", {"{}", "{}"}, {1, 1}},
        {"\n{\"a\": [1,\n2]}\n\n[]\n", {"{\"a\": [1,\n2]}", "[]"}, {2, 5}},
        {"{\"}\": \"\\\"}\", \"\\\\\": 1} []", {"{\"}\": \"\\\"}\", \"\\\\\": 1}", "[]"}, {1, 1}},
        {"noise [\n{}", {"noise [\n", "{}"}, {1, 2}},
        {"[1,\n{}\n", {"[1,\n", "{}"}, {1, 2}},
        {"{\"a\n {}\n{}", {"{\"a\n {}\n", "{}"}, {1, 3}},
        {"]", {"]"}, {1}},
        {"\xEF\xBB\xBF", {NULL}, {0}},
        {"\xEF\xBB\xBF{}\n[]", {"{}", "[]"}, {1, 2}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct smc_documents documents = {
            .text = cases[i].text, .length = strlen(cases[i].text), .line = 1};
        struct smc_document found;
        size_t count = 0;
        for (; smc_documents_next(&documents, &found); count++) {
            const char *expected = cases[i].documents[count];
            CU_ASSERT_PTR_NOT_NULL_FATAL(expected);
            CU_ASSERT_EQUAL(found.length, strlen(expected));
            CU_ASSERT_EQUAL(strncmp(found.text, expected, found.length), 0);
            CU_ASSERT_EQUAL(found.line, cases[i].line[count]);
        }
        CU_ASSERT_PTR_NULL(cases[i].documents[count]);
    }
}

static void test_foreign(void)
{
    static const struct {
        const char *name, *bytes;
        size_t length;
    } cases[] = {
        {"not text", "\x1f\x8b\x08", 3},
        {"UTF-16", "\xff\xfe{\0}\0", 6},
        {"UTF-16", "{\0}\0", 4},
        {"not text", "{ \0", 3},
        {"not text", "MZ\x01", 3},
        {NULL, "{\"a\": \"\x1b\"}", 10}, /* an error of this document alone */
        {NULL, "srun: job 1\r\n\t{}", 16},
        {NULL, "", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *found = smc_documents_foreign(cases[i].bytes, cases[i].length);
        CU_ASSERT_STRING_EQUAL(found ? found : "", cases[i].name ? cases[i].name : "");
    }
}

static void read_report(struct smc_merge *merge, const char *text, struct smc_text *problems)
{
    struct smc_merge_input input = {.merge = merge, .file = "f", .problems = problems};
    CU_ASSERT_EQUAL_FATAL(smc_merge_feed(&input, text, strlen(text), NULL), SMC_OK);
    CU_ASSERT_EQUAL_FATAL(smc_merge_finish(&input), SMC_OK);
    smc_merge_input_free(&input);
}

/* A report with one row. NULL stands for null. */
static void add(struct smc_merge *merge, const char *host, const char *cc, const char *quantity,
                const char *unit, const char *predicted, const char *api, const char *measured,
                const char *verdict)
{
    char text[1024];
    struct smc_text problems = {0};
    snprintf(text, sizeof text,
             "{\"device\": {\"name\": \"GPU %s\", \"compute_capability\": \"%s\"},"
             " \"kernel\": {\"name\": \"k\"}, \"run\": {\"host\": \"%s\", \"gpu_uuid\": \"GPU-1\"},"
             " \"confirmation\": [{\"quantity\": \"%s\", \"unit\": \"%s\", \"predicted\": %s,"
             " \"api\": %s, \"emulated\": null, \"measured\": %s, \"verdict\": \"%s\"}]}",
             cc, cc, host, quantity, unit, predicted, api, measured,
             verdict ? verdict : "information");
    read_report(merge, text, &problems);
    smc_text_free(&problems);
}

/* The hosts that differ, in the order of the reports. */
static void odd_hosts(const struct smc_merged *merged, char hosts[64])
{
    const struct smc_merged_quantity *quantity = merged->question->quantity;
    hosts[0] = '\0';
    for (size_t i = 0; i < quantity->peers_count; i++)
        for (size_t k = 0; k < quantity->peers[i].count; k++)
            if (quantity->peers[i].value[k].odd)
                strcat(hosts, quantity->peers[i].value[k].report->host);
}

struct machine {
    const char *host, *cc, *predicted, *api, *measured;
    const char *verdict; /* NULL: "information" */
};

/* `machines` ends in a NULL host. */
static void compare(const char *quantity, const char *unit, const struct machine *machines,
                    enum smc_merge_verdict verdict, size_t peers, const char *odd)
{
    struct smc_merge merge = {0};
    struct smc_merged merged;
    char hosts[64];
    size_t count = 0;
    for (; machines[count].host; count++)
        add(&merge, machines[count].host, machines[count].cc, quantity, unit,
            machines[count].predicted, machines[count].api, machines[count].measured,
            machines[count].verdict);
    enum smc_status status = smc_merge_compare(&merge, &merged, NULL);
    bool bad = verdict == SMC_MERGE_DISAGREE || verdict == SMC_MERGE_DIFFERS;
    CU_ASSERT_EQUAL(status, bad ? SMC_SHORTFALL : SMC_OK);
    CU_ASSERT_EQUAL_FATAL(merged.question_count, 1);
    CU_ASSERT_EQUAL_FATAL(merged.question->quantity_count, 1);
    CU_ASSERT_EQUAL(merged.machines, count);
    CU_ASSERT_EQUAL(merged.question->quantity->verdict, verdict);
    CU_ASSERT_EQUAL(merged.question->quantity->peers_count, peers);
    odd_hosts(&merged, hosts);
    CU_ASSERT_STRING_EQUAL(hosts, odd);
    smc_merged_free(&merged);
    smc_merge_free(&merge);
}

static void test_counts(void)
{
    const char *name = "blocks_per_sm";
    const struct machine one[] = {{"a", "9.0", "8", "8", "8", NULL}, {0}};
    compare(name, "", one, SMC_MERGE_ALONE, 1, "");
    const struct machine most[] = {{"a", "9.0", "8", "7", "null", NULL},
                                   {"b", "9.0", "8", "9", "null", NULL},
                                   {"c", "9.0", "8", "9", "null", NULL},
                                   {0}};
    compare(name, "", most, SMC_MERGE_DISAGREE, 1, "a");
    const struct machine tie[] = {
        {"a", "9.0", "8", "7", "null", NULL}, {"b", "9.0", "8", "8", "null", NULL}, {0}};
    compare(name, "", tie, SMC_MERGE_DISAGREE, 1, "a");
    const struct machine sources[] = {
        {"a", "9.0", "8", "7", "null", NULL}, {"b", "9.0", "8", "null", "8", NULL}, {0}};
    compare(name, "", sources, SMC_MERGE_ALONE, 1, ""); /* no source in common */
    const struct machine strangers[] = {{"a", "9.0", "8", "8", "null", NULL},
                                        {"b", "8.9", "6", "6", "null", NULL},
                                        {"c", "9.0", "4", "4", "null", NULL},
                                        {0}};
    compare(name, "", strangers, SMC_MERGE_ALONE, 3, "");
    const struct machine two_of_three[] = {{"a", "9.0", "8", "8", "null", NULL},
                                           {"b", "8.9", "6", "6", "null", NULL},
                                           {"c", "9.0", "8", "8", "null", NULL},
                                           {0}};
    compare(name, "", two_of_three, SMC_MERGE_AGREE, 2, "");
    const struct machine silent[] = {
        {"a", "9.0", "8", "8", "null", NULL}, {"b", "9.0", "8", "null", "null", NULL}, {0}};
    compare(name, "", silent, SMC_MERGE_ALONE, 1, "");
    const struct machine nothing[] = {
        {"a", "9.0", "8", "null", "null", NULL}, {"b", "9.0", "8", "null", "null", NULL}, {0}};
    compare(name, "", nothing, SMC_MERGE_UNSEEN, 1, "");
}

static void test_counters(void)
{
    const struct machine noise[] = {{"a", "9.0", "1000", "null", "1000", NULL},
                                    {"b", "9.0", "1000", "null", "1019", NULL},
                                    {0}};
    compare("shared_load_wavefronts", "", noise, SMC_MERGE_AGREE, 1, "");
    compare("blocks_per_sm", "", noise, SMC_MERGE_DISAGREE, 1, "b");
    const struct machine more[] = {{"a", "9.0", "1000", "null", "1000", NULL},
                                   {"b", "9.0", "1000", "null", "1021", NULL},
                                   {0}};
    compare("shared_load_wavefronts", "", more, SMC_MERGE_DISAGREE, 1, "b");
}

static void test_own_predictions(void)
{
    const struct machine confirmed[] = {{"a", "9.0", "1000", "null", "981", "confirmed"},
                                        {"b", "9.0", "1000", "null", "1019", "confirmed"},
                                        {0}};
    compare("global_load_sectors", "", confirmed, SMC_MERGE_AGREE, 1, "");
    const struct machine all[] = {
        {"a", "9.0", "8", "7", "null", "differs"}, {"b", "9.0", "8", "7", "null", "differs"}, {0}};
    compare("blocks_per_sm", "", all, SMC_MERGE_DIFFERS, 1, "ab");
    const struct machine unlike[] = {
        {"a", "9.0", "8", "7", "null", "differs"}, {"b", "9.0", "8", "6", "null", "differs"}, {0}};
    compare("blocks_per_sm", "", unlike, SMC_MERGE_DISAGREE, 1, "ab");
    const struct machine slow[] = {{"a", "9.0", "1.0", "null", "1.5", "differs"},
                                   {"b", "9.0", "1.0", "null", "1.5", "confirmed"},
                                   {0}};
    compare("time_ms", "ms", slow, SMC_MERGE_DIFFERS, 1, "a");
    const struct machine words[] = {{"a", "9.0", "\"warps\"", "null", "null", NULL},
                                    {"b", "9.0", "\"warps+registers\"", "null", "null", NULL},
                                    {0}};
    compare("binding_limits", "", words, SMC_MERGE_UNSEEN, 2, "");
}

static void test_rates(void)
{
    const struct machine near[] = {{"a", "9.0", "null", "null", "1.0", NULL},
                                   {"b", "9.0", "null", "null", "1.09", NULL},
                                   {"c", "9.0", "null", "null", "0.95", NULL},
                                   {0}};
    compare("time_ms", "ms", near, SMC_MERGE_AGREE, 1, "");
    const struct machine far[] = {{"a", "9.0", "null", "null", "1.0", NULL},
                                  {"b", "9.0", "null", "null", "1.11", NULL},
                                  {"c", "9.0", "null", "null", "0.89", NULL},
                                  {0}};
    compare("gflops", "GFLOP/s", far, SMC_MERGE_OUTLIER, 1, "bc");
    const struct machine devices[] = {
        {"a", "9.0", "null", "null", "1.0", NULL}, {"b", "8.9", "null", "null", "5.0", NULL}, {0}};
    compare("time_ms", "ms", devices, SMC_MERGE_ALONE, 2, "");
    const struct machine even[] = {
        {"a", "9.0", "null", "null", "1.0", NULL}, {"b", "9.0", "null", "null", "1.3", NULL}, {0}};
    compare("time_ms", "ms", even, SMC_MERGE_OUTLIER, 1, "ab");
}

/* How many bytes go to DRAM depends on the cache, so machines are not compared; but a report may
   compare it with its own prediction. */
static void test_traffic(void)
{
    const struct machine kept[] = {{"a", "9.0", "4194304", "null", "133120", NULL},
                                   {"b", "9.0", "4194304", "null", "248064", NULL},
                                   {0}};
    compare("dram_read_bytes", "B", kept, SMC_MERGE_NOT_COMPARED, 1, "");
    const struct machine streamed[] = {{"a", "9.0", "1e9", "null", "1e9", "confirmed"},
                                       {"b", "9.0", "1e9", "null", "1.2e9", "confirmed"},
                                       {"c", "9.0", "1e9", "null", "null", "not measured"},
                                       {0}};
    compare("dram_written_bytes", "B", streamed, SMC_MERGE_AGREE, 1, "");
    const struct machine more[] = {{"a", "9.0", "1e9", "null", "1e9", "confirmed"},
                                   {"b", "9.0", "1e9", "null", "2e9", "differs"},
                                   {0}};
    compare("dram_read_bytes", "B", more, SMC_MERGE_DIFFERS, 1, "b");
    const struct machine nothing[] = {{"a", "9.0", "4096", "null", "null", "not measured"}, {0}};
    compare("dram_read_bytes", "B", nothing, SMC_MERGE_UNSEEN, 1, "");
}

static void test_uuids(void)
{
    static const char report[] =
        "{\"error\": {\"message\": \"m\"}, \"run\": {\"host\": \"a\", \"gpu_uuid\": \"%s\"}}";
    static const struct {
        const char *other;
        size_t chars;
    } cases[] = {{"GPU-12345678-0", 40}, {"GPU-12345679-0", 12}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct smc_merge merge = {0};
        struct smc_merged merged;
        struct smc_text problems = {0};
        const char *uuids[] = {"GPU-12345678-1", cases[i].other};
        for (size_t k = 0; k < 2; k++) {
            char text[256];
            snprintf(text, sizeof text, report, uuids[k]);
            read_report(&merge, text, &problems);
        }
        CU_ASSERT_EQUAL(smc_merge_compare(&merge, &merged, NULL), SMC_SHORTFALL);
        CU_ASSERT_EQUAL(merged.failed_count, 2);
        CU_ASSERT_EQUAL(merged.machines, 2);
        CU_ASSERT_EQUAL(merged.uuid_chars, cases[i].chars);
        smc_merged_free(&merged);
        smc_merge_free(&merge);
        smc_text_free(&problems);
    }
}

CU_TestInfo tests_merge[] = {
    {"documents one behind the other", test_documents},
    {"what is no text of documents", test_foreign},
    {"counts are equal among peers", test_counts},
    {"counters carry noise", test_counters},
    {"a machine is held to its own prediction", test_own_predictions},
    {"times and rates have outliers", test_rates},
    {"traffic that caches decide has none", test_traffic},
    {"as much of a UUID as tells machines apart", test_uuids},
    CU_TEST_INFO_NULL,
};
