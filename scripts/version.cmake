# SPDX-License-Identifier: Apache-2.0
# Writes OUTPUT, a header with the version and the commit it was built from, if either changed.
# usage: cmake -DVERSION=… -DOUTPUT=… -P scripts/version.cmake
execute_process(
    COMMAND git describe --always --dirty --abbrev=12
    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE
    RESULT_VARIABLE failed ERROR_QUIET)
if(failed)
    set(commit "unknown")
endif()
file(CONFIGURE OUTPUT "${OUTPUT}" @ONLY CONTENT [[
#ifndef QDIFF_VERSION_H
#define QDIFF_VERSION_H
#define QD_VERSION "@VERSION@"
#define QD_COMMIT "@commit@"
#endif
]])
