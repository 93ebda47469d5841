import { receiveCallback, verifyCallback } from '@gatehouse/client';

const { CLIENT_ID, ENDPOINT_SECRET } = process.env;
const MAX_BYTES = 1024 * 1024;
const keys = { verify: (headers, body) => verifyCallback(headers, body, ENDPOINT_SECRET) };

/** Receives the events of a callback endpoint, and answers its challenge. */
export async function POST(request) {
  if (!ENDPOINT_SECRET) return new Response(undefined, { status: 404 });
  if (!(Number(request.headers.get('content-length') ?? NaN) <= MAX_BYTES))
    return new Response(undefined, { status: 413 });
  // The signature is over the text as it came.
  const text = await request.text();
  const { status, body, callback } = await receiveCallback(keys, CLIENT_ID, request.headers, text);
  // A delivery can come twice: remember its webhook-id for three days if it must not count twice.
  if (callback) console.log(callback.type, JSON.stringify(callback.data));
  return Response.json(body, { status });
}
