import { isIP, type LookupFunction } from 'node:net';
import type { AddressPolicy, UrlScheme } from './address-policy.js';
import { SafeHttpError } from './safe-http-error.js';
import type { HostResolver } from './host-resolver.js';
import { buildConnector } from './undici.js';

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
