// All the code of all kinds, compiled once for the suites that are written against subject.hpp.
#include "support/subject_of_kind.hpp"

const std::vector<everbloom::support::subject_kind>& everbloom::support::subject_kinds() {
    static const std::vector<subject_kind> kinds = make_subject_kinds();
    return kinds;
}
