import type { StandardSchemaConverter } from '@nestjs/swagger';
import { z } from 'zod';

type JsonSchema = Record<string, unknown>;
type Components = Record<string, JsonSchema>;

/**
 * zod's own JSON Schema, with every schema that has an id under `components`. Nest's default leaves a named root
 * inline, where clients want its name, and lets an answer's form of a schema overwrite the request's.
 * @throws Error when one id would name two forms
 */
export function createSchemaConverter(): StandardSchemaConverter {
  const seen = new Map<string, string>();

  const checkNames = (components: Components): void => {
    for (const [name, definition] of Object.entries(components)) {
      const text = JSON.stringify(definition);
      if ((seen.get(name) ?? text) !== text) {
        throw new Error(
          `The schema id ${name} names two forms: give the request's and the answer's an id each`,
        );
      }
      seen.set(name, text);
    }
  };

  return (schema, { schemaType }) => {
    const { properties, ...wrapped } = z.toJSONSchema(z.object({ root: schema as z.ZodType }), {
      target: 'openapi-3.0',
      io: schemaType,
      unrepresentable: 'any',
      override: ({ jsonSchema }) => {
        documentAs(jsonSchema);
        // A keyword of JSON Schema that OpenAPI 3.0 does not have; its format `byte` says the same.
        delete jsonSchema.contentEncoding;
        if (schemaType === 'output') allowMoreFields(jsonSchema);
      },
    });
    const components = (wrapped.definitions ?? {}) as Components;
    checkNames(components);
    return { schema: properties?.['root'], components };
  };
}

/** Answers may gain fields without breaking a client that checks them against the document. */
function allowMoreFields(schema: JsonSchema): void {
  if (schema['additionalProperties'] === false) delete schema['additionalProperties'];
}

/** `.meta({ documentAs })` says what a client sends where the wire has only text: a number in a query, for instance. */
function documentAs(schema: JsonSchema): void {
  const { documentAs: shown, description } = schema;
  if (typeof shown !== 'object') return;
  for (const keyword of Object.keys(schema)) Reflect.deleteProperty(schema, keyword);
  Object.assign(schema, shown, description === undefined ? {} : { description });
}
