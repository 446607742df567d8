/**
 * One address for each host of a list: `mysql://u:p@h1:3306,h2/d` is two. Returns anything but such a list unchanged.
 */
export function addressesOf(text: string): readonly string[] {
  const [scheme = ''] = /^[a-z]+:\/\//i.exec(text) ?? [];
  const [authority = ''] = /^[^/?#]*/.exec(text.slice(scheme.length)) ?? [];
  const hosts = scheme === '' ? '' : authority.slice(authority.lastIndexOf('@') + 1);
  const before = `${scheme}${authority.slice(0, authority.length - hosts.length)}`;
  const after = text.slice(scheme.length + authority.length);
  return hosts.includes(',') ? hosts.split(',').map((host) => `${before}${host.trim()}${after}`) : [text];
}
