import { describe, expect, it } from '@jest/globals';
import { JsonRpcBatchClient } from './json-rpc-batch-client.js';

const URL_OF_NODE = new URL('http://127.0.0.1:8899');
const REQUESTS = ['a', 'b'].map((id) => JSON.stringify({ jsonrpc: '2.0', id, method: 'getSlot' }));
const error = { code: -32_600, message: 'no batches' };
const answerTo = (id: unknown): object => ({ jsonrpc: '2.0', id, result: `slot of ${String(id)}` });

/** A client of a node, and the bodies that the node got. */
function connect(answer: (request: unknown) => unknown): { client: JsonRpcBatchClient; bodies: string[] } {
  const bodies: string[] = [];
  const post = (_: URL, body: string): Promise<{ text: string }> => {
    bodies.push(body);
    return Promise.resolve({ text: JSON.stringify(answer(JSON.parse(body))) });
  };
  return { client: new JsonRpcBatchClient({ post }, URL_OF_NODE), bodies };
}

/** A node that answers batches with this, and single requests as it should. */
const connectToSingle = (batchAnswer: unknown) =>
  connect((request) => (Array.isArray(request) ? batchAnswer : answerTo((request as { id: unknown }).id)));

describe('JsonRpcBatchClient', () => {
  it('matches the responses of a batch to its requests by id', async () => {
    const { client, bodies } = connect(() => [answerTo('b'), answerTo('a')]);
    const { responses } = await client.send(REQUESTS);
    expect(responses.map((text): unknown => JSON.parse(text))).toEqual([answerTo('a'), answerTo('b')]);
    expect(bodies).toHaveLength(1);
  });

  it.each([
    ['one error', { jsonrpc: '2.0', id: null, error }],
    ['one error without an id', { jsonrpc: '2.0', error }],
    ['one error with an id', { jsonrpc: '2.0', id: 0, error }],
    ['a list of one error', [{ jsonrpc: '2.0', id: null, error }]],
  ])('takes %s for the batch as a refusal of batches', async (_, refusal) => {
    const { client, bodies } = connectToSingle(refusal);
    const { responses } = await client.send(REQUESTS);
    expect(responses.map((text): unknown => JSON.parse(text))).toEqual([answerTo('a'), answerTo('b')]);
    expect(bodies.slice(1)).toEqual(REQUESTS);
  });

  it.each([
    ['an object without an error', { jsonrpc: '2.0', id: null, result: 1 }],
    ['the error of one request', [{ jsonrpc: '2.0', id: 'a', error }]],
    ['two errors that name no request', [{ id: null, error }, { error }]],
    ['nothing', null],
    ['an empty list', []],
  ])('takes %s for the batch as a failure of the node', async (_, answer) => {
    const { client, bodies } = connectToSingle(answer);
    await expect(client.send(REQUESTS)).rejects.toMatchObject({ kind: 'unavailable' });
    expect(bodies).toHaveLength(1);
  });

  it.each([
    ['of another request', () => answerTo('b')],
    ['without an id', () => ({ jsonrpc: '2.0', result: 1 })],
    ['of another type of id', () => answerTo(['a'])],
    ['that is no object', () => null],
  ])('does not believe a single response %s', async (_, answer) => {
    const { client } = connect(answer);
    await expect(client.send(REQUESTS.slice(0, 1))).rejects.toMatchObject({
      kind: 'unavailable',
      message: 'the node answered another request',
    });
  });

  it('does not believe single responses in another order than that of their requests', async () => {
    const { client } = connect((request) => {
      if (Array.isArray(request)) return { id: null, error };
      return answerTo((request as { id: unknown }).id === 'a' ? 'b' : 'a');
    });
    await expect(client.send(REQUESTS)).rejects.toMatchObject({ kind: 'unavailable' });
  });
});
