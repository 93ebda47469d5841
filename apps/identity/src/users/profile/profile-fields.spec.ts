import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { countCodePoints, MAX_NAME_CODE_POINTS, profileName, profilePicture } from './profile-fields.js';

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 90 }),
  fc.string({ unit: 'grapheme', maxLength: 90 }),
  fc.string({
    unit: fc.constantFrom('a', ' ', 'é', 'e\u0301', '\u202e', '\u200b', '\ufb2c', '👩', '\u200d', '\ufe0f'),
    maxLength: 90,
  }),
);

describe('profileName', () => {
  it('profileName: whatever it accepts is in NFC, visible, trimmed and short, and is accepted as it is', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const { data } = profileName.safeParse(text);
        if (data === undefined) return;
        expect(data).toBe(data.normalize('NFC'));
        expect(data).toBe(data.trim());
        expect(data).not.toMatch(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\u200b-\u200d\u2060\ufeff]/u);
        expect(countCodePoints(data)).toBeGreaterThan(0);
        expect(countCodePoints(data)).toBeLessThanOrEqual(MAX_NAME_CODE_POINTS);
        expect(profileName.parse(data)).toBe(data);
      }),
      { numRuns: 2_000 },
    );
  });

  it('profileName: text in two normal forms is stored alike', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), (text) => {
        expect(profileName.safeParse(text.normalize('NFD')).data).toBe(
          profileName.safeParse(text.normalize('NFC')).data,
        );
      }),
    );
  });

  it.each([
    ['Ann', 'Ann'],
    ['  Zoë & co.  ', 'Zoë & co.'],
    ['Zoe\u0308', 'Zoë'],
    ['李小龍', '李小龍'],
    ['ann ❤\ufe0f', 'ann ❤\ufe0f'],
    ['हिन्दी', 'हिन्दी'],
  ])('profileName: accepts %j as %j', (text, stored) => {
    expect(profileName.parse(text)).toBe(stored);
  });

  it('profileName: counts code points, not UTF-16 units', () => {
    const name = '𝒜'.repeat(MAX_NAME_CODE_POINTS);
    expect(profileName.parse(name)).toBe(name);
  });

  it.each([
    ['nothing', ''],
    ['spaces only', ' \u00a0\u3000 '],
    ['a line break', 'a\nb'],
    ['a line separator', 'a\u2028b'],
    ['a NUL', 'a\0b'],
    ['a direction override', 'nna\u202e'],
    ['a direction mark', '\u200fann'],
    ['an isolate', '\u2066ann\u2069'],
    ['a zero-width space', 'a\u200bnn'],
    ['a zero-width joiner', '👩\u200d💻'],
    ['a byte order mark', 'a\ufeffnn'],
    ['a soft hyphen', 'a\u00adnn'],
    ['a tag character', 'ann\u{e0041}'],
    ['a Hangul filler', '\u3164'],
    ['an empty Braille pattern', '\u2800'],
    ['a variation selector after a letter', 'ann\ufe0f'],
    ['a private code point', '\ue000'],
    ['a lone surrogate', 'a\ud800'],
    ['a mark alone', '\u0301'],
    ['a heap of marks', `a${'\u0353'.repeat(5)}`],
    ['one code point too many', 'a'.repeat(MAX_NAME_CODE_POINTS + 1)],
    ['too much to normalise', `a${'\u0301'.repeat(600)}`],
  ])('profileName: refuses %s', (_, text) => {
    expect(profileName.safeParse(text).success).toBe(false);
  });
});

describe('profilePicture', () => {
  it.each([
    ['https://ann.example/face.png', 'https://ann.example/face.png'],
    [' https://Ann.Example/a b?x=1 ', 'https://ann.example/a%20b?x=1'],
    ['https://bücher.example', 'https://xn--bcher-kva.example/'],
  ])('profilePicture: accepts %j as %j', (text, stored) => {
    expect(profilePicture.parse(text)).toBe(stored);
  });

  it.each([
    'http://ann.example/face.png',
    'https://ann:secret@ann.example/',
    'https://ann.example/#face',
    'https://localhost/face.png',
    'https://router.local/reboot',
    'https://192.168.1.1/reboot',
    'https://[::1]/',
    "https://a;script-src'unsafe-inline'/",
    'https://a,b.example/',
    'data:image/png;base64,AAAA',
    'javascript:alert(1)',
    'face.png',
    '',
  ])('profilePicture: refuses %j', (text) => {
    expect(profilePicture.safeParse(text).success).toBe(false);
  });

  it('profilePicture: refuses more than 2,048 characters, percent-encoded', () => {
    for (const path of ['a'.repeat(2_048), 'ü'.repeat(1_000)])
      expect(profilePicture.safeParse(`https://ann.example/${path}`).success).toBe(false);
  });

  it('profilePicture: whatever it accepts is an https URL whose host cannot end a directive of a policy', () => {
    fc.assert(
      fc.property(fc.oneof(fc.webUrl({ withQueryParameters: true }), anyText), (text) => {
        const { data } = profilePicture.safeParse(text.replace(/^http:/, 'https:'));
        if (data === undefined) return;
        const { protocol, host, username, password, hash, href } = new URL(data);
        expect([protocol, username, password, hash, href]).toEqual(['https:', '', '', '', data]);
        expect(host).toMatch(/^[a-z0-9.:[\]-]+$/);
        expect(profilePicture.parse(data)).toBe(data);
      }),
      { numRuns: 2_000 },
    );
  });
});
