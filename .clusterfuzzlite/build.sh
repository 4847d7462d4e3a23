#!/usr/bin/env bash
# What ClusterFuzzLite calls; see fuzz/oss-fuzz/build.sh.

# SPDX-License-Identifier: Apache-2.0
exec "$SRC/qdiff/fuzz/oss-fuzz/build.sh"
