/* A program that uses the (fake) driver as its arguments say, one after another:
     launch NAME GRID BLOCK SMEM TIMES    threads COUNT TIMES (of "worker", block 64, each)
     configs N (grids 1 to N)             cluster NAME GRID BLOCK SIZE
     capture NAME TIMES (a graph of 3 kernels, one changed, launched)   child TIMES
     disable NAME TIMES (a graph of 3 kernels, of which one is disabled)
     update NAME TIMES (an executable graph that is updated, and then one node of it)
     recycle NAME TIMES (a graph made while another thread destroys one, then launched)
     perthread NAME (captured from the thread's default stream, and not launched)
     device N     module NAME    unload   carveout NAME PERCENT
     await FILE (at most 5 minutes)
     write BYTES  sleep MS       fork     (the rest runs in the child and, after it, here)
     count SIGNAL FILE (makes the file, waits for the signal, then 300 ms more; writes how often it
     came)   handler SIGNAL (the program's own)   raise SIGNAL   crash   exit N   _exit N
   APP_FINDS=proc: the driver's functions are found with cuGetProcAddress, as the runtime does it;
   else with dlsym. APP_KERNELS: handles are those of libraries, not of modules. */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "guests/inject/abi.h"

#define DRIVER(F)                                                                                  \
    F(cuInit, (unsigned))                                                                          \
    F(cuCtxSetDevice, (int))                                                                       \
    F(cuModuleLoadData, (void **, const void *))                                                   \
    F(cuModuleUnload, (void *))                                                                    \
    F(cuModuleGetFunction, (void **, void *, const char *))                                        \
    F(cuLibraryGetKernel, (void **, void *, const char *))                                         \
    F(cuFuncSetAttribute, (void *, int, int))                                                      \
    F(cuLaunchKernel, (void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,         \
                       unsigned, void *, void **, void **))                                        \
    F(cuLaunchKernelEx, (const struct driver_launch_config *, void *, void **, void **))           \
    F(cuLaunchCooperativeKernel, (void *, unsigned, unsigned, unsigned, unsigned, unsigned,        \
                                  unsigned, unsigned, void *, void **))                            \
    F(cuStreamCreate, (void **, unsigned))                                                         \
    F(cuStreamBeginCapture, (void *, int))                                                         \
    F(cuStreamEndCapture, (void *, void **))                                                       \
    F(cuGraphCreate, (void **, unsigned))                                                          \
    F(cuGraphAddKernelNode,                                                                        \
      (void **, void *, const void **, size_t, const struct driver_kernel_node *))                 \
    F(cuGraphAddChildGraphNode, (void **, void *, const void **, size_t, void *))                  \
    F(cuGraphGetNodes, (void *, void **, size_t *))                                                \
    F(cuGraphInstantiate, (void **, void *, unsigned long long))                                   \
    F(cuGraphExecKernelNodeSetParams, (void *, void *, const struct driver_kernel_node *))         \
    F(cuGraphLaunch, (void *, void *))                                                             \
    F(cuGraphNodeSetEnabled, (void *, void *, unsigned))                                           \
    F(cuGraphExecUpdate, (void *, void *, void *))                                                 \
    F(cuGraphExecDestroy, (void *))

static struct {
#define FUNCTION(name, parameters) int(*name) parameters;
    DRIVER(FUNCTION)
#undef FUNCTION
} driver;

static const struct {
    const char *name;
    void *function;
} functions[] = {
#define FUNCTION(name, parameters) {#name, &driver.name},
    DRIVER(FUNCTION)
#undef FUNCTION
};

static void *module;

static void find_driver(void)
{
    static const char *const suffixes[] = {"", "_v2", "WithFlags"};
    const char *finds = getenv("APP_FINDS");
#ifdef APP_LINKED /* with the hooks and the driver, in this order */
    void *library = RTLD_DEFAULT;
#else
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
#endif
    int (*proc)(const char *, void **, int, uint64_t, int *) = NULL;
    void *address = dlsym(library, "cuGetProcAddress_v2");
    if (!address) {
        fprintf(stderr, "app: %s\n", dlerror());
        exit(9);
    }
    memcpy(&proc, &address, sizeof address);
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        char name[128];
        address = NULL;
        if (finds && strcmp(finds, "proc") == 0)
            proc(functions[i].name, &address, 13000, 0, NULL);
        for (size_t k = 3; k-- > 0 && !address;) {
            snprintf(name, sizeof name, "%s%s", functions[i].name, suffixes[k]);
            address = dlsym(library, name);
        }
        memcpy(functions[i].function, &address, sizeof address);
    }
}

static void *function_of(const char *name)
{
    static struct {
        char name[64];
        void *function;
    } known[256];
    size_t i = 0;
    while (i < 255 && known[i].function && strcmp(known[i].name, name) != 0)
        i++;
    if (!known[i].function) {
        snprintf(known[i].name, sizeof known[i].name, "%s", name);
        if (getenv("APP_KERNELS"))
            driver.cuLibraryGetKernel(&known[i].function, module, name);
        else
            driver.cuModuleGetFunction(&known[i].function, module, name);
    }
    return known[i].function;
}

static unsigned number(const char *text)
{
    return (unsigned)strtoul(text, NULL, 10);
}

static void launch(const char *name, unsigned grid, unsigned block, unsigned smem, unsigned times)
{
    void *function = function_of(name);
    for (unsigned i = 0; i < times; i++)
        driver.cuLaunchKernel(function, grid, 1, 1, block, 1, 1, smem, NULL, NULL, NULL);
}

static void *work(void *times)
{
    launch("worker", 4, 64, 0, *(const unsigned *)times);
    return NULL;
}

static void launch_in_threads(unsigned count, unsigned times)
{
    pthread_t thread[256];
    function_of("worker");
    for (unsigned i = 0; i < count && i < 256; i++)
        pthread_create(&thread[i], NULL, work, &times);
    for (unsigned i = 0; i < count && i < 256; i++)
        pthread_join(thread[i], NULL);
}

static void launch_cluster(const char *name, unsigned grid, unsigned block, unsigned size)
{
    const struct driver_attribute attribute = {.id = LAUNCH_CLUSTER_DIMENSION,
                                               .value.cluster = {size, 1, 1}};
    const struct driver_launch_config config = {
        .grid = {grid, 1, 1},
        .block = {block, 1, 1},
        .attributes = &attribute,
        .attribute_count = 1,
    };
    driver.cuLaunchKernelEx(&config, function_of(name), NULL, NULL);
}

/* Three captured kernels, of which the last is changed in the executable graph. */
static void launch_captured(const char *name, unsigned times)
{
    void *stream, *graph, *executable, *nodes[8];
    size_t count = 8;
    void *function = function_of(name);
    driver.cuStreamCreate(&stream, 0);
    driver.cuStreamBeginCapture(stream, 0);
    for (unsigned i = 0; i < 3; i++)
        driver.cuLaunchKernel(function, 10 + i, 1, 1, 128, 1, 1, 0, stream, NULL, NULL);
    driver.cuStreamEndCapture(stream, &graph);
    driver.cuGraphInstantiate(&executable, graph, 0);
    driver.cuGraphGetNodes(graph, nodes, &count);
    const struct driver_kernel_node changed = {
        .function = function, .grid = {99, 1, 1}, .block = {128, 1, 1}};
    driver.cuGraphExecKernelNodeSetParams(executable, nodes[count - 1], &changed);
    for (unsigned i = 0; i < times; i++)
        driver.cuGraphLaunch(executable, NULL);
    driver.cuGraphExecDestroy(executable);
}

static void *graph_of(const char *name, unsigned first_grid, unsigned kernels)
{
    void *graph, *node;
    driver.cuGraphCreate(&graph, 0);
    for (unsigned i = 0; i < kernels; i++) {
        const struct driver_kernel_node kernel = {
            .function = function_of(name), .grid = {first_grid + i, 1, 1}, .block = {64, 1, 1}};
        driver.cuGraphAddKernelNode(&node, graph, NULL, 0, &kernel);
    }
    return graph;
}

static void launch_graph(void *executable, unsigned times)
{
    for (unsigned i = 0; i < times; i++)
        driver.cuGraphLaunch(executable, NULL);
}

static void launch_disabled(const char *name, unsigned times)
{
    void *executable, *nodes[8], *graph = graph_of(name, 1, 3);
    size_t count = 8;
    driver.cuGraphInstantiate(&executable, graph, 0);
    driver.cuGraphGetNodes(graph, nodes, &count);
    driver.cuGraphNodeSetEnabled(executable, nodes[1], 0);
    launch_graph(executable, times);
}

static void launch_updated(const char *name, unsigned times)
{
    char result[64];
    void *executable, *nodes[8], *graph = graph_of(name, 1, 2);
    size_t count = 8;
    const struct driver_kernel_node changed = {
        .function = function_of(name), .grid = {77, 1, 1}, .block = {64, 1, 1}};
    driver.cuGraphInstantiate(&executable, graph, 0);
    driver.cuGraphGetNodes(graph, nodes, &count);
    driver.cuGraphExecUpdate(executable, graph_of(name, 51, 2), result);
    driver.cuGraphExecKernelNodeSetParams(executable, nodes[0], &changed);
    launch_graph(executable, times);
}

static void *destroy(void *executable)
{
    driver.cuGraphExecDestroy(executable);
    return NULL;
}

/* FAKE_REUSES_AT_ONCE: the destroyed graph's handle is that of the second. */
static void launch_recycled(const char *name, unsigned times)
{
    void *first, *second;
    pthread_t thread;
    driver.cuGraphInstantiate(&first, graph_of(name, 1, 1), 0);
    pthread_create(&thread, NULL, destroy, first);
    do {
        driver.cuGraphInstantiate(&second, graph_of(name, 2, 1), 0);
    } while (second != first);
    pthread_join(thread, NULL);
    launch_graph(second, times);
}

static void capture_of_thread(const char *name)
{
    int (*begin)(void *, int), (*end)(void *, void **);
    int (*run)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *,
               void **, void **);
    void *graph, *library = dlopen("libcuda.so.1", RTLD_NOW);
    void *address[] = {dlsym(library, "cuStreamBeginCapture_v2_ptsz"),
                       dlsym(library, "cuStreamEndCapture_ptsz"),
                       dlsym(library, "cuLaunchKernel_ptsz")};
    memcpy(&begin, &address[0], sizeof begin);
    memcpy(&end, &address[1], sizeof end);
    memcpy(&run, &address[2], sizeof run);
    begin(NULL, 0);
    run(function_of(name), 3, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL);
    end(NULL, &graph);
}

static void launch_child(unsigned times)
{
    void *outer, *inner, *node, *executable;
    const struct driver_kernel_node kernel = {
        .function = function_of("inner"), .grid = {7, 1, 1}, .block = {32, 1, 1}};
    driver.cuGraphCreate(&outer, 0);
    driver.cuGraphCreate(&inner, 0);
    driver.cuGraphAddKernelNode(&node, inner, NULL, 0, &kernel);
    driver.cuGraphAddChildGraphNode(&node, outer, NULL, 0, inner);
    driver.cuGraphInstantiate(&executable, outer, 0);
    for (unsigned i = 0; i < times; i++)
        driver.cuGraphLaunch(executable, NULL);
}

static void handle(int signal_number)
{
    static const char text[] = "own handler\n";
    if (write(1, text, sizeof text - 1) < 0)
        _exit(8);
    _exit(signal_number == SIGSEGV ? 61 : 62);
}

static volatile sig_atomic_t received;

static void receive(int signal_number)
{
    (void)signal_number;
    received++;
}

enum { LONGEST_ROUNDS = 30000 }; /* of 10 ms */

static void wait_ms(unsigned ms);

static void count_signals(int signal_number, const char *ready)
{
    signal(signal_number, receive);
    close(open(ready, O_WRONLY | O_CREAT, 0600));
    for (int i = 0; i < LONGEST_ROUNDS && received == 0; i++)
        wait_ms(10);
    for (int i = 0; i < 30; i++) /* a second one would come meanwhile */
        wait_ms(10);
    printf("received %d\n", (int)received);
    fflush(stdout);
}

static void write_much(unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        putchar('a' + (int)(i % 26));
    putchar('\n');
    fflush(stdout);
}

static void wait_ms(unsigned ms)
{
    const struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000};
    nanosleep(&time, NULL);
}

static int await_file(const char *path)
{
    for (int i = 0; i < LONGEST_ROUNDS && access(path, F_OK) != 0; i++)
        wait_ms(10);
    return access(path, F_OK);
}

static void fork_here(void)
{
    fflush(stdout);
    const pid_t child = fork();
    if (child > 0)
        waitpid(child, NULL, 0);
}

/* The compiler does not see that it is null. */
static int *volatile nowhere;

/* SIGTRAP from the kernel, as SIGINT from a terminal is: not sent by a process. */
static int trap(void)
{
#ifdef __x86_64__
    __asm__ volatile("int3");
    return 0;
#else
    return raise(SIGTRAP);
#endif
}

/* As daemons do: closes all that it does not know, and gives the numbers to a file of its own. */
static int reopen(const char *path)
{
    for (int i = 3; i < 64; i++)
        close(i);
    for (int i = 3; i < 64; i++)
        if (open(path, O_RDWR | O_CREAT, 0600) != i)
            return 1;
    return 0;
}

/* Words that the step takes, itself included; 0: unknown. */
static int step(char **word, int left)
{
#define IS(name, arguments) (strcmp(word[0], name) == 0 && left > (arguments))
    if (IS("launch", 5))
        return launch(word[1], number(word[2]), number(word[3]), number(word[4]), number(word[5])),
               6;
    if (IS("threads", 2))
        return launch_in_threads(number(word[1]), number(word[2])), 3;
    if (IS("configs", 1)) {
        for (unsigned i = 1; i <= number(word[1]); i++)
            launch("many", i, 64, 0, 1);
        return 2;
    }
    if (IS("cluster", 4))
        return launch_cluster(word[1], number(word[2]), number(word[3]), number(word[4])), 5;
    if (IS("capture", 2))
        return launch_captured(word[1], number(word[2])), 3;
    if (IS("child", 1))
        return launch_child(number(word[1])), 2;
    if (IS("disable", 2))
        return launch_disabled(word[1], number(word[2])), 3;
    if (IS("update", 2))
        return launch_updated(word[1], number(word[2])), 3;
    if (IS("recycle", 2))
        return launch_recycled(word[1], number(word[2])), 3;
    if (IS("perthread", 1))
        return capture_of_thread(word[1]), 2;
    if (IS("device", 1))
        return driver.cuCtxSetDevice((int)number(word[1])), 2;
    if (IS("module", 1))
        return driver.cuModuleLoadData(&module, word[1]), 2;
    if (IS("unload", 0))
        return driver.cuModuleUnload(module), 1;
    if (IS("carveout", 2))
        return driver.cuFuncSetAttribute(function_of(word[1]), FUNCTION_CARVEOUT,
                                         (int)number(word[2])),
               3;
    if (IS("write", 1))
        return write_much(number(word[1])), 2;
    if (IS("sleep", 1))
        return wait_ms(number(word[1])), 2;
    if (IS("await", 1))
        return await_file(word[1]) == 0 ? 2 : 0;
    if (IS("fork", 0))
        return fork_here(), 1;
    if (IS("count", 2))
        return count_signals((int)number(word[1]), word[2]), 3;
    if (IS("handler", 1))
        return signal((int)number(word[1]), handle), 2;
    if (IS("raise", 1))
        return raise((int)number(word[1])), 2;
    if (IS("crash", 0))
        return *nowhere = 1, 1;
    if (IS("trap", 0))
        return trap(), 1;
    if (IS("reopen", 1))
        return reopen(word[1]), 2;
    if (IS("exit", 1))
        exit((int)number(word[1]));
    if (IS("_exit", 1))
        _exit((int)number(word[1]));
    return 0;
}

int main(int argc, char **argv)
{
    find_driver();
    driver.cuInit(0);
    for (int i = 1; i < argc;) {
        const int words = step(argv + i, argc - i);
        if (words == 0) {
            fprintf(stderr, "app: what is '%s'?\n", argv[i]);
            return 9;
        }
        i += words;
    }
    return 0;
}
