/* tui: the user's file: its kernels as a list, what a change of the file does to the screens, and
   its accesses to shared memory. And what hands expect of any screen: pasting, clicking the keys,
   filtering, the palette, a screen as a file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "show/tui/open_file.h"
#include "show/tui/trace_list.h"
#include "unit.h"
#include "view_sitting.h"

enum { KERNELS = 3 };

/* The explorer on a file, which a worker would have read. */
struct opened {
    struct sitting sitting;
    struct smc_open_question question;
    struct smc_open_kernel kernels[KERNELS];
    struct smc_job_result *result;
    uint32_t threads; /* of their blocks */
};

static void make_kernel(const struct smc_device *device, const char *name, uint32_t regs,
                        uint32_t threads, struct smc_open_kernel *out)
{
    struct smc_launch launch = SMC_LAUNCH_INIT;
    launch.threads_per_block = threads;
    launch.regs_per_thread = regs;
    launch.static_smem_bytes = 4096;
    *out = (struct smc_open_kernel){.threads_source = SMC_THREADS_BOUND, .launch = launch};
    snprintf(out->symbol, sizeof out->symbol, "_Z%s", name);
    snprintf(out->name, sizeof out->name, "%s(float*)", name);
    snprintf(out->short_name, sizeof out->short_name, "%s", name);
    smc_launch_check(&device->sm, device->sm_count, &device->sm_groups, &launch, &out->occupancy);
    out->occupancy_percent = smc_occupancy_percent(&device->sm, &out->occupancy);
    out->file_kernel = (struct smc_file_kernel){
        .max_threads_per_block = 256,
        .resources = {.source = SMC_RESOURCES_FILE,
                      .regs_per_thread = regs,
                      .static_smem_bytes = 4096,
                      .barriers = 1,
                      .cc = device->sm.cc},
    };
    snprintf(out->file_kernel.origin_name, sizeof out->file_kernel.origin_name, "nvcc sm_90");
    out->now = (struct smc_open_figures){.regs_per_thread = regs,
                                         .static_smem_bytes = 4096,
                                         .blocks_per_sm = out->occupancy.blocks_per_sm};
}

/* As the worker does. */
static void state_launch(const struct smc_open_question *asked, struct smc_open_kernel *kernel)
{
    for (size_t i = 0; i < asked->launch_count; i++)
        if (strcmp(asked->launch[i].kernel, kernel->symbol) == 0) {
            kernel->launch.threads_per_block = (uint32_t)asked->launch[i].threads_per_block;
            memcpy(kernel->block, asked->launch[i].block, sizeof kernel->block);
        }
}

/* As the worker's result: the kernels with these registers, 0: it is not there. */
static void opened_read(struct opened *opened, const uint32_t regs[KERNELS])
{
    static const char *const names[KERNELS] = {"reduce", "transpose", "scale"};
    struct smc_tui *tui = opened->sitting.tui;
    struct smc_job_result *result = opened->result;
    *result = (struct smc_job_result){.job = {.kind = SMC_JOB_READ}, .kernels = opened->kernels};
    result->job.query = tui->explore.query;
    result->job.open = tui->file.question;
    for (int i = 0; i < KERNELS; i++) {
        struct smc_open_kernel *kernel = &opened->kernels[result->kernel_count];
        if (regs[i] == 0)
            continue;
        make_kernel(&tui->explore.query.device, names[i], regs[i], opened->threads, kernel);
        state_launch(&result->job.open, kernel);
        result->kernel_count++;
    }
    smc_tui_done(tui, result);
}

static void opened_open(struct opened *opened, int rows, int cols)
{
    static const uint32_t first[KERNELS] = {64, 40, 16};
    *opened = (struct opened){.result = calloc(1, sizeof *opened->result), .threads = 256};
    opened->question = (struct smc_open_question){.threads_per_block = SMC_NOT_GIVEN,
                                                  .dynamic_smem_bytes = SMC_NOT_GIVEN,
                                                  .grid_blocks = SMC_NOT_GIVEN};
    snprintf(opened->question.file, sizeof opened->question.file, "dir/my.cu");
    sitting_open(&opened->sitting, "matmul-tiled", "H200", rows, cols);
    smc_tui_open_file(opened->sitting.tui, &opened->question);
    opened_read(opened, first);
}

static void opened_close(struct opened *opened)
{
    sitting_close(&opened->sitting);
    free(opened->result);
}

static bool opened_shows(struct opened *opened, const char *text)
{
    return sitting_shows(&opened->sitting, text);
}

/* --- The list --- */

static void test_lists(void)
{
    struct opened opened;
    opened_open(&opened, 40, 120);
    struct smc_tui *tui = opened.sitting.tui;
    CU_ASSERT_EQUAL(tui->view, SMC_VIEW_TRACE);
    CU_ASSERT_EQUAL(tui->trace.count, KERNELS);
    CU_ASSERT_TRUE(opened_shows(&opened, "3 kernels by occup., rising"));
    CU_ASSERT_STRING_EQUAL(smc_trace_list_open_kernel(&tui->trace)->short_name, "reduce");
    CU_ASSERT_TRUE(opened_shows(&opened, "my.cu on NVIDIA H200"));
    sitting_keys(&opened.sitting, "Down Enter");
    CU_ASSERT_EQUAL(tui->view, SMC_VIEW_EXPLORE);
    CU_ASSERT_TRUE(opened_shows(&opened, "transpose"));
    CU_ASSERT_TRUE(opened_shows(&opened, "launch bounds"));
    CU_ASSERT_TRUE(opened_shows(&opened, "nvcc sm_90"));
    CU_ASSERT_EQUAL(tui->explore.answer.launch.regs_per_thread, 40);
    CU_ASSERT_EQUAL(tui->explore.answer.launch.static_smem_bytes, 4096);
    sitting_keys(&opened.sitting, "F8");
    CU_ASSERT_STRING_EQUAL(smc_trace_list_open_kernel(&tui->trace)->short_name, "transpose");
    opened_close(&opened);
}

static void test_failure(void)
{
    static const uint32_t first[KERNELS] = {64, 40, 16};
    struct opened opened;
    opened_open(&opened, 40, 120);
    struct smc_tui *tui = opened.sitting.tui;
    smc_tui_file_changed(tui);
    struct smc_job_result *result = opened.result;
    result->job.open = tui->file.question;
    result->kernel_count = 0;
    result->status = SMC_USAGE;
    smc_fail(&result->error, SMC_USAGE, "my.cu(3): expected a ';'");
    smc_tui_done(tui, result);
    CU_ASSERT_TRUE(opened_shows(&opened, "expected a ';'"));
    CU_ASSERT_EQUAL(tui->trace.count, KERNELS);
    sitting_keys(&opened.sitting, "Down");
    CU_ASSERT_TRUE(opened_shows(&opened, "as before the error: my.cu(3): expected a ';'"));
    sitting_keys(&opened.sitting, "F2");
    CU_ASSERT_TRUE(opened_shows(&opened, "file not readable"));
    struct smc_job job;
    smc_tui_compile_job(tui, &job); /* not again until it is saved */
    CU_ASSERT_NOT_EQUAL(job.kind, SMC_JOB_READ);
    opened_read(&opened, first);
    CU_ASSERT_FALSE(opened_shows(&opened, "expected a ';'"));
    opened_close(&opened);
}

/* --- Saving --- */

static void test_changes(void)
{
    static const uint32_t second[KERNELS] = {72, 40, 0};
    struct opened opened;
    struct smc_job job;
    opened_open(&opened, 40, 160);
    struct smc_tui *tui = opened.sitting.tui;
    sitting_keys(&opened.sitting, "Enter");
    CU_ASSERT_TRUE(opened_shows(&opened, "reduce"));
    smc_tui_file_changed(tui);
    smc_tui_compile_job(tui, &job);
    CU_ASSERT_EQUAL(job.kind, SMC_JOB_READ);
    opened_read(&opened, second);
    CU_ASSERT_TRUE(
        opened_shows(&opened, "reduce: 64 -> 72 registers, 4 -> 3 blocks per SM; scale is gone"));
    CU_ASSERT_EQUAL(tui->explore.answer.launch.regs_per_thread, 72);
    CU_ASSERT_TRUE(opened_shows(&opened, "was 64"));
    sitting_keys(&opened.sitting, "F8");
    CU_ASSERT_EQUAL(tui->trace.count, 2);
    CU_ASSERT_TRUE(opened_shows(&opened, "64 -> 72 registers, 4 -> 3 blocks"));
    for (int cols = 60; cols <= 240; cols += 4) { /* beside what changed there are names */
        sitting_resize(&opened.sitting, 40, cols);
        CU_ASSERT_TRUE(opened_shows(&opened, "transpose   "));
    }
    smc_tui_file_changed(tui);
    opened_read(&opened, second);
    CU_ASSERT_TRUE(opened_shows(&opened, "no figure of its 2 kernels changed"));
    CU_ASSERT_FALSE(opened_shows(&opened, "64 -> 72"));
    opened_close(&opened);
}

/* The figures of another device are no change of the file. */
static void test_device(void)
{
    static const uint32_t other[KERNELS] = {60, 40, 16};
    struct opened opened;
    struct smc_job job;
    opened_open(&opened, 40, 120);
    struct smc_tui *tui = opened.sitting.tui;
    sitting_keys(&opened.sitting, "Enter Home Right");
    smc_tui_compile_job(tui, &job);
    CU_ASSERT_EQUAL(job.kind, SMC_JOB_READ);
    opened_read(&opened, other);
    CU_ASSERT_EQUAL(tui->explore.answer.launch.regs_per_thread, 60);
    CU_ASSERT_FALSE(opened_shows(&opened, "was 64"));
    smc_tui_compile_job(tui, &job);
    CU_ASSERT_NOT_EQUAL(job.kind, SMC_JOB_READ);
    opened_close(&opened);
}

/* What was saved while the file was being read is read afterwards. */
static void test_saved_meanwhile(void)
{
    static const uint32_t second[KERNELS] = {72, 40, 16};
    struct opened opened;
    struct smc_job job;
    opened_open(&opened, 40, 120);
    struct smc_tui *tui = opened.sitting.tui;
    smc_tui_file_changed(tui);
    smc_tui_compile_job(tui, &job);
    smc_tui_file_changed(tui);
    opened.result->job.open = job.open;
    smc_tui_done(tui, opened.result);
    smc_tui_compile_job(tui, &job);
    CU_ASSERT_EQUAL(job.kind, SMC_JOB_READ);
    opened_read(&opened, second);
    smc_tui_compile_job(tui, &job);
    CU_ASSERT_NOT_EQUAL(job.kind, SMC_JOB_READ);
    opened_close(&opened);
}

/* --- The launch set on F2 --- */

/* A block that the user has not set is that of the file. */
static void test_follows(void)
{
    static const uint32_t first[KERNELS] = {64, 40, 16};
    struct opened opened;
    opened_open(&opened, 40, 120);
    struct smc_tui *tui = opened.sitting.tui;
    sitting_keys(&opened.sitting, "Enter");
    CU_ASSERT_EQUAL(tui->explore.query.threads_per_block, 256);
    smc_tui_file_changed(tui);
    opened.threads = 128;
    opened_read(&opened, first);
    CU_ASSERT_EQUAL(tui->explore.query.threads_per_block, 128);
    CU_ASSERT_EQUAL(tui->explore.answer.launch.threads_per_block, 128);
    sitting_keys(&opened.sitting, "Home Down Down 9 6 Enter");
    smc_tui_file_changed(tui);
    opened.threads = 64;
    opened_read(&opened, first);
    CU_ASSERT_EQUAL(tui->explore.query.threads_per_block, 96);
    opened_close(&opened);
}

static void test_launch(void)
{
    static const uint32_t first[KERNELS] = {64, 40, 16}, second[KERNELS] = {72, 40, 16};
    struct opened opened;
    struct smc_job job;
    opened_open(&opened, 40, 160);
    struct smc_tui *tui = opened.sitting.tui;
    smc_tui_file_changed(tui);
    opened_read(&opened, second);
    CU_ASSERT_TRUE(opened_shows(&opened, "64 -> 72 registers, 4 -> 3 blocks"));
    sitting_keys(&opened.sitting, "Enter F8");
    smc_tui_compile_job(tui, &job);
    CU_ASSERT_NOT_EQUAL(job.kind, SMC_JOB_READ); /* it is as the list has it */
    sitting_keys(&opened.sitting, "F2 Home Down Down 3");
    sitting_type(&opened.sitting, "2x4");
    sitting_keys(&opened.sitting, "Down 2");
    sitting_type(&opened.sitting, "x3");
    sitting_keys(&opened.sitting, "F8");
    smc_tui_compile_job(tui, &job);
    CU_ASSERT_EQUAL(job.kind, SMC_JOB_READ);
    CU_ASSERT_EQUAL_FATAL(job.open.launch_count, 1);
    const struct smc_open_launch *launch = &job.open.launch[0];
    CU_ASSERT_STRING_EQUAL(launch->kernel, "_Zreduce");
    CU_ASSERT(launch->threads_per_block == 128 && launch->block[0] == 32 && launch->block[1] == 4);
    CU_ASSERT(launch->grid_blocks == 6 && launch->grid_y == 3);
    opened_read(&opened, second); /* for the other launch */
    smc_tui_compile_job(tui, &job);
    CU_ASSERT_NOT_EQUAL(job.kind, SMC_JOB_READ);
    CU_ASSERT_TRUE(opened_shows(&opened, "64 -> 72 registers")); /* since the file was saved */
    CU_ASSERT_FALSE(opened_shows(&opened, "blocks per SM;"));
    CU_ASSERT_TRUE(opened_shows(&opened, "grid 2x3"));
    smc_tui_file_changed(tui);
    smc_tui_compile_job(tui, &job);
    CU_ASSERT_EQUAL(job.open.launch_count, 1); /* also after the next save */
    opened_read(&opened, first);
    opened_close(&opened);
}

/* --- Its accesses --- */

static void test_accesses(void)
{
    struct opened opened;
    struct smc_job job;
    opened_open(&opened, 40, 120);
    struct smc_tui *tui = opened.sitting.tui;
    sitting_keys(&opened.sitting, "F3");
    CU_ASSERT_TRUE(opened_shows(&opened, "finding the accesses"));
    smc_tui_compile_job(tui, &job);
    CU_ASSERT_EQUAL(job.kind, SMC_JOB_ACCESSES);
    CU_ASSERT_STRING_EQUAL(job.open.kernel, "_Zreduce");
    struct smc_open_accesses accesses = {.known = true, .threads_per_block = 256, .warps = 8};
    snprintf(accesses.kernel, sizeof accesses.kernel, "_Zreduce");
    struct smc_open_access *access = &accesses.item[accesses.count++];
    *access = (struct smc_open_access){.width_bytes = 4,
                                       .total = {.wavefronts = 16, .least = 8},
                                       .worst = {.mask = UINT32_MAX, .width_bytes = 4}};
    for (uint32_t lane = 0; lane < SMC_WARP_LANES; lane++)
        access->worst.address[lane] = lane * 8;
    snprintf(access->label, sizeof access->label, "12: part[2 * threadIdx.x]");
    snprintf(access->remark, sizeof access->remark, "pad it");
    *opened.result = (struct smc_job_result){.job = job, .accesses = &accesses};
    smc_tui_done(tui, opened.result);
    CU_ASSERT_TRUE(opened_shows(&opened, "12: part[2 * threadIdx.x]"));
    CU_ASSERT_TRUE(opened_shows(&opened, "pad it"));
    CU_ASSERT_TRUE(opened_shows(&opened, "2 wavefronts, 1 conflict"));
    smc_tui_compile_job(tui, &job);
    CU_ASSERT_NOT_EQUAL(job.kind, SMC_JOB_ACCESSES);
    sitting_keys(&opened.sitting, "Right x Left < > u"); /* change nothing */
    CU_ASSERT_TRUE(opened_shows(&opened, "2 wavefronts, 1 conflict"));
    static const uint32_t again[KERNELS] = {64, 40, 16};
    smc_tui_file_changed(tui);
    opened_read(&opened, again);
    CU_ASSERT_TRUE(opened_shows(&opened, "2 wavefronts, 1 conflict")); /* until it is known */
    smc_tui_compile_job(tui, &job);
    CU_ASSERT_EQUAL(job.kind, SMC_JOB_ACCESSES);
    access->total.wavefronts = 8;
    *opened.result = (struct smc_job_result){.job = job, .accesses = &accesses};
    smc_tui_done(tui, opened.result);
    CU_ASSERT_TRUE(opened_shows(&opened, "reduce: 8 -> 0 bank conflicts"));
    tui->explore.query.block[0] = 32;
    smc_tui_compile_job(tui, &job);
    CU_ASSERT_EQUAL(job.kind, SMC_JOB_ACCESSES); /* of another shape */
    opened_close(&opened);
}

/* They may be copied from a command line. */
static void test_arguments(void)
{
    struct opened opened;
    opened_open(&opened, 24, 80);
    struct smc_tui *tui = opened.sitting.tui;
    sitting_keys(&opened.sitting, "Enter a");
    CU_ASSERT_TRUE(opened_shows(&opened, "for (float*), such as"));
    sitting_type(&opened.sitting, "-a f32x4:random  -a {2*u8:0 -a} -3");
    CU_ASSERT_STRING_EQUAL(tui->file.question.arguments, "f32x4:random\n{2*u8:0 -a}\n-3");
    opened_close(&opened);
}

/* --- Pasting and clicking --- */

static void test_paste(void)
{
    struct sitting sitting;
    sitting_open(&sitting, "matmul-tiled", "H200", 24, 80);
    smc_tui_paste(sitting.tui, "qe\nr");
    CU_ASSERT_EQUAL(sitting.tui->effect, SMC_EFFECT_NONE);
    CU_ASSERT_TRUE(sitting_shows(&sitting, "pasted text runs no commands"));
    sitting_keys(&sitting, "Enter");
    smc_tui_paste(sitting.tui, "24\n");
    CU_ASSERT_STRING_EQUAL(sitting.tui->prompt.typed, "24");
    sitting_keys(&sitting, "Enter");
    CU_ASSERT_EQUAL(sitting.tui->explore.query.params.value[SMC_PARAM_TILE], 24);
    sitting_keys(&sitting, ":");
    smc_tui_paste(sitting.tui, "lesson\nbanks");
    CU_ASSERT_STRING_EQUAL(sitting.tui->pick.typed, "lesson banks");
    sitting_close(&sitting);
}

/* The column of a text in the bottom bar. */
static int column_in_bar(struct sitting *sitting, const char *text)
{
    const char *screen = sitting_screen(sitting), *last = NULL;
    for (const char *at = strstr(screen, text); at; at = strstr(at + 1, text))
        last = at;
    if (!last)
        return -1;
    const char *line = last;
    while (line > screen && line[-1] != '\n')
        line--;
    return (int)(last - line); /* the bar is ASCII */
}

static void test_bar(void)
{
    struct sitting sitting;
    sitting_open(&sitting, "matmul-tiled", "H200", 40, 160);
    int col = column_in_bar(&sitting, "F4 devices");
    CU_ASSERT_TRUE(col > 0);
    smc_tui_click(sitting.tui, 39, col, 0);
    CU_ASSERT_EQUAL(sitting.tui->view, SMC_VIEW_DEVICES);
    smc_tui_click(sitting.tui, 39, column_in_bar(&sitting, "q quit"), 0);
    CU_ASSERT_EQUAL(sitting.tui->effect, SMC_EFFECT_QUIT);
    sitting_resize(&sitting, 24, 80); /* the views are one entry, which leads to the next */
    smc_tui_click(sitting.tui, 23, column_in_bar(&sitting, "F2-F8 views"), 0);
    CU_ASSERT_EQUAL(sitting.tui->view, SMC_VIEW_CONFIRM);
    sitting_close(&sitting);
}

static void test_copy(void)
{
    struct sitting sitting;
    sitting_open(&sitting, "matmul-tiled", "H200", 40, 160);
    sitting.tui->explore.query.device_assumed = true;
    sitting_keys(&sitting, "y");
    CU_ASSERT_EQUAL(sitting.tui->effect, SMC_EFFECT_COPY);
    CU_ASSERT_PTR_NOT_NULL(
        strstr(smc_text_string(&sitting.tui->copied), "--device \"NVIDIA H200\""));
    CU_ASSERT_TRUE(sitting_shows(&sitting, "on the clipboard"));
    sitting_keys(&sitting, "Esc m");
    CU_ASSERT_EQUAL(sitting.tui->effect, SMC_EFFECT_MOUSE);
    CU_ASSERT_TRUE(sitting.tui->mouse_is_free);
    sitting_close(&sitting);
}

/* The command of a file's kernel asks the file. */
static void test_copy_of_file(void)
{
    struct opened opened;
    opened_open(&opened, 40, 160);
    sitting_keys(&opened.sitting, "Enter y");
    CU_ASSERT_PTR_NOT_NULL(strstr(smc_text_string(&opened.sitting.tui->copied),
                                  " \"dir/my.cu\" --kernel \"reduce\" --threads 256 --device "));
    opened_close(&opened);
}

/* --- Finding --- */

static void test_filter(void)
{
    struct opened opened;
    opened_open(&opened, 24, 80);
    struct smc_tui *tui = opened.sitting.tui;
    sitting_keys(&opened.sitting, "/ s c");
    CU_ASSERT_EQUAL(tui->trace.count, 1);
    CU_ASSERT_TRUE(opened_shows(&opened, "1 of 3 kernels with 'sc'"));
    sitting_keys(&opened.sitting, "Enter");
    CU_ASSERT_EQUAL(tui->trace.count, 1);
    sitting_keys(&opened.sitting, "Esc");
    CU_ASSERT_EQUAL(tui->trace.count, KERNELS);
    sitting_keys(&opened.sitting, "/ Up");
    CU_ASSERT_STRING_EQUAL(tui->prompt.typed, "sc");
    sitting_keys(&opened.sitting, "Esc");
    CU_ASSERT_EQUAL(tui->trace.count, KERNELS);
    sitting_keys(&opened.sitting, "/ e Enter Esc n");
    const char *after = smc_trace_list_open_kernel(&tui->trace)->short_name;
    sitting_keys(&opened.sitting, "n N");
    CU_ASSERT_STRING_EQUAL(smc_trace_list_open_kernel(&tui->trace)->short_name, after);
    opened_close(&opened);
}

static void test_palette(void)
{
    struct sitting sitting;
    sitting_open(&sitting, "matmul-tiled", "H200", 40, 120);
    sitting_keys(&sitting, ":");
    sitting_type(&sitting, "device tesla t4");
    CU_ASSERT_STRING_EQUAL(sitting.tui->explore.query.device.name, "Tesla T4");
    sitting_keys(&sitting, "Ctrl-P");
    sitting_type(&sitting, "lesson banks");
    CU_ASSERT_EQUAL(sitting.tui->view, SMC_VIEW_LESSONS);
    sitting_keys(&sitting, ":");
    sitting_type(&sitting, "the same launch on every");
    CU_ASSERT_EQUAL(sitting.tui->view, SMC_VIEW_DEVICES);
    sitting_keys(&sitting, ":");
    sitting_type(&sitting, "open some where/x.cu");
    CU_ASSERT_STRING_EQUAL(sitting.tui->file.question.file, "some where/x.cu");
    CU_ASSERT_TRUE(sitting_shows(&sitting, "reading some where/x.cu"));
    sitting_keys(&sitting, ":");
    sitting_type(&sitting, "nonsense");
    CU_ASSERT_TRUE(sitting_shows(&sitting, "'nonsense' is neither"));
    sitting_keys(&sitting, "Esc F3 :");
    sitting_type(&sitting, "kernel stencil-static");
    CU_ASSERT_EQUAL(sitting.tui->view, SMC_VIEW_EXPLORE);
    CU_ASSERT_STRING_EQUAL(sitting.tui->explore.query.kernel->name, "stencil-static");
    sitting_keys(&sitting, ":");
    sitting_type(&sitting, "device nonsense");
    CU_ASSERT_TRUE(sitting_shows(&sitting, "unknown device 'nonsense'"));
    sitting_keys(&sitting, "Esc :");
    sitting_type(&sitting, "open ");
    sitting_type(&sitting, "other.cu");
    CU_ASSERT_STRING_EQUAL(sitting.tui->file.question.file, "other.cu");
    sitting_close(&sitting);
}

static void test_help_search(void)
{
    struct sitting sitting;
    sitting_open(&sitting, "matmul-tiled", "H200", 20, 80);
    sitting_keys(&sitting, "?");
    CU_ASSERT_FALSE(sitting_shows(&sitting, "leave smemcalc"));
    sitting_keys(&sitting, "/");
    sitting_type(&sitting, "LEAVE smem");
    CU_ASSERT_TRUE(sitting_shows(&sitting, "leave smemcalc"));
    sitting_close(&sitting);
}

/* --- The screen as a file --- */

static void test_snapshot(void)
{
    struct sitting sitting;
    struct smc_text svg = {0}, light = {0}, plain = {0}, json = {0}, none = {0};
    sitting_open(&sitting, "matmul-tiled", "H200", 24, 80);
    sitting_screen(&sitting);
    CU_ASSERT_TRUE(smc_frame_write_as(&sitting.frame, SMC_THEME_AUTO, "a.svg", &svg));
    CU_ASSERT_PTR_NOT_NULL(strstr(smc_text_string(&svg), "<svg "));
    CU_ASSERT_PTR_NOT_NULL(strstr(smc_text_string(&svg), "&lt;"));
    CU_ASSERT_PTR_NOT_NULL(strstr(smc_text_string(&svg), "height=\"100%\" fill=\"#1c1c1c\""));
    CU_ASSERT_TRUE(smc_frame_write_as(&sitting.frame, SMC_THEME_LIGHT, "a.svg", &light));
    CU_ASSERT_PTR_NOT_NULL(strstr(smc_text_string(&light), "height=\"100%\" fill=\"#ffffff\""));
    CU_ASSERT_PTR_NULL(strstr(smc_text_string(&light), "#e4e4e4"));
    CU_ASSERT_TRUE(smc_frame_write_as(&sitting.frame, SMC_THEME_NONE, "a.svg", &plain));
    for (const char *at = smc_text_string(&plain); (at = strstr(at, "fill=\"#")); at += 8)
        CU_ASSERT(strncmp(at + 7, "ffffff", 6) == 0 || strncmp(at + 7, "1c1c1c", 6) == 0);
    CU_ASSERT_TRUE(smc_frame_write_as(&sitting.frame, SMC_THEME_AUTO, "a.json", &json));
    CU_ASSERT_PTR_NOT_NULL(strstr(smc_text_string(&json), "\"columns\": 80, \"rows\": 24"));
    CU_ASSERT_FALSE(smc_frame_write_as(&sitting.frame, SMC_THEME_AUTO, "a.png", &none));
    sitting_keys(&sitting, "s");
    sitting_type(&sitting, "a.txt");
    CU_ASSERT_EQUAL(sitting.tui->effect, SMC_EFFECT_SAVE);
    CU_ASSERT_PTR_NOT_NULL(strstr(smc_text_string(&sitting.tui->saving.text), "one SM"));
    smc_text_free(&svg);
    smc_text_free(&light);
    smc_text_free(&plain);
    smc_text_free(&json);
    sitting_close(&sitting);
}

/* --- Leaving --- */

static void test_leaving(void)
{
    struct sitting sitting;
    sitting_open(&sitting, "matmul-tiled", "H200", 24, 80);
    smc_tui_edited(sitting.tui, "/tmp/smemcalc-edit");
    sitting_keys(&sitting, "q");
    CU_ASSERT_EQUAL(sitting.tui->effect, SMC_EFFECT_NONE);
    CU_ASSERT_TRUE(sitting_shows(&sitting, "/tmp/smemcalc-edit"));
    sitting_keys(&sitting, "Esc");
    CU_ASSERT_EQUAL(sitting.tui->effect, SMC_EFFECT_NONE);
    sitting_keys(&sitting, "q Enter");
    CU_ASSERT_EQUAL(sitting.tui->effect, SMC_EFFECT_QUIT);
    sitting_close(&sitting);
}

CU_TestInfo tests_tui_open[] = {
    {"the kernels of a file", test_lists},
    {"a file that cannot be read", test_failure},
    {"what a change of the file did", test_changes},
    {"another device", test_device},
    {"saved while it is read", test_saved_meanwhile},
    {"a block set by the file", test_follows},
    {"a launch set on the first screen", test_launch},
    {"accesses to shared memory", test_accesses},
    {"arguments of a launch", test_arguments},
    {"pasted text", test_paste},
    {"clicks on the bar of keys", test_bar},
    {"copying, and the mouse", test_copy},
    {"copying the command of a file's kernel", test_copy_of_file},
    {"filtering", test_filter},
    {"the palette", test_palette},
    {"searching the help", test_help_search},
    {"a screen as a file", test_snapshot},
    {"leaving with an edited copy", test_leaving},
    CU_TEST_INFO_NULL,
};
