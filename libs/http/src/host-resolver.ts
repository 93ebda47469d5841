import { Resolver } from 'node:dns/promises';
import { SafeHttpError } from './safe-http-error.js';

const ATTEMPT_TIMEOUT_MS = 1_500;
const MAX_ATTEMPTS = 2;
/** Codes that mean that the record does not exist; any other code means that the lookup failed. */
const NO_RECORD_CODES = new Set(['ENODATA', 'ENOTFOUND', 'ENONAME']);

/**
 * Queries name servers and ignores the hosts file, because the names are untrusted. Unlike `dns.lookup` it does not occupy
 * libuv's thread pool, so a slow name server does not delay file access and cryptography.
 */
export class HostResolver {
  private readonly resolver = new Resolver({ timeout: ATTEMPT_TIMEOUT_MS, tries: MAX_ATTEMPTS });

  /** @param servers `address` or `address:port`; by default those of the operating system */
  constructor(servers?: readonly string[]) {
    if (servers) this.resolver.setServers(servers);
  }

  /**
   * All addresses of a host, IPv4 first.
   * @throws SafeHttpError `dns`
   */
  async resolve(host: string): Promise<string[]> {
    const lookups = await Promise.allSettled([this.resolver.resolve4(host), this.resolver.resolve6(host)]);
    const addresses = lookups.flatMap((lookup) => (lookup.status === 'fulfilled' ? lookup.value : []));
    if (addresses.length > 0) return addresses;
    const reasons = lookups.flatMap((lookup) =>
      lookup.status === 'rejected' ? [lookup.reason as unknown] : [],
    );
    const isMissing = reasons.every((reason) =>
      NO_RECORD_CODES.has((reason as { code?: string }).code ?? ''),
    );
    const message = isMissing ? 'the host has no address' : 'the host could not be looked up';
    throw new SafeHttpError('dns', message, { cause: reasons[0] });
  }
}
