// Drives a network that Verilator has compiled, and logs every transfer.
//
//     noc_bench [WAVES]
//
// reads orders from standard input, a socket, and replies there: noc/verify/lockstep.py gives each,
// to simulate a run up to a cycle, with the words that sources may offer from then on. Of run 0 it
// reads when sinks are ready from 0.pattern. It leaves the transfers of an order in 0.log, in place
// of those of the order before, and then replies with a line, the processor time of the run so far.
// A run that fails ends the program with status 1 and a line that says why. cocotb_driver.py does
// the same in simulators that do not compile to C++.

#include "harness.h"

#include <algorithm>
#include <csignal>
#include <ctime>
#include <unistd.h>

namespace {

constexpr std::uint32_t END = ~std::uint32_t{0};

struct Order {
    std::uint32_t run;
    // Simulate up to this cycle, and from the other on with all sinks ready.
    std::uint32_t until, busy;
    // Whether the run ends then; in how many seconds; and how many words follow.
    std::uint32_t last, seconds, words;
};

// Whether there was one more; a part of one is none.
bool receive(void* at, std::size_t bytes) { return std::fread(at, 1, bytes, stdin) == bytes; }

// The words of all sources that they have still to offer, and when each is due.
class Sources {
public:
    explicit Sources(const Ports& ports)
        : m_ports{ports}
        , m_offered(ports.offer.size())
        , m_queue(ports.word.size()) {
        for (const Port& each : ports.word) m_words = std::max(m_words, (each.bytes + 3) / 4);
    }

    // Take the words of an order: of each its source, its release, and what it holds.
    void receive_words(std::size_t count) {
        for (Queue& each : m_queue) {
            each.words.erase(each.words.begin(), each.words.begin() + each.next);
            each.next = 0;
        }
        std::vector<std::uint32_t> word(2 + m_words);
        for (; count; --count) {
            if (!receive(word.data(), 4 * word.size())) fail("an order is cut off");
            std::vector<std::uint32_t>& words = m_queue[word[0]].words;
            words.insert(words.end(), word.begin() + 1, word.end());
        }
    }

    void accepted(std::size_t source) { m_queue[source].next += 1 + m_words; }

    // Offer what is due in a cycle.
    void offer(std::uint32_t cycle) {
        std::fill(m_offered.begin(), m_offered.end(), 0);
        for (std::size_t source = 0; source < m_queue.size(); ++source) {
            const Queue& queue = m_queue[source];
            if (queue.next == queue.words.size() || queue.words[queue.next] > cycle) continue;
            m_offered[source / GROUP] |= std::uint64_t{1} << source % GROUP;
            const Port& word = m_ports.word[source];
            std::memcpy(word.at, &queue.words[queue.next + 1], word.bytes);
        }
        for (std::size_t group = 0; group < m_offered.size(); ++group)
            store(m_ports.offer[group], m_offered[group]);
    }

private:
    // Releases and words by turns, and the position of the next release.
    struct Queue {
        std::vector<std::uint32_t> words;
        std::size_t next = 0;
    };

    const Ports& m_ports;
    std::vector<std::uint64_t> m_offered;
    std::vector<Queue> m_queue;
    std::size_t m_words = 1;
};

// Which sinks are ready in each cycle: rows that repeat, and at the end the last one, all of them.
class Sinks {
public:
    Sinks(const std::string& name, const Ports& ports)
        : m_ports{ports} {
        if (ports.take.empty()) return;
        std::FILE* const file = std::fopen(name.c_str(), "rb");
        if (!file) fail(name + " cannot be read");
        for (std::uint64_t group; std::fread(&group, sizeof group, 1, file);) m_ready.push_back(group);
        std::fclose(file);
        m_period = m_ready.size() / ports.take.size() - 1;
    }

    void take(std::uint32_t cycle, std::uint32_t busy) {
        const std::size_t groups = m_ports.take.size();
        const std::size_t row = cycle < busy && m_period ? cycle % m_period : m_period;
        for (std::size_t group = 0; group < groups; ++group)
            store(m_ports.take[group], m_ready[row * groups + group]);
    }

private:
    const Ports& m_ports;
    std::vector<std::uint64_t> m_ready;
    std::size_t m_period = 0;
};

// The records of an order: cycle, number of the stream, payload.
class Log {
public:
    explicit Log(const std::string& name)
        : m_name{name}
        , m_file{std::fopen(name.c_str(), "wb")} {
        if (!m_file) fail(name + " cannot be written");
    }

    void add(std::uint32_t cycle, std::uint32_t stream, const void* payload, std::size_t bytes) {
        if (m_used + RECORD > ROOM) flush();
        std::uint32_t* const record = &m_records[m_used];
        std::memset(record, 0, RECORD * sizeof *record);
        record[0] = cycle;
        record[1] = stream;
        std::memcpy(record + 2, payload, bytes);
        m_used += RECORD;
    }

    void close(bool last) {
        if (last) add(END, END, &END, 0);
        flush();
        if (std::fclose(m_file)) fail(m_name + " cannot be written");
    }

private:
    static constexpr std::size_t RECORD = 2 + PAYLOAD_WORDS, ROOM = RECORD << 14;

    void flush() {
        const std::size_t written = std::fwrite(m_records.data(), 4, m_used, m_file);
        if (written != m_used) fail(m_name + " cannot be written");
        m_used = 0;
    }

    const std::string m_name;
    std::FILE* const m_file;
    std::vector<std::uint32_t> m_records = std::vector<std::uint32_t>(ROOM);
    std::size_t m_used = 0;
};

// A run, after reset.
class Run {
public:
    Run(Network& network, unsigned number)
        : m_network{network}
        , m_name{std::to_string(number)}
        , m_sources{network.ports()}
        , m_sinks{m_name + ".pattern", network.ports()} {
        network.reset(number);
    }

    // The processor time of the run so far.
    double follow(const Order& order) {
        const CData* const empty = m_network.ports().idle;
        m_sources.receive_words(order.words);
        Log log{m_name + ".log"};
        const std::clock_t began = std::clock();
        for (; m_cycle < order.until; ++m_cycle) {
            m_sources.offer(m_cycle);
            m_sinks.take(m_cycle, order.busy);
            m_network.edge();
            note(log);
            if (empty && bool(*empty) != m_idle) {
                m_idle = !m_idle;
                const std::uint32_t level = m_idle;
                log.add(m_cycle, STREAMS, &level, sizeof level);
            }
        }
        log.close(order.last);
        m_seconds += double(std::clock() - began) / CLOCKS_PER_SEC;
        return m_seconds;
    }

private:
    // Log what is transferred in a cycle.
    void note(Log& log) {
        const Ports& ports = m_network.ports();
        m_network.each_fired([&](std::size_t stream) {
            if (stream < ports.word.size()) m_sources.accepted(stream);
            log.add(m_cycle, stream, ports.payload[stream].at, ports.payload[stream].bytes);
        });
    }

    Network& m_network;
    const std::string m_name;
    Sources m_sources;
    Sinks m_sinks;
    std::uint32_t m_cycle = 0;
    bool m_idle = true;
    double m_seconds = 0;
};

void late(int) {
    static const char text[] = "%Error: a run takes too long\n";
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0) _exit(2);
    _exit(1);
}

}  // namespace

int main(int count, char** arguments) {
    std::signal(SIGALRM, late);
    Network network{count > 1 ? arguments[1] : nullptr};
    std::unique_ptr<Run> run;
    unsigned number = 0;
    for (Order order; receive(&order, sizeof order);) {
        alarm(order.seconds);
        if (!run || order.run != number) run.reset(new Run{network, number = order.run});
        const double seconds = run->follow(order);
        alarm(0);
        if (dprintf(STDIN_FILENO, "%f\n", seconds) < 0) fail("nobody reads the replies");
    }
    return 0;
}
