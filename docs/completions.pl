#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# completions.pl bash|zsh|fish PROGRAM: completions of commands and options for that shell, from what PROGRAM --help says.
use strict;
use warnings;

my ($shell, $program) = @ARGV;
die "usage: completions.pl bash|zsh|fish PROGRAM\n" if !$program;

# Values that are words of a list, as are formats, which --help tells of each command; other values are files, or left to the user.
my %words = ('--kind' => listed_by(qw(latency . --kind .)), '--by' => listed_by(qw(latency . --kind wakeup --by .)), '--reader' => 'ctf babeltrace2',
	'--theme' => 'dark light high-contrast mono', '--of' => 'sleeper waker cpu', '--with' => 'lttng ftrace perf', '--for-question' => 'cpu disk net locks all', '--sync' => 'auto none');
my %files = map { $_ => 1 } qw(FILE DIR);

# The words that PROGRAM lists where one of them lacks, or is none.
sub listed_by {
	my $said = `'$program' @_ 2>&1`;
	$said =~ /one of:? (.+)/ or die "completions.pl: $program @_ lists no words\n";
	return $1 =~ s/,//gr;
}

sub help_of {
	my @command = @_;
	open my $f, '-|', $program, @command, '--help' or die "completions.pl: $program: $!\n";
	local $/;
	my $text = <$f>;
	close $f or die "completions.pl: $program @command --help fails\n";
	return $text;
}

# [option, value's name or undef, what it does, words that it may be or undef] for each of COMMAND.
sub options_of {
	my ($command) = @_;
	my @options = map { [/^  (?:-\w, )?(--[a-z-]+)(?:=(\S+))? +(.*)/] } grep { /^  (?:-\w, )?--/ } split /\n/, help_of($command);
	$_->[3] = $_->[0] eq '--format' ? $_->[2] =~ s{ \(default\)|,| or(?= )}{}gr : $words{$_->[0]} for @options;
	return @options;
}

my $help = help_of();
my @commands = map { [/^wakepath ([a-z]+) +(.*)/] } grep { /^wakepath [a-z]+ +[A-Z]\w*[ ,:]/ } split /\n/, $help;
die "completions.pl: $program --help lists no commands\n" if @commands < 2;
my %options = map { $_->[0] => [options_of($_->[0])] } @commands;
my $names = join ' ', map { $_->[0] } @commands;

sub quoted { my ($t) = @_; $t =~ s/'/'\\''/g; return "'$t'" }

sub bash {
	print "# bash completion for wakepath; made from its --help\n_wakepath() {\n\tlocal cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} word command=view\n";
	print "\tfor word in \"\${COMP_WORDS[\@]:1:COMP_CWORD-1}\"; do\n\t\tcase \$word in\n\t\t" . join('|', map { $_->[0] } @commands) . ") command=\$word; break ;;\n\t\tesac\n\tdone\n";
	my %formats = map { my $c = $_->[0]; map { ("$c--format" => $_->[3]) } grep { $_->[0] eq '--format' } @{ $options{$c} } } @commands;
	print "\tcase \$command\$prev in\n", (map { "\t$_) COMPREPLY=(\$(compgen -W \"$formats{$_}\" -- \"\$cur\")); return ;;\n" } sort keys %formats),
		(map { "\t*$_) COMPREPLY=(\$(compgen -W \"$words{$_}\" -- \"\$cur\")); return ;;\n" } sort grep { $_ ne '--sync' } keys %words), "\tesac\n";
	print "\tcase \$cur in\n\t-*)\n\t\tcase \$command in\n";
	print "\t\t$_->[0]) COMPREPLY=(\$(compgen -W \"", join(' ', map { $_->[0] } @{ $options{ $_->[0] } }), "\" -- \"\$cur\")) ;;\n" for @commands;
	print "\t\tesac ;;\n\t*)\n\t\tCOMPREPLY=(\$(compgen -f -- \"\$cur\"))\n\t\t[ \"\$COMP_CWORD\" -gt 1 ] || COMPREPLY+=(\$(compgen -W \"$names\" -- \"\$cur\")) ;;\n\tesac\n}\n";
	print "complete -o filenames -F _wakepath wakepath\n";
}

sub zsh {
	print "#compdef wakepath\n# made from the program's --help\n_wakepath() {\n\tlocal -a commands\n\tcommands=(\n", (map { "\t\t" . quoted("$_->[0]:" . $_->[1] =~ s/:/\\:/gr) . "\n" } @commands), "\t)\n";
	print "\tif (( CURRENT == 2 )); then\n\t\t_describe command commands\n\t\t_files\n\t\treturn\n\tfi\n\tcase \$words[2] in\n";
	for my $c (@commands) {
		print "\t$c->[0])\n\t\t_arguments";
		for my $o (@{ $options{ $c->[0] } }) {
			my ($name, $value, $what, $words) = @$o;
			my $text = $what =~ s/([\[\]:\\])/\\$1/gr;
			my $then = !defined $value ? '' : ':value:' . ($words ? "($words)" : $files{$value} ? '_files' : ' ');
			print " \\\n\t\t\t", quoted("$name" . (defined $value ? '=' : '') . "[$text]$then");
		}
		print " \\\n\t\t\t'*:trace:_files' ;;\n";
	}
	print "\t*) _files ;;\n\tesac\n}\n_wakepath \"\$\@\"\n";
}

sub fish {
	print "# fish completion for wakepath; made from its --help\n";
	print "complete -c wakepath -n __fish_use_subcommand -a $_->[0] -d ", quoted($_->[1]), "\n" for @commands;
	for my $c (@commands) {
		for my $o (@{ $options{ $c->[0] } }) {
			my ($name, $value, $what, $words) = @$o;
			my $then = !defined $value ? '' : $words ? ' -x -a ' . quoted($words) : $files{$value} ? ' -r' : ' -x';
			print "complete -c wakepath -n '__fish_seen_subcommand_from $c->[0]' -l ", substr($name, 2), "$then -d ", quoted($what), "\n";
		}
	}
}

my %shells = (bash => \&bash, zsh => \&zsh, fish => \&fish);
($shells{$shell} // die "completions.pl: $shell: not bash, zsh or fish\n")->();
