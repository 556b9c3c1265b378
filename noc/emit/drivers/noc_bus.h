/* A node of a network behind a bus, for a CPU: registers and a driver.
 *
 * A word has NOC_DATA_WORDS times 32 bits of data, the lowest first. Functions whose names begin
 * with NOC_ wait, and noc_exchange; the others do not. Nothing here needs memory or an operating system.
 */

#ifndef NOC_BUS_H
#define NOC_BUS_H

#include <stdint.h>

/* CONSTANTS */

/* How registers are accessed; define both before this file is included to do it otherwise. */
#ifndef NOC_READ
#define NOC_READ(address) (*(volatile uint32_t *)(address))
#define NOC_WRITE(address, value) (*(volatile uint32_t *)(address) = (value))
#endif

typedef struct {
    uint32_t source, operation, last;
    uint32_t data[NOC_DATA_WORDS];
} noc_word;

/* DRIVER */

#endif
