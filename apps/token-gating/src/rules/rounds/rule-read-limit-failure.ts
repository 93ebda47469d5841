/** Tokens that one rule enumerates at most, because any address can send tokens to any other. */
export const MAX_ENUMERATED_TOKENS = 5_000;

/** The account holds too many tokens to read each of them. Same shape as ReadFailure. */
export interface RuleReadLimitFailure {
  readonly ok: false;
  readonly permanent: true;
  readonly code: 'rule_read_limit_exceeded';
  readonly message: string;
}

export const RULE_READ_LIMIT_EXCEEDED: RuleReadLimitFailure = Object.freeze({
  ok: false,
  permanent: true,
  code: 'rule_read_limit_exceeded',
  message: `the account holds more than ${MAX_ENUMERATED_TOKENS} tokens that this rule would have to read`,
});
