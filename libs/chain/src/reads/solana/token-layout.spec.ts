import { describe, expect, it } from '@jest/globals';
import base58 from 'bs58';
import { AccountState, getMintEncoder, getTokenEncoder } from '@solana-program/token';
import { address as toAddress } from '@solana/kit';
import fc from 'fast-check';
import {
  isTokenAccountFor,
  isTokenAccountOf,
  MAX_MINT_BYTES,
  parseMintDecimals,
  parseMintMetadata,
  parseTokenGroup,
  readTokenAmount,
  readTokenMint,
  TOKEN_ACCOUNT_SLICE_BYTES,
} from './token-layout.js';

const ACCOUNT_BYTES = 165;
const MINT_TYPE = 1;
const [POINTER, MEMBER] = [22, 23];
const [METADATA_POINTER, METADATA] = [18, 19];

const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 });
const encode = (address: string): Uint8Array => base58.decode(address);
const address = bytes.map((key) => toAddress(base58.encode(key)));
const distinctAddresses = fc.uniqueArray(address, { minLength: 3, maxLength: 3 }).map((list) => {
  const [mint = '', group = '', elsewhere = ''] = list;
  return { mint, group, elsewhere };
});

const tokenAccount = fc.record({
  mint: address,
  owner: address,
  amount: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  state: fc.constantFrom(AccountState.Initialized, AccountState.Frozen),
});
type Account = typeof tokenAccount extends fc.Arbitrary<infer Fields> ? Fields : never;
const encodeAccount = (fields: Account): Uint8Array =>
  Uint8Array.from(
    getTokenEncoder().encode({
      ...fields,
      ...{ delegate: null, isNative: null, delegatedAmount: 0n, closeAuthority: null },
    }),
  );

interface Extension {
  readonly type: number;
  readonly value: Uint8Array;
}

const toExtension = ({ type, value }: Extension): Buffer => {
  const header = Buffer.alloc(4);
  header.writeUInt16LE(type, 0);
  header.writeUInt16LE(value.length, 2);
  return Buffer.concat([header, value]);
};

/** A mint of Token-2022 with extensions. */
const encodeMint = (extensions: readonly Extension[], decimals = 0): Buffer =>
  Buffer.concat([
    Buffer.from(
      getMintEncoder().encode({
        ...{ mintAuthority: null, supply: 1n, decimals, isInitialized: true, freezeAuthority: null },
      }),
    ),
    Buffer.alloc(ACCOUNT_BYTES - getMintEncoder().fixedSize),
    Buffer.of(MINT_TYPE),
    ...extensions.map(toExtension),
  ]);

const pointTo = (target: string): Extension => ({
  type: POINTER,
  value: Buffer.concat([new Uint8Array(32), encode(target)]),
});
const joinGroup = (member: string, group: string): Extension => ({
  type: MEMBER,
  value: Buffer.concat([encode(member), encode(group), new Uint8Array(8)]),
});
const others = fc.array(
  fc.record({
    type: fc.integer({ min: 1, max: 40 }).filter((type) => type !== POINTER && type !== MEMBER),
    value: fc.uint8Array({ maxLength: 120 }),
  }),
  { maxLength: 4 },
);

describe('the beginning of a token account', () => {
  it('beginning of a token account: is read as the package of the token program writes it', () => {
    fc.assert(
      fc.property(tokenAccount, address, (fields, other) => {
        const slice = encodeAccount(fields).subarray(0, TOKEN_ACCOUNT_SLICE_BYTES);
        expect([readTokenMint(slice), readTokenAmount(slice)]).toEqual([fields.mint, fields.amount]);
        expect(isTokenAccountOf(slice, encode(fields.owner))).toBe(true);
        expect(isTokenAccountFor(slice, encode(fields.mint))).toBe(true);
        expect(isTokenAccountOf(slice, encode(other))).toBe(other === fields.owner);
        expect(isTokenAccountFor(slice, encode(other))).toBe(other === fields.mint);
      }),
    );
  });

  it('beginning of a token account: is not read from shorter data', () => {
    fc.assert(
      fc.property(tokenAccount, fc.nat({ max: ACCOUNT_BYTES }), (fields, length) => {
        const data = encodeAccount(fields).subarray(0, length);
        expect(isTokenAccountOf(data, encode(fields.owner))).toBe(length >= TOKEN_ACCOUNT_SLICE_BYTES);
      }),
    );
  });
});

describe('parseTokenGroup', () => {
  it('parseTokenGroup: reads the group of a mint that stores its membership itself, among any extensions', () => {
    fc.assert(
      fc.property(distinctAddresses, others, others, fc.boolean(), ({ mint, group }, before, after, swap) => {
        const own = [pointTo(mint), joinGroup(mint, group)];
        if (swap) own.reverse();
        expect(parseTokenGroup(encodeMint([...before, ...own, ...after]), mint)).toBe(group);
      }),
    );
  });

  it.each<[string, (addresses: { mint: string; group: string; elsewhere: string }) => Extension[]]>([
    ['no extensions', () => []],
    ['no pointer', ({ mint, group }) => [joinGroup(mint, group)]],
    ['a pointer alone', ({ mint }) => [pointTo(mint)]],
    ['a pointer elsewhere', ({ mint, group, elsewhere }) => [pointTo(elsewhere), joinGroup(mint, group)]],
    [
      'the membership of another mint',
      ({ mint, group, elsewhere }) => [pointTo(mint), joinGroup(elsewhere, group)],
    ],
  ])('parseTokenGroup: reads none of a mint with %s', (_, extend) => {
    fc.assert(
      fc.property(distinctAddresses, others, (addresses, rest) => {
        const data = encodeMint([...rest, ...extend(addresses)]);
        expect(parseTokenGroup(data, addresses.mint)).toBeUndefined();
      }),
    );
  });

  it('parseTokenGroup: reads no other group of data that is cut off or changed, and never throws', () => {
    fc.assert(
      fc.property(distinctAddresses, others, fc.nat(), ({ mint, group }, rest, cut) => {
        const data = encodeMint([...rest, pointTo(mint), joinGroup(mint, group)]);
        const found = parseTokenGroup(data.subarray(0, cut % data.length), mint);
        expect([undefined, group]).toContain(found);
      }),
      { numRuns: 500 },
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 700 }), address, (data, mint) => {
        expect(() => [parseTokenGroup(data, mint), parseMintDecimals(data)]).not.toThrow();
      }),
    );
  });
});

describe('parseMintMetadata', () => {
  const toText = (text: string): Buffer => {
    const length = Buffer.alloc(4);
    length.writeUInt32LE(Buffer.byteLength(text));
    return Buffer.concat([length, Buffer.from(text)]);
  };
  const point = (target: string): Extension => ({ ...pointTo(target), type: METADATA_POINTER });
  /** @param more additional fields, which follow the URI */
  const describeMint = (mint: string, uri: string, more = Buffer.alloc(4)): Extension => ({
    type: METADATA,
    value: Buffer.concat([new Uint8Array(32), encode(mint), toText('Name'), toText('N'), toText(uri), more]),
  });
  const extensions = others.map((list) =>
    list.filter(({ type }) => type !== METADATA_POINTER && type !== METADATA),
  );
  const text = fc.string({ unit: 'grapheme', maxLength: 200 }).filter((value) => value.isWellFormed());

  it('parseMintMetadata: reads the URI of metadata in the mint itself, behind any other extensions', () => {
    fc.assert(
      fc.property(distinctAddresses, extensions, text, ({ mint }, rest, uri) => {
        const data = encodeMint([...rest, point(mint), describeMint(mint, uri)]);
        expect(parseMintMetadata(data, mint)?.uri).toBe(uri);
      }),
    );
  });

  it('parseMintMetadata: reads a URI before additional fields that are cut off', () => {
    fc.assert(
      fc.property(distinctAddresses, text, fc.nat({ max: 900 }), ({ mint }, uri, cut) => {
        const data = encodeMint([point(mint), describeMint(mint, uri, Buffer.alloc(1_000))]);
        expect(parseMintMetadata(data.subarray(0, data.length - cut), mint)?.uri).toBe(uri);
      }),
    );
  });

  it('parseMintMetadata: is null where a mint is cut before the end of the URI, and never another text', () => {
    const long = 'x'.repeat(MAX_MINT_BYTES);
    fc.assert(
      fc.property(
        distinctAddresses,
        text,
        fc.nat({ max: MAX_MINT_BYTES }),
        ({ mint, elsewhere }, uri, bytes) => {
          const filler: Extension = { type: 4, value: Buffer.alloc(bytes) };
          const whole = encodeMint([point(mint), filler, describeMint(mint, uri)]);
          const found = parseMintMetadata(whole.subarray(0, MAX_MINT_BYTES), mint);
          expect(whole.length <= MAX_MINT_BYTES ? [uri] : [uri, null]).toContain(
            found === null ? null : found?.uri,
          );
          const cut = encodeMint([point(mint), describeMint(mint, long)]).subarray(0, MAX_MINT_BYTES);
          expect(parseMintMetadata(cut, mint)).toBeNull();
          const other = encodeMint([point(elsewhere), describeMint(mint, long)]).subarray(0, MAX_MINT_BYTES);
          expect(parseMintMetadata(other, mint)).toBeUndefined();
        },
      ),
    );
  });

  it('parseMintMetadata: reads none of metadata that another account holds, or that names another mint', () => {
    fc.assert(
      fc.property(distinctAddresses, text, ({ mint, elsewhere }, uri) => {
        for (const list of [
          [describeMint(mint, uri)],
          [point(elsewhere), describeMint(mint, uri)],
          [point(mint), describeMint(elsewhere, uri)],
        ])
          expect(parseMintMetadata(encodeMint(list), mint)).toBeUndefined();
      }),
    );
  });

  it('parseMintMetadata: never throws', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 700 }), address, (data, mint) => {
        expect(() => parseMintMetadata(data, mint)).not.toThrow();
      }),
    );
  });
});
