// The layout of a d-left table that chooses the plain code, cell by cell: the oracle for all other code.
#pragma once

#include <everbloom/filter/dleft/dleft_layout.hpp>

namespace everbloom::support {

[[nodiscard]] inline dleft_layout plain_dleft_layout(const dleft_spec& spec) {
    dleft_layout layout(spec);
    layout.shape = dleft_shape::any;
#if defined(EVERBLOOM_MODERN_X86)
    layout.is_modern = false;
#endif
#if defined(EVERBLOOM_PACKED_KERNEL)
    layout.packed.readable = 0;
    layout.packed.readable_cells = 0;
    layout.pair.calls = {};
    layout.packed_call = {};
    layout.fields.readable = 0;
#endif
    return layout;
}

} // namespace everbloom::support
