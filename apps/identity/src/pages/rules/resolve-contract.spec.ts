import { describe, expect, it } from '@jest/globals';
import { resolveContract } from './resolve-contract.js';

const APES = '0xBC4CA0EdA7647A8aB7C2061c2E118A18a936f13D';
const OTHER = `0x${'ab'.repeat(20)}`;
const MINT = 'J1S9H3QjnRtBbbuD4HjPV6RpRhwuk4zKbxsnCHuTgh9w';
const ETHEREUM = { chainId: 1, name: 'Ethereum', nativeSymbol: 'ETH' };
const BASE = { chainId: 8453, name: 'Base', nativeSymbol: 'ETH' };

const resolve = (text: string, chosenChainId?: number, offersOpenSea = false) =>
  resolveContract(text, { chains: [ETHEREUM, BASE], chosenChainId, offersOpenSea });

describe('resolveContract', () => {
  it('resolveContract: finds the contract of a link, of a known name, and of an address whose chain is chosen', () => {
    const apes = { kind: 'target', chainId: 1, address: APES };
    expect(resolve(`https://etherscan.io/token/${APES}`)).toEqual(apes);
    expect(resolve(`https://etherscan.io/nft/${APES}/7`)).toEqual({ ...apes, tokenId: '7' });
    expect(resolve('Bored Apes')).toEqual(apes);
    expect(resolve('https://opensea.io/collection/boredapeyachtclub')).toEqual(apes);
    expect(resolve(APES)).toEqual(apes);
    expect(resolve(OTHER, 8453)).toMatchObject({ kind: 'target', chainId: 8453 });
  });

  it('resolveContract: finds a collection of the deployment by a part of its name, in the plural, and its address without a chain', () => {
    const own = { name: 'Demo Badge', chainId: 8453, address: OTHER, aliases: [] };
    const find = (text: string) =>
      resolveContract(text, { chains: [ETHEREUM, BASE], ownCollections: [own], offersOpenSea: false });
    const badge = { kind: 'target', chainId: 8453, address: OTHER };
    for (const text of ['badge', 'Badges', 'demo badge']) expect(find(text)).toEqual(badge);
    expect(find(OTHER)).toMatchObject({ kind: 'target', chainId: 8453 });
    expect(resolve('badge')).toMatchObject({ kind: 'problem' });
  });

  it('resolveContract: asks for the chain of an address, and for one of several collections', () => {
    expect(resolve(OTHER)).toEqual({ kind: 'chain_required', chains: [ETHEREUM, BASE] });
    expect(resolve(OTHER, 137)).toMatchObject({ kind: 'chain_required' });
    expect(resolve('usdc')).toMatchObject({
      kind: 'collection_required',
      collections: [{ chainId: 1 }, { chainId: 8453 }],
    });
  });

  it('resolveContract: says in words what cannot be found or read', () => {
    const say = (text: string, opens = false) => {
      const found = resolve(text, undefined, opens);
      return found.kind === 'problem' ? found.message : found.kind;
    };
    expect(say(`https://polygonscan.com/token/${APES}`)).toBe(
      'This is on Polygon, which this service does not read. It reads Ethereum, Base.',
    );
    expect(say('no such thing')).toMatch(/^No token or collection called “no such thing” is known/);
    expect(say('vitalik.eth')).toMatch(/^Names of wallets such as vitalik.eth are not looked up/);
    expect(say(MINT)).toBe('This is an address of Solana, which this service does not read.');
    expect(say('https://opensea.io/collection/doodle-friends')).toMatch(
      /^This link of OpenSea names a collection/,
    );
    expect(say('https://opensea.io/collection/doodle-friends', true)).toBe('open_sea');
    expect(say('https://blur.io/collection/doodle-friends', true)).toMatch(/^This link of Blur/);
  });
});
