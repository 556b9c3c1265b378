// What is at each node. This is the part to fill in.
//
// A word moves in each cycle in which valid and ready are both 1; once valid is 1, it stays, with the
// same word, until then. Fields that the network does not need are 0 at inputs, and left open at
// outputs. hardware/element.py says what the parameters are.
//
// This one gives a message of four numbers for each operation, and adds up the data that come.
module processing_element #(
  parameter WIDTH = 32,          // bits of data
  parameter NODE_BITS = 1,       // bits of the number of a node
  parameter OPERATION_BITS = 1,  // bits of the number of an operation
  parameter OPERATIONS = 1,      // the number of operations
  parameter [WIDTH-1:0] FIRST = 0,              // the first number that it gives
  parameter [OPERATIONS-1:0] GIVES = 0,         // for which operations this node gives words
  parameter [OPERATIONS-1:0] BARRIERS = 0,      // which operations have no data
  parameter [OPERATIONS*NODE_BITS-1:0] TO = 0,  // for each the node that words name
  parameter AWAITS = 0                          // words that come
) (
  input clk,
  input rst,  // synchronous; also at power-on
  input start,
  output reg [WIDTH-1:0] total,
  output done,

  output inject_valid,
  input inject_ready,
  output [WIDTH-1:0] inject_data,
  output [OPERATION_BITS-1:0] inject_operation,
  output inject_last,
  output [NODE_BITS-1:0] inject_node,

  input eject_valid,
  output eject_ready,
  input [WIDTH-1:0] eject_data,
  input [NODE_BITS-1:0] eject_source,
  input [OPERATION_BITS-1:0] eject_operation,
  input eject_last
);
  localparam PLACE_BITS = $clog2(OPERATIONS + 1);
  localparam COUNT_BITS = $clog2(AWAITS + 2);
  localparam [PLACE_BITS-1:0] ALL = OPERATIONS;
  localparam [COUNT_BITS-1:0] EVERY = AWAITS;

  reg [PLACE_BITS-1:0] operation;  // ALL when all is given
  reg [1:0] word;
  reg [COUNT_BITS-1:0] came;

  wire all_given = operation == ALL;
  wire gives = !all_given && GIVES[operation];
  assign done = all_given && came == EVERY;

  assign inject_valid = gives;
  assign inject_data = FIRST + {operation, word};
  assign inject_operation = operation;
  assign inject_last = word == 3;
  assign inject_node = TO[operation*NODE_BITS +: NODE_BITS];

  // Each word is taken as soon as it comes: an element never holds up the network.
  assign eject_ready = 1;

  always @(posedge clk) begin
    if (start) begin
      operation <= 0;
      word <= 0;
      came <= 0;
      total <= 0;
    end else begin
      if (!all_given && (inject_ready || !gives)) begin
        word <= gives ? word + 1 : 0;
        if (word == 3 || !gives) operation <= operation + 1;
      end
      if (eject_valid) begin
        came <= came + 1;
        total <= total + (BARRIERS[eject_operation] ? 1 : eject_data);
      end
    end
    if (rst) begin
      operation <= ALL;
      came <= EVERY;
    end
  end
endmodule
