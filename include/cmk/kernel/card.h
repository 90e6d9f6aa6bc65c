/* kernel/card.h: on the host: the measured numbers that differ from card to card, one row for each kind of card. All
 * other numbers stand in the tune.h of their engine.
 *
 *   cmk_card_of_(device)                the row of a device of plan.h: the last row whose bus_bits are at most those of
 *                                       the device
 *   cmk_card_text_(text, size, card)    writes the row into `size` bytes of text, as snprintf does */
#ifndef CMK_KERNEL_CARD_H
#define CMK_KERNEL_CARD_H

#include "plan.h"

#if CMK_HAS_HOST_

typedef struct {
    const char *measured_on;
    int bus_bits; /* the least width of the memory bus, in bits */
    /* The steps of a warp of 1D stencils with radii beyond cmk_stencil1d_wide_bytes_ bytes, and of a warp that splits
     * taps into halves first. Such warps cost more to begin where memory is fast. 0: as with smaller radii. */
    int line_steps, line_tensor_steps;
    /* For 3D stencils: the depth in planes at which blocks along planes take twice as long, as they drift apart. 0:
     * they do not. `drift` is for up to cmk_point_drift_reach_ planes of reach, and drift_far for more. The record is
     * 2026-11-25-depths.md. */
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
