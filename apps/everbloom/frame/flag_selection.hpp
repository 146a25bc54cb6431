// flag_selection: which commands and flags a run declares.
//
// Declaring all commands with all flags of all kinds takes about ten thousand allocations, and a run needs one command and the few flags
// that were given. So a run first declares only those that its command line names. Help, usage errors, completion scripts and the manual
// page need all of them: they select everything.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace everbloom::cli {

class flag_selection {
public:
    /// Everything.
    flag_selection() = default;
    /// Everything, for help about this command line: of flags that only some kinds of filter have, it shows those of the kinds named.
    [[nodiscard]] static flag_selection help_about(const std::vector<std::string>& words) {
        flag_selection made;
        made.help_words_ = &words;
        return made;
    }
    /// What these words of a command line name.
    explicit flag_selection(const std::vector<std::string>& words) : words_(&words) {}

    [[nodiscard]] bool is_everything() const noexcept { return words_ == nullptr; }

    /// Is a flag that only some kinds of filter have to be shown for this kind?
    [[nodiscard]] bool shows_kind(std::string_view kind) const noexcept {
        if (help_words_ == nullptr) return true;
        for (const std::string& word : *help_words_) {
            if (std::string_view(word).substr(word.starts_with("--kind=") ? 7 : 0) == kind) return true;
        }
        return false;
    }

    /// Is this flag ("-d,--repeated") or argument ("FILE") declared? Short flags may be combined (-cv), so they always are.
    [[nodiscard]] bool covers(std::string_view names) const noexcept {
        if (is_everything()) return true;
        while (!names.empty()) {
            const std::string_view one = names.substr(0, names.find(','));
            if (!one.starts_with("--") || is_named(one)) return true;
            names.remove_prefix(one.size() == names.size() ? one.size() : one.size() + 1);
        }
        return false;
    }

    /// Is this command ("gate", "gate generate") declared? An inner one if the second word names it.
    [[nodiscard]] bool covers_command(std::string_view name) const noexcept {
        if (is_everything()) return true;
        if (words_->size() < 2) return false;
        const std::string_view outer = (*words_)[1];
        if (name == outer) return true;
        const std::string_view inner = words_->size() > 2 ? (*words_)[2] : std::string_view{};
        return name.size() == outer.size() + 1 + inner.size() && name.starts_with(outer) && name[outer.size()] == ' ' &&
               name.ends_with(inner);
    }

private:
    [[nodiscard]] bool is_named(std::string_view flag) const noexcept {
        for (const std::string& word : *words_) {
            if (word.starts_with(flag) && (word.size() == flag.size() || word[flag.size()] == '=')) return true;
        }
        return false;
    }

    const std::vector<std::string>* words_ = nullptr;
    const std::vector<std::string>* help_words_ = nullptr;
};

} // namespace everbloom::cli
