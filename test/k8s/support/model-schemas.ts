import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../../scripts/local/project.mjs';

const MODELS = join(root, 'node_modules/@kubernetes/client-node/dist/gen/models');

export interface Field {
  type: string;
  required: boolean;
}

const loaded = new Map<string, ReadonlyMap<string, Field>>();

/** The fields of an official model by name, read from its type declaration, which alone says what is required. */
export function loadModel(model: string): ReadonlyMap<string, Field> {
  const fields = loaded.get(model) ?? parseModel(readFileSync(join(MODELS, `${model}.d.ts`), 'utf8'));
  loaded.set(model, fields);
  return fields;
}

export const hasModel = (model: string): boolean => existsSync(join(MODELS, `${model}.d.ts`));

/** Names that are reserved in JavaScript have an underscore in front. */
const FIELD = /^ {4}'_?(?<name>[$\w-]+)'(?<optional>\?)?: (?<type>(?:[^{;]|\{[^}]*\})+);$/gm;

function parseModel(declaration: string): ReadonlyMap<string, Field> {
  const fields = new Map<string, Field>();
  for (const { groups } of declaration.matchAll(FIELD))
    fields.set(groups?.['name'] ?? '', {
      type: (groups?.['type'] ?? '').replaceAll(/\s+/g, ' '),
      required: groups?.['optional'] === undefined,
    });
  return fields;
}
