import {
  createErc20BalanceRead,
  createErc20DecimalsRead,
  createErc20SymbolRead,
  createNativeBalanceRead,
} from '@app/chain/evm';
import { createLamportsRead, createMintDecimalsRead, createTokenBalanceRead } from '@app/chain/solana';
import { badRequest } from '@app/common';
import {
  account,
  type AccountBalance,
  type BalancesResponse,
  type BalancesRequest,
  type EvmAddress,
  formatUnits,
  isSolanaChain,
} from '@app/dto';
import { Injectable } from '@nestjs/common';
import {
  type Chain,
  type ChainRead,
  type ChainReadOptions,
  ChainService,
} from '../../rules/chains/chain.service.js';
import { WatchedAssets, type WatchedToken } from './watched-assets.js';
/** Short, because linking a wallet waits for the balances. */
const READ_TIMEOUT_MS = 1_500;
/** Address in responses for the native coin of a chain: 20 zero bytes, and 32 on Solana. */
const EVM_COIN_ADDRESS = '0x0000000000000000000000000000000000000000';
const SOLANA_COIN_ADDRESS = '11111111111111111111111111111111';

/** Balances of a wallet in the native coins and tokens that the deployment watches. */
@Injectable()
export class WalletBalancesService {
  constructor(
    private readonly chains: ChainService,
    private readonly watched: WatchedAssets,
  ) {}

  /** Omits balances that cannot be read in time. @throws AppError 400 for an invalid account id */
  async readBalances({ accountId, isContract, tenantId }: BalancesRequest): Promise<BalancesResponse> {
    const { data } = account.safeParse(accountId);
    if (!data || data.family === 'user')
      throw badRequest('input_invalid', 'accountId: must be a CAIP-10 account id');
    const { family, address } = data;
    const contractChainId = isContract ? Number(accountId.split(':')[1]) : undefined;
    const chains = this.watched.chains.filter(
      ({ id }) =>
        isSolanaChain(id) === (family === 'solana') &&
        (contractChainId === undefined || id === contractChainId),
    );
    const options = { signal: AbortSignal.timeout(READ_TIMEOUT_MS), tenantId: tenantId ?? address };
    // Started in one tick, so that the reads of a chain share a batch.
    const balances = await Promise.all(chains.flatMap((chain) => this.readChain(chain, address, options)));
    return { accounts: balances.filter((balance) => balance !== undefined).filter(this.isListed) };
  }

  /** Well-known tokens are listed only if the wallet holds some; coins are always listed. */
  private readonly isListed = ({ balance, tokenAddress }: AccountBalance): boolean =>
    balance !== '0' ||
    !this.watched.areWellKnown ||
    tokenAddress === EVM_COIN_ADDRESS ||
    tokenAddress === SOLANA_COIN_ADDRESS;

  private readChain(
    chain: Chain,
    wallet: string,
    options: ChainReadOptions,
  ): Promise<AccountBalance | undefined>[] {
    const read = <T>(one: ChainRead<T>) => this.readOne(chain.id, one, options);
    const tokens = this.watched.tokens.filter(({ chainId }) => chainId === chain.id);
    const readOf = isSolanaChain(chain.id) ? readMint : readToken;
    return [readNativeCoin(chain, wallet, read), ...tokens.map((token) => readOf(token, wallet, read))];
  }

  private async readOne<T>(
    chainId: number,
    read: ChainRead<T>,
    options: ChainReadOptions,
  ): Promise<T | undefined> {
    const [outcome] = await this.chains.read(chainId, [read], options);
    return outcome?.ok ? outcome.value : undefined;
  }
}

type ReadOne = <T>(read: ChainRead<T>) => Promise<T | undefined>;

async function readNativeCoin(
  { id: chainId, nativeDecimals, nativeSymbol }: Chain,
  wallet: string,
  read: ReadOne,
): Promise<AccountBalance | undefined> {
  const isSolana = isSolanaChain(chainId);
  const amount = await read(isSolana ? createLamportsRead(wallet) : createNativeBalanceRead(wallet));
  if (amount === undefined) return undefined;
  return {
    cashtag: `$${nativeSymbol}`,
    tokenAddress: isSolana ? SOLANA_COIN_ADDRESS : EVM_COIN_ADDRESS,
    chainId,
    balance: formatUnits(amount, nativeDecimals),
  };
}

async function readToken(
  token: WatchedToken,
  wallet: string,
  read: ReadOne,
): Promise<AccountBalance | undefined> {
  // The configuration admits only such addresses on EVM chains.
  const contract = token.contractAddress as EvmAddress;
  const [amount, decimals, symbol] = await Promise.all([
    read(createErc20BalanceRead(contract, wallet)),
    read(createErc20DecimalsRead(contract)),
    token.cashtag === undefined ? read(createErc20SymbolRead(contract)) : undefined,
  ]);
  return toBalance(token, token.cashtag ?? (symbol && `$${symbol}`), amount, decimals);
}

async function readMint(
  token: WatchedToken,
  wallet: string,
  read: ReadOne,
): Promise<AccountBalance | undefined> {
  const [amount, decimals] = await Promise.all([
    read(createTokenBalanceRead(token.contractAddress, wallet)),
    read(createMintDecimalsRead(token.contractAddress)),
  ]);
  return toBalance(token, token.cashtag, amount, decimals);
}

/** Undefined where something could not be read. */
function toBalance(
  { chainId, contractAddress }: WatchedToken,
  cashtag: string | undefined,
  amount: bigint | undefined,
  decimals: number | undefined,
): AccountBalance | undefined {
  if (amount === undefined || decimals === undefined || cashtag === undefined) return undefined;
  return { cashtag, tokenAddress: contractAddress, chainId, balance: formatUnits(amount, decimals) };
}
