import { createPublicKey, verify } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PRINCIPAL_HEADER } from '@app/auth';
import { callbackKeySet } from '@app/dto';
import { decodeJwt } from 'jose';
import { echoServer, type EchoServer, type SeenRequest } from '../support/echo-server.js';
import { freshDatabase, type FreshDatabase } from '../support/fresh-database.js';
import { runningApp, type RunningApp } from '../support/running-app.js';
import { until } from '../support/until.js';
import { leaseEchoedGateway } from '../gateway/echoed-gateway.js';
import { identityUnderTest, type IdentityUnderTest } from './identity-under-test.js';

const key = (letter: string) => ({
  kty: 'OKP',
  crv: 'Ed25519',
  alg: 'EdDSA',
  use: 'sig',
  kid: letter.repeat(43),
  x: letter.repeat(43),
});

describe('the published key set', () => {
  let database: FreshDatabase;
  let identity: IdentityUnderTest;
  let tokenGating: EchoServer;
  let app: RunningApp;

  beforeAll(async () => {
    database = await freshDatabase('identity');
    tokenGating = await echoServer();
  });

  afterAll(async () => {
    await tokenGating.stop();
    await database.drop();
  });

  const start = async () => {
    identity = await identityUnderTest(database.url, { TOKEN_GATING_URL: tokenGating.url });
    app = await runningApp('identity', identity.env);
  };

  const answerWith = (status: number, body: string) => {
    tokenGating.answerWith((_request, response) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(body);
    });
  };

  const keySet = async () => {
    const response = await identity.get('/.well-known/jwks.json', { kind: 'anonymous' });
    expect(response.status).toBe(200);
    const { keys } = (await response.json()) as { keys: { kid: string; alg: string }[] };
    // The token keys are identity's own and always present.
    const own = keys.filter(({ alg }) => alg !== 'EdDSA');
    expect(own.map(({ alg }) => alg).sort()).toEqual(['ES256', 'ES256', 'RS256']);
    const others = keys.filter((jwk) => !own.includes(jwk));
    return { cache: response.headers.get('cache-control'), keys: others };
  };

  it('published key set: includes the callback keys, loaded once for concurrent requests', async () => {
    answerWith(200, JSON.stringify({ keys: [{ ...key('a'), d: 'secret' }] }));
    await start();
    const expected = { cache: 'public, max-age=300', keys: [key('a')] };
    const answers = await Promise.all(Array.from({ length: 20 }, keySet));
    for (const answer of answers) expect(answer).toEqual(expected);
    expect(tokenGating.seen.map(({ method, url }) => `${method} ${url}`)).toEqual(['GET /internal/jwks']);
    const [{ headers }] = tokenGating.seen as [SeenRequest];
    expect(decodeJwt(String(headers[PRINCIPAL_HEADER]))).toMatchObject({
      iss: 'identity',
      aud: 'token-gating',
      principal: { kind: 'service', name: 'identity' },
    });
    expect(await app.stop()).toBe(0);
  });

  describe('of an app that has loaded no callback key', () => {
    beforeAll(start);
    afterAll(async () => {
      expect(await app.stop()).toBe(0);
    });

    /** The keys are asked for until token-gating was, which an app asks at most every two seconds. */
    const expectNone = async (): Promise<void> => {
      const before = tokenGating.seen.length;
      await until('token-gating was asked', async () => {
        expect(await keySet()).toEqual({ cache: 'no-store', keys: [] });
        return tokenGating.seen.length > before;
      });
    };

    it.each([
      ['is unavailable', 503, '{}'],
      ['redirects', 302, '{}'],
      ['does not answer with JSON', 200, '<html>'],
      ['answers too much', 200, JSON.stringify({ keys: [], x: 'x'.repeat(100_000) })],
      [
        'offers a key with the algorithm of tokens',
        200,
        JSON.stringify({ keys: [{ ...key('b'), alg: 'ES256' }] }),
      ],
    ])(
      'published key set, of an app that has loaded no callback key: is not cacheable while token-gating %s',
      async (_, status, body) => {
        answerWith(status, body);
        await expectNone();
      },
    );

    it('published key set, of an app that has loaded no callback key: is served while token-gating does not answer', async () => {
      tokenGating.answerWith(() => undefined);
      await expectNone();
    });
  });
});

it('published key set: is served by the gateway with real keys', async () => {
  const { suite } = await leaseEchoedGateway();
  const response = await fetch(`${suite.gatewayUrl}/.well-known/jwks.json`);
  const published = (await response.json()) as { keys: { alg: string; kid: string }[] };
  expect(published.keys).toHaveLength(5);
  expect(published.keys.filter(({ kid }) => kid.startsWith('asset-claim-'))).toHaveLength(1);
  const { keys } = callbackKeySet.parse({ keys: published.keys.filter(({ alg }) => alg === 'EdDSA') });
  expect(keys).toHaveLength(1);
  for (const { kty, crv, x } of keys) {
    const publicKey = createPublicKey({ key: { kty, crv, x }, format: 'jwk' });
    expect(verify(null, Buffer.from('x'), publicKey, Buffer.alloc(64))).toBe(false);
  }
  expect((await fetch(`${suite.gatewayUrl}/internal/jwks`)).status).toBe(404);
});
