// All kinds as subjects. Each is compiled by itself, in a generated file (cmake/tests.cmake).
#include "support/subject.hpp"

#include <everbloom/runtime/kinds.hpp>

namespace everbloom::support {

#define EVERBLOOM_DECLARE_SUBJECT(id, family, name) subject_kind make_##name##_subject();
EVERBLOOM_KINDS(EVERBLOOM_DECLARE_SUBJECT)
#undef EVERBLOOM_DECLARE_SUBJECT

const std::vector<subject_kind>& subject_kinds() {
    static const std::vector<subject_kind> kinds{
#define EVERBLOOM_LIST_SUBJECT(id, family, name) make_##name##_subject(),
        EVERBLOOM_KINDS(EVERBLOOM_LIST_SUBJECT)
#undef EVERBLOOM_LIST_SUBJECT
    };
    return kinds;
}

} // namespace everbloom::support
