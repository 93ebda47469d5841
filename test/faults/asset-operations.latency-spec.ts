import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Principal } from '@app/auth';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Address } from 'viem';
import { importFiles, toCar } from '../metadata/ipfs-cars.js';
import { type DeployedContract, LocalChain } from '../support/local-chain.js';
import { type Receiver, receiver } from '../support/receiver.js';
import { type Answer, client, GatingApp } from '../token-gating/gating-app.js';
import { expectUndisturbed, median } from './latency.js';

const VICTIM: Address = '0x00000000000000000000000000000000000000a1';
const ATTACKER: Address = '0x00000000000000000000000000000000000000a2';
const attacker: Principal = { ...client, client: { id: 'client_2', ownerId: 'owner_2', plan: 'free' } };
const MAX_TOKENS = 100n;
const MAX_ASSETS = 50;
/** Attacks at once: as many requests as a tenant has in progress at one instance. */
const ATTACKS_AT_ONCE = 12;
const LONG_ID = 2n ** 256n - 1n - MAX_TOKENS;
const MAX_DOCUMENT_BYTES = 1024 * 1024;
const SLOW_DOCUMENT_MS = 400;
const ROUNDS = 15;
const WARM_UP_ROUNDS = 5;
const ROUND_INTERVAL_MS = 200;
/** The noise of a busy machine. Without shares a victim waits for the attacker's documents: seconds. */
const NOISE_MS = 700;

let chain: LocalChain;
let gateway: Receiver;
let gating: GatingApp;
let heavy: DeployedContract;
let own: DeployedContract;
let nextToken = 1n;
/** What the gateway sends, by root, and after how long. */
const cars = new Map<string, { car: Buffer; delayMs: number }>();

beforeAll(async () => {
  chain = await LocalChain.start();
  await chain.installMulticall3();
  gateway = await receiver(({ url = '' }, response) => {
    const { car, delayMs } = cars.get(/^\/ipfs\/(\w+)/.exec(url)?.[1] ?? '') ?? {};
    setTimeout(() => {
      if (car) response.writeHead(200, { 'content-type': 'application/vnd.ipld.car' }).end(car);
      else response.writeHead(404).end();
    }, delayMs);
  });
  gating = await GatingApp.start({
    [`RPC_URL_${chain.chainId}`]: chain.rpcUrl,
    IPFS_GATEWAYS: `http://127.0.0.1:${gateway.port}`,
  });
  const filler = 'x'.repeat(MAX_DOCUMENT_BYTES - 100);
  heavy = await chain.deploy('EnumerableERC721', [`${await publish({ filler }, SLOW_DOCUMENT_MS)}?{id}`]);
  await chain.send(heavy, 'mint', [ATTACKER, LONG_ID, MAX_TOKENS]);
  own = await chain.deploy('EnumerableERC721', [`${await publish({ name: 'own' }, 0)}?{id}`]);
  await chain.send(own, 'mint', [VICTIM, nextToken, BigInt(3 * ROUNDS)]);
});

afterAll(async () => {
  await gating.stop();
  await gateway.stop();
  await chain.stop();
});

async function publish(document: object, delayMs: number): Promise<string> {
  const { root, blocks } = await importFiles({ 'a.json': Buffer.from(JSON.stringify(document)) });
  cars.set(root.toString(), { car: await toCar(root, blocks), delayMs });
  return `ipfs://${root.toString()}/a.json`;
}

const toAsset = ({ address }: DeployedContract, id?: bigint): string =>
  `eip155:${chain.chainId}/erc721:${address}${id === undefined ? '' : `/${id}`}`;

function ask(operation: string, account: Address, assets: readonly string[], as: Principal): Promise<Answer> {
  const query = assets.map((asset) => `assets=${encodeURIComponent(asset)}`).join('&');
  const headers = { Prefer: 'handling=lenient' };
  return gating.request('GET', `/${operation}/${account}?${query}`, undefined, headers, as);
}

/** Lists and checks the heaviest assets that a request may name, until the signal. */
async function attack(signal: AbortSignal): Promise<number[]> {
  const ids = Array.from({ length: MAX_ASSETS - 1 }, (_, index) => LONG_ID + BigInt(index));
  const assets = [toAsset(heavy), ...ids.map((id) => toAsset(heavy, id))];
  const statuses: number[] = [];
  const repeat = async (operation: string): Promise<void> => {
    while (!signal.aborted) statuses.push((await ask(operation, ATTACKER, assets, attacker)).status);
  };
  await Promise.all(
    Array.from({ length: ATTACKS_AT_ONCE }, (_, index) =>
      repeat(index % 3 === 0 ? 'asset-ownership' : 'asset-list'),
    ),
  );
  return statuses;
}

interface Latencies {
  readonly list: number;
  readonly ownership: number;
  readonly check: number;
}

/** Requests at fixed times, however long the earlier ones take. The metadata of each token is fetched once. */
async function measureVictim(rounds = ROUNDS): Promise<Latencies> {
  const latencies: { [Operation in keyof Latencies]: number[] } = { list: [], ownership: [], check: [] };
  const measure = async (operation: keyof Latencies, request: Promise<Answer>, expected: unknown) => {
    const startedAt = performance.now();
    const { status, body } = await request;
    expect([operation, status, body]).toMatchObject([operation, 200, expected]);
    latencies[operation].push(performance.now() - startedAt);
  };
  const rules = [{ type: 'NATIVE', chainId: chain.chainId, minToken: '0' }];
  const round = async (index: number): Promise<void> => {
    await sleep(index * ROUND_INTERVAL_MS);
    const asset = toAsset(own, nextToken);
    nextToken += 1n;
    await Promise.all([
      measure('list', ask('asset-list', VICTIM, [asset], client), [
        { balance: '1', tokens: [{ metadata: { name: 'own' } }] },
      ]),
      measure('ownership', ask('asset-ownership', VICTIM, [asset], client), {
        assets: [{ asset, owner: true }],
      }),
      measure('check', gating.check({ account: VICTIM, rules }), { roles: [{ granted: true }] }),
    ]);
  };
  await Promise.all(Array.from({ length: rounds }, (_, index) => round(index)));
  return {
    list: median(latencies.list),
    ownership: median(latencies.ownership),
    check: median(latencies.check),
  };
}

describe('the asset operations', () => {
  it('T75: asset operations of a tenant with the heaviest assets: delay those of others little, and lose nothing', async () => {
    await measureVictim(WARM_UP_ROUNDS);
    const control = await measureVictim();
    const end = new AbortController();
    const attacks = attack(end.signal);
    const attacked = await measureVictim();
    end.abort();
    expect(new Set(await attacks)).toEqual(new Set([200]));
    for (const operation of ['list', 'ownership', 'check'] as const)
      expectUndisturbed(attacked[operation], control[operation], NOISE_MS);
  });
});
