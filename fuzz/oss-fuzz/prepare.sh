#!/usr/bin/env bash
# usage: fuzz/oss-fuzz/prepare.sh, as root on the base image of OSS-Fuzz, with SRC in the environment
#
# Installs what build.sh needs.

# SPDX-License-Identifier: Apache-2.0
set -euo pipefail

apt-get update
apt-get install -y --no-install-recommends cmake libcmocka-dev libgmp-dev libjansson-dev libmpfr-dev libprotobuf-c-dev nettle-dev \
    ninja-build pkg-config protobuf-c-compiler protobuf-compiler
git clone --depth 1 --branch v1.21.0 https://github.com/onnx/onnx "$SRC/onnx" # for onnx.proto
