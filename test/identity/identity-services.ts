import 'reflect-metadata';
import { loadConfig } from '@app/config';
import { openDatabase } from '@app/database';
import { pino } from 'pino';
import {
  type ClientServices,
  createClientServices,
} from '../../apps/identity/src/command/client-services.js';
import { storage } from '../../apps/identity/src/database/storage.js';
import { identityConfigSchema } from '../../apps/identity/src/identity-config.js';

/** What the client command works with, in this process: to change many things at once, or many things fast. */
export async function identityServices(env: NodeJS.ProcessEnv): Promise<ClientServices> {
  const config = loadConfig(identityConfigSchema, env);
  const database = openDatabase(storage, config, { name: 'identity', logger: pino({ level: 'silent' }) });
  await database.connect();
  return createClientServices(config, database);
}
