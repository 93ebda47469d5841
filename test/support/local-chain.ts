import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { anvilBinary } from '../../scripts/chain/anvil.mjs';
import { root } from '../../scripts/build/project.mjs';
import { createInterface } from 'node:readline';
import {
  type Abi,
  type Address,
  createTestClient,
  type Hex,
  http,
  publicActions,
  type TransactionReceipt,
  TransactionReceiptNotFoundError,
  walletActions,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { foundry } from 'viem/chains';
import { multicall3Code } from '../../libs/chain/src/reads/evm/multicall3-code.js';
import { multicall3Address } from '../../libs/chain/src/reads/evm/multicall3.js';
import type { HostileNode } from './hostile-node.js';
import { killAtExit } from './killed-at-exit.js';
import { startStrictNode } from './strict-node.js';
import { until } from './until.js';

/** The first key of anvil's well-known development mnemonic; rich on every fresh chain. */
export const deployerKey: Hex = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';

export interface DeployedContract {
  readonly address: Address;
  readonly abi: Abi;
}

export interface ChainOptions {
  /** How far the clock of the chain is behind that of the machine. */
  readonly secondsBehind?: number;
}

/** An anvil of its own for one test file, on a free port of the loopback interface. */
export class LocalChain {
  /** viem's public, wallet and test actions, sending from the deployer. */
  readonly client: ReturnType<typeof connect>;

  private constructor(
    private readonly child: ChildProcess,
    readonly anvilUrl: string,
    readonly chainId: number,
    private readonly strictNode?: HostileNode,
  ) {
    this.client = connect(anvilUrl, chainId);
  }

  /** The node for the apps under test; `client` asks anvil itself. */
  get rpcUrl(): string {
    return this.strictNode?.url ?? this.anvilUrl;
  }

  /** A chain whose node refuses what nodes of Ethereum refuse, for apps that send transactions. */
  static async startStrict(chainId: number = foundry.id, options: ChainOptions = {}): Promise<LocalChain> {
    const { child, anvilUrl } = await LocalChain.start(chainId, options);
    return new LocalChain(child, anvilUrl, chainId, await startStrictNode(anvilUrl));
  }

  static async start(
    chainId: number = foundry.id,
    { secondsBehind }: ChainOptions = {},
  ): Promise<LocalChain> {
    const args = [
      '--host',
      '127.0.0.1',
      '--port',
      '0',
      '--hardfork',
      'prague',
      '--chain-id',
      String(chainId),
      ...(secondsBehind === undefined
        ? []
        : ['--timestamp', String(Math.floor(Date.now() / 1_000) - secondsBehind)]),
    ];
    const child = spawn(anvilBinary(root), args, { stdio: ['ignore', 'pipe', 'inherit'] });
    killAtExit(child, 'SIGKILL');
    for await (const line of createInterface({ input: child.stdout })) {
      const address = /^Listening on (127\.0\.0\.1:\d+)$/.exec(line)?.[1];
      if (address) {
        // A full pipe would stop anvil.
        child.stdout.resume();
        return new LocalChain(child, `http://${address}`, chainId);
      }
    }
    throw new Error('anvil ended before it listened');
  }

  /** Deploys contracts/artifacts/<name>.artifact.json. */
  async deploy(name: string, args: readonly unknown[] = []): Promise<DeployedContract> {
    const file = new URL(`../../contracts/artifacts/${name}.artifact.json`, import.meta.url);
    const { abi, bytecode } = JSON.parse(await readFile(file, 'utf8')) as { abi: Abi; bytecode: Hex };
    const hash = await this.client.deployContract({ abi, bytecode, args });
    const { contractAddress } = await this.client.waitForTransactionReceipt({ hash });
    if (!contractAddress) throw new Error(`${name} was not deployed`);
    return { address: contractAddress, abi };
  }

  /** Calls a function of a contract as the deployer and waits until it is mined. */
  async send(contract: DeployedContract, functionName: string, args: readonly unknown[]): Promise<void> {
    const hash = await this.client.writeContract({ ...contract, functionName, args });
    const { status } = await this.client.waitForTransactionReceipt({ hash });
    if (status !== 'success') throw new Error(`${functionName} reverted`);
  }

  /** The `mint` of the demo contracts: (to, value), (to, tokenId) or (to, tokenId, value). */
  async mint(contract: DeployedContract, to: Address, ...amounts: readonly bigint[]): Promise<void> {
    await this.send(contract, 'mint', [to, ...amounts]);
  }

  async setNativeBalance(address: Address, value: bigint): Promise<void> {
    await this.client.setBalance({ address, value });
  }

  async installMulticall3(): Promise<Address> {
    await this.client.setCode({ address: multicall3Address, bytecode: `0x${multicall3Code}` });
    return multicall3Address;
  }

  /** Frozen: it accepts connections and answers nothing. Its threads stop one after another, which takes a busy machine a moment. */
  async pause(): Promise<void> {
    this.child.kill('SIGSTOP');
    const answers = () => fetch(this.anvilUrl, { signal: AbortSignal.timeout(200) });
    await until('the node does not answer', () =>
      answers().then(
        () => false,
        () => true,
      ),
    );
  }

  resume(): void {
    this.child.kill('SIGCONT');
  }

  /** SIGKILL, because anvil's own shutdown takes seconds and there is nothing to save. */
  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exited = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await exited;
    await this.strictNode?.stop();
  }
}

function connect(rpcUrl: string, id: number) {
  const account = privateKeyToAccount(deployerKey);
  const client = createTestClient({
    account,
    chain: { ...foundry, id },
    mode: 'anvil',
    transport: http(rpcUrl),
    pollingInterval: 20,
  })
    .extend(publicActions)
    .extend(walletActions);
  return client.extend(() => ({
    // viem's own looks for the receipt again only when the block number changes. On a busy machine it can see anvil's new number
    // before the receipt, and then waits for a block that nobody mines.
    waitForTransactionReceipt: async ({ hash }: { hash: Hex }): Promise<TransactionReceipt> => {
      const receipts: TransactionReceipt[] = [];
      await until(`${hash} is mined`, async () => {
        const receipt = await client.getTransactionReceipt({ hash }).catch(ignoreNotFound);
        if (receipt) receipts.push(receipt);
        return receipts.length > 0;
      });
      const [receipt] = receipts;
      if (!receipt) throw new Error(`${hash} has no receipt`);
      return receipt;
    },
  }));
}

function ignoreNotFound(error: unknown): undefined {
  if (!(error instanceof TransactionReceiptNotFoundError)) throw error;
}
