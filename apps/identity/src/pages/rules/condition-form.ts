import { displayText, isFields, type TokenGatingRule, tokenGatingRule, toDecimalText } from '@app/dto';
import type { FormFields } from '../portal/application-form.js';
import { FORM_RULE_TYPES, type FormRuleType, type RawCondition } from './rule-draft.js';

/** Characters of token ids that the form takes. Longer lists are for programs, or for a list at an address. */
const MAX_IDS_LENGTH = 2_000;
const MAX_LABEL_LENGTH = 100;

/** What a condition is about, and the limits that a person types. */
export interface ConditionForm {
  readonly type: FormRuleType;
  readonly chainId: string;
  readonly contractAddress: string;
  readonly minToken: string;
  readonly maxToken: string;
  readonly tokenId: string;
  /** The collection at OpenSea. */
  readonly collectionName: string;
  /** What the contract calls itself. */
  readonly name: string;
  readonly symbol: string;
  readonly decimals: string;
}

/** Fields of the form beside which a problem can stand; `contractAddress` for what is about the contract itself. */
type ConditionProblems = Partial<Record<'minToken' | 'maxToken' | 'tokenId' | 'contractAddress', string>>;

export type ConditionFormResult =
  | { readonly ok: true; readonly condition: RawCondition }
  | { readonly ok: false; readonly problems: ConditionProblems };

export const isFormRuleType = (type: unknown): type is FormRuleType =>
  FORM_RULE_TYPES.some((one) => one === type);

export const hasAmounts = (type: FormRuleType): boolean => type !== 'gnosis';
export const hasTokenIds = (type: FormRuleType): boolean => type === 'ERC721' || type === 'ERC1155';
/** Whether what the rule counts can be split. */
export const hasFractions = (type: FormRuleType): boolean => ['ERC20', 'NATIVE', 'SOLANA_FT'].includes(type);

const label = displayText(MAX_LABEL_LENGTH);
const readLabel = (text: string): string | undefined => label.safeParse(text.trim()).data;

export function readConditionForm(fields: FormFields): ConditionForm | undefined {
  const { type } = fields;
  if (!isFormRuleType(type)) return undefined;
  const text = (name: keyof ConditionForm): string => fields[name] ?? '';
  return {
    type,
    ...{ chainId: text('chainId'), contractAddress: text('contractAddress') },
    ...{ minToken: text('minToken'), maxToken: text('maxToken'), tokenId: text('tokenId') },
    collectionName: text('collectionName'),
    ...{ name: text('name'), symbol: text('symbol'), decimals: text('decimals') },
  };
}

/** `1,000` is how people write a thousand; `0,5` stays as it is, and is refused. */
const toAmount = (text: string): string => {
  const trimmed = text.trim();
  return /^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(trimmed) ? trimmed.replaceAll(',', '') : trimmed;
};

/** Numbers of tokens as people write them, such as `#1, #2 and 42–69` on several lines, in the grammar of rules. */
function toTokenIds(text: string): string {
  const trimmed = text.trim();
  if (trimmed.startsWith('https://')) return trimmed;
  return trimmed
    .replaceAll(/[#\u2116]/gu, '')
    .replaceAll(/\s*(?:[-\u2010-\u2015]|\bto\b)\s*/gu, '-')
    .split(/(?:[\s,;]|\band\b)+/u)
    .filter((item) => item !== '')
    .join(',');
}

/** Makes a condition of the form, which keeps what the form does not show of an earlier one. */
export function parseConditionForm(form: ConditionForm, earlier: RawCondition = {}): ConditionFormResult {
  const { type } = form;
  const tokenId = hasTokenIds(type) ? toTokenIds(form.tokenId) : '';
  if (tokenId.length > MAX_IDS_LENGTH)
    return {
      ok: false,
      problems: { tokenId: `This is longer than the ${MAX_IDS_LENGTH} characters that fit here.` },
    };
  const amounts = hasAmounts(type)
    ? { minToken: toAmount(form.minToken) || '1', maxToken: toAmount(form.maxToken) }
    : {};
  const wanted = {
    ...{ ...earlier, type, ...readTarget(form), ...amounts },
    ...(hasTokenIds(type) ? { tokenId } : {}),
    ...{
      name: readLabel(form.name) ?? earlier['name'],
      tokenSymbol: readLabel(form.symbol) ?? earlier['tokenSymbol'],
    },
  };
  const condition = Object.fromEntries(
    Object.entries(wanted).filter(([, value]) => value !== '' && value !== undefined),
  );
  const parsed = tokenGatingRule.safeParse(condition);
  if (!parsed.success) {
    const problems = toProblems(parsed.error.issues);
    // The schema compares amounts only where every field can be read.
    return { ok: false, problems: { ...findHiddenProblems(condition, problems), ...problems } };
  }
  const problem = findDecimalsProblem(parsed.data, form);
  return problem ? { ok: false, problems: problem } : { ok: true, condition };
}

/** What is wrong with the amounts of a condition whose numbers of tokens cannot be read. */
function findHiddenProblems(condition: RawCondition, { tokenId }: ConditionProblems): ConditionProblems {
  if (tokenId === undefined) return {};
  const parsed = tokenGatingRule.safeParse({ ...condition, tokenId: '1' });
  return parsed.success ? {} : toProblems(parsed.error.issues);
}

/** What the condition is about. */
function readTarget({ type, chainId, contractAddress, collectionName }: ConditionForm): RawCondition {
  const chain = /^\d{1,16}$/.test(chainId) ? { chainId: Number(chainId) } : {};
  switch (type) {
    case 'NATIVE':
      return chain;
    case 'OPEN_SEA':
      return { collectionName };
    case 'SOLANA_NFT':
      return { ...chain, contractAddress: 'mint', tokenId: contractAddress };
    default:
      return { ...chain, contractAddress };
  }
}

const PROBLEMS: Readonly<Record<string, readonly [keyof ConditionProblems, string]>> = {
  minToken: ['minToken', 'Write a number such as 1 or 0.5.'],
  maxToken: ['maxToken', 'Write a number such as 1 or 0.5, or leave it empty.'],
  tokenId: ['tokenId', 'Write the numbers of tokens, such as 1, 2, 42-69.'],
};

interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

function toProblems(issues: readonly Issue[]): ConditionProblems {
  const problems: ConditionProblems = {};
  for (const { path, message } of issues) {
    const [field, sentence] = PROBLEMS[String(path[0])] ?? ['contractAddress' as const, toSentence(message)];
    problems[field] ??= explainIssue(message) ?? sentence;
  }
  return problems;
}

/** Messages of rules that say more than that something is no number. */
function explainIssue(message: string): string | undefined {
  if (message.startsWith('is above maxToken')) return 'This is more than the most that is allowed.';
  if (message.startsWith('must be a whole number'))
    return 'Write a whole number: these tokens cannot be split.';
  if (
    message.startsWith('has a range') ||
    message.startsWith('names more than') ||
    message.startsWith('has an id')
  )
    return toSentence(message);
  return message.startsWith('is required: ids') ? 'Write which tokens of the contract count.' : undefined;
}

/** A sentence of a message that goes on from the name of a field. */
export function toSentence(message: string): string {
  const text = /^[a-z]/.test(message) ? `This ${message}` : message;
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

function findDecimalsProblem(
  rule: TokenGatingRule,
  { decimals, symbol }: ConditionForm,
): ConditionProblems | undefined {
  if (!/^\d{1,2}$/.test(decimals)) return undefined;
  for (const field of ['minToken', 'maxToken'] as const) {
    const amount = rule[field];
    if (amount && amount.scale > Number(decimals)) {
      const name = readLabel(symbol) ?? 'This token';
      return {
        [field]: `${name} has ${decimals} digits behind the point; ${toDecimalText(amount)} has more.`,
      };
    }
  }
  return undefined;
}

const toText = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';

/** The form of a condition that exists. */
export function toConditionForm(condition: RawCondition): ConditionForm | undefined {
  const { type } = condition;
  if (!isFields(condition) || !isFormRuleType(type)) return undefined;
  const isMint = type === 'SOLANA_NFT';
  return {
    type,
    chainId: toText(condition['chainId']),
    contractAddress: toText(condition[isMint ? 'tokenId' : 'contractAddress']),
    minToken: toText(condition['minToken']) || '1',
    maxToken: toText(condition['maxToken']),
    tokenId: isMint ? '' : toText(condition['tokenId']).replaceAll(',', ', '),
    collectionName: toText(condition['collectionName']),
    ...{ name: toText(condition['name']), symbol: toText(condition['tokenSymbol']), decimals: '' },
  };
}
