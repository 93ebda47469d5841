import type { Account, AssetId } from '@app/dto';
import { Injectable } from '@nestjs/common';
import type { CheckRolesOptions } from '../../checks/check-roles.service.js';
import { describeFailure } from '../../checks/merge-roles.js';
import { createNamedAccountCheck, type NamedAccountCheck } from '../../rules/named-account-check.js';
import { RuleServices } from '../../rules/rule-services.js';
import { toWalletLookupFailure, type WalletLookupFailure } from '../../rules/wallet-lookup-failure.js';
import { loadSubjectAddresses } from '../../subjects/load-subject-addresses.js';
import type { SubjectAddresses } from '../../subjects/subject-addresses.js';
import { UserAddressesService } from '../../subjects/user-addresses.service.js';
import type { AssetListItem } from '../asset-ownership.dto.js';
import { assetsUnavailable } from '../assets.errors.js';
import { WatchedAssets } from '../balances/watched-assets.js';
import { checkAssetChains } from '../ownership/asset-ownership.service.js';
import { addMetadata } from './add-metadata.js';
import { AssetReadError, type AssetReadOptions, AssetReader } from './asset-reader.js';
import type { Holding } from './holding.js';
import { readHolding } from './read-holding.js';
import { ReceivedTokensService } from './received-tokens.service.js';

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
