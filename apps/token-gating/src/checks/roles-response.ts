import type { TokenGatingError, TokenGatingResponse } from '@app/dto';
import type { RuleFailure } from '../rules/verdict.js';
import { areUnreadVaults, type EntryVerdict } from './judge-condition.js';
import { serviceUnavailable, RETRY_AFTER_SECONDS } from '@app/common';

/** The combined verdict on all rules of one role. `errors` holds what could not be read, and is empty for a granted one. */
export interface RoleVerdict {
  readonly id: string;
  readonly kind: EntryVerdict['kind'];
  readonly errors: readonly TokenGatingError[];
}

/**
 * A role is the OR of its rules: granted beats undetermined beats not granted. One entry per role, in the order first
 * seen. `verdicts` holds one entry per rule, or tree of rules. An entry that vaults that are not read leave undetermined does not grant its role:
 * the account itself can fill its inbox, and would keep for ever what it had.
 */
export function mergeRoles(
  rules: readonly { readonly roleId: string }[],
  verdicts: readonly EntryVerdict[],
): RoleVerdict[] {
  const granted = new Set<string>();
  const errors = new Map<string, TokenGatingError[]>();
  const undetermined = new Set<string>();
  rules.forEach(({ roleId }, index) => {
    const verdict = verdicts[index];
    const roleErrors = errors.get(roleId) ?? [];
    errors.set(roleId, roleErrors);
    if (verdict?.kind === 'granted') granted.add(roleId);
    if (verdict?.kind !== 'undetermined') return;
    const { failure, parts = [{ failure }] } = verdict;
    for (const part of parts) roleErrors.push(toRuleError(roleId, index, part));
    if (!areUnreadVaults(failure)) undetermined.add(roleId);
  });
  return Array.from(errors, ([id, roleErrors]): RoleVerdict => {
    if (granted.has(id)) return { id, kind: 'granted', errors: [] };
    return { id, kind: undetermined.has(id) ? 'undetermined' : 'not_granted', errors: roleErrors };
  });
}

/** Error name in the API for each failure code. */
const ERROR_NAMES: Readonly<Record<RuleFailure['code'], string>> = {
  unavailable: 'NodeUnavailableError',
  timeout: 'NodeTimeoutError',
  block_unavailable: 'BlockUnavailableError',
  rule_read_limit_exceeded: 'RuleReadLimitExceededError',
  rule_not_supported: 'RuleNotSupportedError',
  indexer_unavailable: 'IndexerUnavailableError',
  indexer_limit_exceeded: 'IndexerLimitExceededError',
  indexer_malformed_answer: 'MalformedIndexerAnswerError',
  open_sea_unavailable: 'OpenSeaUnavailableError',
  open_sea_limit_exceeded: 'OpenSeaLimitExceededError',
  open_sea_malformed_answer: 'MalformedOpenSeaAnswerError',
  open_sea_refused: 'OpenSeaRefusedError',
  open_sea_not_configured: 'OpenSeaNotConfiguredError',
  collection_not_found: 'CollectionNotFoundError',
  collection_chain_unknown: 'CollectionChainUnknownError',
  metadata_unavailable: 'MetadataUnavailableError',
  metadata_timeout: 'MetadataTimeoutError',
  metadata_refused: 'MetadataRefusedError',
  metadata_malformed: 'MalformedMetadataError',
  metadata_limit_exceeded: 'MetadataLimitExceededError',
  query_limit_exceeded: 'QueryLimitExceededError',
  query_invalid: 'InvalidQueryError',
  query_unavailable: 'QueryUnavailableError',
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
  vaults_not_read: 'VaultsNotReadError',
};

/** The entry of `errors` for a rule without a verdict. */
const toRuleError = (
  roleId: string,
  rule: number,
  { path, failure }: { readonly path?: string; readonly failure: RuleFailure },
): TokenGatingError => ({
  roleId,
  rule,
  ...(path !== undefined && { path }),
  ...describeFailure(failure),
});

/** A failure as clients see it. */
export function describeFailure({
  code,
  message,
  permanent,
}: RuleFailure): Pick<TokenGatingError, 'name' | 'message' | 'retryable'> {
  return { name: ERROR_NAMES[code], message, retryable: !permanent };
}

/**
 * The synchronous response (contract.md section 5). `errors` is present only when a role is undetermined, or not granted because vaults were not read.
 * @param held ids of roles that the member has in storage; undetermined roles keep that state
 * @throws AppError 503 when a retry may determine a role, unless `lenient`
 */
export function toTokenGatingResponse(
  verdicts: readonly RoleVerdict[],
  lenient: boolean,
  held?: ReadonlySet<string>,
): TokenGatingResponse {
  const roles = verdicts.map(({ id, kind }) => ({
    id,
    granted: kind === 'granted' || (kind === 'undetermined' && held?.has(id) === true),
  }));
  const errors = verdicts.flatMap((verdict) => verdict.errors);
  if (!lenient && errors.some(({ retryable }) => retryable)) {
    throw serviceUnavailable(
      'roles_unavailable',
      'Some roles could not be determined, because what they depend on did not answer.',
      {
        retryAfter: RETRY_AFTER_SECONDS.upstream,
        roles,
        errors,
      },
    );
  }
  return errors.length > 0 ? { roles, errors } : { roles };
}
