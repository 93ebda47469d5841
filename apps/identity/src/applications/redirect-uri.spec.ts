import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  findPrivateUseProblem,
  findRedirectUriProblem,
  isPrivateUseUri,
  parseRedirectUri,
} from './redirect-uri.js';

const REGISTRABLE = [
  'https://shop.example',
  'https://shop.example/',
  'https://shop.example:8443/oauth2/done.html',
  'https://shop.example/cb?tenant=7&next=/a',
  "https://shop.example/~a-b_c.d!$&'()*+,;=:@/",
  'https://shop.example/caf%C3%A9',
  'https://xn--bcher-kva.example/cb',
  'https://192.0.2.1/cb',
  'https://shop/cb',
  'http://localhost/cb',
  'http://localhost:3000/oauth2',
  'http://127.0.0.1:5000/cb',
  'http://[::1]:65535/cb',
  'https://localhost/cb',
  'https://shop.example/...',
  'https://shop.example/.well-known/cb',
];

const REJECTED = [
  '',
  'shop.example/cb',
  '//shop.example/cb',
  'javascript:alert(1)',
  'data:text/html,a',
  'ftp://shop.example/cb',
  'HTTPS://shop.example/cb',
  'https:shop.example/cb',
  'https:/shop.example/cb',
  'https:///shop.example/cb',
  'https://',
  'https://Shop.example/cb',
  'https://shop.example/cb#fragment',
  'https://shop.example/cb#',
  'https://user@shop.example/cb',
  'https://user:pass@shop.example/cb',
  'https://@shop.example/cb',
  'https://shop.example@evil.example/cb',
  'https://shop.example\\@evil.example/cb',
  'https://shop.example\\cb',
  'https://shop.example/a/../cb',
  'https://shop.example/..',
  'https://shop.example/./cb',
  'https://shop.example/%2e%2e/cb',
  'https://shop.example/%2E/cb',
  'https://shop.example/a%2fb',
  'https://shop.example/a%5Cb',
  'https://shop.example/a b',
  'https://shop.example/a\tb',
  'https://shop.example/cb\n',
  ' https://shop.example/cb',
  'https://shop.example/%',
  'https://shop.example/%zz',
  'https://shop.example/é',
  'https://bücher.example/cb',
  'https://shop.example/a"b',
  'https://shop.example/<a>',
  'https://shop.example/{a}',
  'https://shop.example/cb?a b',
  'https://shop.example/cb?a#b',
  'https://shop.example:/cb',
  'https://shop.example:0/cb',
  'https://shop.example:080/cb',
  'https://shop.example:65536/cb',
  'https://shop.example:99999999/cb',
  'https://shop.example:80a/cb',
  'https://shop.example.:443/cb',
  'https://.shop.example/cb',
  'https://shop..example/cb',
  'https://-shop.example/cb',
  'https://shop-.example/cb',
  'https://sh_op.example/cb',
  'https://*.example/cb',
  'https://xn--/cb',
  'https://127.1/cb',
  'https://2130706433/cb',
  'https://0x7f.0.0.1/cb',
  'https://0x7f000001/cb',
  'https://0177.0.0.1/cb',
  'https://1.2.3.4.5/cb',
  'https://256.0.0.1/cb',
  'https://shop.1/cb',
  'https://[::1/cb',
  'https://[::2]/cb',
  'https://[0:0:0:0:0:0:0:1]/cb',
  'https://[::ffff:127.0.0.1]/cb',
  'https://[::1].evil.example/cb',
  'https://[::1]evil.example/cb',
  `https://shop.example/${'a'.repeat(2_048)}`,
];

const LOOPBACK_ONLY = [
  'http://shop.example/cb',
  'http://localhost.evil.example/cb',
  'http://127.0.0.1.evil.example/cb',
  'http://127.0.0.2/cb',
  'http://192.168.0.1/cb',
  'http://10.0.0.1:3000/cb',
];

const PRIVATE_USE = [
  'com.example.app:/',
  'com.example.app:/cb',
  'com.example.my-app:/oauth2redirect/example-provider',
  'com.example.app:/cb?tenant=7',
];

const NOT_PRIVATE_USE = [
  'myapp:/cb',
  'javascript:/alert(1)',
  'javascript:alert(1)',
  'data:/text',
  'vbscript:/x',
  'file:/etc/passwd',
  'blob:/x',
  'about:/blank',
  'intent:/x',
  'view-source:/x',
  'http:/shop.example',
  'com.example.app:cb',
  'com.example.app://cb',
  'com.example.app:',
  'com.example.app:/cb#x',
  'com.example.app:/c b',
  'com.example.app:/cb\n',
  'Com.example.app:/cb',
  '1com.example.app:/cb',
  '.example:/cb',
  'com.:/cb',
  'com..app:/cb',
  'com.example.app:\\cb',
  `com.example.app:/${'a'.repeat(2_048)}`,
];

describe('private-use URIs', () => {
  it.each(PRIVATE_USE)('private-use URIs: accept %s', (uri) => {
    expect([isPrivateUseUri(uri), findRedirectUriProblem(uri)]).toEqual([true, undefined]);
  });

  it.each(NOT_PRIVATE_USE)('private-use URIs: reject %j', (uri) => {
    expect(isPrivateUseUri(uri)).toBe(false);
    expect(findRedirectUriProblem(uri)).toContain('must be an https URI');
  });

  it('private-use URIs: belong to public applications, and not beside https on loopback', () => {
    const uris = ['https://shop.example/cb', 'http://localhost/cb', 'com.example.app:/cb'];
    expect(findPrivateUseProblem('public', uris)).toBeUndefined();
    expect(findPrivateUseProblem('confidential', uris)).toContain('only a public application');
    expect(findPrivateUseProblem('confidential', uris.slice(0, 2))).toBeUndefined();
    expect(findPrivateUseProblem('public', [...uris, 'https://localhost/cb'])).toContain('must use http');
  });

  it('T59: private-use URIs: never have a scheme of browsers, and the same scheme and path in a browser', () => {
    const scheme = fc.oneof(
      fc.constantFrom(
        'javascript',
        'data',
        'vbscript',
        'file',
        'blob',
        'about',
        'http',
        'https',
        'ws',
        'ftp',
      ),
      fc
        .array(fc.stringMatching(/^[a-z0-9.+-]{1,5}$/), { minLength: 1, maxLength: 3 })
        .map((parts) => parts.join('.')),
    );
    const rest = fc.stringMatching(/^[a-z:/?.%@\\#\t ]{0,8}$/);
    fc.assert(
      fc.property(scheme, rest, fc.constantFrom('', '.app'), (name, text, ending) => {
        const uri = `${name}${ending}:/${text}`;
        fc.pre(isPrivateUseUri(uri));
        expect(name + ending).toContain('.');
        const { protocol, host, username, hash } = new URL(uri);
        expect([protocol, host, username, hash]).toEqual([`${name}${ending}:`, '', '', '']);
      }),
      { numRuns: 500, maxSkipsPerRun: 1_000 },
    );
  });
});

describe('redirect URIs', () => {
  it.each(REGISTRABLE)('redirect URIs: accept %s', (uri) => {
    expect(findRedirectUriProblem(uri)).toBeUndefined();
  });

  it.each(REJECTED)('redirect URIs: reject %j', (uri) => {
    expect(parseRedirectUri(uri)).toBeUndefined();
    expect(findRedirectUriProblem(uri)).toContain('must be an https URI');
  });

  it.each(LOOPBACK_ONLY)('redirect URIs: reject %j, because http needs a loopback host', (uri) => {
    expect(parseRedirectUri(uri)?.isLoopback).toBe(false);
    expect(findRedirectUriProblem(uri)).toContain('must be https');
  });

  it('redirect URIs: are parsed into their parts as written', () => {
    expect(parseRedirectUri('http://[::1]:3000/a/b?c=%C3%A9')).toEqual({
      scheme: 'http',
      host: '[::1]',
      port: '3000',
      path: '/a/b',
      query: 'c=%C3%A9',
      isLoopback: true,
    });
    expect(parseRedirectUri('https://a?')).toMatchObject({ port: '', path: '', query: '' });
  });

  it('redirect URIs: have the same parts in a browser', () => {
    const label = fc.stringMatching(/^[a-z0-9-]{1,8}$/);
    const text = fc.stringMatching(/^[a-z0-9:/?.%@\\[\]~!$&'()*+,;=\-#\t ]{0,12}$/);
    const uri = fc
      .tuple(fc.constantFrom('https', 'http'), fc.array(label, { minLength: 1, maxLength: 3 }), text)
      .map(([scheme, labels, rest]) => `${scheme}://${labels.join('.')}${rest}`);
    fc.assert(
      fc.property(uri, (candidate) => {
        const parsed = parseRedirectUri(candidate);
        fc.pre(parsed !== undefined);
        const url = new URL(candidate);
        const port = parsed.port === (parsed.scheme === 'https' ? '443' : '80') ? '' : parsed.port;
        expect([url.protocol, url.username, url.hostname, url.port, url.hash]).toEqual([
          `${parsed.scheme}:`,
          '',
          parsed.host,
          port,
          '',
        ]);
        expect(url.pathname).toBe(parsed.path === '' ? '/' : parsed.path);
      }),
      { numRuns: 2_000 },
    );
  });
});
