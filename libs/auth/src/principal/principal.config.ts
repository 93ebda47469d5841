import { envJson } from '@app/config';
import { z } from 'zod';

const publicJwk = z.object({
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  x: z.string(),
  /** The name of the app that owns this key. */
  kid: z.string(),
});

/** The app's own Ed25519 private key. */
const internalSigningKey = envJson(publicJwk.extend({ d: z.string() })).meta({
  description:
    "Private key of this app, with which it signs its calls of other apps; `kid` is the app's name.",
  format: 'JSON: Ed25519 private key as a JWK',
  secret: true,
});
export type InternalSigningKey = z.output<typeof internalSigningKey>;

/** The public keys of all apps as a JWK set (RFC 7517). */
const internalKeys = envJson(z.object({ keys: z.array(publicJwk).min(1) })).meta({
  description: 'Public keys of all apps, by which calls between them are verified.',
  format: 'JSON: JWK set',
});
export type InternalKeys = z.output<typeof internalKeys>;

/** Configuration of an app that verifies principal tokens. */
export const principalVerifierConfigSchema = z.object({ INTERNAL_KEYS: internalKeys });

/** Configuration of an app that calls other apps. */
export const principalIssuerConfigSchema = z.object({ INTERNAL_SIGNING_KEY: internalSigningKey });
