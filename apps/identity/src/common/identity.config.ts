import { createConfigClass, redisConfigSchema, publicUrlsConfigSchema } from '@app/config';
import { serviceDatabaseConfigSchema } from '@app/database';
import { z } from 'zod';

const MIN_PEPPER_BYTES = 32;

const pepper = z
  .base64url()
  .transform((text) => Buffer.from(text, 'base64url'))
  .refine((bytes) => bytes.length >= MIN_PEPPER_BYTES, `must be at least ${MIN_PEPPER_BYTES} bytes`)
  .meta({ format: `at least ${MIN_PEPPER_BYTES} random bytes in base64url`, secret: true });

export const identityConfigSchema = serviceDatabaseConfigSchema.extend({
  /** Redis carries the notifications of changed credentials to gateways. */
  ...redisConfigSchema.shape,
  CREDENTIAL_PEPPER: pepper.describe(
    'HMAC key under which API keys and client secrets are stored. Without it a copy of the database cannot be used to verify guesses.',
  ),
  CREDENTIAL_ENVIRONMENT: z
    .string()
    .regex(/^[a-z]{1,16}$/, 'must be 1 to 16 lower-case letters')
    .meta({
      description:
        'Part of every API key, such as `live`, so that a key of another deployment is recognised by sight.',
      format: '1 to 16 lower-case letters',
    }),
});

export class IdentityConfig extends createConfigClass(identityConfigSchema) {}

export class PublicUrlsConfig extends createConfigClass(publicUrlsConfigSchema) {
  get authUrl(): string {
    return this.AUTH_URL ?? this.PUBLIC_URL;
  }
}
