#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "qdiff/granularity.h"
#include "qdiff/output_quantizer.h"
#include "story.h"

enum { X, SCALE, ZERO_POINT };

/* Which scale and zero point element i uses; −1 if that cannot be told. */
static int64_t parameter_of(const struct qd_story *story, const struct qd_step *step, int64_t i,
                            const char *scale, const char *zero_point)
{
    struct qd_semantics defaults = {0};
    struct qd_evaluation evaluation = {.semantics = &defaults, .arena = story->arena};
    struct qd_granularity granularity;
    const struct qd_tensor *zero = step->in[ZERO_POINT] ? &step->in[ZERO_POINT]->want : NULL;

    if (qd_granularity_read(&evaluation, step->node, &step->in[X]->want, &step->in[SCALE]->want,
                            zero, scale, zero_point, &granularity) != QD_OK) {
        return -1;
    }
    return qd_granularity_index(&granularity, i);
}

static void tell_quantize(const struct qd_story *story, const struct qd_step *step, int64_t i,
                          double scale, int64_t zero_point)
{
    struct qd_semantics defaults = {0};
    enum qd_dtype dtype = step->out[0].want.dtype;
    struct qd_output_quantizer quantizer = qd_output_quantizer_make(&defaults, dtype, zero_point);
    double x = qd_tensor_value(&step->in[X]->want, i);
    struct qd_ratio real;

    fprintf(story->out, "  x / y_scale = %.9g / %.9g\n", x, scale);
    if (!isfinite(x) || !isfinite(scale) || scale <= 0 || !qd_dtype_is_integer(dtype)) {
        return;
    }
    real = qd_ratio_divide(qd_ratio_of_double(x), qd_ratio_of_double(scale));
    fprintf(story->out, "       = %s%s\n", qd_story_ratio(story, real),
            qd_ratio_round(real, QD_ROUND_HALF_EVEN, false).tie
                ? ", exactly half-way between two codes"
                : "");
    fprintf(story->out,
            "  round half to even %" PRId64 ", plus y_zero_point %" PRId64 ", saturated: %" PRId64
            "\n",
            qd_ratio_round(real, QD_ROUND_HALF_EVEN, false).value, zero_point,
            qd_output_quantizer_exact(&quantizer, real));
    fprintf(story->out, "  the quotient in float32 is %.9g: code %" PRId64 "\n",
            (double)((float)x / (float)scale),
            qd_output_quantizer_float(&quantizer, (float)x / (float)scale));
}

bool qd_story_tell_quantize(const struct qd_story *story, const struct qd_step *step, int64_t i)
{
    bool quantizes = strcmp(step->node->op_type, "QuantizeLinear") == 0;
    int64_t parameter;
    double scale, zero_point;

    if (!quantizes && strcmp(step->node->op_type, "DequantizeLinear") != 0) {
        return false;
    }
    parameter = quantizes ? parameter_of(story, step, i, "y_scale", "y_zero_point")
                          : parameter_of(story, step, i, "x_scale", "x_zero_point");
    if (parameter < 0) {
        return false;
    }
    scale = qd_story_operand(step->in[SCALE], parameter, 1);
    zero_point = qd_story_operand(step->in[ZERO_POINT], parameter, 0);
    if (quantizes) {
        tell_quantize(story, step, i, scale, (int64_t)zero_point);
    } else {
        double q = qd_tensor_value(&step->in[X]->want, i);

        fprintf(story->out, "  (q - x_zero_point) * x_scale = (%.17g - %.17g) * %.9g = %.9g\n", q,
                zero_point, scale, (q - zero_point) * scale);
    }
    return true;
}
