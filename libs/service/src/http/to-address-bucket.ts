import ipaddr from 'ipaddr.js';

/** Some proxies write a port behind the address: `203.0.113.9:4711`, `[2001:db8::1]:443`. */
const withoutPort = (text: string): string =>
  text.replace(/^\[(.*)\](?::\d+)?$/, '$1').replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1');

/**
 * What stands for one caller among addresses: an IPv4 address, or the /64 that one IPv6 host gets to choose from.
 * An IPv4 address inside IPv6 is that IPv4 address. Whatever a proxy writes that is no address is one caller.
 */
export function toAddressBucket(text: string): string {
  const address = withoutPort(text);
  if (ipaddr.IPv4.isValidFourPartDecimal(address)) return address;
  if (!ipaddr.IPv6.isValid(address)) return 'unknown';
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return ipaddr.IPv6.networkAddressFromCIDR(
    `${parsed.toNormalizedString().split('%')[0] ?? ''}/64`,
  ).toNormalizedString();
}
