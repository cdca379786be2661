/* The lines of a kernel with the emulator's counts, hottest first. */
#include "report/json_parts.h"

json_t *smc_json_annotation(const struct smc_annotation *annotation)
{
    json_t *list = json_array();
    for (size_t i = 0; i < annotation->hottest_count; i++) {
        const struct smc_annotated_line *line = annotation->hottest[i];
        json_t *object = json_object();
        smc_json_set(object, "file", line->file ? json_string(line->file) : json_null());
        smc_json_known_integer(object, "line", line->line);
#define COUNT(key, value) smc_json_integer(object, #key, value);
#include "report/annotation.def"
#undef COUNT
        smc_json_set(object, "source", line->text ? json_string(line->text) : json_null());
        json_array_append_new(list, object);
    }
    return list;
}
