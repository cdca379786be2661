/* Machine code within other files: the parts of its containers are decompressed and read by several
   threads, and their kernels added in the order of the file. */
#include "config.h"

#include "code/readers/embedded.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/platform.h"
#include "code/inputs.h"
#include "code/machine_code.h"
#include "code/user_kernels.h"

enum {
    WAIT_MS = 50,
    MOST_BYTES_AT_ONCE = 96 << 20,     /* decompressed, by all threads; one part may be larger */
    LEAST_BYTES_FOR_THREADS = 4 << 20, /* for less, starting a thread takes longer than reading */
};

/* The result of reading a part. */
struct outcome {
    bool ready;
    enum smc_status status;
    char *fault; /* with SMC_USAGE: why it is damaged */
    struct smc_inspect_found found;
};

/* What the threads share. `mutex` guards what follows it. */
struct crew {
    const struct smc_embedded_request *request;
    struct smc_fatbin_parts parts;
    struct outcome *outcome; /* by the part's index */
    pthread_t thread[SMC_EMBEDDED_MOST_THREADS];
    uint32_t thread_count;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    size_t next; /* the part that no thread has begun */
    size_t bytes_at_work;
    bool stop;
};

/* --- Pages of a mapped file ------------------------------------------------------------------- */

/* Otherwise the pages would stay in this process's memory. The bytes outside whole pages are kept:
   another part may be in them. */
static void release_pages(const struct crew *crew, size_t begin, size_t end)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    begin = (begin + page - 1) / page * page;
    end = end / page * page;
    if (crew->request->is_mapped && begin < end)
        madvise((char *)crew->request->file + begin, end - begin, MADV_DONTNEED);
}

struct searched {
    const struct crew *crew;
    size_t released;
};

static void release_searched(void *context, size_t end)
{
    enum { AT_ONCE = 16 << 20 };
    struct searched *searched = context;
    if (end - searched->released < AT_ONCE)
        return;
    release_pages(searched->crew, searched->released, end);
    searched->released = end;
}

/* --- One part --------------------------------------------------------------------------------- */

static void embedded_read_part(const struct crew *crew, const struct smc_fatbin_part *part,
                               struct smc_fatbin_buffer *buffer, struct outcome *outcome)
{
    struct smc_inspect_kernel kind = *crew->request->kind;
    struct smc_error error;
    const void *code;
    kind.cc = part->cc < UINT16_MAX ? (uint16_t)part->cc : UINT16_MAX;
    outcome->status = smc_fatbin_open(crew->request->file, part, buffer, &code, &error);
    if (outcome->status == SMC_OK)
        outcome->status =
            smc_read_cubin_apart(code, part->code_bytes, &kind, &outcome->found, &error);
    release_pages(crew, part->at, part->at + part->bytes);
    if (outcome->status == SMC_USAGE && !(outcome->fault = smc_strdup(error.message)))
        outcome->status = SMC_MACHINE;
}

/* --- The threads ------------------------------------------------------------------------------ */

/* Waits until a part can be started within the limit of memory. NULL: none is left. */
static const struct smc_fatbin_part *begin_part(struct crew *crew)
{
    const struct smc_fatbin_part *part = NULL;
    pthread_mutex_lock(&crew->mutex);
    while (!crew->stop && crew->next < crew->parts.count && !part) {
        part = &crew->parts.item[crew->next];
        if (crew->bytes_at_work == 0 ||
            crew->bytes_at_work + part->code_bytes <= MOST_BYTES_AT_ONCE)
            continue;
        part = NULL;
        pthread_cond_wait(&crew->changed, &crew->mutex);
    }
    if (part) {
        crew->next++;
        crew->bytes_at_work += part->code_bytes;
    }
    pthread_mutex_unlock(&crew->mutex);
    return part;
}

static void end_part(struct crew *crew, const struct smc_fatbin_part *part,
                     const struct outcome *outcome)
{
    pthread_mutex_lock(&crew->mutex);
    struct outcome *shared = &crew->outcome[part - crew->parts.item];
    *shared = *outcome;
    shared->ready = true;
    crew->bytes_at_work -= part->code_bytes;
    pthread_cond_broadcast(&crew->changed);
    pthread_mutex_unlock(&crew->mutex);
}

/* A large buffer is not kept: the other threads may need its memory. */
static void *embedded_work(void *context)
{
    enum { KEPT_BYTES = 16 << 20 };
    struct crew *crew = context;
    SMC_AUTO(smc_fatbin_buffer_free) struct smc_fatbin_buffer buffer = {0};
    const struct smc_fatbin_part *part;
    while ((part = begin_part(crew))) {
        struct outcome outcome = {0};
        embedded_read_part(crew, part, &buffer, &outcome);
        if (buffer.capacity > KEPT_BYTES)
            smc_fatbin_buffer_free(&buffer);
        end_part(crew, part, &outcome);
    }
    return NULL;
}

static uint32_t threads_for(const struct crew *crew)
{
    uint32_t threads = crew->request->threads;
    size_t bytes = 0;
    for (size_t i = 0; i < crew->parts.count && bytes < LEAST_BYTES_FOR_THREADS; i++)
        bytes += crew->parts.item[i].code_bytes;
    if (threads == 0)
        threads = bytes < LEAST_BYTES_FOR_THREADS ? 1 : smc_machine_processors();
    if (threads > crew->parts.count)
        threads = (uint32_t)crew->parts.count;
    return threads < SMC_EMBEDDED_MOST_THREADS ? threads : SMC_EMBEDDED_MOST_THREADS;
}

/* With one thread, or where none can be started, the caller reads the parts itself. */
static void start_threads(struct crew *crew)
{
    uint32_t threads = threads_for(crew);
    while (threads > 1 && crew->thread_count < threads &&
           pthread_create(&crew->thread[crew->thread_count], NULL, embedded_work, crew) == 0)
        crew->thread_count++;
}

static void stop_threads(struct crew *crew)
{
    pthread_mutex_lock(&crew->mutex);
    crew->stop = true;
    pthread_cond_broadcast(&crew->changed);
    pthread_mutex_unlock(&crew->mutex);
    for (uint32_t i = 0; i < crew->thread_count; i++)
        pthread_join(crew->thread[i], NULL);
}

static bool embedded_goes_on(const struct crew *crew, size_t done)
{
    const struct smc_embedded_request *request = crew->request;
    return !request->progress ||
           request->progress(request->progress_context, done, crew->parts.count);
}

/* Waits for the outcome of a part; false if the user interrupted. */
static bool embedded_wait_for(struct crew *crew, size_t i)
{
    bool going = embedded_goes_on(crew, i), ready = false;
    while (going && !ready) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += WAIT_MS * 1000000L;
        until.tv_sec += until.tv_nsec / 1000000000L;
        until.tv_nsec %= 1000000000L;
        pthread_mutex_lock(&crew->mutex);
        int waited = 0;
        while (!(ready = crew->outcome[i].ready) && waited != ETIMEDOUT)
            waited = pthread_cond_timedwait(&crew->changed, &crew->mutex, &until);
        pthread_mutex_unlock(&crew->mutex);
        going = embedded_goes_on(crew, i);
    }
    return going;
}

/* --- Their results in the order of the file --------------------------------------------------- */

static void embedded_append_fault(const struct crew *crew, const struct smc_fatbin_part *part,
                                  const char *what, const char *fault, struct smc_text *faults)
{
    smc_auto_text member = {0};
    if (part->member > 0) {
        smc_text_append(&member, "(");
        smc_fatbin_append_member(crew->request->file, crew->request->bytes, part->member, &member);
        smc_text_append(&member, ")");
    }
    smc_text_safe_line(faults, "%s%s: %s at byte %zu: %s", crew->request->kind->file,
                       smc_text_string(&member), what, part->at, fault);
    faults->failed |= member.failed;
}

static void free_outcome(struct outcome *outcome)
{
    smc_inspect_found_free(&outcome->found);
    free(outcome->fault);
    *outcome = (struct outcome){0};
}

/* Adds a part's kernels or its fault, and frees the outcome. */
static enum smc_status embedded_merge(const struct crew *crew, size_t i,
                                      struct smc_inspect_kernels *kernels,
                                      struct smc_embedded_count *count, struct smc_text *faults)
{
    struct outcome *outcome = &crew->outcome[i];
    enum smc_status status = outcome->status;
    if (status == SMC_USAGE)
        embedded_append_fault(crew, &crew->parts.item[i], "machine code", outcome->fault, faults);
    count->read += status == SMC_OK;
    count->empty += status == SMC_OK && outcome->found.is_empty;
    if (status == SMC_OK && !outcome->found.is_linked)
        return SMC_OK; /* for merge_unlinked */
    for (size_t k = 0; k < outcome->found.count && status == SMC_OK; k++)
        if (!smc_user_kernels_take(kernels, &outcome->found.kernel[k]))
            status = SMC_MACHINE;
    free_outcome(outcome);
    return status == SMC_USAGE ? SMC_OK : status;
}

/* Whether the list has the same kernel for the same architecture from `begin` on. */
static bool embedded_has_kernel(struct smc_inspect_kernels *kernels, size_t begin,
                                const struct smc_inspect_kernel *wanted)
{
    const size_t length = strlen(wanted->name);
    const struct smc_inspect_kernel *kernel;
    while ((kernel = smc_user_kernels_find(kernels, begin, wanted->name, length))) {
        if (kernel->cc == wanted->cc && kernel->suffix == wanted->suffix)
            return true;
        begin = (size_t)(kernel - kernels->item) + 1;
    }
    return false;
}

/* A program contains the input of nvlink as well as its output, but runs only the linked code of a
   kernel. `before` and `linked` enclose the kernels of linked code in the list. */
static enum smc_status merge_unlinked(const struct crew *crew, size_t before,
                                      struct smc_inspect_kernels *kernels)
{
    const size_t linked = kernels->count;
    for (size_t i = 0; i < crew->parts.count; i++) {
        struct smc_inspect_found *found = &crew->outcome[i].found;
        for (size_t k = 0; k < found->count; k++)
            if ((linked == before || !embedded_has_kernel(kernels, before, &found->kernel[k])) &&
                !smc_user_kernels_take(kernels, &found->kernel[k]))
                return SMC_MACHINE;
    }
    return SMC_OK;
}

/* Frees the outcomes that were not merged. */
static void embedded_drop(struct crew *crew)
{
    for (size_t i = 0; crew->outcome && i < crew->parts.count; i++)
        free_outcome(&crew->outcome[i]);
    free(crew->outcome);
    smc_fatbin_parts_free(&crew->parts);
}

static enum smc_status read_parts(struct crew *crew, struct smc_inspect_kernels *kernels,
                                  struct smc_embedded_count *count, struct smc_text *faults,
                                  struct smc_error *error)
{
    SMC_AUTO(smc_fatbin_buffer_free) struct smc_fatbin_buffer buffer = {0};
    enum smc_status status = SMC_OK;
    const size_t before = kernels->count;
    start_threads(crew);
    for (size_t i = 0; i < crew->parts.count && status == SMC_OK; i++) {
        bool going =
            crew->thread_count > 0 ? embedded_wait_for(crew, i) : embedded_goes_on(crew, i);
        if (going && crew->thread_count == 0)
            embedded_read_part(crew, &crew->parts.item[i], &buffer, &crew->outcome[i]);
        status = going ? embedded_merge(crew, i, kernels, count, faults) : SMC_INTERRUPTED;
    }
    stop_threads(crew);
    if (status == SMC_OK)
        status = merge_unlinked(crew, before, kernels);
    if (status == SMC_OK)
        embedded_goes_on(crew, crew->parts.count);
    if (status == SMC_INTERRUPTED)
        return smc_fail(error, status, "interrupted: %s was not read to its end",
                        crew->request->kind->file);
    return status == SMC_OK ? SMC_OK : smc_out_of_memory(error);
}

/* --- PTX -------------------------------------------------------------------------------------- */

/* The compute capabilities for which a driver compiles it, among the PTX of its container. */
static void embedded_find_range(const struct smc_fatbin_parts *parts,
                                const struct smc_fatbin_part *part, struct smc_embedded_ptx *ptx)
{
    const struct smc_fatbin_part *other = part, *end = parts->ptx + parts->ptx_count;
    bool is_earliest = true;
    ptx->last_cc = UINT32_MAX;
    while (other > parts->ptx && other[-1].container == part->container)
        other--;
    for (; other < end && other->container == part->container; other++) {
        is_earliest &= other->cc >= part->cc;
        if (other->cc > part->cc && other->cc <= ptx->last_cc)
            ptx->last_cc = other->cc - 1;
    }
    ptx->first_cc = is_earliest ? 0 : part->cc;
}

static enum smc_status embedded_take_ptx(const struct crew *crew,
                                         const struct smc_fatbin_part *part,
                                         struct smc_fatbin_buffer *buffer, struct smc_error *error)
{
    const struct smc_embedded_request *request = crew->request;
    struct smc_embedded_ptx ptx = {.bytes = part->code_bytes};
    const void *text;
    enum smc_status status = smc_fatbin_open(crew->request->file, part, buffer, &text, error);
    if (status != SMC_OK || !memmem(text, ptx.bytes, ".entry", 6))
        return status;
    ptx.text = text;
    embedded_find_range(&crew->parts, part, &ptx);
    return request->take_ptx(request->ptx_context, &ptx, error);
}

/* For a file without other kernels. */
static enum smc_status take_all_ptx(const struct crew *crew, struct smc_text *faults,
                                    struct smc_error *error)
{
    SMC_AUTO(smc_fatbin_buffer_free) struct smc_fatbin_buffer buffer = {0};
    enum smc_status status = SMC_OK;
    for (size_t i = 0; i < crew->parts.ptx_count && status == SMC_OK; i++) {
        struct smc_error reason = {""};
        status = embedded_take_ptx(crew, &crew->parts.ptx[i], &buffer, &reason);
        if (status == SMC_USAGE) {
            embedded_append_fault(crew, &crew->parts.ptx[i], "PTX", reason.message, faults);
            status = SMC_OK;
        } else if (status != SMC_OK) {
            *error = reason;
        }
    }
    return status;
}

static enum smc_status check_compression(const struct crew *crew, struct smc_error *error)
{
    size_t count = 0;
    const char *name = "";
    for (size_t i = 0; i < crew->parts.count; i++)
        if (!smc_fatbin_can_open(crew->parts.item[i].compression)) {
            name = smc_fatbin_compression_name(crew->parts.item[i].compression);
            count++;
        }
    if (count == 0)
        return SMC_OK;
    return smc_fail(error, SMC_UNAVAILABLE,
                    "%s: %zu part%s of its machine code %s compressed with %s, which this build "
                    "does not read: configure found no library for it",
                    crew->request->kind->file, count, smc_text_plural(count),
                    count == 1 ? "is" : "are", name);
}

enum smc_status smc_embedded_read(const struct smc_embedded_request *request,
                                  struct smc_inspect_kernels *kernels,
                                  struct smc_embedded_count *count, struct smc_inspect_notes *notes,
                                  struct smc_error *error)
{
    struct crew crew = {.request = request};
    struct searched searched = {.crew = &crew};
    enum smc_status status = SMC_OK;
    *count = (struct smc_embedded_count){0};
    pthread_mutex_init(&crew.mutex, NULL);
    pthread_cond_init(&crew.changed, NULL);
    bool done =
        smc_fatbin_find(request->file, request->bytes, release_searched, &searched, &crew.parts);
    count->ptx = crew.parts.ptx_count;
    count->linked = crew.parts.linked_count;
    count->has_any = crew.parts.count + crew.parts.ptx_count + crew.parts.linked_count > 0;
    if (done)
        crew.outcome = smc_calloc(crew.parts.count, sizeof *crew.outcome);
    status = crew.outcome ? check_compression(&crew, error) : smc_out_of_memory(error);
    if (status == SMC_OK)
        status = smc_fail_in(error, smc_fatbin_check_total(&crew.parts, request->bytes, error),
                             "%s", request->kind->file);
    if (status == SMC_OK)
        status = read_parts(&crew, kernels, count, &notes->faults, error);
    if (status == SMC_OK && request->take_ptx && count->read == count->empty)
        status = take_all_ptx(&crew, &notes->faults, error);
    if (status == SMC_OK && count->empty > 0)
        smc_text_safe_line(&notes->remarks,
                           "%s: %zu of %zu parts with machine code %s empty, as linkers leave "
                           "them, and left out",
                           request->kind->file, count->empty, count->read,
                           count->empty == 1 ? "is" : "are");
    embedded_drop(&crew);
    pthread_cond_destroy(&crew.changed);
    pthread_mutex_destroy(&crew.mutex);
    return status;
}
