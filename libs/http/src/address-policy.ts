import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';

type IpAddress = ipaddr.IPv4 | ipaddr.IPv6;

/** A network address and its prefix length. */
export type Cidr = readonly [IpAddress, number];

export type UrlScheme = 'http:' | 'https:';

const parseCidrs = (...texts: string[]): readonly Cidr[] => texts.map((text) => ipaddr.parseCIDR(text));

/** Blocked even if an allowed CIDR contains them. */
const FORBIDDEN_CIDRS = parseCidrs(
  // This host, link-local (the metadata services of most clouds), multicast, broadcast.
  ...['0.0.0.0/8', '169.254.0.0/16', '224.0.0.0/4', '255.255.255.255/32', '::/128', 'fe80::/10', 'ff00::/8'],
  // Metadata services elsewhere: Alibaba, Azure, Oracle, AWS, Google.
  ...['100.100.100.200/32', '168.63.129.16/32', '192.0.0.192/32', 'fd00:ec2::/32', 'fd20:ce::254/128'],
  // IPv6 forms of IPv4 addresses: IPv4-translated (RFC 6145), local-use NAT64, Teredo, 6to4.
  ...['::ffff:0:0:0/96', '64:ff9b:1::/48', '2001::/32', '2002::/16'],
);
/** IPv4-compatible addresses (RFC 4291 section 2.5.5.1); blocked except for the loopback address. */
const [IPV4_COMPATIBLE] = parseCidrs('::/96');
const LOOPBACK = ipaddr.parse('::1');
/** The range from which IANA assigns global unicast addresses (RFC 4291 section 2.4). */
const [GLOBAL_IPV6] = parseCidrs('2000::/3');
/** RFC 6052: on IPv6-only networks DNS64 embeds IPv4 addresses in this prefix. */
const [NAT64] = parseCidrs('64:ff9b::/96');

const isWithin = (address: IpAddress, cidr: Cidr | undefined): boolean => {
  if (cidr?.[0].kind() !== address.kind()) return false;
  return address.match([...cidr] as [IpAddress, number]);
};

/** Parses an address; an IPv4-mapped one becomes the IPv4 address that is connected to. Undefined for any other text. */
function parseIpAddress(text: string): IpAddress | undefined {
  return isIP(text) === 0 || text.includes('%') ? undefined : ipaddr.process(text);
}

/** The address and, for NAT64, the embedded IPv4 address: both have to be allowed. */
function expandNat64Address(address: IpAddress): IpAddress[] {
  if (!isWithin(address, NAT64)) return [address];
  return [address, ipaddr.fromByteArray(address.toByteArray().slice(12))];
}

function isForbidden(address: IpAddress): boolean {
  if (FORBIDDEN_CIDRS.some((cidr) => isWithin(address, cidr))) return true;
  return isWithin(address, IPV4_COMPATIBLE) && address.toString() !== LOOPBACK.toString();
}

function isPublic(address: IpAddress): boolean {
  return address.range() === 'unicast' && (address.kind() === 'ipv4' || isWithin(address, GLOBAL_IPV6));
}

/** What `localhost` means without a lookup (RFC 6761 section 6.3), in the order in which they are tried. */
const LOCALHOST_ADDRESSES: readonly string[] = ['127.0.0.1', LOOPBACK.toString()];

/** Allows public addresses over https, and those in `allowed` over http too. Link-local and metadata addresses never. */
export class AddressPolicy {
  constructor(private readonly allowed: readonly Cidr[] = []) {}

  get hasAllowedCidrs(): boolean {
    return this.allowed.length > 0;
  }

  /** Whether a connection is allowed. `text` is an address in the notation of the operating system. */
  isAllowed(text: string, scheme: UrlScheme): boolean {
    const address = parseIpAddress(text);
    if (!address) return false;
    const addresses = expandNat64Address(address);
    if (addresses.some(isForbidden)) return false;
    return addresses.every((each) => this.isListed(each) || (scheme === 'https:' && isPublic(each)));
  }

  /** The addresses of `localhost` that may be called: a server may listen on one of the two only. */
  listLocalhostAddresses(scheme: UrlScheme): string[] {
    return LOCALHOST_ADDRESSES.filter((address) => this.isAllowed(address, scheme));
  }

  private isListed(address: IpAddress): boolean {
    return this.allowed.some((cidr) => isWithin(address, cidr));
  }
}

const cidr = z.string().transform((text, context): Cidr => {
  // ipaddr.js also accepts short forms such as `127.1/8`, which are ambiguous.
  if (isIP(text.split('/')[0] ?? '') !== 0 && ipaddr.isValidCIDR(text)) return ipaddr.parseCIDR(text);
  context.addIssue({ code: 'custom', message: 'must be CIDRs such as 10.0.0.0/8, comma separated' });
  return z.NEVER;
});

/** A comma-separated list of CIDRs in an environment variable. */
export const envCidrs = z
  .string()
  .transform((text) => text.split(',').map((part) => part.trim()))
  .pipe(z.array(cidr))
  .meta({ format: 'CIDRs, comma separated' });
