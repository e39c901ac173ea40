#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Paths over several hosts: the program's path of each request of rpc-chain and django, compared with the walk
# over the raw events by the same clocks, to the nanosecond; and the known facts of the requests, whatever the
# clocks.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../tools";
use Test::More;
use Ask;
use Proved;
use Hosts;
use Hosts::Clock;
use Hosts::Compare;
use Hosts::Musts;
use Verdict;

my @names = qw(client httpd db);
my $windows = 25;           # besides those of the requests

# ------------------------------------------------------------ segments that cross

# The errors of a wait for a packet, which the program splits into PARTS, against the packet in the raw
# events: the sender, the time, and the grade. The packet is on the last part, whose end is that of the wait;
# the clocks' error is on the part of the way, if there is one.
sub wrong_network {
    my ($clock, $truth, $is, @parts) = @_;
    my $what = "network on $is->{host} [$is->{from}, $is->{to})";
    return "$what: not there" if !@parts;
    my $packet = ($parts[-1]{is}{source} // {})->{packet} or return "$what: no packet";
    my @early = grep { $parts[$_]{is}{source} } 0 .. $#parts - 1;
    my ($way) = grep { $_->{kind} eq 'network' } @parts;
    my $said = ($way // $parts[-1])->{is};
    my ($received, $sent) = @$is{qw(packet sent)};
    my @wrong = map { "$what: its source twice" } @early;
    push @wrong, "$what: packet received $packet->{received}, is " . $clock->($received->{host}, $received->{time})
        if n($packet->{received}) ne n($clock->($received->{host}, $received->{time}));
    my $from = $sent ? $clock->($sent->{host}, $sent->{time}) : undef;
    push @wrong, "$what: packet sent " . n($packet->{sent}) . ', is ' . n($from) if n($packet->{sent}) ne n($from);
    my $who = $sent && $sent->{life} ? "$sent->{host}/$sent->{life}{tid}" : '-';
    my $by = $packet->{sender} ? "$packet->{sender}{host}/$packet->{sender}{tid}" : '-';
    push @wrong, "$what: sent by $by, is $who" if $by ne $who;
    my $alone = !$is->{wait}{cause}{several};
    push @wrong, "$what: the packet is " . n($packet->{grade}) . ($alone ? ', alone' : ', one of several') if n($packet->{grade}) ne ($alone ? 'proved' : 'inferred');
    push @wrong, "$what: the hop is proved, the packet is not" if !$alone && n($said->{grade}) eq 'proved';
    return (@wrong, $way ? wrong_error($clock, $truth, $is, $said, $what) : ());
}

# The error, by the truth, of the program's clocks of two hosts against each other.
sub true_error {
    my ($clock, $truth, $sent, $received) = @_;
    my ($a, $b) = map { $clock->(@$_{qw(host time)}) - $truth->(@$_{qw(host time)}) } $sent, $received;
    return abs($a - $b);
}

sub wrong_error {
    my ($clock, $truth, $is, $said, $what) = @_;
    my $error = $said->{error};
    my $sent = $is->{sent};
    if (!$sent) {
        return defined $error ? "$what: error $error, but nobody knows the sender" : ();
    }
    return "$what: no error" if !defined $error;
    my @wrong;
    # The truth itself is right to half a round trip, 160 us at most.
    my $off = true_error($clock, $truth, $sent, $is->{packet});
    push @wrong, "$what: error $error, off by $off" if $error + 160_000 < $off;
    my $grade = $said->{grade};
    my $sure = $sent->{life} && $error <= $is->{to} - $is->{from};
    push @wrong, "$what: graded " . n($grade) . ", error $error" if $is->{crossed} && !$sure && n($grade) eq 'proved';
    return @wrong;
}

# ------------------------------------------------------------ one request

sub check_request {
    my ($hosts, $clock, $truth, $request, $answer, $why) = @_;
    return fail("$request->{name}: $why") if !$answer;
    my ($from, $to) = @$request{qw(from to)};
    my $said = Hosts::Musts::of_answer($answer);
    my $walk = Hosts::Musts::of_walk($hosts->path($clock, $request->{life}, $clock->('client', $from), $clock->('client', $to)));
    verdict("$request->{name}: the known facts hold", Hosts::Musts::wrong($hosts, $clock, $request, $said));
    verdict("$request->{name}: the path is that of the raw events", Hosts::Compare::differs($walk, $said, $clock));
    my @network = grep { $_->{kind} eq 'network' } @$walk;
    verdict("$request->{name}: packets, senders and errors are right", map { wrong_network($clock, $truth, $_->{is}, Hosts::Compare::parts_of($_, $said)) } @network);
    verdict("$request->{name}: there is no error within one clock",
        map { "$_->{kind} at $_->{from}" } grep { $_->{kind} ne 'network' && defined $_->{is}{error} } @$said);
    verdict("$request->{name}: links are right", wrong_links($clock, $answer, $walk));
}

# Between hosts there is a link for each crossing, from the sender to the network before the receiver; also if
# a packet sent before the previous wait is on its way and the path goes on with its sender. There are no
# other links.
sub wrong_links {
    my ($clock, $answer, $walk) = @_;
    my @links = grep { $_->{kind} eq 'network' && $_->{from}{host} ne $_->{to}{host} } @{$answer->{links}};
    my %is;
    for my $i (0 .. $#$walk) {
        my ($sent, $received) = @{$walk->[$i]{is}}{qw(sent packet)};
        next if !$sent || !$sent->{life} || !$i || $walk->[$i - 1]{is}{life} != $sent->{life} || $walk->[$i - 1]{type} ne 'thread';
        $is{join ' ', $clock->(@$sent{qw(host time)}), "$sent->{host}/$sent->{life}{tid}", $clock->(@$received{qw(host time)}), $walk->[$i]{host}} = 1;
    }
    my @wrong;
    for my $l (@links) {
        my $key = "$l->{at} $l->{from}{host}/" . n($l->{from}{tid}) . " $l->{arrival} $l->{to}{host}";
        push @wrong, "link $key: none there" if !delete $is{$key};
    }
    return (@wrong, map { "no link $_" } sort keys %is);
}

# ------------------------------------------------------------ every wait for a packet

# The program's sender of a packet against the raw events: a packet sent outside of threads has a time but no
# thread; one of an untraced host has neither.
sub sender_is {
    my ($hosts, $clock, $packet) = @_;
    my $sent = $hosts->origin($packet) or return 'nobody known';
    return "sent by " . ($sent->{life} ? "$sent->{host}/$sent->{life}{tid}" : 'no thread') . ' at ' . $clock->($sent->{host}, $sent->{time});
}

sub sender_said {
    my ($packet) = @_;
    return 'nobody known' if !defined $packet->{sent} && !$packet->{sender};
    return 'sent by ' . ($packet->{sender} ? "$packet->{sender}{host}/$packet->{sender}{tid}" : 'no thread') . ' at ' . n($packet->{sent});
}

# The origin of a packet's wait did not begin before the packet was sent, and is proved only if it began later by more than the clocks'
# error. (The last hop of the chain received the packet, whenever it began.)
sub wrong_origin {
    my ($source) = @_;
    my ($first, @rest) = @{$source->{context}};
    my ($sent, $error) = @{$source->{packet}}{qw(sent error)};
    return if !@rest || !defined $sent;
    my $after = ($first->{entry} // $first->{at}) - $sent;
    return "origin $first->{type} began " . -$after . ' ns before the packet was sent' if $after < 0;
    return $first->{grade} eq 'proved' && $after <= $error ? "origin $first->{type} is proved, $after ns after the packet was sent, +-$error" : ();
}

sub wrong_senders {
    my ($hosts, $clock, $folder, $host) = @_;
    my (@lives, %seen);
    for my $each (grep { ($_->[1]{cause}{packet} // {})->{here} } $hosts->{of}{$host}->all) {
        push @lives, $each->[0] if !$seen{$each->[0]}++;
    }
    my @said = Ask::ask_all(map { [ 'wakeups', $folder, '--thread', "$host/$_->{tid}\@" . $clock->($host, $_->{strict_from} // $_->{wakeups}[0]{ended}) ] } @lives);
    my (@wrong, $count);
    for my $i (0 .. $#lives) {
        push(@wrong, $Ask::why[$i]), next if !$said[$i];
        my %at = map { $_->{time} => $_ } @{$said[$i]{wakeups}};
        for my $w (grep { ($_->{cause}{packet} // {})->{here} } @{$lives[$i]{wakeups}}) {
            my $one = $at{$clock->($host, $w->{ended})};
            my $which = "$host/$lives[$i]{tid} woken at " . $clock->($host, $w->{ended});
            push(@wrong, "$which: not said"), next if !$one;
            push(@wrong, "$which: no packet"), next if !$one->{source}{packet};
            # If nothing shows which packet of a batch ended the wait, the sender of any of them is right.
            my @may = map { sender_is($hosts, $clock, $_->{here}) } $w->{cause}{any_of_batch} ? grep { $_->{here} } @{$w->{cause}{batch}} : $w->{cause}{packet};
            my $said = sender_said($one->{source}{packet});
            $count++;
            push @wrong, map { "$which: $_" } wrong_origin($one->{source});
            push @wrong, "$which: $said, is " . join ' or ', @may if !grep { $_ eq $said } @may;
        }
    }
    return ($count, @wrong);
}

# ------------------------------------------------------------ windows anywhere

# Windows of threads that waited for packets of another host, each ending where its thread does not wait:
# [life, from, to].
sub windows {
    my ($hosts, $clock, $most) = @_;
    my $asked = sub { my $packet = ($_[0]{cause}{packet} // {})->{here}; $packet && $hosts->origin($packet) };
    my @lives = grep { grep { $asked->($_) } @{$_->{wakeups}} } map { @{$hosts->{of}{$_}{lives}} } @names;
    my @out;
    while (@out < $most) {
        my $life = $lives[rand @lives];
        my @busy = grep { $_->{state} =~ /^(running|interrupted|wait-cpu|preempted)$/ && $_->{from} > $life->{strict_from} } @{$life->{intervals}};
        next if !@busy;
        my $last = $busy[rand @busy];
        my $to = $last->{from} + 1 + int rand($last->{to} - $last->{from});
        my $from = max($life->{strict_from}, $to - int rand(300 * 1_000_000));
        my @shown = map { $clock->($life->{host}, $_) } $from, $to;
        push @out, [ $life, @shown ] if $shown[0] < $shown[1];
    }
    return @out;
}

sub wrong_windows {
    my ($hosts, $clock, $folder, $most) = @_;
    my @windows = windows($hosts, $clock, $most);
    my @answers = Ask::ask_all(map { my ($life, $from, $to) = @$_; [ 'path', $folder, '--thread', "$life->{host}/$life->{tid}\@$from", '--from', $from, '--to', $to ] } @windows);
    return map {
        my ($life, $from, $to) = @{$windows[$_]};
        my $walk = Hosts::Musts::of_walk($hosts->path($clock, $life, $from, $to));
        map { "$life->{host}/$life->{tid} in [$from, $to): $_" } $answers[$_]
            ? (Hosts::Musts::wrong_cover(Hosts::Musts::of_answer($answers[$_]), $from, $to), Hosts::Compare::differs($walk, Hosts::Musts::of_answer($answers[$_]), $clock))
            : $Ask::why[$_]
    } 0 .. $#windows;
}

sub check_experiment {
    my ($name, $folder) = @_;
    subtest $name => sub {
        local $ENV{WAKEPATH} = $ENV{WAKEPATH_FAST} if $ENV{WAKEPATH_FAST} && $name eq 'django';     # no sample; rpc-chain runs the same code with the sanitizers
        my $hosts = Hosts->load($folder, @names);
        my $sync = Ask::ask('sync', $folder) or return fail($Ask::errors);
        my $clocks = Hosts::Clock->new($sync);
        my @requests = Hosts::Musts::requests($hosts);
        my @answers = Hosts::Compare::ask_paths($folder, \@requests);
        my @why = @Ask::why;
        check_request($hosts, $clocks->as_sub, $hosts->truth_clock, $requests[$_], $answers[$_], $why[$_]) for 0 .. $#requests;
        for my $host (@names) {
            my ($count, @wrong) = wrong_senders($hosts, $clocks->as_sub, $folder, $host);
            verdict("$count packets that ended waits on $host, and their senders", @wrong);
        }
        chance($name);
        verdict("paths of $windows windows anywhere", wrong_windows($hosts, $clocks->as_sub, $folder, $windows));
        done_testing;
    };
}

for my $name (qw(rpc-chain django)) {
    my $folder = Ask::experiment($name) // next;
    Proved::holds("oracle/across/$name", { $name => $folder }, '', sub { check_experiment($name, $folder) });
}
done_testing;
