/* TOML by toml++. No exception leaves this file: the library reports errors of the text as values,
   and what remains is memory that ran out. */
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
/* A line, which is limited in length, may hold many levels of dotted keys besides. */
#define TOML_MAX_NESTED_VALUES 8
#include <toml++/toml.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

extern "C" {
#include "base/memory.h"
}
#include "inspect/gate_toml.h"

namespace {

/* Why the tree cannot be made. */
struct refusal {
    uint32_t line;
    const char *reason; /* NULL: memory */
};

char *copy(std::string_view text, uint32_t line)
{
    if (text.find('\0') != text.npos)
        throw refusal{line, "a text contains the character NUL"};
    char *copied = smc_strndup(text.data(), text.size());
    if (!copied)
        throw refusal{line, nullptr};
    return copied;
}

void fill(const toml::node &node, unsigned level, smc_toml *out);

smc_toml *items(smc_toml *out, size_t count)
{
    out->item = static_cast<smc_toml *>(smc_calloc(count + 1, sizeof *out->item));
    if (!out->item)
        throw refusal{out->line, nullptr};
    out->count = count;
    return out->item;
}

void fill_array(const toml::array &array, unsigned level, smc_toml *out)
{
    out->type = SMC_TOML_ARRAY;
    smc_toml *item = items(out, array.size());
    for (auto &&value : array) {
        item->line = value.source().begin.line;
        fill(value, level + 1, item++);
    }
}

/* toml++ sorts keys; the order of the file is that of their places. */
void fill_table(const toml::table &table, unsigned level, smc_toml *out)
{
    out->type = SMC_TOML_TABLE;
    std::vector<std::pair<const toml::key *, const toml::node *>> entries;
    for (auto &&[key, value] : table)
        entries.emplace_back(&key, &value);
    std::sort(entries.begin(), entries.end(), [](const auto &a, const auto &b) {
        const auto &left = a.first->source().begin, &right = b.first->source().begin;
        return left.line != right.line ? left.line < right.line : left.column < right.column;
    });
    smc_toml *item = items(out, entries.size());
    for (const auto &[key, value] : entries) {
        item->line = key->source().begin.line;
        item->key = copy(key->str(), item->line);
        fill(*value, level + 1, item++);
    }
}

void fill(const toml::node &node, unsigned level, smc_toml *out)
{
    if (level > SMC_TOML_MOST_LEVELS)
        throw refusal{out->line, "tables are nested too deeply"};
    if (const auto *table = node.as_table()) {
        fill_table(*table, level, out);
    } else if (const auto *array = node.as_array()) {
        fill_array(*array, level, out);
    } else if (const auto *string = node.as_string()) {
        out->type = SMC_TOML_STRING;
        out->string = copy(string->get(), out->line);
    } else if (const auto *integer = node.as_integer()) {
        out->type = SMC_TOML_INTEGER;
        out->integer = integer->get();
    } else if (const auto *real = node.as_floating_point()) {
        out->type = SMC_TOML_REAL;
        out->real = real->get();
    } else if (const auto *boolean = node.as_boolean()) {
        out->type = SMC_TOML_BOOLEAN;
        out->integer = boolean->get();
    } else if (const auto *date = node.as_date()) {
        out->type = SMC_TOML_DATE;
        out->year = date->get().year;
        out->month = date->get().month;
        out->day = date->get().day;
    } else {
        out->type = SMC_TOML_OTHER;
    }
}

/* 0: none. Long lines are what deep keys would be made of. */
uint32_t find_long_line(std::string_view text)
{
    uint32_t line = 1;
    for (size_t at = 0; at < text.size(); line++) {
        size_t end = std::min(text.find('\n', at), text.size());
        if (end - at > SMC_TOML_LONGEST_LINE)
            return line;
        at = end + 1;
    }
    return 0;
}

smc_status read(std::string_view text, const char *path, smc_toml *root, smc_error *error)
{
    if (uint32_t line = find_long_line(text))
        return smc_fail(error, SMC_USAGE, "%.300s:%u: the line is longer than %d bytes", path, line,
                        static_cast<int>(SMC_TOML_LONGEST_LINE));
    auto result = toml::parse(text);
    if (!result)
        return smc_fail(error, SMC_USAGE, "%.300s:%u: %.500s", path,
                        static_cast<unsigned>(result.error().source().begin.line),
                        std::string(result.error().description()).c_str());
    try {
        fill(result.table(), 0, root);
    } catch (const refusal &refused) {
        smc_toml_free(root);
        if (!refused.reason)
            return smc_out_of_memory(error);
        return smc_fail(error, SMC_USAGE, "%.300s:%u: %s", path, refused.line, refused.reason);
    }
    return SMC_OK;
}

} // namespace

extern "C" smc_status smc_toml_parse(const char *text, size_t length, const char *path,
                                     smc_toml *root, smc_error *error)
{
    *root = smc_toml{};
    try {
        return read(std::string_view(text, length), path, root, error);
    } catch (...) { /* std::bad_alloc */
        smc_toml_free(root);
        smc_memory_note_failure();
        return smc_out_of_memory(error);
    }
}
