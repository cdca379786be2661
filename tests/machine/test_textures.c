/* textures: reads of texture objects and accesses to surface objects. Expected values follow from
   the definitions in CUDA's documentation of texture fetching; they are computed here anew. */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/emulator.h"
#include "unit.h"

enum { LANES = 32, WIDTH = 5, HEIGHT = 4, DEPTH = 3, TEXELS = WIDTH * HEIGHT * DEPTH };

struct trial {
    float texel[4 * TEXELS];
    float at[4][LANES]; /* coordinates; integers have their bits */
    uint32_t out[4][LANES];
    struct smc_emulated_texture texture;
    uint64_t handle; /* 0: the texture's */
    struct smc_emulation emulation;
    struct smc_program *program;
    enum smc_status status;
    struct smc_error error;
};

/* Each lane has its coordinates in %f1 to %f4 (and %r1 to %r4), and stores %r5 to %r8. */
static void run(const char *instruction, struct trial *trial)
{
    char text[4096];
    struct smc_emulated_array arrays[] = {
        {.name = "texels", .data = trial->texel, .bytes = sizeof trial->texel},
        {.name = "at", .data = trial->at, .bytes = sizeof trial->at},
        {.name = "out", .data = trial->out, .bytes = sizeof trial->out}};
    uint64_t handle = trial->handle ? trial->handle : smc_emulated_texture_handle(0);
    const struct smc_emulated_argument arguments[] = {
        {.value = &handle}, {.is_array = true, .array = 1}, {.is_array = true, .array = 2}};
    struct smc_emulation_request request = {.grid = {1, 1, 1},
                                            .block = {LANES, 1, 1},
                                            .arrays = arrays,
                                            .array_count = 3,
                                            .textures = &trial->texture,
                                            .texture_count = 1,
                                            .arguments = arguments,
                                            .argument_count = 3,
                                            .banks = {32, 32, 1, false, true},
                                            .threads = 1};
    int used =
        snprintf(text, sizeof text,
                 ".version 8.0\n.target sm_80\n.address_size 64\n"
                 ".visible .entry k(.param .u64 t, .param .u64 a, .param .u64 o)\n{\n"
                 ".reg .b32 %%r<16>; .reg .f32 %%f<16>; .reg .b64 %%rd<16>; .reg .b16 %%h<4>;\n"
                 "ld.param.u64 %%rd1, [t]; ld.param.u64 %%rd2, [a]; ld.param.u64 %%rd3, [o];\n"
                 "mov.u32 %%r0, %%tid.x; mul.wide.u32 %%rd4, %%r0, 4;\n"
                 "add.u64 %%rd2, %%rd2, %%rd4; add.u64 %%rd3, %%rd3, %%rd4;\n");
    for (int i = 0; i < 4; i++)
        used += snprintf(text + used, sizeof text - (size_t)used,
                         "ld.global.f32 %%f%d, [%%rd2+%d]; mov.b32 %%r%d, %%f%d;\n"
                         "mov.b32 %%r%d, 0;\n",
                         i + 1, i * LANES * 4, i + 1, i + 1, i + 5);
    used += snprintf(text + used, sizeof text - (size_t)used, "%s\n", instruction);
    for (int i = 0; i < 4; i++)
        used += snprintf(text + used, sizeof text - (size_t)used,
                         "st.global.b32 [%%rd3+%d], %%r%d;\n", i * LANES * 4, i + 5);
    used += snprintf(text + used, sizeof text - (size_t)used, "ret;\n}\n");
    trial->error.message[0] = '\0';
    trial->status = smc_program_read(text, strlen(text), NULL, &trial->program, &trial->error);
    request.program = trial->program;
    if (trial->status == SMC_OK)
        trial->status = smc_emulate(&request, &trial->emulation, &trial->error);
    CU_ASSERT_STRING_EQUAL(trial->error.message, "");
}

static void end(struct trial *trial)
{
    smc_emulation_free(&trial->emulation);
    smc_program_free(trial->program);
    free(trial);
}

static struct trial *begin(struct smc_emulated_texture texture)
{
    struct trial *trial = calloc(1, sizeof *trial);
    CU_ASSERT_PTR_NOT_NULL_FATAL(trial);
    trial->texture = texture;
    for (int i = 0; i < 4 * TEXELS; i++)
        trial->texel[i] = (float)(i * i % 97) - 11.5F;
    return trial;
}

static struct smc_emulated_texture floats(uint32_t width, uint32_t height, uint32_t depth)
{
    return (struct smc_emulated_texture){.extent = {width, height, depth},
                                         .channels = 1,
                                         .channel_bytes = 4,
                                         .kind = SMC_TEXEL_FLOAT};
}

static float as_float(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* From below the first texel to above the last one, and not at borders between texels. */
static float spread(int lane)
{
    return (float)lane * 0.37F - 2.6F;
}

static int clamped(int index, int count)
{
    return index < 0 ? 0 : index >= count ? count - 1 : index;
}

static void test_nearest(void)
{
    struct trial *trial = begin(floats(WIDTH, HEIGHT, 1));
    for (int i = 0; i < LANES; i++) {
        trial->at[0][i] = spread(i);
        trial->at[1][i] = spread(31 - i);
    }
    run("tex.2d.v4.f32.f32 {%r5, %r6, %r7, %r8}, [%rd1, {%f1, %f2}];", trial);
    for (int i = 0; i < LANES; i++) {
        int x = clamped((int)floorf(trial->at[0][i]), WIDTH);
        int y = clamped((int)floorf(trial->at[1][i]), HEIGHT);
        CU_ASSERT_EQUAL(as_float(trial->out[0][i]), trial->texel[y * WIDTH + x]);
        CU_ASSERT_EQUAL(trial->out[1][i], 0);
    }
    CU_ASSERT_EQUAL(trial->emulation.findings_total, 0);
    end(trial);
}

/* The texel that each address mode means, one by one beyond both ends. */
static void test_address_modes(void)
{
    static const int of_mode[][15] = {
        [SMC_ADDRESS_CLAMP] = {0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 4, 4, 4, 4, 4},
        [SMC_ADDRESS_WRAP] = {0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4},
        [SMC_ADDRESS_MIRROR] = {4, 3, 2, 1, 0, 0, 1, 2, 3, 4, 4, 3, 2, 1, 0},
        [SMC_ADDRESS_BORDER] = {-1, -1, -1, -1, -1, 0, 1, 2, 3, 4, -1, -1, -1, -1, -1},
    };
    for (int mode = 0; mode < 4; mode++)
        for (int linear = 0; linear < 2; linear++) {
            struct smc_emulated_texture texture = floats(WIDTH, 1, 1);
            texture.address = (enum smc_address_mode)mode;
            texture.normalized = true;
            texture.linear = linear;
            struct trial *trial = begin(texture);
            for (int i = 0; i < 15; i++) /* the middle of a texel */
                trial->at[0][i] = ((float)(i - WIDTH) + 0.5F) / WIDTH;
            run("tex.1d.v4.f32.f32 {%r5, %r6, %r7, %r8}, [%rd1, {%f1}];", trial);
            for (int i = 0; i < 15; i++) {
                float expected = of_mode[mode][i] < 0 ? 0 : trial->texel[of_mode[mode][i]];
                CU_ASSERT_EQUAL(as_float(trial->out[0][i]), expected);
            }
            end(trial);
        }
}

/* Without normalized coordinates wrap and mirror are clamp. */
static void test_wrap_needs_normalized(void)
{
    struct smc_emulated_texture texture = floats(WIDTH, 1, 1);
    texture.address = SMC_ADDRESS_WRAP;
    struct trial *trial = begin(texture);
    trial->at[0][0] = WIDTH + 1.5F;
    trial->at[0][1] = NAN;
    trial->at[0][2] = INFINITY;
    trial->at[0][3] = -1e30F;
    run("tex.1d.v4.f32.f32 {%r5, _, _, _}, [%rd1, {%f1}];", trial);
    CU_ASSERT_EQUAL(as_float(trial->out[0][0]), trial->texel[WIDTH - 1]);
    CU_ASSERT_EQUAL(as_float(trial->out[0][1]), trial->texel[0]);
    CU_ASSERT_EQUAL(as_float(trial->out[0][2]), trial->texel[WIDTH - 1]);
    CU_ASSERT_EQUAL(as_float(trial->out[0][3]), trial->texel[0]);
    end(trial);
}

/* Weights of 8 bits: of the exact sum of two texels at most 1/512 of their difference is lost. */
static void test_linear(void)
{
    struct smc_emulated_texture texture = floats(WIDTH, HEIGHT, DEPTH);
    texture.linear = true;
    struct trial *trial = begin(texture);
    for (int i = 0; i < LANES; i++) {
        trial->at[0][i] = spread(i);
        trial->at[1][i] = (float)(i % 7) * 0.61F;
        trial->at[2][i] = (float)(i % 5) * 0.57F + 0.1F;
    }
    run("tex.level.3d.v4.f32.f32 {%r5, %r6, %r7, %r8}, [%rd1, {%f1, %f2, %f3, %f3}], %f4;", trial);
    for (int i = 0; i < LANES; i++) {
        const int extent[] = {WIDTH, HEIGHT, DEPTH};
        double sum = 0;
        for (int corner = 0; corner < 8; corner++) {
            double weight = 1;
            int index[3];
            for (int d = 0; d < 3; d++) {
                double place = (double)trial->at[d][i] - 0.5, part = place - floor(place);
                part = round(part * 256) / 256;
                weight *= corner >> d & 1 ? part : 1 - part;
                index[d] = clamped((int)floor(place) + (corner >> d & 1), extent[d]);
            }
            sum += weight * (double)trial->texel[(index[2] * HEIGHT + index[1]) * WIDTH + index[0]];
        }
        CU_ASSERT_DOUBLE_EQUAL((double)as_float(trial->out[0][i]), sum, 1e-4);
    }
    end(trial);
}

/* Two texels, halfway and a quarter of the way. */
static void test_linear_weights(void)
{
    struct smc_emulated_texture texture = floats(2, 1, 1);
    texture.linear = true;
    struct trial *trial = begin(texture);
    trial->texel[0] = 1;
    trial->texel[1] = 257;
    for (int i = 0; i < LANES; i++)
        trial->at[0][i] = 0.5F + (float)i / 256 + 0.001F; /* below half of a weight */
    run("tex.1d.v4.f32.f32 {%r5, %r6, %r7, %r8}, [%rd1, {%f1}];", trial);
    for (int i = 0; i < LANES; i++)
        CU_ASSERT_EQUAL(as_float(trial->out[0][i]), (float)(1 + i));
    end(trial);
}

static void test_integers(void)
{
    static const struct {
        enum smc_texel_kind kind;
        bool as_float;
        float expected[4];
    } kinds[] = {
        {SMC_TEXEL_UNSIGNED, false, {0, 127, 128, 255}},
        {SMC_TEXEL_SIGNED, false, {0, 127, -128, -1}},
        {SMC_TEXEL_UNSIGNED, true, {0, 127.0F / 255, 128.0F / 255, 1}},
        {SMC_TEXEL_SIGNED, true, {0, 1, -1, -1.0F / 127}},
    };
    static const unsigned char texels[] = {0, 127, 128, 255};
    for (int k = 0; k < 4; k++) {
        struct trial *trial = begin((struct smc_emulated_texture){.extent = {1, 1, 1},
                                                                  .channels = 4,
                                                                  .channel_bytes = 1,
                                                                  .kind = kinds[k].kind,
                                                                  .as_float = kinds[k].as_float});
        memcpy(trial->texel, texels, sizeof texels);
        run("tex.1d.v4.s32.s32 {%r5, %r6, %r7, %r8}, [%rd1, {%r1}];", trial);
        for (int n = 0; n < 4; n++) {
            float value =
                kinds[k].as_float ? as_float(trial->out[n][0]) : (float)(int32_t)trial->out[n][0];
            CU_ASSERT_EQUAL(value, kinds[k].expected[n]);
        }
        end(trial);
    }
}

static void test_halves(void)
{
    static const uint16_t halves[] = {0x3c00, 0xc100};
    struct trial *trial = begin((struct smc_emulated_texture){
        .extent = {1, 1, 1}, .channels = 2, .channel_bytes = 2, .kind = SMC_TEXEL_FLOAT});
    memcpy(trial->texel, halves, sizeof halves);
    run("tex.1d.v4.f32.s32 {%r5, %r6, %r7, %r8}, [%rd1, {%r1}];", trial);
    CU_ASSERT_EQUAL(as_float(trial->out[0][0]), 1);
    CU_ASSERT_EQUAL(as_float(trial->out[1][0]), -2.5F);
    CU_ASSERT_EQUAL(trial->out[2][0], 0);
    end(trial);
}

/* tex1Dfetch: 0 outside. */
static void test_fetch(void)
{
    struct trial *trial = begin(floats(16, 1, 1));
    for (int i = 0; i < LANES; i++) {
        int32_t index = i - 8;
        memcpy(&trial->at[0][i], &index, sizeof index);
    }
    run("tex.1d.v4.f32.s32 {%r5, %r6, %r7, %r8}, [%rd1, {%r1}];", trial);
    for (int i = 0; i < LANES; i++)
        CU_ASSERT_EQUAL(as_float(trial->out[0][i]), i < 8 || i >= 24 ? 0 : trial->texel[i - 8]);
    end(trial);
}

static void test_layers(void)
{
    struct trial *trial = begin(floats(WIDTH, HEIGHT, DEPTH));
    for (int i = 0; i < LANES; i++) {
        uint32_t layer = (uint32_t)i % 4; /* the last one is too high */
        memcpy(&trial->at[3][i], &layer, sizeof layer);
        trial->at[0][i] = (float)(i % WIDTH) + 0.5F;
        trial->at[1][i] = (float)(i % HEIGHT) + 0.5F;
    }
    run("tex.a2d.v4.f32.f32 {%r5, %r6, %r7, %r8}, [%rd1, {%r4, %f1, %f2, %f2}];", trial);
    for (int i = 0; i < LANES; i++) {
        int layer = i % 4 < DEPTH ? i % 4 : DEPTH - 1;
        CU_ASSERT_EQUAL(as_float(trial->out[0][i]),
                        trial->texel[(layer * HEIGHT + i % HEIGHT) * WIDTH + i % WIDTH]);
    }
    end(trial);
}

/* Counterclockwise from the lower left, of the second channel. */
static void test_gather(void)
{
    struct smc_emulated_texture texture = floats(WIDTH, HEIGHT, 1);
    texture.channels = 2;
    struct trial *trial = begin(texture);
    for (int i = 0; i < LANES; i++) {
        trial->at[0][i] = (float)(i % 4) + 1.1F;
        trial->at[1][i] = (float)(i / 4 % 3) + 1.2F;
    }
    run("tld4.g.2d.v4.f32.f32 {%r5, %r6, %r7, %r8}, [%rd1, {%f1, %f2}];", trial);
    for (int i = 0; i < LANES; i++) {
        static const int right[] = {0, 1, 1, 0}, below[] = {1, 1, 0, 0};
        for (int n = 0; n < 4; n++) {
            int x = clamped(i % 4 + right[n], WIDTH), y = clamped(i / 4 % 3 + below[n], HEIGHT);
            CU_ASSERT_EQUAL(as_float(trial->out[n][i]), trial->texel[2 * (y * WIDTH + x) + 1]);
        }
    }
    end(trial);
}

static void test_queries(void)
{
    struct trial *trial = begin(floats(WIDTH, HEIGHT, DEPTH));
    run("txq.width.b32 %r5, [%rd1]; txq.height.b32 %r6, [%rd1]; suq.depth.b32 %r7, [%rd1];", trial);
    CU_ASSERT_EQUAL(trial->out[0][31], WIDTH);
    CU_ASSERT_EQUAL(trial->out[1][0], HEIGHT);
    CU_ASSERT_EQUAL(trial->out[2][7], DEPTH);
    end(trial);
}

static void put_indices(struct trial *trial, const int32_t index[2], int lane)
{
    memcpy(&trial->at[0][lane], &index[0], sizeof *index);
    memcpy(&trial->at[1][lane], &index[1], sizeof *index);
}

/* Each lane stores two words in the second and third texel of a row; rows below are skipped. */
static void test_surface_store(void)
{
    struct trial *trial = begin(floats(4, HEIGHT, 1));
    float before[4 * TEXELS];
    memcpy(before, trial->texel, sizeof before);
    for (int i = 0; i < LANES; i++)
        put_indices(trial, (int32_t[]){8, i}, i);
    run("sust.b.2d.v2.b32.zero [%rd1, {%r1, %r2}], {%r2, %r0};"
        "suld.b.2d.v2.b32.zero {%r5, %r6}, [%rd1, {%r1, %r2}];",
        trial);
    for (int i = 0; i < LANES; i++) {
        CU_ASSERT_EQUAL((int)trial->out[0][i], i < HEIGHT ? i : 0);
        CU_ASSERT_EQUAL((int)trial->out[1][i], i < HEIGHT ? i : 0);
    }
    for (int y = 0; y < HEIGHT; y++) {
        uint32_t bits;
        memcpy(&bits, &trial->texel[4 * y + 3], sizeof bits);
        CU_ASSERT_EQUAL((int)bits, y);
        CU_ASSERT_EQUAL(trial->texel[4 * y], before[4 * y]);
        CU_ASSERT_EQUAL(trial->texel[4 * y + 1], before[4 * y + 1]);
    }
    CU_ASSERT_EQUAL(memcmp(trial->texel + 16, before + 16, sizeof before - 16 * sizeof *before), 0);
    CU_ASSERT_EQUAL(trial->emulation.findings_total, 0);
    end(trial);
}

static void test_surface_clamp(void)
{
    struct trial *trial = begin(floats(4, HEIGHT, 1));
    for (int i = 0; i < LANES; i++)
        put_indices(trial, (int32_t[]){4 * (i - 8), i - 10}, i);
    run("suld.b.2d.b32.clamp %r5, [%rd1, {%r1, %r2}];", trial);
    for (int i = 0; i < LANES; i++)
        CU_ASSERT_EQUAL(as_float(trial->out[0][i]),
                        trial->texel[4 * clamped(i - 10, HEIGHT) + clamped(i - 8, 4)]);
    end(trial);
}

static void expect_finding(const char *instruction, struct smc_emulated_texture texture,
                           uint64_t handle, const int32_t index[2], enum smc_finding_kind kind,
                           const char *words)
{
    struct trial *trial = begin(texture);
    char text[512];
    trial->handle = handle;
    for (int i = 0; i < LANES; i++)
        put_indices(trial, i == 3 ? index : (const int32_t[]){0, 0}, i);
    put_indices(trial, (const int32_t[]){index[0] * 2, index[1] * 2}, 4); /* the same place */
    run(instruction, trial);
    CU_ASSERT_EQUAL_FATAL(trial->emulation.finding_count, 1);
    CU_ASSERT_EQUAL(trial->emulation.finding[0].kind, kind);
    smc_finding_describe(trial->program, &trial->emulation.finding[0], NULL, text, sizeof text);
    CU_ASSERT_PTR_NOT_NULL(strstr(text, words));
    if (!strstr(text, words))
        printf("%s\n", text);
    end(trial);
}

static void test_findings(void)
{
    static const char load[] = "suld.b.2d.b32.trap %r5, [%rd1, {%r1, %r2}];";
    expect_finding(load, floats(4, 4, 1), 0, (int32_t[]){12, 4}, SMC_FINDING_OUT_OF_BOUNDS,
                   "thread (3,0,0); byte 12, y 4, z or layer 0 of the surface texels, whose rows "
                   "have 16 bytes");
    expect_finding(load, floats(4, 4, 1), 0, (int32_t[]){16, 0}, SMC_FINDING_OUT_OF_BOUNDS,
                   "byte 16, y 0");
    expect_finding(load, floats(4, 4, 1), 0, (int32_t[]){2, 0}, SMC_FINDING_MISALIGNED, "byte 2");
    expect_finding(load, floats(4, 4, 1), 77, (int32_t[]){0, 0}, SMC_FINDING_BAD_TEXTURE,
                   "value 0x4d; 32 times");
    expect_finding("tex.1d.v4.f32.s32 {%r5, %r6, %r7, %r8}, [%rd1, {%r1}];", floats(4, 4, 1), 0,
                   (int32_t[]){0, 0}, SMC_FINDING_BAD_TEXTURE, "texels is 4 x 4 x 1");
}

static void test_refusals(void)
{
    static const char *const lines[][2] = {
        {"tex.cube.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f1, %f2, %f3, %f4}]",
         "textures of this shape"},
        {"tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [image, {%f1, %f2}]",
         "texture and surface references, which CUDA 12 removed"},
        {"tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, %rd1, {%f1, %f2}]", "separate samplers"},
        {"tex.2d.v2.f16x2.f32 {%f1, %f2}, [%rd1, {%f1, %f2}]", "texels of this type"},
        {"tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f1}]",
         "another number of registers was expected"},
        {"sust.p.1d.v4.b32.trap [%rd1, {%r1}], {%r1, %r2, %r3, %r4}", "with a conversion"},
        {"txq.normalized_coords.b32 %r1, [%rd1]", "other properties than width, height and depth"},
        {"suld.b.1d.b64.trap %r1, [%rd1, {%r1}]", "a register of another width"},
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char text[1024], expected[512];
        struct smc_program *program = NULL;
        struct smc_error error = {""};
        snprintf(text, sizeof text,
                 ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n"
                 ".reg .b32 %%r<16>; .reg .f32 %%f<16>; .reg .b64 %%rd<16>;\n%s;\nret;\n}\n",
                 lines[i][0]);
        snprintf(expected, sizeof expected, "PTX line 7: '%s' is not supported: %s", lines[i][0],
                 lines[i][1]);
        CU_ASSERT_EQUAL(smc_program_read(text, strlen(text), NULL, &program, &error), SMC_USAGE);
        CU_ASSERT_STRING_EQUAL(error.message, expected);
        smc_program_free(program);
    }
}

CU_TestInfo tests_textures[] = {
    {"nearest", test_nearest},
    {"address modes", test_address_modes},
    {"wrap needs normalized coordinates", test_wrap_needs_normalized},
    {"linear", test_linear},
    {"linear weights", test_linear_weights},
    {"integers", test_integers},
    {"halves", test_halves},
    {"fetch", test_fetch},
    {"layers", test_layers},
    {"gather", test_gather},
    {"queries", test_queries},
    {"surface store", test_surface_store},
    {"surface clamp", test_surface_clamp},
    {"findings", test_findings},
    {"refusals", test_refusals},
    CU_TEST_INFO_NULL,
};
