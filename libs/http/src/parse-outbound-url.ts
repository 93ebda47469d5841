import { isIPv4, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { AddressPolicy, UrlScheme } from './address-policy.js';

const DATABASE_PORTS: ReadonlySet<number> = new Set([
  ...[1433, 1434], // SQL Server
  ...[1521, 1522, 1830, 2483, 2484], // Oracle
  ...[2379, 2380], // etcd
  ...[3050], // Firebird
  ...[3306, 33_060], // MySQL
  ...[5432, 5433, 6432], // PostgreSQL, YugabyteDB, PgBouncer
  ...[5984, 6984], // CouchDB
  ...[6379, 6380, 16_379, 26_379], // Redis, its cluster bus and sentinel
  ...[7000, 7001, 7199, 9042, 9142, 9160], // Cassandra
  ...[7474, 7687], // Neo4j
  ...[8086, 8088], // InfluxDB
  ...[8091, 8092, 8093, 11_207, 11_210], // Couchbase
  ...[8123, 9000], // ClickHouse
  ...[8529], // ArangoDB
  ...[9200, 9300], // Elasticsearch
  ...[11_211], // memcached
  ...[26_257], // CockroachDB
  ...[27_017, 27_018, 27_019], // MongoDB
  ...[28_015, 29_015], // RethinkDB
  ...[50_000], // Db2
]);

/** Allows 443, 80, and ports from 1024 that are not the default port of a database (contract.md section 5). */
function isPortAllowed(port: number): boolean {
  if (port === 443 || port === 80) return true;
  return port >= 1_024 && port <= 65_535 && !DATABASE_PORTS.has(port);
}

const MAX_URL_LENGTH = 2_048;

/**
 * RFC 3986 without user information and fragment, and without anything that URL parsers interpret differently: whitespace,
 * backslashes, control characters, non-ASCII letters, percent-encoding in the host.
 */
const URL_PATTERN =
  /^(https?):\/\/(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::([1-9]\d{0,4}))?((?:\/(?:[a-z0-9\-._~!$&'()*+,;=:@/]|%[0-9a-f]{2})*)?)(?:\?(?:[a-z0-9\-._~!$&'()*+,;=:@/?]|%[0-9a-f]{2})*)?$/i;
const LABEL_PATTERN = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** Names that do not exist in public DNS: RFC 6761, 6762, 8375, and ICANN's reservation of `internal`. */
const PRIVATE_NAME_PATTERN = /(?:^|\.)(?:localhost|local|internal|home\.arpa|test|invalid|onion)$/;

const HOST_NAME_PROBLEM = 'must name a host, as letters, digits and hyphens';
const PRIVATE_HOST_PROBLEM = 'must not name a host of a private network';

export type ParsedOutboundUrl =
  | { readonly ok: true; readonly url: URL }
  | { readonly ok: false; readonly problem: string };

/** Validates the text of a URL without a DNS lookup. `problem` continues a sentence that begins with "the URL". */
export function parseOutboundUrl(text: string, policy: AddressPolicy): ParsedOutboundUrl {
  if (text.length > MAX_URL_LENGTH) return reject(`must be at most ${MAX_URL_LENGTH} characters long`);
  const [, schemeText = '', hostText = '', portText] = URL_PATTERN.exec(text) ?? [];
  if (hostText === '') return reject('must be an https URL without user name, password and fragment');
  const scheme = `${schemeText.toLowerCase()}:` as UrlScheme;
  const host = hostText.toLowerCase();
  const port = portText === undefined ? getDefaultPort(scheme) : Number(portText);
  if (!isPortAllowed(port)) return reject('must not name this port');
  if (scheme === 'http:' && !policy.hasAllowedCidrs) return reject('must be an https URL');
  const hostProblem = findHostProblem(host, scheme, policy);
  if (hostProblem !== undefined) return reject(hostProblem);
  if (!URL.canParse(text)) return reject('must be a URL');
  const url = new URL(text);
  return isParsedAlike(url, scheme, host, port) ? { ok: true, url } : reject(HOST_NAME_PROBLEM);
}

const reject = (problem: string): ParsedOutboundUrl => ({ ok: false, problem });

const getDefaultPort = (scheme: UrlScheme) => (scheme === 'https:' ? 443 : 80);

function findHostProblem(host: string, scheme: UrlScheme, policy: AddressPolicy): string | undefined {
  const address = host.startsWith('[') ? host.slice(1, -1) : host;
  if (isIPv4(address) || (host !== address && isIPv6(address)))
    return policy.isAllowed(address, scheme) ? undefined : PRIVATE_HOST_PROBLEM;
  const labels = host.split('.');
  const isName = host.length <= 253 && labels.every((label) => LABEL_PATTERN.test(label));
  // URL parsers treat a host whose last label starts with a digit as an IPv4 address: 127.1, 0x7f000001, 2130706433.
  if (!isName || !/^[a-z]/.test(labels.at(-1) ?? '')) return HOST_NAME_PROBLEM;
  if (host === 'localhost')
    return policy.listLocalhostAddresses(scheme).length > 0 ? undefined : PRIVATE_HOST_PROBLEM;
  const isPrivateName = labels.length === 1 || PRIVATE_NAME_PATTERN.test(host);
  return isPrivateName && !policy.hasAllowedCidrs ? PRIVATE_HOST_PROBLEM : undefined;
}

/** Whether the WHATWG parser, whose result is connected to, gives the scheme, host and port that were checked. */
function isParsedAlike(url: URL, scheme: UrlScheme, host: string, port: number): boolean {
  const parsedPort = url.port === '' ? getDefaultPort(scheme) : Number(url.port);
  return (
    url.protocol === scheme && parsedPort === port && toCanonicalHost(url.hostname) === toCanonicalHost(host)
  );
}

const toCanonicalHost = (host: string) =>
  host.startsWith('[') ? ipaddr.parse(host.slice(1, -1)).toNormalizedString() : host;
