import { describe, expect, it } from '@jest/globals';
import { isSolanaAddress, SOLANA_CLUSTERS, toChecksumAddress } from '@app/dto';
import base58 from 'bs58';
import fc from 'fast-check';
import { MAX_LINK_LENGTH, parseContractLink } from './parse-contract-link.js';

const APES = '0xBC4CA0EdA7647A8aB7C2061c2E118A18a936f13D';
const MINT = 'J1S9H3QjnRtBbbuD4HjPV6RpRhwuk4zKbxsnCHuTgh9w';
const [SOLANA, , DEVNET] = SOLANA_CLUSTERS;

const evm = (chainId?: number, tokenId?: string) => ({
  ...{ kind: 'contract', family: 'evm', address: APES },
  ...(chainId === undefined ? {} : { chainId }),
  ...(tokenId === undefined ? {} : { tokenId }),
});
const solana = (chainId?: number) => ({
  ...{ kind: 'contract', family: 'solana', address: MINT },
  ...(chainId === undefined ? {} : { chainId }),
});

const READ: readonly [string, object][] = [
  [APES, evm()],
  [APES.toLowerCase(), evm()],
  [`  ${APES}\n`, evm()],
  [MINT, solana()],
  [`eip155:1:${APES}`, evm(1)],
  [`eip155:137/erc721:${APES}/7`, evm(137, '7')],
  [`eip155:1/erc20:${APES}`, evm(1)],
  [`solana:${SOLANA.genesisHash.slice(0, 32)}:${MINT}`, solana(SOLANA.id)],
  [`solana:${SOLANA.genesisHash.slice(0, 32)}/token:${MINT}`, solana(SOLANA.id)],
  [`solana:${DEVNET.genesisHash.slice(0, 32)}/nft:${MINT}`, solana(DEVNET.id)],
  [`base:${APES}`, evm(8453)],
  [`https://etherscan.io/address/${APES}`, evm(1)],
  [`https://etherscan.io/address/${APES}#code`, evm(1)],
  [`https://etherscan.io/token/${APES}#inventory`, evm(1)],
  [`https://etherscan.io/token/${APES}?a=8817#inventory`, evm(1, '8817')],
  [`https://etherscan.io/token/${APES}?a=0xb4B4d1fA0b2A6b3d6c2F3E3e6a7D0e1F2a3B4c5D`, evm(1)],
  [`https://etherscan.io/nft/${APES}/8817`, evm(1, '8817')],
  [`https://www.etherscan.io/token/${APES.toLowerCase()}`, evm(1)],
  [`http://etherscan.io/token/${APES}`, evm(1)],
  [`etherscan.io/token/${APES}`, evm(1)],
  [`https://sepolia.etherscan.io/token/${APES}`, evm(11_155_111)],
  [`https://basescan.org/token/${APES}`, evm(8453)],
  [`https://sepolia.basescan.org/token/${APES}`, evm(84_532)],
  [`https://polygonscan.com/token/${APES}`, evm(137)],
  [`https://arbiscan.io/token/${APES}`, evm(42_161)],
  [`https://optimistic.etherscan.io/token/${APES}`, evm(10)],
  [`https://bscscan.com/token/${APES}`, evm(56)],
  [`https://snowtrace.io/token/${APES}?type=erc721&chainid=43114`, evm(43_114)],
  [`https://eth.blockscout.com/token/${APES}/instance/12`, evm(1, '12')],
  [`https://base.blockscout.com/token/${APES}?tab=inventory`, evm(8453)],
  [`https://opensea.io/assets/ethereum/${APES}/8817`, evm(1, '8817')],
  [`https://opensea.io/item/ethereum/${APES}/8817`, evm(1, '8817')],
  [`https://opensea.io/de/item/base/${APES}/8817`, evm(8453, '8817')],
  [`https://opensea.io/assets/${APES}/8817`, evm(1, '8817')],
  [`https://opensea.io/assets/matic/${APES}/8817`, evm(137, '8817')],
  [`https://opensea.io/item/solana/${MINT}`, solana(SOLANA.id)],
  [`https://testnets.opensea.io/assets/sepolia/${APES}/1`, evm(11_155_111, '1')],
  [`https://opensea.io/collection/boredapeyachtclub`, collection('OpenSea', 'boredapeyachtclub')],
  [`https://opensea.io/collection/boredapeyachtclub/overview`, collection('OpenSea', 'boredapeyachtclub')],
  [`https://blur.io/eth/asset/${APES}/8817`, evm(1, '8817')],
  [`https://blur.io/collection/${APES}`, evm(1)],
  [`https://blur.io/eth/collection/boredapeyachtclub`, collection('Blur', 'boredapeyachtclub')],
  [`https://rarible.com/token/${APES}:8817`, evm(1, '8817')],
  [`https://rarible.com/token/polygon/${APES}:8817`, evm(137, '8817')],
  [`https://rarible.com/collection/base/${APES}/items`, evm(8453)],
  [`https://magiceden.io/item-details/ethereum/${APES}/8817`, evm(1, '8817')],
  [`https://magiceden.io/collections/ethereum/${APES}`, evm(1)],
  [`https://magiceden.io/item-details/${MINT}`, solana(SOLANA.id)],
  [`https://magiceden.io/marketplace/degods`, collection('Magic Eden', 'degods')],
  [`https://magiceden.io/collections/ethereum/doodles`, collection('Magic Eden', 'doodles')],
  [`https://zora.co/collect/base:${APES}/1`, evm(8453, '1')],
  [`https://zora.co/collect/zora:${APES}`, evm(7_777_777)],
  [`https://app.uniswap.org/explore/tokens/arbitrum/${APES}`, evm(42_161)],
  [`https://solscan.io/token/${MINT}`, solana(SOLANA.id)],
  [`https://solscan.io/token/${MINT}?cluster=devnet#holders`, solana(DEVNET.id)],
  [`https://explorer.solana.com/address/${MINT}?cluster=devnet`, solana(DEVNET.id)],
  [`https://explorer.of-somebody.example/token/${APES}/7`, evm(undefined, '7')],
  ['Bored Apes', { kind: 'name', name: 'Bored Apes' }],
  ['usdc', { kind: 'name', name: 'usdc' }],
];

function collection(site: string, slug: string): object {
  return { kind: 'collection', site, slug };
}

const REFUSED: readonly string[] = [
  '',
  ' ',
  'javascript:alert(1)',
  `javascript:alert("https://etherscan.io/token/${APES}")`,
  `data:text/html,https://etherscan.io/token/${APES}`,
  `file:///token/${APES}`,
  `ftp://etherscan.io/token/${APES}`,
  `https://etherscan.io@evil.example/token/${APES}`,
  `https://user:password@etherscan.io/token/${APES}`,
  `https://etherscan.io:8443/token/${APES}`,
  `https://ethersc\u0430n.io/token/${APES}`,
  `https://xn--etherscn-8fg.io/token/${APES}`,
  `https://127.0.0.1/token/${APES}`,
  `https://[::1]/token/${APES}`,
  `https://2130706433/token/${APES}`,
  `https://etherscan.io/token/%zz`,
  `https://etherscan.io/tx/0x${'ab'.repeat(32)}`,
  `0x${'ab'.repeat(32)}`,
  APES.replace('BC4CA', 'bC4CA'),
  APES.slice(0, -1),
  APES.slice(2, -1),
  `${APES}0`,
  `eip155:0:${APES}`,
  `eip155:1:${MINT}`,
  `solana:nowhere:${MINT}`,
  `https://opensea.io/item/solana/${APES}`,
  `https://etherscan.io/`,
  `https://opensea.io/`,
  `https://explorer.solana.com/address/${MINT}?cluster=custom&customUrl=https%3A%2F%2Fevil.example`,
  `https://etherscan.io/token/\u202e${APES}`,
  `https://etherscan.io/token/${APES}\nhttps://etherscan.io/token/${APES}`,
  'a'.repeat(10_000),
  `https://etherscan.io/token/${APES}?${'a'.repeat(10_000)}`,
  'a'.repeat(101),
];

describe('parseContractLink', () => {
  it('parseContractLink: reads addresses, asset ids, and links of explorers and marketplaces', () => {
    for (const [text, expected] of READ)
      expect({ text, link: parseContractLink(text) }).toEqual({ text, link: expected });
  });

  it('parseContractLink: refuses with a sentence what is hostile, broken or no contract', () => {
    for (const text of REFUSED) {
      const link = parseContractLink(text);
      expect({ text, kind: link.kind }).toEqual({ text, kind: 'problem' });
      if (link.kind === 'problem') expect(link.message).toMatch(/^[A-Z].*\.$/s);
    }
  });

  it('parseContractLink: names an incomplete address and a page of a machine as such', () => {
    const say = (text: string): string => {
      const link = parseContractLink(text);
      return link.kind === 'problem' ? link.message : link.kind;
    };
    for (const text of ['0x123', '0xBC4CA0', APES.slice(0, -1)]) expect(say(text)).toMatch(/as a whole\.$/);
    for (const text of [
      'http://localhost:3000/portal/test-wallet',
      'http://127.0.0.1:3000/',
      'https://[::1]/x',
    ])
      expect(say(text)).toMatch(/^This is a page of a machine/);
    expect(say('0x')).toBe('name');
  });

  it('parseContractLink: finds any address and token in a link of an explorer, whatever is around it', () => {
    const address = fc
      .uint8Array({ minLength: 20, maxLength: 20 })
      .map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`);
    const tail = fc.constantFrom('', '#inventory', '?utm_source=chat', '#code');
    fc.assert(
      fc.property(address, fc.bigInt(0n, (1n << 256n) - 1n), tail, (text, id, end) => {
        const expected = { kind: 'contract', family: 'evm', chainId: 1, address: toChecksumAddress(text) };
        expect(parseContractLink(`https://etherscan.io/token/${text}${end}`)).toEqual(expected);
        const withId = { ...expected, tokenId: String(id) };
        expect(parseContractLink(`https://etherscan.io/nft/${text}/${String(id)}${end}`)).toEqual(withId);
        expect(parseContractLink(`https://opensea.io/item/ethereum/${text}/${String(id)}`)).toEqual(withId);
      }),
    );
  });

  it('parseContractLink: finds any mint', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (bytes) => {
        const mint = base58.encode(bytes);
        const expected = { kind: 'contract', family: 'solana', address: mint };
        expect(parseContractLink(mint)).toEqual(expected);
        expect(parseContractLink(`https://solscan.io/token/${mint}`)).toEqual({
          ...expected,
          chainId: SOLANA.id,
        });
      }),
    );
  });

  it('parseContractLink: answers any text without an error, with bounded names and addresses of the two forms only', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        ...['https://', 'opensea.io', '/', ':', '@', '%', '?a=', '0x', APES, MINT, 'eip155:1', '\0'],
      ),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const link = parseContractLink(pieces.join(''));
        if (link.kind === 'name') expect(link.name.length).toBeLessThanOrEqual(100);
        if (link.kind === 'collection') expect(link.slug).toMatch(/^[\w.-]{1,128}$/);
        if (link.kind !== 'contract') return;
        if (link.family === 'solana') expect(isSolanaAddress(link.address)).toBe(true);
        else expect(link.address).toBe(toChecksumAddress(link.address));
        if (link.tokenId !== undefined) expect(link.tokenId).toMatch(/^(?:0|[1-9]\d{0,77})$/);
      }),
      { numRuns: 500 },
    );
  });

  it('parseContractLink: reads links up to its bound and no longer ones', () => {
    const link = `https://etherscan.io/token/${APES}?q=`;
    expect(parseContractLink(link.padEnd(MAX_LINK_LENGTH, 'a')).kind).toBe('contract');
    expect(parseContractLink(link.padEnd(MAX_LINK_LENGTH + 1, 'a')).kind).toBe('problem');
  });
});
