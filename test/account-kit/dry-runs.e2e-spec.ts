import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import type pg from 'pg';
import type { Address } from 'viem';
import { databasePool } from '../support/database-pool.js';
import { until } from '../support/until.js';
import { type AccountKitSuite, startAccountKitSuite } from './account-kit-suite.js';
import { holdSignedOperations } from './hold-signed-operations.js';

const PAYEE: Address = '0x00000000000000000000000000000000000a11ce';
const FUNDS = 10n ** 18n;
const TOKEN = { name: 'Coin', symbol: 'COIN', metadata: {} };

let kit: AccountKitSuite;
let pool: pg.Pool;
let lastUserId = 81_000;

beforeAll(async () => {
  kit = await startAccountKitSuite({}, { hasPaymasters: true });
  pool = databasePool(kit.suite.databaseUrl);
  // Executors change no row that a test compares.
  await holdSignedOperations(pool);
});

afterEach(async () => {
  await pool.query('DELETE FROM account_kit.policies; DELETE FROM account_kit.freezes');
});

afterAll(async () => {
  await pool.end();
  await kit.stop();
});

interface Plan {
  dryRun: true;
  account: string;
  paidBy: string;
  deploysAccount: boolean;
  maxGasCost: string;
  maxAccountCost: string;
  caps: unknown[];
}
interface Refused {
  error: { message: string; details: { code: string; requestId?: string; issues?: { path: string }[] } };
}
type Answer = Plan & Refused & { userOperationHash?: string };

interface User {
  readonly id: string;
  readonly address: Address;
}

const bot = (id: string) => ({ 'X-BOT-TOKEN': kit.platforms.botToken(id) });

async function createUser(funds = FUNDS): Promise<User> {
  lastUserId += 1;
  const id = String(lastUserId);
  const { body } = await kit.call<{ evm: { address: Address }[] }>('/accountkit/v1/chatbot/accounts', {
    headers: bot(id),
  });
  const [account] = body.evm;
  if (!account) throw new Error('there is no account');
  await kit.chain.setNativeBalance(account.address, funds);
  return { id, address: account.address };
}

const setPolicy = (policy: object) =>
  pool.query('INSERT INTO account_kit.policies (client_id, document) VALUES ($1, $2)', [
    kit.client.clientId,
    JSON.stringify(policy),
  ]);
const freeze = (scope: string, subject: string) =>
  pool.query(`INSERT INTO account_kit.freezes (scope, subject, reason) VALUES ($1, $2, 'a test')`, [
    scope,
    subject,
  ]);

const toPath = {
  v1: () => `/accountkit/v1/chatbot/evm/submitUserOperation?chainId=${kit.chain.chainId}`,
  v2: () => `/accountkit/v2/platform/evm/submitUserOperation?platform=chat&chainId=${kit.chain.chainId}`,
  mint: () => `/accountkit/v1/chatbot/evm/mint?chainId=${kit.chain.chainId}`,
};
type Operation = keyof typeof toPath;

const send = (
  userId: string,
  body: object,
  { operation = 'v1', headers = {}, path = toPath[operation]() }: SendOptions = {},
) =>
  kit.call<Answer>(path, {
    method: 'POST',
    headers: { ...bot(userId), 'X-ACCESS-TOKEN': kit.platforms.botToken(userId), ...headers },
    body,
  });
interface SendOptions {
  readonly operation?: Operation;
  readonly headers?: Record<string, string>;
  readonly path?: string;
}

/** A digest of each table of account-kit, but leases, which executors renew. What earlier calls have put into the outbox has left it. */
async function readRows(): Promise<Record<string, string>> {
  await until('the outbox is empty', async () => {
    const { rows } = await pool.query('SELECT FROM account_kit.outbox LIMIT 1');
    return rows.length === 0;
  });
  const { rows } = await pool.query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.tables
     WHERE table_schema = 'account_kit' AND table_type = 'BASE TABLE' AND table_name <> 'chain_leases' ORDER BY 1`,
  );
  const tables = await Promise.all(
    rows.map(async ({ name }) => {
      const { rows: texts } = await pool.query<{ text: string | null }>(
        `SELECT count(*) || ' ' || coalesce(md5(string_agg(t::text, ' ' ORDER BY t::text)), '') AS text FROM account_kit."${name}" AS t`,
      );
      return [name, texts[0]?.text ?? ''] as const;
    }),
  );
  return Object.fromEntries(tables);
}

const cap = (of: string, max: bigint | number, per = 'account') => ({
  ...{ of, chainId: kit.chain.chainId, per, period: 'day', max: String(max) },
});
const anything = () => ({ calls: [{ chainId: kit.chain.chainId, target: 'any' }], maxValue: String(FUNDS) });

it.each<[Operation, object]>([
  ['v1', { target: PAYEE, value: '5' }],
  [
    'v2',
    {
      userOps: [
        { target: PAYEE, value: '2' },
        { target: PAYEE, value: '3' },
      ],
    },
  ],
  ['mint', TOKEN],
])(
  'a dry run of %s: stores, sends and signs nothing, and the call after it does what was planned',
  async (operation, body) => {
    const user = await createUser();
    await setPolicy({
      ...anything(),
      mintChains: [kit.chain.chainId],
      sponsoredChains: [kit.chain.chainId],
      caps: [cap('gas', FUNDS), cap('value', 100), cap('mints', 3)],
    });
    const [before, blockBefore] = await Promise.all([readRows(), kit.chain.client.getBlockNumber()]);
    const dry = await send(user.id, { ...body, dryRun: true }, { operation });
    expect(dry).toMatchObject({
      status: 200,
      body: { dryRun: true, account: user.address, paidBy: 'sponsor', deploysAccount: true },
    });
    expect(JSON.stringify(dry.body)).not.toMatch(/hash|signature/i);
    expect(await readRows()).toEqual(before);
    expect(await kit.chain.client.getBlockNumber()).toBe(blockBefore);

    const real = await send(user.id, { ...body, dryRun: false }, { operation });
    expect(real).toMatchObject({ status: 200 });
    const { rows } = await pool.query<Record<string, string>>(
      `SELECT call_gas_limit AS "callGasLimit", verification_gas_limit AS "verificationGasLimit",
         pre_verification_gas AS "preVerificationGas", max_fee_per_gas AS "maxFeePerGas",
         max_priority_fee_per_gas AS "maxPriorityFeePerGas", paymaster_verification_gas_limit AS "paymasterVerificationGasLimit",
         (SELECT used::text FROM account_kit.cap_usage WHERE cap_key LIKE 'gas %' AND subject = o.account_id::text) AS "maxGasCost"
       FROM account_kit.user_operations AS o WHERE sender = $1`,
      [user.address],
    );
    const value =
      operation === 'mint' ? [] : [{ limit: expect.stringContaining('wei sent'), remaining: '95' }];
    // The address of a minted token depends on the operation, and so do a few bytes of its call data.
    const { callGasLimit, preVerificationGas, maxGasCost, ...rest } = rows[0] ?? {};
    expect(dry.body).toMatchObject(
      operation === 'mint' ? rest : { callGasLimit, preVerificationGas, maxGasCost, ...rest },
    );
    expect(dry.body.caps).toMatchObject([
      {
        limit: expect.stringContaining('wei of gas'),
        remaining: String(FUNDS - BigInt(dry.body.maxGasCost)),
      },
      ...value,
      ...(operation === 'mint' ? [{ remaining: '2' }] : []),
    ]);
    expect(dry.body.maxAccountCost).toBe(operation === 'mint' ? '0' : '5');
    const again = await send(user.id, { ...body, dryRun: true }, { operation });
    expect(again).toMatchObject({
      status: 409,
      body: { error: { details: { code: 'account_deploying' } } },
    });
  },
);

it('a dry run: says what the account pays where no sponsor does', async () => {
  const user = await createUser();
  await setPolicy(anything());
  const { body } = await send(user.id, { target: PAYEE, value: '5', dryRun: true });
  expect(body).toMatchObject({
    paidBy: 'account',
    caps: [],
    maxAccountCost: String(BigInt(body.maxGasCost) + 5n),
  });
  await kit.chain.setNativeBalance(user.address, BigInt(body.maxAccountCost));
  expect(await send(user.id, { target: PAYEE, value: '5', dryRun: true })).toMatchObject({ status: 200 });
  await kit.chain.setNativeBalance(user.address, BigInt(body.maxAccountCost) / 2n);
  expect(await send(user.id, { target: PAYEE, value: '5', dryRun: true })).toMatchObject({
    status: 409,
    body: { error: { details: { code: 'account_funds_required' } } },
  });
});

it('a dry run: opens no key', async () => {
  const user = await createUser();
  await pool.query(`UPDATE account_kit.smart_accounts SET key_root_id = 'gone' WHERE platform_user_id = $1`, [
    user.id,
  ]);
  expect(await send(user.id, { target: PAYEE, dryRun: true })).toMatchObject({ status: 200 });
  expect((await send(user.id, { target: PAYEE })).status).toBeGreaterThanOrEqual(500);
});

it.each<Operation>(['v1', 'v2', 'mint'])('a dry run of %s: makes no account', async (operation) => {
  const body = { v1: { target: PAYEE }, v2: { userOps: [{ target: PAYEE }] }, mint: TOKEN }[operation];
  const before = await readRows();
  expect(await send('999001', { ...body, dryRun: true }, { operation })).toMatchObject({
    status: 404,
    body: { error: { details: { code: 'account_not_found' } } },
  });
  expect(await readRows()).toEqual(before);
});

it.each<[Operation, object, string]>([
  ['v1', { target: PAYEE, dryRun: 'true' }, 'dryRun'],
  ['v1', { target: PAYEE, dryRun: 1 }, 'dryRun'],
  ['v2', { userOps: [{ target: PAYEE }], dryRun: null }, 'dryRun'],
  ['v2', { userOps: [{ target: PAYEE, dryRun: true }] }, 'userOps.0'],
  ['mint', { ...TOKEN, dryRun: 'yes' }, 'dryRun'],
])('a dry run of %s: the body %j is 400 that names %s', async (operation, body, path) => {
  const answer = await send('81000', body, { operation });
  expect(answer.status).toBe(400);
  expect(answer.body.error.details.issues?.map((issue) => issue.path)).toContainEqual(
    expect.stringContaining(path),
  );
});

it('a dry run: neither looks up, binds nor compares an idempotency key', async () => {
  const user = await createUser();
  await setPolicy({ ...anything(), requiresIdempotencyKey: true });
  const headers = { 'Idempotency-Key': 'dry-run' };
  const call = { target: PAYEE, value: '1' };
  expect(await send(user.id, { ...call, value: '2', dryRun: true }, { headers })).toMatchObject({
    status: 200,
  });
  const first = await send(user.id, call, { headers });
  expect(first).toMatchObject({ status: 200 });
  expect((await send(user.id, { ...call, dryRun: false }, { headers })).body).toEqual(first.body);
  const { rows } = await pool.query('SELECT FROM account_kit.user_operations WHERE sender = $1', [
    user.address,
  ]);
  expect(rows).toHaveLength(1);
});

it('a dry run: counts as a request of the client application', async () => {
  // The quota of the month: what remains of a second depends on when the second ends.
  const remaining = async (body: object) => {
    const limits = (await send('81001', body)).headers.get('ratelimit') ?? '';
    return Number(/"month";r=(\d+)/.exec(limits)?.[1]);
  };
  const call = { target: PAYEE, dryRun: true };
  const first = await remaining(call);
  expect(await remaining(call)).toBe(first - 1);
});

it.each<[object, string, string]>([
  [{ target: PAYEE, callData: '0xffffffff' }, 'target', 'callData'],
  [{ target: PAYEE, calldata: '0xffffffff' }, 'target', 'calldata'],
  [{ target: PAYEE, function: 'burn(uint256)', arguments: ['1'] }, 'target', 'function'],
])(
  'submitUserOperation: a refusal of %j by a policy names the field as the request does',
  async (call, target, data) => {
    const user = await createUser();
    const pathsOf = async (body: object, operation: Operation) => {
      const { body: refused } = await send(user.id, { ...body, dryRun: true }, { operation });
      return refused.error.details.issues?.map(({ path }) => path);
    };
    const batch = { userOps: [{ target: PAYEE }, call] };
    await setPolicy({ calls: [{ chainId: kit.chain.chainId, target: 'any', selectors: ['0x'] }] });
    expect(await pathsOf(call, 'v1')).toEqual([target]);
    expect(await pathsOf(batch, 'v2')).toEqual([`userOps.1.${target}`]);
    await pool.query('DELETE FROM account_kit.policies');
    const tokens = [{ chainId: kit.chain.chainId, token: PAYEE, maxAmount: '1' }];
    await setPolicy({ ...anything(), tokens });
    expect(await pathsOf(call, 'v1')).toEqual([data]);
    expect(await pathsOf({ userOps: [call] }, 'v2')).toEqual([`userOps.0.${data}`]);
  },
);

interface RefusedCase {
  readonly code: string;
  /** The balance of the account, in wei. */
  readonly funds?: bigint;
  readonly prepare?: (user: User) => Promise<unknown>;
  readonly body?: (user: User) => object;
  readonly options?: () => SendOptions;
}

/** The bytecode reverts with four bytes. */
const REVERTING: Address = '0x00000000000000000000000000000000000bad00';
/** The bytecode loops while more than 65,536 gas are left. */
const BURNER: Address = '0x00000000000000000000000000000000000b0b00';
const MAX_UNFINISHED = 16;

/** Makes further operations of the account, in the state of one that was given up after a day. */
const copyOperation = (sender: Address, count: number) =>
  pool.query(
    `INSERT INTO account_kit.user_operations
     SELECT (jsonb_populate_record(o, jsonb_build_object('id', gen_random_uuid(), 'hash', o.hash || n, 'nonce_sequence', n,
       'reason', 'lapsed', 'accepted_at', o.accepted_at - interval '25 hours'))).*
     FROM account_kit.user_operations AS o, generate_series(1, $2) AS n WHERE o.sender = $1`,
    [sender, count],
  );

const CASES: Record<string, RefusedCase> = {
  'a target that is not listed': {
    code: 'policy_forbidden',
    prepare: () => setPolicy({ calls: [{ chainId: kit.chain.chainId, target: kit.contracts.paymaster07 }] }),
  },
  'a selector that is not listed': {
    code: 'policy_forbidden',
    prepare: () => setPolicy({ calls: [{ chainId: kit.chain.chainId, target: 'any', selectors: ['0x'] }] }),
    body: () => ({ userOps: [{ target: PAYEE }, { target: PAYEE, callData: '0xa9059cbb' }] }),
    options: () => ({ operation: 'v2' }),
  },
  'the account itself as target': { code: 'policy_forbidden', body: ({ address }) => ({ target: address }) },
  'more value than an operation may send': {
    code: 'policy_forbidden',
    prepare: () => setPolicy({ ...anything(), maxValue: '0' }),
  },
  'more than a whole cap': {
    code: 'policy_forbidden',
    prepare: () => setPolicy({ ...anything(), caps: [cap('value', 0)] }),
  },
  'a cap that others have used': {
    code: 'policy_limit_exceeded',
    prepare: async () => {
      await setPolicy({ ...anything(), caps: [cap('value', 1, 'application')] });
      const other = await createUser();
      expect(await send(other.id, { target: PAYEE, value: '1' })).toMatchObject({ status: 200 });
    },
  },
  'gas that may cost too much': {
    code: 'policy_forbidden',
    prepare: () => setPolicy({ ...anything(), maxGasCost: '1' }),
  },
  'a mint that the policy lacks': {
    code: 'policy_forbidden',
    prepare: () => setPolicy(anything()),
    body: () => TOKEN,
    options: () => ({ operation: 'mint' }),
  },
  'a policy that wants an idempotency key': {
    code: 'idempotency_key_required',
    prepare: () => setPolicy({ ...anything(), requiresIdempotencyKey: true }),
  },
  'a call that reverts': {
    code: 'would_revert',
    prepare: () =>
      kit.chain.client.setCode({ address: REVERTING, bytecode: '0x63deadbeef60e01b60005260046000fd' }),
    body: () => ({ target: REVERTING }),
  },
  'an account without funds': {
    code: 'account_funds_required',
    funds: 0n,
    prepare: () => setPolicy(anything()),
    body: () => ({ target: PAYEE }),
  },
  'a frozen account': {
    code: 'frozen',
    prepare: async ({ address }) => {
      const { rows } = await pool.query<{ id: string }>(
        'SELECT id FROM account_kit.smart_accounts WHERE evm_address = $1',
        [address],
      );
      await freeze('account', rows[0]?.id ?? '');
    },
  },
  'a frozen chain': { code: 'frozen', prepare: () => freeze('chain', String(kit.chain.chainId)) },
  'a frozen application': { code: 'frozen', prepare: () => freeze('application', kit.client.clientId) },
  'everything frozen': { code: 'frozen', prepare: () => freeze('everything', '') },
  'a frozen sponsor': { code: 'frozen', prepare: () => freeze('paymaster', String(kit.chain.chainId)) },
  'an unfinished first operation': {
    code: 'account_deploying',
    prepare: async ({ id }) => {
      expect(await send(id, { target: PAYEE })).toMatchObject({ status: 200 });
    },
  },
  'unfinished operations that nobody tries any more': {
    code: 'unfinished_operation_limit_exceeded',
    prepare: async ({ id, address }) => {
      expect(await send(id, { target: PAYEE })).toMatchObject({ status: 200 });
      await copyOperation(address, MAX_UNFINISHED - 1);
    },
  },
  'an operation that fits into no transaction': {
    code: 'operation_too_large',
    prepare: () => kit.chain.client.setCode({ address: BURNER, bytecode: '0x5b5a6201000010600057' }),
    body: () => ({ target: BURNER }),
  },
  'a payment of more than the account has, whose gas a sponsor pays': {
    code: 'account_funds_required',
    funds: 1n,
    body: () => ({ target: PAYEE, value: '2' }),
  },
  'a chain that is not served': {
    code: 'chain_not_supported',
    options: () => ({ path: toPath.v1().replace(/\d+$/, '999') }),
  },
  'a token that the platform refuses': {
    code: 'platform_token_invalid',
    options: () => ({ headers: { 'X-BOT-TOKEN': '1:refused' } }),
  },
  'a body that is not valid': {
    code: 'input_invalid',
    body: () => ({ target: PAYEE, function: 'f(uint8 a)', arguments: ['256'] }),
  },
};

it.each(Object.entries(CASES))('a dry run: is refused like the call because of %s', async (_, refused) => {
  const user = await createUser(refused.funds);
  await refused.prepare?.(user);
  const body = refused.body?.(user) ?? { target: PAYEE, value: '1' };
  const before = await readRows();
  const dry = await send(user.id, { ...body, dryRun: true }, refused.options?.());
  expect(await readRows()).toEqual(before);
  const real = await send(user.id, body, refused.options?.());
  expect(dry.body.error.details.code).toBe(refused.code);
  const toOutcome = ({ status, headers, body: answer }: typeof dry) => [
    status,
    headers.has('Retry-After'),
    withoutRequest(answer),
  ];
  expect(toOutcome(dry)).toEqual(toOutcome(real));
});

/** What differs between any two requests. */
const withoutRequest = (body: Answer): unknown =>
  JSON.parse(JSON.stringify(body), (key, value: unknown) => (key === 'requestId' ? undefined : value));
