/* SPDX-License-Identifier: Apache-2.0 */
/* A plug-in for tests that declares little and can do nothing. */
#include <stddef.h>

#include "qdiff/target.h"

static enum qd_target_status open_target(const char *version, const char *config, void **target,
                                         struct qd_target_message *message)
{
    (void)version, (void)config, (void)message;
    *target = NULL;
    return QD_TARGET_OK;
}

static enum qd_target_status describe(void *target, struct qd_target_info *info,
                                      struct qd_target_message *message)
{
    static const struct qd_target_capability can[] = {
        {"Relu", "", "", "only Relu"},
        {"Identity", "", "x-u8", "no uint8 here"},
        {"DequantizeLinear", "qdq", "", "only in company"},
        {"Neg", "qdq", "int16", "only between codes, not of 16 bits itself"},
        {"QuantizeLinear", "qdq", "y-u8", "only in company"},
        {"com.microsoft:QLinearSigmoid", "", "", ""},
        {"QLinearLeakyRelu", "", "", "names nothing: the domain is missing"},
        {"ai.onnx:Tanh", "", "", "names nothing: that domain is written without its name"},
        {"example.org:Wobble", "", "", ""},
        {"example.org:", "", "", "the domain is this plug-in's"},
    };
    (void)target, (void)message;
    *info = (struct qd_target_info){"picky", "1.0", "a=1,b=2", sizeof can / sizeof *can, can};
    return QD_TARGET_OK;
}

static enum qd_target_status prepare(void *target, const void *model, size_t model_size,
                                     void **prepared, struct qd_target_message *message)
{
    (void)target, (void)model, (void)model_size, (void)prepared, (void)message;
    return QD_TARGET_REJECTED;
}

static enum qd_target_status run(void *target, void *prepared,
                                 const struct qd_target_tensor *inputs, size_t input_count,
                                 struct qd_target_tensor *outputs, size_t output_count,
                                 struct qd_target_message *message)
{
    (void)target, (void)prepared, (void)inputs, (void)input_count, (void)outputs,
        (void)output_count, (void)message;
    return QD_TARGET_REJECTED;
}

static void release(void *target, void *prepared)
{
    (void)target, (void)prepared;
}

static void close_target(void *target)
{
    (void)target;
}

const struct qd_target *qd_target_entry(void)
{
    static const struct qd_target table = {QD_TARGET_ABI, open_target, describe,    prepare,
                                           run,           release,     close_target};
    return &table;
}
