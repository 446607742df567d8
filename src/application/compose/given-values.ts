import type { VariableValue } from '../../domain/compose/template-variable.ts';
import type { SecretBox, SecretPlace } from '../ports/base/secret-box.ts';

export const sealedJson = (
  box: SecretBox,
  values: Readonly<Record<string, VariableValue>>,
  place: SecretPlace,
): string => box.seal(JSON.stringify(values), place);

/** Values as `sealedJson` took them; the seal vouches for their form. */
export const givenValues = (json: string): Readonly<Record<string, VariableValue>> =>
  JSON.parse(json) as Record<string, VariableValue>;
