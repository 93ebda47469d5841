import { type SignInField } from '@app/chain/sign-in';

/** The lines of a message with every field. */
const fullMessage: readonly string[] = [
  'https://gatehouse.example:8443 wants you to sign in with your Ethereum account:',
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  '',
  'Sign in to Gatehouse, and to nothing else.',
  '',
  'URI: https://gatehouse.example:8443/login?from=%2Fportal#top',
  'Version: 1',
  'Chain ID: 8453',
  'Nonce: n0nceOfLetters123',
  'Issued At: 2026-11-20T16:00:00.000Z',
  'Expiration Time: 2026-11-20T16:10:00.000Z',
  'Not Before: 2026-11-20T15:59:00+00:00',
  'Request ID: request-1:a@b',
  'Resources:',
  '- https://gatehouse.example:8443/#credential',
  '- urn:scope:$public',
];

export const fullText = fullMessage.join('\n');

/** The full message with the line that begins with `start` replaced. */
function having(start: string, ...lines: readonly string[]): string {
  const at = fullMessage.findIndex((line) => line.startsWith(start));
  if (at < 0) throw new Error(`no line begins with ${start}`);
  return fullMessage.toSpliced(at, 1, ...lines).join('\n');
}

const without = (start: string): string => having(start);

function swapped(one: string, other: string): string {
  const lines = [...fullMessage];
  const [a, b] = [one, other].map((start) => lines.findIndex((line) => line.startsWith(start)));
  [lines[a ?? 0], lines[b ?? 0]] = [lines[b ?? 0] ?? '', lines[a ?? 0] ?? ''];
  return lines.join('\n');
}

const twice = (start: string): string => {
  const line = fullMessage.find((each) => each.startsWith(start)) ?? '';
  return having(start, line, line);
};

const greeting = 'wants you to sign in with your Ethereum account:';
const origin = (text: string): string => having('https://', `${text} ${greeting}`);
const address = (text: string): string => having('0x', text);
const statement = (...lines: readonly string[]): string => having('Sign in to', ...lines);
const uri = (text: string): string => having('URI:', `URI: ${text}`);
const chainId = (text: string): string => having('Chain ID:', `Chain ID: ${text}`);
const nonce = (text: string): string => having('Nonce:', `Nonce: ${text}`);
const issuedAt = (text: string): string => having('Issued At:', `Issued At: ${text}`);

export type MalformedMessage = readonly [family: string, text: string, field: SignInField];

/** Messages with one fault each, and the field that the error has to name. */
export const malformedMessages: readonly MalformedMessage[] = [
  ['no text', '', 'message'],
  ['a text that is not a sign-in message', 'hello', 'message'],
  ['the greeting of another chain', fullText.replace('Ethereum', 'Solana'), 'message'],
  ['a greeting with another capitalization', fullText.replace('wants you', 'Wants you'), 'message'],
  ['a greeting without its colon', fullText.replace('account:', 'account'), 'message'],
  ['text after the greeting', fullText.replace('account:', 'account: '), 'message'],
  ['an empty line before the first line', `\n${fullText}`, 'message'],
  ['a byte order mark', `\uFEFF${fullText}`, 'scheme'],
  ['a line break at the end', `${fullText}\n`, 'message'],
  ['carriage returns', fullText.replaceAll('\n', '\r\n'), 'message'],
  ['an unknown line', having('Request ID:', 'Request ID: 1', 'Colour: blue'), 'message'],
  ['more than 4 KiB', statement('a'.repeat(4_096)), 'message'],

  ['no domain', fullText.slice('https://gatehouse.example:8443'.length), 'domain'],
  ['a scheme without a domain', origin('https://'), 'domain'],
  ['a domain that is only a port', origin(':443'), 'domain'],
  ['a domain with a path', origin('gatehouse.example/login'), 'domain'],
  ['a domain with a question mark', origin('gatehouse.example?x'), 'domain'],
  ['a domain with a space', origin('gate house.example'), 'domain'],
  ['a domain with a backslash', origin('gatehouse.example\\@evil.example'), 'domain'],
  ['a domain beyond ASCII', origin('gatehousé.example'), 'domain'],
  ['a port that is not a number', origin('gatehouse.example:https'), 'domain'],
  ['two ports', origin('gatehouse.example:1:2'), 'domain'],
  ['an IPv6 address without brackets', origin('::1'), 'domain'],
  ['an IPv6 address that is too long', origin('[1:2:3:4:5:6:7:8:9]'), 'domain'],
  ['an IPv6 address with a zone', origin('[fe80::1%25eth0]'), 'domain'],
  ['half a percent-encoding in the domain', origin('gatehouse%2.example'), 'domain'],
  ['two schemes', origin('https://https://gatehouse.example'), 'domain'],
  ['a scheme that begins with a digit', origin('3https://gatehouse.example'), 'scheme'],
  ['an empty scheme', origin('://gatehouse.example'), 'scheme'],

  ['no address', without('0x'), 'address'],
  ['an empty address', address(''), 'address'],
  ['an address in lower case', address('0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed'), 'address'],
  ['an address in upper case', address('0x5AAEB6053F3E94C9B9A09F33669435E7EF1BEAED'), 'address'],
  ['an address with one wrong case', address('0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'), 'address'],
  ['an address with one wrong digit', address('0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAee'), 'address'],
  ['an address that begins with 0X', address('0X5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'), 'address'],
  ['an address without 0x', address('5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'), 'address'],
  ['39 digits', address('0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAe'), 'address'],
  ['41 digits', address('0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed0'), 'address'],
  ['an invalid digit', address('0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeg'), 'address'],
  ['a space after the address', address('0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed '), 'address'],
  ['a name instead of an address', address('vitalik.eth'), 'address'],
  ['an account id instead', address('eip155:1:0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'), 'address'],
  ['no empty line after the address', fullMessage.toSpliced(2, 1).join('\n'), 'address'],

  ['a line break in the statement', statement('Sign in to Gatehouse,', 'and to nothing else.'), 'statement'],
  ['a second paragraph in the statement', statement('Sign in.', '', 'To Gatehouse.'), 'uri'],
  ['an extra empty line before the statement', statement('', 'Sign in.'), 'uri'],
  ['no empty line after the statement', fullMessage.toSpliced(4, 1).join('\n'), 'statement'],
  ['a statement with quotes', statement('Sign in to "Gatehouse".'), 'statement'],
  ['a statement with a percent sign', statement('100% Gatehouse'), 'statement'],
  ['a statement with angle brackets', statement('Sign in to <b>Gatehouse</b>'), 'statement'],
  ['a statement with a tab', statement('Sign\tin'), 'statement'],
  ['a statement with a carriage return', statement('Sign in\r'), 'statement'],
  ['a statement with U+2028', statement('Sign in\u2028to Gatehouse'), 'statement'],
  ['a statement beyond ASCII', statement('Sign in to Gatehouse…'), 'statement'],
  ['a statement with a NUL character', statement('Sign in\0'), 'statement'],
  ['a statement that imitates fields', statement('Sign in.\n\nURI: https://evil.example/'), 'version'],

  ['no URI', without('URI:'), 'uri'],
  ['an empty URI', uri(''), 'uri'],
  ['a URI without a scheme', uri('gatehouse.example/login'), 'uri'],
  ['a path', uri('/login'), 'uri'],
  ['a URI with a space', uri('https://gatehouse.example/log in'), 'uri'],
  ['a URI with half a percent-encoding', uri('https://gatehouse.example/%4'), 'uri'],
  ['a URI with a backslash', uri('https:\\\\gatehouse.example'), 'uri'],
  ['a URI with two fragments', uri('https://gatehouse.example/#a#b'), 'uri'],
  ['a URI with an IPv4 part beyond 255', uri('https://[::1.2.3.256]/'), 'uri'],
  ['a URI beyond ASCII', uri('https://gatehouse.example/ü'), 'uri'],

  ['no version', without('Version:'), 'version'],
  ['version 2', having('Version:', 'Version: 2'), 'version'],
  ['version 1.0', having('Version:', 'Version: 1.0'), 'version'],
  ['version 01', having('Version:', 'Version: 01'), 'version'],
  ['an empty version', having('Version:', 'Version: '), 'version'],

  ['no chain id', without('Chain ID:'), 'chainId'],
  ['an empty chain id', chainId(''), 'chainId'],
  ['chain id 0', chainId('0'), 'chainId'],
  ['chain id 01', chainId('01'), 'chainId'],
  ['a negative chain id', chainId('-1'), 'chainId'],
  ['a chain id with a sign', chainId('+1'), 'chainId'],
  ['chain id 1e3', chainId('1e3'), 'chainId'],
  ['chain id 0x1', chainId('0x1'), 'chainId'],
  ['chain id 1.0', chainId('1.0'), 'chainId'],
  ['chain id 1,000', chainId('1,000'), 'chainId'],
  ['chain id 2^53', chainId('9007199254740992'), 'chainId'],
  ['a chain id of 40 digits', chainId('1'.repeat(40)), 'chainId'],
  ['a chain id in other digits', chainId('١'), 'chainId'],
  ['a CAIP-2 chain id', chainId('eip155:1'), 'chainId'],
  ['a space before the chain id', chainId(' 1'), 'chainId'],

  ['no nonce', without('Nonce:'), 'nonce'],
  ['an empty nonce', nonce(''), 'nonce'],
  ['a nonce of 7', nonce('1234567'), 'nonce'],
  ['a nonce with a hyphen', nonce('12345678-9'), 'nonce'],
  ['a nonce with an underscore', nonce('12345678_9'), 'nonce'],
  ['a nonce in base64', nonce('MTIzNDU2Nzg='), 'nonce'],
  ['a nonce with a letter beyond ASCII', nonce('nonceäöüß'), 'nonce'],
  ['a space after the nonce', nonce('12345678 '), 'nonce'],

  ['no issue time', without('Issued At:'), 'issuedAt'],
  ['an empty time', issuedAt(''), 'issuedAt'],
  ['a date without a time', issuedAt('2026-11-20'), 'issuedAt'],
  ['a time without an offset', issuedAt('2026-11-20T16:00:00'), 'issuedAt'],
  ['a time without seconds', issuedAt('2026-11-20T16:00Z'), 'issuedAt'],
  ['a space between date and time', issuedAt('2026-11-20 16:00:00Z'), 'issuedAt'],
  ['small letters in a time', issuedAt('2026-11-20t16:00:00z'), 'issuedAt'],
  ['the time of a browser', issuedAt('Fri Nov 20 2026 16:00:00 GMT+0000 (UTC)'), 'issuedAt'],
  ['seconds since 1970', issuedAt('1795190400'), 'issuedAt'],
  ['the basic form of ISO 8601', issuedAt('20261120T160000Z'), 'issuedAt'],
  ['a week date', issuedAt('2026-W47-5T16:00:00Z'), 'issuedAt'],
  ['month 0', issuedAt('2026-00-20T16:00:00Z'), 'issuedAt'],
  ['month 13', issuedAt('2026-13-20T16:00:00Z'), 'issuedAt'],
  ['day 0', issuedAt('2026-11-00T16:00:00Z'), 'issuedAt'],
  ['the 31st of November', issuedAt('2026-11-31T16:00:00Z'), 'issuedAt'],
  ['the 29th of February of 2026', issuedAt('2026-02-29T16:00:00Z'), 'issuedAt'],
  ['the 29th of February of 2100', issuedAt('2100-02-29T16:00:00Z'), 'issuedAt'],
  ['24 o’clock', issuedAt('2026-11-20T24:00:00Z'), 'issuedAt'],
  ['minute 60', issuedAt('2026-11-20T16:60:00Z'), 'issuedAt'],
  ['a leap second', issuedAt('2026-12-31T23:59:60Z'), 'issuedAt'],
  ['an offset of 24 hours', issuedAt('2026-11-20T16:00:00+24:00'), 'issuedAt'],
  ['an offset without a colon', issuedAt('2026-11-20T16:00:00+0100'), 'issuedAt'],
  ['a year of 5 digits', issuedAt('+02026-11-20T16:00:00Z'), 'issuedAt'],
  ['a comma before the fraction', issuedAt('2026-11-20T16:00:00,5Z'), 'issuedAt'],
  ['an empty fraction', issuedAt('2026-11-20T16:00:00.Z'), 'issuedAt'],
  [
    'an expiration that never was',
    having('Expiration', 'Expiration Time: 2026-02-30T00:00:00Z'),
    'expirationTime',
  ],
  ['an empty expiration', having('Expiration', 'Expiration Time: '), 'expirationTime'],
  [
    'a start that never was, beside a good expiration',
    having('Not Before', 'Not Before: 2026-04-31T00:00:00Z'),
    'notBefore',
  ],
  [
    'a start that never was, and no expiration',
    having('Not Before', 'Not Before: tomorrow').replace(/^Expiration.*\n/m, ''),
    'notBefore',
  ],

  ['a request id with a space', having('Request ID:', 'Request ID: a b'), 'requestId'],
  ['a request id with a slash', having('Request ID:', 'Request ID: a/b'), 'requestId'],
  ['a request id with half a percent-encoding', having('Request ID:', 'Request ID: %z1'), 'requestId'],

  ['resources on the line of their heading', having('Resources:', 'Resources: urn:a:b'), 'resources'],
  ['a resource without a hyphen', having('- urn:', 'urn:scope:$public'), 'message'],
  ['a resource without a space', having('- urn:', '-urn:scope:$public'), 'message'],
  ['two resources in one line', having('- urn:', '- urn:a:b - urn:c:d'), 'resources'],
  ['an empty resource', having('- urn:', '- '), 'resources'],
  ['a resource that is not a URI', having('- urn:', '- not_a_uri'), 'resources'],
  ['resources without their heading', without('Resources:'), 'message'],
  ['an empty line between resources', having('- urn:', '', '- urn:a:b'), 'message'],
  ['a field after the resources', `${without('Request ID:')}\nRequest ID: 1`, 'requestId'],

  ['two URIs', twice('URI:'), 'version'],
  ['two versions', twice('Version:'), 'chainId'],
  ['two chain ids', twice('Chain ID:'), 'nonce'],
  ['two nonces', twice('Nonce:'), 'issuedAt'],
  ['two issue times', twice('Issued At:'), 'issuedAt'],
  ['two expirations', twice('Expiration Time:'), 'expirationTime'],
  ['two starts', twice('Not Before:'), 'notBefore'],
  ['two request ids', twice('Request ID:'), 'requestId'],
  ['two headings of resources', twice('Resources:'), 'resources'],
  ['two addresses', twice('0x'), 'address'],

  ['version before URI', swapped('URI:', 'Version:'), 'uri'],
  ['chain id before version', swapped('Version:', 'Chain ID:'), 'version'],
  ['nonce before chain id', swapped('Chain ID:', 'Nonce:'), 'chainId'],
  ['issue time before nonce', swapped('Nonce:', 'Issued At:'), 'nonce'],
  ['expiration before issue time', swapped('Issued At:', 'Expiration'), 'issuedAt'],
  ['start before expiration', swapped('Expiration', 'Not Before'), 'expirationTime'],
  ['request id before start', swapped('Not Before', 'Request ID'), 'notBefore'],
  ['small letters in a tag', having('Nonce:', 'nonce: n0nceOfLetters123'), 'nonce'],
  ['no space after a tag', having('Nonce:', 'Nonce:n0nceOfLetters123'), 'nonce'],
  ['a space before a tag', having('Nonce:', ' Nonce: n0nceOfLetters123'), 'nonce'],
];
