import { describe, expect, it } from '@jest/globals';
import { fullText, malformedMessages } from '../../../../test/support/sign-in-vectors.js';
import { parseSignInMessage } from './parse-sign-in-message.js';

const address = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const required = {
  domain: 'gatehouse.example',
  address,
  uri: 'https://gatehouse.example/',
  chainId: 1,
  nonce: '12345678',
  issuedAt: '2026-11-20T16:00:00Z',
};

/** A message with the required fields, and with the given lines replaced. */
function text(
  lines: Partial<Record<'origin' | 'address' | 'statement' | 'uri' | 'end', string>> = {},
): string {
  const { origin = 'gatehouse.example', statement, uri = required.uri, end = '' } = lines;
  return [
    `${origin} wants you to sign in with your Ethereum account:`,
    lines.address ?? address,
    '',
    ...(statement === undefined ? [''] : [statement, '']),
    `URI: ${uri}`,
    'Version: 1',
    'Chain ID: 1',
    'Nonce: 12345678',
    `Issued At: 2026-11-20T16:00:00Z${end}`,
  ].join('\n');
}

describe('parseSignInMessage', () => {
  it('parseSignInMessage: parses all fields', () => {
    expect(parseSignInMessage(fullText)).toEqual({
      ok: true,
      message: {
        scheme: 'https',
        domain: 'gatehouse.example:8443',
        address,
        statement: 'Sign in to Gatehouse, and to nothing else.',
        uri: 'https://gatehouse.example:8443/login?from=%2Fportal#top',
        chainId: 8453,
        nonce: 'n0nceOfLetters123',
        issuedAt: '2026-11-20T16:00:00.000Z',
        expirationTime: '2026-11-20T16:10:00.000Z',
        notBefore: '2026-11-20T15:59:00+00:00',
        requestId: 'request-1:a@b',
        resources: ['https://gatehouse.example:8443/#credential', 'urn:scope:$public'],
      },
    });
  });

  it.each([
    ['only the required fields', text(), {}],
    [
      'a statement',
      text({ statement: 'Terms: https://a.example/tos?[1]' }),
      { statement: 'Terms: https://a.example/tos?[1]' },
    ],
    [
      'a statement that looks like a field',
      text({ statement: 'URI: https://a.example/' }),
      { statement: 'URI: https://a.example/' },
    ],
    ['an empty statement', text({ statement: '' }), { statement: '' }],
    ['an empty request id', text({ end: '\nRequest ID: ' }), { requestId: '' }],
    ['no resource under the heading', text({ end: '\nResources:' }), { resources: [] }],
    [
      'a start and no expiration',
      text({ end: '\nNot Before: 2026-11-20T16:00:00-07:30' }),
      { notBefore: '2026-11-20T16:00:00-07:30' },
    ],
    [
      'a domain with user and port',
      text({ origin: 'user:x@127.0.0.1:80' }),
      { domain: 'user:x@127.0.0.1:80' },
    ],
    ['an IPv6 domain', text({ origin: '[::ffff:1.2.3.4]:80' }), { domain: '[::ffff:1.2.3.4]:80' }],
    ['a domain of one label', text({ origin: 'localhost' }), { domain: 'localhost' }],
    ['another scheme', text({ origin: 'web+gate.1-2://a' }), { scheme: 'web+gate.1-2', domain: 'a' }],
    ['a URN', text({ uri: 'urn:uuid:0b8f0d3e' }), { uri: 'urn:uuid:0b8f0d3e' }],
    ['a URI without authority', text({ uri: 'did:pkh:eip155:1:0xab' }), { uri: 'did:pkh:eip155:1:0xab' }],
    ['the zero address', text({ address: `0x${'0'.repeat(40)}` }), { address: `0x${'0'.repeat(40)}` }],
    [
      'an address without letters',
      text({ address: `0x${'12'.repeat(20)}` }),
      { address: `0x${'12'.repeat(20)}` },
    ],
    [
      'a leap day',
      text({ end: '\nExpiration Time: 2028-02-29T00:00:00.123456789+23:59' }),
      { expirationTime: '2028-02-29T00:00:00.123456789+23:59' },
    ],
    ['the largest chain id', text().replace('ID: 1', 'ID: 9007199254740991'), { chainId: 9007199254740991 }],
  ])('parseSignInMessage: parses a message with %s', (_, message, fields) => {
    expect(parseSignInMessage(message)).toEqual({ ok: true, message: { ...required, ...fields } });
  });

  it.each(malformedMessages)('parseSignInMessage: rejects a message with %s', (_, message, field) => {
    expect(parseSignInMessage(message)).toEqual({
      ok: false,
      problem: { field, reason: expect.stringMatching(/^[a-z].{3,}/) },
    });
  });

  it('parseSignInMessage: accepts up to 4,096 characters', () => {
    const available = 4_096 - text({ statement: '' }).length;
    expect(parseSignInMessage(text({ statement: 'a'.repeat(available) })).ok).toBe(true);
    expect(parseSignInMessage(text({ statement: 'a'.repeat(available + 1) }))).toMatchObject({
      problem: { field: 'message' },
    });
  });

  it('parseSignInMessage: does not quote a rejected message', () => {
    for (const [, message] of malformedMessages)
      expect(JSON.stringify(parseSignInMessage(message))).not.toMatch(/Gatehouse|gatehouse\.example|n0nce/);
  });
});
