/*
 * failing_malloc: an allocator, loaded with LD_PRELOAD, of which one call can be made to fail. For test_memory.py.
 *
 *     fail_at(n)      the n-th allocation of this thread from now on fails, once; 0: none
 *     has_failed()    did it?
 *
 * Mappings count, too: large filters are made of them.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

extern void* __libc_malloc(size_t bytes);
extern void* __libc_calloc(size_t count, size_t bytes);
extern void* __libc_realloc(void* block, size_t bytes);
extern void* __libc_memalign(size_t alignment, size_t bytes);

static __thread long left = 0;
static __thread int failed = 0;

void fail_at(long n) {
    failed = 0;
    left = n;
}

int has_failed(void) {
    left = 0;
    return failed;
}

static int fails(void) {
    if (left == 0 || --left != 0) return 0;
    failed = 1;
    errno = ENOMEM;
    return 1;
}

void* malloc(size_t bytes) { return fails() ? NULL : __libc_malloc(bytes); }
void* calloc(size_t count, size_t bytes) { return fails() ? NULL : __libc_calloc(count, bytes); }
void* realloc(void* block, size_t bytes) { return fails() ? NULL : __libc_realloc(block, bytes); }
void* memalign(size_t alignment, size_t bytes) { return fails() ? NULL : __libc_memalign(alignment, bytes); }
void* aligned_alloc(size_t alignment, size_t bytes) { return fails() ? NULL : __libc_memalign(alignment, bytes); }

int posix_memalign(void** block, size_t alignment, size_t bytes) {
    if (fails()) return ENOMEM;
    *block = __libc_memalign(alignment, bytes);
    return *block == NULL ? ENOMEM : 0;
}

void* mmap(void* at, size_t bytes, int protection, int flags, int file, off_t offset) {
    if (fails()) return MAP_FAILED;
    return (void*)syscall(SYS_mmap, at, bytes, protection, flags, file, offset);
}
