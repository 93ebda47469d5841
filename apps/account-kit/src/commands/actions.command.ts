import 'reflect-metadata';
import { open } from 'node:fs/promises';
import { AppError } from '@app/common';
import { defineCommand, runDatabaseCommand, textFlag } from '@app/database';
import { z } from 'zod';
import { ACTION_LIMITS } from '../actions/action-limits.js';
import { CustomActionsService } from '../actions/custom-actions.service.js';
import { storage } from '../database/storage.js';

const client = textFlag('id');
const cid = textFlag('cid');

const add = defineCommand({
  name: 'add',
  help: `Lets a client application run a custom action, and prints its CID. The file must be the one that the CID names.`,
  flags: z.object({ client, cid: cid.optional(), file: textFlag('path') }),
  run: async (database, flags) => {
    const source = await readSource(flags.file);
    return `${await new CustomActionsService(database).add(flags.client, flags.cid, source)}\n`;
  },
});

const list = defineCommand({
  name: 'list',
  help: `Lists the custom actions of a client application: CID, bytes, time, and whose key signs. "application" is the key of the
client application for each account; "account" the one that applications share, because an earlier release listed the
action. Remove it and add it again to give it the other key.`,
  flags: z.object({ client }),
  run: async (database, flags) => {
    const listed = await new CustomActionsService(database).list(flags.client);
    const lines = listed.map(
      (action) => `${action.cid} ${action.size} ${action.createdAt.toISOString()} ${action.keyScope}\n`,
    );
    return lines.join('');
  },
});

const remove = defineCommand({
  name: 'remove',
  help: 'Takes a custom action from the list.',
  flags: z.object({ client, cid }),
  run: async (database, flags) => {
    await new CustomActionsService(database).remove(flags.client, flags.cid);
    return `Removed ${flags.cid}.\n`;
  },
});

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

void runDatabaseCommand(process.argv.slice(2), {
  storage,
  name: 'account-kit',
  group: 'actions',
  commands: [add, list, remove],
  isDataError: (error) => error instanceof AppError && error.statusCode < 500,
}).then((exitCode) => {
  process.exitCode = exitCode;
});
