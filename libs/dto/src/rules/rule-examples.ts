import { EXAMPLES } from '../examples.js';
import type { RuleTypeName } from './rule-types.js';

interface RuleExample {
  readonly summary: string;
  /** The account whose assets the rule is about; the holder of the local profile unless set. */
  readonly account?: string;
  readonly rule: Readonly<Record<string, unknown>>;
}

const { chainId, solanaChainId } = EXAMPLES;

/** A rule of each type that the local profile grants, and a tree of rules. */
const RULE_EXAMPLES: Readonly<Record<RuleTypeName | 'metadata' | 'delegations' | 'tree', RuleExample>> = {
  NATIVE: { summary: 'Coins of the chain', rule: { type: 'NATIVE', chainId, minToken: '0.5' } },
  ERC20: {
    summary: 'Fungible tokens',
    rule: { type: 'ERC20', chainId, contractAddress: EXAMPLES.erc20, minToken: '100' },
  },
  ERC721: {
    summary: 'An NFT',
    rule: { type: 'ERC721', chainId, contractAddress: EXAMPLES.erc721, tokenId: '42' },
  },
  ERC1155: {
    summary: 'Five tokens of an id',
    rule: { type: 'ERC1155', chainId, contractAddress: EXAMPLES.erc1155, tokenId: '7', minToken: '5' },
  },
  delegations: {
    summary: 'Tokens of a vault that has delegated itself to the account',
    account: EXAMPLES.outsider,
    rule: {
      ...{ type: 'ERC20', chainId, contractAddress: EXAMPLES.erc20, minToken: '100' },
      delegations: 'delegate.xyz',
    },
  },
  metadata: {
    summary: 'NFTs by their metadata',
    rule: {
      ...{ type: 'ERC721', chainId, contractAddress: EXAMPLES.hats, minToken: '2', requiresMetadata: true },
      ...{ query: "attributes[trait_type = 'Hat'].value = $hat", variables: { hat: 'red' } },
    },
  },
  SOLANA_FT: {
    summary: 'Fungible tokens on Solana',
    account: EXAMPLES.solanaHolder,
    rule: {
      type: 'SOLANA_FT',
      chainId: solanaChainId,
      contractAddress: EXAMPLES.solanaMint,
      minToken: '100',
    },
  },
  SOLANA_NFT: {
    summary: 'NFTs of a verified collection on Solana',
    account: EXAMPLES.solanaHolder,
    rule: {
      ...{ type: 'SOLANA_NFT', chainId: solanaChainId, contractAddress: 'collection' },
      ...{ tokenId: EXAMPLES.solanaCollection, minToken: '3' },
    },
  },
  gnosis: {
    summary: 'An owner of a Safe',
    rule: { type: 'gnosis', chainId, contractAddress: EXAMPLES.safe },
  },
  staking: {
    summary: 'Staked tokens',
    rule: {
      ...{ type: 'staking', chainId, contractAddress: EXAMPLES.erc900 },
      ...{ collectionName: 'erc900', minToken: '250' },
    },
  },
  OPEN_SEA: {
    summary: 'Items of a collection at OpenSea',
    rule: { type: 'OPEN_SEA', collectionName: EXAMPLES.openSeaCollection, minToken: '3' },
  },
  ALLOWLIST: {
    summary: 'Accounts of a list',
    rule: { type: 'ALLOWLIST', accounts: [EXAMPLES.holder, `eip155:${chainId}:${EXAMPLES.erc721}`] },
  },
  CONTRACT_READ: {
    summary: 'A membership that has not expired, by a function of its contract',
    rule: {
      ...{ type: 'CONTRACT_READ', chainId, contractAddress: EXAMPLES.membership, equals: 'true' },
      ...{ function: 'function getHasValidKey(address) view returns (bool)', arguments: ['$account'] },
    },
  },
  POAP: { summary: 'A POAP of an event', rule: { type: 'POAP', chainId, eventId: EXAMPLES.poapEvent } },
  tree: {
    summary: 'Two of three kinds of tokens, and none of another',
    rule: {
      allOf: [
        {
          atLeast: {
            count: 2,
            of: [
              { type: 'ERC20', chainId, contractAddress: EXAMPLES.erc20, minToken: '100' },
              { type: 'ERC721', chainId, contractAddress: EXAMPLES.erc721 },
              { type: 'ERC1155', chainId, contractAddress: EXAMPLES.erc1155, tokenId: '8' },
            ],
          },
        },
        { not: { type: 'ERC721', chainId, contractAddress: EXAMPLES.erc721, tokenId: '1000-1009' } },
      ],
    },
  },
};

/** Requests of check-roles, one for each example, as `examples` of the OpenAPI document. */
export const CHECK_ROLES_EXAMPLES = Object.fromEntries(
  Object.entries(RULE_EXAMPLES).map(([name, { summary, account = EXAMPLES.holder, rule }]) => [
    name,
    { summary: `${name}: ${summary}`, value: { account, rules: [{ ...rule, roleId: 'member' }] } },
  ]),
);
