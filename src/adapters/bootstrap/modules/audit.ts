import type { Container } from 'inversify';
import { ListAudit } from '../../../application/events/list-audit.ts';
import { PruneAudit } from '../../../application/events/prune-audit.ts';
import { SealAudit } from '../../../application/events/seal-audit.ts';
import { VerifyAudit } from '../../../application/events/verify-audit.ts';
import { bindClass } from '../binding.ts';
import { PORTS, USE_CASES } from '../tokens.ts';

const { audit, chain, clock, log } = PORTS;

/** Who did what, and that nobody changed it since. */
export function bindAudit(container: Container): void {
  bindClass(container, USE_CASES.listAudit, ListAudit, { audit, clock });
  bindClass(container, USE_CASES.sealAudit, SealAudit, { chain, clock, log });
  bindClass(container, USE_CASES.verifyAudit, VerifyAudit, { chain });
  bindClass(container, USE_CASES.pruneAudit, PruneAudit, { chain, audit, clock });
}
