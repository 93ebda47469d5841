import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Client } from '../support/create-client.js';
import { GatedChain } from '../support/gated-chain.js';
import { type RunningSuite, runningSuite } from '../support/running-suite.js';
import { until } from '../support/until.js';

const REQUESTS = 200;
const accounts = Array.from(
  { length: REQUESTS },
  (_, at) => `0x${(4_096 + at).toString(16).padStart(40, '0')}`,
);

describe('concurrent checks', () => {
  let node: GatedChain;
  let suite: RunningSuite;
  let tenants: Client[];
  let coin: string;

  beforeAll(async () => {
    node = await GatedChain.start();
    ({ address: coin } = await node.chain.deploy('DemoERC20', ['Coin', 'C', 0, accounts[0], 5n]));
    suite = await runningSuite({
      rpcUrls: { 31337: node.node.url },
      // All checks have to arrive before the call that is held back times out.
      env: { ADDRESS_REQUESTS_PER_SECOND: '100000', RPC_TIMEOUT_MS: '8000' },
    });
    tenants = [await suite.createClient({ name: 'one' }), await suite.createClient({ name: 'other' })];
    await check(accounts[0]); // opens connections and caches credentials
  });

  afterAll(async () => {
    await suite.stop();
    await node.stop();
  });

  const check = async (account: string | undefined, contractAddress = coin, tenant = tenants[0]) => {
    const rules = [{ type: 'ERC20', chainId: 31337, contractAddress, minToken: '5', roleId: 'five' }];
    const response = await fetch(`${suite.gatewayUrl}/access-control/check-roles`, {
      method: 'POST',
      headers: {
        'X-API-Key': tenant?.apiKey ?? '',
        'Content-Type': 'application/json',
        Prefer: 'handling=lenient',
      },
      body: JSON.stringify({ account, rules }),
    });
    return { status: response.status, body: await response.json() };
  };

  const response = (granted: boolean) => ({ status: 200, body: { roles: [{ id: 'five', granted }] } });

  /** Counts the node calls during `work`. */
  const countCalls = async <T>(work: Promise<T>): Promise<{ result: T; calls: number }> => {
    const before = node.node.count('eth_call');
    const result = await work;
    return { result, calls: node.node.count('eth_call') - before };
  };

  const inFlight = async (): Promise<number> => {
    const metrics = await (await fetch(`${suite.app('gateway').managementUrl}/metrics`)).text();
    return Number(/^gateway_requests_in_flight\{.*\} (\d+)$/m.exec(metrics)?.[1]);
  };

  /** Asks at once: the node holds its first calls until all checks wait, however slowly these come in, so that the others share the next batch. */
  const askTogether = async (asked: readonly (string | undefined)[]) => {
    node.hold();
    const asking = countCalls(Promise.all(asked.map((account) => check(account))));
    await until('a call is held back', () => node.heldBack > 0);
    await until('all checks wait', async () => (await inFlight()) === asked.length);
    node.release();
    return asking;
  };

  // Requests may reach the app only after the release, because the gateway's connections are bounded.
  const MAX_CALLS = REQUESTS / 4;

  it('concurrent checks of different accounts: share calls', async () => {
    const { result, calls } = await askTogether(accounts);
    expect(result).toEqual(accounts.map((_, at) => response(at === 0)));
    expect(calls).toBeLessThan(MAX_CALLS);
  });

  it('concurrent checks of one account: share reads', async () => {
    const { result, calls } = await askTogether(accounts.map(() => accounts[0]));
    expect(result).toEqual(accounts.map(() => response(true)));
    expect(calls).toBeLessThan(MAX_CALLS);
  });

  it.each([
    ['burns all gas', 'GasBurner', []],
    ['answers with three megabytes', 'Flooder', [3_000_000, false]],
  ] as const)(
    'T23b: concurrent checks: are not affected by another tenant whose contract %s, at first or later',
    async (_, contract, args) => {
      const bad = await node.chain.deploy(contract, args);
      const both = () =>
        Promise.all([
          check(accounts[0], bad.address, tenants[1]),
          ...Array.from({ length: 20 }, (_, at) => check(accounts[at])),
        ]);
      const [theirs, ...ours] = await both();
      expect(ours).toEqual(ours.map((_, at) => response(at === 0)));
      const undetermined = { roles: [{ id: 'five', granted: false }], errors: [{ roleId: 'five', rule: 0 }] };
      expect(theirs).toMatchObject({ status: 200, body: undetermined });
      // The contract is in quarantine by now and costs later batches no retries.
      const { result, calls } = await countCalls(
        Promise.all(accounts.slice(0, 20).map((account) => check(account))),
      );
      expect(result).toEqual(ours);
      expect(calls).toBeLessThan(20);
      const [again, ...others] = await both();
      expect(again).toMatchObject({ status: 200, body: undetermined });
      expect(others).toEqual(ours);
    },
  );
});
