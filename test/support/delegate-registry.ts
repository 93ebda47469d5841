import { readFile } from 'node:fs/promises';
import { type Abi, type Address, type Hex, zeroHash } from 'viem';
import { DELEGATE_REGISTRY } from '../../libs/chain/src/reads/evm/delegate-registry-reads.js';
import type { LocalChain } from './local-chain.js';

const file = new URL('../../contracts/third-party/DelegateRegistry.artifact.json', import.meta.url);

export async function readRegistryArtifact(): Promise<{ abi: Abi; bytecode: Hex }> {
  return JSON.parse(await readFile(file, 'utf8')) as { abi: Abi; bytecode: Hex };
}

/** The real registry of delegate.xyz at its address, with vaults that are impersonated. */
export class DelegateRegistry {
  private constructor(
    private readonly chain: LocalChain,
    private readonly abi: Abi,
  ) {}

  static async install(chain: LocalChain): Promise<DelegateRegistry> {
    const { abi, bytecode } = await readRegistryArtifact();
    const hash = await chain.client.deployContract({ abi, bytecode });
    const { contractAddress } = await chain.client.waitForTransactionReceipt({ hash });
    const code = contractAddress && (await chain.client.getCode({ address: contractAddress }));
    if (!code) throw new Error('The registry was not deployed');
    await chain.client.setCode({ address: DELEGATE_REGISTRY, bytecode: code });
    return new DelegateRegistry(chain, abi);
  }

  async delegateAll(
    vault: string,
    to: string,
    { rights = zeroHash, enable = true }: { rights?: Hex; enable?: boolean } = {},
  ): Promise<void> {
    await this.send(vault, 'delegateAll', [to, rights, enable]);
  }

  async delegateContract(vault: string, to: string, contract: string, enable = true): Promise<void> {
    await this.send(vault, 'delegateContract', [to, contract, zeroHash, enable]);
  }

  async delegateToken(vault: string, to: string, contract: string, tokenId: bigint): Promise<void> {
    await this.send(vault, 'delegateERC721', [to, contract, tokenId, zeroHash, true]);
  }

  /** Fills an inbox as anybody can: delegations of one account, each of another contract, many in a transaction. */
  async spam(to: string, entries: number): Promise<void> {
    const { encodeFunctionData } = await import('viem');
    const spammer = `0x${'5a'.repeat(20)}`;
    const perTransaction = 200;
    for (let start = 0; start < entries; start += perTransaction) {
      const calls = Array.from({ length: Math.min(perTransaction, entries - start) }, (_, at) =>
        encodeFunctionData({
          abi: this.abi,
          functionName: 'delegateContract',
          args: [to, `0x${(start + at + 1).toString(16).padStart(40, '0')}`, zeroHash, true],
        }),
      );
      await this.send(spammer, 'multicall', [calls]);
    }
  }

  private async send(from: string, functionName: string, args: readonly unknown[]): Promise<void> {
    const { client } = this.chain;
    const account = from as Address;
    await client.setBalance({ address: account, value: 10n ** 20n });
    await client.impersonateAccount({ address: account });
    const hash = await client.writeContract({
      ...{ address: DELEGATE_REGISTRY, abi: this.abi, functionName, args, account },
      chain: client.chain,
    });
    const { status } = await client.waitForTransactionReceipt({ hash });
    if (status !== 'success') throw new Error(`${functionName} reverted`);
  }
}
