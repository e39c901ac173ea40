#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The clock of a guest by what its host shows: which offsets leave no event of the guest outside of the time that its virtual CPU was
# inside, and that the program's clock is one of them; moved by more than its error it is none.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Inside;
use Ask;

# ---- the walker itself, by hand ----

my $made = bless { at => 100, events => [ map { { time => $_, cpu => 0, name => 'e' } } 100, 90, 115, 40, 160 ], from => 40, to => 160,
    stays => { 0 => [ [ 0, 1050 ], [ 1088, 1095 ], [ 1099, 1102 ], [ 1113, 1120 ], [ 1150, 2 ** 62 ] ] } }, 'Inside';
is(join(' ', $made->count({ at => 100, offset => 1000, slope => 1 })), '3 0 2', 'both ends count, and what is beyond is neither');
is(join(' ', map { "@$_" } $made->offsets(1, 990, 1010)), '999 1002', 'the room: from 999, where 100 enters, to 1002, where it leaves');
is(join(' ', $made->count({ at => 100, offset => 998, slope => 1 })), '2 1 2', 'below it is outside');
is(join(' ', map { "$_->{time} $_->{told} $_->{far}" } $made->outside({ at => 100, offset => 1003, slope => 1 })), '100 1103 1', 'above, too');
is(join(' ', $made->count({ at => 100, offset => 1000, slope => 1.5 })), '1 2 2', 'the slope turns it about `at`: 115 is told 1122, and 90 1085');
is(join(' ', @{$made->line('1', '1000')}{qw(at offset slope)}), '100 1000 1', 'a line as of sync');
is(join(' ', @{$made->line('1.5', '950')}{qw(at offset slope)}), '100 1000 1.5', 'a line as of sync, with a slope');

# ---- a guest ----

my $folder = Ask::experiment('vm-preempt');
if (!$folder) {
    done_testing;
    exit 0;
}
my @traces = map { "$folder/$_" } qw(host guest);
my $in = Inside->load(@traces, 0 => 453);
my ($low, $high) = (-3_317_070_548_416, -3_317_070_518_575);
is(join(' ', map { "@$_" } $in->offsets(1, $low - 10_000_000, $high + 10_000_000)), "$low $high", 'by a clock as fast there is one room, of 30 us');

sub count_of { my ($offset, $slope) = @_; return join ' ', $in->count({ at => $in->{at}, offset => $offset, slope => $slope // 1 }) }
is(count_of($low), '10899 0 3988', 'at its beginning nothing is outside');
is(count_of($high), '10899 0 3988', 'nor at its end');
is(count_of($low - 1), '10898 1 3988', 'a nanosecond before an event is');
is(count_of($high + 1), '10898 1 3988', 'and behind it');
my $middle = $low + (($high - $low) >> 1);
cmp_ok((split ' ', count_of($middle + $_))[1], '>', 1000, "$_ ns off many are") for -50_000, 50_000, -1_000_000, 1_000_000;
is(scalar(() = $in->offsets(1 + $_ * 1e-6, $low - 300_000, $high + 300_000)), 0, "no clock that is $_ ppm faster") for -12, 13;
is(scalar(() = $in->offsets(1 + $_ * 1e-6, $low - 300_000, $high + 300_000)), 1, "one that is $_ ppm faster") for -11, 12;

# The program's clock of the guest.  Its error is what two slopes apart leave at the ends of the trace: more than half the room.
my $answer = Ask::ask('sync', @traces);
my ($clock) = grep { $_->{host} eq 'guest1' } @{$answer->{hosts} // []};
my $line = $in->line(@$clock{qw(slope offset_ns)});
is(($in->count($line))[1], 0, 'no event is outside by the clock of the program');
cmp_ok($clock->{error_ns_max}, '<', 50_000, 'its error is not much more than what the events leave open');
for my $way (-1, 1) {
    my $moved = { %$line, offset => $line->{offset} + $way * ($clock->{error_ns_max} + 1) };
    cmp_ok(($in->count($moved))[1], '>', 0, 'moved by more than its error, ' . ($way < 0 ? 'back' : 'ahead') . ', some are');
}
my ($slow, $fast) = map { $clock->{bounds}[0]{$_} } qw(slow fast);
cmp_ok($slow, '<=', 1 - 11e-6, 'no clock that the events allow is slower than its bounds');
cmp_ok($fast, '>=', 1 + 12e-6, 'nor faster');
# What `machines` says of it.  It counts what the guest's CPUs did, not every event.
$answer = Ask::ask('machines', @traces);
my ($machine) = grep { $_->{pid} == 449 } @{$answer->{machines} // []};
is("$machine->{guest} $machine->{vcpus}[0]{guest_cpu}", 'guest1 0', 'whose clock it is, and which CPU');
is("@{$machine->{clock}}{qw(slope offset_ns)}", "@$clock{qw(slope offset_ns)}", 'the same clock');
is($machine->{clock}{events_outside}, 0, 'nothing outside');
cmp_ok($machine->{clock}{events_inside}, '<=', 10_899, 'not more inside than there is');
done_testing;
