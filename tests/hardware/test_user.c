/* own: arguments as they are typed, the memory that they describe, which kernel is chosen and
   whether the arguments fit it. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "code/ptx_facts.h"
#include "hardware/executor/user_argument.h"
#include "hardware/user.h"
#include "rules/catalog.h"
#include "temporary.h"
#include "unit.h"

/* --- Numbers ---------------------------------------------------------------------------------- */

static void test_numbers(void)
{
    static const struct {
        const char *typed;
        enum smc_user_type type;
        const char *shown;
    } cases[] = {
        {"i32:5", SMC_USER_I32, "5"},
        {"i32:-5", SMC_USER_I32, "-5"},
        {"i32:-2147483648", SMC_USER_I32, "-2147483648"},
        {"i32:0xffffffff", SMC_USER_I32, "-1"},
        {"u32:16M", SMC_USER_U32, "16777216"},
        {"u32:4294967295", SMC_USER_U32, "4294967295"},
        {"i8:-128", SMC_USER_I8, "-128"},
        {"u8:255", SMC_USER_U8, "255"},
        {"i16:-1", SMC_USER_I16, "-1"},
        {"u16:0x3C00", SMC_USER_U16, "15360"},
        {"i64:-9223372036854775808", SMC_USER_I64, "-9223372036854775808"},
        {"i64:9223372036854775807", SMC_USER_I64, "9223372036854775807"},
        {"u64:18446744073709551615", SMC_USER_U64, "18446744073709551615"},
        {"f32:1.5", SMC_USER_F32, "1.5"},
        {"f32:-0x1p-3", SMC_USER_F32, "-0.125"},
        {"f32:0.1", SMC_USER_F32, "0.100000001"},
        {"f64:-1e300", SMC_USER_F64, "-1e+300"},
        {"f64:inf", SMC_USER_F64, "inf"},
        {"f16:0.1", SMC_USER_F16, "0.099976"},
        {"f16:65519", SMC_USER_F16, "65504"},     /* the largest */
        {"f16:2049", SMC_USER_F16, "2048"},       /* halfway: to the even one */
        {"f16:2051", SMC_USER_F16, "2052"},       /* halfway: to the even one */
        {"f16:6e-8", SMC_USER_F16, "5.9605e-08"}, /* the smallest, 2^-24 */
        {"f16:-inf", SMC_USER_F16, "-inf"},
        {"bf16:257", SMC_USER_BF16, "256"},
        {"bf16:259", SMC_USER_BF16, "260"},
        {"bf16:-0.1", SMC_USER_BF16, "-0.1001"},
        {"int=5", SMC_USER_I32, "5"},
        {"int:-5", SMC_USER_I32, "-5"},
        {"unsigned int = 7", SMC_USER_U32, "7"},
        {"size_t=16M", SMC_USER_U64, "16777216"},
        {"bool=true", SMC_USER_U8, "1"},
        {"half=0.5", SMC_USER_F16, "0.5"},
        {"double=1e300", SMC_USER_F64, "1e+300"},
        {"5", SMC_USER_I32, "5"},
        {"-1.5f", SMC_USER_F32, "-1.5"},
        {"2.5", SMC_USER_F64, "2.5"},
        {"true", SMC_USER_U8, "1"},
        {"nullptr", SMC_USER_U64, "0"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct smc_user_argument argument;
        struct smc_error error = {""};
        char text[32];
        CU_ASSERT_EQUAL(smc_user_argument_parse(cases[i].typed, &argument, &error), SMC_OK);
        CU_ASSERT_STRING_EQUAL(error.message, "");
        CU_ASSERT(!argument.is_buffer && argument.type == cases[i].type);
        smc_user_show(argument.type, &argument.bits, 0, text);
        CU_ASSERT_STRING_EQUAL(text, cases[i].shown);
        CU_ASSERT_EQUAL(smc_user_argument_bytes(&argument), smc_user_types[argument.type].bytes);
    }
}

static void test_buffers(void)
{
    struct smc_user_argument argument;
    CU_ASSERT_EQUAL(smc_user_argument_parse("f32x4K:random", &argument, NULL), SMC_OK);
    CU_ASSERT(argument.is_buffer && argument.elements == 4096);
    CU_ASSERT_EQUAL(argument.filling, SMC_USER_RANDOM);
    CU_ASSERT_EQUAL(smc_user_argument_bytes(&argument), 16384);
    CU_ASSERT_EQUAL(smc_user_argument_parse("u8x7", &argument, NULL), SMC_OK);
    CU_ASSERT(argument.filling == SMC_USER_NUMBER && argument.bits == 0 && argument.elements == 7);
    CU_ASSERT_EQUAL(smc_user_argument_parse("i16x7:-1", &argument, NULL), SMC_OK);
    CU_ASSERT_EQUAL((uint16_t)argument.bits, 65535);
    static const struct {
        const char *typed;
        enum smc_user_type type;
        uint64_t elements;
    } as_in_c[] = {{"float[1024]:random", SMC_USER_F32, 1024},
                   {"f32[1K]=random", SMC_USER_F32, 1024},
                   {"unsigned char x64:random", SMC_USER_U8, 64},
                   {"floatx4K:random", SMC_USER_F32, 4096},
                   {"const double [3][5]:random", SMC_USER_F64, 15},
                   {"float4[8]:random", SMC_USER_F32, 32},
                   {"__half2x8:random", SMC_USER_F16, 16},
                   {"std::uint64_t[2]:random", SMC_USER_U64, 2}};
    for (size_t i = 0; i < sizeof as_in_c / sizeof *as_in_c; i++) {
        CU_ASSERT_EQUAL(smc_user_argument_parse(as_in_c[i].typed, &argument, NULL), SMC_OK);
        CU_ASSERT(argument.is_buffer && argument.type == as_in_c[i].type);
        CU_ASSERT_EQUAL(argument.elements, as_in_c[i].elements);
        CU_ASSERT_EQUAL(argument.filling, SMC_USER_RANDOM);
    }
    CU_ASSERT_EQUAL(smc_user_argument_parse("f64x1:file:a:b", &argument, NULL), SMC_OK);
    CU_ASSERT_EQUAL(argument.filling, SMC_USER_FILE);
    CU_ASSERT_STRING_EQUAL(argument.path, "a:b");
}

static void test_bad_arguments(void)
{
    static const char *const bad[] = {
        "",
        "i32",
        "i32:",
        "i32: 5",
        "i32:5 ",
        "i32:1.5",
        "i32:2147483648",
        "i32:-2147483649",
        "i32:--5",
        "i32:0x100000000",
        "u32:-1",
        "u8:256",
        "i8:-129",
        "u64:18446744073709551616",
        "i64:-9223372036854775809",
        "f32:",
        "f32: 1",
        "f32:1e39",
        "f64:1e309",
        "f32:1,5",
        "I32:1",
        "f32x",
        "f32x0",
        "f32x-1",
        "f32x1.5:zero",
        "f32x4:",
        "f32x4:Random",
        "f32x4:file",
        "f32x4:file:",
        "f32x4:zero:1",
        "f32xx4",
        "f32x18446744073709551616",
        "f32x1099511627777",
        "f32x00000000000000000000000000000000000000001",
        "f16:65520",
        "bf16:4e38",
        "5x",
        "5q",
        "1.5u",
        "float",
        "float*",
        "float[]",
        "float[0]",
        "float[4",
        "float[4]x",
        "float4=1",
        "int 5",
        "int=1.5",
        "int*5",
        "floats[4]",
        "i32x4:random:",
        "i32x4:random:1",
        "i32x4:random:2:1",
        "i32x4:random:1:2:3",
        "u8x4:random:0:256",
        "f32x4:random:0:inf",
        "f32x4:random:nan:1",
        "\xff\xfe",
        "i32:\xc3\xbc",
        "{",
        "{}",
        "{1",
        "{1]",
        "{1}2",
        "{1,}",
        "{,1}",
        "{1 2}",
        "{1q}",
        "{1.5u}",
        "{18446744073709551616}",
        "{0*1}",
        "{9000*i32:1}",
        "{99*{99*{1}}}",
        "{struct:x}",
        "{{{{{{{{{{{{{{{{{{1}}}}}}}}}}}}}}}}}}",
        "[f32x0]",
        "[",
        "@",
        "@0",
        "@1+",
        "@1.+2",
        "@1.0",
        "@x",
        "@1*2",
        "struct:",
        "tex",
        "tex:",
        "tex.:f32x4",
        "tex.nearest:f32x4",
        "tex:f32",
        "tex:f32:1",
        "tex:f32x",
        "tex:f32x0",
        "tex:f32x4x",
        "tex:f32x4x4x4x4",
        "tex:f32x4:Random",
        "tex:f64x4",
        "tex:i64x4",
        "tex.linear:i32x4",
        "tex.linear:u8x4",
        "tex.float:f32x4",
        "tex.float:u32x4",
        "tex.wrap:f32x4",
        "tex.layered:f32x4",
        "tex.layered:f32x4x2049",
        "tex:f32x300M",
        "tex:f32x1Mx1Mx1M",
        "surf.linear:f32x4",
        "tmap",
        "tmap:",
        "tmap:f16",
        "tmap:f16:box=64",
        "tmap:f16x64",
        "tmap:f16x64:random",
        "tmap:f16x64x64:box=64",
        "tmap:f16x64:box=64x64",
        "tmap:f16x64x64:box=512x64",
        "tmap:f16x64x64:box=0x64",
        "tmap:f16x64x64:box=12x64",
        "tmap:f16x60x64:box=8x8",
        "tmap:f16x64x64:box=64x64:swizzle=64",
        "tmap:f16x64x64:box=64x64:swizzle=256",
        "tmap:f16x8x8x8x8x8x8:box=8x8x8x8x8x8",
        "tmap:f16x64x64:box=64x64:swizzle=128:ramdom",
        "tmap:f16x4Gx4Gx4G:box=8x1x1",
        "tmap:f16x64x64:box=64x64:stride=",
        "tmap:f16x64x64:box=64x64:stride=100",
        "tmap:f16x64x64:box=64x64:stride=128x128",
        "tmap:f16x64:box=64:stride=128",
        "tmap:f16x64x64:box=64x64:stride=1T",
        "tmap:f16x64x4G:box=64x64:stride=512G",
        "{tmap:f16x64x64}",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct smc_user_argument argument;
        struct smc_error error = {""};
        CU_ASSERT_EQUAL(smc_user_argument_parse(bad[i], &argument, &error), SMC_USAGE);
        CU_ASSERT_EQUAL(error.message[0], '\'');
        CU_ASSERT_PTR_NULL(strchr(error.message, '\n'));
    }
}

/* --- Structures ------------------------------------------------------------------------------- */

struct seen {
    unsigned char bytes[256];
    size_t pointers;
    uint64_t place[8];
};

static enum smc_status see(void *context, const struct smc_user_argument *member, uint64_t place,
                           struct smc_error *error)
{
    struct seen *seen = context;
    (void)error;
    if (smc_user_is_pointer(member))
        seen->place[seen->pointers++ % 8] = place;
    else
        memcpy(seen->bytes + place, &member->bits, smc_user_types[member->type].bytes);
    return SMC_OK;
}

/* Members lie where this compiler places them. */
static void test_structures(void)
{
    struct inner {
        int8_t c;
        double d;
        uint16_t s[3];
    };
    struct outer {
        uint8_t flag;
        int32_t n;
        float a;
        void *p;
        struct inner inner[2];
        uint64_t big;
        void *q, *r;
        int8_t last;
    } wanted;
    memset(&wanted, 0, sizeof wanted);
    wanted.flag = 1;
    wanted.n = -3;
    wanted.a = 2.5f;
    wanted.inner[0] = wanted.inner[1] = (struct inner){.c = 7, .d = 0.1, .s = {9, 9, 9}};
    wanted.big = UINT64_C(0xfedcba9876543210);
    wanted.last = -1;
    static const char typed[] = "{ true, -3, 2.5f, f32x8:random , 2*{i8:7, .1, 3*u16:9},"
                                "0xfedcba9876543210ull, @1+4, [f32x4, {1, f64x2}], i8:-1 }";
    struct smc_user_argument argument;
    struct smc_error error = {""};
    struct seen seen = {.pointers = 0};
    uint64_t bytes;
    uint32_t align;
    CU_ASSERT_EQUAL_FATAL(smc_user_argument_parse(typed, &argument, &error), SMC_OK);
    CU_ASSERT(argument.form == SMC_USER_STRUCT && !argument.is_buffer);
    CU_ASSERT_EQUAL(argument.bytes, sizeof wanted);
    CU_ASSERT_EQUAL(argument.align, _Alignof(struct outer));
    CU_ASSERT_EQUAL(smc_user_members(typed, see, &seen, &bytes, &align, &error), SMC_OK);
    CU_ASSERT_EQUAL(bytes, sizeof wanted);
    /* Padding is not compared, because a compiler may write to it. */
    CU_ASSERT_EQUAL(seen.bytes[0], 1);
    CU_ASSERT_EQUAL(memcmp(seen.bytes + 4, &wanted.n, 8), 0);
    for (size_t i = 0; i < 2; i++) {
        const unsigned char *inner =
            seen.bytes + offsetof(struct outer, inner[0]) + i * sizeof(struct inner);
        CU_ASSERT_EQUAL(inner[0], 7);
        CU_ASSERT_EQUAL(memcmp(inner + offsetof(struct inner, d), &wanted.inner[0].d, 14), 0);
    }
    CU_ASSERT_EQUAL(memcmp(seen.bytes + offsetof(struct outer, big), &wanted.big, 8), 0);
    CU_ASSERT_EQUAL(seen.bytes[offsetof(struct outer, last)], 0xff);
    CU_ASSERT_EQUAL_FATAL(seen.pointers, 3);
    CU_ASSERT_EQUAL(seen.place[0], offsetof(struct outer, p));
    CU_ASSERT_EQUAL(seen.place[1], offsetof(struct outer, q));
    CU_ASSERT_EQUAL(seen.place[2], offsetof(struct outer, r));
}

static void test_literals(void)
{
    static const struct {
        const char *typed;
        enum smc_user_type type;
        const char *shown;
    } cases[] = {
        {"{1}", SMC_USER_I32, "1"},       {"{-1}", SMC_USER_I32, "-1"},
        {"{1u}", SMC_USER_U32, "1"},      {"{4294967296}", SMC_USER_I64, "4294967296"},
        {"{1LL}", SMC_USER_I64, "1"},     {"{1ull}", SMC_USER_U64, "1"},
        {"{2.5f}", SMC_USER_F32, "2.5"},  {"{2.5}", SMC_USER_F64, "2.5"},
        {"{1e3}", SMC_USER_F64, "1000"},  {"{0x1f}", SMC_USER_I32, "31"},
        {"{false}", SMC_USER_U8, "0"},    {"{-.5f}", SMC_USER_F32, "-0.5"},
        {"{ u16:7 }", SMC_USER_U16, "7"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct seen seen = {.pointers = 0};
        struct smc_error error = {""};
        char text[32];
        uint64_t bytes;
        uint32_t align;
        CU_ASSERT_EQUAL(smc_user_members(cases[i].typed, see, &seen, &bytes, &align, &error),
                        SMC_OK);
        CU_ASSERT_EQUAL(bytes, smc_user_types[cases[i].type].bytes);
        smc_user_show(cases[i].type, seen.bytes, 0, text);
        CU_ASSERT_STRING_EQUAL(text, cases[i].shown);
    }
}

static void test_addresses(void)
{
    struct smc_user_argument argument;
    CU_ASSERT_EQUAL(smc_user_argument_parse("@2", &argument, NULL), SMC_OK);
    CU_ASSERT(argument.target == 2 && argument.part == 1 && argument.offset == 0);
    CU_ASSERT_EQUAL(smc_user_argument_parse("@12.3-4K", &argument, NULL), SMC_OK);
    CU_ASSERT(argument.target == 12 && argument.part == 3 && argument.offset == -4096);
    CU_ASSERT_EQUAL(smc_user_argument_parse("@1+7", &argument, NULL), SMC_OK);
    CU_ASSERT(argument.form == SMC_USER_ADDRESS && argument.offset == 7);
    CU_ASSERT_EQUAL(smc_user_argument_parse("struct:a:b", &argument, NULL), SMC_OK);
    CU_ASSERT_EQUAL(argument.form, SMC_USER_BYTES);
    CU_ASSERT_STRING_EQUAL(argument.path, "a:b");
    CU_ASSERT_EQUAL(smc_user_argument_parse("[f32x4, f32x4]", &argument, NULL), SMC_OK);
    CU_ASSERT(argument.is_buffer && argument.elements == 2 && argument.type == SMC_USER_U64);
    CU_ASSERT_EQUAL(smc_user_argument_parse("[u8:1, u8:2, u8:3]", &argument, NULL), SMC_OK);
    CU_ASSERT(argument.is_buffer && argument.elements == 3 && argument.type == SMC_USER_U8);
}

static void test_textures(void)
{
    struct smc_user_argument argument;
    const struct smc_emulated_texture *texture = &argument.texture;
    CU_ASSERT_EQUAL(smc_user_argument_parse("tex:u16x64:7", &argument, NULL), SMC_OK);
    CU_ASSERT(argument.form == SMC_USER_TEXTURE && argument.is_buffer && argument.bits == 7);
    CU_ASSERT(texture->channels == 1 && texture->channel_bytes == 2 &&
              texture->kind == SMC_TEXEL_UNSIGNED && texture->address == SMC_ADDRESS_CLAMP);
    CU_ASSERT(texture->extent[0] == 64 && texture->extent[1] == 1 && texture->extent[2] == 1);
    CU_ASSERT_EQUAL(smc_user_argument_bytes(&argument), 128);
    CU_ASSERT(!texture->linear && !texture->normalized && !texture->as_float);
    CU_ASSERT(argument.dimensions == 1 && !argument.is_surface && !argument.is_layered);
    CU_ASSERT_EQUAL(smc_user_argument_parse("tex.v4.linear.float.normalized.mirror:i8x5x4x3:random",
                                            &argument, NULL),
                    SMC_OK);
    CU_ASSERT(texture->linear && texture->normalized && texture->as_float &&
              texture->address == SMC_ADDRESS_MIRROR && texture->kind == SMC_TEXEL_SIGNED);
    CU_ASSERT(argument.elements == 240 && argument.filling == SMC_USER_RANDOM);
    CU_ASSERT_EQUAL(smc_user_argument_parse("tex.layered.border:f32x5x4", &argument, NULL), SMC_OK);
    CU_ASSERT(texture->extent[0] == 5 && texture->extent[1] == 1 && texture->extent[2] == 4);
    CU_ASSERT(argument.dimensions == 1 && argument.is_layered);
    CU_ASSERT_EQUAL(smc_user_argument_parse("surf.v2:u32x8x4:file:a:b", &argument, NULL), SMC_OK);
    CU_ASSERT(texture->channels == 2 && texture->extent[1] == 4 && argument.elements == 64);
    CU_ASSERT_STRING_EQUAL(argument.path, "a:b");
    CU_ASSERT(argument.dimensions == 2 && argument.is_surface && !argument.is_layered);
}

static void test_tensor_maps(void)
{
    struct smc_user_argument argument;
    struct smc_tensor_map map;
    unsigned char bytes[SMC_TENSOR_MAP_BYTES];
    CU_ASSERT_EQUAL(smc_user_argument_parse(
                        "tmap:bf16x256x96x3:random:-2:2:box=64x32x1:swizzle=128", &argument, NULL),
                    SMC_OK);
    CU_ASSERT(argument.form == SMC_USER_TENSOR_MAP && argument.is_buffer);
    CU_ASSERT(!smc_user_is_pointer(&argument) && !smc_user_passes_memory(&argument));
    CU_ASSERT(argument.filling == SMC_USER_RANDOM && argument.is_bounded);
    CU_ASSERT_EQUAL(smc_user_argument_bytes(&argument), 2 * 256 * 96 * 3);
    smc_user_tensor_map(&argument, 0x7000, bytes);
    CU_ASSERT_FATAL(smc_tensor_map_read((const char *)bytes, &map));
    CU_ASSERT(map.address == 0x7000 && map.rank == 3 && map.type == SMC_TENSOR_BF16);
    CU_ASSERT(map.size[0] == 256 && map.size[1] == 96 && map.size[2] == 3);
    CU_ASSERT(map.stride[0] == 512 && map.stride[1] == 512 * 96);
    CU_ASSERT(map.box[0] == 64 && map.box[1] == 32 && map.box[2] == 1 && map.span == 128);
    CU_ASSERT_EQUAL(smc_user_argument_parse("tmap:i8x64:box=64:file:a:box=1", &argument, NULL),
                    SMC_OK);
    CU_ASSERT(argument.map.span == 16 && argument.map.type == SMC_TENSOR_U8);
    CU_ASSERT_STRING_EQUAL(argument.path, "a:box=1");
    /* A matrix of 96 rows of 256 as columns of 64: the second stride is less than the first. */
    CU_ASSERT_EQUAL(smc_user_argument_parse("tmap:f16x64x96x4x1x1:stride=512x128x0x0:ramp:"
                                            "box=64x32x2x1x1:swizzle=128",
                                            &argument, NULL),
                    SMC_OK);
    CU_ASSERT_EQUAL(smc_user_argument_bytes(&argument), 2 * 256 * 96);
    CU_ASSERT(argument.map.stride[0] == 512 && argument.map.stride[1] == 128);
    CU_ASSERT(argument.map.stride[3] == 0 && argument.filling == SMC_USER_RAMP);
}

static enum smc_status note_map(void *context, const struct smc_user_argument *member,
                                uint64_t place, struct smc_error *error)
{
    uint64_t *at = context;
    (void)error;
    if (member->form == SMC_USER_TENSOR_MAP)
        *at = place;
    return SMC_OK;
}

static void test_tensor_map_members(void)
{
    uint64_t bytes = 0, at = 0;
    uint32_t align = 0;
    CU_ASSERT_EQUAL(
        smc_user_members("{i32:5, tmap:f16x64:box=64, i32:5}", note_map, &at, &bytes, &align, NULL),
        SMC_OK);
    CU_ASSERT(at == 64 && align == 64 && bytes == 256);
    CU_ASSERT_EQUAL(smc_user_members("[2*tmap:f16x64:box=64]", note_map, &at, &bytes, &align, NULL),
                    SMC_OK);
    CU_ASSERT(at == 128 && bytes == 256);
}

static void expect_variable(const char *name, enum smc_status status, const char *message)
{
    static const char ptx[] = ".visible .global .align 4 .u32 _ZN1a5countE;\n"
                              ".visible .global .align 4 .u32 _ZN1b5countE;\n"
                              ".visible .global .align 4 .u32 single;\n"
                              ".visible .global .align 2 .u16 narrow;\n"
                              ".visible .global .align 4 .f32 real;\n"
                              ".visible .global .align 4 .b8 pair[4];\n";
    static struct smc_user_run run;
    struct smc_error error = {""};
    memset(&run, 0, sizeof run);
    run.request.variable_count = 1;
    snprintf(run.request.variable[0].name, sizeof run.request.variable[0].name, "%s", name);
    if (strchr(name, '=')) {
        CU_ASSERT_EQUAL_FATAL(smc_user_variable_parse(name, &run.request.variable[0], &error),
                              SMC_OK);
    }
    CU_ASSERT_EQUAL(smc_user_find_variables(ptx, &run, &error), status);
    CU_ASSERT_STRING_EQUAL(error.message, message);
    smc_user_free(&run);
}

static void test_variable_names(void)
{
    expect_variable("single", SMC_OK, "");
    expect_variable("a::count", SMC_OK, "");
    expect_variable("count", SMC_USAGE,
                    "option --dump: 'count' is more than one variable: _ZN1a5countE, _ZN1b5countE");
    expect_variable("other", SMC_USAGE,
                    "option --dump: 'other' is no __device__ or __constant__ variable that the "
                    "compiler kept; it has _ZN1a5countE, _ZN1b5countE, single, narrow, real, pair");
    expect_variable("narrow=65535", SMC_OK, ""); /* a number has the variable's type */
    expect_variable("narrow=-32768", SMC_OK, "");
    expect_variable("real=0.5", SMC_OK, "");
    expect_variable("real=2", SMC_OK, "");
    expect_variable("pair={i16:1, i16:2}", SMC_OK, "");
    expect_variable("pair=5", SMC_USAGE,
                    "option --set: 'pair=5' has no type, and that of pair, of 4 bytes, is not "
                    "known: write i32:5 or f32:5");
    expect_variable("pair=0.5f", SMC_USAGE,
                    "option --set: 'pair=0.5f' has no type, and that of pair, of 4 bytes, is not "
                    "known: write f32:0.5");
    expect_variable("pair=4294967295", SMC_USAGE,
                    "option --set: 'pair=4294967295' has no type, and that of pair, of 4 bytes, is "
                    "not known: write u32:4294967295 or f32:4294967295");
    expect_variable("narrow=65536", SMC_USAGE,
                    "option --set: 'narrow=65536' does not fit narrow: write a whole number from "
                    "-32768 to 32767 or a whole number from 0 to 65535");
    expect_variable("single=0.5", SMC_USAGE,
                    "option --set: 'single=0.5' does not fit single: write a whole number from "
                    "-2147483648 to 2147483647 or a whole number from 0 to 4294967295");
    expect_variable("real=1e60", SMC_USAGE,
                    "option --set: 'real=1e60' does not fit real: write a number of type f32, from "
                    "-3.40282e+38 to 3.40282e+38");
}

/* --- Memory ----------------------------------------------------------------------------------- */

static void fill(const char *typed, void *data)
{
    struct smc_user_argument argument;
    struct smc_error error = {""};
    CU_ASSERT_EQUAL_FATAL(smc_user_argument_parse(typed, &argument, &error), SMC_OK);
    CU_ASSERT_EQUAL(smc_user_fill(&argument, "arg 1", 1, data, &error), SMC_OK);
}

/* Any part of the memory is made as the whole is. */
static void test_parts(void)
{
    static const char *const typed[] = {
        "u8x700:random",      "i16x700:random",       "f32x700:random", "f64x700:random",
        "f16x700:random",     "u32x700:random:5:900", "i64x700:ramp",   "f32x700:random:-1:3",
        "i32x700:random:0:6", "f64x700:ramp",         "u16x700:7"};
    static unsigned char whole[700 * 8], part[700 * 8];
    struct smc_user_argument argument;
    struct smc_error error = {""};
    for (size_t i = 0; i < sizeof typed / sizeof *typed; i++) {
        CU_ASSERT_EQUAL_FATAL(smc_user_argument_parse(typed[i], &argument, &error), SMC_OK);
        fill(typed[i], whole);
        size_t width = smc_user_types[argument.type].bytes;
        for (uint64_t first = 0; first < 700; first += 173) {
            uint64_t count = first == 173 ? 527 : 1;
            smc_user_make_elements(&argument, smc_random_start("arg 1", 1), first, count, part);
            CU_ASSERT(memcmp(part, whole + first * width, count * width) == 0);
        }
    }
}

static void test_fillings(void)
{
    uint8_t bytes[300];
    int16_t halves[300];
    float floats[300];
    double doubles[300];
    uint64_t longs[300];
    fill("u8x300:ramp", bytes);
    CU_ASSERT(bytes[0] == 0 && bytes[255] == 255 && bytes[299] == 43);
    fill("f32x300:ramp", floats);
    CU_ASSERT(floats[0] == 0 && floats[299] == 299);
    fill("f64x300:1.5", doubles);
    CU_ASSERT(doubles[0] == 1.5 && doubles[299] == 1.5);
    fill("i16x300:-2", halves);
    CU_ASSERT(halves[0] == -2 && halves[299] == -2);
    fill("u64x300:zero", longs);
    CU_ASSERT(longs[0] == 0 && longs[299] == 0);

    fill("f32x300:random", floats);
    fill("i16x300:random", halves);
    fill("u64x300:random", longs);
    size_t outside = 0, negative = 0;
    for (int i = 0; i < 300; i++) {
        outside += !(floats[i] >= -1 && floats[i] < 1);
        outside += halves[i] < -1000 || halves[i] > 1000 || longs[i] > 2000;
        negative += halves[i] < 0;
    }
    CU_ASSERT_EQUAL(outside, 0);
    CU_ASSERT(negative > 100 && negative < 200);
}

/* Bounds are reached, and never passed; all of them with the type's whole range. */
static void test_bounded_random(void)
{
    int8_t bytes[300];
    uint16_t words[300];
    int32_t numbers[300];
    int64_t longs[300];
    float floats[300];
    uint16_t halves[300];
    size_t outside = 0, ends = 0, large = 0;
    fill("i8x300:random:-3:4", bytes);
    fill("u16x300:random:7:7", words);
    fill("i32x300:random:-2147483648:2147483647", numbers);
    fill("i64x300:random:-9223372036854775808:9223372036854775807", longs);
    fill("f32x300:random:10:12.5", floats);
    fill("f16x300:random:-0.5:0.5", halves);
    for (int i = 0; i < 300; i++) {
        double half = smc_user_number(SMC_USER_F16, halves, (uint64_t)i);
        outside += bytes[i] < -3 || bytes[i] > 4 || words[i] != 7;
        outside += !(floats[i] >= 10 && floats[i] <= 12.5) || !(half >= -0.5 && half <= 0.5);
        ends += bytes[i] == -3 || bytes[i] == 4;
        large += numbers[i] > 1 << 30 || numbers[i] < -(1 << 30) || longs[i] > INT64_C(1) << 62;
    }
    CU_ASSERT_EQUAL(outside, 0);
    CU_ASSERT(ends > 40 && ends < 120);
    CU_ASSERT(large > 100);
}

static void test_short_floats(void)
{
    uint16_t halves[300];
    fill("f16x300:ramp", halves);
    CU_ASSERT(halves[0] == 0 && halves[1] == 0x3c00 && halves[299] == 0x5cac);
    fill("bf16x300:ramp", halves);
    CU_ASSERT(halves[1] == 0x3f80 && halves[257] == 0x4380); /* 256: halfway, to even */
    fill("bf16x300:-2", halves);
    CU_ASSERT(halves[0] == 0xc000 && halves[299] == 0xc000);
    fill("f16x300:random", halves);
    size_t outside = 0, different = 0;
    for (int i = 0; i < 300; i++) {
        double value = smc_user_number(SMC_USER_F16, halves, (uint64_t)i);
        outside += !(value >= -1 && value <= 1);
        different += halves[i] != halves[0];
    }
    CU_ASSERT(outside == 0 && different > 250);
}

static void test_files(void)
{
    struct temporary folder;
    char typed[1200], path[1100];
    uint32_t values[3] = {0};
    const uint32_t wanted[2] = {7, 0x01020304};
    temporary_begin(&folder);
    snprintf(path, sizeof path, "%s/in.bin", folder.parent);
    CU_ASSERT_FATAL(temporary_write(path, wanted, sizeof wanted));
    snprintf(typed, sizeof typed, "u32x2:file:%s", path);
    fill(typed, values);
    CU_ASSERT(values[0] == 7 && values[1] == 0x01020304);
    for (int count = 1; count <= 3; count += 2) {
        struct smc_user_argument argument;
        struct smc_error error = {""};
        snprintf(typed, sizeof typed, "u32x%d:file:%s", count, path);
        CU_ASSERT_EQUAL_FATAL(smc_user_argument_parse(typed, &argument, &error), SMC_OK);
        CU_ASSERT_EQUAL(smc_user_fill(&argument, "arg 1", 1, values, &error), SMC_USAGE);
        CU_ASSERT_PTR_NOT_NULL(strstr(error.message, count == 1 ? "more than 4" : "fewer than 12"));
    }
    CU_ASSERT_EQUAL(unlink(path), 0);
    temporary_end(&folder);
}

static void test_digest(void)
{
    struct smc_user_argument argument;
    struct smc_user_digest digest;
    struct smc_agreement agreement;
    const char before[] = "123456789", after[] = "12345x78y";
    CU_ASSERT_EQUAL_FATAL(smc_user_argument_parse("u8x9", &argument, NULL), SMC_OK);
    smc_user_digest(&argument, after, before, &digest);
    CU_ASSERT_EQUAL(digest.crc32, 0xcbf43926); /* the check value of ISO 3309's CRC */
    CU_ASSERT_EQUAL(digest.changed, 2);
    CU_ASSERT_EQUAL(digest.first_changed, 5);
    smc_user_compare(&argument, before, before, &agreement);
    CU_ASSERT(agreement.compared && agreement.differing == 0 && agreement.elements == 9);

    /* Compared by their bits: -0 is not 0, and a NaN equals itself. */
    float a[2] = {0.0f, NAN}, b[2] = {-0.0f, NAN};
    CU_ASSERT_EQUAL_FATAL(smc_user_argument_parse("f32x2", &argument, NULL), SMC_OK);
    smc_user_compare(&argument, a, b, &agreement);
    CU_ASSERT(agreement.differing == 1 && agreement.first == 0);
}

/* --- Kernels and their parameters ------------------------------------------------------------- */

static const char ptx[] = ".version 9.0\n.target sm_90\n"
                          ".visible .entry none()\n{ ret; }\n"
                          ".visible .entry all(\n"
                          "    .param .u64 .ptr .global .align 4 all_param_0, // memory\n"
                          "    .param .u32 all_param_1,\n"
                          "    .param .f32 all_param_2,\n"
                          "    .param .align 8 .b8 all_param_3[24],\n"
                          "    .param .u8 all_param_4,\n"
                          "    .param .align 2 .b8 all_param_5[2]\n"
                          ")\n.maxntid 256, 1, 1\n{ ret; }\n";

static void test_ptx_parameters(void)
{
    const char *cursor = ptx;
    struct smc_ptx_kernel kernel;
    struct smc_ptx_variable params[6];
    CU_ASSERT_FATAL(smc_ptx_next(&cursor, &kernel));
    CU_ASSERT_EQUAL(smc_ptx_params(&kernel, params, 6), 0);
    CU_ASSERT_EQUAL(smc_ptx_parameter_bytes(&kernel), 0);
    CU_ASSERT_FATAL(smc_ptx_next(&cursor, &kernel));
    CU_ASSERT_EQUAL(smc_ptx_params(&kernel, params, 2), 6); /* only as many as the array can hold */
    CU_ASSERT_EQUAL_FATAL(smc_ptx_params(&kernel, params, 6), 6);
    CU_ASSERT_EQUAL(smc_ptx_parameter_bytes(&kernel), 44); /* 8 4 4 24 1, a gap of 1, 2 */
    struct smc_ptx_memory memory = {.is_known = false};
    smc_ptx_module_memory(ptx, &memory); /* ".ptr .global" declares none */
    CU_ASSERT(memory.is_known && memory.constant_bytes == 0 && memory.global_bytes == 0);
    static const struct {
        const char *type;
        uint64_t bytes;
        bool is_array;
        uint32_t align;
    } wanted[] = {{"u64", 8, false, 0}, {"u32", 4, false, 0}, {"f32", 4, false, 0},
                  {"b8", 24, true, 8},  {"u8", 1, false, 0},  {"b8", 2, true, 2}};
    for (size_t i = 0; i < 6; i++) {
        CU_ASSERT_STRING_EQUAL(params[i].type, wanted[i].type);
        CU_ASSERT_EQUAL(params[i].bytes, wanted[i].bytes);
        CU_ASSERT_EQUAL(params[i].is_array, wanted[i].is_array);
        CU_ASSERT(wanted[i].align == 0 || params[i].align == wanted[i].align);
    }
    static const char *const broken[] = {".entry k(", ".entry k(.param", ".entry k(.param .u32 a[",
                                         ".entry k", ".entry k(.param .param ,,)"};
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        cursor = broken[i];
        CU_ASSERT(smc_ptx_next(&cursor, &kernel));
        CU_ASSERT(smc_ptx_params(&kernel, params, 6) <= 2); /* ends */
    }
}

static void test_ptx_variables(void)
{
    static const char text[] = ".version 9.0\n.target sm_90\n.file 1 \"a{b.cu\"\n"
                               ".const .align 16 .f32 taps[4][8] = {0f3F800000, 0f00000000};\n"
                               ".extern .shared .align 16 .b8 dynamic[];\n"
                               ".visible .global .attribute(.managed) .align 4 .u32 count = 5;\n"
                               ".visible .entry k()\n{\n.global .u32 inside;\nret;\n}\n"
                               ".global .align 8 .b8 last[24];\n.global .u64";
    static const struct {
        const char *name, *type;
        uint64_t bytes;
        uint32_t align;
    } wanted[] = {{"taps", "f32", 128, 16}, {"count", "u32", 4, 4}, {"last", "b8", 24, 8}};
    struct smc_ptx_variable variable;
    const char *cursor = text;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        CU_ASSERT_FATAL(smc_ptx_next_variable(&cursor, &variable));
        CU_ASSERT_EQUAL(variable.name_length, strlen(wanted[i].name));
        CU_ASSERT_EQUAL(memcmp(variable.name, wanted[i].name, variable.name_length), 0);
        CU_ASSERT_STRING_EQUAL(variable.type, wanted[i].type);
        CU_ASSERT_EQUAL(variable.bytes, wanted[i].bytes);
        CU_ASSERT_EQUAL(variable.align, wanted[i].align);
        CU_ASSERT_EQUAL(variable.is_constant, i == 0);
    }
    struct smc_ptx_memory memory = {.is_known = false};
    smc_ptx_module_memory(text, &memory);
    CU_ASSERT(memory.constant_bytes == 128 && memory.global_bytes == 28);
    CU_ASSERT_FALSE(smc_ptx_next_variable(&cursor, &variable));
}

static void test_variables(void)
{
    struct smc_user_variable variable;
    struct smc_error error = {""};
    CU_ASSERT_EQUAL(smc_user_variable_parse("ns::scale=1.5f", &variable, &error), SMC_OK);
    CU_ASSERT_STRING_EQUAL(variable.name, "ns::scale");
    CU_ASSERT(variable.is_set && variable.value.type == SMC_USER_F32);
    CU_ASSERT_EQUAL(smc_user_variable_parse("t=f32x4:file:a:b", &variable, &error), SMC_OK);
    CU_ASSERT(variable.value.is_buffer && variable.value.elements == 4);
    CU_ASSERT_EQUAL(smc_user_variable_parse("ns::t:a=b", &variable, &error), SMC_OK);
    CU_ASSERT_STRING_EQUAL(variable.name, "ns::t");
    CU_ASSERT_EQUAL(variable.value.form, SMC_USER_BYTES);
    CU_ASSERT_STRING_EQUAL(variable.value.path, "a=b");
    static const char *const bad[] = {
        "", "x", "=1", ":f", "x=", "x:", "x::y", "x=y", "x=1q", "x={"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CU_ASSERT_EQUAL(smc_user_variable_parse(bad[i], &variable, &error), SMC_USAGE);
}

static enum smc_status check_fit(const char *const *typed, size_t count, struct smc_user_run *run,
                                 struct smc_error *error)
{
    static char name[] = "all";
    const struct smc_inspect_kernel kernel = {.file = "x.cu", .name = name, .shown = name};
    run->request.file = "x.cu";
    run->request.argument_count = count;
    for (size_t i = 0; i < count; i++)
        CU_ASSERT_EQUAL_FATAL(smc_user_argument_parse(typed[i], &run->request.argument[i], NULL),
                              SMC_OK);
    struct smc_text warnings = {0};
    const enum smc_status status = smc_user_check_arguments(ptx, &kernel, run, &warnings, error);
    CU_ASSERT_PTR_NULL(warnings.data); /* nothing is known of the elements */
    return status;
}

static void test_fit(void)
{
    static struct smc_user_run run;
    static const char *const typed[] = {"f32x4", "u32:1", "f32:1", "u8:1", "i8:1", "u16:1"};
    static const char *const literal[] = {"f32x4", "-1", "2", "{24*u8:0}", "true", "f16:2"};
    struct smc_error error = {""};
    CU_ASSERT_EQUAL(check_fit(typed, 1, &run, &error), SMC_USAGE);
    CU_ASSERT_PTR_NOT_NULL(
        strstr(error.message,
               "1 given, but all has 6 parameters: .u64, .u32, .f32, .b8, .u8, .b8; such "
               "as -a f32x1024:random -a i32:1024 -a f32:1.5 -a '{3*u64:0}' -a i8:1 -a i16:1024"));
    CU_ASSERT_EQUAL(check_fit(typed, 6, &run, &error), SMC_USAGE);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.message, "parameter 4"));
    CU_ASSERT_PTR_NOT_NULL(strstr(error.message, "a structure of 24 bytes"));
    CU_ASSERT_EQUAL(check_fit(literal, 6, &run, &error), SMC_OK);
    CU_ASSERT_EQUAL((uint32_t)run.request.argument[1].bits, UINT32_MAX);
    CU_ASSERT_EQUAL(run.request.argument[2].type, SMC_USER_F32); /* 2 for a float is 2.0f */
    CU_ASSERT_EQUAL(run.request.argument[2].bits, 0x40000000);
    CU_ASSERT_EQUAL(run.param_bytes[3], 24);
}

static void test_choice(void)
{
    static char mangled[] = "_Z4fillIiEvPT_", shown[] = "void fill<int>(int*)";
    static char other[] = "_Z5scalePf", undemangled[] = "_Z5scalePf", plain[] = "twice";
    struct smc_inspect_kernel items[] = {{.name = mangled, .shown = shown},
                                         {.name = other, .shown = undemangled},
                                         {.name = plain, .shown = plain}};
    const struct smc_inspect_kernels kernels = {.item = items, .count = 3, .capacity = 3};
    static const struct {
        const char *entry;
        size_t meant;
    } good[] = {{"fill", 0},           {"fill<int>", 0}, {"void fill<int>(int*)", 0},
                {"_Z4fillIiEvPT_", 0}, {"scale", 1},     {"_Z5scalePf", 1},
                {"twice", 2}};
    const struct smc_inspect_kernel *kernel = NULL;
    struct smc_error error = {""};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        CU_ASSERT_EQUAL(smc_user_choose(&kernels, "x.cu", good[i].entry, &kernel, &error), SMC_OK);
        CU_ASSERT_PTR_EQUAL(kernel, &items[good[i].meant]);
    }
    static const char *const bad[] = {"", "fil", "filler", "scal", "twic", "twices", "Twice"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CU_ASSERT_EQUAL(smc_user_choose(&kernels, "x.cu", bad[i], &kernel, &error), SMC_USAGE);
    CU_ASSERT_EQUAL(smc_user_choose(&kernels, "x.cu", NULL, &kernel, &error), SMC_USAGE);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.message, "void fill<int>(int*), _Z5scalePf, twice"));
    const struct smc_inspect_kernels one = {.item = items, .count = 1, .capacity = 1}, none = {0};
    CU_ASSERT_EQUAL(smc_user_choose(&one, "x.cu", NULL, &kernel, &error), SMC_OK);
    CU_ASSERT_EQUAL(smc_user_choose(&none, "x.cu", NULL, &kernel, &error), SMC_USAGE);
}

/* Names as people write them; an ambiguous one lists what it may mean, and only that. */
static void test_written_names(void)
{
    static char names[][24] = {"_Z1p", "_Z1q", "_Z1r", "_Z1s", "_Z1t", "_Z1u"};
    static char shown[][96] = {"void f<32u>(float*)",
                               "void f<64u>(float*)",
                               "void a::g<(int)8, true, unsigned int>(float*)",
                               "void b::g<(int)8, false, unsigned int>(float*)",
                               "void a::b::h<a::T<(b::Mode)1> >(a::T<(b::Mode)1>)",
                               "void (anonymous namespace)::i<-1l>(int, float const*)"};
    struct smc_inspect_kernel items[6];
    const struct smc_inspect_kernels kernels = {.item = items, .count = 6, .capacity = 6};
    for (size_t i = 0; i < 6; i++)
        items[i] = (struct smc_inspect_kernel){.name = names[i], .shown = shown[i]};
    static const struct {
        const char *entry;
        size_t meant;
    } good[] = {{"f<32>", 0},
                {"f<32u>", 0},
                {"f< 64U >", 1},
                {"void f<(unsigned int)64>(float *)", 1},
                {"_Z1q", 1},
                {"a::g", 2},
                {"a::g<8,true,unsigned>", 2},
                {"g<8, 0, unsigned int>", 3},
                {"b::g<8, false, unsigned>(float *)", 3},
                {"h", 4},
                {"h<T<1>>", 4},
                {"a::b::h<a::T<1> >", 4},
                {"i", 5},
                {"i<-1>", 5},
                {"i<-1>(int, const float*)", 6}};
    const struct smc_inspect_kernel *kernel = NULL;
    struct smc_error error = {""};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        bool found = good[i].meant < 6;
        CU_ASSERT_EQUAL(smc_user_choose(&kernels, "x.cu", good[i].entry, &kernel, &error),
                        found ? SMC_OK : SMC_USAGE);
        CU_ASSERT(!found || kernel == &items[good[i].meant]);
    }
    static const char *const bad[] = {"f<3>", "f<132>", "f<>", "h<T<2>>", "c::g", "j<-1>"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CU_ASSERT_EQUAL(smc_user_choose(&kernels, "x.cu", bad[i], &kernel, &error), SMC_USAGE);
    CU_ASSERT_EQUAL(smc_user_choose(&kernels, "x.cu", "f", &kernel, &error), SMC_USAGE);
    CU_ASSERT_STRING_EQUAL(error.message, "option --entry: 'f' is more than one kernel of x.cu: "
                                          "void f<32u>(float*), void f<64u>(float*)");
    CU_ASSERT_EQUAL(smc_user_choose(&kernels, "x.cu", "g", &kernel, &error), SMC_USAGE);
    CU_ASSERT_PTR_NULL(strstr(error.message, "void f<"));
}

CU_TestInfo tests_user[] = {
    {"numbers", test_numbers},
    {"variables in PTX", test_ptx_variables},
    {"variables as they are typed", test_variables},
    {"structures", test_structures},
    {"numbers as C writes them", test_literals},
    {"addresses and lists", test_addresses},
    {"textures", test_textures},
    {"tensor maps", test_tensor_maps},
    {"tensor maps as members", test_tensor_map_members},
    {"names as people write them", test_written_names},
    {"variables by their names", test_variable_names},
    {"memory as it is typed", test_buffers},
    {"what is no argument", test_bad_arguments},
    {"what memory is filled with", test_fillings},
    {"parts of memory", test_parts},
    {"random numbers within bounds", test_bounded_random},
    {"memory of half precision and bfloat16", test_short_floats},
    {"memory from files", test_files},
    {"what memory holds afterwards", test_digest},
    {"parameters that PTX declares", test_ptx_parameters},
    {"arguments fit the parameters", test_fit},
    {"which kernel is meant", test_choice},
    CU_TEST_INFO_NULL,
};
