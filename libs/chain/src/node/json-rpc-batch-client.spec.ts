import { describe, expect, it } from '@jest/globals';
import { JsonRpcBatchClient } from './json-rpc-batch-client.js';

const URL_OF_NODE = new URL('http://127.0.0.1:8899');
const REQUESTS = ['getSlot', 'getBlockHeight'].map((method) => ({ method, params: [] }));
/** The client counts its requests. */
const MESSAGES = REQUESTS.map((request, index) => ({ jsonrpc: '2.0', id: index + 1, ...request }));
const error = { code: -32_600, message: 'no batches' };
const answerTo = (id: unknown): object => ({ jsonrpc: '2.0', id, result: `slot of ${String(id)}` });
const responseTo = (id: number): object => ({ ok: true, result: `slot of ${id}` });

/** A client of a node, and the bodies that the node got. */
function connect(answer: (request: unknown) => unknown): { client: JsonRpcBatchClient; bodies: string[] } {
  const bodies: string[] = [];
  const post = (_: URL, body: string): Promise<{ status: number; text: string }> => {
    bodies.push(body);
    return Promise.resolve({ status: 200, text: JSON.stringify(answer(JSON.parse(body))) });
  };
  return { client: new JsonRpcBatchClient({ post }, URL_OF_NODE), bodies };
}

/** A node that answers batches with this, and single requests as it should. */
const connectToSingle = (batchAnswer: unknown) =>
  connect((request) => (Array.isArray(request) ? batchAnswer : answerTo((request as { id: unknown }).id)));

describe('JsonRpcBatchClient', () => {
  it('JsonRpcBatchClient: matches the responses of a batch to its requests by id', async () => {
    const { client, bodies } = connect(() => [answerTo(2), answerTo(1)]);
    const { responses } = await client.send(REQUESTS);
    expect(responses).toEqual([responseTo(1), responseTo(2)]);
    expect(bodies).toHaveLength(1);
  });

  it.each([
    ['one error', { jsonrpc: '2.0', id: null, error }],
    ['one error without an id', { jsonrpc: '2.0', error }],
    ['one error with an id', { jsonrpc: '2.0', id: 0, error }],
    ['a list of one error', [{ jsonrpc: '2.0', id: null, error }]],
  ])('JsonRpcBatchClient: takes %s for the batch as a refusal of batches', async (_, refusal) => {
    const { client, bodies } = connectToSingle(refusal);
    const { responses } = await client.send(REQUESTS);
    expect(responses).toEqual([responseTo(1), responseTo(2)]);
    expect(bodies.map((body): unknown => JSON.parse(body))).toEqual([MESSAGES, ...MESSAGES]);
  });

  it.each([
    ['an object without an error', { jsonrpc: '2.0', id: null, result: 1 }],
    ['the error of one request', [{ jsonrpc: '2.0', id: 1, error }]],
    ['two errors that name no request', [{ id: null, error }, { error }]],
    ['nothing', null],
    ['an empty list', []],
  ])('JsonRpcBatchClient: takes %s for the batch as a failure of the node', async (_, answer) => {
    const { client, bodies } = connectToSingle(answer);
    await expect(client.send(REQUESTS)).rejects.toMatchObject({ kind: 'unavailable' });
    expect(bodies).toHaveLength(1);
  });

  it.each([
    ['of another request', () => answerTo(2)],
    ['without an id', () => ({ jsonrpc: '2.0', result: 1 })],
    ['of another type of id', () => answerTo(['1'])],
    ['that is no object', () => null],
  ])('JsonRpcBatchClient: does not believe a single response %s', async (_, answer) => {
    const { client } = connect(answer);
    await expect(client.send(REQUESTS.slice(0, 1))).rejects.toMatchObject({
      kind: 'unavailable',
      message: 'the node answered another request',
    });
  });

  it('JsonRpcBatchClient: does not believe single responses in another order than that of their requests', async () => {
    const { client } = connect((request) => {
      if (Array.isArray(request)) return { id: null, error };
      return answerTo((request as { id: unknown }).id === 1 ? 2 : 1);
    });
    await expect(client.send(REQUESTS)).rejects.toMatchObject({ kind: 'unavailable' });
  });

  it('JsonRpcBatchClient: passes on the error of a request', async () => {
    const { client } = connect(() => [answerTo(1), { jsonrpc: '2.0', id: 2, error }]);
    const { responses } = await client.send(REQUESTS);
    expect(responses).toEqual([responseTo(1), { ok: false, error }]);
  });

  it.each([['text'], [7], [{}], [{ code: 'no number', message: 'no batches' }]])(
    'JsonRpcBatchClient: does not believe the error %j',
    async (malformed) => {
      const { client } = connect(() => [answerTo(1), { jsonrpc: '2.0', id: 2, error: malformed }]);
      await expect(client.send(REQUESTS)).rejects.toMatchObject({ kind: 'unavailable' });
    },
  );
});
