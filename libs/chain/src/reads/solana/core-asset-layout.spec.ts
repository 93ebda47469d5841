import { describe, expect, it } from '@jest/globals';
import base58 from 'bs58';
import fc from 'fast-check';
import { encodeCoreAsset } from '../../../../../scripts/chain/solana/core-asset.mjs';
import { parseCoreAsset, parseCoreOwner } from './core-asset-layout.js';

/** The update authority stands after the key and the owner. */
const UPDATE_AUTHORITY_OFFSET = 33;

const address = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => base58.encode(bytes));
const fields = fc.record({
  owner: address,
  collection: fc.option(address, { nil: undefined }),
  uri: fc.string({ maxLength: 50 }),
  creators: fc.option(fc.array(fc.record({ address, verified: fc.boolean() }), { maxLength: 5 }), {
    nil: undefined,
  }),
});

describe('an asset of Metaplex Core', () => {
  it('asset of Metaplex Core: is read as its package writes it', () => {
    fc.assert(
      fc.property(fields, (asset) => {
        const { owner, collection, uri, creators = [] } = asset;
        expect(parseCoreAsset(encodeCoreAsset(asset))).toEqual({
          ...{ owner, collection, uri },
          verifiedCreators: creators.filter(({ verified }) => verified).map((creator) => creator.address),
        });
      }),
    );
  });

  it('asset of Metaplex Core: never gains creators when its data is cut off, and is none without its own fields', () => {
    fc.assert(
      fc.property(fields, fc.nat(), (asset, cut) => {
        const data = encodeCoreAsset(asset);
        const plain = encodeCoreAsset({ ...asset, creators: undefined });
        const length = cut % data.length;
        const parsed = parseCoreAsset(data.subarray(0, length));
        if (length < plain.length) expect(parsed).toBeUndefined();
        else expect([[], parseCoreAsset(data)?.verifiedCreators]).toContainEqual(parsed?.verifiedCreators);
      }),
    );
  });

  it('asset of Metaplex Core: has an owner also where the rest is of a later release', () => {
    fc.assert(
      fc.property(fields, fc.integer({ min: 3, max: 255 }), (asset, kind) => {
        const data = Uint8Array.from(encodeCoreAsset(asset));
        data[UPDATE_AUTHORITY_OFFSET] = kind;
        expect(parseCoreOwner(data)).toBe(asset.owner);
        expect(parseCoreAsset(data)).toBeUndefined();
      }),
    );
  });

  it('asset of Metaplex Core: is not found in other bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (data) => {
        const parsed = parseCoreAsset(data);
        if (data[0] !== 1) expect([parsed, parseCoreOwner(data)]).toEqual([undefined, undefined]);
      }),
    );
  });
});
