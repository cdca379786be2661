/* The table of instructions.def: whether the emulator runs an instruction, and why not. */
#include "machine/emulator/ptx.h"

#include <string.h>

static const struct smc_ptx_instruction table[] = {
#define INSTRUCTION(name, support, section, example, note)                                         \
    {name, section, example, note, SMC_INSTRUCTION_##support},
#include "machine/emulator/instructions.def"
};
enum { ROWS = sizeof table / sizeof *table };

const struct smc_ptx_instruction *smc_ptx_instructions(size_t *count)
{
    *count = ROWS;
    return table;
}

/* Whether the next part of `name` equals `part`; moves past it. */
static bool next_is(const char **name, struct smc_span part)
{
    size_t bytes = strcspn(*name, ".");
    if (bytes != part.bytes || memcmp(*name, part.at, bytes) != 0)
        return false;
    *name += bytes + ((*name)[bytes] == '.');
    return true;
}

static bool has_modifier(const struct smc_ptx_statement *statement, const char *name)
{
    for (uint32_t i = 0; i < statement->modifiers; i++)
        if (smc_span_is(statement->modifier[i], name))
            return true;
    return false;
}

/* ptxas accepts .sync anywhere, and CUB writes vote.ballot.sync. */
static bool instructions_begins(const struct smc_ptx_statement *statement, const char *name)
{
    if (!statement->opcode.bytes || *name != *statement->opcode.at ||
        !next_is(&name, statement->opcode))
        return false;
    for (uint32_t i = 0; *name; i++)
        if (i == statement->modifiers || !next_is(&name, statement->modifier[i]))
            return strcmp(name, "sync") == 0 && has_modifier(statement, name);
    return true;
}

const struct smc_ptx_instruction *smc_ptx_instruction_of(const struct smc_ptx_statement *statement)
{
    const struct smc_ptx_instruction *best = NULL;
    for (size_t i = 0; i < ROWS; i++)
        if (instructions_begins(statement, table[i].name) &&
            (!best || strlen(table[i].name) > strlen(best->name)))
            best = &table[i];
    return best;
}
