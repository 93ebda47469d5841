import { Resolver } from 'node:dns/promises';
import { SafeHttpError } from './safe-http-error.js';
import { isIP, type LookupFunction } from 'node:net';
import type { AddressPolicy, UrlScheme } from './address-policy.js';
import { buildConnector } from './reach-ins/undici.js';

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

export interface CheckedConnectorOptions {
  readonly addressPolicy: AddressPolicy;
  readonly resolver: HostResolver;
  readonly connectTimeoutMs: number;
  /** PEM certificates that are trusted instead of Node's default list. */
  readonly ca: readonly string[] | undefined;
}

/** Timeout for each address but the last; Node's default of 250 ms is too short for a distant server. */
const ADDRESS_TIMEOUT_MS = 1_000;

/** Connects only to checked addresses: check and connection share one DNS lookup, which prevents DNS rebinding. */
export function createCheckedConnector(options: CheckedConnectorOptions): buildConnector.connector {
  const connectors = {
    'http:': createConnector('http:', options),
    'https:': createConnector('https:', options),
  };
  return (target, callback) => {
    const scheme = target.protocol === 'http:' ? 'http:' : 'https:';
    // A literal address is not looked up, so it is checked here.
    if (isIP(target.hostname) !== 0 && !options.addressPolicy.isAllowed(target.hostname, scheme))
      callback(createBlockedError(), null);
    else connectors[scheme](target, callback);
  };
}

function createConnector(scheme: UrlScheme, options: CheckedConnectorOptions): buildConnector.connector {
  const { connectTimeoutMs, ca } = options;
  return buildConnector({
    timeout: connectTimeoutMs,
    ...(ca ? { ca: [...ca] } : {}),
    // Explicit, because NODE_TLS_REJECT_UNAUTHORIZED can change the default.
    rejectUnauthorized: true,
    lookup: createCheckedLookup(scheme, options),
    // Makes Node look up all addresses and try them in turn.
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ADDRESS_TIMEOUT_MS,
  });
}

function createCheckedLookup(
  scheme: UrlScheme,
  { addressPolicy, resolver }: CheckedConnectorOptions,
): LookupFunction {
  return (host, _options, callback) => {
    const localAddresses = host === 'localhost' ? addressPolicy.listLocalhostAddresses(scheme) : undefined;
    const resolved = localAddresses ? Promise.resolve(localAddresses) : resolver.resolve(host);
    resolved.then(
      (addresses) => {
        // A single forbidden address blocks the host: mixing them is a sign of an attack.
        if (addresses.length === 0 || !addresses.every((address) => addressPolicy.isAllowed(address, scheme)))
          callback(createBlockedError(), []);
        else
          callback(
            null,
            addresses.map((address) => ({ address, family: isIP(address) })),
          );
      },
      (error: unknown) => {
        callback(error as SafeHttpError, []);
      },
    );
  };
}

const createBlockedError = () =>
  new SafeHttpError('blocked', 'the host has an address that may not be called');
