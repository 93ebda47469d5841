import type { z } from 'zod';
import { loadConfig } from './load-config.js';

/**
 * A base class for an app's configuration: `class GatewayConfig extends configClass(schema) {}` is its type, its
 * provider and its injection token. The environment is read when it is constructed, never at import.
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
