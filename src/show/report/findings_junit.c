/* Findings as JUnit XML, in the form that Jenkins and GitLab read. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "show/report/findings_report.h"

/* A kernel on a device: what was judged, or what a finding is about (or both). */
struct test_case {
    const char *file, *kernel, *device;
    const struct smc_check_finding *finding; /* NULL: judged */
    size_t order;                            /* in the report: as they were given */
};

/* Between quotes or tags. What XML does not allow is omitted. */
static void append_xml(const char *text, struct smc_text *out)
{
    while (*text) {
        char bytes[4];
        uint32_t character = smc_utf8_next(&text);
        if (character == 0xfffd || character == 0xfffe || character == 0xffff)
            continue;
        const char *name = character == '"'    ? "&quot;"
                           : character == '\'' ? "&apos;"
                                               : smc_markup_entity(character);
        if (name)
            smc_text_append(out, name);
        else
            smc_text_append_bytes(out, bytes, smc_utf8_encode(character, bytes));
    }
}

static void append_attribute(const char *name, const char *value, struct smc_text *out)
{
    smc_text_printf(out, " %s=\"", name);
    append_xml(value, out);
    smc_text_append(out, "\"");
}

/* --- Cases together --------------------------------------------------------------------------- */

static int compare_cases(const struct test_case *a, const struct test_case *b)
{
    int order = strcmp(a->file, b->file);
    order = order ? order : strcmp(a->kernel, b->kernel);
    return order ? order : strcmp(a->device, b->device);
}

static int findings_junit_compare(const void *a, const void *b)
{
    const struct test_case *left = a, *right = b;
    int order = compare_cases(left, right);
    return order ? order : (left->order > right->order) - (left->order < right->order);
}

static bool is_failure(const struct test_case *c)
{
    return c->finding && c->finding->level != SMC_FINDING_NOTE;
}

/* The entries of one case are adjacent: where the next begins. */
static size_t end_of_case(const struct test_case *c, size_t begin, size_t count)
{
    size_t end = begin + 1;
    while (end < count && compare_cases(&c[begin], &c[end]) == 0)
        end++;
    return end;
}

static size_t end_of_suite(const struct test_case *c, size_t begin, size_t count)
{
    size_t end = begin + 1;
    while (end < count && strcmp(c[begin].file, c[end].file) == 0)
        end++;
    return end;
}

static void count_cases(const struct test_case *c, size_t begin, size_t end, size_t *tests,
                        size_t *failures)
{
    *tests = *failures = 0;
    for (size_t next; begin < end; begin = next) {
        bool fails = false;
        next = end_of_case(c, begin, end);
        for (size_t i = begin; i < next; i++)
            fails |= is_failure(&c[i]);
        *tests += 1;
        *failures += fails;
    }
}

/* --- Writing ---------------------------------------------------------------------------------- */

static const char *shown_file(const char *file)
{
    return file[0] ? file : "smemcalc";
}

/* The failures of a case are one element: most readers show no more than the first. */
static void findings_junit_append_failures(const struct test_case *c, size_t begin, size_t end,
                                           struct smc_text *out)
{
    size_t first = begin;
    while (first < end && !is_failure(&c[first]))
        first++;
    if (first == end)
        return;
    smc_text_append(out, "      <failure");
    append_attribute("message", c[first].finding->message, out);
    append_attribute("type", c[first].finding->rule, out);
    smc_text_append(out, ">");
    for (size_t i = first; i < end; i++) {
        if (!is_failure(&c[i]))
            continue;
        const struct smc_check_finding *f = c[i].finding;
        append_xml(shown_file(f->file), out);
        if (f->line > 0)
            smc_text_printf(out, ":%u", f->line);
        smc_text_printf(out, ": %s: ", f->rule);
        append_xml(f->message, out);
        smc_text_append(out, "\n");
    }
    smc_text_append(out, "</failure>\n");
}

static void findings_junit_append_notes(const struct test_case *c, size_t begin, size_t end,
                                        struct smc_text *out)
{
    bool begun = false;
    for (size_t i = begin; i < end; i++) {
        if (!c[i].finding || is_failure(&c[i]))
            continue;
        smc_text_append(out, begun ? "" : "      <system-out>");
        append_xml(c[i].finding->message, out);
        smc_text_append(out, "\n");
        begun = true;
    }
    smc_text_append(out, begun ? "</system-out>\n" : "");
}

static void append_case(const struct test_case *c, size_t begin, size_t end, struct smc_text *out)
{
    smc_auto_text name = {0};
    smc_text_append(&name, c[begin].kernel[0] ? c[begin].kernel : "(all kernels)");
    smc_text_printf(&name, "%s%s", c[begin].device[0] ? " on " : "", c[begin].device);
    smc_text_append(out, "    <testcase");
    append_attribute("name", smc_text_string(&name), out);
    append_attribute("classname", shown_file(c[begin].file), out);
    smc_text_append(out, " time=\"0\"");
    if (c[begin].file[0])
        append_attribute("file", shown_file(c[begin].file), out);
    bool plain = true;
    for (size_t i = begin; i < end; i++)
        plain &= !c[i].finding;
    smc_text_append(out, plain ? "/>\n" : ">\n");
    if (!plain) {
        findings_junit_append_failures(c, begin, end, out);
        findings_junit_append_notes(c, begin, end, out);
        smc_text_append(out, "    </testcase>\n");
    }
}

static void append_suite(const struct test_case *c, size_t begin, size_t end, struct smc_text *out)
{
    size_t tests, failures;
    count_cases(c, begin, end, &tests, &failures);
    smc_text_append(out, "  <testsuite");
    append_attribute("name", shown_file(c[begin].file), out);
    smc_text_printf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"0\" time=\"0\">\n",
                    tests, failures);
    for (size_t next; begin < end; begin = next) {
        next = end_of_case(c, begin, end);
        append_case(c, begin, next, out);
    }
    smc_text_append(out, "  </testsuite>\n");
}

static void append_suites(const struct test_case *c, size_t count, struct smc_text *out)
{
    size_t tests, failures;
    count_cases(c, 0, count, &tests, &failures);
    smc_text_append(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    smc_text_printf(out,
                    "<testsuites name=\"smemcalc\" tests=\"%zu\" failures=\"%zu\" errors=\"0\" "
                    "time=\"0\">\n",
                    tests, failures);
    for (size_t begin = 0, next; begin < count; begin = next) {
        next = end_of_suite(c, begin, count);
        append_suite(c, begin, next, out);
    }
    smc_text_append(out, "</testsuites>\n");
}

void smc_junit_findings(const struct smc_findings *findings,
                        const struct smc_judgements *judgements, struct smc_text *out)
{
    size_t count = 0;
    smc_auto_free struct test_case *cases =
        smc_calloc(findings->count + judgements->count + 1, sizeof *cases);
    if (!cases) {
        out->failed = true;
        return;
    }
    for (size_t i = 0; i < judgements->count; i++, count++) {
        const struct smc_judged *j = &judgements->item[i];
        cases[count] = (struct test_case){j->file, j->kernel, j->device, NULL, count};
    }
    for (size_t i = 0; i < findings->count; i++, count++) {
        const struct smc_check_finding *f = &findings->item[i];
        cases[count] = (struct test_case){f->file, f->kernel, f->device, f, count};
    }
    qsort(cases, count, sizeof *cases, findings_junit_compare);
    append_suites(cases, count, out);
}
