import { once } from 'node:events';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Hex } from 'viem';
import { ACCOUNT_CONTRACTS } from '../../apps/account-kit/src/evm/accounts/account-contracts.js';
import { forwardTo, HostileNode, reply } from '../support/hostile-node.js';
import { until } from '../support/until.js';
import { type AccountKitSuite, startAccountKitSuite } from './account-kit-suite.js';

/** The local chain's node is away, or not the chain's, or the chain has no factory yet, or another rule for addresses. */
const [AWAY, WRONG, EMPTY, DIFFERENT] = [8_453, 10, 137, 324];
/** A chain whose node has the right chain id, and answers everything else in a wrong form. */
const NONSENSE = 42_161;
const RECIPIENT = '0x00000000000000000000000000000000000a11ce';
const FACTORY = ACCOUNT_CONTRACTS['0.8'].factory.toLowerCase();

let kit: AccountKitSuite;
let hasFactory = false;
const nodes: HostileNode[] = [];

beforeAll(async () => {
  kit = await startAccountKitSuite(async (_, chain) => {
    const forward = forwardTo(chain.rpcUrl);
    const serve = async (chainId: number, behaviour: typeof forward = forward) => {
      const node = await HostileNode.start((request, response) => {
        if (request.method !== 'eth_chainId') return behaviour(request, response);
        reply(response, request.id, { result: `0x${chainId.toString(16)}` });
      });
      nodes.push(node);
      return node.url;
    };
    return {
      ACCOUNT_KIT_CHAINS: [AWAY, WRONG, EMPTY, DIFFERENT, NONSENSE, chain.chainId].join(),
      [`RPC_URL_${AWAY}`]: 'http://127.0.0.1:1',
      [`RPC_URL_${WRONG}`]: await serve(1),
      [`EXECUTOR_GAS_MODEL_${NONSENSE}`]: 'l1',
      [`RPC_URL_${NONSENSE}`]: await serve(NONSENSE, ({ id }, response) => {
        reply(response, id, { result: [{ number: 'zzz' }] });
      }),
      [`RPC_URL_${EMPTY}`]: await serve(EMPTY, (request, response) => {
        const [address] = request.params as [Hex];
        const isHidden = !hasFactory && request.method === 'eth_getCode' && address.toLowerCase() === FACTORY;
        if (isHidden) reply(response, request.id, { result: '0x' });
        else return forward(request, response);
      }),
      // The chain has another CREATE2 than Ethereum.
      [`RPC_URL_${DIFFERENT}`]: await serve(DIFFERENT, (request, response) => {
        const [{ to } = { to: '' }] = request.params as [{ to?: string }?];
        if (request.method === 'eth_call' && to?.toLowerCase() === FACTORY)
          reply(response, request.id, { result: `0x${'0'.repeat(24)}${'ab'.repeat(20)}` });
        else return forward(request, response);
      }),
    };
  });
});

afterAll(async () => {
  await kit.stop();
  for (const node of nodes) await node.stop();
});

async function listChains(): Promise<number[]> {
  const { status, body } = await kit.call<{ evm: { chainId: number }[] }>(
    '/accountkit/v2/evm/calculateAccountAddress',
    { method: 'POST', body: { platform: 'chat', userId: '6101' } },
  );
  expect(status).toBe(200);
  return body.evm.map(({ chainId }) => chainId);
}

async function refusalOf(env: Record<string, string>): Promise<{ code: unknown; log: string }> {
  const app = await kit.suite.spawnAnother('account-kit', env);
  const [code] = (await once(app.process, 'close')) as unknown[];
  return { code, log: app.logLines.join('\n') };
}

it('accounts: lists addresses only for chains that have shown their id, their contracts and their addresses', async () => {
  expect(await listChains()).toEqual([kit.chain.chainId]);
});

it('accounts: lists a chain once its contracts are there, without a restart', async () => {
  expect(await listChains()).not.toContain(EMPTY);
  hasFactory = true;
  await until('the chain is listed', async () => (await listChains()).includes(EMPTY));
  expect(await listChains()).toEqual([EMPTY, kit.chain.chainId]);
});

it('accounts: goes on to list a chain whose nodes have gone away', async () => {
  await until('the chain is listed', async () => (await listChains()).includes(EMPTY));
  await nodes[1]?.stop();
  expect(await listChains()).toContain(EMPTY);
});

it('submitUserOperation: works, and account-kit is ready, while the only node of another chain answers nonsense', async () => {
  const headers = { 'X-ACCESS-TOKEN': kit.platforms.botToken('6102') };
  const { body } = await kit.call<{ evm: { chainId: number; address: Hex }[] }>(
    '/accountkit/v2/platform/accounts?platform=chat',
    { headers },
  );
  const own = body.evm.find(({ chainId }) => chainId === kit.chain.chainId);
  if (!own) throw new Error('the chain is not listed');
  await kit.chain.setNativeBalance(own.address, 10n ** 18n);
  const submit = (chainId: number) =>
    kit.call(`/accountkit/v2/platform/evm/submitUserOperation?platform=chat&chainId=${chainId}`, {
      method: 'POST',
      headers,
      body: { userOps: [{ target: RECIPIENT, value: '1' }] },
    });
  expect(await submit(NONSENSE)).toMatchObject({
    status: 503,
    body: { error: { details: { code: 'chain_unavailable' } } },
  });
  expect(await submit(kit.chain.chainId)).toMatchObject({ status: 200 });
  const ready = await fetch(`${kit.suite.app('account-kit').managementUrl}/health/ready`);
  expect(ready.status).toBe(200);
});

it('ACCOUNT_KIT_CHAINS: does not start with a chain that has no node of its own, and names the variable', async () => {
  const { code, log } = await refusalOf({
    ACCOUNT_KIT_CHAINS: '1,31337,999999',
    RPC_URL_999999: 'http://127.0.0.1:1',
    PUBLIC_RPC: 'on',
  });
  expect(code).toBe(78);
  expect(log).toContain('RPC_URL_1: is required, because ACCOUNT_KIT_CHAINS has 1');
  expect(log).toContain('CHAINS: must have chain 999999');
  expect(log).not.toContain('RPC_URL_31337');
});

it('ACCOUNT_KIT_CHAINS: starts without a chain, and says so', async () => {
  const app = await kit.suite.another('account-kit', { ACCOUNT_KIT_CHAINS: '' });
  expect(app.logLines.join('\n')).toContain('there is no chain of smart accounts');
});
