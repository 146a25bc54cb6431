#include "kind_entry.hpp"

namespace everbloom {

const std::vector<kind_entry>& kind_entries() {
    static const std::vector<kind_entry> entries = [] {
        std::vector<kind_entry> made;
#define EVERBLOOM_ADD_ENTRY(id, family, name) made.push_back(make_##name##_entry());
        EVERBLOOM_KINDS(EVERBLOOM_ADD_ENTRY)
#undef EVERBLOOM_ADD_ENTRY
        return made;
    }();
    return entries;
}

const kind_entry* find_entry(std::uint32_t id) {
    for (const kind_entry& entry : kind_entries()) {
        if (entry.info.id == id) return &entry;
    }
    return nullptr;
}

const kind_entry* find_entry(std::string_view name) {
    for (const kind_entry& entry : kind_entries()) {
        if (entry.info.name == name) return &entry;
    }
    return nullptr;
}

} // namespace everbloom
