import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { isFields, type RawRoleRule, type RuleTypeName } from '@app/dto';
import { z } from 'zod';

/** Conditions of a rule that the forms build or change. Rules of programs may have more, and are shown in words. */
export const MAX_DRAFT_CONDITIONS = 10;

/** How the conditions of a rule are joined. */
export const GROUP_MODES = ['all', 'any', 'atLeast', 'none'] as const;
export type GroupMode = (typeof GROUP_MODES)[number];

/** Rule types that the forms build and change. Conditions of other types are kept as they are. */
export const FORM_RULE_TYPES = [
  'ERC20',
  'ERC721',
  'ERC1155',
  'NATIVE',
  'SOLANA_FT',
  'SOLANA_NFT',
  'gnosis',
  'OPEN_SEA',
] as const satisfies readonly RuleTypeName[];
export type FormRuleType = (typeof FORM_RULE_TYPES)[number];

/** A condition as it is stored, without the role. */
export type RawCondition = Readonly<Record<string, unknown>>;

const draftCondition = z.union([
  z.strictObject({ rule: z.record(z.string(), z.unknown()) }),
  /** The part of the stored rule that stands at this index, and that the forms do not change. */
  z.strictObject({ kept: z.int().min(0).max(499) }),
]);
export type DraftCondition = z.output<typeof draftCondition>;

/** Longer lists of addresses are forgotten between the steps. */
const MAX_ADDRESSES_LENGTH = 1_500;

const ruleDraft = z.strictObject({
  /** Empty until one is chosen. */
  roleId: z.string().max(64),
  mode: z.enum(GROUP_MODES),
  count: z.int().min(1).max(MAX_DRAFT_CONDITIONS),
  conditions: z.array(draftCondition).max(MAX_DRAFT_CONDITIONS),
  /** What the community's rules were when the draft began. */
  base: z.string().max(64),
  /** The marks of these rules, one after the other. */
  marks: z.string(),
  /** The mark of the stored rule that the draft changes; absent for a new rule. */
  changes: z.string().max(16).optional(),
  /** The addresses on which the rule is tried. */
  addresses: z.string().max(MAX_ADDRESSES_LENGTH).optional(),
});
export type RuleDraft = Readonly<z.output<typeof ruleDraft>>;

/** Drafts stand in addresses of pages, and servers and proxies bound these. */
export const MAX_DRAFT_LENGTH = 6_000;
/** A point and the signature behind it. */
const SIGNATURE_LENGTH = 44;
const MARK_LENGTH = 6;

const hash = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('base64url');

/** What rules are compared by: whether somebody else has changed any of them. */
const digestRules = (rules: readonly RawRoleRule[]): string => hash(rules).slice(0, 22);

/** A rule among the others of its community, in links. Equal rules have equal marks. */
export const markRule = (rule: RawRoleRule): string => hash(rule).slice(0, MARK_LENGTH);

export const createDraft = (rules: readonly RawRoleRule[], roleId: string): RuleDraft => ({
  ...{ roleId, mode: 'all', count: 1, conditions: [] },
  ...{ base: digestRules(rules), marks: rules.map(markRule).join('') },
});

/** @returns undefined for a rule that the forms would have to simplify */
export function createDraftOf(rules: readonly RawRoleRule[], rule: RawRoleRule): RuleDraft | undefined {
  const group = splitRule(rule);
  if (!group || group.parts.length > MAX_DRAFT_CONDITIONS) return undefined;
  const conditions = group.parts.map((part, kept): DraftCondition =>
    isFormRule(part) ? { rule: { ...part } } : { kept },
  );
  const { mode, count } = group;
  return { ...createDraft(rules, rule.roleId), mode, count, conditions, changes: markRule(rule) };
}

/** The draft for rules that others have changed. What it kept of a rule that is gone is gone, too. */
export function rebaseDraft(draft: RuleDraft, rules: readonly RawRoleRule[]): RuleDraft {
  const { base, marks } = createDraft(rules, draft.roleId);
  const { changes, ...rest } = draft;
  const isThere = changes !== undefined && rules.some((rule) => markRule(rule) === changes);
  if (isThere) return { ...draft, base, marks };
  return { ...rest, base, marks, conditions: draft.conditions.filter((condition) => 'rule' in condition) };
}

export const canBeChanged = (rule: RawRoleRule): boolean => {
  const group = splitRule(rule);
  return group !== undefined && group.parts.length <= MAX_DRAFT_CONDITIONS;
};

interface RuleGroup {
  readonly mode: GroupMode;
  readonly count: number;
  readonly parts: readonly RawCondition[];
}

const NESTING = ['allOf', 'anyOf', 'not', 'atLeast'] as const;

const isGroup = (condition: RawCondition): boolean => NESTING.some((name) => isFields(condition[name]));

/** A rule as one level of conditions; undefined for deeper ones. */
function splitRule({ roleId: _, ...condition }: RawRoleRule): RuleGroup | undefined {
  const { allOf, anyOf, not, atLeast } = condition;
  if (Array.isArray(allOf)) return toGroup('all', 1, allOf);
  if (Array.isArray(anyOf)) return toGroup('any', 1, anyOf);
  if (isFields(atLeast)) return toGroup('atLeast', Number(atLeast['count']), atLeast['of']);
  if (isFields(not)) return toGroup('none', 1, Array.isArray(not['anyOf']) ? not['anyOf'] : [not]);
  return toGroup('all', 1, [condition]);
}

function toGroup(mode: GroupMode, count: number, parts: unknown): RuleGroup | undefined {
  if (!Array.isArray(parts) || parts.length === 0) return undefined;
  const conditions = parts.filter(isFields);
  const isFlat = conditions.every(
    (part) => !isGroup(part) && !NESTING.some((name) => Array.isArray(part[name])),
  );
  return isFlat && conditions.length === parts.length ? { mode, count, parts: conditions } : undefined;
}

const MAX_RULE_LENGTH = 1_500;

const isFormRule = (rule: RawCondition): boolean =>
  FORM_RULE_TYPES.some((type) => type === rule['type']) && JSON.stringify(rule).length <= MAX_RULE_LENGTH;

/** The conditions of a draft as they are stored. @param changed the stored rule that the draft changes */
export function resolveConditions(
  { conditions }: RuleDraft,
  changed: RawRoleRule | undefined,
): readonly RawCondition[] {
  const parts = changed ? (splitRule(changed)?.parts ?? []) : [];
  return conditions.flatMap((condition) => {
    const resolved = 'kept' in condition ? parts[condition.kept] : condition.rule;
    return resolved ? [resolved] : [];
  });
}

/** The rule that a draft stands for; undefined without a condition. */
export function toRule(draft: RuleDraft, changed: RawRoleRule | undefined): RawRoleRule | undefined {
  const { roleId, mode, count } = draft;
  const parts = resolveConditions(draft, changed);
  const [first] = parts;
  if (!first) return undefined;
  if (parts.length === 1) return mode === 'none' ? { roleId, not: first } : { ...first, roleId };
  switch (mode) {
    case 'all':
      return { roleId, allOf: parts };
    case 'any':
      return { roleId, anyOf: parts };
    case 'none':
      return { roleId, not: { anyOf: parts } };
    case 'atLeast':
      return { roleId, atLeast: { count: Math.min(count, parts.length), of: parts } };
  }
}

/** What others have changed since a draft began. */
export interface RuleChanges {
  readonly added: readonly RawRoleRule[];
  readonly removedCount: number;
}

/** @returns undefined where nothing has changed */
export function findChanges(
  { base, marks }: RuleDraft,
  rules: readonly RawRoleRule[],
): RuleChanges | undefined {
  if (digestRules(rules) === base) return undefined;
  const before: string[] = marks.match(new RegExp(`.{${MARK_LENGTH}}`, 'g')) ?? [];
  const now = rules.map(markRule);
  return {
    added: rules.filter((rule) => !before.includes(markRule(rule))),
    removedCount: before.filter((mark) => !now.includes(mark)).length,
  };
}

/** Who builds a rule for which community: a draft outlives the session in which it was begun. */
export interface DraftOwner {
  readonly userId: string;
  readonly communityId: string;
}

const sign = (secret: Buffer, { userId, communityId }: DraftOwner, text: string): string =>
  createHmac('sha256', secret)
    .update(`gatehouse rule draft\n${userId}\n${communityId}\n${text}`)
    .digest('base64url');

const encode = (draft: RuleDraft): string => Buffer.from(JSON.stringify(draft)).toString('base64url');

/** Writes a draft into the address of a page, without the addresses to try where it would be too long with them. @param secret of the servers */
export function sealDraft({ addresses, ...draft }: RuleDraft, owner: DraftOwner, secret: Buffer): string {
  const isKept = addresses !== undefined && addresses !== '' && addresses.length <= MAX_ADDRESSES_LENGTH;
  const whole = encode(isKept ? { ...draft, addresses } : draft);
  const text = whole.length > MAX_DRAFT_LENGTH - SIGNATURE_LENGTH ? encode(draft) : whole;
  return `${text}.${sign(secret, owner, text)}`;
}

/**
 * Reads the draft in the address of a page. A link that somebody else made may name conditions but not what their
 * contracts are called: a contract's name would be believed. @returns undefined for what is no draft
 */
export function openDraft(sealed: string, owner: DraftOwner, secret: Buffer): RuleDraft | undefined {
  const [text = '', signature = ''] = sealed.split('.');
  const draft = parseDraft(text);
  if (!draft) return undefined;
  const expected = Buffer.from(sign(secret, owner, text));
  const given = Buffer.from(signature);
  const isOwn = given.length === expected.length && timingSafeEqual(given, expected);
  return isOwn ? draft : { ...draft, conditions: draft.conditions.map(withoutLabels) };
}

function parseDraft(text: string): RuleDraft | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    return ruleDraft.safeParse(value).data;
  } catch {
    return undefined;
  }
}

function withoutLabels(condition: DraftCondition): DraftCondition {
  if ('kept' in condition) return condition;
  const { name: _, tokenSymbol: __, ...rule } = condition.rule;
  return { rule };
}
