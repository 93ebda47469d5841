import fc from 'fast-check';

/** A quantity of JSON-RPC, also with more bits than any field has. */
const quantity = fc.bigInt({ min: 0n, max: 2n ** 300n }).map((number) => `0x${number.toString(16)}`);
/** Characters that PostgreSQL does not store, and others. */
const text = fc.oneof(fc.string(), fc.constantFrom('\u0000', '\ud800', 'x'.repeat(100_000)));
const value = fc.oneof(
  quantity,
  text,
  fc.jsonValue(),
  fc.constantFrom(-1, 1e308, null, '0x', '0x0', '0x123'),
);

/** The text of a response of a JSON-RPC service: other JSON, fields of other types, an error, or no JSON. */
export function foreignAnswer(...fields: readonly string[]): fc.Arbitrary<string> {
  const record = fc.record(Object.fromEntries(fields.map((field) => [field, value])), { requiredKeys: [] });
  const result = fc.oneof(record, value).map((one) => JSON.stringify({ jsonrpc: '2.0', id: 1, result: one }));
  const error = fc
    .record(
      { code: fc.oneof(fc.integer(), fc.jsonValue()), message: value, data: value },
      { requiredKeys: [] },
    )
    .map((one) => JSON.stringify({ jsonrpc: '2.0', id: 1, error: one }));
  return fc.oneof(result, error, fc.json(), fc.constantFrom('<html>Bad gateway</html>', '', 'null', '{'));
}

interface Identified {
  readonly id: unknown;
}

/** The body of a response with that text to one request or a batch: an answer to another id would get no further than this. */
export function answerAll(text: string, requests: Identified | readonly Identified[]): string {
  const answer = ({ id }: Identified) => text.replace('"id":1', `"id":${JSON.stringify(id)}`);
  return Array.isArray(requests)
    ? `[${(requests as readonly Identified[]).map(answer).join()}]`
    : answer(requests as Identified);
}
