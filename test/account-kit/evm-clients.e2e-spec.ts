import 'reflect-metadata';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { ServerResponse } from 'node:http';
import { loadConfig, serviceConfigSchema } from '@app/config';
import { ChainConfig } from '@app/chain/evm';
import { MetricsService, ReadinessService, ServiceContext } from '@app/service';
import { pino } from 'pino';
import type { PublicClient } from 'viem';
import { EvmClientService } from '../../apps/account-kit/src/evm/nodes/evm-client.service.js';
import { PaymasterConfig } from '../../apps/account-kit/src/evm/paymaster.config.js';
import { demoAccounts } from '../../scripts/demo/demo-accounts.mjs';
import { deployAccountContracts } from '../../scripts/chain/deploy-account-contracts.mjs';
import { root } from '../../scripts/build/project.mjs';
import { forwardTo, HostileNode, reply } from '../support/hostile-node.js';
import { LocalChain } from '../support/local-chain.js';
import { until } from '../support/until.js';

const CHAIN_ID = 31337;
let chain: LocalChain;
const closings: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  chain = await LocalChain.start();
});

afterEach(async () => {
  for (const close of closings.splice(0)) await close();
});

afterAll(() => chain.stop());

function clients(...urls: readonly string[]): EvmClientService {
  return clientsWith({}, ...urls);
}

function clientsWith(paymaster: Record<string, string>, ...urls: readonly string[]): EvmClientService {
  Object.assign(process.env, { [`RPC_URL_${CHAIN_ID}`]: urls.join(), RPC_TIMEOUT_MS: '3000', ...paymaster });
  closings.push(() => {
    for (const name of Object.keys(paymaster)) Reflect.deleteProperty(process.env, name);
    return Promise.resolve();
  });
  const context = new ServiceContext(
    'account-kit',
    loadConfig(serviceConfigSchema, { NODE_ENV: 'test', PORT: '0', MANAGEMENT_PORT: '0' }),
    pino({ level: 'silent' }),
    new MetricsService('account-kit'),
    new ReadinessService(),
  );
  const service = new EvmClientService(
    { ACCOUNT_KIT_CHAINS: [CHAIN_ID] },
    new ChainConfig(),
    context,
    new PaymasterConfig(),
  );
  closings.push(() => service.onApplicationShutdown());
  return service;
}

async function node(...behaviour: Parameters<typeof HostileNode.start>): Promise<HostileNode> {
  const started = await HostileNode.start(...behaviour);
  closings.push(() => started.stop());
  return started;
}

const unavailable = { statusCode: 503, details: { code: 'chain_unavailable' } };

describe('the client of a chain', () => {
  it('client of a chain: is refused for a chain without smart accounts', async () => {
    await expect(clients(chain.rpcUrl).getClient(1)).rejects.toMatchObject({
      statusCode: 400,
      details: { code: 'chain_not_supported' },
    });
  });

  it('client of a chain: is unavailable until the contracts are there, and is checked again without a restart', async () => {
    const service = clients(chain.rpcUrl);
    await expect(service.getClient(CHAIN_ID)).rejects.toMatchObject(unavailable);
    await deployAccountContracts({ rpcUrl: chain.rpcUrl, root, accounts: await demoAccounts() });
    await until('the chain was checked again', async () =>
      service.getClient(CHAIN_ID).then(
        () => true,
        () => false,
      ),
    );
    const client = await service.getClient(CHAIN_ID);
    expect(await client.getChainId()).toBe(CHAIN_ID);
  });

  it('client of a chain: checks once for requests that come together', async () => {
    const counted = await node(forwardTo(chain.rpcUrl));
    const service = clients(counted.url);
    await Promise.all(Array.from({ length: 20 }, () => service.getClient(CHAIN_ID)));
    expect(counted.count('eth_chainId')).toBe(1);
  });

  it('client of a chain: does not use a node of another chain, a node that answers slowly or one that is away', async () => {
    const other = await node(({ id, method }, response) => {
      reply(response, id, { result: method === 'eth_chainId' ? '0x1' : '0x6001' });
    });
    const frozen = await node(({ method }, response) => {
      // Headers at once, and a body that never ends.
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write(`{"method":"${method}"`);
    });
    const service = clients('http://127.0.0.1:1', other.url, frozen.url, chain.rpcUrl);
    const client = await service.getClient(CHAIN_ID);
    expect(await client.getBlockNumber()).toBe(await chain.client.getBlockNumber());
    expect([...other.methods, ...frozen.methods]).not.toContain('eth_blockNumber');
  });

  it('EvmClientService.pinNode: answers the first node that is not behind the best one, without a node that hangs', async () => {
    // A node whose newest block is as old as that of a node which has stopped.
    const behind = await node(
      forwardTo(chain.rpcUrl, (answer) =>
        answer
          .replace(/"number":"0x[0-9a-f]+"/, '"number":"0x1"')
          .replace(/"timestamp":"0x[0-9a-f]+"/, '"timestamp":"0x1"'),
      ),
    );
    const hanging = await node((request, response) =>
      request.method === 'eth_getBlockByNumber' ? undefined : forwardTo(chain.rpcUrl)(request, response),
    );
    const current = await node(forwardTo(chain.rpcUrl));
    await chain.client.mine({ blocks: 10 });
    const pinned = await clients(behind.url, hanging.url, current.url).pinNode(CHAIN_ID);
    expect(pinned.head.number).toBe(await chain.client.getBlockNumber());
    await expect(pinned.hasHead()).resolves.toBe(true);
    expect(current.count('eth_blockNumber')).toBe(1);
    expect([...behind.methods, ...hanging.methods]).not.toContain('eth_blockNumber');
  });

  it('client of a chain: is unavailable if every node is wrong', async () => {
    const other = await node(({ id }, response) => {
      reply(response, id, { result: '0x1' });
    });
    await expect(clients(other.url).getClient(CHAIN_ID)).rejects.toMatchObject(unavailable);
  });

  it('client of a chain: is unavailable if a paymaster has another EntryPoint or another signer', async () => {
    const { paymasterSigner, executor } = await demoAccounts();
    const { paymaster07, paymaster08 } = await deployAccountContracts({
      rpcUrl: chain.rpcUrl,
      root,
      accounts: await demoAccounts(),
    });
    const load = (addresses: string, { privateKey } = paymasterSigner) =>
      clientsWith(
        { [`PAYMASTER_${CHAIN_ID}`]: addresses, PAYMASTER_SIGNER_KEY: privateKey },
        chain.rpcUrl,
      ).getClient(CHAIN_ID);
    await expect(load(paymaster07)).rejects.toMatchObject(unavailable);
    await expect(load(`0.7:${paymaster08}`)).rejects.toMatchObject(unavailable);
    await expect(load(executor.address)).rejects.toMatchObject(unavailable);
    await expect(load(paymaster08, executor)).rejects.toMatchObject(unavailable);
    const client = await load(`0.7:${paymaster07},0.8:${paymaster08}`);
    expect(await client.getChainId()).toBe(CHAIN_ID);
  });

  it('EvmClientService.getClient: leaves a node whose contracts revert or answer nothing, and stays with one that is out of order', async () => {
    let isChanged = false;
    // Nodes that passed are checked again after five seconds beside a node of another chain.
    const other = await node(({ id }, response) => {
      reply(response, id, { result: '0x1' });
    });
    const serveChanging = async (answer: Parameters<typeof reply>[2]) => {
      const changing = await node((request, response) => {
        if (!isChanged || request.method !== 'eth_call') return forwardTo(chain.rpcUrl)(request, response);
        reply(response, request.id, answer);
      });
      const service = clients(changing.url, other.url);
      await service.getClient(CHAIN_ID);
      return service;
    };
    const refuted = [
      await serveChanging({ error: { code: 3, message: 'execution reverted', data: '0x' } }),
      await serveChanging({ error: { code: -32_000, message: 'execution reverted' } }),
      await serveChanging({ error: { code: -32_000, message: 'invalid opcode: INVALID' } }),
      await serveChanging({ result: '0x' }),
    ];
    const troubled = [
      await serveChanging({ error: { code: -32_603, message: 'internal error' } }),
      await serveChanging({ error: { code: -32_005, message: 'too many requests' } }),
    ];
    isChanged = true;
    const isUsed = (service: EvmClientService) =>
      service.getClient(CHAIN_ID).then(
        () => true,
        () => false,
      );
    await until(
      'refuted nodes are left',
      async () => !(await Promise.all(refuted.map(isUsed))).includes(true),
    );
    expect(await Promise.all(troubled.map(isUsed))).toEqual([true, true]);
  });

  it('client of a chain: asks the next node when one goes away later', async () => {
    const first = await HostileNode.start(forwardTo(chain.rpcUrl));
    const client = await clients(first.url, chain.rpcUrl).getClient(CHAIN_ID);
    await first.stop();
    expect(await client.getChainId()).toBe(CHAIN_ID);
  });

  it('T224: EvmClientService.getClient: asks a node that begins to hang once, and another one meanwhile and afterwards', async () => {
    let isHanging = false;
    const first = await node((request, response) =>
      isHanging ? undefined : forwardTo(chain.rpcUrl)(request, response),
    );
    const service = clients(first.url, chain.rpcUrl);
    const client = await service.getClient(CHAIN_ID);
    await client.getGasPrice();
    expect(first.count('eth_gasPrice')).toBe(1);
    isHanging = true;
    for (let request = 0; request < 5; request += 1) await client.getGasPrice();
    expect(first.count('eth_gasPrice')).toBe(2);
    const pinned = await service.pinNode(CHAIN_ID);
    expect(await pinned.client.getBlockNumber()).toBe(await chain.client.getBlockNumber());
  });

  it('T224: EvmClientService.pinNode: answers the next node after one that told its newest block and nothing else', async () => {
    const first = await node((request, response) =>
      request.method === 'eth_getLogs' ? undefined : forwardTo(chain.rpcUrl)(request, response),
    );
    const service = clients(first.url, chain.rpcUrl);
    await expect((await service.pinNode(CHAIN_ID)).client.getLogs()).rejects.toThrow();
    expect(await (await service.pinNode(CHAIN_ID)).client.getLogs()).toEqual([]);
  });

  it.each([
    ['no answer', () => undefined],
    ['status 413', (_: unknown, response: ServerResponse) => response.writeHead(413).end('too large')],
  ])(
    'T227: EvmClientService.getClient: goes on asking a node first that has %s for the call of one tenant, and no node that hangs',
    async (_, fail) => {
      let isHanging = false;
      const first = await node((request, response) => {
        if (isHanging) return;
        if (request.method === 'eth_simulateV1') fail(request, response);
        else return forwardTo(chain.rpcUrl)(request, response);
      });
      const client = await clients(first.url, chain.rpcUrl).getClient(CHAIN_ID);
      const simulate = () =>
        client.request({ method: 'eth_simulateV1', params: [{ blockStateCalls: [] }, 'latest'] }).then(
          () => undefined,
          () => undefined,
        );
      await simulate();
      await client.getGasPrice();
      expect(first.count('eth_gasPrice')).toBe(1);
      isHanging = true;
      await simulate();
      await until('the node is asked last', async () => {
        const before = first.count('eth_gasPrice');
        await client.getGasPrice();
        return first.count('eth_gasPrice') === before;
      });
    },
  );

  it('T223: ChainNode.isConfirmed: a node that two others contradict is pinned no more for a while', async () => {
    const first = await node(forwardTo(chain.rpcUrl));
    const service = clients(first.url, chain.rpcUrl, chain.rpcUrl.replace('127.0.0.1', 'localhost'));
    const pinned = await service.pinNode(CHAIN_ID);
    const isSame = (other: PublicClient) => Promise.resolve(other === pinned.client);
    expect(await pinned.isConfirmed(pinned.head, isSame)).toBe(false);
    expect((await service.pinNode(CHAIN_ID)).client).not.toBe(pinned.client);
  });
});
