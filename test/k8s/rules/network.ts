import ipaddr from 'ipaddr.js';
import { isDeepStrictEqual } from 'node:util';
import { listEnvironment } from '../support/environment.js';
import { listKind, listWorkloads, nameOf } from '../support/manifest.js';
import { type Access, type AllowedPair, isInside, listAccess, listPairs } from '../support/network-access.js';
import { type OutsidePeer, permitted } from '../support/permitted-pairs.js';
import type { Rule } from '../support/rule.js';
import { selects } from '../support/selects.js';

const isSame = (one: AllowedPair, other: AllowedPair): boolean =>
  one.from === other.from && one.to === other.to && one.port === other.port;

/** Every permitted pair has both ends, and no other pair has one. */
const pairRule: Rule = {
  name: 'network-pair',
  *check(manifests) {
    const workloads = listWorkloads(manifests);
    const access = listAccess(manifests);
    const egress = listPairs(access, workloads, 'egress');
    const ingress = listPairs(access, workloads, 'ingress');
    const wanted = permitted.pairs
      .filter(({ from, to }) => [from, to].every((app) => workloads.some((one) => one.app === app)))
      .map(({ from, to }) => ({ policy: '', from, to, port: 'http' }));
    for (const pair of wanted) {
      const name = `${pair.from} → ${pair.to}`;
      if (!egress.some((one) => isSame(one, pair))) yield `${name}: no policy of ${pair.from} allows it`;
      if (!ingress.some((one) => isSame(one, pair))) yield `${name}: no policy of ${pair.to} allows it`;
    }
    for (const pair of [...egress, ...ingress])
      if (!wanted.some((one) => isSame(one, pair)))
        yield `NetworkPolicy ${pair.policy}: ${pair.from} → ${pair.to}:${pair.port} is not a permitted pair`;
  },
};

/** What an app is told to ask is a permitted pair. */
const urlRule: Rule = {
  name: 'network-url',
  *check(manifests) {
    const workloads = listWorkloads(manifests);
    for (const workload of workloads)
      for (const { name, value } of listEnvironment(manifests, workload)) {
        const [, host] = /^http:\/\/([a-z-]+)(?::\d+)?$/.exec(value ?? '') ?? [];
        const isApp = workloads.some(({ app }) => app === host);
        if (isApp && !permitted.pairs.some(({ from, to }) => from === workload.app && to === host))
          yield `${workload.app}: ${name} is ${value ?? ''}, which is no permitted pair`;
      }
  },
};

/** Everything outside is a row of the table, exactly. */
const peerRule: Rule = {
  name: 'network-peer',
  *check(manifests) {
    const access = listAccess(manifests).filter(({ peers }) => peers.length === 0 || !peers.every(isInside));
    for (const one of access)
      if (!permitted.peers.some((row) => isRowOf(row, one)))
        yield `NetworkPolicy ${one.policy}: ${one.direction} of ${one.app} is not in permitted-pairs.yaml`;
    const apps = new Set(listWorkloads(manifests).map(({ app }) => app));
    for (const row of permitted.peers.filter(({ optional }) => optional !== true))
      for (const app of row.apps.filter((name) => apps.has(name)))
        if (!access.some((one) => one.app === app && isRowOf(row, one)))
          yield `${app} → ${row.name}: no policy allows it`;
  },
};

const isRowOf = ({ direction, apps, to, ports }: OutsidePeer, access: Access): boolean =>
  direction === access.direction &&
  apps.includes(access.app) &&
  isDeepStrictEqual([to, ports], [access.peers, access.ports]);

/** Every pod is isolated in both directions. The policies of the migrations stand alone before the first overlay. */
const defaultDenyRule: Rule = {
  name: 'network-default-deny',
  *check(manifests) {
    const policies = listKind(manifests, 'NetworkPolicy');
    for (const { app, labels } of listWorkloads(manifests))
      for (const type of ['Ingress', 'Egress'])
        if (
          !policies.some(
            ({ spec }) => spec?.policyTypes?.includes(type) === true && selects(spec.podSelector, labels),
          )
        )
          yield `${app}: no NetworkPolicy isolates it (${type})`;
    if (listKind(manifests, 'Deployment').length > 0 && !policies.some(deniesAll))
      yield 'no NetworkPolicy denies everything to all pods of the namespace';
  },
};

const deniesAll = ({ spec }: ReturnType<typeof listKind<'NetworkPolicy'>>[number]): boolean =>
  isDeepStrictEqual(spec, { podSelector: {}, policyTypes: ['Ingress', 'Egress'] });

/** Private, shared (CGNAT), link-local and loopback addresses, cloud metadata among them. */
const NOT_PUBLIC = [
  '10.1.2.3',
  '100.64.1.1',
  '127.0.0.1',
  '169.254.169.254',
  '172.31.255.254',
  '192.168.1.1',
  '::1',
  'fd00:ec2::254',
  'fe80::1',
  '64:ff9b::a00:1',
].map((text) => ipaddr.parse(text));

/** A block that holds public addresses must not hold others. */
const publicEgressRule: Rule = {
  name: 'network-public-egress',
  *check(manifests) {
    for (const policy of listKind(manifests, 'NetworkPolicy'))
      for (const { cidr, except = [] } of (policy.spec?.egress ?? [])
        .flatMap(({ to = [] }) => to)
        .flatMap(({ ipBlock }) => (ipBlock?.cidr.endsWith('/0') === true ? [ipBlock] : [])))
        for (const address of NOT_PUBLIC)
          if (isIn(address, cidr) && !except.some((block) => isIn(address, block)))
            yield `NetworkPolicy ${nameOf(policy)} allows ${address.toString()}`;
  },
};

function isIn(address: (typeof NOT_PUBLIC)[number], cidr: string): boolean {
  const [block, length] = ipaddr.parseCIDR(cidr);
  return address.kind() === block.kind() && address.match(block, length);
}

export const networkRules = [pairRule, urlRule, peerRule, defaultDenyRule, publicEgressRule];
