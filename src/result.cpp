#include <everbloom/core/error.hpp>
#include <everbloom/core/result.hpp>

namespace everbloom::detail {

void throw_bad_access(const failure& what) { throw error(what); }

void throw_bad_access() { throw error({failure_reason::bad_parameter, "the value of a result that has none"}); }

} // namespace everbloom::detail
