import type { Container } from 'inversify';
import { GetTemplate, ListDeployments, ListTemplates } from '../../../application/compose/list-templates.ts';
import { ManageTemplates } from '../../../application/compose/manage-templates.ts';
import { PrepareDeployment } from '../../../application/compose/prepare-deployment.ts';
import { TemplateDeployRunner } from '../../../application/compose/template-deploy-runner.ts';
import { TemplateOrders } from '../../../application/compose/template-orders.ts';
import { TemplateRenderer } from '../../../application/compose/template-renderer.ts';
import { EemeliYamlText } from '../../outbound/system/eemeli-yaml-text.ts';
import { bindClass } from '../binding.ts';
import { CONTAINER_JOBS, PORTS, SHARED, USE_CASES } from '../tokens.ts';

const { templates, deployments, servers, jobs, box, clock, yaml } = PORTS;
const { digest, randomness, containers: engine } = PORTS;
const { renderer, refusals } = SHARED;

/** Templates of compose projects. */
export function bindTemplates(container: Container): void {
  container.bind(yaml).toConstantValue(new EemeliYamlText());
  bindClass(container, renderer, TemplateRenderer, { yaml });
  bindClass(container, SHARED.orders, TemplateOrders, {
    templates,
    deployments,
    renderer,
    jobs,
    box,
    clock,
  });
  bindClass(container, SHARED.prepareDeployment, PrepareDeployment, {
    renderer,
    engine,
    digest,
    clock,
    places: PORTS.places,
  });
  bindClass(container, SHARED.templateDeployRunner, TemplateDeployRunner, {
    orders: SHARED.orders,
    prepare: SHARED.prepareDeployment,
    engine,
    deployments,
    run: CONTAINER_JOBS.run,
    after: CONTAINER_JOBS.after,
    jobs,
    box,
    digest,
    randomness,
    clock,
  });
  bindClass(container, USE_CASES.manageTemplates, ManageTemplates, {
    templates,
    deployments,
    servers,
    renderer,
    clock,
    refusals,
  });
  bindClass(container, USE_CASES.listTemplates, ListTemplates, { templates });
  bindClass(container, USE_CASES.getTemplate, GetTemplate, { templates });
  bindClass(container, USE_CASES.listDeployments, ListDeployments, { deployments, servers });
}
