import ipaddr from 'ipaddr.js';

/** Removes the port that some proxies append: `203.0.113.9:4711`, `[2001:db8::1]:443`. */
const removePort = (text: string): string =>
  text.replace(/^\[(.*)\](?::\d+)?$/, '$1').replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1');

/**
 * The key of an address for rate limits: the IPv4 address (also if mapped to IPv6), or the /64 network, within which one
 * IPv6 host may choose its address. All invalid addresses share the key `unknown`.
 */
export function toAddressBucket(text: string): string {
  const address = removePort(text);
  if (ipaddr.IPv4.isValidFourPartDecimal(address)) return address;
  if (!ipaddr.IPv6.isValid(address)) return 'unknown';
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return ipaddr.IPv6.networkAddressFromCIDR(
    `${parsed.toNormalizedString().split('%')[0] ?? ''}/64`,
  ).toNormalizedString();
}
