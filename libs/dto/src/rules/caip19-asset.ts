import type { RuleFields } from './rule-fields.js';
import type { RuleTypeName } from './rule-types.js';

type AssetFields = Pick<RuleFields, 'type' | 'chainId' | 'contractAddress' | 'tokenId'>;

const CAIP_19 =
  /^([-a-z0-9]{3,8}):([-_a-zA-Z0-9]{1,32})\/([-a-z0-9]{3,8}):([-.%a-zA-Z0-9]{1,128})(?:\/([-.%a-zA-Z0-9]{1,78}))?$/;
const TYPES: Readonly<Record<string, RuleTypeName>> = {
  slip44: 'NATIVE',
  erc20: 'ERC20',
  erc721: 'ERC721',
  erc1155: 'ERC1155',
};

/** Converts a CAIP-19 asset id such as `eip155:1/erc721:0x…/771769` to rule fields, or returns an error message. */
export function parseCaip19Asset(asset: string): AssetFields | string {
  if (/^evm:|^solana:|\/gnosis:/.test(asset)) return 'of this kind is not supported yet';
  const [, namespace, chain = '', standard = '', reference, tokenId] = CAIP_19.exec(asset) ?? [];
  if (namespace === undefined) return 'must be a CAIP-19 asset id, such as eip155:1/erc721:0x…/771769';
  if (namespace !== 'eip155') return `is of the namespace ${namespace}, which is not supported`;
  if (!/^[1-9]\d{0,15}$/.test(chain)) return 'must name its chain by number, such as eip155:1/…';
  const type = Object.hasOwn(TYPES, standard) ? TYPES[standard] : undefined;
  if (!type) return `must be of ${Object.keys(TYPES).join(', ')}, not ${standard}`;
  if (tokenId !== undefined && (type === 'NATIVE' || type === 'ERC20'))
    return `must not name a token id of ${standard}`;
  if (tokenId !== undefined && !/^\d+$/.test(tokenId)) return 'must end in a token id of digits';
  // The SLIP-44 coin type is redundant: the chain determines its native coin.
  const contractAddress = type === 'NATIVE' ? undefined : reference;
  return { type, chainId: Number(chain), contractAddress, tokenId };
}

/** The first field whose value differs between the rule and its asset id, ignoring case. */
export function findConflictingField(fields: AssetFields, asset: AssetFields): string | undefined {
  const same = (a: unknown, b: unknown) => String(a).toLowerCase() === String(b).toLowerCase();
  const names = ['type', 'chainId', 'contractAddress', 'tokenId'] as const;
  return names.find(
    (name) => fields[name] !== undefined && asset[name] !== undefined && !same(fields[name], asset[name]),
  );
}
