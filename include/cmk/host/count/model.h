/* host/count/model.h: what the requests of warps cost, by their addresses alone: exact where it was compared with an
 * H200 (tests/data). A request is one access of the lanes of a warp. */
#include "../../base.h"
#ifndef CMK_HOST_COUNT_MODEL_H
#define CMK_HOST_COUNT_MODEL_H

typedef struct cmk_host_count_lanes_ {
    uint32_t mask_; /* the lanes that take part */
    uint64_t address_[32];
} cmk_host_count_lanes_;

CMK_HOST_C_BEGIN_

/* The distinct units of 2^shift bytes that the lanes touch. */
CMK_HOST_HELPER_ unsigned cmk_host_count_units_(const cmk_host_count_lanes_ *request, unsigned bytes, int shift)
{
    uint64_t seen[32 * 16], most = 0;
    unsigned count = 0;
    for (unsigned lane = 0; lane < 32; lane++) {
        if (!(request->mask_ >> lane & 1)) continue;
        for (uint64_t unit = request->address_[lane] >> shift; unit <= (request->address_[lane] + bytes - 1) >> shift;
             unit++) {
            unsigned k = unit > most ? count : 0; /* lanes mostly go up */
            while (k < count && seen[count - 1 - k] != unit) k++;
            if (k == count) seen[count++] = unit;
            most = unit > most ? unit : most;
        }
    }
    return count;
}

/* The most lanes that have one address: an atomic operation serves them one after the other. */
CMK_HOST_HELPER_ unsigned cmk_host_count_most_(const cmk_host_count_lanes_ *request)
{
    unsigned most = 0;
    for (unsigned lane = 0; lane < 32; lane++) {
        unsigned same = 0;
        if (!(request->mask_ >> lane & 1)) continue;
        for (unsigned k = 0; k < 32; k++)
            same += request->mask_ >> k & 1 && request->address_[k] == request->address_[lane];
        most = same > most ? same : most;
    }
    return most;
}

/* The words of the worst bank among lanes first to last - 1. */
CMK_HOST_HELPER_ unsigned cmk_host_count_worst_(const cmk_host_count_lanes_ *request, unsigned bytes, unsigned first,
                                                unsigned last)
{
    uint64_t words[32][32];
    unsigned char used[32] = {0};
    unsigned worst = 0;
    for (unsigned lane = first; lane < last; lane++) {
        if (!(request->mask_ >> lane & 1)) continue;
        for (uint64_t word = request->address_[lane] >> 2; word <= (request->address_[lane] + bytes - 1) >> 2; word++) {
            unsigned bank = (unsigned)(word & 31), k = 0;
            while (k < used[bank] && words[bank][k] != word) k++;
            if (k == used[bank]) words[bank][used[bank]++] = word;
            worst = used[bank] > worst ? used[bank] : worst;
        }
    }
    return worst;
}

/* Whether lanes first to last - 1 agree in their addresses with the lanes at this distance. A lane whose partner takes
 * no part agrees, except where partners are needed. */
CMK_HOST_HELPER_ int cmk_host_count_agree_(const cmk_host_count_lanes_ *request, unsigned first, unsigned last,
                                           unsigned distance, int needed)
{
    for (unsigned lane = first; lane < last; lane++) {
        unsigned other = lane ^ distance;
        if (!(request->mask_ >> lane & 1)) continue;
        if (request->mask_ >> other & 1 ? request->address_[lane] != request->address_[other] : needed) return 0;
    }
    return 1;
}

/* Lanes of up to 4 bytes are served as one group, of 8 as two, of 16 as four. Of a load two neighbouring groups are
 * served together where their lanes agree in pairs, of neighbours or of next but one, and have no conflict then. By 16
 * bytes and where lane 31 takes part, the first two need whole pairs. Adds the groups that are served to *groups. */
CMK_HOST_HELPER_ unsigned cmk_host_count_wavefronts_(const cmk_host_count_lanes_ *request, unsigned bytes, int loads,
                                                     unsigned long long *groups)
{
    unsigned count = bytes <= 4 ? 1 : bytes / 4, lanes = 32 / count, sum = 0;
    for (unsigned first = 0; first < 32; first += 2 * lanes) {
        unsigned last = first + 2 * lanes;
        int needed = bytes == 16 && first == 0 && request->mask_ >> 31;
        int together = loads && count > 1 &&
                       (cmk_host_count_agree_(request, first, last, 1, needed) ||
                        cmk_host_count_agree_(request, first, last, 2, needed)) &&
                       cmk_host_count_worst_(request, bytes, first, last) <= 1;
        for (unsigned at = first; at < last && at < 32; at += together ? 2 * lanes : lanes) {
            unsigned worst = cmk_host_count_worst_(request, bytes, at, together ? last : at + lanes);
            sum += worst;
            *groups += worst > 0;
        }
    }
    return sum;
}

CMK_HOST_C_END_

#endif
