import { isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import type { AddressPolicy, UrlScheme } from './address-policy.js';
import { SafeHttpError } from './safe-http-error.js';
import type { HostResolver } from './host-resolver.js';

export interface CheckedConnectorOptions {
  readonly addressPolicy: AddressPolicy;
  readonly resolver: HostResolver;
  readonly connectTimeoutMs: number;
  /** PEM certificates that are trusted instead of Node's own list. */
  readonly ca: readonly string[] | undefined;
}

/** Of several addresses each but the last has this long; Node's own 250 ms are less than a way around the world takes. */
const ADDRESS_TIMEOUT_MS = 1_000;

/** Connects to addresses that were checked, and to no others: the check and the connection share one look-up. */
export function createCheckedConnector(options: CheckedConnectorOptions): buildConnector.connector {
  const connectors = {
    'http:': createConnector('http:', options),
    'https:': createConnector('https:', options),
  };
  return (target, callback) => {
    const scheme = target.protocol === 'http:' ? 'http:' : 'https:';
    // A literal address is connected to without a look-up.
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
    // Said aloud, because an environment variable of Node's can say otherwise.
    rejectUnauthorized: true,
    lookup: createCheckedLookup(scheme, options),
    // Asks the look-up for all addresses and tries them in turn.
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ADDRESS_TIMEOUT_MS,
  });
}

function createCheckedLookup(
  scheme: UrlScheme,
  { addressPolicy, resolver }: CheckedConnectorOptions,
): LookupFunction {
  return (host, _options, callback) => {
    resolver.resolve(host).then(
      (addresses) => {
        // One bad address is enough: a name that mixes them is up to something.
        if (!addresses.every((address) => addressPolicy.isAllowed(address, scheme)))
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
