/* The list of files to read. */
#include "code/inputs.h"

#include <stdlib.h>

#include "base/memory.h"

struct smc_input *smc_inputs_add(struct smc_inputs *inputs, const char *file)
{
    if (!smc_make_room(&inputs->item, inputs->count, &inputs->capacity, sizeof *inputs->item))
        return NULL;
    struct smc_input *input = &inputs->item[inputs->count];
    *input = (struct smc_input){.file = smc_strdup(file)};
    inputs->count += input->file != NULL;
    return input->file ? input : NULL;
}

void smc_inputs_free(struct smc_inputs *inputs)
{
    for (size_t i = 0; i < inputs->count; i++) {
        struct smc_input *input = &inputs->item[i];
        for (size_t k = 0; k < input->argument_count; k++)
            free(input->argument[k]);
        free(input->argument);
        free(input->target);
        free(input->output);
        free(input->label);
        free(input->file);
    }
    free(inputs->item);
    *inputs = (struct smc_inputs){0};
}
