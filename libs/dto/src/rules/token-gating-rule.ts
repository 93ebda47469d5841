import { type RuleFields, removeEmptyFields, ruleFields } from './rule-fields.js';
import { type RuleTypeName, RULE_TYPES } from './rule-types.js';
import { z } from 'zod';
import { acceptValidInput } from '../accept-valid-input.js';
import { findConflictingField, parseCaip19Asset } from './caip19-asset.js';
import { findAddressProblem } from './evm-address.js';
import { allowlistRule } from './allowlist-rule.js';
import { contractReadRule } from './contract-read-rule.js';
import { findDelegationProblem } from './delegation-fields.js';
import { erc1155Rule } from './erc1155-rule.js';
import { erc20Rule } from './erc20-rule.js';
import { erc721Rule } from './erc721-rule.js';
import { resolveMetadataFields } from './metadata-condition.js';
import { nativeRule } from './native-rule.js';
import { openSeaRule } from './open-sea-rule.js';
import { poapRule } from './poap-rule.js';
import { safeRule } from './safe-rule.js';
import { solanaFtRule } from './solana-ft-rule.js';
import { solanaNftRule } from './solana-nft-rule.js';
import { stakingRule } from './staking-rule.js';

const TYPES_WITH_TOKEN_ID: readonly RuleTypeName[] = ['ERC721', 'ERC1155', 'SOLANA_NFT'];
const TYPES_WITH_EVENT_ID: readonly RuleTypeName[] = ['POAP'];

/** Fields that would restrict a list of accounts, which has neither a chain nor amounts. */
const NOT_OF_ALLOWLISTS = ['chainId', 'contractAddress', 'minToken', 'maxToken'] as const;

/** Fields of rules about functions. */
const OF_CONTRACT_READS = ['function', 'arguments', 'equals', 'decimals'] as const;

/** Addresses that stand for the native coin, in lower case. */
const NATIVE_COIN_ADDRESSES: readonly string[] = [`0x${'0'.repeat(40)}`, `0x${'e'.repeat(40)}`];

interface MisplacedField {
  readonly field: keyof RuleFields;
  readonly message: string;
}

/**
 * The first field that the type of the rule would ignore although it looks like a restriction: the rule would grant more than
 * its author means (contract.md section 8). Undefined while the type is unknown.
 */
function findMisplacedField(fields: RuleFields): MisplacedField | undefined {
  const { type, contractAddress, eventId, tokenId, query, variables, requiresMetadata } = fields;
  if (type === undefined) return undefined;
  if (type === 'ALLOWLIST') {
    const field = NOT_OF_ALLOWLISTS.find((name) => fields[name] !== undefined);
    if (field !== undefined) return notReadBy(type, field);
  } else if (fields.accounts !== undefined) return notReadBy(type, 'accounts');
  if (type !== 'CONTRACT_READ') {
    const field = OF_CONTRACT_READS.find((name) => fields[name] !== undefined);
    if (field !== undefined) return notReadBy(type, field);
  } else if (fields.equals !== undefined) {
    const field = (['minToken', 'maxToken'] as const).find((name) => fields[name] !== undefined);
    if (field !== undefined) return { field, message: 'is not read beside equals: leave one of them out' };
  }
  if (eventId !== undefined && !TYPES_WITH_EVENT_ID.includes(type)) return notReadBy(type, 'eventId');
  if (tokenId !== undefined && !TYPES_WITH_TOKEN_ID.includes(type)) return notReadBy(type, 'tokenId');
  if (type === 'NATIVE' && contractAddress !== undefined && !isNativeCoin(contractAddress))
    return notReadBy(type, 'contractAddress');
  const problem = findDelegationProblem(fields);
  if (problem) return problem;
  if (requiresMetadata === true) return undefined;
  if (query !== undefined) return withoutMetadata('query');
  if (Object.keys(variables ?? {}).length > 0) return withoutMetadata('variables');
  return undefined;
}

const isNativeCoin = (address: string): boolean => NATIVE_COIN_ADDRESSES.includes(address.toLowerCase());

const notReadBy = (type: RuleTypeName, field: keyof RuleFields): MisplacedField => ({
  field,
  message: `is not a restriction of ${type} rules: leave it out`,
});

const withoutMetadata = (field: keyof RuleFields): MisplacedField => ({
  field,
  message: 'has no effect without requiresMetadata: true',
});

const typedRule = z.discriminatedUnion(
  'type',
  [
    nativeRule,
    erc20Rule,
    erc721Rule,
    erc1155Rule,
    solanaFtRule,
    solanaNftRule,
    safeRule,
    stakingRule,
    openSeaRule,
    poapRule,
    allowlistRule,
    contractReadRule,
  ],
  {
    error: `is required: one of ${RULE_TYPES.join(', ')}, or an asset that says it`,
  },
);

/** The schema of a rule of the type, after what every rule goes through. */
export function getRuleSchema(type: RuleTypeName): z.ZodObject {
  const schema = typedRule.options.find(({ shape }) => shape.type.value === type);
  if (!schema) throw new Error(`The rule type ${type} has no schema`);
  return schema;
}

const resolvedFields = z
  .preprocess(removeEmptyFields, ruleFields)
  .transform(resolveAsset)
  .transform(acceptChainChecksum);

/** Parses a submitted rule as one of the rule types. Rejects fields that its type would ignore. */
export const tokenGatingRule = acceptValidInput(
  resolvedFields.transform(rejectMisplacedField).transform(resolveMetadataFields).pipe(typedRule),
);
export type TokenGatingRule = z.output<typeof tokenGatingRule>;

/** Parses a stored rule. Ignores misplaced fields, because earlier releases accepted and ignored them. */
export const storedTokenGatingRule = acceptValidInput(
  resolvedFields.transform(forgetChecksums).transform(resolveMetadataFields).pipe(typedRule),
);

/** Checksums of a list were verified when it was stored: hashing a thousand addresses again takes 7 ms. */
function forgetChecksums(fields: RuleFields): RuleFields {
  if (fields.accounts === undefined) return fields;
  return {
    ...fields,
    accounts: fields.accounts.map((text) => (/^(0x|eip155:)/i.test(text) ? text.toLowerCase() : text)),
  };
}

/** Takes absent fields from `scheme` and `asset`; present fields must agree with them. */
function resolveAsset(submitted: RuleFields, context: z.RefinementCtx): RuleFields {
  const reject = (path: keyof RuleFields, message: string) => {
    context.addIssue({ code: 'custom', path: [path], message });
    return z.NEVER;
  };
  // Nothing to resolve, as in most rules.
  if (submitted.type !== undefined && submitted.scheme === undefined && submitted.asset === undefined)
    return submitted;
  const fields = { ...submitted, type: submitted.type ?? submitted.scheme };
  if (fields.scheme !== undefined && fields.scheme !== fields.type)
    return reject('scheme', `does not agree with type ${fields.type}`);
  if (fields.asset === undefined) return fields;
  const asset = parseCaip19Asset(fields.asset);
  if (typeof asset === 'string') return reject('asset', asset);
  const conflicting = findConflictingField(fields, asset);
  if (conflicting !== undefined) return reject('asset', `does not agree with ${conflicting}`);
  const { type, chainId, contractAddress = fields.contractAddress, tokenId = fields.tokenId } = asset;
  return { ...fields, type, chainId, contractAddress, tokenId };
}

/**
 * Replaces an address whose checksum is that of the rule's own chain (EIP-1191): the schemas of the types know that of ERC-55
 * alone, and bring what it accepts into lower case themselves.
 */
function acceptChainChecksum(fields: RuleFields): RuleFields {
  const { chainId, contractAddress } = fields;
  if (chainId === undefined || contractAddress === undefined || !contractAddress.startsWith('0x'))
    return fields;
  if (findAddressProblem(contractAddress) === undefined) return fields;
  if (findAddressProblem(contractAddress, [chainId]) !== undefined) return fields;
  return { ...fields, contractAddress: contractAddress.toLowerCase() };
}

function rejectMisplacedField(fields: RuleFields, context: z.RefinementCtx): RuleFields {
  const misplaced = findMisplacedField(fields);
  if (!misplaced) return fields;
  context.addIssue({ code: 'custom', path: [misplaced.field], message: misplaced.message });
  return z.NEVER;
}
