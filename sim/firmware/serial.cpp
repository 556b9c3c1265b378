// Runs the SoC of litex_soc.py, and shows what comes on its serial line until the byte 4.

#include "Vtop.h"
#include <cstdio>
#include <cstdlib>

int main(int count, char** arguments) {
    if (count != 2) return std::fputs("the most cycles are needed\n", stderr), 2;
    const unsigned long most = std::strtoul(arguments[1], nullptr, 10);
    Vtop soc;
    soc.serial_source_ready = 1;
    for (unsigned long cycle = 0; cycle < most; ++cycle) {
        soc.sys_rst = cycle < 2;
        soc.sys_clk = 0, soc.eval();
        const bool valid = soc.serial_source_valid;
        const char byte = soc.serial_source_data;
        soc.sys_clk = 1, soc.eval();
        if (!valid) continue;
        if (byte == 4) return std::printf("%lu cycles\n", cycle), 0;
        std::putchar(byte);
    }
    std::fprintf(stderr, "no end within %lu cycles\n", most);
    return 1;
}
