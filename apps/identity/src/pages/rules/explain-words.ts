import type { ExplanationCode, TokenGatingExplanation } from '@app/dto';
import { groupDigits } from './rule-sentence.js';

type Unit = NonNullable<TokenGatingExplanation['unit']>;

/** What a person reads of an explanation: its amounts, and nothing of how rules are written down. */
export type Explained = Pick<TokenGatingExplanation, 'code' | 'min' | 'max' | 'held' | 'unit'>;

const UNITS: Readonly<Record<Unit, readonly [one: string, many: string]>> = {
  coin: ['coin', 'coins'],
  token: ['token', 'tokens'],
  nft: ['NFT', 'NFTs'],
  wallet: ['wallet', 'wallets'],
  value: ['', ''],
};

/** Whether what is counted stands in the singular. Amounts of tokens may have a fraction of zeros. */
const isOne = (amount: string): boolean => /^1(?:\.0+)?$/.test(amount);

const count = (amount: string, unit: Unit | undefined): string => {
  const [one, many] = unit === undefined ? ['', ''] : UNITS[unit];
  return `${groupDigits(amount)} ${isOne(amount) ? one : many}`.trimEnd();
};

const verb = (amount: string): string => (isOne(amount) ? 'is' : 'are');

/** The first part says what is held, as far as that is known. */
const WORDS: Readonly<Record<ExplanationCode, (explained: Explained) => string>> = {
  held_enough: ({ held, unit }) => (held === undefined ? 'Holds enough.' : `Holds ${count(held, unit)}.`),
  below_minimum: ({ held, min, unit }) =>
    held === undefined
      ? `Holds less than the ${count(min, unit)} that ${verb(min)} needed.`
      : `Holds ${count(held, unit)}; at least ${count(min, unit)} needed.`,
  above_maximum: ({ held, max, unit }) =>
    held === undefined
      ? `Holds more than the ${count(max ?? '0', unit)} that ${verb(max ?? '0')} allowed.`
      : `Holds ${count(held, unit)}; at most ${count(max ?? '0', unit)} allowed.`,
  no_token_id: () => 'Holds none with the numbers that the rule names.',
  listed: () => 'Is on the list.',
  not_listed: () => 'Is not on the list.',
  value_equal: () => 'The contract answers what the rule asks for.',
  value_different: ({ held }) =>
    held === undefined
      ? 'The contract answers something else than the rule asks for.'
      : `The contract answers ${held}, which is not what the rule asks for.`,
  metadata_mismatch: () => 'Holds some, but too few with the properties that the rule asks for.',
  no_amount_fits: () => 'No amount can fit this rule: the token has fewer decimals than its limits.',
  wrong_chain_family: () => 'This address belongs to another kind of chain than the rule.',
  no_wallet: () => 'There is no wallet that counts on the chain of this rule.',
  contract_of_other_chain: () => 'This address is a contract of another chain, which does not count here.',
  no_contract_on_chain: () => 'The collection has no contract on the chain of this rule.',
  read_failed: () => 'The chain did not answer. Try it again later.',
  not_readable: () => 'This contract cannot be read as the rule says. Trying again does not help.',
  rule_not_supported: () => 'The contract, or this service, does not support what the rule asks for.',
  vaults_not_read: () =>
    'The wallet itself holds too little, and it has too many vaults to look at all of them.',
  too_much_to_read: () => 'This address holds more than a rule of this kind can read.',
};

/** A sentence about one address and one rule. */
export const describeExplanation = (explained: Explained): string => WORDS[explained.code](explained);
