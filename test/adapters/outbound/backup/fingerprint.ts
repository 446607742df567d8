import { must } from '../../../../scripts/lib/programs.mjs';

/**
 * A tree's fingerprint, by the system's own tools: of each path, sorted, its type, mode, owner, size, time to the
 * nanosecond, link target; of each file its SHA-256; and which names are one file.
 */
export async function fingerprint(
  root: string,
  { sockets = true }: { readonly sockets?: boolean } = {},
): Promise<readonly string[]> {
  const script = `
cd "$1"
export LC_ALL=C
find . -mindepth 1 ! -type d $2 -printf '%P|%y|%m|%U|%G|%s|%T@|%l\\0' | sort -z | tr '\\0\\n' '\\n?'
find . -mindepth 1 -type d -printf '%P|%y|%m|%U|%G|%T@\\0' | sort -z | tr '\\0\\n' '\\n?'
find . -type f -print0 | sort -z | xargs -0r sha256sum
find . -type f -links +1 -printf '%i %P\\0' | sort -z | awk -v RS='\\0' '{ i = $1; $1 = ""; names[i] = names[i] "," $0; count[i]++ } END { for (i in names) if (count[i] > 1) print names[i] }' | sort
`;
  const leftOut = sockets ? '' : '! -type s';
  return (await must('bash', ['-c', script, 'fingerprint', root, leftOut])).split('\n');
}
