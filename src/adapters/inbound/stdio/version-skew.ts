import { CATALOGUE } from '../api/catalogue.ts';
import type { Contact } from './contact.ts';

const MAX_SHOWN = 10;

/** What an operator should know where service and adapter are not of one version; nothing where they agree. */
export function differences(contact: Contact, version: string): readonly string[] {
  const known = new Set(CATALOGUE.map(({ name }) => name));
  const unknown = [...contact.operations].filter((name) => !known.has(name));
  const missing = CATALOGUE.filter(({ name, tool }) => tool !== undefined && !contact.operations.has(name));
  return [
    ...(contact.version === version
      ? []
      : [`The service is version ${shown(contact.version)}, and this adapter ${version}.`]),
    ...(unknown.length === 0
      ? []
      : [`The service can do what this adapter does not know, and does not offer: ${list(unknown)}.`]),
    ...(missing.length === 0
      ? []
      : [
          `This adapter knows tools that the service does not have, and does not offer them: ${list(missing.map(({ name }) => name))}.`,
        ]),
  ];
}

const list = (names: readonly string[]): string =>
  [...names.slice(0, MAX_SHOWN).map(shown), ...(names.length > MAX_SHOWN ? ['…'] : [])].join(', ');

/** A name from elsewhere, short and on one line. */
const shown = (name: string): string => name.slice(0, 60).replace(/[^\w.+-]/g, '?');
