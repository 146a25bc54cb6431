#include "filter_lock.h"

#include "errors.h"

#include <errno.h>
#include <time.h>

static unsigned long forks = 0;

static void count_fork(void) { ++forks; }

int watch_forks(void) {
    static bool watching = false;
    if (watching) return 0;
    if (pthread_atfork(NULL, NULL, count_fork) != 0) {
        PyErr_NoMemory();
        return -1;
    }
    watching = true;
    return 0;
}

/* macOS has no choice of clocks for a condition; a step of the wall clock only shortens or lengthens one wait of 50 ms. */
#if defined(__APPLE__)
#define WAITING_CLOCK CLOCK_REALTIME
#else
#define WAITING_CLOCK CLOCK_MONOTONIC
#endif

static void init_waiting(filter_lock* lock) {
    pthread_mutex_init(&lock->mutex, NULL);
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
#if !defined(__APPLE__)
    pthread_condattr_setclock(&attributes, WAITING_CLOCK);
#endif
    pthread_cond_init(&lock->change, &attributes);
    pthread_condattr_destroy(&attributes);
}

void lock_init(filter_lock* lock) {
    lock->readers = lock->is_written = lock->writers_wait = lock->is_torn = 0;
    lock->process = forks;
    init_waiting(lock);
}

void lock_destroy(filter_lock* lock) {
    /* After a fork the condition may have waiters that do not exist, for which destroying it would wait. */
    if (lock->process != forks) return;
    pthread_cond_destroy(&lock->change);
    pthread_mutex_destroy(&lock->mutex);
}

/* Forgets threads of the process from which this one was forked. */
static void forget_other_process(filter_lock* lock) {
    if (lock->process == forks) return;
    const unsigned torn = lock->is_torn | lock->is_written;
    lock_init(lock);
    lock->is_torn = torn;
}

static int check_whole(const filter_lock* lock) {
    if (lock->is_torn == 0) return 0;
    raise_code(EB_BAD_PARAMETER,
               "another thread was changing this filter when the process was forked, so that it is incomplete in the "
               "child process; make a new one, or fork while no bulk change is running");
    return -1;
}

static bool is_free(const filter_lock* lock, bool to_write) {
    if (lock->is_written != 0) return false;
    return to_write ? lock->readers == 0 : lock->writers_wait == 0;
}

static void enter(filter_lock* lock, bool to_write) {
    pthread_mutex_lock(&lock->mutex);
    if (to_write) {
        lock->is_written = 1;
    } else {
        ++lock->readers;
    }
    pthread_mutex_unlock(&lock->mutex);
}

/* Waits, without the GIL, until the lock looks free; at most 50 ms, so that Ctrl-C works while it waits. */
static int wait_for_change(filter_lock* lock, bool to_write) {
    Py_BEGIN_ALLOW_THREADS struct timespec until;
    clock_gettime(WAITING_CLOCK, &until);
    until.tv_nsec += 50 * 1000 * 1000;
    if (until.tv_nsec >= 1000 * 1000 * 1000) {
        until.tv_nsec -= 1000 * 1000 * 1000;
        ++until.tv_sec;
    }
    pthread_mutex_lock(&lock->mutex);
    if (to_write) ++lock->writers_wait;
    int waited = 0;
    while (waited == 0 && !is_free(lock, to_write)) {
        waited = pthread_cond_timedwait(&lock->change, &lock->mutex, &until);
    }
    if (to_write && --lock->writers_wait == 0) pthread_cond_broadcast(&lock->change);
    pthread_mutex_unlock(&lock->mutex);
    Py_END_ALLOW_THREADS return PyErr_CheckSignals();
}

int lock_enter(filter_lock* lock, bool to_write) {
    forget_other_process(lock);
    while (!is_free(lock, to_write)) {
        if (wait_for_change(lock, to_write) < 0) return -1;
    }
    if (check_whole(lock) < 0) return -1;
    enter(lock, to_write);
    return 0;
}

void lock_leave(filter_lock* lock, bool to_write) {
    pthread_mutex_lock(&lock->mutex);
    if (to_write) {
        lock->is_written = 0;
    } else {
        --lock->readers;
    }
    pthread_cond_broadcast(&lock->change);
    pthread_mutex_unlock(&lock->mutex);
}

int lock_enter_both(filter_lock* first, bool to_write, filter_lock* read) {
    forget_other_process(first);
    forget_other_process(read);
    while (true) {
        if (!is_free(first, to_write)) {
            if (wait_for_change(first, to_write) < 0) return -1;
        } else if (!is_free(read, false)) {
            if (wait_for_change(read, false) < 0) return -1;
        } else {
            break;
        }
    }
    if (check_whole(first) < 0 || check_whole(read) < 0) return -1;
    enter(first, to_write);
    enter(read, false);
    return 0;
}

void lock_leave_both(filter_lock* first, bool to_write, filter_lock* read) {
    lock_leave(read, false);
    lock_leave(first, to_write);
}
