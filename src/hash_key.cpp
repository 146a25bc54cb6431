#include <everbloom/hash/hash_key.hpp>

#include <unistd.h>

#if __has_include(<sys/random.h>)
#include <sys/random.h> // getentropy of macOS is here
#endif

namespace everbloom {

result<hash_key> hash_key::random() {
    hash_key key;
    if (::getentropy(key.bytes.data(), key.bytes.size()) != 0) {
        return fail(failure_reason::input_output, "the system has no source of random numbers");
    }
    return key;
}

} // namespace everbloom
