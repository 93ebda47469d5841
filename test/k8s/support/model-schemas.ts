import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Field {
  type: string;
  required: boolean;
}

const INTERFACE = /^export interface (?<model>\w+) \{\n(?<body>[^}]*)^\}$/gm;
const FIELD = /^ {2}'?(?<name>[$\w-]+)'?(?<optional>\?)?: (?<type>.+);$/gm;

const loaded = new Map<string, ReadonlyMap<string, Field>>();

/** The fields of official models, read from their declaration (kubernetes-models.d.ts), which alone says what is required. */
function loadModels(): ReadonlyMap<string, ReadonlyMap<string, Field>> {
  if (loaded.size > 0) return loaded;
  const declarations = readFileSync(join(import.meta.dirname, 'kubernetes-models.d.ts'), 'utf8');
  for (const { groups } of declarations.matchAll(INTERFACE))
    loaded.set(groups?.['model'] ?? '', parseFields(groups?.['body'] ?? ''));
  return loaded;
}

/** The fields of a model by name. */
export const loadModel = (model: string): ReadonlyMap<string, Field> => {
  const fields = loadModels().get(model);
  if (fields === undefined) throw new Error(`There is no model ${model} in kubernetes-models.d.ts`);
  return fields;
};

export const hasModel = (model: string): boolean => loadModels().has(model);

function parseFields(body: string): ReadonlyMap<string, Field> {
  const fields = new Map<string, Field>();
  for (const { groups } of body.matchAll(FIELD))
    fields.set(groups?.['name'] ?? '', {
      type: groups?.['type'] ?? '',
      required: groups?.['optional'] === undefined,
    });
  return fields;
}
