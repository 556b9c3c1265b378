// Words and their payloads, what words that are joined become, and what is random.

#pragma once

#include "stress_plan.h"

#include <array>

namespace {

// A payload, the lowest bits first, with room for what put() writes above it.
using Payload = std::array<std::uint32_t, PAYLOAD_WORDS + 1>;

constexpr Count NEVER = ~Count{0};

struct Word {
    Address address;
    // The last of a message.
    bool last = false;
    Payload data{};
    // The cycle in which it comes, where that is known, without those in which all stand still.
    Count due = NEVER;
    // How many its stream gave before.
    Count number = 0;
};

void put(Payload& payload, Field field, std::uint32_t value) {
    if (!field.bits) return;
    const std::uint64_t moved = std::uint64_t{value} << field.first % 32;
    payload[field.first / 32] |= static_cast<std::uint32_t>(moved);
    payload[field.first / 32 + 1] |= static_cast<std::uint32_t>(moved >> 32);
}

std::uint32_t get(const Payload& payload, Field field) {
    const unsigned place = field.first / 32;
    const std::uint64_t pair = payload[place] | std::uint64_t{payload[place + 1]} << 32;
    return static_cast<std::uint32_t>(pair >> field.first % 32 &
                                      ((std::uint64_t{1} << field.bits) - 1));
}

// Call each(part, number) for parts of 32 bits of a field, and for what is left above them.
template <typename Each>
void each_part(Field field, Each each) {
    for (unsigned bit = 0; bit < field.bits; bit += 32)
        each(Field{field.first + bit, std::min(32u, field.bits - bit)}, bit / 32);
}

// The payload with a word's fields, and 0 as the source of a result.
Payload pack(const Word& word, const Fields& fields, bool joined) {
    Payload payload{};
    each_part(fields.data, [&](Field part, unsigned number) {
        put(payload, part, word.data[number]);
    });
    put(payload, fields.source, joined ? 0 : word.address.giver);
    put(payload, fields.operation, word.address.operation);
    put(payload, fields.node, word.address.node);
    put(payload, fields.last, word.last);
    return payload;
}

std::string digits(const Payload& payload) {
    std::string text;
    char part[9];
    for (std::size_t place = PAYLOAD_WORDS; place-- > 0;) {
        std::snprintf(part, sizeof part, "%08x", static_cast<unsigned>(payload[place]));
        text += part;
    }
    return "0x" + text;
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

// Random numbers.
class Lots {
public:
    explicit Lots(std::uint64_t seed)
        : m_state{mix(seed + 1)} {}

    std::uint64_t draw() { return mix(m_state += 0x9e3779b97f4a7c15); }

    std::size_t below(std::size_t limit) { return draw() % limit; }

    // 64 bits, each of them 1 with a chance in 65536ths.
    std::uint64_t bits(unsigned chance) {
        if (chance >> 16) return ~std::uint64_t{0};
        std::uint64_t result = 0;
        // Each bit of the chance halves what the lower ones gave, and adds a half if it is 1.
        for (unsigned place = chance ? __builtin_ctz(chance) : 16; place < 16; ++place)
            result = chance >> place & 1 ? result | draw() : result & draw();
        return result;
    }

private:
    static std::uint64_t mix(std::uint64_t value) {
        value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
        value = (value ^ value >> 27) * 0x94d049bb133111eb;
        return value ^ value >> 31;
    }

    std::uint64_t m_state;
};

// Who sends words, and the tag in their lowest bits where nothing else says whose they are.
class Senders {
public:
    explicit Senders(const Plan& plan)
        : m_tagged{!plan.told()}
        , m_sends(NODES)
        , m_tag(NODES) {}

    void choose(std::vector<unsigned> nodes) {
        m_nodes = std::move(nodes);
        m_sends.assign(NODES, false);
        for (unsigned tag = 0; tag < m_nodes.size(); ++tag) {
            m_sends[m_nodes[tag]] = true;
            m_tag[m_nodes[tag]] = tag;
        }
        m_bits = 0;
        while (m_tagged && m_nodes.size() > std::size_t{1} << m_bits) ++m_bits;
    }

    bool sends(unsigned node) const { return m_sends[node]; }
    unsigned tag_bits() const { return m_bits; }

    void put_tag(Word& word) const {
        word.data[0] = word.data[0] >> m_bits << m_bits | (m_bits ? m_tag[word.address.giver] : 0);
    }

    // The sender of a word by its tag; NODES, if there is none.
    unsigned find(const Payload& payload, Field data) const {
        const unsigned tag = get(payload, {data.first, m_bits});
        return tag < m_nodes.size() ? m_nodes[tag] : NODES;
    }

private:
    const bool m_tagged;
    std::vector<unsigned> m_nodes;
    std::vector<bool> m_sends;
    std::vector<std::uint32_t> m_tag;
    unsigned m_bits = 0;
};

}  // namespace
