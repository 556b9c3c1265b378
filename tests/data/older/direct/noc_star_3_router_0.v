
(* generator = "Amaranth" *)
module noc_star_3_router_0(in_0__valid, in_1__payload, in_1__valid, out_0__ready, out_0__stall, out_1__ready, out_1__stall, inject__payload, inject__valid, eject__ready, clk, rst, in_0__ready, in_0__stall, in_1__ready, in_1__stall, out_0__payload, out_0__valid, out_1__payload, out_1__valid, inject__ready
, eject__payload, eject__valid, in_0__payload);
  reg _wake_1_; initial _wake_1_ = 0;
  wire [2:0] _1_;
  wire [2:0] _10_;
  wire [1:0] _11_;
  wire [1:0] _12_;
  wire [1:0] _13_;
  wire [1:0] _14_;
  wire [1:0] _15_;
  wire [2:0] _16_;
  wire [11:0] _17_;
  wire [11:0] _18_;
  wire [11:0] _19_;
  wire _2_;
  wire [11:0] _20_;
  wire [11:0] _21_;
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
  wire _31_;
  wire _32_;
  wire [2:0] _33_;
  wire [2:0] _34_;
  reg [2:0] _35_;
  wire [2:0] _36_;
  wire _4_;
  wire _5_;
  wire _6_;
  wire _7_;
  wire _8_;
  wire _9_;
  input clk;
  wire clk;
  wire [3:0] code;
  wire drop;
  wire \drop$47 ;
  output [7:0] eject__payload;
  wire [7:0] eject__payload;
  wire [7:0] \eject__payload$66 ;
  input eject__ready;
  wire eject__ready;
  wire \eject__ready$68 ;
  output eject__valid;
  wire eject__valid;
  wire \eject__valid$64 ;
  wire eject_ready;
  wire eject_valid;
  wire fair;
  wire [2:0] grant;
  wire [11:0] head;
  input [11:0] in_0__payload;
  wire [11:0] in_0__payload;
  wire [3:0] \in_0__payload.code ;
  wire [7:0] \in_0__payload.data ;
  output in_0__ready;
  wire in_0__ready;
  output in_0__stall;
  wire in_0__stall;
  input in_0__valid;
  wire in_0__valid;
  wire [3:0] in_0_code;
  input [11:0] in_1__payload;
  wire [11:0] in_1__payload;
  wire [3:0] \in_1__payload.code ;
  wire [7:0] \in_1__payload.data ;
  output in_1__ready;
  wire in_1__ready;
  output in_1__stall;
  wire in_1__stall;
  input in_1__valid;
  wire in_1__valid;
  wire [3:0] in_1_code;
  input [7:0] inject__payload;
  wire [7:0] inject__payload;
  output inject__ready;
  wire inject__ready;
  input inject__valid;
  wire inject__valid;
  wire [2:0] keep;
  wire [2:0] \keep$43 ;
  wire [2:0] kept;
  wire [2:0] \kept$41 ;
  wire [2:0] last;
  wire [2:0] \last$34 ;
  wire [1:0] lost;
  wire occupied;
  wire \occupied$45 ;
  output [11:0] out_0__payload;
  wire [11:0] out_0__payload;
  wire [3:0] \out_0__payload.code ;
  wire [7:0] \out_0__payload.data ;
  input out_0__ready;
  wire out_0__ready;
  input out_0__stall;
  wire out_0__stall;
  output out_0__valid;
  wire out_0__valid;
  output [11:0] out_1__payload;
  wire [11:0] out_1__payload;
  wire [3:0] \out_1__payload.code ;
  wire [7:0] \out_1__payload.data ;
  input out_1__ready;
  wire out_1__ready;
  input out_1__stall;
  wire out_1__stall;
  output out_1__valid;
  wire out_1__valid;
  wire [1:0] ready;
  wire [2:0] requests;
  wire [2:0] room;
  wire [2:0] \room$32 ;
  wire [3:0] row__code_0;
  wire [3:0] \row__code_0$52 ;
  wire [3:0] row__code_1;
  wire [3:0] \row__code_1$54 ;
  wire row__deliver;
  wire \row__deliver$56 ;
  wire row__last;
  wire \row__last$58 ;
  wire [1:0] row__sends;
  wire [1:0] \row__sends$60 ;
  input rst;
  wire rst;
  reg [2:0] stalled = 3'h0;
  wire store;
  wire [1:0] store_class;
  wire store_last;
  wire take;
  wire [-1:0] turn;
  wire [2:0] valid;
  wire [1:0] \valid$61 ;
  wire waits;
  wire [11:0] word;
  assign _1_ = ~ stalled;
  assign requests = valid & _1_;
  assign in_0__ready = grant[0] & room[0];
  assign _4_ = ~ room[0];
  assign in_0__stall = valid[0] & _4_;
  assign _5_ = \room$32  >> { 1'h0, in_1__payload[0] };
  assign _6_ = \last$34  >> { 1'h0, in_1__payload[0] };
  assign in_1__ready = grant[1] & room[1];
  assign _7_ = ~ room[1];
  assign in_1__stall = valid[1] & _7_;
  assign inject__ready = grant[2] & room[2];
  assign _10_ = grant & room;
  assign store = | _10_;
  assign _13_ = { 1'h0, in_1__payload[0] } & { grant[1], grant[1] };
  assign store_class = _14_ | _15_;
  assign _16_ = grant & last;
  assign store_last = | _16_;
  assign _17_ = in_0__payload & { grant[0], grant[0], grant[0], grant[0], grant[0], grant[0], grant[0], grant[0], grant[0], grant[0], grant[0], grant[0] };
  assign _19_ = in_1__payload & { grant[1], grant[1], grant[1], grant[1], grant[1], grant[1], grant[1], grant[1], grant[1], grant[1], grant[1], grant[1] };
  assign _20_ = _18_ | _19_;
  assign _21_ = { inject__payload, 4'hd } & { grant[2], grant[2], grant[2], grant[2], grant[2], grant[2], grant[2], grant[2], grant[2], grant[2], grant[2], grant[2] };
  assign word = _20_ | _21_;
  assign _22_ = ~ out_0__ready;
  assign _23_ = _36_[0] & _22_;
  assign _24_ = ~ out_0__stall;
  assign _25_ = _23_ & _24_;
  assign _26_ = ~ out_1__ready;
  assign _27_ = _36_[1] & _26_;
  assign _28_ = ~ out_1__stall;
  assign _29_ = _27_ & _28_;
  assign _30_ = | lost;
  assign _31_ = ~ eject__ready;
  assign _32_ = _36_[2] & _31_;
  assign waits = _30_ | _32_;
  assign _33_ = ~ room;
  assign _34_ = valid & _33_;
  always @(posedge clk)
    stalled <= _35_;
  noc_star_3_router_0_arbiter  arbiter (
    .clk(clk),
    .grant(grant),
    .requests(requests),
    .rst(rst)
  );
  noc_star_3_router_0_copies  copies (
    .drop(drop),
    .eject_ready(eject__ready),
    .keep(keep),
    .kept(kept),
    .occupied(occupied),
    .pending(_36_),
    .ready(ready),
    .row__deliver(row__deliver),
    .row__sends(row__sends)
  );
  noc_star_3_router_0_places  places (
    .clk(clk),
    .drop(drop),
    .head(head),
    .keep(keep),
    .kept(kept),
    .last(\last$34 ),
    .occupied(occupied),
    .room(\room$32 ),
    .rst(rst),
    .store(store),
    .store_class(store_class),
    .store_last(store_last),
    .waits(waits),
    .word(word)
  );
  noc_star_3_router_0_rows  rows (
    .code(head[3:0]),
    .deliver(row__deliver),
    .row__code_0(row__code_0),
    .row__code_1(row__code_1),
    .row__sends(row__sends)
  );
  always @* begin
    if (_wake_1_) begin end
    _35_ = _34_;
    if (rst) begin
      _35_ = 3'h0;
    end
  end
  assign in_0_code = in_0__payload[3:0];
  assign in_1_code = in_1__payload[3:0];
  assign take = 1'h1;
  assign fair = 1'h1;
  assign \kept$41  = kept;
  assign \keep$43  = keep;
  assign \occupied$45  = occupied;
  assign \drop$47  = drop;
  assign code = head[3:0];
  assign \row__code_0$52  = row__code_0;
  assign \row__code_1$54  = row__code_1;
  assign \row__deliver$56  = row__deliver;
  assign row__last = 1'h1;
  assign \row__last$58  = 1'h1;
  assign \row__sends$60  = row__sends;
  assign \valid$61  = _36_[1:0];
  assign \eject__valid$64  = _36_[2];
  assign eject_valid = _36_[2];
  assign \eject__payload$66  = head[11:4];
  assign eject_ready = eject__ready;
  assign \eject__ready$68  = eject__ready;
  assign out_0__valid = _36_[0];
  assign out_1__valid = _36_[1];
  assign eject__payload = head[11:4];
  assign eject__valid = _36_[2];
  assign \in_0__payload.code  = in_0__payload[3:0];
  assign \in_0__payload.data  = in_0__payload[11:4];
  assign \in_1__payload.code  = in_1__payload[3:0];
  assign \in_1__payload.data  = in_1__payload[11:4];
  assign \out_0__payload.code  = out_0__payload[3:0];
  assign \out_0__payload.data  = out_0__payload[11:4];
  assign \out_1__payload.code  = out_1__payload[3:0];
  assign \out_1__payload.data  = out_1__payload[11:4];
  assign out_1__payload[11:4] = head[11:4];
  assign out_1__payload[3:0] = row__code_1;
  assign lost[1] = _29_;
  assign lost[0] = _25_;
  assign ready[1] = out_1__ready;
  assign ready[0] = out_0__ready;
  assign out_0__payload[11:4] = head[11:4];
  assign out_0__payload[3:0] = row__code_0;
  assign last[2] = _9_;
  assign last[1] = _6_;
  assign last[0] = _3_;
  assign room[2] = _8_;
  assign room[1] = _5_;
  assign room[0] = _2_;
  assign valid[2] = inject__valid;
  assign valid[1] = in_1__valid;
  assign valid[0] = in_0__valid;
  assign _2_ = \room$32 [0];
  assign _3_ = \last$34 [0];
  assign _8_ = \room$32 [1];
  assign _9_ = \last$34 [1];
  assign _11_ = 2'h0;
  assign _12_ = 2'h0;
  assign _14_ = _13_;
  assign _15_[1] = 1'h0;
  assign _15_[0] = grant[2];
  assign _18_ = _17_;
endmodule

(* generator = "Amaranth" *)
module noc_star_3_router_0_arbiter (rst, requests, grant, clk);
  reg _wake_2_; initial _wake_2_ = 0;
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
  reg _26_;
  reg _27_;
  wire _3_;
  wire _4_;
  wire _5_;
  wire _6_;
  wire _7_;
  wire _8_;
  wire _9_;
  input clk;
  wire clk;
  wire fair;
  output [2:0] grant;
  wire [2:0] grant;
  input [2:0] requests;
  wire [2:0] requests;
  input rst;
  wire rst;
  wire second_0_1;
  wire second_0_2;
  wire take;
  reg turn_0_1 = 1'h0;
  reg turn_0_2 = 1'h0;
  assign _3_ = | requests[1:0];
  assign _4_ = ~ _3_;
  assign second_0_2 = _1_ ? _2_ : _4_;
  assign _8_ = ~ _7_;
  assign second_0_1 = _5_ ? _6_ : _8_;
  assign _9_ = ~ second_0_1;
  assign _11_ = ~ second_0_2;
  assign _12_ = _10_ & _11_;
  assign _13_ = requests[0] & _12_;
  assign _15_ = ~ second_0_2;
  assign _16_ = _14_ & _15_;
  assign _17_ = requests[1] & _16_;
  assign _19_ = requests[2] & _18_;
  assign _20_ = | grant;
  assign _22_ = ~ second_0_2;
  assign _23_ = | grant[1:0];
  assign _25_ = ~ second_0_1;
  always @(posedge clk)
    turn_0_2 <= _26_;
  always @(posedge clk)
    turn_0_1 <= _27_;
  always @* begin
    if (_wake_2_) begin end
    _26_ = turn_0_2;
    if (_21_) begin
      _26_ = _22_;
    end
    if (rst) begin
      _26_ = 1'h0;
    end
  end
  always @* begin
    if (_wake_2_) begin end
    _27_ = turn_0_1;
    if (_24_) begin
      _27_ = _25_;
    end
    if (rst) begin
      _27_ = 1'h0;
    end
  end
  assign fair = 1'h1;
  assign take = 1'h1;
  assign grant[2] = _19_;
  assign grant[1] = _17_;
  assign grant[0] = _13_;
  assign _1_ = turn_0_2;
  assign _2_ = requests[2];
  assign _5_ = turn_0_1;
  assign _6_ = requests[1];
  assign _7_ = requests[0];
  assign _10_ = _9_;
  assign _14_ = second_0_1;
  assign _18_ = second_0_2;
  assign _21_ = _20_;
  assign _24_ = _23_;
endmodule

(* generator = "Amaranth" *)
module noc_star_3_router_0_copies (pending, drop, keep, ready, occupied, kept, row__sends, row__deliver, eject_ready);
  wire [2:0] _1_;
  wire [2:0] _2_;
  wire [2:0] _3_;
  wire [2:0] _4_;
  wire _5_;
  wire _6_;
  wire [2:0] _7_;
  wire [2:0] _8_;
  wire [2:0] _9_;
  output drop;
  wire drop;
  input eject_ready;
  wire eject_ready;
  wire eject_valid;
  output [2:0] keep;
  wire [2:0] keep;
  input [2:0] kept;
  wire [2:0] kept;
  input occupied;
  wire occupied;
  output [2:0] pending;
  wire [2:0] pending;
  input [1:0] ready;
  wire [1:0] ready;
  input row__deliver;
  wire row__deliver;
  input [1:0] row__sends;
  wire [1:0] row__sends;
  wire [1:0] valid;
  assign _1_ = ~ kept;
  assign _2_ = { row__deliver, row__sends } & _1_;
  assign pending = _2_ & { occupied, occupied, occupied };
  assign _3_ = ~ { eject_ready, ready };
  assign _4_ = pending & _3_;
  assign _5_ = | _4_;
  assign _6_ = ~ _5_;
  assign drop = occupied & _6_;
  assign _7_ = pending & { eject_ready, ready };
  assign _8_ = kept | _7_;
  assign _9_ = ~ { drop, drop, drop };
  assign keep = _8_ & _9_;
  assign valid = pending[1:0];
  assign eject_valid = pending[2];
endmodule

(* generator = "Amaranth" *)
module noc_star_3_router_0_places (rst, store, store_class, store_last, word, waits, drop, keep, room, head, last, occupied, kept, clk);
  reg _wake_3_; initial _wake_3_ = 0;
  wire _1_;
  wire _10_;
  wire [2:0] _11_;
  wire [2:0] _12_;
  wire [2:0] _13_;
  wire [2:0] _14_;
  wire [2:0] _15_;
  wire [2:0] _16_;
  wire [2:0] _17_;
  wire [2:0] _18_;
  wire [2:0] _19_;
  wire _2_;
  wire [2:0] _20_;
  wire [2:0] _21_;
  wire [2:0] _22_;
  wire [2:0] _23_;
  wire [2:0] _24_;
  wire [2:0] _25_;
  wire [2:0] _26_;
  wire [2:0] _27_;
  wire _28_;
  wire _29_;
  wire _3_;
  wire [2:0] _30_;
  wire _31_;
  wire _32_;
  wire [2:0] _33_;
  wire _34_;
  wire _35_;
  wire _36_;
  wire _37_;
  wire [2:0] _38_;
  wire [2:0] _39_;
  wire [2:0] _4_;
  wire [2:0] _40_;
  wire [2:0] _41_;
  wire [2:0] _42_;
  wire [2:0] _43_;
  reg [2:0] _44_;
  reg [2:0] _45_;
  reg [2:0] _46_;
  reg [2:0] _47_;
  reg [1:0] _48_;
  reg [1:0] _49_;
  wire _5_;
  reg [2:0] _50_;
  reg _51_;
  reg _52_;
  reg [2:0] _53_;
  reg [2:0] _54_;
  reg [2:0] _55_;
  reg [2:0] _56_;
  wire _6_;
  wire [2:0] _7_;
  wire _8_;
  wire _9_;
  wire [2:0] _signature_addr_;
  wire [11:0] _signature_data_;
  wire _signature_en_;
  reg [1:0] active = 2'h0;
  reg at = 1'h0;
  wire [2:0] chosen;
  input clk;
  wire clk;
  input drop;
  wire drop;
  wire empty;
  wire fair;
  reg [2:0] first = 3'h0;
  wire [2:0] grant;
  output [11:0] head;
  wire [11:0] head;
  reg [2:0] hot = 3'h1;
  input [2:0] keep;
  wire [2:0] keep;
  output [2:0] kept;
  reg [2:0] kept = 3'h0;
  reg [2:0] kept_0 = 3'h0;
  reg [2:0] kept_1 = 3'h0;
  reg [2:0] kept_2 = 3'h0;
  reg [1:0] lap = 2'h0;
  output [2:0] last;
  reg [2:0] last = 3'h0;
  output occupied;
  reg occupied = 1'h0;
  reg [2:0] one = 3'h0;
  wire others;
  wire [2:0] read__addr;
  wire [11:0] read__data;
  wire [2:0] read_at;
  wire [2:0] requests;
  output [2:0] room;
  wire [2:0] room;
  input rst;
  wire rst;
  input store;
  wire store;
  input [1:0] store_class;
  wire [1:0] store_class;
  input store_last;
  wire store_last;
  wire [2:0] stored;
  wire take;
  reg [2:0] two = 3'h0;
  input waits;
  wire waits;
  input [11:0] word;
  wire [11:0] word;
  wire [2:0] write_at;
  reg [11:0] words [7:0];
  initial begin
    words[0] = 12'h000;
    words[1] = 12'h000;
    words[2] = 12'h000;
    words[3] = 12'h000;
    words[4] = 12'h000;
    words[5] = 12'h000;
    words[6] = 12'h000;
    words[7] = 12'h000;
  end
  always @(posedge clk) begin
    if (store)
      words[{ store_last, store_class }] <= word;
  end
  assign head = words[{ at, active }];
  assign _38_ = kept_0 & { chosen[0], chosen[0], chosen[0] };
  assign _40_ = kept_1 & { chosen[1], chosen[1], chosen[1] };
  assign _41_ = _39_ | _40_;
  assign _42_ = kept_2 & { chosen[2], chosen[2], chosen[2] };
  assign _43_ = _41_ | _42_;
  always @(posedge clk)
    one <= _44_;
  always @(posedge clk)
    two <= _45_;
  always @(posedge clk)
    first <= _46_;
  always @(posedge clk)
    last <= _47_;
  always @(posedge clk)
    lap <= _48_;
  always @(posedge clk)
    active <= _49_;
  always @(posedge clk)
    hot <= _50_;
  always @(posedge clk)
    at <= _51_;
  always @(posedge clk)
    occupied <= _52_;
  always @(posedge clk)
    kept_0 <= _53_;
  always @(posedge clk)
    kept_1 <= _54_;
  always @(posedge clk)
    kept_2 <= _55_;
  always @(posedge clk)
    kept <= _56_;
  assign room = ~ two;
  assign _1_ = ! store_class;
  assign _2_ = store_class == 1'h1;
  assign _3_ = store_class == 2'h2;
  assign _4_ = ~ hot;
  assign requests = one & _4_;
  assign fair = lap == 2'h3;
  assign _5_ = ~ waits;
  assign take = _5_ & fair;
  assign others = | requests;
  assign _6_ = ~ occupied;
  assign _7_ = two & hot;
  assign _8_ = | _7_;
  assign _9_ = ~ _8_;
  assign _10_ = drop & _9_;
  assign empty = _6_ | _10_;
  assign _11_ = { _3_, _2_, _1_ } & { store, store, store };
  assign _12_ = hot & { drop, drop, drop };
  assign _13_ = ~ two;
  assign _14_ = _12_ & _13_;
  assign _15_ = ~ _14_;
  assign _16_ = one & _15_;
  assign _17_ = _11_ | _16_;
  assign _18_ = { _3_, _2_, _1_ } & { store, store, store };
  assign _19_ = one & _18_;
  assign _20_ = two | _19_;
  assign _21_ = hot & { drop, drop, drop };
  assign _22_ = ~ _21_;
  assign _23_ = _20_ & _22_;
  assign _24_ = hot & { drop, drop, drop };
  assign _25_ = first ^ _24_;
  assign _26_ = { _3_, _2_, _1_ } & { store, store, store };
  assign _27_ = last ^ _26_;
  assign _28_ = ~ waits;
  assign _29_ = _28_ & others;
  assign _30_ = lap + 1'h1;
  assign _33_ = first & chosen;
  assign _34_ = | _33_;
  assign _35_ = ~ at;
  assign _36_ = ~ waits;
  assign _37_ = _36_ & others;
  noc_star_3_router_0_places_turns  turns (
    .clk(clk),
    .fair(fair),
    .grant(chosen),
    .requests(requests),
    .rst(rst),
    .take(take)
  );
  always @* begin
    if (_wake_3_) begin end
    _44_ = _17_;
    if (rst) begin
      _44_ = 3'h0;
    end
  end
  always @* begin
    if (_wake_3_) begin end
    _45_ = _23_;
    if (rst) begin
      _45_ = 3'h0;
    end
  end
  always @* begin
    if (_wake_3_) begin end
    _46_ = _25_;
    if (rst) begin
      _46_ = 3'h0;
    end
  end
  always @* begin
    if (_wake_3_) begin end
    _47_ = _27_;
    if (rst) begin
      _47_ = 3'h0;
    end
  end
  always @* begin
    if (_wake_3_) begin end
    _48_ = lap;
    if (_29_) begin
      _48_ = _30_[1:0];
    end
    if (rst) begin
      _48_ = 2'h0;
    end
  end
  always @* begin
    if (_wake_3_) begin end
    _49_ = active;
    if (_29_) begin
      _49_ = { _32_, _31_ };
    end else if (empty) begin
      _49_ = store_class;
    end
    if (rst) begin
      _49_ = 2'h0;
    end
  end
  always @* begin
    if (_wake_3_) begin end
    _50_ = hot;
    if (_29_) begin
      _50_ = chosen;
    end else if (empty) begin
      _50_ = { _3_, _2_, _1_ };
    end
    if (rst) begin
      _50_ = 3'h1;
    end
  end
  always @* begin
    if (_wake_3_) begin end
    _51_ = at;
    if (_29_) begin
      _51_ = _34_;
    end else if (empty) begin
      _51_ = store_last;
    end else if (drop) begin
      _51_ = _35_;
    end
    if (rst) begin
      _51_ = 1'h0;
    end
  end
  always @* begin
    if (_wake_3_) begin end
    _52_ = occupied;
    if (_29_) begin
      _52_ = 1'h1;
    end else if (empty) begin
      _52_ = store;
    end
    if (rst) begin
      _52_ = 1'h0;
    end
  end
  always @* begin
    if (_wake_3_) begin end
    _53_ = kept_0;
    if (hot[0]) begin
      _53_ = keep;
    end
    if (rst) begin
      _53_ = 3'h0;
    end
  end
  always @* begin
    if (_wake_3_) begin end
    _54_ = kept_1;
    if (hot[1]) begin
      _54_ = keep;
    end
    if (rst) begin
      _54_ = 3'h0;
    end
  end
  always @* begin
    if (_wake_3_) begin end
    _55_ = kept_2;
    if (hot[2]) begin
      _55_ = keep;
    end
    if (rst) begin
      _55_ = 3'h0;
    end
  end
  always @* begin
    if (_wake_3_) begin end
    (* full_case = 32'd1 *)
    if (_37_) begin
      _56_ = _43_;
    end else begin
      _56_ = keep;
    end
    if (rst) begin
      _56_ = 3'h0;
    end
  end
  assign stored = { _3_, _2_, _1_ };
  assign grant = chosen;
  assign write_at = { store_last, store_class };
  assign read_at = { at, active };
  assign _signature_en_ = store;
  assign _signature_addr_ = { store_last, store_class };
  assign _signature_data_ = word;
  assign read__addr = { at, active };
  assign read__data = head;
  assign _31_ = chosen[1];
  assign _32_ = chosen[2];
  assign _39_ = _38_;
endmodule

(* generator = "Amaranth" *)
module noc_star_3_router_0_places_turns (rst, requests, fair, take, grant, clk);
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
  wire _18_;
  wire _19_;
  wire _2_;
  wire _20_;
  wire _21_;
  wire _22_;
  wire _23_;
  wire _24_;
  wire _25_;
  reg _26_;
  reg _27_;
  wire _3_;
  wire _4_;
  wire _5_;
  wire _6_;
  wire _7_;
  wire _8_;
  wire _9_;
  input clk;
  wire clk;
  input fair;
  wire fair;
  output [2:0] grant;
  wire [2:0] grant;
  input [2:0] requests;
  wire [2:0] requests;
  input rst;
  wire rst;
  wire second_0_1;
  wire second_0_2;
  input take;
  wire take;
  reg turn_0_1 = 1'h0;
  reg turn_0_2 = 1'h0;
  assign _1_ = turn_0_2 & fair;
  assign _3_ = | requests[1:0];
  assign _4_ = ~ _3_;
  assign second_0_2 = _1_ ? _2_ : _4_;
  assign _5_ = turn_0_1 & fair;
  assign _8_ = ~ _7_;
  assign second_0_1 = _5_ ? _6_ : _8_;
  assign _9_ = ~ second_0_1;
  assign _11_ = ~ second_0_2;
  assign _12_ = _10_ & _11_;
  assign _13_ = requests[0] & _12_;
  assign _15_ = ~ second_0_2;
  assign _16_ = _14_ & _15_;
  assign _17_ = requests[1] & _16_;
  assign _19_ = requests[2] & _18_;
  assign _20_ = | grant;
  assign _21_ = take & _20_;
  assign _22_ = ~ second_0_2;
  assign _23_ = | grant[1:0];
  assign _24_ = take & _23_;
  assign _25_ = ~ second_0_1;
  always @(posedge clk)
    turn_0_2 <= _26_;
  always @(posedge clk)
    turn_0_1 <= _27_;
  always @* begin
    if (_wake_4_) begin end
    _26_ = turn_0_2;
    if (_21_) begin
      _26_ = _22_;
    end
    if (rst) begin
      _26_ = 1'h0;
    end
  end
  always @* begin
    if (_wake_4_) begin end
    _27_ = turn_0_1;
    if (_24_) begin
      _27_ = _25_;
    end
    if (rst) begin
      _27_ = 1'h0;
    end
  end
  assign grant[2] = _19_;
  assign grant[1] = _17_;
  assign grant[0] = _13_;
  assign _2_ = requests[2];
  assign _6_ = requests[1];
  assign _7_ = requests[0];
  assign _10_ = _9_;
  assign _14_ = second_0_1;
  assign _18_ = second_0_2;
endmodule

(* generator = "Amaranth" *)
module noc_star_3_router_0_rows (row__sends, row__code_0, row__code_1, deliver, code);
  reg _wake_5_; initial _wake_5_ = 0;
  input [3:0] code;
  wire [3:0] code;
  output deliver;
  reg deliver;
  output [3:0] row__code_0;
  wire [3:0] row__code_0;
  output [3:0] row__code_1;
  wire [3:0] row__code_1;
  wire row__deliver;
  wire row__last;
  output [1:0] row__sends;
  wire [1:0] row__sends;
  wire [-1:0] turn;
  always @* begin
    if (_wake_5_) begin end
    deliver = 1'h0;
    casez ({ code[3], code[0] })
      2'h0, 2'h1, 2'h2:
          deliver = 1'h1;
    endcase
  end
  assign row__deliver = deliver;
  assign row__last = 1'h1;
  assign row__code_1[3] = 1'h0;
  assign row__code_1[2] = code[0];
  assign row__code_1[1] = 1'h0;
  assign row__code_1[0] = code[0];
  assign row__code_0[3] = 1'h1;
  assign row__code_0[2] = 1'h0;
  assign row__code_0[1] = 1'h0;
  assign row__code_0[0] = 1'h1;
  assign row__sends[1] = code[3];
  assign row__sends[0] = code[0];
endmodule
