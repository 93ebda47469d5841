import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { listFiles, read } from '../support/project-files.js';

const SRC = 'apps/account-kit/src';

/** The files that hold the SQL of a table of account-kit: one for most, several where readers and writers need hundreds of lines. */
const HOMES: Readonly<Record<string, readonly string[]>> = {
  account_keys: ['custody/stored-keys/stored-keys.queries.ts'],
  action_keys: ['custody/stored-keys/action-keys.queries.ts'],
  application_platforms: ['custody/token-audience/application-platforms.queries.ts'],
  bundler_submissions: ['user-operations/execution/bundler/bundler-submission.repository.ts'],
  cap_reservations: ['limits/reservations.queries.ts'],
  cap_usage: ['limits/reservations.queries.ts'],
  chain_leases: ['user-operations/execution/chain-lease.repository.ts'],
  codehost_apps: ['custody/token-audience/codehost-apps.queries.ts'],
  custom_actions: ['actions/custom-actions.queries.ts'],
  executor_transaction_operations: [
    'user-operations/execution/transactions/executor-transaction.repository.ts',
  ],
  executor_transaction_variants: [
    'user-operations/execution/transactions/executor-transaction.repository.ts',
  ],
  executor_transactions: ['user-operations/execution/transactions/executor-transaction.repository.ts'],
  freezes: ['limits/freezes.queries.ts', 'limits/is-frozen.ts'],
  idempotency_keys: ['user-operations/idempotency-keys.queries.ts'],
  new_account_counts: ['custody/accounts/smart-accounts.queries.ts'],
  policies: ['policies/policies.queries.ts'],
  smart_accounts: ['custody/accounts/smart-accounts.queries.ts'],
  solana_transactions: [
    'solana/transactions/solana-transaction.repository.ts',
    'solana/transactions/transaction-state.repository.ts',
  ],
  user_operations: [
    // What requests store and read, what waits to be sent and found, what may never run, changes of states, and the conditions of all.
    'user-operations/user-operations.queries.ts',
    'user-operations/execution/operation-queue.queries.ts',
    'user-operations/execution/dead-operations/lanes.queries.ts',
    'user-operations/execution/operation-state.repository.ts',
    'user-operations/execution/operation-conditions.ts',
  ],
};

/** Files that join a table whose home is another one, and why their statements stay where they are. */
const JOINS: readonly { readonly file: string; readonly tables: readonly string[]; readonly why: string }[] =
  [
    {
      file: 'custody/signer/load-operation-to-sign.ts',
      tables: ['user_operations', 'smart_accounts'],
      why: 'the signer process reads what it signs by itself, and loads no code of the app',
    },
    {
      file: 'custody/signer/load-transaction-to-sign.ts',
      tables: ['solana_transactions', 'smart_accounts'],
      why: 'the signer process reads what it signs by itself, and loads no code of the app',
    },
    {
      file: 'custody/signer/policy-columns.ts',
      tables: ['policies', 'cap_reservations'],
      why: 'the signer process reads the policy with the row that it judges',
    },
    {
      file: 'custody/signer/sign-action-bytes.ts',
      tables: ['custom_actions', 'smart_accounts'],
      why: 'the signer process checks the list of actions by itself',
    },
    {
      file: 'custody/signer/signer.ts',
      tables: ['smart_accounts'],
      why: 'the signer process reads whose key it opens by itself',
    },
    {
      file: 'custody/stored-keys/action-keys.queries.ts',
      tables: ['smart_accounts'],
      why: 'an action key is read with its account',
    },
    {
      file: 'custody/stored-keys/stored-keys.queries.ts',
      tables: ['smart_accounts', 'action_keys'],
      why: 'keys are listed for accounts and their actions',
    },
    {
      file: 'limits/freezes.queries.ts',
      tables: ['smart_accounts'],
      why: 'operators name a frozen account by its address; accounts come later in the order of imports',
    },
    {
      file: 'limits/reservations.queries.ts',
      tables: ['user_operations', 'solana_transactions'],
      why: 'reservations count by the state of what has reserved them',
    },
    {
      file: 'policies/sponsoring/sponsored-operations.queries.ts',
      tables: ['user_operations', 'solana_transactions'],
      why: 'sponsors come before operations in the order of imports',
    },
    {
      file: 'solana/transactions/solana-transaction.repository.ts',
      tables: ['cap_reservations'],
      why: 'a transaction is read with whether it has reserved anything',
    },
    {
      file: 'solana/transactions/transaction-state.repository.ts',
      tables: ['smart_accounts'],
      why: 'events of transactions name the address of the account',
    },
    {
      file: 'user-operations/idempotency-keys.queries.ts',
      tables: ['user_operations', 'solana_transactions'],
      why: 'a key is deleted a day after what it is bound to has ended',
    },
    {
      file: 'user-operations/execution/bundler/bundler-submission.repository.ts',
      tables: ['user_operations', 'smart_accounts'],
      why: 'what a bundler was sent is read, and its refusal kept, with the operation in one statement',
    },
    {
      file: 'user-operations/execution/dead-operations/lanes.queries.ts',
      tables: ['bundler_submissions', 'smart_accounts'],
      why: 'operations are looked at with what a bundler was sent of them',
    },
    {
      file: 'user-operations/execution/operation-conditions.ts',
      tables: ['executor_transactions', 'executor_transaction_operations', 'freezes', 'idempotency_keys'],
      why: 'conditions on operations say in which transaction they are, who froze them and who can repeat them',
    },
    {
      file: 'user-operations/execution/operation-queue.queries.ts',
      tables: [
        'executor_transactions',
        'executor_transaction_operations',
        'bundler_submissions',
        'smart_accounts',
      ],
      why: 'operations are claimed with their accounts, and followed with their transactions',
    },
    {
      file: 'user-operations/execution/operation-state.repository.ts',
      tables: ['executor_transactions', 'executor_transaction_operations', 'bundler_submissions'],
      why: 'changes of states are fenced by what may still execute the operation',
    },
    {
      file: 'user-operations/execution/transactions/executor-transaction.repository.ts',
      tables: ['user_operations', 'bundler_submissions', 'chain_leases'],
      why: 'a transaction is read with what its operations pay, and with who else sends',
    },
  ];

const tables = listFiles(['.ts'], join(SRC, 'migrations')).flatMap((file) =>
  [...read(file).matchAll(/CREATE TABLE (?:IF NOT EXISTS )?account_kit\.(\w+)/g)].map(
    ([, table = '']) => table,
  ),
);
const sources = listFiles(['.ts'], SRC)
  .filter((file) => !file.startsWith(join(SRC, 'migrations')) && !file.endsWith('.spec.ts'))
  .map((file) => ({ file: file.slice(SRC.length + 1), text: read(file) }));
const filesOf = (table: string): string[] =>
  sources.filter(({ text }) => new RegExp(`\\baccount_kit\\.${table}\\b`).test(text)).map(({ file }) => file);

it('tables: each table of account-kit has a home for its SQL', () => {
  expect(Object.keys(HOMES).sort()).toEqual([...new Set(tables)].sort());
});

it('tables: the SQL of a table of account-kit is in its home, and in files that have a reason to join it', () => {
  const found = Object.keys(HOMES).flatMap((table) => filesOf(table).map((file) => `${table} in ${file}`));
  const known = [
    ...Object.entries(HOMES).flatMap(([table, files]) => files.map((file) => `${table} in ${file}`)),
    ...JOINS.flatMap(({ file, tables: joined }) => joined.map((table) => `${table} in ${file}`)),
  ];
  expect(found.sort()).toEqual(known.sort());
});
