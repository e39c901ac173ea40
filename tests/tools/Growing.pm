# SPDX-License-Identifier: MIT
package Growing;

# Writes a sample trace packet by packet, as its tracer would.
use strict;
use warnings;
use Exporter 'import';
use File::Path qw(make_path);
use Wake;

our @EXPORT = qw(packets_of begin_growing append_packet);

# The folder of sample NAME's trace, and all its packets in the order of their end: [end, stream, bytes].
sub packets_of {
	my ($name) = @_;
	my ($trace) = map { s{/metadata$}{}r } grep { m{/metadata$} } files_below(sample($name));
	my @packets;
	for my $file (grep { m{/k_\d+$} } files_below($trace)) {
		my $bytes = slurp($file);
		for (my $at = 0; $at < length $bytes;) {
			my (undef, $end, undef, $bits) = unpack 'Q<4', substr $bytes, $at + 32, 32;
			push @packets, [$end, $file =~ m{([^/]+)$}, substr $bytes, $at, $bits / 8];
			$at += $bits / 8;
		}
	}
	return ($trace, sort { $a->[0] <=> $b->[0] } @packets);
}

# Make FOLDER with the metadata of TRACE and empty files for the streams of PACKETS.
sub begin_growing {
	my ($folder, $trace, @packets) = @_;
	make_path($folder);
	spew("$folder/$_->[1]", '') for @packets;
	spew("$folder/metadata", slurp("$trace/metadata"));
	return $folder;
}

sub append_packet {
	my ($folder, $packet) = @_;
	open my $f, '>>:raw', "$folder/$packet->[1]" or die;
	print $f $packet->[2];
	close $f or die;
	return;
}

1;
