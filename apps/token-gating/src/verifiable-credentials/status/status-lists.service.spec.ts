import { inflateSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { StatusList } from '@sd-jwt/jwt-status-list';
import fc from 'fast-check';
import { encodeStatusList, STATUS_LIST_ENTRIES } from './status-lists.service.js';

const ENTRIES = 1_024;
const entries = fc.uniqueArray(fc.integer({ min: 0, max: ENTRIES - 1 }));

describe('encodeStatusList', () => {
  it('encodeStatusList: a second implementation reads exactly the revoked entries', () => {
    fc.assert(
      fc.property(entries, (revoked) => {
        const list = StatusList.decompressStatusList(encodeStatusList(revoked, ENTRIES), 1);
        const read = Array.from({ length: ENTRIES }, (_, entry) => entry).filter(
          (entry) => list.getStatus(entry) === 1,
        );
        expect(read).toEqual(revoked.toSorted((a, b) => a - b));
      }),
    );
  });

  it('encodeStatusList: a list of 131,072 entries, half of them revoked, takes at most 22 KiB', () => {
    const revoked = Array.from({ length: STATUS_LIST_ENTRIES }, (_, entry) => entry).filter(
      (entry) => ((entry * 2_654_435_761) >>> 16) & 1,
    );
    const lst = encodeStatusList(revoked);
    expect(lst.length).toBeLessThanOrEqual(22 * 1_024);
    expect(inflateSync(Buffer.from(lst, 'base64url'))).toHaveLength(STATUS_LIST_ENTRIES / 8);
  });

  it.each([-1, 0.5, ENTRIES])(
    'encodeStatusList: rejects the entry %s, which the list does not have',
    (entry) => {
      expect(() => encodeStatusList([entry], ENTRIES)).toThrow(RangeError);
    },
  );
});
