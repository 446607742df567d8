import type { PendingUpdate } from '../../../../domain/fleet/inventory.ts';
import { plainText } from '../shell/host-text.ts';

/** An update as a package manager printed it, made plain; none where name or version is missing. */
export function listedUpdate(found: {
  readonly name: string | undefined;
  readonly from: string | null | undefined;
  readonly to: string | undefined;
  readonly origin?: string | undefined;
  readonly security?: boolean;
  readonly held?: boolean;
}): PendingUpdate[] {
  const name = plainText(found.name);
  const to = plainText(found.to);
  if (name === null || to === null) return [];
  return [
    {
      name,
      from: plainText(found.from ?? undefined),
      to,
      security: found.security ?? false,
      origin: plainText(found.origin),
      held: found.held ?? false,
    },
  ];
}
