import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Address } from 'viem';
import { smartAccountAddress } from '../../apps/account-kit/src/evm/accounts/account-address.js';
import { AccountKitWorld } from '../faults/account-kit-world.js';
import { runCommand } from './run-command.js';
import type { Instance, StoppableInstance } from '../faults/instance-places.js';

/** The same digits on all platforms, and digits that end where others begin. */
const USERS = [
  ['chat', '1001'],
  ['microblog', '1001'],
  ['codehost', '1001'],
  ['chat', '100'],
  ['chat', '11'],
  ['microblog', '9007199254740993'],
  ['microblog', '9007199254740992'],
] as const;
const NEW_ROOT = randomBytes(32).toString('base64url');

let world: AccountKitWorld;
let known: unknown[];
let instance: StoppableInstance;

beforeAll(async () => {
  world = await AccountKitWorld.start();
  instance = await world.startInstance();
  await world.fundedAccount(instance, '1001');
  known = await loadAddresses(instance);
});

afterAll(() => world.stop());

const loadAddresses = ({ gateway }: Instance, headers: Record<string, string> = {}): Promise<unknown[]> =>
  Promise.all(
    USERS.map(async ([platform, userId]) => {
      const path = '/accountkit/v2/evm/calculateAccountAddress';
      const options = { body: { platform, userId }, headers };
      const { status, body } = await world.call(gateway, path, userId, options);
      expect(status).toBe(200);
      return body;
    }),
  );

async function restart(env: Record<string, string> = {}): Promise<Instance> {
  await instance.stop();
  instance = await world.startInstance(env);
  return instance;
}

/** The account signs, and its operation is executed. */
async function expectSigns(userId: string): Promise<void> {
  const before = await world.received();
  expect((await world.submit(instance, userId, 3n)).status).toBe(200);
  await world.untilIncluded(userId);
  expect(await world.received()).toBe(before + 3n);
}

const keys = (name: string, env: Record<string, string>) =>
  runCommand('keys', [name], { env: { DATABASE_URL: world.kit.suite.databaseUrl, ...env } });

describe('the addresses of a platform user', () => {
  it('addresses of a platform user: are those of no other user', () => {
    const texts = known.flatMap((addresses) => JSON.stringify(addresses).match(/"address":"[^"]+"/g) ?? []);
    expect(new Set(texts).size).toBe(3 * USERS.length);
  });

  it('addresses of a platform user: are stored once when requests ask for the same new user at the same time', async () => {
    const path = '/accountkit/v2/evm/calculateAccountAddress';
    for (let user = 0; user < 60; user += 1) {
      const body = { platform: 'chat', userId: String(7_000_000 + user) };
      const answers = await Promise.all(
        Array.from({ length: 12 }, () => world.call(instance.gateway, path, '1001', { body })),
      );
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
      for (const answer of answers) expect(answer.body).toEqual(answers[0]?.body);
    }
  });

  it('addresses of a platform user: are the same for another client application, and after a restart', async () => {
    const other = await world.kit.suite.createClient({ scopes: ['accountkit'] });
    expect(await loadAddresses(instance, { 'X-API-Key': other.apiKey })).toEqual(known);
    expect(await loadAddresses(await restart())).toEqual(known);
    await expectSigns('1001');
  });

  it('addresses of a platform user: stay, and sign, with another root, and with keys that are stored and sealed again', async () => {
    const replaced = {
      ACCOUNT_KEY_SECRET: NEW_ROOT,
      ACCOUNT_KEY_SECRET_PREVIOUS: world.kit.suite.secrets.accountKeySecret,
    };
    expect(await loadAddresses(await restart(replaced))).toEqual(known);
    await expectSigns('1001');
    await keys('materialize', { ACCOUNT_KEY_SECRET: world.kit.suite.secrets.accountKeySecret });
    await keys('rewrap', replaced);
    expect(await loadAddresses(await restart({ ACCOUNT_KEY_SECRET: NEW_ROOT }))).toEqual(known);
    await expectSigns('1001');
  });

  it('addresses of a platform user: stay those of the version with which they were told, when new accounts have another', async () => {
    const owner = await world.fundedAccount(instance, '1002');
    const { rows } = await world.pool.query<{ signer: Address }>(
      `SELECT signer_address AS signer FROM account_kit.smart_accounts WHERE evm_address = $1`,
      [owner],
    );
    const [{ signer } = { signer: owner }] = rows;
    const address = smartAccountAddress({ owner: signer, salt: 0n, version: '0.7' });
    expect(address).not.toBe(owner);
    // The account is as a release left it whose new accounts were of version 0.7.
    await world.pool.query(
      `UPDATE account_kit.smart_accounts SET account_version = '0.7', evm_address = $2 WHERE evm_address = $1`,
      [owner, address],
    );
    await restart({ ACCOUNT_KEY_SECRET: NEW_ROOT });
    expect(await world.fundedAccount(instance, '1002')).toBe(address);
    await expectSigns('1002');
  });
});
