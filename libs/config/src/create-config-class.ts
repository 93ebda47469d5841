import type { z } from 'zod';
import { loadConfig } from './load-config.js';

/** A provider of configuration, by which an app's whole configuration is found in its modules. */
export interface ConfigClass<S extends z.ZodObject = z.ZodObject<z.ZodRawShape>> {
  readonly configSchema: S;
}

/**
 * Creates a base class: `class GatewayConfig extends createConfigClass(schema) {}` is type, provider and injection token
 * of an app's configuration. Reads the environment when constructed, not at import.
 */
export function createConfigClass<S extends z.ZodObject>(
  schema: S,
): (new () => Readonly<z.output<S>>) & ConfigClass<S> {
  class Config {
    constructor() {
      Object.assign(this, loadConfig(schema));
      Object.freeze(this);
    }
  }
  return Object.assign(Config as new () => Readonly<z.output<S>>, { configSchema: schema });
}
