import { beforeAll, describe, expect, it } from '@jest/globals';
import { csrfOf, type OAuthBrowser } from './oauth-browser.js';
import { OAuthWorld } from './oauth-world.js';

const PATH = '/portal/profile';
let names = 0;
const newName = () => `ann_${(names += 1)}_${Math.random().toString(36).slice(2, 8)}`;

describe('usernames', () => {
  let world: OAuthWorld;

  beforeAll(async () => {
    world = await OAuthWorld.lease();
  });

  const save = async (browser: OAuthBrowser, fields: Record<string, string>) => {
    const csrf = csrfOf(await (await browser.open(PATH)).text());
    const response = await browser.postForm(PATH, { csrf, name: '', username: '', picture: '', ...fields });
    return { status: response.status, text: await response.text() };
  };
  const idOf = async (browser: OAuthBrowser) => {
    const [user] = await world.query('SELECT id FROM identity.users WHERE platform_user_id = $1', [
      browser.wallet.address.toLowerCase(),
    ]);
    return (user as { id: string }).id;
  };
  const usernameOf = async (browser: OAuthBrowser) => {
    const [user] = await world.query('SELECT username FROM identity.users WHERE id = $1', [
      await idOf(browser),
    ]);
    return (user as { username: string | null }).username;
  };

  it('T280: usernames: a username that was ever used is given to nobody else, also when it is given up', async () => {
    const [ann, eve] = [await world.user(), await world.user()];
    const [name, next] = [newName(), newName()];
    expect((await save(ann, { username: name.toUpperCase() })).status).toBe(303);
    expect(await usernameOf(ann)).toBe(name);
    const taken = await save(eve, { username: name, name: 'Eve' });
    expect([taken.status, taken.text.includes('This username is taken, or was.')]).toEqual([409, true]);
    expect((await save(ann, { username: next })).status).toBe(303);
    expect((await save(eve, { username: name })).status).toBe(409);
    expect((await save(ann, { username: '' })).status).toBe(303);
    expect((await save(eve, { username: next })).status).toBe(409);
    expect(await usernameOf(eve)).toBeNull();
    expect((await save(ann, { username: name })).status).toBe(303);
  });

  it('saveProfile: saves nothing when the username is taken', async () => {
    const [ann, eve] = [await world.user(), await world.user()];
    const name = newName();
    await save(ann, { username: name });
    expect((await save(eve, { username: name, name: 'Eve' })).status).toBe(409);
    const [user] = await world.query('SELECT name FROM identity.users WHERE id = $1', [await idOf(eve)]);
    expect(user).toEqual({ name: null });
  });

  it('T281: usernames: one of the users who ask for a username at the same time gets it', async () => {
    const users = await Promise.all([world.user(), world.user(), world.user()]);
    const name = newName();
    const answers = await Promise.all(users.map((user) => save(user, { username: name })));
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 409, 409]);
  });

  it('saveProfile: a username changes three times a year, and the first one is no change', async () => {
    const ann = await world.user();
    const last = newName();
    for (const username of [newName(), newName(), newName(), last])
      expect((await save(ann, { username })).status).toBe(303);
    const refused = await save(ann, { username: newName() });
    expect([refused.status, refused.text.includes('3 times a year')]).toEqual([409, true]);
    // Saving it again, and other fields, is no change.
    expect((await save(ann, { username: last, name: 'Ann' })).status).toBe(303);
    const age = `UPDATE identity.users SET username_changes[1] = now() - interval '366 days' WHERE id = $1`;
    await world.query(age, [await idOf(ann)]);
    expect((await save(ann, { username: newName() })).status).toBe(303);
  });

  it('saveProfile: nobody gets a username that belongs to no user any more, who had it neither', async () => {
    const [ann, eve] = [await world.user(), await world.user()];
    const name = newName();
    await save(ann, { username: name, name: 'Ann' });
    // The row is as an erasure leaves it, see operators.e2e-spec.ts.
    const id = await idOf(ann);
    await world.query('UPDATE identity.used_usernames SET user_id = NULL WHERE user_id = $1', [id]);
    await world.query('UPDATE identity.users SET username = NULL, name = NULL WHERE id = $1', [id]);
    expect((await save(eve, { username: name })).status).toBe(409);
    expect((await save(ann, { username: name })).status).toBe(409);
    const rows = await world.query('SELECT username_hash FROM identity.used_usernames');
    expect(JSON.stringify(rows)).not.toContain(name);
  });

  it.each([
    'ab',
    'a'.repeat(33),
    '1ann',
    '_ann',
    'ann-b',
    'ann.eth',
    'ännchen',
    'аnn',
    '0xabc',
    'user_ann',
    'admin',
  ])('saveProfile: refuses the username %j', async (username) => {
    const ann = await world.user();
    const { status, text } = await save(ann, { username });
    expect([status, text.includes('id="username-problem"')]).toEqual([422, true]);
  });

  it('saveProfile: whoever has a reserved username from an operator saves a name, and may come back to it; others are refused', async () => {
    const [ann, eve] = [await world.user(), await world.user()];
    const id = await idOf(ann);
    // As an operator gives it, see operators.e2e-spec.ts.
    await world.query(`UPDATE identity.users SET username = 'gatehouse' WHERE id = $1`, [id]);
    expect((await save(ann, { username: 'gatehouse', name: 'Ann' })).status).toBe(303);
    const saved = 'SELECT name, username FROM identity.users WHERE id = $1';
    expect(await world.query(saved, [id])).toEqual([{ name: 'Ann', username: 'gatehouse' }]);
    expect((await save(ann, { username: newName() })).status).toBe(303);
    const refused = await save(eve, { username: 'gatehouse' });
    expect([refused.status, refused.text.includes('This username is reserved.')]).toEqual([422, true]);
    expect((await save(ann, { username: 'gatehouse' })).status).toBe(303);
  });

  it('showProfile: escapes and isolates names, and loads the own picture from its host only', async () => {
    const ann = await world.user();
    const picture = 'https://ann.example/face.png?a=1&b=2';
    expect((await save(ann, { name: '<b>Ann</b>', picture })).status).toBe(303);
    const response = await ann.open(PATH);
    const text = await response.text();
    expect(text).toContain('<bdi class="user-name">&lt;b&gt;Ann&lt;/b&gt;</bdi>');
    expect(text).toContain('src="https://ann.example/face.png?a=1&amp;b=2"');
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("img-src 'self' data: https://ann.example;");
    const other = await ann.open('/portal');
    expect(other.headers.get('content-security-policy')).toContain("img-src 'self' data:;");
    expect(await other.text()).not.toContain('ann.example');
  });
});
