/* Fuzzes arrays in shared memory: the lines of the input are the type of the elements, the layout,
   the swizzle, the accesses and a layout of threads. A smallest padding or swizzle that is found
   leaves no conflict. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "answers/banks_query.h"
#include "rules/banks.h"

enum { LINES = 5, MOST_ELEMENTS = 1 << 13 };

static const struct smc_bank_layout newest = {32, 32, 1, false, true};

static void check_remedy(const struct smc_tile_question *question,
                         const struct smc_tile_remedy *remedy)
{
    for (uint32_t i = 0; i < question->access_count && remedy->found; i++) {
        struct smc_tile_walked walked;
        if (smc_tile_walk(&remedy->tile, &question->access[i], "", &walked, NULL) != SMC_OK)
            abort();
        for (size_t k = 0; k < walked.count; k++) {
            struct smc_access access;
            smc_tile_access_of(&remedy->tile, &walked, k, &access);
            const struct smc_bank_cost cost = smc_banks_count(&newest, &access);
            if (cost.wavefronts != cost.least)
                abort();
        }
        smc_tile_walked_free(&walked);
    }
}

static void try_question(const struct smc_tile_question *question)
{
    static struct smc_banks_answer answer;
    struct smc_banks_query query;
    struct smc_error error = {""};
    const uint32_t size = smc_cute_size(&question->tile.layout);
    if (size > MOST_ELEMENTS)
        return;
    for (uint32_t index = 0; index < size; index++)
        if (smc_cute_offset(&question->tile.layout, index) >=
            smc_cute_cosize(&question->tile.layout))
            abort();
    smc_banks_query_init(&query);
    smc_device_find("9.0", &query.device, (char[256]){0}, NULL);
    query.tile = question;
    const enum smc_status status = smc_banks_answer(&query, &answer, &error);
    if ((status == SMC_OK) != !error.message[0])
        abort();
    if (status != SMC_OK)
        return;
    check_remedy(question, &answer.tile_padding);
    check_remedy(question, &answer.tile_swizzle);
}

int fuzz_tiles(const uint8_t *data, size_t size)
{
    static struct smc_tile_question question;
    char *text = strndup((const char *)data, size), *line[LINES] = {NULL};
    struct smc_error error = {""};
    if (!text)
        return 0;
    char *rest = text;
    for (int i = 0; i < LINES && rest; i++)
        line[i] = strsep(&rest, "\n");
    const struct smc_tile_texts texts = {
        .element = line[0] && *line[0] ? line[0] : NULL,
        .layout = line[1] ? line[1] : "",
        .swizzle = line[2] && *line[2] ? line[2] : NULL,
        .accesses = line[3] ? line[3] : "",
        .threads_values = line[4] && *line[4] ? line[4] : NULL,
    };
    const enum smc_status status = smc_tile_question_read(&texts, &question, &error);
    if ((status == SMC_OK) != !error.message[0])
        abort();
    if (status == SMC_OK)
        try_question(&question);
    free(text);
    return 0;
}
