import { createErc20BalanceRead, createErc20DecimalsRead, createNativeBalanceRead } from '@app/chain/evm';
import { createLamportsRead, createMintDecimalsRead, createTokenBalanceRead } from '@app/chain/solana';
import { type Erc20Rule, isSolanaChain, type NativeRule, type SolanaFtRule } from '@app/dto';
import { formatUnits } from '../balances/wallet-balances.service.js';
import type { Chain, ChainRead } from '../../rules/chains/chain.service.js';
import type { AssetReader } from './asset-reader.js';
import type { Holding } from './holding.js';

export async function readCoin(
  { chainId }: NativeRule,
  addresses: readonly string[],
  reader: AssetReader,
  { nativeDecimals }: Chain,
): Promise<Holding> {
  const createRead: (address: string) => ChainRead<bigint> = isSolanaChain(chainId)
    ? createLamportsRead
    : createNativeBalanceRead;
  return { balance: formatUnits(await reader.sum(addresses.map(createRead)), nativeDecimals) };
}

export function readErc20(
  { contractAddress }: Erc20Rule,
  addresses: readonly string[],
  reader: AssetReader,
): Promise<Holding> {
  const balances = addresses.map((address) => createErc20BalanceRead(contractAddress, address));
  return readToken(createErc20DecimalsRead(contractAddress), balances, reader);
}

export function readSolanaToken(
  { contractAddress: mint }: SolanaFtRule,
  addresses: readonly string[],
  reader: AssetReader,
): Promise<Holding> {
  const balances = addresses.map((owner) => createTokenBalanceRead(mint, owner));
  return readToken(createMintDecimalsRead(mint), balances, reader);
}

async function readToken(
  decimalsRead: ChainRead<number>,
  balances: readonly ChainRead<bigint>[],
  reader: AssetReader,
): Promise<Holding> {
  const [decimals, balance] = await Promise.all([reader.readOne(decimalsRead), reader.sum(balances)]);
  return { balance: formatUnits(balance, decimals) };
}
