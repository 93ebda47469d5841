import {
  account,
  EXAMPLES,
  MAX_PUBLISHED_RULES,
  parseAccount,
  publishedRuleList,
  publishedRuleName,
} from '@app/dto';
import { z } from 'zod';
import { keepOriginal } from '../checks/keep-original.js';

const isDistinct = (names: readonly string[]): boolean => new Set(names).size === names.length;

export const publishingClientParams = z.object({
  clientId: z.string().min(1).max(64).meta({ example: EXAMPLES.clientId }),
});
export type PublishingClientParams = z.output<typeof publishingClientParams>;

const publishedRules = z
  .strictObject({
    rules: publishedRuleList,
  })
  .meta({
    id: 'PublishedRules',
    description: `All rules that browsers may have checked by name, at most ${MAX_PUBLISHED_RULES}. An empty list publishes none.`,
    example: {
      rules: [
        {
          name: 'holders',
          rule: {
            type: 'ERC721',
            chainId: EXAMPLES.chainId,
            contractAddress: EXAMPLES.erc721,
            minToken: '1',
            roleId: 'holder',
          },
        },
      ],
    },
  });

/** Rules are stored as received. */
export const publishedRulesBody = keepOriginal(publishedRules);
export type PublishedRulesBody = z.output<typeof publishedRulesBody>;

export const writtenPublishedRules = z
  .object({ rules: z.array(z.object({ name: z.string(), rule: z.record(z.string(), z.unknown()) })) })
  .meta({ id: 'WrittenPublishedRules' });
export type WrittenPublishedRules = z.output<typeof writtenPublishedRules>;

const isPlainAddress = (text: string): boolean => {
  const parsed = parseAccount(text);
  if (typeof parsed === 'string' || parsed.family === 'user') return typeof parsed === 'string';
  return parsed.family === 'solana' ? parsed.address === text : parsed.chainId === undefined;
};

export const publishedRulesCheck = z
  .strictObject({
    // An invalid account gets the message of `account` alone.
    account: z
      .string()
      .refine(isPlainAddress, 'must be a plain EVM or Solana address')
      .pipe(account)
      .describe('A plain EVM or Solana address. It counts on every chain of its family.'),
    rules: z
      .array(publishedRuleName)
      .min(1, 'must name at least one rule')
      .max(MAX_PUBLISHED_RULES, `must name at most ${MAX_PUBLISHED_RULES} rules`)
      .refine(isDistinct, 'must not name a rule twice')
      .describe('Names of published rules of the application.'),
  })
  .meta({
    id: 'PublishedRulesCheck',
    description: 'Which roles do these published rules grant to this account?',
    example: { account: EXAMPLES.holder, rules: ['holders'] },
  });
export type PublishedRulesCheck = z.output<typeof publishedRulesCheck>;
