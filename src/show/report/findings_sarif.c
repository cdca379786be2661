/* Findings as SARIF 2.1.0, which code scanning reads. */
#include "config.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "show/report/findings_report.h"
#include "show/report/writers.h"

static json_t *message(const char *text)
{
    json_t *object = json_object();
    smc_json_string(object, "text", text);
    return object;
}

/* --- The tool --------------------------------------------------------------------------------- */

static json_t *rules(void)
{
    json_t *list = json_array();
    for (int i = 0; i < SMC_CHECK_COUNT; i++) {
        json_t *rule = smc_json_add_object(list);
        smc_json_string(rule, "id", smc_check_rules[i].name);
        smc_json_set(rule, "shortDescription", message(smc_check_rules[i].description));
    }
    return list;
}

static json_t *tool(void)
{
    json_t *object = json_object(), *driver = json_object();
    smc_json_string(driver, "name", PACKAGE_NAME);
    smc_json_string(driver, "version", PACKAGE_VERSION);
    smc_json_string(driver, "semanticVersion", PACKAGE_VERSION);
    if (PACKAGE_URL[0])
        smc_json_string(driver, "informationUri", PACKAGE_URL);
    smc_json_set(driver, "rules", rules());
    smc_json_set(object, "driver", driver);
    return object;
}

/* --- Where ------------------------------------------------------------------------------------ */

/* Below the current folder: the path from there. */
static const char *path_from_here(const char *file)
{
    char folder[PATH_MAX];
    if (file[0] != '/' || !getcwd(folder, sizeof folder))
        return file;
    size_t length = strlen(folder);
    return strncmp(file, folder, length) == 0 && file[length] == '/' ? file + length + 1 : file;
}

/* A reference to the file; a colon in the first folder's name would begin a scheme. */
static void findings_sarif_append_uri(const char *file, struct smc_text *uri)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-._~/!$&'()*+,;=@";
    file = path_from_here(file);
    while (strncmp(file, "./", 2) == 0)
        file += 2;
    if (file[0] == '/')
        smc_text_append(uri, "file://");
    for (; *file; file++)
        if (strchr(plain, *file))
            smc_text_append_bytes(uri, file, 1);
        else
            smc_text_printf(uri, "%%%02X", (unsigned char)*file);
}

/* A place in a file, in a function; without what is unknown. */
static void findings_sarif_set_place(json_t *location, const char *file, uint32_t line,
                                     const char *function)
{
    smc_auto_text uri = {0};
    findings_sarif_append_uri(file, &uri);
    if (uri.length > 0) {
        json_t *object = json_object(), *artifact = json_object();
        smc_json_string(artifact, "uri", smc_text_string(&uri));
        smc_json_set(object, "artifactLocation", artifact);
        if (line > 0) {
            json_t *region = json_object();
            smc_json_integer(region, "startLine", line);
            smc_json_set(object, "region", region);
        }
        smc_json_set(location, "physicalLocation", object);
    }
    if (function[0]) {
        json_t *logical = json_array(), *named = smc_json_add_object(logical);
        smc_json_string(named, "fullyQualifiedName", function);
        smc_json_string(named, "kind", "function");
        smc_json_set(location, "logicalLocations", logical);
    }
}

static json_t *locations(const struct smc_check_finding *finding)
{
    json_t *list = json_array();
    const char *function = finding->kernel;
    for (size_t i = finding->paths ? finding->path[0].places : 0; i-- > 0;) {
        const struct smc_check_place *place = &finding->path[0].place[i];
        if (i == 0 || (place->line == finding->line && strcmp(place->file, finding->file) == 0)) {
            function = place->function;
            break;
        }
    }
    findings_sarif_set_place(smc_json_add_object(list), finding->file, finding->line, function);
    return list;
}

/* --- How threads came there ------------------------------------------------------------------- */

static json_t *location_of(const struct smc_check_path *path, size_t index)
{
    const struct smc_check_place *place = &path->place[index];
    smc_auto_text words = {0};
    json_t *location = json_object();
    findings_sarif_set_place(location, place->file, place->line, place->function);
    if (index == 0)
        smc_text_append(&words, path->thread);
    else if (path->place[index - 1].function[0])
        smc_text_printf(&words, "calls %s", path->place[index - 1].function);
    else
        smc_text_append(&words, "calls a function");
    smc_json_set(location, "message", message(smc_text_string(&words)));
    return location;
}

/* The accesses other than that of the finding's own location: its message refers to them. */
static json_t *related_locations(const struct smc_check_finding *finding)
{
    json_t *list = json_array();
    for (size_t i = 1; i < finding->paths && finding->path[i].places > 0; i++) {
        json_t *location = location_of(&finding->path[i], 0);
        smc_json_integer(location, "id", i);
        json_array_append_new(list, location);
    }
    return list;
}

static json_t *stacks(const struct smc_check_finding *finding)
{
    json_t *list = json_array();
    for (size_t k = 0; k < finding->paths; k++) {
        json_t *stack = smc_json_add_object(list), *frames = json_array();
        for (size_t i = 0; i < finding->path[k].places; i++)
            smc_json_set(smc_json_add_object(frames), "location",
                         location_of(&finding->path[k], i));
        smc_json_set(stack, "message", message(finding->path[k].thread));
        smc_json_set(stack, "frames", frames);
    }
    return list;
}

/* The same from the kernel on, as code scanning shows it. */
static json_t *code_flows(const struct smc_check_finding *finding)
{
    json_t *list = json_array(), *threads = json_array();
    for (size_t k = 0; k < finding->paths; k++) {
        json_t *thread = smc_json_add_object(threads), *steps = json_array();
        for (size_t i = finding->path[k].places; i > 0; i--)
            smc_json_set(smc_json_add_object(steps), "location",
                         location_of(&finding->path[k], i - 1));
        smc_json_set(thread, "message", message(finding->path[k].thread));
        smc_json_set(thread, "locations", steps);
    }
    smc_json_set(smc_json_add_object(list), "threadFlows", threads);
    return list;
}

static void add_paths(json_t *result, const struct smc_check_finding *finding)
{
    bool has_calls = false;
    for (size_t k = 0; k < finding->paths; k++)
        has_calls |= finding->path[k].places > 1;
    if (finding->paths > 1)
        smc_json_set(result, "relatedLocations", related_locations(finding));
    if (has_calls)
        smc_json_set(result, "stacks", stacks(finding));
    if (has_calls || finding->paths > 1)
        smc_json_set(result, "codeFlows", code_flows(finding));
}

/* --- Fingerprints ----------------------------------------------------------------------------- */

static uint64_t print_of(const struct smc_check_finding *finding)
{
    smc_auto_text uri = {0};
    findings_sarif_append_uri(finding->file, &uri);
    const char *parts[] = {finding->rule, finding->kernel, finding->device, smc_text_string(&uri),
                           finding->subject};
    size_t count = sizeof parts / sizeof *parts - !finding->subject[0];
    uint64_t hash = SMC_HASH_START;
    for (size_t i = 0; i < count; i++)
        hash = smc_hash(hash, parts[i], strlen(parts[i]) + 1);
    return hash;
}

/* Equal for the same rule, kernel, device and subject in later runs, independent of the line and
   the numbers: code scanning recognizes a finding by this key. Findings with the same subject are
   numbered. */
static json_t *fingerprints(const struct smc_findings *findings, size_t index)
{
    uint64_t hash = print_of(&findings->item[index]);
    unsigned number = 1;
    char text[32];
    for (size_t i = 0; findings->item[index].subject[0] && i < index; i++)
        number += print_of(&findings->item[i]) == hash;
    snprintf(text, sizeof text, "%016" PRIx64 ":%u", hash, number);
    json_t *object = json_object();
    smc_json_string(object, "primaryLocationLineHash", text);
    return object;
}

/* --- Results ---------------------------------------------------------------------------------- */

static void set_rule(json_t *result, const char *rule)
{
    smc_json_string(result, "ruleId", rule);
    for (int i = 0; i < SMC_CHECK_COUNT; i++)
        if (strcmp(rule, smc_check_rules[i].name) == 0)
            smc_json_integer(result, "ruleIndex", (uint64_t)i);
}

static void add_result(json_t *results, const struct smc_findings *findings, size_t index)
{
    const struct smc_check_finding *finding = &findings->item[index];
    smc_auto_text text = {0};
    json_t *result = smc_json_add_object(results);
    smc_text_printf(&text, "%s%s%s%s%s", finding->kernel, finding->device[0] ? " on " : "",
                    finding->device, finding->kernel[0] ? ": " : "", finding->message);
    if (finding->paths > 1) /* a link to a related location */
        smc_text_append(&text, "; [the other access](1)");
    set_rule(result, finding->rule);
    smc_json_string(result, "level", smc_finding_level_name(finding->level));
    smc_json_set(result, "message", message(smc_text_string(&text)));
    smc_json_set(result, "locations", locations(finding));
    add_paths(result, finding);
    smc_json_set(result, "partialFingerprints", fingerprints(findings, index));
}

void smc_sarif_findings(const struct smc_findings *findings, struct smc_text *out)
{
    json_t *root = json_object(), *runs = json_array(), *run = smc_json_add_object(runs);
    json_t *results = json_array();
    for (size_t i = 0; i < findings->count; i++)
        add_result(results, findings, i);
    smc_json_string(root, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    smc_json_string(root, "version", "2.1.0");
    smc_json_set(run, "tool", tool());
    smc_json_string(run, "columnKind", "unicodeCodePoints");
    smc_json_set(run, "results", results);
    smc_json_set(root, "runs", runs);
    smc_json_finish(root, out);
}
