/* SPDX-License-Identifier: Apache-2.0 */
/* Cases made of an operator's row alone: its factors, and the case of a row of levels. Internal to the cases layer. */
#ifndef QDIFF_DERIVED_INTERNAL_H
#define QDIFF_DERIVED_INTERNAL_H

#include "families/maker.h"
#include "qdiff/derived.h"
#include "qdiff/evaluate.h"
#include "qdiff/random.h"

/* What a factor is about. `which` says more. */
enum qd_derived_kind {
    QD_DERIVED_OPSET,
    QD_DERIVED_TYPE,        /* of the first operand, bare or between codes */
    QD_DERIVED_WEIGHT_TYPE, /* of the second one */
    QD_DERIVED_OUTPUT_TYPE, /* of the output's zero point */
    QD_DERIVED_SCALE_TYPE,
    QD_DERIVED_RANK,
    QD_DERIVED_EXTENT,      /* which: number of the layout's extent */
    QD_DERIVED_EQUAL,       /* every extent takes the first one's size */
    QD_DERIVED_SHAPES,      /* how the second operand's shape differs */
    QD_DERIVED_OPERAND,     /* which: a bias, a parameter or another operand that may be absent */
    QD_DERIVED_CONTROL,     /* which: an operand that is no number to compute with */
    QD_DERIVED_ATTRIBUTE,   /* which: row of the attributes' table */
    QD_DERIVED_ZERO,        /* which: whose zero point */
    QD_DERIVED_GRANULARITY, /* which: whose parameters */
    QD_DERIVED_BINDING,     /* which: what is fed at run time */
    QD_DERIVED_ALIAS,       /* one tensor as two operands */
    QD_DERIVED_COMPUTED,    /* every operand is what another node gives */
    QD_DERIVED_READERS,     /* the output is read by one more node */
    QD_DERIVED_COUNT,       /* of operands that repeat */
    QD_DERIVED_ALONE /* the last factor: its levels meet no others, one case of each is enough */
};

/* Whose parameters; what is bound. */
enum { QD_DERIVED_X, QD_DERIVED_W, QD_DERIVED_Y, QD_DERIVED_PARAMETERS, QD_DERIVED_CONTROLS };

/* How the shapes of an operator's operands hang together. */
enum qd_derived_layout {
    QD_LAYOUT_ANY,       /* any rank; further operands broadcast */
    QD_LAYOUT_JOIN,      /* the same shape but along an axis */
    QD_LAYOUT_CHANNELS,  /* [N, C, D1…Dn] */
    QD_LAYOUT_CONV,      /* and filters [M, C/group, k1…kn] */
    QD_LAYOUT_CONV_BACK, /* filters [C, M/group, k1…kn] */
    QD_LAYOUT_MATMUL,    /* […, M, K] and […, K, N] */
    QD_LAYOUT_GEMM,      /* the same as matrices, transposed or not */
    QD_LAYOUT_NBITS      /* […, K] and [N, blocks, blob] */
};

struct qd_derived {
    const struct qd_op *op;
    enum qd_derived_layout layout;
    struct qd_factor factors[QD_COVERING_MAX_FACTORS];
    struct {
        enum qd_derived_kind kind;
        int which;
    } about[QD_COVERING_MAX_FACTORS];
    unsigned count;
};

/* The factors of an operator, by its row. LIMIT: more than there is room for. */
enum qd_status qd_derived_read(const struct qd_op *op, struct qd_derived *outline,
                               struct qd_error *error);

/* Whether it has rows of plain types (learn.h): of operators that have parameters or sum. */
bool qd_derived_has_plain(const struct qd_derived *outline);

/* How many of the last levels of factor f plain rows alone have. */
unsigned qd_derived_held(const struct qd_derived *outline, unsigned f);

/* The factor about that, -1 if there is none. */
int qd_derived_factor(const struct qd_derived *outline, enum qd_derived_kind kind, int which);

bool qd_derived_has_attribute(const struct qd_op *op, const char *name);

/* --- A case under construction -------------------------------------------------------------------- */

struct qd_derived_shape {
    unsigned rank;
    int64_t dims[QD_MAX_RANK];
};

#define QD_DERIVED_ATTRIBUTES 16

struct qd_derived_draft {
    const struct qd_derived *outline;
    const uint8_t *row;
    const char
        *alone; /* the word of its level of that kind: each element of an operand asks for it */
    bool small; /* large extents are taken smaller, for a quick look at whether they go together */
    struct qd_maker maker;
    struct qd_random random, jitter; /* of the numbers; of the scales: as it began */
    int64_t opset;
    bool coded;         /* operands come from DequantizeLinear, the output goes to QuantizeLinear */
    enum qd_dtype x, w; /* types of the codes or of the operands themselves */
    unsigned rank;      /* of the first operand */
    int64_t count;      /* of operands that repeat */
    unsigned inputs, outputs;
    struct qd_derived_shape shapes[QD_MAX_OPERANDS];
    int64_t terms;       /* what an element of the output sums */
    int64_t channels[3]; /* for per-channel parameters of x, w and y; 0: there are none */
    int64_t channel_axis[3];
    const char
        *shared[2]; /* the first scale and zero point, for others of their type; NULL: none yet */
    enum qd_dtype shared_types[2];
    bool shares; /* another took them */
    size_t added_count;
    struct qd_derived_added {
        const char *name;
        struct qd_tensor tensor;
    } added[2 * QD_MAX_OPERANDS];
    size_t attribute_count;
    struct qd_attr attributes[QD_DERIVED_ATTRIBUTES];
};

/* Elements of an operand, and of an output, of one of many cases. */
#define QD_DERIVED_MOST_ELEMENTS 2.8e4
#define QD_DERIVED_MOST_OUTPUTS 6e4

/* The level of a factor, 0 where the operator has none about that. */
unsigned qd_derived_level(const struct qd_derived_draft *d, enum qd_derived_kind kind, int which);

/* The word of it, "" for none. */
const char *qd_derived_word(const struct qd_derived_draft *d, enum qd_derived_kind kind, int which);

/* An attribute that was chosen, as an int; `otherwise` if there is none. */
int64_t qd_derived_int(const struct qd_derived_draft *d, const char *name, int64_t otherwise);

/* The size of the layout's extent i. */
int64_t qd_derived_extent(const struct qd_derived_draft *d, int i);

/* The kernel's on axis i of the window's `axes`. */
int64_t qd_derived_kernel(const struct qd_derived_draft *d, size_t i, size_t axes);

/* --- The factor whose levels meet no others ------------------------------------------------------- */

/* Words of an operator's; the count. */
unsigned qd_derived_alone_levels(const struct qd_derived *outline, const char **words);

bool qd_derived_is_alone(const struct qd_derived_draft *d, const char *word);
bool qd_derived_is_large(const struct qd_derived_draft *d);
bool qd_derived_is_early(const struct qd_derived_draft *d); /* an opset below 10 */
bool qd_derived_is_square(const struct qd_derived_draft *d);

/* What is long: padding, steps; a kernel is one longer. */
enum { QD_DERIVED_LONG = 300 };

/* Operands are float32 numbers where others are codes between two nodes. */
bool qd_derived_is_bare(const struct qd_derived_draft *d);

/* The opset and the rank that it asks for. */
void qd_derived_choose_counts(struct qd_derived_draft *d);

/* The size of extent i, and of the other axes of an image; -1: it says nothing. */
int64_t qd_derived_alone_extent(const struct qd_derived_draft *d, int i);
int64_t qd_derived_alone_side(const struct qd_derived_draft *d);

/* The shape of the first operand of any rank; false: it says nothing. */
bool qd_derived_alone_shape(const struct qd_derived_draft *d, struct qd_derived_shape *shape);

/* --- Shapes --------------------------------------------------------------------------------------- */

/* Rank and shapes of all operands, what is summed, and the channels. */
void qd_derived_lay_out(struct qd_derived_draft *d);

/* --- Attributes and controls ---------------------------------------------------------------------- */

/* Row i of the attributes' table: its name, NULL past the end; and the words of its levels. */
const char *qd_derived_attribute(int i, unsigned *levels, const char **words);

/* Chooses the attributes of the draft's row; the rank is known. */
void qd_derived_choose_attributes(struct qd_derived_draft *d);

/* Words of a control's levels; the count, 0: there is no table for it. */
unsigned qd_derived_control_levels(const char *name, size_t length, const char **words);

/* Makes the control operand `input` and adds it under that name; its name, "" if it is absent. */
const char *qd_derived_add_control(struct qd_derived_draft *d, unsigned input, const char *name);

/* Adds a tensor; its name. Where all is shared an earlier one of its type and shape stands for it. */
const char *qd_derived_add_once(struct qd_derived_draft *d, const char *name,
                                const struct qd_tensor *tensor, bool run);

/* The axes that a control or an attribute names. */
unsigned qd_derived_axes(const struct qd_derived_draft *d, int64_t axes[QD_MAX_RANK]);

/* --- The case ------------------------------------------------------------------------------------- */

/* An output: its type and rank. */
struct qd_derived_output {
    enum qd_dtype type;
    unsigned rank;
};

/* Makes the case of a row. `outputs`: what its outputs are; NULL for a probe, of which large
 * extents are smaller. UNSUPPORTED or INVALID where the row cannot be built at all. */
enum qd_status qd_derived_make(const struct qd_derived *outline, const uint8_t *row,
                               const uint8_t *base, const struct qd_derived_output *outputs,
                               struct qd_arena *arena, struct qd_case *kase,
                               struct qd_error *error);

/* Outputs that a case may have. */
#define QD_DERIVED_MAX_OUTPUTS 3

#endif
