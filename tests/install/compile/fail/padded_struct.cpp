// expect: everbloom: a struct with padding
#include <everbloom/everbloom.hpp>

struct padded {
    char letter; // three bytes without meaning follow
    int number;
};

everbloom::filter<padded> seen({.capacity = 100});
