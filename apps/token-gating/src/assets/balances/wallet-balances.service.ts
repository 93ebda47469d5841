import {
  ChainConfig,
  type ChainInfo,
  createErc20BalanceRead,
  createErc20DecimalsRead,
  createErc20SymbolRead,
  createNativeBalanceRead,
  type ContractRead,
} from '@app/chain/evm';
import { badRequest } from '@app/common';
import {
  account,
  type AccountBalance,
  type BalancesResponse,
  type BalancesRequest,
  type EvmAddress,
} from '@app/dto';
import { Injectable } from '@nestjs/common';
import { EvmChainService } from '../../rules/chains/evm-chain.service.js';
import { type WatchedToken, WatchedTokensConfig } from './watched-tokens.config.js';
import { formatUnits } from './format-units.js';

/** Whoever links a wallet waits for it. */
const BUDGET_MS = 1_500;
/** Stands for a chain's own coin. */
const COIN = '0x0000000000000000000000000000000000000000';

/** What a wallet holds of the coins and tokens that the deployment watches. */
@Injectable()
export class WalletBalancesService {
  private readonly watched: readonly WatchedToken[];
  private readonly chainIds: readonly number[];

  constructor(
    private readonly chains: EvmChainService,
    { WATCHED_TOKENS }: WatchedTokensConfig,
    { settings }: ChainConfig,
  ) {
    this.watched = WATCHED_TOKENS;
    this.chainIds = [...new Set([settings.LOCAL_CHAIN_ID, ...WATCHED_TOKENS.map(({ chainId }) => chainId)])];
  }

  /** What could not be read in time is left out. @throws AppError 400 for what is no account */
  async readBalances({ accountId, isContract }: BalancesRequest): Promise<BalancesResponse> {
    const { data } = account.safeParse(accountId);
    if (!data) throw badRequest('input_invalid', 'accountId: must be an account id of CAIP-10');
    if (data.family !== 'evm') return { accounts: [] };
    const only = isContract ? Number(accountId.split(':')[1]) : undefined;
    const chains = this.chainIds
      .filter((chainId) => only === undefined || chainId === only)
      .flatMap((chainId) => this.chains.find(chainId) ?? [])
      .filter(({ rpcUrls }) => rpcUrls.length > 0);
    const signal = AbortSignal.timeout(BUDGET_MS);
    // All of them ask in the same tick: reads of one chain travel together.
    const found = await Promise.all(chains.flatMap((chain) => this.readChain(chain, data.address, signal)));
    return { accounts: found.filter((balance) => balance !== undefined) };
  }

  private readChain(
    chain: ChainInfo,
    holder: EvmAddress,
    signal: AbortSignal,
  ): Promise<AccountBalance | undefined>[] {
    const read = <T>(one: ContractRead<T>) => this.readOne(chain.id, one, signal);
    const tokens = this.watched.filter(({ chainId }) => chainId === chain.id);
    return [readCoin(chain, holder, read), ...tokens.map((token) => readToken(token, holder, read))];
  }

  private async readOne<T>(
    chainId: number,
    read: ContractRead<T>,
    signal: AbortSignal,
  ): Promise<T | undefined> {
    const [outcome] = await this.chains.read(chainId, [read], { signal });
    return outcome?.ok ? outcome.value : undefined;
  }
}

type ReadOne = <T>(read: ContractRead<T>) => Promise<T | undefined>;

async function readCoin(
  { id: chainId, nativeDecimals, nativeSymbol }: ChainInfo,
  holder: EvmAddress,
  read: ReadOne,
): Promise<AccountBalance | undefined> {
  const held = await read(createNativeBalanceRead(holder));
  if (held === undefined) return undefined;
  return {
    cashtag: `$${nativeSymbol}`,
    tokenAddress: COIN,
    chainId,
    balance: formatUnits(held, nativeDecimals),
  };
}

async function readToken(
  { chainId, contractAddress, cashtag }: WatchedToken,
  holder: EvmAddress,
  read: ReadOne,
): Promise<AccountBalance | undefined> {
  const [held, decimals, symbol] = await Promise.all([
    read(createErc20BalanceRead(contractAddress, holder)),
    read(createErc20DecimalsRead(contractAddress)),
    cashtag === undefined ? read(createErc20SymbolRead(contractAddress)) : undefined,
  ]);
  const name = cashtag ?? (symbol && `$${symbol}`);
  if (held === undefined || decimals === undefined || name === undefined) return undefined;
  return { cashtag: name, tokenAddress: contractAddress, chainId, balance: formatUnits(held, decimals) };
}
