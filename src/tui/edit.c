/* The kernel's source in the person's editor. */
#include "config.h"

#include "tui/edit.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/signals.h"
#include "compile/source.h"

enum { NO_COMMAND = 127 }; /* the shell's exit status where it finds none */

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
        smc_signals_regain();
        execl("/bin/sh", "sh", "-c", command, "sh", path, (char *)NULL);
        _exit(NO_COMMAND);
    }
    int how = 0;
    while (process > 0 && waitpid(process, &how, 0) < 0 && errno == EINTR) {
    }
    if (process < 0)
        return smc_fail(error, SMC_MACHINE, "%s: %s", editor, strerror(errno));
    if (WIFEXITED(how) && WEXITSTATUS(how) == NO_COMMAND)
        return smc_fail(error, SMC_UNAVAILABLE,
                        "the editor '%.200s' cannot be run; $VISUAL and $EDITOR name it", editor);
    if (WIFSIGNALED(how))
        return smc_fail(error, SMC_SHORTFALL, "the editor '%.200s' was ended by signal %d", editor,
                        WTERMSIG(how));
    if (WEXITSTATUS(how) != 0)
        return smc_fail(error, SMC_SHORTFALL, "the editor '%.200s' ended with exit status %d",
                        editor, WEXITSTATUS(how));
    return SMC_OK;
}

static bool is_same(const struct smc_text *a, const struct smc_text *b)
{
    return a->length == b->length && memcmp(smc_text_string(a), smc_text_string(b), a->length) == 0;
}

/* Nothing has changed where the text cannot be read: the one compiled before stays. */
static enum smc_status edit_copy(struct smc_edit *edit, const struct smc_kernel *kernel,
                                 struct smc_error *error)
{
    char path[1024];
    struct smc_source before, after = {0};
    snprintf(path, sizeof path, "%s/%s", edit->folder, kernel->file);
    enum smc_status status = smc_source_load(kernel, edit->folder, &before, error);
    if (status == SMC_OK)
        status = run_editor(path, error);
    if (status == SMC_OK || status == SMC_SHORTFALL) {
        enum smc_status reading = smc_source_load(kernel, edit->folder, &after, error);
        edit->changed = reading == SMC_OK && !is_same(&before.text, &after.text);
        status = reading == SMC_OK ? status : reading;
    }
    smc_source_free(&before);
    smc_source_free(&after);
    return status;
}

enum smc_status smc_edit_kernel(struct smc_edit *edit, const struct smc_query *query,
                                struct smc_error *error)
{
    edit->changed = false;
    if (!query->kernel)
        return smc_fail(error, SMC_USAGE, "your own kernel has no source here");
    enum smc_status status = make_folder(edit, error);
    if (status == SMC_OK)
        status = copy_kernels(edit, query->compile.kernel_dir, error);
    return status == SMC_OK ? edit_copy(edit, query->kernel, error) : status;
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *place)
{
    (void)status, (void)kind, (void)place;
    return remove(path);
}

void smc_edit_clean(struct smc_edit *edit)
{
    enum { OPEN_FOLDERS = 8 };
    if (edit->folder[0])
        nftw(edit->folder, remove_one, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS);
    edit->folder[0] = '\0';
}
