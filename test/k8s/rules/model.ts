import type { z } from 'zod';
import { BUILT_IN_KINDS, toModelName } from '../support/built-in-kinds.mjs';
import { customKinds } from '../support/custom-kinds.js';
import { describeManifest, type Manifest } from '../support/manifest.js';
import { hasModel, loadModel } from '../support/model-schemas.js';
import type { Rule } from '../support/rule.js';

/** Unknown fields, wrong types and missing fields, as an API server with strict validation finds them. */
export const modelRule: Rule = {
  name: 'model',
  *check(manifests) {
    for (const manifest of manifests) {
      const where = describeManifest(manifest);
      const { apiVersion, kind } = manifest;
      const custom = customKinds[kind];
      if (custom !== undefined) yield* checkCustom(manifest, custom, where);
      else if (BUILT_IN_KINDS[kind] !== apiVersion)
        yield `${where}: ${apiVersion} ${kind} is no kind that this check knows`;
      else yield* checkType(manifest, toModelName(apiVersion, kind), where);
    }
  },
};

function* checkCustom(manifest: Manifest, schema: z.ZodType, where: string): Generator<string> {
  const { error } = schema.safeParse(manifest);
  for (const { path, message } of error?.issues ?? []) yield `${where}.${path.join('.')}: ${message}`;
}

function* checkType(value: unknown, type: string, where: string): Generator<string> {
  const [, element] = /^(.+)\[\]$/.exec(type) ?? [];
  const [, entry] = /^Record<string, (.+)>$/.exec(type) ?? [];
  if (element !== undefined) yield* checkArray(value, element, where);
  else if (entry !== undefined) yield* checkMap(value, entry, where);
  else if (type in PRIMITIVES) {
    if (PRIMITIVES[type]?.(value) !== true) yield `${where} is not ${type}`;
  } else if (hasModel(type)) yield* checkModel(value, type, where);
  else yield `${where}: the type ${type} is unknown to this check`;
}

const PRIMITIVES: Record<string, (value: unknown) => boolean> = {
  unknown: () => true,
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
