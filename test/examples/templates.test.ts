import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { readTemplateFolder } from '../../src/adapters/inbound/cli/template-folder.ts';
import { EemeliYamlText } from '../../src/adapters/outbound/system/eemeli-yaml-text.ts';
import { TemplateRenderer } from '../../src/application/compose/template-renderer.ts';
import { COMPOSE_FILE, describeTemplate, valuesFor } from '../../src/domain/compose/template.ts';
import type { VariableValue } from '../../src/domain/compose/template-variable.ts';
import { ROOT } from '../docs/markdown.ts';

const FOLDER = join(ROOT, 'examples/templates');
const folders = (await readdir(FOLDER, { withFileTypes: true }))
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

/** Required values, as hostile as possible. */
const GIVEN: Readonly<Record<string, Readonly<Record<string, VariableValue>>>> = {
  vaultwarden: { domain: 'https://vault.example.org', admin_token: '$argon2id$v=19$m=65540"\n: x' },
  postgres: { password: 'a "long" $password\n- x: y' },
};

interface Service {
  readonly image: string;
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly volumes?: readonly string[];
  readonly restart?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

describe.each(folders)('the example %s', (folder) => {
  const read = async () => {
    const { manifest, files } = await readTemplateFolder(join(FOLDER, folder));
    const template = describeTemplate(manifest, files);
    const renderer = new TemplateRenderer({ yaml: new EemeliYamlText() });
    renderer.check(template);
    const rendered = renderer.render(template, valuesFor(template, GIVEN[folder] ?? {}));
    const compose = rendered.find(({ path }) => path === COMPOSE_FILE)?.content ?? '';
    return { template, rendered, compose: parse(compose) };
  };

  test('is named as its folder, and needs no more than it says', async () => {
    const { template } = await read();
    expect(template.name).toBe(folder);
    expect(template.description).not.toBe('');
  });

  test('pins its images, checks their health and restarts automatically', async () => {
    const { compose } = await read();
    const services: Service[] = Object.values(compose.services);
    expect(services.length).toBeGreaterThan(0);
    for (const { image, healthcheck, restart } of services) {
      expect(image).toMatch(/^[a-z/-]+:\d+[\w.-]*$/);
      expect(healthcheck?.test[0]).toMatch(/^CMD(-SHELL)?$/);
      expect(restart).toBe('unless-stopped');
    }
  });

  test('keeps its data in volumes that it declares', async () => {
    const { compose } = await read();
    const services: Service[] = Object.values(compose.services);
    const named = services
      .flatMap(({ volumes = [] }) => volumes.map((volume) => volume.split(':')[0] ?? ''))
      .filter((volume) => !volume.startsWith('./'));
    expect(named.toSorted()).toEqual(Object.keys(compose.volumes).toSorted());
  });

  test('carries its secrets whole, and only in files that it says have some', async () => {
    const { template, rendered, compose } = await read();
    const secrets = template.variables.filter(({ type }) => type === 'secret');
    for (const { name } of secrets) {
      const value = String(GIVEN[folder]?.[name]).replaceAll('$', '$$$$');
      const services: Service[] = Object.values(compose.services);
      expect(services.flatMap(({ environment = {} }) => Object.values(environment))).toContain(value);
    }
    expect(rendered.filter(({ secret }) => secret).map(({ path }) => path)).toEqual(
      secrets.length > 0 ? [COMPOSE_FILE] : [],
    );
  });
});

test('there are examples', () => expect(folders.length).toBeGreaterThanOrEqual(4));
