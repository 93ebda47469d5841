import { gatewayCaller } from './gateway-caller.mjs';
import { signInWithWallet } from './wallet-sign-in.mjs';

/** @import { Demo } from './demo-client.mjs' */

const TYPE = 'community-membership';
const OWN = '/account/verifiable-credentials';
const SCOPES = ['user:verifiable-credential:read', 'user:verifiable-credential:write'];

/**
 * A public credential that the demo holder is a member of the demo community. It is answered once, so each start issues one and
 * revokes that of the start before.
 * @param {Demo} demo
 * @param {string} communityId
 * @returns {Promise<{ credentialId: string, credential: string }>}
 */
export async function demoCredential(demo, communityId) {
  const { gatewayUrl, holder } = demo;
  const authorization = await signInWithWallet(demo, holder.privateKey, SCOPES);
  const call = gatewayCaller(gatewayUrl, { Authorization: authorization });
  /** @type {{ items: { id: string, type: string, public: boolean, status: string, claims: { communityId?: string } }[] }} */
  const { items } = await call('GET', OWN);
  for (const { id, type, status, claims, public: isPublic } of items)
    if (type === TYPE && isPublic && status === 'valid' && claims.communityId === communityId)
      await call('DELETE', `${OWN}/${id}`);
  const { exportJWK, generateKeyPair, SignJWT } = await import('jose');
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  /** @type {{ issuer: string }} */
  const { issuer } = await call('GET', '/.well-known/jwt-vc-issuer');
  /** @type {{ nonce: string }} */
  const { nonce } = await call('POST', `${OWN}/nonces`);
  const proof = await new SignJWT({ nonce })
    .setProtectedHeader({ alg: 'ES256', typ: 'openid4vci-proof+jwt' })
    .setAudience(issuer)
    .setIssuedAt()
    .sign(privateKey);
  const { kty, crv, x, y } = await exportJWK(publicKey);
  const request = { type: TYPE, communityId, public: true, jwk: { kty, crv, x, y }, proof };
  /** @type {{ id: string, credential: string }} */
  const { id: credentialId, credential } = await call('POST', OWN, request);
  return { credentialId, credential };
}
