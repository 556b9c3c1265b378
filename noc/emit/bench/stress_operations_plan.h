// What stress.py asks for of a network with operations, as it writes it.

#pragma once

#include "stress_common.h"

#include <map>

namespace {

// Where a field lies in a payload; one of no bits is not there.
struct Field {
    unsigned first = 0, bits = 0;
};

struct Operation {
    std::string name, combine;
    // Whether words of the group's members become one, and whether words name the node they are for.
    bool joined = false, to_node = false;
    unsigned group = 0;

    bool has_data() const { return !joined || combine != "-"; }
};

// A word that is alone: a giver's, or one of each member; for a node, where it names one.
struct Lone {
    unsigned operation;
    int giver;
    unsigned node;
};

// A member that gives nothing while the others of its group have given all that may wait for it.
struct Absent {
    unsigned group, node;
};

struct Plan {
    Count seed = 0;
    // So many words a node can give to a group before the others have given theirs.
    unsigned group_queue = 1;
    bool returned = false;
    std::map<std::string, Field> inject, eject;
    std::vector<std::string> labels;
    std::vector<std::vector<unsigned>> groups;
    std::vector<Operation> operations;
    // Cycles from each node to the root and from it; and from the members of each group to it.
    std::vector<int> up, down, joined;
    std::vector<Lone> lone;
    std::vector<Absent> absent;
    std::vector<Round> rounds;

    Field in(const std::string& name) const { return find(inject, name); }
    Field out(const std::string& name) const { return find(eject, name); }

    bool is_member(unsigned node, unsigned group) const {
        const auto& members = groups[group];
        return std::find(members.begin(), members.end(), node) != members.end();
    }

private:
    static Field find(const std::map<std::string, Field>& fields, const std::string& name) {
        const auto found = fields.find(name);
        return found == fields.end() ? Field{} : found->second;
    }
};

void read_line(const std::string& key, std::istream& line, Plan& plan) {
    std::string text;
    Field field;
    if (key == "seed") {
        line >> plan.seed;
    } else if (key == "group_queue") {
        line >> plan.group_queue;
    } else if (key == "returned") {
        line >> plan.returned;
    } else if (key == "inject" || key == "eject") {
        line >> text >> field.first >> field.bits;
        (key == "inject" ? plan.inject : plan.eject)[text] = field;
    } else if (key == "node") {
        plan.up.emplace_back();
        plan.down.emplace_back();
        line >> plan.up.back() >> plan.down.back() >> std::ws;
        std::getline(line, text);
        plan.labels.push_back(text);
    } else if (key == "group") {
        plan.joined.emplace_back();
        line >> plan.joined.back();
        plan.groups.emplace_back();
        for (unsigned node; line >> node;) plan.groups.back().push_back(node);
    } else if (key == "operation") {
        Operation operation;
        line >> operation.name >> operation.joined >> operation.to_node >> operation.combine >>
            operation.group;
        plan.operations.push_back(operation);
    } else if (key == "lone") {
        Lone lone{};
        line >> lone.operation >> lone.giver >> lone.node;
        plan.lone.push_back(lone);
    } else if (key == "absent") {
        Absent absent{};
        line >> absent.group >> absent.node;
        plan.absent.push_back(absent);
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
