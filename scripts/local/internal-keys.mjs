import { generateKeyPairSync } from 'node:crypto';

/** Makes the Ed25519 key with which an app signs what it shows to others. @returns {object} a private JWK, `kid` is the app */
export function makeKey(app) {
  return { ...generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }), kid: app };
}

/** @returns {{ keys: object[] }} the public halves (RFC 7517) */
export function keySetOf(signing) {
  return { keys: Object.values(signing).map(({ kty, crv, x, kid }) => ({ kty, crv, x, kid })) };
}
