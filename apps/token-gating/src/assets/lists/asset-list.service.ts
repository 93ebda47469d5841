import type { Account, AssetId } from '@app/dto';
import { Injectable } from '@nestjs/common';
import type { CheckRolesOptions } from '../../checks/check-roles.service.js';
import { describeFailure } from '../../checks/roles-response.js';
import { MetadataFetchBudget } from '../../metadata/metadata-failure.js';
import type { FindMetadataOptions, LongUri, MetadataService } from '../../metadata/metadata.service.js';
import { createNamedAccountCheck, type NamedAccountCheck } from '../../rules/named-account-check.js';
import { RuleServices } from '../../rules/rule-services.js';
import { toWalletLookupFailure, type WalletLookupFailure } from '../../rules/rule-failures.js';
import { loadSubjectAddresses, UserAddressesService } from '../../subjects/user-addresses.service.js';
import type { SubjectAddresses } from '../../subjects/subject-addresses.js';
import type { AssetListItem } from '../asset-ownership.dto.js';
import { assetsUnavailable } from '../assets.errors.js';
import { WatchedAssets } from '../balances/watched-assets.js';
import { checkAssetChains } from '../asset-ownership.service.js';
import { AssetReader, AssetReadError, type AssetReadOptions, type Holding } from './asset-reader.js';
import { readHolding } from './read-holding.js';
import { ReceivedTokensService } from './received-tokens.service.js';

/** The most metadata of one response, in characters of JSON, because a single document may have a mebibyte. */
const MAX_METADATA_LENGTH = 4 * 1024 * 1024;
/** Longer URIs hold their content, such as images in data URIs. */
const MAX_URI_LENGTH = 2_048;

/** Adds the metadata of tokens that have a URI, as far as it can be had, and removes long URIs. */
async function addMetadata(
  items: readonly ListedItem[],
  metadata: Pick<MetadataService, 'find' | 'findLong'>,
  options: Pick<FindMetadataOptions, 'tenantId' | 'signal'>,
): Promise<AssetListItem[]> {
  const budget = new MetadataFetchBudget();
  let remaining = MAX_METADATA_LENGTH;
  const find = async ({ id, uri, longUri }: ListedToken): Promise<Record<string, unknown> | undefined> => {
    const findOptions = { ...options, tokenId: parseTokenId(id), budget };
    if (uri === undefined && (longUri === undefined || remaining === 0)) return undefined;
    const result =
      uri !== undefined || longUri === undefined
        ? await metadata.find(uri ?? '', findOptions)
        : await metadata.findLong(longUri, findOptions);
    if (!result.ok || result.text.length > remaining) return undefined;
    remaining -= result.text.length;
    return { ...result.toJson() };
  };
  const addTo = async (token: ListedToken): Promise<AssetToken> => {
    const { uri, longUri: _, ...rest } = token;
    const found = await find(token);
    return {
      ...rest,
      ...(uri !== undefined && uri.length <= MAX_URI_LENGTH ? { uri } : {}),
      ...(found ? { metadata: found } : {}),
    };
  };
  return Promise.all(
    items.map(async (item) =>
      item.tokens ? { ...item, tokens: await Promise.all(item.tokens.map(addTo)) } : item,
    ),
  );
}

/** NFTs of Solana have an address, which replaces nothing in URIs. */
const parseTokenId = (id: string | number): bigint | undefined =>
  /^\d+$/.test(String(id)) ? BigInt(id) : undefined;

/** An item of which some URIs were too long to be read. */
type ListedItem = Omit<AssetListItem, 'tokens'> & { readonly tokens?: ListedToken[] };

type ListedToken = AssetToken & { readonly longUri?: LongUri };

type AssetToken = NonNullable<AssetListItem['tokens']>[number];

/** Time limit of a list, including identity and metadata (contract.md section 5). */
const LIST_TIMEOUT_MS = 10_000;

/** Lists how much of each asset an account holds. */
@Injectable()
export class AssetListService {
  constructor(
    private readonly services: RuleServices,
    private readonly userAddresses: UserAddressesService,
    private readonly watched: WatchedAssets,
    private readonly transfers: ReceivedTokensService,
  ) {}

  /**
   * @param assets the watched ones that the account holds when absent
   * @throws AppError 400, 404 for a user id that the requester may not have checked, or 503
   */
  async list(
    account: Account,
    assets: readonly AssetId[] | undefined,
    { requester, tenantId, lenient }: CheckRolesOptions,
  ): Promise<AssetListItem[]> {
    checkAssetChains(assets ?? [], this.services.chains);
    const options = { tenantId, signal: AbortSignal.timeout(LIST_TIMEOUT_MS) };
    const loading = loadSubjectAddresses(account, requester, this.userAddresses);
    const subject = loading instanceof Promise ? await loading.catch(toWalletLookupFailure) : loading;
    // Started in one tick, so that the reads of a chain share a batch.
    const wanted = assets ?? this.watched.assets;
    const codes = this.readCodes(wanted, subject, options);
    const items = await Promise.all(wanted.map((asset) => this.readItem(asset, subject, codes, options)));
    const errors = items.flatMap(({ asset, errors = [] }, index) =>
      errors.map((error) => ({ asset, index, ...error })),
    );
    if (!lenient && errors.some(({ retryable }) => retryable)) throw assetsUnavailable(errors, { items });
    return addMetadata(
      assets ? items : items.filter((item) => this.isListed(item)),
      this.services.metadata,
      options,
    );
  }

  /** Whether a list without assets has the item. A well-known token that a chain never answers for is none of that chain. */
  private isListed({ balance, errors = [] }: AssetListItem): boolean {
    if (this.watched.areWellKnown && errors.some(({ retryable }) => !retryable)) return false;
    return balance !== '0';
  }

  /** Undefined where nothing has to be read. */
  private readCodes(
    assets: readonly AssetId[],
    subject: SubjectAddresses | WalletLookupFailure,
    options: AssetReadOptions,
  ): CodeReads | undefined {
    const { chains } = this.services;
    const named = 'code' in subject ? undefined : createNamedAccountCheck(subject, chains);
    const chainIds = assets.map(({ rule }) => rule.chainId);
    return named && { named, complete: named.readCodes(chainIds, chains, options) };
  }

  private async readItem(
    asset: AssetId,
    subject: SubjectAddresses | WalletLookupFailure,
    codes: CodeReads | undefined,
    options: AssetReadOptions,
  ): Promise<AssetListItem> {
    try {
      return { asset: asset.id, ...(await this.read(asset, subject, codes, options)) };
    } catch (error) {
      if (!(error instanceof AssetReadError)) throw error;
      return { asset: asset.id, errors: [describeFailure(error.failure)] };
    }
  }

  private async read(
    { rule }: AssetId,
    subject: SubjectAddresses | WalletLookupFailure,
    codes: CodeReads | undefined,
    options: AssetReadOptions,
  ): Promise<Holding> {
    if ('code' in subject) throw new AssetReadError(subject);
    const { chains, solanaCore, dasAssets, contractKinds } = this.services;
    const chain = chains.find(rule.chainId);
    const addresses = subject.getAddresses(rule.chainId);
    if (!chain || addresses.length === 0) return createEmptyHolding(rule);
    const reader = new AssetReader(chains, rule.chainId, options);
    const sources = { solanaCore, dasAssets, contractKinds, transfers: this.transfers };
    const holding = readHolding(rule, addresses, reader, chain, sources);
    return codes?.named.needsCode(rule.chainId) ? keepCounting(rule, holding, codes) : holding;
  }
}

/** The codes of an account that names a chain. */
interface CodeReads {
  readonly named: NamedAccountCheck;
  readonly complete: Promise<void>;
}

/** The holding as far as the account counts on its chain. @throws AssetReadError when that is unknown, and it holds any */
async function keepCounting(
  rule: AssetId['rule'],
  holding: Promise<Holding>,
  { named, complete }: CodeReads,
): Promise<Holding> {
  await Promise.allSettled([holding, complete]);
  await complete;
  const counting = named.countsOn(rule.chainId);
  if (counting === false) return createEmptyHolding(rule);
  const held = await holding;
  if (counting !== true && held.balance !== '0') throw new AssetReadError(counting);
  return held;
}

const NFT_TYPES: readonly AssetId['rule']['type'][] = ['ERC721', 'ERC1155', 'SOLANA_NFT'];

/** The holding of an account of another chain family, or of a contract of another chain. */
const createEmptyHolding = ({ type }: AssetId['rule']): Holding =>
  NFT_TYPES.includes(type) ? { balance: '0', tokens: [] } : { balance: '0' };
