import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import type { ServerResponse } from 'node:http';
import { forwardTo, HostileNode, type NodeRequest, reply } from '../support/hostile-node.js';
import { until } from '../support/until.js';
import { ExecutorWorld, pay, type StoredOperation } from './executor-world.js';

const FEES = { maxFeePerGas: 20n * 10n ** 9n, maxPriorityFeePerGas: 2n * 10n ** 9n };
/** Call data that makes nodes not answer. */
const POISON = 'badc0ffee0ddf00d';
/** The selector of handleOps. */
const ANY_BUNDLE = '765e827f';
const REASON = 'nodes do not answer its simulation';

let world: ExecutorWorld;
const nodes: HostileNode[] = [];

beforeAll(async () => {
  world = await ExecutorWorld.start();
});

afterEach(async () => {
  await world.stopApps();
  for (const node of nodes.splice(0)) await node.stop();
});

afterAll(() => world.stop());

type Unanswered = (request: NodeRequest, response: ServerResponse) => void;

/** How nodes fail. A connection that is never answered ends with the time-out of the app. */
const FAILURES: Record<string, Unanswered> = {
  'a time-out': () => undefined,
  'status 413': (_request, response) => response.writeHead(413).end('too large'),
  'an unknown code': ({ id }, response) => {
    reply(response, id, { error: { code: -39_999, message: 'internal' } });
  },
};

/** An app whose node does not answer requests that hold one of the texts. */
async function startApp(fail: Unanswered, ...texts: readonly string[]): Promise<void> {
  const node = await HostileNode.start(async (request, response) => {
    const isSimulation = request.method === 'eth_call' || request.method === 'eth_simulateV1';
    const text = JSON.stringify(request);
    if (isSimulation && texts.some((one) => text.includes(one))) fail(request, response);
    else await forwardTo(world.chain.rpcUrl)(request, response);
  });
  nodes.push(node);
  await world.startApp({
    [`RPC_URL_${world.chain.chainId}`]: node.url,
    RPC_TIMEOUT_MS: '500',
    EXECUTOR_KEYS: world.executorKeys[0] ?? '',
  });
}

const sign = async (data: `0x${string}` = '0x') =>
  world.sign(await world.fundedOwner(), [{ ...pay(1n), data }], FEES);

const ids = (operations: readonly StoredOperation[]) => operations.map(({ id }) => id);

it.each(Object.keys(FAILURES))(
  'T215: executors: an operation of one tenant that nodes answer with %s keeps no operation of another tenant from being sent, and waits with a reason',
  async (name) => {
    const fail = FAILURES[name];
    if (!fail) throw new Error(`there is no failure ${name}`);
    // The oldest one is the first of its bundle, and the other one is in the middle of others.
    const signed = await Promise.all([
      sign(`0x${POISON}`),
      ...Array.from({ length: 4 }, () => sign()),
      sign(`0x${POISON}`),
      ...Array.from({ length: 4 }, () => sign()),
    ]);
    const stored = await world.store(...signed);
    const isPoisonous = (_: unknown, index: number) => index === 0 || index === 5;
    const poisonous = stored.filter(isPoisonous);
    const victims = stored.filter((one) => !poisonous.includes(one));
    await world.pool.query(
      `UPDATE account_kit.user_operations SET client_id = 'another' WHERE id = ANY($1::uuid[])`,
      [ids(victims)],
    );
    await startApp(fail, POISON);
    await world.untilState('included', victims);
    await until('both operations wait with a reason', async () =>
      (await world.rows(ids(poisonous))).every((row) => String(row['reason']).startsWith(REASON)),
    );
    // An operation that was in the way for long is sent when nodes answer.
    await world.stopApps();
    await world.pool.query(
      'UPDATE account_kit.user_operations SET next_attempt_at = now() WHERE id = ANY($1::uuid[])',
      [ids(poisonous)],
    );
    await startApp(fail);
    await world.untilState('included', poisonous);
  },
);

it('executors: operations wait as they were while nodes answer no simulation at all, and are sent afterwards', async () => {
  const stored = await world.store(...(await Promise.all([sign(), sign()])));
  let asked = 0;
  await startApp((_request, response) => {
    asked += 1;
    response.writeHead(503).end();
  }, ANY_BUNDLE);
  await until('the operations were simulated several times', () => Promise.resolve(asked > 4));
  for (const row of await world.rows(ids(stored)))
    expect(row).toMatchObject({ state: 'signed', reason: null, simulation_failures: 0 });
  await world.stopApps();
  await startApp(() => undefined);
  await world.untilState('included', stored);
});

it('executors: operations of a lane that follow one without an answer are sent after it, in the order of their nonces', async () => {
  const owner = await world.fundedOwner();
  const lane = await Promise.all(
    [0n, 1n, 2n].map((sequence) =>
      world.sign(owner, [{ ...pay(1n), data: sequence === 1n ? `0x${POISON}` : '0x' }], {
        ...FEES,
        sequence,
      }),
    ),
  );
  const [first, poisonous, last] = await world.store(...lane);
  if (!first || !poisonous || !last) throw new Error('nothing was stored');
  await startApp((_request, response) => response.writeHead(413).end(), POISON);
  await world.untilState('included', [first]);
  await until('the second one waits with a reason', async () =>
    String((await world.rows([poisonous.id]))[0]?.['reason']).startsWith(REASON),
  );
  expect(await world.rows([last.id])).toMatchObject([{ state: 'signed', simulation_failures: 0 }]);
  await world.stopApps();
  await world.pool.query('UPDATE account_kit.user_operations SET next_attempt_at = now() WHERE id = $1', [
    poisonous.id,
  ]);
  await startApp(() => undefined);
  await world.untilState('included', [first, poisonous, last]);
});
