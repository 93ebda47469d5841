import type { OpenApiOperation } from './openapi-document.js';

/** A request to a URL that a client application names in a field of the body. */
export interface CallbackDescription {
  name: string;
  /** The field of the request body with the URL. */
  urlField: string;
  summary: string;
  /** JSON Schema of the body, and the schemas that it refers to by id. */
  schema: object;
  schemas: Record<string, unknown>;
}

const HEADERS = {
  'webhook-id': 'Id of the delivery, `msg_<ULID>`; the same for all attempts',
  'webhook-timestamp': 'Unix seconds of the attempt',
  'webhook-signature':
    '`v1a,<base64>`: Ed25519 signatures of `<webhook-id>.<webhook-timestamp>.<body>` by keys of ' +
    '`/.well-known/jwks.json`, separated by spaces (https://www.standardwebhooks.com)',
  'x-service-delivery-id': 'Equal to `webhook-id`',
  'x-service-timestamp': 'Equal to `webhook-timestamp`',
  'x-service-signature': 'Equal to `webhook-signature`',
  'x-service-key-id': 'The `kid` of each signature, separated by spaces',
};

/** The `callbacks` of an operation (contract.md section 6). */
export function createCallbacks({ name, urlField, summary, schema }: CallbackDescription) {
  const parameters = Object.entries(HEADERS).map(([header, description]) => ({
    name: header,
    in: 'header',
    required: true,
    description,
    schema: { type: 'string' },
  }));
  const post = {
    summary,
    security: [],
    parameters,
    requestBody: { required: true, content: { 'application/json': { schema } } },
    responses: {
      '2XX': { description: 'The callback is received.' },
      410: { description: 'The callback is not wanted: it is not sent again.' },
      default: { description: 'The callback is sent again later, after `Retry-After` at the earliest.' },
    },
  };
  return { [name]: { [`{$request.body#/${urlField}}`]: { post } } } satisfies OpenApiOperation['callbacks'];
}
