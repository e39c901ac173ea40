#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The clock of a guest from the recording of its host: the offsets that leave no event of the guest outside of its virtual CPU's time
# inside. The program's clock is one of them, and moved by more than its error it is not.
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
is(join(' ', $made->count({ at => 100, offset => 1000, slope => 1 })), '3 0 2', 'both ends count as inside, and events beyond are neither inside nor outside');
is(join(' ', map { "@$_" } $made->offsets(1, 990, 1010)), '999 1002', 'the range is from 999, where 100 enters, to 1002, where it leaves');
is(join(' ', $made->count({ at => 100, offset => 998, slope => 1 })), '2 1 2', 'below the range an event is outside');
is(join(' ', map { "$_->{time} $_->{told} $_->{far}" } $made->outside({ at => 100, offset => 1003, slope => 1 })), '100 1103 1', 'above the range, too');
is(join(' ', $made->count({ at => 100, offset => 1000, slope => 1.5 })), '1 2 2', 'the slope turns the line about `at`: 115 becomes 1122, and 90 becomes 1085');
is(join(' ', @{$made->line('1', '1000')}{qw(at offset slope)}), '100 1000 1', 'a line of sync is read');
is(join(' ', @{$made->line('1.5', '950')}{qw(at offset slope)}), '100 1000 1.5', 'a line of sync with a slope is read');

# ---- a guest ----

my $folder = Ask::experiment('vm-preempt');
if (!$folder) {
    done_testing;
    exit 0;
}
my @traces = map { "$folder/$_" } qw(host guest);
my $in = Inside->load(@traces, 0 => 453);
my ($low, $high) = (-3_317_070_548_416, -3_317_070_518_575);
is(join(' ', map { "@$_" } $in->offsets(1, $low - 10_000_000, $high + 10_000_000)), "$low $high", 'with slope 1 there is one range, of 30 us');

sub count_of { my ($offset, $slope) = @_; return join ' ', $in->count({ at => $in->{at}, offset => $offset, slope => $slope // 1 }) }
is(count_of($low), '10899 0 3988', 'at its beginning no event is outside');
is(count_of($high), '10899 0 3988', 'at its end no event is outside');
is(count_of($low - 1), '10898 1 3988', 'a nanosecond before it an event is');
is(count_of($high + 1), '10898 1 3988', 'and a nanosecond behind it');
my $middle = $low + (($high - $low) >> 1);
cmp_ok((split ' ', count_of($middle + $_))[1], '>', 1000, "$_ ns off many are") for -50_000, 50_000, -1_000_000, 1_000_000;
is(scalar(() = $in->offsets(1 + $_ * 1e-6, $low - 300_000, $high + 300_000)), 0, "no clock that is $_ ppm faster") for -12, 13;
is(scalar(() = $in->offsets(1 + $_ * 1e-6, $low - 300_000, $high + 300_000)), 1, "one that is $_ ppm faster") for -11, 12;

# The program's clock of the guest. Its error is the distance of two slopes at the ends of the trace: more than half the range.
my $answer = Ask::ask('sync', @traces);
my ($clock) = grep { $_->{host} eq 'guest1' } @{$answer->{hosts} // []};
my $line = $in->line(@$clock{qw(slope offset_ns)});
is(($in->count($line))[1], 0, 'no event is outside by the clock of the program');
cmp_ok($clock->{error_ns_max}, '<', 28_000, 'its error is not much more than the range of the events');
for my $way (-1, 1) {
    my $moved = { %$line, offset => $line->{offset} + $way * ($clock->{error_ns_max} + 1) };
    cmp_ok(($in->count($moved))[1], '>', 0, 'moved by more than its error, ' . ($way < 0 ? 'back' : 'ahead') . ', some events are outside');
}
my ($slow, $fast) = map { $clock->{bounds}[0]{$_} } qw(slow fast);
cmp_ok($slow, '<=', 1 - 11e-6, 'no clock that the events allow is slower than its bounds');
cmp_ok($fast, '>=', 1 + 12e-6, 'no clock that the events allow is faster than its bounds');
# The range, at an instant, of all lines by which no event is outside. One line in that range shows the stay of each event. The entry of a stay is not later
# than its first event, and its exit is not earlier than its last one: these bound the guest's lead, by the guest's time.
my (%first, %last);
my $stays = $in->{stays}{0};
for my $e (sort { $a->{time} <=> $b->{time} } @{$in->{events}}) {
    my $i = Inside::_place($stays, Inside::told({ at => $in->{at}, offset => $middle, slope => 1 }, $e->{time}));
    $first{$i} //= $e->{time};
    $last{$i} = $e->{time};
}
delete @$_{0, $#$stays} for \%first, \%last;
my @at_least = map { [ $first{$_} - $in->{at}, $stays->[$_][0] - $first{$_} - $middle ] } keys %first;	# the host's time less the guest's is at least this
my @at_most = map { [ $last{$_} - $in->{at}, $stays->[$_][1] - $last{$_} - $middle ] } keys %last;
cmp_ok(scalar @at_least, '>', 1000, 'many stays have events');

# The lowest and the highest value at T of all lines of RATE (ppm) within the bounds above.
sub least { my ($t, $rate) = @_; my $most; for (@at_least) { my $v = $_->[1] + ($t - $_->[0]) * $rate * 1e-6; $most = $v if !defined $most || $v > $most } return $most }
sub most { my ($t, $rate) = @_; my $least; for (@at_most) { my $v = $_->[1] + ($t - $_->[0]) * $rate * 1e-6; $least = $v if !defined $least || $v < $least } return $least }
# The lowest value at T over all rates (OF least, which is convex in the rate; WAY -1), or the highest (OF most, which is concave; WAY 1).
sub extreme {
    my ($of, $way, $t) = @_;
    my ($low, $high) = @_[3, 4];
    for (1 .. 30) {
        my ($a, $b) = ($low + ($high - $low) / 3, $high - ($high - $low) / 3);
        $way * $of->($t, $a) > $way * $of->($t, $b) ? ($high = $b) : ($low = $a);
    }
    return $of->($t, ($low + $high) / 2);
}
# The last rate on the way to BAD for which a line remains: there the lowest and the highest value meet.
sub last_pace {
    my ($bad) = @_;
    my $good = 0;
    for (1 .. 40) {
        my $pace = ($good + $bad) / 2;
        least(0, $pace) <= most(0, $pace) ? ($good = $pace) : ($bad = $pace);
    }
    return $good;
}
my @paces = map { last_pace($_) } -30, 30;
is(join(' ', map { sprintf '%.2f', $_ } @paces), '-11.69 12.19', 'the rates that remain are right, ppm');

# A bound of the program's clock at T after the middle: a line from corner to corner of POINTS, with the rates BEFORE the first corner and AFTER the last.
sub bound {
    my ($points, $before, $after, $t) = @_;
    my @p = map { [ $_->[0] - $in->{at}, $_->[1] - $_->[0] - $middle ] } @$points;
    my ($i) = grep { $p[$_][0] >= $t } 0 .. $#p;
    return $p[-1][1] + ($t - $p[-1][0]) * $after if !defined $i;
    return $p[0][1] + ($t - $p[0][0]) * $before if $i == 0;
    return $p[$i - 1][1] + ($p[$i][1] - $p[$i - 1][1]) * ($t - $p[$i - 1][0]) / ($p[$i][0] - $p[$i - 1][0]);
}
my %half;
for my $t ([ begin => 1795172919173098532 ], [ middle => $in->{at} ], [ later => $in->{at} + 1_000_000_000 ], [ end => $in->{to} ]) {
    my ($name, $at) = ($t->[0], $t->[1] - $in->{at});
    my ($low, $high) = (extreme(\&least, -1, $at, @paces), extreme(\&most, 1, $at, @paces));
    my $b = $clock->{bounds}[0];
    my ($said_low, $said_high) = (bound($b->{low}, $fast - 1, $slow - 1, $at), bound($b->{high}, $slow - 1, $fast - 1, $at));
    cmp_ok(abs($said_low - $low), '<', 3, "$name: the program's lower bound is that of all lines");
    cmp_ok(abs($said_high - $high), '<', 3, '... and so is its upper bound');
    $half{$name} = ($high - $low) / 2;
}
is(join(' ', map { sprintf '%s %.1f', $_, $half{$_} / 1000 } qw(begin middle later end)), 'begin 19.6 middle 16.0 later 15.2 end 20.6', 'half of the range, us, which no clock improves at the guest\'s end');

# Each event is in one stay by all lines, so the order across the border (an injected interrupt and its handler, HLT and idle) does not narrow the range.
my $either = 0;
for my $e (@{$in->{events}}) {
    my $b = $clock->{bounds}[0];
    my ($low, $high) = map { bound($b->{$_->[0]}, @$_[1, 2], $e->{time} - $in->{at}) } [ low => $fast - 1, $slow - 1 ], [ high => $slow - 1, $fast - 1 ];
    $either++ if Inside::_place($stays, $e->{time} + $middle + int $low) != Inside::_place($stays, $e->{time} + $middle + int $high);
}
is($either, 0, 'no event fits two stays');

# The error of the program's line at T after the middle: the distance to the further of its bounds, which are those of all lines, as shown
# above.
sub error_at {
    my ($t) = @_;
    my ($b, $is) = ($clock->{bounds}[0], $line->{offset} - $middle + $line->{part} + ($line->{slope} - 1) * $t);
    my ($below, $above) = ($is - bound($b->{low}, $fast - 1, $slow - 1, $t), bound($b->{high}, $slow - 1, $fast - 1, $t) - $is);
    return $below > $above ? $below : $above;
}
# Percent of the time from FROM to the guest's end in which the error is below 20 us.
sub share_below { my ($from) = @_; my $step = ($in->{to} - $from) / 2000; return sprintf '%.1f', (grep { error_at($from + $_ * $step - $in->{at}) < 20_000 } 0 .. 1999) / 20 }
is(share_below($in->{from}), '83.2', 'the error is below 20 us in this part of the guest\'s time, percent …');
is(share_below(1795172919173098532), '98.5', '… of the time while both were recorded');

# The clock in `machines`. It counts the work of the guest's CPUs, not every event.
$answer = Ask::ask('machines', @traces);
my ($machine) = grep { $_->{pid} == 449 } @{$answer->{machines} // []};
is("$machine->{guest} $machine->{vcpus}[0]{guest_cpu}", 'guest1 0', 'machines names the guest and its CPU');
is("@{$machine->{clock}}{qw(slope offset_ns)}", "@$clock{qw(slope offset_ns)}", 'machines has the clock of sync');
is($machine->{clock}{events_outside}, 0, 'machines has no event outside');
cmp_ok($machine->{clock}{error_ns_shared}, '<', $half{end} + 200, 'while both were recorded the error is hardly more than the minimum');
cmp_ok($machine->{clock}{error_ns_shared}, '>=', $half{end}, '... and not less');
cmp_ok($machine->{clock}{events_inside}, '<=', 10_899, 'machines has at most all events inside');
done_testing;
