/* What is stated of the launches of kernels, by patterns of their names. */
#include <stdlib.h>

#include "base/memory.h"
#include "code/user_kernels.h"

bool smc_stated_add(struct smc_stated_list *list, const struct smc_stated *stated)
{
    bool has_room = smc_make_room(&list->item, list->count, &list->capacity, sizeof *list->item);
    if (has_room)
        list->item[list->count++] = *stated;
    else
        free(stated->pattern);
    return has_room;
}

void smc_stated_free(struct smc_stated_list lists[SMC_STATED_KINDS])
{
    for (int kind = 0; kind < SMC_STATED_KINDS; kind++) {
        for (size_t i = 0; i < lists[kind].count; i++)
            free(lists[kind].item[i].pattern);
        free(lists[kind].item);
    }
}
