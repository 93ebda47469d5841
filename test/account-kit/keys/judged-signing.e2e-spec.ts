import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { Address } from 'viem';
import { ACCOUNT_CONTRACTS } from '../../../apps/account-kit/src/evm/accounts/account-contracts.js';
import {
  ACCOUNT_SALT,
  smartAccountAddress,
} from '../../../apps/account-kit/src/evm/accounts/account-address.js';
import {
  type AccountCall,
  encodeExecute,
} from '../../../apps/account-kit/src/evm/operations/encode-execute.js';
import { DETERMINISTIC_DEPLOYER } from '../../../apps/account-kit/src/evm/accounts/account-contracts.js';
import { type Account, KeysWorld } from './keys-world.js';
import type { SignerFork } from './signer-fork.js';

const CHAIN = 31_337;
const PAYEE: Address = '0x00000000000000000000000000000000000a11ce';
const SECRET = { ACCOUNT_KEY_SECRET: Buffer.alloc(32, 1).toString('base64url') };
const ALLOWED = {
  calls: [{ chainId: CHAIN, target: PAYEE }],
  maxValue: '5',
  maxGasCost: '300',
};

let world: KeysWorld;
let denying: SignerFork;
let open: SignerFork;
let account: Account;
let sender: Address;
let lastNonce = 0;

beforeAll(async () => {
  world = await KeysWorld.start();
  denying = await world.startSigner(SECRET);
  open = await world.startSigner({ ...SECRET, DEFAULT_POLICY: 'open' });
  account = await world.createAccount(denying, '5001');
  const owner = account.addresses.signerAddress;
  sender = smartAccountAddress({ owner, salt: ACCOUNT_SALT, version: '0.8' });
  await world.pool.query('UPDATE account_kit.smart_accounts SET evm_address = $1', [sender]);
});
beforeEach(() => world.pool.query('DELETE FROM account_kit.policies'));
afterAll(() => world.stop());

interface Stored {
  readonly calls?: readonly AccountCall[];
  readonly kind?: 'call' | 'mint' | 'cancellation';
  readonly fee?: number;
  /** After the encoded calls. */
  readonly trailing?: string;
}

/** Stores an operation past every check, as a process that is taken over could, and asks a signer for it. */
async function sign(
  signer: SignerFork,
  { calls = [pay(1n)], kind = 'call', fee = 1, trailing = '' }: Stored = {},
) {
  const id = randomUUID();
  const callData = calls.length === 0 ? '' : encodeExecute('0.8', calls).slice(2) + trailing;
  await world.pool.query(
    `INSERT INTO account_kit.user_operations (id, account_id, client_id, kind, chain_id, account_version, sender, nonce_key,
       nonce_sequence, deploys_account, call_data, call_gas_limit, verification_gas_limit, pre_verification_gas,
       max_fee_per_gas, max_priority_fee_per_gas, state, state_seq, accepted_at, changed_at)
     VALUES ($1, $2, 'client', $3, $4, '0.8', $5, 0, $6, false, decode($7, 'hex'), 100, 100, 100, $8, 0, 'accepted', 1, now(), now())`,
    [id, account.id, kind, CHAIN, sender, (lastNonce += 1), callData, fee],
  );
  return signer.call({ type: 'signUserOperation', operationId: id });
}

const pay = (value: bigint, target: Address = PAYEE): AccountCall => ({ target, value, data: '0x' });
const setPolicy = (document: unknown) =>
  world.pool.query(
    `INSERT INTO account_kit.policies (client_id, document) VALUES ('client', $1)
     ON CONFLICT (client_id) DO UPDATE SET document = excluded.document`,
    [document],
  );
const refused = (reason: string) => ({ status: 'refused', reason: expect.stringContaining(reason) });

it('signUserOperation: signs what the policy of now allows, and nothing after the policy was removed under deny', async () => {
  await setPolicy(ALLOWED);
  expect(await sign(denying, { calls: [pay(5n)] })).toMatchObject({ status: 'done' });
  expect(await sign(denying, { calls: [pay(2n), pay(3n)] })).toMatchObject({ status: 'done' });
  await world.pool.query('DELETE FROM account_kit.policies');
  expect(await sign(denying, { calls: [pay(5n)] })).toEqual(refused('has no policy'));
  expect(await sign(open, { calls: [pay(5n)] })).toMatchObject({ status: 'done' });
});

it.each<[string, () => Stored, string]>([
  ['sends more', () => ({ calls: [pay(3n), pay(3n)] }), 'send 6 wei'],
  [
    'calls another target',
    () => ({ calls: [pay(0n, '0x0000000000000000000000000000000000000b0b')] }),
    'not on its list',
  ],
  ['costs more gas', () => ({ fee: 2 }), 'may cost 600 wei'],
  ['is a mint', () => ({ kind: 'mint', calls: [pay(0n, DETERMINISTIC_DEPLOYER)] }), 'no mints on chain'],
])(
  'signUserOperation: does not sign a stored operation that %s than its policy allows',
  async (_, stored, reason) => {
    await setPolicy(ALLOWED);
    expect(await sign(denying, stored())).toEqual(refused(reason));
    await setPolicy({ ...ALLOWED, calls: [] });
    expect(await sign(open)).toEqual(refused('not on its list'));
  },
);

it.each<[string, () => Stored, string]>([
  ['calls the account itself', () => ({ calls: [pay(0n, sender)] }), 'never allowed'],
  [
    'calls the EntryPoint',
    () => ({ calls: [pay(0n, ACCOUNT_CONTRACTS['0.8'].entryPoint)] }),
    'never allowed',
  ],
  [
    'is a mint that pays somebody',
    () => ({ kind: 'mint', calls: [pay(1n)] }),
    'something else than the deployer',
  ],
  ['is a cancellation that pays somebody', () => ({ kind: 'cancellation' }), 'calls something'],
  ['has bytes after its call', () => ({ trailing: '00'.repeat(32) }), 'no canonical call'],
  ['calls nothing', () => ({ calls: [] }), 'no canonical call'],
])(
  'signUserOperation: does not sign a stored operation that %s, also without a policy where the default is open',
  async (_, stored, reason) => {
    expect(await sign(open, stored())).toEqual(refused(reason));
  },
);

it('signUserOperation: signs a cancellation, which calls nothing, whatever the policy is', async () => {
  expect(await sign(denying, { kind: 'cancellation', calls: [] })).toMatchObject({ status: 'done' });
  await setPolicy({});
  expect(await sign(denying, { kind: 'cancellation', calls: [] })).toMatchObject({ status: 'done' });
});
