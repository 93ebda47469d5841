import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  forwardTo,
  forwardUnknownHalts,
  HALTING_CODE,
  HostileNode,
  type NodeBehaviour,
} from '../support/hostile-node.js';
import { expectUndisturbed, median } from './latency.js';
import { Product } from './product.js';

const ATTACK_MS = 2_000;

describe('a node', () => {
  let product: Product;
  let bad: HostileNode;
  let behaviour: NodeBehaviour;

  beforeAll(async () => {
    bad = await HostileNode.start((request, response) => behaviour(request, response));
    product = await Product.start({ instances: 0, env: { RPC_TIMEOUT_MS: '1000' } });
  });

  afterEach(() => product.endInstances());

  afterAll(async () => {
    await product.stop();
    await bad.stop();
  });

  it.each([
    ['a known halt', forwardTo],
    ['an error that no list knows', forwardUnknownHalts],
  ])('T63: node that answers %s to calls of a contract: is used on by others', async (_, forward) => {
    behaviour = forward(product.node.chain.rpcUrl);
    const attacker = await product.suite.createClient({ requestsPerSecond: 100_000 });
    const contractAddress = '0x00000000000000000000000000000000000ba17e';
    await product.node.chain.client.setCode({ address: contractAddress, bytecode: HALTING_CODE });
    const rules = [
      { type: 'ERC721', chainId: 31337, contractAddress, tokenId: '1-50', minToken: '1', roleId: 'x' },
    ];
    await product.addInstance({ RPC_URL_31337: bad.url });

    /** Sends the checks of another tenant one after another. */
    const measure = async (durationMs: number): Promise<{ statuses: number[]; ms: number }> => {
      const statuses: number[] = [];
      const times: number[] = [];
      for (const endsAt = performance.now() + durationMs; performance.now() < endsAt;) {
        const startedAt = performance.now();
        statuses.push((await product.check()).status);
        times.push(performance.now() - startedAt);
        await sleep(20);
      }
      return { statuses, ms: median(times) };
    };

    await measure(500);
    const control = await measure(1_000);
    const attacks: Promise<unknown>[] = [];
    const timer = setInterval(() => {
      attacks.push(product.check({ rules }, { 'X-API-Key': attacker.apiKey }));
    }, 500);
    const victim = await measure(ATTACK_MS);
    clearInterval(timer);
    await Promise.all(attacks);
    expect(attacks.length).toBeGreaterThan(1);
    expect(victim.statuses).toEqual(victim.statuses.map(() => 200));
    expectUndisturbed(victim.ms, control.ms);
  });
});
