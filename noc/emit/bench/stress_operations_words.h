// Words with operations, and what words that are joined become.

#pragma once

#include "stress_operations_plan.h"

namespace {

constexpr unsigned NOBODY = ~0u;

// A word as a node gives it: whose, of which operation, for which node, and the last of a message.
struct Word {
    Payload data{};
    unsigned giver = NOBODY, operation = 0, node = 0;
    bool last = false;
};

void put_field(Payload& payload, Field field, std::uint32_t value) {
    if (field.bits) put(payload, field.first, value);
}

std::uint32_t get_field(const Payload& payload, Field field) {
    return field.bits ? get(payload, field.first, field.bits) : 0;
}

// Bits of data, moved from where they lie to the lowest place, or back.
Payload move_down(const Payload& payload, Field field) {
    Payload result{};
    for (unsigned place = 0; place < field.bits; place += 32)
        result[place / 32] =
            get(payload, field.first + place, std::min(32u, field.bits - place));
    return result;
}

void put_data(Payload& payload, const Payload& data, Field field) {
    for (unsigned place = 0; place < field.bits; place += 32)
        put(payload, field.first + place, data[place / 32]);
}

// What two words become. The order of words does not matter to any of the operators.
class Operators {
public:
    explicit Operators(unsigned bits)
        : m_bits{bits}
        , m_words{(bits + 31) / 32} {}

    Payload combine(const std::string& name, const Payload& a, const Payload& b) const {
        if (name == "sum") return add(a, b);
        if (name == "band") return each(a, b, [](auto x, auto y) { return x & y; });
        if (name == "bor") return each(a, b, [](auto x, auto y) { return x | y; });
        if (name == "bxor") return each(a, b, [](auto x, auto y) { return x ^ y; });
        const bool is_signed = name.size() > 3;
        const bool a_first = less(is_signed ? flip(a) : a, is_signed ? flip(b) : b);
        if (name.compare(0, 3, "min") == 0) return a_first ? a : b;
        if (name.compare(0, 3, "max") == 0) return a_first ? b : a;
        fail("there is no operator " + name);
    }

private:
    template <typename Both>
    Payload each(const Payload& a, const Payload& b, Both both) const {
        Payload result{};
        for (unsigned place = 0; place < m_words; ++place) result[place] = both(a[place], b[place]);
        return result;
    }

    Payload add(const Payload& a, const Payload& b) const {
        Payload result{};
        std::uint64_t carry = 0;
        for (unsigned place = 0; place < m_words; ++place) {
            carry += std::uint64_t{a[place]} + b[place];
            result[place] = static_cast<std::uint32_t>(carry);
            carry >>= 32;
        }
        if (m_bits % 32) result[m_words - 1] &= (1u << m_bits % 32) - 1;
        return result;
    }

    // So that numbers with a sign have the order of those without.
    Payload flip(Payload value) const {
        value[(m_bits - 1) / 32] ^= 1u << (m_bits - 1) % 32;
        return value;
    }

    bool less(const Payload& a, const Payload& b) const {
        for (unsigned place = m_words; place-- > 0;)
            if (a[place] != b[place]) return a[place] < b[place];
        return false;
    }

    unsigned m_bits, m_words;
};

}  // namespace
