/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the answers of a target that are not canonical as text. */
#include "result/answers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "qdiff/element.h"
#include "qdiff/memory_stream.h"
#include "text/describe.h"

/* Answers under way. */
struct answers {
    FILE *out;
    size_t count;
    bool cut;
};

static void take(struct answers *answers, const struct qd_value *value,
                 const struct qd_tensor *have, int64_t i)
{
    struct qd_observation seen = qd_value_observe(value, i);
    enum qd_element judged = qd_element_judge(value, &seen, have, i);
    char number[40];

    if (judged == QD_ELEMENT_UNSPECIFIED || judged == QD_ELEMENT_EXACT)
        return;
    if (answers->count == QD_ANSWERS_MOST) {
        answers->cut = true;
        return;
    }
    fprintf(answers->out, "%s%" PRId64 "%c", answers->count++ > 0 ? " " : "", i,
            judged == QD_ELEMENT_ADMISSIBLE ? '~' : '!');
    fputs(qd_describe_number(have->dtype, qd_tensor_value(have, i), number, sizeof number),
          answers->out);
}

static void write_all(struct answers *answers, const struct qd_evaluated *evaluated,
                      const struct qd_run *run)
{
    for (size_t o = 0; o < evaluated->kase->graph->output_count; o++) {
        const struct qd_value *value = &evaluated->values[o];

        if (o > 0)
            fputc(';', answers->out);
        for (int64_t i = 0; i < value->want.count && !answers->cut; i++)
            take(answers, value, &run->outputs[o], i);
    }
    if (answers->cut)
        fputs(" ...", answers->out);
}

const char *qd_answers_describe(const struct qd_evaluated *evaluated, const struct qd_run *run,
                                struct qd_arena *arena)
{
    struct qd_memory_stream stream;

    if (!qd_memory_open(&stream))
        return NULL;
    struct answers answers = {.out = stream.out};
    write_all(&answers, evaluated, run);
    const char *kept = qd_memory_close(&stream) ? qd_arena_string(arena, stream.text) : NULL;
    free(stream.text);
    return kept;
}
