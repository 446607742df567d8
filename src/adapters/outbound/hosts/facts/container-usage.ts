import { z } from 'zod';
import { type ContainerFact, MAX_CONTAINERS } from '../../../../domain/fleet/inventory.ts';
import { firstLines, hostJson } from '../shell/host-lines.ts';
import type { Section } from '../shell/marked-sections.ts';

/** What containers use, and how often each was restarted: one command each. An engine measures for two seconds. */
export const CONTAINER_USAGE = String.raw`
docker_usage() {
  section container-stats 400000 limit 10 docker stats --no-stream --no-trunc --format '[{{json .ID}},{{json .CPUPerc}},{{json .MemUsage}}]'
  section container-restarts 400000 docker_restarts
}
docker_restarts() { limit 10 docker ps -aq --no-trunc | head -n ${MAX_CONTAINERS} | limit 10 xargs docker inspect --format '[{{json .Id}},{{.RestartCount}}]'; }
podman_usage() {
  section container-stats 400000 limit 10 podman stats --no-stream --format '[{{json .ID}},{{json .CPUPerc}},{{json .MemUsage}}]'
}
`;

type Usage = Pick<ContainerFact, 'cpuPercent' | 'memoryBytes' | 'restarts'>;

const MAX_LINE = 1_000;
/** Engines shorten ids to this in some lists. */
const SHORT_ID = 12;
const shortId = (id: string): string => id.slice(0, SHORT_ID);

const id = z.string().regex(/^[0-9a-f]{12,64}$/);
const Stats = z.tuple([id, z.string(), z.string()]);
const Restarts = z.tuple([id, z.number().int().min(0).max(1_000_000_000)]);

/** By container. What the engine does not report is missing: unknown is never zero. */
export function readUsage(
  stats: Section | undefined,
  restarts: Section | undefined,
): (container: string | null) => Usage {
  const used = new Map(
    linesOf(stats, Stats).map(([of, cpu, memory]) => [
      shortId(of),
      { ...given('cpuPercent', percentOf(cpu)), ...given('memoryBytes', memoryOf(memory)) },
    ]),
  );
  const restarted = new Map(linesOf(restarts, Restarts).map(([of, times]) => [shortId(of), times]));
  return (of) => {
    if (of === null) return {};
    const key = shortId(of);
    return { ...used.get(key), ...given('restarts', restarted.get(key) ?? null) };
  };
}

const linesOf = <T>(section: Section | undefined, schema: z.ZodType<T>): readonly T[] =>
  Array.from(firstLines(section?.text ?? '', MAX_CONTAINERS, MAX_LINE)).flatMap((line) => {
    const found = schema.safeParse(hostJson(line, MAX_LINE));
    return found.success ? [found.data] : [];
  });

const given = (key: keyof Usage, value: number | null): Usage => (value === null ? {} : { [key]: value });

/** Of one processor: two busy ones are 200 %. */
function percentOf(text: string): number | null {
  const digits = /^(\d{1,6}(?:\.\d{1,4})?)%$/.exec(text)?.[1];
  return digits === undefined ? null : Number(digits);
}

/** Docker counts in powers of 1,024, podman in powers of 1,000. */
const UNITS: Readonly<Record<string, number>> = {
  B: 1,
  kB: 1e3,
  MB: 1e6,
  GB: 1e9,
  TB: 1e12,
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
  TiB: 2 ** 40,
};

/** Of `12.5MiB / 7.6GiB`; a kernel that does not count memory reports zero, which no container uses. */
function memoryOf(text: string): number | null {
  const [, digits, unit = ''] = /^(\d{1,6}(?:\.\d{1,4})?)([kKMGT]?i?B) \/ /.exec(text) ?? [];
  const bytes = Math.round(Number(digits) * (UNITS[unit] ?? Number.NaN));
  return bytes > 0 ? bytes : null;
}
