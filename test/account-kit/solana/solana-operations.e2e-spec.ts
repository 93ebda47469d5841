import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { address, lamports } from '@solana/kit';
import { Keypair, type PublicKey } from '@solana/web3.js';
import base58 from 'bs58';
import { SolanaCluster } from '../../../scripts/chain/solana/cluster.mjs';
import { SolanaNode } from '../../support/solana-node.js';
import { newAddress } from '../../support/solana-transactions.js';
import { until } from '../../support/until.js';
import { queryDatabase } from '../../identity/query-database.js';
import { type AccountKitSuite, startAccountKitSuite } from '../account-kit-suite.js';
import { BotAccounts } from './bot-accounts.js';

let kit: AccountKitSuite;
let cluster: SolanaCluster;
let node: SolanaNode;
let bots: BotAccounts;
const sponsor = Keypair.generate();

beforeAll(async () => {
  cluster = new SolanaCluster();
  node = await SolanaNode.start(cluster);
  kit = await startAccountKitSuite({
    RPC_URL_8000000000103: node.url,
    SOLANA_SPONSOR_KEY_SOL_DEVNET: base58.encode(sponsor.secretKey),
  });
  cluster.svm.airdrop(address(sponsor.publicKey.toBase58()), lamports(1_000_000_000n));
  bots = new BotAccounts(kit, cluster);
});

afterEach(() => queryDatabase(kit.suite.databaseUrl, 'DELETE FROM account_kit.policies'));

afterAll(async () => {
  await kit.stop();
  await node.stop();
});

interface Refused {
  error: { details: { code: string; issues?: { path: string }[] } };
}
interface Status {
  response: {
    state?: string;
    slot?: number;
    meta?: { err: unknown };
    transaction?: { signatures: string[] };
  };
}

const statusOf = (userId: string, signature: string, headers: Record<string, string> = {}) =>
  kit.call<Status & Refused>(
    `/accountkit/v1/chatbot/solana/transactionResponse?network=SOL_DEVNET&txSignatureBase64=${encodeURIComponent(signature)}`,
    { headers: { ...bots.headers(userId), ...headers } },
  );

describe('Solana transactions through the gateway', () => {
  it('submitTransaction: signs with the account of the bot, sends, and answers as getTransaction answers', async () => {
    const account = await bots.loadFunded('3001');
    const receiver = newAddress();
    const { status, body } = await bots.submit('3001', bots.createPayment(account, receiver));
    expect({ status, body }).toEqual({ status: 200, body: { txSignature: expect.any(String) } });
    const response = await statusOf('3001', body.txSignature);
    expect(response).toMatchObject({
      status: 200,
      body: {
        response: {
          slot: expect.any(Number),
          meta: { err: null, fee: 5_000 },
          transaction: { signatures: [body.txSignature] },
        },
      },
    });
    expect(bots.balanceOf(receiver)).toBe(7_000_000n);
    const base64 = Buffer.from(base58.decode(body.txSignature)).toString('base64');
    expect((await statusOf('3001', base64)).body.response.transaction).toEqual(
      response.body.response.transaction,
    );
  });

  it('submitTransaction: takes transactions of users of a platform, too, once for the same bytes', async () => {
    const account = await bots.loadFunded('3002');
    const receiver = newAddress();
    const serializedTransactionBase64 = bots.createPayment(account, receiver);
    const responses = await Promise.all(
      [1, 2, 3].map(() =>
        kit.call<{ txSignature: string }>(
          '/accountkit/v2/platform/solana/submitTransaction?platform=chat&network=SOL_DEVNET',
          {
            method: 'POST',
            headers: { 'X-ACCESS-TOKEN': kit.platforms.botToken('3002') },
            body: { serializedTransactionBase64 },
          },
        ),
      ),
    );
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(new Set(responses.map(({ body }) => body.txSignature)).size).toBe(1);
    await until('the payment arrives', () => bots.balanceOf(receiver) === 7_000_000n);
    expect(bots.balanceOf(account)).toBe(10_000_000_000n - 7_000_000n - 5_000n);
  });

  it('submitTransaction: answers 403 policy_forbidden when the policy is tightened between acceptance and signature, and sends nothing', async () => {
    const account = await bots.loadFunded('3010');
    const receiver = newAddress();
    const query = (sql: string) => queryDatabase(kit.suite.databaseUrl, sql);
    const policy = JSON.stringify({ solanaNetworks: ['SOL_DEVNET'] });
    await query(
      `INSERT INTO account_kit.policies (client_id, document) VALUES ('${kit.client.clientId}', '${policy}')`,
    );
    // The policy changes in the statement that accepts the transaction, after this process has judged it: only the
    // signer sees the change.
    await query(`CREATE FUNCTION account_kit.tighten() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN UPDATE account_kit.policies SET document = document || ''{"maxLamports":"1"}''; RETURN NULL; END'`);
    await query(
      'CREATE TRIGGER tighten AFTER INSERT ON account_kit.solana_transactions EXECUTE FUNCTION account_kit.tighten()',
    );
    try {
      expect(await bots.submit('3010', bots.createPayment(account, receiver))).toMatchObject({
        status: 403,
        body: {
          error: {
            message: expect.stringContaining('lamports'),
            details: { code: 'policy_forbidden' },
          },
        },
      });
    } finally {
      await query('DROP FUNCTION account_kit.tighten CASCADE');
    }
    expect(bots.balanceOf(receiver)).toBe(0n);
  });

  it('transactionResponse: answers 202 until the transaction is included', async () => {
    const account = await bots.loadFunded('3003');
    node.loseTransactions();
    const { body } = await bots.submit('3003', bots.createPayment(account));
    const pending = await statusOf('3003', body.txSignature, { Prefer: 'wait=0' });
    expect(pending.status).toBe(202);
    expect(pending.headers.get('retry-after')).toBe('2');
    expect(['signed', 'submitted']).toContain(pending.body.response.state);
    node.behave = () => false;
    expect((await statusOf('3003', body.txSignature)).status).toBe(200);
  });

  it('transactionResponse: answers 202 after Prefer: wait=25, also behind a gateway that ends other requests sooner', async () => {
    const account = await bots.loadFunded('3006');
    const gateway = await kit.suite.another('gateway', { UPSTREAM_TIMEOUT_MS: '5000' });
    node.loseTransactions();
    try {
      const { body } = await bots.submit('3006', bots.createPayment(account));
      const query = `network=SOL_DEVNET&txSignatureBase64=${encodeURIComponent(body.txSignature)}`;
      const startedAt = performance.now();
      const response = await fetch(
        `${gateway.url}/accountkit/v1/chatbot/solana/transactionResponse?${query}`,
        {
          headers: { 'X-API-Key': kit.client.apiKey, ...bots.headers('3006'), Prefer: 'wait=25' },
        },
      );
      expect([response.status, await response.json()]).toMatchObject([202, { response: {} }]);
      expect(performance.now() - startedAt).toBeGreaterThan(24_000);
    } finally {
      node.behave = () => false;
    }
  });

  it('/metrics: tells how old the oldest Solana transaction is that has not ended, and what the sponsor has', async () => {
    const account = await bots.loadFunded('3009');
    const load = async (url: string, name: string, labels: string) => {
      const text = await (await fetch(`${url}/metrics`)).text();
      const line = text
        .split('\n')
        .find((one) => one.startsWith(`account_kit_${name}{`) && one.includes(labels));
      return line === undefined ? undefined : Number(line.split(' ').at(-1));
    };
    const running = kit.suite.app('account-kit').managementUrl;
    node.loseTransactions();
    try {
      await bots.submit('3009', bots.createPayment(account));
      await until('the transaction that waits has an age', async () => {
        const age = await load(
          running,
          'oldest_solana_transaction_seconds',
          'network="SOL_DEVNET",state="submitted"',
        );
        return (age ?? 0) > 0;
      });
    } finally {
      node.behave = () => false;
    }
    // Another instance, because balances are loaded every half minute.
    const another = await kit.suite.another('account-kit');
    const balance = Number(bots.balanceOf(sponsor.publicKey));
    const labels = `network="SOL_DEVNET",sponsor="${sponsor.publicKey.toBase58()}"`;
    expect(await load(another.managementUrl, 'solana_sponsor_lamports', labels)).toBe(balance);
    expect(await load(another.managementUrl, 'solana_sponsor_affordable_transactions', labels)).toBe(
      Math.floor((balance - 890_880) / 100_000),
    );
    await another.stop();
  });

  it('transactionResponse: shows a transaction to its own account only', async () => {
    const account = await bots.loadFunded('3004');
    const payment = bots.createPayment(account);
    const { body } = await bots.submit('3004', payment);
    for (const signature of [body.txSignature, base58.encode(Buffer.alloc(64, 9))])
      expect(await statusOf('3005', signature)).toMatchObject({
        status: 404,
        body: { error: { details: { code: 'solana_transaction_not_found' } } },
      });
    expect(await bots.submit<Refused>('3005', payment)).toMatchObject({
      status: 409,
      body: { error: { details: { code: 'transaction_conflict' } } },
    });
    expect(await bots.submit<Refused>('3005', bots.createPayment(account))).toMatchObject({
      status: 400,
      body: {
        error: {
          details: {
            code: 'solana_transaction_invalid',
            issues: [{ path: 'serializedTransactionBase64' }],
          },
        },
      },
    });
  });

  it('submitTransaction: costs the account no fee when the transaction names the sponsor, as far as the policy allows', async () => {
    const account = await bots.loadFunded('3007');
    const receiver = newAddress();
    const sponsors = () => kit.call<{ items: unknown[] }>('/accountkit/v2/solana/sponsors');
    const listed = { network: 'SOL_DEVNET', address: sponsor.publicKey.toBase58(), maxFeeLamports: 100_000 };
    expect((await sponsors()).body).toEqual({ items: [listed] });
    const pay = (to: PublicKey) => bots.createPayment(account, to, sponsor.publicKey);
    const { status, body } = await bots.submit('3007', pay(receiver));
    expect({ status, body }).toEqual({ status: 200, body: { txSignature: expect.any(String) } });
    await until('the payment arrives', () => bots.balanceOf(receiver) === 7_000_000n);
    expect(bots.balanceOf(account)).toBe(10_000_000_000n - 7_000_000n);
    expect(bots.balanceOf(sponsor.publicKey)).toBe(1_000_000_000n - 10_000n);

    await queryDatabase(
      kit.suite.databaseUrl,
      'INSERT INTO account_kit.policies (client_id, document) VALUES ($1, $2)',
      [kit.client.clientId, { solanaNetworks: ['SOL_DEVNET'] }],
    );
    expect((await sponsors()).body).toEqual({ items: [] });
    expect(await bots.submit<Refused>('3007', pay(newAddress()))).toMatchObject({
      status: 403,
      body: { error: { details: { code: 'policy_forbidden' } } },
    });
    expect((await bots.submit('3007', bots.createPayment(account))).status).toBe(200);
  });

  describe('that are dry runs', () => {
    const tables = [
      'smart_accounts',
      'solana_transactions',
      'idempotency_keys',
      'cap_usage',
      'cap_reservations',
    ];
    const countRows = () =>
      queryDatabase(
        kit.suite.databaseUrl,
        `SELECT ${tables.map((name) => `(SELECT count(*)::int FROM account_kit.${name}) AS ${name}`).join(', ')}`,
      );
    const setPolicy = (document: object) =>
      queryDatabase(
        kit.suite.databaseUrl,
        'INSERT INTO account_kit.policies (client_id, document) VALUES ($1, $2)',
        [kit.client.clientId, { solanaNetworks: ['SOL_DEVNET'], ...document }],
      );
    const send = (userId: string, serializedTransactionBase64: string, more: object = {}) =>
      kit.call<Refused>('/accountkit/v1/chatbot/solana/submitTransaction?network=SOL_DEVNET', {
        method: 'POST',
        headers: bots.headers(userId),
        body: { serializedTransactionBase64, ...more },
      });
    const cap = { of: 'lamports', network: 'SOL_DEVNET', per: 'account', period: 'day' };

    it('a dry run of submitTransaction: tells the cost, and stores, signs and sends nothing', async () => {
      const account = await bots.loadFunded('3010');
      await setPolicy({ sponsoredNetworks: ['SOL_DEVNET'], caps: [{ ...cap, max: '10000000' }] });
      const receiver = newAddress();
      const payment = bots.createPayment(account, receiver);
      const before = await countRows();
      expect(await send('3010', payment, { dryRun: true })).toMatchObject({
        status: 200,
        body: {
          ...{ dryRun: true, network: 'SOL_DEVNET', account: account.toBase58(), paidBy: 'account' },
          ...{ fee: '5000', maxAccountCost: '7005000' },
          caps: [
            {
              remaining: '2995000',
              availableAt: new Date(new Date().setUTCHours(24, 0, 0, 0)).toISOString(),
            },
          ],
        },
      });
      const sponsored = bots.createPayment(account, receiver, sponsor.publicKey);
      expect(await send('3010', sponsored, { dryRun: true })).toMatchObject({
        status: 200,
        body: {
          paidBy: 'sponsor',
          fee: '10000',
          maxAccountCost: '7000000',
          caps: [{ remaining: '3000000' }],
        },
      });
      expect(await countRows()).toEqual(before);
      const sent = await bots.submit('3010', payment);
      expect(sent).toMatchObject({ status: 200, body: { txSignature: expect.any(String) } });
      expect(await send('3010', bots.createPayment(account), { dryRun: true })).toMatchObject({
        status: 403,
        body: { error: { details: { code: 'policy_limit_exceeded' } } },
      });
      await until('the payment arrives', () => bots.balanceOf(receiver) === 7_000_000n);
    });

    it.each<[string, object | undefined, (account: PublicKey) => string]>([
      ['policy_forbidden', { maxLamports: '1' }, (account) => bots.createPayment(account)],
      ['policy_forbidden', { solanaNetworks: [] }, (account) => bots.createPayment(account)],
      ['policy_forbidden', { caps: [{ ...cap, max: '1' }] }, (account) => bots.createPayment(account)],
      ['policy_forbidden', {}, (account) => bots.createPayment(account, newAddress(), sponsor.publicKey)],
      [
        'idempotency_key_required',
        { requiresIdempotencyKey: true },
        (account) => bots.createPayment(account),
      ],
      ['solana_transaction_invalid', undefined, () => 'AAAA'],
      ['solana_transaction_invalid', undefined, () => bots.createPayment(newAddress())],
    ])(
      'a dry run of submitTransaction: is refused like the call with %s by the policy %j',
      async (code, policy, build) => {
        const account = await bots.loadFunded('3011');
        if (policy) await setPolicy(policy);
        const transaction = build(account);
        const dry = await send('3011', transaction, { dryRun: true });
        const real = await send('3011', transaction, { dryRun: false });
        expect(dry.body.error.details.code).toBe(code);
        expect([dry.status, { ...dry.body.error.details, requestId: '' }]).toEqual([
          real.status,
          { ...real.body.error.details, requestId: '' },
        ]);
      },
    );

    it('a dry run of submitTransaction: makes no account, and simulates as the call does', async () => {
      const before = await countRows();
      expect(await send('3012', bots.createPayment(newAddress()), { dryRun: true })).toMatchObject({
        status: 404,
        body: { error: { details: { code: 'account_not_found' } } },
      });
      expect(await countRows()).toEqual(before);
      const poor = await bots.load('3013');
      const payment = bots.createPayment(poor);
      for (const dryRun of [true, false])
        expect(await send('3013', payment, { dryRun })).toMatchObject({
          status: 409,
          body: {
            error: {
              details: {
                code: 'account_funds_required',
                requiredLamports: '7005000',
                availableLamports: '0',
              },
            },
          },
        });
    });
  });

  it.each([
    ['no transaction', 'AAAA', 'SOL_DEVNET', 400, 'solana_transaction_invalid'],
    ['a network without nodes', undefined, 'SOL', 400, 'network_not_supported'],
  ])('are refused: %s', async (_, bytes, network, status, code) => {
    const account = await bots.load('3006', network);
    expect(await bots.submit<Refused>('3006', bytes ?? bots.createPayment(account), network)).toMatchObject({
      status,
      body: { error: { details: { code } } },
    });
  });
});
