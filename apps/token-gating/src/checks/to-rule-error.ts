import type { TokenGatingError } from '@app/dto';
import type { RuleFailure } from '../rules/verdict.js';

/** How callers see each failure. */
const NAMES: Readonly<Record<RuleFailure['code'], string>> = {
  unavailable: 'NodeUnavailableError',
  timeout: 'NodeTimeoutError',
  unknown_chain: 'UnknownChainError',
  reverted: 'ContractRevertedError',
  out_of_gas: 'OutOfGasError',
  no_contract: 'NoContractError',
  malformed_answer: 'MalformedAnswerError',
  wallets_unavailable: 'WalletsUnavailableError',
  list_unavailable: 'TokenListUnavailableError',
  list_timeout: 'TokenListTimeoutError',
  list_refused: 'TokenListRefusedError',
  list_malformed: 'MalformedTokenListError',
};

/** The entry of `errors` for a rule that could not be told. */
export function toRuleError(roleId: string, rule: number, failure: RuleFailure): TokenGatingError {
  const { code, message, permanent } = failure;
  return { roleId, rule, name: NAMES[code], message, retryable: !permanent };
}
