/* SPDX-License-Identifier: Apache-2.0 */
/* The first exchange with a worker: who it is and what it can do. */
#include "message.h"
#include "process/program.h"

#define PROTOCOL 1
#define LARGEST_WELCOME ((size_t)1 << 20)

enum qd_status qd_program_handshake(struct qd_program *program, double seconds,
                                    struct qd_arena *arena, struct qd_target_info *info,
                                    const char *const **options, struct qd_error *error)
{
    struct qd_wire_out out;
    struct qd_wire body;
    struct qd_target_message message = {""};
    struct qd_reply_welcome welcome;
    program->deadline = qd_deadline_begin(seconds);
    program->died = false;
    size_t mark = qd_program_ask(program, QD_REQUEST_HELLO, &out);
    qd_wire_put_varint(&out, 1, PROTOCOL);
    qd_wire_put_text(&out, 2, program->version);
    qd_wire_put_text(&out, 3, program->config);
    enum qd_target_status status =
        qd_program_hear(program, QD_REQUEST_HELLO, &out, mark, LARGEST_WELCOME, &body, &message);
    if (program->died && program->death.lost)
        return qd_fail(error, QD_UNUSABLE, "%s", program->death.text);
    if (program->died)
        return qd_fail(error, QD_UNUSABLE, "opening it ended in %s: %s",
                       qd_outcome_word(program->death.outcome), program->death.text);
    qd_text_clean(message.text, sizeof message.text);
    if (status != QD_TARGET_OK)
        return qd_fail(error, QD_UNUSABLE, "%s",
                       message.text[0] ? message.text : "it gave no reason");
    if (!qd_reply_read_welcome(body, arena, &welcome))
        return qd_fail(error, QD_UNUSABLE, "the target's description is garbled");
    program->guards = welcome.guards;
    struct qd_target_info *made = &welcome.info;
    if (program->cpu)
        made->settings = qd_arena_printf(arena, "%s%scpu=%s", made->settings,
                                         made->settings[0] ? "," : "", program->cpu->word);
    if (!made->settings)
        return qd_fail(error, QD_NO_MEMORY, "no room for its settings");
    if (options)
        *options = welcome.options;
    *info = *made;
    return QD_OK;
}
