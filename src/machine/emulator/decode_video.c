/* Video instructions: parts of registers, SIMD within a register, and what is done with a result.
 */
#include "machine/emulator/decode.h"
#include "machine/emulator/emulator_steps.h"

/* --- Video ------------------------------------------------------------------------------------ */

static bool is_signed(enum smc_ptx_type type)
{
    return type < SMC_PTX_TYPE_COUNT && smc_ptx_type_info[type].class == SMC_CLASS_SIGNED;
}

/* 0: the word, 1 to 4: b0 to b3, 5 and 6: h0 and h1. */
static bool read_part(struct smc_decoder *decoder, const struct smc_operand *operand,
                      unsigned *select)
{
    static const char *const names[] = {"", "b0", "b1", "b2", "b3", "h0", "h1"};
    for (*select = 0; *select < sizeof names / sizeof *names; ++*select)
        if (smc_span_is(operand->selector, names[*select]))
            return true;
    return smc_decode_refuse(decoder, "a selector that is not b0 to b3, h0 or h1");
}

/* .b3210 as nibbles, element 0 lowest; `standard` if the operand has none. */
static bool decode_video_read_elements(struct smc_decoder *decoder,
                                       const struct smc_operand *operand, unsigned count,
                                       unsigned standard, uint16_t *select)
{
    struct smc_span text = operand->selector;
    *select = (uint16_t)standard;
    if (text.bytes == 0)
        return true;
    if (text.bytes != count + 1 || *text.at != (count == 4 ? 'b' : 'h'))
        return smc_decode_refuse(decoder, "a selector of this form");
    *select = 0;
    for (unsigned i = 1; i <= count; i++) {
        unsigned digit = (unsigned)(unsigned char)text.at[i] - '0';
        if (digit >= 2 * count)
            return smc_decode_refuse(decoder, "a selector of this form");
        *select = (uint16_t)(*select << 4 | digit);
    }
    return true;
}

/* The mask of a destination: .b20 are elements 0 and 2. */
static bool decode_video_read_mask(struct smc_decoder *decoder, const struct smc_operand *operand,
                                   unsigned count, unsigned *mask)
{
    struct smc_span text = operand->selector;
    *mask = (1u << count) - 1;
    if (text.bytes == 0)
        return true;
    *mask = 0;
    for (size_t i = 1; i < text.bytes; i++) {
        unsigned digit = (unsigned)(unsigned char)text.at[i] - '0';
        if (digit >= count)
            return smc_decode_refuse(decoder, "a mask of this form");
        *mask |= 1u << digit;
    }
    return true;
}

static const struct {
    const char *name;
    enum smc_video_function function;
} video_functions[] = {
    {"vadd", SMC_VIDEO_ADD},      {"vsub", SMC_VIDEO_SUB},
    {"vavrg", SMC_VIDEO_AVERAGE}, {"vabsdiff", SMC_VIDEO_ABSDIFF},
    {"vmin", SMC_VIDEO_MIN},      {"vmax", SMC_VIDEO_MAX},
    {"vshl", SMC_VIDEO_SHL},      {"vshr", SMC_VIDEO_SHR},
    {"vset", SMC_VIDEO_SET},      {"vmad", SMC_VIDEO_SET /* is not used */},
};

/* The function, the signs and what follows; `count`: elements of a word. */
static bool read_video(struct smc_decoder *decoder, unsigned *count, struct smc_video *video)
{
    static const char *const comparisons[] = {"eq", "ne", "lt", "le", "gt", "ge"};
    static const char *const seconds[] = {"", "add", "min", "max"};
    struct smc_span name = decoder->statement->opcode;
    char last = name.at[name.bytes - 1];
    *count = last == '2' ? 2 : last == '4' ? 4 : 1;
    name.bytes -= *count > 1;
    for (size_t i = 0; i < sizeof video_functions / sizeof *video_functions; i++)
        if (smc_span_is(name, video_functions[i].name))
            video->function = video_functions[i].function & 15;
    bool sets = smc_span_is(name, "vset");
    video->d_signed = !sets && is_signed(smc_decode_type(decoder, 0));
    video->a_signed = is_signed(smc_decode_type(decoder, !sets));
    video->b_signed = is_signed(smc_decode_type(decoder, 1 + !sets));
    video->wraps = smc_decode_has(decoder, "wrap");
    for (unsigned i = 0; i < 6; i++)
        if (smc_decode_has(decoder, comparisons[i]))
            video->comparison = i & 15;
    for (unsigned i = 1; i < 4; i++)
        if (smc_decode_has(decoder, seconds[i]))
            video->second = i & 3;
    if (smc_span_is(name, "vmad")) {
        video->comparison = smc_decode_has(decoder, "shr7")    ? 7
                            : smc_decode_has(decoder, "shr15") ? 15
                                                               : 0;
        video->second = smc_decode_has(decoder, "po");
    }
    return smc_decode_type(decoder, 1) != SMC_PTX_TYPE_COUNT ||
           smc_decode_refuse(decoder, "its types are unknown");
}

static bool read_video_selectors(struct smc_decoder *decoder, unsigned count,
                                 struct smc_video *video)
{
    const struct smc_operand *operand = decoder->statement->operand;
    unsigned d = 0, a = 0, b = 0;
    if (count == 1) {
        if (!read_part(decoder, &operand[0], &d) || !read_part(decoder, &operand[1], &a) ||
            !read_part(decoder, &operand[2], &b))
            return false;
        video->a_select = (uint16_t)a;
        video->b_select = (uint16_t)b;
    } else if (!decode_video_read_mask(decoder, &operand[0], count, &d) ||
               !decode_video_read_elements(decoder, &operand[1], count, count == 2 ? 0x10 : 0x3210,
                                           &video->a_select) ||
               !decode_video_read_elements(decoder, &operand[2], count, count == 2 ? 0x32 : 0x7654,
                                           &video->b_select)) {
        return false;
    }
    video->d_select = d & 15;
    return true;
}

/* vadd.s32.u32.s32.sat d.h1, a.b0, b.h1, c; vadd4.s32.u32.u32.add d.b20, a.b3210, b.b7654, c; */
bool smc_decode_video(struct smc_decoder *decoder)
{
    struct smc_video video = {0};
    const struct smc_operand *operand = decoder->statement->operand;
    bool multiplies = smc_decode_is(decoder, "vmad");
    unsigned count;
    if (!smc_decode_count(decoder, 3, 4) || !read_video(decoder, &count, &video) ||
        !read_video_selectors(decoder, count, &video))
        return false;
    bool has_third = decoder->statement->operands == 4;
    uint32_t a = smc_decode_source(decoder, &operand[1], SMC_PTX_B32);
    uint32_t b = smc_decode_source(decoder, &operand[2], SMC_PTX_B32);
    uint32_t c = has_third ? smc_decode_source(decoder, &operand[3], SMC_PTX_B32) : a;
    uint32_t d = smc_decode_target(decoder, &operand[0], SMC_PTX_B32);
    struct smc_op *op = smc_decode_emit_alu(decoder,
                                            multiplies   ? smc_video_mad
                                            : count == 1 ? smc_video_scalar
                                                         : smc_video_elements,
                                            SMC_SLOT_32, d, a, b, c);
    if (!op)
        return false;
    __builtin_memcpy(&op->immediate, &video, sizeof video);
    op->vector = (uint8_t)count;
    op->saturates = smc_decode_has(decoder, "sat");
    return true;
}
