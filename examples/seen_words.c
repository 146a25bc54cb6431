/*
 * Words that were seen before, in C: a filter is filled in one call, asked, saved, mapped by a "second program", and follows a list that
 * changes. Every call that can fail is checked, and one error is shown.
 */
#include <everbloom.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The example stops at the first thing that is not as it should be. */
static void expect(int truth, const char *what, const eb_error *error) {
    if (truth) return;
    fprintf(stderr, "%s: %s\n", what, error == NULL ? "is not so" : error->sentence);
    exit(1);
}

static const char *const today[] = {"anna", "bert", "carl", "dora"};
static const char *const tomorrow[] = {"bert", "carl", "dora", "emil"};

int main(void) {
    eb_error error = {EB_OK, ""};
    eb_options options = EB_OPTIONS_INIT;
    const eb_keys old_list = eb_text_keys(today, 4);
    const eb_keys new_list = eb_text_keys(tomorrow, 4);
    eb_list_update update;
    uint8_t answers[4];
    char text[2048];
    char path[] = "seen_words.eb";
    eb_filter *seen;
    eb_filter *mapped;
    int64_t length;
    size_t i;

    /* Only the capacity must be given; the planner chooses the kind. */
    options.capacity = 1000;
    options.fpr = 0.01;
    seen = eb_make(&options, &error);
    expect(seen != NULL, "eb_make", &error);
    expect(eb_insert(seen, &old_list, NULL, &error) == 4, "eb_insert", &error);
    printf("a %s filter with %" PRId64 " words in %" PRIu64 " bytes\n", eb_kind(seen), eb_key_count(seen, &error),
           eb_memory_bytes(seen));

    expect(eb_query(seen, &new_list, answers, &error) >= 3, "eb_query", &error);
    for (i = 0; i < 4; ++i) printf("  %s: %s\n", tomorrow[i], answers[i] ? "maybe" : "certainly not");
    expect(answers[0] == 1, "a member that is not found", NULL);

    /* The list of tomorrow: keys that left are removed, new ones are inserted. */
    expect(eb_sync(seen, &old_list, &new_list, 0, &update, &error) == EB_OK, "eb_sync", &error);
    printf("%" PRIu64 " inserted, %" PRIu64 " removed\n", update.inserted, update.removed);
    expect(eb_query_bytes(seen, "emil", 4) == 1, "the new word", NULL);

    /* Another process maps the file; it cannot change it. */
    expect(eb_save(seen, path, &error) == EB_OK, "eb_save", &error);
    mapped = eb_map(path, 0, &error);
    remove(path); /* the mapping keeps the bytes */
    expect(mapped != NULL, "eb_map", &error);
    expect(eb_query(mapped, &new_list, NULL, &error) == 4, "the words in the file", &error);
    expect(eb_insert(mapped, &old_list, NULL, &error) == -EB_UNSUPPORTED, "a mapped filter was changed", NULL);
    printf("as expected: %s\n", error.sentence);

    /* Documents are JSON, written as snprintf writes. */
    length = eb_stats(mapped, text, sizeof text, &error);
    expect(length > 0 && (size_t)length < sizeof text, "eb_stats", &error);
    expect(strstr(text, "\"capacity\": 1000") != NULL, "the capacity in the statistics", NULL);
    printf("%s\n", text);

    eb_free(mapped);
    eb_free(seen);
    return 0;
}
