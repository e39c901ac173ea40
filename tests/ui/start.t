#!/usr/bin/perl
# SPDX-License-Identifier: MIT
#
# The start: the configuration, and files of commands; messages give file and line of errors.
use strict;
use warnings;
use File::Basename qw(dirname);
use Cwd qw(abs_path);
use Test::More;

my $top = abs_path(dirname(__FILE__) . '/../..');
my $samples = $ENV{SAMPLES} // "$top/sample-traces";
my $program = $ENV{WAKEPATH} // "$top/build/wakepath";
my $tmp = $ENV{TMPDIR} or die "run through tests/tools/run_one\n";
$ENV{XDG_CONFIG_HOME} = "$tmp/config";
chdir $tmp or die;

sub spew { my ($path, $text) = @_; open my $f, '>', $path or die; print $f $text; close $f or die }
sub slurp { my ($path) = @_; open my $f, '<', $path or return ''; local $/; return scalar <$f> }

# Exit status, standard output and standard error.
sub run {
	my $status = system("'$program' " . join(' ', map { "'$_'" } @_) . ' >out 2>err');
	return ($status >> 8, slurp('out'), slurp('err'));
}

# The screen after KEYS and a start with ARGS.
sub screen {
	my ($keys, @args) = @_;
	unlink 'screen';
	spew('script', "$keys\ndump screen\n");
	my ($status, undef, $err) = run("$samples/preempt", '--script', 'script', @args);
	is "$status $err", '0 ', "starts with @args";
	return slurp('screen');
}

# The last line that is not empty.
sub message { my ($screen) = @_; return (grep { /\S/ } split /\n/, $screen)[-1] }

subtest 'a file of commands' => sub {
	spew('do', "# the worst wait for a CPU\nkind wait-cpu\n\n  activate\n#with a comment\n");
	like screen('', '--command', 'do'), qr/^\W+Account of wk-rt\[547\]  13\.7 ms .*^ A  wait-cpu +wk-victim\[546\]/ms, 'is done line by line, each when the previous one is done';
	spew('do', "+100ms\n#100\nsearch wk-victim\nzoom-in\n");
	like screen('', '--command', 'do'), qr/\A[^\n]* in view 289 ms [^\n]* back 2\n.*^ wk-victim\[546\]/ms, 'times, events, texts';
	spew('do', "requests on\nfilter net>1ms wk-client\n");
	spew('script', "dump screen\n");
	is((run("$samples/rpc-chain", '--script', 'script', '--command', 'do'))[0], 0, 'starts with several hosts');
	like slurp('screen'), qr/^\W+Requests of all hosts .*  3 of 1683 requests  only net>1ms /m, 'a text may be several words';
	spew('do', "zoom-in\nkind fish\nzoom-in\n");
	my $screen = screen('', '--command', 'do');
	like message($screen), qr/^ do:2: kind: "fish" is not one of: wakeup, /, 'an error gives its place';
	like $screen, qr/in view 289 ms/, 'and ends the file';
	like screen('!', '--command', 'do'), qr/do:2: kind: "fish"/, 'the list of notes has it, too';
	for (['arrows', 'maybe'], ['mouse', 'perhaps'], ['hide-tracer', 'foo'], ['latency', '1'], ['second', 'x'], ['maximise', 'x']) {
		spew('do', "@$_\n");
		like message(screen('', '--command', 'do')), qr/^ do:1: $_->[0]: "$_->[1]" is not one of: on, off/, "$_->[0] is on or off";
	}
	spew('do', "quit now\n");
	like message(screen('', '--command', 'do')), qr/^ do:1: quit takes no text: "now"/, 'quit takes no text';
	spew('do', "zoom-in\nsearch\n");
	$screen = screen('', '--command', 'do');
	like message($screen), qr/^ do:2: "search" needs a text after the command/, 'a command that asks needs its text';
	for (["zoom-in\n\nzom-out\n", qr/^wakepath: do:3: zom-out: no such command; the nearest: zoom-out, \S+, \S+\n\z/],
	     ["zoom\n", qr/^wakepath: do:1: zoom is ambiguous: zoom-in, zoom-out, zoom-fit, zoom-selection\n\z/],
	     ["\xff\n", qr/^wakepath: do: this is not a file of commands: line 1 is not UTF-8 text\n\z/]) {
		spew('do', $_->[0]);
		spew('script', "dump screen\n");
		my ($status, undef, $err) = run("$samples/preempt", '--script', 'script', '--command', 'do');
		is $status, 2, 'an unknown name is refused before any command runs';
		like $err, $_->[1], '... with file and line';
	}
	my ($status, undef, $err) = run("$samples/preempt", '--script', 'script', '--command', 'none');
	is $status, 2, 'a missing file of commands';
	like $err, qr/^wakepath: cannot read the file of commands none: .*\n\z/, '... is named';
	for (['--command', 'none', qr/^wakepath: cannot read the file of commands none: .*\n\z/], ['--command', 'do', qr/^wakepath: do: this is not a file of commands: line 1 is not UTF-8/], ['--config', 'none', qr/^wakepath: cannot read the configuration none: .*\n\z/]) {
		($status, undef, $err) = run("$samples/preempt", @$_[0, 1]);
		is $status, 2, "$_->[0] $_->[1] is read without a terminal, too";
		like $err, $_->[2], '... and named';
	}
};

subtest 'the configuration' => sub {
	my ($status, $built_in, $err) = run('--print-config');
	is "$status $err", '0 ', 'is printed without a trace';
	like $built_in, qr/^zoom-in +\+ C-WheelUp +# zoom in at the cursor$/m, 'keys with their commands';
	mkdir 'config';
	mkdir 'config/wakepath';
	spew('config/wakepath/config', "[start]\nlatency on\nkind preempted\ncopy on\nascii on\n[keys]\nzoom-in i\nnone q\n");
	my $screen = screen("i\nq");
	like $screen, qr/^\W+Worst preempted latencies of all threads/m, 'commands are done';
	unlike $screen, qr/[^\x00-\x7f]/, '... all of them';
	like $screen, qr/in view 289 ms/, 'keys run their configured command';
	like message($screen), qr/^ q has no command; \? lists the keys$/, 'and keys set to none do nothing';
	(undef, my $printed) = run('--print-config');
	like $printed, qr/^\[start\]\nlatency on\nkind preempted\ncopy on\nascii on\n/m, 'the settings in force are printed';
	like $printed, qr/^zoom-in +i +#.*^quit +Q F10 C-c +#.*/ms, '... also of keys';
	like $printed, qr/^overview +# /m, '... including keys taken away from others';
	spew('again', $printed);
	(undef, my $again) = run('--print-config', '--config', 'again');
	is $again, $printed, 'it can be read back';
	spew('empty', '');
	(undef, my $none) = run('--print-config', '--config', 'empty');
	is $none, $built_in, 'another file takes its place';
	spew('wrong', "[keys]\nzoom-in x\nzoom-out x\n");
	($status, undef, $err) = run('--print-config', '--config', 'wrong');
	is "$status $err", "2 wakepath: wrong:3: x has its command in line 2 already\n", 'a conflict gives both lines';
	spew('taken', "[start]\nlatency on\n[keys]\nzoom-in ]\nzoom-out [ - k\n");
	$screen = screen('', '--config', 'taken');
	like message($screen), qr/^ taken:5: \[ is now zoom-out, and change-prev has no key$/, 'a command that lost its only key gives a warning at the start';
	like screen('!', '--config', 'taken'), qr/ taken:4: \] is now zoom-in, and change-next has no key/, '... each, for as long as it is shown';
	unlike screen('!', '--config', 'taken'), qr/row-up has no key/, '... but not if it has another key';
	(undef, $printed) = run('--print-config', '--config', 'taken');
	for (["[keys]\nzoom-in ]\nchange-next M-n\n", 'has a new one'], ["[keys]\nchange-next\nzoom-in ]\n", 'has a line without keys'],
	     ["[keys]\nnone ]\n", 'whose key was taken away'], [$printed, 'that was printed']) {
		spew('meant', $_->[0]);
		unlike screen('!', '--config', 'meant'), qr/has no key/, "no warning for one $_->[1]";
	}
	spew('wrong', "[start]\nzoom-in\nkind fish\n");
	$screen = screen('', '--config', 'wrong');
	like message($screen), qr/^ wrong:3: kind: "fish" is not one of: /, 'a wrong text gives a message once it is known to be wrong';
	like $screen, qr/in view 289 ms/, 'the rest is run';
	spew('other', "[start]\nsort wait\n");
	like screen('B', '--config', 'other', '--thread', 'wk-rt'), qr/active by wait .*^\W+Account of wk-rt\[547\]/ms, 'rows are sorted, and the requested thread stays selected';
	like screen('s', '--config', 'other', '--thread', 'wk-rt'), qr/\A preempt  0\.082/, '… at its time';
	spew('do', "sort wait\n");
	like screen('', '--config', 'empty', '--command', 'do', '--thread', 'wk-rt'), qr/^ sorted by time waiting .*: the first is selected$/m, '… but a later sort selects the first';
	spew('other', "[start]\ntheme mono\n");
	like message(screen('T', '--config', 'other')), qr/^ theme dark$/, 'the theme applies from the start: commands after mono run';
	spew('other', "[start]\nascii off\nhide-tracer on\n");
	unlike screen('', '--config', 'other', '--ascii'), qr/[^\x00-\x7f]/, 'options override it';
};

# The position of two words in the first line that has both.
sub order { my ($screen, @words) = @_; for my $line (split /\n/, $screen) { my @at = map { index $line, $_ } @words; return join ' ', sort { $at[$a] <=> $at[$b] } 0 .. $#at unless grep { $_ < 0 } @at } return 'none' }
subtest 'columns of lists' => sub {
	spew('empty', '');
	my $screen = screen("size 160 40\nw", '--config', 'empty');
	is order($screen, 'LATENCY', 'FROM', ' OF', 'CPU', 'CAUSE'), '0 1 2 3 4', 'built in: all, in their order';
	like $screen, qr/active +TID/, '... with TIDs behind the names of rows';
	spew('columns', "[columns]\nlatency cause latency subject # the rest is left out\ncauses cause kind time unknown\nevents fields name time rank\nrows cpu wait latency\n[start]\nnames-wider 8\n");
	$screen = screen("size 160 40\nw", '--config', 'columns');
	is order($screen, 'LATENCY', ' OF', 'CAUSE'), '2 0 1', 'of latencies the named ones, in that order';
	unlike $screen, qr/FROM/, '... and no others';
	like $screen, qr/^ wk-victim\[546\] 13\.4 ms .* 13\.7 ms \S+ +wk-rt\[547\]$/m, '... each with its own value';
	# 547 ran 41.3 ms, was blocked for 90.8 ms and waited for the CPU for 14.9 ms, as wakepath threads says, and waited longest from a wake-up to running as above.
	like $screen, qr/^12\/117 active +CPU +WAIT +LATE/m, 'of rows times in the window';
	like $screen, qr/^ +wk-rt +41\.3 ms +106 ms +13\.7 ms/m, '... of each thread';
	unlike $screen, qr/TID/, '... without a TID that is not named';
	like screen("size 160 40\nw\nO", '--config', 'columns'), qr/^12\/117 active +CPU +WAIT +LATE/m, '... however lists are sorted';
	$screen = screen("size 160 40\nC", '--config', 'columns', '--thread', 'wk-rt');
	is order($screen, 'TIME', 'UNKNOWN', 'KIND', 'CAUSE'), '3 2 0 1', 'of causes';
	like $screen, qr/^ own sleep +t timer +\d+\.\d ms .* +0$/m, '... also one that otherwise needs a wide screen';
	$screen = screen("size 160 40\nF6", '--config', 'columns');
	is order($screen, 'FIELDS', 'EVENT', ' TIME', '#'), '0 1 2 3', 'of events';
	like $screen, qr/^ \{ hrtimer = .* +timer_hrtimer_start +0\.000059930 s? +5$/m, '... in that order';
	(undef, my $printed) = run('--print-config', '--config', 'columns');
	like $printed, qr/^\[columns\]\nrows cpu wait latency # of tid cpu wait latency\nlatency cause latency subject # of rank .*\ncauses .*\n#requests .*path_time.*\n#spans .*\n#compare .*\n#account .*\nevents fields name time rank # of .*\n/m, 'are printed, with those available';
	spew('again', $printed);
	is((run('--print-config', '--config', 'again'))[1], $printed, '... and can be read back');
	for (["fish a", 'no list is called "fish": there are rows, latency, causes, requests, spans, compare, account, events, notes, hits, bookmarks, fleet, names'], ["latency fish", 'latency has no column "fish": there are rank, latency, start, end, subject, cpu, key, cause'],
	     ["events time time", 'column time of events is named twice'], ["causes", 'causes has no column'], ["rows tid\nrows cpu", 'rows has its columns in line 2 already']) {
		spew('wrong', "[columns]\n$_->[0]\n");
		my $line = 1 + split /\n/, $_->[0];
		my ($status, undef, $err) = run('--print-config', '--config', 'wrong');
		is "$status $err", "2 wakepath: wrong:$line: $_->[1]\n", 'an error gives file and line: ' . $_->[0] =~ s/\n.*//r;
	}
	spew('columns', "[columns]\nrequests server client duration\n");
	spew('script', "size 120 30\nM-r\ndump screen\n");
	run("$samples/rpc-chain", '--script', 'script', '--config', 'columns');
	is order(slurp('screen'), 'CLIENT', 'SERVER', 'TOOK'), '1 0 2', 'of requests';
};
done_testing;
