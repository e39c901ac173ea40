#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Bookmarks: the stored event is the one that babeltrace2 prints at that place, it comes back with any clocks, and wakepath trusts it only where it can
# be checked.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use Test::More;

my $dir = "$ENV{TMPDIR}/bookmarks";
mkdir $dir;
my @trace = (sample('rpc-chain'), '--index-dir', "$dir/idx");

# The screen after KEYS, and the run.
sub play {
	my ($keys, @more) = @_;
	unlink "$dir/screen";
	spew("$dir/script", join "\n", 'size 120 30', @$keys, "dump $dir/screen", '');
	my $run = wakepath(@trace, @more, '--script', "$dir/script");
	is($run->{status}, 0, 'played') or diag $run->{err};
	return slurp("$dir/screen");
}
sub told { return json_of(wakepath('info', @trace, '--bookmarks', '--format', 'json', @_))->{bookmarks} }

# ---- the stored bookmark ----

my $asked = play(['g', '"5.93s"', 'Enter', '}', 'm', '"a"', '"slow, and why"', 'Enter'], '--thread', 'db/wk-server');
like($asked, qr/bookmark a is set here/, 'the screen says so');
my ($file) = glob "$dir/idx/*.bookmarks";
ok($file, 'there is a file beside the index') or BAIL_OUT('no file');
my %kept = slurp($file) =~ /^([\w-]+)=(.*)$/mg;
is($kept{host}, 'db', 'the host by its name');
is($kept{row}, 'thread 412', 'the thread by its TID');
is($kept{note}, 'slow, and why', 'the note');
my ($s, $ns) = $kept{time} =~ /^(\d+)(\d{9})$/;
my @woken = grep { /^\[\Q$s.$ns\E\] .* sched_waking: .* tid = 412,/ } `babeltrace2 --clock-seconds '@{[sample('rpc-chain/db')]}'`;
is(scalar @woken, 1, "the time is the host\'s own: that of the wake-up in its trace");

# ---- it comes back ----

for my $sync ('auto', 'none') {
	my $screen = play([q('), 'a'], '--sync', $sync);
	like($screen, qr/^ db\/wk-server\[412\]  \S+/m, "$sync: the thread is selected");
	like($screen, qr/bookmark a: slow, and why/, "$sync: the note is shown");
	my $told = told('--sync', $sync);
	is($told->[0]{row}, 'db/wk-server[412]', "$sync: info names the thread");
	is($told->[0]{time}, $kept{time}, 'without clocks it is the exact time') if $sync eq 'none';
	ok($told->[0]{from} <= $told->[0]{time} && $told->[0]{time} < $told->[0]{to}, "$sync: it is in its window");
}
is_deeply(told()->[0]{selected_from}, undef, 'nothing was selected');
play(['g', '"5.93s"', 'Enter', 'v', 'g', '"5.94s"', 'Enter', 'v', 'm', 'b', 'Enter'], '--thread', 'db/wk-server');
my ($both) = [told()];
is_deeply([map { $_->{letter} } @{ $both->[0] }], ['a', 'b'], 'both are there');
cmp_ok(abs($both->[0][1]{selected_to} - $both->[0][1]{selected_from} - 10_000_000), '<', 1000, 'the selection is kept');
like(play([q('), 'b']), qr/selected 10\.0 ms/, 'and comes back');
like(play([q('), '"?"', 'Enter', q('), q("'")]), qr/Bookmarks  whole trace, .*  2 bookmarks\s*$/m, 'the list');
like(play([q('), '"?"', 'j', 'Delete']), qr/bookmark b is dropped/, 'dropped');
is(scalar @{ told() }, 1, 'one is left');
is_deeply([@{ csv_of(wakepath('info', @trace, '--bookmarks', '--format', 'csv'))->[1] }[0, 2, 8]], ['a', 'db/wk-server[412]', 'slow, and why'], 'as CSV');
like(wakepath('info', @trace, '--bookmarks')->{out}, qr/^ *a +db\/wk-server\[412\] .*slow, and why$/m, 'as text');
is((stat $file)[2] & 0777, 0600, 'no other user can read it');

# ---- bookmarks that cannot be trusted ----

my $good = slurp($file);
my $bad = sub {
	my ($what, $text) = @_;
	unlink $file;
	spew($file, $text);
	my $run = wakepath('info', @trace, '--bookmarks');
	is($run->{status}, 3, "$what: bad data");
	like($run->{err}, qr/^wakepath: \Q$file\E: .*: move it away and set the bookmarks again$/, "$what: the message names the file and the remedy");
	like(play(['m', 'a', 'Enter'], '--thread', 'db/wk-server'), qr/\.bookmarks: /, "$what: the screen says it, too");
	is(slurp($file), $text, "$what: the file is left alone");
};
$bad->('no file of keys', "hello\n");
$bad->('another version', $good =~ s/version=1/version=2/r);
$bad->('no letter', $good =~ s/^\[a\]/[aa]/mr);
$bad->('no time', $good =~ s/^time=.*/time=soon/mr);
$bad->('a time beyond all', $good =~ s/^time=.*/time=9223372036854775807/mr);
$bad->('a window the wrong way round', $good =~ s/^to=.*/to=5/mr);
$bad->('too long', $good . '#' x (1 << 20));
spew($file, $good =~ s/^note=.*/note=\\e[2J\x1b[31mred/mr);
no_raw_controls(wakepath('info', @trace, '--bookmarks')->{out}, 'a note cannot send control sequences to the terminal');
spew($file, $good =~ s/^host=.*/host=elsewhere/mr);
is(told()->[0]{host}, undef, 'of a host that is not open only the note is known');
like(play([q('), 'a']), qr/bookmark a is of a host that is not open/, 'and the cursor does not move');
spew($file, $good =~ s/^row=.*/row=thread 999999/mr);
is(told()->[0]{row}, undef, 'a bookmark of a missing thread selects none');
unlink $file;
symlink '/etc/passwd', $file;
isnt(wakepath('info', @trace, '--bookmarks')->{status}, 0, 'a link is not followed');
done_testing;
