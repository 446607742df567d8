import { describe, expect, it } from 'vitest';
import { readMachine } from '../../../../../src/adapters/outbound/hosts/facts/machine.ts';
import { sectionsOf } from './recorded-host.ts';

const hardware = (text: string) => readMachine(sectionsOf({ hardware: text })).hardware;
const memory = (text: string) => {
  const { memoryTotalBytes, memoryUsedBytes } = readMachine(sectionsOf({ memory: text }));
  return { memoryTotalBytes, memoryUsedBytes };
};
const processor = (text: string) => readMachine(sectionsOf({ processor: text }));

describe('The hardware of a host', () => {
  it('is vendor and product', () => {
    expect(hardware('container=none\nvendor=LENOVO\nproduct=20HQS0EG02\nmodel=\nmachine=none\n')).toBe(
      'LENOVO 20HQS0EG02',
    );
    expect(hardware('vendor=QEMU\nproduct=Standard PC (Q35 + ICH9, 2009)\nmachine=kvm\n')).toBe(
      'QEMU Standard PC (Q35 + ICH9, 2009)',
    );
  });

  it('names a vendor once that is in the name of the product too', () => {
    expect(hardware('vendor=HPE\nproduct=HPE ProLiant DL360\n')).toBe('HPE ProLiant DL360');
    expect(hardware('vendor=OpenStack Foundation\nproduct=OpenStack Nova\n')).toBe(
      'OpenStack Foundation OpenStack Nova',
    );
  });

  it("is a container, whose hardware is its host's", () => {
    expect(hardware('container=lxc\nvendor=Dell Inc.\nproduct=PowerEdge R640\nmachine=kvm\n')).toBe(
      'lxc container',
    );
  });

  it('is the model of a board, or the kind of virtualisation, or unknown', () => {
    expect(
      hardware('container=\nvendor=\nproduct=\nmodel=Raspberry Pi 4 Model B Rev 1.4\nmachine=none\n'),
    ).toBe('Raspberry Pi 4 Model B Rev 1.4');
    expect(hardware('container=none\nvendor=\nproduct=\nmodel=\nmachine=amazon\n')).toBe('amazon');
    expect(hardware('container=none\nvendor=\nproduct=\nmodel=\nmachine=none\n')).toBeNull();
  });

  it('leaves out what vendors did not fill in', () => {
    expect(
      hardware('vendor=To Be Filled By O.E.M.\nproduct=Default string\nmodel=\nmachine=none\n'),
    ).toBeNull();
    expect(hardware('vendor=ASUS\nproduct=System Product Name\n')).toBe('ASUS');
  });
});

describe('The memory of a host', () => {
  it('in use is what is not available', () => {
    expect(memory('MemTotal:       1000 kB\nMemFree:         100 kB\nMemAvailable:    600 kB\n')).toEqual({
      memoryTotalBytes: 1_024_000,
      memoryUsedBytes: 409_600,
    });
  });

  it('is estimated from free memory and caches if an old kernel reports no more', () => {
    const text = 'MemTotal: 1000 kB\nMemFree: 100 kB\nBuffers: 50 kB\nCached: 250 kB\n';
    expect(memory(text).memoryUsedBytes).toBe(600 * 1024);
  });

  it('is unknown where the host makes no sense', () => {
    expect(memory('MemTotal: -5 kB\n').memoryTotalBytes).toBeNull();
    expect(memory('MemTotal: 99999999999999999999 kB\n').memoryTotalBytes).toBeNull();
    expect(memory('MemTotal: 10 kB\nMemAvailable: 20 kB\n').memoryUsedBytes).toBe(0);
  });
});

describe('The processor, load and uptime of a host', () => {
  it('are read', () => {
    const found = readMachine(
      sectionsOf({
        system: 'Linux\nweb-1\n6.1.0-18-arm64\naarch64\n',
        processor: 'cores=4\ncpu=Neoverse-N1\n',
        load: '0.52 0.58 0.59 1/467 12345\n',
        uptime: '350735.47 234388.90\n',
        'boot-id': '07dbb4f1-4deb-4ad7-8a7d-cd458ca6ae44\n',
      }),
    );
    expect(found).toMatchObject({
      osType: 'linux',
      hostname: 'web-1',
      kernel: '6.1.0-18-arm64',
      arch: 'aarch64',
      cpuCores: 4,
      cpuModel: 'Neoverse-N1',
      cpuLoad: 0.52,
      uptimeSeconds: 350_735,
      bootId: '07dbb4f1-4deb-4ad7-8a7d-cd458ca6ae44',
    });
  });

  it.each(['cores=0', 'cores=-1', 'cores=1e3', 'cores=999999', 'cores=', 'cores=2; rm'])(
    '%s is no count',
    (text) => {
      expect(processor(`${text}\n`).cpuCores).toBeNull();
    },
  );

  it('takes the first of a key, and no inherited one', () => {
    expect(processor('cores=2\ncores=64\n').cpuCores).toBe(2);
    expect(processor('__proto__=x\nconstructor=y\n').cpuModel).toBeNull();
  });

  it.each(['FreeBSD\nbsd\n14.0\namd64\n', 'linux\nx\n1\ny\n', ''])('takes %j for no Linux', (text) => {
    expect(readMachine(sectionsOf({ system: text })).osType).toBeNull();
  });
});
