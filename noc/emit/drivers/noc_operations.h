typedef struct noc_node noc_node;

/* A node: where its registers are, and who gets words that come while others are waited for, which
 * are lost without. `own` is the caller's. */
struct noc_node {
    uintptr_t base;
    void (*other)(noc_node *node, const noc_word *word);
    void *own;
};

/* ACCESS */

/* What goes with words that are given from now on. */
static inline void noc_set_head(noc_node *node, uint32_t operation, uint32_t to, uint32_t last) {
    NOC_WRITE(node->base + NOC_GIVE_HEAD, to << NOC_GIVE_HEAD_NODE_SHIFT |
                                              operation << NOC_GIVE_HEAD_OPERATION_SHIFT |
                                              last << NOC_GIVE_HEAD_LAST_SHIFT);
}

/* Whether a word is a result of an operation; words that are not go to `other`. */
static inline int noc_is_result(noc_node *node, const noc_word *word, uint32_t operation) {
    if (word->operation == operation) return 1;
    if (node->other) node->other(node, word);
    return 0;
}

/* A message of `count` words for the node `to`, for operations that name one. */
static inline void NOC_Send(noc_node *node, uint32_t operation, const uint32_t *data,
                            uint32_t count, uint32_t to) {
    for (uint32_t number = 0; number < count; ++number) {
        /* With room, the word that was given before is in the queue with its head. */
        noc_set_head(node, operation, to, number + 1 == count);
        while (!noc_give(node, data + number * NOC_DATA_WORDS)) {
            noc_word word;
            /* A network that waits for this node to take words may take none from it. */
            if (noc_take(node, &word) && node->other) node->other(node, &word);
        }
    }
}

/* A message of `count` words for all nodes. */
static inline void NOC_Bcast(noc_node *node, uint32_t operation, const uint32_t *data,
                             uint32_t count) {
    NOC_Send(node, operation, data, count, 0);
}

/* The next word, whatever it is. */
static inline void NOC_Recv(noc_node *node, noc_word *word) {
    while (!noc_take(node, word)) {
    }
}

/* All members of the group give `count` words each, and get as many results. */
static inline void NOC_Allreduce(noc_node *node, uint32_t operation, const uint32_t *data,
                                 uint32_t *result, uint32_t count) {
    noc_word word;
    for (uint32_t given = 0, got = 0; got < count;) {
        if (given < count && noc_room(node)) {
            noc_set_head(node, operation, 0, given + 1 == count);
            noc_give(node, data + given++ * NOC_DATA_WORDS);
        }
        if (!noc_take(node, &word) || !noc_is_result(node, &word, operation)) continue;
        for (unsigned place = 0; place < NOC_DATA_WORDS; ++place)
            result[got * NOC_DATA_WORDS + place] = word.data[place];
        ++got;
    }
}

/* Wait until all members of the group have come here. */
static inline void NOC_Barrier(noc_node *node, uint32_t operation) {
    const uint32_t none[NOC_DATA_WORDS] = {0};
    uint32_t ignored[NOC_DATA_WORDS];
    NOC_Allreduce(node, operation, none, ignored, 1);
}
