
(* generator = "Amaranth" *)
module noc_star_3_router(in_0__valid, in_1__payload, in_1__valid, out_0__ready, out_1__ready, inject__payload, inject__valid, eject__ready, clk, rst, in_0__ready, in_1__ready, out_0__payload, out_0__valid, out_1__payload, out_1__valid, inject__ready, eject__payload, eject__valid, busy, in_0__payload
);
  reg _wake_1_; initial _wake_1_ = 0;
  wire [2:0] _1_;
  wire _10_;
  wire _11_;
  wire [1:0] _12_;
  reg [2:0] _13_;
  wire [2:0] _14_;
  wire [9:0] _2_;
  wire [9:0] _3_;
  wire [9:0] _4_;
  wire [9:0] _5_;
  wire [9:0] _6_;
  wire _7_;
  wire _8_;
  wire [1:0] _9_;
  output busy;
  wire busy;
  input clk;
  wire clk;
  wire [1:0] code;
  output [7:0] eject__payload;
  wire [7:0] eject__payload;
  wire [7:0] eject__payload_51;
  input eject__ready;
  wire eject__ready;
  wire eject__ready_53;
  output eject__valid;
  wire eject__valid;
  wire eject__valid_49;
  wire eject_ready;
  wire eject_valid;
  wire free;
  wire [2:0] grant;
  wire [9:0] head;
  input [9:0] in_0__payload;
  wire [9:0] in_0__payload;
  wire [1:0] in_0__payload_code;
  wire [7:0] in_0__payload_data;
  output in_0__ready;
  wire in_0__ready;
  input in_0__valid;
  wire in_0__valid;
  wire [1:0] in_0_code;
  input [9:0] in_1__payload;
  wire [9:0] in_1__payload;
  wire [1:0] in_1__payload_code;
  wire [7:0] in_1__payload_data;
  output in_1__ready;
  wire in_1__ready;
  input in_1__valid;
  wire in_1__valid;
  wire [1:0] in_1_code;
  input [7:0] inject__payload;
  wire [7:0] inject__payload;
  output inject__ready;
  wire inject__ready;
  input inject__valid;
  wire inject__valid;
  wire [2:0] next_progress;
  wire occupied;
  wire occupied_29;
  output [9:0] out_0__payload;
  wire [9:0] out_0__payload;
  wire [1:0] out_0__payload_code;
  wire [7:0] out_0__payload_data;
  input out_0__ready;
  wire out_0__ready;
  output out_0__valid;
  wire out_0__valid;
  output [9:0] out_1__payload;
  wire [9:0] out_1__payload;
  wire [1:0] out_1__payload_code;
  wire [7:0] out_1__payload_data;
  input out_1__ready;
  wire out_1__ready;
  output out_1__valid;
  wire out_1__valid;
  wire pop;
  wire pop_31;
  reg [2:0] progress = 3'h0;
  wire push;
  wire [1:0] ready;
  wire [1:0] refused;
  wire [2:0] requests;
  wire [1:0] row__code_0;
  wire [1:0] row__code_0_37;
  wire [1:0] row__code_1;
  wire [1:0] row__code_1_39;
  wire row__deliver;
  wire row__deliver_41;
  wire row__last;
  wire row__last_43;
  wire [1:0] row__sends;
  wire [1:0] row__sends_45;
  input rst;
  wire rst;
  wire [-1:0] sent;
  wire [1:0] valid;
  wire [9:0] word;
  assign requests = { inject__valid, in_1__valid, in_0__valid } & { free, free, free };
  assign _1_ = { inject__valid, in_1__valid, in_0__valid } & { free, free, free };
  assign push = | _1_;
  assign _2_ = in_0__payload & { grant[0], grant[0], grant[0], grant[0], grant[0], grant[0], grant[0], grant[0], grant[0], grant[0] };
  assign _4_ = in_1__payload & { grant[1], grant[1], grant[1], grant[1], grant[1], grant[1], grant[1], grant[1], grant[1], grant[1] };
  assign _5_ = _3_ | _4_;
  assign _6_ = { inject__payload, 2'h3 } & { grant[2], grant[2], grant[2], grant[2], grant[2], grant[2], grant[2], grant[2], grant[2], grant[2] };
  assign word = _5_ | _6_;
  assign _7_ = ~ out_0__ready;
  assign _8_ = _14_[0] & _7_;
  assign _10_ = ~ out_1__ready;
  assign _11_ = _14_[1] & _10_;
  always @(posedge clk)
    progress <= _13_;
  noc_star_3_router_arbiter arbiter (
    .grant(grant),
    .requests(requests)
  );
  noc_star_3_router_buffers buffers (
    .clk(clk),
    .free(free),
    .head(head),
    .occupied(occupied),
    .pop(pop),
    .push(push),
    .rst(rst),
    .word(word)
  );
  noc_star_3_router_rom rom (
    .code(head[1:0]),
    .deliver(row__deliver),
    .row__code_0(row__code_0),
    .row__code_1(row__code_1),
    .row__sends(row__sends)
  );
  noc_star_3_router_row_fork row_fork (
    .eject_ready(eject__ready),
    .next_progress(next_progress),
    .occupied(occupied),
    .pending(_14_),
    .pop(pop),
    .progress(progress),
    .ready(ready),
    .row__deliver(row__deliver),
    .row__sends(row__sends)
  );
  always @* begin
    if (_wake_1_) begin end
    _13_ = next_progress;
    if (rst) begin
      _13_ = 3'h0;
    end
  end
  assign in_0_code = in_0__payload[1:0];
  assign in_1_code = in_1__payload[1:0];
  assign occupied_29 = occupied;
  assign pop_31 = pop;
  assign code = head[1:0];
  assign row__code_0_37 = row__code_0;
  assign row__code_1_39 = row__code_1;
  assign row__deliver_41 = row__deliver;
  assign row__last = 1'h1;
  assign row__last_43 = 1'h1;
  assign row__sends_45 = row__sends;
  assign valid = _14_[1:0];
  assign eject__valid_49 = _14_[2];
  assign eject_valid = _14_[2];
  assign eject__payload_51 = head[9:2];
  assign eject_ready = eject__ready;
  assign eject__ready_53 = eject__ready;
  assign in_0__ready = grant[0];
  assign in_1__ready = grant[1];
  assign out_0__valid = _14_[0];
  assign out_1__valid = _14_[1];
  assign inject__ready = grant[2];
  assign eject__payload = head[9:2];
  assign eject__valid = _14_[2];
  assign in_0__payload_code = in_0__payload[1:0];
  assign in_0__payload_data = in_0__payload[9:2];
  assign in_1__payload_code = in_1__payload[1:0];
  assign in_1__payload_data = in_1__payload[9:2];
  assign out_0__payload_code = out_0__payload[1:0];
  assign out_0__payload_data = out_0__payload[9:2];
  assign out_1__payload_code = out_1__payload[1:0];
  assign out_1__payload_data = out_1__payload[9:2];
  assign out_1__payload[9:2] = head[9:2];
  assign out_1__payload[1:0] = row__code_1;
  assign refused[1] = _12_[0];
  assign refused[0] = _9_[0];
  assign ready[1] = out_1__ready;
  assign ready[0] = out_0__ready;
  assign out_0__payload[9:2] = head[9:2];
  assign out_0__payload[1:0] = row__code_0;
  assign _3_ = _2_;
  assign busy = occupied;
  assign _9_ = { 1'h0, _8_ };
  assign _12_ = { 1'h0, _11_ };
endmodule

(* generator = "Amaranth" *)
module noc_star_3_router_arbiter(grant, requests);
  wire _1_;
  wire _2_;
  wire _3_;
  wire _4_;
  wire _5_;
  wire _6_;
  wire _7_;
  wire _8_;
  wire _9_;
  output [2:0] grant;
  wire [2:0] grant;
  input [2:0] requests;
  wire [2:0] requests;
  assign _5_ = ~ _4_;
  assign _6_ = requests[1] & _5_;
  assign _7_ = | requests[1:0];
  assign _8_ = ~ _7_;
  assign _9_ = requests[2] & _8_;
  assign grant[2] = _9_;
  assign grant[1] = _6_;
  assign grant[0] = _3_;
  assign _1_ = 1'h0;
  assign _2_ = 1'h1;
  assign _3_ = requests[0];
  assign _4_ = requests[0];
endmodule

(* generator = "Amaranth" *)
module noc_star_3_router_buffers(rst, push, word, pop, head, occupied, free, clk);
  reg _wake_2_; initial _wake_2_ = 0;
  wire _1_;
  wire _10_;
  wire [9:0] _11_;
  wire _12_;
  wire _13_;
  wire _14_;
  wire _15_;
  wire _16_;
  wire _17_;
  reg [9:0] _18_;
  reg _19_;
  wire _2_;
  reg [9:0] _20_;
  reg _21_;
  wire _3_;
  wire _4_;
  wire _5_;
  wire _6_;
  wire _7_;
  wire _8_;
  wire _9_;
  reg [9:0] _like_ = 10'h000;
  input clk;
  wire clk;
  output free;
  reg free = 1'h1;
  output [9:0] head;
  reg [9:0] head = 10'h000;
  wire load;
  wire [9:0] next_head;
  output occupied;
  reg occupied = 1'h0;
  input pop;
  wire pop;
  input push;
  wire push;
  input rst;
  wire rst;
  input [9:0] word;
  wire [9:0] word;
  assign _1_ = ~ free;
  assign _2_ = ~ free;
  assign _3_ = ~ free;
  assign _4_ = ~ free;
  assign _5_ = ~ free;
  assign _6_ = ~ free;
  assign _7_ = ~ free;
  assign _8_ = ~ free;
  assign _9_ = ~ free;
  assign _10_ = ~ free;
  assign _11_ = _like_ & { _10_, _9_, _8_, _7_, _6_, _5_, _4_, _3_, _2_, _1_ };
  assign next_head = word | _11_;
  assign _12_ = ~ occupied;
  assign load = _12_ | pop;
  assign _13_ = ~ free;
  assign _14_ = _13_ | push;
  assign _15_ = ~ push;
  assign _16_ = free & _15_;
  assign _17_ = load | _16_;
  always @(posedge clk)
    head <= _18_;
  always @(posedge clk)
    occupied <= _19_;
  always @(posedge clk)
    _like_ <= _20_;
  always @(posedge clk)
    free <= _21_;
  always @* begin
    if (_wake_2_) begin end
    _18_ = head;
    if (load) begin
      _18_ = next_head;
    end
    if (rst) begin
      _18_ = 10'h000;
    end
  end
  always @* begin
    if (_wake_2_) begin end
    _19_ = occupied;
    if (load) begin
      _19_ = _14_;
    end
    if (rst) begin
      _19_ = 1'h0;
    end
  end
  always @* begin
    if (_wake_2_) begin end
    _20_ = _like_;
    if (free) begin
      _20_ = next_head;
    end
    if (rst) begin
      _20_ = 10'h000;
    end
  end
  always @* begin
    if (_wake_2_) begin end
    _21_ = _17_;
    if (rst) begin
      _21_ = 1'h1;
    end
  end
endmodule

(* generator = "Amaranth" *)
module noc_star_3_router_rom(row__sends, row__code_0, row__code_1, deliver, code);
  reg _wake_3_; initial _wake_3_ = 0;
  input [1:0] code;
  wire [1:0] code;
  output deliver;
  reg deliver;
  output [1:0] row__code_0;
  wire [1:0] row__code_0;
  output [1:0] row__code_1;
  wire [1:0] row__code_1;
  wire row__deliver;
  wire row__last;
  output [1:0] row__sends;
  wire [1:0] row__sends;
  wire [-1:0] sent;
  always @* begin
    if (_wake_3_) begin end
    deliver = 1'h0;
    casez (code)
      2'h0, 2'h1, 2'h2:
          deliver = 1'h1;
    endcase
  end
  assign row__deliver = deliver;
  assign row__last = 1'h1;
  assign row__code_1[1] = 1'h0;
  assign row__code_1[0] = code[0];
  assign row__code_0[1] = 1'h1;
  assign row__code_0[0] = 1'h0;
  assign row__sends[1] = code[1];
  assign row__sends[0] = code[0];
endmodule

(* generator = "Amaranth" *)
module noc_star_3_router_row_fork(pending, pop, next_progress, ready, progress, occupied, row__sends, row__deliver, eject_ready);
  wire [2:0] _1_;
  wire [2:0] _2_;
  wire [2:0] _3_;
  wire [2:0] _4_;
  wire _5_;
  wire _6_;
  wire [2:0] _7_;
  wire [2:0] _8_;
  wire [2:0] _9_;
  input eject_ready;
  wire eject_ready;
  wire eject_valid;
  output [2:0] next_progress;
  wire [2:0] next_progress;
  input occupied;
  wire occupied;
  output [2:0] pending;
  wire [2:0] pending;
  output pop;
  wire pop;
  input [2:0] progress;
  wire [2:0] progress;
  input [1:0] ready;
  wire [1:0] ready;
  input row__deliver;
  wire row__deliver;
  input [1:0] row__sends;
  wire [1:0] row__sends;
  wire [1:0] valid;
  assign _1_ = ~ progress;
  assign _2_ = { row__deliver, row__sends } & _1_;
  assign pending = _2_ & { occupied, occupied, occupied };
  assign _3_ = ~ { eject_ready, ready };
  assign _4_ = pending & _3_;
  assign _5_ = | _4_;
  assign _6_ = ~ _5_;
  assign pop = occupied & _6_;
  assign _7_ = pending & { eject_ready, ready };
  assign _8_ = progress | _7_;
  assign _9_ = ~ { pop, pop, pop };
  assign next_progress = _8_ & _9_;
  assign valid = pending[1:0];
  assign eject_valid = pending[2];
endmodule
