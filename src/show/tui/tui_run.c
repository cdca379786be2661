/* The explorer's loop: waits for keys, jobs and signals, and does once what a key asks for: editing
   the kernel's source, saving, suspending. */
#include "config.h"

#include "show/tui/tui.h"

#include <errno.h>
#include <ftw.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/signals.h"
#include "show/tui/tui_state.h"

enum {
    STALE_MS = 1000,
    TICK_MS = 100,
    WATCH_MS = 250,  /* between looks at the user's file */
    GONE_LOOKS = 4,  /* without the file: some editors replace it when they save */
    CATCH_UP_MS = 4, /* without a key, before what takes long is written */
};

/* The user's editor works on private copies, which are compiled from then on. */
struct edit {
    char folder[512]; /* of the copies; "" before the first */
    bool changed;     /* the source, the last time */
    bool is_kept;     /* a source was changed: the folder stays */
};

/* The user's file as it was when it was last looked at. */
struct watch {
    char path[SMC_OPEN_PATH_CHARS];
    bool is_there;
    unsigned missed; /* looks since when it is not there */
    dev_t device;
    ino_t inode;
    off_t bytes;
    struct timespec changed;
};

struct loop {
    const struct smc_terminal *terminal;
    struct smc_tui *tui;
    struct smc_frame frame;
    struct smc_tui_worker compiler, launcher;
    struct smc_job_result *result;
    struct edit edit;
    struct smc_text *kept; /* receives the folder of edited sources */
    int signals;
    bool out_of_memory; /* a worker's process was */
    bool settling;      /* a script waits until no job is running */
    bool showing;       /* a script waits for the predicted time, to write the screen */
    struct watch watch;
    double looked_ms; /* at the user's file */
    bool dirty, everything;
};

/* --- Editing --- */

enum { NO_COMMAND = 127 }; /* the shell's exit status where it finds none */

static enum smc_status tui_run_make_folder(struct edit *edit, struct smc_error *error)
{
    const char *temporary = getenv("TMPDIR");
    if (edit->folder[0])
        return SMC_OK;
    snprintf(edit->folder, sizeof edit->folder, "%.400s/smemcalc-edit-XXXXXX",
             temporary && *temporary ? temporary : "/tmp");
    if (mkdtemp(edit->folder))
        return SMC_OK;
    edit->folder[0] = '\0';
    return smc_fail(error, SMC_MACHINE, "no folder for a copy of the source could be made: %s",
                    strerror(errno));
}

/* All kernels, so that each can be compiled from the folder; an edited copy is kept. */
static enum smc_status copy_kernels(const struct edit *edit, const char *from,
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
            bool written =
                fwrite(source.text.data, 1, source.text.length, file) == source.text.length;
            if (fclose(file) != 0 || !written)
                status = smc_fail(error, SMC_MACHINE, "%s: %s", path, strerror(errno));
        }
        smc_source_free(&source);
        if (status != SMC_OK)
            return status;
    }
    return SMC_OK;
}

/* Through the shell, for EDITOR="code -w". SMC_SHORTFALL: the editor reports a failure. */
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

static bool tui_run_is_same(const struct smc_text *a, const struct smc_text *b)
{
    return a->length == b->length && memcmp(smc_text_string(a), smc_text_string(b), a->length) == 0;
}

/* Text that cannot be read counts as unchanged: the kernel compiled before stays. What an editor
   that failed has written counts. */
static enum smc_status edit_copy(struct edit *edit, const struct smc_kernel *kernel,
                                 struct smc_error *error)
{
    char path[1024];
    SMC_AUTO(smc_source_free) struct smc_source before = {0}, after = {0};
    snprintf(path, sizeof path, "%s/%s", edit->folder, kernel->file);
    enum smc_status status = smc_source_load(kernel, edit->folder, &before, error);
    if (status == SMC_OK)
        status = run_editor(path, error);
    if (status == SMC_OK || status == SMC_SHORTFALL) {
        enum smc_status reading = smc_source_load(kernel, edit->folder, &after, error);
        edit->changed = reading == SMC_OK && !tui_run_is_same(&before.text, &after.text);
        edit->is_kept |= edit->changed;
        status = reading == SMC_OK ? status : reading;
    }
    return status;
}

static enum smc_status edit_kernel(struct edit *edit, const struct smc_query *query,
                                   struct smc_error *error)
{
    edit->changed = false;
    if (!query->kernel)
        return smc_fail(error, SMC_USAGE,
                        "these numbers have no source: choose a catalog kernel on F2, or open your "
                        "file with :open FILE");
    SMC_TRY(tui_run_make_folder(edit, error));
    SMC_TRY(copy_kernels(edit, query->compile.kernel_dir, error));
    return edit_copy(edit, query->kernel, error);
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *place)
{
    (void)status, (void)kind, (void)place;
    return remove(path);
}

/* What the user has written is not removed. */
static void remove_copies(struct edit *edit)
{
    enum { OPEN_FOLDERS = 8 };
    if (edit->folder[0] && !edit->is_kept)
        nftw(edit->folder, remove_one, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS);
    edit->folder[0] = '\0';
}

/* --- The user's file --- */

/* Of another path than before it is only remembered. True: the file is there, and is another one
   than at the last look. */
static bool watch_look(struct watch *watch, const char *path)
{
    struct stat about;
    struct watch before = *watch;
    *watch = (struct watch){.is_there = stat(path, &about) == 0};
    watch->missed = watch->is_there ? 0 : strcmp(before.path, path) == 0 ? before.missed + 1 : 1;
    snprintf(watch->path, sizeof watch->path, "%s", path);
    if (watch->is_there) {
        watch->device = about.st_dev;
        watch->inode = about.st_ino;
        watch->bytes = about.st_size;
        watch->changed = about.st_mtim;
    }
    if (strcmp(before.path, path) != 0 || !watch->is_there)
        return false;
    return !before.is_there || watch->device != before.device || watch->inode != before.inode ||
           watch->bytes != before.bytes || watch->changed.tv_sec != before.changed.tv_sec ||
           watch->changed.tv_nsec != before.changed.tv_nsec;
}

static bool is_time_to_look(struct loop *loop)
{
    const double now_ms = smc_clock_ms();
    if (now_ms - loop->looked_ms < WATCH_MS)
        return false;
    loop->looked_ms = now_ms;
    return true;
}

static void look_at_file(struct loop *loop)
{
    const char *path = loop->tui->file.question.file;
    if (*path && is_time_to_look(loop) && watch_look(&loop->watch, path)) {
        smc_tui_file_changed(loop->tui);
        loop->dirty = true;
    }
    if (loop->tui->file.is_read && *path && loop->watch.missed == GONE_LOOKS) {
        loop->watch.missed++;
        smc_tui_say(loop->tui, SMC_STYLE_WARN,
                    "%s is gone; what was read of it stays until it is there again",
                    smc_last_part(loop->tui->file.shown));
        loop->dirty = true;
    }
}

/* --- Jobs and the screen --- */

static bool tui_run_is_wanted(const struct smc_job *wanted, const struct smc_job *job)
{
    if (job->kind == SMC_JOB_READ) /* what changed meanwhile is read again afterwards */
        return true;
    if (job->open.kernel[0])
        return wanted->kind == job->kind && strcmp(wanted->open.kernel, job->open.kernel) == 0 &&
               wanted->serial == job->serial;
    return wanted->kind == job->kind && wanted->query.kernel == job->query.kernel &&
           wanted->query.device.sm.cc == job->query.device.sm.cc &&
           memcmp(wanted->query.params.value, job->query.params.value,
                  sizeof job->query.params.value) == 0;
}

/* Stops a long compilation whose result is no longer wanted; a short one may finish, since it is
   likely to be wanted again soon. */
static void stop_stale(struct loop *loop, const struct smc_job *wanted)
{
    struct smc_tui_worker *worker = &loop->compiler;
    if (worker->busy && wanted->kind != SMC_JOB_NONE && !tui_run_is_wanted(wanted, &worker->job) &&
        smc_worker_busy_ms(worker) > STALE_MS)
        smc_worker_stop(worker);
}

static void give_jobs(struct loop *loop)
{
    struct smc_job job;
    struct smc_error error = {""};
    look_at_file(loop);
    smc_tui_compile_job(loop->tui, &job);
    stop_stale(loop, &job);
    if (!loop->compiler.busy && job.kind != SMC_JOB_NONE &&
        smc_worker_give(&loop->compiler, &job, &error) != SMC_OK)
        smc_tui_say_of_job(loop->tui, job.kind, SMC_STYLE_BAD, error.message);
    if (!loop->launcher.busy && loop->tui->run_job.kind != SMC_JOB_NONE) {
        job = loop->tui->run_job;
        loop->tui->run_job.kind = SMC_JOB_NONE;
        bool given = smc_worker_give(&loop->launcher, &job, &error) == SMC_OK;
        loop->tui->running = given && job.kind == SMC_JOB_RUN;
        if (!given)
            smc_tui_say_of_job(loop->tui, job.kind, SMC_STYLE_BAD, error.message);
    }
}

static void tui_run_take(struct loop *loop, struct smc_tui_worker *worker)
{
    if (smc_worker_take(worker, loop->result))
        smc_tui_done(loop->tui, loop->result);
    smc_job_result_free(loop->result);
    loop->out_of_memory = loop->out_of_memory || loop->result->out_of_memory;
    loop->dirty = true;
}

static void tui_run_draw(struct loop *loop)
{
    struct smc_tui *tui = loop->tui;
    if (loop->terminal->descriptor() < 0)
        smc_tui_catch_up(tui); /* a script sees all */
    if ((loop->frame.rows != tui->rows || loop->frame.cols != tui->cols) &&
        !smc_frame_resize(&loop->frame, tui->rows, tui->cols))
        return;
    tui->running_ms = tui->running ? smc_worker_busy_ms(&loop->launcher) : 0;
    smc_worker_progress(&loop->launcher, &tui->blocks_done, &tui->blocks);
    smc_tui_draw(tui, &loop->frame);
    loop->terminal->show(&loop->frame, loop->everything);
    loop->dirty = loop->everything = false;
}

static void suspend(struct loop *loop)
{
    loop->terminal->pause();
    smc_signals_stop();
    loop->terminal->resume();
    loop->everything = true;
}

/* On the list of the file's kernels, and where one of them is shown. */
static bool wants_own_file(const struct smc_tui *tui)
{
    return tui->file.question.file[0] &&
           (tui->view == SMC_VIEW_TRACE || smc_tui_open_kernel(tui) || !tui->explore.query.kernel);
}

/* A compilation of the source before the edit is stopped. */
static void edit(struct loop *loop)
{
    struct smc_error error = {""};
    const bool own = wants_own_file(loop->tui);
    loop->terminal->pause();
    smc_signals_yield();
    enum smc_status status = own ? run_editor(loop->tui->file.question.file, &error)
                                 : edit_kernel(&loop->edit, &loop->tui->explore.query, &error);
    smc_signals_regain();
    loop->terminal->resume();
    loop->everything = true;
    if (own) { /* what changed is seen as after any save */
        if (status != SMC_OK)
            smc_tui_say(loop->tui, SMC_STYLE_BAD, "%s", error.message);
        return;
    }
    if (loop->edit.changed) {
        smc_worker_stop(&loop->compiler);
        smc_tui_edited(loop->tui, loop->edit.folder);
    }
    if (status != SMC_OK)
        smc_tui_say(loop->tui, SMC_STYLE_BAD, "%s", error.message);
    else if (!loop->edit.changed)
        smc_tui_say(loop->tui, SMC_STYLE_WARN, "the source was not changed");
}

static void save(struct smc_tui *tui)
{
    struct smc_error error = {""};
    struct smc_saving *saving = &tui->saving;
    smc_tui_saved(tui, smc_file_write(saving->path, saving->over, &saving->text, &error),
                  error.message);
}

/* A launch that has not started is only dropped. */
static void cancel_launch(struct loop *loop)
{
    if (loop->tui->running)
        smc_worker_stop(&loop->launcher);
    loop->tui->running = false;
    loop->tui->run_job.kind = SMC_JOB_NONE;
}

static bool do_effect(struct loop *loop)
{
    switch (loop->tui->effect) {
    case SMC_EFFECT_QUIT:
        return false;
    case SMC_EFFECT_SUSPEND:
        suspend(loop);
        break;
    case SMC_EFFECT_REDRAW:
        loop->everything = true;
        break;
    case SMC_EFFECT_EDIT:
        edit(loop);
        break;
    case SMC_EFFECT_SAVE:
        save(loop->tui);
        break;
    case SMC_EFFECT_CANCEL:
        cancel_launch(loop);
        break;
    case SMC_EFFECT_COPY:
        loop->terminal->copy(smc_text_string(&loop->tui->copied));
        break;
    case SMC_EFFECT_MOUSE:
        loop->terminal->free_mouse(loop->tui->mouse_is_free);
        break;
    case SMC_EFFECT_NONE:
        break;
    }
    loop->tui->effect = SMC_EFFECT_NONE;
    return true;
}

/* Writes the screen that a script asked for, once the predicted time is there. */
static void show_settled(struct loop *loop)
{
    struct smc_job wanted;
    if (!loop->showing)
        return;
    smc_tui_compile_job(loop->tui, &wanted);
    if (wanted.kind != SMC_JOB_NONE && loop->compiler.busy)
        return;
    tui_run_draw(loop);
    loop->terminal->print(&loop->frame);
    loop->showing = false;
}

/* False ends the session. */
static bool handle(struct loop *loop, const struct smc_event *event)
{
    loop->dirty = true;
    loop->tui->theme = loop->terminal->theme();
    switch (event->kind) {
    case SMC_EVENT_KEY:
        smc_tui_key(loop->tui, event->key);
        return do_effect(loop);
    case SMC_EVENT_CLICK:
        smc_tui_click(loop->tui, event->row, event->col, event->direction);
        return do_effect(loop);
    case SMC_EVENT_PASTE:
        smc_tui_paste(loop->tui, event->text);
        return do_effect(loop);
    case SMC_EVENT_REPAINT:
        loop->everything = true;
        return true;
    case SMC_EVENT_RESIZE:
        smc_tui_resize(loop->tui, event->rows, event->cols);
        return true;
    case SMC_EVENT_SETTLE:
        loop->settling = true;
        return true;
    case SMC_EVENT_SHOW:
        loop->showing = true;
        return true;
    case SMC_EVENT_END:
        return false;
    case SMC_EVENT_NONE:
        break;
    }
    return true;
}

/* False: a signal, or the end of the terminal, ends the session. */
static bool wait_for_events(struct loop *loop)
{
    bool compiler_buried = smc_worker_bury(&loop->compiler);
    bool buried = smc_worker_bury(&loop->launcher) && compiler_buried;
    bool busy = loop->compiler.busy || loop->launcher.busy;
    loop->settling = loop->settling && busy;
    bool held = loop->settling || loop->showing;
    int keys = held ? -1 : loop->terminal->descriptor();
    bool at_once = !held && keys < 0;
    struct pollfd waiting[] = {
        {.fd = keys, .events = POLLIN},
        {.fd = loop->signals, .events = POLLIN},
        {.fd = loop->compiler.socket, .events = POLLIN},
        {.fd = loop->launcher.socket, .events = POLLIN},
    };
    /* A tick is for the running times shown, and for dying processes. */
    int timeout = at_once                            ? 0
                  : loop->tui->is_behind             ? CATCH_UP_MS
                  : busy || !buried                  ? TICK_MS
                  : loop->tui->file.question.file[0] ? WATCH_MS
                                                     : -1;
    int ready = poll(waiting, sizeof waiting / sizeof *waiting, timeout);
    bool failed = ready < 0 && errno != EINTR;
    if (smc_signals_seen() || failed)
        return false;
    loop->dirty = loop->dirty || (ready == 0 && (busy || loop->tui->is_behind));
    if (ready == 0)
        smc_tui_catch_up(loop->tui);
    if (ready > 0 && waiting[2].revents)
        tui_run_take(loop, &loop->compiler);
    if (ready > 0 && waiting[3].revents)
        tui_run_take(loop, &loop->launcher);
    return ready <= 0 || !(waiting[0].revents & (POLLHUP | POLLERR | POLLNVAL));
}

static void run_loop(struct loop *loop)
{
    bool goes_on = true;
    loop->dirty = true;
    while (goes_on && !smc_memory_failed()) {
        struct smc_event event;
        give_jobs(loop);
        do { /* all waiting keys, then one frame */
            if (loop->settling || loop->showing)
                break;
            loop->terminal->next(&event);
            if (event.kind != SMC_EVENT_NONE)
                goes_on = handle(loop, &event);
            if (loop->dirty && loop->terminal->descriptor() < 0)
                tui_run_draw(loop); /* in a script every frame is drawn */
        } while (goes_on && event.kind != SMC_EVENT_NONE && loop->terminal->descriptor() >= 0);
        if (goes_on && loop->dirty)
            tui_run_draw(loop);
        if (goes_on) {
            give_jobs(loop);
            show_settled(loop);
            goes_on = wait_for_events(loop);
        }
    }
}

static enum smc_status tui_run_play(struct loop *loop, const struct smc_tui_start *start,
                                    void *context, struct smc_error *error)
{
    int rows, cols;
    loop->signals = smc_signals_watch(true);
    enum smc_status status = loop->terminal->open(context, &rows, &cols, error);
    if (status == SMC_OK) {
        smc_tui_open(loop->tui, start->query, rows, cols);
        if (start->trace)
            smc_tui_take_trace(loop->tui, start->trace);
        if (start->file)
            smc_tui_open_file(loop->tui, start->file);
        run_loop(loop);
        loop->terminal->close();
        smc_tui_close(loop->tui);
        smc_worker_close(&loop->compiler);
        smc_worker_close(&loop->launcher);
        if (loop->edit.is_kept)
            smc_text_append(loop->kept, loop->edit.folder);
        remove_copies(&loop->edit);
    }
    smc_signals_release();
    return status;
}

enum smc_status smc_tui_run(const struct smc_tui_start *start, const struct smc_terminal *terminal,
                            void *context, struct smc_text *kept, struct smc_error *error)
{
    struct loop loop = {
        .terminal = terminal,
        .tui = smc_calloc(1, sizeof *loop.tui),
        .result = smc_calloc(1, sizeof *loop.result),
        .compiler = SMC_WORKER_INIT,
        .launcher = SMC_WORKER_INIT,
        .kept = kept,
    };
    enum smc_status status = loop.tui && loop.result ? tui_run_play(&loop, start, context, error)
                                                     : smc_out_of_memory(error);
    if (status == SMC_OK && (loop.out_of_memory || smc_memory_failed()))
        status = smc_out_of_memory(error);
    smc_frame_free(&loop.frame);
    free(loop.tui);
    free(loop.result);
    return status;
}
