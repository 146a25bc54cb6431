// How fast is "maybe" for keys that are there? No early way out: all cells of a key must be looked at.
#include "lookup.hpp"

namespace everbloom::bench {

void register_lookup_present() {
    register_lookups("lookup_present", [] { return run_keys().wanted_members(); });
}

} // namespace everbloom::bench
