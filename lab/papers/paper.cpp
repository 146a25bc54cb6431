#include "lab/papers/paper.hpp"

#include "lab/papers/dfp/dfp.hpp"
#include "lab/papers/dleft/dleft.hpp"
#include "lab/papers/elastic/elastic.hpp"
#include "lab/papers/summary/summary.hpp"
#include "lab/papers/today/today.hpp"
#include "lab/papers/yesno/yesno.hpp"

namespace everbloom::lab {

// The contents of lab/papers/<key>/claims.json, embedded by the build (cmake/apps.cmake).
extern const std::string_view claims_of_dfp;
extern const std::string_view claims_of_dleft;
extern const std::string_view claims_of_elastic;
extern const std::string_view claims_of_summary;
extern const std::string_view claims_of_today;
extern const std::string_view claims_of_yesno;

const std::vector<paper>& known_papers() {
    static const std::vector<paper> all{
        {"dfp", claims_of_dfp, dfp::experiments()},
        {"dleft", claims_of_dleft, dleft::experiments()},
        {"elastic", claims_of_elastic, elastic::experiments()},
        {"summary", claims_of_summary, summary::experiments()},
        {"today", claims_of_today, today::experiments()},
        {"yesno", claims_of_yesno, yesno::experiments()},
    };
    return all;
}

} // namespace everbloom::lab
