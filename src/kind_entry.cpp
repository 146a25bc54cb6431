#include "kind_entry.hpp"

#include <everbloom/runtime/kinds.hpp>

namespace everbloom {

// Defined in one generated file per kind (cmake/library.cmake), so that they compile side by side.
template <class Kind>
kind_entry make_entry();

const std::vector<kind_entry>& kind_entries() {
    static const std::vector<kind_entry> entries = [] {
        std::vector<kind_entry> made;
        all_kinds::for_each([&]<class Kind>() { made.push_back(make_entry<Kind>()); });
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
