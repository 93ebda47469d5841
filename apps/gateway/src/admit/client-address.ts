import ipaddr from 'ipaddr.js';

/**
 * What stands for one caller among addresses: an IPv4 address, or the /64 that one IPv6 host gets to choose from.
 * An IPv4 address inside IPv6 is that IPv4 address.
 */
export function addressBucket(address: string): string {
  if (!address.includes(':')) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  const [network] = ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toNormalizedString()}/64`)
    .toNormalizedString()
    .split('%');
  return network ?? address;
}
