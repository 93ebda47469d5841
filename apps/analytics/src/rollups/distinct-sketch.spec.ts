import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DistinctSketch, hashMember, MAX_EXACT_MEMBERS } from './distinct-sketch.js';

const sketchOf = (members: Iterable<string>): DistinctSketch => {
  const sketch = DistinctSketch.create();
  for (const member of members) sketch.add(hashMember(member));
  return sketch;
};

/** `user_<from>` until `user_<to>`, without the last. */
const users = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, index) => `user_${from + index}`);

const mergeAll = (...sketches: DistinctSketch[]): DistinctSketch => {
  const merged = DistinctSketch.create();
  for (const sketch of sketches) merged.merge(sketch);
  return merged;
};

const copyOf = (sketch: DistinctSketch): DistinctSketch => DistinctSketch.decode(sketch.encode());

describe('a sketch of distinct members', () => {
  it('sketch of distinct members: hashes as earlier releases did', () => {
    expect(hashMember('user_7VkIqevX1qo2K1mIvdlcNo').toString('hex')).toBe('b5f210bbf1f6fa72');
  });

  it('sketch of distinct members: counts exactly up to 1,000 members, also when it is merged', () => {
    const index = fc.integer({ min: 0, max: 400 });
    fc.assert(
      fc.property(fc.array(fc.array(index), { maxLength: 4 }), (groups) => {
        const sketches = groups.map((group) => copyOf(sketchOf(group.map(String))));
        expect(mergeAll(...sketches).count()).toBe(new Set(groups.flat()).size);
      }),
    );
    const [first, second] = [users(0, 700), users(300, MAX_EXACT_MEMBERS)];
    expect(mergeAll(sketchOf(first), sketchOf(second)).count()).toBe(MAX_EXACT_MEMBERS);
  });

  it.each([1_001, 1_500, 5_000, 20_000, 41_000, 60_000, 100_000])(
    'sketch of distinct members: is within 3 %% of %i members',
    (size) => {
      const count = sketchOf(users(0, size)).count();
      expect(Math.abs(count - size) / size).toBeLessThan(0.03);
    },
  );

  it('sketch of distinct members: has the same bytes in any order, from any parts, with repetitions', () => {
    for (const size of [0, 1, 900, 1_000, 1_001, 3_000]) {
      const all = users(0, size);
      const expected = sketchOf(all).encode();
      const middle = Math.floor(size / 3);
      const parts = [
        sketchOf(all.slice(middle)),
        sketchOf(all.slice(0, middle + 100)),
        sketchOf(all.slice(0, 5)),
      ];
      expect(mergeAll(...parts.map(copyOf)).encode()).toEqual(expected);
      expect(mergeAll(...parts.reverse()).encode()).toEqual(expected);
      expect(sketchOf([...all.toReversed(), ...all]).encode()).toEqual(expected);
    }
  });

  it('sketch of distinct members: says whether a member is new', () => {
    for (const size of [10, 2_000]) {
      const sketch = sketchOf(users(0, size));
      expect(sketch.add(hashMember('user_1'))).toBe(false);
    }
    expect(sketchOf(users(0, 10)).add(hashMember('user_10'))).toBe(true);
  });

  it('sketch of distinct members: rejects other bytes', () => {
    for (const bytes of [[], [0], [3, 1, 2], [1, 1, 2], [2, 1]])
      expect(() => DistinctSketch.decode(Buffer.from(bytes))).toThrow(RangeError);
  });
});
