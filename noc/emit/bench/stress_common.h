// What the programs share that send random words: their numbers, their rounds, and bits of payloads.

#pragma once

#include "harness.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>

namespace {

using Count = std::uint64_t;

// Load and stall are chances in 65536ths; so many cycles a sink stays as it is; so many words; and
// so many cycles within which something surely moves.
struct Round {
    unsigned load, stall, hold;
    Count words, patience;
};

Round read_round(std::istream& line) {
    Round round{};
    line >> round.load >> round.stall >> round.hold >> round.words >> round.patience;
    return round;
}

// Call read(key, rest) for each line of a file.
template <typename Read>
void read_lines(const std::string& name, Read read) {
    std::ifstream file{name};
    std::string key;
    for (std::string text; std::getline(file, text);) {
        std::istringstream line{text};
        line >> key;
        read(key, line);
    }
}

// A payload, the lowest bits first, with room for what put() writes above it.
using Payload = std::array<std::uint32_t, PAYLOAD_WORDS + 1>;

void put(Payload& payload, unsigned first, std::uint32_t value) {
    const std::uint64_t moved = std::uint64_t{value} << first % 32;
    payload[first / 32] |= static_cast<std::uint32_t>(moved);
    payload[first / 32 + 1] |= static_cast<std::uint32_t>(moved >> 32);
}

std::uint32_t get(const Payload& payload, unsigned first, unsigned bits) {
    const std::uint64_t pair = payload[first / 32] | std::uint64_t{payload[first / 32 + 1]} << 32;
    return static_cast<std::uint32_t>(pair >> first % 32 & ((std::uint64_t{1} << bits) - 1));
}

std::uint64_t mix(std::uint64_t value) {
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
    value = (value ^ value >> 27) * 0x94d049bb133111eb;
    return value ^ value >> 31;
}

// Random numbers.
class Lots {
public:
    explicit Lots(std::uint64_t seed)
        : m_state{mix(seed + 1)} {}

    std::uint64_t draw() { return mix(m_state += 0x9e3779b97f4a7c15); }

    std::size_t below(std::size_t limit) { return draw() % limit; }

    // 64 bits, each of them 1 with a chance of so many 65536ths.
    std::uint64_t bits(unsigned chance) {
        if (chance >> 16) return ~std::uint64_t{0};
        std::uint64_t result = 0;
        // Each bit of the chance halves what the lower ones gave, and adds a half if it is 1.
        for (unsigned place = chance ? __builtin_ctz(chance) : 16; place < 16; ++place)
            result = chance >> place & 1 ? result | draw() : result & draw();
        return result;
    }

private:
    std::uint64_t m_state;
};

std::string digits(const Payload& payload) {
    std::string text;
    char part[9];
    for (std::size_t place = PAYLOAD_WORDS; place-- > 0;) {
        std::snprintf(part, sizeof part, "%08x", static_cast<unsigned>(payload[place]));
        text += part;
    }
    return "0x" + text;
}

// Let each sink be ready, but for a chance of so many 65536ths.
void stall_sinks(const Ports& ports, unsigned chance, Lots& lots) {
    std::size_t left = ports.takers.size();
    for (const Port& take : ports.take) {
        const std::uint64_t ready = ~lots.bits(chance);
        store(take, left < GROUP ? ready & ((std::uint64_t{1} << left) - 1) : ready);
        left -= std::min<std::size_t>(left, GROUP);
    }
}

}  // namespace
