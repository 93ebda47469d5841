import {
  ANSWERING_VARIABLES,
  isNamed,
  readConfigurationTable,
  type Variable,
} from '../support/configuration-table.js';
import { listEnvironment } from '../support/environment.js';
import { listWorkloads, type Manifest } from '../support/manifest.js';
import type { Rule } from '../support/rule.js';

const table = readConfigurationTable();
/** Read by Node itself. */
const NAMES_OF_NODE = ['NODE_EXTRA_CA_CERTS'];
/** The migrations of all apps run in one image, which needs their databases only. */
const MIGRATE: Variable[] = [
  { name: 'DATABASE_URL', format: '`postgres://…`', required: true, secret: true, mayBeSecret: false },
];
const listKnown = (app: string): Variable[] => table.get(app) ?? (app === 'migrate' ? MIGRATE : []);

const listSettings = (manifests: Manifest[]) =>
  listWorkloads(manifests).map((workload) => ({
    where: `${workload.kind} ${workload.name}`,
    app: workload.app,
    known: listKnown(workload.app),
    set: listEnvironment(manifests, workload),
  }));

const knownRule: Rule = {
  name: 'variable-known',
  *check(manifests) {
    for (const { where, app, known, set } of listSettings(manifests))
      for (const { name } of set)
        if (!NAMES_OF_NODE.includes(name) && !known.some((variable) => isNamed(variable, name)))
          yield `${where}: ${app} does not read ${name} (docs/configuration.md)`;
  },
};

const requiredRule: Rule = {
  name: 'variable-required',
  *check(manifests) {
    for (const { where, known, set } of listSettings(manifests))
      for (const { name } of known.filter(({ required }) => required))
        if (!set.some((variable) => variable.name === name || variable.name === `${name}_FILE`))
          yield `${where}: ${name} is required and not set: add it to k8s/base`;
  },
};

const answeringRule: Rule = {
  name: 'variable-answering',
  *check(manifests) {
    for (const { where, app, set } of listSettings(manifests))
      for (const name of ANSWERING_VARIABLES[app] ?? [])
        if (!set.some((variable) => variable.name === name && variable.value !== ''))
          yield `${where}: without ${name} operations answer nothing: set it in k8s/base`;
  },
};

const valueRule: Rule = {
  name: 'variable-value',
  *check(manifests) {
    for (const { where, known, set } of listSettings(manifests))
      for (const { name, value } of set) {
        const format = known.find((variable) => isNamed(variable, name))?.format;
        if (
          value !== undefined &&
          format !== undefined &&
          !name.endsWith('_FILE') &&
          !hasFormat(value, format)
        )
          yield `${where}: ${name} is ${value}, but must be ${format}`;
      }
  },
};

/** Checks ranges, choices and origins; other formats are left to the app, which exits with code 78. */
function hasFormat(value: string, format: string): boolean {
  const range = /^(?:milliseconds|seconds|whole number), (\d+)(?: \([^)]*\))? to (\d+)/.exec(format);
  if (range)
    return /^\d+$/.test(value) && Number(value) >= Number(range[1]) && Number(value) <= Number(range[2]);
  if (/^`[\w-]+`(?:, `[\w-]+`)+$/.test(format)) return format.includes(`\`${value}\``);
  if (format === 'http(s) origin without a path') return /^https?:\/\/[\w.-]+(?::\d+)?$/.test(value);
  return true;
}

/** Secrets come from the Secret of their app, under their own name. */
const secretRule: Rule = {
  name: 'variable-secret',
  *check(manifests) {
    for (const { where, app, known, set } of listSettings(manifests))
      for (const { name, value, secret } of set) {
        const isFile = name.endsWith('_FILE');
        if (
          value !== undefined &&
          !isFile &&
          known.some((variable) => variable.secret && isNamed(variable, name))
        )
          yield `${where}: the value of ${name} stands in the manifest`;
        if (secret !== undefined && (secret.name !== `gatehouse-${app}` || secret.key !== name))
          yield `${where}: ${name} must come from ${name} of the Secret gatehouse-${app}`;
      }
  },
};

/** A secret that no manifest names never reaches a pod, whatever the Secret holds. REDIS_URL belongs to a component. */
const secretReachesRule: Rule = {
  name: 'variable-secret-reaches',
  *check(manifests) {
    for (const workload of listWorkloads(manifests)) {
      const where = `${workload.kind} ${workload.name}`;
      const set = listEnvironment(manifests, workload).map(({ name }) => name);
      const known = listKnown(workload.app);
      for (const { name } of known.filter((variable) => variable.secret && variable.name !== 'REDIS_URL'))
        if (!set.includes(name) && !set.includes(`${name}_FILE`))
          yield `${where}: ${name} of the Secret gatehouse-${workload.app} is not read: add an optional secretKeyRef`;
      const takesNodes = workload.containers.some(({ envFrom = [] }) =>
        envFrom.some(({ secretRef }) => secretRef?.name === 'gatehouse-nodes'),
      );
      if (known.some(({ mayBeSecret }) => mayBeSecret) && !takesNodes)
        yield `${where}: URLs with a key need the Secret gatehouse-nodes`;
    }
  },
};

const duplicateRule: Rule = {
  name: 'variable-duplicate',
  *check(manifests) {
    for (const { kind, name: workload, containers } of listWorkloads(manifests))
      for (const { env = [] } of containers) {
        const names = env.map(({ name }) => name);
        for (const name of names.filter((one, index) => names.indexOf(one) !== index))
          yield `${kind} ${workload} sets ${name} twice`;
      }
  },
};

/** Apps with different backends do not see each other's jobs. */
const backendRule: Rule = {
  name: 'variable-redis',
  *check(manifests) {
    const apps = listSettings(manifests).filter(({ known }) =>
      known.some(({ name }) => name === 'REDIS_URL'),
    );
    const without = apps.filter(({ set }) => !set.some(({ name }) => name === 'REDIS_URL'));
    if (without.length < apps.length)
      for (const { where } of without) yield `${where}: REDIS_URL is not set, but other apps have it`;
  },
};

export const environmentRules = [
  knownRule,
  requiredRule,
  answeringRule,
  valueRule,
  secretRule,
  secretReachesRule,
  duplicateRule,
  backendRule,
];
