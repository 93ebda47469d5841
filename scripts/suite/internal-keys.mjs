import { generateKeyPairSync } from 'node:crypto';

/** @import { JsonWebKey } from 'node:crypto' */
/** @typedef {JsonWebKey & { kid: string }} NamedKey a JWK whose `kid` is the app that signs with it */

/**
 * Makes the Ed25519 key with which an app signs what it shows to others.
 * @param {string} app
 * @returns {NamedKey} a private JWK, `kid` is the app
 */
export function makeKey(app) {
  return { ...generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }), kid: app };
}

/** @param {Record<string, NamedKey>} signing @returns {{ keys: NamedKey[] }} the public halves (RFC 7517) */
export function keySetOf(signing) {
  return { keys: Object.values(signing).map(({ kty, crv, x, kid }) => ({ kty, crv, x, kid })) };
}
