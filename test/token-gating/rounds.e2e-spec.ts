import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type ContractRead,
  createChainRegistry,
  createErc721BalanceRead,
  EvmReader,
  type ReadOptions,
  type ReadResult,
} from '@app/chain/evm';
import { encodeFunctionData, type Hex } from 'viem';
import type { EvmAddress } from '@app/dto';
import type { ChainService } from '../../apps/token-gating/src/rules/chains/chain.service.js';
import { createReadStep } from '../../apps/token-gating/src/rules/create-read-plan.js';
import { finishPlans } from '../../apps/token-gating/src/rules/rounds/finish-plans.js';
import type { StartedPlan } from '../../apps/token-gating/src/rules/rounds/running-plan.js';
import type { NextStep, ReadValue } from '../../apps/token-gating/src/rules/rule-type.js';
import {
  GRANTED,
  NOT_GRANTED,
  toUndetermined,
  type Verdict,
} from '../../apps/token-gating/src/rules/verdict.js';
import { forwardTo, HostileNode, type NodeBehaviour, onCalls, reply } from '../support/hostile-node.js';
import { type DeployedContract, LocalChain } from '../support/local-chain.js';

const alice: EvmAddress = '0x00000000000000000000000000000000000000a1';
const bob: EvmAddress = '0x00000000000000000000000000000000000000b2';
const EVENT = 7n;
const OTHER_EVENT = 8n;

let chain: LocalChain;
let poap: DeployedContract;
const readers: EvmReader[] = [];
const nodes: HostileNode[] = [];

beforeAll(async () => {
  chain = await LocalChain.start();
  await chain.installMulticall3();
});
afterEach(async () => {
  await Promise.all(readers.splice(0).map((reader) => reader.close()));
  await Promise.all(nodes.splice(0).map((node) => node.stop()));
});
afterAll(() => chain.stop());

/** Alice holds token 1 of the event, Bob token 2 of another event. */
async function deploy(): Promise<void> {
  poap = await chain.deploy('DemoPoap');
  await chain.mint(poap, alice, EVENT);
  await chain.mint(poap, bob, OTHER_EVENT);
}

async function transfer(from: EvmAddress, to: EvmAddress, tokenId: bigint): Promise<void> {
  await chain.setNativeBalance(from, 10n ** 18n);
  await chain.client.impersonateAccount({ address: from });
  const hash = await chain.client.writeContract({
    ...poap,
    account: from,
    functionName: 'transferFrom',
    args: [from, to, tokenId],
  });
  await chain.client.waitForTransactionReceipt({ hash });
}

/** The two holders exchange their tokens. */
async function exchange(): Promise<void> {
  await transfer(alice, bob, 1n);
  await transfer(bob, alice, 2n);
}

function startReader(...rpcUrls: string[]): EvmReader {
  const rpcUrlsByChain = new Map([[chain.chainId, rpcUrls]]);
  const reader = new EvmReader({
    chains: createChainRegistry({ custom: [], rpcUrls: rpcUrlsByChain, publicRpc: false }),
  });
  readers.push(reader);
  return reader;
}

/** A node that has only the newest block while `isGone`. */
const withoutOldBlocks = (message: string, isGone: () => boolean): NodeBehaviour => {
  const forward = forwardTo(chain.rpcUrl);
  return onCalls((request, response) => {
    if (request.params[1] === 'latest' || !isGone()) return forward(request, response);
    reply(response, request.id, { error: { code: -32_000, message } });
  });
};

/** Calls `beforeRound` with the number of each round. */
function createChains(reader: EvmReader, beforeRound: (round: number) => Promise<void>) {
  const blocks: (bigint | undefined)[] = [];
  const read = async (chainId: number, reads: readonly ContractRead<ReadValue>[], options: ReadOptions) => {
    await beforeRound(blocks.length + 1);
    blocks.push(options.block);
    return reader.read(chainId, reads, options);
  };
  // The stand-in has only `read`, which alone is called.
  return { chains: { read } as unknown as Pick<ChainService, 'read'>, blocks };
}

function createDetailsRead(owner: EvmAddress, index: bigint): ContractRead<bigint> {
  const data = encodeFunctionData({
    abi: poap.abi,
    functionName: 'tokenDetailsOfOwnerByIndex',
    args: [owner, index],
  });
  return {
    to: poap.address.toLowerCase() as Hex,
    data: data.slice(2),
    decode: (words) => BigInt(`0x${words.slice(64, 128)}`),
  };
}

/** Counts tokens of the event: the balances, then the first token of Alice, then that of Bob. */
async function startPlan(reader: EvmReader, min: number): Promise<StartedPlan> {
  const reads = [alice, bob].map((owner) => createErc721BalanceRead(poap.address, owner));
  const judgeCount = (details: readonly ReadResult<bigint>[]): Verdict => {
    const failed = details.find((result) => !result.ok);
    if (failed) return toUndetermined(failed);
    const held = details.filter((result) => result.ok && result.value === EVENT).length;
    return held >= min ? GRANTED : NOT_GRANTED;
  };
  const judge = (balances: readonly ReadResult<ReadValue>[]): Verdict | NextStep => {
    const failed = balances.find((result) => !result.ok);
    if (failed) return toUndetermined(failed);
    return createReadStep([createDetailsRead(alice, 0n)], ([first]) =>
      createReadStep([createDetailsRead(bob, 0n)], ([second]) => judgeCount([first, second])),
    );
  };
  return { chainId: chain.chainId, reads, judge, outcomes: await reader.read(chain.chainId, reads) };
}

async function finish(
  reader: EvmReader,
  min: number,
  beforeRound: (round: number) => Promise<void>,
): Promise<{ readonly verdict: Verdict | undefined; readonly blocks: (bigint | undefined)[] }> {
  const plan = await startPlan(reader, min);
  const { chains, blocks } = createChains(reader, beforeRound);
  const [verdict] = await finishPlans([plan], { chains, tenantId: 'tenant' });
  return { verdict, blocks };
}

describe('rules with several rounds of reads', () => {
  it('T80: rules with several rounds of reads: never count a token twice that moves between two rounds', async () => {
    await deploy();
    const reader = startReader(chain.rpcUrl);
    const { verdict, blocks } = await finish(reader, 2, async (round) => {
      if (round === 2) await exchange();
    });
    expect(verdict).toEqual(NOT_GRANTED);
    expect(blocks[0]).toBeDefined();
    expect(blocks).toEqual([blocks[0], blocks[0]]);
    expect((await finish(reader, 1, () => Promise.resolve())).verdict).toEqual(GRANTED);
  });

  it('rules with several rounds of reads: read on at a node that has the block', async () => {
    await deploy();
    const behind = await HostileNode.start(withoutOldBlocks('header not found', () => true));
    nodes.push(behind);
    const { verdict } = await finish(startReader(behind.url, chain.rpcUrl), 1, () => Promise.resolve());
    expect(verdict).toEqual(GRANTED);
  });

  it('T80: rules with several rounds of reads: begin again once where no node has the block, and then fail with a transient error', async () => {
    await deploy();
    let isGone = true;
    const pruned = await HostileNode.start(withoutOldBlocks('missing trie node', () => isGone));
    nodes.push(pruned);
    const reader = startReader(pruned.url);
    const failed = await finish(reader, 1, () => Promise.resolve());
    expect(failed.verdict).toMatchObject({ failure: { code: 'block_unavailable', permanent: false } });
    expect(failed.blocks.map((block) => block === undefined)).toEqual([false, true, false, false]);
    const again = await finish(reader, 1, (round) => {
      isGone = round < 2;
      return Promise.resolve();
    });
    expect(again.verdict).toEqual(GRANTED);
  });
});
