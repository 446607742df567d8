import { spawn } from 'node:child_process';

/** One run. */
export interface Measured {
  /** Seconds on the clock. */
  readonly wall: number;
  /** Seconds of processor time on this side, of all that was started here. */
  readonly cpu: number;
  /** The service's peak. */
  readonly mib: number;
  /** Milliseconds that it did nothing else, at the longest. */
  readonly blocked: number;
}

const ENVIRONMENT = { ...process.env, RESTIC_PASSWORD: 'bench' };

export async function run(program: string, args: readonly string[], input = ''): Promise<string> {
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'], env: ENVIRONMENT });
  // most programs read none
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  let said = '';
  let complained = '';
  child.stdout.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    complained += chunk.toString();
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve(`${said}${complained}`);
      else reject(new Error(`${program}: ${complained}`));
    });
  });
}

/** A program of another's. */
export async function timed(program: string, args: readonly string[]): Promise<Measured> {
  const said = await run('bash', [
    '-c',
    'TIMEFORMAT="%R %U %S"; time "$@" >/dev/null',
    'time',
    program,
    ...args,
  ]);
  const [wall = 0, user = 0, system = 0] = (said.trim().split('\n').at(-1) ?? '').split(' ').map(Number);
  return { wall, cpu: user + system, mib: 0, blocked: 0 };
}

export type Peer = () => Promise<Measured>;

/** One round each, in turns, so that other load affects all of them. */
export async function medians<Name extends string>(
  peers: Readonly<Record<Name, Peer>>,
  rounds: number,
  before: () => Promise<void> = async () => undefined,
): Promise<Readonly<Record<Name, Measured>>> {
  const all: Array<Readonly<Record<string, Measured>>> = [];
  for (let turn = 0; turn < rounds; turn += 1) {
    await before();
    const round: Record<string, Measured> = {};
    for (const [name, peer] of Object.entries<Peer>(peers)) {
      await run('sync', []);
      round[name] = await peer();
    }
    all.push(round);
  }
  const middle = (name: string, of: keyof Measured): number =>
    all.map((round) => round[name]?.[of] ?? 0).sort((a, b) => a - b)[rounds >> 1] ?? 0;
  const names = Object.keys(peers) as Name[];
  return Object.fromEntries(
    names.map((name) => [
      name,
      {
        wall: middle(name, 'wall'),
        cpu: middle(name, 'cpu'),
        mib: middle(name, 'mib'),
        blocked: middle(name, 'blocked'),
      },
    ]),
  ) as Record<Name, Measured>;
}
