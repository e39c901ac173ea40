#!/usr/bin/perl
# SPDX-License-Identifier: MIT
#
# Random keys, texts, clicks, wheel turns and sizes of the screen, on each sample trace: the explorer ends properly, prints nothing on standard error,
# its screen drawn step by step equals one drawn anew, and an explorer started with the command line of that view shows the same. When a menu makes it
# leave, it is started again for the rest. RANDOM_KEYS is the number of keys for each trace; RANDOM_SEED chooses others; RANDOM_VIEWS=50 compares a
# fresh start every 50 keys.
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
my $keys = $ENV{RANDOM_KEYS} // 200;
my $seed = $ENV{RANDOM_SEED} // 1;
my $EVERY = 50;	# keys between checks of the drawing
my $views = $ENV{RANDOM_VIEWS} // $keys;	# keys between comparisons with a fresh start
my @MOUSE = qw(Click Click DoubleClick Move Drag WheelUp WheelDown C-WheelUp C-WheelDown M-WheelUp M-WheelDown);
my @TEXTS = ('wk-', '1', '+10ms', '5ms', 'no such name', '#40', '(', 'host', 'running', '[a-', 'cpu 0', 'requests', 'top 20%');
my $compared = 0;	# views
local $ENV{TZ} = 'UTC';
local $ENV{XDG_CONFIG_HOME} = "$tmp/config";

sub slurp {
	my ($path) = @_;
	open my $f, '<:encoding(UTF-8)', $path or return '';
	local $/;
	return scalar(<$f>) // '';
}

# All keys that have a command, except those that leave.
sub bound_keys {
	my @bound;
	for (split /\n/, slurp("$root/src/ui/core/default.keys")) {
		my ($command, @names) = split;
		push @bound, grep { !/Wheel|Click/ } @names if $command && $command !~ /^(#|quit$|close$|none$)/;
	}
	return @bound;
}

# A script of the keys from FROM to N; "dump FILE" twice at each check, the second time after everything was drawn anew.
sub script {
	my ($from, $n, @bound) = @_;
	my ($columns, $rows, @lines) = (80, 24);
	for my $i ($from .. $n) {
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
		} elsif ($chance < 0.16) {
			push @lines, '\\';	# a second window, or none
		} else {
			push @lines, $bound[rand @bound];
		}
		next if $i % $EVERY;
		push @lines, rand() < 0.5 ? 'Esc' : 'Enter', "dump drawn.$i", 'C-l', "dump anew.$i"; # no question is left open
		# The theme is not part of a view, but letters for states may be.  If a question or a menu is still open, no command line
		# is copied.
		push @lines, ':', '"theme dark"', 'Enter', "dump view.$i.$columns.$rows", 'Y', '"command"', 'Enter', "copied command.$i",
			'Y', '"time"', 'Enter' if $i % $views == 0;
	}
	return join "\n", @lines, 'quit', '';
}

# The last line holds messages, which the next key removes.
sub without_messages {
	my ($screen) = @_;
	$screen =~ s/[^\n]*\n\z//;
	return $screen;
}

# The words of a shell's command line, without the program.
sub words {
	my ($line) = @_;
	my (undef, @words) = split /\0/, `set -- $line; printf '%s\\0' "\$@"`;
	return @words;
}

# Parts of the screen that a view does not hold: the length of the history, the message line, and numbers that were not counted as the pane was not
# open yet.
sub lasting {
	my ($screen) = @_;
	return without_messages($screen) =~ s/(  back \d+)/' ' x length $1/er =~ s/ +$//mgr;
}

# The screen VIEW of DIR, "view.KEY.COLUMNS.ROWS", is also that of an explorer started with its command line.
sub check_view {
	my ($dir, $view) = @_;
	my (undef, $key, $columns, $rows) = split /\./, $view;
	my $command = slurp("$dir/command.$key");
	# The bookmarks are in a file, which later keys may have changed.  A view keeps the account of a thread only, not of a request or an interrupt.
	return 1 if $command !~ / --view / || slurp("$dir/$view") =~ /^\W*(?:Bookmarks {2}|Account of (?:\S+ \w+ for|IRQ|softirq|.* on CPU) )/m;
	$compared++;
	open my $f, '>', "$dir/fresh.script" or die "$dir/fresh.script: $!\n";
	print $f join "\n", "size $columns $rows", ':', '"theme dark"', 'Enter', 'dump fresh', 'quit', '';
	close $f or die "$dir/fresh.script: $!\n";
	my @args = words($command);
	my $status = do { local $ENV{VIEW_DIR} = $dir; system('sh', '-c', 'cd "$VIEW_DIR" && exec "$@" 2>fresh.err', 'sh', $program, @args, '--script', 'fresh.script') };
	my ($said, $screen, $fresh) = (slurp("$dir/fresh.err"), map { lasting(slurp("$dir/$_")) } $view, 'fresh');
	my @shown = split /\n/, $screen;
	my @lines = split /\n/, $fresh;
	$shown[$_] =~ s/ +choose it to read the trace// && $lines[$_] && $lines[$_] =~ s/^( [\w-]+) .*/$1/ for 0 .. $#shown;
	return 1 if !$status && $said eq '' && "@shown" eq "@lines";
	fail "key $key: a fresh start shows the same";
	diag "status $status, $said\n$command";
	$_ < 40 and diag "shown: $shown[$_]\nfresh: ", $lines[$_] // '' for grep { $shown[$_] ne ($lines[$_] // '') } 0 .. $#shown;
	return 0;
}

my @bound = bound_keys();
cmp_ok scalar @bound, '>', 80, 'keys are found';
my @traces = grep { -d } glob "$samples/*";
cmp_ok scalar @traces, '>', 10, 'traces are found';
for my $trace (@traces) {
	my $name = basename($trace);
	my ($dir, $runs) = ("$tmp/$name", 0);
	srand $seed;
	subtest $name => sub {
		my ($from, $fine) = (1, 1);
		for (; $fine && $from <= $keys; $runs++) {
			make_path($dir);
			open my $f, '>', "$tmp/$name.script" or die "$tmp/$name.script: $!\n";
			print $f script($from, $keys, @bound);
			close $f or die "$tmp/$name.script: $!\n";
			my $status = system("cd '$dir' && '$program' --index-dir '$tmp/index' '$trace' --script '$tmp/$name.script' 2>'$tmp/stderr'");
			my $said = slurp("$tmp/stderr");
			$fine = !$status && $said eq '' or diag "from key $from on: status ", $status >> 8, ", $said\nkept: $tmp/$name.script";
			my @checks = sort { $a <=> $b } map { /anew\.(\d+)\z/ } glob "$dir/anew.*";
			for my $check (@checks) {
				my ($drawn, $anew) = map { without_messages(slurp("$dir/$_.$check")) } qw(drawn anew);
				$fine = 0, is $drawn, $anew, "key $check: the screen equals one drawn anew" if $drawn ne $anew;
			}
			$fine = check_view($dir, $_) && $fine for map { basename($_) } glob "$dir/view.*";
			$from = ($checks[-1] // $from - 1 + $EVERY) + 1;
			remove_tree($dir);
		}
		ok $fine, "$keys keys, begun $runs times";
	};
}
cmp_ok $compared, '>', 0, "$compared views are compared";
remove_tree("$tmp/index");

done_testing;
