import { isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import type { AddressRules, Scheme } from './address-rules.js';
import { FetchFailure } from './fetch-failure.js';
import type { HostResolver } from './host-resolver.js';

export interface ConnectorOptions {
  readonly rules: AddressRules;
  readonly resolver: HostResolver;
  readonly connectTimeoutMs: number;
  /** PEM certificates that are trusted instead of Node's own list. */
  readonly ca: readonly string[] | undefined;
}

/** Of several addresses each but the last has this long; Node's own 250 ms are less than a way around the world takes. */
const ADDRESS_TIMEOUT_MS = 1_000;

/** Connects to addresses that were checked, and to no others: the check and the connection share one look-up. */
export function checkedConnector(options: ConnectorOptions): buildConnector.connector {
  const connectors = { 'http:': connectorOf('http:', options), 'https:': connectorOf('https:', options) };
  return (target, callback) => {
    const scheme = target.protocol === 'http:' ? 'http:' : 'https:';
    // A literal address is connected to without a look-up.
    if (isIP(target.hostname) !== 0 && !options.rules.allows(target.hostname, scheme))
      callback(blocked(), null);
    else connectors[scheme](target, callback);
  };
}

function connectorOf(scheme: Scheme, options: ConnectorOptions): buildConnector.connector {
  const { connectTimeoutMs, ca } = options;
  return buildConnector({
    timeout: connectTimeoutMs,
    ...(ca ? { ca: [...ca] } : {}),
    // Said aloud, because an environment variable of Node's can say otherwise.
    rejectUnauthorized: true,
    lookup: checkedLookup(scheme, options),
    // Asks the look-up for all addresses and tries them in turn.
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ADDRESS_TIMEOUT_MS,
  });
}

function checkedLookup(scheme: Scheme, { rules, resolver }: ConnectorOptions): LookupFunction {
  return (host, _options, callback) => {
    resolver.resolve(host).then(
      (addresses) => {
        // One bad address is enough: a name that mixes them is up to something.
        if (!addresses.every((address) => rules.allows(address, scheme))) callback(blocked(), []);
        else
          callback(
            null,
            addresses.map((address) => ({ address, family: isIP(address) })),
          );
      },
      (error: unknown) => {
        callback(error as FetchFailure, []);
      },
    );
  };
}

const blocked = () => new FetchFailure('blocked', 'the host has an address that may not be called');
