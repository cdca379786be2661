/* Reads the dry run of nvcc, and the line markers of its preprocessor. */
#include "code/readers/nvcc_commands.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "code/cpp_tokens.h"
#include "code/tools.h"

/* --- The dry run ------------------------------------------------------------------------------ */

/* Each line of the dry run begins with this mark. */
static const char mark[] = "#$ ";
enum { MARK = sizeof mark - 1 };

static const char *next_line(const char *line)
{
    line += strcspn(line, "\n");
    return line + (*line == '\n');
}

/* The value of a variable that the dry run sets, up to the end of the line; NULL if none. */
static const char *nvcc_commands_value_of(const char *dry_run, const char *name, size_t length)
{
    for (const char *line = dry_run; *line; line = next_line(line))
        if (strncmp(line, mark, MARK) == 0 && strncmp(line + MARK, name, length) == 0 &&
            line[MARK + length] == '=')
            return line + MARK + length + 1;
    return NULL;
}

/* The program of a command, with a variable at its start replaced. False: an assignment. */
static bool nvcc_commands_read_program(const char *dry_run, const char *command,
                                       char path[SMC_TOOL_PATH])
{
    bool quoted = *command == '"';
    const char *word = command + quoted;
    int length = (int)strcspn(word, quoted ? "\"\n" : " \n");
    if (!quoted && memchr(word, '=', (size_t)length))
        return false;
    const char *value = "";
    int value_length = 0;
    if (*word == '$') {
        size_t name = strcspn(word + 1, "/\" \n");
        const char *found = nvcc_commands_value_of(dry_run, word + 1, name);
        if (found) {
            value = found;
            value_length = (int)strcspn(found, "\n");
            word += 1 + name;
            length -= 1 + (int)name;
        }
    }
    return snprintf(path, SMC_TOOL_PATH, "%.*s%.*s", value_length, value, length, word) <
           SMC_TOOL_PATH;
}

static void write_program(const char *dry_run, const char *command, struct smc_text *key)
{
    char name[SMC_TOOL_PATH], path[SMC_TOOL_PATH];
    const char *folders = nvcc_commands_value_of(dry_run, "PATH", strlen("PATH"));
    if (!nvcc_commands_read_program(dry_run, command, name))
        return;
    if (strchr(name, '/'))
        smc_tool_write_identity(name, key);
    else if (folders && smc_tool_find_in(folders, strcspn(folders, "\n"), name, path))
        smc_tool_write_identity(path, key);
}

/* Without the name of the folder, which differs in each run. */
static void write_line(const char *line, const char *folder, struct smc_text *key)
{
    const char *end = line + strcspn(line, "\n");
    size_t length = strlen(folder);
    for (const char *found; (found = strstr(line, folder)) && found < end; line = found + length)
        smc_text_append_bytes(key, line, (size_t)(found - line));
    smc_text_append_bytes(key, line, (size_t)(end - line));
    smc_text_append(key, "\n");
}

bool smc_nvcc_write_commands(const char *dry_run, const char *folder, struct smc_text *key)
{
    static const char *const variables[] = {"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH",
                                            "GCC_EXEC_PREFIX", "COMPILER_PATH"};
    bool found = false;
    for (const char *line = dry_run; *line; line = next_line(line)) {
        bool is_command = strncmp(line, mark, MARK) == 0;
        found |= is_command;
        if (is_command && strncmp(line + MARK, "PATH=", 5) == 0)
            continue; /* instead, the programs that are found there are written */
        write_line(line, folder, key);
        if (is_command)
            write_program(dry_run, line + MARK, key);
    }
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *value = getenv(variables[i]); /* an empty one names the current folder */
        if (value)
            smc_text_printf(key, "%s=%s\n", variables[i], value);
    }
    return found;
}

/* --- What was included ------------------------------------------------------------------------ */

/* # line "path" flags */
struct marker {
    const char *path;
    size_t length;
    bool is_entry, is_system;
};

static bool read_marker(const char *line, struct marker *marker)
{
    if (line[0] != '#' || line[1] != ' ' || !isdigit((unsigned char)line[2]))
        return false;
    const char *open = line + 2 + strspn(line + 2, "0123456789");
    if (open[0] != ' ' || open[1] != '"')
        return false;
    marker->path = open + 2;
    marker->length = strcspn(marker->path, "\"\n");
    const char *flags = marker->path + marker->length;
    if (*flags != '"')
        return false;
    size_t rest = strcspn(flags, "\n");
    marker->is_entry = rest > 2 && flags[2] == '1';
    marker->is_system = memchr(flags, '3', rest) != NULL;
    return true;
}

/* The length of the folder of the toolkit's headers, which is that of cuda_runtime.h. */
static size_t toolkit_length(const struct marker *marker)
{
    static const char name[] = "/cuda_runtime.h";
    const size_t length = sizeof name - 1;
    bool found = marker->length > length &&
                 memcmp(marker->path + marker->length - length, name, length) == 0;
    return found ? marker->length - length + 1 : 0;
}

bool smc_nvcc_write_included(const char *preprocessed, struct smc_text *files)
{
    SMC_AUTO(smc_name_set_free) struct smc_name_set seen = {0};
    struct marker marker;
    const char *toolkit = "";
    size_t toolkit_bytes = 0;
    bool is_clear = true, found = false;
    for (const char *line = preprocessed; *line; line = next_line(line)) {
        if (!read_marker(line, &marker) || !marker.is_entry)
            continue;
        if (!toolkit_bytes && (toolkit_bytes = toolkit_length(&marker)))
            toolkit = marker.path;
        if (!smc_name_set_add(&seen, smc_hash(SMC_HASH_START, marker.path, marker.length)))
            continue;
        bool of_toolkit = toolkit_bytes > 0 && marker.length > toolkit_bytes &&
                          memcmp(marker.path, toolkit, toolkit_bytes) == 0;
        is_clear &= memchr(marker.path, '\\', marker.length) == NULL;
        smc_text_printf(files, "%c%.*s\n", marker.is_system || of_toolkit ? 's' : 'u',
                        (int)marker.length, marker.path);
        found = true;
    }
    is_clear &= !seen.failed && !files->failed;
    return found && is_clear;
}
