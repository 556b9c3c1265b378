// What stress.py asks for, as it writes it.

#pragma once

#include "harness.h"

#include <algorithm>
#include <fstream>
#include <sstream>

namespace {

using Count = std::uint64_t;

// Where a field lies in a payload; one of no bits is not there.
struct Field {
    unsigned first = 0, bits = 0;
};

struct Fields {
    Field data, source, operation, node, last, phase, sum, end_of_round;
};

struct Operation {
    std::string name, combine;
    // Whether words of the group's members become one, and whether words name the node they are for.
    bool joined = false, to_node = false;
    unsigned group = 0;

    bool has_data() const { return !joined || combine != "-"; }
};

struct Group {
    std::vector<unsigned> members;
    // Of each node whether it is one.
    std::vector<bool> has = std::vector<bool>(NODES);
};

// A word as a node gives it: of which operation, whose, for which node.
struct Address {
    unsigned operation = 0, giver = 0, node = 0;
};

// A word that is alone, or one of each member, and its cycles to each node that gets it.
struct Lone {
    Address address;
    std::vector<int> cycles;
};

// A member that gives nothing while the others of its group have given all that may wait for it.
struct Absent {
    unsigned group, node;
};

// Load and stall are chances in 65536ths; a sink stays as it is for `hold` cycles; something surely
// moves within `patience` cycles.
struct Round {
    unsigned load, stall, hold;
    Count words, patience;
};

// For whom the word is that a stream takes in a phase of a round, and after how many cycles it comes.
struct Target {
    int node = -1;
    Count cycles = 0;
};

// Into which sum a word goes that a stream takes in a phase of a round, or which sum comes; and how
// many rounds ago that began. Without one the number is -1.
struct Part {
    int sum = -1;
    Count after = 0;
};

struct Plan {
    Count seed = 0;
    // Words that a node can give to a group before the others have given theirs.
    unsigned group_queue = 1;
    // Whether nodes get their own words back, one source sends at a time, nodes have queues, and all
    // nodes get words in one order.
    bool returned = false, turns = false, queued = false, ordered = true;
    // Cycles after which a sink that is not ready is given up; 0 for never.
    unsigned sink_timeout = 0;
    // Whether a round has the words of all nodes, or none: the turns of a stream say then what its words
    // are for, in place of the phases in which they are taken.
    bool complete = false;
    Fields eject;
    std::vector<Fields> inject = std::vector<Fields>(NODES);
    std::vector<std::string> labels;
    // By inject stream and phase, where these say for whom words are.
    std::vector<std::vector<Target>> targets;
    // By eject stream and phase whose word comes, where words carry the phase.
    std::vector<std::vector<int>> sources;
    // By eject stream, where a node has one for all: the sources, or sums, of a round in their order.
    std::vector<std::vector<unsigned>> orders;
    // Where words are added up: how many sums a round has, by what, and by inject stream and by eject
    // stream what each phase is for; and the node of each eject stream.
    unsigned sums = 0;
    std::string combine;
    std::vector<std::vector<Part>> given, came;
    std::vector<unsigned> takers;
    std::vector<Group> groups;
    std::vector<Operation> operations;
    std::vector<Lone> lone;
    std::vector<Absent> absent;
    std::vector<Round> rounds;

    bool is_member(unsigned node, unsigned operation) const {
        return groups[operations[operation].group].has[node];
    }

    // Whether a node gets a word, or the result of words.
    bool gets(unsigned node, const Address& word) const {
        const Operation& operation = operations[word.operation];
        if (operation.to_node) return node == word.node;
        return groups[operation.group].has[node] &&
               (operation.joined || returned || node != word.giver);
    }

    // Whether something beside the data says who sent a word.
    bool told() const { return turns || eject.source.bits || !sources.empty() || sums; }

    // The cycles of a round in which words are added up.
    Count length() const { return came[0].size(); }

    // How many words an inject stream gives in a round, where that has the words of all.
    Count words_of(std::size_t stream) const {
        return sums ? given[stream].size() : targets.empty() ? 1 : targets[stream].size();
    }

    // So many senders can be told apart by what their words hold.
    Count most_senders() const { return Count{1} << std::min(eject.data.bits, 32u); }
};

Fields read_fields(std::istream& line) {
    Fields fields;
    for (Field* const field : {&fields.data, &fields.source, &fields.operation, &fields.node,
                               &fields.last, &fields.phase, &fields.sum, &fields.end_of_round})
        line >> field->first >> field->bits;
    return fields;
}

std::vector<Target> read_targets(std::istream& line) {
    std::vector<Target> targets;
    for (Target each; line >> each.node >> each.cycles;) targets.push_back(each);
    return targets;
}

std::vector<Part> read_parts(std::istream& line) {
    std::vector<Part> parts;
    for (Part each; line >> each.sum >> each.after;) parts.push_back(each);
    return parts;
}

Lone read_lone(std::istream& line) {
    Lone lone{};
    Address& word = lone.address;
    line >> word.operation >> word.giver >> word.node;
    for (int cycles; line >> cycles;) lone.cycles.push_back(cycles);
    return lone;
}

Group read_group(std::istream& line) {
    Group group;
    for (unsigned node; line >> node;) {
        group.members.push_back(node);
        group.has[node] = true;
    }
    return group;
}

void read_line(const std::string& key, std::istream& line, Plan& plan) {
    if (key == "facts") {
        line >> plan.seed >> plan.group_queue >> plan.returned >> plan.turns >> plan.queued >>
            plan.ordered >> plan.sink_timeout >> plan.complete;
    } else if (key == "node") {
        plan.labels.emplace_back();
        std::getline(line >> std::ws, plan.labels.back());
    } else if (key == "inject") {
        unsigned node = 0;
        line >> node;
        plan.inject[node] = read_fields(line);
    } else if (key == "eject") {
        plan.eject = read_fields(line);
    } else if (key == "targets") {
        plan.targets.push_back(read_targets(line));
    } else if (key == "sources") {
        plan.sources.emplace_back();
        for (int source; line >> source;) plan.sources.back().push_back(source);
    } else if (key == "order") {
        plan.orders.emplace_back();
        for (unsigned number; line >> number;) plan.orders.back().push_back(number);
    } else if (key == "sums") {
        line >> plan.sums >> plan.combine;
    } else if (key == "given") {
        plan.given.push_back(read_parts(line));
    } else if (key == "came") {
        plan.takers.emplace_back();
        line >> plan.takers.back();
        plan.came.push_back(read_parts(line));
    } else if (key == "group") {
        plan.groups.push_back(read_group(line));
    } else if (key == "operation") {
        Operation each;
        line >> each.name >> each.joined >> each.to_node >> each.combine >> each.group;
        plan.operations.push_back(each);
    } else if (key == "lone") {
        plan.lone.push_back(read_lone(line));
    } else if (key == "absent") {
        Absent absent{};
        line >> absent.group >> absent.node;
        plan.absent.push_back(absent);
    } else if (key == "round") {
        Round round{};
        line >> round.load >> round.stall >> round.hold >> round.words >> round.patience;
        plan.rounds.push_back(round);
    }
}

Plan read_plan(const std::string& name) {
    Plan plan;
    std::ifstream file{name};
    std::string key;
    for (std::string text; std::getline(file, text);) {
        std::istringstream line{text};
        line >> key;
        read_line(key, line, plan);
    }
    if (plan.rounds.empty()) fail(name + " cannot be read");
    return plan;
}

}  // namespace
