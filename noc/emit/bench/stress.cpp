// Sends random words through a network that Verilator has compiled, and checks each at every node.
//
//     noc_bench PLAN
//
// stress.py writes PLAN. At the first fault the program ends with status 1 and a line that tells it.

#include "stress_check.h"

#include <chrono>
#include <numeric>

namespace {

// Which words the sources offer: each source one with the chance of the load, until all are sent.
class Sources {
public:
    Sources(const Plan& plan, const Ports& ports)
        : m_ports{ports}
        , m_flows(ports.senders.size())
        , m_chosen(ports.senders.size())
        , m_willing(ports.offer.size())
        , m_offered(ports.offer.size()) {
        std::vector<std::size_t> place(NODES);
        for (std::size_t stream = 0; stream < ports.senders.size(); ++stream)
            place[ports.senders[stream]] = stream;
        for (const Flow& flow : plan.flows) m_place.push_back(place[flow.node]);
    }

    void begin(const std::vector<std::size_t>& active, unsigned load, Count words) {
        m_load = load;
        m_left = words;
        for (auto& flows : m_flows) flows.clear();
        std::fill(m_willing.begin(), m_willing.end(), 0);
        for (const std::size_t flow : active) {
            const std::size_t place = m_place[flow];
            m_flows[place].push_back(flow);
            m_willing[place / GROUP] |= std::uint64_t{1} << place % GROUP;
        }
    }

    void offer(const Words& words, const Check& check, Lots& lots) {
        for (std::size_t group = 0; group < m_offered.size() && m_left; ++group) {
            std::uint64_t fresh = m_willing[group] & ~m_offered[group] & lots.bits(m_load);
            for (; fresh && m_left; fresh &= fresh - 1, --m_left)
                choose(GROUP * group + __builtin_ctzll(fresh), words, check, lots);
        }
        for (std::size_t group = 0; group < m_offered.size(); ++group)
            store(m_ports.offer[group], m_offered[group]);
    }

    // Whose word was accepted.
    std::size_t accept(std::size_t place) {
        m_offered[place / GROUP] &= ~(std::uint64_t{1} << place % GROUP);
        return m_chosen[place];
    }

    // Some flow whose word is offered; nobody's, if none is.
    std::size_t waiting() const {
        for (std::size_t group = 0; group < m_offered.size(); ++group)
            if (m_offered[group]) return m_chosen[GROUP * group + __builtin_ctzll(m_offered[group])];
        return NOBODY;
    }

    bool done() const { return !m_left && waiting() == NOBODY; }

private:
    void choose(std::size_t place, const Words& words, const Check& check, Lots& lots) {
        const auto& flows = m_flows[place];
        const std::size_t flow = flows.size() == 1 ? flows[0] : flows[lots.below(flows.size())];
        m_chosen[place] = flow;
        m_offered[place / GROUP] |= std::uint64_t{1} << place % GROUP;
        const Payload payload = words.offered(flow, check.accepted(flow));
        std::memcpy(m_ports.word[place].at, payload.data(), m_ports.word[place].bytes);
    }

    const Ports& m_ports;
    // The inject stream of each flow; the flows that a stream may send; the one whose word it has.
    std::vector<std::size_t> m_place;
    std::vector<std::vector<std::size_t>> m_flows;
    std::vector<std::size_t> m_chosen;
    std::vector<std::uint64_t> m_willing, m_offered;
    unsigned m_load = 0;
    Count m_left = 0;
};

class Bench {
public:
    explicit Bench(const Plan& plan)
        : m_plan{plan}
        , m_words{plan}
        , m_check{plan, m_words}
        , m_sources{plan, m_network.ports()}
        , m_lots{plan.seed} {}

    void run() {
        m_network.reset(static_cast<unsigned>(m_plan.seed));
        const auto began = std::chrono::steady_clock::now();
        send_alone();
        for (const Round& round : m_plan.rounds) m_plan.turns ? take_turns(round) : send_at_once(round);
        const auto took = std::chrono::steady_clock::now() - began;
        tell(std::chrono::duration<double>(took).count());
    }

private:
    // One word after the other, each in an empty network.
    void send_alone() {
        int least = 1 << 30, most = 0;
        const Round round{1 << 16, 0, 1, 1, m_plan.rounds[0].patience};
        for (const Lone& lone : m_plan.lone) {
            send(round, {lone.flow}, &lone);
            settle(PAUSE);
            for (const int cycles : lone.cycles) {
                if (cycles >= 0) least = std::min(least, cycles), most = std::max(most, cycles);
            }
        }
        std::printf("words alone   %zu, each in its exact cycles, %d to %d\n", m_plan.lone.size(),
                    least, most);
    }

    // All flows send, or as many of them as their words can be told apart.
    void send_at_once(const Round& round) {
        std::vector<std::size_t> flows(m_plan.flows.size());
        std::iota(flows.begin(), flows.end(), std::size_t{0});
        const std::size_t most = std::size_t{1} << std::min(m_plan.data_bits, 32u);
        if (!m_plan.source_bits && flows.size() > most) {
            for (std::size_t place = 0; place < most; ++place)
                std::swap(flows[place], flows[place + m_lots.below(flows.size() - place)]);
            flows.resize(most);
        }
        send(round, flows, nullptr);
        settle(PAUSE + NODES / 8);
    }

    // One source after the other, each as soon as the network says that it is empty.
    void take_turns(const Round& round) {
        for (Count left = round.words; left;) {
            Round turn = round;
            turn.words = std::min<Count>(left, 1 + m_lots.below(LONGEST_TURN));
            left -= turn.words;
            send(turn, {m_lots.below(m_plan.flows.size())}, nullptr);
        }
        while (m_check.missing()) step();
        settle(PAUSE + NODES / 8);
    }

    void send(const Round& round, const std::vector<std::size_t>& flows, const Lone* lone) {
        m_round = round;
        m_check.begin(flows, lone, round.patience);
        m_sources.begin(flows, round.load, round.words);
        // Words in queues have left the network.
        const bool handed_on = m_plan.turns && m_network.ports().idle && !lone;
        do step();
        while (!m_sources.done() || (handed_on ? !m_empty : m_check.missing() != 0));
    }

    // Cycles in which nothing may come out.
    void settle(unsigned cycles) {
        m_round.stall = 0;
        m_round.hold = 1;
        for (; cycles; --cycles) step();
    }

    void step() {
        m_check.set_cycle(m_cycle);
        m_sources.offer(m_words, m_check, m_lots);
        if (m_cycle % m_round.hold == 0) stall_sinks(m_network.ports(), m_round.stall, m_lots);
        m_network.edge();
        watch_idle();
        bool moved = false;
        m_network.each_fired([&](std::size_t stream) {
            moved = true;
            note(stream);
        });
        m_still = moved || rests() ? 0 : m_still + 1;
        if (m_still > m_round.patience) m_check.tell_hang(m_sources.waiting());
        ++m_cycle;
    }

    bool rests() const { return !m_check.missing() && m_sources.waiting() == NOBODY; }

    void watch_idle() {
        const CData* const idle = m_network.ports().idle;
        if (!idle) return;
        m_empty = *idle;
        if (!m_plan.queued) m_check.check_idle(m_empty);
    }

    // A word is transferred.
    void note(std::size_t stream) {
        const Ports& ports = m_network.ports();
        const std::size_t senders = ports.senders.size();
        if (stream < senders) {
            m_check.accept(m_sources.accept(stream));
            // It is in the network from the next cycle on.
            m_empty = false;
            ++m_sent;
        } else {
            m_check.deliver(ports.takers[stream - senders], ports.payload[stream]);
        }
    }

    void tell(double seconds) const {
        const double cycles = static_cast<double>(m_cycle), got = m_check.delivered();
        std::printf("random words  %llu in %zu rounds\n",
                    static_cast<unsigned long long>(m_sent - m_plan.lone.size()), m_plan.rounds.size());
        std::printf("cycles        %.0f\n", cycles);
        std::printf("deliveries    %.0f\n", got);
        std::printf("speed         %.1f million deliveries and %.1f million node-cycles a second\n",
                    got / seconds / 1e6, cycles * NODES / seconds / 1e6);
        std::printf("every node got every word once, unchanged and in order\n");
    }

    static constexpr unsigned PAUSE = 8, LONGEST_TURN = 64;

    const Plan& m_plan;
    Network m_network;
    Words m_words;
    Check m_check;
    Sources m_sources;
    Lots m_lots;
    Round m_round{};
    Count m_cycle = 0, m_sent = 0, m_still = 0;
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
