import { boundEntries, hasFinishedWithin } from '@app/common';
import {
  createErc1155BalanceRead,
  createErc20BalanceRead,
  createErc20DecimalsRead,
  createErc20SymbolRead,
  createErc721BalanceRead,
  createNativeBalanceRead,
} from '@app/chain/evm';
import { createLamportsRead, createMintDecimalsRead, createTokenBalanceRead } from '@app/chain/solana';
import { account as accountSchema, type AssetId, formatUnits, isSolanaChain } from '@app/dto';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { type Chain, type ChainRead, ChainService } from '../../rules/chains/chain.service.js';
import { describeAsset, getTokenId, nameChain } from '../describe-asset.js';
import { parseAssets } from '../asset-ownership.service.js';
import type { AssetVerificationResponse } from './asset-verification.dto.js';

/** Anyone who has the URL of a claim can load its page: details are read at most once in this time. */
const DETAILS_MAX_AGE_MS = 10_000;
const MAX_CACHED_CLAIMS = 10_000;
/** The page is shown without amounts when they take longer. */
const READ_TIMEOUT_MS = 3_000;
const MAX_FRACTION_DIGITS = 6;

/** An asset as the page of a claim shows it. */
export interface AssetDetails {
  readonly asset: string;
  /** The name of an asset, such as `USDC` or `Token 0x1234…abcd`. */
  readonly name: string;
  readonly chain: string;
  /** How much the account holds; absent where there is only one, or it is not known. */
  readonly amount?: string;
}

type Claim = Pick<AssetVerificationResponse['claim'], 'account' | 'assets' | 'userId'>;

interface DetailReads {
  readonly symbol?: ChainRead<string>;
  readonly decimals?: ChainRead<number> | number;
  readonly balance?: ChainRead<bigint>;
}

/** Reads names and amounts of the assets of a claim, for people. */
@Injectable()
export class ClaimDetailsService {
  private readonly details = new LRUCache<string, Promise<AssetDetails[]>>({
    ...boundEntries(MAX_CACHED_CLAIMS),
    ttl: DETAILS_MAX_AGE_MS,
  });

  constructor(private readonly chains: ChainService) {}

  /** Without what cannot be read in time. */
  async load(claim: Claim): Promise<AssetDetails[]> {
    const assets = parseAssets(claim.assets);
    const key = JSON.stringify([claim.account, claim.assets]);
    let details = this.details.get(key);
    if (!details) {
      details = Promise.all(assets.map((asset) => this.read(asset, claim)));
      this.details.set(key, details);
    }
    if (await hasFinishedWithin(READ_TIMEOUT_MS, details)) return details;
    return assets.map((asset) => this.describe(asset));
  }

  private describe(asset: AssetId, symbol?: string): AssetDetails {
    const chain = nameChain(asset.rule.chainId, this.chains);
    return { asset: asset.id, name: describeAsset(asset, this.chains, symbol), chain };
  }

  private async read(asset: AssetId, { account, userId }: Claim): Promise<AssetDetails> {
    const { chainId } = asset.rule;
    const chain = this.chains.find(chainId);
    const { data } = accountSchema.safeParse(account);
    if (!chain || !data || data.family === 'user') return this.describe(asset);
    const { symbol, decimals, balance } = planReads(asset, data.address, chain);
    const readOne = async <T>(read: ChainRead<T> | undefined): Promise<T | undefined> => {
      if (!read) return undefined;
      // The user of the claim is the tenant of the background reads, as for the owners of the claim.
      const options = { tenantId: userId, lane: 'background' } as const;
      const [result] = await this.chains.read(chainId, [read], options);
      return result?.ok === true ? result.value : undefined;
    };
    const [symbolText, scale, units] = await Promise.all([
      readOne(symbol),
      typeof decimals === 'number' ? decimals : readOne(decimals),
      readOne(balance),
    ]);
    const details = this.describe(asset, symbolText);
    return scale === undefined || units === undefined
      ? details
      : { ...details, amount: formatAmount(formatUnits(units, scale)) };
  }
}

/** The details of an asset that one round of reads finds. NFTs of Solana and Safes have neither symbol nor amount. */
function planReads(asset: AssetId, address: string, chain: Chain): DetailReads {
  const { rule } = asset;
  switch (rule.type) {
    case 'NATIVE': {
      const balance: ChainRead<bigint> = isSolanaChain(rule.chainId)
        ? createLamportsRead(address)
        : createNativeBalanceRead(address);
      return { decimals: chain.nativeDecimals, balance };
    }
    case 'ERC20':
      return {
        symbol: createErc20SymbolRead(rule.contractAddress),
        decimals: createErc20DecimalsRead(rule.contractAddress),
        balance: createErc20BalanceRead(rule.contractAddress, address),
      };
    case 'SOLANA_FT':
      return {
        decimals: createMintDecimalsRead(rule.contractAddress),
        balance: createTokenBalanceRead(rule.contractAddress, address),
      };
    case 'ERC721': {
      const symbol = createErc20SymbolRead(rule.contractAddress);
      if (getTokenId(asset) !== undefined) return { symbol };
      return { symbol, decimals: 0, balance: createErc721BalanceRead(rule.contractAddress, address) };
    }
    case 'ERC1155': {
      const id = getTokenId(asset);
      if (id === undefined) return {};
      return { decimals: 0, balance: createErc1155BalanceRead(rule.contractAddress, address, id) };
    }
    case 'SOLANA_NFT':
    case 'gnosis':
      return {};
  }
}

const AMOUNT_FORMAT = new Intl.NumberFormat('en', {
  maximumFractionDigits: MAX_FRACTION_DIGITS,
  roundingMode: 'trunc',
});

/** @param text exact decimal text, which the formatter takes without rounding it to a float */
const formatAmount = (text: string): string => AMOUNT_FORMAT.format(text as `${number}`);
