import { DomainError } from '../../../domain/base/errors.ts';

/** Programs that do the work on hosts. Each is the name of its Debian package too. */
export type HostTool = 'rsync' | 'restic' | 'tar';

export const toolMissing = (tool: HostTool): DomainError =>
  new DomainError(
    'host_tool_missing',
    `${tool} is not installed on the host: install the package ${tool} there (with apt-get, dnf, apk, pacman or zypper).`,
  );
