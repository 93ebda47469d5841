import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { z } from 'zod';
import { loadConfig } from './load-config.js';
import { envRedisUrl, parseRedisUrl } from './redis-url.js';

describe('REDIS_URL', () => {
  it('REDIS_URL: reads one server', () => {
    expect(parseRedisUrl('redis://cache.example')).toEqual({
      nodes: [{ host: 'cache.example', port: 6379 }],
      isCluster: false,
      access: {},
    });
    expect(parseRedisUrl('rediss://app:p%40ss%2Cword@[::1]:7000/3')).toEqual({
      nodes: [{ host: '::1', port: 7000 }],
      isCluster: false,
      access: { username: 'app', password: 'p@ss,word', db: 3, tls: {} },
    });
    expect(parseRedisUrl('redis://:secret@10.0.0.1/').access).toEqual({ password: 'secret' });
  });

  it('REDIS_URL: reads a list as nodes of a cluster', () => {
    expect(parseRedisUrl('rediss://:secret@one:7001, rediss://:secret@two:7002')).toEqual({
      nodes: [
        { host: 'one', port: 7001 },
        { host: 'two', port: 7002 },
      ],
      isCluster: true,
      access: { password: 'secret', tls: {} },
    });
  });

  it.each([
    ['redis://one,rediss://two', 'one scheme'],
    ['redis://one,', 'empty entry'],
    ['redis://one,,redis://two', 'empty entry'],
    ['redis://one,redis://two/1', 'must not name a database'],
    ['redis://one/0,redis://two/0', 'must not name a database'],
    ['redis://one/cache', 'number of a database'],
    ['redis://one/1/2', 'number of a database'],
    ['redis://:hunter2@one,redis://two', 'same user and password'],
    ['redis://u:hunter2@one,redis://v:hunter2@two', 'same user and password'],
    ['redis://:hunter2,three@one', 'comma separated'],
    ['redis://one?db=hunter2', 'nothing behind ?'],
    ['redis://one:0', 'port 0'],
    ['redis://:hunter2%zz@one', 'percent-encoded'],
    ['redis:///1', 'redis://…'],
    ['http://one', 'redis://…'],
    ['hunter2', 'redis://…'],
  ])('REDIS_URL: rejects %s', (REDIS_URL, reason) => {
    const read = () => loadConfig(z.object({ REDIS_URL: envRedisUrl }), { REDIS_URL });
    expect(read).toThrow(`REDIS_URL: `);
    expect(read).toThrow(reason);
    expect(read).not.toThrow(/hunter2/);
  });

  it('REDIS_URL: reads back any host, port, user and password', () => {
    const host = fc.stringMatching(/^[a-z]([a-z0-9-]{0,10}[a-z0-9])?$/);
    const nodes = fc.array(fc.record({ host, port: fc.integer({ min: 1, max: 65_535 }) }), {
      minLength: 1,
      maxLength: 5,
    });
    const secret = fc.string({ unit: 'grapheme', maxLength: 12 });
    fc.assert(
      fc.property(nodes, secret, secret, fc.boolean(), (wanted, username, password, hasTls) => {
        const user = `${encodeURIComponent(username)}:${encodeURIComponent(password)}`;
        const scheme = hasTls ? 'rediss' : 'redis';
        const text = wanted.map((node) => `${scheme}://${user}@${node.host}:${node.port}`).join(',');
        const { access, ...servers } = parseRedisUrl(text);
        expect(servers).toEqual({ nodes: wanted, isCluster: wanted.length > 1 });
        expect(access.username ?? '').toBe(username);
        expect(access.password ?? '').toBe(password);
        expect('tls' in access).toBe(hasTls);
      }),
    );
  });

  it('REDIS_URL: always fails with a reason', () => {
    const piece = fc.oneof(
      fc.constantFrom('redis://', 'rediss://', ',', '@', ':', '/', '?', '%', '[', ']', 'host', '6379'),
      fc.string({ maxLength: 4 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const { success, error } = envRedisUrl.safeParse(pieces.join(''));
        if (!success) expect(error.issues[0]?.message).toMatch(/^must /);
      }),
    );
  });
});
