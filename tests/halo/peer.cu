/* Drawn exchanges between 1 to 12 ranks of this process, by copies, or by NCCL (-DBY_NCCL): peer [EXCHANGES]. */
#include "exchange.h"
#include "local.h"
#include <tap.h>

int main(int count, char **words)
{
    const int rounds = count > 1 ? atoi(words[1]) : 2000;
    tap_need_device();
    const int most = local_most() < 12 ? local_most() : 12;
    for (int i = 0; i < rounds; ++i) {
        random_state = (unsigned long long)i;
        (void)below(1);
        const int ranks = 1 + (int)below((size_t)most);
        const world w = {ranks, 0, ranks, local_transport, 0, LOCAL_ONE_SIDED, local_allocate, local_release};
        local_begin(ranks);
        run_case(&w);
    }
    judge_groups(wrongs, "ranks of one process");
    return tap_done();
}
