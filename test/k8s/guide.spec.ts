import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { root } from '../../scripts/build/project.mjs';
import { describeWithKubectl } from '../support/needs.js';
import { buildManifests } from './support/build-manifests.js';
import { listKind, listWorkloads, nameOf } from './support/manifest.js';
import { parseQuantity } from './support/quantity.js';

const MEBIBYTE = 2 ** 20;

const findRow = (guide: string, first: string): string => {
  const rows = readFileSync(join(root, 'docs/guides', guide), 'utf8').split('\n');
  const row = rows.find((line) => line.startsWith(`| ${first} `));
  if (row === undefined) throw new Error(`${guide} has no row "${first}"`);
  return row;
};

/** What is admitted: the second cell. */
const readAdmitted = (peer: string): string => findRow('kubernetes.md', peer).split(' | ')[1] ?? '';
const readQuoted = (text: string): string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word);

/** A platform engineer opens a firewall by these pages, and looks there for why a peer is blocked. */
describeWithKubectl('the pages about Kubernetes', () => {
  const findPolicy = (folder: string, name: string) => {
    const policy = listKind(buildManifests(folder), 'NetworkPolicy').find((one) => nameOf(one) === name);
    if (policy === undefined) throw new Error(`${folder} has no NetworkPolicy ${name}`);
    return policy;
  };
  const readEgressPorts = (name: string) =>
    (findPolicy('overlays/production', name).spec?.egress ?? []).flatMap(({ ports = [] }) =>
      ports.map(({ port }) => Number(port)),
    );

  it('kubernetes.md: names the namespaces of ingress controllers that the policy admits', () => {
    const { spec } = findPolicy('overlays/production', 'ingress-controller');
    const admitted = (spec?.ingress ?? []).flatMap(({ from = [] }) =>
      from.flatMap(({ namespaceSelector }) =>
        (namespaceSelector?.matchExpressions ?? []).flatMap(({ values = [] }) => values),
      ),
    );
    expect(readQuoted(readAdmitted('ingress controllers')).toSorted()).toEqual(admitted.toSorted());
  });

  it('kubernetes.md: names the ports of PostgreSQL and Redis that the policies admit', () => {
    const [postgresql = '', redis = ''] = readAdmitted('PostgreSQL, Redis').split(';');
    const toPorts = (text: string) => (text.match(/\d+/g) ?? []).map(Number);
    expect(toPorts(postgresql)).toEqual(readEgressPorts('postgresql'));
    expect(toPorts(redis)).toEqual(readEgressPorts('redis'));
  });

  it.each([
    ['overlays/production', 'dns'],
    ['migrations', 'migrate'],
  ])(
    'kubernetes.md: names the DNS servers that %s admits: pods, NodeLocal DNSCache and OpenShift',
    (folder, name) => {
      const admitted = readAdmitted('DNS');
      const policy = JSON.stringify(findPolicy(folder, name).spec?.egress);
      for (const word of ['kube-dns', 'node-local-dns', '169.254.20.10', 'openshift-dns', '5353']) {
        expect(admitted).toContain(word);
        expect(policy).toContain(word);
      }
    },
  );

  it('kubernetes.md: names the label by which the chart of Prometheus finds what the component monitoring brings', () => {
    const guide = readFileSync(join(root, 'docs/guides/kubernetes.md'), 'utf8');
    const found = buildManifests('overlays/example-monitoring').filter(({ kind }) =>
      ['ServiceMonitor', 'PrometheusRule'].includes(kind),
    );
    expect(found.map(({ kind }) => kind).toSorted()).toEqual(['PrometheusRule', 'ServiceMonitor']);
    for (const { metadata } of found)
      expect(guide).toContain(`\`release: ${metadata.labels?.['release'] ?? 'missing'}\``);
  });

  it('scaling.md: has the memory that each app requests, and its limit, and none requests less than was measured', () => {
    for (const { app, kind, containers } of listWorkloads(buildManifests('overlays/production'))) {
      if (kind !== 'Deployment') continue;
      const [, measured, request, limit] = (
        /\| (\d+), (\d+), (\d+) MiB/.exec(findRow('scaling.md', app)) ?? []
      ).map(Number);
      const { requests, limits } = containers[0]?.resources ?? {};
      const inMebibytes = (quantity = '0') => (parseQuantity(quantity) ?? NaN) / MEBIBYTE;
      expect([app, request, limit]).toEqual([
        app,
        inMebibytes(requests?.['memory']),
        inMebibytes(limits?.['memory']),
      ]);
      expect(request).toBeGreaterThanOrEqual(measured ?? Infinity);
    }
  });
});
