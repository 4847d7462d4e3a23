/* SPDX-License-Identifier: Apache-2.0 */
/* A model file as it lies on disk: its bytes, mapped, and the tensors that it keeps in files beside it. */
#ifndef QDIFF_CASES_MODEL_FILE_H
#define QDIFF_CASES_MODEL_FILE_H

#include "onnx/onnx.pb-c.h"
#include "qdiff/tensor.h"

/* Maps a model of at most QD_IMPORT_MAX_BYTES. IO; LIMIT; INVALID for an empty file. */
enum qd_status qd_model_file_map(const char *path, const uint8_t **bytes, size_t *size,
                                 struct qd_error *error);
void qd_model_file_unmap(const uint8_t *bytes, size_t size);

/* The tensor of a message of the model at `path`; elements in another file are read from there, which has to lie in
 * the model's own directory or below, links followed. Raw data of the message is borrowed. INVALID names a location
 * elsewhere, or an offset or length that does not fit; IO; else as qd_tensor_of_proto. */
enum qd_status qd_model_file_tensor(const char *path, const Onnx__TensorProto *proto,
                                    struct qd_arena *arena, struct qd_tensor *tensor,
                                    struct qd_error *error);

#endif
