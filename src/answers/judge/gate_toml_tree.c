/* The part of TOML that every build has: freeing a tree, and the error of a build without toml++.
 */
#include "config.h"

#include <stdlib.h>

#include "answers/judge/gate_toml.h"

void smc_toml_free(struct smc_toml *root)
{
    for (size_t i = 0; i < root->count && root->item; i++)
        smc_toml_free(&root->item[i]);
    free(root->item);
    free(root->key);
    free(root->string);
    *root = (struct smc_toml){0};
}

#ifndef HAVE_TOML
enum smc_status smc_toml_parse(const char *text, size_t length, const char *path,
                               struct smc_toml *root, struct smc_error *error)
{
    (void)text, (void)length;
    *root = (struct smc_toml){0};
    return smc_fail(error, SMC_UNAVAILABLE,
                    "%.300s: this smemcalc was built without toml++, which reads gate files", path);
}
#endif
