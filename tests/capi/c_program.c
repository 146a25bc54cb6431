/* The header in the hands of a C99 compiler: every function through its own type, and the macros in initialisers. */
#include "capi/c_program.h"

#include <everbloom.h>

#include <string.h>

static int count_bytes(void *context, const void *bytes, size_t size) {
    (void)bytes;
    *(size_t *)context += size;
    return 0;
}

/* The first thing that is wrong, or NULL. */
const char *use_the_header_from_c(void) {
    static const char *const members[] = {"anna", "bert", "carl"};
    static const uint64_t numbers[] = {1, 2, 3};
    eb_error error = {EB_OK, ""};
    eb_options options = EB_OPTIONS_INIT;
    eb_resize_options larger = EB_RESIZE_INIT;
    const eb_keys names = eb_text_keys(members, 3);
    const eb_keys keys = eb_u64_keys(numbers, 3);
    uint8_t answers[3] = {0, 0, 0};
    size_t written = 0;
    eb_filter *seen;
    eb_filter *counted;

    options.capacity = 100;
    options.fpr = 0.01;
    seen = eb_make(&options, &error);
    if (seen == NULL) return "eb_make";
    if (eb_insert(seen, &names, NULL, &error) != 3) return "eb_insert";
    if (eb_query(seen, &names, answers, &error) != 3 || answers[2] != 1) return "eb_query";
    if (eb_query_bytes(seen, "anna", 4) != 1) return "eb_query_bytes";
    larger.capacity = 1;
    if (eb_resize(seen, &larger, &error) == EB_OK) return "eb_resize to one key";
    if (error.code == EB_OK || strlen(error.sentence) == 0) return "an error without words";
    if (eb_write(seen, count_bytes, &written, &error) != EB_OK) return "eb_write";
    if ((int64_t)written != eb_saved_bytes(seen, &error)) return "eb_saved_bytes";
    eb_free(seen);

    options.kind = "counting";
    options.key_type = EB_KEYS_U64;
    counted = eb_make(&options, &error);
    if (eb_insert(counted, &keys, NULL, &error) != 3) return "eb_insert of numbers";
    if (eb_erase_u64(counted, 2) != EB_REMOVED) return "eb_erase_u64";
    if (eb_query_u64(counted, 2) != 0) return "eb_query_u64";
    eb_free(counted);
    eb_free(NULL);
    return NULL;
}
