
(* generator = "Amaranth" *)
module noc_star_3_node_3(inject__valid, number, up_in_0__payload, up_in_0__valid, up_out__ready, down_in__payload, down_in__valid, down_out_0__ready, eject__ready, clk, rst, inject__ready, up_in_0__ready, up_out__payload, up_out__valid, down_in__ready, down_out_0__payload, down_out_0__valid, eject__payload, eject__valid, inject__payload
);
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
  output [10:0] down_out_0__payload;
  wire [10:0] down_out_0__payload;
  wire [7:0] down_out_0__payload_data;
  wire [2:0] down_out_0__payload_source;
  input down_out_0__ready;
  wire down_out_0__ready;
  output down_out_0__valid;
  wire down_out_0__valid;
  output [10:0] eject__payload;
  wire [10:0] eject__payload;
  wire [7:0] eject__payload_data;
  wire [2:0] eject__payload_source;
  input eject__ready;
  wire eject__ready;
  output eject__valid;
  wire eject__valid;
  wire [11:0] first__payload;
  wire first__ready;
  wire first__valid;
  wire [11:0] i__payload;
  wire [11:0] i__payload_41;
  wire i__ready;
  wire i__ready_44;
  wire i__valid;
  wire i__valid_39;
  input [7:0] inject__payload;
  wire [7:0] inject__payload;
  output inject__ready;
  wire inject__ready;
  input inject__valid;
  wire inject__valid;
  wire [11:0] input_0__payload;
  wire input_0__ready;
  wire input_0__valid;
  wire [11:0] input_1__payload;
  wire input_1__ready;
  wire input_1__valid;
  input [2:0] number;
  wire [2:0] number;
  wire [11:0] o_0__payload;
  wire o_0__ready;
  wire o_0__valid;
  wire [11:0] o_1__payload;
  wire o_1__ready;
  wire o_1__valid;
  wire [11:0] o__payload;
  wire [11:0] o__payload_42;
  wire o__ready;
  wire o__ready_43;
  wire o__valid;
  wire o__valid_40;
  input rst;
  wire rst;
  wire [11:0] second__payload;
  wire second__ready;
  wire second__valid;
  wire skip;
  input [10:0] up_in_0__payload;
  wire [10:0] up_in_0__payload;
  wire [7:0] up_in_0__payload_data;
  wire [2:0] up_in_0__payload_source;
  output up_in_0__ready;
  wire up_in_0__ready;
  input up_in_0__valid;
  wire up_in_0__valid;
  output [10:0] up_out__payload;
  wire [10:0] up_out__payload;
  wire [7:0] up_out__payload_data;
  wire [2:0] up_out__payload_source;
  input up_out__ready;
  wire up_out__ready;
  output up_out__valid;
  wire up_out__valid;
  assign _1_ = down_in__payload[10:8] == number;
  noc_star_3_node_3_down down (
    .clk(clk),
    .i__ready(down_in__ready),
    .i__valid(down_in__valid),
    .o__payload(i__payload_41),
    .o__ready(o__ready_43),
    .o__valid(i__valid_39),
    .port_0_27(down_in__payload),
    .port_1_0(_1_),
    .rst(rst)
  );
  noc_star_3_node_3_fork fork_ (
    .clk(clk),
    .i__ready(o__ready_43),
    .i__valid(i__valid_39),
    .o_0__payload(i__payload_41),
    .o_0__ready(down_out_0__ready),
    .o_0__valid(down_out_0__valid),
    .o_1__ready(eject__ready),
    .o_1__valid(eject__valid),
    .rst(rst)
  );
  noc_star_3_node_3_merge_0 merge_0 (
    .clk(clk),
    .first__ready(inject__ready),
    .first__valid(inject__valid),
    .o__payload(o__payload),
    .o__ready(up_out__ready),
    .o__valid(up_out__valid),
    .port_0_11(number),
    .port_0_14(up_in_0__payload),
    .port_0_2(inject__payload),
    .rst(rst),
    .second__ready(up_in_0__ready),
    .second__valid(up_in_0__valid)
  );
  assign input_0__valid = inject__valid;
  assign input_0__payload = { 1'h0, number, inject__payload };
  assign input_0__ready = inject__ready;
  assign input_1__valid = up_in_0__valid;
  assign input_1__payload = { 1'h0, up_in_0__payload };
  assign input_1__ready = up_in_0__ready;
  assign first__valid = inject__valid;
  assign first__payload = { 1'h0, number, inject__payload };
  assign first__ready = inject__ready;
  assign second__valid = up_in_0__valid;
  assign second__payload = { 1'h0, up_in_0__payload };
  assign second__ready = up_in_0__ready;
  assign o__valid = up_out__valid;
  assign o__ready = up_out__ready;
  assign i__valid = down_in__valid;
  assign i__payload = { _1_, down_in__payload };
  assign i__ready = down_in__ready;
  assign o__valid_40 = i__valid_39;
  assign o__payload_42 = i__payload_41;
  assign i__ready_44 = o__ready_43;
  assign skip = i__payload_41[11];
  assign o_0__valid = down_out_0__valid;
  assign o_0__payload = i__payload_41;
  assign o_0__ready = down_out_0__ready;
  assign o_1__valid = eject__valid;
  assign o_1__payload = i__payload_41;
  assign o_1__ready = eject__ready;
  assign up_out__payload = o__payload[10:0];
  assign down_out_0__payload = i__payload_41[10:0];
  assign eject__payload = i__payload_41[10:0];
  assign up_in_0__payload_data = up_in_0__payload[7:0];
  assign up_in_0__payload_source = up_in_0__payload[10:8];
  assign up_out__payload_data = o__payload[7:0];
  assign up_out__payload_source = o__payload[10:8];
  assign down_in__payload_data = down_in__payload[7:0];
  assign down_in__payload_source = down_in__payload[10:8];
  assign down_out_0__payload_data = i__payload_41[7:0];
  assign down_out_0__payload_source = i__payload_41[10:8];
  assign eject__payload_data = i__payload_41[7:0];
  assign eject__payload_source = i__payload_41[10:8];
endmodule

(* generator = "Amaranth" *)
module noc_star_3_node_3_down(i__valid, clk, rst, port_1_0, o__payload, o__ready, o__valid, i__ready, port_0_27);
  reg _wake_1_; initial _wake_1_ = 0;
  wire _1_;
  wire _10_;
  wire _11_;
  wire _12_;
  wire _13_;
  wire _14_;
  wire _15_;
  wire _16_;
  wire _17_;
  reg _18_;
  reg _19_;
  wire _2_;
  reg _20_;
  reg [11:0] _21_;
  reg [11:0] _22_;
  wire _3_;
  wire _4_;
  wire _5_;
  wire _6_;
  wire _7_;
  wire _8_;
  wire _9_;
  (* init = 1'h1 *)
  wire _signal_;
  (* init = 1'h0 *)
  wire _signal_3_;
  wire _signal_4_;
  reg _signal_5_ = 1'h0;
  input clk;
  wire clk;
  wire [11:0] i__payload;
  output i__ready;
  reg i__ready = 1'h1;
  input i__valid;
  wire i__valid;
  output [11:0] o__payload;
  wire [11:0] o__payload;
  input o__ready;
  wire o__ready;
  output o__valid;
  reg o__valid = 1'h0;
  input [10:0] port_0_27;
  wire [10:0] port_0_27;
  input port_1_0;
  wire port_1_0;
  input rst;
  wire rst;
  reg [11:0] slot_0 = 12'h000;
  reg [11:0] slot_1 = 12'h000;
  assign _1_ = o__valid & i__ready;
  assign _signal_4_ = _signal_5_ ^ _1_;
  assign o__payload = _signal_5_ ? slot_1 : slot_0;
  assign _2_ = ~ i__ready;
  assign _3_ = i__valid | _2_;
  assign _4_ = ~ o__ready;
  assign _5_ = o__valid & _4_;
  assign _6_ = _3_ | _5_;
  assign _7_ = o__valid & o__ready;
  assign _8_ = o__valid & i__valid;
  assign _9_ = ~ _8_;
  assign _10_ = i__ready & _9_;
  assign _11_ = _7_ | _10_;
  assign _12_ = o__valid & o__ready;
  assign _13_ = _signal_5_ ^ _12_;
  assign _14_ = ! _signal_4_;
  assign _15_ = i__ready & _14_;
  assign _17_ = i__ready & _16_;
  always @(posedge clk)
    o__valid <= _18_;
  always @(posedge clk)
    i__ready <= _19_;
  always @(posedge clk)
    _signal_5_ <= _20_;
  always @(posedge clk)
    slot_0 <= _21_;
  always @(posedge clk)
    slot_1 <= _22_;
  always @* begin
    if (_wake_1_) begin end
    _18_ = _6_;
    if (rst) begin
      _18_ = 1'h0;
    end
  end
  always @* begin
    if (_wake_1_) begin end
    _19_ = _11_;
    if (rst) begin
      _19_ = 1'h1;
    end
  end
  always @* begin
    if (_wake_1_) begin end
    _20_ = _13_;
    if (rst) begin
      _20_ = 1'h0;
    end
  end
  always @* begin
    if (_wake_1_) begin end
    _21_ = slot_0;
    if (_15_) begin
      _21_ = { port_1_0, port_0_27 };
    end
  end
  always @* begin
    if (_wake_1_) begin end
    _22_ = slot_1;
    if (_17_) begin
      _22_ = { port_1_0, port_0_27 };
    end
  end
  assign _signal_ = i__ready;
  assign _signal_3_ = o__valid;
  assign i__payload = { port_1_0, port_0_27 };
  assign _16_ = _signal_4_;
endmodule

(* generator = "Amaranth" *)
module noc_star_3_node_3_fork(o_1__ready, clk, rst, o_0__payload, o_0__valid, o_1__valid, i__ready, i__valid, o_0__ready);
  reg _wake_2_; initial _wake_2_ = 0;
  wire _1_;
  wire _10_;
  wire _11_;
  wire _12_;
  wire [1:0] _13_;
  reg [1:0] _14_;
  wire _2_;
  wire [1:0] _3_;
  wire _4_;
  wire _5_;
  wire _6_;
  wire _7_;
  wire _8_;
  wire _9_;
  reg [1:0] _signal_ = 2'h0;
  input clk;
  wire clk;
  wire [1:0] done;
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
  wire [11:0] o_1__payload;
  input o_1__ready;
  wire o_1__ready;
  output o_1__valid;
  wire o_1__valid;
  input rst;
  wire rst;
  wire skip;
  assign _1_ = ~ _signal_[0];
  assign _2_ = i__valid & _1_;
  assign _4_ = _signal_[0] | o_0__ready;
  assign _6_ = ~ _signal_[1];
  assign _7_ = i__valid & _6_;
  assign _8_ = ~ o_0__payload[11];
  assign o_1__valid = _7_ & _8_;
  assign _9_ = _signal_[1] | o_1__ready;
  assign _10_ = _9_ | o_0__payload[11];
  assign i__ready = & done;
  assign _11_ = ~ i__ready;
  assign _12_ = i__valid & _11_;
  assign _13_ = _12_ ? done : 2'h0;
  always @(posedge clk)
    _signal_ <= _14_;
  always @* begin
    if (_wake_2_) begin end
    _14_ = _13_;
    if (rst) begin
      _14_ = 2'h0;
    end
  end
  assign i__payload = o_0__payload;
  assign skip = o_0__payload[11];
  assign o_1__payload = o_0__payload;
  assign o_0__valid = _3_[0];
  assign done[1] = _10_;
  assign done[0] = _5_;
  assign _3_ = { 1'h0, _2_ };
  assign _5_ = _4_;
endmodule

(* generator = "Amaranth" *)
module noc_star_3_node_3_merge_0(first__valid, port_0_11, port_0_14, second__valid, o__ready, clk, rst, first__ready, second__ready, o__payload, o__valid, port_0_2);
  reg _wake_3_; initial _wake_3_ = 0;
  wire _1_;
  wire _2_;
  wire _3_;
  wire _4_;
  wire _5_;
  reg _6_;
  reg _signal_ = 1'h0;
  input clk;
  wire clk;
  wire [11:0] first__payload;
  output first__ready;
  wire first__ready;
  input first__valid;
  wire first__valid;
  wire [11:0] i__payload;
  wire i__ready;
  wire i__valid;
  output [11:0] o__payload;
  wire [11:0] o__payload;
  wire [11:0] o__payload_12;
  input o__ready;
  wire o__ready;
  wire o__ready_14;
  output o__valid;
  wire o__valid;
  wire o__valid_16;
  input [2:0] port_0_11;
  wire [2:0] port_0_11;
  input [10:0] port_0_14;
  wire [10:0] port_0_14;
  input [7:0] port_0_2;
  wire [7:0] port_0_2;
  input rst;
  wire rst;
  wire second;
  wire [11:0] second__payload;
  output second__ready;
  wire second__ready;
  input second__valid;
  wire second__valid;
  assign i__payload = second ? { 1'h0, port_0_14 } : { 1'h0, port_0_11, port_0_2 };
  assign _2_ = ~ second;
  assign first__ready = i__ready & _2_;
  assign second__ready = i__ready & second;
  assign _3_ = _signal_ ? second__valid : first__valid;
  assign _4_ = i__ready & _3_;
  assign _5_ = _signal_ ^ _4_;
  always @(posedge clk)
    _signal_ <= _6_;
  assign _1_ = ~ first__valid;
  assign second = _signal_ ? second__valid : _1_;
  assign i__valid = first__valid | second__valid;
  noc_star_3_node_3_merge_0_buffer buffer (
    .clk(clk),
    .i__payload(i__payload),
    .i__ready(i__ready),
    .i__valid(i__valid),
    .o__payload(o__payload),
    .o__ready(o__ready),
    .o__valid(o__valid),
    .rst(rst)
  );
  always @* begin
    if (_wake_3_) begin end
    _6_ = _5_;
    if (rst) begin
      _6_ = 1'h0;
    end
  end
  assign first__payload = { 1'h0, port_0_11, port_0_2 };
  assign second__payload = { 1'h0, port_0_14 };
  assign o__payload_12 = o__payload;
  assign o__ready_14 = o__ready;
  assign o__valid_16 = o__valid;
endmodule

(* generator = "Amaranth" *)
module noc_star_3_node_3_merge_0_buffer(clk, rst, i__valid, i__payload, o__payload, o__valid, i__ready, o__ready);
  reg _wake_4_; initial _wake_4_ = 0;
  wire _1_;
  wire _10_;
  wire _11_;
  wire _12_;
  wire _13_;
  wire _14_;
  wire _15_;
  wire _16_;
  wire _17_;
  reg _18_;
  reg _19_;
  wire _2_;
  reg _20_;
  reg [11:0] _21_;
  reg [11:0] _22_;
  wire _3_;
  wire _4_;
  wire _5_;
  wire _6_;
  wire _7_;
  wire _8_;
  wire _9_;
  (* init = 1'h1 *)
  wire _signal_;
  (* init = 1'h0 *)
  wire _signal_3_;
  wire _signal_4_;
  reg _signal_5_ = 1'h0;
  input clk;
  wire clk;
  input [11:0] i__payload;
  wire [11:0] i__payload;
  output i__ready;
  reg i__ready = 1'h1;
  input i__valid;
  wire i__valid;
  output [11:0] o__payload;
  wire [11:0] o__payload;
  input o__ready;
  wire o__ready;
  output o__valid;
  reg o__valid = 1'h0;
  input rst;
  wire rst;
  reg [11:0] slot_0 = 12'h000;
  reg [11:0] slot_1 = 12'h000;
  assign _1_ = o__valid & i__ready;
  assign _signal_4_ = _signal_5_ ^ _1_;
  assign o__payload = _signal_5_ ? slot_1 : slot_0;
  assign _2_ = ~ i__ready;
  assign _3_ = i__valid | _2_;
  assign _4_ = ~ o__ready;
  assign _5_ = o__valid & _4_;
  assign _6_ = _3_ | _5_;
  assign _7_ = o__valid & o__ready;
  assign _8_ = o__valid & i__valid;
  assign _9_ = ~ _8_;
  assign _10_ = i__ready & _9_;
  assign _11_ = _7_ | _10_;
  assign _12_ = o__valid & o__ready;
  assign _13_ = _signal_5_ ^ _12_;
  assign _14_ = ! _signal_4_;
  assign _15_ = i__ready & _14_;
  assign _17_ = i__ready & _16_;
  always @(posedge clk)
    o__valid <= _18_;
  always @(posedge clk)
    i__ready <= _19_;
  always @(posedge clk)
    _signal_5_ <= _20_;
  always @(posedge clk)
    slot_0 <= _21_;
  always @(posedge clk)
    slot_1 <= _22_;
  always @* begin
    if (_wake_4_) begin end
    _18_ = _6_;
    if (rst) begin
      _18_ = 1'h0;
    end
  end
  always @* begin
    if (_wake_4_) begin end
    _19_ = _11_;
    if (rst) begin
      _19_ = 1'h1;
    end
  end
  always @* begin
    if (_wake_4_) begin end
    _20_ = _13_;
    if (rst) begin
      _20_ = 1'h0;
    end
  end
  always @* begin
    if (_wake_4_) begin end
    _21_ = slot_0;
    if (_15_) begin
      _21_ = i__payload;
    end
  end
  always @* begin
    if (_wake_4_) begin end
    _22_ = slot_1;
    if (_17_) begin
      _22_ = i__payload;
    end
  end
  assign _signal_ = i__ready;
  assign _signal_3_ = o__valid;
  assign _16_ = _signal_4_;
endmodule
