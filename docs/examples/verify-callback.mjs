import { createPublicKey, verify } from 'node:crypto';

/**
 * @param {Record<string, string | string[] | undefined>} headers of the request, names in lower case
 * @param {string} body exactly as it arrived, before any parsing
 * @param {{ keys: import('node:crypto').JsonWebKey[] }} keySet of <gateway>/.well-known/jwks.json; keep it for a few minutes
 */
export function verifyCallback(headers, body, keySet, nowSeconds = Date.now() / 1000) {
  const id = headers['x-service-delivery-id']; // remember it for three days: it is the same over all attempts
  const timestamp = headers['x-service-timestamp'];
  if (!(Math.abs(nowSeconds - Number(timestamp)) <= 300)) return false;
  const content = Buffer.from(`${String(id)}.${String(timestamp)}.${body}`);
  const listed = String(headers['x-service-signature'] ?? '');
  const signatures = listed.split(' ').filter((text) => text.startsWith('v1a,'));
  const keys = keySet.keys.filter(({ crv, use }) => crv === 'Ed25519' && use === 'sig');
  return signatures.some((text) =>
    keys.some((key) =>
      verify(null, content, createPublicKey({ key, format: 'jwk' }), Buffer.from(text.slice(4), 'base64')),
    ),
  );
}
