import { beforeAll, expect, it } from 'vitest';
import { publishByPodman, waitForPodman } from '../fleet/podman.ts';
import { usePodmanHost } from '../fleet/use-host.ts';
import { describeWith } from '../support/capabilities.ts';
import { RestClient } from '../support/rest-client.ts';
import { useService } from '../support/service.ts';
import { enrol } from './enrol.ts';

const IMAGE = 'localhost:5000/library/app:1';
const KEYS = [1, 2].map(
  (n) =>
    `ssh-ed25519 ${Buffer.from(`key ${n} of this test, long enough`).toString('base64')} ada@laptop-${n}`,
);

const PREPARE = `set -e
install_package() {
  mkdir -p /tmp/new/DEBIAN
  printf '%s\\n' "Package: $1" "Version: $2" 'Architecture: all' 'Maintainer: A <a@example.org>' 'Description: a' >/tmp/new/DEBIAN/control
  dpkg-deb -Zgzip --root-owner-group -b /tmp/new "/tmp/$1.deb" >&2
  dpkg -i "/tmp/$1.deb" >&2
}
unit() {
  printf '%s\\n' [Service] 'ExecStart=/bin/sleep 600' [Install] WantedBy=multi-user.target >"/etc/systemd/system/$1.service"
}
run() {
  podman run -d --name "$@" "$IMAGE" >&2
}
IMAGE=${IMAGE}
`;

const BEFORE = `${PREPARE}
install_package p1 1.0; install_package p2 1.0; install_package p3 1.0
run stops; run goes
run shop-web-1 --label com.docker.compose.project=shop --label com.docker.compose.service=web --label com.docker.compose.project.working_dir=/srv/stacks/shop
for name in on off stops fails; do unit "t-$name"; done
systemctl daemon-reload
systemctl enable --now t-off t-stops t-fails >&2
echo 'former:x:2001:2001::/home/former:/bin/sh' >>/etc/passwd
printf '%s\\n' "$1" >>/root/.ssh/authorized_keys
mkdir -p /etc/app /srv/stacks/shop/data /srv/from /srv/to
for name in old main rights same; do echo "$name" >"/etc/app/$name.conf"; done
echo 'services: {}' >/srv/stacks/shop/compose.yaml
echo 1 >/srv/stacks/shop/data/file`;

/** 30 changes, and what makes none. */
const CHANGE = `${PREPARE}
dpkg -r p1 >&2
install_package p2 2.0; install_package p3 2.0; install_package p4 1.0
podman stop -t 1 stops >&2; podman rm -f -t 1 goes >&2; run comes
unit t-added
systemctl daemon-reload
systemctl enable --now t-on >&2
systemctl disable --now t-off >&2
systemctl stop t-stops
systemctl kill --signal=KILL t-fails
until systemctl is-failed -q t-fails; do sleep 0.05; done
mount --bind /srv/from /srv/to
mkdir -p /run/of-test && mount -t tmpfs none /run/of-test
setsid python3 -c '
import socket, time
held = []
for port in (8101, 8102, 8103):
    one = socket.socket(); one.bind(("127.0.0.1", port)); one.listen(); held.append(one)
open("/run/listening", "w").close()
time.sleep(120)
' >/dev/null 2>&1 </dev/null &
until [ -e /run/listening ]; do sleep 0.05; done
sed -i '/^former:/s,/bin/sh,/bin/bash,' /etc/passwd
echo 'comes:x:2002:2002::/home/comes:/bin/sh' >>/etc/passwd
echo 'daemon2:x:2003:2003::/:/usr/sbin/nologin' >>/etc/passwd
sed -i '/laptop-1/d' /root/.ssh/authorized_keys
printf '%s\\n' "$2" >>/root/.ssh/authorized_keys
rm /etc/app/old.conf
echo new >/etc/app/new.conf
echo other >>/etc/app/main.conf
chmod 600 /etc/app/rights.conf
ln -s main.conf /etc/app/link.conf
touch /etc/app/same.conf
echo 'services: {web: {image: app}}' >/srv/stacks/shop/compose.yaml
echo 2 >/srv/stacks/shop/data/file`;

interface Listed {
  readonly total: number;
  readonly changes: readonly {
    readonly kind: string;
    readonly name: string;
    readonly before: string | null;
    readonly after: string | null;
  }[];
  readonly jobs: readonly object[];
}

describeWith('podman', 'drover changes', () => {
  const host = usePodmanHost();
  const service = useService();
  let rest: RestClient;
  let id: number;
  beforeAll(async () => {
    await waitForPodman(host());
    await publishByPodman(host(), IMAGE, 'v1');
    rest = new RestClient(service().url, await service().token());
    id = await enrol(service(), host(), 'web', { options: ['--features', 'backup=on,docker=on'] });
    await host().exec(BEFORE, [KEYS[0] ?? '']);
    for (const [name, path] of [
      ['config', '/etc'],
      ['stacks', '/srv/stacks'],
    ] as const) {
      const added = await service().cli(['source', 'add', 'web', '--name', name, '--path', path]);
      expect(added.code, added.stderr).toBe(0);
    }
  });

  const look = async (): Promise<void> => {
    const backup = await rest.run(id, { job_type: 'backup' });
    expect(backup, backup.error ?? '').toMatchObject({ status: 'success' });
    const checked = await service().cli(['server', 'check', 'web']);
    expect(checked.code, checked.stderr).toBe(0);
  };
  const changes = async (since: string): Promise<Listed> => {
    const period = ['--server', 'web', '--since', since, '--limit', '100'];
    return (await service().cli(['changes', ...period, '--json'])).json as Listed;
  };

  it('names each of 30 changes of a server, and nothing else', async () => {
    await look();
    const since = new Date().toISOString();
    await look();
    expect((await changes(since)).changes).toEqual([]);
    await host().exec(CHANGE, [...KEYS]);
    await look();
    const found = await changes(since);
    const listed = found.changes.map(
      ({ kind, name, before, after }) => `${kind} ${kind === 'key' ? '' : name}: ${before} → ${after}`,
    );
    const enabled = '/etc/systemd/system/multi-user.target.wants';
    const expected = [
      'package p1:all: 1.0 → null',
      'package p2:all: 1.0 → 2.0',
      'package p3:all: 1.0 → 2.0',
      'package p4:all: null → 1.0',
      /^container comes: null → localhost:5000\/library\/app:1, running, \w{12}$/,
      /^container goes: localhost:5000\/library\/app:1, running, \w{12} → null$/,
      /^container stops: .*, running, (\w{12}) → .*, stopped, \1$/,
      'unit t-added.service: null → disabled',
      'unit t-fails.service: enabled, running → enabled, failed',
      'unit t-off.service: enabled, running → disabled',
      'unit t-on.service: disabled → enabled, running',
      'unit t-stops.service: enabled, running → enabled',
      /^mount \/srv\/to: null → .+, writable$/,
      'port tcp 127.0.0.1:8101: null → open',
      'port tcp 127.0.0.1:8102: null → open',
      'port tcp 127.0.0.1:8103: null → open',
      'user comes: null → uid 2002, /home/comes, /bin/sh',
      'user former: uid 2001, /home/former, /bin/sh → uid 2001, /home/former, /bin/bash',
      'key : null → ssh-ed25519, ada@laptop-2',
      'key : ssh-ed25519, ada@laptop-1 → null',
      'file /etc/app/link.conf: null → link to main.conf',
      'file /etc/app/main.conf: file, 5 bytes → file, 11 bytes, new contents',
      'file /etc/app/new.conf: null → file, 4 bytes',
      'file /etc/app/old.conf: file, 4 bytes → null',
      'file /etc/app/rights.conf: file, 7 bytes, mode 0644 → file, 7 bytes, mode 0600',
      /^file \/etc\/passwd: file, [\d,]+ bytes → file, [\d,]+ bytes, new contents$/,
      `file ${enabled}/t-off.service: link to /etc/systemd/system/t-off.service → null`,
      `file ${enabled}/t-on.service: null → link to /etc/systemd/system/t-on.service`,
      /^file \/etc\/systemd\/system\/t-added\.service: null → file, \d+ bytes$/,
      'file /srv/stacks/shop/compose.yaml: file, 13 bytes → file, 30 bytes, new contents',
    ];
    const means = (each: string | RegExp, text: string): boolean =>
      typeof each === 'string' ? each === text : each.test(text);
    expect(listed.filter((text) => !expected.some((each) => means(each, text)))).toEqual([]);
    expect(expected.filter((each) => !listed.some((text) => means(each, text)))).toEqual([]);
    expect(listed).toHaveLength(30);
    expect(found.jobs).toHaveLength(2);
  });
});
