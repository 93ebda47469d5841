import { describe, expect, it } from '@jest/globals';
import { base58 } from '@scure/base';
import fc from 'fast-check';
import { encodeCoreAsset } from '../../../../../test/support/core-asset.js';
import { parseCoreAsset } from './core-asset-layout.js';

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
  it('is read as its package writes it', () => {
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

  it('never gains creators when its data is cut off, and is none without its own fields', () => {
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

  it('is not found in other bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (data) => {
        const parsed = parseCoreAsset(data);
        if (data[0] !== 1) expect(parsed).toBeUndefined();
      }),
    );
  });
});
