import { z } from 'zod';
import { ruleFields } from './rule-fields.js';
import { SOLANA_CLUSTERS } from './solana.js';
import { RULE_TYPES, type RuleTypeName } from './rule-types.js';
import { getRuleSchema } from './token-gating-rule.js';

/** What people hold who fit a rule of the type, in words for those who make rules. */
const SUMMARIES: Readonly<Record<RuleTypeName, string>> = {
  NATIVE: 'Coins of a chain, such as ETH or SOL',
  ERC20: 'Fungible tokens of a contract',
  ERC721: 'NFTs of a contract: any, some ids, or those whose metadata fits',
  ERC1155: 'Tokens of a contract that has several kinds, by their ids',
  SOLANA_FT: 'Fungible tokens of a mint on Solana',
  SOLANA_NFT: 'NFTs on Solana, by their creators, collections or mints',
  gnosis: 'Owners of a Safe',
  staking: 'Tokens that are staked in a contract',
  OPEN_SEA: 'Items of a collection, as OpenSea lists them',
  POAP: 'POAPs of an event',
  ALLOWLIST: 'Accounts of a list',
  CONTRACT_READ: 'What a function of a contract returns for an account',
};

export const chainFamily = z.enum(['evm', 'solana']);
export type ChainFamily = z.output<typeof chainFamily>;

export const ruleTypeField = z
  .object({
    name: z.string(),
    required: z.boolean(),
    type: z.enum(['string', 'integer', 'boolean', 'object', 'array']),
    values: z.array(z.string()).optional().describe('The only values; any when absent.'),
    description: z.string(),
  })
  .meta({ id: 'RuleTypeField', description: 'A field that rules of the type read.' });
type RuleTypeField = z.output<typeof ruleTypeField>;

/** A rule type for those who make rules. */
export interface RuleTypeDescription {
  readonly type: RuleTypeName;
  readonly summary: string;
  /** The families of chains that rules of the type may be about; empty where a rule names no chain. */
  readonly families: ChainFamily[];
  readonly fields: RuleTypeField[];
}

/** Every rule type with the fields that it reads: those of its schema, in the words of the schema of all rules. */
export const listRuleTypes = (): RuleTypeDescription[] =>
  RULE_TYPES.map((type) => ({
    type,
    summary: SUMMARIES[type],
    families: listFamilies(type),
    fields: listFields(type),
  }));

/** A chain of each family. */
const CHAINS: Readonly<Record<ChainFamily, number>> = { evm: 1, solana: SOLANA_CLUSTERS[0].id };

function listFamilies(type: RuleTypeName): ChainFamily[] {
  const { chainId } = getRuleSchema(type).shape;
  return chainFamily.options.filter(
    (family) => chainId && (chainId as z.ZodType).safeParse(CHAINS[family]).success,
  );
}

/** Fields that a parsed rule has, and that mean nothing to its type. */
const UNREAD_FIELDS: Readonly<Partial<Record<RuleTypeName, readonly string[]>>> = {
  gnosis: ['minToken', 'maxToken'],
  ALLOWLIST: ['chainId', 'minToken', 'maxToken'],
};

const READ_WITH_QUERY = 'query';

function listFields(type: RuleTypeName): RuleTypeField[] {
  const { shape } = getRuleSchema(type);
  const unread = ['type', ...(UNREAD_FIELDS[type] ?? [])];
  const names = Object.keys(shape).filter((name) => !unread.includes(name));
  // A submitted rule says that metadata counts; a parsed one says so by its query.
  if (READ_WITH_QUERY in shape) names.push('requiresMetadata');
  return names.map((name) => describeField(name, shape[name] as z.ZodType | undefined));
}

function describeField(name: string, schema: z.ZodType | undefined): RuleTypeField {
  const submitted = ruleFields.shape[name as keyof typeof ruleFields.shape];
  const { type } = z.toJSONSchema(submitted, { io: 'input' });
  const values = schema && z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }).enum;
  return {
    name,
    required: schema !== undefined && !schema.safeParse(undefined).success,
    type: ruleTypeField.shape.type.parse(type),
    ...(values ? { values: values.map(String) } : {}),
    description: submitted.description ?? '',
  };
}
