/* The predicted time of a user's kernel: its machine code with the arguments that were typed. */
#include "hardware/executor/user_time.h"

_Static_assert((int)SMC_MAX_USER_ARGUMENTS <= (int)SMC_TIME_MOST_ARGUMENTS,
               "a user's kernel has no more arguments than the model of time accepts");

static void user_time_add_arguments(const struct smc_user_request *request,
                                    struct smc_time_arguments *arguments)
{
    for (size_t i = 0; i < request->argument_count; i++) {
        const struct smc_user_argument *argument = &request->argument[i];
        uint64_t bytes = smc_user_argument_bytes(argument);
        if (argument->is_buffer)
            smc_time_add_parameter(arguments, smc_time_add_array(arguments, bytes),
                                   sizeof(uint64_t));
        else
            smc_time_add_parameter(arguments, argument->bits, (size_t)bytes);
    }
}

enum smc_status smc_user_find_time(struct smc_user_run *run, struct smc_error *error)
{
    struct smc_time_arguments arguments = {0};
    for (size_t i = 0; i < run->request.argument_count; i++)
        if (run->request.argument[i].form != SMC_USER_PLAIN) {
            smc_time_unknown(&run->answer.time,
                             "structures, addresses and textures among the arguments");
            return SMC_OK;
        }
    user_time_add_arguments(&run->request, &arguments);
    run->answer.query.ceilings = run->request.ceilings;
    return smc_query_predict_time(&run->answer, &run->compiled.binary, run->row.kernel->name,
                                  &arguments, error);
}
