
(* generator = "Amaranth" *)
module noc_star_3_node_0(inject__valid, number, up_in_0__payload, up_in_0__valid, up_in_1__payload, up_in_1__valid, down_out_0__ready, down_out_1__ready, eject__ready, clk, rst, inject__ready, up_in_0__ready, up_in_1__ready, down_out_0__payload, down_out_0__valid, down_out_1__payload, down_out_1__valid, eject__payload, eject__valid, inject__payload
);
  input clk;
  wire clk;
  output [10:0] down_out_0__payload;
  wire [10:0] down_out_0__payload;
  wire [7:0] down_out_0__payload_data;
  wire [2:0] down_out_0__payload_source;
  input down_out_0__ready;
  wire down_out_0__ready;
  output down_out_0__valid;
  wire down_out_0__valid;
  output [10:0] down_out_1__payload;
  wire [10:0] down_out_1__payload;
  wire [7:0] down_out_1__payload_data;
  wire [2:0] down_out_1__payload_source;
  input down_out_1__ready;
  wire down_out_1__ready;
  output down_out_1__valid;
  wire down_out_1__valid;
  output [10:0] eject__payload;
  wire [10:0] eject__payload;
  wire [7:0] eject__payload_data;
  wire [2:0] eject__payload_source;
  input eject__ready;
  wire eject__ready;
  output eject__valid;
  wire eject__valid;
  wire [11:0] first__payload;
  wire [11:0] first__payload_37;
  wire first__ready;
  wire first__ready_38;
  wire first__valid;
  wire first__valid_36;
  wire [11:0] i__payload;
  wire i__ready;
  wire i__valid;
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
  wire [11:0] input_2__payload;
  wire input_2__ready;
  wire input_2__valid;
  input [2:0] number;
  wire [2:0] number;
  wire [11:0] o_0__payload;
  wire o_0__ready;
  wire o_0__valid;
  wire [11:0] o_1__payload;
  wire o_1__ready;
  wire o_1__valid;
  wire [11:0] o_2__payload;
  wire o_2__ready;
  wire o_2__valid;
  wire [11:0] o__payload;
  wire [11:0] o__payload_48;
  wire o__ready;
  wire o__ready_49;
  wire o__valid;
  wire o__valid_46;
  input rst;
  wire rst;
  wire [11:0] second__payload;
  wire [11:0] second__payload_41;
  wire second__ready;
  wire second__ready_44;
  wire second__valid;
  wire second__valid_39;
  wire skip;
  input [10:0] up_in_0__payload;
  wire [10:0] up_in_0__payload;
  wire [7:0] up_in_0__payload_data;
  wire [2:0] up_in_0__payload_source;
  output up_in_0__ready;
  wire up_in_0__ready;
  input up_in_0__valid;
  wire up_in_0__valid;
  input [10:0] up_in_1__payload;
  wire [10:0] up_in_1__payload;
  wire [7:0] up_in_1__payload_data;
  wire [2:0] up_in_1__payload_source;
  output up_in_1__ready;
  wire up_in_1__ready;
  input up_in_1__valid;
  wire up_in_1__valid;
  noc_star_3_node_0_fork fork_ (
    .clk(clk),
    .i__ready(o__ready_49),
    .i__valid(i__valid),
    .o_0__payload(i__payload),
    .o_0__ready(down_out_0__ready),
    .o_0__valid(down_out_0__valid),
    .o_1__ready(down_out_1__ready),
    .o_1__valid(down_out_1__valid),
    .o_2__ready(eject__ready),
    .o_2__valid(eject__valid),
    .rst(rst)
  );
  noc_star_3_node_0_merge_0 merge_0 (
    .clk(clk),
    .first__ready(inject__ready),
    .first__valid(inject__valid),
    .o__payload(second__payload_41),
    .o__ready(o__ready),
    .o__valid(second__valid_39),
    .port_0_11(number),
    .port_0_14(up_in_0__payload),
    .port_0_2(inject__payload),
    .rst(rst),
    .second__ready(up_in_0__ready),
    .second__valid(up_in_0__valid)
  );
  noc_star_3_node_0_merge_1 merge_1 (
    .clk(clk),
    .first__ready(up_in_1__ready),
    .first__valid(up_in_1__valid),
    .o__payload(i__payload),
    .o__ready(o__ready_49),
    .o__valid(i__valid),
    .port_0_26(up_in_1__payload),
    .rst(rst),
    .second__payload(second__payload_41),
    .second__ready(o__ready),
    .second__valid(second__valid_39)
  );
  assign input_0__valid = inject__valid;
  assign input_0__payload = { 1'h1, number, inject__payload };
  assign input_0__ready = inject__ready;
  assign input_1__valid = up_in_0__valid;
  assign input_1__payload = { 1'h0, up_in_0__payload };
  assign input_1__ready = up_in_0__ready;
  assign input_2__valid = up_in_1__valid;
  assign input_2__payload = { 1'h0, up_in_1__payload };
  assign input_2__ready = up_in_1__ready;
  assign first__valid = inject__valid;
  assign first__payload = { 1'h1, number, inject__payload };
  assign first__ready = inject__ready;
  assign second__valid = up_in_0__valid;
  assign second__payload = { 1'h0, up_in_0__payload };
  assign second__ready = up_in_0__ready;
  assign first__valid_36 = up_in_1__valid;
  assign first__payload_37 = { 1'h0, up_in_1__payload };
  assign first__ready_38 = up_in_1__ready;
  assign o__valid = second__valid_39;
  assign o__payload = second__payload_41;
  assign second__ready_44 = o__ready;
  assign o__valid_46 = i__valid;
  assign o__payload_48 = i__payload;
  assign i__ready = o__ready_49;
  assign skip = i__payload[11];
  assign o_0__valid = down_out_0__valid;
  assign o_0__payload = i__payload;
  assign o_0__ready = down_out_0__ready;
  assign o_1__valid = down_out_1__valid;
  assign o_1__payload = i__payload;
  assign o_1__ready = down_out_1__ready;
  assign o_2__valid = eject__valid;
  assign o_2__payload = i__payload;
  assign o_2__ready = eject__ready;
  assign down_out_0__payload = i__payload[10:0];
  assign down_out_1__payload = i__payload[10:0];
  assign eject__payload = i__payload[10:0];
  assign up_in_0__payload_data = up_in_0__payload[7:0];
  assign up_in_0__payload_source = up_in_0__payload[10:8];
  assign up_in_1__payload_data = up_in_1__payload[7:0];
  assign up_in_1__payload_source = up_in_1__payload[10:8];
  assign down_out_0__payload_data = i__payload[7:0];
  assign down_out_0__payload_source = i__payload[10:8];
  assign down_out_1__payload_data = i__payload[7:0];
  assign down_out_1__payload_source = i__payload[10:8];
  assign eject__payload_data = i__payload[7:0];
  assign eject__payload_source = i__payload[10:8];
endmodule

(* generator = "Amaranth" *)
module noc_star_3_node_0_fork(o_1__ready, o_2__ready, clk, rst, o_0__payload, o_0__valid, o_1__valid, o_2__valid, i__ready, i__valid, o_0__ready);
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
  wire [2:0] _18_;
  reg [2:0] _19_;
  wire _2_;
  wire [1:0] _3_;
  wire _4_;
  wire _5_;
  wire _6_;
  wire _7_;
  wire [1:0] _8_;
  wire _9_;
  reg [2:0] _signal_ = 3'h0;
  input clk;
  wire clk;
  wire [2:0] done;
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
  wire [11:0] o_2__payload;
  input o_2__ready;
  wire o_2__ready;
  output o_2__valid;
  wire o_2__valid;
  input rst;
  wire rst;
  wire skip;
  assign _1_ = ~ _signal_[0];
  assign _2_ = i__valid & _1_;
  assign _4_ = _signal_[0] | o_0__ready;
  assign _6_ = ~ _signal_[1];
  assign _7_ = i__valid & _6_;
  assign _9_ = _signal_[1] | o_1__ready;
  assign _11_ = ~ _signal_[2];
  assign _12_ = i__valid & _11_;
  assign _13_ = ~ o_0__payload[11];
  assign o_2__valid = _12_ & _13_;
  assign _14_ = _signal_[2] | o_2__ready;
  assign _15_ = _14_ | o_0__payload[11];
  assign i__ready = & done;
  assign _16_ = ~ i__ready;
  assign _17_ = i__valid & _16_;
  assign _18_ = _17_ ? done : 3'h0;
  always @(posedge clk)
    _signal_ <= _19_;
  always @* begin
    if (_wake_1_) begin end
    _19_ = _18_;
    if (rst) begin
      _19_ = 3'h0;
    end
  end
  assign i__payload = o_0__payload;
  assign o_1__payload = o_0__payload;
  assign skip = o_0__payload[11];
  assign o_2__payload = o_0__payload;
  assign o_0__valid = _3_[0];
  assign o_1__valid = _8_[0];
  assign done[2] = _15_;
  assign done[1] = _10_;
  assign done[0] = _5_;
  assign _3_ = { 1'h0, _2_ };
  assign _5_ = _4_;
  assign _8_ = { 1'h0, _7_ };
  assign _10_ = _9_;
endmodule

(* generator = "Amaranth" *)
module noc_star_3_node_0_merge_0(first__valid, port_0_11, port_0_14, second__valid, clk, rst, first__ready, second__ready, o__ready, o__valid, o__payload, port_0_2);
  reg _wake_2_; initial _wake_2_ = 0;
  wire _1_;
  reg _10_;
  reg _11_;
  reg _12_;
  wire _2_;
  wire _3_;
  wire _4_;
  wire _5_;
  wire _6_;
  wire _7_;
  wire [1:0] _8_;
  wire _9_;
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
  reg last = 1'h1;
  reg more = 1'h0;
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
  assign _1_ = ~ first__valid;
  assign second = _signal_ ? second__valid : _1_;
  assign i__valid = first__valid | second__valid;
  assign i__payload = second ? { 1'h0, port_0_14 } : { 1'h1, port_0_11, port_0_2 };
  assign _2_ = ~ second;
  assign first__ready = i__ready & _2_;
  assign second__ready = i__ready & second;
  assign _3_ = _signal_ ? second__valid : first__valid;
  assign _4_ = i__ready & _3_;
  assign _5_ = ~ _signal_;
  assign _6_ = _signal_ ? 1'h0 : 1'h1;
  assign _7_ = _signal_ ? 1'h1 : 1'h0;
  assign _8_ = more - 1'h1;
  always @(posedge clk)
    _signal_ <= _10_;
  always @(posedge clk)
    more <= _11_;
  always @(posedge clk)
    last <= _12_;
  noc_star_3_node_0_merge_0_buffer buffer (
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
    if (_wake_2_) begin end
    _10_ = _signal_;
    if (_4_) begin
      if (last) begin
        _10_ = _5_;
      end
    end
    if (rst) begin
      _10_ = 1'h0;
    end
  end
  always @* begin
    if (_wake_2_) begin end
    _11_ = more;
    if (_4_) begin
      (* full_case = 32'd1 *)
      if (last) begin
        _11_ = _6_;
      end else begin
        _11_ = _8_[0];
      end
    end
    if (rst) begin
      _11_ = 1'h0;
    end
  end
  always @* begin
    if (_wake_2_) begin end
    _12_ = last;
    if (_4_) begin
      (* full_case = 32'd1 *)
      if (last) begin
        _12_ = _7_;
      end else begin
        _12_ = _9_;
      end
    end
    if (rst) begin
      _12_ = 1'h1;
    end
  end
  assign first__payload = { 1'h1, port_0_11, port_0_2 };
  assign second__payload = { 1'h0, port_0_14 };
  assign o__payload_12 = o__payload;
  assign o__ready_14 = o__ready;
  assign o__valid_16 = o__valid;
  assign _9_ = more;
endmodule

(* generator = "Amaranth" *)
module noc_star_3_node_0_merge_0_buffer(rst, i__valid, i__payload, i__ready, o__ready, o__valid, o__payload, clk);
  reg _wake_3_; initial _wake_3_ = 0;
  wire _1_;
  reg _2_;
  reg [11:0] _3_;
  reg _signal_ = 1'h0;
  input clk;
  wire clk;
  input [11:0] i__payload;
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
    if (_wake_3_) begin end
    _2_ = _signal_;
    if (i__ready) begin
      _2_ = i__valid;
    end
    if (rst) begin
      _2_ = 1'h0;
    end
  end
  always @* begin
    if (_wake_3_) begin end
    _3_ = o__payload;
    if (i__ready) begin
      _3_ = i__payload;
    end
  end
  assign slot = o__payload;
  assign o__valid = _signal_;
endmodule

(* generator = "Amaranth" *)
module noc_star_3_node_0_merge_1(first__valid, clk, rst, first__ready, second__ready, o__payload, o__ready, second__valid, second__payload, o__valid, port_0_26);
  reg _wake_4_; initial _wake_4_ = 0;
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
  input [10:0] port_0_26;
  wire [10:0] port_0_26;
  input rst;
  wire rst;
  wire second;
  input [11:0] second__payload;
  wire [11:0] second__payload;
  output second__ready;
  wire second__ready;
  input second__valid;
  wire second__valid;
  assign i__payload = second ? second__payload : { 1'h0, port_0_26 };
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
  noc_star_3_node_0_merge_1_buffer buffer (
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
    if (_wake_4_) begin end
    _6_ = _5_;
    if (rst) begin
      _6_ = 1'h0;
    end
  end
  assign first__payload = { 1'h0, port_0_26 };
  assign o__payload_12 = o__payload;
  assign o__ready_14 = o__ready;
  assign o__valid_16 = o__valid;
endmodule

(* generator = "Amaranth" *)
module noc_star_3_node_0_merge_1_buffer(rst, i__valid, i__payload, o__payload, o__ready, o__valid, i__ready, clk);
  reg _wake_5_; initial _wake_5_ = 0;
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
    if (_wake_5_) begin end
    _18_ = _6_;
    if (rst) begin
      _18_ = 1'h0;
    end
  end
  always @* begin
    if (_wake_5_) begin end
    _19_ = _11_;
    if (rst) begin
      _19_ = 1'h1;
    end
  end
  always @* begin
    if (_wake_5_) begin end
    _20_ = _13_;
    if (rst) begin
      _20_ = 1'h0;
    end
  end
  always @* begin
    if (_wake_5_) begin end
    _21_ = slot_0;
    if (_15_) begin
      _21_ = i__payload;
    end
  end
  always @* begin
    if (_wake_5_) begin end
    _22_ = slot_1;
    if (_17_) begin
      _22_ = i__payload;
    end
  end
  assign _signal_ = i__ready;
  assign _signal_3_ = o__valid;
  assign _16_ = _signal_4_;
endmodule
