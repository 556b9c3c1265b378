// What is at each node. This is the part to fill in.
//
// A word is given in each cycle in which inject_valid and inject_ready are both 1; once valid is 1, it
// stays, with the same word, until then. By each of the eject streams, stream 0 in the lowest bits, a
// word comes in each cycle in which its bit of eject_valid is 1, and has to be taken in that cycle.
// hardware/element.py says what the parameters are, and how to know whose word comes.
//
// This one gives four numbers, one in each round of the network, and adds up the data that come.
module processing_element #(
  parameter WIDTH = 32,              // bits of data
  parameter STREAMS = 1,             // eject streams
  parameter [WIDTH-1:0] FIRST = 0,   // the first number that it gives
  parameter AWAITS = 0               // words that come
) (
  input clk,
  input rst,  // synchronous; also at power-on
  input start,
  output reg [WIDTH-1:0] total,
  output done,

  output inject_valid,
  input inject_ready,
  output [WIDTH-1:0] inject_data,

  input [STREAMS-1:0] eject_valid,
  input [STREAMS*WIDTH-1:0] eject_data
);
  localparam COUNT_BITS = $clog2(AWAITS + 2);
  localparam [COUNT_BITS-1:0] EVERY = AWAITS;

  reg [2:0] given;
  reg [COUNT_BITS-1:0] came;

  assign inject_valid = given != 4;
  assign inject_data = FIRST + given;
  assign done = !inject_valid && came == EVERY;

  // The words of one cycle, and how many there are.
  reg [WIDTH-1:0] sum;
  reg [COUNT_BITS-1:0] count;
  integer stream;

  always @* begin
    sum = 0;
    count = 0;
    for (stream = 0; stream < STREAMS; stream = stream + 1)
      if (eject_valid[stream]) begin
        sum = sum + eject_data[stream*WIDTH +: WIDTH];
        count = count + 1;
      end
  end

  always @(posedge clk) begin
    if (start) begin
      given <= 0;
      came <= 0;
      total <= 0;
    end else begin
      if (inject_valid && inject_ready) given <= given + 1;
      came <= came + count;
      total <= total + sum;
    end
    if (rst) begin
      given <= 4;
      came <= EVERY;
    end
  end
endmodule
