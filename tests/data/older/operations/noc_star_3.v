module noc_star_3 (
  input clk,
  input rst,
  input [10:0] inject_123__payload,
  input inject_123__valid,
  output inject_123__ready,
  output [13:0] eject_123__payload,
  output eject_123__valid,
  input eject_123__ready,
  output dropped_123,
  output mismatch_123,
  input [10:0] inject_132__payload,
  input inject_132__valid,
  output inject_132__ready,
  output [13:0] eject_132__payload,
  output eject_132__valid,
  input eject_132__ready,
  output dropped_132,
  input [10:0] inject_213__payload,
  input inject_213__valid,
  output inject_213__ready,
  output [13:0] eject_213__payload,
  output eject_213__valid,
  input eject_213__ready,
  output dropped_213,
  output mismatch_213,
  input [10:0] inject_231__payload,
  input inject_231__valid,
  output inject_231__ready,
  output [13:0] eject_231__payload,
  output eject_231__valid,
  input eject_231__ready,
  output dropped_231,
  input [10:0] inject_312__payload,
  input inject_312__valid,
  output inject_312__ready,
  output [13:0] eject_312__payload,
  output eject_312__valid,
  input eject_312__ready,
  output dropped_312,
  output mismatch_312,
  input [10:0] inject_321__payload,
  input inject_321__valid,
  output inject_321__ready,
  output [13:0] eject_321__payload,
  output eject_321__valid,
  input eject_321__ready,
  output dropped_321,
  output mismatch_321
);
  wire [13:0] up_132__payload;
  wire up_132__valid;
  wire up_132__ready;
  wire [13:0] down_132__payload;
  wire down_132__valid;
  wire down_132__ready;
  wire [13:0] up_213__payload;
  wire up_213__valid;
  wire up_213__ready;
  wire [13:0] down_213__payload;
  wire down_213__valid;
  wire down_213__ready;
  wire [13:0] up_231__payload;
  wire up_231__valid;
  wire up_231__ready;
  wire [13:0] down_231__payload;
  wire down_231__valid;
  wire down_231__ready;
  wire [13:0] up_312__payload;
  wire up_312__valid;
  wire up_312__ready;
  wire [13:0] down_312__payload;
  wire down_312__valid;
  wire down_312__ready;
  wire [13:0] up_321__payload;
  wire up_321__valid;
  wire up_321__ready;
  wire [13:0] down_321__payload;
  wire down_321__valid;
  wire down_321__ready;
  wire [9:0] join_0_213__payload;
  wire join_0_213__valid;
  wire join_0_213__ready;
  wire [9:0] join_0_321__payload;
  wire join_0_321__valid;
  wire join_0_321__ready;
  wire [9:0] join_0_312__payload;
  wire join_0_312__valid;
  wire join_0_312__ready;
  wire [9:0] join_0_132__payload;
  wire join_0_132__valid;
  wire join_0_132__ready;
  wire [9:0] join_0_231__payload;
  wire join_0_231__valid;
  wire join_0_231__ready;

  // node 123
  noc_star_3_node_0 node_123 (
    .clk(clk),
    .rst(rst),
    .inject__payload(inject_123__payload),
    .inject__valid(inject_123__valid),
    .inject__ready(inject_123__ready),
    .number(3'd0),
    .up_in_0__payload(up_321__payload),
    .up_in_0__valid(up_321__valid),
    .up_in_0__ready(up_321__ready),
    .up_in_1__payload(up_213__payload),
    .up_in_1__valid(up_213__valid),
    .up_in_1__ready(up_213__ready),
    .join_0_in_0__payload(join_0_213__payload),
    .join_0_in_0__valid(join_0_213__valid),
    .join_0_in_0__ready(join_0_213__ready),
    .join_0_in_1__payload(join_0_321__payload),
    .join_0_in_1__valid(join_0_321__valid),
    .join_0_in_1__ready(join_0_321__ready),
    .down_out_0__payload(down_213__payload),
    .down_out_0__valid(down_213__valid),
    .down_out_0__ready(down_213__ready),
    .down_out_1__payload(down_321__payload),
    .down_out_1__valid(down_321__valid),
    .down_out_1__ready(down_321__ready),
    .eject__payload(eject_123__payload),
    .eject__valid(eject_123__valid),
    .eject__ready(eject_123__ready),
    .dropped(dropped_123),
    .mismatch(mismatch_123)
  );

  // node 132
  noc_star_3_node_1 node_132 (
    .clk(clk),
    .rst(rst),
    .inject__payload(inject_132__payload),
    .inject__valid(inject_132__valid),
    .inject__ready(inject_132__ready),
    .number(3'd1),
    .up_out__payload(up_132__payload),
    .up_out__valid(up_132__valid),
    .up_out__ready(up_132__ready),
    .join_0_out__payload(join_0_132__payload),
    .join_0_out__valid(join_0_132__valid),
    .join_0_out__ready(join_0_132__ready),
    .down_in__payload(down_132__payload),
    .down_in__valid(down_132__valid),
    .down_in__ready(down_132__ready),
    .eject__payload(eject_132__payload),
    .eject__valid(eject_132__valid),
    .eject__ready(eject_132__ready),
    .dropped(dropped_132)
  );

  // node 213
  noc_star_3_node_2 node_213 (
    .clk(clk),
    .rst(rst),
    .inject__payload(inject_213__payload),
    .inject__valid(inject_213__valid),
    .inject__ready(inject_213__ready),
    .number(3'd2),
    .up_in_0__payload(up_312__payload),
    .up_in_0__valid(up_312__valid),
    .up_in_0__ready(up_312__ready),
    .up_out__payload(up_213__payload),
    .up_out__valid(up_213__valid),
    .up_out__ready(up_213__ready),
    .join_0_in_0__payload(join_0_312__payload),
    .join_0_in_0__valid(join_0_312__valid),
    .join_0_in_0__ready(join_0_312__ready),
    .join_0_out__payload(join_0_213__payload),
    .join_0_out__valid(join_0_213__valid),
    .join_0_out__ready(join_0_213__ready),
    .down_in__payload(down_213__payload),
    .down_in__valid(down_213__valid),
    .down_in__ready(down_213__ready),
    .down_out_0__payload(down_312__payload),
    .down_out_0__valid(down_312__valid),
    .down_out_0__ready(down_312__ready),
    .eject__payload(eject_213__payload),
    .eject__valid(eject_213__valid),
    .eject__ready(eject_213__ready),
    .dropped(dropped_213),
    .mismatch(mismatch_213)
  );

  // node 231
  noc_star_3_node_1 node_231 (
    .clk(clk),
    .rst(rst),
    .inject__payload(inject_231__payload),
    .inject__valid(inject_231__valid),
    .inject__ready(inject_231__ready),
    .number(3'd3),
    .up_out__payload(up_231__payload),
    .up_out__valid(up_231__valid),
    .up_out__ready(up_231__ready),
    .join_0_out__payload(join_0_231__payload),
    .join_0_out__valid(join_0_231__valid),
    .join_0_out__ready(join_0_231__ready),
    .down_in__payload(down_231__payload),
    .down_in__valid(down_231__valid),
    .down_in__ready(down_231__ready),
    .eject__payload(eject_231__payload),
    .eject__valid(eject_231__valid),
    .eject__ready(eject_231__ready),
    .dropped(dropped_231)
  );

  // node 312
  noc_star_3_node_3 node_312 (
    .clk(clk),
    .rst(rst),
    .inject__payload(inject_312__payload),
    .inject__valid(inject_312__valid),
    .inject__ready(inject_312__ready),
    .number(3'd4),
    .up_in_0__payload(up_132__payload),
    .up_in_0__valid(up_132__valid),
    .up_in_0__ready(up_132__ready),
    .up_out__payload(up_312__payload),
    .up_out__valid(up_312__valid),
    .up_out__ready(up_312__ready),
    .join_0_in_0__payload(join_0_132__payload),
    .join_0_in_0__valid(join_0_132__valid),
    .join_0_in_0__ready(join_0_132__ready),
    .join_0_out__payload(join_0_312__payload),
    .join_0_out__valid(join_0_312__valid),
    .join_0_out__ready(join_0_312__ready),
    .down_in__payload(down_312__payload),
    .down_in__valid(down_312__valid),
    .down_in__ready(down_312__ready),
    .down_out_0__payload(down_132__payload),
    .down_out_0__valid(down_132__valid),
    .down_out_0__ready(down_132__ready),
    .eject__payload(eject_312__payload),
    .eject__valid(eject_312__valid),
    .eject__ready(eject_312__ready),
    .dropped(dropped_312),
    .mismatch(mismatch_312)
  );

  // node 321
  noc_star_3_node_3 node_321 (
    .clk(clk),
    .rst(rst),
    .inject__payload(inject_321__payload),
    .inject__valid(inject_321__valid),
    .inject__ready(inject_321__ready),
    .number(3'd5),
    .up_in_0__payload(up_231__payload),
    .up_in_0__valid(up_231__valid),
    .up_in_0__ready(up_231__ready),
    .up_out__payload(up_321__payload),
    .up_out__valid(up_321__valid),
    .up_out__ready(up_321__ready),
    .join_0_in_0__payload(join_0_231__payload),
    .join_0_in_0__valid(join_0_231__valid),
    .join_0_in_0__ready(join_0_231__ready),
    .join_0_out__payload(join_0_321__payload),
    .join_0_out__valid(join_0_321__valid),
    .join_0_out__ready(join_0_321__ready),
    .down_in__payload(down_321__payload),
    .down_in__valid(down_321__valid),
    .down_in__ready(down_321__ready),
    .down_out_0__payload(down_231__payload),
    .down_out_0__valid(down_231__valid),
    .down_out_0__ready(down_231__ready),
    .eject__payload(eject_321__payload),
    .eject__valid(eject_321__valid),
    .eject__ready(eject_321__ready),
    .dropped(dropped_321),
    .mismatch(mismatch_321)
  );
endmodule
