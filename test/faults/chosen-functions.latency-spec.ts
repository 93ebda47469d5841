import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { forwardTo } from '../support/hostile-node.js';
import type { DeployedContract } from '../support/local-chain.js';
import { expectUndisturbed, median } from './latency.js';
import { Product } from './product.js';

const ATTACK_MS = 3_000;
/** The word before an address argument. */
const PADDING = '0'.repeat(24);

let product: Product;
let token: DeployedContract;

beforeAll(async () => {
  product = await Product.start({ env: { RPC_CACHE: 'off' } });
  token = await product.node.chain.deploy('HostileToken');
});

afterAll(() => product.stop());

const holdsToken = () => ({
  type: 'ERC20',
  chainId: 31337,
  contractAddress: token.address,
  minToken: '5',
  roleId: 'five',
});
const functions = (name: string) =>
  Array.from({ length: 50 }, (_, index) => ({
    ...{ type: 'CONTRACT_READ', chainId: 31337, contractAddress: token.address, roleId: 'x' },
    ...{ function: `function ${name}${index}(address) view returns (bool)`, arguments: ['$account'] },
  }));

/** Sends the checks of another tenant one after another. */
async function measure(durationMs: number): Promise<{ bodies: unknown[]; ms: number }> {
  const bodies: unknown[] = [];
  const times: number[] = [];
  for (const endsAt = performance.now() + durationMs; performance.now() < endsAt;) {
    const startedAt = performance.now();
    bodies.push((await product.check({ rules: [holdsToken()] })).body);
    times.push(performance.now() - startedAt);
    await sleep(20);
  }
  return { bodies, ms: median(times) };
}

it.each([
  ['burns gas or returns 3 MB', 'burns', false],
  ['is never answered', 'hangs', true],
])(
  'T324: a token of which one tenant reads 50 functions, each of which %s: is read for another tenant as before',
  async (_, name, hangs) => {
    const attacker = await product.suite.createClient({ requestsPerSecond: 100_000 });
    const forward = forwardTo(product.node.chain.rpcUrl);
    const argument = PADDING + product.account.slice(2).toLowerCase();
    // The victim's calls ask for a balance, and are forwarded.
    if (hangs)
      product.node.onCall = (request, response) => {
        const text = JSON.stringify(request.params);
        return text.includes(argument) && !text.includes(`70a08231${argument}`)
          ? undefined
          : forward(request, response);
      };
    await measure(500);
    const control = await measure(1_000);
    const attacks: Promise<unknown>[] = [];
    const timer = setInterval(() => {
      attacks.push(product.check({ rules: functions(name) }, { 'X-API-Key': attacker.apiKey }));
    }, 500);
    const victim = await measure(ATTACK_MS);
    clearInterval(timer);
    product.node.onCall = undefined;
    await Promise.all(attacks);
    expect(attacks.length).toBeGreaterThan(1);
    expect(victim.bodies).toEqual(victim.bodies.map(() => ({ roles: [{ id: 'five', granted: true }] })));
    expectUndisturbed(victim.ms, control.ms);
  },
);
