import { beforeAll, describe, expect, it } from '@jest/globals';
import { PRINCIPAL_HEADER, PRINCIPAL_TOKEN_TYPE, type Principal } from '@app/auth';
import { importJWK, SignJWT } from 'jose';
import { makeSecrets } from '../../scripts/suite/secrets.mjs';
import type { RunningApp } from '../support/running-app.js';
import { GATEWAY_ITSELF, type IdentityUnderTest } from './identity-under-test.js';
import { SignInWorld } from './sign-in-world.js';

const CALLER = {
  kind: 'caller',
  client: { id: 'client_1', ownerId: 'owner_1', plan: 'free' },
  user: { id: 'user_1' },
  scopes: ['token-gating', 'user:read'],
} satisfies Principal;
const ANONYMOUS: Principal = { kind: 'anonymous' };

describe('principal tokens at identity', () => {
  let identity: IdentityUnderTest;
  let app: RunningApp;

  beforeAll(async () => {
    ({ identity, app } = await SignInWorld.lease());
  });

  const withToken = (token: string | undefined, path = '/internal/credentials/changes?after=0') =>
    fetch(app.url + path, { headers: token === undefined ? {} : { [PRINCIPAL_HEADER]: token } });

  async function signed(
    key: object,
    claims: { issuer: string; expires: string; type?: string },
  ): Promise<string> {
    return new SignJWT({ principal: GATEWAY_ITSELF })
      .setProtectedHeader({ alg: 'EdDSA', typ: claims.type ?? PRINCIPAL_TOKEN_TYPE, kid: claims.issuer })
      .setIssuer(claims.issuer)
      .setAudience('identity')
      .setIssuedAt()
      .setExpirationTime(claims.expires)
      .sign(await importJWK(key, 'EdDSA'));
  }

  it('principal tokens at identity: admit the gateway, and reject requests without a valid token', async () => {
    expect((await withToken(await identity.tokenFor(GATEWAY_ITSELF))).status).toBe(200);
    expect((await withToken(undefined)).status).toBe(401);
    expect((await withToken('')).status).toBe(401);
    expect((await withToken('a.b.c')).status).toBe(401);
  });

  it('principal tokens at identity: are rejected when forged, expired, for another service or of another type', async () => {
    const forged = await signed(makeSecrets(['gateway']).signing.gateway ?? {}, {
      issuer: 'gateway',
      expires: '1m',
    });
    expect((await withToken(forged)).status).toBe(401);
    const key = identity.signingKey('gateway');
    expect((await withToken(await signed(key, { issuer: 'gateway', expires: '1m' }))).status).toBe(200);
    expect((await withToken(await signed(key, { issuer: 'gateway', expires: '-1s' }))).status).toBe(401);
    expect(
      (await withToken(await signed(key, { issuer: 'gateway', expires: '1m', type: 'JWT' }))).status,
    ).toBe(401);
    expect((await withToken(await identity.tokenFor(GATEWAY_ITSELF, 'gateway', 'token-gating'))).status).toBe(
      401,
    );
  });

  it('principal tokens at identity: are rejected when another service signs for the gateway or for callers', async () => {
    expect((await withToken(await identity.tokenFor(GATEWAY_ITSELF, 'analytics'))).status).toBe(401);
    expect((await withToken(await identity.tokenFor(CALLER, 'analytics'), '/account/me')).status).toBe(401);
  });

  it('principal tokens at identity: name users without a client application and one operation when identity signs', async () => {
    const { client, ...alone } = CALLER;
    const operation = 'AccountController.getUserProfile';
    const ask = async (principal: Principal, signedFor: string | undefined) =>
      (await withToken(await identity.tokenFor(principal, 'identity', 'identity', signedFor), '/account/me'))
        .status;
    // Authorized, but the user is unknown.
    expect(await ask(alone, operation)).toBe(404);
    expect(await ask(alone, 'AccountController.getWallets')).toBe(403);
    expect(await ask(alone, undefined)).toBe(401);
    expect(await ask({ ...alone, client }, operation)).toBe(401);
    expect(await ask({ kind: 'caller', client, scopes: [] }, operation)).toBe(401);
    expect(await ask(ANONYMOUS, operation)).toBe(401);
    expect(await ask({ kind: 'service', name: 'gateway' }, operation)).toBe(401);
  });

  it('principal tokens at identity: authorize exactly one operation', async () => {
    const ask = async (operation: string | undefined) => {
      const token = await identity.tokenFor(CALLER, 'gateway', 'identity', operation);
      return (await withToken(token, '/account/me')).status;
    };
    // Authorized, but the user is unknown.
    expect(await ask('AccountController.getUserProfile')).toBe(404);
    expect(await ask('AccountController.getWallets')).toBe(403);
    expect(await ask(undefined)).toBe(403);
  });

  it('principal tokens at identity: give callers no internal operations, and services no public ones', async () => {
    for (const principal of [CALLER, ANONYMOUS]) {
      expect((await identity.get('/internal/credentials/changes?after=0', principal)).status).toBe(403);
      expect((await identity.post('/internal/credentials', principal, { apiKey: 'x' })).status).toBe(403);
    }
    expect((await identity.get('/account/me', GATEWAY_ITSELF)).status).toBe(403);
  });
});
