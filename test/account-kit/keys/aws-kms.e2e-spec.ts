import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { privateKeyToAddress } from 'viem/accounts';
import { KeysWorld, signRequest } from './keys-world.js';
import { KmsStandIn, OTHER_WRAP_KEY } from './kms-stand-in.js';

const SECRET = Buffer.alloc(32, 1).toString('base64url');

let world: KeysWorld;
let kms: KmsStandIn;

beforeAll(async () => {
  world = await KeysWorld.start();
});
beforeEach(async () => {
  await world.pool.query('TRUNCATE account_kit.smart_accounts CASCADE');
  kms = await KmsStandIn.start();
});
afterEach(async () => {
  await world.stopSigners();
  await kms.stop();
});
afterAll(() => world.stop());

describe('aws-kms', () => {
  it('aws-kms: derives keys that do not move with a release of this service', async () => {
    const account = await world.createAccount(await world.startSigner(kms.environment), '1001');
    // Computed with an implementation in another language.
    expect(account.addresses).toMatchObject({
      keyRootId: 'a512c18a44343230',
      signerAddress: privateKeyToAddress(
        '0x6abdb2ce19250f9b4eb53e8c6ffab2e215a0d35db8718c5590c2ad449052fd4b',
      ),
    });
  });

  it('aws-kms: derives the same keys in every process, and others for another user', async () => {
    const [first, second] = [
      await world.startSigner(kms.environment),
      await world.startSigner(kms.environment),
    ];
    const account = await world.createAccount(first, '1001');
    expect(await world.signerOf(second, account)).toBe(account.addresses.actionAddress);
    const { actionAddress, signerAddress, solanaAddresses } = account.addresses;
    const other = await world.createAccount(first, '1002');
    const addresses = [actionAddress, signerAddress, ...Object.values(solanaAddresses)];
    expect(new Set([...addresses, ...Object.values(other.addresses.solanaAddresses)]).size).toBe(6);
    expect(other.addresses.keyRootId).toBe(account.addresses.keyRootId);
  });

  it('aws-kms: takes over accounts of a local root, without a change of their addresses', async () => {
    const account = await world.createAccount(
      await world.startSigner({ ACCOUNT_KEY_SECRET: SECRET }),
      '1001',
    );
    await world.command('materialize', { ACCOUNT_KEY_SECRET: SECRET });
    const both = { ...kms.environment, ACCOUNT_KEY_SECRET_PREVIOUS: SECRET };
    expect(await world.command('rewrap', both)).toBe(
      'Sealed 4 keys and 0 secrets of OAuth applications again.\n',
    );
    const signer = await world.startSigner(kms.environment);
    await signer.done({ type: 'ping' });
    expect(await world.signerOf(signer, account)).toBe(account.addresses.actionAddress);
    expect(kms.operations.filter((operation) => operation === 'GenerateDataKey')).toHaveLength(4);
  });

  it('aws-kms: seals stored keys again with another wrapping key', async () => {
    const account = await world.createAccount(await world.startSigner(kms.environment), '1001');
    await world.command('materialize', kms.environment);
    const other = { ...kms.environment, KMS_WRAP_KEY_ID: OTHER_WRAP_KEY };
    expect(await world.command('rewrap', other)).toBe(
      'Sealed 4 keys and 0 secrets of OAuth applications again.\n',
    );
    const { rows } = await world.pool.query('SELECT DISTINCT wrapping_key_id FROM account_kit.account_keys');
    expect(rows).toEqual([{ wrapping_key_id: `aws-kms:${OTHER_WRAP_KEY}` }]);
    expect(await world.signerOf(await world.startSigner(other), account)).toBe(
      account.addresses.actionAddress,
    );
  });

  it('aws-kms: opens no data key of another account', async () => {
    const signer = await world.startSigner(kms.environment);
    const account = await world.createAccount(signer, '1001');
    const other = await world.createAccount(signer, '1002');
    await world.command('materialize', kms.environment);
    await world.pool.query(
      `UPDATE account_kit.account_keys AS one SET data_key = two.data_key, sealed_key = two.sealed_key
       FROM account_kit.account_keys AS two
       WHERE one.account_id = $1 AND two.account_id = $2
         AND (one.curve, one.purpose, one.network) = (two.curve, two.purpose, two.network)`,
      [account.id, other.id],
    );
    expect(await signer.call(signRequest(account))).toMatchObject({ status: 'unavailable' });
    expect(await world.signerOf(signer, other)).toBe(other.addresses.actionAddress);
  });

  it('aws-kms: is unavailable while AWS KMS does not answer or refuses, and signs again afterwards', async () => {
    const signer = await world.startSigner(kms.environment);
    const account = await world.createAccount(signer, '1001');
    kms.isSilent = true;
    expect(await signer.call(signRequest(account))).toMatchObject({ status: 'unavailable' });
    kms.isSilent = false;
    expect(await world.signerOf(signer, account)).toBe(account.addresses.actionAddress);

    const wrong = await world.startSigner({
      ...kms.environment,
      AWS_SECRET_ACCESS_KEY: 'another',
      AWS_SESSION_TOKEN: 'a-session-token',
    });
    const outcome = await wrong.call({ type: 'ping' });
    expect(outcome).toMatchObject({
      status: 'unavailable',
      reason: expect.stringContaining('InvalidSignatureException'),
    });
    const seen = JSON.stringify(outcome) + signer.output + wrong.output;
    expect(seen).not.toContain(kms.secretAccessKey);
    expect(seen).not.toContain('a-session-token');
  });

  it('ping: a signer is not ready while its root derives another key than an account of it has', async () => {
    await world.createAccount(await world.startSigner(kms.environment), '1001');
    await world.pool.query(`UPDATE account_kit.smart_accounts SET signer_address = $1`, [
      `0x${'1'.repeat(40)}`,
    ]);
    const signer = await world.startSigner(kms.environment);
    expect(await signer.call({ type: 'ping' })).toEqual({
      status: 'unavailable',
      reason: expect.stringContaining('derives another key'),
    });
    await world.pool.query('DELETE FROM account_kit.smart_accounts');
    expect(await signer.call({ type: 'ping' })).toMatchObject({ status: 'done' });
  });

  it.each(['KMS_ROOT_KEY_ID', 'KMS_WRAP_KEY_ID'])('aws-kms: takes no alias as %s', async (name) => {
    const alias = 'arn:aws:kms:eu-central-1:111122223333:alias/root';
    await expect(world.command('materialize', { ...kms.environment, [name]: alias })).rejects.toMatchObject({
      code: 78,
      stderr: expect.stringContaining(`${name}: must be the ARN of a key`),
    });
  });
});
