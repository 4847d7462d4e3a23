/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a test is built with AddressSanitizer: it is slow, wants address space without limit, ends the program where
 * malloc() would fail, and reports deaths in its own words. */
#ifndef QDIFF_UNDER_ASAN_H
#define QDIFF_UNDER_ASAN_H

#include <stdbool.h>

#ifdef __SANITIZE_ADDRESS__ /* gcc */
#define QD_UNDER_ASAN true
#elif defined(__has_feature) /* clang */
#if __has_feature(address_sanitizer)
#define QD_UNDER_ASAN true
#endif
#endif
#ifndef QD_UNDER_ASAN
#define QD_UNDER_ASAN false
#endif

#endif
