import type { RuleFields } from './rule-fields.js';
import type { RuleTypeName } from './rule-types.js';
import { isSolanaAddress, findSolanaChainId } from './solana.js';

type AssetFields = Pick<RuleFields, 'type' | 'chainId' | 'contractAddress' | 'tokenId'>;

const CAIP_19 =
  /^([-a-z0-9]{3,8}):([-_a-zA-Z0-9]{1,32})\/([-a-z0-9]{3,8}):([-.%a-zA-Z0-9]{1,128})(?:\/([-.%a-zA-Z0-9]{1,78}))?$/;
/** Rule types by namespace of the chain and of the asset. */
const TYPES: Readonly<Record<string, Readonly<Record<string, RuleTypeName>>>> = {
  eip155: { slip44: 'NATIVE', erc20: 'ERC20', erc721: 'ERC721', erc1155: 'ERC1155', safe: 'gnosis' },
  /** The dialect of earlier clients (contract.md section 8). */
  evm: { gnosis: 'gnosis' },
  solana: { slip44: 'NATIVE', token: 'SOLANA_FT', nft: 'SOLANA_NFT' },
};
const WITHOUT_TOKEN_ID: readonly RuleTypeName[] = ['NATIVE', 'ERC20', 'SOLANA_FT', 'SOLANA_NFT', 'gnosis'];
/** Types whose addresses differ in the case of letters. */
const CASE_SENSITIVE: readonly unknown[] = ['SOLANA_FT', 'SOLANA_NFT'];

/** Converts an asset id such as `eip155:1/erc721:0x…/771769` to rule fields, or returns an error message. */
export function parseCaip19Asset(asset: string): AssetFields | string {
  const [, namespace, chain = '', standard = '', reference = '', tokenId] = CAIP_19.exec(asset) ?? [];
  if (namespace === undefined) return 'must be a CAIP-19 asset id, such as eip155:1/erc721:0x…/771769';
  const types = Object.hasOwn(TYPES, namespace) ? TYPES[namespace] : undefined;
  if (!types) return `is of the namespace ${namespace}, which is not supported`;
  const chainId = parseChainId(namespace, chain);
  if (typeof chainId === 'string') return chainId;
  const type = Object.hasOwn(types, standard) ? types[standard] : undefined;
  if (!type) return `must be of ${Object.keys(types).join(', ')}, not ${standard}`;
  if (tokenId !== undefined && WITHOUT_TOKEN_ID.includes(type))
    return `must not name a token id of ${standard}`;
  if (tokenId !== undefined && !/^\d+$/.test(tokenId)) return 'must end in a token id of digits';
  if (type === 'SOLANA_NFT' && !isSolanaAddress(reference))
    return 'must name a mint, 32 bytes in base58, after nft:';
  if (type === 'SOLANA_NFT') return { type, chainId, contractAddress: 'mint', tokenId: reference };
  // The SLIP-44 coin type is redundant: the chain determines its native coin.
  const contractAddress = type === 'NATIVE' ? undefined : reference;
  return { type, chainId, contractAddress, tokenId };
}

/** @returns the chain id of a CAIP-2 reference, or an error message */
function parseChainId(namespace: string, reference: string): number | string {
  if (namespace === 'solana')
    return (
      findSolanaChainId(reference) ??
      'must name a Solana cluster, such as solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp/…'
    );
  return /^[1-9]\d{0,15}$/.test(reference)
    ? Number(reference)
    : 'must name its chain by number, such as eip155:1/…';
}

/** The first field whose value differs between the rule and its asset id, ignoring case except in Solana addresses. */
export function findConflictingField(fields: AssetFields, asset: AssetFields): string | undefined {
  const fold = (value: unknown) =>
    CASE_SENSITIVE.includes(asset.type) ? String(value) : String(value).toLowerCase();
  const same = (a: unknown, b: unknown) => fold(a) === fold(b);
  const names = ['type', 'chainId', 'contractAddress', 'tokenId'] as const;
  return names.find(
    (name) => fields[name] !== undefined && asset[name] !== undefined && !same(fields[name], asset[name]),
  );
}
