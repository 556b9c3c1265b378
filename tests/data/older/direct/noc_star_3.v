module noc_star_3 (
  input clk,
  input rst,
  input [7:0] inject_123__payload,
  input inject_123__valid,
  output inject_123__ready,
  output [7:0] eject_123__payload,
  output eject_123__valid,
  input eject_123__ready,
  input [7:0] inject_132__payload,
  input inject_132__valid,
  output inject_132__ready,
  output [7:0] eject_132__payload,
  output eject_132__valid,
  input eject_132__ready,
  input [7:0] inject_213__payload,
  input inject_213__valid,
  output inject_213__ready,
  output [7:0] eject_213__payload,
  output eject_213__valid,
  input eject_213__ready,
  input [7:0] inject_231__payload,
  input inject_231__valid,
  output inject_231__ready,
  output [7:0] eject_231__payload,
  output eject_231__valid,
  input eject_231__ready,
  input [7:0] inject_312__payload,
  input inject_312__valid,
  output inject_312__ready,
  output [7:0] eject_312__payload,
  output eject_312__valid,
  input eject_312__ready,
  input [7:0] inject_321__payload,
  input inject_321__valid,
  output inject_321__ready,
  output [7:0] eject_321__payload,
  output eject_321__valid,
  input eject_321__ready,
  output idle
);
  // Which nodes hold words; registers, or few gates behind them.
  wire [5:0] busy;
  assign idle = ~|busy;
  wire [9:0] link_123_0__payload;
  wire link_123_0__valid;
  wire link_123_0__ready;
  wire [9:0] link_123_1__payload;
  wire link_123_1__valid;
  wire link_123_1__ready;
  wire [9:0] link_132_0__payload;
  wire link_132_0__valid;
  wire link_132_0__ready;
  wire [9:0] link_132_1__payload;
  wire link_132_1__valid;
  wire link_132_1__ready;
  wire [9:0] link_213_0__payload;
  wire link_213_0__valid;
  wire link_213_0__ready;
  wire [9:0] link_213_1__payload;
  wire link_213_1__valid;
  wire link_213_1__ready;
  wire [9:0] link_231_0__payload;
  wire link_231_0__valid;
  wire link_231_0__ready;
  wire [9:0] link_231_1__payload;
  wire link_231_1__valid;
  wire link_231_1__ready;
  wire [9:0] link_312_0__payload;
  wire link_312_0__valid;
  wire link_312_0__ready;
  wire [9:0] link_312_1__payload;
  wire link_312_1__valid;
  wire link_312_1__ready;
  wire [9:0] link_321_0__payload;
  wire link_321_0__valid;
  wire link_321_0__ready;
  wire [9:0] link_321_1__payload;
  wire link_321_1__valid;
  wire link_321_1__ready;

  // node 123
  noc_star_3_router node_123 (
    .clk(clk),
    .rst(rst),
    .in_0__payload(link_213_0__payload),
    .in_0__valid(link_213_0__valid),
    .in_0__ready(link_213_0__ready),
    .in_1__payload(link_321_1__payload),
    .in_1__valid(link_321_1__valid),
    .in_1__ready(link_321_1__ready),
    .out_0__payload(link_123_0__payload),
    .out_0__valid(link_123_0__valid),
    .out_0__ready(link_123_0__ready),
    .out_1__payload(link_123_1__payload),
    .out_1__valid(link_123_1__valid),
    .out_1__ready(link_123_1__ready),
    .inject__payload(inject_123__payload),
    .inject__valid(inject_123__valid),
    .inject__ready(inject_123__ready),
    .eject__payload(eject_123__payload),
    .eject__valid(eject_123__valid),
    .eject__ready(eject_123__ready),
    .busy(busy[0])
  );

  // node 132
  noc_star_3_router node_132 (
    .clk(clk),
    .rst(rst),
    .in_0__payload(link_312_0__payload),
    .in_0__valid(link_312_0__valid),
    .in_0__ready(link_312_0__ready),
    .in_1__payload(link_231_1__payload),
    .in_1__valid(link_231_1__valid),
    .in_1__ready(link_231_1__ready),
    .out_0__payload(link_132_0__payload),
    .out_0__valid(link_132_0__valid),
    .out_0__ready(link_132_0__ready),
    .out_1__payload(link_132_1__payload),
    .out_1__valid(link_132_1__valid),
    .out_1__ready(link_132_1__ready),
    .inject__payload(inject_132__payload),
    .inject__valid(inject_132__valid),
    .inject__ready(inject_132__ready),
    .eject__payload(eject_132__payload),
    .eject__valid(eject_132__valid),
    .eject__ready(eject_132__ready),
    .busy(busy[1])
  );

  // node 213
  noc_star_3_router node_213 (
    .clk(clk),
    .rst(rst),
    .in_0__payload(link_123_0__payload),
    .in_0__valid(link_123_0__valid),
    .in_0__ready(link_123_0__ready),
    .in_1__payload(link_312_1__payload),
    .in_1__valid(link_312_1__valid),
    .in_1__ready(link_312_1__ready),
    .out_0__payload(link_213_0__payload),
    .out_0__valid(link_213_0__valid),
    .out_0__ready(link_213_0__ready),
    .out_1__payload(link_213_1__payload),
    .out_1__valid(link_213_1__valid),
    .out_1__ready(link_213_1__ready),
    .inject__payload(inject_213__payload),
    .inject__valid(inject_213__valid),
    .inject__ready(inject_213__ready),
    .eject__payload(eject_213__payload),
    .eject__valid(eject_213__valid),
    .eject__ready(eject_213__ready),
    .busy(busy[2])
  );

  // node 231
  noc_star_3_router node_231 (
    .clk(clk),
    .rst(rst),
    .in_0__payload(link_321_0__payload),
    .in_0__valid(link_321_0__valid),
    .in_0__ready(link_321_0__ready),
    .in_1__payload(link_132_1__payload),
    .in_1__valid(link_132_1__valid),
    .in_1__ready(link_132_1__ready),
    .out_0__payload(link_231_0__payload),
    .out_0__valid(link_231_0__valid),
    .out_0__ready(link_231_0__ready),
    .out_1__payload(link_231_1__payload),
    .out_1__valid(link_231_1__valid),
    .out_1__ready(link_231_1__ready),
    .inject__payload(inject_231__payload),
    .inject__valid(inject_231__valid),
    .inject__ready(inject_231__ready),
    .eject__payload(eject_231__payload),
    .eject__valid(eject_231__valid),
    .eject__ready(eject_231__ready),
    .busy(busy[3])
  );

  // node 312
  noc_star_3_router node_312 (
    .clk(clk),
    .rst(rst),
    .in_0__payload(link_132_0__payload),
    .in_0__valid(link_132_0__valid),
    .in_0__ready(link_132_0__ready),
    .in_1__payload(link_213_1__payload),
    .in_1__valid(link_213_1__valid),
    .in_1__ready(link_213_1__ready),
    .out_0__payload(link_312_0__payload),
    .out_0__valid(link_312_0__valid),
    .out_0__ready(link_312_0__ready),
    .out_1__payload(link_312_1__payload),
    .out_1__valid(link_312_1__valid),
    .out_1__ready(link_312_1__ready),
    .inject__payload(inject_312__payload),
    .inject__valid(inject_312__valid),
    .inject__ready(inject_312__ready),
    .eject__payload(eject_312__payload),
    .eject__valid(eject_312__valid),
    .eject__ready(eject_312__ready),
    .busy(busy[4])
  );

  // node 321
  noc_star_3_router node_321 (
    .clk(clk),
    .rst(rst),
    .in_0__payload(link_231_0__payload),
    .in_0__valid(link_231_0__valid),
    .in_0__ready(link_231_0__ready),
    .in_1__payload(link_123_1__payload),
    .in_1__valid(link_123_1__valid),
    .in_1__ready(link_123_1__ready),
    .out_0__payload(link_321_0__payload),
    .out_0__valid(link_321_0__valid),
    .out_0__ready(link_321_0__ready),
    .out_1__payload(link_321_1__payload),
    .out_1__valid(link_321_1__valid),
    .out_1__ready(link_321_1__ready),
    .inject__payload(inject_321__payload),
    .inject__valid(inject_321__valid),
    .inject__ready(inject_321__ready),
    .eject__payload(eject_321__payload),
    .eject__valid(eject_321__valid),
    .eject__ready(eject_321__ready),
    .busy(busy[5])
  );
endmodule
