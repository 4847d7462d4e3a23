# SPDX-License-Identifier: Apache-2.0
# QD_CACHE: where scripts/setup puts what it downloads; the same place as `cache` in scripts/lib.sh.
if(NOT "$ENV{QDIFF_CACHE}" STREQUAL "")
    set(QD_CACHE $ENV{QDIFF_CACHE})
elseif(NOT "$ENV{XDG_CACHE_HOME}" STREQUAL "")
    set(QD_CACHE $ENV{XDG_CACHE_HOME}/qdiff)
else()
    set(QD_CACHE $ENV{HOME}/.cache/qdiff)
endif()
