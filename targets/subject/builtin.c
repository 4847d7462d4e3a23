/* SPDX-License-Identifier: Apache-2.0 */
/* The list of built-in targets. */
#include <string.h>

#include "native/native.h"
#include "openvino/openvino.h"
#include "ort/ort.h"
#include "qdiff/session.h"
#include "quirk/quirk.h"
#include "subject/cache.h"

/* A target that comes with qdiff has no versions of its own. */
static enum qd_status no_versions(struct qd_arena *arena, const char *const **versions,
                                  struct qd_error *error)
{
    static const char *const none[] = {NULL};
    (void)arena, (void)error;
    *versions = none;
    return QD_OK;
}

/* Releases of the workers: their Python environments. */
#define QD_WORKER_VERSIONS(function, target)                                             \
    static enum qd_status function(struct qd_arena *arena, const char *const **versions, \
                                   struct qd_error *error)                               \
    {                                                                                    \
        return qd_python_versions(target, arena, versions, error);                       \
    }
QD_WORKER_VERSIONS(executorch_versions, "executorch")
QD_WORKER_VERSIONS(executorch_quant_versions, "executorch-quant")
QD_WORKER_VERSIONS(iree_versions, "iree")
QD_WORKER_VERSIONS(litert_versions, "litert")
QD_WORKER_VERSIONS(onnx_reference_versions, "onnx-reference")
QD_WORKER_VERSIONS(opencv_versions, "opencv")
QD_WORKER_VERSIONS(ort_quant_versions, "ort-quant")
QD_WORKER_VERSIONS(ort_web_versions, "ort-web")
QD_WORKER_VERSIONS(tinygrad_versions, "tinygrad")
QD_WORKER_VERSIONS(torch_versions, "torch")
QD_WORKER_VERSIONS(torch_mlir_versions, "torch-mlir")
QD_WORKER_VERSIONS(tvm_versions, "tvm")

static enum qd_status tract_versions(struct qd_arena *arena, const char *const **versions,
                                     struct qd_error *error)
{
    return qd_native_versions(&qd_native_tract, arena, versions, error);
}

static enum qd_status openvino_versions(struct qd_arena *arena, const char *const **versions,
                                        struct qd_error *error)
{
    return qd_native_versions(&qd_native_openvino, arena, versions, error);
}

static enum qd_status check_ort(const struct qd_target_name *name, struct qd_error *error)
{
    return qd_ort_check(name->config, error);
}

static enum qd_status check_tract(const struct qd_target_name *name, struct qd_error *error)
{
    return *name->config ? qd_fail(error, QD_USAGE, "[%s]: tract has no settings", name->config)
                         : QD_OK;
}

static enum qd_status check_openvino(const struct qd_target_name *name, struct qd_error *error)
{
    return qd_openvino_check(name->config, error);
}

static enum qd_status check_quirk(const struct qd_target_name *name, struct qd_error *error)
{
    return qd_quirk_check(name->version, name->config, error);
}

static const char *const plain[] = {"", NULL};
static const char *const ort_web_levels[] = {"opt=none", "opt=all", NULL};

/* Those with a lock file; builtin_test holds them against the files. */
static const char *const executorch_releases[] = {"1.5.1", NULL};
static const char *const executorch_quant_releases[] = {"1.5.1", "1.3.1", NULL};
static const char *const iree_releases[] = {"3.13.0", "3.12.0", NULL};
static const char *const litert_releases[] = {"2.3.0", NULL};
static const char *const onnx_reference_releases[] = {"1.23.2", NULL};
static const char *const opencv_releases[] = {"5.0.0.93", NULL};
static const char *const ort_quant_releases[] = {"1.31.1", "1.26.0", NULL};
static const char *const ort_web_releases[] = {"1.30.0", NULL};
static const char *const tinygrad_releases[] = {"0.14.0", NULL};
static const char *const torch_releases[] = {"2.13.0", NULL};
static const char *const torch_mlir_releases[] = {"20261001", NULL};
static const char *const tvm_releases[] = {"0.27.0.post1", NULL};

static const struct qd_builtin_target builtins[] = {
    {"ort", "ONNX Runtime's CPU execution provider, through its C API", qd_ort_setup,
     &qd_ort_target, NULL, qd_ort_versions, check_ort, qd_ort_configs, NULL, false, qd_ort_preload},
    {"reference", "qdiff's own reference under the default semantics: the harness tested on itself",
     "", &qd_quirk_target, NULL, no_versions, check_quirk, plain, NULL, false, NULL},
    {"quirk", "the reference under known wrong semantics: quirk:<name>[+...] (qdiff quirks)", "",
     &qd_quirk_target, NULL, no_versions, check_quirk, plain, NULL, false, NULL},
    {"tract", "tract, the runtime in Rust, through its C functions",
     "scripts/setup --target tract@..", &qd_tract_target, NULL, tract_versions, check_tract, plain,
     NULL, false, NULL},
    {"openvino", "OpenVINO's CPU plug-in and ONNX frontend, through its C API",
     "scripts/setup --target openvino", &qd_openvino_target, NULL, openvino_versions,
     check_openvino, qd_openvino_configs, NULL, false, NULL},
    {"torch-mlir", "torch-mlir: ONNX importer, torch and linalg dialects, LLVM just in time",
     "scripts/setup --target torch-mlir", NULL, "torch_mlir", torch_mlir_versions, NULL, plain,
     torch_mlir_releases, false, NULL},
    {"iree", "IREE: the same importer, its own compiler and run time (llvm-cpu)",
     "scripts/setup --target iree", NULL, "iree", iree_versions, NULL, plain, iree_releases, false,
     NULL},
    {"onnx-reference", "ONNX's own evaluator in Python, onnx.reference.ReferenceEvaluator",
     "scripts/setup --target onnx-reference", NULL, "onnx_reference", onnx_reference_versions, NULL,
     plain, onnx_reference_releases, false, NULL},
    {"tinygrad", "tinygrad: its ONNX frontend, kernels compiled by clang",
     "scripts/setup --target tinygrad", NULL, "tinygrad", tinygrad_versions, NULL, plain,
     tinygrad_releases, false, NULL},
    {"litert", "LiteRT (TensorFlow Lite): XNNPACK, its own kernels, or the reference ones",
     "scripts/setup --target litert", NULL, "litert", litert_versions, NULL, plain, litert_releases,
     false, NULL},
    {"opencv", "OpenCV's DNN module, its new and its classic engine",
     "scripts/setup --target opencv", NULL, "opencv", opencv_versions, NULL, plain, opencv_releases,
     false, NULL},
    {"torch", "PyTorch's quantized tensors and their fused kernels, four engines",
     "scripts/setup --target torch", NULL, "torch", torch_versions, NULL, plain, torch_releases,
     false, NULL},
    {"tvm", "Apache TVM: its ONNX frontend into Relax, compiled by LLVM",
     "scripts/setup --target tvm", NULL, "tvm", tvm_versions, NULL, plain, tvm_releases, false,
     NULL},
    {"ort-web", "ONNX Runtime Web: the WebAssembly build of the CPU provider, under Node",
     "scripts/setup --target ort-web", NULL, "ort_web", ort_web_versions, NULL, ort_web_levels,
     ort_web_releases, false, NULL},
    {"ort-quant", "onnxruntime.quantization, a quantizer: qdiff quantize",
     "scripts/setup --target ort-quant", NULL, "ort_quant", ort_quant_versions, NULL, plain,
     ort_quant_releases, true, NULL},
    {"executorch", "ExecuTorch: torch's exporter, the XNNPACK partitioner and run time",
     "scripts/setup --target executorch", NULL, "executorch", executorch_versions, NULL, plain,
     executorch_releases, false, NULL},
    {"executorch-quant", "ExecuTorch's XNNPACKQuantizer: torch, prepare_pt2e",
     "scripts/setup --target executorch-quant", NULL, "executorch_quant", executorch_quant_versions,
     NULL, plain, executorch_quant_releases, true, NULL},
};

const struct qd_builtin_target *qd_builtin_target_at(size_t i)
{
    return i < sizeof builtins / sizeof *builtins ? &builtins[i] : NULL;
}

const struct qd_builtin_target *qd_builtin_target_find(const char *name)
{
    for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++)
        if (strcmp(builtins[i].name, name) == 0)
            return &builtins[i];
    return NULL;
}
