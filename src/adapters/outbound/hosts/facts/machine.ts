import type { Inventory } from '../../../../domain/fleet/inventory.ts';
import { firstLines } from '../shell/host-lines.ts';
import { plainText, wholeNumber } from '../shell/host-text.ts';
import type { Sections } from '../shell/marked-sections.ts';

/**
 * Reads only from /proc and /sys, except for the architecture, the number of processors and the kind of
 * virtualization, and uses the shell's own means: over many hosts each started program counts.
 */
export const MACHINE = String.raw`
machine() {
  section_here system system_names
  section_here hardware hardware
  section_here processor processor
  section_here load line_of /proc/loadavg
  section_here memory memory
  section_here uptime line_of /proc/uptime
  section_here boot-id line_of /proc/sys/kernel/random/boot_id
}
line_of() { [ -r "$1" ] && read -r line <"$1" && printf '%s\n' "$line"; }
system_names() {
  if read -r system </proc/sys/kernel/ostype && read -r node </proc/sys/kernel/hostname && read -r kernel </proc/sys/kernel/osrelease; then
    printf '%s\n' "$system" "$node" "$kernel"
  else
    system=$(uname -s)
    printf '%s\n' "$system"
    uname -n
    uname -r
  fi
  line_of /proc/sys/kernel/arch || uname -m
}
hardware() {
  kind=$(container_kind)
  printf 'container=%s\nvendor=' "$kind"
  line_of /sys/class/dmi/id/sys_vendor
  printf '\nproduct='
  line_of /sys/class/dmi/id/product_name
  printf '\nmodel='
  [ -r /proc/device-tree/model ] && tr -d '\000' </proc/device-tree/model
  printf '\nmachine='
  has systemd-detect-virt && limit 5 systemd-detect-virt -v
}
container_kind() {
  if has systemd-detect-virt; then limit 5 systemd-detect-virt -c
  elif [ -e /.dockerenv ]; then echo docker
  elif [ -e /run/.containerenv ]; then echo podman
  else line_of /run/systemd/container
  fi
}
processor() {
  printf 'cores=%s\n' "$(nproc || getconf _NPROCESSORS_ONLN || grep -c '^processor' /proc/cpuinfo)"
  model=
  while IFS= read -r line; do
    case $line in
      'model name'*) model=${'$'}{line#*: } && break ;;
      '') break ;;
    esac
  done </proc/cpuinfo
  [ -n "$model" ] || model=$(limit 5 lscpu | sed -n 's/^Model name: *//p' | head -n 1)
  printf 'cpu=%s\n' "$model"
}
memory() {
  while read -r key kib unit; do
    case $key in
      MemTotal: | MemFree: | MemAvailable: | Buffers: | Cached: | SwapTotal:) printf '%s %s %s\n' "$key" "$kib" "$unit" ;;
      SwapFree:) printf '%s %s %s\n' "$key" "$kib" "$unit" && break ;;
    esac
  done </proc/meminfo
}
`;

type MachineFacts = Pick<
  Inventory,
  | 'hostname'
  | 'osType'
  | 'kernel'
  | 'arch'
  | 'hardware'
  | 'cpuModel'
  | 'cpuCores'
  | 'cpuLoad'
  | 'memoryTotalBytes'
  | 'memoryUsedBytes'
  | 'uptimeSeconds'
  | 'bootId'
>;
/** What every Linux host can report; `null` if it did not, or not sensibly. */
export type FoundMachine = { readonly [Fact in keyof MachineFacts]: MachineFacts[Fact] | null };

const KIB = 1024;
const MAX_CORES = 65_536;

export function readMachine(sections: Sections): FoundMachine {
  const text = (name: string): string => sections.get(name)?.text ?? '';
  const [system, hostname, kernel, arch] = firstLines(text('system'), 4);
  const processor = assignments(text('processor'));
  const [load] = text('load').split(' ', 1);
  const [uptime] = text('uptime').split(' ', 1);
  return {
    osType: system === 'Linux' ? 'linux' : null,
    hostname: plainText(hostname),
    kernel: plainText(kernel),
    arch: plainText(arch, 40),
    hardware: hardwareOf(assignments(text('hardware'))),
    cpuModel: plainText(processor.get('cpu')),
    cpuCores: within(wholeNumber(processor.get('cores')), 1, MAX_CORES),
    cpuLoad: within(decimal(load), 0, 1_000_000),
    ...memoryOf(text('memory')),
    uptimeSeconds: floored(within(decimal(uptime), 0, Number.MAX_SAFE_INTEGER)),
    bootId: /^[0-9a-f-]{36}$/.exec(text('boot-id').trim())?.[0] ?? null,
  };
}

/** Placeholders that vendors leave in empty fields. */
const FILLER =
  /^(to be filled by o\.?e\.?m\.?|default string|system (manufacturer|product name)|not (specified|applicable)|unknown|none|o\.?e\.?m\.?)$/i;

/** A container shows its host's hardware, which says nothing about the container. */
function hardwareOf(found: ReadonlyMap<string, string>): string | null {
  const valueOf = (key: string): string | null => {
    const value = plainText(found.get(key), 100);
    return value === null || FILLER.test(value) ? null : value;
  };
  const container = valueOf('container');
  if (container !== null) return `${container} container`;
  const vendor = valueOf('vendor');
  const product = valueOf('product');
  const named = [
    vendor,
    product?.startsWith(vendor ?? '\0') ? product.slice(vendor?.length).trim() : product,
  ];
  return (
    named.filter((part) => part !== null && part !== '').join(' ') || valueOf('model') || valueOf('machine')
  );
}

/** Lines of /proc/meminfo, in bytes. */
export function memorySizes(text: string): ReadonlyMap<string, number> {
  const sizes = new Map<string, number>();
  for (const line of firstLines(text, 10)) {
    const [, name = '', kib] = /^(\w{1,20}): +(\d{1,13}) kB$/.exec(line) ?? [];
    const value = wholeNumber(kib);
    if (value !== null && !sizes.has(name)) sizes.set(name, value * KIB);
  }
  return sizes;
}

/** Kernels before 3.14 have no `MemAvailable`: free memory plus reclaimable caches is close. */
function memoryOf(text: string): Pick<FoundMachine, 'memoryTotalBytes' | 'memoryUsedBytes'> {
  const sizes = memorySizes(text);
  const total = sizes.get('MemTotal') ?? null;
  const reclaimable = ['MemFree', 'Buffers', 'Cached'].reduce((sum, name) => sum + (sizes.get(name) ?? 0), 0);
  const available = sizes.get('MemAvailable') ?? reclaimable;
  return { memoryTotalBytes: total, memoryUsedBytes: total === null ? null : Math.max(0, total - available) };
}

/** Lines `key=value`; the first of a key counts. */
function assignments(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const line of firstLines(text, 50)) {
    const at = line.indexOf('=');
    if (at > 0 && !found.has(line.slice(0, at))) found.set(line.slice(0, at), line.slice(at + 1));
  }
  return found;
}

const decimal = (text: string | undefined): number | null =>
  text !== undefined && /^\d{1,15}(\.\d{1,6})?$/.test(text.trim()) ? Number(text) : null;

const within = (value: number | null, least: number, most: number): number | null =>
  value !== null && value >= least && value <= most ? value : null;

const floored = (value: number | null): number | null => (value === null ? null : Math.floor(value));
