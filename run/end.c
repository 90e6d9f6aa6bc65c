/* end.c: how a program of ./cmk run ends, which has this file linked to it.
 *
 * The status is 3 where the program ends with 0 and the backend has reported something and gone on: a race, or a read
 * of shared memory that no thread has written (host/race.h, host/watch.h). All that the program does at its end has
 * been done by then. Ctrl-C is a line and status 130, but for a program with a handler of its own. Where the C library
 * has no on_exit, each status of such a program is 3. */
#define _DEFAULT_SOURCE /* on_exit */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { REPORTED = 3, INTERRUPTED = 130 };

extern unsigned cmk_host_reports_ __attribute__((weak)); /* in each program with a kernel */

static int ends_with;

#if defined(__GLIBC__)
static void note_status(int status, void *unused)
{
    (void)unused;
    ends_with = status;
}
#endif

static void interrupt(int number)
{
    (void)number;
    (void)!write(STDERR_FILENO, "cmk: interrupted\n", 17);
    _exit(INTERRUPTED);
}

__attribute__((constructor(101))) static void begin(void)
{
#if defined(__GLIBC__)
    (void)on_exit(note_status, NULL);
#endif
    struct sigaction before;
    if (CMK_VERB_IS_RUN && sigaction(SIGINT, NULL, &before) == 0 && before.sa_handler == SIG_DFL)
        (void)signal(SIGINT, interrupt);
}

__attribute__((destructor(101))) static void end(void) /* the last of all */
{
    if (!&cmk_host_reports_ || cmk_host_reports_ == 0 || (ends_with & 255) != 0) return;
    (void)fflush(NULL);
    _exit(REPORTED);
}
