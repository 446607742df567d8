import { describe, expect, it } from 'vitest';
import { readOsRelease } from '../../../../../src/adapters/outbound/hosts/facts/shell-host-facts.ts';
import { osFamilyOf } from '../../../../../src/domain/fleet/inventory.ts';
import { sectionsOf } from './recorded-host.ts';

const read = (text: string) => readOsRelease(sectionsOf({ 'os-release': text }));

describe('os-release', () => {
  it.each([
    {
      text: 'ID=debian\nVERSION_ID="13"\nPRETTY_NAME="Debian GNU/Linux 13 (trixie)"',
      family: 'debian',
      version: '13',
    },
    {
      text: 'ID=ubuntu\nID_LIKE=debian\nVERSION_ID="24.04"\nPRETTY_NAME="Ubuntu 24.04.1 LTS"',
      family: 'debian',
      version: '24.04',
    },
    {
      text: 'ID=linuxmint\nID_LIKE="ubuntu debian"\nVERSION_ID="22"\nPRETTY_NAME="Linux Mint 22"',
      family: 'debian',
      version: '22',
    },
    {
      text: 'ID=alpine\nVERSION_ID=3.21.4\nPRETTY_NAME="Alpine Linux v3.21"',
      family: 'alpine',
      version: '3.21.4',
    },
    {
      text: 'ID=fedora\nVERSION_ID=37\nPRETTY_NAME="Fedora Linux 37 (Thirty Seven)"',
      family: 'fedora',
      version: '37',
    },
    {
      text: 'ID="rocky"\nID_LIKE="rhel fedora"\nVERSION_ID="8"\nPRETTY_NAME="Rocky Linux 8"',
      family: 'fedora',
      version: '8',
    },
    {
      text: 'ID="amzn"\nID_LIKE="centos rhel fedora"\nVERSION_ID="2"\nPRETTY_NAME="Amazon Linux 2"',
      family: 'fedora',
      version: '2',
    },
    {
      text: 'ID="almalinux"\nID_LIKE="rhel centos fedora"\nVERSION_ID="9.2"\nPRETTY_NAME="AlmaLinux 9.2"',
      family: 'fedora',
      version: '9.2',
    },
    {
      text: 'NAME="Arch Linux ARM"\nID=archarm\nID_LIKE=arch\nBUILD_ID=rolling\nPRETTY_NAME="Arch Linux ARM"',
      family: 'arch',
      version: 'rolling',
    },
    {
      text: 'ID=manjaro\nID_LIKE=arch\nBUILD_ID=rolling\nPRETTY_NAME="Manjaro Linux"',
      family: 'arch',
      version: 'rolling',
    },
    {
      text: 'ID="opensuse-tumbleweed"\nID_LIKE="opensuse suse"\nVERSION_ID="20240823"\nPRETTY_NAME="openSUSE Tumbleweed"',
      family: 'suse',
      version: '20240823',
    },
    {
      text: 'VERSION_ID="15.7"\nPRETTY_NAME="SUSE Linux Enterprise Server 15 SP7"\nID="sles"\nID_LIKE="suse"',
      family: 'suse',
      version: '15.7',
    },
    {
      text: 'ID="openEuler"\nVERSION_ID="24.03"\nPRETTY_NAME="openEuler 24.03 (LTS-SP2)"',
      family: null,
      version: '24.03',
    },
    { text: '', family: null, version: null },
  ])('$text is of the family $family', ({ text, family, version }) => {
    const os = read(text);
    expect(osFamilyOf(os.id, os.idLike)).toBe(family);
    expect(os.version).toBe(version);
    expect(os.pretty).toBe(/PRETTY_NAME="(.*)"/.exec(text)?.[1] ?? null);
  });

  it('takes quotes, escapes and comments as os-release(5) has them', () => {
    const os = read(
      `# ID=comment\nID='single'\nPRETTY_NAME="A \\"quoted\\" \\$name"\nnot a line\nVERSION_ID="open\n`,
    );
    expect(os).toMatchObject({ id: 'single', pretty: 'A "quoted" $name', version: '"open' });
  });

  it('keeps no line that controls a terminal', () => {
    expect(read('PRETTY_NAME="\u001b[31mred\u202e"').pretty).toBe('red');
    expect(read(`PRETTY_NAME="${'x'.repeat(900)}"`).pretty).toHaveLength(120);
  });
});
