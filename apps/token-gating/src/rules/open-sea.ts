import type { OpenSeaRule } from '@app/dto';
import { createOpenSeaFailure, findOpenSeaChainId } from '../clients/open-sea/open-sea-chains.js';
import type { SubjectAddresses } from '../subjects/subject-addresses.js';
import { toBounds, judgeQuantity, preferTransientFailure } from './judge-quantity.js';
import type { ChainService } from './chains/chain.service.js';
import { createReadPlan } from './create-read-plan.js';
import { createNamedAccountCheck, type NamedAccountCheck } from './named-account-check.js';
import { RULE_READ_LIMIT_EXCEEDED } from './rule-failures.js';
import type { RuleServices } from './rule-services.js';
import type { LoadContext, MultiChainRuleType } from './rule-type.js';
import { NOT_APPLICABLE, type RuleFailure, toUndetermined, type Verdict } from './verdict.js';

/** Counts the distinct items of a collection that the addresses hold, as OpenSea lists them. */
export const openSea: MultiChainRuleType<OpenSeaRule> = {
  type: 'OPEN_SEA',
  countReads: () => 0,
  findProblem: (_, { openSea }) =>
    openSea.isConfigured
      ? undefined
      : {
          field: 'type',
          message: 'OPEN_SEA needs a key of OpenSea (OPENSEA_API_KEY), which this deployment has not',
        },
  planSubject: (rule, subject, services) =>
    createReadPlan([], () => ({
      kind: 'load',
      load: (context) => judgeItems(rule, subject, services, context),
    })),
};

interface HeldList {
  readonly chain: string;
  readonly chainId: number;
  readonly address: string;
}

interface Holdings {
  lists: HeldList[];
  failure: RuleFailure | undefined;
}

async function judgeItems(
  rule: OpenSeaRule,
  subject: SubjectAddresses,
  { openSea: items, chains }: Pick<RuleServices, 'openSea' | 'chains'>,
  context: LoadContext,
): Promise<Verdict> {
  const { collectionName: slug } = rule;
  const collection = await items.findCollection(slug, context);
  if ('code' in collection) return toUndetermined(collection);
  const chainNames = new Set(collection.contracts.map(({ chain }) => chain));
  const holdings = listHoldings(chainNames, rule.chainId, subject);
  const named = createNamedAccountCheck(subject, chains);
  const isOnChain = Array.from(chainNames, findOpenSeaChainId).some(
    (chainId) => chainId !== undefined && (rule.chainId === undefined || chainId === rule.chainId),
  );
  // Without a reason the account has no address on the chains of the collection.
  const reason =
    holdings.lists.length > 0 ? 'contract_of_other_chain' : isOnChain ? undefined : 'no_contract_on_chain';
  if (named) await keepCounting(holdings, named, chains, context);
  const { lists, failure: unknownChain } = holdings;
  if (lists.length === 0 && !unknownChain) {
    if (reason === 'no_contract_on_chain')
      return judgeWithoutContract(rule, subject, named, { chains, context });
    return { kind: 'not_granted', applies: false, ...(reason && { reason }) };
  }

  const bounds = toBounds(rule, 0);
  // Items that are enough for the verdict: above the maximum, or above the minimum without a maximum, further items do
  // not change it.
  const enough = bounds.max === undefined ? bounds.min : bounds.max + 1n;
  const held = new Set<string>();
  let failure: RuleFailure | undefined = unknownChain;
  let isMinimum = false;
  for (const [index, { chain, address }] of lists.entries()) {
    const isEnough = (ids: ReadonlySet<string>) => BigInt(held.size + countMatching(ids, rule)) >= enough;
    const read = await items.findItems({ slug, chain, account: address }, isEnough, context);
    for (const id of read.items.ids) if (isMatching(id, rule)) held.add(`${chain} ${id}`);
    if (read.failure) failure = preferTransientFailure(failure, read.failure);
    else if (read.items.next !== undefined && BigInt(held.size) < enough)
      failure = preferTransientFailure(failure, RULE_READ_LIMIT_EXCEEDED);
    if (BigInt(held.size) < enough) continue;
    isMinimum = read.items.next !== undefined || index < lists.length - 1;
    break;
  }
  const unread = failure && { maxAmount: undefined, failure };
  return judgeQuantity({ known: BigInt(held.size), unread, isMinimum }, bounds);
}

interface CodeReading {
  readonly chains: Pick<ChainService, 'read'>;
  readonly context: LoadContext;
}

/**
 * Judges a rule about a chain on which the collection has no contract: nobody holds anything there, whereas nothing is known of
 * accounts that do not count on the chain.
 */
async function judgeWithoutContract(
  { chainId }: OpenSeaRule,
  { getAddresses }: SubjectAddresses,
  named: NamedAccountCheck | undefined,
  { chains, context }: CodeReading,
): Promise<Verdict> {
  if (getAddresses(chainId ?? ANY_EVM_CHAIN).length === 0) return NOT_APPLICABLE;
  const nobodyHolds = { kind: 'not_granted', reason: 'no_contract_on_chain' } as const;
  if (!named || chainId === undefined) return nobodyHolds;
  await named.readCodes([chainId], chains, context);
  const counting = named.countsOn(chainId);
  if (counting === false) return NOT_APPLICABLE;
  return counting === true ? nobodyHolds : { ...nobodyHolds, applies: counting };
}

/** Rules without a chain are about EVM chains. */
const ANY_EVM_CHAIN = 1;

/** Leaves out the lists of chains on which a named account does not count. OpenSea knows chains that this deployment has not. */
async function keepCounting(
  holdings: Holdings,
  named: NamedAccountCheck,
  chains: Pick<ChainService, 'read'>,
  context: LoadContext,
): Promise<void> {
  await named.readCodes(
    holdings.lists.map(({ chainId }) => chainId),
    chains,
    context,
  );
  holdings.lists = holdings.lists.filter(({ chainId }) => {
    const counting = named.countsOn(chainId);
    if (typeof counting !== 'boolean') holdings.failure = preferTransientFailure(holdings.failure, counting);
    return counting === true;
  });
}

/** The lists to read, one for each chain of the collection and address of the subject on it. */
function listHoldings(
  chains: ReadonlySet<string>,
  onlyChainId: number | undefined,
  subject: SubjectAddresses,
): Holdings {
  const lists: HeldList[] = [];
  let failure: RuleFailure | undefined;
  for (const chain of chains) {
    const chainId = findOpenSeaChainId(chain);
    if (chainId === undefined && onlyChainId === undefined)
      failure = createOpenSeaFailure(
        'collection_chain_unknown',
        `the collection is on ${chain}, which is not known`,
      );
    if (chainId === undefined || (onlyChainId !== undefined && chainId !== onlyChainId)) continue;
    for (const address of subject.getAddresses(chainId)) lists.push({ chain, chainId, address });
  }
  return { lists, failure };
}

const isMatching = (id: string, { contractAddress }: OpenSeaRule): boolean =>
  contractAddress === undefined || id.startsWith(`${contractAddress} `);

const countMatching = (ids: ReadonlySet<string>, rule: OpenSeaRule): number =>
  rule.contractAddress === undefined ? ids.size : Array.from(ids).filter((id) => isMatching(id, rule)).length;
