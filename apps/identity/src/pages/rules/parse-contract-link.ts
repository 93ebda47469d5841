import { findExplorerChain } from '@app/chain/explorers';
import {
  findAddressProblem,
  findSolanaChainId,
  isSolanaAddress,
  isSolanaChain,
  parseCaip19Asset,
  toChecksumAddress,
} from '@app/dto';
import {
  type ContractLinkSite,
  findChainByName,
  findCluster,
  findLinkSite,
  isSolanaExplorer,
} from './contract-link-sites.js';

/** What a pasted text names. */
export type ContractLink =
  | {
      readonly kind: 'contract';
      readonly family: 'evm' | 'solana';
      /** Absent where the text does not say it. */
      readonly chainId?: number;
      /** With its checksum, or a mint of Solana. */
      readonly address: string;
      /** Decimal digits. */
      readonly tokenId?: string;
    }
  /** The page of a collection, whose address names neither its contract nor its chain. */
  | { readonly kind: 'collection'; readonly site: string; readonly slug: string }
  /** What people call it, because the text is no link and no address. */
  | { readonly kind: 'name'; readonly name: string }
  /** A sentence for people. */
  | { readonly kind: 'problem'; readonly message: string };

/** Longer texts are no links; the longest known ones have some 300 characters. */
export const MAX_LINK_LENGTH = 2_048;

const MAX_TOKEN_ID = (1n << 256n) - 1n;
/** A name that a person types, with room for the long ones. */
const MAX_NAME_LENGTH = 100;

const HEX_ADDRESS = /^0x[0-9a-f]{40}$/i;
const HEX_HASH = /^0x[0-9a-f]{64}$/i;
const SOLANA_SIGNATURE = /^[1-9A-HJ-NP-Za-km-z]{80,90}$/;
const COLLECTION_NAME = /^[A-Za-z0-9_.-]{1,128}$/;
/** CAIP-2, or one of the short names before the address of an account (`base:0x…`). */
const CHAIN_AND_REST = /^([-a-z0-9]{2,20}):(.+)$/i;
/** A link, also of one whose scheme the person left out. */
const HOST = /^(?:[a-z0-9-]+\.)+[a-z]{2,}(?:[/?#]|$)/i;
/** Names of wallets look like hosts. */
const WALLET_NAME = /^[^/?#]+\.(?:eth|sol)$/i;
const SCHEME = /^[a-z][a-z0-9+.-]*:/i;

const TRANSACTION =
  'This is a transaction, not a contract. Open the token or the collection in the explorer, and paste the link of that page.';

const refuse = (message: string): ContractLink => ({ kind: 'problem', message });

/**
 * Reads what a person pasted: an address, a CAIP-10 or CAIP-19 id, a link of an explorer or a marketplace, or a name. Nothing is
 * loaded: a link is only read. Links that show one thing and mean another (user names before the host, other alphabets) are refused.
 */
export function parseContractLink(pasted: string): ContractLink {
  const text = pasted.trim();
  if (text === '') return refuse('Paste a link or an address, or type a name.');
  if (text.length > MAX_LINK_LENGTH)
    return refuse('This text is too long for a link. Paste the link of one token or collection.');
  if (/[\p{C}\p{Zl}\p{Zp}]/u.test(text))
    return refuse('This text has line breaks or characters that cannot be seen. Paste one link alone.');
  if (/^https?:/i.test(text)) return parseUrl(text);
  const address = parseAddress(text);
  if (address) return address;
  if (/^ipfs:|^data:|^javascript:|^file:|^blob:|^about:/i.test(text) || text.includes('://'))
    return refuse('Only https links are read here. Paste the link from the address bar of your browser.');
  if (HOST.test(text) && !WALLET_NAME.test(text)) return parseUrl(`https://${text}`);
  const prefixed = parseChainPrefix(text);
  if (prefixed) return prefixed;
  if (SCHEME.test(text) && !text.includes(' '))
    return refuse('This is neither a link nor an address that this page can read.');
  return text.length > MAX_NAME_LENGTH
    ? refuse('This is neither a link nor an address, and too long for a name.')
    : { kind: 'name', name: text };
}

/** @returns undefined for what does not look like an address */
function parseAddress(text: string, chainId?: number): ContractLink | undefined {
  const chain = chainId === undefined ? {} : { chainId };
  if (/^0x[0-9a-f]{1,29}$/i.test(text))
    return refuse(
      'This address is incomplete. An address of a contract is 0x and 40 letters or digits: copy it again as a whole.',
    );
  if (HEX_HASH.test(text) || SOLANA_SIGNATURE.test(text)) return refuse(TRANSACTION);
  if (/^(?:0x)?[0-9a-f]{30,}$/i.test(text) && !isSolanaAddress(text)) {
    if (!HEX_ADDRESS.test(text))
      return refuse('An address of a contract is 0x and 40 letters or digits. Copy it again as a whole.');
    if (findAddressProblem(text, chainId === undefined ? [] : [chainId]) !== undefined)
      return refuse('A letter of this address is mistyped: its capital letters do not fit. Copy it again.');
    return { kind: 'contract', family: 'evm', address: toChecksumAddress(text), ...chain };
  }
  return isSolanaAddress(text) ? { kind: 'contract', family: 'solana', address: text, ...chain } : undefined;
}

/** CAIP-10, CAIP-19 and short names of chains before an address. */
function parseChainPrefix(text: string): ContractLink | undefined {
  const [, prefix = '', rest = ''] = CHAIN_AND_REST.exec(text) ?? [];
  const namespace = prefix.toLowerCase();
  if (namespace === 'eip155' || namespace === 'solana') return parseCaip(text.trim());
  const chainId = findChainByName(namespace);
  return chainId === undefined ? undefined : toContract(rest, chainId);
}

function parseCaip(text: string): ContractLink {
  if (text.includes('/')) {
    const asset = parseCaip19Asset(text);
    if (typeof asset === 'string') return refuse(`This asset id ${asset}.`);
    const { chainId, contractAddress = '', tokenId } = asset;
    // A mint stands where token ids of EVM chains do.
    const address = asset.type === 'SOLANA_NFT' ? (tokenId ?? '') : contractAddress;
    const id = asset.type === 'SOLANA_NFT' ? undefined : tokenId;
    return toContract(address, chainId, id);
  }
  const [namespace, reference = '', address = ''] = text.split(':');
  const chainId =
    namespace === 'solana'
      ? findSolanaChainId(reference)
      : /^[1-9]\d{0,14}$/.test(reference)
        ? Number(reference)
        : undefined;
  if (chainId === undefined) return refuse('This id names a chain that does not exist.');
  return toContract(address, chainId);
}

/** The contract at an address of a known chain, or a sentence why there is none. */
function toContract(text: string, chainId: number | undefined, tokenId?: string): ContractLink {
  const parsed = parseAddress(text, chainId);
  if (parsed?.kind !== 'contract')
    return parsed ?? refuse('No address of a contract was found in this text.');
  if (chainId !== undefined && isSolanaChain(chainId) !== (parsed.family === 'solana'))
    return refuse('The address belongs to another kind of chain than the one that this text names.');
  return tokenId === undefined || !isTokenId(tokenId) ? parsed : { ...parsed, tokenId: trimZeros(tokenId) };
}

const isTokenId = (text: string): boolean => /^\d{1,78}$/.test(text) && BigInt(text) <= MAX_TOKEN_ID;

const trimZeros = (digits: string): string => BigInt(digits).toString();

function parseUrl(text: string): ContractLink {
  if (!URL.canParse(text)) return refuse('This link is broken. Copy it again from the address bar.');
  const url = new URL(text);
  const host = url.hostname.toLowerCase();
  if (host === 'localhost' || /^[\d.]+$|^\[/.test(host)) return refuse(OWN_PAGE);
  if (url.username !== '' || url.password !== '' || url.port !== '')
    return refuse('This link hides where it leads. Paste the link from the address bar of your browser.');
  if (host.includes('xn--') || !/[a-z]$/.test(host))
    return refuse('This link leads to a site with an unusual address. Check that it is the site you mean.');
  const segments = listSegments(url.pathname);
  if (!segments) return refuse('This link is broken. Copy it again from the address bar.');
  if (segments.some((segment) => HEX_HASH.test(segment)) || /^(?:tx|block|blocks)$/.test(segments[0] ?? ''))
    return refuse(TRANSACTION);
  if (isSolanaExplorer(host)) return parseSolanaExplorer(url, segments);
  const site = findLinkSite(host);
  if (site) return parseSite(site, segments);
  // An explorer that nobody has told us of: the person says which chain it shows.
  return findContractIn(segments, findExplorerChain(host), url) ?? refuse(NO_CONTRACT);
}

const OWN_PAGE =
  'This is a page of a machine, such as one of this service, and shows no contract that can be read here. Paste the address of the contract.';

const NO_CONTRACT =
  'This link names no contract. Open the token or the collection itself, and paste the link of that page or the address of its contract.';

/** The decoded segments of a path; undefined where they cannot be decoded. */
function listSegments(pathname: string): string[] | undefined {
  try {
    return pathname
      .split('/')
      .filter((segment) => segment !== '')
      .map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

function parseSolanaExplorer({ searchParams }: URL, segments: readonly string[]): ContractLink {
  const chainId = findCluster(searchParams.get('cluster'));
  if (chainId === undefined) return refuse('This link is about a cluster of Solana of somebody’s own.');
  const address = segments.find(isSolanaAddress);
  if (address !== undefined) return { kind: 'contract', family: 'solana', chainId, address };
  return refuse(segments.some((segment) => SOLANA_SIGNATURE.test(segment)) ? TRANSACTION : NO_CONTRACT);
}

/** Explorers: `/token/0x…?a=1`, `/nft/0x…/1`, `/token/0x…/instance/1`. */
function findContractIn(
  segments: readonly string[],
  chainId: number | undefined,
  url?: URL,
): ContractLink | undefined {
  const index = segments.findIndex((segment) => /^0x[0-9a-f]{30,}$/i.test(segment));
  const address = segments[index];
  if (address === undefined) return undefined;
  const [next, afterNext] = segments.slice(index + 1);
  const tokenId = next === 'instance' || next === 'inventory' ? afterNext : next;
  return toContract(address, chainId, tokenId ?? url?.searchParams.get('a') ?? undefined);
}

/** Marketplaces: the chain, the address and the token stand in the path, in orders and forms of their own. */
function parseSite(site: ContractLinkSite, segments: readonly string[]): ContractLink {
  // Rarible: 0x…:1 or base:0x…:1; Zora: base:0x…/1.
  const parts = segments.flatMap((segment) => segment.split(':'));
  const named = parts.map((part) => findChainByName(part)).find((id) => id !== undefined);
  const chainId = named ?? site.chainId;
  const contract = findContractIn(parts, chainId);
  if (contract) return contract;
  const mint = parts.find(isSolanaAddress);
  if (mint !== undefined)
    return toContract(mint, chainId !== undefined && isSolanaChain(chainId) ? chainId : findCluster(null));
  const at = segments.findIndex((segment) => site.collections?.includes(segment));
  const slug =
    at < 0 ? undefined : segments.slice(at + 1).findLast((segment) => COLLECTION_NAME.test(segment));
  const first = at < 0 ? undefined : segments[at + 1];
  const collection = first !== undefined && findChainByName(first) === undefined ? first : slug;
  return collection !== undefined && COLLECTION_NAME.test(collection)
    ? { kind: 'collection', site: site.name, slug: collection }
    : refuse(NO_CONTRACT);
}
