import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { AddressPolicy } from './address-policy.js';
import { parseOutboundUrl } from './parse-outbound-url.js';

const publicOnly = new AddressPolicy();
const allowing = (...cidrs: string[]) => new AddressPolicy(cidrs.map((cidr) => ipaddr.parseCIDR(cidr)));
const isAccepted = (url: string, policy = publicOnly) => parseOutboundUrl(url, policy).ok;

describe('parseOutboundUrl', () => {
  it.each([
    'https://example.org',
    'https://example.org/',
    'HTTPS://Example.ORG/Path',
    'https://example.org:443/a?b=c&d=%2F',
    'https://example.org:80/',
    'https://example.org:8443/hook/~x;y=1,2/(z)',
    'https://example.org:65535/',
    'https://xn--bcher-kva.example/',
    'https://a.b.c.d.e.example.co.uk/@user',
    'https://8.8.8.8/',
    'https://1.1.1.1:8443/',
    'https://[2606:4700:4700::1111]/',
    'https://[2606:4700:4700:0:0:0:0:1111]:8443/x',
    'https://example.org/?q=a/b?c:d@e',
    'https://3com.example/',
    'https://127.0.0.1.example.org/',
  ])('parseOutboundUrl: accepts %j', (url) => {
    expect(parseOutboundUrl(url, publicOnly)).toEqual({ ok: true, url: new URL(url) });
  });

  it.each([
    // Loopback in all notations that URL parsers accept.
    'https://127.0.0.1/',
    'https://127.1/',
    'https://127.0.1/',
    'https://0x7f000001/',
    'https://0x7f.0.0.1/',
    'https://0X7F.1/',
    'https://2130706433/',
    'https://017700000001/',
    'https://0177.0.0.1/',
    'https://127.000.000.001/',
    'https://00127.0.0.1/',
    'https://127.0.0.1./',
    'https://127.0.0.1.:443/',
    'https://127.0.0.0x1/',
    'https://0/',
    'https://0.0.0.0/',
    'https://[::1]/',
    'https://[::]/',
    'https://[0:0:0:0:0:0:0:1]/',
    'https://[::127.0.0.1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://[0:0:0:0:0:ffff:7f00:0001]/',
    'https://[::ffff:0:127.0.0.1]/',
    'https://[64:ff9b::127.0.0.1]/',
    'https://[64:ff9b::8.8.8.8]/',
    'https://[64:ff9b:1::7f00:1]/',
    'https://[2002:7f00:1::]/',
    'https://[2001:0:7f00:1::]/',
    'https://[fe80::1%eth0]/',
    'https://[fe80::1%25eth0]/',
    'https://[::1/',
    'https://::1/',
    'https://localhost/',
    'https://LOCALHOST/',
    'https://localhost./',
    'https://localhost:8443/',
    'https://a.localhost/',
    // Private networks, metadata services and reserved addresses.
    'https://10.0.0.1/',
    'https://172.16.0.1/',
    'https://172.31.255.255/',
    'https://192.168.1.1/',
    'https://100.64.0.1/',
    'https://169.254.169.254/latest/meta-data/',
    'https://169.254.170.2/',
    'https://100.100.100.200/',
    'https://168.63.129.16/',
    'https://192.0.0.1/',
    'https://192.0.2.1/',
    'https://192.88.99.1/',
    'https://198.18.0.1/',
    'https://198.51.100.1/',
    'https://203.0.113.1/',
    'https://224.0.0.1/',
    'https://240.0.0.1/',
    'https://255.255.255.255/',
    'https://[fc00::1]/',
    'https://[fd00:ec2::254]/',
    'https://[fe80::1]/',
    'https://[fec0::1]/',
    'https://[ff02::1]/',
    'https://[100::1]/',
    'https://[2001:db8::1]/',
    'https://[3fff::1]/',
    'https://[4000::1]/',
    'https://redis/',
    'https://redis:8443/',
    'https://db.internal/',
    'https://metadata.google.internal/',
    'https://printer.local/',
    'https://router.home.arpa/',
    'https://x.test/',
    // URLs with other schemes.
    'http://example.org/',
    'http://8.8.8.8/',
    'file:///etc/passwd',
    'ftp://example.org/',
    'gopher://example.org/',
    'javascript:alert(1)',
    'data:text/plain,x',
    '//example.org/',
    'example.org',
    '',
    'https:example.org',
    'https:/example.org',
    'https:///example.org',
    'https://',
    // User information, and hosts that look like it.
    'https://user@example.org/',
    'https://user:pass@example.org/',
    'https://@example.org/',
    'https://example.org:443@127.0.0.1/',
    'https://example.org\\@127.0.0.1/',
    'https://127.0.0.1\\.example.org/',
    'https://example.org%40127.0.0.1/',
    // Ports.
    'https://example.org:22/',
    'https://example.org:25/',
    'https://example.org:0/',
    'https://example.org:1023/',
    'https://example.org:5432/',
    'https://example.org:6379/',
    'https://example.org:27017/',
    'https://example.org:65536/',
    'https://example.org:99999/',
    'https://example.org:0443/',
    'https://example.org:/',
    'https://example.org:+443/',
    'https://example.org:443a/',
    // Whitespace, control characters, encodings, other alphabets.
    ' https://example.org/',
    'https://example.org/ ',
    'https://exa mple.org/',
    'https://example.org/a b',
    'ht\ttps://example.org/',
    'https://127.0.0.1\t/',
    'https://exam\nple.org/',
    'https://example.org/\r\nX: y',
    'https://example.org/\0',
    'https://127%2e0%2e0%2e1/',
    'https://%31%32%37.0.0.1/',
    'https://loc%61lhost/',
    'https://127。0。0。1/',
    'https://127.0.0.1/',
    'https://①②⑦.⓪.⓪.①/',
    'https://ⓛocalhost/',
    'https://١٢٧.0.0.1/',
    'https://bücher.example/',
    'https://exa\u00admple.org/',
    'https://example.org/%',
    'https://example.org/%2',
    'https://example.org/%zz',
    'https://example.org/#fragment',
    'https://example.org#@127.0.0.1/',
    'https://example.org/a\\b',
    'https://example.org/<x>',
    // Invalid host names.
    'https://example.org./',
    'https://example..org/',
    'https://.example.org/',
    'https://-a.example/',
    'https://a-.example/',
    'https://a_b.example/',
    'https://example.1/',
    'https://example.0x1/',
    'https://xn--.example/',
    `https://${'a'.repeat(64)}.example/`,
    `https://${'a.'.repeat(130)}example/`,
    `https://example.org/${'a'.repeat(2_048)}`,
  ])('parseOutboundUrl: rejects %j', (url) => {
    expect(parseOutboundUrl(url, publicOnly)).toEqual({ ok: false, problem: expect.any(String) });
  });

  it('parseOutboundUrl: accepts private hosts only inside the allowed CIDRs, over http too', () => {
    const loopback = allowing('127.0.0.0/8', '::1/128');
    expect(isAccepted('http://127.0.0.1:8080/', loopback)).toBe(true);
    expect(isAccepted('http://[::1]:8080/', loopback)).toBe(true);
    expect(isAccepted('http://[::ffff:127.0.0.1]:8080/', loopback)).toBe(true);
    expect(isAccepted('http://localhost:8080/', loopback)).toBe(true);
    expect(isAccepted('http://redis:8080/', loopback)).toBe(true);
    expect(isAccepted('http://127.1:8080/', loopback)).toBe(false);
    expect(isAccepted('http://127.0.0.1:6379/', loopback)).toBe(false);
    expect(isAccepted('http://8.8.8.8/', loopback)).toBe(false);
    expect(isAccepted('http://10.0.0.1/', loopback)).toBe(false);
    expect(isAccepted('https://localhost./', loopback)).toBe(false);
    expect(isAccepted('http://localhost:8080/', allowing('10.0.0.0/8'))).toBe(false);
    expect(isAccepted('http://localhost:8080/', allowing('::1/128'))).toBe(true);
  });

  it('parseOutboundUrl: rejects metadata services even inside the allowed CIDRs', () => {
    const everything = allowing('0.0.0.0/0', '::/0');
    expect(isAccepted('http://8.8.8.8/', everything)).toBe(true);
    for (const host of [
      '169.254.169.254',
      '[::ffff:169.254.169.254]',
      '[64:ff9b::169.254.169.254]',
      '0.0.0.0',
    ])
      expect([host, isAccepted(`http://${host}/`, everything)]).toEqual([host, false]);
    expect(isAccepted('http://[fd00:ec2::254]/', everything)).toBe(false);
  });

  it('parseOutboundUrl: parses every accepted URL as the WHATWG parser does', () => {
    const piece = fc.constantFrom(
      ...[
        'https://',
        'http://',
        '127',
        '0x7f',
        '.',
        '0',
        '1',
        '@',
        ':',
        '443',
        '/',
        '\\',
        '[',
        ']',
        '::',
        '%',
      ],
      ...['a', 'example', 'org', 'localhost', '#', '?', '\t', '。', '0177', 'ffff', '-'],
    );
    const everything = allowing('0.0.0.0/0', '::/0');
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 12 }), (pieces) => {
        const text = `https://${pieces.join('')}`;
        const parsed = parseOutboundUrl(text, everything);
        if (!parsed.ok) return;
        const [authority = ''] = text.slice('https://'.length).split(/[/?]/);
        expect(authority.toLowerCase().replace(/:443$/, '')).toBe(parsed.url.host);
        expect(parsed.url.username + parsed.url.password + parsed.url.hash).toBe('');
      }),
      { numRuns: 2_000 },
    );
  });
});
