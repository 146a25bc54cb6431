/*
 * The SQLite extension: filters in SQL.
 *
 *     SELECT load_extension('./everbloom_sqlite');
 *     CREATE TABLE seen AS SELECT eb_build(email, 100000, 0.01) AS filter FROM users;
 *     SELECT * FROM events WHERE eb_check((SELECT filter FROM seen), email);
 *     SELECT eb_stats(filter) FROM seen;
 *
 *     eb_build(key [, capacity [, fpr [, kind]]])   an aggregate: a filter of all keys, as a blob
 *     eb_check(filter, key)                         0: certainly not in it; 1: maybe; NULL for a NULL key
 *     eb_stats(filter)                              its state as JSON, for json_extract
 *     eb_loads()                                    how many filters this connection has loaded so far
 *
 * A filter is a blob, the bytes of a filter file; a text is the path of one, which is mapped. The first key that is not NULL decides the
 * key type: INTEGER makes a filter of numbers, TEXT and BLOB make one of bytes. Key types are not mixed up: SQLite would compare 42 and
 * '42' as it likes, a filter cannot.
 *
 * Loading a filter means to verify all of its bytes, and a query may give the same blob for each of its rows: so each connection keeps the
 * last filters that were loaded. A blob is found by its header, which holds a checksum of 64 bits for every page of its cells: comparing all
 * of a megabyte for each row would take longer than the query. That of a path is found only as long as the file is the same. Built on
 * everbloom.h alone.
 */
#define _XOPEN_SOURCE 700 /* the time of a change in nanoseconds */

#include <everbloom.h>
#include <sqlite3ext.h>
#include <string.h>
#include <sys/stat.h>

SQLITE_EXTENSION_INIT1

/* ---- Loaded filters ------------------------------------------------------------------------------------------------------------ */

enum { kept_filters = 8 };

/* What tells one version of a file from the next; zeros for a blob. */
typedef struct file_version {
    dev_t device;
    ino_t number;
    off_t size;
    struct timespec changed;
} file_version;

/* One loaded filter, and what it is found by: the header of a blob, or a path. */
typedef struct loaded_filter {
    char *name;
    size_t name_bytes;
    sqlite3_int64 size; /* of the whole blob, or of the path */
    int is_path;
    file_version version;
    sqlite3_uint64 last_use;
    eb_filter *filter;
} loaded_filter;

/* Those of a connection, whose functions are called by one thread at a time. */
typedef struct filter_cache {
    loaded_filter filters[kept_filters];
    sqlite3_uint64 uses;
    sqlite3_int64 loads;
} filter_cache;

static void forget(loaded_filter *one) {
    eb_free(one->filter);
    sqlite3_free(one->name);
    memset(one, 0, sizeof *one);
}

static void free_cache(void *cache) {
    filter_cache *all = cache;
    int i;
    for (i = 0; i < kept_filters; ++i) forget(&all->filters[i]);
    sqlite3_free(all);
}

/* The result becomes the error; a filter that cannot be loaded is an error of the query. */
static void fail(sqlite3_context *context, const char *function, const eb_error *error) {
    char *message;
    if (error->code == EB_OUT_OF_MEMORY) {
        sqlite3_result_error_nomem(context);
        return;
    }
    message = sqlite3_mprintf("%s: %s", function, error->sentence);
    if (message == NULL) {
        sqlite3_result_error_nomem(context);
        return;
    }
    sqlite3_result_error(context, message, -1);
    sqlite3_free(message);
}

static void fail_with(sqlite3_context *context, const char *function, const char *sentence) {
    eb_error error = {EB_BAD_PARAMETER, ""};
    sqlite3_snprintf((int)sizeof error.sentence, error.sentence, "%s", sentence);
    fail(context, function, &error);
}

static file_version version_of(const char *path) {
    file_version made;
    struct stat facts;
    memset(&made, 0, sizeof made);
    if (stat(path, &facts) != 0) return made; /* eb_map will say why */
    made.device = facts.st_dev;
    made.number = facts.st_ino;
    made.size = facts.st_size;
#if defined(__APPLE__)
    made.changed = facts.st_mtimespec;
#else
    made.changed = facts.st_mtim;
#endif
    return made;
}

/* The same for all rows of a statement, if the path is a constant: SQLite keeps it beside the argument. */
static file_version version_in_statement(sqlite3_context *context, const char *path) {
    const file_version *known = sqlite3_get_auxdata(context, 0);
    const file_version made = known == NULL ? version_of(path) : *known;
    file_version *kept = known == NULL ? sqlite3_malloc64(sizeof *kept) : NULL;
    if (kept != NULL) {
        *kept = made;
        sqlite3_set_auxdata(context, 0, kept, sqlite3_free);
    }
    return made;
}

static int is_same_version(const file_version *a, const file_version *b) {
    return a->device == b->device && a->number == b->number && a->size == b->size &&
           a->changed.tv_sec == b->changed.tv_sec && a->changed.tv_nsec == b->changed.tv_nsec;
}

/* The length of a blob's header, a number of 32 bits at byte 20 (docs/format.md); all of a blob that is none. */
static size_t header_bytes(const unsigned char *blob, sqlite3_int64 size) {
    sqlite3_int64 length;
    if (size < 24) return (size_t)size;
    length = (sqlite3_int64)((uint32_t)blob[20] | (uint32_t)blob[21] << 8 | (uint32_t)blob[22] << 16 |
                             (uint32_t)blob[23] << 24);
    return (size_t)(length < size ? length : size);
}

static loaded_filter *find(filter_cache *cache, const void *source, sqlite3_int64 size, int is_path,
                           const file_version *version) {
    const size_t name_bytes = is_path ? (size_t)size : header_bytes(source, size);
    int i;
    for (i = 0; i < kept_filters; ++i) {
        loaded_filter *one = &cache->filters[i];
        if (one->filter == NULL || one->size != size || one->is_path != is_path || one->name_bytes != name_bytes) continue;
        if (!is_same_version(&one->version, version) || memcmp(one->name, source, name_bytes) != 0) continue;
        one->last_use = ++cache->uses;
        return one;
    }
    return NULL;
}

/* Replaces the filter that was not used for longest. */
static loaded_filter *load(filter_cache *cache, const void *source, sqlite3_int64 size, int is_path,
                           const file_version *version, eb_error *error) {
    loaded_filter *oldest = &cache->filters[0];
    loaded_filter made;
    int i;
    memset(&made, 0, sizeof made);
    made.name_bytes = is_path ? (size_t)size : header_bytes(source, size);
    made.name = sqlite3_malloc64((sqlite3_uint64)made.name_bytes + 1);
    if (made.name == NULL) {
        error->code = EB_OUT_OF_MEMORY;
        return NULL;
    }
    memcpy(made.name, source, made.name_bytes);
    made.name[made.name_bytes] = '\0';
    made.size = size;
    made.is_path = is_path;
    made.version = *version;
    made.filter = is_path ? eb_map(made.name, 0, error) : eb_read_memory(source, (size_t)size, error);
    if (made.filter == NULL) {
        sqlite3_free(made.name);
        return NULL;
    }
    for (i = 1; i < kept_filters; ++i) {
        if (cache->filters[i].last_use < oldest->last_use) oldest = &cache->filters[i];
    }
    forget(oldest);
    *oldest = made;
    oldest->last_use = ++cache->uses;
    ++cache->loads;
    return oldest;
}

/* The filter of an argument; NULL after an error was reported. */
static const eb_filter *filter_of(sqlite3_context *context, const char *function, sqlite3_value *value) {
    filter_cache *cache = sqlite3_user_data(context);
    const int type = sqlite3_value_type(value);
    eb_error error = {EB_OK, ""};
    const void *source;
    sqlite3_int64 size;
    loaded_filter *found;
    file_version version;
    const int is_path = type == SQLITE_TEXT;
    if (type != SQLITE_BLOB && type != SQLITE_TEXT) {
        fail_with(context, function, "the filter must be a blob, as eb_build makes it, or the path of a file");
        return NULL;
    }
    source = type == SQLITE_BLOB ? sqlite3_value_blob(value) : (const void *)sqlite3_value_text(value);
    size = sqlite3_value_bytes(value);
    if (source == NULL && size != 0) {
        sqlite3_result_error_nomem(context);
        return NULL;
    }
    if (source == NULL) source = "";
    memset(&version, 0, sizeof version);
    if (is_path) version = version_in_statement(context, source);
    found = find(cache, source, size, is_path, &version);
    if (found == NULL) found = load(cache, source, size, is_path, &version, &error);
    if (found == NULL) {
        fail(context, function, &error);
        return NULL;
    }
    return found->filter;
}

/* ---- eb_check and eb_stats ------------------------------------------------------------------------------------------------------- */

static void check(sqlite3_context *context, int count, sqlite3_value **values) {
    const eb_filter *filter;
    int answer = -EB_BAD_PARAMETER;
    const int type = sqlite3_value_type(values[1]);
    (void)count;
    if (sqlite3_value_type(values[0]) == SQLITE_NULL || type == SQLITE_NULL) return; /* NULL, as everywhere in SQL */
    filter = filter_of(context, "eb_check", values[0]);
    if (filter == NULL) return;
    if (type == SQLITE_FLOAT) {
        fail_with(context, "eb_check", "a floating-point number is no key; use CAST(... AS INTEGER) or AS TEXT");
        return;
    }
    if (type == SQLITE_INTEGER) {
        answer = eb_query_u64(filter, (uint64_t)sqlite3_value_int64(values[1]));
    } else {
        const void *key = type == SQLITE_BLOB ? sqlite3_value_blob(values[1]) : (const void *)sqlite3_value_text(values[1]);
        const int bytes = sqlite3_value_bytes(values[1]);
        if (key == NULL && bytes != 0) {
            sqlite3_result_error_nomem(context);
            return;
        }
        answer = eb_query_bytes(filter, key, (size_t)bytes);
    }
    if (answer < 0) {
        fail_with(context, "eb_check",
                  type == SQLITE_INTEGER ? "the key is a number, but the filter holds text; use CAST(... AS TEXT)"
                                         : "the key is text, but the filter holds numbers; use CAST(... AS INTEGER)");
        return;
    }
    sqlite3_result_int(context, answer);
}

static void stats(sqlite3_context *context, int count, sqlite3_value **values) {
    const eb_filter *filter;
    eb_error error;
    char text[1024]; /* ten numbers */
    int64_t length;
    (void)count;
    if (sqlite3_value_type(values[0]) == SQLITE_NULL) return;
    filter = filter_of(context, "eb_stats", values[0]);
    if (filter == NULL) return;
    length = eb_stats(filter, text, sizeof text, &error);
    if (length < 0) {
        fail(context, "eb_stats", &error);
    } else if (length >= (int64_t)sizeof text) {
        fail_with(context, "eb_stats", "the document is too long");
    } else {
        sqlite3_result_text(context, text, (int)length, SQLITE_TRANSIENT);
    }
}

static void loads(sqlite3_context *context, int count, sqlite3_value **values) {
    const filter_cache *cache = sqlite3_user_data(context);
    (void)count;
    (void)values;
    sqlite3_result_int64(context, cache->loads);
}

/* ---- eb_build -------------------------------------------------------------------------------------------------------------------- */

/* The state of the aggregate; SQLite makes it of zeros. */
typedef struct building {
    eb_filter *filter;
    int failed;
    int numbers;
} building;

static void give_up(building *state) {
    eb_free(state->filter);
    state->filter = NULL;
    state->failed = 1;
}

/* The filter for the first key, by the arguments beside it. */
static int begin(sqlite3_context *context, building *state, int count, sqlite3_value **values) {
    eb_error error;
    eb_options options = EB_OPTIONS_INIT;
    options.capacity = 1000; /* the planner's choice grows with the keys, and keeps its FPR */
    options.fpr = 0.01;
    if (count > 1) {
        const sqlite3_int64 capacity = sqlite3_value_int64(values[1]);
        options.capacity = capacity > 0 ? (uint64_t)capacity : 0;
    }
    if (count > 2) options.fpr = sqlite3_value_double(values[2]);
    if (count > 2 && options.fpr == 0) options.fpr = -1; /* 0 means "the default" to eb_make, and nothing sensible here */
    if (count > 3) options.kind = (const char *)sqlite3_value_text(values[3]);
    options.key_type = state->numbers ? EB_KEYS_U64 : EB_KEYS_TEXT;
    state->filter = eb_make(&options, &error);
    if (state->filter == NULL) {
        fail(context, "eb_build", &error);
    } else if ((eb_capabilities(state->filter) & EB_CAN_INSERT) == 0) {
        fail_with(context, "eb_build", "this kind is built from all of its keys at once, and not here; name another one");
    } else {
        return 1;
    }
    give_up(state);
    return 0;
}

static void refuse_key(sqlite3_context *context, building *state, const char *why) {
    fail_with(context, "eb_build", why);
    give_up(state);
}

static void build_step(sqlite3_context *context, int count, sqlite3_value **values) {
    building *state = sqlite3_aggregate_context(context, sizeof *state);
    const int type = sqlite3_value_type(values[0]);
    int outcome;
    int answer = 0;
    if (state == NULL) {
        sqlite3_result_error_nomem(context);
        return;
    }
    if (state->failed || type == SQLITE_NULL) return;
    if (type == SQLITE_FLOAT) {
        refuse_key(context, state, "a floating-point number is no key; use CAST(... AS INTEGER) or AS TEXT");
        return;
    }
    if (state->filter == NULL) {
        state->numbers = type == SQLITE_INTEGER;
        if (!begin(context, state, count, values)) return;
    }
    if (state->numbers != (type == SQLITE_INTEGER)) {
        refuse_key(context, state, "some keys are numbers and some are text; use CAST(... AS TEXT)");
        return;
    }
    if (type == SQLITE_INTEGER) {
        const uint64_t key = (uint64_t)sqlite3_value_int64(values[0]);
        outcome = eb_insert_u64(state->filter, key);
        if (outcome > EB_INSERTED_UNPROTECTED) answer = eb_query_u64(state->filter, key);
    } else {
        const void *key = type == SQLITE_BLOB ? sqlite3_value_blob(values[0]) : (const void *)sqlite3_value_text(values[0]);
        const int bytes = sqlite3_value_bytes(values[0]);
        if (key == NULL && bytes != 0) {
            sqlite3_result_error_nomem(context);
            give_up(state);
            return;
        }
        outcome = eb_insert_bytes(state->filter, key, (size_t)bytes);
        if (outcome > EB_INSERTED_UNPROTECTED) answer = eb_query_bytes(state->filter, key, (size_t)bytes);
    }
    /* A key that was refused, but answers "maybe" all the same, is as good as in it: nothing is ever removed from a blob. */
    if (outcome > EB_INSERTED_UNPROTECTED && answer != 1) {
        refuse_key(context, state, "there are more keys than the capacity; give a larger one: eb_build(key, capacity)");
    }
}

static void build_final(sqlite3_context *context) {
    building *state = sqlite3_aggregate_context(context, 0);
    eb_error error;
    int64_t size;
    void *bytes;
    if (state == NULL || state->failed || state->filter == NULL) return; /* no keys: NULL */
    size = eb_saved_bytes(state->filter, &error);
    bytes = size < 0 ? NULL : sqlite3_malloc64((sqlite3_uint64)size);
    if (bytes == NULL) {
        sqlite3_result_error_nomem(context);
    } else if (eb_write_memory(state->filter, bytes, (size_t)size, &error) < 0) {
        sqlite3_free(bytes);
        fail(context, "eb_build", &error);
    } else {
        sqlite3_result_blob64(context, bytes, (sqlite3_uint64)size, sqlite3_free);
    }
    eb_free(state->filter);
    state->filter = NULL;
}

/* ---- Registration ---------------------------------------------------------------------------------------------------------------- */

#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
int sqlite3_everbloomsqlite_init(sqlite3 *database, char **message, const sqlite3_api_routines *routines) {
    /* Not SQLITE_DETERMINISTIC, because a path may name another file tomorrow; not SQLITE_INNOCUOUS, because it is read. */
    const int flags = SQLITE_UTF8;
    filter_cache *cache;
    int status;
    int arguments;
    SQLITE_EXTENSION_INIT2(routines);
    (void)message;
    cache = sqlite3_malloc64(sizeof *cache);
    if (cache == NULL) return SQLITE_NOMEM;
    memset(cache, 0, sizeof *cache);
    /* SQLite calls free_cache, also if this fails; the others have the same cache and are registered after it. */
    status = sqlite3_create_function_v2(database, "eb_check", 2, flags, cache, check, NULL, NULL, free_cache);
    if (status == SQLITE_OK) {
        status = sqlite3_create_function_v2(database, "eb_stats", 1, flags, cache, stats, NULL, NULL, NULL);
    }
    if (status == SQLITE_OK) {
        status = sqlite3_create_function_v2(database, "eb_loads", 0, flags, cache, loads, NULL, NULL, NULL);
    }
    for (arguments = 1; arguments <= 4 && status == SQLITE_OK; ++arguments) {
        status = sqlite3_create_function_v2(database, "eb_build", arguments, flags, NULL, NULL, build_step,
                                            build_final, NULL);
    }
    return status;
}
