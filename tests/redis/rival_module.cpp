// A module with commands called BF.RESERVE and CF.RESERVE, as another implementation of them would have: for the tests of name clashes.
#include "module_api.hpp"

#include <initializer_list>

namespace {

int answer(everbloom::redis::module_context* context, everbloom::redis::module_string**, int) {
    return everbloom::redis::api.ReplyWithSimpleString(context, "RIVAL");
}

} // namespace

extern "C" __attribute__((visibility("default"))) int
RedisModule_OnLoad(everbloom::redis::module_context* context, everbloom::redis::module_string** arguments, int count);

int RedisModule_OnLoad(everbloom::redis::module_context* context, everbloom::redis::module_string**, int) {
    using namespace everbloom::redis;
    api.resolve(context);
    api.SetModuleAttribs(context, "rival", 1, api_version);
    for (const char* const name : {"bf.reserve", "cf.reserve"}) {
        if (api.CreateCommand(context, name, answer, "readonly", 1, 1, 1) != api_ok) return api_error;
    }
    return api_ok;
}
