import { envJson } from '@app/config';
import { z } from 'zod';

const publicJwk = z.object({
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  x: z.string(),
  /** The name of the app that owns this key. */
  kid: z.string(),
});

/** `INTERNAL_SIGNING_KEY`: the app's own Ed25519 private key as a JWK. */
const internalSigningKey = envJson(publicJwk.extend({ d: z.string() }));
export type InternalSigningKey = z.output<typeof internalSigningKey>;

/** `INTERNAL_KEYS`: the public keys of all apps as a JWK set (RFC 7517). */
const internalKeys = envJson(z.object({ keys: z.array(publicJwk).min(1) }));
export type InternalKeys = z.output<typeof internalKeys>;

/** Configuration of an app that verifies principal tokens. */
export const principalVerifierConfigSchema = z.object({ INTERNAL_KEYS: internalKeys });

/** Configuration of an app that calls other apps. */
export const principalIssuerConfigSchema = z.object({ INTERNAL_SIGNING_KEY: internalSigningKey });
