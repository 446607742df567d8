const FAULTS: Readonly<Record<string, string>> = {
  host_unreachable: 'no connection',
  host_auth_failed: 'login rejected',
  host_key_mismatch: 'different host key',
  host_timeout: 'timeout',
  host_connection_lost: 'connection lost',
};

/** The reason in an error code why Drover cannot reach a server, in a few words. */
export const contactFault = (code: string): string => FAULTS[code] ?? code;
