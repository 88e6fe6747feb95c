/* A preload shim: every fsync and fdatasync takes at least SLOW_FSYNC_MICROSECONDS (5,000), as on
 * a laptop's disk. The real call is made first, so that durability stays as it is.
 *
 *     cc -shared -fPIC -O2 -o slow_fsync.so slow_fsync.c -ldl
 *     LD_PRELOAD=$PWD/slow_fsync.so ...
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <time.h>

static long slow_for(void)
{
    static long microseconds = -1; /* two threads at once write the same value */

    if (microseconds < 0) {
        const char *text = getenv("SLOW_FSYNC_MICROSECONDS");
        microseconds = text ? atol(text) : 5000;
    }
    return microseconds;
}

static int slowly(int (*real)(int), int fd)
{
    struct timespec until;
    int result, kept;

    clock_gettime(CLOCK_MONOTONIC, &until);
    result = real(fd);
    kept = errno;
    until.tv_nsec += slow_for() * 1000;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
        ;
    errno = kept;
    return result;
}

int fsync(int fd)
{
    static int (*real)(int);

    if (!real)
        real = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
    return slowly(real, fd);
}

int fdatasync(int fd)
{
    static int (*real)(int);

    if (!real)
        real = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
    return slowly(real, fd);
}
