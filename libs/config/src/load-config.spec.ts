import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { envInteger, envOrigin } from './env-types.js';
import { loadConfig } from './load-config.js';

const schema = z.object({ PORT: envInteger(1, 65_535), SECRET: z.string().min(8), PUBLIC_URL: envOrigin });

describe('loadConfig', () => {
  it('names every wrong variable and shows no value', () => {
    const read = () =>
      loadConfig(schema, { PORT: '0x10', SECRET: 'hunter2', PUBLIC_URL: 'https://a.example/path' });
    expect(read).toThrow(/PORT: must be a whole number/);
    expect(read).toThrow(/SECRET:/);
    expect(read).toThrow(/PUBLIC_URL: must be an origin/);
    expect(read).not.toThrow(/hunter2/);
  });

  it('takes an empty variable as unset', () => {
    expect(() =>
      loadConfig(schema, { PORT: '', SECRET: '12345678', PUBLIC_URL: 'https://a.example' }),
    ).toThrow(/PORT/);
  });

  it('freezes what it read', () => {
    const config = loadConfig(schema, { PORT: '80', SECRET: '12345678', PUBLIC_URL: 'https://a.example/' });
    expect(config).toEqual({ PORT: 80, SECRET: '12345678', PUBLIC_URL: 'https://a.example' });
    expect(Object.isFrozen(config)).toBe(true);
  });
});
