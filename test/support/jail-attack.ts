import type { Runs } from './jail-fixture.ts';
import { eventually } from './processes.ts';

/**
 * An attacker beside a file root: at every level, the file root and the file included, it swaps an entry for a link
 * to the same place outside, and back, as fast as it can. The outside has the same names, so that every followed swap
 * reads the canary or changes something there.
 */

export const CANARY = 'the canary outside of the jail';
const INSIDE = 'inside';
/** The directories below the file root, from the top. */
const LEVELS = ['a', 'a/b', 'a/b/c'] as const;
export const DEEPEST = 'a/b/c';

/** Creates `$1/jail`, `$1/outside` and the links that are swapped in (bash). */
const ARRANGE = `set -e
mkdir -p "$1/jail/${DEEPEST}/full" "$1/outside/${DEEPEST}/full/canary-directory" "$1/links/a/b/c"
printf %s '${INSIDE}' >"$1/jail/${DEEPEST}/file"
printf %s '${INSIDE}' >"$1/jail/${DEEPEST}/full/file"
printf %s '${CANARY}' >"$1/outside/${DEEPEST}/file"
printf %s '${CANARY}' >"$1/outside/${DEEPEST}/full/file"
mkdir "$1/outside/${DEEPEST}/only-outside" "$1/outside/${DEEPEST}/made-0"
ln -s "$1/outside" "$1/links/jail"
for level in ${LEVELS.join(' ')} ${DEEPEST}/file ${DEEPEST}/full; do
  ln -s "$1/outside/$level" "$1/links/$(echo "$level" | tr / -)"
done`;

/** The outside's state, to the last change (bash). Reading changes nothing of it. */
export const OUTSIDE = `cd "$1/outside" && find . -printf '%p %y %i %s %T@ %C@\\n' | sort; find . -type f -exec sha256sum {} + | sort`;

/**
 * Perl, which every Debian has. "$1": the directory. It runs until there is a file "stop" in it, an hour at most, and
 * then writes the number of swaps to "swapped". For some of the time nothing is swapped, so that calls get far.
 */
const ATTACKER = String.raw`
use strict;
my $root = shift;
my @swaps = map { my $link = $_; $link =~ s,/,-,g; ["$root/jail/$_", "$root/links/$link"] }
  ('a', 'a/b', 'a/b/c', 'a/b/c/file', 'a/b/c/full');
push @swaps, ["$root/jail", "$root/links/jail"];
my $end = time + 3600;
my $count = 0;
for (my $turn = 0; $turn % 64 or (!-e "$root/stop" and time < $end); $turn += 1) {
  my ($place, $link) = @{$swaps[int rand @swaps]};
  my $was = "$root/links/was";
  rename $place, $was or next;
  rename $link, $place;
  rename $place, $link;
  # what was made there meanwhile is in the way of a directory
  rename($was, $place) or do { rename $place, "$root/links/odd-$count"; rename $was, $place };
  $count += 1;
}
open my $out, '>', "$root/swapped";
print $out $count;
`;

/** Sets all of it up in a directory and starts; the returned function ends it, and returns the number of swaps. */
export async function attack(root: string, run: Runs): Promise<() => Promise<number>> {
  await run(ARRANGE, [root]);
  await run('setsid perl -e "$2" "$1" </dev/null >/dev/null 2>&1 &', [root, ATTACKER]);
  return async () => {
    await run(': >"$1/stop"', [root]);
    const swapped = await eventually('the attacker ends', 60_000, async () => {
      const said = (await run('cat "$1/swapped" 2>/dev/null || true', [root])).toString();
      return said === '' ? undefined : said;
    });
    return Number(swapped);
  };
}
