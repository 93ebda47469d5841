import { createAccountCodeRead, createReadFailure, type ReadFailure, type ReadResult } from '@app/chain/evm';
import { isSolanaChain } from '@app/dto';
import type { NamedAccount, SubjectAddresses } from '../subjects/subject-addresses.js';
import type { ChainRead, ChainReadOptions, ChainService } from './chains/chain.service.js';

/** Whether holdings on a chain count for an account, or why that is unknown. */
export type Counting = boolean | ReadFailure;

type Code = ReadResult<boolean>;

/**
 * Whether an account counts on chains that its CAIP-10 id does not name. A contract account is controlled by what is deployed on
 * one chain: the same address on another chain may be somebody else's, or nobody's. So it counts there only without code there
 * and, where this deployment has the named chain, without code on the named one. The codes are read beside the holdings.
 */
export class NamedAccountCheck {
  readonly codeRead: ChainRead<boolean>;
  private readonly codes = new Map<number, Code>();
  /** Undefined where this deployment has no node of the named chain. */
  private readonly namedChainId: number | undefined;

  constructor(
    private readonly named: NamedAccount,
    private readonly chains: Pick<ChainService, 'find'>,
  ) {
    this.codeRead = createAccountCodeRead(named.address);
    this.namedChainId = this.hasNode(named.chainId) ? named.chainId : undefined;
  }

  /** The chains whose code is unread and decides whether the account counts on these. */
  listUnreadChains(chainIds: Iterable<number>): number[] {
    const others = Array.from(new Set(chainIds)).filter((chainId) => this.needsCode(chainId));
    const wanted =
      others.length > 0 && this.namedChainId !== undefined ? [this.namedChainId, ...others] : others;
    return wanted.filter((chainId) => !this.codes.has(chainId));
  }

  record(chainId: number, code: Code | undefined): void {
    this.codes.set(chainId, code ?? createReadFailure('timeout', 'the code was not read in time'));
  }

  /** Reads the codes that are missing. Started in one tick with the reads of the holdings, it shares their batch. */
  async readCodes(
    chainIds: Iterable<number>,
    chains: Pick<ChainService, 'read'>,
    options: ChainReadOptions,
  ): Promise<void> {
    await Promise.all(
      this.listUnreadChains(chainIds).map(async (chainId) => {
        if (!this.hasNode(chainId)) return;
        const [code] = await chains.read(chainId, [this.codeRead], options);
        this.record(chainId, code);
      }),
    );
  }

  /** Whether the account has no code on the chain that it names: then its address stands for the same account everywhere. */
  async readWhetherExternallyOwned(
    chains: Pick<ChainService, 'read'>,
    options: ChainReadOptions,
  ): Promise<Counting> {
    const { chainId } = this.named;
    if (this.namedChainId === undefined) return this.explain(chainId, NO_NODE);
    const [code] = await chains.read(chainId, [this.codeRead], options);
    if (!code) throw new Error('A read has no result');
    return code.ok ? !code.value : this.explain(chainId, code);
  }

  /** Expects that the codes which `listUnreadChains` names were read. */
  countsOn(chainId: number): Counting {
    if (!this.needsCode(chainId)) return true;
    const here = this.findCode(chainId);
    const there: Code = this.namedChainId === undefined ? NO_CODE : this.findCode(this.namedChainId);
    // A contract on either chain is enough to know that the account does not count.
    for (const code of [here, there]) if (code.ok && code.value) return false;
    if (!here.ok) return this.explain(chainId, here);
    if (!there.ok) return this.explain(this.named.chainId, there);
    return true;
  }

  /** Whether the account may not count on a chain. */
  needsCode(chainId: number): boolean {
    return chainId !== this.named.chainId && !isSolanaChain(chainId);
  }

  private hasNode(chainId: number): boolean {
    return !isSolanaChain(chainId) && (this.chains.find(chainId)?.rpcUrls.length ?? 0) > 0;
  }

  private findCode(chainId: number): Code {
    return this.codes.get(chainId) ?? NO_NODE;
  }

  private explain(chainId: number, { code, message }: ReadFailure): ReadFailure {
    const about = `whether the account is a contract on chain ${chainId} is not known (${message})`;
    if (code === 'unknown_chain')
      return createReadFailure(code, `${about}: name that chain in the account, or give the plain address`);
    return createReadFailure(code === 'timeout' ? code : 'unavailable', about);
  }
}

const NO_NODE = createReadFailure('unknown_chain', 'this deployment has no node of it');
const NO_CODE: Code = { ok: true, value: false };

/** Undefined where nothing has to be read: plain addresses, Solana accounts and wallets of users. */
export const createNamedAccountCheck = (
  { named }: SubjectAddresses,
  chains: Pick<ChainService, 'find'>,
): NamedAccountCheck | undefined => named && new NamedAccountCheck(named, chains);
