/* A preload shim: counts every fsync and fdatasync in the file that COGNID_BENCH_SYNCS names. It is
 * shared by all processes that count in it and holds two numbers of 8 bytes: the count, and whether
 * to leave the real call out (while a store is only filled).
 *
 *     cc -shared -fPIC -O2 -o count_syncs.so count_syncs.c -ldl
 *     LD_PRELOAD=$PWD/count_syncs.so ...
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static uint64_t *counted;

static void __attribute__((constructor)) begin(void)
{
    const char *name = getenv("COGNID_BENCH_SYNCS");
    int fd = name ? open(name, O_RDWR | O_CLOEXEC) : -1;
    void *shared;

    if (fd < 0)
        return;
    shared = mmap(NULL, 16, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (shared != MAP_FAILED)
        counted = shared;
}

static int leave_out(void)
{
    if (!counted)
        return 0;
    __atomic_fetch_add(counted, 1, __ATOMIC_RELAXED);
    return __atomic_load_n(counted + 1, __ATOMIC_RELAXED) != 0;
}

int fsync(int fd)
{
    static int (*real)(int);

    if (!real)
        real = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
    return leave_out() ? 0 : real(fd);
}

int fdatasync(int fd)
{
    static int (*real)(int);

    if (!real)
        real = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
    return leave_out() ? 0 : real(fd);
}
