// The words that are sent: random, and the same whenever they are asked for.

#pragma once

#include "stress_plan.h"

#include <algorithm>
#include <array>

namespace {

// A payload, the lowest bits first, with room for what put() writes above it.
using Payload = std::array<std::uint32_t, PAYLOAD_WORDS + 1>;

void put(Payload& payload, unsigned first, std::uint32_t value) {
    const std::uint64_t moved = std::uint64_t{value} << first % 32;
    payload[first / 32] |= static_cast<std::uint32_t>(moved);
    payload[first / 32 + 1] |= static_cast<std::uint32_t>(moved >> 32);
}

std::uint32_t get(const Payload& payload, unsigned first, unsigned bits) {
    const std::uint64_t pair = payload[first / 32] | std::uint64_t{payload[first / 32 + 1]} << 32;
    return static_cast<std::uint32_t>(pair >> first % 32 & ((std::uint64_t{1} << bits) - 1));
}

std::uint64_t mix(std::uint64_t value) {
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
    value = (value ^ value >> 27) * 0x94d049bb133111eb;
    return value ^ value >> 31;
}

// Random numbers.
class Lots {
public:
    explicit Lots(std::uint64_t seed)
        : m_state{mix(seed + 1)} {}

    std::uint64_t draw() { return mix(m_state += 0x9e3779b97f4a7c15); }

    std::size_t below(std::size_t limit) { return draw() % limit; }

    // 64 bits, each of them 1 with a chance of so many 65536ths.
    std::uint64_t bits(unsigned chance) {
        if (chance >> 16) return ~std::uint64_t{0};
        std::uint64_t result = 0;
        // Each bit of the chance halves what the lower ones gave, and adds a half if it is 1.
        for (unsigned place = chance ? __builtin_ctz(chance) : 16; place < 16; ++place)
            result = chance >> place & 1 ? result | draw() : result & draw();
        return result;
    }

private:
    std::uint64_t m_state;
};

// What every word holds: random data, and in the lowest bits the tag of its flow, where tags are
// needed to tell whose word it is.
class Words {
public:
    explicit Words(const Plan& plan)
        : m_plan{plan}
        , m_tag(plan.flows.size()) {}

    unsigned tag_bits() const { return m_tag_bits; }

    void set_tags(const std::vector<std::size_t>& active, unsigned bits) {
        m_tag_bits = bits;
        for (std::size_t tag = 0; tag < active.size(); ++tag)
            m_tag[active[tag]] = static_cast<std::uint32_t>(tag);
    }

    // What a source offers.
    Payload offered(std::size_t flow, Count index) const {
        Payload payload{};
        put(payload, 0, m_plan.flows[flow].tree);
        put_data(payload, m_plan.flows[flow].first, flow, index);
        return payload;
    }

    // What every node gets.
    Payload expected(std::size_t flow, Count index) const {
        Payload payload{};
        put_data(payload, m_plan.data_first, flow, index);
        if (m_plan.source_bits) put(payload, m_plan.source_first, m_plan.flows[flow].node);
        return payload;
    }

private:
    void put_data(Payload& payload, unsigned first, std::size_t flow, Count index) const {
        const std::uint64_t key = mix(mix(m_plan.seed << 32 | flow) + index);
        for (unsigned place = 0; place < m_plan.data_bits; place += 32) {
            const unsigned bits = std::min(32u, m_plan.data_bits - place);
            std::uint32_t value = static_cast<std::uint32_t>(mix(key + place));
            if (place == 0) value = value >> m_tag_bits << m_tag_bits | m_tag[flow];
            put(payload, first + place, value & ~std::uint32_t{0} >> (32 - bits));
        }
    }

    const Plan& m_plan;
    std::vector<std::uint32_t> m_tag;
    unsigned m_tag_bits = 0;
};

}  // namespace
