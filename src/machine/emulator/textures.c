/* Textures and surfaces: what a texture object reads at given coordinates, and what a surface
   object loads and stores. A texel is where it would be in a row-major array; how a GPU arranges
   them in its memory has no effect on results. Point sampling reads one texel. Linear filtering has
   weights of 8 bits, as CUDA documents it (CUDA C++ Programming Guide, texture fetching); how a GPU
   rounds them and the sum is not documented. Neither races nor sectors of textures are counted. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "machine/emulator/emulator_state.h"
#include "machine/emulator/emulator_steps.h"
#include "machine/narrow.h"
#include "machine/texels.h"

enum { DIMENSIONS = 3 };

uint64_t smc_emulated_texture_handle(size_t index)
{
    return SMC_TEXTURES_BASE + index * SMC_TEXTURE_STEP;
}

static uint64_t row_bytes(const struct smc_emulated_texture *texture)
{
    return (uint64_t)texture->extent[0] * texture->channels * texture->channel_bytes;
}

static uint64_t pitch_of(const struct smc_emulated_texture *texture)
{
    return texture->pitch_bytes > 0 ? texture->pitch_bytes : row_bytes(texture);
}

uint64_t smc_emulated_texture_bytes(const struct smc_emulated_texture *texture)
{
    const uint64_t rows = (uint64_t)texture->extent[1] * texture->extent[2];
    uint64_t bytes;
    if (rows == 0 || row_bytes(texture) == 0)
        return 0;
    if (__builtin_mul_overflow(rows - 1, pitch_of(texture), &bytes) ||
        __builtin_add_overflow(bytes, row_bytes(texture), &bytes))
        return UINT64_MAX;
    return bytes;
}

static struct smc_texture_access access_of(const struct smc_op *op)
{
    struct smc_texture_access access;
    memcpy(&access, &op->immediate, sizeof access);
    return access;
}

/* The object of a lane; NULL, with a finding, if its value is none. */
static const struct smc_emulated_texture *texture_of(struct smc_worker *worker,
                                                     const struct smc_warp *warp,
                                                     const struct smc_op *op, uint32_t lane)
{
    const struct smc_emulation_request *request = worker->launch->request;
    uint64_t handle = ((const lane_u64 *)(warp->file + op->a))[lane];
    uint64_t index = (handle - SMC_TEXTURES_BASE) / SMC_TEXTURE_STEP;
    if (handle >= SMC_TEXTURES_BASE && index < request->texture_count &&
        request->textures[index].channels > 0 && handle == smc_emulated_texture_handle(index))
        return &request->textures[index];
    struct smc_finding finding =
        smc_finding_at(worker, SMC_FINDING_BAD_TEXTURE, op->instruction, smc_thread_of(warp, lane));
    snprintf(finding.note, sizeof finding.note, "value 0x%llx", (unsigned long long)handle);
    smc_find(worker, &finding);
    return NULL;
}

static char *texel_at(const struct smc_worker *worker, const struct smc_emulated_texture *texture,
                      const uint32_t index[DIMENSIONS])
{
    uint64_t row = (uint64_t)index[2] * texture->extent[1] + index[1];
    return (char *)worker->launch->request->arrays[texture->array].data + texture->offset +
           row * pitch_of(texture) +
           (uint64_t)index[0] * texture->channels * texture->channel_bytes;
}

/* --- Channels --------------------------------------------------------------------------------- */

static int64_t extended(const struct smc_emulated_texture *texture, uint32_t bits)
{
    unsigned above = 64 - 8u * texture->channel_bytes;
    return texture->kind == SMC_TEXEL_SIGNED ? (int64_t)((uint64_t)bits << above) >> above : bits;
}

static bool reads_floats(const struct smc_emulated_texture *texture)
{
    return texture->kind == SMC_TEXEL_FLOAT || texture->as_float;
}

/* Integers read as floats are from 0 to 1, or from -1 to 1. */
static double textures_number_of(const struct smc_emulated_texture *texture, uint32_t bits)
{
    if (texture->kind == SMC_TEXEL_FLOAT)
        return texture->channel_bytes == 2 ? smc_of_narrow(&smc_half, bits)
                                           : (double)smc_float_of_bits(bits);
    double value = (double)extended(texture, bits);
    unsigned digits = 8u * texture->channel_bytes - (texture->kind == SMC_TEXEL_SIGNED);
    return fmax(value / (double)((UINT64_C(1) << digits) - 1), -1);
}

static uint32_t channel(const struct smc_emulated_texture *texture, const char *texel, unsigned n)
{
    uint32_t bits = 0;
    if (n < texture->channels)
        memcpy(&bits, texel + (size_t)n * texture->channel_bytes, texture->channel_bytes);
    return bits;
}

/* What the kernel receives of a texel's channel. */
static uint32_t as_read(const struct smc_emulated_texture *texture, const char *texel, unsigned n)
{
    uint32_t bits = channel(texture, texel, n);
    return n >= texture->channels  ? 0
           : reads_floats(texture) ? smc_bits_of_float((float)textures_number_of(texture, bits))
                                   : (uint32_t)extended(texture, bits);
}

/* --- Reading ---------------------------------------------------------------------------------- */

static uint32_t coordinate(const struct smc_warp *warp, const struct smc_op *op, unsigned n,
                           uint32_t lane)
{
    return ((const lane_u32 *)(warp->file + op->list[op->written + n]))[lane];
}

/* The layer is the first coordinate, and the last index. */
static void textures_find_axes(const struct smc_emulated_texture *texture,
                               const struct smc_warp *warp, const struct smc_op *op, uint32_t lane,
                               bool filtered, struct smc_texel_axis axis[DIMENSIONS])
{
    struct smc_texture_access access = access_of(op);
    for (unsigned d = 0; d < DIMENSIONS; d++) {
        uint32_t extent = texture->extent[d];
        uint32_t bits =
            d < access.dimensions ? coordinate(warp, op, d + access.is_layered, lane) : 0;
        if (d >= access.dimensions)
            axis[d] = (struct smc_texel_axis){.inside = {true, true}};
        else if (access.is_integer)
            axis[d] = smc_texel_at_index(texture, bits, extent, access.dimensions);
        else
            axis[d] = filtered ? smc_texels_between(texture, bits, extent)
                               : smc_texel_nearest(texture, bits, extent);
    }
    if (access.is_layered) {
        uint32_t layer = coordinate(warp, op, 0, lane), layers = texture->extent[2];
        axis[2].texel[0] = axis[2].texel[1] = layer < layers ? layer : layers - 1;
    }
}

/* The texel of a corner, where bit d chooses along axis d; NULL: it is outside. */
static const char *corner_of(const struct smc_worker *worker,
                             const struct smc_emulated_texture *texture,
                             const struct smc_texel_axis axis[DIMENSIONS], unsigned corner)
{
    uint32_t index[DIMENSIONS];
    for (unsigned d = 0; d < DIMENSIONS; d++) {
        index[d] = axis[d].texel[corner >> d & 1];
        if (!axis[d].inside[corner >> d & 1])
            return NULL;
    }
    return texel_at(worker, texture, index);
}

static uint32_t filtered(const struct smc_worker *worker,
                         const struct smc_emulated_texture *texture,
                         const struct smc_texel_axis axis[DIMENSIONS], unsigned dimensions,
                         unsigned n)
{
    double sum = 0;
    for (unsigned corner = 0; corner < 1u << dimensions; corner++) {
        const char *texel = corner_of(worker, texture, axis, corner);
        double weight = 1;
        for (unsigned d = 0; d < dimensions; d++) {
            uint32_t part = corner >> d & 1 ? axis[d].weight : SMC_TEXEL_WEIGHT - axis[d].weight;
            weight *= (double)part / SMC_TEXEL_WEIGHT;
        }
        if (texel && weight > 0 && n < texture->channels)
            sum += weight * textures_number_of(texture, channel(texture, texel, n));
    }
    return smc_bits_of_float((float)sum);
}

static bool has_dimensions(const struct smc_emulated_texture *texture,
                           struct smc_texture_access access)
{
    for (unsigned d = access.dimensions; d < DIMENSIONS; d++)
        if (texture->extent[d] > 1 && !(d == 2 && access.is_layered))
            return false;
    return true;
}

/* An access of fewer dimensions than the texture has is a mistake that a GPU does not report. */
static const struct smc_emulated_texture *shaped_texture(struct smc_worker *worker,
                                                         const struct smc_warp *warp,
                                                         const struct smc_op *op, uint32_t lane)
{
    const struct smc_emulated_texture *texture = texture_of(worker, warp, op, lane);
    if (!texture || has_dimensions(texture, access_of(op)))
        return texture;
    struct smc_finding finding =
        smc_finding_at(worker, SMC_FINDING_BAD_TEXTURE, op->instruction, smc_thread_of(warp, lane));
    snprintf(finding.note, sizeof finding.note, "%.90s is %u x %u x %u",
             worker->launch->request->arrays[texture->array].name, texture->extent[0],
             texture->extent[1], texture->extent[2]);
    smc_find(worker, &finding);
    return NULL;
}

static void put_result(struct smc_warp *warp, const struct smc_op *op, unsigned n, uint32_t lane,
                       uint32_t value)
{
    ((lane_u32 *)(warp->file + op->list[n]))[lane] = value;
}

enum smc_next smc_step_texture(struct smc_worker *worker, struct smc_warp *warp,
                               const struct smc_op *op, uint32_t mask)
{
    unsigned dimensions = access_of(op).dimensions;
    bool is_integer = access_of(op).is_integer;
    EACH_ACTIVE(lane, mask) {
        const struct smc_emulated_texture *texture = shaped_texture(worker, warp, op, lane);
        struct smc_texel_axis axis[DIMENSIONS];
        if (!texture)
            continue;
        bool filters = texture->linear && !is_integer && reads_floats(texture);
        textures_find_axes(texture, warp, op, lane, filters, axis);
        const char *texel = corner_of(worker, texture, axis, 0);
        const struct smc_texel read = {texture->array, texel,
                                       (uint32_t)texture->channels * texture->channel_bytes};
        if (texel && !filters)
            smc_memory_read_texel(worker, warp, op, &read, lane);
        uint32_t value[4]; /* first all, because a target may also be a coordinate */
        for (unsigned n = 0; n < op->written; n++)
            value[n] = filters ? filtered(worker, texture, axis, dimensions, n)
                       : texel ? as_read(texture, texel, n)
                               : 0;
        for (unsigned n = 0; n < op->written; n++)
            put_result(warp, op, n, lane, value[n]);
    }
    return SMC_GO_ON;
}

/* One channel of the four texels that a linear filter would read, counterclockwise from the lower
   left. */
enum smc_next smc_step_gather_texels(struct smc_worker *worker, struct smc_warp *warp,
                                     const struct smc_op *op, uint32_t mask)
{
    static const unsigned corners[] = {2, 3, 1, 0};
    EACH_ACTIVE(lane, mask) {
        const struct smc_emulated_texture *texture = shaped_texture(worker, warp, op, lane);
        struct smc_texel_axis axis[DIMENSIONS];
        uint32_t value[4];
        if (!texture)
            continue;
        textures_find_axes(texture, warp, op, lane, true, axis);
        for (unsigned n = 0; n < 4; n++) {
            const char *texel = corner_of(worker, texture, axis, corners[n]);
            value[n] = texel ? as_read(texture, texel, access_of(op).channel) : 0;
        }
        for (unsigned n = 0; n < 4; n++)
            put_result(warp, op, n, lane, value[n]);
    }
    return SMC_GO_ON;
}

enum smc_next smc_step_query_texture(struct smc_worker *worker, struct smc_warp *warp,
                                     const struct smc_op *op, uint32_t mask)
{
    EACH_ACTIVE(lane, mask) {
        const struct smc_emulated_texture *texture = texture_of(worker, warp, op, lane);
        if (texture)
            put_result(warp, op, 0, lane, texture->extent[access_of(op).dimensions]);
    }
    return SMC_GO_ON;
}

/* --- Surfaces --------------------------------------------------------------------------------- */

static void report_outside(struct smc_worker *worker, const struct smc_op *op,
                           enum smc_finding_kind kind, uint32_t thread,
                           const struct smc_emulated_texture *surface,
                           const int64_t index[DIMENSIONS])
{
    struct smc_finding finding = smc_finding_at(worker, kind, op->instruction, thread);
    snprintf(finding.array, sizeof finding.array, "%.60s",
             worker->launch->request->arrays[surface->array].name);
    snprintf(finding.note, sizeof finding.note,
             "byte %lld, y %lld, z or layer %lld of the surface %.60s, whose rows have %llu bytes",
             (long long)index[0], (long long)index[1], (long long)index[2], finding.array,
             (unsigned long long)row_bytes(surface));
    smc_find(worker, &finding);
}

/* Where a lane's access is; NULL: nowhere, and `ends` if that ends the launch. The first index is a
   byte of the row. */
static char *textures_locate(struct smc_worker *worker, const struct smc_warp *warp,
                             const struct smc_op *op, uint32_t lane, bool *ends)
{
    const struct smc_emulated_texture *surface = shaped_texture(worker, warp, op, lane);
    struct smc_texture_access access = access_of(op);
    int64_t index[DIMENSIONS] = {0}, width = (int64_t)access.bytes * access.elements;
    bool outside = false;
    if (!surface)
        return NULL;
    for (unsigned d = 0; d < access.dimensions; d++)
        index[d] = (int32_t)coordinate(warp, op, d + access.is_layered, lane);
    if (access.is_layered)
        index[2] = (int32_t)coordinate(warp, op, 0, lane);
    for (unsigned d = 0; d < DIMENSIONS; d++) {
        int64_t unit = d ? 1 : (int64_t)surface->channels * surface->channel_bytes;
        int64_t last = surface->extent[d] * unit - (d ? 1 : width);
        int64_t place = index[d] < 0 || last < 0 ? 0 : index[d] > last ? last : index[d];
        outside |= place != index[d] || last < 0;
        index[d] = access.boundary == SMC_BOUNDARY_CLAMP ? place : index[d];
    }
    bool is_misaligned = index[0] % width != 0, clamps = access.boundary == SMC_BOUNDARY_CLAMP;
    *ends |= is_misaligned || (outside && access.boundary == SMC_BOUNDARY_TRAP);
    if (is_misaligned || (outside && access.boundary == SMC_BOUNDARY_TRAP))
        report_outside(worker, op,
                       is_misaligned && !outside ? SMC_FINDING_MISALIGNED
                                                 : SMC_FINDING_OUT_OF_BOUNDS,
                       smc_thread_of(warp, lane), surface, index);
    if (is_misaligned || (outside && !clamps))
        return NULL;
    const uint32_t row[DIMENSIONS] = {0, (uint32_t)index[1], (uint32_t)index[2]};
    return texel_at(worker, surface, row) + index[0];
}

static enum smc_next end_if(struct smc_worker *worker, bool ends)
{
    if (!ends)
        return SMC_GO_ON;
    smc_end_launch(worker);
    return SMC_GIVES_UP;
}

enum smc_next smc_step_load_surface(struct smc_worker *worker, struct smc_warp *warp,
                                    const struct smc_op *op, uint32_t mask)
{
    struct smc_texture_access access = access_of(op);
    bool ends = false;
    EACH_ACTIVE(lane, mask) {
        const char *place = textures_locate(worker, warp, op, lane, &ends);
        uint64_t value[4] = {0};
        for (unsigned n = 0; place && n < access.elements; n++)
            memcpy(&value[n], place + (size_t)n * access.bytes, access.bytes);
        for (unsigned n = 0; n < access.elements; n++)
            if (access.bytes == 8)
                ((lane_u64 *)(warp->file + op->list[n]))[lane] = value[n];
            else
                put_result(warp, op, n, lane, (uint32_t)value[n]);
    }
    return end_if(worker, ends);
}

enum smc_next smc_step_store_surface(struct smc_worker *worker, struct smc_warp *warp,
                                     const struct smc_op *op, uint32_t mask)
{
    struct smc_texture_access access = access_of(op);
    unsigned first = access.dimensions + access.is_layered;
    bool ends = false;
    worker->changes++;
    EACH_ACTIVE(lane, mask) {
        char *place = textures_locate(worker, warp, op, lane, &ends);
        for (unsigned n = 0; place && n < access.elements; n++) {
            const char *value = warp->file + op->list[first + n];
            memcpy(place + (size_t)n * access.bytes,
                   value + (size_t)lane * (access.bytes == 8 ? 8u : 4u), access.bytes);
        }
    }
    return end_if(worker, ends);
}
