static inline uint32_t noc_get(const noc_node *node, unsigned reg, unsigned shift, uint32_t mask) {
    return NOC_READ(node->base + reg) >> shift & mask;
}

#define NOC_GET(node, reg, field) \
    noc_get(node, NOC_##reg, NOC_##reg##_##field##_SHIFT, NOC_##reg##_##field##_MASK)

/* How many words may be given, and how many wait. */
static inline uint32_t noc_room(const noc_node *node) { return NOC_GET(node, STATUS, ROOM); }
static inline uint32_t noc_waiting(const noc_node *node) { return NOC_GET(node, STATUS, WAITING); }

/* Give a word, if there is room; whether there was. */
static inline int noc_give(noc_node *node, const uint32_t *data) {
    if (!noc_room(node)) return 0;
    for (unsigned place = 0; place < NOC_DATA_WORDS; ++place)
        NOC_WRITE(node->base + NOC_GIVE_DATA + 4 * place, data[place]);
    return 1;
}

/* Take a word, if one waits; whether one did. */
static inline int noc_take(noc_node *node, noc_word *word) {
    if (!noc_waiting(node)) return 0;
    const uint32_t head = NOC_READ(node->base + NOC_TAKE_HEAD);
    word->source = head >> NOC_TAKE_HEAD_SOURCE_SHIFT & NOC_TAKE_HEAD_SOURCE_MASK;
    word->operation = head >> NOC_TAKE_HEAD_OPERATION_SHIFT & NOC_TAKE_HEAD_OPERATION_MASK;
    word->last = head >> NOC_TAKE_HEAD_LAST_SHIFT & NOC_TAKE_HEAD_LAST_MASK;
    for (unsigned place = 0; place < NOC_DATA_WORDS; ++place)
        word->data[place] = NOC_READ(node->base + NOC_TAKE_DATA + 4 * place);
    return 1;
}

/* What has happened, by the bits NOC_ALARM_…; it is forgotten then. */
static inline uint32_t noc_alarms(noc_node *node) {
    const uint32_t alarms = NOC_READ(node->base + NOC_ALARM);
    NOC_WRITE(node->base + NOC_ALARM, alarms);
    return alarms;
}
