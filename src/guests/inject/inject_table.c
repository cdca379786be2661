/* The file of this process. Address space for all of it is reserved at once, so that nothing moves,
   and disk space is allocated before it is touched: a full disk must not end the program. */
#include "config.h"

#include "guests/inject/inject_table.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "guests/inject/inject.h"

#define FIRST_BYTES     (UINT64_C(64) << 10)
#define MOST_STEP_BYTES (UINT64_C(4) << 20)
#define LEAST_RESERVED  (UINT64_C(1) << 20)
#define MOST_SPAN_NS    (UINT64_C(1) << 56) /* two years: a longer launch is a wrong clock */
#define FIRST_SLICE_NS  (UINT64_C(1) << 20)

/* Held while the file gets larger, an entry is added, or the times of an execution are. Only system
   calls are made meanwhile, no other lock is taken. Counts alone are added without it. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *inject_allocate(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

void inject_release(void *memory, size_t bytes)
{
    if (memory)
        munmap(memory, bytes);
}
static struct record_header *header; /* written once, under the lock */
static bool failed;                  /* the file cannot be begun: not tried again */
static int file = -1;
static dev_t file_device;
static ino_t file_inode;
static uint64_t reserved_bytes, allocated_bytes;

/* Offsets of launches and texts by the hash of their content; used under the lock. */
struct index {
    uint64_t *offset;
    size_t size, count;
};
static struct index launches, texts, modules;

/* Offsets of launches. Executions repeat: the launch of the last one in each place is tried before
   its name, which may be long, is hashed. Used under the lock. */
enum { RECENT = 256 };
static uint64_t recent[RECENT];

static uint64_t devices_seen; /* a bit for each ordinal below 64 */

static void *at(uint64_t offset)
{
    return (char *)header + offset;
}

/* --- The file --------------------------------------------------------------------------------- */

bool table_within_limit(uint64_t bytes)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
           bytes <= limit.rlim_cur;
}

/* A program that closes descriptors it does not know may have given this one to another file. */
static bool is_ours(void)
{
    struct stat status;
    return fstat(file, &status) == 0 && status.st_dev == file_device && status.st_ino == file_inode;
}

static bool inject_table_allocate(uint64_t bytes)
{
    if (bytes <= allocated_bytes)
        return true;
    uint64_t step = allocated_bytes < MOST_STEP_BYTES ? allocated_bytes : MOST_STEP_BYTES;
    uint64_t wanted = allocated_bytes + (step ? step : FIRST_BYTES);
    if (wanted < bytes)
        wanted = bytes;
    if (wanted > reserved_bytes)
        wanted = reserved_bytes;
    if (wanted < bytes || !table_within_limit(wanted))
        return false;
    if (!is_ours())
        return false;
    int failure;
    do
        failure = posix_fallocate(file, (off_t)allocated_bytes, (off_t)(wanted - allocated_bytes));
    while (failure == EINTR);
    if (failure != 0)
        return false;
    allocated_bytes = wanted;
    return true;
}

static bool create(void)
{
    char path[4096];
    const char *folder = inject_settings()->folder;
    for (unsigned number = 0; number < 10000 && file < 0; number++) {
        const int length = snprintf(path, sizeof path, "%s/%ld.%u", folder, (long)getpid(), number);
        if (length < 0 || (size_t)length >= sizeof path)
            return false;
        file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (file < 0 && errno != EEXIST)
            return false;
    }
    struct stat status;
    if (file < 0 || fstat(file, &status) != 0)
        return false;
    file_device = status.st_dev;
    file_inode = status.st_ino;
    return true;
}

/* A limit of the address space may not allow the largest size. */
static void *inject_table_reserve(void)
{
    for (reserved_bytes = RECORD_MOST_BYTES; reserved_bytes >= LEAST_RESERVED;
         reserved_bytes /= 4) {
        void *memory = mmap(NULL, reserved_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (memory != MAP_FAILED)
            return memory;
    }
    return NULL;
}

static void close_file(void)
{
    if (file >= 0 && is_ours())
        close(file);
    file = -1;
    allocated_bytes = 0;
}

static void begin_file(void)
{
    struct record_header *begun = NULL;
    if (!create() || !(begun = inject_table_reserve()) || !inject_table_allocate(FIRST_BYTES)) {
        if (begun)
            munmap(begun, reserved_bytes);
        close_file();
        __atomic_store_n(&failed, true, __ATOMIC_RELAXED);
        return;
    }
    *begun = (struct record_header){
        .version = RECORD_VERSION,
        .header_bytes = sizeof *begun,
        .used = sizeof *begun,
        .process = getpid(),
        .parent = getppid(),
        .mode = RECORD_MODE_NONE,
        .slice_ns = FIRST_SLICE_NS,
        .flags = inject_forked() ? RECORD_FLAG_FORKED : 0,
    };
    __atomic_store_n(&begun->magic, RECORD_MAGIC, __ATOMIC_RELEASE);
    __atomic_store_n(&header, begun, __ATOMIC_RELEASE);
}

static void write_command(void);

static struct record_header *opened(void)
{
    return __atomic_load_n(&header, __ATOMIC_ACQUIRE);
}

struct record_header *table_header(void)
{
    struct record_header *now = opened();
    if (now || !inject_settings()->folder || __atomic_load_n(&failed, __ATOMIC_RELAXED))
        return now;
    pthread_mutex_lock(&lock);
    const bool begins = !header && !failed;
    if (begins)
        begin_file();
    now = header;
    pthread_mutex_unlock(&lock);
    if (begins && now)
        write_command();
    return now;
}

/* Only the file is given back, which was mapped and described before `header` was set: another
   thread of the parent may have been changing the rest. */
void table_forget(void)
{
    if (header)
        munmap(header, reserved_bytes);
    header = NULL;
    failed = false;
    close_file();
    launches = texts = modules = (struct index){0};
    devices_seen = 0;
    memset(recent, 0, sizeof recent);
    lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
}

/* --- Entries ---------------------------------------------------------------------------------- */

/* Space for an entry of so many bytes, zeroed; used under the lock. The reader can step over it as
   soon as it is counted in `used`, and believes its content when it is ready. */
static void *inject_table_add_entry(enum record_kind kind, size_t bytes)
{
    const uint64_t rounded = (bytes + 7) / 8 * 8, offset = header->used;
    if (offset + rounded > reserved_bytes || !inject_table_allocate(offset + rounded))
        return NULL;
    struct record_entry *entry = at(offset);
    memset(entry, 0, rounded);
    *entry = (struct record_entry){.bytes = (uint32_t)rounded, .kind = (uint16_t)kind};
    __atomic_store_n(&header->used, offset + rounded, __ATOMIC_RELEASE);
    return entry;
}

static void make_ready(struct record_entry *entry)
{
    __atomic_store_n(&entry->ready, 1, __ATOMIC_RELEASE);
}

static uint64_t offset_of(const void *entry)
{
    return (uint64_t)((const char *)entry - (const char *)header);
}

static uint64_t inject_table_add_text(enum record_kind kind, const char *text)
{
    size_t length = strlen(text);
    if (length >= RECORD_MOST_NAME)
        length = RECORD_MOST_NAME - 1;
    struct record_text *added = inject_table_add_entry(kind, sizeof *added + length + 1);
    if (!added)
        return 0;
    memcpy(added->text, text, length);
    make_ready(&added->entry);
    return offset_of(added);
}

void table_text(enum record_kind kind, const char *text)
{
    if (!table_header())
        return;
    pthread_mutex_lock(&lock);
    inject_table_add_text(kind, text);
    pthread_mutex_unlock(&lock);
}

/* The arguments of this process, separated by spaces. */
static void write_command(void)
{
    char text[1024];
    const int from = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    if (from < 0)
        return;
    ssize_t length = read(from, text, sizeof text - 1);
    close(from);
    while (length > 0 && text[length - 1] == '\0')
        length--;
    if (length <= 0)
        return;
    for (ssize_t i = 0; i < length; i++)
        if (text[i] == '\0')
            text[i] = ' ';
    text[length] = '\0';
    table_text(RECORD_COMMAND, text);
}

void table_message(const char *text)
{
    struct record_header *now = table_header();
    if (!now)
        return;
    pthread_mutex_lock(&lock);
    if (!now->message[0])
        snprintf(now->message, sizeof now->message, "%s", text);
    pthread_mutex_unlock(&lock);
}

/* --- Finding launches ------------------------------------------------------------------------- */

static uint64_t hash_text(const char *text)
{
    uint64_t hash = SMC_HASH_START;
    for (size_t i = 0; i < RECORD_MOST_NAME - 1 && text[i]; i++)
        hash = smc_hash(hash, &text[i], 1);
    return hash;
}

static uint64_t hash_key(const struct record_key *key)
{
    return smc_hash(SMC_HASH_START, key, sizeof *key);
}

static bool is_text(uint64_t offset, const void *text)
{
    return strncmp(((struct record_text *)at(offset))->text, text, RECORD_MOST_NAME - 1) == 0;
}

static bool is_launch(uint64_t offset, const void *key)
{
    return memcmp(&((struct record_launch *)at(offset))->key, key, sizeof(struct record_key)) == 0;
}

typedef bool is_wanted(uint64_t offset, const void *wanted);

/* The place of what `is` accepts, or the empty one where it belongs. */
static uint64_t *find(struct index *index, uint64_t hash, is_wanted *is, const void *wanted)
{
    size_t place = hash & (index->size - 1);
    while (index->offset[place] && !is(index->offset[place], wanted))
        place = (place + 1) & (index->size - 1);
    return &index->offset[place];
}

static uint64_t hash_entry(const struct index *index, uint64_t offset)
{
    return index == &launches ? hash_key(&((struct record_launch *)at(offset))->key)
                              : hash_text(((struct record_text *)at(offset))->text);
}

static bool inject_table_grow(struct index *index)
{
    if (2 * (index->count + 1) <= index->size)
        return true;
    struct index larger = {.size = index->size ? 2 * index->size : 256, .count = index->count};
    larger.offset = inject_allocate(larger.size * sizeof *larger.offset);
    if (!larger.offset)
        return false;
    for (size_t i = 0; i < index->size; i++)
        if (index->offset[i]) {
            size_t place = hash_entry(index, index->offset[i]) & (larger.size - 1);
            while (larger.offset[place])
                place = (place + 1) & (larger.size - 1);
            larger.offset[place] = index->offset[i];
        }
    inject_release(index->offset, index->size * sizeof *index->offset);
    *index = larger;
    return true;
}

/* The offset of the text, which is added to the file if it is new; 0: no space. */
static uint64_t find_text(struct index *index, enum record_kind kind, const char *text)
{
    if (!inject_table_grow(index))
        return 0;
    uint64_t *place = find(index, hash_text(text), is_text, text);
    if (!*place && (*place = inject_table_add_text(kind, text)))
        index->count++;
    return *place;
}

bool table_module(const char *path)
{
    if (!table_header())
        return false;
    pthread_mutex_lock(&lock);
    const bool is_there = find_text(&modules, RECORD_MODULE, path) != 0;
    pthread_mutex_unlock(&lock);
    return is_there;
}

static struct record_launch *inject_table_add_launch(const struct record_key *key)
{
    struct record_launch *added = inject_table_add_entry(RECORD_LAUNCH, sizeof *added);
    if (!added)
        return NULL;
    added->key = *key;
    added->api_blocks_per_sm = added->api_clusters = added->api_carveout_percent =
        added->local_bytes = RECORD_UNKNOWN;
    make_ready(&added->entry);
    return added;
}

static struct record_launch *find_record_launch(const struct record_key *key, const char *name)
{
    struct record_key whole;
    memset(&whole, 0, sizeof whole); /* its padding is compared too */
    memcpy(&whole, key, sizeof whole);
    whole.name = find_text(&texts, RECORD_TEXT, name);
    if (!whole.name || !inject_table_grow(&launches))
        return NULL;
    uint64_t *place = find(&launches, hash_key(&whole), is_launch, &whole);
    if (*place)
        return at(*place);
    struct record_launch *added = inject_table_add_launch(&whole);
    if (added) {
        *place = offset_of(added);
        launches.count++;
    }
    return added;
}

struct record_launch *table_launch(const struct record_key *key, const char *name)
{
    if (!table_header())
        return NULL;
    pthread_mutex_lock(&lock);
    struct record_launch *found = find_record_launch(key, name);
    pthread_mutex_unlock(&lock);
    return found;
}

/* --- Times ------------------------------------------------------------------------------------ */

static struct record_slices *slices_of(const struct record_launch *launch)
{
    return launch->slices ? at(launch->slices) : NULL;
}

/* Makes all slices twice as long. */
static void inject_table_double_slices(void)
{
    for (size_t i = 0; i < launches.size; i++) {
        struct record_launch *launch = launches.offset[i] ? at(launches.offset[i]) : NULL;
        struct record_slices *slices = launch ? slices_of(launch) : NULL;
        if (!slices)
            continue;
        for (size_t k = 0; k < RECORD_SLICES / 2; k++)
            slices->ns[k] = slices->ns[2 * k] + slices->ns[2 * k + 1];
        memset(slices->ns + RECORD_SLICES / 2, 0, sizeof slices->ns / 2);
    }
    header->slice_ns *= 2;
}

/* A launch before the first one seen is rare, since buffers arrive in about the order of time: it
   is drawn at the beginning. */
static void add_span(struct record_launch *launch, uint64_t begin_ns, uint64_t end_ns)
{
    struct record_slices *slices = slices_of(launch);
    if (!slices) {
        slices = inject_table_add_entry(RECORD_SLICE_TABLE, sizeof *slices);
        if (!slices)
            return;
        make_ready(&slices->entry);
        launch->slices = offset_of(slices);
    }
    if (header->slice_begin_ns == 0)
        header->slice_begin_ns = begin_ns;
    const uint64_t length = end_ns - begin_ns;
    if (length > MOST_SPAN_NS)
        return;
    uint64_t from = begin_ns > header->slice_begin_ns ? begin_ns - header->slice_begin_ns : 0;
    if (from > MOST_SPAN_NS)
        return;
    const uint64_t until = from + length;
    while ((until - 1) / header->slice_ns >= RECORD_SLICES)
        inject_table_double_slices();
    while (from < until) {
        const uint64_t slice = from / header->slice_ns, next = (slice + 1) * header->slice_ns;
        slices->ns[slice] += (next < until ? next : until) - from;
        from = next;
    }
}

/* The process may end between two of these stores: the total comes first, so that no mean or
   greatest time is beyond it. */
static void add_time(struct record_launch *launch, uint64_t begin_ns, uint64_t end_ns)
{
    if (begin_ns == 0 || end_ns < begin_ns)
        return;
    const uint64_t ns = end_ns - begin_ns;
    __atomic_store_n(&launch->total_ns, launch->total_ns + ns, __ATOMIC_RELEASE);
    if (ns > launch->greatest_ns)
        __atomic_store_n(&launch->greatest_ns, ns, __ATOMIC_RELEASE);
    if (launch->timed_launches == 0 || ns < launch->least_ns)
        __atomic_store_n(&launch->least_ns, ns, __ATOMIC_RELEASE);
    __atomic_store_n(&launch->timed_launches, launch->timed_launches + 1, __ATOMIC_RELEASE);
    if (ns > 0)
        add_span(launch, begin_ns, end_ns);
}

static struct record_launch *find_execution(const struct record_key *key, const char *name)
{
    const uintptr_t mixed = (uintptr_t)name ^ (uintptr_t)key->grid[0] * 0x9e3779b1u ^
                            (uintptr_t)key->block[0] << 7 ^ (uintptr_t)key->grid[1] << 3 ^
                            (uintptr_t)key->dynamic_smem_bytes;
    uint64_t *place = &recent[(mixed ^ mixed >> 8 ^ mixed >> 16) % RECENT];
    if (*place) {
        struct record_launch *launch = at(*place);
        struct record_key wanted = *key;
        wanted.name = launch->key.name;
        if (memcmp(&launch->key, &wanted, sizeof wanted) == 0 && is_text(wanted.name, name))
            return launch;
    }
    struct record_launch *launch = find_record_launch(key, name);
    if (launch)
        *place = offset_of(launch);
    return launch;
}

bool table_execution(const struct record_key *key, const struct table_execution *execution)
{
    if (!table_header())
        return false;
    pthread_mutex_lock(&lock);
    struct record_launch *launch = find_execution(key, execution->name);
    if (launch) {
        table_add(&launch->launches, 1);
        if (execution->of_graph)
            table_add(&launch->graph_launches, 1);
        if (execution->smem_configured_bytes > launch->smem_configured_bytes)
            launch->smem_configured_bytes = execution->smem_configured_bytes;
        add_time(launch, execution->begin_ns, execution->end_ns);
    }
    pthread_mutex_unlock(&lock);
    return launch != NULL;
}

/* --- Devices ---------------------------------------------------------------------------------- */

bool table_has_device(int32_t ordinal)
{
    return ordinal < 0 || ordinal >= 64 ||
           (__atomic_load_n(&devices_seen, __ATOMIC_ACQUIRE) >> ordinal & 1);
}

void table_device(const struct record_device *device)
{
    if (table_has_device(device->ordinal) || !table_header())
        return;
    pthread_mutex_lock(&lock);
    if (!table_has_device(device->ordinal)) {
        struct record_device *added = inject_table_add_entry(RECORD_DEVICE, sizeof *added);
        if (added) {
            const struct record_entry entry = added->entry;
            *added = *device;
            added->entry = entry;
            make_ready(&added->entry);
        }
        __atomic_fetch_or(&devices_seen, UINT64_C(1) << device->ordinal, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&lock);
}
