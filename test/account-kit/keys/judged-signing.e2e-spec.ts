import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { Address } from 'viem';
import { getAddress } from 'viem/utils';
import { ACCOUNT_CONTRACTS } from '../../../apps/account-kit/src/evm/accounts/account-contracts.js';
import {
  ACCOUNT_SALT,
  smartAccountAddress,
} from '../../../apps/account-kit/src/evm/accounts/account-address.js';
import {
  type AccountCall,
  encodeExecute,
} from '../../../apps/account-kit/src/evm/operations/encode-execute.js';
import { MAX_TRANSACTION_GAS } from '../../../apps/account-kit/src/evm/estimation/gas-costs.js';
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
  const sponsor = {
    [`PAYMASTER_${CHAIN}`]: PAYMASTER,
    PAYMASTER_SIGNER_KEY: SPONSOR_KEY,
    [`MAX_FEE_PER_GAS_${CHAIN}`]: String(CEILING),
  };
  denying = await world.startSigner({ ...SECRET, ...sponsor });
  open = await world.startSigner({ ...SECRET, ...sponsor, DEFAULT_POLICY: 'open' });
  account = await world.createAccount(denying, '5001');
  const owner = account.addresses.signerAddress;
  sender = smartAccountAddress({ owner, salt: ACCOUNT_SALT, version: '0.8' });
  await world.pool.query('UPDATE account_kit.smart_accounts SET evm_address = $1', [sender]);
});
beforeEach(() => world.pool.query('DELETE FROM account_kit.policies'));
afterAll(() => world.stop());

const PAYMASTER = getAddress('0x00000000000000000000000000000000000face0');
/** The fee ceiling in wei: gas may cost at most 16,000,000 times as much. */
const CEILING = 10n ** 11n;
const MOST_EXPENSIVE = { kind: 'cancellation', calls: [], fee: CEILING } as const;
const SPONSOR_KEY = `0x${'07'.repeat(32)}`;

interface Stored {
  readonly request?: 'signUserOperation' | 'signPaymasterData';
  readonly paymaster?: Address;
  readonly state?: 'accepted' | 'rejected';
  readonly calls?: readonly AccountCall[];
  readonly kind?: 'call' | 'mint' | 'cancellation';
  readonly fee?: number | bigint;
  /** Gas limit of the validation by the paymaster. */
  readonly paymasterGas?: bigint;
  /** Bytes after the encoded calls. */
  readonly trailing?: string;
}

/** Stores an operation past every check, as a process that is taken over could, and asks a signer for it. */
async function sign(
  signer: SignerFork,
  {
    calls = [pay(1n)],
    kind = 'call',
    fee = 1,
    trailing = '',
    request = 'signUserOperation',
    paymaster,
    paymasterGas = 0n,
    state = 'accepted',
  }: Stored = {},
) {
  const id = randomUUID();
  const callData = calls.length === 0 ? '' : encodeExecute('0.8', calls).slice(2) + trailing;
  await world.pool.query(
    `INSERT INTO account_kit.user_operations (id, account_id, client_id, kind, chain_id, account_version, sender, nonce_key,
       nonce_sequence, deploys_account, call_data, call_gas_limit, verification_gas_limit, pre_verification_gas,
       max_fee_per_gas, max_priority_fee_per_gas, state, state_seq, accepted_at, changed_at, paymaster,
       paymaster_verification_gas_limit, paymaster_post_op_gas_limit)
     VALUES ($1, $2, 'client', $3, $4, '0.8', $5, 0, $6, false, decode($7, 'hex'), 100, 100, 100, $8, 0, $9, 1, now(), now(), $10, $11, 0)`,
    [
      ...[id, account.id, kind, CHAIN, sender, (lastNonce += 1), callData, fee, state],
      ...(paymaster === undefined ? [null, null] : [paymaster, paymasterGas]),
    ],
  );
  return signer.call({ type: request, operationId: id });
}

const pay = (value: bigint, target: Address = PAYEE): AccountCall => ({ target, value, data: '0x' });
const setPolicy = (document: unknown) =>
  world.pool.query(
    `INSERT INTO account_kit.policies (client_id, document) VALUES ('client', $1)
     ON CONFLICT (client_id) DO UPDATE SET document = excluded.document`,
    [document],
  );
/** Callers are answered with the code of the policy. */
const refused = (reason: string) => ({
  status: 'refused',
  reason: expect.stringContaining(reason),
  answer: expect.objectContaining({
    statusCode: 403,
    details: expect.objectContaining({ code: 'policy_forbidden' }),
  }),
});

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

const sponsored = (stored: Stored = {}): Stored => ({
  ...{ request: 'signPaymasterData', paymaster: PAYMASTER },
  ...stored,
});

it('signPaymasterData: signs for what the policy of now sponsors', async () => {
  const policy = { ...ALLOWED, sponsoredChains: [CHAIN] };
  await setPolicy(policy);
  expect(await sign(denying, sponsored())).toMatchObject({ status: 'done' });
  await setPolicy(ALLOWED);
  expect(await sign(denying, sponsored())).toEqual(refused('no sponsor on chain'));
  await world.pool.query('DELETE FROM account_kit.policies');
  expect(await sign(denying, sponsored())).toEqual(refused('has no policy'));
  expect(await sign(open, sponsored())).toMatchObject({ status: 'done' });
  const cap = { of: 'gas', chainId: CHAIN, per: 'application', period: 'day', max: '1000' };
  await setPolicy({ ...policy, caps: [cap] });
  expect(await sign(denying, sponsored())).toEqual(refused('has not reserved'));
});

it.each<[string, () => Stored, string]>([
  ['sends more than its policy allows', () => ({ calls: [pay(6n)] }), 'send 6 wei'],
  ['costs more gas than its policy allows', () => ({ fee: 2 }), 'may cost 600 wei'],
  ['calls its paymaster', () => ({ calls: [pay(0n, PAYMASTER)] }), 'never allowed'],
  ['has bytes after its call', () => ({ trailing: '00'.repeat(32) }), 'no canonical call'],
  ['is a cancellation that pays somebody', () => ({ kind: 'cancellation' }), 'calls something'],
])('signPaymasterData: does not sign for a stored operation that %s', async (_, stored, reason) => {
  await setPolicy({ ...ALLOWED, sponsoredChains: [CHAIN] });
  expect(await sign(denying, sponsored(stored()))).toEqual(refused(reason));
});

it('signPaymasterData: does not sign for an operation of another paymaster, of another account, or that is rejected', async () => {
  const outside = (reason: string) => ({ status: 'refused', reason: expect.stringContaining(reason) });
  expect(await sign(open, sponsored({ paymaster: PAYEE }))).toEqual(outside('another paymaster'));
  expect(await sign(open, sponsored({ state: 'rejected' }))).toEqual(outside('is rejected'));
  const earlier = sender;
  sender = PAYEE;
  expect(await sign(open, sponsored())).toEqual(outside('not of its account'));
  sender = earlier;
});

const tooDear = { status: 'refused', reason: expect.stringContaining('above 1600000000000000000') };

it('signPaymasterData: signs for no cancellation whose gas costs more than a full transaction at MAX_FEE_PER_GAS, under any policy', async () => {
  const paymasterGas = BigInt(MAX_TRANSACTION_GAS) - 300n;
  for (const signer of [open, denying]) {
    expect(await sign(signer, sponsored({ ...MOST_EXPENSIVE, paymasterGas }))).toMatchObject({
      status: 'done',
    });
    const further = sponsored({ ...MOST_EXPENSIVE, paymasterGas: paymasterGas + 1n });
    expect(await sign(signer, further)).toEqual(tooDear);
    const dearest = sponsored({ ...MOST_EXPENSIVE, paymasterGas, fee: CEILING + 1n });
    expect(await sign(signer, dearest)).toEqual(tooDear);
  }
});

it('signUserOperation: signs nothing whose gas costs more than a full transaction at MAX_FEE_PER_GAS, also without a policy where the default is open', async () => {
  const fee = (BigInt(MAX_TRANSACTION_GAS) * CEILING) / 300n;
  for (const stored of [{ fee: fee + 1n }, { ...MOST_EXPENSIVE, fee: fee + 1n }])
    expect(await sign(open, stored)).toEqual(tooDear);
  expect(await sign(open, { fee })).toMatchObject({ status: 'done' });
});
