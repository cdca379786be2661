/* Source lines of machine code: the line tables of DWARF 2 to 4 that -lineinfo adds to cubins. In
   NVIDIA's tables, extended opcode 0x90 begins inlined code: it has the row of the call, from 1 in
   the rows of the same function, or 0 for code that was not inlined. Found in what nvcc and
   NVRTC 13.0 write for sm_75 to sm_120, and NVRTC 13.5 (DWARF 3) for sm_90. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "code/machine_code.h"

/* A part of the section. After a fault it is empty. */
struct line_bytes {
    const unsigned char *at, *end;
};

static uint64_t lines_read_word(struct line_bytes *bytes, size_t count)
{
    uint64_t word = 0;
    if ((size_t)(bytes->end - bytes->at) < count) {
        bytes->at = bytes->end;
        return 0;
    }
    for (size_t i = 0; i < count; i++)
        word |= (uint64_t)bytes->at[i] << 8 * i;
    bytes->at += count;
    return word;
}

/* A number in base 128, the low digits first; the last digit is below 128. */
static uint64_t lines_read_number(struct line_bytes *bytes, bool is_signed)
{
    enum { DIGIT_BITS = 7, SIGN = 0x40, MORE = 0x80, WORD_BITS = 64 };
    uint64_t number = 0;
    unsigned shift = 0;
    while (bytes->at < bytes->end) {
        const unsigned char digit = *bytes->at++;
        if (shift < WORD_BITS)
            number |= (uint64_t)(digit & (MORE - 1)) << shift;
        shift += DIGIT_BITS;
        if (digit & MORE)
            continue;
        if (is_signed && digit & SIGN && shift < WORD_BITS)
            number |= UINT64_MAX << shift;
        break;
    }
    return number;
}

static const char *lines_read_name(struct line_bytes *bytes)
{
    const char *name = (const char *)bytes->at;
    const unsigned char *end = memchr(bytes->at, '\0', (size_t)(bytes->end - bytes->at));
    bytes->at = end ? end + 1 : bytes->end;
    return end ? name : "";
}

/* What begins at an address. */
struct line_row {
    uint64_t address;
    uint32_t file, line;
    uint32_t call; /* the row of the call that was inlined; 0: none */
};

/* The table of one compilation, whose programs give the rows of functions. */
struct line_table {
    struct line_bytes files, program;
    const unsigned char *operands; /* how many each opcode has, from the first one */
    uint8_t least_bytes, range, first_special;
    int8_t base;
    struct line_row now;
    struct line_row *row; /* of the wanted function */
    size_t count, capacity;
    bool is_wanted;
};

/* Moves `section` past the table. False: none is left, or in a format that is not known. */
static bool lines_open_table(struct line_bytes *section, struct line_table *table)
{
    enum { OPCODES = 10 /* at least */, OLDEST = 2, NEWEST = 4 };
    const uint64_t length = lines_read_word(section, 4);
    struct line_bytes unit = {section->at, section->at};
    if (length == 0 || length > (uint64_t)(section->end - section->at))
        return false;
    unit.end = section->at += length;
    const uint64_t version = lines_read_word(&unit, 2), header = lines_read_word(&unit, 4);
    if (version < OLDEST || version > NEWEST || header > (uint64_t)(unit.end - unit.at))
        return false;
    table->program = (struct line_bytes){unit.at + header, unit.end};
    table->files = (struct line_bytes){unit.at, unit.at + header};
    table->least_bytes = (uint8_t)lines_read_word(&table->files, 1);
    if (version == NEWEST)
        lines_read_word(&table->files, 1);
    lines_read_word(&table->files, 1);
    table->base = (int8_t)lines_read_word(&table->files, 1);
    table->range = (uint8_t)lines_read_word(&table->files, 1);
    table->first_special = (uint8_t)lines_read_word(&table->files, 1);
    if (table->range == 0 || table->first_special < OPCODES ||
        table->first_special > table->files.end - table->files.at)
        return false;
    table->operands = table->files.at;
    table->files.at += table->first_special - 1;
    while (*lines_read_name(&table->files)) /* the folders */
        ;
    return true;
}

static void lines_add_row(struct line_table *table)
{
    if (!table->is_wanted)
        return;
    if (smc_make_room(&table->row, table->count, &table->capacity, sizeof *table->row))
        table->row[table->count++] = table->now;
    else
        table->program.at = table->program.end;
}

static const struct line_row first_row = {.file = 1, .line = 1};

static void lines_execute_extended(struct line_table *table, const unsigned char *wanted)
{
    enum { END = 1, SET_ADDRESS = 2, BEGIN_INLINED = 0x90 };
    const uint64_t length = lines_read_number(&table->program, false);
    struct line_bytes operands = table->program;
    if (length > (uint64_t)(operands.end - operands.at)) {
        table->program.at = table->program.end;
        return;
    }
    operands.end = table->program.at += length;
    const uint64_t opcode = lines_read_word(&operands, 1);
    if (opcode == END) {
        table->now = first_row;
        if (table->is_wanted)
            table->program.at = table->program.end;
    } else if (opcode == SET_ADDRESS) {
        table->is_wanted |= operands.at == wanted;
    } else if (opcode == BEGIN_INLINED) {
        table->now.call = (uint32_t)lines_read_number(&operands, false);
    }
}

static void lines_advance(struct line_table *table, uint64_t instructions)
{
    table->now.address += instructions * table->least_bytes;
}

static void lines_execute(struct line_table *table, const unsigned char *wanted)
{
    enum {
        EXTENDED,
        COPY,
        ADVANCE_PC,
        ADVANCE_LINE,
        SET_FILE,
        SET_COLUMN,
        NEGATE,
        BASIC_BLOCK,
        CONST_ADD_PC,
        FIXED_ADVANCE_PC
    };
    struct line_bytes *program = &table->program;
    const uint8_t opcode = (uint8_t)lines_read_word(program, 1);
    const uint8_t special = (uint8_t)(opcode - table->first_special);
    switch (opcode) {
    case EXTENDED:
        lines_execute_extended(table, wanted);
        break;
    case COPY:
        lines_add_row(table);
        break;
    case ADVANCE_PC:
        lines_advance(table, lines_read_number(program, false));
        break;
    case ADVANCE_LINE:
        table->now.line += (uint32_t)lines_read_number(program, true);
        break;
    case SET_FILE:
        table->now.file = (uint32_t)lines_read_number(program, false);
        break;
    case SET_COLUMN:
        lines_read_number(program, false);
        break;
    case NEGATE:
    case BASIC_BLOCK:
        break;
    case CONST_ADD_PC:
        lines_advance(table, (uint64_t)((UINT8_MAX - table->first_special) / table->range));
        break;
    case FIXED_ADVANCE_PC:
        table->now.address += lines_read_word(program, 2);
        break;
    default:
        if (opcode < table->first_special) {
            for (int i = table->operands[opcode - 1]; i > 0; i--)
                lines_read_number(program, false);
            break;
        }
        lines_advance(table, special / table->range);
        table->now.line += (uint32_t)(table->base + special % table->range);
        lines_add_row(table);
    }
}

/* Where the section has the address of a kernel, which the loader would write; NULL: it is not in
   it. */
static const unsigned char *lines_find_kernel(const struct smc_cubin *cubin, const char *kernel,
                                              const struct line_bytes *section)
{
    static const char text[] = ".text.";
    struct smc_cubin_address address;
    size_t at = 0;
    while (smc_cubin_next_address(cubin, ".debug_line", &at, &address))
        if (address.offset == 0 && strncmp(address.of_section, text, strlen(text)) == 0 &&
            strcmp(address.of_section + strlen(text), kernel) == 0 &&
            address.place < (uint64_t)(section->end - section->at))
            return section->at + address.place;
    return NULL;
}

/* The row of an offset. Of inlined code, that of the innermost call in the file that defines the
   kernel, which is the file of its first row. */
static const struct line_row *lines_find_row(const struct line_table *table, uint64_t offset)
{
    size_t found = 0;
    for (size_t i = 0; i < table->count; i++)
        if (table->row[i].address <= offset)
            found = i + 1;
    while (found > 0 && table->row[found - 1].file != table->row[0].file &&
           table->row[found - 1].call < found && table->row[found - 1].call > 0)
        found = table->row[found - 1].call;
    return found > 0 ? &table->row[found - 1] : NULL;
}

/* The name of a file, without its folder. */
static const char *lines_find_file(struct line_bytes files, uint32_t number)
{
    const char *name;
    while (*(name = lines_read_name(&files)) && --number > 0)
        for (int i = 0; i < 3; i++) /* folder, time, size */
            lines_read_number(&files, false);
    const char *slash = strrchr(name, '/');
    return slash ? slash + 1 : name;
}

bool smc_cubin_append_line(const struct smc_cubin *cubin, const char *kernel, uint64_t offset,
                           struct smc_text *text)
{
    const void *data = NULL;
    const size_t size = smc_cubin_section(cubin, ".debug_line", &data);
    struct line_bytes section = {data, data ? (const unsigned char *)data + size : data};
    const unsigned char *wanted = lines_find_kernel(cubin, kernel, &section);
    struct line_table table = {0};
    char name[64];
    bool found = false;
    while (wanted && table.count == 0 && lines_open_table(&section, &table)) {
        table.now = first_row;
        table.is_wanted = false;
        while (table.program.at < table.program.end)
            lines_execute(&table, wanted);
        const struct line_row *row = lines_find_row(&table, offset);
        const char *file = row && row->file > 0 ? lines_find_file(table.files, row->file) : "";
        if (*file && row->line > 0) {
            snprintf(name, sizeof name, "%s", file);
            smc_utf8_make_safe(name);
            smc_text_printf(text, "%s:%u", name, row->line);
            found = true;
        }
    }
    free(table.row);
    return found;
}
