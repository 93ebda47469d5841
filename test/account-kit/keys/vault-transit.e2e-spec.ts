import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { privateKeyToAddress } from 'viem/accounts';
import { selfSigned } from '../../support/self-signed.js';
import { type Account, KeysWorld, signRequest } from './keys-world.js';
import { KmsStandIn } from './kms-stand-in.js';
import type { SignerFork } from './signer-fork.js';
import { StandInKey, VaultStandIn } from './vault-stand-in.js';

const SECRET = Buffer.alloc(32, 1).toString('base64url');
const FIRST_ROOT = 'vault-transit:transit/gatehouse-root:v1:a512c18a44343230';
const SECOND_VERSION = { VAULT_TRANSIT_ROOT_KEY_VERSION: '2' };

let world: KeysWorld;
let vault: VaultStandIn;
let folder: string;

beforeAll(async () => {
  world = await KeysWorld.start();
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-vault-'));
});
beforeEach(async () => {
  await world.pool.query('TRUNCATE account_kit.smart_accounts CASCADE');
  vault = await VaultStandIn.start();
});
afterEach(async () => {
  await world.stopSigners();
  await vault.stop();
});
afterAll(async () => {
  await world.stop();
  await rm(folder, { recursive: true, force: true });
});

const start = (change: Record<string, string> = {}) => world.startSigner({ ...vault.environment, ...change });
const expectSignature = async (signer: SignerFork, account: Account) => {
  expect(await world.signerOf(signer, account)).toBe(account.addresses.actionAddress);
};
const unavailable = (reason: string) => ({
  status: 'unavailable',
  reason: expect.stringContaining(reason),
});
const deriveRequest = { type: 'deriveAddresses', platform: 'chat', userId: '1001' };

it('vault-transit: derives keys that do not move with a release of this service, from the version that is named', async () => {
  vault.key('gatehouse-root').rotate();
  const account = await world.createAccount(await start(), '1001');
  // Computed with an implementation in another language.
  expect(account.addresses).toMatchObject({
    keyRootId: FIRST_ROOT,
    signerAddress: privateKeyToAddress('0x6abdb2ce19250f9b4eb53e8c6ffab2e215a0d35db8718c5590c2ad449052fd4b'),
  });
  const uses = vault.requests.filter((request) => !request.includes('/keys/'));
  expect(new Set(uses)).toEqual(new Set(['transit/hmac/gatehouse-root 1']));
});

it('vault-transit: another version of the root key is another root, and accounts keep theirs', async () => {
  const first = await start();
  const account = await world.createAccount(first, '1001');
  const actionAddress = await world.createActionKey(first, account);
  vault.key('gatehouse-root').rotate();
  const signer = await start(SECOND_VERSION);
  expect(await signer.call({ type: 'ping' })).toMatchObject({ status: 'done' });
  await expectSignature(signer, account);
  expect(await world.signerOf(signer, account, { cid: 'application' })).toBe(actionAddress);
  const other = await world.createAccount(signer, '1002');
  expect(other.addresses.keyRootId).toMatch(/^vault-transit:transit\/gatehouse-root:v2:[0-9a-f]{16}$/);
  await expectSignature(signer, other);
  // A replica that still names the earlier version signs for both.
  const earlier = await start();
  expect(await earlier.call({ type: 'ping' })).toMatchObject({ status: 'done' });
  await expectSignature(earlier, other);
});

it('ping: a signer is not ready, and derives no address, while another version than the configured one derives another key than an account has', async () => {
  vault.key('gatehouse-root').rotate();
  await world.createAccount(await start(SECOND_VERSION), '1001');
  await world.pool.query(`UPDATE account_kit.smart_accounts SET signer_address = $1`, [
    `0x${'1'.repeat(40)}`,
  ]);
  const signer = await start();
  expect(await signer.call({ type: 'ping' })).toEqual(unavailable('derives another key'));
  expect(await signer.call(deriveRequest)).toEqual(unavailable('derives another key'));
});

it('ping: a signer is not ready while its root derives another key for actions than is stored, where no account has the root', async () => {
  const first = await start();
  const account = await world.createAccount(first, '1001');
  await world.createActionKey(first, account);
  await world.pool.query(`UPDATE account_kit.smart_accounts SET key_root_id = $1`, [
    FIRST_ROOT.replace('a512', 'b512'),
  ]);
  await world.pool.query(`UPDATE account_kit.action_keys SET address = $1`, [`0x${'1'.repeat(40)}`]);
  await world.pool.query(
    `INSERT INTO account_kit.account_keys (account_id, curve, purpose, network, wrapping_key_id, data_key, sealed_key)
     SELECT $1::uuid, curve, 'account', network, 'vault-transit:transit/gatehouse-wrap:v1', ''::bytea, ''::bytea
     FROM (VALUES ('secp256k1', ''), ('ed25519', 'SOL'), ('ed25519', 'SOL_DEVNET')) AS name (curve, network)
     UNION ALL SELECT $1::uuid, 'secp256k1', 'action', '', 'vault-transit:transit/gatehouse-wrap:v1', ''::bytea, ''::bytea`,
    [account.id],
  );
  expect(await (await start()).call({ type: 'ping' })).toEqual(unavailable('derives another key'));
});

it('vault-transit: a key that was deleted and made again under its name is another root, which derives nothing', async () => {
  const account = await world.createAccount(await start(), '1001');
  vault.keys.set('gatehouse-root', new StandInKey('hmac'));
  const signer = await start();
  expect(await signer.call({ type: 'ping' })).toEqual(
    unavailable(`accounts have the key root ${FIRST_ROOT}`),
  );
  expect(await signer.call(deriveRequest)).toEqual(unavailable(FIRST_ROOT));
  expect(await signer.call(signRequest(account))).toEqual({
    status: 'refused',
    reason: expect.stringContaining(FIRST_ROOT),
  });
});

it('vault-transit: an answer of another version is no key', async () => {
  const account = await world.createAccount(await start(), '1001');
  await world.command('materialize', vault.environment);
  const other = await world.createAccount(await start(), '1002');
  const signer = await start();
  vault.key('gatehouse-root').rotate();
  vault.key('gatehouse-wrap').rotate();
  vault.ignoresVersion = true;
  expect(await signer.call(signRequest(other))).toEqual(
    unavailable('with version 2 of the key gatehouse-root, not with version 1'),
  );
  expect(await (await start()).call(deriveRequest)).toEqual(unavailable('not with version 1'));
  await expect(world.command('materialize', vault.environment)).rejects.toMatchObject({ code: 1 });
  // What is sealed names its version itself.
  await expectSignature(signer, account);
});

it.each([
  ['gatehouse-root', 'derived', 'is `derived`'],
  ['gatehouse-root', 'exportable', 'is `exportable`'],
  ['gatehouse-root', 'allow_plaintext_backup', 'has `allow_plaintext_backup`'],
  ['gatehouse-wrap', 'derived', 'is `derived`'],
  ['gatehouse-wrap', 'exportable', 'is `exportable`'],
  ['gatehouse-wrap', 'allow_plaintext_backup', 'has `allow_plaintext_backup`'],
] as const)('vault-transit: refuses the key %s if it is %s', async (name, property, reason) => {
  vault.key(name)[property] = true;
  const signer = await start();
  expect(await signer.call({ type: 'ping' })).toEqual(
    unavailable(`${name} of HashiCorp Vault's transit engine ${reason}`),
  );
  expect(await signer.call(deriveRequest)).toEqual(unavailable(reason));
  expect(vault.requests.filter((request) => !request.includes('/keys/'))).toEqual([]);
  vault.key(name)[property] = false;
  expect(await signer.call(deriveRequest)).toMatchObject({ status: 'done' });
});

it.each([
  ['gatehouse-root', 'aes256-gcm96', 'has the type aes256-gcm96, not hmac'],
  ['gatehouse-wrap', 'hmac', 'has the type hmac, not aes256-gcm96 or chacha20-poly1305'],
] as const)('vault-transit: refuses the key %s with the type %s', async (name, type, reason) => {
  vault.key(name).type = type;
  expect(await (await start()).call({ type: 'ping' })).toEqual(unavailable(reason));
});

it('vault-transit: names a version that is not there, and what the key allows', async () => {
  const account = await world.createAccount(await start(), '1001');
  expect(await (await start(SECOND_VERSION)).call({ type: 'ping' })).toEqual(
    unavailable("gatehouse-root of HashiCorp Vault's transit engine has no version 2: it has 1"),
  );
  const root = vault.key('gatehouse-root');
  root.rotate();
  root.min_encryption_version = 2;
  const signer = await start();
  expect(await signer.call(signRequest(account))).toEqual(
    unavailable('answered 400 to transit/hmac/gatehouse-root: cannot generate HMAC: version is too old'),
  );
  root.min_decryption_version = 2;
  expect(await (await start()).call({ type: 'ping' })).toEqual(
    unavailable('has no version 1: it has 2, and others may be below its min_decryption_version'),
  );
});

it('keys: stores keys, and seals them again with another version of the wrapping key', async () => {
  const account = await world.createAccount(await start(), '1001');
  await world.command('materialize', vault.environment);
  const wrappingKeys = async () => {
    const { rows } = await world.pool.query<{ id: string }>(
      'SELECT DISTINCT wrapping_key_id AS id FROM account_kit.account_keys',
    );
    return rows;
  };
  expect(await wrappingKeys()).toEqual([{ id: 'vault-transit:transit/gatehouse-wrap:v1' }]);
  const wrap = vault.key('gatehouse-wrap');
  wrap.rotate();
  const rotated = { ...vault.environment, VAULT_TRANSIT_WRAP_KEY_VERSION: '2' };
  await expectSignature(await world.startSigner(rotated), account);
  expect(await world.command('rewrap', rotated)).toBe(
    'Sealed 4 keys and 0 secrets of OAuth applications again.\n',
  );
  expect(await wrappingKeys()).toEqual([{ id: 'vault-transit:transit/gatehouse-wrap:v2' }]);
  wrap.min_decryption_version = 2;
  const signer = await world.startSigner(rotated);
  await signer.done({ type: 'ping' });
  await expectSignature(signer, account);
});

it('keys: takes over accounts of a local root, and of AWS KMS, without a change of their addresses', async () => {
  const kms = await KmsStandIn.start();
  try {
    const local = await world.createAccount(await world.startSigner({ ACCOUNT_KEY_SECRET: SECRET }), '1001');
    await world.command('materialize', { ACCOUNT_KEY_SECRET: SECRET });
    const ofAws = await world.createAccount(
      await world.startSigner({ ...kms.environment, ACCOUNT_KEY_SECRET_PREVIOUS: SECRET }),
      '1002',
    );
    const all = {
      ...kms.environment,
      ...vault.environment,
      ACCOUNT_KEY_VAULT_PREVIOUS: 'aws-kms',
      ACCOUNT_KEY_SECRET_PREVIOUS: SECRET,
    };
    const between = await world.startSigner(all);
    await between.done({ type: 'ping' });
    await expectSignature(between, local);
    await expectSignature(between, ofAws);
    expect(await world.command('materialize', all)).toBe('Stored 4 keys.\n');
    expect(await world.command('rewrap', all)).toBe(
      'Sealed 4 keys and 0 secrets of OAuth applications again.\n',
    );
    await kms.stop();
    const signer = await start();
    await signer.done({ type: 'ping' });
    await expectSignature(signer, local);
    await expectSignature(signer, ofAws);
  } finally {
    await kms.stop().catch(() => undefined);
  }
});

it('vault-transit: opens no data key of another account', async () => {
  const signer = await start();
  const account = await world.createAccount(signer, '1001');
  const other = await world.createAccount(signer, '1002');
  await world.command('materialize', vault.environment);
  await world.pool.query(
    `UPDATE account_kit.account_keys AS one SET data_key = two.data_key, sealed_key = two.sealed_key
     FROM account_kit.account_keys AS two
     WHERE one.account_id = $1 AND two.account_id = $2
       AND (one.curve, one.purpose, one.network) = (two.curve, two.purpose, two.network)`,
    [account.id, other.id],
  );
  expect(await signer.call(signRequest(account))).toEqual(unavailable('message authentication failed'));
  await expectSignature(signer, other);
});

it('vault-transit: reads the token from its file again for each request, and says what is wrong with it', async () => {
  const file = join(folder, 'token');
  await writeFile(file, `${vault.token}\n`);
  const signer = await world.startSigner({ ...vault.environmentWithoutToken, VAULT_TOKEN_FILE: file });
  const account = await world.createAccount(signer, '1001');
  vault.tokens.clear();
  vault.tokens.add('hvs.renewed');
  expect(await signer.call(signRequest(account))).toEqual(
    unavailable(
      'answered 403 to transit/hmac/gatehouse-root: 1 error occurred: * permission denied: the token has expired',
    ),
  );
  await writeFile(file, 'hvs.renewed');
  await expectSignature(signer, account);
  await writeFile(file, '');
  const other = await world.createAccount(await start({ VAULT_TOKEN: 'hvs.renewed' }), '1002');
  expect(await signer.call(signRequest(other))).toEqual(unavailable('VAULT_TOKEN_FILE holds no token'));
  await rm(file);
  expect(await signer.call(signRequest(other))).toEqual(
    unavailable('VAULT_TOKEN_FILE cannot be read (ENOENT)'),
  );
});

it('vault-transit: is unavailable while Vault fails, with its reason and without the token, and signs again afterwards', async () => {
  const signer = await start();
  const account = await world.createAccount(signer, '1001');
  const seen: unknown[] = [];
  const expectFailure = async (reason: string) => {
    const outcome = await signer.call(signRequest(account));
    seen.push(outcome);
    expect(outcome).toEqual(unavailable(reason));
  };
  vault.isSealed = true;
  await expectFailure('answered 503 to transit/hmac/gatehouse-root: Vault is sealed');
  vault.isSealed = false;
  vault.forbidden.add('transit/hmac/gatehouse-root');
  await expectFailure('its policy does not allow this path');
  vault.forbidden.clear();
  vault.otherAnswer = { status: 307, headers: { location: 'http://127.0.0.1:1/' } };
  await expectFailure('this node is not the active one');
  vault.otherAnswer = { status: 200, body: '<html>' };
  await expectFailure('answered 200 to transit/hmac/gatehouse-root');
  vault.otherAnswer = { status: 200, body: { data: { hmac: 'vault:v1:AAAA' } } };
  await expectFailure('answered without 32 bytes');
  vault.otherAnswer = { status: 200, body: { data: { hmac: 7 } } };
  await expectFailure('without what was asked for');
  vault.otherAnswer = { status: 200, body: ' '.repeat(200_000) };
  await expectFailure('longer than');
  vault.otherAnswer = { status: 400, body: { errors: [`bad token ${vault.token}`, 'x'.repeat(10_000)] } };
  await expectFailure('bad token …');
  vault.otherAnswer = undefined;
  vault.isSilent = true;
  await expectFailure('nothing came within');
  vault.isSilent = false;
  await expectSignature(signer, account);
  expect(JSON.stringify(seen) + signer.output).not.toContain(vault.token);
  expect(JSON.stringify(seen).length).toBeLessThan(5_000);
});

it('vault-transit: speaks TLS with VAULT_CACERT, to a namespace', async () => {
  const tls = selfSigned('127.0.0.1');
  const secured = await VaultStandIn.start({ tls, usesNamespace: true });
  try {
    const caFile = join(folder, 'ca.pem');
    await writeFile(caFile, tls.cert);
    const env = { ...secured.environment, NODE_ENV: 'production' };
    const signer = await world.startSigner({ ...env, VAULT_CACERT: caFile });
    const account = await world.createAccount(signer, '1001');
    expect(account.addresses.keyRootId).toBe(
      'vault-transit:admin/team/transit/gatehouse-root:v1:a512c18a44343230',
    );
    await expectSignature(signer, account);
    const untrusting = await world.startSigner(env);
    expect(await untrusting.call({ type: 'ping' })).toEqual(unavailable('DEPTH_ZERO_SELF_SIGNED_CERT'));
    const elsewhere = await world.startSigner({ ...env, VAULT_CACERT: caFile, VAULT_NAMESPACE: 'admin' });
    expect(await elsewhere.call({ type: 'ping' })).toEqual(unavailable('is of another namespace'));
  } finally {
    await secured.stop();
  }
});

it.each<[string, Record<string, string>, string]>([
  [
    'no token',
    { VAULT_TOKEN: '' },
    'VAULT_TOKEN: is required for `vault-transit`, unless VAULT_TOKEN_FILE is set',
  ],
  ['two tokens', { VAULT_TOKEN_FILE: '/token' }, 'VAULT_TOKEN_FILE: and VAULT_TOKEN exclude each other'],
  [
    'no version',
    { VAULT_TRANSIT_ROOT_KEY_VERSION: '' },
    'VAULT_TRANSIT_ROOT_KEY_VERSION: is required for `vault-transit`',
  ],
  ['the newest version', { VAULT_TRANSIT_ROOT_KEY_VERSION: '0' }, 'VAULT_TRANSIT_ROOT_KEY_VERSION: '],
  [
    'a path as a key',
    { VAULT_TRANSIT_WRAP_KEY: '../wrap' },
    'VAULT_TRANSIT_WRAP_KEY: must be the name of a key',
  ],
  [
    'http to another machine in production',
    { NODE_ENV: 'production', VAULT_ADDR: 'http://vault.example:8200' },
    'VAULT_ADDR: must be https in production',
  ],
  ['a file that is not there', { VAULT_CACERT: '/none/ca.pem' }, 'VAULT_CACERT: cannot be read (ENOENT)'],
  [
    'itself as the previous vault',
    { ACCOUNT_KEY_VAULT_PREVIOUS: 'vault-transit' },
    'ACCOUNT_KEY_VAULT_PREVIOUS: must be another vault than ACCOUNT_KEY_VAULT',
  ],
])('vault-transit: refuses to start with %s', async (_, change, reason) => {
  const command = world.command('materialize', { ...vault.environment, ...change });
  await expect(command).rejects.toMatchObject({ code: 78, stderr: expect.stringContaining(reason) });
});
