
(* generator = "Amaranth" *)
module noc_star_3_node_0(inject__valid, number, up_in_0__payload, up_in_0__valid, up_in_1__payload, up_in_1__valid, join_0_in_0__payload, join_0_in_0__valid, join_0_in_1__payload, join_0_in_1__valid, down_out_0__ready, down_out_1__ready, eject__ready, clk, rst, inject__ready, up_in_0__ready, up_in_1__ready, join_0_in_0__ready, join_0_in_1__ready, down_out_0__payload
, down_out_0__valid, down_out_1__payload, down_out_1__valid, eject__payload, eject__valid, dropped, mismatch, inject__payload);
  wire _1_;
  wire _2_;
  wire [7:0] _3_;
  wire [2:0] _4_;
  wire _5_;
  wire [1:0] _6_;
  wire [1:0] _7_;
  wire _8_;
  input clk;
  wire clk;
  output [13:0] down_out_0__payload;
  wire [13:0] down_out_0__payload;
  wire [7:0] down_out_0__payload_data;
  wire down_out_0__payload_last;
  wire [1:0] down_out_0__payload_operation;
  wire [2:0] down_out_0__payload_source;
  input down_out_0__ready;
  wire down_out_0__ready;
  output down_out_0__valid;
  wire down_out_0__valid;
  output [13:0] down_out_1__payload;
  wire [13:0] down_out_1__payload;
  wire [7:0] down_out_1__payload_data;
  wire down_out_1__payload_last;
  wire [1:0] down_out_1__payload_operation;
  wire [2:0] down_out_1__payload_source;
  input down_out_1__ready;
  wire down_out_1__ready;
  output down_out_1__valid;
  wire down_out_1__valid;
  output dropped;
  wire dropped;
  wire dropped_32;
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
  wire [9:0] first__payload;
  wire [14:0] first__payload_106;
  wire [9:0] first__payload_59;
  wire first__payload_59_choice;
  wire [7:0] first__payload_59_data;
  wire first__payload_59_last;
  wire [14:0] first__payload_90;
  wire [14:0] first__payload_96;
  wire first__payload_choice;
  wire [7:0] first__payload_data;
  wire first__payload_last;
  wire first__ready;
  wire first__ready_109;
  wire first__ready_62;
  wire first__ready_91;
  wire first__ready_97;
  wire first__valid;
  wire first__valid_104;
  wire first__valid_57;
  wire first__valid_89;
  wire first__valid_95;
  wire [10:0] i__payload;
  wire [14:0] i__payload_115;
  wire [9:0] i__payload_34;
  wire i__payload_34_choice;
  wire [7:0] i__payload_34_data;
  wire i__payload_34_last;
  wire [9:0] i__payload_37;
  wire i__payload_37_choice;
  wire [7:0] i__payload_37_data;
  wire i__payload_37_last;
  wire [9:0] i__payload_41;
  wire i__payload_41_choice;
  wire [7:0] i__payload_41_data;
  wire i__payload_41_last;
  wire [7:0] i__payload_data;
  wire i__payload_last;
  wire [1:0] i__payload_operation;
  wire i__ready;
  wire i__ready_118;
  wire i__ready_35;
  wire i__ready_38;
  wire i__ready_44;
  wire i__valid;
  wire i__valid_113;
  wire i__valid_33;
  wire i__valid_36;
  wire i__valid_39;
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
  wire [14:0] input_1__payload;
  wire input_1__ready;
  wire input_1__valid;
  wire [14:0] input_2__payload;
  wire input_2__ready;
  wire input_2__valid;
  wire [14:0] input_3__payload;
  wire input_3__ready;
  wire input_3__valid;
  wire [9:0] join_0__payload;
  wire join_0__payload_choice;
  wire [7:0] join_0__payload_data;
  wire join_0__payload_last;
  wire join_0__ready;
  wire join_0__valid;
  input [9:0] join_0_in_0__payload;
  wire [9:0] join_0_in_0__payload;
  wire join_0_in_0__payload_choice;
  wire [7:0] join_0_in_0__payload_data;
  wire join_0_in_0__payload_last;
  output join_0_in_0__ready;
  wire join_0_in_0__ready;
  input join_0_in_0__valid;
  wire join_0_in_0__valid;
  input [9:0] join_0_in_1__payload;
  wire [9:0] join_0_in_1__payload;
  wire join_0_in_1__payload_choice;
  wire [7:0] join_0_in_1__payload_data;
  wire join_0_in_1__payload_last;
  output join_0_in_1__ready;
  wire join_0_in_1__ready;
  input join_0_in_1__valid;
  wire join_0_in_1__valid;
  output mismatch;
  wire mismatch;
  wire mismatch_69;
  wire mismatch_70;
  input [2:0] number;
  wire [2:0] number;
  wire [14:0] o_0__payload;
  wire o_0__ready;
  wire o_0__valid;
  wire [14:0] o_1__payload;
  wire o_1__ready;
  wire o_1__valid;
  wire [14:0] o_2__payload;
  wire o_2__ready;
  wire o_2__valid;
  wire [9:0] o__payload;
  wire [14:0] o__payload_101;
  wire [14:0] o__payload_107;
  wire [14:0] o__payload_116;
  wire [9:0] o__payload_54;
  wire o__payload_54_choice;
  wire [7:0] o__payload_54_data;
  wire o__payload_54_last;
  wire [9:0] o__payload_60;
  wire o__payload_60_choice;
  wire [7:0] o__payload_60_data;
  wire o__payload_60_last;
  wire [9:0] o__payload_66;
  wire o__payload_66_choice;
  wire [7:0] o__payload_66_data;
  wire o__payload_66_last;
  wire [9:0] o__payload_86;
  wire o__payload_86_choice;
  wire [7:0] o__payload_86_data;
  wire o__payload_86_last;
  wire o__payload_choice;
  wire [7:0] o__payload_data;
  wire o__payload_last;
  wire o__ready;
  wire o__ready_102;
  wire o__ready_108;
  wire o__ready_117;
  wire o__ready_55;
  wire o__ready_61;
  wire o__ready_67;
  wire o__ready_87;
  wire o__valid;
  wire o__valid_105;
  wire o__valid_114;
  wire o__valid_52;
  wire o__valid_58;
  wire o__valid_64;
  wire o__valid_84;
  wire o__valid_99;
  input rst;
  wire rst;
  wire [9:0] second__payload;
  wire [14:0] second__payload_100;
  wire [14:0] second__payload_111;
  wire [9:0] second__payload_65;
  wire second__payload_65_choice;
  wire [7:0] second__payload_65_data;
  wire second__payload_65_last;
  wire [14:0] second__payload_93;
  wire second__payload_choice;
  wire [7:0] second__payload_data;
  wire second__payload_last;
  wire second__ready;
  wire second__ready_103;
  wire second__ready_112;
  wire second__ready_68;
  wire second__ready_94;
  wire second__valid;
  wire second__valid_110;
  wire second__valid_63;
  wire second__valid_92;
  wire second__valid_98;
  wire [10:0] sent__payload;
  wire [7:0] sent__payload_data;
  wire sent__payload_last;
  wire [1:0] sent__payload_operation;
  wire sent__ready;
  wire sent__valid;
  wire skip;
  input [13:0] up_in_0__payload;
  wire [13:0] up_in_0__payload;
  wire [7:0] up_in_0__payload_data;
  wire up_in_0__payload_last;
  wire [1:0] up_in_0__payload_operation;
  wire [2:0] up_in_0__payload_source;
  output up_in_0__ready;
  wire up_in_0__ready;
  input up_in_0__valid;
  wire up_in_0__valid;
  input [13:0] up_in_1__payload;
  wire [13:0] up_in_1__payload;
  wire [7:0] up_in_1__payload_data;
  wire up_in_1__payload_last;
  wire [1:0] up_in_1__payload_operation;
  wire [2:0] up_in_1__payload_source;
  output up_in_1__ready;
  wire up_in_1__ready;
  input up_in_1__valid;
  wire up_in_1__valid;
  assign _1_ = ! sent__payload[9:8];
  assign _6_ = _5_ ? 2'h2 : 2'h1;
  assign mismatch = | { mismatch_70, mismatch_69 };
  noc_star_3_node_0_arriving_0_0 arriving_0_0 (
    .clk(clk),
    .i__payload(join_0_in_0__payload),
    .i__ready(join_0_in_0__ready),
    .i__valid(join_0_in_0__valid),
    .o__payload(first__payload_59),
    .o__ready(o__ready_61),
    .o__valid(first__valid_57),
    .rst(rst)
  );
  noc_star_3_node_0_arriving_0_1 arriving_0_1 (
    .clk(clk),
    .i__payload(join_0_in_1__payload),
    .i__ready(join_0_in_1__ready),
    .i__valid(join_0_in_1__valid),
    .o__payload(second__payload),
    .o__ready(o__ready_55),
    .o__valid(second__valid),
    .rst(rst)
  );
  noc_star_3_node_0_dispatch dispatch (
    .dropped(dropped),
    .i__payload(inject__payload),
    .i__ready(inject__ready),
    .i__valid(inject__valid),
    .join_0__payload(i__payload_41),
    .join_0__ready(join_0__ready),
    .join_0__valid(i__valid_39),
    .sent__payload(sent__payload),
    .sent__ready(sent__ready),
    .sent__valid(input_0__valid)
  );
  noc_star_3_node_0_fork fork_ (
    .clk(clk),
    .i__ready(o__ready_117),
    .i__valid(i__valid_113),
    .o_0__payload(i__payload_115),
    .o_0__ready(down_out_0__ready),
    .o_0__valid(down_out_0__valid),
    .o_1__ready(down_out_1__ready),
    .o_1__valid(down_out_1__valid),
    .o_2__ready(eject__ready),
    .o_2__valid(eject__valid),
    .rst(rst)
  );
  noc_star_3_node_0_join_0_0 join_0_0 (
    .clk(clk),
    .first__payload(first__payload),
    .first__ready(o__ready),
    .first__valid(first__valid),
    .mismatch(mismatch_69),
    .o__payload(second__payload_65),
    .o__ready(o__ready_67),
    .o__valid(second__valid_63),
    .rst(rst),
    .second__payload(second__payload),
    .second__ready(o__ready_55),
    .second__valid(second__valid)
  );
  noc_star_3_node_0_join_0_1 join_0_1 (
    .clk(clk),
    .first__payload(first__payload_59),
    .first__ready(o__ready_61),
    .first__valid(first__valid_57),
    .mismatch(mismatch_70),
    .o__payload(o__payload_86),
    .o__ready(o__ready_87),
    .o__valid(input_3__valid),
    .rst(rst),
    .second__payload(second__payload_65),
    .second__ready(o__ready_67),
    .second__valid(second__valid_63)
  );
  noc_star_3_node_0_merge_0 merge_0 (
    .clk(clk),
    .first__ready(sent__ready),
    .first__valid(input_0__valid),
    .o__payload(second__payload_100),
    .o__ready(o__ready_102),
    .o__valid(second__valid_98),
    .port_0_14(number),
    .port_0_17(up_in_0__payload),
    .port_247_0(sent__payload),
    .port_3_0(_2_),
    .rst(rst),
    .second__ready(up_in_0__ready),
    .second__valid(up_in_0__valid)
  );
  noc_star_3_node_0_merge_1 merge_1 (
    .clk(clk),
    .first__ready(up_in_1__ready),
    .first__valid(up_in_1__valid),
    .o__payload(first__payload_106),
    .o__ready(o__ready_108),
    .o__valid(first__valid_104),
    .port_0_32(up_in_1__payload),
    .rst(rst),
    .second__payload(second__payload_100),
    .second__ready(o__ready_102),
    .second__valid(second__valid_98)
  );
  noc_star_3_node_0_merge_2 merge_2 (
    .clk(clk),
    .first__payload(first__payload_106),
    .first__ready(o__ready_108),
    .first__valid(first__valid_104),
    .o__payload(i__payload_115),
    .o__ready(o__ready_117),
    .o__valid(i__valid_113),
    .port_4_0(_3_),
    .port_5_0(3'h0),
    .port_8_0(_7_),
    .port_9_0(_8_),
    .rst(rst),
    .second__ready(o__ready_87),
    .second__valid(input_3__valid)
  );
  noc_star_3_node_0_waiting_0 waiting_0 (
    .clk(clk),
    .i__payload(i__payload_41),
    .i__ready(join_0__ready),
    .i__valid(i__valid_39),
    .o__payload(first__payload),
    .o__ready(o__ready),
    .o__valid(first__valid),
    .rst(rst)
  );
  assign i__valid = inject__valid;
  assign i__payload = inject__payload;
  assign i__ready = inject__ready;
  assign dropped_32 = dropped;
  assign i__valid_33 = join_0_in_0__valid;
  assign i__payload_34 = join_0_in_0__payload;
  assign i__ready_35 = join_0_in_0__ready;
  assign i__valid_36 = join_0_in_1__valid;
  assign i__payload_37 = join_0_in_1__payload;
  assign i__ready_38 = join_0_in_1__ready;
  assign join_0__valid = i__valid_39;
  assign join_0__payload = i__payload_41;
  assign i__ready_44 = join_0__ready;
  assign o__valid = first__valid;
  assign o__payload = first__payload;
  assign first__ready = o__ready;
  assign o__valid_52 = second__valid;
  assign o__payload_54 = second__payload;
  assign second__ready = o__ready_55;
  assign o__valid_58 = first__valid_57;
  assign o__payload_60 = first__payload_59;
  assign first__ready_62 = o__ready_61;
  assign o__valid_64 = second__valid_63;
  assign o__payload_66 = second__payload_65;
  assign second__ready_68 = o__ready_67;
  assign sent__valid = input_0__valid;
  assign input_0__payload = { _2_, sent__payload[10:8], number, sent__payload[7:0] };
  assign input_0__ready = sent__ready;
  assign input_1__valid = up_in_0__valid;
  assign input_1__payload = { 1'h0, up_in_0__payload };
  assign input_1__ready = up_in_0__ready;
  assign input_2__valid = up_in_1__valid;
  assign input_2__payload = { 1'h0, up_in_1__payload };
  assign input_2__ready = up_in_1__ready;
  assign o__valid_84 = input_3__valid;
  assign input_3__payload = { 1'h0, _8_, _7_, _4_, _3_ };
  assign input_3__ready = o__ready_87;
  assign first__valid_89 = input_0__valid;
  assign first__payload_90 = { _2_, sent__payload[10:8], number, sent__payload[7:0] };
  assign first__ready_91 = sent__ready;
  assign second__valid_92 = up_in_0__valid;
  assign second__payload_93 = { 1'h0, up_in_0__payload };
  assign second__ready_94 = up_in_0__ready;
  assign first__valid_95 = up_in_1__valid;
  assign first__payload_96 = { 1'h0, up_in_1__payload };
  assign first__ready_97 = up_in_1__ready;
  assign o__valid_99 = second__valid_98;
  assign o__payload_101 = second__payload_100;
  assign second__ready_103 = o__ready_102;
  assign o__valid_105 = first__valid_104;
  assign o__payload_107 = first__payload_106;
  assign first__ready_109 = o__ready_108;
  assign second__valid_110 = input_3__valid;
  assign second__payload_111 = { 1'h0, _8_, _7_, _4_, _3_ };
  assign second__ready_112 = o__ready_87;
  assign o__valid_114 = i__valid_113;
  assign o__payload_116 = i__payload_115;
  assign i__ready_118 = o__ready_117;
  assign skip = i__payload_115[14];
  assign o_0__valid = down_out_0__valid;
  assign o_0__payload = i__payload_115;
  assign o_0__ready = down_out_0__ready;
  assign o_1__valid = down_out_1__valid;
  assign o_1__payload = i__payload_115;
  assign o_1__ready = down_out_1__ready;
  assign o_2__valid = eject__valid;
  assign o_2__payload = i__payload_115;
  assign o_2__ready = eject__ready;
  assign down_out_0__payload = i__payload_115[13:0];
  assign down_out_1__payload = i__payload_115[13:0];
  assign eject__payload = i__payload_115[13:0];
  assign inject__payload_data = inject__payload[7:0];
  assign inject__payload_operation = inject__payload[9:8];
  assign inject__payload_last = inject__payload[10];
  assign up_in_0__payload_data = up_in_0__payload[7:0];
  assign up_in_0__payload_source = up_in_0__payload[10:8];
  assign up_in_0__payload_operation = up_in_0__payload[12:11];
  assign up_in_0__payload_last = up_in_0__payload[13];
  assign up_in_1__payload_data = up_in_1__payload[7:0];
  assign up_in_1__payload_source = up_in_1__payload[10:8];
  assign up_in_1__payload_operation = up_in_1__payload[12:11];
  assign up_in_1__payload_last = up_in_1__payload[13];
  assign join_0_in_0__payload_data = join_0_in_0__payload[7:0];
  assign join_0_in_0__payload_choice = join_0_in_0__payload[8];
  assign join_0_in_0__payload_last = join_0_in_0__payload[9];
  assign join_0_in_1__payload_data = join_0_in_1__payload[7:0];
  assign join_0_in_1__payload_choice = join_0_in_1__payload[8];
  assign join_0_in_1__payload_last = join_0_in_1__payload[9];
  assign down_out_0__payload_data = i__payload_115[7:0];
  assign down_out_0__payload_source = i__payload_115[10:8];
  assign down_out_0__payload_operation = i__payload_115[12:11];
  assign down_out_0__payload_last = i__payload_115[13];
  assign down_out_1__payload_data = i__payload_115[7:0];
  assign down_out_1__payload_source = i__payload_115[10:8];
  assign down_out_1__payload_operation = i__payload_115[12:11];
  assign down_out_1__payload_last = i__payload_115[13];
  assign eject__payload_data = i__payload_115[7:0];
  assign eject__payload_source = i__payload_115[10:8];
  assign eject__payload_operation = i__payload_115[12:11];
  assign eject__payload_last = i__payload_115[13];
  assign i__payload_data = inject__payload[7:0];
  assign i__payload_operation = inject__payload[9:8];
  assign i__payload_last = inject__payload[10];
  assign i__payload_34_data = join_0_in_0__payload[7:0];
  assign i__payload_34_choice = join_0_in_0__payload[8];
  assign i__payload_34_last = join_0_in_0__payload[9];
  assign i__payload_37_data = join_0_in_1__payload[7:0];
  assign i__payload_37_choice = join_0_in_1__payload[8];
  assign i__payload_37_last = join_0_in_1__payload[9];
  assign i__payload_41_data = i__payload_41[7:0];
  assign i__payload_41_choice = i__payload_41[8];
  assign i__payload_41_last = i__payload_41[9];
  assign join_0__payload_data = i__payload_41[7:0];
  assign join_0__payload_choice = i__payload_41[8];
  assign join_0__payload_last = i__payload_41[9];
  assign first__payload_data = first__payload[7:0];
  assign first__payload_choice = first__payload[8];
  assign first__payload_last = first__payload[9];
  assign o__payload_data = first__payload[7:0];
  assign o__payload_choice = first__payload[8];
  assign o__payload_last = first__payload[9];
  assign second__payload_data = second__payload[7:0];
  assign second__payload_choice = second__payload[8];
  assign second__payload_last = second__payload[9];
  assign o__payload_54_data = second__payload[7:0];
  assign o__payload_54_choice = second__payload[8];
  assign o__payload_54_last = second__payload[9];
  assign first__payload_59_data = first__payload_59[7:0];
  assign first__payload_59_choice = first__payload_59[8];
  assign first__payload_59_last = first__payload_59[9];
  assign o__payload_60_data = first__payload_59[7:0];
  assign o__payload_60_choice = first__payload_59[8];
  assign o__payload_60_last = first__payload_59[9];
  assign second__payload_65_data = second__payload_65[7:0];
  assign second__payload_65_choice = second__payload_65[8];
  assign second__payload_65_last = second__payload_65[9];
  assign o__payload_66_data = second__payload_65[7:0];
  assign o__payload_66_choice = second__payload_65[8];
  assign o__payload_66_last = second__payload_65[9];
  assign sent__payload_data = sent__payload[7:0];
  assign sent__payload_operation = sent__payload[9:8];
  assign sent__payload_last = sent__payload[10];
  assign o__payload_86_data = o__payload_86[7:0];
  assign o__payload_86_choice = o__payload_86[8];
  assign o__payload_86_last = o__payload_86[9];
  assign _2_ = _1_;
  assign _3_ = o__payload_86[7:0];
  assign _4_ = 3'h0;
  assign _5_ = o__payload_86[8];
  assign _7_ = _6_;
  assign _8_ = o__payload_86[9];
endmodule

(* generator = "Amaranth" *)
module noc_star_3_node_0_arriving_0_0(i__valid, clk, rst, o__payload, o__ready, o__valid, i__ready, i__payload);
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
  reg [9:0] _21_;
  reg [9:0] _22_;
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
  input [9:0] i__payload;
  wire [9:0] i__payload;
  wire i__payload_choice;
  wire [7:0] i__payload_data;
  wire i__payload_last;
  output i__ready;
  reg i__ready = 1'h1;
  input i__valid;
  wire i__valid;
  output [9:0] o__payload;
  wire [9:0] o__payload;
  wire o__payload_choice;
  wire [7:0] o__payload_data;
  wire o__payload_last;
  input o__ready;
  wire o__ready;
  output o__valid;
  reg o__valid = 1'h0;
  input rst;
  wire rst;
  reg [9:0] slot_0 = 10'h000;
  wire slot_0_choice;
  wire [7:0] slot_0_data;
  wire slot_0_last;
  reg [9:0] slot_1 = 10'h000;
  wire slot_1_choice;
  wire [7:0] slot_1_data;
  wire slot_1_last;
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
      _21_ = i__payload;
    end
  end
  always @* begin
    if (_wake_1_) begin end
    _22_ = slot_1;
    if (_17_) begin
      _22_ = i__payload;
    end
  end
  assign _signal_ = i__ready;
  assign _signal_3_ = o__valid;
  assign o__payload_data = o__payload[7:0];
  assign o__payload_choice = o__payload[8];
  assign o__payload_last = o__payload[9];
  assign slot_0_data = slot_0[7:0];
  assign slot_0_choice = slot_0[8];
  assign slot_0_last = slot_0[9];
  assign slot_1_data = slot_1[7:0];
  assign slot_1_choice = slot_1[8];
  assign slot_1_last = slot_1[9];
  assign i__payload_data = i__payload[7:0];
  assign i__payload_choice = i__payload[8];
  assign i__payload_last = i__payload[9];
  assign _16_ = _signal_4_;
endmodule

(* generator = "Amaranth" *)
module noc_star_3_node_0_arriving_0_1(i__valid, clk, rst, o__payload, o__ready, o__valid, i__ready, i__payload);
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
  reg _18_;
  reg _19_;
  wire _2_;
  reg _20_;
  reg [9:0] _21_;
  reg [9:0] _22_;
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
  input [9:0] i__payload;
  wire [9:0] i__payload;
  wire i__payload_choice;
  wire [7:0] i__payload_data;
  wire i__payload_last;
  output i__ready;
  reg i__ready = 1'h1;
  input i__valid;
  wire i__valid;
  output [9:0] o__payload;
  wire [9:0] o__payload;
  wire o__payload_choice;
  wire [7:0] o__payload_data;
  wire o__payload_last;
  input o__ready;
  wire o__ready;
  output o__valid;
  reg o__valid = 1'h0;
  input rst;
  wire rst;
  reg [9:0] slot_0 = 10'h000;
  wire slot_0_choice;
  wire [7:0] slot_0_data;
  wire slot_0_last;
  reg [9:0] slot_1 = 10'h000;
  wire slot_1_choice;
  wire [7:0] slot_1_data;
  wire slot_1_last;
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
    if (_wake_2_) begin end
    _18_ = _6_;
    if (rst) begin
      _18_ = 1'h0;
    end
  end
  always @* begin
    if (_wake_2_) begin end
    _19_ = _11_;
    if (rst) begin
      _19_ = 1'h1;
    end
  end
  always @* begin
    if (_wake_2_) begin end
    _20_ = _13_;
    if (rst) begin
      _20_ = 1'h0;
    end
  end
  always @* begin
    if (_wake_2_) begin end
    _21_ = slot_0;
    if (_15_) begin
      _21_ = i__payload;
    end
  end
  always @* begin
    if (_wake_2_) begin end
    _22_ = slot_1;
    if (_17_) begin
      _22_ = i__payload;
    end
  end
  assign _signal_ = i__ready;
  assign _signal_3_ = o__valid;
  assign o__payload_data = o__payload[7:0];
  assign o__payload_choice = o__payload[8];
  assign o__payload_last = o__payload[9];
  assign slot_0_data = slot_0[7:0];
  assign slot_0_choice = slot_0[8];
  assign slot_0_last = slot_0[9];
  assign slot_1_data = slot_1[7:0];
  assign slot_1_choice = slot_1[8];
  assign slot_1_last = slot_1[9];
  assign i__payload_data = i__payload[7:0];
  assign i__payload_choice = i__payload[8];
  assign i__payload_last = i__payload[9];
  assign _16_ = _signal_4_;
endmodule

(* generator = "Amaranth" *)
module noc_star_3_node_0_dispatch(i__valid, sent__valid, join_0__valid, i__ready, dropped, join_0__ready, sent__ready, sent__payload, join_0__payload, i__payload);
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
module noc_star_3_node_0_fork(o_1__ready, o_2__ready, clk, rst, o_0__payload, o_0__valid, o_1__valid, o_2__valid, i__ready, i__valid, o_0__ready);
  reg _wake_3_; initial _wake_3_ = 0;
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
  wire [14:0] o_1__payload;
  input o_1__ready;
  wire o_1__ready;
  output o_1__valid;
  wire o_1__valid;
  wire [14:0] o_2__payload;
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
  assign _13_ = ~ o_0__payload[14];
  assign o_2__valid = _12_ & _13_;
  assign _14_ = _signal_[2] | o_2__ready;
  assign _15_ = _14_ | o_0__payload[14];
  assign i__ready = & done;
  assign _16_ = ~ i__ready;
  assign _17_ = i__valid & _16_;
  assign _18_ = _17_ ? done : 3'h0;
  always @(posedge clk)
    _signal_ <= _19_;
  always @* begin
    if (_wake_3_) begin end
    _19_ = _18_;
    if (rst) begin
      _19_ = 3'h0;
    end
  end
  assign i__payload = o_0__payload;
  assign o_1__payload = o_0__payload;
  assign skip = o_0__payload[14];
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
module noc_star_3_node_0_join_0_0(rst, second__payload, first__ready, second__ready, mismatch, o__ready, second__valid, first__valid, first__payload, o__valid, o__payload, clk);
  wire _1_;
  wire _2_;
  wire _3_;
  wire _4_;
  wire [8:0] _5_;
  wire _signal_;
  wire _signal_10_;
  input clk;
  wire clk;
  input [9:0] first__payload;
  wire [9:0] first__payload;
  wire first__payload_choice;
  wire [7:0] first__payload_data;
  wire first__payload_last;
  output first__ready;
  wire first__ready;
  input first__valid;
  wire first__valid;
  wire [9:0] i__payload;
  wire i__payload_choice;
  wire [7:0] i__payload_data;
  wire i__payload_last;
  wire i__ready;
  wire i__valid;
  output mismatch;
  wire mismatch;
  output [9:0] o__payload;
  wire [9:0] o__payload;
  wire [9:0] o__payload_1;
  wire o__payload_1_choice;
  wire [7:0] o__payload_1_data;
  wire o__payload_1_last;
  wire o__payload_choice;
  wire [7:0] o__payload_data;
  wire o__payload_last;
  input o__ready;
  wire o__ready;
  wire o__ready_3;
  output o__valid;
  wire o__valid;
  wire o__valid_5;
  input rst;
  wire rst;
  input [9:0] second__payload;
  wire [9:0] second__payload;
  wire second__payload_choice;
  wire [7:0] second__payload_data;
  wire second__payload_last;
  output second__ready;
  wire second__ready;
  input second__valid;
  wire second__valid;
  wire valid;
  assign _3_ = first__payload[9] != second__payload[9];
  assign _4_ = _2_ | _3_;
  assign mismatch = _signal_ & _4_;
  assign _5_ = first__payload[7:0] + second__payload[7:0];
  assign _signal_ = first__valid & second__valid;
  assign first__ready = _signal_10_ & second__valid;
  assign second__ready = _signal_10_ & first__valid;
  assign _1_ = first__payload[8] != second__payload[8];
  noc_star_3_node_0_join_0_0_buffer buffer (
    .clk(clk),
    .i__payload(i__payload),
    .i__ready(_signal_10_),
    .i__valid(_signal_),
    .o__payload(o__payload),
    .o__ready(o__ready),
    .o__valid(o__valid),
    .rst(rst)
  );
  assign o__payload_1 = o__payload;
  assign o__ready_3 = o__ready;
  assign o__valid_5 = o__valid;
  assign valid = _signal_;
  assign i__ready = _signal_10_;
  assign i__valid = _signal_;
  assign o__payload_data = o__payload[7:0];
  assign o__payload_choice = o__payload[8];
  assign o__payload_last = o__payload[9];
  assign o__payload_1_data = o__payload[7:0];
  assign o__payload_1_choice = o__payload[8];
  assign o__payload_1_last = o__payload[9];
  assign i__payload_data = i__payload[7:0];
  assign i__payload_choice = i__payload[8];
  assign i__payload_last = i__payload[9];
  assign first__payload_data = first__payload[7:0];
  assign first__payload_choice = first__payload[8];
  assign first__payload_last = first__payload[9];
  assign second__payload_data = second__payload[7:0];
  assign second__payload_choice = second__payload[8];
  assign second__payload_last = second__payload[9];
  assign i__payload[7:0] = _5_[7:0];
  assign i__payload[9:8] = first__payload[9:8];
  assign _2_ = _1_;
endmodule

(* generator = "Amaranth" *)
module noc_star_3_node_0_join_0_0_buffer(rst, i__valid, i__ready, o__ready, i__payload, o__valid, o__payload, clk);
  reg _wake_4_; initial _wake_4_ = 0;
  wire _1_;
  reg _2_;
  reg [9:0] _3_;
  reg _signal_ = 1'h0;
  input clk;
  wire clk;
  input [9:0] i__payload;
  wire [9:0] i__payload;
  wire i__payload_choice;
  wire [7:0] i__payload_data;
  wire i__payload_last;
  output i__ready;
  wire i__ready;
  input i__valid;
  wire i__valid;
  output [9:0] o__payload;
  reg [9:0] o__payload = 10'h000;
  wire o__payload_choice;
  wire [7:0] o__payload_data;
  wire o__payload_last;
  input o__ready;
  wire o__ready;
  (* init = 1'h0 *)
  output o__valid;
  wire o__valid;
  input rst;
  wire rst;
  (* init = 10'h000 *)
  wire [9:0] slot;
  wire slot_choice;
  wire [7:0] slot_data;
  wire slot_last;
  assign _1_ = ~ _signal_;
  assign i__ready = _1_ | o__ready;
  always @(posedge clk)
    _signal_ <= _2_;
  always @(posedge clk)
    o__payload <= _3_;
  always @* begin
    if (_wake_4_) begin end
    _2_ = _signal_;
    if (i__ready) begin
      _2_ = i__valid;
    end
    if (rst) begin
      _2_ = 1'h0;
    end
  end
  always @* begin
    if (_wake_4_) begin end
    _3_ = o__payload;
    if (i__ready) begin
      _3_ = i__payload;
    end
  end
  assign slot = o__payload;
  assign o__valid = _signal_;
  assign o__payload_data = o__payload[7:0];
  assign o__payload_choice = o__payload[8];
  assign o__payload_last = o__payload[9];
  assign slot_data = o__payload[7:0];
  assign slot_choice = o__payload[8];
  assign slot_last = o__payload[9];
  assign i__payload_data = i__payload[7:0];
  assign i__payload_choice = i__payload[8];
  assign i__payload_last = i__payload[9];
endmodule

(* generator = "Amaranth" *)
module noc_star_3_node_0_join_0_1(rst, first__payload, first__ready, second__ready, mismatch, o__payload, o__ready, first__valid, second__valid, second__payload, o__valid, clk);
  wire _1_;
  wire _2_;
  wire _3_;
  wire _4_;
  wire [8:0] _5_;
  wire _signal_;
  wire _signal_10_;
  input clk;
  wire clk;
  input [9:0] first__payload;
  wire [9:0] first__payload;
  wire first__payload_choice;
  wire [7:0] first__payload_data;
  wire first__payload_last;
  output first__ready;
  wire first__ready;
  input first__valid;
  wire first__valid;
  wire [9:0] i__payload;
  wire i__payload_choice;
  wire [7:0] i__payload_data;
  wire i__payload_last;
  wire i__ready;
  wire i__valid;
  output mismatch;
  wire mismatch;
  output [9:0] o__payload;
  wire [9:0] o__payload;
  wire [9:0] o__payload_1;
  wire o__payload_1_choice;
  wire [7:0] o__payload_1_data;
  wire o__payload_1_last;
  wire o__payload_choice;
  wire [7:0] o__payload_data;
  wire o__payload_last;
  input o__ready;
  wire o__ready;
  wire o__ready_3;
  output o__valid;
  wire o__valid;
  wire o__valid_5;
  input rst;
  wire rst;
  input [9:0] second__payload;
  wire [9:0] second__payload;
  wire second__payload_choice;
  wire [7:0] second__payload_data;
  wire second__payload_last;
  output second__ready;
  wire second__ready;
  input second__valid;
  wire second__valid;
  wire valid;
  assign _3_ = first__payload[9] != second__payload[9];
  assign _4_ = _2_ | _3_;
  assign mismatch = _signal_ & _4_;
  assign _5_ = first__payload[7:0] + second__payload[7:0];
  assign _signal_ = first__valid & second__valid;
  assign first__ready = _signal_10_ & second__valid;
  assign second__ready = _signal_10_ & first__valid;
  assign _1_ = first__payload[8] != second__payload[8];
  noc_star_3_node_0_join_0_1_buffer buffer (
    .clk(clk),
    .i__payload(i__payload),
    .i__ready(_signal_10_),
    .i__valid(_signal_),
    .o__payload(o__payload),
    .o__ready(o__ready),
    .o__valid(o__valid),
    .rst(rst)
  );
  assign o__payload_1 = o__payload;
  assign o__ready_3 = o__ready;
  assign o__valid_5 = o__valid;
  assign valid = _signal_;
  assign i__ready = _signal_10_;
  assign i__valid = _signal_;
  assign o__payload_data = o__payload[7:0];
  assign o__payload_choice = o__payload[8];
  assign o__payload_last = o__payload[9];
  assign o__payload_1_data = o__payload[7:0];
  assign o__payload_1_choice = o__payload[8];
  assign o__payload_1_last = o__payload[9];
  assign i__payload_data = i__payload[7:0];
  assign i__payload_choice = i__payload[8];
  assign i__payload_last = i__payload[9];
  assign first__payload_data = first__payload[7:0];
  assign first__payload_choice = first__payload[8];
  assign first__payload_last = first__payload[9];
  assign second__payload_data = second__payload[7:0];
  assign second__payload_choice = second__payload[8];
  assign second__payload_last = second__payload[9];
  assign i__payload[7:0] = _5_[7:0];
  assign i__payload[9:8] = first__payload[9:8];
  assign _2_ = _1_;
endmodule

(* generator = "Amaranth" *)
module noc_star_3_node_0_join_0_1_buffer(rst, i__valid, o__payload, o__ready, i__payload, o__valid, i__ready, clk);
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
  reg [9:0] _21_;
  reg [9:0] _22_;
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
  input [9:0] i__payload;
  wire [9:0] i__payload;
  wire i__payload_choice;
  wire [7:0] i__payload_data;
  wire i__payload_last;
  output i__ready;
  reg i__ready = 1'h1;
  input i__valid;
  wire i__valid;
  output [9:0] o__payload;
  wire [9:0] o__payload;
  wire o__payload_choice;
  wire [7:0] o__payload_data;
  wire o__payload_last;
  input o__ready;
  wire o__ready;
  output o__valid;
  reg o__valid = 1'h0;
  input rst;
  wire rst;
  reg [9:0] slot_0 = 10'h000;
  wire slot_0_choice;
  wire [7:0] slot_0_data;
  wire slot_0_last;
  reg [9:0] slot_1 = 10'h000;
  wire slot_1_choice;
  wire [7:0] slot_1_data;
  wire slot_1_last;
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
  assign o__payload_data = o__payload[7:0];
  assign o__payload_choice = o__payload[8];
  assign o__payload_last = o__payload[9];
  assign slot_0_data = slot_0[7:0];
  assign slot_0_choice = slot_0[8];
  assign slot_0_last = slot_0[9];
  assign slot_1_data = slot_1[7:0];
  assign slot_1_choice = slot_1[8];
  assign slot_1_last = slot_1[9];
  assign i__payload_data = i__payload[7:0];
  assign i__payload_choice = i__payload[8];
  assign i__payload_last = i__payload[9];
  assign _16_ = _signal_4_;
endmodule

(* generator = "Amaranth" *)
module noc_star_3_node_0_merge_0(port_0_17, second__valid, clk, rst, port_3_0, first__valid, first__ready, second__ready, o__payload, o__ready, port_247_0, o__valid, port_0_14);
  reg _wake_6_; initial _wake_6_ = 0;
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
  wire [14:0] first__payload;
  output first__ready;
  wire first__ready;
  input first__valid;
  wire first__valid;
  wire [14:0] i__payload;
  wire i__ready;
  wire i__valid;
  reg last = 1'h1;
  reg more = 1'h0;
  output [14:0] o__payload;
  wire [14:0] o__payload;
  wire [14:0] o__payload_12;
  input o__ready;
  wire o__ready;
  wire o__ready_14;
  output o__valid;
  wire o__valid;
  wire o__valid_16;
  input [2:0] port_0_14;
  wire [2:0] port_0_14;
  input [13:0] port_0_17;
  wire [13:0] port_0_17;
  input [10:0] port_247_0;
  wire [10:0] port_247_0;
  input port_3_0;
  wire port_3_0;
  input rst;
  wire rst;
  wire second;
  wire [14:0] second__payload;
  output second__ready;
  wire second__ready;
  input second__valid;
  wire second__valid;
  assign _1_ = ~ first__valid;
  assign second = _signal_ ? second__valid : _1_;
  assign i__valid = first__valid | second__valid;
  assign i__payload = second ? { 1'h0, port_0_17 } : { port_3_0, port_247_0[10:8], port_0_14, port_247_0[7:0] };
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
    if (_wake_6_) begin end
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
    if (_wake_6_) begin end
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
    if (_wake_6_) begin end
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
  assign first__payload = { port_3_0, port_247_0[10:8], port_0_14, port_247_0[7:0] };
  assign second__payload = { 1'h0, port_0_17 };
  assign o__payload_12 = o__payload;
  assign o__ready_14 = o__ready;
  assign o__valid_16 = o__valid;
  assign _9_ = more;
endmodule

(* generator = "Amaranth" *)
module noc_star_3_node_0_merge_0_buffer(rst, i__valid, i__payload, o__payload, o__ready, o__valid, i__ready, clk);
  reg _wake_7_; initial _wake_7_ = 0;
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
  reg [14:0] _21_;
  reg [14:0] _22_;
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
  input [14:0] i__payload;
  wire [14:0] i__payload;
  output i__ready;
  reg i__ready = 1'h1;
  input i__valid;
  wire i__valid;
  output [14:0] o__payload;
  wire [14:0] o__payload;
  input o__ready;
  wire o__ready;
  output o__valid;
  reg o__valid = 1'h0;
  input rst;
  wire rst;
  reg [14:0] slot_0 = 15'h0000;
  reg [14:0] slot_1 = 15'h0000;
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
    if (_wake_7_) begin end
    _18_ = _6_;
    if (rst) begin
      _18_ = 1'h0;
    end
  end
  always @* begin
    if (_wake_7_) begin end
    _19_ = _11_;
    if (rst) begin
      _19_ = 1'h1;
    end
  end
  always @* begin
    if (_wake_7_) begin end
    _20_ = _13_;
    if (rst) begin
      _20_ = 1'h0;
    end
  end
  always @* begin
    if (_wake_7_) begin end
    _21_ = slot_0;
    if (_15_) begin
      _21_ = i__payload;
    end
  end
  always @* begin
    if (_wake_7_) begin end
    _22_ = slot_1;
    if (_17_) begin
      _22_ = i__payload;
    end
  end
  assign _signal_ = i__ready;
  assign _signal_3_ = o__valid;
  assign _16_ = _signal_4_;
endmodule

(* generator = "Amaranth" *)
module noc_star_3_node_0_merge_1(first__valid, clk, rst, second__payload, first__ready, second__ready, o__ready, second__valid, o__valid, o__payload, port_0_32);
  reg _wake_8_; initial _wake_8_ = 0;
  wire _1_;
  wire _2_;
  wire _3_;
  wire _4_;
  wire _5_;
  reg _6_;
  reg _signal_ = 1'h0;
  input clk;
  wire clk;
  wire [14:0] first__payload;
  output first__ready;
  wire first__ready;
  input first__valid;
  wire first__valid;
  wire [14:0] i__payload;
  wire i__ready;
  wire i__valid;
  output [14:0] o__payload;
  wire [14:0] o__payload;
  wire [14:0] o__payload_12;
  input o__ready;
  wire o__ready;
  wire o__ready_14;
  output o__valid;
  wire o__valid;
  wire o__valid_16;
  input [13:0] port_0_32;
  wire [13:0] port_0_32;
  input rst;
  wire rst;
  wire second;
  input [14:0] second__payload;
  wire [14:0] second__payload;
  output second__ready;
  wire second__ready;
  input second__valid;
  wire second__valid;
  assign i__payload = second ? second__payload : { 1'h0, port_0_32 };
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
    if (_wake_8_) begin end
    _6_ = _5_;
    if (rst) begin
      _6_ = 1'h0;
    end
  end
  assign first__payload = { 1'h0, port_0_32 };
  assign o__payload_12 = o__payload;
  assign o__ready_14 = o__ready;
  assign o__valid_16 = o__valid;
endmodule

(* generator = "Amaranth" *)
module noc_star_3_node_0_merge_1_buffer(rst, i__valid, i__payload, i__ready, o__ready, o__valid, o__payload, clk);
  reg _wake_9_; initial _wake_9_ = 0;
  wire _1_;
  reg _2_;
  reg [14:0] _3_;
  reg _signal_ = 1'h0;
  input clk;
  wire clk;
  input [14:0] i__payload;
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
    if (_wake_9_) begin end
    _2_ = _signal_;
    if (i__ready) begin
      _2_ = i__valid;
    end
    if (rst) begin
      _2_ = 1'h0;
    end
  end
  always @* begin
    if (_wake_9_) begin end
    _3_ = o__payload;
    if (i__ready) begin
      _3_ = i__payload;
    end
  end
  assign slot = o__payload;
  assign o__valid = _signal_;
endmodule

(* generator = "Amaranth" *)
module noc_star_3_node_0_merge_2(rst, port_4_0, port_5_0, port_8_0, port_9_0, first__ready, second__ready, o__payload, o__ready, second__valid, first__valid, first__payload, o__valid, clk);
  reg _wake_10_; initial _wake_10_ = 0;
  wire _1_;
  wire _2_;
  wire _3_;
  wire _4_;
  wire _5_;
  reg _6_;
  reg _signal_ = 1'h0;
  input clk;
  wire clk;
  input [14:0] first__payload;
  wire [14:0] first__payload;
  output first__ready;
  wire first__ready;
  input first__valid;
  wire first__valid;
  wire [14:0] i__payload;
  wire i__ready;
  wire i__valid;
  output [14:0] o__payload;
  wire [14:0] o__payload;
  wire [14:0] o__payload_12;
  input o__ready;
  wire o__ready;
  wire o__ready_14;
  output o__valid;
  wire o__valid;
  wire o__valid_16;
  input [7:0] port_4_0;
  wire [7:0] port_4_0;
  input [2:0] port_5_0;
  wire [2:0] port_5_0;
  input [1:0] port_8_0;
  wire [1:0] port_8_0;
  input port_9_0;
  wire port_9_0;
  input rst;
  wire rst;
  wire second;
  wire [14:0] second__payload;
  output second__ready;
  wire second__ready;
  input second__valid;
  wire second__valid;
  assign i__payload = second ? { 1'h0, port_9_0, port_8_0, port_5_0, port_4_0 } : first__payload;
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
  noc_star_3_node_0_merge_2_buffer buffer (
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
    if (_wake_10_) begin end
    _6_ = _5_;
    if (rst) begin
      _6_ = 1'h0;
    end
  end
  assign second__payload = { 1'h0, port_9_0, port_8_0, port_5_0, port_4_0 };
  assign o__payload_12 = o__payload;
  assign o__ready_14 = o__ready;
  assign o__valid_16 = o__valid;
endmodule

(* generator = "Amaranth" *)
module noc_star_3_node_0_merge_2_buffer(rst, i__valid, i__payload, o__payload, o__ready, o__valid, i__ready, clk);
  reg _wake_11_; initial _wake_11_ = 0;
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
  reg [14:0] _21_;
  reg [14:0] _22_;
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
  input [14:0] i__payload;
  wire [14:0] i__payload;
  output i__ready;
  reg i__ready = 1'h1;
  input i__valid;
  wire i__valid;
  output [14:0] o__payload;
  wire [14:0] o__payload;
  input o__ready;
  wire o__ready;
  output o__valid;
  reg o__valid = 1'h0;
  input rst;
  wire rst;
  reg [14:0] slot_0 = 15'h0000;
  reg [14:0] slot_1 = 15'h0000;
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
    if (_wake_11_) begin end
    _18_ = _6_;
    if (rst) begin
      _18_ = 1'h0;
    end
  end
  always @* begin
    if (_wake_11_) begin end
    _19_ = _11_;
    if (rst) begin
      _19_ = 1'h1;
    end
  end
  always @* begin
    if (_wake_11_) begin end
    _20_ = _13_;
    if (rst) begin
      _20_ = 1'h0;
    end
  end
  always @* begin
    if (_wake_11_) begin end
    _21_ = slot_0;
    if (_15_) begin
      _21_ = i__payload;
    end
  end
  always @* begin
    if (_wake_11_) begin end
    _22_ = slot_1;
    if (_17_) begin
      _22_ = i__payload;
    end
  end
  assign _signal_ = i__ready;
  assign _signal_3_ = o__valid;
  assign _16_ = _signal_4_;
endmodule

(* generator = "Amaranth" *)
module noc_star_3_node_0_waiting_0(rst, i__valid, i__ready, o__ready, i__payload, o__valid, o__payload, clk);
  reg _wake_12_; initial _wake_12_ = 0;
  wire _1_;
  reg _2_;
  reg [9:0] _3_;
  reg _signal_ = 1'h0;
  input clk;
  wire clk;
  input [9:0] i__payload;
  wire [9:0] i__payload;
  wire i__payload_choice;
  wire [7:0] i__payload_data;
  wire i__payload_last;
  output i__ready;
  wire i__ready;
  input i__valid;
  wire i__valid;
  output [9:0] o__payload;
  reg [9:0] o__payload = 10'h000;
  wire o__payload_choice;
  wire [7:0] o__payload_data;
  wire o__payload_last;
  input o__ready;
  wire o__ready;
  (* init = 1'h0 *)
  output o__valid;
  wire o__valid;
  input rst;
  wire rst;
  (* init = 10'h000 *)
  wire [9:0] slot;
  wire slot_choice;
  wire [7:0] slot_data;
  wire slot_last;
  assign _1_ = ~ _signal_;
  assign i__ready = _1_ | o__ready;
  always @(posedge clk)
    _signal_ <= _2_;
  always @(posedge clk)
    o__payload <= _3_;
  always @* begin
    if (_wake_12_) begin end
    _2_ = _signal_;
    if (i__ready) begin
      _2_ = i__valid;
    end
    if (rst) begin
      _2_ = 1'h0;
    end
  end
  always @* begin
    if (_wake_12_) begin end
    _3_ = o__payload;
    if (i__ready) begin
      _3_ = i__payload;
    end
  end
  assign slot = o__payload;
  assign o__valid = _signal_;
  assign o__payload_data = o__payload[7:0];
  assign o__payload_choice = o__payload[8];
  assign o__payload_last = o__payload[9];
  assign slot_data = o__payload[7:0];
  assign slot_choice = o__payload[8];
  assign slot_last = o__payload[9];
  assign i__payload_data = i__payload[7:0];
  assign i__payload_choice = i__payload[8];
  assign i__payload_last = i__payload[9];
endmodule
