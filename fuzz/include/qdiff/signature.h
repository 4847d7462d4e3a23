/* SPDX-License-Identifier: Apache-2.0 */
/* Findings: a divergence by what it is, apart from the numbers that showed it.
 *
 * A signature is "op-target-class-label", of value divergences that no quirk explains "op-types-target-class-label":
 *   op      the operator whose rule was broken, or that the target complains of, which may be one that a fusion made;
 *           else the principal operator (kase->op; "com.microsoft.QGemm" in that domain)
 *   types   of its data operands and its output, "u8s8u8"; a value that DequantizeLinear gives or QuantizeLinear takes
 *           counts by its codes. Optional operands, parameters, biases and shapes do not count.
 *   target  the target's name without version and settings: a bug that three releases share is one finding, and one
 *           that appears under a single setting too. The store keeps what it was seen on.
 *   class   the verdict's word
 *   label   value: the quirk that explains it ("a+b" a pair, "a-or-b" where two do, "a-or-4-others"), or "unexplained-"
 *           and how far the elements are off: "one" code, "few" (at most 16), "ends" (at an end of the type), "nan" (on
 *           one side only), "far".
 *           accepts-invalid: the rule's slug.
 *           a death by a signal, whose op is "any" then: the cause, where the target's last words have it: "assertion",
 *           "terminate" (of C++) or "frames", the innermost ones, with a hash of that
 *           without numbers and addresses; else stage and signal.
 *           others: the stage and a hash of the target's words without numbers, names, paths and lists.
 * Characters are letters, digits, '.', '+', '_' and '-': a signature is a file name.
 *
 * Source: design of the fuzzer; the words are those of compare.h, quirk.h and diagnose.h. */
#ifndef QDIFF_SIGNATURE_H
#define QDIFF_SIGNATURE_H

#include <stdio.h>

#include "qdiff/trial.h"

/* With its NUL; a longer one is cut. */
#define QD_SIGNATURE_SIZE 200

struct qd_finding {
    char signature[QD_SIGNATURE_SIZE];
    struct qd_comparison comparison; /* the trial's, with the finding's class as its verdict */
    struct qd_diagnosis diagnosis;   /* of the verdict VALUE; else without quirks, its texts "" */
};

/* No diagnosis: the signature is then that of a wrong value without an explanation. */
extern const struct qd_diagnosis qd_undiagnosed;

/* The types of the signature ("u8s8u8"). `size` at least 8; returns text. */
const char *qd_signature_types(const struct qd_case *kase, char *text, size_t size);

/* How far the elements that differ are off: a word of the list above. `run` gave OUTPUTS. */
const char *qd_signature_shape(const struct qd_evaluated *evaluated, const struct qd_run *run);

/* A hash of a target's words: numbers, paths, qualified names, blanks and
 * what is quoted or in brackets do not count. */
uint32_t qd_signature_words(const char *message);

/* A hash of why a process says that it dies, in the last words of its standard error; 0: it does not say. *kind:
 * "assertion", "terminate" or "frames". Of an assertion the file, the function and
 * the expression count, of frames the functions. */
uint32_t qd_signature_cause(const char *words, const char **kind);

/* Writes the signature of the trial's divergence `which` into signature[QD_SIGNATURE_SIZE]. `target` is the target's
 * name; `diagnosis` is looked at for VALUE only. */
void qd_signature_make(const struct qd_evaluated *evaluated, const char *target,
                       const struct qd_trial *trial, size_t which,
                       const struct qd_diagnosis *diagnosis, char *signature);

/* Diagnoses the trial's divergence `which`, if it is of class VALUE, running neighbours on the target, and makes the
 * signature. Texts live in the arena. Errors: those of qd_diagnose. */
enum qd_status qd_finding_identify(const struct qd_subject *subject,
                                   const struct qd_evaluated *evaluated,
                                   const struct qd_trial *trial, size_t which,
                                   const struct qd_diagnose_options *options,
                                   struct qd_arena *arena, struct qd_finding *finding,
                                   struct qd_error *error);

/* "Assertion failure: FuzzerHash=<hash> <signature>" and "DEDUP_TOKEN: <signature>", a line each: what ClusterFuzz and
 * libFuzzer's minimizer tell crashes apart by. ClusterFuzz takes names that are four fifths alike for one, and all
 * numbers for the same, unless that word is in them; so the hash is written in letters. */
void qd_signature_print(FILE *out, const char *signature);

#endif
