import 'reflect-metadata';
import { readFile } from 'node:fs/promises';
import { defineCommand, runDatabaseCommand, textFlag } from '@app/database';
import { z } from 'zod';
import { storage } from '../database/storage.js';
import { deletePolicy, findPolicyDocument, savePolicy } from '../policies/policies.queries.js';
import { InvalidPolicyError, parsePolicyDocument } from '../policies/rules/parse-policy-document.js';

const client = textFlag('id');

const set = defineCommand({
  name: 'set',
  help: 'Lets a client application do what the JSON document allows, from its next request on.',
  flags: z.object({ client, file: textFlag('path') }),
  run: async (database, flags) => {
    const document = await readFile(flags.file, 'utf8');
    parsePolicyDocument(document);
    await savePolicy(database, flags.client, document);
    return `Set the policy of ${flags.client}.\n`;
  },
});

const show = defineCommand({
  name: 'show',
  help: 'Prints the policy of a client application.',
  flags: z.object({ client }),
  run: async (database, flags) => {
    const document = await findPolicyDocument(database, flags.client);
    return document === undefined ? `${flags.client} has no policy.\n` : `${document}\n`;
  },
});

const remove = defineCommand({
  name: 'remove',
  help: 'Removes the policy of a client application. DEFAULT_POLICY decides then.',
  flags: z.object({ client }),
  run: async (database, flags) =>
    (await deletePolicy(database, flags.client))
      ? `Removed the policy of ${flags.client}.\n`
      : `${flags.client} has no policy.\n`,
});

void runDatabaseCommand(process.argv.slice(2), {
  storage,
  name: 'account-kit',
  group: 'policies',
  commands: [set, show, remove],
  isDataError: (error) => error instanceof InvalidPolicyError,
}).then((exitCode) => {
  process.exitCode = exitCode;
});
