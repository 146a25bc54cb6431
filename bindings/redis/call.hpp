// call: one command with its arguments and replies, and opened_key: the filter it is about.
#pragma once

#include "data_type.hpp"
#include "module_api.hpp"

#include <exception>
#include <span>
#include <string>
#include <string_view>

namespace everbloom::redis {

// Texts of the server and of the peer, byte for byte: clients compare them.
inline constexpr const char* wrong_type_text = "WRONGTYPE Operation against a key holding the wrong kind of value";
inline constexpr const char* not_found_text = "ERR not found";
inline constexpr const char* exists_text = "ERR item exists";
inline constexpr const char* no_memory_text = "ERR Insufficient memory to create filter";
inline constexpr const char* over_maxmemory_text = "OOM command not allowed when used memory > 'maxmemory'.";

/// The reply to a failure: one line.
[[nodiscard]] std::string error_text(const failure& why);

/// ASCII, as the server compares the words of commands.
[[nodiscard]] bool is_word(std::string_view given, std::string_view upper) noexcept;

class call;
/// What a command does.
using command_body = int (*)(const call&);

class call {
public:
    call(module_context* context, module_string** arguments, int count) noexcept
        : context_(context), arguments_(arguments, static_cast<std::size_t>(count)) {}
    /// With what it does, so that it can be run again later.
    call(module_context* context, module_string** arguments, int count, command_body body) noexcept
        : call(context, arguments, count) {
        body_ = body;
    }
    /// With a filter that was prepared for it (preparing.hpp).
    call(module_context* context, module_string** arguments, int count,
         std::unique_ptr<stored_filter>* prepared) noexcept
        : call(context, arguments, count) {
        prepared_ = prepared;
    }

    [[nodiscard]] module_context* context() const noexcept { return context_; }
    /// Those of the whole command: its name is the first.
    [[nodiscard]] std::size_t count() const noexcept { return arguments_.size(); }
    [[nodiscard]] module_string* argument(std::size_t index) const noexcept { return arguments_[index]; }
    [[nodiscard]] std::span<module_string* const> arguments_from(std::size_t index) const noexcept {
        return std::span<module_string* const>(arguments_).subspan(index);
    }
    [[nodiscard]] std::string_view text(std::size_t index) const noexcept { return text_of(arguments_[index]); }
    [[nodiscard]] static std::string_view text_of(const module_string* string) noexcept {
        std::size_t bytes = 0;
        const char* const data = api.StringPtrLen(string, &bytes);
        return {data, bytes};
    }
    [[nodiscard]] std::optional<long long> integer(std::size_t index) const noexcept {
        long long value = 0;
        if (api.StringToLongLong(arguments_[index], &value) != api_ok) return std::nullopt;
        return value;
    }
    [[nodiscard]] std::optional<double> number(std::size_t index) const noexcept {
        double value = 0;
        if (api.StringToDouble(arguments_[index], &value) != api_ok) return std::nullopt;
        return value;
    }
    /// Where this word is among the arguments from `first` on, in any case.
    [[nodiscard]] std::optional<std::size_t> find(std::string_view upper, std::size_t first) const noexcept;

    [[nodiscard]] command_body body() const noexcept { return body_; }
    [[nodiscard]] bool may_be_run_again() const noexcept { return body_ != nullptr; }
    /// Null if nothing was prepared.
    [[nodiscard]] std::unique_ptr<stored_filter> take_prepared() const noexcept {
        return prepared_ != nullptr ? std::move(*prepared_) : nullptr;
    }

    [[nodiscard]] bool has_flag(int flags) const noexcept { return (api.GetContextFlags(context_) & flags) != 0; }
    [[nodiscard]] bool is_resp3() const noexcept { return has_flag(context_resp3); }

    int wrong_arity() const { return api.WrongArity(context_); }
    int error(const char* text) const { return api.ReplyWithError(context_, text); }
    int error(const std::string& text) const { return api.ReplyWithError(context_, text.c_str()); }
    int error(const failure& why) const { return error(error_text(why)); }
    int ok() const { return api.ReplyWithSimpleString(context_, "OK"); }
    int integer_reply(std::uint64_t value) const {
        return api.ReplyWithLongLong(context_, static_cast<long long>(value));
    }
    int yes_or_no(bool value) const { return api.ReplyWithBool(context_, value ? 1 : 0); }
    void bulk(std::string_view text) const { api.ReplyWithStringBuffer(context_, text.data(), text.size()); }

    void notify(const char* event, module_string* key) const {
        api.NotifyKeyspaceEvent(context_, notify_module, event, key);
    }

    /// A filter that was changed by the command, whose first key it is.
    void changed(stored_filter& value, const char* event) const {
        value.dump.reset();
        notify(event, argument(1));
    }

private:
    module_context* context_;
    std::span<module_string*> arguments_;
    command_body body_ = nullptr;
    std::unique_ptr<stored_filter>* prepared_ = nullptr;
};

/// Brings jobs to their end that are under way and need the filter behind this key as it is, because a command is about to change it
/// (job.hpp).
void finish_jobs_with(const call& now, module_string* name) noexcept;

/// A key of the server, closed at the end of its scope.
class opened_key {
public:
    opened_key(const call& now, module_string* name, int mode) noexcept : key_(open(now, name, mode)) {}
    opened_key(const opened_key&) = delete;
    opened_key& operator=(const opened_key&) = delete;
    ~opened_key() {
        if (key_ != nullptr) api.CloseKey(key_);
    }

    /// A missing key is null if it was opened for reading.
    [[nodiscard]] bool is_absent() const noexcept { return key_ == nullptr || api.KeyType(key_) == empty_key; }
    [[nodiscard]] stored_filter* any() const noexcept {
        // The type of a key that is absent or holds another sort of value is null.
        if (key_ == nullptr || api.ModuleTypeGetType(key_) != filter_type) return nullptr;
        return static_cast<stored_filter*>(api.ModuleTypeGetValue(key_));
    }
    /// Null if it is a value of other commands.
    [[nodiscard]] stored_filter* of(command_family family) const noexcept {
        stored_filter* const value = any();
        return value != nullptr && value->facts.family == family ? value : nullptr;
    }
    [[nodiscard]] module_key* key() const noexcept { return key_; }

private:
    [[nodiscard]] static module_key* open(const call& now, module_string* name, int mode) noexcept {
        if ((mode & open_for_writing) != 0) finish_jobs_with(now, name);
        return api.OpenKey(now.context(), name, mode);
    }

    module_key* key_;
};

/// Runs it; no exception leaves this function.
[[nodiscard]] int run_safely(const call& now, command_body body) noexcept;

/// What the server calls.
template <command_body Body>
int run_command(module_context* context, module_string** arguments, int count) noexcept {
    return run_safely(call(context, arguments, count, Body), Body);
}

/// Would the server, without anything to evict, be above its maxmemory? A replica follows whatever its primary does.
[[nodiscard]] bool is_over_maxmemory(const call& now);

/// A new filter behind an absent key, replicated with all that decides what it is. Null after an error reply, and if the filter is so
/// large that it is prepared in steps: then the command is run again when that is done.
stored_filter* create_value(const call& now, const opened_key& key, module_string* name, const creation& wanted);

/// The hash function of new filters.
[[nodiscard]] any_hasher new_hasher();

} // namespace everbloom::redis
