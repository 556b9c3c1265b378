// What stress.py asks for, as it writes it.

#pragma once

#include "stress_common.h"

namespace {

// The words of one source that take one of its trees.
struct Flow {
    unsigned node, tree;
    // Where the data lie in what is injected, above the number of the tree.
    unsigned first;
};

// A flow of which a word travels alone, and its cycles to each node; -1 where it does not come.
struct Lone {
    std::size_t flow;
    std::vector<int> cycles;
};

struct Plan {
    Count seed = 0;
    // Where data and the number of the source lie in what is ejected.
    unsigned data_first = 0, data_bits = 0, source_first = 0, source_bits = 0;
    // Whether the fabric is the ordered one, nodes get their own words back, sources take turns,
    // and nodes have queues.
    bool ordered = false, returned = false, turns = false, queued = false;
    std::vector<std::string> labels;
    std::vector<Flow> flows;
    std::vector<Lone> lone;
    std::vector<Round> rounds;

    // Whether a node gets the words of a flow.
    bool gets(unsigned node, std::size_t flow) const {
        return returned || flows[flow].node != node;
    }
    unsigned receivers() const { return NODES - !returned; }
};

Lone read_lone(std::istream& line) {
    Lone lone{};
    line >> lone.flow;
    for (int cycles; line >> cycles;) lone.cycles.push_back(cycles);
    return lone;
}

void read_line(const std::string& key, std::istream& line, Plan& plan) {
    Flow flow{};
    std::string label;
    if (key == "seed") {
        line >> plan.seed;
    } else if (key == "data") {
        line >> plan.data_first >> plan.data_bits;
    } else if (key == "source") {
        line >> plan.source_first >> plan.source_bits;
    } else if (key == "facts") {
        line >> plan.ordered >> plan.returned >> plan.turns >> plan.queued;
    } else if (key == "label") {
        std::getline(line >> std::ws, label);
        plan.labels.push_back(label);
    } else if (key == "flow") {
        line >> flow.node >> flow.tree >> flow.first;
        plan.flows.push_back(flow);
    } else if (key == "lone") {
        plan.lone.push_back(read_lone(line));
    } else if (key == "round") {
        plan.rounds.push_back(read_round(line));
    }
}

Plan read_plan(const std::string& name) {
    Plan plan;
    read_lines(name, [&](const std::string& key, std::istream& line) { read_line(key, line, plan); });
    if (plan.rounds.empty()) fail(name + " cannot be read");
    return plan;
}

}  // namespace
