import { RECORDED_MARK, recordedText } from '../adapters/outbound/hosts/facts/recorded-host.ts';
import { recording } from '../adapters/outbound/hosts/packages/recording.ts';

/** The questions to a host that only read it: for facts, for an update check, for both in one command, or for its state. */
export type Question = 'facts' | 'check' | 'both' | 'state';

const section = (name: string, text: string): string =>
  `\n${RECORDED_MARK} begin ${name}\n${text}\n${RECORDED_MARK} end 0\n`;

/** An update check follows, so packages are reported only by family. */
const FACTS = `${recordedText('debian-12-systemd').split(`\n${RECORDED_MARK} begin package-family`)[0]}${section('package-family', 'debian')}`;
const LIST = `${section('apt-stamp', 'a'.repeat(64))}${section('packages-count', '431')}${recording('apt-listing-debian-12')}`;
const REFRESH = `Hit:1 http://mirror.example.org/debian bookworm InRelease
Get:2 http://mirror.example.org/debian bookworm-updates InRelease [55.4 kB]
Get:3 http://mirror.example.org/debian-security bookworm-security InRelease [34.8 kB]
Fetched 90.2 kB in 1s (90.2 kB/s)
Reading package lists...
`;

const STATE = `${section('state-packages', 'installed openssl:amd64 3.0.17-1~deb12u2')}${section('state-users', 'root:x:0:0:root:/root:/bin/bash')}`;

const CHECK = `\n${RECORDED_MARK} asked\n\n${RECORDED_MARK} refreshing\n${REFRESH}\n${RECORDED_MARK} refreshed 0\n${LIST}`;

/** Which question a script of the service's is. Throws for any other. */
export function questionOf(script: string): Question {
  const asksFacts = script.includes('at_once facts ');
  if (script.includes('apt_refresh() {')) return asksFacts ? 'both' : 'check';
  if (asksFacts) return 'facts';
  if (script.includes('at_once states')) return 'state';
  throw new Error(`nobody has recorded what a host answers to: ${script.slice(0, 200)}`);
}

const marked = (text: string, mark = RECORDED_MARK): string => text.replaceAll(RECORDED_MARK, mark);

/** A check's own arguments; those of the preliminary question follow. */
const CHECK_ARGUMENTS = 5;

/** A real Debian 12 host's answer, with the marks in these arguments. */
export function recordedAnswer(question: Question, args: readonly string[] = []): string {
  const [mark] = args;
  if (question === 'facts') return marked(FACTS, mark);
  if (question === 'state') return marked(STATE, mark);
  const facts = question === 'both' ? marked(FACTS, args[CHECK_ARGUMENTS]) : '';
  return `${facts}${marked(CHECK, mark)}`;
}
