import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readContainers } from '../../../../../src/adapters/outbound/hosts/facts/containers.ts';
import {
  dockerPorts,
  podmanPorts,
} from '../../../../../src/adapters/outbound/hosts/facts/published-ports.ts';
import { publishedPortText } from '../../../../../src/domain/fleet/published-port.ts';
import { hostileText } from '../../../../support/hostile-text.ts';
import { sectionsOf } from './recorded-host.ts';

const docker = (text: string) => dockerPorts(text).map(publishedPortText);
const podman = (...list: unknown[]) => podmanPorts(list).map(publishedPortText);

describe('Published ports', () => {
  it.each([
    ['', []],
    ['0.0.0.0:8080->80/tcp, [::]:8080->80/tcp, 443/tcp', ['8080 → 80/tcp']],
    [':::8080->80/tcp', ['8080 → 80/tcp']],
    ['127.0.0.1:5432->5432/tcp', ['127.0.0.1:5432 → 5432/tcp']],
    ['[fd00::1]:53->53/udp, 10.0.0.1:53->53/tcp', ['[fd00::1]:53 → 53/udp', '10.0.0.1:53 → 53/tcp']],
    ['0.0.0.0:8000-8010->8000-8010/tcp, 0.0.0.0:80->80/sctp', ['80 → 80/sctp', '8000-8010 → 8000-8010/tcp']],
  ])('of docker are read (%s)', (text, expected) => {
    expect(docker(text)).toEqual(expected);
  });

  it('of podman are read', () => {
    const port = { host_ip: '', host_port: 8080, container_port: 80, range: 1, protocol: 'tcp' };
    expect(podman(port, { ...port, host_ip: '::' }, { ...port, host_ip: '127.0.0.1', range: 3 })).toEqual([
      '8080 → 80/tcp',
      '127.0.0.1:8080-8082 → 80-82/tcp',
    ]);
    expect(podman({ host_port: 53, container_port: 53 })).toEqual(['53 → 53/tcp']);
  });

  it.each([
    '0.0.0.0:0->80/tcp',
    '0.0.0.0:70000->80/tcp',
    '0.0.0.0:8010-8000->8000-8010/tcp',
    '0.0.0.0:65535-65536->1-2/tcp',
    '0.0.0.0:8080->80/icmp',
    '999.0.0.1:8080->80/tcp',
    'evil.example:8080->80/tcp',
    '0.0.0.0:8080->80/tcp<b>',
    '0.0.0.0:8080->8',
  ])('that no engine would print are dropped (%s)', (text) => {
    expect(docker(text)).toEqual([]);
  });

  it('of podman that are no ports are dropped, and the container is kept', () => {
    const port = { host_ip: '', host_port: 8080, container_port: 80, range: 1, protocol: 'tcp' };
    const wrong = [
      null,
      1,
      {},
      { ...port, host_port: 0 },
      { ...port, range: 1e9 },
      { ...port, host_port: 1.5 },
    ];
    expect(podman(...wrong, { ...port, host_ip: 'x'.repeat(10_000) }, { ...port, protocol: 'x' })).toEqual(
      [],
    );
    const listed = (Ports: unknown) =>
      readContainers(
        sectionsOf({
          podman: JSON.stringify([{ Names: ['x'], State: 'running', Image: 'i', Status: 's', Ports }]),
        }),
      ).containers;
    expect(listed('no list')).toMatchObject([{ name: 'x', ports: [] }]);
    expect(listed(wrong)).toMatchObject([{ name: 'x', ports: [] }]);
    expect(listed([port])).toMatchObject([{ name: 'x', ports: [{ hostPort: 8080, containerPort: 80 }] }]);
  });

  it('are bounded in number, whatever a host prints', () => {
    const many = Array.from({ length: 5_000 }, (_, index) => `0.0.0.0:${index + 1}->${index + 1}/tcp`);
    expect(docker(many.join(', '))).toHaveLength(20);
    fc.assert(
      fc.property(hostileText(many.slice(0, 30).join(', ')), (text) => {
        for (const each of docker(text))
          expect(each).toMatch(/^[0-9a-f:.[\]]{0,48}[\d-]{1,11} → [\d-]{1,11}\/(tcp|udp|sctp)$/);
      }),
      { numRuns: 100 },
    );
  });

  it('are unknown of a docker that was not asked for them', () => {
    const line = ['web', 'running', 'demo:v1', 'Up 3 days', '', '', '', 'a'.repeat(64)];
    const read = (list: readonly string[]) =>
      readContainers(sectionsOf({ docker: JSON.stringify(list) })).containers?.[0]?.ports;
    expect(read(line)).toBeUndefined();
    expect(read([...line, ''])).toEqual([]);
    expect(read([...line, '0.0.0.0:80->80/tcp'])).toMatchObject([{ hostPort: 80 }]);
  });
});
