import {
  createChainRegistry,
  ContractSignatureVerifier,
  type ContractSignatureVerifierOptions,
} from '@app/chain/evm';
import type { Address, Hex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { HostileNode, type NodeBehaviour } from '../support/hostile-node.js';
import { type DeployedContract, LocalChain } from '../support/local-chain.js';

export const SALT: Hex = `0x${'07'.repeat(32)}`;
export const message = 'gatehouse.example wants you to sign in …';
/** Return value of isValidSignature for a valid signature (ERC-1271). */
export const magic = '1626ba7e';

export const owner = privateKeyToAccount(generatePrivateKey());
export const stranger = privateKeyToAccount(generatePrivateKey());

/** A local chain with a contract wallet, and verifiers of its signatures. */
export class SigningContracts {
  private readonly opened: ContractSignatureVerifier[] = [];
  private readonly nodes: HostileNode[] = [];
  readonly signatures: ContractSignatureVerifier;

  private constructor(
    readonly chain: LocalChain,
    readonly factory: DeployedContract,
    /** The contract wallet of `owner`. */
    readonly deployed: Address,
    readonly signed: Hex,
    readonly signedByStranger: Hex,
  ) {
    this.signatures = this.buildVerifier([chain.rpcUrl]);
  }

  static async start(): Promise<SigningContracts> {
    const chain = await LocalChain.start();
    const factory = await chain.deploy('WalletFactory');
    const { address } = await chain.deploy('SignerWallet', [owner.address]);
    const [signed, byStranger] = await Promise.all(
      [owner, stranger].map((one) => one.signMessage({ message })),
    );
    return new SigningContracts(chain, factory, address, signed ?? '0x', byStranger ?? '0x');
  }

  /** A verifier that uses these nodes; closed after the test. */
  createVerifier(
    rpcUrls: readonly string[],
    options: Partial<ContractSignatureVerifierOptions> = {},
    quorum?: number,
  ): ContractSignatureVerifier {
    const verifier = this.buildVerifier(rpcUrls, options, quorum);
    this.opened.push(verifier);
    return verifier;
  }

  /** Starts a node that is stopped after the test. @returns its URL */
  async node(behaviour: NodeBehaviour): Promise<string> {
    const started = await HostileNode.start(behaviour);
    this.nodes.push(started);
    return started.url;
  }

  isSigned(account: string, signature: string, verifier = this.signatures): Promise<boolean> {
    return verifier.isValidSignature({ chainId: this.chain.chainId, account, message, signature });
  }

  /** Deletes what a test has signed; call it after each test. */
  async clear(): Promise<void> {
    await Promise.all(this.opened.splice(0).map((each) => each.close()));
    await Promise.all(this.nodes.splice(0).map((each) => each.stop()));
  }

  async stop(): Promise<void> {
    await this.signatures.close();
    await this.chain.stop();
  }

  private buildVerifier(
    rpcUrls: readonly string[],
    options: Partial<ContractSignatureVerifierOptions> = {},
    quorum?: number,
  ): ContractSignatureVerifier {
    const { chainId } = this.chain;
    return new ContractSignatureVerifier({
      chains: createChainRegistry({
        custom: [],
        rpcUrls: new Map([[chainId, rpcUrls]]),
        quorums: new Map(quorum === undefined ? [] : [[chainId, quorum]]),
        publicRpc: false,
      }),
      ...options,
    });
  }
}
