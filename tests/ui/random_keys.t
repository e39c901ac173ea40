#!/usr/bin/perl
# SPDX-License-Identifier: MIT
#
# Random keys, texts, clicks, wheel turns and sizes of the screen, on each sample trace: the explorer ends well, says
# nothing on standard error, and what it drew bit by bit is what it draws when it draws all anew.  RANDOM_KEYS says how
# many keys for each trace; RANDOM_SEED chooses others.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(basename dirname);
use File::Path qw(make_path remove_tree);
use Test::More;

my $root = abs_path(dirname(__FILE__) . '/../..');
my $samples = $ENV{SAMPLES} // "$root/sample-traces";
my $program = $ENV{WAKEPATH} // "$root/build/wakepath";
my $tmp = ($ENV{TMPDIR} or die "run through tests/tools/run_one\n") . "/random_keys.$$";
my $keys = $ENV{RANDOM_KEYS} // 1000;
my $seed = $ENV{RANDOM_SEED} // 1;
my $CHECKS = 10;	# of what is drawn, in each run
my @MOUSE = qw(Click Click WheelUp WheelDown C-WheelUp C-WheelDown M-WheelUp M-WheelDown);
my @TEXTS = ('wk-', '1', '+10ms', '5ms', 'no such name', '#40', '(', 'host', 'running', '[a-', 'cpu 0');
local $ENV{TZ} = 'UTC';
local $ENV{XDG_CONFIG_HOME} = "$tmp/config";

sub slurp {
	my ($path) = @_;
	open my $f, '<:encoding(UTF-8)', $path or return '';
	local $/;
	return scalar(<$f>) // '';
}

# All keys that have a command, but for those that leave.
sub bound_keys {
	my @bound;
	for (split /\n/, slurp("$root/src/ui/core/default.keys")) {
		my ($command, @names) = split;
		push @bound, grep { !/Wheel|Click/ } @names if $command && $command !~ /^(#|quit$|none$)/;
	}
	return @bound;
}

# A script of N keys; "dump FILE" twice at each check, the second time after all was drawn anew.
sub script {
	my ($n, @bound) = @_;
	my ($columns, $rows, @lines) = (80, 24);
	for my $i (1 .. $n) {
		my $chance = rand;
		if ($chance < 0.05) {
			push @lines, 'Esc';
		} elsif ($chance < 0.10) {
			push @lines, sprintf('pointer %d %d', 1 + rand $columns, 1 + rand $rows), $MOUSE[rand @MOUSE];
		} elsif ($chance < 0.14) {
			push @lines, "\"$TEXTS[rand @TEXTS]\"", 'Enter';
		} elsif ($chance < 0.145) {
			($columns, $rows) = (20 + int rand 200, 5 + int rand 60);
			push @lines, "size $columns $rows";
		} else {
			push @lines, $bound[rand @bound];
		}
		push @lines, 'Esc', "dump drawn.$i", 'C-l', "dump anew.$i" if $i % int($n / $CHECKS) == 0;
	}
	return join "\n", @lines, 'quit', '';
}

# The last line holds messages, which the next key takes away.
sub without_messages {
	my ($screen) = @_;
	$screen =~ s/[^\n]*\n\z//;
	return $screen;
}

my @bound = bound_keys();
cmp_ok scalar @bound, '>', 80, 'keys are found';
my @traces = grep { -d } glob "$samples/*";
cmp_ok scalar @traces, '>', 10, 'traces are found';
for my $trace (@traces) {
	my $name = basename($trace);
	my $dir = "$tmp/$name";
	srand $seed;
	make_path($dir);
	open my $f, '>', "$tmp/$name.script" or die "$tmp/$name.script: $!\n";
	print $f script($keys, @bound);
	close $f or die "$tmp/$name.script: $!\n";
	subtest $name => sub {
		my $status = system("cd '$dir' && '$program' --index-dir '$tmp/index' '$trace' --script '$tmp/$name.script' 2>'$tmp/stderr'");
		is $status >> 8, 0, "ends well after $keys keys" or diag "kept: $tmp/$name.script";
		is slurp("$tmp/stderr"), '', 'nothing on standard error';
		for my $drawn (glob "$dir/drawn.*") {
			my $anew = $drawn =~ s/drawn(?=[^\/]*\z)/anew/r;
			is without_messages(slurp($drawn)), without_messages(slurp($anew)), basename($drawn) . ': what was drawn';
		}
	};
	remove_tree($dir);
}
remove_tree("$tmp/index");

done_testing;
