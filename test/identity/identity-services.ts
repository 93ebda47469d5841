import 'reflect-metadata';
import { loadConfig } from '@app/config';
import { createDatabase } from '@app/database';
import { pino } from 'pino';
import {
  type CommandServices,
  createCommandServices,
} from '../../apps/identity/src/applications/command/command-services.js';
import { createCommandOutbox } from '@app/outbox';
import { outboxOptions, storage } from '../../apps/identity/src/database/storage.js';
import { identityConfigSchema } from '../../apps/identity/src/common/identity.config.js';

/** The services of the client command in this process, for fast and concurrent changes. */
export async function identityServices(env: NodeJS.ProcessEnv): Promise<CommandServices> {
  const config = loadConfig(identityConfigSchema, env);
  const database = createDatabase(storage, config, { name: 'identity', logger: pino({ level: 'silent' }) });
  await database.connect();
  return createCommandServices(config, database, createCommandOutbox(outboxOptions, database));
}
