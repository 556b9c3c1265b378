// Sends random words of all operations through a network that Verilator has compiled, and checks
// what comes out at every node.
//
//     noc_bench PLAN
//
// stress.py writes PLAN. At the first fault the program ends with status 1 and a line that tells it.

#include "stress_operations_check.h"

#include <chrono>

namespace {

// Words of one operation for one node. Those that are joined are the same call for all members.
struct Message {
    unsigned operation, node;
    Count words;
};

// What the nodes offer: each a word with the chance of the load, until all are given.
//
// All members give the words that are joined in the order of the calls, and so in one order over all
// groups. In between they give words that are sent, and words that no operation takes.
class Givers {
public:
    Givers(const Plan& plan, const Ports& ports, Lots& lots)
        : m_plan{plan}
        , m_ports{ports}
        , m_lots{lots}
        , m_givers(ports.senders.size())
        , m_offered(ports.offer.size()) {
        for (unsigned number = 0; number < plan.operations.size(); ++number)
            (plan.operations[number].joined ? m_joined : m_sent).push_back(number);
    }

    // Half of the words are to be joined, if there are operations of both kinds.
    void begin(const Round& round) {
        m_load = round.load;
        m_spoils = true;
        m_left = m_joined.empty() ? round.words : m_sent.empty() ? 0 : round.words / 2;
        m_calls.clear();
        for (Count words = m_joined.empty() ? 0 : round.words - m_left; words;) {
            const Message call = draw(m_joined);
            const auto& members = m_plan.groups[m_plan.operations[call.operation].group];
            m_calls.push_back(call);
            words -= std::min<Count>(words, call.words * members.size());
        }
        for (Giver& giver : m_givers) giver.call = 0;
    }

    // A single word of a giver, or one of each member.
    void begin(const Lone& lone) {
        m_load = 1 << 16;
        m_spoils = false;
        m_left = 0;
        m_calls.clear();
        const Operation& operation = m_plan.operations[lone.operation];
        for (std::size_t place = 0; place < m_givers.size(); ++place) {
            const unsigned node = m_ports.senders[place];
            const bool gives = operation.joined ? m_plan.is_member(node, operation.group)
                                                : static_cast<int>(node) == lone.giver;
            if (gives) m_givers[place].message = {lone.operation, lone.node, 1};
        }
    }

    // One member of a group gives nothing until it is called; each other gives the words that may wait
    // for it, and all nodes give words that are sent, which nothing may hold up.
    void begin(const Absent& absent) {
        m_load = 1 << 16;
        m_spoils = false;
        m_left = m_sent.empty() ? 0 : 2 * NODES;
        m_calls.clear();
        std::vector<unsigned> operations;
        for (const unsigned number : m_joined)
            if (m_plan.operations[number].group == absent.group) operations.push_back(number);
        while (m_calls.size() < m_plan.group_queue) {
            m_calls.push_back(draw(operations));
            m_calls.back().words = 1;
        }
        for (Giver& giver : m_givers) giver.call = 0;
        m_absent = absent.node;
    }

    void call_absent() { m_absent = NOBODY; }

    void offer() {
        for (std::size_t group = 0; group < m_offered.size(); ++group) {
            std::uint64_t fresh = ~m_offered[group] & m_lots.bits(m_load);
            const std::size_t first = GROUP * group, size = m_givers.size() - first;
            if (size < GROUP) fresh &= (std::uint64_t{1} << size) - 1;
            for (; fresh; fresh &= fresh - 1) choose(first + __builtin_ctzll(fresh));
            store(m_ports.offer[group], m_offered[group]);
        }
    }

    // The word that was accepted; nothing, if no operation takes it.
    const Word* accept(std::size_t place) {
        m_offered[place / GROUP] &= ~(std::uint64_t{1} << place % GROUP);
        return m_givers[place].wrong ? nullptr : &m_givers[place].word;
    }

    // Some word that is offered.
    const Word* waiting() const {
        for (std::size_t group = 0; group < m_offered.size(); ++group)
            if (m_offered[group])
                return &m_givers[GROUP * group + __builtin_ctzll(m_offered[group])].word;
        return nullptr;
    }

    bool done() {
        if (m_left || waiting()) return false;
        for (std::size_t place = 0; place < m_givers.size(); ++place)
            if (m_givers[place].message.words || find_call(place)) return false;
        return true;
    }

private:
    struct Giver {
        Message message{};
        std::size_t call = 0;
        Word word;
        bool wrong = false;
    };

    Message draw(const std::vector<unsigned>& operations) {
        const unsigned operation = operations[m_lots.below(operations.size())];
        return {operation, static_cast<unsigned>(m_lots.below(NODES)), 1 + m_lots.below(LONGEST)};
    }

    // The next call of a member, if there is one.
    const Message* find_call(std::size_t place) {
        Giver& giver = m_givers[place];
        if (m_ports.senders[place] == m_absent) return nullptr;
        for (; giver.call < m_calls.size(); ++giver.call) {
            const Message& call = m_calls[giver.call];
            if (m_plan.is_member(m_ports.senders[place], m_plan.operations[call.operation].group))
                return &call;
        }
        return nullptr;
    }

    void choose(std::size_t place) {
        Giver& giver = m_givers[place];
        giver.wrong = false;
        if (!giver.message.words) {
            const Message* const call = find_call(place);
            if (call && !(m_left && m_lots.below(2))) {
                giver.message = *call;
                ++giver.call;
            } else if (m_left) {
                giver.message = draw(m_sent);
                giver.message.words = std::min(giver.message.words, m_left);
                m_left -= giver.message.words;
            } else {
                return;
            }
        }
        if (m_spoils && m_lots.below(RARELY) == 0) giver.wrong = spoil(place);
        if (!giver.wrong) {
            const bool last = !--giver.message.words;
            fill(place, giver.message.operation, giver.message.node, last);
        }
        m_offered[place / GROUP] |= std::uint64_t{1} << place % GROUP;
    }

    void fill(std::size_t place, unsigned operation, unsigned node, bool last) {
        Word& word = m_givers[place].word;
        const Field data = m_plan.in("data");
        word = {{}, m_ports.senders[place], operation, node, last};
        for (unsigned bit = 0; bit < data.bits; bit += 32) {
            const auto value = static_cast<std::uint32_t>(m_lots.draw());
            word.data[bit / 32] = value & ~std::uint32_t{0} >> (32 - std::min(32u, data.bits - bit));
        }
        Payload payload{};
        put_data(payload, word.data, data);
        put_field(payload, m_plan.in("operation"), operation);
        put_field(payload, m_plan.in("node"), node);
        put_field(payload, m_plan.in("last"), last);
        std::memcpy(m_ports.word[place].at, payload.data(), m_ports.word[place].bytes);
    }

    // A word that no operation takes: without its number, for no node or by no member.
    bool spoil(std::size_t place) {
        const std::size_t count = m_plan.operations.size();
        const unsigned operation = m_lots.below(std::size_t{1} << m_plan.in("operation").bits);
        const unsigned node = m_lots.below(std::size_t{1} << m_plan.in("node").bits);
        if (operation < count) {
            const Operation& taken = m_plan.operations[operation];
            const bool gives =
                !taken.joined || m_plan.is_member(m_ports.senders[place], taken.group);
            if (gives && !(taken.to_node && node >= NODES)) return false;
        }
        fill(place, operation, node, m_lots.below(2));
        return true;
    }

    // Words of the longest message, and how rarely a word is wrong.
    static constexpr unsigned LONGEST = 4, RARELY = 32;

    const Plan& m_plan;
    const Ports& m_ports;
    Lots& m_lots;
    std::vector<Giver> m_givers;
    std::vector<unsigned> m_joined, m_sent;
    std::vector<Message> m_calls;
    std::vector<std::uint64_t> m_offered;
    unsigned m_load = 0;
    bool m_spoils = false;
    unsigned m_absent = NOBODY;
    // How many words are still to be sent.
    Count m_left = 0;
};

class Bench {
public:
    explicit Bench(const Plan& plan)
        : m_plan{plan}
        , m_lots{plan.seed}
        , m_check{plan}
        , m_givers{plan, m_network.ports(), m_lots} {}

    void run() {
        m_network.reset(static_cast<unsigned>(m_plan.seed));
        const auto began = std::chrono::steady_clock::now();
        give_alone();
        give_without_one();
        for (const Round& round : m_plan.rounds) {
            m_round = round;
            m_givers.begin(round);
            drain();
        }
        const auto took = std::chrono::steady_clock::now() - began;
        tell(std::chrono::duration<double>(took).count());
    }

private:
    // One word, or one of each member, after the other, each in an empty network.
    void give_alone() {
        for (const Lone& lone : m_plan.lone) {
            m_round = {1 << 16, 0, 1, 1, m_plan.rounds[0].patience};
            m_givers.begin(lone);
            m_check.set_alone(&lone, m_cycle);
            drain();
        }
        m_check.set_alone(nullptr, m_cycle);
        m_taken = 0;
        std::printf("words alone   %zu, each in its exact cycles\n", m_plan.lone.size());
    }

    // Words that wait for those of one member, which comes last. They hold up no others.
    void give_without_one() {
        const Count before = m_taken;
        for (const Absent& absent : m_plan.absent) {
            m_round = {1 << 16, 0, 1, 1, m_plan.rounds[0].patience};
            m_givers.begin(absent);
            do step();
            while (!m_givers.done() || m_check.missing());
            m_givers.call_absent();
            drain();
        }
        if (!m_plan.absent.empty())
            std::printf("words wait    for each of %zu members, and hold up no others; %u may wait\n",
                        m_plan.absent.size(), m_plan.group_queue);
        m_taken = before;
    }

    // Until all is given and has come, and then cycles in which nothing may come.
    void drain() {
        do step();
        while (!m_givers.done() || m_check.missing() || m_check.joining());
        m_round.stall = 0;
        m_round.hold = 1;
        for (unsigned cycles = PAUSE + NODES / 8; cycles; --cycles) step();
        m_check.check_order();
    }

    void step() {
        m_check.set_cycle(m_cycle);
        m_givers.offer();
        if (m_cycle % m_round.hold == 0) stall_sinks(m_network.ports(), m_round.stall, m_lots);
        m_network.edge();
        bool moved = false;
        m_network.each_fired([&](std::size_t stream) {
            moved |= stream < first_alarm();
            note(stream);
        });
        m_check.check_alarms();
        const bool rests = !m_check.missing() && !m_check.joining() && !m_givers.waiting();
        m_still = moved || rests ? 0 : m_still + 1;
        if (m_still > m_round.patience) m_check.tell_hang(m_round.patience, m_givers.waiting());
        ++m_cycle;
    }

    // A word is transferred.
    void note(std::size_t stream) {
        const Ports& ports = m_network.ports();
        const std::size_t senders = ports.senders.size();
        if (stream >= first_alarm()) return m_check.tell(ports.alarm[stream - first_alarm()]);
        if (stream >= senders)
            return m_check.deliver(ports.takers[stream - senders], ports.payload[stream]);
        if (const Word* const word = m_givers.accept(stream)) {
            ++m_taken;
            m_check.accept(*word);
        } else {
            ++m_wrong;
            m_check.drop(ports.senders[stream]);
        }
    }

    std::size_t first_alarm() const {
        return m_network.ports().senders.size() + m_network.ports().takers.size();
    }

    void tell(double seconds) const {
        const double cycles = static_cast<double>(m_cycle), got = m_check.delivered();
        std::printf("random words  %.0f in %zu rounds, and %.0f that no operation takes\n",
                    static_cast<double>(m_taken), m_plan.rounds.size(),
                    static_cast<double>(m_wrong));
        std::printf("cycles        %.0f\n", cycles);
        std::printf("deliveries    %.0f\n", got);
        std::printf("speed         %.1f million deliveries and %.1f million node-cycles a second\n",
                    got / seconds / 1e6, cycles * NODES / seconds / 1e6);
        std::printf("every node got every word once, unchanged and in order\n");
    }

    static constexpr unsigned PAUSE = 8;

    const Plan& m_plan;
    Lots m_lots;
    Network m_network;
    Check m_check;
    Givers m_givers;
    Round m_round{};
    Count m_cycle = 0, m_still = 0, m_taken = 0, m_wrong = 0;
};

}  // namespace

int main(int count, char** arguments) {
    if (count != 2) fail("a plan is needed");
    const Plan plan = read_plan(arguments[1]);
    Bench{plan}.run();
    return 0;
}
