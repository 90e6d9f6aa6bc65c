/* host/ptx.h: what ./cmk run writes for inline PTX of one instruction, where CUDA has no function for it. run/ptx.py
 * has the list. It is for programs that include CUDA's headers by toolkit/. */
#include "../base.h"
#ifndef CMK_HOST_PTX_H
#define CMK_HOST_PTX_H

CMK_HOST_C_BEGIN_

/* The rank of the thread in its block: lanes and warps are counted along it. */
CMK_HOST_HELPER_ unsigned cmk_ptx_rank_(void)
{
    return cmk_host_worker_now_->running_->rank_;
}

/* One of the multiprocessors that the device tells of. Blocks take turns, as on a GPU that has room for one each. */
CMK_HOST_HELPER_ unsigned cmk_ptx_smid_(void)
{
    const unsigned long long row = blockIdx.y + (unsigned long long)gridDim.y * blockIdx.z;
    return (unsigned)((blockIdx.x + gridDim.x * row) % (unsigned)cmk_host_core_count_());
}

/* A shift by as many bits as a number has, or more, leaves none of them. */
static inline unsigned long long cmk_ptx_left_(unsigned long long number, unsigned by, unsigned bits)
{
    return by < bits ? number << by : 0;
}

static inline unsigned long long cmk_ptx_right_(unsigned long long number, unsigned by, unsigned bits)
{
    return by < bits ? number >> by : 0;
}

static inline long long cmk_ptx_right_signed_(long long number, unsigned by)
{
    return number >> (by < 63 ? by : 63);
}

/* The field of `length` bits from bit `start` on. Of a signed one, its highest bit goes on above; where the field
 * leaves the number, that is the number's. */
static inline unsigned long long cmk_ptx_field_(unsigned long long number, unsigned start, unsigned length,
                                                unsigned bits, int is_signed)
{
    unsigned long long field = 0;
    start &= 255;
    length &= 255;
    const unsigned last = start + length - 1 < bits ? start + length - 1 : bits - 1;
    const unsigned long long sign = is_signed && length > 0 ? number >> last & 1 : 0;
    for (unsigned i = 0; i < bits; i++)
        field |= (i < length && start + i < bits ? number >> (start + i) & 1 : sign) << i;
    return field;
}

/* `into`, whose bits from `start` on are the lowest `length` of the number. */
static inline unsigned long long cmk_ptx_insert_(unsigned long long number, unsigned long long into, unsigned start,
                                                 unsigned length, unsigned bits)
{
    start &= 255;
    length &= 255;
    for (unsigned i = 0; i < length && start + i < bits; i++)
        into = (into & ~(1ull << (start + i))) | (number >> i & 1) << (start + i);
    return into;
}

/* Three bits choose one of the table's 8, at each place. */
static inline unsigned cmk_ptx_lop3_(unsigned first, unsigned second, unsigned third, unsigned table)
{
    unsigned result = 0;
    for (unsigned i = 0; i < 32; i++)
        result |= (table >> ((first >> i & 1) * 4 + (second >> i & 1) * 2 + (third >> i & 1)) & 1) << i;
    return result;
}

CMK_HOST_C_END_

#endif
