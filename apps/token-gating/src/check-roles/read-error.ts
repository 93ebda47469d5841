import type { ReadFailure, ReadFailureCode } from '@app/chain/evm';
import type { TokenGatingError } from '@app/dto';

/** How callers see each failure of a read. */
const NAMES: Readonly<Record<ReadFailureCode, string>> = {
  unavailable: 'NodeUnavailableError',
  timeout: 'NodeTimeoutError',
  unknown_chain: 'UnknownChainError',
  reverted: 'ContractRevertedError',
  out_of_gas: 'OutOfGasError',
  no_contract: 'NoContractError',
  malformed_answer: 'MalformedAnswerError',
};

/** The entry of `errors` for a rule that could not be told. */
export function toRuleError(roleId: string, rule: number, failure: ReadFailure): TokenGatingError {
  const { code, message, lasting } = failure;
  return { roleId, rule, name: NAMES[code], message, retryable: !lasting };
}
