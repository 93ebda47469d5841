import type { CallbackDescription } from '@app/openapi';
import { ApiExtension } from '@nestjs/swagger';
import type { z } from 'zod';
import { createSchemaConverter } from './create-schema-converter.js';

/** Documents a request that the operation causes to a URL in its body; `schema` is the callback's body. */
export function Callback(
  schema: z.ZodType,
  description: Omit<CallbackDescription, 'schema' | 'schemas'>,
): MethodDecorator {
  const { schema: body, components } = createSchemaConverter()(schema, { schemaType: 'output' });
  return ApiExtension('x-internal-callback', {
    ...description,
    schema: referToComponents(body),
    schemas: referToComponents(components),
  });
}

/** Nest does this to the schemas that it converts itself. */
const referToComponents = (value: object): object =>
  JSON.parse(JSON.stringify(value).replaceAll('"#/definitions/', '"#/components/schemas/')) as object;
