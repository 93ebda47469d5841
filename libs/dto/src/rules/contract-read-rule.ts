import { z } from 'zod';
import { isWholeAmount, signedAmount } from './amount.js';
import {
  findArgumentProblem,
  findEqualsProblem,
  MAX_FUNCTION_LENGTH,
  MAX_FUNCTION_PARAMETERS,
  parseContractFunction,
  type ContractFunction,
} from './contract-function.js';
import { evmAddress } from './evm-address.js';
import { checkThresholdOrder, evmChainId, ONE, sharedRuleFields } from './rule-fields.js';

/** Addresses below are precompiled contracts and those that a chain makes part of itself. */
const MIN_CONTRACT_ADDRESS = 2n ** 16n;
/** The longest argument, and value that a result has to equal. The calls of a thousand members hold the arguments each. */
const MAX_ARGUMENT_LENGTH = 128;

/** The most functions of contracts that the rules of a request name: each is a request to a node of its own. */
const MAX_FUNCTIONS_IN_ALL = 50;

/** Counts functions, by their text, before any is parsed. @returns an error message for rules that name too many */
export function findFunctionsProblem(rules: readonly unknown[]): string | undefined {
  const named = new Set<string>();
  for (const rule of rules)
    if (typeof rule === 'object' && rule !== null && 'function' in rule && typeof rule.function === 'string')
      named.add(toFunctionKey(rule.function, rule));
  if (named.size <= MAX_FUNCTIONS_IN_ALL) return undefined;
  return `name ${named.size} functions of contracts; at most ${MAX_FUNCTIONS_IN_ALL} fit one request`;
}

function toFunctionKey(
  text: string,
  { chainId, contractAddress }: Readonly<Record<string, unknown>>,
): string {
  const contract = typeof contractAddress === 'string' ? contractAddress.toLowerCase() : '';
  return `${String(chainId)} ${contract} ${text}`;
}

const contractFunction = z
  .string('is required: a function that reads, in human-readable ABI')
  .max(MAX_FUNCTION_LENGTH, `must have at most ${MAX_FUNCTION_LENGTH} characters`)
  .transform((text, context): ContractFunction => {
    const parsed = parseContractFunction(text);
    if (typeof parsed !== 'string') return parsed;
    context.addIssue({ code: 'custom', message: parsed });
    return z.NEVER;
  });

const contractReadFields = z.object({
  type: z.literal('CONTRACT_READ'),
  ...sharedRuleFields,
  chainId: evmChainId,
  contractAddress: evmAddress.refine(
    (address) => BigInt(address) >= MIN_CONTRACT_ADDRESS,
    'is a precompiled contract, or no contract at all',
  ),
  function: contractFunction,
  arguments: z
    .array(z.string().max(MAX_ARGUMENT_LENGTH, `must have at most ${MAX_ARGUMENT_LENGTH} characters`))
    .max(MAX_FUNCTION_PARAMETERS, `must hold at most ${MAX_FUNCTION_PARAMETERS} arguments`)
    .default([]),
  minToken: signedAmount.default(ONE),
  maxToken: signedAmount.optional(),
  equals: z.string().max(MAX_ARGUMENT_LENGTH).optional(),
  /** Digits of a raw integer behind the decimal point of minToken and maxToken. */
  decimals: z.int().min(0).max(77, 'must be 0 to 77').optional(),
});

/**
 * Compares what a function of a contract returns. Each wallet is judged alone: one of them has to reach minToken or to equal `equals`, and
 * none may exceed maxToken. The parts of a rule are checked here, so that an error names its field at request time.
 */
export const contractReadRule = contractReadFields.check(checkParts, checkThresholdOrder);
export type ContractReadRule = z.output<typeof contractReadRule>;

function checkParts({ value: rule, issues }: z.core.ParsePayload<z.output<typeof contractReadFields>>): void {
  if (issues.length > 0) return;
  const reject = (path: readonly PropertyKey[], message: string): void => {
    issues.push({ code: 'custom', path: [...path], message, input: rule });
  };
  const {
    function: { parameters, result },
    arguments: given,
    chainId,
    equals,
    decimals,
  } = rule;
  if (given.length !== parameters.length)
    reject(
      ['arguments'],
      `must hold one text for each of the ${parameters.length} parameters, not ${given.length}`,
    );
  else
    parameters.forEach((type, index) => {
      const problem = findArgumentProblem(type, given[index] ?? '', chainId);
      if (problem !== undefined) reject(['arguments', index], problem);
    });
  if (equals !== undefined) {
    const problem = findEqualsProblem(result, equals, chainId);
    if (problem !== undefined) reject(['equals'], problem);
  } else if (result.kind === 'address' || result.kind === 'bytes32')
    reject(['equals'], `is required, because the function returns ${result.kind}`);
  if (decimals !== undefined && (result.kind !== 'integer' || equals !== undefined))
    reject(['decimals'], 'has no meaning here: leave it out');
  if (equals === undefined) checkThresholds(rule, reject);
}

/** True and false have no amounts, and what is not divided has whole ones. */
function checkThresholds(
  { function: { result }, minToken, maxToken, decimals }: z.output<typeof contractReadFields>,
  reject: (path: readonly PropertyKey[], message: string) => void,
): void {
  for (const [field, amount] of [
    ['minToken', minToken],
    ['maxToken', maxToken],
  ] as const) {
    if (!amount) continue;
    if (result.kind === 'bool' && (field === 'maxToken' || amount.units !== 1n || amount.scale !== 0))
      reject([field], 'has no meaning where the function returns bool: use equals');
    else if (decimals === undefined && !isWholeAmount(amount))
      reject([field], 'must be a whole number without decimals');
  }
}
