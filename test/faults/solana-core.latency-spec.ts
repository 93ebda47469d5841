import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Address } from '@solana/kit';
import type { Principal } from '@app/auth';
import { SOLANA_CLUSTERS } from '@app/dto';
import { SolanaCluster } from '../../scripts/chain/solana/cluster.mjs';
import { DasIndexer } from '../support/das-indexer.js';
import { newAddress, writeNft } from '../support/solana-nfts.js';
import { SolanaNode } from '../support/solana-node.js';
import { until } from '../support/until.js';
import { client, GatingApp } from '../token-gating/gating-app.js';
import { expectUndisturbed, median } from './latency.js';

/** A cluster whose Core assets are listed by nodes. */
const DEVNET = 8_000_000_000_103;
/** A cluster whose Core assets are listed by an indexer. */
const MAINNET = 8_000_000_000_101;
const MAINNET_GENESIS_HASH = SOLANA_CLUSTERS.find(({ id }) => id === MAINNET)?.genesisHash;
const attacker: Principal = { ...client, client: { id: 'client_2', ownerId: 'owner_2', plan: 'free' } };
/** Checks of the attacker at the same time. */
const ATTACKS = 32;
const VICTIM_CHECKS = 15;
const SLOW_MS = 600;
const SPREAD_MS = 20;
const SCANS_AT_ONCE = 8;

let cluster: SolanaCluster;
let nodes: SolanaNode[];
let indexer: DasIndexer;
let gating: GatingApp;
let collection: Address;

beforeAll(async () => {
  cluster = new SolanaCluster();
  collection = await newAddress();
  nodes = await Promise.all([SolanaNode.start(cluster), SolanaNode.start(cluster)]);
  const [devnet, mainnet] = nodes;
  if (!devnet || !mainnet) throw new Error('two nodes were started');
  mainnet.change = (response, { method }) =>
    method === 'getGenesisHash' ? { ...response, result: MAINNET_GENESIS_HASH } : response;
  indexer = await DasIndexer.start();
  gating = await GatingApp.start({
    RPC_CACHE: 'off',
    [`RPC_URL_${DEVNET}`]: devnet.url,
    [`SOLANA_CORE_${DEVNET}`]: 'rpc',
    [`RPC_URL_${MAINNET}`]: mainnet.url,
    [`DAS_URL_${MAINNET}`]: indexer.url,
    CALLBACK_ALLOW_CIDRS: '127.0.0.0/8',
  });
});

afterAll(async () => {
  await gating.stop();
  await Promise.all([indexer.stop(), ...nodes.map((node) => node.stop())]);
});

const ofCollection = (chainId: number) => ({
  ...{ type: 'SOLANA_NFT', chainId, contractAddress: 'collection', tokenId: collection },
});

/** The median of the victim's checks, in milliseconds. */
async function measure(check: () => Promise<{ readonly status: number }>): Promise<number> {
  const durations: number[] = [];
  for (let index = 0; index < VICTIM_CHECKS; index += 1) {
    const startedAt = performance.now();
    expect((await check()).status).toBe(200);
    durations.push(performance.now() - startedAt);
  }
  return median(durations);
}

/** Ends the attack also when a check fails. */
async function measureUntil(check: Parameters<typeof measure>[0], end: () => Promise<void>): Promise<number> {
  try {
    return await measure(check);
  } finally {
    await end();
  }
}

/** Checks new accounts all the time until it is ended, spread over time so that they share no batch. */
function attack(chainId: number) {
  let isRunning = true;
  const run = async (_: unknown, index: number): Promise<void> => {
    await sleep(index * SPREAD_MS);
    while (isRunning) {
      const account = await newAddress();
      await gating.check({ account, rules: [ofCollection(chainId)] }, {}, attacker);
    }
  };
  const running = Promise.all(Array.from({ length: ATTACKS }, run));
  return async (): Promise<void> => {
    isRunning = false;
    await running;
  };
}

describe('assets of Metaplex Core', () => {
  it('T99: assets of Metaplex Core that nodes list slowly for one tenant: delay no other reads of another', async () => {
    const account = await newAddress();
    await writeNft(cluster, { owner: account, collection: { key: collection, verified: true } });
    const check = () => gating.check({ account, rules: [ofCollection(DEVNET)] });
    const controlMs = await measure(check);
    let scans = 0;
    const delay = (body: string): number => {
      if (!body.includes('getProgramAccounts')) return 0;
      scans += 1;
      return SLOW_MS;
    };
    for (const node of nodes) node.delayMs = delay;
    const end = attack(DEVNET);
    await until('more attackers than the node answers wait for it', () => scans > SCANS_AT_ONCE);
    const attackedMs = await measureUntil(check, () => {
      for (const node of nodes) node.delayMs = () => 0;
      return end();
    });
    expectUndisturbed(attackedMs, controlMs);
  });

  it('T99: assets of Metaplex Core for which an indexer hangs for one tenant: are listed for another meanwhile', async () => {
    const victims = new Set<string>();
    indexer.list = (owner) => [
      {
        ...{ id: owner, interface: 'MplCoreAsset', ownership: { owner } },
        grouping: [{ group_key: 'collection', group_value: collection }],
      },
    ];
    const check = async () => {
      const account = await newAddress();
      victims.add(account);
      return gating.check({ account, rules: [ofCollection(MAINNET)] });
    };
    const controlMs = await measure(check);
    indexer.hangs = (owner) => !victims.has(owner);
    const end = attack(MAINNET);
    await until('the indexer hangs', () => indexer.waitingRequests > 0);
    const attackedMs = await measureUntil(check, () => {
      indexer.release();
      return end();
    });
    expectUndisturbed(attackedMs, controlMs);
  });
});
