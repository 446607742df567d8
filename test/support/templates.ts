import { EemeliYamlText } from '../../src/adapters/outbound/system/eemeli-yaml-text.ts';
import { TemplateOrders } from '../../src/application/compose/template-orders.ts';
import { TemplateRenderer } from '../../src/application/compose/template-renderer.ts';
import type { Clock } from '../../src/application/ports/base/clock.ts';
import type { SecretBox } from '../../src/application/ports/base/secret-box.ts';
import type { DeploymentStore } from '../../src/application/ports/compose/deployment-store.ts';
import type { TemplateStore } from '../../src/application/ports/compose/template-store.ts';
import type { JobStore } from '../../src/application/ports/jobs/job-store.ts';
import type { NewDeployment } from '../../src/domain/compose/deployment.ts';
import { describeTemplate, type TemplateContent } from '../../src/domain/compose/template.ts';
import type { RawVariable } from '../../src/domain/compose/template-variable.ts';
import { PlainSecretBox } from '../fakes/plain-secret-box.ts';
import { AT } from './stores-subject.ts';

export const VARIABLES: readonly RawVariable[] = [
  { name: 'greeting', type: 'string', description: 'What it says', default: 'hello' },
  { name: 'port', type: 'port' },
  { name: 'password', type: 'secret', description: 'Asked for at the door' },
];

export const COMPOSE = `services:
  app:
    image: "busybox:1.36"
    command: ["sh", "-c", "exec httpd -f -p @{port}"]
    environment:
      GREETING: "@{greeting}"
      PASSWORD: "@{password}"
`;

/** A template that has a variable of each kind. */
export const demoTemplate = (name = 'demo', files: Readonly<Record<string, string>> = {}): TemplateContent =>
  describeTemplate(
    { name, description: 'Says hello', variables: VARIABLES },
    Object.entries({ 'compose.yaml': COMPOSE, 'conf/app.conf': 'port = @{port}\n', ...files }).map(
      ([path, content]) => ({ path, content }),
    ),
  );

export const newDeployment = (
  serverId: number,
  directory: string,
  over: Partial<NewDeployment> = {},
): NewDeployment => ({
  serverId,
  directory,
  project: 'demo',
  templateName: 'demo',
  templateVersion: 3,
  values: { greeting: 'hé "x"', port: '80' },
  secretNames: ['password'],
  files: ['compose.yaml', 'conf/app.conf'],
  jobId: 7,
  deployedAt: AT,
  ...over,
});

/** Accepts the values of requests for jobs, over these stores. */
export const templateOrders = (parts: {
  readonly templates: TemplateStore;
  readonly deployments: DeploymentStore;
  readonly jobs: JobStore;
  readonly clock: Clock;
  readonly box?: SecretBox;
}): TemplateOrders =>
  new TemplateOrders({
    ...parts,
    box: parts.box ?? new PlainSecretBox(),
    renderer: new TemplateRenderer({ yaml: new EemeliYamlText() }),
  });
