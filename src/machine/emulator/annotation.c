/* Counts by source line, using the line table to find the line of each instruction. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "machine/emulator/emulator_program.h"

enum { TAB = 4 };

/* --- Text ------------------------------------------------------------------------------------- */

/* A copy without tabs and control characters. */
static const char *copy_safe(struct smc_arena *arena, const char *bytes, size_t count)
{
    size_t room = 1, columns = 0;
    for (size_t i = 0; i < count; i++)
        room += bytes[i] == '\t' ? TAB : 1;
    char *copy = smc_arena_take(arena, room);
    for (size_t i = 0; copy && i < count; i++)
        if (bytes[i] == '\t')
            do
                copy[columns++] = ' ';
            while (columns % TAB);
        else
            copy[columns++] = bytes[i] ? bytes[i] : '?';
    if (copy)
        smc_utf8_make_safe(copy);
    return copy;
}

static size_t annotation_count_lines(const char *source)
{
    size_t lines = 0;
    for (const char *at = source; *at; at += *at == '\n') {
        at += strcspn(at, "\n");
        lines++;
    }
    return lines;
}

static void annotation_read_source(const char *name, const char *source,
                                   struct smc_annotation *annotation)
{
    const char *file = copy_safe(&annotation->arena, name, strlen(name)), *at = source;
    for (size_t i = 0; i < annotation->lines; i++) {
        size_t bytes = strcspn(at, "\n");
        size_t shown = bytes && at[bytes - 1] == '\r' ? bytes - 1 : bytes;
        annotation->line[i] = (struct smc_annotated_line){
            .file = file,
            .line = (uint32_t)(i + 1),
            .text = copy_safe(&annotation->arena, at, shown),
        };
        at += bytes + 1;
    }
}

/* --- Counts ----------------------------------------------------------------------------------- */

/* The last component of a path, with '/' or '\\' as separator. */
static const char *base_of(const char *path)
{
    const char *base = path;
    for (; *path; path++)
        if (*path == '/' || *path == '\\')
            base = path + 1;
    return base;
}

/* Finds or adds the line of an instruction. The lines before `source_lines` are the source's own.
   `file` is the program's pointer to the name, which is the same for all lines of a file. */
static struct smc_annotated_line *annotation_find_line(struct smc_annotation *annotation,
                                                       size_t source_lines, const char *name,
                                                       const char *file, uint32_t line)
{
    if (file && strcmp(base_of(file), base_of(name)) == 0 && line - 1 < source_lines)
        return &annotation->line[line - 1];
    for (size_t i = source_lines; i < annotation->lines; i++)
        if (annotation->line[i].file == file && annotation->line[i].line == line)
            return &annotation->line[i];
    struct smc_annotated_line *added = &annotation->line[annotation->lines++];
    *added = (struct smc_annotated_line){.file = file, .line = line};
    return added;
}

static int by_place(const void *a, const void *b)
{
    const struct smc_annotated_line *first = a, *second = b;
    if (!first->file || !second->file)
        return !first->file - !second->file; /* without a line: last */
    int order = strcmp(first->file, second->file);
    return order ? order : (first->line > second->line) - (first->line < second->line);
}

static int by_heat(const void *a, const void *b)
{
    const struct smc_annotated_line *const *first = a, *const *second = b;
    if ((*first)->heat != (*second)->heat)
        return (*first)->heat < (*second)->heat ? 1 : -1;
    return (*first > *second) - (*first < *second);
}

static void annotation_add_counts(const struct smc_program *program,
                                  const struct smc_emulation *emulation, const char *name,
                                  struct smc_annotation *annotation)
{
    size_t source_lines = annotation->lines;
    for (size_t i = 0; i < emulation->count_length; i++) {
        const struct smc_instruction *instruction = smc_program_instruction(program, i);
        const char *file = instruction->line ? smc_program_file(program, instruction->file) : NULL;
        struct smc_annotated_line *line = annotation_find_line(annotation, source_lines, name, file,
                                                               file ? instruction->line : 0);
        line->instructions++;
        smc_emulated_count_add(&emulation->count[i], &line->count);
    }
    for (size_t i = source_lines; i < annotation->lines; i++) {
        struct smc_annotated_line *line = &annotation->line[i];
        line->file =
            line->file ? copy_safe(&annotation->arena, line->file, strlen(line->file)) : NULL;
    }
    qsort(annotation->line + source_lines, annotation->lines - source_lines,
          sizeof *annotation->line, by_place);
}

static void rank(struct smc_annotation *annotation)
{
    for (size_t i = 0; i < annotation->lines; i++) {
        struct smc_annotated_line *line = &annotation->line[i];
        line->heat = line->count.executions + smc_emulated_wavefronts(&line->count);
        annotation->heat += line->heat;
        if (line->count.executions)
            annotation->hottest[annotation->hottest_count++] = line;
    }
    qsort(annotation->hottest, annotation->hottest_count, sizeof *annotation->hottest, by_heat);
}

enum smc_status smc_annotate(const struct smc_program *program,
                             const struct smc_emulation *emulation, const char *name,
                             const char *source, struct smc_annotation *annotation,
                             struct smc_error *error)
{
    smc_annotation_free(annotation);
    size_t source_lines = annotation_count_lines(source);
    size_t most = source_lines + emulation->count_length + 1;
    annotation->line = smc_arena_take(&annotation->arena, most * sizeof *annotation->line);
    annotation->hottest = smc_arena_take(&annotation->arena, most * sizeof *annotation->hottest);
    if (annotation->line && annotation->hottest) {
        annotation->lines = source_lines;
        annotation_read_source(name, source, annotation);
        annotation_add_counts(program, emulation, name, annotation);
        rank(annotation);
    }
    if (!annotation->arena.failed)
        return SMC_OK;
    smc_annotation_free(annotation);
    return smc_out_of_memory(error);
}

void smc_annotation_free(struct smc_annotation *annotation)
{
    smc_arena_free(&annotation->arena);
    *annotation = (struct smc_annotation){0};
}
