/* Checks the vector file (docs/format.md#vectors) with a parser and a checksum of its own, through the C interface alone. */
#include "capi/c_program.h"

#include <everbloom.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most_keys = 128, most_bytes = 64, key_types = 6 };

typedef struct vector_key {
    size_t bytes;
    unsigned char data[most_bytes];
} vector_key;

typedef struct vector_keys {
    size_t count[2]; /* absent keys, members */
    vector_key keys[2][most_keys];
} vector_keys;

static const char *const type_names[key_types] = {"text", "u64", "ip", "hex", "domain", "cidr"};
static const char *const hash_names[] = {"", "siphash", "xxh3", "murmur3", "integer", "dcso"};

static int number_of_name(const char *name, const char *const *names, int count) {
    int i;
    for (i = 0; i < count; ++i) {
        if (strcmp(name, names[i]) == 0) return i;
    }
    return -1;
}

static uint32_t crc32_of(const unsigned char *bytes, size_t size) {
    uint32_t crc = 0xffffffffu;
    size_t i;
    int bit;
    for (i = 0; i < size; ++i) {
        crc ^= bytes[i];
        for (bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (0xedb88320u & (0u - (crc & 1u)));
    }
    return ~crc;
}

static uint64_t number_at(const unsigned char *bytes) {
    uint64_t number = 0;
    int i;
    for (i = 7; i >= 0; --i) number = number << 8 | bytes[i];
    return number;
}

/* key TYPE member|absent HEX SPELLING */
static int read_key(const char *line, vector_keys *all) {
    char type[8], role[8], hex[2 * most_bytes + 2];
    vector_key made;
    vector_keys *of_type;
    size_t i;
    int number, role_number, used = 0;
    unsigned char spelled[most_bytes];
    if (sscanf(line, "key %7s %7s %129s %n", type, role, hex, &used) != 3) return 0;
    number = number_of_name(type, type_names, key_types);
    role_number = strcmp(role, "member") == 0;
    if (number < 0) return 0;
    made.bytes = hex[0] == '-' ? 0 : strlen(hex) / 2;
    for (i = 0; i < made.bytes; ++i) {
        unsigned int byte = 0;
        sscanf(hex + 2 * i, "%2x", &byte);
        made.data[i] = (unsigned char)byte;
    }
    /* The spelling of the key has the same bytes. */
    if (eb_key_from_text(number, line + used, strlen(line + used), spelled, sizeof spelled, NULL) != (int64_t)made.bytes ||
        memcmp(spelled, made.data, made.bytes) != 0) {
        return 0;
    }
    of_type = &all[number];
    if (of_type->count[role_number] == most_keys) return 0;
    of_type->keys[role_number][of_type->count[role_number]++] = made;
    return 1;
}

static int insert_key(eb_filter *filter, int numbers, const vector_key *key) {
    return numbers ? eb_insert_u64(filter, number_at(key->data)) : eb_insert_bytes(filter, key->data, key->bytes);
}
static int erase_key(eb_filter *filter, int numbers, const vector_key *key) {
    return numbers ? eb_erase_u64(filter, number_at(key->data)) : eb_erase_bytes(filter, key->data, key->bytes);
}
static int query_key(const eb_filter *filter, int numbers, const vector_key *key) {
    return numbers ? eb_query_u64(filter, number_at(key->data)) : eb_query_bytes(filter, key->data, key->bytes);
}

/* filter KIND HASH TYPE CAPACITY FPR SEED INSERTED ERASED ANSWERS BYTES CRC32 */
static int check_filter(const char *line, const vector_keys *all) {
    char kind[32], hash[16], type[8], inserted[most_keys + 1], erased[most_keys + 1], answers[2 * most_keys + 1];
    char found[2 * most_keys + 1];
    unsigned long long capacity, seed, bytes;
    double fpr;
    unsigned int crc;
    uint8_t hash_key[16] = {0};
    eb_options options = EB_OPTIONS_INIT;
    const vector_keys *keys;
    eb_filter *filter;
    unsigned char *file;
    size_t i, at = 0;
    int role, good = 1;
    if (sscanf(line, "filter %31s %15s %7s %llu %lf %llu %128s %128s %256s %llu %x", kind, hash, type, &capacity, &fpr,
               &seed, inserted, erased, answers, &bytes, &crc) != 11) {
        return 0;
    }
    for (i = 0; i < 8; ++i) hash_key[i] = (uint8_t)(seed >> (8 * i));
    options.kind = kind;
    options.capacity = capacity;
    options.fpr = fpr;
    options.hash_key = hash_key;
    options.hash = number_of_name(hash, hash_names, 6);
    options.key_type = number_of_name(type, type_names, key_types);
    if (options.key_type < 0) return 0;
    keys = &all[options.key_type];
    filter = eb_make(&options, NULL);
    if (filter == NULL) return 0;
    for (i = 0; i < keys->count[1]; ++i) {
        good = good && inserted[i] == "0123456789a"[insert_key(filter, options.key_type == EB_KEYS_U64, &keys->keys[1][i])];
    }
    /* Every fourth member leaves again, where the kind can remove. */
    for (i = 0; erased[0] != '-' && 4 * i < keys->count[1]; ++i) {
        good = good && erased[i] == "012345"[erase_key(filter, options.key_type == EB_KEYS_U64, &keys->keys[1][4 * i])];
    }
    for (role = 1; role >= 0; --role) {
        for (i = 0; i < keys->count[role]; ++i) {
            found[at++] = "01"[query_key(filter, options.key_type == EB_KEYS_U64, &keys->keys[role][i])];
        }
    }
    found[at] = '\0';
    good = good && strcmp(found, answers) == 0 && eb_saved_bytes(filter, NULL) == (int64_t)bytes;
    file = malloc((size_t)bytes);
    good = good && file != NULL && eb_write_memory(filter, file, (size_t)bytes, NULL) == (int64_t)bytes &&
           crc32_of(file, (size_t)bytes) == crc;
    free(file);
    eb_free(filter);
    return good;
}

long check_vectors_from_c(const char *path, char *wrong, size_t size) {
    static vector_keys all[key_types];
    char line[1024];
    long checked = 0;
    FILE *file = fopen(path, "r");
    memset(all, 0, sizeof all);
    if (file == NULL) {
        snprintf(wrong, size, "cannot open %s", path);
        return -1;
    }
    while (fgets(line, sizeof line, file) != NULL) {
        int good = 1;
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, "key ", 4) == 0) good = read_key(line, all);
        if (strncmp(line, "filter ", 7) == 0) {
            good = check_filter(line, all);
            ++checked;
        }
        if (!good) {
            snprintf(wrong, size, "does not agree: %s", line);
            fclose(file);
            return -1;
        }
    }
    fclose(file);
    return checked;
}
