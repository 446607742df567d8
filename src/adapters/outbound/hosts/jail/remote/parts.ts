/**
 * Finds the half-written files of cut-off writes in the directory where the shell is (see part-name.ts), removes those whose
 * writer is gone or that nobody touched for ten minutes, and counts the others in "$staying".
 */
export const PARTS = String.raw`
born() {
  { read -r x x x x x x x x x x x x x x x x x x x x x born x <"/proc/$1/stat"; } 2>/dev/null
}
know_place() {
  boot= born= space=$(readlink /proc/self/ns/pid)
  { read -r boot </proc/sys/kernel/random/boot_id; } 2>/dev/null
  space=${'$'}{space#pid:?} space=${'$'}{space%?}
}
abandoned() {
  writer=$(expr "$1" : '\./\.drover-\([0-9a-f]\{8\}-[0-9a-f-]\{27\}\.[0-9]\{1,\}\.[0-9]\{1,\}\.[0-9]\{1,\}\)\.[0-9a-f]\{32\}\.part$') || return 1
  staying=$((staying + 1))
  if [ "${'$'}{writer%.*.*}" = "$boot.$space" ]; then
    writer=${'$'}{writer#"$boot.$space".} born=
    born "${'$'}{writer%.*}"
    [ "$born" = "${'$'}{writer#*.}" ] || return 0
  fi
  changed=$(stat -c %Y -- "$1" 2>/dev/null) || return 1
  [ $(($(date +%s) - changed)) -ge 600 ]
}
sweep() {
  staying=0
  for each in ./.drover-*.part; do
    [ -f "$each" ] && [ ! -L "$each" ] && [ -O "$each" ] && abandoned "$each" &&
      unlink "$each" && staying=$((staying - 1))
  done
}
`;
