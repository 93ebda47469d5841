import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { toStoredJson, toStoredText } from './stored-values.js';

/** Texts with code units that no text of PostgreSQL has, and with what looks like their escapes. */
const hostileText = fc
  .array(
    fc.oneof(
      fc.constantFrom('\u0000', '\ud800', '\udfff', '\\', '\\u0000', 'u0000', '"', '\n', '\u0001', '😀'),
      fc.string({ maxLength: 3 }),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''));

it('toStoredText: replaces NUL characters and halves of surrogate pairs, and changes nothing else', () => {
  expect(toStoredText('a\u0000b\ud800c😀')).toBe('a\ufffdb\ufffdc😀');
  fc.assert(
    fc.property(hostileText, (text) => {
      const stored = toStoredText(text);
      expect(stored.isWellFormed() && !stored.includes('\u0000')).toBe(true);
      expect(stored).toHaveLength(text.length);
    }),
  );
});

it('toStoredJson: is JSON of the same value whose texts and keys are as toStoredText gives them', () => {
  const clean = (value: unknown): unknown => {
    if (typeof value === 'string') return toStoredText(value);
    if (Array.isArray(value)) return value.map(clean);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [toStoredText(key), clean(inner)]));
  };
  const values = fc.oneof(
    hostileText,
    fc.array(hostileText),
    fc.dictionary(
      hostileText.filter((key) => key !== '__proto__'),
      fc.oneof(hostileText, fc.integer(), fc.constant(null)),
    ),
  );
  fc.assert(
    fc.property(values, (value) => {
      expect(JSON.parse(toStoredJson(value))).toEqual(clean(value));
    }),
  );
});
