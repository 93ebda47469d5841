import { AppError } from '@app/common';
import { InvalidConfiguration } from '@app/config';
import { openDatabase } from '@app/database';
import { pino } from 'pino';
import { announceChanges } from '../credentials/announce-changes.js';
import { storage } from '../database/storage.js';
import { IdentityConfig } from '../identity-config.js';
import { createClientServices } from './client-services.js';
import type { Outcome, ParsedCommand } from './define-command.js';
import { parseClientCommand, usage } from './parse-client-command.js';
import { UsageError } from './usage-error.js';

/** https://man.openbsd.org/sysexits */
const EXIT = { ok: 0, failed: 1, usage: 64, configuration: 78 } as const;

/** @returns the exit code */
export async function runClientCommand(args: string[]): Promise<number> {
  if (args.includes('--help')) {
    process.stdout.write(usage());
    return EXIT.ok;
  }
  try {
    const { wantsJson, run } = parseClientCommand(args);
    print(await withServices(run), wantsJson);
    return EXIT.ok;
  } catch (error) {
    return report(error);
  }
}

async function withServices(run: ParsedCommand['run']): Promise<Outcome> {
  const config = new IdentityConfig();
  const logger = pino({ level: 'silent' });
  const database = openDatabase(storage, config, { name: 'identity', logger });
  try {
    await database.connect();
    return await run(createClientServices(config, database, announceChanges(config.REDIS_URL, logger)));
  } finally {
    await database.close();
  }
}

function print({ json, text }: Outcome, wantsJson: boolean): void {
  process.stdout.write(wantsJson ? `${JSON.stringify(json)}\n` : `${text.join('\n')}\n`);
}

function report(error: unknown): number {
  if (error instanceof UsageError) {
    process.stderr.write(`${error.message}\n--help shows what there is.\n`);
    return EXIT.usage;
  }
  if (error instanceof InvalidConfiguration) {
    process.stderr.write(`${error.message}\n`);
    return EXIT.configuration;
  }
  const text =
    error instanceof AppError ? error.message : error instanceof Error ? error.stack : String(error);
  process.stderr.write(`${text ?? 'failed'}\n`);
  return EXIT.failed;
}
