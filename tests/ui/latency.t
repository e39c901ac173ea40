#!/usr/bin/perl
# SPDX-License-Identifier: MIT
#
# The pane of latencies against every single interval, as the headless command lists them: the worst of each column of time, each part of the histogram
# with its list, the orders, the groups. The expected screen is computed here.
use strict;
use warnings;
use utf8;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use Encode qw(decode);
use POSIX qw(floor);
use Test::More;

binmode Test::More->builder->$_, ':encoding(UTF-8)' for qw(output failure_output todo_output);
my $scratch = $ENV{TMPDIR};
my ($wide, $high, $names) = (200, 60, 32);
my @rules; # --rules FILE, for the tests below

# Play the lines of SCRIPT on TRACE; returns the dump of each name in it, as lists of lines.
sub play {
	my ($trace, $script) = @_;
	my %dumps = map { $_ => 1 } $script =~ /^dump (\S+)$/mg;
	$script =~ s/^(dump|attrs) /$1 $scratch\//mg;
	spew("$scratch/script", "size $wide $high\n$script");
	my $r = wakepath(sample($trace), @rules, '--show-tracer', '--script', "$scratch/script");
	is($r->{status}, 0, "$trace: the script plays") or diag $r->{err};
	return { map { $_ => [split /\n/, decode('UTF-8', slurp("$scratch/$_"))] } keys %dumps };
}

sub all_of {
	my ($trace, $kind) = @_;
	my $l = json_of(wakepath('latency', sample($trace), @rules, (@rules ? ('--threshold', '1ns') : ()), '--kind', $kind, '--show-tracer', '--top', 1_000_000, '--format', 'json'));
	my @cases = @{ $l->{worst} // [] };
	is(scalar @cases, $l->{count}, "$trace, $kind: all are listed");
	return \@cases;
}

# The heading line above the list of latencies.
sub heading {
	my ($lines) = @_;
	return (grep { $lines->[$_] =~ /^ +# +LATENCY/ } 0 .. $#$lines)[0] // die 'no list';
}

# The content of the lines of columns: a string of heights in eighths, one for each column.
sub heights {
	my ($lines) = @_;
	my ($first) = grep { $lines->[$_] =~ /^ over time/ } 0 .. $#$lines;
	return [] if !defined $first;
	my $n = heading($lines) - $first;
	my @heights = (0) x ($wide - $names);
	for my $line (@$lines[$first .. $first + $n - 1]) {
		my $text = substr($line, $names) . ' ' x $wide;
		for my $i (0 .. $#heights) {
			my $ch = ord substr $text, $i, 1;
			$heights[$i] += $ch - 0x2580 if $ch > 0x2580 && $ch <= 0x2588;
		}
	}
	return (\@heights, $n);
}

# The columns computed from the cases, of which those in [LEAST, BELOW) are picked.
sub heights_of {
	my ($cases, $n, $from, $to, $least, $below) = @_;
	my @shown = grep { $_->{latency} >= $least && $_->{latency} < $below } @$cases;
	my ($low) = sort { $a <=> $b } map { $_->{latency} } @$cases;
	my ($most) = sort { $b <=> $a } map { $_->{latency} } @$cases;
	my ($columns, @worst) = ($wide - $names);
	for my $case (@shown) {
		my $c = 0;
		$c++ while $c + 1 < $columns && $from + floor(($to - $from) * ($c + 1) / $columns) <= $case->{start};
		$worst[$c] = $case->{latency} if !defined $worst[$c] || $worst[$c] < $case->{latency};
	}
	$low = $least if $least > $low;
	$most = $below if $below < $most;
	$low = 1 if $low < 1;
	$most = 2 if $most < 2;
	return [map {
		my $v = $worst[$_];
		my $share = defined $v ? $most > $low ? log(($v < 1 ? 1 : $v) / $low) / log($most / $low) : 1 : 0;
		$share = 0 if $share < 0;
		$share = 1 if $share > 1;
		defined $v ? 1 + floor($share * ($n * 8 - 1) + 0.5) : 0;
	} 0 .. $columns - 1];
}

# The latencies and ranks in the list of a dump.
sub listed {
	my ($lines) = @_;
	return map { /^ *(\d+) +(\S+ \S+|0) / ? "$1 $2" : () } @$lines[heading($lines) + 1 .. $#$lines];
}

sub expected_list {
	my ($cases, $lines) = @_;
	my $n = listed($lines);
	my @worst = sort { $b->{latency} <=> $a->{latency} || $a->{start} <=> $b->{start} } @$cases;
	return map { ($_ + 1) . ' ' . duration($worst[$_]{latency}) } 0 .. ($n < @worst ? $n : @worst) - 1;
}

# The keys that choose KIND.
sub choose {
	my ($kind) = @_;
	my ($usage) = wakepath('latency', sample('preempt'), '--kind', 'no such')->{err} =~ /one of: (.*)/;
	my @kinds = split /, /, $usage;
	push @kinds, slurp($rules[1]) =~ /^\[(.*)\]$/mg if @rules;
	my ($at) = grep { $kinds[$_] eq $kind } 0 .. $#kinds;
	return "D\nHome\n" . "j\n" x $at . "Enter\n";
}

sub check {
	my ($trace, $kind) = @_;
	my $cases = all_of($trace, $kind);
	my $info = json_of(wakepath('info', sample($trace), '--format', 'json'))->{traces}[0];
	my ($from, $to) = ($info->{from}, $info->{to} + 1);
	my %bin;
	for my $case (@$cases) {
		my $least = 1;
		$least *= 2 while $least * 2 <= $case->{latency};
		push @{ $bin{$case->{latency} < 1 ? 0 : $least} }, $case;
	}
	my @bins = sort { $b <=> $a } keys %bin;
	my ($highest, $lowest) = @bins[0, -1];
	my $script = "w\n" . choose($kind) . "dump all\nP\ndump $highest\n";
	for (my $b = $highest / 2; $b >= ($lowest || 1); $b /= 2) { $script .= "h\ndump $b\n" }
	$script .= "Esc\nO\ndump time\n";
	my $dumps = play($trace, $script);

	my ($got, $n) = heights($dumps->{all});
	cmp_ok($n, '>', 2, "$trace, $kind: there are columns");
	is_deeply($got, heights_of($cases, $n, $from, $to, 0, 9e18), "$trace, $kind: the worst of each column");
	is_deeply([listed($dumps->{all})], [expected_list($cases, $dumps->{all})], "$trace, $kind: the list");
	for my $b (grep { $_ > 0 } @bins) {
		my ($title) = grep { /^\W+Worst / } @{ $dumps->{$b} };
		my $text = duration($b) . ' to ' . duration(2 * $b) . ': ' . @{ $bin{$b} } . ' of ' . @$cases;
		like($title, qr/\Q$text\E(?: |$)/, "$trace, $kind: $text");
		($got, $n) = heights($dumps->{$b});
		is_deeply($got, heights_of($cases, $n, $from, $to, $b, 2 * $b), "$trace, $kind: its columns");
		is_deeply([listed($dumps->{$b})], [expected_list($bin{$b}, $dumps->{$b})], "$trace, $kind: its list");
	}
	my @by_time = map { duration($_->{latency}) } sort { $a->{start} <=> $b->{start} } @$cases;
	my @got = map { s/^\d+ //r } listed($dumps->{time});
	is_deeply(\@got, [@by_time[0 .. $#got]], "$trace, $kind: in the order of time") if @$cases <= 1000;
}

check('preempt', $_) for qw(wakeup wait-cpu preempted blocked off-cpu);
check('pipeline', 'wakeup');
check('ioburst-ipi', $_) for qw(softirq block timer);
check('lockfight', 'wakeup');

# Groups: a line for each, and the cases of one alone.
my %by_name;
push @{ $by_name{$_->{name}} }, $_ for @{ all_of('preempt', 'wakeup') };
my ($most) = sort { @{ $by_name{$b} } <=> @{ $by_name{$a} } || $a cmp $b } keys %by_name;
my $dumps = play('preempt', "w\nG\nG\n:\n\"sort count\"\nEnter\nz\ndump groups\nz\nEnter\ndump one\nP\ndump picked\nEsc\nEsc\ndump all\n");
my ($heading) = grep { $dumps->{groups}[$_] =~ /^ +CASES.* BY$/ } 0 .. $#{ $dumps->{groups} };
my %shown = map { /^ +(\d+) .* {2,}(\S.*?)$/ ? ($2 => $1) : () }
	@{ $dumps->{groups} }[$heading + 1 .. $heading + keys %by_name];
is_deeply(\%shown, { map { $_ => scalar @{ $by_name{$_} } } keys %by_name }, 'groups by name, with their number of cases');
is_deeply([listed($dumps->{one})], [expected_list($by_name{$most}, $dumps->{one})], "only those of $most");
like(join("\n", @{ $dumps->{one} }), qr/^\W+Worst latencies.* of \Q$most\E .* @{[scalar @{ $by_name{$most} }]} wake-ups/m, 'the title names it');
like(join("\n", @{ $dumps->{picked} }), qr/of @{[scalar @{ $by_name{$most} }]} *$/m, 'a part of them');
is(scalar(() = listed($dumps->{all})), scalar(() = listed(play('preempt', "w\ndump a\n")->{a})), 'all again');

# ---- marks in the control flow ----

# The window that [FROM, TO) becomes when it is made half as long around CURSOR.
sub zoomed {
	my ($from, $to, $cursor) = @_;
	my $length = $to - $from;
	my $wanted = floor($length * 0.5 + 0.5);
	my $left = floor(($cursor - $from) * ($wanted / $length));
	$left = $wanted - 1 if $left > $wanted - 1;
	return ($cursor - $left, $cursor - $left + $wanted);
}

# TID => { there => { column }, begins => { column } } of the cases at least LIMIT long.
sub marks_of {
	my ($cases, $limit, $from, $to) = @_;
	my %marks;
	my $columns = $wide - $names;
	my $column = sub {
		my ($time) = @_;
		my $c = 0;
		$c++ while $c + 1 < $columns && $from + floor(($to - $from) * ($c + 1) / $columns) <= $time;
		return $c;
	};
	for my $case (grep { $_->{latency} >= $limit && defined $_->{tid} } @$cases) {
		my ($start, $end) = @$case{qw(start end)};
		$end = $start + 1 if $end == $start;
		next if $start >= $to || $end <= $from;
		$marks{$case->{tid}}{begins}{$column->($start)} = 1 if $start >= $from;
		my ($first, $last) = map { $column->($_) } $start < $from ? $from : $start, ($end > $to ? $to : $end) - 1;
		$marks{$case->{tid}}{there}{$_} = 1 for $first .. $last;
	}
	return \%marks;
}

# The marks in a dump and its roles, except in the cursor's column.
sub marks_shown {
	my ($lines, $roles, $cursor) = @_;
	my (%marks, %tid);
	for my $y (2 .. $#$lines) {
		my ($tid) = substr($lines->[$y], 0, $names) =~ / (\d+)\x{2502}$/ or next;
		$tid{$y + 1} = $tid;
		my $text = substr $lines->[$y], $names;
		$marks{$tid}{begins}{$-[0]} = 1 while $text =~ /\x{25c6}/g;
	}
	for (map { /^over late line (\d+) columns (\d+)-(\d+)/ ? [$1, $2, $3] : () } @$roles) {
		my ($y, $first, $last) = @$_;
		$marks{$tid{$y}}{there}{$_ - $names - 1} = 1 for defined $tid{$y} ? $first .. $last : ();
	}
	delete $_->{there}{$cursor} for values %marks;
	return \%marks;
}

sub check_marks {
	my ($trace, $kind, $limit, $at) = @_;
	my $cases = all_of($trace, $kind);
	my $info = json_of(wakepath('info', sample($trace), '--format', 'json'))->{traces}[0];
	my ($from, $to) = ($info->{from}, $info->{to} + 1);
	my $dumps = play($trace, choose($kind) . "w\n*\n\"${limit}ns\"\nEnter\no\ndump all\nattrs all.roles\ng\n\"${at}ns\"\nEnter\n" .
		"+\n+\n+\n+\ndump near\nattrs near.roles\n");
	my $cursor = $from + $at;
	for my $view (qw(all near)) {
		($from, $to) = zoomed($from, $to, $cursor) for $view eq 'near' ? 1 .. 4 : ();
		my $expected = marks_of($cases, $limit, $from, $to);
		my $column = index($dumps->{$view}[1], "\x{25bc}") - $names;
		delete $_->{there}{$column} for values %$expected;
		my $shown = marks_shown($dumps->{$view}, [split /\n/, slurp("$scratch/$view.roles")], $column);
		for my $set ($expected, $shown) {
			for my $tid (keys %$set) {
				$set->{$tid}{$_} //= {} for qw(begins there);
				delete $set->{$tid} if !%{ $set->{$tid}{begins} } && !%{ $set->{$tid}{there} };
			}
		}
		is_deeply($shown, $expected, "$trace, $kind of ${limit} ns: marks, $view");
		cmp_ok(scalar keys %$expected, '>', 0, 'there are some');
		like($dumps->{$view}[0], qr/\x{25c6} \Q$kind\E \x{2265} \Q@{[duration($limit)]}\E/, 'the header shows the marks');
	}
}

check_marks('preempt', 'wakeup', 1_000_000, 104_000_000);
check_marks('preempt', $_, 3_000_000, 150_000_000) for qw(off-cpu preempted blocked);
check_marks('pipeline', 'wait-cpu', 500_000, 210_000_000);
check_marks('ioburst-ipi', 'block', 1_000_000, 14_000_000);

# Open cases, as --unfinished lists them; of one group alone only its own.
sub check_open {
	my ($trace, $kind) = @_;
	my $l = json_of(wakepath('latency', sample($trace), @rules, '--kind', $kind, '--show-tracer', '--unfinished', '--by', 'thread', '--format', 'json', '--top', 0));
	my @open = @{ $l->{open} };
	is(scalar @open, $l->{unfinished}, "$trace, $kind: all open cases are listed");
	my ($group, $at) = (undef, -1);
	for my $i (0 .. $#{ $l->{groups} }) {
		($group, $at) = ($l->{groups}[$i], $i) if !$group && $l->{groups}[$i]{unfinished};
	}
	my $dumps = play($trace, choose($kind) . ":\n\"sort unfinished\"\nEnter\na\nz\ndump all\n" . "G\n" . "j\n" x $at . "Enter\ndump one\nEnter\ndump account\nw\n.\ndump worst\n");
	my $shown = sub {
		my ($lines) = @_;
		my ($heading) = grep { $lines->[$_] =~ /^ +# +OPEN FOR/ } 0 .. $#$lines;
		return [map { /^ *\d+ +(\S+ \S+) +\S+ \S+ +(\S.*?)(?: {2,}.*)?$/ ? "$1 $2" : () } @$lines[$heading + 1 .. $#$lines]];
	};
	my $text = sub { my ($c) = @_; return duration($c->{open_for}) . " $c->{name}" . (defined $c->{tid} ? "[$c->{tid}]" : '') };
	is_deeply($shown->($dumps->{all}), [map { $text->($_) } @open], '… in the pane, too');
	is_deeply($shown->($dumps->{one}), [grep { / \Q$group->{name}\E$/ } map { $text->($_) } @open], "… those of $group->{name}");
	like(join("\n", @{ $dumps->{account} }), qr/Account of \Q$group->{name}\E/, '… Enter opens the account of the time so far');
	like($dumps->{worst}[-1], qr/worst 1 of \d+: /, '… "next worst" goes to finished cases');
}

check_open('preempt', 'blocked');
check_open('pipeline', 'off-cpu');

# Rules are further kinds.
@rules = ('--rules', "$ENV{TOP}/tests/ui/screens/own.rules");
check('ioburst-ipi', $_) for qw(disk wake-up);
check_marks('ioburst-ipi', 'disk', 2_000_000, 90_000_000);
@rules = ();

my $none = play('preempt', "m\n\"1ms\"\nEnter\nm\nEnter\no\ndump none\n");
unlike(join('', @{ $none->{none} }), qr/\x{25c6}/, 'no marks any more');

done_testing;
