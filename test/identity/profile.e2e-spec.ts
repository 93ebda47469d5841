import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Principal, deriveUserId } from '@app/auth';
import type { Scope } from '@app/dto';
import { newKey } from './linking-world.js';
import { SignInWorld } from './sign-in-world.js';

const PICTURE = 'https://ann.example/face.png';

interface Profile {
  id: string;
  name?: string;
  picture?: string;
  error?: { details: { code: string; issues?: { path: string }[] } };
}

describe('profile', () => {
  let world: SignInWorld;

  beforeAll(async () => {
    world = await SignInWorld.lease();
  });

  const newUser = () => {
    const { address } = newKey();
    const user = { id: deriveUserId('ethereum', address.toLowerCase()), account: `eip155:1:${address}` };
    const as = (...scopes: Scope[]): Principal => ({ kind: 'caller', user, scopes });
    return { user, as };
  };
  const ask = async (method: string, principal: Principal, body?: object) => {
    const response = await world.identity.request(method, '/account/me', principal, body);
    return { status: response.status, body: (await response.json()) as Profile };
  };

  it('changeUserProfile: sets, keeps and removes name and picture', async () => {
    const { as } = newUser();
    const both = as('user:read', 'user:write');
    const change = async (body: object) => (await ask('PATCH', both, body)).body;
    expect(await change({ name: ' Zoe\u0308 ', picture: PICTURE })).toMatchObject({
      name: 'Zoë',
      picture: PICTURE,
    });
    expect(await change({ name: 'Ann' })).toMatchObject({ name: 'Ann', picture: PICTURE });
    expect(await change({})).toMatchObject({ name: 'Ann', picture: PICTURE });
    expect(await change({ picture: null })).toMatchObject({ name: 'Ann' });
    const { body } = await ask('GET', both);
    expect([body.name, body.picture]).toEqual(['Ann', undefined]);
    expect(await change({ name: null })).not.toHaveProperty('name');
  });

  it('getUserProfile: names and picture need user:read, the address does not', async () => {
    const { user, as } = newUser();
    const { body: changed } = await ask('PATCH', as('user:write'), { name: 'Ann', picture: PICTURE });
    expect(changed).toEqual({
      ...{ id: user.id, platform: 'ethereum', address: user.account },
      createdTime: expect.any(String),
    });
    expect((await ask('GET', as('$public'))).body).toEqual(changed);
    expect((await ask('GET', as('user:wallet:read'))).body).toEqual(changed);
    expect((await ask('GET', as('user:read'))).body).toEqual({ ...changed, name: 'Ann', picture: PICTURE });
  });

  it('changeUserProfile: changes the signed-in user only', async () => {
    const [ann, ben] = [newUser(), newUser()];
    await ask('PATCH', ann.as('user:write'), { name: 'Ann' });
    await ask('PATCH', ben.as('user:write'), { name: 'Ann' });
    await ask('PATCH', ben.as('user:write'), { name: 'Ben' });
    expect((await ask('GET', ann.as('user:read'))).body.name).toBe('Ann');
  });

  it.each([
    ['a name with a direction override', { name: 'nna\u202e' }, 'name'],
    ['a name with a zero-width space', { name: 'Ann\u200b' }, 'name'],
    ['an empty name', { name: ' ' }, 'name'],
    ['a name of 65 code points', { name: '𝒜'.repeat(65) }, 'name'],
    ['a name that is no text', { name: 1 }, 'name'],
    ['a picture over http', { picture: 'http://ann.example/' }, 'picture'],
    ['a picture in a private network', { picture: 'https://10.0.0.1/' }, 'picture'],
    ['a username, which is for the portal', { username: 'ann' }, 'username'],
    ['another id', { id: 'user_other' }, 'id'],
  ])('changeUserProfile: 400 names the field of %s', async (_, change, field) => {
    const { status, body } = await ask('PATCH', newUser().as('user:write'), change);
    expect(status).toBe(400);
    expect(JSON.stringify(body.error?.details.issues)).toContain(field);
  });
});
