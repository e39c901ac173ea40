# SPDX-License-Identifier: MIT
package Inside;

# The range of a guest's clock, from its host's trace alone. While a guest's CPU runs any code, the thread of
# its virtual CPU is inside (Vcpu.pm). So each event of the guest, converted to the host's clock, lies in one
# of the times inside; both ends count, as events there are recorded right before and after the guest runs.
# Before the virtual CPU's first event, and after the trace of its host, nothing is known: events there are
# beyond, neither inside nor outside. Nothing here knows wakepath.
#
# A line is { at, offset, slope, part }: the guest's time t is the host's
# t + offset + part + (slope - 1)(t - at); part: less than a nanosecond; may be absent.
#
#   perl Inside.pm HOST GUEST [OFFSET AT SLOPE] [CPU=TID...]
#
# Without a line it searches all offsets by which no event is outside, for slope 1, then the least and the
# greatest slope by which there are any. Offsets are at the middle of the guest's trace. CPU=TID is 0 = the
# only virtual CPU by default.

use strict;
use warnings;
use Vcpu;
use Kept;

# The times inside of the virtual CPUs of the trace PATH: { tid => [ [from, to], ... ] } in order of time; the ranges beyond are
# at both ends of the list.
sub stays_of {
    my ($path) = @_;
    my $o = Kept::load('Vcpu', $path);
    return { map { ($_->{tid} => [ [ 0, $_->{vcpu_from} ], (map { [ @$_{qw(from to)} ] } @{$_->{inside} // []}), [ $_->{end}, 2 ** 62 ] ]) } $o->vcpus };
}

# The events of the trace PATH, each { time, cpu, name }.
sub events_of {
    my ($path) = @_;
    my ($fh) = Oracle::_babeltrace($path);
    my @events;
    while (<$fh>) {
        push @events, { time => "$1$2" + 0, name => $3, cpu => $4 } if /^\[(\d+)\.(\d{9})\] (?:\S+ )?([\w:]+): \{ cpu_id = (\d+) \}/;
    }
    return \@events;
}

# HOST and GUEST are traces; OF: the thread that runs each CPU of the guest.
sub load {
    my ($class, $host, $guest, %of) = @_;
    my $stays = stays_of($host);
    my @tids = keys %$stays;
    %of = (0 => $tids[0]) if !%of && @tids == 1;
    my $events = events_of($guest);
    die "no events in $guest\n" if !@$events;
    my ($from, $to) = map { $_->{time} } @$events[0, -1];
    my $at = $from + (($to - $from) >> 1);
    # Events in the middle first: they exclude most.
    my @order = sort { abs($a->{time} - $at) <=> abs($b->{time} - $at) } grep { defined $of{$_->{cpu}} } @$events;
    return bless { stays => { map { ($_ => $stays->{$of{$_}} // die "no virtual CPU $of{$_}\n") } keys %of },
        events => \@order, from => $from, to => $to, at => $at }, $class;
}

# The index of the last stay in LIST that begins at or before T; -1: none.
sub _place {
    my ($list, $t) = @_;
    my ($low, $high) = (0, scalar @$list);
    while ($low < $high) {
        my $middle = ($low + $high) >> 1;
        $list->[$middle][0] <= $t ? ($low = $middle + 1) : ($high = $middle);
    }
    return $low - 1;
}

# T of the guest in the host's clock by LINE, rounded down.
sub told {
    my ($line, $t) = @_;
    my $turned = ($line->{slope} - 1) * ($t - $line->{at}) + ($line->{part} // 0);
    my $ns = int $turned;
    $ns-- if $ns > $turned;
    return $t + $line->{offset} + $ns;
}

# The line of a clock as `sync` writes it: converted = SLOPE * t + OFFSET in decimals, without loss.
sub line {
    my ($self, $slope, $offset) = @_;
    require Math::BigFloat;
    local $Math::BigFloat::accuracy = 60;
    my $told = Math::BigFloat->new($slope)->bmul($self->{at})->badd($offset)->bsub($self->{at});
    my $whole = $told->copy->bfloor;
    return { at => $self->{at}, offset => "$whole" + 0, part => $told->bsub($whole)->numify, slope => $slope + 0 };
}

# The events that are outside (WHAT "outside") or beyond by LINE, each with its distance to the nearest time
# inside.
sub outside {
    my ($self, $line, $what) = @_;
    $what //= 'outside';
    my @outside;
    for my $e (@{$self->{events}}) {
        my $stays = $self->{stays}{$e->{cpu}};
        my $t = told($line, $e->{time});
        my $i = _place($stays, $t);
        my $is = $t > $stays->[$i][1] ? 'outside' : $i == 0 || $i == $#$stays ? 'beyond' : 'inside';
        next if $is ne $what;
        my @far = sort { $a <=> $b } $is eq 'outside' ? ($t - $stays->[$i][1], $stays->[$i + 1][0] - $t) : 0;
        push @outside, { %$e, told => $t, far => $far[0] };
    }
    return @outside;
}

# (number of events inside, outside, beyond) by LINE.
sub count {
    my ($self, $line) = @_;
    my ($outside, $beyond) = map { scalar(() = $self->outside($line, $_)) } qw(outside beyond);
    return (@{$self->{events}} - $outside - $beyond, $outside, $beyond);
}

# The offsets at AT, as sorted [lo, hi] within [LO, HI], by which no event is outside, for SLOPE.
sub offsets {
    my ($self, $slope, $low, $high) = @_;
    my @open = ([ $low, $high ]);
    for my $e (@{$self->{events}}) {
        my $stays = $self->{stays}{$e->{cpu}};
        my $t = told({ at => $self->{at}, offset => 0, slope => $slope }, $e->{time});
        my @left;
        for my $o (@open) {
            my $i = _place($stays, $t + $o->[0]);
            for (; $i < @$stays && $stays->[$i][0] - $t <= $o->[1]; $i++) {
                my ($a, $b) = ($stays->[$i][0] - $t, $stays->[$i][1] - $t);
                $a = $o->[0] if $a < $o->[0];
                $b = $o->[1] if $b > $o->[1];
                push @left, [ $a, $b ] if $a <= $b;
            }
        }
        @open = @left or return;
    }
    return @open;
}

# All offsets, for slope 1, by which the middle of the guest is in the trace of the host, and no event is outside.
sub all_offsets {
    my ($self) = @_;
    my (@from, @to);
    for my $stays (values %{$self->{stays}}) {
        push @from, $stays->[0][1] - $self->{at};
        push @to, $stays->[-1][0] - $self->{at};
    }
    return $self->offsets(1, (sort { $a <=> $b } @from)[0], (sort { $b <=> $a } @to)[0]);
}

# The greatest (WAY 1) or least (WAY -1) slope, to 1e-13, for which an offset within [LO, HI] remains.
sub extreme_slope {
    my ($self, $way, $low, $high) = @_;
    my ($good, $bad) = (0, 1e-4);
    while ($bad - $good > 1e-13) {
        my $middle = ($good + $bad) / 2;
        $self->offsets(1 + $way * $middle, $low, $high) ? ($good = $middle) : ($bad = $middle);
    }
    return 1 + $way * $good;
}

sub main {
    my ($host, $guest, @args) = @_;
    die "usage: Inside.pm HOST GUEST [OFFSET AT SLOPE] [CPU=TID...]\n" if !defined $guest;
    my %of = map { /^(\d+)=(\d+)$/ } grep { /=/ } @args;
    my $self = Inside->load($host, $guest, %of);
    printf "%d events in [%d, %d], the middle is %d\n", scalar @{$self->{events}}, @$self{qw(from to at)};
    if ((my ($offset, $at, $slope) = grep { !/=/ } @args) == 3) {
        my $line = { offset => $offset, at => $at, slope => $slope };
        printf "%d inside, %d outside, %d beyond\n", $self->count($line);
        printf "%s at %d, told %d: %d ns outside\n", @$_{qw(name time told far)} for $self->outside($line);
        return;
    }
    for my $room ($self->all_offsets) {
        printf "slope 1: offsets [%d, %d], %d ns of room\n", @$room, $room->[1] - $room->[0];
        my @near = ($room->[0] - 1_000_000, $room->[1] + 1_000_000);
        for my $way (-1, 1) {
            my $slope = $self->extreme_slope($way, @near);
            printf "slope %.13f: offsets %s\n", $slope, join ' ', map { "[$_->[0], $_->[1]]" } $self->offsets($slope, @near);
        }
    }
}

main(@ARGV) unless caller;
1;
