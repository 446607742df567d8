import { z } from 'zod';
import { capture, must } from '../../scripts/lib/programs.mjs';
import { isAlive, ProcessId, thisProcess } from '../support/process-id.ts';

/** A fleet without an owner stays until it is taken down by hand. */
const OwnerNote = z.object({
  drover: z.literal('fleet'),
  dir: z.string(),
  owner: ProcessId.nullable(),
});
const Links = z.array(z.object({ ifname: z.string(), ifalias: z.string().optional() }).partial());

const FIRST_SUBNET = 77;
const MAX_BRIDGES = 16;

export interface Bridge {
  readonly name: string;
  /** The machine's own address on it, `10.77.0.1` for the first. */
  readonly gateway: string;
  addressOf(index: number): string;
}

/**
 * Takes the first bridge name and subnet that are free in this network namespace. Its owner and files are recorded on
 * the link itself, so that the record lives exactly as long as the bridge.
 */
export async function openBridge(dir: string, stays: boolean): Promise<Bridge> {
  for (let number = 0; number < MAX_BRIDGES; number++) {
    const name = `drv${number}`;
    if ((await capture('ip', ['link', 'add', name, 'type', 'bridge'])).code !== 0) continue;
    const note: z.infer<typeof OwnerNote> = { drover: 'fleet', dir, owner: stays ? null : thisProcess() };
    const subnet = `10.${FIRST_SUBNET + number}`;
    await must('ip', ['link', 'set', name, 'alias', JSON.stringify(note)]);
    await must('ip', ['addr', 'add', `${subnet}.0.1/16`, 'dev', name]);
    await must('ip', ['link', 'set', name, 'up']);
    return {
      name,
      gateway: `${subnet}.0.1`,
      addressOf: (index) => `${subnet}.${1 + Math.floor(index / 250)}.${1 + (index % 250)}`,
    };
  }
  throw new Error(`no bridge could be made: is this root, and are there ${MAX_BRIDGES} fleets already?`);
}

export async function closeBridge(name: string): Promise<void> {
  await capture('ip', ['link', 'del', name]);
}

export interface NotedFleet {
  readonly bridge: string;
  readonly dir: string;
  readonly owner: ProcessId | null;
}

/** The fleets in this network namespace, by the notes on their bridges. */
export async function notedFleets(): Promise<NotedFleet[]> {
  const links = Links.parse(JSON.parse(await must('ip', ['-j', 'link', 'show', 'type', 'bridge'])));
  return links.flatMap(({ ifname, ifalias }) => {
    const note = OwnerNote.safeParse(parsed(ifalias));
    return ifname && note.success ? [{ bridge: ifname, dir: note.data.dir, owner: note.data.owner }] : [];
  });
}

/** Leftovers of killed processes. */
export async function orphanedFleets(): Promise<NotedFleet[]> {
  return (await notedFleets()).filter(({ owner }) => owner !== null && !isAlive(owner));
}

function parsed(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? 'null');
  } catch {
    return null;
  }
}
