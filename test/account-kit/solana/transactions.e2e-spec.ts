import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import 'reflect-metadata';
import { serviceUnavailable } from '@app/common';
import { Keypair, PublicKey, SystemProgram, TransactionInstruction } from '@solana/web3.js';
import base58 from 'bs58';
import fc from 'fast-check';
import { parsePolicyDocument } from '../../../apps/account-kit/src/policies/rules/parse-policy-document.js';
import {
  MAX_ACCEPTANCE_MS,
  MAX_SIGNING_MS,
  RequestDeadline,
} from '../../../apps/account-kit/src/request-deadline.js';
import type { SolanaNode } from '../../support/solana-node.js';
import { createTransfer, newAddress } from '../../support/solana-transactions.js';
import { until } from '../../support/until.js';
import { answerAll, foreignAnswer } from '../foreign-answer.js';
import { type Account, MEMO_PROGRAM, SolanaWorld } from './solana-world.js';

let world: SolanaWorld;
let account: Account;

beforeEach(async () => {
  world = await SolanaWorld.start();
  account = await world.createAccount();
});

afterEach(() => world.stop());

const pay = (to = newAddress(), amount = 5_000_000) =>
  world.build(account.key, [
    SystemProgram.transfer({ fromPubkey: account.key, toPubkey: to, lamports: amount }),
  ]);

/** A payment of another account. */
async function payFromOther(): Promise<string> {
  const { key, ...other } = await world.createAccount();
  const transfer = SystemProgram.transfer({ fromPubkey: key, toPubkey: newAddress(), lamports: 5_000_000 });
  return world.submit({ key, ...other }, world.build(key, [transfer]));
}

const untilState = (signature: string, state: string) =>
  until(`the transaction is ${state}`, async () => (await world.stateOf(signature)) === state);

function loseTransactions(isLosing: () => boolean): void {
  for (const node of world.nodes) node.loseTransactions(isLosing);
}

/** Says that the chain is far ahead, that no blockhash is valid any more, and that it knows no transaction. */
function inventExpiry(liar: SolanaNode): void {
  liar.change = (response, { method, params }) => {
    if (method === 'getBlockHeight') return { ...response, result: 2 ** 40 };
    if (method === 'getEpochInfo') return { ...response, result: { absoluteSlot: 1, blockHeight: 2 ** 40 } };
    const { context } = response.result as { context: object };
    if (method === 'isBlockhashValid') return { ...response, result: { context, value: false } };
    if (method !== 'getSignatureStatuses') return response;
    return { ...response, result: { context, value: (params[0] as unknown[]).map(() => null) } };
  };
}

const policyOf = (document: object) =>
  parsePolicyDocument(JSON.stringify({ solanaNetworks: ['SOL_DEVNET'], ...document }));
const capOf = (max: number) =>
  policyOf({
    caps: [{ of: 'lamports', network: 'SOL_DEVNET', per: 'application', period: 'day', max: String(max) }],
  });

describe('a Solana transaction of an account', () => {
  it('Solana transaction of an account: is signed, sent and followed until it is final', async () => {
    const receiver = newAddress();
    world.startWorker();
    const signature = await world.submit(account, pay(receiver));
    await untilState(signature, 'included');
    expect(world.balanceOf(receiver)).toBe(5_000_000n);
    await expect(world.load(account, signature)).resolves.toMatchObject({
      response: {
        meta: { err: null, fee: 5_000 },
        transaction: {
          signatures: [signature],
          message: { accountKeys: expect.arrayContaining([account.address, receiver.toBase58()]) },
        },
      },
    });
    world.cluster.skipSlots(40);
    await untilState(signature, 'final');
    expect(await world.eventsOf(signature)).toEqual([
      ...['1 accepted', '2 signed', '3 submitted', '4 included', '5 final'],
    ]);
    const base64 = Buffer.from(base58.decode(signature)).toString('base64');
    const [byBase64, byBase58] = [await world.load(account, base64), await world.load(account, signature)];
    expect(byBase64).toEqual(byBase58);
    expect(byBase58).toMatchObject({ response: { slot: expect.any(Number), meta: { err: null } } });
    expect(world.balanceOf(receiver)).toBe(5_000_000n);
  });

  it('Solana transaction of an account: is stored and sent once, however often and at the same time it is submitted', async () => {
    const receiver = newAddress();
    const transaction = pay(receiver);
    const signatures = await Promise.all(Array.from({ length: 6 }, () => world.submit(account, transaction)));
    world.startWorker();
    await untilState(signatures[0] ?? '', 'included');
    signatures.push(await world.submit(account, transaction));
    expect(new Set(signatures).size).toBe(1);
    expect(await world.query('SELECT 1 FROM account_kit.solana_transactions')).toHaveLength(1);
    expect(world.balanceOf(receiver)).toBe(5_000_000n);
  });

  it('Solana transaction of an account: is not accepted when its simulation fails, or takes more than the account has', async () => {
    await expect(world.submit(account, pay(newAddress(), 11_000_000_000))).rejects.toMatchObject({
      statusCode: 409,
      details: {
        code: 'account_funds_required',
        requiredLamports: '11000005000',
        availableLamports: String(world.balanceOf(account.key)),
      },
    });
    // Accounts without data have to keep a rent of 890,880 lamports.
    await expect(world.submit(account, pay(newAddress(), 1))).rejects.toMatchObject({
      statusCode: 409,
      details: { code: 'would_revert', err: { InsufficientFundsForRent: { account_index: 1 } } },
    });
    expect(await world.query('SELECT 1 FROM account_kit.solana_transactions')).toEqual([]);
  });

  it('Solana transaction of an account: carries the signatures of others', async () => {
    const other = Keypair.generate();
    world.fund(other.publicKey);
    const instructions = [createTransfer(account.key, 3_000_000), createTransfer(other.publicKey, 3_000_000)];
    await expect(world.submit(account, world.build(account.key, instructions))).rejects.toMatchObject({
      statusCode: 400,
    });
    world.startWorker();
    await untilState(
      await world.submit(account, world.build(account.key, instructions, [other])),
      'included',
    );
  });

  it('Solana transaction of an account: calls only programs that are decoded or on the list', async () => {
    const call = (program: PublicKey) =>
      world.build(account.key, [
        new TransactionInstruction({ programId: program, keys: [], data: Buffer.from('thanks') }),
      ]);
    await expect(world.submit(account, call(newAddress()))).rejects.toMatchObject({
      statusCode: 403,
      details: { code: 'policy_forbidden' },
    });
    await expect(world.submit(account, call(new PublicKey(MEMO_PROGRAM)))).resolves.toEqual(
      expect.any(String),
    );
  });

  it('Solana transaction of an account: belongs to its account', async () => {
    const signature = await world.submit(account, pay());
    const other = await world.createAccount();
    await expect(world.load(other, signature)).rejects.toMatchObject({ statusCode: 404 });
    await expect(world.load(account, base58.encode(Buffer.alloc(64, 7)))).rejects.toMatchObject({
      statusCode: 404,
    });
    await expect(world.load(account, signature)).resolves.toEqual({ isPending: true, state: 'submitted' });
  });

  it('Solana transaction of an account: is taken up by another worker after its first one ended once it was signed', async () => {
    const receiver = newAddress();
    const signature = await world.submit(account, pay(receiver));
    for (const state of ['signed', 'submitted']) {
      await world.query('UPDATE account_kit.solana_transactions SET state = $1, next_attempt_at = now()', [
        state,
      ]);
      world.startWorker();
      await untilState(signature, 'included');
      await world.stopWorkers();
    }
    expect(world.balanceOf(receiver)).toBe(5_000_000n);
  });

  it('T200: Solana transaction of an account: is rejected when its request does not sign it in time, and can be submitted again', async () => {
    const transaction = pay();
    let release = (): void => undefined;
    world.signer.meanwhile = () => new Promise<void>((resolve) => (release = resolve));
    const submitted = Promise.allSettled([world.submit(account, transaction)]);
    await until('the keys are asked', () => world.signer.calls === 1);
    expect(await world.settleAll()).toBe(1);
    release();
    const unavailable = { status: 'rejected', reason: { details: { code: 'operation_unavailable' } } };
    expect(await submitted).toMatchObject([unavailable]);
    world.signer.meanwhile = () => Promise.resolve();
    world.startWorker();
    await untilState(await world.submit(account, transaction), 'included');
    expect(
      await world.query('SELECT state, reason FROM account_kit.solana_transactions ORDER BY accepted_at'),
    ).toEqual([
      { state: 'rejected', reason: 'abandoned' },
      { state: 'included', reason: null },
    ]);
  });

  it('T131: Solana transaction of an account: is sent again as the same bytes until the cluster has it', async () => {
    let isLosing = true;
    const receiver = newAddress();
    loseTransactions(() => isLosing);
    world.startWorker();
    const signature = await world.submit(account, pay(receiver));
    await untilState(signature, 'submitted');
    expect(world.balanceOf(receiver)).toBe(0n);
    isLosing = false;
    await untilState(signature, 'included');
    expect(world.balanceOf(receiver)).toBe(5_000_000n);
  });

  it('T131: Solana transaction of an account: is sent by a worker when the nodes fail while its request would send it', async () => {
    let failures = 0;
    let fail = (): void => undefined;
    const failed = new Promise<void>((resolve) => (fail = resolve));
    for (const node of world.nodes)
      node.behave = (body, response) => {
        if (!body.includes('"sendTransaction"') || (failures += 1) > world.nodes.length) return false;
        void failed.then(() => response.destroy());
        return true;
      };
    const receiver = newAddress();
    const signature = await world.submit(account, pay(receiver));
    const findDue = async () => {
      const sql = `SELECT next_attempt_at::text AS at, next_attempt_at <= now() AS "isNow"
        FROM account_kit.solana_transactions`;
      return (await world.query<{ at: string; isNow: boolean }>(sql))[0];
    };
    const planned = await findDue();
    fail();
    await until('it is due at once', async () => {
      const due = await findDue();
      return due?.isNow === true && due.at !== planned?.at;
    });
    expect(world.balanceOf(receiver)).toBe(0n);
    world.startWorker();
    await untilState(signature, 'included');
    expect(world.balanceOf(receiver)).toBe(5_000_000n);
  });

  it('T198: Solana transaction of an account: is stored as sent before a freeze that is made meanwhile, or not at all', async () => {
    let release: () => Promise<void> = () => Promise.resolve();
    world.signer.meanwhile = async () => {
      release = await world.holdTransactions();
    };
    const submitted = world.submit(account, pay());
    await until('its signature is being stored', async () => (await world.countWaiting()) === 1);
    let stateAtFreeze: Promise<string | undefined> | undefined;
    const stateOfIt = async () => {
      const rows = await world.query<{ state: string }>('SELECT state FROM account_kit.solana_transactions');
      return rows[0]?.state;
    };
    const frozen = world.freezeEverything().then(() => (stateAtFreeze = stateOfIt()));
    await until(
      'the freeze waits or has ended',
      async () => (await world.countWaiting()) === 2 || stateAtFreeze !== undefined,
    );
    await release();
    await submitted;
    expect(await frozen).toBe(await stateOfIt());
    world.signer.meanwhile = () => Promise.resolve();
    await expect(world.submit(account, pay())).rejects.toMatchObject({ details: { code: 'frozen' } });
  });

  it('T199: Solana transaction of an account: is not accepted after a freeze that is made while it waits for the lock of its account', async () => {
    const release = await world.holdAcceptance(account);
    const submitted = Promise.allSettled([world.submit(account, pay())]);
    await until('its acceptance waits', async () => (await world.countWaiting()) === 1);
    await world.freezeEverything();
    await release();
    const refused = { status: 'rejected', reason: { details: { code: 'frozen' } } };
    expect(await submitted).toMatchObject([refused]);
    expect(await world.query('SELECT FROM account_kit.solana_transactions')).toEqual([]);
    expect(world.signer.calls).toBe(0);
  });

  it.each([
    ['alone', { idempotencyKey: 'key' }],
    ['together with others', {}],
    ['under a cap', { policy: capOf(10_000_000) }],
  ])(
    'T210: acceptance %s: stores nothing once its request has taken too long, also while it waits for the database',
    async (_name, options) => {
      const timedOut = { statusCode: 503, details: { code: 'acceptance_timeout' } };
      const past = new RequestDeadline(performance.now() - MAX_ACCEPTANCE_MS);
      await expect(world.submit(account, pay(), { ...options, deadline: past })).rejects.toMatchObject(
        timedOut,
      );
      const release = await world.holdAcceptance(account);
      const deadline = new RequestDeadline(performance.now() - MAX_ACCEPTANCE_MS + 1_000);
      const submitted = Promise.allSettled([world.submit(account, pay(), { ...options, deadline })]);
      await until('its acceptance waits', async () => (await world.countWaiting()) === 1);
      await until('the deadline is past', () => deadline.isPast);
      await release();
      expect(await submitted).toMatchObject([{ status: 'rejected', reason: timedOut }]);
      expect(await world.query('SELECT FROM account_kit.solana_transactions')).toEqual([]);
      expect(await world.query('SELECT FROM account_kit.cap_reservations')).toEqual([]);
      expect(world.signer.calls).toBe(0);
    },
  );

  it('T210: Solana transaction of an account: stores no signature of a transaction that was accepted too long ago, before a worker rejects it', async () => {
    world.signer.meanwhile = () =>
      world.query(
        `UPDATE account_kit.solana_transactions SET accepted_at = now() - interval '1 ms' * ${MAX_SIGNING_MS}`,
      );
    const transaction = pay();
    await expect(world.submit(account, transaction)).rejects.toMatchObject({
      statusCode: 503,
      details: { code: 'operation_unavailable' },
    });
    expect(await world.query('SELECT state, signature FROM account_kit.solana_transactions')).toEqual([
      { state: 'rejected', signature: null },
    ]);
    world.signer.meanwhile = () => Promise.resolve();
    await expect(world.submit(account, transaction)).resolves.toEqual(expect.any(String));
  });

  it('T195: Solana transaction of an account: is rejected, and its signature discarded, when operators freeze it while it is signed', async () => {
    const transaction = pay();
    world.signer.meanwhile = () => world.freezeEverything();
    await expect(world.submit(account, transaction, { idempotencyKey: 'key' })).rejects.toMatchObject({
      statusCode: 403,
      details: { code: 'frozen' },
    });
    expect(await world.query('SELECT state, signature FROM account_kit.solana_transactions')).toEqual([
      { state: 'rejected', signature: null },
    ]);
    world.signer.meanwhile = () => Promise.resolve();
    await world.query('DELETE FROM account_kit.freezes');
    world.startWorker();
    await untilState(await world.submit(account, transaction, { idempotencyKey: 'key' }), 'included');
  });

  it('T197: Solana transaction of an account: keeps its idempotency key when one request signs it while the other one fails', async () => {
    const [transaction, idempotencyKey] = [pay(), 'key'];
    let release: () => Promise<void> = () => Promise.resolve();
    world.signer.meanwhile = async () => {
      release = await world.holdTransactions();
    };
    const signing = world.submit(account, transaction, { idempotencyKey });
    await until('its signature is being stored', async () => (await world.countWaiting()) === 1);
    world.signer.failure = serviceUnavailable('keys_unavailable', 'The keys are away.');
    const failing = world.submit(account, transaction, { idempotencyKey });
    await until('its rejection waits, too', async () => (await world.countWaiting()) === 2);
    await release();
    expect(await failing).toBe(await signing);
    await expect(world.submit(account, pay(), { idempotencyKey })).rejects.toMatchObject({
      details: { code: 'idempotency_key_conflict' },
    });
  });

  it('an idempotency key: gets the first answer of a Solana transaction after the policy was tightened', async () => {
    const [transaction, idempotencyKey] = [pay(), 'tightened'];
    const policy = parsePolicyDocument(JSON.stringify({ solanaNetworks: ['SOL_DEVNET'], maxLamports: '1' }));
    const first = await world.submit(account, transaction, { idempotencyKey });
    await expect(world.submit(account, transaction, { idempotencyKey, policy })).resolves.toBe(first);
    await expect(world.submit(account, pay(), { policy })).rejects.toMatchObject({
      details: { code: 'policy_forbidden' },
    });
  });

  it.each([
    ['another client application', 'other', 'submitted'],
    ['its own client application', 'client', 'rejected'],
  ])(
    'T211: refuse: a repeat that the policy of %s forbids leaves a transaction, which its request is signing, %s',
    async (_name, clientId, state) => {
      const transaction = pay();
      let release = (): void => undefined;
      world.signer.meanwhile = () => new Promise<void>((resolve) => (release = resolve));
      const submitted = Promise.allSettled([world.submit(account, transaction)]);
      await until('the keys are asked', () => world.signer.calls === 1);
      const policy = policyOf({ maxLamports: '1' });
      await expect(world.submit(account, transaction, { clientId, policy })).rejects.toMatchObject({
        statusCode: 403,
      });
      release();
      const [outcome] = await submitted;
      expect(outcome.status).toBe(state === 'submitted' ? 'fulfilled' : 'rejected');
      expect(await world.query('SELECT state FROM account_kit.solana_transactions')).toEqual([{ state }]);
    },
  );

  it('T132: Solana transaction of an account: expires when no block can hold it any more', async () => {
    loseTransactions(() => true);
    const signature = await world.submit(account, pay());
    world.startWorker();
    await untilState(signature, 'submitted');
    world.cluster.skipSlots(200);
    await untilState(signature, 'expired');
    await expect(world.load(account, signature)).resolves.toMatchObject({
      isPending: false,
      response: { state: 'expired', reason: 'blockhash_expired' },
    });
  });

  it('T132: Solana transaction of an account: does not expire while a node still finds its blockhash', async () => {
    loseTransactions(() => true);
    const signature = await world.submit(account, pay());
    world.cluster.skipSlots(200);
    for (const node of world.nodes)
      node.change = (response, { method }) =>
        method === 'isBlockhashValid'
          ? { ...response, result: { context: { slot: 1 }, value: true } }
          : response;
    expect(await world.settleAll()).toBe(1);
    expect(await world.stateOf(signature)).toBe('submitted');
  });

  it('T132: Solana transaction of an account: does not expire by statuses that are older than the state in which its blockhash is not valid', async () => {
    const receiver = newAddress();
    const signature = await world.submit(account, pay(receiver));
    await until('it has landed', () => world.balanceOf(receiver) === 5_000_000n);
    world.cluster.skipSlots(200);
    for (const node of world.nodes)
      node.change = (response, { method }) =>
        method === 'getSignatureStatuses'
          ? { ...response, result: { context: { slot: 1 }, value: [null] } }
          : response;
    expect(await world.settleAll()).toBe(1);
    expect(await world.stateOf(signature)).toBe('submitted');
  });

  it('T132: Solana transaction of an account: does not expire when nodes that knew nothing of it find it at a second look', async () => {
    const receiver = newAddress();
    const signature = await world.submit(account, pay(receiver));
    await until('it has landed', () => world.balanceOf(receiver) === 5_000_000n);
    world.cluster.skipSlots(200);
    let looks = 0;
    for (const node of world.nodes)
      node.change = (response, { method }) =>
        method === 'getSignatureStatuses' && (looks += 1) <= world.nodes.length
          ? { ...response, result: { context: { slot: 1 }, value: [null] } }
          : response;
    await world.settleAll();
    expect(looks).toBeGreaterThan(world.nodes.length);
    expect(await world.stateOf(signature)).toBe('submitted');
    await world.settleAll();
    expect(await world.stateOf(signature)).toBe('final');
  });

  it('SettleTransactionsService: expires no transaction while the history of the node begins after its acceptance', async () => {
    loseTransactions(() => true);
    const signature = await world.submit(account, pay());
    const [row] = await world.query(
      'SELECT accepted_block_height AS height FROM account_kit.solana_transactions',
    );
    const accepted = Number((row as { height: string } | undefined)?.height);
    world.cluster.skipSlots(200);
    let firstHeight = accepted + 1;
    for (const [index, node] of world.nodes.entries()) {
      const lose = node.change;
      node.change = (response, request) => {
        if (request.method === 'getFirstAvailableBlock') return { ...response, result: 1_000 + index };
        if (request.method === 'getBlock')
          return { ...response, error: undefined, result: { blockHeight: firstHeight } };
        return lose(response, request);
      };
    }
    await world.settleAll();
    expect(await world.stateOf(signature)).toBe('submitted');
    firstHeight = accepted;
    await world.settleAll();
    expect(await world.stateOf(signature)).toBe('expired');
  });

  it('SettleTransactionsService: one signature whose status no node tells keeps no other transaction from being final', async () => {
    const receivers = Array.from({ length: 5 }, () => newAddress());
    const others = await Promise.all(receivers.map((receiver) => world.submit(account, pay(receiver))));
    const poisoned = await world.submit(account, pay());
    await until('all have landed', () => receivers.every((one) => world.balanceOf(one) === 5_000_000n));
    let asked = 0;
    for (const node of world.nodes)
      node.change = (response, { method, params }) => {
        if (method !== 'getSignatureStatuses' || !JSON.stringify(params).includes(poisoned)) return response;
        asked += 1;
        return { id: response.id, error: { code: -32_602, message: 'Invalid param' } };
      };
    world.cluster.skipSlots(40);
    await world.settleAll();
    await world.settleAll();
    expect(await Promise.all(others.map((signature) => world.stateOf(signature)))).toEqual(
      Array(5).fill('final'),
    );
    expect(await world.stateOf(poisoned)).toBe('submitted');
    // The pause has grown: without one the transaction would be due after the claim of 1 ms.
    expect(asked).toBeGreaterThan(1);
    const [row] = await world.query<{ seconds: number }>(
      `SELECT extract(epoch FROM next_attempt_at - now())::float AS seconds FROM account_kit.solana_transactions
       WHERE signature = '${poisoned}'`,
    );
    expect(row?.seconds).toBeGreaterThan(2);
    for (const node of world.nodes) node.change = (response) => response;
    await until('the last one is final', async () => {
      world.cluster.skipSlots(40);
      await world.settleAll();
      return (await world.stateOf(poisoned)) === 'final';
    });
  });

  it('SettleTransactionsService: sends and includes transactions while no node tells the finalized height', async () => {
    let isLosing = true;
    loseTransactions(() => isLosing);
    const receiver = newAddress();
    const signature = await world.submit(account, pay(receiver));
    for (const node of world.nodes)
      node.change = (response, { method, params }) =>
        method === 'getBlockHeight' && JSON.stringify(params).includes('finalized')
          ? { id: response.id, error: { code: -32_005, message: 'Node is behind' } }
          : response;
    isLosing = false;
    world.startWorker();
    await untilState(signature, 'included');
    expect(world.balanceOf(receiver)).toBe(5_000_000n);
  });

  it('SettleTransactionsService: does not make final what one of two nodes invents in a finalized block, and sends it on to the other node', async () => {
    const [liar] = world.nodes;
    if (!liar) throw new Error('there is no node');
    let isLosing = true;
    loseTransactions(() => isLosing);
    let lost = 0;
    for (const node of world.nodes) {
      const lose = node.behave;
      node.behave = (body, response) => {
        const isLost = lose(body, response);
        if (isLost) lost += 1;
        return isLost;
      };
    }
    const receiver = newAddress();
    const signature = await world.submit(account, pay(receiver));
    await until('it was sent, and lost', () => lost > 0);
    liar.change = (response, { method, params }) => {
      if (!JSON.stringify(params).includes(signature)) return response;
      const signatures = (params as unknown[])[0];
      if (method === 'getTransaction') return { id: response.id, result: { slot: 1, meta: { err: null } } };
      if (method !== 'getSignatureStatuses' || !Array.isArray(signatures)) return response;
      const { context, value } = response.result as { context: object; value: unknown[] };
      const invented = { slot: 1, err: null, confirmationStatus: 'finalized' };
      const statuses = value.map((status, index) => (signatures[index] === signature ? invented : status));
      return { ...response, result: { context, value: statuses } };
    };
    isLosing = false;
    const victim = await world.createAccount();
    const transfer = { fromPubkey: victim.key, toPubkey: newAddress(), lamports: 5_000_000 };
    const other = await world.submit(victim, world.build(victim.key, [SystemProgram.transfer(transfer)]));
    await until('the transaction of the other account is final', async () => {
      world.cluster.skipSlots(40);
      await world.settleAll();
      return (await world.stateOf(other)) === 'final';
    });
    expect(await world.stateOf(signature)).toBe('included');
    expect(world.balanceOf(receiver)).toBe(5_000_000n);
    liar.change = (response) => response;
    await until('the nodes agree', async () => {
      await world.settleAll();
      return (await world.stateOf(signature)) === 'final';
    });
  });

  it('SettleTransactionsService: expires no transaction that a block has because one of two nodes does not know it', async () => {
    const receiver = newAddress();
    const signature = await world.submit(account, pay(receiver));
    await until('it has landed', () => world.balanceOf(receiver) === 5_000_000n);
    world.cluster.skipSlots(200);
    const [liar] = world.nodes;
    if (!liar) throw new Error('there is no node');
    liar.change = (response, { method }) => {
      if (method !== 'getSignatureStatuses') return response;
      const { context } = response.result as { context: object };
      return { ...response, result: { context, value: [null] } };
    };
    await world.settleAll();
    expect(await world.stateOf(signature)).toBe('included');
    liar.change = (response) => response;
    await world.settleAll();
    expect(await world.stateOf(signature)).toBe('final');
  });

  it('T220: SettleTransactionsService: makes the transactions of all accounts final while the first of three nodes loses each of them and denies that it knows any', async () => {
    await world.addNode();
    const [liar] = world.nodes;
    if (!liar) throw new Error('there is no node');
    liar.loseTransactions();
    liar.change = (response, { method, params }) => {
      if (method === 'getTransaction') return { id: response.id, result: null };
      if (method !== 'getSignatureStatuses') return response;
      const { context } = response.result as { context: object };
      return { ...response, result: { context, value: (params[0] as unknown[]).map(() => null) } };
    };
    const signatures = [await world.submit(account, pay()), await payFromOther()];
    world.startWorker();
    for (const signature of signatures) await untilState(signature, 'included');
    world.cluster.skipSlots(40);
    for (const signature of signatures) await untilState(signature, 'final');
  });

  it('T220: SettleTransactionsService: makes the transactions of all accounts final in their slot while the first of three nodes loses each of them and names another slot', async () => {
    await world.addNode();
    const [liar] = world.nodes;
    if (!liar) throw new Error('there is no node');
    liar.loseTransactions();
    liar.change = (response, { method, params }) => {
      if (method !== 'getSignatureStatuses') return response;
      const { context } = response.result as { context: object };
      const invented = { slot: 1, err: { InstructionError: [0, 'Custom'] }, confirmationStatus: 'finalized' };
      return { ...response, result: { context, value: (params[0] as unknown[]).map(() => invented) } };
    };
    const signatures = [await world.submit(account, pay()), await payFromOther()];
    world.startWorker();
    for (const signature of signatures) await untilState(signature, 'included');
    world.cluster.skipSlots(40);
    for (const signature of signatures) await untilState(signature, 'final');
    const rows = await world.query('SELECT FROM account_kit.solana_transactions WHERE slot = 1');
    expect(rows).toEqual([]);
  });

  it('T220: SettleTransactionsService: a transaction that the first of three nodes calls confirmed for ever expires when no block can hold it', async () => {
    await world.addNode();
    const [liar] = world.nodes;
    if (!liar) throw new Error('there is no node');
    loseTransactions(() => true);
    liar.change = (response, { method, params }) => {
      if (method === 'getBlockHeight') return { ...response, result: 1 };
      if (method !== 'getSignatureStatuses') return response;
      const { context } = response.result as { context: object };
      const invented = { slot: 1, err: null, confirmationStatus: 'confirmed' };
      return { ...response, result: { context, value: (params[0] as unknown[]).map(() => invented) } };
    };
    const signature = await world.submit(account, pay());
    world.startWorker();
    await untilState(signature, 'included');
    world.cluster.skipSlots(200);
    await untilState(signature, 'expired');
  });

  it.each([
    ['first', 0],
    ['second', 1],
  ])(
    'T225: SettleTransactionsService: expires no transaction that a block can still take although the %s of two nodes invents a high block and an invalid blockhash',
    async (_, position) => {
      const liar = world.nodes[position];
      if (!liar) throw new Error('there is no node');
      let isLosing = true;
      loseTransactions(() => isLosing);
      inventExpiry(liar);
      const receiver = newAddress();
      const signature = await world.submit(account, pay(receiver));
      const other = await payFromOther();
      for (let turn = 0; turn < 3; turn += 1) await world.settleAll();
      expect([await world.stateOf(signature), await world.stateOf(other)]).toEqual([
        'submitted',
        'submitted',
      ]);
      isLosing = false;
      await world.settleAll();
      expect(world.balanceOf(receiver)).toBe(5_000_000n);
      liar.change = (response) => response;
      world.cluster.skipSlots(40);
      world.startWorker();
      for (const one of [signature, other]) await untilState(one, 'final');
    },
  );

  it('T227: SettleTransactionsService: expires no transaction because an honest node that has failed a moment ago needs 300 ms for each request', async () => {
    const [honest, liar] = world.nodes;
    if (!honest || !liar) throw new Error('there is no node');
    loseTransactions(() => true);
    const signature = await world.submit(account, pay());
    inventExpiry(liar);
    const lose = honest.behave;
    let failed = 0;
    honest.behave = (body, response) => {
      if (failed > 0 || !body.includes('getBlockHeight')) return lose(body, response);
      failed += 1;
      response.writeHead(429).end();
      return true;
    };
    honest.delayMs = () => 300;
    for (let turn = 0; turn < 3; turn += 1) await world.settleAll();
    expect(failed).toBe(1);
    expect(await world.stateOf(signature)).toBe('submitted');
  });

  it('T228: SettleTransactionsService: a transaction that the first of three nodes invents in a slot far ahead expires, and that node is asked last', async () => {
    await world.addNode();
    const [liar] = world.nodes;
    if (!liar) throw new Error('there is no node');
    loseTransactions(() => true);
    liar.change = (response, { method, params }) => {
      if (method !== 'getSignatureStatuses') return response;
      const { context } = response.result as { context: object };
      const invented = { slot: 2 ** 40, err: null, confirmationStatus: 'finalized' };
      return { ...response, result: { context, value: (params[0] as unknown[]).map(() => invented) } };
    };
    const signature = await world.submit(account, pay());
    world.startWorker();
    world.cluster.skipSlots(200);
    await untilState(signature, 'expired');
  });

  it('T221: SolanaNodesService: asks a node that hangs once and the other one meanwhile, and transactions of all accounts are final', async () => {
    const [hanging] = world.nodes;
    if (!hanging) throw new Error('there is no node');
    let requests = 0;
    hanging.behave = (body) => {
      if (!body.includes('getHealth')) requests += 1;
      return true;
    };
    const first = await world.submit(account, pay());
    const seen = requests;
    const others = await Promise.all(Array.from({ length: 5 }, () => payFromOther()));
    world.startWorker();
    for (const signature of [first, ...others]) await untilState(signature, 'included');
    // Transactions are sent to each node; the check of the network comes before it.
    expect(requests).toBeLessThanOrEqual(seen + 1 + others.length);
    world.cluster.skipSlots(40);
    for (const signature of [first, ...others]) await untilState(signature, 'final');
  });

  it('T222: SettleTransactionsService: a transaction is final although the first node has deleted its block', async () => {
    const [pruned] = world.nodes;
    if (!pruned) throw new Error('there is no node');
    pruned.change = (response, { method }) =>
      method === 'getTransaction' ? { id: response.id, result: null } : response;
    const signature = await world.submit(account, pay());
    world.startWorker();
    await untilState(signature, 'included');
    await expect(world.load(account, signature)).resolves.toMatchObject({ isPending: false });
    world.cluster.skipSlots(40);
    await untilState(signature, 'final');
  });

  it.each([
    ['final', () => ({ id: 1, result: null }), null],
    ['final', () => ({ id: 1, error: { code: -32_603, message: 'too large' } }), null],
    ['reverted', () => ({ id: 1, result: null }), { InstructionError: [0, { Custom: 1 }] }],
  ])(
    'T265: SettleTransactionsService: a transaction that no node has is %s once it is old, and another one is final with its response',
    async (state, toAnswer, err) => {
      let isLosing = true;
      loseTransactions(() => isLosing);
      const emptying = pay(newAddress(), 9_000_000_000);
      const unreadable = await world.submit(account, pay(newAddress(), 2_000_000_000));
      isLosing = false;
      // It fails in its block, because the account has less by then.
      if (state === 'reverted') world.cluster.send(world.signDirectly(account, emptying));
      for (const node of world.nodes)
        node.change = (response, { method, params }) =>
          method === 'getTransaction' && JSON.stringify(params).includes(unreadable)
            ? { ...toAnswer(), id: response.id }
            : response;
      const victim = await payFromOther();
      await until('it is included', async () => {
        await world.settleAll();
        return (await world.stateOf(unreadable)) === 'included';
      });
      world.cluster.skipSlots(40);
      for (let turn = 0; turn < 4; turn += 1) await world.settleAll();
      expect(await world.stateOf(victim)).toBe('final');
      // Nodes that are behind may have it later, as long as it is not old.
      expect(await world.stateOf(unreadable)).toBe('included');
      world.cluster.skipSlots(160);
      await world.settleAll();
      expect(await world.stateOf(unreadable)).toBe(state);
      await expect(world.load(account, unreadable)).resolves.toEqual({
        isPending: false,
        response: { state, reason: null, slot: expect.any(Number), meta: { err } },
      });
      expect(await world.settleAll()).toBe(0);
    },
  );

  it('T222: SolanaNodesService: transactions are accepted through the second node while the first one says that it is behind', async () => {
    const [behind] = world.nodes;
    if (!behind) throw new Error('there is no node');
    behind.change = (response, { method }) => {
      if (method === 'getHealth')
        return { id: response.id, error: { code: -32_005, message: 'Node is behind by 900 slots' } };
      if (method !== 'simulateTransaction') return response;
      const { context } = response.result as { context: object };
      return { ...response, result: { context, value: { err: 'BlockhashNotFound', logs: [] } } };
    };
    await until('the second node is asked', () =>
      payFromOther().then(
        () => true,
        () => false,
      ),
    );
  });

  it('SettleTransactionsService: a transaction whose program logs what PostgreSQL does not store is final', async () => {
    const signature = await world.submit(account, pay());
    for (const node of world.nodes)
      node.change = (response, { method }) => {
        if (method !== 'getTransaction') return response;
        const { meta, ...rest } = response.result as { meta: object };
        return {
          ...response,
          result: { ...rest, meta: { ...meta, logMessages: ['Program log: \u0000 \ud800'] } },
        };
      };
    world.cluster.skipSlots(40);
    await until('the transaction is final', async () => {
      await world.settleAll();
      return (await world.stateOf(signature)) === 'final';
    });
    await expect(world.load(account, signature)).resolves.toMatchObject({
      response: { meta: { logMessages: ['Program log: \ufffd \ufffd'] } },
    });
  });

  it('SubmitTransactionService: fails by an error for callers, whatever the nodes answer, and submits the transaction then', async () => {
    const text = foreignAnswer('context', 'value', 'blockHeight', 'absoluteSlot', 'slot');
    await fc.assert(
      fc.asyncProperty(text, fc.nat(4), async (answer, first) => {
        let calls = 0;
        for (const node of world.nodes)
          node.behave = (body, response) => {
            if ((calls += 1) <= first) return false;
            response.end(answerAll(answer, JSON.parse(body) as { id: unknown } | { id: unknown }[]));
            return true;
          };
        const failure = await world.submit(account, pay()).catch((error: unknown) => error);
        const isDocumented =
          typeof failure === 'string' || (failure as { statusCode?: number }).statusCode !== undefined;
        expect({ isDocumented, failure, answer }).toMatchObject({ isDocumented: true });
        await world.query('DELETE FROM account_kit.solana_transactions');
      }),
      { numRuns: 60 },
    );
    for (const node of world.nodes) node.behave = () => false;
    const signature = await world.submit(account, pay());
    world.startWorker();
    await untilState(signature, 'included');
  });

  it('TransactionWorker: a network whose nodes never answer does not hold up another one', async () => {
    // The transactions look like those of the main network, whose node hangs: more than one claim has.
    const signature = await world.submit(account, pay());
    await world.query(
      `INSERT INTO account_kit.solana_transactions (id, account_id, client_id, network, message, message_hash, signatures, signature,
         blockhash, accepted_block_height, state, next_attempt_at)
       SELECT gen_random_uuid(), account_id, client_id, 'SOL', message, sha256(place::text::bytea), signatures, signature || place,
         blockhash, accepted_block_height, 'submitted', now() - interval '1 hour'
       FROM account_kit.solana_transactions CROSS JOIN generate_series(1, 500) AS place`,
    );
    world.startWorker();
    await untilState(signature, 'included');
    const other = await world.createAccount();
    const transfer = { fromPubkey: other.key, toPubkey: newAddress(), lamports: 5_000_000 };
    const later = await world.submit(other, world.build(other.key, [SystemProgram.transfer(transfer)]));
    await untilState(later, 'included');
    world.cluster.skipSlots(40);
    await untilState(later, 'final');
  });

  it('Solana transaction of an account: is rejected when the keys are away, and can be submitted again', async () => {
    const transaction = pay();
    world.signer.failure = serviceUnavailable('keys_unavailable', 'The keys are away.');
    await expect(world.submit(account, transaction)).rejects.toMatchObject({ statusCode: 503 });
    world.startWorker();
    const signature = await world.submit(account, transaction);
    await untilState(signature, 'included');
    expect(
      await world.query('SELECT state FROM account_kit.solana_transactions ORDER BY accepted_at'),
    ).toEqual([{ state: 'rejected' }, { state: 'included' }]);
  });

  it('Solana transaction of an account: is rejected, and not sent, without the signature of its account', async () => {
    world.signer.omitsSignatures = true;
    const transactions = [pay(), pay()];
    const outcomes = await Promise.allSettled(transactions.map((one) => world.submit(account, one)));
    for (const outcome of outcomes)
      expect(outcome).toMatchObject({
        status: 'rejected',
        reason: { message: `there is no signature of ${account.address}` },
      });
    expect(await world.query('SELECT state, signature FROM account_kit.solana_transactions')).toEqual(
      Array.from({ length: 2 }, () => ({ state: 'rejected', signature: null })),
    );
  });

  it('Solana transaction of an account: is the only one with its idempotency key', async () => {
    const transaction = pay();
    const signature = await world.submit(account, transaction, { idempotencyKey: 'key' });
    await expect(world.submit(account, transaction, { idempotencyKey: 'key' })).resolves.toBe(signature);
    const conflict = { statusCode: 409, details: { code: 'idempotency_key_conflict' } };
    await expect(world.submit(account, pay(), { idempotencyKey: 'key' })).rejects.toMatchObject(conflict);
    const outcomes = await Promise.allSettled(
      [1, 2].map(() => world.submit(account, pay(), { idempotencyKey: 'another key' })),
    );
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    // A key that comes with a later request for the same transaction.
    const repeated = pay();
    const first = await world.submit(account, repeated);
    await expect(world.submit(account, repeated, { idempotencyKey: 'late' })).resolves.toBe(first);
    await expect(world.submit(account, pay(), { idempotencyKey: 'late' })).rejects.toMatchObject(conflict);
  });

  it('Solana transaction of an account: waits for its turn beyond 16 of its account that are not final', async () => {
    const results = await Promise.allSettled(Array.from({ length: 17 }, () => world.submit(account, pay())));
    const refused = results.filter(({ status }) => status === 'rejected');
    expect(refused).toEqual([
      expect.objectContaining({ reason: expect.objectContaining({ statusCode: 429 }) }),
    ]);
    const other = await world.createAccount();
    const transfer = world.build(other.key, [createTransfer(other.key, 3_000_000)]);
    await expect(world.submit(other, transfer)).resolves.toEqual(expect.any(String));
  });

  it('SubmitTransactionService: accepts a transaction on one network while the account has 16 stuck ones on the other, and 16 at most', async () => {
    await world.submit(account, pay());
    await world.query(
      `INSERT INTO account_kit.solana_transactions (id, account_id, client_id, network, message, message_hash, signatures, signature,
         blockhash, accepted_block_height, state)
       SELECT gen_random_uuid(), account_id, client_id, 'SOL', message, sha256(place::text::bytea), signatures, signature || place,
         blockhash, accepted_block_height, 'included'
       FROM account_kit.solana_transactions CROSS JOIN generate_series(1, 16) AS place`,
    );
    const results = await Promise.allSettled(Array.from({ length: 16 }, () => world.submit(account, pay())));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(15);
  });

  it('Solana transaction of an account: goes through the next node when one is away, and is refused without nodes', async () => {
    const [first, second] = world.nodes;
    await first?.stop();
    await expect(world.submit(account, pay())).resolves.toEqual(expect.any(String));
    if (second)
      second.change = (response, { method }) =>
        method === 'getMultipleAccounts' || method === 'simulateTransaction'
          ? { id: response.id, error: { code: -32_005, message: 'Node is behind' } }
          : response;
    await expect(world.submit(account, pay())).rejects.toMatchObject({
      statusCode: 503,
      details: { code: 'chain_unavailable' },
    });
  });
});

describe('the policy of a Solana transaction', () => {
  const FEE = 5_000;
  const refusal = (code: string) => ({ statusCode: 403, details: { code } });
  const used = async () =>
    (await world.query<{ used: string }>('SELECT used::text FROM account_kit.cap_usage')).map((row) =>
      Number(row.used),
    );

  it('policy of a Solana transaction: limits the lamports of one transaction with its fee, and the vault is not asked', async () => {
    const policy = policyOf({ maxLamports: String(1_000_000 + FEE) });
    await expect(world.submit(account, pay(newAddress(), 1_000_001), { policy })).rejects.toMatchObject(
      refusal('policy_forbidden'),
    );
    expect(world.signer.calls).toBe(0);
    await world.submit(account, pay(newAddress(), 1_000_000), { policy });
  });

  it('policy of a Solana transaction: refuses programs that could go around its limits', async () => {
    const memo = new TransactionInstruction({
      programId: new PublicKey(MEMO_PROGRAM),
      keys: [],
      data: Buffer.from('thanks'),
    });
    const submit = (document: object) =>
      world.submit(account, world.build(account.key, [memo]), {
        policy: policyOf({ maxLamports: String(FEE), ...document }),
      });
    await expect(submit({})).rejects.toMatchObject(refusal('policy_forbidden'));
    await submit({ solanaPrograms: [MEMO_PROGRAM] });
  });

  it('policy of a Solana transaction: lets as many concurrent transactions through as a cap has room for', async () => {
    const policy = capOf(10 * (1_000_000 + FEE));
    const accounts = await Promise.all(Array.from({ length: 100 }, () => world.createAccount()));
    const results = await Promise.allSettled(
      accounts.map(({ key }, index) =>
        world.submit(accounts[index] ?? account, world.build(key, [createTransfer(key, 1_000_000)]), {
          policy,
        }),
      ),
    );
    const refused = results.filter((result) => result.status === 'rejected');
    expect(refused).toHaveLength(90);
    for (const { reason } of refused) expect(reason).toMatchObject(refusal('policy_limit_exceeded'));
    expect(world.signer.calls).toBe(10);
    expect(await used()).toEqual([10 * (1_000_000 + FEE)]);
  });

  it('policy of a Solana transaction: gives back what a transaction has not used once it has ended, not on the word of one node', async () => {
    const submit = (amount: number) =>
      world.submit(account, pay(newAddress(), amount), { policy: capOf(10_000_000) });
    const [failed, expired] = [await submit(1_000_000), await submit(2_000_000)];
    const idOf = async (signature: string) => {
      const rows = await world.query<{ id: string }>(
        'SELECT id FROM account_kit.solana_transactions WHERE signature = $1',
        [signature],
      );
      return rows[0]?.id ?? '';
    };
    expect(await used()).toEqual([3_000_000 + 2 * FEE]);
    const err = { InstructionError: [0, { Custom: 1 }] };
    const transaction = { id: await idOf(failed), isCapped: true };
    await world.states.markIncluded([{ transaction, slot: 7n, err }]);
    expect(await used()).toEqual([3_000_000 + 2 * FEE]);
    await world.states.markFinal([{ transaction, slot: 8n, err, response: {} }]);
    expect(await used()).toEqual([2_000_000 + 2 * FEE]);
    await world.states.markExpired(await idOf(expired));
    expect(await used()).toEqual([FEE]);
  });
});
