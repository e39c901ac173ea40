#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The answers of `info`: each number in a sentence equals that of threads, causes, requests or path; threads that must not rank do not; and the story
# of a time sums to it.
use strict;
use warnings;
use utf8;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use Encode qw(decode);
use List::Util qw(sum0);
use Text::ParseWords qw(shellwords);
use Test::More;

binmode Test::More->builder->$_, ':encoding(UTF-8)' for qw(output failure_output todo_output);

sub answers { my (@args) = @_; return json_of(wakepath('info', @args, '--format', 'json'))->{answers} }

sub ascending { my (@numbers) = @_; return sort { $a <=> $b } @numbers }

# The share PART of WHOLE as sentences print it.
sub percent {
	my ($part, $whole) = @_;
	my $share = 100 * $part / $whole;
	return sprintf($share > 0 && $share < 0.95 ? '%.1f %%' : '%.0f %%', $share);
}

for my $name (qw(ioburst-ipi preempt pipeline pulse lockfight imbalance inception rpc-chain vm-preempt)) {
	my $trace = sample($name);
	my @answers = @{ answers($trace) };
	cmp_ok(scalar @answers, '>', 0, "$name: there are answers");
	cmp_ok(scalar @answers, '<=', 5, '… five at most');
	my $text = decode('UTF-8', wakepath('info', $trace)->{out});
	like($text, qr/\AWhere work lost most time\n\Q  $_\E/, '… the text begins with them') for join("\n  ", map { $_->{text} } @answers);
	my %threads = map { ("$_->{host}/$_->{tid}" => $_) } @{ json_of(wakepath('threads', $trace, '--format', 'json'))->{threads} };
	for my $a (@answers) {
		my $id = "$a->{subject}{host}/$a->{subject}{tid}";
		my $thread = $threads{$id};
		unlike($thread->{name}, qr/^(?:sshd?|lttng.*|wakepath)$/, "$id: neither the tracer nor a remote shell");
		ok($a->{from} < $a->{to}, '… the answer leads to a time');
		if (defined $a->{span}) {	# the list of spans has each of them
			my @all = ascending(map { $_->{duration} } grep { $_->{name} eq $a->{span} && defined $_->{subject}{tid} } @{ json_of(wakepath('spans', $trace, '--format', 'json'))->{spans} });
			my $p50 = $all[$#all / 2];
			is_deeply([@$a{qw(count p50 longest lost)}], [scalar @all, $p50, $all[-1], sum0(map { $_ > $p50 ? $_ - $p50 : 0 } @all)], "$a->{span}: the number of spans, their median, the longest, the time lost");
			ok(@all >= 8 && $all[-1] > 3 * $p50, '… a few took much longer');
			like($a->{text}, qr/^span \Q$a->{span}\E of .*: $a->{count} times, p50 \Q@{[ duration($p50) ]}\E, worst \Q@{[ duration($all[-1]) ]}\E/, '… the sentence');
			is($a->{to} - $a->{from}, $a->{longest}, '… the answer leads to the slowest');
			is_deeply([@$a{qw(ran kind cause)}], [undef, undef, undef], '… members that only threads have are null');
			next;
		}
		if ($a->{kind} eq 'waiting' && !defined $a->{ran}) {	# a thread that others waited for
			my ($threads, $first, $most) = $a->{text} =~ / was waited for most: (\d+) threads? waited \Q@{[ duration($a->{kind_time}) ]}\E for it, (\S+) (\S+ \w+)/;
			is_deeply([$threads, $first, $most], [@$a{qw(count cause)}, duration($a->{cause_time})], '… the number of threads that waited for it, and the one that waited most');
			my ($tid) = $first =~ /\[(\d+)\]$/;
			my ($cause) = grep { $_->{kind} eq 'thread' && ($_->{subject}{tid} // 0) == $a->{subject}{tid} } @{ json_of(wakepath('causes', $trace, '--thread', "$a->{subject}{host}/$tid", '--top', 0, '--format', 'json'))->{causes} };
			is_deeply([@$cause{qw(time longest)}], [@$a{qw(cause_time longest)}], '… the times are those that its causes have');
			next;
		}
		if (defined $a->{p50}) {	# requests
			like($a->{text}, qr/ asked \Q$a->{cause}\E $a->{count} times: p50 \Q@{[ duration($a->{p50}) ]}\E, worst \Q@{[ duration($a->{longest}) ]}\E/, '… of requests');
			my @took = map { $_->{duration} } grep { $_->{from} >= $a->{from} - 1 && $_->{to} <= $a->{to} } @{ json_of(wakepath('requests', $trace, '--thread', $id, '--format', 'json'))->{requests} };
			ok((grep { $_ == $a->{longest} } @took), '… the slowest is in the list of requests');
			# Shares are those of the path that the sentence opens.
			my %of;
			for (grep { $_->{kind} !~ /^(?:blocked|unknown)$/ } @{ json_of(wakepath('path', $trace, '--thread', "$id\@$a->{from}", '--from', $a->{from}, '--to', $a->{to}, '--format', 'json'))->{summary} }) {
				my $who = $_->{actor};
				$of{"$who->{host}/$who->{name}" . (defined $who->{tid} ? "[$who->{tid}]" : '')} += $_->{time};
			}
			my @most = grep { defined && $of{$_} >= ($a->{to} - $a->{from}) / 10 } map { s/^\d+ //r } (reverse sort map { sprintf '%015d %s', $of{$_}, $_ } keys %of)[0, 1];
			my $is = join ', ', map { percent($of{$_}, $a->{to} - $a->{from}) . " $_" } @most;
			my ($said) = $a->{text} =~ /, of which (.*)\z/;
			like($is, qr/^\Q$said\E(?:, |\z)/, '… its largest parts, as its path has them');
			next;
		}
		is($a->{life}, $thread->{last} - $thread->{first} - $thread->{states}{exited}, '… its life');
		is($a->{ran}, sum0(map { $thread->{states}{$_} // 0 } qw(usermode syscall running)), '… the time that it ran');
		if ($a->{kind} eq 'stolen') {
			my @stolen = grep { $_->{phase} eq 'stolen' } @{ json_of(wakepath('why', $trace, '--thread', $id, '--from', $thread->{first}, '--to', $thread->{last} - $thread->{states}{exited}, '--format', 'json'))->{blame} };
			is($a->{kind_time}, sum0(map { $_->{time} } @stolen), '… the time without its virtual CPU is that of its account');
			is($a->{cause_time}, sum0(map { $_->{time} } grep { $_->{tid} && $a->{cause} eq sprintf '%s/%s[%d]', @$_{qw(host name tid)} } @stolen), '… and so is the thread that took it');
			next;
		}
		my @causes = grep { $_->{kind} eq $a->{kind} && $_->{name} ne 'own sleep' } @{ json_of(wakepath('causes', $trace, '--thread', $id, '--top', 0, '--format', 'json'))->{causes} };
		is($a->{cause_time}, $causes[0]{time}, '… its largest cause is that of causes');
		is_deeply([@$a{qw(count longest)}], [@{ $causes[0] }{qw(count longest)}], '… the count and the longest');
		cmp_ok($a->{kind_time}, '<=', sum0(map { $_->{time} } @causes), '… not more than its kind has');
		(my $group = $a->{subject}{name}) =~ s{/\d+$}{/*};
		my @alike = grep { $_->{host} eq $a->{subject}{host} && !$_->{kernel} && $_->{name} =~ m{^\Q$a->{subject}{name}\E$|^\Q$group\E} } values %threads;
		cmp_ok($a->{alike}, '<=', scalar @alike, '… not more threads of its name than there are');
		my $one = $a->{alike} > 1 ? ", one of $a->{alike} such threads" : '';
		like($a->{text}, qr/^(?:\Q$a->{subject}{host}\E\/)?\Q$a->{subject}{name}\E\[$a->{subject}{tid}\](?: \([\w-]+\))?\Q$one\E[,:]/, '… it is the subject');
		my $ran = percent($a->{ran}, $a->{life});
		my $lost = percent($a->{kind_time}, $a->{life});
		like($a->{text}, qr/: \Q@{[ duration($a->{life}) ]}\E, of which \Q$ran\E ran, \Q$lost\E /, '… the shares');
		my ($times, $worst) = $a->{text} =~ /: (\d+) times?, worst (\S+ \w+)/;
		is_deeply([$times, $worst], [$a->{count}, duration($a->{longest})], '… the number and the longest') if defined $times;
		cmp_ok($a->{longest_wait}, '>=', $a->{longest}, '… the whole wait is not shorter');
		like($a->{text}, qr/, worst \Q@{[ duration($a->{longest}) ]} of a @{[ duration($a->{longest_wait}) ]}\E wait/, '… and the text says so') if ($a->{text} =~ / of a /);
	}
}

# The life of wk-victim ends with its exit, 27 ms before its last event: no other limit was given.
unlike(wakepath('path', sample('preempt'), '--thread', 'wk-victim')->{out}, qr/asked for/, 'path of a life: nothing is left out');
like(wakepath('path', sample('preempt'), '--thread', 'wk-victim', '--to', '-1ms')->{out}, qr/\A.*; of the 501 ms asked for: exited at /, '… with a limit after its exit the text says so');

# preempt, in babeltrace2's text: wk-rt is switched in ten times while wk-victim, which has CPU 0, is runnable.
like(answers(sample('preempt'))->[0]{text}, qr/^wk-victim\[546\]: .* preempted, nearly all by wk-rt\[547\] \(real-time\): 10 times/, 'the victim comes first');
# The shell that records waits for the programs it started.
unlike(join("\n", map { $_->{text} } @{ answers(sample($_)) }), qr/^lttng-record/m, "$_: the recorder does not rank") for qw(preempt pipeline lockfight pulse);
# In trace-cmd's text, the two USDT probes are req_begin at 0x403840 and req_end at 0x4038d9: 100 pairs.
SKIP: {
	my $trace = ($ENV{SHARED_TRACES} // '/none') . '/../recordings/machines/x64-requests/trace.dat';
	skip "$trace is not here", 2 unless -e $trace;
	my @spans = grep { defined $_->{span} } @{ answers($trace) };
	is_deeply([map { @$_{qw(span count p50 longest lost)} } @spans], ['sdt_wx:req', 100, 2_610_625, 109_238_038, 388_480_327], 'one name of three that nest: the one that lost most');
	like($spans[0]{text}, qr/^span sdt_wx:req of wx-worker: 100 times, p50 2\.61 ms, worst 109 ms, of which 65 % wx-worker\[519\], 29 % jbd2\/vda-8\[203\]$/, '… and the thread that took longest');
}
unlike(join("\n", map { $_->{text} } @{ answers(sample('preempt')) }), qr/^span /m, 'no sentence about spans without marks');
# The threads of inception lose hardly any time: the first sentence is about the busiest of them, wk-level1, 2 or 3.
like(answers(sample('inception'))->[0]{text}, qr/^wk-level\d\[/, 'without a loss the busiest thread is named');

# ---- the story ----

for (['preempt', 'wk-victim'], ['ioburst-ipi', 'wk-ioburst'], ['rpc-chain', 'client/wk-client'], ['pipeline', 'wk-pipe-main', '--from', '+413ms', '--to', '+446ms'], ['vm-preempt', 'host/CPU 0/KVM', '--from', '+1s', '--to', '+2s']) {
	my ($name, $thread, @window) = @$_;
	my $r = wakepath('why', sample($name), '--thread', $thread, @window, '--story', '--format', 'json');
	my $story = json_of($r);
	my @causes = grep { $_->{cause} } @{ $story->{parts} };
	is(sum0(map { $_->{time} } @{ $story->{parts} }), $story->{to} - $story->{from}, "$name: the parts of a story sum to its time");
	cmp_ok(scalar @causes, '<=', 3, '… with three causes');
	is_deeply([map { $_->{time} } @causes], [sort { $b <=> $a } map { $_->{time} } @causes], '… the largest first');
	like($_->{grade}, qr/^(?:proved|inferred|unknown)$/, "… $_->{what}: a grade") for @causes;
	my $blame = json_of(wakepath('why', sample($name), '--thread', $thread, @window, '--format', 'json'))->{blame};
	is($story->{parts}[0]{time}, sum0(map { $_->{time} } grep { $_->{phase} eq 'running' } @$blame), '… it ran as long as in the account');
	my ($command) = $story->{command} =~ /^wakepath (.*)$/;
	is(json_of(wakepath(shellwords($command)))->{text}, $story->{text}, '… its command line prints it again');
}
my @story = ('why', sample('preempt'), '--thread', 'wk-victim', '--story');
# From its fork (15.474406225 s) to the switch in which it is dead (15.630556035 s), not to the end of its zombie 27 ms later.
my $text = wakepath(@story)->{out};
like($text, qr/\Awk-victim\[546\]: 156 ms, of which 61 % ran; it was preempted by wk-rt\[547\] \(real-time\) for 30\.0 ms\n.*^Where the time went\n.*^Critical path.*^  wk-victim\[546\] {7}\|#+ +-#\|\n  lttng-record\.sh\[536\] \|-.*^Not known\n  .*lttng enable-event.*^Again\n  wakepath why .*--story\n\z/ms, 'the page as text');
my $markdown = wakepath(@story, '--format', 'markdown')->{out};
like($markdown, qr/\A### wk-victim.*!\[Critical path\]\(data:image\/svg\+xml;base64,[\w+\/=]+\)\n\n\| TIME \|.*^    wakepath why .*--story/ms, '… as Markdown with the picture');
my $svg = wakepath(@story, '--format', 'svg')->{out};
like($svg, qr/\A<\?xml.*<svg.*<\/svg>\s*\z/s, '… as SVG');
is(wakepath(@story, '--format', 'folded')->{status}, 2, 'an unknown format of a story is an error: status 2');

# ---- the program that was recorded ----

# One CPU in turns of 10 ms: "other" waits for it six times, "mine" twice.  STARTS: the recorder forked "mine".
sub turns {
	my ($name, $starts) = @_;
	my ($time, @lines) = (100);
	my $put = sub { my ($task, $event) = @_; push @lines, sprintf '%16s-%-5d [000] %12.6f: %s', @$task, $time, $event; $time += 0.00001 };
	my ($recorder, $mine, $other, $hog) = (['trace-cmd', 100], ['mine', 200], ['other', 400], ['hog', 300]);
	my $on = $recorder;
	my $to = sub { my ($next, $state) = @_; $put->($on, sprintf 'sched_switch: %s:%d [120] %s ==> %s:%d [120]', @$on, $state // 'R', @$next); $on = $next };
	$put->($recorder, 'sched_process_fork: comm=trace-cmd pid=100 child_comm=trace-cmd child_pid=200') if $starts;
	$to->($mine, 'S');
	$time += 0.001;
	$to->($other, 'S');	# it sleeps for the first four turns
	for (1 .. 6) {
		$time += 0.001;
		$put->($other, 'sched_waking: comm=mine pid=200 prio=120 target_cpu=000') if $_ == 5;
		$to->($hog);
		$time += 0.01;
		if ($_ > 4) { $to->($mine); $time += 0.001 }
		$to->($other);
	}
	$to->($recorder);
	$put->($recorder, 'sched_process_exit: comm=trace-cmd pid=100 prio=120');
	my $file = "$ENV{TMPDIR}/$name.txt";
	spew($file, join "\n", 'cpus=1', @lines, '');
	return $file;
}
sub first_subjects { return [map { $_->{subject}{name} } @{ json_of(wakepath('info', $_[0], '--format', 'json'))->{answers} }] }
my $started = first_subjects(turns('started', 1));
my $beside = first_subjects(turns('beside', 0));
is($started->[0], 'mine', 'the program that the recorder started comes first') or diag explain $started;
isnt($beside->[0], 'mine', '… it comes before others only in that case') or diag explain $beside;
done_testing;
