import { readFile } from 'node:fs/promises';
import { type Database, requireOption, runDatabaseCommand } from '@app/database';
import { storage } from './database/storage.js';
import { deletePolicy, findPolicyDocument, savePolicy } from './policies/policies.queries.js';
import { InvalidPolicyError, parsePolicyDocument } from './policy-rules/parse-policy-document.js';

const USAGE = `Usage:
  npm run gatehouse -- policies set --client <id> --file <path>
      Lets a client application do what the JSON document allows, from its next request on.
  npm run gatehouse -- policies show --client <id>
      Prints the policy of a client application.
  npm run gatehouse -- policies remove --client <id>
      Removes the policy of a client application. DEFAULT_POLICY decides then.
`;

interface Flags {
  readonly client?: string | undefined;
  readonly file?: string | undefined;
}

const text = { type: 'string' } as const;

/** Runs one command for the policies of client applications. @returns the exit code */
export const runPoliciesCommand = (args: string[]): Promise<number> =>
  runDatabaseCommand(args, {
    storage,
    name: 'account-kit',
    usage: USAGE,
    options: { client: text, file: text },
    commands: { set, show, remove },
    isDataError: (error) => error instanceof InvalidPolicyError,
  });

async function set(database: Database, flags: Flags): Promise<string> {
  const client = requireOption('client', flags.client);
  const document = await readFile(requireOption('file', flags.file), 'utf8');
  parsePolicyDocument(document);
  await savePolicy(database, client, document);
  return `Set the policy of ${client}.\n`;
}

async function show(database: Database, flags: Flags): Promise<string> {
  const client = requireOption('client', flags.client);
  const document = await findPolicyDocument(database, client);
  return document === undefined ? `${client} has no policy.\n` : `${document}\n`;
}

async function remove(database: Database, flags: Flags): Promise<string> {
  const client = requireOption('client', flags.client);
  return (await deletePolicy(database, client))
    ? `Removed the policy of ${client}.\n`
    : `${client} has no policy.\n`;
}
