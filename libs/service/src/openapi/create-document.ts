import {
  type StandardSchemaConverter,
  DocumentBuilder,
  SwaggerModule,
  type OpenAPIObject,
} from '@nestjs/swagger';
import { z } from 'zod';
import type { Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ServiceContextModule } from '../service-context.js';

type JsonSchema = Record<string, unknown>;
type Components = Record<string, JsonSchema>;

/**
 * Converts zod schemas to JSON Schema, with every schema that has an id under `components`. Nest's default converter
 * inlines a named root, and lets the response's form of a schema overwrite the request's.
 * @throws Error when one id has two forms, and for a recursive schema without an id
 */
export function createSchemaConverter() {
  const definitions = new Map<string, string>();

  const checkNames = (components: Components): void => {
    for (const [name, definition] of Object.entries(components)) {
      // zod names a schema within a cycle so, and Nest leaves the references in it as they are.
      if (name.startsWith('__schema')) throw new Error('A recursive schema has no id: give it one');
      const text = JSON.stringify(definition);
      if ((definitions.get(name) ?? text) !== text)
        throw new Error(
          `The schema id ${name} has two forms: give the request and the response separate ids`,
        );
      definitions.set(name, text);
    }
  };

  return ((schema, { schemaType }) => {
    const { properties, ...wrapped } = z.toJSONSchema(z.object({ root: schema as z.ZodType }), {
      target: 'openapi-3.0',
      io: schemaType,
      unrepresentable: 'any',
      override: ({ jsonSchema }) => {
        applyDocumentAs(jsonSchema);
        unwrapReference(jsonSchema);
        // OpenAPI 3.0 lacks this keyword; the format `byte` means the same.
        delete jsonSchema.contentEncoding;
        if (schemaType === 'output') allowMoreFields(jsonSchema);
      },
    });
    const components = (wrapped.definitions ?? {}) as Components;
    checkNames(components);
    return { schema: { ...(properties?.['root'] as JsonSchema) }, components };
  }) satisfies StandardSchemaConverter;
}

/** Replaces an `allOf` of a single reference, which zod writes for a wrapped schema, by the reference. */
function unwrapReference(schema: JsonSchema): void {
  const { allOf, ...others } = schema;
  if (!Array.isArray(allOf) || allOf.length !== 1 || Object.keys(others).length > 0) return;
  const [only] = allOf as [JsonSchema];
  if (Object.keys(only).join() !== '$ref') return;
  delete schema['allOf'];
  Object.assign(schema, only);
}

/** New response fields must not break clients that validate responses. */
function allowMoreFields(schema: JsonSchema): void {
  if (schema['additionalProperties'] === false) delete schema['additionalProperties'];
}

/** `.meta({ documentAs })` documents the logical type of text, such as a number in a query. */
function applyDocumentAs(schema: JsonSchema): void {
  const { documentAs, description, example } = schema;
  if (typeof documentAs !== 'object') return;
  for (const keyword of Object.keys(schema)) Reflect.deleteProperty(schema, keyword);
  Object.assign(schema, documentAs);
  if (description !== undefined) schema['description'] = description;
  if (example !== undefined) schema['example'] = example;
}

function failToStart(): never {
  throw new Error('The app must not start for its OpenAPI document');
}

/** Creates an app's OpenAPI document in Nest's preview mode, which constructs no provider. */
export async function createDocument(module: Type): Promise<OpenAPIObject> {
  const root = ServiceContextModule.forRoot(module, failToStart);
  const app = await NestFactory.create(root, { preview: true, logger: false, abortOnError: false });
  return SwaggerModule.createDocument(app, new DocumentBuilder().setOpenAPIVersion('3.0.3').build(), {
    autoTagControllers: false,
    operationIdFactory: (controller, method) => `${controller}.${method}`,
    standardSchemaConverter: createSchemaConverter(),
  });
}
