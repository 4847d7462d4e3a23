# SPDX-License-Identifier: Apache-2.0
# Toolchain file: Debian's cross compiler for aarch64, with the libraries that `scripts/setup aarch64` unpacks into the cache.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)

include(${CMAKE_CURRENT_LIST_DIR}/cache.cmake)
set(CMAKE_FIND_ROOT_PATH ${QD_CACHE}/aarch64)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_LIBDIR} ${QD_CACHE}/aarch64/usr/lib/aarch64-linux-gnu/pkgconfig)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${QD_CACHE}/aarch64)
