/** The scheme, user and password, the hosts, and the rest. */
const PARTS = /^([a-z]+:\/\/(?:[^/?#]*@)?)([^/?#@]*)(.*)$/is;

/** One address for each host of a list: `mysql://u:p@h1:3306,h2/d` are two. What is no such list comes back as it is. */
export function addressesOf(text: string): readonly string[] {
  const [, before = '', hosts = '', after = ''] = PARTS.exec(text) ?? [];
  return hosts.includes(',') ? hosts.split(',').map((host) => `${before}${host.trim()}${after}`) : [text];
}
