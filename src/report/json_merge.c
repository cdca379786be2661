/* Reports of many GPUs in JSON. */
#include "report/json_parts.h"

static json_t *number(struct smc_reading value)
{
    return value.present ? smc_json_number(value.value) : json_null();
}

static void add_machine(json_t *object, const struct smc_merge_report *report)
{
    smc_json_known_string(object, "host", report->host);
    smc_json_known_string(object, "gpu_uuid", report->gpu_uuid);
    smc_json_known_string(object, "device", report->device);
    smc_json_known_string(object, "compute_capability", report->cc);
    smc_json_known_string(object, "driver", report->driver);
    smc_json_string(object, "file", report->file);
    smc_json_integer(object, "line", report->line);
}

static json_t *machine_list(const struct smc_merged_question *question)
{
    json_t *list = json_array();
    for (size_t i = 0; i < question->report_count; i++) {
        const struct smc_merge_report *report = question->report[i];
        bool again = i > 0 && report->machine == question->report[i - 1]->machine;
        json_t *object = json_object();
        add_machine(object, report);
        smc_json_set(object, "reported_before", json_boolean(again));
        json_array_append_new(list, object);
    }
    return list;
}

static json_t *value_object(const struct smc_merged_value *value)
{
    json_t *object = json_object();
    smc_json_known_string(object, "host", value->report->host);
    smc_json_known_string(object, "gpu_uuid", value->report->gpu_uuid);
    for (int i = 0; i < SMC_SOURCE_COUNT; i++)
        smc_json_set(object, smc_source_names[i], number(value->row->seen[i]));
    if (value->row->words[0])
        smc_json_string(object, "predicted", value->row->words);
    smc_json_set(object, "odd", json_boolean(value->odd));
    return object;
}

static json_t *peers_object(const struct smc_merged_quantity *quantity,
                            const struct smc_merged_peers *peers)
{
    bool range = quantity->is_rate && peers->common.present;
    json_t *object = json_object(), *values = json_array();
    smc_json_known_string(object, "compute_capability", peers->value->report->cc);
    smc_json_set(object, quantity->is_rate ? "median" : "common", number(peers->common));
    if (range) {
        smc_json_real(object, "least", peers->least);
        smc_json_real(object, "most", peers->most);
    }
    for (size_t i = 0; i < peers->count; i++)
        json_array_append_new(values, value_object(&peers->value[i]));
    smc_json_set(object, "values", values);
    return object;
}

static json_t *quantity_object(const struct smc_merged_quantity *quantity)
{
    json_t *object = json_object(), *peers = json_array();
    smc_json_string(object, "quantity", quantity->name);
    smc_json_string(object, "unit", quantity->unit);
    smc_json_string(object, "verdict", smc_merge_verdict_name(quantity->verdict));
    for (size_t i = 0; i < quantity->peers_count; i++)
        json_array_append_new(peers, peers_object(quantity, &quantity->peers[i]));
    smc_json_set(object, "peers", peers);
    return object;
}

static json_t *question_object(const struct smc_merged_question *question)
{
    json_t *object = json_object(), *list = json_array();
    smc_json_string(object, "question", question->text);
    smc_json_set(object, "machines", machine_list(question));
    for (size_t i = 0; i < question->quantity_count; i++)
        json_array_append_new(list, quantity_object(&question->quantity[i]));
    smc_json_set(object, "quantities", list);
    return object;
}

static json_t *copy_object(const struct smc_merged *merged, const struct smc_merge_report *copy)
{
    const struct smc_merge_report *original = &merged->all[copy->original];
    json_t *object = json_object(), *first = json_object();
    add_machine(object, copy);
    smc_json_string(first, "file", original->file);
    smc_json_integer(first, "line", original->line);
    smc_json_set(object, "first", first);
    return object;
}

void smc_json_merge(json_t *object, const struct smc_merged *merged)
{
    json_t *questions = json_array(), *failed = json_array(), *count = json_object();
    json_t *copies = json_array();
    smc_json_string(object, "verdict", smc_merged_verdict_name(merged));
    smc_json_integer(count, "machines", merged->machines);
    smc_json_integer(count, "emulators", merged->emulators);
    smc_json_integer(count, "quantities", merged->quantities);
    smc_json_integer(count, "disagreeing", merged->disagreeing);
    smc_json_integer(count, "differing", merged->differing);
    smc_json_integer(count, "alone", merged->alone);
    smc_json_integer(count, "outliers", merged->outliers);
    smc_json_integer(count, "not_measured", merged->unseen);
    smc_json_integer(count, "not_compared", merged->not_compared);
    smc_json_integer(count, "failed", merged->failed_count);
    smc_json_integer(count, "given_twice", merged->copy_count);
    smc_json_set(object, "count", count);
    for (size_t i = 0; i < merged->question_count; i++)
        json_array_append_new(questions, question_object(&merged->question[i]));
    smc_json_set(object, "questions", questions);
    for (size_t i = 0; i < merged->failed_count; i++) {
        json_t *machine = json_object();
        add_machine(machine, merged->failed[i]);
        smc_json_string(machine, "error", merged->failed[i]->error);
        json_array_append_new(failed, machine);
    }
    smc_json_set(object, "failed", failed);
    for (size_t i = 0; i < merged->copy_count; i++)
        json_array_append_new(copies, copy_object(merged, merged->copy[i]));
    smc_json_set(object, "given_twice", copies);
}
