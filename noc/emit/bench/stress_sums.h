// Checks sums that nodes get by the clock: which of them comes when, and of which words it is made.

#pragma once

#include "stress_words.h"

#include <map>

namespace {

// What comes of the words that nodes give for each sum of a round. Which sum a word is for, and of
// which round, follows from its stream and from how often phases have moved on.
class Sums {
public:
    explicit Sums(const Plan& plan)
        : m_plan{plan}
        , m_operators{plan.eject.data.bits}
        , m_receivers(plan.sums)
        , m_open(plan.sums)
        , m_next(NODES * plan.sums) {
        for (const auto& lane : plan.came)
            for (const Part& part : lane)
                if (part.sum >= 0) ++m_receivers[static_cast<unsigned>(part.sum)];
    }

    // A word is taken, as the n-th of its stream; how many nodes will get a sum that they would not have got without it.
    unsigned give(std::size_t stream, Count moved, Count number, const Payload& data) {
        const auto& lane = m_plan.given[stream];
        const Part part = lane[(m_plan.complete ? number : moved) % lane.size()];
        if (!m_plan.complete && (part.sum < 0 || moved / m_plan.length() < part.after))
            fail("cycle " + std::to_string(moved) + " of rounds: a word is taken that is in no sum");
        const unsigned sum = static_cast<unsigned>(part.sum);
        const Count round =
            m_plan.complete ? number / lane.size() : moved / m_plan.length() - part.after;
        const auto [at, first] = m_open[sum].try_emplace(round, Sum{data, 0});
        if (!first) at->second.data = m_operators.combine(m_plan.combine, at->second.data, data);
        return first ? m_receivers[sum] : 0;
    }

    // What is wrong with a sum that a node gets; nothing, if it is the next one, and right.
    std::string take(std::size_t stream, unsigned node, Count moved, const Payload& got) {
        const bool tells = m_plan.eject.phase.bits;
        const Count phase = tells ? get(got, m_plan.eject.phase) : moved;
        Part part = m_plan.came[stream][phase % m_plan.came[stream].size()];
        if (!m_plan.orders.empty()) part.sum = static_cast<int>(get(got, m_plan.eject.sum));
        if (part.sum < 0) return "a word in a phase in which none comes: " + digits(got);
        const unsigned sum = static_cast<unsigned>(part.sum);
        Count& next = m_next[node * m_plan.sums + sum];
        const auto at = m_open[sum].lower_bound(next);
        if (at == m_open[sum].end()) return "a sum of which no node gave a word: " + digits(got);
        const Count round = at->first;
        next = round + 1;
        // A sum that has waited for its sink comes later, and one whose round did not begin at once.
        if (!tells && !m_plan.complete && moved / m_plan.length() - part.after != round)
            return name(sum, moved / m_plan.length() - part.after) + " instead of that of round " +
                   std::to_string(round);
        Word word{};
        word.data = at->second.data;
        const Payload expected = pack(word, m_plan.eject, true);
        bool equal = true;
        each_part(m_plan.eject.data, [&](Field field, unsigned) {
            equal &= get(expected, field) == get(got, field);
        });
        if (!equal) return name(sum, round) + " as " + digits(got) + " instead of " + digits(expected);
        if (++at->second.got == m_receivers[sum]) m_open[sum].erase(at);
        return "";
    }

    // A sum that has not come, and where.
    std::string missing() const {
        for (std::size_t stream = 0; stream < m_plan.came.size(); ++stream)
            for (const Part& part : m_plan.came[stream]) {
                if (part.sum < 0) continue;
                const unsigned sum = static_cast<unsigned>(part.sum), node = m_plan.takers[stream];
                const auto at = m_open[sum].lower_bound(m_next[node * m_plan.sums + sum]);
                if (at != m_open[sum].end())
                    return name(sum, at->first) + " is not at " + m_plan.labels[node];
            }
        return "nothing is missing";
    }

private:
    struct Sum {
        Payload data;
        unsigned got;
    };

    static std::string name(unsigned sum, Count round) {
        return "sum " + std::to_string(sum) + " of round " + std::to_string(round);
    }

    const Plan& m_plan;
    const Operators m_operators;
    // How many nodes get each sum.
    std::vector<unsigned> m_receivers;
    // Of each sum, by round, those that have not come everywhere.
    std::vector<std::map<Count, Sum>> m_open;
    // Of each node and sum the round from which on the next one is.
    std::vector<Count> m_next;
};

}  // namespace
