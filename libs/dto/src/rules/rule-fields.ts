import { z } from 'zod';
import { compareAmounts, decimalAmount, isWholeAmount, type Amount } from './amount.js';
import { ruleType } from './rule-types.js';
import { isSolanaChain, SOLANA_CLUSTERS } from './solana.js';

const text = z.string().max(10_000);
/** JSON numbers are rejected because they would be rounded; the message explains it. */
const amountText = z.string('must be decimal text, a string such as "100"').max(160);
/** The least amount of a rule that names none. */
export const ONE: Amount = { units: 1n, scale: 0 };

/** The most accounts that a rule of type ALLOWLIST names. */
export const MAX_LISTED_ACCOUNTS = 1_000;

/** Where wallets say who acts for them. */
export const DELEGATION_SERVICES = ['delegate.xyz'] as const;
/** The most vaults that a rule names, and that count for one account. */
export const MAX_VAULTS = 20;

/** All fields that a submitted rule of any type may have. */
export const ruleFields = z
  .strictObject({
    type: ruleType.optional().describe('Asset standard. May be left out when `asset` says it.'),
    chainId: z
      .int('must be a whole number')
      .min(1)
      .optional()
      .describe('EVM chain id, or the id of a Solana cluster.'),
    contractAddress: z
      .string()
      .max(128)
      .optional()
      .describe(
        'Address of the token contract, of the mint, or of the contract that `function` belongs to; `creators`, `collection` or `mint` of a SOLANA_NFT rule.',
      ),
    minToken: amountText
      .optional()
      .describe(
        'Decimal text in whole tokens, inclusive; "1" when absent. What `function` returns may be negative.',
      ),
    maxToken: amountText
      .optional()
      .describe(
        'Decimal text in whole tokens, inclusive; no limit when absent. What `function` returns may be negative.',
      ),
    roleId: z.string().min(1).max(256).optional().describe('Role that the rule grants; "001" when absent.'),
    tokenId: z
      .string()
      .optional()
      .describe(
        'Ids and ranges, such as `1,2,42-69`, or the https URL of a list of them; addresses of a SOLANA_NFT rule.',
      ),
    asset: text
      .optional()
      .describe(
        'CAIP-19 asset id, or evm:<chain>/gnosis:<Safe>, instead of type, chainId, contractAddress and tokenId.',
      ),
    collectionName: text
      .optional()
      .describe('The collection of an OPEN_SEA rule, the adapter of a staking rule; else a label.'),
    eventId: text.optional().describe('The event of a POAP rule.'),
    scheme: z
      .literal('gnosis', 'must be gnosis, for the owners of a Safe')
      .optional()
      .describe('`gnosis`: the owners of the Safe that `asset` names.'),
    query: text
      .optional()
      .describe(
        'JSONata expression over the metadata of a token; the token counts when the result is `true`.',
      ),
    variables: z.looseObject({}).optional().describe('Values that `query` reads as variables.'),
    requiresMetadata: z
      .boolean()
      .optional()
      .describe(
        '`true`: counts only tokens whose metadata matches `query`. For ERC721, ERC1155 and SOLANA_NFT.',
      ),
    accounts: z
      .array(z.string().max(200))
      .optional()
      .describe(
        `Addresses and CAIP-10 account ids of an ALLOWLIST rule, at most ${MAX_LISTED_ACCOUNTS.toLocaleString('en')}.`,
      ),
    function: text
      .optional()
      .describe(
        'The function of a CONTRACT_READ rule in human-readable ABI, `view` or `pure`, of at most 512 characters: ' +
          '`function getHasValidKey(address) view returns (bool)`.',
      ),
    arguments: z
      .array(z.string())
      .optional()
      .describe('Arguments of `function` as text, at most 8; `$account` is the address of the wallet.'),
    equals: text
      .optional()
      .describe(
        'What `function` has to return: `true`, `false`, an integer, an address, `$account` or 32 bytes in hex. `true` when it returns bool and this is absent.',
      ),
    decimals: z
      .int('must be a whole number')
      .optional()
      .describe(
        'How many digits of the integer that `function` returns stand behind the decimal point of minToken and maxToken; none when absent.',
      ),
    delegations: z
      .enum(DELEGATION_SERVICES)
      .optional()
      .describe(
        '`delegate.xyz`: where own holdings do not decide, what vaults hold counts too that have delegated themselves to the account. For ERC20, ERC721 and ERC1155.',
      ),
    vaults: z
      .array(z.string().max(128))
      .min(1)
      .max(MAX_VAULTS)
      .optional()
      .describe(
        `Vaults that are asked by name where too many delegations hide them, at most ${MAX_VAULTS}. Only with \`delegations\`, and not in rules of communities.`,
      ),
    id: text.optional(),
    name: text.optional(),
    description: text.optional(),
    classifierGroup: text.optional(),
    groupId: text.optional(),
    tokenSymbol: text.optional(),
    version: z.union([text, z.number()]).optional(),
  })
  .meta({
    id: 'TokenGatingRule',
    description:
      'Who holds what gets which role. A field that is empty text or null counts as absent. A field that would restrict the rule ' +
      'and is not read by its type is rejected.',
  });

export type RuleFields = z.output<typeof ruleFields>;

/** Whether a field counts as absent (contract.md section 8). */
export const isEmptyField = (value: unknown): boolean =>
  value === '' || value === null || value === undefined;

/** What composes conditions, in the place of the fields of a rule. */
export const COMPOSITIONS = ['allOf', 'anyOf', 'atLeast', 'not'] as const;

const KNOWN_FIELDS: ReadonlySet<string> = new Set([...Object.keys(ruleFields.shape), ...COMPOSITIONS]);

/** Whether a known field of a condition counts as absent. Unknown fields never do, so that they are rejected by name. */
export const isAbsentField = (name: string, value: unknown): boolean =>
  isEmptyField(value) && KNOWN_FIELDS.has(name);

/** A loop, because a list of the values takes longer than all else that is done to an ordinary rule here. */
function hasEmptyField(rule: object): boolean {
  for (const name in rule) if (isEmptyField(rule[name as keyof typeof rule])) return true;
  return false;
}

/** Removes fields that count as absent, those of compositions included. */
export function removeEmptyFields(rule: unknown): unknown {
  if (typeof rule !== 'object' || rule === null || Array.isArray(rule)) return rule;
  if (!hasEmptyField(rule)) return rule;
  return Object.fromEntries(Object.entries(rule).filter(([name, value]) => !isAbsentField(name, value)));
}

/** Fields of parsed rules of every type. */
export const sharedRuleFields = {
  chainId: z.int({ error: 'is required: the id of the chain' }),
  minToken: decimalAmount.default(ONE),
  maxToken: decimalAmount.optional(),
  roleId: z.string().default('001'),
};

/** The chain of rules about contracts of EVM chains. */
export const evmChainId = sharedRuleFields.chainId.refine(
  (chainId) => !isSolanaChain(chainId),
  'must be an EVM chain, not a Solana cluster',
);

/** The chain of rules about accounts of Solana. */
export const solanaChainId = sharedRuleFields.chainId.refine(
  isSolanaChain,
  `must be a Solana cluster: ${SOLANA_CLUSTERS.map(({ id, name }) => `${id} (${name})`).join(', ')}`,
);

interface Thresholds {
  readonly minToken: Amount;
  readonly maxToken?: Amount | undefined;
}

/**
 * Checks for zod that minToken does not exceed maxToken. Skipped after other issues, for which zod runs checks, too.
 */
export function checkThresholdOrder({ value, issues }: z.core.ParsePayload<Thresholds>): void {
  const { minToken, maxToken } = value;
  if (issues.length > 0 || !maxToken || compareAmounts(minToken, maxToken) <= 0) return;
  issues.push({
    code: 'custom',
    path: ['minToken'],
    message: 'is above maxToken; it is "1" when it is left out',
    input: value,
  });
}

/** Checks for zod that amounts of indivisible tokens are whole numbers. */
export function checkWholeThresholds({ value, issues }: z.core.ParsePayload<Thresholds>): void {
  if (issues.length > 0) return;
  for (const field of ['minToken', 'maxToken'] as const) {
    const amount = value[field];
    if (!amount || isWholeAmount(amount)) continue;
    const message = 'must be a whole number: these tokens cannot be split';
    issues.push({ code: 'custom', path: [field], message, input: value });
  }
}
