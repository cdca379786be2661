/* The kernel's source in the person's editor. */
#include "config.h"

#include "tui/edit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compile/source.h"

static enum smc_status make_folder(struct smc_edit *edit, struct smc_error *error)
{
    const char *temporary = getenv("TMPDIR");
    if (edit->folder[0])
        return SMC_OK;
    snprintf(edit->folder, sizeof edit->folder, "%.400s/smemcalc-edit-XXXXXX",
             temporary && *temporary ? temporary : "/tmp");
    if (mkdtemp(edit->folder))
        return SMC_OK;
    edit->folder[0] = '\0';
    return smc_fail(error, SMC_MACHINE, "no folder for a copy of the source: %s", strerror(errno));
}

/* All kernels, so that each can be compiled from the folder; one that is there is kept. */
static enum smc_status copy_kernels(const struct smc_edit *edit, const char *from,
                                    struct smc_error *error)
{
    for (size_t i = 0; i < smc_kernel_count(); i++) {
        char path[1024];
        struct smc_source source;
        const struct smc_kernel *kernel = smc_kernel_at(i);
        snprintf(path, sizeof path, "%s/%s", edit->folder, kernel->file);
        if (access(path, F_OK) == 0)
            continue;
        enum smc_status status = smc_source_load(kernel, from, &source, error);
        FILE *file = status == SMC_OK ? fopen(path, "wx") : NULL;
        if (status == SMC_OK && !file)
            status = smc_fail(error, SMC_MACHINE, "%s: %s", path, strerror(errno));
        if (file) {
            fwrite(source.text.data, 1, source.text.length, file);
            if (fclose(file) != 0)
                status = smc_fail(error, SMC_MACHINE, "%s: %s", path, strerror(errno));
        }
        smc_source_free(&source);
        if (status != SMC_OK)
            return status;
    }
    return SMC_OK;
}

/* Through the shell, since people set EDITOR="code -w". */
static enum smc_status run_editor(const char *path, struct smc_error *error)
{
    const char *editor = getenv("VISUAL");
    if (!editor || !*editor)
        editor = getenv("EDITOR");
    if (!editor || !*editor)
        editor = "vi";
    char command[1024];
    snprintf(command, sizeof command, "%.500s \"$1\"", editor);
    pid_t process = fork();
    if (process == 0) {
        execl("/bin/sh", "sh", "-c", command, "sh", path, (char *)NULL);
        _exit(127);
    }
    int how = 0;
    while (process > 0 && waitpid(process, &how, 0) < 0 && errno == EINTR) {
    }
    if (process < 0)
        return smc_fail(error, SMC_MACHINE, "%s: %s", editor, strerror(errno));
    if (WIFEXITED(how) && WEXITSTATUS(how) == 127)
        return smc_fail(error, SMC_UNAVAILABLE,
                        "the editor '%.200s' cannot be run; $VISUAL and $EDITOR name it", editor);
    return SMC_OK;
}

enum smc_status smc_edit_kernel(struct smc_edit *edit, struct smc_explore *explore,
                                struct smc_error *error)
{
    char path[1024];
    const struct smc_kernel *kernel = explore->query.kernel;
    if (!kernel)
        return smc_fail(error, SMC_USAGE, "your own kernel has no source here");
    enum smc_status status = make_folder(edit, error);
    if (status == SMC_OK)
        status = copy_kernels(edit, explore->query.compile.kernel_dir, error);
    snprintf(path, sizeof path, "%s/%s", edit->folder, kernel->file);
    if (status == SMC_OK)
        status = run_editor(path, error);
    if (status == SMC_OK) {
        explore->query.compile.kernel_dir = edit->folder;
        smc_explore_recompile(explore);
    }
    return status;
}

void smc_edit_clean(struct smc_edit *edit)
{
    if (!edit->folder[0])
        return;
    for (size_t i = 0; i < smc_kernel_count(); i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", edit->folder, smc_kernel_at(i)->file);
        unlink(path);
    }
    rmdir(edit->folder);
    edit->folder[0] = '\0';
}
