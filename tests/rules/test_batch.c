/* batch: a stream of launches is answered row by row, with the model's answers in the form of the
   CSV report, for any pieces, quotes and line ends, and despite errors in single rows. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answers/query.h"
#include "base/text.h"
#include "rules/batch.h"
#include "show/cli/options.h"
#include "show/report/report.h"
#include "unit.h"

#define REPORTED                                                                                   \
    ",blocks_per_sm,warps_per_sm,occupancy_percent,limiters,limit_warps,limit_blocks,"             \
    "limit_registers,limit_shared_memory,limit_barriers,allocated_registers,allocated_smem,"       \
    "error"
#define RESULTS    REPORTED ",outcome,refusals\n" /* a query's report has those before the outcome */
#define NO_RESULTS ",,,,,,,,,,,,"

/* With a column of clusters, and of a launch without any. */
#define CLUSTER_RESULTS REPORTED ",outcome,refusals,resident_clusters,clusters_are_bound\n"
#define NO_CLUSTERS     ",,0\n"

/* The results for 256 threads with 32 registers and 8 KB on compute capability 9.0. */
#define ANSWER ",8,64,100,warps+registers,8,32,8,25,64,8192,9216,,launches,\n"

/* A stream in memory, read in pieces; the output is collected. */
struct stream {
    const char *bytes;
    size_t length, next, piece;
    size_t reads, late_reads; /* all reads, and those made while an answer was still held back */
    bool read_fails, write_fails;
    struct smc_text out;
};

static size_t count_char(const char *text, size_t length, char c)
{
    size_t count = 0;
    for (size_t i = 0; i < length; i++)
        count += text[i] == c;
    return count;
}

static enum smc_status read_piece(void *context, char *bytes, size_t capacity, size_t *count,
                                  struct smc_error *error)
{
    struct stream *stream = context;
    size_t left = stream->length - stream->next;
    size_t most = stream->piece < capacity ? stream->piece : capacity;
    stream->reads++;
    stream->late_reads += count_char(stream->bytes, stream->next, '\n') >
                          count_char(smc_text_string(&stream->out), stream->out.length, '\n');
    if (stream->read_fails && left == 0)
        return smc_fail(error, SMC_MACHINE, "the disk is gone");
    *count = left < most ? left : most;
    memcpy(bytes, stream->bytes + stream->next, *count);
    stream->next += *count;
    return SMC_OK;
}

static enum smc_status write_piece(void *context, const char *bytes, size_t count,
                                   struct smc_error *error)
{
    struct stream *stream = context;
    if (stream->write_fails)
        return smc_fail(error, SMC_MACHINE, "no space");
    smc_text_append_bytes(&stream->out, bytes, count);
    return SMC_OK;
}

static char last_note[256];

static void keep_note(const char *note)
{
    snprintf(last_note, sizeof last_note, "%s", note);
}

static enum smc_status find_in_table(void *context, const char *name, struct smc_device *device,
                                     struct smc_error *error)
{
    char note[256];
    (void)context;
    return smc_device_find(name, device, note, error);
}

/* The columns of these tests that are not read. */
static const char *const passed[] = {"id,x,note,a,b,", "a \"note\"", "no\nte", "no?te"};

static struct smc_batch batch_of(struct stream *stream)
{
    struct smc_batch batch = {
        .file = "in.csv",
        .source = {read_piece, stream},
        .sink = {write_piece, stream},
        .finder = {find_in_table, NULL},
        .tell = keep_note,
        .passed = passed,
        .passed_count = sizeof passed / sizeof *passed,
    };
    last_note[0] = '\0';
    smc_batch_defaults_init(&batch.defaults);
    return batch;
}

/* Runs it over `length` bytes in pieces. The caller frees stream->out. */
static enum smc_status run_bytes(const char *bytes, size_t length, size_t piece,
                                 struct stream *stream, struct smc_error *error)
{
    *stream = (struct stream){.bytes = bytes, .length = length, .piece = piece};
    struct smc_batch batch = batch_of(stream);
    *error = (struct smc_error){""};
    return smc_batch_run(&batch, error);
}

static bool gives(const char *input, enum smc_status status, const char *output)
{
    struct stream stream;
    struct smc_error error;
    bool same = run_bytes(input, strlen(input), 4096, &stream, &error) == status &&
                strcmp(smc_text_string(&stream.out), output) == 0;
    if (!same)
        printf("\n--- seen (%s)\n%s--- expected\n%s", error.message, smc_text_string(&stream.out),
               output);
    smc_text_free(&stream.out);
    return same;
}

static void test_rows(void)
{
    CU_ASSERT(gives("device,threads,regs,static_smem\n9.0,256,32,8192\n", SMC_OK,
                    "device,threads,regs,static_smem" RESULTS "9.0,256,32,8192" ANSWER));
    CU_ASSERT(gives("id,static_smem,regs,cluster,carveout,threads,dynamic_smem,barriers,device,x\n"
                    "7,4K,32,1,-1,256,4096,1,nvidia h200,\n",
                    SMC_OK,
                    "id,static_smem,regs,cluster,carveout,threads,dynamic_smem,barriers,device,x" //
                    CLUSTER_RESULTS "7,4K,32,1,-1,256,4096,1,nvidia h200,"
                    ",8,64,100,warps+registers,8,32,8,25,64,8192,9216,,launches," NO_CLUSTERS));
    /* An empty field counts as not given. Blanks are ignored. */
    CU_ASSERT(gives("Device , THREADS,regs,static_smem,barriers,carveout\n"
                    " 9.0,256 , 32,\t8K,, \n",
                    SMC_OK,
                    "Device , THREADS,regs,static_smem,barriers,carveout" RESULTS
                    " 9.0,256 , 32,\t8K,, " ANSWER));
    CU_ASSERT(gives("device,threads,regs,static_smem\n9.0,256,32,\"8,192\"\n9.0,256,32,0x2000\n"
                    "9.0,256,32,8 KB\n",
                    SMC_OK,
                    "device,threads,regs,static_smem" RESULTS "9.0,256,32,\"8,192\"" ANSWER
                    "9.0,256,32,0x2000" ANSWER "9.0,256,32,8 KB" ANSWER));
    /* A launch that fails is an answer; shared memory above the default limit uses the opt-in. */
    CU_ASSERT(gives(
        "device,threads,regs,dynamic_smem\n"
        "9.0,32,0,232448\n9.0,32,0,232449\n8.0,800,80,0\n8.0,1025,1,0\n",
        SMC_OK,
        "device,threads,regs,dynamic_smem" RESULTS
        "9.0,32,0,232448,1,1,1.5625,shared_memory,64,32,,1,64,0,233472,,launches,\n"
        "9.0,32,0,232449,0,0,0,shared_memory,64,32,,0,64,0,233600,,cannot_launch,smem_per_block\n"
        "8.0,800,80,0,0,0,0,registers,2,32,0,164,,64000,1024,,cannot_launch,registers_per_block\n"
        "8.0,1025,1,0,0,0,0,warps,0,32,7,164,,8448,1024,,cannot_launch,threads_per_block\n"));
    CU_ASSERT(gives(
        "device,threads,regs,cluster,barriers\n9.0,64,16,16,3\n9.0,64,16,17,17\n", SMC_OK,
        "device,threads,regs,cluster,barriers" CLUSTER_RESULTS
        "9.0,64,16,16,3,21,42,65.625,barriers,32,32,64,228,21,1024,1024,,launches," NO_CLUSTERS
        "9.0,64,16,17,17,0,0,0,barriers+cluster,32,32,64,228,0,1024,1024,,cannot_"
        "launch,barriers_per_block+cluster_size" NO_CLUSTERS));
    /* The header alone is answered, too. */
    CU_ASSERT(gives("device,threads,regs", SMC_OK, "device,threads,regs" RESULTS));
}

static void test_csv(void)
{
    CU_ASSERT(gives("\xEF\xBB\xBF\"device\",\"threads\",regs,\"static_smem\",\"no\nte\"\r\n\r\n"
                    "\"9.0\",\"256\",32,8192,\"a, \"\"b\"\"\r\nc\"\r\n\n\n"
                    "9.0,256,32,8192,17\" wide",
                    SMC_OK,
                    "\xEF\xBB\xBF\"device\",\"threads\",regs,\"static_smem\",\"no\nte\"" RESULTS
                    "\"9.0\",\"256\",32,8192,\"a, \"\"b\"\"\r\nc\"" ANSWER
                    "9.0,256,32,8192,17\" wide" ANSWER));
    CU_ASSERT(gives("device,threads,regs,static_smem\r\n9.0,256,32,8192\r", SMC_OK,
                    "device,threads,regs,static_smem" RESULTS "9.0,256,32,8192" ANSWER));
    CU_ASSERT(gives("\r\n\n\ndevice,threads,regs,static_smem\n\n9.0,256,32,8192\n\r\n", SMC_OK,
                    "device,threads,regs,static_smem" RESULTS "9.0,256,32,8192" ANSWER));
    CU_ASSERT(gives("device,threads,regs,static_smem\n9.0,256,32,8192\n\r", SMC_OK,
                    "device,threads,regs,static_smem" RESULTS "9.0,256,32,8192" ANSWER));
}

/* 300 KB, which the mode allows; the mode is a column. */
static void test_smem_mode(void)
{
    CU_ASSERT(gives(
        "device,threads,regs,dynamic_smem,smem_mode\n"
        "10.7,256,40,300K,\n"
        "10.7,256,40,300K,oversized\n"
        "10.7,256,40,140K,prefer-oversized\n",
        SMC_OK,
        "device,threads,regs,dynamic_smem,smem_mode" RESULTS
        "10.7,256,40,300K,,0,0,0,shared_memory,4,16,6,0,16,10240,308224,,cannot_launch,smem_per_"
        "block\n"
        "10.7,256,40,300K,oversized,1,8,25,shared_memory,4,16,6,1,16,10240,308224,,launches,\n"
        "10.7,256,40,140K,prefer-oversized,2,16,50,shared_memory,4,16,6,2,16,10240,"
        "144384,,launches,\n"));
    CU_ASSERT(gives("device,threads,regs,smem_mode\n9.0,256,32,3\n", SMC_USAGE,
                    "device,threads,regs,smem_mode" RESULTS "9.0,256,32,3" NO_RESULTS
                    "\"line 2: smem_mode: '3' is not one of default, portable, non-portable, "
                    "oversized, prefer-oversized\",,\n"));
}

struct bad_row {
    const char *row;    /* between two correct rows, on line 3, which has four columns */
    const char *fields; /* as the answers return it */
    const char *error;  /* its field */
};

#define TEN "x123456789" /* a message quotes 63 characters of a field */

static const struct bad_row bad_rows[] = {
    {"9.0,abc,32,8192", "9.0,abc,32,8192",
     "line 3: threads: 'abc' is not a number or shape (16x16) between 1 and 2147483647"},
    {"9.0,0,32,8192", "9.0,0,32,8192", "line 3: threads: '0' is not between 1 and 2147483647"},
    {"9.0,-1,32,8192", "9.0,-1,32,8192", "line 3: threads: '-1' is not between 1 and 2147483647"},
    {"9.0,4294967552,32,8192", "9.0,4294967552,32,8192",
     "line 3: threads: '4294967552' is not between 1 and 2147483647"},
    {"9.0,2 5,32,8192", "9.0,2 5,32,8192",
     "line 3: threads: '2 5' is not a number or shape (16x16) between 1 and 2147483647"},
    {"9.0,1e3,32,8192", "9.0,1e3,32,8192",
     "line 3: threads: '1e3' is not a number or shape (16x16) between 1 and 2147483647"},
    {"9.0,,32,8192", "9.0,,32,8192", "\"line 3: threads: no value, and no option --threads\""},
    {"9.0,256,\"\",8192", "9.0,256,\"\",8192", "\"line 3: regs: no value, and no option --regs\""},
    {" ,256,32,8192", " ,256,32,8192", "\"line 3: device: no value, and no option --device\""},
    {"9.0,256,256,8192", "9.0,256,256,8192",
     "\"line 3: regs: '256' is above 255, the most registers that a thread has on compute "
     "capability "
     "9.0\""},
    {"9.0,256,32,8Q", "9.0,256,32,8Q",
     "line 3: static_smem: '8Q' is not a size in bytes between 0 and 2147483647"},
    {"9.0,256,32,2G", "9.0,256,32,2G",
     "line 3: static_smem: '2G' is not a size in bytes between 0 and 2147483647"},
    {"9.0,256,32,\"\"\"", "9.0,256,32,\"\"\"\"\"\"\"\"", /* the quote is never closed */
     "line 3: the row has a quote that is never closed"},
    {"9.0,256,\"3\"2,8192", "9.0,256,\"\"\"3\"\"2\",8192",
     "line 3: the row has text after a closing quote"},
    {"9.0,256,3\r2,8192", "9.0,256,\"3?2\",8192",
     "line 3: the row has a carriage return outside quotes"},
    {"9.0,256,32,48.3K", "9.0,256,32,48.3K",
     "line 3: static_smem: '48.3K' is not a size in bytes between 0 and 2147483647"},
    {"9.0,256,32,49,152", "9.0,256,32,49", "\"line 3: 5 fields, but 4 columns\""},
    {"9.0,256,32", "9.0,256,32,", "\"line 3: 3 fields, but 4 columns\""},
    {"9.0", "9.0,,,", "\"line 3: 1 field, but 4 columns\""},
    {"9.0,256,32,8192,", "9.0,256,32,8192", "\"line 3: 5 fields, but 4 columns\""},
    {"9.1,256,32,8192", "9.1,256,32,8192",
     "line 3: device: compute capability 9.1 is newer than this table; 'smemcalc devices' lists "
     "those it has; --device-file describes others"},
    {"Voodoo,256,32,8192", "Voodoo,256,32,8192",
     "\"line 3: device: unknown device 'Voodoo'; 'smemcalc devices' lists them, or give a compute "
     "capability such as 9.0\""},
    {"9.0,\"a\nb\",32,8192", "9.0,\"a\nb\",32,8192",
     "line 3: threads: 'a?b' is not a number or shape (16x16) between 1 and 2147483647"},
    {"9.0,\033[31m,32,8192", "9.0,?[31m,32,8192",
     "line 3: threads: '?[31m' is not a number or shape (16x16) between 1 and 2147483647"},
    {"9.0,\"a\"\"b\",32,8192", "9.0,\"a\"\"b\",32,8192",
     "\"line 3: threads: 'a\"\"b' is not a number or shape (16x16) between 1 and 2147483647\""},
    {"9.0," TEN TEN TEN TEN TEN TEN "123,32,8192", "9.0," TEN TEN TEN TEN TEN TEN "123,32,8192",
     "line 3: threads: '" TEN TEN TEN TEN TEN TEN
     "123' is not a number or shape (16x16) between 1 and 2147483647"},
    {"9.0," TEN TEN TEN TEN TEN TEN "1234,32,8192", "9.0," TEN TEN TEN TEN TEN TEN "1234,32,8192",
     "line 3: threads: '" TEN TEN TEN TEN TEN TEN
     "...' is not a number or shape (16x16) between 1 and 2147483647"},
};

static void test_bad_rows(void)
{
    size_t wrong = 0;
    for (size_t i = 0; i < sizeof bad_rows / sizeof *bad_rows; i++) {
        const struct bad_row *bad = &bad_rows[i];
        char input[512], output[1024];
        snprintf(input, sizeof input,
                 "device,threads,regs,static_smem\n9.0,256,32,8192\n%s\n9.0,256,32,8K\n", bad->row);
        snprintf(output, sizeof output,
                 "device,threads,regs,static_smem%s9.0,256,32,8192%s%s%s%s,,\n9.0,256,32,8K%s",
                 RESULTS, ANSWER, bad->fields, NO_RESULTS, bad->error, ANSWER);
        wrong += !gives(input, SMC_USAGE, output);
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

static void test_summary(void)
{
    static const char input[] = "device,threads,regs\n9.0,256,32\n9.0,\"x\ny\",32\n\n9.0,1,z\n";
    static const char nul[] = "device,threads,regs,a,b\n9.0,256,32,\0,\"\0\"\n";
    struct stream stream;
    struct smc_error error;
    CU_ASSERT_EQUAL(run_bytes(input, strlen(input), 4096, &stream, &error), SMC_USAGE);
    CU_ASSERT_STRING_EQUAL(error.message,
                           "in.csv: 2 of 3 rows cannot be read; the first: line 3: threads: 'x?y' "
                           "is not a number or shape (16x16) between 1 and 2147483647");
    /* The line feed within quotes and the empty line both count as lines. */
    CU_ASSERT_PTR_NOT_NULL(strstr(smc_text_string(&stream.out), "line 6: regs: 'z' is not"));
    smc_text_free(&stream.out);
    CU_ASSERT_EQUAL(run_bytes(nul, sizeof nul - 1, 4096, &stream, &error), SMC_USAGE);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.message, "line 2: the row has a NUL byte"));
    static const char expected[] =
        "9.0,256,32,\"?\",\"\"\"?\"\"\"" NO_RESULTS "line 2: the row has a NUL byte,,\n";
    size_t length = sizeof expected - 1;
    CU_ASSERT_FATAL(stream.out.length > length);
    CU_ASSERT_EQUAL(memcmp(stream.out.data + stream.out.length - length, expected, length), 0);
    smc_text_free(&stream.out);
}

static void test_headers(void)
{
    static const char *const cases[][2] = {
        {"", "in.csv:1: no header: the input is empty"},
        {"\n\r\n", "in.csv:1: no header: the input is empty"},
        {"device,threads\n9.0,1\n", "in.csv:1: no column 'regs', and no option --regs"},
        {"\nthreads,regs\n", "in.csv:2: no column 'device', and no option --device"},
        {"device,threads,regs,x,threads\n",
         "in.csv:1: the column 'threads' occurs twice, as column 2 and as column 5"},
        {"device,threads,\"regs\n", "in.csv:1: the header has a quote that is never closed"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct stream stream;
        struct smc_error error;
        CU_ASSERT_EQUAL(run_bytes(cases[i][0], strlen(cases[i][0]), 4096, &stream, &error),
                        SMC_USAGE);
        CU_ASSERT_STRING_EQUAL(error.message, cases[i][1]);
        CU_ASSERT_EQUAL(stream.out.length, 0);
        smc_text_free(&stream.out);
    }
}

/* What an earlier batch added is neither read nor an error. */
static void test_notes(void)
{
    static const char input[] = "device,threads,regs,x,x,error\n";
    struct stream stream;
    struct smc_error error;
    CU_ASSERT_EQUAL(run_bytes(input, strlen(input), 4096, &stream, &error), SMC_OK);
    CU_ASSERT_STRING_EQUAL(last_note,
                           "the column 'error' is kept; the one with the answer follows it");
    smc_text_free(&stream.out);
}

static void test_unknown_columns(void)
{
    static const char *const cases[][2] = {
        {"smem_bytes", "unknown column 'smem_bytes'; did you mean 'smem'? --pass 'smem_bytes' "
                       "copies it unread"},
        {"dynamic_smem_kb", "unknown column 'dynamic_smem_kb'; did you mean 'dynamic_smem'? --pass "
                            "'dynamic_smem_kb' copies it unread"},
        {"registers_per_thread", "unknown column 'registers_per_thread'; did you mean 'registers'? "
                                 "--pass 'registers_per_thread' copies it unread"},
        {"barrier", "unknown column 'barrier'; did you mean 'barriers'? --pass 'barrier' copies it "
                    "unread"},
        {"kernel", "unknown column 'kernel': --pass 'kernel' copies it unread"},
        {"it's", "unknown column 'it's': --pass 'it'\\''s' copies it unread"},
        {"c,d", "2 unknown columns: --pass 'c,d' copies them unread"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct stream stream;
        struct smc_error error;
        char input[128];
        snprintf(input, sizeof input, "device,threads,regs,%s\n9.0,256,32,,,\n", cases[i][0]);
        CU_ASSERT_EQUAL(run_bytes(input, strlen(input), 4096, &stream, &error), SMC_USAGE);
        CU_ASSERT_STRING_EQUAL(error.message + strlen("in.csv:1: "), cases[i][1]);
        CU_ASSERT_EQUAL(stream.out.length, 0);
        smc_text_free(&stream.out);
    }
}

static void test_separators(void)
{
    static const char input[] = "threads;regs\n256;32\n";
    struct stream stream;
    struct smc_error error;
    CU_ASSERT_EQUAL(run_bytes(input, strlen(input), 4096, &stream, &error), SMC_USAGE);
    CU_ASSERT_STRING_EQUAL(error.message, "in.csv:1: one column, 'threads;regs': commas separate "
                                          "columns, not semicolons, tabs or bars");
    smc_text_free(&stream.out);
}

/* The names of options, in capitals, and "registers"; a known column that is to be passed. */
static void test_column_names(void)
{
    static const char *const headers[] = {"device,threads,registers,smem",
                                          "Device,THREADS,Registers,static-smem"};
    static const char *const passing[] = {"regs,smem"};
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        char input[128], output[512];
        snprintf(input, sizeof input, "%s\n9.0,256,32,8192\n", headers[i]);
        snprintf(output, sizeof output, "%s%s", headers[i], RESULTS "9.0,256,32,8192" ANSWER);
        CU_ASSERT(gives(input, SMC_OK, output));
    }
    struct stream stream = {.bytes = "device,threads,regs,registers,smem,static_smem\n"
                                     "9.0,256,255,32,many,8192\n",
                            .piece = 4096};
    stream.length = strlen(stream.bytes);
    struct smc_batch batch = batch_of(&stream);
    struct smc_error error;
    batch.passed = passing;
    batch.passed_count = 1;
    CU_ASSERT_EQUAL(smc_batch_run(&batch, &error), SMC_OK);
    CU_ASSERT_STRING_EQUAL(smc_text_string(&stream.out),
                           "device,threads,regs,registers,smem,static_smem" RESULTS
                           "9.0,256,255,32,many,8192" ANSWER);
    smc_text_free(&stream.out);
}

/* The shapes of blocks and clusters have limits of their own. */
static void test_shapes(void)
{
    CU_ASSERT(gives(
        "device,threads,regs,cluster\n9.0,16x16,32,2x1\n9.0,1x1x64,32,\n"
        "9.0,1x1x65,32,1\n9.0,64,32,17x1x1\n",
        SMC_OK,
        "device,threads,regs,cluster" CLUSTER_RESULTS
        "9.0,16x16,32,2x1,8,64,100,warps+registers,8,32,8,228,64,8192,1024,,launches," NO_CLUSTERS
        "9.0,1x1x64,32,,32,64,100,warps+registers+blocks,32,32,32,228,64,2048,1024,,"
        "launches," NO_CLUSTERS
        "9.0,1x1x65,32,1,0,0,0,,21,32,21,228,64,3072,1024,,cannot_launch,block_z" NO_CLUSTERS
        "9.0,64,32,17x1x1,0,0,0,cluster,32,32,32,228,64,2048,1024,,cannot_launch,cluster_"
        "size" NO_CLUSTERS));
}

/* As the driver answers on an H200, whose groups of SMs are known; of other boards a bound. */
static void test_clusters(void)
{
    CU_ASSERT(gives(
        "device,threads,regs,dynamic_smem,cluster\nH200,256,32,200000,8\n"
        "H200,256,32,200000,4x2x2\nH200,32,32,0,2\nH100 PCIe,256,32,200000,3\n"
        "H200,256,x,0,2\n",
        SMC_USAGE,
        "device,threads,regs,dynamic_smem,cluster" CLUSTER_RESULTS
        "H200,256,32,200000,8,1,8,12.5,shared_memory,8,32,8,1,64,8192,201088,,launches,,15,0\n"
        "H200,256,32,200000,4x2x2,1,8,12.5,shared_memory,8,32,8,1,64,8192,201088,,launches,,7,0\n"
        "H200,32,32,0,2,32,32,50,blocks,64,32,64,228,64,1024,1024,,launches,,528,0\n"
        "H100 PCIe,256,32,200000,3,1,8,12.5,shared_memory,8,32,8,1,64,8192,201088,,launches,,38,1\n"
        "H200,256,x,0,2" NO_RESULTS
        "line 6: regs: 'x' is not a whole number between 0 and 2147483647,,,,\n"));
}

static void test_defaults(void)
{
    static const char input[] = "threads,static_smem\n256,8192\n,8K\n64,\n";
    struct stream stream = {.bytes = input, .length = strlen(input), .piece = 4096};
    struct smc_batch batch = batch_of(&stream);
    struct smc_capability capability;
    CU_ASSERT_FATAL(smc_capability_find(90, &capability));
    batch.defaults.device.sm = capability.sm;
    batch.defaults.value[SMC_COLUMN_DEVICE] = 0; /* given */
    batch.defaults.value[SMC_COLUMN_THREADS] = 256;
    batch.defaults.value[SMC_COLUMN_REGS] = 32;
    batch.defaults.value[SMC_COLUMN_BARRIERS] = 2;
    CU_ASSERT_EQUAL(smc_batch_run(&batch, NULL), SMC_OK);
    CU_ASSERT_STRING_EQUAL(
        smc_text_string(&stream.out),
        "threads,static_smem" RESULTS
        "256,8192,8,64,100,warps+registers,8,32,8,25,32,8192,9216,,launches,\n"
        ",8K,8,64,100,warps+registers,8,32,8,25,32,8192,9216,,launches,\n"
        "64,,32,64,100,warps+registers+blocks+barriers,32,32,32,228,32,2048,1024,,launches,\n");
    smc_text_free(&stream.out);
}

/* --- Against the model and against the CSV report --------------------------------------------- */

static uint64_t random_state = 20261120;

static uint32_t random_below(uint32_t bound)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)((random_state >> 32) * bound >> 32);
}

static struct smc_launch random_launch(const struct smc_sm *sm)
{
    struct smc_launch launch = SMC_LAUNCH_INIT;
    launch.threads_per_block = 1 + random_below(1100);
    launch.regs_per_thread = random_below(sm->max_regs_per_thread + 1);
    launch.static_smem_bytes = random_below(4) ? random_below(20000) : random_below(60000);
    launch.dynamic_smem_bytes = random_below(2) ? random_below(250000) : 0;
    launch.carveout_percent = (int32_t)random_below(102) - 1;
    launch.barriers_per_block = random_below(18);
    launch.blocks_per_cluster = 1 + random_below(18);
    return launch;
}

static void append_row(const struct smc_device *device, const struct smc_launch *launch,
                       struct smc_text *input)
{
    smc_text_printf(input, "%d,%u,%s,%u,%u,%u,%u,%u\n", launch->carveout_percent,
                    launch->blocks_per_cluster, device->name, launch->threads_per_block,
                    launch->dynamic_smem_bytes, launch->static_smem_bytes,
                    launch->barriers_per_block, launch->regs_per_thread);
}

/* After the results: the times, and cooperative_excess; then the clusters. */
enum { LATER_COLUMNS = 5, CLUSTER_COLUMNS = 2 };

/* The results as the CSV report of a query prints them. */
static void append_report(const struct smc_device *device, const struct smc_launch *launch,
                          struct smc_text *expected)
{
    struct smc_answer answer = {.query.device = *device, .launch = *launch};
    struct smc_text report = {0};
    smc_launch_check(&device->sm, device->sm_count, &device->sm_groups, launch, &answer.occupancy);
    answer.occupancy_percent = smc_occupancy_percent(&device->sm, &answer.occupancy);
    answer.regs_given = true;
    smc_writer_csv.answers(&answer, 1, &report);
    char *row = strchr(report.data, '\n') + 1;
    strcpy(strrchr(row, ','), "\n");        /* without --bins */
    char *clusters = row + strlen(row) - 1; /* before the newline */
    for (int commas = 0; commas < CLUSTER_COLUMNS; clusters--)
        commas += clusters[-1] == ',';
    char *end = clusters;
    for (int commas = 0; commas < LATER_COLUMNS; end--)
        commas += end[-1] == ',';
    char *results = end;
    for (int commas = 0; commas < 12; results--)
        commas += results[-1] == ',';
    smc_text_append_bytes(expected, results, (size_t)(end - results));
    const char *between = answer.occupancy.refusals ? ",cannot_launch," : ",launches,";
    for (int i = 0; i < SMC_REFUSAL_COUNT; i++)
        if (answer.occupancy.refusals & 1u << i) {
            smc_text_printf(expected, "%s%s", between, smc_refusal_name((enum smc_refusal)i));
            between = "+";
        }
    smc_text_append(expected, answer.occupancy.refusals ? "" : ",launches,");
    smc_text_append(expected, clusters);
    smc_text_free(&report);
}

static void test_against_report(void)
{
    enum { ROWS = 20000 };
    static const char header[] =
        "carveout,cluster,device,threads,dynamic_smem,static_smem,barriers,regs";
    struct smc_text input = {0}, expected = {0};
    struct stream stream;
    struct smc_error error;
    smc_text_printf(&input, "%s\n", header);
    smc_text_printf(&expected, "%s" CLUSTER_RESULTS, header);
    for (int i = 0; i < ROWS; i++) {
        struct smc_device device;
        smc_device_at(random_below((uint32_t)smc_device_count()), &device);
        struct smc_launch launch = random_launch(&device.sm);
        append_row(&device, &launch, &input);
        const char *last = input.data + input.length - 1;
        while (last > input.data && last[-1] != '\n')
            last--;
        smc_text_append_bytes(&expected, last, strlen(last) - 1);
        append_report(&device, &launch, &expected);
    }
    CU_ASSERT_FATAL(!input.failed && !expected.failed);
    CU_ASSERT_EQUAL(run_bytes(input.data, input.length, SIZE_MAX, &stream, &error), SMC_OK);
    CU_ASSERT_EQUAL(stream.out.length, expected.length);
    CU_ASSERT(strcmp(smc_text_string(&stream.out), expected.data) == 0);
    smc_text_free(&stream.out);
    smc_text_free(&input);
    smc_text_free(&expected);
}

static void test_report_header(void)
{
    struct smc_text report = {0};
    smc_writer_csv.answers(NULL, 0, &report);
    static const char end[] = ",predicted_ms,low_ms,high_ms,bound_by,cooperative_excess,"
                              "resident_clusters,clusters_are_bound,bins\n";
    size_t results = sizeof REPORTED - 1, times = sizeof end - 1;
    CU_ASSERT_FATAL(report.length > results + times);
    const char *last = report.data + report.length - times;
    CU_ASSERT_STRING_EQUAL(last, end);
    CU_ASSERT_EQUAL(strncmp(last - results, REPORTED, results), 0);
    smc_text_free(&report);
}

/* --- The stream ------------------------------------------------------------------------------- */

static void test_pieces(void)
{
    static const char input[] =
        "\xEF\xBB\xBF"
        "device,threads,regs,\"a \"\"note\"\"\"\r\n\r\n9.0,256,32,\"x\"\"y\r\n,z\"\r\n"
        "NVIDIA H200,1024,31,\n\n\nRTX 4090,x,1,\n\"8.0\" ,1,2\r,3\nH200,64,64,\"never\n9.0,1,2,3";
    static const size_t pieces[] = {1, 2, 3, 4, 5, 7, 11, 16, 64, 100};
    struct stream whole, stream;
    struct smc_error error;
    CU_ASSERT_EQUAL(run_bytes(input, sizeof input - 1, SIZE_MAX, &whole, &error), SMC_USAGE);
    CU_ASSERT_EQUAL(count_char(whole.out.data, whole.out.length, '\n'), 8);
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        CU_ASSERT_EQUAL(run_bytes(input, sizeof input - 1, pieces[i], &stream, &error), SMC_USAGE);
        CU_ASSERT_STRING_EQUAL(smc_text_string(&stream.out), smc_text_string(&whole.out));
        smc_text_free(&stream.out);
    }
    smc_text_free(&whole.out);
}

/* A program at the other end of two pipes may wait for each answer before it continues. */
static void test_flushing(void)
{
    static const char input[] = "device,threads,regs\n9.0,256,32\n9.0,128,32\n9.0,64,32\n";
    struct stream stream;
    struct smc_error error;
    CU_ASSERT_EQUAL(run_bytes(input, sizeof input - 1, 1, &stream, &error), SMC_OK);
    CU_ASSERT_EQUAL(stream.reads, sizeof input);
    CU_ASSERT_EQUAL(stream.late_reads, 0);
    smc_text_free(&stream.out);
}

/* A row of exactly `length` bytes: its last field is filled. */
static void append_long_row(struct smc_text *input, size_t length, const char *end)
{
    static const char row[] = "9.0,256,32,8192,";
    smc_text_append(input, row);
    smc_text_append_char(input, 'x', length - (sizeof row - 1));
    smc_text_append(input, end);
}

static size_t count_text(const char *text, const char *wanted)
{
    size_t count = 0;
    while ((text = strstr(text, wanted))) {
        count++;
        text++;
    }
    return count;
}

static void test_long_rows(void)
{
    static const size_t pieces[] = {4097, 30000, SIZE_MAX};
    static const char *const ends[] = {"\n", "\r\n"};
    struct smc_error error;
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
        for (size_t k = 0; k < sizeof ends / sizeof *ends; k++) {
            struct smc_text input = {0};
            struct stream stream;
            smc_text_append(&input, "device,threads,regs,static_smem,note\n");
            append_long_row(&input, SMC_CSV_MOST_BYTES, ends[k]);
            append_long_row(&input, SMC_CSV_MOST_BYTES + 1, ends[k]);
            append_long_row(&input, 500000, ends[k]);
            smc_text_append(&input, "9.0,256,32,8192,\"");
            append_long_row(&input, 70000, ends[k]); /* the row is shown by its first line */
            append_long_row(&input, 20, ends[k]);
            smc_text_append(&input, "9.0,256,32,8192,\"never closed\n"); /* up to the end */
            append_long_row(&input, 30, ends[k]);
            append_long_row(&input, 100000, "");
            CU_ASSERT_EQUAL(run_bytes(input.data, input.length, pieces[i], &stream, &error),
                            SMC_USAGE);
            const char *out = smc_text_string(&stream.out);
            CU_ASSERT_EQUAL(count_text(out, ANSWER), 3);
            CU_ASSERT_EQUAL(count_text(out, ": the row has more than 65536 bytes,,\n"), 4);
            /* The columns before the long one are kept, so that the row can be found again. */
            CU_ASSERT_EQUAL(count_text(out, "\n9.0,256,32,8192," NO_RESULTS "line "), 4);
            CU_ASSERT_EQUAL(count_text(out, "line 3: the row has more"), 1);
            CU_ASSERT_EQUAL(count_text(out, "line 9: the row has more"), 1);
            CU_ASSERT_EQUAL(count_text(out, "line 7: the row has a quote that is never closed"), 1);
            smc_text_free(&stream.out);
            smc_text_free(&input);
        }
}

static void test_wide_rows(void)
{
    struct smc_text header = {0};
    struct stream stream;
    struct smc_error error;
    smc_text_append(&header, "device,threads,regs");
    for (int i = 3; i < SMC_CSV_MOST_FIELDS; i++)
        smc_text_append(&header, ",");
    smc_text_append(&header, "\n9.0,1,1\n9.0,1,1");
    smc_text_append_char(&header, ',', SMC_CSV_MOST_FIELDS + 100);
    CU_ASSERT_EQUAL(run_bytes(header.data, header.length, 4096, &stream, &error), SMC_USAGE);
    CU_ASSERT_PTR_NOT_NULL(strstr(smc_text_string(&stream.out), "line 2: 3 fields, but 1024 "));
    CU_ASSERT_PTR_NOT_NULL(strstr(smc_text_string(&stream.out), "line 3: 1127 fields, but 1024 "));
    smc_text_free(&stream.out);
    const char *wide = strrchr(header.data, '\n') + 1;
    CU_ASSERT_EQUAL(run_bytes(wide, strlen(wide), 4096, &stream, &error), SMC_USAGE);
    CU_ASSERT_STRING_EQUAL(error.message, "in.csv:1: the header has 1127 columns, more than 1024");
    smc_text_free(&stream.out);
    smc_text_free(&header);
}

/* More spellings of devices than the cache holds, known and unknown, some repeated. */
static void test_many_devices(void)
{
    enum { SPELLINGS = 700, ROWS = 3000 };
    struct smc_text input = {0};
    struct stream stream;
    struct smc_error error;
    size_t unknown = 0;
    smc_text_append(&input, "device,threads,regs,static_smem\n");
    for (int i = 0; i < ROWS; i++) {
        size_t blanks = i < SPELLINGS ? (size_t)i : random_below(SPELLINGS);
        bool known = blanks % 7 != 3;
        unknown += !known;
        smc_text_append_char(&input, ' ', blanks);
        smc_text_printf(&input, "%s,256,32,8192\n", known ? "H200" : "none");
    }
    CU_ASSERT_EQUAL(run_bytes(input.data, input.length, SIZE_MAX, &stream, &error), SMC_USAGE);
    CU_ASSERT_EQUAL(count_text(smc_text_string(&stream.out), ANSWER), ROWS - unknown);
    CU_ASSERT_EQUAL(count_text(smc_text_string(&stream.out), "device: unknown device 'none'"),
                    unknown);
    smc_text_free(&stream.out);
    smc_text_free(&input);
}

static void test_failures(void)
{
    static const char input[] = "device,threads,regs\n9.0,256,32\n";
    for (int i = 0; i < 2; i++) {
        struct stream stream = {.bytes = input, .length = strlen(input), .piece = 8};
        struct smc_batch batch = batch_of(&stream);
        struct smc_error error;
        *(i ? &stream.read_fails : &stream.write_fails) = true;
        CU_ASSERT_EQUAL(smc_batch_run(&batch, &error), SMC_MACHINE);
        CU_ASSERT_STRING_EQUAL(error.message, i ? "the disk is gone" : "no space");
        smc_text_free(&stream.out);
    }
}

/* A column and the corresponding option allow the same values. */
static void test_columns(void)
{
    for (int i = 0; i < SMC_COLUMN_COUNT; i++) {
        const struct smc_column_info *column = &smc_column_info[i];
        const struct smc_option *option = NULL;
        for (int k = 0; k < SMC_OPTION_COUNT; k++)
            if (strcmp(smc_options[k].name, column->option) == 0 &&
                smc_options[k].commands & 1u << SMC_COMMAND_BATCH)
                option = &smc_options[k];
        CU_ASSERT_PTR_NOT_NULL_FATAL(option);
        CU_ASSERT_EQUAL(option->lowest, column->lowest);
        CU_ASSERT_EQUAL(option->highest, column->highest);
        CU_ASSERT_EQUAL(option->type == SMC_OPTION_BYTES, column->kind == SMC_COLUMN_BYTES);
    }
}

CU_TestInfo tests_batch[] = {
    {"the shared-memory mode is a column", test_smem_mode},
    {"rows are answered; a launch that cannot happen has 0 blocks", test_rows},
    {"quotes, line ends, empty lines and a byte order mark", test_csv},
    {"a bad row keeps its place and says why", test_bad_rows},
    {"bad rows are counted and the first is told", test_summary},
    {"a header that cannot be used is one error", test_headers},
    {"a column of results is noted", test_notes},
    {"an unknown column is an error, with what it may mean", test_unknown_columns},
    {"other separators", test_separators},
    {"a column may have the name of its option, or be passed", test_column_names},
    {"threads and cluster may be shapes", test_shapes},
    {"the clusters that the GPU holds, where clusters are given", test_clusters},
    {"options give what no column does", test_defaults},
    {"20000 random rows equal the CSV report of the same launches", test_against_report},
    {"the results have the names of the CSV report", test_report_header},
    {"the pieces in which the input comes make no difference", test_pieces},
    {"answers go out before more input is waited for", test_flushing},
    {"rows too long, and quotes that are never closed, spoil one line", test_long_rows},
    {"rows and headers of too many fields", test_wide_rows},
    {"more devices than are remembered", test_many_devices},
    {"failures of the input and of the output end it", test_failures},
    {"columns and options allow the same values", test_columns},
    CU_TEST_INFO_NULL,
};
