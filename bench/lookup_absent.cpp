// How fast is "surely not", the answer filters are made for? Keys that were never inserted, in random order.
#include "lookup.hpp"

namespace everbloom::bench {

void register_lookup_absent() {
    register_lookups("lookup_absent", [] { return run_keys().absent_keys(); });
}

} // namespace everbloom::bench
