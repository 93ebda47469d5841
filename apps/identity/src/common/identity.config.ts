import { redisConfigSchema } from '@app/config';
import { createConfigClass } from '@app/config';
import { serviceDatabaseConfigSchema } from '@app/database';

import { z } from 'zod';

const MIN_PEPPER_BYTES = 32;

const pepper = z
  .base64url()
  .transform((text) => Buffer.from(text, 'base64url'))
  .refine((bytes) => bytes.length >= MIN_PEPPER_BYTES, `must be at least ${MIN_PEPPER_BYTES} bytes`);

export const identityConfigSchema = serviceDatabaseConfigSchema.extend({
  /** Gateways are told over it that credentials have changed. */
  ...redisConfigSchema.shape,
  /** Key of the HMAC that credentials are stored under: who has the database alone can check no guess. */
  CREDENTIAL_PEPPER: pepper,
  /** Stands in every credential, so that a key of one deployment is seen not to belong to another. */
  CREDENTIAL_ENVIRONMENT: z.string().regex(/^[a-z]{1,16}$/, 'must be 1 to 16 lower-case letters'),
});

export class IdentityConfig extends createConfigClass(identityConfigSchema) {}
