import { findKnownChainName } from '@app/chain/explorers';
import { isSolanaChain } from '@app/dto';
import { findCollectionAt, findCollectionsByName, type KnownCollection } from './known-collections.js';
import { type ContractLink, parseContractLink } from './parse-contract-link.js';

/** A chain of the deployment. */
export interface ReadableChain {
  readonly chainId: number;
  readonly name: string;
  readonly nativeSymbol: string;
}

/** A contract, or a mint, on a chain of the deployment. */
export interface ContractTarget {
  readonly chainId: number;
  readonly address: string;
  readonly tokenId?: string | undefined;
}

/** What a pasted text leads to. */
export type ResolvedContract =
  | ({ readonly kind: 'target' } & ContractTarget)
  /** The text does not say the chain, and the deployment has several. */
  | { readonly kind: 'chain_required'; readonly chains: readonly ReadableChain[] }
  /** Several collections have this name. */
  | { readonly kind: 'collection_required'; readonly collections: readonly KnownCollection[] }
  | { readonly kind: 'open_sea'; readonly slug: string }
  /** A sentence for people. */
  | { readonly kind: 'problem'; readonly message: string };

interface ResolveOptions {
  readonly chains: readonly ReadableChain[];
  /** The chain that the person chose for an address without one. */
  readonly chosenChainId?: number | undefined;
  /** Collections that the deployment knows by name, beside well-known ones. */
  readonly ownCollections?: readonly KnownCollection[];
  /** Whether the deployment can ask OpenSea. */
  readonly offersOpenSea: boolean;
}

const PASTE_ADDRESS =
  'Paste the link of its page at an explorer or a marketplace, or the address of its contract.';

/** Finds the contract that a person means by what they pasted or typed. */
export function resolveContract(pasted: string, options: ResolveOptions): ResolvedContract {
  const link = parseContractLink(pasted);
  switch (link.kind) {
    case 'problem':
      return link;
    case 'name':
      return resolveName(link.name, options);
    case 'collection':
      return resolveSlug(link, options);
    case 'contract':
      return resolveAddress(link, options);
  }
}

const problem = (message: string): ResolvedContract => ({ kind: 'problem', message });

function resolveName(name: string, { chains, ownCollections }: ResolveOptions): ResolvedContract {
  if (/\.(?:eth|sol)$/i.test(name) && !name.includes(' '))
    return problem(`Names of wallets such as ${name} are not looked up. ${PASTE_ADDRESS}`);
  const found = findCollectionsByName(name, ownCollections);
  if (found.length === 0)
    return problem(`No token or collection called “${name}” is known by name here. ${PASTE_ADDRESS}`);
  return chooseCollection(found, chains);
}

function chooseCollection(
  found: readonly KnownCollection[],
  chains: readonly ReadableChain[],
): ResolvedContract {
  const readable = found.filter(({ chainId }) => chains.some((chain) => chain.chainId === chainId));
  const [first, second] = readable;
  if (first === undefined) return problem(explainUnreadable(found[0]?.chainId ?? 0, chains));
  if (second !== undefined) return { kind: 'collection_required', collections: readable };
  return { kind: 'target', chainId: first.chainId, address: first.address };
}

function resolveSlug(
  { site, slug }: Extract<ContractLink, { kind: 'collection' }>,
  { chains, ownCollections, offersOpenSea }: ResolveOptions,
): ResolvedContract {
  const found = findCollectionsByName(slug, ownCollections);
  if (found.length > 0) return chooseCollection(found, chains);
  if (site === 'OpenSea' && offersOpenSea) return { kind: 'open_sea', slug };
  return problem(
    `This link of ${site} names a collection, but not its contract. Open one of its items there and paste that link, or paste the ` +
      'address of the contract.',
  );
}

function resolveAddress(
  { family, chainId, address, tokenId }: Extract<ContractLink, { kind: 'contract' }>,
  { chains, chosenChainId, ownCollections }: ResolveOptions,
): ResolvedContract {
  if (chainId !== undefined)
    return chains.some((chain) => chain.chainId === chainId)
      ? { kind: 'target', chainId, address, tokenId }
      : problem(explainUnreadable(chainId, chains));
  const possible = chains.filter((chain) => isSolanaChain(chain.chainId) === (family === 'solana'));
  const known = possible.filter((chain) => findCollectionAt(chain.chainId, address, ownCollections));
  const chosen = possible.find((chain) => chain.chainId === chosenChainId);
  const [only, other] = chosen ? [chosen] : known.length === 1 ? known : possible;
  if (only === undefined)
    return problem(
      family === 'solana'
        ? 'This is an address of Solana, which this service does not read.'
        : 'This is an address of an Ethereum chain, and this service reads none.',
    );
  if (other !== undefined) return { kind: 'chain_required', chains: possible };
  return { kind: 'target', chainId: only.chainId, address, tokenId };
}

const MAX_NAMED_CHAINS = 6;

function explainUnreadable(chainId: number, chains: readonly ReadableChain[]): string {
  const name = isSolanaChain(chainId)
    ? 'this cluster of Solana'
    : (findKnownChainName(chainId) ?? `chain ${chainId}`);
  const names = chains.map((chain) => chain.name);
  const shown =
    names.length > MAX_NAMED_CHAINS
      ? `${names.slice(0, MAX_NAMED_CHAINS).join(', ')} and ${names.length - MAX_NAMED_CHAINS} more`
      : names.join(', ');
  const reads = names.length === 0 ? 'It reads no chain.' : `It reads ${shown}.`;
  return `This is on ${name}, which this service does not read. ${reads}`;
}
