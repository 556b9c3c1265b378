
(* generator = "Amaranth" *)
module noc_star_3_node_1(inject__valid, number, up_out__ready, join_0_out__ready, down_in__payload, down_in__valid, eject__ready, clk, rst, inject__ready, up_out__payload, up_out__valid, join_0_out__payload, join_0_out__valid, down_in__ready, eject__payload, eject__valid, dropped, inject__payload);
  wire _1_;
  wire _2_;
  wire _3_;
  wire _4_;
  input clk;
  wire clk;
  input [13:0] down_in__payload;
  wire [13:0] down_in__payload;
  wire [7:0] down_in__payload_data;
  wire down_in__payload_last;
  wire [1:0] down_in__payload_operation;
  wire [2:0] down_in__payload_source;
  output down_in__ready;
  wire down_in__ready;
  input down_in__valid;
  wire down_in__valid;
  output dropped;
  wire dropped;
  wire dropped_22;
  output [13:0] eject__payload;
  wire [13:0] eject__payload;
  wire [7:0] eject__payload_data;
  wire eject__payload_last;
  wire [1:0] eject__payload_operation;
  wire [2:0] eject__payload_source;
  input eject__ready;
  wire eject__ready;
  output eject__valid;
  wire eject__valid;
  wire [10:0] i__payload;
  wire [14:0] i__payload_33;
  wire [14:0] i__payload_37;
  wire [7:0] i__payload_data;
  wire i__payload_last;
  wire [1:0] i__payload_operation;
  wire i__ready;
  wire i__ready_34;
  wire i__ready_40;
  wire i__valid;
  wire i__valid_32;
  wire i__valid_35;
  input [10:0] inject__payload;
  wire [10:0] inject__payload;
  wire [7:0] inject__payload_data;
  wire inject__payload_last;
  wire [1:0] inject__payload_operation;
  output inject__ready;
  wire inject__ready;
  input inject__valid;
  wire inject__valid;
  wire [14:0] input_0__payload;
  wire input_0__ready;
  wire input_0__valid;
  wire [9:0] join_0__payload;
  wire join_0__payload_choice;
  wire [7:0] join_0__payload_data;
  wire join_0__payload_last;
  wire join_0__ready;
  wire join_0__valid;
  output [9:0] join_0_out__payload;
  wire [9:0] join_0_out__payload;
  wire join_0_out__payload_choice;
  wire [7:0] join_0_out__payload_data;
  wire join_0_out__payload_last;
  input join_0_out__ready;
  wire join_0_out__ready;
  output join_0_out__valid;
  wire join_0_out__valid;
  input [2:0] number;
  wire [2:0] number;
  wire [14:0] o_0__payload;
  wire o_0__ready;
  wire o_0__valid;
  wire [14:0] o__payload;
  wire o__ready;
  wire o__valid;
  input rst;
  wire rst;
  wire [10:0] sent__payload;
  wire [7:0] sent__payload_data;
  wire sent__payload_last;
  wire [1:0] sent__payload_operation;
  wire sent__ready;
  wire sent__valid;
  wire skip;
  output [13:0] up_out__payload;
  wire [13:0] up_out__payload;
  wire [7:0] up_out__payload_data;
  wire up_out__payload_last;
  wire [1:0] up_out__payload_operation;
  wire [2:0] up_out__payload_source;
  input up_out__ready;
  wire up_out__ready;
  output up_out__valid;
  wire up_out__valid;
  assign _1_ = down_in__payload[10:8] == number;
  assign _2_ = ! down_in__payload[12:11];
  assign _4_ = _1_ & _3_;
  noc_star_3_node_1_dispatch dispatch (
    .dropped(dropped),
    .i__payload(inject__payload),
    .i__ready(inject__ready),
    .i__valid(inject__valid),
    .join_0__payload(join_0_out__payload),
    .join_0__ready(join_0_out__ready),
    .join_0__valid(join_0_out__valid),
    .sent__payload(sent__payload),
    .sent__ready(up_out__ready),
    .sent__valid(up_out__valid)
  );
  noc_star_3_node_1_down down (
    .clk(clk),
    .i__ready(down_in__ready),
    .i__valid(down_in__valid),
    .o__payload(i__payload_37),
    .o__ready(o__ready),
    .o__valid(i__valid_35),
    .port_0_19(down_in__payload),
    .port_4_0(_4_),
    .rst(rst)
  );
  noc_star_3_node_1_fork fork_ (
    .i__ready(o__ready),
    .i__valid(i__valid_35),
    .o_0__payload(i__payload_37),
    .o_0__ready(eject__ready),
    .o_0__valid(eject__valid)
  );
  assign i__valid = inject__valid;
  assign i__payload = inject__payload;
  assign i__ready = inject__ready;
  assign dropped_22 = dropped;
  assign join_0__valid = join_0_out__valid;
  assign join_0__payload = join_0_out__payload;
  assign join_0__ready = join_0_out__ready;
  assign input_0__valid = up_out__valid;
  assign sent__valid = up_out__valid;
  assign input_0__payload = { 1'h0, sent__payload[10:8], number, sent__payload[7:0] };
  assign sent__ready = up_out__ready;
  assign input_0__ready = up_out__ready;
  assign i__valid_32 = down_in__valid;
  assign i__payload_33 = { _4_, down_in__payload };
  assign i__ready_34 = down_in__ready;
  assign o__valid = i__valid_35;
  assign o__payload = i__payload_37;
  assign i__ready_40 = o__ready;
  assign skip = i__payload_37[14];
  assign o_0__valid = eject__valid;
  assign o_0__payload = i__payload_37;
  assign o_0__ready = eject__ready;
  assign up_out__payload = { sent__payload[10:8], number, sent__payload[7:0] };
  assign eject__payload = i__payload_37[13:0];
  assign inject__payload_data = inject__payload[7:0];
  assign inject__payload_operation = inject__payload[9:8];
  assign inject__payload_last = inject__payload[10];
  assign up_out__payload_data = sent__payload[7:0];
  assign up_out__payload_source = number;
  assign up_out__payload_operation = sent__payload[9:8];
  assign up_out__payload_last = sent__payload[10];
  assign join_0_out__payload_data = join_0_out__payload[7:0];
  assign join_0_out__payload_choice = join_0_out__payload[8];
  assign join_0_out__payload_last = join_0_out__payload[9];
  assign down_in__payload_data = down_in__payload[7:0];
  assign down_in__payload_source = down_in__payload[10:8];
  assign down_in__payload_operation = down_in__payload[12:11];
  assign down_in__payload_last = down_in__payload[13];
  assign eject__payload_data = i__payload_37[7:0];
  assign eject__payload_source = i__payload_37[10:8];
  assign eject__payload_operation = i__payload_37[12:11];
  assign eject__payload_last = i__payload_37[13];
  assign i__payload_data = inject__payload[7:0];
  assign i__payload_operation = inject__payload[9:8];
  assign i__payload_last = inject__payload[10];
  assign join_0__payload_data = join_0_out__payload[7:0];
  assign join_0__payload_choice = join_0_out__payload[8];
  assign join_0__payload_last = join_0_out__payload[9];
  assign sent__payload_data = sent__payload[7:0];
  assign sent__payload_operation = sent__payload[9:8];
  assign sent__payload_last = sent__payload[10];
  assign _3_ = _2_;
endmodule

(* generator = "Amaranth" *)
module noc_star_3_node_1_dispatch(i__valid, sent__ready, join_0__ready, sent__valid, join_0__valid, i__ready, dropped, sent__payload, join_0__payload, i__payload);
  wire _1_;
  wire _10_;
  wire _11_;
  wire _12_;
  wire _13_;
  wire _14_;
  wire _15_;
  wire _16_;
  wire _17_;
  wire _18_;
  wire _19_;
  wire _2_;
  wire _20_;
  wire _21_;
  wire _22_;
  wire _23_;
  wire _24_;
  wire _25_;
  wire _26_;
  wire _27_;
  wire _28_;
  wire _29_;
  wire _3_;
  wire _30_;
  wire _4_;
  wire _5_;
  wire _6_;
  wire _7_;
  wire _8_;
  wire _9_;
  output dropped;
  wire dropped;
  input [10:0] i__payload;
  wire [10:0] i__payload;
  wire [7:0] i__payload_data;
  wire i__payload_last;
  wire [1:0] i__payload_operation;
  output i__ready;
  wire i__ready;
  input i__valid;
  wire i__valid;
  output [9:0] join_0__payload;
  wire [9:0] join_0__payload;
  wire join_0__payload_choice;
  wire [7:0] join_0__payload_data;
  wire join_0__payload_last;
  input join_0__ready;
  wire join_0__ready;
  output join_0__valid;
  wire join_0__valid;
  output [10:0] sent__payload;
  wire [10:0] sent__payload;
  wire [7:0] sent__payload_data;
  wire sent__payload_last;
  wire [1:0] sent__payload_operation;
  input sent__ready;
  wire sent__ready;
  output sent__valid;
  wire sent__valid;
  assign _1_ = ! i__payload[9:8];
  assign sent__valid = i__valid & _2_;
  assign _3_ = i__payload[9:8] == 1'h1;
  assign _4_ = i__payload[9:8] == 2'h2;
  assign _5_ = | { _4_, _3_ };
  assign join_0__valid = i__valid & _5_;
  assign _6_ = i__payload[9:8] == 2'h2;
  assign _7_ = _6_ ? 1'h1 : 1'h0;
  assign _9_ = ! i__payload[9:8];
  assign _11_ = _10_ & sent__ready;
  assign _12_ = i__payload[9:8] == 1'h1;
  assign _13_ = i__payload[9:8] == 2'h2;
  assign _14_ = | { _13_, _12_ };
  assign _15_ = _14_ & join_0__ready;
  assign _16_ = | { _15_, _11_ };
  assign _17_ = ! i__payload[9:8];
  assign _19_ = i__payload[9:8] == 1'h1;
  assign _20_ = i__payload[9:8] == 2'h2;
  assign _21_ = | { _20_, _19_ };
  assign _22_ = | { _21_, _18_ };
  assign _23_ = ~ _22_;
  assign i__ready = _16_ | _23_;
  assign _24_ = ! i__payload[9:8];
  assign _26_ = i__payload[9:8] == 1'h1;
  assign _27_ = i__payload[9:8] == 2'h2;
  assign _28_ = | { _27_, _26_ };
  assign _29_ = | { _28_, _25_ };
  assign _30_ = ~ _29_;
  assign dropped = i__valid & _30_;
  assign i__payload_data = i__payload[7:0];
  assign i__payload_operation = i__payload[9:8];
  assign i__payload_last = i__payload[10];
  assign sent__payload_data = sent__payload[7:0];
  assign sent__payload_operation = sent__payload[9:8];
  assign sent__payload_last = sent__payload[10];
  assign join_0__payload_data = join_0__payload[7:0];
  assign join_0__payload_choice = join_0__payload[8];
  assign join_0__payload_last = join_0__payload[9];
  assign join_0__payload[9] = i__payload[10];
  assign join_0__payload[8] = _8_;
  assign join_0__payload[7:0] = i__payload[7:0];
  assign sent__payload[10] = i__payload[10];
  assign sent__payload[9:8] = i__payload[9:8];
  assign sent__payload[7:0] = i__payload[7:0];
  assign _2_ = _1_;
  assign _8_ = _7_;
  assign _10_ = _9_;
  assign _18_ = _17_;
  assign _25_ = _24_;
endmodule

(* generator = "Amaranth" *)
module noc_star_3_node_1_down(i__valid, clk, rst, port_4_0, i__ready, o__ready, o__valid, o__payload, port_0_19);
  reg _wake_1_; initial _wake_1_ = 0;
  wire _1_;
  reg _2_;
  reg [14:0] _3_;
  reg _signal_ = 1'h0;
  input clk;
  wire clk;
  wire [14:0] i__payload;
  output i__ready;
  wire i__ready;
  input i__valid;
  wire i__valid;
  output [14:0] o__payload;
  reg [14:0] o__payload = 15'h0000;
  input o__ready;
  wire o__ready;
  (* init = 1'h0 *)
  output o__valid;
  wire o__valid;
  input [13:0] port_0_19;
  wire [13:0] port_0_19;
  input port_4_0;
  wire port_4_0;
  input rst;
  wire rst;
  (* init = 15'h0000 *)
  wire [14:0] slot;
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
      _3_ = { port_4_0, port_0_19 };
    end
  end
  assign slot = o__payload;
  assign i__payload = { port_4_0, port_0_19 };
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
  wire [14:0] i__payload;
  output i__ready;
  wire i__ready;
  input i__valid;
  wire i__valid;
  input [14:0] o_0__payload;
  wire [14:0] o_0__payload;
  input o_0__ready;
  wire o_0__ready;
  output o_0__valid;
  wire o_0__valid;
  wire skip;
  assign done = _4_ | o_0__payload[14];
  assign _3_ = ~ o_0__payload[14];
  assign o_0__valid = _2_ & _3_;
  assign _signal_ = 1'h0;
  assign skip = o_0__payload[14];
  assign i__payload = o_0__payload;
  assign _1_ = 1'h1;
  assign _2_ = i__valid;
  assign _4_ = o_0__ready;
  assign i__ready = done;
endmodule
