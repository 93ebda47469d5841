import { beforeAll, describe, expect, it } from '@jest/globals';
import { envelopeOf } from '../support/envelope.js';
import { type Application, basic, CALLBACK, OAuthWorld, proofKey } from './oauth-world.js';

const OWN = { grant_type: 'client_credentials' };

describe('the rate limit of a client application', () => {
  let world: OAuthWorld;
  let shop: Application;
  let twin: Application;
  let stranger: Application;

  beforeAll(async () => {
    world = await OAuthWorld.lease();
    [shop, twin, stranger] = await Promise.all([
      world.application(),
      world.application(),
      world.application(),
    ]);
    // The first two belong to one tenant, whose plan allows three requests per second.
    await world.query(
      `UPDATE identity.client_applications SET owner_id = (
         SELECT owner_id FROM identity.client_applications WHERE id = $1) WHERE id = $2`,
      [shop.clientId, twin.clientId],
    );
    await allow(shop, 3);
  });

  const allow = ({ clientId }: Application, perSecond: number) =>
    world.query(
      `UPDATE identity.plan_holders SET per_second = $2 WHERE id = (
         SELECT owner_id FROM identity.client_applications WHERE id = $1)`,
      [clientId, perSecond],
    );

  const ask = (application: Application) =>
    world.post('/oauth2/token', OWN, { authorization: basic(application) });
  const statusesOf = (answers: Response[]) => answers.map(({ status }) => status).sort();

  it('rate limit of a client application: counts over all applications of a tenant', async () => {
    const began = performance.now();
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) => ask(index % 2 === 0 ? shop : twin)),
    );
    const seconds = Math.ceil((performance.now() - began) / 1_000);
    const granted = answers.filter(({ status }) => status === 200);
    expect(granted.length).toBeGreaterThanOrEqual(3);
    expect(granted.length).toBeLessThanOrEqual(3 * seconds);
    const refused = answers.filter(({ status }) => status === 429);
    expect(granted.length + refused.length).toBe(40);
    for (const response of refused) {
      expect(response.headers.get('retry-after')).toBe('1');
      expect(await response.json()).toEqual({
        error: 'temporarily_unavailable',
        error_description: 'The rate limit of 3 requests per second is exceeded.',
      });
    }
    const others = await Promise.all(Array.from({ length: 8 }, () => ask(stranger)));
    expect(statusesOf(others)).toEqual(Array(8).fill(200));
  });

  it('rate limit of a client application: is not consumed by requests with a wrong secret', async () => {
    const club = await world.application();
    await allow(club, 2);
    const liar = { ...club, clientSecret: shop.clientSecret };
    const refused = await Promise.all(Array.from({ length: 8 }, () => ask(liar)));
    expect(statusesOf(refused)).toEqual(Array(8).fill(401));
    expect((await ask(club)).status).toBe(200);
  });

  const allowPerMonth = ({ clientId }: Application, perMonth: number) =>
    world.query(
      `UPDATE identity.plan_holders SET per_month = $2 WHERE id = (
         SELECT owner_id FROM identity.client_applications WHERE id = $1)`,
      [clientId, perMonth],
    );

  it('T65: rate limit of a client application: includes the month, also of introspections and revocations, but not of wrong secrets', async () => {
    const club = await world.application();
    await allowPerMonth(club, 4);
    const liar = { ...club, clientSecret: shop.clientSecret };
    for (let n = 0; n < 6; n += 1) expect((await ask(liar)).status).toBe(401);
    const present = (path: string) => world.post(path, { token: 'unknown' }, { authorization: basic(club) });
    const requests = [() => ask(club), () => present('/oauth2/introspect'), () => present('/oauth2/revoke')];
    for (const request of [...requests, () => ask(club)]) expect((await request()).status).toBe(200);
    for (const request of requests) {
      const refused = await request();
      expect([refused.status, await refused.json()]).toEqual([
        429,
        {
          error: 'temporarily_unavailable',
          error_description: 'The limit of requests per month is used up.',
        },
      ]);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    const headers = { 'x-api-key': club.apiKey };
    const api = await fetch(`${world.origin}/.well-known/jwks.json`, { headers });
    expect([api.status, (await envelopeOf(api)).details.code]).toEqual([429, 'month_limit_exceeded']);
    expect((await ask(stranger)).status).toBe(200);
  });

  it('T65: rate limit of a public client: counts valid codes and tokens, and nothing that strangers send', async () => {
    const app = await world.application({ type: 'public', scopes: ['offline_access'] });
    await allow(app, 3);
    await allowPerMonth(app, 30);
    const { clientId: client_id } = app;
    const exchange = (code: string, code_verifier: string) =>
      world.post('/oauth2/token', {
        grant_type: 'authorization_code',
        redirect_uri: CALLBACK,
        client_id,
        code,
        code_verifier,
      });
    const introspect = (token: string) => world.post('/oauth2/introspect', { token, client_id });
    const { verifier, challenge } = proofKey();
    const code = await world.code(await world.user(), app, {
      code_challenge: challenge,
      code_challenge_method: 'S256',
    });
    // Requests: more than the second and the month allow. The valid code needs its verifier.
    const strangers = Array.from({ length: 40 }, (_, n) =>
      n % 2 === 0 ? exchange(code, proofKey().verifier) : introspect(`unknown-${n}`),
    );
    const answersToStrangers = statusesOf(await Promise.all(strangers));
    expect(new Set(answersToStrangers)).toEqual(new Set([200, 400]));
    const tokens = await exchange(code, verifier);
    expect(tokens.status).toBe(200);
    const { access_token: token } = (await tokens.json()) as { access_token: string };
    const answers = await Promise.all(Array.from({ length: 20 }, () => introspect(token)));
    expect(new Set(statusesOf(answers))).toEqual(new Set([200, 429]));
    expect((await ask(stranger)).status).toBe(200);
  });
});
