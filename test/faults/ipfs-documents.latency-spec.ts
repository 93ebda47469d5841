import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Principal } from '@app/auth';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Address } from 'viem';
import { type Block, importFiles, toCar, toFileNode, toRawBlock } from '../metadata/ipfs-cars.js';
import { type DeployedContract, LocalChain } from '../support/local-chain.js';
import { type Receiver, receiver } from '../support/receiver.js';
import { client, GatingApp } from '../token-gating/gating-app.js';
import { expectUndisturbed, median } from './latency.js';

const HOLDER: Address = '0x00000000000000000000000000000000000000a1';
const attacker: Principal = { ...client, client: { id: 'client_2', ownerId: 'owner_2', plan: 'free' } };
/** Attacks: more than the failures in a row that end the use of a gateway. */
const ATTACKS = 8n;
const VICTIM_CHECKS = 15;
const VICTIM_INTERVAL_MS = 100;

let chain: LocalChain;
let gateway: Receiver;
let gating: GatingApp;
/** What the gateway sends, by root. */
const cars = new Map<string, Buffer>();
/** URLs at which the gateway loses the connection in the middle of a body. */
const interruptedUrls = new Set<string>();

beforeAll(async () => {
  chain = await LocalChain.start();
  await chain.installMulticall3();
  gateway = await receiver(({ url = '' }, response) => {
    const car = cars.get(/^\/ipfs\/(\w+)/.exec(url)?.[1] ?? '');
    if (interruptedUrls.has(url.slice('/ipfs/'.length).replace(/\?.*/, '')))
      response
        .writeHead(200, { 'content-type': 'application/vnd.ipld.car' })
        .write('C', () => response.destroy());
    else if (car) response.writeHead(200, { 'content-type': 'application/vnd.ipld.car' }).end(car);
    else response.writeHead(404).end();
  });
  gating = await GatingApp.start({
    [`RPC_URL_${chain.chainId}`]: chain.rpcUrl,
    IPFS_GATEWAYS: `http://127.0.0.1:${gateway.port}`,
  });
});

afterAll(async () => {
  await gating.stop();
  await gateway.stop();
  await chain.stop();
});

async function publish(root: Block, blocks: readonly Block[], end?: number): Promise<string> {
  cars.set(root.cid.toString(), (await toCar(root.cid, blocks)).subarray(0, end));
  return `ipfs://${root.cid.toString()}`;
}

async function publishGood(name: string): Promise<string> {
  const { root, blocks } = await importFiles({ 'a.json': Buffer.from(JSON.stringify({ name })) });
  return `${await publish({ cid: root, bytes: Buffer.alloc(0) }, blocks)}/a.json`;
}

/** Each token of the contract has a URI of its own, and the same document. */
async function deploy(uri: string, count = ATTACKS): Promise<DeployedContract> {
  const contract = await chain.deploy('EnumerableERC721', [`${uri}?{id}`]);
  await chain.send(contract, 'mint', [HOLDER, 1n, count]);
  return contract;
}

const checkMetadata = ({ address }: DeployedContract, as: Principal) => {
  const rule = {
    type: 'ERC721',
    chainId: chain.chainId,
    contractAddress: address,
    minToken: String(ATTACKS),
  };
  const rules = [{ ...rule, requiresMetadata: true, query: '$exists(name)' }];
  return gating.check({ account: HOLDER, rules }, { Prefer: 'handling=lenient' }, as);
};

/** Checks at fixed times, however long the earlier ones take. */
async function measureVictim(): Promise<number> {
  const rules = [{ type: 'NATIVE', chainId: chain.chainId, minToken: '0' }];
  const latencies = Array.from({ length: VICTIM_CHECKS }, async (_, index) => {
    await sleep(index * VICTIM_INTERVAL_MS);
    const startedAt = performance.now();
    const { status, body } = await gating.check({ account: HOLDER, rules });
    expect([status, body]).toMatchObject([200, { roles: [{ granted: true }] }]);
    return performance.now() - startedAt;
  });
  return median(await Promise.all(latencies));
}

const absent = toRawBlock(Buffer.from('absent'));

describe('documents that their publishers made', () => {
  it('T72: documents that take long to verify: delay no check of another tenant', async () => {
    const control = await measureVictim();
    // Each of the links of the root makes the reader decode 20,000 links, of which it follows one.
    const leaf = toRawBlock(Buffer.from('a'));
    const sizes = Array.from({ length: 20_000 }, () => [0x20, 0x7f]).flat();
    const inner = toFileNode([0x08, 2, 0x18, 1, ...sizes], Array<typeof leaf.cid>(20_000).fill(leaf.cid));
    const rootSizes = Array.from({ length: 100 }, () => [0x20, 1]).flat();
    const root = toFileNode([0x08, 2, 0x18, 100, ...rootSizes], Array<typeof leaf.cid>(100).fill(inner.cid));
    const contract = await deploy(await publish(root, [root, inner, leaf]));
    const attack = checkMetadata(contract, attacker);
    const attacked = await measureVictim();
    expect((await attack).body).toMatchObject({ errors: [{}] });
    expectUndisturbed(attacked, control, 500);
  });

  it('T83: documents with a wrong node below the root: do not end the app', async () => {
    const inner = toFileNode([0x08, 2], [absent.cid]);
    const root = toFileNode([0x08, 2, 0x18, 1, 0x20, 1], [inner.cid]);
    const contract = await deploy(await publish(root, [root, inner]));
    const { body } = await checkMetadata(contract, attacker);
    expect(body).toMatchObject({ roles: [{ granted: false }], errors: [{ retryable: false }] });
    const victim = await checkMetadata(await deploy(await publishGood('victim')), client);
    expect(victim.body).toMatchObject({ roles: [{ granted: true }] });
  });

  it('T120: documents that gateways cannot deliver, or not as they are named: do not end the use of the gateway', async () => {
    const short = toRawBlock(Buffer.from('{"name":"short"}'), 20);
    const root = toFileNode([0x08, 2, 0x18, 16, 0x20, 16], [absent.cid]);
    const shortened = toFileNode([0x08, 2, 0x18, 16, 0x20, 16], [short.cid]);
    const interrupted = toRawBlock(Buffer.from('interrupted'));
    interruptedUrls.add(interrupted.cid.toString());
    const documents = {
      // Gateways begin a CAR before they look for the root, and end it where a block has no provider.
      'without a provider': await publish(absent, []),
      'cut off': await publish(root, [root], -1),
      'cut off with the connection': await publish(interrupted, [interrupted]),
      'with a truncated hash': await publish(shortened, [shortened, short]),
    };
    for (const [name, uri] of Object.entries(documents)) {
      const { body } = await checkMetadata(await deploy(uri), attacker);
      expect([name, body]).toMatchObject([name, { roles: [{ granted: false }], errors: [{}] }]);
      const good = await deploy(await publishGood(name), ATTACKS);
      const victim = await checkMetadata(good, client);
      expect([name, victim.body]).toMatchObject([name, { roles: [{ granted: true }] }]);
    }
  });
});
