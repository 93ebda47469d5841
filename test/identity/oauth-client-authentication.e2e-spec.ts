import { beforeAll, describe, expect, it } from '@jest/globals';
import { answerOf, type Application, basic, credentials, OAuthWorld } from './oauth-world.js';

const OWN = { grant_type: 'client_credentials' };

describe('a client application at the token endpoint', () => {
  let world: OAuthWorld;
  let shop: Application;
  let other: Application;
  let app: Application;

  beforeAll(async () => {
    world = await OAuthWorld.lease();
    [shop, other, app] = await Promise.all([
      world.application(),
      world.application(),
      world.application({ type: 'public' }),
    ]);
  });

  const token = async (fields: Record<string, string>, headers: Record<string, string> = {}) =>
    answerOf(await world.post('/oauth2/token', fields, headers));

  it('client application at the token endpoint: authenticates with HTTP Basic or in the body', async () => {
    expect((await token(OWN, { authorization: basic(shop) })).status).toBe(200);
    expect((await token({ ...OWN, ...credentials(shop) })).status).toBe(200);
    expect((await token({ ...OWN, client_id: shop.clientId }, { authorization: basic(shop) })).status).toBe(
      200,
    );
  });

  it('client application at the token endpoint: may percent-encode its credentials in HTTP Basic', async () => {
    const encoded = (text: string) =>
      text
        .split('')
        .map((one) => `%${one.charCodeAt(0).toString(16)}`)
        .join('');
    const pair = `${encoded(shop.clientId)}:${encoded(shop.clientSecret)}`;
    const authorization = `Basic ${Buffer.from(pair).toString('base64')}`;
    expect((await token(OWN, { authorization })).status).toBe(200);
  });

  const says = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` });

  it.each([
    ['a wrong secret', () => says(`${shop.clientId}:${shop.clientSecret}x`), 401],
    ['another’s secret', () => says(`${shop.clientId}:${other.clientSecret}`), 401],
    ['an unknown name', () => says(`client_nobody:${shop.clientSecret}`), 401],
    ['an empty secret', () => says(`${shop.clientId}:`), 400],
    ['no colon', () => says(shop.clientId), 400],
    ['nothing', () => says(''), 400],
    ['a broken escape', () => says(`${shop.clientId}:%zz`), 400],
    ['an API key as its secret', () => says(`${shop.clientId}:${shop.apiKey}`), 401],
    ['a secret although it is public', () => says(`${app.clientId}:${shop.clientSecret}`), 401],
    ['a bearer token', () => ({ authorization: 'Bearer abc' }), 400],
    ['no base64', () => ({ authorization: 'Basic %%%' }), 400],
  ])('client application at the token endpoint: is refused with %s', async (_, headers, status) => {
    const answer = await token(OWN, headers());
    expect(answer.status).toBe(status);
    expect(answer).toMatchObject({ error: status === 401 ? 'invalid_client' : 'invalid_request' });
  });

  it('client application at the token endpoint: receives the scheme in WWW-Authenticate', async () => {
    const response = await world.post('/oauth2/token', OWN, says(`${shop.clientId}:wrong`));
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toMatch(/^Basic realm=/);
  });

  it('client application at the token endpoint: must use only one authentication method', async () => {
    const twice = await token({ ...OWN, ...credentials(shop) }, { authorization: basic(shop) });
    expect(twice).toMatchObject({ status: 400, error: 'invalid_request' });
    const two = await token({ ...OWN, client_id: other.clientId }, { authorization: basic(shop) });
    expect(two).toMatchObject({ status: 400, error: 'invalid_request' });
    expect(await token({ ...OWN, client_id: shop.clientId })).toMatchObject({ status: 401 });
    expect(await token({ ...OWN, client_id: shop.clientId, client_secret: '' })).toMatchObject({
      status: 401,
    });
    expect(await token(OWN)).toMatchObject({ status: 400, error: 'invalid_request' });
  });

  it('client application at the token endpoint: has two valid secrets during a rotation, but no revoked or expired one', async () => {
    const twin = await world.application();
    await world.query(
      `UPDATE identity.client_secrets SET client_id = $1
       WHERE client_id = $2`,
      [shop.clientId, twin.clientId],
    );
    const second = { ...shop, clientSecret: twin.clientSecret };
    expect((await world.token(shop, OWN)).status).toBe(200);
    expect((await world.token(second, OWN)).status).toBe(200);
    expect((await world.token(twin, OWN)).status).toBe(401);
    const id = twin.clientSecret.split('_')[2];
    await world.query(`UPDATE identity.client_secrets SET expires_at = now() - interval '1s' WHERE id = $1`, [
      id,
    ]);
    expect((await world.token(second, OWN)).status).toBe(401);
    expect((await world.token(shop, OWN)).status).toBe(200);
  });

  it('client application at the token endpoint: is refused after its deletion', async () => {
    const gone = await world.application();
    expect((await world.token(gone, OWN)).status).toBe(200);
    await world.suite.clientCommand(['remove', gone.clientId]);
    expect(await world.token(gone, OWN)).toMatchObject({ status: 401, error: 'invalid_client' });
  });
});
