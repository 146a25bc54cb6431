/*
 * filter_lock: many readers or one writer, for calls that release the global interpreter lock (GIL).
 *
 * Rule: a filter is only entered by a thread that holds the GIL at that moment. A call that keeps the GIL to its end therefore needs no
 * entry of its own: it checks whether a thread that released the GIL is inside (`is_written`, `is_used`); if none is, none
 * can enter before it is done. That makes the lock of a single query one comparison.
 *
 * A process may be forked while other threads are inside; in the child they do not exist. Every lock remembers in which process it was
 * last entered, and forgets what was inside if that was another one. A filter that was being changed at that moment cannot be used in the
 * child, because the change is never finished.
 */
#ifndef EVERBLOOM_PYTHON_FILTER_LOCK_H
#define EVERBLOOM_PYTHON_FILTER_LOCK_H

#include "python.h"

#include <pthread.h>
#include <stdbool.h>

typedef struct filter_lock {
    unsigned readers;      /* threads inside that only read */
    unsigned is_written;   /* 1 if a thread is inside that changes the filter */
    unsigned writers_wait; /* new readers let them pass */
    unsigned is_torn;      /* 1 if the filter was being changed when the process was forked */
    unsigned long process; /* number of forks before this lock was last entered */
    pthread_mutex_t mutex; /* held for moments, to wait for `change` */
    pthread_cond_t change;
} filter_lock;

/* To be called once, when the module is loaded. Returns 0 or -1 with an exception set. */
int watch_forks(void);

void lock_init(filter_lock* lock);
void lock_destroy(filter_lock* lock);

/* All of these hold the GIL when they are called and when they return; they release it only while they wait. */

/* Enters. Returns 0, or -1 with an exception set (an interrupt while waiting, or a torn filter). */
int lock_enter(filter_lock* lock, bool to_write);
void lock_leave(filter_lock* lock, bool to_write);

/* Enters two different ones, the second one to read, without holding one while it waits for the other. */
int lock_enter_both(filter_lock* first, bool to_write, filter_lock* read);
void lock_leave_both(filter_lock* first, bool to_write, filter_lock* read);

/* Is somebody inside? For calls that keep the GIL. */
static inline bool lock_allows_query(const filter_lock* lock) { return (lock->is_written | lock->is_torn) == 0; }
static inline bool lock_allows_change(const filter_lock* lock) {
    return (lock->is_written | lock->is_torn | lock->readers) == 0;
}

#endif
