import { open } from 'node:fs/promises';
import { AppError } from '@app/common';
import { type Database, requireOption, runDatabaseCommand } from '@app/database';
import { ACTION_LIMITS } from './actions/action-limits.js';
import { CustomActionsService } from './actions/custom-actions.service.js';
import { storage } from './database/storage.js';

const USAGE = `Usage:
  npm run gatehouse -- actions add --client <id> [--cid <cid>] --file <path>
      Lets a client application run a custom action, and prints its CID. The file must be the one that the CID names.
  npm run gatehouse -- actions list --client <id>
      Lists the custom actions of a client application: CID, bytes, time, and whose key signs. "application" is the key of the
      client application for each account; "account" the one that applications share, because an earlier release listed the
      action. Remove it and add it again to give it the other key.
  npm run gatehouse -- actions remove --client <id> --cid <cid>
      Takes a custom action from the list.
`;

interface Flags {
  readonly client?: string | undefined;
  readonly cid?: string | undefined;
  readonly file?: string | undefined;
}

const text = { type: 'string' } as const;

/** Runs one command for the lists of custom actions. @returns the exit code */
export const runActionsCommand = (args: string[]): Promise<number> =>
  runDatabaseCommand(args, {
    storage,
    name: 'account-kit',
    usage: USAGE,
    options: { client: text, cid: text, file: text },
    commands: { add, list, remove },
    isDataError: (error) => error instanceof AppError && error.statusCode < 500,
  });

async function add(database: Database, flags: Flags): Promise<string> {
  const client = requireOption('client', flags.client);
  const source = await readSource(requireOption('file', flags.file));
  return `${await new CustomActionsService(database).add(client, flags.cid, source)}\n`;
}

async function list(database: Database, flags: Flags): Promise<string> {
  const listed = await new CustomActionsService(database).list(requireOption('client', flags.client));
  const lines = listed.map(
    ({ cid, size, createdAt, keyScope }) => `${cid} ${size} ${createdAt.toISOString()} ${keyScope}\n`,
  );
  return lines.join('');
}

async function remove(database: Database, flags: Flags): Promise<string> {
  const client = requireOption('client', flags.client);
  const cid = requireOption('cid', flags.cid);
  await new CustomActionsService(database).remove(client, cid);
  return `Removed ${cid}.\n`;
}

/** Reads up to one byte more than a source may have, so that a longer file is refused without being read whole. */
async function readSource(path: string): Promise<Buffer> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(ACTION_LIMITS.sourceBytes + 1) });
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
