import { collectDefaultMetrics, Registry } from 'prom-client';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { apps } from '../../../scripts/suite/apps.mjs';
import { root } from '../../../scripts/build/project.mjs';
import type { z } from 'zod';
import {
  externalSecretSchema,
  httpRouteSchema,
  prometheusRuleSchema,
  scaledObjectSchema,
  serviceMonitorSchema,
} from '../support/custom-kinds.js';
import { listKind, listWorkloads, type Manifest, nameOf } from '../support/manifest.js';
import { listMetricsIn } from '../support/metrics-in.js';
import type { Rule } from '../support/rule.js';
import { selects } from '../support/selects.js';

const read = (file: string): string => readFileSync(join(root, file), 'utf8');

const listCustom = <S extends z.ZodType>(manifests: Manifest[], kind: string, schema: S): z.output<S>[] =>
  manifests.filter((manifest) => manifest.kind === kind).map((manifest) => schema.parse(manifest));

/** A ScaledObject replaces the autoscaler of its Deployment. */
const scaledObjectRule: Rule = {
  name: 'scaled-object',
  *check(manifests) {
    for (const { metadata, spec } of listCustom(manifests, 'ScaledObject', scaledObjectSchema)) {
      const target = spec.scaleTargetRef.name;
      const deployment = listKind(manifests, 'Deployment').find((one) => nameOf(one) === target);
      if (deployment === undefined) yield `ScaledObject ${metadata.name}: there is no Deployment ${target}`;
      if (deployment?.spec?.replicas !== undefined)
        yield `ScaledObject ${metadata.name}: ${target} sets replicas`;
      const others = listKind(manifests, 'HorizontalPodAutoscaler').filter(
        (one) => one.spec.scaleTargetRef.name === target,
      );
      if (others.length > 0) yield `ScaledObject ${metadata.name}: an autoscaler scales ${target}, too`;
    }
  },
};

const DOCUMENTED = new Set(
  [...read('docs/operations.md').matchAll(/^\| `([a-z_]+)`/gm)].map(([, name = '']) => name),
);
const isDocumented = (metric: string): boolean =>
  DOCUMENTED.has(metric.replace(/_(?:count|bucket|sum)$/, '')) || DEFAULT_METRICS.has(metric);

/** Metrics that every Node.js process has, which operations.md names by their prefixes. */
const DEFAULT_METRICS = new Set(listDefaultMetrics());

function listDefaultMetrics(): string[] {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return registry.getMetricsAsArray().map(({ name }) => name);
}

const queryRule: Rule = {
  name: 'metric-query',
  *check(manifests) {
    const alerts = listCustom(manifests, 'PrometheusRule', prometheusRuleSchema)
      .flatMap(({ spec }) => spec.groups)
      .flatMap(({ rules }) => rules.map(({ alert, expr }) => ({ where: `alert ${alert}`, query: expr })));
    const triggers = listCustom(manifests, 'ScaledObject', scaledObjectSchema).flatMap(({ metadata, spec }) =>
      spec.triggers.flatMap((trigger) =>
        trigger.type === 'prometheus'
          ? [{ where: `ScaledObject ${metadata.name}`, query: trigger.metadata.query }]
          : [],
      ),
    );
    for (const { where, query } of [...alerts, ...triggers]) {
      const metrics = listMetricsIn(query);
      if (metrics.length === 0) yield `${where} reads no metric`;
      for (const metric of metrics)
        if (!isDocumented(metric)) yield `${where} reads ${metric}, which operations.md does not know`;
    }
  },
};

const runbookRule: Rule = {
  name: 'runbook',
  *check(manifests) {
    const sections = [...read('docs/runbook.md').matchAll(/^## (\w+)$/gm)].map(([, name = '']) => name);
    for (const { spec } of listCustom(manifests, 'PrometheusRule', prometheusRuleSchema)) {
      const alerts = spec.groups.flatMap(({ rules }) => rules);
      for (const { alert, annotations } of alerts)
        if (!sections.includes(alert) || annotations.runbook_url !== `docs/runbook.md#${alert.toLowerCase()}`)
          yield `alert ${alert}: the runbook has no section of this name, or its link goes elsewhere`;
      for (const section of sections)
        if (!alerts.some(({ alert }) => alert === section)) yield `the runbook's ${section} is no alert`;
    }
  },
};

/** The monitor finds every app, at a port that its Service has. */
const monitorRule: Rule = {
  name: 'service-monitor',
  *check(manifests) {
    for (const { metadata, spec } of listCustom(manifests, 'ServiceMonitor', serviceMonitorSchema))
      for (const { app } of listWorkloads(manifests).filter(({ kind }) => kind === 'Deployment')) {
        const service = listKind(manifests, 'Service').find((one) => nameOf(one) === app);
        const ports = (service?.spec?.ports ?? []).map(({ name }) => name);
        if (
          !selects(spec.selector, service?.metadata?.labels ?? {}) ||
          !spec.endpoints.every(({ port }) => ports.includes(port))
        )
          yield `ServiceMonitor ${metadata.name} does not reach ${app}`;
      }
  },
};

const routeRule: Rule = {
  name: 'http-route',
  *check(manifests) {
    for (const { metadata, spec } of listCustom(manifests, 'HTTPRoute', httpRouteSchema)) {
      for (const { name } of spec.parentRefs)
        if (!manifests.some((one) => one.kind === 'Gateway' && one.metadata.name === name))
          yield `HTTPRoute ${metadata.name}: there is no Gateway ${name}`;
      for (const { name, port } of spec.rules.flatMap(({ backendRefs }) => backendRefs)) {
        const service = listKind(manifests, 'Service').find((one) => nameOf(one) === name);
        if (name !== 'gateway' || service?.spec?.ports?.some((one) => one.port === port) !== true)
          yield `HTTPRoute ${metadata.name}: ${name}:${port} is not the gateway`;
      }
    }
  },
};

/** Refuses an overlay with ExternalSecrets where not every Secret that workloads name is made. */
const externalSecretRule: Rule = {
  name: 'external-secret',
  *check(manifests) {
    const made = listCustom(manifests, 'ExternalSecret', externalSecretSchema).map(
      ({ spec }) => spec.target.name,
    );
    if (made.length === 0) return;
    for (const name of [...apps.map((app) => app.name), 'migrate'])
      if (!made.includes(`gatehouse-${name}`)) yield `no ExternalSecret makes gatehouse-${name}`;
  },
};

export const customKindRules = [
  scaledObjectRule,
  queryRule,
  runbookRule,
  monitorRule,
  routeRule,
  externalSecretRule,
];
