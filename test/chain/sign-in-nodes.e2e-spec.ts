import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type Hex, serializeErc6492Signature } from 'viem';
import { rpcError } from '../support/hostile-node-fixture.js';
import { forwardTo, type NodeBehaviour, onCalls, reply } from '../support/hostile-node.js';
import { magic, message, SigningContracts } from './signing-contracts.js';

let world: SigningContracts;

beforeAll(async () => {
  world = await SigningContracts.start();
});

afterEach(async () => {
  await world.clear();
});

afterAll(async () => {
  await world.stop();
});

describe('nodes', () => {
  const down = { name: 'NodesUnavailableError', code: 'unavailable' };

  it('nodes of an unknown chain: leave the validity unknown', async () => {
    const claim = { chainId: 4_242_424_242, account: world.deployed, message, signature: world.signed };
    await expect(world.signatures.isValidSignature(claim)).rejects.toMatchObject({
      name: 'NodesUnavailableError',
      code: 'unknown_chain',
    });
  });

  it.each<[string, NodeBehaviour]>([
    ['refuse', (_, response) => void response.writeHead(500).end()],
    ['answer an unknown error', rpcError(-32_000, 'header not found')],
    ['hang up', (_, response) => void response.destroy()],
    ['find the request too large', (_, response) => void response.writeHead(413).end()],
    ['find the response too large', rpcError(-32_000, 'response size exceeded')],
    ['abort the execution', rpcError(-32_000, 'execution aborted (timeout = 5s)')],
    ['answer a mebibyte of garbage', (_, response) => void response.end('x'.repeat(1_100_000))],
    [
      'execute no code',
      ({ id }, response) => {
        reply(response, id, { result: 'nothing' });
      },
    ],
  ])('nodes that %s: leave the validity unknown, and fail over to a good one', async (_, fault) => {
    const bad = await world.node(onCalls(fault));
    for (const signature of [world.signed, wrappedForNode()]) {
      await expect(
        world.isSigned(world.deployed, signature, world.createVerifier([bad])),
      ).rejects.toMatchObject(down);
      expect(
        await world.isSigned(world.deployed, signature, world.createVerifier([bad, world.chain.rpcUrl])),
      ).toBe(true);
    }
  });

  it('nodes of signature checks: do not exist for an unknown chain or one without URLs', () => {
    const { chainId, rpcUrl } = world.chain;
    const chains = [chainId, 4_242_424_242];
    expect(chains.map((id) => world.createVerifier([]).hasNodes(id))).toEqual([false, false]);
    expect(chains.map((id) => world.createVerifier([rpcUrl]).hasNodes(id))).toEqual([true, false]);
  });

  it.each(['0x', '0x02', `0x${'0'.repeat(63)}1`])(
    'nodes that answer %s to init code: count as unavailable',
    async (result) => {
      const bad = await world.node(
        onCalls(({ id }, response) => {
          reply(response, id, { result });
        }),
      );
      await expect(
        world.isSigned(world.deployed, wrappedForNode(), world.createVerifier([bad])),
      ).rejects.toMatchObject(down);
    },
  );

  it('nodes of another chain: get no calls', async () => {
    const wrong = await world.node(({ id, method }, response) => {
      reply(response, id, { result: method === 'eth_chainId' ? '0x1' : `0x${magic.padEnd(64, '0')}` });
    });
    await expect(
      world.isSigned(world.deployed, world.signed, world.createVerifier([wrong])),
    ).rejects.toMatchObject(down);
  });

  it('nodes that are missing or silent: leave the validity unknown', async () => {
    await expect(
      world.isSigned(world.deployed, world.signed, world.createVerifier([])),
    ).rejects.toMatchObject(down);
    const silent = await world.node(() => undefined);
    const shortRequestTimeout = world.createVerifier([silent], { requestTimeoutMs: 200 });
    await expect(world.isSigned(world.deployed, world.signed, shortRequestTimeout)).rejects.toMatchObject(
      down,
    );
    const shortBudget = world.createVerifier([silent], { budgetMs: 100 });
    await expect(world.isSigned(world.deployed, world.signed, shortBudget)).rejects.toMatchObject({
      code: 'timeout',
    });
  });

  it('nodes of signature checks: have to agree for a quorum', async () => {
    const liar = await world.node((request, response) => {
      if (request.method !== 'eth_call') return forwardTo(world.chain.rpcUrl)(request, response);
      reply(response, request.id, { result: `0x${magic.padEnd(64, '0')}` });
    });
    const two = world.createVerifier([liar, world.chain.rpcUrl], {}, 2);
    await expect(world.isSigned(world.deployed, world.signedByStranger, two)).rejects.toMatchObject(down);
    const honest = await world.node(forwardTo(world.chain.rpcUrl));
    const three = world.createVerifier([liar, world.chain.rpcUrl, honest], {}, 2);
    expect(await world.isSigned(world.deployed, world.signedByStranger, three)).toBe(false);
    expect(await world.isSigned(world.deployed, world.signed, three)).toBe(true);
    expect(await world.isSigned(world.deployed, wrappedForNode(), three)).toBe(true);
  });

  it('nodes of signature checks: do not leak their URL in an error', async () => {
    const bad = await world.node((_, response) => void response.writeHead(500).end('secret'));
    const failure: unknown = await world
      .isSigned(world.deployed, world.signed, world.createVerifier([`${bad}/v2/secret?key=secret`]))
      .catch((error: unknown) => error);
    expect(String(failure)).not.toMatch(/secret|127\.0\.0\.1/);
  });

  const wrappedForNode = (): Hex =>
    serializeErc6492Signature({ address: world.factory.address, data: '0x', signature: world.signed });
});
