import type { TokenGatingError } from '@app/dto';
import type { RuleFailure } from '../rules/verdict.js';

/** Error name in the API for each failure code. */
const ERROR_NAMES: Readonly<Record<RuleFailure['code'], string>> = {
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

/** The entry of `errors` for a rule without a verdict. */
export function toRuleError(roleId: string, rule: number, failure: RuleFailure): TokenGatingError {
  const { code, message, permanent } = failure;
  return { roleId, rule, name: ERROR_NAMES[code], message, retryable: !permanent };
}
