import {
  type Amount,
  compareAmounts,
  isFields,
  isSolanaChain,
  isTokenIdList,
  storedTokenGatingRule,
  toChecksumAddress,
  toDecimalText,
  type TokenGatingRule,
  type TokenIdSource,
} from '@app/dto';
import { findKnownChainName } from '@app/chain/explorers';
import { findCollectionAt, isKnownName } from './known-collections.js';

/** The names of a deployment's chains and their coins. */
export interface RuleNames {
  readonly chainName: (chainId: number) => string;
  readonly coinSymbol: (chainId: number) => string;
}

/** A condition in words, which continue "Members get the role when they …". */
export interface RuleWords {
  readonly text: string;
  /** The conditions within a group, whose `text` ends in a colon. */
  readonly parts: readonly RuleWords[];
  /** The contract that the rule is about. Its name is what it says of itself, or what an administrator wrote. */
  readonly contract?: { readonly chainName: string; readonly address: string };
}

interface NamedChain {
  readonly chainId: number;
  readonly name: string;
  readonly nativeSymbol: string;
}

/** @param chains of the deployment; others have the names that everybody gives them */
export function createRuleNames(chains: readonly NamedChain[]): RuleNames {
  const find = (chainId: number) => chains.find((chain) => chain.chainId === chainId);
  return {
    chainName: (chainId) => find(chainId)?.name ?? nameUnknownChain(chainId),
    coinSymbol: (chainId) => find(chainId)?.nativeSymbol ?? (isSolanaChain(chainId) ? 'SOL' : 'coins'),
  };
}

const nameUnknownChain = (chainId: number): string =>
  isSolanaChain(chainId) ? 'Solana' : (findKnownChainName(chainId) ?? `chain ${chainId}`);

type Verb = 'hold' | 'are' | 'have staked';
const NEGATIVE: Readonly<Record<Verb, string>> = {
  hold: 'do not hold',
  are: 'are not',
  'have staked': 'have not staked',
};

/** What a single rule asks for. */
interface Phrase {
  readonly verb: Verb;
  readonly rest: string;
  readonly contract?: RuleWords['contract'];
}

type Fields = Readonly<Record<string, unknown>>;

/** No condition is deeper; what is, is not put into words. */
const MAX_DEPTH = 8;

/**
 * Puts an entry of a community's rules into words, as it is stored or shown to members. A part that cannot be read does not keep the others
 * from being told.
 */
export function describeRule(raw: unknown, names: RuleNames): RuleWords {
  if (!isFields(raw)) return unreadable();
  const { roleId: _, ...condition } = raw;
  return describeCondition(condition, names, false, 1);
}

/**
 * Whether a condition asks for nothing, because no amount is less than its minimum. Conditions that cannot be read are taken for ones that ask
 * for something.
 */
export function isMetByEverybody(value: unknown, depth = 1): boolean {
  if (!isFields(value) || depth > MAX_DEPTH) return false;
  const isMet = (part: unknown) => isMetByEverybody(part, depth + 1);
  const { allOf, anyOf, atLeast, not, roleId: _, ...fields } = value;
  if (Array.isArray(allOf)) return allOf.length > 0 && allOf.every(isMet);
  if (Array.isArray(anyOf)) return anyOf.some(isMet);
  if (isFields(atLeast) && Array.isArray(atLeast['of']))
    return atLeast['of'].filter(isMet).length >= Number(atLeast['count']);
  if (not !== undefined) return false;
  const { data: rule } = storedTokenGatingRule.safeParse(fields);
  return rule !== undefined && 'minToken' in rule && asksForNothing(rule);
}

const asksForNothing = (rule: TokenGatingRule & { minToken: Amount }): boolean =>
  rule.type !== 'CONTRACT_READ' &&
  isZero(rule.minToken) &&
  !('maxToken' in rule && rule.maxToken !== undefined);

/** The words of a condition with the contracts that are meant, for those who decide by them. */
export function withContracts({ text, parts, contract }: RuleWords): RuleWords {
  const short = contract && shorten(contract.address);
  // The name of the contract is an administrator's to choose, and this is not.
  const isSaid = short === undefined || text.includes(` of ${short} on `);
  return { text: isSaid ? text : `${text} (contract ${short})`, parts: parts.map(withContracts) };
}

/** The words of a condition in one line. */
export function toLine({ text, parts }: RuleWords): string {
  if (parts.length === 0) return text;
  return `${text} ${parts.map((part) => (part.parts.length > 0 ? `(${toLine(part)})` : toLine(part))).join('; ')}`;
}

const unreadable = (type?: unknown): RuleWords => ({
  text:
    typeof type === 'string' && /^[\w-]{1,40}$/.test(type)
      ? `meet a rule of the kind ${type}, which this page cannot put into words`
      : 'meet a rule that this page cannot put into words',
  parts: [],
});

function describeCondition(value: unknown, names: RuleNames, isNegated: boolean, depth: number): RuleWords {
  if (!isFields(value) || depth > MAX_DEPTH) return unreadable();
  const describe = (part: unknown, negated = false) => describeCondition(part, names, negated, depth + 1);
  const { allOf, anyOf, atLeast, not } = value;
  if (Array.isArray(allOf))
    return describeGroup(isNegated ? 'do not meet all of these:' : 'meet all of these:', allOf, describe);
  if (Array.isArray(anyOf))
    return describeGroup(isNegated ? 'meet none of these:' : 'meet at least one of these:', anyOf, describe);
  if (isFields(atLeast) && Array.isArray(atLeast['of'])) {
    const of: unknown[] = atLeast['of'];
    const count = String(atLeast['count']);
    const lead = isNegated ? 'do not meet' : 'meet';
    return describeGroup(`${lead} at least ${count} of these ${of.length}:`, of, describe);
  }
  // Twice "not" would need to be untangled by the reader.
  if (not !== undefined && not !== null && not !== '')
    return isNegated
      ? describeGroup('do not meet this:', [not], (part) => describe(part, true))
      : describe(not, true);
  return describeLeaf(value, names, isNegated);
}

const describeGroup = (
  text: string,
  parts: readonly unknown[],
  describe: (part: unknown) => RuleWords,
): RuleWords => ({ text, parts: parts.map((part) => describe(part)) });

function describeLeaf(fields: Fields, names: RuleNames, isNegated: boolean): RuleWords {
  const phrase = toPhrase(fields, names);
  if (!phrase) {
    const { text } = unreadable(fields['type']);
    return { text: isNegated ? `do not ${text}` : text, parts: [] };
  }
  const { verb, rest, contract } = phrase;
  const text = `${isNegated ? NEGATIVE[verb] : verb} ${rest}`;
  return { text, parts: [], ...(contract ? { contract } : {}) };
}

function toPhrase(fields: Fields, names: RuleNames): Phrase | undefined {
  const { accountCount, ...rest } = fields;
  // Members see how many accounts a list has in the place of the accounts.
  if (typeof accountCount === 'number' && rest['type'] === 'ALLOWLIST') return describeList(accountCount);
  const { data: rule } = storedTokenGatingRule.safeParse(rest);
  if (!rule) return undefined;
  const phrase = describeType(rule, chooseLabels(rule, readLabels(fields)), names);
  const more = [
    ...('query' in rule && rule.query !== undefined
      ? [', if their properties fit what the rule asks for']
      : []),
    ...('delegations' in rule && rule.delegations !== undefined
      ? [' (what a vault holds counts too, if it names the wallet as its delegate at delegate.xyz)']
      : []),
  ];
  return { ...phrase, rest: `${phrase.rest}${more.join('')}` };
}

const describeList = (count: number): Phrase => ({
  verb: 'are',
  rest: count === 1 ? 'the one address on a list' : `one of the ${formatCount(count)} addresses on a list`,
});

interface Labels {
  readonly name?: string | undefined;
  readonly symbol?: string | undefined;
}

/** What the administrator, or this page, noted of the contract. */
const readLabels = ({ name, tokenSymbol }: Fields): Labels => ({
  name: readLabel(name),
  symbol: readLabel(tokenSymbol),
});

const MAX_LABEL_LENGTH = 60;
const readLabel = (value: unknown): string | undefined => {
  const text = typeof value === 'string' ? value.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '').trim() : '';
  if (text === '') return undefined;
  return text.length > MAX_LABEL_LENGTH ? `${text.slice(0, MAX_LABEL_LENGTH)}…` : text;
};

function describeType(rule: TokenGatingRule, labels: Labels, names: RuleNames): Phrase {
  switch (rule.type) {
    case 'NATIVE': {
      const { chainId, minToken, maxToken } = rule;
      const amount = describeAmount(minToken, maxToken);
      return {
        verb: 'hold',
        rest: `${amount.text} ${names.coinSymbol(chainId)} on ${names.chainName(chainId)}`,
      };
    }
    case 'ERC20':
    case 'SOLANA_FT': {
      const { text, isOne } = describeAmount(rule.minToken, rule.maxToken);
      const { name, symbol } = labels;
      const what = symbol ?? `${isOne ? 'token' : 'tokens'} of ${name ?? shorten(rule.contractAddress)}`;
      return aboutContract(rule, names, { verb: 'hold', rest: `${text} ${what}` });
    }
    case 'ERC721':
      return aboutContract(rule, names, {
        verb: 'hold',
        rest: `${describeItems(rule, 'NFT', rule.tokenId)} of ${nameContract(rule, labels)}`,
      });
    case 'ERC1155':
      return aboutContract(rule, names, {
        verb: 'hold',
        rest: `${describeItems(rule, 'token', rule.tokenId)} of ${nameContract(rule, labels)}`,
      });
    case 'staking': {
      const { text, isOne } = describeAmount(rule.minToken, rule.maxToken);
      const unit = labels.symbol ?? (isOne ? 'token' : 'tokens');
      const rest = `${text} ${unit} in ${nameContract(rule, { name: labels.name })}`;
      return aboutContract(rule, names, { verb: 'have staked', rest });
    }
    case 'gnosis':
      return aboutContract(rule, names, {
        verb: 'are',
        rest: `an owner of the Safe ${nameContract(rule, labels)}`,
      });
    case 'SOLANA_NFT': {
      const kinds = { creators: 'by the creator', collection: 'of the collection', mint: 'with the address' };
      const keys = rule.tokenId.map(shorten);
      const named =
        labels.name ??
        listWords(
          keys.length > MAX_SHOWN ? [...keys.slice(0, MAX_SHOWN), `${keys.length - MAX_SHOWN} more`] : keys,
          'or',
        );
      const rest = `${describeItems(rule, 'NFT')} ${kinds[rule.contractAddress]} ${named} on ${names.chainName(rule.chainId)}`;
      return { verb: 'hold', rest };
    }
    case 'OPEN_SEA':
      return {
        verb: 'hold',
        rest: `${describeItems(rule, 'item')} of the collection ${rule.collectionName} at OpenSea`,
      };
    case 'POAP':
      return {
        verb: 'hold',
        rest: `${describeItems(rule, 'POAP')} of the event ${labels.name ?? String(rule.eventId)}`,
      };
    case 'ALLOWLIST': {
      const { plain, byChain, solana } = rule.accounts;
      const chained = [...byChain.values()].reduce((sum, accounts) => sum + accounts.size, 0);
      return describeList(plain.size + chained + solana.size);
    }
    case 'CONTRACT_READ':
      return describeContractRead(rule, labels, names);
  }
}

interface OfContract {
  readonly chainId: number;
  readonly contractAddress: string;
}

function findKnown(rule: TokenGatingRule) {
  if (!('chainId' in rule && 'contractAddress' in rule)) return undefined;
  const { chainId, contractAddress } = rule;
  if (chainId === undefined || contractAddress === undefined) return undefined;
  return findCollectionAt(chainId, contractAddress);
}

/** A well-known contract has the name by which people know it, whatever an administrator noted, and no other contract has that name. */
function chooseLabels(rule: TokenGatingRule, { name, symbol }: Labels): Labels {
  const known = findKnown(rule);
  if (known) return { name: known.name, symbol: known.aliases[0] };
  const allow = (label: string | undefined) =>
    label === undefined || isKnownName(label) ? undefined : label;
  return { name: allow(name), symbol: allow(symbol) };
}

const nameContract = ({ contractAddress }: Pick<OfContract, 'contractAddress'>, labels: Labels): string =>
  labels.name ?? labels.symbol ?? shorten(contractAddress);

const aboutContract = (
  { chainId, contractAddress }: OfContract,
  names: RuleNames,
  phrase: Phrase,
): Phrase => {
  const chainName = names.chainName(chainId);
  const address = isSolanaChain(chainId) ? contractAddress : toChecksumAddress(contractAddress);
  return { ...phrase, rest: `${phrase.rest} on ${chainName}`, contract: { chainName, address } };
};

function describeContractRead(
  rule: Extract<TokenGatingRule, { type: 'CONTRACT_READ' }>,
  labels: Labels,
  names: RuleNames,
): Phrase {
  const what = `${rule.function.name} of ${nameContract(rule, labels)} on ${names.chainName(rule.chainId)}`;
  const expected = rule.equals ?? (rule.function.result.kind === 'bool' ? 'true' : undefined);
  const result =
    expected === '$account'
      ? 'the wallet itself'
      : (expected ?? describeAmount(rule.minToken, rule.maxToken).text);
  const { contract } = aboutContract(rule, names, { verb: 'are', rest: '' });
  return {
    verb: 'are',
    rest: `someone for whom ${what} returns ${result}`,
    ...(contract ? { contract } : {}),
  };
}

/** Rules of things that cannot be split. */
interface Counted {
  readonly minToken: Amount;
  readonly maxToken?: Amount | undefined;
}

const MAX_SHOWN = 8;

function describeItems({ minToken, maxToken }: Counted, unit: string, ids?: TokenIdSource): string {
  const { text, isOne } = describeAmount(minToken, maxToken);
  const plain = `${text} ${isOne ? unit : `${unit}s`}`;
  if (ids === undefined) return plain;
  if (isTokenIdList(ids)) return `${plain} from the list at ${new URL(ids.url).host}`;
  const shown = ids.ranges
    .slice(0, MAX_SHOWN)
    .map(({ from, to }) => (from === to ? String(from) : `${from} to ${to}`));
  const rest = ids.ranges.length - shown.length;
  const list = listWords(rest > 0 ? [...shown, `${rest} more`] : shown, 'and');
  return ids.count === 1 ? `${plain} with the number ${list}` : `${plain} with one of the numbers ${list}`;
}

const isZero = ({ units }: Amount): boolean => units === 0n;

/** @returns the amount, and whether what is counted stands in the singular */
function describeAmount(min: Amount, max: Amount | undefined): { text: string; isOne: boolean } {
  const isOne = (amount: Amount): boolean => amount.units === 1n && amount.scale === 0;
  if (max === undefined)
    return isZero(min)
      ? { text: 'any number of', isOne: false }
      : { text: `at least ${formatAmount(min)}`, isOne: isOne(min) };
  if (isZero(max)) return { text: 'no', isOne: false };
  if (compareAmounts(min, max) === 0) return { text: `exactly ${formatAmount(max)}`, isOne: isOne(max) };
  if (isZero(min)) return { text: `at most ${formatAmount(max)}`, isOne: isOne(max) };
  return { text: `${formatAmount(min)} to ${formatAmount(max)}`, isOne: false };
}

/** Decimal text with the digits before the point in groups of three. */
export const formatAmount = (amount: Amount): string => groupDigits(toDecimalText(amount));

/** @param text decimal digits, with a point or without */
export function groupDigits(text: string): string {
  const [whole = '', fraction] = text.split('.');
  const grouped = whole.replaceAll(/\B(?=(?:\d{3})+$)/g, ',');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

const formatCount = (count: number): string => groupDigits(String(count));

/** `1, 2 and 3` */
function listWords(words: readonly string[], conjunction: 'and' | 'or'): string {
  if (words.length < 2) return words[0] ?? '';
  return `${words.slice(0, -1).join(', ')} ${conjunction} ${words.at(-1) ?? ''}`;
}

/** `0x7099…79C8` */
export const shorten = (address: string): string => {
  const shown = /^0x[0-9a-f]{40}$/i.test(address) ? toChecksumAddress(address) : address;
  return shown.length > 12 ? `${shown.slice(0, 6)}…${shown.slice(-4)}` : shown;
};
