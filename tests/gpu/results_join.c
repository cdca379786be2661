/* Combines what several runs of the GPU tests and the benchmarks found. */
#include <stdio.h>
#include <string.h>

#include "results.h"

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

/* Values that must be the same in all pieces, as a key's value or that of an object. */
static bool is_of_one_run(const json_t *all, const json_t *piece, const char *path)
{
    static const char *const keys[] = {"schema", "program", "gpu",  "driver",
                                       "cuda",   "runtime", "nvrtc"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (json_equal(json_object_get(all, keys[i]), json_object_get(piece, keys[i])) ||
            (!json_object_get(all, keys[i]) && !json_object_get(piece, keys[i])))
            continue;
        printf("%s: \"%s\" is not that of the pieces before\n", path, keys[i]);
        return false;
    }
    return true;
}

/* Lists are appended, sections merged; "date" becomes the latest. */
static void lay_over(json_t *all, json_t *piece)
{
    const char *key;
    json_t *value;
    json_object_foreach(piece, key, value)
    {
        json_t *known = json_object_get(all, key);
        if (json_is_array(known) && json_is_array(value))
            json_array_extend(known, value);
        else if (strcmp(key, "date") != 0 || strcmp(text_of(all, key), text_of(piece, key)) < 0)
            json_object_set(all, key, value);
    }
}

static bool add(json_t *all, json_t *speed, json_t *piece, const char *path)
{
    bool is_benchmark = !json_object_get(piece, "schema");
    if (!is_benchmark && json_object_get(all, "schema") && !is_of_one_run(all, piece, path))
        return false;
    lay_over(is_benchmark ? speed : all, piece);
    return true;
}

bool gpu_results_join(const char *path, int count, char *const *pieces)
{
    json_t *all = json_object(), *speed = json_object();
    bool good = true;
    for (int i = 0; i < count && good; i++) {
        json_error_t error;
        json_t *piece = json_load_file(pieces[i], 0, &error);
        good = json_is_object(piece) && add(all, speed, piece, pieces[i]);
        if (!json_is_object(piece))
            printf("%s: %s\n", pieces[i], piece ? "it is not a JSON object" : error.text);
        json_decref(piece);
    }
    if (good && json_object_size(speed))
        json_object_set(all, "speed", speed);
    if (good && json_dump_file(all, path, JSON_INDENT(1)) != 0) {
        printf("%s: the results cannot be written\n", path);
        good = false;
    }
    json_decref(all);
    json_decref(speed);
    return good;
}
