# SPDX-License-Identifier: MIT
package Hosts::Musts;

# Known facts of the requests of rpc-chain and django, checked on the oracle's walk and on the program's path.
# A path is a list of {host, name, tid, type, kind, from, to} in order of time.

use strict;
use warnings;
use List::Util qw(sum0);
use Verdict qw(min max);

my $ms = 1_000_000;
my $own = qr/^(running|usermode|syscall|interrupted|preempted|wait-cpu)$/;

# The oracle's segments in that form.
sub of_walk {
    my ($path) = @_;
    return [ map { +{
        host => $_->{host}, name => $_->{life}{name}, tid => $_->{life}{tid}, type => $_->{kind} =~ $own || $_->{kind} eq '?' ? 'thread' : 'other',
        kind => $_->{kind}, from => $_->{from}, to => $_->{to}, is => $_,
    } } @$path ];
}

# The program's.
sub of_answer {
    my ($answer) = @_;
    return [ map { +{
        %{$_->{actor}}, type => $_->{actor}{type} eq 'thread' ? 'thread' : 'other', kind => $_->{kind}, from => $_->{from}, to => $_->{to}, is => $_,
    } } @{$answer->{segments}} ];
}

# Marks of HOST, "BEGIN x" to "END x": {name, life, from, to} in its own time.
sub phases {
    my ($hosts, $host, $begin, $end) = @_;
    my (%open, @out);
    for my $entry (@{$hosts->{of}{$host}{log}}) {
        if ($entry->{msg} =~ /^$begin (.*)$/) {
            $open{$1} = $entry;
        } elsif ($entry->{msg} =~ /^$end (.*)$/ && $open{$1}) {
            push @out, { name => $1, host => $host, life => $open{$1}{life}, from => $open{$1}{time}, to => $entry->{time} };
            delete $open{$1};
        }
    }
    return @out;
}

sub requests {
    my ($hosts) = @_;
    return (phases($hosts, 'client', 'request begin', 'request end'), phases($hosts, 'client', 'http begin', 'http end'));
}

# The threads on the path that match, one after the other, as host/name.
sub actors {
    my ($path, $pattern) = @_;
    my @out;
    for my $s (grep { $_->{type} eq 'thread' && "$_->{host}/$_->{name}" =~ $pattern } @$path) {
        push @out, "$s->{host}/$s->{name}" if !@out || $out[-1] ne "$s->{host}/$s->{name}";
    }
    return "@out";
}

# Nanoseconds on the path within [from, to) for which the test is true.
sub time_in {
    my ($path, $from, $to, $test) = @_;
    return sum0(map { max(0, min($_->{to}, $to) - max($_->{from}, $from)) } grep { $test->($_) } @$path);
}

# The kinds of parts into which the program splits a wait on HOST that ended by KIND: its interrupts and IPIs, a timer's
# lateness, a disk's flushes. The walk has it in one piece.
sub wait_for {
    my ($path, $host, $kind) = @_;
    my (%in, @open);
    for my $s (@$path) {
        @open = () if $s->{type} eq 'thread' || $s->{host} ne $host || @open && $open[-1]{to} != $s->{from};
        next if $s->{type} eq 'thread' || $s->{host} ne $host;
        push @open, $s;
        my $ended = $s->{is}{wait} ? $s->{kind} : ($s->{is}{source} // {})->{kind} // next;
        $in{$_} = 1 for grep { $ended eq $kind } @open;
        @open = ();
    }
    return sub { $in{$_[0]} };
}

sub by { my ($host, $name) = @_; return sub { $_[0]{host} eq $host && $_[0]{type} eq 'thread' && $_[0]{name} eq $name && $_[0]{kind} =~ $own } }

# Complete: each nanosecond once, without a hole.
sub wrong_cover {
    my ($path, $from, $to) = @_;
    my @wrong;
    my $at = $from;
    for my $s (@$path) {
        push @wrong, "$s->{kind} of $s->{host}/$s->{name} begins $s->{from}, not $at" if $s->{from} != $at;
        push @wrong, "$s->{kind} of $s->{host}/$s->{name} is empty at $s->{from}" if $s->{to} <= $s->{from};
        $at = $s->{to};
    }
    push @wrong, "ends $at, not $to" if $at != $to;
    return @wrong;
}

# The phase of a server on the path of a request: from its begin mark to its end mark only it is on the path.
sub _served {
    my ($hosts, $clock, $request, $host) = @_;
    my ($from, $to) = map { $clock->('client', $_) } @$request{qw(from to)};
    my @all = map { [ $clock->($host, $_->{from}), $clock->($host, $_->{to}) ] } phases($hosts, $host, 'serve begin', 'serve end');
    my @in = grep { $_->[0] > $from && $_->[1] < $to } @all;
    return @in == 1 ? @{$in[0]} : ();
}

# ---------------------------------------------------------------- rpc-chain

sub wrong_rpc {
    my ($hosts, $clock, $request, $path) = @_;
    my ($from, $to) = map { $clock->('client', $_) } @$request{qw(from to)};
    my @wrong = wrong_cover($path, $from, $to);
    my ($what) = $request->{name} =~ /^(\w)/;
    my ($a, $b) = _served($hosts, $clock, $request, 'httpd') or return (@wrong, 'not one phase of the server in it');
    my $passes = actors($path, qr/wk-/);
    my $web = by('httpd', 'wk-server');
    my $should = join ' ', 'client/wk-client', 'httpd/wk-server', $what eq 'c' ? ('db/wk-server', 'httpd/wk-server') : (), 'client/wk-client';
    push @wrong, "passes $passes" if $passes ne $should;
    if ($what eq 'h') {
        my $time = time_in($path, $a, $b, $web);
        push @wrong, "in the server $time ns" if $time < 10 * $ms || $time > 15 * $ms;
        # It may begin before the client is asleep, and it may wait for a thread of its own host: the first one did, for the journal's
        # thread.
        my $rest = time_in($path, $a, $b, by('client', 'wk-client')) + time_in($path, $a, $b, sub { $_[0]{name} =~ /^jbd2/ && $_[0]{host} eq 'httpd' });
        push @wrong, "in the server $time ns, $rest ns elsewhere, of @{[$b - $a]}" if $time + $rest != $b - $a;
    } elsif ($what eq 's') {
        my $timer = time_in($path, $a, $b, wait_for($path, 'httpd', 'timer'));
        push @wrong, "timer $timer ns" if $timer < 9.9 * $ms || $timer > 12 * $ms;
        push @wrong, 'not all of the phase is the server or its timer' if $timer + time_in($path, $a, $b, $web) != $b - $a;
    } else {
        my ($c, $d) = _served($hosts, $clock, $request, 'db') or return (@wrong, 'not one phase of the database in it');
        my $db = time_in($path, $c, $d, by('db', 'wk-server'));
        push @wrong, "in the database $db ns of @{[$d - $c]}" if $db != $d - $c || $db < 20 * $ms;
        for my $side ([ 'before', $a, $c ], [ 'after', $d, $b ]) {
            my $time = time_in($path, @$side[1, 2], $web);
            push @wrong, "in the server $side->[0] $time ns" if $time < 10 * $ms;
        }
    }
    return @wrong;
}

# ---------------------------------------------------------------- django

# The commit of each POST, in db's own time: [the writer, its wait for the disk]. The first write was complete
# before its thread fell asleep, and the flush took the CPU from it.
my %commit = (
    'post-vote 0' => [ 732, 'preempted', 1795169497652494130, 1795169497652631962 ],
    'post-vote 1' => [ 736, 'block', 1795169498515754320, 1795169498515882216 ],
    'post-vote 2' => [ 740, 'block', 1795169499383432947, 1795169499384277160 ],
);

sub wrong_django {
    my ($hosts, $clock, $request, $path) = @_;
    my ($from, $to) = map { $clock->('client', $_) } @$request{qw(from to)};
    my @wrong = wrong_cover($path, $from, $to);
    my $passes = actors($path, qr{/(python3|apache2|postgres)$});
    my $asks = () = $passes =~ /db/g;
    push @wrong, "passes $passes" if $passes !~ m{^client/python3( httpd/apache2 db/postgres)+ httpd/apache2 client/python3$} || $asks < 7;
    if (my $commit = $commit{$request->{name}}) {
        my ($tid, $kind, @window) = @$commit;
        my ($a, $b) = map { $clock->('db', $_) } @window;
        my $time = time_in($path, $a, $b, $kind eq 'block' ? wait_for($path, 'db', 'block') : sub { $_[0]{kind} eq $kind && $_[0]{host} eq 'db' });
        push @wrong, "the commit: $kind $time ns of @{[$b - $a]}" if $time != $b - $a;
    }
    return @wrong;
}

sub wrong {
    my ($hosts, $clock, $request, $path) = @_;
    return ($request->{name} =~ /^[hsc] / ? \&wrong_rpc : \&wrong_django)->($hosts, $clock, $request, $path);
}

1;
