// Checks what comes out of a network with operations, word by word.

#pragma once

#include "stress_operations_words.h"

#include <deque>

namespace {

// A word on its way, or the result of several.
struct Record {
    Word word;
    // Which one it is of its flow, for how many nodes it is, at how many it is the next in order.
    Count number = 0;
    unsigned receivers = 0, next = 0;
};

// A queue that takes little room while it is empty.
class Queue {
public:
    bool empty() const { return m_first == m_records.size(); }
    Record* front() const { return m_records[m_first]; }
    void push(Record* record) { m_records.push_back(record); }
    void pop() {
        if (++m_first == m_records.size()) {
            m_records.clear();
            m_first = 0;
        } else if (m_first == 1024) {
            m_records.erase(m_records.begin(), m_records.begin() + m_first);
            m_first = 0;
        }
    }
    std::vector<Record*>::iterator begin() { return m_records.begin() + m_first; }
    std::vector<Record*>::iterator end() { return m_records.end(); }
    void erase(std::vector<Record*>::iterator place) {
        if (place == begin()) return pop();
        m_records.erase(place);
    }

private:
    std::vector<Record*> m_records;
    std::size_t m_first = 0;
};

// Every word comes once to each node that it is for and to no other, unchanged. The words that a
// node sends come in their order, and so do the results of a group; all nodes agree on one order.
class Check {
public:
    explicit Check(const Plan& plan)
        : m_plan{plan}
        , m_operators{plan.out("data").bits}
        , m_told{plan.out("source").bits != 0}
        , m_flows(NODES + plan.groups.size())
        , m_expected(NODES * m_flows)
        , m_before(NODES * m_flows)
        , m_given(m_flows)
        , m_pending(plan.groups.size())
        , m_joined_by(plan.groups.size(), std::vector<Count>(NODES))
        , m_arrived(NODES)
        , m_dropped(NODES)
        , m_told_dropped(NODES) {
        for (Word& word : m_before) word.operation = NOBODY;
    }

    Check(const Check&) = delete;

    void set_cycle(Count cycle) { m_cycle = cycle; }
    Count missing() const { return m_missing; }
    Count delivered() const { return m_delivered; }

    // The word that is alone, and when it was offered first.
    void set_alone(const Lone* lone, Count cycle) {
        m_lone = lone;
        m_began = cycle;
    }

    // A word was accepted. Of words that no operation takes nothing is said: they come to no node.
    void accept(const Word& word) {
        const Operation& operation = m_plan.operations[word.operation];
        if (!operation.joined) m_began = m_cycle;
        if (!operation.joined) return expect(word, flow_of(word));
        // The words of a group are joined one by one, in the order in which each member gives them.
        auto& pending = m_pending[operation.group];
        const Count place = m_joined_by[operation.group][word.giver]++ - pending.done;
        if (place == pending.words.size()) {
            pending.words.push_back({word, 1});
            pending.words.back().word.giver = NOBODY;
        } else {
            Joined& joined = pending.words[place];
            ++joined.count;
            if (operation.has_data())
                joined.word.data =
                    m_operators.combine(operation.combine, joined.word.data, word.data);
        }
        // All members give the words in one order, so that the first is whole first.
        while (!pending.words.empty() &&
               pending.words.front().count == m_plan.groups[operation.group].size()) {
            expect(pending.words.front().word, NODES + operation.group);
            pending.words.pop_front();
            ++pending.done;
        }
    }

    // Whether words wait for those of other members.
    bool joining() const {
        for (const auto& pending : m_pending)
            if (!pending.words.empty()) return true;
        return false;
    }

    void deliver(unsigned node, const Port& port) {
        Payload payload{};
        std::memcpy(payload.data(), port.at, port.bytes);
        const Word got = read(node, payload);
        const unsigned flow = flow_of(got);
        Queue& queue = m_expected[node * m_flows + flow];
        const auto place = find(queue, got);
        if (place == queue.end()) explain(node, flow, queue, got, payload);
        Record* const record = *place;
        queue.erase(place);
        m_before[node * m_flows + flow] = got;
        --m_missing;
        ++m_delivered;
        if (m_lone) check_latency(node, got);
        if (!m_told) return count(record);
        m_arrived[node].push(record);
        if (m_arrived[node].front() == record) begin(node);
        while (!m_ready.empty()) drop();
    }

    // A node gives a word that no operation takes: it must tell so in this cycle, and only then.
    void drop(unsigned node) { m_dropped[node] = m_cycle + 1; }

    void tell(const Alarm& alarm) {
        if (alarm.kind == 'm') fault(label(alarm.node) + " tells of a mismatch where there is none");
        // Random words are late at random.
        if (alarm.kind == 'd') m_told_dropped[alarm.node] = m_cycle + 1;
    }

    void check_alarms() const {
        for (unsigned node = 0; node < NODES; ++node) {
            const bool dropped = m_dropped[node] == m_cycle + 1;
            if (dropped == (m_told_dropped[node] == m_cycle + 1)) continue;
            fault(label(node) + (dropped ? " does not tell of a word that it drops"
                                         : " tells of a dropped word where there is none"));
        }
    }

    // Everything has come: then all nodes must have agreed on one order.
    void check_order() const {
        for (unsigned node = 0; node < NODES; ++node) {
            if (m_arrived[node].empty()) continue;
            const Record* const record = m_arrived[node].front();
            each_receiver(record->word, [&](unsigned other) {
                if (m_arrived[other].front() == record) return;
                fault(label(node) + " gets " + name(*record) + " before " +
                      name(*m_arrived[other].front()) + ", and " + label(other) + " after it");
            });
        }
    }

    [[noreturn]] void tell_hang(Count patience, const Word* waiting) const {
        const std::string since = "nothing has moved for " + std::to_string(patience) + " cycles";
        for (unsigned node = 0; node < NODES; ++node)
            for (unsigned flow = 0; flow < m_flows; ++flow)
                if (const Queue& queue = m_expected[node * m_flows + flow]; !queue.empty())
                    fault(since + ": " + name(*queue.front()) + " is not at " + label(node));
        if (waiting)
            fault(since + ": a word of " + label(waiting->giver) + " for " +
                  m_plan.operations[waiting->operation].name + " is not accepted");
        fault(since);
    }

private:
    // Words of some members, and of how many.
    struct Joined {
        Word word;
        std::size_t count;
    };

    struct Pending {
        std::deque<Joined> words;
        Count done = 0;
    };

    const std::string& label(unsigned node) const { return m_plan.labels[node]; }

    std::string name(const Record& record) const {
        const Operation& operation = m_plan.operations[record.word.operation];
        const std::string which = std::to_string(record.number) + " of ";
        if (operation.joined) return "result " + which + operation.name;
        return "word " + which + label(record.word.giver) + " (" + operation.name + ")";
    }

    [[noreturn]] void fault(const std::string& text) const {
        fail("cycle " + std::to_string(m_cycle) + ": " + text);
    }

    // The words whose order is known: those of a sender, if words tell it, and results of a group.
    unsigned flow_of(const Word& word) const {
        const Operation& operation = m_plan.operations[word.operation];
        if (operation.joined) return NODES + operation.group;
        return m_told ? word.giver : 0;
    }

    template <typename Each>
    void each_receiver(const Word& word, Each each) const {
        const Operation& operation = m_plan.operations[word.operation];
        if (operation.to_node) return each(word.node);
        for (const unsigned node : m_plan.groups[operation.group])
            if (operation.joined || m_plan.returned || node != word.giver) each(node);
    }

    void expect(const Word& word, unsigned flow) {
        Record* const record = take_record();
        record->word = word;
        record->number = m_given[flow]++;
        each_receiver(word, [&](unsigned node) {
            m_expected[node * m_flows + flow].push(record);
            ++record->receivers;
        });
        m_missing += record->receivers;
        if (!record->receivers) m_free.push_back(record);
    }

    Record* take_record() {
        if (m_free.empty()) {
            m_records.emplace_back();
            return &m_records.back();
        }
        Record* const record = m_free.back();
        m_free.pop_back();
        *record = Record{};
        return record;
    }

    Word read(unsigned node, const Payload& payload) const {
        Word word;
        word.operation = get_field(payload, m_plan.out("operation"));
        if (word.operation >= m_plan.operations.size())
            fault(label(node) + " gets a word of no operation: " + digits(payload));
        const Operation& operation = m_plan.operations[word.operation];
        const std::uint32_t source = get_field(payload, m_plan.out("source"));
        if (operation.joined && source)
            fault(label(node) + " gets a result of " + operation.name + " from " +
                  std::to_string(source) + " instead of 0");
        if (source >= NODES) fault(label(node) + " gets a word of no source: " + digits(payload));
        if (!operation.joined && m_told) word.giver = source;
        word.last = get_field(payload, m_plan.out("last"));
        word.data = move_down(payload, m_plan.out("data"));
        return word;
    }

    // The word that comes next, or where it is not known whose words come next, any that is equal.
    std::vector<Record*>::iterator find(Queue& queue, const Word& got) const {
        if (queue.empty()) return queue.end();
        const bool ordered = m_told || m_plan.operations[got.operation].joined;
        const auto end = ordered ? queue.begin() + 1 : queue.end();
        const auto place = std::find_if(
            queue.begin(), end, [&](const Record* record) { return equal(record->word, got); });
        return place == end ? queue.end() : place;
    }

    bool equal(const Word& wanted, const Word& got) const {
        if (wanted.operation != got.operation) return false;
        if (m_plan.out("last").bits && wanted.last != got.last) return false;
        return !m_plan.operations[wanted.operation].has_data() || wanted.data == got.data;
    }

    [[noreturn]] void explain(
        unsigned node, unsigned flow, Queue& queue, const Word& got, const Payload& payload) const {
        const std::string gets = label(node) + " gets ";
        const std::string what = m_plan.operations[got.operation].name;
        for (auto place = queue.begin(); place != queue.end(); ++place)
            if (place != queue.begin() && equal((*place)->word, got))
                fault(gets + name(**place) + " before " + name(*queue.front()));
        const Word& before = m_before[node * m_flows + flow];
        if (before.operation == got.operation && equal(before, got))
            fault(gets + "a word of " + what + " twice: " + digits(payload));
        if (queue.empty()) fault(gets + "a word of " + what + " that is not for it: " + digits(payload));
        fault(gets + digits(payload) + " instead of " + name(*queue.front()));
    }

    void check_latency(unsigned node, const Word& got) const {
        const Operation& operation = m_plan.operations[m_lone->operation];
        const int up = operation.joined ? m_plan.joined[operation.group] : m_plan.up[m_lone->giver];
        const int cycles = up + m_plan.down[node], took = static_cast<int>(m_cycle - m_began);
        if (took != cycles)
            fault(label(node) + " gets a word of " + m_plan.operations[got.operation].name +
                  ", which is alone, in " + std::to_string(took) + " cycles instead of " +
                  std::to_string(cycles));
    }

    // Without sources one of several equal words may be meant, and no order is known.
    void count(Record* record) {
        if (++record->next == record->receivers) m_free.push_back(record);
    }

    // A node's next word in the common order is known.
    void begin(unsigned node) {
        Record* const record = m_arrived[node].front();
        if (++record->next == record->receivers) m_ready.push_back(record);
    }

    // A word is the next one at all nodes that it is for: it has its place in the common order.
    void drop() {
        Record* const record = m_ready.back();
        m_ready.pop_back();
        each_receiver(record->word, [&](unsigned node) {
            m_arrived[node].pop();
            if (!m_arrived[node].empty()) begin(node);
        });
        m_free.push_back(record);
    }

    const Plan& m_plan;
    const Operators m_operators;
    const bool m_told;
    const unsigned m_flows;
    // What is to come to each node, by flow, and what came last.
    std::vector<Queue> m_expected;
    std::vector<Word> m_before;
    // How many words each flow has had.
    std::vector<Count> m_given;
    // Of each group the words that are not yet those of all members, and how many each has given.
    std::vector<Pending> m_pending;
    std::vector<std::vector<Count>> m_joined_by;
    // What came to each node and has no place in the common order yet.
    std::vector<Queue> m_arrived;
    // For each node the cycle after the last in which it had to tell of a dropped word, and did.
    std::vector<Count> m_dropped, m_told_dropped;
    std::vector<Record*> m_ready, m_free;
    std::deque<Record> m_records;
    const Lone* m_lone = nullptr;
    Count m_cycle = 0, m_began = 0, m_missing = 0, m_delivered = 0;
};

}  // namespace
