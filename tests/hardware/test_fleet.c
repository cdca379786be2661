/* Check reports of many GPUs: lists of hosts, lines with reports, and what is judged of them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hardware/checks.h"
#include "unit.h"

/* --- Lists of hosts --------------------------------------------------------------------------- */

static void test_hostlists(void)
{
    static const struct {
        const char *text, *names;
    } cases[] = {
        {"n1", "n1"},
        {"n[1-4]", "n1 n2 n3 n4"},
        {"n[1-2,7],login", "n1 n2 n7 login"},
        {"gpu-[008-011]-ib", "gpu-008-ib gpu-009-ib gpu-010-ib gpu-011-ib"},
        {"r[1-2]n[0-1]", "r1n0 r1n1 r2n0 r2n1"},
        {"a.b-c_d,7", "a.b-c_d 7"},
        {"n[9-10]", "n9 n10"},
        {"n[999999999]", "n999999999"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct smc_hostlist list = {0};
        char names[256] = "";
        CU_ASSERT_EQUAL(smc_hostlist_parse(cases[i].text, &list, NULL), SMC_OK);
        for (size_t k = 0; k < list.count; k++) {
            strcat(names, k ? " " : "");
            strcat(names, list.name[k]);
        }
        CU_ASSERT_STRING_EQUAL(names, cases[i].names);
        smc_hostlist_free(&list);
    }
}

static void test_wrong_hostlists(void)
{
    static const char *const cases[] = {
        "",      ",",        "n1,",   "n[1-",     "n]1",       "n[1-4",       "n[4-1]",
        "n[]",   "n[a]",     "n[1-]", "n[[1]]",   "n[1 2]",    "n 1",         "-n",
        "n;rm",  "n[1,]",    "$(n)",  "n[1-2]/",  "n[-1]",     "n[1-300000]", "n[1-9999999999]",
        "n[1-2", "n\x1b[1]", "n\n",   "\xc3\xa4", "n[1-2],,a", "n[1-2]n[1-]", "n[4294967297]",
        "[]",
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct smc_hostlist list = {0};
        struct smc_error error = {""};
        CU_ASSERT_EQUAL(smc_hostlist_parse(cases[i], &list, &error), SMC_USAGE);
        CU_ASSERT(error.message[0] != '\0');
        smc_hostlist_free(&list);
    }
    char name[200];
    memset(name, 'a', sizeof name);
    name[SMC_LONGEST_HOST_NAME] = '\0';
    CU_ASSERT(smc_host_name_is_valid(name));
    name[SMC_LONGEST_HOST_NAME] = 'a';
    name[SMC_LONGEST_HOST_NAME + 1] = '\0';
    CU_ASSERT(!smc_host_name_is_valid(name));
}

static void test_order(void)
{
    CU_ASSERT(smc_host_name_compare("n2", "n10") < 0);
    CU_ASSERT(smc_host_name_compare("n10", "n2") > 0);
    CU_ASSERT(smc_host_name_compare("n2", "n2") == 0);
    CU_ASSERT(smc_host_name_compare("n2", "n2a") < 0);
    CU_ASSERT(smc_host_name_compare("n02", "n2") != 0);
    CU_ASSERT(smc_host_name_compare("a9", "b1") < 0);
}

/* --- Lines ------------------------------------------------------------------------------------ */

#define REPORT "{\"schema\":\"smemcalc/1\",\"command\":\"check\",\"host\":\"h\","

static void test_lines(void)
{
    static const struct {
        const char *line;
        bool found;
        size_t start;
    } cases[] = {
        {REPORT "}", true, 0},
        {"3: " REPORT "}", true, 3},
        {"node1: " REPORT, true, 7},
        {"[1,3]<stdout>:" REPORT, true, 14},
        {"[3] " REPORT, true, 4},
        {"\xEF\xBB\xBF" REPORT, true, 3},
        {"  {\"command\" : \"check\"}", true, 2},
        {"[" REPORT, false, 0},
        {", " REPORT, false, 0},
        {"{\"command\":\"run\"}", false, 0},
        {"{\"text\":\"\\\"command\\\":\\\"check\\\"\"}", false, 0},
        {"{\"command\":", false, 0},
        {"{\"command\"", false, 0},
        {"\"command\":\"check\"", false, 0},
        {"", false, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t start = 99, length = strlen(cases[i].line);
        char *exact =
            malloc(length ? length : 1); /* so that a sanitizer sees what is read after it */
        CU_ASSERT_PTR_NOT_NULL_FATAL(exact);
        memcpy(exact, cases[i].line, length);
        CU_ASSERT_EQUAL(smc_checks_find(exact, length, &start), cases[i].found);
        if (cases[i].found)
            CU_ASSERT_EQUAL(start, cases[i].start);
        free(exact);
    }
}

/* Reads lines, and checks the first problem. */
static void read_lines(struct smc_checks *checks, const char *const *lines, const char *problem)
{
    struct smc_text problems = {0};
    struct smc_check_reader reader = {.checks = checks, .file = "f", .problems = &problems};
    for (; *lines; lines++) {
        reader.line++;
        smc_checks_read_line(&reader, *lines, strlen(*lines));
    }
    CU_ASSERT_STRING_EQUAL(smc_text_string(&problems), problem);
    CU_ASSERT(!reader.out_of_memory);
    smc_text_free(&problems);
}

#define GPU(index, verdict, copy)                                                                  \
    "{\"gpu_index\":" #index ",\"gpu_uuid\":\"GPU-" #index "\",\"name\":\"H200\",\"verdict\":"     \
    "\"" verdict "\",\"error\":null,\"tests\":[{\"name\":\"sms\",\"verdict\":\"fail\","            \
    "\"expected\":132,\"seen\":131,\"unit\":\"SMs\",\"detail\":\"\"}],"                            \
    "\"figures\":{\"copy_bytes_per_s\":" copy "}}"
#define NODE(node, verdict, gpus)                                                                  \
    REPORT "\"node\":\"" node "\",\"rank\":null,\"verdict\":\"" verdict "\",\"gpus\":[" gpus "]}"

/* Without a list of expected nodes none is unexpected. */
static void test_without_list(void)
{
    static const char *const lines[] = {NODE("n1", "healthy", GPU(0, "healthy", "4e12")), NULL};
    struct smc_checks checks = {0};
    struct smc_fleet fleet;
    const struct smc_fleet_expected expected = {.given = false};
    read_lines(&checks, lines, "");
    CU_ASSERT_EQUAL(smc_fleet_judge(&checks, &expected, false, &fleet, NULL), SMC_OK);
    CU_ASSERT_EQUAL(fleet.unexpected, 0);
    CU_ASSERT_STRING_EQUAL(smc_fleet_verdict_name(&fleet), "healthy");
    smc_fleet_free(&fleet);
    smc_checks_free(&checks);
}

static void test_judgement(void)
{
    static const char *const lines[] = {
        NODE("n10", "healthy", GPU(0, "healthy", "4e12")),
        NODE("n2", "differs", GPU(0, "healthy", "4e12") "," GPU(1, "differs", "4e12")),
        REPORT
        "\"node\":\"n3\",\"verdict\":\"failed\",\"error\":\"no driver: \\\"$(x)\\\"\",\"gpus\":[]}",
        "n4: {\"schema\":\"smemcalc/1\",\"command\":\"check\",\"host",
        NODE("n2", "healthy", GPU(0, "healthy", "2e12") "," GPU(1, "healthy", "2e12")),
        NULL,
    };
    struct smc_checks checks = {0};
    struct smc_fleet fleet;
    struct smc_fleet_expected expected = {.given = true};
    read_lines(&checks, lines, "f:4: the report of n4 is cut off\n");
    CU_ASSERT_EQUAL(smc_hostlist_parse("n[1-4]", &expected.names, NULL), SMC_OK);
    CU_ASSERT_EQUAL(smc_fleet_judge(&checks, &expected, false, &fleet, NULL), SMC_SHORTFALL);
    CU_ASSERT_EQUAL(fleet.gpus, 3);
    CU_ASSERT_EQUAL(fleet.health[SMC_CHECKED_HEALTHY], 2);
    CU_ASSERT_EQUAL(fleet.health[SMC_CHECKED_DIFFERS], 1);
    CU_ASSERT_EQUAL(checks.repeated, 2);
    CU_ASSERT_EQUAL(fleet.unexpected, 1);
    CU_ASSERT_EQUAL(fleet.silent, 1);
    CU_ASSERT_STRING_EQUAL(smc_fleet_verdict_name(&fleet), "failed");
    CU_ASSERT_EQUAL_FATAL(fleet.drain_count, 4);
    static const char *const wanted[][2] = {
        {"n2", "GPU 1 differs: sms: 131 instead of 132 SMs"},
        {"n3", "no driver:  ?(x) "},
        {"n4", "its report is cut off"},
        {"n1", "no report"},
    };
    for (size_t i = 0; i < 4; i++) {
        CU_ASSERT_STRING_EQUAL(fleet.drain[i].node, wanted[i][0]);
        CU_ASSERT_STRING_EQUAL(fleet.drain[i].reason, wanted[i][1]);
    }
    CU_ASSERT_EQUAL_FATAL(fleet.spread_count, 1);
    CU_ASSERT_EQUAL(fleet.spread->peers.count, 3);
    CU_ASSERT_DOUBLE_EQUAL(fleet.spread->peers.least, 3e12, 1e6); /* of 4e12 and 2e12 */
    smc_fleet_free(&fleet);
    smc_checks_free(&checks);
    smc_hostlist_free(&expected.names);
}

static void test_problems(void)
{
    static const struct {
        const char *line, *problem;
    } cases[] = {
        {REPORT "\"verdict\":\"fine\",\"gpus\":[]}",
         "f:1: key 'verdict': only healthy, differs and failed can be read\n"},
        {REPORT "\"verdict\":\"healthy\"}", "f:1: key 'gpus': not a list of GPUs\n"},
        {REPORT "\"verdict\":\"healthy\",\"gpus\":[7]}",
         "f:1: key 'gpus': the verdict of an element is not healthy, differs or failed\n"},
        {REPORT "\"node\":\"n1;reboot\",\"verdict\":\"healthy\",\"gpus\":[]}",
         "f:1: key 'node': 'n1;reboot' is not a host name\n"},
        {"{\"command\":\"check\",\"schema\":\"smemcalc/2\",\"verdict\":\"healthy\",\"gpus\":[]}",
         "f:1: key 'schema': only \"smemcalc/1\" can be read\n"},
        {"{\"command\":\"check\",\"schema\":\"smemcalc/1\",\"verdict\":\"healthy\",\"gpus\":[]}",
         "f:1: neither key 'node' nor 'host' names the machine\n"},
        {"{\"command\":\"check\",\"schema\":",
         "f:1: a report that is cut off before it names its node\n"},
        {"n7: "
         "{\"command\":\"check\",\"schema\":\"smemcalc/1\",\"verdict\":\"healthy\",\"gpus\":[]}",
         ""},
        {REPORT "\"verdict\":\"heal" REPORT "\"verdict\":\"healthy\",\"gpus\":[]}",
         "f:1: the report of h is cut off\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct smc_checks checks = {0};
        const char *const lines[] = {cases[i].line, NULL};
        read_lines(&checks, lines, cases[i].problem);
        smc_checks_free(&checks);
    }
}

/* What is said of a GPU that is not healthy. */
static void test_reasons(void)
{
    static const struct {
        const char *members, *reason;
    } cases[] = {
        {"\"error\":\"no such device\"", "no such device"},
        {"\"faults\":[{\"detail\":\"SM 7 adds wrongly\"}]", "SM 7 adds wrongly"},
        {"\"faults\":[{\"detail\":\"SM 7\"},{\"detail\":\"SM 8\"}]", "SM 7 (and 1 more)"},
        {"\"tests\":[{\"name\":\"sms\",\"verdict\":\"pass\"},"
         "{\"name\":\"memory\",\"verdict\":\"fail\",\"detail\":\"bit 5 is stuck\"}]",
         "memory: bit 5 is stuck"},
        {"\"tests\":[{\"name\":\"sms\",\"verdict\":\"fail\",\"seen\":131}]", "sms: failed"},
        {"\"tests\":[{\"name\":\"sms\",\"verdict\":\"pass\"}]", "the report does not say why"},
        {"\"gpu_index\":-4,\"figures\":{\"copy_bytes_per_s\":1e31,\"launch_ms\":\"short\"}",
         "the report does not say why"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct smc_checks checks = {0};
        char line[1024];
        const char *const lines[] = {line, NULL};
        snprintf(line, sizeof line,
                 REPORT "\"verdict\":\"differs\",\"gpus\":[{\"verdict\":\"differs\",%s}]}",
                 cases[i].members);
        read_lines(&checks, lines, "");
        CU_ASSERT_EQUAL_FATAL(checks.gpu_count, 1);
        CU_ASSERT_STRING_EQUAL(smc_checks_text(&checks, checks.gpu->fault), cases[i].reason);
        CU_ASSERT(isnan(checks.gpu->figure[0]));
        smc_checks_free(&checks);
    }
}

/* One report with a GPU of every kind that is merged, and one more. */
static void test_too_many_boards(void)
{
    struct smc_checks checks = {0};
    struct smc_text line = {0};
    smc_text_append(&line, REPORT "\"verdict\":\"healthy\",\"gpus\":[");
    for (int i = 0; i <= SMC_MOST_BOARDS; i++)
        smc_text_printf(&line, "%s{\"verdict\":\"healthy\",\"name\":\"board %d\",\"mode\":\"%s\"}",
                        i ? "," : "", i / 2, i % 2 ? "mig" : "");
    smc_text_append(&line, "]}");
    const char *const lines[] = {smc_text_string(&line), NULL};
    read_lines(&checks, lines, "f:1: more kinds of GPUs than can be merged\n");
    CU_ASSERT_EQUAL(checks.gpu_count, SMC_MOST_BOARDS);
    smc_checks_free(&checks);
    smc_text_free(&line);
}

/* Of very many wrong lines the first ten are told; of very many reports that are cut off, too. */
static void test_many_problems(void)
{
    static const char *const cases[] = {
        REPORT "\"verdict\":\"fine\",\"gpus\":[]}",
        REPORT "\"verdict\":\"hea",
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct smc_checks checks = {0};
        struct smc_text problems = {0};
        struct smc_check_reader reader = {.checks = &checks, .file = "f", .problems = &problems};
        for (reader.line = 1; reader.line <= 12; reader.line++)
            smc_checks_read_line(&reader, cases[i], strlen(cases[i]));
        CU_ASSERT_EQUAL(reader.found, 12);
        CU_ASSERT_PTR_NOT_NULL(strstr(smc_text_string(&problems), "f:10: "));
        CU_ASSERT_PTR_NULL(strstr(smc_text_string(&problems), "f:11: "));
        smc_text_free(&problems);
        smc_checks_free(&checks);
    }
}

/* Of 16 GPUs one is slow; its node is drained only if that is asked for. */
static void test_straggler(void)
{
    struct smc_checks checks = {0};
    struct smc_fleet fleet;
    const struct smc_fleet_expected expected = {0};
    for (int i = 0; i < 16; i++) {
        char line[1024];
        const char *const lines[] = {line, NULL};
        snprintf(line, sizeof line,
                 REPORT "\"node\":\"n%d\",\"verdict\":\"healthy\",\"gpus\":[{\"gpu_index\":0,"
                        "\"verdict\":\"healthy\",\"figures\":{\"launch_ms\":%s}}]}",
                 i, i == 5 ? "1.06" : "1.00");
        read_lines(&checks, lines, "");
    }
    CU_ASSERT_EQUAL(smc_fleet_judge(&checks, &expected, false, &fleet, NULL), SMC_OK);
    CU_ASSERT_EQUAL(fleet.straggling_gpus, 1);
    CU_ASSERT_EQUAL(fleet.drain_count, 0);
    CU_ASSERT_STRING_EQUAL(smc_fleet_verdict_name(&fleet), "healthy");
    smc_fleet_free(&fleet);
    CU_ASSERT_EQUAL(smc_fleet_judge(&checks, &expected, true, &fleet, NULL), SMC_SHORTFALL);
    CU_ASSERT_EQUAL_FATAL(fleet.drain_count, 1);
    CU_ASSERT_STRING_EQUAL(fleet.drain->node, "n5");
    CU_ASSERT_STRING_EQUAL(fleet.drain->reason,
                           "GPU 0 is slow: timed kernel 5.7 % slower than the median");
    CU_ASSERT_STRING_EQUAL(smc_fleet_verdict_name(&fleet), "slow");
    smc_fleet_free(&fleet);
    smc_checks_free(&checks);
}

CU_TestInfo tests_fleet[] = {
    {"lists of hosts", test_hostlists},
    {"lists that are none", test_wrong_hostlists},
    {"the order of hosts", test_order},
    {"lines with reports", test_lines},
    {"reports without a list of nodes", test_without_list},
    {"what to drain", test_judgement},
    {"reports that cannot be used", test_problems},
    {"a straggler", test_straggler},
    {"why a GPU is not healthy", test_reasons},
    {"too many kinds of GPUs", test_too_many_boards},
    {"many problems", test_many_problems},
    CU_TEST_INFO_NULL,
};
