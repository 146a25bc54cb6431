#include "module_api.hpp"

namespace everbloom::redis {
namespace {

/// What the first word of a context points to: 0 and the function, or 1 where the server does not have it.
using resolver = int (*)(const char* name, void* function);

} // namespace

void module_api::resolve(module_context* context) noexcept {
    const resolver find = *reinterpret_cast<resolver*>(context);
#define EVERBLOOM_RESOLVE(name, result, parameters)                                                                    \
    if (find("RedisModule_" #name, &name) != api_ok) name = nullptr;
    EVERBLOOM_MODULE_API(EVERBLOOM_RESOLVE, EVERBLOOM_RESOLVE)
#undef EVERBLOOM_RESOLVE
}

bool module_api::is_complete() const noexcept {
    bool complete = true;
#define EVERBLOOM_MUST_EXIST(name, result, parameters) complete = complete && name != nullptr;
#define EVERBLOOM_MAY_BE_NULL(name, result, parameters)
    EVERBLOOM_MODULE_API(EVERBLOOM_MUST_EXIST, EVERBLOOM_MAY_BE_NULL)
#undef EVERBLOOM_MAY_BE_NULL
#undef EVERBLOOM_MUST_EXIST
    return complete;
}

} // namespace everbloom::redis
