import { prepareContractCall } from '@app/chain/abi';
import type { ContractRead, ReadFailure, ReadResult } from '@app/chain/evm';
import {
  ACCOUNT_PLACEHOLDER,
  type ContractReadRule,
  formatUnits,
  type FunctionResult,
  parseInteger,
  toChecksumAddress,
} from '@app/dto';
import { createReadPlan } from './create-read-plan.js';
import { preferTransientFailure, toBounds } from './judge-quantity.js';
import type { ReadValue, RuleType } from './rule-type.js';
import { GRANTED, toUndetermined, type ValueMismatch, type Verdict } from './verdict.js';

type Value = ReadResult<bigint>;

/** A value for each address, in their order. The same one for all where the function does not depend on the address. */
type JudgeValues = (addresses: readonly string[], values: readonly Value[]) => Verdict;

/** What all addresses of a rule have in common. */
interface PreparedRule {
  readonly createRead: (account: string) => ContractRead<bigint>;
  readonly judge: JudgeValues;
}

/** Prepared rules: one rule may be planned for a thousand members. */
const preparedRules = new WeakMap<ContractReadRule, PreparedRule>();

function prepare(rule: ContractReadRule): PreparedRule {
  let prepared = preparedRules.get(rule);
  if (!prepared) {
    prepared = {
      createRead: prepareContractCall(rule.contractAddress, rule.function, rule.arguments),
      judge: createJudge(rule),
    };
    preparedRules.set(rule, prepared);
  }
  return prepared;
}

/** Whether the function is called for each address, and not once for all. */
const readsEachAddress = (rule: ContractReadRule): boolean => rule.arguments.includes(ACCOUNT_PLACEHOLDER);

/**
 * Compares what a function returns, by any contract that the rule names. Each address is judged alone and nothing is summed: one address has to
 * reach `minToken` or to have what `equals` says, none may exceed `maxToken`, and all have to be what an unset entry of a contract is (false, 0,
 * the zero address), because everybody has an address without entries.
 */
export const contractRead: RuleType<ContractReadRule> = {
  type: 'CONTRACT_READ',
  countReads: (rule, addressCount) => (readsEachAddress(rule) ? addressCount : Math.min(1, addressCount)),
  planReads: (rule, addresses) => {
    const { createRead, judge } = prepare(rule);
    if (readsEachAddress(rule))
      return createReadPlan(addresses.map(createRead), (values) => judge(addresses, values));
    const reads = addresses.slice(0, 1).map(createRead);
    return createReadPlan(
      reads,
      (values) =>
        judge(
          addresses,
          addresses.flatMap(() => values),
        ),
      1,
    );
  },
};

/** What the function has to return. A bool has no amounts, and is true where the rule says nothing. */
const getEquals = ({ equals, function: called }: ContractReadRule): string | undefined =>
  equals ?? (called.result.kind === 'bool' ? 'true' : undefined);

function createJudge(rule: ContractReadRule): JudgeValues {
  const { function: called } = rule;
  const equals = getEquals(rule);
  if (equals === undefined) return createBoundsJudge(rule);
  if (equals === ACCOUNT_PLACEHOLDER)
    // An entry that nobody has is the zero address, which is nobody's.
    return (addresses, values) =>
      toVerdict(
        someValue(values, (value, index) => value !== 0n && value === BigInt(addresses[index] ?? 0n)),
        'value_different',
      );
  const expected = toExpectedValue(called.result, equals);
  const decide = expected === 0n ? everyValue : someValue;
  return (_, values) =>
    toVerdict(
      decide(values, (value) => value === expected),
      'value_different',
    );
}

function createBoundsJudge(rule: ContractReadRule): JudgeValues {
  const { min, max } = toBounds(rule, rule.decimals ?? 0);
  if (max !== undefined && min > max) return () => ({ kind: 'not_granted', reason: 'no_amount_fits' });
  return (_, values) => {
    const isReached = someValue(values, (value) => value >= min);
    const isKept = max === undefined || everyValue(values, (value) => value <= max);
    if (isKept === false) return { kind: 'not_granted', reason: 'above_maximum' };
    return toVerdict(isReached === true ? isKept : isReached, 'below_minimum');
  };
}

/** The value as the reads decode it. Expects one that fits the result. */
const toExpectedValue = ({ kind }: FunctionResult, text: string): bigint =>
  kind === 'bool' ? BigInt(text === 'true') : (parseInteger(text) ?? BigInt(text));

type Decision = boolean | ReadFailure;
type Predicate = (value: bigint, index: number) => boolean;

/** Whether a value fits; the failure where none does and not all are known. */
const someValue = (values: readonly Value[], fits: Predicate): Decision => decide(values, fits, true);
/** Whether all values fit; the failure where none contradicts and not all are known. */
const everyValue = (values: readonly Value[], fits: Predicate): Decision => decide(values, fits, false);

/** @param decisive the answer of a single value that decides */
function decide(values: readonly Value[], fits: Predicate, decisive: boolean): Decision {
  // All values of none fit, which must not grant.
  if (values.length === 0) throw new Error('A function was read for no address');
  let failure: ReadFailure | undefined;
  for (const [index, value] of values.entries()) {
    if (!value.ok) failure = preferTransientFailure(failure, value);
    else if (fits(value.value, index) === decisive) return decisive;
  }
  return failure ?? !decisive;
}

function toVerdict(decision: Decision, mismatch: ValueMismatch): Verdict {
  if (typeof decision !== 'boolean') return toUndetermined(decision);
  return decision ? GRANTED : { kind: 'not_granted', reason: mismatch };
}

/**
 * What the function returns for each address, as text for people; undefined where it could not be read.
 * @param outcomes of the plan's reads
 */
export const listValues = (
  rule: ContractReadRule,
  addresses: readonly string[],
  outcomes: readonly ReadResult<ReadValue>[],
): (string | undefined)[] =>
  addresses.map((_, index) => {
    const outcome = outcomes[readsEachAddress(rule) ? index : 0];
    return outcome?.ok && typeof outcome.value === 'bigint'
      ? formatValue(rule.function.result, outcome.value, rule.decimals)
      : undefined;
  });

/** What the function has to return, in the form of `listValues`; undefined where a rule compares amounts. */
export function describeEquals(rule: ContractReadRule): string | undefined {
  const equals = getEquals(rule);
  const { result } = rule.function;
  if (equals === undefined || equals === ACCOUNT_PLACEHOLDER) return equals;
  return formatValue(result, toExpectedValue(result, equals));
}

function formatValue({ kind }: FunctionResult, value: bigint, decimals = 0): string {
  switch (kind) {
    case 'bool':
      return value === 1n ? 'true' : 'false';
    case 'address':
      return toChecksumAddress(`0x${value.toString(16).padStart(40, '0')}`);
    case 'bytes32':
      return `0x${value.toString(16).padStart(64, '0')}`;
    default:
      return formatUnits(value, decimals);
  }
}
