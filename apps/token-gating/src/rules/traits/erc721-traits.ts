import {
  type ContractRead,
  createErc721BalanceRead,
  createSupportsInterfaceRead,
  createTokenOfOwnerRead,
  createTokenUriRead,
  INTERFACE_IDS,
  type ReadFailure,
  type ReadResult,
} from '@app/chain/evm';
import { type Erc721Rule, type EvmAddress, iterateTokenIds, type TokenIds } from '@app/dto';
import { toBounds, judgeQuantity, type Quantity, sumBalances } from '../judge-quantity.js';
import { createReadPlan, createReadStep } from '../create-read-plan.js';
import type { NextStep, ReadPlan, Resolved } from '../rule-type.js';
import type { RuleServices } from '../rule-services.js';
import { toUndetermined, type Verdict } from '../verdict.js';
import { addTooMany, addUnread, type HeldToken, type HeldTokens, MAX_HELD_TOKENS } from './held-tokens.js';
import { NOT_ENUMERABLE } from '../rule-failures.js';
import { judgeHeldTokens, type TraitRule } from './trait-rule.js';

type OwnerResults = readonly ReadResult<EvmAddress | null>[];

interface OwnerIndex {
  readonly tokensByOwner: ReadonlyMap<string, readonly HeldToken[]>;
  /** Any address may own a token whose owner could not be read. */
  readonly unread: Quantity['unread'];
}

/** A rule may name ten thousand tokens and is judged for a thousand members: the index visits each token once. */
const indexCache = new WeakMap<OwnerResults, OwnerIndex>();

/** @param owners one per id */
function findOwnedTokens(
  ids: Iterable<bigint>,
  owners: OwnerResults,
  addresses: readonly string[],
): HeldTokens {
  const { tokensByOwner, unread } = getIndex(ids, owners);
  return { tokens: addresses.flatMap((address) => tokensByOwner.get(address) ?? []), unread };
}

function getIndex(ids: Iterable<bigint>, owners: OwnerResults): OwnerIndex {
  let index = indexCache.get(owners);
  if (!index) indexCache.set(owners, (index = createIndex(ids, owners)));
  return index;
}

function createIndex(ids: Iterable<bigint>, owners: OwnerResults): OwnerIndex {
  const tokensByOwner = new Map<string, HeldToken[]>();
  let unread: Quantity['unread'];
  let at = 0;
  for (const id of ids) {
    const owner = owners[at++];
    if (!owner) break;
    if (!owner.ok) unread = addUnread(unread, 1n, owner);
    else if (owner.value !== null) {
      const tokens = tokensByOwner.get(owner.value);
      if (tokens) tokens.push({ id, amount: 1n });
      else tokensByOwner.set(owner.value, [{ id, amount: 1n }]);
    }
  }
  return { tokensByOwner, unread };
}

const toTraitRule = (rule: Resolved<Erc721Rule>, query: string): TraitRule => ({
  ...{ query, variables: rule.variables ?? {} },
  bounds: toBounds(rule, 0),
  chainId: rule.chainId,
  createUriRead: (id) => createTokenUriRead(rule.contractAddress, id),
});

/** Counts the tokens among those of `tokenId` whose metadata matches. @param reads of the owner of each id */
export function planErc721Traits(
  rule: Resolved<Erc721Rule> & { readonly tokenId: TokenIds },
  query: string,
  reads: readonly ContractRead<EvmAddress | null>[],
  addresses: readonly string[],
  services: RuleServices,
): ReadPlan {
  const traitRule = toTraitRule(rule, query);
  return createReadPlan(
    reads,
    (owners) =>
      judgeHeldTokens(traitRule, findOwnedTokens(iterateTokenIds(rule.tokenId), owners, addresses), services),
    reads.length,
  );
}

/** Counts all tokens of the account whose metadata matches, as far as the contract lists them. */
export function planEnumeratedTraits(
  rule: Resolved<Erc721Rule>,
  query: string,
  addresses: readonly string[],
  services: RuleServices,
): ReadPlan {
  const { contractAddress } = rule;
  const interfaceRead = createSupportsInterfaceRead(contractAddress, INTERFACE_IDS.erc721Enumerable);
  const balanceReads = addresses.map((address) => createErc721BalanceRead(contractAddress, address));
  return createReadPlan(
    [interfaceRead, ...balanceReads],
    ([enumerable, ...balances]) =>
      judgeBalances(toTraitRule(rule, query), rule, { enumerable, balances, addresses }, services),
    1,
  );
}

interface Balances {
  readonly enumerable: ReadResult<boolean>;
  readonly balances: readonly ReadResult<bigint>[];
  readonly addresses: readonly string[];
}

/** Reads the ids of the first tokens when they can change the verdict. */
function judgeBalances(
  traitRule: TraitRule,
  { contractAddress }: Pick<Erc721Rule, 'contractAddress'>,
  { enumerable, balances, addresses }: Balances,
  services: RuleServices,
): Verdict | NextStep {
  const sum = sumBalances(balances);
  if (sum.unread && !balances.some(({ ok }) => ok)) return toUndetermined(sum.unread.failure);
  const unlisted = addUnread(sum.unread, sum.known, NOT_ENUMERABLE);
  const verdict = judgeQuantity({ known: 0n, unread: unlisted }, traitRule.bounds);
  if (verdict.kind !== 'undetermined' || sum.known === 0n) return verdict;
  const reads: ContractRead<bigint>[] = [];
  balances.forEach((balance, index) => {
    const address = addresses[index];
    if (!balance.ok || address === undefined) return;
    for (let at = 0; BigInt(at) < balance.value && reads.length < MAX_HELD_TOKENS; at += 1)
      reads.push(createTokenOfOwnerRead(contractAddress, address, at));
  });
  const unread = addTooMany(sum.unread, sum.known - BigInt(reads.length));
  const list = createReadStep(reads, (ids) =>
    judgeHeldTokens(traitRule, toHeldTokens(ids, unread), services),
  );
  const [first] = reads;
  if ((enumerable.ok && enumerable.value) || !first) return list;
  // A contract without ERC-165 may list its tokens all the same. One that does not costs one read.
  return createReadStep([first], ([id]) => (id.ok ? list : judgeUnlisted(id, enumerable, sum, traitRule)));
}

/** The verdict on tokens that the contract does not list. @param id of the first one */
function judgeUnlisted(
  id: ReadFailure,
  enumerable: ReadResult<boolean>,
  { known, unread }: Quantity,
  { bounds }: TraitRule,
): Verdict {
  const failures = [id, enumerable].filter((result): result is ReadFailure => !result.ok);
  const failure = failures.find(({ permanent }) => !permanent) ?? NOT_ENUMERABLE;
  return judgeQuantity({ known: 0n, unread: addUnread(unread, known, failure) }, bounds);
}

/** A contract that repeats ids, or has fewer than it says, does not list its tokens. */
function toHeldTokens(
  ids: readonly ReadResult<bigint>[],
  beyond: ReturnType<typeof addTooMany>,
): { tokens: HeldToken[]; unread: ReturnType<typeof addTooMany> } {
  const known = new Set<bigint>();
  let unread = beyond;
  for (const id of ids) {
    if (!id.ok) unread = addUnread(unread, 1n, id.permanent ? NOT_ENUMERABLE : id);
    else if (known.has(id.value)) unread = addUnread(unread, 1n, NOT_ENUMERABLE);
    else known.add(id.value);
  }
  return { tokens: Array.from(known, (id) => ({ id, amount: 1n })), unread };
}
