import { configClass, envInteger } from '@app/config';
import { databaseConfigSchema } from '@app/database';
import { sharedStateConfigSchema } from '@app/shared-state';
import { z } from 'zod';

const PEPPER_BYTES = 32;

const pepper = z
  .base64url()
  .transform((text) => Buffer.from(text, 'base64url'))
  .refine((bytes) => bytes.length >= PEPPER_BYTES, `must be at least ${PEPPER_BYTES} bytes`);

export const identityConfigSchema = databaseConfigSchema.extend({
  /** Gateways are told over it that credentials have changed. */
  ...sharedStateConfigSchema.shape,
  /** What a statement may take before the server ends it and the request is answered 503. */
  DATABASE_STATEMENT_TIMEOUT_MS: envInteger(100, 14_000).default(5_000),
  /** Key of the HMAC that credentials are stored under: who has the database alone can check no guess. */
  CREDENTIAL_PEPPER: pepper,
  /** Stands in every credential, so that a key of one deployment is seen not to belong to another. */
  CREDENTIAL_ENVIRONMENT: z.string().regex(/^[a-z]{1,16}$/, 'must be 1 to 16 lower-case letters'),
});

export class IdentityConfig extends configClass(identityConfigSchema) {}
