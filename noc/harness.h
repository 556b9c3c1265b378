// A network that Verilator has compiled, inside the module noc_bench: its ports and its clock.

#pragma once

#include "Vtop.h"

#if VM_TRACE_FST
#include "verilated_fst_c.h"
using Waves = VerilatedFstC;
#elif VM_TRACE
#include "verilated_vcd_c.h"
using Waves = VerilatedVcdC;
#endif

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "signals are read as bytes, lowest first");

namespace {

// A port of the model: where its bits lie, the lowest first.
struct Port {
    void* at;
    std::size_t bytes;
};

template <typename Signal>
Port port(Signal& signal) {
    return {&signal, sizeof signal};
}

struct Alarm {
    char kind;
    unsigned node;
};

// The ports of noc_bench, in the order of the streams.
struct Ports {
    // One bit for each stream, GROUP of them in a port: what has been transferred in this cycle, what
    // sources will offer in the next one, and which sinks will be ready then.
    std::vector<Port> fired, offer, take;
    // The payload of each stream, and what each source will offer.
    std::vector<Port> payload, word;
    // The nodes of the sources, and those of the sinks.
    std::vector<unsigned> senders, takers;
    // The alarms of nodes, by the first letter of dropped, mismatch, late, absent, corrupt: the last ones.
    std::vector<Alarm> alarm;
    // Whether the network is empty, if it has such an output.
    const CData* idle = nullptr;
    // Whether phases move on in this cycle, if they do not always.
    const CData* moves = nullptr;
};

}  // namespace

// The constants of this network, NODES, STREAMS, PAYLOAD_WORDS, GROUP and RESET_CYCLES, and connect().
#include "noc_bench.h"

namespace {

[[noreturn]] void fail(const std::string& text) {
    std::fprintf(stderr, "%%Error: %s\n", text.c_str());
    std::_Exit(1);
}

std::uint64_t load(const Port& port) {
    std::uint64_t value = 0;
    std::memcpy(&value, port.at, port.bytes);
    return value;
}

void store(const Port& port, std::uint64_t value) { std::memcpy(port.at, &value, port.bytes); }

class Network {
public:
    // With waveforms in a file, where the model was compiled for them.
    explicit Network(const char* waves = nullptr) {
        // Registers begin with any value, the same in every simulation.
        m_context->randReset(2);
        m_context->randSeed(1);
        m_context->traceEverOn(waves != nullptr);
        m_top.reset(new Vtop{m_context.get(), ""});
        connect(*m_top, m_ports);
#if VM_TRACE
        if (waves) {
            m_waves.reset(new Waves);
            m_top->trace(m_waves.get(), 99);
            m_waves->open(waves);
        }
#else
        (void)waves;
#endif
    }

    const Ports& ports() const { return m_ports; }

    // Reset before a run, whose number the Verilog sees.
    void reset(unsigned run) {
        m_top->run = run;
        m_top->reset = 1;
        for (unsigned cycle = 0; cycle < RESET_CYCLES; ++cycle) edge();
        m_top->reset = 0;
    }

    // Registers of noc_bench take the inputs, so that one evaluation a cycle is enough.
    void edge() {
        set_clock(1);
        set_clock(0);
        if (!m_context->gotFinish()) return;
#if VM_TRACE
        m_waves.reset();
#endif
        fail("the Verilog ends the simulation");
    }

    // Call note(stream) for each stream by which a word is transferred in this cycle.
    template <typename Note>
    void each_fired(Note note) const {
        for (std::size_t group = 0; group < m_ports.fired.size(); ++group) {
            for (std::uint64_t fired = load(m_ports.fired[group]); fired; fired &= fired - 1)
                note(GROUP * group + __builtin_ctzll(fired));
        }
    }

private:
    void set_clock(CData level) {
        m_top->clk = level;
        m_top->eval();
#if VM_TRACE
        if (m_waves) m_waves->dump(m_context->time());
        m_context->timeInc(HALF_PERIOD);
#endif
    }

    // In picoseconds.
    static constexpr unsigned HALF_PERIOD = 5000;

    const std::unique_ptr<VerilatedContext> m_context{new VerilatedContext};
    std::unique_ptr<Vtop> m_top;
#if VM_TRACE
    std::unique_ptr<Waves> m_waves;
#endif
    Ports m_ports;
};

}  // namespace
