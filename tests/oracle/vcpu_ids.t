#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The vcpu_id of kvm_entry and kvm_exit: right, the address of the virtual CPU (lttng-modules 2.13 from Linux 5.10 on writes that for kvm_entry), equal for all, another one
# each time, or different in the two. And TSC offsets written after a virtual CPU has run.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use File::Temp;
use Made;
use Machine;
use Ask;
use Verdict;

my $folder = File::Temp->newdir(TEMPLATE => 'oracle-vcpus-XXXXXX', TMPDIR => 1);
my $start = 1_000_000_000;
srand 4;
my $machine = Machine::two_guests($start, $start + 2e8, 2);
my ($u32, $u64) = map { "integer { size = $_; align = 8; signed = false; }" } 32, 64;
my %of = (11 => 1, 12 => 0, 21 => 0, 22 => 1);	# threads to numbers

# The host's events with the numbers that ENTRY and EXIT give for a thread and its number of entries (EXIT NULL: its event has none); MORE adds events for a thread and its number of
# entries.
sub host {
    my ($name, $entry, $exit, $more) = @_;
    my (%current, %entered, @events);
    Made::also(kvm_x86_exit => $exit ? [ "$u32 exit_reason; $u32 isa; $u32 vcpu_id;", 'L<L<L<' ] : [ "$u32 exit_reason; $u32 isa;", 'L<L<' ],
        kvm_x86_write_tsc_offset => [ "$u32 vcpu_id; $u64 previous_tsc_offset; $u64 next_tsc_offset;", 'L<Q<Q<' ]);
    for my $e (sort { $a->[0] <=> $b->[0] } @{$machine->{host}{events}}) {
        my ($time, $cpu, $what, @fields) = @$e;
        $current{$cpu} = $fields[5] if $what eq 'sched_switch';
        my $tid = $current{$cpu};
        if ($what eq 'kvm_x86_entry') {
            my $n = $entered{$tid}++;
            push @events, map { [ $time - 1, $cpu, 'kvm_x86_write_tsc_offset', $of{$tid}, @$_ ] } $more->($tid, $n) if $more;
            @fields = ($entry->($tid, $n));
        } elsif ($what eq 'kvm_x86_exit' && $exit) {
            push @fields, $exit->($tid, $entered{$tid} // 0);
        }
        push @events, [ $time, $cpu, $what, @fields ];
    }
    return Made::trace("$folder/$name", { host => 'host', epoch => 1_700_000_000 }, Machine::dump_of_two($start), @events);
}

# The virtual CPUs in the order of the answer, the notes, and the warnings.
sub said { return join ' ', map { map { "$_->{tid}=" . n($_->{vcpu_id}) } @{$_->{vcpus}} } @{Ask::ask('machines', @_)->{machines}} }
sub noted { return @{Ask::ask('info', @_)->{traces}[0]{notes}} }
sub warned { my ($what, @traces) = @_; return grep { /$what/ } @{Ask::ask('info', @traces)->{traces}[0]{warnings}} }

my ($right, $address, $same, $changing) = (sub { $of{$_[0]} }, sub { 3_263_070_208 + 4096 * $_[0] }, sub { 7 }, sub { $_[1] % 2 });
my ($numbers, $none) = ('12=0 11=1 21=0 22=1', '11=- 12=- 21=- 22=-');
for my $case (
    [ 'right', $right, $right, $numbers ],
    [ 'entry_alone', $right, undef, $numbers ],
    [ 'address', $address, $right, $numbers, qr/^vcpu_id of kvm_entry is not that of a virtual CPU \(4 of them\): tracer and kernel do not agree; that of kvm_exit is used$/ ],
    [ 'address_alone', $address, undef, $none, qr/^vcpu_id of kvm_entry .* \(4 of them\): .*; virtual CPUs are told apart by their threads alone$/ ],
    [ 'changing', $changing, $right, $numbers, qr/^vcpu_id of kvm_entry .* \(4 of them\): .*; that of kvm_exit is used$/ ],
    [ 'bad_exit', $right, $address, $numbers, qr/^vcpu_id of kvm_exit .* \(4 of them\): .*; that of kvm_entry is used$/ ],
    [ 'bad_both', $address, $changing, $none, qr/^vcpu_id of kvm_entry and kvm_exit .* \(4 of them\): .*; virtual CPUs are told apart by their threads alone$/ ],
    [ 'same', $same, $same, $none, qr/^vcpu_id of 4 virtual CPUs is not used: / ],
    [ 'differ', $right, sub { 4 + $of{$_[0]} }, $none, qr/^vcpu_id of 4 virtual CPUs is not used: / ])
{
    my ($name, $entry, $exit, $expected, $note) = @$case;
    my $trace = host($name, $entry, $exit);
    is(said($trace), $expected, "$name: virtual CPUs have their numbers and order");
    my @noted = noted($trace);
    is(scalar @noted, $note ? 1 : 0, $note ? '… one note names the problem' : '… there is no note');
    like($noted[0], $note, '… and the numbers in use') if $note;
}

# A real one, by the text of babeltrace2.
SKIP: {
    my $vm = Ask::experiment('vm-preempt') or skip 'no vm-preempt here', 3;
    my %seen;
    open my $text, '-|', 'babeltrace2', "$vm/host" or die;
    while (<$text>) { $seen{$1}{$2}++ if /kvm_x86_(entry|exit): .*vcpu_id = (\d+)/ }
    is(join(' ', keys %{$seen{exit}}) . (grep({ $_ > 16384 } keys %{$seen{entry}}) ? ' wrong' : ''), '0 wrong', 'vm-preempt: kvm_exit has 0, kvm_entry an address');
    is(said("$vm/host"), '453=0', '… which is its number');
    is(scalar(() = grep { /vcpu_id of kvm_entry/ } noted("$vm/host")), 1, '… and a note says so');
}

# ---- the TSC ----

for my $case (
    [ 'tsc_begin', sub { $_[1] == 0 ? [ 0, 18_446_744_073_709_000_000 ] : () }, 0 ],
    [ 'tsc_kept', sub { $_[1] == 5 ? [ 18_446_744_073_709_000_000, 18_446_744_073_709_000_000 ] : () }, 0 ],
    [ 'tsc_moved', sub { $_[0] == 12 && $_[1] >= 5 && $_[1] < 8 ? [ 18_446_744_073_709_000_000, 18_446_744_073_709_500_000 ] : () }, 3 ])
{
    my ($name, $more, $times) = @$case;
    my $trace = host($name, $right, $right, $more);
    my @warned = warned('TSC', $trace);
    is(scalar @warned, $times ? 1 : 0, $times ? "$name: one warning" : "$name: no warning");
    like($warned[0], qr/\(kvm_write_tsc_offset\): $times times, first that of thread 12, [\d.]+ ms after the start/, '… with the count, and the first thread') if $times;
    is(said($trace), $numbers, '… and the numbers stay');
}
done_testing;
