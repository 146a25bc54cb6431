// expect: everbloom: the second argument is a kind
#include <everbloom/everbloom.hpp>

#include <cstdint>
#include <string>

int main() { everbloom::filter<std::string, int> names({.capacity = 10}); }
