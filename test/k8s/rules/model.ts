import type { z } from 'zod';
import { customKinds } from '../support/custom-kinds.js';
import { describeManifest, type Manifest } from '../support/manifest.js';
import { hasModel, loadModel } from '../support/model-schemas.js';
import type { Rule } from '../support/rule.js';

/** The API versions of built-in kinds; `base`, `local` and `production` hold no others. */
const BUILT_IN = new Map([
  ['ConfigMap', 'v1'],
  ['Deployment', 'apps/v1'],
  ['HorizontalPodAutoscaler', 'autoscaling/v2'],
  ['Ingress', 'networking.k8s.io/v1'],
  ['Job', 'batch/v1'],
  ['Namespace', 'v1'],
  ['NetworkPolicy', 'networking.k8s.io/v1'],
  ['PodDisruptionBudget', 'policy/v1'],
  ['PriorityClass', 'scheduling.k8s.io/v1'],
  ['Service', 'v1'],
  ['ServiceAccount', 'v1'],
]);

/** Unknown fields, wrong types and missing fields, as an API server with strict validation finds them. */
export const modelRule: Rule = {
  name: 'model',
  *check(manifests) {
    for (const manifest of manifests) {
      const where = describeManifest(manifest);
      const { apiVersion, kind } = manifest;
      const custom = customKinds[kind];
      if (custom !== undefined) yield* checkCustom(manifest, custom, where);
      else if (BUILT_IN.get(kind) !== apiVersion)
        yield `${where}: ${apiVersion} ${kind} is no kind that this check knows`;
      else yield* checkType(manifest, toModelName(apiVersion, kind), where);
    }
  },
};

/** `apps/v1` and `Deployment` are V1Deployment. */
const toModelName = (apiVersion: string, kind: string): string =>
  `${apiVersion.replace(/^.*\//, '').replace(/^v/, 'V')}${kind}`;

function* checkCustom(manifest: Manifest, schema: z.ZodType, where: string): Generator<string> {
  const { error } = schema.safeParse(manifest);
  for (const { path, message } of error?.issues ?? []) yield `${where}.${path.join('.')}: ${message}`;
}

function* checkType(value: unknown, type: string, where: string): Generator<string> {
  const [, element] = /^Array<(.+)>$/.exec(type) ?? [];
  const [, entry] = /^\{ \[key: string\]: (.+); \}$/.exec(type) ?? [];
  if (element !== undefined) yield* checkArray(value, element, where);
  else if (entry !== undefined) yield* checkMap(value, entry, where);
  else if (type in PRIMITIVES) {
    if (PRIMITIVES[type]?.(value) !== true) yield `${where} is not ${type}`;
  } else if (hasModel(type)) yield* checkModel(value, type, where);
  else yield `${where}: the type ${type} is unknown to this check`;
}

const PRIMITIVES: Record<string, (value: unknown) => boolean> = {
  any: () => true,
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  Date: (value) => typeof value === 'string' && !Number.isNaN(Date.parse(value)),
  IntOrString: (value) => typeof value === 'string' || Number.isInteger(value),
};

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function* checkArray(value: unknown, element: string, where: string): Generator<string> {
  if (!Array.isArray(value)) yield `${where} is not a list`;
  else for (const [index, item] of value.entries()) yield* checkType(item, element, `${where}[${index}]`);
}

function* checkMap(value: unknown, entry: string, where: string): Generator<string> {
  if (!isObject(value)) yield `${where} is not a map`;
  else for (const [key, item] of Object.entries(value)) yield* checkType(item, entry, `${where}.${key}`);
}

function* checkModel(value: unknown, model: string, where: string): Generator<string> {
  if (!isObject(value)) {
    yield `${where} is not an object`;
    return;
  }
  const fields = loadModel(model);
  for (const [name, item] of Object.entries(value)) {
    const field = fields.get(name);
    if (field === undefined) yield `${where}.${name} is not a field of ${model}`;
    else yield* checkType(item, field.type, `${where}.${name}`);
  }
  for (const [name, { required }] of fields)
    if (required && value[name] === undefined) yield `${where}.${name} is required`;
}
