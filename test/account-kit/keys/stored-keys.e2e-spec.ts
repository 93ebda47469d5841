import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Account, KeysWorld, signRequest } from './keys-world.js';

const secretOf = (byte: number) => Buffer.alloc(32, byte).toString('base64url');
const [FIRST, SECOND, THIRD] = [secretOf(1), secretOf(2), secretOf(3)];

let world: KeysWorld;
let account: Account;

beforeAll(async () => {
  world = await KeysWorld.start();
});
beforeEach(async () => {
  await world.pool.query('TRUNCATE account_kit.smart_accounts, account_kit.codehost_apps CASCADE');
  account = await world.createAccount(await world.startSigner({ ACCOUNT_KEY_SECRET: FIRST }), '1001');
});
afterEach(() => world.stopSigners());
afterAll(() => world.stop());

const replaced = { ACCOUNT_KEY_SECRET: SECOND, ACCOUNT_KEY_SECRET_PREVIOUS: FIRST };

describe('a replaced root', () => {
  it('replaced root: goes on signing for its accounts, and new ones have the new root', async () => {
    const signer = await world.startSigner(replaced);
    expect(await world.signerOf(signer, account)).toBe(account.addresses.actionAddress);
    const other = await world.createAccount(signer, '1002');
    expect(other.addresses.keyRootId).not.toBe(account.addresses.keyRootId);
    expect(await world.signerOf(signer, other)).toBe(other.addresses.actionAddress);
  });

  it('replaced root: cannot be removed while an account needs it', async () => {
    const signer = await world.startSigner({ ACCOUNT_KEY_SECRET: SECOND });
    expect(await signer.call({ type: 'ping' })).toEqual({
      status: 'unavailable',
      reason: expect.stringContaining(account.addresses.keyRootId),
    });
    expect(await signer.call(signRequest(account))).toMatchObject({ status: 'refused' });
  });

  it('replaced root: can be removed once the keys are stored', async () => {
    expect(await world.command('materialize', replaced)).toBe('Stored 4 keys.\n');
    expect(await world.command('materialize', replaced)).toBe('Stored 0 keys.\n');
    const signer = await world.startSigner({ ACCOUNT_KEY_SECRET: SECOND });
    await signer.done({ type: 'ping' });
    expect(await world.signerOf(signer, account)).toBe(account.addresses.actionAddress);
  });
});

describe('stored keys', () => {
  it('stored keys: are sealed again, after which the earlier root can be removed', async () => {
    await world.command('materialize', { ACCOUNT_KEY_SECRET: FIRST });
    const removed = await world.startSigner({ ACCOUNT_KEY_SECRET: SECOND });
    expect(await removed.call({ type: 'ping' })).toMatchObject({
      status: 'unavailable',
      reason: expect.stringMatching(/^.*sealed with local:/),
    });
    expect(await world.command('rewrap', replaced)).toBe(
      'Sealed 4 keys and 0 secrets of OAuth applications again.\n',
    );
    expect(await world.command('rewrap', replaced)).toBe(
      'Sealed 0 keys and 0 secrets of OAuth applications again.\n',
    );
    const signer = await world.startSigner({ ACCOUNT_KEY_SECRET: SECOND });
    await signer.done({ type: 'ping' });
    expect(await world.signerOf(signer, account)).toBe(account.addresses.actionAddress);
  });

  it('stored keys: are not sealed by a root that is not theirs', async () => {
    await expect(world.command('materialize', { ACCOUNT_KEY_SECRET: THIRD })).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('which is not configured'),
    });
    await world.pool.query('UPDATE account_kit.smart_accounts SET action_address = signer_address');
    await expect(world.command('materialize', { ACCOUNT_KEY_SECRET: FIRST })).rejects.toMatchObject({
      code: 1,
      stderr: `Account ${account.id} has another key than its root derives.\n`,
    });
  });

  it('stored keys: open for their own user and purpose only', async () => {
    const signer = await world.startSigner({ ACCOUNT_KEY_SECRET: FIRST });
    const other = await world.createAccount(signer, '1002');
    await world.command('materialize', { ACCOUNT_KEY_SECRET: FIRST });
    const copy = (from: Account, purpose: string) =>
      world.pool.query(
        `UPDATE account_kit.account_keys SET sealed_key = (SELECT sealed_key FROM account_kit.account_keys
           WHERE account_id = $1 AND curve = 'secp256k1' AND purpose = $2)
         WHERE account_id = $3 AND curve = 'secp256k1' AND purpose = 'action'`,
        [from.id, purpose, account.id],
      );
    for (const [from, purpose] of [
      [other, 'action'],
      [account, 'account'],
    ] as const) {
      await copy(from, purpose);
      expect(await signer.call(signRequest(account))).toMatchObject({
        status: 'unavailable',
        reason: expect.stringContaining('cannot be opened'),
      });
    }
  });
});

describe('keys of client applications for actions', () => {
  const own = { cid: 'application' };

  it('signActionBytes: signs with another key for each client application, and refuses actions that are not listed', async () => {
    const signer = await world.startSigner({ ACCOUNT_KEY_SECRET: FIRST });
    const addresses = [
      await world.createActionKey(signer, account, 'client'),
      await world.createActionKey(signer, account, 'other'),
    ];
    expect(new Set([...addresses, account.addresses.actionAddress]).size).toBe(3);
    expect([
      await world.signerOf(signer, account, { ...own, clientId: 'client' }),
      await world.signerOf(signer, account, { ...own, clientId: 'other' }),
    ]).toEqual(addresses);
    expect(await signer.call(signRequest(account, { cid: 'unlisted' }))).toEqual({
      status: 'refused',
      reason: 'the custom action is not on the list of the client application',
    });
    await world.pool.query(`UPDATE account_kit.action_keys SET address = $1`, [
      account.addresses.actionAddress,
    ]);
    const restarted = await world.startSigner({ ACCOUNT_KEY_SECRET: FIRST });
    expect(await restarted.call(signRequest(account, own))).toEqual({
      status: 'refused',
      reason: 'the client application has another key for actions',
    });
  });

  it('keys materialize, keys rewrap: keep keys for actions through a change of the root', async () => {
    const signer = await world.startSigner({ ACCOUNT_KEY_SECRET: FIRST });
    const address = await world.createActionKey(signer, account);
    await world.command('materialize', { ACCOUNT_KEY_SECRET: FIRST });
    expect(await world.command('materialize', replaced)).toBe('Stored 0 keys.\n');
    expect(await world.command('rewrap', replaced)).toBe(
      'Sealed 5 keys and 0 secrets of OAuth applications again.\n',
    );
    const second = await world.startSigner({ ACCOUNT_KEY_SECRET: SECOND });
    await second.done({ type: 'ping' });
    expect(await world.signerOf(second, account, own)).toBe(address);
    // The account's own root is gone: a key for another client application has the root of now.
    const other = await world.createActionKey(second, account, 'other');
    expect(await world.signerOf(second, account, { ...own, clientId: 'other' })).toBe(other);
    expect(await world.command('materialize', { ACCOUNT_KEY_SECRET: SECOND })).toBe('Stored 1 keys.\n');
  });

  it('ping: says which root or wrapping key is missing that only a key for actions needs', async () => {
    await world.command('materialize', { ACCOUNT_KEY_SECRET: FIRST });
    await world.command('rewrap', replaced);
    const first = await world.startSigner(replaced);
    await world.createActionKey(first, account);
    await world.command('materialize', replaced);
    await world.pool.query('UPDATE account_kit.action_keys SET wrapping_key_id = $1', ['local:gone']);
    const sealed = await world.startSigner({ ACCOUNT_KEY_SECRET: SECOND });
    expect(await sealed.call({ type: 'ping' })).toMatchObject({
      reason: expect.stringContaining('sealed with local:gone'),
    });
    await world.pool.query(
      'UPDATE account_kit.action_keys SET wrapping_key_id = NULL, sealed_key = NULL, key_root_id = $1',
      ['gone'],
    );
    const derived = await world.startSigner({ ACCOUNT_KEY_SECRET: SECOND });
    expect(await derived.call({ type: 'ping' })).toMatchObject({
      reason: expect.stringContaining('key root gone'),
    });
  });
});

describe('secrets of OAuth applications', () => {
  const open = (clientId: string) => ({ type: 'openCodehostSecret', clientId });

  it('secrets of OAuth applications: are sealed again, after which the earlier root can be removed', async () => {
    await world.command('materialize', replaced);
    await world.command('rewrap', replaced);
    await world.setCodehostApp('one', 'the-secret-of-application-one', { ACCOUNT_KEY_SECRET: FIRST });
    const removed = await world.startSigner({ ACCOUNT_KEY_SECRET: SECOND });
    expect(await removed.call({ type: 'ping' })).toMatchObject({
      status: 'unavailable',
      reason: expect.stringContaining('sealed with local:'),
    });
    expect(await removed.call(open('one'))).toMatchObject({ status: 'unavailable' });
    expect(await world.command('rewrap', replaced)).toBe(
      'Sealed 0 keys and 1 secrets of OAuth applications again.\n',
    );
    const signer = await world.startSigner({ ACCOUNT_KEY_SECRET: SECOND });
    await signer.done({ type: 'ping' });
    expect(await signer.done(open('one'))).toMatchObject({ secret: 'the-secret-of-application-one' });
    expect(await signer.done(open('two'))).toBeNull();
  });

  it('secrets of OAuth applications: open for their own client application only', async () => {
    await world.setCodehostApp('one', 'the-secret-of-application-one', { ACCOUNT_KEY_SECRET: FIRST });
    await world.setCodehostApp('two', 'the-secret-of-application-two', { ACCOUNT_KEY_SECRET: FIRST });
    await world.pool.query(
      `UPDATE account_kit.codehost_apps SET sealed_secret =
         (SELECT sealed_secret FROM account_kit.codehost_apps WHERE client_id = 'one')`,
    );
    const signer = await world.startSigner({ ACCOUNT_KEY_SECRET: FIRST });
    expect(await signer.done(open('one'))).toMatchObject({ secret: 'the-secret-of-application-one' });
    expect(await signer.call(open('two'))).toMatchObject({
      status: 'unavailable',
      reason: expect.stringContaining('cannot be opened'),
    });
  });
});

describe('the signer process', () => {
  it('signer process: shows no secret in its command line, its output or its replies', async () => {
    const signer = await world.startSigner({ ACCOUNT_KEY_SECRET: SECOND });
    const replies = [
      await signer.call({ type: 'ping' }),
      await signer.call(signRequest(account)),
      await signer.call({ type: 'deriveAddresses', platform: 'chat', userId: '7' }),
    ];
    const seen =
      readFileSync(`/proc/${signer.pid}/cmdline`, 'utf8') + signer.output + JSON.stringify(replies);
    expect(seen).toContain('signer.worker.js');
    expect(seen).not.toContain(SECOND);
  });
});
