import { preferTransientFailure, type Quantity } from '../judge-quantity.js';
import type { RuleReadLimitFailure } from '../rule-failures.js';
import type { RuleFailure } from '../verdict.js';

/** A token that counts, as often as it is held, when its metadata matches. */
export interface HeldAmount {
  /** Replaces `{id}` in the URI of its metadata (ERC-1155). */
  readonly id?: bigint;
  readonly amount: bigint;
}

export interface HeldToken extends HeldAmount {
  readonly id: bigint;
}

/** What an account holds, before any metadata is known. */
export interface HeldTokens<Token extends HeldAmount = HeldToken> {
  readonly tokens: readonly Token[];
  /** The amount of other tokens, which may count. */
  readonly unread: Quantity['unread'];
}

/** contract.md section 8. */
export const MAX_HELD_TOKENS = 200;

const TOO_MANY_TOKENS: RuleReadLimitFailure = Object.freeze({
  ok: false,
  permanent: true,
  code: 'rule_read_limit_exceeded',
  message: `the account holds more than ${MAX_HELD_TOKENS} tokens whose metadata this rule would have to read`,
});

/** Limits the tokens to MAX_HELD_TOKENS; those beyond are unread. */
export function limitTokens<Token extends HeldAmount>({
  tokens,
  unread,
}: HeldTokens<Token>): HeldTokens<Token> {
  if (tokens.length <= MAX_HELD_TOKENS) return { tokens, unread };
  const beyond = tokens.slice(MAX_HELD_TOKENS).reduce((sum, { amount }) => sum + amount, 0n);
  return { tokens: tokens.slice(0, MAX_HELD_TOKENS), unread: addTooMany(unread, beyond) };
}

export const addTooMany = (unread: Quantity['unread'], amount: bigint): Quantity['unread'] =>
  amount > 0n ? addUnread(unread, amount, TOO_MANY_TOKENS) : unread;

/** What was not read may be any amount. */
export const addUnreadable = (unread: Quantity['unread'], failure: RuleFailure): Quantity['unread'] => ({
  ...addUnread(unread, 0n, failure),
  maxAmount: undefined,
});

export const addUnread = (
  unread: Quantity['unread'],
  amount: bigint,
  failure: RuleFailure,
): NonNullable<Quantity['unread']> => ({
  maxAmount: unread && unread.maxAmount === undefined ? undefined : (unread?.maxAmount ?? 0n) + amount,
  failure: preferTransientFailure(unread?.failure, failure),
});
