import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalRemoteHosts } from '../../../../src/adapters/outbound/hosts/local/local-remote-hosts.ts';

/** Keeps the state of each unit in a file; `$0.log` records the requests. */
const SYSTEMCTL = String.raw`#!/bin/sh
state=$(dirname "$0")/units
for name do :; done
case $1 in
  show)
    case $3 in
      LoadState) [ -e "$state/$name" ] && echo LoadState=loaded || echo LoadState=not-found ;;
      Id) if [ -e "$state/$name.id" ]; then echo "Id=$(cat "$state/$name.id")"; else echo "Id=$name"; fi ;;
      ControlGroup) echo "ControlGroup=$(cat "$state/$name.group" 2>/dev/null)" ;;
      ActiveState) echo "ActiveState=$(cat "$state/$name")" ;;
    esac ;;
  stop) echo "stop $name" >>"$0.log"
    [ ! -e "$state/$name.stuck" ] || sleep 60
    [ ! -e "$state/$name.unstoppable" ] || exit 1
    echo inactive >"$state/$name" ;;
  start) echo "start $name" >>"$0.log"
    [ ! -e "$state/$name.broken" ] || exit 1
    echo active >"$state/$name" ;;
  is-active) [ "$(cat "$state/$name")" = active ] ;;
esac
`;

/** Containers are files: whether it runs, when it started, its project. */
const DOCKER = String.raw`#!/bin/sh
state=$(dirname "$0")/containers
case $1 in
  inspect)
    format=$5
    [ "$4" = --format ] || exit 64
    shift 5
    for id do
      [ -e "$state/$id" ] || exit 1
      read -r running started project <"$state/$id"
      case $format in
        '{{.Id}}') echo "$id" ;;
        '{{.State.Running}}') echo "$running" ;;
        *) echo "$running $started $id" ;;
      esac
    done ;;
  ps) project=${'$'}{5##*=}
    for file in "$state"/*; do
      read -r running started of <"$file"
      [ "$of" = "$project" ] && echo "${'$'}{file##*/}"
    done ;;
  stop) shift 3; read -r _ started of <"$state/$1"; echo "stop $1" >>"$0.log"; echo "false $started $of" >"$state/$1" ;;
  start) read -r _ started of <"$state/$2"; echo "start $2" >>"$0.log"; echo "true $started $of" >"$state/$2" ;;
esac
exit 0
`;

/** This machine with a systemctl and a docker that only take notes. */
export class HookFixture {
  readonly directory: string;
  readonly hosts: LocalRemoteHosts;

  private constructor(directory: string) {
    this.directory = directory;
    this.hosts = new LocalRemoteHosts({ path: `${directory}:${process.env['PATH']}` });
  }

  static async create(): Promise<HookFixture> {
    const fixture = new HookFixture(await mkdtemp(join(tmpdir(), 'drover-hooks-')));
    for (const each of ['units', 'containers']) await mkdir(join(fixture.directory, each));
    await writeFile(join(fixture.directory, 'systemctl'), SYSTEMCTL, { mode: 0o755 });
    await writeFile(join(fixture.directory, 'docker'), DOCKER, { mode: 0o755 });
    await fixture.forget();
    return fixture;
  }

  async unit(name: string, state: 'active' | 'inactive', flags: Record<string, string> = {}): Promise<void> {
    await writeFile(join(this.directory, 'units', name), `${state}\n`);
    for (const [flag, text] of Object.entries(flags)) {
      await writeFile(join(this.directory, 'units', `${name}.${flag}`), text);
    }
  }

  async heal(name: string, flag: string): Promise<void> {
    await rm(join(this.directory, 'units', `${name}.${flag}`));
  }

  container(id: string, running: boolean, started: string, project = '-'): Promise<void> {
    return writeFile(join(this.directory, 'containers', id), `${running} ${started} ${project}\n`);
  }

  async stateOf(kind: 'units' | 'containers', name: string): Promise<string> {
    return (await readFile(join(this.directory, kind, name), 'utf8')).split(' ')[0]?.trim() ?? '';
  }

  /** The actions, in order. */
  async asked(): Promise<readonly string[]> {
    const logs = await Promise.all(
      ['systemctl', 'docker'].map((name) => readFile(join(this.directory, `${name}.log`), 'utf8')),
    );
    return logs.join('').split('\n').filter(Boolean);
  }

  async forget(): Promise<void> {
    for (const name of ['systemctl', 'docker']) await writeFile(join(this.directory, `${name}.log`), '');
  }

  async close(): Promise<void> {
    await this.hosts.closeAll();
    await rm(this.directory, { recursive: true });
  }
}
