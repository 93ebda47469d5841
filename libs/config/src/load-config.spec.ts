import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { envInteger, envOrigin } from './env-schemas.js';
import { loadConfig } from './load-config.js';

const schema = z.object({ PORT: envInteger(1, 65_535), SECRET: z.string().min(8), PUBLIC_URL: envOrigin });

describe('loadConfig', () => {
  it('lists every invalid variable without its value', () => {
    const read = () =>
      loadConfig(schema, { PORT: '0x10', SECRET: 'hunter2', PUBLIC_URL: 'https://a.example/path' });
    expect(read).toThrow(/PORT: must be a whole number/);
    expect(read).toThrow(/SECRET:/);
    expect(read).toThrow(/PUBLIC_URL: must be an origin/);
    expect(read).not.toThrow(/hunter2/);
  });

  it('reports an origin that is not a URL', () => {
    const read = (PUBLIC_URL: string) => () =>
      loadConfig(schema, { PORT: '1', SECRET: '12345678', PUBLIC_URL });
    expect(read('notaurl')).toThrow(/PUBLIC_URL: /);
    expect(read('notaurl')).not.toThrow(/notaurl/);
    expect(read('http://user:hunter2@a.example')).toThrow(/PUBLIC_URL: must be an origin/);
  });

  it('treats an empty variable as unset', () => {
    expect(() =>
      loadConfig(schema, { PORT: '', SECRET: '12345678', PUBLIC_URL: 'https://a.example' }),
    ).toThrow(/PORT/);
  });

  it('freezes the configuration', () => {
    const config = loadConfig(schema, { PORT: '80', SECRET: '12345678', PUBLIC_URL: 'https://a.example/' });
    expect(config).toEqual({ PORT: 80, SECRET: '12345678', PUBLIC_URL: 'https://a.example' });
    expect(Object.isFrozen(config)).toBe(true);
  });
});
