import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { toHex } from 'viem';
import { reply } from '../support/hostile-node.js';
import { until } from '../support/until.js';
import { TransfersWorld } from './transfers-world.js';

let world: TransfersWorld;
/** The number that the node names as its newest block, instead of the true one. While it is wrong, the node serves no logs. */
let nameHead: ((head: bigint, answer: number) => bigint) | undefined;
let answers = 0;
let isWrong = false;

beforeAll(async () => {
  world = await TransfersWorld.start();
  world.override = ({ method, id }, response) => {
    const name = nameHead;
    if (method === 'eth_getLogs' && isWrong) reply(response, id, { result: [] });
    else if (method === 'eth_blockNumber' && name)
      void world.ask('eth_blockNumber', []).then((result) => {
        answers += 1;
        const head = BigInt(String(result));
        const named = name(head, answers);
        isWrong = named !== head;
        reply(response, id, { result: toHex(named) });
      });
    else return false;
    return true;
  };
}, 120_000);

afterEach(() => {
  nameHead = undefined;
  answers = 0;
  isWrong = false;
});

afterAll(() => world.stop());

/** A community with a token that a member can sell to another one. */
async function market(here = world) {
  const token = await here.deployToken();
  const [seller, buyer] = [here.user(), here.user()];
  await here.chain.mint(token, seller.address, 1n);
  const id = await here.community([here.holds(token)], [seller.id, buyer.id]);
  await here.untilHolders(id, seller.id);
  // The mint is final, so that its second check is done.
  await here.chain.client.mine({ blocks: 20 });
  await until('no check of a transfer waits', async () => {
    const rows = await here.query('SELECT FROM token_gating.transfer_checks WHERE community_id = $1', id);
    return rows.length === 0;
  });
  const sell = () => here.transfer(token, seller.address, buyer.address, 1n);
  return { token, seller, buyer, id, sell, untilSold: () => here.untilHolders(id, buyer.id) };
}

async function loadPosition(): Promise<bigint> {
  const sql = 'SELECT position FROM token_gating.transfer_watchers';
  return BigInt((await world.query<{ position: string }>(sql))[0]?.position ?? '0');
}

/** The reads of checks believe the same node, so that a test waits for the note, and not for the role. */
const untilNoted = (id: string) =>
  until('the log of the sale has been followed', async () => {
    const sql = 'SELECT FROM token_gating.transfer_checks WHERE community_id = $1';
    return (await world.query(sql, id)).length > 0;
  });

const answersAre = (count: number) =>
  until(`the node has named its newest block ${count} times`, () => Promise.resolve(answers >= count));

it('transfer watcher: moves its position on while the only contract of a chain is polled', async () => {
  const { token } = await market();
  await world.query(
    `INSERT INTO token_gating.polled_contracts (chain_id, address, reason, polled_until)
     VALUES ($1, $2, 'too_many_logs', now() + interval '1 hour')`,
    world.chain.chainId,
    token.address.toLowerCase(),
  );
  // A look that had begun before the contract was polled.
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  const before = await loadPosition();
  await world.chain.client.mine({ blocks: 40 });
  await until('the position moves', async () => (await loadPosition()) >= before + 20n);
});

it('transfer watcher: follows a sale after one answer with a newest block that is 9,000 too high', async () => {
  const { id, sell } = await market();
  nameHead = (head, answer) => (answer === 1 ? head + 9_000n : head);
  await answersAre(4);
  await sell();
  await untilNoted(id);
  expect(await loadPosition()).toBeLessThan(await world.chain.client.getBlockNumber());
});

it('transfer watcher: follows a sale, and has nobody checked, while every second answer names block 0', async () => {
  const { id, sell, untilSold } = await market();
  const checks = await world.countBalanceChecks(id);
  nameHead = (head, answer) => (answer % 2 === 0 ? 0n : head);
  await answersAre(6);
  await sell();
  await untilSold();
  expect(await world.countBalanceChecks(id)).toBe(checks);
});

it('transfer watcher: finds a member whose wallet was stored after the log came, when its block is final', async () => {
  const { id, buyer, sell } = await market();
  const where = 'community_id = $1 AND user_id = $2';
  const accounts = await world.query<{ account_hash: Buffer }>(
    `DELETE FROM token_gating.member_accounts WHERE ${where} RETURNING account_hash`,
    id,
    buyer.id,
  );
  await sell();
  // The role of the seller is gone, so the log was read.
  await world.untilHolders(id);
  await world.query(
    `INSERT INTO token_gating.member_accounts (community_id, user_id, account_hash, added_at)
     VALUES ($1, $2, $3, now())`,
    id,
    buyer.id,
    accounts[0]?.account_hash,
  );
  await world.chain.client.mine({ blocks: 20 });
  await world.untilHolders(id, buyer.id);
});

it('transfer watcher: goes back, and has all members checked, where the newest block stays before the blocks that were read', async () => {
  const { id, sell } = await market();
  const isTooHigh = async () => (await loadPosition()) > (await world.chain.client.getBlockNumber());
  nameHead = (head) => head + 9_000n;
  await until('the position is too high', isTooHigh);
  const checks = await world.countBalanceChecks(id);
  nameHead = undefined;
  isWrong = false;
  await until('the position is that of the chain again', async () => !(await isTooHigh()), 120_000);
  await until('all members are checked', async () => (await world.countBalanceChecks(id)) > checks);
  await sell();
  await untilNoted(id);
}, 240_000);

it('transfer watcher: asks the next node while the first one is stuck', async () => {
  const stuck = await TransfersWorld.start({}, (nodeUrl, chainUrl) => `${nodeUrl},${chainUrl}`);
  try {
    const { sell, untilSold } = await market(stuck);
    const head = await stuck.chain.client.getBlockNumber();
    stuck.override = ({ method, id }, response) => {
      if (method !== 'eth_blockNumber') return false;
      reply(response, id, { result: toHex(head) });
      return true;
    };
    await stuck.chain.client.mine({ blocks: 5 });
    await sell();
    await untilSold();
  } finally {
    await stuck.stop();
  }
}, 240_000);
