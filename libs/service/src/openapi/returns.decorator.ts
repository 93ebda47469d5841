import { applyDecorators, HttpCode, SerializeOptions } from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';
import type { z } from 'zod';

export interface ReturnsOptions {
  status?: number;
  description?: string;
  /** The answer is an array of what the schema describes. */
  isArray?: boolean;
}

/** The answer of a handler, said once: validated and stripped on the way out, and documented. */
export function Returns(
  schema: z.ZodType,
  { status = 200, description = '', isArray = false }: ReturnsOptions = {},
) {
  return applyDecorators(
    HttpCode(status),
    SerializeOptions({ schema }),
    ApiResponse({ status, description, standardSchema: isArray ? schema.array() : schema }),
  );
}
