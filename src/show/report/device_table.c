/* A table that compares devices. */
#include "show/report/writers.h"

#include <stdio.h>

enum { LABEL_WIDTH = 8, LEAST_WIDTH = 18, MOST_WIDTH = 26 };

/* Devices next to each other. */
struct band {
    const struct smc_device_table *table;
    size_t first, end;
    int width; /* of one */
};

static const char *device_table_name_of(const struct smc_device *device)
{
    bool board = device->source != SMC_DEVICE_TABLE || device->sm_count > 0;
    return board ? smc_device_model(device) : "any board";
}

static void device_table_append_cell(const struct band *band, const char *text,
                                     struct smc_text *line)
{
    smc_text_append(line, "  ");
    smc_text_cell(line, text, band->width - 2);
}

static void device_table_append_head(const struct band *band, struct smc_text *out)
{
    struct smc_text names = {0}, capabilities = {0}, heads = {0};
    smc_text_append_char(&names, ' ', LABEL_WIDTH);
    smc_text_append_char(&capabilities, ' ', LABEL_WIDTH);
    smc_text_printf(&heads, "%*s", LABEL_WIDTH, band->table->row_head);
    for (size_t i = band->first; i < band->end; i++) {
        const struct smc_device *device = band->table->device(band->table->context, i);
        char capability[16];
        snprintf(capability, sizeof capability, "CC %d.%d", device->sm.cc / 10, device->sm.cc % 10);
        device_table_append_cell(band, device_table_name_of(device), &names);
        device_table_append_cell(band, capability, &capabilities);
        device_table_append_cell(band, band->table->cell_head, &heads);
    }
    smc_text_append_char(out, '\n', 1);
    smc_layout_emphatic_row(out, SMC_STRONG, &names);
    smc_layout_row(out, &capabilities);
    smc_layout_row(out, &heads);
}

static void device_table_append_row(const struct band *band, size_t row, struct smc_text *out)
{
    const struct smc_device_table *table = band->table;
    smc_auto_text line = {0}, label = {0};
    bool any = false;
    table->label(table->context, row, &label);
    smc_text_printf(&line, "%*s", LABEL_WIDTH, smc_text_string(&label));
    for (size_t i = band->first; i < band->end; i++) {
        smc_auto_text cell = {0};
        table->cell(table->context, i, row, &cell);
        any |= cell.length > 0;
        device_table_append_cell(band, cell.length ? smc_text_string(&cell) : "-", &line);
    }
    if (any)
        smc_layout_row(out, &line);
    else
        smc_text_free(&line);
}

void smc_device_table(const struct smc_device_table *table, struct smc_text *out)
{
    size_t space = out->style->columns - LABEL_WIDTH, most = space / LEAST_WIDTH;
    size_t bands = (table->devices + most - 1) / most;
    size_t each = (table->devices + bands - 1) / bands; /* about as many in each band */
    size_t width = space / each;
    for (size_t first = 0; first < table->devices; first += each) {
        size_t end = first + each < table->devices ? first + each : table->devices;
        struct band band = {table, first, end, (int)(width < MOST_WIDTH ? width : MOST_WIDTH)};
        device_table_append_head(&band, out);
        for (size_t row = 0; row < table->rows; row++)
            device_table_append_row(&band, row, out);
    }
    smc_text_append_char(out, '\n', 1);
}
