import { DomainError } from '../../domain/errors.ts';

/** Programs that do the work on hosts. Each is the name of its Debian package too. */
export type HostTool = 'rsync' | 'restic' | 'tar';

export const toolMissing = (tool: HostTool): DomainError =>
  new DomainError(
    'host_tool_missing',
    `${tool} is not installed on the host: install it there, such as by: apt-get install ${tool} (or: dnf install ${tool}, apk add ${tool}, pacman -S ${tool}, zypper install ${tool}).`,
  );
