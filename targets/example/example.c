/* SPDX-License-Identifier: Apache-2.0 */
/* A plug-in for qdiff: QuantizeLinear, float32 to uint8, one scale, every parameter a run-time input.
 *
 *   cc -std=c11 -shared -fPIC -I<prefix>/include example.c -o libexample.so -lm
 *   qdiff check-target ./libexample.so && qdiff run --target ./libexample.so */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <qdiff/target.h>

enum { FLOAT32 = 1, UINT8 = 2 }; /* onnx.TensorProto.DataType */

static enum qd_target_status refuse(struct qd_target_message *message, const char *why)
{
    snprintf(message->text, sizeof message->text, "example: %s", why);
    return QD_TARGET_REJECTED;
}

static enum qd_target_status open_(const char *version, const char *config, void **target,
                                   struct qd_target_message *message)
{
    static const char nothing[] = "";
    if (*version || *config) {
        snprintf(message->text, sizeof message->text, "example: no version '%s', no setting '%s'",
                 version, config);
        return QD_TARGET_UNUSABLE;
    }
    *target = (void *)(size_t)nothing; /* your runtime's handle */
    return QD_TARGET_OK;
}

static enum qd_target_status describe(void *target, struct qd_target_info *info,
                                      struct qd_target_message *message)
{
    static const struct qd_target_capability can[] = {
        {"QuantizeLinear", "runtime-parameters,y-u8",
         "multi-node,per-channel-scale,per-channel-zero-point,blocked,no-zero-point,int32-input,"
         "float16,bfloat16",
         "only float32 to uint8 with one scale"}};
    (void)target, (void)message;
    *info = (struct qd_target_info){"example", "1", "", 1, can};
    return QD_TARGET_OK;
}

static enum qd_target_status prepare(void *target, const void *model, size_t size, void **prepared,
                                     struct qd_target_message *message)
{
    /* A real plug-in gives the bytes to its importer. This one looks for NodeProto.op_type: field 4, 14 bytes. */
    for (size_t i = 0; i + 16 <= size; i++)
        if (memcmp((const char *)model + i, "\x22\x0eQuantizeLinear", 16) == 0) {
            *prepared = target;
            return QD_TARGET_OK;
        }
    return refuse(message, "no QuantizeLinear in the model");
}

static enum qd_target_status run(void *target, void *prepared, const struct qd_target_tensor *in,
                                 size_t inputs, struct qd_target_tensor *out, size_t outputs,
                                 struct qd_target_message *message)
{
    (void)target, (void)prepared;
    if (inputs != 3 || outputs != 1 || in[0].data_type != FLOAT32 || in[1].data_type != FLOAT32 ||
        in[2].data_type != UINT8 || in[1].size != sizeof(float) || in[2].size != 1)
        return refuse(message, "wants x and y_scale as float32, y_zero_point as uint8");
    int same = out->data_type == UINT8 && out->rank == in->rank &&
               !memcmp(out->dims, in->dims, sizeof in->dims);
    out->data_type = UINT8, out->rank = in->rank;
    memcpy(out->dims, in->dims, sizeof in->dims);
    const float *x = in[0].data, *scale = in[1].data;
    const unsigned char *zero_point = in[2].data;
    for (size_t i = 0; same && i < in[0].size / sizeof *x; i++) {
        double y = (double)nearbyintf(x[i] / *scale) + *zero_point; /* rounds to even, then adds */
        ((unsigned char *)out->data)[i] = (unsigned char)(y > 0 ? (y < 255 ? y : 255) : 0);
    }
    return QD_TARGET_OK;
}

static void release(void *target, void *prepared)
{
    (void)target, (void)prepared;
}

static void close_(void *target)
{
    (void)target;
}

const struct qd_target *qd_target_entry(void)
{
    static const struct qd_target table = {QD_TARGET_ABI, open_,   describe, prepare,
                                           run,           release, close_};
    return &table;
}
