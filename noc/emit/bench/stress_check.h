// Checks what comes out of a network, word by word.

#pragma once

#include "stress_words.h"

#include <deque>

namespace {

constexpr std::size_t NOBODY = ~std::size_t{0};

// Whether all nodes get the words in one order. The next word of that order is the one that comes
// first at all nodes that get it.
class Order {
public:
    explicit Order(const Plan& plan)
        : m_plan{plan}
        , m_queues(NODES)
        , m_first(plan.flows.size())
        , m_dropped(plan.flows.size()) {}

    // A node got a word; whether there may still be one order.
    bool add(unsigned node, std::size_t flow) {
        m_queues[node].push_back(flow);
        if (m_queues[node].size() == 1) begin(node);
        while (!m_common.empty()) drop(m_common.back());
        return m_filled < NODES;
    }

    std::size_t next(unsigned node) const { return m_queues[node].front(); }

    // The flow whose word most nodes have as their next.
    std::size_t most_common() const {
        return std::max_element(m_first.begin(), m_first.end()) - m_first.begin();
    }

    // Whether a node got the next word of a flow, which others did not get yet.
    bool holds(unsigned node, std::size_t flow) const {
        const auto& queue = m_queues[node];
        return std::find(queue.begin(), queue.end(), flow) != queue.end();
    }

    // How many words of a flow all nodes have.
    Count common(std::size_t flow) const { return m_dropped[flow]; }

private:
    // A node's next word is known.
    void begin(unsigned node) {
        const std::size_t flow = m_queues[node].front();
        ++m_filled;
        if (++m_first[flow] == m_plan.receivers()) m_common.push_back(flow);
    }

    // All nodes that get the next word of a flow have it.
    void drop(std::size_t flow) {
        m_common.pop_back();
        m_first[flow] = 0;
        ++m_dropped[flow];
        for (unsigned node = 0; node < NODES; ++node) {
            if (!m_plan.gets(node, flow)) continue;
            m_queues[node].pop_front();
            --m_filled;
            if (!m_queues[node].empty()) begin(node);
        }
    }

    const Plan& m_plan;
    // The words that each node got and others did not yet, by their flows.
    std::vector<std::deque<std::size_t>> m_queues;
    // How many nodes have a word of each flow as their next.
    std::vector<unsigned> m_first;
    std::vector<Count> m_dropped;
    std::vector<std::size_t> m_common;
    unsigned m_filled = 0;
};

// Every node gets each word once, unchanged, and those of each flow in their order.
class Check {
public:
    Check(const Plan& plan, Words& words)
        : m_plan{plan}
        , m_words{words}
        , m_order{plan}
        , m_flow_of(NODES, NOBODY)
        , m_accepted(plan.flows.size())
        , m_next(NODES * plan.flows.size())
        , m_turn(NODES) {
        for (std::size_t flow = 0; flow < plan.flows.size(); ++flow)
            m_flow_of[plan.flows[flow].node] = flow;
    }

    // From now on these flows send. A word alone has to come out in these cycles.
    void begin(const std::vector<std::size_t>& active, const Lone* lone, Count patience) {
        m_active = active;
        m_lone = lone;
        m_patience = patience;
        const bool told = m_plan.source_bits || m_plan.turns;
        m_words.set_tags(active, told ? 0 : bits_of(active.size() - 1));
        if (!m_turns.empty()) m_turns.back().end = m_accepted[m_turns.back().flow];
        m_turns.push_back({active[0], 0});
    }

    void set_cycle(Count cycle) {
        m_cycle = cycle;
        if (m_doubt.until && cycle > m_doubt.until)
            fault(label(m_doubt.node) + " does not get " + name(m_doubt.flow, m_doubt.index));
    }

    Count accepted(std::size_t flow) const { return m_accepted[flow]; }
    Count missing() const { return m_missing; }
    Count delivered() const { return m_delivered; }

    void accept(std::size_t flow) {
        ++m_accepted[flow];
        m_missing += m_plan.receivers();
        m_sent = m_cycle;
    }

    void deliver(unsigned node, const Port& port) {
        Payload got{};
        std::memcpy(got.data(), port.at, port.bytes);
        if (m_doubt.until) return look_for(node, got);
        const std::size_t flow = find_flow(node, got);
        const Count index = next(node, flow);
        if (index >= m_accepted[flow] || got != m_words.expected(flow, index))
            return explain(node, flow, index, got);
        ++next(node, flow);
        --m_missing;
        ++m_delivered;
        if (m_lone) check_latency(node, flow);
        if (m_plan.ordered && !m_order.add(node, flow)) explain_order();
    }

    // The network says whether it is empty.
    void check_idle(bool idle) const {
        // In doubt, nothing is counted.
        if (m_doubt.until) return;
        if (idle && m_missing) fault("idle is 1, and " + tell_missing());
        if (!idle && !m_missing) fault("idle is 0 in an empty network");
    }

    [[noreturn]] void tell_hang(std::size_t waiting) const {
        const std::string since = "nothing has moved for " + std::to_string(m_patience) + " cycles";
        if (m_missing) fault(since + ": " + tell_missing());
        fault(since + ": " + name(waiting, m_accepted[waiting]) + " is not accepted");
    }

private:
    struct Turn {
        std::size_t flow;
        // How many words of the flow were accepted when the turn ended.
        Count end;
    };

    // A word that another one overtook, or that is lost: that is known some cycles later.
    struct Doubt {
        unsigned node;
        std::size_t flow;
        Count index, until;
    };

    static unsigned bits_of(std::size_t value) { return value ? 64 - __builtin_clzll(value) : 0; }

    const std::string& label(unsigned node) const { return m_plan.labels[node]; }

    std::string name(std::size_t flow, Count index) const {
        const Flow& from = m_plan.flows[flow];
        const std::string tree = from.tree ? " on tree " + std::to_string(from.tree) : "";
        return "word " + std::to_string(index) + " of " + label(from.node) + tree;
    }

    [[noreturn]] void fault(const std::string& text) const {
        fail("cycle " + std::to_string(m_cycle) + ": " + text);
    }

    std::uint32_t& next(unsigned node, std::size_t flow) {
        return m_next[node * m_plan.flows.size() + flow];
    }

    // Whose word came to a node: the network says so, or it is whose turn it is, or a tag says so.
    std::size_t find_flow(unsigned node, const Payload& got) {
        std::size_t flow = NOBODY;
        if (m_plan.source_bits) {
            const std::uint32_t source = get(got, m_plan.source_first, m_plan.source_bits);
            if (source < NODES) flow = m_flow_of[source];
        } else if (m_plan.turns) {
            flow = find_turn(node);
        } else {
            const std::uint32_t tag = get(got, m_plan.data_first, m_words.tag_bits());
            if (tag < m_active.size()) flow = m_active[tag];
        }
        if (flow == NOBODY) fault(label(node) + " gets a word of no source: " + digits(got));
        if (!m_plan.gets(node, flow)) fault(label(node) + " gets a word of its own");
        return flow;
    }

    // Words of the turn before may still be in the queue of a node.
    std::size_t find_turn(unsigned node) {
        std::size_t& turn = m_turn[node];
        for (; turn + 1 < m_turns.size(); ++turn) {
            const auto [flow, end] = m_turns[turn];
            if (m_plan.gets(node, flow) && next(node, flow) < end) break;
        }
        return m_turns[turn].flow;
    }

    // A word is not the next one of its flow: say why, now or when it is known.
    void explain(unsigned node, std::size_t flow, Count index, const Payload& got) {
        for (Count back = 1; back <= std::min(index, window()); ++back) {
            if (got == m_words.expected(flow, index - back))
                fault(label(node) + " gets " + name(flow, index - back) + " twice");
        }
        for (Count ahead = 1; ahead <= window() && index + ahead < m_accepted[flow]; ++ahead) {
            if (got != m_words.expected(flow, index + ahead)) continue;
            m_doubt = {node, flow, index, m_cycle + m_patience};
            return;
        }
        if (index >= m_accepted[flow])
            fault(label(node) + " gets " + name(flow, index) + ", which was not sent");
        fault(label(node) + " gets " + name(flow, index) + " as " + digits(got) + " instead of " +
              digits(m_words.expected(flow, index)));
    }

    // How many words are looked at: not so many that one would be equal by chance.
    Count window() const {
        const unsigned free = m_plan.data_bits - m_words.tag_bits();
        return free < 16 ? (1u << free) / 256 : 64;
    }

    void look_for(unsigned node, const Payload& got) const {
        if (node == m_doubt.node && got == m_words.expected(m_doubt.flow, m_doubt.index))
            fault(label(node) + " gets " + name(m_doubt.flow, m_doubt.index) + " out of order");
    }

    void check_latency(unsigned node, std::size_t flow) const {
        const int cycles = m_lone->cycles[node], took = static_cast<int>(m_cycle - m_sent);
        if (took != cycles)
            fault(label(node) + " gets " + name(flow, m_accepted[flow] - 1) + ", which is alone, in " +
                  std::to_string(took) + " cycles instead of " + std::to_string(cycles));
    }

    // The next word of most nodes is not that of another one, which got it later or not yet.
    void explain_order() {
        const std::size_t flow = m_order.most_common();
        const Count index = m_order.common(flow);
        for (unsigned node = 0; node < NODES; ++node) {
            const std::size_t other = m_order.next(node);
            if (other == flow || !m_plan.gets(node, flow)) continue;
            if (m_order.holds(node, flow))
                fault(label(node) + " gets " + name(other, m_order.common(other)) + " before " +
                      name(flow, index) + ", and other nodes after it");
            m_doubt = {node, flow, index, m_cycle + m_patience};
            return;
        }
        fault("the nodes get words in different orders");
    }

    std::string tell_missing() const {
        const std::size_t flows = m_plan.flows.size();
        for (std::size_t place = 0; place < m_next.size(); ++place) {
            const unsigned node = static_cast<unsigned>(place / flows);
            const std::size_t flow = place % flows;
            if (m_plan.gets(node, flow) && m_next[place] < m_accepted[flow])
                return name(flow, m_next[place]) + " is not at " + label(node);
        }
        return "nothing is missing";
    }

    const Plan& m_plan;
    Words& m_words;
    Order m_order;
    std::vector<std::size_t> m_flow_of, m_active;
    std::vector<Count> m_accepted;
    // The next word of each flow at each node.
    std::vector<std::uint32_t> m_next;
    std::vector<Turn> m_turns;
    std::vector<std::size_t> m_turn;
    const Lone* m_lone = nullptr;
    Doubt m_doubt{};
    Count m_patience = 0, m_cycle = 0, m_sent = 0, m_missing = 0, m_delivered = 0;
};

}  // namespace
