import { posix } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isRedirectUriAllowed } from './is-redirect-uri-allowed.js';

const WEB = 'https://app.example/cb';
const WEB_QUERY = 'https://app.example/cb?tenant=7';
const WEB_PORT = 'https://app.example:8443/cb';
const LOCAL = 'http://localhost:3000/oauth2';
const LOCAL_TLS = 'https://127.0.0.1/oauth2';
const LOCAL_V6 = 'http://[::1]:9000/cb/';
const LOCAL_ROOT = 'http://127.0.0.1';
const LOCAL_QUERY = 'http://localhost/q?a=b';

const ALL = [WEB, WEB_QUERY, WEB_PORT, LOCAL, LOCAL_TLS, LOCAL_V6, LOCAL_QUERY];

const allowed = [
  WEB,
  WEB_QUERY,
  WEB_PORT,
  LOCAL,
  LOCAL_TLS,
  LOCAL_V6,
  LOCAL_QUERY,
  'http://localhost/oauth2',
  'http://localhost:1/oauth2',
  'http://localhost:65535/oauth2',
  'http://127.0.0.1:5000/oauth2/done.html',
  'http://[::1]/oauth2',
  'http://[::1]:3000/oauth2/a/b/c',
  'http://localhost:3000/oauth2/',
  'http://localhost:3000/oauth2/a-b_c.d/E9/',
  'https://localhost/oauth2',
  'https://[::1]:8443/oauth2/x',
  'http://127.0.0.1:9000/cb/',
  'http://localhost/cb/deep/er',
  'http://127.0.0.1:4000/q?a=b',
  'http://[::1]:4000/q/below?a=b',
];

/** Redirect URIs of an attacker who wants to receive another application's code. */
const hostile = [
  // Lookalike hosts.
  'https://evil.example/cb',
  'https://app.example.evil.com/cb',
  'https://evil.com/app.example/cb',
  'https://evilapp.example/cb',
  'https://sub.app.example/cb',
  'https://app.example./cb',
  'https://app-example/cb',
  'https://APP.example/cb',
  'HTTPS://app.example/cb',
  'https://app.examp1e/cb',
  'https://аpp.example/cb',
  'https://app。example/cb',
  'https://app.example%2eevil.com/cb',
  'https://app%2eexample/cb',
  // User names.
  'https://app.example@evil.com/cb',
  'https://app.example:pw@evil.com/cb',
  'https://evil.com@app.example/cb',
  'https://app.example%40evil.com/cb',
  'https://@app.example/cb',
  'https://:@app.example/cb',
  'http://127.0.0.1@evil.com/oauth2',
  'http://localhost@evil.com/oauth2',
  'http://localhost:3000@evil.com/oauth2',
  'http://user@localhost:3000/oauth2',
  'http://localhost:3000%40evil.com/oauth2',
  // Backslashes, tabs, line breaks, spaces, NUL.
  'https://app.example\\@evil.com/cb',
  'https:\\\\app.example\\cb',
  'https://evil.com\\app.example/cb',
  'https://app.example\\cb',
  'https:/\\evil.com/cb',
  'http://localhost:3000\\oauth2',
  'http://localhost\\@evil.com/oauth2',
  'ht\ttps://app.example/cb',
  'https://app.exa\tmple/cb',
  'https://app.example/c\tb',
  'https://app.example/cb\t',
  'https://app.example/cb\n',
  'https://app.example/cb\r\nSet-Cookie: a=b',
  '\nhttps://app.example/cb',
  ' https://app.example/cb',
  'https://app.example/cb ',
  'https://app.example /cb',
  'https://app.example/cb\0',
  '\u0000https://app.example/cb',
  'https://app.example/cb\u00a0',
  'http://localhost:3000/oauth2\n',
  'http://local\nhost:3000/oauth2',
  // Paths.
  'https://app.example/cbevil',
  'https://app.example/cb/',
  'https://app.example/cb/x',
  'https://app.example/CB',
  'https://app.example/',
  'https://app.example',
  'https://app.example//cb',
  'https://app.example/cb/../x',
  'https://app.example/x/../cb',
  'https://app.example/./cb',
  'https://app.example/%63b',
  'https://app.example/cb%2f',
  'https://app.example/cb%00',
  'https://app.example/cb;x',
  'http://localhost:3000/oauth2x',
  'http://localhost:3000/oauth2x/done',
  'http://localhost:3000/oauth',
  'http://localhost:3000/',
  'http://localhost:3000',
  'http://localhost:3000/Oauth2',
  'http://localhost:3000/oauth2/../admin',
  'http://localhost:3000/oauth2/..',
  'http://localhost:3000/oauth2/.',
  'http://localhost:3000/oauth2/./x',
  'http://localhost:3000/oauth2/%2e%2e/admin',
  'http://localhost:3000/oauth2/%2E%2e/admin',
  'http://localhost:3000/oauth2/.%2e/admin',
  'http://localhost:3000/oauth2/..%2fadmin',
  'http://localhost:3000/oauth2/..%5cadmin',
  'http://localhost:3000/oauth2%2fdone',
  'http://localhost:3000/oauth2/a\\..\\..\\b',
  'http://localhost:3000/%6fauth2',
  'http://localhost:3000/x/oauth2',
  'http://localhost:3000/oauth2/%',
  'http://localhost:3000/oauth2/%zz',
  'http://[::1]:9000/cb',
  // Segments that some servers read as others: path parameters, empty ones, escapes, and what Windows drops or reads as a stream.
  'http://localhost:3000/oauth2/..;/admin',
  'http://localhost:3000/oauth2/..;x=y/admin',
  'http://localhost:3000/oauth2/.;/x',
  'http://localhost:3000/oauth2/;/x',
  'http://localhost:3000/oauth2/;x/..;/admin',
  'http://localhost:3000/oauth2/a;b=c',
  'http://localhost:3000/oauth2/..%3b/admin',
  'http://localhost:3000/oauth2//',
  'http://localhost:3000/oauth2//admin',
  'http://localhost:3000/oauth2//evil.com/x',
  'http://localhost:3000/oauth2/a//b',
  'http://localhost/cb//',
  'http://localhost:3000/oauth2/%252e%252e/admin',
  'http://localhost:3000/oauth2/%c0%ae%c0%ae/admin',
  'http://localhost:3000/oauth2/%ef%bc%8e%ef%bc%8e/admin',
  'http://localhost:3000/oauth2/..%00/admin',
  'http://localhost:3000/oauth2/..%20/admin',
  'http://localhost:3000/oauth2/.../admin',
  'http://localhost:3000/oauth2/a./b',
  'http://localhost:3000/oauth2/a%20b',
  'http://localhost:3000/oauth2/%61dmin',
  'http://localhost:3000/oauth2/a::$DATA',
  'http://localhost:3000/oauth2/ADMINI~1',
  'http://localhost:3000/oauth2/*',
  // Queries and fragments.
  'https://app.example/cb?x=y',
  'https://app.example/cb?',
  'https://app.example/cb?tenant=8',
  'https://app.example/cb?tenant=7&x=y',
  'https://app.example/cb?tenant=7#',
  'https://app.example/cb#',
  'https://app.example/cb#evil',
  'https://app.example/cb#@evil.com',
  'https://app.example#@evil.com/cb',
  'https://app.example?@evil.com/cb',
  'http://localhost:3000/oauth2?x=y',
  'http://localhost:3000/oauth2?',
  'http://localhost:3000/oauth2#x',
  'http://localhost/q',
  'http://localhost/q?a=c',
  'http://localhost/q?a=b&c=d',
  // Ports.
  'https://app.example:443/cb',
  'https://app.example:8444/cb',
  'https://app.example:/cb',
  'https://app.example:8443x/cb',
  'https://app.example:08443/cb',
  'https://app.example:99999/cb',
  'http://localhost:0/oauth2',
  'http://localhost:00080/oauth2',
  'http://localhost:65536/oauth2',
  'http://localhost:/oauth2',
  'http://localhost:-1/oauth2',
  'http://localhost:3000:4000/oauth2',
  'http://localhost:3e3/oauth2',
  // Almost loopback.
  'http://localhost.evil.com/oauth2',
  'http://localhost.evil.com:3000/oauth2',
  'http://evil.localhost:3000/oauth2',
  'http://localhost.:3000/oauth2',
  'http://LOCALHOST:3000/oauth2',
  'http://127.0.0.1.evil.com/oauth2',
  'http://127.0.0.1.nip.io/oauth2',
  'http://[::1].evil/oauth2',
  'http://[::1]evil.com/oauth2',
  'http://evil[::1]/oauth2',
  'http://::1/oauth2',
  'http://[::1/oauth2',
  'http://[0:0:0:0:0:0:0:1]/oauth2',
  'http://[::ffff:127.0.0.1]/oauth2',
  'http://[::]/oauth2',
  'http://[::1%25eth0]/oauth2',
  'http://127.1/oauth2',
  'http://127.0.1/oauth2',
  'http://127.0.0.2/oauth2',
  'http://127.0.0.01/oauth2',
  'http://0.0.0.0/oauth2',
  'http://0/oauth2',
  'http://2130706433/oauth2',
  'http://0x7f000001/oauth2',
  'http://0x7f.0.0.1/oauth2',
  'http://0177.0.0.1/oauth2',
  'http://017700000001/oauth2',
  'http://127.0.0.1./oauth2',
  'http://１２７.0.0.1/oauth2',
  'http://localhoſt:3000/oauth2',
  'http://ⓛocalhost:3000/oauth2',
  'http://loc%61lhost:3000/oauth2',
  'http://127%2e0.0.1/oauth2',
  // URIs with other schemes.
  'http://app.example/cb',
  'javascript:alert(1)//https://app.example/cb',
  'data:text/html,https://app.example/cb',
  'vbscript:msgbox(1)',
  'file:///cb',
  'ftp://app.example/cb',
  'blob:https://app.example/cb',
  'https:app.example/cb',
  'https:/app.example/cb',
  'https:///app.example/cb',
  '//app.example/cb',
  'app.example/cb',
  '/cb',
  'com.example.app:/cb',
  'http://localhost:3000/oauth2 https://evil.com',
  'https://app.example/cb,https://evil.com',
  'ws://localhost:3000/oauth2',
  '',
  '*',
  'null',
  'undefined',
];

/** How servers and file systems change a path before they look it up. */
const readings: ((path: string) => string)[] = [
  (path) => path.replace(/%[0-9a-f]{2}/gi, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16))),
  (path) => path.replaceAll(/%c0%ae|%ef%bc%8e/gi, '.'),
  (path) => path.replaceAll(/;[^/]*/g, ''),
  (path) => path.replaceAll(/\/{2,}/g, '/'),
  (path) => path.replaceAll('\\', '/'),
  (path) => path.replaceAll(/[. ]+(?=\/|$)/g, ''),
  (path) => path.replace(/:.*$/, ''),
  (path) => path.replace(/~\d/, 'nistrator'),
  (path) => path.replace(/\0.*$/s, ''),
  (path) => path.replaceAll('+', ' '),
  (path) => posix.normalize(path),
];

describe('isRedirectUriAllowed', () => {
  it.each(allowed)('isRedirectUriAllowed: allows %j', (uri) => {
    expect(isRedirectUriAllowed(uri, ALL)).toBe(true);
  });

  it('isRedirectUriAllowed: is tested with at least 150 distinct hostile URIs', () => {
    expect(new Set(hostile).size).toBe(hostile.length);
    expect(hostile.length).toBeGreaterThanOrEqual(150);
  });

  it.each(hostile)('isRedirectUriAllowed: refuses %j', (uri) => {
    expect(isRedirectUriAllowed(uri, ALL)).toBe(false);
  });

  it('T59: isRedirectUriAllowed: allows below a loopback URI only paths that no server reads as another one', () => {
    const piece = fc.constantFrom(
      ...[
        'a',
        'admin',
        '.',
        '..',
        '...',
        '/',
        '//',
        ';',
        ';x=y',
        '%2e',
        '%2f',
        '%5c',
        '%25',
        '%3b',
        '%00',
        '%20',
      ],
      ...['%61', '%c0%ae', '%ef%bc%8e', '~1', '::$DATA', '-', '_', '+', '@', '&', ','],
    );
    const base = '/oauth2';
    let allowedPaths = 0;
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 6 }),
        fc.array(fc.constantFrom(...readings)),
        (pieces, servers) => {
          const path = `${base}/${pieces.join('')}`;
          fc.pre(isRedirectUriAllowed(`http://localhost:3000${path}`, [LOCAL]));
          allowedPaths += 1;
          expect(servers.reduce((read, server) => server(read), path)).toBe(path);
        },
      ),
      { numRuns: 300, maxSkipsPerRun: 1_000 },
    );
    expect(allowedPaths).toBeGreaterThan(0);
  });

  it('isRedirectUriAllowed: allows a private-use URI only byte for byte', () => {
    const native = 'com.example.app:/cb';
    const registered = [native, LOCAL];
    expect(isRedirectUriAllowed(native, registered)).toBe(true);
    for (const other of ['/', '/x', '?x=y', '#x', ';x', '%20'])
      expect(isRedirectUriAllowed(native + other, registered)).toBe(false);
    for (const other of [
      'com.example.app:/',
      'com.example.app:/CB',
      'com.example.other:/cb',
      'javascript:/cb',
    ])
      expect(isRedirectUriAllowed(other, registered)).toBe(false);
  });

  it('isRedirectUriAllowed: allows every path below a registered loopback root', () => {
    expect(isRedirectUriAllowed('http://127.0.0.1:5000/anything/at/all', [LOCAL_ROOT])).toBe(true);
    expect(isRedirectUriAllowed('http://localhost/', [LOCAL_ROOT])).toBe(true);
    expect(isRedirectUriAllowed('https://localhost/', [LOCAL_ROOT])).toBe(false);
  });

  it('isRedirectUriAllowed: refuses a URI that is not registered', () => {
    expect(isRedirectUriAllowed(WEB, [])).toBe(false);
    expect(isRedirectUriAllowed(WEB, [LOCAL])).toBe(false);
    expect(isRedirectUriAllowed(LOCAL, [WEB])).toBe(false);
  });

  it('isRedirectUriAllowed: allows only the exact registered URI for a host that is not loopback', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 30 }), fc.nat(WEB.length), (noise, at) => {
        const changed = WEB.slice(0, at) + noise + WEB.slice(at);
        expect(isRedirectUriAllowed(changed, [WEB])).toBe(changed === WEB);
      }),
    );
  });

  it('isRedirectUriAllowed: allows only loopback hosts if only loopback URIs are registered', () => {
    const loopback = /^(?:localhost|127\.0\.0\.1|\[::1\])$/;
    const piece = fc.constantFrom(
      ...[
        'http://',
        'https://',
        'localhost',
        '127.0.0.1',
        '[::1]',
        'evil.com',
        ':',
        '@',
        '/',
        '\\',
        '.',
        '#',
        '?',
      ],
      ...['%2f', '%40', '\t', ' ', '3000', 'oauth2', '..', 'ⓛ'],
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 9 }), (pieces) => {
        const uri = pieces.join('');
        if (isRedirectUriAllowed(uri, [LOCAL, LOCAL_V6])) expect(new URL(uri).hostname).toMatch(loopback);
      }),
      { numRuns: 2_000 },
    );
  });
});
