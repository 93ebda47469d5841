import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Principal } from '@app/auth';
import type { Address } from 'viem';
import { setTimeout as sleep } from 'node:timers/promises';
import { forwardTo, HostileNode } from '../support/hostile-node.js';
import { type DeployedContract, LocalChain } from '../support/local-chain.js';
import { client, GatingApp } from '../token-gating/gating-app.js';
import { expectUndisturbed, median } from './latency.js';

const HOLDER: Address = '0x00000000000000000000000000000000000000a1';
const attacker: Principal = { ...client, client: { id: 'client_2', ownerId: 'owner_2', plan: 'free' } };
/** Attacks: more than places for requests on a chain. */
const ATTACKS = 30;
const LISTS = 9;
/** Time that the node takes for the logs of the attacker's contract. */
const SLOW_MS = 500;

let chain: LocalChain;
let node: HostileNode;
let gating: GatingApp;
let slow: DeployedContract;
let fast: DeployedContract;

beforeAll(async () => {
  chain = await LocalChain.start();
  await chain.installMulticall3();
  slow = await chain.deploy('DemoERC721', ['Slow', 'SLOW']);
  fast = await chain.deploy('DemoERC721', ['Fast', 'FAST']);
  for (const contract of [slow, fast]) await chain.mint(contract, HOLDER, 1n);
  const forward = forwardTo(chain.rpcUrl);
  node = await HostileNode.start(async (request, response) => {
    const isSlow = JSON.stringify(request.params).includes(slow.address.toLowerCase());
    if (request.method === 'eth_getLogs' && isSlow) await sleep(SLOW_MS);
    await forward(request, response);
  });
  gating = await GatingApp.start({ [`RPC_URL_${chain.chainId}`]: node.url, LOG_SCAN_BLOCKS: '100' });
});

afterAll(async () => {
  await gating.stop();
  await node.stop();
  await chain.stop();
});

/** @returns the milliseconds until the tokens were listed */
async function list({ address }: DeployedContract, as: Principal = client): Promise<number> {
  const asset = `eip155:${chain.chainId}/erc721:${address}`;
  const startedAt = performance.now();
  const path = `/asset-list/${HOLDER}?assets=${encodeURIComponent(asset)}`;
  const { status, body } = await gating.request('GET', path, undefined, {}, as);
  expect(status).toBe(200);
  expect(body).toMatchObject([{ balance: '1' }]);
  // An attacker has no answer to all of its scans.
  if (as === client) expect(body).toMatchObject([{ tokens: [{ id: '1' }] }]);
  return performance.now() - startedAt;
}

async function measure(): Promise<number> {
  const durations: number[] = [];
  for (let index = 0; index < LISTS; index += 1) durations.push(await list(fast));
  return median(durations);
}

describe('scans of logs', () => {
  it('T82: scans of logs of a tenant: take their turn, however slow those of another tenant are', async () => {
    const control = await measure();
    const attacks = Array.from({ length: ATTACKS }, () => list(slow, attacker));
    await sleep(SLOW_MS / 5);
    const attacked = await measure();
    await Promise.all(attacks);
    expectUndisturbed(attacked, control);
  });
});
