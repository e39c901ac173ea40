# SPDX-License-Identifier: MIT
package Made;

# Traces of a kernel as LTTng writes them (CTF 1.8), with events made up by a test.

use strict;
use warnings;
use Digest::MD5 qw(md5);
use File::Path qw(make_path);

my $second = 1_000_000_000;
my ($u32, $i32, $i64) = map { "integer { size = $_->[0]; align = 8; signed = $_->[1]; }" } [32, 'false'], [32, 'true'], [64, 'true'];
my ($u8, $u64) = map { "integer { size = $_; align = 8; signed = false; }" } 8, 64;
my $comm = 'integer { size = 8; align = 8; signed = false; encoding = UTF8; }';
my $vector = [ "$i32 vector;", 'l<' ];
my $woken = [ "$comm comm[16]; $i32 tid; $i32 prio; $i32 target_cpu;", 'a16l<l<l<' ];
my %fields = (
    sched_switch => [ "$comm prev_comm[16]; $i32 prev_tid; $i32 prev_prio; $i64 prev_state; $comm next_comm[16]; $i32 next_tid; $i32 next_prio;", 'a16l<l<q<a16l<l<' ],
    sched_waking => $woken, sched_wakeup => $woken,
    sched_migrate_task => [ "$comm comm[16]; $i32 tid; $i32 prio; $i32 orig_cpu; $i32 dest_cpu;", 'a16l<l<l<l<' ],
    x86_irq_vectors_local_timer_entry => $vector, x86_irq_vectors_local_timer_exit => $vector,
    irq_handler_entry => [ "$i32 irq; $comm name[16];", 'l<a16' ], irq_handler_exit => [ "$i32 irq; $i32 ret;", 'l<l<' ],
    syscall_entry_getppid => [ '', '' ], syscall_exit_getppid => [ "$i64 ret;", 'q<' ],
    kvm_x86_entry => [ "$u32 vcpu_id;", 'L<' ], kvm_x86_exit => [ "$u32 exit_reason; $u32 isa;", 'L<L<' ],
    kvm_entry => [ "$u64 vcpu_pc;", 'Q<' ], kvm_exit => [ "$i32 ret; $u32 esr_ec; $u64 vcpu_pc;", 'l<L<Q<' ],   # of arm64
    lttng_statedump_process_state => [ "$i32 tid; $i32 pid; $i32 ppid; $comm name[16]; $i32 type; $i32 mode; $i32 submode; $i32 status; $u32 cpu;",
        'l<l<l<a16l<l<l<l<L<' ],
);
my @classes = sort keys %fields;
my %id = map { $classes[$_] => $_ } 0 .. $#classes;

# Add events for this test: name => [fields in TSDL, the same for pack]. Call before the first trace.
sub also {
    my (%more) = @_;
    @fields{keys %more} = values %more;
    @classes = sort keys %fields;
    %id = map { $classes[$_] => $_ } 0 .. $#classes;
}

# Add network packets, as LTTng has them: skbaddr, len, name, 1 (IPv4), the header's numbers, 1 (TCP) or 2 (UDP), and the rest as bytes.
sub packets {
    my $number = sub { my ($name, $bytes) = @_; return sprintf 'integer { size = %d; align = 8; signed = false; byte_order = be; } %s;', 8 * $bytes, $name };
    my $ip = join ' ', map({ $number->($_, 1) } qw(version ihl)), map({ $number->($_, 2) } qw(tot_len id frag_off)), $number->('protocol', 1), $number->('saddr[4]', 1), $number->('daddr[4]', 1);
    my $udp = join ' ', map { $number->($_, 2) } qw(source_port dest_port check);
    my $tcp = join ' ', map({ $number->($_, 2) } qw(source_port dest_port)), $number->('seq', 4), $number->('data_offset', 1), map({ $number->($_, 2) } qw(flags check));
    my $packet = ['integer { size = 64; align = 8; signed = false; } skbaddr; integer { size = 32; align = 8; signed = false; } len; string name;'
        . ' enum : integer { size = 8; align = 8; signed = false; } { _ipv4 = 1 } network_header_type; variant <network_header_type> { struct {' . $ip
        . ' enum : integer { size = 8; align = 8; signed = false; } { _tcp = 1, _udp = 2 } transport_header_type; variant <transport_header_type> { struct {' . $tcp . ' } _tcp; struct {' . $udp
        . ' } _udp; } transport_header; } _ipv4; } network_header;', 'Q<L<Z* C CC nnn C a4 a4 C a*'];
    also(net_dev_queue => $packet, net_if_receive_skb => $packet);
}

my $packet = "packet.context := struct { ts_t timestamp_begin; ts_t timestamp_end; $u64 content_size; $u64 packet_size; $u64 packet_seq_num; $u64 events_discarded; $u32 cpu_id; }";
my $head = 24 + 8 + 8 * 6 + 4;

# Write a trace into the folder PATH. OF: { host, epoch: seconds since 1970 at the clock's 0, lost: { cpu => [from, to] } in which all events are lost, without: names of classes to
# leave out, uuid_of: seed of the UUID, if not the path, copies: how often everything repeats, each 2^32 ns or a multiple later, contexts: names of numbers in each event, values:
# function that gives them for an event, each: function that changes the bytes of a copy, of equal length, given them and its number }. EVENTS, [time, cpu, name, fields...], are in
# any order. Returns PATH.
sub trace {
    my ($path, $of, @events) = @_;
    my %lost = %{$of->{lost} // {}};
    my $times = $of->{copies} ? 'L<L<' : 'L<Q<';	# the lower half of a time is equal in all copies
    my (%parts, %dropped, $first, $last);
    for (sort { $a->[0] <=> $b->[0] } @events) {
        my ($time, $cpu, $name, @fields) = @$_;
        $first //= $time;
        $last = $time;
        my $gap = $lost{$cpu};
        if ($gap && $time > $gap->[0] && $time < $gap->[1]) {
            $dropped{$cpu}++;
        } else {
            $parts{$cpu}[$gap && $time >= $gap->[1] ? 1 : 0] .= pack($times, $id{$name} // die("no class $name"), $time & ($of->{copies} ? 0xffffffff : ~0)) . pack('Q<*', $of->{contexts} ? $of->{values}->(@$_) : ()) . pack($fields{$name}[1], @fields);
        }
    }
    make_path($path);
    my $uuid = md5($of->{uuid_of} // $path);
    _spew("$path/metadata", _metadata($of, join '-', unpack 'H8H4H4H4H12', $uuid));
    for my $cpu (keys %parts) {
        my $gap = $lost{$cpu};
        my @packets = $gap ? ([ $first, $gap->[0], 0, $parts{$cpu}[0] // '' ], [ @$gap, $dropped{$cpu}, '' ], [ $gap->[1], $last + 10, $dropped{$cpu}, $parts{$cpu}[1] // '' ])
                    : [ $first, $last + 10, 0, $parts{$cpu}[0] ];
        my $later = (($last - $first >> 32) + 1) << 32;
        @packets = map { my ($copy, $shift) = ($_, $_ * $later); map { [ $_->[0] + $shift, $_->[1] + $shift, @$_[2, 3], $copy ] } @packets } 0 .. ($of->{copies} // 1) - 1;
        open my $out, '>:raw', "$path/k_$cpu" or die "$path/k_$cpu: $!";
        for my $i (0 .. $#packets) {
            my ($from, $to, $discarded, $content, $copy) = @{$packets[$i]};
            $content = $of->{each}->($content, $copy) if $of->{each};
            my $size = ($head + length $content) * 8;
            print $out pack('L<a16L<Q<', 0xc1fc1fc1, $uuid, 0, $cpu) . pack('Q<6L<', $from, $to, $size, $size, $i, $discarded, $cpu) . $content;
        }
        close $out or die "$path/k_$cpu: $!";
    }
    return $path;
}

sub _metadata {
    my ($of, $uuid) = @_;
    my $stamp = $of->{copies} ? 'integer { size = 32; align = 8; map = clock.mono.value; }' : 'ts_t';
    my $arm = grep { /^arm$/ } $of->{machine} // '';
    my %without = map { $_ => 1 } $arm ? grep { /x86/ } @classes : qw(kvm_entry kvm_exit), @{$of->{without} // []};
    my $context = $of->{contexts} ? ' event.context := struct { ' . join(' ', map { "$u64 _$_;" } @{$of->{contexts}}) . ' };' : '';
    return <<END . join '', map { "event { id = $id{$_}; name = \"$_\"; stream_id = 0; fields := struct { $fields{$_}[0] }; };\n" } grep { !$without{$_} } @classes;
/* CTF 1.8 */
trace { major = 1; minor = 8; uuid = "$uuid"; byte_order = le; packet.header := struct { $u32 magic; $u8 uuid[16]; $u32 stream_id; $u64 stream_instance_id; }; };
env { hostname = "$of->{host}"; domain = "kernel"; sysname = "Linux"; kernel_release = "6.1.0"; tracer_name = "lttng-modules"; tracer_major = 2; tracer_minor = 13; };
clock { name = mono; freq = $second; offset_s = $of->{epoch}; };
typealias integer { size = 64; align = 8; map = clock.mono.value; } := ts_t;
stream { id = 0; $packet; event.header := struct { $u32 id; $stamp timestamp; };$context };
END
}

sub _spew {
    my ($path, $bytes) = @_;
    open my $out, '>:raw', $path or die "$path: $!";
    print $out $bytes;
    close $out or die "$path: $!";
}

# EVENTS by a clock that shows SHIFT ns more at time ORIGIN of theirs, and runs faster by PPM.
sub by_clock {
    my ($origin, $shift, $ppm, @events) = @_;
    return map { my ($t, @rest) = @$_; [ $t + $shift + int(($t - $origin) * $ppm / 1e6), @rest ] } @events;
}

1;
