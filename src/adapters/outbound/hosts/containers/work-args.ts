import type {
  ComposeOrder,
  EngineKind,
  ProjectGuard,
  ServicePatch,
} from '../../../../application/ports/compose/container-engine.ts';
import type { ImageChange, ProjectPlace } from '../../../../domain/compose/compose.ts';
import {
  check,
  isDigest,
  isImage,
  isPath,
  isProject,
  isService,
  isStagedId,
} from '../../../../domain/compose/compose-names.ts';
import { canonicalReference, pulledName } from '../../../../domain/compose/image-reference.ts';
import { checkLines } from '../shell/update-checks.ts';

/** The arguments of the work's script; throws `invalid_input` for invalid ones. */
export function workArgs(order: ComposeOrder, engine: EngineKind): string[] {
  const head = [engine, order.kind];
  if (order.kind === 'patch') {
    const projects = order.projects.flatMap(({ place, services, guard }) => [
      ...placeArgs(place),
      String(services.length),
      ...services.flatMap((each) => serviceArgs(each, engine)),
      ...guardArgs(guard),
    ]);
    return [...head, order.prune ? '1' : '0', ...projects];
  }
  const deploys = order.kind === 'deploy';
  const images = deploys ? order.images : [];
  return [
    ...head,
    deploys && order.prune ? '1' : '0',
    deploys && order.stagedId !== null ? check(isStagedId, order.stagedId, 'The id') : '-',
    ...placeArgs(order.place),
    String(order.services.length),
    ...order.services.map((name) => check(isService, name, 'The service')),
    String(images.length),
    ...images.flatMap((each) => imageArgs(each, engine)),
  ];
}

/** Lines of the script's notes: each check is the number of its words, and these. */
function guardArgs(guard: ProjectGuard | undefined): string[] {
  if (!guard) return ['0'];
  const checks = guard.checks.flatMap((each) =>
    checkLines(each, check(isService, each.service, 'The service')),
  );
  return [
    '1',
    String(guard.observeSeconds),
    String(guard.paths.length),
    ...guard.paths.map((path) => check(isPath, path, 'The path')),
    String(checks.length),
    ...checks,
  ];
}

/** The files come last first, since the script puts each before those that it has. */
function placeArgs({ project, directory, configFiles }: ProjectPlace): string[] {
  return [
    check(isPath, directory, 'The directory'),
    project === null ? '-' : check(isProject, project, 'The project'),
    String(configFiles.length),
    ...configFiles.map((path) => check(isPath, path, 'The file')).toReversed(),
  ];
}

/** podman's own commands refuse short names, or take them for images of the host itself; compose does neither. */
function imageArgs({ image, to }: Pick<ImageChange, 'image' | 'to'>, engine: EngineKind): string[] {
  check(isImage, image, 'The image');
  const name = engine === 'podman' ? canonicalReference(image) : image;
  return [name, pulledName(name, check(isDigest, to, 'The digest'))];
}

const serviceArgs = ({ change, imageId, containers }: ServicePatch, engine: EngineKind): string[] => [
  check(isService, change.service, 'The service'),
  ...imageArgs(change, engine),
  check(isDigest, imageId, 'The image id'),
  String(containers),
  change.from === null ? '-' : check(isDigest, change.from, 'The digest'),
  change.to,
];
