import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { ServerResponse } from 'node:http';
import 'reflect-metadata';
import { SystemProgram } from '@solana/web3.js';
import type { SolanaNode } from '../../support/solana-node.js';
import { newAddress } from '../../support/solana-transactions.js';
import { until } from '../../support/until.js';
import { type Account, SolanaWorld } from './solana-world.js';

interface SendRequest {
  readonly params: readonly [wire: string];
}

let world: SolanaWorld;
let attacker: Account;
let victim: Account;

beforeEach(async () => {
  world = await SolanaWorld.start({ rpcTimeoutMs: 1_000 });
  [attacker, victim] = [await world.createAccount(), await world.createAccount()];
});

afterEach(() => world.stop());

const pay = ({ key }: Account) =>
  world.build(key, [
    SystemProgram.transfer({ fromPubkey: key, toPubkey: newAddress(), lamports: 5_000_000 }),
  ]);

const isIn = (poisoned: ReadonlySet<string>, body: string) =>
  [...poisoned].some((transaction) => body.includes(transaction));

/** How a node fails for the simulations of some transactions. */
const FAILURES = {
  'does not answer': (node: SolanaNode, poisoned: ReadonlySet<string>) => {
    node.behave = (body) => isIn(poisoned, body);
  },
  'answers status 413': (node: SolanaNode, poisoned: ReadonlySet<string>) => {
    node.behave = (body, response) => {
      if (!isIn(poisoned, body)) return false;
      response.writeHead(413).end('too large');
      return true;
    };
  },
  'answers an internal error': (node: SolanaNode, poisoned: ReadonlySet<string>) => {
    node.change = (response, { params }) =>
      poisoned.has(String(params[0]))
        ? { id: response.id, error: { code: -32_603, message: 'internal' } }
        : response;
  },
};

/** Simulations of other transactions, by node. */
function countSimulations(poisoned: ReadonlySet<string>): number[] {
  const simulations = world.nodes.map(() => 0);
  for (const [index, node] of world.nodes.entries()) {
    const { behave } = node;
    node.behave = (body, response) => {
      if (body.includes('simulateTransaction') && !isIn(poisoned, body))
        simulations[index] = (simulations[index] ?? 0) + 1;
      return behave(body, response);
    };
  }
  return simulations;
}

const submitAs = (clientId: string, account: Account, transaction = pay(account)) =>
  world.submit(account, transaction, { clientId });

it.each(Object.keys(FAILURES) as (keyof typeof FAILURES)[])(
  'T266: SolanaNodesService: a node that %s for the transactions of one client application is asked first for another one',
  async (failure) => {
    const [first] = world.nodes;
    if (!first) throw new Error('there is no node');
    const poisoned = new Set(Array.from({ length: 5 }, () => pay(attacker)));
    FAILURES[failure](first, poisoned);
    const simulations = countSimulations(poisoned);
    await submitAs('victim', victim);
    for (const transaction of poisoned) await submitAs('attacker', attacker, transaction);
    for (let later = 0; later < 3; later += 1) await submitAs('victim', victim);
    expect(simulations).toEqual([4, 0]);
  },
);

it.each(Object.keys(FAILURES) as (keyof typeof FAILURES)[])(
  'T266: SolanaNodesService: accepts the transactions of one client application while each node %s for 60 transactions of another one',
  async (failure) => {
    const poisoned = new Set(Array.from({ length: 60 }, () => pay(attacker)));
    for (const node of world.nodes) FAILURES[failure](node, poisoned);
    await submitAs('victim', victim);
    const attack = Promise.allSettled(
      [...poisoned].map((transaction) => submitAs('attacker', attacker, transaction)),
    );
    const together = await Promise.allSettled(Array.from({ length: 5 }, () => submitAs('victim', victim)));
    expect(together.map(({ status }) => status)).toEqual(Array(5).fill('fulfilled'));
    for (const result of await attack)
      expect(result).toMatchObject({ reason: { details: { code: 'chain_unavailable' } } });
  },
);

it('T266: SolanaNodesService: a node that hangs for the simulation of a transaction and for everything else is asked last', async () => {
  const [hanging] = world.nodes;
  if (!hanging) throw new Error('there is no node');
  await world.submit(victim, pay(victim), { clientId: 'victim' });
  let simulations = 0;
  hanging.behave = (body) => {
    if (body.includes('simulateTransaction')) simulations += 1;
    return true;
  };
  await world.submit(attacker, pay(attacker), { clientId: 'attacker' });
  await world.submit(victim, pay(victim), { clientId: 'victim' });
  const seen = simulations;
  for (let later = 0; later < 3; later += 1) await world.submit(victim, pay(victim), { clientId: 'victim' });
  expect(simulations).toBe(seen);
});

it('T267: TransactionWorker: sends a transaction of one client application while nodes tell the last states of 200 of another one slowly, and ends those', async () => {
  const crowded = await world.submit(attacker, pay(attacker), { clientId: 'attacker' });
  await world.query(
    `INSERT INTO account_kit.solana_transactions (id, account_id, client_id, network, message, message_hash, signatures, signature,
       blockhash, accepted_block_height, state, next_attempt_at)
     SELECT gen_random_uuid(), account_id, client_id, network, message, sha256(place::text::bytea), signatures, signature || place,
       blockhash, accepted_block_height, 'included', now() - interval '1 hour'
     FROM account_kit.solana_transactions CROSS JOIN generate_series(1, 200) AS place`,
  );
  let isLosing = true;
  let asked = 0;
  for (const node of world.nodes) {
    node.loseTransactions(() => isLosing);
    node.delayMs = (body) => (body.includes(crowded) && !body.includes(victimSignature) ? 200 : 0);
    node.change = (response, { method, params }) => {
      if (method === 'getTransaction' && JSON.stringify(params).includes(crowded)) {
        asked += 1;
        return { id: response.id, result: { slot: 1_000, meta: { err: null } } };
      }
      if (method !== 'getSignatureStatuses') return response;
      const { context, value } = response.result as { context: object; value: unknown[] };
      const finalized = { slot: 1_000, err: null, confirmationStatus: 'finalized' };
      const statuses = (params[0] as string[]).map((signature, index) =>
        signature.startsWith(crowded) ? finalized : value[index],
      );
      return { ...response, result: { context, value: statuses } };
    };
  }
  let victimSignature = 'none';
  victimSignature = await world.submit(victim, pay(victim), { clientId: 'victim' });
  isLosing = false;
  world.startWorker();
  await until('the transaction of the other client application is included', async () =>
    ['included', 'final'].includes((await world.stateOf(victimSignature)) ?? ''),
  );
  expect(asked).toBeLessThan(100);
  await until('all transactions of the one client application are final', async () => {
    const rows = await world.query("SELECT FROM account_kit.solana_transactions WHERE state <> 'final'");
    return rows.length <= 1;
  });
});

it('T269: TransactionWorker: records a transaction of one client application while nodes hang for the sending of 200 of another one', async () => {
  const patient = await SolanaWorld.start({ rpcTimeoutMs: 10_000 });
  const held: ServerResponse[] = [];
  let isHolding = true;
  try {
    const [crowd, other] = [await patient.createAccount(), await patient.createAccount()];
    const build = ({ key }: Account) =>
      patient.build(key, [
        SystemProgram.transfer({ fromPubkey: key, toPubkey: newAddress(), lamports: 5_000_000 }),
      ]);
    for (const node of patient.nodes) node.loseTransactions(() => true);
    await patient.submit(crowd, build(crowd), { clientId: 'attacker' });
    await patient.query(
      `INSERT INTO account_kit.solana_transactions (id, account_id, client_id, network, message, message_hash, signatures, signature,
         blockhash, accepted_block_height, state, next_attempt_at)
       SELECT gen_random_uuid(), account_id, client_id, network, message, sha256(place::text::bytea), signatures, signature || place,
         blockhash, accepted_block_height, 'submitted', now() - interval '1 hour'
       FROM account_kit.solana_transactions CROSS JOIN generate_series(1, 200) AS place`,
    );
    const ofOther = build(other);
    const signature = await patient.submit(other, ofOther, { clientId: 'victim' });
    // Behind the count of signatures and the only one of them.
    const message = Buffer.from(ofOther, 'base64').subarray(65);
    for (const node of patient.nodes)
      node.behave = (body, response) => {
        if (!isHolding || !body.includes('sendTransaction')) return false;
        const parsed = JSON.parse(body) as SendRequest | SendRequest[];
        const sent = (Array.isArray(parsed) ? parsed : [parsed]).map(({ params: [wire] }) => wire);
        if (sent.some((one) => Buffer.from(one, 'base64').subarray(65).equals(message))) return false;
        held.push(response);
        return true;
      };
    patient.startWorker();
    await until('the transaction of the other client application is included', async () =>
      ['included', 'final'].includes((await patient.stateOf(signature)) ?? ''),
    );
    expect(held.length).toBeGreaterThan(0);
    // No request has timed out yet: the worker has not waited for them.
    expect(held.filter(({ closed }) => closed)).toEqual([]);
  } finally {
    isHolding = false;
    for (const response of held) response.writeHead(503).end();
    await patient.stop();
  }
});
