import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Application, basic, OAuthWorld } from './oauth-world.js';

const OWN = { grant_type: 'client_credentials' };

describe('the rate limit of a client application', () => {
  let world: OAuthWorld;
  let shop: Application;
  let twin: Application;
  let stranger: Application;

  beforeAll(async () => {
    world = await OAuthWorld.start();
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
  }, 60_000);

  afterAll(async () => {
    const exits = await world.stop();
    expect(exits['identity']).toBe(0);
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

  it('counts over all applications of a tenant', async () => {
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

  it('is not consumed by requests with a wrong secret', async () => {
    const club = await world.application();
    await allow(club, 2);
    const liar = { ...club, clientSecret: shop.clientSecret };
    const refused = await Promise.all(Array.from({ length: 8 }, () => ask(liar)));
    expect(statusesOf(refused)).toEqual(Array(8).fill(401));
    expect((await ask(club)).status).toBe(200);
  });
});
