/*
 * everbloom.h: membership filters for C, and for every language that can call C.
 *
 * A filter is a set of keys in a few bits per key. "No" is certain; "maybe" is wrong for a small share of the absent keys, the false
 * positive rate (FPR, error rate). Eighteen kinds, of which some delete, count, grow, or exclude known negatives.
 *
 *     eb_error error;
 *     eb_options options = EB_OPTIONS_INIT;
 *     options.capacity = 1000000;
 *     options.fpr = 0.01;
 *     eb_filter *seen = eb_make(&options, &error);
 *     if (seen == NULL) { fprintf(stderr, "%s\n", error.sentence); return 1; }
 *     eb_insert_bytes(seen, "anna", 4);
 *     if (eb_query_bytes(seen, "bert", 4) == 0) puts("bert: certainly not");
 *     eb_save(seen, "seen.eb", &error);
 *     eb_free(seen);
 *
 * The tutorial is docs/c.md. The rest of this comment holds for every function below.
 *
 * ERRORS
 *     A function that can fail takes an eb_error of the caller as its last argument, and fills it if it fails: a code for the program
 *     and a sentence for a person. It may be NULL. After success it is unchanged. There is no global error state, and nothing to
 *     free. Functions that return a pointer return NULL on failure; functions that return an `int` named "code" below return EB_OK or
 *     the code; functions that return a number return the negative code (-EB_UNSUPPORTED, for example). A failure has changed
 *     nothing, unless the description of the function says otherwise.
 *
 *     No C++ exception leaves a function, and none calls abort() or prints. A NULL handle, a NULL pointer where one is needed, an
 *     unknown number, data that is not aligned: an error, or a right answer. What cannot be noticed is a handle that was freed, and a
 *     pointer to less memory than the caller says.
 *
 * THREADS
 *     Functions that take a `const eb_filter *` may be called by any number of threads at the same time, on the same filter. Functions
 *     that take an `eb_filter *` need that filter alone: no other call may use it meanwhile. There is no lock inside; a program with
 *     writers beside readers brings its own. Different filters are independent of each other. Functions without a filter may be
 *     called by any thread at any time, eb_set_memory_hook included.
 *
 * TEXT
 *     Strings are NUL-terminated UTF-8. Functions that write a document take `buffer` and `size` as snprintf does: they write at most
 *     `size` - 1 characters and a NUL, and return the number of characters of the whole document, without the NUL. A return value of
 *     `size` or more means that the text was cut off. With size 0 nothing is written, and buffer may be NULL. Documents are JSON
 *     (RFC 8259); new members may be added to them, none is removed or changes its meaning.
 *
 * KEYS
 *     A key is a sequence of bytes, or a whole number. A number is the same key as its eight bytes, little-endian. Text is its UTF-8
 *     bytes. This is the same in C++, in Python, on the command line and in files. Whether a filter holds numbers or bytes is part of
 *     it, its key type: a filter of type u64 takes numbers only, all other filters take bytes only, for "42" and 42 are different
 *     keys, and to mix them up means to miss members.
 *
 * VERSIONS
 *     Functions, constants and members of structures are not changed within a major version of the shared object
 *     (libeverbloom.so.0). Structures that may grow begin with their size, which EB_OPTIONS_INIT and EB_RESIZE_INIT fill in.
 */
#ifndef EVERBLOOM_H
#define EVERBLOOM_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define EB_API __attribute__((visibility("default")))
#else
#define EB_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Versions ---------------------------------------------------------------------------------------------------------------- */

/* The version of this header; eb_version() is that of the library the program runs with. */
#define EB_VERSION_MAJOR 0
#define EB_VERSION_MINOR 2
#define EB_VERSION_PATCH 0

/* The version of the library, "0.2.0". Never fails; the text lives as long as the program. */
EB_API const char* eb_version(void);

/* ---- Errors ------------------------------------------------------------------------------------------------------------------ */

/* Why something failed. A number is never given a second meaning; there may be new ones. */
enum eb_code {
    EB_OK = 0,
    EB_BAD_PARAMETER = 1, /* a number out of range, an unknown name, a NULL pointer, keys of another type */
    EB_UNSUPPORTED = 2,   /* this filter cannot do that */
    EB_MISMATCH = 3,      /* two filters that do not fit together, or keys that were never inserted */
    EB_DAMAGED = 4,       /* bytes that are not an intact filter */
    EB_OUT_OF_MEMORY = 5, /* too large for this machine, or an allocation failed */
    EB_INPUT_OUTPUT = 6,  /* a system call to read or write failed, or the caller's sink or source did */
    EB_BUSY = 7,          /* another process writes this file */
    EB_NO_ROOM = 8,       /* the keys do not fit into the size asked for */
    EB_NOT_DURABLE = 9,   /* the new file is in its place, but may not survive a power cut */
    EB_INTERNAL = 10      /* a defect of everbloom; please report the sentence */
};

/* An error, in memory of the caller. The sentence is NUL-terminated UTF-8; a long one is cut off and ends with "...". */
typedef struct eb_error {
    int32_t code; /* one of enum eb_code */
    char sentence[508];
} eb_error;

/* The name of a code: "damaged"; "unknown" for a number that is none. Never fails; the text lives as long as the program. */
EB_API const char* eb_code_name(int code);

/* ---- Making a filter --------------------------------------------------------------------------------------------------------- */

/* A filter. Only pointers to it exist outside the library; eb_free ends its life. */
typedef struct eb_filter eb_filter;

/* Hash functions: how key bytes become 128 bits. The numbers are those of files. */
enum eb_hash {
    EB_HASH_DEFAULT = 0, /* siphash */
    EB_HASH_SIPHASH = 1, /* with a secret key: withstands an attacker who chooses the keys */
    EB_HASH_XXH3 = 2,    /* the fastest for long keys */
    EB_HASH_MURMUR3 = 3,
    EB_HASH_INTEGER = 4, /* the fastest for numbers; other keys go through XXH3 */
    EB_HASH_DCSO = 5     /* FNV, as in the files of DCSO's bloom tool */
};

/* Key types: what kind of keys a filter holds. The numbers are those of files. */
enum eb_key_type {
    EB_KEYS_TEXT = 0,   /* bytes; the command line reads them as lines of text */
    EB_KEYS_U64 = 1,    /* whole numbers of 64 bits */
    EB_KEYS_IP = 2,     /* addresses: 4 or 16 bytes in network order */
    EB_KEYS_HEX = 3,    /* bytes; the command line reads them as hexadecimal digits */
    EB_KEYS_DOMAIN = 4, /* names of domains: ASCII, lower case, no dot at the end; eb_key_from_text makes them so */
    EB_KEYS_CIDR = 5    /* networks: 4 or 16 bytes in network order, then the length of the prefix in one byte */
};

/* Flags of eb_options. */
enum eb_option_flag {
    /* accept keys beyond the capacity; the FPR then rises above its target */
    EB_OVERFILL = 1,
    /* `removed`, `churn`, `growth` and EB_MAY_REFUSE tell all that will happen: the planner can choose a smaller kind, a given kind is
       sized for it, or refused if it cannot do that; without this flag everything may happen */
    EB_LIFETIME = 2,
    /* with EB_LIFETIME: a kind may be chosen that refuses a key for lack of room below its capacity */
    EB_MAY_REFUSE = 4
};

/* What a new filter is made for. Start from EB_OPTIONS_INIT; only `capacity` must be set. */
typedef struct eb_options {
    size_t struct_size; /* sizeof(eb_options) */
    uint64_t capacity;  /* different keys that it must hold, at least 1; kinds that grow take more and keep their FPR */
    double fpr;         /* target FPR, between 0 and 1; 0: 0.001 */
    const char* kind;   /* "blocked" or any other (eb_kinds); NULL or "": the planner chooses */
    const char* parameters;  /* geometry instead of the planned one: "bits=65536 hashes=4"; NULL or "": planned */
    const uint8_t* hash_key; /* 16 bytes; NULL: random. Filters that are to be merged need the same one */
    int32_t hash;            /* enum eb_hash */
    int32_t key_type;        /* enum eb_key_type */
    uint32_t flags;          /* enum eb_option_flag, combined with | */
    uint32_t reserved;       /* 0 */
    double removed;          /* lifetime: keys inserted in addition and removed again, as a multiple of the capacity */
    double churn;            /* lifetime: how often every key is replaced by another one */
    double growth;           /* lifetime: the largest factor by which the set may grow; 0 means 1 */
    uint64_t negatives;      /* known negatives that eb_protect will get, for kinds made for them (yes_no) */
} eb_options;

#define EB_OPTIONS_INIT                                                                                                \
    { sizeof(eb_options), 0, 0.001, NULL, NULL, NULL, EB_HASH_DEFAULT, EB_KEYS_TEXT, 0, 0, 0, 0, 0, 0 }

/*
 * Makes an empty filter in memory.
 *
 * Returns the filter, to be freed with eb_free, or NULL. Errors: EB_BAD_PARAMETER for options that make no sense (the sentence says
 * which), EB_UNSUPPORTED if no kind suits them, EB_OUT_OF_MEMORY.
 */
EB_API eb_filter* eb_make(const eb_options* options, eb_error* error);

/* Frees a filter and its memory. NULL is allowed. */
EB_API void eb_free(eb_filter* filter);

/*
 * A copy in memory, cell by cell. The copy of a mapped filter can be changed.
 *
 * Returns the copy, to be freed with eb_free, or NULL. Errors: EB_OUT_OF_MEMORY.
 */
EB_API eb_filter* eb_clone(const eb_filter* filter, eb_error* error);

/* ---- Facts about a filter ------------------------------------------------------------------------------------------------------ */

/* What a filter can do, combined with |. A mapped filter has no EB_CAN_INSERT, and no EB_CAN_ERASE. */
enum eb_capability {
    EB_CAN_QUERY = 1 << 0,
    EB_CAN_INSERT = 1 << 1,
    EB_CAN_ERASE = 1 << 2,
    EB_CAN_COUNT = 1 << 3,
    EB_CAN_MERGE = 1 << 4,
    EB_CAN_GROW = 1 << 5,
    EB_CAN_SHRINK = 1 << 6,
    EB_CAN_RESIZE = 1 << 7,
    EB_CAN_INTERSECT = 1 << 8,
    EB_CAN_CONFIRM = 1 << 9,  /* eb_query_verified */
    EB_CAN_PROTECT = 1 << 10, /* eb_protect; eb_exclude works with every kind in memory */
    EB_CAN_EXPORT = 1 << 11,  /* eb_export */
    EB_CAN_BUILD = 1 << 12    /* eb_build */
};

/* The capabilities, enum eb_capability combined with |; 0 for NULL. */
EB_API uint32_t eb_capabilities(const eb_filter* filter);

/* Whether eb_insert_new works with this filter: 1 or 0; 0 for NULL. */
EB_API int eb_can_insert_new(const eb_filter* filter);

/* The name of the kind, "blocked"; "" for NULL. The text lives as long as the program. */
EB_API const char* eb_kind(const eb_filter* filter);

/* The key type, enum eb_key_type; -EB_BAD_PARAMETER for NULL. */
EB_API int eb_key_type_of(const eb_filter* filter);

/* The hash function, enum eb_hash; -EB_BAD_PARAMETER for NULL. */
EB_API int eb_hash_of(const eb_filter* filter);

/*
 * Copies the 16 bytes of the hash key to `key`: a secret, with which other filters can be made that may be merged with this one.
 * Returns a code. Errors: EB_BAD_PARAMETER.
 */
EB_API int eb_hash_key_of(const eb_filter* filter, uint8_t key[16], eb_error* error);

/* Capacity and target FPR it was made for; 0 for NULL, and for a filter that was made without. */
EB_API uint64_t eb_capacity(const eb_filter* filter);
EB_API double eb_target_fpr(const eb_filter* filter);

/* All memory that the filter holds, in bytes; 0 for a mapped one, whose memory is the file's, and for NULL. */
EB_API uint64_t eb_memory_bytes(const eb_filter* filter);

/*
 * The number of different keys in it: exact and immediate for kinds that keep count, otherwise estimated from all cells.
 * Returns the number, or a negative code. Errors: EB_BAD_PARAMETER, EB_OUT_OF_MEMORY.
 */
EB_API int64_t eb_key_count(const eb_filter* filter, eb_error* error);

/*
 * The current FPR, computed from the real cells. Reads all of them.
 * Returns a number from 0 to 1, or a negative code. Errors: EB_BAD_PARAMETER, EB_OUT_OF_MEMORY.
 */
EB_API double eb_current_fpr(const eb_filter* filter, eb_error* error);

/*
 * A checksum of all that determines its answers: kind, geometry, hash, hash key and cells. Equal filters have equal ones. Reads all cells.
 * Stores it in *identity and returns a code. Errors: EB_BAD_PARAMETER, EB_OUT_OF_MEMORY.
 */
EB_API int eb_identity(const eb_filter* filter, uint64_t* identity, eb_error* error);

/*
 * Whether two filters have the same kind, geometry, hash, hash key and cells: 1 or 0, or a negative code. Filters that got the same
 * keys in the same order are equal. Errors: EB_BAD_PARAMETER, EB_OUT_OF_MEMORY.
 */
EB_API int eb_equal(const eb_filter* a, const eb_filter* b, eb_error* error);

/* ---- One key ------------------------------------------------------------------------------------------------------------------- */

/*
 * The fast functions for one key: a few nanoseconds above the hash and the filter itself. They take no eb_error; a negative return
 * value is a code: -EB_BAD_PARAMETER for a NULL filter, for a NULL key with a length that is not 0, and for numbers where the key type
 * is not u64, or bytes where it is.
 */

/* Outcomes of an insertion. Up to EB_INSERTED_UNPROTECTED the key was added; after any other outcome the filter is unchanged. */
enum eb_insert_outcome {
    EB_INSERTED = 0,             /* the key is present */
    EB_INSERTED_COUNTED = 1,     /* it was present already; its count was incremented */
    EB_INSERTED_SATURATED = 2,   /* it is present, and a cell became saturated permanently */
    EB_INSERTED_GREW = 3,        /* it is present, and the filter grew to take it */
    EB_INSERTED_UNPROTECTED = 4, /* it is present; conflicting known negatives may be false positives again */
    EB_FULL_BUCKET = 5,          /* refused: all buckets of this key are full */
    EB_FULL_COUNTER = 6,         /* refused: the count of this key is at its largest */
    EB_GROWTH_REFUSED = 7,       /* refused: it would have to grow and may not, or cannot (no memory) */
    EB_OVER_CAPACITY = 8,        /* refused: with more keys the FPR would rise above its target */
    EB_ALREADY_PRESENT = 9,      /* nothing was done: it was there already (eb_insert_new) */
    EB_NOT_WRITABLE = 10         /* refused: this filter is mapped, and so read-only */
};

/* Outcomes of a removal. Up to EB_REMOVED_STILL_POSITIVE an insertion was undone; otherwise the filter is unchanged. */
enum eb_erase_outcome {
    EB_REMOVED = 0,                /* one insertion of the key is undone */
    EB_REMOVED_STILL_POSITIVE = 1, /* undone as far as the cells allow; the key still answers "maybe" */
    EB_NOT_PRESENT = 2,            /* the cells prove that the key was never inserted, or was removed already */
    EB_NOT_DELETABLE = 3,          /* the key may be present, but all of its cells are saturated */
    EB_AMBIGUOUS = 4,   /* more than one part answers "maybe", and removing from the wrong one would lose a key */
    EB_CANNOT_ERASE = 5 /* this kind cannot remove keys, or this filter is mapped */
};

/* The name of an outcome, "inserted_grew"; "unknown" for a number that is none. The text lives as long as the program. */
EB_API const char* eb_insert_outcome_name(int outcome);
EB_API const char* eb_erase_outcome_name(int outcome);

/* Is the key in it? 0: certainly not. 1: maybe. Negative: a code. */
EB_API int eb_query_u64(const eb_filter* filter, uint64_t key);
EB_API int eb_query_bytes(const eb_filter* filter, const void* key, size_t bytes);

/* Inserts a key. Returns enum eb_insert_outcome, or a negative code. */
EB_API int eb_insert_u64(eb_filter* filter, uint64_t key);
EB_API int eb_insert_bytes(eb_filter* filter, const void* key, size_t bytes);

/*
 * Removes a key. Only a key that was inserted may be removed: removing another one can take away a member. Returns enum
 * eb_erase_outcome, or a negative code.
 */
EB_API int eb_erase_u64(eb_filter* filter, uint64_t key);
EB_API int eb_erase_bytes(eb_filter* filter, const void* key, size_t bytes);

/* ---- Many keys ----------------------------------------------------------------------------------------------------------------- */

/* How keys lie in memory. Nothing has to be aligned. */
enum eb_shape {
    /* data: numbers of 64 bits in the byte order of the machine, `stride` bytes apart */
    EB_U64 = 1,
    /* data: pointers to the keys; extents: their lengths (size_t), or NULL if they are NUL-terminated strings. Both `stride` bytes
       apart, so that an array of struct iovec can be given as it is */
    EB_POINTERS = 2,
    /* data: the bytes of all keys; extents: count + 1 offsets (int32_t), as Arrow has them: key i is data[extents[i]] up to
       data[extents[i + 1]]. `width`: bytes at data, or 0 to have that not checked */
    EB_OFFSETS32 = 3,
    /* the same with offsets of 64 bits (int64_t): Arrow's large_string and large_binary */
    EB_OFFSETS64 = 4,
    /* data: keys of `width` bytes each, `stride` bytes apart */
    EB_FIXED = 5,
    /* the same, and NULs at the end of a key are padding, not part of it: numpy's S */
    EB_FIXED_PADDED = 6,
    /* data: ready digests (eb_digest), `stride` bytes apart; of any filter with the same hash and hash key */
    EB_DIGESTS = 7
};

/* 128 bits that a hash function makes of a key: all that a filter sees of it. */
typedef struct eb_digest {
    uint64_t low;
    uint64_t high;
} eb_digest;

/*
 * Keys in the memory of the caller, which is only read, and only during the call. The functions below the structure fill it in.
 *
 * EB_U64 goes with filters of key type u64, the shapes of bytes with all others, EB_DIGESTS with every filter. Keys are checked as a
 * whole before the first of them is used: EB_BAD_PARAMETER for an unknown shape, NULL data, offsets that fall or lie outside, NULL
 * pointers with a length, and counts that no memory can hold. With count 0 nothing else is looked at.
 */
typedef struct eb_keys {
    uint32_t shape;      /* enum eb_shape */
    uint32_t reserved;   /* 0 */
    uint64_t count;      /* the number of keys */
    int64_t stride;      /* bytes from one element to the next, also negative; 0: one directly after the other */
    uint64_t width;      /* EB_FIXED, EB_FIXED_PADDED: bytes per key; EB_OFFSETS32, EB_OFFSETS64: bytes at data or 0 */
    const void* data;    /* as the shape says */
    const void* extents; /* as the shape says */
} eb_keys;

/* Numbers in an array. */
static inline eb_keys eb_u64_keys(const uint64_t* numbers, uint64_t count) {
    eb_keys made = {EB_U64, 0, 0, 0, 0, NULL, NULL};
    made.count = count;
    made.data = numbers;
    return made;
}

/* NUL-terminated strings. */
static inline eb_keys eb_text_keys(const char* const* texts, uint64_t count) {
    eb_keys made = {EB_POINTERS, 0, 0, 0, 0, NULL, NULL};
    made.count = count;
    made.data = texts;
    return made;
}

/* Pointers and lengths in two arrays. */
static inline eb_keys eb_pointer_keys(const void* const* pointers, const size_t* lengths, uint64_t count) {
    eb_keys made = {EB_POINTERS, 0, 0, 0, 0, NULL, NULL};
    made.count = count;
    made.data = pointers;
    made.extents = lengths;
    return made;
}

/* A string or binary column of Arrow: count + 1 offsets into `bytes` bytes at data. */
static inline eb_keys eb_offset32_keys(const void* data, uint64_t bytes, const int32_t* offsets, uint64_t count) {
    eb_keys made = {EB_OFFSETS32, 0, 0, 0, 0, NULL, NULL};
    made.count = count;
    made.width = bytes;
    made.data = data;
    made.extents = offsets;
    return made;
}

/* A large_string or large_binary column of Arrow. */
static inline eb_keys eb_offset64_keys(const void* data, uint64_t bytes, const int64_t* offsets, uint64_t count) {
    eb_keys made = {EB_OFFSETS64, 0, 0, 0, 0, NULL, NULL};
    made.count = count;
    made.width = bytes;
    made.data = data;
    made.extents = offsets;
    return made;
}

/* Keys of `width` bytes each, one directly after the other. */
static inline eb_keys eb_fixed_keys(const void* data, uint64_t width, uint64_t count) {
    eb_keys made = {EB_FIXED, 0, 0, 0, 0, NULL, NULL};
    made.count = count;
    made.width = width;
    made.data = data;
    return made;
}

/* Digests of eb_digests. */
static inline eb_keys eb_digest_keys(const eb_digest* digests, uint64_t count) {
    eb_keys made = {EB_DIGESTS, 0, 0, 0, 0, NULL, NULL};
    made.count = count;
    made.data = digests;
    return made;
}

/*
 * The functions for many keys hash and prefetch them together, which makes each several times as fast as one alone. `answers`,
 * `outcomes` and `counts` have room for one element per key, or are NULL if only the sum is of interest. Errors of all of them:
 * EB_BAD_PARAMETER (filter, keys, or key type), EB_OUT_OF_MEMORY.
 */

/*
 * Asks for each key. answers[i] becomes 1 for "maybe" and 0 for "certainly not".
 * Returns the number of "maybe", or a negative code.
 */
EB_API int64_t eb_query(const eb_filter* filter, const eb_keys* keys, uint8_t* answers, eb_error* error);

/*
 * The same, and a "maybe" is verified with the stored hashes of the keys, for kinds with EB_CAN_CONFIRM: slower, with a negligible FPR.
 * Returns the number of 1s, or a negative code. Errors also: EB_UNSUPPORTED.
 */
EB_API int64_t eb_query_verified(const eb_filter* filter, const eb_keys* keys, uint8_t* answers, eb_error* error);

/*
 * Inserts each key. outcomes[i] becomes enum eb_insert_outcome.
 * Returns the number of keys that were added, or a negative code; fewer than there are means that some were refused, and the outcomes
 * say why. Errors also: EB_UNSUPPORTED for a mapped filter.
 */
EB_API int64_t eb_insert(eb_filter* filter, const eb_keys* keys, uint8_t* outcomes, eb_error* error);

/*
 * Inserts each key unless it is there already (outcome EB_ALREADY_PRESENT). For kinds that cannot remove, and for those that verify by
 * stored hashes (eb_can_insert_new): elsewhere a false positive, followed by a removal, would lose a member.
 * Returns the number of keys that were added, or a negative code. Errors also: EB_UNSUPPORTED.
 */
EB_API int64_t eb_insert_new(eb_filter* filter, const eb_keys* keys, uint8_t* outcomes, eb_error* error);

/*
 * Removes each key. outcomes[i] becomes enum eb_erase_outcome. Only keys that were inserted may be removed.
 * Returns the number of keys that were removed, or a negative code. Errors also: EB_UNSUPPORTED for a kind that cannot remove keys,
 * and for a mapped filter.
 */
EB_API int64_t eb_erase(eb_filter* filter, const eb_keys* keys, uint8_t* outcomes, eb_error* error);

/*
 * The same after a dry run: if its outcomes show that some of the keys were never inserted, nothing is removed.
 * Returns the number of keys that were removed, or a negative code. Errors also: EB_MISMATCH (keys that were never inserted),
 * EB_UNSUPPORTED.
 */
EB_API int64_t eb_erase_members(eb_filter* filter, const eb_keys* keys, eb_error* error);

/*
 * The outcome that eb_erase would have for each key by itself; changes nothing. Works with mapped filters, too.
 * Returns the number of keys that could be removed, or a negative code. Errors also: EB_UNSUPPORTED.
 */
EB_API int64_t eb_can_erase(const eb_filter* filter, const eb_keys* keys, uint8_t* outcomes, eb_error* error);

/*
 * How often each key was inserted, never too low, for kinds with EB_CAN_COUNT. counts[i] becomes the count.
 * Returns the number of keys whose count is not 0, or a negative code. Errors also: EB_UNSUPPORTED.
 */
EB_API int64_t eb_count(const eb_filter* filter, const eb_keys* keys, uint64_t* counts, eb_error* error);

/*
 * The digests of keys, for other filters with the same hash and hash key: hashed once, asked many times. digests[i] becomes that of
 * key i; not NULL.
 * Returns the number of keys, or a negative code.
 */
EB_API int64_t eb_digests(const eb_filter* filter, const eb_keys* keys, eb_digest* digests, eb_error* error);

/*
 * The part of a spread filter that a key belongs to: XXH3 (64 bits, seed 0) of its bytes, modulo the number of parts. A set that is too
 * large for one server is spread over several filters, and every client must find the same one for a key; docs/cluster.md has the rule
 * with test vectors. A number is the same key as its eight bytes, little-endian. Never allocates.
 * Returns 0 to `shards` - 1, or -EB_BAD_PARAMETER for no shards, and for NULL with bytes.
 */
EB_API int64_t eb_shard(const void* key, size_t bytes, uint32_t shards);

/*
 * The bytes of a key that is written as text, as the command line reads it: 10.0.0.1 (EB_KEYS_IP), ff00 (EB_KEYS_HEX), 0x2a
 * (EB_KEYS_U64: eight bytes, little-endian). Writes at most `size` bytes to `key`.
 * Returns the number of bytes of the key, or a negative code; more than `size` means that the key was cut off. Errors:
 * EB_BAD_PARAMETER for a text that is no key of this type, EB_OUT_OF_MEMORY.
 */
EB_API int64_t eb_key_from_text(int key_type, const char* text, size_t text_bytes, void* key, size_t size,
                                eb_error* error);

/* ---- Whole filters ------------------------------------------------------------------------------------------------------------- */

/*
 * Adds the keys of `other`, which may be mapped, to `filter`. Both need the same kind, geometry, hash and hash key.
 * Returns a code. Errors: EB_MISMATCH, EB_NO_ROOM (together they exceed the capacity), EB_UNSUPPORTED, EB_OUT_OF_MEMORY.
 */
EB_API int eb_merge(eb_filter* filter, const eb_filter* other, eb_error* error);

/* Keeps the keys that `other` holds as well. Otherwise as eb_merge. */
EB_API int eb_intersect(eb_filter* filter, const eb_filter* other, eb_error* error);

/* What to resize for; 0 leaves a number as it is. */
typedef struct eb_resize_options {
    size_t struct_size; /* sizeof(eb_resize_options) */
    uint64_t capacity;  /* keys */
    double fpr;         /* target FPR */
    uint64_t bytes;     /* the most it may take: the largest capacity that fits, at the same FPR */
} eb_resize_options;

#define EB_RESIZE_INIT                                                                                                 \
    { sizeof(eb_resize_options), 0, 0, 0 }

/*
 * Another capacity, FPR or size, without the keys, for kinds with EB_CAN_RESIZE, EB_CAN_GROW or EB_CAN_SHRINK.
 * Returns a code. Errors: EB_UNSUPPORTED, EB_NO_ROOM (the keys do not fit), EB_BAD_PARAMETER, EB_OUT_OF_MEMORY.
 */
EB_API int eb_resize(eb_filter* filter, const eb_resize_options* options, eb_error* error);

/*
 * A smaller copy in memory with the given FPR, for programs that only ask, made without the keys, for kinds with EB_CAN_EXPORT (quotient,
 * elastic_blocked). It answers for the same keys, with the same hash key, and is of the kind that takes the fewest bytes, mostly fuse. Its
 * capacity is the number of keys in it.
 * Returns the copy, to be freed with eb_free, or NULL. Errors: EB_BAD_PARAMETER, EB_UNSUPPORTED (also with an exclusion list),
 * EB_NO_ROOM, EB_OUT_OF_MEMORY.
 */
EB_API eb_filter* eb_export(const eb_filter* filter, double fpr, eb_error* error);

/*
 * The same with the kind of the copy: "fuse" (the fewest bytes; only answers), or "quotient" for a quotient filter and "bloom" for
 * elastic_blocked, which can be merged. NULL or "": the one that takes the fewest bytes.
 * Returns the copy, to be freed with eb_free, or NULL. Errors: as eb_export.
 */
EB_API eb_filter* eb_export_as(const eb_filter* filter, double fpr, const char* kind, eb_error* error);

/*
 * Makes the filter hold exactly these keys, for kinds with EB_CAN_BUILD (fuse), whose keys must all be known at once. Replaces those that
 * it had; its capacity becomes their number. A failure changes nothing.
 * Returns a code. Errors: EB_BAD_PARAMETER, EB_UNSUPPORTED (also for a mapped filter), EB_OUT_OF_MEMORY.
 */
EB_API int eb_build(eb_filter* filter, const eb_keys* keys, eb_error* error);

/* Removes all keys; size and hash key stay. Returns a code. Errors: EB_UNSUPPORTED for a mapped filter, EB_OUT_OF_MEMORY. */
EB_API int eb_clear(eb_filter* filter, eb_error* error);

/* What became of known negatives. */
typedef struct eb_protection {
    uint64_t negatives;
    uint64_t false_positives_before; /* negatives that are false positives of the filter alone */
    uint64_t false_positives_after;
    uint64_t members_lost; /* 0, unless that was allowed */
} eb_protection;

/*
 * Known negatives: these keys are answered "certainly not" from now on. Puts an exclusion list in front of the filter, of any kind and
 * without its members; replaces an earlier list. *result, if not NULL, tells what was reached.
 * Returns a code. Errors: EB_UNSUPPORTED for a mapped filter, EB_BAD_PARAMETER, EB_OUT_OF_MEMORY.
 */
EB_API int eb_exclude(eb_filter* filter, const eb_keys* negatives, eb_protection* result, eb_error* error);

/* Drops the exclusion list, if there is one. Returns a code. Errors: EB_BAD_PARAMETER. */
EB_API int eb_drop_exclusions(eb_filter* filter, eb_error* error);

/* Flags of eb_protect. */
enum eb_protect_flag {
    EB_MAY_LOSE_MEMBERS = 1 /* exclude negatives also where that costs members: then there are false negatives */
};

/*
 * The same by the kind's own means (EB_CAN_PROTECT: yes_no), in a third of the bits. Needs all members, so that none of them is lost.
 * Returns a code. Errors: EB_UNSUPPORTED, EB_BAD_PARAMETER, EB_OUT_OF_MEMORY.
 */
EB_API int eb_protect(eb_filter* filter, const eb_keys* members, const eb_keys* negatives, uint32_t flags,
                      eb_protection* result, eb_error* error);

/* What an update from one list to the next did. */
typedef struct eb_list_update {
    uint64_t inserted;    /* keys added; a rebuild adds all keys of the list */
    uint64_t removed;     /* keys removed */
    uint64_t undeletable; /* keys in the filter that are not in the list: give it to the next call */
    int32_t rebuilt;      /* 1 if it was built again from the list, otherwise 0 */
    char why[252];        /* why it was rebuilt; "" otherwise */
} eb_list_update;

/*
 * Follows a list: `filter` holds exactly the keys of the list `before`, and `undeletable` keys of earlier updates; afterwards it holds
 * those of `after`. Keys that left the list are removed, new ones inserted, each once, and every key of the list is asked for at the
 * end. A filter that cannot remove, or is worn out, is built again from the list, larger or smaller if necessary. The lists may be in
 * any order and have duplicates; they may not be digests. *result, if not NULL, tells what was done.
 * Returns a code. Errors: EB_UNSUPPORTED (mapped, or with an exclusion list), EB_BAD_PARAMETER, EB_OUT_OF_MEMORY.
 */
EB_API int eb_sync(eb_filter* filter, const eb_keys* before, const eb_keys* after, uint64_t undeletable,
                   eb_list_update* result, eb_error* error);

/* ---- Files --------------------------------------------------------------------------------------------------------------------- */

/*
 * Writes a file, durably: after success it survives a power cut; until then the old file is intact. A new file is readable for its
 * owner only, because it holds the hash key.
 * Returns a code. Errors: EB_INPUT_OUTPUT, EB_BUSY, EB_NOT_DURABLE (the one error after which the file is replaced),
 * EB_OUT_OF_MEMORY.
 */
EB_API int eb_save(const eb_filter* filter, const char* path, eb_error* error);

/*
 * Reads a file into memory, where the filter can be changed. Every byte is compared with its checksum.
 * Returns the filter, to be freed with eb_free, or NULL. Errors: EB_INPUT_OUTPUT, EB_DAMAGED (also for a file of another program, or of
 * a newer version of the format), EB_UNSUPPORTED, EB_OUT_OF_MEMORY.
 */
EB_API eb_filter* eb_open(const char* path, eb_error* error);

/* Flags of eb_map. */
enum eb_map_flag {
    /* compare only the checksum of the header: opens a file of gigabytes at once; what memory safety depends on is checked all the
       same */
    EB_MAP_HEADER_ONLY = 1
};

/*
 * Answers from a file without reading it into memory, shared between processes, read-only. The file may be replaced meanwhile (as
 * eb_save does), but not changed in place, or made shorter.
 * Returns the filter, to be freed with eb_free, or NULL. Errors: as eb_open.
 */
EB_API eb_filter* eb_map(const char* path, uint32_t flags, eb_error* error);

/* The length of the file of this filter in bytes; a negative code on failure. Errors: EB_BAD_PARAMETER, EB_OUT_OF_MEMORY. */
EB_API int64_t eb_saved_bytes(const eb_filter* filter, eb_error* error);

/*
 * The file as bytes in memory: eb_saved_bytes of them, written to `buffer`, which has `size`.
 * Returns the number of bytes, or a negative code. Errors: EB_BAD_PARAMETER if the buffer is too small, EB_OUT_OF_MEMORY.
 */
EB_API int64_t eb_write_memory(const eb_filter* filter, void* buffer, size_t size, eb_error* error);

/* A filter in memory from these bytes, which are not needed afterwards. As eb_open. */
EB_API eb_filter* eb_read_memory(const void* bytes, size_t size, eb_error* error);

/*
 * A filter in memory from the bytes of a .bloom file, the format of DCSO's program `bloom`, not compressed. It answers as that program
 * does. Returns the filter, to be freed with eb_free, or NULL. Errors: EB_BAD_PARAMETER, EB_DAMAGED, EB_UNSUPPORTED, EB_OUT_OF_MEMORY.
 */
EB_API eb_filter* eb_read_dcso(const void* bytes, size_t size, eb_error* error);

/*
 * A sink takes `size` bytes, which follow the ones before, and returns 0; anything else stops the writing. A source fills `size` bytes
 * with those that come next, and returns 0; anything else stops the reading. `context` is what the caller gave. Neither may leave by
 * longjmp or an exception.
 */
typedef int (*eb_sink)(void* context, const void* bytes, size_t size);
typedef int (*eb_source)(void* context, void* bytes, size_t size);

/*
 * Writes the file piece by piece, so that there is never a second copy in memory: eb_saved_bytes in all.
 * Returns a code. Errors: EB_INPUT_OUTPUT if the sink refused, EB_BAD_PARAMETER, EB_OUT_OF_MEMORY.
 */
EB_API int eb_write(const eb_filter* filter, eb_sink sink, void* context, eb_error* error);

/* A filter in memory from a source of `bytes` bytes. As eb_open, and EB_INPUT_OUTPUT if the source refused. */
EB_API eb_filter* eb_read(eb_source source, void* context, uint64_t bytes, eb_error* error);

/* ---- Documents ----------------------------------------------------------------------------------------------------------------- */

/*
 * Keys, capacity, fill, current FPR, memory, bits per key:
 *
 *     {"kind": "blocked", "keys": 1000.2, "keys_are_exact": false, "capacity": 1000, "fill": 1.0002, "fpr": 0.0098,
 *      "target_fpr": 0.01, "deletable_share": null, "memory_bytes": 1280, "bits_per_key": 10.2}
 *
 * Reads every cell. Returns the length of the document, or a negative code. Errors: EB_BAD_PARAMETER, EB_OUT_OF_MEMORY.
 */
EB_API int64_t eb_stats(const eb_filter* filter, char* buffer, size_t size, eb_error* error);

/*
 * What the filter is: kind, summary, capabilities, geometry, hash, key type, capacity, target FPR, whether it is mapped, cells, bytes of
 * its file, exclusions, growth. Reads no cells. Returns the length of the document, or a negative code. Errors: as eb_stats.
 */
EB_API int64_t eb_describe(const eb_filter* filter, char* buffer, size_t size, eb_error* error);

/*
 * What the cells look like, for pictures: "cells" (their number), "values" (values[v] cells hold v; the last one counts everything
 * larger, too), "occupied_shares" of `slices` equal slices of the array, and "bucket_load_at_least" for kinds made of buckets. `slices`
 * and `values` are from 1 to 65536. Reads every cell. Returns the length of the document, or a negative code. Errors: as eb_stats.
 */
EB_API int64_t eb_census(const eb_filter* filter, uint32_t slices, uint32_t values, char* buffer, size_t size,
                         eb_error* error);

/*
 * The values of cells, as they are now: values[i] becomes that of cell first + i. What a cell is depends on the kind: a bit, a counter,
 * the copies that a cell of a dleft filter counts, the items in a bucket of a quotient filter; 0 always means empty. For pictures; cells
 * may move when keys are added. Returns the number of values, which is less than `count` at the end of the array, or a negative code.
 * Errors: EB_BAD_PARAMETER.
 */
EB_API int64_t eb_cells(const eb_filter* filter, uint64_t first, uint64_t count, uint64_t* values, eb_error* error);

/*
 * All kinds, as an array: id, name, summary, capabilities, whether it grows by itself, may refuse keys, or loses members; and its
 * parameters with name, meaning, least, most, default and words. Returns the length of the document, or a negative code. Errors:
 * EB_OUT_OF_MEMORY.
 */
EB_API int64_t eb_kinds(char* buffer, size_t size, eb_error* error);

/*
 * Requests of the next three functions are JSON objects; unknown members are errors. Numbers may be written as numbers, or as text that
 * the command line would take ("10k", "0.1%").
 */

/*
 * Ranks the kinds for a workload. The request:
 *
 *     {"capacity": 1000000, "fpr": 0.001,                                 (only the capacity is needed)
 *      "removed": 0.3, "churn": 2, "growth": 16, "may_refuse": false,     (the lifetime; without any of them everything may happen)
 *      "deletable": 0.9, "negatives": 0, "memory_bytes": 1000000}
 *
 * The document has "candidates", best first (kind, parameters, bytes, first_bytes, slow_bytes, bits_per_key, fpr, deletability, hashes,
 * query_lines, cost), "dropped" (kind, why), and "lowest_fpr": if nothing fits into memory_bytes, the lowest FPR that does, otherwise
 * null. Returns its length, or a negative code. Errors: EB_BAD_PARAMETER, EB_OUT_OF_MEMORY.
 */
EB_API int64_t eb_plan(const char* request, char* buffer, size_t size, eb_error* error);

/*
 * What the model of a kind predicts, without making a filter. The request:
 *
 *     {"kind": "bloom", "parameters": {"bits": 65536, "hashes": 4},       (or "capacity" and "fpr", or both)
 *      "items": 4096, "removed": 0, "churn": 0, "negatives": 0}           (items and capacity: one of both stands for the other)
 *
 * The document has "fpr", "deletability" and "refusal" (null where the model has no answer), "bytes", "bits_per_key" and
 * "parameters". Returns its length, or a negative code. Errors: EB_BAD_PARAMETER, EB_OUT_OF_MEMORY.
 */
EB_API int64_t eb_model(const char* request, char* buffer, size_t size, eb_error* error);

/* The least size of the buffer of eb_simulate: no document is longer, so that no simulation has to run twice. */
#define EB_SIMULATION_BYTES 65536

/*
 * Fills filters with random keys, runs a workload, and measures what the model predicts. The request:
 *
 *     {"kind": "counting", "parameters": {}, "capacity": 10000, "fpr": 0.01,     (as for eb_model)
 *      "items": 10000, "removed": 0.3, "churn_steps": 0, "queries": 1000000, "trials": 10, "seed": 1, "threads": 1}
 *
 * The document is that of `everbloom simulate --json`. The same request gives the same document, whatever the number of threads.
 * Returns its length, or a negative code. Errors: EB_BAD_PARAMETER (also if size is less than EB_SIMULATION_BYTES), EB_UNSUPPORTED,
 * EB_OUT_OF_MEMORY.
 */
EB_API int64_t eb_simulate(const char* request, char* buffer, size_t size, eb_error* error);

/* ---- Memory of the host -------------------------------------------------------------------------------------------------------- */

/*
 * All cells that are allocated from now on, by any thread, come from `allocate` (like malloc; NULL means "out of memory") and go back to
 * `release` (like free), for a host that counts and limits memory. Cells that exist go back to where they came from. Two NULLs: from
 * the system again. Through a hook there are no huge pages, and growing copies. Both functions may be called by any thread.
 * Returns a code. Errors: EB_BAD_PARAMETER if one of the two is NULL.
 */
EB_API int eb_set_memory_hook(void* (*allocate)(size_t bytes), void (*release)(void* block), eb_error* error);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* EVERBLOOM_H */
