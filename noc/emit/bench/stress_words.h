// The words that are sent: random, and the same whenever they are asked for.

#pragma once

#include "stress_plan.h"

namespace {

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
