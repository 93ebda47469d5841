import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { envInteger, envOrigin } from './env-schemas.js';
import { loadConfig } from './load-config.js';

const schema = z.object({ PORT: envInteger(1, 65_535), SECRET: z.string().min(8), PUBLIC_URL: envOrigin });

describe('loadConfig', () => {
  it('loadConfig: lists every invalid variable without its value', () => {
    const read = () =>
      loadConfig(schema, { PORT: '0x10', SECRET: 'hunter2', PUBLIC_URL: 'https://a.example/path' });
    expect(read).toThrow(/PORT: must be a whole number/);
    expect(read).toThrow(/SECRET:/);
    expect(read).toThrow(/PUBLIC_URL: must be an origin/);
    expect(read).not.toThrow(/hunter2/);
  });

  it('loadConfig: reports an origin that is not a URL', () => {
    const read = (PUBLIC_URL: string) => () =>
      loadConfig(schema, { PORT: '1', SECRET: '12345678', PUBLIC_URL });
    expect(read('notaurl')).toThrow(/PUBLIC_URL: /);
    expect(read('notaurl')).not.toThrow(/notaurl/);
    expect(read('http://user:hunter2@a.example')).toThrow(/PUBLIC_URL: must be an origin/);
  });

  it('loadConfig: reads a variable under its former name where the name of today is not set', () => {
    const renamed = z.object({
      MAX_STALLS: envInteger(1, 100).default(10).meta({ formerName: 'MOST_STALLS' }),
      TOKEN: z.string().min(8).meta({ secret: true, formerName: 'OLD_TOKEN' }).optional(),
    });
    expect(loadConfig(renamed, { MOST_STALLS: '3', OLD_TOKEN: 'hunter22' })).toEqual({
      MAX_STALLS: 3,
      TOKEN: 'hunter22',
    });
    expect(loadConfig(renamed, { MOST_STALLS: '3', MAX_STALLS: '4' })).toEqual({ MAX_STALLS: 4 });
    expect(loadConfig(renamed, { MOST_STALLS: '3', MAX_STALLS: '' })).toEqual({ MAX_STALLS: 3 });
    expect(loadConfig(renamed, { MOST_STALLS: '' })).toEqual({ MAX_STALLS: 10 });
    expect(() => loadConfig(renamed, { MOST_STALLS: 'many' })).toThrow(
      / MOST_STALLS: must be a whole number/,
    );
    const refined = renamed.refine(({ MAX_STALLS }) => MAX_STALLS > 2);
    expect(loadConfig(refined, { MOST_STALLS: '3' })).toEqual({ MAX_STALLS: 3 });
  });

  it('loadConfig: treats an empty variable as unset', () => {
    expect(() =>
      loadConfig(schema, { PORT: '', SECRET: '12345678', PUBLIC_URL: 'https://a.example' }),
    ).toThrow(/PORT/);
  });

  describe('with files', () => {
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-config-'));
    const file = (name: string, text: string): string => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    };
    afterAll(() => {
      rmSync(folder, { recursive: true });
    });
    const secret = z.string().min(8).meta({ secret: true });
    const withSecret = z.object({ PORT: envInteger(1, 65_535), KEY: secret, OTHER: secret.optional() });

    it('loadConfig: reads a secret from the file that <NAME>_FILE names, without its last line break', () => {
      const env = {
        PORT: '1',
        KEY_FILE: file('key', 'hunter22\n'),
        OTHER_FILE: file('other', 'a b c\nd e f\r\n'),
      };
      expect(loadConfig(withSecret, env)).toEqual({ PORT: 1, KEY: 'hunter22', OTHER: 'a b c\nd e f' });
      const refined = withSecret.refine(({ KEY }) => KEY !== 'forbidden');
      expect(loadConfig(refined, { PORT: '1', KEY_FILE: env.KEY_FILE }).KEY).toBe('hunter22');
    });

    it('loadConfig: names the variable of a file that cannot be read, is empty or too long, and no content', () => {
      const read =
        (KEY_FILE: string, more = {}) =>
        () =>
          loadConfig(withSecret, { PORT: '1', KEY_FILE, ...more });
      expect(read(join(folder, 'none'))).toThrow(/KEY_FILE: cannot be read \(ENOENT\)/);
      expect(read(folder)).toThrow(/KEY_FILE: cannot be read \(EISDIR\)/);
      expect(read(file('empty', '\n'))).toThrow(/KEY_FILE: is empty/);
      expect(read(file('long', 'x'.repeat(70_000)))).toThrow(/KEY_FILE: has more than 65536 bytes/);
      expect(read(file('short', 'hunter2'))).toThrow(/ KEY: /);
      expect(read(file('short', 'hunter2'))).not.toThrow(/hunter2/);
      expect(read(file('key', 'hunter22'), { KEY: 'hunter22' })).toThrow(
        /KEY_FILE: and KEY exclude each other/,
      );
    });

    it('loadConfig: reads no file for what is no secret, and none that has a variable of its own', () => {
      expect(() => loadConfig(withSecret, { PORT_FILE: file('port', '1'), KEY: 'hunter22' })).toThrow(
        / PORT: /,
      );
      const own = z.object({ KEY: secret.optional(), KEY_FILE: z.string().optional() });
      expect(loadConfig(own, { KEY_FILE: '/none' })).toEqual({ KEY_FILE: '/none' });
    });

    it('loadConfig: reads the URL of a chain from a file', () => {
      const perChain = z.record(z.string(), z.string()).transform((env) => env['RPC_URL_8453']);
      const url = 'https://node.example/key';
      expect(loadConfig(perChain, { RPC_URL_8453_FILE: file('node', `${url}\n`), LOG_FILE: '/none' })).toBe(
        url,
      );
    });
  });

  it('loadConfig: freezes the configuration', () => {
    const config = loadConfig(schema, { PORT: '80', SECRET: '12345678', PUBLIC_URL: 'https://a.example/' });
    expect(config).toEqual({ PORT: 80, SECRET: '12345678', PUBLIC_URL: 'https://a.example' });
    expect(Object.isFrozen(config)).toBe(true);
  });
});
