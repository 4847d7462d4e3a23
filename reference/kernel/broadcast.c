/* SPDX-License-Identifier: Apache-2.0 */
#include "qdiff/broadcast.h"

bool qd_broadcast_shape(unsigned a_rank, const int64_t *a, unsigned b_rank, const int64_t *b,
                        unsigned *rank, int64_t *dims)
{
    unsigned common = a_rank > b_rank ? a_rank : b_rank;
    for (unsigned i = 0; i < common; i++) {
        int64_t x = i < common - a_rank ? 1 : a[i - (common - a_rank)];
        int64_t y = i < common - b_rank ? 1 : b[i - (common - b_rank)];
        if (x != y && x != 1 && y != 1)
            return false;
        dims[i] = x == 1 ? y : x;
    }
    *rank = common;
    return true;
}

int64_t qd_broadcast_index(unsigned rank, const int64_t *dims, unsigned common_rank,
                           const int64_t *common, int64_t i)
{
    int64_t index = 0, stride = 1;
    uint32_t rest =
        (uint32_t)i; /* below QD_MAX_ELEMENTS: the wider division takes several times as long */
    for (unsigned axis = common_rank; axis-- > 0 && rest > 0;) {
        uint32_t length = (uint32_t)common[axis], coordinate = rest % length;
        rest /= length;
        if (axis < common_rank - rank)
            break;
        int64_t size = dims[axis - (common_rank - rank)];
        index += size == 1 ? 0 : coordinate * stride;
        stride *= size;
    }
    return index;
}

bool qd_broadcast_fits(unsigned rank, const int64_t *dims, unsigned to_rank, const int64_t *to)
{
    int64_t common[QD_MAX_RANK];
    unsigned common_rank;
    if (!qd_broadcast_shape(rank, dims, to_rank, to, &common_rank, common) ||
        common_rank != to_rank)
        return false;
    for (unsigned i = 0; i < to_rank; i++)
        if (common[i] != to[i])
            return false;
    return true;
}

int64_t qd_broadcast_element(const struct qd_tensor *x, const struct qd_tensor *y, int64_t i)
{
    return qd_broadcast_index(x->rank, x->dims, y->rank, y->dims, i);
}
