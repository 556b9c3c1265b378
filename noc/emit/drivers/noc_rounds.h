/* A node: where its registers are, and its number, from 0 on, in the order of manifest.json. */
typedef struct {
    uintptr_t base;
    uint32_t number;
} noc_node;

/* ACCESS */

/* Where the caller has a word: for or from a node, or of a sum, with some number, in a round. It is
 * at number * numbers + round * rounds; words from `end` on are void. */
typedef struct {
    uint32_t numbers, rounds, end;
} noc_layout;

/* Give the next word of this node, of a round, if there is room; whether there was. */
static inline int noc_give_next(noc_node *node, uint32_t place, uint32_t round,
                                const uint32_t *data, noc_layout from) {
    static const uint32_t none[NOC_DATA_WORDS] = {0};
    const uint32_t at = noc_gives[place].number * from.numbers + round * from.rounds;
    if (!noc_room(node)) return 0;
    NOC_WRITE(node->base + NOC_GIVE_HEAD, (uint32_t)noc_gives[place].stream
                                              << NOC_GIVE_HEAD_STREAM_SHIFT);
    return noc_give(node, at < from.end ? data + at * NOC_DATA_WORDS : none);
}

static inline void noc_copy(uint32_t *to, const uint32_t *from, uint32_t words) {
    for (uint32_t place = 0; place < words * NOC_DATA_WORDS; ++place) to[place] = from[place];
}

/* Take part in some rounds: give all words of this node, and take all that are for it. */
static inline void noc_exchange(noc_node *node, const uint32_t *data, noc_layout from,
                                uint32_t *result, noc_layout to, uint32_t rounds) {
    const uint32_t first = noc_first[node->number], behind = noc_first[node->number + 1];
    uint32_t place = first, gives = first == behind ? rounds : 0;
    uint32_t takes = noc_takes[node->number] ? 0 : rounds;
    while (gives < rounds || takes < rounds) {
        noc_word word;
        if (gives < rounds && noc_give_next(node, place, gives, data, from) && ++place == behind) {
            place = first;
            ++gives;
        }
        if (takes < rounds && noc_take(node, &word)) {
            const uint32_t at = word.source * to.numbers + takes * to.rounds;
            if (at < to.end) noc_copy(result + at * NOC_DATA_WORDS, word.data, 1);
            takes += word.last;
        }
    }
}

#if defined(NOC_ALL_GATHER)
/* All nodes get the `count` words of each, those of the first node first. */
static inline void NOC_Allgather(noc_node *node, const uint32_t *data, uint32_t *result,
                                 uint32_t count) {
    const noc_layout from = {0, 1, count}, to = {count, 1, NOC_NODES * count};
    noc_exchange(node, data, from, result, to, count);
    noc_copy(result + node->number * count * NOC_DATA_WORDS, data, count);
}
#elif defined(NOC_GATHER)
/* The root gets the `count` words of each node, those of the first one first. */
static inline void NOC_Gather(noc_node *node, const uint32_t *data, uint32_t *result,
                              uint32_t count) {
    const noc_layout from = {0, 1, count}, to = {count, 1, NOC_NODES * count};
    noc_exchange(node, data, from, result, to, count);
    if (node->number == NOC_ROOT)
        noc_copy(result + NOC_ROOT * count * NOC_DATA_WORDS, data, count);
}
#elif defined(NOC_SCATTER)
/* Each node gets `count` words of the root, which has those for the first node first. */
static inline void NOC_Scatter(noc_node *node, const uint32_t *data, uint32_t *result,
                               uint32_t count) {
    const noc_layout from = {count, 1, NOC_NODES * count}, to = {0, 1, count};
    noc_exchange(node, data, from, result, to, count);
    if (node->number == NOC_ROOT)
        noc_copy(result, data + NOC_ROOT * count * NOC_DATA_WORDS, count);
}
#elif defined(NOC_REDUCE_SCATTER)
/* Of `count` words for each node, those for the first one first, each node gets the sums of all
 * that are for it. */
static inline void NOC_Reduce_scatter_block(noc_node *node, const uint32_t *data, uint32_t *result,
                                            uint32_t count) {
    const noc_layout from = {count, 1, NOC_NODES * count}, to = {0, 1, count};
    noc_exchange(node, data, from, result, to, count);
}
#elif defined(NOC_ALL_REDUCE)
/* All nodes give `count` words each, and get as many sums. */
static inline void NOC_Allreduce(noc_node *node, const uint32_t *data, uint32_t *result,
                                 uint32_t count) {
    const noc_layout both = {1, NOC_SUMS, count};
    noc_exchange(node, data, both, result, both, (count + NOC_SUMS - 1) / NOC_SUMS);
}
#else
/* Each node has `count` words for each, those for the first one first, and gets as many of each; if
 * the network has a list of who has words for whom, words of others are not looked at. */
static inline void NOC_Alltoall(noc_node *node, const uint32_t *data, uint32_t *result,
                                uint32_t count) {
    const noc_layout both = {count, 1, NOC_NODES * count};
    const uint32_t own = node->number * count * NOC_DATA_WORDS;
    noc_exchange(node, data, both, result, both, count);
    noc_copy(result + own, data + own, count);
}
#endif

#ifdef NOC_BARRIER
/* Wait until all nodes have come here: a round of void words. */
static inline void NOC_Barrier(noc_node *node) {
    const noc_layout none = {0, 0, 0};
    noc_exchange(node, 0, none, 0, none, 1);
}
#endif
