import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it } from '@jest/globals';
import { type Address, type Hex, pad, toHex } from 'viem';
import {
  forwardTo,
  HostileNode,
  type NodeBehaviour,
  type NodeRequest,
  reply,
} from '../support/hostile-node.js';
import type { RunningApp } from '../support/running-app.js';
import { until } from '../support/until.js';
import { TRANSFER_TOPIC, TransfersWorld } from '../token-gating/transfers-world.js';

let world: TransfersWorld | undefined;

afterEach(async () => {
  await world?.stop();
  world = undefined;
});

const start = async (env: Record<string, string> = {}): Promise<TransfersWorld> =>
  (world = await TransfersWorld.start(env));

/** A community of one token with a seller, who has it, and a buyer. */
async function market(in_: TransfersWorld, ownerId?: string) {
  const token = await in_.deployToken();
  const [seller, buyer] = [in_.user(), in_.user()];
  await in_.chain.mint(token, seller.address, 1n);
  const id = await in_.community([in_.holds(token)], [seller.id, buyer.id], ownerId);
  await in_.untilHolders(id, seller.id);
  // A chain that is followed for the first time has all members checked, whatever its logs say.
  await until('the chain is followed', async () => {
    const followed = 'SELECT FROM token_gating.transfer_watchers WHERE position IS NOT NULL';
    return (await in_.query(followed)).length > 0;
  });
  await in_.settle(id);
  return {
    ...{ token, seller, buyer, id },
    sell: () => in_.transfer(token, seller.address, buyer.address, 1n),
    untilSold: () => in_.untilHolders(id, buyer.id),
    buyBack: () => in_.transfer(token, buyer.address, seller.address, 1n),
    untilBoughtBack: () => in_.untilHolders(id, seller.id),
  };
}

const STATE = (state: string) => new RegExp(String.raw`transfer_watcher_state\{chain="\d+",state="${state}"`);

async function findLeader(in_: TransfersWorld, apps: readonly RunningApp[]): Promise<RunningApp> {
  const found: RunningApp[] = [];
  await until('an instance follows the chain', async () => {
    for (const app of apps) if ((await in_.metric(STATE('following'), app)) === 1) found.push(app);
    return found.length > 0;
  });
  const [leader] = found;
  if (!leader) throw new Error('nobody follows the chain');
  return leader;
}

const toFilter = ({ params }: NodeRequest) =>
  params[0] as { readonly address: readonly Hex[]; readonly fromBlock: Hex; readonly toBlock: Hex };

it('T340, T341: transfer watcher: goes on at another instance when its own is killed, or frozen and continued', async () => {
  const here = await start();
  const other = await here.gating.another();
  const { sell, untilSold, buyBack, untilBoughtBack } = await market(here);
  const apps = [here.gating.app, other];
  const frozen = await findLeader(here, apps);
  frozen.process.kill('SIGSTOP');
  await sell();
  await untilSold();
  frozen.process.kill('SIGCONT');
  // Each instance has looked whether it holds the lease.
  await sleep(6_000);
  const killed = await findLeader(here, apps);
  await killed.stop('SIGKILL');
  await buyBack();
  await untilBoughtBack();
}, 240_000);

it('T342: transfer watcher: gives a role back whose sale a reorganisation of 12 blocks undid, and sees the sales of the new blocks', async () => {
  const here = await start();
  const { client } = here.chain;
  const undone = await market(here);
  const made = await market(here);
  await client.mine({ blocks: 20 });
  const snapshot = await client.snapshot();
  await undone.sell();
  await undone.untilSold();
  await client.mine({ blocks: 11 });
  await sleep(2_000);
  await client.revert({ id: snapshot });
  await made.sell();
  await client.mine({ blocks: 10 });
  await made.untilSold();
  await client.mine({ blocks: 3 });
  await undone.untilBoughtBack();
}, 240_000);

it('T343: transfer watcher: polls a contract with a hundred thousand false transfers a block, says so to who runs its community, and follows others', async () => {
  const here = await start();
  const victim = await market(here, 'victim');
  const address = '0x00000000000000000000000000000000000f100d';
  const flood = await here.deployFlood(address);
  const member = here.user();
  const noisy = await here.community([here.holds({ address })], [member.id], 'spammer');
  await flood(100_000);
  await victim.sell();
  await victim.untilSold();
  await until('the contract is polled', async () => {
    const rows = await here.query<{ reason: string }>('SELECT reason FROM token_gating.polled_contracts');
    return rows.length === 1 && ['logs_refused', 'too_many_logs'].includes(rows[0]?.reason ?? '');
  });
  const runner = { kind: 'caller', user: { id: 'spammer' }, scopes: ['community:read'] } as const;
  await here.query(
    'INSERT INTO token_gating.community_administrators (community_id, user_id) VALUES ($1, $2)',
    noisy,
    'spammer',
  );
  const path = `/communities/${noisy}`;
  const { body } = await here.gating.request(
    'GET',
    path,
    undefined,
    {},
    { ...runner, scopes: [...runner.scopes] },
  );
  expect(body).toMatchObject({
    polledContracts: [{ contractAddress: address, chainId: here.chain.chainId }],
  });
  await flood(100_000);
  await victim.buyBack();
  await victim.untilBoughtBack();
}, 240_000);

it('T438: transfer watcher: polls a contract whose logs a node never serves, also where no new block comes, and follows others', async () => {
  const here = await start();
  const victim = await market(here, 'victim');
  const heavy = await here.deployToken();
  const holder = here.user();
  await here.community([here.holds(heavy)], [holder.id], 'spammer');
  await here.chain.mint(heavy, holder.address, 1n);
  const block = await here.chain.client.getBlockNumber();
  const address = heavy.address.toLowerCase();
  let manyBlocks = 0;
  here.override = (request) => {
    if (request.method !== 'eth_getLogs') return false;
    const { address: asked, fromBlock, toBlock } = toFilter(request);
    const isHeavy =
      asked.some((each) => each === address) && BigInt(fromBlock) <= block && block <= BigInt(toBlock);
    if (isHeavy && fromBlock !== toBlock) manyBlocks += 1;
    return isHeavy;
  };
  await victim.sell();
  await victim.untilSold();
  expect(await here.query('SELECT address, reason FROM token_gating.polled_contracts')).toEqual([
    { address, reason: 'logs_refused' },
  ]);
  // The block is looked for once, not in each of the three searches that blame the contract.
  expect(manyBlocks).toBeLessThanOrEqual(4);
}, 240_000);

it('T344: transfer watcher: polls a contract with more than a thousand transfers a minute, and follows others', async () => {
  const here = await start();
  const victim = await market(here, 'victim');
  const address = '0x00000000000000000000000000000000000f100e';
  const flood = await here.deployFlood(address);
  await here.community([here.holds({ address })], [here.user().id], 'spammer');
  await flood(900);
  await victim.sell();
  await victim.untilSold();
  expect(await here.query('SELECT FROM token_gating.polled_contracts')).toEqual([]);
  await flood(900);
  await until('the contract is polled', async () => {
    const rows = await here.query<{ reason: string }>('SELECT reason FROM token_gating.polled_contracts');
    return rows[0]?.reason === 'too_many_logs';
  });
  await victim.buyBack();
  await victim.untilBoughtBack();
}, 240_000);

it.each([10, 500])(
  'T345: transfer watcher: catches up at a node that serves the logs of %i blocks at once',
  async (limit) => {
    const here = await start();
    const { sell, untilSold } = await market(here);
    let isAway = true;
    here.override = (request, response) => {
      if (request.method !== 'eth_getLogs') return false;
      const { fromBlock, toBlock } = toFilter(request);
      const blocks = Number(toBlock) - Number(fromBlock) + 1;
      if (!isAway && blocks <= limit) return false;
      const message = isAway ? 'unauthorized' : `eth_getLogs is limited to a ${limit} block range`;
      reply(response, request.id, { error: { code: isAway ? -32_601 : -32_600, message } });
      return true;
    };
    await sell();
    for (let blocks = 0; blocks < 3_000; blocks += 250) await here.ask('anvil_mine', [toHex(250)]);
    isAway = false;
    await untilSold();
    await until('no block is left', async () => (await here.metric(/transfer_watcher_blocks_behind/)) === 0);
    expect(await here.query('SELECT FROM token_gating.polled_contracts')).toEqual([]);
  },
  240_000,
);

/** Blocks that the node of T346 makes known at once, and those of which it serves the logs late. */
const SKIPPED = 5n;
const LATE = 3n;

it('T346: transfer watcher: follows at a node that skips blocks, and serves the logs of its newest blocks late', async () => {
  const here = await start();
  const { client } = here.chain;
  const { sell, untilSold, buyBack, untilBoughtBack } = await market(here);
  here.override = (request, response) => {
    const { method, id } = request;
    if (method !== 'eth_blockNumber' && method !== 'eth_getLogs') return false;
    const answer = async () => {
      const head = await client.getBlockNumber();
      if (method === 'eth_blockNumber') return toHex(head - (head % SKIPPED));
      const filter = toFilter(request);
      const last = BigInt(filter.toBlock) - LATE;
      if (last < BigInt(filter.fromBlock)) return [];
      return here.ask('eth_getLogs', [{ ...filter, toBlock: toHex(last) }]);
    };
    void answer().then((result) => {
      reply(response, id, { result });
    });
    return true;
  };
  const mined = setInterval(() => void client.mine({ blocks: 1 }), 300);
  try {
    await sell();
    await untilSold();
    await buyBack();
    await untilBoughtBack();
  } finally {
    clearInterval(mined);
  }
}, 240_000);

it('T347: transfer watcher: takes no log from a node that lies, and asks the next node', async () => {
  const lies = createLies();
  const liar = await HostileNode.start(({ method, params, id }, response) => {
    if (method !== 'eth_getLogs') return forward?.({ method, params, id }, response);
    const [filter] = params as [ReturnType<typeof toFilter>];
    reply(response, id, { result: [lies(filter, named)] });
  });
  let named: Address = '0x00000000000000000000000000000000000f100f';
  let forward: NodeBehaviour | undefined;
  const here = (world = await TransfersWorld.start({}, (url, chainUrl) => {
    forward = forwardTo(chainUrl);
    return `${liar.url},${url}`;
  }));
  try {
    const { sell, untilSold, seller } = await market(here);
    named = seller.address;
    const asked = liar.count('eth_getLogs');
    const noted = 'SELECT FROM token_gating.transfer_checks';
    await until('each lie was told', async () => {
      await here.chain.client.mine({ blocks: 1 });
      return liar.count('eth_getLogs') > asked + 8;
    });
    await until('what the mint caused is done', async () => (await here.query(noted)).length === 0);
    for (let lie = 0; lie < 5; lie += 1) {
      await here.chain.client.mine({ blocks: 1 });
      await sleep(1_200);
      expect(await here.query(noted)).toEqual([]);
    }
    await sell();
    await untilSold();
  } finally {
    await liar.stop();
  }
}, 240_000);

/** Logs that nobody asked for, one kind after the other, each of which names an account. */
function createLies() {
  let told = 0;
  return ({ address, fromBlock, toBlock }: ReturnType<typeof toFilter>, account: Address) => {
    const topic = pad(account, { size: 32 });
    const truth = {
      address: address[0],
      topics: [TRANSFER_TOPIC, topic, topic, toHex(1n, { size: 32 })],
      data: '0x',
      blockNumber: fromBlock,
      blockHash: toHex(told, { size: 32 }),
      logIndex: '0x0',
    };
    told += 1;
    const kinds = [
      { address: account },
      { topics: [topic, topic, topic, topic] },
      { removed: true },
      { blockNumber: toHex(BigInt(toBlock) + 1n) },
      { topics: 'none' },
    ];
    return { ...truth, ...kinds[told % kinds.length] };
  };
}

const GAP = 10_100n;

it('T348: transfer watcher: skips a gap of more than ten thousand blocks, and has all members checked once', async () => {
  const here = await start();
  const { sell, id, untilSold } = await market(here);
  const checks = await here.countBalanceChecks(id);
  // A node that is away, then one whose chain has grown by more blocks than a test can wait for.
  let isAway = true;
  here.override = ({ method, params, id: request }, response) => {
    if (method !== 'eth_blockNumber' && method !== 'eth_getLogs') return false;
    if (isAway) response.destroy();
    else if (method === 'eth_getLogs') {
      blocksRead.push(Number((params as [{ fromBlock: Hex }])[0].fromBlock));
      reply(response, request, { result: [] });
    } else
      void here.chain.client.getBlockNumber().then((head) => {
        reply(response, request, { result: toHex(head + GAP) });
      });
    return true;
  };
  const blocksRead: number[] = [];
  await until('the node is away', async () => (await here.metric(STATE('unreachable'))) === 1);
  await sell();
  isAway = false;
  await untilSold();
  expect(await here.countBalanceChecks(id)).toBe(checks + 1);
  expect(Math.min(...blocksRead)).toBeGreaterThan(Number(GAP) - 20);
}, 240_000);
