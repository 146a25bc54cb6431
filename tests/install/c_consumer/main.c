/* What a C program writes first. Compiled against an installed tree only, by CMake and by pkg-config. */
#include <everbloom.h>

#include <stdio.h>
#include <string.h>

static int stop(const char *sentence) {
    fprintf(stderr, "%s\n", sentence);
    return 1;
}

int main(void) {
    char version[16];
    eb_error error = {EB_OK, ""};
    eb_options options = EB_OPTIONS_INIT;
    eb_filter *seen;
    eb_filter *opened;
    options.capacity = 1000;
    seen = eb_make(&options, &error);
    if (seen == NULL) return stop(error.sentence);
    if (eb_insert_bytes(seen, "anna", 4) != EB_INSERTED) return stop("a key was refused");
    /* The tests run this in a folder of its own. */
    if (eb_save(seen, "c_consumer.eb", &error) != EB_OK) return stop(error.sentence);
    opened = eb_open("c_consumer.eb", &error);
    remove("c_consumer.eb");
    if (opened == NULL) return stop(error.sentence);
    if (eb_query_bytes(opened, "anna", 4) != 1) return stop("the file has lost a key");
    if (eb_equal(seen, opened, &error) != 1) return stop("the file has another filter");
    snprintf(version, sizeof version, "%d.%d.%d", EB_VERSION_MAJOR, EB_VERSION_MINOR, EB_VERSION_PATCH);
    if (strcmp(version, eb_version()) != 0) return stop("header and library are of different versions");
    printf("everbloom %s: a %s filter\n", eb_version(), eb_kind(opened));
    eb_free(opened);
    eb_free(seen);
    return 0;
}
