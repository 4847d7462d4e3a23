/* SPDX-License-Identifier: Apache-2.0 */
/* Opening a target in the role that it has. */
#include "qdiff/subject.h"

#include <string.h>

/* Opens ONNX Runtime to run what a quantizer makes; none that is set up is no failure. */
static enum qd_status open_kernels(const struct qd_session_options *options, struct qd_arena *arena,
                                   struct qd_subject *subject, struct qd_error *error)
{
    static const char *const levels[QD_MOST_KERNELS] = {"opt=none", "opt=all"};
    const struct qd_builtin_target *ort = qd_builtin_target_find("ort");
    const char *const *versions, *version;
    if (!ort)
        return QD_OK;
    enum qd_status status = ort->versions(arena, &versions, error);
    if (status != QD_OK || !versions[0])
        return status;
    version = versions[0];
    for (size_t i = 0; versions[i]; i++)
        version = strcmp(versions[i], subject->info->version) == 0 ? versions[i] : version;
    for (size_t i = 0; i < QD_MOST_KERNELS && status == QD_OK; i++) {
        const char *text = qd_arena_printf(arena, "ort@%s[%s]", version, levels[i]);
        struct qd_target_name name;
        if (!text)
            return qd_fail(error, QD_NO_MEMORY, "no memory for a target's name");
        status = qd_target_name_parse(text, &name, error);
        if (status == QD_OK)
            status = qd_session_open(&name, options, &subject->kernels[i], error);
        subject->kernel_count += status == QD_OK;
    }
    return status;
}

/* A worker that does nothing but quantize; NULL when it is something else, or does not open. */
static struct qd_quantizer *quantizer_alone(const struct qd_target_name *name,
                                            const struct qd_session_options *options)
{
    const struct qd_builtin_target *builtin = qd_builtin_target_find(name->name);
    struct qd_quantizer *opened;
    struct qd_error ignored;
    if ((builtin && !builtin->quantizes) ||
        qd_quantizer_open(name, options, &opened, &ignored) != QD_OK)
        return NULL;
    if (qd_quantizer_info(opened)->capability_count == 0)
        return opened;
    qd_quantizer_close(opened);
    return NULL;
}

bool qd_target_quantizes(const struct qd_target_name *name,
                         const struct qd_session_options *options)
{
    const struct qd_builtin_target *builtin = qd_builtin_target_find(name->name);
    if (builtin)
        return builtin->quantizes;
    struct qd_quantizer *opened = quantizer_alone(name, options);
    qd_quantizer_close(opened);
    return opened != NULL;
}

struct qd_subject qd_subject_of_session(struct qd_session *session)
{
    return (struct qd_subject){.role = &qd_role_kernel,
                               .session = session,
                               .id = qd_session_id(session),
                               .info = qd_session_info(session)};
}

enum qd_status qd_subject_open_kernel(const struct qd_target_name *name,
                                      const struct qd_session_options *options,
                                      struct qd_subject *subject, struct qd_error *error)
{
    struct qd_session *session;
    enum qd_status status = qd_session_open(name, options, &session, error);
    if (status == QD_OK)
        *subject = qd_subject_of_session(session);
    return status;
}

enum qd_status qd_subject_open_alone(const struct qd_target_name *name,
                                     const struct qd_session_options *options,
                                     struct qd_subject *subject, struct qd_error *error)
{
    struct qd_subject opened = {.role = &qd_role_quantizer,
                                .quantizer = quantizer_alone(name, options)};
    if (!opened.quantizer)
        return qd_subject_open_kernel(name, options, subject, error);
    opened.info = qd_quantizer_info(opened.quantizer);
    opened.id = qd_quantizer_id(opened.quantizer);
    *subject = opened;
    return QD_OK;
}

enum qd_status qd_subject_open(const struct qd_target_name *name,
                               const struct qd_session_options *options, struct qd_arena *arena,
                               struct qd_subject *subject, struct qd_error *error)
{
    struct qd_subject opened;
    enum qd_status status = qd_subject_open_alone(name, options, &opened, error);
    if (status != QD_OK)
        return status;
    if (opened.quantizer)
        status = open_kernels(options, arena, &opened, error);
    if (status != QD_OK) {
        qd_subject_close(&opened);
        return status;
    }
    *subject = opened;
    return QD_OK;
}

void qd_subject_close(struct qd_subject *subject)
{
    for (size_t i = 0; i < subject->kernel_count; i++)
        qd_session_close(subject->kernels[i]);
    qd_session_close(subject->isolated);
    qd_session_close(subject->session);
    qd_quantizer_close(subject->quantizer);
    *subject = (struct qd_subject){.role = NULL};
}
