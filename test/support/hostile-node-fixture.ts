import {
  createChainRegistry,
  createErc20BalanceRead,
  EvmReader,
  type EvmReaderOptions,
  type ReadResult,
} from '@app/chain/evm';
import type { EvmAddress } from '@app/dto';
import { encodeFunctionResult, type Hex, multicall3Abi } from 'viem';
import { HostileNode, type NodeBehaviour, reply } from './hostile-node.js';
import { type DeployedContract, LocalChain } from './local-chain.js';

export const holder: EvmAddress = '0x00000000000000000000000000000000000000a1';

export const transient = { ok: false, permanent: false, code: 'unavailable' };
/** The holder's balance on the real chain. */
export const found = { ok: true, value: 77n };

/** A local chain with one token, of which the holder has 77, and nodes and readers that are closed after each test. */
export class HostileNodeFixture {
  private readonly nodes: HostileNode[] = [];
  private readonly readers: EvmReader[] = [];

  private constructor(
    readonly chain: LocalChain,
    readonly erc20: DeployedContract,
  ) {}

  static async start(): Promise<HostileNodeFixture> {
    const chain = await LocalChain.start();
    return new HostileNodeFixture(chain, await chain.deploy('DemoERC20', ['Demo', 'DEMO', 18, holder, 77n]));
  }

  async node(behaviour: NodeBehaviour): Promise<HostileNode> {
    const node = await HostileNode.start(behaviour);
    this.nodes.push(node);
    return node;
  }

  reader(
    rpcUrls: readonly string[],
    options: Partial<EvmReaderOptions> = {},
    { blockTime, quorum }: { readonly blockTime?: number; readonly quorum?: number } = {},
  ): EvmReader {
    const { chainId } = this.chain;
    const reader = new EvmReader({
      chains: createChainRegistry({
        custom: blockTime === undefined ? [] : [{ id: chainId, blockTime }],
        rpcUrls: new Map([[chainId, rpcUrls]]),
        quorums: new Map(quorum === undefined ? [] : [[chainId, quorum]]),
        publicRpc: false,
      }),
      ...options,
    });
    this.readers.push(reader);
    return reader;
  }

  async balance(reader: EvmReader, account: string = holder): Promise<ReadResult<bigint> | undefined> {
    const [result] = await reader.read(this.chain.chainId, [
      createErc20BalanceRead(this.erc20.address, account),
    ]);
    return result;
  }

  /** Balances of the accounts with the addresses 1, 2, 3 …; the holder is number 161. */
  async balances(reader: EvmReader, count: number): Promise<ReadResult<bigint>[]> {
    const accounts = Array.from({ length: count }, (_, i) => `0x${(i + 1).toString(16).padStart(40, '0')}`);
    return reader.read(
      this.chain.chainId,
      accounts.map((account) => createErc20BalanceRead(this.erc20.address, account)),
    );
  }

  async endReadersAndNodes(): Promise<void> {
    await Promise.all(this.readers.splice(0).map((reader) => reader.close()));
    await Promise.all(this.nodes.splice(0).map((node) => node.stop()));
  }
}

export const word = (value: bigint): Hex => `0x${value.toString(16).padStart(64, '0')}`;

/** The return data of an aggregate3 in which every call succeeded. */
export function encodeBatchResult(...results: Hex[]): Hex {
  return encodeFunctionResult({
    abi: multicall3Abi,
    functionName: 'aggregate3',
    result: results.map((returnData) => ({ success: true, returnData })),
  });
}

export const rpcError =
  (code: number, message: string): NodeBehaviour =>
  (request, response) => {
    reply(response, request.id, { error: { code, message } });
  };
