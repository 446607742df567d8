/** Which kernel it is: the same for all that run on one machine, containers included. */
export const KERNEL = 'cat /proc/sys/kernel/random/boot_id';

/**
 * The mounts, then for each path on standard input (closed by NULs) two answers: of the entry itself and of what it leads
 * to. An answer is the part of the path that is there, without links; the part that is not; the device and inode of the
 * first and of all directories above it. Each is closed by a NUL. An "x" keeps line breaks at the end of a name, which
 * command substitution would drop.
 */
export const LOOK = `
cat /proc/self/mountinfo || exit 71
printf '\\0'
exec xargs -0 sh -c '
for path do
  there=$path
  rest=
  while [ ! -e "$there" ] && [ ! -L "$there" ] && [ "$there" != / ]; do
    rest=/\${there##*/}$rest
    there=\${there%/*}
    there=\${there:-/}
  done
  above=$(cd -P -- "\${there%/*}/" && pwd -P && echo x) && above=\${above%??} || exit 255
  [ "$above" != / ] || above=
  end=$(readlink -f -- "$there" && echo x) && end=\${end%??} || end=$there
  for real in "$above/\${there##*/}" "$end"; do
    printf "%s\\0%s\\0" "$real" "$rest"
    at=$real
    while :; do
      stat -c %d:%i -- "$at" 2>/dev/null || echo -
      [ "$at" != / ] || break
      at=\${at%/*}
      at=\${at:-/}
    done
    printf "\\0"
  done
done' drover
`;

/**
 * Other names of files: "$1" is a directory to look through, "$2", "$3", … the inodes. Prints of each file its device and
 * inode, and its path, each closed by a NUL.
 */
export const FIND = `
cd -P -- "$1" || exit 0
shift
names=
for inode do names="$names -o -inum $inode"; done
find "$PWD" -xdev -type f \\( -links 0 $names \\) -exec sh -c '
for path do printf "%s\\0%s\\0" "$(stat -c %d:%i -- "$path")" "$path"; done' drover {} + 2>/dev/null
exit 0
`;
