/* Drawn exchanges between 1 to 12 ranks of this process, by copies, or by NCCL (-DBY_NCCL). */
#include "exchange.h"
#include <tap.h>

#if defined(BY_NCCL)
#include <cmk/halo/nccl.h>
static ncclComm_t comms[RANKS];
static cmk_halo_transport transport_of(int rank)
{
    return cmk_halo_nccl(comms[rank]);
}
#else
static cmk_halo_transport transport_of(int rank)
{
    (void)rank;
    return cmk_halo_peer();
}
#endif

static void run_world(int ranks)
{
    const world w = {ranks, 0, ranks, transport_of, 0};
#if defined(BY_NCCL)
    if (ncclCommInitAll(comms, ranks, NULL) != ncclSuccess) exit(EXIT_FAILURE);
#endif
    run_case(&w);
#if defined(BY_NCCL)
    for (int r = 0; r < ranks; ++r) ncclCommDestroy(comms[r]);
#endif
}

int main(int count, char **words)
{
    static const char *const groups[GROUPS] = {"slabs", "star", "box"};
    const int rounds = count > 1 ? atoi(words[1]) : 2000;
    tap_need_device();
    for (int i = 0; i < rounds; ++i) {
        random_state = (unsigned long long)i;
        (void)below(1);
        run_world(1 + (int)below(12));
    }
    for (int g = 0; g < GROUPS; ++g)
        tap_check(cases[g] > 0 && wrongs[g] == 0, "%s: ghosts and all else, %lld exchanges of random plans", groups[g],
                  cases[g]);
    printf("# %lld ghosts of stars, %lld of boxes\n", ghosts[CMK_HALO_STAR], ghosts[CMK_HALO_BOX]);
    return tap_done();
}
