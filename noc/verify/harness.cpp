// Drives a network that Verilator has compiled, and logs every transfer, as noc_bench.v does.
//
//     noc_bench SECONDS…
//
// simulates run 0, 1, … from the files 0.plan, 0.first, 0.due, 0.word, 0.pattern and so on, which
// noc/verify/stimulus.py writes, and leaves 0.log and 0.seconds. Each number is that of the seconds
// which a run may last. A run that fails ends the program with status 1 and a line that says why.

#include "harness.h"

#include <algorithm>
#include <csignal>
#include <ctime>
#include <fstream>
#include <unistd.h>

namespace {

using Bits = std::vector<std::uint32_t>;

constexpr std::uint32_t END = ~std::uint32_t{0};

// One number in each line, of any length, in hexadecimal digits.
std::vector<std::string> read(const std::string& name) {
    std::ifstream file{name};
    std::vector<std::string> lines;
    for (std::string line; file >> line;) lines.push_back(line);
    if (lines.empty()) fail(name + " cannot be read");
    return lines;
}

Bits bits(const std::string& digits, std::size_t words) {
    Bits result(words);
    const std::size_t count = digits.size();
    for (std::size_t place = 0; place < count && place / 8 < words; ++place) {
        const char digit = digits[count - 1 - place];
        const std::uint32_t value = digit <= '9' ? digit - '0' : digit - 'a' + 10;
        result[place / 8] |= value << 4 * (place % 8);
    }
    return result;
}

Bits numbers(const std::string& name) {
    Bits result;
    for (const std::string& line : read(name)) result.push_back(bits(line, 1)[0]);
    return result;
}

// The words of all sources, and when each is due.
class Sources {
public:
    Sources(const std::string& run, const Ports& ports)
        : m_ports{ports}
        , m_due{numbers(run + ".due")}
        , m_offered(ports.offer.size()) {
        const Bits first = numbers(run + ".first");
        for (const unsigned node : ports.senders) {
            m_next.push_back(first[node]);
            m_last.push_back(first[node + 1]);
        }
        for (const Port& each : ports.word) m_words = std::max(m_words, (each.bytes + 3) / 4);
        for (const std::string& line : read(run + ".word")) {
            const Bits word = bits(line, m_words);
            m_word.insert(m_word.end(), word.begin(), word.end());
        }
    }

    void accepted(std::size_t source) { ++m_next[source]; }

    // Offer what is due in a cycle.
    void offer(std::uint32_t cycle) {
        std::fill(m_offered.begin(), m_offered.end(), 0);
        for (std::size_t source = 0; source < m_next.size(); ++source) {
            const std::uint32_t next = m_next[source];
            if (next == m_last[source] || m_due[next] > cycle) continue;
            m_offered[source / GROUP] |= std::uint64_t{1} << source % GROUP;
            const Port& word = m_ports.word[source];
            std::memcpy(word.at, &m_word[next * m_words], word.bytes);
        }
        for (std::size_t group = 0; group < m_offered.size(); ++group)
            store(m_ports.offer[group], m_offered[group]);
    }

private:
    const Ports& m_ports;
    const Bits m_due;
    std::vector<std::uint64_t> m_offered;
    Bits m_word, m_next, m_last;
    std::size_t m_words = 1;
};

// Which sinks are ready in each cycle: a pattern that repeats, and all of them at the end.
class Sinks {
public:
    Sinks(const std::string& run, const Ports& ports, std::uint32_t busy)
        : m_ports{ports}
        , m_busy{busy} {
        for (const std::string& line : read(run + ".pattern")) add(bits(line, NODES / 32 + 1));
        add(Bits(NODES / 32 + 1, END));
    }

    void take(std::uint32_t cycle) {
        const std::size_t period = m_ready.size() - 1;
        const auto& ready = m_ready[cycle < m_busy ? cycle % period : period];
        for (std::size_t group = 0; group < ready.size(); ++group)
            store(m_ports.take[group], ready[group]);
    }

private:
    void add(const Bits& row) {
        m_ready.emplace_back(m_ports.take.size());
        for (std::size_t sink = 0; sink < m_ports.takers.size(); ++sink) {
            const unsigned node = m_ports.takers[sink];
            const std::uint64_t ready = row[node / 32] >> node % 32 & 1;
            m_ready.back()[sink / GROUP] |= ready << sink % GROUP;
        }
    }

    const Ports& m_ports;
    const std::uint32_t m_busy;
    std::vector<std::vector<std::uint64_t>> m_ready;
};

// The records of a run: cycle, number of the stream, payload.
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

    void close() {
        add(END, END, &END, 0);
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

class Bench {
public:
    void run(unsigned number) {
        const std::string name = std::to_string(number);
        const Bits plan = numbers(name + ".plan");
        const CData* const empty = m_network.ports().idle;
        Sources sources{name, m_network.ports()};
        Sinks sinks{name, m_network.ports(), plan[0]};
        Log log{name + ".log"};
        m_network.reset(number);
        const std::clock_t began = std::clock();
        bool idle = true;
        for (std::uint32_t cycle = 0; cycle < plan[1]; ++cycle) {
            sources.offer(cycle);
            sinks.take(cycle);
            m_network.edge();
            note(cycle, sources, log);
            if (empty && bool(*empty) != idle) {
                idle = !idle;
                const std::uint32_t level = idle;
                log.add(cycle, STREAMS, &level, sizeof level);
            }
        }
        log.close();
        std::ofstream{name + ".seconds"} << double(std::clock() - began) / CLOCKS_PER_SEC << "\n";
    }

private:
    // Log what is transferred in a cycle.
    void note(std::uint32_t cycle, Sources& sources, Log& log) {
        const Ports& ports = m_network.ports();
        m_network.each_fired([&](std::size_t stream) {
            if (stream < ports.senders.size()) sources.accepted(stream);
            log.add(cycle, stream, ports.payload[stream].at, ports.payload[stream].bytes);
        });
    }

    Network m_network;
};

void late(int) {
    static const char text[] = "%Error: a run takes too long\n";
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0) _exit(2);
    _exit(1);
}

}  // namespace

int main(int count, char** seconds) {
    std::signal(SIGALRM, late);
    Bench bench;
    for (int number = 0; number + 1 < count; ++number) {
        alarm(static_cast<unsigned>(std::strtoul(seconds[number + 1], nullptr, 10)));
        bench.run(number);
    }
    return 0;
}
