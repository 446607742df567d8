import type { Finding } from '../../../domain/fleet/finding.ts';

type Parts = Omit<Finding, 'verdict'>;

export const ok = (name: string, detail: string): Finding => ({ name, verdict: 'ok', detail, remedy: null });
export const warn = (parts: Parts): Finding => ({ ...parts, verdict: 'warn' });
export const fail = (parts: Parts): Finding => ({ ...parts, verdict: 'fail' });
