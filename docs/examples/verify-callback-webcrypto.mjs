/** @param {string} base64 */
const bytesOf = (base64) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));

/**
 * @param {Headers} headers of the request
 * @param {string} body exactly as it arrived, before any parsing
 * @param {{ keys: { kty?: string, crv?: string, x?: string, use?: string }[] }} keySet of <gateway>/.well-known/jwks.json; keep it for a few minutes
 */
export async function verifyWebhook(headers, body, keySet, nowSeconds = Date.now() / 1000) {
  const timestamp = headers.get('webhook-timestamp');
  if (timestamp === null || !(Math.abs(nowSeconds - Number(timestamp)) <= 300)) return false;
  const content = new TextEncoder().encode(`${headers.get('webhook-id')}.${timestamp}.${body}`);
  const listed = headers.get('webhook-signature') ?? '';
  const signatures = listed.split(' ').filter((text) => text.startsWith('v1a,'));
  for (const { kty, crv, x, use } of keySet.keys) {
    if (crv !== 'Ed25519' || use !== 'sig') continue;
    const key = await crypto.subtle.importKey('jwk', { kty, crv, x }, 'Ed25519', false, ['verify']);
    for (const text of signatures)
      if (await crypto.subtle.verify('Ed25519', key, bytesOf(text.slice(4)), content)) return true;
  }
  return false;
}
