/** The releases of a distribution, by the last day on which each gets security updates free of charge. */
export interface ReleaseDates {
  /** Pages of the publisher that name the dates. */
  readonly sources: readonly string[];
  /** How many parts of `VERSION_ID` name a release: AlmaLinux 9.4 is a part of release 9, and Alpine 3.20.3 of 3.20. */
  readonly parts: 1 | 2;
  /** By these parts; `YYYY-MM-DD`. */
  readonly ends: Readonly<Record<string, string>>;
}

/** By `ID` of os-release. As these pages and endoflife.date had them in 2026; `drover eol import` refreshes them. */
export const OS_RELEASES: Readonly<Record<string, ReleaseDates>> = {
  // The LTS team's updates come from the same sources as those before.
  debian: {
    sources: ['https://wiki.debian.org/LTS', 'https://endoflife.date/debian'],
    parts: 1,
    ends: {
      '13': '2030-06-30',
      '12': '2028-06-30',
      '11': '2026-08-31',
      '10': '2024-06-30',
      '9': '2022-06-30',
      '8': '2020-06-30',
      '7': '2018-05-31',
    },
  },
  // Without Ubuntu Pro.
  ubuntu: {
    sources: ['https://wiki.ubuntu.com/Releases', 'https://endoflife.date/ubuntu'],
    parts: 2,
    ends: {
      '26.04': '2031-04-30',
      '25.10': '2026-07-01',
      '25.04': '2026-01-17',
      '24.10': '2025-07-10',
      '24.04': '2029-05-31',
      '23.10': '2024-07-12',
      '22.04': '2027-04-01',
      '20.04': '2025-05-31',
      '18.04': '2023-05-31',
      '16.04': '2021-04-02',
      '14.04': '2019-04-02',
    },
  },
  fedora: {
    sources: ['https://fedorapeople.org/groups/schedule/', 'https://endoflife.date/fedora'],
    parts: 1,
    ends: {
      '43': '2026-12-09',
      '42': '2026-05-13',
      '41': '2025-12-15',
      '40': '2025-05-13',
      '39': '2024-11-26',
      '38': '2024-05-21',
    },
  },
  // The maintenance phase, without extended life cycle support.
  rhel: {
    sources: ['https://access.redhat.com/support/policy/updates/errata', 'https://endoflife.date/rhel'],
    parts: 1,
    ends: {
      '10': '2035-05-31',
      '9': '2032-05-31',
      '8': '2029-05-31',
      '7': '2024-06-30',
      '6': '2020-11-30',
    },
  },
  almalinux: {
    sources: ['https://wiki.almalinux.org/release-notes/', 'https://endoflife.date/almalinux'],
    parts: 1,
    ends: { '10': '2035-05-31', '9': '2032-05-31', '8': '2029-03-01' },
  },
  rocky: {
    sources: ['https://wiki.rockylinux.org/rocky/version/', 'https://endoflife.date/rocky-linux'],
    parts: 1,
    ends: { '10': '2035-05-31', '9': '2032-05-31', '8': '2029-05-31' },
  },
  // CentOS Stream from 8 on; it has the ID of CentOS Linux, whose release 8 ended earlier.
  centos: {
    sources: ['https://www.centos.org/cl-vs-cs/', 'https://endoflife.date/centos-stream'],
    parts: 1,
    ends: {
      '10': '2030-01-01',
      '9': '2027-05-31',
      '8': '2024-05-31',
      '7': '2024-06-30',
      '6': '2020-11-30',
    },
  },
  'opensuse-leap': {
    sources: ['https://en.opensuse.org/Lifetime', 'https://endoflife.date/opensuse'],
    parts: 2,
    ends: {
      '16.0': '2027-10-31',
      '15.6': '2026-04-30',
      '15.5': '2024-12-31',
      '15.4': '2023-12-07',
      '15.3': '2022-12-31',
    },
  },
  // General support, without Long Term Service Pack Support.
  sles: {
    sources: ['https://www.suse.com/lifecycle', 'https://endoflife.date/sles'],
    parts: 2,
    ends: {
      '15.7': '2031-07-31',
      '15.6': '2025-12-31',
      '15.5': '2024-12-31',
      '15.4': '2023-12-31',
      '15.3': '2022-12-31',
      '15.2': '2021-12-31',
      '15.1': '2021-01-31',
      '12.5': '2024-10-31',
      '12.4': '2020-06-30',
    },
  },
  alpine: {
    sources: ['https://alpinelinux.org/releases/', 'https://endoflife.date/alpine-linux'],
    parts: 2,
    ends: {
      '3.23': '2027-11-01',
      '3.22': '2027-05-01',
      '3.21': '2026-11-01',
      '3.20': '2026-04-01',
      '3.19': '2025-11-01',
      '3.18': '2025-05-09',
      '3.17': '2024-11-22',
      '3.16': '2024-05-23',
      '3.15': '2023-11-01',
    },
  },
};
