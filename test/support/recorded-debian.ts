import { RECORDED_MARK, recordedText } from '../adapters/facts/recorded-host.ts';
import { recording } from '../adapters/packages/recording.ts';

/** What a host is asked by the jobs that only look at it. */
export type Question = 'facts' | 'refresh' | 'list';

const section = (name: string, text: string): string =>
  `\n${RECORDED_MARK} begin ${name}\n${text}\n${RECORDED_MARK} end 0\n`;

/** An update check follows, so nothing is told of packages but whose they are. */
const FACTS = `${recordedText('debian-12-systemd').split(`\n${RECORDED_MARK} begin package-family`)[0]}${section('package-family', 'debian')}`;
const LIST = `${section('apt-stamp', 'a'.repeat(64))}${section('packages-count', '431')}${recording('apt-listing-debian-12')}`;
const REFRESH = `Hit:1 http://mirror.example.org/debian bookworm InRelease
Get:2 http://mirror.example.org/debian bookworm-updates InRelease [55.4 kB]
Get:3 http://mirror.example.org/debian-security bookworm-security InRelease [34.8 kB]
Fetched 90.2 kB in 1s (90.2 kB/s)
Reading package lists...
`;
const ANSWERS: Readonly<Record<Question, string>> = { facts: FACTS, refresh: REFRESH, list: LIST };

/** Which question a script of the service's is. Throws for one that is none of them. */
export function questionOf(script: string): Question {
  if (script.includes('at_once facts ')) return 'facts';
  if (script.includes('exec apt-get update')) return 'refresh';
  if (script.includes('at_once packages_and_reboot ')) return 'list';
  throw new Error(`nobody has recorded what a host answers to: ${script.slice(0, 200)}`);
}

/** What a real host of Debian 12 answered, as if it was asked with this mark. */
export const recordedAnswer = (question: Question, mark = RECORDED_MARK): string =>
  ANSWERS[question].replaceAll(RECORDED_MARK, mark);
