import {
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
import { type Chain, type ChainReadOptions, ChainService } from '../../rules/chains/chain.service.js';
import { WatchedAssets } from './watched-assets.js';
import type { WatchedToken } from './watched-tokens.config.js';

/** Short, because linking a wallet waits for the balances. */
const READ_TIMEOUT_MS = 1_500;
/** Address in responses for the native coin of a chain. */
const NATIVE_COIN_ADDRESS = '0x0000000000000000000000000000000000000000';

/** Balances of a wallet in the native coins and tokens that the deployment watches. */
@Injectable()
export class WalletBalancesService {
  constructor(
    private readonly chains: ChainService,
    private readonly watched: WatchedAssets,
  ) {}

  /** Omits balances that cannot be read in time. @throws AppError 400 for an invalid account id */
  async readBalances({ accountId, isContract }: BalancesRequest): Promise<BalancesResponse> {
    const { data } = account.safeParse(accountId);
    if (!data) throw badRequest('input_invalid', 'accountId: must be a CAIP-10 account id');
    if (data.family !== 'evm') return { accounts: [] };
    const contractChainId = isContract ? Number(accountId.split(':')[1]) : undefined;
    const chains = this.watched.chains.filter(
      ({ id }) => contractChainId === undefined || id === contractChainId,
    );
    const signal = AbortSignal.timeout(READ_TIMEOUT_MS);
    // Started in one tick, so that the reads of a chain share a batch.
    const balances = await Promise.all(
      chains.flatMap((chain) => this.readChain(chain, data.address, signal)),
    );
    return { accounts: balances.filter((balance) => balance !== undefined) };
  }

  private readChain(
    chain: Chain,
    wallet: EvmAddress,
    signal: AbortSignal,
  ): Promise<AccountBalance | undefined>[] {
    const read = <T>(one: ContractRead<T>) => this.readOne(chain.id, one, { signal, tenantId: wallet });
    const tokens = this.watched.tokens.filter(({ chainId }) => chainId === chain.id);
    return [readNativeCoin(chain, wallet, read), ...tokens.map((token) => readToken(token, wallet, read))];
  }

  private async readOne<T>(
    chainId: number,
    read: ContractRead<T>,
    options: ChainReadOptions,
  ): Promise<T | undefined> {
    const [outcome] = await this.chains.read(chainId, [read], options);
    return outcome?.ok ? outcome.value : undefined;
  }
}

type ReadOne = <T>(read: ContractRead<T>) => Promise<T | undefined>;

async function readNativeCoin(
  { id: chainId, nativeDecimals, nativeSymbol }: Chain,
  wallet: EvmAddress,
  read: ReadOne,
): Promise<AccountBalance | undefined> {
  const amount = await read(createNativeBalanceRead(wallet));
  if (amount === undefined) return undefined;
  return {
    cashtag: `$${nativeSymbol}`,
    tokenAddress: NATIVE_COIN_ADDRESS,
    chainId,
    balance: formatUnits(amount, nativeDecimals),
  };
}

async function readToken(
  { chainId, contractAddress, cashtag }: WatchedToken,
  wallet: EvmAddress,
  read: ReadOne,
): Promise<AccountBalance | undefined> {
  const [amount, decimals, symbol] = await Promise.all([
    read(createErc20BalanceRead(contractAddress, wallet)),
    read(createErc20DecimalsRead(contractAddress)),
    cashtag === undefined ? read(createErc20SymbolRead(contractAddress)) : undefined,
  ]);
  const name = cashtag ?? (symbol && `$${symbol}`);
  if (amount === undefined || decimals === undefined || name === undefined) return undefined;
  return { cashtag: name, tokenAddress: contractAddress, chainId, balance: formatUnits(amount, decimals) };
}

/** Converts base units to exact decimal text, like viem's function of the same name. */
export function formatUnits(units: bigint, decimals: number): string {
  const digits = units.toString().padStart(decimals + 1, '0');
  const split = digits.length - decimals;
  const fraction = digits.slice(split).replace(/0+$/, '');
  return fraction === '' ? digits.slice(0, split) : `${digits.slice(0, split)}.${fraction}`;
}
