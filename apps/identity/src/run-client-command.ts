import { AppError } from '@app/common';
import { InvalidConfigurationError } from '@app/config';
import { createDatabase, EXIT_CODES, UsageError } from '@app/database';
import { createCommandOutbox } from '@app/outbox';
import { pino } from 'pino';
import { createChangePublisher } from './tokens/change-feed/credential-transaction.service.js';
import { outboxOptions, storage } from './database/storage.js';
import { IdentityConfig } from './common/identity.config.js';
import { createCommandServices } from './applications/command/command-services.js';
import { CommandLineConfig } from './command-line/command-line.config.js';
import { isRemoteCommand, REMOTE_USAGES, runRemoteCommand } from './command-line/run-remote-command.js';
import type { CommandOutput, ParsedCommand } from './applications/command/define-command.js';
import { parseClientCommand, formatUsage } from './applications/command/parse-client-command.js';

/** Runs one command of the client-application command line. @returns the exit code */
export async function runClientCommand(args: string[]): Promise<number> {
  if (args.includes('--help')) {
    process.stdout.write(formatUsage(REMOTE_USAGES));
    return EXIT_CODES.ok;
  }
  try {
    if (isRemoteCommand(args[0])) return await runRemoteCommand(args, new CommandLineConfig());
    const { wantsJson, run } = parseClientCommand(args);
    printOutput(await runWithServices(run), wantsJson);
    return EXIT_CODES.ok;
  } catch (error) {
    return reportError(error);
  }
}

async function runWithServices(run: ParsedCommand['run']): Promise<CommandOutput> {
  const config = new IdentityConfig();
  const logger = pino({ level: 'silent' });
  const database = createDatabase(storage, config, { name: 'identity', logger });
  try {
    await database.connect();
    const outbox = createCommandOutbox(outboxOptions, database);
    const publishChange = createChangePublisher(config.REDIS_URL, logger);
    return await run(createCommandServices(config, database, outbox, publishChange));
  } finally {
    await database.close();
  }
}

function printOutput({ json, text }: CommandOutput, wantsJson: boolean): void {
  process.stdout.write(wantsJson ? `${JSON.stringify(json)}\n` : `${text.join('\n')}\n`);
}

function reportError(error: unknown): number {
  if (error instanceof UsageError) {
    process.stderr.write(`${error.message}\nRun with --help to list the commands.\n`);
    return EXIT_CODES.usage;
  }
  if (error instanceof InvalidConfigurationError) {
    process.stderr.write(`${error.message}\n`);
    return EXIT_CODES.configuration;
  }
  const text =
    error instanceof AppError ? error.message : error instanceof Error ? error.stack : String(error);
  process.stderr.write(`${text ?? 'failed'}\n`);
  return EXIT_CODES.failed;
}
