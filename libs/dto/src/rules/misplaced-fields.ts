import type { RuleFields } from './rule-fields.js';
import type { RuleTypeName } from './rule-types.js';

const TYPES_WITH_TOKEN_ID: readonly RuleTypeName[] = ['ERC721', 'ERC1155', 'SOLANA_NFT'];
const TYPES_WITH_EVENT_ID: readonly RuleTypeName[] = ['POAP'];

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
export function findMisplacedField(fields: RuleFields): MisplacedField | undefined {
  const { type, contractAddress, eventId, tokenId, query, variables, requiresMetadata } = fields;
  if (type === undefined) return undefined;
  if (eventId !== undefined && !TYPES_WITH_EVENT_ID.includes(type)) return notReadBy(type, 'eventId');
  if (tokenId !== undefined && !TYPES_WITH_TOKEN_ID.includes(type)) return notReadBy(type, 'tokenId');
  if (type === 'NATIVE' && contractAddress !== undefined && !isNativeCoin(contractAddress))
    return notReadBy(type, 'contractAddress');
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
