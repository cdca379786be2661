/* The folders in which this user's files of the program lie. */
#include "config.h"

#include "base/folder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const char *smc_folder_variable(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

bool smc_folder_of_user(const char *xdg, const char *below_home, char *folder, size_t capacity)
{
    const char *named = smc_folder_variable(xdg);
    const char *home = smc_folder_variable("HOME");
    int length;
    if (named &&
        *named == '/') /* its specification: a relative path counts as unset; so here does HOME */
        length = snprintf(folder, capacity, "%s/smemcalc", named);
    else if (home && *home == '/')
        length = snprintf(folder, capacity, "%s/%s/smemcalc", home, below_home);
    else
        return false;
    return length > 0 && (size_t)length < capacity;
}

int smc_folder_make(const char *folder)
{
    char path[1024];
    struct stat status;
    if (stat(folder, &status) == 0)
        return S_ISDIR(status.st_mode) ? 0 : ENOTDIR;
    if (snprintf(path, sizeof path, "%s", folder) >= (int)sizeof path)
        return ENAMETOOLONG;
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(path, 0700) != 0 && errno != EEXIST)
            return errno;
        *slash = '/';
    }
    return mkdir(path, 0700) == 0 || errno == EEXIST ? 0 : errno;
}
