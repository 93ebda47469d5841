import type { z } from 'zod';
import { loadConfig } from './load-config.js';

/**
 * Creates a base class: `class GatewayConfig extends createConfigClass(schema) {}` is type, provider and injection token
 * of an app's configuration. Reads the environment when constructed, not at import.
 */
export function createConfigClass<S extends z.ZodObject>(schema: S): new () => Readonly<z.output<S>> {
  class Config {
    constructor() {
      Object.assign(this, loadConfig(schema));
      Object.freeze(this);
    }
  }
  return Config as new () => Readonly<z.output<S>>;
}
