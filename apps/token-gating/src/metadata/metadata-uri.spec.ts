import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decodeDataUri, decodeText, normalizeMetadataUri, resolveMetadataUri } from './metadata-uri.js';

const first = (uri: string): string => {
  const texts = decodeDataUri(uri);
  if ('ok' in texts) throw new Error(texts.message);
  return texts[0] ?? '';
};
const document = { name: 'ä “x”', level: 3 };
const json = JSON.stringify(document);

describe('decodeDataUri', () => {
  it('decodeDataUri: decodes percent-encoding and base64 as browsers do', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }).filter((text) => text.isWellFormed()),
        (text) => {
          const wanted = decodeText(Buffer.from(text));
          expect(first(`data:application/json,${encodeURIComponent(text)}`)).toBe(wanted);
          expect(first(`data:;base64,${Buffer.from(text).toString('base64')}`)).toBe(wanted);
          expect(
            first(`DATA:application/json;charset=utf-8;BASE64,${Buffer.from(text).toString('base64url')}`),
          ).toBe(wanted);
        },
      ),
    );
  });

  it('decodeDataUri: decodes every byte that is percent-encoded, and keeps a % that encodes nothing', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 50 }), (bytes) => {
        const encoded = Array.from(bytes, (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
        expect(first(`data:,${encoded}`)).toBe(decodeText(bytes));
      }),
    );
    expect(first('data:,100% of %zz and %4')).toBe('100% of %zz and %4');
  });

  it('decodeDataUri: keeps JSON as it is beside its decoded form', () => {
    const raw = '{"image":"data:image/svg+xml;utf8,%3Csvg width=%221%22%3E"}';
    expect(decodeDataUri(`data:application/json;utf8,${raw}`)).toEqual([
      '{"image":"data:image/svg+xml;utf8,<svg width="1">"}',
      raw,
    ]);
  });

  it.each([
    [
      'base64 with line breaks',
      `data:;base64,${Buffer.from(json).toString('base64').slice(0, 8)}\n${Buffer.from(json).toString('base64').slice(8)}`,
    ],
    ['base64 without padding', `data:;base64,${Buffer.from(json).toString('base64').replace(/=+$/, '')}`],
    ['percent-encoded base64', `data:;base64,${encodeURIComponent(Buffer.from(json).toString('base64'))}`],
    [
      'base64 before the charset',
      `data:application/json;base64;charset=utf-8,${Buffer.from(json).toString('base64')}`,
    ],
    ['a byte order mark', `data:application/json,%EF%BB%BF${encodeURIComponent(json)}`],
    ['UTF-16', `data:application/json;base64,${Buffer.from(`\ufeff${json}`, 'utf16le').toString('base64')}`],
    ['Latin-1', `data:application/json;charset=ISO-8859-1,${encodeURIComponent('{"a":1}')}`],
    ['an unknown charset', `data:application/json;charset=nothing,${encodeURIComponent(json)}`],
  ])('decodeDataUri: reads %s', (_, uri) => {
    expect(JSON.parse(first(uri))).toBeInstanceOf(Object);
  });

  it('decodeDataUri: never throws', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(() => decodeDataUri(`data:${text}`)).not.toThrow();
      }),
    );
  });
});

describe('normalizeMetadataUri', () => {
  const cid = 'QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWKPbdG';

  it.each([
    ['  https://example.com/1.json\n', 'https://example.com/1.json'],
    ['HTTPS://Example.COM/1.json#top', 'https://example.com/1.json'],
    ['https:\\\\example.com\\a\\1.json', 'https://example.com/a/1.json'],
    ['https://example.com/my token ä.json', 'https://example.com/my%20token%20%C3%A4.json'],
    ['https://example.com/100%/[1]|2.json?a={b}', 'https://example.com/100%25/%5B1%5D%7C2.json?a=%7Bb%7D'],
    ['https://exa\nmple.com/1\t.json', 'https://example.com/1.json'],
    ['https://bücher.example/1', 'https://xn--bcher-kva.example/1'],
    ['https://user:pass@example.com/1', 'https://user:pass@example.com/1'],
    [`IPFS://${cid}/1.json `, `IPFS://${cid}/1.json`],
    [`ipfs:\\\\${cid}\\1.json`, `ipfs://${cid}/1.json`],
    [`ipfs:/${cid}/1.json`, `ipfs://${cid}/1.json`],
    [`${cid}/1.json`, `ipfs://${cid}/1.json`],
    [`/ipfs/${cid}`, `ipfs://${cid}`],
    ['data:application/json,{"a":\n"b"}', 'data:application/json,{"a":"b"}'],
    ['nothing', 'nothing'],
  ])('normalizeMetadataUri: reads %j as browsers and marketplaces do', (text, expected) => {
    expect(normalizeMetadataUri(text)).toBe(expected);
  });

  it('normalizeMetadataUri: changes nothing of what it returned', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.webUrl({ withFragments: true, withQueryParameters: true }), fc.string()),
        (text) => {
          const once = normalizeMetadataUri(text);
          expect(normalizeMetadataUri(once)).toBe(once);
        },
      ),
    );
  });
});

describe('resolveMetadataUri', () => {
  it('resolveMetadataUri: takes a time that grows with the length of a text of spaces, not with its square', () => {
    const length = 3 * 1024 * 1024 - 64;
    const uri = `data:,${' '.repeat(length)}x`;
    // This test would take hours if the time grew with the square of the length.
    expect(resolveMetadataUri(`  ${uri}\n`, undefined)).toBe(uri);
  });

  it('resolveMetadataUri: puts an id of 64 digits in place of each {id}', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), (parts, id) => {
        const pieces = ['ipfs://a', ...parts.map((part) => part.replaceAll(/[{}\0-\x20]/g, '')), 'z'];
        const digits = id.toString(16).padStart(64, '0');
        expect(resolveMetadataUri(pieces.join('{id}'), id)).toBe(normalizeMetadataUri(pieces.join(digits)));
      }),
    );
  });

  it('resolveMetadataUri: refuses a text that ids would make longer than 3 MiB', () => {
    expect(resolveMetadataUri(`data:,${'{id}'.repeat(700_000)}`, 1n)).toMatchObject({
      ok: false,
      code: 'metadata_malformed',
    });
  });
});
