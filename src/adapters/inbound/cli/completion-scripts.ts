import type { Command } from 'commander';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** The possible next words at one place of the command tree. */
interface Place {
  /** `/server/add`; empty at the top. */
  readonly at: string;
  readonly words: readonly string[];
  /** Options whose values are known. */
  readonly choices: readonly { readonly flag: string; readonly values: readonly string[] }[];
}

/** A script for a shell to source. Its words are fixed: Drover does not run while the user types. */
export const completionScript = (shell: Shell, program: Command): string =>
  SCRIPTS[shell](places(program, ''));

function places(command: Command, at: string): readonly Place[] {
  const below = command.commands.map((each) => ({ each, name: each.name() }));
  const options = command.options.filter(({ hidden }) => !hidden);
  const words = [
    ...below.map(({ name }) => name),
    ...command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
    ...options.flatMap(({ long }) => long ?? []),
    ...(at === '' ? [] : ['--json']),
    '--help',
  ];
  const choices = options.flatMap(({ long, argChoices }) =>
    long && argChoices ? [{ flag: long, values: argChoices }] : [],
  );
  return [{ at, words, choices }, ...below.flatMap(({ each, name }) => places(each, `${at}/${name}`))];
}

const known = (all: readonly Place[], between: string): string =>
  all.flatMap(({ at }) => (at === '' ? [] : [`'${at}'`])).join(between);

/** The branches of a `case`, in bash and zsh: option values first, since the first match counts. */
const branches = (all: readonly Place[]): string =>
  [
    ...all.flatMap(({ at, choices }) =>
      choices.map(({ flag, values }) => `    '${at} ${flag}') list='${values.join(' ')}' ;;`),
    ),
    ...all.map(({ at, words }) => `    '${at} '*) list='${words.join(' ')}' ;;`),
  ].join('\n');

function fishLines({ at, words, choices }: Place): readonly string[] {
  const here = `complete -c drover -n 'test (__drover_at) = "${at}"'`;
  return [
    `${here} -a '${words.join(' ')}'`,
    ...choices.map(({ flag, values }) => `${here} -l ${flag.slice(2)} -x -a '${values.join(' ')}'`),
  ];
}

const SCRIPTS: Readonly<Record<Shell, (all: readonly Place[]) => string>> = {
  bash: (all) => `# drover completion bash
_drover() {
  local at='' list='' word i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    case "$at/$word" in
    ${known(all, '|')}) at="$at/$word" ;;
    esac
  done
  case "$at \${COMP_WORDS[COMP_CWORD - 1]}" in
${branches(all)}
  esac
  COMPREPLY=($(compgen -W "$list" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _drover drover
`,
  zsh: (all) => `#compdef drover
_drover() {
  local at='' list='' word i
  for ((i = 2; i < CURRENT; i++)); do
    word=$words[i]
    case "$at/$word" in
    ${known(all, '|')}) at="$at/$word" ;;
    esac
  done
  case "$at $words[CURRENT-1]" in
${branches(all)}
  esac
  compadd -- \${=list}
}
compdef _drover drover
`,
  fish: (all) => `# drover completion fish
function __drover_at
    set -l at ''
    for word in (commandline -opc)[2..-1]
        switch "$at/$word"
            case ${known(all, ' ')}
                set at "$at/$word"
        end
    end
    echo "$at"
end
complete -c drover -f
${all.flatMap(fishLines).join('\n')}
`,
};
