/* SPDX-License-Identifier: Apache-2.0 */
/* Unpacking hostile protobuf bytes: the pre-scan, then protobuf-c on a budgeted allocator.
 *
 * The pre-scan is linear in the size and keeps from protobuf-c everything it takes badly: deep nesting (it
 * recurses without a limit), submessages that occur twice (it merges them in quadratic time), field 0, groups,
 * texts with an inner NUL (it would cut them short). Which fields are messages it learns from protobuf-c's own
 * generated descriptors. */
#ifndef QDIFF_CASES_UNPACK_H
#define QDIFF_CASES_UNPACK_H

#include <protobuf-c/protobuf-c.h>

#include "qdiff/arena.h"
#include "qdiff/status.h"

/* MALFORMED or LIMIT, naming field and offset. */
enum qd_status qd_scan(const ProtobufCMessageDescriptor *descriptor, const uint8_t *bytes,
                       size_t size, struct qd_error *error);

/* Scans and unpacks into the arena; nothing has to be freed. MALFORMED, LIMIT, NO_MEMORY. */
enum qd_status qd_unpack(const ProtobufCMessageDescriptor *descriptor, const uint8_t *bytes,
                         size_t size, struct qd_arena *arena, ProtobufCMessage **message,
                         struct qd_error *error);

#endif
