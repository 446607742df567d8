import { ShellDetachedRuns } from '../../../../../src/adapters/outbound/hosts/detached/shell-detached-runs.ts';
import type { RemoteHost } from '../../../../../src/application/ports/fleet/remote-host.ts';
import type { DetachedCommand } from '../../../../../src/application/ports/jobs/detached-runs.ts';
import type { DetachedRunsSubject } from '../../../../contracts/detached-runs.contract.ts';

/** Follows the files 0, 1, 2, … in the directory "$1": text, or the end. */
const TOLD = `n=0
while :; do
  while [ ! -e "$1/$n" ]; do sleep 0.05 2>/dev/null || sleep 1; done
  if [ -e "$1/$n.end" ]; then
    cat "$1/$n" >"$DROVER_RUN/result"
    exit "$(cat "$1/$n.end")"
  fi
  cat "$1/$n"
  n=$((n + 1))
done`;
const TELL = `mkdir -p "$1" && cat >"$1/$2.new" && { [ -z "$3" ] || printf %s "$3" >"$1/$2.end"; } && mv "$1/$2.new" "$1/$2"`;

/** "$1": the directory; then ids, of which marks are left. */
const TIDY = `rm -rf -- "$1"; shift
for id; do rm -rf -- "$HOME/.drover/runs/$id"; done
rmdir "$HOME/.drover/runs" "$HOME/.drover" 2>/dev/null
exit 0`;

/** Real runs on a host that follow instructions in files in a directory there. */
export class ToldRuns implements DetachedRunsSubject {
  readonly runs = new ShellDetachedRuns();
  readonly host: RemoteHost;
  readonly #directory: string;
  readonly #close: () => Promise<void>;
  readonly #told = new Map<string, number>();
  readonly #commanded = new Set<string>();

  /** `directory`: an empty one on the host, or one to create. */
  constructor(host: RemoteHost, directory: string, close: () => Promise<void>) {
    this.host = host;
    this.#directory = directory;
    this.#close = close;
  }

  async command(id: string): Promise<DetachedCommand> {
    this.#commanded.add(id);
    return { id, script: TOLD, args: [`${this.#directory}/${id}`] };
  }

  says(id: string, text: string): Promise<void> {
    return this.#tell(id, text, '');
  }

  ends(id: string, exitCode: number, result = ''): Promise<void> {
    return this.#tell(id, result, String(exitCode));
  }

  async close(): Promise<void> {
    const args = [this.#directory, ...this.#commanded];
    await this.host.run({ script: TIDY, args, asRoot: true });
    this.host.release();
    await this.#close();
  }

  async #tell(id: string, text: string, end: string): Promise<void> {
    const turn = this.#told.get(id) ?? 0;
    this.#told.set(id, turn + 1);
    const args = [`${this.#directory}/${id}`, String(turn), end];
    const { exitCode, stderr } = await this.host.run({ script: TELL, args, stdin: text, asRoot: true });
    if (exitCode !== 0) throw new Error(`run ${id} could not be told: ${stderr.toString()}`);
  }
}
