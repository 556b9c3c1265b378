// Sends random words through a network that Verilator has compiled, and checks each at every node.
//
//     noc_bench PLAN
//
// stress.py writes PLAN. At the first fault the program ends with status 1 and a line that tells it.

#include "stress_check.h"

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
    Givers(const Plan& plan, const Ports& ports, const Senders& senders, Lots& lots)
        : m_plan{plan}
        , m_ports{ports}
        , m_senders{senders}
        , m_lots{lots}
        , m_givers(ports.senders.size())
        , m_offered(ports.offer.size())
        , m_willing(ports.offer.size()) {
        for (unsigned number = 0; number < plan.operations.size(); ++number)
            (plan.operations[number].joined ? m_joined : m_sent).push_back(number);
    }

    // Half of the words are to be joined, if there are operations of both kinds.
    void begin(const Round& round) {
        begin(round.load, m_joined.empty() ? round.words : m_sent.empty() ? 0 : round.words / 2);
        m_spoils = true;
        for (Count words = m_joined.empty() ? 0 : round.words - m_left; words;) {
            const Message call = draw(m_joined);
            const auto& members = m_plan.groups[m_plan.operations[call.operation].group].members;
            m_calls.push_back(call);
            words -= std::min<Count>(words, call.words * members.size());
        }
        be_willing();
    }

    // A single word of a giver, or one of each member.
    void begin(const Lone& lone) {
        begin(1 << 16, 0);
        const Address& word = lone.address;
        for (std::size_t place = 0; place < m_givers.size(); ++place) {
            const unsigned node = m_ports.senders[place];
            const bool joined = m_plan.operations[word.operation].joined;
            if (joined ? m_plan.is_member(node, word.operation) : node == word.giver)
                m_givers[place].message = {word.operation, word.node, 1};
        }
        be_willing();
    }

    // One member of a group gives nothing until it is called; each other gives the words that may wait
    // for it, and all nodes give words that are sent, which nothing may hold up.
    void begin(const Absent& absent) {
        begin(1 << 16, m_sent.empty() ? 0 : 2 * NODES);
        std::vector<unsigned> operations;
        for (const unsigned number : m_joined)
            if (m_plan.operations[number].group == absent.group) operations.push_back(number);
        while (m_calls.size() < m_plan.group_queue) {
            m_calls.push_back(draw(operations));
            m_calls.back().words = 1;
        }
        m_absent = absent.node;
        be_willing();
    }

    void call_absent() { m_absent = NODES; }

    void offer() {
        for (std::size_t group = 0; group < m_offered.size(); ++group) {
            if (const std::uint64_t free = m_willing[group] & ~m_offered[group]) {
                std::uint64_t fresh = free & m_lots.bits(m_load);
                for (; fresh; fresh &= fresh - 1) choose(GROUP * group + __builtin_ctzll(fresh));
            }
            store(m_ports.offer[group], m_offered[group]);
        }
    }

    // The word that was accepted; nothing, if no operation takes it. Phases have moved on so often.
    const Word* accept(std::size_t place, Count moved) {
        m_offered[place / GROUP] &= ~(std::uint64_t{1} << place % GROUP);
        Word& word = m_givers[place].word;
        word.number = m_givers[place].given++;
        if (!m_plan.targets.empty()) {
            const auto& targets = m_plan.targets[place];
            const Count turn = m_plan.complete ? word.number : moved;
            const Target& target = targets[turn % targets.size()];
            if (target.node < 0)
                fail("phase " + std::to_string(moved % targets.size()) + ": " +
                     m_plan.labels[word.address.giver] + " gives a word where there is none");
            word.address.node = static_cast<unsigned>(target.node);
            // Nothing moves while the queue of a sink is full, or a node has no word.
            if (!m_plan.queued && !m_plan.complete) word.due = moved + target.cycles;
        }
        return m_givers[place].wrong ? nullptr : &word;
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
        // How many words were accepted, and how many it has still to give, where a round needs all.
        Count given = 0, left = 0;
    };

    void begin(unsigned load, Count words) {
        m_load = load;
        m_left = words;
        m_spoils = false;
        m_calls.clear();
        for (Giver& giver : m_givers) giver.call = 0;
        if (m_plan.complete) give_rounds(words);
    }

    // Whole rounds of about so many words.
    void give_rounds(Count words) {
        Count each = 0;
        for (std::size_t place = 0; place < m_givers.size(); ++place) each += m_plan.words_of(place);
        const Count rounds = (words + each - 1) / each;
        m_left = rounds * each;
        for (std::size_t place = 0; place < m_givers.size(); ++place)
            m_givers[place].left = rounds * m_plan.words_of(place);
    }

    // Only those are looked at that have something to give.
    void be_willing() {
        std::fill(m_willing.begin(), m_willing.end(), 0);
        for (std::size_t place = 0; place < m_givers.size(); ++place) {
            const bool sends = m_left && m_senders.sends(m_ports.senders[place]);
            if (sends || m_givers[place].message.words || !m_calls.empty())
                m_willing[place / GROUP] |= std::uint64_t{1} << place % GROUP;
        }
    }

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
            if (m_plan.is_member(m_ports.senders[place], call.operation)) return &call;
        }
        return nullptr;
    }

    // The next message of a node; whether there is one.
    bool find_message(std::size_t place) {
        Giver& giver = m_givers[place];
        const Message* const call = find_call(place);
        const Count left = m_plan.complete ? giver.left : m_left;
        const bool sends = left && m_senders.sends(m_ports.senders[place]);
        if (call && !(sends && m_lots.below(2))) {
            giver.message = *call;
            ++giver.call;
        } else if (sends) {
            giver.message = draw(m_sent);
            giver.message.words = std::min(giver.message.words, left);
            m_left -= giver.message.words;
            if (m_plan.complete) giver.left -= giver.message.words;
        }
        return giver.message.words;
    }

    void choose(std::size_t place) {
        Giver& giver = m_givers[place];
        if (!giver.message.words && !find_message(place)) return;
        giver.wrong = m_spoils && m_lots.below(RARELY) == 0 && spoil(place);
        if (!giver.wrong) {
            const bool last = !--giver.message.words;
            fill(place, giver.message.operation, giver.message.node, last);
        }
        m_offered[place / GROUP] |= std::uint64_t{1} << place % GROUP;
    }

    void fill(std::size_t place, unsigned operation, unsigned node, bool last) {
        Word& word = m_givers[place].word;
        const unsigned giver = m_ports.senders[place];
        const Fields& fields = m_plan.inject[giver];
        word = {{operation, giver, node}, last, {}, NEVER, 0};
        each_part(fields.data, [&](Field part, unsigned number) {
            const auto value = static_cast<std::uint32_t>(m_lots.draw());
            word.data[number] = value & ~std::uint32_t{0} >> (32 - part.bits);
        });
        if (is_sent(operation)) m_senders.put_tag(word);
        const Payload payload = pack(word, fields, false);
        std::memcpy(m_ports.word[place].at, payload.data(), m_ports.word[place].bytes);
    }

    // A word that no operation takes: without its number, for no node or by no member.
    bool spoil(std::size_t place) {
        const Fields& fields = m_plan.inject[m_ports.senders[place]];
        const unsigned operation = m_lots.below(std::size_t{1} << fields.operation.bits);
        const unsigned node = m_lots.below(std::size_t{1} << fields.node.bits);
        if (operation < m_plan.operations.size()) {
            const Operation& known = m_plan.operations[operation];
            const bool gives =
                !known.joined || m_plan.is_member(m_ports.senders[place], operation);
            if (gives && !(known.to_node && node >= NODES)) return false;
        }
        fill(place, operation, node, m_lots.below(2));
        return true;
    }

    bool is_sent(unsigned operation) const {
        return operation < m_plan.operations.size() && !m_plan.operations[operation].joined;
    }

    // Words of the longest message, and how rarely a word is wrong.
    static constexpr unsigned LONGEST = 4, RARELY = 32;

    const Plan& m_plan;
    const Ports& m_ports;
    const Senders& m_senders;
    Lots& m_lots;
    std::vector<Giver> m_givers;
    std::vector<unsigned> m_joined, m_sent;
    std::vector<Message> m_calls;
    std::vector<std::uint64_t> m_offered, m_willing;
    unsigned m_load = 0, m_absent = NODES;
    bool m_spoils = false;
    // How many words are still to be sent.
    Count m_left = 0;
};

class Bench {
public:
    explicit Bench(const Plan& plan)
        : m_plan{plan}
        , m_lots{plan.seed}
        , m_senders{plan}
        , m_check{plan, m_senders}
        , m_givers{plan, m_network.ports(), m_senders, m_lots} {}

    void run() {
        m_network.reset(static_cast<unsigned>(m_plan.seed));
        const auto began = std::chrono::steady_clock::now();
        give_alone();
        give_without_one();
        m_taken = 0;
        for (const Round& round : m_plan.rounds) m_plan.turns ? take_turns(round) : give(round);
        const auto took = std::chrono::steady_clock::now() - began;
        tell(std::chrono::duration<double>(took).count());
    }

private:
    // One word, or one of each member, after the other, each in an empty network.
    void give_alone() {
        int least = 1 << 30, most = 0;
        for (const Lone& lone : m_plan.lone) {
            begin_quickly({lone.address.giver}, &lone);
            m_givers.begin(lone);
            drain();
            for (const int cycles : lone.cycles) {
                if (cycles >= 0) least = std::min(least, cycles), most = std::max(most, cycles);
            }
        }
        if (!m_plan.lone.empty())
            std::printf("words alone   %zu, each in its exact cycles, %d to %d\n",
                        m_plan.lone.size(), least, most);
    }

    // Words that wait for those of one member, which comes last. They hold up no others.
    void give_without_one() {
        for (const Absent& absent : m_plan.absent) {
            begin_quickly(draw_senders());
            m_givers.begin(absent);
            do step();
            while (!m_givers.done() || m_check.missing());
            m_givers.call_absent();
            drain();
        }
        if (!m_plan.absent.empty())
            std::printf("words wait    for each of %zu members, and hold up no others; %u may wait\n",
                        m_plan.absent.size(), m_plan.group_queue);
    }

    // All give, or as many of them as their words can be told apart.
    void give(const Round& round) {
        begin(round, draw_senders());
        m_givers.begin(round);
        drain();
    }

    // One source after the other, each as soon as the network says that it is empty.
    void take_turns(const Round& round) {
        // Words in queues have left the network.
        const bool handed_on = m_network.ports().idle;
        for (Count left = round.words; left;) {
            Round turn = round;
            turn.words = std::min<Count>(left, 1 + m_lots.below(LONGEST_TURN));
            left -= turn.words;
            const auto& senders = m_network.ports().senders;
            const unsigned sender = senders[m_lots.below(senders.size())];
            begin(turn, {sender});
            m_givers.begin(turn);
            do step();
            while (!m_givers.done() || (handed_on ? !m_empty : m_check.missing() != 0));
        }
        drain();
    }

    void begin(const Round& round, std::vector<unsigned> senders, const Lone* lone = nullptr) {
        m_round = round;
        m_senders.choose(std::move(senders));
        m_check.set_cycle(m_cycle, m_moved);
        m_check.begin(round.patience, lone);
    }

    // At full load, into sinks that are always ready.
    void begin_quickly(std::vector<unsigned> senders, const Lone* lone = nullptr) {
        begin({1 << 16, 0, 1, 1, m_plan.rounds[0].patience}, std::move(senders), lone);
    }

    std::vector<unsigned> draw_senders() {
        // Those of one node follow one another.
        std::vector<unsigned> nodes = m_network.ports().senders;
        nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
        if (m_plan.told() || nodes.size() <= m_plan.most_senders()) return nodes;
        const std::size_t most = m_plan.most_senders();
        for (std::size_t place = 0; place < most; ++place)
            std::swap(nodes[place], nodes[place + m_lots.below(nodes.size() - place)]);
        nodes.resize(most);
        return nodes;
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
        m_check.set_cycle(m_cycle, m_moved);
        m_givers.offer();
        if (m_cycle % m_round.hold == 0) stall_sinks();
        if (m_plan.sink_timeout) wake_sinks();
        m_network.edge();
        watch_idle();
        bool moved = false;
        m_network.each_fired([&](std::size_t stream) {
            moved |= stream < first_alarm();
            note(stream);
        });
        if (!m_network.ports().alarm.empty()) m_check.check_alarms();
        const bool rests = !m_check.missing() && !m_check.joining() && !m_givers.waiting();
        m_still = moved || rests ? 0 : m_still + 1;
        if (m_still > m_round.patience) m_check.tell_hang(m_givers.waiting());
        const CData* const moves = m_network.ports().moves;
        m_moved += !moves || *moves;
        ++m_cycle;
    }

    // Let each sink be ready, but for the chance of the stall.
    void stall_sinks() {
        std::size_t left = m_network.ports().takers.size();
        for (const Port& take : m_network.ports().take) {
            const std::uint64_t ready = ~m_lots.bits(m_round.stall);
            store(take, left < GROUP ? ready & ((std::uint64_t{1} << left) - 1) : ready);
            left -= std::min<std::size_t>(left, GROUP);
        }
    }

    // Let no sink rest for so long that it is given up.
    void wake_sinks() {
        for (std::size_t place = 0; place < m_rested.size(); ++place) {
            const Port& take = m_network.ports().take[place / GROUP];
            const std::uint64_t ready = load(take), own = std::uint64_t{1} << place % GROUP;
            if (!(ready & own) && ++m_rested[place] < m_plan.sink_timeout) continue;
            m_rested[place] = 0;
            store(take, ready | own);
        }
    }

    void watch_idle() {
        const CData* const idle = m_network.ports().idle;
        if (!idle) return;
        m_empty = *idle;
        if (!m_plan.queued) m_check.check_idle(m_empty);
    }

    // A word is transferred, or a node raises an alarm.
    void note(std::size_t stream) {
        const Ports& ports = m_network.ports();
        const std::size_t senders = ports.senders.size();
        if (stream >= first_alarm()) return m_check.tell(ports.alarm[stream - first_alarm()]);
        if (stream >= senders)
            return m_check.deliver(stream - senders, ports.takers[stream - senders],
                                   ports.payload[stream]);
        // It is in the network from the next cycle on.
        m_empty = false;
        if (const Word* const word = m_givers.accept(stream, m_moved)) {
            ++m_taken;
            m_check.accept(stream, *word);
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
        std::printf("random words  %.0f in %zu rounds", static_cast<double>(m_taken),
                    m_plan.rounds.size());
        if (m_wrong)
            std::printf(", and %.0f that no operation takes", static_cast<double>(m_wrong));
        std::printf("\ncycles        %.0f\n", cycles);
        std::printf("deliveries    %.0f\n", got);
        std::printf("speed         %.1f million deliveries and %.1f million node-cycles a second\n",
                    got / seconds / 1e6, cycles * NODES / seconds / 1e6);
        std::printf("every node got every %s\n",
                    m_plan.sums ? "sum of what was given, once" : "word once, unchanged and in order");
    }

    static constexpr unsigned PAUSE = 8, LONGEST_TURN = 64;

    const Plan& m_plan;
    Lots m_lots;
    Network m_network;
    Senders m_senders;
    Check m_check;
    Givers m_givers;
    Round m_round{};
    // In how many cycles phases have moved on.
    Count m_moved = 0;
    Count m_cycle = 0, m_still = 0, m_taken = 0, m_wrong = 0;
    // For how many cycles each sink has not been ready.
    std::vector<unsigned> m_rested = std::vector<unsigned>(m_network.ports().takers.size());
    // Whether the network says that no word is in it.
    bool m_empty = false;
};

}  // namespace

int main(int count, char** arguments) {
    if (count != 2) fail("a plan is needed");
    const Plan plan = read_plan(arguments[1]);
    Bench{plan}.run();
    return 0;
}
