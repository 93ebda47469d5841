import { applyDecorators, SetMetadata } from '@nestjs/common';

export const INTERNAL_METADATA_KEY = 'gatehouse:internal';

/** Marks a controller that only other apps of ours may call. Its paths start with `/internal/`. */
export const Internal = (): ClassDecorator & MethodDecorator =>
  applyDecorators(SetMetadata(INTERNAL_METADATA_KEY, true));
