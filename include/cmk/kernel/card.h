/* kernel/card.h: host: the measured numbers that differ from card to card, a row of them a kind of card. All others
 * stand in the tune.h of their engine.
 *
 *   cmk_card_of_(device)                the row of a device of plan.h: the last whose least bus its memory has
 *   cmk_card_text_(text, size, card)    writes the row into so many bytes, as snprintf does */
#ifndef CMK_KERNEL_CARD_H
#define CMK_KERNEL_CARD_H

#include "plan.h"

#if CMK_HAS_HOST_

typedef struct {
    const char *measured_on;
    int bus_bits; /* of the memory, at least */
    /* 1D stencils, of radii beyond cmk_stencil1d_wide_bytes_: the steps of a warp, and of one that splits taps into
     * halves first, which cost more to begin where memory is fast; 0: as of smaller radii */
    int line_steps, line_tensor_steps;
    /* Stencils in 3D, of up to cmk_point_drift_reach_ planes of reach, and of more: the depth at which blocks along
     * planes take twice as long, as they drift apart; 0: they do not. 2026-11-25-depths.md. */
    int drift, drift_far;
} cmk_card_;

CMK_COLD_ static inline cmk_card_ cmk_card_of_(const cmk_plan_device *device)
{
    static const cmk_card_ cards[] = {
        {"NVIDIA H100", 0, 0, 0, 4096, 4096},
        {"NVIDIA H200", 6016, 8, 16, 10000, 0},
    };
    const int count = (int)(sizeof cards / sizeof cards[0]);
    int bits = 0, at = 0;
    if (cmk_plan_bus_bits_(device, &bits) != cudaSuccess) return cards[0];
    for (int i = 1; i < count; ++i)
        if (bits >= cards[i].bus_bits) at = i;
    return cards[at];
}

CMK_COLD_ static inline int cmk_card_text_(char *text, size_t size, cmk_card_ card)
{
    return snprintf(text, size,
                    "numbers measured on an %s: of 1D stencils %d and %d steps of a warp, in 3D a depth of %d and %d "
                    "planes (0: none)",
                    card.measured_on, card.line_steps, card.line_tensor_steps, card.drift, card.drift_far);
}

#endif

#endif
