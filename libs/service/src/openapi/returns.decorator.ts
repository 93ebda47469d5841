import { HttpCode } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';
import type { z } from 'zod';

/** A handler answered something else than its contract says. Its message names fields, never values. */
export class ResponseValidationError extends Error {
  override readonly name = 'ResponseValidationError';

  constructor(handler: string, { issues }: z.ZodError) {
    const found = issues.map(({ path, message }) => `${path.map(String).join('.')}: ${message}`);
    super(`${handler} does not answer as its contract says: ${found.join('; ')}`);
  }
}

export interface ReturnsOptions {
  status?: number;
  description?: string;
  /** The answer is an array of what the schema describes. */
  isArray?: boolean;
}

type Handler = (...args: unknown[]) => unknown;

/**
 * The answer of a handler, said once: documented, and on the way out checked against its schema and stripped of what
 * the schema does not name. An answer of another form is a fault of ours, and a 500.
 */
export function Returns(
  schema: z.ZodType,
  { status = 200, description = '', isArray = false }: ReturnsOptions = {},
): MethodDecorator {
  const answer = isArray ? schema.array() : schema;
  return (target, key, descriptor: PropertyDescriptor) => {
    HttpCode(status)(target, key, descriptor);
    ApiResponse({ status, description, standardSchema: answer })(target, key, descriptor);
    descriptor.value = withResponseValidation(descriptor.value as Handler, answer);
  };
}

/** Takes the handler's place, with its name and with all that other decorators have written on it. */
function withResponseValidation(handler: Handler, answer: z.ZodType): Handler {
  const wrapper = async function (this: unknown, ...args: unknown[]): Promise<unknown> {
    const result = answer.safeParse(await handler.apply(this, args));
    if (!result.success) throw new ResponseValidationError(handler.name, result.error);
    return result.data;
  };
  Object.defineProperty(wrapper, 'name', { value: handler.name });
  for (const key of Reflect.getMetadataKeys(handler) as unknown[]) {
    Reflect.defineMetadata(key, Reflect.getMetadata(key, handler), wrapper);
  }
  return wrapper;
}
