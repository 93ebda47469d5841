import { describe, expect, it } from '@jest/globals';
import * as queues from '@app/queues';
import { z } from 'zod';
import { queueSchemas, type QueueName, type QueuePayloads } from '../../clients/typescript/src/queues.js';
import { read } from '../support/project-files.js';

const id = '0b8f0d3e-6c0e-4e5e-9d53-0f6a1c1f8a11';
const account = '0x00000000000000000000000000000000000000AA';
const at = '2026-11-28T12:00:00.000Z';
const rule = { type: 'ERC20' as const, chainId: 1, contractAddress: account, minToken: '1.5' };
const batch = <E>(event: E) => ({ version: 1 as const, batchId: id, events: [event] });
const operation = {
  id,
  at,
  type: 'operation.changed' as const,
  clientId: 'client_42',
  account,
  chainId: 1,
  kind: 'call' as const,
  state: 'accepted' as const,
  seq: 1,
};

/** A payload of each queue, by which the types are compiled, too. */
const SAMPLES: { [N in QueueName]: QueuePayloads[N][] } = {
  'balance-checks': [{ version: 1, checkId: id, turn: 0 }],
  'check-roles': [
    { version: 1, requestId: id },
    { version: 1, requestId: id, clientId: 'client_42', account, rules: [rule], reply: true },
    { version: 2, requestId: id, clientId: 'client_42', account, rules: [{ roleId: 'r', not: rule }] },
  ],
  'check-roles-results': [
    {
      requestId: id,
      roles: [{ id: 'r', granted: false }],
      errors: [{ roleId: 'r', rule: 0, name: 'E', message: 'm', retryable: true }],
    },
  ],
  'community-events': [
    batch({ id, at, type: 'role.granted' as const, communityId: 'c', userId: 'u', roleId: 'r' }),
    batch({ id, at, type: 'community.deleted' as const, communityId: 'c' }),
  ],
  'member-checks': [{ version: 1, id, communityId: 'c', userIds: ['u'] }],
  'member-wallets': [{ version: 1, id, communityId: 'c', memberships: [{ userId: 'u', joinedAt: at }] }],
  'operation-callbacks': [batch(operation)],
  'operation-events': [batch(operation)],
  'solana-transactions': [{ version: 1, id, transactionIds: [id] }],
  'user-events': [batch({ id, at, type: 'user.signed_in' as const, userId: 'u', clientId: 'client_42' })],
  'user-operations': [{ version: 1, id, operationIds: [id] }],
  'wallet-events': [
    batch({ id, at, type: 'wallet.linked' as const, userId: 'u', accountId: `eip155:1:${account}` }),
  ],
};

const isDefinition = (value: unknown): value is queues.QueueDefinition =>
  typeof value === 'object' && value !== null && 'payload' in value;
const definitions = Object.values(queues).flatMap((value: unknown) => (isDefinition(value) ? value : []));

describe.each(definitions.map((definition) => [definition.name as QueueName, definition.payload] as const))(
  'the published schema of %s',
  (name, payload) => {
    const published = z.fromJSONSchema(queueSchemas[name] as Parameters<typeof z.fromJSONSchema>[0]);
    const verdicts = (data: unknown) => [payload.safeParse(data).success, published.safeParse(data).success];

    it(`queueSchemas: ${name} accepts what the apps accept, and refuses other versions, fields and ids as they do`, () => {
      for (const sample of SAMPLES[name]) {
        expect(verdicts(sample)).toEqual([true, true]);
        const changes = [
          { more: 1 },
          ...Object.keys(sample).map((field) => ({ [field]: undefined })),
          ...Object.keys(sample).map((field) => ({ [field]: null })),
          ...('version' in sample ? [{ version: 3 }] : []),
          ...('requestId' in sample ? [{ requestId: 'x:y' }] : []),
          ...('events' in sample ? [{ events: [] }] : []),
        ];
        for (const change of changes) {
          const [own, theirs] = verdicts(JSON.parse(JSON.stringify({ ...sample, ...change })));
          expect([change, own]).toEqual([change, theirs]);
        }
      }
      expect(verdicts({ version: 1 })).toEqual([false, false]);
    });
  },
);

it('queueSchemas: has the queues of the apps, of the guide and of the AsyncAPI document, and each stands alone', () => {
  const names = definitions.map(({ name }) => name).toSorted();
  expect(Object.keys(queueSchemas)).toEqual(names);
  const document = JSON.parse(read('docs/asyncapi.json')) as {
    channels: Record<string, { address: string }>;
  };
  expect(Object.keys(document.channels)).toEqual(names);
  const [, table = ''] = read('docs/guides/queues.md').split('## The queues');
  const inGuide = [...(table.split('\n- ')[0] ?? '').matchAll(/^\| `([\w-]+)`/gm)].map(([, name]) => name);
  expect(inGuide.toSorted()).toEqual(names);
  expect(JSON.stringify(queueSchemas)).not.toContain('#/components');
});

it('docs/asyncapi.json: every reference leads somewhere', () => {
  const text = read('docs/asyncapi.json');
  const document = JSON.parse(text) as unknown;
  const references = [...text.matchAll(/"\$ref": "#\/([^"]+)"/g)].map(([, path = '']) => path);
  expect(references.length).toBeGreaterThan(20);
  const find = (path: string): unknown =>
    path
      .split('/')
      .reduce<unknown>((node, key) => (node as Record<string, unknown> | undefined)?.[key], document);
  expect(references.filter((path) => find(path) === undefined)).toEqual([]);
});
