import { referToHeaders, type ResponseHeader } from '@app/openapi';
import { applyDecorators, HttpCode } from '@nestjs/common';
import { ApiResponse, type ApiResponseOptions } from '@nestjs/swagger';
import type { z } from 'zod';

/** A handler's result does not match its schema. The message has field names, but no values. */
class ResponseValidationError extends Error {
  override readonly name = 'ResponseValidationError';

  constructor(handler: string, { issues }: z.ZodError) {
    const problems = issues.map(({ path, message }) => `${path.map(String).join('.')}: ${message}`);
    super(`The response of ${handler} does not match its schema: ${problems.join('; ')}`);
  }
}

interface ReturnsOptions {
  status?: number;
  description?: string;
  /** The response is an array of the schema. */
  isArray?: boolean;
  /** Headers that are sent beside those of every operation. */
  headers?: readonly ResponseHeader[];
}

type Handler = (...args: unknown[]) => unknown;

/**
 * Documents a handler's response and validates it, stripping unknown fields. A result that does not match becomes a 500.
 */
export function Returns(
  schema: z.ZodType,
  { status = 200, description = '', isArray = false, headers = [] }: ReturnsOptions = {},
): MethodDecorator {
  const responseSchema = isArray ? schema.array() : schema;
  return (target, key, descriptor: PropertyDescriptor) => {
    HttpCode(status)(target, key, descriptor);
    ApiResponse({
      status,
      description,
      standardSchema: responseSchema,
      headers: toResponseHeaders(headers),
    })(target, key, descriptor);
    descriptor.value = withResponseValidation(descriptor.value as Handler, responseSchema);
  };
}

/** Nest's type has no references, but its code passes them on. */
export const toResponseHeaders = (names: readonly ResponseHeader[]) =>
  referToHeaders(names) as unknown as ApiResponseOptions['headers'];

/** Documents a success without a body. */
export const ReturnsNothing = (): MethodDecorator =>
  applyDecorators(HttpCode(200), ApiResponse({ status: 200, description: 'Done. There is no body.' }));

/** Wraps the handler, and copies its name and the metadata of other decorators. */
function withResponseValidation(handler: Handler, schema: z.ZodType): Handler {
  const wrapper = async function (this: unknown, ...args: unknown[]): Promise<unknown> {
    const result = schema.safeParse(await handler.apply(this, args));
    if (!result.success) throw new ResponseValidationError(handler.name, result.error);
    return result.data;
  };
  Object.defineProperty(wrapper, 'name', { value: handler.name });
  for (const key of Reflect.getMetadataKeys(handler) as unknown[]) {
    Reflect.defineMetadata(key, Reflect.getMetadata(key, handler), wrapper);
  }
  return wrapper;
}
