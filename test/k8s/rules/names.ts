import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { apps } from '../../../scripts/suite/apps.mjs';
import { root } from '../../../scripts/build/project.mjs';
import { customKinds } from '../support/custom-kinds.js';
import { describeManifest, listWorkloads } from '../support/manifest.js';
import type { Rule } from '../support/rule.js';

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };

const CLUSTER_SCOPED = ['Namespace', 'PriorityClass'];
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

const nameRule: Rule = {
  name: 'name',
  *check(manifests) {
    const seen = new Set<string>();
    for (const manifest of manifests) {
      const where = describeManifest(manifest);
      if (!LABEL.test(manifest.metadata.name ?? '')) yield `${where} is not a DNS label`;
      const isNamespaced = !CLUSTER_SCOPED.includes(manifest.kind);
      if (isNamespaced && manifest.metadata.namespace === undefined) yield `${where} has no namespace`;
      if (manifest.metadata.labels?.['app.kubernetes.io/part-of'] !== 'gatehouse')
        yield `${where} has no labels`;
      if (seen.has(where)) yield `${where} exists twice`;
      seen.add(where);
    }
  },
};

/** The images that the build makes, with the version as their tag. */
const imageRule: Rule = {
  name: 'image',
  *check(manifests) {
    const names = [...apps.map(({ name }) => name), 'migrate'];
    for (const { kind, name, app, containers } of listWorkloads(manifests))
      for (const { image = '' } of containers) {
        if (kind === 'Job' && name !== `${app}-${version.replaceAll('.', '-')}`)
          yield `${kind} ${name} is not named after its tag: k8s/migrations/job`;
        if (!names.includes(app)) yield `${kind} ${name}: the build makes no image of ${app}`;
        const wanted = `gatehouse/${app}:${version}`;
        if (image !== wanted)
          yield `${kind} ${name} runs ${image} instead of ${wanted}: k8s/version names the tag`;
      }
  },
};

/** ConfigMaps and priority classes that pods name exist. */
const referenceRule: Rule = {
  name: 'reference',
  *check(manifests) {
    const has = (kind: string, name: string | undefined): boolean =>
      manifests.some((one) => one.kind === kind && one.metadata.name === name);
    for (const { kind, name, template, containers } of listWorkloads(manifests)) {
      const { priorityClassName } = template.spec ?? {};
      // The migrations run in what `npm run gatehouse -- deploy` applied before.
      if (kind === 'Deployment' && !has('PriorityClass', priorityClassName))
        yield `${kind} ${name}: there is no PriorityClass ${priorityClassName ?? ''}`;
      for (const { configMapRef } of containers.flatMap(({ envFrom = [] }) => envFrom))
        if (configMapRef !== undefined && !has('ConfigMap', configMapRef.name))
          yield `${kind} ${name}: there is no ConfigMap ${configMapRef.name ?? ''}`;
    }
  },
};

/** Values that models hold as text, by the name of their field. */
const VALUES: Record<string, string[]> = {
  imagePullPolicy: ['Always', 'IfNotPresent', 'Never'],
  operator: ['In', 'NotIn', 'Exists', 'DoesNotExist'],
  pathType: ['Exact', 'Prefix', 'ImplementationSpecific'],
  protocol: ['TCP', 'UDP', 'SCTP'],
  restartPolicy: ['Always', 'OnFailure', 'Never'],
  unhealthyPodEvictionPolicy: ['IfHealthyBudget', 'AlwaysAllow'],
  whenUnsatisfiable: ['DoNotSchedule', 'ScheduleAnyway'],
};

const valueRule: Rule = {
  name: 'enumeration',
  *check(manifests) {
    for (const manifest of manifests)
      if (!(manifest.kind in customKinds)) yield* checkValues(manifest, describeManifest(manifest));
  },
};

function* checkValues(value: unknown, where: string): Generator<string> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, item] of Object.entries(value)) {
    if (typeof item === 'string' && VALUES[key]?.includes(item) === false)
      yield `${where}.${key} is ${item}, but must be one of ${VALUES[key].join(', ')}`;
    yield* checkValues(item, `${where}.${key}`);
  }
}

export const nameRules = [nameRule, imageRule, referenceRule, valueRule];
