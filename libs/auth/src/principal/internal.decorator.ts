import { applyDecorators, SetMetadata } from '@nestjs/common';

export const INTERNAL_METADATA_KEY = 'gatehouse:internal';

/** Marks a controller for calls of internal services. Its paths start with `/internal/`. */
export const Internal = (): ClassDecorator & MethodDecorator =>
  applyDecorators(SetMetadata(INTERNAL_METADATA_KEY, true));
