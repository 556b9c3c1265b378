// Checks what comes out of a network, word by word.

#pragma once

#include "stress_sums.h"

#include <deque>

namespace {

// A word on its way, or the result of several.
struct Record {
    Address address;
    // What comes out.
    Payload payload;
    // Which one it is of its giver, or of its group; for how many nodes it is; at how many of them it
    // is the next one in the common order; and whether it has left all.
    Count number;
    unsigned receivers, next = 0;
    bool done = false;
    // The cycle in which it has to come, if that is known, without those in which all stand still.
    Count due = NEVER;
};

// All nodes get words in one order, where the network has one. The next word of that order is the one
// that comes first at all nodes that get it.
class Order {
public:
    explicit Order(const Plan& plan)
        : m_plan{plan}
        , m_arrived(NODES) {}

    // A node got a word; whether there may still be one order.
    bool add(unsigned node, Record* record) {
        if (!m_plan.ordered) {
            record->done = ++record->next == record->receivers;
            return true;
        }
        auto& arrived = m_arrived[node];
        arrived.push_back(record);
        if (arrived.size() == 1) begin(node);
        while (!m_common.empty()) drop();
        return m_filled < NODES;
    }

    // Whether each word has its place in the order.
    bool whole() const { return !m_filled; }

    // The word that most nodes have as their next.
    Record* most_common() const {
        Record* most = nullptr;
        for (const auto& arrived : m_arrived)
            if (!arrived.empty() && (!most || arrived.front()->next > most->next))
                most = arrived.front();
        return most;
    }

    Record* next(unsigned node) const {
        return m_arrived[node].empty() ? nullptr : m_arrived[node].front();
    }

    // Whether a node got a word that others did not get yet, or after others.
    bool holds(unsigned node, const Record* record) const {
        const auto& arrived = m_arrived[node];
        return std::find(arrived.begin(), arrived.end(), record) != arrived.end();
    }

private:
    // A node's next word is known.
    void begin(unsigned node) {
        Record* const record = m_arrived[node].front();
        ++m_filled;
        if (++record->next == record->receivers) m_common.push_back(record);
    }

    // All nodes that get a word have it as their next.
    void drop() {
        Record* const record = m_common.back();
        m_common.pop_back();
        record->done = true;
        const Operation& operation = m_plan.operations[record->address.operation];
        if (operation.to_node) return leave(record->address.node);
        for (const unsigned node : m_plan.groups[operation.group].members)
            if (m_plan.gets(node, record->address)) leave(node);
    }

    void leave(unsigned node) {
        m_arrived[node].pop_front();
        --m_filled;
        if (!m_arrived[node].empty()) begin(node);
    }

    const Plan& m_plan;
    // The words that each node got and that have no place in the common order yet.
    std::vector<std::deque<Record*>> m_arrived;
    std::vector<Record*> m_common;
    // How many nodes have such words.
    unsigned m_filled = 0;
};

// Words of members that wait for those of the others. All members give them in one order.
class Joins {
public:
    explicit Joins(const Plan& plan)
        : m_plan{plan}
        , m_operators{plan.eject.data.bits}
        , m_waiting(plan.groups.size())
        , m_given(plan.groups.size(), std::vector<Count>(NODES))
        , m_done(plan.groups.size()) {}

    Count given(unsigned group, unsigned node) const { return m_given[group][node]; }

    // A member gave a word; call each(result) for what is whole by that.
    template <typename Each>
    void give(const Word& word, Each each) {
        const Operation& operation = m_plan.operations[word.address.operation];
        auto& waiting = m_waiting[operation.group];
        const Count place = m_given[operation.group][word.address.giver]++ - m_done[operation.group];
        if (place == waiting.size()) {
            waiting.push_back({word, 1});
        } else {
            auto& [result, count] = waiting[place];
            ++count;
            if (operation.has_data())
                result.data = m_operators.combine(operation.combine, result.data, word.data);
        }
        while (!waiting.empty() &&
               waiting.front().count == m_plan.groups[operation.group].members.size()) {
            each(waiting.front().word);
            waiting.pop_front();
            ++m_done[operation.group];
        }
    }

    bool empty() const {
        return std::all_of(m_waiting.begin(), m_waiting.end(),
                           [](const auto& waiting) { return waiting.empty(); });
    }

private:
    struct Joined {
        Word word;
        std::size_t count;
    };

    const Plan& m_plan;
    const Operators m_operators;
    std::vector<std::deque<Joined>> m_waiting;
    // How many words of each group each node has given, and how many results are whole.
    std::vector<std::vector<Count>> m_given;
    std::vector<Count> m_done;
};

// Every word comes once to each node that it is for and to no other, unchanged. The words that a
// node sends come in their order, and so do the results of a group; all nodes agree on one order,
// where the network has one.
class Check {
public:
    Check(const Plan& plan, const Senders& senders)
        : m_plan{plan}
        , m_senders{senders}
        , m_order{plan}
        , m_joins{plan}
        , m_sums{plan}
        , m_flows(plan.turns ? 1 : NODES + plan.groups.size())
        , m_next(NODES * m_flows.size())
        , m_given(NODES + plan.groups.size())
        , m_turns(plan.orders.size())
        , m_dropped(NODES)
        , m_told(NODES) {
        Payload every{}, no_data{};
        every.fill(~std::uint32_t{0});
        each_part(plan.eject.data, [&](Field part, unsigned) {
            put(no_data, part, ~std::uint32_t{0} >> (32 - part.bits));
        });
        for (const Field told : {plan.eject.phase, plan.eject.end_of_round})
            each_part(told, [&](Field part, unsigned) {
                Payload own{};
                put(own, part, ~std::uint32_t{0} >> (32 - part.bits));
                for (unsigned place = 0; place < own.size(); ++place) every[place] &= ~own[place];
            });
        for (auto& part : no_data) part = ~part;
        for (const Operation& operation : plan.operations)
            m_compared.push_back(operation.has_data() ? every : no_data);
    }

    void begin(Count patience, const Lone* lone = nullptr) {
        m_patience = patience;
        m_lone = lone;
        m_began = m_cycle;
    }

    // The cycle, and how many there were in which phases moved on.
    void set_cycle(Count cycle, Count moved) {
        m_cycle = cycle;
        m_moved = moved;
        if (m_doubt.record && cycle > m_doubt.until)
            fault(label(m_doubt.node) + " does not get " + name(*m_doubt.record));
    }

    Count missing() const { return m_missing; }
    Count delivered() const { return m_delivered; }
    bool joining() const { return !m_joins.empty(); }

    // A word was accepted, by one of the inject streams.
    void accept(std::size_t stream, const Word& word) {
        if (m_plan.sums) {
            m_missing += m_sums.give(stream, m_moved, word.number, word.data);
            return;
        }
        const Operation& operation = m_plan.operations[word.address.operation];
        if (operation.joined)
            return m_joins.give(word, [&](const Word& result) {
                expect(result, NODES + operation.group);
            });
        // A word alone is on its way from now on; those that are joined come in one cycle.
        m_began = m_cycle;
        expect(word, word.address.giver);
    }

    // A word leaves by an eject stream of a node.
    void deliver(std::size_t stream, unsigned node, const Port& port) {
        Payload got{};
        std::memcpy(got.data(), port.at, port.bytes);
        if (!m_plan.orders.empty()) check_turn(stream, node, got);
        if (m_plan.sums) return take_sum(stream, node, got);
        if (m_doubt.record) return look_for(node, got);
        const std::size_t flow = find_flow(stream, node, got);
        Record* const record = find_next(node, flow);
        if (!record || !equal(*record, got)) return explain(node, flow, record, got);
        ++m_next[node * m_flows.size() + flow];
        --m_missing;
        ++m_delivered;
        if (m_lone) check_latency(node, *record);
        if (record->due != NEVER && record->due != m_moved)
            fault(label(node) + " gets " + name(*record) + " " + std::to_string(m_moved) +
                  " cycles of rounds after reset instead of " + std::to_string(record->due));
        if (!m_order.add(node, record)) explain_order();
    }

    // Everything has come: then all nodes must have agreed on one order.
    void check_order() {
        if (!m_order.whole()) explain_order();
    }

    // A node gives a word that no operation takes: it must tell so in this cycle, and only then.
    void drop(unsigned node) { m_dropped[node] = m_cycle + 1; }

    void tell(const Alarm& alarm) {
        if (alarm.kind == 'm') fault(label(alarm.node) + " tells of a mismatch where there is none");
        if (alarm.kind == 'a') fault(label(alarm.node) + " gives up a sink that did not rest for long");
        if (alarm.kind == 'c') fault(label(alarm.node) + " tells of a register that has flipped");
        // Random words are late at random.
        if (alarm.kind == 'd') m_told[alarm.node] = m_cycle + 1;
    }

    void check_alarms() const {
        for (unsigned node = 0; node < NODES; ++node) {
            const bool dropped = m_dropped[node] == m_cycle + 1;
            if (dropped == (m_told[node] == m_cycle + 1)) continue;
            fault(label(node) + (dropped ? " does not tell of a word that it drops"
                                         : " tells of a dropped word where there is none"));
        }
    }

    // The network says whether it is empty.
    void check_idle(bool idle) {
        // In doubt, nothing is counted.
        if (m_doubt.record) return;
        if (idle && m_missing) fault("idle is 1, and " + tell_missing());
        if (!idle && !m_missing) fault("idle is 0 in an empty network");
    }

    [[noreturn]] void tell_hang(const Word* waiting) {
        const std::string since = "nothing has moved for " + std::to_string(m_patience) + " cycles";
        if (m_missing) fault(since + ": " + tell_missing());
        if (!waiting) fault(since);
        const Address& word = waiting->address;
        const Operation& operation = m_plan.operations[word.operation];
        const Count number =
            operation.joined ? m_joins.given(operation.group, word.giver) : m_given[word.giver];
        fault(since + ": " + name(word, number, false) + " is not accepted");
    }

private:
    // Words whose order is known: of a sender, of all that take turns, or results of a group.
    struct Flow {
        // From the word that some node has not got yet, and some before it.
        std::deque<Record> records;
        std::uint32_t first = 0;
    };

    // A word that another one overtook, or that is lost: that is known some cycles later.
    struct Doubt {
        unsigned node = 0;
        const Record* record = nullptr;
        Count until = 0;
    };

    const std::string& label(unsigned node) const { return m_plan.labels[node]; }

    std::string name(const Address& word, Count number, bool result) const {
        const std::string& operation = m_plan.operations[word.operation].name;
        const std::string which = std::to_string(number) + " of ";
        if (result) return "result " + which + operation;
        const bool several = m_plan.operations.size() > 1;
        return "word " + which + label(word.giver) + (several ? " (" + operation + ")" : "");
    }

    std::string name(const Record& record) const {
        const bool joined = m_plan.operations[record.address.operation].joined;
        return name(record.address, record.number, joined);
    }

    [[noreturn]] void fault(const std::string& text) const {
        fail("cycle " + std::to_string(m_cycle) + ": " + text);
    }

    // A word is the next one of its round, and tells whether it is the last.
    void check_turn(std::size_t stream, unsigned node, const Payload& got) {
        const auto& order = m_plan.orders[stream];
        const std::size_t place = m_turns[stream]++ % order.size();
        const unsigned number = get(got, m_plan.sums ? m_plan.eject.sum : m_plan.eject.source);
        const bool last = place + 1 == order.size();
        if (number != order[place] || get(got, m_plan.eject.end_of_round) != last)
            fault(label(node) + " gets a word out of its turn: " + digits(got));
    }

    void take_sum(std::size_t stream, unsigned node, const Payload& got) {
        const std::string wrong = m_sums.take(stream, node, m_moved, got);
        if (!wrong.empty()) fault(label(node) + " gets " + wrong);
        --m_missing;
        ++m_delivered;
    }

    // A word of a giver or a group is under way.
    void expect(const Word& word, std::size_t whose) {
        const Operation& operation = m_plan.operations[word.address.operation];
        Word out = word;
        if (!operation.has_data()) out.data = {};
        const Payload payload = pack(out, m_plan.eject, operation.joined);
        Flow& flow = m_flows[m_plan.turns ? 0 : whose];
        while (flow.records.size() > KEPT && flow.records.front().done) {
            flow.records.pop_front();
            ++flow.first;
        }
        const Group& group = m_plan.groups[operation.group];
        const bool back = operation.joined || m_plan.returned || !group.has[word.address.giver];
        const unsigned members = static_cast<unsigned>(group.members.size());
        const unsigned receivers = operation.to_node ? 1 : members - !back;
        flow.records.push_back({word.address, payload, m_given[whose]++, receivers});
        flow.records.back().done = !receivers;
        flow.records.back().due = word.due;
        m_missing += receivers;
    }

    std::size_t find_flow(std::size_t stream, unsigned node, const Payload& got) const {
        if (m_plan.turns) return 0;
        if (!m_plan.sources.empty()) {
            const auto& sources = m_plan.sources[stream];
            const std::uint32_t phase = get(got, m_plan.eject.phase);
            if (phase >= sources.size() || sources[phase] < 0)
                fault(label(node) + " gets a word in a phase in which none comes: " + digits(got));
            return static_cast<std::size_t>(sources[phase]);
        }
        const std::uint32_t operation = get(got, m_plan.eject.operation);
        if (operation >= m_plan.operations.size())
            fault(label(node) + " gets a word of no operation: " + digits(got));
        const Operation& known = m_plan.operations[operation];
        if (known.joined) return NODES + known.group;
        const Fields& fields = m_plan.eject;
        const unsigned source =
            fields.source.bits ? get(got, fields.source) : m_senders.find(got, fields.data);
        if (source >= NODES) fault(label(node) + " gets a word of no source: " + digits(got));
        return source;
    }

    // The word of a flow that comes next to a node; none, if all that it gets have come.
    Record* find_next(unsigned node, std::size_t number) {
        Flow& flow = m_flows[number];
        std::uint32_t& next = m_next[node * m_flows.size() + number];
        next = std::max(next, flow.first);
        for (; next - flow.first < flow.records.size(); ++next) {
            Record& record = flow.records[next - flow.first];
            if (m_plan.gets(node, record.address)) return &record;
        }
        return nullptr;
    }

    bool equal(const Record& record, const Payload& got) const {
        const Payload& compared = m_compared[record.address.operation];
        for (unsigned place = 0; place < PAYLOAD_WORDS; ++place)
            if ((record.payload[place] ^ got[place]) & compared[place]) return false;
        return true;
    }

    // A word is not the next one of its flow: say why, now or when it is known.
    void explain(unsigned node, std::size_t number, const Record* next, const Payload& got) {
        const std::string gets = label(node) + " gets ";
        const Flow& flow = m_flows[number];
        const std::size_t here = m_next[node * m_flows.size() + number] - flow.first;
        const std::size_t end = std::min(flow.records.size(), here + window() + 1);
        for (std::size_t place = here - std::min(here, window()); place < end; ++place) {
            const Record& record = flow.records[place];
            if (!equal(record, got)) continue;
            if (!m_plan.gets(node, record.address))
                fault(gets + name(record) + ", which is not for it");
            if (place > here) {
                m_doubt = {node, next, m_cycle + m_patience};
                return;
            }
            // Results without data are all alike.
            if (m_plan.operations[record.address.operation].has_data())
                fault(gets + name(record) + " twice");
        }
        if (!next) fault(gets + "a word that was not sent to it: " + digits(got));
        fault(gets + name(*next) + " as " + digits(got) + " instead of " + digits(next->payload));
    }

    // How many words are looked at: not so many that one would be equal by chance.
    std::size_t window() const {
        const unsigned free = m_plan.eject.data.bits - m_senders.tag_bits();
        return free < 16 ? (std::size_t{1} << free) / 256 : KEPT;
    }

    void look_for(unsigned node, const Payload& got) const {
        if (node == m_doubt.node && equal(*m_doubt.record, got))
            fault(label(node) + " gets " + name(*m_doubt.record) + " out of order");
    }

    void check_latency(unsigned node, const Record& record) const {
        const int cycles = m_lone->cycles[node], took = static_cast<int>(m_cycle - m_began);
        if (took != cycles)
            fault(label(node) + " gets " + name(record) + ", which is alone, in " +
                  std::to_string(took) + " cycles instead of " + std::to_string(cycles));
    }

    // The next word of most nodes is not that of another one, which got it later or not yet.
    void explain_order() {
        const Record* const common = m_order.most_common();
        for (unsigned node = 0; node < NODES; ++node) {
            const Record* const other = m_order.next(node);
            if (!other || other == common || !m_plan.gets(node, common->address)) continue;
            if (m_order.holds(node, common))
                fault(label(node) + " gets " + name(*other) + " before " + name(*common) +
                      ", and other nodes after it");
            m_doubt = {node, common, m_cycle + m_patience};
            return;
        }
        fault("the nodes get words in different orders");
    }

    std::string tell_missing() {
        if (m_plan.sums) return m_sums.missing();
        for (unsigned node = 0; node < NODES; ++node)
            for (std::size_t flow = 0; flow < m_flows.size(); ++flow)
                if (const Record* const record = find_next(node, flow))
                    return name(*record) + " is not at " + label(node);
        return "nothing is missing";
    }

    // Words of a flow that are kept at least, to tell what comes twice.
    static constexpr std::size_t KEPT = 64;

    const Plan& m_plan;
    const Senders& m_senders;
    Order m_order;
    Joins m_joins;
    Sums m_sums;
    std::vector<Flow> m_flows;
    // The next word of each flow at each node, which may be one that is not for it.
    std::vector<std::uint32_t> m_next;
    // How many words each node has given, and how many results each group has had.
    std::vector<Count> m_given;
    // For each node the cycle after the last in which it had to tell of a dropped word, and did.
    // How many words have left by each eject stream, where these have an order.
    std::vector<Count> m_turns;
    std::vector<Count> m_dropped, m_told;
    // For each operation the bits of a payload that mean something.
    std::vector<Payload> m_compared;
    const Lone* m_lone = nullptr;
    Doubt m_doubt;
    Count m_patience = 0, m_cycle = 0, m_moved = 0, m_began = 0, m_missing = 0, m_delivered = 0;
};

}  // namespace
