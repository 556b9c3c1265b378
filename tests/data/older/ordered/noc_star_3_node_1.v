
(* generator = "Amaranth" *)
module noc_star_3_node_1(inject__valid, number, up_out__ready, down_in__payload, down_in__valid, eject__ready, clk, rst, inject__ready, up_out__payload, up_out__valid, down_in__ready, eject__payload, eject__valid, inject__payload);
  wire _1_;
  input clk;
  wire clk;
  input [10:0] down_in__payload;
  wire [10:0] down_in__payload;
  wire [7:0] down_in__payload_data;
  wire [2:0] down_in__payload_source;
  output down_in__ready;
  wire down_in__ready;
  input down_in__valid;
  wire down_in__valid;
  output [10:0] eject__payload;
  wire [10:0] eject__payload;
  wire [7:0] eject__payload_data;
  wire [2:0] eject__payload_source;
  input eject__ready;
  wire eject__ready;
  output eject__valid;
  wire eject__valid;
  wire [11:0] i__payload;
  wire [11:0] i__payload_23;
  wire i__ready;
  wire i__ready_26;
  wire i__valid;
  wire i__valid_21;
  input [7:0] inject__payload;
  wire [7:0] inject__payload;
  output inject__ready;
  wire inject__ready;
  input inject__valid;
  wire inject__valid;
  wire [11:0] input_0__payload;
  wire input_0__ready;
  wire input_0__valid;
  input [2:0] number;
  wire [2:0] number;
  wire [11:0] o_0__payload;
  wire o_0__ready;
  wire o_0__valid;
  wire [11:0] o__payload;
  wire o__ready;
  wire o__valid;
  input rst;
  wire rst;
  wire skip;
  output [10:0] up_out__payload;
  wire [10:0] up_out__payload;
  wire [7:0] up_out__payload_data;
  wire [2:0] up_out__payload_source;
  input up_out__ready;
  wire up_out__ready;
  output up_out__valid;
  wire up_out__valid;
  assign _1_ = down_in__payload[10:8] == number;
  noc_star_3_node_1_down down (
    .clk(clk),
    .i__ready(down_in__ready),
    .i__valid(down_in__valid),
    .o__payload(i__payload_23),
    .o__ready(o__ready),
    .o__valid(i__valid_21),
    .port_0_15(down_in__payload),
    .port_1_0(_1_),
    .rst(rst)
  );
  noc_star_3_node_1_fork fork_ (
    .i__ready(o__ready),
    .i__valid(i__valid_21),
    .o_0__payload(i__payload_23),
    .o_0__ready(eject__ready),
    .o_0__valid(eject__valid)
  );
  assign input_0__valid = inject__valid;
  assign input_0__payload = { 1'h0, number, inject__payload };
  assign input_0__ready = up_out__ready;
  assign i__valid = down_in__valid;
  assign i__payload = { _1_, down_in__payload };
  assign i__ready = down_in__ready;
  assign o__valid = i__valid_21;
  assign o__payload = i__payload_23;
  assign i__ready_26 = o__ready;
  assign skip = i__payload_23[11];
  assign o_0__valid = eject__valid;
  assign o_0__payload = i__payload_23;
  assign o_0__ready = eject__ready;
  assign inject__ready = up_out__ready;
  assign up_out__payload = { number, inject__payload };
  assign up_out__valid = inject__valid;
  assign eject__payload = i__payload_23[10:0];
  assign up_out__payload_data = inject__payload;
  assign up_out__payload_source = number;
  assign down_in__payload_data = down_in__payload[7:0];
  assign down_in__payload_source = down_in__payload[10:8];
  assign eject__payload_data = i__payload_23[7:0];
  assign eject__payload_source = i__payload_23[10:8];
endmodule

(* generator = "Amaranth" *)
module noc_star_3_node_1_down(i__valid, clk, rst, port_1_0, i__ready, o__ready, o__valid, o__payload, port_0_15);
  reg _wake_1_; initial _wake_1_ = 0;
  wire _1_;
  reg _2_;
  reg [11:0] _3_;
  reg _signal_ = 1'h0;
  input clk;
  wire clk;
  wire [11:0] i__payload;
  output i__ready;
  wire i__ready;
  input i__valid;
  wire i__valid;
  output [11:0] o__payload;
  reg [11:0] o__payload = 12'h000;
  input o__ready;
  wire o__ready;
  (* init = 1'h0 *)
  output o__valid;
  wire o__valid;
  input [10:0] port_0_15;
  wire [10:0] port_0_15;
  input port_1_0;
  wire port_1_0;
  input rst;
  wire rst;
  (* init = 12'h000 *)
  wire [11:0] slot;
  assign _1_ = ~ _signal_;
  assign i__ready = _1_ | o__ready;
  always @(posedge clk)
    _signal_ <= _2_;
  always @(posedge clk)
    o__payload <= _3_;
  always @* begin
    if (_wake_1_) begin end
    _2_ = _signal_;
    if (i__ready) begin
      _2_ = i__valid;
    end
    if (rst) begin
      _2_ = 1'h0;
    end
  end
  always @* begin
    if (_wake_1_) begin end
    _3_ = o__payload;
    if (i__ready) begin
      _3_ = { port_1_0, port_0_15 };
    end
  end
  assign slot = o__payload;
  assign i__payload = { port_1_0, port_0_15 };
  assign o__valid = _signal_;
endmodule

(* generator = "Amaranth" *)
module noc_star_3_node_1_fork(o_0__valid, i__ready, i__valid, o_0__payload, o_0__ready);
  wire _1_;
  wire _2_;
  wire _3_;
  wire _4_;
  wire _signal_;
  wire done;
  wire [11:0] i__payload;
  output i__ready;
  wire i__ready;
  input i__valid;
  wire i__valid;
  input [11:0] o_0__payload;
  wire [11:0] o_0__payload;
  input o_0__ready;
  wire o_0__ready;
  output o_0__valid;
  wire o_0__valid;
  wire skip;
  assign done = _4_ | o_0__payload[11];
  assign _3_ = ~ o_0__payload[11];
  assign o_0__valid = _2_ & _3_;
  assign _signal_ = 1'h0;
  assign skip = o_0__payload[11];
  assign i__payload = o_0__payload;
  assign _1_ = 1'h1;
  assign _2_ = i__valid;
  assign _4_ = o_0__ready;
  assign i__ready = done;
endmodule
