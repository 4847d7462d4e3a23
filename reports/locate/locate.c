/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the units of a network, one after the other: reference, targets, and the values for what comes after. */
#include "locate/locate.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "locate/helpers.h"
#include "locate/network_inputs.h"
#include "qdiff/evaluate.h"
#include "qdiff/random.h"

#define PIECE_BUDGET ((size_t)3 << 30) /* unless the walk says another */
#define DIAGNOSIS_SECONDS 4.0          /* a unit is larger than a case of the suite */
#define SAMPLE_SHARE 0.25 /* of a unit's work, for each product of one that is too large */
#define MOST_DIAGNOSES 2  /* of units of the same operators that no named quirk explains */

const char *qd_unit_state_word(enum qd_unit_state state)
{
    static const char *const words[] = {
#define QD_UNIT_STATE_WORD(name, word, meaning) word,
        QD_UNIT_STATE_LIST(QD_UNIT_STATE_WORD)
#undef QD_UNIT_STATE_WORD
    };
    return words[state];
}

/* --- Names -------------------------------------------------------------------------------------- */

static const char *short_name(const char *op_type)
{
    return strcmp(op_type, "DequantizeLinear") == 0 ? "DQ"
           : strcmp(op_type, "QuantizeLinear") == 0 ? "Q"
                                                    : op_type;
}

const char *qd_unit_describe(const struct qd_network *network, const struct qd_unit *unit,
                             struct qd_arena *arena)
{
    const char *text = "";

    for (size_t i = 0; i < unit->node_count && text;) {
        const char *name = short_name(network->nodes[unit->nodes[i]].op_type);
        size_t same = 1;

        while (i + same < unit->node_count &&
               strcmp(short_name(network->nodes[unit->nodes[i + same]].op_type), name) == 0)
            same++;
        text = same > 1
                   ? qd_arena_printf(arena, "%s%s%zu %.60s", text, i > 0 ? ", " : "", same, name)
                   : qd_arena_printf(arena, "%s%s%.60s", text, i > 0 ? ", " : "", name);
        i += same;
    }
    return text;
}

/* The operator that the unit is about. */
static const char *principal(const struct qd_network *network, const struct qd_unit *unit)
{
    for (size_t i = 0; i < unit->node_count; i++) {
        const char *op_type = network->nodes[unit->nodes[i]].op_type;

        if (short_name(op_type) == op_type)
            return op_type;
    }
    return network->nodes[unit->root].op_type;
}

/* What an id may not hold becomes '_'. */
static const char *clean(char *text)
{
    for (char *c = text; c && *c != '\0'; c++)
        if (*c <= ' ' || *c > '~' || *c == '\'' || *c == '"' || *c == '\\')
            *c = '_';
    return text;
}

static const char *stem_of(const char *path, struct qd_arena *arena)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    size_t length = strlen(name);

    if (length > 5 && strcmp(name + length - 5, ".onnx") == 0)
        length -= 5;
    return clean(qd_arena_printf(arena, "%.*s", (int)length, name));
}

/* --- A piece under way -------------------------------------------------------------------------- */

/* A unit, or a node of one. */
struct piece {
    struct qd_locate *locate;
    const struct qd_unit *unit;
    struct qd_network_cut cut;
    struct qd_located_unit row;
    bool whole;  /* a part of its elements will not do */
    bool folded; /* everything it reads is computed from constants */
    struct qd_error *error;
};

static enum qd_status no_room(struct qd_error *error)
{
    return qd_fail(error, QD_NO_MEMORY, "no memory for a unit");
}

/* False, with a sentence, where a value is missing. */
static bool bind_inputs(struct piece *piece, struct qd_network_feed *feeds, char *why, size_t size)
{
    const struct qd_locate *locate = piece->locate;

    piece->folded = true;
    for (size_t i = 0; i < piece->unit->input_count; i++) {
        int value = piece->unit->inputs[i];
        const struct qd_kept_value *kept = &locate->kept.items[value];

        if (kept->source == QD_SOURCE_NONE) {
            snprintf(why, size, "nobody could compute '%.80s', which it reads",
                     locate->network->values[value].name);
            return false;
        }
        piece->folded = piece->folded && kept->folded;
        piece->row.from_target = piece->row.from_target || kept->from_target;
        feeds[i] = (struct qd_network_feed){value, kept->tensor, kept->folded};
    }
    return true;
}

static enum qd_status begin_piece(struct qd_locate *locate, const struct qd_unit *unit,
                                  size_t number, size_t part, struct piece *piece,
                                  struct qd_error *error)
{
    struct qd_arena *arena = &locate->piece;
    char suffix[32] = "";

    qd_arena_reset(arena);
    if (part > 0)
        snprintf(suffix, sizeof suffix, ".%zu", part);
    *piece = (struct piece){.locate = locate, .unit = unit, .error = error};
    piece->row = (struct qd_located_unit){
        .number = number, .part = part, .unit = unit, .why = "", .sample = ""};
    piece->row.id = clean(qd_arena_printf(arena, "%s/%04zu%s-%.40s", locate->stem, number, suffix,
                                          principal(locate->network, unit)));
    piece->row.ops = qd_unit_describe(locate->network, unit, arena);
    piece->row.name = unit->output_count > 0 ? locate->network->values[unit->outputs[0]].name : "";
    struct qd_network_feed *feeds = qd_arena_array(arena, unit->input_count, sizeof *feeds);
    if (!piece->row.id || !piece->row.ops || !feeds)
        return no_room(error);
    piece->cut = (struct qd_network_cut){.id = piece->row.id,
                                         .node_count = unit->node_count,
                                         .nodes = unit->nodes,
                                         .feed_count = unit->input_count,
                                         .feeds = feeds,
                                         .output_count = unit->output_count,
                                         .outputs = unit->outputs};
    char why[160];
    if (unit->output_count == 0) {
        piece->row.state = QD_UNIT_STATE_UNKNOWN;
        piece->row.why = "it gives nothing";
    } else if (!bind_inputs(piece, feeds, why, sizeof why)) {
        piece->row.state = QD_UNIT_STATE_UNKNOWN;
        piece->row.why = qd_arena_string(arena, why);
    } else {
        piece->row.state = QD_UNIT_STATE_JUDGED;
    }
    return piece->row.why ? QD_OK : no_room(error);
}

static enum qd_status tell(struct piece *piece)
{
    const struct qd_locate *locate = piece->locate;

    return locate->listener.unit(locate->listener.context, &piece->row, piece->error);
}

/* --- Diagnosis ---------------------------------------------------------------------------------- */

/* A quirk that explained an earlier unit and explains this one. */
static const struct qd_diagnosis *
find_named(struct qd_locate *locate, const struct qd_evaluated *evaluated, const struct qd_run *run)
{
    for (size_t i = 0; i < locate->memory->named_count; i++) {
        const struct qd_diagnosis *named = &locate->memory->named[i].diagnosis;
        size_t count = named->kind == QD_DIAGNOSIS_PAIR ? 2 : 1;

        if (qd_quirks_explain(named->quirks, count, evaluated->kase, evaluated->values, run,
                              &locate->piece))
            return named;
    }
    return NULL;
}

/* Whether a unit of these operators is still worth the search. */
static bool take_diagnosis(struct qd_locate *locate, const char *ops)
{
    struct qd_locate_memory *memory = locate->memory;
    uint64_t hash = qd_random_seed(ops, 0).state;

    for (size_t i = 0; i < memory->shape_count; i++)
        if (memory->shapes[i].hash == hash)
            return memory->shapes[i].count++ < MOST_DIAGNOSES;
    if (memory->shape_count < QD_LOCATE_MOST_SHAPES) {
        memory->shapes[memory->shape_count].hash = hash;
        memory->shapes[memory->shape_count++].count = 1;
    }
    return true;
}

/* Keeps a name, whose texts are in the memory or constants afterwards. */
static void keep_named(struct qd_locate *locate, const struct qd_diagnosis *diagnosis)
{
    struct qd_locate_memory *memory = locate->memory;

    if (diagnosis->quirk_count == 0 || memory->named_count == QD_LOCATE_MOST_NAMED ||
        strlen(diagnosis->label) >= sizeof memory->named[0].label)
        return;
    struct qd_diagnosis kept = *diagnosis;
    char *label = memory->named[memory->named_count].label;
    strcpy(label, diagnosis->label);
    kept.label = label;
    kept.place = kept.facts = "";
    kept.neighbours = kept.divergent = 0;
    memory->named[memory->named_count++].diagnosis = kept;
}

/* One target's answer; a wrong value is diagnosed by what is named already, else anew, but not for ever the same
 * operators. */
static enum qd_status judge_on(struct piece *piece, struct qd_subject *subject,
                               const struct qd_evaluated *evaluated, bool diagnoses,
                               struct qd_result *result)
{
    struct qd_locate *locate = piece->locate;
    struct qd_trial trial;
    struct qd_trial_options how = {.strict = locate->options->strict, .diagnose_known = true};
    const struct qd_diagnose_options diagnose = {.seconds = locate->options->diagnosis_time > 0
                                                                ? locate->options->diagnosis_time
                                                                : DIAGNOSIS_SECONDS};
    enum qd_status status =
        qd_trial_run(subject, evaluated, &how, &locate->piece, &trial, piece->error);

    if (status == QD_OK && !trial.skip)
        locate->target_seconds += trial.run.seconds_target;
    if (status == QD_OK && !trial.skip && diagnoses && !locate->options->no_diagnosis &&
        trial.comparison.verdict == QD_VERDICT_WRONG_VALUE &&
        qd_locate_await_turn(locate, piece->row.number)) {
        trial.diagnosis = find_named(locate, evaluated, &trial.run);
        if (!trial.diagnosis && take_diagnosis(locate, piece->row.ops)) {
            how.diagnose = &diagnose;
            status = qd_trial_run(subject, evaluated, &how, &locate->piece, &trial, piece->error);
            if (status == QD_OK && trial.diagnosis)
                keep_named(locate, trial.diagnosis);
        }
    }
    return status == QD_OK
               ? qd_trial_result(subject, evaluated, &trial, &locate->piece, result, piece->error)
               : status;
}

/* --- Values that the reference does not have ---------------------------------------------------- */

static enum qd_status open_values(struct qd_locate *locate)
{
    struct qd_session_options options = qd_session_options_of(locate->options);
    struct qd_error error;

    if (!locate->values && !locate->values_failed)
        locate->values_failed =
            qd_session_open(&locate->values_from, &options, &locate->values, &error) != QD_OK;
    return locate->values ? QD_OK : QD_UNUSABLE;
}

/* What the target for values gives for the unit; false, and why, if it does not. */
static bool ask_values(struct piece *piece, struct qd_run *run, struct qd_error *error)
{
    struct qd_locate *locate = piece->locate;
    struct qd_case kase;

    if (open_values(locate) != QD_OK) {
        qd_fail(error, QD_UNUSABLE, "the target for values does not open");
        return false;
    }
    if (qd_network_cut_blind(locate->network, &piece->cut, &locate->piece, &kase, error) != QD_OK ||
        qd_session_observe(locate->values, &kase, &locate->piece, run, error) != QD_OK)
        return false;
    if (run->outcome == QD_OUTCOME_OUTPUTS)
        return true;
    qd_fail(error, QD_UNUSABLE, "%s on %s: %.200s", qd_outcome_word(run->outcome),
            qd_session_id(locate->values), run->message);
    return false;
}

static enum qd_status keep_observed(struct piece *piece, const struct qd_run *run)
{
    struct qd_locate *locate = piece->locate;
    enum qd_status status = QD_OK;

    locate->values_used++;
    for (size_t i = 0; i < piece->unit->output_count && status == QD_OK; i++)
        status = qd_kept_values_put(&locate->kept, piece->unit->outputs[i], &run->outputs[i],
                                    QD_SOURCE_TARGET, true, piece->folded, piece->error);
    return status;
}

/* --- Judging ------------------------------------------------------------------------------------ */

/* A tensor for the units after this one: canonical numbers, or where none is canonical one that is right. */
static void settle(const struct qd_value *value)
{
    for (int64_t i = 0; value->flags && i < value->want.count; i++) {
        if (!(value->flags[i] & QD_NO_CANONICAL) || !qd_dtype_is_float(value->want.dtype))
            continue;
        double lo = qd_value_lo(value, i), hi = qd_value_hi(value, i), want = lo / 2 + hi / 2;

        if (isfinite(want))
            qd_tensor_set(&value->want, i,
                          (int64_t)qd_float_encode(value->want.dtype, want, false));
    }
}

static enum qd_status keep_values(struct piece *piece, const struct qd_evaluated *evaluated)
{
    enum qd_status status = QD_OK;

    for (size_t i = 0; i < piece->unit->output_count && status == QD_OK; i++) {
        settle(&evaluated->values[i]);
        status = qd_kept_values_put(&piece->locate->kept, piece->unit->outputs[i],
                                    &evaluated->values[i].want, QD_SOURCE_REFERENCE,
                                    piece->row.from_target, piece->folded, piece->error);
    }
    return status;
}

/* Of a unit that was sampled a target has the values, if one has: nobody is
 * told if none does, but what reads them is. */
static enum qd_status keep_answers(struct piece *piece, const struct qd_evaluated *evaluated)
{
    struct qd_error ignored = {.status = QD_OK};
    struct qd_run run;

    if (piece->row.sample[0] == '\0')
        return keep_values(piece, evaluated);
    return ask_values(piece, &run, &ignored) ? keep_observed(piece, &run) : QD_OK;
}

/* The process that judges it has ended: interrupted like this one, or something is broken. */
static enum qd_status lose_helper(struct piece *piece)
{
    if (!qd_interrupt_seen(piece->locate->interrupt))
        return piece->error->status != QD_OK
                   ? piece->error->status
                   : qd_fail(piece->error, QD_INTERNAL, "a process of --jobs ended early");
    piece->row.state = QD_UNIT_STATE_UNKNOWN;
    piece->row.why = "interrupted";
    return tell(piece);
}

static bool is_right(const struct qd_result *result)
{
    return result->kind == QD_RESULT_PASS || result->kind == QD_RESULT_FIXED;
}

static enum qd_status judge(struct piece *piece, const struct qd_evaluated *evaluated)
{
    struct qd_locate *locate = piece->locate;
    size_t count = locate->targets->count;
    struct qd_result *results = qd_arena_array(&locate->piece, count, sizeof *results);
    enum qd_status status = QD_OK;
    bool compared = false;

    if (!results)
        return no_room(piece->error);
    bool mine = qd_locate_is_mine(locate, piece->row.number);
    if (!mine && !locate->team)
        return keep_answers(piece, evaluated);
    if (!mine && !qd_locate_helpers_read(locate, piece->row.number, results, piece->error))
        return lose_helper(piece);
    for (size_t i = 0; i < count && status == QD_OK; i++) {
        if (mine)
            status = judge_on(piece, &locate->targets->items[i], evaluated, true, &results[i]);
        compared = compared || (status == QD_OK && results[i].kind != QD_RESULT_SKIP);
        if (piece->row.part == 0)
            locate->right[(piece->row.number - 1) * count + i] =
                status == QD_OK && is_right(&results[i]);
    }
    if (status != QD_OK)
        return status;
    for (size_t i = 0; i < count; i++)
        results[i].sample = results[i].kind == QD_RESULT_SKIP ? "" : piece->row.sample;
    for (size_t i = 0; i < piece->unit->node_count && compared; i++)
        locate->judged[piece->unit->nodes[i]] = true;
    piece->row.state = compared ? QD_UNIT_STATE_JUDGED : QD_UNIT_STATE_UNDECLARED;
    piece->row.results = results;
    piece->row.result_count = count;
    piece->row.evaluated = evaluated;
    status = tell(piece);
    return status == QD_OK ? keep_answers(piece, evaluated) : status;
}

static const char *describe_sample(const struct qd_sample *sample, struct qd_arena *arena)
{
    const char *channels =
        sample->chosen_channels == 0
            ? ""
            : qd_arena_printf(arena, "all of %" PRId64 " of %" PRId64 " channels, and ",
                              sample->chosen_channels, sample->channels);

    return channels
               ? qd_arena_printf(arena, "%sall channels at %" PRId64 " of %" PRId64 " positions",
                                 channels, sample->chosen_positions, sample->positions)
               : NULL;
}

/* The whole unit, or where that costs too much a part of its elements. */
static enum qd_status evaluate_case(struct piece *piece, const struct qd_case *kase,
                                    struct qd_evaluated *evaluated, struct qd_error *why)
{
    struct qd_arena *arena = &piece->locate->piece;
    double work = piece->locate->work > 0 ? piece->locate->work : QD_MAX_WORK;
    struct qd_sample sample = {.work = work * SAMPLE_SHARE};
    struct qd_error first = {.status = QD_OK};
    enum qd_status status = qd_case_evaluate_within(work, NULL, kase, arena, evaluated, &first);

    if (status != QD_LIMIT || piece->whole) {
        *why = first;
        return status;
    }
    status = qd_case_evaluate_within(work, &sample, kase, arena, evaluated, why);
    if (status != QD_OK || sample.channels == 0)
        return status;
    piece->row.sample = describe_sample(&sample, arena);
    return piece->row.sample ? QD_OK : no_room(why);
}

/* Cuts the unit out and evaluates it. What fails here is the reference's business: the unit can still be run. */
static enum qd_status evaluate(struct piece *piece, struct qd_case *kase,
                               struct qd_evaluated *evaluated, struct qd_error *why)
{
    struct qd_locate *locate = piece->locate;
    struct qd_case undeclared;
    enum qd_status status =
        qd_network_cut_case(locate->network, &piece->cut, NULL, &locate->piece, &undeclared, why);

    if (status == QD_OK)
        status = evaluate_case(piece, &undeclared, evaluated, why);
    if (status == QD_OK)
        status = qd_network_cut_case(locate->network, &piece->cut, evaluated->shapes,
                                     &locate->piece, kase, why);
    if (status == QD_OK)
        evaluated->kase = kase;
    return status;
}

/* --- Units that nobody judges -------------------------------------------------------------------- */

/* Says why the unit has no values. */
static enum qd_status give_up(struct piece *piece, const char *reference, const char *target)
{
    piece->row.state = QD_UNIT_STATE_UNKNOWN;
    piece->row.why = qd_arena_printf(&piece->locate->piece, "%.300s; %.300s", reference, target);
    return piece->row.why ? tell(piece) : no_room(piece->error);
}

/* Has the target compute the unit. */
static enum qd_status observe(struct piece *piece, const struct qd_error *why)
{
    struct qd_error error = {.status = QD_OK};
    struct qd_run run;

    if (!ask_values(piece, &run, &error))
        return give_up(piece, why->text, error.text);
    piece->row.state = QD_UNIT_STATE_OPAQUE;
    piece->row.why = qd_arena_string(&piece->locate->piece, why->text);
    if (!piece->row.why)
        return no_room(piece->error);
    enum qd_status status = keep_observed(piece, &run);
    return status == QD_OK ? tell(piece) : status;
}

/* --- Units -------------------------------------------------------------------------------------- */

/* Whether the piece's values are there already: a node of two blocks that were taken apart. */
static bool is_done(const struct qd_locate *locate, const struct qd_unit *unit)
{
    for (size_t i = 0; i < unit->output_count; i++)
        if (locate->kept.items[unit->outputs[i]].source == QD_SOURCE_NONE)
            return false;
    return unit->output_count > 0;
}

static enum qd_status run_piece(struct qd_locate *locate, const struct qd_unit *unit, size_t number,
                                size_t part, struct qd_error *error);

/* A block that the reference cannot take, node by node. */
static enum qd_status take_apart(struct qd_locate *locate, const struct qd_unit *unit,
                                 size_t number, struct qd_error *error)
{
    enum qd_status status = QD_OK;

    for (size_t i = 0; i < unit->node_count && status == QD_OK; i++) {
        struct qd_unit one;

        status = qd_unit_of_node(locate->network, unit->nodes[i], locate->arena, &one, error);
        if (status == QD_OK && !is_done(locate, &one))
            status = run_piece(locate, &one, number, i + 1, error);
    }
    return status;
}

static enum qd_status run_piece(struct qd_locate *locate, const struct qd_unit *unit, size_t number,
                                size_t part, struct qd_error *error)
{
    struct piece piece;
    struct qd_case kase;
    struct qd_evaluated evaluated;
    struct qd_error why = {.status = QD_OK};
    enum qd_status status = begin_piece(locate, unit, number, part, &piece, error);

    if (status != QD_OK)
        return status;
    if (piece.row.state == QD_UNIT_STATE_UNKNOWN)
        return tell(&piece);
    if (evaluate(&piece, &kase, &evaluated, &why) == QD_OK)
        return judge(&piece, &evaluated);
    return unit->node_count > 1 ? take_apart(locate, unit, number, error) : observe(&piece, &why);
}

enum qd_status qd_locate_begin(struct qd_locate *locate, FILE *out, struct qd_error *error)
{
    const struct qd_network *network = locate->network;
    struct qd_arena *arena = locate->arena;

    size_t budget = locate->budget > 0 ? locate->budget : PIECE_BUDGET;
    qd_arena_init(&locate->piece, budget);
    qd_arena_init(&locate->joined, budget);
    locate->stem = stem_of(network->path, arena);
    locate->quantized = qd_arena_array(arena, network->node_count, sizeof *locate->quantized);
    locate->judged = qd_arena_array(arena, network->node_count, sizeof *locate->judged);
    locate->memory =
        locate->shared ? &locate->shared->memory : qd_arena_array(arena, 1, sizeof *locate->memory);
    if (!locate->stem || !locate->quantized || !locate->judged || !locate->memory)
        return no_room(error);
    enum qd_status status =
        qd_units_find(network, arena, &locate->units, &locate->unit_count, error);
    if (status == QD_OK) {
        locate->right = qd_arena_array(arena, locate->unit_count,
                                       locate->targets->count * sizeof *locate->right);
        status = locate->right ? QD_OK : no_room(error);
    }
    for (size_t i = 0; status == QD_OK && i < locate->unit_count; i++) {
        bool quantized = qd_unit_is_quantized(network, &locate->units[i]);

        for (size_t j = 0; j < locate->units[i].node_count && quantized; j++)
            locate->quantized[locate->units[i].nodes[j]] = true;
    }
    if (status == QD_OK)
        status = qd_kept_values_init(&locate->kept, network, locate->units, locate->unit_count,
                                     arena, error);
    return status == QD_OK
               ? qd_network_inputs_put(network, locate->options, arena, &locate->kept, out, error)
               : status;
}

enum qd_status qd_locate_run(struct qd_locate *locate, size_t *done, struct qd_error *error)
{
    enum qd_status status = QD_OK;

    for (*done = 0; *done < locate->unit_count && !qd_interrupt_seen(locate->interrupt); ++*done) {
        const struct qd_unit *unit = &locate->units[*done];

        qd_locate_publish_turn(locate, *done + 1);
        status = run_piece(locate, unit, *done + 1, 0, error);
        if (status != QD_OK)
            return status;
        if (!locate->options->end_to_end)
            qd_kept_values_forget(&locate->kept, locate->network, unit, *done);
    }
    qd_locate_publish_turn(locate, *done + 1);
    return QD_OK;
}

/* --- Regions ------------------------------------------------------------------------------------ */

bool qd_locate_is_right(const struct qd_locate *locate, size_t unit, size_t target)
{
    return locate->right[unit * locate->targets->count + target];
}

static enum qd_status run_region(struct piece *piece, size_t target,
                                 const struct qd_locate_listener *listener,
                                 enum qd_region_answer *answer)
{
    struct qd_locate *locate = piece->locate;
    struct qd_case kase;
    struct qd_evaluated evaluated;
    struct qd_result result;
    struct qd_error why = {.status = QD_OK};

    *answer = QD_REGION_TOO_LARGE;
    if (piece->row.state == QD_UNIT_STATE_UNKNOWN ||
        evaluate(piece, &kase, &evaluated, &why) != QD_OK)
        return QD_OK;
    enum qd_status status =
        judge_on(piece, &locate->targets->items[target], &evaluated, listener != NULL, &result);
    if (status != QD_OK || result.kind == QD_RESULT_SKIP)
        return status;
    *answer = is_right(&result) ? QD_REGION_RIGHT : QD_REGION_DIFFERS;
    piece->row.results = &result;
    piece->row.result_count = 1;
    piece->row.first_target = target;
    piece->row.evaluated = &evaluated;
    if (listener && *answer == QD_REGION_DIFFERS)
        status = listener->unit(listener->context, &piece->row, piece->error);
    piece->row.results = NULL; /* both end here */
    piece->row.evaluated = NULL;
    return status;
}

enum qd_status qd_locate_region(struct qd_locate *locate, size_t first, size_t count, size_t target,
                                const struct qd_locate_listener *listener,
                                enum qd_region_answer *answer, struct qd_error *error)
{
    struct qd_unit joined;
    struct piece piece;

    *answer = QD_REGION_TOO_LARGE;
    qd_arena_reset(&locate->joined);
    enum qd_status status = qd_unit_join(locate->network, &locate->units[first], count,
                                         &locate->joined, &joined, error);
    if (status == QD_OK)
        status = begin_piece(locate, &joined, first + 1, 0, &piece, error);
    if (status != QD_OK)
        return status;
    piece.whole = true;
    piece.row.last = first + count;
    return run_region(&piece, target, listener, answer);
}

const char *qd_locate_values_id(const struct qd_locate *locate)
{
    return locate->values ? qd_session_id(locate->values) : "";
}

void qd_locate_end(struct qd_locate *locate)
{
    qd_session_close(locate->values);
    qd_kept_values_clear(&locate->kept);
    qd_arena_clear(&locate->piece);
    qd_arena_clear(&locate->joined);
}
