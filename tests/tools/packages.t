#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Installing: only what is missing, nothing when nothing is, and never on another system.  The list is enough for pkg-config.
use strict;
use warnings;
use Test::More;

my $script = "$ENV{TOP}/tests/tools/packages.sh";
my $scratch = $ENV{TMPDIR} or die "run through tests/tools/run_one\n";	# else it would be /bin
my $dir = "$scratch/bin";
mkdir $dir;

sub write_file {
	my ($path, $text) = @_;
	open my $f, '>', $path or die "$path: $!";
	print $f $text;
	close $f;
	chmod 0755, $path;
}

# Stand-ins: apt-get and sudo note what they are asked, dpkg-query knows all packages but $MISSING.
write_file("$dir/apt-get", "#!/bin/sh\necho \"apt-get \$*\" >> $dir/calls\n");
write_file("$dir/sudo", "#!/bin/sh\nexec \"\$\@\"\n");
write_file("$dir/dpkg-query", "#!/bin/sh\nfor p; do :; done\ncase \" \$MISSING \" in *\" \$p \"*) exit 1;; *) printf installed;; esac\n");
write_file("$dir/debian12", "ID=debian\nVERSION_ID=12\nPRETTY_NAME='Debian 12'\n");
write_file("$dir/other", "ID=fedora\nVERSION_ID=40\nPRETTY_NAME='Fedora 40'\n");

sub run {
	my ($system, $missing, @args) = @_;
	unlink "$dir/calls";
	local $ENV{PATH} = "$dir:$ENV{PATH}";
	local $ENV{OS_RELEASE} = "$dir/$system";
	local $ENV{MISSING} = $missing;
	my $said = `$script @args 2>&1`;
	my $status = $? >> 8;
	open my $f, '<', "$dir/calls" or return ($status, $said, '');
	local $/;
	return ($status, $said, scalar <$f>);
}

my ($status, $said, $calls) = run('debian12', '', 'check');
is($status, 0, 'nothing missing');
is($said, '', '… says nothing');
is($calls, '', '… installs nothing');

($status, $said, $calls) = run('debian12', 'tmux libxxhash-dev', 'check');
is($status, 0, 'two packages missing');
is($calls, "apt-get update\napt-get install -y --no-install-recommends libxxhash-dev tmux\n", '… installs these two');

($status, $said, $calls) = run('debian12', 'tmux', 'run');
is("$status $calls", '0 ', 'to run, nothing is needed that only tests need');

($status, $said, $calls) = run('other', '', 'run');
is($status, 1, 'another system: stops');
is($calls, '', '… installs nothing');
like($said, qr/Fedora 40/, '… says where it is');
like($said, qr/\b\Q$_\E\b/, "… and that $_ is needed") for qw(gcc make pkg-config libglib2.0-dev libncurses-dev libbabeltrace2-dev libxxhash-dev libelf-dev zlib1g-dev libzstd-dev libtracefs-dev libcairo2-dev);

# pkg-config reads the .pc files of all that these ask for, Requires.private too, or says nothing at all.  A package may hold one that needs a
# package on which it does not depend: then that one must stand in the list.
my ($listed) = $said =~ /packages hold: (.*)/;

sub lines { return split /\n/, `@_` }

# Module => its .pc file, of MODULES and all that they require.
sub pc_files {
	my %file;
	while (my $module = shift) {
		next if $file{$module};
		my ($folder) = lines("pkg-config --variable=pcfiledir $module");
		$file{$module} = "$folder/$module.pc";
		push @_, map { (split)[0] } lines("pkg-config --print-requires --print-requires-private $module");
	}
	return %file;
}

# What installing PACKAGES on a system without any brings along: package => 1.  Of alternatives apt takes the first.
sub brought {
	my (%depends, %provide, %brought);
	for (lines("dpkg-query -W -f '\${Package}\\t\${Provides}\\t\${Pre-Depends}, \${Depends}\\n'")) {
		my ($package, $provides, $depends) = split /\t/;
		push @{$provide{$_}}, $package for $provides =~ /(?:^|, )([^ ,]+)/g;
		$depends{$package} = [ $depends =~ /(?:^|, )([^ ,:]+)/g ];
	}
	while (my $package = shift) {
		push @_, $depends{$package} ? @{$depends{$package}} : @{$provide{$package} // []} if !$brought{$package}++;
	}
	return %brought;
}

SKIP: {
	skip 'not Debian', 1 if !-e '/var/lib/dpkg/status';
	open my $makefile, '<', "$ENV{TOP}/Makefile" or die "Makefile: $!";
	my ($wanted) = map { /^PKGS := (.*)/ } <$makefile>;
	my %file = pc_files(split ' ', $wanted);
	my %brought = brought(split ' ', $listed);
	cmp_ok(scalar keys %file, '>', 15, 'modules of pkg-config that are needed');
	my %owner = map { /^([^:]+).*: (\S+)$/ ? ($2 => $1) : () } lines("dpkg -S @{[values %file]}");
	for my $module (grep { $file{$_} !~ m{^/usr/local/} } sort keys %file) {
		my $owner = $owner{$file{$module}} // 'nothing';
		ok($brought{$owner}, "$module: the list brings $owner");
	}
}

done_testing();
