import type { Container } from 'inversify';
import { ComposeRun } from '../../../application/compose/compose-run.ts';
import { AfterContainerWork } from '../../../application/compose/container-aftermath.ts';
import { LookAtContainers } from '../../../application/compose/container-look.ts';
import { ContainerPatchRunner } from '../../../application/compose/container-patch-runner.ts';
import { ContainerUpdateCheckRunner } from '../../../application/compose/container-update-check-runner.ts';
import { StackCheckRunner } from '../../../application/compose/stack-check-runner.ts';
import { LookAtStack } from '../../../application/compose/stack-look.ts';
import { StackRunner } from '../../../application/compose/stack-runner.ts';
import { bindClass } from '../binding.ts';
import { CONTAINER_JOBS, PORTS, SHARED, USE_CASES } from '../tokens.ts';

const { containers: engine, jobs, digest, clock } = PORTS;
const { look, stackLook, run, after } = CONTAINER_JOBS;

/** Jobs on containers and compose projects. */
export function bindContainerJobs(container: Container): void {
  const inventory = USE_CASES.refreshInventory;
  bindClass(container, look, LookAtContainers, { engine });
  bindClass(container, stackLook, LookAtStack, { look, engine });
  bindClass(container, run, ComposeRun, { engine, work: SHARED.detachedWork });
  bindClass(container, after, AfterContainerWork, { inventory });
  bindClass(container, CONTAINER_JOBS.updateCheckRunner, ContainerUpdateCheckRunner, {
    look,
    inventory,
    clock,
  });
  bindClass(container, CONTAINER_JOBS.patchRunner, ContainerPatchRunner, {
    engine,
    look,
    run,
    after,
    jobs,
    digest,
    clock,
  });
  bindClass(container, CONTAINER_JOBS.stackCheckRunner, StackCheckRunner, { look: stackLook });
  bindClass(container, CONTAINER_JOBS.stackRunner, StackRunner, {
    look: stackLook,
    run,
    after,
    jobs,
    digest,
    clock,
  });
}
