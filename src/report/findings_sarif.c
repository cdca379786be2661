/* Findings as SARIF 2.1.0, which code scanning reads. */
#include "config.h"

#include <inttypes.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "report/findings.h"
#include "report/json_parts.h"

static json_t *message(const char *text)
{
    json_t *object = json_object();
    smc_json_string(object, "text", text);
    return object;
}

/* A new object at the end of the list, which owns it. */
static json_t *add_object(json_t *list)
{
    json_t *object = json_object();
    json_array_append_new(list, object);
    return object;
}

/* --- The tool --------------------------------------------------------------------------------- */

static json_t *rules(void)
{
    json_t *list = json_array();
    for (int i = 0; i < SMC_CHECK_COUNT; i++) {
        json_t *rule = add_object(list);
        smc_json_string(rule, "id", smc_check_rule_name(i));
        smc_json_set(rule, "shortDescription", message(smc_check_rule_description(i)));
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
static void append_uri(const char *file, struct smc_text *uri)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-._~/!$&'()*+,;=@";
    if (strcmp(file, "-") == 0)
        file = "stdin";
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

static json_t *physical_location(const struct smc_check_finding *finding, const char *uri)
{
    json_t *object = json_object(), *artifact = json_object();
    smc_json_string(artifact, "uri", uri);
    smc_json_set(object, "artifactLocation", artifact);
    if (finding->line > 0) {
        json_t *region = json_object();
        smc_json_integer(region, "startLine", finding->line);
        smc_json_set(object, "region", region);
    }
    return object;
}

static json_t *locations(const struct smc_check_finding *finding, const char *uri)
{
    json_t *list = json_array(), *location = add_object(list);
    if (uri[0])
        smc_json_set(location, "physicalLocation", physical_location(finding, uri));
    if (finding->kernel[0]) {
        json_t *logical = json_array(), *function = add_object(logical);
        smc_json_string(function, "fullyQualifiedName", finding->kernel);
        smc_json_string(function, "kind", "function");
        smc_json_set(location, "logicalLocations", logical);
    }
    return list;
}

/* Equal for the same rule, kernel and device in later runs, independent of the line and the
   numbers: code scanning recognizes a finding by this key. */
static json_t *fingerprints(const struct smc_check_finding *finding, const char *uri)
{
    const char *parts[] = {finding->rule, finding->kernel, finding->device, uri};
    uint64_t hash = SMC_HASH_START;
    char text[32];
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        hash = smc_hash(hash, parts[i], strlen(parts[i]) + 1);
    snprintf(text, sizeof text, "%016" PRIx64 ":1", hash);
    json_t *object = json_object();
    smc_json_string(object, "primaryLocationLineHash", text);
    return object;
}

/* --- Results ---------------------------------------------------------------------------------- */

static void set_rule(json_t *result, const char *rule)
{
    smc_json_string(result, "ruleId", rule);
    for (int i = 0; i < SMC_CHECK_COUNT; i++)
        if (strcmp(rule, smc_check_rule_name(i)) == 0)
            smc_json_integer(result, "ruleIndex", (uint64_t)i);
}

static void add_result(json_t *results, const struct smc_check_finding *finding)
{
    struct smc_text uri = {0}, text = {0};
    json_t *result = add_object(results);
    append_uri(finding->file, &uri);
    smc_text_printf(&text, "%s%s%s%s%s", finding->kernel, finding->device[0] ? " on " : "",
                    finding->device, finding->kernel[0] ? ": " : "", finding->message);
    set_rule(result, finding->rule);
    smc_json_string(result, "level", smc_finding_level_name(finding->level));
    smc_json_set(result, "message", message(smc_text_string(&text)));
    smc_json_set(result, "locations", locations(finding, smc_text_string(&uri)));
    smc_json_set(result, "partialFingerprints", fingerprints(finding, smc_text_string(&uri)));
    smc_text_free(&uri);
    smc_text_free(&text);
}

void smc_sarif_findings(const struct smc_findings *findings, struct smc_text *out)
{
    json_t *root = json_object(), *runs = json_array(), *run = add_object(runs);
    json_t *results = json_array();
    for (size_t i = 0; i < findings->count; i++)
        add_result(results, &findings->item[i]);
    smc_json_string(root, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    smc_json_string(root, "version", "2.1.0");
    smc_json_set(run, "tool", tool());
    smc_json_string(run, "columnKind", "unicodeCodePoints");
    smc_json_set(run, "results", results);
    smc_json_set(root, "runs", runs);
    smc_json_finish(root, out);
}
