import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { ServerResponse } from 'node:http';
import { numberToHex, padHex } from 'viem/utils';
import { type NodeRequest, reply } from '../support/hostile-node.js';
import type { RunningApp } from '../support/running-app.js';
import { until } from '../support/until.js';
import { ALTO_ERRORS } from './alto-errors.js';
import { BundlerStandIn } from './bundler-stand-in.js';
import { ExecutorWorld, pay, type StoredOperation } from './executor-world.js';
import type { SmartAccountOwner } from './smart-account-owner.js';

const HOUR_MS = 60 * 60_000;

let world: ExecutorWorld;
let bundler: BundlerStandIn;
let app: RunningApp;

const isAway = (_: NodeRequest, response: ServerResponse) => {
  response.writeHead(502).end();
  return true;
};

// A single app goes through all but the last test.
beforeAll(async () => {
  world = await ExecutorWorld.start();
  bundler = await BundlerStandIn.start(world.chain);
  app = await startApp();
});

afterEach(async () => {
  bundler.intercept = undefined;
  bundler.isBundling = true;
  await world.chain.client.setAutomine(true);
});

afterAll(async () => {
  await world.stop();
  await bundler.stop();
});

const startApp = (env: Record<string, string> = {}) =>
  world.startApp({ [`BUNDLER_URL_${world.chain.chainId}`]: bundler.url, ...env });

/** How often the bundler was asked to take an operation by its rules. */
const countReceived = ({ hash }: StoredOperation): number =>
  bundler.received.filter((one) => one.hash === hash).length;

async function isExecuted(hash: string): Promise<boolean> {
  const { result } = (await bundler.answer({
    id: 1,
    method: 'eth_getUserOperationReceipt',
    params: [hash],
  })) as {
    result: unknown;
  };
  return result !== null;
}

interface FirstAnswer {
  /** Whether the bundler takes and executes the operation before it answers. */
  readonly isExecuted: boolean;
  readonly answer: (response: ServerResponse, id: number) => void;
}

const refuse =
  (error: { readonly code: number; readonly message: string }): FirstAnswer['answer'] =>
  (response, id) => {
    reply(response, id, { error });
  };

/** What a bundler may do with an operation that it gets for the first time. */
const FIRST_ANSWERS: readonly FirstAnswer[] = [
  { isExecuted: true, answer: (response) => response.destroy() },
  // No answer before the time-out.
  { isExecuted: true, answer: () => undefined },
  { isExecuted: true, answer: (response) => response.end('<html>') },
  { isExecuted: true, answer: refuse(ALTO_ERRORS.sentTwice) },
  { isExecuted: true, answer: refuse(ALTO_ERRORS.includedDeployment) },
  { isExecuted: true, answer: refuse(ALTO_ERRORS.included) },
  { isExecuted: false, answer: (response) => response.writeHead(429).end() },
  // alto answers failures of its node without a code.
  {
    isExecuted: false,
    answer: (response) => response.writeHead(500).end('{"error":{"message":"HTTP request failed"}}'),
  },
  { isExecuted: false, answer: refuse(ALTO_ERRORS.unfunded) },
  { isExecuted: false, answer: refuse(ALTO_ERRORS.sponsorExpired) },
];

/** What bundlers answer about an operation: Rundler, whose prechecks have -32000, a hosted one, and alto about a deployment or a nonce that it has. */
const REASONS = [
  ALTO_ERRORS.otherDeployment,
  {
    code: -32_602,
    message:
      'AA25 invalid account nonce: User operation is already in mempool and getting processed with same nonce and sender',
  },
  { code: -32_000, message: 'precheck failed: maxFeePerGas is 3 but must be at least 5' },
  { code: -32_001, message: 'Request denied: max per user op spend limit exceeded' },
];
const OUTAGES = [
  { code: -32_603, message: 'Internal error' },
  { code: -32_005, message: 'limit exceeded' },
  { code: 429, message: 'Your app has exceeded its compute units per second capacity' },
  { code: -32_007, message: '50/second request limit reached' },
];

const sendAgain = (operations: readonly StoredOperation[], age: string) =>
  world.pool.query(
    `UPDATE account_kit.bundler_submissions SET next_attempt_at = now(), submitted_at = submitted_at - $2::interval
     WHERE operation_id = ANY($1::uuid[])`,
    [operations.map(({ id }) => id), age],
  );

describe('a chain with a bundler', () => {
  it('chain with a bundler: gets operations in the order of their lanes, and they are final like others', async () => {
    const owner = await world.fundedOwner();
    const operations = await world.store(
      await world.sign(owner, [pay(1n)]),
      await world.sign(owner, [pay(2n)], { sequence: 1n }),
      await world.sign(await world.fundedOwner()),
    );
    await world.untilState('included', operations);
    expect(operations.map(countReceived)).toEqual([1, 1, 1]);
    expect(bundler.refusals).toEqual([]);
    expect(await world.transactions()).toEqual([]);
    await world.chain.client.mine({ blocks: 12 });
    await world.untilState('final', operations);
  });

  it("chain with a bundler: gets nothing after the end of a sponsor's signature, and the operation expires", async () => {
    bundler.isBundling = false;
    const validUntil = new Date(Date.now() + HOUR_MS);
    const owner = await world.fundedOwner();
    const [operation] = await world.store(await world.sign(owner, [pay(1n)], { validUntil }));
    if (!operation) throw new Error('nothing was stored');
    await world.untilState('submitted', [operation]);
    await until('the bundler holds it', () => bundler.held.includes(operation.hash));
    // The sponsor's signature has ended: the bundler drops it.
    bundler.forgetMempool();
    bundler.isBundling = true;
    // Due again at once, in the same transaction in which the signature ends.
    await world.pool.query(
      `WITH ended AS (UPDATE account_kit.user_operations SET valid_until = now() - interval '1 hour' WHERE id = $1)
       UPDATE account_kit.bundler_submissions SET next_attempt_at = now() WHERE operation_id = $1`,
      [operation.id],
    );
    await world.chain.client.mine({ blocks: 12 });
    const [row] = await world.untilState('expired', [operation]);
    expect(row).toMatchObject({ reason: 'the signature of the sponsor has ended' });
    expect(countReceived(operation)).toBe(1);
  });

  it('chain with a bundler: gets the same bytes again after a failure, and keeps why the bundler refuses an operation', async () => {
    const bodies: string[] = [];
    const owner = await world.fundedOwner();
    let isRefusing = true;
    bundler.intercept = (request, response) => {
      const [{ sender }] = request.params as [{ sender: string }];
      if (sender !== owner.address) return false;
      bodies.push(JSON.stringify(request.params));
      if (bodies.length === 1) return isAway(request, response);
      // The account can pay, so nothing but the bundler says that the operation cannot run.
      if (isRefusing) reply(response, request.id, { error: ALTO_ERRORS.unfunded });
      return isRefusing;
    };
    const [operation] = await world.store(await world.sign(owner, [pay(0n)]));
    if (!operation) throw new Error('nothing was stored');
    await until('the refusal is stored', async () => {
      const [row] = await world.rows([operation.id]);
      return row?.['state'] === 'submitted' && row['reason'] === ALTO_ERRORS.unfunded.message;
    });
    isRefusing = false;
    await world.untilState('included', [operation]);
    expect(bodies.length).toBeGreaterThanOrEqual(3);
    expect(new Set(bodies).size).toBe(1);
  });

  it("BundlerClientService.send: keeps an answer with a code of the bundler's own as a reason, and that of an outage after five minutes, and metrics count both", async () => {
    const answers = new Map<string, { readonly code: number; readonly message: string }>();
    const counts = new Map<string, number>();
    bundler.intercept = (request, response) => {
      const [{ sender }] = request.params as [{ sender: string }];
      const error = answers.get(sender);
      if (!error) return false;
      counts.set(sender, (counts.get(sender) ?? 0) + 1);
      reply(response, request.id, { error });
      return true;
    };
    const owners: SmartAccountOwner[] = [];
    for (const answer of [...REASONS, ...OUTAGES]) {
      const owner = await world.fundedOwner();
      owners.push(owner);
      answers.set(owner.address, answer);
    }
    const signed = [];
    for (const owner of owners) signed.push(await world.sign(owner));
    const operations = await world.store(...signed);
    const loadReasons = async () =>
      (await world.rows(operations.map(({ id }) => id))).map((row) => row['reason']);
    const told = REASONS.map(({ message }) => message);
    await until('each is sent twice', () => owners.every(({ address }) => (counts.get(address) ?? 0) > 1));
    expect(await loadReasons()).toEqual([...told, ...OUTAGES.map(() => null)]);
    await sendAgain(operations, '6 minutes');
    const explained = [...told, ...OUTAGES.map(({ message }) => `the bundler does not answer: ${message}`)];
    await until('all have a reason', async () => (await loadReasons()).join() === explained.join());
    const metrics = await (await fetch(`${app.managementUrl}/metrics`)).text();
    const countOf = (reason: string) =>
      new RegExp(`^account_kit_waiting_operations\\{[^}]*reason="${reason}"[^}]*\\} (\\d+)$`, 'm').exec(
        metrics,
      )?.[1];
    expect(countOf('bundler_refused')).toBe(String(REASONS.length));
    expect(countOf('bundler_unavailable')).toBe(String(OUTAGES.length));
    answers.clear();
    await sendAgain(operations, '0');
    await world.untilState('included', operations);
    expect(await loadReasons()).toEqual(operations.map(() => null));
  });

  // Skandha and Voltaire, of bytes that they hold.
  it.each(['User op cannot be replaced: fee too low', 'invalid UserOperation struct/fields'])(
    'BundlerSender: keeps "%s" as the reason of an operation that is sent again only if the bundler does not know the operation',
    async (message) => {
      const owner = await world.fundedOwner();
      let sent = 0;
      bundler.isBundling = false;
      bundler.intercept = ({ id, method, params }, response) => {
        const [{ sender }] = params as [{ sender?: string }];
        if (method !== 'eth_sendUserOperation' || sender !== owner.address) return false;
        sent += 1;
        if (sent > 1) reply(response, id, { error: { code: -32_602, message } });
        return sent > 1;
      };
      const [operation] = await world.store(await world.sign(owner));
      if (!operation) throw new Error('nothing was stored');
      await until('the bundler holds it', () => bundler.held.includes(operation.hash));
      for (const count of [2, 3]) {
        await sendAgain([operation], '1 minute');
        await until(`it is sent ${count} times`, () => sent === count);
      }
      const loadReason = async () => (await world.rows([operation.id]))[0]?.['reason'];
      expect(await loadReason()).toBeNull();
      bundler.forgetMempool();
      await sendAgain([operation], '1 minute');
      await until('the refusal is kept', async () => (await loadReason()) === message);
      bundler.intercept = undefined;
      bundler.isBundling = true;
      await sendAgain([operation], '0');
      await world.untilState('included', [operation]);
    },
  );

  it.each([1, 12])(
    'T194: chain with a bundler: gets the same bytes again after a reorganisation of %i blocks in which the operation vanished',
    async (depth) => {
      const recipient = padHex(numberToHex(0xfeed_00 + depth), { size: 20 });
      const { client } = world.chain;
      const received = () => client.getBalance({ address: recipient });
      const bodies: string[] = [];
      const owner = await world.fundedOwner();
      bundler.intercept = ({ params }) => {
        const [{ sender }] = params as [{ sender: string }];
        if (sender === owner.address) bodies.push(JSON.stringify(params));
        return false;
      };
      const countBodies = bundler.intercept;
      // The funds are in a block that stays.
      await client.mine({ blocks: 2 });
      const operations = await world.store(
        await world.sign(owner, [{ target: recipient, value: 1n, data: '0x' }]),
      );
      const [before] = await world.untilState('included', operations);
      await client.mine({ blocks: depth - 1 > 0 ? depth - 2 : 0 });
      const sent = bodies.length;

      bundler.intercept = isAway;
      bundler.isBundling = false;
      bundler.forgetMempool();
      await client.setAutomine(false);
      await client.request({ method: 'anvil_reorg', params: [depth, []] } as never);
      await client.request({ method: 'anvil_dropAllTransactions' } as never);
      expect(await received()).toBe(0n);
      const [lost] = await world.untilState('submitted', operations);
      expect(lost).toMatchObject({ success: null, block_hash: null, receipt: null });
      await client.setAutomine(true);
      await client.mine({ blocks: 1 });
      bundler.intercept = countBodies;
      bundler.isBundling = true;

      const [after] = await world.untilState('included', operations);
      expect(after?.['block_hash']).not.toBe(before?.['block_hash']);
      expect(bodies.length).toBeGreaterThan(sent);
      expect(new Set(bodies).size).toBe(1);
      await client.mine({ blocks: 12 });
      await world.untilState('final', operations);
      expect(await received()).toBe(1n);
    },
  );

  it('chain with a bundler: executes every operation once, whatever it answers', async () => {
    await world.stopApps();
    const signed = [];
    for (const _ of FIRST_ANSWERS) signed.push(await world.sign(await world.fundedOwner()));
    const firstAnswers = new Map(signed.map(({ owner }, index) => [owner.address, FIRST_ANSWERS[index]]));
    const hashes = new Map(signed.map(({ owner, hash }) => [owner.address, hash]));
    bundler.intercept = async (request, response) => {
      const [{ sender }] = request.params as [{ sender: `0x${string}` }];
      const first = firstAnswers.get(sender);
      if (!first) return false;
      firstAnswers.delete(sender);
      if (first.isExecuted) {
        expect(await bundler.answer(request)).toMatchObject({ result: hashes.get(sender) });
        await until('it is executed', () => isExecuted(hashes.get(sender) ?? ''));
      }
      first.answer(response, request.id);
      return true;
    };
    const operations = await world.store(...signed);
    await startApp({ RPC_TIMEOUT_MS: '1000' });
    await world.untilState('included', operations);
    expect(firstAnswers.size).toBe(0);
    await world.chain.client.mine({ blocks: 12 });
    await world.untilState('final', operations);
  });
});
