/* What the CPU of litex_soc.py runs: sums with the processing elements, and a report. */

#include <stddef.h>
#include <generated/csr.h>
#include <generated/soc.h>
#include <irq.h>
#include NOC_HEADER

/* How many numbers one message has, and how many messages there are. */
enum { WORDS = 4, MESSAGES = 25 };

static unsigned interrupts;

/* The trap handler of crt0.S calls it: a word waits, and whoever waited for it takes it. */
void isr(void);
void isr(void) {
    NOC_WRITE(CPU_NODE_BASE + NOC_INTERRUPT_ENABLE, 0);
    ++interrupts;
}

static void write_text(const char *text) {
    for (; *text; ++text) {
        while (uart_txfull_read()) {
        }
        uart_rxtx_write((uint8_t)*text);
    }
}

static void write_number(unsigned number) {
    char digits[12];
    char *first = digits + sizeof digits - 1;
    *first = 0;
    do *--first = (char)('0' + number % 10);
    while (number /= 10);
    write_text(first);
}

/* One more sum, whose result an interrupt tells of; whether it is right. */
static int add_by_interrupt(noc_node *node, uint32_t number, uint32_t factors) {
    noc_word result;
    noc_set_head(node, NOC_OP_BROADCAST, 0, 1);
    noc_give(node, &number);
    noc_set_head(node, NOC_OP_ALL_REDUCE_SUM, 0, 1);
    noc_give(node, &number);
    irq_setmask(1 << CPU_NODE_INTERRUPT);
    irq_setie(1);
    NOC_WRITE(node->base + NOC_INTERRUPT_ENABLE, NOC_INTERRUPT_TAKE_MASK);
    while (!*(volatile unsigned *)&interrupts) {
    }
    irq_setie(0);
    return noc_take(node, &result) && result.data[0] == number * factors && interrupts == 1;
}

int main(void) {
    noc_node node = {CPU_NODE_BASE, NULL, NULL};
    unsigned wrong = NOC_READ(node.base + NOC_ID) != 0x4E4F4301;
    /* Nodes are numbered from 1, and the CPU's is the first. */
    const unsigned factors = NOC_NODES * (NOC_NODES + 1) / 2;
    unsigned number = 1;
    for (unsigned message = 0; message < MESSAGES; ++message) {
        uint32_t numbers[WORDS], sums[WORDS];
        for (unsigned place = 0; place < WORDS; ++place) numbers[place] = number *= 1103515245;
        NOC_Bcast(&node, NOC_OP_BROADCAST, numbers, WORDS);
        NOC_Allreduce(&node, NOC_OP_ALL_REDUCE_SUM, numbers, sums, WORDS);
        for (unsigned place = 0; place < WORDS; ++place)
            wrong += sums[place] != numbers[place] * factors;
    }
    wrong += !add_by_interrupt(&node, number, factors);
    wrong += noc_alarms(&node) != 0;
    write_number(MESSAGES * WORDS + 1);
    write_text(" sums over ");
    write_number(NOC_NODES);
    write_text(" nodes, ");
    write_number(wrong);
    write_text(" wrong\n\x04");
    for (;;) {
    }
}
