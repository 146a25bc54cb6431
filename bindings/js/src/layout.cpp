// The sizes and offsets that src/*.ts write by hand, compared with everbloom.h when the modules are built. There is no code in here.
#include <everbloom.h>

static_assert(sizeof(void*) == 4 && sizeof(size_t) == 4);
static_assert(sizeof(eb_error) == 512 && offsetof(eb_error, sentence) == 4);
static_assert(sizeof(eb_options) == 88 && offsetof(eb_options, capacity) == 8 && offsetof(eb_options, fpr) == 16);
static_assert(offsetof(eb_options, kind) == 24 && offsetof(eb_options, parameters) == 28);
static_assert(offsetof(eb_options, hash_key) == 32 && offsetof(eb_options, hash) == 36);
static_assert(offsetof(eb_options, key_type) == 40 && offsetof(eb_options, flags) == 44);
static_assert(offsetof(eb_options, removed) == 56 && offsetof(eb_options, churn) == 64);
static_assert(offsetof(eb_options, growth) == 72 && offsetof(eb_options, negatives) == 80);
static_assert(sizeof(eb_keys) == 40 && offsetof(eb_keys, count) == 8 && offsetof(eb_keys, stride) == 16);
static_assert(offsetof(eb_keys, width) == 24 && offsetof(eb_keys, data) == 32 && offsetof(eb_keys, extents) == 36);
static_assert(sizeof(eb_resize_options) == 32 && offsetof(eb_resize_options, capacity) == 8);
static_assert(offsetof(eb_resize_options, fpr) == 16 && offsetof(eb_resize_options, bytes) == 24);
static_assert(sizeof(eb_protection) == 32 && sizeof(eb_digest) == 16);
static_assert(sizeof(eb_list_update) == 280 && offsetof(eb_list_update, rebuilt) == 24);
static_assert(offsetof(eb_list_update, why) == 28);
