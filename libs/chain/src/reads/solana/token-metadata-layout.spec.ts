import { describe, expect, it } from '@jest/globals';
import {
  getMetadataAccountDataSerializer,
  Key,
  type MetadataAccountDataArgs,
} from '@metaplex-foundation/mpl-token-metadata';
import { publicKey } from '@metaplex-foundation/umi';
import base58 from 'bs58';
import fc from 'fast-check';
import { parseTokenMetadata } from './token-metadata-layout.js';

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const address = bytes(32).map((key) => publicKey(base58.encode(key)));
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });
const byte = fc.nat({ max: 255 });
/** Text of at most this many bytes: programs pad it with zero bytes, which no text of its own has at the end. */
const text = (maxBytes: number) =>
  fc
    .string({ unit: 'grapheme', maxLength: maxBytes })
    .filter((value) => Buffer.byteLength(value) <= maxBytes && !value.endsWith('\0'));

const creators = fc.array(fc.record({ address, verified: fc.boolean(), share: fc.nat({ max: 100 }) }), {
  maxLength: 5,
});
const metadata: fc.Arbitrary<MetadataAccountDataArgs> = fc.record({
  key: fc.constant(Key.MetadataV1),
  updateAuthority: address,
  mint: address,
  name: text(32),
  symbol: text(10),
  uri: text(200),
  sellerFeeBasisPoints: fc.nat({ max: 10_000 }),
  creators: optional(creators),
  primarySaleHappened: fc.boolean(),
  isMutable: fc.boolean(),
  editionNonce: optional(byte),
  tokenStandard: optional(fc.nat({ max: 4 })),
  collection: optional(fc.record({ verified: fc.boolean(), key: address })),
  uses: fc.constant(null),
  collectionDetails: fc.constant(null),
  programmableConfig: optional(optional(address).map((ruleSet) => ({ __kind: 'V1' as const, ruleSet }))),
});
const serialize = (fields: MetadataAccountDataArgs): Uint8Array =>
  getMetadataAccountDataSerializer().serialize(fields);

const toCreators = ({ creators }: MetadataAccountDataArgs) =>
  creators as readonly { address: string; verified: boolean }[] | null;
const toCollection = ({ collection }: MetadataAccountDataArgs) =>
  collection as { key: string; verified: boolean } | null;

const METADATA_V1: number = Key.MetadataV1;

describe('parseTokenMetadata', () => {
  it('parseTokenMetadata: reads what the serializer of Token Metadata writes, and only verified creators and collections', () => {
    fc.assert(
      fc.property(metadata, bytes(80), (fields, following) => {
        const data = Buffer.concat([serialize(fields), following]);
        const collection = toCollection(fields);
        expect(parseTokenMetadata(data)).toEqual({
          mint: fields.mint,
          name: fields.name,
          symbol: fields.symbol,
          uri: fields.uri,
          verifiedCreators: (toCreators(fields) ?? [])
            .filter(({ verified }) => verified)
            .map((creator) => creator.address),
          verifiedCollection: collection?.verified ? collection.key : undefined,
        });
      }),
    );
  });

  it('parseTokenMetadata: reads texts that are padded to their maximum', () => {
    fc.assert(
      fc.property(metadata, (fields) => {
        const padded = {
          ...fields,
          name: fields.name.padEnd(32, '\0'),
          symbol: fields.symbol.padEnd(10, '\0'),
          uri: fields.uri.padEnd(200, '\0'),
        };
        expect(parseTokenMetadata(serialize(padded))).toEqual(parseTokenMetadata(serialize(fields)));
      }),
    );
  });

  it('parseTokenMetadata: finds no more in data that is cut off', () => {
    fc.assert(
      fc.property(metadata, fc.nat(), (fields, cut) => {
        const data = serialize(fields);
        const whole = parseTokenMetadata(data);
        const parsed = parseTokenMetadata(data.subarray(0, cut % data.length));
        if (!parsed) return;
        expect(parsed).toMatchObject({
          mint: whole?.mint,
          uri: whole?.uri,
          verifiedCreators: whole?.verifiedCreators,
        });
        expect([undefined, whole?.verifiedCollection]).toContain(parsed.verifiedCollection);
      }),
      { numRuns: 1_000 },
    );
  });

  it('parseTokenMetadata: throws on no data, and reads no account of another kind', () => {
    const kind = fc.nat({ max: 255 }).filter((key) => key !== METADATA_V1);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 700 }), kind, (data, key) => {
        expect(() => parseTokenMetadata(data)).not.toThrow();
        expect(parseTokenMetadata(Uint8Array.of(key, ...data.subarray(1)))).toBeUndefined();
      }),
    );
  });

  it('parseTokenMetadata: throws on no changed byte, such as the length of a text or of the creators', () => {
    fc.assert(
      fc.property(metadata, fc.nat(), byte, (fields, position, value) => {
        const data = Uint8Array.from(serialize(fields));
        data[position % data.length] = value;
        expect(() => parseTokenMetadata(data)).not.toThrow();
      }),
      { numRuns: 1_000 },
    );
  });
});
