import { z } from 'zod';

interface ExplanationMeaning {
  /** Whether a rule with this explanation is granted; null where that is unknown. */
  readonly granted: boolean | null;
  /** A sentence for people. */
  readonly sentence: string;
}

/** Why a rule is granted, not granted or undetermined: every code of an explanation. */
export const EXPLANATIONS = {
  held_enough: { granted: true, sentence: 'The account holds as much as the rule asks for.' },
  below_minimum: { granted: false, sentence: 'The account holds less than the rule asks for.' },
  above_maximum: { granted: false, sentence: 'The account holds more than the rule allows.' },
  no_token_id: { granted: false, sentence: 'The account holds none of the tokens that `tokenId` names.' },
  listed: { granted: true, sentence: 'The list has the account.' },
  not_listed: { granted: false, sentence: 'The list does not have the account.' },
  value_equal: { granted: true, sentence: 'The contract returns what the rule asks for.' },
  value_different: {
    granted: false,
    sentence: 'The contract returns something else than the rule asks for.',
  },
  metadata_mismatch: {
    granted: false,
    sentence: 'The account holds tokens, but too few whose metadata matches the rule.',
  },
  no_amount_fits: {
    granted: false,
    sentence:
      "No amount lies between `minToken` and `maxToken` once both are rounded to the token's decimals.",
  },
  wrong_chain_family: {
    granted: false,
    sentence: "The account is an address of another chain family than the rule's chain.",
  },
  no_wallet: { granted: false, sentence: "The user has no wallet that counts on the rule's chain." },
  contract_of_other_chain: {
    granted: false,
    sentence:
      "The account names another chain and is a contract, so that it does not count on the rule's chain.",
  },
  no_contract_on_chain: {
    granted: false,
    sentence: "The collection has no contract on the rule's chain.",
  },
  read_failed: {
    granted: null,
    sentence: 'What the rule depends on did not answer. Asking again later may help.',
  },
  not_readable: {
    granted: null,
    sentence: 'What the rule names cannot be read as the rule says. Asking again does not help.',
  },
  rule_not_supported: {
    granted: null,
    sentence: 'The contract or this deployment does not support what the rule asks for.',
  },
  vaults_not_read: {
    granted: null,
    sentence:
      'The account itself does not hold enough, and too many delegations hide the vaults that may. Outside of communities a check may name them in `vaults`.',
  },
  too_much_to_read: {
    granted: null,
    sentence: 'The account holds more tokens than a rule of this kind can read.',
  },
} as const satisfies Readonly<Record<string, ExplanationMeaning>>;

export type ExplanationCode = keyof typeof EXPLANATIONS;

const codes = Object.keys(EXPLANATIONS) as [ExplanationCode, ...ExplanationCode[]];

const describeCodes = (): string =>
  Object.entries(EXPLANATIONS)
    .map(([code, { sentence }]) => `- \`${code}\`: ${sentence}`)
    .join('\n');

/** What the amounts of an explanation count. */
const explanationUnit = z
  .enum(['coin', 'token', 'nft', 'wallet', 'value'])
  .describe(
    'What the amounts count: coins of the chain, whole tokens, NFTs, wallets that own the Safe or are listed, or the value that a function returns.',
  );
export type ExplanationUnit = z.output<typeof explanationUnit>;

const HELD =
  "Decimal text in whole tokens. Only for the user's own wallets, an address that the caller named, and callers " +
  "who may list the user's wallets; absent where reading stopped before the whole amount was known. Of a CONTRACT_READ rule it is " +
  'what the function returns, which is not summed: `true`, `false`, an integer, an address or 32 bytes in hex.';

export const tokenGatingExplanation = z
  .object({
    rule: z
      .int()
      .describe('Index of the rule in the request, or of the entry in the rules of the community.'),
    path: z
      .string()
      .optional()
      .describe('The rule within an entry of several rules, such as `allOf.0` or `anyOf.1.not`.'),
    roleId: z.string(),
    granted: z
      .boolean()
      .nullable()
      .describe('Whether this rule alone is satisfied; null where it is unknown.'),
    code: z.enum(codes).describe(describeCodes()),
    blocks: z
      .array(z.object({ chainId: z.int(), number: z.int() }))
      .optional()
      .describe('The blocks, or slots of Solana, that the rule was read at, as far as nodes said them.'),
    min: z.string().describe('`minToken` of the rule.'),
    max: z.string().nullable().describe('`maxToken` of the rule; null where it has none.'),
    equals: z
      .string()
      .optional()
      .describe('`equals` of the rule, which decides in the place of `min` and `max`.'),
    held: z.string().optional().describe(`What all wallets hold together. ${HELD}`),
    unit: explanationUnit.optional(),
    wallets: z
      .array(
        z.object({
          account: z.string(),
          held: z.string().optional().describe(HELD),
          isVault: z
            .literal(true)
            .optional()
            .describe('The address is a vault that has delegated itself to the account.'),
        }),
      )
      .optional()
      .describe('The addresses that count for the rule. For the same callers as `held`.'),
  })
  .meta({
    id: 'TokenGatingExplanation',
    description: 'Why a rule is granted, not granted or undetermined (`Prefer: explain`).',
  });
export type TokenGatingExplanation = z.output<typeof tokenGatingExplanation>;
